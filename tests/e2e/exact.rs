//! `ptxas` in the background: when it runs, what becomes of its words, and when it may not run.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use ptx_tests::client::TestServer;
use serde_json::{Value, json};

const TEXT: &str = "\
.version 8.5
.target sm_80
.address_size 64
.entry k()
{
    .reg .b32 %r<3>;
    mov.u32 %r1, 1;
    add.u32 %r2, %r1, 2;
    ret;
}
";
/// How long programs may take here that are not to be waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// A workspace, and a stand-in for `ptxas` outside it.
struct World(tempfile::TempDir);

impl World {
    /// The script of the program; `@` is the folder of the test.
    fn new(script: &str) -> World {
        let world = World(tempfile::tempdir().expect("a folder"));
        fs::create_dir(world.at("open")).expect("a folder");
        world.program("ptxas", script);
        world
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn program(&self, name: &str, script: &str) {
        let script = format!(
            "#!/bin/sh
case $1 in
--version) echo 'release 13.5, V13.5.37'; exit 0 ;;
--help) echo \"'sm_80'\"; exit 0 ;;
esac
pwd > @/folder
echo run >> @/runs
{script}"
        );
        let script = script.replace('@', &self.0.path().display().to_string());
        // By another process: a file that some process has open for writing cannot be run.
        let mut shell = Command::new("sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(self.at(name))
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut input = shell.stdin.take().expect("it is piped");
        std::io::Write::write_all(&mut input, script.as_bytes()).expect("a shell that reads");
        drop(input);
        assert!(shell.wait().expect("an end").success());
    }

    fn uri(&self) -> String {
        format!("file://{}/a.ptx", self.at("open").display())
    }

    /// A server with the workspace open, whose settings name a program.
    fn server(&self, trusted: Option<bool>, path: &Path, capabilities: &Value) -> TestServer {
        let mut options = json!({ "ptxas": { "path": path, "timeout": 60 } });
        if let Some(trusted) = trusted {
            options["trusted"] = json!(trusted);
        }
        self.start(&options, capabilities)
    }

    fn start(&self, options: &Value, capabilities: &Value) -> TestServer {
        let mut server = TestServer::start();
        server.initialize(json!({
            "rootUri": format!("file://{}", self.at("open").display()),
            "capabilities": capabilities,
            "initializationOptions": options,
        }));
        server.open(&self.uri(), TEXT);
        server
    }

    fn trusted(&self) -> TestServer {
        self.server(Some(true), &self.at("ptxas"), &json!({}))
    }

    /// How often the program was run on a text.
    fn runs(&self) -> usize {
        let runs = fs::read_to_string(self.at("runs"));
        runs.map_or(0, |it| it.lines().count())
    }

