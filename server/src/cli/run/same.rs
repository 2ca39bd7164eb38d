//! `ptx-analyzer run --same-as`: whether another kernel does the same with the same arguments.

use std::path::Path;

use analysis::code::FunctionId;
use run::{
    Launch,
    description::{Judgement, Prepared},
};
use serde::Serialize;

use super::{
    RunArgs,
    execute::{Ran, execute},
    report::{self, JudgementRecord, Report, judgement_record, judgement_text},
    subject::{Run, Subject, of_comments},
};
use crate::{
    cli::plain,
    files::{decode, read},
};

/// The kernel to compare with.
pub(super) struct Other {
    subject: Subject,
    entry: FunctionId,
}

/// The result of the comparison.
pub(super) struct Compared<'a> {
    subject: &'a Subject,
    entry: &'a str,
    ran: Ran,
    arrays: Vec<Judgement>,
}

/// The second run as JSON, with the arrays that were compared.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    file: &'a str,
    #[serde(flatten)]
    record: report::Record<'a>,
    arrays: Vec<JudgementRecord<'a>>,
}

impl Other {
    /// Reads `FILE` or `FILE:ENTRY`.
    pub(super) fn read(text: &str) -> Result<Other, String> {
        let (path, entry) = match text.rsplit_once(':') {
            Some((path, entry)) if !Path::new(text).is_file() => (path, Some(entry)),
            _ => (text, None),
        };
        let bytes = read(Path::new(path), syntax::text::MAX_LEN as u64);
        let bytes = bytes.map_err(|it| format!("{path}: {it}"))?;
        let subject = Subject::new(path.to_owned(), decode(bytes).0);
        if let Some(error) = subject.errors.first() {
            let line = subject.line(error.range.start().into());
            return Err(format!("{path}:{line}: {}", error.message));
        }
        let entries = (0..).zip(&subject.code.functions);
        let mut entries = entries.filter(|(_, it)| it.entry && it.defined);
        let found = match entry {
            Some(name) => subject
                .entry(name)
                .ok_or_else(|| format!("{path}: there is no entry `{name}`")),
            None => match (entries.next(), entries.next()) {
                (Some(one), None) => Ok(one.0),
                (None, _) => Err(format!("{path}: the file has no entry")),
                _ => Err(format!(
                    "{path}: the file has several entries: give {path}:ENTRY"
                )),
            },
        };
        found.map(|entry| Other { subject, entry })
    }

    /// Runs it as the first one ran, in the shape of its own `// run:` comment if it has one.
    pub(super) fn compare(
        &self,
        first: &Subject,
        it: &Run,
        prepared: &Prepared,
        ran: &Ran,
        args: &RunArgs,
    ) -> Result<Compared<'_>, String> {
        let function = &self.subject.code.functions[self.entry as usize];
        let sizes = |subject: &Subject, entry: FunctionId| subject.parameter_sizes(entry);
        if sizes(first, it.entry) != sizes(&self.subject, self.entry) {
            return Err(format!(
                "`{}` of {} has other parameters",
                function.name, self.subject.name
            ));
        }
        let mut launch = Launch {
            entry: self.entry,
            ..prepared.launch.clone()
        };
        let mut own = of_comments(&self.subject, &it.settings, false)
            .into_iter()
            .flatten();
        if let Some(own) = own.find(|it| it.entry == self.entry) {
            let shape = super::prepare(&self.subject, &own, args.limits)?.launch;
            launch.grid = shape.grid;
            launch.block = shape.block;
            launch.cluster = shape.cluster;
            launch.shared = shape.shared;
        } else if let Some(block) = function.bounds.block {
            launch.block = block;
        }
        let other = execute(&self.subject, launch, args.limits.timeout(), true)?;
        let arrays = match other.is_stopped() || ran.is_stopped() {
            true => Vec::new(),
            false => prepared.compare_outcomes(&ran.outcome, &other.outcome, args.rtol, args.atol),
        };
        Ok(Compared {
            subject: &self.subject,
            entry: &function.name,
            ran: other,
            arrays,
        })
    }
}

impl Compared<'_> {
    fn report(&self) -> Report<'_> {
        Report {
            subject: self.subject,
            name: self.entry,
            entry: self.entry,
            ran: &self.ran,
            judgements: &[],
        }
    }

    /// The status of the program for it.
    pub(super) fn status(&self) -> u8 {
        let differs = self.arrays.iter().any(|it| !it.holds());
        super::worse(self.report().status(), differs.into())
    }

    /// It as text.
    pub(super) fn text(&self, color: bool) -> String {
        let mut out = self.report().text(color);
        for it in self.arrays.iter().filter(|it| !it.holds()) {
            out += &judgement_text(it);
        }
        if !self.arrays.is_empty() && self.arrays.iter().all(Judgement::holds) {
            let name = plain(&format!("{}:{}", self.subject.name, self.entry));
            out += &format!("all arrays are the same as those of {name}\n");
        }
        out
    }

    /// It as JSON.
    pub(super) fn record(&self) -> Record<'_> {
        Record {
            file: &self.subject.name,
            record: self.report().record(),
            arrays: self.arrays.iter().map(judgement_record).collect(),
        }
    }
}
