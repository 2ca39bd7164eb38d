//! The outline of a file.

use isa::role::Role;
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, NodeOrToken, SyntaxKind, TextRange};

use crate::{
    DocumentSymbol, SymbolKind,
    db::SourceFile,
    demangle::{demangled, short_name},
    hir::tree::{self, OneLine, trimmed},
};

/// Functions with more parameters have them under one symbol, so that what follows is seen.
const FEW_PARAMETERS: usize = 4;
/// The detail of labels that a later branch goes back to.
const LOOP: &str = "loop";
/// Loops in each other at most, so that a walk over the tree needs little stack.
const MAX_LOOPS: usize = 32;

/// Directives of the module, variables, and functions with what they declare.
pub(crate) fn document_symbols(db: &dyn Database, file: SourceFile) -> Vec<DocumentSymbol> {
    let contents = file.contents(db);
    let mut symbols = Vec::new();
    for item in contents.tree.cursor().nodes() {
        db.unwind_if_revision_cancelled();
        collect(&item, &mut symbols);
    }
    symbols
}

/// Appends the symbols of an item or statement.
fn collect(node: &Cursor<'_>, symbols: &mut Vec<DocumentSymbol>) {
    match node.kind() {
        SyntaxKind::VERSION_DIRECTIVE
        | SyntaxKind::TARGET_DIRECTIVE
        | SyntaxKind::ADDRESS_SIZE_DIRECTIVE
        | SyntaxKind::PRAGMA => symbols.push(directive(node)),
        SyntaxKind::FILE_DIRECTIVE => symbols.push(file_directive(node)),
        SyntaxKind::ALIAS => symbols.extend(alias(node)),
        SyntaxKind::SECTION => symbols.push(section(node)),
        SyntaxKind::VARIABLE_DECLARATION => variables(node, symbols),
        SyntaxKind::FUNCTION => symbols.push(function(node)),
        SyntaxKind::BLOCK => statements(node, symbols, &mut Walk::default()),
        SyntaxKind::LABEL => symbols.extend(named(node, SymbolKind::Label, None)),
        _ => {}
    }
}

/// The facts about the statements before.
#[derive(Default)]
struct Walk<'a> {
    /// Whether the last one is a label.
    label_before: bool,
    /// The places of labels among the symbols.
    labels: FxHashMap<&'a str, usize>,
}

/// The symbols of statements; a label before a table belongs to the table, and one that a branch goes back to has all
/// up to that branch.
fn statements<'a>(node: &Cursor<'a>, symbols: &mut Vec<DocumentSymbol>, walk: &mut Walk<'a>) {
    for child in node.nodes() {
        match child.kind() {
            SyntaxKind::STATEMENT_RUN => {
                statements(&child, symbols, walk);
                continue;
            }
            SyntaxKind::BLOCK => {
                walk.label_before = false;
                statements(&child, symbols, walk);
                walk.label_before = false;
                continue;
            }
            SyntaxKind::INSTRUCTION => {
                for name in branch_targets(&child) {
                    let label = walk.labels.get(name).and_then(|it| symbols.get_mut(*it));
                    if let Some(label) = label {
                        label.detail = Some(LOOP.to_owned());
                        label.full_range = label.full_range.cover(trimmed(&child));
                    }
                }
                walk.label_before = false;
                continue;
            }
            SyntaxKind::LABEL => {
                if let Some(name) = tree::name(&child) {
                    walk.labels.insert(name.text(), symbols.len());
                }
            }
            _ => {}
        }
        let kind = match child.kind() {
            SyntaxKind::BRANCH_TARGETS | SyntaxKind::CALL_TARGETS => Some(SymbolKind::TargetList),
            SyntaxKind::CALL_PROTOTYPE => Some(SymbolKind::Prototype),
            _ => None,
        };
        match (kind, symbols.last_mut()) {
            (Some(kind), Some(label)) if walk.label_before => {
                let range = trimmed(&child);
                label.kind = kind;
                label.full_range = label.full_range.cover(range);
                let mut line = OneLine::default();
                line.push_node(&child);
                label.detail = Some(line.finish());
            }
            _ => collect(&child, symbols),
        }
        walk.label_before = child.kind() == SyntaxKind::LABEL;
    }
}

