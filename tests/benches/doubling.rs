//! Doubles the size of odd texts and prints how much longer the answers take, and how much more memory: 2 is linear, 4
//! is quadratic.
//!
//! Each text is answered about by a process of its own, whose peak of memory is the most that any answer took.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench doubling`, optionally with `-- NAME` for the
//! texts whose name contains it. The exit status is 1 when an answer is far from linear.

#![expect(clippy::print_stdout, reason = "a table is what this program is for")]

use std::{
    process::{Command, ExitCode},
    sync::Arc,
};

use analysis::{
    Analysis, AnalysisHost, Change, FileContents, FileId, FilePosition, FileRange,
    FormattingOptions, InlayHintKinds,
};
use ptx_tests::{generate, process};
use syntax::{TextRange, TextSize};

const FILE: FileId = FileId(0);
/// The ratio from which on an answer is not linear.
const MOST: f64 = 2.8;
/// Milliseconds below which a ratio says nothing.
const NOTHING: f64 = 3.0;
/// Bytes of memory below which a ratio says nothing.
const NO_MEMORY: f64 = 8e6;
/// The option that selects the text of a process: its name and size follow.
const ONE: &str = "--one";
/// Runs, of which the fastest counts.
const RUNS: usize = 3;

/// Name, size, and the text of a size.
type Case = (&'static str, usize, fn(usize) -> String);

/// A module with this in the body of its kernel.
fn in_body(body: &str) -> String {
    format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k(.param .b64 p)\n{{\n\
         .reg .b32 a, b; .reg .b64 d; .reg .pred q;\nmov.u32 a, %tid.x;\n{body}\nret;\n}}\n"
    )
}

fn numbered(count: usize, piece: impl Fn(usize) -> String) -> String {
    (0..count).map(piece).collect()
}

/// A kernel whose threads differ, with barriers in memory.
fn with_threads(body: &str) -> String {
    in_body(&format!(
        ".shared .b64 m[65536];\nsetp.eq.u32 q, a, 0;\n{body}"
    ))
}

