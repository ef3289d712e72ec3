//! The drawing of one fixed position, with everything that can be seen on a board in it.

use std::collections::BTreeMap;

use super::*;
use crate::games::conquest::handle::Handle;
use crate::games::conquest::view::*;
use crate::rules::{Fate, Offer, Slot};

struct Position {
    pieces: Vec<PieceView>,
    types: BTreeMap<String, TypeView>,
}

impl Position {
    fn sort(&mut self, id: &str, name: &str, kind: Kind, affiliation: &str, figures: ((i32, i32), i32, i32)) {
        let (combat, toughness, cost) = figures;
        let sort = TypeView {
            id: id.into(),
            name: name.into(),
            kind,
            affiliation: affiliation.into(),
            skills: if kind == Kind::Person { vec!["Command".into()] } else { vec![] },
            unique: id.starts_with("captain"),
            cost,
            combat,
            toughness,
            abilities: if kind == Kind::Item { vec!["1 more damage".into()] } else { vec![] },
            bearer: (kind == Kind::Item).then(|| "on your own Klingon people".into()),
            text: format!("A {name} & nothing <else>."),
        };
        self.types.insert(id.into(), sort);
    }

    fn put(&mut self, handle: &str, id: &str, place: Place) -> &mut PieceView {
        let handle: Handle = handle.parse().unwrap();
        let sort = &self.types[id];
        let region = match place {
            Place::Region(region) => region,
            Place::Planet(planet) => [0, 1, 1, 1, 2][planet],
            Place::Aboard(ship) => self.pieces.iter().find(|piece| piece.handle == ship).unwrap().region,
        };
        if let Place::Aboard(ship) = place {
            self.pieces.iter_mut().find(|piece| piece.handle == ship).unwrap().crew.push(handle);
        }
        let actions = i32::from(sort.kind != Kind::Q);
        self.pieces.push(PieceView {
            handle,
            seat: handle.seat,
            type_id: id.into(),
            name: sort.name.clone(),
            kind: sort.kind,
            place,
            region,
            combat: sort.combat,
            base_combat: sort.combat,
            toughness: sort.toughness,
            base_toughness: sort.toughness,
            damage: 0,
            left: sort.toughness,
            actions,
            actions_most: actions,
            items: vec![],
            crew: vec![],
            hit: false,
            damaged: false,
            in_cheq: false,
            powers: Powers { can_attack: true, can_defend: true, reach: 1, ..Powers::default() },
        });
        self.pieces.last_mut().unwrap()
    }
}

fn hurt(piece: &mut PieceView, damage: i32) {
    piece.damage = damage;
    piece.left = piece.toughness - damage;
    piece.hit = true;
    piece.damaged = piece.left * 2 <= piece.toughness;
}

fn pieces() -> Position {
    let mut position = Position { pieces: vec![], types: BTreeMap::new() };
    position.sort("wanderer", "The Wanderer", Kind::Q, "Alien", ((0, 0), 0, 0));
    position.sort("scout", "Needle Scout", Kind::Ship, "Federation", ((1, 2), 6, 3));
    position.sort("cruiser", "Meridian Cruiser", Kind::Ship, "Federation", ((3, 5), 12, 7));
    position.sort("warbird", "Talon Heavy Warbird", Kind::Ship, "Romulan", ((5, 9), 20, 12));
    position.sort("lieutenant", "Klingon Lieutenant", Kind::Person, "Klingon", ((2, 4), 6, 4));
    position.sort("medic", "Medical Officer", Kind::Person, "Federation", ((0, 1), 4, 3));
    position.sort("captain-rhee", "Captain Rhee of the Long Watch", Kind::Person, "Federation", ((2, 5), 7, 7));
    position.sort("batleth", "Bat’leth", Kind::Item, "Klingon", ((0, 0), 0, 2));
    let item = |owner| ItemView { type_id: "batleth".into(), name: "Bat’leth".into(), owner };

    position.put("A0", "wanderer", Place::Planet(0));
    position.put("A1", "lieutenant", Place::Planet(0)).items = vec![item(Seat::A)];
    position.put("A2", "medic", Place::Planet(0)).actions = 0;
    position.put("A3", "cruiser", Place::Region(0));
    position.put("A4", "captain-rhee", Place::Aboard("A3".parse().unwrap()));
    hurt(position.put("A5", "medic", Place::Aboard("A3".parse().unwrap())), 1);
    position.put("A6", "scout", Place::Region(0)).actions_most = 2;
    let cruiser = position.put("A7", "cruiser", Place::Region(1));
    hurt(cruiser, 7);
    cruiser.actions = 0;
    cruiser.items = vec![item(Seat::A), item(Seat::B)];
    position.put("A8", "lieutenant", Place::Planet(2));
    hurt(position.put("A9", "lieutenant", Place::Planet(2)), 2);
    position.put("A10", "medic", Place::Planet(2));
    position.put("B0", "wanderer", Place::Planet(2)).in_cheq = true;
    position.put("B1", "warbird", Place::Region(1));
    position.put("B2", "scout", Place::Region(1));
    hurt(position.put("B3", "lieutenant", Place::Planet(2)), 4);
    position.put("B4", "lieutenant", Place::Planet(4));
    position.put("B5", "medic", Place::Planet(4));
    position
}

