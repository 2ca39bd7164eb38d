//! Whether a statement of assembly is PTX.

use syntax::host::{Dialect, Language, Statement};

use super::{
    operands::{Class, Operands},
    shape::Shape,
    source::{HOLE, Source},
    template::Template,
};

/// Words that say PTX where they follow an opcode.
const MODIFIERS: [&str; 34] = [
    "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "b8", "b16", "b32", "b64", "b128", "f16",
    "f16x2", "bf16", "bf16x2", "f32", "f64", "pred", "sync", "async", "global", "shared", "local",
    "const", "param", "cta", "gpu", "sys", "rn", "rz", "aligned", "approx",
];

/// Directives that stand inside of functions.
const DIRECTIVES: [&str; 8] = [
    ".reg",
    ".shared",
    ".local",
    ".param",
    ".pragma",
    ".global",
    ".const",
    ".callprototype",
];

pub(super) fn is_ptx(
    source: &Source<'_>,
    statement: &Statement,
    language: Language,
    operands: &Operands,
    template: &Template,
    shape: &Shape,
) -> bool {
    let text = &template.text.text;
    let literal = !source.join(&statement.template).is_empty();
    if !literal || text.trim() == HOLE {
        return false;
    }
    let blank = text
        .bytes()
        .any(|it| it.is_ascii_whitespace() || it == b';');
    let label = statement.dialect == Dialect::Cuda
        && statement.colons == 0
        && !statement.volatile
        && !blank;
    if label {
        return false;
    }
    let first = shape.first.as_deref().unwrap_or_default();
    let (opcode, modifiers) = first.split_once('.').unwrap_or((first, ""));
    let known = DIRECTIVES.contains(&first)
        || !opcode.is_empty() && isa::table::tables().with_opcode(opcode).next().is_some();
    let typical = modifiers
        .split(['.', ':'])
        .any(|it| MODIFIERS.contains(&it));
    if operands.foreign {
        return known && typical;
    }
    let hole = opcode.starts_with(HOLE);
    let classes = operands.list.iter().filter(|it| it.class != Class::Unknown);
    let operands = classes.count() > 0;
    match language {
        // Words that are no instructions and have no modifiers are those of the host's processor.
        Language::Cuda => first.is_empty() || known || hole || !modifiers.is_empty(),
        Language::Python => known || first.is_empty() || hole || operands && !modifiers.is_empty(),
        Language::Llvm => {
            known && (typical || operands)
                || source.all().contains("nvptx")
                    && (first.is_empty() || hole || !modifiers.is_empty() || known)
        }
        Language::Rust => known && (typical || operands) || operands && !modifiers.is_empty(),
        Language::C => known && (typical || text.contains(';')) || hole && typical,
    }
}
