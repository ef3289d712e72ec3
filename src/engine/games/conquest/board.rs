//! The figures of pieces in play: what the type says, with items, crew and damage counted in.

use super::data::{Ability, AbilityKind, Condition, ConditionSide, Data, GameMap, Kind, PieceType};
use super::handle::Handle;
use super::state::{Blow, Fight, Piece, State};
use super::view::Place;
use crate::rules::Seat;

/// A state together with the data it is played with.
#[derive(Clone, Copy)]
pub struct Board<'a> {
    /// Maps and piece types.
    pub data: &'a Data,
    /// The map of this game.
    pub map: &'a GameMap,
    /// The state.
    pub state: &'a State,
}

impl<'a> Board<'a> {
    /// Puts a state together with its data.
    pub fn new(data: &'a Data, state: &'a State) -> Board<'a> {
        let map = data.map(&state.map).expect("a table keeps the content that holds its map");
        Board { data, map, state }
    }

    /// The type with this id.
    pub fn kind_of(&self, type_id: &str) -> &'a PieceType {
        self.data.piece(type_id).expect("a table keeps the content that holds its pieces")
    }

    /// The piece with this handle, in play or removed. Handles of a state are always those of its pieces.
    pub fn piece(&self, handle: Handle) -> &'a Piece {
        self.state.pieces.get(&handle).expect("a state names only pieces it has")
    }

    /// The type of the piece with this handle.
    pub fn type_of(&self, handle: Handle) -> &'a PieceType {
        self.kind_of(&self.piece(handle).type_id)
    }

    /// Handles of all pieces in play.
    pub fn in_play(&self) -> impl Iterator<Item = Handle> + use<'a> {
        self.state.pieces.iter().filter(|(_, piece)| piece.place.is_some()).map(|(handle, _)| *handle)
    }

    /// Index of the region a piece in play is in, also when on a planet or aboard.
    pub fn region(&self, handle: Handle) -> Option<usize> {
        match self.state.place(handle)? {
            Place::Region(region) => Some(region),
            Place::Planet(planet) => Some(self.map.planets[planet].region),
            Place::Aboard(ship) => match self.state.place(ship)? {
                Place::Region(region) => Some(region),
                _ => None,
            },
        }
    }

    /// People and Q aboard a ship; they are always of its side.
    pub fn crew(&self, ship: Handle) -> impl Iterator<Item = Handle> + use<'a> {
        let side = Handle::q(ship.seat)..=Handle { seat: ship.seat, no: u32::MAX };
        let pieces = self.state.pieces.range(side);
        pieces.filter(move |(_, piece)| piece.place == Some(Place::Aboard(ship))).map(|(handle, _)| *handle)
    }

    /// People aboard a ship; a Q takes no room.
    pub fn people_aboard(&self, ship: Handle) -> usize {
        self.crew(ship).filter(|handle| self.type_of(*handle).kind == Kind::Person).count()
    }

    /// Whether a piece of this type, item or other, is in play on either side.
    pub fn type_in_play(&self, type_id: &str) -> bool {
        self.in_play().any(|handle| {
            let piece = self.piece(handle);
            piece.type_id == type_id || piece.items.iter().any(|item| item.type_id == type_id)
        })
    }

    /// Everything that counts for a piece: its own abilities, its items', and the carrier bonuses of its crew.
    pub fn sheet(&self, handle: Handle) -> Sheet<'a> {
        let mut sheet = Sheet { own: self.type_of(handle), abilities: Vec::new() };
        self.collect(handle, false, &mut sheet.abilities);
        if sheet.own.kind == Kind::Ship {
            for member in self.crew(handle) {
                self.collect(member, true, &mut sheet.abilities);
            }
        }
        sheet
    }

    fn collect(&self, handle: Handle, carrier: bool, into: &mut Vec<(&'a PieceType, &'a Ability)>) {
        let piece = self.piece(handle);
        let items = piece.items.iter().map(|item| &item.type_id);
        for type_id in std::iter::once(&piece.type_id).chain(items) {
            let source = self.kind_of(type_id);
            for ability in source.abilities.iter().filter(|ability| ability.carrier == carrier) {
                into.push((source, ability));
            }
        }
    }

    /// The sum of an ability over everything that counts for the piece, whatever it fights.
    pub fn sum(&self, handle: Handle, what: AbilityKind) -> i32 {
        self.sheet(handle).sum(what)
    }

    /// What an ability adds against these opponents: a condition holds if one of them passes it.
    fn sum_against(&self, handle: Handle, what: AbilityKind, foes: &[Handle]) -> i32 {
        self.sheet(handle).sum_if(what, |condition| {
            condition.side == ConditionSide::Against
                && foes.iter().any(|foe| condition.test.holds_for(self.type_of(*foe)))
        })
    }

    /// Whether a piece has an ability that is had or not had.
    pub fn has(&self, handle: Handle, what: AbilityKind) -> bool {
        self.sheet(handle).has(what)
    }

    /// Shields or hit points of the undamaged piece; 0 for a Q.
    pub fn toughness(&self, handle: Handle) -> i32 {
        self.sheet(handle).toughness()
    }

    /// Shields or hit points left; at zero or less the piece falls.
    pub fn left(&self, handle: Handle) -> i32 {
        self.toughness(handle) - self.piece(handle).damage
    }

    /// What a piece takes of an amount dealt by this opponent: toughness against it holds off that much of
    /// every amount.
    pub fn takes(&self, handle: Handle, amount: i32, from: Handle) -> i32 {
        (amount - self.sum_against(handle, AbilityKind::Toughness, &[from])).max(0)
    }

    /// Least and most damage of one attack or defence against these opponents.
    pub fn combat_against(&self, handle: Handle, foes: &[Handle]) -> (i32, i32) {
        self.sheet(handle).combat(self.sum_against(handle, AbilityKind::Combat, foes))
    }

    /// Actions the piece gets at the start of a turn.
    pub fn actions_most(&self, handle: Handle) -> i32 {
        self.sheet(handle).actions_most()
    }

    /// Actions left this turn.
    pub fn actions(&self, handle: Handle) -> i32 {
        (self.actions_most(handle) - self.piece(handle).used).max(0)
    }

    /// Whether the piece can still defend this turn without spending an action.
    pub fn free_defence(&self, handle: Handle) -> bool {
        !self.piece(handle).free_used && self.has(handle, AbilityKind::FreeDefence)
    }

    /// The enemy piece that keeps this side from beaming between the region's ships and this other end;
    /// `planet` is the other end where it is one.
    pub fn jammer(&self, seat: Seat, region: usize, planet: Option<usize>) -> Option<Handle> {
        self.in_play().find(|handle| {
            handle.seat != seat
                && match self.state.place(*handle) {
                    Some(Place::Region(at)) => at == region,
                    Some(Place::Planet(at)) => Some(at) == planet,
                    Some(Place::Aboard(_)) | None => false,
                }
                && self.has(*handle, AbilityKind::Jammer)
        })
    }

    /// The enemy piece that keeps this side's ships from moving into a region.
    pub fn blockader(&self, seat: Seat, region: usize) -> Option<Handle> {
        self.in_play().find(|handle| {
            handle.seat != seat && self.region(*handle) == Some(region) && self.has(*handle, AbilityKind::Blockade)
        })
    }

    /// Whether a side's Q is on a planet the side does not control.
    pub fn in_cheq(&self, seat: Seat) -> bool {
        match self.state.place(Handle::q(seat)) {
            Some(Place::Planet(planet)) => self.state.control[planet] != Some(seat),
            _ => false,
        }
    }

    /// Planets a side controls.
    pub fn planets(&self, seat: Seat) -> usize {
        self.state.control.iter().filter(|control| **control == Some(seat)).count()
    }

    /// What the Start phase pays a side: planets, Q, abilities of pieces on planets it controls.
    pub fn income(&self, seat: Seat) -> (i32, i32, i32) {
        let controlled = |planet: usize| self.state.control[planet] == Some(seat);
        let planets = (0..self.map.planets.len()).filter(|planet| controlled(*planet));
        let planets = planets.map(|planet| self.map.planets[planet].income).sum();
        let pieces = self
            .in_play()
            .filter(|handle| handle.seat == seat)
            .filter(|handle| matches!(self.state.place(*handle), Some(Place::Planet(at)) if controlled(at)))
            .map(|handle| self.sum(handle, AbilityKind::Income))
            .sum();
        (planets, self.map.q_income, pieces)
    }

    /// The pieces a blow may go to: those of the other side in its group that are in play and stand above
    /// zero. The target comes first, then defenders; attackers in plot order.
    pub fn may_take(&self, fight: &Fight, blow: &Blow) -> Vec<Handle> {
        let group = &fight.groups[blow.group];
        let mut takers = Vec::new();
        if blow.from.seat == group.seat {
            takers.push(group.target);
            takers.extend(group.defenders.iter().filter(|defender| **defender != group.target));
        } else {
            takers.extend(&group.attackers);
        }
        takers.retain(|handle| self.state.in_play(*handle).is_some() && self.left(*handle) > 0);
        takers
    }
}

