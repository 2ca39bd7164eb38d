//! Accesses as hovers tell them.

use expect_test::{Expect, expect};

use crate::{
    FileId,
    fixture::{Fixture, HEADER},
};

/// A kernel of blocks of 128 threads.
fn kernel(body: &str) -> String {
    format!(
        "{HEADER}.entry k(.param .u64 p, .param .u32 n) .reqntid 128 {{
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<3>;
.shared .align 16 .b8 tile[8192];
ld.param.u64 %rd1, [p]; ld.param.u32 %r8, [n];
mov.u32 %r1, %tid.x; mov.u32 %r2, tile;
{body}
ret;
}}
"
    )
}

/// The hover at the cursor.
fn hover(body: &str) -> String {
    let fixture = Fixture::new(&kernel(body));
    let (analysis, at) = fixture.cursor();
    let hover = analysis.hover(at).unwrap();
    hover.map(|it| it.info.markdown).unwrap_or_default()
}

/// The sentence about accesses in the hover at the cursor.
#[track_caller]
fn check(body: &str, expect: Expect) {
    let markdown = hover(body);
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
    // Distances that the launch passes may also be one element or none.
    check(
        &global("mul.lo.u32 %r4, %r1, %r8; mul.wide.u32 %rd2, %r4, 4;"),
        expect![
            "32 lanes read 128 bytes in 32 sectors; 4 would do. Assumed: param p is 256-byte aligned, param n is a positive multiple of 8."
        ],
    );
    // The alignment of a row depends on its length.
    check(
        &global("mad.lo.u32 %r4, %r8, 3, %r1; mul.wide.u32 %rd2, %r4, 4;"),
        expect![
            "32 lanes read 128 bytes in 4 sectors, the ideal. Assumed: param p is 256-byte aligned, param n is a positive multiple of 8."
        ],
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

/// The grid of lanes in the hover at the cursor, in the same kernel.
#[track_caller]
fn check_grid(body: &str, expect: Expect) {
    expect.assert_eq(
        hover(body)
            .rsplit_once("```text\nlane ")
            .and_then(|it| it.1.split_once("\n```"))
            .map_or("none", |it| it.0),
    );
}

#[test]
fn lanes_and_banks() {
    // Rows of 128 bytes, with and without a swizzle.
    let rows =
        "and.b32 %r3, %r1, 15; shl.b32 %r4, %r3, 7; shr.u32 %r5, %r1, 4; and.b32 %r5, %r5, 1;";
    let load = "shl.b32 %r5, %r5, 4; add.u32 %r4, %r4, %r5; add.u32 %r4, %r4, %r2; \
                l$0dmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r5, %r6, %r7}, [%r4];";
    check_grid(
        &format!("{rows} {load}"),
        expect![[r#"
          bank of each, counted from that of lane 0
         0–7   0–3  0–3  0–3  0–3  0–3  0–3  0–3  0–3
         8–15  0–3  0–3  0–3  0–3  0–3  0–3  0–3  0–3
        16–23  4–7  4–7  4–7  4–7  4–7  4–7  4–7  4–7
        24–31  4–7  4–7  4–7  4–7  4–7  4–7  4–7  4–7"#]],
    );
    let swizzle = "and.b32 %r6, %r3, 7; xor.b32 %r5, %r5, %r6;";
    check_grid(
        &format!("{rows} {swizzle} {load}"),
        expect![[r#"
          bank of each, counted from that of lane 0
         0–7     0–3    4–7   8–11  12–15  16–19  20–23  24–27  28–31
         8–15    0–3    4–7   8–11  12–15  16–19  20–23  24–27  28–31
        16–23    4–7    0–3  12–15   8–11  20–23  16–19  28–31  24–27
        24–31    4–7    0–3  12–15   8–11  20–23  16–19  28–31  24–27"#]],
    );
    check_grid(
        "shl.b32 %r3, %r1, 4; add.u32 %r3, %r3, %r2; l$0d.shared.v4.u32 {%r4, %r5, %r6, %r7}, [%r3];",
        expect![[r#"
              bank of each, counted from that of lane 0
             0–7     0–3    4–7   8–11  12–15  16–19  20–23  24–27  28–31
             8–15    0–3    4–7   8–11  12–15  16–19  20–23  24–27  28–31
            16–23    0–3    4–7   8–11  12–15  16–19  20–23  24–27  28–31
            24–31    0–3    4–7   8–11  12–15  16–19  20–23  24–27  28–31"#]],
    );
    check_grid(
        "mad.lo.u32 %r3, %r1, 36, %r2; s$0t.shared.u32 [%r3], %r1;",
        expect!["none"],
    );
    check_grid(
        "shl.b32 %r3, %r1, 6; mul.wide.u32 %rd2, %r3, 1; add.s64 %rd3, %rd1, %rd2; l$0d.global.u32 %r4, [%rd3];",
        expect![[r#"
              sector of each, counted from that of lane 0
             0–7    0   2   4   6   8  10  12  14
             8–15  16  18  20  22  24  26  28  30
            16–23  32  34  36  38  40  42  44  46
            24–31  48  50  52  54  56  58  60  62"#]],
    );
}

/// The iterations of the loops of the same kernel.
#[track_caller]
fn check_trips(body: &str, expect: Expect) {
    let fixture = Fixture::new(&kernel(body));
    let analysis = fixture.host.analysis();
    let costs = analysis.costs(FileId(0), None, None).unwrap();
    let loops = costs.into_iter().filter(|it| it.head.is_some());
    let trips: Vec<String> = loops
        .map(|it| it.trips.unwrap_or_else(|| "unknown".to_owned()))
        .collect();
    expect.assert_eq(&trips.join(", "));
}

#[test]
fn iterations_of_loops() {
    // Counters that are doubled and halved.
    check_trips(
        "mov.u32 %r3, 1; L: shl.b32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 128; @%p1 bra L;",
        expect!["7"],
    );
    check_trips(
        "mov.u32 %r3, %ntid.x; shr.u32 %r3, %r3, 1;
        L: shr.u32 %r3, %r3, 1; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;",
        expect!["7"],
    );
    // As many iterations in each thread, and another number in each.
    check_trips(
        "mov.u32 %r3, %r1; L: add.u32 %r3, %r3, 128; setp.lt.u32 %p1, %r3, 512; @%p1 bra L;",
        expect!["4"],
    );
    check_trips(
        "mov.u32 %r3, %r1; L: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 128; @%p1 bra L;",
        expect!["-tid.x + 128"],
    );
    // The end and the counter in one sum.
    check_trips(
        "and.b32 %r4, %r8, 1; sub.u32 %r4, %r4, %r8; mov.u32 %r3, 0;
        L: add.u32 %r3, %r3, 2; add.u32 %r5, %r4, %r3; setp.ne.u32 %p1, %r5, 0; @%p1 bra L;",
        expect!["(n - (n & 1))/2"],
    );
    check_trips(
        "L: add.u32 %r3, %r3, %r8; ld.global.u32 %r4, [%rd1]; setp.lt.u32 %p1, %r3, %r4; @%p1 bra L;",
        expect!["unknown"],
    );
}

/// The bytes that each loop reads from global memory and accesses in shared memory, its operations in matrices and its
/// instructions.
#[track_caller]
fn check_costs(module: &str, expect: Expect) {
    let fixture = Fixture::new(module);
    let analysis = fixture.host.analysis();
    let mut out = String::new();
    for it in analysis.costs(FileId(0), None, None).unwrap() {
        let number = |it: Option<u64>| it.map_or_else(|| "?".to_owned(), |it| it.to_string());
        let all = [it.global_read, it.shared, it.tensor, it.instructions].map(number);
        out += &format!("{}\n", all.join(" "));
    }
    expect.assert_eq(&out);
}

#[test]
fn copies_and_products_by_one_thread() {
    // The second warp copies, the third one multiplies; the last descriptor is not known.
    check_costs(
        ".version 8.7\n.target sm_100a\n.address_size 64
.entry k(.param .align 128 .b8 map[128], .param .u32 n) .reqntid 96 {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .pred %p<5>;
.shared .align 1024 .b8 tile[32768]; .shared .b64 full;
ld.param.u32 %r8, [n]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5;
setp.eq.u32 %p1, %r2, 1; setp.eq.u32 %p2, %r2, 2; mov.u32 %r3, 0;
mov.b64 %rd1, map; cvta.param.u64 %rd1, %rd1;
@%p2 bra PRODUCTS; @!%p1 bra END;
elect.sync _|%p3, -1; @!%p3 bra END;
COPIES: mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 24576;
cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes [tile], [%rd1, {%r3, 0}], [full];
add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, %r8; @%p4 bra COPIES; bra END;
PRODUCTS: elect.sync _|%p3, -1; @!%p3 bra END; mov.u32 %r4, 0x08100010;
AGAIN: tcgen05.mma.cta_group::1.kind::f16 [%r5], %rd2, %rd3, %r4, %p3;
add.u32 %r3, %r3, 1; setp.lt.u32 %p4, %r3, %r8; @%p4 bra AGAIN;
tcgen05.mma.cta_group::1.kind::f16 [%r5], %rd2, %rd3, %r8, %p3;
END: ret;
}
",
        expect![[r#"
            0 0 ? 39
            24576 24576 0 5
            0 0 262144 4
        "#]],
    );
}

#[test]
fn loads_of_matrices_multiply_nothing() {
    check_costs(
        &kernel(
            "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r3, %r4, %r5, %r6, %r7, %r3, %r4, %r5}, [%r2];",
        ),
        expect![[r#"
            0 0 0 24
        "#]],
    );
}
