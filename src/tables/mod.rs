//! The server's own decisions about tables: seating, deadlines, readiness, advance, results.
//!
//! Use cases are plain functions over a connection and the time; callers run the changing ones inside
//! [`run`] and then wake the loops. **table**: one match of a game. **seat**: a place at it. **phase**: a
//! stretch of play in which some seats owe orders (are **due**). **plot**: the orders one seat has handed in.
//! **draft**: orders saved and not handed in. **resolve**: turn state, plots and dice into the next state and
//! a report. **deadline**: when a phase's clock runs out. This module knows no HTML and no one game.

mod access;
mod ctx;
pub mod fair;
mod games;
mod letters;
mod lobby;
mod packed;
mod pages;
pub mod plain;
mod play;
pub mod record;
mod refusal;
mod score;
mod sights;
mod talk;
mod terms;
mod words;

pub use crate::store::game_tables::Status;
pub use crate::store::phases::ClosedBy;
pub use crate::store::plots::PlotSource;
pub use crate::store::results::Outcome;

pub use ctx::{At, Ctx, JoinFigures, run};
pub use games::{GameFault, Games};
pub use lobby::create::{DROPS, NewTable, PASSES, SCORES, create};
pub use lobby::host::{remove, start_now};
pub use lobby::invite::{by_invite_key, invite};
pub use lobby::loadouts::{delete_loadout, loadout, my_loadouts, save_loadout};
pub use lobby::practice::{NewPractice, add_bots, practise};
pub use lobby::seating::{cancel, join, leave_before_start, what_keeps_away};
pub use lobby::unjoined::wait_for_all;
pub use pages::beforehand::uncounted;
pub use pages::history::{
    PhaseHeadline, PhasePage, PlotShown, RecordRows, TurnList, TurnPlayed, phase_report, record_of, record_rows,
    turn_list,
};
pub use pages::lists::{
    MyTable, OpenTable, RunningTable, RunningTables, WhatIsDue, my_tables, open_tables, running_tables,
};
pub use pages::luck::SeatLuck;
pub use pages::marks::{Mark, Marks};
pub use pages::players::{
    GameRecord, JoinStanding, PastTables, Pending, Profile, ProfileTable, Tallies, join_rule, past_tables, profile,
};
pub use pages::standings::{
    LINES_A_PAGE, Leaderboard, LeaderboardRow, OwnPlace, Reputation, ScoreStep, leaderboard, reputation, reputations,
};
pub use pages::table::{GameKept, LogEntry, PhaseNow, ResultShown, SeatShown, TableInfo, TablePage, table_page};
pub use pages::turn::{Stored, Turn, mark_seen, turn};
pub use play::act::Act;
pub use play::bots::{BotOf, BotShown, bots_of, is_bot_name, suggest};
pub use play::clock::{LONGEST_LIMIT_S, RECEIPT_GRACE_S, SHORTEST_LIMIT_S};
pub use play::deadline::wake;
pub use play::lines::{MAX_PLOT_BYTES, MOST_CHOICES, Matching, WrittenLine, merged, must_fit, written};
pub use play::outage::{Credited, OPERATOR, credit_outage, finish_credits, last_alive, tables_to_credit, undo_credit};
pub use play::plot::{HandedIn, examine, hand_in, save_draft, withdraw};
pub use play::resign::{ResignPreview, give_up_all, resign, resign_preview};
pub use play::submit::{Done, Enter, Reading, Sent, Submitted, Unstored, Wish, submit};
pub use play::woken::Woken;
pub use record::verify;
pub use refusal::{ChoiceFault, FieldFault, Refused, TwoNotes, TwoTabs};
pub use score::win_change;
pub use sights::Sight;
pub use talk::conversation::{
    LONGEST_MESSAGE, MESSAGES_A_PAGE, Message, Speaker, Talk, is_former_name, mark_talk_seen, mute, muted, say, talk,
    unmute,
};
pub use talk::notes::{LONGEST_NOTE, Note, note, save_note};
pub use talk::reports::{Decision, LONGEST_REASON, Reported, decide_report, open_reports, report, reportable};
pub use talk::talk_letters::{TalkLetter, WAITS_FOR_OTHERS, word_talk_letter};
pub use terms::Terms;
