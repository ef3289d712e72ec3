//! Sentences that quote what somebody wrote, made fit to be shown and logged.

/// Most letters of one quotation (“…”) that are shown; nobody needs more to find the place.
const LONGEST_QUOTATION: usize = 80;

/// Most letters of a whole sentence.
const LONGEST: usize = 1000;

/// The sentence with long quotations cut, and without characters that steer a terminal, break its line or turn its
/// direction of writing.
pub fn tame(sentence: &str) -> String {
    let mut tamed = String::new();
    let mut letters = 0;
    // Letters of the quotation so far; `None` outside.
    let mut quoted = None;
    for letter in sentence.chars() {
        quoted = match (letter, quoted) {
            ('“', None) => Some(0),
            ('”', _) => None,
            (_, Some(count)) => Some(count + 1),
            (_, None) => None,
        };
        match quoted {
            Some(count) if count > LONGEST_QUOTATION + 1 => continue,
            Some(count) if count == LONGEST_QUOTATION + 1 => tamed.push('…'),
            _ => tamed.push(shown(letter)),
        }
        letters += 1;
        if letters == LONGEST {
            tamed.push('…');
            break;
        }
    }
    tamed
}

fn shown(letter: char) -> char {
    match letter {
        '\n' | '\t' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => char::REPLACEMENT_CHARACTER,
        _ if letter.is_control() => char::REPLACEMENT_CHARACTER,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_cut_and_nothing_steers_the_reader() {
        let plain = "Line 3: there is no piece “A9”; did you mean “A8”?";
        assert_eq!(tame(plain), plain);
        assert_eq!(tame("“a\0b\u{1b}[2J\nc\u{202e}d” is not it."), "“a\u{fffd}b\u{fffd}[2J c\u{fffd}d” is not it.");
        let exact = format!("“{}” and “{}”.", "x".repeat(80), "é".repeat(80));
        assert_eq!(tame(&exact), exact);
        let long = format!("“{}” and “{}”.", "x".repeat(81), "é".repeat(5_000));
        assert_eq!(tame(&long), format!("“{}…” and “{}…”.", "x".repeat(80), "é".repeat(80)));
        assert_eq!(tame(&"x".repeat(5_000)).chars().count(), LONGEST + 1);
    }
}
