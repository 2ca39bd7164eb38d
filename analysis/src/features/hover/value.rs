//! The value of a register at one of its uses: a number, or an expression of parameters and special registers.

use std::fmt::Write as _;

use isa::{compute::KnownBits, types::Class};
use salsa::Database;

use crate::{
    FilePosition,
    db::SourceFile,
    features::navigation::values::RegisterOf,
    flow::ids::Value,
    hir::{bound::Operands, symbol::name_at},
    values::{
        Leaf, Purpose, Values,
        names::{name_of, parameter, register_name},
    },
};

/// A line about the value of the register at a position; `None` if nothing is known of it.
pub(super) fn value(db: &dyn Database, file: SourceFile, at: FilePosition) -> Option<String> {
    let name = name_at(db, file, at.offset)?;
    let it = RegisterOf::of(db, file, &name.symbol)?.value_at(name.range)?;
    let class = it.class()?;
    let (flow, value, step) = it.place();
    let bits = class.bits();
    if bits > 64 {
        return None;
    }
    let function = it.function();
    let mut values = Values::of(db, function, flow, Purpose::Reading);
    let node = match it.is_written() {
        true => values.after(value, step),
        false => values.before(value, step),
    };
    if let Some(constant) = values.graph.as_constant(node) {
        return Some(format!("= `{}`", number(constant, class)));
    }
    let body = it.body();
    let operands = Operands::of(db, function);
    let leaves: Vec<Leaf<'_>> = values.leaves().to_vec();
    // Its own name in the expression would mean an older value, that of the turn of a loop before.
    let register = |it: Value| match it == value {
        true => None,
        false => Some(register_name(body, flow.facts.values.get(it as usize)?)),
    };
    let leaf = |index: u32| match *leaves.get(index as usize)? {
        Leaf::Input(it) | Leaf::Merge(it) | Leaf::Phi(it, _) => register(it),
        Leaf::Name(name) => Some(name_of(body, name)),
        Leaf::Result(step, it) => {
            parameter(&operands, &flow.facts, body, step).or_else(|| register(it))
        }
        Leaf::Unknown => None,
    };
    // Other registers of an expression that is incomplete may have other values by now, too.
    let text = match values.is_incomplete() {
        false => values.graph.text(node, &leaf),
        true => None,
    };
    let known = values.graph.known_bits(node);
    let facts = integer(class).then(|| facts(known, bits)).flatten();
    match (text, facts) {
        (None, None) => None,
        (text, facts) => {
            let mut line = text.map_or_else(String::new, |it| format!("= `{it}`"));
            if let Some(facts) = facts {
                let start = if line.is_empty() {
                    "Known to be "
                } else {
                    ", "
                };
                let _ = write!(line, "{start}{facts}");
            }
            Some(line)
        }
    }
}

/// Whether the bits of a register are shown as an integer.
fn integer(class: Class) -> bool {
    !matches!(
        class,
        Class::F16 | Class::F16x2 | Class::F32 | Class::F64 | Class::Pred
    )
}

/// A number as the type of a register writes it.
fn number(bits: u64, class: Class) -> String {
    match class {
        Class::Pred => (bits != 0).to_string(),
        Class::F32 => format!("{:?}", f32::from_bits(bits as u32)),
        Class::F64 => format!("{:?}", f64::from_bits(bits)),
        _ => {
            let rest = 64 - class.bits().min(64);
            let signed = (bits << rest).cast_signed() >> rest;
            match signed {
                // Untyped bits: -1 is written in small kernels, 0xffffffff in masks; both are read.
                ..0 => format!("{signed} = {bits:#x}"),
                0..=9 => signed.to_string(),
                _ => format!("{bits} = {bits:#x}"),
            }
        }
    }
}

