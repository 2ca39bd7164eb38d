//! Tests of the evaluator.

mod bit_maps;
mod coverage;
mod graphs;
mod judged;
mod operations;
mod passes;
mod statement;
mod texts;

use judged::Judge;

/// Recorded cases, or fresh ones in the files that `PTX_PTXAS`, `PTX_REFERENCE` and `PTX_HOST` name.
#[test]
#[expect(clippy::print_stdout, reason = "figures of the live step")]
fn results_are_those_of_the_judges() {
    let mut wrong = Vec::new();
    for judge in Judge::ALL {
        let fresh = std::env::var(format!("PTX_{}", judge.name().to_uppercase()));
        let text = match fresh {
            Ok(path) => std::fs::read_to_string(path).expect("the fresh cases are there"),
            Err(_) => judge.recorded(),
        };
        let report = judged::report(judge, &text);
        println!(
            "{}: {} forms, {} equal, {} open, {} excepted, {} forms differ",
            judge.name(),
            report.forms,
            report.equal,
            report.open,
            report.excepted,
            report.different.len()
        );
        wrong.extend(report.different);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
