//! Faults outside the server: clients that die or do not read, and files that are not
//! what they seem.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use ptx_tests::{
    binary,
    client::{TestServer, place, read_message},
};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::{KERNEL, URI, assert_text};

/// A module with one function of this name.
fn module(name: &str) -> String {
    format!(".version 8.0\n.target sm_80\n.visible .func {name}()\n{{\n    ret;\n}}\n")
}

/// A server with this folder as its workspace.
fn server_in(folder: &Path) -> TestServer {
    let mut server = TestServer::start();
    server.initialize(json!({ "rootUri": uri(folder), "capabilities": {} }));
    server
}

fn uri(path: &Path) -> String {
    let path = path.to_string_lossy().replace('\\', "/");
    let slash = if path.starts_with('/') { "" } else { "/" };
    format!("file://{slash}{path}")
}

/// Names of the functions that the workspace has, sorted.
fn functions(server: &mut TestServer) -> Vec<String> {
    let found = server.settled("workspace/symbol", &json!({ "query": "" }));
    let mut names: Vec<String> = found
        .as_array()
        .expect("a list")
        .iter()
        .map(|it| it["name"].as_str().expect("a name").to_owned())
        .collect();
    names.sort();
    names
}

/// Waits until the workspace has these functions.
#[track_caller]
fn expect_functions(server: &mut TestServer, expected: &[&str]) {
    let start = Instant::now();
    while functions(server) != expected {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{:?} instead of {expected:?}",
            functions(server)
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn files_changed(server: &mut TestServer, path: &Path, kind: u8) {
    let changes = json!({ "changes": [{ "uri": uri(path), "type": kind }] });
    server.notify("workspace/didChangeWatchedFiles", changes);
}

#[test]
fn an_open_document_wins_over_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.ptx");
    std::fs::write(&path, module("on_disk")).expect("a file");
    let mut server = server_in(folder.path());
    expect_functions(&mut server, &["on_disk"]);
    server.open(&uri(&path), &module("open"));
    // The file changes, goes away and comes back while it is open.
    for (text, kind) in [(Some("changed"), 2), (None, 3), (Some("again"), 1)] {
        match text {
            Some(name) => std::fs::write(&path, module(name)).expect("a file"),
            None => std::fs::remove_file(&path).expect("a file"),
        }
        files_changed(&mut server, &path, kind);
        assert_eq!(functions(&mut server), ["open"]);
        assert_text(&mut server, &uri(&path), &module("open"));
    }
    server.close(&uri(&path));
    expect_functions(&mut server, &["again"]);
    std::fs::remove_file(&path).expect("a file");
    files_changed(&mut server, &path, 3);
    expect_functions(&mut server, &[]);
}

#[test]
fn files_that_are_no_texts_do_no_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("a file");
    };
    write("good.ptx", module("good").as_bytes());
    write("empty.ptx", b"");
    write(
        "mark.ptx",
        format!("\u{feff}{}", module("behind_mark")).as_bytes(),
    );
    write(
        "ends.ptx",
        module("line_ends").replace('\n', "\r\n").as_bytes(),
    );
    let latin1 = [b"// caf\xe9\n".as_slice(), module("latin1").as_bytes()].concat();
    write("latin1.ptx", &latin1);
    let utf16: Vec<u8> = module("utf16")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    write("utf16.ptx", &utf16);
    write(
        "binary.ptx",
        &(0..=255).cycle().take(5_000).collect::<Vec<u8>>(),
    );
    write("none.txt", module("none").as_bytes());
    std::fs::create_dir(folder.path().join("folder.ptx")).expect("a folder");
    let mut server = server_in(folder.path());
    expect_functions(&mut server, &["behind_mark", "good", "latin1", "line_ends"]);
}

