//! Finding countries by what people write: a code, a name, or the beginning of a name.

use super::data::{Code, Country, GameMap};
use crate::rules::nearest::did_you_mean;

/// The names of a map.
pub struct Names<'a> {
    map: &'a GameMap,
}

impl<'a> Names<'a> {
    /// The names of this map.
    pub fn of(map: &'a GameMap) -> Names<'a> {
        Names { map }
    }

    /// The country these words mean. A code or whole name goes before the beginning of another name.
    ///
    /// # Errors
    /// A sentence: unknown, or which ones it could be.
    pub fn find(&self, words: &[&str]) -> Result<Code, String> {
        match self.look_up(words) {
            Found::One(code) => Ok(code),
            other => Err(self.reason(words, &other)),
        }
    }

    /// Splits the words into `N` countries; names may have several words.
    ///
    /// # Errors
    /// A sentence about the split that comes nearest to a meaning.
    pub fn find_all<const N: usize>(&self, words: &[&str]) -> Result<[Code; N], String> {
        // The ways to split grow fast with the words; more than the names have cannot mean anything.
        if words.len() > N * self.longest() {
            return Err(format!("“{}” is more than {N} countries; use their codes.", shortened(words)));
        }
        let mut found: Vec<[Code; N]> = Vec::new();
        let mut nearest: Option<(usize, (usize, usize))> = None;
        for split in splits(words.len(), N) {
            let mut codes = Vec::with_capacity(N);
            let mut fault = None;
            for part in split.windows(2) {
                match self.look_up(&words[part[0]..part[1]]) {
                    Found::One(code) => codes.push(code),
                    _ => fault = fault.or(Some((part[0], part[1]))),
                }
            }
            match (<[Code; N]>::try_from(codes.as_slice()), fault) {
                (Ok(codes), None) if !found.contains(&codes) => found.push(codes),
                (_, Some(part)) if nearest.is_none_or(|(most, _)| codes.len() > most) => {
                    nearest = Some((codes.len(), part));
                }
                _ => {}
            }
        }
        match (found.as_slice(), nearest) {
            ([codes], _) => Ok(*codes),
            ([], Some((_, (from, to)))) => {
                let part = &words[from..to];
                Err(self.reason(part, &self.look_up(part)))
            }
            ([], None) => Err(format!("It names {} of {N} countries.", words.len())),
            _ => Err(format!("“{}” can be read in several ways; use the codes of the countries.", words.join(" "))),
        }
    }

    /// How many countries the words name, read as the fewest they can be; `None` where some are no country. At most
    /// as much work as there are words times the words of the longest name.
    pub fn count(&self, words: &[&str]) -> Option<usize> {
        let longest = self.longest();
        let mut fewest: Vec<Option<usize>> = vec![Some(0)];
        for end in 1..=words.len() {
            let starts = end.saturating_sub(longest)..end;
            let named = |start: &usize| matches!(self.look_up(&words[*start..end]), Found::One(_));
            fewest.push(starts.filter(named).filter_map(|start| fewest[start]).min().map(|before| before + 1));
        }
        fewest.last().copied().flatten()
    }

    /// Words of the longest name.
    fn longest(&self) -> usize {
        self.map.countries.iter().map(|it| it.plain_name.split(' ').count()).max().unwrap_or(1)
    }

    fn look_up(&self, words: &[&str]) -> Found<'a> {
        let text = plain(words.iter().copied());
        let countries = || self.map.countries.iter();
        let exact =
            |country: &&Country| country.code.as_str().eq_ignore_ascii_case(&text) || country.plain_name == text;
        if let Some(country) = countries().find(exact) {
            return Found::One(country.code);
        }
        let begun: Vec<&Country> = countries().filter(|country| country.plain_name.starts_with(&text)).collect();
        match begun.as_slice() {
            [country] => Found::One(country.code),
            [] => Found::None,
            _ => Found::Several(begun),
        }
    }

