//! The book is whole: every page is in the table of contents, and every link leads somewhere.

use std::collections::{BTreeMap, BTreeSet};

use pulldown_cmark::{Event, Options, Parser, Tag};

use super::*;

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn book() -> BTreeMap<String, String> {
    let files = files(&repository(), false).expect("the files of the repository");
    let count = files.len();
    let files: BTreeMap<_, _> = files.into_iter().collect();
    assert_eq!(files.len(), count, "two pages are in one file");
    files
}

/// The targets of the links of a page.
fn links(text: &str) -> Vec<String> {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES);
    let target = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.to_string())
        }
        _ => None,
    };
    events.filter_map(target).collect()
}

#[test]
fn links_lead_to_pages() {
    let book = book();
    let (mut broken, mut seen) = (Vec::new(), 0);
    for (path, text) in &book {
        let folder = path.rsplit_once('/').map_or("", |it| it.0);
        for link in links(text) {
            // Other sites are not ours to check; what is ours must be in the book or in the repository.
            if let Some(file) = link.strip_prefix(REPOSITORY) {
                if !repository().join(file).exists() {
                    broken.push(format!("{path}: {link}"));
                }
            } else if !link.contains("://") {
                seen += 1;
                let target = match link.split('#').next().unwrap_or_default() {
                    "" => path.clone(),
                    other => resolved(folder, other),
                };
                let picture = target.strip_prefix(PICTURES.1);
                let found = match picture {
                    Some(name) => repository().join(PICTURES.0).join(&name[1..]).exists(),
                    None => book.contains_key(&target),
                };
                if !found {
                    broken.push(format!("{path}: {link}"));
                }
            }
        }
    }
    assert!(seen > 700, "{seen}");
    assert_eq!(broken, [""; 0]);
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let book = book();
    let listed: BTreeSet<_> = links(&book["src/SUMMARY.md"])
        .into_iter()
        .map(|it| format!("src/{it}"))
        .collect();
    let pages: BTreeSet<_> = book
        .keys()
        .filter(|it| it.ends_with(".md") && *it != "src/SUMMARY.md")
        .cloned()
        .collect();
    assert_eq!(listed, pages);
    assert!(pages.contains("src/instructions/cp-async-bulk.md"));
    assert!(pages.contains("src/words/concepts.md"));
    assert!(pages.contains("src/diagnostics/undefined-name.md"));
    for (path, text) in &book {
        let is_page = pages.contains(path);
        assert!(!is_page || text.starts_with("# "), "{path} has no title");
    }
    for setting in SETTINGS {
        let heading = format!("## `{}`\n", setting.name);
        assert!(book["src/settings.md"].contains(&heading), "{heading}");
    }
    let features = &book["src/features.md"];
    assert!(features.contains("| feature | where |") && features.contains("](guide/pictures/"));
    let index = &book["src/index.md"];
    assert!(
        index.starts_with("# ptx-analyzer\n\nptx-analyzer is "),
        "{index}"
    );
    let order = [
        "](guide/pictures/",
        "cargo install",
        "## Installation\n",
        "## Checking files\n",
    ];
    let places = order.map(|it| index.find(it));
    assert!(places[0].is_some() && places.is_sorted(), "{places:?}");
}

#[test]
fn links_of_the_repository() {
    let text = "[a](ARCHITECTURE.md) [b](analysis/docs/diagnostics/x.md) [c](LICENSE-MIT) [d](https://e.f) [g](";
    assert_eq!(
        linked(text, "README.md", "index.md"),
        "[a](architecture.md) [b](diagnostics/x.md) \
         [c](https://github.com/ptx-analyzer/ptx-analyzer/blob/main/LICENSE-MIT) [d](https://e.f) [g]("
    );
}

#[test]
fn links_of_deeper_files() {
    let text = "[a](../../server/session/src/config.rs) ![b](pictures/x.png) [c](../nvim/doc/x.txt) [d](tour.md) [e](#f)";
    assert_eq!(
        linked(text, "editors/guide/vscode.md", "guide/vscode.md"),
        "[a](../settings.md) ![b](../guide/pictures/x.png) \
         [c](https://github.com/ptx-analyzer/ptx-analyzer/blob/main/editors/nvim/doc/x.txt) \
         [d](../guide/tour.md) [e](#f)"
    );
}

#[test]
fn figures_are_drawn_and_used() {
    let book = book();
    let figures: BTreeSet<&String> = book.keys().filter(|it| it.ends_with(".svg")).collect();
    let shown: BTreeSet<String> = book
        .iter()
        .filter(|it| it.0.ends_with(".md"))
        .flat_map(|(_, text)| links(text))
        .filter_map(|it| {
            it.strip_prefix("../figures/")
                .map(|it| format!("src/figures/{it}"))
        })
        .collect();
    assert!(figures.iter().copied().eq(&shown), "{figures:?} {shown:?}");
    assert!(figures.len() > 60, "{}", figures.len());
    let mma = &book["src/instructions/mma.md"];
    assert!(mma.contains("### m16n8k16, `.f16` and `.bf16`\n\n![mma m16n8k16"));
    let concepts = &book["src/words/concepts.md"];
    assert!(concepts.contains("![Swizzling](../figures/swizzle.svg)"));
}

