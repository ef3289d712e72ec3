//! Texts that nobody foresaw, for everything that reads what people send.
//!
//! A target is a check that takes any text and says what is wrong with how it was read. It is tried on all files of
//! `tests/corpus/<target>`, then on some texts that are well formed (the seeds), and then on seeds that were mangled
//! at random: a few in every run, many under `tests/run --long`. Each run mangles alike unless `STARDATE_TEST_SEED` is
//! another number. A text that fails is made as short as it can be and written to `target/fuzz`; it belongs into the
//! corpus once its fault is mended.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use proptest::prelude::{Just, Strategy, any, prop};
use proptest::prop_oneof;
use proptest::sample::Index;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};
use serde_json::Value;

use super::long::times;

/// A file to be read instead of everything else.
const INPUT: &str = "STARDATE_TEST_INPUT";

/// A number from which all mangling follows.
const SEED: &str = "STARDATE_TEST_SEED";

/// Mangled texts of one target in every run.
const SHORT: u32 = 40;

/// Longer texts are not made: they would only test the limits on length again and again.
const LONGEST: usize = 200_000;

/// What a target says of a text: what is wrong with how it was read.
pub type Verdict = Result<(), String>;

/// Fails unless `holds`.
pub fn ensure(holds: bool, what: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(what()) }
}

/// Fails unless this is a sentence for people: not empty, of a length that anybody reads, on one line.
pub fn ensure_sentence(text: &str) -> Verdict {
    let letters = text.chars().count();
    ensure(letters >= 5, || format!("no sentence: {text:?}"))?;
    ensure(letters <= 1_001, || format!("a sentence of {letters} letters: {text:.200}"))?;
    ensure(!text.chars().any(char::is_control), || format!("a sentence with control characters: {text:?}"))
}

/// Tries a target on its corpus, its seeds, and mangled seeds: `long` of them under `tests/run --long`. `test`: the name
/// of the test that calls this, for the command that plays one text again.
pub fn run(target: &str, test: &str, seeds: &[String], long: u32, check: impl Fn(&str) -> Verdict) {
    let judged = |text: &str| judge(&check, text);
    if let Some(path) = std::env::var_os(INPUT) {
        let text = std::fs::read_to_string(root().join(&path)).unwrap();
        assert_eq!(judged(&text), Ok(()), "{}", path.display());
        return;
    }
    for path in corpus(target) {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(judged(&text), Ok(()), "{}", path.display());
    }
    for seed in seeds {
        fail_with(target, test, seed, judged(seed));
    }
    let seed = std::env::var(SEED).ok().map_or(20_261_201, |number| number.parse().expect("a number"));
    let config = Config {
        cases: times(SHORT, long),
        failure_persistence: None,
        max_shrink_iters: 5_000,
        rng_seed: RngSeed::Fixed(seed),
        ..Config::default()
    };
    let outcome = TestRunner::new(config).run(&mangled(seeds), |text| judged(&text).map_err(TestCaseError::fail));
    match outcome {
        Ok(()) => {
            eprintln!("{target}: {} mangled texts, and {} of the corpus.", times(SHORT, long), corpus(target).len())
        }
        Err(TestError::Fail(_, text)) => fail_with(target, test, &text, judged(&text)),
        Err(TestError::Abort(why)) => panic!("{target}: {why}"),
    }
}

/// What the check says; a panic is a fault too.
fn judge(check: impl Fn(&str) -> Verdict, text: &str) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| check(text))).unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        let words = words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()));
        Err(format!("it panics: {}", words.unwrap_or_default()))
    })
}

/// Writes a failing text down and fails with the command that plays it again.
fn fail_with(target: &str, test: &str, text: &str, verdict: Verdict) {
    let Err(why) = verdict else { return };
    let folder = root().join("target/fuzz");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{target}.txt"));
    std::fs::write(&path, text).unwrap();
    let path = path.strip_prefix(root()).unwrap_or(&path).display();
    panic!("{target}: {why}\nthe text is in {path}; play it again with: {INPUT}={path} tests/run {test}");
}

/// The files of a target's corpus, in the order of their names.
fn corpus(target: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root().join("tests/corpus").join(target)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The folder of the repository: tests of the engine are built in a folder below it.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().filter(|folder| folder.join("Cargo.lock").exists()).last().unwrap_or(package).to_owned()
}

