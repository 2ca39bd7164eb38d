//! `ptx-analyzer sass`: the machine code that `ptxas` makes of a file.

use std::{fmt::Write as _, io, path::PathBuf};

use analysis::{AnalysisHost, Change, ExactEntry, FileId};
use clap::ValueEnum;
use machine::listing::{Listing, Row};
use serde_json::{Value, json};
use session::{exact::Findings, machine_code::MachineCode};
use syntax::Document;

use super::{FAILED, Io, check::target, plain, read_text, registers::exact::Ptxas};

const FILE: FileId = FileId(0);

#[derive(Debug, clap::Args)]
pub(super) struct SassArgs {
    /// A PTX file, or - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Compile for this target instead of the file's own, such as sm_90a.
    #[arg(long, value_name = "TARGET", value_parser = target)]
    target: Option<String>,
    /// Show only this entry function.
    #[arg(long, value_name = "ENTRY")]
    entry: Option<String>,
    /// Path of ptxas; by default the one on the PATH. nvdisasm is looked for beside it.
    #[arg(long, value_name = "FILE")]
    ptxas: Option<PathBuf>,
    /// Seconds after which ptxas is stopped.
    #[arg(long, value_name = "SECONDS", default_value_t = 300,
        value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// Text.
    #[default]
    Text,
    /// One JSON object per entry and line.
    Json,
}

pub(super) fn run(args: &SassArgs, io: &mut Io<'_>) -> io::Result<u8> {
    match findings(args, io) {
        Err(error) => {
            writeln!(io.stderr, "error: {error}")?;
            Ok(FAILED)
        }
        Ok((text, findings)) => show(args, &text, &findings, io),
    }
}

fn findings(args: &SassArgs, io: &mut Io<'_>) -> Result<(String, Findings), String> {
    let named = args.ptxas.as_ref().map(std::path::absolute).transpose();
    let named = named.map_err(|error| error.to_string())?;
    let ptxas = Ptxas::find(named.as_deref(), args.timeout)?;
    let text = read_text(&args.file, io)?;
    let document = Document::new(text);
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(document.contents()))],
        config: None,
    });
    let name = args.file.to_string_lossy();
    // Nobody cancels the questions of this host.
    let own = host.analysis().target(FILE).ok().flatten();
    let own = own.ok_or_else(|| format!("{name}: the file has no .target"))?;
    let findings = ptxas.findings(&name, document.text(), &own, args.target.as_deref())?;
    Ok((document.text().to_owned(), findings))
}

fn show(args: &SassArgs, text: &str, findings: &Findings, io: &mut Io<'_>) -> io::Result<u8> {
    let code = &findings.code;
    let wanted = |it: &&Listing| args.entry.as_ref().is_none_or(|entry| *entry == it.name);
    let listings: Vec<_> = code.listings.iter().filter(wanted).collect();
    if listings.is_empty() {
        let reason = match &args.entry {
            Some(entry) => format!("there is no machine code of {entry}"),
            None => "ptxas made no machine code".to_owned(),
        };
        writeln!(io.stderr, "error: {}: {reason}", args.file.display())?;
        return Ok(FAILED);
    }
    let lines: Vec<&str> = text.lines().collect();
    for listing in listings {
        let figures = findings.entries.iter().find(|it| it.name == listing.name);
        match args.format {
            Format::Json => {
                let record = record(code, listing, &findings.target, figures);
                writeln!(io.stdout, "{record}")?;
            }
            Format::Text => {
                let table = table(code, listing, &findings.target, figures, &lines);
                io.stdout.write_all(table.as_bytes())?;
            }
        }
    }
    Ok(0)
}

