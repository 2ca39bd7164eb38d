//! Words that people type, and the page that answers.

use expect_test::{Expect, expect};
use isa::{
    documentation::{self, Topic},
    special::SPECIAL_REGISTERS,
    table::tables,
};

use super::explain;

mod questions;

/// Words, opcodes, statements and messages as people type them, with the name of the page that answers; `ld*` appears
/// for any page of an instruction that begins so.
const TYPED: &str = include_str!("typed.tsv");

/// The names of what answers a question.
fn names(question: &str) -> Vec<String> {
    let answer = explain(question, None).expect("no target");
    answer.found.into_iter().map(|it| it.name).collect()
}

/// Questions with the names of which one must answer.
fn questions() -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = TYPED
        .lines()
        .filter_map(|it| it.split_once('\t'))
        .map(|(question, name)| (question.to_owned(), name.to_owned()))
        .collect();
    // Every opcode, alone and with each word that may come first.
    for instruction in tables().instructions() {
        let name = instruction.name;
        let words = instruction
            .variants
            .iter()
            .filter_map(|it| it.slots.first());
        for id in words.flat_map(|it| it.values.iter()) {
            let question = format!("{name}.{}", instruction.words[usize::from(id)]);
            all.push((question.clone(), question));
        }
        all.push((name.to_owned(), name.to_owned()));
    }
    for register in SPECIAL_REGISTERS {
        let name = register.written(Some(3));
        for component in ["", ".x", ".y", ".z", ".w"] {
            all.push((format!("{name}{component}"), format!("{name}{component}")));
        }
    }
    for entry in documentation::entries(Topic::Directives) {
        all.extend(
            entry
                .words
                .iter()
                .map(|it| ((*it).to_owned(), (*it).to_owned())),
        );
    }
    all.sort();
    all.dedup();
    all
}

#[test]
fn whatever_people_type_is_answered() {
    let questions = questions();
    let wrong: Vec<String> = questions
        .iter()
        .filter_map(|(question, expected)| {
            let names = names(question);
            let is_expected = |name: &String| match expected.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == expected,
            };
            let answered = names.iter().any(is_expected);
            (!answered).then(|| format!("{question}: {names:?}, not {expected}"))
        })
        .collect();
    assert!(questions.len() >= 600, "{}", questions.len());
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        questions.len(),
        wrong.join("\n")
    );
}

/// Every word of another language leads to pages.
#[test]
fn aliases_have_pages() {
    let lost: Vec<_> = documentation::aliases()
        .filter(|(_, targets)| targets.iter().any(|it| names(it).is_empty()))
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
}

#[track_caller]
fn check(question: &str, target: Option<&str>, lines: usize, expected: Expect) {
    let answer = explain(question, target).expect("a target");
    let mut shown: Vec<String> = Vec::new();
    for it in &answer.found {
        shown.push(format!("{} ({})", it.name, it.kind));
        shown.extend(
            it.text
                .lines()
                .filter(|it| !it.is_empty())
                .take(lines)
                .map(|it| format!("    {it}")),
        );
    }
    if !answer.similar.is_empty() {
        shown.push(format!("similar: {}", answer.similar.join(", ")));
    }
    expected.assert_eq(&shown.join("\n"));
}

