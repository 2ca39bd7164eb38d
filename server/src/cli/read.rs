//! `ptx-analyzer read`: kernels as pseudocode for reading.

use std::{io, path::PathBuf};

use analysis::{AnalysisHost, FileId, Reading, ReadingLine};
use clap::ValueEnum;
use serde::Serialize;
use syntax::{Document, text::LineTable};

use super::{FAILED, Io, text_or_error};

const FILE: FileId = FileId(0);
/// The column of further lines and of the source, and spaces for a level.
const COLUMN: usize = 84;
const LEVEL: usize = 4;
/// Runs of further lines that are listed.
const MAX_RUNS: usize = 4;
/// Levels that are shown by indentation.
const MAX_LEVELS: usize = 24;

#[derive(Debug, clap::Args)]
pub(super) struct ReadArgs {
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Show only this function.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: ReadFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum ReadFormat {
    /// Pseudocode with the lines of the PTX and of its source.
    #[default]
    Text,
    /// One JSON object per function and line.
    Json,
}

/// A function as JSON; lines count from 1.
#[derive(Serialize)]
pub(super) struct ReadingRecord {
    function: String,
    parameters: Vec<String>,
    lines: Vec<LineRecord>,
    #[serde(skip)]
    heading: String,
}

#[derive(Serialize)]
struct LineRecord {
    text: String,
    indent: u32,
    /// The lines of the PTX, as ranges with both ends.
    ptx: Vec<[u32; 2]>,
    /// The line by which it has its place.
    #[serde(skip)]
    lead: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<SourceRecord>,
}

#[derive(Serialize)]
struct SourceRecord {
    file: String,
    line: u32,
}

pub(super) fn run(args: &ReadArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let Some(text) = text_or_error(&args.path, io)? else {
        return Ok(FAILED);
    };
    let found = records(text, args.entry.as_deref());
    if let Some(name) = &args.entry
        && found.is_empty()
    {
        io.error(format_args!("there is no function `{name}` with a body"))?;
        return Ok(FAILED);
    }
    for (index, record) in found.iter().enumerate() {
        if args.format == ReadFormat::Json {
            serde_json::to_writer(&mut *io.stdout, record)?;
            writeln!(io.stdout)?;
            continue;
        }
        match index {
            0 => {
                io.line("// For reading: this does not compile. Lines of the PTX are on the left.")?
            }
            _ => io.line("")?,
        }
        io.line(&record.heading)?;
        for line in shown(&record.lines) {
            io.line(line)?;
        }
    }
    Ok(0)
}

/// The readings of the functions of a text, or of that with a name.
pub(super) fn records(text: String, function: Option<&str>) -> Vec<ReadingRecord> {
    let contents = Document::new(text).contents();
    let lines = contents.lines.clone();
    let host = AnalysisHost::with_file(FILE, contents, None);
    // Nobody cancels the questions of this host.
    let found = host.analysis().readings(FILE, function);
    let found = found.unwrap_or_default();
    found.iter().map(|it| record(it, &lines)).collect()
}

/// The lines with a column of the lines of PTX on the left; further ones and the source are on the right.
fn shown(lines: &[LineRecord]) -> Vec<String> {
    let own = |line: &LineRecord| {
        let lead = line.lead?;
        let mut runs = line.ptx.iter();
        runs.position(|[first, last]| (*first..=*last).contains(&lead))
    };
    let column =
        |line: &LineRecord| own(line).map_or_else(String::new, |it| run_text(line.ptx[it]));
    let width = lines.iter().map(|it| column(it).len()).max().unwrap_or(0);
    let mut file = "";
    let mut found = Vec::with_capacity(lines.len());
    for line in lines {
        let indent = LEVEL * (line.indent as usize).min(MAX_LEVELS);
        let mut text = format!("{:>width$}  {:indent$}{}", column(line), "", line.text);
        let own = own(line);
        let others = line.ptx.iter().enumerate().filter(|it| Some(it.0) != own);
        let mut words: Vec<String> = others.map(|it| run_text(*it.1)).collect();
        let more = words.len().saturating_sub(MAX_RUNS);
        if more > 1 {
            words.truncate(MAX_RUNS);
            words.push(format!("… {more} more"));
        }
        let mut right = Vec::new();
        if !words.is_empty() {
            right.push(format!("also {}", words.join(", ")));
        }
        if let Some(it) = &line.source {
            let name = match std::mem::replace(&mut file, &it.file) == it.file {
                true => "",
                false => it.file.rsplit(['/', '\\']).next().unwrap_or_default(),
            };
            right.push(format!("{name}:{}", it.line));
        }
        if !right.is_empty() {
            text = format!("{text:COLUMN$}  // {}", right.join("  "));
        }
        found.push(text);
    }
    found
}

fn run_text([first, last]: [u32; 2]) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    }
}

fn record(reading: &Reading, lines: &LineTable) -> ReadingRecord {
    let line = |it: &ReadingLine| {
        let mut ptx: Vec<[u32; 2]> = Vec::new();
        for range in &it.ranges {
            let first = lines.line_of(range.start()) + 1;
            let last = lines.line_of(range.end()) + 1;
            match ptx.last_mut() {
                Some(before) if first <= before[1] + 1 => before[1] = before[1].max(last),
                _ => ptx.push([first, last]),
            }
        }
        LineRecord {
            text: it.text.clone(),
            indent: it.indent,
            ptx,
            lead: it.lead.map(|it| lines.line_of(it.start()) + 1),
            source: it.source.as_ref().map(|it| SourceRecord {
                file: it.path.clone(),
                line: it.line,
            }),
        }
    };
    ReadingRecord {
        function: reading.function.clone(),
        parameters: reading.parameters.clone(),
        lines: reading.lines.iter().map(line).collect(),
        heading: reading.heading(),
    }
}
