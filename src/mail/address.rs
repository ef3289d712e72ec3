//! Mail addresses as people type them.

use lettre::Address;

/// Longest address taken: what SMTP can carry as a path.
const LONGEST: usize = 254;

/// A text that letters can't be sent to.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadAddress {
    /// Nothing was written.
    #[error("Write the mail address that your letters shall go to.")]
    Empty,
    /// Too long for SMTP.
    #[error("This address is longer than the {LONGEST} characters that mail can carry.")]
    TooLong,
    /// Not of the form of an address.
    #[error("“{0}” is no mail address; it has a name, an @ and a domain, like sam@example.org.")]
    Form(String),
}

/// Checks the form of an address, and gives it without the blanks around it.
///
/// Only what a letter could be sent to: a domain with a dot, no address literals, ASCII alone (few servers
/// take more). Whether somebody reads it is found out by a letter.
pub fn check_address(text: &str) -> Result<String, BadAddress> {
    let text = text.trim();
    if text.is_empty() {
        return Err(BadAddress::Empty);
    }
    if text.len() > LONGEST {
        return Err(BadAddress::TooLong);
    }
    let form = || BadAddress::Form(text.to_owned());
    if !text.is_ascii() || text.contains(|c: char| c.is_ascii_control() || c == '"') {
        return Err(form());
    }
    let address: Address = text.parse().map_err(|_| form())?;
    let domain = address.domain();
    let whole = domain.split('.').count() > 1 && domain.split('.').all(|label| !label.is_empty());
    if !whole || domain.starts_with('[') {
        return Err(form());
    }
    Ok(text.to_owned())
}

/// An address as it may stand in a log: `s…@example.org`.
pub fn mask(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((name, domain)) => format!("{}…@{domain}", name.chars().next().map(String::from).unwrap_or_default()),
        None => "…".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_checked_by_form() {
        assert_eq!(check_address("  Sam.O+games@Example.org "), Ok("Sam.O+games@Example.org".to_owned()));
        assert_eq!(check_address(" "), Err(BadAddress::Empty));
        for bad in
            ["sam", "sam@", "@example.org", "sam@localhost", "a b@example.org", "sam@example..org", "sam@[127.0.0.1]"]
        {
            assert_eq!(check_address(bad), Err(BadAddress::Form(bad.to_owned())), "{bad}");
        }
        assert_eq!(
            check_address("sam@example.org\r\nBcc: x@y.example"),
            Err(BadAddress::Form("sam@example.org\r\nBcc: x@y.example".to_owned()))
        );
        assert_eq!(check_address(&format!("{}@example.org", "x".repeat(250))), Err(BadAddress::TooLong));
    }

    #[test]
    fn logs_show_no_whole_address() {
        assert_eq!(mask("sam@example.org"), "s…@example.org");
        assert_eq!(mask("nonsense"), "…");
    }
}
