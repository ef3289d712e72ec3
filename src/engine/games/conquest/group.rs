//! Control Groups: what a player brings to the table, and their text notation.

use std::collections::BTreeMap;
use std::fmt;

use super::data::{Data, Figures, Kind, PieceType};
use super::load::wrong_size;
use crate::rules::nearest::did_you_mean;
use crate::rules::{Fault, budget, notation};

/// A Control Group: one Q and the pieces that may be deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlGroup {
    /// Id of the Q's type.
    pub q: String,
    /// Ids of types with how many copies, in canonical order: by kind, then by id. No type twice, none of it
    /// zero times.
    pub pieces: Vec<(String, u32)>,
}

impl ControlGroup {
    /// How many pieces there are apart from the Q.
    pub fn size(&self) -> u32 {
        self.pieces.iter().map(|(_, copies)| copies).sum()
    }

    /// Brings the types into canonical order.
    pub(super) fn sort(&mut self, types: &BTreeMap<String, PieceType>) {
        let kind = |id: &str| types.get(id).map(|piece| piece.kind);
        self.pieces.sort_by(|(one, _), (other, _)| (kind(one), one).cmp(&(kind(other), other)));
    }

    /// Reads a player's group: lines like `3 klingon-lieutenant`, exactly one of them a Q; a number that is
    /// missing is 1; `#` starts a comment. A type named in several lines counts all of them.
    ///
    /// # Errors
    /// Every fault with its line, and those of the whole group.
    pub fn parse(data: &Data, text: &str) -> Result<ControlGroup, Vec<Fault>> {
        let mut reader = Reader { data, q: None, copies: BTreeMap::new(), size: 0, faults: Vec::new() };
        if let Some(fault) = budget::over(text) {
            return Err(vec![fault]);
        }
        for (index, line) in text.lines().enumerate() {
            if reader.faults.len() >= budget::MOST_FAULTS {
                reader.faults.push(budget::no_further(index + 1));
                return Err(reader.faults);
            }
            reader.line(index + 1, line);
        }
        reader.finish()
    }
}

struct Reader<'d> {
    data: &'d Data,
    /// Id and line of the Q.
    q: Option<(String, usize)>,
    /// Copies by id, with the line that names the type last.
    copies: BTreeMap<String, u32>,
    /// Pieces apart from the Q, misnamed ones included: a slip in a name should not show as a wrong total too.
    size: u32,
    faults: Vec<Fault>,
}

impl Reader<'_> {
    fn fault(&mut self, line: usize, message: String) {
        self.faults.push(Fault { line: Some(line), message });
    }

    fn line(&mut self, no: usize, line: &str) {
        let words = notation::words(line);
        let Some((first, rest)) = words.split_first() else { return };
        let (entry, rest) = (words.join(" "), rest.join(" "));
        let counted = first.strip_suffix(['x', 'X', '×']).unwrap_or(first);
        let (copies, name) = match counted.parse::<u32>() {
            Ok(copies) if !rest.is_empty() => (copies, rest.as_str()),
            _ if counted.bytes().all(|byte| byte.is_ascii_digit()) && rest.is_empty() => {
                self.fault(no, format!("“{entry}” names no piece; write a line like “3 klingon-lieutenant”."));
                return;
            }
            _ => (1, entry.as_str()),
        };
        match find_type(self.data, name) {
            Some(piece) if piece.kind == Kind::Q => self.q(no, copies, &piece.id),
            Some(piece) => self.piece(no, copies, &piece.id),
            None => {
                let ids = self.data.pieces.keys().map(String::as_str);
                let names = self.data.pieces.values().map(|piece| piece.name.as_str());
                let hint = did_you_mean(name, ids.chain(names));
                let stop = if hint.is_empty() { "." } else { "" };
                self.size = self.size.saturating_add(copies);
                self.fault(no, format!("“{entry}”: there is no piece type “{name}”{hint}{stop}"));
            }
        }
    }

    fn q(&mut self, no: usize, copies: u32, id: &str) {
        if let Some((_, first)) = &self.q {
            let message = format!("“{id}” is a second Q; line {first} already has one. Remove one of them.");
            self.fault(no, message);
            return;
        }
        if copies != 1 {
            self.fault(no, format!("A group has exactly one Q; write “1 {id}”."));
        }
        self.q = Some((id.to_owned(), no));
    }

    fn piece(&mut self, no: usize, copies: u32, id: &str) {
        if copies == 0 {
            self.fault(no, format!("“{id}” has 0 copies; remove the line, or write 1 or more."));
            return;
        }
        self.size = self.size.saturating_add(copies);
        let total = self.copies.get(id).copied().unwrap_or_default().saturating_add(copies);
        let most = self.data.rules.copies;
        if total > most {
            let message = format!("{total} copies of “{id}” are too many; at most {most} of one type are allowed.");
            self.fault(no, message);
        }
        self.copies.insert(id.to_owned(), total);
    }

    fn finish(mut self) -> Result<ControlGroup, Vec<Fault>> {
        let figures: &Figures = &self.data.rules;
        if self.size != figures.group_size {
            let message = wrong_size(self.size, figures);
            self.faults.push(Fault { line: None, message });
        }
        let Some((q, _)) = self.q else {
            let example = &self.data.default_q().id;
            let message = format!("The group has no Q; add a line like “1 {example}”.");
            self.faults.push(Fault { line: None, message });
            return Err(self.faults);
        };
        if !self.faults.is_empty() {
            return Err(self.faults);
        }
        let mut group = ControlGroup { q, pieces: self.copies.into_iter().collect() };
        group.sort(&self.data.pieces);
        Ok(group)
    }
}

