//! The computation of an instruction, as its table states it: expressions over its operands.
//!
//! The notation is described in `tables/README.md`. Integers are exact, and an assignment keeps the low bits of the
//! target; floating-point numbers are exact, and only [`Primitive::Round`] loses. What the names mean depends on the
//! variant that a statement fits, see [`crate::compute`].

use super::instruction::{Instruction, Variant};

pub use super::primitive::Primitive;

/// The lines of an instruction that state what it computes.
///
/// A later line whose condition holds replaces what earlier ones say of the same name or target, see
/// [`Computation::of`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Computation {
    /// The lines in the order of the table.
    pub lines: Vec<ComputationLine>,
}

/// A line of a computation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComputationLine {
    /// The number of the line in its table, from 1.
    pub number: usize,
    /// When it holds: one of these, each a conjunction; always if there are none.
    pub when: Vec<Vec<Test>>,
    /// Its statement.
    pub clause: Clause,
}

/// A simple condition about the words, slots and operands of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    /// Whether it holds where the rest does not.
    pub negated: bool,
    /// The subject.
    pub subject: TestSubject,
}

/// The subject of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TestSubject {
    /// The statement has the word.
    Word(&'static str),
    /// The slot has a word.
    Slot(&'static str),
    /// The word of the slot is one of these.
    OneOf(&'static str, Vec<&'static str>),
    /// The name of the instruction is one of these, for blocks that serve several.
    Instruction(Vec<&'static str>),
    /// The operand is there.
    Operand(&'static str),
}

/// The choices of a statement that conditions ask about.
#[derive(Clone, Copy, Debug)]
pub struct Choice<'c> {
    /// The instruction.
    pub instruction: &'c Instruction,
    /// The variant that fits.
    pub variant: &'c Variant,
    /// The word chosen for each slot of the variant, see [`crate::matcher::Fit::slots`].
    pub slots: &'c [Option<u16>],
    /// The names of the operands that are there, also those in brackets and after `|`.
    pub operands: &'c [&'static str],
}

impl Choice<'_> {
    /// The word in a slot; none also where the variant lacks the slot.
    #[must_use]
    pub fn word(&self, slot: &str) -> Option<&'static str> {
        let index = self.variant.slots.iter().position(|it| it.name == slot)?;
        let id = self.slots.get(index).copied().flatten()?;
        self.instruction.words.get(usize::from(id)).copied()
    }

    /// Whether a slot has this word.
    #[must_use]
    pub fn has_word(&self, word: &str) -> bool {
        let words = &self.instruction.words;
        let chosen = self.slots.iter().flatten();
        let mut chosen = chosen.filter_map(|it| words.get(usize::from(*it)));
        chosen.any(|it| *it == word)
    }
}

impl Test {
    /// Whether the condition holds.
    #[must_use]
    pub fn holds(&self, choice: &Choice<'_>) -> bool {
        let holds = match &self.subject {
            TestSubject::Word(word) => choice.has_word(word),
            TestSubject::Slot(slot) => choice.word(slot).is_some(),
            TestSubject::OneOf(slot, words) => {
                choice.word(slot).is_some_and(|it| words.contains(&it))
            }
            TestSubject::Instruction(names) => names.contains(&choice.instruction.name),
            TestSubject::Operand(name) => choice.operands.contains(name),
        };
        holds != self.negated
    }
}

impl ComputationLine {
    /// Whether the line is about a statement.
    #[must_use]
    pub fn holds(&self, choice: &Choice<'_>) -> bool {
        let all = |tests: &Vec<Test>| tests.iter().all(|it| it.holds(choice));
        self.when.is_empty() || self.when.iter().any(all)
    }
}

