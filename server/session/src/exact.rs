//! The messages of `ptxas` about open documents, while these are edited.

use std::sync::Arc;

use analysis::{CompilerMessage, ExactEntry, FileId};
use rustc_hash::FxHashMap;
use syntax::text::{Edit, LineTable};

use crate::machine_code::MachineCode;

/// The results of a run of `ptxas` on one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The release of `ptxas`, such as `13.5.37`; empty if it does not say.
    pub release: String,
    /// The target that code was made for.
    pub target: String,
    /// Errors, warnings and remarks.
    pub messages: Vec<CompilerMessage>,
    /// The entries, in the order of `ptxas`; none when there was an error.
    pub entries: Vec<ExactEntry>,
    /// The code that it made.
    pub code: Arc<MachineCode>,
}

/// The findings about each document, as one moment has them.
#[derive(Clone, Debug, Default)]
pub struct Results {
    own: Arc<FxHashMap<FileId, Arc<FileFindings>>>,
    others: Arc<FxHashMap<FileId, Arc<FileFindings>>>,
}

impl Results {
    /// The findings about a document, for the target that it is compiled for.
    #[must_use]
    pub fn get(&self, file: FileId) -> Option<&FileFindings> {
        self.own.get(&file).map(|it| &**it)
    }

    /// The findings for the target of the document or for the other one that was compiled last.
    #[must_use]
    pub fn for_target(&self, file: FileId, target: &str) -> Option<&FileFindings> {
        let found = [&self.own, &self.others];
        let mut found = found.iter().filter_map(|it| it.get(&file));
        found
            .find(|it| it.findings.target == target)
            .map(|it| &**it)
    }

    /// Keeps the findings about a document, in place of those from before.
    pub fn insert(&mut self, file: FileId, findings: FileFindings) {
        Arc::make_mut(&mut self.own).insert(file, Arc::new(findings));
    }

    /// Keeps the findings for another target, in place of those for the last other one.
    pub fn insert_other(&mut self, file: FileId, findings: FileFindings) {
        Arc::make_mut(&mut self.others).insert(file, Arc::new(findings));
    }

    /// Drops the findings about a document; whether there were some.
    pub fn forget(&mut self, file: FileId) -> bool {
        self.own.contains_key(&file) && Arc::make_mut(&mut self.own).remove(&file).is_some()
    }

    /// Drops the findings for another target.
    pub fn forget_other(&mut self, file: FileId) {
        if self.others.contains_key(&file) {
            Arc::make_mut(&mut self.others).remove(&file);
        }
    }

    /// The text of a document was edited.
    pub fn edited(&mut self, file: FileId, edits: &[LineEdit]) {
        if !edits.is_empty()
            && self.own.contains_key(&file)
            && let Some(findings) = Arc::make_mut(&mut self.own).get_mut(&file)
        {
            let findings = Arc::make_mut(findings);
            edits.iter().for_each(|it| findings.edited(*it));
        }
    }
}

/// The messages of `ptxas` about a document.
#[derive(Clone, Debug)]
pub struct FileFindings {
    /// Version of the text that it read.
    version: i32,
    findings: Findings,
}

impl FileFindings {
    /// Findings about this version of a document.
    pub fn new(version: i32, findings: Findings) -> FileFindings {
        FileFindings { version, findings }
    }

    /// The messages for a version of the document; whether their lines still have their text is for the
    /// analysis to say. What names no line is about the text that `ptxas` read, and about no other.
    pub fn messages(&self, version: Option<i32>) -> Vec<CompilerMessage> {
        let all = self.findings.messages.iter();
        all.filter(|it| it.line.is_some() || version == Some(self.version))
            .cloned()
            .collect()
    }

    /// The entries, if the document still has the text that `ptxas` read.
    pub fn entries(&self, version: Option<i32>) -> &[ExactEntry] {
        match version == Some(self.version) {
            true => &self.findings.entries,
            false => &[],
        }
    }

    /// The findings, and whether the document has another text than `ptxas` read.
    pub fn latest(&self, version: Option<i32>) -> (&Findings, bool) {
        (&self.findings, version != Some(self.version))
    }

    /// Moves the messages to where their lines are after an edit.
    pub fn edited(&mut self, edit: LineEdit) {
        let moved = |message: &mut CompilerMessage| match &mut message.line {
            None => true,
            Some((line, _)) => match edit.moved(*line) {
                Some(new) => {
                    *line = new;
                    true
                }
                None => false,
            },
        };
        self.findings.messages.retain_mut(moved);
    }
}

