//! Texts of four times the size take four times as long, and not sixteen times.

use std::{sync::Arc, time::Instant};

use analysis::{FileContents, FilePosition, FileRange, FormattingOptions};
use ptx_tests::{
    process,
    properties::answers::{self, FILE, all_hints},
};
use syntax::{TextRange, TextSize};

const WHY: &str = "no cancellation";
/// Repetitions in the smaller text; the larger one has four times as many.
const COUNT: usize = 800;
/// The allowed cost of four times the text; what grows with the square costs 16.
const MOST: f64 = 9.0;
/// Seconds that count as none.
const NOTHING: f64 = 4e-3;
/// Runs, of which the fastest counts.
const RUNS: usize = 6;

const HEADER: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// The questions about a text; the cursor is `$0`.
#[derive(Clone, Copy, Debug)]
enum Question {
    Diagnostics,
    Completion,
    SignatureHelp,
    Hover,
    Formatting,
    CodeActions,
    InlayHints,
    Highlight,
    Slice,
}
use Question::{
    CodeActions, Completion, Diagnostics, Formatting, Highlight, Hover, InlayHints, SignatureHelp,
    Slice,
};

/// Text before, repeated (`#` is the number of the repetition), and after.
type Case = (
    &'static str,
    &'static str,
    &'static str,
    &'static [Question],
);

const ENTRY: &str = ".entry k(.param .b64 p) {\n.reg .b32 a, b; .reg .b64 d; .reg .pred q;\n";

/// As above, with a predicate that differs between threads.
const THREADS: &str = ".entry k(.param .b64 p) {\n.reg .b32 a, b; .reg .b64 d; .reg .pred q; .shared .b64 m[4000];\n\
    mov.u32 a, %tid.x; setp.eq.u32 q, a, 0;\n";

const CASES: &[Case] = &[
    // Statements, right and wrong.
    (
        ENTRY,
        "add.s32 a, a, #;\n",
        "add.s32 a, $0;\n}",
        &[
            Diagnostics,
            Completion,
            SignatureHelp,
            Hover,
            Formatting,
            InlayHints,
        ],
    ),
    (
        ENTRY,
        "add.s32 a, %unknown#;\n",
        "}",
        &[Diagnostics, CodeActions],
    ),
    (ENTRY, "a b ", "}", &[Diagnostics, CodeActions]),
    (
        ENTRY,
        "add.f16x7 a;\nst.param.b32 [p+4], a;\n",
        "}",
        &[Diagnostics],
    ),
    (
        ENTRY,
        "add.s32 a a;\nadd.s32 a, a, 1;\n.reg .b32 r#;\n",
        "}",
        &[Diagnostics, CodeActions],
    ),
    (
        ENTRY,
        ") ] add.s32 a, a, 1;\n",
        "}",
        &[Diagnostics, Formatting],
    ),
    (
        ENTRY,
        "L#: bra L#;\n",
        "bra $0\n}",
        &[Diagnostics, Completion, Formatting],
    ),
    (ENTRY, "M#:\n", "}", &[Diagnostics, Formatting]),
    // Writes of which each reaches each read after it.
    (
        ENTRY,
        "@q mov.b32 b, #;\nadd.s32 a, b, #;\n",
        "add.s32 a, b$0, 1;\n}",
        &[Diagnostics, Hover, Highlight, Slice],
    ),
    // Barriers in memory, each a variable or all in one, and barriers of the block under branches.
    (
        THREADS,
        ".shared .b64 m#;\nmbarrier.init.shared.b64 [m#], 1;\nmbarrier.arrive.shared.b64 d, [m#];\n\
         W#: mbarrier.try_wait.parity.shared.b64 q, [m#], 0;\n@!q bra W#;\n",
        "ret;\n}",
        &[Diagnostics],
    ),
    (
        THREADS,
        "mbarrier.init.shared.b64 [m+8*#], 1;\nmbarrier.arrive.shared.b64 d, [m+8*#];\n\
         W#: mbarrier.try_wait.parity.shared.b64 q, [m+8*#], 0;\n@!q bra W#;\n",
        "ret;\n}",
        &[Diagnostics],
    ),
    (
        THREADS,
        "@q bra B#;\nbar.sync 0;\nB#:\n",
        "ret;\n}",
        &[Diagnostics],
    ),
    // Blocks that declare the same names again, as inlined calls do.
    (
        ENTRY,
        "{ .reg .b32 t; .param .b32 u; st.param.b32 [u], t; }\n",
        "add.s32 a, $0;\n}",
        &[Diagnostics, Completion, Formatting],
    ),
    (ENTRY, ".reg .b32 t;\n", "}", &[Diagnostics]),
    (
        ENTRY,
        ".reg .b32 r#<9>; add.s32 r#1, a, b;\n",
        "add.s32 a, $0;\n}",
        &[Diagnostics, Completion],
    ),
    // Comments that allow something, and what they allow.
    (
        ENTRY,
        "N#: // ptx-analyzer: allow(unused-label)\nO#:\n// ptx-analyzer: allow(nonsense)\n",
        "}",
        &[Diagnostics, Formatting],
    ),
    // Calls, prototypes and tables.
    (
        ENTRY,
        ".func f# (.param .b32 x); .param .b32 y#; st.param.b32 [y#], a; call f#, (y#);\n",
        "}",
        &[Diagnostics],
    ),
    (
        ENTRY,
        "P#: .callprototype _ (.param .b32 x); call d, (a), P#;\n",
        "}",
        &[Diagnostics],
    ),
    (
        ENTRY,
        ".alias n#, m#;\n.target sm_90;\n.loc 1 # 1, function_name x, inlined_at 1 # 2\n",
        "}",
        &[Diagnostics],
    ),
    // Long expressions, lists and statements.
    (
        ".global .b32 x = 1",
        "+1",
        ";\n",
        &[Diagnostics, Formatting],
    ),
    (
        ".global .b32 x = 1",
        "?1:1",
        ";\n",
        &[Diagnostics, Formatting],
    ),
    (
        ".global .b32 x[] = {0",
        ", #+1",
        "};\n",
        &[Diagnostics, Formatting],
    ),
    (".global .b32 x", "[1]", ";\n", &[Diagnostics]),
    (
        ".entry k() {\nmov.b32 a, {b",
        ", b",
        ", $0};\n}",
        &[Diagnostics, Completion, SignatureHelp, Formatting],
    ),
    (
        ".entry k() {\nadd",
        ".s32",
        ".$0 a, b, c;\n}",
        &[Diagnostics, Completion, Hover],
    ),
    (
        ".entry k() {\nmov.b32 a, b",
        "\n// c\n",
        "$0;\n}",
        &[Completion, Formatting],
    ),
    (
        ".entry k() {\nmov.b32 a, b",
        "\n\n",
        "$0;\n}",
        &[Completion, Formatting],
    ),
    // Items of the module.
    (
        "",
        ".global .b32 g#;\n",
        ".entry k() { mov.b32 a, $0; }",
        &[Diagnostics, Completion, Formatting],
    ),
    ("", ".global .b32 g;\n", "", &[Diagnostics]),
    (
        "",
        ".func f#(.param .b32 x) { mov.b32 y, g#; .alias z, f#; .target sm_80; }\n",
        "",
        &[Diagnostics, Formatting],
    ),
    ("", ".func f(.param .b32 x);\n", "", &[Diagnostics]),
    (
        ".func f(.param .b32 x",
        ", .param .b32 x#",
        ");\n",
        &[Diagnostics, Formatting],
    ),
    (
        ".section .debug_str {\n",
        ".b8 1\nl#: .b64 l#\n",
        "}",
        &[Diagnostics, Formatting],
    ),
    ("", ".file # \"x\"\n.pragma \"x\";\n", "", &[Diagnostics]),
    (
        ".entry k() .maxntid 1",
        " .maxntid 1 .pragma \"x\";",
        "{ }",
        &[Diagnostics],
    ),
];

