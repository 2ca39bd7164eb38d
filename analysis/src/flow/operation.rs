//! Instructions with their operands: what they compute, if that is known.

use syntax::{Cursor, SyntaxKind, TextRange};

use crate::{
    SymbolKind,
    constant::{Constant, Value as Constants, evaluate},
    hir::body::{Body, Instruction, Reference, Target},
};

use crate::hir::instruction::references;

use super::facts::Value;

/// An instruction.
#[derive(Default)]
pub(crate) struct Operation<'a> {
    pub(crate) opcode: &'a str,
    /// Its words, without full stops.
    pub(crate) modifiers: Vec<&'a str>,
    /// The register of the guard.
    pub(crate) guard: Option<Value>,
    /// Whether the guard holds when the register is false.
    pub(crate) negated: bool,
    pub(crate) writes: Vec<Value>,
    /// What it reads outside of addresses, guards left out.
    pub(crate) data: Vec<Value>,
    /// What it reads inside of addresses.
    pub(crate) address: Vec<Value>,
    /// Whether the old values may stay behind the writes.
    pub(crate) keeps: bool,
    pub(crate) operands: Vec<Shape<'a>>,
    /// Whether a special register is among its operands,
    pub(crate) special: bool,
    /// and the last selector of an operand, such as `.x`.
    pub(crate) selector: Option<&'a str>,
    /// Registers that it needs for a moment besides its operands.
    pub(crate) scratch: u32,
    /// Where it accesses memory, if that is a register or variable with an offset.
    pub(crate) place: Option<(Base<'a>, i64)>,
}

/// An operand, as far as the model cares.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shape<'a> {
    /// A constant; its value if it is an integer.
    Constant(Option<i64>),
    /// A constant with the value of a floating-point number.
    Float(f64),
    /// A variable, function or label.
    Name,
    /// A special register.
    Special(&'a str),
    /// In brackets.
    Address,
    /// In braces.
    Vector,
    /// A register, or anything else.
    Other,
}

/// What an address starts from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base<'a> {
    Value(Value),
    Name(&'a str),
}

impl Operation<'_> {
    /// Everything it reads, as often as it stands there.
    pub(crate) fn reads(&self) -> impl Iterator<Item = Value> + '_ {
        let operands = self.data.iter().chain(&self.address);
        operands.copied().chain(self.guard)
    }

    /// Whether one of its operands is in brackets.
    pub(crate) fn accesses_memory(&self) -> bool {
        self.operands.contains(&Shape::Address)
    }

    /// Whether a word is among its modifiers, perhaps with a part after `::`.
    pub(crate) fn has(&self, word: &str) -> bool {
        let bare = |it: &&str| it.split("::").next().unwrap_or_default() == word;
        self.modifiers.iter().any(bare)
    }

    /// Whether it must stay when nobody reads what it writes.
    pub(crate) fn has_effect(&self) -> bool {
        isa::control::has_effect(self.opcode, self.modifiers.iter().copied())
    }
}

