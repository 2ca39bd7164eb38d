//! The diagnostics of a file as a client wants them, whether it asks or not.

use std::hash::{Hash, Hasher};

use analysis::FilePosition;
use syntax::text::StableHasher;
use tracing::info;

use crate::{
    known::LONG_TEXT,
    lsp::{
        lsp_types::{Diagnostic, DiagnosticRelatedInformation},
        to_proto,
    },
    snapshot::{Answer, Document, Snapshot},
};

/// Nobody reads so many: VS Code shows no more than these, and writing them costs time at each keystroke.
pub const MAX_PER_FILE: usize = 1000;

/// All problems of a file, or the worst. What is found about long documents is remembered, for what is known at once
/// after a change.
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
    let (file, known) = (document.file, &snapshot.shared.known);
    let stamp = known.stamp(file);
    let mut found = snapshot.analysis.worst_diagnostics(file, MAX_PER_FILE)?;
    // Nobody has begun to write.
    found.retain(|it| it.code != analysis::NO_MODULE_CODE || !it.range.is_empty());
    let is_long = u32::from(document.lines().text_len()) > LONG_TEXT;
    // Comments may concern what they are far from.
    if is_long && !snapshot.analysis.has_control_comments(file)? {
        known.found(file, stamp, found.as_slice().into(), true);
    } else {
        known.lose(file);
    }
    Ok(found)
}

/// The problems of a file after a change in a long function, before all is looked at again: see
/// [`analysis::Analysis::diagnostics_after_edits`].
pub fn known_at_once(
    snapshot: &Snapshot,
    document: &Document,
) -> Answer<Option<Vec<analysis::Diagnostic>>> {
    let (file, known) = (document.file, &snapshot.shared.known);
    let stamp = known.stamp(file);
    let Some(earlier) = known.before(file) else {
        return Ok(None);
    };
    let found = snapshot.analysis.diagnostics_after_edits(file, &earlier)?;
    if let Some(found) = &found {
        known.found(file, stamp, found.as_slice().into(), false);
    }
    Ok(found)
}

/// The diagnostics of a file as this client wants them.
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

/// Takes out what is not told to somebody who is writing.
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

/// A number that differs when the JSON of diagnostics differs, which is what a client sees of them.
pub fn fingerprint(json: &str) -> u64 {
    let mut hasher = StableHasher::default();
    json.hash(&mut hasher);
    hasher.finish()
}
