//! The form for orders as it is shown: lists beside a text, of which the text is what counts.

use crate::store::PhaseNo;
use std::collections::BTreeSet;

use askama::Template;

use crate::rules::{Examined, Fault, Offer, Slot};
use crate::tables::{self, Stored, Turn, WrittenLine};
use crate::web::Visitor;
use crate::web::boards::Drawing;

/// The form as it is shown.
pub struct OrdersPart {
    pub(in crate::web) phase_no: PhaseNo,
    pub(in crate::web) version: String,
    pub(in crate::web) text: String,
    pub(in crate::web) handed_in: bool,
    /// What is stored, as a sentence.
    pub(in crate::web) standing: String,
    pub(in crate::web) plot: ReadBack,
    /// What to click, where there is something to click.
    pub(in crate::web) hint: String,
    pub(in crate::web) groups: Vec<SlotGroup>,
    pub(in crate::web) example: String,
    /// Whether a plot without orders can be handed in.
    pub(in crate::web) may_pass: bool,
    /// Whether orders can also be handed in one by one beside the board; then the text is a second way.
    pub(in crate::web) acts: bool,
    /// Whether the text was just checked and found legal.
    pub(in crate::web) legal: bool,
}

/// Orders read back: what is written, and what is wrong with it. The page has it, and the script asks for it again
/// after every click.
#[derive(Template)]
#[template(path = "parts/plot.html")]
pub(in crate::web) struct ReadBack {
    /// Empty while there is nothing to say about them.
    pub heading: String,
    /// The text as it was read; what was clicked is in it.
    pub text: String,
    pub lines: Vec<WrittenLine>,
    pub faults: Vec<String>,
    /// What legal orders leave to the game, a sentence each.
    pub left_open: Vec<String>,
    /// Whether single lines can be taken out by a click: where orders are plotted from the board.
    pub clicked: bool,
}

/// Lists under one heading.
pub(in crate::web) struct SlotGroup {
    pub heading: String,
    pub slots: Vec<SlotPart>,
}

/// One list.
pub(in crate::web) struct SlotPart {
    pub no: usize,
    pub key: String,
    pub label: String,
    pub subject: Option<String>,
    /// The order the text has for it, in words.
    pub now: String,
    pub offers: Vec<Offer>,
}

impl OrdersPart {
    /// What an entry of a list has to say about the target of its order: nothing where that is the order's last
    /// word. Lists are the greater part of a large page.
    pub fn target_told<'o>(&self, offer: &'o Offer) -> Option<&'o str> {
        let target = offer.target.as_deref().unwrap_or("");
        (offer.order.split(' ').next_back() != Some(target)).then_some(target)
    }

    /// The form with what is stored; `None` when nothing is due from the viewer.
    pub fn stored(turn: &Turn, visitor: &Visitor) -> Option<OrdersPart> {
        let at = |stored: &Stored| {
            let time = visitor.page("").time(&stored.at);
            format!("{} {}", time.date, time.zone)
        };
        let (text, heading, examined) = match (&turn.draft, &turn.plot) {
            (Some(draft), _) => (draft.text.clone(), "Your draft in words", Some(&draft.examined)),
            (None, Some(plot)) => (plot.text.clone(), "Your plot, as handed in", Some(&plot.examined)),
            (None, None) => (String::new(), "", None),
        };
        let standing = match (&turn.plot, &turn.draft) {
            (Some(plot), None) => {
                format!(
                    "You handed in your plot {}. You can replace or withdraw it until the phase resolves.",
                    at(plot)
                )
            }
            (Some(plot), Some(draft)) => format!(
                "You handed in your plot {}, and it counts. Below is a draft saved {}, which counts only once you hand it in.",
                at(plot),
                at(draft)
            ),
            (None, Some(draft)) => format!(
                "This is a draft saved {}. It is not handed in, but at the deadline it will be, if it is legal then.",
                at(draft)
            ),
            (None, None) => String::new(),
        };
        let lines = tables::written(&turn.sight.slots, &text, examined);
        let mut part = OrdersPart::new(turn, ReadBack::new(heading, text, lines, examined))?;
        part.standing = standing;
        Some(part)
    }

    /// The form with these orders; `None` when nothing is due from the viewer.
    pub(in crate::web) fn new(turn: &Turn, plot: ReadBack) -> Option<OrdersPart> {
        let phase = turn.phase.as_ref().filter(|_| turn.due)?;
        let first = turn.sight.slots.iter().find_map(|slot| slot.offers.first());
        let example = first.map(|offer| format!("For example: {}. ", offer.order)).unwrap_or_default();
        Some(OrdersPart {
            phase_no: phase.no,
            version: turn.version.map(|version| version.to_string()).unwrap_or_default(),
            handed_in: turn.plot.is_some(),
            standing: String::new(),
            hint: String::new(),
            groups: groups(&turn.sight.slots, &plot.lines),
            example: format!("{example}Anything after a # is a note to yourself."),
            may_pass: turn.sight.may_pass,
            acts: false,
            legal: false,
            text: plot.text.clone(),
            plot,
        })
    }

    /// The form on a page with this board. Orders that came to nothing just now are there to be mended, unless
    /// something else is being written.
    pub(in crate::web) fn beside(mut self, drawing: &Drawing) -> OrdersPart {
        self.acts = drawing.acts;
        self.plot.clicked = !drawing.acts;
        self.hint = self.hint_for(drawing);
        if drawing.acts {
            self.groups.clear();
        }
        if self.text.is_empty() && !drawing.unfinished.is_empty() {
            self.text = drawing.unfinished.join("\n");
            "These orders were not carried out. Correct them, or clear the text.".clone_into(&mut self.standing);
        }
        self
    }

    /// Where the things are that orders can be given about: on the board, in what is held back, or both.
    fn hint_for(&self, drawing: &Drawing) -> String {
        let subjects: BTreeSet<&str> =
            self.groups.iter().flat_map(|group| &group.slots).filter_map(|slot| slot.subject.as_deref()).collect();
        let shown = |html: &str| subjects.iter().any(|subject| html.contains(&format!("data-piece=\"{subject}\"")));
        let reserve = drawing.reserve_title;
        match (shown(&drawing.board), shown(&drawing.reserve)) {
            (false, true) => {
                format!("Click a piece in “{reserve}”, then what it should do. Each click writes a line below.")
            }
            (true, true) => format!(
                "Click a piece on the board or in “{reserve}”, then what it should do. Each click writes a line below."
            ),
            _ => "Click a piece on the board, then what it should do. Each click writes a line below.".to_owned(),
        }
    }

    /// Whether the text is shown at once, not behind a heading to open.
    pub(in crate::web) fn is_open(&self) -> bool {
        !self.acts || !self.text.is_empty() || !self.plot.heading.is_empty()
    }

    /// Height of the text field in lines.
    pub(in crate::web) fn rows(&self) -> usize {
        (self.text.lines().count() + 2).clamp(4, 14)
    }

    /// Whether the text has faults.
    pub(in crate::web) fn is_faulty(&self) -> bool {
        !self.plot.faults.is_empty()
    }

    /// Whether the text was just checked and found legal: handing in is the next step.
    pub(in crate::web) fn may_hand_in(&self) -> bool {
        self.legal
    }
}

