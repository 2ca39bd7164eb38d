//! Problems for programs: lines of JSON, annotations of GitHub, and SARIF 2.1.0.

use std::path::{Component, Path};

use analysis::{
    DIAGNOSTIC_CODES, Diagnostic, DocumentationKey, FileId, Fix, Severity, documentation,
};
use serde::Serialize;
use serde_json::{Value, json};
use session::lsp::{lsp_types::Url, markdown::to_plain_text, to_proto::code_description};
use syntax::{
    TextRange,
    text::{Edit, Encoding, LineTable, escape_controls},
};

use super::render;

/// The name that standard input goes by.
pub(super) const STDIN: &str = "<stdin>";

/// A problem as JSON; lines and columns count from 1, columns in UTF-8 bytes.
#[derive(Serialize)]
pub(super) struct DiagnosticRecord<'a> {
    file: &'a str,
    #[serde(flatten)]
    place: Place,
    severity: &'a str,
    code: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixRecord<'a>>,
}

/// A way to repair a problem as JSON.
#[derive(Serialize)]
struct FixRecord<'a> {
    title: &'a str,
    edits: Vec<EditRecord<'a>>,
}

/// A replacement as JSON.
#[derive(Serialize)]
struct EditRecord<'a> {
    #[serde(flatten)]
    place: Place,
    insert: &'a str,
}

/// One problem as an object.
pub(super) fn record<'a>(
    file: &'a str,
    lines: &LineTable,
    diagnostic: &'a Diagnostic,
) -> DiagnosticRecord<'a> {
    let edit = |it: &'a Edit| EditRecord {
        place: Place::new(it.range, lines, Encoding::Utf8),
        insert: &it.insert,
    };
    let fix = |it: &'a Fix| FixRecord {
        title: &it.title,
        edits: it.edits.iter().map(edit).collect(),
    };
    DiagnosticRecord {
        file,
        place: Place::new(diagnostic.range, lines, Encoding::Utf8),
        severity: render::severity(diagnostic.severity),
        code: diagnostic.code,
        message: &diagnostic.message,
        help: diagnostic.help.as_deref(),
        fixes: diagnostic.fixes.iter().map(fix).collect(),
    }
}

/// One problem as a line of JSON.
pub(super) fn json(file: &str, lines: &LineTable, diagnostic: &Diagnostic) -> String {
    let record = record(file, lines, diagnostic);
    // A record of strings and numbers always has a JSON form.
    let mut line = serde_json::to_string(&record).unwrap_or_default();
    line.push('\n');
    line
}

/// One problem as a workflow command of GitHub, which shows it beside the line of a pull request.
pub(super) fn github(file: &str, lines: &LineTable, diagnostic: &Diagnostic) -> String {
    let command = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "notice",
    };
    let place = Place::new(diagnostic.range, lines, Encoding::Utf16);
    let mut out = format!(
        "::{command} title={},file={},line={},endLine={}",
        github_property(diagnostic.code),
        github_property(file),
        place.line,
        place.end_line,
    );
    // GitHub refuses columns of a problem that spans lines.
    if place.line == place.end_line {
        out += &format!(",col={},endColumn={}", place.column, place.end_column);
    }
    out += "::";
    out += &github_data(&message(diagnostic));
    out.push('\n');
    out
}

/// Text of a workflow command, which ends with its line; a terminal may show it, too.
fn github_data(text: &str) -> String {
    let text = text
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A");
    escape_controls(&text).into_owned()
}

/// A value in the head of a workflow command.
fn github_property(text: &str) -> String {
    github_data(text).replace(':', "%3A").replace(',', "%2C")
}

/// One problem as a result of SARIF.
pub(super) fn sarif_result(uri: &str, lines: &LineTable, diagnostic: &Diagnostic) -> Value {
    let mut result = json!({
        "ruleId": diagnostic.code,
        "level": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Information | Severity::Hint => "note",
        },
        "message": { "text": message(diagnostic) },
        "locations": [{ "physicalLocation": location(uri, diagnostic.range, lines) }],
    });
    // Only one file is checked at a time.
    let related: Vec<_> = diagnostic
        .related
        .iter()
        .filter(|it| it.location.file == FileId(0))
        .map(|it| {
            json!({
                "message": { "text": it.message },
                "physicalLocation": location(uri, it.location.range, lines),
            })
        })
        .collect();
    if !related.is_empty() {
        result["relatedLocations"] = related.into();
    }
    if !diagnostic.fixes.is_empty() {
        let fixes = diagnostic.fixes.iter().map(|it| sarif_fix(uri, lines, it));
        result["fixes"] = fixes.collect();
    }
    result
}