#[cfg(unix)]
#[test]
fn odd_entries_of_folders_do_no_harm() {
    use std::os::unix::{ffi::OsStrExt, fs::symlink};
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("deep")).expect("a folder");
    std::fs::write(at("deep/good.ptx"), module("good")).expect("a file");
    // Links to themselves, to a folder above, and to nothing.
    symlink(at("loop.ptx"), at("loop.ptx")).expect("a link");
    symlink(at("two.ptx"), at("one.ptx")).expect("a link");
    symlink(at("one.ptx"), at("two.ptx")).expect("a link");
    symlink(folder.path(), at("deep/up")).expect("a link");
    symlink(at("nowhere"), at("dangling.ptx")).expect("a link");
    // A name that is not text, where the file system allows it.
    let strange = std::ffi::OsStr::from_bytes(b"\xff\xfe.ptx");
    let is_written = std::fs::write(folder.path().join(strange), module("strange")).is_ok();
    // Reading a pipe would never end.
    let pipe = Command::new("mkfifo").arg(at("pipe.ptx")).status();
    assert!(pipe.is_ok_and(|it| it.success()));
    // A file and a folder that may not be read; root may.
    std::fs::write(at("secret.ptx"), module("secret")).expect("a file");
    std::fs::create_dir(at("closed")).expect("a folder");
    std::fs::write(at("closed/inside.ptx"), module("inside")).expect("a file");
    let forbid = |name: &str, mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        std::fs::set_permissions(at(name), mode).expect("permissions");
    };
    forbid("secret.ptx", 0o000);
    forbid("closed", 0o000);
    let may_read = std::fs::read(at("secret.ptx")).is_ok();

    let mut expected = vec!["good"];
    if may_read {
        expected.extend(["inside", "secret"]);
    }
    if is_written {
        expected.push("strange");
    }
    expected.sort_unstable();
    let mut server = server_in(folder.path());
    expect_functions(&mut server, &expected);
    // They may be opened, all the same.
    server.open(&uri(&at("loop.ptx")), KERNEL);
    assert_text(&mut server, &uri(&at("loop.ptx")), KERNEL);
    server.close(&uri(&at("loop.ptx")));
    expect_functions(&mut server, &expected);
    forbid("closed", 0o700);
}

#[test]
fn a_folder_that_is_not_there_is_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = server_in(&folder.path().join("nowhere"));
    server.open(URI, KERNEL);
    assert_eq!(functions(&mut server), ["scale"]);
}

/// The process that the client says it is ends, and the stream stays open, as it does when the
/// client has other children that inherited it.
#[test]
fn the_end_of_the_client_is_noticed() {
    let sleep = if cfg!(windows) {
        ("ping", "-n 60 localhost")
    } else {
        ("sleep", "60")
    };
    let mut client = Command::new(sleep.0)
        .args(sleep.1.split(' '))
        .stdout(std::process::Stdio::null())
        .spawn()
        .expect("a process that waits");
    let mut server = TestServer::spawn(&binary::build("dev"), &[]);
    server.initialize(json!({ "processId": client.id(), "capabilities": {} }));
    server.open(URI, KERNEL);
    assert!(server.hover(URI, 8, 14).contains("%r<4>"));
    client.kill().expect("a process of ours");
    client.wait().expect("its end");
    assert_eq!(server.exit_status(), 1);
}

/// Where nothing can be written, there is no log, and all else is as usual.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_the_log_only() {
    let arguments = ["lsp", "--log-file", "/dev/full", "--log-level", "trace"];
    let mut server = TestServer::spawn(&binary::build("dev"), &arguments);
    server.initialize(json!({ "capabilities": {} }));
    server.open(URI, KERNEL);
    for _ in 0..20 {
        server.edit(URI, (0, 0), (0, 0), "\n");
        server.edit(URI, (0, 0), (1, 0), "");
    }
    assert_text(&mut server, URI, KERNEL);
}

/// No file can grow, so neither the log nor the text for `ptxas` can be written: that is said where it
/// matters, and all else is as usual.
#[cfg(target_os = "linux")]
#[test]
fn files_that_cannot_be_written_cost_what_needs_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (log, ptxas) = (at("log"), at("ptxas"));
    let script = "#!/bin/sh\necho 'release 13.5, V13.5.37'\n";
    std::fs::write(&ptxas, script).expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&ptxas, mode).expect("permissions");
    let program = binary::build("dev").display().to_string();
    let limited = "trap '' XFSZ; ulimit -f 0; exec \"$0\" \"$@\"";
    let arguments = ["-c", limited, &program, "lsp", "--log-level", "trace"];
    let mut server = TestServer::spawn(
        Path::new("sh"),
        &[&arguments[..], &["--log-file", &log]].concat(),
    );
    let options = json!({ "trusted": true, "ptxas": { "path": ptxas } });
    server.initialize(json!({ "capabilities": {}, "initializationOptions": options }));
    server.open(URI, KERNEL);
    assert_text(&mut server, URI, KERNEL);
    let run = json!({ "textDocument": { "uri": URI } });
    let failed = server.request("ptx/runPtxas", run);
    let error = failed.expect_err("no text for ptxas");
    assert_eq!(error.code, ptx_tests::client::RpcError::REQUEST_FAILED);
    assert!(error.message.contains("too large"), "{error:?}");
    assert!(server.hover(URI, 8, 14).contains("%r<4>"));
    let written = std::fs::metadata(&log).expect("the log");
    assert_eq!(written.len(), 0);
}

