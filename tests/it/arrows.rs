//! Reads the sources: nobody imports against the arrows.

mod circles;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What each part may import besides itself. `main` sees the library as everybody else does.
const ARROWS: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("scenario_cli", &["rules"]),
    ("games", &["rules"]),
    // `when` is a leaf: it takes the type of a moment from `store` and gives it the names of zones.
    ("store", &["when"]),
    ("clock", &["store"]),
    ("when", &["store"]),
    ("config", &[]),
    ("mail", &["store", "when", "clock"]),
    ("tables", &["rules", "games", "store", "mail", "when"]),
    ("accounts", &["store", "mail", "when"]),
    ("jobs", &["tables", "accounts", "mail", "store", "clock", "when"]),
    ("web", &["tables", "accounts", "games", "rules", "store", "mail", "jobs", "clock", "when"]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The code of a file without its tests, which may read files and print.
fn tested_code(path: &Path) -> String {
    let name = path.file_name().unwrap().to_string_lossy();
    if name.ends_with("tests.rs") || path.components().any(|part| part.as_os_str() == "tests") {
        return String::new();
    }
    let code = code(&std::fs::read_to_string(path).unwrap());
    code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
}

/// The part a file belongs to: `src/web/page.rs` and `src/web.rs` are both `web`. The engine's parts are named like
/// those of the server, which knows them as `crate::rules` and `crate::games`.
fn part(path: &Path) -> String {
    let inside = path.strip_prefix(root()).unwrap();
    let inside = inside.strip_prefix("engine").unwrap_or(inside);
    let first = inside.components().next().unwrap().as_os_str().to_string_lossy().into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// The code without comments, and without what stands in texts; line breaks stay.
fn code(source: &str) -> String {
    let mut kept = String::new();
    let chars: Vec<char> = source.chars().collect();
    let mut at = 0;
    let starts = |at: usize, text: &str| text.chars().enumerate().all(|(i, c)| chars.get(at + i) == Some(&c));
    while at < chars.len() {
        if starts(at, "//") {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if chars[at] == 'r' && (starts(at, "r#\"") || starts(at, "r\"")) {
            let hash = starts(at, "r#");
            let end = if hash { "\"#" } else { "\"" };
            at += if hash { 3 } else { 2 };
            while at < chars.len() && !starts(at, end) {
                at += 1;
            }
            at += end.len();
            kept.push_str("\"\"");
        } else if chars[at] == '"' {
            at += 1;
            while at < chars.len() && chars[at] != '"' {
                at += if chars[at] == '\\' { 2 } else { 1 };
            }
            at += 1;
            kept.push_str("\"\"");
        } else if starts(at, "'\"'") || starts(at, "'\\\"'") {
            at += if starts(at, "'\"'") { 3 } else { 4 };
        } else {
            kept.push(chars[at]);
            at += 1;
        }
    }
    kept
}

/// The parts named in `crate::…` paths, `use crate::{a, b::c}` included.
fn imports(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (start, _) in code.match_indices("crate::") {
        let rest = &code[start + "crate::".len()..];
        let names: Vec<String> = match rest.strip_prefix('{') {
            Some(list) => top_level(list).iter().map(|item| first_word(item)).collect(),
            None => vec![first_word(rest)],
        };
        found.extend(names.into_iter().filter(|name| !name.is_empty() && name != "self"));
    }
    found
}

fn top_level(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut items) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&list[from..at]);
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    items
}

fn first_word(text: &str) -> String {
    text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

#[test]
fn nobody_imports_against_the_arrows() {
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut wrong = Vec::new();
    let mut seen = BTreeSet::new();
    for path in sources(&root()) {
        let part = part(&path);
        if matches!(part.as_str(), "app" | "lib" | "main") {
            continue;
        }
        let Some(allowed) = arrows.get(part.as_str()) else {
            wrong.push(format!("{}: the part “{part}” has no line in the arrows", path.display()));
            continue;
        };
        for import in imports(&tested_code(&path)) {
            if import != part && !allowed.contains(&import.as_str()) {
                wrong.push(format!("{}: {part} may not import {import}", path.display()));
            }
        }
        seen.insert(part);
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    let unused: Vec<&&str> = arrows.keys().filter(|part| !seen.contains(**part)).collect();
    assert!(unused.is_empty(), "arrows of parts that are not there: {unused:?}");
}

/// The rows of the table of parts: a part, and what it may import.
fn drawn() -> BTreeMap<String, BTreeSet<String>> {
    let text = std::fs::read_to_string(root().join("../ARCHITECTURE.md")).unwrap();
    let rows = text.lines().skip_while(|line| !line.starts_with("| part |")).skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let allowed = cells[2].split(", ").filter(|name| !name.is_empty());
            (cells[0].trim_matches('`').to_owned(), allowed.map(str::to_owned).collect())
        })
        .collect()
}

#[test]
fn the_page_about_the_architecture_draws_the_same_arrows() {
    let owned = |names: &&[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let checked: BTreeMap<String, BTreeSet<String>> =
        ARROWS.iter().map(|(part, allowed)| ((*part).to_owned(), owned(allowed))).collect();
    assert_eq!(drawn(), checked);
}

#[test]
fn the_reader_of_sources_sees_what_it_should() {
    let source = "use crate::store::{Conn, tables};\nuse crate::{mail, web::page};\n// crate::nothing f64\nlet x = \"crate::text f64\";\nlet c = '\"'; crate::jobs::wake();";
    let found: Vec<String> = imports(&code(source)).into_iter().collect();
    assert_eq!(found, ["jobs", "mail", "store", "web"]);
}
