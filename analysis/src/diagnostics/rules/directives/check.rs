//! Which directive is asked which rule.

use crate::{
    db::SourceFile,
    diagnostics::{
        error_map::ErrorMap,
        finding::Finding,
        place::ItemIndex,
        rules::directives::{
            alias, attributes,
            context::{Judge, statements},
            debug, module_header, pragma, sections, tuning,
        },
    },
    hir::{
        declared::header,
        in_force::{in_force, in_force_at_item},
        items::{Function, items},
    },
};

use salsa::Database;
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange};

/// The header of the module, and directives between the functions.
pub(in crate::diagnostics) fn in_module(
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
pub(in crate::diagnostics) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    findings: &mut Vec<Finding>,
) {
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
    let errors_at = ErrorMap::new(errors);
    found.retain(|it| {
        !errors_at.meets(it.range) || !errors.iter().any(|error| touches(error.range, it.range))
    });
    findings.extend(found);
}

/// Whether two ranges share something; an empty one lies at a place.
fn touches(error: TextRange, range: TextRange) -> bool {
    error
        .intersect(range)
        .is_some_and(|it| !it.is_empty() || error.is_empty())
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
