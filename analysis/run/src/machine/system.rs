//! The functions that the driver provides: `vprintf`, `malloc`, `free`, `__assertfail`.

use analysis::code::{Call, Instruction};

use crate::outcome::{Ended, FindingCode};

use super::{
    Machine,
    conversions::{Amount, Conversion},
    findings::lanes_of,
    memory::{Bytes, Owner},
    running::Running,
    warp::{LANES, State, Warp},
};

/// The most text that is kept, in bytes.
const MOST_TEXT: usize = 1 << 20;

impl Machine<'_> {
    /// Calls a function that has no body here.
    pub(super) fn call_system(
        &mut self,
        warp: &mut Warp,
        running: Running,
        instruction: &Instruction,
        call: &Call,
        function: usize,
    ) {
        let name = self.code.functions[function].name.as_str();
        let values: Vec<_> = call
            .arguments
            .iter()
            .map(|it| self.actual(warp, &running, it).0)
            .collect();
        let argument = |index: usize, lane: usize| values.get(index).map_or(0, |it| it[lane]);
        let lanes: Vec<usize> = lanes_of(running.active).map(usize::from).collect();
        let mut results = [0; LANES];
        match name {
            "vprintf" => {
                for lane in lanes {
                    let (format, list) = (argument(0, lane), argument(1, lane));
                    let (text, count) = self.format(warp, lane, format, list);
                    results[lane] = count;
                    if self.printed.len() + text.len() <= MOST_TEXT {
                        self.printed.push_str(&text);
                    }
                }
            }
            "malloc" => {
                for lane in lanes {
                    let size = argument(0, lane);
                    results[lane] = self.allocate(size);
                }
            }
            "free" => {
                for lane in lanes {
                    let address = argument(0, lane);
                    let heap = |it: &&mut super::memory::Allocation| {
                        it.base == address && it.owner == Owner::Heap && !it.freed
                    };
                    match self.world.global.all.iter_mut().find(heap) {
                        Some(it) => it.freed = true,
                        None if address == 0 => {}
                        None => {
                            let message = format!("{address:#x} is not allocated");
                            self.report(FindingCode::OutOfBounds, &running, message);
                        }
                    }
                }
            }
            "__assertfail" => {
                let lane = lanes.first().copied().unwrap_or(0);
                let text = self.text_at(argument(0, lane));
                let file = self.text_at(argument(1, lane));
                let line = argument(2, lane);
                let message = format!("the assertion `{text}` fails at {file}:{line}");
                self.report(FindingCode::Trap, &running, message);
                self.ended = Some(Ended::Trap);
                return;
            }
            _ => {
                let what = format!("a call of `{name}`, which has no body here");
                return self.stop(instruction, &what);
            }
        }
        if let Some(place) = call.results.first() {
            let mut frame = std::mem::replace(
                &mut warp.frames[running.frame],
                super::warp::Frame::new(0, 2, 0),
            );
            self.give(&mut frame, place, &results, 0, running.active);
            warp.frames[running.frame] = frame;
        }
        let group = &mut warp.groups[running.group];
        group.pc += 1;
        group.state = State::Ready;
    }

    fn allocate(&mut self, size: u64) -> u64 {
        let taken: u64 = self
            .world
            .global
            .all
            .iter()
            .map(|it| it.data.len() as u64)
            .sum();
        if size == 0 || taken.saturating_add(size) > self.launch.limits.memory {
            return 0;
        }
        self.allocations += 1;
        let name = format!("allocation {}", self.allocations);
        let data = Bytes::undefined(size as usize);
        self.world.global.add(data, Owner::Heap, name, true)
    }

    /// The text at a generic address, up to its NUL.
    fn text_at(&mut self, address: u64) -> String {
        let mut bytes = Vec::new();
        while let Some((index, offset)) = self.world.global.find(address + bytes.len() as u64, 1) {
            let byte = self.world.global.all[index].data.bytes[offset];
            if byte == 0 || bytes.len() > MOST_TEXT {
                break;
            }
            bytes.push(byte);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// 8 bytes at a generic address, in local or global memory.
    fn word_at(&mut self, warp: &Warp, lane: usize, address: u64, count: usize) -> u64 {
        let window = isa::compute::window(isa::compute::AddressSpace::Local);
        let offset = address.wrapping_sub(window);
        if offset < super::memory::LOCAL_SIZE {
            return warp.local[lane].read(offset, count).0;
        }
        match self.world.global.find(address, count as u64) {
            Some((index, offset)) => self.world.global.all[index].data.read(offset, count).0,
            None => 0,
        }
    }

    /// What `printf` writes for a format and the list of its arguments, each at a multiple of its size; and how many
    /// arguments there are, which is what it returns on devices.
    fn format(&mut self, warp: &Warp, lane: usize, format: u64, list: u64) -> (String, u64) {
        let format = self.text_at(format);
        let mut out = String::new();
        let (mut at, mut count) = (list, 0);
        let mut rest = format.as_str();
        while let Some(percent) = rest.find('%') {
            out.push_str(&rest[..percent]);
            rest = &rest[percent + 1..];
            let Some((conversion, after)) = Conversion::read(rest) else {
                out.push('%');
                rest = rest.strip_prefix('%').unwrap_or(rest);
                continue;
            };
            rest = after;
            let mut next = |machine: &mut Self, size: u64| {
                at = at.next_multiple_of(size);
                let value = machine.word_at(warp, lane, at, size as usize);
                at += size;
                count += 1;
                value
            };
            let mut amount = |machine: &mut Self, it: Amount| match it {
                Amount::Missing => None,
                Amount::Number(it) => Some(it as i64),
                Amount::Argument => Some(i64::from(next(machine, 4) as i32)),
            };
            let width = amount(self, conversion.width).unwrap_or(0);
            let precision = amount(self, conversion.precision);
            let precision = precision.and_then(|it| usize::try_from(it).ok());
            let value = next(self, conversion.size());
            let text = match conversion.is_text() {
                true => conversion.of_text(&self.text_at(value), width, precision),
                false => conversion.of_number(value, width, precision),
            };
            out.push_str(&text);
        }
        out.push_str(rest);
        (out, count)
    }
}
