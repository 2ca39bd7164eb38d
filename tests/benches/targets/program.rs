//! The program as an editor and a shell use it.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use ptx_tests::client::{self, TestServer};
use serde_json::{Value, json};
use syntax::text::{Encoding, LineTable};

use crate::table::Row;

const URI: &str = "file:///ptx-analyzer-tests/bench.ptx";
/// Places at which is typed.
const PLACES: usize = 100;
/// Edits of an undo storm.
const STORM: usize = 100;
/// Lines that are pasted at once.
const PASTED: usize = 1_000;
/// Bytes of memory for a byte of a file that is not open, with what the server needs without any file.
const CLOSED: f64 = 20.0;
/// How long the server is left alone to see whether it rests.
const REST: Duration = Duration::from_secs(2);

/// Targets that depend on the text, in milliseconds and bytes per byte of source.
#[derive(Clone, Copy, Default)]
pub(crate) struct Targets {
    /// From the start of the program to the first diagnostics.
    pub(crate) cold_start: Option<f64>,
    /// From a keystroke to fresh diagnostics, p95.
    pub(crate) diagnostics: Option<f64>,
    /// From a question after a keystroke to its answer, p95.
    pub(crate) answers: Option<f64>,
    /// Memory for an open file.
    pub(crate) memory: Option<f64>,
}

/// A server that does not hold diagnostics back, so that the work is measured and not the patience.
fn start(program: &Path, folder: Option<&Path>) -> TestServer {
    start_with(program, folder, json!({ "diagnostics": { "debounce": 0 } }))
}

fn start_with(program: &Path, folder: Option<&Path>, options: Value) -> TestServer {
    let mut server = TestServer::spawn(program, &[]);
    server.initialize(json!({
        "processId": std::process::id(),
        "rootUri": folder.map(|it| format!("file://{}", it.display())),
        "capabilities": {},
        "initializationOptions": options,
    }));
    server
}

/// Measures the server on one text.
pub(crate) fn serve(program: &Path, text: &str, targets: Targets) -> Vec<Row> {
    let begin = Instant::now();
    let mut server = start(program, None);
    let ready = begin.elapsed();
    let before = resident(&server);
    let open = Instant::now();
    server.open(URI, text);
    server.diagnostics(URI);
    let first = begin.elapsed();
    // The first ones are syntax errors only, for a long text.
    let problems = server.pull_diagnostics(URI).len();
    let complete = open.elapsed();
    let after = resident(&server);
    let mut rows = vec![
        Row::new("start to the answer to initialize", millis(ready), "ms"),
        Row::new("start to first diagnostics", millis(first), "ms").at_most_if(targets.cold_start),
        Row::new("open to all diagnostics", millis(complete), "ms"),
    ];
    if let (Some(before), Some(after)) = (before, after) {
        let per_byte = (after - before).max(0.0) / text.len() as f64;
        rows.push(
            Row::new("memory per byte of source", per_byte, "bytes").at_most_if(targets.memory),
        );
    }
    rows.extend(type_everywhere(&mut server, text, problems, targets));
    rows.extend(ask_as_users_do(program, text, targets));
    rows.extend(scripts(&mut server, text));
    rows.extend(rest(&server));
    rows
}

/// Single keystrokes all over the text, and questions after them.
fn type_everywhere(
    server: &mut TestServer,
    text: &str,
    problems: usize,
    targets: Targets,
) -> Vec<Row> {
    let places = places(text);
    let mut fresh = Vec::new();
    for &place in &places {
        for (end, insert) in [(place, "1"), ((place.0, place.1 + 1), "")] {
            let start = Instant::now();
            server.edit(URI, place, end, insert);
            server.diagnostics(URI);
            fresh.push(server.arrived - start);
            let found = server.pull_diagnostics(URI).len();
            // No key is typed while the last answer is still on its way.
            settle(server);
            server.forget_notifications();
            assert!(
                !insert.is_empty() || found == problems,
                "the text is as before"
            );
        }
    }
    // Diagnostics are made at once here, so questions wait for a free processor with them.
    let hovers = ask_behind_edits(server, &places, "textDocument/hover");
    let completions = ask_behind_edits(server, &places, "textDocument/completion");
    // The diagnostics of all these edits come before the next edit's.
    server.edit(URI, (0, 0), (0, 0), "");
    server.diagnostics(URI);
    server.forget_notifications();
    let mut rows = Vec::new();
    for (what, times, target) in [
        ("keystroke to fresh diagnostics", fresh, targets.diagnostics),
        ("hover while diagnostics are made", hovers, None),
        ("completion while diagnostics are made", completions, None),
    ] {
        rows.extend(percentiles(what, times, target));
    }
    let status = server.request("ptx/serverStatus", Value::Null);
    let status = status.expect("the status");
    let turns = status["turns"]["p95"].as_f64().expect("a number");
    rows.push(Row::new("turn of the state thread, p95", turns, "ms"));
    rows
}

