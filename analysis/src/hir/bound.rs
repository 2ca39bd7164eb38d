//! The operands of an instruction, with what each is bound to: the form says what they are, the references of the body
//! say which names they have.
//!
//! Nothing of this is kept but the constants that are added to names, which a form leaves out.

#[cfg(test)]
mod tests;

use std::slice;

use isa::{
    binding::{OperandPath, PairPart},
    operand::Operand,
};
use salsa::Database;
use syntax::{Cursor, TextRange};

use crate::constant::{Value, evaluate};

use super::{
    body::{Body, Instruction, Reference, Target, body, body_within},
    form::{Form, FormContents, is_right},
    forms::{Forms, forms, forms_in},
    instruction::{names, references},
    items::Function,
    operand::{names_of, sums},
    tree,
};

/// How often a long body looks for a cancellation, in instructions.
const CHECK_INTERVAL: usize = 4096;

/// The constants that are added to names, as in `[%rd1+8]`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Offsets {
    /// The instruction of each, ascending; one has as many as its form has sums.
    steps: Vec<u32>,
    /// In bytes where it is an address. Of larger numbers the low 64 bits.
    numbers: Vec<i64>,
}

/// The constants that are added to names in the instructions of a function.
#[salsa::tracked(returns(ref))]
pub(crate) fn offsets<'db>(db: &'db dyn Database, function: Function<'db>) -> Offsets {
    let forms = forms(db, function);
    let operands: Vec<&[Operand]> = (forms.all.iter())
        .map(|it| match &*it.data(db).operands {
            all if all.iter().any(|it| sums(it) > 0) => all,
            _ => &[],
        })
        .collect();
    let mut found = Offsets::default();
    let mut step = 0;
    tree::for_each_instruction(&function.green(db).cursor(), &mut |node| {
        if step % CHECK_INTERVAL == 0 {
            db.unwind_if_revision_cancelled();
        }
        let operands = forms.index(step).map_or(&[][..], |it| operands[it]);
        if !operands.is_empty() {
            for (operand, node) in operands.iter().zip(tree::operand_nodes(node)) {
                push_sums(operand, &node, &mut found.numbers);
            }
            found.steps.resize(found.numbers.len(), step as u32);
        }
        step += 1;
    });
    found
}

impl Offsets {
    /// Those of an instruction, in the order of the text.
    fn of(&self, step: u32) -> &[i64] {
        let first = self.steps.partition_point(|it| *it < step);
        let count = self.steps[first..].partition_point(|it| *it == step);
        &self.numbers[first..first + count]
    }
}

/// Adds the constants of the sums in an operand.
fn push_sums(operand: &Operand, node: &Cursor<'_>, found: &mut Vec<i64>) {
    match operand {
        Operand::Offset(..) => found.push(match evaluate(node, &mut Vec::new()) {
            Value::Offset(_, number) => number as i64,
            _ => 0,
        }),
        // With a word after it the bracket is the base of a member.
        Operand::Address(_, Some(_)) if node.kind() != syntax::SyntaxKind::ADDRESS => {
            if let Some(inner) = node.nodes().next() {
                push_sums(operand, &inner, found);
            }
        }
        Operand::Address(items, _) | Operand::Vector(items) | Operand::Arguments(items) => {
            for (item, node) in items.iter().zip(node.nodes()) {
                push_sums(item, &node, found);
            }
        }
        Operand::Pair(first, second) => {
            for (item, node) in [first, second].into_iter().zip(node.nodes()) {
                push_sums(item, &node, found);
            }
        }
        Operand::Selected(inner, _) => {
            if let Some(node) = node.nodes().next() {
                push_sums(inner, &node, found);
            }
        }
        _ => {}
    }
}

/// The references of the first names, so many of them, and the others.
fn split(references: &[Reference], count: usize) -> (&[Reference], &[Reference]) {
    let Some(last) = count.checked_sub(1) else {
        return (&[], references);
    };
    let end = names(references).nth(last).map_or_else(
        || references.len(),
        |last| references.partition_point(|it| it.range.start() <= last.range.start()),
    );
    references.split_at(end)
}

