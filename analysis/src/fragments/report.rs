//! Findings about statements of assembly rather than about the PTX in them.

use syntax::{TextRange, text::Edit};

use crate::{Diagnostic, Fix, FixKind, diagnostics::registry::DiagnosticCode};

/// The findings about a statement; ranges are those of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    pub(super) diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// Adds a finding with an edit of the file that repairs it.
    pub(super) fn repaired(
        &mut self,
        range: Option<TextRange>,
        code: &DiagnosticCode,
        message: String,
        title: &str,
        edit: Option<Edit>,
    ) {
        let before = self.diagnostics.len();
        self.add(range, code, message);
        if let (Some(edit), Some(added)) = (edit, self.diagnostics.get_mut(before)) {
            added.fixes.push(Fix {
                title: title.to_owned(),
                edits: vec![edit],
                preferred: true,
                kind: FixKind::CorrectAssembly,
            });
        }
    }

    /// Adds a finding with the usual severity of its code. Without a place in the file it is not told.
    pub(super) fn add(&mut self, range: Option<TextRange>, code: &DiagnosticCode, message: String) {
        let Some(range) = range else {
            return;
        };
        self.diagnostics.push(Diagnostic {
            range,
            severity: code.severity(),
            code: code.name,
            message,
            help: None,
            related: Vec::new(),
            tags: Vec::new(),
            fixes: Vec::new(),
        });
    }
}
