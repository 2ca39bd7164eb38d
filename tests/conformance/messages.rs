//! The table of messages in `messages.md` against what we say.

use std::{fmt::Write as _, fs, path::Path, sync::Arc};

use analysis::{AnalysisHost, Change, FileContents, FileId, Severity};

const REGISTERS: &str = ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .u32 %u<9>;";

/// The marked range of a statement, and its message.
fn ours(module: &str, statement: &str) -> (String, String) {
    let (version, target) = module.split_once(' ').expect("a version and a target");
    let program = format!(
        ".version {version}\n.target {target}\n.address_size 64\n.entry k() {{\n{REGISTERS}\n{statement}\nret;\n}}\n"
    );
    let mut host = AnalysisHost::new();
    let file = FileId(0);
    host.apply_change(Change {
        files: vec![(file, Some(Arc::new(FileContents::new(&program))))],
        config: None,
    });
    let found = host.analysis().diagnostics(file).expect("no cancellation");
    let mut marked = Vec::new();
    let mut said = Vec::new();
    let shown = found
        .iter()
        .filter(|it| it.severity < Severity::Hint)
        // Single statements read registers that nothing writes; ptxas has no message for that.
        .filter(|it| it.code != "uninitialized-register");
    for it in shown {
        marked.push(format!("`{}`", &program[it.range]));
        let help = it
            .help
            .as_ref()
            .map_or_else(String::new, |it| format!("; {it}"));
        said.push(format!("{}{help}", it.message));
    }
    (marked.join(", "), said.join("; "))
}

#[test]
fn messages_are_as_documented() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/messages.md");
    let old = fs::read_to_string(&path).expect("the table is there");
    let mut new = String::new();
    let mut statements = 0;
    for line in old.lines() {
        let plain = line.replace("\\|", "\u{1}");
        let cells: Vec<&str> = plain.split('|').map(str::trim).collect();
        let [_, module, statement, ptxas, _, _, _] = cells[..] else {
            writeln!(new, "{line}").expect("memory");
            continue;
        };
        if !statement.starts_with('`') {
            writeln!(new, "{line}").expect("memory");
            continue;
        }
        statements += 1;
        let (marked, said) = ours(module, &statement.trim_matches('`').replace('\u{1}', "|"));
        assert!(!said.is_empty(), "we say nothing about {statement}");
        let row = format!("| {module} | {statement} | {ptxas} | {marked} | {said} |");
        writeln!(new, "{}", row.replace('\u{1}', "\\|")).expect("memory");
    }
    assert!(statements >= 60, "{statements} statements are too few");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &new).expect("the table can be written");
        return;
    }
    assert_eq!(
        old.replace("\r\n", "\n"),
        new,
        "run with UPDATE=1 to rewrite the table"
    );
}
