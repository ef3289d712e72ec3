//! How much of a text is read. Every text comes from somebody who may mean harm or have a program that fails; what
//! is beyond these bounds is refused before any of it is read.

use super::Fault;

/// Most bytes of orders or of a loadout. The longest that a game can use has a tenth of it.
pub const MOST_BYTES: usize = 32 * 1024;
/// Most lines of orders or of a loadout, comments and empty lines included.
pub const MOST_LINES: usize = 400;
/// Most letters of a line, its comment included. The longest order, a doctrine that names every piece, is below it.
pub const LONGEST_LINE: usize = 1000;
/// Most lines that are found faulty one by one; after that reading stops. Saying what was meant is the dearest part
/// of reading, and nobody mends more at a time.
pub const MOST_FAULTS: usize = 30;
/// Most bytes of a data file or of a scenario.
pub const MOST_FILE_BYTES: usize = 1024 * 1024;
/// Most faults that are told of one data file or scenario.
pub const MOST_FILE_FAULTS: usize = 100;

/// What is too much about a text of orders or a loadout, if anything is.
pub fn over(text: &str) -> Option<Fault> {
    let whole = |message: String| Some(Fault { line: None, message });
    if text.len() > MOST_BYTES {
        return whole(format!("This text has {} bytes; at most {MOST_BYTES} are read.", text.len()));
    }
    let lines = text.lines().count();
    if lines > MOST_LINES {
        return whole(format!("This text has {lines} lines; at most {MOST_LINES} are read."));
    }
    let long = text.lines().position(|line| line.chars().count() > LONGEST_LINE)?;
    Some(Fault { line: Some(long + 1), message: format!("This line is longer than {LONGEST_LINE} letters.") })
}

const NO_FURTHER: &str = "From here on nothing was read. Mend the lines before it first.";

/// The last fault of a text with more faulty lines than are told.
pub fn no_further(line: usize) -> Fault {
    Fault { line: Some(line), message: NO_FURTHER.to_owned() }
}

/// Whether this is [`no_further`].
pub fn is_last(fault: &Fault) -> bool {
    fault.message == NO_FURTHER
}

/// The last fault of orders of which more is wrong than is told.
pub fn no_more() -> Fault {
    Fault { line: None, message: "More than this is wrong. Mend these first.".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_said_with_the_figure() {
        let told = |text: &str| over(text).map(|fault| fault.to_string()).unwrap_or_default();
        assert_eq!(told(&"pass\n".repeat(MOST_LINES)), "");
        assert_eq!(told(&"pass\n".repeat(401)), "This text has 401 lines; at most 400 are read.");
        assert_eq!(told(&"x".repeat(MOST_BYTES + 1)), "This text has 32769 bytes; at most 32768 are read.");
        assert_eq!(told(&format!("pass\n{}", "é".repeat(1001))), "Line 2: This line is longer than 1000 letters.");
    }
}
