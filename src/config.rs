//! The settings: the built-in file, a file of the operator's, the environment, in rising order; read once,
//! checked as a whole, and passed down. Passwords never get into a log or an error message.

use std::fmt;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use lettre::message::Mailbox;

mod layers;
mod together;

use layers::Layers;

/// The settings a fresh checkout starts from, with a comment on every key.
pub const DEFAULTS: &str = include_str!("../config/default.toml");

/// All settings, checked.
#[derive(Clone, Debug)]
pub struct Config {
    /// Listening and threads.
    pub server: Server,
    /// Which database.
    pub database: Database,
    /// How letters leave.
    pub mail: Mail,
    /// What the site is called.
    pub site: Site,
    /// Data files of the games.
    pub games: Games,
    /// Who may join tables after dropping from others.
    pub joining: Joining,
    /// Leaderboards.
    pub standings: Standings,
    /// What becomes of tables.
    pub tables: Tables,
    /// Rate limits.
    pub limits: Limits,
    /// What is logged and how.
    pub log: Log,
}

/// Listening and threads.
#[derive(Clone, Debug)]
pub struct Server {
    /// Address and port to listen on; port 0 takes any free one.
    pub bind: SocketAddr,
    /// How people reach the site, without a slash at the end; `None`: `http://` and the address listened on.
    pub base_url: Option<String>,
    /// Threads that answer requests.
    pub workers: usize,
    /// Proxies of the operator's that each request passes through.
    pub trusted_proxies: usize,
}

/// Which database.
#[derive(Clone)]
pub struct Database {
    /// `sqlite:…` or `postgres:…`; may hold a password.
    pub url: String,
    /// Connections kept open at most.
    pub connections: u32,
    /// How long a single answer of the database is waited for.
    pub wait: Duration,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.url.split_once(':').map_or("", |(scheme, _)| scheme);
        f.debug_struct("Database")
            .field("url", &format_args!("{scheme}:(hidden)"))
            .field("connections", &self.connections)
            .field("wait", &self.wait)
            .finish()
    }
}

/// How letters leave.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The way out.
    pub transport: MailTransport,
    /// Sender of every letter.
    pub from: Mailbox,
}

/// The way letters take.
#[derive(Clone, Debug)]
pub enum MailTransport {
    /// One file a letter in this folder, readable by everybody on a page: for trying things out.
    Folder(PathBuf),
    /// A mail server.
    Smtp(Smtp),
}

/// A mail server and how to speak to it.
#[derive(Clone)]
pub struct Smtp {
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Encryption.
    pub tls: Tls,
    /// User and password, when it asks for them.
    pub login: Option<(String, String)>,
    /// A certificate (PEM) to trust apart from the public authorities.
    pub ca_file: Option<PathBuf>,
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Smtp")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("tls", &self.tls)
            .field("user", &self.login.as_ref().map(|(user, _)| user))
            .field("password", &self.login.as_ref().map(|_| "(hidden)"))
            .field("ca_file", &self.ca_file)
            .finish()
    }
}

/// Encryption towards the mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tls {
    /// None at all: only for a server on the same machine.
    None,
    /// Plain at first, then encrypted; refused if the server can't.
    StartTls,
    /// Encrypted from the first byte.
    Tls,
}

/// What the site is called.
#[derive(Clone, Debug)]
pub struct Site {
    /// Name on pages and in letters.
    pub name: String,
    /// Where reports of messages go.
    pub operator: Option<String>,
}

/// Data files of the games.
#[derive(Clone, Debug)]
pub struct Games {
    /// A folder of files that replace or add to the built-in ones, one folder a game in it.
    pub folder: Option<PathBuf>,
}

/// The server-wide joining rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joining {
    /// How many of the last finished or left games count.
    pub window: u32,
    /// From this many drops among them on the rule binds; 0 switches it off.
    pub drops: u32,
    /// Running games such a player may hold.
    pub running: u32,
}

/// Leaderboards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standings {
    /// Ranked games a player has to finish to be listed.
    pub least_games: u32,
}

/// What becomes of tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tables {
    /// After so many days without anybody joining a table that waits is closed; 0: never.
    pub unjoined_days: u32,
}

/// Rate limits, by address of the visitor.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Tries to sign in, a minute.
    pub sign_in_per_minute: u32,
    /// Forms that send a letter, an hour.
    pub mail_forms_per_hour: u32,
    /// Seconds in which all of a form has to arrive.
    pub body_seconds: u32,
    /// Requests of one visitor that may be under way at a time.
    pub unfinished_requests: u32,
}

