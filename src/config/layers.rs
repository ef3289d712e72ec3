//! Settings by section and key, each with the place it was last set: the ground [`super::Config`] is read from.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use toml::Value;

use super::{DEFAULTS, variable};

/// Most letters of a fault that are shown.
const LONGEST_FAULT: usize = 1000;

/// A value and where it came from.
pub(super) struct Found {
    value: Value,
    /// Put after the key in messages; empty for the built-in file.
    source: String,
}

/// The values of all layers laid over one another, and what was wrong with them.
pub(super) struct Layers {
    values: BTreeMap<(String, String), Found>,
    faults: Vec<String>,
}

impl Layers {
    /// The lowest layer, which has every key there is.
    pub(super) fn built_in() -> Layers {
        let table: toml::Table = DEFAULTS.parse().expect("a test reads the built-in settings");
        let mut values = BTreeMap::new();
        for (section, keys) in table {
            let Value::Table(keys) = keys else { continue };
            for (key, value) in keys {
                values.insert((section.clone(), key), Found { value, source: String::new() });
            }
        }
        Layers { values, faults: Vec::new() }
    }

    /// Lays a settings file over what is there.
    pub(super) fn add_file(&mut self, name: &str, text: &str) {
        let table: toml::Table = match text.parse() {
            Ok(table) => table,
            Err(error) => {
                // The parser's own message quotes the line, which may hold a password.
                let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
                return self.fault(format!("{name}, line {line}: {}", error.message()));
            }
        };
        for (section, keys) in table {
            match keys {
                Value::Table(keys) => {
                    for (key, value) in keys {
                        self.set(&section, &key, value, format!(" (in {name})"));
                    }
                }
                _ => self.fault(format!("{name}: “{section}” is outside any [section]; {}", self.sections())),
            }
        }
    }

    /// Lays the variables that start with `STARDATE_` over what is there. Text becomes what the key takes,
    /// so that a password of digits stays a text.
    pub(super) fn add_environment(&mut self, variables: impl Iterator<Item = (String, String)>) {
        for (name, text) in variables {
            let Some(path) = name.strip_prefix("STARDATE_") else { continue };
            // Not settings: where the file is, what the test suite tells itself, and what others set.
            if path == "CONFIG" || path.starts_with("TEST_") || is_set_by_an_orchestrator(path, &text) {
                continue;
            }
            let path = path.to_lowercase();
            let Some((section, key)) = path.split_once("__") else {
                let example = variable("database", "url");
                self.fault(format!("{name}: a setting has two underscores after its section, such as {example}"));
                continue;
            };
            let value = match self.values.get(&(section.to_owned(), key.to_owned())).map(|found| &found.value) {
                Some(Value::Integer(_)) => text.trim().parse().map_or(Value::String(text), Value::Integer),
                Some(Value::Boolean(_)) => text.trim().parse().map_or(Value::String(text), Value::Boolean),
                _ => Value::String(text),
            };
            self.set(section, key, value, format!(" (in the variable {name})"));
        }
    }

    fn set(&mut self, section: &str, key: &str, value: Value, source: String) {
        match self.values.get_mut(&(section.to_owned(), key.to_owned())) {
            Some(found) => *found = Found { value, source },
            None => {
                if let Some(cure) = renamed(section, key) {
                    return self.fault(format!("{section}.{key}{source}: {cure}"));
                }
                let keys: Vec<&str> =
                    self.values.keys().filter(|(of, _)| of == section).map(|(_, key)| key.as_str()).collect();
                let known = match keys.is_empty() {
                    true => self.sections(),
                    false => format!("[{section}] has {}", keys.join(", ")),
                };
                self.fault(format!("{section}.{key}{source}: there is no such setting; {known}"));
            }
        }
    }

    fn sections(&self) -> String {
        let mut names: Vec<&str> = self.values.keys().map(|(section, _)| section.as_str()).collect();
        names.dedup();
        format!("the sections are {}", names.join(", "))
    }

    /// Keeps a fault of one key, with the place it was last set.
    pub(super) fn refuse(&mut self, section: &str, key: &str, sentence: &str) {
        let source = self.values.get(&(section.to_owned(), key.to_owned()));
        let source = source.map_or_else(String::new, |found| found.source.clone());
        self.fault(format!("{section}.{key}{source}: {sentence}"));
    }

    /// Keeps a fault, fit for a terminal: what was written is quoted in it.
    pub(super) fn fault(&mut self, sentence: String) {
        let shown = sentence.chars().map(|c| if c.is_control() && c != '\n' { char::REPLACEMENT_CHARACTER } else { c });
        self.faults.push(shown.take(LONGEST_FAULT).collect());
    }

    /// Everything that was wrong, in the order it was found.
    pub(super) fn into_faults(self) -> Vec<String> {
        self.faults
    }

