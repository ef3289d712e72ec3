//! Addresses of the site: read, and written.

use actix_web::web::Path;

use super::error::PageError;
use crate::store::TableId;

/// The id in an address; what is none looks like a table that doesn't exist.
pub fn table_id(path: &Path<String>) -> Result<TableId, PageError> {
    path.parse().map_err(|_| PageError::NotFound)
}

/// The table that an address is about; none for sitting down, because who comes by the link of an invitation does not
/// see a private table without it.
pub fn table_in(path: &str) -> Option<String> {
    let mut parts = path.strip_prefix("/t/")?.split('/');
    let id = parts.next()?;
    if parts.next() == Some("join") {
        return None;
    }
    id.parse::<TableId>().ok().map(|id| format!("/t/{id}"))
}

/// Fields as the query of an address.
pub fn query(fields: &[(&str, &str)]) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~/".contains(&byte);
    let part = |text: &str| -> String {
        text.bytes()
            .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
            .collect()
    };
    let parts: Vec<String> = fields.iter().map(|(name, value)| format!("{}={}", part(name), part(value))).collect();
    parts.join("&")
}

/// A text as one part of a path.
pub fn path_part(text: &str) -> String {
    query(&[("", text)]).trim_start_matches('=').replace('/', "%2F")
}
