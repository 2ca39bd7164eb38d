//! Generates valid PTX of any size, the same text for the same size in every run.

use std::fmt::Write;

use isa::{
    operand::{Operand, Space, Symbol},
    types::Class,
};

/// About how many bytes one generated kernel has: some 1,500 lines, as in large real files.
pub const KERNEL_LEN: usize = 64 << 10;

/// About how many bytes one generated instruction has, with its share of labels and line marks.
const INSTRUCTION_LEN: usize = 36;

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

/// A module of one kernel with about this many instructions, in the shape of [`module`].
pub fn function(instructions: usize) -> String {
    let mut rng = fastrand::Rng::with_seed(0x9e37_79b9);
    let mut out = String::from(".version 8.5\n.target sm_90\n.address_size 64\n\n");
    kernel(&mut out, 0, instructions * INSTRUCTION_LEN, &mut rng);
    out
}

/// The registers of one class that something has written, so that others read no undefined values.
struct Written {
    declared: u16,
    numbers: Vec<u16>,
}

impl Written {
    fn new(declared: u16, numbers: &[u16]) -> Written {
        Written {
            declared,
            numbers: numbers.to_vec(),
        }
    }

    fn read(&self, rng: &mut fastrand::Rng) -> u16 {
        self.numbers[rng.usize(..self.numbers.len())]
    }

    fn write(&mut self, rng: &mut fastrand::Rng) -> u16 {
        let number = rng.u16(..self.declared);
        self.numbers.push(number);
        number
    }
}

struct Registers {
    predicates: Written,
    integers: Written,
    floats: Written,
    doubles: Written,
    addresses: Written,
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
    line(out, format_args!("\tsetp.ne.s32 \t%p0, %r0, 0;"));
    line(out, format_args!("\tmov.f32 \t%f0, 0f3F800000;"));
    line(out, format_args!("\tmov.f64 \t%fd0, 0d3FF0000000000000;"));
    let mut registers = Registers {
        predicates: Written::new(16, &[0]),
        integers: Written::new(512, &[0]),
        floats: Written::new(512, &[0]),
        doubles: Written::new(64, &[0]),
        addresses: Written::new(256, &[0, 1]),
    };

    let mut block = 0;
    let mut labels: Vec<usize> = Vec::new();
    while out.len() - start < len {
        block += 1;
        if rng.u8(..4) == 0 {
            line(out, format_args!("\t.loc\t1 {} 5", 10 + block));
        }
        for _ in 0..rng.u8(4..24) {
            instruction(out, index, &mut registers, rng);
        }
        let integer = registers.integers.read(rng);
        let predicate = registers.predicates.write(rng);
        line(
            out,
            format_args!("\tsetp.lt.s32 \t%p{predicate}, %r{integer}, %r0;"),
        );
        let not = if rng.bool() { "!" } else { "" };
        // As in nvcc's code, there is no label that nothing goes to.
        let target = match rng.u8(..4) {
            0 if !labels.is_empty() => labels[rng.usize(..labels.len())],
            _ => block,
        };
        line(
            out,
            format_args!("\t@{not}%p{predicate} bra \t$L__BB{index}_{target};"),
        );
        if target == block {
            labels.push(block);
            out.push('\n');
            line(out, format_args!("$L__BB{index}_{block}:"));
        }
    }
    line(out, format_args!("\tret;\n"));
    line(out, format_args!("}}"));
    if index == 0 {
        line(out, format_args!("\t.file\t1 \"/src/generated.cu\""));
    }
}

