//! The names in what is stated of one combination of words and operands: whether each means something there, and whether
//! below `round` is one operation.

use rustc_hash::FxHashSet;

use super::expressions::arguments_of;
use crate::{
    tables::{
        computation::{
            Binder, Choice, Completion, Effect, Expression, Infix, Memory, Primitive, Set, Stated,
            Target,
        },
        instruction::{Form, Instruction, OperandPattern, Variant},
    },
    types::type_of,
};

/// Words of expressions that are the same in every instruction.
const WORDS: [&str; 6] = ["lane", "active", "cc", "stack", "nan", "true"];
/// The word for bits that mean nothing.
const UNSPECIFIED: &str = "unspecified";
/// The dimensions of the shape of a matrix product.
const DIMENSIONS: [&str; 3] = ["K", "M", "N"];
/// Directions of rounding.
const ROUNDINGS: [&str; 10] = [
    "rn", "rna", "rz", "rm", "rp", "rs", "rni", "rzi", "rmi", "rpi",
];
/// The number that a NaN becomes: 0, or 1 below half of the range.
const NAN_AS: [&str; 2] = ["zero", "middle"];
/// Operations of `apply` and `reduce` that are not words of a slot.
const OPERATIONS: [&str; 6] = ["add", "min", "max", "and", "or", "xor"];
/// Sets that the notation names.
const SETS: [&str; 3] = ["participants", "copies", "cluster"];
/// State spaces in a generic address.
const SPACES: [&str; 5] = ["global", "shared", "local", "const", "param"];
/// Fields of mbarriers.
const FIELDS: [&str; 8] = [
    "phase",
    "expected",
    "pending",
    "tx",
    "reported",
    "report",
    "conditional",
    "layout",
];

/// The instructions of a block.
#[derive(Clone, Copy)]
pub(super) struct BlockWords<'c>(pub(super) &'c [&'c Instruction]);

impl<'c> BlockWords<'c> {
    pub(super) fn variants(self) -> impl Iterator<Item = &'c Variant> {
        self.0.iter().flat_map(|it| &it.variants)
    }

    pub(super) fn is_slot(self, name: &str) -> bool {
        self.variants()
            .any(|it| it.slots.iter().any(|it| it.name == name))
    }

    pub(super) fn has_word(self, word: &str) -> bool {
        let mut all = self.0.iter();
        all.any(|it| it.word_ids.contains_key(word))
    }

    pub(super) fn is_operand(self, name: &str) -> bool {
        let mut found = false;
        for pattern in self.variants().flat_map(|it| &it.operands) {
            each_name(pattern, &mut |it| found |= it == name);
        }
        found
    }
}

