//! The program as a user sees it: output, complaints and exit status.

mod accesses;
mod check;
mod diff;
mod embedded;
mod explain;
mod extract;
mod flow;
mod format;
mod hostile;
mod kernel;
mod protocols;
mod read;
mod registers;
mod run;
#[cfg(unix)]
mod sass;
mod targets;
mod test;

use std::{fs, path::Path};

use clap::CommandFactory;
use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::*;

const GOOD: &str = ".version 8.0\n.target sm_90\n.address_size 64\n";
const BAD: &str = ".version 8.0\n.target sm_90\n.address_size 64\nfoo;\n";

fn run_with(args: &[&str], stdin: &[u8], color: bool) -> (u8, String, String) {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let status = run(
        ["ptx-analyzer"].iter().chain(args),
        &mut Io {
            stdin: &mut &*stdin,
            stdout: &mut stdout,
            stderr: &mut stderr,
            color,
            is_typed: false,
        },
    );
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status, text(stdout), text(stderr))
}

/// Everything the program says; `DIR` stands for the folder of the fixture.
#[expect(
    clippy::needless_pass_by_value,
    reason = "the convention of expect-test"
)]
fn check_in(folder: &Path, args: &[&str], stdin: &[u8], expect: Expect) {
    let folder = folder.to_str().expect("a UTF-8 path");
    let args: Vec<_> = args.iter().map(|it| it.replace("DIR", folder)).collect();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let (status, stdout, stderr) = run_with(&args, stdin, false);
    let said = format!("{stdout}{stderr}status {status}\n");
    expect.assert_eq(&said.replace(folder, "DIR"));
}

fn check(args: &[&str], stdin: &str, expect: Expect) {
    check_in(Path::new("no such folder"), args, stdin.as_bytes(), expect);
}

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = TempDir::new().expect("a temporary folder");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
    folder
}

#[test]
fn a_person_who_types_the_name_alone_gets_help() {
    let typed = |args: &[&str]| {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let status = run(
            ["ptx-analyzer"].iter().chain(args),
            &mut Io {
                stdin: &mut io::empty(),
                stdout: &mut stdout,
                stderr: &mut stderr,
                color: false,
                is_typed: true,
            },
        );
        assert_eq!(stderr, b"");
        (status, String::from_utf8(stdout).expect("UTF-8"))
    };
    let (status, help) = typed(&[]);
    assert_eq!(status, 0);
    assert!(
        help.contains("Usage: ptx-analyzer") && help.contains("\n  check "),
        "{help}"
    );
    // Options of the server ask for the server; nothing else is taken for a question of help.
    assert!(Args::try_parse_from(["ptx-analyzer", "--stdio"]).is_ok_and(|it| it.lsp.is_asked()));
    assert!(Args::try_parse_from(["ptx-analyzer"]).is_ok_and(|it| !it.lsp.is_asked()));
    assert_eq!(typed(&["--version"]).0, 0);
}

