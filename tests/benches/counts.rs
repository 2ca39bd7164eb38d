//! Counts the instructions that typical work takes, and compares them with a committed baseline: unlike
//! times they are the same on every run, so a change of some percent is seen.
//!
//! Run with `cargo run -p ptx-analyzer-tests --bin counts`, or with `-- --rewrite` to make a new baseline.
//! Needs valgrind, whose tool callgrind does the counting. Debug builds: what is watched is how much is done and
//! not how well it is compiled, and they are there already where tests have run. Counts depend on the compiler,
//! which is in the baseline; counts of another one are printed but not compared. The exit status is 1 when a
//! count is off by more than 3 %: down as well, for then the baseline no longer guards anything.
//!
//! `-- --protocols FOLDER` counts the part of the rules of protocols in the checks of a sample of the PTX files of a
//! folder instead, and the part of each of them.
//!
//! A runner such as gungraun compares with what ran before on the same machine, and needs a program of its
//! own in the same version; reading one number from callgrind is less than that.

#![expect(clippy::print_stdout, reason = "a table is what this program is for")]

mod protocol_costs;

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    path::PathBuf,
    process::{Command, ExitCode},
    sync::Arc,
};

use analysis::{Analysis, AnalysisHost, FileContents, FilePosition, FormattingOptions};
use anyhow::{Context as _, bail, ensure};
use isa::{
    matcher::{Outcome, Statement},
    matching::match_statement,
    table::tables,
    target::{Module, Target, Version},
};
use ptx_tests::{
    generate,
    properties::answers::{self, FILE},
    workspace,
};
use syntax::{Document, TextRange, TextSize, text::Edit};

/// Bytes of the text that most of the work is about.
const LEN: usize = 60_000;
/// The tolerance of a count, as a part of the baseline.
const TOLERANCE: f64 = 0.03;
const WHY: &str = "no cancellation";

