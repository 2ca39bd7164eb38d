//! Files of other languages for the commands that show or change the PTX in them.

use std::path::Path;

use analysis::{AnalysisConfig, FragmentView, HostFile, HostSettings};
use syntax::host::Language;

use super::{Io, check, embedded, read_text};
use crate::compile_commands::CompileCommands;

/// A file of another language that was read.
pub(super) struct Hosted {
    pub(super) text: String,
    pub(super) file: HostFile,
    settings: HostSettings,
}

impl Hosted {
    /// Reads a file. Errors say what is wrong with it.
    pub(super) fn read(
        path: &Path,
        target: Option<&str>,
        commands: &CompileCommands,
        io: &mut Io<'_>,
    ) -> Result<Hosted, String> {
        let Some(language) = Language::of_path(path) else {
            return Err(format!(
                "{}: its name does not say that it is C++, Python, Rust or LLVM IR",
                path.display()
            ));
        };
        let text = read_text(path, io)?;
        let file = HostFile::new(&text, language);
        let settings = embedded::settings(&file, path, target, Some(commands));
        Ok(Hosted {
            text,
            file,
            settings,
        })
    }

    /// The fragments, each for the first target that it is compiled for.
    pub(super) fn views(&self) -> impl Iterator<Item = FragmentView<'_>> {
        let config = AnalysisConfig::default();
        (0..self.file.fragments().len()).map(move |index| {
            let mut check = |module: &str| check::of_module(module, &config).unwrap_or_default();
            let target =
                self.file
                    .usual_target(index, &self.text, &self.settings, &config, &mut check);
            self.file.view(index, &self.text, &target)
        })
    }
}
