//! Known bits: which bits of a value are the same whatever its unknown sources hold.

use super::{
    integers,
    program::{Binary, Op, Unary, Width},
};

/// The known bits of a value of up to 128 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KnownBits {
    /// Which bits are known.
    pub mask: u128,
    /// Their values; the others are 0.
    pub bits: u128,
}

impl KnownBits {
    /// Nothing is known.
    pub const NOTHING: KnownBits = KnownBits { mask: 0, bits: 0 };

    /// A number of which all bits are known.
    #[must_use]
    pub fn constant(value: u128) -> KnownBits {
        KnownBits {
            mask: u128::MAX,
            bits: value,
        }
    }

    /// A number of so many low bits, of which nothing is known.
    #[must_use]
    pub fn below(bits: u32) -> KnownBits {
        KnownBits {
            mask: !low(bits),
            bits: 0,
        }
    }

    /// The number, if all bits are known.
    #[must_use]
    pub fn as_constant(self) -> Option<u128> {
        (self.mask == u128::MAX).then_some(self.bits)
    }

    fn new(zeros: u128, ones: u128) -> KnownBits {
        KnownBits {
            mask: zeros | ones,
            bits: ones,
        }
    }

    fn zeros(self) -> u128 {
        self.mask & !self.bits
    }

    /// The least and the greatest number without a sign.
    fn range(self) -> (u128, u128) {
        (self.bits, self.bits | !self.mask)
    }

    /// The bits that both know, and that are the same.
    #[must_use]
    pub fn common(self, other: KnownBits) -> KnownBits {
        let mask = self.mask & other.mask & !(self.bits ^ other.bits);
        KnownBits {
            mask,
            bits: self.bits & mask,
        }
    }

    /// Both statements about the same number.
    fn and(self, other: KnownBits) -> KnownBits {
        KnownBits {
            mask: self.mask | other.mask,
            bits: self.bits | other.bits,
        }
    }

    /// The low bits, the others 0.
    fn zero_extend(self, bits: u32) -> KnownBits {
        KnownBits {
            mask: self.mask | !low(bits),
            bits: self.bits & low(bits),
        }
    }

    /// The same of a number that is known to have no more than so many bits.
    pub(super) fn within(self, bits: u32) -> KnownBits {
        self.and(KnownBits::below(bits))
    }

    fn sign_extend(self, bits: u32) -> KnownBits {
        let sign = 1 << (bits.clamp(1, 128) - 1);
        let (mask, value) = (self.mask & low(bits), self.bits & low(bits));
        match (self.mask & sign != 0, self.bits & sign != 0) {
            (true, true) => KnownBits {
                mask: mask | !low(bits),
                bits: value | !low(bits),
            },
            (true, false) => KnownBits {
                mask: mask | !low(bits),
                bits: value,
            },
            (false, _) => KnownBits { mask, bits: value },
        }
    }

    fn complement(self) -> KnownBits {
        KnownBits {
            mask: self.mask,
            bits: self.mask & !self.bits,
        }
    }

    /// The sum with a carry: a bit is known where both are and the carry into it is the same in the least and the
    /// greatest sum.
    fn add(self, other: KnownBits, carry: u128) -> KnownBits {
        let most = (!self.zeros())
            .wrapping_add(!other.zeros())
            .wrapping_add(carry);
        let least = self.bits.wrapping_add(other.bits).wrapping_add(carry);
        let no_carry = !(most ^ self.zeros() ^ other.zeros());
        let carried = least ^ self.bits ^ other.bits;
        let mask = self.mask & other.mask & (no_carry | carried);
        KnownBits {
            mask,
            bits: least & mask,
        }
    }

    /// How many low bits are known.
    fn low_known(self) -> u32 {
        (!self.mask).trailing_zeros()
    }

    fn multiply(self, other: KnownBits) -> KnownBits {
        // Zeros at the end add up, and what is known above them does, too.
        let zeros = |it: KnownBits| (!it.zeros()).trailing_zeros();
        let (a, b) = (zeros(self), zeros(other));
        let rest = (self.low_known() - a).min(other.low_known() - b);
        let known = (a + b).saturating_add(rest).min(128);
        let product = self.bits.wrapping_mul(other.bits);
        let bottom = KnownBits {
            mask: low(known),
            bits: product & low(known),
        };
        let (most, over) = self.range().1.overflowing_mul(other.range().1);
        match over {
            true => bottom,
            false => bottom.and(KnownBits::below(128 - most.leading_zeros())),
        }
    }

    fn shift_left(self, by: KnownBits, width: u32) -> KnownBits {
        match by.as_constant() {
            Some(by) if by >= u128::from(width) => KnownBits::constant(0),
            Some(by) => {
                let by = by as u32;
                KnownBits {
                    mask: self.mask << by | low(by),
                    bits: self.bits << by,
                }
            }
            None => {
                let zeros = (!self.zeros()).trailing_zeros();
                KnownBits::new(low(zeros), 0)
            }
        }
    }

