//! A mail server that does at each step what a test tells it: refuse, hang, hang up, talk nonsense.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Where in a conversation the server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    Greeting,
    Hello,
    /// Comes only if the client has a user and a password.
    SignIn,
    Sender,
    Recipient,
    Data,
    /// The whole letter has come.
    Content,
}

/// All steps of a client without a password, in order.
pub const STEPS: [Step; 6] = [Step::Greeting, Step::Hello, Step::Sender, Step::Recipient, Step::Data, Step::Content];

/// A step that has come to the server.
#[derive(Clone, Debug)]
pub struct Moment {
    pub step: Step,
    /// The recipient's name before the @, once it is known.
    pub to: String,
}

/// What the server does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// What a good server does.
    Go,
    /// This answer instead.
    Say(&'static str),
    /// Nothing, until the other side hangs up.
    Hang,
    /// Hangs up.
    HangUp,
    /// Takes the letter and hangs up before it says so.
    TakeAndHangUp,
    /// What no mail server says.
    Babble,
    /// A line without an end.
    Endless,
    /// Half an answer, and nothing more.
    Half,
}

type Script = Box<dyn FnMut(&Moment) -> Act + Send>;

/// What the server has seen.
#[derive(Default)]
struct Seen {
    script: Option<Script>,
    /// Recipient and text of each letter it took, in order.
    taken: Vec<(String, String)>,
    moments: Vec<Moment>,
}

struct Shared {
    seen: Mutex<Seen>,
    changed: Condvar,
    stop: AtomicBool,
    connections: AtomicUsize,
}

/// A running server.
pub struct Scripted {
    port: u16,
    shared: Arc<Shared>,
}

/// The longest a test waits for something to happen.
const PATIENCE: Duration = Duration::from_secs(60);

