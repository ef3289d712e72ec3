//! A site of the test game with its people, on a clock moved by hand.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::TimeDelta;
use diesel::prelude::*;
use stardate::clock::Clock;
use stardate::jobs::timers::{Swept, run_due};
use stardate::mail::Site;
use stardate::rules::{SeatSetup, engine};
use stardate::store::schema::outbox;
use stardate::store::users::{self, NewUser};
use stardate::store::{Conn, Database, PhaseNo, Stamp, TableId, UserId, new_id, new_token};
use stardate::tables::{self, Act, At, Ctx, Games, HandedIn, JoinFigures, NewTable, Refused, TablePage, Turn};

use super::numbers::Numbers;
use crate::harness::Fresh;

pub const HOUR: i64 = 3600;
pub const DAY: i64 = 24 * HOUR;
/// What a deadline's timer waits for plots received in the last second.
pub const GRACE: i64 = tables::RECEIPT_GRACE_S;

pub struct World {
    pub db: Database,
    pub ctx: Ctx,
    pub clock: Clock,
}

pub fn start_of_time() -> Stamp {
    chrono::DateTime::from_timestamp(1_800_000_000, 0).unwrap().naive_utc()
}

pub fn ctx() -> Ctx {
    let mut engines = vec![engine(Numbers::new())];
    engines.extend(stardate::games::all());
    let games = Games::load(engines, &BTreeMap::new()).unwrap();
    let site = Site::new("Stardate", "https://play.example", "play@play.example").unwrap();
    Ctx { games: Arc::new(games), site, join: JoinFigures::default(), unjoined: Some(TimeDelta::days(14)) }
}

impl World {
    pub fn on(fresh: &Fresh) -> World {
        World { db: fresh.open(), ctx: ctx(), clock: Clock::manual(start_of_time()) }
    }

    pub fn now(&self) -> Stamp {
        self.clock.now()
    }

    pub fn pass(&self, seconds: i64) {
        self.clock.advance(TimeDelta::seconds(seconds));
    }

    pub fn run<T>(&self, work: impl FnMut(&mut Conn) -> Result<T, Refused>) -> Result<T, Refused> {
        tables::run(&self.db, work)
    }

    pub fn read<T>(&self, work: impl FnOnce(&mut Conn) -> T) -> T {
        self.db.read(|conn| diesel::QueryResult::Ok(work(conn))).unwrap()
    }

    /// A player with a confirmed address.
    pub fn user(&self, name: &str) -> UserId {
        let (now, id) = (self.now(), UserId(new_id(self.now())));
        let (key, address, token) = (name.to_lowercase(), format!("{}@mail.example", name.to_lowercase()), new_token());
        self.run(|conn| {
            let user = NewUser {
                id,
                name,
                name_key: &key,
                email: Some(&address),
                email_key: Some(&address),
                password_hash: "none",
                zone: "UTC",
                created_at: now,
                unsubscribe_key: &token,
            };
            users::insert(conn, &user)?;
            Ok(users::confirm(conn, id, now)?)
        })
        .unwrap();
        id
    }

    pub fn new_table(&self, mode: &str, seats: usize) -> NewTable {
        NewTable {
            game: "numbers".to_owned(),
            title: "A quiet game".to_owned(),
            options: BTreeMap::from([("mode".to_owned(), mode.to_owned())]),
            seats: Some(seats),
            time_limit_s: 4 * HOUR,
            ranked: true,
            ..NewTable::default()
        }
    }

    pub fn create(&self, user_id: UserId, new: &NewTable) -> Result<TableId, Refused> {
        self.run(|conn| tables::create(conn, &self.ctx, self.now(), user_id, new))
    }

    pub fn join(&self, table_id: TableId, user_id: UserId) -> Result<bool, Refused> {
        self.join_with(table_id, user_id, "low", None)
    }

