//! Seals: the salted hash of a plot, which everybody may see at once and check once the plot is open.

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use crate::rules::Seat;
use crate::store::plots::{PlotRow, PlotSource};
use crate::store::{PhaseNo, Stamp, TableId};

use crate::tables::words;

/// The seal of a plot: what is published at once, and can be recomputed once salt and body are open.
pub fn seal(table: &str, phase_no: PhaseNo, seat: Seat, salt: &str, body: &str) -> String {
    let text = format!("stardate plot v1\n{table}\n{phase_no}\n{seat}\n{salt}\n{body}");
    HEXLOWER.encode(&Sha256::digest(text.as_bytes()))
}

/// A plot before it has its salt and its seal.
pub struct Unsealed {
    /// The table.
    pub table_id: TableId,
    /// The phase it is for.
    pub phase_no: PhaseNo,
    /// Whose it is.
    pub seat: i32,
    /// The orders.
    pub body: String,
    /// Who wrote it.
    pub source: PlotSource,
    /// Counts the seat's stored texts of the phase.
    pub version: i64,
    /// When it arrived.
    pub handed_in_at: Stamp,
}

impl Unsealed {
    /// The plot with a fresh salt and its seal.
    pub fn seal(self) -> PlotRow {
        let Unsealed { table_id, phase_no, seat, body, source, version, handed_in_at } = self;
        let mut salt = [0u8; 16];
        getrandom::fill(&mut salt).expect("the operating system gives random bytes");
        let salt = HEXLOWER.encode(&salt);
        let seal = seal(&table_id.to_string(), phase_no, words::seat(seat), &salt, &body);
        PlotRow { table_id, phase_no, seat, body, source, version, salt, seal, handed_in_at }
    }
}
