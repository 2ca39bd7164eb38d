//! Files of this machine: their names, and what their bytes say.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::{Component, Path, PathBuf, Prefix, PrefixComponent},
};

use session::lsp::lsp_types::Url;

/// The path of a `file` URI.
pub(crate) fn path_of(uri: &Url) -> Option<PathBuf> {
    if uri.scheme() != "file" {
        return None;
    }
    let path = uri.to_file_path().ok()?;
    if cfg!(windows)
        && let Some(text) = path.to_str()
        && text.as_bytes().get(1) == Some(&b':')
    {
        let (drive, rest) = text.split_at(1);
        return Some(PathBuf::from(drive.to_ascii_uppercase() + rest));
    }
    Some(path)
}

/// The file that a path in a PTX file means, if it exists: relative paths start at the PTX file.
pub(crate) fn source_file(ptx: &Url, path: &str) -> Option<Url> {
    let ptx = path_of(ptx)?;
    let path = ptx.parent()?.join(path);
    let share = remote_share(&path);
    // Asking another computer for a file tells it who asks, whoever wrote the path.
    if share.is_some() && share != remote_share(&ptx) {
        return None;
    }
    // Anything else, such as a device, is not to be opened.
    path.is_file()
        .then(|| Url::from_file_path(&path).ok())
        .flatten()
}

/// Bytes of a source file that are read to find one of its lines.
const MAX_SOURCE: u64 = 8 * 1024 * 1024;

/// A line, from 1, of a source file.
pub(crate) fn source_line(path: &Path, line: u32) -> Option<String> {
    let index = usize::try_from(line.checked_sub(1)?).ok()?;
    let file = open(path).ok().filter(|it| it.len() <= MAX_SOURCE)?;
    let mut lines = BufReader::new(file).split(b'\n');
    let line = lines.nth(index)?.ok()?;
    // What is not a text has no lines.
    let text = String::from_utf8(line).ok()?;
    let text = text.trim_end();
    (!text.contains('\0')).then(|| text.to_owned())
}

/// The share of another computer that a path of Windows begins with.
fn remote_share(path: &Path) -> Option<PrefixComponent<'_>> {
    let Some(Component::Prefix(prefix)) = path.components().next() else {
        return None;
    };
    matches!(
        prefix.kind(),
        Prefix::UNC(..) | Prefix::VerbatimUNC(..) | Prefix::DeviceNS(_) | Prefix::Verbatim(_)
    )
    .then_some(prefix)
}

/// An open regular file as long as it was when it was opened.
///
/// Files of the kernel claim to be empty; reading one may wait for ever, or never end. Nothing is read of them.
#[derive(Debug)]
pub(crate) struct Regular {
    file: File,
    len: u64,
    position: u64,
}

impl Regular {
    /// Its length in bytes.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }
}

impl Read for Regular {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.len.saturating_sub(self.position);
        if left == 0 {
            return Ok(0);
        }
        let read = (&mut self.file).take(left).read(buffer)?;
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for Regular {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = match to {
            SeekFrom::End(by) => {
                let to = self.len.checked_add_signed(by);
                let to = to.ok_or(io::ErrorKind::InvalidInput)?;
                self.file.seek(SeekFrom::Start(to))?
            }
            to => self.file.seek(to)?,
        };
        Ok(self.position)
    }
}

/// Opens a regular file. Its kind is checked first: opening a pipe waits for a writer.
pub(crate) fn open(path: &Path) -> io::Result<Regular> {
    let regular = |it: fs::Metadata| match it.is_file() {
        true => Ok(it.len()),
        false => Err(io::Error::other("this is not a regular file")),
    };
    regular(fs::metadata(path)?)?;
    let file = File::open(path)?;
    let len = regular(file.metadata()?)?;
    Ok(Regular {
        file,
        len,
        position: 0,
    })
}

/// The bytes of a regular file.
///
/// # Errors
/// If it cannot be read, or has more than `most` bytes.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut file = open(path)?;
    if file.len > most {
        let message = format!("it has {} bytes, and at most {most} are read", file.len);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(file.len).unwrap_or_default());
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Whether a path looks like a PTX module.
pub(crate) fn is_ptx(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("ptx"))
}

