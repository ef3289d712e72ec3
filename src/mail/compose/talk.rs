//! Table talk: as a part of other letters, as a letter of its own, and reports of messages to the operator.

use super::Context;
use super::page::{Block, Page};
use crate::mail::{Said, TableRef, TableTalk, isolated};
use crate::when;

/// Adds the talk that a letter carries: before the position, or at the end.
pub(super) fn carried(context: &Context<'_>, mut page: Page, talk: &TableTalk) -> Page {
    if talk.said.is_empty() {
        return page;
    }
    let position = page.blocks.iter().position(|block| matches!(block, Block::Preformatted(_)));
    // The heading of the position comes before it.
    let at = position.map_or(page.blocks.len(), |at| at.saturating_sub(1));
    let heading = std::iter::once(Block::Heading("Table talk".to_owned()));
    page.blocks.splice(at..at, heading.chain(blocks(context, talk)));
    page
}

/// The letter that carries nothing but talk.
pub(super) fn word(context: &Context<'_>, table: &TableRef, talk: &TableTalk) -> Page {
    let speakers = speakers(&talk.said);
    let mut page = Page::new(
        format!(
            "{}: table talk{}",
            table.title(),
            speakers.as_ref().map(|names| format!(" from {names}")).unwrap_or_default()
        ),
        match &speakers {
            Some(names) => format!("{names} said something at the table."),
            None => "Something was said at the table.".to_owned(),
        },
    );
    page.about = Some(table.title());
    page = page.button("Answer at the table", context.site.url(&format!("/t/{}/talk", table.id)));
    page.blocks.extend(blocks(context, talk));
    page
}

/// Who spoke, each once: “Ann (A), Ben (B) and Cid (C)”.
fn speakers(said: &[Said]) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for name in said.iter().map(|said| isolated(&said.who)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let last = names.pop()?;
    Some(if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) })
}

fn blocks(context: &Context<'_>, talk: &TableTalk) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    if talk.left_out > 0 {
        let many = if talk.left_out == 1 {
            "1 earlier message is".to_owned()
        } else {
            format!("{} earlier messages are", talk.left_out)
        };
        blocks.push(Block::Text(format!("{many} on the table's page.")));
    }
    blocks.extend(talk.said.iter().map(|said| Block::Said {
        who: isolated(&said.who),
        how: format!("{}{}", if said.alone { "to you alone, " } else { "" }, when::in_zone(said.at, context.to.zone)),
        text: said.text.clone(),
    }));
    blocks
}

/// A report, for the operator.
pub(super) fn reported(
    report: &str,
    title: &str,
    table_url: &str,
    author: &str,
    text: &str,
    reporter: &str,
    reason: &str,
) -> Page {
    let (title, author, reporter) = (isolated(title), isolated(author), isolated(reporter));
    let fact = |what: &str, how: &str| (what.to_owned(), how.to_owned());
    let mut facts = vec![fact("Table", &title), fact("Said by", &author), fact("Reported by", &reporter)];
    if !reason.is_empty() {
        facts.push(fact("Reason", reason));
    }
    let mut page = Page::new(
        format!("A message at “{title}” was reported"),
        format!("{reporter} reported a message by {author}."),
    )
    .facts(facts)
    .button("Look at the table", table_url)
    .text("Decide on the server's command line: the first command removes the message for everybody, the second keeps it.")
    .preformatted(format!("stardate reports remove {report}\nstardate reports dismiss {report}"));
    page.blocks.push(Block::Heading("The message".to_owned()));
    page.blocks.push(Block::Quoted(text.to_owned()));
    page
}
