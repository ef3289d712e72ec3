//! Every finding about a map, each on a small good map with one thing changed.

use super::*;

/// Four squares in a row, the last one across a gap.
const SMALL: &str = r##"id = "small"
name = "Small"
view_box = "0 0 400 100"
players = [2, 4]

[[continent]]
id = "west"
name = "West"
bonus = 2
colour = "#d9b44a"

[[continent]]
id = "east"
name = "East"
bonus = 1

[[country]]
code = "ONE"
name = "First"
continent = "west"
neighbours = ["TWO"]
label = [50, 50]
outline = "M0 0L100 0L100 100L0 100Z"

[[country]]
code = "TWO"
name = "Second"
continent = "west"
neighbours = ["ONE", "TRE"]
label = [150.5, 50]
outline = "M100 0L200 0L200 100L100 100Z"

[[country]]
code = "TRE"
name = "Third"
continent = "east"
neighbours = ["TWO", "FOR"]
label = [250, 50]
outline = "M200 0L290 0L290 100L200 100Z"

[[country]]
code = "FOR"
name = "Fourth"
continent = "east"
neighbours = ["TRE"]
label = [350, 50]
outline = "M310 0L400 0L400 100L310 100Z"

[[sea_link]]
from = "TRE"
to = "FOR"
paths = [[[290, 50], [310, 50]]]
"##;

/// The faults of the small map with one text in it replaced.
fn faults(from: &str, to: &str) -> Vec<DataFault> {
    assert!(SMALL.contains(from), "{from} is not in the map");
    let text = SMALL.replacen(from, to, 1);
    read_map("maps/small.toml", &text).map(|map| map.id).expect_err("the changed map was taken")
}

/// Each change causes a fault with these words in this line.
fn each_is_found(cases: &[(&str, &str, usize, &str)]) {
    for (from, to, line, words) in cases {
        let found = faults(from, to);
        let told = found.iter().any(|fault| fault.line == Some(*line) && fault.message.contains(words));
        let all: Vec<String> = found.iter().map(DataFault::to_string).collect();
        assert!(told, "“{from}” to “{to}”: wanted line {line}, “{words}”, found\n{}", all.join("\n"));
    }
}

#[test]
fn the_small_map_is_good_and_read_whole() {
    let map = read_map("maps/small.toml", SMALL).unwrap();
    assert_eq!((map.countries.len(), map.continents.len(), map.links.len()), (4, 2, 1));
    assert_eq!((map.least_players, map.most_players), (2, 4));
    assert_eq!(map.countries[1].neighbours, [0, 2]);
    assert_eq!(map.countries[1].label.to_string(), "150.5,50");
    assert_eq!(map.countries[2].continent, 1);
    assert_eq!((map.links[0].from, map.links[0].to), (2, 3));
    assert_eq!(map.continents[0].colour.as_deref(), Some("#d9b44a"));
}

#[test]
fn the_stock_maps_are_good() {
    let data = crate::games::imperial_conflict::tests::data();
    let found: Vec<_> = data.maps.iter().map(|map| (map.id.as_str(), map.countries.len(), map.links.len())).collect();
    assert_eq!(found, [("world", 42, 25), ("sector", 24, 8)]);
    let borders = |map: &GameMap| map.countries.iter().map(|country| country.neighbours.len()).sum::<usize>() / 2;
    assert_eq!(data.maps.iter().map(borders).collect::<Vec<_>>(), [83, 43]);
    let figures = |map: &GameMap| -> Vec<(usize, u32)> {
        (0..map.continents.len()).map(|it| (map.members(it).count(), map.continents[it].bonus)).collect()
    };
    assert_eq!(figures(&data.maps[0]), [(9, 5), (4, 2), (7, 5), (6, 3), (12, 7), (4, 2)]);
}

#[test]
fn fields_are_checked_one_by_one() {
    each_is_found(&[
        ("id = \"small\"\n", "", 1, "lacks the field “id”"),
        ("view_box = \"0 0 400 100\"", "view_box = \"0 0 400\"", 3, "left, top, width and height"),
        ("view_box = \"0 0 400 100\"", "view_box = \"0 0 0 100\"", 3, "left, top, width and height"),
        ("players = [2, 4]", "players = [1, 4]", 4, "must be 2 to 6"),
        ("players = [2, 4]", "players = [4, 2]", 4, "swap them"),
        ("bonus = 2", "bonus = 0", 9, "it must be 1 to 100"),
        ("bonus = 2", "bonus = \"two\"", 9, "expected a whole number"),
        ("colour = \"#d9b44a\"", "colour = \"gold\"", 10, "expected a colour"),
        ("bonus = 2", "bonus = 2\nbonuss = 3", 10, "did you mean “bonus”?"),
        ("label = [50, 50]", "label = [50]", 22, "the place of the army count"),
        ("outline = \"M0 0L100 0L100 100L0 100Z\"", "outline = 7", 23, "expected the outline as a path"),
        ("paths = [[[290, 50], [310, 50]]]", "paths = [[290, 50]]", 52, "a point is two numbers"),
        ("paths = [[[290, 50], [310, 50]]]", "paths = 3", 52, "found a number"),
        ("[[country]]", "[[country]", 17, "not valid TOML"),
    ]);
}

