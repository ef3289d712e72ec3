//! What a seat sees and can order in a phase. A phase never changes its position, so this is worked out once and kept as
//! long as it is asked for often enough.

use std::sync::Arc;

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::Refused;
use crate::rules::{Fate, Game, Seat, Slot};
use crate::store::{PhaseNo, TableId};

/// How much is kept, in bytes of views and offers.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// What an entry takes besides its texts.
const ENTRY_BYTES: usize = 256;
/// What an offer takes besides its texts.
const OFFER_BYTES: usize = 96;

/// Whose sight of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The table.
    pub table: TableId,
    /// The phase.
    pub phase: PhaseNo,
    /// Whether the table is over: then this is the final position, after that phase.
    pub over: bool,
    /// The viewer's seat, if any.
    pub seat: Option<Seat>,
    /// Whether orders are due from that seat.
    pub due: bool,
}

/// What a viewer sees of a position, and can order in it.
#[derive(Debug)]
pub struct Sight {
    /// The view as JSON, for the game's board.
    pub view: String,
    /// What can be ordered now; empty when nothing is due.
    pub slots: Vec<Slot>,
    /// Whether a plot without orders is one the game takes: it is written `pass`.
    pub may_pass: bool,
    /// Whether the viewer's seat is still in play.
    pub active: bool,
}

impl Sight {
    fn of(game: &dyn Game, state: &str, place: Place) -> Result<Sight, Refused> {
        let view = game.view(state, place.seat)?;
        let Some(seat) = place.seat.filter(|_| !place.over) else {
            return Ok(Sight { view, slots: Vec::new(), may_pass: false, active: false });
        };
        let active = game.fates(state)?.get(seat.index()) == Some(&Fate::Active);
        if !place.due {
            return Ok(Sight { view, slots: Vec::new(), may_pass: false, active });
        }
        let desk = game.desk(state, seat)?;
        Ok(Sight { view, slots: desk.offers(), may_pass: desk.examine("pass").faults.is_empty(), active })
    }

    fn bytes(&self) -> usize {
        let offers = self.slots.iter().flat_map(|slot| &slot.offers);
        let offers: usize = offers.map(|offer| offer.order.len() + offer.label.len() + OFFER_BYTES).sum();
        ENTRY_BYTES + self.view.len() + offers
    }
}

#[derive(Clone)]
struct Bytes;

impl Weighter<Place, Arc<Sight>> for Bytes {
    fn weight(&self, _: &Place, sight: &Arc<Sight>) -> u64 {
        u64::try_from(sight.bytes()).unwrap_or(u64::MAX)
    }
}

/// The sights of this process, those asked for lately, up to a weight.
pub struct Sights(Cache<Place, Arc<Sight>, Bytes>);

impl Sights {
    /// None yet.
    pub fn new() -> Sights {
        let usual = usize::try_from(MOST_BYTES).unwrap_or(usize::MAX) / (16 * 1024);
        Sights(Cache::with_weighter(usual, MOST_BYTES, Bytes))
    }

    /// The sight from a place; `state` is asked for only where it has to be worked out.
    pub fn of(
        &self,
        game: &dyn Game,
        place: Place,
        state: impl FnOnce() -> Result<String, Refused>,
    ) -> Result<Arc<Sight>, Refused> {
        if let Some(sight) = self.0.get(&place) {
            return Ok(sight);
        }
        let sight = Arc::new(Sight::of(game, &state()?, place)?);
        self.0.insert(place, Arc::clone(&sight));
        Ok(sight)
    }

    /// The bytes that are kept now.
    pub fn bytes(&self) -> u64 {
        self.0.weight()
    }
}

impl Default for Sights {
    fn default() -> Sights {
        Sights::new()
    }
}