/// An edit as far as whole lines are concerned; lines count from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineEdit {
    /// The lines in which the replaced text begins and ends.
    first: u32,
    last: u32,
    /// Whether it begins at the start of a line.
    whole: bool,
    /// How many line breaks the new text has.
    breaks: u32,
}

impl LineEdit {
    /// The effect of an edit on the lines of a text that it is about to change.
    pub fn new(lines: &LineTable, edit: &Edit) -> LineEdit {
        let first = lines.line_of(edit.range.start());
        LineEdit {
            first,
            last: lines.line_of(edit.range.end()),
            whole: lines.line_start(first) == edit.range.start(),
            breaks: LineTable::new(&edit.insert).line_count().saturating_sub(1),
        }
    }

    /// Where a line is afterwards; `None` if it is gone. Its text may be another one.
    fn moved(self, line: u32) -> Option<u32> {
        let after = |line: u32| {
            (line - self.last)
                .checked_add(self.first)?
                .checked_add(self.breaks)
        };
        if line < self.first {
            Some(line)
        } else if line > self.last || (line == self.last && (self.first < line || self.whole)) {
            after(line)
        } else if line == self.first {
            Some(line)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use analysis::Severity;
    use syntax::Document;

    use super::*;

    /// Replaces the text between `[` and `]` by `insert` and returns the lines with a message, each with
    /// whether its text is the one of the message; every line of the text has had one.
    fn lines(text: &str, insert: &str) -> Vec<(u32, bool)> {
        let start = text.find('[').expect("a start");
        let end = text.find(']').expect("an end") - 1;
        let text = text.replace(['[', ']'], "");
        let messages = (0..).zip(text.lines()).map(|(line, text)| CompilerMessage {
            line: Some((line, text.to_owned())),
            severity: Severity::Error,
            text: String::new(),
        });
        let messages = messages.collect();
        let mut findings = FileFindings::new(
            1,
            Findings {
                messages,
                ..Findings::default()
            },
        );
        let mut document = Document::new(text);
        let number = |it: usize| u32::try_from(it).expect("a short text").into();
        let edit = Edit::new(syntax::TextRange::new(number(start), number(end)), insert);
        findings.edited(LineEdit::new(document.lines(), &edit));
        document.apply(&edit).expect("an edit that fits");
        let after: Vec<_> = document.text().lines().collect();
        let lines = findings.messages(None).into_iter().filter_map(|it| it.line);
        lines
            .map(|(line, text)| (line, after.get(line as usize).copied() == Some(&*text)))
            .collect()
    }

    #[test]
    fn messages_follow_their_lines() {
        // Within a line.
        assert_eq!(lines("a\nb[]\nc", "x"), [(0, true), (1, false), (2, true)]);
        // Lines before, after and in between.
        assert_eq!(lines("[]a\nb", "x\ny\n"), [(2, true), (3, true)]);
        assert_eq!(lines("a[]\nb", "\nx"), [(0, true), (2, true)]);
        assert_eq!(lines("ab[]cd\nb", "\n"), [(0, false), (2, true)]);
        // Lines that go.
        assert_eq!(lines("a\n[b\n]c", ""), [(0, true), (1, false), (1, true)]);
        assert_eq!(lines("a[\nb\n]c", ""), [(0, false), (0, false)]);
        assert_eq!(
            lines("a[\nb\nc\n]d\ne", "\n"),
            [(0, true), (1, true), (2, true)]
        );
    }

    #[test]
    fn figures_are_about_one_text() {
        let entry = ExactEntry {
            name: "k".to_owned(),
            target: "sm_90".to_owned(),
            registers: analysis::ExactRegisters::default(),
            lines: Vec::new(),
            instructions: None,
        };
        let message = CompilerMessage {
            line: None,
            severity: Severity::Error,
            text: String::new(),
        };
        let findings = FileFindings::new(
            3,
            Findings {
                entries: vec![entry],
                messages: vec![message],
                ..Findings::default()
            },
        );
        for (version, found) in [(Some(3), 1), (Some(4), 0), (None, 0)] {
            assert_eq!(findings.entries(version).len(), found);
            assert_eq!(findings.messages(version).len(), found);
        }
    }
}