    pub fn join_with(
        &self,
        table_id: TableId,
        user_id: UserId,
        hand: &str,
        key: Option<&str>,
    ) -> Result<bool, Refused> {
        let setup = SeatSetup::from([("hand".to_owned(), hand.to_owned())]);
        self.run(|conn| tables::join(conn, &self.ctx, At::new(self.now(), table_id, user_id), &setup, key))
    }

    /// A running table of these players, and who sits where: users in seat order.
    pub fn running(&self, new: &NewTable, players: &[UserId]) -> (TableId, Vec<UserId>) {
        let table_id = self.create(players[0], new).unwrap();
        for player in &players[1..] {
            self.join(table_id, *player).unwrap();
        }
        let page = self.page(table_id, Some(players[0]));
        assert_eq!(page.table.status.word(), "running");
        (table_id, page.seats.iter().map(|seat| seat.user_id).collect())
    }

    pub fn page(&self, table_id: TableId, viewer: Option<UserId>) -> TablePage {
        self.read(|conn| tables::table_page(conn, &self.ctx, table_id, viewer, None)).unwrap()
    }

    pub fn turn(&self, table_id: TableId, viewer: UserId) -> Turn {
        self.read(|conn| tables::turn(conn, &self.ctx, table_id, Some(viewer))).unwrap()
    }

    pub fn phase_no(&self, table_id: TableId) -> i32 {
        self.read(|conn| stardate::store::game_tables::find(conn, table_id)).unwrap().unwrap().phase_no.0
    }

    pub fn status(&self, table_id: TableId) -> String {
        self.read(|conn| stardate::store::game_tables::find(conn, table_id)).unwrap().unwrap().status.word().to_owned()
    }

    /// What a player does now, from a page of this phase with this version of the orders.
    pub fn act(&self, table: TableId, user: UserId, phase: i32, base: Option<i64>) -> Act {
        Act { table, user, phase: PhaseNo(phase), base, received: self.now() }
    }

    /// Hands in from the page as it is now.
    pub fn hand_in(&self, table_id: TableId, user_id: UserId, text: &str) -> Result<HandedIn, Refused> {
        let no = self.phase_no(table_id);
        let base = self.read(|conn| tables::turn(conn, &self.ctx, table_id, Some(user_id)))?.version;
        self.run(|conn| tables::hand_in(conn, &self.ctx, self.now(), &self.act(table_id, user_id, no, base), text))
    }

    pub fn save(&self, table_id: TableId, user_id: UserId, base: Option<i64>, text: &str) -> Result<i64, Refused> {
        let no = self.phase_no(table_id);
        self.run(|conn| tables::save_draft(conn, &self.ctx, self.now(), &self.act(table_id, user_id, no, base), text))
    }

    pub fn see(&self, table_id: TableId, user_id: UserId) {
        let no = self.phase_no(table_id);
        self.run(|conn| tables::mark_seen(conn, self.now(), table_id, user_id, PhaseNo(no))).unwrap();
    }

    pub fn resign(&self, table_id: TableId, user_id: UserId) -> Result<(), Refused> {
        self.run(|conn| tables::resign(conn, &self.ctx, self.now(), &Act::in_any_phase(table_id, user_id, self.now())))
    }

    pub fn sweep(&self) -> Swept {
        run_due(&self.db, &self.ctx, &self.clock).unwrap()
    }

    /// Lets the running clock of a table run out and sweeps.
    pub fn run_out(&self, table_id: TableId) -> Swept {
        let deadline = self.page(table_id, None).phase.unwrap().deadline;
        self.pass((deadline - self.now()).num_seconds() + GRACE);
        self.sweep()
    }

    /// Kinds of the letters to a player about a table, in the order of queueing.
    pub fn letters(&self, table_id: TableId, user_id: UserId) -> Vec<String> {
        self.read(|conn| {
            outbox::table
                .filter(outbox::table_id.eq(table_id))
                .filter(outbox::user_id.eq(user_id))
                .order((outbox::created_at, outbox::dedupe_key))
                .select(outbox::letter)
                .load(conn)
        })
        .unwrap()
    }

