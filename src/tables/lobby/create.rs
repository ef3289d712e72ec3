//! Making a table, and the checks of what its form and its players choose.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::rules::{Dice, FieldKind, Game, SeatSetup};
use crate::store::game_tables::{self, TableRow};
use crate::store::{Conn, PhaseNo, Stamp, TableId, UserId, contents, forms_done, new_id, new_token, table_log};

use super::answers::{choose, fault, seat_answers};
use super::seating::{must_be_free_to_join, sit_down};
use super::unjoined;
use crate::tables::packed::json;
use crate::tables::{Ctx, FieldFault, LONGEST_LIMIT_S, Refused, SHORTEST_LIMIT_S, plain};

/// Longest title, in characters.
const LONGEST_TITLE: usize = 80;
/// Most tables of one player that wait for others.
const MOST_WAITING: usize = 50;
/// Most games of practice that one player has running.
const MOST_PRACTICES: i64 = 30;
/// How many time-outs may count as a default plot.
pub const PASSES: RangeInclusive<i32> = 0..=20;
/// How many drops a table may allow those who join.
pub const DROPS: RangeInclusive<i32> = 0..=1000;
/// The scores a table may ask for.
pub const SCORES: RangeInclusive<i32> = -10_000..=10_000;

/// A new table as its form describes it.
#[derive(Clone, Debug)]
pub struct NewTable {
    /// Id of the game.
    pub game: String,
    /// Title; empty: one is made of the game and its first option.
    pub title: String,
    /// Answers to the game's table fields; what is missing gets the first choice.
    pub options: BTreeMap<String, String>,
    /// How many seats; `None`: the least the game allows.
    pub seats: Option<usize>,
    /// The creator's answers to the game's seat fields, see [`crate::tables::join`].
    pub setup: SeatSetup,
    /// Time limit in seconds, from [`crate::tables::SHORTEST_LIMIT_S`] to [`crate::tables::LONGEST_LIMIT_S`].
    pub time_limit_s: i64,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// Whether only invited people may join.
    pub invite_only: bool,
    /// Time-outs that count as a default plot before a seat is dropped, 0 to 20.
    pub passes_allowed: i32,
    /// Most drops among the last games a joining player may have, if there is such a rule.
    pub max_drops: Option<i32>,
    /// Least score a joining player may have, if there is such a rule.
    pub min_score: Option<i32>,
    /// Whether messages to one seat alone are allowed at the table.
    pub private_talk: bool,
    /// Whether it is one person's practice against bots; see [`crate::tables::practise`].
    pub practice: bool,
    /// What tells this form from every other one that was shown: sent twice, it makes one table.
    pub once: Option<String>,
}

impl Default for NewTable {
    fn default() -> NewTable {
        NewTable {
            game: String::new(),
            title: String::new(),
            options: BTreeMap::new(),
            seats: None,
            setup: SeatSetup::new(),
            time_limit_s: 0,
            ranked: false,
            invite_only: false,
            passes_allowed: 0,
            max_drops: None,
            min_score: None,
            private_talk: true,
            practice: false,
            once: None,
        }
    }
}

