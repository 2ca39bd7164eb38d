//! Which files a client of the Model Context Protocol may have read.

use std::{
    io::Read,
    path::{Path, PathBuf},
};

use syntax::text::is_binary;

use crate::{
    binaries::{NOT_TEXT, Text},
    files::{decode, open},
};

/// A longer text is refused, in bytes.
pub(super) const MAX_TEXT: usize = 4 << 20;

/// The files that may be read: those below one folder, or none.
#[derive(Debug)]
pub(super) struct Files {
    /// Without links, so that it is a prefix of what lies below it.
    root: Option<PathBuf>,
}

impl Files {
    /// Those below a folder; none without one.
    ///
    /// # Errors
    /// The folder does not exist.
    pub(super) fn new(root: Option<&Path>) -> Result<Files, String> {
        let real = |root: &Path| match root.canonicalize() {
            Ok(root) if root.is_dir() => Ok(root),
            Ok(_) => Err(format!("{}: this is not a folder", root.display())),
            Err(error) => Err(format!("{}: {error}", root.display())),
        };
        Ok(Files {
            root: root.map(real).transpose()?,
        })
    }

    /// The text that a question is about: one that is given, with a name if it has one, or that of a file.
    ///
    /// # Errors
    /// There is none or there are two, it is too long, or the file may not or cannot be read.
    pub(super) fn text(
        &self,
        text: Option<String>,
        name: Option<String>,
        path: Option<&str>,
    ) -> Result<Text, String> {
        let (name, text) = match (text, path) {
            (Some(text), None) => (name.unwrap_or_else(|| "text.ptx".to_owned()), text),
            (None, Some(path)) => (path.to_owned(), self.read(path)?),
            (Some(_), Some(_)) => return Err("give a text or a path, not both".to_owned()),
            (None, None) => return Err("give a text or the path of a file".to_owned()),
        };
        if text.len() > MAX_TEXT {
            return Err(too_long(&name));
        }
        Ok(Text {
            name,
            text,
            image: None,
        })
    }

    fn read(&self, path: &str) -> Result<String, String> {
        let Some(root) = &self.root else {
            return Err(
                "this server reads no files: give the text, or start it with --root FOLDER"
                    .to_owned(),
            );
        };
        // One word for what is not there and what lies elsewhere: nobody learns which files exist.
        let missing = || format!("{path}: there is no such file below the root");
        // Links are followed first, so that none leads out of the folder.
        let real = root.join(path).canonicalize().map_err(|_| missing())?;
        if !real.starts_with(root) {
            return Err(missing());
        }
        let failed = |error| format!("{path}: {error}");
        let file = open(&real).map_err(failed)?;
        let mut bytes = Vec::new();
        let limit = MAX_TEXT as u64 + 1;
        file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
        match bytes.len() > MAX_TEXT {
            true => Err(too_long(path)),
            false => match decode(bytes).0 {
                text if is_binary(&text) => Err(format!("{path}: {NOT_TEXT}")),
                text => Ok(text),
            },
        }
    }
}

fn too_long(name: &str) -> String {
    format!("{name}: a text has at most {} MiB", MAX_TEXT >> 20)
}
