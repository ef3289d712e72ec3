//! The mail server of the tests as a process.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use mail_parser::MessageParser;

/// Who signed the server's certificate.
pub const CA: &str = include_str!("ca.pem");

/// The certificate of a server that signed its own, as `openssl req -x509` makes them.
pub const SELF_SIGNED: &str = include_str!("own.pem");

/// The user and password that the server is started with when it asks for them.
pub const LOGIN: (&str, &str) = ("stardate", "engage");

/// A Python with aiosmtpd; `tests/run` makes one and sets this.
const PYTHON: &str = "STARDATE_TEST_PYTHON";

/// A running mail server with its mailbox.
pub struct MailServer {
    process: Option<Child>,
    port: u16,
    mailbox: tempfile::TempDir,
    certificate: &'static str,
}

impl MailServer {
    /// Starts a server on a free port with an empty mailbox.
    pub fn start(options: &[&str]) -> MailServer {
        MailServer::start_with("server", options)
    }

    /// The same, with another of the certificates that lie here.
    pub fn start_with(certificate: &'static str, options: &[&str]) -> MailServer {
        let mut server = MailServer { process: None, port: 0, mailbox: tempfile::tempdir().unwrap(), certificate };
        server.start_again(options);
        server
    }

    /// Starts it again on its port, with what is in its mailbox.
    pub fn start_again(&mut self, options: &[&str]) {
        let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/smtp");
        let mut process = Command::new(python())
            .arg(here.join("server.py"))
            .arg(self.mailbox.path())
            .args(["--port", &self.port.to_string()])
            .arg("--certificate")
            .arg(here.join(format!("{}.pem", self.certificate)))
            .arg("--key")
            .arg(here.join(format!("{}.key", self.certificate)))
            .args(options)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        self.process = Some(process);
        self.port = line.trim().parse().expect("the mail server prints its port once it listens");
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Stops it in good order.
    pub fn stop(&mut self) {
        let process = self.process.as_ref().expect("it runs");
        let stopped = Command::new("kill").arg(process.id().to_string()).status().unwrap();
        assert!(stopped.success());
        self.wait();
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.process.as_mut().expect("it runs").kill().unwrap();
        self.wait();
    }

    /// Waits for its end.
    pub fn wait(&mut self) {
        self.process.take().expect("it runs").wait().unwrap();
    }

    /// Waits until so many mails were accepted.
    pub fn wait_for_mails(&self, count: usize) {
        let give_up = Instant::now() + Duration::from_secs(60);
        while self.files().len() < count {
            assert!(Instant::now() < give_up, "only {} of {count} mails came", self.files().len());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// All mails accepted, one for every time.
    pub fn mails(&self) -> Vec<Vec<u8>> {
        self.files().iter().map(|path| std::fs::read(path).unwrap()).collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(self.mailbox.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "eml"));
        files.sort();
        files
    }

    /// The Message-IDs of all mails accepted, one for every time.
    pub fn message_ids(&self) -> Vec<String> {
        let id = |bytes: Vec<u8>| {
            let message = MessageParser::default().parse(&bytes).unwrap();
            format!("<{}>", message.message_id().unwrap())
        };
        self.mails().into_iter().map(id).collect()
    }

    /// How each greeting came: `plain` or `encrypted`.
    pub fn connections(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.mailbox.path().join("connections.log")).unwrap_or_default();
        log.lines().map(str::to_owned).collect()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            process.kill().ok();
            process.wait().ok();
        }
    }
}

/// A Python that has aiosmtpd. These tests fail without one: they are the only ones that see a mail server.
fn python() -> String {
    if let Ok(python) = std::env::var(PYTHON) {
        return python;
    }
    let has_it = Command::new("python3").args(["-c", "import aiosmtpd"]).stderr(Stdio::null()).status();
    assert!(
        has_it.is_ok_and(|status| status.success()),
        "no Python with aiosmtpd: run tests/run, or install aiosmtpd and set {PYTHON} to its Python"
    );
    "python3".to_owned()
}
