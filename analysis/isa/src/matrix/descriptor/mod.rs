//! Descriptors: numbers of 32 or 64 bits that tell tensor cores where matrices are and what to do with them.
//!
//! PTX ISA 9.7.16.5.1.2.2 for `wgmma`, 9.7.17.4 for `tcgen05`. The fields that the `sm_107` family adds come from
//! PTX ISA 9.4.

#[cfg(test)]
mod tests;
mod written;

use crate::target::Target;

pub use written::{Named, PRODUCTS, SHARED};

/// The meaning of the value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// An address or distance in units of 16 bytes.
    Bytes,
    /// A number.
    Number,
    /// A number less one.
    CountLessOne,
    /// Always this value.
    Fixed(u64),
    /// One of these.
    Choice(&'static [(u64, &'static str)]),
    /// Rows of A, in units of so many; those that exist.
    Rows(u64, &'static [u64]),
    /// Columns of B, in units of 8.
    Columns,
    /// Whether half of A is left out, as the instruction says.
    Sparse(bool),
}

/// Neighbouring bits with one meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// A description in words.
    pub name: &'static str,
    /// Its lowest bit.
    pub low: u32,
    /// Number of bits.
    pub width: u32,
    /// The meaning of the value.
    pub meaning: Meaning,
}

/// A field with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The field.
    pub field: Field,
    /// The bits.
    pub value: u64,
    /// Their meaning.
    pub text: String,
    /// Why they may not be so.
    pub problem: Option<String>,
}

/// The fields of a descriptor, which cover it from the lowest bit on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name.
    pub title: &'static str,
    /// Concepts of the documentation that explain it.
    pub concepts: &'static [&'static str],
    /// Bits of the whole.
    pub bits: u32,
    /// Its fields, ascending.
    pub fields: Vec<Field>,
}

const WIDE_SWIZZLES: &[(u64, &str)] = &[
    (0, "none"),
    (1, "128 bytes in units of 32"),
    (2, "128 bytes"),
    (4, "64 bytes"),
    (6, "32 bytes"),
];
const SWIZZLES: &[(u64, &str)] = &[
    (0, "none"),
    (1, "128 bytes"),
    (2, "64 bytes"),
    (3, "32 bytes"),
];
const SMALL_FLOATS: &[(u64, &str)] = &[
    (0, "e4m3"),
    (1, "e5m2"),
    (3, "e2m3"),
    (4, "e3m2"),
    (5, "e2m1"),
];
const HALVES: &[(u64, &str)] = &[(0, "f16"), (1, "bf16")];
const BYTES: &[(u64, &str)] = &[(0, "u8"), (1, "s8")];
const NO_YES: &[(u64, &str)] = &[(0, "no"), (1, "yes")];
const SCALE_BYTE: &[(u64, &str)] = &[(0, "byte 0"), (2, "byte 2")];

const fn field(name: &'static str, low: u32, width: u32, meaning: Meaning) -> Field {
    Field {
        name,
        low,
        width,
        meaning,
    }
}

const fn zero(low: u32, width: u32) -> Field {
    field("reserved", low, width, Meaning::Fixed(0))
}

/// The descriptor of an operand of an instruction, both by their names in the tables; none if the operand is no
/// descriptor or its format depends on something unknown. `words` are the modifiers without periods.
#[must_use]
pub fn format(instruction: &str, operand: &str, words: &[&str], target: Target) -> Option<Format> {
    format_of(
        instruction,
        operand,
        words,
        (107..110).contains(&target.number),
    )
}

/// The operands that are descriptors in some instruction, by their names in the tables.
const OPERANDS: [&str; 5] = ["a", "b", "idesc", "s_desc", "zero_column_mask"];
/// Modifiers at most that are a part of the name of an instruction.
const MAX_NAME_WORDS: usize = 2;

