//! Players that are programs.
//!
//! A bot comes in by the same doors as a person: it is given what its seat may see and what its seat can
//! order, and answers with orders as text. It never meets a state, so it cannot know more than its seat.

use super::{Dice, Game, Seat, Slot, StateFault};

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
    /// Orders for the open phase, in the game's notation. `view`: the seat's view as JSON. `offers`: what the
    /// seat can order, worked out when asked for. `chooser`: for choices left to chance; these are the bot's own
    /// dice and never the table's.
    fn plot(&self, view: &str, offers: &dyn Fn() -> Vec<Slot>, chooser: &mut Dice) -> String;
}

/// Asks a bot for the orders of a seat that is due.
///
/// # Errors
/// When the state cannot be read.
pub fn ask(game: &dyn Game, bot: &dyn Bot, state: &str, seat: Seat, chooser: &mut Dice) -> Result<String, StateFault> {
    let view = game.view(state, Some(seat))?;
    // That the state can be read has just been seen.
    let offers = || game.offers(state, seat).unwrap_or_default();
    Ok(bot.plot(&view, &offers, chooser))
}
