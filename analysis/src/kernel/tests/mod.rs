//! Maps of small kernels.

mod copies;

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use syntax::TextRange;

use crate::{DocumentSymbol, FileId, SymbolKind, fixture::Fixture};

/// The map of a kernel, with the lines of the file.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let fixture = Fixture::new(text);
    let text = &fixture.files[0].1;
    let line = |it: &TextRange| text[..usize::from(it.start())].matches('\n').count() + 1;
    let lines = |all: &[TextRange]| -> Vec<usize> { all.iter().map(line).collect() };
    let mut out = String::new();
    for map in fixture
        .host
        .analysis()
        .kernel_maps(FileId(0), None)
        .unwrap()
    {
        let _ = writeln!(out, "{} {:?}", map.function, map.threads);
        for it in &map.variables {
            let (writes, reads) = (lines(&it.writes), lines(&it.reads));
            let _ = writeln!(out, "{} {:?} {writes:?} {reads:?}", it.name, it.bytes);
        }
        for it in &map.roles {
            let (copies, registers) = (lines(&it.copies), &it.registers);
            let _ = writeln!(
                out,
                "{} from {} {copies:?} {registers:?}",
                it.name,
                line(&it.range)
            );
        }
        for it in &map.loops {
            let _ = writeln!(
                out,
                "loop {} depth {} waits {}",
                line(&it.range),
                it.depth,
                it.waits
            );
        }
        for it in &map.rings {
            let _ = writeln!(
                out,
                "{} x{} by {:?} init {:?} arrived {:?} {:?} completed {:?} waited {:?}",
                it.place,
                it.stages,
                it.stride,
                lines(&it.initialized),
                lines(&it.arrived),
                it.bytes,
                lines(&it.completed),
                lines(&it.waited),
            );
        }
        for it in &map.copies {
            let _ = writeln!(
                out,
                "copy {} {:?} {:?} {:?} {:?}",
                line(&it.range),
                it.destination,
                it.ring,
                lines(&it.reads),
                lines(&it.products)
            );
        }
        for it in &map.tiles {
            let _ = writeln!(
                out,
                "tile {:?} from {:?} {:?} stages of {} filled {:?} read {:?} {:?}",
                it.place,
                it.source,
                it.stages,
                it.bytes.map_or_else(|| "?".to_owned(), |it| it.to_string()),
                lines(&it.copies),
                lines(&it.reads),
                lines(&it.products)
            );
        }
        for it in &map.barriers {
            let places = lines(&it.places);
            let _ = writeln!(
                out,
                "barrier {:?} {:?} {places:?} {:?}",
                it.number, it.threads, it.roles
            );
        }
        let _ = writeln!(out, "unknown {:?}", lines(&map.unknown));
    }
    let symbols = fixture.host.analysis().document_symbols(FileId(0));
    let mut open: Vec<DocumentSymbol> = symbols.unwrap();
    while let Some(symbol) = open.pop() {
        if symbol.kind == SymbolKind::WarpRole {
            let names = symbol.children.iter().map(|it| &*it.name);
            let names: Vec<&str> = names.collect();
            let detail = symbol.detail.as_deref().unwrap_or_default();
            let _ = writeln!(out, "outline {} ({detail}) {names:?}", symbol.name);
        }
        open.extend(symbol.children);
    }
    expect.assert_eq(&out);
}

