//! What the order notations of all games share: one order a line, `#` starts a comment, any white space separates
//! words. A byte order mark and a full stop, comma or semicolon at the end of a line are not read, because
//! editors, mail programs and habit put them there.

use super::Fault;

/// How much text a game reads.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Orders of one text.
    pub orders: usize,
    /// Characters of a line, comment included.
    pub line: usize,
    /// Bytes of the whole text.
    pub text: usize,
}

/// A line with something on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextLine<'t> {
    /// Its number, counted from 1, empty lines and comments counted.
    pub no: usize,
    /// Its words; never empty.
    pub words: Vec<&'t str>,
}

/// Lines that were found, and the faults of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextLines<'t> {
    /// The lines to be read.
    pub lines: Vec<TextLine<'t>>,
    /// Lines that are too long, and a text that is.
    pub faults: Vec<Fault>,
}

/// The words of a text, line by line. What goes beyond the limits becomes a fault and is not looked at, so that
/// the work stays in proportion to the limits and not to the text.
pub fn lines(text: &str, limits: Limits) -> TextLines<'_> {
    let mut found = TextLines::default();
    if text.len() > limits.text {
        let message =
            format!("The text has {} bytes; orders fit into {}. Hand in the rest later.", text.len(), limits.text);
        found.faults.push(Fault { line: None, message });
        return found;
    }
    for (index, line) in text.lines().enumerate() {
        let no = index + 1;
        let words = words(line);
        if words.is_empty() {
            continue;
        }
        if found.lines.len() + found.faults.len() == limits.orders {
            let message = format!("There are more than {} orders here; hand in the rest later.", limits.orders);
            found.faults.push(Fault { line: Some(no), message });
            break;
        }
        if line.chars().count() > limits.line {
            let message = format!("The line is longer than {} letters.", limits.line);
            found.faults.push(Fault { line: Some(no), message });
        } else {
            found.lines.push(TextLine { no, words });
        }
    }
    found
}

/// The words of one line, comment and marks at its end left out.
pub fn words(line: &str) -> Vec<&str> {
    let order = line.split('#').next().unwrap_or_default();
    let marks = |letter: char| letter.is_whitespace() || matches!(letter, '.' | ',' | ';' | BYTE_ORDER_MARK);
    let order = order.trim_end_matches(marks);
    order
        .split(|letter: char| letter.is_whitespace() || letter == BYTE_ORDER_MARK)
        .filter(|word| !word.is_empty())
        .collect()
}

/// Stands before a text, for programs that look for it, and shows nothing.
const BYTE_ORDER_MARK: char = '\u{feff}';

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { orders: 3, line: 30, text: 100 };

    fn read(text: &str) -> Vec<(usize, String)> {
        let found = lines(text, LIMITS);
        assert_eq!(found.faults, []);
        found.lines.into_iter().map(|line| (line.no, line.words.join(" "))).collect()
    }

    #[test]
    fn what_editors_and_habit_add_is_not_read() {
        let text = "\u{feff}pass.\r\n\n# nothing\nmove\u{a0}A2\tto \u{2003}x ;\u{a0}\r\nend,. # so";
        let lines = [(1, "pass"), (4, "move A2 to x"), (5, "end")].map(|(no, words)| (no, words.to_owned()));
        assert_eq!(read(text), lines);
        assert_eq!(read("beam A1,A2 to St. Lucia."), [(1, "beam A1,A2 to St. Lucia".to_owned())]);
        assert_eq!(read("\u{feff}\n.\n;;"), []);
    }

    #[test]
    fn what_is_beyond_the_limits_is_a_fault_and_nothing_else_is_done_with_it() {
        let told = |text: &str| lines(text, LIMITS).faults.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(told(&"x".repeat(31)), ["Line 1: The line is longer than 30 letters."]);
        assert_eq!(told("a\nb\n\nc\nd\ne"), ["Line 5: There are more than 3 orders here; hand in the rest later."]);
        assert_eq!(told(&"x\n".repeat(51)), ["The text has 102 bytes; orders fit into 100. Hand in the rest later."]);
        assert!(lines(&"x\n".repeat(51), LIMITS).lines.is_empty());
    }
}
