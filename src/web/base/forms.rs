//! The state of a form that is shown again: what was filled in, and what is wrong with it.

use std::collections::BTreeMap;

use crate::web::Posted;

/// Values and faults of a form by field. The empty field name is for faults of the whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Form {
    values: BTreeMap<String, String>,
    faults: BTreeMap<String, String>,
}

impl Form {
    /// A form that nobody has filled in yet.
    pub fn new() -> Form {
        Form::default()
    }

    /// Fills these fields with what was sent, as it was sent. Never name a field of a password here.
    pub fn kept(posted: &Posted, names: &[&str]) -> Form {
        let values = names.iter().map(|name| ((*name).to_owned(), posted.get(name).unwrap_or("").to_owned())).collect();
        Form { values, faults: BTreeMap::new() }
    }

    /// Fills a field.
    pub fn with(mut self, name: &str, value: impl Into<String>) -> Form {
        self.values.insert(name.to_owned(), value.into());
        self
    }

    /// Notes what is wrong with a field, as a sentence; the first sentence stays.
    pub fn fault(&mut self, name: &str, sentence: impl Into<String>) {
        self.faults.entry(name.to_owned()).or_insert_with(|| sentence.into());
    }

    /// Whether nothing is wrong.
    pub fn is_good(&self) -> bool {
        self.faults.is_empty()
    }

    /// How many fields have a fault.
    pub fn fault_count(&self) -> usize {
        self.faults.len()
    }

    /// What a field holds.
    pub fn value(&self, name: &str) -> &str {
        self.values.get(name).map_or("", String::as_str)
    }

    /// What is wrong with a field.
    pub fn fault_of(&self, name: &str) -> Option<&str> {
        self.faults.get(name).map(String::as_str)
    }

    /// Whether a choice is the one taken.
    pub fn is(&self, name: &str, value: &str) -> bool {
        self.value(name) == value
    }
}
