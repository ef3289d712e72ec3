//! Builds the view of a game, field by field, from the state.

use std::collections::{BTreeMap, BTreeSet};

use super::board::{Board, Sheet};
use super::data::{AbilityKind, Kind};
use super::doctrine::Doctrine;
use super::edition::Jamming;
use super::handle::Handle;
use super::offers::has_choice;
use super::state::{Item, SEATS, Stage};
use super::tell::outcome_words;
use super::view::{
    BlowView, CombatView, GroupEntry, InitiativeView, ItemView, MapView, OutcomeView, PhaseKey, PieceView, PlanetView,
    Powers, RegionView, RemovedView, SideView, TypeView, View,
};
use super::words::{ability_words, type_view};
use crate::rules::{Fate, Seat};

/// The view with everything pages need.
pub fn view(board: Board<'_>, viewer: Option<Seat>) -> View {
    let mut view = plain_view(board, viewer);
    view.types = types(board, &view);
    for piece in &mut view.pieces {
        piece.powers.in_words = powers_words(board, piece.handle);
    }
    view
}

/// The view without texts about types and abilities: all that orders are read, checked and offered with.
pub fn plain_view(board: Board<'_>, viewer: Option<Seat>) -> View {
    let mut view = open_view(board);
    look_as(board, &mut view, viewer);
    view
}

/// Seats that owe orders in the phase that opens: those with a choice that their standing orders don't make.
pub fn due(board: Board<'_>, jamming: Jamming) -> Vec<Seat> {
    let state = board.state;
    if matches!(state.stage, Stage::Start | Stage::Over(_)) {
        return Vec::new();
    }
    let mut view = open_view(board);
    let asked = |seat: &Seat| {
        let side = state.side(*seat);
        if state.stage.phase() == PhaseKey::Damage && side.doctrine != Doctrine::Ask {
            return false;
        }
        view.due = vec![*seat];
        look_as(board, &mut view, Some(*seat));
        side.fate == Fate::Active && has_choice(board.data, &view, jamming)
    };
    SEATS.into_iter().filter(asked).collect()
}

/// Fills in what this viewer alone may know, in place of what another might.
pub fn look_as(board: Board<'_>, view: &mut View, viewer: Option<Seat>) {
    view.viewer = viewer;
    view.group = viewer.map(|seat| group(board, seat)).unwrap_or_default();
    view.doctrine = viewer.map(|seat| board.state.side(seat).doctrine.clone());
    let last_turn = board.data.rules.last_turn;
    view.outcome = board.state.outcome().map(|outcome| OutcomeView {
        winner: outcome.winner(),
        key: outcome.key(),
        words: outcome_words(outcome, viewer, last_turn),
    });
}

/// What everybody may know.
pub fn open_view(board: Board<'_>) -> View {
    let state = board.state;
    View {
        viewer: None,
        turn: state.turn,
        last_turn: board.data.rules.last_turn,
        phase: state.stage.phase(),
        due: state.due.clone(),
        map: map(board),
        sides: SEATS.map(|seat| side(board, seat)).to_vec(),
        pieces: board.in_play().map(|handle| piece(board, handle)).collect(),
        removed: removed(board),
        types: BTreeMap::new(),
        group: Vec::new(),
        doctrine: None,
        initiative: state.fight().filter(|fight| fight.both).map(|fight| InitiativeView {
            first: fight.initiative.first,
            cp: fight.initiative.cp,
            by_dice: fight.initiative.by_dice,
        }),
        combats: combats(board),
        blows: blows(board),
        outcome: None,
    }
}

fn map(board: Board<'_>) -> MapView {
    let map = board.map;
    let home = |region: usize| SEATS.into_iter().find(|seat| map.home_region(*seat) == region);
    MapView {
        id: map.id.clone(),
        name: map.name.clone(),
        regions: map
            .regions
            .iter()
            .enumerate()
            .map(|(at, region)| RegionView { id: region.id.clone(), name: region.name.clone(), home: home(at) })
            .collect(),
        planets: map
            .planets
            .iter()
            .zip(&board.state.control)
            .map(|(planet, control)| PlanetView {
                id: planet.id.clone(),
                name: planet.name.clone(),
                region: planet.region,
                income: planet.income,
                home: planet.home,
                control: *control,
            })
            .collect(),
    }
}

fn side(board: Board<'_>, seat: Seat) -> SideView {
    let side = board.state.side(seat);
    let (planets, q, pieces) = board.income(seat);
    SideView {
        seat,
        cp: side.cp,
        income: planets + q + pieces,
        planets: u32::try_from(board.planets(seat)).unwrap_or(u32::MAX),
        group_size: side.group_size(),
        cheq: side.cheq,
        fate: side.fate,
    }
}

fn group(board: Board<'_>, seat: Seat) -> Vec<GroupEntry> {
    let side = board.state.side(seat);
    let mut entries: Vec<_> = side.group.iter().map(|(id, count)| (board.kind_of(id), *count)).collect();
    entries.sort_by_key(|(piece, _)| (piece.kind, piece.name.as_str()));
    entries
        .into_iter()
        .map(|(piece, count)| {
            let copies = if piece.unique { 1 } else { count };
            let paid = if piece.cost > 0 { u32::try_from(side.cp / piece.cost).unwrap_or(0) } else { copies };
            GroupEntry { type_id: piece.id.clone(), count, affordable: paid.min(copies) }
        })
        .collect()
}

