use super::*;

const SECTOR: &str = include_str!("../../../../config/games/imperial-conflict/maps/sector.toml");

#[test]
fn the_stock_maps_are_good() {
    let data = crate::games::imperial_conflict::tests::data();
    let found: Vec<_> = data.maps.iter().map(|map| (map.id.as_str(), map.countries.len(), map.links.len())).collect();
    assert_eq!(found, [("world", 42, 25), ("sector", 24, 8)]);
}
