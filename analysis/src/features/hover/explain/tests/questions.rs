//! Questions in words, and the page that answers first.

use crate::Explanation;

use super::super::{super::documentation::pages, explain};

/// Questions as people type them, with the names of the pages one of which must come first.
const QUESTIONS: &str = include_str!("../questions.tsv");

#[test]
fn questions_get_the_right_page_first() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (question, expected) in QUESTIONS.lines().filter_map(|it| it.split_once('\t')) {
        count += 1;
        let answer = explain(question, None).expect("no target");
        let first = answer.found.first();
        let names = first.map(names).unwrap_or_default();
        // An instruction may be named with its modifiers, a message with what it is about.
        let is_page = |name: &str, page: &str| {
            let rest = name.strip_prefix(page);
            rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
                || page
                    .split_once('*')
                    .is_some_and(|it| name.starts_with(it.0))
        };
        let is_right = expected
            .split('|')
            .any(|page| names.iter().any(|name| is_page(name, page)));
        if !is_right {
            let found: Vec<String> = answer
                .found
                .iter()
                .map(|it| format!("{} ({})", it.name, it.kind))
                .collect();
            wrong.push(format!("{question}: {found:?}, not {expected}"));
        }
    }
    assert!(count >= 200, "{count}");
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// All names of a page.
fn names(page: &Explanation) -> Vec<String> {
    let all = pages().into_iter();
    let mut same = all.filter(|it| it.1.kind() == page.kind && it.0.contains(&page.name));
    same.next()
        .map_or_else(|| vec![page.name.clone()], |it| it.0)
}
