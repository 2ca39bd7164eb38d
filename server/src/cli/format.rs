//! `ptx-analyzer format`: lay out files.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use analysis::{AnalysisHost, Change, FileContents, FileId, FormattingOptions};

use super::{FAILED, Io, check::inputs, read_bytes};
use crate::files::decode;

#[derive(Debug, clap::Args)]
pub(super) struct FormatArgs {
    /// Files to rewrite, and folders that are searched for *.ptx; or - to format standard input to standard
    /// output.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Do not write; name the files that are not formatted, and exit with status 1 if there are any.
    #[arg(long)]
    check: bool,
    /// Columns of one level of indentation.
    #[arg(long, value_name = "COLUMNS", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=16))]
    indent: u32,
}

pub(super) fn run(args: &FormatArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let options = FormattingOptions {
        indent_width: args.indent,
        tabs: false,
    };
    let (inputs, failures) = inputs(&args.paths, false);
    let mut status = 0;
    for failure in failures {
        writeln!(io.stderr, "error: {failure}")?;
        status = FAILED;
    }
    for path in &inputs {
        let bytes = match read_bytes(path, io) {
            Ok(bytes) => bytes,
            Err(error) => {
                writeln!(io.stderr, "error: {error}")?;
                status = FAILED;
                continue;
            }
        };
        let formatted = format(&bytes, options);
        let standard = path == Path::new("-");
        if args.check {
            if formatted != bytes {
                writeln!(io.stdout, "{} is not formatted", path.display())?;
                status = status.max(1);
            }
        } else if standard {
            io.stdout.write_all(&formatted)?;
        } else if formatted != bytes
            && let Err(error) = fs::write(path, &formatted)
        {
            writeln!(io.stderr, "error: {}: {error}", path.display())?;
            status = FAILED;
        }
    }
    Ok(status)
}

/// The file with other blanks; bytes that are not UTF-8 stay what they are.
pub(super) fn format(bytes: &[u8], options: FormattingOptions) -> Vec<u8> {
    // Offsets in the decoded text are those of the file.
    let (text, _) = decode(bytes.to_vec());
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FileId(0), Some(Arc::new(FileContents::new(&text))))],
        config: None,
    });
    let edits = host
        .analysis()
        .formatting(FileId(0), None, options)
        .unwrap_or_default();
    let mut formatted = Vec::with_capacity(bytes.len());
    let mut end = 0;
    for edit in &edits {
        let range = std::ops::Range::<usize>::from(edit.range);
        formatted.extend_from_slice(bytes.get(end..range.start).unwrap_or_default());
        formatted.extend_from_slice(edit.insert.as_bytes());
        end = range.end;
    }
    formatted.extend_from_slice(bytes.get(end..).unwrap_or_default());
    formatted
}
