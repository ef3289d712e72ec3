//! Playing over the pages, as somebody without script does: orders are drawn from the lists of the form.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use stardate::store::PhaseNo;

use super::visitor::{Form, Gone, Page, Visitor};

/// Chance with a seed.
pub struct Chance(ChaCha8Rng);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `count`, or 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.0.next_u32() as usize).checked_rem(count).unwrap_or_default()
    }
}

/// A plot that the server has said it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    pub table: String,
    pub phase_no: PhaseNo,
    /// The orders handed in, one a line; empty for “pass”.
    pub orders: Vec<String>,
}

/// What a look at a table's page led to.
#[derive(Debug)]
pub enum Did {
    /// Handed in, and the server said so.
    HandedIn(Acknowledged),
    /// Nothing is due, or the plot is in.
    Waited,
    /// The table is over.
    SawTheEnd,
    /// The phase was over, or the clock had run out, before the plot arrived.
    TooLate(Page),
}

/// Makes a table with the first of every choice; gives its path.
pub fn make_table(visitor: &Visitor, title: &str) -> Result<Option<String>, Gone> {
    let page = visitor.try_get("/tables/new")?;
    let Some(form) = page.find_form("/tables/new") else { return Ok(None) };
    let made = visitor.try_post(&form.set("title", title))?;
    Ok(made.location.filter(|path| path.starts_with("/t/")))
}

/// Sits down at a table that waits for players; whether it was possible.
pub fn join(visitor: &Visitor, table: &str) -> Result<bool, Gone> {
    let page = visitor.try_get(table)?;
    let Some(form) = page.find_form(&format!("{table}/join")) else { return Ok(false) };
    Ok((300..400).contains(&visitor.try_post(&form)?.status))
}

/// Opens the table's page and hands in a plot if one is due and none is in.
pub fn take_turn(visitor: &Visitor, table: &str, chance: &mut Chance) -> Result<Did, Gone> {
    let page = visitor.try_get(table)?;
    if page.find_form(&format!("{table}/plot")).is_none() {
        let over = page.body.contains(&format!("{table}/record"));
        return Ok(if over { Did::SawTheEnd } else { Did::Waited });
    }
    if page.body.contains("value=\"withdraw\"") {
        return Ok(Did::Waited);
    }
    hand_in(visitor, table, &page, chance)
}

/// Draws plots until one is legal and handed in.
pub fn hand_in(visitor: &Visitor, table: &str, page: &Page, chance: &mut Chance) -> Result<Did, Gone> {
    let form = page.form(&format!("{table}/plot"));
    let phase_no = form.get("phase_no").and_then(|no| no.parse().ok()).expect("the form names its phase");
    for draw in 0..8 {
        // Few at first: each fault costs a request. Where something has to be ordered, all.
        let mut orders = draw_orders(&form, chance, draw > 3);
        if draw < 4 {
            orders.truncate(1 + chance.below(3));
        }
        loop {
            let button = if orders.is_empty() { "pass" } else { "hand-in" };
            let filled = without_lists(&form).set("text", &orders.join("\n")).set("do", button);
            let answer = visitor.try_post(&filled)?;
            match answer.status {
                300..400 => {
                    let table = table.to_owned();
                    return Ok(Did::HandedIn(Acknowledged { table, phase_no, orders }));
                }
                422 if orders.is_empty() => break,
                422 => drop_faulty(&answer, &mut orders),
                _ => return Ok(Did::TooLate(answer)),
            }
        }
    }
    panic!("no legal plot was found for {table}:\n{}", page.body)
}

fn draw_orders(form: &Form, chance: &mut Chance, all: bool) -> Vec<String> {
    let mut orders = Vec::new();
    for (_, values) in form.lists.iter().filter(|(name, _)| name.starts_with("slot.")) {
        let offered: Vec<&String> = values.iter().filter(|value| !value.is_empty()).collect();
        if !offered.is_empty() && (all || chance.below(5) < 3) {
            orders.push(offered[chance.below(offered.len())].clone());
        }
    }
    for last in (1..orders.len()).rev() {
        orders.swap(last, chance.below(last + 1));
    }
    orders
}

fn without_lists(form: &Form) -> Form {
    let mut form = form.clone();
    form.fields.retain(|(name, _)| !name.starts_with("slot."));
    form
}

/// Leaves out an order that the answer finds fault with; the last one when it names no line.
fn drop_faulty(answer: &Page, orders: &mut Vec<String>) {
    let faults = answer.body.split("class=\"faults\"").nth(1).unwrap_or_default();
    let faults = faults.split("</ul>").next().unwrap_or_default();
    let line = faults.split("Line ").skip(1).filter_map(|rest| rest.split(':').next()?.parse::<usize>().ok()).max();
    match line.filter(|line| (1..=orders.len()).contains(line)) {
        Some(line) => drop(orders.remove(line - 1)),
        None => drop(orders.pop()),
    }
}
