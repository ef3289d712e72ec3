//! Every fault of a data file is told, with its place.

use proptest::prelude::{ProptestConfig, any, proptest};

use super::load;
use crate::games::conquest::content::embedded;
use crate::rules::Content;

/// The faults of the game's own files with one replaced or added.
fn faults_with(path: &str, text: &str) -> Vec<String> {
    let mut files = embedded();
    files.insert(path.to_owned(), text.to_owned());
    let faults = load(&files).expect_err("the file has faults");
    faults.iter().map(ToString::to_string).collect()
}

/// The faults of an additional piece file.
fn piece_faults(text: &str) -> Vec<String> {
    faults_with("pieces/extra.toml", text)
}

const PERSON: &str = "[[piece]]\nid = \"extra\"\nname = \"Extra\"\nkind = \"person\"\naffiliation = \"alien\"\n\
                      cost = 2\ncombat = [1, 2]\nhit_points = 3\ntext = \"Somebody.\"\n";
const ITEM: &str = "[[piece]]\nid = \"thing\"\nname = \"Thing\"\nkind = \"item\"\naffiliation = \"alien\"\ncost = 2\n\
                    text = \"Something.\"\n";
const MAP: &str = "maps/elemental-rim.toml";
const GROUP: &str = "groups/house-of-war.toml";

/// A file of the game with a piece of its text replaced.
fn edited(path: &str, from: &str, to: &str) -> String {
    let text = &embedded()[path];
    assert!(text.contains(from), "{path} has no {from}");
    text.replacen(from, to, 1)
}

#[test]
fn a_text_that_is_no_toml_is_told_with_its_line() {
    let told = piece_faults("[[piece]]\nid = \"a\nname = 3\n");
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("pieces/extra.toml, line 2: this is not valid TOML: "), "{}", told[0]);
}

#[test]
fn all_faults_of_a_file_are_told_in_order_of_lines() {
    let text = format!(
        "{}\n{}",
        PERSON.replace("\"alien\"", "\"klingonn\"").replace("[1, 2]", "[3, 2]"),
        PERSON.replace("extra", "other").replace("Extra", "Other").replace("hit_points = 3", "shields = 3")
    );
    assert_eq!(
        piece_faults(&text),
        [
            "pieces/extra.toml, line 5: piece “extra”, field “affiliation”: “klingonn” is not allowed; did you mean \
             “klingon”?",
            "pieces/extra.toml, line 7: piece “extra”, field “combat”: the least (3) is above the most (2); swap them",
            "pieces/extra.toml, line 11: piece “other” lacks the field “hit_points”; add a line like: hit_points = 1",
            "pieces/extra.toml, line 18: piece “other”, field “shields”: a piece of kind “person” has no such field; \
             a person has hit_points",
        ]
    );
}

