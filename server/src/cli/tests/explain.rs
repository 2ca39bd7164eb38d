//! The command `explain`.

use super::*;

#[test]
fn unknown_words_are_not_explained() {
    check(
        &["explain", "qqzzyy"],
        "",
        expect![[r#"
        error: no documentation for `qqzzyy`; `ptx-analyzer explain --list` prints all names
        status 2
    "#]],
    );
    check(
        &["explain", "add", "--target", "sm_91"],
        "",
        expect![[r#"
            error: invalid value 'sm_91' for '--target <TARGET>': there is no such target; did you mean `sm_90`?

            For more information, try '--help'.
            status 2
        "#]],
    );
}

#[test]
fn statements_are_explained_without_quotes() {
    let words = ["elect.sync", "_|%p1,", "0xffffffff;"];
    let args = [&["explain", "--target", "sm_75"][..], &words].concat();
    let (status, shown, _) = run_with(&args, b"", false);
    assert_eq!(status, 0);
    // The summary, the form and the operands come first.
    let mut rest = &*shown;
    for part in [
        "elect (instruction)",
        "Elects one lane of the warp",
        "elect.sync d|p, membermask",
        "Not available on sm_75: needs sm_90, PTX ISA 8.0.",
        "d (_|%p1): the lane ID of the elected thread",
        "membermask (0xffffffff): a bit for each lane",
    ] {
        let at = rest.find(part);
        rest = &rest[at.unwrap_or_else(|| panic!("{part}: {shown}"))..];
    }
}

#[test]
fn explanations_are_json() {
    check(
        &["explain", "--format", "json", "%tid.x", "xqzq"],
        "",
        expect![[r#"
            [
              {
                "found": [
                  {
                    "kind": "special register",
                    "markdown": "Position of the thread in its CTA. A vector `.v4.u32`; each component runs from 0 to that of `%ntid` minus 1, and unused dimensions and `.w` are 0.\n\n- Only `mov` and `cvt` read it; copy it to a register before computing with it.\n- Threads are numbered along x first: `tid.x + ntid.x * (tid.y + ntid.y * tid.z)`. Warps are runs of 32 of these numbers, so a warp of a CTA that is 16 wide covers two rows.\n- 16-bit `mov` and `cvt` read the lower half, as code for PTX ISA 1.x does; `%ntid`, `%ctaid` and `%nctaid` allow this too.\n\n```ptx 2.3 sm_20\n    mov.u32 %r0, %tid.x;\n    mov.u32 %r1, %ctaid.x;\n    mov.u32 %r2, %ntid.x;\n    mad.lo.u32 %r3, %r1, %r2, %r0;\n```\n\nPTX ISA [10.1](https://docs.nvidia.com/cuda/parallel-thread-execution/#special-registers-tid)",
                    "name": "%tid"
                  },
                  {
                    "kind": "other pages",
                    "markdown": "Other pages that speak of it:\n\n- `global thread index`: The number of a thread among all threads of a launch: `%ctaid.x * %ntid.x + %tid.x` in one dimension.\n- `special registers`: Predefined registers with the position of the thread, clocks and sizes, such as `%tid`.\n- `tcgen05 with epilogue`: A CTA multiplies bf16 tiles (128 x 64 by 64 x 64) into tensor memory and writes the result to global memory: one warp allocates, one thread loads and multiplies, four warps read the accumulator.\n- `last CTA`: The CTA that finishes last combines the results of all: each CTA stores its sum and takes a ticket with `atom.inc`; the one with the highest ticket adds the sums, with all its threads.\n- `S2R`: Reads a special register, such as `SR_TID.X` for `%tid.x`.\n- `grid-stride loop`: Each thread processes elements that are a whole grid apart, so one launch of any size covers an array of any length.\n",
                    "name": "%tid.x xqzq"
                  }
                ],
                "question": "%tid.x xqzq",
                "similar": []
              }
            ]
            status 0
        "#]],
    );
}

/// Questions in words, of which the analysis tests the answers.
const QUESTIONS: &str =
    include_str!("../../../../analysis/src/features/hover/explain/questions.tsv");

/// The problems of the answer to a question: a wrong first page, long lines, too many of them.
fn problems(question: &str, name: Option<&str>, width: usize) -> Vec<String> {
    let (status, shown, _) = run_with(&["explain", "--", question], b"", false);
    let mut found = Vec::new();
    let title = shown.lines().next().unwrap_or_default();
    if status != 0 || name.is_some_and(|it| !title.starts_with(&format!("{it} ("))) {
        found.push(format!("{question}: status {status}, {title}"));
    }
    if let Some(long) = shown.lines().find(|it| it.chars().count() > width) {
        found.push(format!("{question}: {long}"));
    }
    let lines = shown.lines().count();
    if lines > 60 {
        found.push(format!("{question}: {lines} lines"));
    }
    found
}

/// Every name has its page first, and every answer fits 80 columns and 60 lines.
#[test]
fn answers_fit_a_terminal() {
    let names = analysis::documented();
    let names = names
        .iter()
        .filter(|it| it.1.kind() != "message of ptxas" && !it.0.contains('*'))
        // The title of a chapter may be the name of a concept, whose page is first.
        .filter(|it| it.1.kind() != "chapter");
    // A modifier is on the page of its instruction, and a terminal shows underlines as emphasis.
    let others = ["WARPSYNC.COLLECTIVE", "__launch_bounds__"];
    let names: Vec<&str> = names
        .map(|it| it.0.as_str())
        .filter(|it| !others.contains(it))
        .collect();
    let questions: Vec<&str> = QUESTIONS
        .lines()
        .filter_map(|it| it.split_once('\t'))
        .map(|it| it.0)
        .collect();
    assert!(names.len() > 800 && questions.len() > 200);
    let names = names.iter().flat_map(|it| problems(it, Some(it), 80));
    let questions = questions.iter().flat_map(|it| problems(it, None, 80));
    let wrong: Vec<String> = names.chain(questions).collect();
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn statements_run_on_values() {
    let lop3 = "lop3.b32 %0, %1, %2, %3, 0x96";
    check(
        &["explain", "--try", lop3, "1", "2", "4"],
        "",
        expect![[r#"
            %0 (.b32) = 7
                hex       0x00000007
                u32       7
                s32       7
                f32       1e-44
                f16x2     {4.172325e-7, 0}
                bits      00000000 00000000 00000000 00000111
            status 0
        "#]],
    );
    check(
        &["explain", "--try", "add.s32 %0, %1, %2", "-1"],
        "",
        expect![[r#"
            error: expected 2 values, for `%1` (.s32), `%2` (.s32); found 1
            status 2
        "#]],
    );
}

#[test]
fn calculators_need_no_quotes() {
    let words = ["explain", "swizzle", "mode=128", "row=3", "byte=32"];
    let (status, shown, _) = run_with(&words, b"", false);
    assert_eq!(status, 0);
    let answer = "Row 3, byte 32 is at 0x190; without swizzling it would be at 0x1a0.";
    assert!(shown.contains(answer), "{shown}");
}
