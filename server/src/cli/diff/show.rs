//! Differences for people and for programs.

use std::{fmt::Write as _, io};

use analysis::{ChangeKind, FunctionChange};
use serde_json::{Value, json};
use syntax::{Document, TextRange};

use super::{Figures, Pair, is_reported};
use crate::{
    binaries::Text,
    cli::{Io, plain, report},
};

/// More text of one statement is cut.
const MAX_STATEMENT: usize = 160;

/// A text that only one side has.
pub(super) fn alone(is_new: bool, text: &Text, io: &mut Io<'_>) -> io::Result<()> {
    let source = text.image.as_ref().map_or("", |it| &it.1);
    let source = match source {
        "" => String::new(),
        source => format!(" ({source})"),
    };
    let side = if is_new { "new" } else { "old" };
    io.line(format_args!(
        "only in the {side} one: {}{source}",
        text.name
    ))
}

/// The differences between two texts.
pub(super) fn text(pair: &Pair) -> String {
    let comparison = &pair.comparison;
    let mut out = String::new();
    for (word, old, new) in &comparison.directives {
        let _ = writeln!(out, "{word} {} -> {}", plain(old), plain(new));
    }
    for change in &comparison.variables {
        let _ = writeln!(
            out,
            "{} variable {}",
            change.kind.word(),
            plain(&change.name)
        );
    }
    let mut same = 0;
    for change in &comparison.functions {
        match is_reported(change.kind) {
            true => function(pair, change, &mut out),
            false => same += 1,
        }
    }
    let count = |kind| {
        comparison
            .functions
            .iter()
            .filter(|it| it.kind == kind)
            .count()
    };
    let mut parts = Vec::new();
    for kind in [
        ChangeKind::Changed,
        ChangeKind::Added,
        ChangeKind::Removed,
        ChangeKind::Renamed,
    ] {
        if count(kind) > 0 {
            parts.push(format!("{} {}", count(kind), kind.word()));
        }
    }
    parts.push(format!("{same} same"));
    let (old, new) = (plain(&pair.old.name), plain(&pair.new.name));
    format!("{old} -> {new}: functions: {}\n{out}", parts.join(", "))
}

fn function(pair: &Pair, change: &FunctionChange, out: &mut String) {
    let is_entry = change
        .new
        .as_ref()
        .or(change.old.as_ref())
        .is_some_and(|it| it.entry);
    let what = if is_entry { ".entry" } else { ".func" };
    let _ = write!(
        out,
        "{} {what} {}",
        change.kind.word(),
        plain(change.name())
    );
    if let Some(old) = &change.old
        && &*old.name != change.name()
    {
        let _ = write!(out, " (was {})", plain(&old.name));
    }
    let _ = writeln!(out, "{}", summary(pair, change));
    if change.kind != ChangeKind::Changed {
        return;
    }
    if change.declarations {
        let _ = writeln!(out, "    the header, a declaration or a directive differs");
    }
    let (old, new) = (&pair.old.document, &pair.new.document);
    let mut rows = Vec::new();
    let start = |side: &Option<analysis::Side>, text: &Document| {
        side.as_ref()
            .map_or(0, |it| text.lines().line_of(it.range.start()))
    };
    let (old_start, new_start) = (start(&change.old, old), start(&change.new, new));
    for range in &change.removed {
        let line = line(old, *range);
        rows.push((
            line.saturating_sub(old_start),
            0,
            format!("- {line:>6}         {}", statement(old, *range)),
        ));
    }
    for range in &change.added {
        let line = line(new, *range);
        rows.push((
            line.saturating_sub(new_start),
            1,
            format!("+        {line:>6}  {}", statement(new, *range)),
        ));
    }
    for (from, to) in &change.moved {
        let (from, to) = (line(old, *from), (line(new, *to), *to));
        let text = statement(new, to.1);
        rows.push((
            to.0.saturating_sub(new_start),
            2,
            format!("> {from:>6} {:>6}  {text}", to.0),
        ));
    }
    for it in &change.rewired {
        let (from, to) = (line(old, it.first.0), line(new, it.first.1));
        let (before, after) = (plain(&it.old), plain(&it.new));
        let text = match (it.old == it.new, it.uses) {
            (true, _) => format!("`{before}` is at another place"),
            (false, 1) => format!("`{before}` is now `{after}`"),
            (false, uses) => format!("`{before}` is now `{after}` ({uses} uses)"),
        };
        rows.push((
            to.saturating_sub(new_start),
            3,
            format!(
                "~ {from:>6} {to:>6}  {text}: {}",
                statement(new, it.first.1)
            ),
        ));
    }
    rows.sort_by_key(|it| (it.0, it.1));
    for (_, _, row) in rows {
        let _ = writeln!(out, "  {row}");
    }
}

