//! Problems that exist only because a statement is not finished wait until the edits have left it.

#![expect(clippy::print_stdout, reason = "the shares are what one wants to know")]

use ptx_tests::client::TestServer;
use serde_json::{Value, json};

use crate::{KERNEL, URI};

/// A client with the settings of a new user.
fn writer(capabilities: Value) -> TestServer {
    let mut server = TestServer::start();
    server.initialize(json!({
        "capabilities": capabilities,
        "initializationOptions": { "diagnostics": { "quietWhileTyping": true, "debounce": 0 } },
    }));
    server
}

/// The lines on which there is something wrong.
fn lines(diagnostics: &[Value]) -> Vec<u64> {
    diagnostics
        .iter()
        .filter_map(|it| it["range"]["start"]["line"].as_u64())
        .collect()
}

#[test]
fn an_unfinished_statement_is_told_after_a_pause() {
    let mut server = writer(json!({}));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.edit(URI, (10, 4), (10, 4), "add.s32 %r2, %r1\n    ");
    server.edit(URI, (10, 20), (10, 20), ", %r");
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    // Nothing else happens, and then it is shown.
    assert_eq!(lines(&server.diagnostics(URI)), [10]);
}

#[test]
fn leaving_the_statement_tells_it_at_once() {
    let mut server = writer(json!({}));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.edit(URI, (10, 23), (10, 24), "");
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.edit(URI, (2, 16), (2, 16), " ");
    assert_eq!(lines(&server.diagnostics(URI)), [10]);
}

#[test]
fn saving_tells_everything() {
    let mut server = writer(json!({}));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.edit(URI, (10, 23), (10, 24), "");
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    server.notify(
        "textDocument/didSave",
        json!({ "textDocument": { "uri": URI } }),
    );
    assert_eq!(lines(&server.diagnostics(URI)), [10]);
}

#[test]
fn clients_that_ask_are_told_to_ask_again() {
    let mut server = writer(json!({
        "textDocument": { "diagnostic": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    }));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.pull_diagnostics(URI)), [0; 0]);
    server.edit(URI, (10, 23), (10, 24), "");
    assert_eq!(lines(&server.pull_diagnostics(URI)), [0; 0]);
    while !(server.server_requests.iter()).any(|it| it == "workspace/diagnostic/refresh") {
        server.has_notification("");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(lines(&server.pull_diagnostics(URI)), [10]);
}

#[test]
fn whoever_cannot_be_told_later_is_told_at_once() {
    let mut server = writer(json!({ "textDocument": { "diagnostic": {} } }));
    server.open(URI, KERNEL);
    server.edit(URI, (10, 23), (10, 24), "");
    assert_eq!(lines(&server.pull_diagnostics(URI)), [10]);
}

/// Every line of a right file is written again, key by key.
#[test]
fn typing_what_is_right_is_calm() {
    let mut server = writer(json!({}));
    server.open(URI, KERNEL);
    assert_eq!(lines(&server.diagnostics(URI)), [0; 0]);
    let (mut keys, mut own, mut others) = (0, 0, Vec::new());
    for (number, line) in (0..).zip(KERNEL.lines()) {
        let length = u32::try_from(line.len()).expect("a short line");
        server.edit(URI, (number, 0), (number, length), "");
        server.diagnostics(URI);
        for (column, key) in (0..).zip(line.chars()) {
            server.edit(URI, (number, column), (number, column), &key.to_string());
            keys += 1;
            for found in lines(&server.diagnostics(URI)) {
                match found == u64::from(number) {
                    true => own += 1,
                    false => others.push((number, column, found)),
                }
            }
        }
    }
    println!(
        "{keys} keys, {own} problems in the line itself, {} in others",
        others.len()
    );
    // A machine that stands still for a second between two keys lets everything be told.
    assert!(others.len() * 50 <= keys, "{keys} keys: {others:?}");
    assert!(own * 4 <= keys, "{own} of {keys}");
}

/// Names the environment variable with a right file, or several with spaces between them, whose lines are written again.
const FILES_VARIABLE: &str = "PTX_TYPING";
/// Lines of each file that are written again.
const MOST_LINES: usize = 80;

/// The same with real files: the shares of key states with a problem on the line itself and on innocent lines, and how long
/// after the last key a slip is shown.
#[test]
fn typing_in_real_files_is_calm() {
    let Some(files) = std::env::var_os(FILES_VARIABLE) else {
        return;
    };
    for file in files.to_string_lossy().split_whitespace() {
        let text = std::fs::read_to_string(file).expect("a file that can be read");
        let all: Vec<&str> = text.lines().collect();
        let mut server = writer(json!({}));
        server.open(URI, &text);
        let before = lines(&server.diagnostics(URI));
        let (mut keys, mut own, mut others, mut late) = (0, 0, 0, Vec::new());
        let step = all.len().div_ceil(MOST_LINES);
        for (number, line) in (0_u32..).zip(&all).step_by(step) {
            if line.trim().is_empty() || !line.is_ascii() {
                continue;
            }
            let length = u32::try_from(line.len()).expect("a short line");
            server.edit(URI, (number, 0), (number, length), "");
            server.diagnostics(URI);
            for (column, key) in (0..).zip(line.chars()) {
                server.edit(URI, (number, column), (number, column), &key.to_string());
                let found = lines(&server.diagnostics(URI));
                keys += 1;
                own += usize::from(found.contains(&u64::from(number)));
                let is_innocent = |it: &u64| *it != u64::from(number) && !before.contains(it);
                others += usize::from(found.iter().any(is_innocent));
            }
            // A slip: the end of a statement is taken back, and nothing else happens. A prototype needs no end.
            if !line.trim_end().ends_with(';') || line.contains(".func") || late.len() >= 10 {
                continue;
            }
            let end = u32::try_from(line.trim_end().len()).expect("a short line");
            let start = std::time::Instant::now();
            server.edit(URI, (number, end - 1), (number, end), "");
            while !server.diagnostics(URI).iter().any(|it| it["severity"] == 1) {}
            late.push(start.elapsed());
            server.edit(URI, (number, end - 1), (number, end - 1), ";");
            server.diagnostics(URI);
        }
        let percent = |it: usize| 100.0 * it as f64 / f64::from(keys.max(1));
        late.sort_unstable();
        println!(
            "{file}: {keys} keys, {:.1} % with a problem on the line itself, {:.2} % on an innocent one, slips told after {:?} (median) and {:?} (at most)",
            percent(own),
            percent(others),
            late.get(late.len() / 2).copied().unwrap_or_default(),
            late.last().copied().unwrap_or_default(),
        );
        assert!(
            percent(own) <= 25.0 && percent(others) <= 0.5,
            "{own} and {others} of {keys}"
        );
    }
}
