//! What every page shows apart from its own content, and how a page is answered.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::http::{StatusCode, header};
use askama::Template;

pub use super::look::{Notice, NoticeKind, Theme};

use super::assets::Assets;
use super::cookies;
use super::me::Me;
use super::paths::query;
use super::times::Zoned;
use crate::store::Stamp;
use crate::web::PageError;

/// The frame of a page. Every template extends `layout.html` and has this as its field `page`.
#[derive(Clone, Debug)]
pub struct Page {
    /// Title of the page, before the name of the site.
    pub title: String,
    /// Name of the site.
    pub site: String,
    /// Path of the request, to mark where the visitor is in the navigation.
    pub path: String,
    /// Path with query, for forms that lead back here.
    pub back: String,
    /// The player, when signed in.
    pub me: Option<Me>,
    /// Value of the hidden field `csrf` that every form that posts must carry.
    pub csrf: String,
    /// The look.
    pub theme: Theme,
    /// Sentences above the content.
    pub notices: Vec<Notice>,
    /// When the request came in.
    pub now: Stamp,
    /// The visitor's time zone.
    pub zone: chrono_tz::Tz,
    /// Addresses of style sheets and scripts.
    pub assets: Arc<Assets>,
    /// Built-in style sheets apart from `style.css`.
    pub styles: Vec<&'static str>,
    /// Built-in scripts apart from `site.js`.
    pub scripts: Vec<&'static str>,
    /// Whether letters can be read on this site.
    pub has_mail: bool,
    /// Whether the content uses the whole width, as boards do.
    pub wide: bool,
}

impl Page {
    /// Adds a sentence above the content.
    pub fn with_notice(mut self, notice: Notice) -> Page {
        self.notices.push(notice);
        self
    }

    /// Adds a built-in style sheet.
    pub fn with_style(mut self, name: &'static str) -> Page {
        self.styles.push(name);
        self
    }

    /// Adds a built-in script.
    pub fn with_script(mut self, name: &'static str) -> Page {
        self.scripts.push(name);
        self
    }

    /// Lets the content use the whole width.
    pub fn with_wide(mut self) -> Page {
        self.wide = true;
        self
    }

    /// Address of a built-in file.
    pub fn asset(&self, name: &str) -> &str {
        self.assets.url(name)
    }

    /// A moment as the visitor reads it: absolute in their zone, and relative to now.
    pub fn time(&self, at: &Stamp) -> Zoned {
        Zoned::new(*at, self.now, self.zone)
    }

    /// The query that leads back to a path of this site after signing in or up; empty for the first page, where one is
    /// led anyway.
    pub fn onward(&self, next: &str) -> String {
        match own_path(next) {
            None | Some("/") => String::new(),
            Some(next) => format!("?{}", query(&[("next", next)])),
        }
    }

    /// The same for the page itself; empty for those that one comes to on the way to signing in.
    pub fn onward_here(&self) -> String {
        let on_the_way = ["/sign-", "/reset", "/confirm/", "/check-your-mail", "/settings/address/", "/unsubscribe/"];
        if on_the_way.iter().any(|start| self.path.starts_with(start)) {
            return String::new();
        }
        self.onward(&self.back)
    }

    /// Whether the navigation marks this path as the one the visitor is at.
    pub fn at(&self, path: &str) -> bool {
        self.path == path
    }
}

/// A page with a question and one button: what the links of letters lead to.
#[derive(Template)]
#[template(path = "pages/one_button.html")]
pub struct OneButton {
    /// The frame; its title is the heading.
    pub page: Page,
    /// What the button does, as sentences.
    pub words: String,
    /// Where the form goes.
    pub action: String,
    /// Label of the button.
    pub button: &'static str,
}

/// A page that says something and leads on.
#[derive(Template)]
#[template(path = "pages/said.html")]
pub struct Said {
    /// The frame; its title is the heading.
    pub page: Page,
    /// What there is to say, as sentences.
    pub words: String,
    /// Whether a letter is on its way, which a server without a mail server shows on a page.
    pub letter: bool,
    /// Where to go on: path and label.
    pub ways_on: Vec<(&'static str, &'static str)>,
}

/// Answers with a page.
pub fn render(template: &impl Template) -> Result<HttpResponse, PageError> {
    render_as(StatusCode::OK, template)
}

/// Answers with a page under another status, as forms with faults do (422).
pub fn render_as(status: StatusCode, template: &impl Template) -> Result<HttpResponse, PageError> {
    let body = template.render()?;
    Ok(HttpResponse::build(status).content_type("text/html; charset=utf-8").body(body))
}

/// Leads on after a form was taken, so that a reload doesn't send it again.
pub fn go(to: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((header::LOCATION, header_safe(to))).finish()
}

/// An address as a header can carry it: what is no visible ASCII is written as its bytes.
pub fn header_safe(address: &str) -> String {
    let one = |byte: u8| if byte.is_ascii_graphic() { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    address.bytes().map(one).collect()
}

/// Leads on, with a sentence for the next page.
pub fn go_with(to: &str, notice: &Notice, secure: bool) -> HttpResponse {
    let mut response = go(to);
    let cookie = cookies::make(cookies::Name::Notice, cookies::write_notice(notice), secure);
    if let Err(error) = response.add_cookie(&cookie) {
        tracing::warn!(%error, "A notice could not be kept for the next page.");
    }
    response
}

/// The path, if it is one of this site; forms that lead back must not lead elsewhere.
pub fn own_path(path: &str) -> Option<&str> {
    let own =
        path.starts_with('/') && !path.starts_with("//") && !path.contains('\\') && !path.contains(char::is_control);
    own.then_some(path)
}

#[cfg(test)]
mod tests {
    use super::{go, own_path};

    #[test]
    fn only_own_paths_are_led_to() {
        assert_eq!(own_path("/t/abc?x=1"), Some("/t/abc?x=1"));
        for elsewhere in
            ["//evil.example", "https://evil.example", "/\\evil.example", "", "t/abc", "/a\nb", "/\t/e", "/\u{1}"]
        {
            assert_eq!(own_path(elsewhere), None, "{elsewhere:?}");
        }
    }
    #[test]
    fn every_text_can_be_led_to() {
        for (to, header) in [("/t/a?b=%20#c", "/t/a?b=%20#c"), ("/é x", "/%C3%A9%20x"), ("/\0\u{1}\n", "/%00%01%0A")] {
            assert_eq!(go(to).headers().get("location").unwrap(), header);
        }
    }
}