#[test]
fn everybody_starts_with_a_country_and_enough_armies() {
    let said = |from: &str, to: &str| faults(from, to).iter().map(DataFault::to_string).collect::<Vec<_>>().join("\n");
    let few = said("players = [2, 4]", "players = [2, 5]");
    assert!(few.contains("5 players need at least as many countries, and the map has 4"), "{few}");
    let more = (0..78).map(|no: u8| {
        let code: String = [b'X', b'A' + no / 26, b'A' + no % 26].map(char::from).iter().collect();
        format!(
            "[[country]]\ncode = \"{code}\"\nname = \"Land {code}\"\ncontinent = \"east\"\n\
                 neighbours = [\"FOR\"]\nlabel = [350, 50]\noutline = \"M310 0L400 0L400 100L310 100Z\"\n\n"
        )
    });
    let many = said("[[sea_link]]", &format!("{}[[sea_link]]", more.collect::<String>()));
    assert!(many.contains("82 countries are too many for 2 players: each starts with 40 armies"), "{many}");
    assert!(!many.contains("for 4 players"), "21 countries and 30 armies each: {many}");
}

#[test]
fn names_codes_and_continents_are_checked() {
    each_is_found(&[
        ("code = \"TWO\"", "code = \"One\"", 26, "not unique"),
        ("code = \"TWO\"", "code = \"TW\"", 26, "not three capital letters"),
        ("name = \"Second\"", "name = \"first\"", 27, "not unique"),
        ("name = \"Second\"", "name = \"tre\"", 34, "another country's name"),
        ("name = \"Second\"", "name = \"Sector 2\"", 27, "“2” in it"),
        ("name = \"Second\"", "name = \"Not until Late\"", 27, "“until” in it"),
        ("name = \"Second\"", "name = \"Base #Two\"", 27, "“#Two” in it"),
        ("name = \"East\"", "name = \"west\"", 14, "not unique"),
        ("id = \"east\"", "id = \"west\"", 13, "not unique"),
        ("continent = \"east\"", "continent = \"north\"", 36, "not a continent of this map"),
        (
            "[[continent]]\nid = \"east\"",
            "[[continent]]\nid = \"none\"\nname = \"None\"\nbonus = 1\n\n[[continent]]\nid = \"east\"",
            13,
            "has no country",
        ),
    ]);
}

#[test]
fn neighbours_are_checked() {
    each_is_found(&[
        ("neighbours = [\"TWO\"]", "neighbours = []", 17, "ONE has no neighbour"),
        ("neighbours = [\"TWO\"]", "neighbours = [\"TWO\", \"TWO\"]", 21, "twice"),
        ("neighbours = [\"TWO\"]", "neighbours = [\"TWO\", \"ONE\"]", 21, "its own neighbour"),
        ("neighbours = [\"TWO\"]", "neighbours = [\"TWO\", \"XXX\"]", 21, "unknown neighbour “XXX”"),
        ("neighbours = [\"ONE\", \"TRE\"]", "neighbours = [\"TRE\"]", 21, "TWO does not list ONE"),
        ("neighbours = [\"TWO\"]", "neighbours = [\"TWO\", \"FOR\"]", 21, "ONE-FOR: neighbours with neither"),
    ]);
    let cut = faults("neighbours = [\"TRE\"]", "neighbours = []");
    assert!(cut.iter().any(|fault| fault.message.contains("FOR has no neighbour")));
    let islands = SMALL.replace("neighbours = [\"ONE\", \"TRE\"]", "neighbours = [\"ONE\"]");
    let islands = islands.replace("neighbours = [\"TWO\", \"FOR\"]", "neighbours = [\"FOR\"]");
    let found = read_map("maps/small.toml", &islands).unwrap_err();
    let said: Vec<&str> = found.iter().map(|fault| fault.message.as_str()).collect();
    assert!(said.contains(&"the map is not connected: FOR TRE cannot be reached from ONE"), "{said:?}");
    assert!(said.contains(&"TWO-TRE: a common border, but not neighbours"), "{said:?}");
}

