//! ConQuest: two players, three regions, ships, people, items and a Q each.

pub mod data;
pub mod group;
