//! Kinds of letters, as the outbox stores them.

/// What a letter is about; decides who wants it, and for how long it is worth sending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "explained at the letters themselves, in `mail::Letter`")]
pub enum LetterKind {
    Started,
    Due,
    Reminder,
    Resolved,
    Dropped,
    Beaten,
    Over,
    Invitation,
    Cancelled,
    Removed,
    HandedOn,
    Talk,
    Reported,
    Confirm,
    AlreadyRegistered,
    Reset,
    PasswordChanged,
    ChangeAddress,
    AddressChanged,
    AccountDeleted,
}

impl LetterKind {
    /// Every kind.
    pub const ALL: [LetterKind; 20] = [
        LetterKind::Started,
        LetterKind::Due,
        LetterKind::Reminder,
        LetterKind::Resolved,
        LetterKind::Dropped,
        LetterKind::Beaten,
        LetterKind::Over,
        LetterKind::Invitation,
        LetterKind::Cancelled,
        LetterKind::Removed,
        LetterKind::HandedOn,
        LetterKind::Talk,
        LetterKind::Reported,
        LetterKind::Confirm,
        LetterKind::AlreadyRegistered,
        LetterKind::Reset,
        LetterKind::PasswordChanged,
        LetterKind::ChangeAddress,
        LetterKind::AddressChanged,
        LetterKind::AccountDeleted,
    ];

    /// The word for it in the outbox.
    pub const fn as_str(self) -> &'static str {
        match self {
            LetterKind::Started => "started",
            LetterKind::Due => "due",
            LetterKind::Reminder => "reminder",
            LetterKind::Resolved => "resolved",
            LetterKind::Dropped => "dropped",
            LetterKind::Beaten => "beaten",
            LetterKind::Over => "over",
            LetterKind::Invitation => "invitation",
            LetterKind::Cancelled => "cancelled",
            LetterKind::Removed => "removed",
            LetterKind::HandedOn => "handed-on",
            LetterKind::Talk => "talk",
            LetterKind::Reported => "reported",
            LetterKind::Confirm => "confirm",
            LetterKind::AlreadyRegistered => "already-registered",
            LetterKind::Reset => "reset",
            LetterKind::PasswordChanged => "password-changed",
            LetterKind::ChangeAddress => "change-address",
            LetterKind::AddressChanged => "address-changed",
            LetterKind::AccountDeleted => "account-deleted",
        }
    }

    /// The kind with this word; `None`: another version of the server queued it.
    pub fn from_text(word: &str) -> Option<LetterKind> {
        LetterKind::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// Whether such a letter holds a secret link: its text is removed from the outbox once it has left.
    pub fn holds_secret(self) -> bool {
        matches!(self, LetterKind::Confirm | LetterKind::Reset | LetterKind::ChangeAddress)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_kind_has_a_word_of_its_own() {
        let words: BTreeSet<&str> = LetterKind::ALL.into_iter().map(LetterKind::as_str).collect();
        assert_eq!(words.len(), LetterKind::ALL.len());
        assert!(LetterKind::ALL.into_iter().all(|kind| LetterKind::from_text(kind.as_str()) == Some(kind)));
    }
}
