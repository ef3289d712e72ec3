//! A mail server that takes every letter at once, counts it, and keeps the links that people have to open.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use super::Res;

/// The longest a letter is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// The mail server. It runs until the process ends.
#[derive(Clone)]
pub struct Sink {
    /// Where it listens.
    pub port: u16,
    letters: Arc<AtomicUsize>,
    keeps_links: bool,
    links: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Sink {
    /// Starts it. `keeps_links`: whether the links of sign-ups are wanted; else letters are only counted.
    pub fn start(keeps_links: bool) -> Res<Sink> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let sink = Sink { port, letters: Arc::default(), keeps_links, links: Arc::default() };
        let shared = sink.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let sink = shared.clone();
                // A connection that breaks off is the server's business.
                thread::spawn(move || sink.talk(stream));
            }
        });
        Ok(sink)
    }

    /// How many letters it has taken.
    pub fn letters(&self) -> usize {
        self.letters.load(Ordering::SeqCst)
    }

    /// Waits for the path of the link that confirms this address.
    pub fn link(&self, address: &str) -> Res<String> {
        let start = Instant::now();
        loop {
            if let Some(link) = self.links.lock().ok().and_then(|mut links| links.remove(address)) {
                return Ok(link);
            }
            if start.elapsed() > PATIENCE {
                return Err(format!("no letter came to {address}").into());
            }
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn talk(&self, stream: TcpStream) -> io::Result<()> {
        stream.set_nodelay(true)?;
        let mut answers = stream.try_clone()?;
        let mut lines = BufReader::new(stream);
        let (mut line, mut to) = (String::new(), String::new());
        answers.write_all(b"220 sink\r\n")?;
        loop {
            line.clear();
            if lines.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let word = line.get(..4).unwrap_or_default().to_ascii_uppercase();
            match word.as_str() {
                "RCPT" => {
                    to = line.split(['<', '>']).nth(1).unwrap_or_default().to_owned();
                    answers.write_all(b"250 ok\r\n")?;
                }
                "DATA" => {
                    answers.write_all(b"354 go on\r\n")?;
                    self.take(&mut lines, &to)?;
                    answers.write_all(b"250 taken\r\n")?;
                }
                "QUIT" => return answers.write_all(b"221 bye\r\n"),
                _ => answers.write_all(b"250 ok\r\n")?,
            }
        }
    }

    fn take(&self, lines: &mut impl BufRead, to: &str) -> io::Result<()> {
        let mut text = String::new();
        loop {
            let start = text.len();
            if lines.read_line(&mut text)? == 0 || &text[start..] == ".\r\n" {
                break;
            }
        }
        self.letters.fetch_add(1, Ordering::SeqCst);
        if !self.keeps_links {
            return Ok(());
        }
        // Quoted-printable breaks long lines.
        if let Some(rest) = text.replace("=\r\n", "").split("/confirm/").nth(1) {
            let token: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
            if let Ok(mut links) = self.links.lock() {
                links.insert(to.to_owned(), format!("/confirm/{token}"));
            }
        }
        Ok(())
    }
}
