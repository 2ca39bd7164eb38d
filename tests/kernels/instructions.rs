//! Which instructions the machine runs, which judges check their results, and why the others are not run.
//!
//! `kernels/instructions.md` has the table. Its sources are the tables of `isa`, the statements that ptxas has accepted
//! (`conformance/recorded`), the cases of the evaluator's judges (`computations/recorded`) and the kernels that
//! must give the results of numpy (`kernels`); `UPDATE_EXPECT=1` writes it again.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    io::Read as _,
    path::Path,
    sync::Arc,
};

use analysis::{
    AnalysisHost, Change, FileContents, FileId,
    code::{Code, Instruction},
};
use expect_test::expect_file;
use flate2::read::GzDecoder;
use ptx_tests::{
    conformance::recorded::{self, Recorded},
    workspace::top,
};

const FILE: FileId = FileId(0);
/// The most statements of an instruction that are tried.
const STATEMENTS: usize = 40;
/// The files of cases with the names of their judges.
const JUDGES: [(&str, &str); 4] = [
    ("folded.txt.gz", "ptxas"),
    ("reference.txt.gz", "reference"),
    ("matrices.txt.gz", "reference"),
    ("host.txt.gz", "host"),
];

/// An instruction by its name in the tables and its section of the manual.
type Key = (&'static str, &'static str);

/// The facts about an instruction.
#[derive(Default)]
struct Row {
    /// Statements that run, and all that were tried.
    statements: (usize, usize),
    obstacles: BTreeMap<&'static str, usize>,
    judges: BTreeSet<&'static str>,
    /// Right kernels that have it.
    kernels: usize,
}

fn code(host: &mut AnalysisHost, text: &str) -> Code {
    host.apply_change(Change {
        files: vec![(FILE, Some(Arc::new(FileContents::new(text))))],
        config: None,
    });
    host.analysis().code(FILE).expect("nobody cancels")
}

/// The instruction of the tables that a statement is of: in its section the one with the most words that it has.
fn key(instruction: &Instruction) -> Option<Key> {
    let words: Vec<&str> = instruction.name.split('.').collect();
    let all = isa::tables().instructions();
    let own = all.filter(|it| it.section == instruction.section);
    let fits = own.filter(|it| {
        let mut name = it.name.split('.');
        name.next() == words.first().copied() && name.all(|word| words.contains(&word))
    });
    let found = fits.max_by_key(|it| it.name.split('.').count())?;
    Some((found.name, found.section))
}

fn instructions(code: &Code) -> impl Iterator<Item = &Instruction> {
    code.functions.iter().flat_map(|it| &it.instructions)
}

/// The program of a case of a judge: its statements on registers of the widths that the case states.
fn program_of(line: &str) -> Option<String> {
    let mut fields = line.split('\t');
    let statements = fields.next().filter(|it| it.ends_with(';'))?;
    let registers = fields.flat_map(str::split_whitespace).filter_map(|it| {
        let mut parts = it.split(':');
        Some((parts.next()?, parts.next()?))
    });
    let mut declared = BTreeMap::new();
    for (name, class) in registers {
        declared.entry(name).or_insert(class);
    }
    let mut text = String::from(".version 9.5\n.target sm_107a\n.address_size 64\n.entry k()\n{\n");
    for (name, class) in declared {
        writeln!(text, ".reg .{class} %{name};").ok()?;
    }
    writeln!(text, "{}\nret;\n}}", statements.replace('$', "%")).ok()?;
    Some(text)
}

fn tier(section: &str) -> u8 {
    const THIRD: [&str; 12] = [
        "9.7.9.12",
        "9.7.9.13",
        "9.7.9.15",
        "9.7.9.24",
        "9.7.9.25",
        "9.7.9.27",
        "9.7.14.3",
        "9.7.14.7",
        "9.7.14.8",
        "9.7.14.14",
        "9.7.14.18",
        "9.7.14.19",
    ];
    const SECOND: [&str; 3] = ["9.7.14.16", "9.7.9.26.4", "9.7.9.26.6"];
    let is_in = |all: &[&str]| {
        let inside = |it: &&str| {
            let rest = section.strip_prefix(*it);
            rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
        };
        all.iter().any(inside)
    };
    match () {
        () if is_in(&THIRD) => 3,
        () if is_in(&[
            "9.7.10",
            "9.7.11",
            "9.7.12",
            "9.7.16",
            "9.7.17",
            "9.7.9.26.5",
        ]) =>
        {
            3
        }
        () if is_in(&SECOND) || is_in(&["9.7.15", "9.7.19"]) => 2,
        () => 1,
    }
}

