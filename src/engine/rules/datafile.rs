//! Reading a TOML data file field by field, so that every fault can be told with its line and field and
//! none hides another.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::DataFault;
use super::budget::{MOST_FILE_BYTES, MOST_FILE_FAULTS};
use super::nearest::did_you_mean;

/// A data file while it is read, and the faults found in it so far.
pub struct DataFile<'t> {
    path: &'t str,
    text: &'t str,
    faults: Vec<DataFault>,
}

/// A value with its place, as a byte offset into the file.
#[derive(Clone, Copy, Debug)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Where it is.
    pub at: usize,
}

impl<'t> DataFile<'t> {
    /// Parses the text; `None` when it is no TOML, which is then the only fault.
    pub fn open(path: &'t str, text: &'t str) -> (DataFile<'t>, Option<DeTable<'t>>) {
        let mut file = DataFile { path, text, faults: Vec::new() };
        if text.len() > MOST_FILE_BYTES {
            let message = format!("the file has {} bytes; at most {MOST_FILE_BYTES} are read", text.len());
            file.faults.push(DataFault { file: path.to_owned(), line: None, message });
            return (file, None);
        }
        match DeTable::parse(text) {
            Ok(table) => (file, Some(table.into_inner())),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let reason = error.message().replace('\n', ", ");
                file.fault(at, format!("this is not valid TOML: {reason}"));
                (file, None)
            }
        }
    }

    /// Whether so many faults were found that no more are told.
    pub fn is_full(&self) -> bool {
        self.faults.len() >= MOST_FILE_FAULTS
    }

    /// Notes a fault at a byte offset.
    pub fn fault(&mut self, at: usize, message: impl Into<String>) {
        if self.is_full() {
            return;
        }
        let line = line_of(self.text, at);
        self.faults.push(DataFault { file: self.path.to_owned(), line: Some(line), message: message.into() });
    }

    /// All faults, in order of lines.
    pub fn into_faults(mut self) -> Vec<DataFault> {
        self.faults.sort_by_key(|fault| fault.line);
        self.faults
    }
}

/// The line, counted from 1, in which the byte at this offset stands.
pub fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// The fields of one table. Each that is asked for counts as known; [`Fields::finish`] reports the others.
pub struct Fields<'a, 't> {
    table: &'a DeTable<'t>,
    at: usize,
    owner: String,
    known: Vec<&'static str>,
}

impl<'a, 't> Fields<'a, 't> {
    /// The fields of a table that starts at a byte offset. `owner` names it in faults: `piece “batleth”`.
    pub fn of(table: &'a DeTable<'t>, at: usize, owner: impl Into<String>) -> Fields<'a, 't> {
        Fields { table, at, owner: owner.into(), known: Vec::new() }
    }

    /// Where the table starts.
    pub fn at(&self) -> usize {
        self.at
    }

    /// How faults name the table.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Names the table differently from now on, once its id is known.
    pub fn rename(&mut self, owner: impl Into<String>) {
        self.owner = owner.into();
    }

    /// Whether the field is there. Does not make it known.
    pub fn has(&self, key: &str) -> bool {
        self.table.iter().any(|(name, _)| name.get_ref() == key)
    }

    /// Where the field is, or the table if it is not there.
    pub fn place(&self, key: &str) -> usize {
        let found = self.table.iter().find(|(name, _)| name.get_ref() == key);
        found.map_or(self.at, |(name, _)| name.span().start)
    }

    /// Notes a fault of this field.
    pub fn fault(&self, file: &mut DataFile, key: &str, message: impl std::fmt::Display) {
        file.fault(self.place(key), format!("{}, field “{key}”: {message}", self.owner));
    }

    /// The raw value of an optional field.
    pub fn raw(&mut self, key: &'static str) -> Option<&'a Spanned<DeValue<'t>>> {
        self.known.push(key);
        self.table.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
    }

    /// Faults a field that must be there and is not.
    fn required(&mut self, file: &mut DataFile, key: &'static str, example: &str) -> Option<&'a Spanned<DeValue<'t>>> {
        let found = self.raw(key);
        if found.is_none() {
            file.fault(self.at, format!("{} lacks the field “{key}”; add a line like: {key} = {example}", self.owner));
        }
        found
    }

    /// A text that must be there, not empty and of at most `longest` letters.
    pub fn text(&mut self, file: &mut DataFile, key: &'static str, longest: usize) -> Option<At<&'a str>> {
        let value = self.required(file, key, "\"…\"")?;
        self.read_text(file, key, value, longest)
    }

    /// A text that may be missing.
    pub fn optional_text(&mut self, file: &mut DataFile, key: &'static str, longest: usize) -> Option<At<&'a str>> {
        let value = self.raw(key)?;
        self.read_text(file, key, value, longest)
    }

    fn read_text(
        &self,
        file: &mut DataFile,
        key: &str,
        value: &'a Spanned<DeValue<'t>>,
        longest: usize,
    ) -> Option<At<&'a str>> {
        let Some(text) = value.get_ref().as_str() else {
            self.fault(file, key, format!("expected a text in quotes, found {}", found(value.get_ref())));
            return None;
        };
        let letters = text.chars().count();
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            self.fault(file, key, "it must be one line of text, and not empty");
            return None;
        }
        if letters > longest {
            self.fault(file, key, format!("it has {letters} letters; at most {longest} are allowed"));
            return None;
        }
        Some(At { value: text, at: value.span().start })
    }

