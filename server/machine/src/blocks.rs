//! The blocks of a listing, and what each of them costs at least.
//!
//! A block is entered at its first instruction and left after its last one. `nvdisasm` cuts at the same places:
//! at labels, and after branches, calls and ends, with a guard or without.

use std::collections::BTreeMap;

use crate::{
    opcodes::{self, MemoryOperation, Space},
    row::Row,
};

/// Instructions that are executed one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// The first row.
    pub first: u32,
    /// How many instructions it has.
    pub count: u32,
    /// The sum of the stalls: a warp needs at least this many cycles to issue the block. `None` for targets whose
    /// instructions do not tell.
    pub stalls: Option<u32>,
    /// How many instructions wait for others that take as long as they take.
    pub waits: u32,
    /// The accesses to memory, those alike together.
    pub memory: Vec<Memory>,
}

/// Accesses of a block that do the same in the same space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// Memory that is accessed.
    pub space: Space,
    /// Kind of access.
    pub operation: MemoryOperation,
    /// How many instructions do it.
    pub count: u32,
    /// How many bytes a thread moves if no guard stops it; `None` if an opcode does not say.
    pub bytes: Option<u32>,
}

/// The blocks of rows; none if the rows have no text.
#[must_use]
pub fn find(rows: &[Row]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut memory: BTreeMap<(Space, MemoryOperation), Memory> = BTreeMap::new();
    let mut before: Option<&Row> = None;
    for (index, row) in (0..).zip(rows) {
        if row.base_opcode().is_none() {
            return Vec::new();
        }
        let begins = row.label.is_some()
            || before.is_none_or(|it| {
                it.routine != row.routine || it.base_opcode().is_some_and(opcodes::ends_block)
            });
        before = Some(row);
        if begins {
            close(&mut blocks, &mut memory);
            blocks.push(Block {
                first: index,
                stalls: row.schedule.map(|_| 0),
                ..Block::default()
            });
        }
        let Some(block) = blocks.last_mut() else {
            continue;
        };
        block.count += 1;
        block.waits += u32::from(!row.waits_for.is_empty());
        block.stalls = match (block.stalls, row.schedule) {
            (Some(stalls), Some(it)) => Some(stalls + u32::from(it.stall)),
            _ => None,
        };
        let access = match row.is_never_executed() {
            true => None,
            false => opcodes::access(row.opcode()),
        };
        if let Some(access) = access {
            let key = (access.space, access.operation);
            let sum = memory.entry(key).or_insert(Memory {
                space: access.space,
                operation: access.operation,
                count: 0,
                bytes: Some(0),
            });
            sum.count += 1;
            sum.bytes = sum.bytes.zip(access.bytes).map(|(sum, it)| sum + it);
        }
    }
    close(&mut blocks, &mut memory);
    blocks
}

fn close(blocks: &mut [Block], memory: &mut BTreeMap<(Space, MemoryOperation), Memory>) {
    if let Some(block) = blocks.last_mut() {
        block.memory = std::mem::take(memory).into_values().collect();
    }
}

impl Block {
    /// The figures in words: `12 instructions, stalls 34, 3 waits; global: 2 loads of 32 bytes`.
    #[must_use]
    pub fn words(&self) -> String {
        let counted = |count: u32, one: &str, more: &str| match count {
            1 => format!("1 {one}"),
            _ => format!("{count} {more}"),
        };
        let mut parts = vec![counted(self.count, "instruction", "instructions")];
        parts.extend(self.stalls.map(|it| format!("stalls {it}")));
        if self.waits > 0 {
            parts.push(counted(self.waits, "wait", "waits"));
        }
        let mut text = parts.join(", ");
        let mut last = None;
        for it in &self.memory {
            match last == Some(it.space) {
                true => text += ", ",
                false => {
                    text += "; ";
                    text += it.space.word();
                    text += ": ";
                }
            }
            last = Some(it.space);
            text += &counted(it.count, it.operation.word(), it.operation.words());
            if let Some(bytes) = it.bytes {
                text += &format!(" of {}", counted(bytes, "byte", "bytes"));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::{cubin, listing};

    const CUBIN: &[u8] = include_bytes!("data/scale.cubin");
    const TEXT: &str = include_str!("data/scale.sass");

    fn show(rows: &[Row]) -> String {
        let blocks = find(rows);
        let lines = blocks
            .iter()
            .map(|it| format!("{:04x}: {}\n", rows[it.first as usize].address, it.words()));
        lines.collect()
    }

    #[test]
    fn blocks_of_a_kernel() {
        let cubin = cubin::read(CUBIN).expect("a cubin");
        let listings = listing::join(&cubin, Some(TEXT), "sm_90a");
        let rows: Vec<Row> = listings[0].rows.iter().take(40).cloned().collect();
        expect![[r#"
            0000: 16 instructions, stalls 48, 5 waits; global: 1 load of 4 bytes
            0100: 2 instructions, stalls 12
            0120: 4 instructions, stalls 24
            0160: 2 instructions, stalls 18
            0180: 1 instruction, stalls 1; global: 1 store of 4 bytes
            0190: 1 instruction, stalls 5
            01a0: 14 instructions, stalls 43, 1 wait
        "#]]
        .assert_eq(&show(&rows));
        // Without text the targets of branches are unknown.
        assert_eq!(
            listing::join(&cubin, None, "sm_90a")[0].blocks,
            Vec::default()
        );
        assert_eq!(find(&[]), Vec::default());
    }

    #[test]
    fn accesses_are_summed() {
        let texts = [
            "LDG.E.128 R4, [R2.64]",
            "@P0 LDG.E R4, [R2.64]",
            "@!PT LDS RZ, [RZ]",
            "UTMALDG.2D [UR4], [UR6]",
            "STS.U8 [R1], R2",
            "@!P1 EXIT",
            "LDL R3, [R1]",
        ];
        let row = |(index, text): (u64, &&str)| Row {
            address: 16 * index,
            text: (*text).to_owned(),
            ..Row::default()
        };
        let rows: Vec<Row> = (0..).zip(&texts).map(row).collect();
        expect![[r#"
            0000: 6 instructions; global: 2 loads of 20 bytes, 1 copy; shared: 1 store of 1 byte
            0060: 1 instruction; local: 1 load of 4 bytes
        "#]]
        .assert_eq(&show(&rows));
    }
}
