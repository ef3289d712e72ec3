//! What the pages of one table share: its head, who is in, how it ended, and how refusals become pages.

use std::collections::BTreeMap;

use actix_web::web::Data;
use serde::Deserialize;

use crate::rules::{ReportEntry, Seat, Slot};
use crate::store::{Conn, PhaseNo, TableId};
use crate::tables::{Outcome, Refused, SeatLuck, SeatShown, Status, TablePage};
use crate::web::base::page::Page;
use crate::web::base::times::Zoned;
use crate::web::boards::{self, Board, Drawing, Sitting};
use crate::web::lobby::table_new;
use crate::web::{App, PageError};

/// What the address of a page with a board may ask for.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Asked {
    /// Id of the thing to show in the piece viewer.
    pub piece: Option<String>,
    /// Id of the thing chosen after it.
    pub target: Option<String>,
    /// `piece`: only the piece viewer; `state`: only how far the table is. The script asks for them.
    pub part: Option<String>,
    /// `before`: the position a past phase opened with, not the one it led to.
    pub board: Option<String>,
}

impl Asked {
    /// Whether the script asks only how far the table is.
    pub fn only_state(&self) -> bool {
        self.part.as_deref() == Some("state")
    }

    /// Whether the script asks for the piece viewer only.
    pub fn only_piece(&self) -> bool {
        self.part.as_deref() == Some("piece")
    }
}

/// How far a table is, in a word that changes when its page should be looked at again. Says no more than the
/// page does to everybody.
pub fn state(shown: &TablePage) -> String {
    let phase = shown.phase.as_ref().map_or(PhaseNo(0), |phase| phase.no);
    let handed_in = shown.seats.iter().filter(|seat| seat.handed_in).map(letter);
    format!("{}-{phase}-{}", shown.table.status, handed_in.collect::<String>())
}

/// The head of every page of a table.
pub struct Head {
    /// Id as in addresses.
    pub id: String,
    /// Title of the table.
    pub title: String,
    /// Id of the game.
    pub game: String,
    /// Name of the game.
    pub game_name: String,
    /// What was chosen when the table was made, in a line.
    pub options: String,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// SHA-256 of the dice secret.
    pub dice_hash: String,
    over: bool,
    /// Whether it was called off before it began.
    pub cancelled: bool,
    /// Whether it has begun.
    begun: bool,
    may_resign: bool,
}

impl Head {
    /// The head for this viewer.
    pub fn new(shown: &TablePage) -> Head {
        let table = &shown.table;
        let me = shown.my_seat.and_then(|seat| shown.seats.iter().find(|line| line.seat == Some(seat)));
        let running = table.status == Status::Running;
        Head {
            id: table.table_id.to_string(),
            title: table.title.clone(),
            game: table.game.clone(),
            game_name: table.game_name.clone(),
            options: table.options.iter().map(|(_, choice)| choice.as_str()).collect::<Vec<_>>().join(", "),
            ranked: table.ranked,
            dice_hash: table.dice_hash.clone(),
            over: table.status == Status::Over,
            cancelled: table.status == Status::Cancelled,
            begun: table.started_at.is_some(),
            may_resign: running && me.is_some_and(|me| me.result.is_none()),
        }
    }

    /// The pages of the table: address and label.
    pub fn places(&self) -> Vec<(String, &'static str)> {
        let first = match (self.over, self.begun) {
            (true, _) => "Result",
            (false, true) => "Turn",
            (false, false) => "Table",
        };
        let mut places = vec![(format!("/t/{}", self.id), first)];
        places.push((format!("/t/{}/phases", self.id), "History"));
        places.push((format!("/t/{}/talk", self.id), "Talk"));
        if self.over {
            places.push((format!("/t/{}/verify", self.id), "Dice and seals"));
        }
        if self.may_resign {
            places.push((format!("/t/{}/resign", self.id), "Resign"));
        }
        places
    }
}

