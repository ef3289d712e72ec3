//! The start of a full table: seats are dealt by dice, the game is set up, its first phase opens.

use serde::{Deserialize, Serialize};

use crate::rules::{Dice, Seat, SeatSetup, Setup, Throw};
use crate::store::phases::{self, OpeningRow};
use crate::store::seats::{self, Seated};
use crate::store::timers::{self, TimerKind};
use crate::store::{Conn, PhaseNo, Stamp, game_tables, plots, table_log};

use crate::tables::access::Table;
use crate::tables::packed::json;
use crate::tables::play::advance::finish;
use crate::tables::play::open::{Opening, open};
use crate::tables::play::running::Play;
use crate::tables::play::{bots, clock};
use crate::tables::{Ctx, FieldFault, Refused, letters, words};

/// What the dice for the seats are thrown for.
pub const SEATING: &str = "seats";

/// How the seats were dealt, as stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Dealt {
    /// For each seat in order: which player got it, counted from 0 in the order of sitting down.
    pub order: Vec<usize>,
    /// The dice thrown for it.
    pub throws: Vec<Throw>,
}

/// Deals the seats of a table with this secret.
pub fn deal(secret: &[u8; 32], players: usize) -> Dealt {
    let mut dice = Dice::for_seating(secret);
    let mut order: Vec<usize> = (0..players).collect();
    dice.shuffle(SEATING, &mut order);
    Dealt { order, throws: dice.throws().to_vec() }
}

/// Starts a table with those who sit there, one for each of its seats. `why`: a sentence for its log.
pub fn start(conn: &mut Conn, ctx: &Ctx, now: Stamp, table: Table, why: &str) -> Result<(), Refused> {
    let secret = table.secret()?;
    let waiting = seats::of_table(conn, table.row.id)?;
    // Not before the table was made or somebody sat down, whatever the clocks of other processes showed then.
    let now = waiting.iter().map(|seated| seated.row.joined_at).fold(now.max(table.row.created_at), Stamp::max);
    let dealt = deal(&secret, waiting.len());
    let mut players: Vec<Seated> = Vec::with_capacity(waiting.len());
    for (seat, player) in Seat::first(waiting.len()).zip(&dealt.order) {
        let mut seated = waiting[*player].clone();
        seated.row.seat = Some(words::number(seat));
        seats::deal(conn, seated.row.id, words::number(seat))?;
        players.push(seated);
    }
    let setup = setup(&table, &players)?;
    let mut dice = Dice::for_phase(&secret, 0);
    let step = table.game.setup(&setup, table.game.meta().edition, &mut dice).map_err(|faults| {
        let message = format!("The game cannot start: {}", faults.join(" "));
        Refused::Form(vec![FieldFault { field: "setup".to_owned(), message }])
    })?;
    game_tables::start(conn, table.row.id, &json(&setup), table.edition(), now)?;
    let report = json(&step.report);
    let opening = OpeningRow {
        table_id: table.row.id,
        report: report.clone(),
        throws: json(&dice.throws()),
        seating: json(&dealt),
    };
    phases::insert_opening(conn, &opening)?;
    timers::clear(conn, table.row.id, TimerKind::Unjoined)?;
    let text = format!("{why} The seats were dealt and the game began.");
    table_log::add(conn, now, table.row.id, "started", &text)?;
    letters::started(conn, ctx, now, &table, &players, &report)?;
    tracing::info!(table.id = %table.row.id, game = table.row.game, "A table has started.");
    let Some(phase) = table.game.phase(&step.state)? else {
        return finish(conn, ctx, now, &table, &players, &step.state);
    };
    let running = clock::fresh(now, table.row.time_limit_s);
    let first = Opening { no: PhaseNo(1), state: &step.state, phase: &phase, running, dues_before: &[] };
    let (row, dues) = open(conn, now, &table, &first)?;
    let running = game_tables::find(conn, table.row.id)?.ok_or(Refused::NoTable)?;
    let plots = plots::of_phase(conn, running.id, PhaseNo(1))?;
    let table = Table { row: running, game: table.game };
    let play = Play { table, seats: players, phase: row, state: step.state, dues, plots };
    for due in &play.dues {
        if play.seated(due.seat)?.bot.is_none() {
            letters::due(conn, ctx, now, &play, due)?;
        }
    }
    bots::schedule(conn, now, &play)
}

fn setup(table: &Table, players: &[Seated]) -> Result<Setup, Refused> {
    let broken = |error: serde_json::Error| Refused::Broken(format!("a stored set-up cannot be read: {error}"));
    let options = serde_json::from_str(&table.row.options).map_err(broken)?;
    let seats: Result<Vec<SeatSetup>, _> =
        players.iter().map(|seated| serde_json::from_str(&seated.row.setup)).collect();
    Ok(Setup { options, seats: seats.map_err(broken)? })
}
