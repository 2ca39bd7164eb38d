//! The documentation of the language as pages of a book: the same texts that hover shows.

use std::fmt::Write as _;

use isa::{
    documentation::{self, Entry, Example, InstructionPage, Topic},
    table::tables,
};

use crate::{DIAGNOSTIC_CODES, DocumentationKey};

use crate::features::hover::documentation::{demand, documentation, syntax_lines};

/// Idioms that a page leads to; what more of them use is in every program.
const MAX_IDIOMS: usize = 5;
/// Diagnostics that a page leads to.
const MAX_DIAGNOSTICS: usize = 12;

/// A page of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePage {
    /// The file, below the folder of the book, with `/` between its parts.
    pub path: String,
    /// Its name in a table of contents.
    pub title: String,
    /// Its Markdown, with the title as its heading.
    pub markdown: String,
}

/// Pages under one heading, of which the first tells what the others are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteChapter {
    /// The page of the chapter itself.
    pub page: SitePage,
    /// The pages below it.
    pub pages: Vec<SitePage>,
}

/// The chapters about the language and about diagnostics. With the address of a playground, relative to a page, a
/// link to it follows each example that is a module or can be made one.
#[must_use]
pub fn site_chapters(playground: Option<&str>) -> Vec<SiteChapter> {
    let mut chapters = vec![instructions(), words(), diagnostics()];
    for page in chapters.iter_mut().flat_map(|it| &mut it.pages) {
        page.markdown = site_with_links(&page.markdown, playground);
    }
    chapters
}

/// The page of the book that a file in the folder of the documentation of the language becomes.
#[must_use]
pub fn site_path(file: &str) -> Option<String> {
    let name = file.strip_suffix(".md")?;
    match name.strip_prefix("instructions/") {
        Some(name) => {
            // Names of files have periods for colons.
            let mut pages = documentation::instructions();
            let page = pages.find(|it| it.name.replace("::", ".") == name)?;
            Some(instruction_path(page.name))
        }
        None => (!name.contains('/')).then(|| format!("words/{name}.md")),
    }
}

/// A page whose examples do not say for whom they are, and lead to a playground if there is one.
#[must_use]
pub fn site_with_links(markdown: &str, playground: Option<&str>) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let Some(words) = line.strip_prefix("```").filter(|it| !it.is_empty()) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let body: Vec<&str> = lines.by_ref().take_while(|it| *it != "```").collect();
        let body = body.join("\n");
        let language = words.split(' ').next().unwrap_or_default();
        let _ = write!(out, "```{language}\n{body}\n```\n");
        let program = match Example::read(words, &body) {
            Some(example) => Some(example.program()),
            None => {
                let is_whole = language == "cuda" || language == "ptx" && body.contains(".version");
                is_whole.then(|| format!("{body}\n"))
            }
        };
        if let (Some(playground), Some(program)) = (playground, program) {
            let program = percent_encoded(&program);
            let _ = write!(out, "\n[Try it]({playground}#text={program})\n");
        }
    }
    out
}

