//! How many registers the entries of a file will need, and how many of their warps fit.

use isa::{
    limits::{Limits, REGISTERS_PER_THREAD},
    occupancy::Limiter,
    operand::{Operand, Space, Symbol},
    target::Target as IsaTarget,
};
use salsa::Database;
use syntax::{TextRange, TextSize};

use crate::{
    ExactEntry, FilePosition,
    db::{SourceFile, Workspace},
    hir::{
        body::body,
        declared::{Declared, declared, module_declared},
        in_force::in_force,
        items::{Function, item_offsets, items},
        layout::{layouts, module_layouts},
        module::{DeclarationSource, module_scope, signature},
        symbol::{ItemAt, item_at},
        tree::trimmed,
    },
    pressure::{Bounds, bounds, pressure},
};

use crate::features::views::live_registers::{LiveRegisters, by_line};

/// An estimate of the registers of one entry on one target. Registers are 32-bit registers of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryRegisters {
    /// The name of the entry.
    pub name: String,
    /// Where the name appears.
    pub name_range: TextRange,
    /// The entry, from its first token to its last.
    pub range: TextRange,
    /// The target whose limits count, such as `sm_90`.
    pub target: String,
    /// The most likely number.
    pub estimate: u32,
    /// Four of five kernels need at least so many.
    pub low: u32,
    /// Four of five kernels need at most so many.
    pub high: u32,
    /// The most that are live at once in the order of the text.
    pub max_live: u32,
    /// The same in an order that keeps few values live.
    pub reordered: u32,
    /// The same when cheap values are computed again where they are used.
    pub recomputed: u32,
    /// The same in an order that hides latency.
    pub eager: u32,
    /// The most that are live at once as the model reckons that ptxas orders the instructions.
    pub most_live: u32,
    /// The line, from 0, where those are.
    pub peak_line: Option<u32>,
    /// The number of registers live at each line with an instruction, in the order of the text; lines
    /// count from 0. Views show [`EntryRegisters::live`].
    pub alive: Vec<(u32, u32)>,
    /// The same in the order that ptxas may choose.
    pub alive_reordered: Vec<(u32, u32)>,
    /// The most that the launch bounds allow, and the directive that says so.
    pub cap: Option<(u32, &'static str)>,
    /// So many registers cost no occupancy.
    pub free: u32,
    /// Up to so many ptxas takes though the entry needs fewer.
    pub spent: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Whether the text says nothing about the threads of a block.
    pub threads_assumed: bool,
    /// Bytes of shared memory of a block: what the text declares, and what is assumed besides.
    pub shared: u32,
    /// Resident warps of a multiprocessor.
    pub warps: u32,
    /// Places for warps.
    pub of: u32,
    /// The limit that keeps more warps from being resident: `registers`, `shared memory` or `blocks`.
    pub limiter: Option<&'static str>,
    /// The largest smaller number of registers with which more warps fit, and how many then.
    pub next_step: Option<(u32, u32)>,
    /// For each number of warps that can be resident the largest number of registers with which so many
    /// are; from few registers to many.
    pub steps: Vec<(u32, u32)>,
}

impl EntryRegisters {
    /// How many registers are live at its lines, with what `ptxas` said of it, if that is known.
    #[must_use]
    pub fn live(&self, exact: Option<&ExactEntry>) -> LiveRegisters {
        LiveRegisters::of(self.alive.clone(), exact)
    }

    /// The registers of an order that hides latency, if these are more than the range of the estimate has. ptxas 13.5
    /// takes more than the range has in one of eleven such kernels, and in one of sixteen others.
    #[must_use]
    pub fn may_need(&self) -> Option<u32> {
        let most = self.cap.map_or(REGISTERS_PER_THREAD, |it| it.0);
        Some(self.eager.min(most)).filter(|it| *it > self.high)
    }
}

/// The estimates for the entries of a file that have a body, in the order of the text; for a target other
/// than that of the file if one is given.
pub(crate) fn registers(
    db: &dyn Database,
    file: SourceFile,
    target: Option<&str>,
) -> Vec<EntryRegisters> {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let starts = items.functions.iter().zip(&offsets.functions);
    starts
        .filter_map(|(function, start)| of_entry(db, *function, *start, target))
        .collect()
}

/// The estimate for the entry around a position.
pub(crate) fn registers_at(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
) -> Option<EntryRegisters> {
    let (function, start) = function_at(db, file, at.offset)?;
    of_entry(db, function, start, None)
}

/// The function around an offset, and its start.
pub(crate) fn function_at(
    db: &dyn Database,
    file: SourceFile,
    offset: TextSize,
) -> Option<(Function<'_>, TextSize)> {
    match item_at(db, file, offset)? {
        ItemAt::Function(function, start) => {
            let len = function.green(db).text_len();
            (offset <= start + len).then_some((function, start))
        }
        ItemAt::Other(..) => None,
    }
}

