//! The look of a page, and the sentence above its content.

/// The look of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// As the visitor's system says.
    Auto,
    /// Space.
    Dark,
    /// Paper.
    Light,
}

impl Theme {
    /// From a cookie or a form; anything unknown is `Auto`.
    pub fn read(text: &str) -> Theme {
        match text {
            "dark" => Theme::Dark,
            "light" => Theme::Light,
            _ => Theme::Auto,
        }
    }

    /// Value in cookies, forms and the page's `data-theme`.
    pub fn text(self) -> &'static str {
        match self {
            Theme::Auto => "auto",
            Theme::Dark => "dark",
            Theme::Light => "light",
        }
    }
}

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeKind {
    /// Something was done.
    Good,
    /// Something was not done, or needs attention.
    Bad,
    /// Something to know.
    Plain,
}

/// A sentence above the content of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What it is about.
    pub kind: NoticeKind,
    /// The sentence.
    pub text: String,
}

impl Notice {
    /// Something was done.
    pub fn good(text: impl Into<String>) -> Notice {
        Notice { kind: NoticeKind::Good, text: text.into() }
    }

    /// Something was not done, or needs attention.
    pub fn bad(text: impl Into<String>) -> Notice {
        Notice { kind: NoticeKind::Bad, text: text.into() }
    }

    /// Something to know.
    pub fn plain(text: impl Into<String>) -> Notice {
        Notice { kind: NoticeKind::Plain, text: text.into() }
    }

    /// Class in the style sheet.
    pub fn class(&self) -> &'static str {
        match self.kind {
            NoticeKind::Good => "good",
            NoticeKind::Bad => "bad",
            NoticeKind::Plain => "plain",
        }
    }
}
