//! The real binary as a process of its own, with settings of its own.

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Res;
use super::options::Options;
use super::scratch::Scratch;

/// The longest a start may take.
const START_MAY_TAKE: Duration = Duration::from_secs(120);

/// Clock ticks a second in `/proc`: the same on every Linux that Rust runs on.
const TICKS: f64 = 100.0;

/// A running server. Stopped when dropped.
pub struct Server {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
}

impl Server {
    /// Starts it on a database and waits until it listens. Its letters go to a mail server on this port.
    pub fn start(options: &Options, scratch: &Scratch, mail_port: u16) -> Res<Server> {
        let folder = scratch.folder();
        let (settings, log) = (folder.join("settings.toml"), folder.join("log"));
        fs::write(&settings, settings_text(options, scratch, mail_port))?;
        let mut command = Command::new(options.binary());
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("STARDATE_")) {
            command.env_remove(name);
        }
        command.arg("--config").arg(&settings).stdin(Stdio::null()).stdout(Stdio::null());
        if options.postgres {
            let migrated = command_like(&command).arg("migrate").output()?;
            if !migrated.status.success() {
                return Err(String::from_utf8_lossy(&migrated.stderr).into_owned().into());
            }
        }
        let child = command.arg("serve").stderr(fs::File::create(&log)?).spawn()?;
        let mut server = Server { child, address: SocketAddr::from(([127, 0, 0, 1], 0)) };
        server.address = server.listens(&log)?;
        Ok(server)
    }

    fn listens(&mut self, log: &Path) -> Res<SocketAddr> {
        let start = Instant::now();
        loop {
            let text = fs::read_to_string(log)?;
            let said = text.split("listening on http://").nth(1).and_then(|rest| rest.split_whitespace().next());
            if let Some(address) = said {
                return Ok(address.parse()?);
            }
            if self.child.try_wait()?.is_some() || start.elapsed() > START_MAY_TAKE {
                return Err(format!("the server did not start:\n{text}").into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn proc(&self, file: &str) -> String {
        fs::read_to_string(format!("/proc/{}/{file}", self.child.id())).unwrap_or_default()
    }

    fn kilobytes(&self, key: &str) -> f64 {
        let status = self.proc("status");
        let line = status.lines().find_map(|line| line.strip_prefix(key));
        line.and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok()).unwrap_or(f64::NAN)
    }

    /// Memory that is resident, in megabytes (of 1024 kB).
    pub fn resident_mb(&self) -> f64 {
        self.kilobytes("VmRSS") / 1024.0
    }

    /// The most memory that was resident so far, in megabytes.
    pub fn peak_mb(&self) -> f64 {
        self.kilobytes("VmHWM") / 1024.0
    }

    /// The id of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        interrupt(&mut self.child);
    }
}

/// Processor time that all threads of a process have used so far.
pub fn cpu(pid: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks: f64 = fields.split_whitespace().skip(11).take(2).filter_map(|text| text.parse::<f64>().ok()).sum();
    Duration::from_secs_f64(ticks / TICKS)
}

/// Tells a process to end and waits for that.
pub fn interrupt(child: &mut Child) {
    let told = Command::new("kill").arg("-INT").arg(child.id().to_string()).status();
    let start = Instant::now();
    while told.as_ref().is_ok_and(|status| status.success()) && start.elapsed() < Duration::from_secs(50) {
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The same program with the same arguments and variables, and nothing else of it.
fn command_like(command: &Command) -> Command {
    let mut other = Command::new(command.get_program());
    other.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => drop(other.env(name, value)),
            None => drop(other.env_remove(name)),
        }
    }
    other
}

/// Settings as an operator would have them, except that nobody is held up by limits: all clients come from one network
/// address.
fn settings_text(options: &Options, scratch: &Scratch, mail_port: u16) -> String {
    format!(
        "[server]\nbind = \"127.0.0.1:0\"\nbase_url = \"http://play.example\"\nworkers = {}\n\
         [database]\nurl = \"{}\"\n\
         [mail]\ntransport = \"smtp\"\nhost = \"127.0.0.1\"\nport = {mail_port}\ntls = \"none\"\n\
         from = \"Stardate <stardate@play.example>\"\n\
         [limits]\nsign_in_per_minute = 1000000\nmail_forms_per_hour = 1000000\nunfinished_requests = 10000\n{}\n",
        options.workers,
        scratch.url(),
        options.settings
    )
}
