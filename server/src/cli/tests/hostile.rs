//! Names, words and messages of strangers in what people and logs read.

use syntax::text::is_control;

use super::*;

/// Characters that terminals and logs obey, and that change the order of others.
const HOSTILE: &str = "x\u{1b}]0;t\u{7}\u{9b}2J\n::error::y\r\u{202e}\u{2066}";

/// Runs a command and looks at each line that it prints.
#[track_caller]
fn check_lines(args: &[&str], stdin: &[u8]) -> String {
    let (_, stdout, stderr) = run_with(args, stdin, false);
    let said = stdout + &stderr;
    for line in said.split('\n') {
        assert!(!line.contains(is_control), "{args:?}: {line:?}");
        assert!(!line.starts_with("::error::y"), "{args:?}: {line:?}");
    }
    // A file of sources has no protocols, and nothing is said of them.
    assert!(!said.is_empty() || args[0] == "protocols", "{args:?}");
    said
}

#[cfg(unix)]
#[test]
fn file_names_are_escaped_by_all_commands() {
    let text = format!(
        ".version 8.0\n.target sm_80\n.file 1 \"{HOSTILE}\"\n.entry k\u{202e}\u{9b}() {{\n\tfoo\u{9b} %\u{202e}; bar.sync 0; ret;\n}}\n.func f() {{ ret; }}\n"
    );
    let host = format!("__global__ void k() {{ asm(\"mov.u32 %0, {HOSTILE};\" : : \"r\"(1)); }}\n");
    let name = |ending: &str| format!("{HOSTILE}.{ending}");
    let folder = folder(&[
        (&name("ptx"), text.as_bytes()),
        (&name("cu"), host.as_bytes()),
        (&format!("data/{}", name("ptx")), b"\x7fELF\0\0\0\0\0\0\0\0"),
        (&name("so"), b"\x7fELF\0\0\0\0"),
        (&format!("empty{HOSTILE}/x.txt"), b""),
    ]);
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (ptx, cu, so) = (path(&name("ptx")), path(&name("cu")), path(&name("so")));
    let (data, missing) = (path(&format!("data/{}", name("ptx"))), path(HOSTILE));
    let (empty, out) = (
        path(&format!("empty{HOSTILE}")),
        path(&format!("out{HOSTILE}")),
    );
    let all = folder.path().to_string_lossy().into_owned();
    for file in [&ptx, &so, &data, &missing, &cu, &empty, &all] {
        for command in [
            "check",
            "registers",
            "extract",
            "targets",
            "protocols",
            "flow",
            "parse",
            "sass",
        ] {
            if command != "parse" || file != &ptx {
                check_lines(&[command, file], b"");
            }
        }
        let said = check_lines(&["check", "--format", "github", "--embedded", file], b"");
        let commands = said.lines().filter(|it| it.starts_with("::"));
        let ours = |it: &str| it.contains(" title=") && it.contains(",file=");
        assert!(commands.clone().all(ours), "{said}");
        check_lines(&["format", "--check", file, &missing], b"");
        check_lines(&["format", "--check", "--embedded", file, &missing], b"");
        check_lines(&["diff", file, &ptx], b"");
        check_lines(&["diff", &missing, file], b"");
        check_lines(&["extract", "--asm", file, &missing], b"");
        check_lines(&["explain", "--at", &format!("{file}:3")], b"");
        check_lines(&["explain", "--at", &format!("{file}:5")], b"");
        check_lines(&["registers", "--baseline", file, &ptx], b"");
        check_lines(&["stats", file], b"");
    }
    for format in ["text", "svg", "mermaid"] {
        check_lines(
            &["flow", "--format", format, "--function", HOSTILE, &ptx],
            b"",
        );
        check_lines(&["flow", "--format", format, "--function", "f", &ptx], b"");
    }
    check_lines(&["registers", "--format", "svg", &ptx], b"");
    check_lines(&["extract", "-o", &out, &so, &missing], b"");
    check_lines(&["extract", "--asm", "-o", &out, &cu], b"");
    check_lines(&["extract", "--asm", "-o", &out, &cu], b"");
    check_lines(&["sass", "--ptxas", &missing, &ptx], b"");
    check_lines(&["registers", "--exact", "--ptxas", &missing, &ptx], b"");
}

#[test]
fn words_are_escaped() {
    for format in ["text", "markdown"] {
        check_lines(&["explain", "--format", format, HOSTILE], b"");
        check_lines(
            &[
                "explain",
                "--format",
                format,
                &format!("add.s32 %r1, {HOSTILE};"),
            ],
            b"",
        );
        check_lines(
            &["explain", "--format", format, &format!("{HOSTILE}.s32")],
            b"",
        );
    }
    check_lines(&["man", HOSTILE], b"");
    let text = format!(".version 8.0\n.target sm_80\n.entry k() {{ {HOSTILE} \u{9b} }}");
    let said = check_lines(&["check", "-"], text.as_bytes());
    assert!(said.contains(r"\u{9b}"), "{said}");
    check_lines(&["targets", "-"], text.as_bytes());
}

#[test]
fn data_is_one_error_of_each_command() {
    let noise: Vec<u8> = (0..60_000_u32)
        .map(|it| (it.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let folder = folder(&[("a.ptx", &noise), ("b.ptx", GOOD.as_bytes())]);
    for command in [
        &["check"][..],
        &["targets"],
        &["protocols"],
        &["format"],
        &["format", "--check"],
        &["flow"],
        &["registers"],
        &["sass"],
        &["parse"],
        &["stats"],
        &["diff", "DIR/b.ptx"],
    ] {
        let args: Vec<_> = command.iter().chain(&["DIR/a.ptx"]).copied().collect();
        check_in(
            folder.path(),
            &args,
            b"",
            expect![[r#"
                error: DIR/a.ptx: this is not PTX text: binary
                status 2
            "#]],
        );
    }
    assert_eq!(
        fs::read(folder.path().join("a.ptx")).expect("a file"),
        noise
    );
    let (status, stdout, stderr) = run_with(&["check", "-"], &noise, false);
    assert_eq!(
        (status, &*stdout, &*stderr),
        (2, "", "error: -: this is not PTX text: binary\n")
    );
}
