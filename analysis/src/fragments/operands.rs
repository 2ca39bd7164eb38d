//! The operands of a statement as PTX sees them.

use isa::target::Target;
use syntax::{
    TextRange,
    host::{Dialect, Direction, Part, Statement},
    text::Edit,
};

use crate::diagnostics::{registry::ASM_CONSTRAINT, suggestion::most_similar};

use super::{report::Report, source::Source};

/// The class of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// A register of this type on every target.
    Register(&'static str),
    /// `f` and `d`: a register of the first type below `sm_100`, of the second one from there on.
    Float(&'static str, &'static str),
    /// A constant, and its value if that is known.
    Immediate(Option<String>),
    /// Characters that may be anything.
    Text,
    /// Not known.
    Unknown,
}

impl Class {
    /// The type of its register.
    pub(super) fn word(&self, target: Target) -> Option<&'static str> {
        match self {
            Class::Register(word) => Some(word),
            Class::Float(before, from) => Some(if target.number < 100 { before } else { from }),
            _ => None,
        }
    }
}

/// An operand as fragments know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Operand {
    pub(super) class: Class,
    pub(super) written: bool,
    pub(super) read: bool,
    /// The expression, in the text of the statement.
    pub(super) expression: Option<TextRange>,
    /// Its constraint, or class of registers, as it is written.
    pub(super) constraint: String,
    /// Its name.
    pub(super) name: Option<TextRange>,
}

/// The operands of a statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Operands {
    pub(super) list: Vec<Operand>,
    /// Whether there may be others.
    pub(super) open: bool,
    /// Whether something is said that nobody says about PTX.
    pub(super) foreign: bool,
    /// Whether the statement says that it accesses memory.
    pub(super) memory: bool,
}

/// The clobber of a statement that accesses memory.
const MEMORY: &str = "memory";

/// The class of a letter of CUDA or LLVM.
fn letter(letter: &str, dialect: Dialect) -> Option<Class> {
    let llvm = dialect == Dialect::Llvm;
    Some(match letter {
        "h" => Class::Register(".b16"),
        "r" => Class::Register(".b32"),
        "l" => Class::Register(".b64"),
        "q" => Class::Register(".b128"),
        "b" => Class::Register(".pred"),
        // LLVM has had both; what the one takes and the other does not is not told.
        "f" if llvm => Class::Register(".b32"),
        "d" if llvm => Class::Register(".b64"),
        "c" if llvm => Class::Register(".b16"),
        "N" if llvm => Class::Register(".b64"),
        "i" | "n" if llvm => Class::Immediate(None),
        "f" => Class::Float(".f32", ".b32"),
        "d" => Class::Float(".f64", ".b64"),
        "n" => Class::Immediate(None),
        "C" => Class::Text,
        _ => return None,
    })
}

pub(super) fn operands(
    source: &Source<'_>,
    statement: &Statement,
    report: &mut Report,
) -> Operands {
    match statement.dialect {
        Dialect::Cuda => cuda(source, statement, report),
        Dialect::Llvm => llvm(source, statement, report),
        Dialect::Rust => rust(source, statement),
    }
}