    /// A text that `good` accepts.
    pub(super) fn text(
        &mut self,
        section: &str,
        key: &str,
        expected: &str,
        good: impl Fn(&str) -> bool,
    ) -> Option<String> {
        self.take(section, key, expected, Shown::Yes, |value| {
            value.as_str().filter(|text| good(text)).map(str::to_owned)
        })
    }

    /// Like [`Layers::text`], for values that may hold a password: messages don't show it.
    pub(super) fn secret(
        &mut self,
        section: &str,
        key: &str,
        expected: &str,
        good: impl Fn(&str) -> bool,
    ) -> Option<String> {
        self.take(section, key, expected, Shown::No, |value| {
            value.as_str().filter(|text| good(text)).map(str::to_owned)
        })
    }

    /// A text that `check` accepts; its refusal follows the key as a sentence.
    pub(super) fn checked(
        &mut self,
        section: &str,
        key: &str,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Option<String> {
        let text = self.text(section, key, "a text", |_| true)?;
        match check(&text) {
            Ok(()) => Some(text),
            Err(sentence) => {
                self.refuse(section, key, &sentence);
                None
            }
        }
    }

    /// Like [`Layers::checked`], for values that may hold a password: `check` must not repeat it.
    pub(super) fn checked_secret(
        &mut self,
        section: &str,
        key: &str,
        check: impl Fn(&str) -> Result<(), String>,
    ) -> Option<String> {
        let text = self.secret(section, key, "a text", |_| true)?;
        match check(&text) {
            Ok(()) => Some(text),
            Err(sentence) => {
                self.refuse(section, key, &sentence);
                None
            }
        }
    }

    /// A whole number in `range`.
    pub(super) fn whole(&mut self, section: &str, key: &str, range: RangeInclusive<i64>) -> Option<i64> {
        let expected = format!("a whole number from {} to {}", range.start(), range.end());
        self.take(section, key, &expected, Shown::Yes, |value| value.as_integer().filter(|n| range.contains(n)))
    }

    /// One of these words.
    pub(super) fn one_of<T: Copy>(&mut self, section: &str, key: &str, words: &[(&str, T)]) -> Option<T> {
        let list: Vec<String> = words.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        self.take(section, key, &list.join(" or "), Shown::Yes, |value| {
            words.iter().find(|(word, _)| value.as_str() == Some(word)).map(|(_, meaning)| *meaning)
        })
    }

    fn take<T>(
        &mut self,
        section: &str,
        key: &str,
        expected: &str,
        shown: Shown,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Option<T> {
        let found = self.values.get(&(section.to_owned(), key.to_owned())).expect("the built-in file has every key");
        let taken = read(&found.value);
        if taken.is_none() {
            let what = match (shown, &found.value) {
                (Shown::No, _) => "something else (not shown, it may hold a password)".to_owned(),
                (Shown::Yes, Value::String(text)) => format!("“{text}”"),
                (Shown::Yes, other) => other.to_string(),
            };
            let sentence = format!("{section}.{key}{}: expected {expected}, found {what}", found.source);
            self.fault(sentence);
        }
        taken
    }
}

/// What to write instead of a setting that there was once.
fn renamed(section: &str, key: &str) -> Option<&'static str> {
    match (section, key) {
        ("server", "trust_proxy") => Some(
            "this setting is now server.trusted_proxies, the number of proxies in front of the server: write 1 for \
             true, leave it out for false",
        ),
        _ => None,
    }
}

/// Whether a variable without a section was set by an orchestrator for a service or container called `stardate`:
/// `STARDATE_PORT=tcp://10.0.0.7:80`, `STARDATE_SERVICE_HOST`, `STARDATE_WEB_PORT_80_TCP_ADDR`. `path`: its name after
/// `STARDATE_`. A setting written with one underscore too few does not look like that.
fn is_set_by_an_orchestrator(path: &str, value: &str) -> bool {
    if path.contains("__") {
        return false;
    }
    let words: Vec<&str> = path.split('_').collect();
    let is_link = ["tcp://", "udp://", "sctp://"].iter().any(|scheme| value.starts_with(scheme));
    let is_protocol = |word: &str| matches!(word, "TCP" | "UDP" | "SCTP");
    let is_number = |word: &str| word.parse::<u16>().is_ok();
    match words.as_slice() {
        [.., "SERVICE", "HOST"] | [.., "SERVICE", "PORT"] => true,
        [.., "SERVICE", "PORT", _name] => true,
        [.., "PORT", number, protocol, "PROTO" | "PORT" | "ADDR"] => is_number(number) && is_protocol(protocol),
        [.., "PORT", number, protocol] => is_number(number) && is_protocol(protocol),
        [.., "PORT"] => is_link,
        ["NAME"] => value.starts_with('/'),
        _ => false,
    }
}

/// Whether a message may show the value.
#[derive(Clone, Copy)]
enum Shown {
    Yes,
    No,
}
