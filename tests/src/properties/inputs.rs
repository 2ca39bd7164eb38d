//! The inputs of the fuzz targets: how bytes become texts, edits and messages, and bytes to begin with.

use std::sync::Arc;

use arbitrary::{Result, Unstructured};
use fastrand::Rng;
use serde_json::json;
use syntax::{Document, FileContents, TextRange, TextSize, host::Language, text::Edit};

use crate::{
    client::{change, place},
    fixtures, mutate,
    properties::{
        answers, binaries, differences, formatting, hosts, settings, statements, streams, trees,
    },
    session,
};

/// A property that is tried on bytes.
pub struct Target {
    /// Name of the target and of its program in `tests/fuzz`.
    pub name: &'static str,
    /// Fails where the property does not hold.
    pub run: fn(&[u8]),
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// All of them, by name.
pub const TARGETS: &[Target] = &[
    Target {
        name: "answers",
        run: edited_answers,
        seeds: scripts,
    },
    Target {
        name: "binaries",
        run: binaries::check,
        seeds: binaries::seeds,
    },
    Target {
        name: "differences",
        run: edited_differences,
        seeds: scripts,
    },
    Target {
        name: "edits",
        run: edited_trees,
        seeds: scripts,
    },
    Target {
        name: "formatting",
        run: |bytes| formatting::check("it", &String::from_utf8_lossy(bytes)),
        seeds: texts,
    },
    Target {
        name: "host_cuda",
        run: |bytes| hosts::check(Language::Cuda, &String::from_utf8_lossy(bytes)),
        seeds: || hosts::seeds(Language::Cuda),
    },
    Target {
        name: "host_llvm",
        run: |bytes| hosts::check(Language::Llvm, &String::from_utf8_lossy(bytes)),
        seeds: || hosts::seeds(Language::Llvm),
    },
    Target {
        name: "host_python",
        run: |bytes| hosts::check(Language::Python, &String::from_utf8_lossy(bytes)),
        seeds: || hosts::seeds(Language::Python),
    },
    Target {
        name: "host_rust",
        run: |bytes| hosts::check(Language::Rust, &String::from_utf8_lossy(bytes)),
        seeds: || hosts::seeds(Language::Rust),
    },
    Target {
        name: "parser",
        run: |bytes| drop(trees::check_tree("it", &String::from_utf8_lossy(bytes))),
        seeds: texts,
    },
    Target {
        name: "settings",
        run: |bytes| {
            if let Ok(value) = serde_json::from_slice(bytes) {
                settings::check(&value);
            }
        },
        seeds: all_settings,
    },
    Target {
        name: "statements",
        run: one_body,
        seeds: bodies,
    },
    Target {
        name: "streams",
        run: one_stream,
        seeds: sessions,
    },
];

/// Runs the target of this name.
pub fn run(name: &str, bytes: &[u8]) {
    let target = TARGETS.iter().find(|it| it.name == name);
    (target.expect("a name of the list").run)(bytes);
}

/// Seeds are cut to about this many bytes: short inputs are tried more often.
const PIECE: usize = 1_000;
/// Most edits of a script.
const EDITS: u8 = 12;
/// Most characters that one edit removes.
const REMOVED: u8 = 60;

/// The fixtures, whole and in pieces that begin at lines.
fn texts() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for fixture in fixtures::ptx() {
        let mut piece = String::new();
        for line in fixture.text.split_inclusive('\n') {
            piece.push_str(line);
            if PIECE <= piece.len() {
                out.push(std::mem::take(&mut piece).into_bytes());
            }
        }
        out.push(piece.into_bytes());
        out.push(fixture.text.into_bytes());
    }
    out
}

// ---- Scripts of edits ------------------------------------------------------------------------------

/// An edit of a text; what it is about is taken from the text when its turn comes.
enum Step {
    /// Any edit of [`mutate::edit`].
    Random(u64),
    /// At a place, characters to remove, and a text to insert.
    Replace(u16, u8, String),
}

impl Step {
    fn read(input: &mut Unstructured<'_>) -> Result<Step> {
        let kind = input.int_in_range(0..=3_u8)?;
        let number = u16::from_le_bytes(input.arbitrary()?);
        if kind == 0 {
            return Ok(Step::Random(number.into()));
        }
        let removed = input.int_in_range(0..=REMOVED)?;
        let insert = match kind {
            1 => char::from(input.arbitrary::<u8>()?).to_string(),
            2 => {
                let index: u8 = input.arbitrary()?;
                let pieces = mutate::pieces();
                pieces[usize::from(index) % pieces.len()].to_owned()
            }
            _ => String::new(),
        };
        Ok(Step::Replace(number, removed, insert))
    }

