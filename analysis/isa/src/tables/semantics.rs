//! The semantics of instructions: memory, order, control, who runs them together, what they cost.
//!
//! The tables say it in lines with `does`, `assume` and `cost`, see `tables/README.md`. They were measured with
//! ptxas 13.5 at `-O3`, where the manual does not tell. What is said holds for an opcode with its fixed words, and
//! depends on other words of the statement only, so that it can be told of statements that are wrong as well.

use super::event::{Event, EventKind};

/// Where control goes after an instruction whose guard holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Control {
    /// To the next instruction.
    #[default]
    Next,
    /// To the label that it names.
    Branch,
    /// To one of the labels of a table.
    Table,
    /// Into a function, and to the next instruction unless the function is `.noreturn`.
    Call,
    /// Back to the caller; out of the kernel in an entry.
    Return,
    /// Nowhere: the thread ends.
    End,
    /// Nowhere: the grid ends with an error.
    Trap,
}

impl Control {
    /// Whether control never continues to the next instruction, unless a guard is there.
    #[must_use]
    pub fn leaves(self) -> bool {
        !matches!(self, Control::Next | Control::Call)
    }
}

/// The reason for which an instruction must stay when its result is not used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// It goes.
    #[default]
    No,
    /// It stays.
    Always,
    /// Its access goes, its fence stays.
    Order,
    /// It stays if something waits for its group.
    Group,
}

/// The accesses to memory that may not cross an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// They may.
    #[default]
    None,
    /// Later accesses stay after it.
    Acquire,
    /// Earlier accesses stay before it.
    Release,
    /// Both.
    AcquireRelease,
    /// Nothing crosses it, be it a fence, a barrier or a wait.
    All,
    /// Other `.volatile` accesses stay on their side.
    Volatile,
    /// Accesses through different proxies stay on their side.
    Proxy,
    /// Writes of asynchronous copies are visible after it.
    Copies,
}

/// Who must run an instruction together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Together {
    /// Nobody.
    #[default]
    Nobody,
    /// The lanes of a mask.
    Lanes,
    /// All threads of a warp.
    Warp,
    /// All threads of four warps.
    Warpgroup,
}

/// For which threads the results are the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Same {
    /// For those whose operands are, unless memory is read or the value is fresh.
    #[default]
    WithOperands,
    /// For the threads of a warp.
    Warp,
    /// For the threads of a block.
    Block,
    /// They differ between lanes, whatever the operands are.
    Never,
}

/// Which operands may well be undefined, because they are carried on, replaced in part or dropped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undefined {
    /// None.
    #[default]
    None,
    /// Those whose bits are set, by index in the head.
    Operands(u8),
    /// The elements of vectors.
    Elements,
}

/// Where an address of fewer bits than `.address_size` makes the program a 32-bit one, which ptxas 13.5 refuses when it
/// generates code. Parameters, constants, shared and local memory may have 32-bit addresses everywhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wide {
    /// Nowhere.
    #[default]
    Nothing,
    /// The register in brackets.
    Address,
    /// The name of a variable in `.global` that is an operand without brackets.
    Name,
    /// The statement works on 32-bit addresses, whatever its operands are.
    Statement,
}

/// The memory that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Location {
    /// The address in brackets, in the state space that a word of the statement names, else a generic one; as many
    /// bytes as the type and the vector have.
    Address(&'static str),
    /// The same, with more bytes, or fewer, than the type and the vector have.
    Block(&'static str),
    /// A state space: `shared`, `global`, `const`, `param`, or `tmem` (tensor memory), `texture`, `surface`, `map`
    /// (tensor maps), `multimem`, `stack`, `descriptor` (of textures), `fabric`.
    Space(&'static str),
}

/// Through which proxy memory is accessed, PTX ISA 8.6.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Proxy {
    /// As `ld` and `st` do.
    #[default]
    Generic,
    /// As copies in bulk and matrix units do.
    Async,
    /// As constant banks and `ld.nc` do.
    Readonly,
    /// As the units that read tensor maps do.
    TensorMap,
    /// As texture units and surface instructions do.
    Texture,
    /// As instructions on tensor memory do.
    TensorMemory,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// What.
    pub location: Location,
    /// Through which proxy.
    pub proxy: Proxy,
}

impl Access {
    /// Whether it is at an address, of as many bytes as the type and the vector have.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        matches!(self.location, Location::Address(_))
    }
}

/// Figures of ptxas 13.5, which feed estimates and no diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Cycles from the instruction to the first use of its result.
    pub latency: u32,
    /// Registers that it needs for a moment besides its operands, because ptxas expands it into a sequence.
    pub scratch: u32,
    /// Whether ptxas makes a call of it.
    pub subroutine: bool,
    /// Whether it runs once per warp when its operands are the same in all threads, and so takes no register of a
    /// thread.
    pub uniform: bool,
    /// Whether it is done again rather than kept in a register.
    pub cheap: bool,
}

