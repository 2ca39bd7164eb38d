//! Semantic highlighting: every token of the language, names by what they mean.

use isa::word_class::{WordClass, classify};
use salsa::Database;
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange, TextSize};

use crate::{
    SemanticToken, SymbolKind, TokenModifiers, TokenType,
    db::SourceFile,
    hir::{
        body::{Body, Target, body},
        items::{item_offsets, items},
        module::{
            DeclarationKind, DeclarationSource, ModuleBody, module_body, module_scope, signature,
        },
    },
};

/// The tokens of a file that touch `range`, or all of them. Punctuation has none; comments and other
/// tokens may span lines.
pub(crate) fn semantic_tokens(
    db: &dyn Database,
    file: SourceFile,
    range: Option<TextRange>,
) -> Vec<SemanticToken> {
    let contents = file.contents(db);
    let root = contents.tree.cursor();
    let mut highlighter = Highlighter {
        db,
        file,
        module: module_body(db, items(db, file).module),
        range: range.unwrap_or(root.range()),
        tokens: Vec::new(),
    };
    let (functions, others) = {
        let offsets = item_offsets(db, file);
        (&offsets.functions, &offsets.module)
    };
    let (mut function, mut other) = (0, 0);
    for child in root.children() {
        match child {
            NodeOrToken::Token(token) => {
                highlighter.token(
                    &token,
                    SyntaxKind::SOURCE_FILE,
                    SyntaxKind::SOURCE_FILE,
                    &NameScope::None,
                );
            }
            NodeOrToken::Node(node) => {
                let is_function = node.kind() == SyntaxKind::FUNCTION;
                let index = if is_function {
                    &mut function
                } else {
                    &mut other
                };
                let own = *index;
                *index += 1;
                if !highlighter.touches(node.range()) {
                    continue;
                }
                db.unwind_if_revision_cancelled();
                let scope = if is_function {
                    let function = items(db, file).functions[own];
                    let defined = signature(db, function).defined;
                    NameScope::Function(body(db, function), functions[own], defined)
                } else {
                    NameScope::Other(own as u32, others[own])
                };
                highlighter.node(&node, SyntaxKind::SOURCE_FILE, &scope);
            }
        }
    }
    highlighter.tokens
}

/// Where names are looked up.
enum NameScope<'a> {
    None,
    /// A function, its start, and whether it has a body.
    Function(&'a Body, TextSize, bool),
    /// Index of another item and its start.
    Other(u32, TextSize),
}

struct Highlighter<'db> {
    db: &'db dyn Database,
    file: SourceFile,
    module: &'db ModuleBody,
    range: TextRange,
    tokens: Vec<SemanticToken>,
}

type Style = (TokenType, TokenModifiers);

const PLAIN: TokenModifiers = TokenModifiers(0);