/// Each entry: what is put in place of what in [`PERSON`], and the fault without the file's name.
const PIECE_CASES: &[(&str, &str, &str)] = &[
    ("id = \"extra\"", "", "line 1: piece lacks the field “id”; add a line like: id = \"…\""),
    (
        "\"extra\"",
        "\"Extra One\"",
        "line 2: piece “Extra One”, field “id”: “Extra One” is not an id; an id has up to 40 small letters, digits and \
         single hyphens and starts with a letter, like “klingon-lieutenant”",
    ),
    (
        "\"extra\"",
        "\"a12\"",
        "line 2: piece “a12”, field “id”: “a12” reads like the handle of a piece in play; choose a longer word",
    ),
    (
        "\"person\"",
        "\"android\"",
        "line 4: piece “extra”, field “kind”: “android” is not a kind; write ship, person, item or q",
    ),
    (
        "\"alien\"",
        "\"zzz\"",
        "line 5: piece “extra”, field “affiliation”: “zzz” is not allowed; game.toml allows federation, klingon, romulan, \
         borg, alien",
    ),
    ("cost = 2", "cost = 0", "line 6: piece “extra”, field “cost”: 0 is out of range; it must be 1 to 99"),
    (
        "cost = 2",
        "cost = 2.5",
        "line 6: piece “extra”, field “cost”: expected a whole number, found a number with a fraction",
    ),
    (
        "cost = 2",
        "cost = 99999999999999999999",
        "line 6: piece “extra”, field “cost”: expected a whole number, found a number",
    ),
    ("[1, 2]", "[1, 2, 3]", "line 7: piece “extra”, field “combat”: expected two numbers like [1, 3], found 3 of them"),
    ("[1, 2]", "\"1-2\"", "line 7: piece “extra”, field “combat”: expected two numbers like [1, 3], found a text"),
    ("[1, 2]", "[-1, 2]", "line 7: piece “extra”, field “combat”: -1 is out of range; it must be 0 to 99"),
    ("= 3", "= 0", "line 8: piece “extra”, field “hit_points”: 0 is out of range; it must be 1 to 99"),
    ("\"Somebody.\"", "\" \"", "line 9: piece “extra”, field “text”: it must be one line of text, and not empty"),
    ("\"Somebody.\"", "7", "line 9: piece “extra”, field “text”: expected a text in quotes, found a number"),
    ("text =", "txet =", "line 1: piece “extra” lacks the field “text”; add a line like: text = \"…\""),
    ("cost = 2", "cost = 2\nuniqe = true", "line 7: piece “extra”: there is no field “uniqe”; did you mean “unique”?"),
    (
        "cost = 2",
        "cost = 2\nunique = 1",
        "line 7: piece “extra”, field “unique”: expected true or false, found a number",
    ),
    (
        "cost = 2",
        "cost = 2\nskills = [\"command\", \"medcal\"]",
        "line 7: piece “extra”, field “skills”: “medcal” is not allowed; did you mean “medical”?",
    ),
    (
        "cost = 2",
        "cost = 2\nskills = [\"pilot\", \"pilot\"]",
        "line 7: piece “extra”, field “skills”: “pilot” is listed twice; remove one",
    ),
    (
        "cost = 2",
        "cost = 2\nitem = { whose = \"own\" }",
        "line 7: piece “extra”, field “item”: a piece of kind “person” has no such field",
    ),
    (
        "\"extra\"",
        "\"batleth\"",
        "line 1: piece “batleth”, field “id”: the piece in pieces/alien.toml, line 1 has the same id; choose another",
    ),
    (
        "\"Extra\"",
        "\"bat'leth\"",
        "line 1: piece “extra”, field “name”: the piece in pieces/alien.toml, line 1 has the same name; choose another",
    ),
];

#[test]
fn each_fault_of_a_piece_is_told() {
    let line_of_batleth = {
        let mut files = embedded();
        files.insert("pieces/zz.toml".to_owned(), PERSON.replace("\"extra\"", "\"batleth\""));
        let told = load(&files).expect_err("a duplicate")[0].to_string();
        let of = told.split("pieces/klingon.toml").nth(1).expect("it names the other file");
        assert!(of.starts_with(", line "), "{told}");
        of.split(' ').nth(2).expect("a number").to_owned()
    };
    assert!(line_of_batleth.parse::<usize>().expect("a line") > 1);
    for (from, to, fault) in PIECE_CASES {
        assert!(PERSON.contains(from), "{from}");
        let text = PERSON.replacen(from, to, 1);
        let told = if fault.contains("the same") {
            // The duplicate is found in the file that is read later, so a first file has to hold the original.
            let mut files = embedded();
            let original = PERSON.replace("\"extra\"", "\"batleth\"").replace("\"Extra\"", "\"Bat'leth\"");
            files.insert("pieces/alien.toml".to_owned(), original);
            files.insert("pieces/klingon.toml".to_owned(), String::new());
            files.insert("pieces/extra.toml".to_owned(), text);
            load(&files).expect_err("a duplicate").iter().map(ToString::to_string).collect()
        } else {
            piece_faults(&text)
        };
        assert!(told.iter().any(|told| told == &format!("pieces/extra.toml, {fault}")), "{to}: {told:?}");
    }
}

