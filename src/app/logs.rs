//! Where log lines go: to the standard error, for people or as JSON.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{Log, LogFormat};

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
