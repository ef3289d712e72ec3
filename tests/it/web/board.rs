//! The pages of a table while it is played, as its players and a watcher get them.

use stardate::store::{PhaseNo, TableId, UserId};
use std::collections::{BTreeMap, BTreeSet};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use stardate::games::conquest::view::View;
use stardate::rules::{SeatSetup, Slot};
use stardate::store::IdText;
use stardate::tables::{self, Act, At, NewTable, Turn};

use super::{Answer, Browser, Site};
use crate::harness::Fresh;

/// A running table of two players, with a browser for each and one for somebody who watches.
struct Match {
    site: Site,
    table_id: TableId,
    /// User ids by seat.
    users: [UserId; 2],
    /// Browsers by seat.
    players: [Browser; 2],
    watcher: Browser,
    _fresh: Fresh,
}

fn group(id: &str) -> SeatSetup {
    SeatSetup::from([("group".to_owned(), id.to_owned())])
}

impl Match {
    fn new(groups: [&str; 2]) -> Match {
        let fresh = Fresh::of(crate::harness::Backend::Sqlite).unwrap();
        let site = Site::on(&fresh);
        let (ada, bo, _) = (site.account("Ada"), site.account("Bob"), site.account("Cleo"));
        let now = site.clock.now();
        let new = NewTable {
            game: "conquest".into(),
            title: "A match".into(),
            setup: group(groups[0]),
            time_limit_s: 86_400,
            ranked: true,
            ..NewTable::default()
        };
        let table_id = tables::run(&site.db, |conn| tables::create(conn, &site.ctx, now, ada, &new)).unwrap();
        let setup = group(groups[1]);
        tables::run(&site.db, |conn| tables::join(conn, &site.ctx, At::new(now, table_id, bo), &setup, None)).unwrap();
        let shown = tables::table_page(&mut site.db.connection().unwrap(), &site.ctx, table_id, Some(ada), None);
        let ada_is_first = shown.unwrap().my_seat.unwrap().index() == 0;
        let names = if ada_is_first { ["Ada", "Bob"] } else { ["Bob", "Ada"] };
        Match {
            users: if ada_is_first { [ada, bo] } else { [bo, ada] },
            players: names.map(|name| site.signed_in(name)),
            watcher: site.signed_in("Cleo"),
            site,
            table_id,
            _fresh: fresh,
        }
    }

    fn path(&self, more: &str) -> String {
        format!("/t/{}{more}", self.table_id)
    }

    fn turn(&self, seat: usize) -> Turn {
        let mut conn = self.site.db.connection().unwrap();
        tables::turn(&mut conn, &self.site.ctx, self.table_id, Some(self.users[seat])).unwrap()
    }

    fn act(&self, seat: usize, phase: i32) -> Act {
        Act {
            table: self.table_id,
            user: self.users[seat],
            phase: PhaseNo(phase),
            base: None,
            received: self.site.clock.now(),
        }
    }

    fn view(&self, seat: usize) -> View {
        serde_json::from_str(&self.turn(seat).sight.view).unwrap()
    }

    fn page(&self, seat: usize) -> Answer {
        self.players[seat].get(&self.path(""))
    }

    /// Sends the form of the page as it is shown, with this button and these fields filled in.
    fn send(&self, seat: usize, button: &str, fields: &[(&str, &str)]) -> Answer {
        self.send_from(&self.page(seat), seat, button, fields)
    }

    fn send_from(&self, page: &Answer, seat: usize, button: &str, fields: &[(&str, &str)]) -> Answer {
        let hidden = ["csrf", "phase_no", "version"].map(|name| (name, page.hidden(name)));
        let mut all: Vec<(&str, &str)> = hidden.iter().map(|(name, value)| (*name, value.as_str())).collect();
        all.extend_from_slice(fields);
        all.push(("do", button));
        self.players[seat].post_bare(&self.path("/plot"), &all)
    }

