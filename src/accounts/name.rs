//! Names of players.

const SHORTEST: usize = 3;
const LONGEST: usize = 24;

/// Names that would be taken for somebody else than a player.
const RESERVED: [&str; 16] = [
    "admin",
    "administrator",
    "anonymous",
    "everybody",
    "former",
    "moderator",
    "nobody",
    "player",
    "referee",
    "root",
    "server",
    "settings",
    "stardate",
    "support",
    "system",
    "you",
];

/// A text that can't be a player's name.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadName {
    /// Too short or too long.
    #[error("A name must have {SHORTEST} to {LONGEST} characters; this one has {0}.")]
    Length(usize),
    /// A character outside the alphabet of names.
    #[error("A name may have only letters from A to Z, digits, - and _; “{0}” is not one of them.")]
    Character(char),
    /// Doesn't begin with a letter.
    #[error("A name must begin with a letter.")]
    Beginning,
    /// Would mislead.
    #[error("The name “{0}” is reserved; choose another one.")]
    Reserved(String),
}

/// Checks a name by its form, and returns it without the blanks around it. ASCII only: names stand in
/// addresses of pages, and letters that look alike would let one player pass for another.
pub fn check_name(text: &str) -> Result<String, BadName> {
    let name = text.trim();
    let length = name.chars().count();
    if !(SHORTEST..=LONGEST).contains(&length) {
        return Err(BadName::Length(length));
    }
    if let Some(other) = name.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))) {
        return Err(BadName::Character(other));
    }
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return Err(BadName::Beginning);
    }
    if RESERVED.contains(&name.to_lowercase().as_str()) {
        return Err(BadName::Reserved(name.to_owned()));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        assert_eq!(check_name(" Jean-Luc_2 "), Ok("Jean-Luc_2".to_owned()));
        assert_eq!(check_name("ab"), Err(BadName::Length(2)));
        assert_eq!(check_name(&"a".repeat(25)), Err(BadName::Length(25)));
        assert_eq!(check_name("Jean Luc"), Err(BadName::Character(' ')));
        assert_eq!(check_name("Pàul"), Err(BadName::Character('à')));
        assert_eq!(check_name("2fast"), Err(BadName::Beginning));
        assert_eq!(check_name("Admin"), Err(BadName::Reserved("Admin".to_owned())));
    }
}
