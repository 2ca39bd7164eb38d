//! Expressions at a stop, and writing of registers and memory.

use base64::{Engine as _, engine::general_purpose::STANDARD as BASE64};
use isa::{
    compute::{AddressSpace, window},
    variable::StateSpace,
};
use run::debug::{Edit, Expression, Found, Type, View, WARP};
use serde_json::{Value, json};

use super::{
    protocol::{
        Answer, EvaluateArguments, ReadMemoryArguments, Refusal, SetExpressionArguments,
        SetVariableArguments, WriteMemoryArguments,
    },
    session::Session,
    state::{FrameRef, Handle, ScopeKind},
};

/// The most bytes of memory in one answer.
const MOST_BYTES: u64 = 1 << 20;

use super::show::is_hex;

impl<'a> Session<'a> {
    pub(super) fn evaluate(&mut self, it: &EvaluateArguments) -> Answer {
        let text = it.expression.trim();
        let frame = self.frame(it.frame_id)?;
        if let Some(number) = text.strip_prefix("lane ").map(str::trim) {
            return self.focus_on(frame, number);
        }
        if let Some((left, right)) = assignment(text) {
            return self.assign(frame, left, right, is_hex(it.format));
        }
        let expression = Expression::parse(text)?;
        let found = self.scope(frame)?.find(&expression)?;
        let shown = self.value(frame, text, found, is_hex(it.format))?;
        Ok(as_result(self.shown(shown)))
    }

    /// Shows the values of another lane.
    fn focus_on(&mut self, frame: FrameRef, number: &str) -> Answer {
        let lane = number.parse().ok().filter(|it| *it < WARP);
        let Some(lane) = lane else {
            return Err(format!("`{number}` is not a lane: lanes are 0 to {}", WARP - 1).into());
        };
        let scope = self.scope(frame)?;
        let warp = scope.machine.warp_view(frame.view.warp);
        let live = warp.map_or(0, |it| it.live);
        if frame.lanes >> lane & 1 == 0 {
            let why = match live >> lane & 1 {
                1 => "is at another instruction: choose the thread that has it",
                _ => "has ended, or is not part of the launch",
            };
            return Err(format!("lane {lane} {why}").into());
        }
        self.lane = lane;
        if self.client.is_told_of_changes {
            self.event("invalidated", json!({ "areas": ["variables"] }));
        }
        Ok(json!({ "result": format!("lane {lane}"), "variablesReference": 0 }))
    }

    pub(super) fn set_expression(&mut self, it: &SetExpressionArguments) -> Answer {
        let frame = self.frame(it.frame_id)?;
        let mut body = self.assign(frame, it.expression.trim(), &it.value, is_hex(it.format))?;
        body["value"] = body["result"].take();
        Ok(body)
    }

    pub(super) fn set_variable(&mut self, it: &SetVariableArguments) -> Answer {
        self.stopped_run()?;
        let handle = self.handle(it.variables_reference)?.clone();
        let Some(frame) = handle.frame() else {
            return Err("this cannot be written".into());
        };
        let target = match &handle {
            Handle::Register(_, name, ..) => format!("{name}{}", it.name),
            Handle::Part(_, part) => format!("{}{}", part.name, it.name),
            Handle::Scope(_, ScopeKind::Parameters | ScopeKind::Registers | ScopeKind::Global) => {
                it.name.clone()
            }
            Handle::Scope(_, ScopeKind::Shared) => {
                format!("{}.{}", StateSpace::Shared.word(), it.name)
            }
            Handle::Scope(_, ScopeKind::Local) => {
                format!("{}.{}", StateSpace::Local.word(), it.name)
            }
            _ => return Err(format!("`{}` cannot be written", it.name).into()),
        };
        let mut body = self.assign(frame, &target, &it.value, is_hex(it.format))?;
        body["value"] = body["result"].take();
        Ok(body)
    }

