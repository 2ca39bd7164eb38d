//! The accesses of functions, judged.

use isa::compute::{AddressSpace, LANES, Node, Op};
use rustc_hash::FxHashSet;
use salsa::Database;

use super::{
    fold::Fold,
    overflow::{OverflowSearch, may_wrap},
};
use crate::{
    api::AccessPattern,
    code::launch_bounds,
    db::SourceFile,
    flow::{
        Flow, flow,
        ids::{BlockId, Step},
    },
    hir::{
        body::body,
        bound::Operands,
        items::{Function, item_offsets, items},
        module::signature,
    },
    values::{
        Leaf,
        lanes::{LaneSamples, SAMPLES},
        memory::{AccessKind, MemoryAccess},
        names::{name_of, parameter, register_name},
        sampling::{BlockShape, RowLengths},
    },
};

/// Instructions of a function at most, for which accesses are judged.
const MAX_STEPS: usize = 60_000;
/// Lengths of rows that are assumed, in this order, where figures depend on them: a number and its smallest factor, as in
/// [`RowLengths::Multiples`].
const ROWS: [(u64, u64); 4] = [(8, 1), (32, 1), (8, 32), (32, 32)];

/// The accesses of the functions of a file, or of those with a name, in the order of the text. `block` is the shape of
/// the blocks of those entries that state none.
pub(crate) fn accesses(
    db: &dyn Database,
    file: SourceFile,
    entry: Option<&str>,
    block: Option<[u32; 3]>,
) -> Vec<AccessPattern> {
    let offsets = item_offsets(db, file);
    let functions = items(db, file).functions.iter().zip(&offsets.functions);
    let mut found = Vec::new();
    for (function, start) in functions {
        if entry.is_some_and(|it| it != function.name(db)) {
            continue;
        }
        found.extend(
            accesses_of(db, *function, block)
                .iter()
                .cloned()
                .map(|it| AccessPattern {
                    range: it.range + *start,
                    ..it
                }),
        );
    }
    found
}

/// The shape of the blocks of a function: what the text requires, or else the one given.
pub(crate) fn block_shape(
    db: &dyn Database,
    function: Function<'_>,
    block: Option<[u32; 3]>,
) -> BlockShape {
    let bounds = launch_bounds(&function.green(db).cursor());
    let most = bounds.most_threads.unwrap_or(1024).min(1024);
    BlockShape {
        threads: bounds.block.or(block),
        most: most as u32,
    }
}

/// The shape of the blocks of a function, or else of the largest one that the text allows.
pub(crate) fn largest_block(db: &dyn Database, function: Function<'_>) -> BlockShape {
    let bounds = launch_bounds(&function.green(db).cursor());
    block_shape(db, function, bounds.largest_block)
}

/// The accesses of a function about which there may be something to report, with their instructions, in the order of
/// the text, with ranges relative to the function.
pub(crate) fn remarkable(
    db: &dyn Database,
    function: Function<'_>,
    flow: &Flow,
) -> Vec<(Step, AccessPattern)> {
    judged(db, function, flow, None, Selection::Remarkable)
}

/// Which accesses of a function are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Selection {
    All,
    /// Those of one instruction.
    At(Step),
    /// Those that are wrong or slow in all samples so far: most are neither in the first one, and need no other.
    Remarkable,
}

/// The accesses of a function, in the order of the text, with ranges relative to it.
#[salsa::tracked(returns(deref))]
pub(crate) fn accesses_of<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    block: Option<[u32; 3]>,
) -> Vec<AccessPattern> {
    let flow = flow(db, function);
    let judged = judged(db, function, flow, block, Selection::All);
    judged.into_iter().map(|it| it.1).collect()
}

/// The accesses of one instruction, with ranges relative to its function.
pub(super) fn accesses_at(
    db: &dyn Database,
    function: Function<'_>,
    step: Step,
) -> Vec<AccessPattern> {
    let flow = flow(db, function);
    let judged = judged(db, function, flow, None, Selection::At(step));
    judged.into_iter().map(|it| it.1).collect()
}