/// The instructions of a function with their operands bound.
pub(crate) struct Operands<'db> {
    db: &'db dyn Database,
    function: Function<'db>,
    body: &'db Body,
    forms: &'db Forms<'db>,
}

impl<'db> Operands<'db> {
    /// Those of a function.
    pub(crate) fn of(db: &'db dyn Database, function: Function<'db>) -> Operands<'db> {
        Operands {
            db,
            function,
            body: body(db, function),
            forms: forms(db, function),
        }
    }

    /// The database.
    pub(crate) fn db(&self) -> &'db dyn Database {
        self.db
    }

    /// An instruction by its index.
    pub(crate) fn get(&self, step: u32) -> Option<BoundInstruction<'db>> {
        let instruction = self.body.instructions.get(step as usize)?;
        let id = self.form(step)?;
        let form = id.data(self.db);
        let has_sums = form.operands.iter().any(|it| sums(it) > 0);
        Some(BoundInstruction {
            db: self.db,
            id,
            instruction,
            form,
            references: references(self.body, instruction),
            offsets: match has_sums {
                true => offsets(self.db, self.function).of(step),
                false => &[],
            },
        })
    }

    /// The form of an instruction.
    pub(crate) fn form(&self, step: u32) -> Option<Form<'db>> {
        let index = self.forms.index(step as usize)?;
        self.forms.all.get(index).copied()
    }
}

/// Asks the instructions in a part of a function, in the order of the text, until one has an answer. The others are not
/// lowered, so that a long function takes no longer. Offsets of sums are not evaluated.
pub(crate) fn find_within<'db, T>(
    db: &'db dyn Database,
    function: Function<'db>,
    part: TextRange,
    mut answer: impl FnMut(&Body, &BoundInstruction<'_>) -> Option<T>,
) -> Option<T> {
    let body = body_within(db, function, part);
    let forms = forms_in(db, function, &body, Some(part));
    let mut instructions = body.instructions.iter().enumerate();
    instructions.find_map(|(index, instruction)| {
        let id = *forms.all.get(forms.index(index)?)?;
        let bound = BoundInstruction {
            db,
            id,
            instruction,
            form: id.data(db),
            references: references(&body, instruction),
            offsets: &[],
        };
        answer(&body, &bound)
    })
}

/// An instruction with its operands bound.
#[derive(Clone, Copy)]
pub(crate) struct BoundInstruction<'a> {
    pub(crate) db: &'a dyn Database,
    /// The form, for queries.
    pub(crate) id: Form<'a>,
    /// The instruction.
    pub(crate) instruction: &'a Instruction,
    /// The common part of the instructions that are like it.
    pub(crate) form: &'a FormContents,
    /// Its names, in the order of the text.
    pub(crate) references: &'a [Reference],
    offsets: &'a [i64],
}

impl<'a> BoundInstruction<'a> {
    /// The predicate of its guard.
    pub(crate) fn guard(&self) -> Option<&'a Reference> {
        self.form.guard.as_ref()?;
        let names = match &self.form.spans {
            Some(spans) => self.references.get(spans.first()?.clone())?,
            None => self.references,
        };
        names.first()
    }

    /// Whether the guard holds when its predicate is false.
    pub(crate) fn is_negated(&self) -> bool {
        self.form.negated
    }

    /// The operands, in the order of the text.
    pub(crate) fn operands(&self) -> BoundOperands<'a> {
        let guard = usize::from(self.form.guard.is_some());
        BoundOperands {
            instruction: *self,
            rest: Elements {
                form: self.form,
                operands: self.form.operands.iter(),
                references: split(self.references, guard).1,
                offsets: self.offsets,
                first: guard,
            },
            index: 0,
        }
    }

    /// The operand of a binding, or an element of its braces.
    pub(crate) fn operand_at(
        &self,
        path: OperandPath,
        element: Option<u8>,
    ) -> Option<BoundOperand<'a>> {
        let mut operand = self.operand(path.operand.into())?;
        if let Some(index) = path.element {
            let Bound::Address(mut elements) = operand.bound() else {
                return None;
            };
            operand = elements.nth(index.into())?;
        }
        if let (Some(part), Bound::Pair(first, second)) = (path.part, operand.bound()) {
            operand = match part {
                PairPart::First => first,
                PairPart::Second => second,
            };
        }
        match (element, operand.bound()) {
            (Some(index), Bound::Vector(mut elements)) => elements.nth(index.into()),
            (Some(_), _) => None,
            (None, _) => Some(operand),
        }
    }

    /// An operand by its index.
    pub(crate) fn operand(&self, index: usize) -> Option<BoundOperand<'a>> {
        self.operands().nth(index)
    }
}