const CASES: &[Case] = &[
    ("writes that reach each read", 4_000, |n| {
        let writes = numbered(n, |it| format!("@q mov.b32 b, {it};\n"));
        let reads = numbered(n, |it| format!("add.s32 a, b, {it};\n"));
        in_body(&(writes + &reads))
    }),
    ("writes and reads by turns", 4_000, |n| {
        in_body(&numbered(n, |it| {
            format!("@q mov.b32 b, {it};\nadd.s32 a, b, {it};\n")
        }))
    }),
    ("barriers in memory", 2_000, |n| {
        with_threads(&numbered(n, |it| {
            format!(
                "mbarrier.init.shared.b64 [m+{at}], 1;\nmbarrier.arrive.shared.b64 d, [m+{at}];\n\
                 W{it}: mbarrier.try_wait.parity.shared.b64 q, [m+{at}], 0;\n@!q bra W{it};\n",
                at = 8 * it
            )
        }))
    }),
    ("variables that are barriers", 2_000, |n| {
        with_threads(&numbered(n, |it| {
            format!(
                ".shared .b64 m{it};\nmbarrier.init.shared.b64 [m{it}], 1;\n\
                 mbarrier.arrive.shared.b64 d, [m{it}];\n\
                 mbarrier.test_wait.shared.b64 q, [m{it}], d;\n"
            )
        }))
    }),
    ("barriers under branches", 4_000, |n| {
        with_threads(&numbered(n, |it| {
            format!("@q bra B{it};\nbar.sync 0;\nB{it}:\n")
        }))
    }),
    ("barriers in branches in branches", 500, |n| {
        let begin = numbered(n, |it| {
            format!("setp.gt.u32 q, a, {it};\n@q bra B{it};\nbar.sync 0;\n")
        });
        let end: String = (0..n).rev().map(|it| format!("B{it}:\n")).collect();
        with_threads(&(begin + &end))
    }),
    ("calls in many functions", 2_000, |n| {
        let functions = (0..60).map(|it| {
            let call = "{ .param .b32 y; st.param.b32 [y], a; call g, (y); }\n";
            let calls = call.repeat(n / 60);
            format!(".func f{it}() {{ .reg .b32 a; mov.u32 a, %tid.x;\n{calls}ret; }}\n")
        });
        let functions: String = functions.collect();
        format!(".version 8.5\n.target sm_90\n.func g(.param .b32 x) {{ ret; }}\n{functions}")
    }),
    ("signs", 20_000, |n| {
        in_body(&format!("mov.b32 a, {}1;", "-".repeat(n)))
    }),
    ("instructions in one function", 50_000, generate::function),
    ("functions", 2_000, |n| {
        format!(
            ".version 8.5\n.target sm_90\n{}",
            numbered(n, |it| format!(
                ".visible .func f{it}(.param .b32 x)\n{{\n.reg .b32 a;\nld.param.b32 a, [x];\nret;\n}}\n"
            ))
        )
    }),
    ("calls of functions", 2_000, |n| {
        format!(
            ".version 8.5\n.target sm_90\n.func g(.param .b32 x) {{ ret; }}\n{}",
            numbered(n, |it| format!(
                ".func f{it}()\n{{\n.param .b32 y;\nst.param.b32 [y], {it};\ncall g, (y);\nret;\n}}\n"
            ))
        )
    }),
    ("functions that call the next", 2_000, |n| {
        let declared = numbered(n, |it| format!(".func f{it}();\n"));
        let defined = numbered(n - 1, |it| {
            format!(".func f{it}() {{ call f{}; ret; }}\n", it + 1)
        });
        format!(".version 8.5\n.target sm_90\n{declared}{defined}")
    }),
    ("labels and branches to them", 10_000, |n| {
        in_body(&numbered(n, |it| {
            format!("L{it}:\n@q bra L{};\n", (it * 7 + 1) % n)
        }))
    }),
    ("labels without a use", 20_000, |n| {
        in_body(&numbered(n, |it| format!("L{it}:\n")))
    }),
    ("loops inside loops", 400, |n| {
        let begin = numbered(n, |it| {
            format!("L{it}:\nadd.s32 a, a, {it};\nsetp.lt.s32 q, a, 9;\n")
        });
        let end: String = (0..n).rev().map(|it| format!("@q bra L{it};\n")).collect();
        in_body(&(begin + &end))
    }),
    ("registers that live throughout", 4_000, |n| {
        let begin = numbered(n, |it| format!("mov.b32 %r{it}, {it};\n"));
        let end = numbered(n, |it| format!("add.s32 a, a, %r{it};\n"));
        in_body(&format!(
            ".reg .b32 %r<{n}>;\n{begin}{end}st.global.u32 [d], a;"
        ))
    }),
    ("registers over branches", 2_000, |n| {
        let begin = numbered(n, |it| format!("mov.b32 %r{it}, {it};\n"));
        let middle = numbered(n, |it| format!("@q bra M{it};\nadd.s32 a, a, 1;\nM{it}:\n"));
        let end = numbered(n, |it| format!("add.s32 a, a, %r{it};\n"));
        in_body(&format!(".reg .b32 %r<{n}>;\n{begin}{middle}{end}"))
    }),
    ("declarations of registers", 10_000, |n| {
        in_body(&numbered(n, |it| {
            format!(".reg .b32 r{it};\nmov.b32 r{it}, a;\n")
        }))
    }),
    ("blocks beside each other", 10_000, |n| {
        in_body(&"{ .reg .b32 t; mov.b32 t, a; }\n".repeat(n))
    }),
    ("blocks inside each other", 20_000, |n| {
        in_body(&("{\n".repeat(n) + &"}\n".repeat(n)))
    }),
    ("parentheses inside each other", 50_000, |n| {
        in_body(&format!("mov.b32 a, {}1{};", "(".repeat(n), ")".repeat(n)))
    }),
    ("parentheses that stay open", 50_000, |n| {
        in_body(&"(".repeat(n))
    }),
    ("braces that stay open", 50_000, |n| in_body(&"{".repeat(n))),
    ("braces that close nothing", 20_000, |n| {
        in_body(&"}\n".repeat(n))
    }),
    ("comments", 30_000, |n| {
        in_body(&"// a comment of the usual length\n/* another */\n".repeat(n))
    }),
    ("one long comment", 1_000_000, |n| {
        in_body(&format!("/*{}*/", "*".repeat(n)))
    }),
    ("comment starts", 200_000, |n| in_body(&"/* ".repeat(n))),
    ("statements in one line", 20_000, |n| {
        in_body(&"add.s32 a, a, 1; ".repeat(n))
    }),
    ("blank lines", 300_000, |n| in_body(&"\n".repeat(n))),
    ("wide characters", 100_000, |n| {
        in_body(&format!("// {}\n", "é𝄞".repeat(n)))
    }),
    ("line marks", 20_000, |n| {
        format!(
            "{}.file 1 \"a.cu\"\n",
            in_body(&numbered(n, |it| format!(
                ".loc 1 {} 3\nadd.s32 a, a, 1;\n",
                it + 1
            )))
        )
    }),
    ("one long expression", 40_000, |n| {
        in_body(&format!("mov.b32 a, 1{};", "+1".repeat(n)))
    }),
    ("one long list", 40_000, |n| {
        in_body(&format!("mov.b32 a, {{b{}}};", ", b".repeat(n)))
    }),
    ("modifiers", 20_000, |n| {
        in_body(&format!("add{} a, a, 1;", ".s32".repeat(n)))
    }),
    ("initial values", 100_000, |n| {
        format!(
            ".version 8.5\n.target sm_90\n.global .b32 g[{n}] = {{0{}}};\n",
            ", 1".repeat(n - 1)
        )
    }),
    ("parameters", 4_000, |n| {
        format!(
            ".version 8.5\n.target sm_90\n.func f(.param .b32 x{});\n",
            numbered(n, |it| format!(", .param .b32 p{it}"))
        )
    }),
    ("targets of a table", 10_000, |n| {
        in_body(&format!(
            "{}t: .branchtargets L0{};\nbrx.idx a, t;",
            numbered(n, |it| format!("L{it}: add.s32 a, a, 1;\n")),
            numbered(n - 1, |it| format!(", L{}", it + 1))
        ))
    }),
    ("unknown names", 10_000, |n| {
        in_body(&numbered(n, |it| format!("add.s32 a, b, %u{it};\n")))
    }),
    ("the same unknown name", 20_000, |n| {
        in_body(&"add.s32 a, b, %u;\n".repeat(n))
    }),
    ("unknown instructions", 10_000, |n| {
        in_body(&"adb.s32 a, a, 1;\n".repeat(n))
    }),
    ("wrong modifiers", 10_000, |n| {
        in_body(&"ld.global.nonsense.b32 a, [d];\n".repeat(n))
    }),
    ("missing semicolons", 10_000, |n| {
        in_body(&"add.s32 a, a, 1\n".repeat(n))
    }),
    ("words", 40_000, |n| in_body(&"a b ".repeat(n))),
    ("names declared again", 10_000, |n| {
        in_body(&".reg .b32 t;\n".repeat(n))
    }),
    ("globals", 20_000, |n| {
        format!(
            ".version 8.5\n.target sm_90\n{}",
            numbered(n, |it| format!(".global .b32 g{it};\n"))
        )
    }),
    ("sections", 40_000, |n| {
        format!(
            ".version 8.5\n.target sm_90\n.section .debug_str\n{{\n{}}}\n",
            ".b8 1,2,3\n".repeat(n)
        )
    }),
];

