//! The preprocessor of C: conditions, and macros that stand for strings.

use rowan::TextRange;

use super::Literal;

/// The question of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Test {
    /// `#if` and `#elif`: the value of an expression.
    Value,
    /// `#ifdef` and `#ifndef`: whether a name is defined.
    Defined,
}

/// A condition under which a place is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Value of an expression, or definition of a name.
    pub test: Test,
    /// The expression or name.
    pub range: TextRange,
    /// Which answer the place needs.
    pub expected: bool,
}

/// A definition of a macro, or its end. In Python the assignment of a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Define {
    /// Range of the name in the text.
    pub name: TextRange,
    /// The literals that it stands for; none if it stands for something else.
    pub literals: Option<Vec<Literal>>,
    /// The text that it stands for; none if the macro has parameters, and of `#undef`.
    pub value: Option<TextRange>,
    /// Whether the name is defined afterwards: false for `#undef`.
    pub defined: bool,
    /// The index of the innermost condition around it; none if there is none.
    pub context: Option<u32>,
}

/// A condition around definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Condition of the code inside.
    pub condition: Condition,
    /// The index of the one around it.
    pub outer: Option<u32>,
}

/// The macros of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Macros {
    /// The definitions by their names, each list in the order of the text.
    pub defines: Vec<Define>,
    /// The conditions around them.
    pub contexts: Vec<Context>,
}

impl Macros {
    /// Brings the definitions into their order.
    pub(super) fn sort(&mut self, text: &str) {
        self.defines.sort_by_key(|it| &text[it.name]);
    }

    /// The definitions of a name in the text that they are about.
    #[must_use]
    pub fn named(&self, text: &str, name: &str) -> &[Define] {
        let of = |it: &Define| text.get(std::ops::Range::<usize>::from(it.name));
        let first = self.defines.partition_point(|it| of(it) < Some(name));
        let found = &self.defines[first..];
        &found[..found.partition_point(|it| of(it) == Some(name))]
    }

    /// The conditions around a definition, innermost first.
    pub fn around(&self, define: &Define) -> impl Iterator<Item = Condition> + '_ {
        let context = |index: u32| self.contexts.get(index as usize);
        std::iter::successors(define.context.and_then(context), move |it| {
            it.outer.and_then(context)
        })
        .map(|it| it.condition)
    }

    /// Adds a condition; its index.
    pub(super) fn enter(&mut self, condition: Condition, outer: Option<u32>) -> Option<u32> {
        self.contexts.push(Context { condition, outer });
        u32::try_from(self.contexts.len() - 1).ok()
    }
}

/// An `#if` that is open.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// The branches before the one here, and that one.
    pub(super) conditions: Vec<Condition>,
    /// The braces that were open before it.
    pub(super) blocks: Vec<u32>,
    /// The index of the innermost condition here, for definitions.
    pub(super) context: Option<u32>,
    /// The index of the one around that.
    outer: Option<u32>,
}

impl Level {
    /// The first branch of an `#if`.
    pub(super) fn new(
        condition: Option<Condition>,
        blocks: Vec<u32>,
        outer: Option<u32>,
        macros: &mut Macros,
    ) -> Level {
        let mut level = Level {
            conditions: Vec::new(),
            blocks,
            context: outer,
            outer,
        };
        level.add(condition, macros);
        level
    }

    fn add(&mut self, condition: Option<Condition>, macros: &mut Macros) {
        if let Some(condition) = condition {
            self.conditions.push(condition);
            self.outer = self.context;
            self.context = macros.enter(condition, self.context);
        }
    }

    /// The branch here ends: what it needed is false in the next one, which has a condition of its own or none.
    pub(super) fn next_branch(&mut self, condition: Option<Condition>, macros: &mut Macros) {
        if let Some(last) = self.conditions.last_mut() {
            last.expected = !last.expected;
            self.context = macros.enter(*last, self.outer);
        }
        self.add(condition, macros);
    }
}