impl Scripted {
    /// Starts a server that does what `script` says. The script runs under a lock and must not wait.
    pub fn start(script: impl FnMut(&Moment) -> Act + Send + 'static) -> Scripted {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            seen: Mutex::default(),
            changed: Condvar::new(),
            stop: AtomicBool::new(false),
            connections: AtomicUsize::new(0),
        });
        let server = Scripted { port, shared: Arc::clone(&shared) };
        server.play(script);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if shared.stop.load(Ordering::SeqCst) {
                    return;
                }
                let (Ok(stream), shared) = (stream, Arc::clone(&shared)) else { continue };
                std::thread::spawn(move || {
                    shared.connections.fetch_add(1, Ordering::SeqCst);
                    // The other side may be gone at any time.
                    let _ = Conversation { shared, to: String::new(), stream }.hold();
                });
            }
        });
        server
    }

    /// From now on it does what `script` says.
    pub fn play(&self, script: impl FnMut(&Moment) -> Act + Send + 'static) {
        self.shared.seen.lock().unwrap().script = Some(Box::new(script));
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Recipient and text of each letter it took, in order.
    pub fn taken(&self) -> Vec<(String, String)> {
        self.shared.seen.lock().unwrap().taken.clone()
    }

    /// The recipients of the letters it took, in order.
    pub fn taken_by(&self) -> Vec<String> {
        self.taken().into_iter().map(|(to, _)| to).collect()
    }

    /// How often a letter to this recipient came to this step.
    pub fn times(&self, step: Step, to: &str) -> usize {
        let seen = self.shared.seen.lock().unwrap();
        seen.moments.iter().filter(|moment| moment.step == step && moment.to == to).count()
    }

    /// How often any letter came to this step.
    pub fn count(&self, step: Step) -> usize {
        self.shared.seen.lock().unwrap().moments.iter().filter(|moment| moment.step == step).count()
    }

    /// Waits until letters have come to this step so many times.
    pub fn wait_for_count(&self, step: Step, count: usize) {
        self.wait_until(|seen| seen.moments.iter().filter(|moment| moment.step == step).count() >= count);
    }

    /// Waits until a letter to this recipient has come to this step.
    pub fn wait_for(&self, step: Step, to: &str) {
        self.wait_until(|seen| seen.moments.iter().any(|moment| moment.step == step && moment.to == to));
    }

    /// Waits until it has taken so many letters.
    pub fn wait_for_taken(&self, count: usize) {
        self.wait_until(|seen| seen.taken.len() >= count);
    }

    fn wait_until(&self, done: impl Fn(&Seen) -> bool) {
        let seen = self.shared.seen.lock().unwrap();
        let (seen, late) = self.shared.changed.wait_timeout_while(seen, PATIENCE, |seen| !done(seen)).unwrap();
        assert!(!late.timed_out(), "it did not come to that: {:?}, {:?}", seen.taken, seen.moments);
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // Wakes the listener.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

struct Conversation {
    shared: Arc<Shared>,
    to: String,
    stream: TcpStream,
}

impl Conversation {
    fn hold(mut self) -> std::io::Result<()> {
        let mut lines = BufReader::new(self.stream.try_clone()?);
        self.step(Step::Greeting, "220 scripted", None)?;
        loop {
            let line = read_line(&mut lines)?;
            let verb = line.to_ascii_uppercase();
            if verb.starts_with("EHLO") {
                self.step(Step::Hello, "250-scripted\r\n250-AUTH PLAIN\r\n250 8BITMIME", None)?;
            } else if verb.starts_with("AUTH") {
                self.step(Step::SignIn, "235 welcome", None)?;
            } else if verb.starts_with("MAIL") {
                self.to.clear();
                self.step(Step::Sender, "250 OK", None)?;
            } else if verb.starts_with("RCPT") {
                let name = line.split(['<', '@']).nth(1).unwrap_or_default();
                name.clone_into(&mut self.to);
                self.step(Step::Recipient, "250 OK", None)?;
            } else if verb.starts_with("DATA") {
                if self.step(Step::Data, "354 go on", None)? {
                    let letter = read_letter(&mut lines)?;
                    self.step(Step::Content, "250 taken", Some(letter))?;
                }
            } else if verb.starts_with("QUIT") {
                self.say("221 bye")?;
                return Ok(());
            } else {
                self.say("250 OK")?;
            }
        }
    }

    /// Does what the script says; returns whether that was what a good server does. An error ends the conversation.
    fn step(&mut self, step: Step, good: &str, letter: Option<String>) -> std::io::Result<bool> {
        let moment = Moment { step, to: self.to.clone() };
        let act = {
            let mut seen = self.shared.seen.lock().unwrap();
            seen.moments.push(moment.clone());
            let act = seen.script.as_mut().map_or(Act::Go, |script| script(&moment));
            if let (Some(letter), Act::Go | Act::TakeAndHangUp) = (letter, &act) {
                seen.taken.push((self.to.clone(), letter));
            }
            act
        };
        self.shared.changed.notify_all();
        match act {
            Act::Go => self.say(good).map(|()| true),
            Act::Say(answer) => self.say(answer).map(|()| false),
            Act::HangUp | Act::TakeAndHangUp => Err(ErrorKind::ConnectionAborted.into()),
            Act::Hang => self.wait_for_the_end(),
            Act::Half => {
                self.stream.write_all(b"25")?;
                self.wait_for_the_end()
            }
            Act::Babble => self.say("\u{1b}[2J hello? who \u{202e}is there").map(|()| false),
            Act::Endless => loop {
                self.stream.write_all(&[b'x'; 8192])?;
            },
        }
    }

    fn say(&mut self, line: &str) -> std::io::Result<()> {
        self.stream.write_all(format!("{line}\r\n").as_bytes())
    }

    fn wait_for_the_end(&mut self) -> std::io::Result<bool> {
        let mut rest = [0; 512];
        while self.stream.read(&mut rest)? > 0 {}
        Err(ErrorKind::ConnectionAborted.into())
    }
}

fn read_line(lines: &mut impl BufRead) -> std::io::Result<String> {
    let mut line = String::new();
    match lines.read_line(&mut line)? {
        0 => Err(ErrorKind::UnexpectedEof.into()),
        _ => Ok(line.trim_end().to_owned()),
    }
}

fn read_letter(lines: &mut impl BufRead) -> std::io::Result<String> {
    let mut letter = String::new();
    loop {
        let line = read_line(lines)?;
        if line == "." {
            return Ok(letter);
        }
        letter.push_str(&line);
        letter.push('\n');
    }
}
