//! The runs of files and folders.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use analysis::EntryPlace;
use rayon::prelude::*;
use walkdir::WalkDir;

use super::markdown;
use crate::{
    cli::run::{
        settings::Setting,
        subject::{Run, Subject, of_comments, of_file},
    },
    files::{decode, is_ptx, read},
};

/// A run that is to pass.
pub(super) struct Case {
    /// Its file and line, and its name.
    pub(super) label: String,
    /// The file with the kernel.
    pub(super) file: String,
    /// The name of the run.
    pub(super) name: String,
    /// The run with its file, or the reason for which there is none.
    pub(super) run: Result<(Arc<Subject>, Run), String>,
}

/// The files that the arguments mean: those with kernels, and launch files that are named.
#[derive(Default)]
struct Inputs {
    kernels: Vec<PathBuf>,
    /// Launch files with their kernels.
    launches: Vec<(PathBuf, PathBuf)>,
    failures: Vec<String>,
}

/// Finds the runs of files and folders, and what could not be read.
pub(super) fn collect(paths: &[PathBuf], settings: &[Vec<Setting>]) -> (Vec<Case>, Vec<String>) {
    let mut inputs = Inputs::default();
    for path in paths {
        if path.is_dir() {
            for entry in WalkDir::new(path).follow_links(false).sort_by_file_name() {
                match entry {
                    Ok(it) if is_ptx(it.path()) && it.path().is_file() => {
                        inputs.kernels.push(it.into_path());
                    }
                    Ok(_) => {}
                    Err(error) => inputs.failures.push(error.to_string()),
                }
            }
        } else if path
            .extension()
            .is_some_and(|it| it.eq_ignore_ascii_case("toml"))
        {
            match kernel_of(path) {
                Some(kernel) => inputs.launches.push((path.clone(), kernel)),
                None => {
                    let path = path.display();
                    inputs
                        .failures
                        .push(format!("{path}: there is no file of PTX beside it"));
                }
            }
        } else {
            inputs.kernels.push(path.clone());
        }
    }
    let of_kernel = |path: &PathBuf| cases(path, launches_of(path), true, settings);
    let of_launch = |(launch, kernel): &(PathBuf, PathBuf)| {
        cases(kernel, vec![launch.clone()], false, settings)
    };
    let found: Vec<_> = inputs.kernels.par_iter().map(of_kernel).collect();
    let named: Vec<_> = inputs.launches.par_iter().map(of_launch).collect();
    let mut all = Vec::new();
    for it in found.into_iter().chain(named) {
        match it {
            Ok(cases) => all.extend(cases),
            Err(failure) => inputs.failures.push(failure),
        }
    }
    (all, inputs.failures)
}

/// The launch files beside a kernel: `NAME.toml` and `NAME.*.toml` for `NAME.ptx`.
fn launches_of(kernel: &Path) -> Vec<PathBuf> {
    let Some(stem) = kernel.file_stem().and_then(|it| it.to_str()) else {
        return Vec::new();
    };
    let folder = match kernel.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let entries = WalkDir::new(folder)
        .min_depth(1)
        .max_depth(1)
        .sort_by_file_name();
    let is_launch = |path: &Path| {
        let name = path
            .file_name()
            .and_then(|it| it.to_str())
            .unwrap_or_default();
        let rest = name
            .strip_prefix(stem)
            .and_then(|it| it.strip_suffix(".toml"));
        // `a.b.toml` belongs to `a.b.ptx` if that is there.
        rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
            && path.is_file()
            && kernel_of(path).and_then(|it| it.file_name().map(ToOwned::to_owned))
                == kernel.file_name().map(ToOwned::to_owned)
    };
    let paths = entries
        .into_iter()
        .flatten()
        .map(walkdir::DirEntry::into_path);
    let found = paths
        .filter(|it| is_launch(it))
        .map(|it| match kernel.parent() {
            Some(folder) => folder.join(it.file_name().unwrap_or_default()),
            None => it,
        });
    found.collect()
}

/// The kernel of a launch file, the one with the longest name.
fn kernel_of(launch: &Path) -> Option<PathBuf> {
    let mut name = launch.file_stem()?.to_str()?.to_owned();
    loop {
        let kernel = launch.with_file_name(format!("{name}.ptx"));
        if kernel.is_file() {
            return Some(kernel);
        }
        name.truncate(name.rfind('.')?);
    }
}

/// The runs of a file; on a page of Markdown, those of each kernel.
fn cases(
    path: &Path,
    launches: Vec<PathBuf>,
    with_comments: bool,
    settings: &[Vec<Setting>],
) -> Result<Vec<Case>, String> {
    let file = path.display().to_string();
    let bytes = read(path, syntax::text::MAX_LEN as u64).map_err(|it| format!("{file}: {it}"))?;
    let text = decode(bytes).0;
    if markdown::is_markdown(path) {
        let modules = markdown::modules(&text).into_iter();
        let cases = modules.flat_map(|it| cases_of(&file, it, &[], true, settings));
        return Ok(cases.collect());
    }
    // Most files of a folder have none.
    if launches.is_empty() && !text.contains(EntryPlace::RUN_WORD) {
        return Ok(Vec::new());
    }
    Ok(cases_of(&file, text, &launches, with_comments, settings))
}

/// The runs of a text.
fn cases_of(
    file: &str,
    text: String,
    launches: &[PathBuf],
    with_comments: bool,
    settings: &[Vec<Setting>],
) -> Vec<Case> {
    let subject = Arc::new(Subject::new(file.to_owned(), text));
    let wrong = subject.errors.first().map(|it| {
        let line = subject.line(it.range.start().into());
        format!("{file}:{line}: {}", it.message)
    });
    let case = |label: String, run: Result<Run, String>| {
        let run = match &wrong {
            Some(error) => Err(error.clone()),
            None => run.map(|it| (subject.clone(), it)),
        };
        let name = run.as_ref().map(|it| it.1.name.clone());
        Case {
            label,
            file: file.to_owned(),
            name: name.unwrap_or_default(),
            run,
        }
    };
    let mut found = Vec::new();
    for settings in settings {
        if with_comments {
            for it in of_comments(&subject, settings, false) {
                let (line, run) = match it {
                    Ok(run) => (run.place.1, Ok(run)),
                    Err((line, message)) => (line, Err(message)),
                };
                let name = run.as_ref().map_or("", |it| &it.name);
                found.push(case(
                    format!("{file}:{line} {name}").trim_end().to_owned(),
                    run,
                ));
            }
        }
        for launch in launches {
            let run = of_file(&subject, launch, settings, false, None);
            let name = run.as_ref().map_or("", |it| &it.name);
            let label = format!("{} {name}", launch.display());
            found.push(case(label.trim_end().to_owned(), run));
        }
    }
    found
}