/// The text of a file of unknown encoding, and whether it is what the file says.
///
/// PTX is ASCII outside comments, so each byte that is not UTF-8 becomes one control character:
/// offsets stay valid for the file.
pub(crate) fn decode(bytes: Vec<u8>) -> (String, bool) {
    match String::from_utf8(bytes) {
        Ok(text) => (text, true),
        Err(error) => {
            let mut text = String::with_capacity(error.as_bytes().len());
            for chunk in error.as_bytes().utf8_chunks() {
                text.push_str(chunk.valid());
                text.extend(chunk.invalid().iter().map(|_| '\u{1a}'));
            }
            (text, false)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn spellings_of_a_path_are_one() {
        let path = |text: &str| path_of(&Url::parse(text).expect("a URI"));
        assert_eq!(path("file:///a/b%20c.ptx"), path("file:///a/%62 c.ptx"));
        assert_ne!(path("file:///a/b.ptx"), path("file:///a/c.ptx"));
        assert_eq!(path("untitled:Untitled-1"), None);
    }

    #[test]
    fn lines_of_sources() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.cu");
        std::fs::write(&path, "one\r\n  two\n").expect("a file");
        let at = |line| source_line(&path, line);
        assert_eq!(at(0), None);
        assert_eq!(at(1).as_deref(), Some("one"));
        assert_eq!(at(2).as_deref(), Some("  two"));
        assert_eq!(at(4), None);
        std::fs::write(&path, b"\xff\n\0\n").expect("a file");
        assert_eq!((at(1), at(2)), (None, None));
        assert_eq!(source_line(folder.path(), 1), None);
        assert_eq!(source_line(Path::new("/proc/self/status"), 1), None);
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_not_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("a.ptx");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
        let error = open(&pipe).expect_err("no file");
        assert_eq!(error.to_string(), "this is not a regular file");
        assert_eq!(source_line(&pipe, 1), None);
        let device = read(Path::new("/dev/zero"), 9).expect_err("no file");
        assert_eq!(device.to_string(), "this is not a regular file");
    }

    #[test]
    fn no_more_is_read_than_a_file_had() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        fs::write(&path, "0123456789").expect("a file");
        let error = read(&path, 9).expect_err("a long file");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
        let mut file = open(&path).expect("a file");
        fs::write(&path, "0123456789 and more").expect("a file");
        let mut rest = |to| {
            let mut text = String::new();
            file.seek(to).expect("a place");
            file.read_to_string(&mut text).expect("a text");
            text
        };
        assert_eq!(rest(SeekFrom::Start(7)), "789");
        assert_eq!(rest(SeekFrom::End(-2)), "89");
        assert_eq!(rest(SeekFrom::Current(0)), "");
        assert_eq!(rest(SeekFrom::Start(12)), "");
        // What the kernel says is made when it is read.
        if let Ok(said) = read(Path::new("/proc/self/status"), 1 << 20) {
            assert_eq!(said, b"");
        }
    }

    #[cfg(windows)]
    #[test]
    fn shares_of_others_are_not_asked() {
        let share = |path| remote_share(Path::new(path)).is_some();
        assert!(share(r"\\host\share\a.cu"));
        assert!(share(r"\\?\UNC\host\share\a.cu"));
        assert!(share(r"\\.\pipe\a"));
        assert!(!share(r"C:\a.cu"));
        assert!(!share(r"a.cu"));
    }

    #[test]
    fn bytes_that_are_no_text_keep_their_number() {
        let bytes = b"a\xff\xc3b\xe2\x82";
        let (text, exact) = decode(bytes.to_vec());
        assert_eq!((text.len(), exact), (bytes.len(), false));
        assert_eq!(text, "a\u{1a}\u{1a}b\u{1a}\u{1a}");
        assert_eq!(decode("ä".into()), ("ä".to_owned(), true));
    }
}