/// The labels that an instruction names, if it is a branch.
fn branch_targets<'a>(instruction: &Cursor<'a>) -> impl Iterator<Item = &'a str> {
    let opcode = instruction.token(SyntaxKind::IDENT);
    let branch =
        opcode.is_some_and(|it| isa::tables().role(it.text(), std::iter::empty) == Role::Branch);
    let names = instruction.nodes().filter(move |_| branch);
    let names = names.filter(|it| it.kind() == SyntaxKind::NAME_REFERENCE);
    names.filter_map(|it| Some(it.token(SyntaxKind::IDENT)?.text()))
}

/// Puts what is in a loop under the label at its head.
fn nested(flat: Vec<DocumentSymbol>) -> Vec<DocumentSymbol> {
    let mut symbols = Vec::new();
    let mut open: Vec<DocumentSymbol> = Vec::new();
    let close = |open: &mut Vec<DocumentSymbol>, symbols: &mut Vec<DocumentSymbol>| {
        let Some(last) = open.pop() else {
            return;
        };
        match open.last_mut() {
            Some(outer) => outer.children.push(last),
            None => symbols.push(last),
        }
    };
    for symbol in flat {
        while open
            .last()
            .is_some_and(|it| !it.full_range.contains_range(symbol.full_range))
        {
            close(&mut open, &mut symbols);
        }
        let is_loop = symbol.kind == SymbolKind::Label && symbol.detail.as_deref() == Some(LOOP);
        if is_loop && open.len() < MAX_LOOPS {
            open.push(symbol);
            continue;
        }
        match open.last_mut() {
            Some(outer) => outer.children.push(symbol),
            None => symbols.push(symbol),
        }
    }
    while !open.is_empty() {
        close(&mut open, &mut symbols);
    }
    symbols
}

/// The symbols of a list of parameters.
fn parameters(list: &Cursor<'_>) -> Vec<DocumentSymbol> {
    let all = list.nodes().filter_map(|parameter| {
        let mut detail = OneLine::default();
        detail.push_node(&parameter);
        named(&parameter, SymbolKind::Parameter, Some(detail.finish()))
    });
    let all: Vec<_> = all.collect();
    if all.len() <= FEW_PARAMETERS {
        return all;
    }
    let range = trimmed(list);
    vec![DocumentSymbol {
        name: format!("{} parameters", all.len()),
        detail: None,
        kind: SymbolKind::Parameter,
        full_range: range,
        focus_range: range,
        children: all,
    }]
}

/// A node that declares one name.
fn named(node: &Cursor<'_>, kind: SymbolKind, detail: Option<String>) -> Option<DocumentSymbol> {
    let name = tree::name(node)?;
    Some(DocumentSymbol {
        name: name.text().to_owned(),
        detail,
        kind,
        full_range: trimmed(node),
        focus_range: name.range(),
        children: Vec::new(),
    })
}

/// A directive as a whole; its text is its name.
fn directive(node: &Cursor<'_>) -> DocumentSymbol {
    let mut line = OneLine::default();
    line.push_node(node);
    let range = trimmed(node);
    DocumentSymbol {
        name: line.finish().trim_end_matches(';').to_owned(),
        detail: None,
        kind: SymbolKind::Directive,
        full_range: range,
        focus_range: range,
        children: Vec::new(),
    }
}

fn file_directive(node: &Cursor<'_>) -> DocumentSymbol {
    let mut symbol = directive(node);
    if let Some(path) = node.token(SyntaxKind::STRING) {
        let name = path.text().trim_matches('"');
        if !name.is_empty() {
            symbol.detail = Some(std::mem::replace(&mut symbol.name, name.to_owned()));
        }
        symbol.focus_range = path.range();
    }
    symbol.kind = SymbolKind::SourceFile;
    symbol
}

fn alias(node: &Cursor<'_>) -> Option<DocumentSymbol> {
    let mut names = node.nodes().filter_map(|it| it.token(SyntaxKind::IDENT));
    let name = names.next()?;
    Some(DocumentSymbol {
        name: name.text().to_owned(),
        detail: names.next().map(|it| format!(".alias of {}", it.text())),
        kind: SymbolKind::Alias,
        full_range: trimmed(node),
        focus_range: name.range(),
        children: Vec::new(),
    })
}

