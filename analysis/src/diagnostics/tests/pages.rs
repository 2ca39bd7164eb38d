//! Every code has a page, and the examples on the pages are tests.

use std::{collections::BTreeMap, fs, path::Path};

use syntax::host::Language;

use crate::{
    AnalysisConfig, Change, Diagnostic, FileId, Level, Severity,
    diagnostics::registry::DIAGNOSTIC_CODES, fixture::Fixture, fragments,
};

/// The examples below a heading of a page: PTX, or CUDA C++ for what is said of statements of assembly.
fn examples(page: &str, heading: &str, language: &str) -> Vec<String> {
    let Some((_, section)) = page.split_once(&format!("\n## {heading}\n")) else {
        return Vec::new();
    };
    let section = section.split("\n## ").next().unwrap_or_default();
    section
        .split(&format!("```{language}\n"))
        .skip(1)
        .filter_map(|it| it.split("```").next())
        .map(str::to_owned)
        .collect()
}

fn errors_of(text: &str) -> Vec<Diagnostic> {
    let mut fixture = Fixture::new(text);
    fixture.host.apply_change(Change {
        files: Vec::new(),
        config: Some(AnalysisConfig {
            portability_targets: vec!["sm_75".into()],
            severity: BTreeMap::from([("slow-f64".into(), Level::Hint)]),
            ..AnalysisConfig::default()
        }),
    });
    fixture
        .host
        .analysis()
        .diagnostics(FileId(0))
        .expect("nothing is written")
}

#[test]
fn pages_of_the_codes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics");
    for code in DIAGNOSTIC_CODES {
        let path = folder.join(format!("{}.md", code.name));
        let page =
            fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} has no page", code.name));
        assert!(
            page.starts_with(&format!("# {}\n", code.name)),
            "{}",
            code.name
        );
        // What lies beyond the limits of the parser has no example of readable size.
        if code.name == "nesting-too-deep" {
            continue;
        }
        let (language, host) = match code.name {
            "asm-named-label" => ("rust", Some(Language::Rust)),
            it if it.starts_with("asm-") => ("cuda", Some(Language::Cuda)),
            _ => ("ptx", None),
        };
        let examples = |heading| examples(&page, heading, language);
        let (wrong, right) = (examples("Wrong"), examples("Right"));
        let errors_of = |text: &str| match host {
            Some(language) => fragments::tests::diagnostics(text, language, &[]),
            None => errors_of(text),
        };
        assert!(
            !wrong.is_empty() && !right.is_empty(),
            "{} lacks examples",
            code.name
        );
        // What ptxas or a run finds is not found here; `analysis/run` runs the examples.
        let found_here = !code.is_found_elsewhere();
        for example in wrong.iter().filter(|_| found_here) {
            let found = errors_of(example);
            assert!(
                found.iter().any(|it| it.code == code.name),
                "{}: {found:?}",
                code.name
            );
        }
        for example in &right {
            let found = errors_of(example);
            assert!(
                found.iter().all(|it| it.severity != Severity::Error),
                "{}: {found:?}",
                code.name
            );
        }
    }
}

#[test]
fn pages_have_a_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics");
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let name = entry.expect("the folder is readable").file_name();
        let name = name.to_string_lossy();
        let stem = name.trim_end_matches(".md");
        assert!(
            DIAGNOSTIC_CODES.iter().any(|it| it.name == stem),
            "{name} is not code"
        );
    }
}

/// Also without hints, as `check --hints` shows them.
#[test]
fn right_examples_are_silent() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics");
    let mut seen = 0;
    for code in DIAGNOSTIC_CODES {
        let page = fs::read_to_string(folder.join(format!("{}.md", code.name))).unwrap_or_default();
        for example in examples(&page, "Right", "ptx") {
            let found = Fixture::new(&example);
            let found = found.host.analysis().diagnostics(FileId(0));
            let found = found.expect("nothing is written");
            assert!(found.is_empty(), "{}: {found:?}", code.name);
            seen += 1;
        }
    }
    assert!(seen > 100, "{seen}");
}
