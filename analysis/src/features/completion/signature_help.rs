//! Signature help: the form of the instruction at the cursor, and the operand that is being written. It covers code, so
//! it is two lines: the form, and what the operand may be.

use std::fmt::Write as _;

use isa::{
    completion::{Partial, Reading, complete, reachable},
    condition::Choices,
    documentation, messages,
    table::{Form, OperandPattern, Presence, tables},
};
use salsa::Database;

use crate::{FilePosition, SignatureHelp, SignatureParameter, db::SourceFile};

use crate::features::completion::{Context, CursorPlace, Head, context, module};

/// More kinds of an operand are left to the hover: the help covers the code.
const MAX_KINDS: usize = 3;

/// The form of the instruction whose operands surround a position.
pub(crate) fn signature_help(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<SignatureHelp> {
    let root = file.contents(db).tree.syntax();
    let Context {
        place: CursorPlace::Operand(head, place),
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
    let help = |reading| signature(&head, reading, place.index);
    // The first form that has so many operands, or else the first.
    let mut all = readings.iter().map(help);
    let first = all.next()?;
    let fits = |it: &SignatureHelp| it.parameters.len() > place.index;
    match fits(&first) {
        true => Some(first),
        false => all.find(fits).or(Some(first)),
    }
}

fn signature(head: &Head, reading: &Reading<'_>, active_parameter: usize) -> SignatureHelp {
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
                let _ = write!(line, ": {}", first_sentence(text));
            }
            let said = text.is_some_and(|it| names_kind(first_sentence(it), &kinds));
            if !kinds.is_empty() && !said {
                let shown = &kinds[..kinds.len().min(MAX_KINDS)];
                let more = if shown.len() < kinds.len() {
                    ", …"
                } else {
                    ""
                };
                let _ = write!(line, " ({}{more})", shown.join(", or "));
            }
            lines.push(line);
        });
        parameters.push(SignatureParameter {
            start: start as u32,
            end: label.len() as u32,
            documentation: lines.join("; "),
        });
    }
    SignatureHelp {
        label,
        parameters,
        active_parameter,
    }
}

/// Whether a text says already of which kinds an operand is.
fn names_kind(text: &str, kinds: &[String]) -> bool {
    const NOUNS: [&str; 5] = ["register", "address", "constant", "vector", "predicate"];
    let named = |kind: &String| NOUNS.into_iter().find(|it| kind.contains(it));
    kinds.iter().all(|kind| match named(kind) {
        Some(noun) => text.contains(noun),
        None => kind == "`_`",
    })
}

/// A text up to the end of its first sentence or line, without its period.
fn first_sentence(text: &str) -> &str {
    let line = text.lines().next().unwrap_or_default();
    let line = line.split(". ").next().unwrap_or_default();
    line.trim_end_matches('.')
}

/// Whether an operand is one of this form.
fn is_present(pattern: &OperandPattern, choices: &Choices<'_>) -> bool {
    match &pattern.presence {
        Presence::If(condition) => condition.holds(choices),
        Presence::Required | Presence::Optional => true,
    }
}

/// The operand as the manual writes it.
pub(in crate::features) fn spell(pattern: &OperandPattern, choices: &Choices<'_>) -> String {
    match &pattern.form {
        Form::Plain(_) => pattern.name.to_owned(),
        Form::Pair(_, second) => format!("{}|{}", pattern.name, spell(second, choices)),
        Form::Bracket(elements, _) => {
            let present = elements.iter().filter(|it| is_present(it, choices));
            let elements: Vec<String> = present.map(|it| spell(it, choices)).collect();
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
            let end = format!(" or {text}");
            let said = all.iter().any(|it| *it == text || it.ends_with(&end));
            if !text.is_empty() && !said {
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
            for element in elements.iter().filter(|it| is_present(it, choices)) {
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
                let mut text = format!("{}\n", help.label);
                if let Some(parameter) = help.parameters.get(help.active_parameter) {
                    let range = parameter.start as usize..parameter.end as usize;
                    let operand = &help.label[range];
                    text.push_str(&format!("    {operand} {}\n", parameter.documentation));
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
                add.s32 d, a, b
                    d `d`: the sum (a register for .s32)
            "#]],
        );
        check(
            "add.s32 %r1, %r2, $0",
            expect![[r#"
                add.s32 d, a, b
                    b `b`: the addends (a register for .s32 or an integer constant)
            "#]],
        );
        check(
            "ld.global.f32 %f1, [$0];",
            expect![[r#"
                ld.global.f32 d, [a]
                    [a] `a`: the address: a register or a variable, plus an optional integer constant
            "#]],
        );
        check(
            "cp.async.ca.shared.global [%r1], [%rd1], $0",
            expect![[r#"
                cp.async.ca.shared.global [to], [from], size, {source_size}
                    size `size`: the number of bytes written, a constant: 4, 8 or 16; only 16 with `.cg`
            "#]],
        );
        check(
            "add %r1, $0",
            expect![[r#"
                add d, a, b
                    a `a`: the addends
            "#]],
        );
        check(
            "setp.eq.s32 $0",
            expect![[r#"
                setp.eq.s32 p|q, a, b
                    p|q `p`: the result; for `.f16x2` and `.bf16x2` that of the lower half (a .pred register, or `_`); `q`: the result for the complement of the comparison; for `.f16x2` and `.bf16x2` that of the upper half (a .pred register, or a special register, or `_`)
            "#]],
        );
        check("nonsense %r1, $0", expect!["nothing"]);
        check("ad$0", expect!["nothing"]);
    }
}
