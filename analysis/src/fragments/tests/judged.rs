//! Recorded verdicts of compilers on programs with assembly.

use super::*;

const CASES: &str = include_str!("judged.txt");
/// Before the name of a case.
const MARK: &str = "==== ";

/// The cases: name, verdict, text.
fn cases() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let all = CASES.split(MARK).skip(1);
    all.map(|case| {
        let (head, text) = case.split_once('\n').expect("a text");
        let (name, verdict) = head.split_once(": ").expect("a verdict");
        (name, verdict, text)
    })
}

/// The texts of the errors.
fn errors(text: &str, language: Language, targets: &[&str]) -> Vec<String> {
    let found = diagnostics(text, language, targets).into_iter();
    found
        .filter(|it| it.severity == crate::Severity::Error)
        .map(|it| text[it.range].to_owned())
        .collect()
}

#[test]
fn errors_are_those_of_the_compilers() {
    let mut wrong = String::new();
    for (name, verdict, text) in cases() {
        let language = Language::of_path(std::path::Path::new(name)).expect("a language");
        for targets in [&["sm_90a"][..], &[]] {
            let found = errors(text, language, targets);
            let right = match verdict.strip_prefix("rejected at `") {
                None => found.is_empty(),
                Some(rest) => {
                    let token = rest.split_once("`: ").expect("a message").0;
                    found.iter().any(|it| it == token)
                }
            };
            if !right {
                let _ = writeln!(
                    wrong,
                    "{name} for {targets:?} is {verdict}; ours: {found:?}"
                );
            }
        }
    }
    assert!(cases().count() > 60);
    assert!(wrong.is_empty(), "{wrong}");
}

/// Code under macros that nothing defines is told about, but not as errors.
#[test]
fn what_is_not_reached_has_warnings() {
    let case = cases().find(|it| it.0 == "never_ifdef.cu").expect("a case");
    check(
        Language::Cuda,
        &["sm_90a"],
        case.2,
        expect![[r#"
        4: `bogus` Warning unknown-instruction: unknown instruction `bogus`
    "#]],
    );
}

#[test]
fn inputs_that_are_written() {
    for name in [
        "input_written.cu",
        "input_second.cu",
        "input_pair.cu",
        "inout_written.cu",
    ] {
        let case = cases().find(|it| it.0 == name).expect("a case");
        let found = diagnostics(case.2, Language::Cuda, &["sm_90a"]);
        let of_inputs = found.iter().filter(|it| it.code == "asm-written-input");
        let places: Vec<&str> = of_inputs.map(|it| &case.2[it.range]).collect();
        let expected: &[&str] = match name {
            "input_second.cu" => &["%1"],
            "input_pair.cu" => &["%0", "%1"],
            "input_written.cu" => &["%0"],
            _ => &[],
        };
        assert_eq!(places, expected, "{name}");
    }
}
