//! Judgements: whether arrays have the contents after a run that they should have.

use std::cmp::Ordering;

use super::{
    contents::bits_at,
    element::{Element, Shown},
    expect::{Expectation, Goal},
    prepare::{Layout, Prepared},
};
use crate::outcome::Outcome;

/// How an array after a run compares with what is expected.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The name of the array.
    pub name: String,
    /// The first element that differs.
    pub first: Option<Difference>,
    /// How many elements differ,
    pub different: usize,
    /// of so many.
    pub of: usize,
}

/// An element that differs.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its index along each dimension, outermost first.
    pub index: Vec<u64>,
    /// Its first byte in the array.
    pub byte: usize,
    /// The element after the run.
    pub got: Shown,
    /// The element that is expected.
    pub want: Shown,
}

impl Judgement {
    /// Returns whether the expectation holds.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.different == 0
    }
}

impl Prepared {
    /// Compares the arrays of an outcome with what is expected of them.
    #[must_use]
    pub fn judge(&self, outcome: &Outcome) -> Vec<Judgement> {
        let judge = |it: &Expectation| {
            let bits = |array: usize, index| {
                let layout = self.arrays.get(array)?;
                let bytes = outcome.arrays.get(array)?;
                bits_at(layout.element, bytes, index)
            };
            let want = |index| match &it.goal {
                Goal::Contents(contents) => bits_at(contents.element, &contents.bytes, index),
                Goal::Bits(bits) => Some(*bits),
                Goal::Array(other) => bits(*other, index),
                Goal::Unchanged => {
                    let layout = self.arrays.get(it.array)?;
                    let before = self.launch.arrays.get(it.array)?;
                    bits_at(layout.element, &before.bytes, index)
                }
            };
            let got = |index| bits(it.array, index);
            self.compare(it, &got, &want, outcome)
        };
        self.expectations.iter().map(judge).collect()
    }

    /// Compares all arrays of two outcomes of launches with the same arrays.
    #[must_use]
    pub fn compare_outcomes(
        &self,
        outcome: &Outcome,
        other: &Outcome,
        rtol: f64,
        atol: f64,
    ) -> Vec<Judgement> {
        let compare = |(array, layout): (usize, &Layout)| {
            let expectation = Expectation {
                name: self.launch.arrays[array].name.clone(),
                array,
                goal: Goal::Unchanged,
                rtol,
                atol,
            };
            let of = |outcome: &Outcome, index| {
                bits_at(layout.element, outcome.arrays.get(array)?, index)
            };
            let got = |index| of(outcome, index);
            let want = |index| of(other, index);
            // What both leave undefined is equal.
            let empty = Outcome {
                undefined: vec![Vec::new(); self.arrays.len()],
                ..outcome.clone()
            };
            let both = match outcome.undefined.get(array) == other.undefined.get(array) {
                true => &empty,
                false => outcome,
            };
            self.compare(&expectation, &got, &want, both)
        };
        self.arrays.iter().enumerate().map(compare).collect()
    }

    fn compare(
        &self,
        it: &Expectation,
        got: &dyn Fn(usize) -> Option<u64>,
        want: &dyn Fn(usize) -> Option<u64>,
        outcome: &Outcome,
    ) -> Judgement {
        let layout = &self.arrays[it.array];
        let element = layout.element;
        let bits = element.bits() as usize;
        let bytes = outcome.arrays.get(it.array).map_or(0, Vec::len);
        let undefined = outcome.undefined.get(it.array).map(Vec::as_slice);
        let undefined = undefined.unwrap_or_default();
        let mut judgement = Judgement {
            name: it.name.clone(),
            first: None,
            different: 0,
            of: bytes * 8 / bits,
        };
        for index in 0..judgement.of {
            let byte = index * bits / 8;
            let from = undefined.partition_point(|it| *it < byte);
            let is_undefined = undefined
                .get(from)
                .is_some_and(|it| *it < byte + bits.div_ceil(8));
            let (found, wanted) = (got(index), want(index));
            let is_equal = match (found, wanted) {
                (Some(a), Some(b)) => is_close(element, a, b, it.rtol, it.atol),
                _ => false,
            };
            if is_equal && !is_undefined {
                continue;
            }
            judgement.different += 1;
            if judgement.first.is_none() {
                let shown =
                    |bits: Option<u64>| bits.map_or(Shown::Undefined, |it| element.shown(it));
                judgement.first = Some(Difference {
                    index: unravel(index as u64, &layout.shape),
                    byte,
                    got: if is_undefined {
                        Shown::Undefined
                    } else {
                        shown(found)
                    },
                    want: shown(wanted),
                });
            }
        }
        judgement
    }
}

/// Whether an element is as near to the wanted one as it has to be; NaNs are equal.
fn is_close(element: Element, got: u64, want: u64, rtol: f64, atol: f64) -> bool {
    if got == want {
        return true;
    }
    if !matches!(element, Element::Float(_)) && rtol == 0.0 {
        let distance = element.integer(got) - element.integer(want);
        return distance.unsigned_abs() as f64 <= atol;
    }
    let (got, want) = (element.number(got), element.number(want));
    if got.is_nan() || want.is_nan() {
        return got.is_nan() && want.is_nan();
    }
    if rtol == 0.0 && atol == 0.0 {
        return false;
    }
    if got.is_infinite() || want.is_infinite() {
        return got.compare(&want) == Some(Ordering::Equal);
    }
    let (got, want) = (got.to_f64(), want.to_f64());
    (got - want).abs() <= atol + rtol * want.abs()
}

/// The index along each dimension of an element in the order of memory.
fn unravel(index: u64, shape: &[u64]) -> Vec<u64> {
    let mut rest = index;
    let mut found: Vec<u64> = shape
        .iter()
        .rev()
        .map(|it| {
            let along = rest % (*it).max(1);
            rest /= (*it).max(1);
            along
        })
        .collect();
    found.reverse();
    found
}
