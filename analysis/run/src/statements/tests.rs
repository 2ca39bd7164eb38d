use expect_test::{Expect, expect};

use super::{Statements, show};

/// Runs statements on values with blanks between them.
#[track_caller]
fn check(text: &str, values: &str, expect: Expect) {
    let values: Vec<String> = values.split_whitespace().map(str::to_owned).collect();
    let shown = match Statements::new(text, &[], None) {
        Ok(it) => match it.run(&values) {
            Ok(tried) => show(&it, &tried),
            Err(problem) => problem,
        },
        Err(problem) => match problem.range {
            Some(range) => format!("{} at `{}`", problem.message, &problem.text[range]),
            None => problem.message,
        },
    };
    expect.assert_eq(&shown);
}

#[test]
fn one_statement() {
    check(
        "lop3.b32 %0, %1, %2, %3, 0x96",
        "1 2 4",
        expect![[r#"
        %0 (.b32) = 7
            hex       0x00000007
            u32       7
            s32       7
            f32       1e-44
            f16x2     {4.172325e-7, 0}
            bits      00000000 00000000 00000000 00000111
    "#]],
    );
    check(
        "add.f32 %0, %1, %2;",
        "1.5 0x40000000",
        expect![[r#"
        %0 (.f32) = 3.5
            hex       0x40600000
            u32       1080033280
            s32       1080033280
            f16x2     {0, 2.1875}
            bits      01000000 01100000 00000000 00000000
    "#]],
    );
    check(
        "setp.lt.s32 %p1, %r1, %r2",
        "-1 1",
        expect![[r#"
        %p1 (.pred) = true
    "#]],
    );
    check(
        "fma.rn.f16x2 d, a, b, c",
        "{1,2} {3,4} f16x2{0.5,-1}",
        expect![[r#"
            d (.f16x2) = {3.5, 7}
                hex       0x47004300
                u32       1191199488
                s32       1191199488
                f32       32835
                bits      01000111 00000000 01000011 00000000
        "#]],
    );
    check(
        "mad.wide.u32 %0, %1, %2, %3",
        "0xffffffff 2 1",
        expect![[r#"
        %0 (.u64) = 8589934591
            hex       0x00000001ffffffff
            s64       8589934591
            f64       4.2439915814e-314
            bits      00000000 00000000 00000000 00000001 11111111 11111111 11111111 11111111
    "#]],
    );
    check(
        "cvt.rn.e2m1x2.f32 %0, %1, %2",
        "1.5 2",
        expect!["`cvt.rn.e2m1x2.f32` needs `.satfinite` at `cvt.rn.e2m1x2.f32`"],
    );
    check(
        "ex2.approx.f32 %0, %1",
        "3",
        expect![[r#"
        %0 (.f32) = 8
            hex       0x41000000
            u32       1090519040
            s32       1090519040
            f16x2     {0, 2.5}
            bits      01000001 00000000 00000000 00000000
        PTX allows several results for approximations; this is one of them
    "#]],
    );
    check(
        "mov.u32 %0, %%laneid;\\n\\t",
        "",
        expect![[r#"
        %0 (.u32) = 0
            hex       0x00000000
            s32       0
            f32       0
            f16x2     {0, 0}
            bits      00000000 00000000 00000000 00000000
    "#]],
    );
}

#[test]
fn several_statements_show_their_steps() {
    check(
        "{ .reg .b32 t; add.s32 t, %1, 1; @%2 shl.b32 t, t, 3; mov.b32 %0, t; }",
        "5 true",
        expect![[r#"
              1  add.s32 t, %1, 1;
                 t = 6
              2  @%2 shl.b32 t, t, 3;
                 t = 48
              3  mov.b32 %0, t;
                 %0 = 48

            %0 (.b32) = 48
                hex       0x00000030
                u32       48
                s32       48
                f32       6.7e-44
                f16x2     {2.861023e-6, 0}
                bits      00000000 00000000 00000000 00110000
        "#]],
    );
    check(
        "add.s32 a, b, 1; @!p mov.b32 a, 7",
        "b=2 p=true",
        expect![[r#"
              1  add.s32 a, b, 1;
                 a = 3
              2  @!p mov.b32 a, 7;
                 not executed: its guard is false

            a (.b32) = 3
                hex       0x00000003
                u32       3
                s32       3
                f32       4e-45
                f16x2     {1.7881393e-7, 0}
                bits      00000000 00000000 00000000 00000011
        "#]],
    );
    check(
        "{ .shared .b32 s; st.shared.b32 [s], %1; ld.shared.b32 %0, [s]; }",
        "9",
        expect![[r#"
              1  st.shared.b32 [s], %1;
              2  ld.shared.b32 %0, [s];
                 %0 = 9

            %0 (.b32) = 9
                hex       0x00000009
                u32       9
                s32       9
                f32       1.3e-44
                f16x2     {5.364418e-7, 0}
                bits      00000000 00000000 00000000 00001001
        "#]],
    );
}

#[test]
fn warps() {
    check(
        "shfl.sync.bfly.b32 %0|%1, %2, 1, 31, -1",
        "4*lane",
        expect![[r#"
            %0 (.b32) by lane
                 0  4 (0x4)     0 (0x0)     12 (0xc)    8 (0x8)
                 4  20 (0x14)   16 (0x10)   28 (0x1c)   24 (0x18)
                 8  36 (0x24)   32 (0x20)   44 (0x2c)   40 (0x28)
                12  52 (0x34)   48 (0x30)   60 (0x3c)   56 (0x38)
                16  68 (0x44)   64 (0x40)   76 (0x4c)   72 (0x48)
                20  84 (0x54)   80 (0x50)   92 (0x5c)   88 (0x58)
                24  100 (0x64)  96 (0x60)   108 (0x6c)  104 (0x68)
                28  116 (0x74)  112 (0x70)  124 (0x7c)  120 (0x78)

            %1 (.pred) = true in all lanes
        "#]],
    );
    check(
        "setp.lt.u32 %0, %1, 16",
        "lane",
        expect![[r#"
        %0 (.pred) by lane
             0  true   true   true   true
             4  true   true   true   true
             8  true   true   true   true
            12  true   true   true   true
            16  false  false  false  false
            20  false  false  false  false
            24  false  false  false  false
            28  false  false  false  false
            mask 0x0000ffff
    "#]],
    );
    check(
        "vote.sync.ballot.b32 %0, %1, -1",
        "lane%2==0",
        expect![[r#"
        %0 (.b32) = 1431655765 in all lanes
            hex       0x55555555
            u32       1431655765
            s32       1431655765
            f32       14660155000000
            f16x2     {85.3125, 85.3125}
            bits      01010101 01010101 01010101 01010101
    "#]],
    );
}

#[test]
fn wrong_questions() {
    check(
        "lop3.b32 %0, %1, %2, %3, 0x96",
        "1 2",
        expect!["expected 3 values, for `%1` (.b32), `%2` (.b32), `%3` (.b32); found 2"],
    );
    check(
        "add.s32 %0, %1, %2",
        "1 x",
        expect!["`x` for `%2`: expected a `.s32`, such as `12`, `0xff` or `4*lane`"],
    );
    check(
        "add.s32 %0, %1, %2",
        "1 1.5",
        expect!["the value of `%2` in lane 0: a `.s32` is an integer"],
    );
    check(
        "add.s32 %0, %1, %2",
        "1 0x1ffffffff",
        expect!["the value of `%2` in lane 0: 8589934591 does not fit into `.s32`"],
    );
    check(
        "add.s32 %0, %1, %2",
        "1 1,2",
        expect!["`1,2` for `%2`: expected one value, or 32 with commas between them, found 2"],
    );
    check(
        "add.f16x2 %0, %1, %2",
        "1.5 {1}",
        expect!["`{1}` for `%2`: a `.f16x2` has 2 numbers, found 1"],
    );
    check(
        "add.q32 %0, %1, %2",
        "1 2",
        expect!["`.q32` is not allowed in `add.q32`; did you mean `.f32`? at `.q32`"],
    );
    check(
        "ld.global.b32 %0, [%1]",
        "4",
        expect![
            "there is no memory for the address `%1`: only variables that the statements declare can be accessed, such as `.shared .align 16 .b8 s[64];`; run a kernel instead"
        ],
    );
    check(
        "bar.sync 0; call f;",
        "",
        expect![
            "function `f` is not declared: a call needs a `.func` declaration before it at `f`"
        ],
    );
    check("", "", expect!["there is no statement"]);
    check(
        "div.u32 %0, %1, %2",
        "1 0",
        expect![[r#"
        %0 (.u32) = 4294967295
            hex       0xffffffff
            s32       -1
            f32       nan
            f16x2     {nan, nan}
            bits      11111111 11111111 11111111 11111111
        division-by-zero: the divisor is 0, and PTX does not say what the result is
    "#]],
    );
}

#[test]
fn endless_statements_end() {
    let statements = Statements::new("$l: bra $l;", &[], None).expect("they are right");
    let tried = statements.run(&[]).expect("there are no values");
    assert_eq!(tried.steps.len(), super::MOST_STEPS);
    let shown = show(&statements, &tried);
    let end: Vec<&str> = shown.lines().skip(super::MOST_STEPS).collect();
    expect![[r#"
             … and 121 more instructions

        deadlock: the warp repeats a loop forever: what it waits for changes no more"#]]
    .assert_eq(&end.join("\n"));
}