    /// Text of the last letter of a kind to a player.
    pub fn letter(&self, table_id: TableId, user_id: UserId, kind: &str) -> String {
        self.read(|conn| {
            outbox::table
                .filter(outbox::table_id.eq(table_id))
                .filter(outbox::user_id.eq(user_id))
                .filter(outbox::letter.eq(kind))
                .order((outbox::created_at.desc(), outbox::id.desc()))
                .select(outbox::body_text)
                .first(conn)
        })
        .unwrap()
    }

    /// Has the mail server accept every letter that waits.
    pub fn deliver(&self) {
        let now = self.now();
        self.run(|conn| {
            diesel::update(outbox::table.filter(outbox::status.eq("queued")))
                .set((outbox::status.eq("sent"), outbox::finished_at.eq(now)))
                .execute(conn)?;
            Ok(())
        })
        .unwrap();
    }

    /// Says something at a table, to everybody or to one person.
    pub fn say(&self, table_id: TableId, user_id: UserId, to: Option<UserId>, text: &str) -> Result<(), Refused> {
        self.run(|conn| tables::say(conn, &self.ctx, At::new(self.now(), table_id, user_id), to, text))
    }

    /// What a reader finds at a table, oldest first; new messages marked with a star.
    pub fn heard(&self, table_id: TableId, viewer: Option<UserId>) -> Vec<String> {
        let talk = self.read(|conn| tables::talk(conn, &self.ctx, table_id, viewer, None)).unwrap();
        let line = |message: &tables::Message| format!("{}{}", if message.new { "*" } else { "" }, message.body);
        talk.messages.iter().rev().map(line).collect()
    }

    /// Reads the talk on the table's page.
    pub fn read_talk(&self, table_id: TableId, user_id: UserId) {
        if let Some(no) = self.page(table_id, Some(user_id)).talk.read_up_to {
            self.run(|conn| tables::mark_talk_seen(conn, table_id, user_id, no)).unwrap();
        }
    }

    /// Sends the letters that are due: whom to, the kind, and the text.
    pub fn post(&self) -> Vec<(UserId, String, String)> {
        let before = self.sent_ids();
        let transport = stardate::mail::Transport::memory(stardate::mail::Memory::default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(stardate::jobs::outbox::drain(&self.db, &transport, &self.ctx.site, &self.clock)).unwrap();
        let sent: Vec<(i64, Option<UserId>, String, String)> = self
            .read(|conn| {
                outbox::table
                    .filter(outbox::status.eq("sent"))
                    .filter(outbox::id.ne_all(before))
                    .order((outbox::created_at, outbox::dedupe_key))
                    .select((outbox::id, outbox::user_id, outbox::letter, outbox::body_text))
                    .load(conn)
            })
            .unwrap();
        sent.into_iter().map(|(_, to, kind, text)| (to.unwrap_or(UserId(0)), kind, text)).collect()
    }

    fn sent_ids(&self) -> Vec<i64> {
        self.read(|conn| outbox::table.filter(outbox::status.eq("sent")).select(outbox::id).load(conn)).unwrap()
    }

    pub fn log(&self, table_id: TableId) -> Vec<String> {
        self.page(table_id, None).log.into_iter().map(|entry| entry.kind).collect()
    }

    /// Result and score change of each seat, as `dropped -3 booked`.
    pub fn results(&self, table_id: TableId) -> Vec<String> {
        self.page(table_id, None)
            .seats
            .iter()
            .map(|seat| match seat.result {
                None => "in play".to_owned(),
                Some(result) => format!(
                    "{} {} {}",
                    result.outcome.word(),
                    result.score_change,
                    if result.booked { "booked" } else { "pending" }
                ),
            })
            .collect()
    }
}