#[test]
fn which_instructions_run() {
    let mut rows: BTreeMap<Key, Row> = BTreeMap::new();
    for it in isa::tables().instructions() {
        rows.entry((it.name, it.section)).or_default();
    }
    let mut host = AnalysisHost::new();
    let (_, all) = recorded::read::<Recorded>(&recorded::file()).expect("recorded statements");
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    for row in all.iter().filter(|it| it.ok) {
        let count = tried.entry(row.case.instruction.clone()).or_default();
        *count += 1;
        if *count > STATEMENTS {
            continue;
        }
        let code = code(&mut host, &row.case.program(""));
        let entry = code.functions.iter().filter(|it| it.entry);
        // The last statement ends the entry.
        let own = entry.flat_map(|it| it.instructions.split_last().map(|it| it.1));
        for it in own.flatten() {
            let Some(row) = key(it).and_then(|key| rows.get_mut(&key)) else {
                continue;
            };
            row.statements.1 += 1;
            if it.is_runnable {
                row.statements.0 += 1;
            } else {
                let why = it.obstacle.unwrap_or("such an operand");
                *row.obstacles.entry(why).or_default() += 1;
            }
        }
    }
    for (file, judge) in JUDGES {
        let file = fs::File::open(top().join("tests/computations/recorded").join(file));
        let mut text = String::new();
        let mut decoder = GzDecoder::new(file.expect("recorded cases"));
        decoder.read_to_string(&mut text).expect("recorded cases");
        let forms: BTreeSet<&str> = text.lines().filter(|it| it.contains(";\t")).collect();
        for program in forms.into_iter().filter_map(program_of) {
            for it in instructions(&code(&mut host, &program)).filter(|it| it.is_runnable) {
                if let Some(row) = key(it).and_then(|key| rows.get_mut(&key)) {
                    row.judges.insert(judge);
                }
            }
        }
    }
    let kernels = fs::read_dir(top().join("tests/kernels")).expect("kernels");
    let mut kernels: Vec<_> = kernels.filter_map(|it| Some(it.ok()?.path())).collect();
    kernels.sort();
    let is_kernel = |it: &&std::path::PathBuf| it.extension().is_some_and(|it| it == "ptx");
    for file in kernels.iter().filter(is_kernel) {
        let text = fs::read_to_string(file).expect("a kernel");
        let code = code(&mut host, &text);
        let keys: BTreeSet<Key> = instructions(&code).filter_map(key).collect();
        for key in keys {
            if let Some(row) = rows.get_mut(&key) {
                row.kernels += 1;
            }
        }
    }
    expect_file![Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels/instructions.md")]
        .assert_eq(&page(&rows));
}

fn page(rows: &BTreeMap<Key, Row>) -> String {
    let mut page = String::from(
        "# Instructions that run\n\n\
        Made by `tests/kernels/instructions.rs`, which explains it.\n\
        A statement is one that ptxas accepts; a kernel is one whose results are those of numpy.\n\
        Tier 1 is arithmetic, memory, control flow, atomics and barriers, tier 2 matrices of warps, mbarriers, bulk copies and video, and tier 3 clusters, tensors, tensor cores, textures and fabrics.\n\n\
        | instruction | section | tier | statements that run | results judged by | not run |\n\
        | --- | --- | --- | --- | --- | --- |\n",
    );
    let mut sums: BTreeMap<u8, (usize, usize)> = BTreeMap::new();
    for ((name, section), row) in rows {
        let tier = tier(section);
        let (run, all) = row.statements;
        let sum = sums.entry(tier).or_default();
        *sum = (sum.0 + run, sum.1 + all);
        let mut judges: Vec<String> = row.judges.iter().map(|it| (*it).to_owned()).collect();
        match row.kernels {
            0 => {}
            1 => judges.push("1 kernel".to_owned()),
            count => judges.push(format!("{count} kernels")),
        }
        let why = row
            .obstacles
            .iter()
            .map(|(why, count)| format!("{count}: {why}"));
        let why: Vec<String> = why.collect();
        writeln!(
            page,
            "| `{name}` | {section} | {tier} | {run} of {all} | {} | {} |",
            judges.join(", "),
            why.join("; ")
        )
        .expect("a string takes everything");
    }
    page.push('\n');
    for (tier, (run, all)) in sums {
        writeln!(page, "Tier {tier}: {run} of {all} statements run.").expect("a string");
    }
    page
}
