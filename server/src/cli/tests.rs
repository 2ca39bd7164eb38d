//! The program as a user sees it: output, complaints and exit status.

mod diff;
mod embedded;
mod extract;
mod flow;
mod protocols;
#[cfg(unix)]
mod sass;
mod targets;

use std::path::Path;

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
fn hints_are_counted_if_they_are_shown() {
    let text = ".version 9.0\n.target sm_90\n.entry k { .reg .b32 r; mov.b32 r, 1; ret; }\n";
    let (_, stdout, _) = run_with(&["check", "--hints", "-"], text.as_bytes(), false);
    assert!(stdout.ends_with("checked 1 file: 1 hint\n"), "{stdout}");
    let (_, stdout, _) = run_with(&["check", "-"], text.as_bytes(), false);
    assert!(
        stdout.ends_with("checked 1 file: no problems\n"),
        "{stdout}"
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
        error[syntax-error]: `foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`
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
        {"file":"<stdin>","line":4,"column":1,"end_line":4,"end_column":4,"severity":"error","code":"syntax-error","message":"`foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`"}
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
            {"file":"DIR/a.ptx","line":1,"column":11,"end_line":1,"end_column":14,"severity":"error","code":"syntax-error","message":"`foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`"}
            {"file":"DIR/a.ptx","line":1,"column":11,"end_line":1,"end_column":14,"severity":"error","code":"missing-directive","message":"a module starts with `.version` and `.target`, as in `.version 8.5` and `.target sm_90`","fixes":[{"title":"Insert `.version`, `.target` and `.address_size`","edits":[{"line":1,"column":11,"end_line":1,"end_column":11,"insert":".version 8.5\n.target sm_90\n.address_size 64\n\n"}]}]}
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
            {"file":"DIR/a.ptx","line":4,"column":1,"end_line":4,"end_column":4,"severity":"error","code":"syntax-error","message":"`foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`"}
            {"file":"DIR/sub/b.PTX","line":4,"column":1,"end_line":4,"end_column":4,"severity":"error","code":"syntax-error","message":"`foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`"}
            {"file":"DIR/z.ptx","line":4,"column":1,"end_line":4,"end_column":4,"severity":"error","code":"syntax-error","message":"`foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`"}
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
            error[syntax-error]: `foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`
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
            },
        );
        assert_eq!((status, stderr), (FAILED, Vec::new()), "{args:?}");
    }
}

/// Two problems on lines after characters of several bytes, one of them with a related place and fixes.
const SEVERAL: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n    .reg .b32 %r<2>;\n    /* ä𝄞 */ mov.u32 %r4, 100%r;\n    .reg .b32 %r1;\n    ret;\n}\n";

/// The document for code scanning, with what the schema of SARIF 2.1.0 requires checked.
fn sarif(args: &[&str], stdin: &str) -> serde_json::Value {
    let args: Vec<_> = [&["check", "--format=sarif"], args].concat();
    let (_, stdout, _) = run_with(&args, stdin.as_bytes(), false);
    let document: serde_json::Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!(document["version"], "2.1.0");
    let runs = document["runs"].as_array().expect("runs");
    let [run] = &runs[..] else {
        panic!("one run");
    };
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "ptx-analyzer");
    assert!(run["invocations"][0]["executionSuccessful"].is_boolean());
    assert_eq!(run["columnKind"], "utf16CodeUnits");
    let rules = driver["rules"].as_array().expect("rules");
    for rule in rules {
        let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
        assert!(!text(&rule["shortDescription"]["text"]).is_empty());
        assert!(text(&rule["help"]["text"]).contains("Right"));
        assert!(text(&rule["help"]["markdown"]).contains("## Right"));
        assert!(text(&rule["helpUri"]).ends_with(&format!("/{}.md", text(&rule["id"]))));
    }
    for result in run["results"].as_array().expect("results") {
        let index = result["ruleIndex"].as_u64().expect("an index");
        let rule = &rules[usize::try_from(index).expect("a small index")];
        assert_eq!(rule["id"], result["ruleId"]);
        let level = result["level"].as_str().expect("a level");
        assert!(["error", "warning", "note"].contains(&level), "{level}");
        assert!(result["message"]["text"].is_string());
        let related = result["relatedLocations"].as_array();
        let places = result["locations"].as_array().expect("locations").iter();
        for place in places.chain(related.into_iter().flatten()) {
            let place = &place["physicalLocation"];
            assert!(place["artifactLocation"]["uri"].is_string());
            for number in ["startLine", "startColumn", "endLine", "endColumn"] {
                assert!(place["region"][number].as_u64() > Some(0), "{number}");
            }
        }
    }
    document
}

