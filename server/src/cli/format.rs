//! `ptx-analyzer format`: lay out files.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use analysis::{AnalysisHost, FileContents, FileId, FormattingOptions, HostFile};
use ec4rs::property::{EndOfLine, FinalNewline, IndentSize, IndentStyle};
use syntax::{
    host::Language,
    text::{Edit, is_binary},
};

use super::{FAILED, Io, check::inputs, read_bytes};
use crate::{binaries::NOT_TEXT, files::decode};

/// The most columns of a level.
const MAX_INDENT: u32 = 16;

#[derive(Debug, clap::Args)]
pub(super) struct FormatArgs {
    /// Files to rewrite, and folders that are searched for *.ptx; or - to format standard input to standard
    /// output.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Do not write; name the files that are not formatted, and exit with status 1 if there are any.
    #[arg(long)]
    check: bool,
    /// Also format the PTX in the strings of files in other languages: each statement on a line of its own. Folders are
    /// also searched for them.
    #[arg(long)]
    embedded: bool,
    /// Columns of one level of indentation. Without this an `.editorconfig` above the file decides, or else 4.
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u32).range(0..=16))]
    indent: Option<u32>,
    /// Column of the first operand, counted from the start of the statement; 0 puts one blank before it. Without this
    /// it is after the widest opcode of each function.
    #[arg(long, value_name = "COLUMN", value_parser = clap::value_parser!(u32).range(0..=80))]
    operand_column: Option<u32>,
}

pub(super) fn run(args: &FormatArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let (inputs, failures) = inputs(&args.paths, args.embedded, io)?;
    let mut status = 0;
    for failure in failures {
        io.error(&failure)?;
        status = FAILED;
    }
    for path in &inputs {
        let bytes = match read_bytes(path, io) {
            Ok(bytes) => bytes,
            Err(error) => {
                io.error(&error)?;
                status = FAILED;
                continue;
            }
        };
        let standard = path == Path::new("-");
        let (mut options, ending) = match standard {
            true => (FormattingOptions::default(), None),
            false => match of_editorconfig(path) {
                Ok(found) => found,
                Err(error) => {
                    io.error(&error)?;
                    status = FAILED;
                    continue;
                }
            },
        };
        if let Some(indent) = args.indent {
            (options.indent_width, options.tabs) = (indent, false);
        }
        options.operand_column = args.operand_column;
        let formatted = match Language::of_path(path) {
            Some(language) if args.embedded => match str::from_utf8(&bytes) {
                Ok(text) => {
                    // A tab in a string is a character of the program.
                    options.tabs = false;
                    strings(text, language, options).into_bytes()
                }
                // Nothing of a file is lost that is in another encoding.
                Err(_) => {
                    io.error(format_args!("{}: it is not UTF-8", path.display()))?;
                    status = FAILED;
                    continue;
                }
            },
            Some(_) => {
                io.error(format_args!(
                    "{}: it is not PTX; --embedded formats the PTX in its strings",
                    path.display()
                ))?;
                status = FAILED;
                continue;
            }
            None if is_binary(&decode(bytes.clone()).0) => {
                io.error(format_args!("{}: {NOT_TEXT}", path.display()))?;
                status = FAILED;
                continue;
            }
            None => {
                let formatted = format(&bytes, options);
                match ending {
                    Some(crlf) => with_ending(&formatted, crlf),
                    None => formatted,
                }
            }
        };
        if args.check {
            if formatted != bytes {
                io.line(format_args!("{} is not formatted", path.display()))?;
                status = status.max(1);
            }
        } else if standard {
            io.stdout.write_all(&formatted)?;
        } else if formatted != bytes
            && let Err(error) = fs::write(path, &formatted)
        {
            io.error(format_args!("{}: {error}", path.display()))?;
            status = FAILED;
        }
    }
    Ok(status)
}

/// The same lines with another ending: a line feed, with a carriage return before it for `crlf`.
fn with_ending(bytes: &[u8], crlf: bool) -> Vec<u8> {
    let ending: &[u8] = if crlf { b"\r\n" } else { b"\n" };
    let mut lines = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|it| *it == b'\n') {
        match line.strip_suffix(b"\n") {
            Some(text) => {
                lines.extend_from_slice(text.strip_suffix(b"\r").unwrap_or(text));
                lines.extend_from_slice(ending);
            }
            None => lines.extend_from_slice(line),
        }
    }
    lines
}

/// The options that the `.editorconfig` files in the folders around a file give it, and whether they end its lines with
/// a carriage return and a line feed, if they say so. Values that are not understood count as absent, as the format
/// requires.
///
/// # Errors
/// A sentence when such a file cannot be read.
fn of_editorconfig(path: &Path) -> Result<(FormattingOptions, Option<bool>), String> {
    let mut found = ec4rs::properties_of(path)
        .map_err(|error| format!("{}: .editorconfig: {error}", path.display()))?;
    found.use_fallbacks();
    let mut options = FormattingOptions::default();
    if let Ok(IndentSize::Value(columns)) = found.get::<IndentSize>() {
        options.indent_width = u32::try_from(columns).unwrap_or(u32::MAX).min(MAX_INDENT);
    }
    options.tabs = matches!(found.get::<IndentStyle>(), Ok(IndentStyle::Tabs));
    let newline = found.get::<FinalNewline>();
    options.insert_final_newline = matches!(newline, Ok(FinalNewline::Value(true)));
    let ending = match found.get::<EndOfLine>() {
        Ok(EndOfLine::Lf) => Some(false),
        Ok(EndOfLine::CrLf) => Some(true),
        _ => None,
    };
    Ok((options, ending))
}

/// A file of another language with the PTX in its strings laid out.
fn strings(text: &str, language: Language, options: FormattingOptions) -> String {
    let file = HostFile::new(text, language);
    let mut edits: Vec<Edit> = (0..file.fragments().len())
        .filter_map(|index| {
            let target = file.marked_targets().first();
            let view = file.view(index, text, target.map_or("sm_90a", |it| it));
            let module = format(view.module.as_bytes(), options);
            view.one_a_line(&String::from_utf8(module).ok()?)
        })
        .collect();
    edits.sort_by_key(|it| it.range.start());
    let mut formatted = String::with_capacity(text.len());
    let mut end = 0;
    for edit in &edits {
        let range = std::ops::Range::<usize>::from(edit.range);
        // Several statements may have the same strings, by a macro.
        if range.start < end {
            continue;
        }
        formatted.push_str(&text[end..range.start]);
        formatted.push_str(&edit.insert);
        end = range.end;
    }
    formatted.push_str(&text[end..]);
    formatted
}

/// A module with other blanks.
pub(super) fn of_text(module: &str) -> String {
    let formatted = format(module.as_bytes(), FormattingOptions::default());
    String::from_utf8_lossy(&formatted).into_owned()
}

/// The file with other blanks; bytes that are not UTF-8 stay what they are.
pub(super) fn format(bytes: &[u8], options: FormattingOptions) -> Vec<u8> {
    // Offsets in the decoded text are those of the file.
    let (text, _) = decode(bytes.to_vec());
    let host = AnalysisHost::with_file(FileId(0), Arc::new(FileContents::new(&text)), None);
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
