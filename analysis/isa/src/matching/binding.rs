//! The operands of a statement that fits, by the names that the head of its variant gives them.

use std::borrow::Cow;

pub use super::operand_path::{OperandPath, PairPart};
use super::{
    kinds::accepts,
    matcher::{Fit, Statement},
};
use crate::{
    operands::operand::Operand,
    tables::{condition::Choices, kind::Kind},
};

/// An operand of a statement with what the head of its variant says of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The name in the head, see [`crate::table::OperandPattern::name`].
    pub name: &'static str,
    /// Where it is.
    pub path: OperandPath,
    /// Whether the instruction writes it.
    pub written: bool,
    /// The word of the type that it has there, or that its elements have; `None` for addresses, names, and where
    /// the table lists register classes only.
    pub ty: Option<Cow<'static, str>>,
    /// Whether a register may be wider than the type.
    pub loose: bool,
    /// The word of the state space in which it is an address, empty for a generic one; `None` for anything else.
    pub space: Option<&'static str>,
}

impl Fit<'_> {
    /// The operands of the statement that fits, in the order of the head. Those that are not there, and those that
    /// ptxas ignores beside `d|_`, are left out.
    #[must_use]
    pub fn bind(&self, statement: &Statement<'_>) -> Vec<Binding> {
        let mut bindings = Vec::with_capacity(statement.operands.len());
        self.for_each_operand(statement, &mut |it, choices| {
            let (ty, loose) = one_of(it.kinds, Some(it.operand), choices).unzip();
            bindings.push(Binding {
                name: it.name,
                path: it.path,
                written: it.written,
                ty,
                loose: loose.unwrap_or_default(),
                space: it.kinds.iter().find_map(|kind| space(kind, choices)),
            });
        });
        bindings
    }
}