#[test]
fn sarif_documents() {
    let document = sarif(&["-"], SEVERAL);
    let results = &document["runs"][0]["results"];
    expect![[r#"
        [
          {
            "fixes": [
              {
                "artifactChanges": [
                  {
                    "artifactLocation": {
                      "uri": "%3Cstdin%3E",
                      "uriBaseId": "%SRCROOT%"
                    },
                    "replacements": [
                      {
                        "deletedRegion": {
                          "endColumn": 31,
                          "endLine": 6,
                          "startColumn": 31,
                          "startLine": 6
                        },
                        "insertedContent": {
                          "text": ","
                        }
                      }
                    ]
                  }
                ],
                "description": {
                  "text": "Insert `,`"
                }
              }
            ],
            "level": "error",
            "locations": [
              {
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "%3Cstdin%3E",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "region": {
                    "endColumn": 33,
                    "endLine": 6,
                    "startColumn": 31,
                    "startLine": 6
                  }
                }
              }
            ],
            "message": {
              "text": "expected `,` or `;`, found `%r`"
            },
            "ruleId": "syntax-error",
            "ruleIndex": 0
          },
          {
            "level": "error",
            "locations": [
              {
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "%3Cstdin%3E",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "region": {
                    "endColumn": 18,
                    "endLine": 7,
                    "startColumn": 15,
                    "startLine": 7
                  }
                }
              }
            ],
            "message": {
              "text": "`%r1` takes a name of `%r<2>`, declared in the same block on line 5"
            },
            "relatedLocations": [
              {
                "message": {
                  "text": "first declared here"
                },
                "physicalLocation": {
                  "artifactLocation": {
                    "uri": "%3Cstdin%3E",
                    "uriBaseId": "%SRCROOT%"
                  },
                  "region": {
                    "endColumn": 17,
                    "endLine": 5,
                    "startColumn": 15,
                    "startLine": 5
                  }
                }
              }
            ],
            "ruleId": "duplicate-definition",
            "ruleIndex": 1
          }
        ]
    "#]]
    .assert_eq(&format!("{results:#}\n"));
}