fn judged(
    db: &dyn Database,
    function: Function<'_>,
    flow: &Flow,
    block: Option<[u32; 3]>,
    selection: Selection,
) -> Vec<(Step, AccessPattern)> {
    let signature = signature(db, function);
    if !signature.defined || flow.facts.len() > MAX_STEPS {
        return Vec::new();
    }
    let shape = block_shape(db, function, block);
    let operands = Operands::of(db, function);
    let is_wanted = |step| match selection {
        Selection::All => true,
        Selection::At(it) => step == it,
        Selection::Remarkable => addresses_register(flow, &operands, step),
    };
    let mut samples = LaneSamples::begun(db, function, flow, shape, signature.entry, is_wanted);
    let mut all = std::mem::take(&mut samples.accesses);
    if selection == Selection::Remarkable {
        all.retain_mut(|(step, accesses)| {
            accesses.retain(|it| may_be_remarkable(&mut samples, *step, it));
            !accesses.is_empty()
        });
    }
    if all.is_empty() {
        return Vec::new();
    }
    samples.finish();
    let mut judges = Vec::new();
    for (step, accesses) in &all {
        for access in accesses {
            judges.push(AccessJudge::new(&mut samples, *step, access));
        }
    }
    let count = SAMPLES.max(shape.warps());
    for sample in 0..count {
        db.unwind_if_revision_cancelled();
        samples.begin(sample);
        for judge in &mut judges {
            judge.sample(&mut samples);
        }
        if selection != Selection::Remarkable {
            continue;
        }
        if sample == 0 {
            judges.retain_mut(|it| {
                it.assumes = has_assumptions(&mut samples, it.access, it.space);
                it.base.is_some() || !it.overflow.is_over() || it.is_remarkable(flow)
            });
        } else {
            let all_warps = sample + 1 >= shape.warps();
            judges.retain(|it| {
                it.is_remarkable(flow)
                    || it.may_leave_variable(all_warps)
                    || !all_warps && !it.overflow.is_over()
            });
        }
        if judges.is_empty() {
            break;
        }
    }
    if selection != Selection::Remarkable {
        assume_rows(db, &mut samples, &mut judges, count);
    }
    judges
        .into_iter()
        .map(|it| (it.step, it.pattern(&mut samples, &operands, function)))
        .collect()
}

/// Decides accesses whose figures depend on the lengths of rows, for lengths that are multiples of a small number.
fn assume_rows<'s>(
    db: &dyn Database,
    samples: &mut LaneSamples<'_>,
    judges: &mut [AccessJudge<'s>],
    count: u32,
) {
    for (unit, least) in ROWS {
        let mut open: Vec<(&mut AccessJudge<'s>, AccessJudge<'s>)> = Vec::new();
        for judge in judges.iter_mut().filter(|it| it.is_open()) {
            let rows = samples.integer_parameters(judge.access.address);
            if !rows.is_empty() {
                let mut again = AccessJudge::new(samples, judge.step, judge.access);
                again.rows = Some((unit, least, rows));
                open.push((judge, again));
            }
        }
        if open.is_empty() {
            return;
        }
        samples.assume_rows(RowLengths::Multiples(unit, least));
        for sample in 0..count {
            db.unwind_if_revision_cancelled();
            samples.begin(sample);
            for (_, again) in &mut open {
                again.sample(samples);
            }
            open.retain(|it| !it.1.is_open());
        }
        samples.assume_rows(RowLengths::Any);
        for (judge, again) in open {
            judge.fold = again.fold;
            judge.held = again.held;
            judge.rows = again.rows;
        }
    }
}

/// Whether the address of an instruction starts with a register: `constant_access` judges a name and a number.
fn addresses_register(flow: &Flow, operands: &Operands<'_>, step: Step) -> bool {
    let instruction = operands.get(step);
    let mut operands = instruction.iter().flat_map(|it| it.operands());
    operands.any(|it| {
        let name = it.address(true);
        name.is_some_and(|it| flow.facts.value(it.0).is_some())
    })
}

/// Whether there may be something to report of an access, before its address is computed: none of a generic address
/// that is in no variable, and outside loops only where nothing is assumed or a variable may be left.
fn may_be_remarkable(samples: &mut LaneSamples<'_>, step: Step, access: &MemoryAccess) -> bool {
    let in_variable = samples.origin_kinds(access.address).variable;
    if in_variable || samples.shape.threads.is_some() && may_wrap(samples, access.address) {
        return true;
    }
    let space = samples.space(access);
    let graph = &samples.flow().graph;
    let repeated = graph.loop_of[graph.block_of[step as usize] as usize].is_some();
    space != AddressSpace::Generic && (repeated || !has_assumptions(samples, access, space))
}

