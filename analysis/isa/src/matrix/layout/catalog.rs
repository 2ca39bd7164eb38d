//! The distinct layouts of all instructions, for figures and lists.

use super::{Layout, layout};

/// A form of an instruction whose layout stands for those of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The name of the instruction in the tables.
    pub instruction: &'static str,
    /// Its modifiers, separated by periods.
    pub words: &'static str,
    /// The shape, and the types or modifiers that the layout holds for.
    pub title: &'static str,
}

impl Example {
    /// Its layout.
    #[must_use]
    pub fn layout(&self) -> Option<Layout> {
        let words: Vec<&str> = self.words.split('.').collect();
        layout(self.instruction, &words)
    }
}

const fn of(instruction: &'static str, words: &'static str, title: &'static str) -> Example {
    Example {
        instruction,
        words,
        title,
    }
}

/// One form for each distinct layout. Shapes of any width (`n` of `wgmma`, `.x4` of movements) are the narrowest, as
/// the others repeat them.
pub const CATALOG: &[Example] = &[
    of(
        "mma",
        "m8n8k4.row.col.f32.f16.f16.f32",
        "m8n8k4, `.f16`, sums in `.f32`, row.col",
    ),
    of(
        "mma",
        "m8n8k4.row.row.f32.f16.f16.f32",
        "m8n8k4, `.f16`, sums in `.f32`, row.row",
    ),
    of(
        "mma",
        "m8n8k4.col.col.f32.f16.f16.f32",
        "m8n8k4, `.f16`, sums in `.f32`, col.col",
    ),
    of(
        "mma",
        "m8n8k4.col.row.f16.f16.f16.f16",
        "m8n8k4, `.f16`, sums in `.f16`, col.row",
    ),
    of(
        "mma",
        "m16n8k8.row.col.f32.f16.f16.f32",
        "m16n8k8, `.f16` and `.bf16`",
    ),
    of(
        "mma",
        "m16n8k8.row.col.f16.f16.f16.f16",
        "m16n8k8, `.f16`, sums in `.f16`",
    ),
    of(
        "mma",
        "m16n8k16.row.col.f32.bf16.bf16.f32",
        "m16n8k16, `.f16` and `.bf16`",
    ),
    of(
        "mma",
        "m16n8k16.row.col.f16.f16.f16.f16",
        "m16n8k16, `.f16`, sums in `.f16`",
    ),
    of(
        "mma",
        "m16n8k4.row.col.f32.tf32.tf32.f32",
        "m16n8k4, `.tf32` and `.f64`",
    ),
    of(
        "mma",
        "m16n8k8.row.col.f32.tf32.tf32.f32",
        "m16n8k8, `.tf32` and `.f64`",
    ),
    of("mma", "m8n8k4.row.col.f64.f64.f64.f64", "m8n8k4, `.f64`"),
    of(
        "mma",
        "m16n8k16.row.col.f64.f64.f64.f64",
        "m16n8k16, `.f64`",
    ),
    of(
        "mma",
        "m8n8k16.row.col.s32.s8.s8.s32",
        "m8n8k16, 8-bit integers",
    ),
    of(
        "mma",
        "m16n8k16.row.col.s32.s8.s8.s32",
        "m16n8k16, elements of 8 bits",
    ),
    of(
        "mma",
        "m16n8k32.row.col.s32.s8.s8.s32",
        "m16n8k32, elements of 8 bits",
    ),
    of(
        "mma",
        "m16n8k16.row.col.f16.e4m3.e4m3.f16",
        "m16n8k16, 8-bit floats, sums in `.f16`",
    ),
    of(
        "mma",
        "m16n8k32.row.col.f16.e4m3.e4m3.f16",
        "m16n8k32, 8-bit floats, sums in `.f16`",
    ),
    of(
        "mma",
        "m8n8k32.row.col.s32.s4.s4.s32",
        "m8n8k32, 4-bit integers",
    ),
    of(
        "mma",
        "m16n8k32.row.col.s32.s4.s4.s32",
        "m16n8k32, 4-bit integers",
    ),
    of(
        "mma",
        "m16n8k64.row.col.s32.s4.s4.s32",
        "m16n8k64, elements of 4 bits",
    ),
    of(
        "mma",
        "m8n8k128.row.col.s32.b1.b1.s32.xor.popc",
        "m8n8k128, bits",
    ),
    of(
        "mma",
        "m16n8k128.row.col.s32.b1.b1.s32.xor.popc",
        "m16n8k128, bits",
    ),
    of(
        "mma",
        "m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
        "m16n8k256, bits",
    ),
    of(
        "mma",
        "sp.m16n8k16.row.col.f32.f16.f16.f32",
        "m16n8k16 `.sp`, `.f16` and `.bf16`",
    ),
    of(
        "mma",
        "sp.m16n8k32.row.col.f32.f16.f16.f32",
        "m16n8k32 `.sp`, `.f16` and `.bf16`",
    ),
    of(
        "mma",
        "sp.m16n8k16.row.col.f16.f16.f16.f16",
        "m16n8k16 `.sp`, `.f16`, sums in `.f16`",
    ),
    of(
        "mma",
        "sp.m16n8k32.row.col.f16.f16.f16.f16",
        "m16n8k32 `.sp`, `.f16`, sums in `.f16`",
    ),
    of(
        "mma",
        "sp.m16n8k8.row.col.f32.tf32.tf32.f32",
        "m16n8k8 `.sp`, `.tf32`",
    ),
    of(
        "mma",
        "sp.m16n8k16.row.col.f32.tf32.tf32.f32",
        "m16n8k16 `.sp`, `.tf32`",
    ),
    of(
        "mma",
        "sp.m16n8k32.row.col.s32.s8.s8.s32",
        "m16n8k32 `.sp`, 8-bit integers",
    ),
    of(
        "mma",
        "sp.m16n8k64.row.col.s32.s8.s8.s32",
        "m16n8k64 `.sp`, elements of 8 bits",
    ),
    of(
        "mma",
        "sp::ordered_metadata.m16n8k64.row.col.f16.e4m3.e4m3.f16",
        "m16n8k64 `.sp::ordered_metadata`, 8-bit floats, sums in `.f16`",
    ),
    of(
        "mma",
        "sp.m16n8k64.row.col.s32.s4.s4.s32",
        "m16n8k64 `.sp`, 4-bit integers",
    ),
    of(
        "mma",
        "sp.m16n8k128.row.col.s32.s4.s4.s32",
        "m16n8k128 `.sp`, elements of 4 bits",
    ),
    of(
        "wgmma.mma_async",
        "m64n8k16.f32.f16.f16",
        "m64nNk16, `.f16` and `.bf16`",
    ),
    of(
        "wgmma.mma_async",
        "m64n8k16.f16.f16.f16",
        "m64nNk16, `.f16`, sums in `.f16`",
    ),
    of(
        "wgmma.mma_async",
        "m64n8k8.f32.tf32.tf32",
        "m64nNk8, `.tf32`",
    ),
    of(
        "wgmma.mma_async",
        "m64n8k32.s32.s8.s8",
        "m64nNk32, elements of 8 bits",
    ),
    of(
        "wgmma.mma_async",
        "m64n8k32.f16.e4m3.e4m3",
        "m64nNk32, 8-bit floats, sums in `.f16`",
    ),
    of(
        "wgmma.mma_async",
        "m64n8k256.s32.b1.b1.and.popc",
        "m64nNk256, bits",
    ),
    of(
        "wgmma.mma_async",
        "sp.m64n8k32.f32.f16.f16",
        "m64nNk32 `.sp`, `.f16` and `.bf16`",
    ),
    of(
        "wgmma.mma_async",
        "sp.m64n8k32.f16.f16.f16",
        "m64nNk32 `.sp`, `.f16`, sums in `.f16`",
    ),
    of(
        "wgmma.mma_async",
        "sp.m64n8k16.f32.tf32.tf32",
        "m64nNk16 `.sp`, `.tf32`",
    ),
    of(
        "wgmma.mma_async",
        "sp.m64n8k64.s32.s8.s8",
        "m64nNk64 `.sp`, elements of 8 bits",
    ),
    of(
        "wgmma.mma_async",
        "sp.m64n8k64.f16.e4m3.e4m3",
        "m64nNk64 `.sp`, 8-bit floats, sums in `.f16`",
    ),
    of("ldmatrix", "m8n8.x1.b16", "m8n8"),
    of("ldmatrix", "m8n8.x1.trans.b16", "m8n8 with `.trans`"),
    of("ldmatrix", "m16n16.x1.trans.b8", "m16n16 with `.trans`"),
    of("ldmatrix", "m8n16.x1.b8x16.b4x16_p64", "m8n16"),
    of("stmatrix", "m8n8.x1.b16", "m8n8"),
    of("stmatrix", "m8n8.x1.trans.b16", "m8n8 with `.trans`"),
    of("stmatrix", "m16n8.x1.trans.b8", "m16n8 with `.trans`"),
    of("movmatrix", "m8n8.trans.b16", "m8n8"),
    of("tcgen05.ld", "32x32b.x2.b32", "32x32b"),
    of("tcgen05.ld", "16x64b.x2.b32", "16x64b"),
    of("tcgen05.ld", "16x128b.x1.b32", "16x128b"),
    of("tcgen05.ld", "16x256b.x1.b32", "16x256b"),
    of("tcgen05.ld", "16x32bx2.x2.b32", "16x32bx2"),
    of(
        "tcgen05.ld",
        "32x32b.x2.pack::16b.b32",
        "32x32b with `.pack::16b`",
    ),
    of("tcgen05.st", "32x32b.x2.b32", "32x32b"),
    of("tcgen05.st", "16x64b.x2.b32", "16x64b"),
    of("tcgen05.st", "16x128b.x1.b32", "16x128b"),
    of("tcgen05.st", "16x256b.x1.b32", "16x256b"),
    of("tcgen05.st", "16x32bx2.x2.b32", "16x32bx2"),
];