#[test]
fn statements_show_their_form() {
    check(
        "ld.global.nc.v4.f32 {%f0,%f1,%f2,%f3}, [%rd1];",
        Some("sm_80"),
        5,
        expect![[r#"
            ld (instruction)
                Loads a value or a vector from memory into registers.
                ```ptx
                ld.global.nc.v4.f32 d, [a]
                ```
                Available on `sm_80` (needs `sm_32`, PTX ISA 3.1)."#]],
    );
    check(
        "shfl.snyc.bfly.b32 %r1, %r2, 1, 31, -1",
        None,
        6,
        expect![[r#"
            shfl (instruction)
                Reads a register of another lane of the warp.
                ```ptx
                shfl.sync.bfly.b32 d|p, a, b, c, membermask
                ```
                `.snyc` does not fit here. Missing: `.sync`. Did you mean `.sync`?
                Needs `sm_30`, PTX ISA 3.0."#]],
    );
    check(
        "mbarrier.try_wait.par",
        None,
        6,
        expect![[r#"
            mbarrier.try_wait (instruction)
                Waits for a phase of an mbarrier to complete, for a limited time.
                ```ptx
                mbarrier.try_wait.b64 done, [addr], state, {timeHint}
                ```
                Missing: `.parity`.
                Needs `sm_90`, PTX ISA 7.8."#]],
    );
    check(
        "add.s32 %r1, %r2",
        None,
        6,
        expect![[r#"
            add (instruction)
                Adds two numbers.
                ```ptx
                add.s32 d, a, b
                ```
                Missing operands: `b`.
                Available on all targets."#]],
    );
}

#[test]
fn gates_are_judged_for_a_target() {
    check(
        "wgmma.fence",
        Some("sm_90"),
        5,
        expect![[r#"
            wgmma.fence (instruction)
                Orders accesses to the registers of a warpgroup before `wgmma.mma_async`.
                ```ptx
                wgmma.fence.sync{.aligned}
                ```
                Not available on `sm_90`: needs `sm_90a`, PTX ISA 8.0."#]],
    );
    check(
        "tcgen05.mma.cta_group::1.kind::f16",
        Some("sm_103a"),
        5,
        expect![[r#"
            tcgen05.mma.cta_group::1.kind::f16 (instruction)
                Starts `D = A * B + D` on tensor cores of `sm_100` to `sm_110`, with D in tensor memory.
                ```ptx
                tcgen05.mma.cta_group::1.kind::f16 [d], a, b, idesc, {lanes}, enable
                ```
                Available on `sm_103a` (needs `sm_100f` or `sm_110f`, PTX ISA 8.6)."#]],
    );
    check(
        "nanosleep.u32",
        Some("sm_70"),
        5,
        expect![[r#"
            nanosleep.u32 (instruction)
                Suspends the thread for about `t` nanoseconds.
                ```ptx
                nanosleep.u32 t
                ```
                Available on `sm_70` (needs `sm_70`, PTX ISA 6.3)."#]],
    );
    assert_eq!(explain("add", Some("sm_91")), Err("sm_91".to_owned()));
}

#[test]
fn misspelled_words_get_close_names() {
    check(
        "mbarier.init",
        None,
        1,
        expect![[r#"
        mbarrier.init (instruction)
            Nothing is called `mbarier.init`; the nearest name is `mbarrier.init`."#]],
    );
    check(
        "%ctaids",
        None,
        1,
        expect![[r#"
        %ctaid (special register)
            Position of the CTA in the grid. A vector `.v4.u32`; each component runs from 0 to that of `%nctaid` minus 1, and `.w` is 0."#]],
    );
    check(
        "ldmatirx",
        None,
        1,
        expect![[r#"
        ldmatrix (instruction)
            Nothing is called `ldmatirx`; the nearest name is `ldmatrix`."#]],
    );
    check("xyzzy", None, 1, expect![""]);
}

#[test]
fn messages_lead_to_what_they_name() {
    check(
        "ptxas k.ptx, line 7; error   : Arguments mismatch for instruction 'max'",
        None,
        1,
        expect![[r#"
            Arguments mismatch for instruction 'max' (message of ptxas)
                The number, the kind or the types of the operands fit no form of the instruction with these modifiers.
            max (instruction)
                Takes the larger of two or three numbers."#]],
    );
}

#[test]
fn machine_instructions_come_with_their_ptx() {
    expect![[r#"
        LDG.E.128 -> LDG, ld
        @!P0 HMMA.16816.F32 R4, R8, R10, R4 -> HMMA, mma
        SYNCS -> SYNCS, mbarrier.try_wait, mbarrier.arrive
        BAR -> BAR, bar
        bar -> bar
    "#]]
    .assert_eq(&shown(&[
        "LDG.E.128",
        "@!P0 HMMA.16816.F32 R4, R8, R10, R4",
        "SYNCS",
        "BAR",
        "bar",
    ]));
}

/// Questions and the names of what answers them.
fn shown(questions: &[&str]) -> String {
    questions
        .iter()
        .map(|it| format!("{it} -> {}\n", names(it).join(", ")))
        .collect()
}

/// The glossary says that `explain` answers its terms.
#[test]
fn terms_of_the_glossary_are_answered() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join("../editors/guide/glossary.md");
    let glossary = std::fs::read_to_string(path).expect("the glossary is there");
    let rows = glossary.lines().filter_map(|it| it.strip_prefix("| "));
    let terms = rows.filter_map(|it| it.split_once(" |")).map(|it| it.0);
    let terms: Vec<&str> = terms.filter(|it| *it != "term").collect();
    assert!(terms.len() > 40, "{}", terms.len());
    let is_unanswered = |term: &&str| {
        // `address, generic` is looked for as `generic address`.
        let asked = match term.split_once(", ") {
            Some((noun, adjective)) => format!("{adjective} {noun}"),
            None => (*term).to_owned(),
        };
        let answer = explain(&asked, None).expect("no target");
        answer.found.first().is_none_or(|it| it.kind == "search")
    };
    let unanswered: Vec<&str> = terms.into_iter().filter(is_unanswered).collect();
    assert!(unanswered.is_empty(), "{unanswered:?}");
}
