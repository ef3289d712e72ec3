//! Reading orders: one a line, `#` starts a comment.

use super::cards::SET;
use super::data::GameMap;
use super::names::Names;
use super::order::Order;
use crate::rules::nearest::did_you_mean;
use crate::rules::notation::{self, Limits};
use crate::rules::{Fault, Line, budget};

/// More than a turn can use.
const LIMITS: Limits = Limits { orders: 300, line: 200, text: 32 * 1024 };
/// Most cards that are counted where a wrong number is named.
const MOST_CARDS: usize = 9;
/// Greatest number that is read.
const MOST_ARMIES: u32 = 99_999;
const VERBS: [&str; 8] = ["exchange", "deploy", "attack", "occupy", "fortify", "end", "undo", "resign"];

/// Reads a text of orders.
///
/// # Errors
/// One fault for every line that cannot be read.
pub fn parse(map: &GameMap, text: &str) -> Result<Vec<Line<Order>>, Vec<Fault>> {
    let names = Names::of(map);
    let notation::TextLines { lines: text, mut faults } = notation::lines(text, LIMITS);
    let mut lines = Vec::new();
    for line in text {
        if faults.len() == budget::MOST_FAULTS {
            faults.push(budget::no_further(line.no));
            break;
        }
        match parse_order(&names, &line.words) {
            Ok(order) => lines.push(Line { no: line.no, order }),
            Err(message) => faults.push(Fault { line: Some(line.no), message }),
        }
    }
    faults.sort_by_key(|fault| fault.line);
    if faults.is_empty() { Ok(lines) } else { Err(faults) }
}

fn parse_order(names: &Names, words: &[&str]) -> Result<Order, String> {
    let Some((verb, rest)) = words.split_first() else { return Err("The line is empty.".to_owned()) };
    match verb.to_lowercase().as_str() {
        "exchange" => parse_exchange(names, rest),
        "deploy" => {
            let (armies, place) = counted(rest, "deploy 3 Alaska")?;
            Ok(Order::Deploy { armies, country: names.find(place)? })
        }
        "attack" => parse_attack(names, rest),
        "occupy" => match rest {
            [armies] => Ok(Order::Occupy(number(armies)?)),
            _ => Err("Say how many more armies move in: occupy 5.".to_owned()),
        },
        "fortify" => {
            let form = "fortify 3 Alaska Alberta";
            let (armies, places) = counted(rest, form)?;
            if places.len() < 2 {
                return Err(format!("Name two countries, from and to: {form}."));
            }
            let [from, to] = names.find_all(places)?;
            Ok(Order::Fortify { armies, from, to })
        }
        "end" => alone(rest, Order::End, "end"),
        "undo" => alone(rest, Order::Undo, "undo"),
        "resign" => alone(rest, Order::Resign, "resign"),
        other => {
            let hint = did_you_mean(other, VERBS);
            let hint = if hint.is_empty() { format!("; the orders are {}.", VERBS.join(", ")) } else { hint };
            Err(format!("“{verb}” is not an order{hint}"))
        }
    }
}

/// `exchange CARD CARD CARD`
fn parse_exchange(names: &Names, words: &[&str]) -> Result<Order, String> {
    const FORM: &str = "exchange ALA BRZ CHI";
    names.find_all(words).map(Order::Exchange).map_err(|reason| match names.count(words) {
        Some(SET) => reason,
        Some(count @ 1..=MOST_CARDS) => {
            let (are, named) = (if count == 1 { "is" } else { "are" }, number_word(count));
            format!(
                "“{}”: an exchange takes three cards, {named} {are} named; write it like this: {FORM}.",
                words.join(" ")
            )
        }
        Some(0) => format!("An exchange takes three cards, named by country: {FORM}."),
        Some(_) => format!("An exchange takes three cards; far more are named: {FORM}."),
        None => reason,
    })
}

fn number_word(count: usize) -> &'static str {
    const WORDS: [&str; MOST_CARDS + 1] =
        ["none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    WORDS[count.min(MOST_CARDS)]
}

fn alone(rest: &[&str], order: Order, verb: &str) -> Result<Order, String> {
    match rest {
        [] => Ok(order),
        _ => Err(format!("Nothing may follow “{verb}”; remove “{}”.", rest.join(" "))),
    }
}

/// A number of at least 1 and what follows it.
fn counted<'w, 't>(words: &'w [&'t str], form: &str) -> Result<(u32, &'w [&'t str]), String> {
    match words.split_first() {
        Some((first, rest)) if !rest.is_empty() => match number(first) {
            Ok(0) => Err("The number of armies must be at least 1.".to_owned()),
            Ok(armies) => Ok((armies, rest)),
            Err(reason) => Err(format!("{reason} Write it like this: {form}.")),
        },
        _ => Err(format!("Write it like this: {form}.")),
    }
}