    /// Why the words do not mean one country. Dear: every name is compared; asked for once an order.
    fn reason(&self, words: &[&str], found: &Found) -> String {
        let shown = words.join(" ");
        if let Found::Several(countries) = found {
            let names: Vec<&str> = countries.iter().map(|country| country.name.as_str()).collect();
            return format!("“{shown}” could be {}; write more of the name, or its code.", names.join(", "));
        }
        let hint = did_you_mean(&shown, self.map.countries.iter().map(|country| country.name.as_str()));
        format!("There is no country “{shown}” on this map{}", if hint.is_empty() { ".".to_owned() } else { hint })
    }
}

/// What some words mean on a map.
enum Found<'a> {
    None,
    One(Code),
    Several(Vec<&'a Country>),
}

/// The first words, for a message.
fn shortened(words: &[&str]) -> String {
    const SHOWN: usize = 6;
    let more = if words.len() > SHOWN { " …" } else { "" };
    format!("{}{more}", words[..words.len().min(SHOWN)].join(" "))
}

/// Words in lower case with one space between them.
pub fn plain<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Every way to cut `length` words into `parts` runs, as the cuts with both ends.
fn splits(length: usize, parts: usize) -> Vec<Vec<usize>> {
    let mut all = vec![vec![0]];
    for part in 1..=parts {
        let rest = parts - part;
        let mut longer = Vec::new();
        for split in all {
            let start = split.last().copied().unwrap_or(0) + 1;
            let ends = if part == parts { length.max(start)..=length } else { start..=length.saturating_sub(rest) };
            for end in ends {
                let mut next = split.clone();
                next.push(end);
                longer.push(next);
            }
        }
        all = longer;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::imperial_conflict::tests::world;

    fn found(text: &str) -> Result<String, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        Names::of(world()).find(&words).map(|code| code.to_string())
    }

    #[test]
    fn codes_names_and_beginnings_are_found_in_any_case() {
        for (text, code) in
            [("ala", "ALA"), ("Alaska", "ALA"), ("kam", "KAM"), ("KAMCH", "KAM"), ("western  us", "WUS")]
        {
            assert_eq!(found(text).unwrap(), code, "{text}");
        }
        // A code goes before the beginning of another name: Indonesia and India both begin with it.
        assert_eq!(found("ind").unwrap(), "IND");
        assert_eq!(found("indo").unwrap(), "INO");
    }

    #[test]
    fn an_ambiguous_beginning_names_what_it_could_be() {
        let said = found("north").unwrap_err();
        assert!(said.contains("Northwest Territory") && said.contains("North Africa"), "{said}");
        assert!(found("Alasca").unwrap_err().contains("Alaska"));
        assert!(found("xyzzy").unwrap_err().ends_with("on this map."));
    }

    #[test]
    fn names_of_several_words_need_no_quotes() {
        let names = Names::of(world());
        let two = |text: &str| names.find_all::<2>(&text.split_whitespace().collect::<Vec<_>>());
        let codes = two("Northern Europe Great Britain").unwrap();
        assert_eq!(codes.map(|code| code.to_string()), ["NEU", "GBR"]);
        assert_eq!(two("north a western e").unwrap().map(|code| code.to_string()), ["NAF", "WEU"]);
        assert!(two("Alaska Kamchatcka").unwrap_err().contains("Kamchatka"));
        assert!(two("Alaska").is_err() && two("").is_err());
    }

    #[test]
    fn more_words_than_names_have_are_not_split() {
        // 200 letters a line make some 95 words: 4,371 ways to cut them in three, each with names to compare.
        let words = vec!["q"; 95];
        let said = Names::of(world()).find_all::<3>(&words).unwrap_err();
        assert_eq!(said, "“q q q q q q …” is more than 3 countries; use their codes.");
    }

    #[test]
    fn every_split_is_tried_once() {
        assert_eq!(splits(3, 2), [vec![0, 1, 3], vec![0, 2, 3]]);
        assert_eq!(splits(4, 3).len(), 3);
        assert!(splits(1, 2).is_empty() && splits(0, 1).is_empty());
    }
}