    /// A legal plot drawn from what the seat is offered; nothing where that is illegal too is the default.
    fn draw(&self, seat: usize, dice: &mut ChaCha8Rng) -> String {
        let turn = self.turn(seat);
        let Some(phase) = turn.phase.filter(|_| turn.due) else { return String::new() };
        let mut conn = self.site.db.connection().unwrap();
        let mut examine =
            |text: &str| tables::examine(&mut conn, &self.site.ctx, &self.act(seat, phase.no.0), text).unwrap();
        let view: View = serde_json::from_str(&turn.sight.view).unwrap();
        // Everybody goes where the others are: random wandering hardly ever meets.
        let middle = |id: &str| {
            id == view.map.regions[1].id || view.map.planets.iter().any(|planet| planet.region == 1 && planet.id == id)
        };
        let mut lines: Vec<String> = Vec::new();
        for slot in &turn.sight.slots {
            // Who has left no standing order is asked to assign damage.
            if slot.key.starts_with("doctrine") {
                if slot.key == "doctrine" && phase.key != "damage" {
                    lines.push("doctrine ask".to_owned());
                }
                continue;
            }
            let inward: Vec<_> =
                slot.offers.iter().filter(|offer| offer.target.as_deref().is_some_and(middle)).collect();
            let stays = slot.key.starts_with("move:") && (inward.is_empty() || dice.next_u32().is_multiple_of(2));
            if stays {
                continue;
            }
            let pool: Vec<_> = if inward.is_empty() { slot.offers.iter().collect() } else { inward };
            lines.push(pool[dice.next_u32() as usize % pool.len()].order.clone());
            if phase.key != "damage" && !examine(&lines.join("\n")).faults.is_empty() {
                lines.pop();
            }
        }
        let text = lines.join("\n");
        if examine(&text).faults.is_empty() { text } else { "doctrine default".to_owned() }
    }

    fn is_over(&self) -> bool {
        self.turn(0).phase.is_none()
    }
}

/// Everything on a page that may differ between two looks at the same thing: tokens and seals.
fn blanked(answer: &Answer) -> String {
    let mut text = answer.body.clone();
    for name in ["name=\"csrf\" value=\""] {
        let mut kept = String::new();
        let mut parts = text.split(name);
        kept.push_str(parts.next().unwrap());
        for part in parts {
            kept.push_str(name);
            kept.push_str(&part[part.find('"').unwrap()..]);
        }
        text = kept;
    }
    // Seals are 64 hexadecimal digits with fresh salt.
    let chars: Vec<char> = text.chars().collect();
    let mut kept = String::new();
    let mut at = 0;
    while at < chars.len() {
        let run = chars[at..].iter().take_while(|c| c.is_ascii_hexdigit() && !c.is_ascii_uppercase()).count();
        if run == 64 {
            kept.push_str("SEAL");
        } else {
            kept.extend(&chars[at..at + run.max(1)]);
        }
        at += run.max(1);
    }
    kept
}

/// Whether a text holds an id as a word of its own.
fn holds(text: &str, id: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '-');
    text.match_indices(id)
        .any(|(at, _)| !part(text[..at].chars().next_back()) && !part(text[at + id.len()..].chars().next()))
}

fn check_pages(game: &Match, groups: &[BTreeSet<String>; 2], seen: &mut BTreeSet<String>) {
    let path = game.path("");
    let key = game.turn(0).phase.map_or("over".to_owned(), |phase| phase.key);
    for (seat, browser) in game.players.iter().chain([&game.watcher]).enumerate() {
        let page = browser.get(&path);
        assert_eq!(page.status, 200, "{}", page.body);
        assert!(page.body.len() < 102_400, "the {key} page has {} bytes", page.body.len());
        assert!(page.body.contains("data-board"), "no board");
        // Nobody sees what the others still hold back, unless it is known from what is in play.
        let view = game.view(seat.min(1));
        for (holder, group) in groups.iter().enumerate() {
            if holder != seat {
                let known: BTreeSet<&String> = view.types.keys().collect();
                let hidden = group.iter().filter(|id| seat == 2 || !known.contains(id));
                let open: BTreeSet<String> = view
                    .pieces
                    .iter()
                    .map(|piece| piece.type_id.clone())
                    .chain(view.pieces.iter().flat_map(|piece| piece.items.iter().map(|item| item.type_id.clone())))
                    .chain(view.removed.iter().map(|gone| gone.type_id.clone()))
                    .chain(view.removed.iter().flat_map(|gone| gone.items.iter().map(|item| item.type_id.clone())))
                    .collect();
                for id in hidden.filter(|id| !open.contains(*id)) {
                    assert!(!holds(&page.body, id), "{id} is on a page for viewer {seat} in {key}");
                }
            }
        }
    }
    seen.insert(key);
}

