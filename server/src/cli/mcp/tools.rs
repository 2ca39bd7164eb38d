//! The tools: their arguments, and what answers them.

use std::{collections::BTreeMap, sync::Arc};

use analysis::{
    AnalysisConfig, AnalysisHost, CompletionKind, DEFAULT_THREADS, FileId, FilePosition,
    FormattingOptions, LaunchAssumptions, Severity,
};
use rmcp::{
    handler::server::tool::schema_for_input,
    model::JsonObject,
    schemars::{self, JsonSchema},
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use syntax::{
    Document,
    host::Language,
    text::{Encoding, Position},
};

use super::files::Files;
use crate::{
    binaries::Text,
    cli::{check, diff, explain, format, protocols, registers, report},
};

/// Longer lists are cut, in bytes of JSON; `format` alone answers with as much as it is given.
const MAX_ANSWER: usize = 128 << 10;
/// How many problems are told unless the question says.
const PROBLEMS: usize = 50;
/// How many completions are told unless the question says.
const COMPLETIONS: usize = 50;
/// As much of an unknown name is repeated, in bytes.
const MAX_NAME: usize = 60;
const FILE: FileId = FileId(0);

/// The answer of a tool.
pub(super) enum Answer {
    /// Markdown, or the text that was asked for.
    Text(String),
    /// An object.
    Data(Value),
}

/// A tool.
pub(super) struct Tool {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// For the model, which chooses by it.
    pub(super) description: &'static str,
    /// The schema of its arguments.
    pub(super) schema: fn() -> Arc<JsonObject>,
    /// Its answer, or what is wrong with the question.
    pub(super) answer: fn(&Files, JsonObject) -> Result<Answer, String>,
}

/// The arguments of a tool.
trait Question: DeserializeOwned + JsonSchema + 'static {
    fn answer(self, files: &Files) -> Result<Answer, String>;
}

const fn tool<Q: Question>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
) -> Tool {
    Tool {
        name,
        title,
        description,
        // A struct with named fields always has a schema.
        schema: || schema_for_input::<Q>().unwrap_or_default(),
        answer: |files, arguments| {
            let question: Q = serde_json::from_value(Value::Object(arguments))
                .map_err(|error| format!("wrong arguments: {error}"))?;
            question.answer(files)
        },
    }
}

/// All tools.
pub(super) const TOOLS: &[Tool] = &[
    tool::<Check>(
        "check",
        "Check PTX",
        "Reports what is wrong in PTX, as ptxas would and more: errors, warnings about code that hangs or is slow, \
         and edits that repair them. Also checks PTX in asm strings of CUDA C++, C++, Python, Rust and LLVM IR.",
    ),
    tool::<Explain>(
        "explain",
        "Explain PTX",
        "Documentation of anything in PTX: an instruction with modifiers, a whole statement, a special register, a \
         directive, type, target or concept, a word of CUDA C++, the code of a diagnostic or a message of ptxas.",
    ),
    tool::<Complete>(
        "complete",
        "Complete PTX",
        "Tells what may be written at a place of a PTX text so that it can become legal for its .version and .target: \
         opcodes, modifiers, operands that fit, directives; the likeliest first.",
    ),
    tool::<Registers>(
        "registers",
        "Estimate registers",
        "Estimates how many registers each entry of a PTX text will need, how many warps fit on a multiprocessor and \
         what limits them. ptxas is not needed.",
    ),
    tool::<Format>(
        "format",
        "Format PTX",
        "Lays out a PTX text: whitespace and line breaks only, no token changes. Answers with the text; writes no file.",
    ),
    tool::<Diff>(
        "diff",
        "Compare PTX",
        "Tells what differs between two PTX texts apart from the names of registers and labels: instructions added, \
         removed, moved or with other operands, and whether entries will need more registers.",
    ),
    tool::<Protocols>(
        "protocols",
        "Show protocols",
        "Shows which asynchronous instructions of kernels belong together: commit and wait groups, mbarriers, wgmma, \
         TMA, tcgen05 allocations.",
    ),
];

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Check {
    /// The text.
    text: Option<String>,
    /// Instead of the text, the path of a file below the root of the server.
    path: Option<String>,
    /// The name of the text, whose ending says the language: `kernel.cu`; PTX without one.
    name: Option<String>,
    /// Judge the text as if its .target directive said this: `sm_90a`.
    target: Option<String>,
    /// Also warn of what these targets lack: `["sm_80"]`.
    #[serde(default)]
    portable_to: Vec<String>,
    /// Tell hints about style, too.
    #[serde(default)]
    hints: bool,
    /// At most so many problems, the worst ones; 50 without this.
    limit: Option<usize>,
}

