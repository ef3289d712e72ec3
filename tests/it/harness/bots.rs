//! Orders as a bot would give them, asked through the doors that a player's page has.

use std::cell::RefCell;

use stardate::rules::{Desk, Dice, Examined, Slot};
use stardate::store::{Conn, PhaseNo, Stamp, TableId, UserId};
use stardate::tables::{self, Act, Ctx, Turn};

/// What the player of a seat can find out before handing in.
struct PageDesk<'a> {
    conn: RefCell<&'a mut Conn>,
    ctx: &'a Ctx,
    table_id: TableId,
    user_id: UserId,
    turn: &'a Turn,
    phase_no: PhaseNo,
}

impl Desk for PageDesk<'_> {
    fn examine(&self, text: &str) -> Examined {
        let mut conn = self.conn.borrow_mut();
        let (table, user, phase) = (self.table_id, self.user_id, self.phase_no);
        let act = Act { table, user, phase, base: None, received: Stamp::MIN };
        tables::examine(&mut conn, self.ctx, &act, text).unwrap()
    }

    fn offers(&self) -> Vec<Slot> {
        self.turn.sight.slots.clone()
    }

    fn default_plot(&self) -> String {
        String::new()
    }
}

/// The orders of the strongest bot of the table's game for this player; `None` when the player owes none.
pub fn strongest(conn: &mut Conn, ctx: &Ctx, table_id: TableId, user_id: UserId, seed: u8) -> Option<String> {
    let turn = tables::turn(conn, ctx, table_id, Some(user_id)).unwrap();
    let phase_no = turn.phase.as_ref().filter(|_| turn.due)?.no;
    let table = tables::table_page(conn, ctx, table_id, Some(user_id), None).unwrap().table;
    let game = ctx.games.current(&table.game).unwrap();
    let bot = game.bots().into_iter().max_by_key(|bot| bot.strength()).expect("every game has a bot");
    let mut chooser = Dice::for_phase(&[seed; 32], u32::try_from(phase_no.0).unwrap());
    let desk = PageDesk { conn: RefCell::new(conn), ctx, table_id, user_id, turn: &turn, phase_no };
    Some(bot.plot(&turn.sight.view, &desk, &mut chooser))
}