/// A client starts a server again that was killed, and shows it its documents as they are now: nothing is
/// lost, and nothing of the killed one is left.
#[test]
fn a_server_that_was_killed_is_replaced_without_a_loss() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a.ptx");
    std::fs::write(&path, module("on_disk")).expect("a file");
    let program = binary::build("dev");
    let start = || {
        let mut server = TestServer::spawn(&program, &[]);
        server.initialize(json!({ "rootUri": uri(folder.path()), "capabilities": {} }));
        server
    };
    let mut killed = start();
    killed.open(&uri(&path), &module("open"));
    let mut text = module("open");
    for count in 0..200 {
        killed.edit(&uri(&path), (0, 0), (0, 0), &format!("// {count}\n"));
        text.insert_str(0, &format!("// {count}\n"));
    }
    // In the middle of its work, and of a message.
    killed.send_request("textDocument/documentSymbol", place(&uri(&path), 0, 0));
    killed.send_bytes(b"Content-Length: 100\r\n\r\n{\"jsonrpc\":");
    killed.kill();
    let mut server = start();
    server.open(&uri(&path), &text);
    assert_text(&mut server, &uri(&path), &text);
    assert_eq!(functions(&mut server), ["open"]);
    // The file is as it was: only the editor writes it.
    let on_disk = std::fs::read_to_string(&path).expect("the file");
    assert_eq!(on_disk, module("on_disk"));
    let entries = std::fs::read_dir(folder.path()).expect("the folder");
    assert_eq!(entries.count(), 1);
}

/// The queue for a client that does not read does not grow with its edits.
#[test]
fn a_slow_reader_gets_every_answer_and_the_last_diagnostics() {
    const ROUNDS: i64 = 300;
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        // Hardly anything fits into the stream to the client.
        let (mut input, reader) = tokio::io::duplex(1 << 20);
        let (writer, mut output) = tokio::io::duplex(256);
        let serving = tokio::spawn(server::serve(reader, writer));
        let mut send = async |message: Value| {
            let body = message.to_string();
            let bytes = format!("Content-Length: {}\r\n\r\n{body}", body.len());
            input.write_all(bytes.as_bytes()).await.expect("a reader");
        };
        let notification =
            |method: &str, params: Value| json!({ "jsonrpc": "2.0", "method": method, "params": params });
        let request = |id: i64, method: &str, params: Value| {
            json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
        };
        let initialize = json!({
            "capabilities": {}, "initializationOptions": { "diagnostics": { "debounce": 0 } },
        });
        send(request(-1, "initialize", initialize)).await;
        send(notification("initialized", json!({}))).await;
        // A text with many problems.
        let text = format!("{KERNEL}{}", "nonsense;\n".repeat(300));
        let document = json!({ "uri": URI, "languageId": "ptx", "version": 0, "text": text });
        send(notification("textDocument/didOpen", json!({ "textDocument": document }))).await;
        for version in 1..=ROUNDS {
            let params = json!({
                "textDocument": { "uri": URI, "version": version },
                "contentChanges": [ptx_tests::client::change((0, 0), (0, 0), "\n")],
            });
            send(notification("textDocument/didChange", params)).await;
            send(request(version, "textDocument/documentSymbol", place(URI, 0, 0))).await;
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let mut answered = 0;
        let mut published = 0;
        loop {
            let message = tokio::time::timeout(Duration::from_secs(60), read_message(&mut output))
                .await
                .expect("a message in time")
                .expect("a server that runs");
            answered += i64::from(message.get("id").is_some());
            if message["method"] == "textDocument/publishDiagnostics" {
                published += 1;
                if message["params"]["version"] == ROUNDS {
                    break;
                }
            }
        }
        // All but the last answers may come before the last diagnostics.
        while answered < ROUNDS + 1 {
            let message = read_message(&mut output).await.expect("a server that runs");
            answered += i64::from(message.get("id").is_some());
        }
        // Those that were overtaken while the client did not read are not sent.
        assert!(published < 20, "{published}");
        drop(input);
        assert_eq!(serving.await.expect("no panic"), 1);
    });
}
