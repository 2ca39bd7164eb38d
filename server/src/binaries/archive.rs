//! Zip archives, such as wheels of Python: their members one at a time.

use std::{
    fs::File,
    io::{self, Read, Seek as _, Write as _},
};

use syntax::text::escape_controls;
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
/// member is unpacked into a file without a name, or there is a reason why it cannot be. All that is unpacked counts,
/// also of members that turn out to be damaged, and `visit` takes what it unpacks of them from the same room.
///
/// # Errors
/// If the list of members cannot be read, members share bytes, or `visit` fails.
pub(super) fn visit(
    input: impl Input,
    mut visit: impl FnMut(&str, Result<File, String>, &mut u64) -> io::Result<()>,
) -> io::Result<()> {
    let damaged = |it| io::Error::other(format!("the zip archive is damaged: {it}"));
    let mut archive = ZipArchive::new(input).map_err(damaged)?;
    // One member many times makes a large archive of a small file.
    if archive.has_overlapping_entries().map_err(damaged)? {
        return Err(io::Error::other(
            "the zip archive is damaged: members share the same bytes",
        ));
    }
    let mut room = MAX_ARCHIVE;
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).and_then(Result::ok);
        let name = escape_controls(&name.unwrap_or_default()).into_owned();
        let unpacked = match archive.by_index(index) {
            Ok(member) => unpack(member, &mut room).map_err(|it| it.to_string()),
            Err(error) => Err(error.to_string()),
        };
        if let Some(file) = unpacked.transpose() {
            visit(&name, file, &mut room)?;
        }
        if room == 0 {
            let rest = archive.len() - index - 1;
            let error = format!(
                "its members have more than {MAX_ARCHIVE} bytes when unpacked; {rest} are left out"
            );
            return Err(io::Error::other(error));
        }
    }
    Ok(())
}

/// A member, unless it is a text. ContentKind is read of it is taken from the room, whatever comes of it.
fn unpack(member: impl Read, room: &mut u64) -> io::Result<Option<File>> {
    let most = (*room).min(MAX_MEMBER);
    let mut member = member.take(most + 1);
    let mut beginning = Vec::new();
    let read = (&mut member)
        .take(BEGINNING as u64)
        .read_to_end(&mut beginning);
    let unpacked = || {
        read?;
        if !is_binary(&beginning) {
            return Ok(None);
        }
        let mut file = tempfile::tempfile()?;
        file.write_all(&beginning)?;
        io::copy(&mut member, &mut file)?;
        file.rewind()?;
        Ok(Some(file))
    };
    let result = unpacked();
    let read = most + 1 - member.limit();
    *room = room.saturating_sub(read);
    if read > most {
        let message = format!("it has more than {most} bytes when unpacked");
        return Err(io::Error::other(message));
    }
    result
}

#[cfg(test)]
mod tests {
    use std::{
        cell::Cell,
        io::{Cursor, Write as _},
    };

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
        visit(Cursor::new(bytes), |name, file, _| {
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
        assert!(visit(Cursor::new(&bytes[..100]), |_, _, _| Ok(())).is_err());
    }

    #[test]
    fn a_member_ends_at_the_limit() {
        let zeros = vec![0; 100_000];
        let mut room = 99_999;
        assert!(unpack(&zeros[..], &mut room).is_err());
        assert_eq!(room, 0);
        let mut room = 100_000;
        assert!(unpack(&zeros[..], &mut room).unwrap().is_some());
        assert_eq!(room, 0);
    }

    #[test]
    fn a_member_that_fails_counts() {
        struct Broken<'a>(u64, &'a Cell<u64>);
        impl Read for Broken<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 = self.0.checked_sub(1).ok_or(io::ErrorKind::InvalidData)?;
                buffer.fill(0);
                self.1.set(self.1.get() + buffer.len() as u64);
                Ok(buffer.len())
            }
        }
        let (mut room, given) = (1 << 30, Cell::new(0));
        assert!(unpack(Broken(100, &given), &mut room).is_err());
        assert!(given.get() > BEGINNING as u64, "{given:?}");
        assert_eq!(room, (1 << 30) - given.get());
    }

    #[test]
    fn members_that_share_bytes_are_refused() {
        let mut bytes = archive(&[("a.so", &[0; 1000]), ("b.so", &[0; 1000])]);
        // The second entry of the list of members gets the place of the first one.
        let entries: Vec<_> = memchr::memmem::find_iter(&bytes, b"PK\x01\x02").collect();
        bytes[entries[1] + 42..entries[1] + 46].fill(0);
        let error = visit(Cursor::new(bytes), |_, _, _| Ok(())).unwrap_err();
        assert!(error.to_string().contains("share"), "{error}");
    }
}
