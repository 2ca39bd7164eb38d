//! Fat binaries: the containers in which executables and libraries carry PTX and cubins.
//!
//! A container begins with a magic number and is aligned by itself, so it is found by its bytes alone; the
//! format of the file around it (ELF, PE, Mach-O, an archive, none) does not matter, and a torn one is no
//! trouble. Offsets and sizes are little endian.
//!
//! ```text
//! container  magic u32, version u16 = 1, size of this header u16 = 16, size of the entries u64
//! entry      header (64 bytes, then text), payload
//! ```
//!
//! NVIDIA does not document the format. What is written here was found by comparing files that `fatbinary`
//! makes in each of its modes with what `cuobjdump` says of them.

mod entry;
#[cfg(test)]
mod tests;
mod unpack;

use std::{
    fmt,
    io::{self, Read, Seek, SeekFrom},
    ops::Range,
};

use memchr::memmem::Finder;

use crate::cubin;

pub use unpack::{Defect, MAX_FILE, MAX_IMAGE};

/// The first 8 bytes of each container: magic number, version 1, a header of 16 bytes.
const START: &[u8; 8] = b"\x50\xED\x55\xBA\x01\x00\x10\x00";
/// Size of the header of a container, in bytes.
const CONTAINER: u64 = 16;
/// How much of a file is searched at a time, in bytes: it stays in the cache of a core.
const PIECE: usize = 256 << 10;

/// The kind of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The text of a PTX module.
    Ptx,
    /// Machine code, an ELF file.
    Cubin,
    /// NVVM code for link-time optimization.
    Nvvm,
    /// Another one, with its number.
    Unknown(u16),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Ptx => f.write_str("ptx"),
            Kind::Cubin => f.write_str("cubin"),
            Kind::Nvvm => f.write_str("nvvm"),
            Kind::Unknown(number) => write!(f, "unknown-{number:#x}"),
        }
    }
}

/// How the payload of an image is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// As it is.
    None,
    /// As one LZ4 block without a frame.
    Lz4,
    /// As a ZSTD frame.
    Zstd,
    /// In a way that no flag tells.
    Unknown,
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Compression::None => "none",
            Compression::Lz4 => "lz4",
            Compression::Zstd => "zstd",
            Compression::Unknown => "unknown",
        })
    }
}

/// One image as its header describes it. Texts are those of strangers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// PTX, machine code or another format.
    pub kind: Kind,
    /// The target, such as `sm_90a`.
    pub target: String,
    /// The version of PTX, or of the format of a cubin: major, minor.
    pub version: (u16, u16),
    /// The name that the compiler gave to it, mostly of a source file; often empty.
    pub identifier: String,
    /// The options of `ptxas` that are to be used for it; often empty.
    pub options: String,
    /// How it is stored.
    pub compression: Compression,
    /// All flags of the entry.
    pub flags: u64,
    /// Where the container begins in the file, in bytes.
    pub container: u64,
    /// Where the header of its entry begins in the file, in bytes.
    pub offset: u64,
    payload: Payload,
}

impl Image {
    /// The range of the file with its bytes, perhaps also with bytes of other images.
    pub fn stored(&self) -> Range<u64> {
        self.payload.at..self.payload.at.saturating_add(self.payload.stored)
    }
}

/// Where the bytes of an image are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Payload {
    /// Offset in the file.
    at: u64,
    /// Bytes in the file.
    stored: u64,
    /// Bytes when unpacked.
    size: u64,
    /// Offset and length in what is unpacked, if the payload has several images.
    part: Option<(u64, u64)>,
}

/// A part of a container that cannot be read; what is after it in the container is lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Torn {
    /// Where the container begins in the file, in bytes.
    pub container: u64,
    /// Where the trouble is, in bytes.
    pub offset: u64,
    /// Description of the damage, for people.
    pub reason: String,
}

impl fmt::Display for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Torn {
            container,
            offset,
            reason,
        } = self;
        write!(
            f,
            "fat binary at {container:#x}, entry at {offset:#x}: {reason}"
        )
    }
}

/// A part of a fat binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// An image.
    Image(Image),
    /// Something that should be one.
    Torn(Torn),
}

