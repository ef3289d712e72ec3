//! Private notes at a table.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Data, Path};
use askama::Template;

use super::table_frame::{self, Head};
use crate::store::TableId;
use crate::tables::{self, At, LONGEST_NOTE, Refused, TablePage};
use crate::web::base::page::{Notice, Page, go_with, render_as};
use crate::web::base::paths::table_id;
use crate::web::base::times::Zoned;
use crate::web::{App, PageError, Posted, SignedIn};

/// The notes as a section of a page.
pub struct NotesPart {
    /// Id of the table in addresses.
    pub id: String,
    /// The text.
    pub text: String,
    /// Version to save over.
    pub version: i64,
    /// When they were saved.
    pub at: Option<Zoned>,
    /// Longest text, in characters.
    pub longest: usize,
    /// Whether the section is on the page of the table's history.
    pub in_history: bool,
}

impl NotesPart {
    /// The section for this visitor; `None` for somebody who is not signed in.
    pub fn of(page: &Page, shown: &TablePage) -> Option<NotesPart> {
        let note = shown.note.as_ref()?;
        Some(NotesPart {
            id: shown.table.table_id.to_string(),
            text: note.text.clone(),
            version: note.version,
            at: note.at.map(|at| page.time(&at)),
            longest: LONGEST_NOTE,
            in_history: false,
        })
    }

    /// The same on the page of the history, which the form leads back to.
    pub fn in_history(page: &Page, shown: &TablePage) -> Option<NotesPart> {
        Some(NotesPart { in_history: true, ..NotesPart::of(page, shown)? })
    }
}

#[derive(Template)]
#[template(path = "pages/notes.html")]
struct NotesPage {
    page: Page,
    head: Head,
    /// What is stored, when that is another text than the visitor knew.
    stored: Option<String>,
    yours: String,
    version: i64,
    fault: Option<String>,
    longest: usize,
}

/// `POST /t/{id}/notes`.
pub async fn post(app: Data<App>, me: SignedIn, path: Path<String>, posted: Posted) -> Result<HttpResponse, PageError> {
    let table_id = table_id(&path)?;
    let text = posted.text("note");
    let base: i64 = posted
        .line("note_version")
        .parse()
        .map_err(|_| PageError::Malformed("The form arrived without the version of your notes.".to_owned()))?;
    let (user_id, saved) = (me.me.user_id, text.clone());
    let done = app
        .act(&me, move |conn, ctx, now| tables::save_note(conn, ctx, At::new(now, table_id, user_id), base, &saved))
        .await;
    let to = if posted.has("history") { "/phases" } else { "" };
    match done {
        Ok(()) => {
            let to = format!("/t/{}{to}#notes", table_id);
            Ok(go_with(&to, &Notice::good("Your notes are saved."), me.secure()))
        }
        Err(Refused::TwoNotes(two)) => {
            let differs = (two.stored, two.version, None);
            again(
                &app,
                &me,
                table_id,
                NotKept { stored: Some(differs.0), yours: two.yours, version: differs.1, fault: differs.2 },
            )
            .await
        }
        Err(Refused::Form(faults)) => {
            let fault = faults.into_iter().map(|fault| fault.message).collect::<Vec<_>>().join(" ");
            again(&app, &me, table_id, NotKept { stored: None, yours: text, version: base, fault: Some(fault) }).await
        }
        Err(refused) => Err(table_frame::refused(refused, table_id)),
    }
}

/// A text that was not kept.
struct NotKept {
    /// The stored one, where that has changed.
    stored: Option<String>,
    yours: String,
    /// The version that the next try replaces.
    version: i64,
    fault: Option<String>,
}

/// Shows the text that was not kept again, beside the stored one if that has changed.
async fn again(
    app: &Data<App>,
    me: &SignedIn,
    table_id: TableId,
    not_kept: NotKept,
) -> Result<HttpResponse, PageError> {
    let NotKept { stored, yours, version, fault } = not_kept;
    let (ctx, user_id) = (app.ctx.clone(), me.me.user_id);
    let shown =
        table_frame::read(app, table_id, move |conn| tables::table_page(conn, &ctx, table_id, Some(user_id), None))
            .await?;
    let head = Head::new(&shown);
    let mut page = me.page(format!("Notes: {}", head.title)).with_style("board.css").with_style("people.css");
    page.path = format!("/t/{}", head.id);
    page.back.clone_from(&page.path);
    let status = if stored.is_some() { StatusCode::CONFLICT } else { StatusCode::UNPROCESSABLE_ENTITY };
    render_as(status, &NotesPage { page, head, stored, yours, version, fault, longest: LONGEST_NOTE })
}
