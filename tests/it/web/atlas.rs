//! The pages of a table of Imperial Conflict, as its players and a watcher get them.

use std::io::Read;

use stardate::games::imperial_conflict::view::View;
use stardate::rules::{Dice, Seat, SeatSetup};
use stardate::store::IdText;
use stardate::tables::{self, NewTable, Turn};

use super::{Answer, Browser, Site};
use crate::harness::Fresh;

const NAMES: [&str; 6] = ["Ada", "Bob", "Cleo", "Dan", "Eve", "Finn"];

/// A running table, with a browser for each player and one for somebody who watches.
pub struct Campaign {
    pub site: Site,
    pub table_id: i64,
    /// User ids by seat.
    pub users: Vec<i64>,
    /// Browsers by seat.
    pub players: Vec<Browser>,
    pub watcher: Browser,
    chooser: Dice,
    _fresh: Fresh,
}

impl Campaign {
    pub fn new(seats: usize, options: &[(&str, &str)]) -> Campaign {
        let fresh = Fresh::of(crate::harness::Backend::Sqlite).unwrap();
        let site = Site::on(&fresh);
        let now = site.clock.now();
        let accounts: Vec<i64> = NAMES[..seats].iter().map(|name| site.account(name)).collect();
        site.account("Zoe");
        let new = NewTable {
            game: "imperial-conflict".into(),
            title: "Six crowns".into(),
            options: options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            seats: Some(seats),
            time_limit_s: 86_400,
            ranked: true,
            ..NewTable::default()
        };
        let table_id = tables::run(&site.db, |conn| tables::create(conn, &site.ctx, now, accounts[0], &new)).unwrap();
        for user_id in &accounts[1..] {
            let setup = SeatSetup::default();
            tables::run(&site.db, |conn| tables::join(conn, &site.ctx, now, table_id, *user_id, &setup, None)).unwrap();
        }
        let shown = tables::table_page(&mut site.db.connection().unwrap(), &site.ctx, table_id, None, None).unwrap();
        let mut seated: Vec<(Seat, i64, String)> =
            shown.seats.iter().map(|line| (line.seat.unwrap(), line.user_id, line.name.clone())).collect();
        seated.sort();
        Campaign {
            users: seated.iter().map(|(_, user_id, _)| *user_id).collect(),
            players: seated.iter().map(|(_, _, name)| site.signed_in(name)).collect(),
            watcher: site.signed_in("Zoe"),
            chooser: Dice::for_phase(&[7; 32], 1),
            site,
            table_id,
            _fresh: fresh,
        }
    }

    pub fn path(&self, more: &str) -> String {
        format!("/t/{}{more}", IdText(self.table_id))
    }

    pub fn turn(&self, seat: usize) -> Turn {
        let mut conn = self.site.db.connection().unwrap();
        tables::turn(&mut conn, &self.site.ctx, self.table_id, Some(self.users[seat])).unwrap()
    }

    pub fn view(&self, seat: usize) -> View {
        serde_json::from_str(&self.turn(seat).view).unwrap()
    }

    /// The first seat that owes orders; `None` when the table is over.
    pub fn due(&self) -> Option<usize> {
        (0..self.users.len()).find(|seat| self.turn(*seat).due)
    }

    /// Hands in a text for a seat.
    pub fn order(&self, seat: usize, text: &str) {
        let phase_no = self.turn(seat).phase.unwrap().no;
        let now = self.site.clock.now();
        tables::run(&self.site.db, |conn| {
            tables::hand_in(conn, &self.site.ctx, now, self.table_id, self.users[seat], phase_no, None, text)
        })
        .unwrap_or_else(|error| panic!("{error}\n{text}"));
    }

    /// Lets the bot of this strength play one step for whoever is due. Gives the seat.
    pub fn bot_step(&mut self, strength: usize) -> Option<usize> {
        let seat = self.due()?;
        let shown = {
            let mut conn = self.site.db.connection().unwrap();
            tables::table_page(&mut conn, &self.site.ctx, self.table_id, None, None).unwrap()
        };
        let state = self.state();
        let letter = Seat::from_index(seat).unwrap();
        let bot = shown.game.bots()[strength].clone();
        let text = stardate::rules::bot::ask(&*shown.game, &*bot, &state, letter, &mut self.chooser).unwrap();
        self.order(seat, &text);
        Some(seat)
    }

    fn state(&self) -> String {
        use diesel::prelude::*;
        use stardate::store::schema::phases;
        let mut conn = self.site.db.connection().unwrap();
        let packed: Vec<u8> = phases::table
            .filter(phases::table_id.eq(self.table_id))
            .order(phases::no.desc())
            .select(phases::state)
            .first(&mut *conn)
            .unwrap();
        let mut state = String::new();
        flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_string(&mut state).unwrap();
        state
    }

    /// Clicks a button of the panel: one order, handed in with what the form carries.
    pub fn act(&self, seat: usize, order: &str, more: &[(&str, &str)]) -> Answer {
        let page = self.players[seat].get(&self.path(""));
        let hidden = ["csrf", "phase_no", "version"].map(|name| (name, page.hidden(name)));
        let mut all: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (*name, value.as_str())).collect();
        all.push(("order", order));
        all.extend_from_slice(more);
        self.players[seat].post_bare(&self.path("/act"), &all)
    }
}