/// Finds the images of a file, and unpacks them.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    /// Length of the file.
    length: u64,
    finder: Finder<'static>,
    buffer: Vec<u8>,
    /// Where the buffer begins in the file, and how many of its bytes are from the file.
    window: (u64, usize),
    /// The next byte to look at.
    at: u64,
    /// The container that is being read: its start and its end.
    inside: Option<(u64, u64)>,
    /// The parts of which an entry had more than one, last one first.
    waiting: Vec<Part>,
    /// The last payload that has several images, with its offset.
    shared: Option<(u64, Vec<u8>)>,
    /// Bytes that may still be handed out.
    room: u64,
}

impl<R: Read + Seek> Reader<R> {
    /// A reader of a whole file that unpacks at most [`MAX_FILE`] bytes.
    ///
    /// # Errors
    /// If the input cannot be positioned.
    pub fn new(input: R) -> io::Result<Reader<R>> {
        Reader::with_room(input, MAX_FILE)
    }

    /// A reader of a whole file that unpacks at most `room` bytes.
    ///
    /// # Errors
    /// If the input cannot be positioned.
    pub fn with_room(mut input: R, room: u64) -> io::Result<Reader<R>> {
        let length = input.seek(SeekFrom::End(0))?;
        Ok(Reader {
            input,
            length,
            finder: Finder::new(START),
            buffer: vec![0; PIECE],
            window: (0, 0),
            at: 0,
            inside: None,
            waiting: Vec::new(),
            shared: None,
            room,
        })
    }

    /// How many bytes may still be unpacked.
    pub fn room(&self) -> u64 {
        self.room
    }

    /// The next image of the file, or what should be one; `None` at the end.
    ///
    /// # Errors
    /// If the input cannot be read.
    pub fn next_image(&mut self) -> io::Result<Option<Part>> {
        loop {
            if let Some(found) = self.waiting.pop() {
                return Ok(Some(found));
            }
            match self.inside {
                Some((start, end)) => self.entry(start, end)?,
                None => match self.find()? {
                    Some(start) => self.enter(start)?,
                    None => return Ok(None),
                },
            }
        }
    }

    /// Where the next container begins. What the buffer has is not read again, however many containers there are.
    fn find(&mut self) -> io::Result<Option<u64>> {
        loop {
            let (start, filled) = self.window;
            let end = start + filled as u64;
            if let Some(place) = self.finder.find(self.buffered(self.at)) {
                self.at += place as u64;
                return Ok(Some(self.at));
            }
            // The last bytes of a piece may be the first ones of a container.
            let last = end.saturating_sub(START.len() as u64 - 1);
            if self.at < end {
                self.at = self.at.max(last);
            }
            self.input.seek(SeekFrom::Start(self.at))?;
            let filled = read_some(&mut self.input, &mut self.buffer)?;
            self.window = (self.at, filled);
            if filled < START.len() {
                return Ok(None);
            }
        }
    }

    /// The bytes from an offset on that the buffer has.
    fn buffered(&self, at: u64) -> &[u8] {
        let (start, filled) = self.window;
        let from = at
            .checked_sub(start)
            .and_then(|it| usize::try_from(it).ok());
        from.and_then(|from| self.buffer.get(from..filled))
            .unwrap_or_default()
    }

    /// Begins to read a container.
    fn enter(&mut self, start: u64) -> io::Result<()> {
        let size = self.read_array::<8>(start + START.len() as u64)?;
        let size = size.map(u64::from_le_bytes);
        let end = size.and_then(|it| start.checked_add(CONTAINER)?.checked_add(it));
        self.at = start + CONTAINER;
        let fits = end.filter(|it| *it <= self.length);
        if fits.is_none() {
            // These eight bytes may be there by accident: then no entry follows.
            if !self.begins_entry(self.at)? {
                self.at = start + START.len() as u64;
                return Ok(());
            }
            self.waiting.push(Part::Torn(Torn {
                container: start,
                offset: start,
                reason: match size {
                    Some(size) => format!(
                        "the container has {size} bytes, but the file ends after {}",
                        self.length.saturating_sub(self.at)
                    ),
                    None => "the file ends here".to_owned(),
                },
            }));
        }
        self.inside = Some((start, fits.unwrap_or(self.length)));
        Ok(())
    }

    /// Whether the first words of an entry are at this offset.
    fn begins_entry(&mut self, at: u64) -> io::Result<bool> {
        Ok(match self.read_array::<4>(at)? {
            Some([kind, high, 1, 1]) => {
                matches!(u16::from_le_bytes([kind, high]), 1 | 2 | 8 | 0x100)
            }
            _ => false,
        })
    }

