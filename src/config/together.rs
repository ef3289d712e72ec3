//! Checks of settings that need more than a glance: addresses, certificates, and keys that only make sense together.
//! A refusal is the sentence that follows the key: what was found, and what to do.

use std::net::IpAddr;
use std::path::Path;

use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use url::{Host, Url};

use super::layers::Layers;
use super::{Mail, MailTransport, Server};

/// An address people can reach the site under: a scheme and a host, perhaps a port, and nothing else.
pub(super) fn base_url(text: &str) -> Result<(), String> {
    let expected = "expected nothing, or an address that starts with http:// or https:// and has no slash at the end";
    let otherwise = || Err(format!("{expected}, such as https://play.example.org; found “{text}”"));
    let Ok(url) = Url::parse(text) else { return otherwise() };
    // Read leniently, as browsers do, `http:///x` would be the host x.
    let plain = text.chars().all(|c| !c.is_whitespace() && !c.is_control() && c != '\\') && !text.contains(":///");
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() || !plain {
        return otherwise();
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("it must not have a user or password; write the address that players open".to_owned());
    }
    let host = url.host_str().unwrap_or_default();
    if url.path() != "/" {
        return Err(format!(
            "found “{text}”, but Stardate is served from the root of a host, not below a path; give it a name of its \
             own, such as {}://stardate.{host}",
            url.scheme()
        ));
    }
    if url.query().is_some() || url.fragment().is_some() || text.ends_with('/') {
        return otherwise();
    }
    Ok(())
}

/// An address of a database this server speaks to. Nothing of it is repeated: it may hold a password.
pub(super) fn database_url(text: &str) -> Result<(), String> {
    if let Some(path) = text.strip_prefix("sqlite://").or_else(|| text.strip_prefix("sqlite:")) {
        if path == ":memory:" || path.contains("mode=memory") {
            return Err("a database in memory forgets every game when the server stops; name a file, such as \
                        sqlite:stardate.db"
                .to_owned());
        }
        if path.starts_with("file:") {
            return Err(
                "write the path of the SQLite file itself, without file:, such as sqlite:stardate.db".to_owned()
            );
        }
        if path.trim().is_empty() || path.ends_with('/') {
            return Err("the name of the SQLite file is missing; write one, such as sqlite:stardate.db".to_owned());
        }
        return Ok(());
    }
    let rest = text.strip_prefix("postgres://").or_else(|| text.strip_prefix("postgresql://"));
    match rest {
        Some(rest) if !rest.is_empty() => Ok(()),
        _ => Err("expected an address that starts with sqlite: or postgres:, found something else (not shown, it may \
                  hold a password)"
            .to_owned()),
    }
}

/// A file of certificates that can be read, with at least one in it.
pub(super) fn certificates(path: &Path) -> Result<(), String> {
    let pem = std::fs::read(path).map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
    let mut count = 0;
    for certificate in CertificateDer::pem_slice_iter(&pem) {
        certificate.map_err(|error| format!("a certificate in {} cannot be read: {error}", path.display()))?;
        count += 1;
    }
    if count == 0 {
        return Err(format!(
            "{} has no certificate; it needs at least one, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----",
            path.display()
        ));
    }
    Ok(())
}

/// What the address of the site and the way of its letters have to do with each other.
pub(super) fn server_and_mail(layers: &mut Layers, server: &Server, mail: &Mail) {
    let base_url = server.base_url.as_deref();
    if base_url.is_none() && server.bind.ip().is_unspecified() {
        let sentence = format!(
            "is empty while server.bind listens on every address ({}), so links would lead nowhere; set it to the \
             address that players open, such as https://play.example.org",
            server.bind
        );
        layers.refuse("server", "base_url", &sentence);
        return;
    }
    match &mail.transport {
        MailTransport::Folder(_) if base_url.is_some_and(|url| url.starts_with("https://")) => layers.refuse(
            "mail",
            "transport",
            "\"folder\" shows every letter, links for new passwords included, to everybody on the page /mail, and \
             server.base_url (https) is a site for others; set it to \"smtp\", or use an http address while you try \
             things out",
        ),
        MailTransport::Folder(_) => {}
        MailTransport::Smtp(_) => {
            if base_url.is_none_or(is_only_here) {
                let found = base_url.map_or("is empty".to_owned(), |url| format!("“{url}” opens only on this machine"));
                let sentence = format!(
                    "{found}, and letters would send players there; set it to the address that players open, such as \
                     https://play.example.org, or set mail.transport to \"folder\" while you try things out"
                );
                layers.refuse("server", "base_url", &sentence);
            }
            let domain = mail.from.email.domain();
            if is_this_machine(domain) {
                let sentence = format!(
                    "mail servers refuse letters from an address at “{domain}”; name one of your own domain, such as \
                     Stardate <play@example.org>"
                );
                layers.refuse("mail", "from", &sentence);
            }
        }
    }
}

fn is_only_here(base_url: &str) -> bool {
    match Url::parse(base_url).ok().as_ref().and_then(Url::host) {
        Some(Host::Domain(name)) => is_this_machine(name),
        Some(Host::Ipv4(address)) => is_here(IpAddr::V4(address)),
        Some(Host::Ipv6(address)) => is_here(IpAddr::V6(address)),
        None => true,
    }
}

fn is_this_machine(host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || host.ends_with(".localhost") || host.ends_with(".localdomain") || literal.is_ok_and(is_here)
}

fn is_here(address: IpAddr) -> bool {
    address.is_loopback() || address.is_unspecified()
}