impl<'a> Operation<'a> {
    /// Reads an instruction of a body; `value` knows the registers.
    pub(crate) fn read(
        body: &Body,
        instruction: &Instruction,
        node: &Cursor<'a>,
        value: &mut dyn FnMut(&Reference) -> Option<Value>,
    ) -> Operation<'a> {
        let mut it = Operation {
            opcode: node.token(SyntaxKind::IDENT).map_or("", |it| it.text()),
            ..Operation::default()
        };
        let words = node.tokens().filter(|it| it.kind() == SyntaxKind::DOTTED);
        it.modifiers = words.map(|it| it.text().trim_start_matches('.')).collect();
        let mut guard = TextRange::default();
        let mut addresses: Vec<TextRange> = Vec::new();
        let mut place = None;
        for operand in node.nodes() {
            match operand.kind() {
                SyntaxKind::GUARD => {
                    guard = operand.range();
                    it.negated = operand.token(SyntaxKind::BANG).is_some();
                }
                SyntaxKind::ERROR => {}
                kind => {
                    if kind == SyntaxKind::ADDRESS {
                        addresses.push(operand.range());
                        place = place.or_else(|| address(&operand));
                    }
                    if kind == SyntaxKind::MEMBER_EXPRESSION {
                        it.selector = operand.token(SyntaxKind::DOTTED).map(|it| it.text());
                    }
                    it.operands.push(shape(body, &operand));
                }
            }
        }
        for reference in references(body, instruction) {
            it.special |= matches!(reference.target, Target::Special(_));
            let Some(value) = value(reference) else {
                continue;
            };
            let range = reference.range;
            if guard.contains_range(range) && !guard.is_empty() {
                it.guard = Some(value);
            } else if reference.write {
                it.writes.push(value);
                if isa::control::reads_destination(it.opcode) {
                    it.data.push(value);
                }
            } else if addresses.iter().any(|it| it.contains_range(range)) {
                it.address.push(value);
            } else {
                it.data.push(value);
            }
        }
        it.place = place.and_then(|(base, offset)| {
            let base = base.token(SyntaxKind::IDENT)?;
            let value = value(body.reference_at(base.range())?);
            Some((value.map_or(Base::Name(base.text()), Base::Value), offset))
        });
        it
    }

    /// What it computes from integers, if it writes one register and does arithmetic on integers only.
    pub(crate) fn evaluate(&self, known: impl Fn(Value) -> Option<i64>) -> Option<i64> {
        let [_] = self.writes[..] else {
            return None;
        };
        let mut registers = self.data.iter();
        let mut sources = [0; 3];
        let shapes = self.operands.get(1..)?;
        if shapes.len() > sources.len() {
            return None;
        }
        for (source, shape) in sources.iter_mut().zip(shapes) {
            *source = match shape {
                Shape::Constant(number) => (*number)?,
                Shape::Other => known(*registers.next()?)?,
                _ => return None,
            };
        }
        let [a, b, c] = sources;
        let class = *self.modifiers.last()?;
        if class == "pred" {
            return Some(match self.opcode {
                "mov" => a,
                "not" => i64::from(a == 0),
                "and" => a & b,
                "or" => a | b,
                "xor" => a ^ b,
                _ => return None,
            });
        }
        let (a, b) = (i64::try_from(of_class(a, class)?).ok()?, b);
        let result = match self.opcode {
            "mov" | "cvt" => a,
            "add" => a.wrapping_add(b),
            "sub" => a.wrapping_sub(b),
            "and" => a & b,
            "or" => a | b,
            "xor" => a ^ b,
            "shl" => a.checked_shl(u32::try_from(b).ok()?).unwrap_or(0),
            "shr" => a.checked_shr(u32::try_from(b).ok()?)?,
            "mul" if self.has("lo") => a.wrapping_mul(b),
            "mad" if self.has("lo") => a.wrapping_mul(b).wrapping_add(c),
            "div" if a >= 0 && b > 0 => a / b,
            "rem" if a >= 0 && b > 0 => a % b,
            "setp" => {
                let (a, b) = (of_class(a, class)?, of_class(b, class)?);
                return Some(i64::from(match *self.modifiers.first()? {
                    "eq" => a == b,
                    "ne" => a != b,
                    "lt" | "lo" => a < b,
                    "le" | "ls" => a <= b,
                    "gt" | "hi" => a > b,
                    "ge" | "hs" => a >= b,
                    _ => return None,
                }));
            }
            _ => return None,
        };
        of_class(result, class).and_then(|it| i64::try_from(it).ok())
    }
}

/// A number as one of a type of integers.
fn of_class(number: i64, class: &str) -> Option<i128> {
    Some(match class {
        "s64" | "b64" => i128::from(number),
        "u64" => i128::from(number as u64),
        "s32" => i128::from(number as i32),
        "u32" | "b32" => i128::from(number as u32),
        "s16" => i128::from(number as i16),
        "u16" | "b16" => i128::from(number as u16),
        _ => return None,
    })
}

fn shape<'a>(body: &Body, operand: &Cursor<'a>) -> Shape<'a> {
    match operand.kind() {
        SyntaxKind::ADDRESS => Shape::Address,
        SyntaxKind::VECTOR => Shape::Vector,
        SyntaxKind::MEMBER_EXPRESSION => match operand.nodes().next() {
            Some(it) => match shape(body, &it) {
                special @ Shape::Special(_) => special,
                _ => Shape::Other,
            },
            None => Shape::Other,
        },
        SyntaxKind::NAME_REFERENCE => {
            let Some(token) = operand.token(SyntaxKind::IDENT) else {
                return Shape::Other;
            };
            match body.reference_at(token.range()).map(|it| it.target) {
                Some(Target::Special(index)) => {
                    Shape::Special(isa::special::get(index).map_or("", |it| it.name))
                }
                Some(Target::WarpSize) => Shape::Constant(None),
                Some(Target::Free(_)) => Shape::Name,
                Some(Target::Definition(id))
                    if body.definition(id).kind != SymbolKind::Register =>
                {
                    Shape::Name
                }
                _ => Shape::Other,
            }
        }
        _ => match evaluate(operand, &mut Vec::new()) {
            Constants::Constant(Constant::Signed(it)) => Shape::Constant(Some(it)),
            Constants::Constant(Constant::Unsigned(it)) => Shape::Constant(i64::try_from(it).ok()),
            Constants::Constant(Constant::Single(it)) => Shape::Float(f32::from_bits(it).into()),
            Constants::Constant(Constant::Double(_, it)) => Shape::Float(it),
            Constants::Offset(..) => Shape::Name,
            _ => Shape::Other,
        },
    }
}

/// The name and the offset of an address.
fn address<'a>(node: &Cursor<'a>) -> Option<(Cursor<'a>, i64)> {
    let mut parts = node.nodes();
    let expression = parts.next()?;
    if parts.next().is_some() {
        return None;
    }
    if expression.kind() == SyntaxKind::NAME_REFERENCE {
        return Some((expression, 0));
    }
    match evaluate(&expression, &mut Vec::new()) {
        Constants::Offset(base, offset) if base.kind() == SyntaxKind::NAME_REFERENCE => {
            Some((base, i64::try_from(offset).ok()?))
        }
        _ => None,
    }
}
