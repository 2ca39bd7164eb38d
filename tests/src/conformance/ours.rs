//! Our own verdict.

use std::sync::Arc;

use super::generation::GENERATION_CODES;

use analysis::{AnalysisHost, Change, Diagnostic, FileContents, FileId, Severity};

/// Checks programs as the server does.
pub struct Checker {
    host: AnalysisHost,
    judged: u32,
}

impl Default for Checker {
    fn default() -> Checker {
        Checker {
            host: AnalysisHost::new(),
            judged: 0,
        }
    }
}

impl Checker {
    /// Programs after which salsa starts anew, or its interned functions would pile up.
    const RENEW_AFTER: u32 = 10_000;

    /// The errors of a program: code and message. None means that we accept it. What ptxas refuses only when it
    /// generates code is omitted, as most verdicts come from reading.
    pub fn errors(&mut self, program: &str) -> Vec<String> {
        let errors = self.diagnostics(program).into_iter();
        errors
            .filter(|it| it.severity == Severity::Error && !GENERATION_CODES.contains(&it.code))
            .map(|it| format!("{}: {}", it.code, it.message))
            .collect()
    }

    /// All that we say about a program.
    pub fn diagnostics(&mut self, program: &str) -> Vec<Diagnostic> {
        self.judged += 1;
        if self.judged.is_multiple_of(Checker::RENEW_AFTER) {
            self.host = AnalysisHost::new();
        }
        let file = FileId(0);
        let contents = Arc::new(FileContents::new(program));
        self.host.apply_change(Change {
            files: vec![(file, Some(contents))],
            config: None,
        });
        self.host
            .analysis()
            .diagnostics(file)
            .expect("no cancellation")
    }
}