/// Calls a function with the names of the operands of a pattern, and with the word after its bracket.
pub(super) fn each_name(pattern: &OperandPattern, with: &mut dyn FnMut(&'static str)) {
    match &pattern.form {
        Form::Plain(_) => with(pattern.name),
        Form::Bracket(inner, suffix) => {
            inner.iter().for_each(|it| each_name(it, with));
            if let Some(suffix) = suffix {
                with(suffix);
            }
        }
        Form::Pair(_, inner) => {
            with(pattern.name);
            each_name(inner, with);
        }
    }
}

/// Calls a function with the words of an expression that may be slots.
pub(super) fn each_word(expression: &Expression, with: &mut dyn FnMut(&'static str)) {
    match expression {
        Expression::Name(name) => with(name),
        Expression::As(_, ty) => with(ty),
        Expression::Memory(memory) => {
            // Elements of memory are of this type.
            with("type");
            if let Some((field, _)) = &memory.field {
                with(field);
            }
        }
        Expression::Over(Binder::Reduce(operation), ..) => with(operation),
        _ => {}
    }
    expression.each_part(&mut |it| each_word(it, with));
}

/// The names in what is stated of one combination.
pub(super) struct Walk<'w> {
    pub(super) words: BlockWords<'w>,
    pub(super) choice: &'w Choice<'w>,
    pub(super) stated: &'w Stated<'w>,
    /// Variables and parameters.
    pub(super) bound: Vec<&'static str>,
    /// Whether this is an effect on a matrix, whose dimensions have names.
    pub(super) matrix: bool,
    /// The definitions that are being read.
    pub(super) open: Vec<&'static str>,
    /// The operands that are read.
    pub(super) used: FxHashSet<&'static str>,
}

type Walked = std::result::Result<(), String>;

impl Walk<'_> {
    pub(super) fn effect(&mut self, effect: &Effect) -> Walked {
        self.matrix = effect.matrix;
        let depth = self.bound.len();
        if let Some((variable, set)) = &effect.repeated {
            self.set(set)?;
            self.bound.push(variable);
        }
        match &effect.target {
            Target::Element(_, indices) | Target::Chapter(_, _, indices) if effect.matrix => {
                self.indices(indices);
            }
            // The elements of the fragment that is stored.
            Target::Memory(_) if effect.matrix => {
                if let Expression::Apply(_, indices) = &effect.value {
                    self.indices(indices);
                }
            }
            Target::Element(name, _) => {
                return Err(format!(
                    "`{name}(…)` is an element of a matrix: `computes matrix …`"
                ));
            }
            _ => {}
        }
        match &effect.target {
            Target::Memory(memory) => self.memory(memory)?,
            Target::Chapter(_, arguments, indices) => {
                arguments.iter().try_for_each(|it| self.place(it))?;
                indices.iter().try_for_each(|it| self.value(it))?;
            }
            _ => {}
        }
        if let Some(ty) = effect.ty {
            self.ty(&Expression::Name(ty))?;
        }
        self.value(&effect.value)?;
        if let Some(Completion::Barrier(memory, bytes)) = &effect.until {
            self.memory(memory)?;
            self.value(bytes)?;
        }
        self.bound.truncate(depth);
        self.matrix = false;
        Ok(())
    }

    /// Binds the names of the indices of an element.
    fn indices(&mut self, indices: &[Expression]) {
        for index in indices {
            if let Expression::Name(name) = index {
                self.bound.push(name);
            }
        }
    }

    pub(super) fn value(&mut self, expression: &Expression) -> Walked {
        match expression {
            Expression::Name(name) => self.name(name),
            Expression::As(value, ty) => {
                self.ty(&Expression::Name(ty))?;
                self.value(value)
            }
            Expression::Else(first, second) => {
                let mut there = true;
                each_word(first, &mut |name| {
                    if self.words.is_operand(name) && !self.choice.operands.contains(&name) {
                        there = false;
                    }
                });
                match there {
                    true => self.value(first),
                    false => self.value(second),
                }
            }
            Expression::Memory(memory) => self.memory(memory),
            Expression::Call(primitive, arguments) => self.call(*primitive, arguments),
            Expression::Apply(name, arguments) => self.apply(name, arguments),
            Expression::Over(binder, variable, set, body) => {
                match binder {
                    Binder::Chain(first) => self.value(first)?,
                    Binder::Pack(width) => self.value(width)?,
                    Binder::Reduce(operation) => self.operation(&Expression::Name(operation))?,
                    _ => {}
                }
                self.set(set)?;
                let depth = self.bound.len();
                self.bound.push(variable);
                if matches!(binder, Binder::Chain(_)) {
                    self.bound.push("it");
                }
                self.value(body)?;
                self.bound.truncate(depth);
                Ok(())
            }
            _ => {
                let mut out = Ok(());
                expression.each_part(&mut |it| {
                    if out.is_ok() {
                        out = self.value(it);
                    }
                });
                out
            }
        }
    }

    fn name(&mut self, name: &'static str) -> Walked {
        if self.bound.contains(&name) || WORDS.contains(&name) || name == UNSPECIFIED {
            return Ok(());
        }
        if self.choice.operands.contains(&name) {
            self.used.insert(name);
            return Ok(());
        }
        if let Some((_, definition)) = self.stated.lets.iter().find(|it| it.1.name == name) {
            return match definition.parameters.is_empty() {
                true => self.definition(name, &definition.value, &[]),
                false => Err(format!("`{name}` takes arguments")),
            };
        }
        if self.words.is_slot(name) || self.matrix && DIMENSIONS.contains(&name) {
            return Ok(());
        }
        Err(self.unknown(name))
    }

    fn unknown(&self, name: &str) -> String {
        let lets = self.stated.lets.iter().map(|it| it.1.name);
        let names = self.choice.operands.iter().copied().chain(lets);
        let mut names: Vec<&str> = names
            .chain(self.bound.iter().copied())
            .chain(WORDS)
            .collect();
        names.dedup();
        format!("`{name}` has no meaning here: one of {}", names.join(", "))
    }

    /// The names of a definition, with its parameters.
    fn definition(
        &mut self,
        name: &'static str,
        value: &Expression,
        parameters: &[&'static str],
    ) -> Walked {
        if self.open.contains(&name) {
            return Err(format!("`{name}` is defined by itself"));
        }
        self.open.push(name);
        let outer = std::mem::replace(&mut self.bound, parameters.to_vec());
        // A definition does not see indices of the element, nor variables.
        let read = self.value(value);
        self.bound = outer;
        self.open.pop();
        read
    }

    fn apply(&mut self, name: &'static str, arguments: &[Expression]) -> Walked {
        arguments.iter().try_for_each(|it| self.value(it))?;
        let found = self.stated.lets.iter().find(|it| it.1.name == name);
        if let Some((_, definition)) = found {
            let (expected, found) = (definition.parameters.len(), arguments.len());
            return match expected == found {
                true => self.definition(name, &definition.value, &definition.parameters),
                false => Err(arguments_of(name, &expected.to_string(), found)),
            };
        }
        if self.choice.operands.contains(&name) {
            self.used.insert(name);
            return match self.matrix {
                true => Ok(()),
                false => Err(format!(
                    "`{name}(…)` is an element of a matrix: `computes matrix …`"
                )),
            };
        }
        let names = Primitive::ALL.iter().map(|it| it.0);
        Err(format!(
            "`{name}` is neither a matrix, a `let` of this form nor a primitive: one of {}",
            names.collect::<Vec<_>>().join(", ")
        ))
    }

    fn call(&mut self, primitive: Primitive, arguments: &[Expression]) -> Walked {
        if primitive == Primitive::Round && !arguments.first().is_some_and(is_one_operation) {
            return Err(
                "below `round`: one of x + y, x - y, x * y, x * y + z, x / y, sqrt(x), or a number"
                    .to_owned(),
            );
        }
        if primitive.is_place() {
            return arguments.iter().try_for_each(|it| self.place(it));
        }
        for (index, argument) in arguments.iter().enumerate() {
            match (primitive, index) {
                (Primitive::Part | Primitive::Picked, 2)
                | (
                    Primitive::Selected
                    | Primitive::Bits
                    | Primitive::Bytes
                    | Primitive::Half
                    | Primitive::Quarter,
                    0,
                ) => self.ty(argument)?,
                (Primitive::Clamp, 1) => match argument {
                    Expression::Name(name) if NAN_AS.contains(name) => {}
                    _ => self.ty(argument)?,
                },
                (Primitive::Round | Primitive::Integral, 1) => match argument {
                    Expression::Name(name) if ROUNDINGS.contains(name) => {}
                    Expression::Name(name) if self.words.is_slot(name) => {}
                    _ => {
                        return Err(format!(
                            "expected a rounding: a slot, or one of {}",
                            ROUNDINGS.join(", ")
                        ));
                    }
                },
                (Primitive::Apply, 0) => self.operation(argument)?,
                (Primitive::ToGeneric | Primitive::FromGeneric | Primitive::Within, 1) => {
                    match argument {
                        Expression::Name(name)
                            if self.words.is_slot(name) || SPACES.contains(name) => {}
                        _ => {
                            return Err(format!(
                                "expected a state space: a slot, or one of {}",
                                SPACES.join(", ")
                            ));
                        }
                    }
                }
                (Primitive::Number, 0) => match argument {
                    Expression::Name(name) if self.words.is_slot(name) => {}
                    _ => return Err("`number` takes a slot".to_owned()),
                },
                _ => self.value(argument)?,
            }
        }
        Ok(())
    }

    /// An argument of a place that a chapter of the manual describes: what a form lacks is left out.
    fn place(&mut self, argument: &Expression) -> Walked {
        match argument {
            Expression::Name(name)
                if self.words.is_operand(name) && !self.choice.operands.contains(name) =>
            {
                Ok(())
            }
            _ => self.value(argument),
        }
    }

    fn ty(&self, argument: &Expression) -> Walked {
        match argument {
            Expression::Name(name) if self.choice.word(name).is_some() => Ok(()),
            Expression::Name(name) if type_of(name).is_some() => Ok(()),
            Expression::Call(
                Primitive::Half | Primitive::Quarter | Primitive::Selected,
                arguments,
            ) => self.ty(&arguments[0]),
            Expression::Name(name) => Err(format!(
                "`{name}` is neither a type nor a slot that has a word here"
            )),
            _ => Err(
                "expected a type: a slot, a type word, or `half`, `quarter` or `selected` of one"
                    .to_owned(),
            ),
        }
    }

    fn operation(&self, argument: &Expression) -> Walked {
        match argument {
            Expression::Opcode => Ok(()),
            Expression::Name(name)
                if self.choice.word(name).is_some() || OPERATIONS.contains(name) =>
            {
                Ok(())
            }
            _ => Err(format!(
                "expected an operation: `$`, a slot that has a word here, or one of {}",
                OPERATIONS.join(", ")
            )),
        }
    }

    fn set(&mut self, set: &Set) -> Walked {
        match set {
            Set::Range(first, last) => {
                self.value(first)?;
                self.value(last)
            }
            Set::Lanes(mask) => self.value(mask),
            Set::Named(name) if SETS.contains(name) => Ok(()),
            Set::Named(name) => self.name(name).map_err(|_| {
                format!(
                    "`{name}` is not a set: one of a range, `lanes(mask)`, {}, or an operand in braces",
                    SETS.join(", ")
                )
            }),
        }
    }

    fn memory(&mut self, memory: &Memory) -> Walked {
        memory.address.iter().try_for_each(|it| self.value(it))?;
        if let Some(name) = memory.within
            && !self.bound.contains(&name)
        {
            return Err(self.unknown(name));
        }
        if let Some(size) = &memory.size {
            self.value(size)?;
        }
        let Some((field, index)) = &memory.field else {
            return Ok(());
        };
        if !FIELDS.contains(field) && !self.words.is_slot(field) {
            return Err(format!(
                "`{field}` is not a field: a slot, or one of {}",
                FIELDS.join(", ")
            ));
        }
        match index {
            Some(index) => self.value(index),
            None => Ok(()),
        }
    }
}

/// Whether an expression is at most one operation that rounding knows.
fn is_one_operation(expression: &Expression) -> bool {
    let two = |a: &Expression, b: &Expression| is_number(a) && is_number(b);
    match expression {
        Expression::Infix(Infix::Add, left, right) => match &**left {
            Expression::Infix(Infix::Multiply, a, b) => two(a, b) && is_number(right),
            left => two(left, right),
        },
        Expression::Infix(Infix::Subtract | Infix::Multiply | Infix::Divide, a, b) => two(a, b),
        Expression::Call(Primitive::SquareRoot, of) => of.iter().all(is_number),
        _ => is_number(expression),
    }
}

fn is_number(expression: &Expression) -> bool {
    match expression {
        Expression::Integer(_)
        | Expression::Name(_)
        | Expression::At(..)
        | Expression::Memory(_)
        | Expression::Element(..)
        | Expression::As(..)
        | Expression::Apply(..)
        | Expression::Index(..) => true,
        Expression::Call(primitive, _) => matches!(
            primitive,
            Primitive::Flush | Primitive::Part | Primitive::Upper | Primitive::Lower
        ),
        _ => false,
    }
}
