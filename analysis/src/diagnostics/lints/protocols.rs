//! What the rules of [`crate::protocols`] find, as findings.

use salsa::Database;
use syntax::{SyntaxKind, TextRange};

use crate::{
    FixKind, Severity,
    diagnostics::{
        finding::{Finding, finding},
        fix::{Repair, blank_before},
        lints::statements::Statements,
        place::Place,
        registry::code,
    },
    hir::{
        body::{Body, body},
        items::{Function, items},
        layout::{layouts, module_layouts},
        module::{DeclarationSource, module_scope, signature},
    },
    pressure::bounds,
    protocols::{Insertion, Known, Symbol, reports},
};

pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    let node = |step: u32| statements.instruction(step);
    let size = move |symbol: Symbol| size(db, function, body, symbol);
    let foreign = move |step: u32| is_foreign(db, function, body, step);
    let entry = signature(db, function).entry;
    let found = reports(&Known {
        body,
        flow,
        node: &node,
        entry,
        bounds: bounds(db, function),
        size: &size,
        check: &|| db.unwind_if_revision_cancelled(),
        foreign: &foreign,
    });
    for it in found {
        let (Some(at), Some(code)) = (body.instructions.get(it.step as usize), code(it.code))
        else {
            continue;
        };
        if statements.is_wrong(at.range) {
            continue;
        }
        let mut found = finding(at.opcode, code, it.message, Some(it.help.to_owned()));
        if it.hint {
            found.severity = Severity::Hint;
        }
        for (step, words) in it.related {
            if let Some(other) = body.instructions.get(step as usize) {
                found.related.push((Place::Own(other.opcode), words));
            }
        }
        if let Some(fix) = it.fix {
            found.fixes.extend(repair(statements, body, &fix));
        }
        findings.push(found);
    }
}

/// Bytes of a variable, if it is declared once.
fn size(db: &dyn Database, function: Function<'_>, body: &Body, symbol: Symbol) -> Option<u64> {
    match symbol {
        Symbol::Own(id) => (*layouts(db, function).get(id as usize)?)?.size,
        Symbol::Free(free) => {
            let file = function.file(db);
            let name = body.free.get(free as usize)?;
            let [declaration] = module_scope(db, file).find(name) else {
                return None;
            };
            let DeclarationSource::Variable(index) = declaration.source else {
                return None;
            };
            let layouts = module_layouts(db, items(db, file).module);
            (*layouts.get(index as usize)?)?.size
        }
    }
}

/// Whether an instruction calls a function without a body in the module, or what a register holds.
fn is_foreign(db: &dyn Database, function: Function<'_>, body: &Body, step: u32) -> bool {
    use crate::hir::body::{Place as Role, Target};
    let Some(instruction) = body.instructions.get(step as usize) else {
        return false;
    };
    let references = crate::hir::instruction::references(body, instruction);
    references
        .iter()
        .filter(|it| it.place == Role::Callee)
        .any(|it| match it.target {
            Target::Free(name) => {
                let file = function.file(db);
                let Some(name) = body.free.get(name as usize) else {
                    return false;
                };
                let scope = module_scope(db, file);
                !scope.find(name).iter().any(|it| match it.source {
                    DeclarationSource::Function(index) => items(db, file)
                        .functions
                        .get(index as usize)
                        .is_some_and(|it| signature(db, *it).defined),
                    _ => false,
                })
            }
            Target::Definition(_) => true,
            _ => false,
        })
}

/// The repair that inserts a statement beside another one, on a line of its own.
fn repair(statements: &Statements<'_>, body: &Body, fix: &Insertion) -> Option<Repair> {
    let instruction = body.instructions.get(fix.beside as usize)?;
    let node = statements.instruction(fix.beside)?;
    let guard = match node.node(SyntaxKind::GUARD) {
        Some(guard) if fix.guarded => {
            let words: String = guard.tokens().map(|it| it.text()).collect();
            format!("{words} ")
        }
        _ => String::new(),
    };
    let separator = blank_before(&node);
    let (at, text) = match fix.behind {
        true => (
            instruction.range.end(),
            format!("{separator}{guard}{}", fix.text),
        ),
        false => (
            instruction.range.start(),
            format!("{guard}{}{separator}", fix.text),
        ),
    };
    Some(Repair::new(
        FixKind::InsertStatement,
        format!("Insert `{guard}{}`", fix.text.trim_end_matches(';')),
        TextRange::empty(at),
        text,
    ))
}
