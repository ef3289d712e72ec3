//! The demo's players and tables, with a past that looks like one: phases some hours apart, the open ones
//! opened lately.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use super::chooser::Chooser;
use super::keep_seeded;
use super::many::tables_for_many;
use crate::accounts::{self, SignUp, SignUpForm};
use crate::app::{AppFault, Parts};
use crate::rules::{FieldKind, Game, SeatSetup};
use crate::store::{Conn, Database, Stamp, TableId, UserId};
use crate::tables::{self, Act, At, Ctx, NewTable, Refused, TablePage};

/// A player of the demo.
pub(super) struct Player {
    pub(super) name: &'static str,
    pub(super) email: &'static str,
    pub(super) password: &'static str,
    zone: &'static str,
}

/// The players. The visitor is thought to be the first.
pub(super) const PLAYERS: [Player; 4] = [
    Player { name: "Ada", email: "ada@demo.example", password: "ada-plays-first", zone: "Europe/London" },
    Player { name: "Ben", email: "ben@demo.example", password: "ben-plays-second", zone: "America/New_York" },
    Player { name: "Cleo", email: "cleo@demo.example", password: "cleo-plays-third", zone: "Asia/Tokyo" },
    Player { name: "Dan", email: "dan@demo.example", password: "dan-plays-fourth", zone: "Australia/Sydney" },
];

pub(super) const ADA: usize = 0;
pub(super) const BEN: usize = 1;
pub(super) const CLEO: usize = 2;
pub(super) const DAN: usize = 3;

/// The tables by what they show.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seeded {
    /// Waits for Ada's plot.
    pub(super) due: Option<TableId>,
    /// Waits for the plot of Ada's opponent.
    pub(super) waiting: Option<TableId>,
    /// Open to join.
    pub(super) open: Option<TableId>,
    /// Ada is invited.
    pub(super) invited: Option<TableId>,
    /// Over.
    pub(super) finished: Option<TableId>,
    /// Of a game for more than two: Ada's turn, against bots.
    #[serde(default)]
    pub(super) against_bots: Option<TableId>,
    /// Of that game: waits for players.
    #[serde(default)]
    pub(super) open_to_many: Option<TableId>,
    /// Of that game: over.
    #[serde(default)]
    pub(super) finished_by_many: Option<TableId>,
}

/// A game takes at most this many phases here; beyond it something is wrong.
const MOST_PHASES: usize = 400;

/// Time between two phases of the past.
const STEP: TimeDelta = TimeDelta::minutes(100);

/// How long ago the open phases were opened.
const LATELY: TimeDelta = TimeDelta::hours(3);

/// Makes players and tables, and notes at the end that all of it is there.
pub(super) fn seed(parts: &Parts) -> Result<Seeded, AppFault> {
    let now = parts.clock.now();
    let mut seeding = Seeding {
        db: &parts.db,
        ctx: &parts.ctx,
        players: Vec::new(),
        chooser: Chooser::new(2371),
        now,
        game: first_game(&parts.ctx)?,
    };
    seeding.enroll(now - TimeDelta::days(20))?;
    let seeded = seeding.tables().map_err(|refused| AppFault::Other(format!("the demo: {refused}")))?;
    parts.db.write(|conn| keep_seeded(conn, &seeded))?;
    parts.wakers.wake();
    Ok(seeded)
}

fn first_game(ctx: &Ctx) -> Result<std::sync::Arc<dyn Game>, AppFault> {
    ctx.games.all().first().cloned().ok_or_else(|| AppFault::Other("the demo: this server has no game".to_owned()))
}

/// The making of players and tables.
pub(super) struct Seeding<'a> {
    pub(super) db: &'a Database,
    pub(super) ctx: &'a Ctx,
    pub(super) players: Vec<UserId>,
    chooser: Chooser,
    pub(super) now: Stamp,
    game: std::sync::Arc<dyn Game>,
}

/// Titles of tables that two players start after a game that was over sooner than wanted.
const REMATCHES: [&str; 5] = ["The return match", "Best of three", "Once more", "The decider", "One for the road"];

/// Terms of one of the tables.
#[derive(Clone, Copy)]
struct Terms {
    title: &'static str,
    creator: usize,
    /// Which choice of every field: one table is on the first map, the next on the second.
    choice: usize,
    limit_h: i64,
    invite_only: bool,
}

