//! Recorded verdicts of ptxas against ours; with `-- --nocapture` the report is shown.

#![expect(clippy::print_stdout, reason = "the report")]

mod generation;
mod messages;
mod programs;

use ptx_tests::conformance::{
    ours::Checker, ptxas, recorded, report::Report, rules::rules, semantics,
};
use ptx_tests::{fixtures, workspace::top};

/// Least share of equal verdicts, in percent.
const OVERALL: f64 = 99.5;
/// The same for each family.
const PER_FAMILY: f64 = 98.0;

/// The same for what optimization leaves.
const SEMANTICS: f64 = 96.0;

#[test]
fn recorded_verdicts_are_ours() {
    let (header, rows) = recorded::read::<recorded::Recorded>(&recorded::file())
        .expect("the recorded verdicts are there");
    assert_eq!(header.ptxas, ptxas::RELEASE);
    assert!(rows.len() > 10_000, "{} rows are too few", rows.len());
    let chunk = rows
        .len()
        .div_ceil(std::thread::available_parallelism().map_or(1, Into::into));
    let ours: Vec<Vec<String>> = std::thread::scope(|scope| {
        let workers: Vec<_> = rows
            .chunks(chunk)
            .map(|rows| {
                scope.spawn(|| {
                    let mut checker = Checker::default();
                    rows.iter()
                        .map(|it| checker.errors(&it.case.program("")))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        workers
            .into_iter()
            .flat_map(|it| it.join().expect("the analysis does not panic"))
            .collect()
    });
    let mut report = Report::default();
    for (row, ours) in rows.iter().zip(ours) {
        report.add(
            &row.case,
            ours,
            (!row.ok).then(|| row.message.clone().unwrap_or_default()),
        );
    }
    let text = report.text();
    println!("{text}");
    let total = report.total().agreement();
    assert!(
        total >= OVERALL,
        "{text}\nagreement {total:.3} % is below {OVERALL} %"
    );
    for (family, count) in report.families() {
        let share = count.agreement();
        assert!(
            share >= PER_FAMILY,
            "{text}\n{family}: agreement {share:.3} % is below {PER_FAMILY} %"
        );
    }
}

#[test]
fn the_tables_say_what_optimization_leaves() {
    let (header, rows) = recorded::read::<semantics::Optimized>(&recorded::semantics_file())
        .expect("the recorded measurements are there");
    assert_eq!(header.ptxas, ptxas::RELEASE);
    assert!(rows.len() > 300, "{} rows are too few", rows.len());
    let (wrong, report) = semantics::report(&rows);
    println!(
        "{report}{} statements, {wrong} not as the tables say",
        rows.len()
    );
    let share = 100.0 * (1.0 - wrong as f64 / rows.len() as f64);
    assert!(
        share >= SEMANTICS,
        "{report}\n{share:.2} % is below {SEMANTICS} %"
    );
}

#[test]
fn rules_are_ours() {
    let mut checker = Checker::default();
    let mut wrong = Vec::new();
    for rule in rules().unwrap_or_else(|it| panic!("{it}")) {
        let errors = checker.errors(&rule.case.program(""));
        if errors.is_empty() != rule.accepted {
            let statement = &rule.case.statement;
            wrong.push(format!("line {}: {statement} {errors:?}", rule.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn live_mode_fetches_the_release_of_the_recorded_verdicts() {
    let script = include_str!("ptxas.sh");
    let wanted = format!("release={}", ptxas::RELEASE);
    assert!(
        script.lines().any(|it| it == wanted),
        "the script lacks {wanted}"
    );
}

/// The README states what `tests/run` and the tests here enforce.
#[test]
fn the_readme_states_what_the_gate_enforces() {
    let read = |path| std::fs::read_to_string(top().join(path)).expect("a file of the repository");
    let (readme, script) = (read("README.md"), read("tests/run"));
    // The first gate of the step `live`: a number of statements and the least agreement.
    let gate = script
        .lines()
        .find(|it| it.contains("conformance/live --count"))
        .expect("a gate of statements");
    let words: Vec<&str> = gate.split_whitespace().collect();
    let value = |option| {
        let at = words.iter().position(|it| *it == option);
        words[at.expect("an option of the gate") + 1]
    };
    let (_, programs) = recorded::read::<recorded::RecordedProgram>(&recorded::programs_file())
        .expect("the recorded verdicts are there");
    let accepted = programs.iter().filter(|it| it.messages.is_empty()).count();
    let version = isa::target::versions().last().expect("a version");
    let expected = format!(
        "at least {} % agreement with `ptxas` {} on {} statements of PTX up to {version}, and no error in {} programs and {} files",
        value("--threshold"),
        ptxas::RELEASE,
        thousands(value("--count")),
        thousands(&accepted.to_string()),
        fixtures::ptx().len(),
    );
    assert!(readme.contains(&expected), "README.md lacks: {expected}");
}

/// The digits with commas between groups of three.
fn thousands(digits: &str) -> String {
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
