//! Which judges reach which instructions, and which of their modifiers no judge reaches.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use expect_test::expect;

use super::judged::{Judge, forms};
use crate::{
    computation::Clause,
    compute::{BoundOperand, BoundStatement, Exactness, Obstacle, ValueType, lower},
    operand::Operand,
    tables,
    tables::{
        instruction::{Form, Instruction},
        word_set::WordSet,
    },
    types::Class,
};

/// The judges that reach an instruction.
#[derive(Default)]
struct Reached {
    judges: BTreeSet<Judge>,
    words: BTreeSet<String>,
    exactness: Exactness,
    open: bool,
}

/// An instruction by its address: names and sections appear twice.
fn key(instruction: &Instruction) -> usize {
    std::ptr::from_ref(instruction).addr()
}

fn reached() -> BTreeMap<usize, Reached> {
    let mut all: BTreeMap<usize, Reached> = BTreeMap::new();
    for judge in Judge::ALL {
        let text = judge.recorded();
        for form in forms(&text) {
            for statement in form.compile().unwrap_or_default() {
                let reached = all.entry(key(statement.instruction)).or_default();
                reached.judges.insert(judge);
                reached.words.extend(statement.words);
                reached.exactness = reached.exactness.max(statement.program.exactness);
                reached.open |= statement.program.unspecified.is_some();
            }
        }
    }
    all
}

/// Why an instruction that no judge reaches has no program, from its first variant with the first words; `None` if it
/// has one.
fn obstacle(instruction: &Instruction) -> Option<Obstacle> {
    let computation = tables().computation(instruction)?;
    let register = Operand::Register {
        class: Class::B32,
        lanes: 1,
    };
    let mut last = None;
    for variant in &instruction.variants {
        let words = |set: &WordSet| {
            let ids = 0..instruction.words.len() as u16;
            let found = ids
                .filter(|it| set.contains(*it))
                .map(|it| instruction.words[usize::from(it)]);
            found.collect::<Vec<_>>()
        };
        let slots = variant.slots.iter().filter(|it| it.required);
        let slots = slots.filter_map(|it| Some((it.name, *words(&it.values).first()?)));
        let slots: Vec<(&str, &str)> = slots.collect();
        let mut names = Vec::new();
        for operand in &variant.operands {
            names.push(operand.name);
            if let Form::Pair(_, second) = &operand.form {
                names.push(second.name);
            }
        }
        let operands = names.iter().map(|name| BoundOperand {
            name,
            ty: Some(ValueType::untyped(32)),
            space: None,
            operand: &register,
        });
        let statement = BoundStatement {
            name: instruction.name,
            words: slots.iter().map(|it| it.1).collect(),
            operands: operands.collect(),
            slots,
        };
        match lower::lower(computation, &statement) {
            // Whole kernels judge what touches memory.
            Ok(it) if !it.is_pure() => last = Some(Obstacle::Memory),
            Ok(_) | Err(Obstacle::Mistake(_)) => return None,
            Err(it) => last = Some(it),
        }
    }
    last
}

/// The kind of an obstacle, for the table.
fn kind(obstacle: &Obstacle) -> &'static str {
    match obstacle {
        Obstacle::Nothing => "nothing",
        Obstacle::Memory => "memory",
        Obstacle::Matrix => "matrix",
        Obstacle::Chapter(_) | Obstacle::Unspecified(_) => "chapter",
        Obstacle::UnknownType(_) => "type",
        _ => "other",
    }
}

/// The chapter of an instruction: the first three numbers of its section.
fn chapter(instruction: &Instruction) -> String {
    let numbers: Vec<&str> = instruction.section.split('.').take(3).collect();
    numbers.join(".")
}

