//! The command `diff`.

use super::*;

const OLD: &str = "\
.version 8.0
.target sm_80
.address_size 64
.entry a() {
    .reg .b32 %r<5>;
    mov.u32 %r1, %tid.x;
    add.u32 %r2, %r1, 1;
    st.shared.u32 [0], %r2;
    ret;
}
.entry b() { ret; }
.entry c() { trap; }
";

fn files() -> TempDir {
    let new = OLD
        .replace("sm_80", "sm_90")
        .replace(
            "add.u32 %r2, %r1, 1",
            "mul.lo.u32 %r3, %r1, %r1;\n    add.u32 %r2, %r3, 2",
        )
        .replace(".entry b() { ret; }\n", ".entry d() { exit; }\n");
    folder(&[
        ("old/k.ptx", OLD.as_bytes()),
        ("new/k.ptx", new.as_bytes()),
        ("new/other.ptx", GOOD.as_bytes()),
    ])
}

#[test]
fn differences_for_people() {
    let folder = files();
    check_in(
        folder.path(),
        &["diff", "DIR/old/k.ptx", "DIR/new/k.ptx"],
        b"",
        expect![[r#"
            DIR/old/k.ptx -> DIR/new/k.ptx: functions: 1 changed, 1 added, 1 removed, 1 same
            .target sm_80 -> sm_90
            changed .entry a: +2 -1
              -      7         add.u32 %r2, %r1, 1;
              +             7  mul.lo.u32 %r3, %r1, %r1;
              +             8  add.u32 %r2, %r3, 2;
            added .entry d: +1 -0
            removed .entry b: +0 -1
            status 1
        "#]],
    );
    check_in(
        folder.path(),
        &["diff", "DIR/old/k.ptx", "DIR/old/k.ptx"],
        b"",
        expect![[r#"
            DIR/old/k.ptx -> DIR/old/k.ptx: functions: 3 same
            status 0
        "#]],
    );
    check_in(
        folder.path(),
        &["diff", "DIR/old", "DIR/new"],
        b"",
        expect![[r#"
            only in the new one: DIR/new/other.ptx
            DIR/old/k.ptx -> DIR/new/k.ptx: functions: 1 changed, 1 added, 1 removed, 1 same
            .target sm_80 -> sm_90
            changed .entry a: +2 -1
              -      7         add.u32 %r2, %r1, 1;
              +             7  mul.lo.u32 %r3, %r1, %r1;
              +             8  add.u32 %r2, %r3, 2;
            added .entry d: +1 -0
            removed .entry b: +0 -1
            status 1
        "#]],
    );
    check_in(
        folder.path(),
        &["diff", "DIR/old/k.ptx", "DIR/none"],
        b"",
        expect![[r#"
            error: DIR/none: No such file or directory (os error 2)
            status 2
        "#]],
    );
}

#[test]
fn differences_for_programs() {
    let folder = files();
    check_in(
        folder.path(),
        &["diff", "--format", "json", "DIR/old/k.ptx", "DIR/new/k.ptx"],
        b"",
        expect![[r#"
            {"added":[[7,7],[8,8]],"change":"changed","declarations":false,"file":"DIR/new/k.ptx","function":"a","instructions_added":2,"instructions_moved":0,"instructions_removed":1,"line":4,"moved":[],"old_file":"DIR/old/k.ptx","old_line":4,"removed":[[7,7]],"rewired":[]}
            {"added":[[12,12]],"change":"added","declarations":false,"file":"DIR/new/k.ptx","function":"d","instructions_added":1,"instructions_moved":0,"instructions_removed":0,"line":12,"moved":[],"removed":[],"rewired":[]}
            {"added":[],"change":"same","declarations":false,"file":"DIR/new/k.ptx","function":"c","instructions_added":0,"instructions_moved":0,"instructions_removed":0,"line":13,"moved":[],"old_file":"DIR/old/k.ptx","old_line":12,"removed":[],"rewired":[]}
            {"added":[],"change":"removed","declarations":false,"function":"b","instructions_added":0,"instructions_moved":0,"instructions_removed":1,"moved":[],"old_file":"DIR/old/k.ptx","old_line":11,"removed":[[11,11]],"rewired":[]}
            status 1
        "#]],
    );
    let (status, document, _) = run_with(
        &[
            "diff",
            "--format",
            "sarif",
            "--fail-on",
            "registers",
            folder.path().join("old").to_str().expect("a path"),
            folder.path().join("new").to_str().expect("a path"),
        ],
        b"",
        false,
    );
    assert_eq!(status, 0);
    let document: serde_json::Value = serde_json::from_str(&document).expect("JSON");
    let results = document["runs"][0]["results"].as_array().expect("a list");
    let texts: Vec<_> = results
        .iter()
        .map(|it| it["message"]["text"].as_str())
        .collect();
    expect![[r#"
        [
            Some(
                "changed a: +2 -1, registers ~8 -> ~8",
            ),
            Some(
                "added d: +1 -0, registers - -> ~4",
            ),
            Some(
                "removed b: +0 -1, registers ~4 -> -",
            ),
        ]"#]]
    .assert_eq(&format!("{texts:#?}"));
}

#[test]
fn images_for_other_targets_are_paired_by_their_functions() {
    let module = |target: &str, name: &str, value: u32| {
        format!(
            ".version 8.0\n.target {target}\n.entry {name}() {{ .reg .b32 %r; mov.b32 %r, {value}; st.shared.b32 [0], %r; ret; }}\n\0"
        )
    };
    let library = |modules: &[String]| [b"\x7fELF\0", modules.concat().as_bytes()].concat();
    let old = library(&[
        module("sm_80", "a", 1),
        module("sm_80", "b", 2),
        module("sm_80", "c", 3),
    ]);
    let new = library(&[
        module("sm_90", "b", 2),
        module("sm_90", "d", 4),
        module("sm_90", "a", 5),
    ]);
    let folder = folder(&[("old.so", &old), ("new.so", &new)]);
    check_in(
        folder.path(),
        &["diff", "DIR/old.so", "DIR/new.so"],
        b"",
        expect![[r#"
            only in the old one: DIR/old.so/3.sm_80.ptx
            only in the new one: DIR/new.so/2.sm_90.ptx
            DIR/old.so/1.sm_80.ptx -> DIR/new.so/3.sm_90.ptx: functions: 1 changed, 0 same
            .target sm_80 -> sm_90
            changed .entry a: +1 -1
              -      3         mov.b32 %r, 1;
              +             3  mov.b32 %r, 5;
            DIR/old.so/2.sm_80.ptx -> DIR/new.so/1.sm_90.ptx: functions: 1 same
            .target sm_80 -> sm_90
            status 1
        "#]],
    );
}