/// What is logged and how.
#[derive(Clone, Debug)]
pub struct Log {
    /// Layout of a line.
    pub format: LogFormat,
    /// Levels, as `tracing` filters are written.
    pub filter: String,
}

/// Layout of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Everything that is wrong with the settings, one sentence each.
#[derive(Debug, thiserror::Error)]
#[error("the settings are wrong:\n{}", .0.iter().map(|fault| format!("  {fault}")).collect::<Vec<_>>().join("\n"))]
pub struct ConfigFaults(pub Vec<String>);

impl Config {
    /// Reads the built-in settings, then `file`, then `environment`. Every fault is reported, not just the first.
    pub fn read(
        file: Option<&Path>,
        environment: impl Iterator<Item = (String, String)>,
    ) -> Result<Config, ConfigFaults> {
        let mut layers = Layers::built_in();
        if let Some(path) = file {
            match std::fs::read_to_string(path) {
                Ok(text) => layers.add_file(&path.display().to_string(), &text),
                Err(error) => layers.fault(format!("the settings file {} cannot be read: {error}", path.display())),
            }
        }
        layers.add_environment(environment);
        let config = check(&mut layers);
        match (config, layers.into_faults()) {
            (Some(config), faults) if faults.is_empty() => Ok(config),
            (_, faults) => Err(ConfigFaults(faults)),
        }
    }

    /// The built-in settings changed by `changes`, written as a settings file.
    pub fn with(changes: &str) -> Result<Config, ConfigFaults> {
        let mut layers = Layers::built_in();
        layers.add_file("changes", changes);
        let config = check(&mut layers);
        match (config, layers.into_faults()) {
            (Some(config), faults) if faults.is_empty() => Ok(config),
            (_, faults) => Err(ConfigFaults(faults)),
        }
    }
}

/// Takes every key once. A key with a fault returns `None`, and the rest is still looked at.
fn check(layers: &mut Layers) -> Option<Config> {
    let server = server(layers);
    let database = database(layers);
    let mail = mail(layers);
    let name =
        layers.text("site", "name", "a name of 1 to 40 characters", |text| (1..=40).contains(&text.chars().count()));
    let operator = layers.text("site", "operator", "nothing, or a mail address such as me@play.example", |text| {
        text.is_empty() || text.parse::<lettre::Address>().is_ok()
    });
    let folder = layers.text("games", "folder", "nothing, or a folder that exists", |text| {
        text.is_empty() || Path::new(text).is_dir()
    });
    let joining = joining(layers);
    let least_games = number(layers, "standings", "least_games", 1..=10_000);
    let unjoined_days = number(layers, "tables", "unjoined_days", 0..=3650);
    let sign_in = number(layers, "limits", "sign_in_per_minute", 1..=1_000_000);
    let mail_forms = number(layers, "limits", "mail_forms_per_hour", 1..=1_000_000);
    let body_seconds = number(layers, "limits", "body_seconds", 1..=600);
    let unfinished = number(layers, "limits", "unfinished_requests", 1..=10_000);
    let format = log_format_of(layers);
    let filter =
        layers.text("log", "filter", "a level, a list of levels by part such as info,stardate=debug, or off", |text| {
            !text.trim().is_empty() && tracing_subscriber::EnvFilter::builder().parse(text).is_ok()
        });
    if let (Some(server), Some(mail)) = (&server, &mail) {
        together::server_and_mail(layers, server, mail);
    }
    Some(Config {
        server: server?,
        database: database?,
        mail: mail?,
        site: Site { name: name?, operator: operator.map(|text| (!text.is_empty()).then_some(text))? },
        games: Games { folder: folder.map(|text| (!text.is_empty()).then(|| PathBuf::from(text)))? },
        joining: joining?,
        standings: Standings { least_games: least_games? },
        tables: Tables { unjoined_days: unjoined_days? },
        limits: Limits {
            sign_in_per_minute: sign_in?,
            mail_forms_per_hour: mail_forms?,
            body_seconds: body_seconds?,
            unfinished_requests: unfinished?,
        },
        log: Log { format: format?, filter: filter? },
    })
}

fn server(layers: &mut Layers) -> Option<Server> {
    let bind = layers.text("server", "bind", "an IP address and a port, such as 127.0.0.1:8080", |text| {
        text.parse::<SocketAddr>().is_ok()
    });
    let base_url = layers.checked("server", "base_url", |text| match text {
        "" => Ok(()),
        text => together::base_url(text),
    });
    let workers = number(layers, "server", "workers", 1..=64);
    let trusted_proxies = number(layers, "server", "trusted_proxies", 0..=10);
    Some(Server {
        bind: bind?.parse().ok()?,
        base_url: base_url.map(|url| (!url.is_empty()).then_some(url))?,
        workers: workers? as usize,
        trusted_proxies: trusted_proxies? as usize,
    })
}

