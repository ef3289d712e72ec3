//! Addresses of the clickable things. Each is a link, so that the map works without script.

use super::Scene;
use crate::games::imperial_conflict::data::Code;

/// Where links of one page lead to.
pub(super) struct Links<'a> {
    /// The page's own address with everything up to the id of what is chosen.
    pub before: &'a str,
}

impl Links<'_> {
    /// The address that chooses this country.
    pub fn to(&self, code: Code) -> String {
        format!("{}{code}#piece", self.before)
    }

    /// The address that chooses two: from here to there.
    pub fn pair(&self, from: Code, to: Code) -> String {
        format!("{}{from}&amp;target={to}#piece", self.before)
    }

    /// Where a click on the map leads: to the target of what is chosen already, if it is one.
    pub fn on_map(&self, scene: &Scene, code: Code) -> String {
        match scene.selected.filter(|from| scene.acts() && leads(scene, *from, code)) {
            Some(from) => self.pair(from, code),
            None => self.to(code),
        }
    }
}

/// Whether an order can lead from one country to the other.
pub(super) fn leads(scene: &Scene, from: Code, to: Code) -> bool {
    scene
        .slots
        .iter()
        .filter(|slot| slot.subject.as_deref() == Some(from.as_str()))
        .any(|slot| slot.offers.iter().any(|offer| offer.target.as_deref() == Some(to.as_str())))
}
