//! How much a test does: `tests/run` takes the short form of each, `tests/run --long` the long one.

/// Set by `tests/run --long`.
const LONG: &str = "STARDATE_TEST_LONG";

/// The number of times something is done: `short` in every run, `long` under `tests/run --long`.
pub fn times<T>(short: T, long: T) -> T {
    if std::env::var_os(LONG).is_some_and(|value| !value.is_empty()) { long } else { short }
}
