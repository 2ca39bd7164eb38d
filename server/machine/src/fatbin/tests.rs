use std::io::Cursor;

use expect_test::{Expect, expect};

use super::*;

/// One image of a container that a test makes.
#[derive(Clone)]
struct Draft {
    kind: u16,
    flags: u64,
    target: u32,
    name: &'static str,
    options: &'static str,
    /// The stored bytes, and how long they are when unpacked; 0 if they are not compressed.
    stored: Vec<u8>,
    unpacked: u64,
}

impl Draft {
    fn plain(text: &str) -> Draft {
        Draft {
            kind: 1,
            flags: 0x11,
            target: 80,
            name: "",
            options: "",
            stored: text.as_bytes().to_owned(),
            unpacked: 0,
        }
    }

    fn lz4(text: &str) -> Draft {
        Draft {
            flags: 0x2011,
            stored: lz4_flex::block::compress(text.as_bytes()),
            unpacked: text.len() as u64,
            ..Draft::plain("")
        }
    }

    fn zstd(text: &str) -> Draft {
        use ruzstd::encoding::{CompressionLevel, compress_to_vec};
        Draft {
            flags: 0x8011,
            stored: compress_to_vec(text.as_bytes(), CompressionLevel::Fastest),
            unpacked: text.len() as u64,
            ..Draft::plain("")
        }
    }

    fn entry(&self) -> Vec<u8> {
        let mut texts = Vec::new();
        let mut place = |text: &str| {
            let at = 64 + u32::try_from(texts.len()).expect("short texts");
            texts.extend(text.as_bytes());
            texts.push(0);
            (at, u32::try_from(text.len()).expect("a short text"))
        };
        let name = if self.name.is_empty() {
            (0, 0)
        } else {
            place(self.name)
        };
        let mut options = 0;
        if !self.options.is_empty() {
            let (at, length) = place(self.options);
            options = 64 + u32::try_from(texts.len()).expect("short texts");
            texts.extend(at.to_le_bytes());
            texts.extend(length.to_le_bytes());
        }
        texts.resize(texts.len().next_multiple_of(8), 0);
        let mut payload = self.stored.clone();
        payload.resize(payload.len().next_multiple_of(8), 0);
        let mut out = header(
            self,
            (64 + texts.len()) as u32,
            payload.len() as u64,
            options,
            name,
        );
        out.extend(texts);
        out.extend(payload);
        out
    }
}

fn header(it: &Draft, field: u32, size: u64, options: u32, name: (u32, u32)) -> Vec<u8> {
    let packed = if it.unpacked == 0 {
        0
    } else {
        it.stored.len() as u32
    };
    let mut out = Vec::new();
    out.extend(it.kind.to_le_bytes());
    out.extend([1, 1]);
    out.extend(field.to_le_bytes());
    out.extend(size.to_le_bytes());
    out.extend(packed.to_le_bytes());
    out.extend(options.to_le_bytes());
    out.extend([3, 0, 8, 0]);
    out.extend(it.target.to_le_bytes());
    out.extend(name.0.to_le_bytes());
    out.extend(name.1.to_le_bytes());
    out.extend(it.flags.to_le_bytes());
    out.extend([0; 8]);
    out.extend(it.unpacked.to_le_bytes());
    out
}

fn container(entries: &[Vec<u8>]) -> Vec<u8> {
    let entries = entries.concat();
    let mut out = START.to_vec();
    out.extend((entries.len() as u64).to_le_bytes());
    out.extend(entries);
    out
}

#[test]
fn what_fills_an_image_up_is_not_in_it() {
    const CUBIN: &[u8] = include_bytes!("../data/scale.cubin");
    let mut stored = CUBIN.to_vec();
    // Not a multiple of eight, as cubins of nvcc may be, and then the container has zeros.
    stored.truncate(cubin::length(CUBIN).expect("a cubin") as usize);
    for extra in 0..8 {
        let mut filled = stored.clone();
        filled.resize(stored.len() + extra, 0);
        let draft = Draft {
            kind: 2,
            stored: filled,
            ..Draft::plain("")
        };
        let bytes = container(&[draft.entry()]);
        let mut reader = Reader::new(Cursor::new(bytes)).expect("a reader");
        let Some(Part::Image(image)) = reader.next_image().expect("bytes") else {
            panic!("an image");
        };
        assert!(reader.unpack(&image).expect("a cubin") == stored);
    }
    // Other bytes stay as they are.
    let draft = Draft {
        kind: 2,
        ..Draft::plain("a\0\0\0\0\0\0\0")
    };
    let mut reader = Reader::new(Cursor::new(container(&[draft.entry()]))).expect("a reader");
    let Some(Part::Image(image)) = reader.next_image().expect("bytes") else {
        panic!("an image");
    };
    assert_eq!(reader.unpack(&image).expect("bytes").len(), 8);
}

