//! Hover explains nearly every word.

#![expect(clippy::print_stdout, reason = "the share is what one wants to know")]

use std::{collections::BTreeMap, sync::Arc};

use analysis::{AnalysisHost, Change, FileContents, FileId, FilePosition};
use ptx_tests::fixtures;
use syntax::SyntaxKind;

/// Words of a file that are tried, evenly spread.
const MOST: usize = 400;

#[test]
fn words_have_hovers() {
    let mut files = fixtures::corpus();
    if files.is_empty() {
        files = fixtures::ptx();
    }
    let step = files.len() / 200 + 1;
    let (mut all, mut explained) = (0usize, 0usize);
    let mut silent: BTreeMap<String, usize> = BTreeMap::new();
    for fixture in files.iter().step_by(step) {
        let contents = Arc::new(FileContents::new(&fixture.text));
        let mut host = AnalysisHost::new();
        host.apply_change(Change {
            files: vec![(FileId(0), Some(contents.clone()))],
            config: None,
        });
        let analysis = host.analysis();
        let words: Vec<_> = contents
            .tree
            .syntax()
            .descendants_with_tokens()
            .filter_map(|it| it.into_token())
            .filter(|it| {
                matches!(
                    it.kind(),
                    SyntaxKind::IDENT
                        | SyntaxKind::DOTTED
                        | SyntaxKind::INTEGER
                        | SyntaxKind::FLOAT
                )
            })
            .collect();
        for word in words.iter().step_by(words.len() / MOST + 1) {
            let at = FilePosition {
                file: FileId(0),
                offset: word.text_range().start(),
            };
            all += 1;
            if analysis.hover(at).expect("no cancellation").is_some() {
                explained += 1;
            } else {
                let parent = word.parent().map(|it| it.kind());
                *silent
                    .entry(format!("{:?} in {parent:?}: {}", word.kind(), word.text()))
                    .or_default() += 1;
            }
        }
    }
    let mut silent: Vec<_> = silent.into_iter().collect();
    silent.sort_by_key(|it| std::cmp::Reverse(it.1));
    for (word, count) in silent.iter().take(25) {
        println!("{count} times nothing: {word}");
    }
    println!(
        "{explained} of {all} words are explained: {:.2} %",
        100.0 * explained as f64 / all.max(1) as f64
    );
    assert!(explained * 100 >= all * 95, "{explained} of {all}");
}
