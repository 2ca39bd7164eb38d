//! `ptx-analyzer accesses`: which memory a warp accesses, in how many sectors and with how many bank conflicts.

use std::{io, path::PathBuf};

use analysis::{AccessPattern, AnalysisHost, FileId};
use clap::ValueEnum;
use serde_json::json;
use syntax::{
    Document,
    text::{Encoding, LineTable},
};

use super::{FAILED, Io, text_or_error};

const FILE: FileId = FileId(0);

#[derive(Debug, clap::Args)]
pub(super) struct AccessesArgs {
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    pub(super) path: PathBuf,
    /// Show only this function.
    #[arg(long, value_name = "NAME")]
    pub(super) entry: Option<String>,
    /// Threads of a block, such as 128 or 16,16, for entries without .reqntid.
    #[arg(long, value_name = "X,Y,Z", value_parser = block)]
    pub(super) block: Option<Block>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    pub(super) format: AccessesFormat,
}

/// The number of threads of a block along x, y and z.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block(pub(super) [u32; 3]);

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
pub(super) enum AccessesFormat {
    /// A table.
    #[default]
    Text,
    /// A JSON object on each line, with lines and columns counted from 1.
    Json,
}

/// Reads the threads of a block along up to three axes.
pub(super) fn block(text: &str) -> Result<Block, String> {
    let mut shape = [1; 3];
    let mut count = 0;
    for (index, part) in text.split(',').enumerate() {
        let number: Option<u32> = part.trim().parse().ok().filter(|it| *it > 0);
        match (shape.get_mut(index), number) {
            (Some(place), Some(number)) => *place = number,
            _ => return Err("expected up to three positive numbers, such as 16,16".to_owned()),
        }
        count += 1;
    }
    let threads: u64 = shape.iter().map(|it| u64::from(*it)).product();
    match threads {
        ..=1024 if count > 0 => Ok(Block(shape)),
        _ => Err(format!("a block has at most 1024 threads, not {threads}")),
    }
}

pub(super) fn run(args: &AccessesArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let Some(text) = text_or_error(&args.path, io)? else {
        return Ok(FAILED);
    };
    let contents = Document::new(text).contents();
    let lines = contents.lines.clone();
    let host = AnalysisHost::with_file(FILE, contents, None);
    let analysis = host.analysis();
    let block = args.block.map(|it| it.0);
    // Nobody cancels the questions of this host.
    let entry = args.entry.as_deref();
    let found = analysis.accesses(FILE, entry, block).unwrap_or_default();
    let graphs = || analysis.flow_graphs(FILE, entry).unwrap_or_default();
    if let (Some(name), true) = (entry, found.is_empty() && graphs().is_empty()) {
        let file = args.path.display();
        io.error(format_args!("{file}: no function {name} has a body"))?;
        return Ok(FAILED);
    }
    match args.format {
        AccessesFormat::Json => {
            for it in &found {
                let object = object(it, &args.path.display().to_string(), &lines);
                writeln!(io.stdout, "{object}")?;
            }
        }
        AccessesFormat::Text => {
            let mut entry = None;
            for it in &found {
                if entry != Some(&it.entry) {
                    entry = Some(&it.entry);
                    io.line(&it.entry)?;
                }
                let line = lines.position(it.range.start(), Encoding::Utf8).line + 1;
                let bytes = it.bytes.map_or_else(|| "?".to_owned(), |it| it.to_string());
                io.line(format_args!(
                    "{line:>6} {:<6} {:<7} {bytes:>4} B  {:<34} {}{}",
                    it.kind,
                    it.space,
                    figures(it),
                    it.address,
                    condition(it)
                ))?;
            }
        }
    }
    Ok(0)
}

fn object(it: &AccessPattern, file: &str, lines: &LineTable) -> serde_json::Value {
    let at = lines.position(it.range.start(), Encoding::Utf32);
    json!({
        "file": file,
        "entry": it.entry,
        "line": at.line + 1,
        "column": at.character + 1,
        "instruction": it.instruction,
        "space": it.space,
        "kind": it.kind,
        "bytes": it.bytes,
        "address": it.address,
        "verdict": if it.decided { "decided" } else { "unknown" },
        "sectors": it.sectors,
        "ideal_sectors": it.ideal_sectors,
        "ways": it.ways,
        "aligned": it.aligned,
        "in_range": it.in_range,
        "assumptions": it.assumptions,
    })
}

/// The figures of an access in a few words.
fn figures(it: &AccessPattern) -> String {
    let known = it.figures();
    let judged = it.decided || it.sectors.is_some() || it.ways.is_some();
    match (judged, known.is_empty()) {
        (true, _) => known,
        (false, true) => "unknown".to_owned(),
        (false, false) => format!("unknown, {known}"),
    }
}

/// The lengths of rows for which the figures hold, as the end of a line. Other assumptions hold in nearly all launches.
fn condition(it: &AccessPattern) -> String {
    match it.rows.is_empty() {
        true => String::new(),
        false => format!("  if {}", it.rows.join(", ")),
    }
}