/// A text as the fragment of an address.
fn percent_encoded(text: &str) -> String {
    let mut out = String::with_capacity(2 * text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// The file of the page of an instruction. Names have periods and colons, which files had better not have.
fn instruction_path(name: &str) -> String {
    format!(
        "instructions/{}.md",
        name.replace("::", "--").replace('.', "-")
    )
}

fn chapter(path: &str, title: &str, intro: &str, pages: Vec<SitePage>) -> SiteChapter {
    let folder = path.rsplit_once('/').map_or("", |it| it.0);
    let mut markdown = format!("# {title}\n\n{intro}\n\n");
    for page in &pages {
        let target = page.path.strip_prefix(folder).unwrap_or(&page.path);
        let target = target.trim_start_matches('/');
        // What follows the heading says what the page is about.
        let summary = page.markdown.lines().skip(1).find(|it| !it.is_empty());
        let summary = summary.filter(|it| !it.starts_with(['`', '#', '-', '|']));
        // Names of PTX and codes are in lower case.
        let name = match page.title.starts_with(|it: char| it.is_ascii_uppercase()) {
            true => page.title.clone(),
            false => format!("`{}`", page.title),
        };
        let _ = write!(markdown, "- [{name}]({target})");
        match summary {
            Some(summary) => {
                let _ = writeln!(markdown, ": {summary}");
            }
            None => markdown.push('\n'),
        }
    }
    SiteChapter {
        page: SitePage {
            path: path.to_owned(),
            title: title.to_owned(),
            markdown,
        },
        pages,
    }
}

fn instructions() -> SiteChapter {
    let mut all: Vec<&InstructionPage> = documentation::instructions().collect();
    all.sort_by_key(|it| it.name);
    let pages = all.into_iter().map(instruction).collect();
    let intro = "Every instruction, with all its forms.";
    chapter("instructions/index.md", "Instructions", intro, pages)
}

fn instruction(page: &InstructionPage) -> SitePage {
    let mut forms = tables().with_name(page.name);
    let first = forms.next();
    let mut text = format!("# {}\n\n{}\n", page.name, page.summary);
    if let Some(first) = first {
        let lines = syntax_lines(first, forms).join("\n");
        let _ = write!(text, "\n```ptx\n{lines}\n```\n");
    }
    if !page.description.is_empty() {
        let _ = write!(text, "\n{}\n", page.description);
    }
    if !page.code.is_empty() {
        let _ = write!(
            text,
            "\n## Pseudo-code\n\n```c\n{}\n```\n",
            page.code.trim_end()
        );
    }
    list(&mut text, "Operands", &page.operands);
    list(&mut text, "Modifiers", &page.modifiers);
    let notes = page.all_notes();
    if !notes.is_empty() {
        let _ = write!(text, "\n## Notes\n\n{notes}");
    }
    if !page.examples.is_empty() {
        text.push_str("\n## Examples\n");
    }
    for Example {
        version,
        target,
        text: example,
    } in &page.examples
    {
        let _ = write!(
            text,
            "\nPTX ISA {version}, `{target}`:\n\n```ptx {version} {target}\n{example}\n```\n"
        );
    }
    if let Some(demand) = first.and_then(|it| demand(&it.gate, it.name)) {
        let _ = write!(text, "\nNeeds {demand}.\n");
    }
    let related = page.related.iter().map(|it| related(it)).collect();
    let mut also = String::new();
    for (what, links) in [
        ("Instructions", related),
        ("Concepts", concepts_of(page.name)),
        ("Idioms", idioms_with(page.name)),
        ("Diagnostics", diagnostics_about(page.name)),
        (
            "In the manual",
            manual(documentation::instruction_source(page.name)),
        ),
    ] {
        if !links.is_empty() {
            let _ = writeln!(also, "- {what}: {}", links.join(", "));
        }
    }
    if !also.is_empty() {
        let _ = write!(text, "\n## See also\n\n{also}");
    }
    SitePage {
        path: instruction_path(page.name),
        title: page.name.to_owned(),
        markdown: text,
    }
}

fn list(text: &mut String, heading: &str, entries: &[Entry]) {
    if entries.is_empty() {
        return;
    }
    let _ = write!(text, "\n## {heading}\n\n");
    for entry in entries {
        let words: Vec<String> = entry.words.iter().map(|it| format!("`{it}`")).collect();
        let _ = writeln!(text, "- {}: {}", words.join(", "), entry.text);
    }
}

/// Links to the sections of the manual that a page was held against.
fn manual(source: Option<&documentation::ManualPart>) -> Vec<String> {
    let Some(source) = source else {
        return Vec::new();
    };
    let links = source.sections.iter().filter_map(|section| {
        let link = documentation::section_link(section)?;
        Some(format!("[{section}]({link})"))
    });
    let mut links: Vec<String> = links.collect();
    // Numbers change from version to version.
    if let (Some(last), Some(version)) = (links.last_mut(), source.version) {
        let _ = write!(last, " of PTX ISA {version}");
    }
    links
}

/// Links to the concepts that a page names as code, and to the one whose figure explains the instruction.
fn concepts_of(name: &str) -> Vec<String> {
    let page = documentation(&DocumentationKey::Instruction(name.to_owned())).unwrap_or_default();
    let figure = documentation::figure("instruction", name);
    let concepts = documentation::entries(Topic::Concepts).iter();
    let found = concepts.filter(|it| {
        let is_named = |word: &&str| {
            // A concept with the name of an instruction or a word of the syntax is in every page.
            word.contains(' ') && page.contains(&format!("`{word}`"))
        };
        it.words.first().copied() == figure || it.words.iter().any(is_named)
    });
    let link = |it: &Entry| {
        let title = it.words.first()?;
        let anchor = anchor(&it.words.join(", "));
        Some(format!("[{title}](../words/concepts.md#{anchor})"))
    };
    found.filter_map(link).collect()
}

/// Links to the idioms that use an instruction; none for those that most programs use.
fn idioms_with(name: &str) -> Vec<String> {
    let uses = |text: &str| {
        text.lines().any(|line| {
            let line = line.trim_start();
            // After a guard.
            let line = line.strip_prefix('@').map_or(line, |it| {
                it.split_once(' ').map_or("", |it| it.1.trim_start())
            });
            let rest = line.strip_prefix(name);
            rest.is_some_and(|it| it.starts_with(['.', ' ', ';']))
        })
    };
    let all = documentation::entries(Topic::Idioms).iter();
    let found: Vec<String> = all
        .filter(|it| it.examples.iter().any(|it| uses(it.text)))
        .filter_map(|it| {
            let title = it.words.first()?;
            let anchor = anchor(&it.words.join(", "));
            Some(format!("[{title}](../words/idioms.md#{anchor})"))
        })
        .collect();
    if found.len() > MAX_IDIOMS {
        return Vec::new();
    }
    found
}

/// The place of a heading in a page, as mdBook names it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter_map(|it| match it {
        ' ' => Some('-'),
        '-' | '_' => Some(it),
        _ => it.is_alphanumeric().then(|| it.to_ascii_lowercase()),
    });
    kept.collect()
}

