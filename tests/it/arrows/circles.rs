//! Reads the sources: no more than two files import each other in a circle.
//!
//! An import leads to the file that owns the name: `crate::tables::hand_in` is re-exported and leads to
//! `tables/play/plot.rs`. So re-exports in a `mod.rs` tie no files together, and what a `mod.rs` owns itself does.

use std::collections::{BTreeMap, BTreeSet};

use super::{root, sources, tested_code, top_level};

/// Parts whose files are looked at. The engine is a crate of its own. Not yet `mail`, whose letters go through one file that
/// lists them all.
const PARTS: &[&str] = &["tables", "web", "accounts", "jobs", "store", "app", "config"];

/// More files than this in one circle are too many: two may share a thing that neither is without.
const MOST: usize = 2;

/// A module is known by its path: `tables::play::plot`.
type Path = Vec<String>;

/// What the code of one module says about names.
#[derive(Default)]
struct Module {
    /// Its code without `use` declarations.
    code: String,
    /// Names it has from elsewhere, and whether it passes them on, by the name it knows them by.
    names: BTreeMap<String, (Path, bool)>,
    /// Modules it passes everything on from.
    globs: Vec<Path>,
    /// Whether it is a `mod.rs`.
    is_room: bool,
}

struct Sources {
    modules: BTreeMap<Path, Module>,
}

fn path_of(text: &str) -> Path {
    text.split("::").map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
}

/// `use` declarations taken out of the code, each with whether it is public.
fn uses(code: &str) -> (String, Vec<(bool, String)>) {
    let (mut rest, mut found) = (String::new(), Vec::new());
    let mut open: Option<(bool, String)> = None;
    for line in code.lines() {
        let trimmed = line.trim_start();
        let start = ["pub use ", "pub(crate) use ", "pub(super) use ", "use "]
            .iter()
            .find_map(|word| trimmed.strip_prefix(word).map(|declared| (word.starts_with("pub"), declared)));
        match (&mut open, start) {
            (Some((_, declared)), _) => declared.push_str(trimmed),
            (None, Some((public, declared))) => open = Some((public, declared.to_owned())),
            (None, None) => {
                rest.push_str(line);
                rest.push('\n');
            }
        }
        if open.as_ref().is_some_and(|(_, declared)| declared.contains(';')) {
            let (public, declared) = open.take().unwrap();
            found.push((public, declared.split(';').next().unwrap_or_default().to_owned()));
        }
    }
    (rest, found)
}

