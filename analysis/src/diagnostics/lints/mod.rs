//! Our own advice about code that ptxas accepts.
//!
//! Every lint has a code of its own and a level that the settings and comments may change, see
//! [`super::levels`]. A level is chosen by how often the lint fires on the output of compilers, about
//! which nobody can do anything.

mod addresses;
#[cfg(test)]
mod advice_tests;
mod barriers;
mod bounds;
mod flow;
#[cfg(test)]
mod flow_tests;
mod loops;
mod slow;
pub(super) mod statement;
#[cfg(test)]
mod tests;
mod threads;
mod unused;
mod values;

use std::cell::OnceCell;

use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange};

use crate::{
    DiagnosticTag, Level, Severity,
    db::SourceFile,
    flow::{
        Flow,
        facts::{Nodes, Step},
    },
    hir::items::Function,
};

use super::{Finding, ItemIndex, codes, levels};

/// A lint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lint {
    /// Its code.
    pub(super) code: &'static str,
    /// How bad its findings are when nobody says otherwise.
    pub(super) level: Level,
    /// How editors may show them.
    pub(super) tags: &'static [DiagnosticTag],
}

const fn entry(code: &'static str, level: Level, tags: &'static [DiagnosticTag]) -> Lint {
    Lint { code, level, tags }
}

const UNNECESSARY: &[DiagnosticTag] = &[DiagnosticTag::Unnecessary];
const DEPRECATED: &[DiagnosticTag] = &[DiagnosticTag::Deprecated];

/// Every lint.
pub(super) const LINTS: &[Lint] = &[
    entry(codes::UNUSED_REGISTER, Level::Hint, UNNECESSARY),
    entry(codes::UNUSED_LABEL, Level::Hint, UNNECESSARY),
    entry(codes::UNUSED_PARAMETER, Level::Hint, UNNECESSARY),
    entry(codes::UNUSED_VARIABLE, Level::Hint, UNNECESSARY),
    entry(codes::SHADOWED_NAME, Level::Hint, &[]),
    entry(codes::UNREACHABLE_CODE, Level::Hint, UNNECESSARY),
    entry(codes::UNINITIALIZED_REGISTER, Level::Warning, &[]),
    entry(codes::MISSING_RETURN, Level::Hint, &[]),
    entry(codes::DIVERGENT_BARRIER, Level::Warning, &[]),
    entry(codes::INFINITE_LOOP, Level::Warning, &[]),
    entry(codes::UNUSED_VALUE, Level::Hint, UNNECESSARY),
    entry(codes::TOO_MANY_REGISTERS, Level::Warning, &[]),
    entry(codes::LIKELY_SPILL, Level::Information, &[]),
    entry(codes::IGNORED_SETMAXNREG, Level::Warning, &[]),
    entry(codes::LOCAL_MEMORY, Level::Hint, &[]),
    entry(codes::INTEGER_DIVISION, Level::Hint, &[]),
    entry(codes::SLOW_F64, Level::Off, &[]),
    entry(codes::DEPRECATED_FORM, Level::Warning, DEPRECATED),
    entry(codes::TRUNCATED_IMMEDIATE, Level::Warning, &[]),
    entry(codes::OUT_OF_BOUNDS, Level::Warning, &[]),
    entry(codes::MISALIGNED_ACCESS, Level::Warning, &[]),
    entry(codes::INCOMPLETE_ARGUMENT, Level::Warning, &[]),
    entry(codes::TOO_MANY_THREADS, Level::Warning, &[]),
    entry(codes::MODIFIER_ORDER, Level::Hint, &[]),
    entry(codes::CONTROL_COMMENT, Level::Warning, &[]),
];

/// The lints that look at single statements, and at the declarations that they name.
pub(super) const OF_STATEMENTS: [&str; 7] = [
    codes::INTEGER_DIVISION,
    codes::SLOW_F64,
    codes::DEPRECATED_FORM,
    codes::TRUNCATED_IMMEDIATE,
    codes::MODIFIER_ORDER,
    codes::OUT_OF_BOUNDS,
    codes::MISALIGNED_ACCESS,
];

/// The lint with a code.
pub(super) fn lint(code: &str) -> Option<&'static Lint> {
    LINTS.iter().find(|it| it.code == code)
}