    fn wait_for_runs(&self, runs: usize) {
        let start = Instant::now();
        while self.runs() < runs {
            assert!(start.elapsed() < PATIENCE, "there are {} runs", self.runs());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn save(&self, server: &mut TestServer) {
        let params = json!({ "textDocument": { "uri": self.uri() } });
        server.notify("textDocument/didSave", params);
    }

    fn run(&self, server: &mut TestServer) -> Result<Value, String> {
        let params = json!({ "textDocument": { "uri": self.uri() } });
        let answer = server.request("ptx/runPtxas", params);
        answer.map_err(|it| it.message)
    }

    /// Waits until the diagnostics are these, shown as `LINE:COLUMN SOURCE MESSAGE`, lines from 1.
    fn expect(&self, server: &mut TestServer, expected: &[&str]) {
        let start = Instant::now();
        loop {
            let diagnostics = server.diagnostics(&self.uri());
            let shown = show(&diagnostics);
            if shown == expected {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{shown:#?}");
        }
    }

    fn folder(&self) -> PathBuf {
        let folder = fs::read_to_string(self.at("folder")).expect("the program has run");
        PathBuf::from(folder.trim())
    }
}

/// The diagnostics other than our own hints about style.
fn show(diagnostics: &[Value]) -> Vec<String> {
    let all = diagnostics.iter();
    let bad = all.filter(|it| it["severity"].as_u64().is_some_and(|it| it <= 2));
    bad.map(show_one).collect()
}

fn show_one(diagnostic: &Value) -> String {
    let start = &diagnostic["range"]["start"];
    let text = |name: &str| diagnostic[name].as_str().unwrap_or_default().to_owned();
    let line = start["line"].as_u64().expect("a line") + 1;
    let column = start["character"].as_u64().expect("a column") + 1;
    let message = text("message");
    let message = message.lines().next().unwrap_or_default();
    format!("{line}:{column} {} {message}", text("source"))
}

/// Warns of the line with the `add`, and gives figures.
const WARNS: &str = "\
line=$(grep -n add.u32 input.ptx | cut -d: -f1)
cat >&2 <<END
ptxas input.ptx, line $line; warning : Instruction 'add' is odd
ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Used 24 registers, used 0 barriers, 128 bytes smem
END
";
const HANGS: &str = "sleep 1000";
const ODD: &str = "8:5 ptxas Instruction 'add' is odd";

#[test]
fn messages_come_on_save_and_go_with_their_lines() {
    let world = World::new(WARNS);
    let mut server = world.trusted();
    world.expect(&mut server, &[]);
    assert_eq!(world.runs(), 0, "opening runs nothing");
    world.save(&mut server);
    world.expect(&mut server, &[ODD]);
    // Lines before it move it, and other lines leave it alone.
    server.edit(&world.uri(), (0, 0), (0, 0), "// one\n// two\n");
    world.expect(&mut server, &["10:5 ptxas Instruction 'add' is odd"]);
    server.edit(&world.uri(), (8, 17), (8, 18), "7");
    world.expect(&mut server, &["10:5 ptxas Instruction 'add' is odd"]);
    // The line itself does not.
    server.edit(&world.uri(), (9, 22), (9, 23), "3");
    world.expect(&mut server, &[]);
    server.edit(&world.uri(), (9, 22), (9, 23), "2");
    world.expect(&mut server, &["10:5 ptxas Instruction 'add' is odd"]);
    assert_eq!(world.runs(), 1);
    world.save(&mut server);
    world.wait_for_runs(2);
    // It has the page of its code.
    server.edit(&world.uri(), (0, 0), (0, 2), "//");
    let diagnostics = server.diagnostics(&world.uri());
    let ours = diagnostics.iter().find(|it| it["source"] == "ptxas");
    let ours = ours.expect("the message");
    assert_eq!(
        (&ours["code"], &ours["severity"]),
        (&json!("ptxas"), &json!(2))
    );
}

#[test]
fn what_is_known_already_is_not_said_twice() {
    let world = World::new(
        "echo \"ptxas input.ptx, line 8; error   : Unknown symbol '%r9'\" >&2
         echo \"ptxas input.ptx, line 7; error   : Only ptxas knows\" >&2
         echo 'ptxas fatal   : Ptx assembly aborted due to errors' >&2
         exit 255",
    );
    let mut server = world.trusted();
    server.edit(&world.uri(), (7, 17), (7, 20), "%r9");
    world.save(&mut server);
    world.expect(
        &mut server,
        &[
            "7:5 ptxas Only ptxas knows",
            "8:18 ptx-analyzer `%r9` is not declared",
        ],
    );
}

#[test]
fn it_runs_on_request_with_an_answer() {
    let world = World::new(WARNS);
    let mut server = world.trusted();
    let expected = json!({
        "release": "13.5.37", "target": "sm_80", "errors": 0, "warnings": 1,
        "entries": [{
            "name": "k", "registers": 24, "spillStores": 0, "spillLoads": 0, "stack": 0, "shared": 128,
            "lines": [],
        }],
    });
    let hover = server.hover(&world.uri(), 3, 7);
    assert!(hover.contains("About 4 registers"), "{hover}");
    assert_eq!(world.run(&mut server), Ok(expected.clone()));
    world.expect(&mut server, &[ODD]);
    let hover = server.hover(&world.uri(), 3, 7);
    let figures = "✓ 24 registers on sm_80 by ptxas, no spills: 64 of 64 warps";
    assert!(hover.contains(figures), "{hover}");
    for arguments in [json!([]), json!([world.uri()])] {
        let params = json!({ "command": "ptx/runPtxas", "arguments": arguments });
        let answer = server.request("workspace/executeCommand", params);
        assert_eq!(answer, Ok(json!([expected])));
        let shown = server.notification("window/showMessage");
        let words = "ptxas 13.5.37 for sm_80: k 24 registers, 1 warning";
        assert_eq!(shown, json!({ "type": 3, "message": words }));
    }
    let unknown = json!({ "textDocument": { "uri": "file:///nowhere/b.ptx" } });
    let answer = server.request("ptx/runPtxas", unknown);
    assert_eq!(
        answer.expect_err("no document").message,
        "the document is not open"
    );
    let unknown = json!({ "command": "ptx/runSomething" });
    assert!(server.request("workspace/executeCommand", unknown).is_err());
}

#[test]
fn clients_that_ask_are_told_to_ask_again() {
    let world = World::new(WARNS);
    let capabilities = json!({
        "textDocument": { "diagnostic": {} },
        "workspace": { "diagnostics": { "refreshSupport": true } },
    });
    let mut server = world.server(Some(true), &world.at("ptxas"), &capabilities);
    assert_eq!(show(&server.pull_diagnostics(&world.uri())), [""; 0]);
    world.run(&mut server).expect("a result");
    while !server
        .server_requests
        .iter()
        .any(|it| it == "workspace/diagnostic/refresh")
    {
        server.has_notification("");
        std::thread::sleep(Duration::from_millis(5));
    }
    let shown = show(&server.pull_diagnostics(&world.uri()));
    assert_eq!(shown, [ODD]);
}

/// Saves, and checks that nothing is run and why.
#[track_caller]
fn assert_refused(world: &World, server: &mut TestServer, state: &str, reason: &str) {
    world.save(server);
    assert_eq!(world.run(server), Err(reason.to_owned()));
    let status = server
        .request("ptx/serverStatus", Value::Null)
        .expect("a status");
    assert_eq!(status["ptxas"]["state"], state);
    assert_eq!(status["ptxas"]["reason"], reason);
    assert_eq!(world.runs(), 0);
}

#[test]
fn nothing_runs_in_a_folder_that_is_not_trusted() {
    let world = World::new(WARNS);
    let ptxas = world.at("ptxas");
    let mut server = world.server(Some(false), &ptxas, &json!({}));
    assert_refused(
        &world,
        &mut server,
        "untrusted",
        "the open folder is not trusted",
    );
    // The user may change their mind; a setting of the folder may not.
    let settings = json!({ "settings": { "trusted": true, "ptxas": { "path": ptxas } } });
    server.notify("workspace/didChangeConfiguration", settings);
    assert_refused(
        &world,
        &mut server,
        "untrusted",
        "the open folder is not trusted",
    );
    server.notify("ptx/didGrantTrust", Value::Null);
    assert!(world.run(&mut server).is_ok());
}

#[test]
fn without_a_word_on_trust_only_a_named_program_runs() {
    let world = World::new(WARNS);
    let mut server = world.start(&json!({}), &json!({}));
    assert_refused(
        &world,
        &mut server,
        "untrusted",
        "the editor does not say whether the open folder is trusted; ptxas is run if the setting \
         ptx-analyzer.ptxas.path names it",
    );
    let mut server = world.server(None, &world.at("ptxas"), &json!({}));
    assert!(world.run(&mut server).is_ok());
}

#[test]
fn nothing_runs_when_it_is_off() {
    let world = World::new(WARNS);
    let options = |enable: &str| json!({ "trusted": true, "ptxas": { "enable": enable, "path": world.at("ptxas") } });
    let mut server = world.start(&options("off"), &json!({}));
    assert_refused(
        &world,
        &mut server,
        "off",
        "the setting ptx-analyzer.ptxas.enable is off",
    );
    let mut server = world.start(&options("onRequest"), &json!({}));
    world.save(&mut server);
    assert!(world.run(&mut server).is_ok());
    assert_eq!(world.runs(), 1);
}

#[test]
fn a_program_in_the_open_folder_never_runs() {
    let world = World::new(WARNS);
    world.program("open/ptxas", WARNS);
    let inside = world.at("open/ptxas");
    let mut server = world.server(Some(true), &inside, &json!({}));
    server.expect_problems_in_log();
    let reason = format!(
        "{}: ptxas is not run, because it lies inside an open folder",
        inside.display()
    );
    assert_refused(&world, &mut server, "missing", &reason);
    // The user hears of it once.
    world.save(&mut server);
    let shown = server.notification("window/showMessage");
    assert_eq!(shown["message"], format!("Exact mode: {reason}."));
    assert!(world.run(&mut server).is_err());
    assert!(!server.has_notification("window/showMessage"));
    assert_eq!(world.runs(), 0);
}

#[test]
fn trouble_is_told_once_and_nothing_else_suffers() {
    for (script, words) in [
        (
            "kill -SEGV $$",
            "Exact mode: ptxas ended without a verdict: signal: 11",
        ),
        (
            HANGS,
            "Exact mode: ptxas took longer than 1 s and was ended. The setting",
        ),
        ("yes", "Exact mode: ptxas wrote without end and was ended."),
    ] {
        let world = World::new(script);
        let mut server = world.start(
            &json!({ "trusted": true, "ptxas": { "path": world.at("ptxas"), "timeout": 1 } }),
            &json!({}),
        );
        server.expect_problems_in_log();
        // A slow machine may not get as far as flooding within the second.
        let enough_time = json!({ "ptxas": { "path": world.at("ptxas"), "timeout": 60 } });
        if script == "yes" {
            let settings = json!({ "settings": enough_time });
            server.notify("workspace/didChangeConfiguration", settings);
        }
        world.save(&mut server);
        assert!(
            server.hover(&world.uri(), 6, 6).contains("mov"),
            "editing continues"
        );
        let shown = server.notification("window/showMessage");
        let message = shown["message"].as_str().expect("a text");
        assert!(message.starts_with(words), "{message}");
        world.save(&mut server);
        let answer = world.run(&mut server).expect_err("no result");
        assert!(words.contains(&answer[..20]), "{answer}");
        assert!(!server.has_notification("window/showMessage"));
        assert!(!world.folder().exists());
    }
}

#[test]
fn a_newer_wish_replaces_an_older_one() {
    let world = World::new(&format!("grep -q slow input.ptx && {HANGS}\n{WARNS}"));
    let mut server = world.trusted();
    server.edit(&world.uri(), (0, 0), (0, 0), "// slow\n");
    world.save(&mut server);
    world.wait_for_runs(1);
    let slow = world.folder();
    server.edit(&world.uri(), (0, 0), (1, 0), "");
    world.save(&mut server);
    world.expect(&mut server, &[ODD]);
    let start = Instant::now();
    while slow.exists() {
        assert!(start.elapsed() < PATIENCE, "the older run continues");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn closing_ends_the_run_and_takes_its_words_away() {
    let world = World::new(&format!("{WARNS}{HANGS}"));
    let mut server = world.trusted();
    let params = json!({ "textDocument": { "uri": world.uri() } });
    let id = server.send_request("ptx/runPtxas", params);
    world.wait_for_runs(1);
    server.close(&world.uri());
    let answer = server.response(id);
    assert_eq!(
        answer.expect_err("no result").message,
        "the document was closed"
    );
    let start = Instant::now();
    while world.folder().exists() {
        assert!(start.elapsed() < PATIENCE, "the run continues");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn long_runs_show_progress_and_can_be_cancelled() {
    let world = World::new(HANGS);
    let capabilities = json!({ "window": { "workDoneProgress": true } });
    let mut server = world.server(Some(true), &world.at("ptxas"), &capabilities);
    world.save(&mut server);
    let begin = loop {
        let progress = server.notification("$/progress");
        if progress["value"]["title"] == "ptxas" {
            break progress;
        }
    };
    assert_eq!(begin["value"]["kind"], "begin");
    assert_eq!(begin["value"]["message"], "a.ptx");
    let status = server
        .request("ptx/serverStatus", Value::Null)
        .expect("a status");
    assert_eq!(status["ptxas"]["running"], 1);
    let token = &begin["token"];
    server.notify("window/workDoneProgress/cancel", json!({ "token": token }));
    loop {
        let progress = server.notification("$/progress");
        if progress["token"] == *token {
            assert_eq!(progress["value"]["kind"], "end");
            break;
        }
    }
}

#[test]
fn the_end_of_the_server_ends_the_run() {
    let world = World::new(HANGS);
    let mut server = world.trusted();
    world.save(&mut server);
    world.wait_for_runs(1);
    assert_eq!(server.request("shutdown", Value::Null), Ok(Value::Null));
    server.notify("exit", Value::Null);
    assert_eq!(server.exit_status(), 0);
    assert!(!world.folder().exists());
}

/// Only with the programs that the variables `PTXAS` and `NVDISASM` name; `tests/conformance/exact-mode` fetches them.
#[test]
fn the_real_ptxas_agrees() {
    let program = |name| std::env::var_os(name).map(PathBuf::from);
    let (Some(ptxas), Some(nvdisasm)) = (program("PTXAS"), program("NVDISASM")) else {
        return;
    };
    let world = World::new("");
    let options = json!({
        "trusted": true,
        "ptxas": { "path": ptxas, "nvdisasmPath": nvdisasm, "timeout": 60 },
        "inlayHints": { "machineInstructions": true },
    });
    let mut server = world.start(&options, &json!({}));
    let kernel = include_str!("../fixtures/ptx/triton_softmax.ptx");
    server.replace(&world.uri(), kernel);
    let result = world.run(&mut server).expect("a result");
    assert_eq!(
        (&result["errors"], &result["target"]),
        (&json!(0), &json!("sm_90a"))
    );
    let entry = &result["entries"][0];
    assert_eq!(entry["name"], "softmax_kernel");
    let registers = entry["registers"].as_u64().expect("a number");
    assert!((8..=32).contains(&registers), "{registers}");
    let lines = entry["lines"].as_array().expect("a list");
    let most = lines.iter().filter_map(|it| it["live"].as_u64()).max();
    assert!(
        most.is_some_and(|it| (4..=registers).contains(&it)),
        "{most:?}"
    );
    // Each line holds an instruction, but for the start of the body, which stands for the prologue.
    let text: Vec<_> = kernel.lines().collect();
    for line in lines {
        let line = line["line"].as_u64().expect("a number");
        let line = text[usize::try_from(line).expect("a short text")];
        assert!(line.contains(';') || line.trim() == "{", "{line}");
    }
    // Hovers of statements show their machine code, and inlay hints count it if that is set.
    let (row, load) = (0..)
        .zip(&text)
        .find(|it| it.1.contains("ld.global"))
        .expect("a load");
    let column = load.find("ld.global").expect("a load");
    let hover = server
        .request(
            "textDocument/hover",
            json!({
                "textDocument": { "uri": world.uri() },
                "position": { "line": row, "character": column },
            }),
        )
        .expect("an answer");
    let hover = hover["contents"]["value"].as_str().expect("a page");
    assert!(
        hover.contains("Machine code for sm_90a") && hover.contains("LDG."),
        "{hover}"
    );
    let hints = server.request(
        "textDocument/inlayHint",
        json!({
            "textDocument": { "uri": world.uri() },
            "range": { "start": { "line": row, "character": 0 }, "end": { "line": row, "character": 9 } },
        }),
    )
    .expect("an answer");
    let is_count = |it: &Value| it["label"].as_str().is_some_and(|it| it.ends_with(" SASS"));
    assert!(
        hints.as_array().is_some_and(|it| it.iter().any(is_count)),
        "{hints}"
    );
    let code = server
        .request(
            "ptx/machineCode",
            json!({ "textDocument": { "uri": world.uri() }, "line": row, "count": 500 }),
        )
        .expect("an answer");
    assert!(
        code["opcodes"]["LDG"]
            .as_str()
            .is_some_and(|it| it.contains("global memory"))
    );
    let blocks = code["blocks"].as_array().expect("blocks");
    let counts = blocks.iter().filter_map(|it| it["count"].as_u64());
    assert_eq!(counts.sum::<u64>(), code["total"].as_u64().unwrap_or(0));
    // Code for another target is also there.
    server.replace(&world.uri(), TEXT);
    assert_eq!(world.run(&mut server).expect("a result")["errors"], 0);
    let document = json!({ "uri": world.uri() });
    let mut target_of = |method: &str, target: &str| {
        let params = json!({ "textDocument": document, "target": target });
        let answer = server.request(method, params);
        answer.map(|it| it["target"].clone())
    };
    assert_eq!(target_of("ptx/machineCode", "sm_90"), Ok(Value::Null));
    assert_eq!(target_of("ptx/runPtxas", "sm_90"), Ok(json!("sm_90")));
    assert_eq!(target_of("ptx/machineCode", "sm_90"), Ok(json!("sm_90")));
    assert!(target_of("ptx/runPtxas", "sm_1").is_err());
    assert_eq!(target_of("ptx/machineCode", "sm_90"), Ok(Value::Null));
    // What both find is said once; what only ptxas finds is at the entry.
    let shared = TEXT
        .replace(
            ".entry k()",
            ".shared .align 4 .b8 tile[65536];\n.entry k()",
        )
        .replace("mov.u32 %r1, 1", "mov.u32 %r1, tile");
    server.replace(&world.uri(), &shared);
    world.save(&mut server);
    world.expect(
        &mut server,
        &["5:8 ptx-analyzer entry `k` uses 65536 bytes of static shared memory; `sm_80` allows 49152"],
    );
    let surfaces = |line: fn(usize) -> String| (0..33).map(line).collect::<String>();
    let declared = surfaces(|it| format!(".global .surfref s{it};\n"));
    let used = surfaces(|it| format!("sust.b.1d.b32.trap [s{it}, {{%r1}}], {{%r1}};\n"));
    let many = TEXT
        .replace(".entry k()", &format!("{declared}.entry k()"))
        .replace("    ret;", &format!("{used}    ret;"));
    server.replace(&world.uri(), &many);
    world.save(&mut server);
    world.expect(
        &mut server,
        &["37:8 ptxas More than 32 surfaces used in entry function 'k'"],
    );
    let synchronizing = TEXT
        .replace("sm_80", "sm_90")
        .replace(
            ".entry k()",
            ".extern .func (.param .b32 status) cudaDeviceSynchronize;\n.entry k()",
        )
        .replace(
            "    ret;",
            "    .param .b32 status;\n    call (status), cudaDeviceSynchronize;\n    ret;",
        );
    server.replace(&world.uri(), &synchronizing);
    world.save(&mut server);
    world.expect(
        &mut server,
        &["11:20 ptxas Unsupported Function 'cudaDeviceSynchronize' on arch 'sm_90' or higher"],
    );
    server.replace(&world.uri(), &TEXT.replace("%r1, 2", "%r9, 2"));
    assert_eq!(world.run(&mut server).expect("a result")["errors"], 2);
    world.expect(&mut server, &["8:18 ptx-analyzer `%r9` is not declared"]);
}
