//! The lanes of a warp next to each other: where each of them is, the values of some registers, and the banks that an
//! access of shared memory uses.

use isa::hardware::memory::{BANK_BYTES, BANKS, bank_conflict};
use run::debug::{
    Expression, Found, NextAccess, Row, Scope, View, WARP, lane_ranges, next_accesses,
};
use serde_json::{Value, json};

use super::{
    protocol::{Answer, LanesArguments},
    session::Session,
    show::is_hex,
};

impl Session<'_> {
    /// The answer to `ptx/lanes`: the requested expressions that have a value in each lane, and the registers that the
    /// statement at the frame names.
    pub(super) fn lanes(&mut self, it: &LanesArguments) -> Answer {
        let frame = self.frame(it.frame_id)?;
        let frame = self.focus(frame);
        let scope = self.scope(frame)?;
        let run = self.run.as_ref().ok_or_else(super::session::not_launched)?;
        let warp = scope.machine.warp_view(frame.view.warp);
        let groups = warp.map(|it| it.groups).unwrap_or_default();
        let line = |function, pc| {
            let at = run.program.position(run.program.range(function, pc));
            i64::from(at.line) + self.client.first_line
        };
        let places = (0..WARP).map(|lane| {
            let group = groups.iter().find(|it| it.lanes >> lane & 1 == 1);
            json!({
                "line": group.map(|it| line(it.function, it.pc)),
                "isHere": frame.lanes >> lane & 1 == 1,
            })
        });
        let places: Vec<Value> = places.collect();
        let own = groups.iter().find(|it| it.lanes & frame.lanes != 0);
        let at = own.and_then(|group| {
            let mut frames = scope.machine.frames(frame.view.warp, group).into_iter();
            frames.find(|it| it.index == frame.view.frame)
        });
        let text = at.as_ref().map_or("", |it| {
            &run.program.document.text()[run.program.range(it.function, it.pc)]
        });
        let named: Vec<&str> = text
            .split(|it: char| !(it.is_alphanumeric() || matches!(it, '%' | '$' | '_')))
            .collect();
        let mut columns: Vec<Value> = Vec::new();
        let mut add = |name: &str, row: &Row| {
            let values = (0..WARP).map(|lane| row.show(lane, is_hex(it.format)));
            columns.push(json!({
                "name": name,
                "type": row.ty.word(),
                "values": values.collect::<Vec<_>>(),
            }));
        };
        for text in &it.expressions {
            let found = Expression::parse(text).and_then(|it| scope.find(&it));
            if let Ok(Found::Row(row, _)) = found {
                add(text, &row);
            }
        }
        let registers = scope.registers();
        let mut shown: Vec<&str> = Vec::new();
        for name in named {
            let is_chosen = it.expressions.iter().any(|it| it == name);
            let register = registers.iter().find(|it| it.0 == name);
            if let Some((_, slot, ty)) = register
                && !is_chosen
                && !shown.contains(&name)
                && let Some(row) = scope.row(*slot, *ty)
            {
                shown.push(name);
                add(name, &row);
            }
        }
        // Only the innermost frame is at an instruction that is about to run.
        let innermost = own.zip(at).filter(|(own, at)| own.frame == at.index);
        let access = innermost
            .and_then(|(_, it)| next_access(&scope, frame.view, (it.function, it.pc), frame.lanes));
        Ok(json!({
            "focus": frame.view.lane,
            "lanes": places,
            "columns": columns,
            "access": access.as_ref().map(shown_access),
        }))
    }
}

/// The access of shared memory that lanes are about to make, if the instruction makes one.
fn next_access(
    scope: &Scope<'_, '_>,
    view: View,
    (function, pc): (usize, u32),
    mut active: u32,
) -> Option<NextAccess> {
    let function = scope.machine.code().functions.get(function)?;
    let instruction = function.instructions.get(pc as usize)?;
    if let Some(guard) = instruction.guard {
        let (values, _) = scope.machine.register(view.warp, view.frame, guard.slot)?;
        for (lane, value) in values.iter().enumerate() {
            if (value & 1 == 1) == guard.negated {
                active &= !(1 << lane);
            }
        }
    }
    let all = next_accesses(scope.machine, view, instruction, active);
    all.into_iter().find(|it| it.is_shared() && it.lanes != 0)
}

/// An access of shared memory with the bank of each lane, and a sentence about conflicts.
fn shown_access(it: &NextAccess) -> Value {
    let active = |lane: &usize| it.lanes >> lane & 1 == 1;
    let banks = (0..WARP).map(|lane| {
        let bank = it.addresses[lane] / BANK_BYTES % u64::from(BANKS);
        active(&lane).then_some(bank)
    });
    let addresses: Vec<(u32, u64)> = (0..WARP)
        .filter(active)
        .map(|lane| (lane as u32, it.addresses[lane]))
        .collect();
    let (ways, conflict) = bank_conflict(&addresses, it.bytes);
    let mask = conflict.lanes.iter().fold(0, |all, it| all | 1 << it);
    let summary = match ways {
        1 => "no bank conflict".to_owned(),
        _ => format!(
            "{ways}-way bank conflict: lanes {} on bank {}",
            lane_ranges(mask),
            conflict.bank
        ),
    };
    json!({
        "bytes": it.bytes,
        "writes": it.writes,
        "banks": banks.collect::<Vec<_>>(),
        "ways": ways,
        "summary": summary,
    })
}
