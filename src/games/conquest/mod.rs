//! ConQuest: two players, three regions, ships, people, items and a Q each.

pub mod data;
pub mod doctrine;
pub mod group;
pub mod handle;
pub mod view;
