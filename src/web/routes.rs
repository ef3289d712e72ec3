//! Which address leads to which page: the one list of them, and what else has to be known of an address.

use actix_web::web::to;

use super::accounts::{reset, settings, sign_in, sign_up, theme, unsubscribe};
use super::base::route::Route;
use super::base::{health, static_files, stored};
use super::library::{about, letters, loadouts, pieces, players, rules, standings};
use super::lobby::{home, practice, table, table_host, table_new, tables_open};
use super::play::{history, notes, orders, record, report, resign, talk};

/// All pages and forms. Of two that fit an address the first counts.
pub static ROUTES: &[Route] = &[
    Route::page("/healthz", || to(health::get)).bare(),
    Route::page("/static/{hash}/{name}", || to(static_files::file)).bare(),
    Route::page("/favicon.ico", || to(static_files::favicon)).bare(),
    Route::page("/robots.txt", || to(static_files::robots)).bare(),
    Route::page("/", || to(home::get)),
    Route::page("/about", || to(about::get)),
    Route::form("/theme", || to(theme::post)),
    Route::page("/stored/{write}", || to(stored::get)),
    Route::page("/mail", || to(letters::list)),
    Route::page("/mail/{file}", || to(letters::one)),
    Route::page("/mail/{file}/html", || to(letters::html)),
    Route::page("/leaderboard", || to(standings::all)),
    Route::page("/leaderboard/{game}", || to(standings::one)),
    Route::page("/players/{name}", || to(players::get)),
    // Accounts.
    Route::page("/sign-up", || to(sign_up::get)),
    Route::form("/sign-up", || to(sign_up::post)),
    Route::form("/sign-up/again", || to(sign_up::again)),
    Route::form("/sign-up/correct", || to(sign_up::correct)),
    Route::page("/check-your-mail", || to(sign_up::check_mail)),
    Route::page("/confirm/{token}", || to(sign_up::confirm_get)).secret(),
    Route::form("/confirm/{token}", || to(sign_up::confirm_post)).secret(),
    Route::page("/sign-in", || to(sign_in::get)),
    Route::form("/sign-in", || to(sign_in::post)),
    Route::form("/sign-out", || to(sign_in::out)),
    Route::page("/reset", || to(reset::ask_get)),
    Route::form("/reset", || to(reset::ask_post)),
    Route::page("/reset/{token}", || to(reset::new_get)).secret(),
    Route::form("/reset/{token}", || to(reset::new_post)).secret(),
    Route::page("/unsubscribe/{key}", || to(unsubscribe::get)).secret(),
    Route::form("/unsubscribe/{key}", || to(unsubscribe::post)).secret(),
    Route::page("/settings", || to(settings::get)),
    Route::form("/settings/zone", || to(settings::zone)),
    Route::form("/settings/letters", || to(settings::letters)),
    Route::form("/settings/address", || to(settings::address)),
    Route::page("/settings/address/{token}", || to(settings::address_get)).secret(),
    Route::form("/settings/address/{token}", || to(settings::address_post)).secret(),
    Route::form("/settings/password", || to(settings::password)),
    Route::form("/settings/browsers/end", || to(settings::end_session)),
    Route::form("/settings/browsers/end-all", || to(settings::sign_out_everywhere)),
    Route::form("/settings/unmute", || to(settings::unmute)),
    Route::form("/settings/delete", || to(settings::delete)),
    // Tables before they start.
    Route::page("/tables", || to(tables_open::get)),
    Route::page("/tables/new", || to(table_new::get)),
    Route::form("/tables/new", || to(table_new::post)),
    Route::page("/tables/practice", || to(practice::get)),
    Route::form("/tables/practice", || to(practice::post)),
    Route::page("/i/{key}", || to(table::invited)).secret(),
    Route::page("/t/{id}", || to(table::get)),
    Route::form("/t/{id}/join", || to(table::join)),
    Route::form("/t/{id}/leave", || to(table::leave)),
    Route::form("/t/{id}/cancel", || to(table::cancel)),
    Route::form("/t/{id}/invite", || to(table::invite)),
    Route::form("/t/{id}/start", || to(table_host::start)),
    Route::form("/t/{id}/remove", || to(table_host::remove)),
    Route::form("/t/{id}/bots", || to(table_host::bots)),
    // Tables once they have started (`/t/{id}` itself shows what the table has come to), games, and what players bring.
    Route::form("/t/{id}/plot", || to(orders::post)).texts(&["text"]),
    Route::form("/t/{id}/act", || to(orders::act)).texts(&["text"]),
    Route::page("/t/{id}/resign", || to(resign::preview)),
    Route::form("/t/{id}/resign", || to(resign::post)),
    Route::page("/t/{id}/phases", || to(history::list)),
    Route::page("/t/{id}/phases/{no}", || to(history::one)),
    Route::page("/t/{id}/talk", || to(talk::get)),
    Route::form("/t/{id}/talk", || to(talk::say)).texts(&["text"]),
    Route::form("/t/{id}/talk/mute", || to(talk::mute)),
    Route::page("/t/{id}/talk/{message}/report", || to(report::get)),
    Route::form("/t/{id}/talk/{message}/report", || to(report::post)).texts(&["reason"]),
    Route::form("/t/{id}/notes", || to(notes::post)).texts(&["note"]),
    Route::page("/t/{id}/record", || to(record::download)),
    Route::page("/t/{id}/verify", || to(record::check)),
    Route::page("/games/{game}", || to(pieces::rules)),
    Route::page("/games/{game}/pieces", || to(pieces::catalogue)),
    Route::page("/rules/{game}", || to(rules::get)),
    Route::page("/loadouts/{game}", || to(loadouts::list)),
    Route::page("/loadouts/{game}/new", || to(loadouts::new)),
    Route::form("/loadouts/{game}/new", || to(loadouts::create)).texts(&["text"]),
    Route::page("/loadouts/{game}/{id}", || to(loadouts::edit)),
    Route::form("/loadouts/{game}/{id}", || to(loadouts::update)).texts(&["text"]),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_secret_is_without_its_mark_and_no_address_comes_twice() {
        let mut seen = BTreeSet::new();
        for route in ROUTES {
            let carries = route.path.contains("{token}") || route.path.contains("{key}");
            assert_eq!(route.secret, carries, "{}", route.path);
            assert!(seen.insert((route.path, route.verb == super::super::base::route::Verb::Get)), "{}", route.path);
        }
    }
}
