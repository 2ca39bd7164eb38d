//! Whole programs around single statements.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

/// A statement with what it needs around it, as it is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The statement, with its semicolon; declarations may precede it.
    #[serde(rename = "stmt")]
    pub statement: String,
    /// The `.version`.
    pub version: String,
    /// The `.target`, perhaps with options.
    pub target: String,
    /// The instruction that the statement is about, for reports.
    pub instruction: String,
    /// The family of instructions, for reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub family: String,
    /// Which registers are declared.
    #[serde(default)]
    pub prelude: Prelude,
    /// Declarations of the module; the usual buffers if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// Parameters of the entry; the usual ones if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<String>,
    /// Further declarations of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// Registers that a program declares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Prelude {
    /// Short names: `r0`, `l1`, `p2`.
    #[default]
    Std,
    /// Names that contain the class: `u32_1`.
    Integer,
    /// None.
    None,
}

/// Declarations that older versions and targets do not have.
struct Declarations {
    version: u32,
    target: u32,
    /// Class, prefix of the names, number of registers.
    registers: &'static [(&'static str, &'static str, u32)],
}

const USUAL_BUFFERS: &str = ".global .align 16 .b8 gbuf[1024]; .shared .align 128 .b8 sbuf[1024]; .const .align 16 .b8 cbuf[256];";
const USUAL_PARAMETERS: &str = ".param .u64 prm, .param .u32 n";

const STD: &[Declarations] = &[
    Declarations {
        version: 10,
        target: 10,
        registers: &[
            ("pred", "p", 8),
            ("b16", "h", 16),
            ("b32", "r", 64),
            ("b64", "l", 32),
            ("u16", "uh", 8),
            ("s16", "sh", 8),
            ("u32", "u", 16),
            ("s32", "s", 16),
            ("u64", "ul", 16),
            ("s64", "sl", 16),
            ("f32", "f", 64),
            ("f64", "d", 16),
        ],
    },
    Declarations {
        version: 42,
        target: 53,
        registers: &[("f16", "hf", 16), ("f16x2", "hx", 16)],
    },
    Declarations {
        version: 83,
        target: 70,
        registers: &[("b128", "q", 8)],
    },
];

const INTEGER: &[Declarations] = &[
    Declarations {
        version: 10,
        target: 10,
        registers: &[
            ("pred", "p", 4),
            ("b8", "b8_", 4),
            ("b16", "b16_", 4),
            ("b32", "b32_", 4),
            ("b64", "b64_", 4),
            ("u8", "u8_", 4),
            ("u16", "u16_", 4),
            ("u32", "u32_", 4),
            ("u64", "u64_", 4),
            ("s8", "s8_", 4),
            ("s16", "s16_", 4),
            ("s32", "s32_", 4),
            ("s64", "s64_", 4),
            ("f32", "f32_", 4),
            ("f64", "f64_", 4),
        ],
    },
    Declarations {
        version: 42,
        target: 53,
        registers: &[("f16", "f16_", 4), ("f16x2", "f16x2_", 4)],
    },
    Declarations {
        version: 83,
        target: 70,
        registers: &[("b128", "b128_", 4)],
    },
];

impl Case {
    /// `10 * major + minor` of the version.
    pub fn version_number(&self) -> u32 {
        let (major, minor) = self
            .version
            .split_once('.')
            .expect("a version has a period");
        let number = |it: &str| it.parse::<u32>().expect("a version is made of numbers");
        10 * number(major) + number(minor)
    }

    /// The number of the target: 90 of `sm_90a`.
    pub fn target_number(&self) -> u32 {
        let digits = self
            .target
            .chars()
            .filter(char::is_ascii_digit)
            .collect::<String>();
        digits.parse().expect("a target has a number")
    }

    /// The program, with each backtick in a name replaced by the suffix, so that many programs can be judged together.
    pub fn program(&self, suffix: &str) -> String {
        let mut out = self.header();
        out.push_str(&self.entry("k`", "", &format!("{{ {} }}", self.statement)));
        out.replace('`', suffix)
    }

    /// The directives before the entry, and the declarations of the module.
    pub fn header(&self) -> String {
        let mut out = format!(".version {}\n.target {}\n", self.version, self.target);
        if self.version_number() >= 23 {
            out.push_str(".address_size 64\n");
        }
        let module = self.module.as_deref().unwrap_or(USUAL_BUFFERS).trim();
        if !module.is_empty() {
            out.push_str(module);
            out.push('\n');
        }
        out
    }

    /// An entry with the registers of the prelude, further parameters, and statements.
    pub fn entry(&self, name: &str, parameters: &str, statements: &str) -> String {
        let own = self.params.as_deref().unwrap_or(USUAL_PARAMETERS).trim();
        let all = [own, parameters].into_iter().filter(|it| !it.is_empty());
        let params = all.collect::<Vec<_>>().join(", ");
        // Before 1.4 entries had no parameter lists.
        let mut out = if self.version_number() >= 14 && !params.is_empty() {
            format!(".entry {name}({params})\n{{\n")
        } else {
            format!(".entry {name}\n{{\n")
        };
        for group in self.declarations() {
            for (class, prefix, count) in group.registers {
                write!(out, ".reg .{class} {prefix}<{count}>; ")
                    .expect("a string takes everything");
            }
            out.push('\n');
        }
        let body = self.body.as_deref().map(str::trim);
        if let Some(body) = body.filter(|it| !it.is_empty()) {
            out.push_str(&body.replace('\n', " "));
            out.push('\n');
        }
        writeln!(out, "{statements}\nret;\n}}").expect("a string takes everything");
        out
    }

    /// The registers of the prelude: class, prefix of the names, and how many.
    pub fn registers(&self) -> impl Iterator<Item = (&'static str, &'static str, u32)> {
        self.declarations().flat_map(|it| it.registers).copied()
    }

    fn declarations(&self) -> impl Iterator<Item = &'static Declarations> {
        let (version, target) = (self.version_number(), self.target_number());
        let prelude = match self.prelude {
            Prelude::Std => STD,
            Prelude::Integer => INTEGER,
            Prelude::None => &[],
        };
        let there = move |it: &&Declarations| version >= it.version && target >= it.target;
        prelude.iter().filter(there)
    }
}
