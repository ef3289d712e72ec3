//! Everything a seat can order now, for pages: one slot for each thing an order can be about.

use super::beams::{jammed_by, leg};
use super::data::{Data, Kind, Whose};
use super::edition::{Jamming, Policy};
use super::handle::Handle;
use super::order::{BeamEnd, DoctrineOrder, Order};
use super::view::{GroupEntry, PhaseKey, PieceView, Place, View};
use super::words::piece_words;
use crate::rules::{Offer, Slot};

/// Heading of the slots about standing orders for damage.
const DOCTRINE: &str = "Damage doctrine";

/// All slots of the view's seat; none when it owes no orders.
pub fn offers(data: &Data, view: &View) -> Vec<Slot> {
    let mut slots: Vec<Slot> = choices(data, view, Policy::current().jamming).collect();
    if view.viewer.is_some_and(|seat| view.due.contains(&seat)) {
        slots.extend(doctrines(view));
    }
    slots
}

/// Whether the seat of the view has anything to choose; without, it is not asked. A doctrine alone is none.
pub fn has_choice(data: &Data, view: &View, jamming: Jamming) -> bool {
    choices(data, view, jamming).next().is_some()
}

/// The slots that are a choice, made one by one as they are asked for.
fn choices<'v>(data: &'v Data, view: &'v View, jamming: Jamming) -> Box<dyn Iterator<Item = Slot> + 'v> {
    if !view.viewer.is_some_and(|seat| view.due.contains(&seat)) {
        return Box::new(std::iter::empty());
    }
    let slots: Box<dyn Iterator<Item = Slot> + 'v> = match view.phase {
        PhaseKey::Deploy => Box::new(deploys(data, view)),
        PhaseKey::Attack => Box::new(attacks(view)),
        PhaseKey::Defence => Box::new(defences(view)),
        PhaseKey::Damage => Box::new(damages(view)),
        PhaseKey::Move => Box::new(movements(data, view, jamming)),
        PhaseKey::Over => Box::new(std::iter::empty()),
    };
    Box::new(slots.filter(|slot| !slot.offers.is_empty()))
}

fn offer(order: &Order, label: String, target: Option<String>) -> Offer {
    Offer { order: order.to_string(), label, target }
}

fn own(view: &View) -> impl Iterator<Item = &PieceView> {
    view.pieces.iter().filter(|piece| Some(piece.seat) == view.viewer)
}

fn enemies(view: &View) -> impl Iterator<Item = &PieceView> {
    view.pieces.iter().filter(|piece| Some(piece.seat) != view.viewer)
}

fn deploys<'v>(data: &'v Data, view: &'v View) -> impl Iterator<Item = Slot> + 'v {
    let affordable = view.group.iter().filter(|entry| entry.affordable > 0);
    affordable.flat_map(|entry| deploy(data, view, entry))
}

fn deploy(data: &Data, view: &View, entry: &GroupEntry) -> Vec<Slot> {
    let piece = &data.pieces[&entry.type_id];
    let in_play =
        |other: &PieceView| other.type_id == piece.id || other.items.iter().any(|item| item.type_id == piece.id);
    if piece.unique && view.pieces.iter().any(in_play) {
        return Vec::new();
    }
    let slot = |key: String, group: &str, offers: Vec<Offer>| Slot {
        key,
        subject: Some(piece.id.clone()),
        group: group.to_owned(),
        label: format!("{} ({} CP)", piece.name, piece.cost),
        offers,
    };
    let order = |count: u32, on: Option<Handle>| Order::Deploy { what: piece.id.clone(), count, on };
    let Some(item) = &piece.item else {
        let copies = (1..=entry.affordable).map(|count| {
            let label = if count == 1 { "deploy".to_owned() } else { format!("deploy {count} of them") };
            offer(&order(count, None), label, None)
        });
        let group = if piece.kind == Kind::Ship { "Ships to deploy" } else { "People to deploy" };
        return vec![slot(format!("deploy:{}", piece.id), group, copies.collect())];
    };
    let bearers = view.pieces.iter().filter(|bearer| {
        let whose = match item.whose {
            Whose::Own => Some(bearer.seat) == view.viewer,
            Whose::Enemy => Some(bearer.seat) != view.viewer,
            Whose::Any => true,
        };
        bearer.kind != Kind::Q && whose && item.suits(&data.pieces[&bearer.type_id])
    });
    let offers: Vec<Offer> = bearers
        .map(|bearer| {
            let label = format!("put on {}", bearer.title());
            offer(&order(1, Some(bearer.handle)), label, Some(bearer.handle.to_string()))
        })
        .collect();
    let copies = 1..=entry.affordable;
    copies.map(|copy| slot(format!("deploy:{}:{copy}", piece.id), "Items to deploy", offers.clone())).collect()
}

