//! The real binary as a process of its own, on a free port, with its letters in a folder.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Time limit for things that take well under a second on a quiet machine.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// A running server. Killed when dropped.
pub struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT`.
    pub address: String,
    log: Arc<Mutex<Vec<String>>>,
    /// Ends when the whole log has been read.
    reader: Option<JoinHandle<()>>,
    printed: Arc<Mutex<String>>,
}

/// How to start one.
#[derive(Clone)]
pub struct Launch {
    database_url: String,
    mail_folder: PathBuf,
    variables: Vec<(String, String)>,
}

impl Launch {
    /// On this database, with letters written to this folder.
    pub fn new(database_url: &str, mail_folder: &Path) -> Launch {
        Launch {
            database_url: database_url.to_owned(),
            mail_folder: mail_folder.to_owned(),
            variables: vec![
                ("STARDATE_LIMITS__SIGN_IN_PER_MINUTE".to_owned(), "100000".to_owned()),
                ("STARDATE_LIMITS__MAIL_FORMS_PER_HOUR".to_owned(), "100000".to_owned()),
            ],
        }
    }

    /// With this variable set besides.
    pub fn with(mut self, name: &str, value: &str) -> Launch {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stardate"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("STARDATE_")) {
            command.env_remove(name);
        }
        command
            .args(arguments)
            .env("STARDATE_DATABASE__URL", &self.database_url)
            .env("STARDATE_SERVER__BIND", "127.0.0.1:0")
            .env("STARDATE_MAIL__FOLDER", &self.mail_folder)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// Runs a subcommand to its end; gives whether it went well, and what it printed.
    pub fn run_to_end(&self, arguments: &[&str]) -> (bool, String) {
        let output = self.command(arguments).output().unwrap();
        let printed = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        (output.status.success(), printed.concat())
    }

    /// Runs `stardate migrate` on the database.
    pub fn migrate(&self) {
        let output = self.command(&["migrate"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }

    /// Starts it and waits until it listens.
    pub fn start(&self) -> Server {
        self.try_start().unwrap_or_else(|log| panic!("The server did not start:\n{log}"))
    }

    /// Starts it; gives its log when it ends instead of listening.
    pub fn try_start(&self) -> Result<Server, String> {
        self.run(&["serve"])
    }

    /// Starts the demo in this folder and waits until it listens.
    pub fn start_demo(&self, folder: &Path, fresh: bool) -> Server {
        let folder = folder.display().to_string();
        let mut arguments = vec!["demo", "--folder", &folder];
        arguments.extend(fresh.then_some("--fresh"));
        self.run(&arguments).unwrap_or_else(|log| panic!("The demo did not start:\n{log}"))
    }

    fn run(&self, arguments: &[&str]) -> Result<Server, String> {
        let mut child = self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let stdout = child.stdout.take().expect("it is piped");
        let printed = Arc::new(Mutex::new(String::new()));
        let print = Arc::clone(&printed);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                print.lock().unwrap().push_str(&format!("{line}\n"));
            }
        });
        let stderr = child.stderr.take().expect("it is piped");
        let log = Arc::new(Mutex::new(Vec::new()));
        let (listening, heard) = channel();
        let lines = Arc::clone(&log);
        let reader = std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                if let Some((_, rest)) = line.split_once("listening on http://") {
                    let port: String = rest.chars().take_while(|c| !c.is_whitespace()).collect();
                    let _ = listening.send(format!("http://{}", port.trim_end_matches('.')));
                }
                lines.lock().unwrap().push(line);
            }
        });
        match heard.recv_timeout(PATIENCE) {
            Ok(address) => Ok(Server { child, address, log, reader: Some(reader), printed }),
            Err(why) => {
                if why == RecvTimeoutError::Timeout {
                    let _ = child.kill();
                }
                let _ = child.wait();
                let text = log.lock().unwrap().join("\n");
                Err(text)
            }
        }
    }
}

impl Server {
    /// SIGKILL: it has no say in this. Gives its log.
    pub fn kill(&mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.log_text()
    }

    /// SIGTERM, and waits for the end. Returns whether it ended well, and its log.
    pub fn stop(self) -> (bool, String) {
        self.stop_by("TERM")
    }

    /// The same by another signal.
    pub fn stop_by(mut self, signal: &str) -> (bool, String) {
        let sent = Command::new("kill").arg(format!("-{signal}")).arg(self.child.id().to_string()).status().unwrap();
        assert!(sent.success());
        let status = self.child.wait().unwrap();
        if let Some(reader) = self.reader.take() {
            reader.join().unwrap();
        }
        (status.success(), self.log_text())
    }

    /// How many threads it has.
    pub fn threads(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap().count()
    }

    /// What it has printed so far, besides its log.
    pub fn printed(&self) -> String {
        self.printed.lock().unwrap().clone()
    }

    /// What it has logged so far.
    pub fn log_text(&self) -> String {
        self.log.lock().unwrap().join("\n")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- log of {}\n{}\n---", self.address, self.log_text());
        }
    }
}
