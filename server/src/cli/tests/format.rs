//! The command `format`.

use super::*;

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
fn lines_end_as_editorconfig_says() {
    let folder = folder(&[
        (
            ".editorconfig",
            b"root = true\n[*.ptx]\nend_of_line = crlf\n[b.ptx]\nend_of_line = lf\n",
        ),
        ("a.ptx", b".version 8.0\n.target sm_90\r\n// \r"),
        ("b.ptx", b".version 8.0\r\n.target sm_90"),
    ]);
    check_in(
        folder.path(),
        &["format", "DIR"],
        b"",
        expect![[r#"
            status 0
        "#]],
    );
    let read = |name: &str| fs::read(folder.path().join(name)).expect("a file");
    assert_eq!(read("a.ptx"), b".version 8.0\r\n.target sm_90\r\n// \r");
    assert_eq!(read("b.ptx"), b".version 8.0\n.target sm_90");
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
