//! Players and live tables, made by the use cases that pages call, before the server starts.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{TimeDelta, Timelike};
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use stardate::games;
use stardate::mail::Site;
use stardate::store::sessions::{self, Session};
use stardate::store::users::{self, NewUser};
use stardate::store::{Conn, Database, PhaseNo, Stamp, TableId, UserId, game_tables, new_id, new_token};
use stardate::tables::{self, Act, At, Ctx, Games, JoinFigures, LONGEST_LIMIT_S, NewTable, Refused};

use super::Res;

/// So many things are made in one transaction.
const AT_ONCE: usize = 100;

/// A player with a browser that is signed in.
#[derive(Clone, Debug)]
pub struct Player {
    /// Id.
    pub id: UserId,
    /// Name.
    pub name: String,
    /// What the browser sends as cookies.
    pub cookie: String,
}

/// A running table of two.
#[derive(Clone, Debug)]
pub struct Table {
    /// Id.
    pub id: TableId,
    /// Path of its page.
    pub path: String,
    /// The two who play, in the order of sitting down.
    pub players: [Player; 2],
    /// Two plots that the first of them may hand in now.
    pub plots: [String; 2],
}

/// The time, in whole seconds.
pub fn now() -> Stamp {
    let now = chrono::Utc::now().naive_utc();
    now.with_nanosecond(0).unwrap_or(now)
}

/// What use cases need; as in the server, except that nothing ends by itself.
pub fn ctx() -> Res<Ctx> {
    let games = Games::load(games::all(), &BTreeMap::new())?;
    let site = Site::new("Stardate", "http://play.example", "Stardate <stardate@play.example>")?;
    Ok(Ctx {
        games: Arc::new(games),
        site,
        join: JoinFigures { drops: u32::MAX, ..JoinFigures::default() },
        unjoined: None,
    })
}

/// Makes players whose names begin so; they cannot sign in, they are signed in.
pub fn players(db: &Database, prefix: &str, count: usize) -> Res<Vec<Player>> {
    let mut made = Vec::with_capacity(count);
    let numbers: Vec<usize> = (0..count).collect();
    for part in numbers.chunks(AT_ONCE) {
        made.extend(tables::run(db, |conn| {
            part.iter().map(|nth| player(conn, &format!("{prefix}{nth}"))).collect::<Result<Vec<_>, _>>()
        })?);
    }
    Ok(made)
}

fn player(conn: &mut Conn, name: &str) -> Result<Player, Refused> {
    let (now, id) = (now(), UserId(new_id(now())));
    let address = format!("{name}@players.example");
    let user = NewUser {
        id,
        name,
        name_key: &users::key(name),
        email: Some(&address),
        email_key: Some(&address),
        password_hash: "none",
        zone: "Europe/Berlin",
        created_at: now,
        unsubscribe_key: &new_token(),
    };
    users::insert(conn, &user)?;
    users::confirm(conn, id, now)?;
    Ok(Player { id, name: name.to_owned(), cookie: signed_in(conn, id)? })
}

/// Signs a browser of this player in; returns its cookies.
pub fn signed_in(conn: &mut Conn, user_id: UserId) -> Result<String, Refused> {
    let (now, token) = (now(), new_token());
    let session = Session {
        id: HEXLOWER.encode(&Sha256::digest(token.as_bytes())),
        user_id,
        csrf: new_token(),
        created_at: now,
        seen_at: now,
        expires_at: now + TimeDelta::days(30),
        agent: "load".to_owned(),
    };
    sessions::insert(conn, &session)?;
    Ok(format!("session={token}"))
}

/// Makes running tables of a game, each with two players of its own.
pub fn tables_of(db: &Database, ctx: &Ctx, game: &str, players: Vec<Player>) -> Res<Vec<Table>> {
    let pairs: Vec<[Player; 2]> = players.chunks_exact(2).map(|pair| [pair[0].clone(), pair[1].clone()]).collect();
    let mut made = Vec::with_capacity(pairs.len());
    for part in pairs.chunks(AT_ONCE) {
        made.extend(tables::run(db, |conn| {
            part.iter().map(|pair| running(conn, ctx, game, pair)).collect::<Result<Vec<_>, _>>()
        })?);
    }
    Ok(made)
}

fn running(conn: &mut Conn, ctx: &Ctx, game: &str, players: &[Player; 2]) -> Result<Table, Refused> {
    let id = open(conn, ctx, game, players[0].id)?;
    tables::join(conn, ctx, At::new(now(), id, players[1].id), &BTreeMap::new(), None)?;
    let plots = two_plots(conn, ctx, id, players[0].id)?;
    Ok(Table { id, path: format!("/t/{id}"), players: players.clone(), plots })
}

/// Makes a table that waits for one more player. Who runs out of time there is not dropped.
pub fn open(conn: &mut Conn, ctx: &Ctx, game: &str, creator: UserId) -> Result<TableId, Refused> {
    let new = NewTable {
        game: game.to_owned(),
        title: "A long evening".to_owned(),
        seats: Some(2),
        time_limit_s: LONGEST_LIMIT_S,
        ranked: true,
        passes_allowed: 20,
        ..NewTable::default()
    };
    tables::create(conn, ctx, now(), creator, &new)
}

/// Two different legal plots of this player: what a bot would order, and less than that. Empty where nothing is due.
fn two_plots(conn: &mut Conn, ctx: &Ctx, table: TableId, user: UserId) -> Result<[String; 2], Refused> {
    let Some(whole) = tables::suggest(conn, ctx, table, user, &[7; 32])? else { return Ok(Default::default()) };
    let act = Act::in_any_phase(table, user, now());
    let phase = game_tables::find(conn, table)?.map_or(PhaseNo(0), |row| row.phase_no);
    let act = Act { phase, ..act };
    let lines: Vec<&str> = whole.lines().collect();
    // Not every order may be left out.
    for end in (0..lines.len()).rev() {
        let less = if end == 0 { "pass".to_owned() } else { lines[..end].join("\n") };
        if tables::examine(conn, ctx, &act, &less)?.faults.is_empty() {
            return Ok([whole, less]);
        }
    }
    Ok([whole.clone(), whole])
}

/// Plays a table for so many phases by what a bot would order, as long as it goes on. Returns the phases played.
pub fn play(db: &Database, ctx: &Ctx, table: &Table, phases: usize) -> Res<usize> {
    for played in 0..phases {
        let going_on = tables::run(db, |conn| step(conn, ctx, table, played))?;
        if !going_on {
            return Ok(played);
        }
    }
    Ok(phases)
}

fn step(conn: &mut Conn, ctx: &Ctx, table: &Table, played: usize) -> Result<bool, Refused> {
    let Some(row) = game_tables::find(conn, table.id)? else { return Ok(false) };
    if row.status != game_tables::Status::Running {
        return Ok(false);
    }
    for player in &table.players {
        let fresh = game_tables::find(conn, table.id)?.map_or(PhaseNo(0), |row| row.phase_no);
        let seed = [u8::try_from(played % 251).unwrap_or(0); 32];
        if fresh != row.phase_no {
            break;
        }
        if let Some(text) = tables::suggest(conn, ctx, table.id, player.id, &seed)? {
            let act = Act { table: table.id, user: player.id, phase: row.phase_no, base: None, received: now() };
            tables::hand_in(conn, ctx, now(), &act, &text)?;
        }
    }
    Ok(true)
}
