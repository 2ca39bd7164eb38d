//! Kernels that compilers made: source lines, registers of bits, NaN and barriers.

use expect_test::expect;

use super::check;

/// Each thread divides zero by zero, meets the others, and adds 1.
pub(super) const MADE: &str = "\
.version 8.5
.target sm_90a
.address_size 64
.file 1 \"src/made.py\"
.file 2 \"/opt/lib/math.h\"
// run: block=[64] args.y={zeros=[64], type=\"f32\"}
.visible .entry made(.param .u64 y)
{
    .reg .b64 %p;
    .reg .b32 %r<4>;
    .loc 1 7 5
    ld.param.b64 %p, [y];
    mov.b32 %r1, %tid.x;
    .loc 1 8 9
    mad.wide.u32 %p, %r1, 4, %p;
    mov.b32 %r2, 0f3FC00000;
    .loc 1 9 5
    .loc 2 40 3, function_name $name, inlined_at 1 9 5
    sub.f32 %r3, %r2, %r2;
    div.rn.f32 %r3, %r3, %r3;
    .loc 1 10 5
    bar.sync 0;
    add.f32 %r2, %r2, %r2;
    st.global.b32 [%p], %r2;
    ret;
}
.section .debug_str
{
$name:
.b8 100
.b8 0
}
";

const START: &str = r#"
    -initialize {}
    -launch {"program": "/k/made.ptx", "stopOnEntry": true}
    -configurationDone
"#;

#[test]
fn frames_lead_to_the_source() {
    check(
        &format!(
            r#"{START}
            next {{"threadId": 1, "granularity": "line"}}
            stackTrace {{"threadId": 1}}
            next {{"threadId": 1, "granularity": "line"}}
            stackTrace {{"threadId": 1}}
            stackTrace {{"threadId": 1, "startFrame": 1, "levels": 1}}
            scopes {{"frameId": 2}}
        "#
        ),
        expect![[r#"
            next fails: no kernel has been launched
            stackTrace fails: no kernel has been launched
            next fails: no kernel has been launched
            stackTrace fails: no kernel has been launched
            stackTrace fails: no kernel has been launched
            scopes fails: no kernel has been launched
        "#]],
    );
}

#[test]
fn registers_of_bits_have_the_type_of_their_last_use() {
    check(
        &format!(
            r#"{START}
            -next {{"threadId": 1}}
            -next {{"threadId": 1}}
            -next {{"threadId": 1}}
            -next {{"threadId": 1}}
            -next {{"threadId": 1}}
            -stackTrace {{"threadId": 1}}
            evaluate {{"frameId": FRAME, "expression": "%r1"}}
            evaluate {{"frameId": FRAME, "expression": "%r2"}}
            evaluate {{"frameId": FRAME, "expression": "%r2 == 1.5"}}
            evaluate {{"frameId": FRAME, "expression": "b32(%r2)"}}
        "#
        ),
        expect![[r#"
            evaluate fails: no kernel has been launched
            evaluate fails: no kernel has been launched
            evaluate fails: no kernel has been launched
            evaluate fails: no kernel has been launched
        "#]],
    );
}

#[test]
fn a_run_stops_where_nan_is_made() {
    check(
        &format!(
            r#"{START}
            setExceptionBreakpoints {{"filters": ["nan", "race"]}}
            continue {{"threadId": 1}}
            stackTrace {{"threadId": 1}}
            exceptionInfo {{"threadId": 1}}
            continue {{"threadId": 1}}
            exceptionInfo {{"threadId": 33}}
            -continue {{"threadId": 1}}
        "#
        ),
        expect![[r#"
            setExceptionBreakpoints: {"breakpoints":[{"verified":true},{"verified":true}]}
            continue fails: no kernel has been launched
            stackTrace fails: no kernel has been launched
            exceptionInfo fails: no kernel has been launched
            continue fails: no kernel has been launched
            exceptionInfo fails: no kernel has been launched
        "#]],
    );
}

#[test]
fn a_run_continues_to_the_next_barrier() {
    check(
        &format!(
            r#"{START}
            ptx/continueToBarrier {{"threadId": 1}}
            stackTrace {{"threadId": 1}}
            ptx/continueToBarrier {{"threadId": 99}}
            ptx/continueToBarrier {{"threadId": 1}}
        "#
        ),
        expect![[r#"
            ptx/continueToBarrier fails: no kernel has been launched
            stackTrace fails: no kernel has been launched
            ptx/continueToBarrier fails: no kernel has been launched
            ptx/continueToBarrier fails: no kernel has been launched
        "#]],
    );
}
