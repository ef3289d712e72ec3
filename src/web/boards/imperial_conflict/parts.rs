//! Words and small pieces that several parts of the board share.

use super::Scene;
use crate::games::imperial_conflict::view::CountryView;
use crate::rules::Seat;

/// `1 army`, `2 armies`.
pub(super) fn armies(count: u32) -> String {
    if count == 1 { "1 army".to_owned() } else { format!("{count} armies") }
}

/// `1 card`, `2 cards`.
pub(super) fn cards(count: usize) -> String {
    if count == 1 { "1 card".to_owned() } else { format!("{count} cards") }
}

/// The seat with its player: `B, Bo`; `A, you`.
pub(super) fn who(scene: &Scene, seat: Seat) -> String {
    if scene.view.viewer == Some(seat) {
        return format!("{seat}, you");
    }
    match scene.player(seat) {
        "" => seat.to_string(),
        name => format!("{seat}, {name}"),
    }
}

/// What is said of a country to those who do not see it, and on hovering.
pub(super) fn title(scene: &Scene, country: &CountryView) -> String {
    let continent = &scene.view.continents[country.continent].name;
    format!(
        "{} ({}): {} of {}. {continent}.",
        country.name,
        country.code,
        armies(country.armies),
        who(scene, country.owner)
    )
}
