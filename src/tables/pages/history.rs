//! What happened phase by phase, and the record at the end.

use std::collections::BTreeMap;

use crate::rules::{Openness, ReportEntry, Seat, Throw};
use crate::store::phases::{self, ClosedBy, OpeningRow, PhaseHead, PhaseRow};
use crate::store::plots::{self, PlotRow, PlotSource};
use crate::store::results::{self, ResultRow};
use crate::store::{Conn, PhaseNo, Stamp, TableId, UserId, contents, seats};

use super::since;
use crate::tables::access::{self, Table};
use crate::tables::lobby::start::Dealt;
use crate::tables::packed::unpack;
use crate::tables::record::{
    DiceRecord, FORMAT, Opening, PlotRecord, Record, ResultRecord, Seating, StepRecord, sha256,
};
use crate::tables::{Ctx, Outcome, Refused, words};

/// Name of the set-up in lists of phases.
pub const SET_UP: &str = "Set-up";
/// What ended the wait for players: they were all there, or the table was started with those who were.
const SEATS_TAKEN: &str = "All seats were taken.";

/// Turns on one page of the list.
const TURNS_A_PAGE: usize = 15;

/// A page of the list of turns, newest first.
#[derive(Clone, Debug)]
pub struct TurnList {
    /// The turns, each with its phases in the order in which they were played.
    pub turns: Vec<TurnPlayed>,
    /// Which page this is, counted from 1.
    pub page: usize,
    /// How many there are.
    pub pages: usize,
}

/// A turn, or the set-up.
#[derive(Clone, Debug)]
pub struct TurnPlayed {
    /// Number; `None` for the set-up.
    pub turn: Option<u32>,
    /// Whose turn it is, where one plays after the other.
    pub seat: Option<Seat>,
    /// What happened in it, condensed, as the viewer may read it.
    pub digest: Vec<String>,
    /// Its phases.
    pub phases: Vec<PhaseHeadline>,
}

/// A phase in the list of phases.
#[derive(Clone, Debug)]
pub struct PhaseHeadline {
    /// Number; 0 is the set-up.
    pub no: PhaseNo,
    /// Name without the turn: `Deploy`.
    pub name: String,
    /// When it opened.
    pub opened_at: Stamp,
    /// When it closed; `None` for the open one.
    pub closed_at: Option<Stamp>,
    /// What closed it, in words: `all orders were in`.
    pub closed_by: Option<&'static str>,
}

/// A closed phase, or the set-up (number 0), for one viewer.
#[derive(Clone, Debug)]
pub struct PhasePage {
    /// Number; 0 is the set-up.
    pub no: PhaseNo,
    /// `Turn 3, Deploy`.
    pub name: String,
    /// The viewer's seat.
    pub seat: Option<Seat>,
    /// When it opened.
    pub opened_at: Stamp,
    /// When it closed.
    pub closed_at: Stamp,
    /// What closed it, in words.
    pub closed_by: &'static str,
    /// The view it opened with, as JSON; `None` for the set-up.
    pub view_before: Option<String>,
    /// The view after it, as JSON.
    pub view_after: String,
    /// What happened, a sentence each, as the viewer may read it.
    pub report: Vec<String>,
    /// The same as the game's board reads it.
    pub entries: Vec<ReportEntry>,
    /// The dice thrown, in order. Those of the set-up, and those that tell what stays secret, are shown once the
    /// table is over.
    pub throws: Vec<Throw>,
    /// The plots that were in.
    pub plots: Vec<PlotShown>,
    /// Whether a phase before it can be looked at.
    pub has_previous: bool,
    /// Whether a closed phase after it can be looked at.
    pub has_next: bool,
    /// Number of the last closed phase.
    pub last: PhaseNo,
    /// First phase of the turn before and of the turn after, where they can be looked at.
    pub turns_beside: (Option<PhaseNo>, Option<PhaseNo>),
}

