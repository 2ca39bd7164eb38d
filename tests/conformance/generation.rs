//! Recorded verdicts of code generation against ours.

use analysis::Severity;
use ptx_tests::conformance::{
    generation::{Expected, GENERATION_CODES, generated},
    ours::Checker,
};

#[test]
fn generated_programs_are_judged_as_by_ptxas() {
    let mut checker = Checker::default();
    let mut wrong = Vec::new();
    let programs = generated().unwrap_or_else(|it| panic!("{it}"));
    assert!(programs.len() > 80, "{} are too few", programs.len());
    for program in programs {
        let found = checker.diagnostics(&program.text);
        let has = |severity: Severity, codes: &[&str]| {
            let mut found = found.iter();
            found
                .any(|it| it.severity == severity && (codes.is_empty() || codes.contains(&it.code)))
        };
        let ours = match (
            has(Severity::Error, &[]),
            has(Severity::Warning, &GENERATION_CODES),
        ) {
            (true, _) => Expected::Refused,
            (false, true) => Expected::Warned,
            _ => Expected::Accepted,
        };
        // Addresses of 16 bits are accepted with a warning of ptxas.
        let tolerated = ours == Expected::Warned
            && program.expected == Expected::Accepted
            && found
                .iter()
                .all(|it| it.severity != Severity::Error && !it.message.contains("32 bits"));
        if ours != program.expected && !tolerated {
            wrong.push(format!(
                "line {} for {}: ptxas {:?}, we {ours:?}: {found:?}",
                program.line, program.architecture, program.expected
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