impl Highlighter<'_> {
    fn touches(&self, range: TextRange) -> bool {
        range.intersect(self.range).is_some()
    }

    fn node(&mut self, node: &Cursor<'_>, parent: SyntaxKind, scope: &NameScope<'_>) {
        let kind = node.kind();
        for child in node.children() {
            match child {
                NodeOrToken::Node(child) => {
                    if self.touches(child.range()) {
                        self.node(&child, kind, scope);
                    }
                }
                NodeOrToken::Token(token) => self.token(&token, kind, parent, scope),
            }
        }
    }

    /// A token with the kinds of the node around it and of the one around that.
    fn token(
        &mut self,
        token: &CursorToken<'_>,
        node: SyntaxKind,
        parent: SyntaxKind,
        scope: &NameScope<'_>,
    ) {
        if !self.touches(token.range()) {
            return;
        }
        let style = match token.kind() {
            SyntaxKind::IDENT => self.word(token, node, parent, scope),
            SyntaxKind::DOTTED => Some((dotted(token.text(), node), PLAIN)),
            kind => plain(kind).map(|it| (it, PLAIN)),
        };
        if let Some((token_type, modifiers)) = style {
            self.tokens.push(SemanticToken {
                range: token.range(),
                token_type,
                modifiers,
            });
        }
    }

    fn word(
        &self,
        token: &CursorToken<'_>,
        node: SyntaxKind,
        parent: SyntaxKind,
        scope: &NameScope<'_>,
    ) -> Option<Style> {
        let style = match node {
            SyntaxKind::INSTRUCTION => (TokenType::Opcode, PLAIN),
            SyntaxKind::TARGET_WORD | SyntaxKind::LITERAL => {
                (TokenType::Constant, TokenModifiers::READONLY)
            }
            SyntaxKind::FIELD_INITIALIZER => (TokenType::Modifier, PLAIN),
            SyntaxKind::LOC_DIRECTIVE => (TokenType::Directive, PLAIN),
            SyntaxKind::DWARF_LINE => (TokenType::Macro, PLAIN),
            SyntaxKind::NAME_REFERENCE if parent == SyntaxKind::FIELD_INITIALIZER => {
                (TokenType::Constant, TokenModifiers::READONLY)
            }
            SyntaxKind::NAME_REFERENCE
                if parent == SyntaxKind::APPLY_EXPRESSION && token.text() == "generic" =>
            {
                (TokenType::Operator, PLAIN)
            }
            SyntaxKind::NAME => self.declaration(token, parent, scope),
            SyntaxKind::NAME_REFERENCE => self
                .reference(token, scope)
                .unwrap_or_else(|| unknown(token.text())),
            _ => return None,
        };
        Some(style)
    }

    fn declaration(
        &self,
        token: &CursorToken<'_>,
        parent: SyntaxKind,
        scope: &NameScope<'_>,
    ) -> Style {
        let defined = TokenModifiers::DECLARATION.with(TokenModifiers::DEFINITION);
        let kind = match (scope, parent) {
            (_, SyntaxKind::FUNCTION) => {
                // A prototype inside a body has no body of its own.
                let modifiers = match scope {
                    NameScope::Function(body, start, true)
                        if body.name.map(|it| it + *start) == Some(token.range()) =>
                    {
                        defined
                    }
                    _ => TokenModifiers::DECLARATION,
                };
                return (TokenType::Function, modifiers);
            }
            (NameScope::Function(body, start, _), _) => body
                .definition_at(token.range() - *start)
                .map_or(SymbolKind::Parameter, |it| body.definition(it).kind),
            (_, SyntaxKind::LABEL) => SymbolKind::SectionLabel,
            (NameScope::Other(item, start), _) => {
                let key = (*item, token.range().start() - *start);
                let found = self
                    .module
                    .variables
                    .binary_search_by_key(&key, |it| (it.item, it.name_range.start()));
                found.map_or(SymbolKind::Variable, |it| self.module.variables[it].kind)
            }
            (NameScope::None, _) => SymbolKind::Variable,
        };
        (style_of(kind), defined)
    }

    fn reference(&self, token: &CursorToken<'_>, scope: &NameScope<'_>) -> Option<Style> {
        match scope {
            NameScope::None => None,
            NameScope::Other(..) => self.module_name(token.text()),
            NameScope::Function(body, start, _) => {
                let reference = body.reference_at(token.range() - *start)?;
                let (token_type, modifiers) = match reference.target {
                    Target::Definition(id) => (style_of(body.definition(id).kind), PLAIN),
                    Target::Special(_) => (TokenType::SpecialRegister, TokenModifiers::READONLY),
                    Target::WarpSize => (TokenType::Constant, TokenModifiers::READONLY),
                    Target::Free(free) => self.module_name(&body.free[free as usize])?,
                    Target::Section(_) => (TokenType::Label, PLAIN),
                };
                let write = if reference.write {
                    TokenModifiers::MODIFICATION
                } else {
                    PLAIN
                };
                Some((token_type, modifiers.with(write)))
            }
        }
    }

    fn module_name(&self, name: &str) -> Option<Style> {
        let first = module_scope(self.db, self.file).find(name).first()?;
        let token_type = match (first.kind, first.source) {
            (DeclarationKind::Variable, DeclarationSource::Variable(index)) => {
                style_of(self.module.variables[index as usize].kind)
            }
            _ => TokenType::Function,
        };
        Some((token_type, PLAIN))
    }
}

/// The type of a token whose kind says everything.
fn plain(kind: SyntaxKind) -> Option<TokenType> {
    Some(match kind {
        SyntaxKind::LINE_COMMENT | SyntaxKind::BLOCK_COMMENT => TokenType::Comment,
        SyntaxKind::LINE_MARKER => TokenType::Macro,
        SyntaxKind::STRING | SyntaxKind::RAW_TEXT => TokenType::String,
        SyntaxKind::INTEGER | SyntaxKind::FLOAT => TokenType::Number,
        SyntaxKind::WHITESPACE
        | SyntaxKind::BAD_NUMBER
        | SyntaxKind::UNTERMINATED
        | SyntaxKind::UNKNOWN
        | SyntaxKind::BACKSLASH
        | SyntaxKind::L_PAREN
        | SyntaxKind::R_PAREN
        | SyntaxKind::L_BRACE
        | SyntaxKind::R_BRACE
        | SyntaxKind::L_BRACKET
        | SyntaxKind::R_BRACKET
        | SyntaxKind::COMMA
        | SyntaxKind::SEMICOLON
        | SyntaxKind::COLON => return None,
        _ => TokenType::Operator,
    })
}

/// The type of a dotted word in a node of this kind.
fn dotted(word: &str, node: SyntaxKind) -> TokenType {
    match (node, classify(word)) {
        (SyntaxKind::NAME_REFERENCE, _) => TokenType::Label,
        (SyntaxKind::MEMBER_EXPRESSION, _) => TokenType::Modifier,
        (_, WordClass::Type) => TokenType::Type,
        (_, WordClass::StateSpace) => TokenType::StateSpace,
        (SyntaxKind::INSTRUCTION, WordClass::Modifier) => TokenType::Modifier,
        (_, WordClass::Modifier) => TokenType::Directive,
    }
}

