//! The diagnostics of a file for clients that request them (pull) and for those that do not (push).

use std::hash::{Hash, Hasher};

use analysis::{FileId, FilePosition};
use run::description::with_mistakes;
use syntax::text::StableHasher;
use tracing::info;

use crate::{
    lsp::{
        lsp_types::{
            Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
            Range,
        },
        to_proto,
    },
    snapshot::{Answer, Document, Snapshot},
};

/// The most diagnostics of a file that are sent: VS Code shows no more, and writing them costs time at each keystroke.
pub const MAX_PER_FILE: usize = 1000;

/// For longer texts, in bytes, syntax errors are sent before the other diagnostics, when a file is opened.
const SYNTAX_FIRST: u32 = 1 << 20;

/// How complete the diagnostics are that a client has of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// The diagnostics of another text.
    Outdated,
    /// Its syntax errors.
    Syntax,
    /// All, or the worst [`MAX_PER_FILE`].
    Complete,
}

/// The next diagnostics for a client whose diagnostics are of this stage, and their stage. With `first` the client has none at
/// all. Only clients that do not request diagnostics get incomplete ones.
pub fn next_diagnostics(
    snapshot: &Snapshot,
    file: FileId,
    stage: Stage,
    first: bool,
) -> Answer<(Vec<Diagnostic>, Stage)> {
    let Some(document) = snapshot.document_of(file)? else {
        return Ok((Vec::new(), Stage::Complete));
    };
    let pushes = snapshot.shared.client.pushes();
    let is_long = u32::from(document.lines().text_len()) > SYNTAX_FIRST;
    let (found, reached) =
        if pushes && stage < Stage::Syntax && first && is_long && document.host.is_none() {
            (snapshot.analysis.syntax_diagnostics(file)?, Stage::Syntax)
        } else {
            (all_diagnostics(snapshot, &document)?, Stage::Complete)
        };
    Ok((file_diagnostics(snapshot, &document, found)?, reached))
}

/// All problems of a file, or the worst [`MAX_PER_FILE`].
pub fn all_diagnostics(
    snapshot: &Snapshot,
    document: &Document,
) -> Answer<Vec<analysis::Diagnostic>> {
    if let Some(host) = &document.host {
        return match snapshot.embedded {
            true => host.diagnostics(snapshot, document.file, host.all_fragments()),
            false => Ok(Vec::new()),
        };
    }
    let file = document.file;
    let mut found = snapshot.analysis.worst_diagnostics(file, MAX_PER_FILE)?;
    // An empty text lacks its `.version` only once something is written.
    found.retain(|it| it.code != analysis::NO_MODULE_CODE || !it.range.is_empty());
    Ok(with_mistakes(&snapshot.analysis, file, found)?)
}

/// Converts diagnostics of a file to LSP, with the messages of `ptxas`, within the capabilities of the client.
pub fn file_diagnostics(
    snapshot: &Snapshot,
    document: &Document,
    mut diagnostics: Vec<analysis::Diagnostic>,
) -> Answer<Vec<Diagnostic>> {
    let client = &snapshot.shared.client;
    diagnostics = snapshot.with_messages_of_ptxas(document.file, diagnostics)?;
    hold_back(snapshot, document, &mut diagnostics)?;
    if diagnostics.len() > MAX_PER_FILE {
        info!(
            found = diagnostics.len(),
            shown = MAX_PER_FILE,
            "too many problems in a file"
        );
        // The sort is stable: of equally bad ones the first ones in the text stay.
        diagnostics.sort_by_key(|it| it.severity);
        diagnostics.truncate(MAX_PER_FILE);
    }
    let mut out = Vec::with_capacity(diagnostics.len());
    for diagnostic in diagnostics {
        let mut message = diagnostic.message;
        if let Some(help) = diagnostic.help {
            message.push_str("\nhelp: ");
            message.push_str(&help);
        }
        let mut related = Vec::new();
        if client.related_information {
            for info in diagnostic.related {
                if let Some(location) = snapshot.location(info.location)? {
                    related.push(DiagnosticRelatedInformation {
                        location,
                        message: info.message,
                    });
                }
            }
        }
        let tags = diagnostic.tags.into_iter().map(to_proto::diagnostic_tag);
        let tags = client.diagnostic_tags.then(|| tags.collect::<Vec<_>>());
        out.push(Diagnostic {
            range: document.range(diagnostic.range),
            severity: Some(to_proto::severity(diagnostic.severity)),
            code: Some(to_proto::code(diagnostic.code)),
            code_description: client
                .code_description
                .then(|| to_proto::code_description(diagnostic.code))
                .flatten(),
            source: Some(to_proto::source(diagnostic.code).to_owned()),
            message,
            related_information: (!related.is_empty()).then_some(related),
            tags: tags.filter(|it| !it.is_empty()),
            data: None,
        });
    }
    Ok(out)
}