/// How a table ended.
pub struct End {
    /// Who won and why, as a sentence.
    pub outcome: String,
    /// When.
    pub when: Zoned,
    /// The seats with what their part came to.
    pub seats: Vec<EndSeat>,
    /// Address and label of the form for another game like it.
    pub again: (String, &'static str),
}

/// One seat at the end.
pub struct EndSeat {
    /// Its letter.
    pub letter: String,
    /// The player.
    pub name: String,
    /// Whether it is the viewer's.
    pub you: bool,
    /// Name of the mark beside it.
    pub mark: &'static str,
    /// What its part came to, as a word.
    pub result: &'static str,
    /// What it does to the score; empty at unranked tables.
    pub score: String,
    /// Why it does not count, in sentences; empty where it does.
    pub note: String,
    /// `up`, `down` or nothing.
    pub score_class: &'static str,
}

/// How a table that is over has ended; `None` while it is not.
pub fn end(shown: &TablePage, page: &Page) -> Option<End> {
    let table = &shown.table;
    if table.status != Status::Over {
        return None;
    }
    Some(End {
        outcome: outcome(&shown.seats),
        when: page.time(&table.ended_at.unwrap_or(page.now)),
        seats: shown.seats.iter().map(|seat| end_seat(shown, seat)).collect(),
        again: table_new::again(shown),
    })
}

/// How a game has ended, by names: “Ben won; Ann and Cid resigned”.
fn outcome(seats: &[SeatShown]) -> String {
    let mut groups: BTreeMap<Outcome, Vec<&str>> = BTreeMap::new();
    for seat in seats {
        if let Some(result) = seat.result {
            groups.entry(result.outcome).or_default().push(&seat.name);
        }
    }
    if groups.keys().eq([&Outcome::Drew]) {
        return "A tie".to_owned();
    }
    if groups.is_empty() {
        return "The game is over".to_owned();
    }
    let words = groups.iter().map(|(outcome, names)| {
        let what = match outcome {
            Outcome::Dropped if names.len() == 1 => "was dropped by the clock",
            Outcome::Dropped => "were dropped by the clock",
            other => outcome_word(*other),
        };
        format!("{} {what}", listed(names))
    });
    words.collect::<Vec<_>>().join("; ")
}

/// `Ann`, `Ann and Ben`, `Ann, Ben and Cid`.
fn listed(names: &[&str]) -> String {
    match names {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}

fn end_seat(shown: &TablePage, seat: &SeatShown) -> EndSeat {
    let change = seat.result.map_or(0, |result| result.score_change);
    let outcome = seat.result.map(|result| result.outcome);
    let ranked = shown.table.ranked && seat.result.is_some();
    let why = seat.result.and_then(|result| result.not_counted);
    let uncounted = shown
        .seats
        .iter()
        .filter_map(|seat| seat.result)
        .any(|result| result.outcome == Outcome::Won && result.not_counted.is_some());
    let left_out = seat.result.is_some_and(|result| result.left_out) && !uncounted;
    EndSeat {
        letter: letter(seat),
        name: seat.name.clone(),
        you: seat.seat.is_some() && seat.seat == shown.my_seat,
        mark: outcome.map_or("plain", outcome_mark),
        result: outcome.map_or("no result", outcome_word),
        score: if ranked && why.is_none() { format!("score {}", signed(change)) } else { String::new() },
        note: match (why, left_out) {
            (Some(why), _) => format!("Not counted. {}", why.words()),
            (None, true) => "Left out: the winner's win over this player is not counted.".to_owned(),
            (None, false) => String::new(),
        },
        score_class: match change {
            1.. => "up",
            0 => "",
            _ => "down",
        },
    }
}

/// One player's dice over the whole game.
pub struct LuckLine {
    /// Letter of the seat.
    pub letter: String,
    /// The player.
    pub name: String,
    /// How many throws.
    pub dice: u64,
    /// What they showed together.
    pub sum: String,
    /// What fair dice show together on average.
    pub expected: String,
    /// By how much they were above it, with its sign.
    pub surplus: String,
    /// The standard error of the sum.
    pub standard_error: String,
    /// What to think of it, in a few words.
    pub verdict: &'static str,
}

/// The luck report of a table that is over.
pub fn luck(shown: &TablePage, luck: &[SeatLuck]) -> Vec<LuckLine> {
    let names = players(shown);
    luck.iter()
        .map(|seat| LuckLine {
            letter: seat.seat.to_string(),
            name: names.get(seat.seat.index()).cloned().unwrap_or_default(),
            dice: seat.dice,
            sum: format!("{:.0}", seat.sum),
            expected: format!("{:.1}", seat.expected),
            surplus: format!("{:+.1}", seat.sum - seat.expected).replace('-', "−"),
            standard_error: format!("{:.1}", seat.standard_error),
            verdict: verdict(seat.deviation()),
        })
        .collect()
}

fn verdict(deviation: f64) -> &'static str {
    match deviation {
        ..=-3.0 => "very unlucky",
        ..=-2.0 => "unlucky",
        ..=-1.0 => "a little unlucky",
        ..1.0 => "about average",
        ..2.0 => "a little lucky",
        ..3.0 => "lucky",
        _ => "very lucky",
    }
}

/// A change of the score with its sign, in print.
pub fn signed(change: i32) -> String {
    match change {
        ..=-1 => format!("−{}", change.unsigned_abs()),
        0 => "±0".to_owned(),
        _ => format!("+{change}"),
    }
}

/// The letter of a seat; empty before seats are dealt.
pub fn letter(seat: &SeatShown) -> String {
    seat.seat.map(|seat| seat.to_string()).unwrap_or_default()
}

/// What a seat's part came to, as a word.
pub fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Won => "won",
        Outcome::Lost => "lost",
        Outcome::Drew => "drew",
        Outcome::Resigned => "resigned",
        Outcome::Dropped => "dropped by the clock",
    }
}

