//! The effects of the instructions of a form, as far as flow is concerned: asked once for each form.

use isa::{
    event::EventKind,
    semantics::{Control, Operation, Semantics, Together, Undefined},
};
use salsa::Database;

use crate::hir::form::Form;

/// The effects of an instruction besides reading and writing its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Whether there is a guard.
    pub(crate) guarded: bool,
    /// Where control goes if the guard holds.
    pub(crate) control: Control,
    /// Whether it reads what it writes.
    pub(crate) reads_destination: bool,
    /// Whether it only carries a value on.
    pub(crate) copies: bool,
    /// Whether all threads of a warp must execute it together.
    pub(crate) together: bool,
    /// Whether it may matter to a protocol.
    pub(crate) eventful: bool,
    /// Whether it changes how many registers its warp has.
    pub(crate) changes_registers: bool,
    /// Whether it matters when nobody reads what it writes.
    pub(crate) stays: bool,
    /// Whether others could see what it does.
    pub(crate) seen: bool,
    /// Whether it reads, and whether it writes the carry flag.
    pub(crate) carry: (bool, bool),
    /// Which operands may be undefined.
    pub(crate) undefined: Undefined,
}

/// The facts of the tables about the instructions of a form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Meaning {
    pub(crate) semantics: Semantics,
    /// The operation, if no word says more than the tables know of.
    pub(crate) plain: Option<Operation>,
}

/// The facts of the tables about the instructions of a form.
#[salsa::tracked(returns(copy))]
pub(crate) fn meaning<'db>(db: &'db dyn Database, form: Form<'db>) -> Meaning {
    let form = form.data(db);
    let words = || form.words.iter().map(|it| &**it);
    let semantics = isa::tables().semantics(&form.opcode, words());
    Meaning {
        semantics,
        plain: semantics.plain(words()),
    }
}

/// The effects of the instructions of a form.
#[salsa::tracked(returns(copy))]
pub(crate) fn effects<'db>(db: &'db dyn Database, form: Form<'db>) -> Effects {
    let Meaning { semantics, .. } = meaning(db, form);
    let form = form.data(db);
    let opcode = &*form.opcode;
    let words = || form.words.iter().map(|it| &**it);
    let of_interest = |word: &str| word.starts_with("shared") || word == "nc";
    Effects {
        guarded: form.guard.is_some(),
        control: semantics.control,
        reads_destination: semantics.reads_destination,
        copies: semantics.copy,
        together: matches!(semantics.together, Together::Warp | Together::Warpgroup),
        eventful: isa::tables().has_events(opcode) || words().any(of_interest),
        changes_registers: semantics.events.iter().any(|it| {
            matches!(
                it.kind,
                EventKind::RegistersIncrease | EventKind::RegistersDecrease
            )
        }),
        stays: semantics.stays(),
        seen: semantics.is_seen(),
        carry: (semantics.carry_in, semantics.carry_out),
        undefined: semantics.undefined,
    }
}