/// An access that is judged.
struct AccessJudge<'s> {
    step: Step,
    block: BlockId,
    access: &'s MemoryAccess,
    space: AddressSpace,
    /// The guard, if it depends on the place of the thread only.
    guard: Option<Node>,
    /// Another guard, which is taken to hold.
    assumed: Option<Node>,
    /// Whether the address does not depend on that guard, or that held in all lanes of a sample: figures of samples in
    /// which it does not hold say nothing of such an address.
    held: bool,
    /// Whether its figures assume something.
    assumes: bool,
    fold: Fold,
    /// Where the figures hold: the lengths of rows, an entry of [`ROWS`], and the parameters with them.
    rows: Option<(u64, u64, Vec<String>)>,
    /// The address of the variable in which the access lies, with its name and size.
    base: Option<(Node, String, u64)>,
    overflow: OverflowSearch,
}

impl<'s> AccessJudge<'s> {
    fn new(samples: &mut LaneSamples<'_>, step: Step, access: &'s MemoryAccess) -> AccessJudge<'s> {
        let block = samples.flow().graph.block_of[step as usize];
        let condition = samples.condition(step);
        let guard = condition.filter(|it| samples.is_placed(*it));
        let base = base(samples, access, condition.is_some() && guard.is_none());
        let space = samples.space(access);
        AccessJudge {
            step,
            block,
            space,
            access,
            guard,
            assumed: condition.filter(|_| guard.is_none()),
            held: condition.is_none_or(|it| !samples.depends(access.address, it)),
            assumes: false,
            fold: Fold::new(access.bytes.unwrap_or(1), space.is_shared()),
            rows: None,
            base,
            overflow: OverflowSearch::new(samples, step, access.address),
        }
    }

    fn sample(&mut self, samples: &mut LaneSamples<'_>) {
        self.overflow.sample(samples);
        if self.access.bulk || self.access.bytes.is_none() {
            return;
        }
        let mut mask = samples.lanes() & self.access.lanes;
        if let Some(guard) = self.guard {
            let holds = samples.at(guard, self.block);
            for (lane, holds) in holds.iter().enumerate() {
                mask &= !(u32::from(holds & 1 == 0) << lane);
            }
        }
        if mask == 0 {
            return;
        }
        if let Some(assumed) = self.assumed.filter(|_| !self.held) {
            let holds = samples.at(assumed, self.block);
            let all = (0..LANES).all(|lane| mask >> lane & 1 == 0 || holds[lane] & 1 == 1);
            self.held |= all;
        }
        let addresses = samples.at(self.access.address, self.block);
        let base = self.base.as_ref();
        let base = base.map(|it| samples.at(it.0, self.block)[0]);
        self.fold.add(&addresses, mask, base);
    }

    /// Whether the samples so far do not agree on its figure.
    fn is_open(&self) -> bool {
        match self.space {
            _ if self.access.bulk || self.access.bytes.is_none() => false,
            AddressSpace::Global => self.fold.sectors.is_not(),
            it if it.is_shared() => self.fold.ways.is_not(),
            _ => false,
        }
    }

    /// Whether the samples so far show that it is misaligned or slow.
    fn is_remarkable(&self, flow: &Flow) -> bool {
        let repeated = flow.graph.loop_of[self.block as usize].is_some();
        self.overflow.wrap.is_some()
            || (!self.assumes && self.fold.is_misaligned())
            || (repeated && self.fold.is_slow())
    }

    /// Whether it has left its variable, or may do so in a warp that has not had its turn.
    fn may_leave_variable(&self, all_warps: bool) -> bool {
        let Some((_, _, size)) = &self.base else {
            return false;
        };
        let inside = |(low, high): (i64, i64)| low >= 0 && high.cast_unsigned() <= *size;
        !all_warps || !self.fold.span.is_some_and(inside)
    }

    fn pattern(
        self,
        samples: &mut LaneSamples<'_>,
        operands: &Operands<'_>,
        function: Function<'_>,
    ) -> AccessPattern {
        let (access, fold) = (self.access, &self.fold);
        let rows = self.rows.as_ref().map_or_else(Vec::new, row_lengths);
        let holds = self.assumed.is_some();
        let known = !access.bulk && access.bytes.is_some() && (self.held || !holds);
        let global = known && self.space == AddressSpace::Global;
        let shared = known && self.space.is_shared();
        let sectors = fold.sectors.get().filter(|_| global);
        let ways = fold.ways.get().filter(|_| shared);
        let decided = match self.space {
            AddressSpace::Generic => false,
            _ if global => sectors.is_some(),
            _ if shared => ways.is_some(),
            _ => known && fold.pattern.get().is_some(),
        };
        let conflict = fold.conflict.get().filter(|_| ways > Some(1));
        let instruction = operands.get(self.step);
        let mut extent = None;
        let in_range = match (&self.base, fold.span) {
            (Some((_, name, size)), Some((low, high))) => {
                let inside = low >= 0 && high.cast_unsigned() <= *size;
                let runs = holds || samples.is_always_run(self.block);
                extent = Some((name.clone(), *size, low, high));
                match inside {
                    true => Some(true),
                    false => (runs && !holds).then_some(false),
                }
            }
            _ => None,
        };
        AccessPattern {
            entry: function.name(operands.db()).to_owned(),
            range: instruction.map_or_else(Default::default, |it| it.instruction.range),
            instruction: instruction.map_or_else(String::new, |it| {
                let words = it.form.words.iter();
                words.fold(it.form.opcode.to_string(), |text, it| text + "." + it)
            }),
            space: word(self.space),
            kind: match access.kind {
                AccessKind::Load => "load",
                AccessKind::Store => "store",
                AccessKind::Atomic => "atomic",
                AccessKind::Matrix => "matrix",
            },
            writes: access.writes,
            bytes: access.bytes,
            address: text(samples, operands, function, self.step, access.address),
            decided,
            lanes: fold.lanes.get(),
            fixed_distances: fold.pattern.get().is_some(),
            sectors: sectors.map(|it| it.0),
            ideal_sectors: sectors.map(|it| it.1),
            ways,
            conflict: conflict.map(|it| (fold.bank.get(), it)),
            places: fold.places().filter(|_| known),
            padding: fold.padding().filter(|_| ways > Some(1)),
            aligned: fold.aligned().filter(|it| known && (*it || decided)),
            in_range,
            extent: extent.filter(|_| in_range.is_some()),
            assumptions: assumptions(samples, access, self.space, holds, &rows),
            rows,
            overflow: self.overflow.wrap.map(|it| {
                let written = text(samples, operands, function, self.step, it.node);
                (written, it.found)
            }),
        }
    }
}