impl Question for Check {
    fn answer(self, files: &Files) -> Result<Answer, String> {
        let Text { name, text, .. } = files.text(self.text, self.name, self.path.as_deref())?;
        let targets: Result<Vec<_>, _> = self.portable_to.iter().map(|it| target(it)).collect();
        let config = AnalysisConfig {
            target_override: self.target.as_deref().map(target).transpose()?,
            portability_targets: targets?,
            ..AnalysisConfig::default()
        };
        // The file with the commands of compilers may lie anywhere.
        let answer = check::problems(&name, text, &config, None, |_, lines, mut found| {
            found.retain(|it| self.hints || it.severity != Severity::Hint);
            let count = |severity| found.iter().filter(|it| it.severity == severity).count();
            let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
            let total = found.len();
            check::keep_worst(&mut found, self.limit.unwrap_or(PROBLEMS));
            let records = found.iter().map(|it| {
                serde_json::to_value(report::record(&name, lines, it)).unwrap_or_default()
            });
            let problems = bounded(records);
            let omitted = total - problems.len();
            json!({ "errors": errors, "warnings": warnings, "problems": problems, "omitted": omitted })
        })?;
        Ok(Answer::Data(answer))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Explain {
    /// The words to explain: `cp.async.bulk`, `shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;`, `%laneid`, `undefined-name`.
    question: String,
    /// Say whether instructions are available on this target: `sm_90a`.
    target: Option<String>,
}

impl Question for Explain {
    fn answer(self, _: &Files) -> Result<Answer, String> {
        let found = analysis::explain(&self.question, self.target.as_deref())
            .map_err(|name| no_target(&name))?;
        if found.found.is_empty() {
            return Err(explain::nothing(&self.question, &found));
        }
        let pages: Vec<_> = found.found.iter().map(explain::page).collect();
        Ok(Answer::Text(cut(pages.join("\n"))))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Complete {
    /// The text.
    text: Option<String>,
    /// Instead of the text, the path of a file below the root of the server.
    path: Option<String>,
    /// The line, from 1.
    line: u32,
    /// The column, from 1, in bytes of UTF-8; the end of the line without this.
    column: Option<u32>,
    /// At most so many; 50 without this.
    limit: Option<usize>,
}

impl Question for Complete {
    fn answer(self, files: &Files) -> Result<Answer, String> {
        let Text { text, .. } = ptx(files, self.text, self.path.as_deref())?;
        let document = Document::new(text);
        let lines = document.lines();
        let line = self
            .line
            .checked_sub(1)
            .filter(|it| *it < lines.line_count());
        let line = line.ok_or_else(|| format!("the text has no line {}", self.line))?;
        let character = match self.column {
            None => u32::MAX,
            Some(column) => column.checked_sub(1).ok_or("columns count from 1")?,
        };
        let offset = lines.offset(Position { line, character }, Encoding::Utf8);
        let host = AnalysisHost::with_file(FILE, document.contents(), None);
        let at = FilePosition { file: FILE, offset };
        // Nobody cancels the questions of this host.
        let Some(found) = host.analysis().completions(at).ok().flatten() else {
            return Ok(Answer::Data(json!({ "items": [], "complete": true })));
        };
        let limit = self.limit.unwrap_or(COMPLETIONS);
        let items = found.items.iter().take(limit).map(|it| {
            let mut item = json!({ "label": it.label, "kind": kind(it.kind) });
            if let Some(detail) = &it.detail {
                item["detail"] = (&**detail).into();
            }
            if let Some(insert) = &it.insert {
                item["insert"] = (&*insert.plain).into();
            }
            item
        });
        let items = bounded(items);
        let complete = !found.is_incomplete && items.len() == found.items.len();
        let replace = report::Place::new(found.replace, lines, Encoding::Utf8);
        let replace = serde_json::to_value(replace).unwrap_or_default();
        Ok(Answer::Data(
            json!({ "replace": replace, "items": items, "complete": complete }),
        ))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Registers {
    /// The text.
    text: Option<String>,
    /// Instead of the text, the path of a file below the root of the server.
    path: Option<String>,
    /// Estimate for these targets instead of that of the text: `["sm_80", "sm_90"]`.
    #[serde(default)]
    targets: Vec<String>,
    /// Threads of a block where the text does not say, 1 to 1024; 256 without this.
    #[schemars(range(min = 1, max = 1024))]
    threads: Option<u32>,
    /// Bytes of shared memory that blocks get at launch besides what the text declares.
    #[serde(default)]
    shared: u32,
}

impl Question for Registers {
    fn answer(self, files: &Files) -> Result<Answer, String> {
        let Text { name, text, .. } = ptx(files, self.text, self.path.as_deref())?;
        self.targets
            .iter()
            .try_for_each(|it| target(it).map(drop))?;
        let threads = self.threads.unwrap_or(DEFAULT_THREADS);
        if !(1..=1024).contains(&threads) {
            return Err("a block has 1 to 1024 threads".to_owned());
        }
        let launch = LaunchAssumptions {
            threads,
            dynamic_shared: self.shared,
        };
        let records = registers::records(&name, text, &self.targets, launch);
        Ok(list("entries", &records))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Format {
    /// The text.
    text: Option<String>,
    /// Instead of the text, the path of a file below the root of the server.
    path: Option<String>,
    /// Columns of one level of indentation, 0 to 16; 4 without this.
    #[schemars(range(max = 16))]
    indent: Option<u32>,
}

impl Question for Format {
    fn answer(self, files: &Files) -> Result<Answer, String> {
        let Text { text, .. } = ptx(files, self.text, self.path.as_deref())?;
        let indent_width = self.indent.unwrap_or(4);
        if indent_width > 16 {
            return Err("a level of indentation has at most 16 columns".to_owned());
        }
        let options = FormattingOptions {
            indent_width,
            ..FormattingOptions::default()
        };
        let formatted = format::format(text.as_bytes(), options);
        // Only whitespace and line breaks of a text change.
        Ok(Answer::Text(
            String::from_utf8(formatted).unwrap_or_default(),
        ))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Diff {
    /// The text before.
    old: Option<String>,
    /// Instead of the text before, the path of a file below the root of the server.
    old_path: Option<String>,
    /// The text after.
    new: Option<String>,
    /// Instead of the text after, the path of a file below the root of the server.
    new_path: Option<String>,
}

impl Question for Diff {
    fn answer(self, files: &Files) -> Result<Answer, String> {
        let mut old = ptx(files, self.old, self.old_path.as_deref())?;
        let mut new = ptx(files, self.new, self.new_path.as_deref())?;
        if self.old_path.is_none() {
            "old".clone_into(&mut old.name);
        }
        if self.new_path.is_none() {
            "new".clone_into(&mut new.name);
        }
        let (same, text, functions) = diff::differences(old, new)?;
        let total = functions.len();
        let functions = bounded(functions.into_iter());
        let omitted = total - functions.len();
        Ok(Answer::Data(
            json!({ "same": same, "report": cut(text), "functions": functions, "omitted": omitted }),
        ))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Protocols {
    /// The text.
    text: Option<String>,
    /// Instead of the text, the path of a file below the root of the server.
    path: Option<String>,
    /// Only the function with this name.
    function: Option<String>,
}

impl Question for Protocols {
    fn answer(self, files: &Files) -> Result<Answer, String> {
        let Text { text, .. } = ptx(files, self.text, self.path.as_deref())?;
        let records = protocols::records(text, self.function.as_deref());
        Ok(list("protocols", &records))
    }
}

/// A text of PTX.
fn ptx(files: &Files, text: Option<String>, path: Option<&str>) -> Result<Text, String> {
    let text = files.text(text, None, path)?;
    match Language::of_path(text.name.as_ref()) {
        None => Ok(text),
        Some(_) => Err(format!(
            "{}: this is not PTX; `check` alone reads other languages",
            text.name
        )),
    }
}

fn target(name: &str) -> Result<Arc<str>, String> {
    match check::target(name) {
        Ok(name) => Ok(name.into()),
        Err(_) => Err(no_target(name)),
    }
}

/// The message about a target that does not exist, with a part of its name if that is long.
fn no_target(name: &str) -> String {
    let end = name.floor_char_boundary(MAX_NAME);
    let rest = if end < name.len() { "…" } else { "" };
    format!("there is no target `{}{rest}`", &name[..end])
}

/// An object with a list of that name, as much of it as an answer may have.
fn list(name: &str, records: &[impl serde::Serialize]) -> Answer {
    let values = records
        .iter()
        .map(|it| serde_json::to_value(it).unwrap_or_default());
    let shown = bounded(values);
    let omitted = records.len() - shown.len();
    Answer::Data(Value::Object(JsonObject::from_iter(BTreeMap::from([
        (name.to_owned(), Value::Array(shown)),
        ("omitted".to_owned(), omitted.into()),
    ]))))
}

/// The first items, as many as an answer may have.
fn bounded(items: impl Iterator<Item = Value>) -> Vec<Value> {
    let mut left = MAX_ANSWER;
    let fits = |it: &Value| {
        let rest = left.checked_sub(it.to_string().len());
        left = rest.unwrap_or_default();
        rest.is_some()
    };
    items.take_while(fits).collect()
}

/// As much of a text as an answer may have.
fn cut(mut text: String) -> String {
    if text.len() > MAX_ANSWER {
        let more = text.len() - text.floor_char_boundary(MAX_ANSWER);
        text.truncate(text.len() - more);
        text.push_str(&format!("\n… ({more} bytes more)\n"));
    }
    text
}

fn kind(kind: CompletionKind) -> &'static str {
    match kind {
        CompletionKind::Instruction => "instruction",
        CompletionKind::Modifier => "modifier",
        CompletionKind::Type => "type",
        CompletionKind::StateSpace => "state space",
        CompletionKind::Register => "register",
        CompletionKind::SpecialRegister => "special register",
        CompletionKind::Variable => "variable",
        CompletionKind::Parameter => "parameter",
        CompletionKind::Function => "function",
        CompletionKind::Label => "label",
        CompletionKind::Directive => "directive",
        CompletionKind::Value => "value",
        CompletionKind::Snippet => "snippet",
    }
}