/// How much differs, and what ptxas makes of it.
fn summary(pair: &Pair, change: &FunctionChange) -> String {
    let mut parts = Vec::new();
    if change.kind != ChangeKind::Renamed {
        parts.push(format!("+{} -{}", change.added.len(), change.removed.len()));
    }
    if !change.moved.is_empty() {
        parts.push(format!("{} moved", change.moved.len()));
    }
    if !change.rewired.is_empty() {
        parts.push(format!("{} rewired", change.rewired.len()));
    }
    match pair.figures(change) {
        (None, None) => {}
        (old, new) => {
            let shown = |it: Option<Figures>| match it {
                None => "-".to_owned(),
                Some(Figures {
                    exact: Some(exact), ..
                }) => exact.shown(),
                Some(Figures { registers, .. }) => format!("~{registers}"),
            };
            parts.push(format!("registers {} -> {}", shown(old), shown(new)));
            let count = |it: Option<Figures>| it?.exact?.instructions;
            if let (Some(old), Some(new)) = (count(old), count(new)) {
                parts.push(format!("machine instructions {old} -> {new}"));
            }
        }
    }
    match parts.is_empty() {
        true => String::new(),
        false => format!(": {}", parts.join(", ")),
    }
}

fn line(text: &Document, range: TextRange) -> u32 {
    text.lines().line_of(range.start()) + 1
}

fn end_line(text: &Document, range: TextRange) -> u32 {
    text.lines().line_of(range.end()) + 1
}

/// A statement on one line.
fn statement(text: &Document, range: TextRange) -> String {
    let words: Vec<_> = text
        .text()
        .get(std::ops::Range::<usize>::from(range))
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    let mut text = plain(&words.join(" "));
    if let Some((end, _)) = text.char_indices().nth(MAX_STATEMENT) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// A function as JSON; lines count from 1.
pub(super) fn json(pair: &Pair, change: &FunctionChange) -> Value {
    let lines = |text: &Document, ranges: &[TextRange]| -> Vec<Value> {
        let first_and_last = |it: &TextRange| json!([line(text, *it), end_line(text, *it)]);
        ranges.iter().map(first_and_last).collect()
    };
    let (old_text, new_text) = (&pair.old.document, &pair.new.document);
    let mut record = json!({
        "function": change.name(),
        "change": change.kind.word(),
        "instructions_added": change.added.len(),
        "instructions_removed": change.removed.len(),
        "instructions_moved": change.moved.len(),
        "added": lines(new_text, &change.added),
        "removed": lines(old_text, &change.removed),
        "moved": change.moved.iter().map(|(from, to)| json!({
            "old": [line(old_text, *from), end_line(old_text, *from)],
            "new": [line(new_text, *to), end_line(new_text, *to)],
        })).collect::<Vec<_>>(),
        "rewired": change.rewired.iter().map(|it| json!({
            "old": it.old,
            "new": it.new,
            "uses": it.uses,
            "old_line": line(&pair.old.document, it.first.0),
            "line": line(&pair.new.document, it.first.1),
        })).collect::<Vec<_>>(),
        "declarations": change.declarations,
    });
    if let Some(old) = &change.old {
        if &*old.name != change.name() {
            record["old_function"] = (&*old.name).into();
        }
        record["old_file"] = pair.old.name.clone().into();
        record["old_line"] = line(&pair.old.document, old.range).into();
    }
    if let Some(new) = &change.new {
        record["file"] = pair.new.name.clone().into();
        record["line"] = line(&pair.new.document, new.range).into();
    }
    let figures = |it: Figures| json!({ "registers": it.registers, "exact": it.exact });
    let (old, new) = pair.figures(change);
    if let Some(old) = old {
        record["before"] = figures(old);
    }
    if let Some(new) = new {
        record["after"] = figures(new);
    }
    record
}

/// The rules that results of SARIF name.
pub(super) fn rules() -> Vec<Value> {
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    vec![
        rule("diff/changed", "a function is not the same as before"),
        rule(
            "diff/registers-up",
            "an entry needs more registers than before",
        ),
    ]
}

/// A result for each function that changed, and one for each that needs more registers, at the new text.
pub(super) fn sarif(pair: &Pair) -> Vec<Value> {
    let mut results = Vec::new();
    for change in &pair.comparison.functions {
        let (side, text) = match (&change.new, &change.old) {
            (Some(new), _) => (new, &pair.new),
            (None, Some(old)) => (old, &pair.old),
            (None, None) => continue,
        };
        let uri = report::uri(&text.name);
        let place = report::location(&uri, side.range, text.document.lines());
        let mut result = |index: usize, rule: &str, level: &str, message: String| {
            results.push(json!({
                "ruleId": rule,
                "ruleIndex": index,
                "level": level,
                "message": { "text": message },
                "locations": [{ "physicalLocation": place.clone() }],
            }));
        };
        if is_reported(change.kind) {
            let message = format!(
                "{} {}{}",
                change.kind.word(),
                change.name(),
                summary(pair, change)
            );
            result(0, "diff/changed", "note", message);
        }
        if pair.has_grown(change) {
            let message = format!(
                "{} needs more registers{}",
                change.name(),
                summary(pair, change)
            );
            result(1, "diff/registers-up", "warning", message);
        }
    }
    results
}