/// An entry that has two texts in one payload.
fn two_in_one(first: &str, second: &str, count: u32) -> Vec<u8> {
    let text = format!("{first}\0\0{second}\0");
    let mut outer = Draft {
        kind: 0x100,
        target: 0,
        ..Draft::lz4(&text)
    };
    let one = |start: usize, length: usize, target: u32, flags: u64| {
        let draft = Draft {
            target,
            flags,
            ..Draft::plain("")
        };
        header(&draft, start as u32, length as u64, 0, (0, 0))
    };
    let mut table = count.to_le_bytes().to_vec();
    let parts = [
        one(0, first.len() + 2, 80, 0x11),
        one(first.len() + 2, second.len() + 1, 90, 0x10_0011),
    ];
    table.extend((8 + parts.concat().len() as u32).to_le_bytes());
    table.extend(parts.concat());
    let size = outer.stored.len().next_multiple_of(8);
    let length = (64 + table.len()) as u32;
    let mut out = header(&outer, length, size as u64, 64, (0, 0));
    outer.stored.resize(size, 0);
    out.extend(table);
    out.extend(&outer.stored);
    out
}

/// All that a file has, a line each.
fn list(bytes: &[u8]) -> String {
    let mut reader = Reader::new(Cursor::new(bytes)).expect("a cursor can be positioned");
    let mut out = String::new();
    while let Some(found) = reader.next_image().expect("a cursor can be read") {
        out += &match found {
            Part::Torn(torn) => format!("torn: {torn}\n"),
            Part::Image(image) => {
                let text = match reader.unpack(&image) {
                    Ok(text) => format!("{:?}", String::from_utf8_lossy(&text)),
                    Err(defect) => format!("error: {defect}"),
                };
                let Image {
                    kind,
                    target,
                    version,
                    identifier,
                    options,
                    compression,
                    ..
                } = image;
                format!(
                    "{kind} {target} {version:?} {identifier:?} {options:?} {compression} {text}\n"
                )
            }
        };
    }
    out
}

fn check(bytes: &[u8], expected: Expect) {
    expected.assert_eq(&list(bytes));
}

