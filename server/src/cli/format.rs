//! `ptx-analyzer format`: lay out files.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use analysis::{AnalysisHost, Change, FileContents, FileId, FormattingOptions};

use super::{FAILED, Io, read_text};

#[derive(Debug, clap::Args)]
pub(super) struct FormatArgs {
    /// Files, which are rewritten, or - for standard input, which goes to standard output.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Change nothing; name the files that are not formatted, and end with status 1 if there are any.
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
    let mut status = 0;
    for path in &args.paths {
        let text = match read_text(path, io) {
            Ok(text) => text,
            Err(error) => {
                writeln!(io.stderr, "error: {error}")?;
                status = FAILED;
                continue;
            }
        };
        let formatted = format(&text, options);
        let standard = path == Path::new("-");
        if args.check {
            if formatted != text {
                writeln!(io.stdout, "{} is not formatted", path.display())?;
                status = status.max(1);
            }
        } else if standard {
            io.stdout.write_all(formatted.as_bytes())?;
        } else if formatted != text
            && let Err(error) = fs::write(path, &formatted)
        {
            writeln!(io.stderr, "error: {}: {error}", path.display())?;
            status = FAILED;
        }
    }
    Ok(status)
}

fn format(text: &str, options: FormattingOptions) -> String {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FileId(0), Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    let edits = host
        .analysis()
        .formatting(FileId(0), None, options)
        .unwrap_or_default();
    let mut formatted = String::with_capacity(text.len());
    let mut end = 0;
    for edit in &edits {
        let range = usize::from(edit.range.start())..usize::from(edit.range.end());
        formatted.push_str(text.get(end..range.start).unwrap_or_default());
        formatted.push_str(&edit.insert);
        end = range.end;
    }
    formatted.push_str(text.get(end..).unwrap_or_default());
    formatted
}
