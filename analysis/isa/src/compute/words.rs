//! Operations on words, which are the low 32 bits of lanes.

use super::{integers::set, pass::Word};

const MASK: u64 = u32::MAX as u64;

/// Writes the result of an operation on words.
pub(super) fn evaluate_word<const N: usize>(
    word: Word,
    [a, b, c]: [&[u64; N]; 3],
    out: &mut [u64; N],
) {
    // The product of words is written as the multiplication of which processors have vectors.
    let product = |lane: usize| (a[lane] & MASK) * (b[lane] & MASK);
    let signed = |lane: usize| (a[lane] as i32, b[lane] as i32);
    let unsigned = |lane: usize| (a[lane] as u32, b[lane] as u32);
    let truth = |it: bool| u64::from(it);
    match word {
        Word::Add => set(out, |it| a[it].wrapping_add(b[it]) & MASK),
        Word::Subtract => set(out, |it| a[it].wrapping_sub(b[it]) & MASK),
        Word::Multiply => set(out, |it| product(it) & MASK),
        Word::MultiplyAdd => set(out, |it| product(it).wrapping_add(c[it]) & MASK),
        Word::ShiftLeft => match same(b) {
            Some(by @ ..32) => set(out, |it| a[it] << by & MASK),
            Some(_) => *out = [0; N],
            None => set(out, |it| (a[it] & MASK) << (b[it].min(32)) & MASK),
        },
        Word::ShiftRight => match same(b) {
            Some(by @ ..32) => set(out, |it| (a[it] & MASK) >> by),
            Some(_) => *out = [0; N],
            None => set(out, |it| (a[it] & MASK) >> b[it].min(32)),
        },
        Word::ShiftRightSigned => match same(b) {
            Some(by) => set(out, |it| u64::from((a[it] as i32 >> by.min(31)) as u32)),
            None => set(out, |it| u64::from((a[it] as i32 >> b[it].min(31)) as u32)),
        },
        Word::MinimumSigned => set(out, |it| {
            let (a, b) = signed(it);
            u64::from(a.min(b) as u32)
        }),
        Word::MaximumSigned => set(out, |it| {
            let (a, b) = signed(it);
            u64::from(a.max(b) as u32)
        }),
        Word::Minimum => set(out, |it| {
            let (a, b) = unsigned(it);
            a.min(b).into()
        }),
        Word::Maximum => set(out, |it| {
            let (a, b) = unsigned(it);
            a.max(b).into()
        }),
        Word::Equal => set(out, |it| {
            let (a, b) = unsigned(it);
            truth(a == b)
        }),
        Word::NotEqual => set(out, |it| {
            let (a, b) = unsigned(it);
            truth(a != b)
        }),
        Word::Less => set(out, |it| {
            let (a, b) = unsigned(it);
            truth(a < b)
        }),
        Word::LessEqual => set(out, |it| {
            let (a, b) = unsigned(it);
            truth(a <= b)
        }),
        Word::LessSigned => set(out, |it| {
            let (a, b) = signed(it);
            truth(a < b)
        }),
        Word::LessEqualSigned => set(out, |it| {
            let (a, b) = signed(it);
            truth(a <= b)
        }),
    }
}

/// The low 32 bits of all lanes, if they are the same.
fn same<const N: usize>(values: &[u64; N]) -> Option<u64> {
    let first = values[0];
    let different = values.iter().fold(0, |all, it| all | (it ^ first));
    (different == 0).then_some(first & MASK)
}
