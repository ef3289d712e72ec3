//! The rows of the table, in groups that share a database.

pub mod lists;
pub mod live;
pub mod memory;
pub mod stored;
pub mod sweep;

mod due;
mod plots;
mod turn;

use std::time::{Duration, Instant};

use super::Res;
use super::drive::Visit;
use super::fill;
use super::http::Client;
use super::scratch::Peek;

/// The longest the server may take to send the letters that are due.
const LETTERS_MAY_TAKE: Duration = Duration::from_secs(300);

/// A browser that opens some pages in turn, again and again.
pub struct Pages {
    client: Client,
    requests: Vec<Vec<u8>>,
    next: usize,
    expected: u16,
}

impl Pages {
    /// Requests whose answers have this status.
    pub fn new(client: Client, requests: Vec<Vec<u8>>, expected: u16) -> Pages {
        Pages { client, requests, next: 0, expected }
    }
}

impl Visit for Pages {
    fn visit(&mut self) -> Res<usize> {
        let request = &self.requests[self.next % self.requests.len()];
        self.next += 1;
        let answer = self.client.send(request)?;
        if answer.status == self.expected {
            return Ok(answer.body.len());
        }
        let asked = String::from_utf8_lossy(request).lines().next().unwrap_or_default().to_owned();
        Err(format!("{asked}: status {} instead of {}\n{}", answer.status, self.expected, answer.text()).into())
    }
}

/// Waits until no letter is due that could be sent.
pub fn letters_are_sent(peek: &mut Peek) -> Res<()> {
    let start = Instant::now();
    loop {
        let query = format!(
            "SELECT count(*) FROM outbox WHERE status = 'queued' AND next_attempt_at <= '{}'",
            fill::now().format("%F %T")
        );
        if peek.number(&query)? == 0 {
            return Ok(());
        }
        if start.elapsed() > LETTERS_MAY_TAKE {
            return Err("the letters that are due are not sent".into());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Marks the letters of the filling as sent: they are no part of what is measured.
pub fn forget_letters(peek: &mut Peek) -> Res<()> {
    peek.run("UPDATE outbox SET status = 'sent', finished_at = created_at WHERE status = 'queued'")
}
