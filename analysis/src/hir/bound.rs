//! The operands of an instruction, with what each is bound to: the form says what they are, the references of the body
//! say which names they have.
//!
//! Nothing of this is kept but the constants that are added to names, which a form leaves out.

use std::slice;

use isa::{
    operand::{FloatForm, Operand},
    types::Class,
};
use salsa::Database;
use syntax::Cursor;

use crate::constant::{Value, evaluate};

use super::{
    body::{Body, Instruction, Reference, Target, body},
    form::{Form, FormContents, is_right},
    forms::{Forms, forms},
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
    Float(FloatForm, f64),
    /// A name plus a constant.
    Sum(&'a Reference, i64),
    /// An element of a variable, by its index.
    Element(&'a Reference, i128),
    /// `[…]`
    Address(Elements<'a>),
    /// `{…}`
    Vector(Elements<'a>),
    /// `(…)`
    Arguments(Elements<'a>),
    /// `a|b`
    Pair(BoundOperand<'a>, BoundOperand<'a>),
    /// `_`
    Sink,
    /// `!a`
    Not(BoundOperand<'a>),
    /// `-a`, where `a` is not a constant.
    Minus(BoundOperand<'a>),
    /// `a.b0`: a selector of a scalar register, without the period.
    Selected(BoundOperand<'a>, &'a str),
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
            Operand::Float(form, it) => Bound::Float(*form, *it),
            Operand::Offset(..) => match (self.name(), self.offsets) {
                (Some(name), [offset, ..]) => Bound::Sum(name, *offset),
                _ => Bound::Other,
            },
            Operand::Element(_, index) => match self.name() {
                Some(name) => Bound::Element(name, *index),
                None => Bound::Other,
            },
            Operand::Address(items, _) => Bound::Address(elements(items)),
            Operand::Vector(items) => Bound::Vector(elements(items)),
            Operand::Arguments(items) => Bound::Arguments(elements(items)),
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
            Operand::Selected(it, selector) => Bound::Selected(inner(it), selector),
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

    /// The type of the register or special register that it is, or a part of.
    pub(crate) fn class(&self) -> Option<Class> {
        let mut operand = self.operand;
        loop {
            operand = match operand {
                Operand::Register { class, .. } | Operand::Special { class, .. } => {
                    return Some(*class);
                }
                Operand::Offset(inner, _)
                | Operand::Not(inner)
                | Operand::Minus(inner)
                | Operand::Selected(inner, _) => inner,
                _ => return None,
            };
        }
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
            Bound::Selected(inner, _) => inner.special(),
            _ => None,
        }
    }

    /// The component of the vector that it names.
    pub(crate) fn component(&self) -> Option<char> {
        match self.bound() {
            Bound::Name(_, component) => component,
            _ => None,
        }
    }

    /// Whether another operand is the same but for the registers and variables in it.
    pub(crate) fn is_alike(&self, other: &BoundOperand<'_>) -> bool {
        match (self.bound(), other.bound()) {
            (Bound::Integer(one), Bound::Integer(other)) => one == other,
            (Bound::Float(form, one), Bound::Float(other_form, other)) => {
                form == other_form && one.to_bits() == other.to_bits()
            }
            (Bound::Name(_, one), Bound::Name(_, component)) => {
                one == component
                    && self.special() == other.special()
                    && self.is_register() == other.is_register()
            }
            (Bound::Sum(_, one), Bound::Sum(_, other)) => one == other,
            (Bound::Element(_, one), Bound::Element(_, other)) => one == other,
            (Bound::Selected(one, first), Bound::Selected(other, second)) => {
                first == second && one.is_alike(&other)
            }
            (Bound::Not(one), Bound::Not(other)) | (Bound::Minus(one), Bound::Minus(other)) => {
                one.is_alike(&other)
            }
            (Bound::Pair(a, b), Bound::Pair(c, d)) => a.is_alike(&c) && b.is_alike(&d),
            (Bound::Address(one), Bound::Address(other))
            | (Bound::Vector(one), Bound::Vector(other))
            | (Bound::Arguments(one), Bound::Arguments(other)) => {
                one.len() == other.len() && one.zip(other).all(|it| it.0.is_alike(&it.1))
            }
            (Bound::Sink, Bound::Sink) | (Bound::Other, Bound::Other) => true,
            _ => false,
        }
    }

    /// Whether it is a register that is declared.
    pub(crate) fn is_register(&self) -> bool {
        matches!(self.operand, Operand::Register { .. })
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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::fixture::{Fixture, HEADER};

    fn draw(body: &Body, operand: &BoundOperand<'_>, out: &mut String) {
        let name = |it: &Reference| match it.target {
            Target::Definition(id) => {
                let name = &body.definition(id).name;
                let member = it.member.filter(|_| body.definition(id).count.is_some());
                member.map_or_else(|| name.to_string(), |member| format!("{name}{member}"))
            }
            Target::Free(id) => format!("?{}", body.free[id as usize]),
            Target::Special(id) => isa::special::get(id).unwrap().name.to_owned(),
            Target::WarpSize | Target::Section(_) => unreachable!(),
        };
        let all = |elements: Elements<'_>, out: &mut String| {
            for (index, it) in elements.enumerate() {
                *out += if index > 0 { ", " } else { "" };
                draw(body, &it, out);
            }
        };
        match operand.bound() {
            Bound::Name(it, None) => *out += &name(it),
            Bound::Name(it, Some(component)) => {
                let _ = write!(out, "{} component {component}", name(it));
            }
            Bound::Integer(it) => {
                let _ = write!(out, "{it}");
            }
            Bound::Float(_, it) => {
                let _ = write!(out, "{it:?}");
            }
            Bound::Sum(it, offset) => {
                let _ = write!(out, "{} plus {offset}", name(it));
            }
            Bound::Element(it, index) => {
                let _ = write!(out, "{} at {index}", name(it));
            }
            Bound::Address(elements) => {
                *out += "[";
                all(elements, out);
                *out += "]";
            }
            Bound::Vector(elements) => {
                *out += "{";
                all(elements, out);
                *out += "}";
            }
            Bound::Arguments(elements) => {
                *out += "(";
                all(elements, out);
                *out += ")";
            }
            Bound::Pair(first, second) => {
                draw(body, &first, out);
                *out += "|";
                draw(body, &second, out);
            }
            Bound::Sink => *out += "_",
            Bound::Not(inner) => {
                *out += "not ";
                draw(body, &inner, out);
            }
            Bound::Minus(inner) => {
                *out += "minus ";
                draw(body, &inner, out);
            }
            Bound::Selected(inner, selector) => {
                draw(body, &inner, out);
                let _ = write!(out, " part {selector}");
            }
            Bound::Other => {
                let names: Vec<String> = operand.references.iter().map(name).collect();
                let _ = write!(out, "other of {names:?}");
            }
        }
    }

    /// Draws the operands of the instructions of a kernel.
    #[track_caller]
    fn check(statements: &str, expect: Expect) {
        let text = format!(
            "{HEADER}.global .align 8 .b8 table[64];
            .extern .func (.param .b32 r) f (.param .b32 a);
            .entry k(.param .u64 p) {{
            .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p<4>; .reg .v4 .f32 %v; .reg .f32 %f<9>;
            .param .b32 x;
            {statements}
            L: ret; }}"
        );
        let fixture = Fixture::new(&text);
        let drawn = fixture.host.analysis().with(|db| {
            let file = crate::db::Workspace::get(db).files(db)[0];
            let function = *crate::hir::items::items(db, file).functions.last().unwrap();
            let body = body(db, function);
            let operands = Operands::of(db, function);
            let mut out = String::new();
            for step in 0..body.instructions.len() as u32 - 1 {
                let it = operands.get(step).unwrap();
                if let Some(guard) = it.guard() {
                    let not = if it.is_negated() { "!" } else { "" };
                    let _ = write!(out, "@{not}{} ", guard.member.unwrap());
                }
                out += &it.form.opcode;
                for operand in it.operands() {
                    out += "; ";
                    draw(body, &operand, &mut out);
                }
                out += "\n";
            }
            out
        });
        expect.assert_eq(&drawn.unwrap());
    }

    #[test]
    fn names_and_constants() {
        check(
            "add.u32 %r1, %r2, 4;
            add.u32 %r3, %r4, 4;
            @%p1 bra L;
            @!%p2 bra L;
            mov.u32 %r1, %tid.x;
            mov.u32 %r1, %tid.y;
            mov.u32 %r1, %laneid;
            mov.u32 %r1, WARP_SZ;
            mov.u32 %r1, WARP_SZ + 1;
            mov.f32 %f1, 0f3F800000;
            mov.f32 %f1, %v.y;
            mov.u64 %d1, table;
            mov.u64 %d1, table+8;
            setp.lt.and.s32 %p1|%p2, %r1, -1, !%p3;
            vadd.s32.s32.s32 %r1.b0, %r2.h1, %r3, %r4;",
            expect![[r#"
                add; %r1; %r2; 4
                add; %r3; %r4; 4
                @1 bra; L
                @!2 bra; L
                mov; %r1; %tid component x
                mov; %r1; %tid component y
                mov; %r1; %laneid
                mov; %r1; 32
                mov; %r1; 33
                mov; %f1; 1.0
                mov; %f1; %v component y
                mov; %d1; ?table
                mov; %d1; ?table plus 8
                setp; %p1|%p2; %r1; -1; not %p3
                vadd; %r1 part b0; %r2 part h1; %r3; %r4
            "#]],
        );
    }

    #[test]
    fn addresses_and_vectors() {
        check(
            "ld.global.u32 %r1, [%d1];
            ld.global.u32 %r1, [%d2+8];
            ld.global.u32 %r2, [%d2+-8];
            ld.global.u32 %r2, [%d2+(4*4)];
            ld.global.v4.u32 {%r1, _, %r3, %r4}, [table+16];
            ld.param.u64 %d1, [p];
            st.shared.v2.b32 [%r1+4], {%r2, 5};
            mov.b64 %d1, {%r1, %r2};
            tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f5, %f6}];
            call (x), f, (x);
            st.shared.v2.b32 [%r1+12], {%r2, 5};",
            expect![[r#"
                ld; %r1; [%d1]
                ld; %r1; [%d2 plus 8]
                ld; %r2; [%d2 plus -8]
                ld; %r2; [%d2 plus 16]
                ld; {%r1, _, %r3, %r4}; [?table plus 16]
                ld; %d1; [p]
                st; [%r1 plus 4]; {%r2, 5}
                mov; %d1; {%r1, %r2}
                tex; {%f1, %f2, %f3, %f4}; [%d1, {%f5, %f6}]
                call; (x); ?f; (x)
                st; [%r1 plus 12]; {%r2, 5}
            "#]],
        );
    }

    /// Where an operand is wrong, the others keep their names.
    #[test]
    fn wrong_operands() {
        check(
            "add.u32 %r1, %r2*%r3, %r4;
            add.u32 %r1, undeclared, %r4;
            add.u32 %r1, table[%r2], %r4;
            add.u32 %r1, 1/0, %r4;
            @%p1 add.u32 {%r1, %r2*2}, -%r5, %r4+8;",
            expect![[r#"
                add; %r1; other of ["%r2", "%r3"]; %r4
                add; %r1; ?undeclared; %r4
                add; %r1; other of ["?table", "%r2"]; %r4
                add; %r1; other of []; %r4
                @1 add; other of ["%r1", "%r2"]; minus %r5; %r4 plus 8
            "#]],
        );
    }
}
