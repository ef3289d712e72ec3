//! A client of HTTP/1.1 that costs little: one blocking connection, one request in flight.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// The longest an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection that is kept alive.
pub struct Client {
    address: SocketAddr,
    stream: Option<TcpStream>,
    /// What has arrived, from the first byte of the answer on.
    arrived: Vec<u8>,
    body: Vec<u8>,
}

/// An answer; what it holds is overwritten by the next one.
pub struct Answer<'a> {
    /// Its status.
    pub status: u16,
    head: &'a str,
    /// Its body without the marks of chunks, compressed if the server has done so.
    pub body: &'a [u8],
}

impl Answer<'_> {
    /// The value of the first header of this name.
    pub fn header<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.headers(name).next()
    }

    /// The values of all headers of this name.
    pub fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        headers(self.head, name)
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.body).into_owned()
    }
}

fn headers<'a>(head: &'a str, name: &'a str) -> impl Iterator<Item = &'a str> {
    head.lines().skip(1).filter_map(move |line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

impl Client {
    /// A client of this server; the connection is made with the first request.
    pub fn new(address: SocketAddr) -> Client {
        Client { address, stream: None, arrived: Vec::new(), body: Vec::new() }
    }

    /// Sends a request and reads the whole answer.
    pub fn send(&mut self, request: &[u8]) -> io::Result<Answer<'_>> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => {
                let stream = TcpStream::connect(self.address)?;
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(PATIENCE))?;
                stream
            }
        };
        stream.write_all(request)?;
        let (status, head_end, keeps) = self.read(&mut stream)?;
        if keeps {
            self.stream = Some(stream);
        }
        let head = std::str::from_utf8(&self.arrived[..head_end]).map_err(|_| bad("the head is no text"))?;
        Ok(Answer { status, head, body: &self.body })
    }

    fn read(&mut self, stream: &mut TcpStream) -> io::Result<(u16, usize, bool)> {
        self.arrived.clear();
        self.body.clear();
        let head_end = loop {
            if let Some(at) = find(&self.arrived, b"\r\n\r\n") {
                break at;
            }
            self.more(stream)?;
        };
        let head = std::str::from_utf8(&self.arrived[..head_end]).map_err(|_| bad("the head is no text"))?;
        let status = head.split(' ').nth(1).and_then(|text| text.parse().ok()).ok_or_else(|| bad("no status"))?;
        let keeps = headers(head, "connection").all(|value| !value.eq_ignore_ascii_case("close"));
        let length = headers(head, "content-length").next().and_then(|text| text.parse::<usize>().ok());
        let chunked = headers(head, "transfer-encoding").any(|value| value.eq_ignore_ascii_case("chunked"));
        let start = head_end + 4;
        match length {
            _ if status == 204 || status == 304 => {}
            _ if chunked => self.read_chunks(stream, start)?,
            Some(length) => {
                while self.arrived.len() < start + length {
                    self.more(stream)?;
                }
                self.body.extend_from_slice(&self.arrived[start..start + length]);
            }
            None => return Err(bad("an answer of unknown length")),
        }
        Ok((status, head_end, keeps))
    }

    fn read_chunks(&mut self, stream: &mut TcpStream, mut at: usize) -> io::Result<()> {
        loop {
            let line_end = loop {
                match find(&self.arrived[at..], b"\r\n") {
                    Some(end) => break at + end,
                    None => self.more(stream)?,
                }
            };
            let line = std::str::from_utf8(&self.arrived[at..line_end]).map_err(|_| bad("no length of a chunk"))?;
            let length = usize::from_str_radix(line.trim(), 16).map_err(|_| bad("no length of a chunk"))?;
            let start = line_end + 2;
            while self.arrived.len() < start + length + 2 {
                self.more(stream)?;
            }
            if length == 0 {
                return Ok(());
            }
            self.body.extend_from_slice(&self.arrived[start..start + length]);
            at = start + length + 2;
        }
    }

    fn more(&mut self, stream: &mut TcpStream) -> io::Result<()> {
        let had = self.arrived.len();
        self.arrived.resize(had + 16 * 1024, 0);
        let got = stream.read(&mut self.arrived[had..]);
        self.arrived.truncate(had + *got.as_ref().unwrap_or(&0));
        match got? {
            0 => Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
            _ => Ok(()),
        }
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

fn bad(why: &str) -> io::Error {
    io::Error::other(why.to_owned())
}

/// A request for a page. `cookies` as the header holds them, empty for none; `more`: further header lines, each
/// with its line end.
pub fn get(path: &str, cookies: &str, more: &str) -> Vec<u8> {
    let cookies = if cookies.is_empty() { String::new() } else { format!("Cookie: {cookies}\r\n") };
    format!("GET {path} HTTP/1.1\r\nHost: play.example\r\n{cookies}{more}\r\n").into_bytes()
}

/// A form that is sent.
pub fn post(path: &str, cookies: &str, fields: &[(&str, &str)]) -> Vec<u8> {
    let fields: Vec<String> =
        fields.iter().map(|(name, value)| format!("{}={}", percent(name), percent(value))).collect();
    let body = fields.join("&");
    format!(
        "POST {path} HTTP/1.1\r\nHost: play.example\r\nCookie: {cookies}\r\n\
         Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The value of the hidden or filled field of this name in a page; the first there is.
pub fn field(page: &str, name: &str) -> Option<String> {
    let tag = page.split('<').find(|tag| tag.starts_with("input") && tag.contains(&format!("name=\"{name}\"")))?;
    Some(tag.split("value=\"").nth(1)?.split('"').next()?.to_owned())
}
