//! The command `extract`.

use super::*;

/// A fat binary with one text, and another one that ends early.
fn binary() -> Vec<u8> {
    let text = b".version 8.0\n.target sm_80\n.address_size 64\nfoo;\n\0\0\0";
    let name = b"../../a\x1b.cu\0\0\0\0\0";
    let mut out = b"\x7fELF\0\0\0\x50\xED\x55\xBA\x01\x00\x10\x00".to_vec();
    out.extend((64 + name.len() as u64 + text.len() as u64 + 64).to_le_bytes());
    for (size, stated) in [(text.len() as u64, 0_u64), (0, 1 << 50)] {
        let names = if stated == 0 { name.as_slice() } else { &[] };
        out.extend([1, 0, 1, 1]);
        out.extend((64 + names.len() as u32).to_le_bytes());
        out.extend(size.to_le_bytes());
        out.extend(u32::from(stated != 0).to_le_bytes());
        out.extend([0, 0, 0, 0, 5, 0, 8, 0]);
        out.extend(80_u32.to_le_bytes());
        out.extend([if names.is_empty() { 0 } else { 64 }, 0, 0, 0]);
        out.extend((names.len() as u32).to_le_bytes());
        out.extend(0x2011_u64.to_le_bytes());
        out.extend([0; 8]);
        out.extend(stated.to_le_bytes());
        out.extend(names);
        if stated == 0 {
            out.extend(text);
        }
    }
    out
}