/// A plot of a closed phase. Salt and body are empty while they are still secret.
#[derive(Clone, Debug)]
pub struct PlotShown {
    /// Whose.
    pub seat: Seat,
    /// The salted hash published at once.
    pub seal: String,
    /// The salt, once open.
    pub salt: Option<String>,
    /// The orders in notation, once open.
    pub body: Option<String>,
    /// The orders in words, as far as they are open.
    pub words: Vec<String>,
    /// Whether it was not carried out in this phase, because somebody left.
    pub carried_on: bool,
    /// Whether orders of some kinds are left out, if there are any.
    pub partly: bool,
    /// `hand`, `draft` or `default`.
    pub source: PlotSource,
    /// When it was handed in.
    pub handed_in_at: Stamp,
}

/// The turns of a table, newest first, so many on a page; a page that does not exist is the nearest one that does.
pub fn turn_list(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: TableId,
    viewer: Option<UserId>,
    page: usize,
) -> Result<TurnList, Refused> {
    let table = access::visible(conn, ctx, table_id, viewer, None)?;
    let Some(started) = table.row.started_at else {
        return Ok(TurnList { turns: Vec::new(), page: 1, pages: 1 });
    };
    let seat = match viewer {
        Some(user_id) => access::seat_of(conn, table_id, user_id)?,
        None => None,
    };
    let mut dues: BTreeMap<PhaseNo, Vec<Seat>> = BTreeMap::new();
    for (no, number) in plots::dues_of_table(conn, table_id)? {
        dues.entry(no).or_default().push(words::seat(number));
    }
    let mut turns = vec![set_up(started)];
    for head in phases::heads(conn, table_id)? {
        add_phase(&mut turns, head, &dues);
    }
    turns.reverse();
    let pages = turns.len().div_ceil(TURNS_A_PAGE).max(1);
    let page = page.clamp(1, pages);
    let mut turns: Vec<TurnPlayed> = turns.into_iter().skip((page - 1) * TURNS_A_PAGE).take(TURNS_A_PAGE).collect();
    for turn in &mut turns {
        turn.digest = digest(conn, &table, seat, &turn.phases)?;
    }
    Ok(TurnList { turns, page, pages })
}

fn set_up(started: Stamp) -> TurnPlayed {
    let phase = PhaseHeadline {
        no: PhaseNo(0),
        name: SET_UP.to_owned(),
        opened_at: started,
        closed_at: Some(started),
        closed_by: Some(SEATS_TAKEN),
    };
    TurnPlayed { turn: None, seat: None, digest: Vec::new(), phases: vec![phase] }
}

/// Adds a phase to its turn, which is the last one or a new one. Two seats due in a turn make it nobody's.
fn add_phase(turns: &mut Vec<TurnPlayed>, head: PhaseHead, dues: &BTreeMap<PhaseNo, Vec<Seat>>) {
    let number = u32::try_from(head.turn).ok();
    let due = dues.get(&head.no).map_or(&[][..], Vec::as_slice);
    let seat = if let [only] = due { Some(*only) } else { None };
    let phase = PhaseHeadline {
        no: head.no,
        name: head.name,
        opened_at: head.opened_at,
        closed_at: head.closed_at,
        closed_by: head.closed_by.map(words::closed_by),
    };
    match turns.last_mut().filter(|turn| turn.turn.is_some() && turn.turn == number) {
        Some(turn) => {
            turn.seat = turn.seat.filter(|_| turn.seat == seat);
            turn.phases.push(phase);
        }
        None => turns.push(TurnPlayed { turn: number, seat, digest: Vec::new(), phases: vec![phase] }),
    }
}

