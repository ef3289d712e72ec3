//! A letter as blocks, and the two ways of laying it out.

use askama::Template;

use super::{Content, Context};
use crate::mail::{Section, TableRef, isolated};
use crate::store::PhaseNo;

/// Columns of the text part: what every mail program shows without breaking lines itself, and still fits when quoted.
const WIDTH: usize = 72;

/// A letter before it is laid out.
pub(super) struct Page {
    pub subject: String,
    /// What the letter says in one sentence; the first thing seen.
    pub headline: String,
    /// What lists of letters show beside the subject; empty: the headline.
    pub preview: String,
    /// The line above it, such as the table and the game.
    pub about: Option<String>,
    pub blocks: Vec<Block>,
}

/// A piece of a letter.
pub(super) enum Block {
    /// A paragraph.
    Text(String),
    /// What and how, such as (“Time limit”, “72 h”).
    Facts(Vec<(String, String)>),
    /// A heading over the following blocks.
    Heading(String),
    /// What happened in a phase.
    Section(Section),
    /// Text whose line breaks and blanks count.
    Preformatted(String),
    /// What a person wrote, with its line breaks.
    Quoted(String),
    /// Something said at the table: who, to whom and when, and the text with its line breaks.
    Said { who: String, how: String, text: String },
    /// The one thing to do next.
    Button { label: String, url: String },
}

impl Page {
    pub fn new(subject: String, headline: String) -> Page {
        Page { subject, headline, preview: String::new(), about: None, blocks: Vec::new() }
    }

    /// The headline as lines of the text part.
    fn headline_lines(&self) -> String {
        wrap(&self.headline, "", "")
    }

    /// What the letter is about, as lines of the text part.
    fn about_lines(&self) -> Option<String> {
        self.about.as_ref().map(|about| wrap(about, "", ""))
    }

    /// What lists of letters show beside the subject.
    fn preview_line(&self) -> &str {
        if self.preview.is_empty() { &self.headline } else { &self.preview }
    }

    pub fn preview(mut self, preview: String) -> Page {
        self.preview = preview;
        self
    }

    /// Says which table the letter is about.
    pub fn about(mut self, table: &TableRef, phase_no: Option<PhaseNo>) -> Page {
        let phase = phase_no.map(|no| format!(", phase {no}")).unwrap_or_default();
        self.about = Some(format!("{} · {}{phase}", table.title(), table.game));
        self
    }

    pub fn text(mut self, text: impl Into<String>) -> Page {
        self.blocks.push(Block::Text(text.into()));
        self
    }

    pub fn facts(mut self, facts: Vec<(String, String)>) -> Page {
        if !facts.is_empty() {
            self.blocks.push(Block::Facts(facts));
        }
        self
    }

    /// What happened, under a heading; nothing at all when nothing happened.
    pub fn happened(mut self, heading: &str, sections: &[Section]) -> Page {
        if !sections.is_empty() {
            self.blocks.push(Block::Heading(heading.to_owned()));
            self.blocks.extend(sections.iter().cloned().map(Block::Section));
        }
        self
    }

    pub fn position(mut self, heading: &str, position: &str) -> Page {
        if !position.trim().is_empty() {
            self.blocks.push(Block::Heading(heading.to_owned()));
            self.blocks.push(Block::Preformatted(position.trim_end().to_owned()));
        }
        self
    }

    pub fn preformatted(mut self, text: String) -> Page {
        self.blocks.push(Block::Preformatted(text));
        self
    }

    pub fn button(mut self, label: &str, url: impl Into<String>) -> Page {
        self.blocks.push(Block::Button { label: label.to_owned(), url: url.into() });
        self
    }

    /// The button to the table's page.
    pub fn table_button(self, context: &Context<'_>, label: &str, table: &TableRef) -> Page {
        let url = table_url(context, table);
        self.button(label, url)
    }
}

pub(super) fn table_url(context: &Context<'_>, table: &TableRef) -> String {
    context.site.url(&format!("/t/{}", table.id))
}

#[derive(Template)]
#[template(path = "letters/letter.txt")]
struct TextLayout<'a> {
    greeting: &'a str,
    page: &'a Page,
    footer: &'a Footer<'a>,
}

#[derive(Template)]
#[template(path = "letters/letter.html")]
struct HtmlLayout<'a> {
    greeting: &'a str,
    page: &'a Page,
    footer: &'a Footer<'a>,
}

/// Who sent the letter and how not to get more of them.
struct Footer<'a> {
    site: &'a str,
    site_url: &'a str,
    settings_url: String,
    unsubscribe_url: Option<&'a str>,
    /// Why this letter came, where it cannot be stopped.
    note: &'static str,
}

impl Footer<'_> {
    fn note_lines(&self) -> String {
        wrap(self.note, "", "")
    }
}

/// Lays a page out as text and as HTML.
pub(super) fn lay_out(context: &Context<'_>, page: Page, note: &'static str, unsubscribe_url: Option<&str>) -> Content {
    let greeting = match context.to.name.as_str() {
        "" => "Hello,".to_owned(),
        name => format!("Hello {},", isolated(name)),
    };
    let footer = Footer {
        site: &context.site.name,
        site_url: &context.site.base_url,
        settings_url: context.site.url("/settings"),
        unsubscribe_url,
        note,
    };
    let text = TextLayout { greeting: &greeting, page: &page, footer: &footer }.render();
    let html = HtmlLayout { greeting: &greeting, page: &page, footer: &footer }.render();
    Content {
        // A subject is one line, whatever a title holds.
        subject: page.subject.split_whitespace().collect::<Vec<_>>().join(" "),
        text: text.expect("writing to a string does not fail"),
        html: html.expect("writing to a string does not fail"),
    }
}

