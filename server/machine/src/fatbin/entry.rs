//! The headers of entries.
//!
//! ```text
//!  0 u16 kind: 1 PTX, 2 cubin, 8 NVVM, 0x100 several images in one payload
//!  2 u16 0x0101
//!  4 u32 size of the header with its texts
//!  8 u64 size of the payload, a multiple of 8
//! 16 u32 size of the compressed data, 0 = not compressed
//! 20 u32 where in the header {u32 offset, u32 length} of the options are, 0 = none
//! 24 u16 minor, u16 major version
//! 28 u32 number of the target
//! 32 u32 offset, u32 length of the identifier, 0 = none
//! 40 u64 flags
//! 48 u64 0
//! 56 u64 size of the unpacked data, 0 if not compressed
//! ```
//!
//! An entry with several images has, where the options would be, {u32 count, u32 size of the table} and a
//! header of this form for each, in which the field at 4 is the offset in the unpacked payload and the one at
//! 8 the length.

use super::{Compression, Image, Kind, Part, Payload, Torn};

/// Size of a header without texts, in bytes.
pub(super) const FIXED: usize = 64;
/// The largest header with texts, in bytes; those of real files have a few hundred.
const MAX_HEADER: u64 = 1 << 20;
/// The kind of an entry with several images.
const SEVERAL: u16 = 0x100;
/// Flags.
const LZ4: u64 = 0x2000;
const ZSTD: u64 = 0x8000;
const ARCHITECTURE: u64 = 0x10_0000;
const FAMILY: u64 = 0x20_0000;

/// Where an entry is in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct EntryOffset {
    /// Offset of the container.
    pub(super) container: u64,
    /// Offset of the entry.
    pub(super) offset: u64,
}

/// How large an entry is, in bytes.
pub(super) struct Size {
    /// The header with its texts.
    pub(super) header: usize,
    /// Header and payload.
    pub(super) whole: u64,
}

/// The size of the entry with this header, of which as many bytes are left in its container.
pub(super) fn size(header: &[u8; FIXED], left: u64) -> Result<Size, String> {
    let (Some(own), Some(payload)) = (u32_at(header, 4), u64_at(header, 8)) else {
        return Err("its header is too short".to_owned());
    };
    let own = u64::from(own);
    if own < FIXED as u64 || own > MAX_HEADER {
        return Err(format!("a header cannot have {own} bytes"));
    }
    match own.checked_add(payload) {
        Some(whole) if whole <= left => Ok(Size {
            header: usize::try_from(own).map_err(|error| error.to_string())?,
            whole,
        }),
        _ => Err(format!(
            "header and payload have {own} and {payload} bytes, but the container ends after {left}"
        )),
    }
}

/// The images of an entry whose header is complete.
pub(super) fn images(header: &[u8], place: EntryOffset) -> Result<Vec<Part>, String> {
    let short = || "its header is too short".to_owned();
    let kind = u16_at(header, 0).ok_or_else(short)?;
    let mut image = image(header, place).ok_or_else(short)?;
    if kind == SEVERAL {
        return several(header, &image, place);
    }
    if let Some(options) = u32_at(header, 20).filter(|it| *it != 0) {
        image.options = pair_at(header, options as usize)
            .map(|(start, length)| text(header, start, length))
            .unwrap_or_default();
    }
    Ok(vec![Part::Image(image)])
}

/// Reads the header of one image, without its options.
fn image(header: &[u8], place: EntryOffset) -> Option<Image> {
    let payload = u64_at(header, 8)?;
    let packed = u32_at(header, 16)?;
    let (name, length) = pair_at(header, 32)?;
    let flags = u64_at(header, 40)?;
    let stored = if packed == 0 {
        payload
    } else {
        u64::from(packed)
    };
    Some(Image {
        kind: kind(u16_at(header, 0)?),
        target: target(u32_at(header, 28)?, flags),
        version: (u16_at(header, 26)?, u16_at(header, 24)?),
        identifier: match name {
            0 => String::new(),
            _ => text(header, name, length),
        },
        options: String::new(),
        compression: match packed {
            0 => Compression::None,
            _ if flags & ZSTD != 0 => Compression::Zstd,
            _ if flags & LZ4 != 0 => Compression::Lz4,
            _ => Compression::Unknown,
        },
        flags,
        container: place.container,
        offset: place.offset,
        payload: Payload {
            at: place.offset.checked_add(u64::from(u32_at(header, 4)?))?,
            // What is beyond the payload belongs to another one.
            stored: stored.min(payload),
            size: if packed == 0 {
                payload
            } else {
                u64_at(header, 56)?
            },
            part: None,
        },
    })
}

/// The images of an entry that has several.
fn several(header: &[u8], outer: &Image, place: EntryOffset) -> Result<Vec<Part>, String> {
    let table = u32_at(header, 20).unwrap_or_default() as usize;
    let (count, _) = pair_at(header, table)
        .filter(|_| table != 0)
        .ok_or("it has no table of its images")?;
    let mut found = Vec::new();
    let mut at = table + 8;
    for number in 0..count {
        let one = header
            .get(at..)
            .and_then(|rest| one_of_several(rest, outer, place));
        let Some((image, length)) = one else {
            found.push(Part::Torn(Torn {
                container: place.container,
                offset: place.offset,
                reason: format!("the table says {count} images, but ends after {number} of them"),
            }));
            break;
        };
        found.push(Part::Image(image));
        at = at.saturating_add(length);
    }
    Ok(found)
}

/// Reads one header of a table, and says how long it is.
fn one_of_several(header: &[u8], outer: &Image, place: EntryOffset) -> Option<(Image, usize)> {
    let (start, length) = (u32_at(header, 4)?, u64_at(header, 8)?);
    let mut one = image(header, place)?;
    one.compression = outer.compression;
    one.payload = Payload {
        part: Some((u64::from(start), length)),
        ..outer.payload
    };
    let (_, name) = pair_at(header, 32)?;
    let options = u32_at(header, 20)? as usize;
    let mut end = FIXED.checked_add(name)?;
    if options != 0 {
        let (start, length) = pair_at(header, options)?;
        one.options = text(header, start, length);
        end = start.checked_add(length)?.checked_add(1)?;
    }
    Some((one, end.checked_next_multiple_of(8)?.max(FIXED)))
}

fn kind(number: u16) -> Kind {
    match number {
        1 => Kind::Ptx,
        2 => Kind::Cubin,
        8 => Kind::Nvvm,
        other => Kind::Unknown(other),
    }
}

/// The name of a target; cubins that run on a family of targets are named as `cuobjdump` names them.
fn target(number: u32, flags: u64) -> String {
    let suffix = if flags & ARCHITECTURE != 0 {
        "a"
    } else if flags & FAMILY != 0 {
        "f"
    } else {
        ""
    };
    format!("sm_{number}{suffix}")
}

/// The text at an offset, up to a zero. Bytes that are not UTF-8 are replaced.
fn text(header: &[u8], start: usize, length: usize) -> String {
    let end = start.saturating_add(length).min(header.len());
    let bytes = header.get(start..end).unwrap_or_default();
    let bytes = bytes.split(|it| *it == 0).next().unwrap_or_default();
    String::from_utf8_lossy(bytes).into_owned()
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk::<N>().copied()
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    array(bytes, at).map(u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    array(bytes, at).map(u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    array(bytes, at).map(u64::from_le_bytes)
}

/// Two numbers one after another.
fn pair_at(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let second = u32_at(bytes, at.checked_add(4)?)?;
    Some((u32_at(bytes, at)? as usize, second as usize))
}
