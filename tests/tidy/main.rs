//! Rules of the house that no compiler checks.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use ptx_tests::{
    imports::Imports,
    rooms,
    words::{Kind, broken as wrong_words, names_of_items, prose, type_names},
    workspace::{dependencies, packages, top},
};

/// Rust files are read in one sitting, so their code is short. Unit tests are not counted: what they cost is to be
/// found by a search, not to be read.
const MAX_LINES: usize = 700;

/// A text file of the repository.
struct Source {
    /// Path below the top of the repository, with `/` between its parts.
    path: String,
    text: String,
}

impl Source {
    fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path)
            .extension()
            .is_some_and(|it| it == extension)
    }

    /// Files that hold data or that a program has written.
    fn is_data(&self) -> bool {
        self.path.contains("generated") || self.path.contains("/data/")
    }

    fn is_test(&self) -> bool {
        self.path.starts_with("tests/")
            || self.path.ends_with("/tests.rs")
            || self.path.contains("/tests/")
    }

    /// The text without the test module, which is last in a file; nothing of a file of tests.
    fn without_tests(&self) -> &str {
        match self.is_test() {
            true => "",
            false => self.before_unit_tests(),
        }
    }

    /// The text before the test module, also in the crate of the tests.
    fn before_unit_tests(&self) -> &str {
        let begins = ["#[cfg(test)]", "#[cfg(all(test"];
        let begins = begins.iter().filter_map(|it| self.text.find(it));
        &self.text[..begins.min().unwrap_or(self.text.len())]
    }
}

/// Every file that is or may be committed and that is text.
fn sources() -> Vec<Source> {
    let mut sources = Vec::new();
    for entry in ignore::WalkBuilder::new(top())
        .hidden(false)
        .require_git(false)
        .build()
    {
        let entry = entry.expect("a repository that can be read");
        let path = entry
            .path()
            .strip_prefix(top())
            .expect("a path in the repository");
        let path = path.to_string_lossy().replace('\\', "/");
        if path == ".git"
            || path.starts_with(".git/")
            || path.starts_with("target/")
            || entry.path().is_dir()
        {
            continue;
        }
        // What is not UTF-8 is not text: images, for one.
        if let Ok(text) = std::fs::read_to_string(entry.path()) {
            sources.push(Source { path, text });
        }
    }
    assert!(sources.iter().any(|it| it.path == "tests/tidy/main.rs"));
    sources
}

fn check(rule: &str, broken: Vec<String>) {
    assert!(broken.is_empty(), "{rule}:\n{}", broken.join("\n"));
}

#[test]
fn rust_files_explain_themselves() {
    let broken = sources()
        .into_iter()
        .filter(|it| it.has_extension("rs") && !it.text.starts_with("//!"))
        .filter(|it| !it.path.ends_with("/tests.rs") && !it.text.starts_with("#!"))
        .map(|it| it.path);
    check(
        "a Rust file begins with a module comment (//!)",
        broken.collect(),
    );
}

#[test]
fn files_are_clean() {
    let mut broken = Vec::new();
    for source in sources() {
        // Fixtures are written by other programs, and findings by fuzzers.
        let foreign = ["fixtures/", "fuzz/regressions/"];
        if foreign.iter().any(|it| source.path.contains(it)) || source.path.starts_with("LICENSE") {
            continue;
        }
        let is_prose = source.has_extension("md");
        for (line, text) in source.text.lines().enumerate() {
            // rustfmt sees to Rust; what it leaves is the expected output of a test.
            let blank_end = !source.has_extension("rs") && text.ends_with([' ', '\t', '\r']);
            if blank_end || (is_prose && text.contains('\t')) {
                broken.push(format!("{}:{}: {text:?}", source.path, line + 1));
            }
        }
        if !source.text.is_empty() && !source.text.ends_with('\n') {
            broken.push(format!("{}: no newline at its end", source.path));
        }
    }
    check(
        "no blanks at the end of lines, and a newline at the end of the file",
        broken,
    );
}

