//! The drawing of fixed positions, made with the game's own scenario notation.

use super::*;
use crate::games::imperial_conflict::odds;
use crate::rules::{Audience, Game, ReportEntry, engine};
use crate::web::boards::Catalogue;

fn game() -> std::sync::Arc<dyn Game> {
    let engine = engine(crate::games::imperial_conflict::ImperialConflict::new());
    engine.load(&engine.embedded()).unwrap()
}

/// A position, drawn for a viewer who chooses something.
#[derive(Clone, Copy)]
struct Look<'a> {
    given: &'a str,
    viewer: Option<Seat>,
    selected: Option<&'a str>,
    aimed: Option<&'a str>,
}

impl<'a> Look<'a> {
    fn at(given: &'a str, viewer: Option<Seat>) -> Look<'a> {
        Look { given, viewer, selected: None, aimed: None }
    }

    fn choosing(self, selected: &'a str) -> Look<'a> {
        Look { selected: Some(selected), ..self }
    }

    fn aiming(self, aimed: &'a str) -> Look<'a> {
        Look { aimed: Some(aimed), ..self }
    }

    fn drawn(self, last: &[Event]) -> Drawing {
        let game = game();
        let state = game.given(&self.given.parse().unwrap()).unwrap();
        let view = game.view(&state, self.viewer).unwrap();
        let slots = self.viewer.map(|viewer| game.offers(&state, viewer).unwrap()).unwrap_or_default();
        let last: Vec<ReportEntry> = last
            .iter()
            .map(|event| ReportEntry { audience: Audience::All, event: serde_json::to_value(event).unwrap() })
            .collect();
        let players = ["Ada".to_owned(), "Bo <b>".to_owned(), "Cleo".to_owned()];
        let sitting = Sitting {
            view: &view,
            data: game.data(),
            players: &players,
            slots: &slots,
            selected: self.selected,
            aimed: self.aimed,
            link: "/t/x?piece=",
            last: &last,
            form: (!slots.is_empty()).then_some("<form>"),
        };
        ImperialBoard.draw(&sitting).unwrap()
    }
}

const A: Option<Seat> = Some(Seat::A);
const B: Option<Seat> = Some(Seat::B);

const ATTACK: &str = r#"
seats = 3
phase = "attack"
rest = "A1"
captured = true
attacked = true
countries = { ALA = "A8", KAM = "B3", NWT = "A2", EAU = "C1", WAU = "B12" }
cards = { A = ["ALA", "NWT", "GRL", "EAU"], B = ["BRZ", "PER"] }
exchanges = 4
"#;

const DEPLOY: &str = r#"
seats = 2
phase = "deploy"
left = 7
rest = "A1"
countries = { ALA = "A4", KAM = "B3", NAF = "B100" }
"#;

fn orders(html: &str) -> Vec<&str> {
    html.split("name=\"order\" value=\"").skip(1).filter_map(|part| part.split('"').next()).collect()
}

#[test]
fn every_map_is_drawn_with_all_its_countries() {
    let game = game();
    let html = ImperialBoard.gallery(game.data()).unwrap();
    let data = game.data().downcast_ref::<Data>().unwrap();
    for country in data.maps.iter().flat_map(|map| &map.countries) {
        assert!(html.contains(&format!("<title>{}</title>", country.name)), "{} is missing", country.name);
    }
    assert!(html.len() < 60_000, "both maps take {} bytes", html.len());
}

#[test]
fn the_map_shows_who_holds_what_in_picture_and_words() {
    let drawing = Look::at(ATTACK, B).drawn(&[]);
    let game = game();
    for country in &game.data().downcast_ref::<Data>().unwrap().maps[0].countries {
        assert!(drawing.board.contains(&format!("id=\"shape-{}\"", country.code)), "{} is not drawn", country.code);
        assert!(drawing.list.contains(&country.name), "{} is not in the list", country.name);
    }
    assert!(drawing.board.contains("<title>Kamchatka (KAM): 3 armies of B, you. Asia.</title>"));
    assert!(drawing.board.contains("id=\"shape-KAM\" fill=\"url(#own-B)\""));
    assert!(drawing.figures.contains("Bo &#60;b&#62;"), "{}", drawing.figures);
    assert!(drawing.board.len() < 50_000, "the board takes {} bytes", drawing.board.len());
}

#[test]
fn cards_are_drawn_for_their_holder_only() {
    let mine = Look::at(ATTACK, A).drawn(&[]);
    for name in ["Alaska", "Northwest Territory", "Greenland", "Eastern Australia"] {
        assert!(mine.reserve.contains(name), "{name} is not among the cards");
    }
    assert!(mine.reserve.contains("yours: +2 there") && mine.reserve.contains("not yours"));
    let others = Look::at(ATTACK, B).drawn(&[]);
    assert!(others.reserve.contains("Brazil") && !others.reserve.contains("Greenland"), "{}", others.reserve);
    assert!(Look::at(ATTACK, None).drawn(&[]).reserve.is_empty());
}

#[test]
fn armies_are_placed_from_the_chosen_country() {
    let before = Look::at(DEPLOY, A).drawn(&[]);
    assert!(before.sheet.contains("Place 7 armies"), "{}", before.sheet);
    assert!(orders(&before.sheet).is_empty(), "nothing is chosen: {}", before.sheet);
    let drawing = Look::at(DEPLOY, A).choosing("ALA").drawn(&[]);
    let expected = ["deploy 7 ALA", "deploy 3 ALA", "deploy 1 ALA", "deploy {n} ALA"];
    assert_eq!(orders(&drawing.sheet), expected);
    assert!(drawing.sheet.contains("max=\"7\""));
    let early = Look::at(DEPLOY, A).choosing("ALA").aiming("KAM").drawn(&[]);
    assert!(early.sheet.contains("Place your 7 armies first."), "{}", early.sheet);
    assert!(orders(&early.sheet).iter().all(|order| !order.starts_with("attack")));
}

#[test]
fn an_attack_shows_its_exact_odds_and_every_way_to_roll() {
    let from = Look::at(ATTACK, A).choosing("ALA").drawn(&[]);
    let chance = odds::odds(8, 3).unwrap().words();
    assert!(from.sheet.contains(&format!("<strong>{chance}</strong>")), "{chance} is not in {}", from.sheet);
    assert!(from.sheet.contains("data-targets=\"KAM NWT"), "{}", from.sheet);
    assert!(from.board.contains("/t/x?piece=ALA&amp;target=KAM#piece"), "a target on the map leads on");
    let pair = Look::at(ATTACK, A).choosing("ALA").aiming("KAM").drawn(&[]);
    assert!(pair.sheet.contains(&chance));
    let expected = [
        "attack ALA KAM",
        "attack ALA KAM until 1",
        "attack ALA KAM 2",
        "attack ALA KAM 1",
        "attack ALA KAM until {n}",
        "end",
    ];
    assert_eq!(orders(&pair.sheet), expected);
    for percent in ["37.2 %", "33.6 %", "29.3 %"] {
        assert!(pair.sheet.contains(percent), "{percent} is not in {}", pair.sheet);
    }
    assert!(pair.sheet.contains("so you draw a card"));
}

#[test]
fn a_move_between_own_countries_says_that_it_ends_the_turn() {
    let drawing = Look::at(ATTACK, A).choosing("ALA").aiming("NWT").drawn(&[]);
    assert!(drawing.sheet.contains("ends your turn"), "{}", drawing.sheet);
    assert!(orders(&drawing.sheet).contains(&"fortify {n} ALA NWT"));
}

#[test]
fn a_country_of_others_tells_from_where_it_can_be_attacked() {
    let drawing = Look::at(ATTACK, A).choosing("KAM").drawn(&[]);
    assert!(drawing.sheet.contains("Attack it from") && drawing.sheet.contains("Alaska"), "{}", drawing.sheet);
    let far = Look::at(ATTACK, A).choosing("EAU").drawn(&[]);
    assert!(far.sheet.contains("None of your neighbouring countries"), "{}", far.sheet);
}

#[test]
fn sets_are_offered_with_what_they_bring() {
    let given = ATTACK
        .replace("phase = \"attack\"", "phase = \"deploy\"\nleft = 3")
        .replace("captured = true\nattacked = true", "");
    let drawing = Look::at(&given, A).drawn(&[]);
    assert!(drawing.sheet.contains("Exchange for 12 and 2 on Alaska, 2 on Northwest Territory, 2 on Greenland"));
    assert!(drawing.figures.contains("12 armies, the one after it 15"), "{}", drawing.figures);
    let five = given.replace("[\"ALA\",", "[\"ALB\", \"ALA\",");
    let forced = Look::at(&five, A).drawn(&[]);
    assert!(forced.sheet.contains("before anything else"), "{}", forced.sheet);
    assert!(orders(&forced.sheet).iter().all(|order| order.starts_with("exchange")), "{}", forced.sheet);
}

#[test]
fn nobody_else_gets_a_button() {
    for viewer in [None, B] {
        let look = Look::at(ATTACK, viewer).choosing("ALA").aiming("KAM");
        let drawing = look.drawn(&[]);
        assert!(orders(&drawing.sheet).is_empty() && !drawing.acts, "{}", drawing.sheet);
    }
}

#[test]
fn dice_are_drawn_with_who_lost_and_what_was_not_done_stays() {
    let rolled = |attack: &[i64], defence: &[i64], lost: (u32, u32), left: (u32, u32)| Event::Rolled {
        seat: Seat::A,
        against: Seat::B,
        from: "Alaska".into(),
        to: "Kamchatka".into(),
        attack: attack.into(),
        defence: defence.into(),
        attacker_lost: lost.0,
        defender_lost: lost.1,
        attackers: left.0,
        defenders: left.1,
    };
    let undone = Event::NotDone {
        seat: Seat::A,
        order: "attack KAM ALA".into(),
        reason: "Kamchatka is not yours; B holds it.".into(),
    };
    let events = [rolled(&[6, 5, 1], &[6, 2], (1, 1), (7, 2)), rolled(&[4, 3, 3], &[6, 6], (2, 0), (5, 2)), undone];
    let drawing = Look::at(ATTACK, A).drawn(&events);
    assert!(drawing.last.contains("6 5 1 against 6 2") && drawing.last.contains("Not taken: you 5, B 2."));
    assert!(drawing.last.contains("Lost: A 3, B 1."), "{}", drawing.last);
    assert_eq!(drawing.last.matches("die attack lost").count(), 3, "{}", drawing.last);
    assert_eq!(drawing.last.matches("die attack idle").count(), 2);
    assert!(drawing.last.contains("Not everything was carried out"));
    assert_eq!(drawing.unfinished, ["attack KAM ALA"]);
    assert!(Look::at(ATTACK, B).drawn(&events).unfinished.is_empty());
}