/// One thing done to a text. Places are taken as a share of its length, and a mangling that does not fit does nothing.
#[derive(Clone, Debug)]
enum Mangling {
    Delete(Index, Index),
    Insert(Index, String),
    /// A piece of the text, so many times in a row.
    Repeat(Index, Index, u16),
    ReplaceWord(Index, String),
    /// One word of the text in the place of another one.
    CopyWord(Index, Index),
    CopyLine(Index, Index),
    DeleteLine(Index),
    SwapLines(Index, Index),
    /// From here on another seed.
    GoOnAs(Index, Index),
    /// Of a text in JSON: another value at one place.
    Value(Index, Value),
    /// Of a text in JSON: what is at one place, at another one.
    CopyValue(Index, Index),
    /// Of a text in JSON: an entry of a list or table is left out.
    DropValue(Index),
}

/// Words that readers stumble over.
fn word() -> impl Strategy<Value = String> {
    const WORDS: [&str; 44] = [
        "",
        " ",
        "\n",
        "\r\n",
        "\t",
        "\0",
        "\u{feff}",
        "\u{202e}",
        "\u{a0}",
        "é",
        "ß",
        "İ",
        "\u{1f600}",
        "e\u{301}",
        "#",
        "=",
        "[",
        "]",
        "[[",
        "{",
        "}",
        "\"",
        "'",
        "\"\"\"",
        "\\",
        "\\u0000",
        ",",
        ";",
        ".",
        "&",
        "%",
        "%00",
        "%zz",
        "+",
        "@",
        "-1",
        "0",
        "1",
        "255",
        "256",
        "65536",
        "4294967296",
        "9223372036854775807",
        "99999999999999999999",
    ];
    prop_oneof![
        8 => prop::sample::select(&WORDS[..]).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => (prop::sample::select(&["x", "9", " ", "é", "[", "a.", "a,"][..]), 1..3_000_usize)
            .prop_map(|(part, times)| part.repeat(times)),
        2 => any::<i64>().prop_map(|number| number.to_string()),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        prop::sample::select(&[0, -1, 1, 2, 6, 7, 100, 255, 256, i64::MAX, i64::MIN, 1 << 31, 1 << 32][..])
            .prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word().prop_map(Value::from),
        Just(Value::Array(Vec::new())),
        Just(Value::Object(serde_json::Map::new())),
    ]
}

fn mangling() -> impl Strategy<Value = Mangling> {
    let at = any::<Index>;
    prop_oneof![
        2 => (at(), at()).prop_map(|(at, end)| Mangling::Delete(at, end)),
        4 => (at(), word()).prop_map(|(at, word)| Mangling::Insert(at, word)),
        1 => (at(), at(), 2..400_u16).prop_map(|(at, end, times)| Mangling::Repeat(at, end, times)),
        4 => (at(), word()).prop_map(|(at, word)| Mangling::ReplaceWord(at, word)),
        4 => (at(), at()).prop_map(|(from, to)| Mangling::CopyWord(from, to)),
        2 => (at(), at()).prop_map(|(from, to)| Mangling::CopyLine(from, to)),
        1 => at().prop_map(Mangling::DeleteLine),
        1 => (at(), at()).prop_map(|(one, other)| Mangling::SwapLines(one, other)),
        1 => (at(), at()).prop_map(|(at, seed)| Mangling::GoOnAs(at, seed)),
        4 => (at(), value()).prop_map(|(at, value)| Mangling::Value(at, value)),
        3 => (at(), at()).prop_map(|(from, to)| Mangling::CopyValue(from, to)),
        2 => at().prop_map(Mangling::DropValue),
    ]
}

/// Seeds with up to eight manglings each.
fn mangled(seeds: &[String]) -> impl Strategy<Value = String> {
    let seeds = seeds.to_vec();
    (any::<Index>(), prop::collection::vec(mangling(), 1..8)).prop_map(move |(seed, manglings)| {
        let mut text = seed.get(&seeds).clone();
        for mangling in &manglings {
            let next = mangle(&text, mangling, &seeds);
            if next.len() <= LONGEST {
                text = next;
            }
        }
        text
    })
}

