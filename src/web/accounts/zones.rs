//! The time zones a form offers.

/// Zones of one region, for an `optgroup`; the first group has no region and holds UTC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZoneGroup {
    /// Name of the region, empty for UTC.
    pub region: String,
    /// IANA name and label of each zone, sorted.
    pub zones: Vec<(String, String)>,
}

const REGIONS: [&str; 9] =
    ["Africa", "America", "Antarctica", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific"];

/// All zones named for a place, and UTC. Names kept for old software only, such as `US/Eastern`, are left out;
/// `chosen` is in the list whatever it is, so that a form shows what is stored.
pub fn zones(chosen: &str) -> Vec<ZoneGroup> {
    let mut plain = vec![("UTC".to_owned(), "UTC".to_owned())];
    let known = |name: &str| name == "UTC" || region_of(name).is_some();
    if !chosen.is_empty() && !known(chosen) {
        plain.push((chosen.to_owned(), chosen.to_owned()));
    }
    let mut groups = vec![ZoneGroup { region: String::new(), zones: plain }];
    for region in REGIONS {
        let mut zones: Vec<(String, String)> = chrono_tz::TZ_VARIANTS
            .iter()
            .map(|zone| zone.name())
            .filter(|name| region_of(name) == Some(region))
            .map(|name| (name.to_owned(), name[region.len() + 1..].replace('_', " ").replace('/', ", ")))
            .collect();
        zones.sort();
        groups.push(ZoneGroup { region: region.to_owned(), zones });
    }
    groups
}

fn region_of(name: &str) -> Option<&'static str> {
    let (start, _) = name.split_once('/')?;
    REGIONS.into_iter().find(|region| *region == start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_grouped_and_the_stored_zone_is_always_there() {
        let groups = zones("US/Eastern");
        assert_eq!(groups[0].zones.len(), 2);
        let europe = groups.iter().find(|group| group.region == "Europe").unwrap();
        assert!(europe.zones.contains(&("Europe/Berlin".to_owned(), "Berlin".to_owned())));
        assert_eq!(zones("Europe/Berlin")[0].zones.len(), 1);
        assert!(groups.iter().flat_map(|group| &group.zones).all(|(value, _)| value.parse::<chrono_tz::Tz>().is_ok()));
    }
}