/// The subject of a question: a text, and a register in it.
#[derive(Clone, Copy)]
struct About {
    whole: FileRange,
    register: FilePosition,
}

type Question = (&'static str, fn(&Analysis, About));
const WHY: &str = "no cancellation";

const QUESTIONS: &[Question] = &[
    ("diagnostics", |it, _| {
        drop(it.diagnostics(FILE).expect(WHY))
    }),
    ("tokens", |it, _| {
        drop(it.semantic_tokens(FILE, None).expect(WHY))
    }),
    ("symbols", |it, _| {
        drop(it.document_symbols(FILE).expect(WHY));
        drop(it.folding_ranges(FILE).expect(WHY));
    }),
    ("hints", |it, about| {
        let kinds = InlayHintKinds {
            defaults: true,
            register_types: true,
            ..InlayHintKinds::default()
        };
        drop(it.inlay_hints(about.whole, kinds, &[]).expect(WHY));
    }),
    ("highlight", |it, about| {
        drop(it.highlight(about.register).expect(WHY))
    }),
    ("slice", |it, about| {
        drop(it.slice(about.register).expect(WHY));
        drop(it.hover(about.register).expect(WHY));
    }),
    ("flow graph", |it, about| {
        drop(it.flow_graph(about.register, &[]).expect(WHY))
    }),
    ("tree", |it, _| drop(it.syntax_tree(FILE, None).expect(WHY))),
    ("actions", |it, about| {
        drop(it.code_actions(about.whole).expect(WHY))
    }),
    ("formatting", |it, _| {
        let options = FormattingOptions::default();
        drop(it.formatting(FILE, None, options).expect(WHY));
    }),
];

/// Milliseconds that parsing and each question take, one after the other.
fn times(text: &str) -> Vec<f64> {
    let mut times = Vec::new();
    let mut before = worked();
    let mut lap = |times: &mut Vec<f64>| {
        let now = worked();
        times.push(now - before);
        before = now;
    };
    let contents = Arc::new(FileContents::new(text));
    lap(&mut times);
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FILE, Some(contents))],
        config: None,
    });
    let analysis = host.analysis();
    let register = text.rfind(", b,").map_or(0, |it| it + 2);
    let about = About {
        whole: FileRange {
            file: FILE,
            range: TextRange::up_to(TextSize::of(text)),
        },
        register: FilePosition {
            file: FILE,
            offset: TextSize::try_from(register).expect("a short text"),
        },
    };
    for (_, ask) in QUESTIONS {
        ask(&analysis, about);
        lap(&mut times);
    }
    times
}

