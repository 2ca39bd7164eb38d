//! A long kernel of the newest kind, to measure with: a ring of tiles that one warp fills and a warpgroup multiplies.

use std::fmt::Write as _;

/// Tiles of the ring.
const STAGES: usize = 4;

/// A module of one kernel with at least `lines` lines. ptxas accepts it, and its protocols are right.
#[must_use]
pub fn pipeline(lines: usize) -> String {
    let mut out = String::from(
        ".version 8.7
.target sm_90a
.address_size 64
.visible .entry pipeline(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 n, .param .align 64 .b8 map[128]) .reqntid 256
{
    .reg .pred %p<16>;
    .reg .b32 %r<64>;
    .reg .b64 %rd<32>;
    .reg .f32 %f<128>;
    .shared .align 1024 .b8 tiles[65536];
    .shared .align 8 .b64 full[4];
    .shared .align 8 .b64 empty[4];
    ld.param.u64 %rd0, [out];
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u32 %r0, [n];
    mov.b64 %rd3, map;
    cvta.param.u64 %rd3, %rd3;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p0, %r1, 0;
    @%p0 bra READY;
",
    );
    for stage in 0..STAGES {
        let _ = writeln!(
            out,
            "    mbarrier.init.shared::cta.b64 [full+{}], 1;",
            stage * 8
        );
        let _ = writeln!(
            out,
            "    mbarrier.init.shared::cta.b64 [empty+{}], 128;",
            stage * 8
        );
    }
    out.push_str(
        "READY:
    bar.sync 0;
    mov.u32 %r2, 0;
    mov.u32 %r3, tiles;
    mov.u32 %r6, 0;
    setp.lt.u32 %p1, %r1, 128;
    @%p1 bra MULTIPLY;
    setp.ne.u32 %p2, %r1, 128;
    @%p2 bra DONE;
FILL:
    and.b32 %r4, %r2, 1;
    xor.b32 %r4, %r4, 1;
",
    );
    for stage in 0..STAGES {
        let _ = write!(
            out,
            "EMPTY_{stage}:
    mbarrier.try_wait.parity.shared::cta.b64 %p3, [empty+{at}], %r4;
    @!%p3 bra EMPTY_{stage};
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [full+{at}], 16384;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r3+{tile}], [%rd3, {{%r2, %r0}}], [full+{at}];
",
            at = stage * 8,
            tile = stage * 16384,
        );
    }
    out.push_str(
        "    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p4, %r2, %r0;
    @%p4 bra FILL;
    bra.uni DONE;
MULTIPLY:
",
    );
    for register in 0..72 {
        let _ = writeln!(out, "    mov.f32 %f{register}, 0f00000000;");
    }
    out.push_str("NEXT:\n    and.b32 %r5, %r2, 1;\n");
    // The end is as long as this.
    let mut part = 0;
    while out.lines().count() + 80 < lines || part == 0 {
        for stage in 0..STAGES {
            multiply(&mut out, part, stage);
        }
        part += 1;
    }
    out.push_str(
        "    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p5, %r2, %r0;
    @%p5 bra NEXT;
",
    );
    for register in 0..64 {
        let _ = writeln!(
            out,
            "    st.global.f32 [%rd0+{}], %f{register};",
            register * 4
        );
    }
    for register in 64..72 {
        let _ = writeln!(
            out,
            "    st.global.f32 [%rd0+{}], %f{register};",
            register * 4
        );
    }
    out.push_str("    st.global.u32 [%rd0+288], %r6;\nDONE:\n    ret;\n}\n");
    out
}

/// The products of a tile, and some arithmetic on what they give.
fn multiply(out: &mut String, part: usize, stage: usize) {
    let at = stage * 8;
    if part == 0 {
        let _ = write!(
            out,
            "FULL_{stage}:
    mbarrier.try_wait.parity.shared::cta.b64 %p6, [full+{at}], %r5;
    @!%p6 bra FULL_{stage};
"
        );
    }
    out.push_str("    wgmma.fence.sync.aligned;\n");
    let registers = |first: usize| {
        let names: Vec<String> = (first..first + 32).map(|it| format!("%f{it}")).collect();
        names.join(", ")
    };
    for first in [0, 32] {
        let _ = writeln!(
            out,
            "    wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{}}}, %rd1, %rd2, 1, 1, 1, 0, 0;",
            registers(first)
        );
    }
    out.push_str("    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;\n");
    for register in 0..8 {
        let (one, other) = ((part + register) % 64, (part * 7 + register + 13) % 64);
        let _ = writeln!(
            out,
            "    fma.rn.f32 %f{sum}, %f{one}, %f{other}, %f{sum};",
            sum = 64 + register
        );
        let _ = writeln!(out, "    mul.f32 %f{one}, %f{one}, 0f3F7FF000;");
    }
    let _ = writeln!(out, "    mad.lo.u32 %r6, %r1, {part}, %r6;");
    if part == 0 {
        let _ = writeln!(out, "    mbarrier.arrive.shared::cta.b64 _, [empty+{at}];");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use syntax::FileContents;

    use super::pipeline;
    use crate::properties::answers::{self, FILE};

    #[test]
    fn nothing_is_wrong_with_it() {
        let text = pipeline(2_000);
        assert!((2_000..2_100).contains(&text.lines().count()));
        let host = answers::host(Arc::new(FileContents::new(&text)));
        let all = host.analysis().diagnostics(FILE).expect("nothing changes");
        let told = all
            .iter()
            .filter(|it| it.severity <= analysis::Severity::Warning);
        let told: Vec<_> = told.map(|it| (it.code, &it.message)).collect();
        assert!(told.is_empty(), "{told:?}");
    }
}
