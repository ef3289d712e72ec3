//! The pages of a table of Imperial Conflict, as its players and a watcher get them.

use stardate::store::{PhaseNo, TableId, UserId};
use std::io::Read;

use stardate::games::imperial_conflict::view::View;
use stardate::rules::{Dice, Seat, SeatSetup};
use stardate::store::IdText;
use stardate::tables::{self, Act, At, NewTable, Turn};

use super::{Answer, Browser, Site};
use crate::harness::Fresh;

const NAMES: [&str; 6] = ["Ada", "Bob", "Cleo", "Dan", "Eve", "Finn"];

/// A running table, with a browser for each player and one for somebody who watches.
pub struct Campaign {
    pub site: Site,
    pub table_id: TableId,
    /// User ids by seat.
    pub users: Vec<UserId>,
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
        let accounts: Vec<UserId> = NAMES[..seats].iter().map(|name| site.account(name)).collect();
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
            tables::run(&site.db, |conn| tables::join(conn, &site.ctx, At::new(now, table_id, *user_id), &setup, None))
                .unwrap();
        }
        let shown = tables::table_page(&mut site.db.connection().unwrap(), &site.ctx, table_id, None, None).unwrap();
        let mut seated: Vec<(Seat, UserId, String)> =
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
        format!("/t/{}{more}", self.table_id)
    }

    pub fn turn(&self, seat: usize) -> Turn {
        let mut conn = self.site.db.connection().unwrap();
        tables::turn(&mut conn, &self.site.ctx, self.table_id, Some(self.users[seat])).unwrap()
    }

    pub fn view(&self, seat: usize) -> View {
        serde_json::from_str(&self.turn(seat).sight.view).unwrap()
    }

    /// The first seat that owes orders; `None` when the table is over.
    pub fn due(&self) -> Option<usize> {
        (0..self.users.len()).find(|seat| self.turn(*seat).due)
    }

    /// Hands in a text for a seat.
    pub fn order(&self, seat: usize, text: &str) {
        let phase_no = self.turn(seat).phase.unwrap().no;
        let now = self.site.clock.now();
        let act = Act { table: self.table_id, user: self.users[seat], phase: phase_no, base: None, received: now };
        tables::run(&self.site.db, |conn| tables::hand_in(conn, &self.site.ctx, now, &act, text))
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

/// The first country of the seat that borders on somebody else's, with the weakest of those neighbours.
fn front(view: &View) -> (String, String) {
    let mine = |at: usize| Some(view.countries[at].owner) == view.viewer;
    let own = (0..view.countries.len()).filter(|at| mine(*at));
    let pairs = own.flat_map(|at| view.countries[at].neighbours.iter().map(move |near| (at, *near)));
    let (from, to) =
        pairs.filter(|(_, near)| !mine(*near)).min_by_key(|(_, near)| view.countries[*near].armies).unwrap();
    (view.countries[from].code.to_string(), view.countries[to].code.to_string())
}

/// What the buttons beside the map hand in.
fn orders(body: &str) -> Vec<&str> {
    body.split("name=\"order\" value=\"").skip(1).filter_map(|part| part.split('"').next()).collect()
}

/// The names on the cards of a page.
fn cards(body: &str) -> Vec<String> {
    let cards = body.split("<ul class=\"cards\">").nth(1).and_then(|rest| rest.split("</ul>").next()).unwrap_or("");
    let names = cards.split("<strong class=\"name\">").skip(1);
    names.filter_map(|part| part.split('<').next()).map(str::to_owned).collect()
}

#[test]
fn pages_are_whole_from_the_first_turn_on_and_cards_stay_hidden() {
    let mut game = Campaign::new(4, &[]);
    let mut held = 0;
    for step in 0..60 {
        if step % 6 == 0 {
            let due = game.due().unwrap();
            for (seat, browser) in game.players.iter().enumerate() {
                let page = browser.get(&game.path(""));
                assert_eq!(page.status, 200, "{}", page.body);
                assert!(page.body.len() < 100_000, "step {step}: the page has {} bytes", page.body.len());
                let view = game.view(seat);
                let mine: Vec<String> = view.cards.iter().map(|card| card.name.clone()).collect();
                assert_eq!(cards(&page.body), mine, "the cards of seat {seat}");
                held += mine.len();
                assert_eq!(orders(&page.body).is_empty() && !page.body.contains("plot-text"), seat != due);
            }
            for slot in game.turn(due).sight.slots.clone() {
                let page = game.players[due].get(&game.path(""));
                let targets = slot.offers.iter().filter_map(|offer| offer.target.as_deref());
                for id in slot.subject.as_deref().into_iter().chain(targets) {
                    page.says(&format!("data-piece=\"{id}\""));
                }
            }
            let watched = game.watcher.get(&game.path(""));
            watched.hides("class=\"cards\"").hides("id=\"reserve\"").hides("name=\"order\"").says("data-board");
        }
        game.bot_step(1);
    }
    assert!(held > 0, "nobody held a card on any page");
}

#[test]
fn a_turn_is_played_click_by_click_without_script() {
    let game = Campaign::new(2, &[]);
    let seat = game.due().unwrap();
    let (from, to) = front(&game.view(seat));
    let left = game.view(seat).now.unwrap().left;
    let page = game.players[seat].get(&game.path(&format!("?piece={from}")));
    assert!(orders(&page.body).contains(&format!("deploy {left} {from}").as_str()), "{:?}", orders(&page.body));
    // A number that is typed, then the rest by a button; each leads back to the same country.
    let typed = game.act(seat, &format!("deploy {{n}} {from}"), &[("n", "1"), ("piece", &from)]);
    assert_eq!(typed.leads_to(), game.path(&format!("?piece={from}#play")));
    assert_eq!(game.view(seat).now.unwrap().left, left - 1);
    let undo = game.players[seat].get(&game.path(""));
    undo.says("Take back: deploy 1");
    assert_eq!(game.act(seat, "undo", &[]).status, 303);
    // A double click: the second form of the same page is no second order, and no fault.
    let page = game.players[seat].get(&game.path(""));
    let fields = ["csrf", "phase_no", "version"].map(|name| (name, page.hidden(name)));
    let twice = |order: &str| {
        let mut all: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        all.push(("order", order));
        game.players[seat].post_bare(&game.path("/act"), &all)
    };
    let deploy = format!("deploy {left} {from}");
    for _ in 0..2 {
        assert_eq!(twice(&deploy).leads_to(), game.path("#play"));
    }
    let other = twice(&format!("deploy 1 {from}"));
    assert_eq!(other.status, 409, "another order of that page is refused");
    other.says("This phase is over");

    let pair = game.players[seat].get(&game.path(&format!("?piece={from}&target={to}")));
    let country = |code: &str| {
        let view = game.view(seat);
        view.countries.iter().find(|country| country.code.as_str() == code).unwrap().clone()
    };
    let chance = stardate::games::imperial_conflict::odds::odds(country(&from).armies, country(&to).armies).unwrap();
    pair.says(&chance.words()).says("to take it");
    let rolled = game.act(seat, &format!("attack {from} {to} 1"), &[("piece", &from), ("target", &to)]);
    let after = game.players[seat].follow(rolled);
    after.says("class=\"die attack").says("class=\"die defence").says(" against ").hides("Take back");
    assert_eq!(game.act(seat, "end", &[]).leads_to(), game.path("#play"));
    assert_ne!(game.due().unwrap(), seat);
}

#[test]
fn an_order_beside_the_map_that_cannot_be_changes_nothing() {
    let game = Campaign::new(2, &[]);
    let seat = game.due().unwrap();
    let (from, _) = front(&game.view(seat));
    let before = game.turn(seat);
    for (order, n, reason) in [
        (format!("deploy {{n}} {from}"), "999", "There are only"),
        (format!("deploy {{n}} {from}"), "many", "Line 1"),
        (format!("deploy {{n}} {from}"), "", "Line 1"),
        ("end".to_owned(), "", "to place before ending the turn"),
    ] {
        let answer = game.act(seat, &order, &[("n", n)]);
        assert_eq!(answer.status, 422, "{order} with {n}");
        answer.says("This was not done. Nothing was changed.").says(reason);
    }
    assert_eq!(game.act(seat, "", &[]).status, 400);
    let now = game.turn(seat);
    assert_eq!((&now.sight.view, now.phase.unwrap().no), (&before.sight.view, before.phase.unwrap().no));
    // Others cannot, and a form of a step that is over is told so.
    let page = game.players[seat].get(&game.path(""));
    for browser in [&game.watcher, &game.players[1 - seat]] {
        let csrf = browser.get(&game.path("")).hidden("csrf");
        let sent = [("csrf", csrf.as_str()), ("phase_no", "1"), ("version", ""), ("order", "end")];
        let status = browser.post_bare(&game.path("/act"), &sent).status;
        assert!([403, 409].contains(&status), "{status}");
    }
    let all = format!("deploy {} {from}", game.view(seat).now.unwrap().left);
    assert_eq!(game.act(seat, &all, &[]).status, 303);
    let hidden = ["csrf", "phase_no", "version"].map(|name| page.hidden(name));
    let old = [("csrf", hidden[0].as_str()), ("phase_no", &hidden[1]), ("version", &hidden[2]), ("order", "end")];
    let late = game.players[seat].post_bare(&game.path("/act"), &old);
    assert_eq!(late.status, 409);
    late.says("This phase is over");
}

#[test]
fn a_draft_of_the_turn_outlives_its_single_steps() {
    let game = Campaign::new(2, &[]);
    let seat = game.due().unwrap();
    let (from, to) = front(&game.view(seat));
    let page = game.players[seat].get(&game.path(""));
    let hidden = ["csrf", "phase_no", "version"].map(|name| page.hidden(name));
    let draft = format!("attack {from} {to} until 2\nend");
    let sent = [
        ("csrf", hidden[0].as_str()),
        ("phase_no", &hidden[1]),
        ("version", &hidden[2]),
        ("text", &draft),
        ("do", "save"),
    ];
    assert_eq!(game.players[seat].post_bare(&game.path("/plot"), &sent).status, 303);
    let all = format!("deploy {} {from}", game.view(seat).now.unwrap().left);
    assert_eq!(game.act(seat, &all, &[]).status, 303);
    assert_eq!(game.turn(seat).draft.unwrap().text, draft);
    game.players[seat].get(&game.path("")).says(&draft);
    assert_eq!(game.act(seat, "end", &[]).status, 303);
    assert!(game.turn(seat).draft.is_none(), "a draft does not outlive its turn");
}

#[test]
fn a_batch_that_stops_shows_what_was_not_done_and_keeps_it_for_mending() {
    let game = Campaign::new(2, &[]);
    let seat = game.due().unwrap();
    let (from, to) = front(&game.view(seat));
    let left = game.view(seat).now.unwrap().left;
    let send = |text: &str| {
        let page = game.players[seat].get(&game.path(""));
        let hidden = ["csrf", "phase_no", "version"].map(|name| (name, page.hidden(name)));
        let mut sent: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (*name, value.as_str())).collect();
        sent.extend([("text", text), ("do", "hand-in")]);
        game.players[seat].follow(game.players[seat].post_bare(&game.path("/plot"), &sent))
    };
    let page = send(&format!("deploy {left} {from}\nfortify 900 {from} {to}\nend"));
    page.says("Some of your orders were not carried out.").hides("Your orders were carried out");
    page.says("Not everything was carried out").says("An order before it was not carried out.");
    page.says("These orders were not carried out. Correct them");
    page.says(&format!("fortify 900 {from} {to}\nend</textarea>"));
    for browser in [&game.watcher, &game.players[1 - seat]] {
        browser.get(&game.path("")).hides("Not everything was carried out").hides("fortify 900");
    }
    send("end").says("Your orders were carried out.");
}

