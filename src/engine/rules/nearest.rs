//! "Did you mean …?": the known word a mistyped one is closest to.

/// The candidate closest to `word`, if it is close enough to be what was meant: at most a third of its
/// letters differ. Letter case does not count. Among equally close ones the first wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.to_lowercase().chars().take(LONGEST).collect();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        // Most words differ in length alone by more than is allowed; comparing letters is dear.
        let count = candidate.chars().count().min(LONGEST);
        if count.abs_diff(word.len()) > (word.len().max(count) / 3).max(1) + SPELLING {
            continue;
        }
        let letters: Vec<char> = candidate.to_lowercase().chars().take(LONGEST).collect();
        let distance = edits(&word, &letters);
        let allowed = (word.len().max(letters.len()) / 3).max(1);
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// `; did you mean “…”?` or, with nothing close, an empty text.
pub fn did_you_mean<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(word, candidates).map(|candidate| format!("; did you mean “{candidate}”?")).unwrap_or_default()
}

/// Letters beyond this many are not compared, so that a huge word costs nothing.
const LONGEST: usize = 60;

/// By how many letters a word may grow when it is written in small ones.
const SPELLING: usize = 2;

/// Levenshtein distance: letters to change, put in or take out.
fn edits(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, against) in other.iter().enumerate() {
            let change = diagonal + usize::from(letter != against);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_word_is_offered_and_a_far_one_is_not() {
        let words = ["klingon-lieutenant", "klingon-warrior", "batleth"];
        assert_eq!(nearest("klingon-leutnant", words), Some("klingon-lieutenant"));
        assert_eq!(nearest("Bat'leth", words), Some("batleth"));
        assert_eq!(nearest("tricorder", words), None);
        assert_eq!(nearest("", words), None);
        assert_eq!(did_you_mean("batlet", words), "; did you mean “batleth”?");
        assert_eq!(did_you_mean("xyz", words), "");
    }
}
