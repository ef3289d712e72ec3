//! Where a request comes from, and its number: what proxies of the operator's say, and nobody else may.

use std::net::{IpAddr, SocketAddr};

use actix_web::HttpRequest;
use actix_web::http::header::{HeaderName, HeaderValue};
use data_encoding::BASE32HEX_NOPAD;

/// The header that carries a request's number, in both directions.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The number of a request: in the answer and in each of its log lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(String);

impl RequestId {
    /// The number a proxy of the operator's gave the request, if there is one (`trusted_proxies` above 0) and it can be
    /// read; else a new one.
    pub fn of(request: &HttpRequest, trusted_proxies: usize) -> RequestId {
        let told = request.headers().get(REQUEST_ID).filter(|_| trusted_proxies > 0);
        let told = told.and_then(|value| value.to_str().ok()).filter(|text| is_number(text));
        RequestId(told.map_or_else(new_number, str::to_owned))
    }

    /// As text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// For the answer.
    pub fn header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).unwrap_or_else(|_| HeaderValue::from_static(""))
    }
}

/// What proxies write: letters, digits and a few marks, of a sensible length.
fn is_number(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:=".contains(&byte))
}

fn new_number() -> String {
    let mut bytes = [0u8; 10];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    BASE32HEX_NOPAD.encode(&bytes).to_lowercase()
}

/// The visitor's network address. Each proxy adds the address it was spoken to from to the end of `X-Forwarded-For`; so
/// with `trusted_proxies` of them it is that many entries from the end, and what comes before is whatever the visitor
/// claimed. Where an entry cannot be read, the next one towards us counts, in the end the connection itself.
pub fn visitor(request: &HttpRequest, trusted_proxies: usize) -> Option<IpAddr> {
    let lists = request.headers().get_all("x-forwarded-for").map(|value| value.to_str().unwrap_or("unreadable"));
    let entries: Vec<&str> = lists.flat_map(|list| list.split(',')).collect();
    let ours = &entries[entries.len().saturating_sub(trusted_proxies)..];
    ours.iter().find_map(|entry| read(entry)).or_else(|| request.peer_addr().map(|peer| peer.ip()))
}

/// An address as proxies write it: bare, in brackets, with a port, in quotation marks.
fn read(entry: &str) -> Option<IpAddr> {
    let entry = entry.trim().trim_matches('"');
    let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    // The zone of a link-local address says nothing here.
    let bare = bare.split('%').next().unwrap_or(bare);
    bare.parse().ok().or_else(|| entry.parse().ok().map(|address: SocketAddr| address.ip()))
}

/// A network address without the part that tells one visitor from a neighbour, for logs.
pub fn masked(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.x")
        }
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(address) => masked(IpAddr::V4(address)),
            None => {
                let [a, b, c, ..] = address.segments();
                format!("{a:x}:{b:x}:{c:x}::x")
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    fn seen(trusted_proxies: usize, lists: &[&str]) -> String {
        let mut request = TestRequest::default().peer_addr("192.0.2.1:4000".parse().unwrap());
        for list in lists {
            request = request.append_header(("x-forwarded-for", *list));
        }
        visitor(&request.to_http_request(), trusted_proxies).unwrap().to_string()
    }

    #[test]
    fn addresses_are_read_as_proxies_write_them() {
        for (written, expected) in [
            ("203.0.113.7", "203.0.113.7"),
            (" 203.0.113.7:4711 ", "203.0.113.7"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("\"[2001:db8::1]:4711\"", "2001:db8::1"),
            ("fe80::1%eth0", "fe80::1"),
        ] {
            assert_eq!(seen(1, &[written]), expected, "{written}");
        }
        for nonsense in ["", "unknown", "_hidden", "[2001:db8::1", "203.0.113.7:port", "1.2.3", "é"] {
            assert_eq!(seen(1, &[nonsense]), "192.0.2.1", "{nonsense:?}");
        }
    }

    #[test]
    fn as_many_entries_count_as_there_are_proxies() {
        let lists = ["9.9.9.9, 203.0.113.1", "203.0.113.2,203.0.113.3"];
        let counted = [0, 1, 2, 3, 4, 9].map(|proxies| seen(proxies, &lists));
        assert_eq!(counted, ["192.0.2.1", "203.0.113.3", "203.0.113.2", "203.0.113.1", "9.9.9.9", "9.9.9.9"]);
        // What a proxy of ours could not name is not looked for among what the visitor claims.
        assert_eq!(seen(2, &["9.9.9.9, unknown, 203.0.113.3"]), "203.0.113.3");
        assert_eq!(seen(1, &["9.9.9.9, unknown"]), "192.0.2.1");
    }

    #[test]
    fn a_number_is_taken_over_from_a_proxy_only_and_only_when_it_is_one() {
        let of = |trusted, text: &str| {
            let request = TestRequest::default().insert_header((REQUEST_ID, text)).to_http_request();
            RequestId::of(&request, trusted).0
        };
        assert_eq!(of(1, "f3a1-77.x"), "f3a1-77.x");
        assert_ne!(of(0, "f3a1-77.x"), "f3a1-77.x");
        for nonsense in ["", "two words", "<b>", "a\"b", &"x".repeat(65)] {
            let made = of(1, nonsense);
            assert!(made.len() == 16 && is_number(&made), "{made}");
        }
        assert_ne!(of(0, ""), of(0, ""));
    }

    #[test]
    fn logs_keep_no_whole_address() {
        let masked = |text: &str| masked(text.parse().unwrap());
        assert_eq!(masked("203.0.113.77"), "203.0.113.x");
        assert_eq!(masked("::ffff:203.0.113.77"), "203.0.113.x");
        assert_eq!(masked("2001:db8:1:2::3"), "2001:db8:1::x");
    }
}