fn types_of(game: &Match, seat: usize) -> BTreeSet<String> {
    game.view(seat).group.iter().map(|entry| entry.type_id.clone()).collect()
}

/// Phases in which somebody is asked.
const PHASES: &[&str] = &["deploy", "attack", "defence", "damage", "move"];

#[test]
fn pages_are_whole_in_every_phase_and_hide_what_is_hidden() {
    let mut seen = BTreeSet::new();
    let games = [["house-of-war", "long-watch"], ["one-will", "house-of-war"], ["free-traders", "closed-hand"]];
    // The dice of the tables are their own: the rarer phases may take another game.
    for (seed, groups) in (1..=12).zip(games.into_iter().cycle()) {
        if PHASES.iter().all(|key| seen.contains(*key)) {
            break;
        }
        let game = Match::new(groups);
        let hidden = [types_of(&game, 0), types_of(&game, 1)];
        let mut dice = ChaCha8Rng::seed_from_u64(seed);
        for _ in 0..40 {
            check_pages(&game, &hidden, &mut seen);
            if game.is_over() {
                break;
            }
            for seat in [0, 1] {
                let text = game.draw(seat, &mut dice);
                if game.turn(seat).due {
                    let button = if text.is_empty() { "pass" } else { "hand-in" };
                    let answer = game.send(seat, button, &[("text", &text)]);
                    assert_eq!(answer.status, 303, "{text}\n{}", answer.body);
                }
            }
        }
        // Every past phase can be looked at, by everybody, before and after.
        // The list of them has as many turns to a page as it has, the newest first: the first phase is on the last.
        let mut list = game.players[0].get(&game.path("/phases"));
        for page in 2.. {
            let next = game.path(&format!("/phases?page={page}"));
            if !list.body.contains(&format!("href=\"{next}\"")) {
                break;
            }
            list = game.players[0].get(&next);
        }
        list.says("/phases/1\"");
        for no in 0..12 {
            for browser in game.players.iter().chain([&game.watcher]) {
                for board in ["before", "after"] {
                    let page = browser.get(&game.path(&format!("/phases/{no}?board={board}")));
                    assert_eq!(page.status, 200, "{}", page.body);
                    assert!(page.body.len() < 102_400);
                }
            }
        }
        let missing = game.players[0].get(&game.path("/phases/100000"));
        assert_eq!(missing.status, 404);
    }
    for key in PHASES {
        assert!(seen.contains(*key), "no {key} phase was met, only {seen:?}");
    }
}

#[test]
fn lists_text_and_both_give_the_same_plot() {
    let game = Match::new(["house-of-war", "long-watch"]);
    // Two different types that the Control Points pay for together.
    let slots = game.turn(0).sight.slots.clone();
    let legal = |two: &[&str]| {
        let mut conn = game.site.db.connection().unwrap();
        tables::examine(&mut conn, &game.site.ctx, &game.act(0, 1), &two.join("\n")).unwrap().faults.is_empty()
    };
    let pairs = slots.iter().flat_map(|one| slots.iter().map(move |two| (one, two)));
    let fits =
        |pair: &(&Slot, &Slot)| pair.0.key < pair.1.key && legal(&[&pair.0.offers[0].order, &pair.1.offers[0].order]);
    let (one, two) = pairs.into_iter().find(fits).unwrap();
    let keys = [format!("slot.{}", one.key), format!("slot.{}", two.key)];
    let orders = [one.offers[0].order.as_str(), two.offers[0].order.as_str()];
    let lists = [(keys[0].as_str(), orders[0]), (keys[1].as_str(), orders[1]), ("text", "")];
    let both_lines = format!("{}\n{}\n", orders[0], orders[1]);
    let mixed = [(keys[1].as_str(), orders[1]), ("text", orders[0])];
    let mut bodies = Vec::new();
    for fields in [&lists[..], &[("text", both_lines.as_str())], &mixed] {
        // Reading back first: the words of both orders, and the text for the next step.
        let checked = game.send(0, "check", fields);
        assert_eq!(checked.status, 200, "{}", checked.body);
        checked.says("They are legal").says(orders[0]).says(orders[1]);
        let answer = game.send(0, "hand-in", fields);
        assert_eq!(answer.status, 303, "{}", answer.body);
        bodies.push(game.turn(0).plot.unwrap().text);
    }
    assert_eq!(bodies[0], bodies[1]);
    assert_eq!(bodies[0], bodies[2]);
    assert_eq!(bodies[0].lines().count(), 2);
}

