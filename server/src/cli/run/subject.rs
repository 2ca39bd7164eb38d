//! The file that is run, and the launches that are described for it.

use std::path::{Path, PathBuf};

use analysis::{
    AnalysisHost, Diagnostic, EntryPlace, FileId, Severity,
    code::{Code, Formal, FunctionId},
};
use run::{
    Finding,
    description::{Comment, Description, Problem, Value, comments, entry_below},
};
use syntax::{
    Document, MARK,
    text::{Encoding, LineTable},
};

use super::settings::{Setting, set, suffix};
use crate::files::read;

const FILE: FileId = FileId(0);

/// The longest file of an array, in bytes.
const MAX_ARRAY: u64 = 1 << 30;

/// A file with the code in it.
pub(in crate::cli) struct Subject {
    /// Its name in messages.
    pub(in crate::cli) name: String,
    /// The text.
    pub(in crate::cli) document: Document,
    /// The code.
    pub(in crate::cli) code: Code,
    /// The entries with the comments above them.
    entries: Vec<EntryPlace>,
    /// Its errors; it runs only if there are none.
    pub(in crate::cli) errors: Vec<Diagnostic>,
}

impl Subject {
    /// Reads a text.
    pub(in crate::cli) fn new(name: String, text: String) -> Subject {
        let document = Document::new(text);
        let host = AnalysisHost::with_file(FILE, document.contents(), None);
        let analysis = host.analysis();
        // Nobody cancels the questions of this host.
        let mut errors = analysis.diagnostics(FILE).unwrap_or_default();
        errors.retain(|it| it.severity == Severity::Error);
        let code = analysis.code(FILE).unwrap_or_default();
        let entries = analysis.entries(FILE).unwrap_or_default();
        Subject {
            name,
            document,
            code,
            entries,
            errors,
        }
    }

    /// Takes out the findings that comments of the file allow.
    pub(in crate::cli) fn hear_comments(&self, findings: &mut Vec<Finding>) {
        if findings.is_empty() || !self.document.text().contains(MARK) {
            return;
        }
        let host = AnalysisHost::with_file(FILE, self.document.contents(), None);
        let own = findings.iter().map(|it| {
            let severity = match it.severity {
                run::Severity::Error => Severity::Error,
                run::Severity::Warning => Severity::Warning,
            };
            (it.range, it.code.word(), severity)
        });
        let own: Vec<_> = own.collect();
        let Ok(severities) = host.analysis().severities(FILE, &own) else {
            return;
        };
        let mut severities = severities.into_iter();
        findings.retain_mut(|it| match severities.next().flatten() {
            Some(Severity::Error) => {
                it.severity = run::Severity::Error;
                true
            }
            Some(Severity::Warning) => {
                it.severity = run::Severity::Warning;
                true
            }
            _ => false,
        });
    }

    /// The line of an offset, from 1.
    pub(in crate::cli) fn line(&self, offset: usize) -> u32 {
        // The text has at most 4 GB.
        let offset = u32::try_from(offset).unwrap_or(u32::MAX).into();
        self.document.lines().line_of(offset) + 1
    }

    /// The entry with a name.
    pub(in crate::cli) fn entry(&self, name: &str) -> Option<FunctionId> {
        let mut entries = (0..).zip(&self.code.functions);
        let found = entries.find(|(_, it)| it.entry && it.defined && it.name == name);
        found.map(|it| it.0)
    }

    /// The bytes of each parameter of a function; none for those in registers.
    pub(in crate::cli) fn parameter_sizes(&self, function: FunctionId) -> Vec<Option<u64>> {
        let size = |it: &Formal| match it {
            Formal::Variable(id) => self.code.variables.get(*id as usize).map(|it| it.size),
            Formal::Register(_) => None,
        };
        let function = &self.code.functions[function as usize];
        function.parameters.iter().map(size).collect()
    }
}

/// A launch that is described for a file.
#[derive(Clone)]
pub(in crate::cli) struct Run {
    /// Its name in messages: that of the description, or of the entry.
    pub(in crate::cli) name: String,
    /// The file with the description, and the line in it, from 1.
    pub(in crate::cli) place: (String, u32),
    /// The folder in which files are read.
    pub(in crate::cli) folder: PathBuf,
    /// The entry.
    pub(in crate::cli) entry: FunctionId,
    /// The description.
    pub(in crate::cli) description: Description,
    /// The values that replace those of the description.
    pub(in crate::cli) settings: Vec<Setting>,
    /// The lines of the text with the description.
    lines: LineTable,
}

