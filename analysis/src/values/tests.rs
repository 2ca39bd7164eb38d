//! Addresses and numbers of registers in small kernels.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::{
    db::Workspace,
    fixture::{Fixture, HEADER},
    flow::{
        flow,
        ids::{Step, Value, VariableName},
    },
    hir::{body::body, items::items},
};

use super::{Origin, Purpose, Values};

/// The known facts about the registers that the stores of a kernel read, line by line: where an address starts, by how
/// much it differs from there, and the number if that is a constant.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let text = format!(
        "{HEADER}.entry k(.param .u32 n) {{
.reg .b32 %r<20>; .reg .b64 %rd<9>; .reg .pred %p<5>; .shared .align 16 .b8 tile[64];
ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r1, 0;
{text}
ret;
}}
"
    );
    let fixture = Fixture::new(&text);
    let found = fixture.host.analysis().with(|db| {
        let file = Workspace::get(db).files(db)[0];
        let function = items(db, file).functions[0];
        let (body, flow) = (body(db, function), flow(db, function));
        let name = |it: Value| {
            let register = &flow.facts.values[it as usize];
            let number = register.member.unwrap_or_default();
            format!("{}{number}", body.definition(register.definition).name)
        };
        let mut values = Values::of(db, function, flow, Purpose::Addresses);
        let mut out = String::new();
        for step in 0..flow.facts.len() {
            let reads = match flow.facts.writes.get(step) {
                [] if !flow.facts.guarded[step] => flow.facts.reads.get(step),
                _ => &[],
            };
            for read in reads {
                let _ = match values.place(*read, step as Step) {
                    Some((Origin::Symbol(VariableName::Own(it)), by)) => {
                        write!(out, "{}{by:+} ", body.definition(it).name)
                    }
                    Some((Origin::Written(it), by)) => {
                        let writes = flow.facts.writes.get(it as usize);
                        write!(out, "{}{by:+} ", name(writes[0]))
                    }
                    other => write!(out, "{other:?} "),
                };
                if let Some(number) = values.number(*read, step as Step) {
                    let _ = write!(out, "= {number} ");
                }
            }
            if !reads.is_empty() {
                out.truncate(out.trim_end().len());
                out.push('\n');
            }
        }
        out
    });
    expect.assert_eq(&found.unwrap());
}

#[test]
fn addresses_start_where_they_are_computed() {
    check(
        "mov.u32 %r3, tile+8; add.u32 %r4, %r3, 8; st.shared.u32 [%r4], %r3;
        shl.b32 %r5, %r2, 4; add.u32 %r6, %r5, %r3; or.b32 %r7, %r5, 4;
        st.shared.u32 [%r6], %r7;
        mad.lo.u32 %r8, %r2, 16, %r4; sub.u32 %r9, %r8, 24; st.shared.u32 [%r8], %r9;
        cvt.u64.u32 %rd1, %r9; cvta.shared.u64 %rd2, %rd1; st.u32 [%rd2], %r1;",
        expect![[r#"
            tile+16 tile+8
            %r6+0 %r7+0
            %r6+8 %r6-16
            %r6-16 %r1+0
        "#]],
    );
}

#[test]
fn what_is_proven_for_few_numbers_is_no_distance() {
    check(
        "mov.u32 %r3, tile; xor.b32 %r4, %r3, 8; xor.b32 %r5, %r4, 8; st.shared.u32 [%r4], %r5;
        and.b32 %r6, %r3, -1024; add.u32 %r7, %r6, 4; st.shared.u32 [%r6], %r7;",
        expect![[r#"
            %r4+0 %r5+0
            %r6+0 %r6+4
        "#]],
    );
}

#[test]
fn numbers() {
    check(
        "mov.u32 %r3, 5; mad.lo.s32 %r4, %r3, %r3, -1; mul.wide.u32 %rd1, %r4, %r4;
        st.shared.u32 [tile], %r4; st.shared.u64 [tile], %rd1;
        div.u32 %r5, %r3, 0; div.u32 %r6, %r3, %r1; st.shared.v2.u32 [tile], {%r5, %r6};",
        expect![[r#"
            %r4+0 = 24
            %r4+552 = 576
            %r5+0 %r6+0
        "#]],
    );
}

#[test]
fn a_write_that_may_be_left_out_makes_another_value() {
    // Before and after a guarded write in one block.
    check(
        "mov.u32 %r3, tile; @%p1 bra L; add.u32 %r3, %r3, 8;
        L: shl.b32 %r4, %r3, 1; @%p1 mov.u32 %r3, %r1; shl.b32 %r5, %r3, 1;
        st.shared.u32 [%r4], %r5; st.shared.u32 [%r3], %r4;",
        expect![[r#"
            %r4+0 %r5+0
            None %r4+0
        "#]],
    );
}

#[test]
fn values_of_another_turn_differ() {
    check(
        "mov.u32 %r3, tile; mov.u32 %r9, 0;
        L: add.u32 %r4, %r3, %r9; st.shared.u32 [%r4], %r8; mov.u32 %r8, %r4; mov.u32 %r7, 3;
        add.u32 %r9, %r9, 16; setp.lt.u32 %p2, %r9, 64; @%p2 bra L; st.shared.u32 [%r8], %r7;",
        expect![[r#"
            %r4+0 %r8+0
            %r4+0 %r7+0 = 3
        "#]],
    );
    check(
        "L: shl.b32 %r4, %r8, 1; ld.shared.u32 %r8, [tile]; shl.b32 %r5, %r8, 1;
        st.shared.u32 [%r4], %r5; @%p1 bra L;",
        expect![[r#"
            %r4+0 %r5+0
        "#]],
    );
    // A constant is the same in each turn.
    check(
        "L: st.shared.u32 [tile], %r3; mov.u32 %r3, 3; @%p1 bra L;",
        expect![[r#"
            %r3+0 = 3
        "#]],
    );
}

#[test]
fn clocks_are_read_again() {
    check(
        "mov.u32 %r3, %clock; mov.u32 %r4, %clock; mov.u32 %r5, %tid.x;
        st.shared.u32 [%r3], %r4; st.shared.u32 [%r2], %r5;",
        expect![[r#"
            %r3+0 %r4+0
            %r2+0 %r2+0
        "#]],
    );
}
