//! What a timer may lead to; each kind of timer has a file of its own.

/// What a timer has led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Woken {
    /// Nothing: the timer was gone, moved or out of date.
    Nothing,
    /// Reminders were queued for this many seats.
    Reminded(usize),
    /// A player had no notice of the deadline: it was put off, once.
    Extended,
    /// The phase was resolved with drafts and default plots in the place of missing ones.
    Resolved,
    /// This many seats were dropped.
    Dropped(usize),
    /// A table that nobody joined was closed.
    Closed,
    /// A bot handed in its orders.
    Moved,
}