fn attacks(view: &View) -> impl Iterator<Item = Slot> + '_ {
    own(view)
        .filter(|piece| piece.powers.can_attack && piece.actions > 0 && !matches!(piece.place, Place::Aboard(_)))
        .map(move |piece| Slot {
            key: format!("attack:{}", piece.handle),
            subject: Some(piece.handle.to_string()),
            group: if piece.kind == Kind::Ship { "Ships" } else { "People" }.to_owned(),
            label: piece.title(),
            offers: enemies(view)
                .filter(|enemy| enemy.kind == piece.kind && enemy.place == piece.place)
                .map(|enemy| {
                    let order = Order::Attack { who: piece.handle, target: enemy.handle };
                    offer(&order, format!("attack {}", enemy.title()), Some(enemy.handle.to_string()))
                })
                .collect(),
        })
}

fn defences(view: &View) -> impl Iterator<Item = Slot> + '_ {
    own(view).filter(|piece| piece.powers.can_defend && (piece.actions > 0 || piece.powers.free_defence)).map(
        move |piece| Slot {
            key: format!("defend:{}", piece.handle),
            subject: Some(piece.handle.to_string()),
            group: if piece.kind == Kind::Ship { "Ships" } else { "People" }.to_owned(),
            label: piece.title(),
            offers: defence_offers(view, piece),
        },
    )
}

fn defence_offers(view: &View, piece: &PieceView) -> Vec<Offer> {
    let mut offers = Vec::new();
    for group in view.combats.iter().filter(|group| group.seat != piece.seat) {
        let Some(against) = group.attackers.iter().find_map(|attacker| view.piece(*attacker)) else { continue };
        if against.kind != piece.kind || against.place != piece.place {
            continue;
        }
        let whom = if group.target == piece.handle { "itself".to_owned() } else { piece_words(view, group.target) };
        let attackers: Vec<String> = group.attackers.iter().map(|handle| piece_words(view, *handle)).collect();
        let label = format!("defend {whom} against {}", super::words::listed(&attackers));
        let order = Order::Defend { who: piece.handle, against: against.handle };
        offers.push(offer(&order, label, Some(against.handle.to_string())));
    }
    offers
}

fn damages(view: &View) -> impl Iterator<Item = Slot> + '_ {
    let mine = view.blows.iter().enumerate().filter(|(_, blow)| Some(blow.seat) == view.viewer);
    mine.map(move |(index, blow)| Slot {
        key: format!("damage:{index}"),
        subject: None,
        group: format!("Damage from the combat over {}", piece_words(view, view.combats[blow.combat].target)),
        label: format!("{} from {}", blow.amount, piece_words(view, blow.from)),
        offers: blow
            .possible
            .iter()
            .map(|(handle, takes)| {
                let order = Order::Damage { amount: blow.amount, to: *handle };
                let left = view.piece(*handle).map_or(0, |piece| piece.left);
                let title = piece_words(view, *handle);
                let label = if *takes == blow.amount {
                    format!("to {title} ({left} left)")
                } else {
                    format!("to {title} ({left} left, takes {takes})")
                };
                offer(&order, label, Some(handle.to_string()))
            })
            .collect(),
    })
}