fn items(board: Board<'_>, items: &[Item]) -> Vec<ItemView> {
    items
        .iter()
        .map(|item| ItemView {
            type_id: item.type_id.clone(),
            name: board.kind_of(&item.type_id).name.clone(),
            owner: item.owner,
        })
        .collect()
}

fn piece(board: Board<'_>, handle: Handle) -> PieceView {
    let piece = board.piece(handle);
    let sheet = board.sheet(handle);
    let own = sheet.own;
    let (toughness, actions_most) = (sheet.toughness(), sheet.actions_most());
    PieceView {
        handle,
        seat: handle.seat,
        type_id: own.id.clone(),
        name: own.name.clone(),
        kind: own.kind,
        place: piece.place.expect("only pieces in play are shown"),
        region: board.region(handle).expect("a piece in play is in a region"),
        combat: sheet.combat(0),
        base_combat: own.combat,
        toughness,
        base_toughness: own.toughness,
        damage: piece.damage,
        left: toughness - piece.damage,
        actions: (actions_most - piece.used).max(0),
        actions_most,
        items: items(board, &piece.items),
        crew: if own.kind == Kind::Ship { board.crew(handle).collect() } else { Vec::new() },
        hit: piece.hit,
        damaged: own.kind != Kind::Q && toughness > 0 && piece.damage * 2 >= toughness,
        in_cheq: own.kind == Kind::Q && board.in_cheq(handle.seat),
        powers: powers(&sheet, piece.free_used),
    }
}

fn powers(sheet: &Sheet<'_>, free_used: bool) -> Powers {
    let kind = sheet.own.kind;
    let (fights, is_ship) = (matches!(kind, Kind::Ship | Kind::Person), kind == Kind::Ship);
    Powers {
        attack_priority: sheet.has(AbilityKind::AttackPriority),
        move_priority: sheet.has(AbilityKind::MovePriority),
        can_attack: fights && !sheet.has(AbilityKind::CannotAttack),
        can_defend: fights && !sheet.has(AbilityKind::CannotDefend),
        free_defence: fights && !free_used && sheet.has(AbilityKind::FreeDefence),
        blockade: sheet.has(AbilityKind::Blockade),
        jammer: sheet.has(AbilityKind::Jammer),
        reach: if is_ship { sheet.reach() } else { 0 },
        capacity: if is_ship { sheet.capacity() } else { None },
        in_words: Vec::new(),
    }
}

fn powers_words(board: Board<'_>, handle: Handle) -> Vec<String> {
    let sheet = board.sheet(handle);
    sheet
        .abilities
        .iter()
        .map(|(source, ability)| {
            let words = ability_words(ability, source.kind);
            if source.id == sheet.own.id { words } else { format!("{words} ({})", source.name) }
        })
        .collect()
}

fn removed(board: Board<'_>) -> Vec<RemovedView> {
    let gone = board.state.pieces.iter().filter(|(_, piece)| piece.place.is_none());
    gone.map(|(handle, piece)| RemovedView {
        handle: *handle,
        type_id: piece.type_id.clone(),
        name: board.kind_of(&piece.type_id).name.clone(),
        items: items(board, &piece.items),
    })
    .collect()
}

fn types(board: Board<'_>, view: &View) -> BTreeMap<String, TypeView> {
    let in_play = view.pieces.iter().map(|piece| (&piece.type_id, &piece.items));
    let out = view.removed.iter().map(|piece| (&piece.type_id, &piece.items));
    let mut ids: BTreeSet<&str> = BTreeSet::new();
    for (type_id, items) in in_play.chain(out) {
        ids.insert(type_id);
        ids.extend(items.iter().map(|item| item.type_id.as_str()));
    }
    ids.extend(view.group.iter().map(|entry| entry.type_id.as_str()));
    ids.into_iter().map(|id| (id.to_owned(), type_view(board.kind_of(id)))).collect()
}

fn combats(board: Board<'_>) -> Vec<CombatView> {
    let Some(fight) = board.state.fight() else { return Vec::new() };
    fight
        .groups
        .iter()
        .map(|group| CombatView {
            seat: group.seat,
            target: group.target,
            attackers: group.attackers.clone(),
            defenders: group.defenders.clone(),
            priority: group.priority,
            wave: fight.wave_of(group),
            status: group.status,
        })
        .collect()
}

fn blows(board: Board<'_>) -> Vec<BlowView> {
    let Some(fight) = board.state.fight().filter(|_| board.state.stage.phase() == PhaseKey::Damage) else {
        return Vec::new();
    };
    fight
        .blows
        .iter()
        .map(|blow| BlowView {
            seat: super::state::other(blow.from.seat),
            amount: blow.amount,
            from: blow.from,
            combat: blow.group,
            possible: board
                .may_take(fight, blow)
                .into_iter()
                .map(|handle| (handle, board.takes(handle, blow.amount, blow.from)))
                .collect(),
        })
        .collect()
}
