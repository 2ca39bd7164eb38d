//! Files that carry PTX: executables, libraries, archives, objects, fat binaries, cubins, and wheels with such files.

mod archive;
mod plain;

use std::{
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
    path::Path,
};

use machine::{
    cubin,
    fatbin::{Compression, Defect, Image, Kind, MAX_FILE, MAX_IMAGE, Part, Reader, Torn},
};

use syntax::text::is_binary as is_data;

use crate::files::{Regular, decode, is_ptx, open};

/// How much of a file decides whether it is text, in bytes.
const BEGINNING: usize = 4096;
/// A longer text is not judged, in bytes; the language server has the same limit for files.
const MAX_TEXT: u64 = 64 << 20;
/// The most that is kept of all texts of a file where all are needed at once, in bytes.
const MAX_KEPT: usize = 1 << 30;
/// More parts of a file that cannot be read are only counted.
const MAX_FAILURES: usize = 100;

/// A file, or a stand-in for one.
pub(crate) trait Input: Read + Seek {}
impl<T: Read + Seek> Input for T {}

/// A part of a binary: an image, a text, or damage.
pub(crate) struct Content {
    /// Its number in the file, from 1.
    pub(crate) number: usize,
    /// The member of an archive in which it is, without control characters.
    pub(crate) member: Option<String>,
    pub(crate) what: ContentKind,
}

/// The kind of a part of a binary.
pub(crate) enum ContentKind {
    /// An image of a fat binary, and its bytes if they are wanted.
    Image(Image, Option<Result<Vec<u8>, Defect>>),
    /// The PTX of a cubin, from its debug information.
    Recovered(String),
    /// PTX that is kept as plain text, and its offset in the file.
    Plain(u64, String),
    /// Something that cannot be read.
    Torn(Torn),
    /// A member of an archive that cannot be unpacked, and why.
    Packed(String),
    /// So many more parts that cannot be read.
    More(usize),
}

impl ContentKind {
    /// The target that it is for.
    pub(crate) fn target(&self) -> String {
        match self {
            ContentKind::Image(image, _) => image.target.clone(),
            ContentKind::Recovered(text) | ContentKind::Plain(_, text) => {
                let directive = text.lines().find_map(|it| it.strip_prefix(".target"));
                let target =
                    directive.and_then(|it| it.split([',', ' ', '\t']).find(|it| !it.is_empty()));
                target
                    .filter(|it| is_plain(it))
                    .unwrap_or_default()
                    .to_owned()
            }
            ContentKind::Torn(_) | ContentKind::Packed(_) | ContentKind::More(_) => String::new(),
        }
    }

    /// Whether it cannot be read.
    fn is_failure(&self) -> bool {
        match self {
            ContentKind::Image(_, bytes) => bytes.as_ref().is_some_and(Result::is_err),
            ContentKind::Recovered(_) | ContentKind::Plain(..) => false,
            ContentKind::Torn(_) | ContentKind::Packed(_) | ContentKind::More(_) => true,
        }
    }

    /// The name that the compiler gives it, mostly by its source file; often empty.
    fn identifier(&self) -> &str {
        match self {
            ContentKind::Image(image, _) => &image.identifier,
            _ => "",
        }
    }

    /// How it is stored.
    pub(crate) fn compression(&self) -> Compression {
        match self {
            ContentKind::Image(image, _) => image.compression,
            _ => Compression::None,
        }
    }
}

/// Whether a word may be a part of the name of a file.
fn is_plain(word: &str) -> bool {
    word.bytes()
        .all(|it| it.is_ascii_alphanumeric() || it == b'_')
}

/// The error of a file of PTX that is other data.
pub(crate) const NOT_TEXT: &str = "this is not PTX text: binary";

/// Whether a file is not a text: executables, objects and containers have zeros near their beginning.
pub(crate) fn is_binary(beginning: &[u8]) -> bool {
    beginning.starts_with(b"!<arch>\n")
        || beginning.starts_with(b"!<thin>\n")
        || beginning.contains(&0)
}

/// The format in which a file is packed, by its first bytes, if its contents cannot be seen.
pub(crate) fn packed(beginning: &[u8]) -> Option<&'static str> {
    const FORMATS: [(&[u8], &str); 4] = [
        (b"\x1f\x8b", "gzip"),
        (b"\xfd7zXZ\0", "xz"),
        (b"BZh", "bzip2"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
    ];
    let format = FORMATS.iter().find(|it| beginning.starts_with(it.0));
    format.map(|it| it.1)
}