/// Name of the mark beside an outcome.
pub fn outcome_mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Won => "won",
        Outcome::Drew => "drew",
        Outcome::Lost | Outcome::Resigned => "lost",
        Outcome::Dropped => "dropped",
    }
}

/// Names of the players in seat order.
pub fn players(shown: &TablePage) -> Vec<String> {
    let mut seated: Vec<(Seat, String)> =
        shown.seats.iter().filter_map(|seat| Some((seat.seat?, seat.name.clone()))).collect();
    seated.sort();
    seated.into_iter().map(|(_, name)| name).collect()
}

/// What a board is drawn from apart from the table.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    /// The view as JSON.
    pub view: &'a str,
    /// What the viewer can order now.
    pub slots: &'a [Slot],
    /// What happened last.
    pub last: &'a [ReportEntry],
    /// Start of a form that hands in one order at once.
    pub form: Option<&'a str>,
    /// Address of the page up to the id of a piece.
    pub link: &'a str,
}

/// The board of a table's game.
pub fn board(shown: &TablePage) -> Result<&'static dyn Board, PageError> {
    boards::of(&shown.table.game)
        .ok_or_else(|| PageError::Internal(format!("there is no board for the game {}", shown.table.game)))
}

/// Draws a position of a table.
pub fn draw(shown: &TablePage, asked: &Asked, scene: &Scene) -> Result<Drawing, PageError> {
    let sitting = Sitting {
        view: scene.view,
        data: shown.game.data(),
        players: &players(shown),
        slots: scene.slots,
        selected: asked.piece.as_deref(),
        aimed: asked.target.as_deref(),
        link: scene.link,
        last: scene.last,
        form: scene.form,
    };
    board(shown)?.draw(&sitting).map_err(PageError::internal)
}

/// A page with a board on it.
pub fn board_page(page: Page, shown: &TablePage) -> Result<Page, PageError> {
    let page = page.with_style("board.css").with_script("board.js").with_wide();
    Ok(board(shown)?.styles().iter().fold(page, |page, style| page.with_style(style)))
}

/// Runs a read of the tables off the reactor, and returns refusals as pages.
pub async fn read<T: Send + 'static>(
    app: &Data<App>,
    table_id: TableId,
    work: impl FnOnce(&mut Conn) -> Result<T, Refused> + Send + 'static,
) -> Result<T, PageError> {
    let result = app.block(move |db| db.read(work)).await;
    result.map_err(|error| refused(error, table_id))
}

/// The page for a refusal of a use case at this table.
pub fn refused(error: Refused, table_id: TableId) -> PageError {
    let table = || format!("/t/{}", table_id);
    match error {
        Refused::PhaseOver { ended: false, .. } => {
            PageError::conflict(error.to_string(), table(), "Go to the phase that is open now")
        }
        other => PageError::from(other).leading_to(table(), "Go to the table"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::ResultShown;

    #[test]
    fn an_end_is_told_by_names() {
        use Outcome::{Drew, Dropped, Lost, Resigned, Won};
        let told = |outcomes: &[Outcome]| {
            let seat = |(outcome, name): (&Outcome, &&str)| SeatShown {
                seat: None,
                user_id: crate::store::UserId(0),
                name: (*name).to_owned(),
                bot: false,
                bot_id: None,
                due: false,
                required: false,
                handed_in: false,
                passes_used: 0,
                result: Some(ResultShown {
                    outcome: *outcome,
                    score_change: 0,
                    booked: true,
                    not_counted: None,
                    left_out: false,
                }),
            };
            outcome(&outcomes.iter().zip(&["Ann", "Ben", "Cid", "Dee"]).map(seat).collect::<Vec<_>>())
        };
        assert_eq!(told(&[Resigned, Won, Resigned]), "Ben won; Ann and Cid resigned");
        assert_eq!(told(&[Dropped, Won, Lost]), "Ben won; Cid lost; Ann was dropped by the clock");
        assert_eq!(
            told(&[Dropped, Dropped, Resigned, Dropped]),
            "Cid resigned; Ann, Ben and Dee were dropped by the clock"
        );
        assert_eq!(told(&[Drew, Drew]), "A tie");
        assert_eq!(told(&[]), "The game is over");
    }
}
