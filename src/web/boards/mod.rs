//! Boards: how the games are drawn. One file a game; the pages of a table know only what stands here.

mod conquest;
mod imperial_conflict;

use std::any::Any;

use crate::rules::Slot;

/// What a game is drawn from: one viewer's view and what that viewer can order.
#[derive(Clone, Copy, Debug)]
pub struct Sitting<'a> {
    /// The view as JSON, as `Game::view` gives it.
    pub view: &'a str,
    /// Names of the players, in seat order.
    pub players: &'a [String],
    /// What the viewer can order now; empty when nothing is due or the position is a past one.
    pub slots: &'a [Slot],
    /// Id of the thing shown in the piece viewer.
    pub selected: Option<&'a str>,
    /// Path and query of the page up to the value of `piece`: `/t/abc?piece=`.
    pub link: &'a str,
}

/// The parts of a table's page that depend on the game, as HTML ready to stand in a page.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// Shapes the other parts refer to; stands once on the page, before them.
    pub symbols: &'static str,
    /// What the signs on the board mean.
    pub legend: &'static str,
    /// Figures of the sides in a line: who has what, who goes first.
    pub figures: String,
    /// The board itself.
    pub board: String,
    /// The same in words, for those who do not see it.
    pub list: String,
    /// What is known of the thing shown in the piece viewer; a hint where nothing is.
    pub sheet: String,
    /// What the viewer still holds back; empty for those without a seat.
    pub reserve: String,
}

/// A view that this version of the board cannot read.
#[derive(Debug, thiserror::Error)]
pub enum DrawFault {
    /// The view is not what the board expects.
    #[error("a view of {game} cannot be read: {reason}")]
    View {
        /// Id of the game.
        game: &'static str,
        /// What the decoder said.
        reason: String,
    },
    /// A template failed.
    #[error("a board could not be drawn: {0}")]
    Template(#[from] askama::Error),
}

/// How one game is drawn.
pub trait Board: Catalogue {
    /// Id of the game.
    fn game(&self) -> &'static str;
    /// Draws a position.
    fn draw(&self, sitting: &Sitting) -> Result<Drawing, DrawFault>;
}

/// The one list of boards.
const BOARDS: &[&dyn Board] = &[&conquest::ConquestBoard, &imperial_conflict::ImperialBoard];

/// The board of a game.
pub fn of(game: &str) -> Option<&'static dyn Board> {
    BOARDS.iter().copied().find(|board| board.game() == game)
}

/// A type of piece, card or whatever else a game has a catalogue of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sort {
    /// Id, as texts name it.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Heading it stands under: `Ships`.
    pub heading: &'static str,
    /// Family it belongs to: `Klingon`.
    pub family: String,
    /// What it costs; empty when it costs nothing.
    pub cost: String,
    /// At most one in play.
    pub unique: bool,
    /// Its figures in a few words.
    pub figures: String,
    /// Skills and abilities in words.
    pub traits: Vec<String>,
    /// A description.
    pub text: String,
    /// Most copies a loadout may have.
    pub most: u32,
    /// Whether a loadout has exactly one of those with this heading, which do not count towards its size.
    pub leader: bool,
}

/// What a game's pages outside of a table need from its board.
pub trait Catalogue: Sync {
    /// Everything there is, by heading and name. `data` is the game's own data; empty if it is another game's.
    fn sorts(&self, data: &dyn Any) -> Vec<Sort>;
    /// How many pieces a loadout has besides its leader.
    fn loadout_size(&self, data: &dyn Any) -> u32;
    /// What a loadout is called: `Control Group`.
    fn loadout_name(&self) -> &'static str;
    /// The rules in brief, as HTML.
    fn rules(&self) -> &'static str;
}
