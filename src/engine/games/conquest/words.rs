//! Piece types, abilities and orders in words.

use super::beams::jammed_by;
use super::data::{
    Ability, AbilityKind, ConditionSide, ConditionTest, Data, ItemUse, Kind, PieceType, Whose, in_words,
};
use super::doctrine::Doctrine;
use super::handle::Handle;
use super::order::{BeamEnd, DoctrineOrder, Order};
use super::view::{TypeView, View};

/// A type as the piece viewer shows it.
pub fn type_view(piece: &PieceType) -> TypeView {
    TypeView {
        id: piece.id.clone(),
        name: piece.name.clone(),
        kind: piece.kind,
        affiliation: in_words(&piece.affiliation),
        skills: piece.skills.iter().map(|skill| in_words(skill)).collect(),
        unique: piece.unique,
        cost: piece.cost,
        combat: piece.combat,
        toughness: piece.toughness,
        abilities: piece.abilities.iter().map(|ability| ability_words(ability, piece.kind)).collect(),
        bearer: piece.item.as_ref().map(bearer_words),
        text: piece.text.clone(),
    }
}

/// An ability of a type of this kind in a few words: `combat +2 against Klingon pieces`.
pub fn ability_words(ability: &Ability, kind: Kind) -> String {
    let amount = ability.amount;
    // Warp and capacity are figures of a ship; items and crew add to them.
    let adds = ability.carrier || kind != Kind::Ship;
    let words = match ability.what {
        AbilityKind::ExtraAction if amount.abs() == 1 => {
            format!("{} action a turn", if amount > 0 { "one more" } else { "one fewer" })
        }
        AbilityKind::ExtraAction if amount > 0 => format!("{amount} more actions a turn"),
        AbilityKind::ExtraAction => format!("{} fewer actions a turn", -amount),
        AbilityKind::Warp if adds => {
            let direction = if amount > 0 { "further" } else { "less far" };
            format!("moves {} {} {direction}", amount.abs(), if amount.abs() == 1 { "region" } else { "regions" })
        }
        AbilityKind::Warp => format!("moves up to {amount} {}", if amount == 1 { "region" } else { "regions" }),
        AbilityKind::Combat => format!("combat {amount:+}"),
        AbilityKind::Toughness if ability.carrier || kind == Kind::Ship => format!("shields {amount:+}"),
        AbilityKind::Toughness if kind == Kind::Person => format!("hit points {amount:+}"),
        AbilityKind::Toughness => format!("shields or hit points {amount:+}"),
        AbilityKind::Repair => {
            format!("repairs {amount} of each own ship in its region, or of the ship it is on, at the end of the turn")
        }
        AbilityKind::Heal => format!("heals {amount} of each own person at its place at the end of the turn"),
        AbilityKind::Income => format!("{amount:+} CP a turn while on a planet its owner controls"),
        AbilityKind::Capacity if adds => {
            format!("room for {} {} people aboard", amount.abs(), if amount > 0 { "more" } else { "fewer" })
        }
        AbilityKind::Capacity if amount == 0 => "carries no people".to_owned(),
        AbilityKind::Capacity => format!("room for {amount} people aboard"),
        switch => switch_words(switch, amount > 0).to_owned(),
    };
    let condition = ability.condition.as_ref().map(|condition| {
        let side = match condition.side {
            ConditionSide::For => "for",
            ConditionSide::Against => "against",
        };
        format!(" {side} {}", test_words(&condition.test))
    });
    let carrier = if ability.carrier { "the ship that carries it: " } else { "" };
    format!("{carrier}{words}{}", condition.unwrap_or_default())
}

fn switch_words(what: AbilityKind, has: bool) -> &'static str {
    match (what, has) {
        (AbilityKind::AttackPriority, true) => "attack priority",
        (AbilityKind::AttackPriority, false) => "takes away attack priority",
        (AbilityKind::MovePriority, true) => "move priority",
        (AbilityKind::MovePriority, false) => "takes away move priority",
        (AbilityKind::DeployPriority, true) => "deploy priority",
        (AbilityKind::DeployPriority, false) => "takes away deploy priority",
        (AbilityKind::Blockade, true) => "blockade: enemy ships may not move into its region",
        (AbilityKind::Blockade, false) => "takes away a blockade",
        (AbilityKind::FreeDefence, true) => "defends once a turn without spending an action",
        (AbilityKind::FreeDefence, false) => "takes away a free defence",
        (AbilityKind::CannotDefend, true) => "cannot defend",
        (AbilityKind::CannotDefend, false) => "may defend again",
        (AbilityKind::CannotAttack, true) => "cannot attack",
        (AbilityKind::CannotAttack, false) => "may attack again",
        (AbilityKind::Jammer, true) => "jammer: the enemy cannot beam to or from its place",
        (AbilityKind::Jammer, false) => "takes away a jammer",
        (other, _) => other.word(),
    }
}

fn test_words(test: &ConditionTest) -> String {
    match test {
        ConditionTest::Affiliation(affiliation) => format!("{} pieces", in_words(affiliation)),
        ConditionTest::Skill(skill) => format!("pieces with {}", in_words(skill)),
        ConditionTest::Kind(kind) => kinds_words(&[*kind]),
    }
}

fn kinds_words(kinds: &[Kind]) -> String {
    let words: Vec<&str> = kinds
        .iter()
        .map(|kind| match kind {
            Kind::Ship => "ships",
            Kind::Person => "people",
            Kind::Item => "items",
            Kind::Q => "Qs",
        })
        .collect();
    words.join(" and ")
}

