//! What people write at a table: messages, private notes, reports to the operator.

pub mod conversation;
pub mod notes;
pub mod reports;
pub mod talk_letters;
