//! Moving pictures of the command line: what a terminal shows, line by line.

use std::fmt::Write as _;

use anstyle_svg::Term;
use server::cli::{Io, run};

use super::root;

/// Seconds until the first line of an answer is shown, and between two lines of it.
const TYPING: f64 = 1.2;
const LINE: f64 = 0.06;
/// Seconds for which an answer is read before the next command.
const READING: f64 = 4.0;

/// A kernel that races, and the same one with its barrier.
pub(crate) fn run_that_finds_a_race() -> String {
    let file = "editors/tour/tour-race.ptx";
    let racing = std::fs::read_to_string(root().join(file)).expect("the file exists");
    let with_barrier = racing.replace("$read:\n", "$read:\n    bar.sync 0;\n");
    assert_ne!(racing, with_barrier, "{file} has the label of the read");
    let command = "ptx-analyzer run tour-race.ptx";
    render(&[
        (command.to_owned(), answer(&racing)),
        (
            "sed -i '/^$read:/a bar.sync 0;' tour-race.ptx".to_owned(),
            String::new(),
        ),
        (command.to_owned(), answer(&with_barrier)),
    ])
}

/// What `ptx-analyzer run` prints about a kernel, with colours.
fn answer(kernel: &str) -> String {
    let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
    let mut io = Io {
        stdin: &mut kernel.as_bytes(),
        stdout: &mut stdout,
        stderr: &mut stderr,
        color: true,
        is_typed: false,
    };
    run(["ptx-analyzer", "run", "-"], &mut io);
    stdout.extend(stderr);
    let text = String::from_utf8(stdout).expect("UTF-8");
    text.replace("<stdin>", "tour-race.ptx")
}

/// Commands with their answers as an SVG whose lines appear one after another; at once for people who want no motion.
fn render(session: &[(String, String)]) -> String {
    let mut text = String::new();
    let mut moments = Vec::new();
    let mut now = 0.0;
    for (command, answer) in session {
        let _ = writeln!(text, "\u{1b}[1m$ {command}\u{1b}[0m");
        moments.push(now);
        now += TYPING;
        text += answer;
        for _ in answer.lines() {
            moments.push(now);
            now += LINE;
        }
        now += if answer.is_empty() { 0.0 } else { READING };
    }
    let mut style = String::from(
        "    @keyframes appear { from { visibility: hidden } to { visibility: visible } }\n    \
         @media (prefers-reduced-motion: no-preference) {\n",
    );
    for (line, moment) in moments.iter().enumerate() {
        let line = line + 1;
        let _ = writeln!(
            style,
            "      text > tspan:nth-of-type({line}) {{ animation: appear 1ms {moment:.2}s both }}"
        );
    }
    style += "    }\n  </style>";
    let svg = Term::new().render_svg(&text);
    let (before, after) = svg.split_once("  </style>").expect("a style sheet");
    format!("{before}{style}{after}")
}
