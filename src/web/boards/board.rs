//! What pages and boards have in common: what a game is drawn from, and what comes of it.

use crate::rules::{ReportEntry, Slot};
use std::any::Any;

/// What a game is drawn from: one viewer's view and what that viewer can order.
#[derive(Clone, Copy, Debug)]
pub struct Sitting<'a> {
    /// The view as JSON, as `Game::view` returns it.
    pub view: &'a str,
    /// The data the table has kept: the game's own `Rules::Data`.
    pub data: &'a dyn Any,
    /// Names of the players, in seat order.
    pub players: &'a [String],
    /// What the viewer can order now; empty when nothing is due or the position is a past one.
    pub slots: &'a [Slot],
    /// Id of the thing chosen: it is shown in the piece viewer.
    pub selected: Option<&'a str>,
    /// Id of the thing chosen after it, to which an order may lead.
    pub aimed: Option<&'a str>,
    /// Path and query of the page up to the value of `piece`: `/t/abc?piece=`. What is chosen next is added as
    /// `&target=`.
    pub link: &'a str,
    /// What the phase closed last has led to, as far as the viewer may read it; on the page of a past phase what
    /// that one has led to.
    pub last: &'a [ReportEntry],
    /// Where an order can be handed in at once, by itself: the start of a form with everything it has to carry.
    /// A button in it is called `order`, its value is the order; `{n}` in the value stands for what the form's
    /// field `n` says. Fields `piece` and `target` are chosen on the next page. `None` where orders are plotted
    /// together or none are due.
    pub form: Option<&'a str>,
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
    /// What is known of the thing shown in the piece viewer, and what can be ordered there at once; a hint where
    /// nothing is.
    pub sheet: String,
    /// Heading of the piece viewer.
    pub sheet_title: &'static str,
    /// What the viewer still holds back; empty for those without a seat.
    pub reserve: String,
    /// Heading of what is held back.
    pub reserve_title: &'static str,
    /// What happened last, as a picture; empty where words are enough.
    pub last: String,
    /// Orders of the viewer's last plot that were not carried out, one a line, to be mended.
    pub unfinished: Vec<String>,
    /// Whether everything that can be ordered can be ordered in the piece viewer, so that lists are not needed.
    pub acts: bool,
    /// Whether the piece viewer is beside the board, not below it.
    pub beside: bool,
}

impl Drawing {
    /// A drawing with nothing on it: the parts a board has are put into it.
    pub const EMPTY: Drawing = Drawing {
        symbols: "",
        legend: "",
        figures: String::new(),
        board: String::new(),
        list: String::new(),
        sheet: String::new(),
        sheet_title: "Piece viewer",
        reserve: String::new(),
        reserve_title: "",
        last: String::new(),
        unfinished: Vec::new(),
        acts: false,
        beside: false,
    };
}

/// A view that this version of the board cannot read.
#[derive(Debug, thiserror::Error)]
pub enum DrawFault {
    /// The view, an event or the data is not what the board expects.
    #[error("a position of {game} cannot be read: {reason}")]
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
    /// Its own style sheets, apart from those all boards share.
    fn styles(&self) -> &'static [&'static str] {
        &[]
    }
    /// Draws a position.
    fn draw(&self, sitting: &Sitting) -> Result<Drawing, DrawFault>;
    /// Whether some of one's orders were not carried out, by what one is told of a phase.
    fn leaves_undone(&self, told: &[ReportEntry]) -> bool {
        let _ = told;
        false
    }
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

/// What players bring to a game: put together from the catalogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadoutTerms {
    /// What it is called: `Control Group`.
    pub name: &'static str,
    /// How many pieces it has apart from its leader.
    pub size: u32,
}

/// What a game's pages outside of a table need from its board.
pub trait Catalogue: Sync {
    /// The rules in brief, as HTML.
    fn rules(&self) -> &'static str;
    /// Everything there is, by heading and name. `data` is the game's own data; empty if it is another game's, and
    /// for a game without a catalogue.
    fn sorts(&self, data: &dyn Any) -> Vec<Sort> {
        let _ = data;
        Vec::new()
    }
    /// What players bring; `None` for a game to which they come with nothing.
    fn loadout(&self, data: &dyn Any) -> Option<LoadoutTerms> {
        let _ = data;
        None
    }
    /// What can be played on, drawn, as HTML; empty where there is nothing to see.
    fn gallery(&self, data: &dyn Any) -> Result<String, DrawFault> {
        let _ = data;
        Ok(String::new())
    }
}
