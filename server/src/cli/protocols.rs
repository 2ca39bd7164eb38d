//! `ptx-analyzer protocols`: which instructions of kernels belong together.

use std::{io, path::PathBuf};

use analysis::{AnalysisHost, FileId, ProtocolView};
use clap::ValueEnum;
use serde::Serialize;
use syntax::{Document, TextSize, text::LineTable};

use super::{FAILED, Io, text_or_error};

const FILE: FileId = FileId(0);

#[derive(Debug, clap::Args)]
pub(super) struct ProtocolsArgs {
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Show only this function.
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: ProtocolsFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum ProtocolsFormat {
    /// A list.
    #[default]
    Text,
    /// One JSON object per protocol and line.
    Json,
}

/// A protocol as JSON; lines count from 1.
#[derive(Serialize)]
pub(super) struct ProtocolRecord {
    function: String,
    protocol: String,
    parts: Vec<Part>,
}

#[derive(Serialize)]
struct Part {
    line: u32,
    role: String,
    /// The lines of those that it waits for or commits, or that do so with it; empty if all count.
    partners: Vec<u32>,
}

pub(super) fn run(args: &ProtocolsArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let Some(text) = text_or_error(&args.path, io)? else {
        return Ok(FAILED);
    };
    let found = records(text, args.function.as_deref());
    let mut function = "";
    for record in &found {
        if args.format == ProtocolsFormat::Json {
            serde_json::to_writer(&mut *io.stdout, record)?;
            writeln!(io.stdout)?;
            continue;
        }
        if function != record.function {
            function = &record.function;
            io.line(function)?;
        }
        io.line(format_args!("  {}", record.protocol))?;
        for part in &record.parts {
            let lines: Vec<String> = part.partners.iter().map(u32::to_string).collect();
            let partners = match &*lines {
                [] => String::new(),
                lines => format!(", with line {}", lines.join(", ")),
            };
            io.line(format_args!(
                "    line {}: {}{partners}",
                part.line, part.role
            ))?;
        }
    }
    Ok(0)
}

/// The protocols of a text, or of the function of it with a name.
pub(super) fn records(text: String, function: Option<&str>) -> Vec<ProtocolRecord> {
    let contents = Document::new(text).contents();
    let lines = contents.lines.clone();
    let host = AnalysisHost::with_file(FILE, contents, None);
    // Nobody cancels the questions of this host.
    let found = host.analysis().protocols(FILE, function);
    let found = found.unwrap_or_default();
    found.iter().map(|it| record(it, &lines)).collect()
}

fn record(protocol: &ProtocolView, lines: &LineTable) -> ProtocolRecord {
    let line = |at: TextSize| lines.line_of(at) + 1;
    let of = |index: &usize| protocol.parts.get(*index).map(|it| line(it.range.start()));
    let parts = protocol.parts.iter().map(|it| Part {
        line: line(it.range.start()),
        role: it.role.clone(),
        partners: it.partners.iter().filter_map(of).collect(),
    });
    ProtocolRecord {
        function: protocol.function.clone(),
        protocol: protocol.title.clone(),
        parts: parts.collect(),
    }
}