    fn shift_right(self, by: KnownBits, width: u32) -> KnownBits {
        match by.as_constant() {
            Some(by) if by >= u128::from(width) => KnownBits::constant(0),
            Some(by) => {
                let by = by as u32;
                KnownBits {
                    mask: self.mask >> by | !(u128::MAX >> by),
                    bits: self.bits >> by,
                }
            }
            None => KnownBits::below(128 - self.range().1.leading_zeros()),
        }
    }
}

/// So many ones.
fn low(bits: u32) -> u128 {
    match bits {
        128.. => u128::MAX,
        _ => (1 << bits) - 1,
    }
}

/// The known bits of the result of an operation. Nodes of 64 bits have zeros above; `known` says what is known of the
/// operands.
pub(super) fn known_bits(op: &Op, known: impl Fn(u32) -> KnownBits) -> KnownBits {
    match *op {
        Op::Constant(it) => KnownBits::constant(it.into()),
        Op::WideConstant(it) => KnownBits::constant(it),
        Op::Lane => KnownBits::below(5),
        Op::Active | Op::Ctas | Op::Participants { .. } => KnownBits::below(32),
        Op::Member => KnownBits::below(5),
        Op::CtaRank => KnownBits::below(8),
        Op::Carry | Op::FloatCompare(..) | Op::FloatTest(..) => KnownBits::below(1),
        Op::Widen(a, signed) => match signed {
            true => known(a).sign_extend(64),
            false => known(a),
        },
        Op::Narrow(a) => known(a).zero_extend(64),
        Op::Upper(a) => {
            let a = known(a);
            KnownBits {
                mask: a.mask >> 64 | !low(64),
                bits: a.bits >> 64,
            }
        }
        Op::ZeroExtend(a, bits) => known(a).zero_extend(bits.into()),
        Op::SignExtend(a, bits) => known(a).sign_extend(bits.into()).zero_extend(64),
        Op::Binary(binary, width, a, b) => {
            let result = binary_bits(binary, width, known(a), known(b));
            match width {
                Width::Narrow => result.zero_extend(64),
                Width::Wide => result,
            }
        }
        Op::Unary(unary, width, a) => {
            let a = known(a);
            let result = match unary {
                Unary::Complement => a.complement(),
                Unary::Negate => a.complement().add(KnownBits::constant(0), 1),
                Unary::PopulationCount => {
                    let (least, most) = (a.bits.count_ones(), (a.bits | !a.mask).count_ones());
                    match least == most {
                        true => KnownBits::constant(least.into()),
                        false => KnownBits::below(32 - most.leading_zeros()),
                    }
                }
                Unary::Reverse(bits) if width == Width::Narrow => {
                    let turn = |it: u128| it.reverse_bits() >> (128 - u32::from(bits).max(1));
                    KnownBits {
                        mask: turn(a.mask) | !low(bits.into()),
                        bits: turn(a.bits),
                    }
                }
                Unary::Ones => match a.as_constant() {
                    Some(it) => KnownBits::constant(low(it.min(128) as u32)),
                    None => KnownBits::NOTHING,
                },
                _ => match a.as_constant() {
                    Some(it) => KnownBits::constant(integers::wide_unary(unary, it)),
                    None => KnownBits::NOTHING,
                },
            };
            // The highest one of a number of 64 bits is -1 in 64 bits only.
            match width {
                Width::Narrow => result.zero_extend(64),
                Width::Wide => result,
            }
        }
        Op::Select(_, condition, a, b) => match known(condition).as_constant() {
            Some(0) => known(b),
            Some(_) => known(a),
            None => known(a).common(known(b)),
        },
        Op::LookUp(a, b, c, table) => {
            let Some(table) = known(table).as_constant() else {
                return KnownBits::below(64);
            };
            let (a, b, c) = (known(a), known(b), known(c));
            let may = |it: KnownBits, one: bool| match one {
                true => !it.zeros(),
                false => !it.bits,
            };
            let (mut zeros, mut ones) = (0, 0);
            for row in 0..8 {
                let possible = may(a, row & 4 != 0) & may(b, row & 2 != 0) & may(c, row & 1 != 0);
                match table >> row & 1 {
                    0 => zeros |= possible,
                    _ => ones |= possible,
                }
            }
            KnownBits::new(!ones, !zeros).zero_extend(64)
        }
        Op::Field(_, a, start, count) => {
            let (a, start, count) = (known(a), known(start), known(count));
            let shifted = a.shift_right(start, 64);
            match count.as_constant() {
                Some(it) => shifted.zero_extend(it.min(64) as u32),
                None => KnownBits::below(128 - shifted.range().1.leading_zeros()),
            }
        }
        Op::Aligned(a, _) => known(a),
        Op::Broadcast(a, _) | Op::Gather(a, _) => {
            // Another lane may hold another number, but no more than these bits.
            KnownBits::new(known(a).zeros() & !low(64), 0)
        }
        Op::Ballot(_) => KnownBits::below(32),
        Op::Float(step) => KnownBits::below(step.to.bits()),
        Op::Stochastic { to, .. } | Op::FromInteger { to, .. } => KnownBits::below(to.bits()),
        Op::Integral(format, ..)
        | Op::FloatUnary(_, format, _)
        | Op::Extreme(_, format, ..)
        | Op::WithSign(format, ..) => KnownBits::below(format.bits()),
        Op::ToInteger {
            bits,
            signed: false,
            ..
        } => KnownBits::below(bits.into()),
        Op::ToInteger { .. }
        | Op::Sweep
        | Op::Allocated
        | Op::BoxBytes { .. }
        | Op::Matrix(_)
        | Op::Texture(..)
        | Op::Load { .. }
        | Op::Input(_)
        | Op::Stack
        | Op::NthSet(..) => KnownBits::below(64),
    }
}