fn database(layers: &mut Layers) -> Option<Database> {
    let url = layers.checked_secret("database", "url", together::database_url);
    let connections = number(layers, "database", "connections", 1..=200);
    let wait_s = number(layers, "database", "wait_s", 1..=60);
    Some(Database { url: url?, connections: connections?, wait: Duration::from_secs(u64::from(wait_s?)) })
}

fn mail(layers: &mut Layers) -> Option<Mail> {
    let smtp = layers.one_of("mail", "transport", &[("folder", false), ("smtp", true)]);
    let folder = layers.text("mail", "folder", "a folder", |text| !text.is_empty());
    let host = layers.text("mail", "host", "the name of a mail server", |text| {
        !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c == '/')
    });
    let port = number(layers, "mail", "port", 1..=65_535);
    let tls = layers.one_of("mail", "tls", &[("none", Tls::None), ("starttls", Tls::StartTls), ("tls", Tls::Tls)]);
    let user = layers.text("mail", "user", "a user's name", |_| true);
    let password = layers.secret("mail", "password", "a password", |_| true);
    let ca_file = layers.checked("mail", "ca_file", |text| match text {
        "" => Ok(()),
        path => together::certificates(Path::new(path)),
    });
    let from = layers.text("mail", "from", "a sender such as Stardate <stardate@play.example>", |text| {
        text.parse::<Mailbox>().is_ok()
    });
    let (user, password) = (user?, password?);
    if user.is_empty() && !password.is_empty() {
        layers.refuse("mail", "user", "a password is set without a user; name the user it belongs to");
    }
    if !user.is_empty() && password.is_empty() {
        let variable = variable("mail", "password");
        let sentence = format!("mail.user is set without a password; set {variable}, or leave mail.user empty");
        layers.refuse("mail", "password", &sentence);
    }
    let transport = if smtp? {
        let login = (!user.is_empty()).then_some((user, password));
        let ca_file = ca_file.map(|text| (!text.is_empty()).then(|| PathBuf::from(text)))?;
        MailTransport::Smtp(Smtp { host: host?, port: u16::try_from(port?).ok()?, tls: tls?, login, ca_file })
    } else {
        MailTransport::Folder(PathBuf::from(folder?))
    };
    Some(Mail { transport, from: from?.parse().ok()? })
}

fn joining(layers: &mut Layers) -> Option<Joining> {
    let window = number(layers, "joining", "window", 1..=1000);
    let drops = number(layers, "joining", "drops", 0..=1000);
    let running = number(layers, "joining", "running", 0..=1000);
    let (window, drops) = (window?, drops?);
    if drops > window {
        layers.refuse(
            "joining",
            "drops",
            &format!("expected at most joining.window, which is {window}, found {drops}"),
        );
    }
    Some(Joining { window, drops, running: running? })
}

fn number(layers: &mut Layers, section: &str, key: &str, range: RangeInclusive<u32>) -> Option<u32> {
    let wide = i64::from(*range.start())..=i64::from(*range.end());
    layers.whole(section, key, wide).and_then(|value| u32::try_from(value).ok())
}

/// Name of a key in the environment: `STARDATE_DATABASE__URL`.
fn variable(section: &str, key: &str) -> String {
    format!("STARDATE_{}__{}", section.to_uppercase(), key.to_uppercase())
}

/// The variables of this process that are meant for Stardate. What is not Unicode in one is read as a mark, so that
/// the fault names the variable instead of ending the process.
pub fn environment() -> impl Iterator<Item = (String, String)> {
    std::env::vars_os()
        .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()))
        .filter(|(name, _)| name.starts_with("STARDATE_"))
}

/// The layout of log lines as far as it can be told when the settings are refused: start-up errors go where the
/// operator's machines read them.
pub fn log_format(file: Option<&Path>, environment: impl Iterator<Item = (String, String)>) -> LogFormat {
    let mut layers = Layers::built_in();
    if let Some(text) = file.and_then(|path| std::fs::read_to_string(path).ok()) {
        layers.add_file("", &text);
    }
    layers.add_environment(environment);
    log_format_of(&mut layers).unwrap_or(LogFormat::Text)
}

fn log_format_of(layers: &mut Layers) -> Option<LogFormat> {
    layers.one_of("log", "format", &[("text", LogFormat::Text), ("json", LogFormat::Json)])
}
