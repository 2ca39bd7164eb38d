//! Layouts as formulas for people.

use super::{Axis, DigitSource, Fragment, Term};

/// Where the elements of a register are, as formulas of the lane: `g = lane / 4`, `t = lane % 4`, `w` the warp in
/// its warpgroup, `i` the register and `e` the element in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formula {
    /// Which matrix; none where there is only one.
    pub part: Option<String>,
    /// The row, or the first and the last one.
    pub row: String,
    /// The column, or the first and the last one; of a sparse matrix those of which some are kept.
    pub column: String,
}

impl Fragment {
    /// Where the elements of a register are; of any register `i` if none is given.
    #[must_use]
    pub fn formula(&self, register: Option<u32>) -> Formula {
        // Elements that go both down and right need their number in both formulas.
        let along = |axis| {
            let mut terms = self.terms.iter();
            terms.any(|it| it.source == DigitSource::Element && it.axis == axis)
        };
        let numbered = along(Axis::Row) && along(Axis::Column);
        Formula {
            part: (self.parts.1 > 1).then(|| self.sum(Axis::Part, register, numbered)),
            row: self.sum(Axis::Row, register, numbered),
            column: self.sum(Axis::Column, register, numbered),
        }
    }

    fn sum(&self, axis: Axis, register: Option<u32>, numbered: bool) -> String {
        // Of a sparse matrix twice as many columns are covered as are kept.
        let stretch = if axis == Axis::Column && self.kept.is_some() {
            2
        } else {
            1
        };
        let (mut constant, mut length) = (0, 1);
        let mut parts: Vec<String> = Vec::new();
        for term in self.terms.iter().filter(|it| it.axis == axis) {
            let times = term.times * stretch;
            match (term.source, register) {
                (DigitSource::Register, Some(register)) => {
                    constant += term.value(register) * stretch
                }
                (DigitSource::Element, _) if !numbered => length *= term.modulo,
                _ => parts.push(product(times, &self.digit(*term))),
            }
        }
        if stretch == 2 {
            length *= 2;
        }
        let with = |constant: u32| {
            let mut parts = parts.clone();
            if constant > 0 || parts.is_empty() {
                parts.push(constant.to_string());
            }
            parts.join(" + ")
        };
        match length {
            1 => with(constant),
            _ => format!("{} … {}", with(constant), with(constant + length - 1)),
        }
    }

    /// A digit in words.
    fn digit(&self, term: Term) -> String {
        let (name, most) = match (term.source, term.divide, term.modulo) {
            (DigitSource::Lane, 4, 8) => return "g".to_owned(),
            (DigitSource::Lane, 1, 4) => return "t".to_owned(),
            (DigitSource::Lane, 32, 4) => return "w".to_owned(),
            (DigitSource::Lane, ..) => ("lane", self.lanes),
            (DigitSource::Register, ..) => ("i", self.registers),
            (DigitSource::Element, ..) => ("e", self.elements),
        };
        let mut text = name.to_owned();
        if term.divide > 1 {
            text = format!("{text} / {}", term.divide);
        }
        if term.divide * term.modulo < most {
            text = format!("{text} % {}", term.modulo);
        }
        if text.contains(' ') {
            format!("({text})")
        } else {
            text
        }
    }
}

fn product(times: u32, digit: &str) -> String {
    match times {
        1 => digit.to_owned(),
        _ if digit.len() == 1 => format!("{times}{digit}"),
        _ => format!("{times}·{digit}"),
    }
}