fn cuda(source: &Source<'_>, statement: &Statement, report: &mut Report) -> Operands {
    let mut operands = Operands {
        open: statement.conditional_operands,
        ..Operands::default()
    };
    for operand in &statement.operands {
        let output = operand.direction == Direction::Output;
        let text = source.literals(&operand.constraint);
        let mut entry = Operand {
            class: Class::Unknown,
            written: output,
            read: !output,
            expression: Some(operand.expression),
            constraint: String::new(),
            name: operand.name,
        };
        operands.foreign |= operand.name.is_some();
        if let Some(text) = text {
            let letters = text.text.trim_start_matches(['=', '+', '&']);
            let signs = &text.text[..text.text.len() - letters.len()];
            let whole = TextRange::up_to(text.len());
            let place = text.map.to_host(whole);
            let letters_place = text
                .map
                .to_host(TextRange::new(syntax::TextSize::of(signs), whole.end()));
            entry.read |= signs.contains('+');
            if output && !signs.contains(['=', '+']) {
                report.repaired(
                    place,
                    ASM_CONSTRAINT,
                    format!("an output needs `=`, or `+` if it is also read: `\"={letters}\"`"),
                    "Insert `=`",
                    place.map(|it| Edit::new(TextRange::empty(it.start()), "=")),
                );
            } else if !output && !signs.is_empty() {
                report.add(
                    place,
                    ASM_CONSTRAINT,
                    format!("an input has neither `=` nor `+`: `\"{letters}\"`"),
                );
            }
            match letter(letters, Dialect::Cuda) {
                Some(Class::Immediate(_) | Class::Text) if output => {
                    report.add(
                        letters_place,
                        ASM_CONSTRAINT,
                        format!("`{letters}` is for inputs: an output is a register"),
                    );
                }
                Some(Class::Immediate(_)) => {
                    entry.class = Class::Immediate(integer(source.text(operand.expression)));
                }
                Some(class) => entry.class = class,
                None => {
                    operands.foreign = true;
                    let message = if letters.bytes().all(|it| it.is_ascii_digit())
                        && !letters.is_empty()
                    {
                        "nvcc has no constraint that names another operand: make that one `\"+…\"`"
                            .to_owned()
                    } else {
                        format!(
                            "`{letters}` is not a constraint of device code: they are `h`, `r`, `l`, `q`, `f`, `d`, `b`, `n` and `C`"
                        )
                    };
                    report.add(letters_place, ASM_CONSTRAINT, message);
                }
            }
            entry.constraint = text.text;
        }
        operands.list.push(entry);
    }
    for clobber in &statement.clobbers {
        match source.literals(clobber) {
            Some(it) if it.text == MEMORY => operands.memory = true,
            Some(it) => {
                operands.foreign = true;
                unknown_clobber(source, clobber, &it.text, report);
            }
            // A macro may be anything.
            None => operands.memory = true,
        }
    }
    operands
}

/// Reports a clobber that compilers of device code do not know.
fn unknown_clobber(source: &Source<'_>, clobber: &[Part], text: &str, report: &mut Report) {
    let whole = |it: &Part| match it {
        Part::Literal(it) => source.in_file(it.range),
        _ => None,
    };
    let places: Option<Vec<TextRange>> = clobber.iter().map(whole).collect();
    let place = places.and_then(|it| it.into_iter().reduce(TextRange::cover));
    let message = format!("`{text}` is not a clobber of device code: the only one is `{MEMORY}`");
    let similar = most_similar(text, [MEMORY].into_iter());
    let edit = similar
        .zip(place)
        .map(|it| Edit::new(it.1, format!("\"{MEMORY}\"")));
    let title = format!("Replace `{text}` by `{MEMORY}`");
    report.repaired(place, ASM_CONSTRAINT, message, &title, edit);
}