/// What the closed ones of these phases came to, condensed.
fn digest(
    conn: &mut Conn,
    table: &Table,
    viewer: Option<Seat>,
    phases: &[PhaseHeadline],
) -> Result<Vec<String>, Refused> {
    let (Some(first), Some(last)) = (phases.first(), phases.last()) else { return Ok(Vec::new()) };
    if first.no == PhaseNo(0) {
        return Ok(Vec::new());
    }
    let mut entries: Vec<ReportEntry> = Vec::new();
    for phase in phases::reports(conn, table.row.id, first.no, last.no.next())? {
        entries.extend(since::entries_for(phase.report.as_deref().unwrap_or("[]"), viewer, table.is_over())?);
    }
    Ok(table.game.digest(&entries, viewer, table.is_over())?)
}

/// One closed phase as this viewer may see it; the open one and later ones are [`Refused::NoPhase`].
pub fn phase_report(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: TableId,
    no: PhaseNo,
    viewer: Option<UserId>,
) -> Result<PhasePage, Refused> {
    let table = access::visible(conn, ctx, table_id, viewer, None)?;
    let seat = match viewer {
        Some(user_id) => access::seat_of(conn, table_id, user_id)?,
        None => None,
    };
    if no == PhaseNo(0) {
        return opening_report(conn, &table, seat);
    }
    let row = phases::find(conn, table_id, no)?.ok_or(Refused::NoPhase)?;
    let closed_at = row.closed_at.ok_or(Refused::NoPhase)?;
    let game = &table.game;
    let before = unpack(&row.state)?;
    let after = state_opening(conn, &table, no.next())?;
    let plots = plots::of_phase(conn, table_id, no)?;
    let mut report = words::clock_lines(&plots);
    let stored = row.report.as_deref().unwrap_or("[]");
    report.extend(since::report_lines(&**game, stored, seat, table.is_over())?);
    let left = row.leavers.is_some();
    let shown: Result<Vec<PlotShown>, Refused> =
        plots.into_iter().map(|plot| plot_shown(&table, &before, left, seat, plot)).collect();
    Ok(PhasePage {
        no,
        name: words::phase_name(row.turn, &row.name),
        seat,
        opened_at: row.opened_at,
        closed_at,
        closed_by: row.closed_by.map(words::closed_by).unwrap_or_default(),
        view_before: Some(game.view(&before, seat)?),
        view_after: game.view(&after, seat)?,
        report,
        entries: since::entries_for(stored, seat, table.is_over())?,
        throws: shown_throws(row.throws.as_deref().unwrap_or("[]"), table.is_over())?,
        plots: shown?,
        has_previous: true,
        has_next: no < last_closed(&table),
        last: last_closed(&table),
        turns_beside: (
            phases::first_of_turn(conn, table_id, row.turn - 1)?,
            phases::first_of_turn(conn, table_id, row.turn + 1)?.filter(|next| *next <= last_closed(&table)),
        ),
    })
}

/// The throws of a phase that may be shown now.
fn shown_throws(stored: &str, over: bool) -> Result<Vec<Throw>, Refused> {
    let mut throws: Vec<Throw> = parsed(stored)?;
    throws.retain(|throw| over || !throw.hidden);
    Ok(throws)
}

/// Number of the last closed phase.
fn last_closed(table: &Table) -> PhaseNo {
    if table.is_over() { table.row.phase_no } else { table.row.phase_no.before() }
}

/// The state phase `no` opened with; after the last phase the final state.
fn state_opening(conn: &mut Conn, table: &Table, no: PhaseNo) -> Result<String, Refused> {
    let last = table.is_over() && no > table.row.phase_no;
    let packed =
        if last { table.row.final_state.clone() } else { phases::find(conn, table.row.id, no)?.map(|row| row.state) };
    unpack(&packed.ok_or(Refused::NoPhase)?)
}