/// Makes a table at which the creator sits down. Returns its id. Faults of the form are reported all at once, with
/// the field names `title`, `seats`, `time_limit`, `passes_allowed`, `max_drops`, `min_score` or the game's keys; empty
/// for the whole. The same form sent again gives the table that it has made.
pub fn create(conn: &mut Conn, ctx: &Ctx, now: Stamp, user_id: UserId, new: &NewTable) -> Result<TableId, Refused> {
    let game = ctx.games.current(&new.game).ok_or_else(|| Refused::NoGame(new.game.clone()))?;
    if let Some(made) = already(conn, new.once.as_deref())? {
        return Ok(made);
    }
    let mut faults = Vec::new();
    faults.extend(too_many(conn, user_id, new.practice)?);
    let options = table_answers(&*game, &new.options, &mut faults);
    let setup = seat_answers(conn, &*game, user_id, &new.setup, &mut faults)?;
    let title = title(&*game, &new.title, &options, &mut faults);
    let seats = new.seats.unwrap_or(*game.seats(&options).start());
    check_seats(&*game, &options, seats, &mut faults);
    check_terms(new, &mut faults);
    if !faults.is_empty() {
        return Err(Refused::Form(faults));
    }
    if !new.practice {
        must_be_free_to_join(conn, ctx, now, user_id)?;
    }
    let row = row(&*game, now, user_id, new, Chosen { title, seats, options: &options })?;
    if let Some(once) = &new.once
        && !forms_done::note(conn, once, row.id, now)?
    {
        // Its twin was faster: looked up in the next try.
        return Err(Refused::Conflict);
    }
    contents::keep(conn, game.content_hash(), game.meta().id, game.content_body())?;
    game_tables::insert(conn, &row)?;
    table_log::add(conn, now, row.id, "made", "The table was made.")?;
    sit_down(conn, now, row.id, user_id, &setup)?;
    unjoined::wait_anew(conn, ctx, now, row.id)?;
    Ok(row.id)
}

/// The table that the same form has made before.
pub fn already(conn: &mut Conn, once: Option<&str>) -> Result<Option<TableId>, Refused> {
    Ok(match once {
        Some(once) => forms_done::find(conn, once)?,
        None => None,
    })
}

fn too_many(conn: &mut Conn, user_id: UserId, practice: bool) -> Result<Option<FieldFault>, Refused> {
    let message = match practice {
        true if game_tables::practices(conn, user_id)? >= MOST_PRACTICES => {
            format!("You have {MOST_PRACTICES} practice games running. Finish one or resign from one first.")
        }
        false if game_tables::open_of_creator(conn, user_id)?.len() >= MOST_WAITING => {
            format!(
                "{MOST_WAITING} of your tables are waiting for players. Call one off first, or wait until one begins."
            )
        }
        _ => return Ok(None),
    };
    Ok(Some(FieldFault { field: String::new(), message }))
}

/// What was chosen for a new table, with what was left open filled in.
struct Chosen<'a> {
    title: String,
    seats: usize,
    options: &'a BTreeMap<String, String>,
}

fn row(game: &dyn Game, now: Stamp, user_id: UserId, new: &NewTable, chosen: Chosen<'_>) -> Result<TableRow, Refused> {
    let Chosen { title, seats, options } = chosen;
    let mut secret = [0u8; 32];
    getrandom::fill(&mut secret)
        .map_err(|error| Refused::Broken(format!("the operating system gives no random bytes: {error}")))?;
    let meta = game.meta();
    Ok(TableRow {
        id: TableId(new_id(now)),
        version: 1,
        game: meta.id.to_owned(),
        title,
        status: game_tables::Status::Open,
        creator_id: user_id,
        seat_count: i32::try_from(seats).unwrap_or(i32::MAX),
        options: json(options),
        time_limit_s: new.time_limit_s,
        ranked: new.ranked,
        invite_only: new.invite_only,
        invite_key: new_token(),
        max_drops: new.max_drops,
        passes_allowed: new.passes_allowed,
        content_hash: game.content_hash().to_owned(),
        edition: i32::try_from(meta.edition).unwrap_or(i32::MAX),
        format: i32::try_from(meta.format).unwrap_or(i32::MAX),
        dice_secret: secret.to_vec(),
        dice_hash: Dice::commitment(&secret),
        phase_no: PhaseNo(0),
        setup: None,
        final_state: None,
        outcome: None,
        created_at: now,
        started_at: None,
        ended_at: None,
        min_score: new.min_score,
        private_talk: new.private_talk,
        practice: new.practice,
        open_when_over: new.ranked,
    })
}

