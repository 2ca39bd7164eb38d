//! Names without what differs between two builds of the same source.

use std::borrow::Cow;

/// The text that `nvcc` puts before a hash of the path and the name of a source, and what is after it.
const INTERNAL: &[&str] = &["_GLOBAL__N__", "_INTERNAL_", "__nv_static_"];
/// Lengths of hashes in hexadecimal digits that are after `_` in names of CUB and Triton.
const HASHES: &[usize] = &[64, 32];
/// The text that Rust puts before 16 hexadecimal digits and `E`.
const RUST: &str = "17h";

/// A name without the hashes that compilers put into it: two that are equal then are the same name in two
/// builds, unless a module has several of them.
pub fn plain(name: &str) -> Cow<'_, str> {
    if name.len() < 16 {
        return Cow::Borrowed(name);
    }
    let mut out = String::new();
    let mut rest = name;
    let mut found = false;
    while let Some(first) = rest.chars().next() {
        if let Some(length) = hash(rest) {
            found = true;
            out.push('#');
            rest = &rest[length..];
        } else {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    match found {
        true => Cow::Owned(out),
        false => Cow::Borrowed(name),
    }
}

/// How long the hash at the start of a text is, with the words around it.
fn hash(text: &str) -> Option<usize> {
    if let Some(word) = INTERNAL.iter().find(|it| text.starts_with(**it)) {
        return internal(&text[word.len()..]).map(|it| word.len() + it);
    }
    if let Some(rest) = text.strip_prefix(RUST) {
        let end = digits(rest) == 16 && rest[16..].starts_with('E');
        return end.then_some(RUST.len() + 17);
    }
    let rest = text.strip_prefix('_')?;
    let length = digits(rest);
    HASHES.contains(&length).then_some(1 + length)
}

/// `0a1b2c3d_4_k_cu_11223344`, perhaps with a number before it and one after: the hash of the path, the
/// length of a name, the name, and the hash of something else.
fn internal(text: &str) -> Option<usize> {
    let mut at = 0;
    // `__nv_static_` has a length first.
    let number = text.bytes().take_while(u8::is_ascii_digit).count();
    if text[number..].starts_with("__") {
        at = number + 2;
    }
    at += (digits(&text[at..]) == 8).then_some(8)?;
    let rest = text[at..].strip_prefix('_')?;
    let number = rest.bytes().take_while(u8::is_ascii_digit).count();
    let length: usize = rest[..number].parse().ok()?;
    let name = rest[number..].strip_prefix('_')?;
    // The name of the source, whose characters that are not letters became `_`.
    let after = match name.get(length..) {
        Some(after) if hash_behind(after).is_some() => after,
        _ => {
            let cu = name.find("_cu_")?;
            &name[cu + "_cu".len()..]
        }
    };
    let length = hash_behind(after)?;
    Some(text.len() - after.len() + length)
}

/// The length of `_11223344`, and of `_7` after it.
fn hash_behind(text: &str) -> Option<usize> {
    let rest = text.strip_prefix('_')?;
    (digits(rest) == 8).then_some(())?;
    let rest = &rest[8..];
    let number = rest.strip_prefix('_').map_or(0, |it| {
        let digits = it.bytes().take_while(u8::is_ascii_digit).count();
        let ends = !it[digits..].starts_with(|it: char| it.is_ascii_alphanumeric());
        if digits > 0 && ends { 1 + digits } else { 0 }
    });
    Some(9 + number)
}

/// How many hexadecimal digits a text begins with; hashes have small letters.
fn digits(text: &str) -> usize {
    let digit = |it: &u8| matches!(it, b'0'..=b'9' | b'a'..=b'f');
    text.bytes().take_while(digit).count()
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn hashes_are_left_out() {
        for (name, expected) in [
            ("_GLOBAL__N__0a1b2c3d_4_k_cu_11223344_softmax", "#_softmax"),
            (
                "_ZN48_INTERNAL_0a1b2c3d_11_some_app_cu_11223344_9974v1E",
                "#",
            ),
            (
                "__nv_static_42__0a1b2c3d_4_k_cu_11223344__Z1fPi",
                "#__Z1fPi",
            ),
            (
                "_ZN4core3fmt5write17h0123456789abcdefE",
                "_ZN4core3fmt5write#",
            ),
            ("kernel_0123456789abcdef0123456789abcdef", "kernel#"),
            ("softmax_kernel_12345678", "softmax_kernel_12345678"),
            ("_GLOBAL__N__", "_GLOBAL__N__"),
            (
                "_INTERNAL_0a1b2c3d_99999999999999999999_k_cu_1",
                "_INTERNAL_0a1b2c3d_99999999999999999999_k_cu_1",
            ),
            ("short", "short"),
        ] {
            let plain = plain(name);
            if expected == "#" {
                assert!(
                    plain.contains('#') && !plain.contains("11223344"),
                    "{plain}"
                );
            } else {
                assert_eq!(plain, expected);
            }
        }
    }
}
