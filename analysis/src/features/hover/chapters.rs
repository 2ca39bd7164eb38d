//! The chapters of the course and the guides: their summaries, and where to read them. The chapters themselves are not
//! in the program.

/// A section for each chapter: its title, its file, a summary and the titles of its sections. Written by the test `sourcegen`.
const CHAPTERS: &str = include_str!("../../../docs/chapters.md");

/// The first example of each chapter.
const EXAMPLES: &str = include_str!("../../../docs/chapter-examples.md");

/// The address that the files are below.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

/// The titles with the texts below them.
fn sections(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    // The title of the file comes before the first section.
    let sections = text.split("\n## ").skip(1);
    sections.filter_map(|it| {
        let (title, text) = it.split_once('\n')?;
        Some((title, text.trim()))
    })
}

/// The titles of all chapters, in the order of the book.
pub(super) fn titles() -> impl Iterator<Item = &'static str> {
    sections(CHAPTERS).map(|it| it.0)
}

/// The summary, the sections and the address of a chapter.
pub(super) fn text(title: &str) -> Option<String> {
    let mut all = sections(CHAPTERS);
    let (path, text) = all.find(|it| it.0 == title)?.1.split_once("\n\n")?;
    let path = path.trim_matches('`');
    Some(format!("{text}\n\nRead it: [{path}]({REPOSITORY}{path})"))
}

/// The text of a chapter with its first example.
pub(super) fn page(title: &str) -> Option<String> {
    let text = text(title)?;
    let example = sections(EXAMPLES).find(|it| it.0 == title);
    Some(match example {
        Some((_, example)) => format!("{text}\n\n{example}"),
        None => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chapters_have_an_address_and_an_example() {
        assert!(titles().count() > 40);
        for title in titles() {
            let text = page(title).expect("a page");
            assert!(text.contains("\n\nRead it: ["), "{text}");
        }
        let first = page("A first kernel").expect("a page");
        assert!(first.contains("```ptx\n.version"), "{first}");
    }
}
