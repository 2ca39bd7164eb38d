//! Files that carry PTX: executables, libraries, archives, objects, fat binaries, cubins, and wheels with such files.

mod archive;

use std::{
    io::{self, Read, Seek, SeekFrom},
    path::Path,
};

use machine::{
    cubin,
    fatbin::{Compression, Defect, Found, Image, Kind, MAX_IMAGE, Reader, Torn},
};

use crate::files::{Regular, decode, is_ptx, open};

/// How much of a file tells whether it is text, in bytes.
const BEGINNING: usize = 4096;

/// A file, or a stand-in for one.
pub(crate) trait Input: Read + Seek {}
impl<T: Read + Seek> Input for T {}

/// Something in a binary.
pub(crate) struct Content {
    /// Its number in the file, from 1.
    pub(crate) number: usize,
    /// The member of an archive in which it is, without control characters.
    pub(crate) member: Option<String>,
    pub(crate) what: What,
}

/// The contents of a binary.
pub(crate) enum What {
    /// An image of a fat binary, and its bytes if they are wanted.
    Image(Image, Option<Result<Vec<u8>, Defect>>),
    /// The PTX of a cubin, from its debug information.
    Recovered(String),
    /// Something that cannot be read.
    Torn(Torn),
    /// A member of an archive that cannot be unpacked, and why.
    Packed(String),
}

impl What {
    /// The target that it is for.
    pub(crate) fn target(&self) -> String {
        match self {
            What::Image(image, _) => image.target.clone(),
            What::Recovered(text) => {
                let directive = text.lines().find_map(|it| it.strip_prefix(".target"));
                let target =
                    directive.and_then(|it| it.split([',', ' ', '\t']).find(|it| !it.is_empty()));
                target
                    .filter(|it| is_plain(it))
                    .unwrap_or_default()
                    .to_owned()
            }
            What::Torn(_) | What::Packed(_) => String::new(),
        }
    }

    /// The name that the compiler gives it, mostly by its source file; often empty.
    fn identifier(&self) -> &str {
        match self {
            What::Image(image, _) => &image.identifier,
            What::Recovered(_) | What::Torn(_) | What::Packed(_) => "",
        }
    }

    /// How it is stored.
    pub(crate) fn compression(&self) -> Compression {
        match self {
            What::Image(image, _) => image.compression,
            What::Recovered(_) | What::Torn(_) | What::Packed(_) => Compression::None,
        }
    }
}

/// Whether a word may be a part of the name of a file.
fn is_plain(word: &str) -> bool {
    word.bytes()
        .all(|it| it.is_ascii_alphanumeric() || it == b'_')
}

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

/// The first bytes of a file, which tell what it is.
pub(crate) fn beginning(file: &mut Regular) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    file.take(BEGINNING as u64).read_to_end(&mut beginning)?;
    Ok(beginning)
}

/// Visits what a binary has, in its order; images for which `wanted` says so are unpacked.
///
/// # Errors
/// If the file cannot be read, or `visit` fails.
pub(crate) fn visit(
    mut input: impl Input,
    wanted: impl Fn(Kind) -> bool,
    mut visit: impl FnMut(Content) -> io::Result<()>,
) -> io::Result<()> {
    let mut number = 0;
    let mut next = |member: Option<&str>, what: What| {
        number += 1;
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
    if !archive::is_archive(&beginning) {
        return images(input, &wanted, &mut |what| next(None, what));
    }
    archive::visit(input, |name, member| match member {
        Ok(file) => images(file, &wanted, &mut |what| next(Some(name), what)),
        Err(error) => next(Some(name), What::Packed(error)),
    })
}

fn images(
    mut input: impl Input,
    wanted: &impl Fn(Kind) -> bool,
    visit: &mut dyn FnMut(What) -> io::Result<()>,
) -> io::Result<()> {
    let mut reader = Reader::new(&mut input)?;
    while let Some(found) = reader.next_image()? {
        visit(match found {
            Found::Image(image) => {
                let bytes = wanted(image.kind).then(|| reader.unpack(&image));
                What::Image(image, bytes)
            }
            Found::Torn(torn) => What::Torn(torn),
        })?;
    }
    match recovered(&mut input)? {
        Some(text) => visit(What::Recovered(text)),
        None => Ok(()),
    }
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
    /// Its name. That of a text of a binary is below that of the binary, such as `libfoo.so/3.sm_90a.ptx`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The key by which it is found in other builds, too: the target and the name of the source.
    pub(crate) image: Option<(String, String)>,
}

/// The PTX texts that a file has.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) texts: Vec<Text>,
    /// The parts that cannot be read, and why.
    pub(crate) failures: Vec<String>,
}

/// The text of a PTX file, or all texts that a binary carries.
pub(crate) fn texts(path: &Path) -> Texts {
    let name = path.to_string_lossy();
    read_texts(path, &name).unwrap_or_else(|error| Texts {
        texts: Vec::new(),
        failures: vec![format!("{name}: {error}")],
    })
}

fn read_texts(path: &Path, name: &str) -> io::Result<Texts> {
    let mut file = open(path)?;
    let mut beginning = beginning(&mut file)?;
    // A text with a zero in it is a text with an error.
    if !is_ptx(path) && is_binary(&beginning) {
        let mut found = binary_texts(file, name)?;
        if found.texts.is_empty() && found.failures.is_empty() {
            found.failures.push(match packed(&beginning) {
                Some(format) => format!("{name}: it is packed with {format}: unpack it first"),
                None => format!("{name}: a binary without PTX"),
            });
        }
        return Ok(found);
    }
    file.read_to_end(&mut beginning)?;
    Ok(Texts {
        texts: vec![Text {
            name: name.to_owned(),
            text: decode(beginning).0,
            image: None,
        }],
        failures: Vec::new(),
    })
}

fn binary_texts(input: impl Input, name: &str) -> io::Result<Texts> {
    let mut found = Texts::default();
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
                What::Image(_, None) => return Ok(()),
                What::Image(_, Some(Ok(bytes))) => decode(bytes).0,
                What::Recovered(text) => text,
                What::Image(_, Some(Err(defect))) => {
                    found
                        .failures
                        .push(format!("{name}: image {number} ({target}): {defect}"));
                    return Ok(());
                }
                What::Torn(torn) => {
                    found
                        .failures
                        .push(format!("{name}: image {number}: {torn}"));
                    return Ok(());
                }
                What::Packed(error) => {
                    let member = member.unwrap_or_default();
                    found.failures.push(format!("{name}: {member}: {error}"));
                    return Ok(());
                }
            };
            let below = file_name(number, &target, "ptx");
            found.texts.push(Text {
                name: format!("{name}/{below}"),
                text,
                image: Some((target, identifier)),
            });
            Ok(())
        },
    )?;
    Ok(found)
}

/// The name of an image: nothing of it comes from strangers.
pub(crate) fn file_name(number: usize, target: &str, extension: &str) -> String {
    match target {
        "" => format!("{number}.{extension}"),
        target => format!("{number}.{target}.{extension}"),
    }
}
