//! Fresh random statements, or mutants of real programs, judged by ptxas and by us.
//!
//! `tests/conformance/live` fetches ptxas and starts this program.

#![expect(clippy::print_stdout, reason = "a report is what this program is for")]

use std::{
    fs,
    path::PathBuf,
    process::ExitCode,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use anyhow::{Context as _, bail};
use clap::Parser;
use fastrand::Rng;
use isa::{
    table::{Instruction, tables},
    target::Module,
};
use ptx_tests::conformance::{
    generation::{GENERATION_CODES, generated},
    generator::{case, draft, modules},
    mutants::{self, Mutant, mutant},
    mutation::{just_below, mutate},
    ours::Checker,
    program::Case,
    ptxas::{Judged, Ptxas, RELEASE, Verdict, architecture},
    recorded,
    report::Report,
    rules::rules,
    semantics::{self, Optimized},
    walks::{Walk, examples, walk},
};

/// Statements that are judged together.
const ROUND: usize = 50_000;
/// Mutants that are judged together.
const MUTANTS: usize = 5_000;
/// Mutations of one accepted form.
const MUTATIONS: usize = 2;

/// Compares our verdicts on random statements with those of ptxas.
#[derive(Parser)]
struct Arguments {
    /// The ptxas to ask.
    #[arg(long, env = "PTXAS", default_value = "ptxas")]
    ptxas: PathBuf,
    /// Number of statements.
    #[arg(long, default_value_t = 200_000)]
    count: usize,
    /// Seed; the time if there is none.
    #[arg(long)]
    seed: Option<u64>,
    /// Only instructions whose name begins so.
    #[arg(long)]
    instruction: Option<String>,
    /// Judges this many mutants of real programs instead: one random change of a token each.
    #[arg(long, conflicts_with_all = ["count", "instruction"])]
    mutants: Option<usize>,
    /// A folder of PTX files to mutate, below it; programs of this project if there is none.
    #[arg(long, requires = "mutants")]
    corpus: Option<PathBuf>,
    /// Judges this many statements instead that completion alone writes, and the examples of the documentation.
    #[arg(long, conflicts_with_all = ["count", "instruction", "mutants"])]
    walks: Option<usize>,
    /// Judges this many statements instead by code generation, after the programs that are recorded for it.
    #[arg(long, conflicts_with_all = ["count", "mutants", "walks"])]
    generation: Option<usize>,
    /// Measures again what optimization leaves of this many recorded statements.
    #[arg(long, conflicts_with_all = ["count", "instruction", "mutants", "walks", "generation"])]
    semantics: Option<usize>,
    /// The nvdisasm that prints machine code.
    #[arg(long, env = "NVDISASM", default_value = "nvdisasm")]
    nvdisasm: PathBuf,
    /// Share of false alarms among mutants, in percent, above which the exit status is 1.
    #[arg(long, default_value_t = 0.2)]
    false_alarms: f64,
    /// Agreement, in percent, below which the exit status is 1; 99.9 if not given, for mutants 98.
    #[arg(long)]
    threshold: Option<f64>,
    /// Processes of ptxas at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Writes every disagreement to this file, as JSON lines.
    #[arg(long)]
    output: Option<PathBuf>,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let started = Instant::now();
    let seed = match arguments.seed {
        Some(seed) => seed,
        None => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs(),
    };
    let ptxas = Ptxas::new(&arguments.ptxas)
        .with_context(|| format!("cannot run {}", arguments.ptxas.display()))?;
    let release = ptxas.release()?;
    if release != RELEASE {
        println!("warning: the tables are measured with ptxas {RELEASE}");
    }
    if let Some(count) = arguments.mutants {
        println!("seed {seed}, {count} mutants, ptxas {release}");
        return mutate_programs(&arguments, count, seed, &ptxas);
    }
    if let Some(count) = arguments.walks {
        println!("seed {seed}, {count} walks, ptxas {release}");
        let examples = judge_examples(&ptxas)? && judge_rules(&ptxas)?;
        let walks = walk_tables(&arguments, count, seed, &ptxas)?;
        return Ok(if examples && walks {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    if let Some(count) = arguments.generation {
        println!("seed {seed}, {count} statements to generate code for, ptxas {release}");
        let recorded = judge_generated(&ptxas)?;
        let drafts = generate_code(&mut generator(&arguments, seed)?, count, &ptxas)?;
        return Ok(if recorded && drafts {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        });
    }
    if let Some(count) = arguments.semantics {
        println!("seed {seed}, {count} statements to optimize, ptxas {release}");
        return measure_again(&arguments, count, seed, &ptxas);
    }
    println!(
        "seed {seed}, {} statements, ptxas {release}",
        arguments.count
    );
    let mut generator = generator(&arguments, seed)?;
    let mut report = Report::default();
    let mut tally = Tally::default();
    while tally.judged < arguments.count {
        let cases = generator.cases(ROUND.min(arguments.count - tally.judged));
        tally.judged += cases.len();
        round(&cases, &ptxas, arguments.jobs, &mut report, &mut tally)?;
    }
    println!("{}", report.text());
    if !generator.failed.is_empty() {
        generator.failed.sort_unstable();
        generator.failed.dedup();
        println!("variants for which no statement was found:");
        for variant in &generator.failed {
            println!("  {variant}");
        }
    }
    println!(
        "seed {seed}: {} judged, {} crashes of ptxas left out, {} verdicts changed when asked alone, {:.0} s",
        tally.judged,
        tally.crashes,
        tally.changed,
        started.elapsed().as_secs_f64()
    );
    write_disagreements(&arguments, &report)?;
    let agreement = report.total().agreement();
    let threshold = arguments.threshold.unwrap_or(99.9);
    Ok(if agreement >= threshold {
        ExitCode::SUCCESS
    } else {
        println!("agreement {agreement:.3} % is below {threshold} %");
        ExitCode::FAILURE
    })
}

/// A generator of statements of the instructions that are asked for.
fn generator(arguments: &Arguments, seed: u64) -> anyhow::Result<Generator> {
    let prefix = arguments.instruction.as_deref().unwrap_or("");
    let instructions: Vec<&Instruction> = tables()
        .instructions()
        // What the operands of a call may be depends on the callee, which the tables do not know.
        .filter(|it| it.name.starts_with(prefix) && it.name != "call")
        .collect();
    if instructions.is_empty() {
        bail!("no instruction begins with {prefix}");
    }
    Ok(Generator {
        rng: Rng::with_seed(seed),
        modules: modules(),
        instructions,
        next: 0,
        failed: Vec::new(),
    })
}

/// The recorded programs of code generation: what ptxas says of each must not have changed.
fn judge_generated(ptxas: &Ptxas) -> anyhow::Result<bool> {
    let programs = generated().map_err(anyhow::Error::msg)?;
    let mut wrong = 0;
    for program in &programs {
        let (verdict, _) = ptxas.messages(&program.architecture, &program.text)?;
        if !program.expected.is(&verdict) {
            wrong += 1;
            println!(
                "generation.txt:{}: {} is {:?}, ptxas says {verdict:?}",
                program.line, program.architecture, program.expected
            );
        }
    }
    println!(
        "{} programs with code, {wrong} of them wrong",
        programs.len()
    );
    Ok(wrong == 0)
}

/// Lets ptxas generate code for statements that it accepts when it reads them: what it refuses then must be known to us.
fn generate_code(generator: &mut Generator, count: usize, ptxas: &Ptxas) -> anyhow::Result<bool> {
    let mut checker = Checker::default();
    let (mut judged, mut refused, mut wrong) = (0, 0, 0);
    while judged < count {
        for case in generator.cases(count - judged) {
            judged += 1;
            let text = case.program("");
            let reading = architecture(&case.target);
            if ptxas.messages(&reading, &text)?.0 != Verdict::Accepted {
                continue;
            }
            let (verdict, _) = ptxas.messages(&reading.replace("compute_", "sm_"), &text)?;
            let Verdict::Rejected(message) = verdict else {
                continue;
            };
            refused += 1;
            let ours = checker.diagnostics(&text);
            if !ours.iter().any(|it| GENERATION_CODES.contains(&it.code)) {
                wrong += 1;
                println!("{} {}: {message}", case.target, case.statement);
            }
        }
    }
    println!("{judged} statements, no code for {refused}, unknown to us {wrong}");
    Ok(wrong == 0)
}

/// Recorded statements: what optimization leaves of each must not have changed.
fn measure_again(
    arguments: &Arguments,
    count: usize,
    seed: u64,
    ptxas: &Ptxas,
) -> anyhow::Result<ExitCode> {
    let (_, mut rows) = recorded::read::<Optimized>(&recorded::semantics_file())?;
    Rng::with_seed(seed).shuffle(&mut rows);
    rows.truncate(count);
    let mut changed = 0;
    for row in &rows {
        let found = semantics::measure(ptxas, &arguments.nvdisasm, &row.case)?;
        if found.as_ref() != Some(row) {
            changed += 1;
            println!("recorded {row:?}\nmeasured {found:?}");
        }
    }
    println!("{} statements, {changed} of them changed", rows.len());
    Ok(match changed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// Writes every disagreement as JSON lines, if a file for them was named.
fn write_disagreements(arguments: &Arguments, report: &Report) -> anyhow::Result<()> {
    let Some(path) = &arguments.output else {
        return Ok(());
    };
    let mut out = String::new();
    for it in report.disagreements() {
        let row = serde_json::json!({
            "case": it.case, "ours": it.ours, "ptxas": it.ptxas,
        });
        out.push_str(&row.to_string());
        out.push('\n');
    }
    fs::write(path, out)?;
    Ok(())
}

/// The examples of the documentation, and the snippets of completion: all must assemble.
fn judge_examples(ptxas: &Ptxas) -> anyhow::Result<bool> {
    let mut checker = Checker::default();
    let (mut all, mut wrong) = (0, 0);
    for (name, program) in examples() {
        all += 1;
        let ours = checker.errors(&program);
        let target = program.lines().find_map(|it| it.strip_prefix(".target "));
        let architecture = architecture(target.unwrap_or_default());
        let (verdict, _) = ptxas.messages(&architecture, &program)?;
        if verdict != Verdict::Accepted || !ours.is_empty() {
            wrong += 1;
            println!("example of {name}: ptxas {verdict:?}, we {ours:?}\n{program}");
        }
    }
    println!("{all} examples, {wrong} of them wrong");
    Ok(wrong == 0)
}

/// The recorded rules: what ptxas says of each must not have changed.
fn judge_rules(ptxas: &Ptxas) -> anyhow::Result<bool> {
    let rules = rules().map_err(anyhow::Error::msg)?;
    let mut wrong = 0;
    for rule in &rules {
        let verdict = ptxas.alone(&rule.case)?;
        if (verdict == Verdict::Accepted) != rule.accepted {
            wrong += 1;
            let statement = &rule.case.statement;
            println!("rule in line {}: {statement} {verdict:?}", rule.line);
        }
    }
    println!("{} rules, {wrong} of them wrong", rules.len());
    Ok(wrong == 0)
}

/// Statements that completion alone writes must assemble.
fn walk_tables(
    arguments: &Arguments,
    count: usize,
    seed: u64,
    ptxas: &Ptxas,
) -> anyhow::Result<bool> {
    let started = Instant::now();
    let mut rng = Rng::with_seed(seed);
    let modules = modules();
    let mut report = Report::default();
    let mut tally = Tally::default();
    let mut dead = Vec::new();
    let mut checker = Checker::default();
    while tally.judged < count {
        let mut cases = Vec::new();
        while cases.len() < ROUND.min(count - tally.judged) {
            match walk(&modules, &mut rng, &mut |case| {
                checker.errors(&case.program("")).is_empty()
            }) {
                Walk::Statement(case) => cases.push(case),
                Walk::DeadEnd(head) => dead.push(head),
                Walk::Nothing => {}
            }
        }
        tally.judged += cases.len();
        round(&cases, ptxas, arguments.jobs, &mut report, &mut tally)?;
    }
    write_disagreements(arguments, &report)?;
    let total = report.total();
    let rejected = total.judged - total.accepted;
    println!("{}", report.text());
    println!(
        "seed {seed}: {} walks, {} dead ends, {rejected} rejected by ptxas, {:.0} s",
        tally.judged,
        dead.len(),
        started.elapsed().as_secs_f64()
    );
    dead.sort();
    dead.dedup();
    for head in dead.iter().take(20) {
        println!("  dead end: {head}");
    }
    let share = 100.0 * (1.0 - (rejected + dead.len()) as f64 / tally.judged.max(1) as f64);
    let threshold = arguments.threshold.unwrap_or(99.9);
    println!("{share:.3} % of the walks assemble; the threshold is {threshold} %");
    Ok(share >= threshold)
}

/// Numbers beside the report.
#[derive(Default)]
struct Tally {
    judged: usize,
    crashes: usize,
    changed: usize,
}

fn round(
    cases: &[Case],
    ptxas: &Ptxas,
    jobs: usize,
    report: &mut Report,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    for (case, (ours, verdict)) in cases.iter().zip(judge(cases, ptxas, jobs, tally)?) {
        match verdict {
            Verdict::Accepted => report.add(case, ours, None),
            Verdict::Rejected(message) => report.add(case, ours, Some(message)),
            Verdict::Crashed => tally.crashes += 1,
        }
    }
    Ok(())
}

/// Our errors and the verdict of ptxas on each program.
fn judge<P: Judged>(
    programs: &[P],
    ptxas: &Ptxas,
    jobs: usize,
    tally: &mut Tally,
) -> anyhow::Result<Vec<(Vec<String>, Verdict)>> {
    let verdicts = ptxas.together(programs, jobs)?;
    let chunk = programs.len().div_ceil(jobs.max(1)).max(1);
    let ours: Vec<Vec<String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = programs
            .chunks(chunk)
            .map(|programs| {
                scope.spawn(|| {
                    let mut checker = Checker::default();
                    let errors = programs.iter().map(|it| checker.errors(&it.text("")));
                    errors.collect::<Vec<_>>()
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|it| it.join().expect("the analysis does not panic"))
            .collect()
    });
    let mut judged = Vec::with_capacity(programs.len());
    for ((program, ours), verdict) in programs.iter().zip(ours).zip(verdicts) {
        let agrees = match &verdict {
            Verdict::Accepted => ours.is_empty(),
            Verdict::Rejected(_) => !ours.is_empty(),
            Verdict::Crashed => false,
        };
        let verdict = if agrees {
            verdict
        } else {
            // Only a process of its own is beyond doubt.
            let alone = ptxas.alone(program)?;
            tally.changed +=
                usize::from((alone == Verdict::Accepted) != (verdict == Verdict::Accepted));
            alone
        };
        judged.push((ours, verdict));
    }
    Ok(judged)
}

/// Judges mutants of the programs of a folder that ptxas accepts.
fn mutate_programs(
    arguments: &Arguments,
    count: usize,
    seed: u64,
    ptxas: &Ptxas,
) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let mut rng = Rng::with_seed(seed);
    let mut bases = mutants::bases(&mutants::sources(arguments.corpus.as_deref()));
    rng.shuffle(&mut bases);
    // More than one base per mutant would be judged in vain.
    bases.truncate(count);
    let verdicts = ptxas.together(&bases, arguments.jobs)?;
    let mut verdicts = verdicts.into_iter();
    bases.retain(|_| verdicts.next() == Some(Verdict::Accepted));
    if bases.is_empty() {
        bail!("ptxas accepts none of the programs");
    }
    println!("{} programs that ptxas accepts", bases.len());
    let (mut report, mut tally) = (mutants::report::Report::default(), Tally::default());
    let mut rows = String::new();
    while tally.judged < count {
        let wanted = MUTANTS.min(count - tally.judged);
        let mutants: Vec<Mutant> = std::iter::repeat_with(|| {
            let base = &bases[rng.usize(..bases.len())];
            mutant(base, &mut rng)
        })
        .flatten()
        .take(wanted)
        .collect();
        tally.judged += mutants.len();
        let judged = judge(&mutants, ptxas, arguments.jobs, &mut tally)?;
        for (mutant, (ours, verdict)) in mutants.iter().zip(judged) {
            let message = match &verdict {
                Verdict::Accepted => None,
                Verdict::Rejected(message) => Some(message.as_str()),
                Verdict::Crashed => {
                    tally.crashes += 1;
                    continue;
                }
            };
            report.add(mutant, &ours, message);
            if ours.is_empty() != message.is_none() {
                let row = serde_json::json!({
                    "base": mutant.base, "line": mutant.line, "change": mutant.change,
                    "source": mutant.text, "ours": ours, "ptxas": message,
                });
                rows.push_str(&row.to_string());
                rows.push('\n');
            }
        }
    }
    println!("{}", report.text());
    println!(
        "seed {seed}: {} judged, {} crashes of ptxas left out, {} verdicts changed when asked alone, {:.0} s",
        tally.judged,
        tally.crashes,
        tally.changed,
        started.elapsed().as_secs_f64()
    );
    if let Some(path) = &arguments.output {
        fs::write(path, rows)?;
    }
    let threshold = arguments.threshold.unwrap_or(98.0);
    let good = report.agreement() >= threshold && report.false_alarms() <= arguments.false_alarms;
    if !good {
        println!(
            "wanted: agreement {threshold} %, false alarms {} %",
            arguments.false_alarms
        );
    }
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// An endless supply of statements, instruction by instruction.
struct Generator {
    rng: Rng,
    modules: Vec<Module>,
    instructions: Vec<&'static Instruction>,
    next: usize,
    /// Lines of the tables for which no statement was found.
    failed: Vec<&'static str>,
}

impl Generator {
    fn cases(&mut self, count: usize) -> Vec<Case> {
        let mut cases = Vec::with_capacity(count + MUTATIONS + 2);
        while cases.len() < count {
            let instruction = self.instructions[self.next % self.instructions.len()];
            self.next += 1;
            self.statements(instruction, &mut cases);
        }
        cases.truncate(count);
        cases
    }

    /// An accepted form, mutations of it, and one for a module below its gates.
    fn statements(&mut self, instruction: &'static Instruction, cases: &mut Vec<Case>) {
        let Some(variant) = self.rng.choice(&instruction.variants) else {
            return;
        };
        let Some(form) = draft(instruction, variant, &self.modules, &mut self.rng) else {
            self.failed.push(variant.syntax);
            return;
        };
        let module = form.choices.module;
        cases.extend(case(instruction, &form.words, &form.operands, module));
        for _ in 0..MUTATIONS {
            let mut mutant = form.clone();
            mutate(&mut mutant, &mut self.rng);
            cases.extend(case(instruction, &mutant.words, &mutant.operands, module));
        }
        if let Some(below) = just_below(&form, &self.modules, &mut self.rng) {
            cases.extend(case(instruction, &form.words, &form.operands, below));
        }
    }
}
