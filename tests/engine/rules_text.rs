//! The rules texts: every number once, none ever used again for another rule, and every number that is cited there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use stardate_engine::games;

/// Numbers given so far, each with what the rule is about. Add new ones at the end of their section; a rule that is
/// taken out keeps its line, with “withdrawn” behind it.
const GIVEN: &str = include_str!("given_numbers.txt");

/// Numbers of rules and of sections in a text: `C9.7` from `**C9.7** …`, `C9` from `## C9 …`.
fn numbers(text: &str) -> Vec<String> {
    let number = |line: &str| {
        let rule = line.strip_prefix("**").and_then(|rest| rest.split_once("**")).map(|(number, _)| number);
        let section = line.strip_prefix("## ").and_then(|rest| rest.split(' ').next());
        rule.or(section).filter(|number| is_number(number)).map(str::to_owned)
    };
    text.lines().filter_map(number).collect()
}

/// `C9` or `C9.7`.
fn is_number(word: &str) -> bool {
    let Some(rest) = word.strip_prefix(['C', 'I']) else { return false };
    let mut parts = rest.split('.');
    let digits = |part: &str| !part.is_empty() && part.len() < 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    (1..=2).contains(&rest.split('.').count()) && parts.all(digits)
}

/// Numbers of single rules that a text cites.
fn cited(text: &str) -> Vec<&str> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.');
    words.map(|word| word.trim_end_matches('.')).filter(|word| word.contains('.') && is_number(word)).collect()
}

fn all() -> BTreeSet<String> {
    games::all().iter().flat_map(|engine| numbers(engine.meta().rules_text)).collect()
}

#[test]
fn no_number_is_twice_and_every_section_starts_at_one() {
    for engine in games::all() {
        let numbers = numbers(engine.meta().rules_text);
        assert!(numbers.len() > 40, "{} has {} rules", engine.meta().id, numbers.len());
        let unique: BTreeSet<&String> = numbers.iter().collect();
        assert_eq!(unique.len(), numbers.len(), "{}: a number is twice", engine.meta().id);
        let sections: BTreeSet<&str> = numbers.iter().filter_map(|it| it.split('.').next()).collect();
        for section in sections {
            assert!(numbers.iter().any(|it| it == section), "{section} has no heading");
            let first = format!("{section}.1");
            assert!(numbers.contains(&first) || GIVEN.contains(&format!("{first} ")), "{first} is missing");
        }
    }
}

#[test]
fn a_number_once_given_is_never_used_for_another_rule() {
    let mut given: BTreeMap<&str, &str> = BTreeMap::new();
    for line in GIVEN.lines().filter(|line| !line.is_empty()) {
        let (number, about) = line.split_once(' ').unwrap_or_else(|| panic!("“{line}” does not say what it is about"));
        assert!(is_number(number), "{line}");
        assert_eq!(given.insert(number, about), None, "{number} was given twice");
    }
    let rules: BTreeSet<String> = all().into_iter().filter(|number| number.contains('.')).collect();
    let unlisted: Vec<&String> = rules.iter().filter(|number| !given.contains_key(number.as_str())).collect();
    assert!(unlisted.is_empty(), "add to given_numbers.txt: {unlisted:?}");
    for (number, about) in given {
        let withdrawn = about.ends_with("withdrawn");
        assert_eq!(rules.contains(number), !withdrawn, "{number} {about}");
    }
}

#[test]
fn every_number_that_is_cited_is_in_the_rules() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let rules = all();
    let (mut files, mut wrong, mut citing) = (Vec::new(), Vec::new(), 0);
    for folder in ["src", "tests", "config/games"] {
        collect(&root.join(folder), &mut files);
    }
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        let cited = cited(&text);
        citing += usize::from(!cited.is_empty());
        let scenario =
            path.extension().is_some_and(|it| it == "toml") && path.to_string_lossy().contains("tests/scenarios/");
        if scenario && !text.lines().any(|line| line.starts_with("rule = ") && !self::cited(line).is_empty()) {
            wrong.push(format!("{}: it cites no rule", path.display()));
        }
        let missing = cited.into_iter().filter(|number| !rules.contains(*number));
        wrong.extend(missing.map(|number| format!("{}: there is no rule {number}", path.display())));
    }
    assert!(citing > 300, "only {citing} files cite rules");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Sources, scenario files and rules texts.
fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, into);
        } else if path.extension().is_some_and(|end| ["rs", "toml", "md"].iter().any(|known| end == *known)) {
            into.push(path);
        }
    }
}

#[test]
fn numbers_are_told_from_other_words() {
    assert_eq!(cited("by C9.7, (I4.2). Not C9, D1.2, C123.4, vC1.2 or C1.2.3"), ["C9.7", "I4.2"]);
    assert_eq!(numbers("## C9 Damage\n\n**C9.1** text\n**bold** text"), ["C9", "C9.1"]);
}