/// What is in the list of abilities of [`PERSON`], and the fault.
const ABILITY_CASES: &[(&str, &str)] = &[
    ("{ atack_priority = true }", "there is no ability “atack_priority”; did you mean “attack_priority”?"),
    ("{ combat = true }", "combat needs a figure, like combat = 1"),
    ("{ combat = 0 }", "combat = 0 is out of range; it must be 1 to 50, or -50 to -1"),
    ("{ combat = 1.5 }", "combat needs a whole number, found a number with a fraction"),
    ("{ jammer = false }", "jammer = false says nothing; remove it, or write -1 to take it from a bearer"),
    (
        "{ combat = 1, toughness = 1 }",
        "each { … } has exactly one ability, perhaps with “for” or “against”; this one has combat, toughness",
    ),
    (
        "{ against = { skill = \"pilot\" } }",
        "each { … } has exactly one ability, perhaps with “for” or “against”; this one has none",
    ),
    ("{ heal = 1, for = { skill = \"pilot\" } }", "only combat and toughness can have “for” or “against”, heal cannot"),
    (
        "{ combat = 1, for = { skill = \"pilot\" }, against = { skill = \"pilot\" } }",
        "an ability has “for” or “against”, not both",
    ),
    (
        "{ combat = 1, for = { cost = 3 } }",
        "“for” and “against” hold one test, like { affiliation = \"klingon\" }, skill or kind",
    ),
    ("{ combat = 1, for = { skill = \"plot\" } }", "skill “plot” is not allowed; did you mean “pilot”?"),
    ("{ combat = 1, for = { affiliation = \"borgg\" } }", "affiliation “borgg” is not allowed; did you mean “borg”?"),
    ("{ combat = 1, against = { kind = \"item\" } }", "kind “item” must be ship or person"),
    (
        "{ carrier_bonus = 1 }",
        "carrier_bonus holds an ability, like { carrier_bonus = { combat = 1 } }; found a number",
    ),
    ("{ carrier_bonus = { carrier_bonus = { combat = 1 } } }", "a carrier_bonus cannot be inside another"),
    (
        "{ carrier_bonus = { combat = 1 }, for = { skill = \"pilot\" } }",
        "write “for” and “against” inside the carrier_bonus: { carrier_bonus = { combat = 1, against = … } }",
    ),
    ("{ combat = 1 }, { combat = 2 }", "combat is listed twice; add the figures up"),
    ("{ warp = 2 }", "warp does something only for a ship"),
    (
        "{ carrier_bonus = { income = 1 } }",
        "income does something only for a person, because ships are never on planets",
    ),
    ("{ extra_action = -1 }", "extra_action with a negative figure is for items; a piece that lacks it has no entry"),
];

#[test]
fn each_fault_of_an_ability_is_told() {
    for (abilities, fault) in ABILITY_CASES {
        let told = piece_faults(&format!("{PERSON}abilities = [{abilities}]\n"));
        let expected = format!("pieces/extra.toml, line 10: piece “extra”, field “abilities”: {fault}");
        assert!(told.contains(&expected), "{abilities}: {told:?}");
    }
    let ship = PERSON.replace("person", "ship").replace("hit_points", "shields");
    let told = piece_faults(&format!("{ship}abilities = [{{ carrier_bonus = {{ combat = 1 }} }}]\n"));
    assert!(
        told[0].ends_with("carrier_bonus counts while a person is crew; only people and items on people can have it")
    );
}

#[test]
fn each_fault_of_an_item_is_told() {
    let cases = [
        ("abilities = [{ combat = 1 }]", "line 1: piece “thing” lacks the field “item”, which says who bears it"),
        (
            "item = { whose = \"own\", bearer = [\"person\"] }",
            "line 1: piece “thing”, field “abilities”: an item without an ability does nothing; add one",
        ),
        (
            "abilities = [{ combat = 1 }]\nitem = { whose = \"mine\", bearer = [\"person\"] }",
            "line 9: piece “thing”, field “item”, field “whose”: “mine” must be own, enemy or any",
        ),
        (
            "abilities = [{ combat = 1 }]\nitem = { whose = \"own\", bearer = [\"q\"] }",
            "line 9: piece “thing”, field “item”, bearer: “q” must be ship or person",
        ),
        (
            "abilities = [{ combat = 1 }]\nitem = { whose = \"own\", bearer = [] }",
            "line 9: piece “thing”, field “item”, field “bearer”: it must name who can bear the item",
        ),
        (
            "abilities = [{ combat = 1 }]\nitem = { whose = \"own\", bearer = \"ship\", skill = \"cooking\" }",
            "line 9: piece “thing”, field “item”, field “skill”: “cooking” is not allowed",
        ),
        (
            "abilities = [{ combat = 1 }]\nitem = { whose = \"own\", bearer = \"ship\", skill = \"pilot\" }",
            "line 1: piece “thing”, field “item”: no existing piece can bear it; ask less of its bearer",
        ),
        (
            "combat = [1, 2]\nabilities = [{ combat = 1 }]\nitem = { whose = \"own\", bearer = \"ship\" }",
            "line 8: piece “thing”, field “combat”: a piece of kind “item” has no such field; give the figure as an ability",
        ),
    ];
    for (lines, fault) in cases {
        let told = piece_faults(&format!("{ITEM}{lines}\n"));
        let expected = format!("pieces/extra.toml, {fault}");
        assert!(told.iter().any(|told| told.starts_with(&expected)), "{lines}: {told:?}");
    }
}

