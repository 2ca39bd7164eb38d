//! Operations on integers of 64 and 128 bits.

use super::program::{Binary, Unary};

/// So many low bits.
pub(super) fn ones(count: u64) -> u64 {
    match count {
        64.. => u64::MAX,
        _ => (1 << count) - 1,
    }
}

pub(super) fn shift_left(a: u64, by: u64) -> u64 {
    if by < 64 { a << by } else { 0 }
}

pub(super) fn shift_right(a: u64, by: u64) -> u64 {
    if by < 64 { a >> by } else { 0 }
}

/// An operation on the 64 bits of each lane.
pub(super) fn narrow<const N: usize>(
    binary: Binary,
    a: &[u64; N],
    b: &[u64; N],
    out: &mut [u64; N],
) {
    match binary {
        Binary::Add => set(out, |it| a[it].wrapping_add(b[it])),
        Binary::Subtract => set(out, |it| a[it].wrapping_sub(b[it])),
        Binary::Multiply => set(out, |it| a[it].wrapping_mul(b[it])),
        Binary::And => set(out, |it| a[it] & b[it]),
        Binary::Or => set(out, |it| a[it] | b[it]),
        Binary::Xor => set(out, |it| a[it] ^ b[it]),
        Binary::ShiftLeft => set(out, |it| shift_left(a[it], b[it])),
        Binary::ShiftRight => set(out, |it| shift_right(a[it], b[it])),
        Binary::ShiftRightSigned => set(out, |it| (a[it] as i64 >> b[it].min(63)) as u64),
        Binary::Equal => set(out, |it| u64::from(a[it] == b[it])),
        Binary::NotEqual => set(out, |it| u64::from(a[it] != b[it])),
        Binary::Less => set(out, |it| u64::from(a[it] < b[it])),
        Binary::LessEqual => set(out, |it| u64::from(a[it] <= b[it])),
        Binary::LessSigned => set(out, |it| u64::from((a[it] as i64) < b[it] as i64)),
        Binary::LessEqualSigned => set(out, |it| u64::from(a[it] as i64 <= b[it] as i64)),
        Binary::Minimum => set(out, |it| a[it].min(b[it])),
        Binary::Maximum => set(out, |it| a[it].max(b[it])),
        Binary::MinimumSigned => set(out, |it| (a[it] as i64).min(b[it] as i64) as u64),
        Binary::MaximumSigned => set(out, |it| (a[it] as i64).max(b[it] as i64) as u64),
        Binary::Quotient => set(out, |it| a[it].checked_div(b[it]).unwrap_or(u64::MAX)),
        Binary::Remainder => set(out, |it| a[it].checked_rem(b[it]).unwrap_or(a[it])),
        Binary::QuotientSigned => set(out, |it| match b[it] {
            0 => u64::MAX,
            by => (a[it] as i64).wrapping_div(by as i64) as u64,
        }),
        Binary::RemainderSigned => set(out, |it| match b[it] {
            0 => a[it],
            by => (a[it] as i64).wrapping_rem(by as i64) as u64,
        }),
        Binary::Carryless => set(out, |it| carryless(a[it].into(), b[it].into()) as u64),
        Binary::SignedField => set(out, |it| match b[it] {
            0 => 0,
            count => {
                let rest = 64 - count.min(64);
                ((a[it] << rest) as i64 >> rest) as u64
            }
        }),
    }
}

/// An operation on the 64 bits of each lane.
pub(super) fn unary<const N: usize>(unary: Unary, a: &[u64; N], out: &mut [u64; N]) {
    match unary {
        Unary::Negate => map(out, a, u64::wrapping_neg),
        Unary::Complement => map(out, a, |it| !it),
        Unary::PopulationCount => map(out, a, |it| it.count_ones().into()),
        Unary::Highest => map(out, a, |it| 63u64.wrapping_sub(it.leading_zeros().into())),
        Unary::Reverse(bits) => {
            let rest = 64 - u32::from(bits).clamp(1, 64);
            map(out, a, |it| it.reverse_bits() >> rest);
        }
        Unary::Ones => map(out, a, ones),
    }
}