    fn edit(&self, document: &Document) -> Edit {
        let text = document.text();
        match self {
            Step::Random(seed) => mutate::edit(&mut Rng::with_seed(*seed), text, document.lines()),
            Step::Replace(at, removed, insert) => {
                let start = text.floor_char_boundary(usize::from(*at) % (text.len() + 1));
                let end = text.floor_char_boundary((start + usize::from(*removed)).min(text.len()));
                let size = |it: usize| TextSize::try_from(it).expect("a short text");
                Edit::new(TextRange::new(size(start), size(end.max(start))), insert)
            }
        }
    }
}

/// Edits, and the text that they begin with.
fn script(bytes: &[u8]) -> Result<(Vec<Step>, Document)> {
    let mut input = Unstructured::new(bytes);
    let count = input.int_in_range(1..=EDITS)?;
    let steps = (0..count).map(|_| Step::read(&mut input));
    let steps = steps.collect::<Result<_>>()?;
    let text = String::from_utf8_lossy(input.take_rest()).into_owned();
    Ok((steps, Document::new(text)))
}

fn edited_trees(bytes: &[u8]) {
    let Ok((steps, mut document)) = script(bytes) else {
        return;
    };
    for step in steps {
        let before = document.text().to_owned();
        let edit = step.edit(&document);
        if let Some(difference) = trees::edit(&mut document, &edit) {
            panic!("{edit:?} of {before:?}: {difference}");
        }
    }
}

fn edited_differences(bytes: &[u8]) {
    let Ok((steps, mut document)) = script(bytes) else {
        return;
    };
    let before = document.text().to_owned();
    for step in steps {
        document
            .apply(&step.edit(&document))
            .expect("the edit fits");
    }
    differences::check(&before, document.text());
}

fn edited_answers(bytes: &[u8]) {
    let Ok((steps, mut document)) = script(bytes) else {
        return;
    };
    let mut host = answers::host(document.contents());
    for step in steps {
        // Asked after every edit, so that there is something to be out of date.
        answers::Answers::new(&host.analysis(), answers::FILE);
        document
            .apply(&step.edit(&document))
            .expect("the edit fits");
        answers::change(&mut host, answers::FILE, document.contents());
    }
    let found = answers::Answers::new(&host.analysis(), answers::FILE);
    let fresh = answers::host(Arc::new(FileContents::new(document.text())));
    let expected = answers::Answers::new(&fresh.analysis(), answers::FILE);
    assert!(
        found == expected,
        "{:?}\nincremental: {found:#?}\nfresh: {expected:#?}",
        document.text()
    );
}

fn scripts() -> Vec<Vec<u8>> {
    let script = |(index, text): (usize, Vec<u8>)| {
        let mut rng = Rng::with_seed(index as u64);
        let count = rng.u8(..4);
        let mut bytes = vec![count];
        for _ in 0..=count {
            let kind = rng.u8(..4);
            bytes.extend([kind, rng.u8(..), rng.u8(..4)]);
            match kind {
                0 => {}
                1 => bytes.extend([0, rng.u8(b' '..=b'~')]),
                2 => bytes.extend([rng.u8(..4), rng.u8(..)]),
                _ => bytes.push(rng.u8(..REMOVED)),
            }
        }
        bytes.extend(text);
        bytes
    };
    texts().into_iter().enumerate().map(script).collect()
}

// ---- Statements ------------------------------------------------------------------------------------

/// The most positions of a body at which the requests while typing are made.
const PLACES: usize = 6;

fn one_body(bytes: &[u8]) {
    let Some(([version, target, size], statements)) = bytes.split_first_chunk() else {
        return;
    };
    let header = [version, target, size].map(|it| usize::from(*it));
    let text = statements::module(header, &String::from_utf8_lossy(statements));
    let body = text.find("L:\n").unwrap_or_default();
    let step = ((text.len() - body) / PLACES).max(1);
    statements::check(&text, (body..text.len()).step_by(step).skip(1));
}

/// The statements of the examples in the documentation, by instruction, and the statements in fixtures.
fn bodies() -> Vec<Vec<u8>> {
    let newest = |list: &[&str], name: &str| {
        let index = list.iter().position(|it| *it == name);
        index
            .and_then(|it| u8::try_from(it).ok())
            .unwrap_or_default()
    };
    let header = |target| {
        [
            newest(statements::VERSIONS, "9.3"),
            newest(statements::TARGETS, target),
            0,
        ]
    };
    let mut out = Vec::new();
    for fixture in fixtures::ptx() {
        let lines = fixture.text.lines().map(str::trim);
        let statements = lines.filter(|it| it.ends_with(';') && !it.starts_with('.'));
        let statements: Vec<&str> = statements.collect();
        for some in statements.chunks(6) {
            let text = some.join("\n") + "\n";
            out.push([&header("sm_100a"), text.as_bytes()].concat());
        }
    }
    let mut opcodes: Vec<&str> = isa::table::tables().opcodes().collect();
    opcodes.sort_unstable();
    for opcode in opcodes {
        for instruction in isa::table::tables().with_opcode(opcode) {
            let words: Vec<&str> = instruction
                .fixed
                .iter()
                .chain(&instruction.words)
                .copied()
                .collect();
            let text = format!("{opcode}.{} r, s1, [d+4], {{f, f}}, 1;\n", words.join("."));
            out.push([&header("sm_90a"), text.as_bytes()].concat());
        }
    }
    out
}

