//! How many registers are live at the lines of a function: the one count that every view shows.

use std::ops::RangeInclusive;

use salsa::Database;
use syntax::TextSize;

use crate::{
    ExactEntry,
    hir::{body::body, items::Function},
    pressure::pressure,
};

/// In which code registers are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiveIn {
    /// In the PTX, in the order of the text.
    Text,
    /// In the machine code that `ptxas` made of it.
    MachineCode,
}

impl LiveIn {
    /// The words that follow a number and say what it counts.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            LiveIn::Text => "live as written",
            LiveIn::MachineCode => "live by ptxas",
        }
    }

    /// A word of the protocol and of JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            LiveIn::Text => "text",
            LiveIn::MachineCode => "ptxas",
        }
    }
}

/// The 32-bit registers of a thread that are live at the lines of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRegisters {
    /// Where they are counted.
    pub counted: LiveIn,
    /// Lines from 0 with an instruction, in order, each with the most that are live at one of its instructions.
    /// A line of which `ptxas` made no machine code is left out where that is counted.
    pub lines: Vec<(u32, u32)>,
}

impl LiveRegisters {
    /// The count of the machine code, if `ptxas` was asked about this text and the code was taken apart; else that of
    /// the text.
    #[must_use]
    pub(in crate::features) fn of(
        written: Vec<(u32, u32)>,
        exact: Option<&ExactEntry>,
    ) -> LiveRegisters {
        match exact.filter(|it| !it.lines.is_empty()) {
            Some(exact) => LiveRegisters {
                counted: LiveIn::MachineCode,
                lines: exact.lines.clone(),
            },
            None => LiveRegisters {
                counted: LiveIn::Text,
                lines: written,
            },
        }
    }

    /// The first line with the most, and how many those are; none if nothing is live anywhere.
    #[must_use]
    pub fn peak(&self) -> Option<(u32, u32)> {
        let most = self
            .lines
            .iter()
            .map(|it| it.1)
            .max()
            .filter(|it| *it > 0)?;
        self.lines.iter().copied().find(|it| it.1 == most)
    }

    /// How many are live at most; 0 without lines.
    #[must_use]
    pub fn most(&self) -> u32 {
        self.peak().map_or(0, |it| it.1)
    }

    /// How many are live at most in lines.
    #[must_use]
    pub fn most_in(&self, lines: RangeInclusive<u32>) -> Option<u32> {
        let first = self.lines.partition_point(|it| it.0 < *lines.start());
        let inside = self.lines.iter().skip(first);
        inside
            .take_while(|it| it.0 <= *lines.end())
            .map(|it| it.1)
            .max()
    }
}

/// How many registers are live at the lines of a function that starts at an offset; `exact` is what `ptxas` said of the
/// entries of its file.
pub(crate) fn live_registers(
    db: &dyn Database,
    function: Function<'_>,
    start: TextSize,
    exact: &[ExactEntry],
) -> LiveRegisters {
    let written = by_line(db, function, start, &pressure(db, function).alive);
    let exact = exact.iter().find(|it| it.name == *function.name(db));
    LiveRegisters::of(written, exact)
}

/// Counts at instructions as counts at lines, of which the greatest counts.
pub(in crate::features) fn by_line(
    db: &dyn Database,
    function: Function<'_>,
    start: TextSize,
    counts: &[u32],
) -> Vec<(u32, u32)> {
    let lines = &function.file(db).contents(db).lines;
    let mut found: Vec<(u32, u32)> = Vec::new();
    for (instruction, count) in body(db, function).instructions.iter().zip(counts) {
        let line = lines.line_of(instruction.range.start() + start);
        match found.last_mut() {
            Some(last) if last.0 == line => last.1 = last.1.max(*count),
            _ => found.push((line, *count)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_code_counts_more_than_the_text() {
        let exact = |lines: &[(u32, u32)]| ExactEntry {
            name: "k".to_owned(),
            target: "sm_90".to_owned(),
            registers: Default::default(),
            lines: lines.to_vec(),
            instructions: None,
        };
        let written = vec![(3, 1), (5, 4), (6, 4), (9, 2)];
        let of = |exact: Option<&ExactEntry>| LiveRegisters::of(written.clone(), exact);
        let text = of(None);
        assert_eq!((text.counted, text.peak()), (LiveIn::Text, Some((5, 4))));
        assert_eq!(text.most_in(6..=9), Some(4));
        assert_eq!(text.most_in(7..=8), None);
        // Without a disassembler nobody knows what is live in the machine code.
        let unknown = exact(&[]);
        assert_eq!(of(Some(&unknown)), text);
        let known = exact(&[(5, 2), (9, 7)]);
        let code = of(Some(&known));
        assert_eq!((code.counted, code.most()), (LiveIn::MachineCode, 7));
        assert_eq!(code.most_in(3..=6), Some(2));
    }
}
