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
            next: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":33,"endLine":15,"id":1,"line":15,"name":"made","source":{"name":"made.ptx","path":"/k/made.ptx"}},{"column":9,"id":2,"line":8,"name":"made.py:8","presentationHint":"subtle","source":{"name":"made.py","path":"/k/src/made.py"}}],"totalFrames":2}
            next: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":27,"endLine":19,"id":1,"line":19,"name":"made","source":{"name":"made.ptx","path":"/k/made.ptx"}},{"column":3,"id":2,"line":40,"name":"math.h:40","presentationHint":"subtle","source":{"name":"math.h","path":"/opt/lib/math.h"}},{"column":5,"id":3,"line":9,"name":"made.py:9","presentationHint":"subtle","source":{"name":"made.py","path":"/k/src/made.py"}}],"totalFrames":3}
            stackTrace: {"stackFrames":[{"column":3,"id":2,"line":40,"name":"math.h:40","presentationHint":"subtle","source":{"name":"math.h","path":"/opt/lib/math.h"}}],"totalFrames":3}
            scopes: {"scopes":[{"expensive":false,"name":"Registers","namedVariables":4,"presentationHint":"registers","variablesReference":4},{"expensive":false,"name":"Special","variablesReference":5},{"expensive":false,"name":"Parameters","variablesReference":6},{"expensive":false,"name":"Shared","variablesReference":7},{"expensive":false,"name":"Global","namedVariables":1,"variablesReference":8},{"expensive":false,"name":"Barriers","variablesReference":9}]}
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
            evaluate: {"indexedVariables":32,"result":"0","type":"u32","variablesReference":4}
            evaluate: {"indexedVariables":32,"result":"1.5","type":"f32","variablesReference":5}
            evaluate: {"result":"1","type":"","variablesReference":0}
            evaluate: {"indexedVariables":32,"result":"1069547520","type":"b32","variablesReference":6}
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
            continue: {"allThreadsContinued":true}
            event stopped {"reason":"exception","text":"the next instruction makes NaN in lanes 0-31, and none of its operands is NaN there","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":30,"endLine":20,"id":1,"line":20,"name":"made","source":{"name":"made.ptx","path":"/k/made.ptx"}},{"column":3,"id":2,"line":40,"name":"math.h:40","presentationHint":"subtle","source":{"name":"math.h","path":"/opt/lib/math.h"}},{"column":5,"id":3,"line":9,"name":"made.py:9","presentationHint":"subtle","source":{"name":"made.py","path":"/k/src/made.py"}}],"totalFrames":3}
            exceptionInfo: {"breakMode":"always","details":{"message":"the next instruction makes NaN in lanes 0-31, and none of its operands is NaN there","typeName":"nan"},"exceptionId":"nan"}
            continue: {"allThreadsContinued":true}
            event stopped {"reason":"exception","text":"the next instruction makes NaN in lanes 0-31, and none of its operands is NaN there","threadId":33}
            exceptionInfo: {"breakMode":"always","details":{"message":"the next instruction makes NaN in lanes 0-31, and none of its operands is NaN there","typeName":"nan"},"exceptionId":"nan"}
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
            ptx/continueToBarrier: {"allThreadsContinued":true}
            event stopped {"reason":"step","threadId":1}
            stackTrace: {"stackFrames":[{"column":5,"endColumn":16,"endLine":22,"id":1,"line":22,"name":"made","source":{"name":"made.ptx","path":"/k/made.ptx"}},{"column":5,"id":2,"line":10,"name":"made.py:10","presentationHint":"subtle","source":{"name":"made.py","path":"/k/src/made.py"}}],"totalFrames":2}
            ptx/continueToBarrier fails: there is no thread 99
            ptx/continueToBarrier: {"allThreadsContinued":true}
            event output {"category":"console","output":"21 instructions of warps\n"}
            event exited {"exitCode":0}
            event terminated {}
        "#]],
    );
}