// ---- Settings --------------------------------------------------------------------------------------

fn all_settings() -> Vec<Vec<u8>> {
    let mut nested = serde_json::Map::new();
    let mut out = Vec::new();
    for setting in server::config::SETTINGS {
        out.push(json!({ setting.name: setting.default() }).to_string());
        if let Some((group, name)) = setting.name.split_once('.') {
            let group = nested.entry(group).or_insert_with(|| json!({}));
            group[name] = setting.default();
        }
    }
    out.push(json!({ "ptx-analyzer": nested }).to_string());
    out.extend(
        [
            json!({ "diagnostics": { "severity": { "unused-register": "error" } } }),
            json!({ "workspace": { "exclude": ["**/build/**", "a[!b]", "{a,b}", "\\*"] } }),
            json!({ "portability.targets": ["sm_80", "sm_90a"], "target": "sm_90" }),
            json!({ "ptxas": { "path": "", "timeout": 9 }, "log.level": "info" }),
        ]
        .map(|it| it.to_string()),
    );
    out.into_iter().map(String::into_bytes).collect()
}

// ---- Streams ---------------------------------------------------------------------------------------

/// The first byte says whether the rest is a stream or bodies of messages, one in each line.
fn one_stream(bytes: &[u8]) {
    match bytes.split_first() {
        Some((0, stream)) => streams::check([stream]),
        Some((_, bodies)) => {
            let bodies = String::from_utf8_lossy(bodies);
            let messages: Vec<Vec<u8>> = bodies.lines().map(streams::framed).collect();
            streams::check(messages.iter().map(Vec::as_slice));
        }
        None => {}
    }
}

fn sessions() -> Vec<Vec<u8>> {
    const URI: &str = "file:///ptx-analyzer-tests/a.ptx";
    const TEXT: &str = ".version 8.0\n.target sm_80\n.func f()\n{\n.reg .b32 r<4>;\nL: add.s32 r1, r2, r3;\nbra L;\n}\n";
    let message =
        |method: &str, params| json!({ "jsonrpc": "2.0", "method": method, "params": params });
    let document = json!({ "uri": URI, "languageId": "ptx", "version": 1, "text": TEXT });
    let edited = json!({
        "textDocument": { "uri": URI, "version": 2 },
        "contentChanges": [change((5, 3), (5, 6), "sub"), change((5, 0), (6, 0), "}\n")],
    });
    let begin = [
        message(
            "initialize",
            json!({ "processId": null, "capabilities": {} }),
        ),
        message("initialized", json!({})),
        message("textDocument/didOpen", json!({ "textDocument": document })),
    ];
    let mut middle = vec![
        message("textDocument/didChange", edited),
        message("textDocument/didClose", place(URI, 0, 0)),
        message("$/cancelRequest", json!({ "id": 3 })),
        message(
            "workspace/didChangeConfiguration",
            json!({ "settings": { "diagnostics": { "debounce": 0 } } }),
        ),
    ];
    let mut rng = Rng::with_seed(0);
    let at = &place(URI, 5, 4)["position"];
    for method in session::METHODS {
        let range = &change((2, 0), (6, 0), "")["range"];
        middle.push(message(method, session::params(&mut rng, URI, at, range)));
    }
    let end = [
        message("shutdown", json!(null)),
        message("exit", json!(null)),
    ];
    let whole = |some: &[serde_json::Value]| {
        let all = begin.iter().chain(some).chain(&end);
        let bodies = all.enumerate().map(|(id, message)| {
            let mut message = message.clone();
            let name = message["method"].as_str().unwrap_or_default();
            let tells =
                name.contains("/did") || ["initialized", "exit", "$/cancelRequest"].contains(&name);
            if !tells {
                message["id"] = json!(id);
            }
            message.to_string()
        });
        bodies.collect::<Vec<_>>()
    };
    let mut out = Vec::new();
    for some in middle.chunks(3) {
        let bodies = whole(some);
        out.push([b"\x01", bodies.join("\n").as_bytes()].concat());
        let stream = bodies.iter().map(|it| streams::framed(it));
        out.push([vec![0], stream.collect::<Vec<_>>().concat()].concat());
    }
    out
}
