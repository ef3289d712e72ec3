//! Where log lines go: to the standard error, for people or as JSON.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

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
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Refused only when logging has been started already, and then it goes on as it is.
    let _ = match log.format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
}
