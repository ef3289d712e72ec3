//! The stronger bot: builds a balanced force, fights where it is the stronger, carries people to planets it
//! does not control, and looks after its Q.

use super::{fights, fleet};
use crate::games::conquest::view::{PhaseKey, PieceView, View};
use crate::rules::Desk;
use crate::rules::bot::those_that_go;
use crate::rules::{Bot, Dice, Seat};

/// The stronger bot.
pub struct Commander;

impl Bot for Commander {
    fn id(&self) -> &'static str {
        "commander"
    }

    fn name(&self) -> &'static str {
        "Commander"
    }

    fn summary(&self) -> &'static str {
        "Fights where it is the stronger, takes planets, and looks after its Q."
    }

    fn strength(&self) -> u8 {
        2
    }

    fn plot(&self, view: &str, desk: &dyn Desk, _: &mut Dice) -> String {
        let Ok(view) = serde_json::from_str::<View>(view) else { return String::new() };
        let Some(me) = view.viewer else { return String::new() };
        let sight = Sight { view: &view, me };
        let lines = match view.phase {
            PhaseKey::Deploy => fleet::deployments(&sight, desk),
            PhaseKey::Attack => fights::attacks(&sight),
            PhaseKey::Defence => fights::defences(&sight, desk),
            PhaseKey::Move => fleet::movements(&sight),
            // The default assignment loses the fewest pieces.
            PhaseKey::Damage | PhaseKey::Over => return desk.default_plot(),
        };
        those_that_go(desk, lines)
    }
}

/// A view with questions one asks of it.
pub struct Sight<'v> {
    /// The view.
    pub view: &'v View,
    /// The side played.
    pub me: Seat,
}

impl<'v> Sight<'v> {
    /// The own pieces in play.
    pub fn own(&self) -> impl Iterator<Item = &'v PieceView> + use<'v> {
        let me = self.me;
        self.view.pieces.iter().filter(move |piece| piece.seat == me)
    }

    /// The enemy's pieces in play.
    pub fn enemies(&self) -> impl Iterator<Item = &'v PieceView> + use<'v> {
        let me = self.me;
        self.view.pieces.iter().filter(move |piece| piece.seat != me)
    }
}

/// Twice the damage a piece deals on average.
pub fn punch(piece: &PieceView) -> i32 {
    piece.combat.0 + piece.combat.1
}

/// What pieces together are worth in a fight: what they deal times what they stand.
pub fn weight<'p>(pieces: impl Iterator<Item = &'p PieceView>) -> i32 {
    let (mut dealt, mut stood) = (0, 0);
    for piece in pieces {
        dealt += punch(piece);
        stood += piece.left;
    }
    dealt * stood
}
