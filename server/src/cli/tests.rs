//! The program as a user sees it: output, complaints and exit status.

use std::path::Path;

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
          [possible values: text, json]

        For more information, try '--help'.
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
fn standard_input() {
    check(
        &["check", "-"],
        GOOD,
        expect![[r#"
        checked 1 file: no problems
        status 0
    "#]],
    );
    check(
        &["check", "-"],
        BAD,
        expect![[r#"
        error[syntax-error]: `foo` stands outside of any function: instructions and labels belong into the body of an `.entry` or `.func`
         --> <stdin>:4:1
          |
        4 | foo;
          | ^^^

        checked 1 file: 1 error
        status 1
    "#]],
    );
    check(
        &["check", "--format", "json", "-"],
        BAD,
        expect![[r#"
        {"file":"<stdin>","line":4,"column":1,"end_line":4,"end_column":4,"severity":"error","code":"syntax-error","message":"`foo` stands outside of any function: instructions and labels belong into the body of an `.entry` or `.func`"}
        status 1
    "#]],
    );
    check(
        &["check", "--format=json", "-"],
        GOOD,
        expect![[r#"
        status 0
    "#]],
    );
}

#[test]
fn columns_count_bytes_and_bad_bytes_keep_theirs() {
    let folder = folder(&[("a.ptx", b"/* \xff\xc3\xa4 */ foo;\n")]);
    check_in(
        folder.path(),
        &["check", "--format=json", "DIR"],
        b"",
        expect![[r#"
            {"file":"DIR/a.ptx","line":1,"column":11,"end_line":1,"end_column":14,"severity":"error","code":"syntax-error","message":"`foo` stands outside of any function: instructions and labels belong into the body of an `.entry` or `.func`"}
            {"file":"DIR/a.ptx","line":1,"column":11,"end_line":1,"end_column":14,"severity":"error","code":"missing-directive","message":"a module starts with `.version` and `.target`, as in `.version 8.5` and `.target sm_90`"}
            status 1
        "#]],
    );
}

#[test]
fn folders_are_searched_and_the_order_is_that_of_paths() {
    let folder = folder(&[
        ("z.ptx", BAD.as_bytes()),
        ("sub/b.PTX", BAD.as_bytes()),
        ("sub/a.ptx", GOOD.as_bytes()),
        ("sub/readme.txt", b"no PTX"),
        ("a.ptx", BAD.as_bytes()),
    ]);
    check_in(
        folder.path(),
        &["check", "--format=json", "DIR/z.ptx", "DIR", "DIR/a.ptx"],
        b"",
        expect![[r#"
            {"file":"DIR/a.ptx","line":4,"column":1,"end_line":4,"end_column":4,"severity":"error","code":"syntax-error","message":"`foo` stands outside of any function: instructions and labels belong into the body of an `.entry` or `.func`"}
            {"file":"DIR/sub/b.PTX","line":4,"column":1,"end_line":4,"end_column":4,"severity":"error","code":"syntax-error","message":"`foo` stands outside of any function: instructions and labels belong into the body of an `.entry` or `.func`"}
            {"file":"DIR/z.ptx","line":4,"column":1,"end_line":4,"end_column":4,"severity":"error","code":"syntax-error","message":"`foo` stands outside of any function: instructions and labels belong into the body of an `.entry` or `.func`"}
            status 1
        "#]],
    );
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_stops_nothing() {
    let folder = folder(&[("a.ptx", BAD.as_bytes())]);
    check_in(
        folder.path(),
        &["check", "DIR/missing.ptx", "DIR"],
        b"",
        expect![[r#"
            error[syntax-error]: `foo` stands outside of any function: instructions and labels belong into the body of an `.entry` or `.func`
             --> DIR/a.ptx:4:1
              |
            4 | foo;
              | ^^^

            checked 1 file: 1 error
            error: DIR/missing.ptx: No such file or directory (os error 2)
            status 2
        "#]],
    );
}

#[test]
fn colours() {
    let plain = |args: &[&str], color| {
        let (_, stdout, _) = run_with(args, BAD.as_bytes(), color);
        !stdout.contains('\u{1b}')
    };
    assert!(plain(&["check", "-"], false));
    assert!(!plain(&["check", "-"], true));
    assert!(plain(&["check", "--color=never", "-"], true));
    assert!(!plain(&["check", "--color=always", "-"], false));
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
        4:1-4:4 syntax-error: `foo` stands outside of any function: instructions and labels belong into the body of an `.entry` or `.func`
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
    expect!["bytes lines items nodes tokens tree_bytes entries functions instructions definitions references parse_time check_time syntax_errors diagnostics"]
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
    ] {
        let mut stderr = Vec::new();
        let status = run(
            ["ptx-analyzer"].iter().chain(args),
            &mut Io {
                stdin: &mut BAD.as_bytes(),
                stdout: &mut Closed,
                stderr: &mut stderr,
                color: false,
            },
        );
        assert_eq!((status, stderr), (FAILED, Vec::new()), "{args:?}");
    }
}
