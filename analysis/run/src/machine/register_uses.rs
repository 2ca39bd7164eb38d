//! Uses of registers by instructions that asynchronous operations still use, and fences for registers.

use analysis::code::{Instruction, Slot, Source};
use isa::{
    event::{EventKind, Group},
    tables,
};
use syntax::TextRange;

use crate::outcome::{FindingCode, Related};

use super::{
    Machine,
    pending::{Use, slot_of},
    running::Running,
    warp::Warp,
};

impl Machine<'_> {
    /// Reports uses of registers by an instruction that operations still use, and notes what it writes.
    pub(super) fn check_pending(
        &mut self,
        warp: &mut Warp,
        running: &Running,
        instruction: &Instruction,
    ) {
        let fences = |it: &analysis::code::Event| it.kind == EventKind::RegisterFence;
        if instruction.events.iter().any(fences) {
            return warp.pending.fence_registers(warp.time);
        }
        if warp.pending.is_idle() && !is_of_registers(instruction) {
            return;
        }
        self.check_reads(warp, running, instruction);
        self.check_writes(warp, running, instruction);
        self.check_fence(warp, running, instruction);
    }

    fn check_reads(&mut self, warp: &mut Warp, running: &Running, instruction: &Instruction) {
        let frame = running.frame;
        let accumulators = accumulators(instruction);
        let sources = instruction.sources.iter().chain(&instruction.later_sources);
        let mut copied = None;
        let mut found = None;
        let mut loaded = false;
        for source in sources {
            let Source::Register(slot, _) = source else {
                continue;
            };
            let Some(used) = warp.pending.used.get(&(frame, *slot)).copied() else {
                continue;
            };
            // Products with one accumulator run one after the other.
            let follows = used.group == Group::Wgmma && accumulators.contains(slot);
            if !used.writes || follows {
                continue;
            }
            match (used.group, instruction.copies) {
                // A load is there when one of its registers is read, PTX ISA 9.7.17.6.4.5.
                (Group::TensorLoad, _) => loaded = true,
                (_, true) => copied = Some(used),
                (_, false) => found = Some(used),
            }
        }
        if loaded {
            self.land_group(warp, Group::TensorLoad);
            let used = &mut warp.pending.used;
            used.retain(|_, it| it.group != Group::TensorLoad);
        }
        if let Some(used) = copied {
            self.land_group(warp, used.group);
            for slot in instruction.destinations.iter().flatten() {
                let used = Use {
                    copied: true,
                    ..used
                };
                warp.pending.used.insert((frame, *slot), used);
            }
        }
        if let Some(used) = found {
            let message = "a register that this instruction reads is the result of an operation that has not been waited for";
            self.report_use(running, FindingCode::StaleRead, message, used.range);
        }
    }

    fn check_writes(&mut self, warp: &mut Warp, running: &Running, instruction: &Instruction) {
        let frame = running.frame;
        let accumulators = accumulators(instruction);
        let now = instruction.destinations.iter();
        for slot in now.chain(&instruction.later_destinations).flatten() {
            let Some(used) = warp.pending.used.get(&(frame, *slot)).copied() else {
                continue;
            };
            let follows = used.group == Group::Wgmma && used.writes && accumulators.contains(slot);
            if follows || (instruction.copies && used.copied) {
                continue;
            }
            warp.pending.used.remove(&(frame, *slot));
            if !used.copied {
                let message = "an operation that has not been waited for still uses a register that this instruction writes";
                self.report_use(running, FindingCode::Race, message, used.range);
            }
        }
    }

    /// Checks that the registers of a product were not written since the last fence for registers, and notes those that
    /// an instruction writes.
    fn check_fence(&mut self, warp: &mut Warp, running: &Running, instruction: &Instruction) {
        let frame = running.frame;
        if !is_of_registers(instruction) {
            if warp.pending.fence == 0 {
                return;
            }
            let sources = instruction.sources.iter();
            let mut carried = sources.filter_map(|it| match it {
                Source::Register(slot, _) => {
                    Some(warp.pending.written.get(&(frame, *slot)).copied())
                }
                _ => None,
            });
            // A copy of a register is as new as that one.
            let carried: Option<Option<TextRange>> =
                carried.next_back().filter(|_| instruction.copies);
            for slot in instruction.destinations.iter().flatten() {
                match carried {
                    Some(None) => warp.pending.written.remove(&(frame, *slot)),
                    Some(Some(range)) => warp.pending.written.insert((frame, *slot), range),
                    None => {
                        let range = instruction.range;
                        warp.pending.written.insert((frame, *slot), range)
                    }
                };
            }
            return;
        }
        if warp.pending.fence == 0 {
            let fence = tables().name_of(EventKind::RegisterFence);
            let message = format!("there is no `{fence}` before this operation");
            self.report(FindingCode::Race, running, message);
            warp.pending.fence_registers(warp.time);
            return;
        }
        let Some(later) = instruction
            .program
            .as_ref()
            .and_then(|it| it.later.as_ref())
        else {
            return;
        };
        let Some(tensor) = &later.tensor else {
            return;
        };
        let mut found = None;
        tensor.for_each_register(|node, _| {
            if let Some(slot) = slot_of(later, &instruction.later_sources, node) {
                found = found.or(warp.pending.written.get(&(frame, slot)).copied());
            }
        });
        if let Some(range) = found {
            let fence = tables().name_of(EventKind::RegisterFence);
            let message = format!(
                "a register of this operation was written, and there is no `{fence}` since then"
            );
            let code = FindingCode::Race;
            if !self.world.findings.knows(code, &running.at, running.active) {
                let related = vec![Related {
                    range,
                    message: "writes the register".to_owned(),
                }];
                let (at, lanes) = (&running.at, running.active);
                self.world.findings.push(code, at, lanes, message, related);
            }
        }
    }

    fn report_use(
        &mut self,
        running: &Running,
        code: FindingCode,
        message: &str,
        other: TextRange,
    ) {
        if self.world.findings.knows(code, &running.at, running.active) {
            return;
        }
        let related = vec![Related {
            range: other,
            message: "the operation".to_owned(),
        }];
        let (at, lanes) = (&running.at, running.active);
        let message = message.to_owned();
        self.world.findings.push(code, at, lanes, message, related);
    }
}

/// Whether an instruction is a product of a warpgroup, whose registers fences order.
fn is_of_registers(instruction: &Instruction) -> bool {
    let issues = |it: &analysis::code::Event| it.kind == EventKind::Issue(Group::Wgmma);
    instruction.events.iter().any(issues)
}

/// The registers to which a product adds.
fn accumulators(instruction: &Instruction) -> Vec<Slot> {
    match is_of_registers(instruction) {
        true => instruction
            .later_destinations
            .iter()
            .flatten()
            .copied()
            .collect(),
        false => Vec::new(),
    }
}