impl Run {
    /// A mistake in the description with its place.
    pub(in crate::cli) fn problem(&self, it: &Problem) -> String {
        problem(&self.place.0, &self.lines, it)
    }
}

/// A mistake in a description with its place.
fn problem(file: &str, lines: &LineTable, problem: &Problem) -> String {
    let offset = u32::try_from(problem.span.start).unwrap_or(u32::MAX).into();
    let place = lines.position(offset, Encoding::Utf8);
    format!(
        "{file}:{}:{}: {problem}",
        place.line + 1,
        place.character + 1
    )
}

/// The launch of a launch file; an entry that is named overrides that of the file.
pub(in crate::cli) fn of_file(
    subject: &Subject,
    path: &Path,
    settings: &[Setting],
    is_strict: bool,
    entry: Option<&str>,
) -> Result<Run, String> {
    let file = path.display().to_string();
    let text = read(path, syntax::text::MAX_LEN as u64).map_err(|it| format!("{file}: {it}"))?;
    let text = String::from_utf8(text).map_err(|_| format!("{file}: not a text in UTF-8"))?;
    let lines = LineTable::new(&text);
    let wrong = |it| problem(&file, &lines, &it);
    let mut value = Value::parse(&text).map_err(wrong)?;
    if let Some(name) = set(&mut value, settings)
        && is_strict
    {
        return Err(format!("{file}: there is no `{name}` to set"));
    }
    if let Some(name) = entry {
        Description::assign(
            &mut value,
            "entry",
            &Value::parse_word(&format!("{name:?}")),
        );
    }
    let description = Description::read(&value).map_err(wrong)?;
    let entry = description.entry_of(&subject.code).map_err(wrong)?;
    Ok(Run {
        name: name(subject, &description, entry) + &suffix(settings),
        place: (file, 1),
        folder: folder(path),
        entry,
        description,
        settings: settings.to_vec(),
        lines,
    })
}

/// The launches of the comments of a file, or the mistakes in them.
pub(in crate::cli) fn of_comments(
    subject: &Subject,
    settings: &[Setting],
    is_strict: bool,
) -> Vec<Result<Run, (u32, String)>> {
    let found = comments(subject.document.text());
    let found = found.into_iter().map(|comment| {
        let line = subject.line(comment.start);
        of_comment(subject, comment, settings, is_strict).map_err(|it| (line, it))
    });
    found.collect()
}

fn of_comment(
    subject: &Subject,
    comment: Comment,
    settings: &[Setting],
    is_strict: bool,
) -> Result<Run, String> {
    let wrong = |it| problem(&subject.name, subject.document.lines(), &it);
    let line = subject.line(comment.start);
    let mut value = comment.value.clone().map_err(wrong)?;
    if let Some(name) = set(&mut value, settings)
        && is_strict
    {
        let file = &subject.name;
        return Err(format!("{file}:{line}: there is no `{name}` to set"));
    }
    let description = Description::read(&value).map_err(wrong)?;
    let entry = match &description.entry {
        Some(_) => description.entry_of(&subject.code).map_err(wrong)?,
        None => entry_below(&comment, &subject.entries, &subject.code).ok_or_else(|| {
            format!(
                "{}:{line}: a `// run:` comment must be above an entry",
                subject.name
            )
        })?,
    };
    Ok(Run {
        name: name(subject, &description, entry) + &suffix(settings),
        place: (subject.name.clone(), line),
        folder: folder(Path::new(&subject.name)),
        entry,
        description,
        settings: settings.to_vec(),
        lines: subject.document.lines().clone(),
    })
}

fn name(subject: &Subject, description: &Description, entry: FunctionId) -> String {
    let entry = || subject.code.functions[entry as usize].name.clone();
    description.name.clone().unwrap_or_else(entry)
}

/// The folder of a file.
fn folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// The contents of a file that a description names: nothing outside its folder is read.
pub(in crate::cli) fn read_below(folder: &Path, name: &str) -> Result<Vec<u8>, String> {
    let path = folder.join(name);
    let real = path.canonicalize().map_err(|it| it.to_string())?;
    let folder = folder.canonicalize().map_err(|it| it.to_string())?;
    if !real.starts_with(&folder) {
        return Err("the file is outside the folder of the launch".to_owned());
    }
    read(&real, MAX_ARRAY).map_err(|it| it.to_string())
}