/// The word of a space.
fn word(space: AddressSpace) -> &'static str {
    match space {
        AddressSpace::Generic => "generic",
        AddressSpace::Global | AddressSpace::Fabric | AddressSpace::FabricCopies => "global",
        AddressSpace::Constant => "const",
        AddressSpace::Local => "local",
        AddressSpace::Parameter => "param",
        AddressSpace::Shared | AddressSpace::SharedCluster => "shared",
    }
}

/// The variable in which an access lies, if the rest of the address depends on the place of the thread alone, so that
/// every thread of a block is tried.
fn base(
    samples: &mut LaneSamples<'_>,
    access: &MemoryAccess,
    guarded: bool,
) -> Option<(Node, String, u64)> {
    if guarded || access.bulk {
        return None;
    }
    let mut sum = samples.values.graph.linear(access.address, 64);
    // Addresses in shared memory are often computed in 32 bits.
    if let (Some((term, 1)), 1) = (sum.terms.first_key_value(), sum.terms.len())
        && let Op::ZeroExtend(inner, 32) = samples.values.graph.op(*term)
    {
        sum = samples.values.graph.linear(inner, 32);
    }
    let mut found = None;
    for (term, by) in &sum.terms {
        if samples.is_placed(*term) {
            // Without the shape of the blocks not every thread is tried.
            samples.shape.threads?;
            continue;
        }
        let leaf = samples.leaf_number(*term)?;
        let (_, variable) = samples.variable_of(leaf)?;
        if found.is_some() || *by != 1 {
            return None;
        }
        found = Some((*term, variable.name, variable.size?));
    }
    found
}

