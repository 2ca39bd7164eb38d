use super::Conversion;

/// The text of a conversion for a number, its width and precision being in the format.
#[track_caller]
fn check(format: &str, value: u64, want: &str) {
    let (found, rest) = Conversion::read(format).expect("a conversion");
    let number = |it| match it {
        super::Amount::Number(it) => Some(it),
        _ => None,
    };
    let width = number(found.width).unwrap_or(0) as i64;
    let text = found.of_number(value, width, number(found.precision));
    assert_eq!((text.as_str(), rest), (want, ""), "%{format}");
}

#[test]
fn integers() {
    check("d", 0xFFFF_FFFF, "-1");
    check("5d", 42, "   42");
    check("-5d", 42, "42   ");
    check("05d", 0xFFFF_FFD6, "-0042");
    check("+d", 7, "+7");
    check(".3d", 7, "007");
    check(".0d", 0, "");
    check("lld", u64::MAX, "-1");
    check("hhd", 0x1FF, "-1");
    check("#x", 255, "0xff");
    check("08X", 0xBEEF, "0000BEEF");
    check("llo", 8, "10");
    check("u", 0xFFFF_FFFF, "4294967295");
    check("c", 65, "A");
    check("p", 0x1234, "0x1234");
}

#[test]
fn floating_point_numbers() {
    let bits = f64::to_bits;
    check("f", bits(1.5), "1.500000");
    check("8.2f", bits(-1.256), "   -1.26");
    check("08.2f", bits(-1.256), "-0001.26");
    check("e", bits(12345.678), "1.234568e+04");
    check(".0e", bits(0.0), "0e+00");
    check("g", bits(100_000.0), "100000");
    check("g", bits(1_000_000.0), "1e+06");
    check("g", bits(0.0001), "0.0001");
    check("g", bits(0.00001234), "1.234e-05");
    check(".3G", bits(1e-10), "1E-10");
    check("f", bits(f64::INFINITY), "inf");
    check("+5.1f", bits(2.25), " +2.2");
}
