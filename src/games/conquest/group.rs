//! Control Groups: what a player brings to the table, and their text notation.

use std::fmt;

/// A Control Group: one Q and the pieces that may be deployed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlGroup {
    /// Id of the Q's type.
    pub q: String,
    /// Ids of types with how many copies, in canonical order: by kind, then by id. No type twice, none of it
    /// zero times.
    pub pieces: Vec<(String, u32)>,
}

impl ControlGroup {
    /// How many pieces there are besides the Q.
    pub fn size(&self) -> u32 {
        self.pieces.iter().map(|(_, copies)| copies).sum()
    }
}

impl fmt::Display for ControlGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "1 {}", self.q)?;
        for (id, copies) in &self.pieces {
            writeln!(f, "{copies} {id}")?;
        }
        Ok(())
    }
}
