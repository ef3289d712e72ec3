//! What people write, as it is kept: no characters that steer a terminal, turn the direction of what is beside
//! them, or are nothing but unseen.

/// A text of several lines, without blanks at their ends.
pub fn text(given: &str) -> String {
    let given = given.replace("\r\n", "\n").replace(['\r', '\u{2028}', '\u{2029}'], "\n");
    let lines = given.split('\n').map(|line| {
        let line: String = line.chars().filter(|c| !steers(*c)).map(|c| if c.is_control() { ' ' } else { c }).collect();
        line.trim_end().to_owned()
    });
    let kept = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
    if has_visible(&kept) { kept } else { String::new() }
}

/// A title or a name: one line, a blank where a line ended; empty when nothing of it can be seen.
pub fn line(given: &str) -> String {
    text(given).replace('\n', " ")
}

fn steers(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// Whether something of a text can be seen.
fn has_visible(text: &str) -> bool {
    // Joiners and variants mean something beside other characters only; fillers are blanks by another name.
    let unseen = |c: char| {
        matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0000}'..='\u{e0fff}' | '\u{34f}')
            || matches!(c, '\u{2800}' | '\u{3164}' | '\u{115f}' | '\u{1160}' | '\u{ffa0}' | '\u{17b4}' | '\u{17b5}')
    };
    text.chars().any(|c| !c.is_whitespace() && !c.is_control() && !steers(c) && !unseen(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_kept_as_plain_text() {
        assert_eq!(text("  Hello,\r\nthere  \r\r\n\u{7}you\u{202e}! "), "Hello,\nthere\n\n you!");
        assert_eq!(text("one\u{2028}two"), "one\ntwo");
        assert_eq!(text(" \n\t\n "), "");
        assert_eq!(line(" A\u{202e} quiet\u{2028}evening\u{200b} "), "A quiet evening");
        assert_eq!(line("👩\u{200d}🚀 ❤\u{fe0f}"), "👩\u{200d}🚀 ❤\u{fe0f}", "joined signs stay joined");
    }

    #[test]
    fn what_cannot_be_seen_is_nothing() {
        for unseen in
            ["\u{200b}", "\u{2800}", "\u{feff}\u{200d}", "\u{202e}", "\u{2028}", "\u{3164} \u{ad}", "\u{e0041}"]
        {
            assert_eq!((line(unseen), text(unseen)), (String::new(), String::new()), "{unseen:?}");
        }
    }
}
