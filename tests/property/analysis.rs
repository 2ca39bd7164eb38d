//! After any edits, the analysis answers as one that never saw another text.

use std::sync::Arc;

use analysis::{AnalysisHost, FileId, Severity};
use ptx_tests::{
    fixtures,
    fuzz::fuzz,
    generate, mutate,
    properties::answers::{Answers, change},
};
use syntax::{Document, FileContents};

/// Edits of each fixture, unless `PTX_EDITS` is set.
const EDITS: usize = 200;
/// Edits after which a document starts again from its file.
const SESSION: usize = 30;
/// Edits between two comparisons.
const PERIOD: usize = 15;

const EDITED: FileId = FileId(0);
const NEIGHBOUR: FileId = FileId(1);

/// The state of a host in the order of the files.
fn host(contents: [Arc<FileContents>; 2]) -> AnalysisHost {
    let mut host = AnalysisHost::new();
    change(&mut host, EDITED, contents[0].clone());
    change(&mut host, NEIGHBOUR, contents[1].clone());
    host
}

#[test]
fn answers_after_edits_equal_fresh_ones() {
    let edits =
        std::env::var("PTX_EDITS").map_or(EDITS, |it| it.parse().expect("PTX_EDITS is a number"));
    let fixtures = fixtures::ptx();
    let neighbour = Arc::new(FileContents::new(&fixtures[0].text));
    for (seed, fixture) in fixtures.iter().enumerate() {
        let mut rng = fastrand::Rng::with_seed(seed as u64);
        let mut document = Document::new(fixture.text.clone());
        let mut old = host([document.contents(), neighbour.clone()]);
        for step in 1..=edits {
            if step % SESSION == 0 {
                document = Document::new(fixture.text.clone());
            }
            let edit = mutate::edit(&mut rng, document.text(), document.lines());
            document.apply(&edit).expect("the edit fits");
            change(&mut old, EDITED, document.contents());
            // Asked after every edit, so that there is something to be out of date.
            let why = "no cancellation";
            old.analysis().diagnostics(EDITED).expect(why);
            old.analysis().semantic_tokens(EDITED, None).expect(why);
            old.analysis().document_symbols(EDITED).expect(why);
            if step % PERIOD == 0 {
                let answers = Answers::new(&old.analysis(), EDITED);
                let fresh = Arc::new(FileContents::new(document.text()));
                let fresh = host([fresh, neighbour.clone()]);
                for file in [EDITED, NEIGHBOUR] {
                    let expected = Answers::new(&fresh.analysis(), file);
                    let found = match file {
                        EDITED => &answers,
                        _ => &Answers::new(&old.analysis(), file),
                    };
                    assert!(
                        *found == expected,
                        "{}, step {step}, {file:?}: {edit:?}\nincremental: {found:#?}\nfresh: {expected:#?}",
                        fixture.name,
                    );
                }
            }
        }
    }
}

/// Modules with several functions, of which each edit concerns one or all.
#[test]
fn answers_about_generated_modules_equal_fresh_ones() {
    fuzz("answers about generated modules", 4, |rng| {
        let neighbour = Arc::new(FileContents::new(&generate::module(1)));
        let mut document = Document::new(generate::module(rng.usize(1..90_000)));
        let mut old = host([document.contents(), neighbour.clone()]);
        for _ in 0..rng.usize(1..25) {
            let edit = mutate::edit(rng, document.text(), document.lines());
            document.apply(&edit).expect("the edit fits");
            change(&mut old, EDITED, document.contents());
            old.analysis().diagnostics(EDITED).expect("no cancellation");
            if rng.u8(..4) == 0 {
                let answers = Answers::new(&old.analysis(), EDITED);
                let fresh = Arc::new(FileContents::new(document.text()));
                let fresh = host([fresh, neighbour.clone()]);
                let expected = Answers::new(&fresh.analysis(), EDITED);
                assert!(answers == expected, "{edit:?} of\n{}", document.text());
            }
        }
    });
}

#[test]
fn every_file_is_answered_without_a_panic() {
    let files = fixtures::ptx().into_iter().chain(fixtures::corpus());
    let mut host = AnalysisHost::new();
    for fixture in files {
        change(
            &mut host,
            EDITED,
            Arc::new(FileContents::new(&fixture.text)),
        );
        let answers = Answers::new(&host.analysis(), EDITED);
        let len = u32::try_from(fixture.text.len()).expect("a short file");
        for diagnostic in &answers.diagnostics {
            assert!(
                u32::from(diagnostic.range.end()) <= len,
                "{}: {diagnostic:?}",
                fixture.name
            );
        }
        for symbol in &answers.symbols {
            assert!(
                u32::from(symbol.full_range.end()) <= len,
                "{}: {symbol:?}",
                fixture.name
            );
            assert!(
                symbol.full_range.contains_range(symbol.focus_range),
                "{}: {symbol:?}",
                fixture.name
            );
        }
    }
}

#[test]
fn accepted_files_have_no_errors() {
    for fixture in fixtures::ptx() {
        let mut host = AnalysisHost::new();
        change(
            &mut host,
            EDITED,
            Arc::new(FileContents::new(&fixture.text)),
        );
        let found = host
            .analysis()
            .diagnostics(EDITED)
            .expect("no cancellation");
        let errors: Vec<_> = found
            .iter()
            .filter(|it| it.severity == Severity::Error)
            .collect();
        assert!(errors.is_empty(), "{}: {errors:#?}", fixture.name);
    }
}