#[test]
fn outlines_and_labels_are_checked() {
    let first = "outline = \"M0 0L100 0L100 100L0 100Z\"";
    each_is_found(&[
        (first, "outline = \"M0 0L100 0L100 100L0 100\"", 23, "not closed"),
        (first, "outline = \"M0 0C100 0L100 100L0 100Z\"", 23, "only M, L, Z"),
        (first, "outline = \"M-1 0L100 0L100 100L0 100Z\"", 23, "leaves the view box"),
        (first, "outline = \"M0 0L100 0L100 10L0 5Z\"", 23, "too small to click"),
        (first, "outline = \"M0 0L100 0L0 100L100 100Z\"", 23, "crosses itself"),
        (first, "outline = \"M0 0L100 0L130 50L100 100L0 100Z\"", 23, "ONE overlaps TWO"),
        (first, "outline = \"M0 0L120 20L100 100L0 100Z\"", 23, "outlines of ONE and TWO cross"),
        ("label = [50, 50]", "label = [150, 50]", 22, "is outside the outline"),
        ("label = [50, 50]", "label = [8.9, 50]", 22, "nearer to the border than 9 units"),
    ]);
    assert!(read_map("maps/small.toml", &SMALL.replacen("label = [50, 50]", "label = [9, 50]", 1)).is_ok());
    // A border of 3 units, the rest of it a gap.
    let short = SMALL.replacen(first, "outline = \"M0 0L100 0L100 3L90 3L90 100L0 100Z\"", 1);
    let short = short.replacen("M100 0L200 0L200 100L100 100Z", "M100 0L200 0L200 100L110 100L110 3L100 3Z", 1);
    let found = read_map("maps/small.toml", &short).unwrap_err();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].message.contains("ONE-TWO: the common border of 3 units is too short"), "{}", found[0]);
}

#[test]
fn links_are_checked() {
    let link = "from = \"TRE\"\nto = \"FOR\"";
    let path = "paths = [[[290, 50], [310, 50]]]";
    let again = format!("{path}\n\n[[sea_link]]\nfrom = \"FOR\"\nto = \"TRE\"\n{path}");
    each_is_found(&[
        (link, "from = \"TRE\"\nto = \"XXX\"", 49, "does not join two countries"),
        (link, "from = \"TRE\"\nto = \"TRE\"", 49, "does not join two countries"),
        (link, "from = \"ONE\"\nto = \"FOR\"", 49, "joins countries that are not neighbours"),
        (path, &again, 54, "is listed twice"),
        (path, "paths = []", 49, "has no path"),
        (path, "paths = [[[290, 50]]]", 49, "too short"),
        (path, "paths = [[[290, 50], [410, 50]]]", 49, "leaves the view box"),
        (path, "paths = [[[290, 50], [300, 50]]]", 49, "the end 300,50 lies on neither"),
        (path, "paths = [[[290, 50], [290, 60]]]", 49, "does not reach both countries"),
    ]);
    // An end within four units counts, and so does a way that leaves on one side and comes back on the other.
    let near = SMALL.replacen(path, "paths = [[[294, 50], [306, 50]]]", 1);
    assert!(read_map("maps/small.toml", &near).is_ok());
    let round = SMALL.replacen(path, "paths = [[[290, 50], [290, 99], [0, 99]], [[400, 99], [390, 50]]]", 1);
    assert!(read_map("maps/small.toml", &round).is_ok());
}

#[test]
fn a_stock_map_keeps_its_figures() {
    let files = crate::rules::Rules::embedded(&crate::games::imperial_conflict::ImperialConflict::new());
    let sector = &files["maps/sector.toml"];
    let found = read_map("maps/sector.toml", &sector.replacen("bonus = 5", "bonus = 6", 1)).unwrap_err();
    assert_eq!(found.len(), 1);
    assert!(found[0].message.contains("has 6 countries and bonus 6, not 6 and 5"), "{}", found[0]);
    let renamed = sector.replacen("bonus = 5", "bonus = 6", 1).replacen("id = \"sector\"", "id = \"lanterns\"", 1);
    assert_eq!(read_map("maps/lanterns.toml", &renamed).unwrap().continents[0].bonus, 6);
}

#[test]
fn files_are_checked_together() {
    let said = |files: &[(&str, &str)]| -> Vec<String> {
        let files: Content = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        load(&files).map(|data| data.maps.len()).unwrap_err().iter().map(DataFault::to_string).collect()
    };
    assert!(said(&[])[0].contains("there is no map"));
    assert!(said(&[("maps/a.toml", " \n")])[0].contains("there is no map"));
    assert!(said(&[("readme.md", "hello"), ("maps/a.toml", SMALL)])[0].starts_with("readme.md: this file is not"));
    assert!(said(&[("maps/a.toml", SMALL), ("maps/b.toml", SMALL)])[0].contains("already used by maps/a.toml"));
    let long = format!("{SMALL}\n# {}", "x".repeat(MAX_BYTES));
    assert!(said(&[("maps/a.toml", &long)])[0].contains("at most 70000 are allowed"));
}