fn movements<'v>(data: &'v Data, view: &'v View, jamming: Jamming) -> impl Iterator<Item = Slot> + 'v {
    let moves = own(view).filter(|piece| piece.kind == Kind::Ship && piece.actions > 0).map(move |ship| Slot {
        key: format!("move:{}", ship.handle),
        subject: Some(ship.handle.to_string()),
        group: "Ships".to_owned(),
        label: ship.title(),
        offers: move_offers(view, ship),
    });
    let beams = own(view).filter(|piece| piece.kind != Kind::Ship).map(move |piece| Slot {
        key: format!("beam:{}", piece.handle),
        subject: Some(piece.handle.to_string()),
        group: "People and Q".to_owned(),
        label: format!("{}, {}", piece.title(), view.place_words(piece.place)),
        offers: beam_offers(data, view, piece, jamming),
    });
    moves.chain(beams)
}

fn move_offers(view: &View, ship: &PieceView) -> Vec<Offer> {
    let near = |region: &usize| (1..=ship.powers.reach).contains(&region.abs_diff(ship.region));
    (0..view.map.regions.len())
        .filter(near)
        .map(|region| {
            let region = &view.map.regions[region];
            let order = Order::Move { ship: ship.handle, to: region.id.clone() };
            offer(&order, format!("move to {}", region.name), Some(region.id.clone()))
        })
        .collect()
}

/// Every planet of the region and every own ship there is a possible end; the check of orders says which
/// of them one beam can be for.
fn beam_offers(data: &Data, view: &View, piece: &PieceView, jamming: Jamming) -> Vec<Offer> {
    let planets = view.map.planets.iter().filter(|planet| planet.region == piece.region).map(|planet| {
        let words = format!("beam down to {}", planet.name);
        (BeamEnd::Planet(planet.id.clone()), words, planet.id.clone())
    });
    let ships = own(view)
        .filter(|ship| ship.kind == Kind::Ship && ship.region == piece.region)
        .map(|ship| (BeamEnd::Ship(ship.handle), format!("beam aboard {}", ship.title()), ship.handle.to_string()));
    let planet_index = |id: &str| view.map.planets.iter().position(|planet| planet.id == id);
    planets
        .chain(ships)
        .filter(|(end, _, _)| leg(piece.place, end, planet_index).is_some())
        .filter_map(|(end, words, target)| {
            let order = Order::Beam { who: vec![piece.handle], to: end };
            if !super::check::is_legal(data, view, &order) {
                return None;
            }
            match (jammed_by(view, &order), jamming) {
                (None, _) => Some(offer(&order, words, Some(target))),
                (Some(_), Jamming::Plotted) => None,
                (Some(jammer), Jamming::CarriedOut) => {
                    Some(offer(&order, format!("{words} (jammed by {} now)", jammer.title()), Some(target)))
                }
            }
        })
        .collect()
}

/// Whether this phase takes doctrines, and for whom they could matter.
fn doctrines(view: &View) -> Vec<Slot> {
    if !matches!(view.phase, PhaseKey::Attack | PhaseKey::Defence | PhaseKey::Damage) {
        return Vec::new();
    }
    let whole = [
        (DoctrineOrder::Ask, "ask me whenever there is a choice"),
        (DoctrineOrder::Default, "lose the fewest pieces, then the cheapest"),
    ];
    let mut slots = vec![Slot {
        key: "doctrine".to_owned(),
        subject: None,
        group: DOCTRINE.to_owned(),
        label: "From now on".to_owned(),
        offers: whole
            .into_iter()
            .map(|(doctrine, label)| offer(&Order::Doctrine(doctrine), label.to_owned(), None))
            .collect(),
    }];
    let in_reach = |piece: &&PieceView| {
        piece.kind != Kind::Q
            && !matches!(piece.place, Place::Aboard(_))
            && enemies(view).any(|enemy| enemy.kind == piece.kind && enemy.place == piece.place)
    };
    slots.extend(own(view).filter(in_reach).map(|piece| Slot {
        key: format!("doctrine:{}", piece.handle),
        subject: Some(piece.handle.to_string()),
        group: DOCTRINE.to_owned(),
        label: piece.title(),
        offers: vec![
            offer(&Order::Doctrine(DoctrineOrder::Spare(vec![piece.handle])), "spare it".to_owned(), None),
            offer(&Order::Doctrine(DoctrineOrder::Soak(vec![piece.handle])), "let it soak damage up".to_owned(), None),
        ],
    }));
    slots
}
