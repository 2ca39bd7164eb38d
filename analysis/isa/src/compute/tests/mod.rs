//! Tests of the evaluator.

mod statement;

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