/// A type by its id or its name, letter case aside.
fn find_type<'d>(data: &'d Data, word: &str) -> Option<&'d PieceType> {
    let lower = word.to_lowercase();
    data.piece(&lower).or_else(|| data.pieces.values().find(|piece| piece.name.to_lowercase() == lower))
}

impl fmt::Display for ControlGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "1 {}", self.q)?;
        for (id, copies) in &self.pieces {
            writeln!(f, "{copies} {id}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::conquest::{content, load};
    use proptest::prelude::{ProptestConfig, any, proptest};

    fn data() -> Data {
        load::load(&content::embedded()).expect("the files of the game are fine")
    }

    fn faults(text: &str) -> Vec<String> {
        let faults = ControlGroup::parse(&data(), text).expect_err("the text has faults");
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_stock_group_reads_back_as_itself() {
        let data = data();
        for stock in &data.groups {
            let text = stock.group.to_string();
            let read = ControlGroup::parse(&data, &text).expect("a stock group is legal");
            assert_eq!(read, stock.group, "{}", stock.id);
            assert_eq!(read.to_string(), text);
        }
    }

    #[test]
    fn comments_names_and_order_of_lines_do_not_matter() {
        let data = data();
        let stock = data.group("house-of-war").expect("a stock group");
        let mut lines: Vec<String> = stock.group.to_string().lines().map(str::to_owned).collect();
        lines.reverse();
        let text = format!("# mine\n\n{}\n", lines.join(" # as before\n"));
        let text =
            text.replace("3 batleth", "2x BAT'LETH\nbatleth").replace("3 klingon-lieutenant", "3  Klingon Lieutenant");
        assert_eq!(ControlGroup::parse(&data, &text).expect("it is legal"), stock.group);
    }

    #[test]
    fn every_fault_is_told_by_line_and_the_total_at_the_end() {
        let text = "3 klingon-warrior\n# next\n4 batleth\n2 xyz\n3 klingon-leutnant\n7\n0 crewman";
        assert_eq!(
            faults(text),
            [
                "Line 3: 4 copies of “batleth” are too many; at most 3 of one type are allowed.",
                "Line 4: “2 xyz”: there is no piece type “xyz”.",
                "Line 5: “3 klingon-leutnant”: there is no piece type “klingon-leutnant”; did you mean \
                 “klingon-lieutenant”?",
                "Line 6: “7” names no piece; write a line like “3 klingon-lieutenant”.",
                "Line 7: “crewman” has 0 copies; remove the line, or write 1 or more.",
                "The group has 12 pieces apart from the Q; it needs exactly 40.",
                "The group has no Q; add a line like “1 q”.",
            ]
        );
    }

    #[test]
    fn a_group_has_one_q_and_copies_add_up_over_lines() {
        let text = "2 q\nq-judge\n2 crewman\n2 crewman";
        let told = faults(text);
        assert_eq!(told[0], "Line 1: A group has exactly one Q; write “1 q”.");
        assert_eq!(told[1], "Line 2: “q-judge” is a second Q; line 1 already has one. Remove one of them.");
        assert_eq!(told[2], "Line 4: 4 copies of “crewman” are too many; at most 3 of one type are allowed.");
        assert_eq!(told[3], "The group has 4 pieces apart from the Q; it needs exactly 40.");
        assert_eq!(told.len(), 4);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_text_panics(text in any::<String>(), number in any::<u64>()) {
            static DATA: std::sync::LazyLock<Data> = std::sync::LazyLock::new(data);
            let _ = ControlGroup::parse(&DATA, &text);
            let _ = ControlGroup::parse(&DATA, &format!("{number} crewman\n{number}x {text}\n×\n3× crewman"));
        }
    }
}
