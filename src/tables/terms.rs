//! A table's terms in words, the same on pages and in letters.

use super::access::Table;
use super::pages::lists::OpenTable;
use super::pages::table::TableInfo;
use super::words;
use crate::when;

/// What a table is played by.
pub struct Terms<'a> {
    /// The game's options as label and choice.
    pub options: &'a [(String, String)],
    /// Time limit in seconds.
    pub time_limit_s: i64,
    /// Whether it counts for the score.
    pub ranked: bool,
    /// Whether only invited people may join.
    pub invite_only: bool,
    /// Time-outs that count as a default plot.
    pub passes_allowed: i32,
    /// Most drops a joining player may have.
    pub max_drops: Option<i32>,
    /// Least score a joining player may have.
    pub min_score: Option<i32>,
    /// Whether messages to one seat alone are allowed.
    pub private_talk: bool,
    /// How many seats it has: between two every message is for the other alone.
    pub seat_count: usize,
}

impl<'a> From<&'a TableInfo> for Terms<'a> {
    fn from(info: &'a TableInfo) -> Terms<'a> {
        Terms {
            options: &info.options,
            time_limit_s: info.time_limit_s,
            ranked: info.ranked,
            invite_only: info.invite_only,
            passes_allowed: info.passes_allowed,
            max_drops: info.max_drops,
            min_score: info.min_score,
            private_talk: info.private_talk,
            seat_count: info.seat_count,
        }
    }
}

impl<'a> From<&'a OpenTable> for Terms<'a> {
    fn from(table: &'a OpenTable) -> Terms<'a> {
        Terms {
            options: &table.options,
            time_limit_s: table.time_limit_s,
            ranked: table.ranked,
            invite_only: table.invite_only,
            passes_allowed: table.passes_allowed,
            max_drops: table.max_drops,
            min_score: table.min_score,
            private_talk: table.private_talk,
            seat_count: table.seat_count,
        }
    }
}

/// Label and words of every term of a table, for a letter.
pub(super) fn of_table(table: &Table) -> Vec<(String, String)> {
    let row = &table.row;
    let terms = Terms {
        options: &words::options(&*table.game, &table.row),
        time_limit_s: row.time_limit_s,
        ranked: row.ranked,
        invite_only: row.invite_only,
        passes_allowed: row.passes_allowed,
        max_drops: row.max_drops,
        min_score: row.min_score,
        private_talk: row.private_talk,
        seat_count: usize::try_from(row.seat_count).unwrap_or_default(),
    };
    terms.words()
}

impl Terms<'_> {
    /// Label and words of every term.
    pub fn words(&self) -> Vec<(String, String)> {
        let own = |label: &str, words: String| (label.to_owned(), words);
        let mut terms = self.options.to_vec();
        terms.push(own("Time limit", format!("{} per phase", when::limit(self.time_limit_s))));
        terms.push(own("Time-outs", time_outs(self.passes_allowed)));
        terms.push(own("Score", if self.ranked { "Ranked" } else { "Not ranked: no score changes" }.to_owned()));
        terms.push(own("Who may join", if self.invite_only { "Invited players" } else { "Everybody" }.to_owned()));
        if let Some(most) = self.max_drops {
            terms.push(own("Drops", format!("Players with {}", words::drops(most))));
        }
        if let Some(least) = self.min_score {
            terms.push(own("Lowest score", format!("Players need a score of at least {least}")));
        }
        if self.seat_count > 2 {
            let talk = if self.private_talk { "To all, or to one seat alone" } else { "To all only" };
            terms.push(own("Messages", talk.to_owned()));
        }
        terms
    }
}

fn time_outs(passes: i32) -> String {
    match passes {
        0 => "A player whose time runs out is dropped".to_owned(),
        1 => "The first is forgiven; the second drops the player".to_owned(),
        _ => format!("{passes} are forgiven; the next one drops the player"),
    }
}
