//! Recorded verdicts on whole programs against ours.

use std::{collections::BTreeMap, fmt::Write as _};

use analysis::{FileContents, Severity};
use ptx_tests::conformance::{
    generation::GENERATION_CODES,
    ours::Checker,
    ptxas,
    recorded::{self, RecordedProgram},
};

/// Least share of the rejected programs that get an error of ours on a line that ptxas names, in percent.
const FOUND: f64 = 97.0;
/// Programs of each kind of mistake that the report names.
const NAMED: usize = 8;

/// Our verdicts on the programs of a topic.
#[derive(Default)]
struct Topic<'a> {
    accepted: usize,
    false_alarms: Vec<&'a str>,
    rejected: usize,
    /// With errors, but on other lines than ptxas.
    elsewhere: Vec<&'a str>,
    missed: Vec<&'a str>,
}

impl Topic<'_> {
    fn found(&self) -> usize {
        self.rejected - self.elsewhere.len() - self.missed.len()
    }
}

/// The lines of our errors.
fn lines(checker: &mut Checker, program: &str) -> Vec<u32> {
    let table = FileContents::new(program).lines;
    let found = checker.diagnostics(program).into_iter();
    found
        .filter(|it| it.severity == Severity::Error && !GENERATION_CODES.contains(&it.code))
        .map(|it| table.line_of(it.range.start()) + 1)
        .collect()
}

#[test]
fn programs_get_errors_where_ptxas_has_them() {
    let (header, rows) = recorded::read::<RecordedProgram>(&recorded::programs_file())
        .expect("the recorded verdicts are there");
    assert_eq!(header.ptxas, ptxas::RELEASE);
    assert!(rows.len() > 5000, "{} rows are too few", rows.len());
    let mut checker = Checker::default();
    let mut topics: BTreeMap<&str, Topic<'_>> = BTreeMap::new();
    for row in &rows {
        let topic = topics.entry(&row.topic).or_default();
        let ours = lines(&mut checker, &row.source);
        if row.messages.is_empty() {
            topic.accepted += 1;
            if !ours.is_empty() {
                topic.false_alarms.push(&row.name);
            }
            continue;
        }
        topic.rejected += 1;
        // Some errors name no line.
        let anywhere = row.messages.iter().all(|it| it.line == 0);
        if ours.is_empty() {
            topic.missed.push(&row.name);
        } else if !anywhere && !row.messages.iter().any(|it| ours.contains(&it.line)) {
            topic.elsewhere.push(&row.name);
        }
    }
    let text = report(&topics);
    println!("{text}");
    let sum = |count: fn(&Topic<'_>) -> usize| topics.values().map(count).sum::<usize>();
    assert_eq!(sum(|it| it.false_alarms.len()), 0, "{text}");
    let found = 100.0 * sum(|it| it.found()) as f64 / sum(|it| it.rejected) as f64;
    assert!(found >= FOUND, "{text}\nfound {found:.2} %");
}

/// A line for each topic, most mistakes first, and the sums.
fn report(topics: &BTreeMap<&str, Topic<'_>>) -> String {
    let mut rows: Vec<_> = topics.iter().collect();
    rows.sort_by_key(|it| std::cmp::Reverse(it.1.rejected - it.1.found()));
    let mut out = format!(
        "{:<18}{:>9}{:>14}{:>10}{:>8}{:>8}\n",
        "programs about", "accepted", "false alarms", "rejected", "found", "share"
    );
    let mut sum = [0; 4];
    for (name, topic) in rows {
        let counts = [
            topic.accepted,
            topic.false_alarms.len(),
            topic.rejected,
            topic.found(),
        ];
        for (sum, count) in sum.iter_mut().zip(counts) {
            *sum += count;
        }
        line(&mut out, name, counts);
        for (what, names) in [
            ("false alarm", &topic.false_alarms),
            ("missed", &topic.missed),
            ("on another line", &topic.elsewhere),
        ] {
            if !names.is_empty() {
                let more = if names.len() > NAMED { " …" } else { "" };
                let named = &names[..names.len().min(NAMED)];
                writeln!(out, "    {what}: {}{more}", named.join(" "))
                    .expect("a string takes everything");
            }
        }
    }
    line(&mut out, "all", sum);
    out
}

fn line(out: &mut String, name: &str, [accepted, false_alarms, rejected, found]: [usize; 4]) {
    let share = 100.0 * found as f64 / rejected.max(1) as f64;
    writeln!(
        out,
        "{name:<18}{accepted:>9}{false_alarms:>14}{rejected:>10}{found:>8}{share:>7.1}%"
    )
    .expect("a string takes everything");
}
