//! Readings of small kernels.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::{
    FileId,
    fixture::{Fixture, HEADER},
};

/// The lines of a kernel, with the numbers of the lines of its body that they show.
#[track_caller]
fn check(body: &str, expect: Expect) {
    let head = format!(
        "{HEADER}.entry k(.param .u64 k_param_0, .param .u64 out, .param .u32 n) {{ .reg .f32 %f<99>; .reg .b32 %r<99>; .reg .b64 %rd<30>; .reg .pred %p<9>; .shared .align 16 .b8 tile[4096]; .shared .b64 full[2];\n"
    );
    let fixture = Fixture::new(&format!("{head}{body}\n}}\n"));
    let skipped = head.matches('\n').count() as u32;
    let lines = &fixture.files[0].1;
    let line =
        |at: syntax::TextSize| lines[..usize::from(at)].matches('\n').count() as u32 + 1 - skipped;
    let mut out = String::new();
    for reading in fixture.host.analysis().readings(FileId(0), None).unwrap() {
        for it in reading.lines {
            let mut numbers: Vec<u32> = it.ranges.iter().map(|it| line(it.start())).collect();
            numbers.dedup();
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            let indent = 2 * it.indent as usize;
            let _ = writeln!(out, "{:indent$}{}  // {}", "", it.text, numbers.join(" "));
        }
    }
    expect.assert_eq(&out);
}

