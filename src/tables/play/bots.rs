//! Seats played by programs. A bot has an account like anybody else, without address and password, so that
//! seats, results and records need to know nothing of it. It is asked when it is due, by a timer, sees what its
//! seat sees, and hands in as a person does.

use crate::rules::bot::ask;
use crate::rules::{Bot, Dice, Game, Seat};
use crate::store::seats::Seated;
use crate::store::timers::{self, TimerKind};
use crate::store::users::{self, NewUser};
use crate::store::{Conn, Stamp, TableId, UserId, new_id, new_token};

use super::running::Play;
use crate::tables::{Ctx, Refused, access, words};

/// How many names are tried for a new bot before something is taken to be wrong.
const MOST_NAMESAKES: usize = 1000;

/// A bot as pages offer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotShown {
    /// Short name within its game.
    pub id: &'static str,
    /// Name for people.
    pub name: &'static str,
    /// One sentence: how it plays.
    pub summary: &'static str,
}

/// The bots of a game, the weakest first.
pub fn bots_of(game: &dyn Game) -> Vec<BotShown> {
    let mut bots = game.bots();
    bots.sort_by_key(|bot| bot.strength());
    bots.iter().map(|bot| BotShown { id: bot.id(), name: bot.name(), summary: bot.summary() }).collect()
}

/// The bot of this game with this short name.
pub fn bot_of(game: &dyn Game, id: &str) -> Option<std::sync::Arc<dyn Bot>> {
    game.bots().into_iter().find(|bot| bot.id() == id)
}

/// What is told of the account of a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotOf {
    /// Id of the game it plays.
    pub game: &'static str,
    /// Name of that game.
    pub game_name: &'static str,
    /// How it plays, as a sentence.
    pub summary: &'static str,
}

/// The bot that an account is, by its `game/bot`; `None` where this server no longer has it.
pub fn of_account(ctx: &Ctx, key: &str) -> Option<BotOf> {
    let (game, id) = key.split_once('/')?;
    let game = ctx.games.current(game)?;
    let bot = bot_of(&*game, id)?;
    Some(BotOf { game: game.meta().id, game_name: game.meta().name, summary: bot.summary() })
}

/// How an account names the bot it stands for.
fn key(game: &dyn Game, bot: &dyn Bot) -> String {
    format!("{}/{}", game.meta().id, bot.id())
}

/// What the names of bots end in. No person's name has blanks or brackets.
const NAME_END: &str = " (bot)";

/// Whether this is the name of a bot.
pub fn is_bot_name(name: &str) -> bool {
    name.ends_with(NAME_END)
}

/// The account of a bot that has none of the seats in `taken`; made if there is none yet.
pub fn account(
    conn: &mut Conn,
    now: Stamp,
    game: &dyn Game,
    bot: &dyn Bot,
    taken: &[Seated],
) -> Result<UserId, Refused> {
    let key = key(game, bot);
    let sits = |user_id: UserId| taken.iter().any(|seated| seated.row.user_id == user_id);
    if let Some(user_id) = users::bots(conn, &key)?.into_iter().find(|user_id| !sits(*user_id)) {
        return Ok(user_id);
    }
    for number in 1..MOST_NAMESAKES {
        let name = match number {
            1 => format!("{}{NAME_END}", bot.name()),
            _ => format!("{} {number}{NAME_END}", bot.name()),
        };
        if users::find_by_name(conn, &name)?.is_some() {
            continue;
        }
        let id = UserId(new_id(now));
        let user = NewUser {
            id,
            name: &name,
            name_key: &users::key(&name),
            email: None,
            email_key: None,
            password_hash: "",
            zone: "UTC",
            created_at: now,
            unsubscribe_key: &new_token(),
        };
        return match users::insert(conn, &user).and_then(|()| users::mark_as_bot(conn, id, &key, now)) {
            Ok(()) => Ok(id),
            // Somebody else has just made the same one; on fresh data it is found.
            Err(diesel::result::Error::DatabaseError(diesel::result::DatabaseErrorKind::UniqueViolation, _)) => {
                Err(Refused::Conflict)
            }
            Err(error) => Err(error.into()),
        };
    }
    Err(Refused::Broken(format!("there are too many accounts for the bot {key}")))
}

/// Sets the timer for the bots that owe orders in a phase that has just opened. Tables without bots have none.
pub fn schedule(conn: &mut Conn, now: Stamp, play: &Play) -> Result<(), Refused> {
    if play.seats.iter().all(|seated| seated.bot.is_none()) {
        return Ok(());
    }
    match bots_due(play).next() {
        Some(_) => timers::set(conn, now, play.table.row.id, TimerKind::Bot, play.phase.no, now)?,
        None => timers::clear(conn, play.table.row.id, TimerKind::Bot)?,
    }
    Ok(())
}

/// The bots that owe orders and have handed nothing in, in seat order.
pub fn bots_due(play: &Play) -> impl Iterator<Item = (Seat, &Seated)> {
    play.dues.iter().filter(|due| !play.is_in(due.seat)).filter_map(|due| {
        let seated = play.seats.iter().find(|seated| seated.row.seat == Some(due.seat))?;
        seated.bot.as_ref().map(|_| (words::seat(due.seat), seated))
    })
}

/// What the game's strongest bot would order in this player's place, knowing what the player knows; `None` when the
/// player owes nothing, or the game has no bot. `seed`: for what is left to chance.
pub fn suggest(
    conn: &mut Conn,
    ctx: &Ctx,
    table_id: TableId,
    user_id: UserId,
    seed: &[u8; 32],
) -> Result<Option<String>, Refused> {
    let table = access::visible(conn, ctx, table_id, Some(user_id), None)?;
    let Some(seat) = access::seat_of(conn, table_id, user_id)? else { return Ok(None) };
    let play = Play::load(conn, table)?;
    if !play.dues.iter().any(|due| due.seat == words::number(seat)) {
        return Ok(None);
    }
    let game = &*play.table.game;
    let Some(bot) = game.bots().into_iter().max_by_key(|bot| bot.strength()) else { return Ok(None) };
    let phase = u32::try_from(play.phase.no.0).unwrap_or(0);
    Ok(Some(ask(game, &*bot, &play.state, seat, &mut Dice::for_phase(seed, phase))?))
}
