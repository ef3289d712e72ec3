//! Use cases of tables on both databases, with a small game of their own and a clock moved by hand.

mod bots;
mod clock;
mod clocks;
mod conquest;
mod door;
mod fair;
mod host;
mod imperial;
mod lobby;
mod luck;
mod notes;
mod numbers;
mod outage;
mod play;
mod players;
mod race;
mod records;
mod reports;
mod since;
mod standings;
mod sweep;
mod talk;
mod talk_letters;
pub mod world;