/// A piece of work: prepares it, and returns what is counted.
type Work = (&'static str, fn() -> Box<dyn FnMut()>);

const WORKS: &[Work] = &[
    ("lex", || {
        let text = generate::module(LEN);
        Box::new(move || drop(syntax::lexer::tokenize(&text)))
    }),
    ("parse", || {
        let text = generate::module(LEN);
        Box::new(move || drop(syntax::parse(&text)))
    }),
    ("parse after a keystroke", || {
        let mut document = Document::new(generate::module(LEN));
        let edit = Edit::new(TextRange::empty(middle(document.text())), "1");
        Box::new(move || {
            document.apply(&edit).expect("the edit fits");
        })
    }),
    ("names", || {
        // The tokens of an editor are coloured by what the names mean.
        asked(|it| drop(it.semantic_tokens(FILE, None).expect(WHY)))
    }),
    ("instruction check", || {
        let statements = generate::statements();
        tables().instructions().count();
        Box::new(move || {
            let target = Target::parse("sm_90").expect("a target");
            let module = Module::new(Version::new(8, 5), target);
            for (opcode, words, operands) in &statements {
                let statement = Statement {
                    opcode,
                    words,
                    operands,
                    module,
                };
                let outcome = match_statement(tables(), &statement);
                assert!(matches!(outcome, Outcome::Fit(_)), "{opcode}");
            }
        })
    }),
    ("diagnostics", || {
        asked(|it| drop(it.diagnostics(FILE).expect(WHY)))
    }),
    ("diagnostics after a keystroke", || {
        let mut document = Document::new(generate::module(LEN));
        let mut host = answers::host(document.contents());
        host.analysis().diagnostics(FILE).expect(WHY);
        let edit = Edit::new(TextRange::empty(middle(document.text())), "1");
        Box::new(move || {
            document.apply(&edit).expect("the edit fits");
            answers::change(&mut host, FILE, document.contents());
            host.analysis().diagnostics(FILE).expect(WHY);
        })
    }),
    ("flow", || {
        asked(|it| drop(it.flow_graphs(FILE, None).expect(WHY)))
    }),
    ("hover", || {
        at_the_middle(|it, at| drop(it.hover(at).expect(WHY)))
    }),
    ("completion", || {
        at_the_middle(|it, at| drop(it.completions(at).expect(WHY)))
    }),
    ("formatting", || {
        asked(|it| {
            let options = FormattingOptions::default();
            drop(it.formatting(FILE, None, options).expect(WHY));
        })
    }),
];

fn host() -> (AnalysisHost, String) {
    let text = generate::module(LEN);
    // The tables of instructions are read once, when they are first asked for.
    tables().instructions().count();
    (answers::host(Arc::new(FileContents::new(&text))), text)
}

/// A question about a file that nothing is known of.
fn asked(question: fn(&Analysis)) -> Box<dyn FnMut()> {
    let (host, _) = host();
    Box::new(move || question(&host.analysis()))
}

/// A question about a place in a file that is checked already, as in an editor.
fn at_the_middle(question: fn(&Analysis, FilePosition)) -> Box<dyn FnMut()> {
    let (host, text) = host();
    host.analysis().diagnostics(FILE).expect(WHY);
    let at = FilePosition {
        file: FILE,
        offset: middle(&text),
    };
    Box::new(move || question(&host.analysis(), at))
}

/// The middle of a text, after a register in the operands of a statement.
fn middle(text: &str) -> TextSize {
    let half = text.floor_char_boundary(text.len() / 2);
    let register = text[half..].find("\t%r").map_or(half, |it| half + it + 3);
    TextSize::try_from(register).expect("a short text")
}

/// Callgrind counts what is done inside this function, which it finds by its name.
#[inline(never)]
fn counted_work(work: &mut dyn FnMut()) {
    work();
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(at) = arguments.iter().position(|it| it == "--work") {
        let name = arguments.get(at + 1).context("the name of a work")?;
        let work = WORKS.iter().find(|it| it.0 == name);
        let mut work = (work.context("one of the works")?.1)();
        counted_work(&mut *work);
        return Ok(ExitCode::SUCCESS);
    }
    let folder = |option: &str| {
        let at = arguments.iter().position(|it| it == option)?;
        arguments.get(at + 1).map(PathBuf::from)
    };
    if let Some(folder) = folder(protocol_costs::SAMPLE) {
        let mut work = protocol_costs::work(&folder)?;
        counted_work(&mut *work);
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = folder("--protocols") {
        protocol_costs::print(&folder)?;
        return Ok(ExitCode::SUCCESS);
    }
    let file = workspace::top().join("tests/benches/counts.baseline");
    let machine = machine()?;
    let baseline = std::fs::read_to_string(&file).unwrap_or_default();
    let (baseline_machine, baseline) = read(&baseline)?;
    let comparable = machine == baseline_machine;
    let rewrite = arguments.iter().any(|it| it == "--rewrite");
    let mut written = format!("{machine}\n");
    let mut good = true;
    for (name, _) in WORKS {
        let count = count(name)?;
        writeln!(written, "{count:>12} {name}")?;
        let before = baseline.get(*name).filter(|_| comparable);
        let change = before.map(|it| count as f64 / *it as f64 - 1.0);
        let verdict = match change {
            Some(change) if change.abs() > TOLERANCE => {
                good = false;
                format!("{:+6.1} %  MORE THAN 3 %", change * 100.0)
            }
            Some(change) => format!("{:+6.1} %", change * 100.0),
            None => "not compared".to_owned(),
        };
        println!("{name:<32} {count:>12} {verdict}");
        good &= change.is_some() || !comparable;
    }
    if rewrite {
        std::fs::write(&file, written)?;
        println!("{} is written", file.display());
        return Ok(ExitCode::SUCCESS);
    }
    if !comparable {
        println!("the baseline is of another compiler, {baseline_machine}; nothing is compared");
    } else if !good {
        println!("if that is as it should be, say so in the commit and run this with -- --rewrite");
    }
    Ok(ExitCode::from(u8::from(comparable && !good)))
}

/// The compiler and the system, on one line.
fn machine() -> anyhow::Result<String> {
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .arg("-vV")
        .output()
        .context("rustc runs")?;
    let text = String::from_utf8(output.stdout)?;
    let value = |name: &str| {
        let line = text.lines().find_map(|it| it.strip_prefix(name));
        line.with_context(|| format!("rustc says its {name}"))
    };
    Ok(format!(
        "rustc {} {}",
        value("release: ")?,
        value("host: ")?
    ))
}

/// The machine of a baseline, and its counts by work.
fn read(baseline: &str) -> anyhow::Result<(String, BTreeMap<String, u64>)> {
    let mut lines = baseline.lines();
    let machine = lines.next().unwrap_or("none").to_owned();
    let counts = lines.map(|line| {
        let (count, name) = line.trim().split_once(' ').context("a count and a name")?;
        Ok((name.to_owned(), count.parse()?))
    });
    Ok((machine, counts.collect::<anyhow::Result<_>>()?))
}

/// How many instructions a work takes, counted in a process of its own.
fn count(name: &str) -> anyhow::Result<u64> {
    let program: PathBuf = std::env::current_exe()?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        // Inside only; the name is written with and without its hash.
        .args(["--collect-atstart=no", "--toggle-collect=*counted_work*"])
        .arg(program)
        .args(["--work", name])
        .output()
        .context("valgrind runs; it is in the package valgrind of most systems")?;
    let text = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} fails:\n{text}");
    let collected = text.lines().find_map(|it| it.split_once("Collected :"));
    let Some((_, count)) = collected else {
        bail!("callgrind prints no count of {name}:\n{text}");
    };
    let count: u64 = count.trim().parse()?;
    ensure!(count > 0, "callgrind does not find the work of {name}");
    Ok(count)
}
