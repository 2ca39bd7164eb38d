//! Descriptors as constants: for operands that are one, and for statements whose result becomes one.

use isa::{
    descriptor::{self, Format},
    matching::positions,
    matrix::shared::contiguous,
    operand::Operand,
    table::tables,
};
use syntax::TextRange;

use crate::{
    CompletionItem, CompletionKind, Insertion,
    hir::{
        body::{Body, Reference, Target},
        bound::{Bound, BoundInstruction, find_within},
    },
};

use super::{Site, context::Head};

/// Statements through which a constant becomes a descriptor, and the bytes from its statement on in which these are.
const MAX_STEPS: usize = 4;
const MAX_BELOW: u32 = 16 << 10;
/// Columns of the products for which instruction descriptors are offered.
const COLUMNS: [&str; 3] = ["64", "128", "256"];
const ROWS: &str = "128";

/// A register by its definition and its number.
type RegisterName = (Target, Option<u32>);

/// Adds the descriptors that an operand can be, or that the result of its statement becomes.
pub(super) fn descriptors(
    site: &Site<'_>,
    head: &Head,
    place: usize,
    admits: &mut dyn FnMut(&Operand) -> bool,
    items: &mut Vec<CompletionItem>,
) {
    if !admits(&Operand::Integer(1 << 16)) {
        return;
    }
    let words: Vec<&str> = head.before.iter().map(String::as_str).collect();
    let own = descriptor::formats(&head.opcode, &words, site.module.target);
    let found = match own.is_empty() {
        true => of_result(site),
        false => of_operand(head, &words, place, own),
    };
    let Some(format) = found else { return };
    items.extend(matrices(&format));
    items.extend(products(&format));
}

/// The descriptor that an operand of the statement is.
fn of_operand(
    head: &Head,
    words: &[&str],
    place: usize,
    formats: Vec<(&'static str, Format)>,
) -> Option<Format> {
    // What is not written yet decides nothing here.
    let brackets = vec![false; place + 1];
    formats.into_iter().find_map(|(name, format)| {
        let at = positions(tables(), &head.opcode, words, &brackets, [Some(name)]);
        (at[0] == Some(place)).then_some(format)
    })
}

/// The descriptor that the result of the statement becomes in statements below it, through registers; a part of one has
/// fewer bits, such as an address in shared memory.
fn of_result(site: &Site<'_>) -> Option<Format> {
    let part = TextRange::at(site.statement, MAX_BELOW.into());
    // Registers, and the statements from the constant to each.
    let mut known: Vec<(RegisterName, usize)> = Vec::new();
    let mut result_bits = None;
    let found = find_within(site.db, site.function, part, |body, instruction| {
        let Some(first) = known.first() else {
            if instruction
                .instruction
                .range
                .contains_inclusive(site.offset)
            {
                known.extend(written(instruction).map(|it| (it, 0)));
            }
            return None;
        };
        result_bits = bits(body, first.0.0);
        let read = known.iter().filter(|it| {
            let is_it = |read: &Reference| !read.write && (read.target, read.member) == it.0;
            it.1 < MAX_STEPS && instruction.references.iter().any(is_it)
        });
        let steps = read.map(|it| it.1).min()?;
        let found = descriptor_in(site, instruction, &known);
        let words = instruction.form.words.iter().map(|it| &**it);
        let semantics = tables().semantics(&instruction.form.opcode, words);
        if found.is_none() && !semantics.accesses_memory() {
            known.extend(written(instruction).map(|it| (it, steps + 1)));
        }
        found
    });
    found.filter(|it| result_bits == Some(it.bits))
}

/// The bits of a register.
fn bits(body: &Body, target: Target) -> Option<u32> {
    let Target::Definition(id) = target else {
        return None;
    };
    match body.operands.get(id as usize)?.0 {
        Operand::Register { class, .. } => Some(class.bits()),
        _ => None,
    }
}

fn written(instruction: &BoundInstruction<'_>) -> impl Iterator<Item = RegisterName> {
    let all = instruction.references.iter().filter(|it| it.write);
    all.map(|it| (it.target, it.member))
}

/// The descriptor that one of some registers is in an instruction.
fn descriptor_in(
    site: &Site<'_>,
    instruction: &BoundInstruction<'_>,
    registers: &[(RegisterName, usize)],
) -> Option<Format> {
    let form = instruction.form;
    let words: Vec<&str> = form.words.iter().map(|it| &**it).collect();
    let formats = descriptor::formats(&form.opcode, &words, site.module.target);
    formats.into_iter().find_map(|(name, format)| {
        let at = form.positions([Some(name)])[0]?;
        let Bound::Name(name, None) = instruction.operand(at)?.bound() else {
            return None;
        };
        let is_it = |it: &(RegisterName, usize)| it.0 == (name.target, name.member);
        registers.iter().any(is_it).then_some(format)
    })
}

/// Descriptors of matrices: K-major, by swizzle, without their start address.
fn matrices(format: &Format) -> Vec<CompletionItem> {
    let all = contiguous(format).into_iter().map(|(swizzle, bits)| {
        let swizzle = match swizzle {
            "none" => "no swizzle".to_owned(),
            bytes => format!("swizzle {bytes}"),
        };
        let decoded = format.decode(bits);
        let bytes = |name: &str| {
            let found = decoded.iter().find(|it| it.field.name == name);
            found.map_or(0, |it| it.value << 4)
        };
        let (leading, stride) = (
            bytes("leading dimension offset"),
            bytes("stride dimension offset"),
        );
        item(
            format!("descriptor: K-major, {swizzle}"),
            format!(
                "{bits:#018x}, offsets of {leading} and {stride} bytes; add the start address / 16"
            ),
            format!("{bits:#018x}"),
        )
    });
    all.collect()
}

/// Instruction descriptors: both matrices of the same type and K-major.
fn products(format: &Format) -> Vec<CompletionItem> {
    let choices = |key: &str| {
        let found = format.fields.iter().find(|it| it.key() == key);
        found.map(|it| it.choices()).unwrap_or_default()
    };
    let mut items = Vec::new();
    for factor in choices("type-of-a") {
        for columns in COLUMNS {
            let mut values = vec![("type-of-a", factor.as_str()), ("m", ROWS), ("n", columns)];
            let factors = choices("type-of-b");
            if !factors.contains(&factor) {
                continue;
            }
            values.push(("type-of-b", &factor));
            // Sums are kept in the widest type.
            let sums = choices("type-of-d");
            if let Some(it) = sums.last() {
                values.push(("type-of-d", it));
            }
            let Ok(bits) = format.encode_written(&values) else {
                continue;
            };
            let sum = sums
                .last()
                .map_or_else(String::new, |it| format!(", D {it}"));
            items.push(item(
                format!("descriptor: {factor}{sum}, {ROWS}x{columns}"),
                format!("{bits:#010x}, A and B {factor} and K-major, M {ROWS}, N {columns}"),
                format!("{bits:#010x}"),
            ));
        }
    }
    items
}

fn item(label: String, detail: String, text: String) -> CompletionItem {
    CompletionItem {
        detail: Some(detail),
        insert: Some(Insertion {
            snippet: text.clone(),
            plain: text,
        }),
        ..CompletionItem::new(label, CompletionKind::Value)
    }
}
