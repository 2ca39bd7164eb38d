//! The results of a typed statement: its names are registers of types that fit.

use std::cell::RefCell;

use isa::{
    compute::program,
    matcher::{self, Fit, Statement},
    operand::Operand,
    table::tables,
    target::Module,
    types::Class,
};
use syntax::{Cursor, SyntaxKind, parse};

use super::super::outcome::Computed;
use crate::features::completion::nearest::everywhere;
use crate::hir::{instruction::Parts, operand, tree};

/// The types that a name may have, the likely ones first.
const CLASSES: [Class; 6] = [
    Class::B32,
    Class::B64,
    Class::B16,
    Class::Pred,
    Class::B128,
    Class::B8,
];

/// Longer statements compute nothing that could be shown, in bytes.
const MAX_LENGTH: usize = 400;

/// The results of a statement from its constants, in Markdown, if they can be told.
pub(super) fn computed(statement: &str) -> Option<String> {
    if statement.len() > MAX_LENGTH {
        return None;
    }
    let module = parse(&format!(".entry k() {{ {statement}; }}"));
    let root = module.tree.cursor();
    let mut found = None;
    let mut count = 0;
    tree::for_each_node(&root, &mut |node| {
        if node.kind() == SyntaxKind::INSTRUCTION {
            count += 1;
            if found.is_none() {
                found = everywhere().find_map(|it| outcome(node, it));
            }
        }
    });
    found.filter(|_| count == 1).flatten()
}

/// The outcome in a module in which the statement fits.
fn outcome(instruction: &Cursor<'_>, module: Module) -> Option<Option<String>> {
    let parts = Parts::of(instruction);
    let opcode = parts.opcode?.text();
    let statement = |operands: &[Operand]| -> Option<Fit<'static>> {
        matcher::fit(
            tables(),
            &Statement {
                opcode,
                words: &parts.words,
                operands,
                module,
            },
        )
    };
    // One name after the other: those that are not known yet fit everywhere.
    let mut classes: Vec<(String, Class)> = Vec::new();
    loop {
        let next = RefCell::new(None);
        let resolved = parts.resolved(&|_, name| {
            let known = of_name(name, &classes);
            if known.is_none() {
                next.borrow_mut().get_or_insert_with(|| name.to_owned());
            }
            known.unwrap_or(Operand::Unknown)
        });
        let Some(name) = next.into_inner() else {
            let fit = statement(&resolved)?;
            return Some(text(&fit, &parts, &resolved, module));
        };
        let found = CLASSES.into_iter().find(|class| {
            classes.push((name.clone(), *class));
            let operands =
                parts.resolved(&|_, name| of_name(name, &classes).unwrap_or(Operand::Unknown));
            classes.pop();
            statement(&operands).is_some()
        });
        classes.push((name, found?));
    }
}

fn text(
    fit: &Fit<'static>,
    parts: &Parts<'_>,
    operands: &[Operand],
    module: Module,
) -> Option<String> {
    let statement = Statement {
        opcode: parts.opcode?.text(),
        words: &parts.words,
        operands,
        module,
    };
    let bindings = fit.bind(&statement);
    let program = program(fit, &statement, &bindings).ok()?;
    let written: Vec<String> = parts.operands.iter().map(tree::OneLine::of).collect();
    let computed = Computed {
        program: &program,
        bindings: &bindings,
        operands,
        written: &written,
    };
    computed.text(true)
}

/// The operand that a name is, if its type is chosen.
fn of_name(name: &str, classes: &[(String, Class)]) -> Option<Operand> {
    if let Some((index, _)) = isa::special::find(name) {
        return Some(operand::special(index));
    }
    let (_, class) = *classes.iter().find(|it| it.0 == name)?;
    Some(Operand::Register { class, lanes: 1 })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::computed;

    #[track_caller]
    fn check(statement: &str, expected: Expect) {
        expected.assert_eq(&computed(statement).unwrap_or_default());
    }

    #[test]
    fn constants_are_computed() {
        check("add.s32 r, 5, 7", expect!["This computes 12 = 0xc."]);
        check("sub.s16 %rs1, 5, 7;", expect!["This computes -2 = 0xfffe."]);
        check(
            "fma.rn.f32 %f1, 0f3F800000, 2.0, 0.5",
            expect!["This computes 2.5 = 0f40200000."],
        );
        check(
            "ex2.approx.f32 %f1, 0.5",
            expect![
                "This computes 1.4142135 = 0f3FB504F3, or a number near it: the manual bounds the error only."
            ],
        );
        check(
            "setp.lt.s32 %p1|%p2, 5, 7",
            expect![[r#"
            `%p1` computes true.
            `%p2` computes false."#]],
        );
        check(
            "@%p0 mul.wide.u32 %rd1, 0xffffffff, 2;",
            expect!["This computes 8589934590 = 0x1fffffffe."],
        );
        check(
            "div.u32 %r1, 5, 0",
            expect!["The manual leaves the result of these constants open."],
        );
        check("mov.u32 %r1, WARP_SZ", expect!["This computes 32 = 0x20."]);
        check(
            "dp4a.s32.s32 d, 0x01020304, -1, 10",
            expect!["This computes 0."],
        );
    }

    #[test]
    fn bits_are_followed() {
        check(
            "prmt.b32 d, a, b, 0x1234",
            expect![[r#"
            `d`:
            - byte 3: byte 1 of `a`
            - byte 2: byte 2 of `a`
            - byte 1: byte 3 of `a`
            - byte 0: byte 0 of `b`"#]],
        );
        check(
            "bfe.u32 d, a, 3, 4",
            expect![[r#"
            `d`:
            - bits 31 to 4: 0
            - bits 3 to 0: bits 6 to 3 of `a`"#]],
        );
        check(
            "mov.b64 {lo, hi}, %rd1",
            expect![[r#"
            `lo` = bits 31 to 0 of `%rd1`

            `hi` = bits 63 to 32 of `%rd1`"#]],
        );
        check(
            "lop3.b32 %r1, %r2, %r2, %r4, 0x96",
            expect!["`%r1` = `%r4`"],
        );
        check(
            "lop3.or.b32 d|p, a, b, c, 0x60, q",
            expect!["`d` = `a & (b ^ c)`"],
        );
        check(
            "vadd.u32.u32.u32 d, a.b1, 0",
            expect![[r#"
            `d`:
            - bits 31 to 8: 0
            - bits 7 to 0: bits 15 to 8 of `a`"#]],
        );
        check(
            "cvt.u32.u64 %r1, %rd1",
            expect!["`%r1` = bits 31 to 0 of `%rd1`"],
        );
        check("brev.b32 d, a", expect!["`d` = bits 0 to 31 of `a`"]);
    }

    #[test]
    fn nothing_is_said_of() {
        for statement in [
            "add.s32 d, a, b",
            "add.s32 d, a, 1",
            "mov.u32 d, a",
            "and.b32 d, a, b",
            "ld.global.u32 d, [a]",
            "bar.sync 0",
            "add.s33 d, 5, 7",
            "add.s32 d, 5",
            "add.s32 d, 5, 7; add.s32 d, 5, 7",
            "vote.sync.any.pred p, 1, 0xffffffff",
            "add.s32 {",
            "",
        ] {
            assert_eq!(computed(statement), None, "{statement}");
        }
    }
}
