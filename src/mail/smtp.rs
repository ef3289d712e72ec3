//! Letters to a mail server by SMTP.
//!
//! The socket is opened here and not by lettre, because lettre leaves Nagle's algorithm on and sends the end
//! of a letter as a packet of its own: every letter would wait 44 ms for a delayed acknowledgement.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::authentication::{Credentials, Mechanism};
use lettre::transport::smtp::client::{AsyncSmtpConnection, AsyncTokioStream};
use lettre::transport::smtp::commands::{Data, Mail, Rcpt, Rset};
use lettre::transport::smtp::extension::ClientId;
use lettre::transport::smtp::response::{Response, Severity};
use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::bounded::Bounded;
use super::certificates;
use super::message::Outgoing;
use super::start_tls::{self, Encrypted};
use super::transport::Delivery;

/// How long a mail server may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For connecting, greeting, encrypting and signing in together, and for any one command.
    pub command: Duration,
    /// For a whole letter: some servers search it for viruses before they answer.
    pub content: Duration,
    /// How long a sender waits with one letter once its recipient was named. After that the letter is waited for
    /// beside the next ones.
    pub alone: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { command: Duration::from_secs(30), content: Duration::from_secs(120), alone: Duration::from_secs(5) }
    }
}

/// A connection unused for longer is not trusted: servers close them without a word.
const IDLE: Duration = Duration::from_secs(20);

/// Encryption towards the mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encryption {
    /// None.
    None,
    /// Plain at first, then encrypted; a server that can't is refused.
    StartTls,
    /// Encrypted from the first byte.
    Tls,
}

/// A mail server and how to speak to it.
#[derive(Clone)]
pub struct Server {
    /// Its name or address; the certificate must be for it.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// Encryption.
    pub encryption: Encryption,
    /// User and password, when it asks for them.
    pub login: Option<(String, String)>,
    /// Certificates (PEM) to trust as well as the public authorities, for a server with one of its own.
    pub extra_root: Option<Vec<u8>>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{} ({:?})", self.host, self.port, self.encryption)
    }
}

/// Why a server can't be spoken to like this; found at the start, not with the first letter.
#[derive(Debug, thiserror::Error)]
pub enum ServerFault {
    /// The password would be readable on the way.
    #[error(
        "mail.tls: a password would go to {0} unencrypted; use starttls or tls, or a server on this machine without one"
    )]
    OpenPassword(String),
    /// The host is no name a certificate can be for.
    #[error("mail.host: “{0}” is not the name of a server")]
    Host(String),
    /// The extra certificate.
    #[error("mail.ca_file: the certificate can't be used: {0}")]
    Root(String),
}

/// The client of one mail server, with the connections it keeps for the next letters.
pub struct Smtp {
    server: Server,
    hello: ClientId,
    tls: TlsConnector,
    name: ServerName<'static>,
    patience: Patience,
    idle: Mutex<Vec<(AsyncSmtpConnection, Instant)>>,
}

/// Where a connection comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// Kept from an earlier letter: the server may have gone since.
    Kept,
    /// Opened for this letter.
    New,
}

/// How far a letter got, which decides what a failure means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The sender was named: nothing of this letter yet, for all have the same sender.
    Sender,
    /// The recipient was named.
    Recipient,
    /// It was asked whether the letter may come.
    Data,
    /// The letter itself was handed over.
    Content,
}

/// Why a stage failed.
enum Failure {
    /// The server refused, or the connection broke.
    Said(SmtpError),
    /// Another answer than one that this stage can have.
    Odd(String),
    /// No answer in time.
    Silent,
}

/// How far a letter has got on its way to the server. Read by who calls off a sending or no longer waits for it alone.
#[derive(Debug, Default)]
pub struct Handed(watch::Sender<Reached>);

/// What the server has of a letter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Reached {
    /// Nothing: what goes wrong now would go wrong for every letter.
    #[default]
    Nothing,
    /// Its recipient was named: what goes wrong now is this letter's own.
    Recipient,
    /// The letter itself was begun.
    Letter,
}

impl Handed {
    /// Whether the letter itself has been begun, so that only the server's answer tells what becomes of it.
    pub fn is_begun(&self) -> bool {
        *self.0.borrow() == Reached::Letter
    }

    /// Waits until the recipient was named, so that what takes long now is this letter's own.
    pub(crate) async fn recipient_named(&self) {
        // It can't fail: the other end is `self`.
        let _ = self.0.subscribe().wait_for(|reached| *reached >= Reached::Recipient).await;
    }

    fn name_recipient(&self) {
        self.0.send_replace(Reached::Recipient);
    }

    pub(super) fn begin(&self) {
        self.0.send_replace(Reached::Letter);
    }
}