fn number(word: &str) -> Result<u32, String> {
    let digits = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    match word.parse::<u32>() {
        Ok(number) if digits && number <= MOST_ARMIES => Ok(number),
        _ => Err(format!("“{word}” is not a number from 0 to {MOST_ARMIES}.")),
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().next().is_some_and(|byte| byte.is_ascii_digit() || byte == b'-')
}

/// `attack FROM TO [DICE] [until ARMIES]`
fn parse_attack(names: &Names, words: &[&str]) -> Result<Order, String> {
    const FORM: &str = "attack Alaska Kamchatka, attack ALA KAM 2, or attack ALA KAM until 4";
    let mut rest = words;
    let mut until = None;
    if let [before @ .., word, armies] = rest
        && word.eq_ignore_ascii_case("until")
    {
        let armies = number(armies)?;
        if armies == 0 {
            return Err("At least one army stays in the attacking country: “until 1” is the lowest.".to_owned());
        }
        (until, rest) = (Some(armies), before);
    } else if rest.last().is_some_and(|word| word.eq_ignore_ascii_case("until")) {
        return Err("Say how many armies should be left: attack ALA KAM until 4.".to_owned());
    }
    let mut dice = None;
    if let [before @ .., count] = rest
        && is_number(count)
    {
        match number(count) {
            Ok(count @ 1..=3) => (dice, rest) = (Some(count), before),
            _ => return Err(format!("An attack rolls 1, 2 or 3 dice, not {count}.")),
        }
    }
    if rest.len() < 2 {
        return Err(format!("Name two countries, from and to: {FORM}."));
    }
    let [from, to] = names.find_all(rest)?;
    Ok(Order::Attack { from, to, dice, until })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::games::imperial_conflict::data::Code;
    use crate::games::imperial_conflict::tests::world;

    #[test]
    fn the_notation_of_the_rules_is_read() {
        let text = "exchange ALA BRZ CHI   # three cards\n\ndeploy 3 Alaska\nATTACK Alaska Kamchatka\nattack ala kam 2\n\
                    attack ALA KAM until 4\nattack ALA KAM 2 until 4\noccupy 5\nfortify 3 Alaska Alberta\nend\nresign\nundo";
        let orders = parse(world(), text).unwrap();
        let shown: Vec<String> = orders.iter().map(|line| format!("{} {}", line.no, line.order)).collect();
        let want = [
            "1 exchange ALA BRZ CHI",
            "3 deploy 3 ALA",
            "4 attack ALA KAM",
            "5 attack ALA KAM 2",
            "6 attack ALA KAM until 4",
            "7 attack ALA KAM 2 until 4",
            "8 occupy 5",
            "9 fortify 3 ALA ALB",
            "10 end",
            "11 resign",
            "12 undo",
        ];
        assert_eq!(shown, want);
    }

    #[test]
    fn every_line_that_cannot_be_read_is_told() {
        let cases = [
            ("atack ALA KAM", "did you mean “attack”?"),
            ("dance", "the orders are"),
            ("deploy", "deploy 3 Alaska"),
            ("deploy Alaska 3", "“Alaska” is not a number"),
            ("deploy 0 Alaska", "at least 1"),
            ("deploy -1 Alaska", "“-1” is not a number"),
            ("deploy 99999999999 Alaska", "is not a number"),
            ("attack ALA", "Name two countries"),
            ("attack ALA KAM 4", "1, 2 or 3 dice"),
            ("attack ALA KAM 0", "1, 2 or 3 dice"),
            ("attack ALA KAM until", "how many armies"),
            ("attack ALA KAM until 0", "until 1"),
            ("attack ALA KAM until x", "is not a number"),
            ("attack north KAM", "could be"),
            ("occupy", "occupy 5"),
            ("fortify 3 Alaska", "Name two countries"),
            ("exchange ALA BRZ", "three cards"),
            ("end now", "Nothing may follow"),
        ];
        let text: String = cases.iter().map(|(line, _)| format!("{line}\n")).collect();
        let faults = parse(world(), &text).unwrap_err();
        assert_eq!(faults.len(), cases.len());
        for (index, ((line, reason), fault)) in cases.iter().zip(faults).enumerate() {
            assert_eq!(fault.line, Some(index + 1));
            assert!(fault.message.contains(reason), "{line}: {}", fault.message);
        }
    }

    #[test]
    fn a_huge_text_is_refused_and_not_worked_through() {
        let faults = parse(world(), &"end\n".repeat(100_000)).unwrap_err();
        assert_eq!((faults.len(), faults[0].line), (1, None));
        let faults = parse(world(), &"end\n".repeat(LIMITS.orders + 5)).unwrap_err();
        assert_eq!((faults.len(), faults[0].line), (1, Some(LIMITS.orders + 1)));
        assert!(parse(world(), &format!("deploy 1 {}", "a".repeat(1000))).is_err());
    }

    fn any_code() -> impl Strategy<Value = Code> {
        (0..world().countries.len()).prop_map(|country| world().countries[country].code)
    }

    fn any_order() -> impl Strategy<Value = Order> {
        let dice = prop::option::of(1..=3_u32);
        let until = prop::option::of(1..=MOST_ARMIES);
        prop_oneof![
            [any_code(), any_code(), any_code()].prop_map(Order::Exchange),
            (1..=MOST_ARMIES, any_code()).prop_map(|(armies, country)| Order::Deploy { armies, country }),
            (any_code(), any_code(), dice, until).prop_map(|(from, to, dice, until)| Order::Attack {
                from,
                to,
                dice,
                until
            }),
            (0..=MOST_ARMIES).prop_map(Order::Occupy),
            (1..=MOST_ARMIES, any_code(), any_code()).prop_map(|(armies, from, to)| Order::Fortify {
                armies,
                from,
                to
            }),
            Just(Order::End),
            Just(Order::Undo),
            Just(Order::Resign),
        ]
    }

    proptest! {
        #[test]
        fn what_is_shown_is_read_back(order in any_order()) {
            let read = parse(world(), &order.to_string()).unwrap();
            prop_assert_eq!(read, vec![Line { no: 1, order }]);
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,80}") {
            let _ = parse(world(), &text);
        }
    }
}
