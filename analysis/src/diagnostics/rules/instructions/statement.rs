//! One statement: taken apart, compared with the tables, and looked at by the lints.

use isa::{
    matcher::{Outcome, Statement},
    matching::match_statement,
    operand::Operand,
    table::tables,
    target::Module,
};
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange};

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        lints::{self, addresses::Named, statement::Accepted},
        registry::{IGNORED_MODIFIER, INVALID_OPERAND, REGISTER_PLUS_CONSTANT},
        rules::instructions::{memo, modifier_fixes, rejected::Found},
    },
    hir::{
        operand::{describe, operand},
        tree::trimmed,
    },
};

/// Findings of a function that get fixes; a file with more is no work of hands.
const MAX_FIXED: usize = 500;

/// Judges statements one after the other, with memory that serves them all.
#[derive(Default)]
pub(in crate::diagnostics) struct Judge<'a> {
    nodes: Vec<Cursor<'a>>,
    modifiers: Vec<CursorToken<'a>>,
    words: Vec<&'a str>,
    operands: Vec<Operand>,
}

impl<'a> Judge<'a> {
    /// Finds what is wrong with a statement, and what else is to be said about it.
    pub(in crate::diagnostics) fn statement(
        &mut self,
        instruction: &Cursor<'a>,
        module: Module,
        forced: bool,
        resolve: &dyn Fn(TextRange, &str) -> Operand,
        named: &dyn Fn(TextRange) -> Option<Named>,
        findings: &mut Vec<Finding>,
    ) {
        let Some(opcode) = self.read(instruction, resolve, findings) else {
            return;
        };
        let Judge {
            nodes,
            modifiers,
            words,
            operands,
        } = self;
        let statement = Statement {
            opcode: opcode.text(),
            words,
            operands,
            module,
        };
        let problems = if memo::is_known(&statement) {
            Vec::new()
        } else {
            match match_statement(tables(), &statement) {
                Outcome::Fit(fit) => {
                    let before = findings.len();
                    warn(&fit.ignored, modifiers, nodes, operands, findings);
                    let accepted = Accepted {
                        opcode,
                        modifiers,
                        nodes,
                        statement: &statement,
                        fit: &fit,
                    };
                    lints::statement::check(&accepted, findings);
                    if findings.len() == before {
                        memo::remember(&statement);
                    }
                    Vec::new()
                }
                Outcome::Mismatch(problems) => problems,
            }
        };
        if problems.is_empty() {
            elements(nodes, named, findings);
            lints::statement::access(opcode.text(), modifiers, nodes, named, findings);
            return;
        }
        let found = Found {
            opcode,
            modifiers,
            nodes,
            operands,
            module,
            forced,
        };
        for problem in &problems {
            let mut finding = found.finding(problem);
            if findings.len() < MAX_FIXED {
                finding.fixes = modifier_fixes::fixes(&found, problem, &problems);
            }
            findings.push(finding);
        }
    }

    /// Takes a statement apart. Returns its opcode, if it has one.
    fn read(
        &mut self,
        instruction: &Cursor<'a>,
        resolve: &dyn Fn(TextRange, &str) -> Operand,
        findings: &mut Vec<Finding>,
    ) -> Option<CursorToken<'a>> {
        self.nodes.clear();
        self.modifiers.clear();
        self.words.clear();
        self.operands.clear();
        let mut opcode = None;
        for child in instruction.children() {
            match child {
                NodeOrToken::Token(token) => match token.kind() {
                    SyntaxKind::IDENT if opcode.is_none() => opcode = Some(token),
                    SyntaxKind::DOTTED => {
                        self.modifiers.push(token);
                        self.words.push(&token.text()[1..]);
                    }
                    _ => {}
                },
                NodeOrToken::Node(node) => match node.kind() {
                    SyntaxKind::GUARD => guard(&node, resolve, findings),
                    SyntaxKind::ERROR => {}
                    _ => {
                        self.nodes.push(node);
                        self.operands.push(operand(&node, resolve));
                    }
                },
            }
        }
        opcode
    }
}

/// What ptxas 13.5 accepts by accident: words that it reads over, and a register plus a constant as data,
/// which it takes or refuses depending on text elsewhere.
fn warn(
    ignored: &[usize],
    modifiers: &[CursorToken<'_>],
    nodes: &[Cursor<'_>],
    operands: &[Operand],
    findings: &mut Vec<Finding>,
) {
    for modifier in ignored.iter().filter_map(|it| modifiers.get(*it)) {
        findings.push(finding(
            modifier.range(),
            IGNORED_MODIFIER,
            format!("ptxas reads over `{}` here", modifier.text()),
            None,
        ));
    }
    for (node, operand) in nodes.iter().zip(operands) {
        if matches!(operand, Operand::Offset(base, _) if matches!(**base, Operand::Register { .. }))
        {
            findings.push(finding(
                trimmed(node),
                REGISTER_PLUS_CONSTANT,
                "a register plus a constant is an address, not data".to_owned(),
                Some("add the constant with an `add` instruction".to_owned()),
            ));
        }
    }
}

/// Elements of variables that are no arrays.
fn elements(
    nodes: &[Cursor<'_>],
    named: &dyn Fn(TextRange) -> Option<Named>,
    findings: &mut Vec<Finding>,
) {
    for node in nodes {
        if node.kind() != SyntaxKind::INDEX_EXPRESSION {
            continue;
        }
        let Some(name) = node.node(SyntaxKind::NAME_REFERENCE) else {
            continue;
        };
        let range = trimmed(&name);
        if let Some(named) = named(range).filter(Named::is_scalar) {
            let text = name.tokens().next().map_or("", |it| it.text());
            let mut finding = finding(
                trimmed(node),
                INVALID_OPERAND,
                format!("`{text}` is no array, so it has no elements"),
                Some(format!(
                    "its address plus a constant is written `[{text}+4]`"
                )),
            );
            finding.related = vec![(named.declared(), "declared here")];
            findings.push(finding);
        }
    }
}

/// The predicate of a guard.
fn guard(
    node: &Cursor<'_>,
    resolve: &dyn Fn(TextRange, &str) -> Operand,
    findings: &mut Vec<Finding>,
) {
    use isa::types::Class;
    let Some(name) = node.node(SyntaxKind::NAME_REFERENCE) else {
        return;
    };
    match operand(&name, resolve) {
        Operand::Unknown
        | Operand::Register {
            class: Class::Pred,
            lanes: 1,
        }
        | Operand::Special {
            class: Class::Pred, ..
        } => {}
        other => findings.push(finding(
            name.range(),
            INVALID_OPERAND,
            format!(
                "a guard needs a .pred register; this is {}",
                describe(&other)
            ),
            None,
        )),
    }
}
