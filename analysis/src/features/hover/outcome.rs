//! The result of a statement from its constants: a number, or the source of each of its bits.

use std::fmt::Write as _;

use isa::{
    binding::{Binding, OperandPath, PairPart},
    compute::{Exactness, Outcomes, Program, ResultPlace},
    operand::Operand,
};

/// Lines about one result.
const MAX_LINES: usize = 6;
/// Results that are shown: those of a statement that takes a register apart.
const MAX_RESULTS: usize = 4;

/// A statement that fits, with its program.
pub(in crate::features) struct Computed<'a> {
    pub(in crate::features) program: &'a Program,
    pub(in crate::features) bindings: &'a [Binding],
    pub(in crate::features) operands: &'a [Operand],
    /// The texts of the operands.
    pub(in crate::features) written: &'a [String],
}

impl Computed<'_> {
    /// The outcome in Markdown; `None` if it says no more than the instruction does. Without `numbers`, only what is
    /// said of bits.
    pub(in crate::features) fn text(&self, numbers: bool) -> Option<String> {
        let name = |place: ResultPlace| {
            let path = self.bindings.get(usize::from(place.binding))?.path;
            let written = self.written.get(usize::from(path.operand))?;
            name_at(written, path, place.element)
        };
        let found = Outcomes::of(self.program, self.bindings, self.operands, &name)?;
        if found.is_open? {
            return Some("The manual leaves the result of these constants open.".to_owned());
        }
        let mut out = String::new();
        for result in found.results.iter().take(MAX_RESULTS) {
            let name = name(result.place).filter(|it| it != "_");
            let name = name.map_or_else(|| "The result".to_owned(), |it| format!("`{it}`"));
            if let Some(number) = result.bits.as_constant() {
                if !numbers {
                    continue;
                }
                let subject = if found.results.len() == 1 {
                    "This"
                } else {
                    &*name
                };
                let _ = writeln!(
                    out,
                    "{subject} computes {}{}",
                    result.ty.text(number),
                    sureness(found.exactness)
                );
                continue;
            }
            if found.exactness != Exactness::Exact {
                continue;
            }
            let Some(bits) = result.bits.text(&found.sources, MAX_LINES) else {
                continue;
            };
            // `a & b` is what everybody knows of it.
            if bits.is_uniform && !found.has_constants {
                continue;
            }
            match &bits.lines[..] {
                [(_, only)] => {
                    let _ = writeln!(out, "{name} = {only}");
                }
                lines => {
                    let _ = writeln!(out, "{name}:");
                    for (place, what) in lines {
                        let _ = writeln!(out, "- {place}: {what}");
                    }
                }
            }
            out.push('\n');
        }
        let out = out.trim_end();
        (!out.is_empty()).then(|| out.to_owned())
    }
}

/// The end of a sentence about a number.
fn sureness(exactness: Exactness) -> &'static str {
    match exactness {
        Exactness::Exact => ".",
        Exactness::Bounded => ", or a number near it: the manual bounds the error only.",
        Exactness::Unordered => {
            ", if it is rounded once: the manual leaves the order of the additions open."
        }
    }
}

/// The parts of a text between separators outside brackets, without the whitespace around them.
pub(in crate::features) fn parts(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0_i32;
    let parts = text.split(move |letter| {
        match letter {
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth -= 1,
            _ => {}
        }
        letter == separator && depth == 0
    });
    parts.map(str::trim).collect()
}

/// The text of the register at a place in an operand; `None` if it has no name of its own.
fn name_at(written: &str, path: OperandPath, element: Option<u8>) -> Option<String> {
    fn inside(text: &str, open: char, close: char) -> Option<&str> {
        text.strip_prefix(open)?.strip_suffix(close)
    }
    let mut text = written.trim();
    if let Some(index) = path.element {
        text = *parts(inside(text, '[', ']')?, ',').get(usize::from(index))?;
    }
    if let Some(part) = path.part {
        let index = usize::from(part == PairPart::Second);
        text = *parts(text, '|').get(index)?;
    }
    if let Some(index) = element {
        text = *parts(inside(text, '{', '}')?, ',').get(usize::from(index))?;
    }
    let text = text.trim_start_matches(['!', '-']).trim();
    // `.b0` is a part, and taken by the program; `.x` is a register.
    let is_part = |selector: &str| {
        let digits = selector.trim_start_matches(['b', 'h']);
        digits.len() < selector.len() && digits.bytes().all(|it| it.is_ascii_digit())
    };
    let text = match text.rsplit_once('.') {
        Some((register, selector)) if is_part(selector) => register,
        _ => text,
    };
    (!text.is_empty()).then(|| text.to_owned())
}