fn section(node: &Cursor<'_>) -> DocumentSymbol {
    let mut symbol = directive(node);
    symbol.kind = SymbolKind::Section;
    symbol.name = ".section".to_owned();
    if let Some(name) = node
        .tokens()
        .filter(|it| it.kind() == SyntaxKind::DOTTED)
        .nth(1)
    {
        symbol.name = name.text().to_owned();
        symbol.detail = Some(".section".to_owned());
        symbol.focus_range = name.range();
    }
    symbol.children = node
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::LABEL)
        .filter_map(|it| named(&it, SymbolKind::SectionLabel, None))
        .collect();
    symbol
}

fn variables(node: &Cursor<'_>, symbols: &mut Vec<DocumentSymbol>) {
    let kind = tree::variable_kind(node);
    let declarators: Vec<_> = node
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::DECLARATOR)
        .collect();
    let only = declarators.len() == 1;
    for declarator in declarators {
        let detail = tree::variable_text(node, &declarator);
        let Some(mut symbol) = named(&declarator, kind, Some(detail)) else {
            continue;
        };
        if only {
            symbol.full_range = trimmed(node);
        }
        symbols.push(symbol);
    }
}

fn function(node: &Cursor<'_>) -> DocumentSymbol {
    let entry = tree::has_word(node, ".entry");
    let mut children = Vec::new();
    let mut words = OneLine::default();
    let mut in_header = true;
    for child in node.children() {
        match child {
            NodeOrToken::Node(it) => match it.kind() {
                SyntaxKind::NAME => in_header = false,
                SyntaxKind::RETURN_LIST | SyntaxKind::PARAMETER_LIST => {
                    in_header = false;
                    children.extend(parameters(&it));
                }
                SyntaxKind::BLOCK => {
                    let mut inner = Vec::new();
                    statements(&it, &mut inner, &mut Walk::default());
                    children.extend(nested(inner));
                }
                _ => {}
            },
            NodeOrToken::Token(it) => {
                if in_header {
                    words.push(&it);
                }
            }
        }
    }
    let (name, focus_range) = match tree::name(node) {
        Some(name) => (name.text().to_owned(), name.range()),
        None => {
            let keyword = if entry { ".entry" } else { ".func" };
            let range = trimmed(node);
            (keyword.to_owned(), TextRange::empty(range.start()))
        }
    };
    let mut detail = words.finish();
    if let Some(found) = demangled(&name) {
        // As in `.visible .entry saxpy(int, float*)`.
        detail.push(' ');
        detail.push_str(&found.name);
    }
    DocumentSymbol {
        name: short_name(&name).into_owned(),
        detail: Some(detail),
        kind: if entry {
            SymbolKind::Entry
        } else {
            SymbolKind::Function
        },
        full_range: trimmed(node),
        focus_range,
        children,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::{FileId, FileRange, fixture::Fixture};

    fn show(fixture: &Fixture, symbols: &[DocumentSymbol], depth: usize, out: &mut String) {
        for symbol in symbols {
            assert!(symbol.full_range.contains_range(symbol.focus_range));
            let _ = writeln!(
                out,
                "{:depth$}{:?} {} [{}] {}",
                "",
                symbol.kind,
                symbol.name,
                symbol.detail.as_deref().unwrap_or_default(),
                fixture.show(FileRange {
                    file: FileId(0),
                    range: symbol.full_range
                }),
            );
            show(fixture, &symbol.children, depth + 2, out);
        }
    }

    fn check(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let symbols = fixture.host.analysis().document_symbols(FileId(0)).unwrap();
        let mut out = String::new();
        show(&fixture, &symbols, 0, &mut out);
        expect.assert_eq(&out);
    }

    #[test]
    fn outline_of_a_module() {
        check(
            r#".version 8.5
.target sm_90, debug
.file 1 "a.cu"
.global .align 4 .b8 t[4] = {1, 2}, u; // comment
.alias a, b;
// Adds.
.visible .func (.param .b32 ret) f(.param .b32 x,
    .reg .b32 y) {
    .reg .b32 %r<4>;
L: { .shared .f32 s; M: ret; }
p: .callprototype _ (.param .b32 _);
}
.entry k;
.section .debug_info { info: .b8 1 }
"#,
            expect![[r#"
                Directive .version 8.5 [] 1:1 .version 8.5
                Directive .target sm_90, debug [] 2:1 .target sm_90, debug
                SourceFile a.cu [.file 1 "a.cu"] 3:1 .file 1 "a.cu"
                Variable t [.global .align 4 .b8 t[4]] 4:22 t[4] = {1, 2}
                Variable u [.global .align 4 .b8 u] 4:37 u
                Alias a [.alias of b] 5:1 .alias a, b;
                Function f [.visible .func] 7:1 .visible .func (.param .b32 ret) f(.param .b32 x,
                  Parameter ret [.param .b32 ret] 7:17 .param .b32 ret
                  Parameter x [.param .b32 x] 7:36 .param .b32 x
                  Parameter y [.reg .b32 y] 8:5 .reg .b32 y
                  Register %r [.reg .b32 %r<4>] 9:5 .reg .b32 %r<4>;
                  Label L [] 10:1 L:
                  Variable s [.shared .f32 s] 10:6 .shared .f32 s;
                  Label M [] 10:22 M:
                  Prototype p [.callprototype _ (.param .b32 _);] 11:1 p: .callprototype _ (.param .b32 _);
                Entry k [.entry] 13:1 .entry k;
                Section .debug_info [.section] 14:1 .section .debug_info { info: .b8 1 }
                  SectionLabel info [] 14:24 info:
            "#]],
        );
    }

    #[test]
    fn loops_hold_what_is_in_them() {
        check(
            ".entry k(.param .b32 a, .param .b32 b, .param .b32 c, .param .b32 d, .param .b32 e)\n{\nA:\nB: ret;\n@p bra B;\n{ C: ret; }\nbra.uni A;\nD: bra E;\nE: bra B;\nbra F;\n}\n",
            expect![[r#"
                Entry k [.entry] 1:1 .entry k(.param .b32 a, .param .b32 b, .param .b32 c, .param .b32 d, .param .b32 e)
                  Parameter 5 parameters [] 1:9 (.param .b32 a, .param .b32 b, .param .b32 c, .param .b32 d, .param .b32 e)
                    Parameter a [.param .b32 a] 1:10 .param .b32 a
                    Parameter b [.param .b32 b] 1:25 .param .b32 b
                    Parameter c [.param .b32 c] 1:40 .param .b32 c
                    Parameter d [.param .b32 d] 1:55 .param .b32 d
                    Parameter e [.param .b32 e] 1:70 .param .b32 e
                  Label A [loop] 3:1 A:
                  Label B [loop] 4:1 B: ret;
                    Label C [] 6:3 C:
                    Label D [] 8:1 D:
                    Label E [] 9:1 E:
            "#]],
        );
    }

    #[test]
    fn mangled_names_are_explained() {
        check(
            ".visible .entry _Z5saxpyifPfS_(.param .u32 _Z5saxpyifPfS__param_0) { }\n.func _Z;\n",
            expect![[r#"
                Entry saxpy [.visible .entry saxpy(int, float, float*, float*)] 1:1 .visible .entry _Z5saxpyifPfS_(.param .u32 _Z5saxpyifPfS__param_0) { }
                  Parameter _Z5saxpyifPfS__param_0 [.param .u32 _Z5saxpyifPfS__param_0] 1:32 .param .u32 _Z5saxpyifPfS__param_0
                Function _Z [.func] 2:1 .func _Z;
            "#]],
        );
    }

    #[test]
    fn broken_text_has_an_outline() {
        check(
            ".func (.reg .b32 ) { .reg .b32 %r<; L: x y z }\n.entry {",
            expect![[r#"
                Function .func [.func] 1:1 .func (.reg .b32 ) { .reg .b32 %r<; L: x y z }
                  Register %r [.reg .b32 %r<] 1:22 .reg .b32 %r<;
                  Label L [] 1:37 L:
                Entry .entry [.entry] 2:1 .entry {
            "#]],
        );
    }
}
