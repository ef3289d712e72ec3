//! Boards: how the games are drawn. One file a game; the pages of a table know only what is here.

mod board;
mod conquest;
mod imperial_conflict;

pub use board::{Board, Catalogue, DrawFault, Drawing, LoadoutTerms, Sitting, Sort};

/// The one list of boards.
const BOARDS: &[&dyn Board] = &[&conquest::ConquestBoard, &imperial_conflict::ImperialBoard];

/// The board of a game.
pub fn of(game: &str) -> Option<&'static dyn Board> {
    BOARDS.iter().copied().find(|board| board.game() == game)
}
