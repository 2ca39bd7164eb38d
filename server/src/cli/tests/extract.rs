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
            DIR/lib.so:   1  ptx    sm_80      8.5  none         49 bytes  ../../a�.cu
            DIR/lib.so:   2  ptx    sm_80      8.5  lz4                    damaged
            error: DIR/lib.so: image 2 (ptx, sm_80): it states a size of 1125899906842624 bytes, and 268435456 is the limit
            DIR/text.ptx: no PTX and no machine code inside
            DIR/a.cubin: a cubin without PTX; `ptx-analyzer sass` shows its machine code
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
            DIR/a.whl/pkg/lib\u{1b}.so:   1  ptx    sm_80      8.5  none         49 bytes  ../../a�.cu
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
