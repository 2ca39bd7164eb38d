//! Accesses as hovers tell them.

use expect_test::{Expect, expect};

use crate::fixture::{Fixture, HEADER};

/// The sentence about accesses in the hover at the cursor, in a kernel of blocks of 128 threads.
#[track_caller]
fn check(body: &str, expect: Expect) {
    let text = format!(
        "{HEADER}.entry k(.param .u64 p, .param .u32 n) .reqntid 128 {{
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
.shared .align 16 .b8 tile[8192];
ld.param.u64 %rd1, [p]; ld.param.u32 %r8, [n];
mov.u32 %r1, %tid.x; mov.u32 %r2, tile;
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
    let line = lines.find(|it| it.contains(" lane") && it.contains("bytes") || it.contains("-way"));
    expect.assert_eq(line.unwrap_or_default());
}

#[test]
fn accesses_of_a_warp() {
    let global =
        |address: &str| format!("{address} add.s64 %rd3, %rd1, %rd2; l$0d.global.u32 %r3, [%rd3];");
    check(
        &global("mul.wide.u32 %rd2, %r1, 4;"),
        expect![
            "32 lanes read 128 bytes in 4 sectors, the ideal. Assumed: param p is 256-byte aligned."
        ],
    );
    check(
        &global("mul.wide.u32 %rd2, %r1, 128;"),
        expect![
            "32 lanes read 128 bytes in 32 sectors; 4 would do. Assumed: param p is 256-byte aligned."
        ],
    );
    // The alignment of a row depends on its length.
    check(
        &global("mad.lo.u32 %r4, %r8, 3, %r1; mul.wide.u32 %rd2, %r4, 4;"),
        expect![""],
    );
    check(
        "shl.b32 %r3, %r1, 5; add.u32 %r3, %r3, %r2; s$0t.shared.u32 [%r3], %r1;",
        expect![
            "8-way bank conflict: lanes 0, 4, 8, 12, 16, 20, … on one bank. Rows of 132 bytes instead of 128 would have none."
        ],
    );
    check(
        "shl.b32 %r3, %r1, 2; add.u32 %r3, %r3, %r2; st.s$0hared.u32 [%r3], %r1;",
        expect![""],
    );
    check(
        "setp.eq.u32 %p1, %r1, 0; @%p1 s$0t.shared.u32 [%r2], %r1;",
        expect!["1 lane writes 4 bytes of shared memory without a bank conflict."],
    );
}
