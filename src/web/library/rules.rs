//! The whole rules of a game, as they are written down beside its data, with an anchor for each number.

use std::collections::BTreeSet;

use actix_web::HttpResponse;
use actix_web::web::{Data, Path};
use askama::Template;
use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Parser, Tag, TagEnd, html};

use super::pieces::game;
use crate::web::base::page::{Page, render};
use crate::web::{App, PageError, Visitor};

#[derive(Template)]
#[template(path = "pages/rules.html")]
struct RulesPage {
    page: Page,
    id: String,
    name: &'static str,
    rules: Text,
}

/// `GET /rules/{game}`: all the rules.
pub async fn get(app: Data<App>, visitor: Visitor, id: Path<String>) -> Result<HttpResponse, PageError> {
    let id = id.into_inner();
    let (game, _) = game(&app, &id)?;
    let meta = game.meta();
    let page = visitor.page(format!("The rules of {}", meta.name));
    render(&RulesPage { page, id, name: meta.name, rules: Text::of(meta.rules_text) })
}

/// A rules text ready to be shown.
struct Text {
    /// Numbers and titles of the sections.
    sections: Vec<(String, String)>,
    /// The text as HTML, without its first heading.
    body: String,
}

impl Text {
    /// Renders a text. What looks like HTML in it is shown as it is written and never becomes part of the page.
    fn of(markdown: &str) -> Text {
        let events: Vec<Event> = Parser::new(markdown).map(harmless).collect();
        let mut rendered = Rendered { numbers: numbers(&events), sections: Vec::new(), events: Vec::new() };
        rendered.walk(&events);
        let mut body = String::new();
        html::push_html(&mut body, rendered.events.into_iter());
        Text { sections: rendered.sections, body }
    }
}

/// HTML as plain text, no pictures, and no links but to pages of this site.
fn harmless(event: Event) -> Event {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let own = dest_url.starts_with('#') || dest_url.starts_with('/') && !dest_url.starts_with("//");
            let dest_url = if own { dest_url } else { CowStr::from("#") };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => Event::Text(CowStr::from("")),
        other => other,
    }
}

/// `C9`, `C9.7`: a letter, a number, and perhaps another behind a point.
fn is_number(word: &str) -> bool {
    let mut letters = word.chars();
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    letters.next().is_some_and(|letter| letter.is_ascii_uppercase())
        && letters.as_str().split('.').count() < 3
        && letters.as_str().split('.').all(digits)
}

/// The number a paragraph starts with: `**C9.7** …`.
fn number_at<'e>(events: &'e [Event<'_>], at: usize) -> Option<&'e str> {
    match events.get(at..at + 4)? {
        [Event::Start(Tag::Paragraph), Event::Start(Tag::Strong), Event::Text(number), Event::End(TagEnd::Strong)]
            if is_number(number) =>
        {
            Some(number)
        }
        _ => None,
    }
}

/// Numbers of rules, to which the text may refer.
fn numbers(events: &[Event]) -> BTreeSet<String> {
    (0..events.len()).filter_map(|at| number_at(events, at).map(str::to_owned)).collect()
}

struct Rendered<'e> {
    numbers: BTreeSet<String>,
    sections: Vec<(String, String)>,
    events: Vec<Event<'e>>,
}

