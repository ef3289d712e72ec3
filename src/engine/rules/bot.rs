//! Players that are programs.
//!
//! A bot comes in by the same doors as a person: it is given what its seat may see, may ask its desk what can be
//! ordered and what would be wrong with a text, and answers with orders as text. It never meets a state, so it
//! cannot know more than its seat.

use super::{Desk, Dice, Game, Seat, StateFault};

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

/// The lines that can be ordered together: taken one by one in the order given, each that makes the text
/// faulty left out.
pub fn those_that_go(desk: &dyn Desk, lines: impl IntoIterator<Item = String>) -> String {
    let mut text = String::new();
    for line in lines {
        let longer = format!("{text}{line}\n");
        if desk.examine(&longer).faults.is_empty() {
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
    Ok(bot.plot(&view, &*game.desk(state, seat)?, chooser))
}
