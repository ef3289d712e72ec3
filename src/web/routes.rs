//! Which address leads to which page. The one list of them.

use actix_web::web::{ServiceConfig, get, post};

use super::accounts::{reset, settings, sign_in, sign_up, theme, unsubscribe};
use super::base::page::go;
use super::base::stored;
use super::library::{about, letters, loadouts, pieces, players, rules, standings};
use super::lobby::{home, practice, table, table_host, table_new, tables_open};
use super::play::{history, notes, orders, record, report, resign, talk};

/// Where the forms of a table are sent. Opened as a page, by somebody who pressed Enter in the address, it leads to
/// the table.
const FORMS: &str = "/t/{id}/{form:join|leave|cancel|invite|start|remove|bots|plot|act|notes|talk/mute}";

/// Where other forms are sent, and the page each of them is on. Opened as a page, by somebody who pressed Enter in the
/// address or switched the look of a form that came back with a fault, they lead to that page.
const PAGES_OF_FORMS: [(&str, &str); 4] = [
    ("/{form:theme|sign-out}", "/"),
    ("/sign-up/{form:again|correct}", "/check-your-mail"),
    ("/settings/{form:zone|letters|address|password|unmute|delete}", "/settings"),
    ("/settings/browsers/{form:end|end-all}", "/settings#browsers"),
];

/// All pages.
pub fn routes(config: &mut ServiceConfig) {
    config
        .route("/", get().to(home::get))
        .route("/about", get().to(about::get))
        .route("/theme", post().to(theme::post))
        .route("/stored/{write}", get().to(stored::get))
        .route("/mail", get().to(letters::list))
        .route("/mail/{file}", get().to(letters::one))
        .route("/mail/{file}/html", get().to(letters::html))
        .route("/leaderboard", get().to(standings::all))
        .route("/leaderboard/{game}", get().to(standings::one))
        .route("/players/{name}", get().to(players::get));
    accounts(config);
    tables(config);
    play(config);
    for (form, page) in PAGES_OF_FORMS {
        config.route(form, get().to(move || async move { go(page) }));
    }
}

fn accounts(config: &mut ServiceConfig) {
    config
        .route("/sign-up", get().to(sign_up::get))
        .route("/sign-up", post().to(sign_up::post))
        .route("/sign-up/again", post().to(sign_up::again))
        .route("/sign-up/correct", post().to(sign_up::correct))
        .route("/check-your-mail", get().to(sign_up::check_mail))
        .route("/confirm/{token}", get().to(sign_up::confirm_get))
        .route("/confirm/{token}", post().to(sign_up::confirm_post))
        .route("/sign-in", get().to(sign_in::get))
        .route("/sign-in", post().to(sign_in::post))
        .route("/sign-out", post().to(sign_in::out))
        .route("/reset", get().to(reset::ask_get))
        .route("/reset", post().to(reset::ask_post))
        .route("/reset/{token}", get().to(reset::new_get))
        .route("/reset/{token}", post().to(reset::new_post))
        .route("/unsubscribe/{key}", get().to(unsubscribe::get))
        .route("/unsubscribe/{key}", post().to(unsubscribe::post))
        .route("/settings", get().to(settings::get))
        .route("/settings/zone", post().to(settings::zone))
        .route("/settings/letters", post().to(settings::letters))
        .route("/settings/address", post().to(settings::address))
        .route("/settings/address/{token}", get().to(settings::address_get))
        .route("/settings/address/{token}", post().to(settings::address_post))
        .route("/settings/password", post().to(settings::password))
        .route("/settings/browsers/end", post().to(settings::end_session))
        .route("/settings/browsers/end-all", post().to(settings::sign_out_everywhere))
        .route("/settings/unmute", post().to(settings::unmute))
        .route("/settings/delete", post().to(settings::delete));
}

fn tables(config: &mut ServiceConfig) {
    config
        .route("/tables", get().to(tables_open::get))
        .route("/tables/new", get().to(table_new::get))
        .route("/tables/new", post().to(table_new::post))
        .route("/tables/practice", get().to(practice::get))
        .route("/tables/practice", post().to(practice::post))
        .route("/i/{key}", get().to(table::invited))
        .route("/t/{id}", get().to(table::get))
        .route("/t/{id}/join", post().to(table::join))
        .route("/t/{id}/leave", post().to(table::leave))
        .route("/t/{id}/cancel", post().to(table::cancel))
        .route("/t/{id}/invite", post().to(table::invite))
        .route("/t/{id}/start", post().to(table_host::start))
        .route("/t/{id}/remove", post().to(table_host::remove))
        .route("/t/{id}/bots", post().to(table_host::bots));
}

/// Games, what players bring, and the pages of a table once it has started; `/t/{id}` itself is dispatched by
/// what the table has come to.
fn play(config: &mut ServiceConfig) {
    config
        .route("/t/{id}/plot", post().to(orders::post))
        .route("/t/{id}/act", post().to(orders::act))
        .route("/t/{id}/resign", get().to(resign::preview))
        .route("/t/{id}/resign", post().to(resign::post))
        .route("/t/{id}/phases", get().to(history::list))
        .route("/t/{id}/phases/{no}", get().to(history::one))
        .route("/t/{id}/talk", get().to(talk::get))
        .route("/t/{id}/talk", post().to(talk::say))
        .route("/t/{id}/talk/mute", post().to(talk::mute))
        .route("/t/{id}/talk/{message}/report", get().to(report::get))
        .route("/t/{id}/talk/{message}/report", post().to(report::post))
        .route("/t/{id}/notes", post().to(notes::post))
        .route("/t/{id}/record", get().to(record::download))
        .route("/t/{id}/verify", get().to(record::check))
        .route(FORMS, get().to(table::of_form))
        .route("/games/{game}", get().to(pieces::rules))
        .route("/games/{game}/pieces", get().to(pieces::catalogue))
        .route("/rules/{game}", get().to(rules::get))
        .route("/loadouts/{game}", get().to(loadouts::list))
        .route("/loadouts/{game}/new", get().to(loadouts::new))
        .route("/loadouts/{game}/new", post().to(loadouts::create))
        .route("/loadouts/{game}/{id}", get().to(loadouts::edit))
        .route("/loadouts/{game}/{id}", post().to(loadouts::update));
}
