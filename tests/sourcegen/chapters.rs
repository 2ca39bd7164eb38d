//! The list of the chapters of the course and of the guides, in which `ptx-analyzer explain` searches.

use std::fmt::Write as _;

/// The page with the chapters of the course.
const COURSE: &str = "analysis/docs/learn/README.md";

/// The pages outside the course that answer questions.
const GUIDES: &[&str] = &[
    "editors/guide/vscode.md",
    "editors/guide/neovim.md",
    "editors/others/README.md",
    "editors/guide/embedded.md",
    "editors/guide/checking.md",
    "editors/guide/tour.md",
    "editors/guide/debugging.md",
    "editors/guide/mcp.md",
    "editors/guide/calculators.md",
    "editors/guide/from-cuda.md",
    "editors/guide/from-sass.md",
    "editors/guide/from-triton.md",
    "editors/guide/glossary.md",
    "analysis/docs/run.md",
    "analysis/docs/launch-files.md",
    "analysis/docs/registers.md",
    "analysis/docs/exact-mode.md",
    "analysis/docs/protocols.md",
];

/// Titles of sections that many chapters have.
const COMMON: &[&str] = &[
    "Why",
    "The idea",
    "The kernel",
    "Bug gallery",
    "Bug galleries",
    "Exercises",
    "What it changes",
    "What it is",
    "An example",
];

/// The longest example: a terminal shows no more lines.
const MAX_LINES: usize = 60;

/// Writes the summaries of all chapters, and their first examples.
pub(crate) fn generate(read: impl Fn(&str) -> String) -> (String, String) {
    let course = read(COURSE);
    let items = course.lines().filter_map(|line| {
        let link = line.trim_start().strip_prefix("- [")?;
        let (_, target) = link.split_once("](")?;
        let name = target.strip_suffix(".md)")?;
        Some(format!("analysis/docs/learn/{name}.md"))
    });
    let mut files = vec![COURSE.to_owned()];
    files.extend(items);
    files.extend(GUIDES.iter().map(|it| (*it).to_owned()));
    let mut chapters = "# Chapters\n".to_owned();
    let mut examples = "# First examples of the chapters\n".to_owned();
    for file in files {
        let text = read(&file);
        let title = text.lines().next().unwrap_or_default();
        let title = title.trim_start_matches("# ");
        let summary = without_links(&first_paragraph(&text));
        let _ = write!(chapters, "\n## {title}\n\n`{file}`\n\n{summary}\n");
        let sections: Vec<&str> = text
            .lines()
            .filter_map(|it| it.strip_prefix("## "))
            .filter(|it| !COMMON.contains(it))
            .collect();
        if !sections.is_empty() {
            let _ = write!(chapters, "\nSections: *{}*.\n", sections.join("*, *"));
        }
        if let Some(example) = first_example(&text) {
            let _ = write!(examples, "\n## {title}\n\n{example}\n");
        }
    }
    (chapters, examples)
}

/// The first lines that are sentences, without the list or block after them.
fn first_paragraph(text: &str) -> String {
    let is_sentence = |it: &&str| !it.is_empty() && !it.starts_with(['#', '<', '`', '!', '-', '|']);
    let lines = text
        .lines()
        .skip_while(|it| !is_sentence(it) && !it.starts_with("`ptx"));
    let lines = lines.take_while(|it| !it.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// The text without the targets of its links.
fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let start = before.rfind('[').unwrap_or(before.len());
        out.push_str(&before[..start]);
        out.push_str(before[start..].trim_start_matches('['));
        rest = after.split_once(')').map_or("", |it| it.1);
    }
    out + rest
}

/// The first block of code, with nothing but the language after its fence.
fn first_example(text: &str) -> Option<String> {
    let mut lines = text.lines().skip_while(|it| !it.starts_with("```"));
    let language = lines.next()?.split(' ').next()?;
    let body: Vec<&str> = lines.take_while(|it| *it != "```").collect();
    let end = match body.len() > MAX_LINES {
        true => "\n// …",
        false => "",
    };
    let body = body[..body.len().min(MAX_LINES)].join("\n");
    Some(format!("{language}\n{body}{end}\n```"))
}
