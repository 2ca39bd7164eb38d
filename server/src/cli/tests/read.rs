//! Readings on the command line.

use expect_test::expect;

use super::check;

const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.file 1 \"/src/add.py\"
.entry add(.param .u64 add_param_0, .param .u32 add_param_1)
{
    .reg .pred %p;
    .reg .b32 %r<6>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [add_param_0];
    ld.param.u32 %r1, [add_param_1];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p, %r2, %r1;
    @%p bra done;
    .loc 1 7 3
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r3, [%rd3];
    add.u32 %r4, %r3, 1;
    st.global.u32 [%rd3], %r4;
done:
    ret;
}
";

#[test]
fn a_reading_as_text() {
    check(
        &["read", "-"],
        KERNEL,
        expect![[r#"
        // For reading: this does not compile. Lines of the PTX are on the left.
        add(param_0, param_1):
        10-14  if tid.x < param_1: param_0[tid.x] = param_0[tid.x] + 1                        // also 16-20  add.py:7
        status 0
    "#]],
    );
}

#[test]
fn a_reading_as_json() {
    check(
        &["read", "--entry", "add", "--format", "json", "-"],
        KERNEL,
        expect![[r#"
            {"function":"add","parameters":["param_0","param_1"],"lines":[{"text":"if tid.x < param_1: param_0[tid.x] = param_0[tid.x] + 1","indent":0,"ptx":[[10,14],[16,20]],"source":{"file":"/src/add.py","line":7}}]}
            status 0
        "#]],
    );
}

#[test]
fn an_unknown_function() {
    check(
        &["read", "--entry", "sub", "-"],
        KERNEL,
        expect![[r#"
        error: there is no function `sub` with a body
        status 2
    "#]],
    );
}