/// The operands of an instruction.
#[derive(Clone)]
pub(crate) struct BoundOperands<'a> {
    instruction: BoundInstruction<'a>,
    rest: Elements<'a>,
    index: usize,
}

impl<'a> Iterator for BoundOperands<'a> {
    type Item = BoundOperand<'a>;

    fn next(&mut self) -> Option<BoundOperand<'a>> {
        let Some(spans) = &self.rest.form.spans else {
            return self.rest.next();
        };
        // The operands tell nothing about where their names are.
        self.rest.references = &[];
        let found = self.rest.next()?;
        self.index += 1;
        let all = self.instruction.references;
        let span = spans.get(self.index).cloned().unwrap_or_default();
        let references = all.get(span.clone()).unwrap_or_default();
        let right = is_right(found.operand, references);
        Some(BoundOperand {
            operand: if right {
                found.operand
            } else {
                &Operand::Invalid
            },
            references,
            first: names(&all[..span.start.min(all.len())]).count(),
            ..found
        })
    }
}

/// Operands side by side: the elements of a vector, a bracket or a list.
#[derive(Clone)]
pub(crate) struct Elements<'a> {
    form: &'a FormContents,
    operands: slice::Iter<'a, Operand>,
    /// The references from the next operand on.
    references: &'a [Reference],
    offsets: &'a [i64],
    /// The index of the first of these references among the names of the instruction.
    first: usize,
}

impl<'a> Iterator for Elements<'a> {
    type Item = BoundOperand<'a>;

    fn next(&mut self) -> Option<BoundOperand<'a>> {
        let operand = self.operands.next()?;
        let count = names_of(operand);
        let (references, rest) = split(self.references, count);
        let sums = sums(operand).min(self.offsets.len());
        let (offsets, other_offsets) = self.offsets.split_at(sums);
        let found = BoundOperand {
            form: self.form,
            operand,
            references,
            offsets,
            first: self.first,
        };
        (self.references, self.offsets) = (rest, other_offsets);
        self.first += count;
        Some(found)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.operands.size_hint()
    }
}

impl ExactSizeIterator for Elements<'_> {}

/// An operand, or a part of one.
#[derive(Clone, Copy)]
pub(crate) struct BoundOperand<'a> {
    form: &'a FormContents,
    operand: &'a Operand,
    /// The names in it, in the order of the text.
    pub(crate) references: &'a [Reference],
    offsets: &'a [i64],
    /// The index of the first of these names among those of the instruction.
    first: usize,
}

