//! The pages of the course, in the order in which its contents list them.

use analysis::SitePage;

/// The page that lists all others, as nested lists of links.
pub(super) const CONTENTS: &str = "analysis/docs/learn/README.md";
const FOLDER: &str = "analysis/docs/learn/";

/// The pages that the contents list, with the contents first: the level in the table of contents of the book, the file
/// in the repository, and the page of the book. Each item of a list that is nothing but a link to a page names one.
pub(super) fn contents(text: &str) -> Vec<(usize, String, String)> {
    let mut pages = vec![(0, CONTENTS.to_owned(), "learn/index.md".to_owned())];
    for line in text.lines() {
        let item = line.trim_start();
        let level = (line.len() - item.len()) / 2;
        let target = item.strip_prefix("- [").and_then(|it| it.split_once("]("));
        let name = target.and_then(|it| it.1.split(')').next());
        if let Some(name) = name.filter(|it| it.ends_with(".md") && !it.contains('/')) {
            pages.push((level, format!("{FOLDER}{name}"), format!("learn/{name}")));
        }
    }
    pages
}

/// A page, whose title is its first heading.
pub(super) fn page(path: &str, markdown: &str) -> SitePage {
    let heading = markdown.lines().next().unwrap_or_default();
    SitePage {
        path: path.to_owned(),
        title: heading.trim_start_matches("# ").to_owned(),
        markdown: markdown.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn lists_are_contents() {
        let text = "# Learn\n\nSee [a](a.md).\n\n- [One](one.md): first\n  - [Two](two.md)\n- [Run](../run.md)\n";
        let pages = contents(text)
            .into_iter()
            .map(|it| format!("{} {} {}", it.0, it.1, it.2));
        expect![[r"
            0 analysis/docs/learn/README.md learn/index.md
            0 analysis/docs/learn/one.md learn/one.md
            1 analysis/docs/learn/two.md learn/two.md"]]
        .assert_eq(&pages.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn titles_are_headings() {
        assert_eq!(
            page("learn/one.md", "# One thing\n\nText.\n").title,
            "One thing"
        );
    }
}