impl ReadBack {
    /// Orders read back under a heading.
    pub(in crate::web) fn new(
        heading: &str,
        text: String,
        lines: Vec<WrittenLine>,
        examined: Option<&Examined>,
    ) -> ReadBack {
        let (faults, left_open) = match examined {
            Some(examined) => (examined.faults.iter().map(Fault::to_string).collect(), examined.left_open.clone()),
            None => (Vec::new(), Vec::new()),
        };
        ReadBack { heading: heading.to_owned(), text, lines, faults, left_open, clicked: true }
    }
}

fn groups(slots: &[Slot], lines: &[WrittenLine]) -> Vec<SlotGroup> {
    let mut now: Vec<&str> = vec![""; slots.len()];
    for line in lines {
        if let Some(words) = line.control.and_then(|slot| now.get_mut(slot)) {
            *words = &line.words;
        }
    }
    let mut groups: Vec<SlotGroup> = Vec::new();
    for (no, slot) in slots.iter().enumerate() {
        let part = SlotPart {
            no,
            key: slot.key.clone(),
            label: slot.label.clone(),
            subject: slot.subject.clone(),
            now: now[no].to_owned(),
            offers: slot.offers.clone(),
        };
        match groups.iter_mut().find(|group| group.heading == slot.group) {
            Some(group) => group.slots.push(part),
            None => groups.push(SlotGroup { heading: slot.group.clone(), slots: vec![part] }),
        }
    }
    groups
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

    #[test]
    fn what_orders_leave_to_the_game_is_said_below_them() {
        let sentence = "Not assigned: 4. This amount goes by the default doctrine.";
        let examined =
            Examined { lines: Vec::new(), faults: Vec::new(), gives_up: false, left_open: vec![sentence.to_owned()] };
        let page = |examined| ReadBack::new("", String::new(), Vec::new(), examined).render().expect("a page");
        assert!(page(Some(&examined)).contains(&format!("<p class=\"hint\">{sentence}</p>")));
        assert!(!page(None).contains("Not assigned"));
    }

    #[test]
    fn lists_say_what_the_text_has_for_them() {
        let slots = slots();
        let lines = tables::written(&slots, "deploy knife on A2\nattack A1 B2", None);
        let groups = groups(&slots, &lines);
        let now: Vec<&str> = groups[0].slots.iter().map(|slot| slot.now.as_str()).collect();
        assert_eq!(now, ["A1: do attack A1 B2", "knife: do deploy knife on A2", ""]);
    }
}
