//! Measures the program against its targets, from the outside, and prints a table.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench targets`. `-- FILE` measures a file of yours
//! instead of generated texts, `-- --against 'ptxas -arch compute_90 {} -o /dev/null'` compares
//! `check` with another command, `-- --only NAME` restricts it to some of the texts, and `-- --markdown` also
//! prints everything as the documentation has it. The exit status is 1 when a target is missed.

#![expect(clippy::print_stdout, reason = "a table is what this program is for")]

mod program;
mod table;

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use clap::Parser;
use peak_alloc::PeakAlloc;
use ptx_tests::{binary, generate, pipeline::pipeline, process};

use crate::{
    program::{Targets, millis},
    table::Row,
};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// Files of the folders that are indexed.
const FOLDERS: [usize; 2] = [2_000, 10_000];
/// Bytes of each of them, about.
const FILE_LEN: usize = 5_000;
/// How much faster than another command `check` should be.
const RATIO: f64 = 20.0;

/// Measures the program against its targets.
#[derive(Parser)]
struct Arguments {
    /// A file to measure instead of generated texts.
    file: Option<PathBuf>,
    /// A command to compare `check` with; `{}` stands for the file. May be repeated.
    #[arg(long)]
    against: Vec<String>,
    /// Only texts whose name contains this.
    #[arg(long)]
    only: Option<String>,
    /// Also print one table in Markdown, with a column for each text.
    #[arg(long)]
    markdown: bool,
    /// The program to measure; a release build of this project if there is none.
    #[arg(long)]
    program: Option<PathBuf>,
    /// Cargo says so.
    #[arg(long, hide = true)]
    bench: bool,
}

/// A text to measure with.
struct Workload {
    name: String,
    text: fn() -> String,
    targets: Targets,
}

fn workloads() -> Vec<Workload> {
    let workload = |name: &str, text: fn() -> String, targets| Workload {
        name: name.to_owned(),
        text,
        targets,
    };
    let memory = Some(20.0);
    vec![
        workload(
            "200 lines",
            || generate::module(6_500),
            Targets {
                diagnostics: Some(10.0),
                answers: Some(5.0),
                ..Targets::default()
            },
        ),
        workload(
            "2,000 lines of a pipeline of wgmma",
            || pipeline(2_000),
            Targets {
                diagnostics: Some(10.0),
                answers: Some(5.0),
                ..Targets::default()
            },
        ),
        workload(
            "1 MB",
            || generate::module(1_000_000),
            Targets {
                cold_start: Some(60.0),
                diagnostics: Some(30.0),
                answers: Some(5.0),
                memory,
            },
        ),
        workload(
            "10 MB",
            || generate::module(10_000_000),
            Targets {
                cold_start: Some(1500.0),
                diagnostics: Some(30.0),
                answers: Some(5.0),
                memory,
            },
        ),
        workload(
            "50 MB",
            || generate::module(50_000_000),
            Targets {
                diagnostics: Some(50.0),
                answers: Some(15.0),
                memory,
                ..Targets::default()
            },
        ),
        workload(
            "100,000 instructions in a function",
            || generate::function(100_000),
            Targets {
                diagnostics: Some(300.0),
                answers: Some(5.0),
                memory,
                ..Targets::default()
            },
        ),
    ]
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let program = arguments
        .program
        .clone()
        .unwrap_or_else(|| binary::build("release"));
    let wanted = |name: &str| arguments.only.as_ref().is_none_or(|it| name.contains(it));
    let mut all_met = true;
    let mut columns = Vec::new();
    println!("{}\n", process::machine());
    let mut section = |name: &str, len: usize, rows: &dyn Fn() -> Vec<Row>| {
        let name = format!("{name}, {:.2} MB", len as f64 / 1e6);
        println!("{name}");
        let rows = rows();
        for row in &rows {
            all_met &= row.is_met();
            row.print();
        }
        println!();
        columns.push((name, rows));
    };
    if let Some(file) = &arguments.file {
        let text = std::fs::read_to_string(file).expect("a file in UTF-8");
        section(&file.display().to_string(), text.len(), &|| {
            measure(&program, &text, Targets::default(), &arguments.against)
        });
        return ExitCode::SUCCESS;
    }
    for workload in workloads().iter().filter(|it| wanted(&it.name)) {
        let text = (workload.text)();
        section(&workload.name, text.len(), &|| {
            measure(&program, &text, workload.targets, &arguments.against)
        });
    }
    for files in FOLDERS {
        let name = format!("folder of {files} files");
        if !wanted(&name) {
            continue;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let len = write_files(folder.path(), files);
        section(&name, len, &|| {
            let mut rows = program::index(&program, folder.path(), files, len);
            rows.push(check(&program, folder.path(), len));
            rows
        });
    }
    if arguments.markdown {
        table::print_markdown(&columns);
    }
    ExitCode::from(u8::from(!all_met))
}

fn write_files(folder: &Path, files: usize) -> usize {
    let text = generate::module(FILE_LEN);
    let mut len = 0;
    for index in 0..files {
        let text = text.replace("kernel_", &format!("kernel_{index}_"));
        len += text.len();
        std::fs::write(folder.join(format!("{index}.ptx")), text).expect("a file");
    }
    len
}

fn measure(program: &Path, text: &str, targets: Targets, against: &[String]) -> Vec<Row> {
    let mut rows = parser(text);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bench.ptx");
    std::fs::write(&file, text).expect("a file");
    rows.push(check(program, &file, text.len()));
    let ours = program::command(&words(program), &file);
    for other in against {
        let words: Vec<String> = other.split_whitespace().map(str::to_owned).collect();
        let time = program::command(&words, &file);
        let name = Path::new(&words[0]).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        rows.push(Row::new(format!("{name}, time"), millis(time), "ms"));
        let ratio = time.as_secs_f64() / ours.as_secs_f64();
        let row = Row::new(format!("{name}, time of `check`es"), ratio, "×");
        // What is over in no time is all start of the process.
        let is_long = text.len() >= 1_000_000 && name == "ptxas";
        rows.push(if is_long { row.at_least(RATIO) } else { row });
    }
    rows.extend(program::serve(program, text, targets));
    rows
}

fn words(program: &Path) -> Vec<String> {
    vec![program.display().to_string(), "check".to_owned()]
}

fn check(program: &Path, path: &Path, len: usize) -> Row {
    let time = program::command(&words(program), path);
    let speed = len as f64 / 1e6 / time.as_secs_f64();
    let row = Row::new("check, with the start of the program", speed, "MB/s");
    if len < 1_000_000 {
        row
    } else {
        row.at_least(30.0)
    }
}

fn parser(text: &str) -> Vec<Row> {
    let mut fastest = Duration::MAX;
    let mut tree_len = 0;
    let runs = if text.len() < 20_000_000 { 7 } else { 2 };
    for _ in 0..runs {
        let before = ALLOCATOR.current_usage();
        let start = Instant::now();
        let parse = syntax::parse(text);
        // The fastest run is the one that the rest of the machine has disturbed least.
        fastest = fastest.min(start.elapsed());
        tree_len = ALLOCATOR.current_usage() - before;
        drop(parse);
    }
    let speed = text.len() as f64 / 1e6 / fastest.as_secs_f64();
    let per_byte = tree_len as f64 / text.len() as f64;
    let speed = Row::new("parse, fastest run", speed, "MB/s");
    let memory = Row::new("tree per byte of source", per_byte, "bytes");
    match text.len() < 1_000_000 {
        true => vec![speed, memory],
        false => vec![speed.at_least(40.0), memory.at_most(12.0)],
    }
}
