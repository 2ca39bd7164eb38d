//! Signature help: the forms of the instruction at the cursor, and the operand that is being written.

use std::fmt::Write as _;

use isa::{
    completion::{Partial, Reading, complete, reachable},
    condition::Choices,
    documentation, messages,
    table::{Form, OperandPattern, Presence, tables},
};
use salsa::Database;

use crate::{FilePosition, Signature, SignatureHelp, SignatureParameter, db::SourceFile};

use super::completion::{Context, Head, Place, context, module};

/// Forms that are shown; more do not help.
const MAX_SIGNATURES: usize = 12;

/// The forms of the instruction whose operands surround a position.
pub(crate) fn signature_help(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<SignatureHelp> {
    let root = file.contents(db).tree.syntax();
    let Context {
        place: Place::Operand(head, place),
        ..
    } = context(&root, at.offset)?
    else {
        return None;
    };
    let words: Vec<&str> = head.before.iter().map(String::as_str).collect();
    let partial = Partial {
        opcode: &head.opcode,
        before: &words,
        after: &[],
        module: module(db, file),
    };
    let mut readings = complete(tables(), &partial);
    if readings.is_empty() {
        readings = reachable(tables(), &partial);
    }
    let mut signatures: Vec<Signature> = Vec::new();
    for reading in &readings {
        let signature = signature(&head, reading);
        if !signatures.iter().any(|it| it.label == signature.label) {
            signatures.push(signature);
        }
    }
    signatures.truncate(MAX_SIGNATURES);
    if signatures.is_empty() {
        return None;
    }
    // The first form that has so many operands.
    let active = signatures
        .iter()
        .position(|it| it.parameters.len() > place.index)
        .unwrap_or_default();
    Some(SignatureHelp {
        signatures,
        active_signature: active,
        active_parameter: place.index,
    })
}

fn signature(head: &Head, reading: &Reading<'_>) -> Signature {
    let mut label = head.opcode.clone();
    for word in &head.before {
        label.push('.');
        label.push_str(word);
    }
    let page = documentation::instruction(reading.instruction.name);
    let mut parameters = Vec::new();
    for pattern in &reading.variant.operands {
        let optional = match &pattern.presence {
            Presence::Required => false,
            Presence::Optional => true,
            Presence::If(condition) => {
                if !condition.holds(&reading.choices) {
                    continue;
                }
                false
            }
        };
        label.push_str(if parameters.is_empty() { " " } else { ", " });
        let start = label.len();
        let name = spell(pattern, &reading.choices);
        let _ = if optional {
            write!(label, "{{{name}}}")
        } else {
            write!(label, "{name}")
        };
        let mut lines = Vec::new();
        describe(pattern, &reading.choices, &mut |name, kinds| {
            let text = page.and_then(|it| it.operand(name)).map(|it| it.text);
            let mut line = format!("`{name}`");
            if let Some(text) = text {
                let _ = write!(line, ": {text}");
            }
            if !kinds.is_empty() {
                let _ = write!(line, " ({})", kinds.join(", or "));
            }
            lines.push(line);
        });
        parameters.push(SignatureParameter {
            start: start as u32,
            end: label.len() as u32,
            documentation: lines.join("\n\n"),
        });
    }
    Signature {
        label,
        documentation: page.map(|it| it.summary.to_owned()),
        parameters,
    }
}

/// The operand as the manual writes it.
pub(super) fn spell(pattern: &OperandPattern, choices: &Choices<'_>) -> String {
    match &pattern.form {
        Form::Plain(_) => pattern.name.to_owned(),
        Form::Pair(_, second) => format!("{}|{}", pattern.name, spell(second, choices)),
        Form::Bracket(elements, _) => {
            let elements: Vec<String> = elements
                .iter()
                .filter(|it| match &it.presence {
                    Presence::If(condition) => condition.holds(choices),
                    _ => true,
                })
                .map(|it| spell(it, choices))
                .collect();
            format!("[{}]", elements.join(", "))
        }
    }
}

/// Calls `act` with each name of the operand and what it may be.
fn describe(
    pattern: &OperandPattern,
    choices: &Choices<'_>,
    act: &mut dyn FnMut(&str, Vec<String>),
) {
    let kinds = |kinds: &[isa::kind::Kind]| {
        let mut all: Vec<String> = Vec::new();
        for text in kinds.iter().filter_map(|it| messages::kind(it, choices)) {
            if !text.is_empty() && !all.contains(&text) {
                all.push(text);
            }
        }
        all
    };
    match &pattern.form {
        Form::Plain(list) => act(pattern.name, kinds(list)),
        Form::Pair(list, second) => {
            act(pattern.name, kinds(list));
            describe(second, choices, act);
        }
        Form::Bracket(elements, _) => {
            for element in elements {
                describe(element, choices, act);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::{Fixture, HEADER};

    #[track_caller]
    fn check(statement: &str, expected: Expect) {
        let fixture = Fixture::new(&format!(
            "{HEADER}.entry k() {{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n{statement}\nret;\n}}\n"
        ));
        let (analysis, position) = fixture.cursor();
        let shown = match analysis.signature_help(position).unwrap() {
            None => "nothing".to_owned(),
            Some(help) => {
                let mut text = String::new();
                for (index, it) in help.signatures.iter().enumerate() {
                    let mark = if index == help.active_signature {
                        "> "
                    } else {
                        "  "
                    };
                    text.push_str(&format!("{mark}{}\n", it.label));
                    if let Some(parameter) = it.parameters.get(help.active_parameter)
                        && index == help.active_signature
                    {
                        let range = parameter.start as usize..parameter.end as usize;
                        // What the pages say may change; what may appear there follows them.
                        let kinds: Vec<&str> = parameter
                            .documentation
                            .lines()
                            .filter_map(|it| Some(&it[it.rfind(" (")?..]))
                            .collect();
                        let operand = &it.label[range];
                        text.push_str(&format!("    {operand}:{}\n", kinds.concat()));
                    }
                }
                text
            }
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn forms() {
        check(
            "add.s32 $0",
            expect![[r#"
                > add.s32 d, a, b
                    d: (a register for .s32)
            "#]],
        );
        check(
            "add.s32 %r1, %r2, $0",
            expect![[r#"
                > add.s32 d, a, b
                    b: (a register for .s32 or an integer constant)
            "#]],
        );
        check(
            "ld.global.f32 %f1, [$0];",
            expect![[r#"
                > ld.global.f32 d, [a]
                    [a]: (an address: an integer register or a variable of the state space, perhaps plus a constant)
            "#]],
        );
        check(
            "cp.async.ca.shared.global [%r1], [%rd1], $0",
            expect![[r#"
                > cp.async.ca.shared.global [to], [from], size, {source_size}
                    size: (one of the constants 4, 8, 16)
                  cp.async.ca.shared.global [to], [from], size, ignore_source
            "#]],
        );
        check(
            "add %r1, $0",
            expect![[r#"
                > add d, a, b
                    a:
            "#]],
        );
        check(
            "setp.eq.s32 $0",
            expect![[r#"
                > setp.eq.s32 p|q, a, b
                    p|q: (a .pred register, or `_`) (a .pred register, or a special register, or `_`)
            "#]],
        );
        check("nonsense %r1, $0", expect!["nothing"]);
        check("ad$0", expect!["nothing"]);
    }
}