fn opening_report(conn: &mut Conn, table: &Table, seat: Option<Seat>) -> Result<PhasePage, Refused> {
    let row = phases::opening(conn, table.row.id)?.ok_or(Refused::NoPhase)?;
    let started = table.row.started_at.ok_or(Refused::NoPhase)?;
    let after = state_opening(conn, table, PhaseNo(1))?;
    let over = table.is_over();
    Ok(PhasePage {
        no: PhaseNo(0),
        name: SET_UP.to_owned(),
        seat,
        opened_at: started,
        closed_at: started,
        closed_by: SEATS_TAKEN,
        view_before: None,
        view_after: table.game.view(&after, seat)?,
        report: since::report_lines(&*table.game, &row.report, seat, over)?,
        entries: since::entries_for(&row.report, seat, over)?,
        // A set-up may have shuffled what players must not know yet.
        throws: if over { parsed(&row.throws)? } else { Vec::new() },
        plots: Vec::new(),
        has_previous: false,
        has_next: last_closed(table) > PhaseNo(0),
        last: last_closed(table),
        turns_beside: (None, None),
    })
}

/// A plot of a closed phase. One's own is always open. Others' are open once the phase has resolved as far as the
/// game says of such phases; where somebody left instead the plots may still be played in the next phase, so
/// they stay secret. When the table is over everything is open.
fn plot_shown(
    table: &Table,
    state: &str,
    left: bool,
    viewer: Option<Seat>,
    plot: PlotRow,
) -> Result<PlotShown, Refused> {
    let seat = words::seat(plot.seat);
    let openness = match table.is_over() || viewer == Some(seat) {
        true => Openness::Whole,
        false if left => Openness::Nothing,
        false => table.game.openness(state)?,
    };
    let open = openness == Openness::Whole;
    let words = match openness {
        Openness::Whole => {
            table.game.examine(state, seat, &plot.body)?.lines.into_iter().map(|line| line.words).collect()
        }
        Openness::WithoutSecrets => table.game.open_orders(state, seat, &plot.body)?,
        Openness::Nothing => Vec::new(),
    };
    Ok(PlotShown {
        seat,
        seal: plot.seal,
        salt: open.then_some(plot.salt),
        body: open.then_some(plot.body),
        words,
        carried_on: left,
        partly: openness == Openness::WithoutSecrets,
        source: plot.source,
        handed_in_at: plot.handed_in_at,
    })
}

fn parsed<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Refused> {
    serde_json::from_str(text).map_err(|error| Refused::Broken(format!("a stored list cannot be read: {error}")))
}

/// The record of a table that is over, as text for [`crate::tables::record::replay`] and
/// [`crate::tables::record::verify::verify`].
pub fn record_of(conn: &mut Conn, ctx: &Ctx, table_id: TableId, viewer: Option<UserId>) -> Result<String, Refused> {
    record_rows(conn, ctx, table_id, viewer)?.text()
}

/// What the record of a table is made from, as it is stored. Making the text of it takes longer than reading, and
/// needs no connection.
pub struct RecordRows {
    table: Table,
    opening: OpeningRow,
    phases: Vec<PhaseRow>,
    plots: Vec<PlotRow>,
    results: Vec<ResultRow>,
    players: Vec<String>,
    content: String,
}

/// Reads what the record of a table that is over is made from. Nobody gets that of a table that is still played.
pub fn record_rows(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: TableId,
    viewer: Option<UserId>,
) -> Result<RecordRows, Refused> {
    let table = access::visible(conn, ctx, table_id, viewer, None)?;
    if !table.is_over() {
        return Err(Refused::no_record(table.row.status));
    }
    Ok(RecordRows {
        opening: phases::opening(conn, table_id)?.ok_or(Refused::NoPhase)?,
        phases: phases::all(conn, table_id)?,
        plots: plots::of_table(conn, table_id)?,
        results: results::of_table(conn, table_id)?,
        players: seats::of_table(conn, table_id)?.into_iter().map(|seated| seated.name).collect(),
        content: contents::body(conn, &table.row.content_hash)?.unwrap_or_default(),
        table,
    })
}

