//! Lines of orders and the controls of a page: the one place that says which line a control stands for. Pages,
//! scripts and letters ask here and match nothing themselves.

use std::collections::{HashMap, HashSet};

use crate::rules::{Examined, Offer, Slot};
use crate::tables::{ChoiceFault, Refused};

/// The longest text that is read as a plot, in bytes.
pub const MAX_PLOT_BYTES: usize = crate::rules::budget::MOST_BYTES;

/// Most choices that one form may hold; the largest page has a tenth of them.
pub const MOST_CHOICES: usize = 1000;

/// How much of a control's key is shown when it is refused, in letters.
const KEY_SHOWN: usize = 40;

/// A line as far as it counts: without its note, in small letters, with single spaces.
pub fn plain(line: &str) -> String {
    #[cfg(test)]
    LINES_READ.set(LINES_READ.get() + 1);
    let order = line.split('#').next().unwrap_or_default().to_lowercase();
    let mut words = order.split_whitespace();
    let mut plain = words.next().unwrap_or_default().to_owned();
    for word in words {
        plain.push(' ');
        plain.push_str(word);
    }
    plain
}

#[cfg(test)]
std::thread_local! {
    /// How many lines and offers were read, to show that no pair of them is looked at twice.
    static LINES_READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The lines of a text that are orders, as far as they count.
pub fn orders(text: &str) -> Vec<String> {
    text.lines().map(plain).filter(|line| !line.is_empty()).collect()
}

/// What controls and text have to do with each other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// By control, in the order of the slots: which line of the text is its order, counted from 0.
    pub line_of: Vec<Option<usize>>,
    /// By line of the text: the control it belongs to, and which of its offers it is.
    pub control_of: Vec<Option<(usize, usize)>>,
}

impl Matching {
    /// Matches them: every line belongs to the first control that offers it and has no line yet. The time it takes
    /// grows with the text and with what is offered, not with both together.
    pub fn of(slots: &[Slot], lines: &[&str]) -> Matching {
        let mut offering: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (slot, offers) in slots.iter().map(|slot| &slot.offers).enumerate() {
            for (offer, Offer { order, .. }) in offers.iter().enumerate() {
                offering.entry(plain(order)).or_default().push((slot, offer));
            }
        }
        // The first at the end, so that what is taken can be popped: each is passed over once.
        offering.values_mut().for_each(|found| found.reverse());
        let mut matching = Matching { line_of: vec![None; slots.len()], control_of: vec![None; lines.len()] };
        for (index, line) in lines.iter().enumerate() {
            let Some(found) = offering.get_mut(&plain(line)) else { continue };
            while let Some((slot, offer)) = found.pop() {
                if matching.line_of[slot].is_none() {
                    matching.line_of[slot] = Some(index);
                    matching.control_of[index] = Some((slot, offer));
                    break;
                }
            }
        }
        matching
    }
}

/// A line of orders as a page lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenLine {
    /// Where it is in the text, counted from 0.
    pub index: usize,
    /// What it orders, in words; as it was written where that cannot be read.
    pub words: String,
    /// The control it belongs to, by its place in the list of slots.
    pub control: Option<usize>,
}

/// The lines of a text that are orders, each with the control it belongs to.
pub fn written(slots: &[Slot], text: &str, examined: Option<&Examined>) -> Vec<WrittenLine> {
    let lines: Vec<&str> = text.lines().collect();
    let matching = Matching::of(slots, &lines);
    let read = examined.map(|examined| examined.lines.as_slice()).unwrap_or_default();
    let read: HashMap<usize, &str> = read.iter().map(|line| (line.no, line.words.as_str())).collect();
    let offered = |(slot, offer): (usize, usize)| format!("{}: {}", slots[slot].label, slots[slot].offers[offer].label);
    let ordered = lines.iter().enumerate().filter(|(_, line)| !plain(line).is_empty());
    let written = ordered.map(|(index, line)| {
        let control = matching.control_of[index];
        let words = read.get(&(index + 1)).map(|words| (*words).to_owned());
        let words = words.or_else(|| control.map(offered)).unwrap_or_else(|| line.trim().to_owned());
        WrittenLine { index, words, control: control.map(|(slot, _)| slot) }
    });
    written.collect()
}