#[test]
fn starting_armies_are_plotted_with_lists_and_text() {
    let game = Campaign::new(2, &[("placement", "plotted")]);
    for seat in [0, 1] {
        let page = game.players[seat].get(&game.path(""));
        page.says("name=\"slot.deploy-").says("Place armies").says("not in yet").hides("name=\"order\"");
        page.hides("Pass: no orders");
        assert!(page.body.len() < 100_000, "the page has {} bytes", page.body.len());
    }
    let own = game.view(0).countries.iter().find(|country| country.owner == Seat::A).unwrap().code;
    game.order(0, &format!("deploy {} {own}", game.view(0).to_place));
    let other = game.players[1].get(&game.path(""));
    other.says("plot is in").hides(&format!("deploy {} {own}", game.view(0).to_place));
}

#[test]
fn the_history_is_told_by_turns_page_by_page() {
    // Dice are the table's own each time, and few games are over before their twentieth turn.
    let long = |_| {
        let mut game = Campaign::new(3, &[]);
        while game.view(0).turn < 20 {
            game.bot_step(1)?;
        }
        Some(game)
    };
    let game = (0..10).find_map(long).expect("one of ten games goes on for twenty turns");
    let first = game.watcher.get(&game.path("/phases"));
    first.says("Turn 20: ").says("Page 1 of 2").says("Older turns").hides("Before the first turn");
    assert!(first.body.len() < 100_000);
    let second = game.watcher.get(&game.path("/phases?page=2"));
    second.says("Turn 1: ").says("Before the first turn").says("/phases/0\"").says("Newer turns");
    game.watcher.get(&game.path("/phases?page=99")).says("Page 2 of 2");
    for nonsense in ["-1", "x", "0", ""] {
        game.watcher.get(&game.path(&format!("/phases?page={nonsense}"))).says("Page 1 of 2");
    }
    let last = game.turn(0).phase.unwrap().no.before();
    for no in [PhaseNo(0), PhaseNo(1), last] {
        let page = game.watcher.get(&game.path(&format!("/phases/{no}")));
        assert_eq!(page.status, 200);
        page.says("data-board");
        assert!(page.body.len() < 100_000);
    }
    // From step to step and from turn to turn.
    let page = game.watcher.get(&game.path(&format!("/phases/{last}")));
    page.says(">Turn before</a>").says(">Turn after</span>");
}

#[test]
fn a_game_without_loadouts_has_no_pages_about_them() {
    let game = Campaign::new(2, &[]);
    let rules = game.watcher.get("/games/imperial-conflict");
    rules.says("The maps").says("Lantern Sector").hides("/loadouts/").hides("/pieces").hides("Control Group");
    assert!(rules.body.len() < 100_000, "the page has {} bytes", rules.body.len());
    for path in ["/games/imperial-conflict/pieces", "/loadouts/imperial-conflict", "/loadouts/imperial-conflict/new"] {
        assert_eq!(game.watcher.get(path).status, 404, "{path}");
    }
    let conquest = game.watcher.get("/games/conquest");
    conquest.says("/loadouts/conquest").says("/games/conquest/pieces").says("Build a Control Group");
}