fn sarif_fix(uri: &str, lines: &LineTable, fix: &Fix) -> Value {
    let replacements: Vec<_> = fix
        .edits
        .iter()
        .map(|edit| {
            json!({
                "deletedRegion": region(edit.range, lines),
                "insertedContent": { "text": edit.insert },
            })
        })
        .collect();
    json!({
        "description": { "text": fix.title },
        "artifactChanges": [{ "artifactLocation": artifact(uri), "replacements": replacements }],
    })
}

/// The whole document: the results, the rules that they name, and what could not be checked.
pub(super) fn sarif(mut results: Vec<Value>, failures: &[String]) -> String {
    let mut rules = Vec::new();
    for code in DIAGNOSTIC_CODES {
        let mut named = false;
        for result in results.iter_mut().filter(|it| it["ruleId"] == code.name) {
            result["ruleIndex"] = rules.len().into();
            named = true;
        }
        if named {
            rules.push(rule(code.name, code.summary));
        }
    }
    sarif_document(&rules, &results, failures)
}

/// A document of SARIF with these rules and results.
pub(super) fn sarif_document(rules: &[Value], results: &[Value], failures: &[String]) -> String {
    let notifications: Vec<_> = failures
        .iter()
        .map(|it| json!({ "level": "error", "message": { "text": it } }))
        .collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "ptx-analyzer",
                "informationUri": env!("CARGO_PKG_HOMEPAGE"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "utf16CodeUnits",
            "invocations": [{
                "executionSuccessful": failures.is_empty(),
                "toolExecutionNotifications": notifications,
            }],
            "results": results,
        }],
    });
    format!("{document:#}\n")
}

fn rule(code: &str, summary: &str) -> Value {
    let page = documentation(&DocumentationKey::Diagnostic(code.to_owned())).unwrap_or_default();
    let mut rule = json!({
        "id": code,
        "shortDescription": { "text": summary },
        "help": { "text": to_plain_text(&page), "markdown": page },
    });
    if let Some(page) = code_description(code) {
        rule["helpUri"] = page.href.as_str().into();
    }
    rule
}

/// The problem and what to do about it.
fn message(diagnostic: &Diagnostic) -> String {
    match &diagnostic.help {
        Some(help) => format!("{}\n{help}", diagnostic.message),
        None => diagnostic.message.clone(),
    }
}

pub(super) fn location(uri: &str, range: TextRange, lines: &LineTable) -> Value {
    json!({ "artifactLocation": artifact(uri), "region": region(range, lines) })
}

/// A file: what has no scheme lies below the folder that was checked, which GitHub takes for the repository.
fn artifact(uri: &str) -> Value {
    match uri.starts_with("file:") {
        true => json!({ "uri": uri }),
        false => json!({ "uri": uri, "uriBaseId": "%SRCROOT%" }),
    }
}

fn region(range: TextRange, lines: &LineTable) -> Value {
    let place = Place::new(range, lines, Encoding::Utf16);
    json!({
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    })
}

/// A range in lines and columns that count from one; the end is exclusive.
#[derive(Serialize)]
pub(super) struct Place {
    pub(super) line: u32,
    pub(super) column: u32,
    end_line: u32,
    end_column: u32,
}

impl Place {
    pub(super) fn new(range: TextRange, lines: &LineTable, encoding: Encoding) -> Place {
        let start = lines.position(range.start(), encoding);
        let end = lines.position(range.end(), encoding);
        Place {
            line: start.line + 1,
            column: start.character + 1,
            end_line: end.line + 1,
            end_column: end.character + 1,
        }
    }
}

/// The URI of a file: relative to the current folder when the file lies below it, else absolute.
pub(super) fn uri(name: &str) -> String {
    let path = Path::new(name);
    let plain = |path: &Path| {
        let mut components = path.components();
        components.all(|it| matches!(it, Component::Normal(_) | Component::CurDir))
    };
    if name == STDIN || plain(path) {
        return relative(path);
    }
    // `..` and links go away, or the same file would have several names.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = Path::new(".").canonicalize();
    match folder.as_ref().map(|folder| path.strip_prefix(folder)) {
        Ok(Ok(below)) => relative(below),
        _ => Url::from_file_path(&path).map_or_else(|()| relative(&path), String::from),
    }
}

/// A path with `/` between its parts and other characters escaped.
fn relative(path: &Path) -> String {
    let names = path.components().filter_map(|it| match it {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let Ok(mut url) = Url::parse("file:///") else {
        return String::new();
    };
    if let Ok(mut segments) = url.path_segments_mut() {
        segments.extend(names);
    }
    url.path().trim_start_matches('/').to_owned()
}