/// Refuses what no page sends, before anything is worked out: too much text, too many choices.
pub fn must_fit(text: &str, chosen: &[(String, String)]) -> Result<(), Refused> {
    if chosen.len() > MOST_CHOICES {
        return Err(ChoiceFault::TooMany { sent: chosen.len(), offered: MOST_CHOICES }.into());
    }
    let bytes: usize = chosen.iter().map(|(_, order)| order.len()).sum();
    if text.len() + bytes > MAX_PLOT_BYTES {
        return Err(Refused::TooLong(MAX_PLOT_BYTES));
    }
    Ok(())
}

/// Refuses choices that these controls do not offer: more than there are, one control twice, unknown ones.
fn must_be_offered(slots: &[Slot], chosen: &[(String, String)]) -> Result<(), ChoiceFault> {
    if chosen.len() > slots.len() {
        return Err(ChoiceFault::TooMany { sent: chosen.len(), offered: slots.len() });
    }
    let known: HashSet<&str> = slots.iter().map(|slot| slot.key.as_str()).collect();
    let mut seen = HashSet::new();
    let shown = |key: &str| key.chars().take(KEY_SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    for (key, _) in chosen {
        if !known.contains(key.as_str()) {
            return Err(ChoiceFault::Unknown(shown(key)));
        }
        if !seen.insert(key.as_str()) {
            return Err(ChoiceFault::Twice(shown(key)));
        }
    }
    Ok(())
}

/// Writes choices into the text: an order for a control that has a line replaces it, others are added at the end.
/// Whoever orders something does not pass as well.
pub fn merged(slots: &[Slot], text: &str, chosen: &[(String, String)]) -> Result<String, Refused> {
    must_be_offered(slots, chosen)?;
    let chosen: HashMap<&str, &str> = some(chosen).collect();
    let mut lines: Vec<&str> = text.lines().collect();
    if !chosen.is_empty() {
        lines.retain(|line| plain(line) != "pass");
        let matching = Matching::of(slots, &lines);
        for (slot, line) in slots.iter().zip(matching.line_of) {
            match (chosen.get(slot.key.as_str()), line) {
                (Some(order), Some(line)) => lines[line] = order,
                (Some(order), None) => lines.push(order),
                (None, _) => {}
            }
        }
    }
    Ok(joined(lines))
}

/// The text with the choices of a form whose phase is over behind it: what there was to choose from is not known
/// any more.
pub fn with_choices(text: &str, chosen: &[(String, String)]) -> String {
    joined(text.lines().chain(some(chosen).map(|(_, order)| order)).collect())
}

fn some(chosen: &[(String, String)]) -> impl Iterator<Item = (&str, &str)> {
    chosen.iter().filter(|(_, order)| !order.is_empty()).map(|(key, order)| (key.as_str(), order.as_str()))
}

/// Without the empty lines at the end.
fn joined(mut lines: Vec<&str>) -> String {
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(key: &str, subject: &str, orders: &[&str]) -> Slot {
        let offer = |order: &&str| Offer { order: (*order).into(), label: format!("do {order}"), target: None };
        Slot {
            key: key.into(),
            subject: Some(subject.into()),
            group: "Ships".into(),
            label: subject.into(),
            offers: orders.iter().map(offer).collect(),
        }
    }

    fn slots() -> Vec<Slot> {
        vec![
            slot("attack:A1", "A1", &["attack A1 B1", "attack A1 B2"]),
            slot("item:1", "knife", &["deploy knife on A1", "deploy knife on A2"]),
            slot("item:2", "knife", &["deploy knife on A1", "deploy knife on A2"]),
        ]
    }

    fn chosen(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, order)| ((*key).to_owned(), (*order).to_owned())).collect()
    }

    fn merge(text: &str, pairs: &[(&str, &str)]) -> String {
        merged(&slots(), text, &chosen(pairs)).unwrap()
    }

    #[test]
    fn choices_are_added_to_the_text_and_replace_what_they_are_about() {
        assert_eq!(merge("", &[("attack:A1", "attack A1 B1"), ("item:1", "")]), "attack A1 B1");
        let text = "# first\nAttack  A1 b1 # note\n\n";
        assert_eq!(merge(text, &[("attack:A1", "attack A1 B2")]), "# first\nattack A1 B2");
        assert_eq!(merge("pass", &[("attack:A1", "attack A1 B2")]), "attack A1 B2");
        assert_eq!(merge("pass", &[("attack:A1", "")]), "pass");
        // What a control does not offer is for the check to refuse, in the player's words.
        assert_eq!(merge("move A9 x", &[("attack:A1", "attack A7 B2")]), "move A9 x\nattack A7 B2");
    }

    #[test]
    fn copies_of_an_item_are_orders_of_their_own() {
        let both = [("item:1", "deploy knife on A1"), ("item:2", "deploy knife on A1")];
        assert_eq!(merge("", &both), "deploy knife on A1\ndeploy knife on A1");
        let text = "deploy knife on A1\ndeploy knife on A1";
        assert_eq!(merge(text, &[("item:2", "deploy knife on A2")]), "deploy knife on A1\ndeploy knife on A2");
        // Whatever order they come in: a choice never eats the one before it.
        let crossed = [("item:2", "deploy knife on A1"), ("item:1", "deploy knife on A2")];
        assert_eq!(merge("", &crossed), "deploy knife on A2\ndeploy knife on A1");
    }

    #[test]
    fn lines_and_controls_know_of_each_other() {
        let matching = Matching::of(&slots(), &["deploy knife on A2", "dance", "attack A1 B2"]);
        assert_eq!(matching.line_of, [Some(2), Some(0), None]);
        assert_eq!(matching.control_of, [Some((1, 1)), None, Some((0, 1))]);
    }

    #[test]
    fn a_list_of_lines_says_what_can_be_read_and_keeps_the_rest() {
        let text = "# later\nattack A1 B2\n\ndance # now";
        let listed = written(&slots(), text, None);
        let line = |index, words: &str, control| WrittenLine { index, words: words.to_owned(), control };
        assert_eq!(listed, [line(1, "A1: do attack A1 B2", Some(0)), line(3, "dance # now", None)]);
    }

    #[test]
    fn what_no_page_sends_is_refused() {
        let refused = |pairs: &[(&str, &str)]| match merged(&slots(), "", &chosen(pairs)) {
            Err(Refused::Choices(fault)) => fault,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(&[("x", "")]), ChoiceFault::Unknown("x".into()));
        assert_eq!(refused(&[("item:1", ""), ("item:1", "")]), ChoiceFault::Twice("item:1".into()));
        assert_eq!(refused(&[("x", ""); 4]), ChoiceFault::TooMany { sent: 4, offered: 3 });
        assert!(must_fit("", &chosen(&vec![("x", ""); MOST_CHOICES])).is_ok());
        let many = must_fit("", &chosen(&vec![("x", ""); MOST_CHOICES + 1]));
        assert!(matches!(many, Err(Refused::Choices(ChoiceFault::TooMany { .. }))));
        let half = "x".repeat(MAX_PLOT_BYTES / 2);
        assert!(must_fit(&half, &chosen(&[("x", half.as_str())])).is_ok());
        assert!(matches!(must_fit(&half, &chosen(&[("x", half.as_str()), ("y", "z")])), Err(Refused::TooLong(_))));
    }

    /// The largest of everything at once: equal offers on every control, and as many lines. Were a line looked for
    /// in every control, eight times as many of both would be read sixty-four times as often.
    #[test]
    fn eight_times_as_much_is_eight_times_the_work() {
        let lines_read = |size: usize| {
            let many: Vec<Slot> = (0..size).map(|no| slot(&format!("k{no}"), "s", &["same a", "same b"])).collect();
            let text = "same a\n".repeat(size);
            let pairs: Vec<(String, String)> = many.iter().map(|it| (it.key.clone(), "same b".to_owned())).collect();
            LINES_READ.set(0);
            assert_eq!(merged(&many, &text, &pairs).unwrap().lines().count(), size);
            LINES_READ.get()
        };
        let (one, eight) = (lines_read(100), lines_read(800));
        assert!(one > 0 && eight <= one * 8, "{one} for one, {eight} for eight times as much");
    }
}
