//! The load generator: some clients, each with one request in flight, for a fixed time.

use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

use super::Res;
use super::options::Options;
use super::server::{Server, cpu};

/// What one client does again and again.
pub trait Visit: Send {
    /// One request and its answer, from the first byte sent to the last one read. Returns the bytes of the body; an
    /// error where the answer is not the one expected.
    fn visit(&mut self) -> Res<usize>;
}

/// What a load came to.
#[derive(Debug, Default)]
pub struct Measured {
    /// Of each request that was begun and answered while it was measured, in microseconds, the shortest first.
    times: Vec<u32>,
    /// How long was measured.
    elapsed: Duration,
    /// What the server's threads have used meanwhile.
    cpu: Duration,
    /// Bytes of one body, on average.
    pub bytes: usize,
}

impl Measured {
    /// Requests a second.
    pub fn rate(&self) -> f64 {
        self.times.len() as f64 / self.elapsed.as_secs_f64()
    }

    /// The time, in milliseconds, that this share of the requests stayed within; `share` from 0 to 1.
    pub fn within(&self, share: f64) -> f64 {
        let last = self.times.len().saturating_sub(1);
        let at = (share * last as f64).round() as usize;
        self.times.get(at).map_or(f64::NAN, |micros| f64::from(*micros) / 1000.0)
    }

    /// The server's processor time for one request, in milliseconds. Unlike the rate it hardly depends on what else the
    /// machine does.
    pub fn cpu_ms(&self) -> f64 {
        self.cpu.as_secs_f64() * 1000.0 / self.times.len().max(1) as f64
    }

    /// Rate, times and cost in one line.
    pub fn words(&self) -> String {
        format!(
            "{:.0}/s, p50 {:.1} ms, p90 {:.1} ms, p99 {:.1} ms; {:.2} ms of processor each",
            self.rate(),
            self.within(0.5),
            self.within(0.9),
            self.within(0.99),
            self.cpu_ms()
        )
    }

    /// The figures by name.
    pub fn values(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("rate", self.rate()),
            ("p50_ms", self.within(0.5)),
            ("p90_ms", self.within(0.9)),
            ("p99_ms", self.within(0.99)),
            ("cpu_ms", self.cpu_ms()),
            ("bytes", self.bytes as f64),
            ("requests", self.times.len() as f64),
        ]
    }
}

/// Lets all visits go on at once for the time that the options say. Fails when any answer was not as expected.
pub fn drive<V: Visit>(options: &Options, server: &Server, visits: Vec<V>) -> Res<Measured> {
    drive_process(options, server.id(), visits)
}

/// The same against a server of this process id.
pub fn drive_process<V: Visit>(options: &Options, pid: u32, visits: Vec<V>) -> Res<Measured> {
    let warm_until = Instant::now() + options.warm();
    let until = warm_until + options.measure();
    let faults = Mutex::new(Vec::new());
    let (mut measured, mut bytes) = (Measured::default(), 0);
    thread::scope(|scope| {
        let run = |visit: V| scope.spawn(|| client(visit, warm_until, until, &faults));
        let clients: Vec<_> = visits.into_iter().map(run).collect();
        thread::sleep(warm_until.saturating_duration_since(Instant::now()));
        let (before, start) = (cpu(pid), Instant::now());
        thread::sleep(until.saturating_duration_since(Instant::now()));
        measured.cpu = cpu(pid).saturating_sub(before);
        measured.elapsed = start.elapsed();
        for client in clients {
            if let Ok((times, read)) = client.join() {
                measured.times.extend(times);
                bytes += read;
            }
        }
    });
    let faults = faults.into_inner().unwrap_or_default();
    if let Some(first) = faults.first() {
        return Err(format!("{} clients got an answer they did not expect, the first: {first}", faults.len()).into());
    }
    measured.bytes = bytes / measured.times.len().max(1);
    measured.times.sort_unstable();
    if measured.times.is_empty() { Err("no request was answered in time".into()) } else { Ok(measured) }
}

fn client(
    mut visit: impl Visit,
    warm_until: Instant,
    until: Instant,
    faults: &Mutex<Vec<String>>,
) -> (Vec<u32>, usize) {
    let (mut times, mut bytes) = (Vec::with_capacity(64 * 1024), 0);
    loop {
        let start = Instant::now();
        if start >= until {
            return (times, bytes);
        }
        match visit.visit() {
            Ok(read) if start >= warm_until && Instant::now() <= until => {
                times.push(u32::try_from(start.elapsed().as_micros()).unwrap_or(u32::MAX));
                bytes += read;
            }
            Ok(_) => {}
            Err(error) => {
                if let Ok(mut faults) = faults.lock() {
                    faults.push(error.to_string());
                }
                return (times, bytes);
            }
        }
    }
}

/// Splits pieces of work among clients, so that no two have the same.
pub fn share<T>(work: Vec<T>, clients: usize) -> Vec<Vec<T>> {
    let mut shares: Vec<Vec<T>> = (0..clients).map(|_| Vec::new()).collect();
    for (nth, piece) in work.into_iter().enumerate() {
        shares[nth % clients].push(piece);
    }
    shares.retain(|share| !share.is_empty());
    shares
}