/// Removes the diagnostics that wait while a statement is written.
fn hold_back(
    snapshot: &Snapshot,
    document: &Document,
    diagnostics: &mut Vec<analysis::Diagnostic>,
) -> Answer<()> {
    let (file, quiet) = (document.file, &snapshot.shared.quiet);
    let at = match quiet.offset(file) {
        Some(offset) => {
            let writing = match &document.host {
                Some(host) => host.writing(snapshot, file, offset)?,
                None => snapshot.analysis.writing(FilePosition { file, offset })?,
            };
            writing.map(|it| (offset, it))
        }
        None => None,
    };
    quiet.hold_back(file, at, document.lines(), diagnostics);
    Ok(())
}

/// A number that differs when diagnostics differ for a client.
pub fn fingerprint(diagnostics: &[Diagnostic]) -> u64 {
    let mut hasher = StableHasher::default();
    diagnostics.len().hash(&mut hasher);
    for diagnostic in diagnostics {
        hash_diagnostic(diagnostic, &mut hasher);
    }
    hasher.finish()
}

/// Hashes every field: LSP's types have no hash of their own.
fn hash_diagnostic(diagnostic: &Diagnostic, hasher: &mut StableHasher) {
    let Diagnostic {
        range,
        severity,
        code,
        code_description,
        source,
        message,
        related_information,
        tags,
        data,
    } = diagnostic;
    (positions(*range), code, source, message).hash(hasher);
    code_description.as_ref().map(|it| &it.href).hash(hasher);
    let levels = [
        DiagnosticSeverity::ERROR,
        DiagnosticSeverity::WARNING,
        DiagnosticSeverity::INFORMATION,
        DiagnosticSeverity::HINT,
    ];
    levels.map(|it| *severity == Some(it)).hash(hasher);
    let related = related_information.iter().flatten();
    for it in related {
        let Location { uri, range } = &it.location;
        (true, uri, positions(*range), &it.message).hash(hasher);
    }
    for it in tags.iter().flatten() {
        (false, *it == DiagnosticTag::UNNECESSARY).hash(hasher);
    }
    data.as_ref().map(ToString::to_string).hash(hasher);
}

/// The lines and columns of a range.
fn positions(range: Range) -> [u32; 4] {
    let Range { start, end } = range;
    [start.line, start.character, end.line, end.character]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::lsp_types::{CodeDescription, Url};

    #[test]
    fn every_field_is_in_the_fingerprint() {
        let plain = Diagnostic {
            severity: Some(DiagnosticSeverity::ERROR),
            ..Diagnostic::default()
        };
        let change = |change: &dyn Fn(&mut Diagnostic)| {
            let mut changed = plain.clone();
            change(&mut changed);
            fingerprint(&[changed])
        };
        let url = Url::parse("file:///a.ptx").expect("a URI");
        let href = url.clone();
        let related = DiagnosticRelatedInformation {
            location: Location::new(url, Default::default()),
            message: "here".to_owned(),
        };
        let mut all = vec![
            fingerprint(&[]),
            fingerprint(std::slice::from_ref(&plain)),
            fingerprint(&[plain.clone(), plain.clone()]),
            change(&|it| it.range.end.line = 1),
            change(&|it| it.severity = Some(DiagnosticSeverity::HINT)),
            change(&|it| it.code = Some(to_proto::code("a"))),
            change(&|it| it.code_description = Some(CodeDescription { href: href.clone() })),
            change(&|it| it.source = Some("ptxas".to_owned())),
            change(&|it| it.message = "text".to_owned()),
            change(&|it| it.related_information = Some(vec![related.clone()])),
            change(&|it| it.tags = Some(vec![DiagnosticTag::UNNECESSARY])),
            change(&|it| it.tags = Some(vec![DiagnosticTag::DEPRECATED])),
            change(&|it| it.data = Some(1.into())),
        ];
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
