//! Letters: their words, their headers, and their way out of the outbox.

mod folder;
mod letters;
mod outbox;
mod post;

use chrono::TimeDelta;
use diesel::prelude::*;
use stardate::mail::{self, Letter, Recipient, Section, Site, TableRef};
use stardate::store::outbox::Row;
use stardate::store::schema::{contents, game_tables, phases, plots, seats};
use stardate::store::users::{self, NewUser, User};
use stardate::store::{Conn, Database, PhaseNo, Stamp, TableId, UserId, new_id, new_token, schema};

pub fn at(text: &str) -> Stamp {
    Stamp::parse_from_str(text, "%Y-%m-%d %H:%M").unwrap()
}

/// When most of these tests begin.
pub fn start() -> Stamp {
    at("2026-11-29 15:30")
}

pub fn site() -> Site {
    Site::new("Stardate", "https://play.example", "Stardate <referee@play.example>").unwrap()
}

pub fn table(id: TableId) -> TableRef {
    TableRef { id, title: "Nebula duel".to_owned(), game: "ConQuest".to_owned() }
}

pub fn section(heading: &str, lines: &[&str]) -> Section {
    Section { heading: heading.to_owned(), lines: lines.iter().map(|line| (*line).to_owned()).collect() }
}

/// A player with a confirmed address, stored.
pub fn player(conn: &mut Conn, name: &str) -> User {
    let email = format!("{}@mail.example", name.to_lowercase());
    let user = NewUser {
        id: UserId(new_id(start())),
        name,
        name_key: &users::key(name),
        email: Some(&email),
        email_key: Some(&email),
        password_hash: "",
        zone: "Europe/Berlin",
        created_at: start(),
        unsubscribe_key: &new_token(),
    };
    users::insert(conn, &user).unwrap();
    users::confirm(conn, user.id, start()).unwrap();
    users::find(conn, user.id).unwrap().unwrap()
}

/// A running table with phase 1 open until a day after the start, and the players in its seats.
pub fn running_table(conn: &mut Conn, players: &[&User]) -> TableId {
    let id = TableId(new_id(start()));
    store_table(conn, id, PhaseNo(1), players);
    id
}

/// The same with a given id and phase.
pub fn store_table(conn: &mut Conn, id: TableId, phase_no: PhaseNo, players: &[&User]) {
    let hash = new_token();
    diesel::insert_into(contents::table)
        .values((contents::hash.eq(&hash), contents::game.eq("conquest"), contents::body.eq("{}")))
        .execute(conn)
        .unwrap();
    diesel::insert_into(game_tables::table)
        .values((
            game_tables::id.eq(id),
            game_tables::version.eq(1_i64),
            game_tables::game.eq("conquest"),
            game_tables::title.eq("Nebula duel"),
            game_tables::status.eq("running"),
            game_tables::creator_id.eq(players[0].id),
            game_tables::seat_count.eq(2),
            game_tables::options.eq("{}"),
            game_tables::time_limit_s.eq(86_400_i64),
            game_tables::ranked.eq(true),
            game_tables::invite_only.eq(false),
            game_tables::invite_key.eq(new_token()),
            game_tables::passes_allowed.eq(0),
            game_tables::content_hash.eq(&hash),
            game_tables::edition.eq(1),
            game_tables::format.eq(1),
            game_tables::dice_secret.eq(vec![0_u8; 32]),
            game_tables::dice_hash.eq(""),
            game_tables::phase_no.eq(phase_no),
            game_tables::created_at.eq(start()),
        ))
        .execute(conn)
        .unwrap();
    diesel::insert_into(phases::table)
        .values((
            phases::table_id.eq(id),
            phases::no.eq(phase_no),
            phases::key.eq("deploy"),
            phases::name.eq("Turn 1, Deploy"),
            phases::turn.eq(1),
            phases::simultaneous.eq(true),
            phases::state.eq(Vec::<u8>::new()),
            phases::opened_at.eq(start()),
            phases::clock_started_at.eq(start()),
            phases::deadline_at.eq(Some(start() + TimeDelta::days(1))),
            phases::edition.eq(1),
        ))
        .execute(conn)
        .unwrap();
    for (seat, user) in (0_i32..).zip(players) {
        diesel::insert_into(seats::table)
            .values((
                seats::id.eq(new_id(start())),
                seats::table_id.eq(id),
                seats::user_id.eq(user.id),
                seats::seat.eq(Some(seat)),
                seats::setup.eq("{}"),
                seats::joined_at.eq(start()),
                seats::passes_used.eq(0),
                seats::seen_phase_no.eq(0),
            ))
            .execute(conn)
            .unwrap();
    }
}

/// The seat's plot for phase 1 comes in.
pub fn hand_in(conn: &mut Conn, table_id: TableId, seat: i32) {
    diesel::insert_into(plots::table)
        .values((
            plots::table_id.eq(table_id),
            plots::phase_no.eq(1),
            plots::seat.eq(seat),
            plots::body.eq(""),
            plots::source.eq("hand"),
            plots::version.eq(1_i64),
            plots::salt.eq(""),
            plots::seal.eq(""),
            plots::handed_in_at.eq(start()),
        ))
        .execute(conn)
        .unwrap();
}

/// Phase 1 closes.
pub fn close_phase(conn: &mut Conn, table_id: TableId, now: Stamp) {
    diesel::update(phases::table.find((table_id, 1))).set(phases::closed_at.eq(Some(now))).execute(conn).unwrap();
}

/// Queues a letter for a player, as a use case would.
pub fn queue(db: &Database, now: Stamp, user: &User, letter: &Letter, key: &str) {
    let to = Recipient::of(user).unwrap();
    db.write(|conn| mail::queue(conn, &site(), now, &to, letter, key)).unwrap();
}

/// All letters of the outbox, oldest first.
pub fn outbox_rows(db: &Database) -> Vec<Row> {
    let mut conn = db.connection().unwrap();
    schema::outbox::table
        .order((schema::outbox::created_at, schema::outbox::dedupe_key))
        .select(Row::as_select())
        .load(&mut *conn)
        .unwrap()
}
