//! Features that one of the targets in the setting for portability does not have.
//!
//! A statement is judged once more for each of these targets, but only if it is right for the target of
//! the file, so that no mistake is told twice.

use crate::{
    db::{SourceFile, Workspace},
    diagnostics::{
        finding::{Finding, finding},
        place::ItemIndex,
        registry::NOT_PORTABLE,
        rules::{gates::needed, instructions::rejected::Rejected},
    },
    hir::{
        body::{Target, body},
        declared::declared,
        in_force::{InForce, in_force, in_force_at_item},
        instruction::Parts,
        items::{Function, items},
        resolve::resolve,
        tree::{for_each_instruction, trimmed},
    },
};

use isa::{
    directive,
    matcher::{Outcome, Reason, Statement, fit},
    matching::match_statement,
    operand::Operand,
    table::tables,
    target::{Gate, Module, Target as IsaTarget},
};
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange};

/// The targets of the setting that exist.
fn targets(db: &dyn Database) -> Vec<IsaTarget> {
    let config = Workspace::get(db).config(db);
    let names = config.portability_targets.iter();
    names.filter_map(|it| IsaTarget::parse(it)).collect()
}

/// The features that are in a function and are not everywhere.
pub(in crate::diagnostics) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    findings: &mut Vec<Finding>,
) {
    let targets = targets(db);
    if targets.is_empty() {
        return;
    }
    let Some(in_force) = in_force(db, function) else {
        return;
    };
    let found = in_instructions(db, function, &targets, &in_force);
    findings.extend(found.into_iter().map(NotPortable::finding));
    directives(
        &function.green(db).cursor(),
        in_force.start,
        &targets,
        findings,
    );
}

/// Those of some targets for which the instructions of a function, which fit the target of the file, do not.
pub(crate) fn unavailable(
    db: &dyn Database,
    function: Function<'_>,
    targets: &[IsaTarget],
) -> Vec<IsaTarget> {
    let Some(in_force) = in_force(db, function) else {
        return Vec::new();
    };
    let found = in_instructions(db, function, targets, &in_force);
    targets
        .iter()
        .copied()
        .filter(|target| found.iter().any(|it| it.missing.contains(target)))
        .collect()
}

/// The features that instructions of a function need and some of the targets lack.
fn in_instructions(
    db: &dyn Database,
    function: Function<'_>,
    targets: &[IsaTarget],
    in_force: &InForce<'_>,
) -> Vec<NotPortable> {
    let mut all = Vec::new();
    let cursor = function.green(db).cursor();
    let (body, types) = (body(db, function), declared(db, function));
    let resolve = |range: TextRange, name: &str| resolve(db, function, body, types, range, name);
    for_each_instruction(&cursor, &mut |instruction| {
        let range = trimmed(instruction);
        let module = in_force.at(range.start());
        let start = body
            .references
            .partition_point(|it| it.range.start() < range.start());
        let inside = body.references[start..]
            .iter()
            .take_while(|it| it.range.end() <= range.end());
        let specials = inside.filter_map(|it| match it.target {
            Target::Special(index) => {
                let register = isa::special::get(index)?;
                Some((it.range, register.written(it.member), register.gate()))
            }
            _ => None,
        });
        let Ok(mut found) = statement(instruction, module, targets, &resolve) else {
            return;
        };
        for (range, name, gate) in specials {
            let missing = lacking(targets, |it| gate.admits_target(it));
            if missing.is_empty() || !gate.admits_target(module.target) {
                continue;
            }
            // One finding per statement.
            match &mut found {
                Some(it) => it.missing.extend(missing),
                None => {
                    found = Some(NotPortable {
                        range,
                        subject: name,
                        missing,
                        needs: needed(&gate),
                    });
                }
            }
        }
        all.extend(found);
    });
    all
}

/// The features that are outside functions and are not everywhere.
pub(in crate::diagnostics) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let targets = targets(db);
    if targets.is_empty() {
        return;
    }
    for (index, item) in (0u32..).zip(items(db, file).module.items(db)) {
        let Some(module) = in_force_at_item(db, file, index) else {
            continue;
        };
        let mut found = Vec::new();
        directives(&item.green.cursor(), module, &targets, &mut found);
        findings.extend(found.into_iter().map(|it| (ItemIndex::Other(index), it)));
    }
}

/// Something that some targets lack.
struct NotPortable {
    range: TextRange,
    subject: String,
    missing: Vec<IsaTarget>,
    /// The target that it needs, if that is a target.
    needs: Option<String>,
}

impl NotPortable {
    fn finding(mut self) -> Finding {
        self.missing.sort_unstable();
        self.missing.dedup();
        let names: Vec<String> = self.missing.iter().map(|it| format!("`{it}`")).collect();
        let message = format!("`{}` is not on {}", self.subject, names.join(", "));
        let help = self.needs.map(|it| format!("it needs target {it}"));
        finding(self.range, NOT_PORTABLE, message, help)
    }
}

fn lacking(targets: &[IsaTarget], has: impl Fn(IsaTarget) -> bool) -> Vec<IsaTarget> {
    targets.iter().copied().filter(|it| !has(*it)).collect()
}

/// An instruction that does not fit the module.
struct Wrong;