/// Where an item may be put: `on your own Klingon people with Command`.
pub fn bearer_words(item: &ItemUse) -> String {
    let whose = match item.whose {
        Whose::Own => "your own",
        Whose::Enemy => "enemy",
        Whose::Any => "anybody's",
    };
    let affiliation = item.affiliation.as_ref().map(|id| format!(" {}", in_words(id))).unwrap_or_default();
    let skill = item.skill.as_ref().map(|id| format!(" with {}", in_words(id))).unwrap_or_default();
    format!("on {whose}{affiliation} {}{skill}", kinds_words(&item.bearer))
}

/// A piece as a viewer knows it: `A3 Klingon Lieutenant`, also after it is out of the game.
pub fn piece_words(view: &View, handle: Handle) -> String {
    if let Some(piece) = view.piece(handle) {
        return piece.title();
    }
    match view.removed.iter().find(|removed| removed.handle == handle) {
        Some(removed) => format!("{handle} {}", removed.name),
        None => handle.to_string(),
    }
}

/// Pieces in a row: `A3 X, A4 Y and A5 Z`.
fn pieces_words(view: &View, handles: &[Handle]) -> String {
    let names: Vec<String> = handles.iter().map(|handle| piece_words(view, *handle)).collect();
    listed(&names)
}

/// Words in a row with `and` before the last.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}

/// An order as its player reads it back.
pub fn order_words(data: &Data, view: &View, order: &Order) -> String {
    match order {
        Order::Deploy { what, count, on } => {
            let piece = data.piece(what);
            let name = piece.map_or(what.as_str(), |piece| piece.name.as_str());
            let cost = piece.map_or(0, |piece| piece.cost).saturating_mul(i32::try_from(*count).unwrap_or(i32::MAX));
            let copies = if *count == 1 { String::new() } else { format!("{count} × ") };
            let place = on.map(|bearer| format!(" on {}", piece_words(view, bearer))).unwrap_or_default();
            format!("Deploy {copies}{name}{place} for {cost} CP")
        }
        Order::Attack { who, target } => {
            format!("{} attacks {}", piece_words(view, *who), piece_words(view, *target))
        }
        Order::Defend { who, against } => defend_words(view, *who, *against),
        Order::Damage { amount, to } => format!("{amount} damage goes to {}", piece_words(view, *to)),
        Order::Doctrine(DoctrineOrder::Spare(pieces)) => {
            format!("From now on, lose as few as possible of these: {}", pieces_words(view, pieces))
        }
        Order::Doctrine(DoctrineOrder::Soak(pieces)) => {
            format!("From now on, damage goes to {} rather than to others, until it falls", pieces_words(view, pieces))
        }
        Order::Doctrine(DoctrineOrder::Default) => {
            "From now on, damage is assigned so that you lose the fewest pieces, counting all aboard and on them; then \
             the cheapest"
                .to_owned()
        }
        Order::Doctrine(DoctrineOrder::Ask) => "From now on, you are asked where damage goes".to_owned(),
        Order::Move { ship, to } => {
            let region = view.map.regions.iter().find(|region| region.id == *to);
            let region = region.map_or(to.as_str(), |region| region.name.as_str());
            format!("{} moves to {region}", piece_words(view, *ship))
        }
        Order::Beam { who, to } => {
            let verb = if who.len() == 1 { "beams" } else { "beam" };
            let end = match to {
                BeamEnd::Planet(id) => {
                    let planet = view.map.planets.iter().find(|planet| planet.id == *id);
                    format!("down to {}", planet.map_or(id.as_str(), |planet| planet.name.as_str()))
                }
                BeamEnd::Ship(ship) => format!("aboard {}", piece_words(view, *ship)),
            };
            let jammed = jammed_by(view, order).map(|jammer| {
                format!("; {} is jamming that now, so it will happen only if that changes first", jammer.title())
            });
            format!("{} {verb} {end}{}", pieces_words(view, who), jammed.unwrap_or_default())
        }
        Order::Pass => "Do nothing in this phase".to_owned(),
    }
}

fn defend_words(view: &View, who: Handle, against: Handle) -> String {
    let group = view.combats.iter().find(|group| group.seat != who.seat && group.attackers.contains(&against));
    match group {
        Some(group) => format!(
            "{} defends {} against {}",
            piece_words(view, who),
            if group.target == who { "itself".to_owned() } else { piece_words(view, group.target) },
            pieces_words(view, &group.attackers)
        ),
        None => format!("{} defends against {}", piece_words(view, who), piece_words(view, against)),
    }
}

/// A doctrine as its player reads it.
pub fn doctrine_words(doctrine: &Doctrine, title: impl Fn(Handle) -> String) -> String {
    let names = |handles: &[Handle]| listed(&handles.iter().map(|handle| title(*handle)).collect::<Vec<_>>());
    match doctrine {
        Doctrine::Ask => "ask whenever there is a choice".to_owned(),
        Doctrine::Default => "lose the fewest pieces, then the cheapest".to_owned(),
        Doctrine::Own { spare, soak } => {
            let mut parts = Vec::new();
            if !spare.is_empty() {
                parts.push(format!("spare {}", names(spare)));
            }
            if !soak.is_empty() {
                parts.push(format!("let {} soak it up", names(soak)));
            }
            format!("{}; otherwise lose the fewest pieces, then the cheapest", parts.join(", "))
        }
    }
}
