//! Measures the program against its targets, from the outside, and prints a table.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench targets`, optionally with `-- FILE`; without a
//! file, 10 MB of PTX are generated. The exit status is 1 when a target is missed.

#![expect(clippy::print_stdout, reason = "a table is what this program is for")]

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use peak_alloc::PeakAlloc;
use ptx_tests::{
    binary,
    client::{self, TestServer},
    fixtures,
};
use serde_json::{Value, json};
use syntax::text::{Encoding, LineTable};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

const URI: &str = "file:///ptx-analyzer-tests/bench.ptx";
/// Keystrokes that are measured.
const KEYSTROKES: usize = 200;

/// One line of the table.
struct Row {
    what: &'static str,
    value: f64,
    unit: &'static str,
    /// The largest value that is good enough, or the smallest when `more_is_better`.
    target: Option<f64>,
    more_is_better: bool,
}

impl Row {
    fn at_most(what: &'static str, value: f64, unit: &'static str, target: f64) -> Row {
        Row {
            what,
            value,
            unit,
            target: Some(target),
            more_is_better: false,
        }
    }

    fn at_least(what: &'static str, value: f64, unit: &'static str, target: f64) -> Row {
        Row {
            what,
            value,
            unit,
            target: Some(target),
            more_is_better: true,
        }
    }

    fn information(what: &'static str, value: f64, unit: &'static str) -> Row {
        Row {
            what,
            value,
            unit,
            target: None,
            more_is_better: false,
        }
    }

    fn is_met(&self) -> bool {
        match self.target {
            Some(target) if self.more_is_better => target <= self.value,
            Some(target) => self.value <= target,
            None => true,
        }
    }
}

fn main() -> ExitCode {
    let file = std::env::args().skip(1).find(|it| !it.starts_with("--"));
    let text = match &file {
        Some(file) => std::fs::read_to_string(file).expect("a file in UTF-8"),
        None => fixtures::bench_text(),
    };
    println!(
        "{}: {:.1} MB, {} lines\n",
        file.as_deref().unwrap_or("generated"),
        megabytes(text.len()),
        LineTable::new(&text).line_count(),
    );

    let mut rows = measure_parser(&text);
    rows.extend(measure_server(&text));
    println!("{:<44} {:>12}        {:>12}", "", "measured", "target");
    for row in &rows {
        let target = row.target.map_or(String::new(), |it| {
            format!("{} {it}", if row.more_is_better { "≥" } else { "≤" })
        });
        let verdict = if row.is_met() { "" } else { "MISSED" };
        println!(
            "{:<44} {:>12.2} {:<6} {target:>12} {verdict}",
            row.what, row.value, row.unit
        );
    }
    ExitCode::from(u8::from(!rows.iter().all(Row::is_met)))
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

fn measure_parser(text: &str) -> Vec<Row> {
    let mut times = Vec::new();
    let mut tree_len = 0;
    for _ in 0..9 {
        let before = ALLOCATOR.current_usage();
        let start = Instant::now();
        let parse = syntax::parse(text);
        times.push(start.elapsed());
        tree_len = ALLOCATOR.current_usage() - before;
        drop(parse);
    }
    let speed = |time: Duration| megabytes(text.len()) / time.as_secs_f64();
    // The fastest run is the one that the rest of the machine has disturbed least.
    let fastest = speed(percentile(&mut times, 0));
    let median = speed(percentile(&mut times, 50));
    vec![
        Row::at_least("parse, fastest run", fastest, "MB/s", 40.0),
        Row::information("parse, median run", median, "MB/s"),
        Row::at_most(
            "tree per byte of source",
            tree_len as f64 / text.len() as f64,
            "bytes",
            12.0,
        ),
    ]
}

fn measure_server(text: &str) -> Vec<Row> {
    let program = binary::build("release");
    let mut server = TestServer::spawn(&program, &[]);
    // Diagnostics are not held back, so that the work is measured and not the patience.
    server.initialize(json!({
        "processId": std::process::id(),
        "capabilities": {},
        "initializationOptions": { "diagnostics": { "debounce": 0 } },
    }));

    let start = Instant::now();
    server.open(URI, text);
    server.diagnostics(URI);
    let open = start.elapsed();
    // The first ones are those of the syntax only.
    let problems = server.pull_diagnostics(URI).len();

    let mut pushed = Vec::new();
    for place in places(text) {
        for (end, insert) in [(place, "1"), ((place.0, place.1 + 1), "")] {
            let start = Instant::now();
            server.edit(URI, place, end, insert);
            let found = server.diagnostics(URI).len();
            pushed.push(start.elapsed());
            assert!(
                !insert.is_empty() || found == problems,
                "the text is as before"
            );
        }
    }

    // Each question comes right behind an edit, as it does while somebody types.
    let mut ask_behind_edits = |method: &str| {
        let mut times = Vec::new();
        for place in places(text) {
            server.edit(URI, place, place, "1");
            let start = Instant::now();
            server.settled(method, &client::place(URI, place.0, place.1));
            times.push(start.elapsed());
            server.edit(URI, place, (place.0, place.1 + 1), "");
        }
        times
    };
    let mut hovers = ask_behind_edits("textDocument/hover");
    let mut completions = ask_behind_edits("textDocument/completion");
    let status = server
        .request("ptx/serverStatus", Value::Null)
        .expect("the status");

    let millis = |it: Duration| it.as_secs_f64() * 1e3;
    vec![
        Row::at_most("open to first diagnostics", millis(open), "ms", 1500.0),
        Row::information(
            "keystroke to fresh diagnostics, p50",
            millis(percentile(&mut pushed, 50)),
            "ms",
        ),
        Row::at_most(
            "keystroke to fresh diagnostics, p95",
            millis(percentile(&mut pushed, 95)),
            "ms",
            10.0,
        ),
        Row::information(
            "hover after a keystroke, p50",
            millis(percentile(&mut hovers, 50)),
            "ms",
        ),
        Row::at_most(
            "hover after a keystroke, p95",
            millis(percentile(&mut hovers, 95)),
            "ms",
            5.0,
        ),
        Row::information(
            "completion after a keystroke, p50",
            millis(percentile(&mut completions, 50)),
            "ms",
        ),
        Row::at_most(
            "completion after a keystroke, p95",
            millis(percentile(&mut completions, 95)),
            "ms",
            5.0,
        ),
        Row::information(
            "turn of the state thread, p95",
            status["turns"]["p95"].as_f64().expect("a number"),
            "ms",
        ),
    ]
}

/// Places all over the text, each behind the digits of a register's name.
fn places(text: &str) -> Vec<(u32, u32)> {
    let table = LineTable::new(text);
    let step = text.len() / (KEYSTROKES / 2);
    (0..KEYSTROKES / 2)
        .filter_map(|index| {
            let from = text.floor_char_boundary(index * step);
            let found = from + text[from..].find("%r1")? + 3;
            let offset = u32::try_from(found).expect("a text shorter than 4 GiB");
            let position = table.position(offset.into(), Encoding::Utf16);
            Some((position.line, position.character))
        })
        .collect()
}

fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times
        .get(times.len() * percent / 100)
        .copied()
        .unwrap_or_default()
}