/// The leaves of a tree of imports: the whole path, and the name it is known by; `*` for everything.
fn leaves(tree: &str, before: &[String], found: &mut Vec<(Path, String)>) {
    let tree = tree.trim();
    if let Some(at) = tree.find('{') {
        let mut path = before.to_vec();
        path.extend(path_of(&tree[..at]));
        for item in top_level(&tree[at + 1..]) {
            leaves(item, &path, found);
        }
        // A list without a comma at its end leaves its last item to the closing brace, which `top_level` sees to.
        return;
    }
    if tree.is_empty() {
        return;
    }
    let (tree, alias) = match tree.split_once(" as ") {
        Some((tree, alias)) => (tree, Some(alias.trim().to_owned())),
        None => (tree, None),
    };
    let mut path = before.to_vec();
    path.extend(path_of(tree));
    if path.last().is_some_and(|word| word == "self") && path.len() > 1 {
        path.pop();
    }
    let name = alias.or_else(|| path.last().cloned()).unwrap_or_default();
    found.push((path, name));
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Paths of two words or more in the code: `words::status`, `crate::when::span`.
fn paths(code: &str) -> BTreeSet<Path> {
    let mut found = BTreeSet::new();
    let chars: Vec<char> = code.chars().collect();
    let mut at = 0;
    while at < chars.len() {
        if !is_word(chars[at]) {
            at += 1;
            continue;
        }
        let mut path = Vec::new();
        loop {
            let from = at;
            while at < chars.len() && is_word(chars[at]) {
                at += 1;
            }
            path.push(chars[from..at].iter().collect::<String>());
            let goes_on = chars.get(at) == Some(&':') && chars.get(at + 1) == Some(&':');
            if !goes_on || !chars.get(at + 2).is_some_and(|c| is_word(*c)) {
                break;
            }
            at += 2;
        }
        found.insert(path);
    }
    found
}

impl Sources {
    fn read() -> Sources {
        let mut codes = Vec::new();
        for file in sources(&root()) {
            let inside = file.strip_prefix(root()).unwrap().with_extension("");
            let is_room = inside.ends_with("mod");
            let mut path: Path = inside.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            if path.last().is_some_and(|word| word == "mod") {
                path.pop();
            }
            if path.first().is_some_and(|part| PARTS.contains(&part.as_str())) {
                codes.push((path, without_bounds(&tested_code(&file)), is_room));
            }
        }
        Sources::of(codes)
    }

    fn of(codes: Vec<(Path, String, bool)>) -> Sources {
        let mut found = Sources { modules: BTreeMap::new() };
        let mut declared = Vec::new();
        for (path, code, is_room) in codes {
            let (code, uses) = uses(&code);
            declared.push((path.clone(), uses));
            found.modules.insert(path, Module { code, is_room, ..Module::default() });
        }
        for (module, uses) in declared {
            for (public, tree) in uses {
                let mut names = Vec::new();
                leaves(&tree, &[], &mut names);
                for (path, name) in names {
                    let Some(path) = found.absolute(&module, &path) else { continue };
                    let here = found.modules.get_mut(&module).unwrap();
                    if name == "*" {
                        here.globs.push(path[..path.len() - 1].to_vec());
                    } else {
                        here.names.insert(name, (path, public));
                    }
                }
            }
        }
        found
    }

    /// A path from the root of the crate; `None` when it leads out of the parts.
    fn absolute(&self, module: &[String], path: &[String]) -> Option<Path> {
        let mut base = module.to_vec();
        let mut rest = path;
        match rest.first().map(String::as_str)? {
            "crate" => (base, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|word| word == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            // A module declared here, or a crate.
            first => {
                base.push(first.to_owned());
                if !self.modules.contains_key(&base) {
                    return None;
                }
                rest = &rest[1..];
            }
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// The module that owns the thing of this path, whoever passes it on.
    fn owner(&self, path: &[String], depth: usize) -> Option<Path> {
        let mut module = Vec::new();
        let mut at = 0;
        while at < path.len() {
            module.push(path[at].clone());
            if !self.modules.contains_key(&module) {
                module.pop();
                break;
            }
            at += 1;
        }
        let here = self.modules.get(&module)?;
        let Some(name) = path.get(at).filter(|_| depth < 8) else { return Some(module) };
        if let Some((from, true)) = here.names.get(name) {
            let mut whole = from.clone();
            whole.extend_from_slice(&path[at + 1..]);
            return self.owner(&whole, depth + 1).or(Some(module));
        }
        let owns = |module: &Module| {
            ["fn", "struct", "enum", "const", "static", "type", "trait", "mod", "macro_rules!"]
                .iter()
                .any(|word| declares(&module.code, word, name))
        };
        if !owns(here) {
            for glob in &here.globs {
                let mut whole = glob.clone();
                whole.extend_from_slice(&path[at..]);
                if self.modules.get(glob).is_some_and(owns) {
                    return self.owner(&whole, depth + 1);
                }
            }
        }
        Some(module)
    }

    /// Whom each module needs: for names it declares at the top, and for paths in its code.
    fn file_arrows(&self) -> BTreeMap<&Path, BTreeSet<Path>> {
        let mut arrows = BTreeMap::new();
        for (path, module) in &self.modules {
            let mut needed = BTreeSet::new();
            let code = paths(&module.code);
            let used: BTreeSet<&String> = code.iter().filter_map(|path| path.first()).collect();
            for (name, (from, public)) in &module.names {
                let is_module = self.modules.contains_key(from);
                // What is passed on is needed here only where the code names it. Of a module the code says itself
                // which of its names are meant. Traits are used without their names.
                if !is_module && (!public || used.contains(name)) {
                    needed.extend(self.owner(from, 0));
                }
            }
            for glob in module.globs.iter().filter(|glob| !passes_on(path, glob)) {
                needed.extend(self.owner(glob, 0));
            }
            for named in code.iter().filter(|named| named.len() > 1) {
                let whole = match module.names.get(&named[0]) {
                    Some((from, _)) => {
                        let mut whole = from.clone();
                        whole.extend_from_slice(&named[1..]);
                        Some(whole)
                    }
                    None => self.absolute(path, named),
                };
                needed.extend(whole.and_then(|whole| self.owner(&whole, 0)));
            }
            needed.remove(path);
            arrows.insert(path, needed);
        }
        arrows
    }

    /// A file `x.rs` and what is in the folder `x` beside it are one thing that was too long for one file; a folder with
    /// a `mod.rs` is a room of things.
    fn whole(&self, path: &[String]) -> Path {
        let cut =
            (1..path.len()).find(|length| self.modules.get(&path[..*length]).is_some_and(|module| !module.is_room));
        path[..cut.unwrap_or(path.len())].to_vec()
    }

    /// The arrows between whole things.
    fn arrows(&self) -> BTreeMap<Path, BTreeSet<Path>> {
        let mut arrows: BTreeMap<Path, BTreeSet<Path>> = BTreeMap::new();
        for (from, needed) in self.file_arrows() {
            let from = self.whole(from);
            let needed: BTreeSet<Path> = needed.iter().map(|to| self.whole(to)).filter(|to| *to != from).collect();
            arrows.entry(from).or_default().extend(needed);
        }
        arrows
    }

    /// Sets of more than [`MOST`] modules each of which needs all others, by way of others.
    fn circles(&self) -> Vec<Vec<String>> {
        let arrows = self.arrows();
        let reach: BTreeMap<&Path, BTreeSet<&Path>> = arrows
            .keys()
            .map(|from| {
                let (mut seen, mut next) = (BTreeSet::new(), vec![from]);
                while let Some(at) = next.pop() {
                    for to in arrows.get(at).into_iter().flatten() {
                        if seen.insert(to) {
                            next.push(to);
                        }
                    }
                }
                (from, seen)
            })
            .collect();
        let mut circles = BTreeSet::new();
        for (from, reached) in &reach {
            let circle: BTreeSet<&Path> =
                reached.iter().copied().filter(|to| reach.get(to).is_some_and(|back| back.contains(from))).collect();
            if circle.len() > MOST {
                circles.insert(circle);
            }
        }
        circles.into_iter().map(|circle| circle.into_iter().map(|path| path.join("::")).collect()).collect()
    }
}

/// The code without `pub(in crate::web)`: who may see a thing is no import.
fn without_bounds(code: &str) -> String {
    let mut parts = code.split("pub(in ");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        kept.push_str("pub");
        kept.push_str(part.split_once(')').map_or(part, |(_, after)| after));
    }
    kept
}

/// Whether a glob is a re-export of a child.
fn passes_on(module: &[String], glob: &[String]) -> bool {
    glob.len() == module.len() + 1 && glob.starts_with(module)
}

/// Whether the code declares this name with this word.
fn declares(code: &str, word: &str, name: &str) -> bool {
    let declared = format!("{word} {name}");
    code.match_indices(&declared).any(|(at, _)| {
        let before = code[..at].chars().next_back().is_none_or(|c| !is_word(c));
        before && code[at + declared.len()..].chars().next().is_none_or(|c| !is_word(c))
    })
}

#[test]
fn no_more_than_two_files_import_each_other_in_a_circle() {
    let sources = Sources::read();
    let arrows = sources.arrows();
    let circles = sources.circles();
    let told: Vec<String> = circles
        .iter()
        .map(|circle| {
            let inside: Vec<String> = circle
                .iter()
                .map(|from| {
                    let to: Vec<String> = arrows[&path_of(from)]
                        .iter()
                        .map(|to| to.join("::"))
                        .filter(|to| circle.contains(to))
                        .collect();
                    format!("  {from} needs {}", to.join(", "))
                })
                .collect();
            format!("{} files in a circle:\n{}", circle.len(), inside.join("\n"))
        })
        .collect();
    assert!(told.is_empty(), "\n{}", told.join("\n"));
    assert!(sources.modules.len() > 150, "{} files were read", sources.modules.len());
}

#[test]
fn the_reader_of_imports_finds_circles_through_re_exports() {
    let file = |path: &str, code: &str| (path_of(path), code.to_owned(), path == "tables");
    let three = |last: &str| {
        Sources::of(vec![
            file(
                "tables",
                "mod a;\nmod b;\nmod c;\npub use a::one;\npub use b::{Two,\n    three as drei};\npub fn run() {}\n",
            ),
            file("tables::a", "use crate::tables::Two;\nuse super::run;\npub fn one(two: Two) {}\n"),
            file("tables::b", "use super::c;\npub struct Two;\npub fn three() { c::four() }\n"),
            file("tables::c", last),
        ])
    };
    let circle = ["tables::a", "tables::b", "tables::c"].map(str::to_owned).to_vec();
    assert_eq!(three("use super::one;\npub fn four() { one() }\n").circles(), std::slice::from_ref(&circle));
    assert_eq!(three("use crate::tables;\npub fn four() { tables::one() }\n").circles(), std::slice::from_ref(&circle));
    assert_eq!(three("pub fn four() { crate::tables::one() }\n").circles(), [circle]);
    // Two that need each other, what a parent owns itself, and a name passed on to nobody inside are no such circle.
    let nothing: Vec<Vec<String>> = Vec::new();
    assert_eq!(three("use crate::tables::drei;\npub fn four() { drei() }\n").circles(), nothing);
    assert_eq!(three("use crate::tables::{self, run};\npub fn four() { run(); tables::run() }\n").circles(), nothing);
}