/// The first bytes of a file, which decide its kind.
pub(crate) fn beginning(file: &mut Regular) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    file.take(BEGINNING as u64).read_to_end(&mut beginning)?;
    Ok(beginning)
}

/// Visits what a binary has, in its order; images for which `wanted` says so are unpacked, one at a time.
///
/// # Errors
/// If the file cannot be read, or `visit` fails.
pub(crate) fn visit(
    mut input: impl Input,
    wanted: impl Fn(Kind) -> bool,
    mut visit: impl FnMut(Content) -> io::Result<()>,
) -> io::Result<()> {
    let (mut number, mut failures) = (0, 0);
    let mut next = |member: Option<&str>, what: ContentKind| {
        number += 1;
        if what.is_failure() {
            failures += 1;
            if failures > MAX_FAILURES {
                return Ok(());
            }
        }
        visit(Content {
            number,
            member: member.map(str::to_owned),
            what,
        })
    };
    let mut beginning = Vec::new();
    input.seek(SeekFrom::Start(0))?;
    input
        .by_ref()
        .take(BEGINNING as u64)
        .read_to_end(&mut beginning)?;
    if archive::is_archive(&beginning) {
        archive::visit(input, |name, member, room| match member {
            Ok(file) => {
                let own = MAX_FILE.min(*room);
                let left = images(file, own, true, &wanted, &mut |what| next(Some(name), what))?;
                *room -= own - left;
                Ok(())
            }
            Err(error) => next(Some(name), ContentKind::Packed(error)),
        })?;
    } else {
        let has_strings = is_binary(&beginning);
        images(input, MAX_FILE, has_strings, &wanted, &mut |what| {
            next(None, what)
        })?;
    }
    match failures.checked_sub(MAX_FAILURES) {
        None | Some(0) => Ok(()),
        Some(more) => visit(Content {
            number,
            member: None,
            what: ContentKind::More(more),
        }),
    }
}

/// Visits what a file has, also as plain text if it has strings, of which at most `room` bytes are unpacked. Returns the room
/// that remains.
fn images(
    mut input: impl Input,
    room: u64,
    has_strings: bool,
    wanted: &impl Fn(Kind) -> bool,
    visit: &mut dyn FnMut(ContentKind) -> io::Result<()>,
) -> io::Result<u64> {
    let mut reader = Reader::with_room(&mut input, room)?;
    let mut known = Vec::new();
    while let Some(found) = reader.next_image()? {
        visit(match found {
            Part::Image(image) => {
                known.push(image.stored());
                let bytes = wanted(image.kind).then(|| reader.unpack(&image));
                ContentKind::Image(image, bytes)
            }
            Part::Torn(torn) => ContentKind::Torn(torn),
        })?;
    }
    let mut room = reader.room();
    match recovered(&mut input)? {
        Some(text) => visit(ContentKind::Recovered(text))?,
        None if !has_strings => {}
        None => plain::visit(&mut input, &joined(known), &mut |it| {
            let len = it.text.len() as u64;
            match room.checked_sub(len) {
                Some(rest) => {
                    room = rest;
                    visit(ContentKind::Plain(it.offset, decode(it.text).0))
                }
                None => visit(ContentKind::Packed(Defect::File.to_string())),
            }
        })?,
    }
    Ok(room)
}

/// Ranges in their order, with those that meet as one.
fn joined(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_unstable_by_key(|it| it.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// The bytes of a file that is a cubin; others are left where they are.
pub(crate) fn whole_cubin(input: &mut impl Input) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    input.seek(SeekFrom::Start(0))?;
    input.take(cubin::HEADER as u64).read_to_end(&mut bytes)?;
    if !cubin::is_cubin(&bytes) {
        return Ok(None);
    }
    input.take(MAX_IMAGE).read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// The PTX that the debug information of a cubin has.
fn recovered(input: &mut impl Input) -> io::Result<Option<String>> {
    Ok(whole_cubin(input)?.and_then(|it| cubin::ptx_text(&it)))
}

/// A PTX text.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    /// Its name; for a text in a binary, below the name of the binary, such as `libfoo.so/3.sm_90a.ptx`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The key by which it is also found in other builds: the target and the name of the source.
    pub(crate) image: Option<(String, String)>,
}

/// The PTX texts that a file has.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) texts: Vec<Text>,
    /// The parts that cannot be read, and why.
    pub(crate) failures: Vec<String>,
}

