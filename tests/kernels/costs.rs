//! Costs of loops as they are stated without running, against what the machine does.
//!
//! Each instruction of the entry counts for its innermost loop, block by block: the bytes that its lanes access, its
//! operations by its name, and how often each thread begins an iteration. A cost is of one iteration of all threads, so
//! the machine may never do more than as many times that, and does exactly that where all threads run all of the loop.

use std::collections::{BTreeMap, BTreeSet};

use analysis::{
    Cost,
    code::{Function, Instruction},
};
use isa::{
    compute::{AddressSpace, window},
    semantics::Control,
};
use run::{Machine, View, debug::next_accesses};

const LANES: usize = 32;

/// Figures that are compared.
const FIGURES: [&str; 7] = [
    "bytes read",
    "bytes written",
    "bytes in shared memory",
    "flop",
    "flop in matrices",
    "special operations",
    "instructions",
];

/// The verdicts over all kernels.
#[derive(Default)]
pub(super) struct Verdicts {
    /// Figures that are as stated, and those of code that some threads skip, which are not larger than stated.
    pub(super) equal: usize,
    pub(super) less: usize,
    /// Figures that are not stated, or that nothing here can judge, such as instructions of lanes that have parted.
    pub(super) open: usize,
    /// These three numbers for each producer of PTX.
    pub(super) producers: BTreeMap<&'static str, [usize; 3]>,
    /// Numbers of iterations that are as stated, and loops whose threads differ.
    pub(super) trips: usize,
    pub(super) uneven: usize,
    pub(super) wrong: BTreeSet<String>,
}

/// A loop of the entry, or its code outside loops.
struct Region {
    cost: Cost,
    /// Its first instruction.
    head: Option<u32>,
    body: Vec<bool>,
}

/// The figures of an instruction in the lanes in which its guard holds, and which of them cannot be judged.
#[derive(Default)]
pub(super) struct Figures {
    all: [u64; 7],
    open: [bool; 7],
    active: u32,
}

/// The work of a block in a region.
#[derive(Default)]
struct Done {
    figures: [u64; 7],
    /// Whether an instruction of each kind cannot be judged.
    open: [bool; 7],
    /// How often each thread has been at the head, and has come there from outside.
    turns: BTreeMap<(u32, usize), (u64, u64)>,
    /// How often threads have run each instruction.
    threads: BTreeMap<u32, u64>,
}

/// Counts what the entry of a launch does.
pub(super) struct Judge {
    entry: usize,
    regions: Vec<Region>,
    /// The region of each instruction.
    inside: Vec<usize>,
    done: BTreeMap<(u64, usize), Done>,
    /// The instruction that each thread ran last.
    last: BTreeMap<(u64, u32, usize), u32>,
    threads: u64,
}

impl Judge {
    pub(super) fn new(
        entry: usize,
        function: &Function,
        costs: Vec<Cost>,
        block: [u32; 3],
    ) -> Judge {
        let count = function.instructions.len();
        let regions = costs.into_iter().filter(|it| it.entry == function.name);
        let regions: Vec<Region> = regions
            .map(|cost| {
                let head = cost.head.and_then(|head| {
                    let all = &function.instructions;
                    all.iter().position(|it| it.range.start() == head.start())
                });
                let body = match head {
                    Some(head) => body(function, head),
                    None => vec![true; count],
                };
                let head = head.map(|it| it as u32);
                Region { cost, head, body }
            })
            .collect();
        let size = |it: &usize| regions[*it].body.iter().filter(|it| **it).count();
        let inside = (0..count)
            .map(|pc| {
                let around = (0..regions.len()).filter(|it| regions[*it].body[pc]);
                around.min_by_key(size).unwrap_or_default()
            })
            .collect();
        Judge {
            entry,
            inside,
            done: BTreeMap::new(),
            last: BTreeMap::new(),
            threads: block.iter().map(|it| u64::from(*it)).product(),
            regions,
        }
    }

