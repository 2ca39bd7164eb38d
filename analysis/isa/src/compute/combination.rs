//! How an element of memory is combined with another one, where its type is known only when it is.

use super::{
    float::{self, Format, Operation, Rounding, bits},
    value_type::ElementType,
};

/// An operation of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// The sum.
    Add,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
    /// One more, up to a bound.
    Increment,
    /// One less, from a bound.
    Decrement,
    /// The bits of both.
    And,
    /// The bits of either.
    Or,
    /// The bits of one of them.
    Xor,
}

impl Combination {
    /// Reads `add`, `min` and the like, without a period.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Combination> {
        Some(match word {
            "add" => Combination::Add,
            "min" => Combination::Minimum,
            "max" => Combination::Maximum,
            "inc" => Combination::Increment,
            "dec" => Combination::Decrement,
            "and" => Combination::And,
            "or" => Combination::Or,
            "xor" => Combination::Xor,
            _ => return None,
        })
    }

    /// The new bits of an element; `None` where the operation is not for its type (the table of PTX ISA 9.7.9.26.5.3).
    #[must_use]
    pub fn apply(self, ty: ElementType, old: u64, new: u64) -> Option<u64> {
        match ty {
            ElementType::Integer {
                bits: width,
                signed,
            } if width >= 32 => {
                let wide = width == 64;
                let mask = u64::MAX >> (64 - width);
                let (old, new) = (old & mask, new & mask);
                let less = match signed {
                    true => signed_number(old, width) < signed_number(new, width),
                    false => old < new,
                };
                Some(match self {
                    Combination::Add if !(wide && signed) => old.wrapping_add(new) & mask,
                    Combination::Minimum => {
                        if less {
                            old
                        } else {
                            new
                        }
                    }
                    Combination::Maximum => {
                        if less {
                            new
                        } else {
                            old
                        }
                    }
                    Combination::Increment if !wide && !signed => match old >= new {
                        true => 0,
                        false => old + 1,
                    },
                    Combination::Decrement if !wide && !signed => match old == 0 || old > new {
                        true => new,
                        false => old - 1,
                    },
                    Combination::And => old & new,
                    Combination::Or => old | new,
                    Combination::Xor => old ^ new,
                    _ => return None,
                })
            }
            ElementType::Float(format) => match (self, format) {
                (Combination::Add, Format::F16 | Format::Bf16) => Some(sum(format, old, new)),
                // As the other reductions in global memory.
                (Combination::Add, Format::F32) => {
                    let [old, new] = [old, new].map(|it| bits::flush(format, it));
                    Some(bits::flush(format, sum(format, old, new)))
                }
                (Combination::Minimum, Format::F16 | Format::Bf16) => {
                    Some(bits::minimum(format, old, new))
                }
                (Combination::Maximum, Format::F16 | Format::Bf16) => {
                    Some(bits::maximum(format, old, new))
                }
                _ => None,
            },
            _ => None,
        }
    }
}

fn signed_number(bits: u64, width: u32) -> i64 {
    (bits << (64 - width)).cast_signed() >> (64 - width)
}

fn sum(format: Format, a: u64, b: u64) -> u64 {
    let (formats, mut out) = ([format; 2], [0]);
    let (op, mode) = (Operation::Add, Rounding::NearestEven);
    float::apply(op, &formats, format, mode, &[&[a], &[b]], &mut out);
    out[0]
}
