//! Machine code for people and for programs.

use std::fmt::Write as _;

use analysis::ExactEntry;
use machine::{
    blocks::{Block, Memory},
    listing::Listing,
    row::Row,
};
use serde_json::{Value, json};

use super::Code;
use crate::cli::plain;

/// The code of an entry as JSON; lines count from 1.
pub(super) fn record(code: &Code, listing: &Listing) -> Value {
    let figures = code.figures(listing);
    let instruction = |it: &Row| {
        let mut record = json!({ "address": it.address, "text": it.text, "line": it.line });
        if let Some(source) = it.source {
            record["source"] = json!({ "file": code.machine.file(source), "line": source.line });
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
        "target": code.target,
        "instructions": listing.rows.iter().map(instruction).collect::<Vec<_>>(),
    });
    if let Some(image) = code.image {
        record["image"] = image.into();
    }
    if !listing.blocks.is_empty() {
        record["blocks"] = listing.blocks.iter().map(|it| block(listing, it)).collect();
    }
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

/// A block as JSON.
fn block(listing: &Listing, block: &Block) -> Value {
    let first = listing.rows.get(block.first as usize);
    let memory = |it: &Memory| {
        json!({
            "space": it.space.word(),
            "operation": it.operation.word(),
            "count": it.count,
            "bytes": it.bytes,
        })
    };
    json!({
        "address": first.map(|it| it.address),
        "instructions": block.count,
        "stalls": block.stalls,
        "waits": block.waits,
        "memory": block.memory.iter().map(memory).collect::<Vec<_>>(),
    })
}

/// The code of an entry for people: what each block costs at least, and each line of PTX before the instructions that were made of it.
pub(super) fn table(code: &Code, listing: &Listing) -> String {
    let figures = code.figures(listing);
    let lines: Vec<&str> = code.text.lines().collect();
    let mut out = String::new();
    let _ = write!(
        out,
        "{} for {}: {} instructions",
        plain(&listing.name),
        code.target,
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
    out.push('\n');
    let labels = labels(code, listing);
    for (path, label) in &labels {
        if path != label {
            let _ = writeln!(out, "  {}: {}", plain(label), plain(path));
        }
    }
    out.push_str(" address  live  stall  waits for\n");
    let (mut last, mut last_routine) = (None, None);
    let mut blocks = listing.blocks.iter().peekable();
    for (index, row) in (0..).zip(&listing.rows) {
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
        if let Some(block) = blocks.next_if(|it| it.first == index) {
            let _ = writeln!(out, "  block: {}", block.words());
            last = None;
        }
        if row.line != last {
            if let Some(line) = row.line {
                let text = lines
                    .get(line.saturating_sub(1) as usize)
                    .copied()
                    .unwrap_or_default();
                let source = row.source.map(|it| {
                    let path = code.machine.file(it);
                    let label = labels
                        .iter()
                        .find(|it| it.0 == path)
                        .map_or(path, |it| it.1);
                    format!("  ({}:{})", plain(label), it.line)
                });
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

/// The source files of a listing, each with a short name: its ending, its name or its path, the first that no other has.
fn labels<'a>(code: &'a Code, listing: &Listing) -> Vec<(&'a str, &'a str)> {
    let mut paths: Vec<&str> = Vec::new();
    for source in listing.rows.iter().filter_map(|it| it.source) {
        let path = code.machine.file(source);
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let name = |path: &'a str| path.rsplit(['/', '\\']).next().filter(|it| !it.is_empty());
    let ending = |path: &'a str| {
        let (stem, ending) = name(path)?.rsplit_once('.')?;
        (!stem.is_empty() && !ending.is_empty()).then_some(ending)
    };
    let label = |path: &&'a str| {
        let is_own = |short: &dyn Fn(&'a str) -> Option<&'a str>| {
            let own = short(path)?;
            let others = paths.iter().filter(|it| short(it) == Some(own));
            (others.count() == 1).then_some(own)
        };
        let label = is_own(&ending).or_else(|| is_own(&name)).unwrap_or(path);
        (*path, label)
    };
    paths.iter().map(label).collect()
}
