//! Figures of the book: fragments on the pages of their instructions, and those of concepts.

use std::fmt::Write as _;

use analysis::{
    SiteChapter, SitePage,
    matrix_layout::{CATALOG, Example, Layout},
};
use session::draw::{Theme, concepts, fragments};

/// Puts figures into the pages; the files of the drawings are the answer.
pub(super) fn insert(chapters: &mut [SiteChapter]) -> Vec<(String, String)> {
    // The book shows pictures on a background of their own in all of its themes.
    let theme = Theme::for_background(false);
    let mut files = Vec::new();
    for page in chapters.iter_mut().flat_map(|it| &mut it.pages) {
        if let Some(text) = of_instruction(page, &theme, &mut files) {
            let at = page.markdown.find("\n## Examples\n");
            let at = at.unwrap_or(page.markdown.len());
            page.markdown.insert_str(at, &text);
        }
    }
    for figure in concepts::concepts(&theme) {
        let heading = format!("\n## `{}`", figure.concept);
        let place = chapters
            .iter_mut()
            .flat_map(|it| &mut it.pages)
            .find_map(|page| {
                let start = page.markdown.find(&heading)? + 1;
                let end = page.markdown[start..].find('\n')? + start + 1;
                Some((page, end))
            });
        if let Some((page, at)) = place {
            let name = file_name(figure.concept);
            let link = format!("\n![{}](../figures/{name})\n", figure.title);
            page.markdown.insert_str(at, &link);
            files.push((format!("src/figures/{name}"), figure.svg));
        }
    }
    files
}

/// The section about fragments of an instruction, and its drawings.
fn of_instruction(
    page: &SitePage,
    theme: &Theme,
    files: &mut Vec<(String, String)>,
) -> Option<String> {
    let mut text = String::new();
    let examples = CATALOG.iter().filter(|it| it.instruction == page.title);
    let is_instruction = page.path.starts_with("instructions/");
    for example in examples.filter(|_| is_instruction) {
        let Some(Layout::Fragments(all)) = example.layout() else {
            continue;
        };
        if text.is_empty() {
            text.push_str(
                "\n## Fragments\n\nWhich lane (T) holds which elements, and in which register.\n",
            );
        }
        let title = format!("{} {}", page.title, example.title.replace('`', ""));
        let name = example_file(example);
        let svg = fragments::fragments(&title, &all, theme);
        let _ = write!(
            text,
            "\n### {}\n\n![{title}](../figures/{name})\n",
            example.title
        );
        files.push((format!("src/figures/{name}"), svg));
    }
    (!text.is_empty()).then_some(text)
}

fn example_file(example: &Example) -> String {
    file_name(&format!("{}.{}", example.instruction, example.words))
}

/// A name of a file for words.
fn file_name(words: &str) -> String {
    let name: String = words
        .chars()
        .map(|it| if it.is_ascii_alphanumeric() { it } else { '-' })
        .collect();
    format!("{name}.svg")
}
