//! Table talk: the latest of it on the table's own page, all of it on a page of its own, and what is said.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path, Query};
use askama::Template;
use serde::Deserialize;

use super::table_frame::{self, Head};
use crate::store::{IdText, TableId, UserId};
use crate::tables::{self, At, LONGEST_MESSAGE, Message, Refused, Speaker, TablePage, Talk};
use crate::web::base::limits::Limit;
use crate::web::base::page::{Notice, Page, go_with, render_as};
use crate::web::base::paths::table_id;
use crate::web::base::times::Zoned;
use crate::web::{App, Form, PageError, Posted, SignedIn, Visitor};

/// The talk as a section of a page.
pub struct TalkPart {
    /// Id of the table in addresses.
    pub id: String,
    /// Messages, newest first; those by muted players are only counted.
    pub rows: Vec<Row>,
    /// Whether the visitor may write.
    pub may_write: bool,
    /// Whether it is for the people of a private table alone.
    pub closed: bool,
    /// To whom alone the visitor may write: value and label.
    pub partners: Vec<(String, String)>,
    /// Who reads what is said to everybody, and whether there is private talk, in a sentence.
    pub hint: String,
    /// What was written, when it came back.
    pub form: Form,
    /// Whether this is the page of all messages, where they are reported and their authors muted.
    pub whole: bool,
    /// Longest message, in characters.
    pub longest: usize,
    /// How many unread messages stand only on the page of all of them.
    pub unread_elsewhere: usize,
    /// Whether there are older messages.
    pub has_older: bool,
}

/// A line of the talk.
pub enum Row {
    /// A message.
    Said(Box<Said>),
    /// Messages in a row by one player whom the visitor has muted.
    Muted {
        /// How many.
        count: usize,
        /// Their author.
        name: String,
        /// The author's id in forms.
        player: UserId,
    },
}

/// A message.
pub struct Said {
    /// Its id in addresses.
    pub id: TableId,
    /// Seat letter of the author, once dealt.
    pub letter: String,
    /// Name of the author.
    pub name: String,
    /// The author's id in forms.
    pub player: UserId,
    /// To whom it was said, when not to everybody: “to you alone”.
    pub alone: Option<String>,
    /// The text.
    pub text: String,
    /// When.
    pub at: Zoned,
    /// Whether the visitor said it.
    pub mine: bool,
    /// Whether it is new to the visitor.
    pub new: bool,
    /// Whether the operator removed it.
    pub removed: bool,
    /// Whether the visitor has reported it.
    pub reported: bool,
}

impl TalkPart {
    /// The section of the table's own page.
    pub fn of(page: &Page, shown: &TablePage) -> TalkPart {
        TalkPart::new(page, shown, &shown.talk, Form::new(), Whole::No)
    }

    fn new(page: &Page, shown: &TablePage, talk: &Talk, form: Form, whole: Whole) -> TalkPart {
        let partner = |partner: &Speaker| (partner.user_id.to_string(), format!("Only {}", named(partner)));
        TalkPart {
            id: shown.table.table_id.to_string(),
            rows: rows(page, talk, shown.viewer),
            may_write: talk.may_write,
            closed: talk.closed,
            partners: talk.partners.iter().map(partner).collect(),
            hint: hint(shown, talk),
            form,
            whole: matches!(whole, Whole::Yes),
            longest: LONGEST_MESSAGE,
            unread_elsewhere: talk.unread_elsewhere,
            has_older: talk.has_older,
        }
    }
}

/// Whether a section shows all that can be done with messages.
enum Whole {
    Yes,
    No,
}

fn named(speaker: &Speaker) -> String {
    match speaker.seat {
        Some(seat) => format!("{} ({seat})", speaker.name),
        None => speaker.name.clone(),
    }
}

fn hint(shown: &TablePage, talk: &Talk) -> String {
    let readers = if shown.table.invite_only { "those who may see this private table" } else { "watchers too" };
    let private = if talk.private_allowed { "" } else { " There are no private messages at this table." };
    format!("Everybody can read what you say to all, {readers}.{private} It also goes out with the next letters.")
}

fn rows(page: &Page, talk: &Talk, viewer: Option<UserId>) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for message in &talk.messages {
        if !message.muted || message.mine {
            rows.push(Row::Said(Box::new(said(page, message, viewer))));
            continue;
        }
        match rows.last_mut() {
            Some(Row::Muted { count, player, .. }) if *player == message.author.user_id => *count += 1,
            _ => rows.push(Row::Muted { count: 1, name: message.author.name.clone(), player: message.author.user_id }),
        }
    }
    rows
}

fn said(page: &Page, message: &Message, viewer: Option<UserId>) -> Said {
    Said {
        id: TableId(message.id),
        letter: message.author.seat.map(|seat| seat.to_string()).unwrap_or_default(),
        name: message.author.name.clone(),
        player: message.author.user_id,
        alone: message.to.as_ref().map(|to| match Some(to.user_id) == viewer {
            true => "to you alone".to_owned(),
            false => format!("to {} alone", named(to)),
        }),
        text: message.body.clone(),
        at: page.time(&message.at),
        mine: message.mine,
        new: message.new,
        removed: message.removed,
        reported: message.reported,
    }
}

/// Notes that the visitor has read the talk on the table's own page.
pub async fn read(app: &Data<App>, visitor: &Visitor, shown: &TablePage) {
    mark(app, visitor, shown.table.table_id, shown.talk.read_up_to).await;
}