#[test]
fn usage_mistakes_have_status_2() {
    check(
        &["check"],
        "",
        expect![[r#"
        error: the following required arguments were not provided:
          <PATH>...

        Usage: ptx-analyzer check <PATH>...

        For more information, try '--help'.
        status 2
    "#]],
    );
    check(
        &["check", "--format", "xml", "-"],
        "",
        expect![[r#"
        error: invalid value 'xml' for '--format <FORMAT>'
          [possible values: text, json, sarif, github]

        For more information, try '--help'.
        status 2
    "#]],
    );
    for target in ["sm80", "sm_91", "SM_90A"] {
        let (status, _, stderr) = run_with(&["check", "--target", target, "-"], b"", false);
        let nearest = if target == "sm80" {
            "sm_80"
        } else if target == "sm_91" {
            "sm_90"
        } else {
            "sm_90a"
        };
        let wanted = format!("there is no such target; did you mean `{nearest}`?");
        assert_eq!((status, stderr.contains(&wanted)), (2, true), "{stderr}");
    }
    check(
        &["check", "nope.ptx"],
        "",
        expect![[r#"
        error: nope.ptx: No such file or directory (os error 2)
        status 2
    "#]],
    );
    let (status, stdout, stderr) = run_with(&["--version"], b"", false);
    assert_eq!((status, stderr.as_str()), (0, ""));
    assert_eq!(
        stdout,
        format!("ptx-analyzer {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn tree_and_errors() {
    check(
        &["parse", "--errors", "-"],
        BAD,
        expect![[r#"
        SOURCE_FILE@0..49
          VERSION_DIRECTIVE@0..12
            DOTTED@0..8 ".version"
            WHITESPACE@8..9 " "
            FLOAT@9..12 "8.0"
          TARGET_DIRECTIVE@12..26
            WHITESPACE@12..13 "\n"
            DOTTED@13..20 ".target"
            WHITESPACE@20..21 " "
            TARGET_WORD@21..26
              IDENT@21..26 "sm_90"
          ADDRESS_SIZE_DIRECTIVE@26..43
            WHITESPACE@26..27 "\n"
            DOTTED@27..40 ".address_size"
            WHITESPACE@40..41 " "
            LITERAL@41..43
              INTEGER@41..43 "64"
          ERROR@43..48
            WHITESPACE@43..44 "\n"
            IDENT@44..47 "foo"
            SEMICOLON@47..48 ";"
          WHITESPACE@48..49 "\n"
        4:1-4:4 syntax-error: `foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`
        status 0
    "#]],
    );
    #[cfg(unix)]
    check(
        &["parse", "missing.ptx"],
        "",
        expect![[r#"
        error: missing.ptx: No such file or directory (os error 2)
        status 2
    "#]],
    );
}

#[test]
fn statistics_are_metric_lines() {
    let (status, stdout, stderr) = run_with(&["stats", "-"], GOOD.as_bytes(), false);
    assert_eq!((status, stderr.as_str()), (0, ""));
    let names: Vec<_> = stdout
        .lines()
        .map(|line| {
            let fields: Vec<_> = line.split(':').collect();
            assert_eq!((fields.len(), fields[0]), (4, "METRIC"), "{line}");
            fields[2].parse::<f64>().expect("a number");
            fields[1]
        })
        .collect();
    expect!["bytes lines items nodes tokens tree_bytes entries functions instructions definitions references blocks loops parse_time check_time syntax_errors diagnostics"]
    .assert_eq(&names.join(" "));
}

#[test]
fn output_that_nobody_reads_ends_quietly() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    for args in [
        &["--version"][..],
        &["check", "-"],
        &["parse", "-"],
        &["stats", "-"],
        &["completions", "bash"],
        &["man"],
    ] {
        let mut stderr = Vec::new();
        let status = run(
            ["ptx-analyzer"].iter().chain(args),
            &mut Io {
                stdin: &mut BAD.as_bytes(),
                stdout: &mut Closed,
                stderr: &mut stderr,
                color: false,
                is_typed: false,
            },
        );
        assert_eq!((status, stderr), (FAILED, Vec::new()), "{args:?}");
    }
}

#[test]
fn completions_and_manual_pages() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let (status, stdout, stderr) = run_with(&["completions", shell], b"", false);
        assert_eq!((status, stderr.as_str()), (0, ""), "{shell}");
        for word in ["check", "portable-to"] {
            assert!(stdout.contains(word), "{shell}: {word}");
        }
    }
    let (status, page, _) = run_with(&["man"], b"", false);
    assert_eq!(status, 0);
    assert!(page.contains(".TH ptx-analyzer 1"), "{page}");
    let program = Args::command();
    for command in program.get_subcommands().filter(|it| !it.is_hide_set()) {
        let name = command.get_name();
        assert!(
            page.contains(&format!("ptx\\-analyzer\\-{name}(1)")),
            "{name}\n{page}"
        );
        let (status, page, _) = run_with(&["man", name], b"", false);
        assert_eq!(status, 0, "{name}");
        assert!(
            page.contains(&format!(".TH ptx-analyzer-{name} 1")),
            "{page}"
        );
        for heading in [
            "NAME",
            "SYNOPSIS",
            "DESCRIPTION",
            "\"EXIT STATUS\"",
            "EXAMPLES",
            "VERSION",
        ] {
            assert!(
                page.contains(&format!(".SH {heading}")),
                "{heading}\n{page}"
            );
        }
        assert!(
            page.contains(&format!("\\fBptx\\-analyzer {name}")),
            "{page}"
        );
    }
    // The examples are command lines of this program.
    let pages = manual::PAGES.iter().chain([&manual::PROGRAM]);
    for (line, _) in pages.flat_map(|it| it.examples) {
        let words = line.split(' ').take_while(|it| !matches!(*it, ">" | "|"));
        assert!(Args::try_parse_from(words).is_ok(), "{line}");
    }
    check(
        &["man", "nothing"],
        "",
        expect![[r#"
            error: there is no command nothing
            status 2
        "#]],
    );
}

/// Opening a pipe waits until somebody writes to it.
#[cfg(unix)]
#[test]
fn pipes_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipe = folder.path().join("a.ptx");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo runs").success());
    let pipe = pipe.to_str().expect("UTF-8");
    let place = format!("{pipe}:1");
    for args in [
        &["check", pipe][..],
        &["extract", pipe],
        &["flow", pipe],
        &["sass", pipe],
        &["targets", pipe],
        &["protocols", pipe],
        &["explain", "--at", &place],
        &["format", "--check", pipe],
        &["diff", pipe, pipe],
        &["registers", pipe],
        &["registers", "--baseline", pipe, pipe],
    ] {
        let (status, _, said) = run_with(args, b"", false);
        assert_eq!(status, FAILED, "{args:?}");
        assert!(
            said.contains("this is not a regular file"),
            "{args:?}: {said}"
        );
    }
}
