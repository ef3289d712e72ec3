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

/// A plot with a fresh salt and its seal.
pub fn seal_plot(
    table_id: TableId,
    phase_no: PhaseNo,
    seat: i32,
    body: &str,
    source: PlotSource,
    version: i64,
    handed_in_at: Stamp,
) -> PlotRow {
    let mut salt = [0u8; 16];
    getrandom::fill(&mut salt).expect("the operating system gives random bytes");
    let salt = HEXLOWER.encode(&salt);
    let seal = seal(&table_id.to_string(), phase_no, words::seat(seat), &salt, body);
    PlotRow { table_id, phase_no, seat, body: body.to_owned(), source, version, salt, seal, handed_in_at }
}
