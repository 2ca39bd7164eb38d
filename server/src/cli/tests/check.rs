//! The command `check`.

use super::*;

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
fn a_folder_without_ptx_is_told() {
    let folder = folder(&[
        ("a/readme.txt", b"x"),
        ("b/k.ptx", GOOD.as_bytes()),
        ("c/k.cu", b""),
    ]);
    check_in(
        folder.path(),
        &["check", "DIR/a", "DIR/b"],
        b"",
        expect![[r#"
            checked 1 file: no problems
            warning: DIR/a: no PTX files found
            status 0
        "#]],
    );
    for command in [&["check"][..], &["format"], &["registers"]] {
        let args: Vec<_> = command.iter().copied().chain(["DIR/a"]).collect();
        let (status, _, stderr) = {
            let folder = folder.path().to_string_lossy().into_owned();
            let args: Vec<_> = args.iter().map(|it| it.replace("DIR", &folder)).collect();
            let args: Vec<_> = args.iter().map(String::as_str).collect();
            run_with(&args, b"", false)
        };
        assert!(
            status == 0 && stderr.contains("no PTX files found"),
            "{command:?}: {stderr}"
        );
    }
    check_in(
        folder.path(),
        &["check", "--embedded", "DIR/a"],
        b"",
        expect![[r#"
            checked 0 files
            warning: DIR/a: no PTX files and no sources found
            status 0
        "#]],
    );
    check_in(
        folder.path(),
        &["check", "--embedded", "DIR/c"],
        b"",
        expect![[r#"
            checked 1 file: no problems
            status 0
        "#]],
    );
}

#[test]
fn text_has_a_limit_for_each_file() {
    let body = "unknown;\n".repeat(150);
    let text =
        format!(".version 8.0\n.target sm_80\n.entry k() {{\n.reg .b32 %r;\n{body}ret;\n}}\n");
    let shown = |args: &[&str]| {
        let args: Vec<_> = ["check", "-"].iter().chain(args).copied().collect();
        let (_, stdout, _) = run_with(&args, text.as_bytes(), false);
        let lines: Vec<_> = stdout
            .lines()
            .filter(|it| it.starts_with("error"))
            .collect();
        let note = stdout
            .lines()
            .find(|it| it.contains("not shown"))
            .map(str::to_owned);
        let end = stdout.lines().last().map(str::to_owned);
        (lines.len(), note, end)
    };
    let end = Some("checked 1 file: 150 errors".to_owned());
    let note = "<stdin>: 50 more problems not shown; --limit 0 shows all";
    assert_eq!(shown(&[]), (100, Some(note.to_owned()), end.clone()));
    let note = "<stdin>: 1 more problem not shown; --limit 0 shows all";
    assert_eq!(
        shown(&["--limit", "149"]),
        (149, Some(note.to_owned()), end.clone())
    );
    assert_eq!(shown(&["--limit", "0"]), (150, None, end));
    let (_, json, _) = run_with(&["check", "--format", "json", "-"], text.as_bytes(), false);
    assert_eq!(json.lines().count(), 150);
    let (_, github, _) = run_with(
        &["check", "--format", "github", "-"],
        text.as_bytes(),
        false,
    );
    assert_eq!(github.lines().count(), 151);
}