/// The facts that known bits tell: the largest value, and a power of two that divides it.
fn facts(known: KnownBits, bits: u32) -> Option<String> {
    let zeros = known.mask & !known.bits;
    let low = (!zeros).trailing_zeros().min(bits);
    let most = (known.bits | !known.mask) & (u128::MAX >> (128 - bits));
    let high = 128 - most.leading_zeros();
    let mut out = Vec::new();
    if (1..=12).contains(&low) {
        out.push(format!("a multiple of {}", 1u64 << low));
    }
    if high < bits && high <= 16 {
        out.push(format!("at most {most}"));
    }
    (!out.is_empty()).then(|| out.join(", "))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::{Fixture, HEADER};

    /// The line about the value of the register at the cursor, in a kernel with some parameters.
    #[track_caller]
    fn check(body: &str, expect: Expect) {
        let text = format!(
            "{HEADER}.entry k(.param .u64 p, .param .u32 n) {{
.reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .pred %p<9>;
.shared .align 16 .b8 tile[64];
ld.param.u64 %rd1, [p]; ld.param.u32 %r8, [n];
{body}
ret;
}}
"
        );
        let fixture = Fixture::new(&text);
        let (analysis, at) = fixture.cursor();
        let hover = analysis.hover(at).unwrap();
        let markdown = hover.map(|it| it.info.markdown).unwrap_or_default();
        let mut lines = markdown.lines();
        let line = lines.find(|it| it.starts_with("= ") || it.starts_with("Known to be"));
        expect.assert_eq(line.unwrap_or_default());
    }

    #[test]
    fn addresses() {
        check(
            "mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
            mad.lo.s32 %r4, %r1, %r2, %r3;
            mul.wide.s32 %rd2, %r4, 4;
            add.s64 %rd3, %rd1, %rd2;
            st.global.u32 [%rd$03], %r8;",
            expect!["= `p + 4*(ctaid.x*ntid.x + tid.x)`"],
        );
        check(
            "mov.u32 %r1, tile; mov.u32 %r2, %laneid; shl.b32 %r2, %r2, 3;
            add.s32 %r1, %r1, %r2; add.s32 %r1$0, %r1, -8;",
            expect!["= `tile + 8*laneid - 8`"],
        );
    }

    #[test]
    fn addresses_in_state_spaces() {
        check(
            "cvta.to.global.u64 %rd2, %rd1; add.s64 %rd3$0, %rd2, 16;",
            expect!["= `p + 16`"],
        );
        check(
            "mov.u32 %r1, tile; cvta.shared.u32 %r2$0, %r1;",
            expect!["= `tile`"],
        );
    }

    #[test]
    fn numbers() {
        check(
            "mov.u32 %r1, 3; sub.s32 %r2$0, %r1, 8;",
            expect!["= `-5 = 0xfffffffb`"],
        );
        check(
            "mov.f32 %f1, 0f3F000000; mul.f32 %f2$0, %f1, 3.0;",
            expect!["= `1.5`"],
        );
        check(
            "mov.u32 %r1, 7; setp.gt.s32 %p1$0, %r1, 3;",
            expect!["= `true`"],
        );
        check(
            "mov.b32 %r1, 0x01020304; prmt.b32 %r2$0, %r1, 0, 0x0123;",
            expect!["= `67305985 = 0x4030201`"],
        );
    }

    #[test]
    fn choices() {
        check(
            "setp.lt.s32 %p1, %r8, 32; selp.b32 %r1$0, %r8, 32, %p1;",
            expect!["= `n < 32 ? n : 32`"],
        );
        // Which of two writes counts depends on the way; both are multiples of 16.
        check(
            "setp.lt.s32 %p1, %r8, 32; mov.u32 %r1, 16;
            @%p1 bra L; mov.u32 %r1, 48; L: st.shared.u32 [tile], %r1$0;",
            expect!["Known to be a multiple of 16, at most 48"],
        );
    }

    #[test]
    fn nothing_is_said_of() {
        // a load, what a guard may leave, what comes round a loop.
        check("ld.global.u32 %r1$0, [%rd1];", expect![""]);
        check(
            "mov.u32 %r1, 5; setp.lt.s32 %p1, %r8, 3; @%p1 mov.u32 %r1, %r8; st.shared.u32 [tile], %r1$0;",
            expect![""],
        );
        check(
            "mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1$0, %r8; @%p1 bra L;",
            expect![""],
        );
        // Too far away.
        let chain = "add.u32 %r1, %r1, %r8;".repeat(600);
        check(
            &format!("mov.u32 %r1, 0; {chain} st.shared.u32 [tile], %r1$0;"),
            expect![""],
        );
        // Divided by 0.
        check("mov.u32 %r1, 0; div.u32 %r2$0, %r8, %r1;", expect![""]);
    }
}