impl Block {
    /// The block as text; the blank line to the next one is left to the template.
    fn as_text(&self) -> String {
        match self {
            Block::Text(text) => wrap(text, "", ""),
            Block::Facts(facts) => facts_as_text(facts),
            Block::Heading(heading) => {
                let rule: String = heading.chars().map(|_| '-').collect();
                format!("{heading}\n{rule}")
            }
            Block::Section(section) => {
                let lines = section.lines.iter().map(|line| wrap(line, "- ", "  "));
                std::iter::once(wrap(&format!("{}:", section.heading), "", ""))
                    .chain(lines)
                    .collect::<Vec<_>>()
                    .join("\n")
            }
            Block::Preformatted(text) => text.lines().map(fold).collect::<Vec<_>>().join("\n"),
            Block::Quoted(text) => quoted(text).join("\n"),
            Block::Said { who, how, text } => {
                let head = wrap(&format!("{who}, {how}:"), "", "");
                std::iter::once(head).chain(quoted(text)).collect::<Vec<_>>().join("\n")
            }
            // Never broken: a link over two lines is no link.
            Block::Button { label, url } => format!("{label}:\n{url}"),
        }
    }
}

fn facts_as_text(facts: &[(String, String)]) -> String {
    let widest = facts.iter().map(|(what, _)| what.chars().count()).max().unwrap_or(0) + 2;
    let indent = " ".repeat(widest);
    let lines = facts.iter().map(|(what, how)| {
        let first = format!("{:<widest$}", format!("{what}:"));
        wrap(how, &first, &indent)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What a person wrote, indented, line by line.
fn quoted(text: &str) -> Vec<String> {
    text.lines().map(|line| if line.trim().is_empty() { String::new() } else { wrap(line, "  ", "  ") }).collect()
}

/// A line whose blanks count, broken only where it is too long; what is left over is set in.
fn fold(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let indent: String = line.chars().take_while(|c| *c == ' ').take(WIDTH / 2).collect();
    // Columns stand two blanks and more apart, which a line that is wrapped would lose: break at the last blank.
    let mut lines: Vec<String> = Vec::new();
    let mut rest: Vec<char> = line.chars().collect();
    while rest.len() > WIDTH {
        let at = rest[..=WIDTH].iter().rposition(|c| *c == ' ').filter(|at| *at > indent.len() + 4);
        let next = rest.split_off(at.unwrap_or(WIDTH));
        lines.push(rest.iter().collect::<String>().trim_end().to_owned());
        let next: String = next.into_iter().collect();
        rest = format!("{indent}    {}", next.trim_start()).chars().collect();
    }
    lines.push(rest.into_iter().collect());
    lines.join("\n")
}

/// Breaks a text into lines of at most [`WIDTH`] characters; the first begins with `first`, the others
/// with `rest`. A word longer than a line is broken too, unless it is a link, which would be none in two parts.
fn wrap(text: &str, first: &str, rest: &str) -> String {
    let room = WIDTH.saturating_sub(first.chars().count().max(rest.chars().count())).max(1);
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut empty = true;
    for word in text.split_whitespace().flat_map(|word| parts(word, room)) {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::replace(&mut line, rest.to_owned()));
            empty = true;
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(&word);
        empty = false;
    }
    lines.push(line);
    lines.join("\n")
}

/// A word in parts that fit in so many columns.
fn parts(word: &str, room: usize) -> Vec<String> {
    if word.contains("://") || word.chars().count() <= room {
        return vec![word.to_owned()];
    }
    word.chars().collect::<Vec<_>>().chunks(room).map(|part| part.iter().collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_between_words() {
        let wrapped = wrap(&"word ".repeat(40), "- ", "  ");
        assert!(wrapped.lines().all(|line| line.chars().count() <= WIDTH), "{wrapped}");
        assert!(wrapped.lines().skip(1).all(|line| line.starts_with("  word")), "{wrapped}");
        let link = format!("https://example.org/{}", "x".repeat(100));
        assert_eq!(wrap(&link, "", ""), link);
        let junk = wrap(&"x".repeat(347), "  ", "  ");
        assert!(junk.lines().all(|line| line.chars().count() <= WIDTH), "{junk}");
    }

    #[test]
    fn a_row_of_a_table_that_is_too_long_is_set_in() {
        let row = format!("  Home Alpha    (A)       {}", "B1 Defiant, ".repeat(12));
        let folded = fold(&row);
        assert!(folded.lines().all(|line| line.chars().count() <= WIDTH), "{folded}");
        assert!(folded.starts_with("  Home Alpha    (A)       B1"), "{folded}");
        assert!(
            folded.lines().skip(1).all(|line| line.starts_with("      B1") || line.starts_with("      Def")),
            "{folded}"
        );
        assert_eq!(folded.matches("Defiant").count(), 12);
    }

    #[test]
    fn facts_stand_in_two_columns() {
        let facts = vec![("Map".to_owned(), "Rim".to_owned()), ("Time limit".to_owned(), "72 h".to_owned())];
        assert_eq!(facts_as_text(&facts), "Map:        Rim\nTime limit: 72 h");
    }
}