#[test]
fn sarif_without_problems_and_with_failures() {
    let empty = sarif(&["-"], GOOD);
    assert_eq!(empty["runs"][0]["results"], serde_json::json!([]));
    assert_eq!(
        empty["runs"][0]["tool"]["driver"]["rules"],
        serde_json::json!([])
    );
    let failed = sarif(&["no such folder/a.ptx"], "");
    let invocation = &failed["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let notification = &invocation["toolExecutionNotifications"][0];
    let text = notification["message"]["text"].as_str().expect("a text");
    assert!(text.starts_with("no such folder/a.ptx: "), "{text}");
}

#[test]
fn files_in_sarif_are_uris() {
    assert_eq!(report::uri("a b/%ä#.ptx"), "a%20b/%25%C3%A4%23.ptx");
    assert_eq!(report::uri("./a/b.ptx"), "a/b.ptx");
    assert_eq!(report::uri(report::STDIN), "%3Cstdin%3E");
    // The tests are run in the folder of the crate.
    assert_eq!(report::uri("src/../Cargo.toml"), "Cargo.toml");
    let folder = folder(&[("x y.ptx", b"")]);
    let path = folder.path().join("x y.ptx");
    let uri = report::uri(path.to_str().expect("a UTF-8 path"));
    assert!(
        uri.starts_with("file:///") && uri.ends_with("/x%20y.ptx"),
        "{uri}"
    );
}

// Windows has no such names.
#[cfg(unix)]
#[test]
fn annotations_of_github() {
    let folder = folder(&[("a,b:c.ptx", SEVERAL.as_bytes())]);
    check_in(
        folder.path(),
        &["check", "--format=github", "DIR"],
        b"",
        expect![[r#"
            ::error title=syntax-error,file=DIR/a%2Cb%3Ac.ptx,line=6,endLine=6,col=31,endColumn=33::expected `,` or `;`, found `%25r`
            ::error title=duplicate-definition,file=DIR/a%2Cb%3Ac.ptx,line=7,endLine=7,col=15,endColumn=18::`%25r1` takes a name of `%25r<2>`, declared in the same block on line 5
            checked 1 file: 2 errors
            status 1
        "#]],
    );
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

const KERNEL: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(.param .u64 p) .maxntid 128 {\n\
    .reg .b64 %rd1; .reg .f32 %f<3>;\nld.param.u64 %rd1, [p];\nld.global.f32 %f1, [%rd1];\n\
    ld.global.f32 %f2, [%rd1+4];\nadd.f32 %f1, %f1, %f2;\nst.global.f32 [%rd1], %f1;\nret;\n}\n";

#[test]
fn registers_of_entries() {
    check(
        &["registers", "-"],
        KERNEL,
        expect![[r#"
            registers  range  live  line  cap  warps  limit  target  entry
            ~11        8-17   2     8     -    64/64  -      sm_90   k
            status 0
        "#]],
    );
    check(
        &[
            "registers",
            "--format",
            "json",
            "--target",
            "sm_75,sm_120",
            "-",
        ],
        KERNEL,
        expect![[r#"
            {"file":"-","entry":"k","target":"sm_75","estimate":10,"low":7,"high":15,"max_live":2,"peak_line":8,"cap":null,"occupancy":{"warps":32,"of":32,"limiter":null},"exact":null}
            {"file":"-","entry":"k","target":"sm_120","estimate":11,"low":8,"high":17,"max_live":2,"peak_line":8,"cap":null,"occupancy":{"warps":48,"of":48,"limiter":null},"exact":null}
            status 0
        "#]],
    );
    check(
        &["registers", "--target", "sm_1", "-"],
        "",
        expect![[r#"
            error: invalid value 'sm_1' for '--target <TARGETS>': there is no such target; did you mean `sm_10`?

            For more information, try '--help'.
            status 2
        "#]],
    );
    check(
        &["registers", "no such file"],
        "",
        expect![[r#"
        registers  range  live  line  cap  warps  limit  target  entry
        error: no such file: No such file or directory (os error 2)
        status 2
    "#]],
    );
}

#[test]
fn registers_above_a_baseline() {
    let (_, json, _) = run_with(
        &["registers", "--format", "json", "-"],
        KERNEL.as_bytes(),
        false,
    );
    let lower = json.replace("\"estimate\":", "\"estimate\":1,\"was\":");
    let folder = folder(&[
        ("same.json", json.as_bytes()),
        ("lower.json", lower.as_bytes()),
        ("broken.json", b"{"),
    ]);
    let run = |arguments: &[&str], expect: Expect| {
        let all = [&["registers", "-"], arguments].concat();
        check_in(folder.path(), &all, KERNEL.as_bytes(), expect);
    };
    run(
        &["--baseline", "DIR/same.json"],
        expect![[r#"
            registers  range  live  line  cap  warps  limit  target  entry
            ~11        8-17   2     8     -    64/64  -      sm_90   k
            status 0
        "#]],
    );
    run(
        &["--baseline", "DIR/lower.json"],
        expect![[r#"
            registers  range  live  line  cap  warps  limit  target  entry
            ~11        8-17   2     8     -    64/64  -      sm_90   k
            -: k on sm_90: about 11 registers, 1 in the baseline
            status 1
        "#]],
    );
    run(
        &["--baseline", "DIR/lower.json", "--growth", "99"],
        expect![[r#"
            registers  range  live  line  cap  warps  limit  target  entry
            ~11        8-17   2     8     -    64/64  -      sm_90   k
            status 0
        "#]],
    );
    run(
        &["--baseline", "DIR/broken.json"],
        expect![[r#"
        error: DIR/broken.json:1: EOF while parsing an object at line 1 column 1
        status 2
    "#]],
    );
}

#[test]
fn formatting_keeps_what_is_no_text() {
    let folder = folder(&[
        ("a.ptx", b".version 8.0 // \xe4\r\n.target   sm_90\r\n"),
        ("sub/b.ptx", b".version 8.0\n.target sm_90\n"),
    ]);
    check_in(
        folder.path(),
        &["format", "--check", "DIR"],
        b"",
        expect![[r#"
            DIR/a.ptx is not formatted
            status 1
        "#]],
    );
    check_in(
        folder.path(),
        &["format", "DIR", "DIR/missing.ptx"],
        b"",
        expect![[r#"
            error: DIR/missing.ptx: No such file or directory (os error 2)
            status 2
        "#]],
    );
    let written = fs::read(folder.path().join("a.ptx")).expect("a file");
    assert_eq!(written, b".version 8.0  // \xe4\r\n.target sm_90\r\n");
    check_in(
        folder.path(),
        &["format", "--check", "DIR"],
        b"",
        expect![[r#"
            status 0
        "#]],
    );
}

#[test]
fn standard_input_is_formatted_to_standard_output() {
    check(
        &["format", "-"],
        ".version  8.0\n",
        expect![[r#"
            .version 8.0
            status 0
        "#]],
    );
}

#[test]
fn unknown_words_are_not_explained() {
    check(
        &["explain", "qqzzyy"],
        "",
        expect![[r#"
        error: no documentation for `qqzzyy`; `ptx-analyzer explain --list` prints all names
        status 2
    "#]],
    );
    check(
        &["explain", "mbarier.init"],
        "",
        expect![[r#"
        error: no documentation for `mbarier.init`; did you mean `mbarrier.init`?
        status 2
    "#]],
    );
    check(
        &["explain", "add", "--target", "sm_91"],
        "",
        expect![[r#"
            error: unknown target `sm_91`
            status 2
        "#]],
    );
}

#[test]
fn statements_are_explained_without_quotes() {
    check(
        &[
            "explain",
            "--target",
            "sm_75",
            "elect.sync",
            "_|%p1,",
            "0xffffffff;",
        ],
        "",
        expect![[r#"
            elect (instruction)

                elect.sync d|p, membermask

            Not available on sm_75: needs sm_90, PTX ISA 8.0.

            Elects one lane of the warp, always the same for the same mask.

            For work that one thread does for its warp: bulk copies, arrivals, tcgen05 and
            other instructions that a single thread issues.

            Modifiers

            - .sync: The executing thread waits until all threads named by the member mask,
              or all threads of the warp where there is no mask, execute this same
              instruction.

            Operands

            - d (_|%p1): the lane ID of the elected thread, or _.
            - p: true in the elected thread, false in all others.
            - membermask (0xffffffff): a bit for each lane that takes part; its own bit must
              be set.

            Notes

            - The elected lane is unspecified. Do not assume lane 0.
            - The choice is deterministic, so groups of asynchronous operations, which
              belong to a thread, stay with the same one: the lane that commits must be the
              lane that waits.
            - All lanes of the mask must execute it; a missing one hangs the warp.
            - ptxas knows that exactly one lane is active under p; a test of %laneid does
              not always tell it.
            - It orders no memory; bar.warp.sync before it makes the stores of the other
              lanes visible to the elected one.

            Examples

            PTX ISA 8.0, sm_90:

                    elect.sync _|%p0, 0xffffffff;
                    @%p0 mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], 4096;
                    @%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [shared_data], [%rd0], 4096, [barrier];

            See also vote, activemask, cp.async.bulk, tcgen05.mma, mbarrier.arrive

            PTX ISA 9.7.14.15
            (https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-elect-sync)
            status 0
        "#]],
    );
}

#[test]
fn explanations_are_json() {
    check(
        &["explain", "--format", "json", "%tid.x", "xqzq"],
        "",
        expect![[r#"
            [
              {
                "found": [
                  {
                    "kind": "special register",
                    "markdown": "The `.x` component of `%tid`. Position of the thread in its CTA. A vector `.v4.u32`; each component runs from 0 to that of `%ntid` minus 1, and unused dimensions and `.w` are 0.\n\n- Only `mov` and `cvt` read it; copy it to a register before computing with it.\n- Threads are numbered along x first: `tid.x + ntid.x * (tid.y + ntid.y * tid.z)`. Warps are runs of 32 of these numbers, so a warp of a CTA that is 16 wide covers two rows.\n- 16-bit `mov` and `cvt` read the lower half, as code for PTX ISA 1.x does; `%ntid`, `%ctaid` and `%nctaid` allow this too.\n\n```ptx 2.3 sm_20\n    mov.u32 %r0, %tid.x;\n    mov.u32 %r1, %ctaid.x;\n    mov.u32 %r2, %ntid.x;\n    mad.lo.u32 %r3, %r1, %r2, %r0;\n```",
                    "name": "%tid.x"
                  }
                ],
                "question": "%tid.x",
                "similar": []
              },
              {
                "found": [],
                "question": "xqzq",
                "similar": []
              }
            ]
            error: no documentation for `xqzq`; `ptx-analyzer explain --list` prints all names
            status 2
        "#]],
    );
}
