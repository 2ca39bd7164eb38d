//! Zip archives, such as wheels of Python: their members one at a time.

use std::{
    fs::File,
    io::{self, Read, Seek as _, Write as _},
};

use zip::ZipArchive;

use super::{BEGINNING, Input, is_binary};

/// The most bytes of a member when unpacked.
const MAX_MEMBER: u64 = 4 << 30;
/// The most bytes of all members together.
const MAX_ARCHIVE: u64 = 16 << 30;

/// Whether a file with these first bytes is such an archive.
pub(crate) fn is_archive(beginning: &[u8]) -> bool {
    beginning.starts_with(b"PK\x03\x04")
}

/// Visits the members that are not texts, with their names, in which characters that control terminals are escaped. A
/// member is unpacked into a file without a name, or there is a reason why it cannot be.
///
/// # Errors
/// If the list of members cannot be read, or `visit` fails.
pub(super) fn visit(
    input: impl Input,
    mut visit: impl FnMut(&str, Result<File, String>) -> io::Result<()>,
) -> io::Result<()> {
    let mut archive = ZipArchive::new(input)
        .map_err(|it| io::Error::other(format!("the zip archive is damaged: {it}")))?;
    let mut room = MAX_ARCHIVE;
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).and_then(Result::ok);
        let name = name.unwrap_or_default().escape_debug().to_string();
        let unpacked = match archive.by_index(index) {
            Ok(member) => unpack(member, room.min(MAX_MEMBER)).map_err(|it| it.to_string()),
            Err(error) => Err(error.to_string()),
        };
        match unpacked {
            Ok(None) => {}
            Ok(Some((file, len))) => {
                room = room.saturating_sub(len);
                visit(&name, Ok(file))?;
            }
            Err(error) => visit(&name, Err(error))?,
        }
    }
    Ok(())
}

/// A member and its length in bytes, unless it is a text.
fn unpack(mut member: impl Read, most: u64) -> io::Result<Option<(File, u64)>> {
    let mut beginning = Vec::new();
    (&mut member)
        .take(BEGINNING as u64)
        .read_to_end(&mut beginning)?;
    if !is_binary(&beginning) {
        return Ok(None);
    }
    let mut file = tempfile::tempfile()?;
    file.write_all(&beginning)?;
    let rest = io::copy(&mut member.take(most), &mut file)?;
    let len = beginning.len() as u64 + rest;
    if len > most {
        let message = format!("it has more than {most} bytes when unpacked");
        return Err(io::Error::other(message));
    }
    file.rewind()?;
    Ok(Some((file, len)))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in members {
            writer
                .start_file(*name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    /// The members that are visited, with their lengths.
    fn members(bytes: &[u8]) -> Vec<(String, Result<u64, String>)> {
        let mut found = Vec::new();
        visit(Cursor::new(bytes), |name, file| {
            let len = file.map(|it| it.metadata().unwrap().len());
            found.push((name.to_owned(), len));
            Ok(())
        })
        .unwrap();
        found
    }

    #[test]
    fn texts_are_left_out() {
        let long = vec![0; 10_000];
        let bytes = archive(&[("a.py", b"import b"), ("b/c.so", &long), ("d.so", b"\0")]);
        assert!(is_archive(&bytes));
        let expected = [
            ("b/c.so".to_owned(), Ok(10_000)),
            ("d.so".to_owned(), Ok(1)),
        ];
        assert_eq!(members(&bytes), expected);
    }

    #[test]
    fn a_damaged_member_does_not_hide_the_others() {
        let long: Vec<u8> = (0..10_000_u32).map(|it| (it % 251) as u8).collect();
        let mut bytes = archive(&[("a.so", &long), ("b.so", b"\0")]);
        bytes[60] ^= 0xff;
        let found = members(&bytes);
        assert!(found[0].1.is_err(), "{found:?}");
        assert_eq!(found[1], ("b.so".to_owned(), Ok(1)));
        assert!(visit(Cursor::new(&bytes[..100]), |_, _| Ok(())).is_err());
    }

    #[test]
    fn a_member_ends_at_the_limit() {
        let zeros = vec![0; 100_000];
        assert!(unpack(&zeros[..], 99_999).is_err());
        assert!(unpack(&zeros[..], 100_000).unwrap().is_some());
    }
}
