//! `ptx-analyzer site`: the documentation as a book for mdBook, for those who publish it.

#[cfg(test)]
mod tests;

use std::{
    fmt::Write as _,
    fs, io,
    path::{Path, PathBuf},
};

use analysis::{SiteChapter, SitePage, site_chapters};

use super::{FAILED, Io};
use crate::config::SETTINGS;

/// What files that are not in the book are linked to.
const REPOSITORY: &str = "https://github.com/ptx-analyzer/ptx-analyzer/blob/main/";

const BOOK: &str = "\
[book]
title = \"ptx-analyzer\"
language = \"en\"
src = \"src\"

[output.html]
git-repository-url = \"https://github.com/ptx-analyzer/ptx-analyzer\"
no-section-label = true
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
];
const DIAGNOSTICS: &str = "analysis/docs/diagnostics/";

#[derive(Debug, clap::Args)]
pub(super) struct SiteArgs {
    /// The folder of the book, which is made.
    #[arg(long, value_name = "FOLDER")]
    output: PathBuf,
    /// A clone of the repository, for what only it has.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    repository: PathBuf,
}

pub(super) fn run(args: &SiteArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let written = files(&args.repository).and_then(|files| {
        for (path, text) in &files {
            let path = args.output.join(path);
            let made = path.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| fs::write(&path, text))
                .map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(files.len())
    });
    match written {
        Ok(count) => {
            writeln!(io.stdout, "{count} files in {}", args.output.display())?;
            Ok(0)
        }
        Err(error) => {
            writeln!(io.stderr, "error: {error}")?;
            Ok(FAILED)
        }
    }
}

/// The files of the book: path below its folder and text.
fn files(repository: &Path) -> Result<Vec<(String, String)>, String> {
    let read = |name: &str| {
        let path = repository.join(name);
        let text = fs::read_to_string(&path);
        text.map_err(|error| format!("{}: {error}", path.display()))
    };
    let page = |path: &str, title: &str, markdown: &str| SitePage {
        path: path.to_owned(),
        title: title.to_owned(),
        markdown: linked(markdown),
    };
    let readme = read("README.md")?;
    let (features, rest) = parts(&readme);
    let exact_mode = SitePage {
        path: "exact-mode.md".to_owned(),
        title: "Exact mode".to_owned(),
        // Its links are the same in the book.
        markdown: read("analysis/docs/exact-mode.md")?,
    };
    let mut pages = vec![
        page("index.md", "Getting started", &rest),
        page("features.md", "Features", &features),
        page("settings.md", "Settings", &settings()),
        page(
            "registers.md",
            "Estimates of registers",
            &read("analysis/docs/registers.md")?,
        ),
        exact_mode,
    ];
    let chapters = site_chapters();
    let mut summary = "# Summary\n\n".to_owned();
    for page in &pages {
        entry(&mut summary, 0, page);
    }
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
        let page = page(&file.to_lowercase(), title, &read(file)?);
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
        ("src/SUMMARY.md".to_owned(), summary),
    ];
    let text = |it: SitePage| (format!("src/{}", it.path), it.markdown);
    files.extend(pages.into_iter().map(text));
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

/// What the README says about features, and the rest of it.
fn parts(readme: &str) -> (String, String) {
    let mut features = "# Features\n".to_owned();
    let mut rest = String::new();
    let (mut in_features, mut in_code) = (false, false);
    for line in readme.lines() {
        in_code ^= line.starts_with("```");
        if !in_code && let Some(heading) = line.strip_prefix("## ") {
            in_features = heading == "What it does";
            if in_features {
                continue;
            }
        }
        let part = if in_features {
            &mut features
        } else {
            &mut rest
        };
        let _ = writeln!(part, "{line}");
    }
    (features, rest)
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

/// A text of the repository whose links lead to pages of the book, or else to the repository.
fn linked(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        out.push_str("](");
        let Some((target, after)) = after.split_once(')') else {
            rest = after;
            break;
        };
        let place = PLACES.iter().find(|it| it.0 == target);
        match (place, target.strip_prefix(DIAGNOSTICS)) {
            (Some((_, page)), _) => out.push_str(page),
            (None, Some(page)) => {
                let _ = write!(out, "diagnostics/{page}");
            }
            (None, None) if target.contains("://") || target.starts_with('#') => {
                out.push_str(target);
            }
            (None, None) => {
                let _ = write!(out, "{REPOSITORY}{target}");
            }
        }
        out.push(')');
        rest = after;
    }
    out.push_str(rest);
    out
}