/// Milliseconds that this program has worked: other programs cost nothing then.
fn worked() -> f64 {
    process::worked(std::process::id()).unwrap_or_else(|| {
        use std::{sync::LazyLock, time::Instant};
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed().as_secs_f64() * 1e3
    })
}

/// Prints how long each answer about a text takes, of several runs the shortest, and how many bytes all of them take.
fn one(name: &str, count: usize) {
    let case = CASES.iter().find(|it| it.0 == name).expect("a case");
    // Tables are read and memory is taken the first time.
    times(&in_body("add.s32 a, a, 1;"));
    let me = std::process::id();
    let before = process::peak(me).unwrap_or(f64::NAN);
    let text = (case.2)(count);
    let mut best = vec![f64::INFINITY; QUESTIONS.len() + 1];
    for _ in 0..RUNS {
        for (best, time) in best.iter_mut().zip(times(&text)) {
            *best = best.min(time);
        }
    }
    best.push(process::peak(me).unwrap_or(f64::NAN) - before);
    let shown: Vec<String> = best.iter().map(f64::to_string).collect();
    println!("{}", shown.join(" "));
}

/// The same, in a process of its own.
fn measure(name: &str, count: usize) -> Vec<f64> {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program)
        .args([ONE, name, &count.to_string()])
        .output()
        .expect("this program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Result<Vec<f64>, _> = text.split_whitespace().map(str::parse).collect();
    let numbers = numbers.unwrap_or_default();
    assert_eq!(numbers.len(), QUESTIONS.len() + 2, "{name}: {output:?}");
    numbers
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [option, name, count] = &arguments[..]
        && option == ONE
    {
        one(name, count.parse().expect("a number"));
        return ExitCode::SUCCESS;
    }
    let only = arguments.iter().find(|it| !it.starts_with("--"));
    print!("{:<36} {:>9}", "ms and MB at twice the size, ratios", "KB");
    let names = QUESTIONS.iter().map(|it| it.0);
    for name in std::iter::once("parsing").chain(names).chain(["memory"]) {
        print!(" {name:>15}");
    }
    println!();
    let mut linear = true;
    for (name, count, text) in CASES {
        if only.is_some_and(|it| !name.contains(it.as_str())) {
            continue;
        }
        print!("{name:<36} {:>9}", text(2 * count).len() / 1000);
        let [mut once, mut twice] = [*count, 2 * count].map(|it| measure(name, it));
        let memory = (once.pop(), twice.pop());
        let mut show = |once: f64, twice: f64, nothing: f64, unit: f64| {
            let ratio = twice / once.max(nothing);
            let mark = if ratio < MOST { ' ' } else { '!' };
            linear &= ratio.is_nan() || ratio < MOST;
            match twice < nothing {
                true => print!(" {:>8.1}       ", twice / unit),
                false => print!(" {:>8.1} {ratio:>5.2}{mark}", twice / unit),
            }
        };
        for (once, twice) in once.into_iter().zip(twice) {
            show(once, twice, NOTHING, 1.0);
        }
        if let (Some(once), Some(twice)) = memory {
            show(once, twice, NO_MEMORY, 1e6);
        }
        println!();
    }
    ExitCode::from(u8::from(!linear))
}
