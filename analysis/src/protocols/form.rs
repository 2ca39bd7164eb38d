//! The facts of the tables about the instructions of a form that concern protocols: asked once for each form.

use isa::{
    event::EventKind,
    matching::positions,
    operand::Operand,
    semantics::{Access, Location, Proxy, Semantics},
};
use salsa::Database;

use crate::{flow::effects, hir::form::Form};

/// The role of the instructions of a form in protocols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormFacts {
    pub(super) semantics: Semantics,
    /// The opcode with its fixed words, as messages name it.
    pub(super) name: Box<str>,
    /// The event, with the indices of the operands that describe it.
    pub(super) events: Box<[(EventKind, [Option<usize>; 2])]>,
    pub(super) accesses: Box<[FormAccess]>,
    /// Whether it loads as if there were no other threads.
    pub(super) weak_load: bool,
    /// Whether it loads from an address, and no more.
    pub(super) load: bool,
    /// Whether it writes to global memory at an address.
    pub(super) global_write: bool,
    /// Whether it makes of an address the same in another state space.
    pub(super) same_address: bool,
}

/// An access to memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FormAccess {
    pub(super) write: bool,
    /// The word of the state space, empty for a generic address.
    pub(super) space: &'static str,
    /// Whether the asynchronous proxy does it.
    pub(super) asynchronous: bool,
    /// Whether it is neither volatile nor of a memory model of its own.
    pub(super) weak: bool,
    /// Whether it says that nobody writes there.
    pub(super) constant: bool,
    /// Whether it is at the address in brackets.
    pub(super) addressed: bool,
    /// Whether that address is of what the thread accesses alone.
    pub(super) alone: bool,
}

/// The words that let a load look at memory again each time.
const CACHED: [&str; 2] = ["cv", "cg"];
/// The words of accesses that are not weak.
const STRONG: [&str; 7] = [
    "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio", "sc",
];
/// The words of state spaces.
const SPACES: [&str; 7] = [
    "shared",
    "shared::cta",
    "shared::cluster",
    "global",
    "local",
    "const",
    "param",
];

/// The role of the instructions of a form in protocols.
#[salsa::tracked(returns(ref))]
pub(super) fn form_facts<'db>(db: &'db dyn Database, form: Form<'db>) -> FormFacts {
    let semantics = effects::semantics(db, form);
    let form = form.data(db);
    let opcode = &*form.opcode;
    let words: Vec<&str> = form.words.iter().map(|it| &**it).collect();
    let tables = isa::tables();

    let is_bracket = |it: &Operand| matches!(it, Operand::Address(_, None));
    let brackets: Vec<bool> = form.operands.iter().map(is_bracket).collect();
    let events = semantics.events.iter().map(|it| {
        let at = positions(tables, opcode, &words, &brackets, it.operands);
        (it.kind, at)
    });

    let space = words
        .iter()
        .find_map(|word| SPACES.into_iter().find(|it| it == word));
    let weak = !words.iter().any(|it| STRONG.contains(it));
    // The threads of a warp access matrices together.
    let one = semantics.events.is_empty() && brackets.iter().filter(|it| **it).count() == 1;
    let access = |write: bool, it: &Access| {
        let (space, addressed, alone) = match it.location {
            Location::Address(_) | Location::Block(_) => (space, true, true),
            Location::Space(it) => (Some(it), one, false),
        };
        FormAccess {
            write,
            space: space.unwrap_or_default(),
            asynchronous: it.proxy == Proxy::Async,
            weak,
            constant: it.proxy == Proxy::Readonly,
            addressed,
            alone,
        }
    };
    let reads = semantics.reads.iter().map(|it| access(false, it));
    let writes = semantics.writes.iter().map(|it| access(true, it));

    let load = semantics.is_load() && semantics.events.is_empty();
    let has = |word: &str| {
        let bare = |it: &&str| it.split("::").next() == Some(word);
        words.iter().any(bare)
    };
    let cached = words.iter().any(|it| CACHED.contains(it));
    let mut candidates = tables.with_opcode(opcode);
    let named = candidates.find(|it| words.starts_with(&it.fixed));
    FormFacts {
        semantics,
        name: named.map_or(opcode, |it| it.name).into(),
        events: events.collect(),
        accesses: reads.chain(writes).collect(),
        weak_load: load && (has("global") || has("shared") || space.is_none()) && weak && !cached,
        load,
        global_write: words.contains(&"global") && semantics.writes.iter().any(Access::is_plain),
        same_address: semantics
            .events
            .iter()
            .any(|it| it.kind == EventKind::SameAddress),
    }
}
