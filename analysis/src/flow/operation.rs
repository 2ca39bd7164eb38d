//! Instructions with their operands: what they compute, if that is known.

use isa::semantics::{Control, Operation as Computes, Order, Semantics};
use syntax::{Cursor, SyntaxKind, TextRange};

use crate::{
    SymbolKind,
    constant::{Constant, Value as Constants, evaluate},
    hir::{
        body::{Body, Instruction, Reference, Target},
        instruction::{find_reference, references},
    },
};

use super::{
    arithmetic::{Evaluator, Number},
    effects::Meaning,
    facts::{Facts, Value},
};

/// An instruction.
#[derive(Default)]
pub(crate) struct Operation<'a> {
    /// Its words, without periods.
    pub(crate) modifiers: Vec<&'a str>,
    /// The register of the guard.
    pub(crate) guard: Option<Value>,
    /// Whether the guard holds when the register is false.
    pub(crate) negated: bool,
    pub(crate) writes: Vec<Value>,
    /// The values that it reads outside addresses, guards left out.
    pub(crate) data: Vec<Value>,
    /// The values that it reads inside addresses.
    pub(crate) address: Vec<Value>,
    /// Whether the old values may stay after the writes.
    pub(crate) keeps: bool,
    pub(crate) operands: Vec<Shape<'a>>,
    /// Whether a special register is among its operands,
    pub(crate) special: bool,
    /// and the last selector of an operand, such as `.x`.
    pub(crate) selector: Option<&'a str>,
    /// Its effect.
    pub(crate) semantics: Semantics,
    /// The operation, if no word of it says more than the tables know of.
    pub(crate) plain: Option<Computes>,
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

/// The base of an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base<'a> {
    Value(Value),
    Name(&'a str),
}

impl Operation<'_> {
    /// Everything it reads, as often as it is there.
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

    /// Whether accesses to memory stay on their side of it.
    pub(crate) fn is_barrier(&self) -> bool {
        self.semantics.control != Control::Next
            || !matches!(self.semantics.order, Order::None | Order::Volatile)
    }

    /// Whether it is some form of an operation.
    pub(crate) fn is(&self, operation: Computes) -> bool {
        self.operation() == Some(operation)
    }

    /// The operation that it is some form of.
    pub(crate) fn operation(&self) -> Option<Computes> {
        self.semantics.value.map(|it| it.operation)
    }
}

impl<'a> Operation<'a> {
    /// Reads an instruction of a body; `meaning` is that of its form, `facts` know the registers.
    pub(crate) fn read(
        body: &Body,
        facts: &Facts,
        instruction: &Instruction,
        node: &Cursor<'a>,
        meaning: Meaning,
    ) -> Operation<'a> {
        let mut it = Operation {
            semantics: meaning.semantics,
            plain: meaning.plain,
            ..Operation::default()
        };
        let words = node.tokens().filter(|it| it.kind() == SyntaxKind::DOTTED);
        it.modifiers = words.map(|it| it.text().trim_start_matches('.')).collect();
        let references = references(body, instruction);
        let overwrites = facts.overwrites.contains(&instruction.references.start);
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
                    it.operands.push(shape(body, references, &operand));
                }
            }
        }
        for reference in references {
            it.special |= matches!(reference.target, Target::Special(_));
            let Some(value) = facts.value(reference) else {
                continue;
            };
            let range = reference.range;
            if guard.contains_range(range) && !guard.is_empty() {
                it.guard = Some(value);
            } else if reference.write {
                it.writes.push(value);
                if it.semantics.reads_destination && !overwrites {
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
            let value = facts.value(find_reference(references, base.range())?);
            Some((value.map_or(Base::Name(base.text()), Base::Value), offset))
        });
        it
    }

    /// The operation on integers, if it writes one register and all that it reads is known.
    pub(crate) fn evaluate(&self, known: impl Fn(Value) -> Option<i64>) -> Option<i64> {
        self.computation()?.evaluate(known)
    }

    /// The same, from floating-point numbers as well.
    pub(crate) fn number(&self, known: impl Fn(Value) -> Option<Number>) -> Option<Number> {
        self.computation()?.number(known)
    }

    /// The operations of an instruction, for callers that ask for more than one result.
    pub(crate) fn computation(&self) -> Option<Computation> {
        let ([_], Some(plain)) = (&self.writes[..], self.plain) else {
            return None;
        };
        let mut registers = self.data.iter();
        let shapes = self.operands.get(1..)?;
        let mut sources = [Source::Number(Number::Integer(0)); 3];
        for (source, shape) in sources.get_mut(..shapes.len())?.iter_mut().zip(shapes) {
            *source = match shape {
                Shape::Constant(number) => Source::Number(Number::Integer((*number)?)),
                Shape::Float(number) => Source::Number(Number::Float(*number)),
                Shape::Other => Source::Register(*registers.next()?),
                _ => return None,
            };
        }
        Some(Computation {
            evaluator: Evaluator::new(plain, &self.modifiers)?,
            sources,
            count: shapes.len(),
        })
    }
}

/// The operation of an instruction.
pub(crate) struct Computation {
    evaluator: Evaluator,
    sources: [Source; 3],
    count: usize,
}

/// Where an operand comes from.
#[derive(Clone, Copy)]
enum Source {
    Number(Number),
    Register(Value),
}

impl Computation {
    /// Whether the result is always as far from a register that it reads once, whatever that one holds.
    pub(crate) fn keeps_distance(&self, register: Value) -> bool {
        let sources = self.sources[..self.count].iter();
        let mut places = sources.enumerate().filter_map(|(index, it)| match it {
            Source::Register(it) if *it == register => Some(index),
            _ => None,
        });
        match (places.next(), places.next()) {
            (Some(only), None) => self.evaluator.keeps_distance(only),
            _ => false,
        }
    }

    /// The result, if it is an integer and all registers are known, as integers.
    pub(crate) fn evaluate(&self, known: impl Fn(Value) -> Option<i64>) -> Option<i64> {
        let known = |it| known(it).map(Number::Integer);
        self.number(known)?.integer()
    }

    /// The result, if all registers are known.
    pub(crate) fn number(&self, known: impl Fn(Value) -> Option<Number>) -> Option<Number> {
        let mut numbers = [Number::Integer(0); 3];
        let sources = &self.sources[..self.count];
        for (number, source) in numbers.iter_mut().zip(sources) {
            *number = match source {
                Source::Number(it) => *it,
                Source::Register(it) => known(*it)?,
            };
        }
        self.evaluator.evaluate(&numbers[..self.count])
    }
}

fn shape<'a>(body: &Body, references: &[Reference], operand: &Cursor<'a>) -> Shape<'a> {
    match operand.kind() {
        SyntaxKind::ADDRESS => Shape::Address,
        SyntaxKind::VECTOR => Shape::Vector,
        SyntaxKind::MEMBER_EXPRESSION => match operand.nodes().next() {
            Some(it) => match shape(body, references, &it) {
                special @ Shape::Special(_) => special,
                _ => Shape::Other,
            },
            None => Shape::Other,
        },
        SyntaxKind::NAME_REFERENCE => {
            let Some(token) = operand.token(SyntaxKind::IDENT) else {
                return Shape::Other;
            };
            match find_reference(references, token.range()).map(|it| it.target) {
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
