//! The results of statements as text.

use std::fmt::Write as _;

use isa::compute::float::Format;

use super::{Form, Operand, Statements, Step, Tried};
use crate::{
    debug::{Row, WARP, lane_ranges},
    description::Element,
};

/// Values of a warp on one line.
const IN_LINE: usize = 4;

/// Shows what ran: the results in all useful forms, before them each step if there are several.
#[must_use]
pub fn show(statements: &Statements, tried: &Tried) -> String {
    let mut text = String::new();
    if tried.steps.len() > 1 {
        for (number, step) in (1..).zip(&tried.steps) {
            let _ = writeln!(text, "{number:>3}  {}", step.text.replace('\n', " "));
            for line in after(step, tried.lanes) {
                let _ = writeln!(text, "     {line}");
            }
        }
        if tried.more > 0 {
            let _ = writeln!(text, "     … and {} more instructions", tried.more);
        }
        text.push('\n');
    }
    let results = tried.results.iter();
    let mut results = results.map(|(index, row)| (&statements.operands[*index], row));
    let shown: Vec<String> = results
        .by_ref()
        .map(|it| result(it.0, it.1, tried.lanes))
        .collect();
    text += &shown.join("\n");
    if shown.is_empty() && tried.steps.len() == 1 {
        text += &after(&tried.steps[0], tried.lanes).join("\n");
        text.push('\n');
    }
    for it in &tried.not_run {
        let _ = writeln!(text, "{it} is not run yet");
    }
    for it in &tried.findings {
        let _ = writeln!(text, "{}: {}", it.code.word(), it.message);
    }
    if tried.is_limited {
        let _ = writeln!(text, "the run has reached a limit of instructions");
    }
    if !tried.approximated.is_empty() {
        let _ = writeln!(
            text,
            "PTX allows several results for {}; this is one of them",
            tried.approximated.join(", ")
        );
    }
    text
}

/// The registers that a step wrote, one on a line.
fn after(step: &Step, lanes: usize) -> Vec<String> {
    if step.lanes == 0 {
        return vec!["not executed: its guard is false".to_owned()];
    }
    let all = u32::MAX >> (WARP - lanes);
    let mut lines = Vec::new();
    if step.lanes != all {
        lines.push(format!("in lanes {}", lane_ranges(step.lanes)));
    }
    for (name, form, row) in &step.written {
        let lane = step.lanes.trailing_zeros() as usize;
        lines.push(format!("{name} = {}", brief(*form, row, lane, step.lanes)));
    }
    lines
}

/// A value on one line.
fn brief(form: Form, row: &Row, lane: usize, lanes: u32) -> String {
    match form {
        Form::Numbers(_, count) if count > 1 => {
            let own = one(form, row, lane);
            let same = (0..WARP).filter(|it| lanes >> it & 1 == 1);
            match same.clone().all(|it| one(form, row, it) == own) {
                true => own,
                false => {
                    let all = same.map(|it| one(form, row, it));
                    all.collect::<Vec<_>>().join(" ")
                }
            }
        }
        _ => {
            let shown = row.summary(lane, lanes, false);
            let is_same = shown.contains(" in all lanes") || shown.contains('(');
            match lanes.count_ones() < 2 || is_same {
                true => shown,
                false => {
                    let all = (0..WARP).filter(|it| lanes >> it & 1 == 1);
                    let all = all.map(|it| row.show(it, false));
                    all.collect::<Vec<_>>().join(" ")
                }
            }
        }
    }
}

fn one(form: Form, row: &Row, lane: usize) -> String {
    match row.undefined >> lane & 1 {
        1 => "undefined".to_owned(),
        _ => form.show(row.bits[lane]),
    }
}

/// A result: in all forms if it is the same in all lanes, else each lane.
fn result(operand: &Operand, row: &Row, lanes: usize) -> String {
    let title = format!("{} (.{})", operand.name, operand.form.word());
    let is_same = (1..lanes)
        .all(|it| row.bits[it] == row.bits[0] && (row.undefined >> it & 1) == (row.undefined & 1));
    if is_same {
        let place = if lanes > 1 { " in all lanes" } else { "" };
        if row.undefined & 1 == 1 {
            return format!("{title} = undefined{place}\n");
        }
        let bits = row.bits[0];
        let mut text = format!("{title} = {}{place}\n", operand.form.show(bits));
        for (word, value) in forms(operand, bits) {
            let _ = writeln!(text, "    {word:<8}  {value}");
        }
        return text;
    }
    let mut text = format!("{title} by lane\n");
    let shown: Vec<String> = (0..lanes)
        .map(|it| {
            let value = one(operand.form, row, it);
            match (operand.form, row.undefined >> it & 1) {
                (Form::Predicate, _) | (_, 1) => value,
                _ => format!("{value} ({:#x})", row.bits[it]),
            }
        })
        .collect();
    let width = shown.iter().map(|it| it.chars().count()).max().unwrap_or(0);
    for (line, values) in shown.chunks(IN_LINE).enumerate() {
        let cells = values.iter().map(|it| format!("{it:<width$}"));
        let cells = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "    {:>2}  {}", line * IN_LINE, cells.trim_end());
    }
    if operand.form == Form::Predicate {
        let mask = (0..lanes).fold(0_u32, |all, it| all | ((row.bits[it] & 1) as u32) << it);
        let _ = writeln!(text, "    mask {mask:#010x}");
    }
    text
}

/// The forms in which the bits of an operand are useful.
fn forms(operand: &Operand, bits: u64) -> Vec<(String, String)> {
    if operand.form == Form::Predicate {
        return Vec::new();
    }
    let width = operand.form.bits();
    let digits = width.div_ceil(4) as usize;
    let mut all = vec![("hex".to_owned(), format!("0x{bits:0digits$x}"))];
    let mut add = |form: Form| {
        if form != operand.form && form.bits() == width {
            all.push((form.word(), form.show(bits)));
        }
    };
    let number = |element| Form::Numbers(element, 1);
    if matches!(width, 8 | 16 | 32 | 64) {
        add(number(Element::Unsigned(width)));
        add(number(Element::Signed(width)));
    }
    for format in [Format::F16, Format::F32, Format::F64] {
        add(number(Element::Float(format)));
    }
    if let Some(it) = Form::from_word("f16x2") {
        add(it);
    }
    let binary = format!("{bits:0width$b}", width = width as usize);
    let bytes: Vec<&str> = (0..binary.len())
        .step_by(8)
        .filter_map(|it| binary.get(it..(it + 8).min(binary.len())))
        .collect();
    all.push(("bits".to_owned(), bytes.join(" ")));
    all
}