/// The text of a PTX file, or all texts that a binary carries, up to a limit for all of them.
pub(crate) fn texts(path: &Path) -> Texts {
    let (mut texts, mut kept, mut more) = (Vec::new(), 0, 0);
    let mut failures = each_text(path, &mut |text| {
        kept += text.text.len();
        match kept <= MAX_KEPT || texts.is_empty() {
            true => texts.push(text),
            false => more += 1,
        }
    });
    if more > 0 {
        let name = path.to_string_lossy();
        failures.push(format!(
            "{name}: {more} more texts are left out: they have more than {MAX_KEPT} bytes together"
        ));
    }
    Texts { texts, failures }
}

/// Visits the text of a PTX file, or all texts that a binary carries, one after the other. Returns the parts that cannot
/// be read, and why.
pub(crate) fn each_text(path: &Path, visit: &mut dyn FnMut(Text)) -> Vec<String> {
    let name = path.to_string_lossy();
    let mut failures = Vec::new();
    if let Err(error) = read_texts(path, &name, visit, &mut failures) {
        failures.push(format!("{name}: {error}"));
    }
    failures
}

fn read_texts(
    path: &Path,
    name: &str,
    visit: &mut dyn FnMut(Text),
    failures: &mut Vec<String>,
) -> io::Result<()> {
    let mut file = open(path)?;
    let mut beginning = beginning(&mut file)?;
    if !is_ptx(path) && is_binary(&beginning) {
        let mut is_empty = true;
        binary_texts(
            file,
            name,
            &mut |text| {
                is_empty = false;
                visit(text);
            },
            failures,
        )?;
        if is_empty && failures.is_empty() {
            failures.push(match packed(&beginning) {
                Some(format) => format!("{name}: it is packed with {format}: unpack it first"),
                None => format!("{name}: a binary without PTX"),
            });
        }
        return Ok(());
    }
    file.read_to_end(&mut beginning)?;
    let text = decode(beginning).0;
    // A text with a zero in it is a text with an error.
    if is_ptx(path) && is_data(&text) {
        return Err(io::Error::other(NOT_TEXT));
    }
    visit(Text {
        name: name.to_owned(),
        text,
        image: None,
    });
    Ok(())
}

fn binary_texts(
    input: impl Input,
    name: &str,
    found: &mut dyn FnMut(Text),
    failures: &mut Vec<String>,
) -> io::Result<()> {
    visit(
        input,
        |kind| kind == Kind::Ptx,
        |content| {
            let Content {
                number,
                member,
                what,
            } = content;
            let target = what.target();
            let identifier = what.identifier().to_owned();
            let text = match what {
                ContentKind::Image(_, None) => return Ok(()),
                ContentKind::Image(_, Some(Ok(bytes))) => Ok(decode(bytes).0),
                ContentKind::Recovered(text) | ContentKind::Plain(_, text) => Ok(text),
                ContentKind::Image(_, Some(Err(defect))) => {
                    Err(format!("image {number} ({target}): {defect}"))
                }
                ContentKind::Torn(torn) => Err(format!("image {number}: {torn}")),
                ContentKind::Packed(error) => match member {
                    Some(member) => Err(format!("{member}: {error}")),
                    None => Err(error),
                },
                ContentKind::More(count) => Err(more(count)),
            };
            let text = text.and_then(|text| match text.len() as u64 <= MAX_TEXT {
                true => Ok(text),
                false => Err(format!(
                    "image {number} ({target}): its text has {} bytes, and {MAX_TEXT} is the limit",
                    text.len()
                )),
            });
            match text {
                Ok(text) => {
                    let below = file_name(number, &target, "ptx");
                    found(Text {
                        name: format!("{name}/{below}"),
                        text,
                        image: Some((target, identifier)),
                    });
                }
                Err(error) => failures.push(format!("{name}: {error}")),
            }
            Ok(())
        },
    )
}

/// The message about parts that are only counted.
pub(crate) fn more(count: usize) -> String {
    match count {
        1 => "1 more part cannot be read".to_owned(),
        _ => format!("{count} more parts cannot be read"),
    }
}

/// The name of an image: nothing of it comes from strangers.
pub(crate) fn file_name(number: usize, target: &str, extension: &str) -> String {
    match target {
        "" => format!("{number}.{extension}"),
        target => format!("{number}.{target}.{extension}"),
    }
}