    /// Writes a register in the lane that is shown, or memory.
    fn assign(&mut self, frame: FrameRef, target: &str, value: &str, hex: bool) -> Answer {
        let expression = Expression::parse(target)?;
        let value = Expression::parse(value)?;
        let view = self.focus(frame).view;
        let scope = self.scope(frame)?;
        let number = scope.number(&value)?;
        let edit = match scope.find(&expression)? {
            Found::Row(row, Some(slot)) => Edit::Register {
                warp: view.warp,
                frame: view.frame,
                slot,
                lanes: 1 << view.lane,
                bits: row.ty.encode(number)?,
            },
            Found::Lane(row, Some(slot), lane) => Edit::Register {
                warp: view.warp,
                frame: view.frame,
                slot,
                lanes: 1 << lane,
                bits: row.ty.encode(number)?,
            },
            Found::Part(part) if part.shape.is_empty() => {
                let bits = Type::Number(part.element).encode(number)?;
                Edit::Memory {
                    view,
                    space: part.space,
                    address: part.address,
                    bytes: bits.to_le_bytes()[..part.width() as usize].to_vec(),
                }
            }
            Found::Part(part) => return Err(format!("`{}` is an array", part.name).into()),
            _ => return Err(format!("`{target}` cannot be written").into()),
        };
        let run = self.stopped_run()?;
        if !run.debugger.edit(edit) {
            return Err(format!("`{target}` cannot be written").into());
        }
        let found = self.scope(frame)?.find(&expression)?;
        let shown = self.value(frame, target, found, hex)?;
        Ok(as_result(self.shown(shown)))
    }

    /// The address that a reference to memory means: a number, or an expression for something in memory.
    fn reference(&mut self, text: &str, offset: i64) -> Result<(View, u64), Refusal> {
        let frame = self.frame(None)?;
        let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
        let number = match hex {
            Some(it) => u64::from_str_radix(it, 16).ok(),
            None => text.parse().ok(),
        };
        let address = match number {
            Some(it) => it,
            None => {
                let expression = Expression::parse(text)?;
                match self.scope(frame)?.find(&expression)? {
                    Found::Part(part) => part.address + window(part.space),
                    _ => return Err(format!("`{text}` is not in memory").into()),
                }
            }
        };
        Ok((self.focus(frame).view, address.wrapping_add_signed(offset)))
    }

    pub(super) fn read_memory(&mut self, it: &ReadMemoryArguments) -> Answer {
        let (view, address) = self.reference(&it.memory_reference, it.offset)?;
        let run = self.stopped_run()?;
        let count = it.count.min(MOST_BYTES) as usize;
        let machine = run.debugger.machine();
        let bytes = machine.read_bytes(view, AddressSpace::Generic, address, count);
        // What was never written reads as zero.
        let data: Vec<u8> = bytes.iter().map(|it| it.unwrap_or(0)).collect();
        Ok(json!({
            "address": format!("{address:#x}"),
            "unreadableBytes": it.count - data.len() as u64,
            "data": BASE64.encode(data),
        }))
    }

    pub(super) fn write_memory(&mut self, it: &WriteMemoryArguments) -> Answer {
        let bytes = BASE64.decode(&it.data);
        let mut bytes = bytes.map_err(|error| format!("`data` is not base64: {error}"))?;
        let (view, address) = self.reference(&it.memory_reference, it.offset)?;
        let run = self.stopped_run()?;
        let space = AddressSpace::Generic;
        let machine = run.debugger.machine();
        let room = machine.read_bytes(view, space, address, bytes.len()).len();
        if room < bytes.len() && !it.allow_partial {
            return Err(format!("only {room} bytes at {address:#x} can be written").into());
        }
        bytes.truncate(room);
        run.debugger.edit(Edit::Memory {
            view,
            space,
            address,
            bytes,
        });
        if self.client.is_told_of_memory {
            let reference = &it.memory_reference;
            let body = json!({ "memoryReference": reference, "offset": it.offset, "count": room });
            self.event("memory", body);
        }
        Ok(json!({ "bytesWritten": room }))
    }
}

/// The two sides of `%r1 = 5`.
fn assignment(text: &str) -> Option<(&str, &str)> {
    let at = text.find('=')?;
    let (left, right) = (&text[..at], &text[at + 1..]);
    let is_other = right.starts_with('=') || left.ends_with(['=', '!', '<', '>']);
    (!is_other && !left.trim().is_empty()).then_some((left.trim(), right.trim()))
}

/// A variable as the result of an expression.
fn as_result(mut variable: Value) -> Value {
    variable["result"] = variable["value"].take();
    if let Some(object) = variable.as_object_mut() {
        object.remove("value");
    }
    variable
}