#[test]
fn the_list_of_orders_says_what_is_written_whatever_was_pressed() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let slots = game.turn(0).sight.slots.clone();
    let order = slots[0].offers[0].order.clone();
    let lines = |answer: &Answer| answer.body.matches("class=\"link remove\"").count();
    let empty = game.page(0);
    assert_eq!(lines(&empty), 0);
    empty.says("No orders yet.").says("Click a piece in “Your Control Group”");
    let checked = game.send(0, "check", &[("text", &order)]);
    let refused = game.send(0, "hand-in", &[("text", &format!("{order}\nfly to the moon"))]);
    assert_eq!(game.send(0, "save", &[("text", &order)]).leads_to(), game.path("#content"));
    let draft = game.page(0);
    assert_eq!(game.send(0, "hand-in", &[("text", &order)]).leads_to(), game.path("#content"));
    let handed_in = game.page(0);
    for (page, count) in [(&checked, 1), (&refused, 2), (&draft, 1), (&handed_in, 1)] {
        page.hides("No orders yet.").says("data-control=\"s0\"");
        assert_eq!(lines(page), count, "{}", page.body);
    }
    refused.says("<span>fly to the moon</span>");
}

#[test]
fn the_script_is_told_after_every_click_how_the_orders_read() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let slots = game.turn(0).sight.slots.clone();
    let page = game.page(0);
    let click = |text: &str, slot: &Slot, offer: usize| {
        let key = format!("slot.{}", slot.key);
        let fields = [("part", "plot"), ("text", text), (&key, slot.offers[offer].order.as_str())];
        let answer = game.send_from(&page, 0, "check", &fields);
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.hides("<html");
        answer
    };
    let text_of = |answer: &Answer| {
        let text = answer.body.split("data-text=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
        text.replace("&#39;", "'")
    };
    // Each by itself is affordable; together they are not, and the page says so at once.
    let mut text = String::new();
    let mut told = None;
    for (no, slot) in slots.iter().filter(|slot| slot.key.starts_with("deploy:")).enumerate() {
        let answer = click(&text, slot, 0);
        text = text_of(&answer);
        assert_eq!(text.lines().count(), no + 1);
        if answer.body.contains("class=\"faults\"") {
            told = Some(answer);
            break;
        }
    }
    told.expect("everything at once costs too much")
        .says("You cannot hand in these orders yet")
        .says("CP and you have");
    // The same control again replaces its line.
    let deploys = slots.iter().find(|slot| slot.offers.len() > 1).unwrap();
    let once = text_of(&click("", deploys, 0));
    assert_eq!(text_of(&click(&once, deploys, 1)), deploys.offers[1].order);
    assert!(game.turn(0).version.is_none(), "nothing is stored by clicks");
    // On a page of a phase that is over the click says so.
    for seat in [0, 1] {
        assert_eq!(game.send(seat, "pass", &[]).status, 303);
    }
    assert_eq!(game.send_from(&page, 0, "check", &[("part", "plot"), ("text", "")]).status, 409);
}

#[test]
fn nobody_can_tell_what_the_opponent_has_written() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let order = game.turn(1).sight.slots[0].offers[0].order.clone();
    let look = |game: &Match| {
        let mut texts = Vec::new();
        for browser in [&game.players[0], &game.watcher] {
            for more in ["", "/phases", "/phases/0"] {
                texts.push(blanked(&browser.get(&game.path(more))));
            }
            texts.push(blanked(&browser.get("/")));
        }
        texts
    };
    // The first look marks the page as seen; the second is the one to compare with.
    look(&game);
    let without = look(&game);
    assert_eq!(game.send(1, "save", &[("text", &order)]).status, 303);
    assert_eq!(look(&game), without, "a draft shows");
    assert_eq!(game.send(1, "save", &[("text", "this is no order")]).status, 303);
    assert_eq!(look(&game), without, "a draft with faults shows");

    assert_eq!(game.send(1, "hand-in", &[("text", &order)]).status, 303);
    let with_orders = look(&game);
    assert_ne!(with_orders, without, "that the plot is in must show");
    assert_eq!(game.send(1, "pass", &[]).status, 303);
    assert_eq!(look(&game), with_orders, "what a plot holds shows");
    assert_eq!(game.send(1, "withdraw", &[]).status, 303);
    assert_eq!(look(&game), without, "a plot taken back shows");
}