fn binary_bits(binary: Binary, width: Width, a: KnownBits, b: KnownBits) -> KnownBits {
    let bits = match width {
        Width::Narrow => 64,
        Width::Wide => 128,
    };
    let truth = |it: Option<bool>| match it {
        Some(it) => KnownBits::constant(it.into()),
        None => KnownBits::below(1),
    };
    let (x, y) = (a.range(), b.range());
    let equal = if a.mask & b.mask & (a.bits ^ b.bits) != 0 {
        Some(false)
    } else if a.mask == u128::MAX && b.mask == u128::MAX {
        Some(true)
    } else {
        None
    };
    if let (Some(x), Some(y)) = (a.as_constant(), b.as_constant()) {
        let result = match width {
            Width::Wide => integers::wide(binary, x, y),
            Width::Narrow => {
                let mut out = [0];
                integers::narrow(binary, &[x as u64], &[y as u64], &mut out);
                out[0].into()
            }
        };
        return KnownBits::constant(result);
    }
    match binary {
        Binary::Add => a.add(b, 0),
        Binary::Subtract => a.add(b.complement(), 1),
        Binary::Multiply => a.multiply(b),
        Binary::And => KnownBits::new(a.zeros() | b.zeros(), a.bits & b.bits),
        Binary::Or => KnownBits::new(a.zeros() & b.zeros(), a.bits | b.bits),
        Binary::Xor => {
            let mask = a.mask & b.mask;
            KnownBits {
                mask,
                bits: (a.bits ^ b.bits) & mask,
            }
        }
        Binary::ShiftLeft => a.shift_left(b, bits),
        Binary::ShiftRight => a.shift_right(b, bits),
        Binary::ShiftRightSigned => match b.as_constant() {
            Some(by) => {
                let by = by.min(u128::from(bits) - 1) as u32;
                let wide = a.sign_extend(bits);
                let shift = |it: u128| (it as i128 >> by) as u128;
                KnownBits {
                    mask: shift(wide.mask),
                    bits: shift(wide.bits) & shift(wide.mask),
                }
            }
            None => KnownBits::NOTHING,
        },
        Binary::Equal => truth(equal),
        Binary::NotEqual => truth(equal.map(|it| !it)),
        Binary::Less if x.1 < y.0 => truth(Some(true)),
        Binary::Less if x.0 >= y.1 => truth(Some(false)),
        Binary::LessEqual if x.1 <= y.0 => truth(Some(true)),
        Binary::LessEqual if x.0 > y.1 => truth(Some(false)),
        _ if binary.is_comparison() => truth(None),
        Binary::Minimum => a
            .common(b)
            .and(KnownBits::below(128 - x.1.min(y.1).leading_zeros())),
        Binary::Maximum => a.common(b),
        Binary::MinimumSigned | Binary::MaximumSigned => a.common(b),
        // What a division by 0 gives is not specified.
        Binary::Quotient if y.0 > 0 => KnownBits::below(128 - x.1.leading_zeros()),
        Binary::Remainder => match b.as_constant() {
            Some(by) if by.is_power_of_two() => a.zero_extend(by.trailing_zeros()),
            _ => KnownBits::below(128 - x.1.leading_zeros()),
        },
        Binary::SignedField => match b.as_constant() {
            Some(0) => KnownBits::constant(0),
            Some(count) => a.sign_extend(count.min(u128::from(bits)) as u32),
            None => KnownBits::NOTHING,
        },
        _ => KnownBits::NOTHING,
    }
}
