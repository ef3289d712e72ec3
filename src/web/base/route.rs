//! What the list of routes says of an address: which requests it takes, whether logs may keep it, and which fields of
//! its form people write texts into.

use actix_web::HttpRequest;

use super::error::PageError;

/// One line of the list of routes.
#[derive(Clone, Copy)]
pub struct Route {
    /// What it takes: GET (and with it HEAD) or POST.
    pub verb: Verb,
    /// Path, with its parameters in braces; each is one whole part of the path.
    pub path: &'static str,
    /// Makes the handler, for each thread that answers requests.
    pub handler: fn() -> actix_web::Route,
    /// Whether the path carries a secret that logs must not keep.
    pub secret: bool,
    /// Whether it is answered without looking up who asks.
    pub bare: bool,
    /// Fields of the form that people write texts into, which they get back when the form is not taken.
    pub texts: &'static [&'static str],
}

/// What a route takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// A page, or a file.
    Get,
    /// A form.
    Post,
}

impl Route {
    /// A page.
    pub const fn page(path: &'static str, handler: fn() -> actix_web::Route) -> Route {
        Route { verb: Verb::Get, path, handler, secret: false, bare: false, texts: &[] }
    }

    /// A form.
    pub const fn form(path: &'static str, handler: fn() -> actix_web::Route) -> Route {
        Route { verb: Verb::Post, path, handler, secret: false, bare: false, texts: &[] }
    }

    /// Its path carries a secret.
    pub const fn secret(mut self) -> Route {
        self.secret = true;
        self
    }

    /// It is answered without looking up who asks.
    pub const fn bare(mut self) -> Route {
        self.bare = true;
        self
    }

    /// People write texts into these fields.
    pub const fn texts(mut self, fields: &'static [&'static str]) -> Route {
        self.texts = fields;
        self
    }

    fn matches(&self, path: &str) -> bool {
        let (mut pattern, mut parts) = (self.path.split('/'), path.split('/'));
        loop {
            match (pattern.next(), parts.next()) {
                (None, None) => return true,
                (Some(wanted), Some(part)) if wanted.starts_with('{') && !part.is_empty() => {}
                (Some(wanted), Some(part)) if wanted.as_bytes() == decoded(part) => {}
                _ => return false,
            }
        }
    }
}

/// The route of a request; the first that fits, as the router does it.
pub fn find(routes: &'static [Route], verb: Verb, path: &str) -> Option<&'static Route> {
    routes.iter().find(|route| route.verb == verb && route.matches(path))
}

/// The path as logs may keep it: of an address that carries a secret only what comes before it, also when the address
/// is mistyped.
pub fn public_path(routes: &[Route], path: &str) -> String {
    let plain = String::from_utf8_lossy(&decoded(path)).to_ascii_lowercase();
    let starts = routes.iter().filter(|route| route.secret).filter_map(|route| route.path.split('{').next());
    // From the first one on nothing is kept.
    let found =
        starts.filter_map(|start| plain.find(start).map(|at| at + start.len())).filter(|end| *end < plain.len());
    match found.min() {
        Some(end) => format!("{}…", &plain[..end]),
        None => path.chars().take(200).collect(),
    }
}

/// The bytes that a part of an address stands for. A percent sign that begins no code stands for itself.
pub fn decoded(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let code = bytes.get(at + 1..at + 3).filter(|_| *byte == b'%').and_then(|code| std::str::from_utf8(code).ok());
        let code = code.filter(|code| code.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(code) => {
                plain.push(code);
                at += 3;
            }
            None => {
                plain.push(*byte);
                at += 1;
            }
        }
    }
    plain
}

/// Refuses an address that stands for no text: no page has such a path, and no database takes such a text.
///
/// # Errors
/// [`PageError::NotFound`] for the path, [`PageError::Malformed`] for what is asked after it.
pub fn check_address(request: &HttpRequest) -> Result<(), PageError> {
    let path = decoded(request.path());
    if path.iter().any(u8::is_ascii_control) || std::str::from_utf8(&path).is_err() {
        return Err(PageError::NotFound);
    }
    if decoded(request.query_string()).contains(&0) {
        return Err(PageError::Malformed("The address has characters that are not text.".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use actix_web::web;

    use super::*;

    const SOME: &[Route] = &[
        Route::page("/", web::get),
        Route::page("/reset", web::get),
        Route::form("/reset/{token}", web::get).secret(),
        Route::page("/i/{key}", web::get).secret(),
        Route::page("/t/{id}/phases/{no}", web::get),
        Route::page("/t/new/phases/{no}", web::get).bare(),
    ];

    #[test]
    fn the_first_route_that_fits_is_found() {
        let found = |verb, path| find(SOME, verb, path).map(|route| route.path);
        assert_eq!(found(Verb::Get, "/"), Some("/"));
        assert_eq!(found(Verb::Get, "/reset"), Some("/reset"));
        assert_eq!(found(Verb::Get, "/%72eset"), Some("/reset"));
        assert_eq!(found(Verb::Post, "/reset"), None);
        assert_eq!(found(Verb::Post, "/reset/abc"), Some("/reset/{token}"));
        assert_eq!(found(Verb::Get, "/t/new/phases/1"), Some("/t/{id}/phases/{no}"));
        for path in ["", "//", "/reset/", "/i/", "/i", "/t//phases/1", "/t/x/phases/1/2", "reset"] {
            assert_eq!(found(Verb::Get, path), None, "{path:?}");
        }
    }

    #[test]
    fn logs_keep_no_secret_however_the_address_is_written() {
        let path = |path| public_path(SOME, path);
        for secret in ["/i/SECRET", "/%69/SECRET", "/I/SECRET/", "//i/SECRET", "/x/i/SECRET", "/i%2FSECRET"] {
            assert!(!path(secret).to_lowercase().contains("secret"), "{secret}: {}", path(secret));
            assert!(path(secret).ends_with("i/…"), "{secret}: {}", path(secret));
        }
        assert_eq!(path("/reset/SECRET/more"), "/reset/…");
        assert_eq!(path("/t/abc/plot"), "/t/abc/plot");
        assert_eq!(path("/reset"), "/reset");
    }

    #[test]
    fn addresses_are_decoded() {
        assert_eq!(decoded("/a%2Fb%zz%4"), b"/a/b%zz%4");
        assert_eq!(decoded("%00%ff%+1"), [0, 0xff, b'%', b'+', b'1']);
    }
}