fn style_of(kind: SymbolKind) -> TokenType {
    match kind {
        SymbolKind::Entry | SymbolKind::Function | SymbolKind::Prototype | SymbolKind::Alias => {
            TokenType::Function
        }
        SymbolKind::Variable => TokenType::Variable,
        SymbolKind::Parameter => TokenType::Parameter,
        SymbolKind::Register => TokenType::Register,
        SymbolKind::SpecialRegister => TokenType::SpecialRegister,
        SymbolKind::Label
        | SymbolKind::TargetList
        | SymbolKind::SectionLabel
        | SymbolKind::Section
        | SymbolKind::WarpRole => TokenType::Label,
        SymbolKind::SourceFile | SymbolKind::Directive => TokenType::Directive,
    }
}

/// A guess for a name without a declaration.
fn unknown(name: &str) -> Style {
    let token_type = if name.starts_with('%') {
        TokenType::Register
    } else {
        TokenType::Variable
    };
    (token_type, PLAIN)
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::{Expect, expect};

    use super::*;
    use crate::{FileId, fixture::Fixture};

    fn show(text: &str, range: Option<TextRange>) -> String {
        let fixture = Fixture::new(text);
        let text = &fixture.files[0].1;
        let tokens = fixture
            .host
            .analysis()
            .semantic_tokens(FileId(0), range)
            .unwrap();
        let sorted = tokens
            .windows(2)
            .all(|it| it[0].range.end() <= it[1].range.start());
        assert!(sorted);
        let mut out = String::new();
        for token in tokens {
            let _ = write!(out, "{:?}", token.token_type);
            for (modifier, name) in [
                (TokenModifiers::DECLARATION, "declaration"),
                (TokenModifiers::DEFINITION, "definition"),
                (TokenModifiers::READONLY, "readonly"),
                (TokenModifiers::MODIFICATION, "modification"),
            ] {
                if token.modifiers.0 & modifier.0 != 0 {
                    let _ = write!(out, " {name}");
                }
            }
            let _ = writeln!(out, ": {}", &text[token.range]);
        }
        out
    }

    fn check(text: &str, expect: Expect) {
        expect.assert_eq(&show(text, None));
    }

    #[test]
    fn declarations() {
        check(
            "# 1 \"a\"\n.version 8.5 // c\n.target sm_90\n.extern .func f;\n.visible .global .align 4 .v2 .f32 g[2] = {0f00000000, generic(h)};\n.global .texref t = {filter_mode = nearest};",
            expect![[r#"
                Macro: # 1 "a"
                Directive: .version
                Number: 8.5
                Comment: // c
                Directive: .target
                Constant readonly: sm_90
                Directive: .extern
                Directive: .func
                Function declaration: f
                Directive: .visible
                StateSpace: .global
                Directive: .align
                Number: 4
                Type: .v2
                Type: .f32
                Variable declaration definition: g
                Number: 2
                Operator: =
                Number: 0f00000000
                Operator: generic
                Variable: h
                StateSpace: .global
                Type: .texref
                Variable declaration definition: t
                Operator: =
                Modifier: filter_mode
                Operator: =
                Constant readonly: nearest
            "#]],
        );
    }

    #[test]
    fn statements() {
        check(
            ".func f;\n.global .b32 g;\n.entry k(.param .b64 p) .maxntid 32 {\n.reg .b32 %r<4>;\nL: @!%r1 ld.relaxed.gpu.global.v2.b32 {%r1, _}, [g+4];\nmov.b32 %r0, %tid.x;\nadd.s32 %r1, q, %s;\ncall f;\nbra L;\n}\n.section .debug_info { l: .b32 .debug_str }",
            expect![[r#"
                Directive: .func
                Function declaration: f
                StateSpace: .global
                Type: .b32
                Variable declaration definition: g
                Directive: .entry
                Function declaration definition: k
                StateSpace: .param
                Type: .b64
                Parameter declaration definition: p
                Directive: .maxntid
                Number: 32
                StateSpace: .reg
                Type: .b32
                Register declaration definition: %r
                Operator: <
                Number: 4
                Operator: >
                Label declaration definition: L
                Operator: @
                Operator: !
                Register: %r1
                Opcode: ld
                Modifier: .relaxed
                Modifier: .gpu
                StateSpace: .global
                Type: .v2
                Type: .b32
                Register modification: %r1
                Operator: _
                Variable: g
                Operator: +
                Number: 4
                Opcode: mov
                Type: .b32
                Register modification: %r0
                SpecialRegister readonly: %tid
                Modifier: .x
                Opcode: add
                Type: .s32
                Register modification: %r1
                Variable: q
                Register: %s
                Opcode: call
                Function: f
                Opcode: bra
                Label: L
                Directive: .section
                Directive: .debug_info
                Label declaration definition: l
                Type: .b32
                Label: .debug_str
            "#]],
        );
    }

    #[test]
    fn a_part_of_the_file() {
        let text = ".func f { ret; }\n.func g { add.s32 a, b, c; }\n.func h { ret; }";
        let range = TextRange::new(31.into(), 36.into());
        expect![[r#"
            Type: .s32
            Variable: a
        "#]]
        .assert_eq(&show(text, Some(range)));
    }
}
