//! Statements of random words and operands: whatever is there, the checks give an answer.

use std::sync::Arc;

use analysis::FileContents;
use fastrand::Rng;
use isa::table::{Instruction, tables};
use ptx_tests::{
    fuzz::fuzz,
    mutate,
    properties::{
        answers::{self, FILE, ask_about_file},
        statements::{self, DECLARATIONS},
    },
};

use crate::writing;

/// Statements of a module.
const STATEMENTS: usize = 30;

const OPERANDS: &[&str] = &[
    "p",
    "!p",
    "q1",
    "b",
    "h",
    "r",
    "s3",
    "-s3",
    "d",
    "w",
    "x",
    "f",
    "e",
    "i",
    "u",
    "l",
    "m",
    "a",
    "k",
    "g",
    "g+4",
    "t",
    "L",
    "_",
    "%tid.x",
    "%tid",
    "%laneid",
    "%clock64",
    "%nothing",
    "0",
    "1",
    "-1",
    "7U",
    "0x7fffffffffffffff",
    "0xffffffffffffffff",
    "99999999999999999999999",
    "0b1",
    "0f3F800000",
    "0d3FF0000000000000",
    "1.5",
    "1e400",
    "WARP_SZ",
    "[r]",
    "[d]",
    "[d+4]",
    "[d+-8]",
    "[d+r]",
    "[g]",
    "[g+1]",
    "[l+4]",
    "[m]",
    "[k_0]",
    "[a]",
    "[t, {f, f}]",
    "[t, {r, r, r, r}]",
    "[0]",
    "[-1]",
    "[d+99999999999]",
    "[d, r]",
    "[d], [m]",
    "[",
    "]",
    "{r}",
    "{r, r}",
    "{r, s1, s2, s3}",
    "{f, f, f, f}",
    "{d, d}",
    "{h, h}",
    "{b, b, b, b}",
    "{_, r}",
    "{1, 2}",
    "{}",
    "{{r}}",
    "{r, p}",
    "r|p",
    "p|q1",
    "_|p",
    "r|_",
    "(r)",
    "(r + 1)",
    "(1 << 70)",
    "(1 / 0)",
    "(1 % 0)",
    "(-9223372036854775807 - 1) / -1",
    "-(-9223372036854775807 - 1)",
    "1 ? 2 : 3",
    "r.x",
    "s3.w",
    "r.b0",
    "x.h1",
    "r[1]",
    "\"x\"",
    "",
    ".b32",
    "@p",
    ":",
    "generic(g)",
    "mask(g)",
    "(.s32)1.5",
    "!1",
    "~0",
    "desc",
    "nowhere",
];

const TYPES: &[&str] = &[
    "b8", "b16", "b32", "b64", "b128", "u8", "s16", "u32", "s32", "s64", "f16", "f16x2", "bf16",
    "f32", "f64", "pred", "e4m3", "v2", "v4", "v8",
];

/// The words of an instruction, mixed with words from others.
fn words(rng: &mut Rng, all: &[&'static Instruction]) -> String {
    let instruction = all[rng.usize(..all.len())];
    let mut out = instruction.opcode.to_owned();
    if rng.u8(..20) == 0 {
        out.push_str(TYPES[rng.usize(..TYPES.len())]);
    }
    let mut add = |word: &str| {
        out.push('.');
        out.push_str(word);
    };
    if rng.u8(..10) != 0 {
        instruction.fixed.iter().for_each(|it| add(it));
    }
    let len = match rng.u8(..30) {
        0 => rng.usize(..200),
        _ => rng.usize(..9),
    };
    for _ in 0..len {
        let other = all[rng.usize(..all.len())];
        match rng.u8(..12) {
            0 => add(TYPES[rng.usize(..TYPES.len())]),
            1 if !other.words.is_empty() => add(other.words[rng.usize(..other.words.len())]),
            2 => add(&rng.alphanumeric().to_string()),
            _ if !instruction.words.is_empty() => {
                add(instruction.words[rng.usize(..instruction.words.len())]);
            }
            _ => {}
        }
    }
    out
}

fn statement(rng: &mut Rng, all: &[&'static Instruction]) -> String {
    let guard = ["", "", "", "@p ", "@!q2 ", "@r ", "@ "][rng.usize(..7)];
    let count = match rng.u8(..30) {
        0 => rng.usize(..80),
        _ => rng.usize(..8),
    };
    let operands: Vec<&str> = (0..count)
        .map(|_| OPERANDS[rng.usize(..OPERANDS.len())])
        .collect();
    let end = [";", ";", ";", ";", ";;", "", ","][rng.usize(..7)];
    format!("{guard}{} {}{end}\n", words(rng, all), operands.join(", "))
}

fn module(rng: &mut Rng, all: &[&'static Instruction]) -> String {
    let header = [(); 3].map(|()| rng.usize(..60));
    let mut text = String::new();
    for _ in 0..STATEMENTS {
        match rng.u8(..40) {
            0 => text.push_str(&mutate::soup(rng, 4)),
            _ => text.push_str(&statement(rng, all)),
        }
    }
    statements::module(header, &text)
}

fn instructions() -> Vec<&'static Instruction> {
    let mut opcodes: Vec<&str> = tables().opcodes().collect();
    opcodes.sort_unstable();
    let all = opcodes.iter().flat_map(|it| tables().with_opcode(it));
    all.collect()
}

#[test]
fn random_statements() {
    let all = instructions();
    fuzz("random statements", 60, |rng| {
        let text = module(rng, &all);
        let places: Vec<usize> = (0..40).map(|_| rng.usize(0..=text.len())).collect();
        statements::check(&text, places);
    });
}

/// Also what a formatter makes of garbage has the same tokens.
#[test]
fn random_pieces() {
    fuzz("random pieces", 25, |rng| {
        let len = rng.usize(..400);
        let soup = mutate::soup(rng, len);
        let text = match rng.bool() {
            true => soup,
            false => format!(".version 8.5\n.target sm_90\n.entry k()\n{{\n{DECLARATIONS}{soup}"),
        };
        ask_about_file(&text);
        let contents = Arc::new(FileContents::new(&text));
        let analysis = answers::host(contents.clone()).analysis();
        writing::ask_everywhere(&analysis, FILE, &contents);
    });
}
