//! Prints how many lane-operations the evaluator does in a second, on warps of 32 lanes, in processor time of one core.
//!
//! Run with `cargo bench -p ptx-analyzer-tests --bench evaluator`. An operation is one statement on one lane.

#![expect(clippy::print_stdout, reason = "a table is what this program is for")]

use std::{hint::black_box, time::Instant};

use isa::{
    compute::{Machine, Program, Surroundings, program},
    matcher::{Statement, fit},
    operand::Operand,
    tables,
    target::{Module, Target, Version},
    types::Class,
};

const LANES: usize = 32;
/// Statements that are run at least, each on all lanes.
const LEAST: usize = 1 << 21;
/// Measurements, of which the fastest counts.
const RUNS: usize = 5;

/// The name of a group, and its statements with the types of their registers.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "integer and logic",
        &[
            "add.s32 b32 b32 b32",
            "and.b32 b32 b32 b32",
            "shl.b32 b32 b32 b32",
            "mad.lo.s32 b32 b32 b32 b32",
            "xor.b32 b32 b32 b32",
            "shr.u32 b32 b32 b32",
            "sub.s32 b32 b32 b32",
            "min.s32 b32 b32 b32",
            "add.s64 b64 b64 b64",
            "mul.wide.s32 b64 b32 b32",
            "setp.lt.s32 pred b32 b32",
            "selp.b32 b32 b32 b32 pred",
            "cvt.u64.u32 b64 b32",
            "shl.b64 b64 b64 b32",
        ],
    ),
    ("fma.rn.f32", &["fma.rn.f32 f32 f32 f32 f32"]),
    (
        "add, mul .f32",
        &["add.rn.f32 f32 f32 f32", "mul.rn.f32 f32 f32 f32"],
    ),
    (
        "add, mul .f64",
        &["add.rn.f64 f64 f64 f64", "mul.rn.f64 f64 f64 f64"],
    ),
    ("fma.rn.f16x2", &["fma.rn.f16x2 b32 b32 b32 b32"]),
];

fn compile(text: &str) -> Program {
    let mut parts = text.split(' ');
    let mut words = parts.next().unwrap_or_default().split('.');
    let opcode = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let operands: Vec<Operand> = parts
        .map(|it| Operand::Register {
            class: Class::from_word(it).expect("a type of registers"),
            lanes: 1,
        })
        .collect();
    let statement = Statement {
        opcode,
        words: &words,
        operands: &operands,
        module: Module::new(
            Version::new(9, 3),
            Target::parse("sm_100a").expect("a target"),
        ),
    };
    let fit = fit(tables(), &statement).expect("the statement fits");
    let bindings = fit.bind(&statement);
    program(&fit, &statement, &bindings).expect("it computes something")
}

fn main() {
    let inputs: Vec<[u64; LANES]> = (0..4)
        .map(|input| std::array::from_fn(|lane| 0x3f80_0000 + lane as u64 * 0x1357 + input))
        .collect();
    println!("| statements | million lane-operations per second |");
    println!("|---|---|");
    for (name, texts) in GROUPS {
        let programs: Vec<Program> = texts.iter().map(|it| compile(it)).collect();
        let rounds = LEAST / LANES / programs.len();
        let mut machine = Machine::<LANES>::default();
        let mut best = 0.0_f64;
        for _ in 0..RUNS {
            let start = Instant::now();
            for _ in 0..rounds {
                for program in &programs {
                    let surroundings = Surroundings {
                        active: u32::MAX,
                        ..Surroundings::alone(&[0; LANES])
                    };
                    machine.run(program, &inputs[..program.inputs.len()], &surroundings);
                    black_box(machine.value(program.outputs[0].1));
                }
            }
            let operations = (rounds * programs.len() * LANES) as f64;
            best = best.max(operations / start.elapsed().as_secs_f64() / 1e6);
        }
        println!("| {name} | {best:.0} |");
    }
}
