//! Generates valid PTX of any size, the same text for the same size in every run.

use std::fmt::Write;

/// About how many bytes one generated kernel has: some 1,500 lines, as in large real files.
pub const KERNEL_LEN: usize = 64 << 10;

/// A module of kernels in the shape that nvcc gives them, at least `len` bytes long.
///
/// ptxas accepts the result: every name is declared and every instruction is legal.
pub fn module(len: usize) -> String {
    let mut rng = fastrand::Rng::with_seed(0x9e37_79b9);
    let mut out = String::with_capacity(len + 2 * KERNEL_LEN);
    out.push_str("//\n// Generated to measure; it computes nothing.\n//\n\n");
    out.push_str(".version 8.5\n.target sm_90\n.address_size 64\n\n");
    let mut index = 0;
    while out.len() < len {
        kernel(&mut out, index, KERNEL_LEN.min(len), &mut rng);
        index += 1;
    }
    out
}

/// One kernel whose body is at least `len` bytes long.
fn kernel(out: &mut String, index: usize, len: usize, rng: &mut fastrand::Rng) {
    let start = out.len();
    line(out, format_args!("\t// .globl\tkernel_{index}"));
    line(out, format_args!(".visible .entry kernel_{index}("));
    line(out, format_args!("\t.param .u64 kernel_{index}_param_0,"));
    line(out, format_args!("\t.param .u32 kernel_{index}_param_1"));
    line(out, format_args!(")"));
    line(out, format_args!(".maxntid 256, 1, 1"));
    line(out, format_args!("{{"));
    line(out, format_args!("\t.reg .pred \t%p<16>;"));
    line(out, format_args!("\t.reg .b16 \t%rs<16>;"));
    line(out, format_args!("\t.reg .b32 \t%r<512>;"));
    line(out, format_args!("\t.reg .f32 \t%f<512>;"));
    line(out, format_args!("\t.reg .f64 \t%fd<64>;"));
    line(out, format_args!("\t.reg .b64 \t%rd<256>;"));
    line(
        out,
        format_args!("\t.shared .align 16 .b8 kernel_{index}_tile[4096];"),
    );
    out.push('\n');
    line(
        out,
        format_args!("\tld.param.u64 \t%rd0, [kernel_{index}_param_0];"),
    );
    line(
        out,
        format_args!("\tld.param.u32 \t%r0, [kernel_{index}_param_1];"),
    );
    line(out, format_args!("\tcvta.to.global.u64 \t%rd1, %rd0;"));

    let mut block = 0;
    while out.len() - start < len {
        block += 1;
        if rng.u8(..4) == 0 {
            line(out, format_args!("\t.loc\t1 {} 5", 10 + block));
        }
        for _ in 0..rng.u8(4..24) {
            instruction(out, index, rng);
        }
        let predicate = rng.u8(..16);
        line(
            out,
            format_args!("\tsetp.lt.s32 \t%p{predicate}, %r{}, %r0;", rng.u16(..512)),
        );
        let not = if rng.bool() { "!" } else { "" };
        let target = rng.usize(1..=block);
        line(
            out,
            format_args!("\t@{not}%p{predicate} bra \t$L__BB{index}_{target};"),
        );
        out.push('\n');
        line(out, format_args!("$L__BB{index}_{block}:"));
    }
    line(out, format_args!("\tret;\n"));
    line(out, format_args!("}}"));
    if index == 0 {
        line(out, format_args!("\t.file\t1 \"/src/generated.cu\""));
    }
}

fn instruction(out: &mut String, kernel: usize, rng: &mut fastrand::Rng) {
    let [a, b, c, d] = [(); 4].map(|()| rng.u16(..512));
    let [e, f] = [(); 2].map(|()| rng.u16(..256));
    let [g, h] = [(); 2].map(|()| rng.u16(..64));
    let imm = rng.u16(..) / 4 * 4;
    match rng.u8(..16) {
        0 => line(out, format_args!("\tadd.s32 \t%r{a}, %r{b}, {imm};")),
        1 => line(out, format_args!("\tadd.s32 \t%r{a}, %r{b}, %r{c};")),
        2 => line(
            out,
            format_args!("\tmad.lo.s32 \t%r{a}, %r{b}, %r{c}, %r{d};"),
        ),
        3 => line(out, format_args!("\tshl.b32 \t%r{a}, %r{b}, {};", imm % 32)),
        4 => line(out, format_args!("\tmul.wide.s32 \t%rd{e}, %r{a}, 4;")),
        5 => line(out, format_args!("\tadd.s64 \t%rd{e}, %rd1, %rd{f};")),
        6 => line(
            out,
            format_args!("\tld.global.nc.f32 \t%f{a}, [%rd{e}+{imm}];"),
        ),
        7 => line(
            out,
            format_args!("\tst.global.f32 \t[%rd{e}+{imm}], %f{a};"),
        ),
        8 | 9 => line(
            out,
            format_args!("\tfma.rn.f32 \t%f{a}, %f{b}, %f{c}, %f{d};"),
        ),
        10 => line(out, format_args!("\tmul.f32 \t%f{a}, %f{b}, 0f3FB8AA3B;")),
        11 => line(
            out,
            format_args!("\tadd.rn.f64 \t%fd{g}, %fd{h}, 0d3FF0000000000000;"),
        ),
        12 => line(
            out,
            format_args!(
                "\tld.shared.v2.f32 \t{{%f{a}, %f{b}}}, [kernel_{kernel}_tile+{}];",
                imm % 4096 / 8 * 8
            ),
        ),
        13 => line(
            out,
            format_args!("\tselp.b32 \t%r{a}, %r{b}, %r{c}, %p{};", d % 16),
        ),
        14 => line(
            out,
            format_args!(
                "\tmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 \
                 {{%f{a}, %f{b}, %f{c}, %f{d}}}, {{%r{a}, %r{b}, %r{c}, %r{d}}}, \
                 {{%r{e}, %r{f}}}, {{%f{a}, %f{b}, %f{c}, %f{d}}};"
            ),
        ),
        _ => line(
            out,
            format_args!(
                "\tshfl.sync.bfly.b32\t%r{a}|%p{}, %r{b}, {}, 31, -1;",
                c % 16,
                d % 32
            ),
        ),
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("writing to a string");
}