/// Whether a code is that of a lint.
#[cfg(test)]
pub(crate) fn is_lint(code: &str) -> bool {
    lint(code).is_some()
}

/// Whether a code is that of a lint about flow.
#[cfg(test)]
pub(crate) fn is_flow_lint(code: &str) -> bool {
    [
        codes::UNREACHABLE_CODE,
        codes::UNINITIALIZED_REGISTER,
        codes::MISSING_RETURN,
        codes::DIVERGENT_BARRIER,
        codes::INFINITE_LOOP,
        codes::UNUSED_VALUE,
    ]
    .contains(&code)
}

/// A finding of a lint; its severity may be changed at the end.
pub(super) fn finding(
    code: &'static str,
    range: TextRange,
    message: String,
    help: Option<String>,
) -> Finding {
    let level = lint(code).and_then(|it| it.level.severity());
    Finding {
        range,
        severity: level.unwrap_or(Severity::Hint),
        code,
        message,
        help,
        related: Vec::new(),
        fixes: Vec::new(),
    }
}

/// Lints of one function, but for those of single statements.
pub(super) fn in_function(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    unused::in_function(db, function, findings);
    threads::in_function(db, function, findings);
    let statements = Statements::new(db, function, findings);
    // What the parser did not understand may write anything and jump anywhere.
    let check = || db.unwind_if_revision_cancelled();
    if function.errors(db).is_empty() {
        flow::in_function(db, function, &statements, findings);
        check();
        barriers::in_function(db, function, &statements, findings);
        check();
        loops::in_function(db, function, &statements, findings);
        check();
        values::in_function(db, function, &statements, findings);
        check();
    }
    bounds::in_function(db, function, &statements, findings);
    slow::in_function(db, function, findings);
    addresses::arguments(db, function, findings);
    findings.extend(
        levels::function_controls(db, function)
            .findings
            .iter()
            .cloned(),
    );
}

/// The statements of a function, and the errors found in them before the lints.
struct Statements<'a> {
    db: &'a dyn Database,
    function: Function<'a>,
    nodes: Nodes<'a>,
    /// Made when it is asked for. Not the one that salsa keeps: of most functions nobody else wants it, and
    /// together they are a sixth of the memory that a file takes.
    flow: OnceCell<Flow>,
    /// Where the errors stand, sorted.
    errors: Vec<TextRange>,
}

impl<'a> Statements<'a> {
    fn new(db: &'a dyn Database, function: Function<'a>, findings: &[Finding]) -> Statements<'a> {
        let errors = findings.iter().filter(|it| it.severity == Severity::Error);
        let mut errors: Vec<TextRange> = errors.map(|it| it.range).collect();
        errors.sort_unstable_by_key(|it| it.start());
        Statements {
            db,
            function,
            nodes: Nodes::new(db, function),
            flow: OnceCell::new(),
            errors,
        }
    }

    /// How control and values go through the function.
    fn flow(&self) -> &Flow {
        self.flow.get_or_init(|| Flow::of(self.db, self.function))
    }

    /// Whether an error starts in a range.
    fn is_wrong(&self, range: TextRange) -> bool {
        let next = self.errors.partition_point(|it| it.start() < range.start());
        let next = self.errors.get(next);
        next.is_some_and(|it| it.start() < range.end())
    }

    /// An instruction of the function.
    fn instruction(&self, step: Step) -> Option<Cursor<'a>> {
        self.nodes.get(step)
    }
}

/// The opcode of an instruction, and whether it matters when nobody reads its result.
fn opcode<'a>(instruction: &Cursor<'a>) -> (&'a str, bool) {
    let opcode = instruction
        .token(SyntaxKind::IDENT)
        .map_or("", |it| it.text());
    let words = instruction
        .tokens()
        .filter(|it| it.kind() == SyntaxKind::DOTTED);
    let mut words = words.map(|it| it.text().trim_start_matches('.'));
    (opcode, isa::control::has_effect(opcode, &mut words))
}

/// Lints of what stands around the functions.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    unused::in_module(db, file, findings);
    if !levels::is_marked(db, file) {
        return;
    }
    let module = crate::hir::items::items(db, file).module;
    for (index, controls) in levels::module_controls(db, module) {
        let item = ItemIndex::Other(*index);
        findings.extend(controls.findings.iter().map(|it| (item, it.clone())));
    }
}