#[test]
fn a_q_is_like_every_other_q() {
    let text = "[[piece]]\nid = \"q-x\"\nname = \"QX\"\nkind = \"q\"\naffiliation = \"alien\"\ncost = 1\n\
                unique = true\nabilities = [{ heal = 1 }]\ntext = \"He.\"\n";
    let told = piece_faults(text);
    assert!(told[0].contains("line 6: piece “q-x”, field “cost”: a piece of kind “Q” has no such field"), "{told:?}");
    assert!(told[1].contains("line 7: piece “q-x”, field “unique”: a Q is not unique"), "{told:?}");
    assert!(told[2].contains("line 8: piece “q-x”, field “abilities”: a Q has none"), "{told:?}");
}

#[test]
fn each_fault_of_a_map_is_told() {
    let cases = [
        ("\n[[region]]\nid = \"home-b\"\nname = \"Home Region B\"\n", "\n", "a map has exactly three regions"),
        ("home = \"A\"\n", "", "exactly one planet must have home = \"A\"; none have it"),
        ("\nincome = 2\n", "\nincome = 2\nhome = \"B\"\n", "exactly one planet must have home = \"B\"; 2 have it"),
        ("home = \"A\"", "home = \"C\"", "planet “loam”, field “home”: it must be \"A\" or \"B\""),
        ("region = \"home-a\"", "region = \"neutral-zone\"", "the home planet of A must lie in the region “home-a”"),
        (
            "region = \"home-a\"",
            "region = \"home-c\"",
            "there is no region “home-c” on this map; did you mean “home-a”?",
        ),
        ("id = \"brine\"", "id = \"cinder\"", "another place of the map is called “cinder” already; choose another"),
        ("name = \"Brine\"", "name = \"Neutral zone\"", "another place of the map is called “neutral zone” already"),
        ("name = \"Brine\"", "name = \"A7\"", "“a7” reads like the handle of a piece in play; choose a longer word"),
        ("\nincome = 2", "\nincome = 21", "planet “cinder”, field “income”: 21 is out of range; it must be 0 to 20"),
        (
            "start_cp = 9",
            "start_cp = -1",
            "map “elemental-rim”, field “start_cp”: -1 is out of range; it must be 0 to 99",
        ),
        ("q_income", "q_incomes", "map “elemental-rim”: there is no field “q_incomes”; did you mean “q_income”?"),
        ("\"elemental-rim\"", "\"preceptor-nebula\"", "has the same id or name; choose others"),
        ("\"Elemental Rim\"", "\"Preceptor nebula\"", "has the same id or name; choose others"),
    ];
    for (from, to, fault) in cases {
        // Another file name would do as well; this one is read after the small map's.
        let mut files = embedded();
        let text = edited(MAP, from, to);
        files.insert(MAP.to_owned(), String::new());
        files.insert("maps/rim.toml".to_owned(), text);
        let told: Vec<String> = load(&files).expect_err("a fault").iter().map(ToString::to_string).collect();
        assert!(
            told.iter().any(|told| told.starts_with("maps/rim.toml, line ") && told.contains(fault)),
            "{to}: {told:?}"
        );
    }
    let mut text = embedded()[MAP].clone();
    for _ in 0..3 {
        text = text.replacen("region = \"neutral-zone\"", "region = \"home-a\"", 1);
    }
    assert!(faults_with(MAP, &text)[0].contains("the Neutral Zone needs at least one planet"));
}

