//! The machine code of functions, a row for each instruction: what the cubin and `nvdisasm` say of it, joined by
//! section and address.

use rustc_hash::FxHashMap;

use crate::{
    blocks::{self, Block},
    cubin::{Cubin, Routine},
    disassembly, opcodes,
    row::Row,
    schedule::{self, Schedule},
};

/// The machine code of an entry, with the functions after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// The name of the entry, or of the function if it was compiled separately.
    pub name: String,
    /// The instructions without padding, by address.
    pub rows: Vec<Row>,
    /// Functions after the entry, and routines of `ptxas`.
    pub routines: Vec<Routine>,
    /// The blocks, in the order of their rows; none without `nvdisasm`.
    pub blocks: Vec<Block>,
}

impl Listing {
    /// The most general registers that are live, and the lines of PTX where that many are, from 1.
    #[must_use]
    pub fn peak(&self) -> Option<(u32, Vec<u32>)> {
        let most = self.rows.iter().filter_map(|it| it.live).max()?;
        let rows = self.rows.iter().filter(|it| it.live == Some(most));
        let mut lines: Vec<u32> = rows.filter_map(|it| it.line).collect();
        lines.sort_unstable();
        lines.dedup();
        Some((most, lines))
    }
}

impl Listing {
    /// How many instructions access local memory.
    #[must_use]
    pub fn local_accesses(&self) -> u32 {
        let memory = self.blocks.iter().flat_map(|it| &it.memory);
        let local = memory.filter(|it| it.space == opcodes::Space::Local);
        local.map(|it| it.count).sum()
    }
}

/// Whether `nvdisasm` printed each instruction of a cubin for a target.
#[must_use]
pub fn is_complete(cubin: &Cubin, text: &str, target: &str) -> bool {
    if !schedule::is_known(target) {
        return true;
    }
    let mut printed: FxHashMap<&str, usize> = FxHashMap::default();
    disassembly::for_each(text, |it| *printed.entry(it.section).or_default() += 1);
    cubin.sections.iter().all(|it| {
        let count = schedule::padding(&it.code) / schedule::INSTRUCTION as u64;
        printed.get(&*it.name).copied().unwrap_or_default() as u64 >= count
    })
}

/// Joins what a cubin for a target has with what `nvdisasm` prints of it, if it was run. Of what it prints of an
/// instruction the first counts.
#[must_use]
pub fn join(cubin: &Cubin, text: Option<&str>, target: &str) -> Vec<Listing> {
    let mut printed: FxHashMap<&str, Vec<disassembly::DisassembledInstruction<'_>>> =
        FxHashMap::default();
    disassembly::for_each(text.unwrap_or_default(), |it| {
        printed.entry(it.section).or_default().push(it);
    });
    let has_schedule = schedule::is_known(target);
    let mut listings = Vec::new();
    for section in &cubin.sections {
        let mut rows: Vec<Row> = Vec::new();
        let printed = printed.get(&*section.name).map_or(&[][..], |it| it);
        rows.extend(printed.iter().map(|it| Row {
            address: it.address,
            text: it.text.to_owned(),
            label: it.label.map(str::to_owned),
            live: it.live,
            ..Row::default()
        }));
        // Older instructions have no size that is the same for all.
        if has_schedule {
            let end = schedule::padding(&section.code);
            rows.retain(|it| it.address < end);
            // An instruction without a text is still one.
            let addresses = (0..end).step_by(schedule::INSTRUCTION);
            rows.extend(addresses.map(|address| Row {
                address,
                ..Row::default()
            }));
        }
        // The sort is stable, so the first of each address stays.
        rows.sort_by_key(|it| it.address);
        rows.dedup_by_key(|it| it.address);
        while rows.last().is_some_and(|it| it.text == "NOP") {
            rows.pop();
        }
        if rows.last().is_some_and(is_branch_to_itself) {
            rows.pop();
        }
        // The last instruction that sets each scoreboard.
        let mut setters = [None; 8];
        for row in &mut rows {
            row.line = section.line(row.address);
            row.source = section.source(row.address);
            let routine = section.routine(row.address);
            row.routine = routine.and_then(|it| {
                let index = section
                    .routines
                    .iter()
                    .position(|other| std::ptr::eq(it, other));
                u32::try_from(index?).ok()
            });
            let halves = schedule::halves(&section.code, row.address).filter(|_| has_schedule);
            row.schedule = halves.map(|(_, upper)| Schedule::new(upper));
            let Some(schedule) = row.schedule else {
                continue;
            };
            let waits = schedule.waits().filter_map(|it| setters[it as usize]);
            row.waits_for = waits.collect();
            row.waits_for.dedup();
            for board in [schedule.write, schedule.read].into_iter().flatten() {
                setters[usize::from(board)] = Some(row.address);
            }
        }
        listings.push(Listing {
            name: section.name.clone(),
            blocks: blocks::find(&rows),
            rows,
            routines: section.routines.clone(),
        });
    }
    listings
}