    /// The figures of an instruction that lanes of a warp are about to run.
    pub(super) fn figures(
        machine: &Machine<'_>,
        view: View,
        (instruction, statement): (&Instruction, &str),
        lanes: u32,
    ) -> Figures {
        let mut active = lanes;
        if let Some(guard) = instruction.guard
            && let Some((values, _)) = machine.register(view.warp, view.frame, guard.slot)
        {
            for (lane, value) in values.iter().enumerate() {
                if (value & 1 == 1) == guard.negated {
                    active &= !(1 << lane);
                }
            }
        }
        let threads = u64::from(active.count_ones());
        let mut found = Figures {
            active,
            ..Figures::default()
        };
        found.all[6] = 1;
        if active == 0 {
            return found;
        }
        let (figures, open) = (&mut found.all, &mut found.open);
        let name = &*instruction.name;
        // The machine does not list bulk copies. An mbarrier expects as many bytes as they bring, or the kernel hangs.
        let brings = name.starts_with("cp.async.bulk")
            && name.contains("global.mbarrier::complete_tx")
            && !name.contains("multicast");
        let unlisted = [
            "bulk", "tcgen05", "multimem", "fabric", "tex", "surf", "async",
        ];
        open[..3].fill(!brings && unlisted.iter().any(|it| name.contains(it)));
        if name.contains("expect_tx") {
            let last = statement.trim_end_matches(';').rsplit(',').next();
            match last.and_then(|it| it.trim().parse::<u64>().ok()) {
                Some(bytes) => {
                    figures[0] += bytes * threads;
                    figures[2] += bytes * threads;
                }
                None => open[..3].fill(true),
            }
        }
        let both = name.starts_with("atom") || name.starts_with("red.");
        for it in next_accesses(machine, view, instruction, active) {
            for lane in (0..LANES).filter(|lane| (it.lanes & active) >> lane & 1 == 1) {
                match space(it.space, it.addresses[lane]) {
                    AddressSpace::Global => {
                        figures[0] += if both || !it.writes { it.bytes } else { 0 };
                        figures[1] += if both || it.writes { it.bytes } else { 0 };
                    }
                    AddressSpace::Shared => figures[2] += it.bytes,
                    _ => {}
                }
            }
        }
        match work(name) {
            Some([plain, tensor, special]) => {
                figures[3] += plain * threads;
                figures[4] += tensor;
                figures[5] += special * threads;
            }
            None => open[3..6].fill(true),
        }
        found
    }

    /// Notes that lanes of a warp of a block have run an instruction.
    pub(super) fn add(
        &mut self,
        (block, warp): (u64, u32),
        (function, pc): (usize, u32),
        lanes: u32,
        found: &Figures,
    ) {
        let Some(region) = self
            .inside
            .get(pc as usize)
            .filter(|_| function == self.entry)
        else {
            return;
        };
        let lanes = || (0..LANES).filter(move |it| lanes >> it & 1 == 1);
        let done = self.done.entry((block, *region)).or_default();
        for at in 0..7 {
            done.figures[at] += found.all[at];
            done.open[at] |= found.open[at];
        }
        *done.threads.entry(pc).or_default() += u64::from(found.active.count_ones());
        let heads = (0..self.regions.len()).filter(|it| self.regions[*it].head == Some(pc));
        for region in heads {
            let done = self.done.entry((block, region)).or_default();
            for lane in lanes() {
                let before = self.last.get(&(block, warp, lane));
                let stays = before.is_some_and(|it| self.regions[region].body[*it as usize]);
                let turns = done.turns.entry((warp, lane)).or_default();
                turns.0 += 1;
                turns.1 += u64::from(!stays);
            }
        }
        for lane in lanes() {
            self.last.insert((block, warp, lane), pc);
        }
    }

    /// Compares what has been done with what is stated.
    pub(super) fn judge(self, name: &str, text: &str, verdicts: &mut Verdicts) {
        let before = [verdicts.equal, verdicts.less, verdicts.open];
        self.compare(name, text, verdicts);
        let after = [verdicts.equal, verdicts.less, verdicts.open];
        let producer = match () {
            () if name.starts_with("triton") => "Triton",
            () if text.contains("-- Begin function") => "LLVM",
            () if text.contains("// .globl") => "nvcc",
            () => "by hand",
        };
        let numbers = verdicts.producers.entry(producer).or_default();
        for (at, number) in numbers.iter_mut().enumerate() {
            *number += after[at] - before[at];
        }
    }

    fn compare(&self, name: &str, text: &str, verdicts: &mut Verdicts) {
        for ((_, region), done) in &self.done {
            let Region { cost, head, body } = &self.regions[*region];
            let line = cost.head.map_or(0, |it| {
                text[..usize::from(it.start())].matches('\n').count() + 1
            });
            let mut turns = done.turns.values();
            let (least, most) = match head {
                None => (1, 1),
                Some(_) => {
                    let Some((all, begun)) = turns.next() else {
                        continue;
                    };
                    if turns.any(|it| it != &(*all, *begun)) {
                        verdicts.uneven += 1;
                        continue;
                    }
                    if let Some(count) = cost.count {
                        let stated = [count * begun, (count + 1) * begun];
                        match stated.contains(all) {
                            true => verdicts.trips += 1,
                            false => {
                                let what = format!("{count} iterations, not {all} in {begun} runs");
                                verdicts.wrong.insert(format!("{name}:{line}: {what}"));
                            }
                        }
                    }
                    (all - begun, *all)
                }
            };
            // All threads have run all instructions, and the test perhaps once more.
            let own = (0..body.len()).filter(|it| self.inside[*it] == *region);
            let whole = own.into_iter().all(|it| {
                let ran = done.threads.get(&(it as u32)).copied().unwrap_or(0);
                (least * self.threads..=most * self.threads).contains(&ran)
            });
            let stated = [
                cost.global_read,
                cost.global_written,
                cost.shared,
                cost.fma,
                cost.tensor,
                cost.special,
                cost.instructions,
            ];
            for at in 0..7 {
                let Some(stated) = stated[at].filter(|_| !done.open[at]) else {
                    verdicts.open += 1;
                    continue;
                };
                let found = done.figures[at];
                if stated == 0 && found == 0 {
                    continue;
                }
                let range = stated * least..=stated * most;
                if range.contains(&found) {
                    verdicts.equal += 1;
                } else if at == 6 && found > stated * most {
                    // Groups of lanes that have parted run an instruction one after the other.
                    verdicts.open += 1;
                } else if found < stated * least && !whole {
                    verdicts.less += 1;
                } else {
                    let times = if least == most { "" } else { " or once less" };
                    verdicts.wrong.insert(format!(
                        "{name}:{line}: {stated} {} in each of {most} iterations{times}, not {found} in all",
                        FIGURES[at]
                    ));
                }
            }
        }
    }
}

