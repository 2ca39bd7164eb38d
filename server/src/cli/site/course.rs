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

/// Adds links to the pages of the course that link to a page.
pub(super) fn link_back(page: &mut SitePage, course: &[(usize, SitePage)]) {
    let link = format!("](../{})", page.path);
    let pages = course.iter().filter(|it| it.1.markdown.contains(&link));
    let links = pages.map(|(_, it)| format!("[{}](../{})", it.title, it.path));
    let links: Vec<String> = links.collect();
    if links.is_empty() {
        return;
    }
    // Pages of instructions end with a list of links.
    let last = page.markdown.lines().last().unwrap_or_default();
    let start = if last.starts_with("- ") { "- " } else { "\n" };
    page.markdown += &format!("{start}In the course: {}\n", links.join(", "));
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

    #[test]
    fn pages_link_back() {
        let course = [
            (
                1,
                page("learn/a.md", "# A\n\nSee [x](../instructions/x.md).\n"),
            ),
            (1, page("learn/b.md", "# B\n")),
        ];
        let linked = |text| {
            let mut page = page("instructions/x.md", text);
            link_back(&mut page, &course);
            page.markdown
        };
        assert_eq!(
            linked("# x\n\n- y\n"),
            "# x\n\n- y\n- In the course: [A](../learn/a.md)\n"
        );
        assert_eq!(
            linked("# x\n\nText.\n"),
            "# x\n\nText.\n\nIn the course: [A](../learn/a.md)\n"
        );
    }
}
