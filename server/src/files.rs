//! Files of this machine: their names, and what their bytes say.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::{Component, Path, PathBuf, Prefix, PrefixComponent},
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

use session::{host::Host, lsp::lsp_types::Url};

use crate::compile_commands::CompileCommands;

/// How often work that is attended is looked after: somebody who types waits as long.
const POLL: Duration = Duration::from_millis(10);

/// A machine with files and threads.
#[derive(Debug, Default)]
pub(crate) struct Machine {
    commands: CompileCommands,
}

impl Machine {
    /// The compile commands of projects are read anew.
    pub(crate) fn forget_builds(&self) {
        self.commands.forget();
    }
}

impl Host for Machine {
    fn path_of(&self, uri: &Url) -> Option<PathBuf> {
        path_of(uri)
    }

    fn source_file(&self, ptx: &Url, path: &str) -> Option<Url> {
        source_file(ptx, path)
    }

    fn source_line(&self, uri: &Url, line: u32) -> Option<String> {
        source_line(&path_of(uri)?, line)
    }

    fn real_path(&self, uri: &Url) -> Option<PathBuf> {
        path_of(uri)?.canonicalize().ok()
    }

    fn compile_targets(&self, uri: &Url) -> Vec<String> {
        path_of(uri).map_or_else(Vec::new, |it| self.commands.targets(&it))
    }

    fn attend(&self, work: &mut (dyn FnMut() + Send), check: &mut dyn FnMut() -> bool) {
        let (done, waiting) = mpsc::channel();
        thread::scope(|scope| {
            let worker = scope.spawn(move || {
                work();
                // Nobody hears it when the work has been given up.
                let _ = done.send(());
            });
            while waiting.recv_timeout(POLL) == Err(RecvTimeoutError::Timeout) && check() {}
            // A panic of the worker is one of ours.
            if let Err(panic) = worker.join() {
                std::panic::resume_unwind(panic);
            }
        });
    }
}

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
fn source_file(ptx: &Url, path: &str) -> Option<Url> {
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
fn source_line(path: &Path, line: u32) -> Option<String> {
    let index = usize::try_from(line.checked_sub(1)?).ok()?;
    let file = File::open(path).ok()?;
    let metadata = file.metadata().ok()?;
    // Files of the kernel claim to be empty and may have no end.
    if !metadata.is_file() || metadata.len() == 0 || metadata.len() > MAX_SOURCE {
        return None;
    }
    let mut lines = BufReader::new(file.take(MAX_SOURCE)).split(b'\n');
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

/// Whether a path looks like a PTX module.
pub(crate) fn is_ptx(path: &Path) -> bool {
    path.extension()
        .is_some_and(|it| it.eq_ignore_ascii_case("ptx"))
}

/// The text of a file of unknown encoding, and whether it is what the file says.
///
/// PTX is ASCII outside comments, so each byte that is not UTF-8 becomes one control character:
/// offsets stay those of the file.
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

    #[test]
    fn work_is_attended_until_it_is_not_wanted() {
        let wanted = std::sync::atomic::AtomicBool::new(true);
        let order = std::sync::atomic::Ordering::SeqCst;
        let mut checks = 0;
        Machine::default().attend(
            &mut || {
                while wanted.load(order) {
                    thread::yield_now();
                }
            },
            &mut || {
                checks += 1;
                wanted.store(checks < 2, order);
                checks < 2
            },
        );
        assert_eq!(checks, 2);
    }

    #[test]
    fn panics_of_attended_work_arrive() {
        let attend =
            || Machine::default().attend(&mut || panic!("a test asked for this"), &mut || true);
        let panic = std::panic::catch_unwind(attend).expect_err("a panic");
        assert_eq!(panic.downcast_ref(), Some(&"a test asked for this"));
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