/// An operation on 128 bits.
pub(super) fn wide_unary(unary: Unary, a: u128) -> u128 {
    match unary {
        Unary::Negate => a.wrapping_neg(),
        Unary::Complement => !a,
        Unary::PopulationCount => a.count_ones().into(),
        Unary::Highest => 127u128.wrapping_sub(a.leading_zeros().into()),
        Unary::Reverse(bits) => a.reverse_bits() >> (128 - u32::from(bits).clamp(1, 128)),
        Unary::Ones => {
            let count = u32::try_from(a).unwrap_or(128).min(128);
            u128::MAX.checked_shr(128 - count).unwrap_or(0)
        }
    }
}

/// An operation on two numbers of 128 bits.
pub(super) fn wide(binary: Binary, a: u128, b: u128) -> u128 {
    let by = u32::try_from(b).unwrap_or(u32::MAX);
    let (x, y) = (a as i128, b as i128);
    match binary {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::ShiftLeft => a.checked_shl(by).unwrap_or(0),
        Binary::ShiftRight => a.checked_shr(by).unwrap_or(0),
        Binary::ShiftRightSigned => (x >> by.min(127)) as u128,
        Binary::Equal => u128::from(a == b),
        Binary::NotEqual => u128::from(a != b),
        Binary::Less => u128::from(a < b),
        Binary::LessEqual => u128::from(a <= b),
        Binary::LessSigned => u128::from(x < y),
        Binary::LessEqualSigned => u128::from(x <= y),
        Binary::Minimum => a.min(b),
        Binary::Maximum => a.max(b),
        Binary::MinimumSigned => x.min(y) as u128,
        Binary::MaximumSigned => x.max(y) as u128,
        Binary::Quotient => a.checked_div(b).unwrap_or(u128::MAX),
        Binary::Remainder => a.checked_rem(b).unwrap_or(a),
        Binary::QuotientSigned => match y {
            0 => u128::MAX,
            _ => x.wrapping_div(y) as u128,
        },
        Binary::RemainderSigned => match y {
            0 => a,
            _ => x.wrapping_rem(y) as u128,
        },
        Binary::Carryless => carryless(a, b),
        Binary::SignedField => {
            let rest = 128 - by.clamp(1, 128);
            if by == 0 {
                0
            } else {
                ((a << rest) as i128 >> rest) as u128
            }
        }
    }
}

pub(super) fn carryless(a: u128, b: u128) -> u128 {
    (0..64).fold(0, |sum, it| {
        if b >> it & 1 == 0 {
            sum
        } else {
            sum ^ (a << it)
        }
    })
}

pub(super) fn look_up(a: u64, b: u64, c: u64, table: u64) -> u64 {
    (0..8).fold(0, |all, row| {
        let on = |wanted: u64, value: u64| if row & wanted == 0 { !value } else { value };
        match table >> row & 1 {
            0 => all,
            _ => all | (on(4, a) & on(2, b) & on(1, c)),
        }
    })
}

/// The position of the n-th one from a base on, upwards for a positive offset; -1 if there is none.
pub(super) fn nth_set(mask: u64, base: u64, offset: i64) -> u64 {
    let set = |it: &u64| mask >> it & 1 == 1;
    let base = base.min(31);
    let count = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let found = match offset {
        0 => Some(base).filter(set),
        1.. => (base..32).filter(set).nth(count - 1),
        _ => (0..=base).rev().filter(set).nth(count - 1),
    };
    found.unwrap_or(u64::MAX)
}

/// Sets each lane.
#[inline(always)]
pub(super) fn set<T, const N: usize>(out: &mut [T; N], f: impl Fn(usize) -> T) {
    for (lane, out) in out.iter_mut().enumerate() {
        *out = f(lane);
    }
}

/// Sets each lane to a function of another value of it.
#[inline(always)]
pub(super) fn map<T: Copy, const N: usize>(out: &mut [T; N], a: &[T; N], f: impl Fn(T) -> T) {
    for (out, a) in out.iter_mut().zip(a) {
        *out = f(*a);
    }
}