async fn mark(app: &Data<App>, visitor: &Visitor, table_id: TableId, up_to: Option<i32>) {
    if let (Some(user_id), Some(no)) = (visitor.user_id(), up_to) {
        crate::web::base::seen::note(app, tables::Mark::Talk { table_id, user_id, no }, visitor.now).await;
    }
}

#[derive(Template)]
#[template(path = "pages/talk.html")]
struct TalkPage {
    page: Page,
    head: Head,
    /// Whether the table has begun.
    started: bool,
    talk: TalkPart,
    /// Address of the messages before these.
    older: Option<String>,
    /// Whether these are not the newest.
    back: bool,
}

/// Which messages are asked for.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Asked {
    /// Those before this one.
    before: String,
}

/// `GET /t/{id}/talk`: all messages.
pub async fn get(
    app: Data<App>,
    visitor: Visitor,
    path: Path<String>,
    asked: Query<Asked>,
) -> Result<HttpResponse, PageError> {
    let before = asked.before.parse::<IdText>().ok().map(|id| id.0);
    show(&app, &visitor, table_id(&path)?, before, Form::new(), StatusCode::OK).await
}

async fn show(
    app: &Data<App>,
    visitor: &Visitor,
    table_id: TableId,
    before: Option<i64>,
    form: Form,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let (ctx, viewer) = (app.ctx.clone(), visitor.user_id());
    let (shown, talk) = table_frame::read(app, table_id, move |conn| {
        let shown = tables::table_page(conn, &ctx, table_id, viewer, None)?;
        Ok((shown, tables::talk(conn, &ctx, table_id, viewer, before)?))
    })
    .await?;
    mark(app, visitor, table_id, talk.read_up_to).await;
    let head = Head::new(&shown);
    let address = format!("/t/{}/talk", head.id);
    let mut page = visitor.page(format!("Talk: {}", head.title)).with_style("board.css").with_style("people.css");
    page.path.clone_from(&address);
    page.back.clone_from(&address);
    let oldest = talk.messages.last().filter(|_| talk.has_older);
    render_as(
        status,
        &TalkPage {
            older: oldest.map(|message| format!("{address}?before={}", IdText(message.id))),
            back: before.is_some(),
            started: shown.table.started_at.is_some(),
            talk: TalkPart::new(&page, &shown, &talk, form, Whole::Yes),
            head,
            page,
        },
    )
}

/// `POST /t/{id}/talk`: says something.
pub async fn say(app: Data<App>, me: SignedIn, path: Path<String>, posted: Posted) -> Result<HttpResponse, PageError> {
    let table_id = table_id(&path)?;
    let mut form = Form::kept(&posted, &["text", "to"]);
    if let Err(refused @ PageError::TooMany { .. }) = app.limits.take(Limit::Talk, &me.me.user_id.to_string()) {
        form.fault("text", refused.words());
        return show(&app, &me, table_id, None, form, StatusCode::TOO_MANY_REQUESTS).await;
    }
    let to = match posted.line("to").as_str() {
        "" => None,
        id => match id.parse::<UserId>() {
            Ok(user_id) => Some(user_id),
            Err(_) => {
                form.fault("to", "Choose a player at the table, or everybody.");
                return show(&app, &me, table_id, None, form, StatusCode::UNPROCESSABLE_ENTITY).await;
            }
        },
    };
    let (user_id, text) = (me.me.user_id, posted.text("text"));
    let done =
        app.act(&me, move |conn, ctx, now| tables::say(conn, ctx, At::new(now, table_id, user_id), to, &text)).await;
    match done {
        Ok(()) => {
            app.wakers.wake();
            Ok(go_with(&back(&posted, table_id), &Notice::good("Your message is posted."), me.secure()))
        }
        Err(Refused::Form(faults)) => {
            for fault in faults {
                form.fault(&fault.field, fault.message);
            }
            show(&app, &me, table_id, None, form, StatusCode::UNPROCESSABLE_ENTITY).await
        }
        Err(refused) => Err(table_frame::refused(refused, table_id)),
    }
}

/// Where a form of the talk leads back to: the page it was on.
fn back(posted: &Posted, table_id: TableId) -> String {
    let table = table_id;
    if posted.has("whole") { format!("/t/{table}/talk") } else { format!("/t/{table}#talk") }
}

/// `POST /t/{id}/talk/mute`: mutes a player, or hears them again.
pub async fn mute(app: Data<App>, me: SignedIn, path: Path<String>, posted: Posted) -> Result<HttpResponse, PageError> {
    let table_id = table_id(&path)?;
    let player: UserId = posted.line("player").parse().map_err(|_| PageError::NotFound)?;
    let (user_id, hear) = (me.me.user_id, posted.line("do") == "unmute");
    app.act(&me, move |conn, _, now| match hear {
        true => tables::unmute(conn, user_id, player),
        false => tables::mute(conn, now, user_id, player),
    })
    .await
    .map_err(|refused| table_frame::refused(refused, table_id))?;
    let words = match hear {
        true => "This player is no longer muted.",
        false => {
            "This player is muted at all tables. They will not know, and you can undo it here or in your settings."
        }
    };
    Ok(go_with(&format!("/t/{}/talk", table_id), &Notice::plain(words), me.secure()))
}
