//! Fresh random statements, or mutants of real programs, judged by ptxas and by us.
//!
//! `tests/conformance/live` fetches ptxas and starts this program.

#![expect(clippy::print_stdout, reason = "a report is what this program is for")]

use std::{
    fs,
    path::PathBuf,
    process::ExitCode,
    time::{SystemTime, UNIX_EPOCH},
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
    judge::{Example, Judge},
    mutants::{self, Mutant, mutant},
    mutation::{just_below, mutate},
    ours::Checker,
    program::Case,
    ptxas::{Ptxas, RELEASE, Verdict, architecture},
    recorded,
    report::Report,
    rules::rules,
    semantics::{self, Optimized},
    verdicts::{self, GROUP, Verdicts, rng_of},
    walks::{Walk, examples, opcodes, walk},
};

/// Statements that are judged together.
const ROUND: usize = 50_000;
/// Mutants that are judged together.
const MUTANTS: usize = 5_000;
/// Mutations of one accepted form.
const MUTATIONS: usize = 2;
/// Walks that are recorded together: our own verdict decides which operands one has.
const WALKS: usize = 10;
/// How often something that cannot always be made is tried, for each that is wanted.
const TRIES: usize = 50;

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
    /// Runs ptxas only on programs without a recorded verdict, and on a sample of the others.
    #[arg(long, requires = "seed", conflicts_with_all = ["corpus", "generation", "semantics"])]
    recorded: bool,
    /// Records the verdicts of this run.
    #[arg(long, requires = "recorded")]
    rewrite: bool,
    /// Seed of that sample; the time if there is none.
    #[arg(long, requires = "recorded")]
    sample: Option<u64>,
    /// Processes of ptxas at a time.
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Writes every disagreement to this file, as JSON lines.
    #[arg(long)]
    output: Option<PathBuf>,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let seed = arguments.seed.unwrap_or(now);
    let ptxas = Ptxas::new(&arguments.ptxas)
        .with_context(|| format!("cannot run {}", arguments.ptxas.display()))?;
    let release = ptxas.release()?;
    if release != RELEASE {
        println!("warning: the tables are measured with ptxas {RELEASE}");
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
    let (kind, count) = match (arguments.mutants, arguments.walks) {
        (Some(count), _) => ("mutants", count),
        (_, Some(count)) => ("walks", count),
        _ => ("statements", arguments.count),
    };
    println!("seed {seed}, {count} {kind}, ptxas {release}");
    let file = verdicts::file(kind);
    let sample = arguments.sample.unwrap_or(now);
    let verdicts = if arguments.recorded && file.exists() {
        Verdicts::read(&file, &release, seed, sample)?
    } else {
        Verdicts::none(&release, seed)
    };
    let mut judge = Judge::new(ptxas, arguments.jobs, verdicts);
    let mut is_good = match kind {
        "mutants" => mutate_programs(&arguments, count, seed, &mut judge)?,
        "walks" => {
            let examples = judge_examples(&mut judge)?;
            let rules = judge_rules(&mut judge)?;
            walk_tables(&arguments, count, seed, &mut judge)? && examples && rules
        }
        _ => judge_statements(&arguments, count, seed, &mut judge)?,
    };
    if arguments.recorded {
        let Verdicts {
            recorded,
            again,
            fresh,
            ..
        } = judge.verdicts;
        println!(
            "{recorded} verdicts from the record, {again} of them asked again (sample {sample}), {fresh} not recorded"
        );
    }
    for text in &judge.stale {
        is_good = false;
        println!("ptxas says something else than its recorded verdict on\n{text}");
    }
    if arguments.rewrite {
        judge.verdicts.write(&file)?;
    }
    Ok(if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Judges random statements of every instruction.
fn judge_statements(
    arguments: &Arguments,
    count: usize,
    seed: u64,
    judge: &mut Judge,
) -> anyhow::Result<bool> {
    let mut generator = generator(arguments, seed)?;
    let mut report = Report::default();
    let mut groups = Vec::new();
    let each = count.div_ceil(generator.instructions.len());
    for instruction in generator.instructions.clone() {
        let cases = generator.cases(instruction, each);
        groups.extend(cases.chunks(GROUP).map(<[Case]>::to_vec));
        if ROUND <= groups.len() * GROUP {
            judge.round(&std::mem::take(&mut groups), &mut report)?;
        }
    }
    judge.round(&groups, &mut report)?;
    println!("{}", report.text());
    if !generator.failed.is_empty() {
        generator.failed.sort_unstable();
        generator.failed.dedup();
        println!("variants for which no statement was found:");
        for variant in &generator.failed {
            println!("  {variant}");
        }
    }
    println!("seed {seed}: {}", judge.summary());
    write_disagreements(arguments, &report)?;
    let agreement = report.total().agreement();
    let threshold = arguments.threshold.unwrap_or(99.9);
    if agreement < threshold {
        println!("agreement {agreement:.3} % is below {threshold} %");
    }
    Ok(agreement >= threshold)
}

/// A generator of statements of the requested instructions.
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
        seed,
        modules: modules(),
        instructions,
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
    let each = count.div_ceil(generator.instructions.len());
    for instruction in generator.instructions.clone() {
        for case in generator.cases(instruction, each) {
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
fn judge_examples(judge: &mut Judge) -> anyhow::Result<bool> {
    let mut checker = Checker::default();
    let (mut all, mut wrong) = (0, 0);
    for (name, program) in examples() {
        all += 1;
        let ours = checker.errors(&program);
        let target = program.lines().find_map(|it| it.strip_prefix(".target "));
        let verdict = judge.alone(&Example {
            architecture: architecture(target.unwrap_or_default()),
            text: &program,
        })?;
        if verdict != Verdict::Accepted || !ours.is_empty() {
            wrong += 1;
            println!("example of {name}: ptxas {verdict:?}, we {ours:?}\n{program}");
        }
    }
    println!("{all} examples, {wrong} of them wrong");
    Ok(wrong == 0)
}

/// The recorded rules: what ptxas says of each must not have changed.
fn judge_rules(judge: &mut Judge) -> anyhow::Result<bool> {
    let rules = rules().map_err(anyhow::Error::msg)?;
    let mut wrong = 0;
    for rule in &rules {
        let verdict = judge.alone(&rule.case)?;
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
    judge: &mut Judge,
) -> anyhow::Result<bool> {
    let modules = modules();
    let mut report = Report::default();
    let mut dead = Vec::new();
    let mut checker = Checker::default();
    let mut groups = Vec::new();
    let each = count.div_ceil(opcodes().count());
    for opcode in opcodes() {
        let mut rng = rng_of(seed, opcode);
        let mut cases = Vec::new();
        for _ in 0..each * TRIES {
            match walk(opcode, &modules, &mut rng, &mut |case| {
                checker.errors(&case.program("")).is_empty()
            }) {
                Walk::Statement(case) => cases.push(case),
                Walk::DeadEnd(head) => dead.push(head),
                Walk::Nothing => {}
            }
            if cases.len() == each {
                break;
            }
        }
        groups.extend(cases.chunks(WALKS).map(<[Case]>::to_vec));
    }
    judge.round(&groups, &mut report)?;
    write_disagreements(arguments, &report)?;
    let total = report.total();
    let rejected = total.judged - total.accepted;
    println!("{}", report.text());
    println!(
        "seed {seed}: {}, {} dead ends, {rejected} rejected by ptxas",
        judge.summary(),
        dead.len(),
    );
    let ends = dead.len();
    dead.sort();
    dead.dedup();
    for head in dead.iter().take(20) {
        println!("  dead end: {head}");
    }
    let share = 100.0 * (1.0 - (rejected + ends) as f64 / total.judged.max(1) as f64);
    let threshold = arguments.threshold.unwrap_or(99.9);
    println!("{share:.3} % of the walks assemble; the threshold is {threshold} %");
    Ok(share >= threshold)
}

/// Judges mutants of the programs of a folder that ptxas accepts.
fn mutate_programs(
    arguments: &Arguments,
    count: usize,
    seed: u64,
    judge: &mut Judge,
) -> anyhow::Result<bool> {
    let mut bases = mutants::bases(&mutants::sources(arguments.corpus.as_deref()));
    Rng::with_seed(seed).shuffle(&mut bases);
    // More than one base per mutant would be judged in vain.
    bases.truncate(count);
    let mut accepted = Vec::with_capacity(bases.len());
    for base in bases {
        if judge.alone(&base)? == Verdict::Accepted {
            accepted.push(base);
        }
    }
    let bases = accepted;
    if bases.is_empty() {
        bail!("ptxas accepts none of the programs");
    }
    println!("{} programs that ptxas accepts", bases.len());
    let mut report = mutants::report::Report::default();
    let mut rows = String::new();
    let each = count.div_ceil(bases.len());
    for bases in bases.chunks(MUTANTS.div_ceil(each)) {
        let mut groups = Vec::new();
        for base in bases {
            let mut rng = rng_of(seed, &base.text);
            let mutants = std::iter::repeat_with(|| mutant(base, &mut rng)).take(each * TRIES);
            let mutants: Vec<Mutant> = mutants.flatten().take(each).collect();
            groups.extend(mutants.chunks(GROUP).map(<[Mutant]>::to_vec));
        }
        let judged = judge.judge(&groups)?;
        for (mutant, (ours, verdict)) in groups.iter().flatten().zip(judged) {
            let message = match &verdict {
                Verdict::Accepted => None,
                Verdict::Rejected(message) => Some(message.as_str()),
                Verdict::Crashed => continue,
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
    println!("seed {seed}: {}", judge.summary());
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
    Ok(good)
}

/// A supply of statements.
struct Generator {
    seed: u64,
    modules: Vec<Module>,
    instructions: Vec<&'static Instruction>,
    /// Lines of the tables for which no statement was found.
    failed: Vec<&'static str>,
}

impl Generator {
    /// So many statements about an instruction, which do not depend on others.
    fn cases(&mut self, instruction: &'static Instruction, count: usize) -> Vec<Case> {
        let mut rng = rng_of(self.seed, instruction.name);
        let mut cases = Vec::with_capacity(count + MUTATIONS + 2);
        for _ in 0..count * TRIES {
            if cases.len() >= count {
                break;
            }
            self.statements(instruction, &mut rng, &mut cases);
        }
        cases.truncate(count);
        cases
    }

    /// An accepted form, mutations of it, and one for a module below its gates.
    fn statements(
        &mut self,
        instruction: &'static Instruction,
        rng: &mut Rng,
        cases: &mut Vec<Case>,
    ) {
        let Some(variant) = rng.choice(&instruction.variants) else {
            return;
        };
        let Some(form) = draft(instruction, variant, &self.modules, rng) else {
            self.failed.push(variant.syntax);
            return;
        };
        let module = form.choices.module;
        cases.extend(case(instruction, &form.words, &form.operands, module));
        for _ in 0..MUTATIONS {
            let mut mutant = form.clone();
            mutate(&mut mutant, rng);
            cases.extend(case(instruction, &mutant.words, &mutant.operands, module));
        }
        if let Some(below) = just_below(&form, &self.modules, rng) {
            cases.extend(case(instruction, &form.words, &form.operands, below));
        }
    }
}