impl RecordRows {
    /// The record as text.
    pub fn text(self) -> Result<String, Refused> {
        let row = &self.table.row;
        let dealt: Dealt = parsed(&self.opening.seating)?;
        let record = Record {
            format: FORMAT.to_owned(),
            table: row.id.to_string(),
            title: row.title.clone(),
            game: row.game.clone(),
            ranked: row.ranked,
            time_limit_s: row.time_limit_s,
            passes_allowed: row.passes_allowed,
            started_at: row.started_at.map(moment).unwrap_or_default(),
            ended_at: row.ended_at.map(moment).unwrap_or_default(),
            dice: DiceRecord { hash: row.dice_hash.clone(), secret: data_encoding::HEXLOWER.encode(&row.dice_secret) },
            seating: Seating { order: dealt.order, throws: dealt.throws },
            setup: parsed(row.setup.as_deref().unwrap_or_default())?,
            opening: Opening {
                edition: row.edition,
                throws: parsed(&self.opening.throws)?,
                report: parsed(&self.opening.report)?,
                state_sha256: sha256(&self.state_opening(0)?),
            },
            steps: self.steps()?,
            results: self.results.iter().map(result_record).collect(),
            outcome: row.outcome.clone().unwrap_or_default(),
            content: parsed(&self.content)?,
            players: self.players,
        };
        Ok(record.to_text())
    }

    /// The state that the phase at this place in the list opened with; behind the last one the final state.
    fn state_opening(&self, index: usize) -> Result<String, Refused> {
        let packed = self.phases.get(index).map(|phase| &phase.state).or(self.table.row.final_state.as_ref());
        unpack(packed.ok_or(Refused::NoPhase)?)
    }

    fn steps(&self) -> Result<Vec<StepRecord>, Refused> {
        let mut plots: BTreeMap<PhaseNo, BTreeMap<Seat, PlotRecord>> = BTreeMap::new();
        for plot in &self.plots {
            let record = PlotRecord {
                body: plot.body.clone(),
                source: plot.source.word().to_owned(),
                salt: plot.salt.clone(),
                seal: plot.seal.clone(),
                handed_in_at: moment(plot.handed_in_at),
            };
            plots.entry(plot.phase_no).or_default().insert(words::seat(plot.seat), record);
        }
        let mut steps = Vec::with_capacity(self.phases.len());
        for (index, row) in self.phases.iter().enumerate() {
            steps.push(StepRecord {
                no: row.no.0,
                key: row.key.clone(),
                name: row.name.clone(),
                turn: row.turn,
                edition: row.edition,
                opened_at: moment(row.opened_at),
                deadline_at: row.deadline_at.map(moment),
                closed_at: row.closed_at.map(moment).unwrap_or_default(),
                closed_by: row.closed_by.map(ClosedBy::word).unwrap_or_default().to_owned(),
                plots: plots.remove(&row.no).unwrap_or_default(),
                leavers: parsed(row.leavers.as_deref().unwrap_or("[]"))?,
                throws: parsed(row.throws.as_deref().unwrap_or("[]"))?,
                report: parsed(row.report.as_deref().unwrap_or("[]"))?,
                state_sha256: sha256(&self.state_opening(index + 1)?),
            });
        }
        Ok(steps)
    }
}

fn result_record(row: &ResultRow) -> ResultRecord {
    ResultRecord {
        seat: words::seat(row.seat),
        left_out: row.ranked && !row.counted && row.result != Outcome::Won,
        result: row.result.word().to_owned(),
        score_change: row.score_change,
        not_counted: row.not_counted.map(|why| why.word().to_owned()),
    }
}

fn moment(at: Stamp) -> String {
    at.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Dice;

    #[test]
    fn throws_that_tell_a_secret_are_shown_at_the_end() {
        let mut dice = Dice::for_phase(&[3; 32], 1);
        dice.roll("a fight", 1, 6);
        dice.shuffle_hidden("a deck", &mut [1, 2, 3]);
        let stored = crate::tables::packed::json(&dice.throws());
        assert_eq!(shown_throws(&stored, false).unwrap(), dice.throws()[..1]);
        assert_eq!(shown_throws(&stored, true).unwrap(), dice.throws());
    }
}
