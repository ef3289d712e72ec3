//! The contract between the server and the games.
//!
//! A game is a sequence of phases. A phase has a set of seats due; when it closes, one total, pure
//! call turns (state, plots, dice) into (state, report). Nothing in here knows a clock, a database,
//! HTML or any one game.

pub mod bot;
pub mod budget;
mod contract;
pub mod datafile;
pub mod dice;
mod engine;
pub mod luck;
pub mod nearest;
pub mod notation;
mod quoting;
pub mod scenario;
mod seat;

pub use bot::Bot;
pub use contract::{
    Audience, ClockUse, Content, DataFault, Due, Entry, Fate, Fault, Field, FieldChoice, FieldKind, Leaving, Line,
    Meta, Offer, Openness, Phase, Rules, SeatSetup, Setup, Slot, Step, StockLoadout,
};
pub use dice::{Dice, Throw};
pub use engine::{Desk, Engine, Examined, ExaminedLine, Game, ReportEntry, StateFault, StepJson, engine};
pub use quoting::tame;
pub use seat::Seat;
