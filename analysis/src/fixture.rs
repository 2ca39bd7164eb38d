//! Fixtures of tests: texts of files with a cursor and expected diagnostics.
//!
//! A fixture is one file, or several that start with lines such as `//- /a.ptx`. `$0` marks a cursor.
//! A comment such as `// ^^^ undefined-name: message` describes the line before it.

use std::fmt::Write as _;
use std::sync::Arc;

use syntax::{FileContents, TextSize};

use crate::{
    Analysis, AnalysisHost, Change, Diagnostic, FileId, FilePosition, FileRange, InlayHintKinds,
    Severity,
    diagnostics::{is_flow_lint, is_lint},
};

/// The header of a module, so that fixtures need not repeat it.
pub(crate) const HEADER: &str = ".version 8.5\n.target sm_90\n.address_size 64\n";

/// Inlay hints of no kind, so that tests name only those that they want.
pub(crate) const NO_HINTS: InlayHintKinds = InlayHintKinds {
    defaults: false,
    demangled_names: false,
    float_literals: false,
    memory_accesses: false,
    live_registers: false,
    loop_registers: false,
    parameter_names: false,
    register_peak: false,
    register_types: false,
};

/// A parsed fixture, loaded into a host.
pub(crate) struct Fixture {
    pub(crate) host: AnalysisHost,
    /// Name and text of each file, indexed by [`FileId`].
    pub(crate) files: Vec<(String, String)>,
    /// The places of `$0`.
    pub(crate) cursors: Vec<FilePosition>,
}

impl Fixture {
    /// Loads the files of a fixture.
    pub(crate) fn new(text: &str) -> Fixture {
        let mut files: Vec<(String, String)> = Vec::new();
        for line in text.split_inclusive('\n') {
            if let Some(name) = line.strip_prefix("//- ") {
                files.push((name.trim().to_owned(), String::new()));
            } else {
                if files.is_empty() {
                    files.push(("/main.ptx".to_owned(), String::new()));
                }
                files.last_mut().unwrap().1.push_str(line);
            }
        }
        let mut cursors = Vec::new();
        for (index, (_, text)) in files.iter_mut().enumerate() {
            while let Some(place) = text.find("$0") {
                text.replace_range(place..place + 2, "");
                cursors.push(FilePosition {
                    file: FileId(index as u32),
                    offset: TextSize::new(place as u32),
                });
            }
        }
        let mut host = AnalysisHost::new();
        host.apply_change(Change {
            files: files
                .iter()
                .enumerate()
                .map(|(index, (_, text))| {
                    (
                        FileId(index as u32),
                        Some(Arc::new(FileContents::new(text))),
                    )
                })
                .collect(),
            config: None,
        });
        Fixture {
            host,
            files,
            cursors,
        }
    }

    /// The diagnostics of the first file, but for lints.
    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        let mut diagnostics = self.host.analysis().diagnostics(FileId(0)).unwrap();
        diagnostics.retain(|it| !is_lint(it.code));
        diagnostics
    }

    /// A snapshot and the only cursor.
    pub(crate) fn cursor(&self) -> (Analysis, FilePosition) {
        assert_eq!(self.cursors.len(), 1, "the fixture needs one `$0`");
        (self.host.analysis(), self.cursors[0])
    }

    /// The text of a range.
    pub(crate) fn text(&self, range: FileRange) -> &str {
        &self.files[range.file.0 as usize].1[range.range]
    }

    /// A range as `line:column text`, with the file when there are several.
    pub(crate) fn show(&self, range: FileRange) -> String {
        let (name, text) = &self.files[range.file.0 as usize];
        let start = usize::from(range.range.start());
        let line = text[..start].matches('\n').count() + 1;
        let column = start - text[..start].rfind('\n').map_or(0, |it| it + 1) + 1;
        let shown = text[range.range].lines().next().unwrap_or_default();
        let file = if self.files.len() == 1 { "" } else { name };
        let colon = if file.is_empty() { "" } else { ":" };
        format!("{file}{colon}{line}:{column} {shown}")
    }
}

/// Compares the diagnostics of a module, given without its header, with its `^^^` comments.
///
/// Lints are left out: [`check_lints`] is for them.
#[track_caller]
pub(crate) fn check_diagnostics(body: &str) {
    check_file(&format!("{HEADER}{body}"));
}

/// The same for a file with a header of its own.
#[track_caller]
pub(crate) fn check_file(expected: &str) {
    check(expected, |code| !is_lint(code));
}

/// Compares the lints of a module, given without its header, with its `^^^` comments.
///
/// Those about flow are left out, so that fixtures may read what nothing writes: [`check_only`] is for
/// them.
#[track_caller]
pub(crate) fn check_lints(body: &str) {
    check(&format!("{HEADER}{body}"), |code| !is_flow_lint(code));
}

/// The same for the lints with some codes, and no others.
#[track_caller]
pub(crate) fn check_only(codes: &[&str], body: &str) {
    check(&format!("{HEADER}{body}"), |code| codes.contains(&code));
}

#[track_caller]
fn check(expected: &str, wanted: impl Fn(&str) -> bool) {
    let text: String = expected
        .split_inclusive('\n')
        .filter(|it| !is_annotation(it))
        .collect();
    let fixture = Fixture::new(&text);
    let mut diagnostics = fixture.host.analysis().diagnostics(FileId(0)).unwrap();
    diagnostics.retain(|it| wanted(it.code));
    let actual = annotate(&text, &diagnostics);
    assert!(actual == expected, "diagnostics differ; actual:\n{actual}");
}

fn is_annotation(line: &str) -> bool {
    line.trim_start()
        .strip_prefix("//")
        .is_some_and(|it| it.trim_start().starts_with('^'))
}

/// The text with a comment below each line that has a diagnostic.
fn annotate(text: &str, diagnostics: &[Diagnostic]) -> String {
    let mut out = String::new();
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        out.push_str(line);
        for diagnostic in diagnostics {
            let start = usize::from(diagnostic.range.start());
            if start < offset || start >= offset + line.len() {
                continue;
            }
            let column = start - offset;
            let carets = "^".repeat(usize::from(diagnostic.range.len()).max(1));
            let severity = match diagnostic.severity {
                Severity::Error => "",
                Severity::Warning => "warning ",
                Severity::Information => "info ",
                Severity::Hint => "hint ",
            };
            let _ = write!(
                out,
                "//{:pad$}{carets} {severity}{}: {}",
                "",
                diagnostic.code,
                diagnostic.message,
                pad = column.saturating_sub(2)
            );
            if let Some(help) = &diagnostic.help {
                let _ = write!(out, " | {help}");
            }
            for related in &diagnostic.related {
                let start = usize::from(related.location.range.start());
                let line = text[..start].matches('\n').count() + 1;
                let _ = write!(out, " | {} on line {line}", related.message);
            }
            out.push('\n');
        }
        offset += line.len();
    }
    out
}
