//! Which lane holds which elements of a matrix.

use std::fmt::Write as _;

use isa::layout::{CATALOG, Fragment, Layout, layout};

use super::{Calculator, Values, free};
use crate::features::{
    completion::nearest::{everywhere, nearest},
    hover::matrix::{Held, lane_cell, table},
};

pub(super) fn calculator() -> Calculator {
    let examples = CATALOG
        .iter()
        .map(|it| format!("{}.{}", it.instruction, it.words));
    let mut instruction = free("instruction", "instruction with its shape and types", "");
    instruction.choices = examples.collect();
    instruction.default = instruction.choices.first().cloned().unwrap_or_default();
    Calculator {
        name: "fragment",
        inputs: vec![
            instruction,
            free("lane", "lane, or thread of the warpgroup", "0"),
            free("matrix", "matrix of the element", ""),
            free("row", "row of the element", ""),
            free("column", "column of the element", ""),
        ],
    }
}

/// The fragments of an instruction that is written with modifiers, some of which may be missing.
fn fragments(written: &str) -> Result<Vec<Fragment>, String> {
    let mut words = written.split('.').filter(|it| !it.is_empty());
    let opcode = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let unknown =
        || format!("`instruction={written}`: no instruction has this opcode with these modifiers");
    // A form that has all of these, and perhaps others.
    let found = everywhere().find_map(|module| {
        let found = nearest(opcode, &words, 0, module)?;
        found.foreign.is_empty().then_some(found)
    });
    let found = found.ok_or_else(unknown)?;
    match layout(found.reading.instruction.name, &words) {
        Some(Layout::Fragments(all)) => Ok(all),
        Some(Layout::Unspecified(_)) => {
            Err("which lane holds which element of this instruction is not specified".to_owned())
        }
        None => Err(format!(
            "`instruction={written}`: no fragments, or its shape or types are missing"
        )),
    }
}

pub(super) fn fragment(values: &Values<'_>) -> Result<String, String> {
    values.only_inputs()?;
    let all = fragments(values.text("instruction"))?;
    let held: Vec<Held<'_>> = all
        .iter()
        .map(|fragment| Held { index: 0, fragment })
        .collect();
    let mut text = table(&held);
    let lanes = all.iter().map(|it| it.lanes).max().unwrap_or(1);
    let lane = u32::try_from(values.number("lane", u64::from(lanes) - 1)?).unwrap_or_default();
    let _ = write!(
        text,
        "\nLane {lane} holds:\n\n| register | of | row, column |\n|---|---|---|\n"
    );
    for fragment in all.iter().filter(|it| lane < it.lanes) {
        for register in 0..fragment.registers {
            let _ = writeln!(
                text,
                "| `{}[{register}]` | {} | {} |",
                fragment.operand,
                fragment.matrix,
                lane_cell(fragment, lane, register)
            );
        }
    }
    if let Some(holders) = element(values, &all)? {
        let _ = write!(text, "\n{holders}");
    }
    Ok(text)
}

/// The lanes that hold the element that the inputs name, if they do.
fn element(values: &Values<'_>, all: &[Fragment]) -> Result<Option<String>, String> {
    let (Some(row), Some(column)) = (values.optional("row")?, values.optional("column")?) else {
        return Ok(None);
    };
    let name = values.text("matrix");
    let names: Vec<&str> = all.iter().map(|it| it.matrix).collect();
    let fragment = match (all, name) {
        ([one], "") => Some(one),
        _ => all.iter().find(|it| it.matrix.eq_ignore_ascii_case(name)),
    };
    let fragment =
        fragment.ok_or_else(|| format!("`matrix={name}`: expected {}", names.join(", ")))?;
    if row >= fragment.rows.into() || column >= fragment.columns.into() {
        return Err(format!(
            "{} has {} rows and {} columns{}",
            fragment.matrix,
            fragment.rows,
            fragment.columns,
            if fragment.kept.is_some() {
                " that are kept"
            } else {
                ""
            },
        ));
    }
    let mut found = Vec::new();
    for lane in 0..fragment.lanes {
        for register in 0..fragment.registers {
            for element in 0..fragment.elements {
                let at = fragment.position(lane, register, element);
                if (u64::from(at.row), u64::from(at.column)) != (row, column) {
                    continue;
                }
                let mut text = format!("- lane {lane}, `{}[{register}]`", fragment.operand);
                if fragment.elements > 1 {
                    let bits = 32 / fragment.elements;
                    let low = element * bits;
                    let _ = write!(text, ", bits {low} to {}", low + bits - 1);
                }
                if fragment.parts.1 > 1 {
                    let _ = write!(text, ", of {} {}", fragment.parts.0, at.part);
                }
                found.push(text);
            }
        }
    }
    let kept = if fragment.kept.is_some() {
        " that is kept"
    } else {
        ""
    };
    Ok(Some(format!(
        "Row {row}, column {column}{kept} of {}:\n\n{}\n",
        fragment.matrix,
        found.join("\n")
    )))
}
