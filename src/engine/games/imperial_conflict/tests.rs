//! What the tests of this game share.

use std::sync::LazyLock;

use super::ImperialConflict;
use super::data::{Data, GameMap};
use crate::rules::Rules;

static DATA: LazyLock<Data> = LazyLock::new(|| {
    let rules = ImperialConflict::new();
    rules.load(&rules.embedded()).expect("the stock maps are good")
});

/// The stock data.
pub fn data() -> &'static Data {
    &DATA
}

/// The stock map.
pub fn world() -> &'static GameMap {
    data().map("world").expect("it is a stock map")
}
