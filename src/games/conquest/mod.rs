//! ConQuest: two players, three regions, ships, people, items and a Q each.

pub mod content;
pub mod data;
pub mod doctrine;
pub mod group;
pub mod handle;
pub mod load;
pub mod view;
