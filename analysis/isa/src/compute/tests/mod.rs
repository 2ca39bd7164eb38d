//! Tests of the evaluator.

mod graphs;
mod statement;
mod texts;

use std::collections::BTreeMap;

use crate::types::Class;
use statement::{Registers, compile};

/// The classes of registers by the names that the recorded cases have for them.
fn class(word: &str) -> Option<Class> {
    Class::from_word(word)
}

/// Whether two values are equal as packs of some format, NaN being equal to NaN.
fn same_but_nan(a: u128, b: u128) -> bool {
    use super::float::{Format, bits};
    Format::ALL.iter().any(|format| {
        let width = format.bits();
        (0..64 / width).all(|it| {
            let part = |value: u128| (value >> (it * width)) as u64 & (u64::MAX >> (64 - width));
            let (a, b) = (part(a), part(b));
            a == b || bits::is_nan(*format, a) && bits::is_nan(*format, b)
        })
    })
}

#[test]
fn development_cases() {
    let Ok(path) = std::env::var("PTX_CASES") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let mut compiled = BTreeMap::new();
    let (mut good, mut open) = (0, 0);
    let mut bad: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let [judge, text, dt, types, values, want] = fields[..] else {
            continue;
        };
        let statements = compiled.entry(text.to_owned()).or_insert_with(|| {
            let mut classes: BTreeMap<String, Class> = BTreeMap::new();
            for (name, ty) in ["$a", "$b", "$c", "$e", "$f"].iter().zip(types.split(',')) {
                if let Some(class) = class(ty) {
                    classes.insert((*name).to_owned(), class);
                }
            }
            if let Some(class) = class(dt)
                && types != "?"
                && !types.contains('?')
            {
                classes.insert("$d".to_owned(), class);
            }
            let parts = text.split(';').filter(|it| !it.trim().is_empty());
            parts
                .map(|it| compile(it, &mut classes))
                .collect::<Result<Vec<_>, _>>()
        });
        let statements = match statements {
            Ok(it) => it,
            Err(it) => {
                bad.entry(format!("{text}: {it:?}")).or_default();
                continue;
            }
        };
        let mut registers: Registers<1> = BTreeMap::new();
        for (name, value) in ["$a", "$b", "$c", "$e", "$f"].iter().zip(values.split(',')) {
            let value = u128::from_str_radix(value, 16).unwrap_or_default();
            registers.insert((*name).to_owned(), [value]);
        }
        let mut carry = [0];
        let mut unspecified = false;
        for statement in statements {
            unspecified |= statement.run(&mut registers, &mut carry, 1);
        }
        if unspecified {
            open += 1;
            continue;
        }
        let got = registers.get("$d").or(registers.get("$f")).unwrap()[0];
        let want = u128::from_str_radix(want, 16).unwrap();
        if got == want || same_but_nan(got, want) {
            good += 1;
        } else {
            bad.entry(format!("{judge} {text}"))
                .or_default()
                .push(format!("{values} -> {got:x}, not {want:x}"));
        }
    }
    println!("{good} equal, {open} unspecified");
    for (text, cases) in bad {
        println!("{} {text} {:?}", cases.len(), cases.first());
    }
}

#[test]
#[ignore = "measures; run it in release"]
fn rate() {
    use super::{Machine, Surroundings};
    let groups: [(&str, &[&str]); 5] = [
        (
            "alu",
            &[
                "add.s32 $d, $a, $b",
                "and.b32 $d, $a, $b",
                "shl.b32 $d, $a, $b",
                "mad.lo.s32 $d, $a, $b, $c",
                "xor.b32 $d, $a, $b",
                "shr.u32 $d, $a, $b",
                "sub.s32 $d, $a, $b",
                "min.s32 $d, $a, $b",
                "add.s64 $d, $a, $b",
                "mul.wide.s32 $d, $a, $b",
                "setp.lt.s32 $d, $a, $b",
                "selp.b32 $d, $a, $b, $p",
                "cvt.u64.u32 $d, $a",
                "shl.b64 $d, $a, $b",
            ],
        ),
        ("fma", &["fma.rn.f32 $d, $a, $b, $c"]),
        (
            "add.f32",
            &["add.rn.f32 $d, $a, $b", "mul.rn.f32 $d, $a, $b"],
        ),
        ("f64", &["add.rn.f64 $d, $a, $b", "mul.rn.f64 $d, $a, $b"]),
        ("f16x2", &["fma.rn.f16x2 $d, $a, $b, $c"]),
    ];
    for (name, texts) in groups {
        let programs: Vec<_> = texts
            .iter()
            .map(|it| compile(it, &mut BTreeMap::new()).unwrap().program)
            .collect();
        let count: usize = programs.iter().map(|it| it.steps.len()).sum();
        let mut machine = Machine::<32>::default();
        let inputs: Vec<[u64; 32]> = (0..4)
            .map(|it| std::array::from_fn(|lane| 0x3f80_0000 + lane as u64 * 0x1357 + it))
            .collect();
        let start = std::time::Instant::now();
        let mut sum = 0u64;
        let rounds = if name == "f16x2" { 2_000 } else { 200_000 };
        for _ in 0..rounds {
            for program in &programs {
                let around = Surroundings {
                    active: u32::MAX,
                    carry: &[0; 32],
                    stack: &[0; 32],
                };
                machine.run(program, &inputs[..program.inputs.len()], &around);
                sum = sum.wrapping_add(machine.value(program.outputs[0].1)[3]);
            }
        }
        let time = start.elapsed().as_secs_f64();
        let lanes = (rounds * programs.len() * 32) as f64;
        println!(
            "{name}: {count} steps, {:.0} M lane-operations/s ({sum})",
            lanes / time / 1e6
        );
    }
}