/// The estimate for one function that starts at an offset, if it is an entry with a body.
pub(crate) fn of_entry(
    db: &dyn Database,
    function: Function<'_>,
    start: TextSize,
    target: Option<&str>,
) -> Option<EntryRegisters> {
    let signature = signature(db, function);
    if !signature.entry || !signature.defined {
        return None;
    }
    let wanted = match target {
        Some(it) => IsaTarget::parse(it),
        None => in_force(db, function).map(|it| it.start.target),
    };
    let wanted = wanted?;
    let limits = Limits::at_least(wanted)?;
    let lines = function.file(db).contents(db).lines.clone();
    let body = body(db, function);
    let pressure = pressure(db, function);
    let bounds = launch_bounds(db, function);
    let cap = bounds.cap(limits);
    let estimate = pressure.estimate(limits, &bounds);
    let launch = Workspace::get(db).config(db).launch;
    let shared = bounds.shared.saturating_add(launch.dynamic_shared);
    let threads = bounds.threads.unwrap_or(launch.threads);
    let occupancy = limits.occupancy(estimate.registers, threads, shared);
    let line = |step: usize| {
        let instruction = body.instructions.get(step)?;
        Some(lines.line_of(instruction.range.start() + start))
    };
    let steps = steps(limits, threads, shared);
    let mut fewer = steps.iter().rev().copied();
    let next_step = fewer.find(|it| it.0 < estimate.registers && it.1 > occupancy.warps);
    Some(EntryRegisters {
        name: function.name(db).to_owned(),
        name_range: body.name.unwrap_or_default() + start,
        range: trimmed(&function.green(db).cursor()) + start,
        target: target.map_or_else(|| wanted.to_string(), str::to_owned),
        estimate: estimate.registers,
        low: estimate.low,
        high: estimate.high,
        max_live: pressure.written,
        reordered: pressure.low,
        recomputed: pressure.low_repeated,
        eager: pressure.high,
        most_live: pressure
            .peak
            .and_then(|it| pressure.reordered.get(it as usize).copied())
            .unwrap_or_default(),
        peak_line: pressure.peak.and_then(|it| line(it as usize)),
        alive: by_line(db, function, start, &pressure.alive),
        alive_reordered: by_line(db, function, start, &pressure.reordered),
        cap,
        free: limits.free_registers(),
        spent: estimate.spent,
        threads,
        threads_assumed: bounds.threads.is_none(),
        shared,
        warps: occupancy.warps,
        of: occupancy.of,
        limiter: match occupancy.limiter {
            Limiter::Nothing => None,
            Limiter::Registers => Some("registers"),
            Limiter::SharedMemory => Some("shared memory"),
            Limiter::Blocks => Some("blocks"),
        },
        next_step,
        steps,
    })
}

/// The largest number of registers for each number of warps, with so many threads and bytes of shared
/// memory per block.
fn steps(limits: &Limits, threads: u32, shared: u32) -> Vec<(u32, u32)> {
    let mut steps: Vec<(u32, u32)> = Vec::new();
    for registers in 1..=REGISTERS_PER_THREAD {
        let warps = limits.occupancy(registers, threads, shared).warps;
        match steps.last_mut() {
            Some(last) if last.1 == warps => last.0 = registers,
            _ => steps.push((registers, warps)),
        }
    }
    steps
}

/// The launch bounds of a function, with the shared memory that it declares.
pub(in crate::features) fn launch_bounds(db: &dyn Database, function: Function<'_>) -> Bounds {
    Bounds {
        shared: shared_bytes(db, function),
        ..bounds(db, function)
    }
}

/// Bytes of the shared variables of a function and of those of the module that it names.
fn shared_bytes(db: &dyn Database, function: Function<'_>) -> u32 {
    let file = function.file(db);
    let is_shared =
        |it: &Declared| matches!(it.0, Operand::Symbol(Symbol::Variable(Space::Shared, _)));
    let own = declared(db, function).iter().zip(layouts(db, function));
    let own = own
        .filter(|(declared, _)| is_shared(declared))
        .map(|it| *it.1);
    let module = items(db, file).module;
    let (types, sizes) = (module_declared(db, module), module_layouts(db, module));
    let scope = module_scope(db, file);
    let of_module = body(db, function).free.iter().filter_map(|name| {
        let DeclarationSource::Variable(index) = scope.find(name).first()?.source else {
            return None;
        };
        let index = index as usize;
        is_shared(types.get(index)?).then_some(*sizes.get(index)?)
    });
    let bytes = own.chain(of_module).flatten().fold(0_u64, |sum, it| {
        let start = sum
            .checked_next_multiple_of(it.alignment.max(1))
            .unwrap_or(sum);
        start.saturating_add(it.size.unwrap_or(0))
    });
    u32::try_from(bytes).unwrap_or(u32::MAX)
}