impl Smtp {
    /// A client for this server; nothing is connected yet. `hello` is the name we greet with.
    pub fn new(server: Server, hello: &str) -> Result<Smtp, ServerFault> {
        if server.encryption == Encryption::None && server.login.is_some() && !is_this_machine(&server.host) {
            return Err(ServerFault::OpenPassword(server.host));
        }
        let name = ServerName::try_from(server.host.clone()).map_err(|_| ServerFault::Host(server.host.clone()))?;
        let config = certificates::client_config(server.extra_root.as_deref()).map_err(ServerFault::Root)?;
        let tls = TlsConnector::from(Arc::new(config));
        let hello = ClientId::Domain(hello.to_owned());
        Ok(Smtp { server, hello, tls, name, patience: Patience::default(), idle: Mutex::default() })
    }

    /// The same client with another patience.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Smtp {
        Smtp { patience, ..self }
    }

    /// Longer than [`Smtp::send`] takes at worst: a kept connection that is silent, a new one, four commands and a
    /// reset, each to the end of its patience.
    pub(super) fn longest(&self) -> Duration {
        self.patience.command * 8 + self.patience.content
    }

    /// How long a sender waits with one letter alone: [`Patience::alone`].
    pub(super) fn alone(&self) -> Duration {
        self.patience.alone
    }

    /// Sends one letter over a kept connection or a new one.
    pub(super) async fn send(&self, letter: &Outgoing, handed: &Handed) -> Delivery {
        if let Some(connection) = self.take_idle() {
            // A server that was restarted meanwhile is noticed here, before it has anything of the letter.
            if let Some(delivery) = self.send_over(connection, letter, handed, Origin::Kept).await {
                return delivery;
            }
        }
        match timeout(self.patience.command, self.connect()).await {
            Ok(Ok(connection)) => self
                .send_over(connection, letter, handed, Origin::New)
                .await
                .unwrap_or_else(|| Delivery::ServerFault("the mail server hung up".to_owned())),
            Ok(Err(why)) => Delivery::ServerFault(format!("the mail server can't be reached: {why}")),
            Err(_) => Delivery::ServerFault(format!(
                "the mail server did not greet and let us in within {} s",
                self.patience.command.as_secs()
            )),
        }
    }

    fn take_idle(&self) -> Option<AsyncSmtpConnection> {
        let mut idle = self.idle.lock();
        while let Some((connection, since)) = idle.pop() {
            if since.elapsed() < IDLE && !connection.has_broken() {
                return Some(connection);
            }
        }
        None
    }

    async fn connect(&self) -> Result<AsyncSmtpConnection, String> {
        let socket = TcpStream::connect((self.server.host.as_str(), self.server.port)).await;
        let mut socket = socket.map_err(|error| error.to_string())?;
        socket.set_nodelay(true).map_err(|error| error.to_string())?;
        let encrypt =
            async |socket| self.tls.connect(self.name.clone(), socket).await.map_err(|error| error.to_string());
        let stream: Box<dyn AsyncTokioStream> = match self.server.encryption {
            Encryption::None => Box::new(Bounded::new(socket)),
            Encryption::Tls => Box::new(Bounded::new(Encrypted::from_the_start(encrypt(socket).await?))),
            Encryption::StartTls => {
                start_tls::ask(&mut socket, &self.hello.to_string()).await?;
                Box::new(Bounded::new(Encrypted::after_asking(encrypt(socket).await?)))
            }
        };
        let mut connection =
            AsyncSmtpConnection::connect_with_transport(stream, &self.hello).await.map_err(in_words)?;
        if let Some((user, password)) = &self.server.login {
            let credentials = Credentials::new(user.clone(), password.clone());
            connection.auth(&[Mechanism::Plain, Mechanism::Login], &credentials).await.map_err(in_words)?;
        }
        Ok(connection)
    }

    /// Sends a letter over a connection and keeps the connection if it is still good. `None`: a kept connection
    /// was of no use before the server had anything of the letter, so another one may be tried.
    async fn send_over(
        &self,
        mut connection: AsyncSmtpConnection,
        letter: &Outgoing,
        handed: &Handed,
        origin: Origin,
    ) -> Option<Delivery> {
        let (stage, failure) = match hand_over(&mut connection, letter, handed, self.patience).await {
            Ok(()) => {
                self.keep(connection);
                return Some(Delivery::Accepted);
            }
            Err(failure) => failure,
        };
        if origin == Origin::Kept && stage == Stage::Sender {
            return None;
        }
        // A server that answered lives on; the half-begun letter must be called off on its connection.
        let answered = matches!(&failure, Failure::Said(error) if error.status().is_some() && !says_goodbye(error));
        if answered && matches!(timeout(self.patience.command, connection.command(Rset)).await, Ok(Ok(_))) {
            self.keep(connection);
        }
        Some(meaning(stage, &failure))
    }

    fn keep(&self, connection: AsyncSmtpConnection) {
        self.idle.lock().push((connection, Instant::now()));
    }
}