/// Windows takes fewer names than others, and so do Cargo's packages.
#[test]
fn every_system_takes_the_names_of_files() {
    let mut seen = BTreeMap::new();
    let mut broken = Vec::new();
    for source in sources() {
        let reserved = ["aux", "con", "nul", "prn"];
        let is_bad = |part: &str| {
            let stem = part.split('.').next().unwrap_or_default();
            part.contains(['<', '>', ':', '"', '|', '?', '*', '\\'])
                || part.ends_with(['.', ' '])
                || reserved.contains(&&*stem.to_ascii_lowercase())
        };
        if source.path.split('/').any(is_bad) {
            broken.push(source.path.clone());
        }
        if let Some(other) = seen.insert(source.path.to_lowercase(), source.path.clone()) {
            broken.push(format!("{other} and {}", source.path));
        }
    }
    check("names of files are names on every system", broken);
}

#[test]
fn rust_files_are_short() {
    let broken = sources()
        .into_iter()
        .filter(|it| it.has_extension("rs") && !it.is_data())
        // The programs of `tests` have no other code.
        .map(|it| {
            let code = if it.path.starts_with("tests/") {
                &it.text
            } else {
                it.without_tests()
            };
            (code.lines().count(), it.path.clone())
        })
        .filter(|&(lines, _)| MAX_LINES < lines)
        .map(|(lines, path)| format!("{path}: {lines} lines"));
    check(
        &format!("a Rust file has at most {MAX_LINES} lines of code"),
        broken.collect(),
    );
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    // Written in two parts, because this file is checked too.
    let words = [
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
        concat!("/tmp/", "ptxas"),
        concat!("/tmp/", "target"),
        concat!("..", "/shared"),
    ];
    let mut broken = Vec::new();
    for source in sources() {
        for (line, text) in source.text.lines().enumerate() {
            if words.iter().any(|word| text.contains(word)) {
                broken.push(format!("{}:{}: {text}", source.path, line + 1));
            }
        }
    }
    check("no file names a path of a machine", broken);
}

/// Unit tests are in the module `tests` of what they test, at the end of its file or in a file of its own.
#[test]
fn unit_tests_are_in_modules_named_tests() {
    let mut broken = Vec::new();
    for source in sources() {
        if !source.has_extension("rs") || source.path.starts_with("tests/") {
            continue;
        }
        if source.path.ends_with("_tests.rs") {
            broken.push(format!("{}: move it into a module `tests`", source.path));
        }
        for (line, text) in source.without_tests().lines().enumerate() {
            if text.trim() == "#[test]" {
                broken.push(format!("{}:{}: outside `tests`", source.path, line + 1));
            }
        }
    }
    check("unit tests are in modules named `tests`", broken);
}

/// Who looks for a test reads `tests/README.md`: each folder and program has its sentence there.
#[test]
fn the_test_house_is_described() {
    let readme = std::fs::read_to_string(top().join("tests/README.md")).expect("tests/README.md");
    let rooms = std::fs::read_dir(top().join("tests")).expect("the folder of the tests");
    let broken = rooms
        .map(|entry| entry.expect("an entry of the folder").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name != "README.md" && !readme.contains(&format!("`{name}`")))
        .collect();
    check(
        "each entry of `tests` has a sentence in tests/README.md",
        broken,
    );
}

/// Words are those that the manual, LSP and rust-analyzer use; `tests/tidy/vocabulary.tsv` has the others and what to write instead.
#[test]
fn words_are_those_of_the_vocabulary() {
    // Texts of other programs, and the list itself.
    let foreign = [
        "fixtures/",
        "fuzz/regressions/",
        "/recorded/",
        "tests/tidy/vocabulary.tsv",
        "isa/docs/ptxas-messages.md",
        "package-lock.json",
        "Cargo.lock",
        "LICENSE",
    ];
    let mut broken = Vec::new();
    for source in sources() {
        if source.is_data() || foreign.iter().any(|it| source.path.contains(it)) {
            continue;
        }
        let prose = prose(&source.path, &source.text);
        for (prose, rule, words) in wrong_words(&prose, !source.is_test()) {
            if rule.is_plain() && !is_plain(&source) {
                continue;
            }
            broken.push(format!(
                "{}:{}: \"{}\": as \"{}\" is better said \"{}\"",
                source.path,
                prose.line,
                words.trim(),
                rule.example,
                rule.instead,
            ));
        }
    }
    check("words are those of tests/tidy/vocabulary.tsv", broken);
}

/// Whether the rules of plain words hold in a file; they are to follow in `analysis` and in help texts.
fn is_plain(source: &Source) -> bool {
    let to_follow = ["analysis/", "server/src/cli"];
    !to_follow.iter().any(|it| source.path.starts_with(it))
}

