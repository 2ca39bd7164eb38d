//! Operands that may change places.

/// The indices of two operands of an instruction that mean the same in either order, if it has such ones;
/// the destination is operand 0, and a guard is none. `words` are its words with their full stops.
#[must_use]
pub fn operands<'a>(
    opcode: &str,
    mut words: impl Iterator<Item = &'a str>,
) -> Option<(usize, usize)> {
    let commutes = match opcode {
        "add" | "addc" | "mul" | "mul24" | "mad" | "madc" | "mad24" | "fma" | "sad" | "min"
        | "max" | "and" | "or" | "xor" => true,
        // Comparisons that are the same in both directions.
        "set" | "setp" => {
            words.any(|it| matches!(it, ".eq" | ".ne" | ".equ" | ".neu" | ".num" | ".nan"))
        }
        _ => false,
    };
    commutes.then_some((1, 2))
}

#[cfg(test)]
mod tests {
    use super::operands;

    #[test]
    fn comparisons_commute_if_they_are_symmetric() {
        let of = |text: &str| {
            let mut words = text.split('.');
            let opcode = words.next().expect("an opcode");
            let words: Vec<_> = words.map(|it| format!(".{it}")).collect();
            operands(opcode, words.iter().map(String::as_str))
        };
        assert_eq!(of("add.s32"), Some((1, 2)));
        assert_eq!(of("setp.ne.and.s32"), Some((1, 2)));
        assert_eq!(of("setp.lt.s32"), None);
        assert_eq!(of("sub.s32"), None);
    }
}