/// The meaning of an operand: names, constants, and their combinations.
#[derive(Clone)]
pub(crate) enum Bound<'a> {
    /// A register, special register, variable, function or label; for vectors perhaps one component, a letter.
    Name(&'a Reference, Option<char>),
    /// An integer constant; from 2^63 on it is unsigned.
    Integer(i128),
    /// A float constant.
    Float,
    /// A name plus a constant.
    Sum(&'a Reference, i64),
    /// An element of a variable, by its index.
    Element(&'a Reference, i128),
    /// `[…]`
    Address(Elements<'a>),
    /// `{…}` or `(…)`
    Vector(Elements<'a>),
    /// `a|b`
    Pair(BoundOperand<'a>, BoundOperand<'a>),
    /// `_`
    Sink,
    /// `!a`
    Not(BoundOperand<'a>),
    /// `-a`, where `a` is not a constant.
    Minus(BoundOperand<'a>),
    /// `a.b0`: a part of a scalar register.
    Selected(BoundOperand<'a>),
    /// Something that no instruction takes, or that is wrong for another reason.
    Other,
}

impl<'a> BoundOperand<'a> {
    /// Its meaning.
    pub(crate) fn bound(&self) -> Bound<'a> {
        let inner = |operand| BoundOperand { operand, ..*self };
        let elements = |items: &'a [Operand]| Elements {
            form: self.form,
            operands: items.iter(),
            references: self.references,
            offsets: self.offsets,
            first: self.first,
        };
        match self.operand {
            Operand::Register { .. }
            | Operand::Special { .. }
            | Operand::Symbol(_)
            | Operand::Unknown => match self.name() {
                Some(name) => Bound::Name(name, self.form.component(self.first)),
                None => Bound::Other,
            },
            Operand::Integer(it) => Bound::Integer(*it),
            Operand::Float(..) => Bound::Float,
            Operand::Offset(..) => match (self.name(), self.offsets) {
                (Some(name), [offset, ..]) => Bound::Sum(name, *offset),
                _ => Bound::Other,
            },
            Operand::Element(_, index) => match self.name() {
                Some(name) => Bound::Element(name, *index),
                None => Bound::Other,
            },
            Operand::Address(items, _) => Bound::Address(elements(items)),
            Operand::Vector(items) | Operand::Arguments(items) => Bound::Vector(elements(items)),
            Operand::Pair(first, second) => {
                let mut one = elements(slice::from_ref(&**first));
                let first = one.next();
                one.operands = slice::from_ref(&**second).iter();
                match (first, one.next()) {
                    (Some(first), Some(second)) => Bound::Pair(first, second),
                    _ => Bound::Other,
                }
            }
            Operand::Sink => Bound::Sink,
            Operand::Not(it) => Bound::Not(inner(it)),
            Operand::Minus(it) => Bound::Minus(inner(it)),
            Operand::Selected(it, _) => Bound::Selected(inner(it)),
            Operand::Invalid => Bound::Other,
        }
    }

    fn name(&self) -> Option<&'a Reference> {
        names(self.references).next()
    }

    /// The operand as the tables see it.
    pub(crate) fn operand(&self) -> &'a Operand {
        self.operand
    }

    /// The integer, if it is such a constant: its low 64 bits.
    pub(crate) fn integer(&self) -> Option<i64> {
        match self.operand {
            Operand::Integer(it) => Some(*it as i64),
            _ => None,
        }
    }

    /// The special register that it is, or of which it is a component.
    pub(crate) fn special(&self) -> Option<&'static str> {
        match self.bound() {
            Bound::Name(name, _) => match name.target {
                Target::Special(index) => Some(isa::special::get(index).map_or("", |it| it.name)),
                _ => None,
            },
            Bound::Selected(inner) => inner.special(),
            _ => None,
        }
    }

    /// Whether it is in braces.
    pub(crate) fn is_vector(&self) -> bool {
        matches!(self.operand, Operand::Vector(_))
    }

    /// Whether it is in brackets.
    pub(crate) fn is_address(&self) -> bool {
        matches!(self.operand, Operand::Address(..))
    }

    /// The first name of an address in brackets, and the bytes that are added to it; `alone` requires that nothing else
    /// is in the brackets. `table[4]` is the same as `[table+4]`.
    pub(crate) fn address(&self, alone: bool) -> Option<(&'a Reference, i64)> {
        let mut elements = match self.bound() {
            Bound::Address(elements) => elements,
            Bound::Element(name, index) => return Some((name, index as i64)),
            _ => return None,
        };
        let first = elements.next()?;
        if alone && elements.len() > 0 {
            return None;
        }
        match first.bound() {
            Bound::Name(name, None) => Some((name, 0)),
            Bound::Sum(name, offset) => Some((name, offset)),
            _ => None,
        }
    }
}
