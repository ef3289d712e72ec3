//! The step from an open connection to an encrypted one (STARTTLS, RFC 3207), up to where the encryption begins.
//!
//! lettre can take this step too, but only with its own idea of which certificates to believe.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use lettre::transport::smtp::client::AsyncTokioStream;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// The most a server may say before it is encrypted; real ones say a few hundred bytes.
const MOST_SAID: usize = 16 * 1024;

/// Asks the server to encrypt from here on, on a fresh connection. `hello`: the name we greet with. After `Ok` the next
/// byte in either direction belongs to the handshake; the error is a sentence for the operator's log.
pub(super) async fn ask(socket: &mut TcpStream, hello: &str) -> Result<(), String> {
    let greeting = reply(socket).await?;
    expect(&greeting, "220", "the mail server did not greet")?;
    say(socket, &format!("EHLO {hello}\r\n")).await?;
    let offers = reply(socket).await?;
    expect(&offers, "250", "the mail server refused to be greeted")?;
    let offered =
        offers.iter().any(|line| line.get(4..).is_some_and(|word| word.trim().eq_ignore_ascii_case("STARTTLS")));
    if !offered {
        return Err("the mail server does not offer STARTTLS; see mail.tls".to_owned());
    }
    say(socket, "STARTTLS\r\n").await?;
    expect(&reply(socket).await?, "220", "the mail server refused STARTTLS")
}

async fn say(socket: &mut TcpStream, line: &str) -> Result<(), String> {
    socket.write_all(line.as_bytes()).await.map_err(|error| error.to_string())
}

/// One reply, line by line. Read byte by byte so that nothing of the handshake is taken with it.
async fn reply(socket: &mut TcpStream) -> Result<Vec<String>, String> {
    let (mut lines, mut line, mut said) = (Vec::new(), Vec::new(), 0);
    loop {
        let byte = socket.read_u8().await.map_err(|error| format!("the connection broke: {error}"))?;
        said += 1;
        if said > MOST_SAID {
            return Err("the mail server said too much before it was encrypted".to_owned());
        }
        if byte != b'\n' {
            line.push(byte);
            continue;
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        line.clear();
        let more = text.as_bytes().get(3) == Some(&b'-');
        lines.push(text);
        if !more {
            return Ok(lines);
        }
    }
}

fn expect(reply: &[String], code: &str, otherwise: &str) -> Result<(), String> {
    match reply.last() {
        Some(line) if line.starts_with(code) => Ok(()),
        line => Err(format!("{otherwise}: {}", line.map_or("", String::as_str))),
    }
}

/// An encrypted socket as lettre wants to be given one. After STARTTLS a server does not greet again, but lettre waits
/// for a greeting on whatever it is given: then it reads one that is put before what the server says.
#[derive(Debug)]
pub(super) struct Encrypted {
    stream: TlsStream<TcpStream>,
    greeting: &'static [u8],
}

impl Encrypted {
    /// Encrypted from the first byte: the server greets by itself.
    pub(super) fn from_the_start(stream: TlsStream<TcpStream>) -> Encrypted {
        Encrypted { stream, greeting: b"" }
    }

    /// Encrypted after [`ask`]: the server has greeted before.
    pub(super) fn after_asking(stream: TlsStream<TcpStream>) -> Encrypted {
        Encrypted { stream, greeting: b"220 encrypted\r\n" }
    }
}

impl AsyncTokioStream for Encrypted {
    fn peer_addr(&self) -> io::Result<SocketAddr> {
        self.stream.get_ref().0.peer_addr()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if !self.greeting.is_empty() {
            let (now, later) = self.greeting.split_at(self.greeting.len().min(buffer.remaining()));
            buffer.put_slice(now);
            self.greeting = later;
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
