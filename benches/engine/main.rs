//! The games alone, without server and database: `cargo bench --bench engine`. What each call into a game costs on the
//! positions of whole games, then whole games among bots. With `--quick` only the calls.

mod bots;
mod calls;

fn main() {
    calls::measure();
    if !std::env::args().any(|argument| argument == "--quick") {
        bots::measure();
    }
}
