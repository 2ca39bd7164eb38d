//! With programs that stand in for `ptxas` and `nvdisasm`.

use std::process::Command;

use super::*;

const SCRIPT: &str = r#"
cat > "$0/ptxas" <<END
#!/bin/sh
case \$1 in
--help) echo "'sm_90a'"; exit 0 ;;
--version) exit 0 ;;
esac
grep -q wrong input.ptx && { echo 'ptxas input.ptx, line 2; error : Wrong' >&2; exit 255; }
cp "$1/scale.cubin" output.cubin
echo "ptxas info : Compiling entry function 'scale' for 'sm_90a'" >&2
echo 'ptxas info : Used 16 registers' >&2
END
cat > "$0/nvdisasm" <<END
#!/bin/sh
cat "$1/scale.sass"
END
chmod 755 "$0/ptxas" "$0/nvdisasm""#;

#[test]
fn machine_code_with_lines() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("machine/src/data");
    let text = fs::read(data.join("scale.ptx")).expect("a text");
    let wrong = b".version 8.0\n.target sm_90a\nwrong";
    let folder = folder(&[
        ("scale.ptx", &text),
        ("wrong.ptx", wrong),
        ("empty.ptx", b""),
    ]);
    let made = Command::new("sh")
        .args(["-c", SCRIPT])
        .arg(folder.path())
        .arg(&data)
        .status();
    assert!(made.expect("a shell").success());
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (ptxas, scale) = (path("ptxas"), path("scale.ptx"));
    let (status, table, complaints) = run_with(&["sass", "--ptxas", &ptxas, &scale], b"", false);
    assert_eq!((status, &*complaints), (0, ""));
    let first: Vec<_> = table.lines().take(12).collect();
    expect![[r#"
        scale for sm_90a: 136 instructions, 16 registers, at most 13 live, first at line 29
          cu: scale.cu
         address  live  stall  waits for
          block: 16 instructions, stalls 48, 5 waits; global: 1 load of 4 bytes
            14 | {  (cu:3)
            0000     1      1                  LDC R1, c[0x0][0x28]
            22 | mov.u32 %r1, %tid.x;  (cu:3)
            0010     2      7                  S2R R3, SR_TID.X
            24 | add.u64 %rd3, %rd1, %rd2;  (cu:3)
            0020     4      1                  LDC.64 R4, c[0x0][0x210]
            14 | {  (cu:3)
            0030     4      7                  ULDC.64 UR4, c[0x0][0x208]"#]]
    .assert_eq(&first.join("\n"));
    let routines: Vec<_> = table
        .lines()
        .filter(|it| it.contains("routine") || it.starts_with("function"))
        .collect();
    expect![[r#"
        routine of ptxas __cuda_sm3x_div_rn_noftz_f32_slowpath
        function square"#]]
    .assert_eq(&routines.join("\n"));
    let arguments = [
        "sass", "--ptxas", &ptxas, "--format", "json", "--entry", "scale", &scale,
    ];
    let (status, record, _) = run_with(&arguments, b"", false);
    let record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    assert_eq!((status, &record["registers"]), (0, &16.into()));
    expect![[r#"{"address":144,"line":29,"live":5,"read":null,"reuse":0,"source":{"file":"scale.cu","line":4},"stall":4,"text":"FFMA R3, R2, -R7, 1","wait":[0],"waits_for":[112],"write":null,"yield":true}"#]].assert_eq(&record["instructions"][9].to_string());
    // A cubin is read as it is, and without nvdisasm it has lines and stalls still.
    let cubin = data.join("scale.cubin").to_string_lossy().into_owned();
    let of_cubin = |ptxas: &str, more: &[&str]| {
        let arguments = [
            &["sass", "--ptxas", ptxas, "--format", "json"],
            more,
            &[&cubin],
        ]
        .concat();
        let (status, record, complaints) = run_with(&arguments, b"", false);
        let record: serde_json::Value = serde_json::from_str(&record).unwrap_or_default();
        let row = &record["instructions"][9];
        let shown = format!(
            "{} {} {} {} {}",
            record["target"], row["line"], row["stall"], row["text"], record["blocks"][0]
        );
        (status, shown, complaints.replace(&cubin, "scale.cubin"))
    };
    expect![[r#"
        (
            0,
            "\"sm_90\" 29 4 \"FFMA R3, R2, -R7, 1\" {\"address\":0,\"instructions\":16,\"memory\":[{\"bytes\":4,\"count\":1,\"operation\":\"load\",\"space\":\"global\"}],\"stalls\":48,\"waits\":5}",
            "",
        )
    "#]].assert_debug_eq(&of_cubin(&ptxas, &["--target", "sm_90a"]));
    expect![[r#"
        (
            0,
            "\"sm_90\" 29 4 \"\" null",
            "note: scale.cubin: there is no nvdisasm that reads it, so the instructions have no text\n",
        )
    "#]].assert_debug_eq(&of_cubin("/no/ptxas", &[]));
    expect![[r#"
        (
            2,
            "null null null null null",
            "error: scale.cubin: no cubin in it is for sm_80\n",
        )
    "#]]
    .assert_debug_eq(&of_cubin(&ptxas, &["--target", "sm_80"]));
    let refuse = |arguments: &[&str], expected: Expect| {
        check_in(
            folder.path(),
            &[&["sass", "--ptxas", "DIR/ptxas"], arguments].concat(),
            b"",
            expected,
        );
    };
    refuse(
        &["--entry", "other", "DIR/scale.ptx"],
        expect![[r#"
        error: DIR/scale.ptx: there is no machine code of other
        status 2
    "#]],
    );
    refuse(
        &["DIR/wrong.ptx"],
        expect![[r#"
        error: DIR/wrong.ptx:2: ptxas: Wrong
        status 2
    "#]],
    );
    refuse(
        &["DIR/empty.ptx"],
        expect![[r#"
        error: DIR/empty.ptx: the file has no .target
        status 2
    "#]],
    );
}