#[test]
fn faults_are_told_by_line_and_the_earlier_plot_stands() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let order = game.turn(0).sight.slots[0].offers[0].order.clone();
    assert_eq!(game.send(0, "hand-in", &[("text", &order)]).status, 303);
    let text = format!("{order}\nfly to the moon\nattack A99 B98");
    let answer = game.send(0, "hand-in", &[("text", &text)]);
    assert_eq!(answer.status, 422);
    answer.says("Line 2:").says("Line 3:").says("fly to the moon").says("still counts");
    assert_eq!(game.turn(0).plot.unwrap().text.trim(), order);
    let checked = game.send(0, "check", &[("text", "fly to the moon")]);
    assert_eq!(checked.status, 422);
    checked.says("Line 1:");
}

#[test]
fn an_empty_plot_has_to_be_meant() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let asked = game.send(0, "hand-in", &[("text", "  \n# nothing yet\n")]);
    assert_eq!(asked.status, 422);
    asked.says("There are no orders here").says("# nothing yet");
    assert!(game.turn(0).plot.is_none());
    assert_eq!(game.send(0, "pass", &[("text", "")]).status, 303);
    assert!(game.turn(0).plot.is_some());
    game.page(0).says("Your plot is in");
}

#[test]
fn the_second_of_two_tabs_sees_both_texts() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let (first, second) = (game.page(0), game.page(0));
    let offers = &game.turn(0).sight.slots;
    let (one, two) = (offers[0].offers[0].order.clone(), offers[1].offers[0].order.clone());
    assert_eq!(game.send_from(&first, 0, "hand-in", &[("text", &one)]).status, 303);
    let conflict = game.send_from(&second, 0, "hand-in", &[("text", &two)]);
    assert_eq!(conflict.status, 409);
    conflict.says(&one).says(&two).says("was not stored").says("and handed in");
    assert_eq!(game.turn(0).plot.unwrap().text.trim(), one);
    // The page of the conflict can hand in what was not stored.
    let taken = game.send_from(&conflict, 0, "hand-in", &[("text", &two)]);
    assert_eq!(taken.status, 303, "{}", taken.body);
    assert_eq!(game.turn(0).plot.unwrap().text.trim(), two);
}

#[test]
fn a_form_of_an_old_phase_changes_nothing() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let old = game.page(0);
    for seat in [0, 1] {
        assert_eq!(game.send(seat, "pass", &[]).status, 303);
    }
    let now = game.turn(0);
    assert_ne!(now.phase.as_ref().unwrap().no.to_string(), old.hidden("phase_no"));
    assert_eq!(game.send_from(&old, 0, "pass", &[]).leads_to(), game.path("#content"), "that is what was handed in");
    for button in ["check", "save", "hand-in", "withdraw"] {
        let answer = game.send_from(&old, 0, button, &[("text", "doctrine ask")]);
        assert_eq!(answer.status, 409, "{button}: {}", answer.body);
        answer.says("This phase is over").says(&game.path("\""));
    }
    let late = game.send_from(&old, 0, "hand-in", &[("text", "doctrine ask # my plan")]);
    assert_eq!(late.status, 409);
    late.says("What you wrote").says("doctrine ask # my plan");
    let after = game.turn(0);
    assert!(after.plot.is_none() && after.draft.is_none());
}