#[test]
fn images_are_listed_and_written() {
    let folder = folder(&[
        ("lib.so", &binary()),
        ("sub/lib.so", &binary()),
        ("text.ptx", b"x"),
        (
            "a.cubin",
            b"\x7fELF\x02\x01\x01\x33\x07\0\0\0\0\0\0\0\x02\0\xbe\0",
        ),
    ]);
    check_in(
        folder.path(),
        &["extract", "DIR/lib.so", "DIR/text.ptx", "DIR/a.cubin"],
        b"",
        expect![[r#"
            DIR/lib.so:   1  ptx    sm_80      8.5  none         49 bytes  ../../a\u{1b}.cu
            DIR/lib.so:   2  ptx    sm_80      8.5  lz4                    damaged
            error: DIR/lib.so: image 2 (ptx, sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            warning: DIR/text.ptx: it is PTX text already
            warning: DIR/a.cubin: a cubin without PTX; `ptx-analyzer sass` shows its machine code
            status 2
        "#]],
    );
    check_in(
        folder.path(),
        &["extract", "--list", "--format", "json", "-"],
        &binary(),
        expect![[r#"
            {"file":"<stdin>","number":1,"kind":"ptx","target":"sm_80","version":"8.5","compression":"none","ident":"../../a\u001b.cu","size":49,"offset":23,"recovered":false}
            {"file":"<stdin>","number":2,"kind":"ptx","target":"sm_80","version":"8.5","compression":"lz4","ident":"","offset":155,"recovered":false,"error":"it states a size of 1125899906842624 bytes, and 268435456 is the limit"}
            error: <stdin>: image 2 (ptx, sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            status 2
        "#]],
    );
    check_in(
        folder.path(),
        &[
            "extract",
            "-o",
            "DIR/out",
            "DIR/lib.so",
            "DIR/sub/lib.so",
            "DIR/none",
        ],
        b"",
        expect![[r#"
            error: DIR/lib.so: image 2 (ptx, sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            error: DIR/sub/lib.so: image 2 (ptx, sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            error: DIR/none: No such file or directory (os error 2)
            status 2
        "#]],
    );
    let mut names: Vec<_> = fs::read_dir(folder.path().join("out"))
        .expect("a folder")
        .map(|it| it.expect("a file").file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["lib-2.1.sm_80.ptx", "lib.1.sm_80.ptx"]);
    let text = fs::read(folder.path().join("out/lib.1.sm_80.ptx")).expect("a text");
    assert!(text.ends_with(b"foo;\n"));
}

#[test]
fn checks_read_binaries() {
    let folder = folder(&[("lib.so", &binary()), ("empty.o", b"\x7fELF\0\0")]);
    check_in(
        folder.path(),
        &["check", "--format", "github", "DIR/lib.so", "DIR/empty.o"],
        b"",
        expect![[r#"
            ::error title=syntax-error,file=DIR/lib.so/1.sm_80.ptx,line=4,endLine=4,col=1,endColumn=4::`foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`
            checked 1 file: 1 error
            error: DIR/empty.o: a binary without PTX
            error: DIR/lib.so: image 2 (sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            status 2
        "#]],
    );
    check_in(
        folder.path(),
        &["registers", "DIR/lib.so"],
        b"",
        expect![[r#"
            error: DIR/lib.so: image 2 (sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            status 2
        "#]],
    );
}

#[test]
fn packed_files_are_told() {
    let folder = folder(&[
        ("a.whl", b"PK\x03\x04\x14\0\0\0\x08\0"),
        ("b.gz", b"\x1f\x8b\x08\0"),
    ]);
    check_in(
        folder.path(),
        &["extract", "DIR/a.whl", "DIR/b.gz"],
        b"",
        expect![[r#"
            error: DIR/a.whl: the zip archive is damaged: invalid Zip archive: Could not find EOCD
            error: DIR/b.gz: it is packed with gzip: unpack it first
            status 2
        "#]],
    );
    check_in(
        folder.path(),
        &["check", "DIR/a.whl"],
        b"",
        expect![[r#"
            error: DIR/a.whl: the zip archive is damaged: invalid Zip archive: Could not find EOCD
            status 2
        "#]],
    );
}

/// A wheel with a text, a library and a damaged member.
fn wheel() -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    let mut add = |name: &str, bytes: &[u8]| {
        let options = zip::write::SimpleFileOptions::default();
        writer.start_file(name, options).unwrap();
        writer.write_all(bytes).unwrap();
    };
    add("pkg/__init__.py", b"import os");
    add("pkg/lib\x1b.so", &binary());
    let noise: Vec<u8> = (0..2_000_u32).map(|it| (it * it % 251) as u8).collect();
    add("pkg/torn.so", &noise);
    let mut bytes = writer.finish().unwrap().into_inner();
    // The data of the last member end where the list of members begins.
    let list = bytes.windows(4).position(|it| it == b"PK\x01\x02").unwrap();
    bytes[list - 8] ^= 0xff;
    bytes
}

#[test]
fn members_of_wheels_are_read() {
    let folder = folder(&[("a.whl", &wheel())]);
    check_in(
        folder.path(),
        &["extract", "DIR/a.whl"],
        b"",
        expect![[r#"
            DIR/a.whl/pkg/lib\u{1b}.so:   1  ptx    sm_80      8.5  none         49 bytes  ../../a\u{1b}.cu
            DIR/a.whl/pkg/lib\u{1b}.so:   2  ptx    sm_80      8.5  lz4                    damaged
            DIR/a.whl/pkg/torn.so:   3  packed                  none                   damaged
            error: DIR/a.whl/pkg/lib\u{1b}.so: image 2 (ptx, sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            error: DIR/a.whl/pkg/torn.so: image 3 (packed): corrupt deflate stream
            status 2
        "#]],
    );
    check_in(
        folder.path(),
        &["check", "DIR/a.whl"],
        b"",
        expect![[r#"
            error[syntax-error]: `foo` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`
             --> DIR/a.whl/1.sm_80.ptx:4:1
              |
            4 | foo;
              | ^^^

            checked 1 file: 1 error
            error: DIR/a.whl: image 2 (sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            error: DIR/a.whl: pkg/torn.so: corrupt deflate stream
            status 2
        "#]],
    );
}

/// An object that keeps two modules as text, with other strings around them.
fn object() -> Vec<u8> {
    let module = |target: &str| {
        format!(
            ".version 8.0\n.target {target}\n.address_size 64\n.visible .entry k()\n{{\n\tret;\n}}\n"
        )
    };
    let mut bytes = b"\x7fELF\x02\x01\x01\0\0.version %d.%d\n.target %s\n\0".to_vec();
    bytes.extend(b"//\n// Generated by LLVM NVPTX Back-End\n//\n\n");
    bytes.extend(module("sm_80").as_bytes());
    bytes.extend(b"\0\x01\x02\0");
    bytes.extend(module("sm_90a, debug").as_bytes());
    bytes.extend(b"src/main.rs");
    bytes
}

#[test]
fn plain_text_in_binaries_is_found() {
    let folder = folder(&[
        ("k.o", &object()),
        ("all.so", &[binary(), object()].concat()),
    ]);
    check_in(
        folder.path(),
        &["extract", "-o", "DIR/out", "--list", "DIR/k.o"],
        b"",
        expect![[r#"
            DIR/k.o:   1  ptx    sm_80      8.0  none         74 bytes  kept as plain text
            DIR/k.o:   2  ptx    sm_90a     8.0  none         82 bytes  kept as plain text
            status 0
        "#]],
    );
    let text = fs::read_to_string(folder.path().join("out/k.2.sm_90a.ptx")).expect("a text");
    assert!(
        text.starts_with(".version 8.0\n") && text.ends_with("}\n"),
        "{text}"
    );
    check_in(
        folder.path(),
        &["check", "DIR/k.o"],
        b"",
        expect![[r#"
            error[missing-directive]: `debug` needs debug sections, but the module has no `.section`
             --> DIR/k.o/2.sm_90a.ptx:2:17
              |
            2 | .target sm_90a, debug
              |                 ^^^^^

            checked 2 files: 1 error
            status 1
        "#]],
    );
    // The text of an image is not found again, and the damaged one before does not hide the others.
    check_in(
        folder.path(),
        &["extract", "DIR/all.so"],
        b"",
        expect![[r#"
            DIR/all.so:   1  ptx    sm_80      8.5  none         49 bytes  ../../a\u{1b}.cu
            DIR/all.so:   2  ptx    sm_80      8.5  lz4                    damaged
            DIR/all.so:   3  ptx    sm_80      8.0  none         74 bytes  kept as plain text
            DIR/all.so:   4  ptx    sm_90a     8.0  none         82 bytes  kept as plain text
            error: DIR/all.so: image 2 (ptx, sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            status 2
        "#]],
    );
}

#[test]
fn nothing_found_has_status_1() {
    let text = format!("{GOOD}.entry k() {{ ret; }}\n");
    let folder = folder(&[
        ("k.ptx", text.as_bytes()),
        ("text", GOOD.as_bytes()),
        ("k.cu", b"int a;"),
        ("a.bin", b"\0\x01\x02"),
        ("lib.so", &object()),
    ]);
    check_in(
        folder.path(),
        &["extract", "DIR/k.ptx", "DIR/text", "DIR/k.cu", "DIR/a.bin"],
        b"",
        expect![[r#"
            warning: DIR/k.ptx: it is PTX text already
            warning: DIR/text: it is PTX text already
            warning: DIR/k.cu: it is source code; --asm extracts the PTX in its strings
            warning: DIR/a.bin: no PTX and no machine code inside
            status 1
        "#]],
    );
    check_in(
        folder.path(),
        &["extract", "--asm", "DIR/k.cu"],
        b"",
        expect![[r#"
            warning: no PTX found in strings
            status 1
        "#]],
    );
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (status, ..) = run_with(&["extract", &path("a.bin"), &path("lib.so")], b"", false);
    assert_eq!(status, 0);
}

#[test]
fn files_are_replaced_only_when_asked() {
    let folder = folder(&[
        ("k.o", &object()),
        ("out/k.1.sm_80.ptx", b"mine"),
        ("victim", b"mine"),
    ]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("../victim", folder.path().join("out/k.2.sm_90a.ptx"))
        .expect("a link");
    #[cfg(not(unix))]
    fs::write(folder.path().join("out/k.2.sm_90a.ptx"), "mine").expect("a file");
    check_in(
        folder.path(),
        &["extract", "-o", "DIR/out", "DIR/k.o"],
        b"",
        expect![[r#"
            error: DIR/k.o: image 1 (ptx, sm_80): DIR/out/k.1.sm_80.ptx: the file exists; --force replaces it
            error: DIR/k.o: image 2 (ptx, sm_90a): DIR/out/k.2.sm_90a.ptx: the file exists; --force replaces it
            status 2
        "#]],
    );
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("a file");
    assert_eq!(
        (&*read("out/k.1.sm_80.ptx"), &*read("victim")),
        ("mine", "mine")
    );
    check_in(
        folder.path(),
        &["extract", "-o", "DIR/out", "--force", "DIR/k.o"],
        b"",
        expect![[r#"
            status 0
        "#]],
    );
    assert!(read("out/k.2.sm_90a.ptx").starts_with(".version"));
    assert_eq!(read("victim"), "mine");
    for force in [false, true] {
        let folder = folder.path().to_string_lossy().into_owned();
        let source = format!("{folder}/k.cu");
        fs::write(&source, "__global__ void k() { asm(\"bar.sync 0;\"); }").expect("a file");
        let out = format!("{folder}/out");
        let mut args = vec!["extract", "--asm", "-o", &out, &source];
        let (status, ..) = run_with(&args, b"", false);
        assert_eq!(status, if force { 2 } else { 0 });
        args.push("--force");
        assert_eq!(run_with(&args, b"", false).0, 0);
    }
}

#[test]
fn failures_are_counted_after_a_hundred() {
    // Each one is a container that ends early.
    let container =
        b"\x50\xED\x55\xBA\x01\x00\x10\x00\xff\xff\xff\xff\xff\xff\0\0\x01\0\x01\x01\0\0\0\0";
    let bytes = [b"\x7fELF\0".to_vec(), container.repeat(20_000)].concat();
    let folder = folder(&[("a.so", &bytes)]);
    let path = folder.path().join("a.so").to_string_lossy().into_owned();
    for command in ["extract", "check", "registers", "sass"] {
        let (status, _, stderr) = run_with(&[command, &path], b"", false);
        assert_eq!(status, 2, "{command}");
        assert_eq!(stderr.lines().count(), 101, "{command}");
        let last = stderr.lines().last().unwrap_or_default();
        assert!(
            last.ends_with("more parts cannot be read"),
            "{command}: {last}"
        );
    }
}

#[test]
fn a_text_that_is_too_long_is_not_judged() {
    let long = format!(
        "\0.version 8.0\n.target sm_80\n.entry k() {{ /*{}*/ ret; }}\n\0",
        " ".repeat(64 << 20)
    );
    let short = object();
    let folder = folder(&[("a.so", &[long.as_bytes(), &short].concat())]);
    check_in(
        folder.path(),
        &["check", "DIR/a.so"],
        b"",
        expect![[r#"
            error[missing-directive]: `debug` needs debug sections, but the module has no `.section`
             --> DIR/a.so/3.sm_90a.ptx:2:17
              |
            2 | .target sm_90a, debug
              |                 ^^^^^

            checked 2 files: 1 error
            error: DIR/a.so: image 1 (sm_80): its text has 67108916 bytes, and 67108864 is the limit
            status 2
        "#]],
    );
}