#[test]
fn each_way_to_store_a_text() {
    let named = Draft {
        name: "a.cu",
        options: "-O1 -v",
        ..Draft::plain(".version 8.0\0\0\0")
    };
    let family = Draft {
        flags: 0x20_8011,
        target: 100,
        ..Draft::zstd(&"add ".repeat(9))
    };
    let cubin = Draft {
        kind: 2,
        flags: 0x10_0011,
        target: 90,
        ..Draft::plain("code\0\0\0\0")
    };
    let other = Draft {
        kind: 77,
        ..Draft::plain("")
    };
    let entries = [named, Draft::lz4(&"mov ".repeat(9)), family, cubin, other].map(|it| it.entry());
    check(
        &container(&entries),
        expect![[r#"
            ptx sm_80 (8, 3) "a.cu" "-O1 -v" none ".version 8.0"
            ptx sm_80 (8, 3) "" "" lz4 "mov mov mov mov mov mov mov mov mov "
            ptx sm_100f (8, 3) "" "" zstd "add add add add add add add add add "
            cubin sm_90a (8, 3) "" "" none "code\0\0\0\0"
            unknown-0x4d sm_80 (8, 3) "" "" none ""
        "#]],
    );
    let two = two_in_one("first text, first text", "second", 2);
    check(
        &container(&[two, Draft::plain("third").entry()]),
        expect![[r#"
            ptx sm_80 (8, 3) "" "" lz4 "first text, first text"
            ptx sm_90a (8, 3) "" "" lz4 "second"
            ptx sm_80 (8, 3) "" "" none "third"
        "#]],
    );
}

#[test]
fn containers_are_found_anywhere() {
    let one = container(&[Draft::plain("one").entry()]);
    let two = container(&[Draft::plain("two").entry()]);
    // Around the border of what is searched at a time, and right after one another.
    for distance in PIECE - 9..PIECE + 2 {
        let mut bytes = vec![0x50; distance];
        bytes.extend(&one);
        bytes.extend(&two);
        bytes.extend([0xED; 9]);
        let found = list(&bytes);
        assert_eq!(found.lines().count(), 2, "{distance}: {found}");
    }
    // The magic number alone is not a container.
    check(START, expect![""]);
    check(&[START.as_slice(), &[255; 80]].concat(), expect![""]);
    check(b"", expect![""]);
}

#[test]
fn a_bad_image_leaves_the_others() {
    let good = Draft::plain("good").entry();
    let wrong = |change: fn(&mut Draft)| {
        let mut draft = Draft::zstd(&"sub ".repeat(20));
        change(&mut draft);
        draft.entry()
    };
    let entries = [
        wrong(|it| it.unpacked -= 1),
        wrong(|it| it.unpacked += 1),
        wrong(|it| it.unpacked = 1 << 40),
        wrong(|it| it.flags = 0x11),
        wrong(|it| it.flags = 0x2011),
        wrong(|it| it.stored.truncate(9)),
        Draft {
            unpacked: 3,
            ..Draft::lz4(&"x".repeat(40))
        }
        .entry(),
        Draft {
            unpacked: 1 << 20,
            ..Draft::lz4(&"x".repeat(40))
        }
        .entry(),
        good.clone(),
        two_in_one("a", "b", u32::MAX),
    ];
    check(
        &container(&entries),
        expect![[r#"
            ptx sm_80 (8, 3) "" "" zstd error: it has more than the 79 bytes that its header states
            ptx sm_80 (8, 3) "" "" zstd error: it has less than the 81 bytes that its header states
            ptx sm_80 (8, 3) "" "" zstd error: it states a size of 1099511627776 bytes, and 268435456 is the limit
            ptx sm_80 (8, 3) "" "" unknown error: it is compressed in a way that is not known
            ptx sm_80 (8, 3) "" "" lz4 error: the compressed data are damaged: the offset to copy is not contained in the decompressed buffer
            ptx sm_80 (8, 3) "" "" zstd error: the compressed data are damaged: Failed to parse block header: BlockContentReadError(Error { kind: UnexpectedEof, message: "failed to fill whole buffer" })
            ptx sm_80 (8, 3) "" "" lz4 error: it has more than the 3 bytes that its header states
            ptx sm_80 (8, 3) "" "" lz4 error: it has less than the 1048576 bytes that its header states
            ptx sm_80 (8, 3) "" "" none "good"
            ptx sm_80 (8, 3) "" "" lz4 "a"
            ptx sm_90a (8, 3) "" "" lz4 "b"
            torn: fat binary at 0x0, entry at 0x378: the table says 4294967295 images, but ends after 2 of them
        "#]],
    );
    // A header that cannot be: the rest of its container is lost, the next one is not.
    for (at, value) in [
        (4, 0_u32),
        (4, 63),
        (4, u32::MAX),
        (8, u32::MAX),
        (12, u32::MAX),
    ] {
        let mut bad = good.clone();
        bad[at..at + 4].copy_from_slice(&value.to_le_bytes());
        let bytes = [
            container(&[good.clone(), bad]),
            container(std::slice::from_ref(&good)),
        ]
        .concat();
        let found = list(&bytes);
        let kinds: Vec<_> = found.lines().map(|it| it.starts_with("torn")).collect();
        assert_eq!(kinds, [false, true, false], "{at} {value}: {found}");
    }
}

#[test]
fn a_file_that_ends_early_has_the_images_before() {
    let whole = container(&[
        Draft::plain("one").entry(),
        Draft::lz4(&"two ".repeat(9)).entry(),
    ]);
    check(
        &whole[..whole.len() - 4],
        expect![[r#"
        torn: fat binary at 0x0, entry at 0x0: the container has 152 bytes, but the file ends after 148
        ptx sm_80 (8, 3) "" "" none "one"
        torn: fat binary at 0x0, entry at 0x58: header and payload have 64 and 16 bytes, but the container ends after 76
    "#]],
    );
    check(
        &whole[..20],
        expect![[r#"
        torn: fat binary at 0x0, entry at 0x0: the container has 152 bytes, but the file ends after 4
        torn: fat binary at 0x0, entry at 0x10: the file ends in its header
    "#]],
    );
}

#[test]
fn any_bytes_end() {
    let mut rng = fastrand::Rng::with_seed(7);
    let entries = [
        Draft {
            name: "../../x",
            options: "-v",
            ..Draft::plain("text")
        }
        .entry(),
        Draft::zstd(&"sub ".repeat(20)).entry(),
        two_in_one("first", "second", 2),
    ];
    let good = container(&entries);
    for _ in 0..3000 {
        let mut bytes = good.clone();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(8..bytes.len());
            let random = rng.u8(..);
            bytes[at] = [0, 1, 0x7f, 0x80, 0xff, random][rng.usize(..6)];
        }
        bytes.truncate(rng.usize(0..bytes.len() + 1));
        list(&bytes);
    }
}

/// Files of `fatbinary`, and not only of the builder above.
#[test]
fn files_of_the_toolkit() {
    let original = include_str!("../data/scale.ptx");
    let lines = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut texts = Vec::new();
    for bytes in [
        include_bytes!("../data/two.fatbin").as_slice(),
        include_bytes!("../data/zstd.fatbin"),
        include_bytes!("../data/lz4.fatbin"),
    ] {
        let mut reader = Reader::new(Cursor::new(bytes)).expect("a cursor can be positioned");
        while let Some(Part::Image(image)) = reader.next_image().expect("a cursor can be read") {
            let unpacked = reader.unpack(&image).expect("an image");
            if image.kind == Kind::Cubin {
                assert!(crate::cubin::is_cubin(&unpacked));
                continue;
            }
            let text = String::from_utf8(unpacked).expect("a text");
            let of_target = original.replace("sm_90a", &image.target);
            assert_eq!(lines(&text), lines(&of_target));
            texts.push((
                image.target,
                image.identifier,
                image.options,
                image.compression,
            ));
        }
    }
    expect![[r#"
        [
            (
                "sm_90a",
                "scale.cu",
                "",
                Zstd,
            ),
            (
                "sm_80",
                "scale.cu",
                "",
                Zstd,
            ),
            (
                "sm_90a",
                "",
                "",
                Zstd,
            ),
            (
                "sm_90a",
                "scale.cu",
                "-O1",
                Lz4,
            ),
        ]"#]]
    .assert_eq(&format!("{texts:#?}"));
}

/// An input that counts the bytes that are read of it.
struct Counted<'a>(Cursor<&'a [u8]>, &'a std::cell::Cell<usize>);

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.read(buffer)?;
        self.1.set(self.1.get() + read);
        Ok(read)
    }
}

impl Seek for Counted<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[test]
fn a_flood_of_containers_is_read_once() {
    let torn = [
        &START[..],
        &u64::MAX.to_le_bytes()[..],
        &[1, 0, 1, 1, 0, 0, 0, 0],
    ]
    .concat();
    for (one, has_images) in [
        (container(&[]), false),
        (torn, false),
        (container(&[Draft::plain("x").entry()]), true),
    ] {
        let bytes = one.repeat(3 * PIECE / one.len());
        let read = std::cell::Cell::new(0);
        let mut reader = Reader::new(Counted(Cursor::new(&bytes), &read)).expect("a reader");
        let mut images = 0;
        while let Some(found) = reader.next_image().expect("a cursor can be read") {
            images += usize::from(matches!(found, Part::Image(_)));
        }
        assert_eq!(images > 0, has_images);
        assert!(
            read.get() < 3 * bytes.len(),
            "{} of {}",
            read.get(),
            bytes.len()
        );
    }
}

#[test]
fn what_is_unpacked_is_taken_from_the_room() {
    let bytes = container(&[
        Draft::plain("12345678").entry(),
        Draft::plain("12345678").entry(),
    ]);
    let mut reader = Reader::with_room(Cursor::new(&bytes), 15).expect("a reader");
    let mut unpack = || match reader.next_image().expect("bytes") {
        Some(Part::Image(image)) => (reader.unpack(&image).is_ok(), reader.room()),
        other => panic!("{other:?}"),
    };
    assert_eq!(unpack(), (true, 7));
    assert_eq!(unpack(), (false, 7));
}
