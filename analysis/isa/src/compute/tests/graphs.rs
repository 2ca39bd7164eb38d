//! Random programs are run, and compared with the values that their graphs tell.

use std::collections::BTreeMap;

use super::statement::{Compiled, Registers, compile};
use crate::{
    compute::{Graph, LaneValues, Node},
    types::Class,
};

/// Lanes on which a program is run, with other numbers in each.
const LANES: usize = 16;
/// Registers of each class.
const REGISTERS: usize = 4;
/// Statements of a program.
const LENGTH: usize = 12;

const TEMPLATES: &[&str] = &[
    "add.s32 $d, $a, $b",
    "sub.u32 $d, $a, $b",
    "mul.lo.s32 $d, $a, $b",
    "mul.hi.u32 $d, $a, $b",
    "mad.lo.s32 $d, $a, $b, $c",
    "and.b32 $d, $a, $b",
    "or.b32 $d, $a, $b",
    "xor.b32 $d, $a, $b",
    "not.b32 $d, $a",
    "neg.s32 $d, $a",
    "shl.b32 $d, $a, $b",
    "shr.u32 $d, $a, $b",
    "shr.s32 $d, $a, $b",
    "min.s32 $d, $a, $b",
    "max.u32 $d, $a, $b",
    "rem.u32 $d, $a, $b",
    "div.s32 $d, $a, $b",
    "bfe.u32 $d, $a, $b, $c",
    "bfe.s32 $d, $a, $b, $c",
    "bfi.b32 $d, $a, $b, $c, $e",
    "prmt.b32 $d, $a, $b, $c",
    "lop3.b32 $d, $a, $b, $c, 0x96",
    "lop3.b32 $d, $a, $b, $c, 0xca",
    "popc.b32 $d, $a",
    "brev.b32 $d, $a",
    "abs.s32 $d, $a",
    "add.sat.s32 $d, $a, $b",
    "cvt.s32.s16 $d, $w",
    "cvt.u32.u64 $d, $x",
    "selp.b32 $d, $a, $b, $p",
    "shf.l.wrap.b32 $d, $a, $b, $c",
    "cvt.u64.u32 $y, $a",
    "cvt.s64.s32 $y, $a",
    "mul.wide.s32 $y, $a, $b",
    "mad.wide.u32 $y, $a, $b, $x",
    "add.s64 $y, $x, $z",
    "sub.s64 $y, $x, $z",
    "mul.lo.u64 $y, $x, $z",
    "mul.hi.u64 $y, $x, $z",
    "shl.b64 $y, $x, $a",
    "shr.u64 $y, $x, $a",
    "and.b64 $y, $x, $z",
    "xor.b64 $y, $x, $z",
    "mov.b64 $y, {$a, $b}",
    "setp.lt.s32 $q, $a, $b",
    "setp.ne.u64 $q, $x, $z",
    "and.pred $q, $p, !$r",
    "cvt.u16.u32 $v, $a",
    "add.u16 $v, $w, $u",
];

fn class(name: &str) -> Class {
    match name.trim_start_matches('$') {
        "x" | "y" | "z" => Class::B64,
        "p" | "q" | "r" => Class::Pred,
        "u" | "v" | "w" => Class::B16,
        _ => Class::B32,
    }
}

/// Numbers by a fixed seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    /// A number of so many bits, often a small one or one at an end.
    fn number(&mut self, bits: u32) -> u64 {
        let mask = u64::MAX >> (64 - bits);
        let number = match self.below(6) {
            0 => self.next() % 40,
            1 => 1 << self.below(64),
            2 => [0, 1, u64::MAX, u64::MAX >> 1, u64::MAX << 4][self.below(5)],
            3 => !self.next() % 40,
            _ => self.next(),
        };
        number & mask
    }
}

/// A register: its width in bits, and its number.
type Register = (u32, usize);

struct Tried {
    /// The numbers by running the statements.
    registers: BTreeMap<Register, [u64; LANES]>,
    /// The nodes of the graph.
    nodes: BTreeMap<Register, Node>,
    graph: Graph,
    leaves: Vec<[u64; LANES]>,
    text: Vec<String>,
}

/// The templates, compiled.
fn templates() -> Vec<(Compiled, Vec<&'static str>, &'static str)> {
    let compiled = TEMPLATES.iter().map(|text| {
        let names: Vec<&str> = text
            .split(|it: char| !(it == '$' || it.is_ascii_alphanumeric()))
            .filter(|it| it.starts_with('$'))
            .collect();
        let mut classes = names
            .iter()
            .map(|it| ((*it).to_owned(), class(it)))
            .collect();
        (compile(text, &mut classes).unwrap(), names, *text)
    });
    compiled.collect()
}