fn map() -> MapView {
    let region = |id: &str, name: &str, home| RegionView { id: id.into(), name: name.into(), home };
    let planet = |id: &str, name: &str, region, income, home, control| PlanetView {
        id: id.into(),
        name: name.into(),
        region,
        income,
        home,
        control,
    };
    MapView {
        id: "elemental-rim".into(),
        name: "Elemental Rim".into(),
        regions: vec![
            region("home-a", "Ember Reach", Some(Seat::A)),
            region("neutral-zone", "Neutral Zone", None),
            region("home-b", "Frost Reach", Some(Seat::B)),
        ],
        planets: vec![
            planet("cinder", "Cinder", 0, 3, Some(Seat::A), Some(Seat::A)),
            planet("tidefall", "Tidefall", 1, 2, None, None),
            planet("loam", "Loam", 1, 2, None, Some(Seat::A)),
            planet("gale", "Gale", 1, 1, None, Some(Seat::B)),
            planet("rime", "Rime", 2, 3, Some(Seat::B), Some(Seat::B)),
        ],
    }
}

fn side(seat: Seat, cp: i32, cheq: bool) -> SideView {
    SideView { seat, cp, income: 6, planets: 2, group_size: 31, cheq, fate: Fate::Active }
}

/// The Defence sub-phase of turn 7, with fights on a planet and in space.
pub(super) fn position(viewer: Option<Seat>) -> View {
    let Position { pieces, types } = pieces();
    let handle = |text: &str| text.parse::<Handle>().unwrap();
    let combat = |target: &str, attackers: &[&str], wave| CombatView {
        seat: Seat::A,
        target: handle(target),
        attackers: attackers.iter().map(|text| handle(text)).collect(),
        defenders: vec![],
        priority: false,
        wave,
        status: CombatStatus::Waiting,
    };
    View {
        viewer,
        turn: 7,
        last_turn: 20,
        phase: PhaseKey::Defence,
        due: vec![Seat::B],
        map: map(),
        sides: vec![side(Seat::A, 9, false), side(Seat::B, 7, true)],
        pieces,
        removed: vec![],
        types,
        group: vec![
            GroupEntry { type_id: "scout".into(), count: 2, affordable: 2 },
            GroupEntry { type_id: "warbird".into(), count: 1, affordable: 0 },
            GroupEntry { type_id: "medic".into(), count: 3, affordable: 2 },
            GroupEntry { type_id: "batleth".into(), count: 3, affordable: 3 },
        ],
        doctrine: None,
        initiative: Some(InitiativeView { first: Seat::A, cp: (9, 7), by_dice: false }),
        combats: vec![combat("B3", &["A8", "A9"], 3), combat("B1", &["A7"], 3)],
        blows: vec![],
        outcome: None,
    }
}

fn slots() -> Vec<Slot> {
    let offer = |order: &str, label: &str, target: &str| Offer {
        order: order.into(),
        label: label.into(),
        target: Some(target.into()),
    };
    vec![Slot {
        key: "B1".into(),
        subject: Some("B1".into()),
        group: "Ships".into(),
        label: "B1 Talon Heavy Warbird".into(),
        offers: vec![offer("defend B1 against A7", "defend against A7", "A7")],
    }]
}

pub(super) fn drawn(viewer: Option<Seat>, selected: Option<&str>) -> Drawing {
    let view = serde_json::to_string(&position(viewer)).unwrap();
    let players = ["Ada".to_owned(), "Bo <b>".to_owned()];
    let slots = slots();
    let sitting = Sitting {
        view: &view,
        data: &(),
        players: &players,
        slots: &slots,
        selected,
        aimed: None,
        link: "/t/x?piece=",
        last: &[],
        form: None,
    };
    ConquestBoard.draw(&sitting).unwrap()
}

#[test]
fn the_board_is_drawn_as_before() {
    let drawing = drawn(Some(Seat::B), Some("A3"));
    insta::assert_snapshot!("board", drawing.board);
    insta::assert_snapshot!("list", drawing.list);
    insta::assert_snapshot!("sheet", drawing.sheet);
    insta::assert_snapshot!("figures", drawing.figures);
    insta::assert_snapshot!("reserve", drawing.reserve);
}

#[test]
fn each_viewer_has_their_home_first() {
    let first_region = |viewer| {
        let board = drawn(viewer, None).board;
        board.split("id=\"region-").nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    assert_eq!(first_region(Some(Seat::A)), "home-a");
    assert_eq!(first_region(Some(Seat::B)), "home-b");
    assert_eq!(first_region(None), "home-a");
}

#[test]
fn everything_named_is_escaped() {
    let drawing = drawn(Some(Seat::A), Some("A2"));
    assert!(drawing.figures.contains("Bo &#60;b&#62;"), "{}", drawing.figures);
    assert!(drawing.sheet.contains("nothing &#60;else&#62;"), "{}", drawing.sheet);
}