/// Links to the diagnostics whose pages name an instruction.
fn diagnostics_about(name: &str) -> Vec<String> {
    let codes = DIAGNOSTIC_CODES.iter().map(|it| it.name);
    let about = |code: &&str| {
        let page = documentation(&DocumentationKey::Diagnostic((*code).to_owned()));
        let page = page.unwrap_or_default();
        let mut quoted = page.split('`').skip(1).step_by(2);
        quoted.any(|it| {
            let rest = it.strip_prefix(name);
            rest.is_some_and(|it| it.is_empty() || it.starts_with(['.', ' ']))
        })
    };
    let found: Vec<String> = codes
        .filter(about)
        .map(|it| format!("[`{it}`](../diagnostics/{it}.md)"))
        .collect();
    if found.len() > MAX_DIAGNOSTICS {
        return Vec::new();
    }
    found
}

/// A link to an instruction, if there is a page of this name.
fn related(name: &str) -> String {
    match documentation::instruction(name) {
        Some(_) => {
            let path = instruction_path(name);
            let file = path.rsplit('/').next().unwrap_or_default();
            format!("[`{name}`]({file})")
        }
        None => format!("`{name}`"),
    }
}

/// Describes a page of words in one sentence.
fn introduction(topic: Topic) -> &'static str {
    match topic {
        Topic::Modifiers => "Modifiers that mean the same on all instructions.",
        Topic::Types => "Fundamental, alternate, packed and opaque types, and vectors of them.",
        Topic::StateSpaces => "Where variables and parameters are.",
        Topic::SpecialRegisters => "Predefined registers: places of threads, clocks, sizes.",
        Topic::Directives => "Words of modules, declarations, headers of functions and debug data.",
        Topic::Pragmas => "Strings of `.pragma`, and options of `.target`.",
        Topic::Targets => "Architectures of GPUs, with what each added.",
        Topic::Versions => "Versions of the PTX ISA, with the CUDA release and what each added.",
        Topic::Concepts => {
            "Scopes, proxies, barriers, tensor maps, descriptors and other things that several \
             instructions share."
        }
        Topic::CudaErrors => {
            "Errors of the runtime and the driver that come from kernels, with frequent causes."
        }
        Topic::PtxasMessages => {
            "Errors and warnings of NVIDIA's assembler, with what to do; `*` is the part that differs."
        }
        Topic::Idioms => "Complete kernels for what is written again and again, line by line.",
        Topic::MachineInstructions => "Opcodes of machine code, and the PTX that they come from.",
    }
}

fn words() -> SiteChapter {
    let title = |topic| match topic {
        Topic::Modifiers => "Modifiers",
        Topic::Types => "Types",
        Topic::StateSpaces => "State spaces",
        Topic::SpecialRegisters => "Special registers",
        Topic::Directives => "Directives",
        Topic::Pragmas => "Pragmas and options",
        Topic::Targets => "Targets",
        Topic::Versions => "Versions",
        Topic::Concepts => "Concepts",
        Topic::CudaErrors => "CUDA errors",
        Topic::PtxasMessages => "Messages of ptxas",
        Topic::Idioms => "Idioms",
        Topic::MachineInstructions => "Machine instructions (SASS)",
    };
    let page = |topic: Topic| {
        let mut markdown = format!("# {}\n\n{}\n", title(topic), introduction(topic));
        for entry in documentation::entries(topic) {
            let words: Vec<String> = entry.words.iter().map(|it| format!("`{it}`")).collect();
            let (heading, others) = match topic {
                // They are long, and many: one is the heading.
                Topic::PtxasMessages => words.split_at(1),
                _ => words.split_at(words.len()),
            };
            let _ = write!(markdown, "\n## {}\n\n{}\n", heading.join(", "), entry.text);
            if !others.is_empty() {
                let _ = write!(markdown, "\nAlso said as:\n\n- {}\n", others.join("\n- "));
            }
            let links = manual(documentation::source(topic, entry));
            if !links.is_empty() {
                let _ = write!(markdown, "\nIn the manual: {}\n", links.join(", "));
            }
        }
        SitePage {
            path: format!("words/{}", topic.file()),
            title: title(topic).to_owned(),
            markdown,
        }
    };
    let pages = Topic::ALL.into_iter().map(page).collect();
    let intro = "What words mean wherever they are.";
    chapter("words/index.md", "Words of the language", intro, pages)
}

fn diagnostics() -> SiteChapter {
    let page = |name: &str| {
        let text = documentation(&DocumentationKey::Diagnostic(name.to_owned()));
        SitePage {
            path: format!("diagnostics/{name}.md"),
            title: name.to_owned(),
            markdown: format!("# {name}\n\n{}\n", text.unwrap_or_default()),
        }
    };
    let pages = DIAGNOSTIC_CODES.iter().map(|it| page(it.name)).collect();
    let intro = "Every problem that is reported, by its code.";
    chapter("diagnostics/index.md", "Diagnostics", intro, pages)
}