fn run(random: &mut Random, templates: &[(Compiled, Vec<&'static str>, &'static str)]) -> Tried {
    let mut tried = Tried {
        registers: BTreeMap::new(),
        nodes: BTreeMap::new(),
        graph: Graph::default(),
        leaves: Vec::new(),
        text: Vec::new(),
    };
    for class in [Class::B32, Class::B64, Class::Pred, Class::B16] {
        for index in 0..REGISTERS {
            let bits = class.bits();
            let (values, node) = match random.below(2) {
                0 => {
                    let number = random.number(bits);
                    ([number; LANES], tried.graph.constant(number))
                }
                _ => {
                    let (node, _) = tried.graph.leaf(bits as u8);
                    let values = std::array::from_fn(|_| random.number(bits));
                    tried.leaves.push(values);
                    (values, node)
                }
            };
            tried.registers.insert((bits, index), values);
            tried.nodes.insert((bits, index), node);
        }
    }
    for _ in 0..LENGTH {
        let (compiled, names, text) = &templates[random.below(templates.len())];
        let chosen: BTreeMap<&str, Register> = names
            .iter()
            .map(|it| (*it, (class(it).bits(), random.below(REGISTERS))))
            .collect();
        let mut registers: Registers<LANES> = chosen
            .iter()
            .map(|(name, register)| {
                let values = tried.registers[register];
                ((*name).to_owned(), values.map(u128::from))
            })
            .collect();
        compiled.run(&mut registers, &mut [0; LANES], 1);
        let inputs: Vec<Node> = (0..compiled.program.inputs.len())
            .map(|it| match compiled.input_name(it) {
                Ok(name) => tried.nodes[&chosen[name]],
                Err(constant) => tried.graph.constant(constant),
            })
            .collect();
        let outputs = tried.graph.apply(&compiled.program, &inputs, false);
        for (index, (_, node)) in outputs.into_iter().enumerate() {
            let name = compiled.output_name(index).unwrap();
            tried.nodes.insert(chosen[name], node);
            let values = registers[name].map(|it| it as u64);
            tried.registers.insert(chosen[name], values);
        }
        let registers = chosen
            .iter()
            .map(|(name, it)| format!("{name}=b{}_{}", it.0, it.1));
        let registers: Vec<String> = registers.collect();
        tried.text.push(format!("{text}  {}", registers.join(" ")));
    }
    tried
}

fn check(random: &mut Random, templates: &[(Compiled, Vec<&'static str>, &'static str)]) {
    let mut tried = run(random, templates);
    let leaves = tried.leaves.clone();
    let mut lanes = LaneValues::<LANES>::default();
    let all: Vec<(Register, Node)> = tried.nodes.iter().map(|it| (*it.0, *it.1)).collect();
    for (register, node) in &all {
        let expected = tried.registers[register];
        let text = || tried.text.join("\n");
        let leaf = &mut |it: u32| leaves.get(it as usize).copied();
        let got = lanes.get(&tried.graph, *node, leaf);
        assert_eq!(got, Some(&expected), "{register:?} of\n{}", text());
        let known = tried.graph.known_bits(*node);
        for value in expected {
            let value = u128::from(value);
            assert_eq!(
                value & known.mask,
                known.bits,
                "bits of {register:?} of\n{}",
                text()
            );
        }
        let map = tried.graph.bit_map(*node, register.0);
        for (bit, function) in map.bits().iter().enumerate() {
            let Some(function) = function else { continue };
            for (lane, value) in expected.iter().enumerate() {
                let found = function.value(|it| leaves[it.leaf as usize][lane] >> it.bit & 1 == 1);
                let expected = value >> bit & 1 == 1;
                assert_eq!(found, expected, "bit {bit} of {register:?} of\n{}", text());
            }
        }
    }
    for (one, a) in &all {
        for (other, b) in &all {
            let bits = one.0.min(other.0);
            let Some(distance) = tried.graph.distance(*a, *b, bits) else {
                continue;
            };
            let (x, y) = (tried.registers[one], tried.registers[other]);
            let mask = u64::MAX >> (64 - bits);
            for (x, y) in x.iter().zip(y) {
                let actual = x.wrapping_sub(y) & mask;
                let text = tried.text.join("\n");
                assert_eq!(
                    actual,
                    distance as u64 & mask,
                    "{one:?} {other:?} of\n{text}"
                );
            }
        }
    }
}

/// `PTX_GRAPHS` is the number of programs for a long run.
#[test]
fn graphs_tell_the_truth() {
    let programs = std::env::var("PTX_GRAPHS").ok();
    let programs = programs.and_then(|it| it.parse().ok()).unwrap_or(2_000);
    let templates = templates();
    let mut random = Random(1);
    for _ in 0..programs {
        check(&mut random, &templates);
    }
}
