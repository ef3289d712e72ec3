//! The pieces of ConQuest as a catalogue, and its rules in brief.

use std::any::Any;

use super::{ConquestBoard, sheet};
use crate::games::conquest::data::{Data, Kind};
use crate::games::conquest::type_view;
use crate::games::conquest::view::TypeView;
use crate::web::boards::{Catalogue, LoadoutTerms, Sort};

impl Catalogue for ConquestBoard {
    fn sorts(&self, data: &dyn Any) -> Vec<Sort> {
        let Some(data) = data.downcast_ref::<Data>() else { return Vec::new() };
        let family = |sort: &TypeView| data.affiliations.iter().position(|id| data.pieces[&sort.id].affiliation == *id);
        let mut sorts: Vec<TypeView> = data.pieces.values().map(type_view).collect();
        sorts.sort_by_key(|sort| (order(sort.kind), family(sort), sort.cost, sort.name.clone()));
        sorts.into_iter().map(|sort| entry(data, sort)).collect()
    }

    fn loadout(&self, data: &dyn Any) -> Option<LoadoutTerms> {
        let size = data.downcast_ref::<Data>()?.rules.group_size;
        Some(LoadoutTerms { name: "Control Group", size })
    }

    fn rules(&self) -> &'static str {
        include_str!("../../../../templates/boards/conquest/rules.html")
    }
}

fn order(kind: Kind) -> u8 {
    match kind {
        Kind::Q => 0,
        Kind::Ship => 1,
        Kind::Person => 2,
        Kind::Item => 3,
    }
}

fn entry(data: &Data, sort: TypeView) -> Sort {
    let leader = sort.kind == Kind::Q;
    let mut traits = sort.abilities.clone();
    if !sort.skills.is_empty() {
        traits.insert(0, sort.skills.join(", "));
    }
    Sort {
        heading: match sort.kind {
            Kind::Q => "The Q",
            Kind::Ship => "Ships",
            Kind::Person => "People",
            Kind::Item => "Items",
        },
        cost: if leader { String::new() } else { format!("{} CP", sort.cost) },
        figures: sheet::figures_in_short(&sort),
        traits,
        most: if leader { 1 } else { data.rules.copies },
        leader,
        family: sort.affiliation,
        unique: sort.unique,
        text: sort.text,
        name: sort.name,
        id: sort.id,
    }
}
