//! `ptx-analyzer explain --try`: runs statements on values of their operands.

use std::io;

use run::{
    debug::Row,
    statements::{Form, Problem, Statements, Tried, show},
};
use serde_json::{Value, json};

use super::{ExplainArgs, ExplainFormat};
use crate::cli::{FAILED, Io, plain};

/// The status of a run with a finding, and of one that was stopped.
const FOUND: u8 = 1;
const STOPPED: u8 = 3;

/// Runs statements and prints their results.
pub(super) fn run(text: &str, args: &ExplainArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let statements = match Statements::new(text, &[], args.target.as_deref()) {
        Ok(it) => it,
        Err(problem) => {
            io.error(format_args!("{}", described(&problem)))?;
            return Ok(FAILED);
        }
    };
    let tried = match statements.run(&args.words) {
        Ok(it) => it,
        Err(problem) => {
            io.error(format_args!("{}", plain(&problem)))?;
            return Ok(FAILED);
        }
    };
    match args.format {
        ExplainFormat::Json => writeln!(io.stdout, "{:#}", record(&statements, &tried))?,
        ExplainFormat::Text | ExplainFormat::Markdown => {
            let shown = show(&statements, &tried);
            let lines: Vec<String> = shown.lines().map(plain).collect();
            writeln!(io.stdout, "{}", lines.join("\n"))?;
        }
    }
    Ok(match () {
        () if !tried.not_run.is_empty() || tried.is_limited => STOPPED,
        () if !tried.findings.is_empty() => FOUND,
        () => 0,
    })
}

/// A mistake with the line that has it, and its place there.
fn described(problem: &Problem) -> String {
    let mut text = plain(&problem.message);
    let Some(range) = &problem.range else {
        return text;
    };
    let before = problem.text.get(..range.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |it| it + 1);
    let line = problem.text.get(start..).unwrap_or_default();
    let line = line.lines().next().unwrap_or_default();
    let column = before[start..].chars().count();
    let marked = problem.text.get(range.clone()).unwrap_or_default();
    let marked = marked.lines().next().unwrap_or_default().chars().count();
    text += &format!(
        "\n    {}\n    {}{}",
        plain(line),
        " ".repeat(column),
        "^".repeat(marked.max(1))
    );
    text
}

/// The result as JSON.
fn record(statements: &Statements, tried: &Tried) -> Value {
    let values = |form: Form, row: &Row| {
        let lanes = (0..tried.lanes).map(|lane| match row.undefined >> lane & 1 {
            1 => Value::Null,
            _ => json!({
                "value": form.show(row.bits[lane]),
                "bits": format!("{:#x}", row.bits[lane]),
            }),
        });
        lanes.collect::<Vec<_>>()
    };
    let operands = |all: &[(usize, Row)]| {
        let all = all.iter().map(|(index, row)| {
            let it = &statements.operands[*index];
            json!({ "name": it.name, "type": it.form.word(), "lanes": values(it.form, row) })
        });
        all.collect::<Vec<_>>()
    };
    let steps = tried.steps.iter().map(|step| {
        let written = step.written.iter().map(|(name, form, row)| {
            json!({ "name": name, "type": form.word(), "lanes": values(*form, row) })
        });
        json!({
            "statement": step.text,
            "lanes": step.lanes,
            "written": written.collect::<Vec<_>>(),
        })
    });
    let findings = tried.findings.iter();
    let findings = findings.map(|it| json!({ "code": it.code.word(), "message": it.message }));
    json!({
        "statements": statements.text,
        "target": statements.target,
        "inputs": operands(&tried.given),
        "results": operands(&tried.results),
        "steps": steps.collect::<Vec<_>>(),
        "findings": findings.collect::<Vec<_>>(),
        "not_run": tried.not_run,
        "approximated": tried.approximated,
    })
}
