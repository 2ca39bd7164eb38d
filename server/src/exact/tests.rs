//! Programs that stand in for `ptxas` and `nvdisasm`, good and bad ones.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use session::{exact::Findings, machine_code::MachineCode};

use super::{
    compile::{Failure, Task, compile},
    find::Tools,
    jobs::{Cancel, Jobs},
};

const TEXT: &str = ".version 8.5\r\n.target sm_80\r\n.entry k() {\r\n    add.u32 x;\r\n}\r\n";
/// The answers of each `ptxas` here to questions about itself.
const INTRODUCTION: &str = "\
case $1 in
--version) echo 'Cuda compilation tools, release 13.5, V13.5.37'; exit 0 ;;
--help) echo \"Allowed values: 'compute_80','sm_75','sm_80','sm_90a'.\"; exit 0 ;;
esac
";
const FIGURES: &str = "\
cat >&2 <<END
ptxas info    : Compiling entry function 'k' for '$3'
ptxas info    : Used 24 registers, used 1 barriers, 128 bytes smem
END
";
/// Processes that a program leaves behind die with the limit, or with the program.
const SOON: Duration = Duration::from_secs(10);

/// A folder with stand-ins.
struct World(tempfile::TempDir);

impl World {
    fn new(ptxas: &str) -> World {
        let world = World(tempfile::tempdir().expect("a folder"));
        world.program("ptxas", &format!("{INTRODUCTION}{ptxas}"));
        world
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Makes a script; `@` in it is the folder of the test.
    fn program(&self, name: &str, script: &str) {
        let script = script.replace('@', &self.0.path().display().to_string());
        let path = self.at(name);
        // By another process: if this one held the file open while another test starts a program, the
        // file could not be run while that program also has the handle.
        let mut shell = Command::new("sh")
            .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .expect("a shell");
        let mut input = shell.stdin.take().expect("it is piped");
        std::io::Write::write_all(&mut input, format!("#!/bin/sh\n{script}").as_bytes())
            .expect("a shell that reads");
        drop(input);
        assert!(shell.wait().expect("an end").success());
    }

    fn tools(&self) -> Tools {
        let path = std::env::var_os("PATH").expect("a PATH");
        let nvdisasm = self.at("nvdisasm");
        Tools {
            ptxas: self.at("ptxas"),
            nvdisasm: nvdisasm.exists().then_some(nvdisasm),
            path: std::env::split_paths(&path).collect(),
        }
    }

    fn compile(&self, limit: Duration) -> Result<Findings, Failure> {
        self.compile_for("sm_80", None, limit, &Cancel::default())
    }

    fn compile_for(
        &self,
        target: &str,
        wanted: Option<&str>,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Findings, Failure> {
        let task = Task {
            tools: &self.tools(),
            text: TEXT,
            target,
            wanted,
            limit,
        };
        compile(&task, cancel)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap_or_default()
    }

    /// Waits for a file that a program writes.
    fn wait_for(&self, name: &str) -> String {
        let start = Instant::now();
        loop {
            let text = self.read(name);
            if text.ends_with('\n') {
                return text.trim().to_owned();
            }
            assert!(start.elapsed() < SOON, "{name} is not written");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Checks that the process and the private folder that a program wrote down are gone.
    fn assert_gone(&self) {
        let start = Instant::now();
        let process = self.read("process");
        let lives = || {
            let mut kill = Command::new("kill");
            kill.args(["-0", process.trim()]).stderr(Stdio::null());
            kill.status().expect("kill runs").success()
        };
        assert!(!process.is_empty());
        while lives() {
            assert!(start.elapsed() < SOON, "process {process} lives");
            thread::sleep(Duration::from_millis(5));
        }
        let folder = self.read("folder");
        assert!(!folder.is_empty() && !Path::new(folder.trim()).exists());
    }
}

/// Starts a process that would live long, and writes down which, and where.
const LEFT_BEHIND: &str = "pwd > @/folder\nsleep 1000 &\necho $! > @/process\n";

#[test]
fn figures_and_messages() {
    let world = World::new(&format!(
        "pwd > @/folder; ls > @/files; cat input.ptx > @/text; echo \"$*\" > @/arguments
         echo 'ptxas input.ptx, line 4; warning : Odd' >&2\n{FIGURES}"
    ));
    let findings = world.compile(SOON).expect("findings");
    assert_eq!(findings.release, "13.5.37");
    assert_eq!(findings.target, "sm_80");
    let messages = format!("{:?}", findings.messages);
    assert_eq!(
        messages,
        r#"[CompilerMessage { line: Some((3, "add.u32 x;")), severity: Warning, text: "Odd" }]"#
    );
    let entry = findings.entries.first().expect("an entry");
    assert_eq!(
        (entry.registers.registers, entry.registers.shared),
        (24, 128)
    );
    assert_eq!(world.read("text"), TEXT);
    assert_eq!(world.read("files"), "input.ptx\n");
    assert_eq!(
        world.read("arguments"),
        "--verbose --generate-line-info --gpu-name sm_80 input.ptx --output-file output.cubin\n"
    );
    assert!(!Path::new(world.read("folder").trim()).exists());
}

#[test]
fn the_target_is_one_that_ptxas_has() {
    let world = World::new(FIGURES);
    let target = |target: &str, wanted: Option<&str>| {
        let found = world.compile_for(target, wanted, SOON, &Cancel::default());
        found.map_or_else(|it| it.to_string(), |it| it.target)
    };
    assert_eq!(target("sm_35", None), "sm_75");
    assert_eq!(target("sm_80", Some("sm_90a")), "sm_90a");
    assert_eq!(
        target("sm_90a", Some("sm_80")),
        "ptxas 13.5.37 makes no code for sm_80 out of this file"
    );
    assert_eq!(
        target("sm_120", None),
        "ptxas 13.5.37 makes no code for sm_120 out of this file"
    );
}

#[test]
fn a_part_of_a_program_is_compiled_as_one() {
    let world = World::new(&format!(
        "case \"$*\" in
         *--compile-only*) ;;
         *) echo \"ptxas fatal   : Unresolved extern function 'f'\" >&2; exit 255 ;;
         esac\n{FIGURES}"
    ));
    let findings = world.compile(SOON).expect("findings");
    assert_eq!((findings.messages.len(), findings.entries.len()), (0, 1));
}

#[test]
fn errors_are_findings() {
    let world = World::new(
        "echo \"ptxas input.ptx, line 4; error   : Unknown symbol 'x'\" >&2
         echo 'ptxas fatal   : Ptx assembly aborted due to errors' >&2
         exit 255",
    );
    let findings = world.compile(SOON).expect("findings");
    assert_eq!((findings.messages.len(), findings.entries.len()), (1, 0));
}

/// Makes `ptxas` write code of a real one.
const CODE: &str = "cp @/scale.cubin output.cubin\n";

#[test]
fn machine_code_and_live_registers() {
    let figures = FIGURES.replace("'k'", "'scale'");
    let world = World::new(&format!("{CODE}{figures}"));
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("machine/src/data");
    for name in ["scale.cubin", "scale.sass"] {
        fs::copy(data.join(name), world.at(name)).expect("a copy");
    }
    world.program(
        "nvdisasm",
        "echo \"$*\" >> @/disassembled; cat @/scale.sass",
    );
    let compile = |world: &World| {
        world
            .compile_for("sm_90a", None, SOON, &Cancel::default())
            .expect("findings")
    };
    let findings = compile(&world);
    // TEXT has five lines, and the code was made of a longer text.
    assert_eq!(findings.entries[0].lines, []);
    let listing = &findings.code.listings[0];
    assert_eq!((&*listing.name, listing.rows[0].opcode()), ("scale", "LDC"));
    assert_eq!(findings.code.files, ["scale.cu"]);
    // One run is enough.
    assert_eq!(
        world.read("disassembled"),
        "-c -plr -lrm count output.cubin\n"
    );
    let text = fs::read_to_string(data.join("scale.ptx")).expect("a text");
    let code = MachineCode::read(
        &fs::read(data.join("scale.cubin")).expect("a cubin"),
        Some(&world.read("scale.sass")),
        "sm_90a",
        &text,
    );
    let lines = &code.live_lines()["scale"];
    assert!(
        lines.contains(&(13, 4)) && lines.contains(&(28, 13)),
        "{lines:?}"
    );
    // That nvdisasm is of no help is not a reason to lose what ptxas says.
    for program in ["echo no >&2; exit 1", "kill -9 $$"] {
        world.program("nvdisasm", program);
        let findings = compile(&world);
        assert_eq!(findings.entries.len(), 1);
        let row = &findings.code.listings[0].rows[0];
        assert!(row.text.is_empty() && row.schedule.is_some());
    }
    // Code that cannot be read is none.
    fs::write(world.at("scale.cubin"), "text").expect("a file");
    assert!(compile(&world).code.listings.is_empty());
}

#[test]
fn one_that_hangs_is_ended_with_all_that_it_started() {
    let limit = Duration::from_millis(400);
    // The second one has closed its streams, so that nothing shows that it lives.
    for hangs in ["wait", "exec >&- 2>&-; sleep 1000"] {
        let world = World::new(&format!("{LEFT_BEHIND}{hangs}"));
        let start = Instant::now();
        assert_eq!(world.compile(limit), Err(Failure::TimedOut(limit)));
        assert!(start.elapsed() < SOON);
        world.assert_gone();
    }
    // One that does not even say who it is.
    let world = World::new("");
    world.program("ptxas", &format!("{LEFT_BEHIND}wait"));
    assert_eq!(world.compile(limit), Err(Failure::TimedOut(limit)));
    world.assert_gone();
}

#[test]
fn what_one_leaves_behind_is_ended() {
    let world = World::new(&format!("{LEFT_BEHIND}{FIGURES}"));
    assert_eq!(world.compile(SOON).expect("findings").entries.len(), 1);
    world.assert_gone();
}

#[test]
fn one_that_crashes_is_no_verdict() {
    let world = World::new("echo 'ptxas info    : 0 bytes gmem' >&2; kill -SEGV $$");
    let Err(Failure::Crashed(how)) = world.compile(SOON) else {
        panic!("a crash");
    };
    assert!(how.contains("signal: 11"), "{how}");
    let world = World::new("echo 'Segmentation fault, please report' >&2; exit 3");
    let Err(Failure::Crashed(how)) = world.compile(SOON) else {
        panic!("a crash");
    };
    assert_eq!(how, "exit status: 3 (Segmentation fault, please report)");
}

#[test]
fn one_that_floods_is_ended() {
    for stream in ["", " >&2"] {
        let world = World::new(&format!("{LEFT_BEHIND}yes ptxas info{stream}"));
        assert_eq!(world.compile(6 * SOON), Err(Failure::Flooded));
        world.assert_gone();
    }
}

#[test]
fn one_that_fills_its_folder_is_ended() {
    let script = "dd if=/dev/zero of=large bs=1 count=0 seek=2147483648 2>/dev/null\nwait";
    let world = World::new(&format!("{LEFT_BEHIND}{script}"));
    assert_eq!(world.compile(6 * SOON), Err(Failure::Flooded));
    world.assert_gone();
}

#[test]
fn none_is_told() {
    let world = World::new("");
    fs::remove_file(world.at("ptxas")).expect("the file exists");
    let Err(Failure::NotRun(reason)) = world.compile(SOON) else {
        panic!("nothing to run");
    };
    assert!(reason.contains("ptxas: "), "{reason}");
}

#[test]
fn a_run_can_be_cancelled() {
    let world = World::new(&format!("{LEFT_BEHIND}wait"));
    let cancel = Cancel::default();
    thread::scope(|scope| {
        let run = scope.spawn(|| world.compile_for("sm_80", None, 6 * SOON, &cancel));
        world.wait_for("process");
        cancel.cancel();
        assert_eq!(run.join().expect("no panic"), Err(Failure::Cancelled));
    });
    world.assert_gone();
    assert_eq!(
        world.compile_for("sm_80", None, SOON, &cancel),
        Err(Failure::Cancelled)
    );
}

#[test]
fn the_end_of_the_server_ends_all_runs() {
    let world = World::new(&format!("{LEFT_BEHIND}wait"));
    let jobs = Jobs::default();
    thread::scope(|scope| {
        let (cancel, guard) = jobs.begin();
        let world = &world;
        let run = scope.spawn(move || {
            let result = world.compile_for("sm_80", None, 6 * SOON, &cancel);
            drop(guard);
            result
        });
        world.wait_for("process");
        jobs.close(SOON);
        world.assert_gone();
        assert_eq!(run.join().expect("no panic"), Err(Failure::Cancelled));
    });
    assert!(jobs.begin().0.is_cancelled());
}

#[test]
fn programs_see_little_of_the_world() {
    let world = World::new(&format!(
        "env > @/variables; pwd > @/folder; ls -ld . > @/mode\n{FIGURES}"
    ));
    world.compile(SOON).expect("findings");
    let folder = world.read("folder");
    let variables = world.read("variables");
    for line in variables.lines() {
        let (name, value) = line.split_once('=').expect("a variable");
        match name {
            "LANG" | "LC_ALL" => assert_eq!(value, "C"),
            "TMPDIR" | "TEMP" | "TMP" => {
                assert!(folder.trim().ends_with(value), "{folder} {value}");
            }
            // The shell adds these itself.
            "PATH" | "PWD" | "OLDPWD" | "SHLVL" | "_" => {}
            // macOS adds it to every process.
            "__CF_USER_TEXT_ENCODING" => {}
            other => panic!("{other} is handed on"),
        }
    }
    assert!(world.read("mode").starts_with("drwx------"));
}