/// Whether this is what `ptxas` puts after the end of a function.
fn is_branch_to_itself(row: &Row) -> bool {
    let target = row
        .text
        .strip_prefix("BRA `(")
        .and_then(|it| it.strip_suffix(')'));
    target.is_some() && target == row.label.as_deref()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use expect_test::expect;

    use super::*;
    use crate::cubin;

    const CUBIN: &[u8] = include_bytes!("data/scale.cubin");
    const TEXT: &str = include_str!("data/scale.sass");

    fn show(listings: &[Listing], rows: std::ops::Range<usize>) -> String {
        let mut out = String::new();
        for listing in listings {
            let _ = writeln!(
                out,
                "{}: {} rows, peak {:?}",
                listing.name,
                listing.rows.len(),
                listing.peak()
            );
            for it in listing.rows.get(rows.clone()).unwrap_or_default() {
                let stall = it.schedule.map(|it| it.stall);
                let _ = writeln!(
                    out,
                    "{:#06x} {:?} {:?} {:?} {stall:?} {:x?} {:?} {}",
                    it.address, it.line, it.live, it.routine, it.waits_for, it.label, it.text
                );
            }
        }
        out
    }

    #[test]
    fn rows_are_joined_by_address() {
        let cubin = cubin::read(CUBIN).expect("a cubin");
        let listings = join(&cubin, Some(TEXT), "sm_90a");
        expect![[r#"
            scale: 136 rows, peak Some((13, [29, 30]))
            0x0000 Some(14) Some(1) None Some(1) [] None LDC R1, c[0x0][0x28]
            0x0010 Some(22) Some(2) None Some(7) [] None S2R R3, SR_TID.X
            0x0020 Some(24) Some(4) None Some(1) [] None LDC.64 R4, c[0x0][0x210]
            0x0030 Some(14) Some(4) None Some(7) [] None ULDC.64 UR4, c[0x0][0x208]
            0x0040 Some(29) Some(5) None Some(1) [] None LDC R7, c[0x0][0x218]
            0x0050 Some(24) Some(5) None Some(5) [20] None IMAD.WIDE.U32 R4, R3, 0x4, R4
            0x0060 Some(26) Some(5) None Some(1) [] None LDG.E R0, desc[UR4][R4.64]
            0x0070 Some(29) Some(4) None Some(1) [40] None MUFU.RCP R2, R7
            0x0080 Some(29) Some(4) None Some(1) [] None BSSY B0, `(.L_x_0)
            0x0090 Some(29) Some(5) None Some(4) [70] None FFMA R3, R2, -R7, 1
            0x00a0 Some(29) Some(5) None Some(2) [] None FFMA R3, R2, R3, R2
            0x00b0 Some(29) Some(4) None Some(2) [60] None FCHK P0, R0, R7
            0x00c0 Some(29) Some(5) None Some(4) [] None FFMA R2, R0, R3, RZ
            0x00d0 Some(29) Some(6) None Some(4) [] None FFMA R6, R2, -R7, R0
            0x00e0 Some(29) Some(5) None Some(1) [] None FFMA R2, R3, R6, R2
            0x00f0 Some(29) Some(2) None Some(6) [b0] None @!P0 BRA `(.L_x_1)
            0x0100 Some(29) Some(3) None Some(7) [] None MOV R2, 0x120
            0x0110 Some(29) Some(13) None Some(5) [] None CALL.REL.NOINC `($__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath)
            0x0120 Some(29) Some(3) None Some(7) [] None IMAD.MOV.U32 R2, RZ, RZ, R0
            0x0130 Some(30) Some(1) None Some(5) [] None BSYNC B0
            0x0140 Some(30) Some(2) None Some(7) [] None MOV R0, 0x160
            0x0150 Some(30) Some(13) None Some(5) [] None CALL.REL.NOINC `($scale$square)
            0x0160 Some(32) Some(4) None Some(13) [] None FSETP.GT.AND P0, PT, R7, 1, PT
            0x0170 Some(33) Some(4) None Some(5) [] None @!P0 EXIT
            0x0180 Some(33) Some(4) None Some(1) [] None STG.E desc[UR4][R4.64], R7
            0x0190 Some(34) Some(1) None Some(5) [] Some(".L_x_15") EXIT
            0x01a0 None Some(5) Some(0) Some(1) [] Some("$__internal_0_$__cuda_sm3x_div_rn_noftz_f32_slowpath") LDC R3, c[0x0][0x218]
            0x01b0 None Some(6) Some(0) Some(1) [] None SHF.R.U32.HI R6, RZ, 0x17, R0.reuse
            0x01c0 None Some(6) Some(0) Some(1) [] None ULDC UR6, c[0x0][0x218]
            0x01d0 None Some(6) Some(0) Some(1) [] None BSSY B1, `(.L_x_2)
        "#]].assert_eq(&show(&listings, 0..30));
        // Without nvdisasm there are lines and stalls, and as many rows.
        let plain = join(&cubin, None, "sm_90a");
        expect![[r#"
            scale: 136 rows, peak None
            0x0050 Some(24) None None Some(5) [20] None 
            0x0060 Some(26) None None Some(1) [] None 
            0x0070 Some(29) None None Some(1) [40] None 
        "#]]
        .assert_eq(&show(&plain, 5..8));
        assert!(
            join(&cubin, None, "sm_61")
                .iter()
                .all(|it| it.rows.is_empty())
        );
    }

    #[test]
    fn code_that_nothing_leads_to_is_in_a_second_text() {
        let cubin = cubin::read(CUBIN).expect("a cubin");
        assert!(is_complete(&cubin, TEXT, "sm_90a"));
        let left_out = |it: &&str| !["/*0040*/", "/*0050*/"].iter().any(|at| it.contains(at));
        let mut text: String = TEXT.split_inclusive('\n').filter(left_out).collect();
        assert!(!is_complete(&cubin, &text, "sm_90a") && is_complete(&cubin, &text, "sm_61"));
        let show = |text: &str| show(&join(&cubin, Some(text), "sm_90a"), 3..6);
        expect![[r#"
            scale: 136 rows, peak Some((13, [29, 30]))
            0x0030 Some(14) Some(4) None Some(7) [] None ULDC.64 UR4, c[0x0][0x208]
            0x0040 Some(29) None None Some(1) [] None 
            0x0050 Some(24) None None Some(5) [20] None 
        "#]]
        .assert_eq(&show(&text));
        text += "\n.text.scale:\n/*0030*/ OTHER ;\n.L_x_9:\n/*0040*/ LDC R7, c[0x0][0x218] ;\n";
        expect![[r#"
            scale: 136 rows, peak Some((13, [29, 30]))
            0x0030 Some(14) Some(4) None Some(7) [] None ULDC.64 UR4, c[0x0][0x208]
            0x0040 Some(29) None None Some(1) [] Some(".L_x_9") LDC R7, c[0x0][0x218]
            0x0050 Some(24) None None Some(5) [20] None 
        "#]]
        .assert_eq(&show(&text));
    }

    #[test]
    fn opcodes() {
        let of = |text: &str| {
            Row {
                text: text.to_owned(),
                ..Row::default()
            }
            .opcode()
            .to_owned()
        };
        assert_eq!(of("@!P0 BRA P1, `(.L_x_3)"), "BRA");
        assert_eq!(of("LDG.E.64 R2, desc[UR4][R2.64]"), "LDG.E.64");
        assert_eq!(
            (of("EXIT"), of("@P0"), of("")),
            ("EXIT".into(), String::new(), String::new())
        );
    }
}