#[test]
fn a_ring_filled_by_one_warp_and_emptied_by_others() {
    check(
        ".version 8.5
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.entry k(.param .u64 map, .param .u32 n) .reqntid 256 {
.reg .b32 %r<30>; .reg .b64 %rd<5>; .reg .pred %p<9>;
ld.param.u64 %rd1, [map]; ld.param.u32 %r1, [n];
mov.u32 %r2, smem;
mbarrier.init.shared::cta.b64 [%r2+8192], 1;
mbarrier.init.shared::cta.b64 [%r2+8200], 1;
mbarrier.init.shared::cta.b64 [%r2+8208], 128;
mbarrier.init.shared::cta.b64 [%r2+8216], 128;
bar.sync 0;
mov.u32 %r3, %tid.x;
setp.ge.u32 %p1, %r3, 128;
mov.u32 %r4, 0;
@%p1 bra CONSUMER;
setmaxnreg.dec.sync.aligned.u32 40;
PRODUCE: shr.u32 %r5, %r4, 1; shl.b32 %r6, %r5, 1; sub.u32 %r7, %r4, %r6;
shl.b32 %r8, %r7, 3; add.u32 %r9, %r2, %r8;
add.u32 %r10, %r9, 8208; and.b32 %r11, %r5, 1;
W1: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r10], %r11;
@!%p2 bra W1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r9+8192], 4096;
shl.b32 %r12, %r7, 12; add.u32 %r13, %r2, %r12; add.u32 %r14, %r9, 8192;
cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r13], [%rd1, {%r4}], [%r14];
add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, %r1;
@%p3 bra PRODUCE;
bra END;
CONSUMER: setmaxnreg.inc.sync.aligned.u32 232;
CONSUME: shr.u32 %r15, %r4, 1; shl.b32 %r16, %r15, 1; sub.u32 %r17, %r4, %r16;
shl.b32 %r18, %r17, 3; add.u32 %r19, %r2, %r18; and.b32 %r20, %r15, 1;
W2: mbarrier.try_wait.parity.shared::cta.b64 %p4, [%r19+8192], %r20;
@!%p4 bra W2;
bar.sync 1, 128;
mbarrier.arrive.shared::cta.b64 _, [%r19+8208];
add.u32 %r4, %r4, 1; setp.lt.u32 %p5, %r4, %r1;
@%p5 bra CONSUME;
END: ret;
}
",
        expect![[r#"
            k Some((256, true))
            smem None [9, 10, 11, 12, 24, 26, 36] [22, 33]
            producer from 18 [26] [40]
            other from 30 [] [232]
            loop 19 depth 1 waits 1
            loop 22 depth 2 waits 1
            loop 31 depth 1 waits 1
            loop 33 depth 2 waits 1
            smem+8192 x2 by Some(8) init [9, 10] arrived [24] [Some(4096)] completed [26] waited [33]
            smem+8208 x2 by Some(8) init [11, 12] arrived [36] [None] completed [] waited [22]
            copy 26 Some("smem + 4096·…") Some(0) [] []
            barrier Some(0) None [13] []
            barrier Some(1) Some(128) [35] [1]
            unknown []
            outline other () ["CONSUME"]
            outline producer (1 copy) ["PRODUCE"]
        "#]],
    );
}

