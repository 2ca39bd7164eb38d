//! Regenerates the generated sources and fails when they are stale; `UPDATE=1` rewrites them.

mod chapters;
mod grammar_words;
mod pictures;
mod protocol_rules;
mod settings;
mod syntax_kinds;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The root folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate lies in the workspace")
        .to_owned()
}

/// Formats Rust source with the `rustfmt` of the toolchain.
fn rustfmt(source: &str) -> String {
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(root().join("rustfmt.toml"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("rustfmt is part of the toolchain");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    stdin
        .write_all(source.as_bytes())
        .expect("rustfmt reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("rustfmt ends");
    assert!(output.status.success(), "rustfmt rejects generated code");
    String::from_utf8(output.stdout).expect("rustfmt writes UTF-8")
}

/// Compares a generated file with the committed one, or rewrites it.
fn ensure_fresh(path: &str, fresh: &str) {
    let path = root().join(path);
    let committed = fs::read_to_string(&path).unwrap_or_default();
    if committed.replace("\r\n", "\n") == fresh {
        return;
    }
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, fresh).expect("the source tree is writable");
    } else {
        panic!(
            "{} is stale; run `UPDATE=1 cargo test -p ptx-analyzer-tests --test sourcegen`",
            path.display()
        );
    }
}

#[test]
fn syntax_is_fresh() {
    let grammar = fs::read_to_string(root().join("syntax/ptx.ungram")).expect("the grammar exists");
    let grammar: ungrammar::Grammar = grammar.parse().expect("the grammar is well formed");
    let generated = syntax_kinds::generate(&grammar);
    ensure_fresh("syntax/src/kind.rs", &rustfmt(&generated));
}

#[test]
fn words_of_the_grammar_are_fresh() {
    let path = "editors/vscode/grammar-tests/words.test.ptx";
    ensure_fresh(path, &grammar_words::generate());
}

#[test]
fn the_table_of_protocol_rules_is_fresh() {
    ensure_fresh("analysis/docs/protocols.md", &protocol_rules::generate());
}

#[test]
fn the_list_of_chapters_is_fresh() {
    let (chapters, examples) = chapters::generate(|path| {
        let text = fs::read_to_string(root().join(path)).expect("the chapter exists");
        text.replace("\r\n", "\n")
    });
    ensure_fresh("analysis/docs/chapters.md", &chapters);
    ensure_fresh("analysis/docs/chapter-examples.md", &examples);
}

#[test]
fn settings_in_editors_are_fresh() {
    let read = |path: &str| {
        let text = fs::read_to_string(root().join(path)).expect("the file exists");
        text.replace("\r\n", "\n")
    };
    let help = "editors/nvim/doc/ptx-analyzer.txt";
    ensure_fresh(help, &settings::vim_help(&read(help)));
    let manifest = "editors/vscode/package.json";
    ensure_fresh(manifest, &settings::manifest(&read(manifest)));
}

#[test]
fn pictures_of_the_command_line_are_fresh() {
    let path = "editors/guide/pictures/run-race.svg";
    ensure_fresh(path, &pictures::run_that_finds_a_race());
}