/// An instruction that fits the module, but perhaps not for all targets.
fn statement(
    instruction: &Cursor<'_>,
    module: Module,
    targets: &[IsaTarget],
    resolve: &dyn Fn(TextRange, &str) -> Operand,
) -> Result<Option<NotPortable>, Wrong> {
    let parts = Parts::of(instruction);
    let opcode = parts.opcode.ok_or(Wrong)?;
    let operands = parts.resolved(resolve);
    let on = |target| Statement {
        opcode: opcode.text(),
        words: &parts.words,
        operands: &operands,
        module: Module { target, ..module },
    };
    fit(tables(), &on(module.target)).ok_or(Wrong)?;
    let missing = lacking(targets, |it| fit(tables(), &on(it)).is_some());
    let Some(first) = missing.first().copied() else {
        return Ok(None);
    };
    let statement = on(first);
    let found = Rejected {
        opcode,
        modifiers: &parts.modifiers,
        nodes: &parts.operands,
        operands: &operands,
        module: statement.module,
        forced: false,
    };
    // The reason for the first of them is that for all of them, in all likelihood.
    let problems = match match_statement(tables(), &statement) {
        Outcome::Fit(_) => Vec::new(),
        Outcome::Mismatch(problems) => problems,
    };
    let gate = problems.iter().find_map(|it| match it.reason {
        Reason::Gate(gate) if !gate.admits_target(first) => Some((it.place, gate)),
        _ => None,
    });
    Ok(Some(NotPortable {
        range: gate.map_or(found.head_range(), |it| found.range(it.0)),
        subject: found.head(),
        missing,
        needs: gate.and_then(|it| needed(it.1)),
    }))
}

/// Directives of a node, without those in instructions.
fn directives(
    node: &Cursor<'_>,
    module: Module,
    targets: &[IsaTarget],
    findings: &mut Vec<Finding>,
) {
    for token in node.tokens() {
        if token.kind() != SyntaxKind::DOTTED {
            continue;
        }
        let gate: Gate = directive::gate(token.text());
        let missing = lacking(targets, |it| gate.admits_target(it));
        if !missing.is_empty() && gate.admits_target(module.target) {
            let found = NotPortable {
                range: token.range(),
                subject: token.text().to_owned(),
                missing,
                needs: needed(&gate),
            };
            findings.push(found.finding());
        }
    }
    for child in node.nodes() {
        if child.kind() != SyntaxKind::INSTRUCTION && child.kind() != SyntaxKind::FUNCTION {
            directives(&child, module, targets, findings);
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{AnalysisConfig, Change, FileId, fixture::Fixture};

    #[track_caller]
    fn check(text: &str, targets: &[&str], expect: Expect) {
        let mut fixture = Fixture::new(text);
        fixture.host.apply_change(Change {
            files: Vec::new(),
            config: Some(AnalysisConfig {
                portability_targets: targets.iter().map(|it| (*it).into()).collect(),
                ..AnalysisConfig::default()
            }),
        });
        let found = fixture.host.analysis().diagnostics(FileId(0)).unwrap();
        let lines = found.iter().map(|it| {
            let help = it
                .help
                .as_ref()
                .map_or_else(String::new, |it| format!("; {it}"));
            let marked = &fixture.files[0].1[it.range];
            format!("{} `{marked}`: {}{help}\n", it.code, it.message)
        });
        expect.assert_eq(&lines.collect::<String>());
    }

    const TEXT: &str = ".version 9.0
.target sm_90
.address_size 64
.entry k() .blocksareclusters .reqntid 1 .reqnctapercluster 2 {
    .reg .b32 %r<4>;
    add.s32 %r1, %r2, %r3;
    redux.sync.add.s32 %r1, %r2, -1;
    mov.u32 %r1, %cluster_ctarank;
    mov.v4.u32 {%r0, %r1, %r2, %r3}, %clusterid;
    ld.global.v4.f64 %r1, [%r2];
    ret;
}
";

    #[test]
    fn what_some_targets_lack() {
        check(
            TEXT,
            &["sm_90"],
            expect![[r#"
                unused-value `add.s32 %r1, %r2, %r3;`: the result is never used
                uninitialized-register `%r2`: `%r2` is used before it is written
                uninitialized-register `%r3`: `%r3` is used before it is written
                unused-value `redux.sync.add.s32 %r1, %r2, -1;`: the result is never used
                unused-value `mov.u32 %r1, %cluster_ctarank;`: the result is never used
                invalid-operand `%r1`: a .b32 register is not valid here in `ld.global.v4.f64`; expected a vector `{…}` of 4 elements, a register at least as wide as .f64 each
            "#]],
        );
        check(
            TEXT,
            &["sm_75", "sm_80", "sm_100"],
            expect![[r#"
                not-portable `.blocksareclusters`: `.blocksareclusters` is not on `sm_75`, `sm_80`; it needs target `sm_90` or later
                not-portable `.reqnctapercluster`: `.reqnctapercluster` is not on `sm_75`, `sm_80`; it needs target `sm_90` or later
                unused-value `add.s32 %r1, %r2, %r3;`: the result is never used
                uninitialized-register `%r2`: `%r2` is used before it is written
                uninitialized-register `%r3`: `%r3` is used before it is written
                not-portable `redux`: `redux.sync.add.s32` is not on `sm_75`; it needs target `sm_80` or later
                unused-value `redux.sync.add.s32 %r1, %r2, -1;`: the result is never used
                unused-value `mov.u32 %r1, %cluster_ctarank;`: the result is never used
                not-portable `%cluster_ctarank`: `%cluster_ctarank` is not on `sm_75`, `sm_80`; it needs target `sm_90` or later
                not-portable `%clusterid`: `%clusterid` is not on `sm_75`, `sm_80`; it needs target `sm_90` or later
                invalid-operand `%r1`: a .b32 register is not valid here in `ld.global.v4.f64`; expected a vector `{…}` of 4 elements, a register at least as wide as .f64 each
            "#]],
        );
    }
}