impl Default for Cost {
    fn default() -> Cost {
        Cost {
            latency: 5,
            scratch: 0,
            subroutine: false,
            uniform: false,
            cheap: false,
        }
    }
}

/// The semantics of an instruction, as its table says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Semantics {
    /// Memory that is read.
    pub reads: &'static [Access],
    /// Memory that is written.
    pub writes: &'static [Access],
    /// The reason for which it stays when its result is not used, if there is one.
    pub keep: Keep,
    /// The accesses that may not cross it.
    pub order: Order,
    /// Where control goes.
    pub control: Control,
    /// Whether it reads the carry flag.
    pub carry_in: bool,
    /// Whether it writes the carry flag.
    pub carry_out: bool,
    /// Whether it also reads what it writes.
    pub reads_destination: bool,
    /// The operand, by its name in the tables, without which it does not: if it is 0 or false, the old value is only
    /// overwritten.
    pub overwrites_without: Option<&'static str>,
    /// Whether it only carries a value on, defined or not.
    pub copy: bool,
    /// Whether the first two operands after the destination mean the same in either order.
    pub commutes: bool,
    /// Which operands may be undefined.
    pub undefined: Undefined,
    /// The operands that are handed on unchanged, as bits by index in the head: what they hold matters only if the
    /// first result is used.
    pub passed: u8,
    /// Who must run it together.
    pub together: Together,
    /// Whether two of them are two values.
    pub fresh: bool,
    /// For which threads the results are the same.
    pub same: Same,
    /// Its protocol events.
    pub events: &'static [Event],
    /// The words by which this form was replaced; it is deprecated.
    pub replaced: Option<&'static str>,
    /// Which addresses must be as wide as `.address_size` says.
    pub wide: Wide,
    /// Its cost.
    pub cost: Cost,
}

impl Semantics {
    /// The assumption about an opcode that the tables do not have, or whose words do not say yet which instruction it
    /// is: it stays, whatever it is.
    pub const UNKNOWN: Semantics = {
        let mut unknown = Semantics::NOTHING;
        unknown.keep = Keep::Always;
        unknown
    };

    /// Nothing but to compute the first operand from the others.
    pub(crate) const NOTHING: Semantics = Semantics {
        reads: &[],
        writes: &[],
        keep: Keep::No,
        order: Order::None,
        control: Control::Next,
        carry_in: false,
        carry_out: false,
        reads_destination: false,
        overwrites_without: None,
        copy: false,
        commutes: false,
        undefined: Undefined::None,
        passed: 0,
        together: Together::Nobody,
        fresh: false,
        same: Same::WithOperands,
        events: &[],
        replaced: None,
        wide: Wide::Nothing,
        cost: Cost {
            latency: 5,
            scratch: 0,
            subroutine: false,
            uniform: false,
            cheap: false,
        },
    };

    /// Whether it must stay when nobody reads the registers that it writes. Of one that sets the carry flag that is
    /// not told: see [`Semantics::carry_out`].
    #[must_use]
    pub fn stays(&self) -> bool {
        self.keep != Keep::No || !self.writes.is_empty() || self.control != Control::Next
    }

    /// Whether others could see what it does: another thread, the memory, or a caller. A branch is not seen.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        self.stays() && !matches!(self.control, Control::Branch | Control::Table)
    }

    /// Whether it only reads memory at an address, as many bytes as its type and vector have.
    #[must_use]
    pub fn is_load(&self) -> bool {
        self.loads() && self.reads.iter().any(Access::is_plain)
    }

    /// Whether it only writes memory at an address, as many bytes as its type and vector have.
    #[must_use]
    pub fn is_store(&self) -> bool {
        self.reads.is_empty() && self.writes.iter().any(Access::is_plain)
    }

    /// Whether it reads memory and does nothing else with it.
    #[must_use]
    pub fn loads(&self) -> bool {
        !self.reads.is_empty() && self.writes.is_empty()
    }

    /// Whether it may access memory.
    #[must_use]
    pub fn accesses_memory(&self) -> bool {
        !self.reads.is_empty() || !self.writes.is_empty()
    }

    /// Whether the result follows from the operands: nothing else is read, and it can be done again.
    #[must_use]
    pub fn is_value(&self) -> bool {
        !self.accesses_memory() && !self.stays() && !self.fresh && self.same == Same::WithOperands
    }
}

/// Words that are assumed of a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assumed {
    /// The words, without their periods; empty if nothing is assumed.
    pub words: Vec<&'static str>,
    /// After how many of the words of the statement they would appear.
    pub after: usize,
}