#[test]
fn each_instruction_with_a_result_has_a_judge() {
    let reached = reached();
    let mut rows: BTreeMap<String, BTreeMap<&str, usize>> = BTreeMap::new();
    let mut without = Vec::new();
    for instruction in tables().instructions() {
        let row = rows.entry(chapter(instruction)).or_default();
        *row.entry("instructions").or_default() += 1;
        let Some(found) = reached.get(&key(instruction)) else {
            match obstacle(instruction) {
                Some(it) => *row.entry(kind(&it)).or_default() += 1,
                None => without.push(format!("{} {}", instruction.name, instruction.section)),
            }
            continue;
        };
        let exactness = match found.exactness {
            Exactness::Exact => "exact",
            _ => "bounded",
        };
        *row.entry(exactness).or_default() += 1;
        if found.open {
            *row.entry("open cases").or_default() += 1;
        }
        for judge in &found.judges {
            *row.entry(judge.name()).or_default() += 1;
        }
    }
    let columns = [
        "instructions",
        "exact",
        "bounded",
        "open cases",
        "nothing",
        "memory",
        "matrix",
        "chapter",
        "ptxas",
        "reference",
        "host",
    ];
    let mut table = format!("{:8}", "chapter");
    for column in columns {
        write!(table, " {column:>w$}", w = column.len()).unwrap();
    }
    table.push('\n');
    for (chapter, row) in &rows {
        write!(table, "{chapter:8}").unwrap();
        for column in columns {
            let count = row.get(column).copied().unwrap_or_default();
            write!(table, " {count:>w$}", w = column.len()).unwrap();
        }
        table.push('\n');
    }
    expect![[r#"
        chapter  instructions exact bounded open cases nothing memory matrix chapter ptxas reference host
                            4     4       0          0       0      0      0       0     0         4    0
        9.7.1              25    25       0          5       0      0      0       0    21        25   12
        9.7.10             10     0       0          0       4      0      0       2     0         0    0
        9.7.11              9     0       0          0       0      2      0       4     0         0    0
        9.7.12              6     0       0          0       0      1      0       0     0         0    0
        9.7.13              5     0       0          0       5      0      0       0     0         0    0
        9.7.14             35     6       0          4       8     21      0       0     0         6    0
        9.7.15              8     1       2          0       0      0      5       0     0         3    0
        9.7.16              5     0       0          0       3      0      2       0     0         0    0
        9.7.17             16     0       0          0       6      7      1       1     0         0    0
        9.7.18              3     3       0          0       0      0      0       0     0         3    0
        9.7.19             23    23       0          0       0      0      0       0     7        23    0
        9.7.2               6     6       0          0       0      0      0       0     5         6    0
        9.7.20              5     0       0          0       5      0      0       0     0         0    0
        9.7.3              22    11      11          0       0      0      0       0    16        22    6
        9.7.4              10     8       2          0       0      0      0       0     2        10    0
        9.7.5               4     4       0          0       0      0      0       0     0         4    0
        9.7.6               4     4       0          0       0      0      0       0     4         4    2
        9.7.7               2     2       0          0       0      0      0       0     2         2    0
        9.7.8               9     9       0          0       0      0      0       0     8         9    6
        9.7.9              41     7       0          2      10     21      0       2     3         7    1
    "#]].assert_eq(&table);
    expect![[r#"
        fabric.try_get.async 9.7.10.5.1
        fabric.try_put.async 9.7.10.5.2
        fabric.try_red.async 9.7.10.5.3
        fabric.try_pullred.async 9.7.10.5.4
        fabric.try_atom.async 9.7.11.5.10
        tcgen05.ld 9.7.17.8.3
        multimem.ld_reduce 9.7.9.15
        suld.b 9.7.12.1
        sust.b 9.7.12.2
        sust.p 9.7.12.2
        sured.b 9.7.12.3
        sured.p 9.7.12.3
        tex 9.7.11.3
        tld4 9.7.11.4"#]]
    .assert_eq(&without.join("\n"));
}

#[test]
fn modifiers_that_no_judge_reaches() {
    let reached = reached();
    let mut gaps = String::new();
    for instruction in tables().instructions() {
        let Some(found) = reached.get(&key(instruction)) else {
            continue;
        };
        let computation = tables().computation(instruction);
        let lines = computation.map_or(&[][..], |it| &it.lines);
        let ignored: BTreeSet<&str> = lines
            .iter()
            .filter_map(|it| match &it.clause {
                Clause::Ignores(words) => Some(words.iter().copied()),
                _ => None,
            })
            .flatten()
            .collect();
        let mut missing: BTreeSet<&str> = BTreeSet::new();
        for variant in &instruction.variants {
            for slot in &variant.slots {
                let ids = 0..instruction.words.len() as u16;
                let words = ids.filter(|it| slot.values.contains(*it));
                let words = words.map(|it| instruction.words[usize::from(it)]);
                let words = words.filter(|it| {
                    !found.words.contains(*it)
                        && !ignored.contains(slot.name)
                        && !ignored.contains(it)
                });
                missing.extend(words);
            }
        }
        if !missing.is_empty() {
            let words: Vec<&str> = missing.into_iter().collect();
            let (name, section) = (instruction.name, instruction.section);
            writeln!(gaps, "{name} {section}: {}", words.join(" ")).unwrap();
        }
    }
    expect![[r#"
        cvt 9.7.9.22: e2m1p4x4
        add : e2m1p4x4
        sub : e2m1p4x4
        mul : e2m1p4x4
        fma : e2m1p4x4
    "#]]
    .assert_eq(&gaps);
}