fn space(kind: &Kind, choices: &Choices<'_>) -> Option<&'static str> {
    match kind {
        Kind::Address(space, _) => Some(space.word(choices)),
        Kind::When(inner, condition) => {
            let holds = condition.holds(choices);
            holds.then(|| space(inner, choices)).flatten()
        }
        Kind::Except(inner, _) => space(inner, choices),
        Kind::Bare(kinds) => kinds.iter().find_map(|it| space(it, choices)),
        _ => None,
    }
}

/// A type word, and whether registers may be wider.
type Typed = (Cow<'static, str>, bool);

/// The type of the first kind that has one and accepts the operand. A constant or name may be of a kind without a
/// type, and then has that of the other kinds.
fn one_of(kinds: &[Kind], operand: Option<&Operand>, choices: &Choices<'_>) -> Option<Typed> {
    let taking = kinds
        .iter()
        .filter(|kind| operand.is_some_and(|it| accepts(kind, it, choices)));
    let found = taking
        .clone()
        .find_map(|kind| typed(kind, operand, choices));
    found.or_else(|| {
        let register = matches!(
            operand,
            Some(Operand::Register { .. } | Operand::Vector(_) | Operand::Address(..))
        );
        // Elements of vectors need not be of one of the kinds on their own.
        match register && taking.count() > 0 {
            true => None,
            false => kinds.iter().find_map(|kind| typed(kind, operand, choices)),
        }
    })
}

fn typed(kind: &Kind, operand: Option<&Operand>, choices: &Choices<'_>) -> Option<Typed> {
    match kind {
        Kind::Register(ty) | Kind::Source(ty) | Kind::Constant(ty) | Kind::Special(ty) => {
            Some((ty.word(choices)?, false))
        }
        Kind::Loose(ty) | Kind::LooseSpecial(ty) => Some((ty.word(choices)?, true)),
        Kind::Predicate { .. } => Some(("pred".into(), false)),
        Kind::When(inner, condition) => {
            let holds = condition.holds(choices);
            holds.then(|| typed(inner, operand, choices)).flatten()
        }
        Kind::Minus(inner) | Kind::Selected(inner, _) => {
            let operand = match operand {
                Some(Operand::Minus(inner) | Operand::Selected(inner, _)) => Some(&**inner),
                other => other,
            };
            typed(inner, operand, choices)
        }
        Kind::Except(inner, _) => typed(inner, operand, choices),
        Kind::Vector(vector) => {
            let element = match operand {
                Some(Operand::Vector(elements)) => {
                    elements.iter().find(|it| !matches!(it, Operand::Sink))
                }
                _ => None,
            };
            one_of(&vector.element, element, choices)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::{
        matching::matcher::fit,
        operands::{
            operand::{FloatForm, Space, Symbol},
            types::Class,
        },
        tables,
        target::{Module, Target, Version},
    };

    /// An operand whose registers are written as their types.
    fn operand(text: &str) -> Operand {
        let text = text.trim();
        let list = |text: &str| split(text).map(operand).collect::<Vec<_>>();
        if let Some((first, second)) = text.split_once('|') {
            return Operand::Pair(operand(first).into(), operand(second).into());
        }
        if let Some(inner) = text.strip_prefix('[') {
            return Operand::Address(list(inner.strip_suffix(']').unwrap()), None);
        }
        if let Some(inner) = text.strip_prefix('{') {
            return Operand::Vector(list(inner.strip_suffix('}').unwrap()));
        }
        if let Some(inner) = text.strip_prefix('!') {
            return Operand::Not(operand(inner).into());
        }
        if let Some((base, offset)) = text.split_once('+') {
            return Operand::Offset(operand(base).into(), offset.parse().unwrap());
        }
        if let Ok(value) = text.parse() {
            return Operand::Integer(value);
        }
        if let Ok(value) = text.parse() {
            return Operand::Float(FloatForm::Decimal, value);
        }
        if let Some((base, selector)) = text.split_once('.') {
            return Operand::Selected(operand(base).into(), selector.into());
        }
        let variable = |space| Operand::Symbol(Symbol::Variable(space, Some(Class::B32)));
        match text {
            "_" => Operand::Sink,
            "?" => Operand::Unknown,
            "shared" => variable(Space::Shared),
            "global" => variable(Space::Global),
            "texref" => Operand::Symbol(Symbol::TextureReference),
            "label" => Operand::Symbol(Symbol::Label),
            "%clock64" => Operand::Special {
                class: Class::B64,
                lanes: 1,
                component: false,
                narrow: false,
            },
            class => Operand::Register {
                class: Class::from_word(class).unwrap(),
                lanes: 1,
            },
        }
    }

    /// Splits at commas outside brackets and braces.
    fn split(text: &str) -> impl Iterator<Item = &str> {
        let mut depth = 0;
        let mut parts = text.split(move |it| {
            match it {
                '[' | '{' => depth += 1,
                ']' | '}' => depth -= 1,
                _ => {}
            }
            it == ',' && depth == 0
        });
        let mut first = parts.next().filter(|it| !it.trim().is_empty());
        std::iter::from_fn(move || first.take().or_else(|| parts.next()))
    }

    #[track_caller]
    fn check(statements: &str, expect: Expect) {
        let mut out = String::new();
        for line in statements
            .lines()
            .map(str::trim)
            .filter(|it| !it.is_empty())
        {
            let (head, operands) = line.split_once(' ').unwrap_or((line, ""));
            let mut words = head.split('.');
            let opcode = words.next().unwrap();
            let words: Vec<&str> = words.collect();
            let operands: Vec<Operand> = split(operands).map(operand).collect();
            let statement = Statement {
                opcode,
                words: &words,
                operands: &operands,
                module: Module::new(Version::new(9, 3), Target::parse("sm_100a").unwrap()),
            };
            let _ = writeln!(out, "{line}");
            let Some(fit) = fit(tables(), &statement) else {
                let _ = writeln!(out, "  does not fit");
                continue;
            };
            for it in fit.bind(&statement) {
                let path = it.path;
                assert!(path.get(&operands).is_some(), "{line}: {path:?}");
                let _ = write!(out, "  {} {}", it.name, path.operand);
                if let Some(element) = path.element {
                    let _ = write!(out, "[{element}]");
                }
                match path.part {
                    Some(PairPart::First) => out += "<",
                    Some(PairPart::Second) => out += ">",
                    None => {}
                }
                let ty = it.ty.as_deref().unwrap_or("-");
                let loose = if it.loose { " or wider" } else { "" };
                let written = if it.written { " written" } else { "" };
                let _ = writeln!(out, " {ty}{loose}{written}");
            }
        }
        expect.assert_eq(&out);
    }

    #[test]
    fn arithmetic() {
        check(
            "mad.lo.s32 s32, s32, 5, b32
            mul.wide.u16 u32, u16, 3
            mul.wide.u32 u64, u32, u32
            add.f32 f32, f32, 1.5
            setp.lt.s32 pred, s32, 0
            setp.lt.and.s32 pred|pred, s32, s32, !pred
            setp.lt.s32 pred|_, s32, s32
            add.s32 s32|_, s32, s32
            vadd.s32.u32.s32 u32.b0, u32.h1, 7, s32
            vadd4.u32.u32.u32 u32.b10, u32, u32.b7654, u32
            cvt.u16.s32 u32, s32
            cvt.rn.f16.f32 b16, f32
            mov.b64 b64, {u32, s32}
            mov.b64 {u32, _}, b64
            mov.u64 u64, global
            mov.u64 u64, %clock64
            selp.f32 f32, f32, ?, pred
            fma.rn.f32 f32, f32, f32+4, f32
            lop3.or.b32 b32|pred, b32, b32, b32, 5, pred",
            expect![[r#"
                mad.lo.s32 s32, s32, 5, b32
                  d 0 s32 written
                  a 1 s32
                  b 2 s32
                  c 3 s32
                mul.wide.u16 u32, u16, 3
                  d 0 u32 written
                  a 1 u16
                  b 2 u16
                mul.wide.u32 u64, u32, u32
                  d 0 u64 written
                  a 1 u32
                  b 2 u32
                add.f32 f32, f32, 1.5
                  d 0 f32 written
                  a 1 f32
                  b 2 f32
                setp.lt.s32 pred, s32, 0
                  p 0 pred written
                  a 1 s32
                  b 2 s32
                setp.lt.and.s32 pred|pred, s32, s32, !pred
                  p 0< pred written
                  q 0> pred written
                  a 1 s32
                  b 2 s32
                  c 3 pred
                setp.lt.s32 pred|_, s32, s32
                  p 0< pred written
                  q 0> pred written
                  a 1 s32
                  b 2 s32
                add.s32 s32|_, s32, s32
                  d 0< s32 written
                  a 1 s32
                  b 2 s32
                vadd.s32.u32.s32 u32.b0, u32.h1, 7, s32
                  dsel 0 s32 written
                  a 1 u32
                  b 2 s32
                  c 3 s32
                vadd4.u32.u32.u32 u32.b10, u32, u32.b7654, u32
                  d 0 u32 written
                  a 1 u32
                  b 2 u32
                  c 3 u32
                cvt.u16.s32 u32, s32
                  d 0 u16 or wider written
                  a 1 s32 or wider
                cvt.rn.f16.f32 b16, f32
                  d 0 f16 or wider written
                  a 1 f32 or wider
                mov.b64 b64, {u32, s32}
                  d 0 b64 written
                  a 1 b32
                mov.b64 {u32, _}, b64
                  d 0 b32 written
                  a 1 b64
                mov.u64 u64, global
                  d 0 u64 written
                  a 1 u64
                mov.u64 u64, %clock64
                  d 0 u64 written
                  a 1 u64
                selp.f32 f32, f32, ?, pred
                  d 0 f32 written
                  a 1 f32
                  b 2 f32
                  c 3 pred
                fma.rn.f32 f32, f32, f32+4, f32
                  d 0 f32 written
                  a 1 f32
                  b 2 f32
                  c 3 f32
                lop3.or.b32 b32|pred, b32, b32, b32, 5, pred
                  d 0< b32 written
                  p 0> pred written
                  a 1 b32
                  b 2 b32
                  c 3 b32
                  immLut 4 -
                  q 5 pred
            "#]],
        );
    }

    #[test]
    fn memory() {
        check(
            "ld.global.v4.f32 {f32, f32, _, f32}, [u64+16]
            ld.global.u8 u32, [global+4]
            ld.global.v2.u8 {u16, u16}, [u64]
            st.shared.u8 [shared], u64
            st.shared.v2.f32 [u32], {1.5, 2.5}
            atom.global.cas.b32 b32, [u64], 5, b32
            atom.global.add.f32 _, [u64], f32
            red.global.add.u64 [u64], 1
            cp.async.ca.shared.global [u32], [u64], 16
            cp.async.ca.shared.global [u32], [u64], 16, u32
            cp.async.ca.shared.global [u32], [u64], 16, pred
            cp.async.ca.shared.global.L2::cache_hint [u32], [u64], 16, 8, b64
            cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [u32], [u64, {s32, s32}], [u32]
            mbarrier.try_wait.shared.b64 pred, [u64], b64
            mbarrier.try_wait.parity.shared.b64 pred, [u32], 0, 100
            tex.1d.v4.f32.s32 {f32, f32, f32, f32}, [texref, {s32}]
            tex.2d.v4.f32.f32 {f32, f32, f32, f32}|pred, [u64, {f32, f32}]",
            expect![[r#"
                ld.global.v4.f32 {f32, f32, _, f32}, [u64+16]
                  d 0 f32 or wider written
                  a 1[0] -
                ld.global.u8 u32, [global+4]
                  d 0 u8 or wider written
                  a 1[0] -
                ld.global.v2.u8 {u16, u16}, [u64]
                  d 0 u8 or wider written
                  a 1[0] -
                st.shared.u8 [shared], u64
                  a 0[0] -
                  b 1 u8 or wider
                st.shared.v2.f32 [u32], {1.5, 2.5}
                  a 0[0] -
                  b 1 f32
                atom.global.cas.b32 b32, [u64], 5, b32
                  d 0 b32 written
                  a 1[0] -
                  b 2 b32
                  c 3 b32
                atom.global.add.f32 _, [u64], f32
                  d 0 f32 written
                  a 1[0] -
                  b 2 f32
                red.global.add.u64 [u64], 1
                  a 0[0] -
                  b 1 u64
                cp.async.ca.shared.global [u32], [u64], 16
                  to 0[0] -
                  from 1[0] -
                  size 2 -
                cp.async.ca.shared.global [u32], [u64], 16, u32
                  to 0[0] -
                  from 1[0] -
                  size 2 -
                  source_size 3 -
                cp.async.ca.shared.global [u32], [u64], 16, pred
                  to 0[0] -
                  from 1[0] -
                  size 2 -
                  ignore_source 3 pred
                cp.async.ca.shared.global.L2::cache_hint [u32], [u64], 16, 8, b64
                  to 0[0] -
                  from 1[0] -
                  size 2 -
                  source_size 3 -
                  policy 4 -
                cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [u32], [u64, {s32, s32}], [u32]
                  to 0[0] -
                  map 1[0] -
                  coordinates 1[1] -
                  barrier 2[0] -
                mbarrier.try_wait.shared.b64 pred, [u64], b64
                  done 0 pred written
                  addr 1[0] -
                  state 2 -
                mbarrier.try_wait.parity.shared.b64 pred, [u32], 0, 100
                  done 0 pred written
                  addr 1[0] -
                  phase_parity 2 -
                  timeHint 3 -
                tex.1d.v4.f32.s32 {f32, f32, f32, f32}, [texref, {s32}]
                  d 0 f32 written
                  a 1[0] -
                  c 1[1] s32
                tex.2d.v4.f32.f32 {f32, f32, f32, f32}|pred, [u64, {f32, f32}]
                  d 0< f32 written
                  p 0> pred written
                  a 1[0] -
                  c 1[1] f32
            "#]],
        );
    }

    #[test]
    fn matrices_and_control() {
        check(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f32, f32, f32, f32}, {b32, b32, b32, b32}, {b32, b32}, {f32, f32, f32, f32}
            mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {b32, b32}, {b32, b32}, {b32}, {b32, b32}
            tcgen05.ld.sync.aligned.32x32b.x2.b32 {b32, b32}, [b32]
            ldmatrix.sync.aligned.m8n8.x2.shared.b16 {b32, b32}, [u32]
            shfl.sync.down.b32 b32|pred, b32, 1, 31, -1
            vote.sync.ballot.b32 b32, pred, -1
            bar.sync 0, 64
            bar.red.popc.u32 u32, 0, pred
            bra label
            nanosleep.u32 20",
            expect![[r#"
                mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f32, f32, f32, f32}, {b32, b32, b32, b32}, {b32, b32}, {f32, f32, f32, f32}
                  d 0 - written
                  a 1 -
                  b 2 -
                  c 3 -
                mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {b32, b32}, {b32, b32}, {b32}, {b32, b32}
                  d 0 - written
                  a 1 -
                  b 2 -
                  c 3 -
                tcgen05.ld.sync.aligned.32x32b.x2.b32 {b32, b32}, [b32]
                  r 0 - written
                  taddr 1[0] -
                ldmatrix.sync.aligned.m8n8.x2.shared.b16 {b32, b32}, [u32]
                  r 0 - written
                  p 1[0] -
                shfl.sync.down.b32 b32|pred, b32, 1, 31, -1
                  d 0< b32 written
                  p 0> pred written
                  a 1 b32
                  b 2 b32
                  c 3 b32
                  membermask 4 -
                vote.sync.ballot.b32 b32, pred, -1
                  d 0 b32 written
                  a 1 pred
                  membermask 2 -
                bar.sync 0, 64
                  a 0 -
                  b 1 -
                bar.red.popc.u32 u32, 0, pred
                  d 0 u32 written
                  a 1 -
                  c 2 pred
                bra label
                  target 0 - written
                nanosleep.u32 20
                  t 0 -
            "#]],
        );
    }
}
