//! The rules and the games are pure: they know no clock, no I/O, no database, no floats and no hash order.
//! The sources themselves are read for words that would break this: the engine's package keeps other crates out, but
//! not the standard library.

use std::fs;
use std::path::{Path, PathBuf};

/// Words that may not stand in the engine, with what is wrong about each. Most of them the compiler refuses as well,
/// as the packages are not there; not what comes with the standard library.
const FORBIDDEN: [(&str, &str); 22] = [
    ("std::time", "a clock"),
    ("chrono", "a clock"),
    ("tokio", "a runtime"),
    ("Instant::now", "a clock"),
    ("SystemTime", "a clock"),
    ("HashMap", "hash order"),
    ("HashSet", "hash order"),
    ("RandomState", "hash order"),
    ("f32", "floats"),
    ("f64", "floats"),
    ("std::fs", "files"),
    ("std::env", "the environment"),
    ("std::net", "the network"),
    ("std::process", "processes"),
    ("std::thread", "threads"),
    ("std::io", "I/O"),
    ("println!", "output"),
    ("diesel", "a database"),
    ("actix", "HTTP"),
    ("askama", "HTML"),
    ("rand::", "dice that are not the table's"),
    ("getrandom", "dice that are not the table's"),
];

#[test]
fn rules_and_games_know_nothing_of_the_world() {
    let mut sources = Vec::new();
    collect(Path::new(env!("CARGO_MANIFEST_DIR")), &mut sources);
    assert!(sources.len() > 20, "only {} sources were found", sources.len());
    let mut wrong = Vec::new();
    for path in sources {
        let text = fs::read_to_string(&path).unwrap();
        for (no, line) in text.lines().enumerate() {
            for (word, what) in found_in(line) {
                wrong.push(format!("{}:{}: “{word}” is {what}", path.display(), no + 1));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_search_finds_whole_words_only_and_looks_over_comments() {
    let words = |line: &str| found_in(line).map(|(word, _)| word).collect::<Vec<_>>();
    assert_eq!(words("use std::time::Instant;"), ["std::time"]);
    assert_eq!(words("let x: f64 = HashMap::new();"), ["HashMap", "f64"]);
    assert_eq!(words("    // no HashMap here"), Vec::<&str>::new());
    assert_eq!(words("let buf32 = 1; rand_chacha::x(); operand::y();"), Vec::<&str>::new());
}

/// Forbidden words of a line, outside of comments and as whole words.
fn found_in(line: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let code = line.split("//").next().unwrap_or_default();
    FORBIDDEN.into_iter().filter(move |(word, _)| {
        code.match_indices(word).any(|(at, _)| {
            let before = code[..at].chars().next_back();
            let after = code[at + word.len()..].chars().next();
            let inside = |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
            !(inside(before) || inside(after) && word.ends_with(char::is_alphanumeric))
        })
    })
}

fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|end| end == "rs") && !is_tests(&path) {
            into.push(path);
        }
    }
}

/// Files of tests alone may read other files; they are not part of the program.
fn is_tests(path: &Path) -> bool {
    path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| stem == "tests" || stem.ends_with("_tests"))
}