#[test]
fn only_players_of_the_table_give_orders() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let page = game.watcher.get(&game.path(""));
    page.says("You are watching").hides("plot-text").hides("Control Group</h2>");
    let csrf = page.hidden("csrf");
    let fields = [("csrf", csrf.as_str()), ("phase_no", "1"), ("version", ""), ("text", "pass"), ("do", "hand-in")];
    assert_eq!(game.watcher.post_bare(&game.path("/plot"), &fields).status, 403);
    assert_eq!(game.watcher.get(&game.path("/resign")).status, 403);
    for (field, value, words) in [
        ("do", "dance", "The form does not say what to do with these orders."),
        ("phase_no", "first", "The form does not say which phase it is for."),
        ("version", "x", "The form does not say which orders of yours it was made from."),
    ] {
        let sent = fields.map(|(name, had)| (name, if name == field { value } else { had }));
        let refused = game.watcher.post_bare(&game.path("/plot"), &sent);
        assert_eq!(refused.status, 400);
        refused.says(words).says("Open the table’s page again").says("Nothing was changed.");
    }
    let unknown = format!("/t/{}/plot", TableId(game.table_id.0 + 1));
    assert_eq!(game.watcher.post_bare(&unknown, &fields).status, 404);
    let stranger = game.site.browser();
    assert_eq!(stranger.get(&game.path("")).status, 200);
    let sent = stranger.post(&game.path("/plot"), &fields[1..]);
    assert_eq!(sent.status, 403);
    sent.says("/sign-in?next=/t/");
}

#[test]
fn the_piece_viewer_opens_without_script_and_as_a_part() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let page = game.players[0].get(&game.path("?piece=A0"));
    page.says("<article class=\"sheet near\">").says("Piece viewer");
    let part = game.players[0].get(&game.path("?piece=A0&part=piece"));
    assert!(part.body.starts_with("\n<article") || part.body.starts_with("<article"), "{}", part.body);
    part.hides("<html");
    game.players[1].get(&game.path("?piece=A0")).says("<article class=\"sheet far\">");
    // A type nobody has shown is unknown, whoever asks.
    let secret = types_of(&game, 1).into_iter().find(|id| !types_of(&game, 0).contains(id)).unwrap();
    game.players[0].get(&game.path(&format!("?piece={secret}"))).says("Choose a ship, a person");
    game.players[0].get(&game.path("?piece=%3Cscript%3E")).hides("<script>");
}

#[test]
fn the_script_learns_that_the_table_has_moved_on() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let state = |browser: &Browser| browser.get(&game.path("?part=state")).body;
    let before = state(&game.players[0]);
    game.page(0).says(&format!("data-state=\"{before}\""));
    let draft = game.turn(1).sight.slots[0].offers[0].order.clone();
    assert_eq!(game.send(1, "save", &[("text", &draft)]).status, 303);
    assert_eq!(state(&game.players[0]), before);
    assert_eq!(game.send(1, "pass", &[]).status, 303);
    assert_ne!(state(&game.players[0]), before);
    assert_eq!(state(&game.watcher), state(&game.players[0]));
}

#[test]
fn resigning_ends_the_game_and_opens_everything() {
    let game = Match::new(["house-of-war", "long-watch"]);
    let order = game.turn(1).sight.slots[0].offers[0].order.clone();
    assert_eq!(game.send(1, "hand-in", &[("text", &order)]).status, 303);
    assert_eq!(game.players[1].get(&game.path("/verify")).status, 409);
    assert_eq!(game.players[1].get(&game.path("/record")).status, 409);
    let preview = game.players[0].get(&game.path("/resign"));
    preview.says("I am sure").says("−1");
    let unsure = game.players[0].post_from(&game.path("/resign"), &game.path("/resign"), &[]);
    assert_eq!(unsure.status, 422);
    unsure.says("To resign, tick the box").says("I am sure");
    let done = game.players[0].post_from(&game.path("/resign"), &game.path("/resign"), &[("sure", "yes")]);
    let page = game.players[0].follow(done);
    page.says("resigned").says("Step through the game").says("−1").hides("plot-text");
    game.players[1].get(&game.path("")).says("won").says("+1");
    let verified = game.watcher.get(&game.path("/verify"));
    verified.says("Everything checks out");
    let record = game.watcher.get(&game.path("/record"));
    assert!(record.header("content-disposition").starts_with("attachment"));
    record.says("stardate record");
    game.watcher.get(&game.path("/phases/1")).says("Plots and seals").says(&order);
}
