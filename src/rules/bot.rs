//! Players that are programs.
//!
//! A bot comes in by the same doors as a person: it is given what its seat may see, may ask what its seat can
//! order and what would be wrong with a text, and answers with orders as text. It never meets a state, so it
//! cannot know more than its seat.

use super::{Dice, Fault, Game, Seat, Slot, StateFault};

/// A program that plays a game.
pub trait Bot: Send + Sync {
    /// Stable short name, unique within its game.
    fn id(&self) -> &'static str;
    /// Name for people.
    fn name(&self) -> &'static str;
    /// One sentence for the page where a bot is chosen: how it plays.
    fn summary(&self) -> &'static str;
    /// From 1, the weakest of its game, upwards.
    fn strength(&self) -> u8;
    /// Orders for the open phase, in the game's notation. `view`: the seat's view as JSON. `chooser`: for choices
    /// left to chance; these are the bot's own dice and never the table's.
    fn plot(&self, view: &str, desk: &dyn Desk, chooser: &mut Dice) -> String;
}

/// What a player may ask about the own seat before handing in.
pub trait Desk {
    /// Everything the seat can order now.
    fn offers(&self) -> Vec<Slot>;
    /// What would be wrong with this text; empty when it would be taken.
    fn faults(&self, text: &str) -> Vec<Fault>;
}

/// The lines that can be ordered together: taken one by one in the order given, each that makes the text
/// faulty left out.
pub fn those_that_go(desk: &dyn Desk, lines: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for line in lines {
        let longer = format!("{text}{line}\n");
        if desk.faults(&longer).is_empty() {
            text = longer;
        }
    }
    text
}

/// Asks a bot for the orders of a seat that is due.
///
/// # Errors
/// When the state cannot be read.
pub fn ask(game: &dyn Game, bot: &dyn Bot, state: &str, seat: Seat, chooser: &mut Dice) -> Result<String, StateFault> {
    let view = game.view(state, Some(seat))?;
    Ok(bot.plot(&view, &GameDesk { game, state, seat }, chooser))
}

struct GameDesk<'a> {
    game: &'a dyn Game,
    state: &'a str,
    seat: Seat,
}

impl Desk for GameDesk<'_> {
    fn offers(&self) -> Vec<Slot> {
        // The view was made of the same state, so it can be read.
        self.game.offers(self.state, self.seat).unwrap_or_default()
    }

    fn faults(&self, text: &str) -> Vec<Fault> {
        self.game.examine(self.state, self.seat, text).map(|examined| examined.faults).unwrap_or_default()
    }
}
