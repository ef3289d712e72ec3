//! Mail addresses as people type them.

use idna::{AsciiDenyList, domain_to_ascii_cow, domain_to_unicode};
use lettre::Address;

/// Longest address taken: what SMTP can carry as a path.
const LONGEST: usize = 254;

/// A text that letters can't be sent to.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BadAddress {
    /// Nothing was written.
    #[error("Write the mail address that your letters should go to.")]
    Empty,
    /// Too long for SMTP.
    #[error("This address is longer than the {LONGEST} characters that mail can carry.")]
    TooLong,
    /// Not of the form of an address.
    #[error("“{0}” is not a mail address; an address has a name, an @ and a domain, like sam@example.org.")]
    Form(String),
    /// Letters outside ASCII before the @.
    #[error(
        "“{0}” has the letter “{1}” before the @, which most mail servers cannot deliver to. Write an address with \
         letters from A to Z."
    )]
    Name(String, char),
    /// A domain that cannot exist.
    #[error("“{0}” has a domain that cannot exist. Check what is written after the @.")]
    Domain(String),
}

/// Checks the form of an address, and returns it without the blanks around it.
///
/// Only what a letter could be sent to: a domain with a dot, no address literals, ASCII alone before the @ (few servers
/// take more). A domain with other letters is turned into its ASCII form (`xn--…`), which is stored, compared and
/// written to; people are shown [`readable`]. Whether somebody reads the address is found out by a letter.
pub fn check_address(text: &str) -> Result<String, BadAddress> {
    let text = text.trim();
    if text.is_empty() {
        return Err(BadAddress::Empty);
    }
    let form = || BadAddress::Form(text.to_owned());
    if text.contains(|c: char| c.is_control() || c == '"') {
        return Err(form());
    }
    let (name, domain) = text.rsplit_once('@').ok_or_else(form)?;
    if let Some(other) = name.chars().find(|c| !c.is_ascii()) {
        return Err(if other.is_alphanumeric() { BadAddress::Name(text.to_owned(), other) } else { form() });
    }
    let ascii = if domain.is_ascii() {
        text.to_owned()
    } else {
        let domain = domain_to_ascii_cow(domain.as_bytes(), AsciiDenyList::STD3)
            .map_err(|_| BadAddress::Domain(text.to_owned()))?;
        format!("{name}@{domain}")
    };
    if ascii.len() > LONGEST {
        return Err(BadAddress::TooLong);
    }
    let domain = ascii.rsplit_once('@').map_or("", |(_, domain)| domain);
    let whole = domain.split('.').count() > 1 && domain.split('.').all(|label| !label.is_empty());
    if !whole || domain.starts_with('[') {
        return Err(form());
    }
    // The form of an address allows letters that no domain has.
    let hyphens = domain.split('.').any(|label| label.starts_with('-') || label.ends_with('-'));
    if hyphens || domain_to_ascii_cow(domain.as_bytes(), AsciiDenyList::STD3).is_err() {
        return Err(BadAddress::Domain(text.to_owned()));
    }
    ascii.parse::<Address>().map_err(|_| form())?;
    Ok(ascii)
}

/// The form of an address that accounts are found by: that of [`check_address`], or the text itself when it is no
/// address and so nobody's.
pub fn canonical_address(text: &str) -> String {
    check_address(text).unwrap_or_else(|_| text.trim().to_owned())
}

/// A stored address as people read it: with the letters of its domain (`müller.example` for `xn--mller-kva.example`).
pub fn readable(address: &str) -> String {
    match address.rsplit_once('@') {
        Some((name, domain)) => match domain_to_unicode(domain) {
            (shown, Ok(())) if !domain.is_empty() => format!("{name}@{shown}"),
            _ => address.to_owned(),
        },
        None => address.to_owned(),
    }
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
        for bad in ["sam@exa#mple.org", "sam@xn--#mller-kva.example", "sam@xn--a.example", "sam@-x.example"] {
            assert_eq!(check_address(bad), Err(BadAddress::Domain(bad.to_owned())), "{bad}");
        }
    }

    #[test]
    fn a_domain_with_umlauts_is_kept_in_ascii_and_shown_with_umlauts() {
        let ascii = "kira@xn--mller-kva.example".to_owned();
        for written in ["kira@müller.example", "kira@MÜLLER.example", "kira@mu\u{308}ller.example", &ascii] {
            assert_eq!(check_address(written), Ok(ascii.clone()), "{written}");
            assert_eq!(canonical_address(written), ascii);
        }
        assert_eq!(readable(&ascii), "kira@müller.example");
        for same in ["Sam@Example.org", "nonsense", "sam@xn--a.example", "sam@"] {
            assert!(readable(same).eq_ignore_ascii_case(same), "{same}");
        }
        assert_eq!(check_address("jürgen@example.org"), Err(BadAddress::Name("jürgen@example.org".to_owned(), 'ü')));
        assert!(matches!(
            check_address("a@\u{2024}\u{2024}.example"),
            Err(BadAddress::Domain(_) | BadAddress::Form(_))
        ));
        assert_eq!(canonical_address(" nonsense "), "nonsense");
    }

    #[test]
    fn logs_show_no_whole_address() {
        assert_eq!(mask("sam@example.org"), "s…@example.org");
        assert_eq!(mask("nonsense"), "…");
    }
}
