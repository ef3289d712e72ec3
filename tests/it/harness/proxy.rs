//! A stretch of wire before PostgreSQL that a test can cut, or take single answers from.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What happens to what is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Wire {
    /// It arrives.
    Sound = 0,
    /// It is taken and kept until the wire is sound again, as with a server that was stopped.
    Silent = 1,
    /// The next COMMIT of a write arrives; then the connection ends without the answer. Sound afterwards.
    LosesAnswer = 2,
    /// The connection ends before the next COMMIT of a write arrives. Sound afterwards.
    LosesCommit = 3,
    /// The next COMMIT of a write arrives; from then on the wire is silent.
    SilentAfterCommit = 4,
}

struct Shared {
    wire: AtomicU8,
    last_commit_ms: AtomicU64,
    begun: Instant,
    closed: AtomicBool,
}

/// The proxy. Ends with its test.
pub struct Proxy {
    /// The address of the database through it.
    pub url: String,
    shared: Arc<Shared>,
}

impl Proxy {
    /// Before the PostgreSQL at this address.
    pub fn before(url: &str) -> Proxy {
        let (start, rest) = url.split_once('@').expect("an address with a user");
        let (server, name) = rest.split_once('/').expect("an address with a name");
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{start}@{}/{name}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            wire: AtomicU8::new(Wire::Sound as u8),
            last_commit_ms: AtomicU64::new(0),
            begun: Instant::now(),
            closed: AtomicBool::new(false),
        });
        let (server, all) = (server.to_owned(), Arc::clone(&shared));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if all.closed.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(server) = TcpStream::connect(&server) else { return };
                join(client, server, &all);
            }
        });
        Proxy { url, shared }
    }

    /// Changes what happens from now on.
    pub fn becomes(&self, wire: Wire) {
        self.shared.wire.store(wire as u8, Ordering::SeqCst);
    }

    /// Whether the next COMMIT has come that the wire waited for.
    pub fn has_struck(&self) -> bool {
        matches!(self.shared.wire.load(Ordering::SeqCst), 0 | 1)
    }

    /// Waits until no write has been committed for a moment: the loops have nothing to do.
    pub fn wait_until_quiet(&self) {
        loop {
            let now = self.shared.begun.elapsed();
            let last = Duration::from_millis(self.shared.last_commit_ms.load(Ordering::SeqCst));
            if now.saturating_sub(last) > Duration::from_millis(700) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::SeqCst);
        self.becomes(Wire::Sound);
    }
}

impl Shared {
    fn is(&self, wire: Wire) -> bool {
        self.wire.load(Ordering::SeqCst) == wire as u8
    }

    fn strikes(&self, wire: Wire, then: Wire) -> bool {
        self.wire.compare_exchange(wire as u8, then as u8, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

fn join(client: TcpStream, server: TcpStream, shared: &Arc<Shared>) {
    let deaf = Arc::new(AtomicBool::new(false));
    for stream in [&client, &server] {
        stream.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        stream.set_nodelay(true).unwrap();
    }
    let (from_client, to_server) = (client.try_clone().unwrap(), server.try_clone().unwrap());
    let (all, deafened) = (Arc::clone(shared), Arc::clone(&deaf));
    std::thread::spawn(move || there(from_client, to_server, &all, &deafened));
    let all = Arc::clone(shared);
    std::thread::spawn(move || back(server, client, &all, &deaf));
}

fn read(from: &mut TcpStream, buffer: &mut [u8], shared: &Shared) -> Option<usize> {
    loop {
        if shared.closed.load(Ordering::SeqCst) {
            return None;
        }
        match from.read(buffer) {
            Ok(0) => return None,
            Ok(count) => return Some(count),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return None,
        }
    }
}

fn wait_while_silent(shared: &Shared) {
    while shared.is(Wire::Silent) && !shared.closed.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What the server is sent.
fn there(mut client: TcpStream, mut server: TcpStream, shared: &Shared, deaf: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    let mut writes = false;
    while let Some(count) = read(&mut client, &mut buffer, shared) {
        let bytes = &buffer[..count];
        let holds = |text: &[u8]| bytes.windows(text.len()).any(|part| part == text);
        wait_while_silent(shared);
        if holds(b"BEGIN") {
            writes = !holds(b"READ ONLY");
        }
        if writes && holds(b"COMMIT\0") {
            let now = u64::try_from(shared.begun.elapsed().as_millis()).unwrap();
            shared.last_commit_ms.store(now, Ordering::SeqCst);
            if shared.strikes(Wire::LosesCommit, Wire::Sound) {
                break;
            }
            if shared.strikes(Wire::LosesAnswer, Wire::Sound) {
                deaf.store(true, Ordering::SeqCst);
            } else {
                // Silent before the COMMIT goes out, so that its answer cannot slip through.
                shared.strikes(Wire::SilentAfterCommit, Wire::Silent);
            }
        }
        if server.write_all(bytes).is_err() {
            break;
        }
    }
    let _ = (server.shutdown(Shutdown::Both), client.shutdown(Shutdown::Both));
}

/// What the server answers.
fn back(mut server: TcpStream, mut client: TcpStream, shared: &Shared, deaf: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    while let Some(count) = read(&mut server, &mut buffer, shared) {
        wait_while_silent(shared);
        if deaf.load(Ordering::SeqCst) || client.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = (server.shutdown(Shutdown::Both), client.shutdown(Shutdown::Both));
}