fn instruction(
    out: &mut String,
    kernel: usize,
    registers: &mut Registers,
    rng: &mut fastrand::Rng,
) {
    let Registers {
        predicates,
        integers: r,
        floats: f,
        doubles,
        addresses,
    } = registers;
    let imm = rng.u16(..) / 4 * 4;
    let (r0, r1, r2) = (r.read(rng), r.read(rng), r.read(rng));
    let (f0, f1, f2) = (f.read(rng), f.read(rng), f.read(rng));
    let address = addresses.read(rng);
    match rng.u8(..16) {
        0 => {
            let to = r.write(rng);
            line(out, format_args!("\tadd.s32 \t%r{to}, %r{r0}, {imm};"));
        }
        1 => {
            let to = r.write(rng);
            line(out, format_args!("\tadd.s32 \t%r{to}, %r{r0}, %r{r1};"));
        }
        2 => {
            let to = r.write(rng);
            line(
                out,
                format_args!("\tmad.lo.s32 \t%r{to}, %r{r0}, %r{r1}, %r{r2};"),
            );
        }
        3 => {
            let to = r.write(rng);
            line(
                out,
                format_args!("\tshl.b32 \t%r{to}, %r{r0}, {};", imm % 32),
            );
        }
        4 => {
            let to = addresses.write(rng);
            line(out, format_args!("\tmul.wide.s32 \t%rd{to}, %r{r0}, 4;"));
        }
        5 => {
            let to = addresses.write(rng);
            line(
                out,
                format_args!("\tadd.s64 \t%rd{to}, %rd1, %rd{address};"),
            );
        }
        6 => {
            let to = f.write(rng);
            line(
                out,
                format_args!("\tld.global.nc.f32 \t%f{to}, [%rd{address}+{imm}];"),
            );
        }
        7 => line(
            out,
            format_args!("\tst.global.f32 \t[%rd{address}+{imm}], %f{f0};"),
        ),
        8 | 9 => {
            let to = f.write(rng);
            line(
                out,
                format_args!("\tfma.rn.f32 \t%f{to}, %f{f0}, %f{f1}, %f{f2};"),
            );
        }
        10 => {
            let to = f.write(rng);
            line(out, format_args!("\tmul.f32 \t%f{to}, %f{f0}, 0f3FB8AA3B;"));
        }
        11 => {
            let (from, to) = (doubles.read(rng), doubles.write(rng));
            line(
                out,
                format_args!("\tadd.rn.f64 \t%fd{to}, %fd{from}, 0d3FF0000000000000;"),
            );
        }
        12 => {
            let (x, y) = (f.write(rng), f.write(rng));
            line(
                out,
                format_args!(
                    "\tld.shared.v2.f32 \t{{%f{x}, %f{y}}}, [kernel_{kernel}_tile+{}];",
                    imm % 4096 / 8 * 8
                ),
            );
        }
        13 => {
            let (predicate, to) = (predicates.read(rng), r.write(rng));
            line(
                out,
                format_args!("\tselp.b32 \t%r{to}, %r{r0}, %r{r1}, %p{predicate};"),
            );
        }
        14 => {
            let (r3, r4, r5) = (r.read(rng), r.read(rng), r.read(rng));
            let [a, b, c, d] = [(); 4].map(|()| f.write(rng));
            line(
                out,
                format_args!(
                    "\tmma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 \
                     {{%f{a}, %f{b}, %f{c}, %f{d}}}, {{%r{r0}, %r{r1}, %r{r2}, %r{r3}}}, \
                     {{%r{r4}, %r{r5}}}, {{%f{f0}, %f{f1}, %f{f2}, %f{f0}}};"
                ),
            );
        }
        _ => {
            let (predicate, to) = (predicates.write(rng), r.write(rng));
            line(
                out,
                format_args!(
                    "\tshfl.sync.bfly.b32\t%r{to}|%p{predicate}, %r{r0}, {}, 31, -1;",
                    imm % 32
                ),
            );
        }
    }
}

fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    writeln!(out, "{text}").expect("writing to a string");
}

fn register(class: Class) -> Operand {
    Operand::Register { class, lanes: 1 }
}

/// Statements of the usual sorts, and one that needs a long search.
#[must_use]
pub fn statements() -> Vec<(&'static str, Vec<&'static str>, Vec<Operand>)> {
    let (b32, b64, f32) = (
        register(Class::B32),
        register(Class::B64),
        register(Class::F32),
    );
    let fragment = |count: usize, class: Class| Operand::Vector(vec![register(class); count]);
    let shared = Operand::Symbol(Symbol::Variable(Space::Shared, None));
    vec![
        (
            "add",
            vec!["s32"],
            vec![b32.clone(), b32.clone(), Operand::Integer(4)],
        ),
        (
            "fma",
            vec!["rn", "f32"],
            vec![f32.clone(), f32.clone(), f32.clone(), f32.clone()],
        ),
        ("mov", vec!["u32"], vec![b32.clone(), shared]),
        (
            "cvt",
            vec!["rn", "f32", "s32"],
            vec![f32.clone(), b32.clone()],
        ),
        (
            "setp",
            vec!["lt", "s32"],
            vec![register(Class::Pred), b32.clone(), b32],
        ),
        (
            "ld",
            vec!["global", "f32"],
            vec![f32.clone(), Operand::Address(vec![b64.clone()], None)],
        ),
        (
            "st",
            vec!["global", "f32"],
            vec![Operand::Address(vec![b64], None), f32],
        ),
        (
            "mma",
            vec![
                "sync", "aligned", "m16n8k16", "row", "col", "f32", "f16", "f16", "f32",
            ],
            vec![
                fragment(4, Class::F32),
                fragment(4, Class::B32),
                fragment(2, Class::B32),
                fragment(4, Class::F32),
            ],
        ),
    ]
}
