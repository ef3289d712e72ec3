//! Where log lines go: to the standard error, for people or as JSON.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{IsTerminal, Stderr, Write};

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

/// Says why a subcommand could not do its work, the way log lines are laid out: one JSON object for machines, a plain
/// sentence for people.
pub fn print_fault(format: LogFormat, fault: &dyn Display, to: &mut dyn Write) {
    let line = match format {
        LogFormat::Text => format!("stardate: {fault}"),
        LogFormat::Json => {
            let timestamp = chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Micros, true);
            let line = serde_json::json!({
                "timestamp": timestamp, "level": "ERROR", "message": fault.to_string(), "target": "stardate"
            });
            line.to_string()
        }
    };
    // Where even this cannot be written there is nobody left to tell.
    let _ = writeln!(to, "{line}");
}

/// Starts logging for the whole process. A second call changes nothing.
pub fn start(log: &Log) {
    let filter = EnvFilter::builder().parse_lossy(&log.filter);
    let colours = std::io::stderr().is_terminal() && log.format == LogFormat::Text;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || OneLine { to: std::io::stderr(), colours });
    // Refused only when logging has been started already, and then it goes on as it is.
    let _ = match log.format {
        LogFormat::Text => lines.with_ansi(colours).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).try_init(),
    };
}

/// Where lines go, each as one: what people wrote must not look like a line of ours, nor turn around what follows it.
struct OneLine {
    to: Stderr,
    /// The line is coloured, which takes a control character that nothing but colours can bring in.
    colours: bool,
}

impl Write for OneLine {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        self.to.write_all(one_line(&String::from_utf8_lossy(line), self.colours).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}

/// A line with its control characters, line breaks and marks of the direction of writing written as their codes; JSON
/// reads them the same.
fn one_line(text: &str, colours: bool) -> Cow<'_, str> {
    let (line, end) = text.strip_suffix('\n').map_or((text, ""), |line| (line, "\n"));
    let is_odd = |c: char| {
        let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() && !(colours && c == '\u{1b}')) || turns
    };
    if !line.contains(is_odd) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    for c in line.chars() {
        if is_odd(c) { plain.push_str(&format!("\\u{:04x}", u32::from(c))) } else { plain.push(c) }
    }
    plain.push_str(end);
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_wrote_makes_no_line_and_turns_nothing_around() {
        let plain = |text| one_line(text, false).into_owned();
        assert_eq!(plain("INFO all is well\n"), "INFO all is well\n");
        assert_eq!(plain("a title\nERROR a forged line\n"), "a title\\u000aERROR a forged line\n");
        assert_eq!(plain("\u{202e}live\u{1b}[2J\r\t\u{85}\n"), "\\u202elive\\u001b[2J\\u000d\\u0009\\u0085\n");
        assert_eq!(one_line("\u{1b}[32m INFO\u{1b}[0m\n", true), "\u{1b}[32m INFO\u{1b}[0m\n");
        let json = plain("{\"title\":\"a\u{202e}b\"}\n");
        let read: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["title"], "a\u{202e}b");
    }
}
