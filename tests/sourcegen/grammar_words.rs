//! A test of the TextMate grammar with all words from the tables, so that the grammar follows them.

use std::{collections::BTreeSet, fmt::Write as _};

use isa::{
    documentation::{self, Topic},
    special::SPECIAL_REGISTERS,
    table::tables,
    word_class::{self, WordClass},
};

/// Opcodes that the grammar colours as control flow.
const FLOW: &[&str] = &["bra", "brkpt", "brx", "call", "exit", "ret", "trap"];

/// Writes `grammar-tests/words.test.ptx` of the VS Code extension.
pub(crate) fn generate() -> String {
    let mut out = "// SYNTAX TEST \"source.ptx\" \"every word of the tables\"\n\
                   // Written by `UPDATE=1 cargo test -p ptx-analyzer-tests --test sourcegen`.\n\n"
        .to_owned();
    for entry in documentation::entries(Topic::Directives) {
        for word in entry.words.iter().filter(|it| it.starts_with('.')) {
            // A state space begins a declaration, and its own line would have to end.
            if word_class::is_state_space(word) {
                continue;
            }
            let scope = match *word {
                ".entry" | ".func" => "storage.type.function.ptx",
                ".extern" | ".visible" | ".weak" | ".common" => "storage.modifier.linkage.ptx",
                ".byte" | ".4byte" | ".quad" => "support.type.ptx",
                ".align" | ".ptr" => "storage.modifier.ptx",
                _ => "keyword.other.directive.ptx",
            };
            let rest = match *word {
                ".version" => " 9.5",
                ".address_size" => " 64",
                ".section" => " .debug_str { }",
                _ => ";",
            };
            assertion(&mut out, "    ", word, rest, scope);
        }
    }
    out.push_str("{\n");
    let opcodes: BTreeSet<_> = tables().opcodes().collect();
    for opcode in opcodes {
        let scope = match FLOW.contains(&opcode) {
            true => "support.function.mnemonic.flow.ptx",
            false => "support.function.mnemonic.ptx",
        };
        assertion(&mut out, "    ", opcode, ";", scope);
    }
    let types = documentation::entries(Topic::Types);
    let is_type = |word: &str| types.iter().any(|it| it.words.contains(&word));
    let words: BTreeSet<_> = tables()
        .instructions()
        .flat_map(|it| it.words.iter().chain(&it.fixed))
        .map(|it| format!(".{it}"))
        .collect();
    for word in words {
        let scope = match word_class::classify(&word) {
            WordClass::Type if word_class::vector_length(&word).is_some() => {
                "support.type.vector.ptx"
            }
            WordClass::Type => "support.type.ptx",
            WordClass::StateSpace => "storage.type.state-space.ptx",
            WordClass::Modifier if is_type(&word) => "support.type.ptx",
            WordClass::Modifier => "storage.modifier.ptx",
        };
        assertion(&mut out, "    op", &word, ";", scope);
    }
    for register in SPECIAL_REGISTERS {
        let scope = "variable.language.special-register.ptx";
        for number in [0, 1] {
            let name = register.written(Some(number));
            if number == 0 || name.ends_with(|it: char| it.is_ascii_digit()) {
                assertion(&mut out, "    op ", &name, ";", scope);
            }
        }
    }
    out.push_str("}\n");
    out
}

/// A line with a word, and the scope that the word must have.
fn assertion(out: &mut String, before: &str, word: &str, after: &str, scope: &str) {
    let _ = writeln!(out, "{before}{word}{after}");
    let marks = "^".repeat(word.len());
    let _ = writeln!(out, "//{:1$}{marks} {scope}", "", before.len() - 2);
}
