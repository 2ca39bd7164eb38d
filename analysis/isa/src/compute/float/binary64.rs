//! Ways through binary64, which the processor has, to results that are rounded once.
//!
//! A number that is rounded to odd (to the neighbour whose last bit is 1, unless it is exact) can be rounded again to
//! any format with two bits less, in any direction, as if it were exact: S. Boldo, G. Melquiond, "Emulation of FMA and
//! correctly rounded sums: proved algorithms using rounding to odd", 2008.

use super::{
    bits,
    format::{Format, Layout},
    number::Number,
    operation::{Operation, Rounded},
    rounding::Rounding,
};

const FRACTION: u32 = 52;
const BIAS: i32 = 1023;
const SIGN: u64 = 1 << 63;
const INFINITY: u64 = 0x7ff << FRACTION;
/// The bits of a fraction that binary32 lacks, and their value midway between two of its numbers.
const MIDDLE_MASK: u64 = (1 << 29) - 1;
const MIDDLE: u64 = 1 << 28;
/// The least normal number of binary32.
const LEAST_BINARY32: u64 = ((BIAS - 126) as u64) << FRACTION;

/// The sum, and the part that it lacks to the exact one. Source: D. Knuth, "TwoSum"; exact without overflow.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let part = sum - a;
    (sum, (a - (sum - part)) + (b - part))
}

/// The sum, rounded to odd.
#[inline]
pub(super) fn add_to_odd(a: f64, b: f64) -> f64 {
    let (sum, error) = two_sum(a, b);
    let bits = sum.to_bits();
    // The error of an infinity is NaN, and neither less nor greater than 0.
    let inexact = u64::from((error < 0.0) | (error > 0.0));
    let even = inexact & !bits;
    let toward_zero = (bits ^ error.to_bits()) >> 63;
    f64::from_bits(
        bits.wrapping_add(even & 1)
            .wrapping_sub((even & toward_zero & 1) << 1),
    )
}

/// The product, and the part that it lacks to the exact one. Source: T. J. Dekker; exact if nothing leaves the range.
#[inline]
fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |it: f64| {
        let scaled = it * 134_217_729.0;
        let high = scaled - (scaled - it);
        (high, it - high)
    };
    let (product, (a_high, a_low), (b_high, b_low)) = (a * b, split(a), split(b));
    let error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
    (product, error)
}

/// Whether the exponent is so near 0 that no sum or product of parts of such numbers leaves the range.
#[inline]
fn is_moderate(value: f64) -> bool {
    (value.abs() > 1e-120) & (value.abs() < 1e120)
}

/// `a` × `b` + `c`, rounded to nearest, of moderate operands. Source: Boldo and Melquiond.
#[inline]
fn moderate_mul_add(a: f64, b: f64, c: f64) -> f64 {
    let (product, low) = two_product(a, b);
    let (upper, lower) = two_sum(c, low);
    let (sum, error) = two_sum(product, upper);
    sum + add_to_odd(error, lower)
}

/// `a` × `b` + `c` on all lanes, rounded to nearest.
pub(super) fn mul_add<const N: usize>(
    a: &[u64; N],
    b: &[u64; N],
    c: &[u64; N],
    out: &mut [u64; N],
) {
    let lanes = || a.iter().zip(b).zip(c);
    let mut rest = 0;
    for (out, ((a, b), c)) in out.iter_mut().zip(lanes()) {
        let (a, b, c) = (f64::from_bits(*a), f64::from_bits(*b), f64::from_bits(*c));
        rest |= u64::from(!(is_moderate(a) & is_moderate(b) & is_moderate(c)));
        *out = moderate_mul_add(a, b, c).to_bits();
    }
    if rest == 0 {
        return;
    }
    for (out, ((a, b), c)) in out.iter_mut().zip(lanes()) {
        let (a, b, c) = (f64::from_bits(*a), f64::from_bits(*b), f64::from_bits(*c));
        if is_moderate(a) && is_moderate(b) && is_moderate(c) {
            continue;
        }
        // A product with 0 is exact.
        let result = if a == 0.0 || b == 0.0 {
            a * b + c
        } else {
            let [a, b, c] = [a, b, c].map(Number::from_f64);
            a.mul_add(b, c).to_f64()
        };
        *out = if result.is_nan() {
            bits::canonical_nan(Format::F64)
        } else {
            result.to_bits()
        };
    }
}

