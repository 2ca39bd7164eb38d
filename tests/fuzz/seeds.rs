//! Writes what the fuzz targets begin with: for each target a folder of inputs, and a dictionary.
//!
//! `tests/fuzz/run` starts this program.

use std::{collections::BTreeSet, path::PathBuf};

use anyhow::Context as _;
use ptx_tests::{
    mutate,
    properties::{inputs, statements},
    session,
};

fn main() -> anyhow::Result<()> {
    let folder = std::env::args_os().nth(1).context("the name of a folder")?;
    let folder = PathBuf::from(folder);
    for target in inputs::TARGETS {
        let seeds = folder.join(target.name);
        std::fs::create_dir_all(&seeds)?;
        for (index, seed) in (target.seeds)().into_iter().enumerate() {
            std::fs::write(seeds.join(format!("seed-{index}")), seed)?;
        }
    }
    std::fs::write(folder.join("dictionary"), dictionary())?;
    Ok(())
}

/// Words that no fuzzer would find soon, in the notation of libFuzzer.
fn dictionary() -> String {
    let tables = isa::table::tables();
    let mut words: BTreeSet<&str> = tables.opcodes().collect();
    for opcode in tables.opcodes() {
        for instruction in tables.with_opcode(opcode) {
            words.extend(&instruction.words);
        }
    }
    words.extend(statements::TARGETS);
    words.extend(session::METHODS);
    words.extend(server::config::SETTINGS.iter().map(|it| it.name));
    words.extend(mutate::pieces());
    let escaped = |word: &str| {
        let escape = |byte: u8| match byte {
            b'"' | b'\\' => format!("\\{}", char::from(byte)),
            b' '..=b'~' => char::from(byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        };
        let word: String = word.bytes().map(escape).collect();
        format!("\"{word}\"\n")
    };
    words
        .into_iter()
        .filter(|it| !it.is_empty())
        .map(escaped)
        .collect()
}