    /// A whole number within bounds that must be there.
    pub fn number(&mut self, file: &mut DataFile, key: &'static str, low: i32, high: i32) -> Option<i32> {
        let value = self.required(file, key, &low.to_string())?;
        self.read_number(file, key, value.get_ref(), low, high)
    }

    fn read_number(&self, file: &mut DataFile, key: &str, value: &DeValue, low: i32, high: i32) -> Option<i32> {
        let Some(number) = whole_number(value) else {
            self.fault(file, key, format!("expected a whole number, found {}", found(value)));
            return None;
        };
        if !(i64::from(low)..=i64::from(high)).contains(&number) {
            self.fault(file, key, format!("{number} is out of range; it must be {low} to {high}"));
            return None;
        }
        i32::try_from(number).ok()
    }

    /// A range `[least, most]` within bounds that must be there.
    pub fn range(&mut self, file: &mut DataFile, key: &'static str, low: i32, high: i32) -> Option<(i32, i32)> {
        let value = self.required(file, key, "[1, 3]")?;
        let Some(list) = value.get_ref().as_array() else {
            self.fault(file, key, format!("expected two numbers like [1, 3], found {}", found(value.get_ref())));
            return None;
        };
        let list: Vec<&DeValue> = list.iter().map(Spanned::get_ref).collect();
        let [least, most] = list.as_slice() else {
            self.fault(file, key, format!("expected two numbers like [1, 3], found {} of them", list.len()));
            return None;
        };
        let least = self.read_number(file, key, least, low, high)?;
        let most = self.read_number(file, key, most, low, high)?;
        if least > most {
            self.fault(file, key, format!("the least ({least}) is above the most ({most}); swap them"));
            return None;
        }
        Some((least, most))
    }

    /// `true` or `false`; a missing one is false.
    pub fn flag(&mut self, file: &mut DataFile, key: &'static str) -> Option<bool> {
        let Some(value) = self.raw(key) else { return Some(false) };
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.fault(file, key, format!("expected true or false, found {}", found(value.get_ref())));
        }
        flag
    }

    /// A list of texts, or one text alone; a missing one is empty.
    pub fn words(&mut self, file: &mut DataFile, key: &'static str) -> Option<Vec<At<&'a str>>> {
        let Some(value) = self.raw(key) else { return Some(Vec::new()) };
        if let Some(text) = value.get_ref().as_str() {
            return Some(vec![At { value: text, at: value.span().start }]);
        }
        let Some(list) = value.get_ref().as_array() else {
            self.fault(file, key, format!("expected a list of texts, found {}", found(value.get_ref())));
            return None;
        };
        let mut words = Vec::new();
        for entry in list.iter() {
            match entry.get_ref().as_str() {
                Some(text) => words.push(At { value: text, at: entry.span().start }),
                None => {
                    self.fault(file, key, format!("expected texts in the list, found {}", found(entry.get_ref())));
                    return None;
                }
            }
        }
        Some(words)
    }

    /// A list of tables; a missing one is empty. Each comes with its place.
    pub fn tables(&mut self, file: &mut DataFile, key: &'static str) -> Vec<At<&'a DeTable<'t>>> {
        let Some(value) = self.raw(key) else { return Vec::new() };
        let Some(list) = value.get_ref().as_array() else {
            self.fault(file, key, format!("expected a list of tables, found {}", found(value.get_ref())));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for entry in list.iter() {
            match entry.get_ref().as_table() {
                Some(table) => tables.push(At { value: table, at: entry.span().start }),
                None => self.fault(file, key, format!("expected tables in the list, found {}", found(entry.get_ref()))),
            }
        }
        tables
    }

    /// A table that may be missing.
    pub fn table(&mut self, file: &mut DataFile, key: &'static str) -> Option<At<&'a DeTable<'t>>> {
        let value = self.raw(key)?;
        let table = value.get_ref().as_table();
        if table.is_none() {
            self.fault(file, key, format!("expected a table like {{ … }}, found {}", found(value.get_ref())));
        }
        table.map(|table| At { value: table, at: value.span().start })
    }

    /// Reports every field nobody asked for.
    pub fn finish(self, file: &mut DataFile) {
        for (name, _) in self.table {
            if file.is_full() {
                break;
            }
            let name_text: &str = name.get_ref();
            if !self.known.contains(&name_text) {
                let hint = did_you_mean(name_text, self.known.iter().copied());
                let hint = if hint.is_empty() { format!("; known are {}", self.known.join(", ")) } else { hint };
                file.fault(name.span().start, format!("{}: there is no field “{name_text}”{hint}", self.owner));
            }
        }
    }
}

/// A whole number of any base; `None` for anything else and for numbers beyond 64 bits.
pub fn whole_number(value: &DeValue) -> Option<i64> {
    let number = value.as_integer()?;
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// How a fault names what stands where something else was expected.
pub fn found(value: &DeValue) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with a fraction",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