/// `a` × `b` + `c` of binary32 on all lanes, rounded to nearest.
///
/// The product is exact. A sum that is rounded to binary64 and then to binary32 is wrong at most where the first
/// rounding gives the middle of two numbers of binary32. That is looked for, and only then all lanes are computed again
/// with a sum that is rounded to odd: 640 instructions for 32 lanes, where always doing so takes 810.
pub(super) fn mul_add_binary32<const N: usize>(
    a: &[u64; N],
    b: &[u64; N],
    c: &[u64; N],
    out: &mut [u64; N],
) {
    let read = |code: u64| f64::from(f32::from_bits(code as u32));
    let lanes = || a.iter().zip(b).zip(c);
    // The uppermost bit is 1 if some sum is a middle, or is too small for these middles.
    let mut doubtful = 0_u64;
    for (out, ((a, b), c)) in out.iter_mut().zip(lanes()) {
        let sum = read(*a) * read(*b) + read(*c);
        let bits = sum.to_bits();
        let magnitude = bits & !SIGN;
        let middle = ((bits & MIDDLE_MASK) ^ MIDDLE).wrapping_sub(1);
        let subnormal = magnitude.wrapping_sub(LEAST_BINARY32) & !magnitude.wrapping_sub(1);
        doubtful |= middle | subnormal;
        *out = code_of_binary32(sum);
    }
    if doubtful & SIGN != 0 {
        for (out, ((a, b), c)) in out.iter_mut().zip(lanes()) {
            *out = code_of_binary32(add_to_odd(read(*a) * read(*b), read(*c)));
        }
    }
}

/// The bits of the nearest number of binary32.
#[inline]
fn code_of_binary32(value: f64) -> u64 {
    let value = value as f32;
    u64::from(if value.is_nan() {
        0x7fff_ffff
    } else {
        value.to_bits()
    })
}

/// An operation on operands of at most 24 bits, or a conversion, through binary64.
pub(super) struct Narrow<'a> {
    operation: Rounded<'a>,
    layout: Layout,
}

impl<'a> Narrow<'a> {
    /// Returns the way for the operation, if there is one.
    pub(super) fn new(operation: Rounded<'a>) -> Option<Self> {
        let layout = operation
            .to
            .layout()
            .filter(|it| it.signed && it.fraction < FRACTION)?;
        let exact = operation.op == Operation::Convert || !operation.formats.contains(&Format::F64);
        let known = !matches!(operation.rounding, Rounding::Stochastic { .. });
        (exact && known).then_some(Self { operation, layout })
    }

    /// Computes `out` of the lanes of the operands.
    pub(super) fn apply<const N: usize>(&self, operands: &[&[u64; N]], out: &mut [u64; N]) {
        let mut values = [[0.0; N]; 3];
        for ((values, format), operand) in
            values.iter_mut().zip(self.operation.formats).zip(operands)
        {
            decode(*format, operand, values);
        }
        let [a, b, c] = &mut values;
        match self.operation.op {
            Operation::Convert => {}
            Operation::Add => self.sum(a, b),
            Operation::Subtract => {
                update(b, |it| -it);
                self.sum(a, b);
            }
            // At most 48 bits.
            Operation::Multiply => combine(a, b, |a, b| a * b),
            Operation::MultiplyAdd => {
                combine(a, b, |a, b| a * b);
                self.sum(a, c);
            }
            // Neither a quotient nor a root of numbers of 24 bits is, in 53 bits, on a number of 25 bits or on the
            // other side of it, unless it is that number: the distance is at least 2^-51 of it.
            Operation::Divide => combine(a, b, |a, b| a / b),
            Operation::SquareRoot => update(a, f64::sqrt),
        }
        self.round(a, out);
    }

    /// The sums, rounded to odd; an exact zero has the sign that the rounding gives it.
    fn sum<const N: usize>(&self, a: &mut [f64; N], b: &[f64; N]) {
        if self.operation.rounding == Rounding::Down {
            combine(a, b, |a, b| {
                let sum = add_to_odd(a, b);
                let cancelled = (sum == 0.0) & (a.is_sign_negative() | b.is_sign_negative());
                if cancelled { -0.0 } else { sum }
            });
        } else {
            combine(a, b, add_to_odd);
        }
    }

    /// The bits of the rounded numbers.
    fn round<const N: usize>(&self, values: &[f64; N], out: &mut [u64; N]) {
        let shift = FRACTION - self.layout.fraction;
        let ones = (1 << shift) - 1;
        let half = 1 << (shift - 1);
        match self.operation.rounding {
            Rounding::NearestEven => {
                self.round_normal(values, out, |it, _| (half - 1) + (it >> shift & 1))
            }
            Rounding::NearestAway => self.round_normal(values, out, |_, _| half),
            Rounding::Down => {
                self.round_normal(values, out, |_, negative| if negative { ones } else { 0 })
            }
            Rounding::Up => {
                self.round_normal(values, out, |_, negative| if negative { 0 } else { ones })
            }
            Rounding::TowardZero | Rounding::Stochastic { .. } => {
                self.round_normal(values, out, |_, _| 0)
            }
        }
    }