impl Seeding<'_> {
    fn enroll(&mut self, at: Stamp) -> Result<(), AppFault> {
        for player in &PLAYERS {
            let Player { name, email, password, zone } = player;
            let form = SignUpForm { name, email, password, zone };
            let sign_up = SignUp::check(&form).map_err(|faults| {
                let list: Vec<String> = faults.iter().map(ToString::to_string).collect();
                AppFault::Other(format!("the demo: {name} cannot sign up: {}", list.join(" ")))
            })?;
            let enrolled = self.db.write(|conn| accounts::enroll(conn, at, &sign_up));
            self.players.push(enrolled.map_err(|refusal| AppFault::Other(format!("the demo: {name}: {refusal}")))?);
        }
        Ok(())
    }

    fn tables(&mut self) -> Result<Seeded, Refused> {
        let now = self.now;
        // The longest first: it has the whole past to be played in.
        let terms = Terms { title: "First contact", creator: DAN, choice: 0, limit_h: 72, invite_only: false };
        let finished = self.start(&terms, ADA, now - TimeDelta::days(18))?;
        self.play(finished, [DAN, ADA], now - TimeDelta::days(18), &|_, _| false)?;

        let terms = Terms { title: "The long way home", creator: CLEO, choice: 1, limit_h: 72, invite_only: false };
        let both_due =
            |page: &TablePage, played: usize| played >= 9 && page.seats.iter().all(|seat| seat.due && seat.required);
        let (waiting, at) = self.staged(&terms, ADA, 9, &both_due)?;
        self.hand_in(waiting, ADA, at)?;

        let terms =
            Terms { title: "A quarrel in the nebula", creator: ADA, choice: 0, limit_h: 48, invite_only: false };
        let ada = self.players[ADA];
        let ada_due = |page: &TablePage, played: usize| {
            played >= 6 && page.seats.iter().any(|seat| seat.user_id == ada && seat.due)
        };
        let (due, at) = self.staged(&terms, BEN, 6, &ada_due)?;
        if self.page(due)?.seats.iter().any(|seat| seat.user_id != ada && seat.due) {
            self.hand_in(due, BEN, at)?;
        }

        let terms = Terms { title: "Newcomers welcome", creator: CLEO, choice: 1, limit_h: 48, invite_only: false };
        let open = self.create(&terms, now - TimeDelta::hours(5))?;
        let terms = Terms { title: "Return match", creator: DAN, choice: 0, limit_h: 120, invite_only: true };
        let invited = self.create(&terms, now - TimeDelta::hours(2))?;
        let dan = self.players[DAN];
        self.run(|conn, ctx| {
            tables::invite(conn, ctx, At::new(now - TimeDelta::hours(2), invited, dan), PLAYERS[ADA].name)
        })?;
        let many = tables_for_many(self)?;
        Ok(Seeded {
            due: Some(due),
            waiting: Some(waiting),
            open: Some(open),
            invited: Some(invited),
            finished: Some(finished),
            against_bots: many.due,
            open_to_many: many.open,
            finished_by_many: many.finished,
        })
    }

    pub(super) fn run<T>(&self, mut work: impl FnMut(&mut Conn, &Ctx) -> Result<T, Refused>) -> Result<T, Refused> {
        tables::run(self.db, |conn| work(conn, self.ctx))
    }

    pub(super) fn page(&self, table_id: TableId) -> Result<TablePage, Refused> {
        self.db.read(|conn| tables::table_page(conn, self.ctx, table_id, Some(self.players[ADA]), None))
    }

    fn create(&self, terms: &Terms, at: Stamp) -> Result<TableId, Refused> {
        let choose = |kind: &FieldKind| match kind {
            FieldKind::Choice(choices) => choices.get(terms.choice % choices.len().max(1)).map(|one| one.value.clone()),
            FieldKind::Loadout => None,
        };
        let fields = self.game.table_fields();
        let options = fields.iter().filter_map(|field| Some((field.key.to_owned(), choose(&field.kind)?))).collect();
        let new = NewTable {
            game: self.game.meta().id.to_owned(),
            title: terms.title.to_owned(),
            options,
            setup: self.setup(terms.creator),
            time_limit_s: terms.limit_h * 3600,
            ranked: true,
            invite_only: terms.invite_only,
            ..NewTable::default()
        };
        let creator = self.players[terms.creator];
        self.run(|conn, ctx| tables::create(conn, ctx, at, creator, &new))
    }

    /// What a player brings: everybody likes another of the ready-made loadouts.
    fn setup(&self, player: usize) -> SeatSetup {
        let stock = self.game.stock_loadouts();
        let loadout = stock.get(player % stock.len().max(1)).map(|loadout| loadout.id.clone());
        let fields = self.game.seat_fields();
        let loadouts = fields.iter().filter(|field| matches!(field.kind, FieldKind::Loadout));
        loadouts.filter_map(|field| Some((field.key.to_owned(), loadout.clone()?))).collect()
    }

    fn start(&self, terms: &Terms, opponent: usize, at: Stamp) -> Result<TableId, Refused> {
        let table_id = self.create(terms, at)?;
        let (joins, setup) = (self.players[opponent], self.setup(opponent));
        let later = at + STEP / 3;
        self.run(|conn, ctx| tables::join(conn, ctx, At::new(later, table_id, joins), &setup, None))?;
        Ok(table_id)
    }

    /// Starts a table and plays it for some `phases`, until `enough` says so. Dice fall as they will, so a game may
    /// be over before that; then the same two play again under another title. Returns the table and the time.
    fn staged(
        &mut self,
        terms: &Terms,
        opponent: usize,
        phases: i32,
        enough: &dyn Fn(&TablePage, usize) -> bool,
    ) -> Result<(TableId, Stamp), Refused> {
        for title in std::iter::once(terms.title).chain(REMATCHES) {
            let from = past(self.now, phases);
            let table_id = self.start(&Terms { title, ..*terms }, opponent, from)?;
            let at = self.play(table_id, [terms.creator, opponent], from, enough)?;
            if self.page(table_id)?.phase.is_some() {
                return Ok((table_id, at));
            }
        }
        Err(Refused::Broken(format!("every game of “{}” was over too early", terms.title)))
    }

    /// Plays from `at` on until the game is over or `enough` says so of the table and the phases played.
    /// Gives the time at which it stopped.
    fn play(
        &mut self,
        table_id: TableId,
        players: [usize; 2],
        mut at: Stamp,
        enough: &dyn Fn(&TablePage, usize) -> bool,
    ) -> Result<Stamp, Refused> {
        for played in 0..MOST_PHASES {
            let page = self.page(table_id)?;
            if page.phase.is_none() || enough(&page, played) {
                return Ok(at);
            }
            for (turn, player) in (1..).zip(players) {
                let user_id = self.players[player];
                if page.seats.iter().any(|seat| seat.user_id == user_id && seat.due && !seat.handed_in) {
                    self.hand_in(table_id, player, at + STEP * turn / 3)?;
                }
            }
            at += STEP;
        }
        Err(Refused::Broken(format!("a game was not over after {MOST_PHASES} phases")))
    }

    /// Opens the page and hands in what the chooser draws.
    fn hand_in(&mut self, table_id: TableId, player: usize, at: Stamp) -> Result<(), Refused> {
        // A game that took longer than planned catches up with the present and stays there.
        let at = at.min(self.now);
        let user_id = self.players[player];
        let (db, ctx) = (self.db, self.ctx);
        let turn = db.read(|conn| tables::turn(conn, ctx, table_id, Some(user_id)))?;
        let Some(phase) = turn.phase.filter(|_| turn.due) else { return Ok(()) };
        self.run(|conn, _| tables::mark_seen(conn, at, table_id, user_id, phase.no))?;
        let act = Act { table: table_id, user: user_id, phase: phase.no, base: turn.version, received: at };
        let examine = |text: &str| db.read(|conn| tables::examine(conn, ctx, &act, text));
        let text = self.chooser.plot(&turn.sight.slots, examine)?;
        self.run(|conn, ctx| tables::hand_in(conn, ctx, at, &act, &text))?;
        Ok(())
    }
}

/// When a table starts so that it has time for `phases` phases and its open one was opened lately.
fn past(now: Stamp, phases: i32) -> Stamp {
    now - LATELY - STEP * (phases + 1)
}
