//! Directives: what a module starts with, and what declares neither a variable nor a function.

mod alias;
mod attributes;
mod debug;
mod module_header;

mod numbers;
mod pragma;
mod sections;
mod target_words;
#[cfg(test)]
mod tests;
mod tuning;

pub(crate) use debug::locations_of;
use isa::{directive::gate, target::Module};
use salsa::Database;
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange};

use crate::{
    Severity,
    db::SourceFile,
    hir::{
        declared::header,
        in_force::{in_force, in_force_at_item},
        items::{Function, items},
    },
};

use super::{
    Finding, ItemIndex, fix::Repair, instruction_fixes::change_header, instructions::gate_finding,
    torn::Torn,
};
use crate::FixKind;

/// The header of the module, and directives between the functions.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    module_header::in_module(db, file, findings);
    debug::in_module(db, file, findings);
    alias::in_module(db, file, findings);
    let header = header(db, file);
    for (index, item) in (0u32..).zip(items(db, file).module.items(db)) {
        let cursor = item.green.cursor();
        let mut found = Vec::new();
        let module = in_force_at_item(db, file, index);
        let judge = Judge {
            module,
            fixed: header.forced || module.is_none_or(|it| header.target != Some(it.target)),
        };
        words(&cursor, &mut |word| judge.word(&word, &mut found));
        match cursor.kind() {
            SyntaxKind::FILE_DIRECTIVE => debug::file(&cursor, &judge, &mut found),
            SyntaxKind::SECTION => sections::section(&cursor, &judge, &mut found),
            SyntaxKind::DWARF_LINE => sections::dwarf_line(&cursor, &judge, &mut found),
            SyntaxKind::PRAGMA => pragma::check(&cursor, false, &judge, &mut found),
            _ => {}
        }
        // What the parser has reported needs no second finding.
        found.retain(|it| {
            !item
                .errors
                .iter()
                .any(|error| touches(error.range, it.range))
        });
        findings.extend(found.into_iter().map(|it| (ItemIndex::Other(index), it)));
    }
}

/// Directives in the header and in the body of a function.
pub(super) fn in_function(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let cursor = function.green(db).cursor();
    let in_force = in_force(db, function);
    let header = header(db, function.file(db));
    let judge = |range: TextRange| {
        let module = in_force.map(|it| it.at(range.start()));
        Judge {
            module,
            fixed: header.forced || module.is_none_or(|it| header.target != Some(it.target)),
        }
    };
    let mut found = Vec::new();
    words(&cursor, &mut |word| {
        judge(word.range()).word(&word, &mut found)
    });
    attributes::check(&cursor, &judge(TextRange::default()), &mut found);
    tuning::in_header(&cursor, &mut found);
    tuning::special_registers(db, function, &cursor, &mut found);
    for pragma in cursor.nodes().filter(|it| it.kind() == SyntaxKind::PRAGMA) {
        pragma::check(&pragma, false, &judge(pragma.range()), &mut found);
    }
    let mut locations = debug::Locations::new(db, function);
    statements(&cursor, &mut |statement| match statement.kind() {
        SyntaxKind::PRAGMA => pragma::check(statement, true, &judge(statement.range()), &mut found),
        SyntaxKind::FUNCTION => {
            attributes::check(statement, &judge(statement.range()), &mut found);
            tuning::in_header(statement, &mut found);
        }
        SyntaxKind::LOC_DIRECTIVE => {
            locations.check(statement, &judge(statement.range()), &mut found);
        }
        SyntaxKind::TARGET_DIRECTIVE => {
            module_header::in_body(
                db,
                function,
                statement,
                &judge(statement.range()),
                &mut found,
            );
        }
        SyntaxKind::ALIAS => alias::in_body(db, function, statement, &mut found),
        _ => {}
    });
    let errors = function.errors(db);
    let torn = Torn::new(errors);
    found.retain(|it| {
        !torn.meets(it.range) || !errors.iter().any(|error| touches(error.range, it.range))
    });
    findings.extend(found);
}