/// The state space of an address.
fn space(named: AddressSpace, address: u64) -> AddressSpace {
    let inside = |it: &AddressSpace| address.wrapping_sub(window(*it)) < 1 << 32;
    match named {
        AddressSpace::Generic => {
            let spaces = [
                AddressSpace::Shared,
                AddressSpace::Local,
                AddressSpace::Parameter,
            ];
            spaces
                .into_iter()
                .find(inside)
                .unwrap_or(AddressSpace::Global)
        }
        AddressSpace::SharedCluster => AddressSpace::Shared,
        it => it,
    }
}

/// The instructions of the loop with a head: those that come to a jump back to it without passing it.
fn body(function: &Function, head: usize) -> Vec<bool> {
    let count = function.instructions.len();
    let after = |pc: usize| -> Vec<usize> {
        let it = &function.instructions[pc];
        let stays = it.guard.is_some() || matches!(it.control, Control::Next | Control::Call);
        let mut found: Vec<usize> = it.targets.iter().map(|it| *it as usize).collect();
        found.extend(stays.then_some(pc + 1));
        found.retain(|it| *it < count);
        found
    };
    // What is reached without the head is not dominated by it.
    let mut outside = vec![false; count];
    let mut work = vec![0];
    while let Some(pc) = work.pop() {
        if pc != head && !std::mem::replace(&mut outside[pc], true) {
            work.extend(after(pc));
        }
    }
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
    for pc in 0..count {
        for next in after(pc) {
            before[next].push(pc);
        }
    }
    let mut body = vec![false; count];
    body[head] = true;
    let mut work: Vec<usize> = before[head]
        .iter()
        .copied()
        .filter(|it| !outside[*it])
        .collect();
    while let Some(pc) = work.pop() {
        if !std::mem::replace(&mut body[pc], true) {
            work.extend(&before[pc]);
        }
    }
    body
}

/// The additions and multiplications of a lane, those in matrices of a warp, and the special operations of a lane of the
/// instruction with a name; `None` if it is not known here.
fn work(name: &str) -> Option<[u64; 3]> {
    let words: Vec<&str> = name.split('.').collect();
    let opcode = words[0];
    let is_float = |it: &&&str| {
        let digits = it.trim_start_matches('b').strip_prefix('f');
        digits.is_some_and(|it| it.starts_with(|it: char| it.is_ascii_digit()))
    };
    let float = words.iter().rev().find(is_float);
    let pairs = if float.is_some_and(|it| it.ends_with("x2")) {
        2
    } else {
        1
    };
    Some(match opcode {
        "add" | "sub" | "mul" if float.is_some() => [pairs, 0, 0],
        "fma" | "mad" if float.is_some() => [2 * pairs, 0, 0],
        "div" | "sqrt" | "rcp" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh"
            if float.is_some() =>
        {
            [0, 0, pairs]
        }
        "mma" | "wmma" | "wgmma" => {
            let product = ["mma", "mma_async"]
                .iter()
                .any(|it| words[..2].contains(it));
            if !product {
                return Some([0; 3]);
            }
            if words.contains(&"sp") {
                return None;
            }
            let shape = words.iter().find_map(|it| {
                let (rows, rest) = it.strip_prefix('m')?.split_once('n')?;
                let (columns, depth) = rest.split_once('k')?;
                let number = |it: &str| it.parse::<u64>().ok();
                Some(2 * number(rows)? * number(columns)? * number(depth)?)
            })?;
            [0, if opcode == "wgmma" { shape / 4 } else { shape }, 0]
        }
        "atom" | "red" | "cp" | "multimem" | "tcgen05" | "st" | "call" => match float {
            Some(_) => return None,
            None if opcode == "tcgen05" => return None,
            None => [0; 3],
        },
        _ => [0; 3],
    })
}
