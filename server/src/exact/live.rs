//! True live registers per line of PTX.
//!
//! `nvdisasm` shows either how many registers are alive at each machine instruction (`-lrm count`) or the
//! line of PTX that it was made of (`-gp`), never both. So it is run twice, and what it says is joined on
//! the function and the address.
//!
//! ```text
//! .text.scale:                                                     // |       |        |        |
//!         /*0010*/                   S2R R12, SR_TID.X ;           // |   2   |        |        |
//!
//! .text.scale:
//!     //## File ".nv_debug_ptx_txt", line 39
//!         /*0010*/                   S2R R12, SR_TID.X ;
//! ```

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

/// The name that the file has in what `ptxas` writes.
const FILE: &str = ".nv_debug_ptx_txt";

/// The options that show live registers.
pub(super) const COUNTS: &[&str] = &["-c", "-plr", "-lrm", "count"];
/// The options that show lines.
pub(super) const LINES: &[&str] = &["-c", "-gp"];

/// For each function its lines, from 0, each with the most registers that are alive there.
pub(super) fn join(counts: &str, lines: &str) -> FxHashMap<String, Vec<(u32, u32)>> {
    let mut alive: FxHashMap<(&str, u64), u32> = FxHashMap::default();
    walk(counts, |function, _, address, text| {
        if let Some(count) = general_registers(text) {
            alive.insert((function, address), count);
        }
    });
    let mut found: FxHashMap<&str, BTreeMap<u32, u32>> = FxHashMap::default();
    walk(lines, |function, line, address, _| {
        if let (Some(line), Some(count)) = (line, alive.get(&(function, address))) {
            let most = found.entry(function).or_default().entry(line).or_default();
            *most = (*most).max(*count);
        }
    });
    found
        .into_iter()
        .map(|(function, lines)| (function.to_owned(), lines.into_iter().collect()))
        .collect()
}

/// Calls `visit` with the function, the line (from 0) if known, the address and the text of each instruction.
fn walk<'a>(text: &'a str, mut visit: impl FnMut(&'a str, Option<u32>, u64, &'a str)) {
    let mut function = None;
    let mut line = None;
    for row in text.lines() {
        if let Some(rest) = row.strip_prefix(".text.") {
            function = rest.split_once(':').map(|it| it.0);
            line = None;
        } else if row.starts_with('$') {
            // Routines of ptxas, such as those of divisions, follow the code of an entry and have no lines.
            line = None;
        } else if let Some(marker) = row.trim_start().strip_prefix("//## File \"") {
            if let Some((FILE, rest)) = marker.split_once("\", line ") {
                let digits = rest.split(|it: char| !it.is_ascii_digit()).next();
                let number = digits.and_then(|it| it.parse::<u32>().ok());
                line = number.and_then(|it| it.checked_sub(1));
            }
        } else if let (Some(function), Some(address)) = (function, address(row)) {
            visit(function, line, address, row);
        }
    }
}

/// The address of `/*0010*/ S2R R12, SR_TID.X ;`. What has no semicolon goes on with an instruction.
fn address(row: &str) -> Option<u64> {
    let (digits, rest) = row.trim_start().strip_prefix("/*")?.split_once("*/")?;
    let is_address = digits.len() >= 4 && rest.contains(';');
    is_address.then(|| u64::from_str_radix(digits, 16).ok())?
}

/// The first of the columns `// |  12   |   1    |   4    |`; an empty one is a zero.
fn general_registers(row: &str) -> Option<u32> {
    let (_, columns) = row.rsplit_once("// |")?;
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

    const COUNTS: &str = r#"
.text.first:                                                        // |       |        |        |
        /*0000*/                   LDC R1, c[0x0][0x28] ;           // |   1   |        |        |
        /*0010*/                   S2R R12, SR_TID.X ;              // |  12   |   1    |   4    |
        /*0020*/                   NOP ;                            // |       |        |        |
                                                                    // |   #   |   #    |    #   |
.text.second:                                                       // |       |        |        |
        /*0000*/                   EXIT ;                           // |   7   |        |        |
        /*0010*/                   BRA 0x10 ;
$__internal_0_$__cuda_sm20_rcp_rn_f32_slowpath:
        /*0020*/                   FMUL R1, R1, R2 ;                // |  20   |        |        |
"#;
    const LINES: &str = r#"
.text.first:
	//## File "kernel.cu", line 90 inlined at "a.cu", line 3
	//## File ".nv_debug_ptx_txt", line 8
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "kernel.cu", line 91
        /*0010*/                   S2R R12, SR_TID.X ;
	//## File ".nv_debug_ptx_txt", line 5
        /*0020*/                   NOP ;
.text.second:
        /*0000*/                   EXIT ;
	//## File ".nv_debug_ptx_txt", line 20
        /*0000*/                   EXIT ;
        /*0010*/                   BRA 0x10 ;
$__internal_0_$__cuda_sm20_rcp_rn_f32_slowpath:
        /*0020*/                   FMUL R1, R1, R2 ;
"#;

    #[test]
    fn the_views_are_joined_by_function_and_address() {
        let mut found: Vec<_> = join(COUNTS, LINES).into_iter().collect();
        found.sort();
        expect![[r#"[("first", [(4, 0), (7, 12)]), ("second", [(19, 7)])]"#]]
            .assert_eq(&format!("{found:?}"));
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
            "//## File \".nv_debug_ptx_txt\", line 0",
            ".text.x:\n//## File \".nv_debug_ptx_txt\", line 0\n/*0000*/ ; // |é|",
        ] {
            assert!(join(text, text).is_empty(), "{text}");
        }
    }
}
