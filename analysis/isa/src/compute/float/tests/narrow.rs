//! ml_dtypes judges the formats of 8, 6 and 4 bits: `narrow.py` recorded what it says.

use fastrand::Rng;

use crate::compute::float::{Format, Number, Operation, Rounding, apply, bits};

const RECORDED: &str = include_str!("narrow.txt");
const INFINITY: u32 = 0x7f80_0000;

/// The lines of the recorded verdicts: format, kind, words.
fn lines() -> impl Iterator<Item = (Format, &'static str, Vec<&'static str>)> {
    RECORDED.lines().skip(1).map(|line| {
        let mut words = line.split(' ');
        let format = words.next().and_then(Format::from_word).expect("a format");
        (format, words.next().expect("a kind"), words.collect())
    })
}

fn hex(word: &str) -> u32 {
    u32::from_str_radix(word, 16).expect("a hexadecimal number")
}

#[test]
fn values_of_all_codes() {
    let mut count = 0;
    for (format, _, words) in lines().filter(|it| it.1 == "decode") {
        count += words.len();
        for (code, word) in (0..).zip(words) {
            let number = Number::decode(format, code);
            let expected = if word == "nan" {
                0x7fff_ffff
            } else {
                hex(word)
            };
            for rounding in [Rounding::NearestEven, Rounding::Down, Rounding::Up] {
                assert_eq!(
                    number.round(Format::F32, rounding),
                    u64::from(expected),
                    "{format:?} {code:#x}"
                );
                let mut out = [0];
                apply(
                    Operation::Convert,
                    &[format],
                    Format::F32,
                    rounding,
                    &[&[code]],
                    &mut out,
                );
                assert_eq!(out, [u64::from(expected)], "{format:?} {code:#x}");
            }
            if !number.is_nan() {
                assert_eq!(
                    number.round(format, Rounding::Up),
                    code,
                    "{format:?} {code:#x}"
                );
            }
        }
    }
    assert_eq!(count, 3 * 256 + 2 * 64 + 16);
}

/// The judge rounds ties of scales away from zero, has NaN of zero, and what it makes of subnormal numbers is not nearest:
/// from there up the runs of scales are compared.
const LEAST_SCALE: u32 = 0x0080_0000;

#[test]
fn all_magnitudes_of_f32() {
    let mut rng = Rng::with_seed(9);
    let mut count = 0;
    for (format, _, words) in lines().filter(|it| it.1 == "encode") {
        let scale = format == Format::Ue8m0;
        let rounding = if scale {
            Rounding::NearestAway
        } else {
            Rounding::NearestEven
        };
        let runs: Vec<(u64, u32)> = words
            .iter()
            .filter_map(|it| it.split_once(':'))
            .map(|(code, first)| (u64::from(hex(code)), hex(first)))
            .collect();
        let negative = bits::sign(format, runs[0].0) && !scale;
        count += runs.len();
        for (index, &(code, first)) in runs.iter().enumerate() {
            let last = runs.get(index + 1).map_or(INFINITY, |it| it.1 - 1);
            let first = if scale { first.max(LEAST_SCALE) } else { first };
            if last < first {
                continue;
            }
            let inner = (0..20).map(|_| rng.u32(first..=last));
            for magnitude in inner.chain([first, last]) {
                let source = u64::from(magnitude) | u64::from(negative) << 31;
                let number = Number::decode(Format::F32, source);
                let expected = if bits::is_nan(format, code) {
                    bits::canonical_nan(format)
                } else {
                    code
                };
                let message = format!("{source:#x} to {format:?}");
                assert_eq!(number.round(format, rounding), expected, "{message}");
                let mut out = [0];
                apply(
                    Operation::Convert,
                    &[Format::F32],
                    format,
                    rounding,
                    &[&[source]],
                    &mut out,
                );
                assert_eq!(out, [expected], "{message}");
            }
        }
    }
    // All codes but the NaN of zero of the scales.
    assert_eq!(count, 2 * (128 + 125 + 32 + 32 + 8) + 257);
}
