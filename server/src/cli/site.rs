//! `ptx-analyzer site`: the documentation as a book for mdBook, for those who publish it.

mod calculators;
mod course;
mod figures;
#[cfg(test)]
mod tests;

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use analysis::{SiteChapter, SitePage, site_chapters, site_path, site_with_links};
use session::config::SETTINGS;

use super::{FAILED, Io};

/// The link target of files that are not in the book.
const REPOSITORY: &str = concat!(env!("CARGO_PKG_REPOSITORY"), "/blob/main/");

const BOOK: &str = concat!(
    "\
[book]
title = \"ptx-analyzer\"
description = \"A language server and checker for NVIDIA PTX\"
language = \"en\"
src = \"src\"

[output.html]
git-repository-url = \"",
    env!("CARGO_PKG_REPOSITORY"),
    "\"
no-section-label = true
additional-js = [\"ptx.js\"]

[output.html.fold]
enable = true
"
);

/// Makes the examples coloured.
const SCRIPT: &str = include_str!("site/ptx.js");
/// Lets readers check, run and step kernels and compute with other values, where there is a playground.
const WITH_PLAYGROUND: &str = concat!(
    include_str!("site/server.js"),
    include_str!("site/kernels.js"),
    include_str!("site/calculators.js"),
);

/// The page that leads to the playground.
const PLAYGROUND_PAGE: &str = "\
# Playground

[Open the playground](playground/index.html): the language server in your browser, without installation.

It checks what you paste or drop, explains it, and shows registers, control flow, protocols and what other targets
make of it. It runs and debugs kernels without a GPU. It compares two texts by their meaning. Inline `asm` in CUDA C++ and Python is checked too.

Nothing is uploaded: the server runs in the page as WebAssembly, a shared link carries the text in its fragment, and
the page works offline once it was opened. It cannot run `ptxas`: exact mode needs an editor.
";

/// Files of the repository that are pages of the book, and the pages.
const PLACES: &[(&str, &str)] = &[
    ("README.md", "index.md"),
    ("ARCHITECTURE.md", "architecture.md"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("CHANGELOG.md", "changelog.md"),
    ("analysis/docs/exact-mode.md", "exact-mode.md"),
    ("analysis/docs/diagnostics", "diagnostics/index.md"),
    ("analysis/docs/registers.md", "registers.md"),
    ("analysis/docs/protocols.md", "protocols.md"),
    ("analysis/docs/run.md", "run.md"),
    ("analysis/docs/launch-files.md", "launch-files.md"),
    ("analysis/docs/performance.md", "performance.md"),
    ("editors/guide/vscode.md", "guide/vscode.md"),
    ("editors/guide/neovim.md", "guide/neovim.md"),
    ("editors/others/README.md", "guide/others.md"),
    ("editors/guide/embedded.md", "guide/embedded.md"),
    ("editors/guide/tour.md", "guide/tour.md"),
    ("editors/guide/features.md", "features.md"),
    ("editors/guide/checking.md", "guide/checking.md"),
    ("editors/guide/debugging.md", "guide/debugging.md"),
    ("editors/guide/mcp.md", "guide/mcp.md"),
    ("editors/guide/calculators.md", "guide/calculators.md"),
    ("editors/guide/from-cuda.md", "guide/from-cuda.md"),
    ("editors/guide/from-sass.md", "guide/from-sass.md"),
    ("editors/guide/from-triton.md", "guide/from-triton.md"),
    ("editors/guide/glossary.md", "guide/glossary.md"),
    // ContentKind these pages are made of.
    ("server/session/src/config.rs", "settings.md"),
    ("analysis/isa/docs/README.md", "instructions/index.md"),
    ("analysis/docs/learn/README.md", "learn/index.md"),
];
/// Pictures for pages, in the repository and in the book.
const PICTURES: (&str, &str) = ("editors/guide/pictures", "src/guide/pictures");
/// Folders whose pages have the same name in the book, and the folders there.
const FOLDERS: &[(&str, &str)] = &[
    ("analysis/docs/diagnostics/", "diagnostics/"),
    ("analysis/docs/learn/", "learn/"),
];

/// The title of the page with forms.
const CALCULATORS: &str = "Calculators";

/// The pages about editors, in their order.
const GUIDES: &[(&str, &str)] = &[
    ("editors/guide/vscode.md", "Visual Studio Code"),
    ("editors/guide/neovim.md", "Neovim"),
    ("editors/others/README.md", "Other editors"),
    ("editors/guide/embedded.md", "PTX inside other languages"),
    ("editors/guide/checking.md", "The command line"),
    ("editors/guide/tour.md", "A tour of the features"),
    ("editors/guide/debugging.md", "Debugging"),
    ("editors/guide/mcp.md", "Programs that write PTX"),
    ("editors/guide/calculators.md", CALCULATORS),
    ("editors/guide/from-cuda.md", "PTX for CUDA C++ programmers"),
    ("editors/guide/from-sass.md", "PTX for people who read SASS"),
    ("editors/guide/from-triton.md", "PTX for Triton programmers"),
    ("editors/guide/glossary.md", "Glossary"),
];

#[derive(Debug, clap::Args)]
pub(super) struct SiteArgs {
    /// The folder of the book, which is made.
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
    /// A clone of the repository, for what only it has.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    repository: PathBuf,
    /// The folder of the playground, which becomes a part of the book, and examples lead to it.
    #[arg(long, value_name = "FOLDER")]
    playground: Option<PathBuf>,
}

pub(super) fn run(args: &SiteArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let has_playground = args.playground.is_some();
    let written = files(&args.repository, has_playground).and_then(|files| {
        for (path, text) in &files {
            let path = args.output.join(path);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| fs::write(&path, text))
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
        copy_files(
            &args.repository.join(PICTURES.0),
            &args.output.join(PICTURES.1),
        )?;
        if let Some(playground) = &args.playground {
            copy_files(playground, &args.output.join("src/playground"))?;
        }
        Ok(files.len())
    });
    match written {
        Ok(count) => {
            writeln!(io.stdout, "{count} files in {}", args.output.display())?;
            Ok(0)
        }
        Err(error) => {
            io.error(&error)?;
            Ok(FAILED)
        }
    }
}

fn copy_files(from: &Path, to: &Path) -> Result<(), String> {
    let copy = || {
        fs::create_dir_all(to)?;
        for file in fs::read_dir(from)? {
            let file = file?;
            fs::copy(file.path(), to.join(file.file_name()))?;
        }
        io::Result::Ok(())
    };
    copy().map_err(|error| format!("{}: {error}", from.display()))
}

/// The files of the book: path below its folder and text.
fn files(repository: &Path, has_playground: bool) -> Result<Vec<(String, String)>, String> {
    let read = |name: &str| {
        let path = repository.join(name);
        let text = fs::read_to_string(&path);
        text.map_err(|error| format!("{}: {error}", path.display()))
    };
    let page = |path: &str, title: &str, markdown: &str, file: &str| SitePage {
        path: path.to_owned(),
        title: title.to_owned(),
        markdown: linked(markdown, file, path),
    };
    let exact_mode = SitePage {
        path: "exact-mode.md".to_owned(),
        title: "Exact mode".to_owned(),
        // Its links are the same in the book.
        markdown: read("analysis/docs/exact-mode.md")?,
    };
    let protocols = SitePage {
        path: "protocols.md".to_owned(),
        title: "Rules of protocols".to_owned(),
        // Its links are the same in the book.
        markdown: read("analysis/docs/protocols.md")?,
    };
    let mut pages = vec![
        page(
            "index.md",
            "Getting started",
            &read("README.md")?,
            "README.md",
        ),
        page(
            "features.md",
            "Features",
            &read("editors/guide/features.md")?,
            "editors/guide/features.md",
        ),
        page("settings.md", "Settings", &settings(), "README.md"),
        page(
            "registers.md",
            "Estimates of registers",
            &read("analysis/docs/registers.md")?,
            "analysis/docs/registers.md",
        ),
        exact_mode,
        protocols,
        page(
            "run.md",
            "Running kernels",
            &read("analysis/docs/run.md")?,
            "analysis/docs/run.md",
        ),
        page(
            "launch-files.md",
            "Launch files",
            &read("analysis/docs/launch-files.md")?,
            "analysis/docs/launch-files.md",
        ),
        page(
            "performance.md",
            "Performance",
            &read("analysis/docs/performance.md")?,
            "analysis/docs/performance.md",
        ),
    ];
    if has_playground {
        let markdown = PLAYGROUND_PAGE.to_owned();
        let page = SitePage {
            path: "playground.md".to_owned(),
            title: "Playground".to_owned(),
            markdown,
        };
        pages.insert(1, page);
    }
    let mut guides = Vec::new();
    for (file, title) in GUIDES {
        let Some(place) = PLACES.iter().find(|it| it.0 == *file) else {
            continue;
        };
        let mut text = read(file)?;
        if *title == CALCULATORS && has_playground {
            text = calculators::with_forms(&text);
        }
        guides.push(page(place.1, title, &text, file));
    }
    // Pages of chapters are in folders of their own.
    let playground = has_playground.then_some("../playground/index.html");
    let mut courses = Vec::new();
    for (level, file, place) in course::contents(&read(course::CONTENTS)?) {
        let page = course::page(&place, &read(&file)?);
        let markdown = linked(&page.markdown, &file, &place);
        let markdown = site_with_links(&markdown, playground);
        courses.push((level, SitePage { markdown, ..page }));
    }
    let mut chapters = site_chapters(playground);
    for page in chapters.iter_mut().flat_map(|it| &mut it.pages) {
        course::link_back(page, &courses);
    }
    let drawings = figures::insert(&mut chapters);
    let mut summary = "# Summary\n\n".to_owned();
    for page in &pages {
        entry(&mut summary, 0, page);
        if page.path == "index.md" {
            for guide in &guides {
                entry(&mut summary, 1, guide);
            }
            for (level, page) in &courses {
                entry(&mut summary, *level, page);
            }
        }
    }
    pages.extend(courses.into_iter().map(|it| it.1));
    pages.append(&mut guides);
    for SiteChapter { page, pages } in &chapters {
        entry(&mut summary, 0, page);
        for page in pages {
            entry(&mut summary, 1, page);
        }
    }
    let others = [
        ("ARCHITECTURE.md", "Architecture"),
        ("CONTRIBUTING.md", "Contributing"),
        ("CHANGELOG.md", "Changelog"),
    ];
    for (file, title) in others {
        let page = page(&file.to_lowercase(), title, &read(file)?, file);
        entry(&mut summary, 0, &page);
        pages.push(page);
    }
    pages.extend(
        chapters
            .into_iter()
            .flat_map(|it| [vec![it.page], it.pages].concat()),
    );
    let mut files = vec![
        ("book.toml".to_owned(), BOOK.to_owned()),
        (
            "ptx.js".to_owned(),
            match has_playground {
                true => format!("{SCRIPT}{WITH_PLAYGROUND}"),
                false => SCRIPT.to_owned(),
            },
        ),
        ("src/SUMMARY.md".to_owned(), summary),
    ];
    let text = |it: SitePage| (format!("src/{}", it.path), it.markdown);
    files.extend(pages.into_iter().map(text));
    files.extend(drawings);
    Ok(files)
}

fn entry(summary: &mut String, level: usize, page: &SitePage) {
    let _ = writeln!(
        summary,
        "{:1$}- [{2}]({3})",
        "",
        2 * level,
        page.title,
        page.path
    );
}

/// The settings, as the server declares them.
fn settings() -> String {
    let mut text = "# Settings\n\nEditors send them in the section `ptx-analyzer`.\n".to_owned();
    for setting in SETTINGS {
        let _ = write!(
            text,
            "\n## `{}`\n\n{}\n\n- {}\n- Default: `{}`\n",
            setting.name,
            setting.description,
            setting.ty.describe(),
            setting.default()
        );
    }
    text
}

/// The text of a file of the repository whose links lead to pages of the book, or else to the repository.
/// The text becomes the page with the given path.
fn linked(text: &str, file: &str, page: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        out.push_str("](");
        let Some((target, after)) = after.split_once(')') else {
            rest = after;
            break;
        };
        out.push_str(&link(target, file, page));
        out.push(')');
        rest = after;
    }
    out.push_str(rest);
    out
}

/// The target of a link in a page of the book, from that in a file of the repository.
fn link(target: &str, file: &str, page: &str) -> String {
    if target.contains("://") || target.starts_with('#') {
        return target.to_owned();
    }
    if let Some((target, heading)) = target.split_once('#') {
        return format!("{}#{heading}", link(target, file, page));
    }
    let (folder, _) = file.rsplit_once('/').unwrap_or_default();
    let target = resolved(folder, target);
    let (pictures, in_book) = PICTURES;
    let place = PLACES
        .iter()
        .find(|it| it.0 == target)
        .map(|it| it.1.to_owned());
    let place = place.or_else(|| {
        let in_folder =
            |(from, to): &(&str, &str)| Some(format!("{to}{}", target.strip_prefix(from)?));
        FOLDERS.iter().find_map(in_folder)
    });
    let place = place.or_else(|| site_path(target.strip_prefix("analysis/isa/docs/")?));
    let place = place.or_else(|| {
        let name = target.strip_prefix(pictures)?;
        Some(format!("{}{name}", in_book.trim_start_matches("src/")))
    });
    match place {
        // Up to the folder of the book, and down again.
        Some(place) => "../".repeat(page.matches('/').count()) + &place,
        None => format!("{REPOSITORY}{target}"),
    }
}

/// A relative path from a folder, without the steps upwards.
fn resolved(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|it| !it.is_empty()).collect();
    for part in path.split('/') {
        match part {
            ".." => drop(parts.pop()),
            "." => {}
            _ => parts.push(part),
        }
    }
    parts.join("/")
}
