//! What others see of a player before they sit down with them, in words.

use crate::tables::Reputation;
use crate::web::base::times;

/// In one line, as shown beside a name: `score 103 · 1 drop in 20 · answers in about 6 h`.
pub fn line(known: &Reputation) -> String {
    let mut parts = vec![format!("score {}", known.score), drops(known)];
    parts.extend(known.pace_s.map(|pace_s| format!("answers in about {}", times::about(pace_s))));
    parts.join(" · ")
}

fn drops(known: &Reputation) -> String {
    let games = if known.games == 1 { "1 game".to_owned() } else { format!("{} games", known.games) };
    let pending = match known.pending_drops {
        0 => String::new(),
        pending => format!(" ({pending} pending)"),
    };
    match (known.games, known.drops) {
        (0, _) => "no ranked game yet".to_owned(),
        (_, 0) => format!("no drop in {games}"),
        (_, 1) => format!("1 drop in {games}{pending}"),
        (_, drops) => format!("{drops} drops in {games}{pending}"),
    }
}

/// The drops as a sentence of the player's page.
pub fn drops_sentence(known: &Reputation, window: u32) -> String {
    let last = match known.games {
        0 => return "No ranked game yet.".to_owned(),
        1 => "the one ranked game so far".to_owned(),
        games if games < window => format!("the {games} ranked games so far"),
        games => format!("the last {games} ranked games"),
    };
    let pending = match (known.pending_drops, known.drops) {
        (0, _) => String::new(),
        (1, 1) => ", at a table that others still play".to_owned(),
        (pending, _) => format!(", {pending} of them at tables that others still play"),
    };
    match known.drops {
        0 => format!("None that still counts, in {last}"),
        drops => {
            let count = if drops == 1 { "counts" } else { "count" };
            format!("{drops} that still {count}, in {last} ({} %){pending}", known.drop_percentage())
        }
    }
}

/// The pace as a sentence of the player's page.
pub fn pace_sentence(known: &Reputation) -> String {
    match known.pace_s {
        Some(pace_s) => format!("Half of their latest answers came within {}", times::about(pace_s)),
        None => "Not enough games to tell yet".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_known() {
        let new = Reputation { score: 100, games: 0, drops: 0, pending_drops: 0, pace_s: None };
        assert_eq!(line(&new), "score 100 · no ranked game yet");
        let known = Reputation { score: 103, games: 20, drops: 1, pending_drops: 0, pace_s: Some(21_000) };
        assert_eq!(line(&known), "score 103 · 1 drop in 20 games · answers in about 6 h");
        let known = Reputation { score: 94, games: 1, drops: 0, pending_drops: 0, pace_s: None };
        assert_eq!(line(&known), "score 94 · no drop in 1 game");
        let known = Reputation { score: 94, games: 7, drops: 3, pending_drops: 1, pace_s: None };
        assert_eq!(line(&known), "score 94 · 3 drops in 7 games (1 pending)");
        assert_eq!(
            drops_sentence(&known, 20),
            "3 that still count, in the 7 ranked games so far (43 %), 1 of them at tables that others still play"
        );
        assert_eq!(drops_sentence(&new, 20), "No ranked game yet.");
    }
}
