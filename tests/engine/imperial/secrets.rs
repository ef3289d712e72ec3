//! What is secret to others changes neither a seat's view, nor its page's offers, nor its refusals.

use std::collections::BTreeMap;

use stardate_engine::rules::{Dice, Seat};

use super::{game, secret};

const GIVEN: &str = r#"
seats = 3
phase = "attack"
rest = "A3"
countries = { KAM = "B2", EAU = "C2" }
cards = { A = ["ALA"], B = ["NWT", "GRL"], C = ["ALB"] }
"#;

fn given(text: &str) -> String {
    game().given(&text.parse().unwrap()).unwrap()
}

#[test]
fn other_hands_and_the_deck_stay_hidden() {
    let one = given(GIVEN);
    // B and C hold other cards, as many as before, and the deck lies in another order.
    let other = GIVEN.replace("\"NWT\", \"GRL\"", "\"BRZ\", \"CHI\"").replace("[\"ALB\"]", "[\"PER\"]");
    let other = given(&format!("{other}\ndeck = {:?}\n", deck_without(&["ALA", "BRZ", "CHI", "PER"])));
    assert_ne!(one, other);
    let watched: serde_json::Value = serde_json::from_str(&game().view(&one, None).unwrap()).unwrap();
    assert_eq!((&watched["cards"], &watched["viewer"]), (&serde_json::json!([]), &serde_json::Value::Null));
    for viewer in [Some(Seat::A), None] {
        assert_eq!(game().view(&one, viewer).unwrap(), game().view(&other, viewer).unwrap());
        assert_eq!(game().position(&one, viewer).unwrap(), game().position(&other, viewer).unwrap());
    }
    assert_ne!(game().view(&one, Some(Seat::B)).unwrap(), game().view(&other, Some(Seat::B)).unwrap());
    assert_eq!(game().offers(&one, Seat::A).unwrap(), game().offers(&other, Seat::A).unwrap());
    for text in ["exchange ALA NWT GRL", "exchange ALA BRZ CHI", "attack ALA KAM", "fortify 1 ALA NWT", "end", "x"] {
        let examined = |state: &str| game().examine(state, Seat::A, text).unwrap();
        assert_eq!(examined(&one), examined(&other), "{text}");
    }
}

/// All cards of the stock map but these, from the last to the first.
fn deck_without(cards: &[&str]) -> Vec<String> {
    let facts = game().facts(&given("rest = \"A1\"\ncountries = { KAM = \"B2\" }")).unwrap();
    let deck = facts["deck"].split_whitespace().rev().filter(|card| !cards.contains(card));
    deck.map(str::to_owned).collect()
}

#[test]
fn a_drawn_card_is_told_to_nobody_else() {
    let state = given(&GIVEN.replace("phase = \"attack\"", "phase = \"attack\"\ncaptured = true"));
    let plots = BTreeMap::from([(Seat::A, "end".to_owned())]);
    let step = game().resolve(&state, &plots, game().meta().edition, &mut Dice::for_phase(&secret(1), 1)).unwrap();
    let told = |viewer: Option<Seat>, ended: bool| -> String {
        step.report.iter().filter_map(|entry| game().tell(entry, viewer, ended).unwrap()).collect::<Vec<_>>().join("\n")
    };
    assert!(told(Some(Seat::A), false).contains("You draw the card of"));
    for other in [Some(Seat::B), Seat::from_index(2), None] {
        assert!(!told(other, false).contains("the card of"));
        assert!(told(other, true).contains("draws the card of"));
    }
    let digest = game().digest(&step.report, Some(Seat::B), false).unwrap();
    assert!(
        digest.iter().any(|line| line.contains("drew a card")) && !digest.iter().any(|line| line.contains("card of"))
    );
}
