//! Payloads, within limits.

use std::{fmt, io};

use ruzstd::decoding::StreamingDecoder;

use super::Compression;

/// The largest image, in bytes; the largest of real libraries that we know has 28 MB.
pub const MAX_IMAGE: u64 = 256 << 20;
/// The most that is unpacked of one file, in bytes.
pub const MAX_FILE: u64 = 4 << 30;
/// The most that one byte of an LZ4 block can stand for.
const MAX_LZ4_RATIO: u64 = 255;
/// The most memory of a ZSTD frame, in bytes.
const MAX_WINDOW: u64 = 128 << 20;

/// Why an image cannot be unpacked.
#[derive(Debug)]
pub enum Defect {
    /// It states a size above [`MAX_IMAGE`].
    Large(u64),
    /// The images of the file, and of the archive that it is in, have more bytes than may be unpacked.
    File,
    /// The file ends before the image does.
    Short,
    /// The compressed data are damaged; the text says how.
    Damaged(String),
    /// It has another size than its header states.
    Size {
        /// The sizes in the header, in bytes.
        stated: u64,
        /// Whether there is more than that.
        more: bool,
    },
    /// It is a part of a payload that ends before it.
    Part,
    /// It is compressed in a way that is not known.
    Compression,
    /// The input cannot be read.
    Read(io::Error),
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Defect::Large(size) => write!(
                f,
                "it states a size of {size} bytes, and {MAX_IMAGE} is the limit"
            ),
            Defect::File => write!(
                f,
                "what is unpacked of this file and its archive has more bytes than the limit"
            ),
            Defect::Short => f.write_str("the file ends before the image does"),
            Defect::Damaged(how) => write!(f, "the compressed data are damaged: {how}"),
            Defect::Size { stated, more } => write!(
                f,
                "it has {} than the {stated} bytes that its header states",
                if *more { "more" } else { "less" }
            ),
            Defect::Part => f.write_str("its payload ends before the image does"),
            Defect::Compression => f.write_str("it is compressed in a way that is not known"),
            Defect::Read(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Defect {}

/// Refuses sizes that cannot be, before anything is read or allocated.
pub(super) fn check(size: u64, stored: u64, compression: Compression) -> Result<(), Defect> {
    if size.max(stored) > MAX_IMAGE {
        return Err(Defect::Large(size.max(stored)));
    }
    match compression {
        Compression::Unknown => Err(Defect::Compression),
        Compression::Lz4 if size > stored.saturating_mul(MAX_LZ4_RATIO) => Err(Defect::Size {
            stated: size,
            more: false,
        }),
        _ => Ok(()),
    }
}

/// Unpacks a payload that [`check`] accepts.
pub(super) fn unpack(
    stored: Vec<u8>,
    compression: Compression,
    size: u64,
) -> Result<Vec<u8>, Defect> {
    match compression {
        Compression::None => Ok(stored),
        Compression::Lz4 => lz4(&stored, size),
        Compression::Zstd => zstd(&stored, size),
        Compression::Unknown => Err(Defect::Compression),
    }
}

fn lz4(stored: &[u8], size: u64) -> Result<Vec<u8>, Defect> {
    use lz4_flex::block::{DecompressError, decompress_into};
    let mut out = vec![0; usize::try_from(size).map_err(|_| Defect::Large(size))?];
    match decompress_into(stored, &mut out) {
        Ok(length) if length == out.len() => Ok(out),
        Ok(_) => Err(Defect::Size {
            stated: size,
            more: false,
        }),
        Err(DecompressError::OutputTooSmall { .. }) => Err(Defect::Size {
            stated: size,
            more: true,
        }),
        Err(error) => Err(Defect::Damaged(error.to_string())),
    }
}

fn zstd(stored: &[u8], size: u64) -> Result<Vec<u8>, Defect> {
    let damaged = |error: &dyn fmt::Display| Defect::Damaged(error.to_string());
    let decoder = StreamingDecoder::new_with_max_window_size(stored, MAX_WINDOW)
        .map_err(|error| damaged(&error))?;
    let mut out = Vec::new();
    // One byte more than expected shows that there is more; the rest is not even unpacked.
    io::Read::read_to_end(&mut io::Read::take(decoder, size + 1), &mut out)
        .map_err(|error| damaged(&error))?;
    match out.len() as u64 {
        length if length == size => Ok(out),
        length => Err(Defect::Size {
            stated: size,
            more: length > size,
        }),
    }
}

/// A part of a payload that has several images.
pub(super) fn part(whole: &[u8], (start, length): (u64, u64)) -> Result<Vec<u8>, Defect> {
    let start = usize::try_from(start).ok();
    let length = usize::try_from(length).ok();
    let range = start.and_then(|it| Some(it..it.checked_add(length?)?));
    let bytes = range.and_then(|it| whole.get(it)).ok_or(Defect::Part)?;
    Ok(bytes.to_owned())
}
