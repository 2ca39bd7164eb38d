//! The hardware that an entry needs, and the live range of a register.

#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt::Write as _};

use isa::target::Target;
use salsa::Database;
use syntax::{SyntaxKind, TextSize};

use crate::{
    EntryRegisters, ExactEntry, FilePosition, LiveRange,
    db::SourceFile,
    diagnostics::unavailable,
    features::views::{
        live_range::{Effort, live_range},
        registers::of_entry,
    },
    flow::facts::{Step, for_each_instruction},
    hir::{
        body::body,
        items::{Function, item_offsets, items},
        module::{DeclarationSource, module_scope},
    },
    pressure::{at_peak, peak_as_written},
};

/// Columns of a sparkline.
const COLUMNS: usize = 48;
/// Targets with which an entry is compared, where it may be that its code is made for them.
const COMPARED: &[&str] = &["sm_80", "sm_90", "sm_100", "sm_120"];
/// So many groups of values are listed.
const GROUPS: usize = 5;
/// So many runs of lines are listed.
const RUNS: usize = 6;

/// The needs of the entry with a name, if the file defines one; with what a compiler told of it.
pub(super) fn of_name(
    db: &dyn Database,
    file: SourceFile,
    name: &str,
    exact: &[ExactEntry],
) -> Option<String> {
    let exact = exact.iter().find(|it| it.name == name);
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let declarations = module_scope(db, file).find(name);
    declarations.iter().find_map(|it| match it.source {
        DeclarationSource::Function(index) => {
            let function = items.functions.get(index as usize)?;
            let start = offsets.functions.get(index as usize)?;
            entry(db, *function, *start, exact)
        }
        _ => None,
    })
}

fn entry(
    db: &dyn Database,
    function: Function<'_>,
    start: TextSize,
    exact: Option<&ExactEntry>,
) -> Option<String> {
    let it = of_entry(db, function, start, None)?;
    let mut out = match exact {
        Some(exact) => {
            let of = &exact.registers;
            let spilled = match of.spill_stores.saturating_add(of.spill_loads) {
                0 => "no spills".to_owned(),
                bytes => format!("{bytes} bytes spilled"),
            };
            format!(
                "**✓ {} registers** on `{}` by `ptxas`, {spilled}: {}\n\nEstimated: {} ({} to {})",
                of.registers,
                exact.target,
                occupancy(&it, of.registers),
                it.estimate,
                it.low,
                it.high,
            )
        }
        None => format!(
            "**About {} registers** ({} to {}) on `{}`: {}",
            it.estimate,
            it.low,
            it.high,
            it.target,
            occupancy(&it, it.estimate)
        ),
    };
    if let (None, Some(most)) = (exact, it.may_need()) {
        let _ = write!(
            out,
            "\n\nIt may need more, up to about {most}: so many are live in an order that hides latency"
        );
    }
    let live = it.live(exact);
    if let Some((line, most)) = live.peak() {
        let exact = exact.map_or(&[][..], |it| &it.lines);
        let _ = write!(
            out,
            "\n\n```text\n{}```\nAt most {most} {}, at line {}",
            sparklines(&[("as written", &it.alive), ("by ptxas", exact)]),
            live.counted.words(),
            line + 1,
        );
    }
    if let Some((cap, directive)) = it.cap {
        let _ = write!(out, "\n\n`{directive}` allows {cap} registers");
    }
    groups(db, function, start, &mut out);
    let mut others = String::new();
    let compared = COMPARED.iter().filter_map(|it| Target::parse(it));
    let compared: Vec<Target> = compared.collect();
    let unavailable = unavailable(db, function, &compared);
    for target in compared.iter().filter(|it| !unavailable.contains(it)) {
        let target = &*target.to_string();
        if target == it.target {
            continue;
        }
        if let Some(other) = of_entry(db, function, start, Some(target)) {
            let _ = write!(
                others,
                "\n- `{target}`: about {} ({} to {}), {} of {} warps",
                other.estimate, other.low, other.high, other.warps, other.of
            );
        }
    }
    if !others.is_empty() {
        let _ = write!(out, "\n\nOn other targets:\n{others}");
    }
    Some(out)
}

/// How many warps fit with so many registers, what limits them, and what would change that.
fn occupancy(it: &EntryRegisters, registers: u32) -> String {
    let assumed = if it.threads_assumed { " (assumed)" } else { "" };
    let more = it.steps.iter().find(|step| step.0 >= registers);
    let warps = more.map_or(0, |step| step.1);
    let mut out = match warps {
        0 => format!("no block of {} threads fits", it.threads),
        _ => format!(
            "{warps} of {} warps are resident with {} threads per block{assumed}",
            it.of, it.threads
        ),
    };
    // With another number of warps than the estimate has, it is the registers, unless fewer of them would
    // change nothing.
    let most = it.steps.first().map_or(it.of, |step| step.1);
    let limiter = match it.limiter {
        Some(limiter) if warps == it.warps => Some(limiter),
        _ if warps < most => Some("registers"),
        _ => None,
    };
    if let Some(limiter) = limiter {
        let _ = write!(out, ", limited by {limiter}");
    }
    let mut fewer = it.steps.iter().rev();
    if let Some((step, warps)) = fewer.find(|step| step.0 < registers && step.1 > warps) {
        let fewer = registers.saturating_sub(*step);
        let plural = if fewer == 1 { "" } else { "s" };
        let _ = write!(out, ". {fewer} register{plural} fewer: {warps} warps");
    }
    let may_grow = it.cap.is_none_or(|cap| cap.0 > registers);
    if let Some((step, _)) = more.filter(|step| may_grow && Some(*step) != it.steps.last()) {
        let _ = write!(out, ". Up to {step} registers keep that");
    }
    out
}

