//! Numbers in names and declarations.

/// The value of an unsigned integer literal, or of `WARP_SZ`; `None` if it is none or too large.
///
/// Like ptxas, which looks for an overflow before each digit only, this reads 2^64 as 0.
pub(crate) fn integer(text: &str) -> Option<u64> {
    if text == "WARP_SZ" {
        return Some(32);
    }
    let text = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (&text[2..], 16),
        [b'0', b'b' | b'B', ..] => (&text[2..], 2),
        [b'0', _, ..] => (&text[1..], 8),
        _ => (text, 10),
    };
    if digits.is_empty() {
        return None;
    }
    digits.chars().try_fold(0u64, |value, digit| {
        let digit = digit.to_digit(radix)?;
        (value < 1 << 63).then(|| value.wrapping_mul(radix.into()).wrapping_add(digit.into()))
    })
}

/// Splits a name into what is before its final digits and their value: `%r12` is `%r`, 12.
///
/// Like ptxas, leading zeros do not count and large numbers wrap around.
pub(crate) fn split_name(name: &str) -> Option<(&str, u32)> {
    let bytes = name.as_bytes();
    let mut start = bytes.len();
    let (mut number, mut power) = (0_u32, 1_u32);
    while let Some(digit @ b'0'..=b'9') = start.checked_sub(1).map(|it| bytes[it]) {
        number = number.wrapping_add(power.wrapping_mul(u32::from(digit - b'0')));
        power = power.wrapping_mul(10);
        start -= 1;
    }
    (start > 0 && start < bytes.len()).then(|| (&name[..start], number))
}

/// Whether the digits at the end of a name are the usual spelling of their value.
pub(crate) fn is_canonical(name: &str) -> bool {
    let prefix = name.trim_end_matches(|it: char| it.is_ascii_digit());
    let digits = &name[prefix.len()..];
    digits == "0" || !digits.starts_with('0') && digits.len() < 10
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_split_before_all_final_digits() {
        assert_eq!(split_name("%r12"), Some(("%r", 12)));
        assert_eq!(split_name("%r012"), Some(("%r", 12)));
        assert_eq!(split_name("%r4294967297"), Some(("%r", 1)));
        assert_eq!(split_name("a1_"), None);
        assert_eq!(split_name("12"), None);
        assert!(is_canonical("r0") && is_canonical("r10"));
        assert!(!is_canonical("r01") && !is_canonical("r00"));
    }

    #[test]
    fn integers_have_four_notations() {
        for text in ["32", "0x20", "040", "0b100000", "32U", "WARP_SZ"] {
            assert_eq!(integer(text), Some(32), "{text}");
        }
        assert_eq!(integer("0"), Some(0));
        assert_eq!(integer("1.0"), None);
        assert_eq!(integer("18446744073709551617"), Some(1));
        assert_eq!(integer("99999999999999999999"), None);
    }
}
