//! Names from right to left within sentences from left to right.

/// A name as a part of a sentence. One that holds letters written from right to left is isolated (U+2068 … U+2069), so
/// that it doesn't turn the words and figures around it; any other is left as it is.
pub fn isolated(name: &str) -> String {
    if name.chars().any(is_right_to_left) { format!("\u{2068}{name}\u{2069}") } else { name.to_owned() }
}

fn is_right_to_left(c: char) -> bool {
    matches!(c,
        '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{202b}' | '\u{202e}' | '\u{2067}'
        | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_from_right_to_left_are_isolated() {
        assert_eq!(isolated("Zoë"), "Zoë");
        assert_eq!(isolated("דנה"), "\u{2068}דנה\u{2069}");
    }
}