/// Everything that counts for one piece, gathered once.
pub struct Sheet<'a> {
    /// The type of the piece.
    pub own: &'a PieceType,
    /// Abilities, each with the type it comes from: the piece itself, an item, or a member of its crew.
    pub abilities: Vec<(&'a PieceType, &'a Ability)>,
}

impl Sheet<'_> {
    /// The sum of an ability, whatever the piece fights.
    pub fn sum(&self, what: AbilityKind) -> i32 {
        let counts = |condition: &Condition| condition.side == ConditionSide::For && condition.test.holds_for(self.own);
        let always = self.abilities.iter().filter(|(_, ability)| ability.what == what && ability.condition.is_none());
        always.map(|(_, ability)| ability.amount).sum::<i32>() + self.sum_if(what, counts)
    }

    /// The sum of an ability where it has a condition that counts.
    fn sum_if(&self, what: AbilityKind, counts: impl Fn(&Condition) -> bool) -> i32 {
        let all = self.abilities.iter().filter(|(_, ability)| ability.what == what);
        all.filter(|(_, ability)| ability.condition.as_ref().is_some_and(&counts))
            .map(|(_, ability)| ability.amount)
            .sum()
    }

    /// Whether the piece has an ability that is had or not had.
    pub fn has(&self, what: AbilityKind) -> bool {
        self.sum(what) > 0
    }

    /// Shields or hit points of the undamaged piece; 0 for a Q.
    pub fn toughness(&self) -> i32 {
        if self.own.kind == Kind::Q { 0 } else { (self.own.toughness + self.sum(AbilityKind::Toughness)).max(0) }
    }

    /// Least and most damage of one attack or defence, `bonus` being what counts only against the opponent.
    pub fn combat(&self, bonus: i32) -> (i32, i32) {
        if self.own.kind == Kind::Q {
            return (0, 0);
        }
        let bonus = bonus + self.sum(AbilityKind::Combat);
        let (low, high) = self.own.combat;
        ((low + bonus).max(0), (high + bonus).max(0))
    }

    /// Actions at the start of a turn.
    pub fn actions_most(&self) -> i32 {
        match self.own.kind {
            Kind::Q | Kind::Item => 0,
            Kind::Ship | Kind::Person => (1 + self.sum(AbilityKind::ExtraAction)).max(0),
        }
    }

    /// Regions a ship can move in one action: its type's warp or 1, and what items and crew add or take away.
    pub fn reach(&self) -> usize {
        let base = if self.type_alone_has(AbilityKind::Warp) { 0 } else { 1 };
        usize::try_from(base + self.sum(AbilityKind::Warp)).unwrap_or(0)
    }

    /// Room for people aboard: what the type says, and what items and crew add or take away. `None` when the
    /// type sets no limit.
    pub fn capacity(&self) -> Option<usize> {
        let limited = self.type_alone_has(AbilityKind::Capacity);
        limited.then(|| usize::try_from(self.sum(AbilityKind::Capacity)).unwrap_or(0))
    }

    fn type_alone_has(&self, what: AbilityKind) -> bool {
        self.own.abilities.iter().any(|ability| ability.what == what && !ability.carrier)
    }
}