/// The descriptors among the operands of a statement, with the names of these in the tables; `words` are all its
/// modifiers without periods.
#[must_use]
pub fn formats(opcode: &str, words: &[&str], target: Target) -> Vec<(&'static str, Format)> {
    for count in (0..=words.len().min(MAX_NAME_WORDS)).rev() {
        let mut name = opcode.to_owned();
        for word in &words[..count] {
            name.push('.');
            name.push_str(word);
        }
        let all = OPERANDS.iter();
        let found: Vec<(&'static str, Format)> = all
            .filter_map(|it| Some((*it, format(&name, it, words, target)?)))
            .collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// The descriptor of an operand as in [`format()`], for all targets outside the `sm_107` family.
#[must_use]
pub fn common_format(instruction: &str, operand: &str, words: &[&str]) -> Option<Format> {
    format_of(instruction, operand, words, false)
}

fn format_of(instruction: &str, operand: &str, words: &[&str], newest: bool) -> Option<Format> {
    Some(match (instruction, operand) {
        ("wgmma.mma_async", "a" | "b") => warpgroup(),
        ("tcgen05.mma" | "tcgen05.mma.ws", "a" | "b") | ("tcgen05.cp", "s_desc") => shared(newest),
        ("tcgen05.mma" | "tcgen05.mma.ws", "idesc") => {
            let sparse = words.contains(&"sp");
            let kind = words.iter().find_map(|it| it.strip_prefix("kind::"))?;
            product(kind, sparse, instruction == "tcgen05.mma.ws", newest)?
        }
        ("tcgen05.mma.ws", "zero_column_mask") => zero_columns(),
        _ => return None,
    })
}

/// The descriptor of a matrix in shared memory for `wgmma`.
fn warpgroup() -> Format {
    let fields = vec![
        field("start address", 0, 14, Meaning::Bytes),
        zero(14, 2),
        field("leading dimension offset", 16, 14, Meaning::Bytes),
        zero(30, 2),
        field("stride dimension offset", 32, 14, Meaning::Bytes),
        zero(46, 3),
        field("base offset", 49, 3, Meaning::Number),
        zero(52, 10),
        field("swizzle", 62, 2, Meaning::Choice(SWIZZLES)),
    ];
    Format {
        title: "Descriptor of a matrix in shared memory",
        concepts: &["matrix descriptor", "swizzling"],
        bits: 64,
        fields,
    }
}

/// The descriptor of a matrix in shared memory for `tcgen05`; addresses have a bit more on the `sm_107` family.
fn shared(newest: bool) -> Format {
    let width = if newest { 15 } else { 14 };
    let mut fields = vec![
        field("start address", 0, width, Meaning::Bytes),
        zero(width, 16 - width),
        field("leading dimension offset", 16, width, Meaning::Bytes),
        zero(16 + width, 16 - width),
        field("stride dimension offset", 32, 14, Meaning::Bytes),
        field("constant", 46, 3, Meaning::Fixed(1)),
        field("base offset", 49, 3, Meaning::Number),
        field(
            "leading dimension",
            52,
            1,
            Meaning::Choice(&[(0, "a relative offset"), (1, "an absolute address")]),
        ),
    ];
    if newest {
        fields.push(field(
            "segment of K, for `.decompress::lut::b`",
            53,
            1,
            Meaning::Number,
        ));
        fields.push(zero(54, 7));
    } else {
        fields.push(zero(53, 8));
    }
    fields.push(field("swizzle", 61, 3, Meaning::Choice(WIDE_SWIZZLES)));
    Format {
        title: "Descriptor of a matrix in shared memory",
        concepts: &["matrix descriptor", "swizzling"],
        bits: 64,
        fields,
    }
}

/// The instruction descriptor, by `.kind`.
fn product(kind: &str, sparse: bool, ws: bool, newest: bool) -> Option<Format> {
    let fields = match kind {
        "f16" | "tf32" | "f8f6f4" | "i8" => plain(kind, sparse, ws, newest),
        "mxf8f6f4" => scaled(sparse, newest),
        "mxf4" | "mxf4nvf4" => scaled_by_four(kind, sparse, newest),
        // The manual does not say enough about .kind::ti16.
        _ => return None,
    };
    Some(Format {
        title: "Instruction descriptor",
        concepts: &["instruction descriptor"],
        bits: 32,
        fields,
    })
}

const N: Field = field("N", 17, 6, Meaning::Columns);
const NEGATE_A: Field = field("negate A", 13, 1, Meaning::Choice(NO_YES));
const NEGATE_B: Field = field("negate B", 14, 1, Meaning::Choice(NO_YES));
const ORDER_A: Field = field(
    "A",
    15,
    1,
    Meaning::Choice(&[(0, "K-major"), (1, "M-major, transposed")]),
);
const ORDER_B: Field = field(
    "B",
    16,
    1,
    Meaning::Choice(&[(0, "K-major"), (1, "N-major, transposed")]),
);

/// Without block scaling.
fn plain(kind: &str, sparse: bool, ws: bool, newest: bool) -> Vec<Field> {
    let (sums, factors): (&[_], &[_]) = match kind {
        "f16" => (&[(0, "f16"), (1, "f32")], HALVES),
        "tf32" => (&[(1, "f32")], &[(2, "tf32")]),
        "i8" => (&[(2, "s32")], BYTES),
        _ => (&[(0, "f16"), (1, "f32")], SMALL_FLOATS),
    };
    let integer = kind == "i8";
    let one = |field, zero| if integer { zero } else { field };
    vec![
        if sparse {
            field("sparsity selector", 0, 2, Meaning::Number)
        } else {
            zero(0, 2)
        },
        field("sparse", 2, 1, Meaning::Sparse(sparse)),
        one(zero(3, 1), field("saturate", 3, 1, Meaning::Choice(NO_YES))),
        field("type of D", 4, 2, Meaning::Choice(sums)),
        zero(6, 1),
        field("type of A", 7, 3, Meaning::Choice(factors)),
        field("type of B", 10, 3, Meaning::Choice(factors)),
        one(NEGATE_A, zero(13, 1)),
        one(NEGATE_B, zero(14, 1)),
        ORDER_A,
        ORDER_B,
        N,
        zero(23, 1),
        field(
            "M",
            24,
            5,
            Meaning::Rows(16, if ws { &[32, 64, 128] } else { &[64, 128, 256] }),
        ),
        if newest && kind == "f8f6f4" {
            field("longer K", 29, 1, Meaning::Choice(NO_YES))
        } else {
            zero(29, 1)
        },
        if ws {
            let shifts = &[(0, "none"), (1, "8"), (2, "16"), (3, "32")];
            field(
                "largest shift for the reuse of B",
                30,
                2,
                Meaning::Choice(shifts),
            )
        } else {
            zero(30, 2)
        },
    ]
}

/// With scales for blocks of 8-bit and smaller floats.
fn scaled(sparse: bool, newest: bool) -> Vec<Field> {
    vec![
        zero(0, 2),
        field("sparse", 2, 1, Meaning::Sparse(sparse)),
        zero(3, 1),
        field("byte of the scales of B", 4, 2, Meaning::Number),
        zero(6, 1),
        field("type of A", 7, 3, Meaning::Choice(SMALL_FLOATS)),
        field("type of B", 10, 3, Meaning::Choice(SMALL_FLOATS)),
        NEGATE_A,
        NEGATE_B,
        ORDER_A,
        ORDER_B,
        N,
        field(
            "type of the scales",
            23,
            1,
            Meaning::Choice(&[(1, "ue8m0")]),
        ),
        zero(24, 2),
        if newest {
            field("layout of the scales of A", 26, 1, Meaning::Number)
        } else {
            zero(26, 1)
        },
        field("M", 27, 2, Meaning::Rows(128, &[128, 256])),
        field("byte of the scales of A", 29, 2, Meaning::Number),
        if newest {
            field("longer K", 31, 1, Meaning::Choice(NO_YES))
        } else {
            zero(31, 1)
        },
    ]
}

/// With scales for blocks of 4-bit floats.
fn scaled_by_four(kind: &str, sparse: bool, newest: bool) -> Vec<Field> {
    let scales: &[_] = match (kind, newest) {
        ("mxf4", _) => &[(1, "ue8m0")],
        (_, true) => &[(0, "ue4m3"), (1, "ue8m0"), (2, "ue5m3")],
        (_, false) => &[(0, "ue4m3"), (1, "ue8m0")],
    };
    let small = Meaning::Choice(&[(1, "e2m1")]);
    let scale_bits = if newest { 2 } else { 1 };
    vec![
        zero(0, 2),
        field("sparse", 2, 1, Meaning::Sparse(sparse)),
        if newest {
            field("K, upper bit", 3, 1, Meaning::Number)
        } else {
            zero(3, 1)
        },
        field("byte of the scales of B", 4, 2, Meaning::Choice(SCALE_BYTE)),
        zero(6, 1),
        field("type of A", 7, 3, small),
        field("type of B", 10, 2, small),
        if newest {
            field("version of the sparsity", 12, 1, Meaning::Number)
        } else {
            zero(12, 1)
        },
        NEGATE_A,
        NEGATE_B,
        zero(15, 2),
        N,
        field(
            "type of the scales",
            23,
            scale_bits,
            Meaning::Choice(scales),
        ),
        zero(23 + scale_bits, 4 - scale_bits),
        field("M", 27, 2, Meaning::Rows(128, &[128, 256])),
        field(
            "byte of the scales of A",
            29,
            2,
            Meaning::Choice(SCALE_BYTE),
        ),
        if newest {
            field("K, lower bit", 31, 1, Meaning::Number)
        } else {
            let lengths = &[(0, "64, sparse 128"), (1, "96")];
            field("K", 31, 1, Meaning::Choice(lengths))
        },
    ]
}

/// Which columns of B count as zeros, for `tcgen05.mma.ws`.
fn zero_columns() -> Format {
    let fields = vec![
        field("start count 0", 0, 8, Meaning::Number),
        field("start count 1", 8, 8, Meaning::Number),
        field("start count 2", 16, 8, Meaning::Number),
        field("start count 3", 24, 8, Meaning::Number),
        field("first span 0", 32, 1, Meaning::Number),
        field("first span 1", 33, 1, Meaning::Number),
        field("first span 2", 34, 1, Meaning::Number),
        field("first span 3", 35, 1, Meaning::Number),
        zero(36, 3),
        field(
            "mask",
            39,
            1,
            Meaning::Choice(&[(0, "empty, all columns are used"), (1, "of the spans")]),
        ),
        field(
            "columns that are used in a row",
            40,
            8,
            Meaning::CountLessOne,
        ),
        field("columns of zeros in a row", 48, 8, Meaning::CountLessOne),
        field("column shift", 56, 6, Meaning::Number),
        zero(62, 2),
    ];
    Format {
        title: "Zero-column mask descriptor",
        concepts: &["zero-column mask"],
        bits: 64,
        fields,
    }
}

impl Field {
    /// The bits of the field in a descriptor.
    #[must_use]
    pub fn value(&self, bits: u64) -> u64 {
        bits >> self.low & self.largest()
    }

    fn largest(&self) -> u64 {
        (1 << self.width) - 1
    }

    fn decode(&self, bits: u64) -> Decoded {
        let value = self.value(bits);
        let mut problem = None;
        let text = match self.meaning {
            Meaning::Bytes => format!("{0:#x} bytes ({value:#x} · 16)", value << 4),
            Meaning::Number => value.to_string(),
            Meaning::CountLessOne => (value + 1).to_string(),
            Meaning::Fixed(expected) => {
                if value != expected {
                    problem = Some(match self.name {
                        "reserved" => "must be 0".to_owned(),
                        _ => format!("must be {expected:#b}"),
                    });
                }
                format!("{value:#b}")
            }
            Meaning::Choice(choices) => match choices.iter().find(|it| it.0 == value) {
                Some((_, name)) => (*name).to_owned(),
                None => {
                    let known: Vec<String> = choices
                        .iter()
                        .map(|(value, name)| format!("{value} ({name})"))
                        .collect();
                    problem = Some(format!("{value} means nothing here; {}", known.join(", ")));
                    value.to_string()
                }
            },
            Meaning::Rows(unit, known) => {
                let rows = value * unit;
                if !known.contains(&rows) {
                    let known: Vec<String> = known.iter().map(u64::to_string).collect();
                    problem = Some(format!("there are {}", known.join(", ")));
                }
                rows.to_string()
            }
            Meaning::Columns => {
                let columns = value * 8;
                if !(8..=256).contains(&columns) {
                    problem = Some("from 8 to 256".to_owned());
                }
                columns.to_string()
            }
            Meaning::Sparse(expected) => {
                if (value == 1) != expected {
                    problem = Some(
                        if expected {
                            "the instruction has `.sp`, so it must be 1"
                        } else {
                            "the instruction has no `.sp`, so it must be 0"
                        }
                        .to_owned(),
                    );
                }
                if value == 1 { "yes" } else { "no" }.to_owned()
            }
        };
        Decoded {
            field: *self,
            value,
            text,
            problem,
        }
    }
}

impl Format {
    /// The fields of a descriptor, from the lowest bit on.
    #[must_use]
    pub fn decode(&self, bits: u64) -> Vec<Decoded> {
        self.fields.iter().map(|it| it.decode(bits)).collect()
    }

    /// A descriptor with these values, the bits themselves, in its fields; the others are 0 or what they must be.
    /// None if there is no such field or its bits do not hold the value.
    #[must_use]
    pub fn encode(&self, values: &[(&str, u64)]) -> Option<u64> {
        let mut bits = 0;
        for field in &self.fields {
            if let Meaning::Fixed(value) = field.meaning {
                bits |= value << field.low;
            }
        }
        for (name, value) in values {
            let field = self.fields.iter().find(|it| it.name == *name)?;
            if *value > field.largest() || matches!(field.meaning, Meaning::Fixed(_)) {
                return None;
            }
            bits = bits & !(field.largest() << field.low) | value << field.low;
        }
        Some(bits)
    }
}
