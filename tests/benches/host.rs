//! How fast the assembly in other languages is found.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench host`.

use divan::{Bencher, counter::BytesCount};
use syntax::host::{Language, lex};

/// How long the texts are, in bytes.
const LEN: usize = 10 << 20;

fn main() {
    divan::main();
}

/// Code of a language around a statement of assembly, of the density that kernels have.
fn text(language: Language) -> String {
    let (code, statement) = match language {
        Language::Cuda | Language::C => (
            "    // Copies one row, 'as it is', of the tile.\n    for (int i = threadIdx.x; i < columns; i += 32) { tile[row * 40 + i] = static_cast<float>(source[i]) * scale; }\n",
            "    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;\\n\" :: \"r\"(smem), \"l\"(source + i) : \"memory\");\n",
        ),
        Language::Python => (
            "    # Copies one row of the tile.\n    offsets = row * BLOCK + tl.arange(0, BLOCK)\n    x = tl.load(source + offsets, mask=offsets < columns, other='zero')\n",
            "    y = tl.inline_asm_elementwise(\"add.u32 $0, $1, 7;\", \"=r,r\", [x], dtype=tl.int32, is_pure=True, pack=1)\n",
        ),
        Language::Rust => (
            "    // Copies one row of the tile.\n    for column in 0..columns { tile[row * 40 + column] = f32::from(source[column]) * scale; name(\"row\", 'r'); }\n",
            "    unsafe { asm!(\"add.u32 {0}, {0}, 1;\", inout(reg32) x); }\n",
        ),
        Language::Llvm => (
            "  %12 = getelementptr inbounds float, ptr addrspace(1) %4, i64 %11 ; the row\n  %13 = load float, ptr addrspace(1) %12, align 4, !tbaa !5\n",
            "  %14 = call i32 asm sideeffect \"add.u32 $0, $1, 1;\", \"=r,r\"(i32 %a)\n",
        ),
    };
    let block = code.repeat(12) + statement;
    block.repeat(LEN / block.len())
}

#[divan::bench(sample_count = 10, args = [Language::Cuda, Language::Python, Language::Rust, Language::Llvm])]
fn lexer(bencher: Bencher<'_, '_>, language: Language) {
    let text = text(language);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench_local(|| lex(&text, language));
}
