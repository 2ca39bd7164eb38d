//! Random elements that are the same on every machine and in every version.

use isa::compute::float::Number;

use super::{
    element::Element,
    value::{Data, Value},
};

/// The generator SplitMix64.
struct Generator(u64);

impl Generator {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }
}

/// So many random elements: floating-point numbers from `low` to below `high`, integers from `low` to `high`.
///
/// # Errors
/// The bounds are not numbers of the type, or in the wrong order; the key, and a sentence.
pub(super) fn elements(
    element: Element,
    seed: u64,
    low: &Value,
    high: &Value,
    count: u64,
) -> Result<Vec<u64>, (&'static str, String)> {
    let mut generator = Generator(seed);
    if let Element::Float(format) = element {
        let float = |key, value: &Value| match value.data {
            Data::Integer(it, _) => Ok(it as f64),
            Data::Float(it) if it.is_finite() => Ok(it),
            _ => Err((
                key,
                format!("expected a finite number, found {}", value.kind()),
            )),
        };
        let (low, high) = (float("low", low)?, float("high", high)?);
        if low > high {
            return Err(("high", format!("{high} is less than `low`")));
        }
        let draw = |_| {
            // 53 bits are from 0 to below 1.
            let part = (generator.next() >> 11) as f64 / (1_u64 << 53) as f64;
            Element::round(format, Number::from_f64(low + (high - low) * part))
        };
        return Ok((0..count).map(draw).collect());
    }
    let integer = |key, value: &Value| match value.data {
        Data::Integer(it, _) => element.from_integer(it).map(|_| it).map_err(|it| (key, it)),
        _ => Err((key, format!("expected an integer, found {}", value.kind()))),
    };
    let (low, high) = (integer("low", low)?, integer("high", high)?);
    if low > high {
        return Err(("high", format!("{high} is less than `low`")));
    }
    let values = (high - low + 1) as u128;
    let draw = |_| {
        let part = (u128::from(generator.next()) * values) >> 64;
        (low + part as i128) as u64
    };
    Ok((0..count).map(draw).collect())
}