impl<'e> Rendered<'e> {
    fn walk(&mut self, events: &[Event<'e>]) {
        let (mut at, mut plain) = (0, true);
        while at < events.len() {
            if let Some(number) = number_at(events, at) {
                // A number is letters, digits and a point, so it needs no escaping.
                let start = format!("<p id=\"{number}\"><a class=\"rule-number\" href=\"#{number}\">{number}</a>");
                self.events.push(Event::Html(start.into()));
                at += 4;
                continue;
            }
            match &events[at] {
                Event::Start(Tag::Heading { level, .. }) => {
                    at = self.heading(events, at, *level);
                    continue;
                }
                Event::Start(Tag::CodeBlock(_) | Tag::Link { .. }) => plain = false,
                Event::End(TagEnd::CodeBlock | TagEnd::Link) => plain = true,
                _ => {}
            }
            match &events[at] {
                Event::Text(text) if plain => self.text(text),
                other => self.events.push(other.clone()),
            }
            at += 1;
        }
    }

    /// A heading up to its end; the index behind it. The first, of the whole text, is the page's own.
    fn heading(&mut self, events: &[Event<'e>], at: usize, level: HeadingLevel) -> usize {
        let rest = &events[at + 1..];
        let length =
            rest.iter().position(|event| matches!(event, Event::End(TagEnd::Heading(_)))).unwrap_or(rest.len());
        let text: String = rest[..length]
            .iter()
            .filter_map(|event| match event {
                Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                _ => None,
            })
            .collect();
        if level != HeadingLevel::H1 {
            let number = text.split(' ').next().filter(|word| is_number(word)).unwrap_or_default().to_owned();
            let title = text.strip_prefix(number.as_str()).unwrap_or(&text).trim().to_owned();
            let id = (!number.is_empty()).then(|| CowStr::from(number.clone()));
            let start = Tag::Heading { level, id, classes: Vec::new(), attrs: Vec::new() };
            self.events.extend([Event::Start(start), Event::Text(text.into()), Event::End(TagEnd::Heading(level))]);
            self.sections.push((number, title));
        }
        at + length + 2
    }

    /// A text in which numbers of rules lead to them.
    fn text(&mut self, text: &str) {
        let mut plain = String::new();
        for part in text.split_inclusive(|letter: char| !letter.is_ascii_alphanumeric() && letter != '.') {
            let word = part.trim_end_matches(|letter: char| !letter.is_ascii_alphanumeric());
            if !self.numbers.contains(word) {
                plain.push_str(part);
                continue;
            }
            self.events.push(Event::Text(std::mem::take(&mut plain).into()));
            let (dest_url, title, id) = (format!("#{word}").into(), CowStr::from(""), CowStr::from(""));
            let link = Tag::Link { link_type: LinkType::Inline, dest_url, title, id };
            self.events.extend([Event::Start(link), Event::Text(word.to_owned().into()), Event::End(TagEnd::Link)]);
            plain.push_str(&part[word.len()..]);
        }
        self.events.push(Event::Text(plain.into()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_anchors_and_lead_to_each_other() {
        let text = Text::of("# Rules\n\n## C9 Damage & more\n\n**C9.1** See C9.2, not C9.3.\n\n**C9.2** Text.");
        assert_eq!(text.sections, [("C9".to_owned(), "Damage & more".to_owned())]);
        for part in [
            "<h2 id=\"C9\">C9 Damage &amp; more</h2>",
            "<p id=\"C9.1\"><a class=\"rule-number\" href=\"#C9.1\">C9.1</a> See <a href=\"#C9.2\">C9.2</a>, not C9.3.</p>",
            "<p id=\"C9.2\">",
        ] {
            assert!(text.body.contains(part), "{part}\n{}", text.body);
        }
        assert!(!text.body.contains("<h1>"));
    }

    #[test]
    fn html_is_shown_and_never_part_of_the_page() {
        let text = Text::of(
            "**C1.1** a <b onclick=\"x()\">b</b> [c](javascript:x) [d](//evil.example)\n\n<script>x()</script>\n",
        );
        for part in ["<b", "<script", "javascript:", "evil"] {
            assert!(!text.body.contains(part), "{part}\n{}", text.body);
        }
        assert!(text.body.contains("&lt;script&gt;"), "{}", text.body);
    }

    #[test]
    fn every_game_has_sections_and_rules() {
        for engine in crate::games::all() {
            let text = Text::of(engine.meta().rules_text);
            assert!(text.sections.len() > 5 && text.sections.iter().all(|(number, _)| !number.is_empty()));
            assert!(text.body.matches("class=\"rule-number\"").count() > 40);
            assert!(text.body.contains("<pre><code>"));
        }
    }
}