/// Whether two ranges share something; an empty one lies at a place.
fn touches(error: TextRange, range: TextRange) -> bool {
    error
        .intersect(range)
        .is_some_and(|it| !it.is_empty() || error.is_empty())
}

/// Calls `act` for each statement of a body, in the order of the text.
fn statements<'a>(node: &Cursor<'a>, act: &mut impl FnMut(&Cursor<'a>)) {
    for child in node.nodes() {
        match child.kind() {
            SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN => statements(&child, act),
            _ if node.kind() == SyntaxKind::STATEMENT_RUN => act(&child),
            _ => {}
        }
    }
}

/// What a directive is judged against.
#[derive(Clone, Copy)]
struct Judge {
    /// The version and the target in force; `None` if the module does not say.
    module: Option<Module>,
    /// Whether another target in the header changes nothing here.
    fixed: bool,
}

impl Judge {
    /// Checks what a dotted word demands.
    fn word(&self, word: &CursorToken<'_>, findings: &mut Vec<Finding>) {
        // Nearly every word is one that every module has.
        if !self.has(word.text()) {
            let subject = format!("`{}`", word.text());
            self.demand(word.range(), &subject, word.text(), findings);
        }
    }

    /// Whether the module has what a directive or feature demands.
    fn has(&self, feature: &str) -> bool {
        let gate = gate(feature);
        self.module
            .is_none_or(|it| gate.admits_target(it.target) && gate.admits_version(it.version))
    }

    /// Checks what a directive or feature demands. Returns whether the module has it.
    fn demand(
        &self,
        range: TextRange,
        subject: &str,
        feature: &str,
        findings: &mut Vec<Finding>,
    ) -> bool {
        let Some(module) = self.module.filter(|_| !self.has(feature)) else {
            return true;
        };
        let gate = gate(feature);
        let mut finding = gate_finding(range, subject, module, &gate);
        finding.fixes = change_header(module, self.fixed, &[&gate], |it| {
            gate.admits_target(it.target) && gate.admits_version(it.version)
        });
        findings.push(finding);
        false
    }
}

/// The same finding as something that ptxas accepts.
fn milder(finding: Finding, severity: Severity) -> Finding {
    Finding {
        severity,
        ..finding
    }
}

/// The fix that takes a directive out.
fn removal(word: &str, range: TextRange) -> Repair {
    Repair::new(
        FixKind::RemoveDirective,
        format!("Remove `{word}`"),
        range,
        "",
    )
}

/// Calls `act` for each dotted word that is a directive by its place: modifiers of instructions are not.
fn words<'a>(node: &Cursor<'a>, act: &mut impl FnMut(CursorToken<'a>)) {
    let directive = matches!(
        node.kind(),
        SyntaxKind::ADDRESS_SIZE_DIRECTIVE
            | SyntaxKind::SECTION
            | SyntaxKind::INTERMEDIATE_SECTION
            | SyntaxKind::PRAGMA
            | SyntaxKind::ALIAS
            | SyntaxKind::VARIABLE_DECLARATION
            | SyntaxKind::ATTRIBUTE
            | SyntaxKind::FUNCTION
            | SyntaxKind::PARAMETER
            | SyntaxKind::TUNING_DIRECTIVE
            | SyntaxKind::LOC_DIRECTIVE
            | SyntaxKind::BRANCH_TARGETS
            | SyntaxKind::CALL_TARGETS
            | SyntaxKind::CALL_PROTOTYPE
    );
    if directive {
        node.tokens()
            .filter(|it| it.kind() == SyntaxKind::DOTTED)
            .for_each(&mut *act);
    }
    // Most nodes are such as have no directive in them.
    let around = |it: &Cursor<'_>| {
        !matches!(
            it.kind(),
            SyntaxKind::INSTRUCTION
                | SyntaxKind::LABEL
                | SyntaxKind::DECLARATOR
                | SyntaxKind::DATA_LINE
                | SyntaxKind::LITERAL
        )
    };
    for child in node.nodes().filter(around) {
        words(&child, act);
    }
}