#[test]
fn pages_lead_to_the_manual_and_to_each_other() {
    let book = book();
    let mut without = Vec::new();
    for (path, text) in book
        .iter()
        .filter(|it| it.0.starts_with("src/instructions/"))
    {
        let is_linked = text.contains("- In the manual: [") && text.contains("docs.nvidia.com");
        if path.ends_with(".md") && !is_linked {
            without.push(path.as_str());
        }
    }
    assert_eq!(without, ["src/instructions/index.md"]);
    let page = &book["src/instructions/wgmma-mma_async.md"];
    assert!(
        page.contains("](../words/idioms.md#wgmma-loop-wgmma-with-a-producer-warp)"),
        "{page}"
    );
    assert!(page.contains("- Diagnostics: [`"), "{page}");
    let page = &book["src/instructions/cp-async.md"];
    assert!(page.contains("- In the course: [Asynchronous copies](../learn/async-copies.md)"));
    let registers = &book["src/words/special-registers.md"];
    assert!(registers.contains("#special-registers-laneid) of PTX ISA 9.3"));
}

/// Everybody who clones the repository has them, too.
#[test]
fn pictures_are_small_and_used() {
    let book = book();
    let mut bytes = 0;
    for picture in fs::read_dir(repository().join(PICTURES.0)).expect("the pictures") {
        let picture = picture.expect("a picture");
        bytes += picture.metadata().expect("a file").len();
        let name = picture.file_name().into_string().expect("a plain name");
        let is_used = book
            .values()
            .any(|it| it.contains(&format!("pictures/{name})")));
        assert!(is_used, "{name}");
    }
    assert!(bytes <= 1_000_000, "{bytes}");
}

#[test]
fn the_book_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("book");
    let said = |repository: &Path| {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let args = SiteArgs {
            playground: None,
            output: output.clone(),
            repository: repository.to_owned(),
        };
        let mut io = Io {
            stdin: &mut io::empty(),
            stdout: &mut stdout,
            stderr: &mut stderr,
            color: false,
            is_typed: false,
        };
        run(&args, &mut io).expect("streams that can be written")
    };
    assert_eq!(said(&repository()), 0);
    assert!(output.join("book.toml").exists());
    assert!(output.join("src/SUMMARY.md").exists());
    assert!(
        output
            .join("src/guide/pictures/vscode-registers.png")
            .exists()
    );
    assert_eq!(said(&output.join("nowhere")), FAILED);
}

/// Elsewhere than in the book, the page has the answers alone.
#[test]
fn calculators_have_forms_where_there_is_a_playground() {
    let with = files(&repository(), true).expect("the files of the repository");
    let with: BTreeMap<_, _> = with.into_iter().collect();
    let page = &with["src/guide/calculators.md"];
    for calculator in analysis::calculators() {
        let form = format!(
            "<form class=\"ptx-calculator\" data-name=\"{}\">",
            calculator.name
        );
        assert_eq!(page.matches(&form).count(), 1, "{}", calculator.name);
        for input in &calculator.inputs {
            assert!(
                page.contains(&format!(" name=\"{}\"", input.name)),
                "{}",
                input.name
            );
        }
    }
    assert!(page.contains("<option selected>bf16</option>"));
    assert_eq!(
        page.matches("<div class=\"ptx-answer\"").count(),
        page.matches("</div>").count()
    );
    assert!(with["ptx.js"].contains("form.ptx-calculator"));
    let bare = &book()["src/guide/calculators.md"];
    assert!(
        !bare.contains("<form") && bare.contains("| place 0 |"),
        "{bare}"
    );
}

#[test]
fn examples_lead_to_the_playground() {
    let files = files(&repository(), true).expect("the files of the repository");
    let files: BTreeMap<_, _> = files.into_iter().collect();
    assert!(files["src/SUMMARY.md"].contains("(playground.md)"));
    assert!(files["ptx.js"].contains("ptx-kernel"));
    let with_link = |folder: &str| {
        let pages = files.iter().filter(|it| it.0.starts_with(folder));
        let (linked, bare): (Vec<_>, Vec<_>) =
            pages.partition(|it| it.1.contains("](../playground/index.html#text="));
        let names: Vec<_> = bare.into_iter().map(|it| it.0.as_str()).collect();
        (linked.len(), names)
    };
    let (instructions, without) = with_link("src/instructions/");
    assert!(instructions > 150, "{instructions}, but not {without:?}");
    assert_eq!(without, ["src/instructions/index.md"]);
    let (diagnostics, without) = with_link("src/diagnostics/");
    assert!(diagnostics > 50, "{diagnostics}, but not {without:?}");
    // Its example would be too long, or is not one that the playground reads.
    let bare = [
        "src/diagnostics/asm-named-label.md",
        "src/diagnostics/index.md",
        "src/diagnostics/nesting-too-deep.md",
    ];
    assert_eq!(without, bare);
    assert!(files["src/words/idioms.md"].contains("[Try it]"));
}