/// The facts in a line of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fact {
    Reads(&'static [Access]),
    Writes(&'static [Access]),
    /// It has an address and touches nothing.
    NoMemory,
    Keep(Keep),
    Order(Order),
    Control(Control),
    Carry(bool, bool),
    ReadsDestination(bool, Option<&'static str>),
    Copy(bool),
    Commutes,
    Undefined(Undefined),
    Passed(u8),
    Together(Together),
    Fresh(bool),
    Same(Same),
    Events(&'static [Event]),
    Replaced(&'static str),
    Wide(Wide),
    Latency(u32),
    Scratch(u32),
    Subroutine(bool),
    Uniform(bool),
    Cheap(bool),
}

impl Fact {
    fn apply(self, to: &mut Semantics) {
        match self {
            Fact::Reads(it) => to.reads = it,
            Fact::Writes(it) => to.writes = it,
            Fact::NoMemory => (to.reads, to.writes) = (&[], &[]),
            Fact::Keep(it) => to.keep = it,
            Fact::Order(it) => to.order = it,
            Fact::Control(it) => to.control = it,
            Fact::Carry(into, out) => (to.carry_in, to.carry_out) = (into, out),
            Fact::ReadsDestination(it, unless) => {
                (to.reads_destination, to.overwrites_without) = (it, unless);
            }
            Fact::Copy(it) => to.copy = it,
            Fact::Commutes => to.commutes = true,
            Fact::Undefined(it) => to.undefined = it,
            Fact::Passed(it) => to.passed = it,
            Fact::Together(it) => to.together = it,
            Fact::Fresh(it) => to.fresh = it,
            Fact::Same(it) => to.same = it,
            Fact::Events(it) => to.events = it,
            Fact::Replaced(it) => to.replaced = Some(it),
            Fact::Wide(it) => to.wide = it,
            Fact::Latency(it) => to.cost.latency = it,
            Fact::Scratch(it) => to.cost.scratch = it,
            Fact::Subroutine(it) => to.cost.subroutine = it,
            Fact::Uniform(it) => to.cost.uniform = it,
            Fact::Cheap(it) => to.cost.cheap = it,
        }
    }
}

/// Words that must and must not appear in a statement, as bits of [`Facts::words`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Needs {
    /// None of these may.
    pub(crate) none: u64,
    /// One of each must.
    pub(crate) any: Vec<u64>,
}

impl Needs {
    fn holds(&self, present: u64) -> bool {
        present & self.none == 0 && self.any.iter().all(|it| present & it != 0)
    }
}

/// When a line holds: one of these, or always if there are none.
pub(crate) type When = Vec<Needs>;

fn holds(when: &When, present: u64) -> bool {
    when.is_empty() || when.iter().any(|it| it.holds(present))
}

/// Words that are assumed where others of their slots do not appear.
#[derive(Clone, Debug)]
pub(crate) struct Assumption {
    pub(crate) when: When,
    pub(crate) words: Vec<&'static str>,
}

/// The facts in the tables about an opcode with its fixed words.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// The words that conditions ask for.
    pub(crate) words: Vec<&'static str>,
    /// A later line whose condition holds replaces what earlier ones say of the same kind.
    pub(crate) lines: Vec<(When, Vec<Fact>)>,
    pub(crate) assumptions: Vec<Assumption>,
    /// The effects where none of the words appears.
    pub(crate) plain: Semantics,
}

impl Facts {
    /// Whether the name of a variable may be an operand without brackets.
    pub(crate) fn reads_names(&self) -> bool {
        let mut facts = self.lines.iter().flat_map(|it| &it.1);
        facts.any(|it| matches!(it, Fact::Wide(Wide::Name)))
    }

    /// Bits of the words that conditions ask for.
    pub(crate) fn present<'w>(&self, words: impl Iterator<Item = &'w str>) -> u64 {
        let mut present = 0;
        for word in words {
            if let Some(index) = self.words.iter().position(|it| *it == word) {
                present |= 1 << index;
            }
        }
        present
    }

    /// The effects of an instruction with these words, the fixed ones left out.
    pub(crate) fn semantics<'w>(&self, words: impl Iterator<Item = &'w str>) -> Semantics {
        if self.words.is_empty() {
            return self.plain;
        }
        match self.present(words) {
            0 => self.plain,
            present => self.evaluate(present),
        }
    }

    pub(crate) fn evaluate(&self, present: u64) -> Semantics {
        let mut out = Semantics::NOTHING;
        for (when, facts) in &self.lines {
            if holds(when, present) {
                facts.iter().for_each(|it| it.apply(&mut out));
            }
        }
        out
    }

    /// Whether some line tells of an event in a protocol, other than that an address stays the same.
    pub(crate) fn has_events(&self) -> bool {
        let own = |it: &Event| it.kind != EventKind::SameAddress;
        let mut facts = self.lines.iter().flat_map(|it| &it.1);
        facts.any(|it| matches!(it, Fact::Events(events) if events.iter().any(own)))
    }

    /// The words that are assumed for a statement with these.
    pub(crate) fn assumed(&self, present: u64) -> &[&'static str] {
        let mut found = self.assumptions.iter();
        let found = found.find(|it| holds(&it.when, present));
        found.map_or(&[], |it| &it.words)
    }
}
