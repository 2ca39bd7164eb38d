//! The files that are not indexed.

use std::{path::Path, sync::OnceLock};

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use tracing::error;

use super::words::name;

/// Never read, whatever the settings say: copies of files that are elsewhere, or of others.
const ALWAYS_EXCLUDED: &[&str] = &["**/.git", "**/node_modules"];

/// Characters of a pattern at most: what matches it takes memory in proportion.
const MAX_PATTERN: usize = 1000;

/// Which files of the workspace are not read.
#[derive(Clone, Debug)]
pub struct Exclude {
    patterns: Vec<String>,
    globs: Vec<Glob>,
    /// The matcher, made at the first question: browsers never ask, and are spared the code.
    matcher: OnceLock<GlobSet>,
}

impl Default for Exclude {
    fn default() -> Self {
        Exclude::new(&[]).unwrap_or_else(|_| Exclude {
            patterns: Vec::new(),
            globs: Vec::new(),
            matcher: OnceLock::new(),
        })
    }
}

impl PartialEq for Exclude {
    fn eq(&self, other: &Self) -> bool {
        self.patterns == other.patterns
    }
}

impl Exclude {
    pub(super) fn new(patterns: &[&str]) -> Result<Exclude, String> {
        let globs = ALWAYS_EXCLUDED.iter().chain(patterns).map(|pattern| {
            if pattern.chars().count() > MAX_PATTERN {
                let name = name(pattern);
                return Err(format!("more than {MAX_PATTERN} characters in \"{name}\""));
            }
            GlobBuilder::new(pattern)
                .literal_separator(true)
                .build()
                .map_err(|error| format!("{} in \"{}\"", error.kind(), name(pattern)))
        });
        Ok(Exclude {
            globs: globs.collect::<Result<_, _>>()?,
            patterns: patterns.iter().map(|&it| it.to_owned()).collect(),
            matcher: OnceLock::new(),
        })
    }

    fn matcher(&self) -> &GlobSet {
        let build = |globs: &[Glob]| {
            let mut builder = GlobSetBuilder::new();
            for glob in globs {
                builder.add(glob.clone());
            }
            builder.build()
        };
        self.matcher.get_or_init(|| {
            build(&self.globs).unwrap_or_else(|error| {
                error!(%error, "the patterns of workspace.exclude are too many; they do not count");
                build(&self.globs[..ALWAYS_EXCLUDED.len()]).unwrap_or_else(|_| GlobSet::empty())
            })
        })
    }

    /// Whether a pattern names this very file or folder of a workspace folder.
    pub fn names(&self, folder: &Path, path: &Path) -> bool {
        let inside = path.strip_prefix(folder);
        let globs = self.matcher();
        globs.is_match(path) || inside.is_ok_and(|it| globs.is_match(it))
    }

    /// Whether a file is excluded, by itself or with a folder that it is in.
    pub fn covers(&self, folder: &Path, path: &Path) -> bool {
        path.ancestors()
            .take_while(|it| it.starts_with(folder) && *it != folder)
            .any(|it| self.names(folder, it))
    }
}