/// Waits until the server has nothing to do.
fn settle(server: &mut TestServer) {
    loop {
        let status = server.request("ptx/serverStatus", Value::Null);
        let status = status.expect("the status");
        if status["workersRunning"] == 0 && status["workersWaiting"] == 0 {
            return;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
}

/// Questions after keystrokes with the settings that a new user has: diagnostics wait for a pause.
fn ask_as_users_do(program: &Path, text: &str, targets: Targets) -> Vec<Row> {
    let mut server = start_with(program, None, Value::Null);
    server.open(URI, text);
    server.pull_diagnostics(URI);
    let places = places(text);
    let mut rows = Vec::new();
    for question in ["hover", "completion"] {
        let times = ask_behind_edits(&mut server, &places, &format!("textDocument/{question}"));
        let what = format!("{question} after a keystroke");
        rows.extend(percentiles(&what, times, targets.answers));
    }
    rows
}

/// How long the answer to a question takes that comes right after a keystroke.
fn ask_behind_edits(server: &mut TestServer, places: &[(u32, u32)], method: &str) -> Vec<Duration> {
    let mut times = Vec::new();
    for &place in places {
        server.edit(URI, place, place, "1");
        let start = Instant::now();
        server.settled(method, &client::place(URI, place.0, place.1));
        times.push(server.arrived - start);
        server.edit(URI, place, (place.0, place.1 + 1), "");
        // The next one is a keystroke and not two.
        server.settled("ptx/serverStatus", &Value::Null);
    }
    times
}

/// Larger changes, each measured until its diagnostics are there.
fn scripts(server: &mut TestServer, text: &str) -> Vec<Row> {
    let table = LineTable::new(text);
    let place = |offset: usize| {
        let offset = u32::try_from(offset).expect("a text shorter than 4 GiB");
        let position = table.position(offset.into(), Encoding::Utf16);
        (position.line, position.character)
    };
    let mut rows = Vec::new();
    let mut measure =
        |what: &str, server: &mut TestServer, act: &mut dyn FnMut(&mut TestServer)| {
            let start = Instant::now();
            act(server);
            server.diagnostics(URI);
            rows.push(Row::new(what, millis(start.elapsed()), "ms"));
        };

    let middle = text.floor_char_boundary(text.len() / 2);
    let line = text[..middle].rfind('\n').map_or(0, |it| it + 1);
    let at = place(line);
    let lines: String = text[line..].split_inclusive('\n').take(50).collect();
    let pasted = lines.repeat(PASTED.div_ceil(lines.lines().count().max(1)));
    let added = u32::try_from(pasted.matches('\n').count()).expect("a short text");
    measure("pasting 1,000 lines", server, &mut |server| {
        server.edit(URI, at, at, &pasted);
    });
    measure("deleting them", server, &mut |server| {
        server.edit(URI, at, (at.0 + added, at.1), "");
    });
    if let Some(brace) = text[middle..].find('}').map(|it| place(middle + it)) {
        measure("deleting a brace", server, &mut |server| {
            server.edit(URI, brace, (brace.0, brace.1 + 1), "");
        });
        measure("putting it back", server, &mut |server| {
            server.edit(URI, brace, brace, "}");
        });
    }
    let storm = places(text);
    measure("undo storm of 200 edits", server, &mut |server| {
        for place in storm.iter().cycle().take(STORM) {
            server.edit(URI, *place, *place, "1");
            server.edit(URI, *place, (place.0, place.1 + 1), "");
        }
    });
    for (what, target) in [("another target", Some("sm_100")), ("and back", None)] {
        let settings = json!({ "target": target, "diagnostics": { "debounce": 0 } });
        measure(what, server, &mut |server| {
            let settings = json!({ "settings": settings });
            server.notify("workspace/didChangeConfiguration", settings);
            server.edit(URI, (0, 0), (0, 0), "");
        });
    }
    let start = Instant::now();
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    let params = json!({ "textDocument": { "uri": URI }, "options": options });
    server.settled("textDocument/formatting", &params);
    rows.push(Row::new("formatting", millis(start.elapsed()), "ms"));
    rows
}

/// The processor time that the server takes while nothing happens.
fn rest(server: &TestServer) -> Option<Row> {
    let before = processor_time(server)?;
    std::thread::sleep(REST);
    let time = processor_time(server)? - before;
    Some(Row::new("processor time in 2 s of rest", time, "ms").at_most(10.0))
}

/// Measures the index of a folder with this many files, of `bytes` bytes together.
pub(crate) fn index(program: &Path, folder: &Path, files: usize, len: usize) -> Vec<Row> {
    let begin = Instant::now();
    let mut server = start(program, Some(folder));
    let mut waits = Vec::new();
    loop {
        let asked = Instant::now();
        let status = server.request("ptx/serverStatus", Value::Null);
        let status = status.expect("the status");
        waits.push(asked.elapsed());
        if status["files"] == files && status["indexing"] == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let mut rows = vec![Row::new(
        "start to the end of the index",
        millis(begin.elapsed()),
        "ms",
    )];
    rows.extend(percentiles("answer while it is made", waits, None));
    rows.extend(resident(&server).map(|it| Row::new("memory of the server", it / 1e6, "MB")));
    // Of files that are not open only what others see of them is kept.
    let per_byte = resident(&server).map(|it| it / len as f64);
    let row = |it| Row::new("memory per byte of source", it, "bytes").at_most(CLOSED);
    rows.extend(per_byte.map(row));
    rows
}

/// How long a command takes on a file; `{}` stands for the file, else it comes last.
pub(crate) fn command(words: &[String], file: &Path) -> Duration {
    let name = file.display().to_string();
    let mut words: Vec<String> = words.iter().map(|it| it.replace("{}", &name)).collect();
    if !words.iter().any(|it| it.contains(&name)) {
        words.push(name);
    }
    // The fastest run is the one that the rest of the machine has disturbed least.
    let run = || {
        let start = Instant::now();
        let status = Command::new(&words[0])
            .args(&words[1..])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        // Whether it likes the file is its own affair.
        status.expect("the command runs");
        start.elapsed()
    };
    let first = run();
    let more = if first < Duration::from_secs(2) { 4 } else { 0 };
    (0..more).map(|_| run()).fold(first, Duration::min)
}

fn percentiles(what: &str, mut times: Vec<Duration>, target: Option<f64>) -> Vec<Row> {
    times.sort_unstable();
    let at = |percent: usize| {
        let index = times.len() * percent / 100;
        millis(times.get(index).copied().unwrap_or_default())
    };
    vec![
        Row::new(format!("{what}, p50"), at(50), "ms"),
        Row::new(format!("{what}, p95"), at(95), "ms").at_most_if(target),
        Row::new(format!("{what}, p99"), at(99), "ms"),
    ]
}

/// Places all over the text, each after the digits of a register's name.
fn places(text: &str) -> Vec<(u32, u32)> {
    let table = LineTable::new(text);
    let step = text.len() / PLACES;
    (0..PLACES)
        .filter_map(|index| {
            let from = text.floor_char_boundary(index * step);
            let found = from + text[from..].find("%r1")? + 3;
            let offset = u32::try_from(found).expect("a text shorter than 4 GiB");
            let position = table.position(offset.into(), Encoding::Utf16);
            Some((position.line, position.character))
        })
        .collect()
}

/// Milliseconds.
pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Bytes of the server that are in memory, where the system tells.
fn resident(server: &TestServer) -> Option<f64> {
    ptx_tests::process::resident(server.process()?)
}

/// Milliseconds that the server has worked, where the system tells.
fn processor_time(server: &TestServer) -> Option<f64> {
    ptx_tests::process::worked(server.process()?)
}