/// The lines about one statement, each with the number of its line.
#[derive(Clone, Debug, Default)]
pub struct Stated<'c> {
    /// The names for expressions, one definition each.
    pub lets: Vec<(usize, &'c Definition)>,
    /// The effects on what the statement has, one for each place.
    pub effects: Vec<(usize, &'c Effect)>,
    /// The functions through which float operands are read, in this order, and for which type if not for all.
    pub inputs: Vec<(Primitive, Option<&'static str>)>,
    /// The functions through which float results go, in this order.
    pub results: Vec<Primitive>,
    /// The conditions under which the manual leaves the result open.
    pub unspecified: Vec<(usize, &'c Expression)>,
}

impl Computation {
    /// Whether some form divides integers, for the quotient or the remainder.
    #[must_use]
    pub fn divides_integers(&self) -> bool {
        let divides = |it: &Effect| {
            matches!(
                it.value,
                Expression::Call(Primitive::Quotient | Primitive::Remainder, _)
            )
        };
        let mut lines = self.lines.iter();
        lines.any(|it| matches!(&it.clause, Clause::Effects(all) if all.iter().any(divides)))
    }

    /// The lines about a statement: those that hold, without what later ones replace. A result that the
    /// statement does not have (`q` of `p|q`) has no effect.
    #[must_use]
    pub fn of(&self, choice: &Choice<'_>) -> Stated<'_> {
        let mut out = Stated::default();
        for line in self.lines.iter().filter(|it| it.holds(choice)) {
            match &line.clause {
                Clause::Let(definitions) => {
                    for definition in definitions {
                        out.lets.retain(|it| it.1.name != definition.name);
                        out.lets.push((line.number, definition));
                    }
                }
                Clause::Effects(effects) => {
                    out.effects.retain(|(_, old)| {
                        let same = |it: &Effect| it.target.is_same_place(&old.target);
                        !effects.iter().any(same)
                    });
                    let there = effects.iter().filter(|it| match it.target.operand() {
                        Some(name) => choice.operands.contains(&name),
                        None => true,
                    });
                    out.effects.extend(there.map(|it| (line.number, it)));
                }
                Clause::Nothing | Clause::Ignores(_) => {}
                Clause::Inputs(function, ty) => out.inputs.push((*function, *ty)),
                Clause::Result(function) => out.results.push(*function),
                Clause::Unspecified(condition) => out.unspecified.push((line.number, condition)),
            }
        }
        out
    }
}

/// The statement of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clause {
    /// `let x = …, f(i) = …`: names for expressions.
    Let(Vec<Definition>),
    /// `computes nothing`: control, barriers and hints.
    Nothing,
    /// `computes d = …`: all right sides are read before anything is written.
    Effects(Vec<Effect>),
    /// `inputs f`, `inputs f type`: float operands are read through a function, those of one type if it is given.
    Inputs(Primitive, Option<&'static str>),
    /// `result f`: each element of a float result goes through a function.
    Result(Primitive),
    /// `unspecified if …`: the manual leaves the result open.
    Unspecified(Expression),
    /// `ignores …`: slots and words that change no value.
    Ignores(Vec<&'static str>),
}

/// A name for an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name.
    pub name: &'static str,
    /// The parameters; none for a plain name.
    pub parameters: Vec<&'static str>,
    /// The expression, in which the parameters may appear.
    pub value: Expression,
}

/// A target and its new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effect {
    /// `each`: once per element of packed types and braces.
    pub each: bool,
    /// `atomic`: memory is read and written at once.
    pub atomic: bool,
    /// `later`: at some time before the completion is seen.
    pub later: bool,
    /// `matrix`: the target is a fragment, whose elements the lanes of the warp hold.
    pub matrix: bool,
    /// The place that is written.
    pub target: Target,
    /// `as type`: the type of the target, where its definition does not give it.
    pub ty: Option<&'static str>,
    /// The new value.
    pub value: Expression,
    /// `for r in set`: once for each.
    pub repeated: Option<(&'static str, Set)>,
    /// `until …`: what tells that it happened.
    pub until: Option<Completion>,
}

/// The place that an effect writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An operand.
    Operand(&'static str),
    /// The carry flag, `cc`.
    Carry,
    /// The stack pointer, `stack`.
    Stack,
    /// An element of an operand that is a matrix: `d(i, j)`.
    Element(&'static str, Vec<Expression>),
    /// Memory.
    Memory(Memory),
    /// A place that a chapter of the manual describes: `tmem(taddr, shape)`, `box(map, …)`, with indices of an
    /// element in `tmem(d)(i, j)`.
    Chapter(Primitive, Vec<Expression>, Vec<Expression>),
}

impl Target {
    /// The operand that is written; `None` for flags, memory and places of chapters.
    #[must_use]
    pub fn operand(&self) -> Option<&'static str> {
        match self {
            Target::Operand(name) | Target::Element(name, _) => Some(name),
            Target::Carry | Target::Stack | Target::Memory(_) | Target::Chapter(..) => None,
        }
    }

    /// Whether a line about one replaces a line about the other: the same operand, the same address and field of memory
    /// whatever the number of bytes and the CTA, or the same kind of place at the same first argument.
    #[must_use]
    pub fn is_same_place(&self, other: &Target) -> bool {
        match (self, other) {
            (Target::Memory(a), Target::Memory(b)) => {
                let field = |it: &Memory| it.field.as_ref().map(|it| it.0);
                (a.kind, &a.address, field(a)) == (b.kind, &b.address, field(b))
            }
            (Target::Chapter(a, of_a, _), Target::Chapter(b, of_b, _)) => {
                (a, of_a.first()) == (b, of_b.first())
            }
            (Target::Carry, Target::Carry) | (Target::Stack, Target::Stack) => true,
            _ => self.operand().is_some() && self.operand() == other.operand(),
        }
    }
}

/// A place in memory: `[a]`, `[to, offset in r; size].field`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Which memory.
    pub kind: MemoryKind,
    /// The address, perhaps in parts.
    pub address: Vec<Expression>,
    /// The CTA, or the copy, in which the address is: `in r`.
    pub within: Option<&'static str>,
    /// The number of bytes; without it one element of the type of the instruction.
    pub size: Option<Box<Expression>>,
    /// A field of an mbarrier or a tensor map, with the index of an element of it.
    pub field: Option<(&'static str, Option<Box<Expression>>)>,
}

/// Which memory an address is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryKind {
    /// That of the address operand.
    Operand,
    /// All copies of a multimem address.
    Copies,
    /// That of another endpoint of a fabric.
    Fabric,
}

/// The sign that a later effect happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The group of a kind is complete.
    Group(&'static str),
    /// An mbarrier, whose `tx` loses so many bytes.
    Barrier(Memory, Expression),
    /// The copies that this thread issued are there.
    Copies,
}

/// The values that a variable takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Set {
    /// `first..last`, both included.
    Range(Box<Expression>, Box<Expression>),
    /// The lanes, or CTAs of the cluster, whose bits are set in a mask.
    Lanes(Box<Expression>),
    /// A set that the notation names, or the elements of an operand in braces or of a place.
    Named(&'static str),
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prefix {
    /// `-x`
    Negate,
    /// `~x`
    Complement,
    /// `not x`
    Not,
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are those of the operators")]
pub enum Infix {
    Add,
    Subtract,
    Multiply,
    Divide,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// `and` of truths.
    Both,
    /// `or` of truths.
    Either,
}

/// How the values of a body are combined over a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binder {
    /// The sum.
    Sum,
    /// The truth that all hold.
    All,
    /// The truth that one holds.
    Any,
    /// How many hold.
    Count,
    /// The bits of those that hold.
    Mask,
    /// The lowest that holds.
    Lowest,
    /// Combined by the operation in a slot, or by a named one.
    Reduce(&'static str),
    /// One after the other, `it` being the value so far, from a first one on.
    Chain(Box<Expression>),
    /// Side by side, the first lowest, each of so many bits.
    Pack(Box<Expression>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// An integer.
    Integer(i128),
    /// An operand, a name of a `let`, a variable, a slot, a type, or one of the words that the notation has for the
    /// lane and its surroundings: `lane active cc stack nan true unspecified K M N it`.
    Name(&'static str),
    /// `$`, the opcode, as the operation of `apply`.
    Opcode,
    /// `-x`
    Prefix(Prefix, Box<Expression>),
    /// `x + y`
    Infix(Infix, Box<Expression>, Box<Expression>),
    /// `x if c else y`: the condition, and the two values.
    If(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `x else y`: the first if the operand in it is there.
    Else(Box<Expression>, Box<Expression>),
    /// `x as t`: the same bits as a value of a type.
    As(Box<Expression>, &'static str),
    /// `x[hi:lo]`
    Slice(Box<Expression>, Box<Expression>, Box<Expression>),
    /// `x{i}`: an element of an operand in braces.
    Element(Box<Expression>, Box<Expression>),
    /// `x@l`: the operand in another lane.
    At(Box<Expression>, Box<Expression>),
    /// `[a]`
    Memory(Memory),
    /// A call of a primitive.
    Call(Primitive, Vec<Expression>),
    /// A call of a `let` with parameters, or an element of a matrix: `s(i)`, `a(i, k)`.
    Apply(&'static str, Vec<Expression>),
    /// An element of what a primitive yields: `sparse(a, e, f)(i, k)`.
    Index(Box<Expression>, Vec<Expression>),
    /// `approx(x; bound)`: the bound as written, one of `ulp N`, `relative E` and `absolute E`, perhaps `in A..B`,
    /// `gross` (of the upper half of the bits, the lower half of the result is 0) and `none`.
    Approximate(Box<Expression>, Vec<&'static str>),
    /// `unordered(x)`, and `unordered(op; r in set: x)` of a combination: sums in an order that nothing specifies.
    Unordered(Box<Expression>),
    /// `sum(i in 0..3: x)`: the binder, its variable, its set, and the body.
    Over(Binder, &'static str, Set, Box<Expression>),
}

impl Effect {
    /// Calls a function with the expressions of the self.
    pub fn each_expression(&self, with: &mut dyn FnMut(&Expression)) {
        with(&self.value);
        match &self.target {
            Target::Element(_, indices) => indices.iter().for_each(&mut *with),
            Target::Memory(memory) => with(&Expression::Memory(memory.clone())),
            Target::Chapter(_, arguments, indices) => {
                arguments.iter().chain(indices).for_each(&mut *with);
            }
            _ => {}
        }
        if let Some((_, set)) = &self.repeated {
            set_expressions(set, with);
        }
        if let Some(Completion::Barrier(memory, bytes)) = &self.until {
            with(&Expression::Memory(memory.clone()));
            with(bytes);
        }
    }
}

impl Expression {
    /// Calls a function with the expressions that it is made of.
    pub fn each_part(&self, with: &mut dyn FnMut(&Expression)) {
        match self {
            Expression::Integer(_) | Expression::Name(_) | Expression::Opcode => {}
            Expression::Prefix(_, a)
            | Expression::As(a, _)
            | Expression::Approximate(a, _)
            | Expression::Unordered(a) => with(a),
            Expression::Infix(_, a, b)
            | Expression::Else(a, b)
            | Expression::Element(a, b)
            | Expression::At(a, b) => {
                with(a);
                with(b);
            }
            Expression::If(a, b, c) | Expression::Slice(a, b, c) => {
                with(a);
                with(b);
                with(c);
            }
            Expression::Memory(memory) => {
                memory.address.iter().for_each(&mut *with);
                if let Some(size) = &memory.size {
                    with(size);
                }
                if let Some((_, Some(index))) = &memory.field {
                    with(index);
                }
            }
            Expression::Call(_, all) | Expression::Apply(_, all) => all.iter().for_each(with),
            Expression::Index(of, all) => {
                with(of);
                all.iter().for_each(with);
            }
            Expression::Over(binder, _, set, body) => {
                if let Binder::Chain(it) | Binder::Pack(it) = binder {
                    with(it);
                }
                set_expressions(set, with);
                with(body);
            }
        }
    }
}

fn set_expressions(set: &Set, with: &mut dyn FnMut(&Expression)) {
    match set {
        Set::Range(first, last) => {
            with(first);
            with(last);
        }
        Set::Lanes(mask) => with(mask),
        Set::Named(_) => {}
    }
}
