//! The model on small kernels, in 32-bit registers.

use expect_test::{Expect, expect};

use crate::{
    FileId,
    fixture::{Fixture, HEADER},
};

/// Alive as written, in the best order and in an eager one; then the number live at each line.
#[track_caller]
fn check(body: &str, expect: Expect) {
    let text = format!("{HEADER}.entry k(.param .u64 p) {{\n{body}ret;\n}}\n");
    let fixture = Fixture::new(&text);
    let analysis = fixture.host.analysis();
    let found = analysis.registers(FileId(0), None).unwrap();
    let it = &found[0];
    let mut out = format!(
        "written {} low {} high {}\n",
        it.max_live, it.reordered, it.eager
    );
    let lines: Vec<&str> = text.lines().collect();
    for (line, alive) in &it.alive {
        out.push_str(&format!("{alive} {}\n", lines[*line as usize]));
    }
    expect.assert_eq(&out);
}

#[test]
fn what_takes_no_register() {
    check(
        ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p;
ld.param.u64 %rd1, [p];
cvta.to.global.u64 %rd2, %rd1;
mov.u32 %r1, %ctaid.x;
shl.b32 %r2, %r1, 2;
mov.u32 %r3, 7;
mov.u32 %r4, %tid.x;
add.u32 %r5, %r4, %r2;
mul.wide.u32 %rd3, %r5, 4;
add.s64 %rd4, %rd2, %rd3;
add.s64 %rd5, %rd4, 16;
st.global.u32 [%rd5], %r3;
",
        expect![[r#"
            written 2 low 2 high 2
            0 ld.param.u64 %rd1, [p];
            0 cvta.to.global.u64 %rd2, %rd1;
            0 mov.u32 %r1, %ctaid.x;
            0 shl.b32 %r2, %r1, 2;
            0 mov.u32 %r3, 7;
            1 mov.u32 %r4, %tid.x;
            1 add.u32 %r5, %r4, %r2;
            1 mul.wide.u32 %rd3, %r5, 4;
            2 add.s64 %rd4, %rd2, %rd3;
            2 add.s64 %rd5, %rd4, 16;
            2 st.global.u32 [%rd5], %r3;
            0 ret;
        "#]],
    );
}

#[test]
fn parameters_that_are_loaded_together_take_no_register() {
    check(
        ".reg .b64 %rd<9>; .reg .b32 %r<9>;
ld.param.v2.u32 {%r1, %r2}, [p];
ld.param.u64 %rd1, [p];
mov.u32 %r3, %tid.x;
st.global.u32 [%rd1], %r3;
st.global.v2.u32 [%rd1+8], {%r1, %r2};
",
        expect![[r#"
            written 1 low 1 high 1
            0 ld.param.v2.u32 {%r1, %r2}, [p];
            0 ld.param.u64 %rd1, [p];
            1 mov.u32 %r3, %tid.x;
            1 st.global.u32 [%rd1], %r3;
            0 st.global.v2.u32 [%rd1+8], {%r1, %r2};
            0 ret;
        "#]],
    );
}

#[test]
fn vectors_of_parameters_that_a_register_points_to_take_no_register() {
    check(
        ".reg .b64 %rd<9>; .reg .b32 %r<9>;
mov.b64 %rd2, p;
ld.param.u64 %rd1, [%rd2];
mov.u32 %r3, %tid.x;
ld.param.v2.b32 {%r1, %r2}, [%rd2];
st.global.u32 [%rd1], %r3;
st.global.v2.u32 [%rd1+8], {%r1, %r2};
",
        expect![[r#"
            written 1 low 1 high 1
            0 mov.b64 %rd2, p;
            0 ld.param.u64 %rd1, [%rd2];
            1 mov.u32 %r3, %tid.x;
            1 ld.param.v2.b32 {%r1, %r2}, [%rd2];
            1 st.global.u32 [%rd1], %r3;
            0 st.global.v2.u32 [%rd1+8], {%r1, %r2};
            0 ret;
        "#]],
    );
}

#[test]
fn loads_that_an_order_moves() {
    check(
        ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>;
ld.param.u64 %rd1, [p];
mov.u32 %r4, %tid.x;
mul.wide.u32 %rd3, %r4, 4;
add.s64 %rd4, %rd1, %rd3;
ld.global.f32 %f1, [%rd4];
ld.global.f32 %f2, [%rd4+4];
ld.global.f32 %f3, [%rd4+8];
ld.global.f32 %f4, [%rd4+12];
st.global.f32 [%rd4+16], %f1;
st.global.f32 [%rd4+20], %f2;
st.global.f32 [%rd4+24], %f3;
st.global.f32 [%rd4+28], %f4;
",
        expect![[r#"
            written 6 low 3 high 6
            0 ld.param.u64 %rd1, [p];
            1 mov.u32 %r4, %tid.x;
            1 mul.wide.u32 %rd3, %r4, 4;
            2 add.s64 %rd4, %rd1, %rd3;
            3 ld.global.f32 %f1, [%rd4];
            4 ld.global.f32 %f2, [%rd4+4];
            5 ld.global.f32 %f3, [%rd4+8];
            6 ld.global.f32 %f4, [%rd4+12];
            6 st.global.f32 [%rd4+16], %f1;
            5 st.global.f32 [%rd4+20], %f2;
            4 st.global.f32 [%rd4+24], %f3;
            3 st.global.f32 [%rd4+28], %f4;
            0 ret;
        "#]],
    );
}

#[test]
fn names_that_are_used_again_are_several_values() {
    check(
        ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p;
ld.param.u64 %rd1, [p];
mov.u32 %r1, %tid.x;
setp.eq.u32 %p, %r1, 0;
mov.u32 %r2, 0;
@%p ld.global.u32 %r2, [%rd1];
st.global.u32 [%rd1], %r2;
mov.u32 %r2, 0;
@%p ld.global.u32 %r2, [%rd1+4];
st.global.u32 [%rd1+4], %r2;
",
        expect![[r#"
            written 1 low 1 high 2
            0 ld.param.u64 %rd1, [p];
            1 mov.u32 %r1, %tid.x;
            1 setp.eq.u32 %p, %r1, 0;
            0 mov.u32 %r2, 0;
            1 @%p ld.global.u32 %r2, [%rd1];
            1 st.global.u32 [%rd1], %r2;
            0 mov.u32 %r2, 0;
            1 @%p ld.global.u32 %r2, [%rd1+4];
            1 st.global.u32 [%rd1+4], %r2;
            0 ret;
        "#]],
    );
}

#[test]
fn divisions_need_more_for_a_moment() {
    check(
        ".reg .b64 %rd<9>; .reg .f64 %fd<9>;
ld.param.u64 %rd1, [p];
ld.global.f64 %fd1, [%rd1];
div.rn.f64 %fd2, %fd1, %fd1;
st.global.f64 [%rd1], %fd2;
",
        expect![[r#"
            written 16 low 16 high 16
            0 ld.param.u64 %rd1, [p];
            2 ld.global.f64 %fd1, [%rd1];
            16 div.rn.f64 %fd2, %fd1, %fd1;
            2 st.global.f64 [%rd1], %fd2;
            0 ret;
        "#]],
    );
}

#[test]
fn estimates_by_target_and_bounds() {
    let loads: String = (0..60)
        .map(|it| format!("ld.volatile.global.f32 %f{it}, [%rd1+{}];\n", it * 4))
        .chain((0..60).map(|it| format!("st.volatile.global.f32 [%rd1+{}], %f{it};\n", it * 4)))
        .collect();
    let kernel = |name: &str, bounds: &str| {
        format!(
            ".entry {name}(.param .u64 p) {bounds} {{\n.reg .b64 %rd1; .reg .f32 %f<60>;\n\
             ld.param.u64 %rd1, [p];\n{loads}ret;\n}}\n"
        )
    };
    let text = [
        HEADER.to_owned(),
        kernel("free", ""),
        kernel("bound", ".maxntid 1024 .minnctapersm 2"),
        kernel("fixed", ".maxnreg 40 .maxntid 512"),
        ".entry empty() { ret; }\n".to_owned(),
        ".entry exchange() .maxntid 384 { setmaxnreg.dec.sync.aligned.u32 40; ret; }\n".to_owned(),
    ]
    .concat();
    let fixture = Fixture::new(&text);
    let analysis = fixture.host.analysis();
    let mut out = String::new();
    for target in [None, Some("sm_75"), Some("sm_120")] {
        for it in analysis.registers(FileId(0), target).unwrap() {
            out.push_str(&format!(
                "{} {}: {} ({}-{}) cap {:?}, {} of {} warps @{}, {:?}, next {:?}\n",
                it.target,
                it.name,
                it.estimate,
                it.low,
                it.high,
                it.cap,
                it.warps,
                it.of,
                it.threads,
                it.limiter,
                it.next_step
            ));
        }
    }
    expect![[r#"
        sm_90 free: 66 (50-79) cap None, 24 of 64 warps @256, Some("registers"), next Some((64, 32))
        sm_90 bound: 32 (27-32) cap Some((32, ".minnctapersm")), 64 of 64 warps @1024, None, next None
        sm_90 fixed: 40 (30-40) cap Some((40, ".maxnreg")), 48 of 64 warps @512, Some("registers"), next Some((32, 64))
        sm_90 empty: 4 (4-8) cap None, 64 of 64 warps @256, None, next None
        sm_90 exchange: 168 (168-168) cap Some((168, ".maxntid")), 12 of 64 warps @384, Some("registers"), next Some((80, 24))
        sm_75 free: 65 (49-78) cap None, 24 of 32 warps @256, Some("registers"), next Some((64, 32))
        sm_75 bound: 32 (27-32) cap Some((32, ".minnctapersm")), 32 of 32 warps @1024, None, next None
        sm_75 fixed: 40 (30-40) cap Some((40, ".maxnreg")), 32 of 32 warps @512, None, next None
        sm_75 empty: 4 (4-8) cap None, 32 of 32 warps @256, None, next None
        sm_75 exchange: 168 (168-168) cap Some((168, ".maxntid")), 12 of 32 warps @384, Some("registers"), next Some((80, 24))
        sm_120 free: 66 (50-79) cap None, 24 of 48 warps @256, Some("registers"), next Some((64, 32))
        sm_120 bound: 32 (27-32) cap Some((32, ".minnctapersm")), 32 of 48 warps @1024, Some("blocks"), next None
        sm_120 fixed: 40 (30-40) cap Some((40, ".maxnreg")), 48 of 48 warps @512, None, next None
        sm_120 empty: 4 (4-8) cap None, 48 of 48 warps @256, None, next None
        sm_120 exchange: 168 (168-168) cap Some((168, ".maxntid")), 12 of 48 warps @384, Some("registers"), next Some((80, 24))
    "#]].assert_eq(&out);
}

/// As written, in the best order and in an eager one, of the entry `k`.
fn needs(text: &str) -> String {
    let fixture = Fixture::new(&format!("{HEADER}{text}"));
    let found = fixture.host.analysis().registers(FileId(0), None).unwrap();
    let it = found.iter().find(|it| it.name == "k").unwrap();
    format!(
        "written {} low {} high {} estimate {}",
        it.max_live, it.reordered, it.eager, it.estimate
    )
}

#[test]
fn results_take_the_place_of_what_they_are_made_of() {
    // Sums of pairs, packed and made narrow, as compilers write them before a barrier.
    let loads: String = (0..16)
        .map(|it| format!("ld.volatile.global.f32 %f{it}, [%rd99+{}];\n", it * 4))
        .chain((0..4).map(|it| {
            let (one, two) = (2 * it, 2 * it + 1);
            format!(
                "ld.shared.v2.b64 {{%rd{one}, %rd{two}}}, [%r99+{}];\n",
                it * 16
            )
        }))
        .collect();
    let sums: String = (0..8)
        .map(|it| {
            let (one, two) = (2 * it, 2 * it + 1);
            format!(
                "mov.b64 %rd{}, {{%f{one}, %f{two}}};\nadd.f32x2 %rd{}, %rd{it}, %rd{};\n\
                 mov.b64 {{%f{}, %f{}}}, %rd{};\ncvt.rn.f16x2.f32 %r{it}, %f{}, %f{};\n",
                20 + it,
                40 + it,
                20 + it,
                20 + one,
                20 + two,
                40 + it,
                20 + one,
                20 + two,
            )
        })
        .collect();
    let stores: String = (0..8)
        .map(|it| format!("st.shared.b32 [%r99+{}], %r{it};\n", 64 + it * 4))
        .collect();
    let text = format!(
        ".entry k(.param .u64 p) {{\n.reg .b64 %rd<100>; .reg .b32 %r<100>; .reg .f32 %f<100>;\n\
         ld.param.u64 %rd99, [p];\nmov.u32 %r99, %tid.x;\n{loads}{sums}bar.sync 0;\n{stores}ret;\n}}\n"
    );
    expect!["written 33 low 19 high 20 estimate 26"].assert_eq(&needs(&text));
}

#[test]
fn loops_that_constants_count_are_unrolled() {
    // Adds up numbers in memory, in a loop that is tested at its end.
    let kernel = |before: &str, start: &str, step: &str, test: &str| {
        needs(&format!(
            ".entry k(.param .u64 p) {{
.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<3>; .reg .pred %p;
ld.param.u64 %rd1, [p];
ld.global.u64 %rd1, [%rd1];
ld.global.u32 %r2, [%rd1];
mov.f32 %f1, 0f00000000;
mov.u32 %r1, {start};
L: {before}
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
ld.global.f32 %f2, [%rd3];
add.f32 %f1, %f1, %f2;
{step}
{test}
@%p bra L;
st.global.f32 [%rd1], %f1;
ret;
}}"
        ))
    };
    let up = "add.u32 %r1, %r1, 1;";
    let turns = |start, step, test| kernel("", start, step, test);
    let known = [
        turns("0", up, "setp.lt.u32 %p, %r1, 16;"),
        turns("0", "add.s32 %r1, %r1, 2;", "setp.ne.s32 %p, %r1, 32;"),
        turns("15", "sub.s32 %r1, %r1, 1;", "setp.ge.s32 %p, %r1, 0;"),
        turns("1", "shl.b32 %r1, %r1, 1;", "setp.le.u32 %p, %r1, 32768;"),
    ];
    let unknown = [
        turns("0", up, "setp.lt.u32 %p, %r1, %r2;"),
        turns("%r2", up, "setp.lt.u32 %p, %r1, 16;"),
        turns("0", up, "setp.lt.f32 %p, %f2, %f1;"),
        turns("0", up, "setp.lt.u32 %p, %r1, 100000;"),
        turns("0", up, "bar.sync 0; setp.lt.u32 %p, %r1, 16;"),
        kernel(".pragma \"nounroll\";", "0", up, "setp.lt.u32 %p, %r1, 16;"),
    ];
    let all = [&known[..], &unknown].concat().join("\n");
    expect![[r#"
        written 6 low 6 high 23 estimate 29
        written 6 low 6 high 23 estimate 29
        written 6 low 6 high 23 estimate 29
        written 6 low 6 high 23 estimate 29
        written 7 low 7 high 13 estimate 21
        written 6 low 6 high 12 estimate 20
        written 6 low 6 high 6 estimate 14
        written 6 low 6 high 12 estimate 20
        written 6 low 6 high 12 estimate 20
        written 6 low 6 high 6 estimate 14"#]]
    .assert_eq(&all);
}

#[test]
fn a_few_turns_are_put_together() {
    // Adds up numbers in memory, as often as a parameter says.
    let kernel = |inside: &str, step: &str, test: &str| {
        needs(&format!(
            ".version 8.0 .target sm_80 .address_size 64
.extern .func other;
.entry k(.param .u64 p) {{
.reg .b64 %rd<4>; .reg .b32 %r<6>; .reg .f32 %f<3>; .reg .pred %p, %q;
ld.param.u64 %rd1, [p];
ld.global.u64 %rd1, [%rd1];
ld.global.u32 %r2, [%rd1];
mov.f32 %f1, 0f00000000;
mov.u32 %r1, 0;
L:
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
ld.global.f32 %f2, [%rd3];
add.f32 %f1, %f1, %f2;
{inside}
{step}
{test}
@%p bra L;
END: st.global.f32 [%rd1], %f1;
ret;
}}"
        ))
    };
    let (up, bound) = ("add.u32 %r1, %r1, 1;", "setp.lt.u32 %p, %r1, %r2;");
    let long = "add.f32 %f1, %f1, %f2;\n".repeat(48);
    let rows = [
        ("as it is", kernel("", up, bound)),
        (
            "by more than one",
            kernel("", "sub.u32 %r1, %r1, 4;", bound),
        ),
        (
            "an unknown step",
            kernel("", "add.u32 %r1, %r1, %r2;", bound),
        ),
        ("no sum", kernel("", "shl.b32 %r1, %r1, 1;", bound)),
        (
            "a changing bound",
            kernel("add.u32 %r2, %r2, 1;", up, bound),
        ),
        (
            "another way out",
            kernel("setp.eq.f32 %q, %f2, %f1;\n@%q bra END;", up, bound),
        ),
        ("a barrier", kernel("bar.sync 0;", up, bound)),
        ("a fence", kernel("membar.gl;", up, bound)),
        (
            "a shuffle",
            kernel("shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;", up, bound),
        ),
        ("a call", kernel("call other;", up, bound)),
        ("a routine", kernel("div.rn.f32 %f1, %f1, %f2;", up, bound)),
        ("a long turn", kernel(&long, up, bound)),
    ];
    let all = rows
        .map(|(what, needs)| format!("{what}: {needs}"))
        .join("\n");
    expect![[r#"
        as it is: written 7 low 7 high 13 estimate 21
        by more than one: written 7 low 7 high 13 estimate 21
        an unknown step: written 7 low 7 high 7 estimate 15
        no sum: written 7 low 7 high 7 estimate 15
        a changing bound: written 7 low 7 high 7 estimate 15
        another way out: written 7 low 7 high 7 estimate 15
        a barrier: written 7 low 7 high 13 estimate 21
        a fence: written 7 low 7 high 7 estimate 15
        a shuffle: written 7 low 7 high 7 estimate 15
        a call: written 23 low 23 high 23 estimate 29
        a routine: written 12 low 12 high 13 estimate 21
        a long turn: written 7 low 7 high 7 estimate 15"#]]
    .assert_eq(&all);
}

#[test]
fn loops_that_are_tested_at_their_start() {
    let text = ".entry k(.param .u64 p) {
.reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<3>; .reg .pred %p;
ld.param.u64 %rd1, [p];
ld.global.u64 %rd1, [%rd1];
mov.f32 %f1, 0f00000000;
mov.u32 %r3, 12;
mov.u32 %r2, %r3;
mov.s32 %r1, -1;
bra TEST;
LOOP:
mul.wide.u32 %rd2, %r1, 4;
add.s64 %rd3, %rd1, %rd2;
ld.global.f32 %f2, [%rd3];
add.f32 %f1, %f1, %f2;
TEST:
add.s32 %r1, %r1, 1;
setp.lt.s32 %p, %r1, %r2;
@%p bra LOOP;
st.global.f32 [%rd1], %f1;
ret;
}";
    expect!["written 6 low 6 high 18 estimate 26"].assert_eq(&needs(text));
    // The same with the guard turned round.
    let turned = text.replace("setp.lt", "setp.ge").replace("@%p", "@!%p");
    assert_eq!(needs(&turned), needs(text));
}

#[test]
fn calls() {
    let entry = |rest: &str| {
        needs(&format!(
            ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.func small() {{ .reg .b32 %r; mov.u32 %r, %tid.x; st.shared.u32 [0], %r; ret; }}
.global .u64 pointer = small;
.entry k(.param .u64 p) {{\n.reg .b64 %rd<3>; ld.param.u64 %rd1, [p];\n{rest}\nret;\n}}"
        ))
    };
    let all = [
        entry(""),
        entry("call small;"),
        entry("mov.u64 %rd2, small; st.global.u64 [%rd1], %rd2;"),
        entry(
            "{ .param .b32 r; .param .b64 f, a; st.param.b64 [f], %rd1; st.param.b64 [a], %rd1;
             call (r), vprintf, (f, a); }",
        ),
        entry("proto: .callprototype _ (); call %rd1, (), proto;"),
    ];
    expect![[r#"
        written 0 low 0 high 0 estimate 4
        written 1 low 1 high 1 estimate 8
        written 0 low 0 high 0 estimate 24
        written 18 low 18 high 18 estimate 24
        written 18 low 18 high 18 estimate 24"#]]
    .assert_eq(&all.join("\n"));
}

#[test]
fn a_function_that_is_called_needs_its_values_and_may_change_registers() {
    let entry = |inside: &str| {
        needs(&format!(
            ".shared .b32 s[40];
.func called() {{ {inside} ret; }}
.entry k(.param .u64 p) .maxnreg 168 {{ call called; ret; }}"
        ))
    };
    let loads: String = (0..40)
        .map(|it| format!("ld.volatile.shared.u32 %r{it}, [s+{}];\n", 4 * it))
        .chain((0..40).map(|it| format!("st.volatile.shared.u32 [s+{}], %r{it};\n", 4 * it)))
        .collect();
    let all = [
        entry(""),
        entry(&format!(".reg .b32 %r<40>;\n{loads}")),
        entry("setmaxnreg.dec.sync.aligned.u32 40;"),
    ];
    expect![[r#"
        written 0 low 0 high 0 estimate 4
        written 40 low 40 high 40 estimate 46
        written 0 low 0 high 0 estimate 168"#]]
    .assert_eq(&all.join("\n"));
}

#[test]
fn registers_that_keep_no_block_away_are_spent() {
    // Values that live from one barrier to another, and sums of loads between these. ptxas 13.5 takes 30, 39, 62,
    // 125, 40, 62, 62, 64, 80 and 40 registers.
    let kernel = |values: usize, target: &str, bounds: &str| {
        let lines = |count: usize, line: &dyn Fn(usize) -> String| -> String {
            (0..count).map(line).collect()
        };
        let text = format!(
            ".version 8.0 .target {target} .address_size 64
.entry k(.param .u64 p, .param .u64 q) {bounds} {{
.reg .b64 %rd<4>; .reg .b32 %r; .reg .f32 %f<200>; .reg .f32 %v<200>; .reg .f32 %a;
ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];
mov.u32 %r, %tid.x; mul.wide.u32 %rd3, %r, 1024; add.s64 %rd2, %rd2, %rd3;
mov.f32 %a, 0f00000000;
{}bar.sync 0;\n{}bar.sync 0;\n{}st.global.f32 [%rd2], %a; ret; }}",
            lines(values, &|it| format!(
                "ld.volatile.global.f32 %v{it}, [%rd1+{}];\n",
                4 * it
            )),
            lines(200, &|it| format!(
                "ld.global.f32 %f{it}, [%rd2+{}];\nadd.f32 %a, %a, %f{it};\n",
                4 * it
            )),
            lines(values, &|it| format!(
                "add.f32 %a, %a, %v{it};\nmul.f32 %a, %a, %a;\n"
            )),
        );
        let fixture = Fixture::new(&text);
        let found = fixture.host.analysis().registers(FileId(0), None).unwrap();
        let it = &found[0];
        format!(
            "{values} {target} {bounds}: {} of {}",
            it.estimate, it.spent
        )
    };
    let all = [
        kernel(1, "sm_80", ""),
        kernel(24, "sm_80", ""),
        kernel(48, "sm_80", ""),
        kernel(90, "sm_80", ""),
        kernel(1, "sm_120", ""),
        kernel(1, "sm_75", ""),
        kernel(1, "sm_80", ".maxntid 32"),
        kernel(40, "sm_80", ".maxntid 256"),
        kernel(1, "sm_80", ".maxntid 256 .minnctapersm 3"),
        kernel(1, "sm_80", ".maxnreg 40"),
    ];
    expect![[r#"
        1 sm_80 : 32 of 32
        24 sm_80 : 40 of 40
        48 sm_80 : 64 of 64
        90 sm_80 : 128 of 128
        1 sm_120 : 40 of 40
        1 sm_75 : 64 of 64
        1 sm_80 .maxntid 32: 64 of 64
        40 sm_80 .maxntid 256: 64 of 64
        1 sm_80 .maxntid 256 .minnctapersm 3: 80 of 80
        1 sm_80 .maxnreg 40: 40 of 40"#]]
    .assert_eq(&all.join("\n"));
}

/// The text of the line where most registers are expected, with how many the order of ptxas has there.
fn peak(body: &str) -> String {
    let text = format!("{HEADER}.entry k(.param .u64 p) {{\n{body}ret;\n}}\n");
    let fixture = Fixture::new(&text);
    let found = fixture.host.analysis().registers(FileId(0), None).unwrap();
    let Some(line) = found[0].peak_line else {
        return "none".to_owned();
    };
    let most = found[0].alive_reordered.iter().find(|it| it.0 == line);
    let text = text.lines().nth(line as usize).unwrap();
    format!("{} {text}", most.unwrap().1)
}

#[test]
fn most_are_alive_where_an_order_that_starts_early_has_them() {
    let registers = ".reg .b64 %rd<4>; .reg .b32 %r<40>; .reg .f32 %f<40>; .reg .pred %p;\nld.param.u64 %rd1, [p];\n";
    // Three values are live in the order of the text.
    let few = "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %tid.y;\nmov.u32 %r3, %tid.z;\nbar.sync 0;\n\
               st.global.u32 [%rd1], %r1;\nst.global.u32 [%rd1], %r2;\nst.global.u32 [%rd1], %r3;\n";
    // Two are, but all loads can start before the first sum.
    let sums: String = (0..8)
        .map(|it| {
            format!(
                "ld.global.f32 %f1, [%rd1+{}];\nadd.f32 %f0, %f0, %f1;\n",
                4 * it
            )
        })
        .collect();
    let sums = format!("mov.f32 %f0, 0f00000000;\nbar.sync 0;\n{sums}st.global.f32 [%rd1], %f0;\n");
    let all = [
        String::new(),
        format!("{registers}{few}"),
        format!("{registers}{few}{sums}"),
        format!("{registers}{sums}bar.sync 0;\n{few}"),
    ];
    let all: Vec<String> = all.iter().map(|it| peak(it)).collect();
    expect![[r#"
        none
        3 mov.u32 %r3, %tid.z;
        8 add.f32 %f0, %f0, %f1;
        11 add.f32 %f0, %f0, %f1;"#]]
    .assert_eq(&all.join("\n"));
}

#[test]
fn loops_in_loops_and_loops_counted_in_floats_are_unrolled() {
    let kernel = |start: &str, inner: &str, outer: &str| {
        needs(&format!(
            ".entry k(.param .u64 p) {{
.reg .b64 %rd<4>; .reg .f32 %f<9>; .reg .f64 %fd<3>; .reg .b32 %r<3>; .reg .pred %p;
ld.param.u64 %rd1, [p];
ld.global.u64 %rd1, [%rd1];
mov.f32 %f1, 0f00000000;
mov.f32 %f3, {start};
OUTER:
mov.f64 %fd1, 0d0000000000000000;
INNER:
ld.global.f32 %f2, [%rd1];
add.s64 %rd1, %rd1, 4;
add.f32 %f1, %f1, %f2;
add.f64 %fd1, %fd1, 0d3FF0000000000000;
{inner}
@%p bra INNER;
add.f32 %f3, %f3, 0f3F800000;
{outer}
@%p bra OUTER;
st.global.f32 [%rd1], %f1;
ret;
}}"
        ))
    };
    let (six, four) = (
        "setp.lt.f64 %p, %fd1, 0d4018000000000000;",
        "setp.leu.f32 %p, %f3, 0f40000000;",
    );
    let all = [
        // 24 turns, then 6, which the inner loop has alone, then none.
        kernel("0fBF800000", six, four),
        kernel("%f1", six, "setp.lt.f32 %p, %f2, %f3;"),
        kernel("0fBF800000", "setp.lt.f64 %p, %fd1, %fd2;", four),
        // No number is less than another.
        kernel("0f7FC00000", six, "setp.lt.f32 %p, %f3, 0f40000000;"),
        kernel("0f7FC00000", six, four),
    ];
    expect![[r#"
        written 7 low 7 high 27 estimate 32
        written 7 low 7 high 10 estimate 18
        written 9 low 7 high 10 estimate 18
        written 7 low 7 high 10 estimate 18
        written 7 low 7 high 10 estimate 18"#]]
    .assert_eq(&all.join("\n"));
}

#[test]
fn vectors_from_constant_memory_are_operands() {
    check(
        ".const .align 16 .b8 table[64];
.reg .f32 %f<9>; .reg .b64 %rd<2>;
ld.param.u64 %rd1, [p];
ld.const.v4.f32 {%f1, %f2, %f3, %f4}, [table];
fma.rn.f32 %f5, %f1, %f2, %f3;
mul.f32 %f6, %f5, %f4;
st.global.f32 [%rd1], %f6;
",
        expect![[r#"
            written 1 low 1 high 1
            0 ld.param.u64 %rd1, [p];
            0 ld.const.v4.f32 {%f1, %f2, %f3, %f4}, [table];
            1 fma.rn.f32 %f5, %f1, %f2, %f3;
            1 mul.f32 %f6, %f5, %f4;
            1 st.global.f32 [%rd1], %f6;
            0 ret;
        "#]],
    );
}
