//! Descriptors as constants: for operands that are one, and for statements whose result becomes one.

use isa::{
    descriptor::{self, Format},
    matching::positions,
    matrix::shared::contiguous,
    operand::Operand,
    table::tables,
};

use crate::{
    CompletionItem, CompletionKind, Insertion,
    hir::{
        body::{Body, Reference, Target, body},
        bound::{Bound, BoundInstruction, Operands},
    },
};

use super::{Site, context::Head};

/// Statements between a constant and the descriptor that it becomes, and instructions of functions that are searched.
const MAX_STEPS: usize = 4;
const MAX_INSTRUCTIONS: usize = 1 << 15;
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

/// The descriptor that the result of the statement becomes, through registers; a part of one has fewer bits, such as an
/// address in shared memory.
fn of_result(site: &Site<'_>) -> Option<Format> {
    let body = body(site.db, site.function);
    if body.instructions.len() > MAX_INSTRUCTIONS {
        return None;
    }
    let operands = Operands::of(site.db, site.function);
    let at = body
        .instructions
        .partition_point(|it| it.range.start() < site.statement);
    let own = operands.get(at as u32)?;
    let mut wanted = written(&own);
    let bits = wanted.first().and_then(|it| bits(body, it.0));
    let mut first = 0;
    for _ in 0..MAX_STEPS {
        let now = wanted[first..].to_vec();
        first = wanted.len();
        for step in (0..body.instructions.len() as u32).filter(|it| *it != at as u32) {
            let Some(instruction) = operands.get(step) else {
                continue;
            };
            let reads = |it: &&Reference| !it.write && now.contains(&(it.target, it.member));
            if !instruction.references.iter().any(|it| reads(&it)) {
                continue;
            }
            if let Some(format) = descriptor_in(site, &instruction, &now) {
                return Some(format).filter(|it| bits == Some(it.bits));
            }
            let words = instruction.form.words.iter().map(|it| &**it);
            let semantics = tables().semantics(&instruction.form.opcode, words);
            if semantics.accesses_memory() {
                continue;
            }
            for it in written(&instruction) {
                if !wanted.contains(&it) {
                    wanted.push(it);
                }
            }
        }
        if first == wanted.len() {
            return None;
        }
    }
    None
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

fn written(instruction: &BoundInstruction<'_>) -> Vec<RegisterName> {
    let all = instruction.references.iter().filter(|it| it.write);
    all.map(|it| (it.target, it.member)).collect()
}

/// The descriptor that one of some registers is in an instruction.
fn descriptor_in(
    site: &Site<'_>,
    instruction: &BoundInstruction<'_>,
    registers: &[RegisterName],
) -> Option<Format> {
    let form = instruction.form;
    let words: Vec<&str> = form.words.iter().map(|it| &**it).collect();
    let formats = descriptor::formats(&form.opcode, &words, site.module.target);
    let is_bracket = |it: &Operand| matches!(it, Operand::Address(_, None));
    let brackets: Vec<bool> = form.operands.iter().map(is_bracket).collect();
    formats.into_iter().find_map(|(name, format)| {
        let at = positions(tables(), &form.opcode, &words, &brackets, [Some(name)])[0]?;
        let Bound::Name(name, None) = instruction.operand(at)?.bound() else {
            return None;
        };
        registers
            .contains(&(name.target, name.member))
            .then_some(format)
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