/// The numbers of registers live at lines, each as a row of bars with a name; rows without lines are left
/// out. All rows have the same lines and the same scale.
fn sparklines(rows: &[(&str, &[(u32, u32)])]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let all = || rows.iter().flat_map(|it| it.1);
    let first = all().map(|it| it.0).min().unwrap_or(0);
    let last = all().map(|it| it.0).max().unwrap_or(0);
    let top = all().map(|it| it.1).max().unwrap_or(0).max(1) as usize;
    let lines = last.saturating_sub(first) as usize + 1;
    let columns = lines.min(COLUMNS);
    let mut out = String::new();
    for (name, alive) in rows.iter().filter(|it| !it.1.is_empty()) {
        let mut most = vec![None; columns];
        for (line, registers) in *alive {
            let column = line.saturating_sub(first) as usize * columns / lines;
            if let Some(most) = most.get_mut(column) {
                *most = (*most).max(Some(*registers));
            }
        }
        // A line without instruction is as the one before it.
        let mut last = 0;
        for most in most {
            last = most.unwrap_or(last);
            out.extend(BARS.get((last as usize * (BARS.len() - 1)).div_ceil(top)));
        }
        let _ = writeln!(out, " {name}");
    }
    out
}

/// Values that the same kind of instruction makes.
#[derive(Default)]
struct Group {
    values: u32,
    registers: u32,
    /// The first and the last that is written.
    written: Option<(Step, Step)>,
    /// The first and the last that is read for the last time.
    read: Option<(Step, Step)>,
}

/// Who is live where most are in the order of the text: those that take most, by the instructions that write them.
fn groups(db: &dyn Database, function: Function<'_>, start: TextSize, out: &mut String) {
    let at_peak = at_peak(db, function);
    if at_peak.is_empty() {
        return;
    }
    let body = body(db, function);
    let mut names: Vec<String> = Vec::new();
    for_each_instruction(&function.green(db).cursor(), body, &mut |_, node| {
        let opcode = node.token(SyntaxKind::IDENT).map_or("", |it| it.text());
        let words = node.tokens().filter(|it| it.kind() == SyntaxKind::DOTTED);
        let last = words.last().map_or("", |it| it.text());
        names.push(format!("{opcode}{last}"));
    });
    let mut groups: BTreeMap<&str, Group> = BTreeMap::new();
    for value in &at_peak {
        let name = names.get(value.written as usize).map_or("", |it| it);
        let group = groups.entry(name).or_default();
        group.values += 1;
        group.registers = group.registers.saturating_add(value.weight);
        let with = |range: Option<(Step, Step)>, step: Step| match range {
            Some((first, last)) => Some((first.min(step), last.max(step))),
            None => Some((step, step)),
        };
        group.written = with(group.written, value.written);
        group.read = with(group.read, value.read);
    }
    let mut groups: Vec<(&str, Group)> = groups.into_iter().collect();
    groups.sort_by_key(|it| std::cmp::Reverse(it.1.registers));
    let lines = function.file(db).contents(db).lines.clone();
    let line = |step: Step| {
        let instruction = body.instructions.get(step as usize);
        instruction.map_or(0, |it| lines.line_of(it.range.start() + start) + 1)
    };
    let span = |range: Option<(Step, Step)>| {
        let (first, last) = range.map_or((0, 0), |it| (line(it.0), line(it.1)));
        match first == last {
            true => format!("line {first}"),
            false => format!("lines {first} to {last}"),
        }
    };
    let peak = peak_as_written(db, function).map_or(0, line);
    let _ = write!(out, "\n\nLive as written at line {peak}, where most are:\n");
    for (name, group) in groups.iter().take(GROUPS) {
        let _ = write!(
            out,
            "\n- {} in {} × `{name}` of {}, last read at {}",
            group.registers,
            group.values,
            span(group.written),
            span(group.read),
        );
    }
    let rest: u32 = groups.iter().skip(GROUPS).map(|it| it.1.registers).sum();
    if rest > 0 {
        let _ = write!(out, "\n- {rest} in others");
    }
}

/// Where the register at a position is live, and what it takes.
pub(super) fn life(db: &dyn Database, file: SourceFile, at: FilePosition) -> Option<String> {
    let life = live_range(db, file, at, Effort::Quick)?;
    let lines = file.contents(db).lines.clone();
    let mut out = takes(&life);
    let runs: Vec<String> = life
        .ranges
        .iter()
        .map(|it| {
            let first = lines.line_of(it.start()) + 1;
            let last = lines.line_of(it.end()) + 1;
            match first == last {
                true => first.to_string(),
                false => format!("{first} to {last}"),
            }
        })
        .collect();
    if !runs.is_empty() {
        let shown = runs.get(..RUNS).unwrap_or(&runs);
        let single = runs.len() == 1 && !runs.concat().contains(' ');
        let plural = if single { "" } else { "s" };
        let _ = write!(out, ", live at line{plural} {}", shown.join(", "));
        if let Some(more) = runs.len().checked_sub(RUNS).filter(|it| *it > 0) {
            let _ = write!(out, " and {more} more runs");
        }
    }
    if life.crosses_peak {
        out.push_str(", also where most registers are live");
    }
    Some(out)
}

fn takes(life: &LiveRange) -> String {
    match life.weight {
        _ if life.free => {
            "Probably takes no register of a thread (a constant, a parameter, the same in all threads, \
             or a part of what uses it)"
                .to_owned()
        }
        0 => "Takes a predicate".to_owned(),
        1 => "Takes 1 register".to_owned(),
        weight => format!("Takes {weight} registers"),
    }
}