/// "Whether" begins the documentation of a `bool` and of nothing else.
#[test]
fn whether_is_said_of_bools() {
    let mut broken = Vec::new();
    for source in sources() {
        if !source.has_extension("rs") || source.is_data() {
            continue;
        }
        let lines: Vec<&str> = source.text.lines().collect();
        for prose in prose(&source.path, &source.text) {
            let starts_doc = prose.kind == Kind::Comment { starts_doc: true };
            if !starts_doc || !prose.text.starts_with("Whether ") {
                continue;
            }
            // The item, after comments and attributes, up to its body or the end of a field.
            let item = lines[prose.line..].iter().map(|it| it.trim());
            let item = item.skip_while(|it| it.starts_with("//") || it.starts_with("#["));
            let mut text = String::new();
            for line in item.take(12) {
                text += line;
                if line.ends_with(['{', '}', ';', ',']) && !text.contains("fn ")
                    || line.ends_with(['{', ';'])
                {
                    break;
                }
            }
            if !text.contains("bool") {
                broken.push(format!("{}:{}: {text}", source.path, prose.line));
            }
        }
    }
    check("\"Whether\" begins the documentation of a bool", broken);
}

#[test]
fn nothing_is_left_undone() {
    let words = [
        concat!("to", "do!("),
        concat!("unimple", "mented!("),
        concat!("db", "g!("),
        concat!("#[ign", "ore"),
        concat!("#[should", "_panic"),
    ];
    let mut broken = Vec::new();
    for source in sources().into_iter().filter(|it| it.has_extension("rs")) {
        for (line, text) in source.text.lines().enumerate() {
            if words.iter().any(|word| text.contains(word)) {
                broken.push(format!("{}:{}: {text}", source.path, line + 1));
            }
        }
    }
    check("no stubs, and no tests that do not run", broken);
}

/// Facts about instructions are in the tables; code asks them.
#[test]
fn no_opcode_is_named_above_the_tables() {
    // A word of people, and the opcode whose operand completion stands in for when it completes a guard.
    let words = ["and", "not"];
    let opcodes: BTreeSet<&str> = isa::tables().opcodes().collect();
    let mut broken = Vec::new();
    for source in sources() {
        // Terms of questions are words of people, and some of them are opcodes.
        let is_of_people = source.path.ends_with("explain/terms.rs");
        if !source.path.starts_with("analysis/src/")
            || source.path.contains("/tests")
            || is_of_people
        {
            continue;
        }
        for (line, text) in source.without_tests().lines().enumerate() {
            // Every other part of a line is in quotes, near enough.
            for literal in text.split('"').skip(1).step_by(2) {
                let opcode = literal.split('.').next().unwrap_or_default();
                if is_dotted(literal) && opcodes.contains(opcode) && !words.contains(&literal) {
                    broken.push(format!("{}:{}: {}", source.path, line + 1, text.trim()));
                }
                // Messages and advice put code between backquotes: every other part of the text is code.
                for quoted in literal.split('`').skip(1).step_by(2) {
                    if quoted.contains('.') && is_dotted(quoted) && names(&opcodes, quoted) {
                        broken.push(format!("{}:{}: {}", source.path, line + 1, text.trim()));
                    }
                }
            }
        }
    }
    check("no opcode in a string of `analysis/src`", broken);
}

/// Whether this is words with dots between them, as opcodes and their modifiers are.
fn is_dotted(text: &str) -> bool {
    text.split('.')
        .all(|it| !it.is_empty() && it.chars().all(is_of_word))
}