    /// Rounds by an addition to the bits of the magnitude, of which the high ones are then kept. Numbers that become
    /// subnormal follow one by one.
    #[inline]
    fn round_normal<const N: usize>(
        &self,
        values: &[f64; N],
        out: &mut [u64; N],
        addend: impl Fn(u64, bool) -> u64,
    ) {
        let layout = self.layout;
        let shift = FRACTION - layout.fraction;
        let Rounded {
            to,
            rounding,
            finite,
            ..
        } = self.operation;
        let nan = bits::canonical_nan(to);
        let largest = bits::largest(to) >> layout.padding;
        let sign = bits::sign_bit(to, true);
        let end = |negative, stays: bool| {
            if stays {
                bits::largest(to) | bits::sign_bit(to, negative)
            } else {
                bits::infinity(to, negative)
            }
        };
        let infinity = [false, true].map(|it| end(it, finite));
        let beyond = [false, true].map(|it| end(it, finite || rounding.stays_finite(it)));
        let least = ((layout.least_exponent() + BIAS) as u64) << FRACTION;
        // The difference of the stored exponents, but for the least one, which is stored as 1.
        let below = (least >> shift) - (1 << layout.fraction);
        let mut subnormal = 0_u64;
        for (out, value) in out.iter_mut().zip(values) {
            let bits = value.to_bits();
            let magnitude = bits & !SIGN;
            let negative = bits & SIGN != 0;
            let pick = |pair: [u64; 2]| if negative { pair[1] } else { pair[0] };
            let code = ((magnitude + addend(magnitude, negative)) >> shift).wrapping_sub(below);
            let result = if code > largest {
                pick(beyond)
            } else {
                code << layout.padding | if negative { sign } else { 0 }
            };
            let result = if magnitude >= INFINITY {
                pick(infinity)
            } else {
                result
            };
            let result = if magnitude > INFINITY { nan } else { result };
            subnormal += u64::from(magnitude < least);
            *out = result;
        }
        if subnormal > 0 {
            for (out, value) in out.iter_mut().zip(values) {
                if value.to_bits() & !SIGN < least {
                    *out = self.round_subnormal(*value);
                }
            }
        }
    }

    /// The bits of a rounded number that is less than the least normal one.
    fn round_subnormal(&self, value: f64) -> u64 {
        let layout = self.layout;
        let (magnitude, negative) = (value.to_bits() & !SIGN, value.is_sign_negative());
        let field = (magnitude >> FRACTION) as i32;
        let significand = magnitude & ((1 << FRACTION) - 1) | u64::from(field != 0) << FRACTION;
        let exponent = field.max(1) - BIAS;
        // From 54 on all that matters is that less than a half is dropped.
        let dropped = ((FRACTION - layout.fraction) as i32 + layout.least_exponent() - exponent)
            .min(60) as u32;
        let (kept, rest) = (significand >> dropped, significand & ((1 << dropped) - 1));
        let half = 1 << (dropped - 1);
        let increment = match self.operation.rounding {
            Rounding::NearestEven => rest + (kept & 1) > half,
            Rounding::NearestAway => rest >= half,
            Rounding::Down => negative && rest != 0,
            Rounding::Up => !negative && rest != 0,
            Rounding::TowardZero | Rounding::Stochastic { .. } => false,
        };
        (kept + u64::from(increment)) << layout.padding
            | bits::sign_bit(self.operation.to, negative)
    }
}

/// Sets each lane of `values` to a function of that of `codes`.
#[inline]
fn read<const N: usize>(codes: &[u64; N], values: &mut [f64; N], function: impl Fn(u64) -> f64) {
    for (value, code) in values.iter_mut().zip(codes) {
        *value = function(*code);
    }
}

/// Sets each lane to a function of it.
#[inline]
fn update<const N: usize>(a: &mut [f64; N], function: impl Fn(f64) -> f64) {
    for it in a {
        *it = function(*it);
    }
}

/// Sets each lane of `a` to a function of the lanes of both.
#[inline]
fn combine<const N: usize>(a: &mut [f64; N], b: &[f64; N], function: impl Fn(f64, f64) -> f64) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = function(*a, *b);
    }
}

/// The values of codes: exact, as binary64 has the numbers of all formats.
fn decode<const N: usize>(format: Format, codes: &[u64; N], values: &mut [f64; N]) {
    let layout = match format.layout() {
        _ if format == Format::F32 => {
            return read(codes, values, |it| f64::from(f32::from_bits(it as u32)));
        }
        _ if format == Format::F64 => return read(codes, values, f64::from_bits),
        Some(layout) if layout.fraction > 0 => layout,
        _ => return read(codes, values, |it| Number::decode(format, it).to_f64()),
    };
    // As a number of binary64, a magnitude is too small by the difference of the biases; subnormal ones are right, too.
    let scale = f64::from_bits(((2 * BIAS - layout.bias()) as u64) << FRACTION);
    let infinity = layout.infinity();
    let special = |magnitude| {
        if format.has_infinity() && magnitude == infinity {
            INFINITY
        } else {
            INFINITY | 1
        }
    };
    for (value, code) in values.iter_mut().zip(codes) {
        let code = code >> layout.padding;
        let magnitude = code & layout.magnitude();
        let bits = (f64::from_bits(magnitude << (FRACTION - layout.fraction)) * scale).to_bits();
        let bits = if magnitude < infinity {
            bits
        } else {
            special(magnitude)
        };
        let sign = if code & layout.sign() != 0 { SIGN } else { 0 };
        *value = f64::from_bits(bits | sign);
    }
}