#[test]
fn a_reduction_over_lanes_is_one_line() {
    check(
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %laneid; cvt.rn.f32.u32 %f1, %r1; max.f32 %f9, %f1, 0f3F800000;
mov.b32 %r2, %f9; shfl.sync.bfly.b32 %r3, %r2, 2, 31, -1; mov.b32 %f2, %r3; max.f32 %f3, %f9, %f2;
mov.b32 %r4, %f3; shfl.sync.bfly.b32 %r5, %r4, 1, 31, -1; mov.b32 %f4, %r5; max.f32 %f5, %f3, %f4;
st.global.f32 [%rd1], %f5;
shfl.sync.bfly.b32 %r6, %r1, 16, 31, -1; add.s32 %r7, %r1, %r6;
shfl.sync.bfly.b32 %r8, %r7, 8, 31, -1; add.s32 %r9, %r7, %r8;
shfl.sync.bfly.b32 %r10, %r9, 4, 31, -1; add.s32 %r11, %r9, %r10;
st.global.u32 [%rd1+4], %r11;
ret;",
        expect![[r#"
            f5 = reduce(max(laneid, 1.0), max, shfl.sync.bfly: 2, 1)  // 1 2 3
            out[0] = f5  // 1 4
            r11 = reduce(laneid, +, shfl.sync.bfly: 16, 8, 4)  // 1 5 6 7
            out[1] = r11  // 1 8
        "#]],
    );
}

#[test]
fn floats_and_brackets() {
    check(
        "ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;
or.b32 %r3, %r2, 128; setp.lt.s32 %p1, %r3, %r1;
ld.global.f32 %f1, [%rd1]; mul.f32 %f2, %f1, 0f3FB8AA3B; max.f32 %f3, %f2, 0fFF800000;
@%p1 st.global.f32 [%rd1], %f3;
ret;",
        expect![[r#"
            if (tid.x | 128) < n: out[0] = max(out[0]*1.442695, -inf)  // 1 2 3 4
        "#]],
    );
}

#[test]
fn straight_line() {
    check(
        "ld.param.u64 %rd1, [k_param_0]; ld.param.u64 %rd2, [out];
cvta.to.global.u64 %rd1, %rd1;
mov.u32 %r1, %tid.x;
mul.wide.u32 %rd3, %r1, 4;
add.s64 %rd4, %rd1, %rd3;
ld.global.f32 %f1, [%rd4];
ld.global.f32 %f2, [%rd4+4];
add.f32 %f3, %f1, %f2;
add.s64 %rd5, %rd2, %rd3;
st.global.f32 [%rd5], %f3;
ret;",
        expect![[r#"
            out[tid.x] = param_0[tid.x] + param_0[tid.x + 1]  // 1 2 3 4 5 6 7 8 9 10
        "#]],
    );
}

#[test]
fn what_is_written_between_keeps_its_name() {
    // The load is before the store; the sum reads the old register.
    check(
        "ld.param.u64 %rd1, [k_param_0];
ld.global.u32 %r1, [%rd1];
st.global.u32 [%rd1], 7;
add.u32 %r2, %r3, 1;
mov.u32 %r3, 5;
st.global.u32 [%rd1+4], %r1;
st.global.u32 [%rd1+8], %r2;
st.global.u32 [%rd1+12], %r3;
mov.u32 %r3, 6;
st.global.u32 [%rd1+16], %r3;
ret;",
        expect![[r#"
            r1 = param_0[0]  // 1 2
            param_0[0] = 7  // 1 3
            r2 = r3 + 1  // 4
            param_0[1] = r1; param_0[2] = r2; param_0[3] = 5; param_0[4] = 6  // 1 5 6 7 8 9 10
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;
setp.ge.u32 %p1, %r2, %r1;
@%p1 bra END;
setp.eq.u32 %p2, %r2, 0;
@%p2 bra FIRST;
st.shared.u32 [tile+4], %r1;
bra JOIN;
FIRST: st.shared.u32 [tile], %r2;
JOIN: @!%p2 st.shared.u32 [tile+8], %r1;
@!%p2 st.shared.u32 [tile+12], %r1;
END: ret;",
        expect![[r#"
            if tid.x < n:  // 1 2 3
              p2 = tid.x == 0  // 1 4
              if p2: tile[0] = tid.x  // 1 5 8
              else:  // 
                tile[1] = n  // 1 6
              if !p2: tile[2] = n; tile[3] = n  // 1 9 10
        "#]],
    );
}

#[test]
fn loops() {
    check(
        "ld.param.u32 %r1, [n]; mov.u32 %r2, 0; mov.u32 %r9, 0;
OUTER: mov.u32 %r3, 0;
INNER: add.u32 %r9, %r9, %r3;
add.u32 %r3, %r3, 1;
setp.lt.u32 %p1, %r3, %r1;
@%p1 bra INNER;
add.u32 %r2, %r2, 1;
setp.ne.u32 %p2, %r2, 9;
@%p2 bra OUTER;
st.shared.u32 [tile], %r9;
HEAD: setp.ge.u32 %p3, %r9, %r1;
@%p3 bra DONE;
add.u32 %r9, %r9, 3;
bra HEAD;
DONE: st.shared.u32 [tile+4], %r9;
ret;",
        expect![[r#"
            r2 = 0; r9 = 0  // 1
            do:  // 
              r3 = 0  // 2
              do:  // 
                r9 = r9 + r3  // 3
                r3 = r3 + 1  // 4
              while r3 < n  // 1 5 6
              r2 = r2 + 1  // 7
            while r2 != 9  // 8 9
            tile[0] = r9  // 10
            while r9 < n:  // 1 11 12
              r9 = r9 + 3  // 13
            tile[1] = r9  // 15
        "#]],
    );
}

#[test]
fn a_loop_with_two_entries_has_jumps() {
    check(
        "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 0;
@%p1 bra B;
A: add.u32 %r1, %r1, 1;
B: add.u32 %r1, %r1, 2;
setp.lt.u32 %p2, %r1, 64;
@%p2 bra A;
st.shared.u32 [tile], %r1;
ret;",
        expect![[r#"
            r1 = n  // 1
            if tid.x != 0: goto A  // 1 2
            B:  // 
            r1 = r1 + 2  // 4
            if r1 >= 64:  // 5 6
              tile[0] = r1  // 7
              return  // 8
            A:  // 
            r1 = r1 + 1  // 3
            goto B  // 
        "#]],
    );
}

#[test]
fn repetitions() {
    let mut body = "mov.u32 %r1, tile; mov.f32 %f0, 0f00000000;\n".to_owned();
    for at in 0..8 {
        let _ = writeln!(
            body,
            "ld.shared.f32 %f{}, [%r1+{}];\nfma.rn.f32 %f{}, %f{}, %f9, %f{at};",
            20 + at,
            4 * at + 16,
            at + 1,
            20 + at
        );
    }
    body.push_str("st.shared.f32 [%r1], %f8;\nret;");
    check(
        &body,
        expect![[r#"
            f1 = tile[4]*f9 + 0.0  // 1 2 3
            f2..f7 = tile[5..10]*f9 + f1..f6  // 1 4 5 6 7 8 9 10 11 12 13 14 15
            tile[0] = tile[11]*f9 + f7  // 1 16 17 18
        "#]],
    );
}

#[test]
fn lists_of_numbers() {
    // Factors that alternate, and two sums of every other pair.
    let mut body =
        "mov.u32 %r1, tile; ld.shared.f32 %f80, [%r1]; ld.shared.f32 %f81, [%r1+4];\n".to_owned();
    for at in 0..16 {
        let _ = writeln!(body, "ex2.approx.f32 %f{}, %f{};", at, 20 + at);
        let _ = writeln!(
            body,
            "mul.f32 %f{}, %f{at}, %f{};",
            40 + at,
            80 + at / 2 % 2
        );
    }
    let _ = writeln!(body, "add.f32 %f60, %f40, %f41; add.f32 %f70, %f42, %f43;");
    for at in (4..16).step_by(4) {
        let _ = writeln!(
            body,
            "add.f32 %f6{0}, %f6{1}, %f{2}; add.f32 %f7{0}, %f7{1}, %f{3}; add.f32 %f6{4}, %f6{0}, %f{5}; add.f32 %f7{4}, %f7{0}, %f{6};",
            at / 2 - 1,
            at / 2 - 2,
            40 + at,
            42 + at,
            at / 2,
            41 + at,
            43 + at,
        );
    }
    for at in 0..16 {
        let _ = writeln!(body, "st.shared.f32 [%r1+{}], %f{};", 64 + 4 * at, 40 + at);
    }
    body.push_str("st.shared.f32 [%r1], %f66; st.shared.f32 [%r1+4], %f76;\nret;");
    check(
        &body,
        expect![[r#"
            f80 = tile[0]  // 1
            f81 = tile[1]  // 1
            f40..f55 = exp2(f20..f35)*(f80, f80, f81, f81, …)  // 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33
            tile[16..31] = f40..f55  // 1 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53
            tile[0] = f40 + f41 + f44 + f45 + f48 + f49 + f52 + f53  // 1 34 35 36 37 54
            tile[1] = f42 + f43 + f46 + f47 + f50 + f51 + f54 + f55  // 1 34 35 36 37 54
        "#]],
    );
}

#[test]
fn repeated_conditions_and_barriers() {
    let mut body = "mov.u32 %r1, %tid.x; setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, tile;\n".to_owned();
    for at in 0..5 {
        let _ = writeln!(
            body,
            "@%p1 st.shared.u32 [%r2+{}], {at}; @%p1 st.shared.u32 [%r2+{}], 7; bar.sync 0;",
            8 * at,
            8 * at + 4
        );
    }
    body.push_str("ret;");
    check(
        &body,
        expect![[r#"
            p1 = tid.x == 0  // 1
            × 5:  // 
              if p1: tile[(0, 2..8)] = 0..4; tile[(1, 3..9)] = 7  // 1 2 3 4 5 6
              ──── bar.sync(0) ──── stage 2..6  // 2 3 4 5 6
        "#]],
    );
}

#[test]
fn what_stays_apart() {
    // The second maximum reads a register that is written between, and something else reads the third.
    check(
        "mov.u32 %r1, tile; ld.shared.f32 %f1, [%r1]; ld.shared.f32 %f2, [%r1+4]; ld.shared.f32 %f4, [%r1+12]; max.f32 %f3, %f1, %f2;
max.f32 %f5, %f3, %f4;
ld.shared.f32 %f4, [%r1+8]; max.f32 %f6, %f5, %f4; max.f32 %f7, %f6, %f2; st.shared.f32 [%r1], %f6;
st.shared.f32 [%r1+4], %f7;
ret;",
        expect![[r#"
            f2 = tile[1]  // 1
            f6 = max(tile[0], f2, tile[3], tile[2])  // 1 2 3
            tile[0] = f6  // 1 3
            tile[1] = max(f6, f2)  // 1 3 4
        "#]],
    );
}

#[test]
fn the_first_value_of_a_counter_is_shown() {
    // The loop reads it as well as the sum before the loop.
    check(
        "mov.u32 %r1, %tid.x; add.u32 %r2, %r1, 5;
add.u32 %r3, %r2, 7;
L: st.shared.u32 [tile], %r2; st.shared.u32 [tile+4], %r3;
add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 99; @%p1 bra L;
ret;",
        expect![[r#"
            r2 = tid.x + 5  // 1
            r3 = r2 + 7  // 2
            do:  // 
              tile[0] = r2; tile[1] = r3  // 3
              r2 = r2 + 1  // 4
            while r2 < 99  // 4
        "#]],
    );
}

#[test]
fn copies_of_bytes() {
    check(
        "ld.param.u64 %rd1, [k_param_0];
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 256, [full];
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [tile], [%rd1+64], 256, [full], 3;
and.b32 %r1, %r2, 1; setp.eq.b32 %p1, %r1, 1; mov.pred %p2, 0; xor.pred %p3, %p1, %p2; not.pred %p4, %p3;
@%p4 bra END; st.shared.u32 [tile], 7;
END: ret;",
        expect![[r#"
            [tile] = copy of 256 bytes of [param_0], completes with [full]  // 1 2
            [tile] = copy of 256 bytes of [param_0 + 64], completes with [full], in each CTA of mask 3  // 1 3
            if (r2 & 1) == 1: tile[0] = 7  // 4 5
        "#]],
    );
}

#[test]
fn polynomials() {
    // A step of the second one is read twice.
    let mut body =
        "ld.param.u64 %rd1, [out]; ld.global.f32 %f1, [%rd1]; ld.global.f32 %f2, [%rd1+4];\n"
            .to_owned();
    for (at, of) in [(10, 1), (20, 2)] {
        let _ = writeln!(
            body,
            "fma.rn.f32 %f{at}, %f{of}, 0f3E000000, 0f3E800000;
fma.rn.f32 %f{}, %f{at}, %f{of}, 0f3F000000;
fma.rn.f32 %f{}, %f{}, %f{of}, 0f3F800000;
fma.rn.f32 %f{}, %f{}, %f{of}, 0f40000000;",
            at + 1,
            at + 2,
            at + 1,
            at + 3,
            at + 2
        );
    }
    body.push_str("st.global.f32 [%rd1+8], %f13; st.global.f32 [%rd1+12], %f13; st.global.v4.f32 [%rd1+16], {%f23, %f23, %f22, %f1};\nret;");
    check(
        &body,
        expect![[r#"
            f1 = out[0]  // 1
            f2 = out[1]  // 1
            f13 = polynomial(f1: 0.125, 0.25, 0.5, 1.0, 2.0)  // 2 3 4 5
            f22 = polynomial(f2: 0.125, 0.25, 0.5, 1.0)  // 6 7 8
            f23 = f22*f2 + 2.0  // 9
            out[2] = f13; out[3] = f13  // 1 10
            out[4:+4] = {f23, f23, f22, f1}  // 1 10
        "#]],
    );
}

#[test]
fn pairs() {
    // Halves that were put together are the registers again; those of another register are its bits.
    check(
        "ld.param.u64 %rd1, [out]; mov.u32 %r1, %laneid; cvt.rn.f32.u32 %f1, %r1; add.f32 %f2, %f1, 0f3F800000;
shfl.sync.bfly.b32 %f3, %f1, 2, 31, -1; max.f32 %f4, %f1, %f3; shfl.sync.bfly.b32 %f5, %f4, 1, 31, -1;
shfl.sync.bfly.b32 %f6, %f2, 2, 31, -1; max.f32 %f7, %f2, %f6; shfl.sync.bfly.b32 %f8, %f7, 1, 31, -1;
mov.b64 %rd2, {%f5, %f8};
mov.b64 {%f9, %f10}, %rd2;
max.f32 %f11, %f4, %f9; max.f32 %f12, %f7, %f10;
st.global.f32 [%rd1], %f11; st.global.f32 [%rd1+4], %f12;
ld.global.u64 %rd3, [%rd1+8]; mov.b64 {%f13, %f14}, %rd3; cvt.rn.f16x2.f32 %r2, %f14, %f13;
st.global.u32 [%rd1+8], %r2;
ret;",
        expect![[r#"
            f2 = laneid + 1.0  // 1
            f11 = reduce(laneid, max, shfl.sync.bfly: 2, 1)  // 1 2 4 5 6
            f12 = reduce(f2, max, shfl.sync.bfly: 2, 1)  // 3 4 5 6
            out[0] = f11; out[1] = f12  // 1 7
            out[2] = {f16(out[1][31:0]), f16(out[1][63:32])}  // 1 8 9
        "#]],
    );
}

#[test]
fn shuffles_and_barriers() {
    check(
        "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r4, %r3, %r2;
ld.shared.u32 %r5, [%r4];
shfl.sync.bfly.b32 %r6, %r5, 16, 31, -1;
add.u32 %r7, %r5, %r6;
bar.sync 0;
st.shared.u32 [%r4+128], %r7;
ret;",
        expect![[r#"
            r5 = tile[tid.x]  // 1 2
            r6 = shfl.sync.bfly(r5, 16, 31, all lanes)  // 3
            ──── bar.sync(0) ──── stage 2  // 5
            tile[tid.x + 32] = r5 + r6  // 1 4 6
        "#]],
    );
}

#[test]
fn copies_and_waits() {
    check(
        "ld.param.u64 %rd1, [k_param_0]; mov.u32 %r1, 64;
mbarrier.init.shared::cta.b64 [full], 1;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 256;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1, {%r1, 0}], [full];
W: mbarrier.try_wait.parity.shared::cta.b64 %p1, [full], 0;
@!%p1 bra W;
ret;",
        expect![[r#"
            mbarrier.init.shared::cta([full], 1); mbarrier.arrive.expect_tx.shared::cta(_, [full], 256)  // 2 3
            [tile] = copy of param_0[64, 0], completes with [full]  // 1 4
            wait until mbarrier.try_wait.parity.shared::cta([full], 0)  // 5 6
        "#]],
    );
}

#[test]
fn what_has_no_text_keeps_its_name() {
    check(
        "ld.param.u32 %r1, [n]; brev.b32 %r2, %r1; mul.hi.u32 %r3, %r2, %r1; prmt.b32 %r4, %r3, %r2, %r1;
st.shared.u32 [tile], %r4;
ret;",
        expect![[r#"
            r1 = n  // 1
            r2 = reverse(n)  // 1
            r3 = r2*n >> 32  // 1
            r4 = prmt(r3, r2, n)  // 1
            tile[0] = r4  // 2
        "#]],
    );
}

#[test]
fn large_functions_end_soon() {
    let mut body = "ld.param.u64 %rd1, [k_param_0]; ld.param.u32 %r1, [n];\n".to_owned();
    for at in 0..1500 {
        let _ = writeln!(
            body,
            "L{at}: add.u32 %r2, %r1, {at}; setp.lt.u32 %p1, %r2, %r3; @%p1 bra L{};
            ld.global.u32 %r3, [%rd1+{}]; add.u32 %r1, %r3, %r2; st.global.u32 [%rd1], %r1;",
            (at * 7 + 3) % 1500,
            4 * at
        );
    }
    body.push_str("ret;");
    let fixture = Fixture::new(&format!(
        "{HEADER}.entry k(.param .u64 k_param_0, .param .u32 n) {{ .reg .b32 %r<9>; .reg .b64 %rd<3>; .reg .pred %p<2>;\n{body}\n}}\n"
    ));
    let start = std::time::Instant::now();
    let found = fixture.host.analysis().readings(FileId(0), None).unwrap();
    assert!(found[0].lines.len() > 3000);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// A branch with registers, a barrier and shared memory of its own, and something more.
fn branch(at: u32, more: &str) -> String {
    let r = 20 + 30 * at;
    let mut body = format!(
        "ld.shared.u32 %r{r}, [tile+{}]; bar.sync {}, 128; {more}\n",
        64 * at,
        at + 2
    );
    let _ = writeln!(
        body,
        "L{at}: add.u32 %r{0}, %r{r}, 5; xor.b32 %r{1}, %r{0}, %r1;",
        r + 1,
        r + 2
    );
    for turn in 0..32 {
        let _ = writeln!(
            body,
            "mad.lo.u32 %r{0}, %r{0}, %r{1}, {turn}; st.shared.u32 [tile+{2}], %r{0};",
            r + 2,
            r + 1,
            512 * at + 4 * turn
        );
    }
    let _ = writeln!(
        body,
        "add.u32 %r{r}, %r{}, 1; setp.lt.u32 %p{at}, %r{r}, %r1; @%p{at} bra L{at};",
        r + 2
    );
    body
}

#[test]
fn three_branches_that_do_nearly_the_same() {
    check(
        &format!(
            "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; shr.u32 %r3, %r2, 7; setp.eq.u32 %p7, %r3, 0; @%p7 bra FIRST; setp.ne.u32 %p8, %r3, 1; @%p8 bra THIRD;
{}bra END;
FIRST: {}bra END;
THIRD: {}END: ret;",
            branch(1, "st.shared.u32 [tile+4000], %r50;"),
            branch(0, ""),
            branch(2, "st.shared.u32 [tile+4004], %r1;")
        ),
        expect![[r#"
            r3 = tid.x >> 7  // 1
            if r3 == 0:  // 1
              as below in `if r3 != 1` (2), `else` of `if r3 != 1` (3); ⟨1, 2, 3⟩:  // 2 74
              r20 = tile[⟨0, 32, 16⟩]  // 2 38 74
              ──── bar.sync(⟨2, 4, 3⟩, 128) ──── stage 2  // 2 38 74
              in 2: tile[1001] = n  // 1 74
              in 3: tile[1000] = r20  // 2
              do:  // 
                r21 = r20 + 5  // 3 39 75
                r22 = (r21 ^ n)*r21  // 1 3 4 39 40 75 76
                × 31:  // 
                  tile[⟨0..30, 256..286, 128..158⟩] = r22  // 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106
                  r22 = r22*r21 + 1..31  // 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 93 94 95 96 97 98 99 100 101 102 103 104 105 106 107
                tile[⟨31, 287, 159⟩] = r22  // 35 71 107
                r20 = r22 + 1  // 36 72 108
              while r20 < n  // 1 36 72 108
            else if r3 != 1: as above in `if r3 == 0`, number 2 of ⟨…⟩  // 1 74
            else:  // 
              as above in `if r3 == 0`, number 3 of ⟨…⟩  // 2
        "#]],
    );
}

#[test]
fn masks_of_lanes() {
    check(
        "mov.u32 %r1, %laneid; shfl.sync.idx.b32 %r2, %r1, 0, 31, -1; shfl.sync.idx.b32 %r3, %r1, 0, 31, 4294967295;
elect.sync %r4|%p1, 0xffff; bar.warp.sync -1;
@%p1 st.shared.v2.u32 [tile], {%r2, %r3};
ret;",
        expect![[r#"
            r2 = shfl.sync.idx(laneid, 0, 31, all lanes)  // 1
            r3 = shfl.sync.idx(laneid, 0, 31, all lanes)  // 1
            r4, p1 = elect.sync(0xffff)  // 2
            bar.warp.sync(all lanes)  // 2
            if p1: tile[0:+2] = {r2, r3}  // 3
        "#]],
    );
}

#[test]
fn branches_that_do_nearly_the_same() {
    // The second has its own registers, another barrier and shared memory of its own, and a store more.
    let module = |after: &str| {
        format!(
            "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; shr.u32 %r3, %r2, 7; setp.eq.u32 %p7, %r3, 0; @%p7 bra FIRST; setp.ne.u32 %p8, %r3, 1; @%p8 bra END;
{}bra END;
FIRST: {}END: {after} ret;",
            branch(1, "st.shared.u32 [tile+4000], %r50;"),
            branch(0, "")
        )
    };
    check(
        &module(""),
        expect![[r#"
            r3 = tid.x >> 7  // 1
            if r3 == 0:  // 1
              as below in `if r3 == 1`; ⟨here, there⟩:  // 2
              r20 = tile[⟨0, 16⟩]  // 2 38
              ──── bar.sync(⟨2, 3⟩, 128) ──── stage 2  // 2 38
              only there: tile[1000] = r20  // 2
              do:  // 
                r21 = r20 + 5  // 3 39
                r22 = (r21 ^ n)*r21  // 1 3 4 39 40
                × 31:  // 
                  tile[⟨0..30, 128..158⟩] = r22  // 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70
                  r22 = r22*r21 + 1..31  // 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71
                tile[⟨31, 159⟩] = r22  // 35 71
                r20 = r22 + 1  // 36 72
              while r20 < n  // 1 36 72
            else if r3 == 1: as above in `if r3 == 0`, the second of ⟨…⟩  // 1 2
        "#]],
    );
    // A register that is read after the second keeps its name.
    check(
        &module("st.shared.u32 [tile], %r52;"),
        expect![[r#"
            r3 = tid.x >> 7  // 1
            if r3 == 0:  // 1
              as below in `if r3 == 1`; ⟨here, there⟩:  // 2
              r20 = tile[⟨0, 16⟩]  // 2 38
              ──── bar.sync(⟨2, 3⟩, 128) ──── stage 2  // 2 38
              only there: tile[1000] = r20  // 2
              do:  // 
                r21 = r20 + 5  // 3 39
                ⟨r22, r52⟩ = (r21 ^ n)*r21  // 1 3 4 39 40
                × 31:  // 
                  tile[⟨0..30, 128..158⟩] = ⟨r22, r52⟩  // 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70
                  ⟨r22, r52⟩ = ⟨r22, r52⟩*r21 + 1..31  // 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 63 64 65 66 67 68 69 70 71
                tile[⟨31, 159⟩] = ⟨r22, r52⟩  // 35 71
                r20 = ⟨r22, r52⟩ + 1  // 36 72
              while r20 < n  // 1 36 72
            else if r3 == 1: as above in `if r3 == 0`, the second of ⟨…⟩  // 1 2
            tile[0] = r52  // 73
        "#]],
    );
}