#[test]
fn each_fault_of_a_stock_group_is_told() {
    let line =
        |needle: &str| embedded()[GROUP].lines().position(|line| line.starts_with(needle)).expect("it is there") + 1;
    let batleth = line("batleth");
    let cases = [
        (
            "batleth = 3",
            "batleth = 4",
            format!(
                "line {batleth}: group “house-of-war”, pieces: 4 copies of “batleth” are too many; at most 3 are allowed"
            ),
        ),
        (
            "batleth = 3",
            "batlef = 3",
            format!(
                "line {batleth}: group “house-of-war”, pieces: there is no piece type “batlef”; did you mean “batleth”?"
            ),
        ),
        (
            "batleth = 3",
            "batleth = \"3\"",
            format!("line {batleth}: group “house-of-war”, pieces: “batleth” needs a number of copies from 1 to 3"),
        ),
        (
            "batleth = 3",
            "q = 3",
            format!("line {batleth}: group “house-of-war”, pieces: “q” is a Q, which belongs in the field “q”"),
        ),
        (
            "batleth = 3",
            "batleth = 1",
            format!(
                "line {}: group “house-of-war”: The group has 38 pieces apart from the Q; it needs exactly 40.",
                line("[pieces]")
            ),
        ),
        (
            "batleth = 3",
            "nanoprobes = 3",
            format!(
                "line {}: group “house-of-war”, pieces: nobody in the group can bear “nanoprobes”; take it out",
                line("[pieces]")
            ),
        ),
        (
            "q = \"q-general\"",
            "q = \"q-admiral\"",
            format!("line {}: group “house-of-war”, field “q”: “q-admiral” is not a piece of kind “q”", line("q =")),
        ),
        (
            "id = \"house-of-war\"",
            "id = \"free-traders\"",
            "line 1: group “free-traders”, field “id”: another group has this id already; choose another".to_owned(),
        ),
        (
            "name = \"House of War\"",
            "name = \"Free traders\"",
            "line 2: group “house-of-war”, field “name”: another group has this name already; choose another"
                .to_owned(),
        ),
    ];
    for (from, to, fault) in cases {
        let told = faults_with(GROUP, &edited(GROUP, from, to));
        let expected = format!("{GROUP}, {fault}");
        assert!(told.iter().any(|told| told.starts_with(&expected)), "{to}: {told:?}");
    }
}

#[test]
fn a_stock_group_without_pieces_is_told() {
    let told = faults_with(GROUP, &edited(GROUP, "[pieces]", "[peaces]"));
    let lacks = "line 1: group “house-of-war” lacks the table [pieces] with lines like: batleth = 2";
    assert_eq!(told[0], format!("{GROUP}, {lacks}"));
    assert!(told[1].contains("there is no field “peaces”; did you mean “pieces”?"), "{told:?}");
}

#[test]
fn each_fault_of_the_game_file_and_of_the_folder_is_told() {
    assert_eq!(faults_with("game.toml", "")[0], "game.toml: this file is missing; it holds the figures of the game");
    let told = faults_with("game.toml", &edited("game.toml", "copies = 3", "copies = 0"));
    assert!(told[0].contains("game, field “copies”: 0 is out of range; it must be 1 to 50"), "{told:?}");
    let told = faults_with("game.toml", &edited("game.toml", "\"borg\"", "\"alien\""));
    assert!(told[0].contains("game, field “affiliations”: “alien” is listed twice; remove one"), "{told:?}");
    let told = faults_with("game.toml", &edited("game.toml", "skills =", "skill ="));
    assert!(told.iter().any(|told| told.contains("game lacks the field “skills”")), "{told:?}");
    assert!(faults_with("notes.txt", "x")[0].starts_with("notes.txt: this file is not one of the game's"));
    assert!(faults_with("pieces/deep/x.toml", "x")[0].starts_with("pieces/deep/x.toml: this file is not one"));
    assert!(piece_faults("title = \"nothing\"")[0].contains("line 1: there is no piece in this file"));
    let without = |folder: &str| {
        let mut files: Content = embedded();
        files.retain(|path, _| !path.starts_with(folder));
        load(&files).expect_err("something is missing").iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(without("maps/"), ["maps: there is no map; add at least one file like maps/preceptor-nebula.toml"]);
    assert!(without("pieces/q")[0].starts_with("pieces: there is no piece of kind “q”"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_panics(text in any::<String>(), cut in any::<u16>(), which in any::<u8>()) {
        let mut files = embedded();
        let paths: Vec<String> = files.keys().cloned().collect();
        let path = &paths[usize::from(which) % paths.len()];
        let original = files[path].clone();
        let at = usize::from(cut) % original.len();
        let at = (0..=at).rev().find(|at| original.is_char_boundary(*at)).unwrap_or_default();
        // A file cut off, one with rubbish put in, and one with a word swapped for a number.
        for broken in [
            original[..at].to_owned(),
            format!("{}{text}{}", &original[..at], &original[at..]),
            original.replacen('"', "", usize::from(which) + 1),
            original.replacen(" = ", " = -9223372036854775808 #", usize::from(which) + 1),
        ] {
            files.insert(path.clone(), broken);
            let _ = load(&files);
        }
    }
}