/// The commands of one letter.
async fn hand_over(
    connection: &mut AsyncSmtpConnection,
    letter: &Outgoing,
    handed: &Handed,
    patience: Patience,
) -> Result<(), (Stage, Failure)> {
    let sender = connection.command(Mail::new(Some(letter.from.clone()), Vec::new()));
    answer(patience.command, Severity::PositiveCompletion, sender).await.map_err(|why| (Stage::Sender, why))?;
    handed.name_recipient();
    let recipient = connection.command(Rcpt::new(letter.to.clone(), Vec::new()));
    answer(patience.command, Severity::PositiveCompletion, recipient).await.map_err(|why| (Stage::Recipient, why))?;
    // Anything but “go on” here, and the letter would be read as commands.
    let data = connection.command(Data);
    answer(patience.command, Severity::PositiveIntermediate, data).await.map_err(|why| (Stage::Data, why))?;
    handed.begin();
    let content = connection.message(&letter.bytes);
    answer(patience.content, Severity::PositiveCompletion, content).await.map_err(|why| (Stage::Content, why))
}

async fn answer(
    patience: Duration,
    wanted: Severity,
    command: impl Future<Output = Result<Response, SmtpError>>,
) -> Result<(), Failure> {
    match timeout(patience, command).await {
        Ok(Ok(response)) if response.code().severity == wanted => Ok(()),
        Ok(Ok(response)) => Err(Failure::Odd(format!(
            "the mail server gave an answer out of place: {} {}",
            response.code(),
            response.first_line().unwrap_or_default()
        ))),
        Ok(Err(error)) => Err(Failure::Said(error)),
        Err(_) => Err(Failure::Silent),
    }
}

/// What a failure means for this letter and for the others. What happens before the recipient is named would happen
/// to every letter, so the server is at fault; what happens after it is the letter's own. Anyone who may have the whole
/// letter and did not say so may have accepted it.
fn meaning(stage: Stage, failure: &Failure) -> Delivery {
    let refusal = match failure {
        Failure::Said(error) if error.status().is_some() => error,
        Failure::Said(error) => return unanswered(stage, format!("the connection broke: {}", in_words_of(error))),
        Failure::Odd(why) => return unanswered(stage, why.clone()),
        Failure::Silent => return unanswered(stage, "the mail server did not answer in time".to_owned()),
    };
    let why = in_words_of(refusal);
    if stage == Stage::Sender {
        return Delivery::ServerFault(why);
    }
    if !refusal.is_permanent() || wants_login(refusal) {
        return Delivery::PutOff(why);
    }
    match stage {
        // 5.7 is policy (“relaying denied”): our own set-up may be at fault, so nobody's address is blamed yet.
        Stage::Recipient if why.contains(" 5.7.") => Delivery::PutOff(why),
        Stage::Recipient => Delivery::AddressRefused(why),
        _ => Delivery::LetterRefused(why),
    }
}

fn unanswered(stage: Stage, why: String) -> Delivery {
    match stage {
        Stage::Sender => Delivery::ServerFault(why),
        Stage::Recipient => Delivery::Hung(format!("after the recipient was named, {why}")),
        Stage::Data => Delivery::Hung(format!("before the letter itself was sent, {why}")),
        Stage::Content => Delivery::Broken(format!("after the letter was sent, {why}")),
    }
}

fn code(error: &SmtpError) -> Option<u16> {
    error.status().map(u16::from)
}

/// The server is shutting down.
fn says_goodbye(error: &SmtpError) -> bool {
    code(error) == Some(421)
}

/// The server wants a user and a password, or others than those given.
fn wants_login(error: &SmtpError) -> bool {
    matches!(code(error), Some(530 | 534 | 535 | 538))
}

fn in_words(error: SmtpError) -> String {
    in_words_of(&error)
}

/// An error with its cause, which holds the server's own words.
fn in_words_of(error: &SmtpError) -> String {
    let cause = std::error::Error::source(error).map(ToString::to_string);
    match (code(error), cause) {
        (Some(code), Some(cause)) if cause.starts_with(&code.to_string()) => cause,
        (Some(code), Some(cause)) => format!("{code} {cause}"),
        (Some(code), None) => code.to_string(),
        (None, Some(cause)) => format!("{error} ({cause})"),
        (None, None) => error.to_string(),
    }
}

fn is_this_machine(host: &str) -> bool {
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