fn title(game: &dyn Game, given: &str, options: &BTreeMap<String, String>, faults: &mut Vec<FieldFault>) -> String {
    let is_given = !given.trim().is_empty();
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let broken = given.trim().contains(breaks);
    let given = plain::line(given);
    if is_given && given.is_empty() {
        let message = "This title has no visible characters. Write another, or leave the field empty and we pick one.";
        fault(faults, "title", message.to_owned());
    } else if given.chars().count() > LONGEST_TITLE {
        fault(faults, "title", format!("The title has more than {LONGEST_TITLE} characters. Make it shorter."));
    } else if broken {
        fault(faults, "title", "The title has line breaks or other control characters. Remove them.".to_owned());
    }
    if !given.is_empty() {
        return given;
    }
    let first = game.table_fields().into_iter().find_map(|field| {
        let FieldKind::Choice(choices) = field.kind else { return None };
        let value = options.get(field.key)?;
        choices.into_iter().find(|choice| choice.value == *value).map(|choice| choice.label)
    });
    match first {
        Some(label) => format!("{}: {label}", game.meta().name),
        None => game.meta().name.to_owned(),
    }
}

/// How many seats a table with these options may have, and that range in words.
fn seats_allowed(game: &dyn Game, options: &BTreeMap<String, String>) -> (RangeInclusive<usize>, String) {
    let allowed = game.seats(options);
    let (least, most) = (allowed.start(), allowed.end());
    let words = if least == most { format!("{least}") } else { format!("{least} to {most}") };
    (allowed, words)
}

/// Whether the number of seats goes with the options; if not the sentence names the options it depends on.
fn check_seats(game: &dyn Game, options: &BTreeMap<String, String>, seats: usize, faults: &mut Vec<FieldFault>) {
    let (allowed, range) = seats_allowed(game, options);
    if allowed.contains(&seats) {
        return;
    }
    let mut because = Vec::new();
    for field in game.table_fields() {
        let FieldKind::Choice(choices) = &field.kind else { continue };
        let Some(chosen) = options.get(field.key) else { continue };
        let matters = choices.iter().any(|choice| {
            let mut other = options.clone();
            other.insert(field.key.to_owned(), choice.value.clone());
            game.seats(&other) != allowed
        });
        let label = choices.iter().find(|choice| choice.value == *chosen).map(|choice| choice.label.as_str());
        if let Some(label) = label.filter(|_| matters) {
            because.push(format!("“{}: {label}”", field.label));
        }
    }
    let name = game.meta().name;
    let message = match because.as_slice() {
        [] => format!("{name} is for {range} players."),
        chosen => format!(
            "With {} {name} is for {range} players, not for {seats}. Choose another number of seats or other options.",
            chosen.join(" and ")
        ),
    };
    fault(faults, "seats", message);
}

fn check_terms(new: &NewTable, faults: &mut Vec<FieldFault>) {
    if !(SHORTEST_LIMIT_S..=LONGEST_LIMIT_S).contains(&new.time_limit_s) {
        fault(faults, "time_limit", "The time limit must be from 5 minutes to 14 days.".to_owned());
    }
    if !PASSES.contains(&new.passes_allowed) {
        fault(faults, "passes_allowed", format!("Between 0 and {} time-outs can be forgiven.", PASSES.end()));
    }
    if new.max_drops.is_some_and(|most| !DROPS.contains(&most)) {
        let message = format!("The number of drops allowed must be from 0 to {}.", DROPS.end());
        fault(faults, "max_drops", message);
    }
    if new.min_score.is_some_and(|least| !SCORES.contains(&least)) {
        let message =
            format!("The lowest score must be a whole number from {} to {}, or empty.", SCORES.start(), SCORES.end());
        fault(faults, "min_score", message);
    }
}

fn table_answers(
    game: &dyn Game,
    answers: &BTreeMap<String, String>,
    faults: &mut Vec<FieldFault>,
) -> BTreeMap<String, String> {
    let fields = game.table_fields();
    fields.iter().filter_map(|field| Some((field.key.to_owned(), choose(field, answers, faults)?))).collect()
}