    /// Reads the next entry of a container.
    fn entry(&mut self, start: u64, end: u64) -> io::Result<()> {
        if self.at >= end {
            self.inside = None;
            return Ok(());
        }
        let at = self.at;
        match self.header(start, at, end)? {
            Ok((mut images, next)) => {
                images.reverse();
                self.waiting.extend(images);
                self.at = next;
            }
            Err(reason) => {
                self.waiting.push(Part::Torn(Torn {
                    container: start,
                    offset: at,
                    reason,
                }));
                // The size of a container that fits into the file is trusted; otherwise others may be inside.
                self.at = if end == self.length { at + 1 } else { end };
                self.inside = None;
            }
        }
        Ok(())
    }

    /// The images of the entry at an offset, and where the next one begins.
    fn header(&mut self, container: u64, at: u64, end: u64) -> io::Result<Parsed> {
        let Some(first) = self.read_array::<{ entry::FIXED }>(at)? else {
            return Ok(Err("the file ends in its header".to_owned()));
        };
        let size = match entry::size(&first, end - at) {
            Ok(size) => size,
            Err(reason) => return Ok(Err(reason)),
        };
        let mut header = vec![0; size.header];
        self.input.seek(SeekFrom::Start(at))?;
        self.input.read_exact(&mut header)?;
        let next = at.saturating_add(size.whole);
        let place = entry::EntryOffset {
            container,
            offset: at,
        };
        Ok(entry::images(&header, place).map(|images| (images, next)))
    }

    fn read_array<const N: usize>(&mut self, at: u64) -> io::Result<Option<[u8; N]>> {
        if at.checked_add(N as u64).is_none_or(|it| it > self.length) {
            return Ok(None);
        }
        if let Some(bytes) = self.buffered(at).first_chunk() {
            return Ok(Some(*bytes));
        }
        let mut bytes = [0; N];
        self.input.seek(SeekFrom::Start(at))?;
        self.input.read_exact(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// The bytes of an image that this reader found; without the zeros that fill it up.
    ///
    /// # Errors
    /// If the payload is damaged or larger than the limits [`MAX_IMAGE`] and [`MAX_FILE`], or cannot be read.
    pub fn unpack(&mut self, image: &Image) -> Result<Vec<u8>, Defect> {
        let Payload { at, part, .. } = image.payload;
        let mut bytes = match (part, self.shared.take()) {
            (Some(part), Some((of, whole))) if of == at => {
                let piece = unpack::part(&whole, part);
                self.shared = Some((at, whole));
                piece?
            }
            (Some(part), _) => {
                let whole = self.payload(image)?;
                let piece = unpack::part(&whole, part);
                self.shared = Some((at, whole));
                piece?
            }
            (None, _) => self.payload(image)?,
        };
        if part.is_some() {
            // A table may name the same bytes many times.
            self.count(bytes.len() as u64)?;
        }
        let content = bytes.iter().rposition(|it| *it != 0).map_or(0, |it| it + 1);
        match image.kind {
            Kind::Ptx => bytes.truncate(content),
            Kind::Cubin => {
                let own = cubin::length(&bytes).and_then(|it| usize::try_from(it).ok());
                bytes.truncate(own.map_or(bytes.len(), |it| it.max(content)));
            }
            Kind::Nvvm | Kind::Unknown(_) => {}
        }
        Ok(bytes)
    }

    fn count(&mut self, bytes: u64) -> Result<(), Defect> {
        self.room = self.room.checked_sub(bytes).ok_or(Defect::File)?;
        Ok(())
    }

    /// A whole payload, unpacked.
    fn payload(&mut self, image: &Image) -> Result<Vec<u8>, Defect> {
        let Payload {
            at, stored, size, ..
        } = image.payload;
        unpack::check(size, stored, image.compression)?;
        self.count(size)?;
        let mut bytes = Vec::new();
        self.input
            .seek(SeekFrom::Start(at))
            .and_then(|_| (&mut self.input).take(stored).read_to_end(&mut bytes))
            .map_err(Defect::Read)?;
        if bytes.len() as u64 != stored {
            return Err(Defect::Short);
        }
        unpack::unpack(bytes, image.compression, size)
    }
}

/// Images of an entry and the offset of the next one, or the defect of the entry.
type Parsed = Result<(Vec<Part>, u64), String>;

/// Fills the buffer as far as the input goes.
fn read_some(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..)
        && !rest.is_empty()
    {
        match input.read(rest) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
