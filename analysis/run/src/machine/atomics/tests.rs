use expect_test::{Expect, expect};

use crate::machine::tests::{run, run_described, run_described_with};

#[track_caller]
fn check(body: &str, threads: u32, arrays: &[&[u32]], expect: Expect) {
    expect.assert_eq(&run(body, threads, arrays, &[]));
}

const HEAD: &str = "\
.reg .pred %q;
.reg .b32 %r<8>, %x, %t, %n;
.reg .b64 %p, %a, %i;
.shared .align 4 .b8 s[16];
ld.param.u64 %p, [p0];
mov.u32 %x, %tid.x;
mul.wide.u32 %i, %x, 4;
add.s64 %a, %p, %i;
mov.u32 %t, s;
shl.b32 %n, %x, 2;
add.u32 %t, %t, %n;
";

/// A sum in global memory of values that were never written is undefined.
#[test]
fn operands_that_were_never_written() {
    check(
        &format!("{HEAD}\nld.shared.u32 %r1, [%t];\nred.global.add.u32 [%a], %r1;\nret;"),
        2,
        &[&[7, 8]],
        expect![[r#"
            Finished
            uninitialized-read 19 `red.global.add.u32 [%a], %r1;` lanes [0, 1]: the value that is stored depends on one that was never written
            p0 = [7, 8]
        "#]],
    );
    check(
        &format!(
            "{HEAD}\nld.shared.u32 %r1, [%t];\nand.b32 %r1, %r1, 0;\nred.global.add.u32 [%a], %r1;\nret;"
        ),
        2,
        &[&[7, 8]],
        expect![[r#"
            Finished
            p0 = [7, 8]
        "#]],
    );
    check(
        &format!(
            "{HEAD}\nld.shared.u32 %r1, [%t];\nmad.wide.u32 %a, %r1, 4, %p;\natom.global.add.u32 %r2, [%a], 1;\nret;"
        ),
        1,
        &[&[7, 8]],
        expect![[r#"
            Finished
            uninitialized-read 20 `atom.global.add.u32 %r2, [%a], 1;` lanes [0]: the address depends on a value that was never written
            p0 = [8, 8]
        "#]],
    );
}

/// An exchange does not depend on what it replaces, a sum does.
#[test]
fn memory_that_was_never_written() {
    check(
        &format!(
            "{HEAD}\natom.shared.exch.b32 %r1, [%t], 5;\natom.shared.add.u32 %r2, [%t], 1;\nst.global.u32 [%a], %r2;\nret;"
        ),
        2,
        &[&[7, 8]],
        expect![[r#"
            Finished
            p0 = [5, 5]
        "#]],
    );
    check(
        &format!(
            "{HEAD}\natom.shared.add.u32 %r1, [%t], 5;\natom.shared.exch.b32 %r2, [%t], 1;\nst.global.u32 [%a], %r2;\nret;"
        ),
        2,
        &[&[7, 8]],
        expect![[r#"
            Finished
            uninitialized-read 20 `st.global.u32 [%a], %r2;` lanes [0, 1]: the value that is stored depends on one that was never written
            p0 = [5, 5]
        "#]],
    );
}

/// The scope of an atomic operation must include the other thread.
#[test]
fn scopes_of_blocks() {
    let kernel = |scope: &str| {
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{{
.reg .b64 %p;
ld.param.u64 %p, [p0];
red.relaxed.{scope}.global.add.u32 [%p], 1;
ret;\n}}\n"
        )
    };
    let launch = "grid = [2]\nblock = [1]\n[args.p0]\nzeros = [1]\ntype = \"u32\"\n";
    let (cta, gpu) = (kernel("cta"), kernel("gpu"));
    expect![[r#"
        Finished
        race 8 `red.relaxed.cta.global.add.u32 [%p], 1;` lanes [0]: another warp writes this location, which this instruction writes, and the scope of one of them does not include the other thread
        p0 = [2]
        Finished
        p0 = [2]
    "#]].assert_eq(&(run_described(&cta, launch) + &run_described(&gpu, launch)));
}

/// A copy into a tile while threads read it, and a copy without a wait.
#[test]
fn copies_and_reads_in_a_loop() {
    let kernel = |wait: &str| {
        format!(
            ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p0)\n{{
.reg .pred %q;
.reg .b32 %x, %t, %u, %n, %r, %s;
.reg .b64 %p, %a;
.shared .align 4 .b8 s[256];
ld.param.u64 %p, [p0];
mov.u32 %x, %tid.x;
mov.u32 %t, s;
mad.lo.u32 %u, %x, 4, %t;
xor.b32 %n, %x, 63;
mad.lo.u32 %t, %n, 4, %t;
mad.wide.u32 %a, %x, 4, %p;
mov.u32 %n, 0;
mov.u32 %s, 0;
next:
cp.async.ca.shared.global [%u], [%a], 4;
{wait}
bar.sync 0;
ld.shared.u32 %r, [%t];
add.u32 %s, %s, %r;
add.u32 %n, %n, 1;
setp.lt.u32 %q, %n, 2;
@%q bra next;
st.global.u32 [%a], %s;
ret;\n}}\n"
        )
    };
    let launch = "block = [64]\n[args.p0]\nzeros = [64]\ntype = \"u32\"\n";
    let mut text = String::new();
    for wait in ["cp.async.wait_all;", ""] {
        text += &run_described_with(&kernel(wait), launch, true);
    }
    let findings = text.lines().filter(|it| !it.starts_with('p'));
    let findings: Vec<&str> = findings.collect();
    expect![[r#"
        Finished
        race 23 `ld.shared.u32 %r, [%t];` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: another warp writes this location, which this instruction reads, and nothing orders them
        stale-read 23 `ld.shared.u32 %r, [%t];` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: nothing orders this read and the copy that writes the location again: the copy has not been waited for, or begins before this read is over
        Finished
        race 20 `cp.async.ca.shared.global [%u], [%a], 4;` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: a copy of the same lane writes this location, which this instruction reads, and nothing orders them
        stale-read 23 `ld.shared.u32 %r, [%t];` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: the copy that writes this location has not been waited for"#]].assert_eq(&findings.join("\n"));
}

/// A value of a lane that does not take part matters only where something depends on it.
#[test]
fn sums_of_half_a_warp() {
    let body = |lane: u32| {
        format!(
            "{HEAD}
            setp.lt.u32 %q, %x, 16;
            @!%q bra end;
            ld.global.u32 %r1, [%a];
            shfl.sync.down.b32 %r2, %r1, 8, 31, 0xFFFF;
            add.u32 %r1, %r1, %r2;
            shfl.sync.down.b32 %r2|%q, %r1, 4, 31, 0xFFFF;
            add.u32 %r1, %r1, %r2;
            @!%q mov.u32 %r1, 0;
            setp.eq.u32 %q, %x, {lane};
            @%q st.global.u32 [%a], %r1;
            end: ret;"
        )
    };
    for (lane, expect) in [
        (
            3,
            expect![[r#"
        Finished
        p0 = [1, 1, 1, 4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]
    "#]],
        ),
        (
            9,
            expect![[r#"
        Finished
        unspecified-operand 21 `shfl.sync.down.b32 %r2, %r1, 8, 31, 0xFFFF;` lanes [9]: PTX does not say what the result is for these operands
        p0 = [1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1]
    "#]],
        ),
    ] {
        check(&body(lane), 32, &[&[1; 16]], expect);
    }
}

/// Such a value may be stored and read again before something depends on it.
#[test]
fn a_sum_of_half_a_warp_in_shared_memory() {
    check(
        &format!(
            "{HEAD}
            setp.lt.u32 %q, %x, 2;
            @!%q bra end;
            shfl.sync.down.b32 %r2, %x, 1, 31, 0x3;
            st.shared.u32 [%t], %r2;
            ld.shared.u32 %r3, [%t];
            add.u32 %r3, %r3, 1;
            st.global.u32 [%a], %r3;
            end: ret;"
        ),
        32,
        &[&[7, 8]],
        expect![[r#"
            Finished
            uninitialized-read 24 `st.global.u32 [%a], %r3;` lanes [1]: the value that is stored depends on one that was never written
            p0 = [2, 3]
        "#]],
    );
}
