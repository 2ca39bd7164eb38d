//! Runs a test over many seeds: a fixed number of them in the normal test command, or for as long
//! as one likes.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "how much was tried, and how to repeat a failure, is what one wants to know"
)]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use fastrand::Rng;

/// Names the environment variable with the seconds that each fuzzer runs, instead of its number of
/// cases.
pub const SECONDS_VARIABLE: &str = "PTX_FUZZ_SECONDS";
/// Names the environment variable with the seed of the first case, which repeats a failure.
pub const SEED_VARIABLE: &str = "PTX_FUZZ_SEED";

/// Runs `case` with the seeds 0, 1, 2 … `count`, and says how many there were.
///
/// With [`SECONDS_VARIABLE`] it runs that long, and on seeds that differ from run to run unless
/// [`SEED_VARIABLE`] names the first.
pub fn fuzz(name: &str, count: u64, mut case: impl FnMut(&mut Rng)) {
    let seconds = variable(SECONDS_VARIABLE).map(Duration::from_secs);
    let first = variable(SEED_VARIABLE).unwrap_or_else(|| match seconds {
        Some(_) => now(),
        None => 0,
    });
    let start = Instant::now();
    let mut cases = 0;
    while seconds.map_or(cases < count, |limit| start.elapsed() < limit) {
        let seed = first.wrapping_add(cases);
        let announce = Announce { name, seed };
        case(&mut Rng::with_seed(seed));
        drop(announce);
        cases += 1;
    }
    println!(
        "{name}: {cases} cases in {:.1} s, from seed {first}",
        start.elapsed().as_secs_f64()
    );
}

fn variable(name: &str) -> Option<u64> {
    let value = std::env::var(name).ok()?;
    Some(
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name} is not a number")),
    )
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |it| it.as_secs())
}

/// Names the seed when its case panics.
struct Announce<'a> {
    name: &'a str,
    seed: u64,
}

impl Drop for Announce<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}: {SEED_VARIABLE}={} repeats this", self.name, self.seed);
        }
    }
}