fn llvm(source: &Source<'_>, statement: &Statement, report: &mut Report) -> Operands {
    let mut operands = Operands::default();
    let text = match &statement.constraints[..] {
        [] => None,
        parts => source.literals(parts),
    };
    let Some(text) = text else {
        operands.open = true;
        return operands;
    };
    let mut start = 0;
    let mut arguments = statement.arguments.iter().copied();
    for item in text.text.split(',') {
        let range = TextRange::at((start as u32).into(), syntax::TextSize::of(item));
        start += item.len() + 1;
        let item = item.trim();
        if item.is_empty() {
            continue;
        }
        if let Some(clobber) = item.strip_prefix('~') {
            operands.memory |= clobber == "{memory}";
            operands.foreign |= clobber != "{memory}";
            continue;
        }
        let letters = item.trim_start_matches(['=', '+', '&', '*', '%']);
        let signs = &item[..item.len() - letters.len()];
        let output = signs.contains(['=', '+']);
        let mut entry = Operand {
            class: Class::Unknown,
            written: output,
            read: !output || signs.contains('+'),
            expression: None,
            constraint: item.to_owned(),
            name: None,
        };
        if !output {
            entry.expression = arguments.next();
        }
        if let Ok(index) = letters.parse::<usize>() {
            match operands.list.get_mut(index) {
                Some(other) if other.written && !output => {
                    entry.class = other.class.clone();
                    // They share a register.
                    other.read = true;
                }
                _ => report.add(
                    text.map.to_host(range),
                    ASM_CONSTRAINT,
                    format!("`{letters}` is the number of no output"),
                ),
            }
        } else if let Some(class) = letter(letters, Dialect::Llvm) {
            entry.class = match class {
                Class::Immediate(_) => Class::Immediate(
                    entry
                        .expression
                        .and_then(|it| integer(source.text(it).rsplit(' ').next()?)),
                ),
                class => class,
            };
        } else {
            operands.foreign = true;
            report.add(
                text.map.to_host(range),
                ASM_CONSTRAINT,
                format!(
                    "`{letters}` is not a constraint of PTX: they are `h`, `r`, `l`, `q`, `f`, `d`, `b`, `c`, `n` and numbers of outputs"
                ),
            );
        }
        operands.list.push(entry);
    }
    operands
}

fn rust(source: &Source<'_>, statement: &Statement) -> Operands {
    let mut operands = Operands {
        open: statement.conditional_operands,
        ..Operands::default()
    };
    for operand in &statement.operands {
        let constraint = match operand.constraint.first() {
            Some(Part::Name(range)) => source.text(*range).trim(),
            _ => "",
        };
        let class = match (operand.direction, constraint) {
            (Direction::Constant, _) => Class::Immediate(integer(source.text(operand.expression))),
            (Direction::Symbol, _) => Class::Unknown,
            (_, "reg16") => Class::Register(".b16"),
            (_, "reg32") => Class::Register(".b32"),
            (_, "reg64") => Class::Register(".b64"),
            _ => {
                operands.foreign = true;
                Class::Unknown
            }
        };
        operands.list.push(Operand {
            class,
            written: matches!(operand.direction, Direction::Output | Direction::Both),
            read: operand.direction != Direction::Output,
            expression: Some(operand.expression),
            constraint: constraint.to_owned(),
            name: operand.name,
        });
    }
    operands
}

/// The text that nvcc writes for an integer that is in the text as a number.
fn integer(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['(', ')']).trim();
    let (minus, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim()),
        None => (false, text),
    };
    match digits {
        "true" => return Some("1".to_owned()),
        "false" => return Some("0".to_owned()),
        _ => {}
    }
    let number = digits.trim_end_matches(['u', 'U', 'l', 'L']);
    let suffix = digits[number.len()..].to_ascii_lowercase();
    let number = number.replace(['\'', '_'], "");
    let (value, decimal) =
        if let Some(hex) = number.strip_prefix("0x").or(number.strip_prefix("0X")) {
            (u64::from_str_radix(hex, 16).ok()?, false)
        } else if number.len() > 1 && number.starts_with('0') {
            (u64::from_str_radix(&number, 8).ok()?, false)
        } else {
            (number.parse().ok()?, true)
        };
    let wide = suffix.contains('l')
        || value > u64::from(u32::MAX)
        || decimal && suffix.is_empty() && value > i32::MAX as u64;
    let value = if wide {
        value as i64
    } else {
        i64::from(value as u32 as i32)
    };
    Some(if minus { value.checked_neg()? } else { value }.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_written_as_nvcc_writes_them() {
        for (text, expected) in [
            ("0xffffffffu", Some("-1")),
            ("16", Some("16")),
            ("-3", Some("-3")),
            ("(0x10)", Some("16")),
            ("4294967295", Some("4294967295")),
            ("0xffffffffULL", Some("4294967295")),
            ("010", Some("8")),
            ("true", Some("1")),
            ("N", None),
            ("1.5", None),
            ("", None),
        ] {
            assert_eq!(integer(text).as_deref(), expected, "{text}");
        }
    }
}