/// Whether this name begins with an opcode.
fn names(opcodes: &BTreeSet<&str>, text: &str) -> bool {
    opcodes.iter().any(|it| {
        text.strip_prefix(it)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

fn is_of_word(char: char) -> bool {
    char.is_ascii_lowercase() || char.is_ascii_digit() || matches!(char, '_' | ':')
}

#[test]
fn only_the_server_touches_the_world() {
    let rooms = [
        "syntax/src/",
        "analysis/src/",
        "analysis/isa/src/",
        "server/machine/src/",
    ];
    let words = [
        "std::fs",
        "std::process",
        "std::thread",
        "std::time",
        "std::net",
        "std::env",
        "lsp_types",
    ];
    let mut broken = Vec::new();
    for source in sources() {
        if !source.has_extension("rs") || !rooms.iter().any(|it| source.path.starts_with(it)) {
            continue;
        }
        for (line, text) in source.without_tests().lines().enumerate() {
            let code = text.split("//").next().unwrap_or_default();
            if words.iter().any(|word| code.contains(word)) {
                broken.push(format!("{}:{}: {text}", source.path, line + 1));
            }
        }
    }
    check(
        "only the server knows files, processes, threads, the clock and LSP",
        broken,
    );
}

/// A browser has neither files nor threads: what runs there may not know them.
#[test]
fn the_session_asks_its_host() {
    let words = [
        "std::fs",
        "std::process",
        "std::thread",
        "std::net",
        "std::env",
        "Instant",
        "canonicalize",
        "is_file",
        "to_file_path",
    ];
    let mut broken = Vec::new();
    for source in sources() {
        if !source.has_extension("rs") || !source.path.starts_with("server/session/src/") {
            continue;
        }
        for (line, text) in source.without_tests().lines().enumerate() {
            let code = text.split("//").next().unwrap_or_default();
            if words.iter().any(|word| code.contains(word)) {
                broken.push(format!("{}:{}: {text}", source.path, line + 1));
            }
        }
    }
    check(
        "the session has no I/O; see server/session/src/host.rs",
        broken,
    );

    let needs = dependencies("ptx-analyzer-session");
    assert!(
        needs.contains("ptx-analyzer-analysis") && needs.contains("lsp-types"),
        "{needs:?}"
    );
    let words = [
        "tokio",
        "tower-lsp",
        "futures",
        "rayon",
        "walkdir",
        "process-wrap",
        "mimalloc",
    ];
    let broken = words.into_iter().filter(|it| needs.contains(*it));
    check(
        "the session and what it needs do without",
        broken.map(str::to_owned).collect(),
    );
}

/// The clock on the wall jumps: when it is set, in summer, and when a machine wakes up.
#[test]
fn nothing_waits_by_the_clock_on_the_wall() {
    let words = ["SystemTime::now", "UNIX_EPOCH"];
    let mut broken = Vec::new();
    for source in sources().into_iter().filter(|it| it.has_extension("rs")) {
        for (line, text) in source.without_tests().lines().enumerate() {
            let code = text.split("//").next().unwrap_or_default();
            if words.iter().any(|word| code.contains(word)) {
                broken.push(format!("{}:{}: {text}", source.path, line + 1));
            }
        }
    }
    check("times are measured with Instant, which never jumps", broken);
}

#[test]
fn libraries_belong_to_rooms() {
    // Libraries that belong to one room only.
    let forbidden = BTreeMap::from([
        (
            "ptx-analyzer-syntax",
            vec!["salsa", "serde", "serde_json", "tokio", "tower-lsp"],
        ),
        (
            "ptx-analyzer-isa",
            vec!["salsa", "rowan", "serde_json", "tokio", "tower-lsp"],
        ),
        (
            "ptx-analyzer-machine",
            vec!["salsa", "rowan", "serde_json", "tokio", "tower-lsp"],
        ),
        (
            "ptx-analyzer-analysis",
            vec!["serde_json", "tokio", "tower-lsp", "rayon", "walkdir"],
        ),
    ]);

    let mut broken = Vec::new();
    for package in packages() {
        let name = package["name"].as_str().expect("a package has a name");
        let Some(forbidden) = forbidden.get(name) else {
            continue;
        };
        for dependency in package["dependencies"].as_array().expect("a list") {
            let other = dependency["name"].as_str().expect("a name");
            if dependency["kind"] != "dev" && forbidden.contains(&other) {
                broken.push(format!("{name} depends on {other}"));
            }
        }
    }
    check("a library is used in its room only", broken);
}

/// Arrows point downwards: see [`rooms`] for what counts.
#[test]
fn rooms_use_what_the_table_in_architecture_allows() {
    let text = std::fs::read_to_string(top().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let broken = rooms::disagreements(&rooms::table(&text), &packages());
    check("rooms are those of the table in ARCHITECTURE.md", broken);
}

/// The crates whose names are checked.
const NAMED: [&str; 9] = [
    "ptx-analyzer-isa",
    "ptx-analyzer-analysis",
    "ptx-analyzer-run",
    "ptx-analyzer-syntax",
    "ptx-analyzer-machine",
    "ptx-analyzer-session",
    "ptx-analyzer-wasm",
    "ptx-analyzer",
    "ptx-analyzer-tests",
];
/// A type name denotes one concept; two modules may share one that is local to both.
const MAX_HOMONYMS: usize = 2;

/// The files of each library and program of the checked crates.
fn named_targets() -> Vec<Vec<Source>> {
    let mut targets = Vec::new();
    for package in packages() {
        if !NAMED.iter().any(|it| package["name"] == *it) {
            continue;
        }
        for target in package["targets"].as_array().expect("a list") {
            let root = target["src_path"].as_str().expect("a path");
            let imports = Imports::from_crate(Path::new(root)).expect("files that can be read");
            let files = imports.files.into_keys().map(|it| {
                let path = it.strip_prefix(top()).expect("a path in the repository");
                Source {
                    path: path.to_string_lossy().replace('\\', "/"),
                    text: std::fs::read_to_string(&it).expect("a file that can be read"),
                }
            });
            targets.push(files.collect());
        }
    }
    assert!(6 < targets.len(), "only {} targets", targets.len());
    targets
}

#[test]
fn type_names_denote_one_concept() {
    let mut broken = Vec::new();
    for files in named_targets() {
        let mut modules: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for file in &files {
            for name in type_names(file.before_unit_tests()) {
                modules.entry(name).or_default().insert(&file.path);
            }
        }
        let homonyms = modules.iter().filter(|it| MAX_HOMONYMS < it.1.len());
        broken.extend(homonyms.map(|(name, paths)| format!("{name}: {paths:?}")));
    }
    check(
        &format!("a type name is declared in at most {MAX_HOMONYMS} modules of a crate"),
        broken,
    );
}

#[test]
fn names_are_those_of_the_vocabulary() {
    let mut broken = Vec::new();
    for file in named_targets().iter().flatten().filter(|it| !it.is_test()) {
        let names = names_of_items(file.before_unit_tests());
        for (name, rule, words) in wrong_words(&names, true) {
            broken.push(format!(
                "{}:{}: \"{words}\": {}",
                file.path, name.line, rule.instead
            ));
        }
    }
    check("names are those of tests/tidy/vocabulary.tsv", broken);
}

/// Circles of files that may be. This list can only get shorter.
const CIRCLES: [&[&str]; 1] = [
    // Recursive descent.
    &[
        "syntax/src/grammar/declaration.rs",
        "syntax/src/grammar/directive.rs",
        "syntax/src/grammar/function.rs",
        "syntax/src/grammar/item.rs",
        "syntax/src/grammar/statement.rs",
    ],
];

/// Imports have a direction: whoever reads a file need not know those that use it. See [`Imports`] for what counts.
#[test]
fn files_import_in_no_circles() {
    let mut all = vec![
        Imports::from_typescript(&top().join("editors/playground/src")),
        Imports::from_typescript(&top().join("editors/vscode/src")),
    ];
    for package in packages() {
        for target in package["targets"].as_array().expect("a list") {
            let root = target["src_path"].as_str().expect("a path");
            all.push(Imports::from_crate(Path::new(root)));
        }
    }
    let mut left: BTreeSet<&str> = CIRCLES.iter().copied().flatten().copied().collect();
    let mut broken = Vec::new();
    let mut count = 0;
    for imports in all {
        let imports = imports.expect("files that can be read");
        count += imports.files.len();
        let name = |it: &Path| {
            let it = it.strip_prefix(top()).expect("a path in the repository");
            it.to_string_lossy().replace('\\', "/")
        };
        for circle in imports.circles() {
            let names: Vec<String> = circle.iter().copied().map(name).collect();
            left.retain(|it| names.iter().all(|name| name != it));
            let is_known = |known: &&[&str]| names.iter().all(|it| known.contains(&it.as_str()));
            if CIRCLES.iter().any(is_known) {
                continue;
            }
            broken.push(format!("a circle of {}:", circle.len()));
            for file in &circle {
                let others = imports.files[*file].iter();
                for (other, path) in others.filter(|it| circle.contains(it.0.as_path())) {
                    broken.push(format!("  {} uses {}: {path}", name(file), name(other)));
                }
            }
        }
    }
    assert!(600 < count, "only {count} files were read");
    let untied = left
        .iter()
        .map(|it| format!("{it} is in no circle now: remove it from the list"));
    broken.extend(untied);
    check("files import in no circles", broken);
}