fn text((before, piece, after, _): &Case, count: usize) -> (String, u32) {
    let mut text = format!("{HEADER}{before}");
    for index in 0..count {
        text.push_str(&piece.replace('#', &index.to_string()));
    }
    let start = text.len() + after.find("$0").unwrap_or_default();
    text.push_str(&after.replace("$0", ""));
    (text, u32::try_from(start).expect("a short text"))
}

/// Seconds that this thread has worked, where the system tells: other programs cost nothing then.
fn worked(start: Instant) -> f64 {
    process::worked_by_thread()
        .unwrap_or_else(|| start.elapsed())
        .as_secs_f64()
}

/// How long the first answer to a question about a text takes.
fn cost((text, offset): &(String, u32), question: Question) -> f64 {
    let host = answers::host(Arc::new(FileContents::new(text)));
    let analysis = host.analysis();
    let at = FilePosition {
        file: FILE,
        offset: (*offset).into(),
    };
    let whole = FileRange {
        file: FILE,
        range: TextRange::up_to(TextSize::of(text.as_str())),
    };
    let start = Instant::now();
    let before = worked(start);
    match question {
        Diagnostics => drop(analysis.diagnostics(FILE).expect(WHY)),
        Completion => drop(analysis.completions(at).expect(WHY)),
        SignatureHelp => drop(analysis.signature_help(at).expect(WHY)),
        Hover => drop(analysis.hover(at).expect(WHY)),
        Formatting => {
            let options = FormattingOptions::default();
            drop(analysis.formatting(FILE, None, options).expect(WHY));
        }
        CodeActions => drop(analysis.code_actions(whole).expect(WHY)),
        Highlight => drop(analysis.highlight(at).expect(WHY)),
        Slice => drop(analysis.slice(at).expect(WHY)),
        InlayHints => drop(analysis.inlay_hints(whole, all_hints(), &[]).expect(WHY)),
    }
    worked(start) - before
}

#[test]
fn four_times_the_text_takes_four_times_as_long() {
    // The tables of instructions are read once.
    cost(&text(&CASES[0], 1), Diagnostics);
    let mut slow = String::new();
    for case in CASES {
        let texts = [text(case, COUNT), text(case, 4 * COUNT)];
        for question in case.3 {
            let mut best = [f64::INFINITY; 2];
            for _ in 0..RUNS {
                for (best, text) in best.iter_mut().zip(&texts) {
                    *best = best.min(cost(text, *question));
                }
                // What takes no time has no ratio.
                if best[1] < MOST * best[0].max(NOTHING) {
                    break;
                }
            }
            let ratio = best[1] / best[0].max(NOTHING);
            if MOST <= ratio {
                slow.push_str(&format!(
                    "{question:?} of {:?}: {ratio:.1} ({:.1} ms, then {:.1} ms)\n",
                    case.1,
                    best[0] * 1e3,
                    best[1] * 1e3
                ));
            }
        }
    }
    assert!(slow.is_empty(), "\n{slow}");
}
