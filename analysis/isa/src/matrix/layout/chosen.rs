//! Layouts that the manual leaves open: one is chosen, so that such a fragment can be held at all.

use super::{
    Axis::{self, Column, Row},
    DigitSource::Register,
    Fragment, Term,
    fragments::{Words, accumulator, element_bits, elements, group, thread, used},
};

/// Copies of an element of a factor are counted towards this number of registers.
const HALF_REGISTERS: u32 = 8;

/// The fragments of an instruction whose layout is not specified, as a machine may choose it: the same for all
/// instructions that hand such fragments on to each other. None if the instruction has no such fragments.
///
/// Words are those of [`super::layout`].
#[must_use]
pub fn chosen_layout(instruction: &str, words: &[&str]) -> Option<Vec<Fragment>> {
    let words = Words(words);
    let shape = words.shape()?;
    let types = words.types();
    let one = |matrix: &str, operand, ty: &str| {
        Some(match matrix {
            "a" => factor(operand, "A", (shape.m, shape.k), Column, ty)?,
            "b" => factor(operand, "B", (shape.k, shape.n), Row, ty)?,
            _ => accumulator(
                operand,
                if operand == "d" { "D" } else { "C" },
                shape,
                ty == "f16",
                32,
            ),
        })
    };
    match instruction {
        "wmma.load" => {
            let matrix = ["a", "b"]
                .into_iter()
                .find(|it| words.has(it))
                .unwrap_or("c");
            Some(vec![one(matrix, "r", types.first()?)?])
        }
        "wmma.store.d" => Some(vec![one("c", "r", types.first()?)?]),
        "wmma.mma" => {
            let (d, a, b, c) = match types[..] {
                [d, a, b, c] => (d, a, b, c),
                [d, c] => (d, "f16", "f16", c),
                _ => return None,
            };
            Some(vec![
                one("c", "d", d)?,
                one("a", "a", a)?,
                one("b", "b", b)?,
                one("c", "c", c)?,
            ])
        }
        _ => None,
    }
}

/// A factor whose registers run along an axis: eight groups of lanes across it, four lanes of a group along it.
fn factor(
    operand: &'static str,
    matrix: &'static str,
    (rows, columns): (u32, u32),
    along: Axis,
    ty: &str,
) -> Option<Fragment> {
    let bits = element_bits(ty, false)?;
    let count = (32 / bits).max(1);
    let (length, other, across) = match along {
        Row => (rows, Column, columns),
        _ => (columns, Row, rows),
    };
    let (wide, long) = (across / 8, length / (4 * count));
    if wide == 0 || long == 0 {
        return None;
    }
    let terms = vec![
        group(1, other),
        Term::new(Register, 1, wide, 8, other),
        thread(count, along),
        elements(count, along),
        Term::new(Register, wide, long, 4 * count, along),
    ];
    // Halves of every shape have as many registers; what is left over repeats the elements.
    let registers = match ty {
        "f16" => HALF_REGISTERS,
        _ => wide * long,
    };
    Some(Fragment {
        operand,
        matrix,
        lanes: 32,
        registers,
        elements: count,
        parts: ("matrix", 1),
        rows,
        columns,
        kept: None,
        terms: used(terms),
    })
}
