//! Tests of bound operands.

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
        Bound::Float => {
            if let Operand::Float(_, it) = operand.operand() {
                let _ = write!(out, "{it:?}");
            }
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
            *out += if operand.is_vector() { "{" } else { "(" };
            all(elements, out);
            *out += if operand.is_vector() { "}" } else { ")" };
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
        Bound::Selected(inner) => {
            draw(body, &inner, out);
            if let Operand::Selected(_, selector) = operand.operand() {
                let _ = write!(out, " part {selector}");
            }
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