/// The code of an entry as JSON; lines count from 1.
fn record(
    code: &MachineCode,
    listing: &Listing,
    target: &str,
    figures: Option<&ExactEntry>,
) -> Value {
    let instruction = |it: &Row| {
        let mut record = json!({ "address": it.address, "text": it.text, "line": it.line });
        if let Some(source) = it.source {
            record["source"] = json!({ "file": code.file(source), "line": source.line });
        }
        if let Some(live) = it.live {
            record["live"] = live.into();
        }
        if let Some(schedule) = it.schedule {
            record["stall"] = schedule.stall.into();
            record["yield"] = schedule.yields.into();
            record["write"] = schedule.write.into();
            record["read"] = schedule.read.into();
            record["wait"] = schedule.waits().collect::<Vec<_>>().into();
            record["waits_for"] = it.waits_for.clone().into();
            record["reuse"] = schedule.reuse.into();
        }
        if let Some(label) = &it.label {
            record["label"] = label.as_str().into();
        }
        let routine = it.routine.and_then(|it| listing.routines.get(it as usize));
        if let Some(routine) = routine {
            record["routine"] = routine.name.as_str().into();
        }
        record
    };
    let mut record = json!({
        "entry": listing.name,
        "target": target,
        "instructions": listing.rows.iter().map(instruction).collect::<Vec<_>>(),
    });
    if let Some((peak, lines)) = listing.peak() {
        record["live_peak"] = peak.into();
        record["live_peak_lines"] = lines.into();
    }
    if let Some(ExactEntry { registers, .. }) = figures {
        record["registers"] = registers.registers.into();
        record["spill_stores"] = registers.spill_stores.into();
        record["spill_loads"] = registers.spill_loads.into();
    }
    record
}

/// The code of an entry for people: each line of PTX before the instructions that were made of it.
fn table(
    code: &MachineCode,
    listing: &Listing,
    target: &str,
    figures: Option<&ExactEntry>,
    lines: &[&str],
) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        "{} for {target}: {} instructions",
        listing.name,
        listing.rows.len()
    );
    if let Some(ExactEntry { registers, .. }) = figures {
        let _ = write!(out, ", {} registers", registers.registers);
        if registers.spill_stores + registers.spill_loads > 0 {
            let _ = write!(
                out,
                ", {} bytes of spill stores, {} of spill loads",
                registers.spill_stores, registers.spill_loads
            );
        }
    }
    if let Some((peak, lines)) = listing.peak()
        && let Some(line) = lines.first()
    {
        let _ = write!(out, ", at most {peak} live, first at line {line}");
    }
    out.push_str("\n address  live  stall  waits for\n");
    let (mut last, mut last_routine) = (None, None);
    for row in &listing.rows {
        if row.routine != last_routine {
            let routine = row.routine.and_then(|it| listing.routines.get(it as usize));
            if let Some(routine) = routine {
                let what = if routine.is_of_ptxas() {
                    "routine of ptxas"
                } else {
                    "function"
                };
                let _ = writeln!(out, "{what} {}", plain(routine.function()));
            }
            last_routine = row.routine;
        }
        if row.line != last {
            if let Some(line) = row.line {
                let text = lines
                    .get(line.saturating_sub(1) as usize)
                    .copied()
                    .unwrap_or_default();
                let source = row
                    .source
                    .map(|it| format!("  ({}:{})", plain(code.file(it)), it.line));
                let _ = writeln!(
                    out,
                    "{line:>6} | {}{}",
                    plain(text.trim()),
                    source.unwrap_or_default()
                );
            }
            last = row.line;
        }
        if let Some(label) = &row.label {
            let _ = writeln!(out, "{}:", plain(label));
        }
        let live = row.live.map_or_else(|| "-".to_owned(), |it| it.to_string());
        let stall = row
            .schedule
            .map_or_else(|| "-".to_owned(), |it| it.stall.to_string());
        let waits: Vec<_> = row.waits_for.iter().map(|it| format!("{it:04x}")).collect();
        let waits = waits.join(",");
        let _ = writeln!(
            out,
            "    {:04x}  {live:>4}  {stall:>5}  {waits:<14}  {}",
            row.address,
            plain(&row.text)
        );
    }
    out
}
