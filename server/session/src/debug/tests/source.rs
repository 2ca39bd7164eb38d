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

/// A quarter of the lanes writes with conflicts, and the others continue.
pub(super) const LANES: &str = "\
.version 8.5
.target sm_90
.address_size 64
// run: block=[32]
.visible .entry lanes()
{
    .reg .u32 %t, %a;
    .reg .pred %p;
    .shared .align 4 .b32 tile[128];
    mov.u32 %t, %tid.x;
    setp.lt.u32 %p, %t, 4;
    mov.u32 %a, tile;
    mad.lo.u32 %a, %t, 128, %a;
    @%p st.shared.u32 [%a], %t;
    @%p bra $end;
    add.u32 %t, %t, 1;
$end:
    ret;
}
";

/// Rows of matrices at addresses that cannot be increased.
pub(super) const LAST: &str = "\
.version 8.5
.target sm_90
.address_size 64
// run: block=[32]
.visible .entry last()
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    mov.b64 %rd1, -1;
    ldmatrix.sync.aligned.m8n8.x1.b16 {%r1}, [%rd1];
    ret;
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
fn lanes_are_next_to_each_other() {
    check(
        r#"
            -initialize {}
            -launch {"program": "/k/lanes.ptx", "stopOnEntry": true}
            -setBreakpoints {"source": {"path": "/k/lanes.ptx"}, "breakpoints": [{"line": 14}, {"line": 16}]}
            -configurationDone {}
            -continue {"threadId": 1}
            ptx/lanes {}
            continue {"threadId": 1}
            ptx/lanes {"expressions": ["%a", "f32(%a)", "%b", "%a +"], "format": {"hex": true}}
        "#,
        expect![[r#"
            ptx/lanes: {"access":{"banks":[0,0,0,0,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null],"bytes":4,"summary":"4-way bank conflict: lanes 0-3 on bank 0","ways":4,"writes":true},"columns":[{"name":"%p","type":"pred","values":["true","true","true","true","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false","false"]},{"name":"%a","type":"u32","values":["1024","1152","1280","1408","1536","1664","1792","1920","2048","2176","2304","2432","2560","2688","2816","2944","3072","3200","3328","3456","3584","3712","3840","3968","4096","4224","4352","4480","4608","4736","4864","4992"]},{"name":"%t","type":"u32","values":["0","1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17","18","19","20","21","22","23","24","25","26","27","28","29","30","31"]}],"focus":0,"lanes":[{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14},{"isHere":true,"line":14}]}
            continue: {"allThreadsContinued":true}
            event stopped {"hitBreakpointIds":[2],"reason":"breakpoint","threadId":5}
            ptx/lanes: {"access":null,"columns":[{"name":"%a","type":"u32","values":["0x400","0x480","0x500","0x580","0x600","0x680","0x700","0x780","0x800","0x880","0x900","0x980","0xa00","0xa80","0xb00","0xb80","0xc00","0xc80","0xd00","0xd80","0xe00","0xe80","0xf00","0xf80","0x1000","0x1080","0x1100","0x1180","0x1200","0x1280","0x1300","0x1380"]},{"name":"f32(%a)","type":"f32","values":["0x00000400","0x00000480","0x00000500","0x00000580","0x00000600","0x00000680","0x00000700","0x00000780","0x00000800","0x00000880","0x00000900","0x00000980","0x00000a00","0x00000a80","0x00000b00","0x00000b80","0x00000c00","0x00000c80","0x00000d00","0x00000d80","0x00000e00","0x00000e80","0x00000f00","0x00000f80","0x00001000","0x00001080","0x00001100","0x00001180","0x00001200","0x00001280","0x00001300","0x00001380"]},{"name":"%t","type":"u32","values":["0x0","0x1","0x2","0x3","0x4","0x5","0x6","0x7","0x8","0x9","0xa","0xb","0xc","0xd","0xe","0xf","0x10","0x11","0x12","0x13","0x14","0x15","0x16","0x17","0x18","0x19","0x1a","0x1b","0x1c","0x1d","0x1e","0x1f"]}],"focus":4,"lanes":[{"isHere":false,"line":18},{"isHere":false,"line":18},{"isHere":false,"line":18},{"isHere":false,"line":18},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16},{"isHere":true,"line":16}]}
        "#]],
    );
}

/// The next instruction reads rows of a matrix at the last addresses that there are.
#[test]
fn lanes_at_any_address() {
    check(
        r#"
            -initialize {}
            -launch {"program": "/k/last.ptx", "stopOnEntry": true}
            -configurationDone {}
            -next {"threadId": 1}
            ptx/lanes {}
            -next {"threadId": 1}
            ptx/lanes {}
        "#,
        expect![[r#"
            ptx/lanes: {"access":null,"columns":[{"name":"%r1","type":"b32","values":["undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined"]},{"name":"%rd1","type":"b64","values":["18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615"]}],"focus":0,"lanes":[{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10}]}
            ptx/lanes: {"access":null,"columns":[{"name":"%r1","type":"b32","values":["undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined","undefined"]},{"name":"%rd1","type":"b64","values":["18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615","18446744073709551615"]}],"focus":0,"lanes":[{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10},{"isHere":true,"line":10}]}
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
