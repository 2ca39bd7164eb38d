//! Decides whether a statement of assembly is PTX.

use syntax::host::{Dialect, Language, Statement};

use crate::diagnostics::suggestion::most_similar;

use super::{
    operands::{Class, Operands},
    shape::FragmentShape,
    source::{HOLE, Source},
    template::Template,
};

/// Words that say PTX where they follow an opcode.
const MODIFIERS: [&str; 34] = [
    "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "b8", "b16", "b32", "b64", "b128", "f16",
    "f16x2", "bf16", "bf16x2", "f32", "f64", "pred", "sync", "async", "global", "shared", "local",
    "const", "param", "cta", "gpu", "sys", "rn", "rz", "aligned", "approx",
];

/// Directives that are inside functions.
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

/// Whether a word begins a statement of PTX, and hardly one of a host.
pub(super) fn begins_ptx(word: &str) -> bool {
    let (opcode, modifiers) = word.split_once('.').unwrap_or((word, ""));
    DIRECTIVES.contains(&word)
        || word.starts_with('@')
        || !modifiers.is_empty() && isa::table::tables().with_opcode(opcode).next().is_some()
}

/// Whether a word is nearly an opcode. Those of AMD's processors, which have underscores, are not.
fn is_misspelt(word: &str) -> bool {
    let opcodes = isa::table::tables().opcodes();
    !word.contains('_') && most_similar(word, opcodes).is_some()
}

/// Words of C++ that are in code for devices only.
const DEVICE: [&[u8]; 4] = [
    b"__device__",
    b"__global__",
    b"__CUDA_ARCH__",
    b"__CUDACC__",
];

/// The kind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// PTX.
    Ptx,
    /// PTX if the file has code for devices.
    Likely,
    /// Not PTX, or nothing tells.
    Other,
}

/// Whether words of a file say that it has code for devices.
pub(super) fn has_device_code(text: &str, language: Language) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(text.as_bytes(), word).is_some();
    match language {
        Language::C => DEVICE.iter().any(|it| has(it)),
        Language::Rust => has(b"nvptx") || has(b"ptx-kernel"),
        Language::Python => [&b"cuda"[..], b"cutlass", b"triton", b"nvvm"]
            .iter()
            .any(|it| has(it)),
        Language::Cuda | Language::Llvm => false,
    }
}

/// The kind of a statement, by its own text.
pub(super) fn kind(
    source: &Source<'_>,
    statement: &Statement,
    language: Language,
    operands: &Operands,
    template: &Template,
    shape: &FragmentShape,
) -> Kind {
    let text = &template.text.text;
    let literal = !source.join(&statement.template).is_empty();
    if !literal || text.trim() == HOLE {
        return Kind::Other;
    }
    let blank = text
        .bytes()
        .any(|it| it.is_ascii_whitespace() || it == b';');
    let label = statement.dialect == Dialect::Cuda
        && statement.colons == 0
        && !statement.volatile
        && !blank;
    if label {
        return Kind::Other;
    }
    let first = shape.first.as_deref().unwrap_or_default();
    let (opcode, modifiers) = first.split_once('.').unwrap_or((first, ""));
    let directive = DIRECTIVES.contains(&first);
    let known = directive
        || !opcode.is_empty() && isa::table::tables().with_opcode(opcode).next().is_some();
    let typical = modifiers
        .split(['.', ':'])
        .any(|it| MODIFIERS.contains(&it));
    let ptx = |it: bool| if it { Kind::Ptx } else { Kind::Other };
    if operands.foreign {
        return ptx(known && (typical || statement.in_device));
    }
    let hole = opcode.starts_with(HOLE);
    // Without modifiers and operands only the function around it, or the rest of the file, says what it is for.
    let misspelt = !known && modifiers.is_empty() && is_misspelt(opcode);
    if misspelt && statement.in_device {
        return Kind::Ptx;
    }
    let classes = operands.list.iter().filter(|it| it.class != Class::Unknown);
    let operands = classes.count() > 0;
    // Other processors have instructions of these names, or modifiers, but seldom both.
    let likely = typical || directive || known && !modifiers.is_empty();
    match language {
        // Words that are not instructions and have no modifiers are those of the host's processor.
        Language::Cuda => ptx(first.is_empty() || known || hole || !modifiers.is_empty()),
        Language::Python
            if known || first.is_empty() || hole || operands && !modifiers.is_empty() =>
        {
            Kind::Ptx
        }
        Language::Python if !modifiers.is_empty() || misspelt => Kind::Likely,
        Language::Python => Kind::Other,
        Language::Llvm => ptx(known && (typical || operands)
            || source.all().contains("nvptx")
                && (first.is_empty() || hole || !modifiers.is_empty() || known || misspelt)),
        Language::Rust if known && (typical || operands) || operands && !modifiers.is_empty() => {
            Kind::Ptx
        }
        Language::C if known && (typical || text.contains(';')) || hole && typical => Kind::Ptx,
        Language::Rust | Language::C if likely => Kind::Likely,
        // Rust for other processors has operands of other classes, or no words of PTX elsewhere.
        Language::Rust if known || misspelt => Kind::Likely,
        Language::Rust | Language::C => Kind::Other,
    }
}
