//! Pages of a table that is played or over: orders, history, talk, notes, the record.

pub mod checked;
pub mod history;
pub mod notes;
pub mod order_form;
pub mod orders;
pub mod record;
pub mod report;
pub mod resign;
pub mod table_frame;
pub mod talk;
pub mod turn;