#[test]
fn an_arrival_at_the_stage_of_the_round_before() {
    check(
        ".version 8.5
.target sm_90a
.address_size 64
.entry k(.param .u32 n) .reqntid 128 {
.reg .b32 %r<30>; .reg .pred %p<9>;
.shared .align 8 .b64 full[2]; .shared .align 8 .b64 empty[2];
ld.param.u32 %r1, [n];
mbarrier.init.shared::cta.b64 [empty], 128;
mbarrier.init.shared::cta.b64 [empty+8], 128;
mov.u32 %r2, 0; mov.u32 %r3, empty; setp.ne.u32 %p1, %r2, 0;
NEXT: and.b32 %r4, %r2, 1; mov.u32 %r5, empty; mad.lo.u32 %r5, %r4, 8, %r5;
@%p1 mbarrier.arrive.shared::cta.b64 _, [%r3];
mov.u32 %r3, %r5;
mov.u32 %r6, full; selp.u32 %r6, %r5, %r6, %p1;
mbarrier.arrive.shared::cta.b64 _, [%r6];
add.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0;
setp.lt.u32 %p2, %r2, %r1;
@%p2 bra NEXT;
ret;
}
",
        expect![[r#"
            k Some((128, true))
            full Some(16) [] []
            empty Some(16) [8, 9, 12] []
            loop 11 depth 1 waits 0
            empty x2 by Some(8) init [8, 9] arrived [12] [None] completed [] waited []
            r6 x1 by None init [] arrived [15] [None] completed [] waited []
            unknown []
        "#]],
    );
}

/// An mbarrier and the destination of its copy, at constants and factors that no memory has.
#[test]
fn addresses_beyond_memory() {
    check(
        ".version 8.5
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 smem[];
.entry k(.param .u64 map, .param .u64 n) {
.reg .b32 %r<3>; .reg .b64 %rd<9>;
ld.param.u64 %rd1, [map]; ld.param.u64 %rd2, [n];
mov.u64 %rd3, smem; add.s64 %rd4, %rd3, 0x7fffffffffffffff;
mbarrier.init.shared::cta.b64 [%rd4], 1;
mul.lo.s64 %rd5, %rd2, 0x8000000000000000; add.s64 %rd6, %rd3, %rd5;
mbarrier.init.shared::cta.b64 [%rd6], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%rd6], 16;
mul.lo.s64 %rd7, %rd2, 0x7000000000000000; add.s64 %rd7, %rd3, %rd7;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%rd7], [%rd1], 16, [%rd6];
ret;
}
",
        expect![[r#"
            k None
            smem None [9, 11, 12, 14] []
            smem x1 by None init [11] arrived [12] [Some(16)] completed [14] waited []
            smem+9223372036854775807 x1 by None init [] arrived [] [] completed [] waited []
            copy 14 Some("smem + 8070450532247928832·…") Some(0) [] []
            unknown []
        "#]],
    );
}

#[test]
fn a_tile_and_a_loop() {
    check(
        ".version 8.5
.target sm_80
.address_size 64
.entry k(.param .u32 n) .maxntid 64 {
.reg .b32 %r<9>; .reg .pred %p<3>; .shared .align 4 .b8 tile[256];
mov.u32 %r1, %tid.x; shl.b32 %r1, %r1, 2; mov.u32 %r2, tile; add.u32 %r3, %r2, %r1;
ld.param.u32 %r4, [n];
L: st.shared.u32 [%r3], %r4;
bar.sync 0;
ld.shared.u32 %r5, [tile];
sub.u32 %r4, %r4, %r5; setp.gt.s32 %p1, %r4, 0;
@%p1 bra L;
ret;
}
",
        expect![[r#"
            k Some((64, false))
            tile Some(256) [8] [10]
            loop 8 depth 1 waits 0
            barrier Some(0) None [9] []
            unknown []
        "#]],
    );
}

#[test]
fn an_mbarrier_after_a_ring_is_alone() {
    check(
        ".version 8.5
.target sm_90a
.address_size 64
.shared .align 8 .b64 bars[3];
.entry k(.param .u32 n) .reqntid 128 {
.reg .b32 %r<12>; .reg .pred %p<4>;
ld.param.u32 %r1, [n];
mov.u32 %r2, bars;
mbarrier.init.shared::cta.b64 [%r2], 128;
mbarrier.init.shared::cta.b64 [%r2+8], 128;
mbarrier.init.shared::cta.b64 [%r2+16], 128;
bar.sync 0;
mov.u32 %r4, 0;
L: and.b32 %r5, %r4, 1; shl.b32 %r6, %r5, 3; add.u32 %r7, %r2, %r6;
shr.u32 %r8, %r4, 1; and.b32 %r8, %r8, 1;
mbarrier.arrive.shared::cta.b64 _, [%r7];
W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r7], %r8;
@!%p1 bra W;
add.u32 %r4, %r4, 1; setp.lt.u32 %p2, %r4, %r1;
@%p2 bra L;
mbarrier.arrive.shared::cta.b64 _, [%r2+16];
V: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r2+16], 0;
@!%p3 bra V;
ret;
}
",
        expect![[r#"
            k Some((128, true))
            bars None [9, 10, 11, 16, 21] [17, 22]
            loop 14 depth 1 waits 1
            loop 17 depth 2 waits 1
            loop 22 depth 1 waits 1
            bars x2 by Some(8) init [9, 10] arrived [16] [None] completed [] waited [17]
            bars+16 x1 by None init [11] arrived [21] [None] completed [] waited [22]
            barrier Some(0) None [12] []
            unknown []
        "#]],
    );
}