/// The names of leaves in texts.
pub(super) fn leaf_names<'n>(
    samples: &LaneSamples<'n>,
    operands: &'n Operands<'n>,
    function: Function<'n>,
) -> impl Fn(u32) -> Option<String> + 'n {
    let flow = samples.flow();
    let body = body(operands.db(), function);
    let leaves: Vec<Leaf<'n>> = samples.values.leaves().to_vec();
    let register = move |value: u32| {
        let register = flow.facts.values.get(value as usize)?;
        Some(register_name(body, register))
    };
    move |index: u32| match *leaves.get(index as usize)? {
        Leaf::Input(it) | Leaf::Merge(it) | Leaf::Phi(it, _) => register(it),
        Leaf::Name(name) => Some(name_of(body, name)),
        Leaf::Result(step, it) => {
            parameter(operands, &flow.facts, body, step).or_else(|| register(it))
        }
        Leaf::Unknown => None,
    }
}

/// An address for people: an expression, or the register.
fn text(
    samples: &mut LaneSamples<'_>,
    operands: &Operands<'_>,
    function: Function<'_>,
    step: Step,
    node: Node,
) -> String {
    let flow = samples.flow();
    let body = body(operands.db(), function);
    let register = |value: u32| {
        let register = flow.facts.values.get(value as usize)?;
        Some(register_name(body, register))
    };
    let leaf = leaf_names(samples, operands, function);
    let written = samples.values.graph.text(node, &leaf);
    written.unwrap_or_else(|| {
        let instruction = operands.get(step);
        let mut addresses = instruction
            .iter()
            .flat_map(|it| it.operands())
            .filter_map(|it| it.address(true));
        let place = addresses.next();
        place.map_or_else(String::new, |(name, offset)| {
            let name = flow.facts.value(name).and_then(register);
            let name = name.unwrap_or_default();
            match offset {
                0 => name,
                _ => format!(
                    "{name} {} {}",
                    if offset < 0 { '-' } else { '+' },
                    offset.unsigned_abs()
                ),
            }
        })
    })
}

/// Whether the figures of an access assume something, but for its guard.
fn has_assumptions(
    samples: &mut LaneSamples<'_>,
    access: &MemoryAccess,
    space: AddressSpace,
) -> bool {
    let kinds = samples.origin_kinds(access.address);
    access.partial
        || kinds.pointer && space == AddressSpace::Global
        || kinds.external && space == AddressSpace::Shared
        || kinds.place && samples.shape.threads.is_none()
}

/// The assumptions about lengths of rows: a unit, its smallest factor, and the parameters.
fn row_lengths((unit, least, parameters): &(u64, u64, Vec<String>)) -> Vec<String> {
    let condition = match least {
        1 => format!("is a positive multiple of {unit}"),
        _ => format!("is a multiple of {unit} and at least {}", unit * least),
    };
    let all = parameters.iter();
    all.map(|it| format!("{it} {condition}")).collect()
}

/// The assumptions of the figures.
fn assumptions(
    samples: &mut LaneSamples<'_>,
    access: &MemoryAccess,
    space: AddressSpace,
    holds: bool,
    rows: &[String],
) -> Vec<String> {
    let mut found = Vec::new();
    let mut names = FxHashSet::default();
    let mut leaves: Vec<u32> = match has_assumptions(samples, access, space) {
        true => samples.origins(access.address).into_iter().collect(),
        false => Vec::new(),
    };
    leaves.sort_unstable();
    for leaf in leaves {
        if samples.is_pointer(leaf)
            && space == AddressSpace::Global
            && let Some(it) = samples.parameter_of(leaf)
            && names.insert(it.name.clone())
        {
            found.push(format!("param {} is 256-byte aligned", it.name));
        }
        if let Some((_, variable)) = samples.variable_of(leaf)
            && variable.external
            && space == AddressSpace::Shared
            && names.insert(variable.name.clone())
        {
            found.push(format!("{} is 1024-byte aligned", variable.name));
        }
    }
    if samples.origin_kinds(access.address).place && samples.shape.threads.is_none() {
        found.push("blocks have a multiple of 32 threads along x".to_owned());
    }
    found.extend(rows.iter().map(|it| format!("param {it}")));
    if access.partial {
        found.push("all bytes are copied".to_owned());
    }
    if holds {
        found.push("the guard holds in all lanes".to_owned());
    }
    found
}
