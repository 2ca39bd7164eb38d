//! The output of `nvdisasm -c -plr -lrm count`.
//!
//! ```text
//! .text.scale:                                                     // |       |        |        |
//! .L_x_3:                                                          // |       |        |        |
//!         /*0010*/              @P0 S2R R12, SR_TID.X ;             // |   2   |        |        |
//! ```
//!
//! The format has no promise: rows that make no sense are skipped. With live registers `nvdisasm` omits code
//! that nothing leads to, as `ptxas -g` makes it; then a second run without them has the rest.

/// The options whose output is read here.
pub const OPTIONS: &[&str] = &["-c", "-plr", "-lrm", "count"];
/// The options of the second run.
pub const ALL_CODE: &[&str] = &["-c"];

/// An instruction as it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisassembledInstruction<'a> {
    /// The section that it is in, without `.text.`.
    pub section: &'a str,
    /// Its address in the section.
    pub address: u64,
    /// Guard, opcode and operands.
    pub text: &'a str,
    /// The last label before it.
    pub label: Option<&'a str>,
    /// How many general registers are live.
    pub live: Option<u32>,
}

/// Calls `visit` for each instruction.
pub fn for_each<'a>(text: &'a str, mut visit: impl FnMut(DisassembledInstruction<'a>)) {
    let (mut section, mut label) = (None, None);
    for row in text.lines() {
        if let Some(rest) = row.strip_prefix(".text.") {
            section = rest.split_once(':').map(|it| it.0);
            label = None;
        } else if row.starts_with(['.', '$'])
            && let Some((name, rest)) = row.split_once(':')
            && rest
                .trim_start()
                .trim_start_matches("//")
                .trim_start_matches([' ', '|', '+', '.', '-'])
                .is_empty()
        {
            label = Some(name);
        } else if let (Some(section), Some((address, rest))) = (section, address(row)) {
            let (text, after) = rest.split_once(';').unwrap_or((rest, ""));
            visit(DisassembledInstruction {
                section,
                address,
                text: text.trim(),
                label: label.take(),
                live: general_registers(after),
            });
        }
    }
}

/// The address of `/*0010*/ S2R R12, SR_TID.X ;`, and the rest. What has no semicolon continues with an
/// instruction.
fn address(row: &str) -> Option<(u64, &str)> {
    let (digits, rest) = row.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let is_address = digits.len() >= 4 && rest.contains(';');
    let address = is_address.then(|| u64::from_str_radix(digits, 16).ok())?;
    Some((address?, rest))
}

/// The first of the columns `// |  12   |   1    |   4    |`; an empty one is a zero.
fn general_registers(rest: &str) -> Option<u32> {
    let (_, columns) = rest.rsplit_once("// |")?;
    let first = columns.split('|').next()?.trim();
    if first.is_empty() {
        return Some(0);
    }
    first.parse().ok()
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn instructions_labels_and_counts() {
        let text = "\
.text.first:                                       // |       |        |        |
        /*0000*/         LDC R1, c[0x0][0x28] ;    // |   1   |        |        |
.L_x_1:                                            // +.......+........+........+
        /*0010*/     @P0 S2R R12, SR_TID.X ;       // |  12   |   1    |   4    |
                                                   // |   #   |   #    |    #   |
        /*0020*/         BRA `(.L_x_1);            // |       |        |        |
.text.second:
        /*0000*/         EXIT ;
";
        let mut out = String::new();
        for_each(text, |it| {
            out += &format!(
                "{} {:#x} {:?} {:?} {:?}\n",
                it.section, it.address, it.text, it.label, it.live
            );
        });
        expect![[r#"
            first 0x0 "LDC R1, c[0x0][0x28]" None Some(1)
            first 0x10 "@P0 S2R R12, SR_TID.X" Some(".L_x_1") Some(12)
            first 0x20 "BRA `(.L_x_1)" None Some(0)
            second 0x0 "EXIT" None None
        "#]]
        .assert_eq(&out);
    }

    #[test]
    fn odd_output_is_no_trouble() {
        for text in [
            "",
            ".text.",
            ".text.x",
            ".text.x:\n/*",
            ".text.x:\n/*zzzz*/ ;",
            ".text.x:\n/*ffffffffffffffffff*/ ; // |1|",
            "/*0000*/ ; // |1|",
        ] {
            for_each(text, |it| panic!("{text}: {it:?}"));
        }
    }
}