fn mangle(text: &str, mangling: &Mangling, seeds: &[String]) -> String {
    let place = |index: &Index| text.floor_char_boundary(index.index(text.len() + 1));
    let span = |from: &Index, length: &Index| {
        let from = place(from);
        // Short pieces mostly.
        let rest = text.len() - from;
        let end = text.floor_char_boundary(from + length.index(rest.min(40) + 1));
        (from, end.max(from))
    };
    match mangling {
        Mangling::Delete(from, length) => {
            let (from, end) = span(from, length);
            [&text[..from], &text[end..]].concat()
        }
        Mangling::Insert(at, word) => {
            let at = place(at);
            [&text[..at], word, &text[at..]].concat()
        }
        Mangling::Repeat(from, length, times) => {
            let (from, end) = span(from, length);
            [&text[..from], &text[from..end].repeat(usize::from(*times)), &text[end..]].concat()
        }
        Mangling::ReplaceWord(at, with) => replace_word(text, at, with),
        Mangling::CopyWord(from, to) => match words(text).as_slice() {
            [] => text.to_owned(),
            words => replace_word(text, to, &text[from.get(words).clone()]),
        },
        Mangling::CopyLine(from, to) => with_lines(text, |lines| {
            let line = lines[from.index(lines.len())];
            lines.insert(to.index(lines.len() + 1), line);
        }),
        Mangling::DeleteLine(at) => with_lines(text, |lines| {
            lines.remove(at.index(lines.len()));
        }),
        Mangling::SwapLines(one, other) => with_lines(text, |lines| {
            let count = lines.len();
            lines.swap(one.index(count), other.index(count));
        }),
        Mangling::GoOnAs(at, seed) => {
            let other = seed.get(seeds);
            let from = other.floor_char_boundary(at.index(other.len() + 1));
            [&text[..place(at)], &other[from..]].concat()
        }
        Mangling::Value(..) | Mangling::CopyValue(..) | Mangling::DropValue(..) => {
            mangle_json(text, mangling).unwrap_or_else(|| text.to_owned())
        }
    }
}

/// Where the words of a text are.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    for (at, letter) in text.char_indices().chain([(text.len(), ' ')]) {
        let part = letter.is_alphanumeric() || matches!(letter, '-' | '_' | '’' | '\'');
        match (part, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                words.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    words
}

fn replace_word(text: &str, at: &Index, with: &str) -> String {
    match words(text).as_slice() {
        [] => with.to_owned(),
        words => {
            let range = at.get(words);
            [&text[..range.start], with, &text[range.end..]].concat()
        }
    }
}

fn with_lines(text: &str, change: impl FnOnce(&mut Vec<&str>)) -> String {
    let mut lines: Vec<&str> = text.split('\n').collect();
    change(&mut lines);
    lines.join("\n")
}

fn mangle_json(text: &str, mangling: &Mangling) -> Option<String> {
    let mut root: Value = serde_json::from_str(text).ok()?;
    let mut paths = Vec::new();
    paths_of(&root, &mut String::new(), &mut paths);
    match mangling {
        Mangling::Value(at, value) => *root.pointer_mut(at.get::<String>(&paths))? = value.clone(),
        Mangling::CopyValue(from, to) => {
            let value = root.pointer(from.get::<String>(&paths))?.clone();
            *root.pointer_mut(to.get::<String>(&paths))? = value;
        }
        Mangling::DropValue(at) => {
            let (parent, key) = at.get::<String>(&paths).rsplit_once('/')?;
            match root.pointer_mut(parent)? {
                Value::Array(list) => drop(list.remove(key.parse().ok()?)),
                Value::Object(table) => drop(table.remove(&key.replace("~1", "/").replace("~0", "~"))?),
                _ => return None,
            }
        }
        _ => return None,
    }
    serde_json::to_string_pretty(&root).ok()
}

/// The places of a JSON value, as JSON pointers.
fn paths_of(value: &Value, at: &mut String, into: &mut Vec<String>) {
    into.push(at.clone());
    let mut below = |key: &str, value: &Value| {
        let end = at.len();
        at.push('/');
        at.push_str(key);
        paths_of(value, at, into);
        at.truncate(end);
    };
    match value {
        Value::Array(list) => list.iter().enumerate().for_each(|(no, value)| below(&no.to_string(), value)),
        Value::Object(table) => {
            table.iter().for_each(|(key, value)| below(&key.replace('~', "~0").replace('/', "~1"), value));
        }
        _ => {}
    }
}
