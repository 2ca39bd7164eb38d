//! The effects of the instructions of a form, as far as flow is concerned: asked once for each form.

use isa::{
    event::EventKind,
    operand::Operand,
    semantics::{Control, Semantics, Together, Undefined},
    types::{Class, Family},
};
use salsa::Database;

use crate::hir::form::Form;

use super::form_program::form_program;

/// The effects of an instruction besides reading and writing its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effects {
    /// Whether there is a guard.
    pub(crate) guarded: bool,
    /// Where control goes if the guard holds.
    pub(crate) control: Control,
    /// Whether it reads what it writes.
    pub(crate) reads_destination: bool,
    /// Whether others like it do, and it does not, as a constant operand says.
    pub(crate) overwrites: bool,
    /// It does not if the predicate among its operands has this value.
    pub(crate) overwrites_when: Option<bool>,
    /// The predicate that it computes from constants.
    pub(crate) constant: Option<bool>,
    /// Whether it only carries a value on.
    pub(crate) copies: bool,
    /// Whether all threads of a warp must execute it together.
    pub(crate) together: bool,
    /// Whether it may matter to a protocol.
    pub(crate) eventful: bool,
    /// Whether its result is the answer of others, which a protocol needs.
    pub(crate) answers: bool,
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
    /// Which operands are handed on unchanged, as bits.
    pub(crate) passed: u8,
}

/// The facts of the tables about the instructions of a form.
#[salsa::tracked(returns(copy))]
pub(crate) fn semantics<'db>(db: &'db dyn Database, form: Form<'db>) -> Semantics {
    form.data(db).semantics()
}

/// The effects of the instructions of a form.
#[salsa::tracked(returns(copy))]
pub(crate) fn effects<'db>(db: &'db dyn Database, id: Form<'db>) -> Effects {
    let semantics = semantics(db, id);
    let form = id.data(db);
    let opcode = &*form.opcode;
    let words = || form.words.iter().map(|it| &**it);
    let scale = semantics.overwrites_without.and_then(|name| {
        let [at] = form.positions([Some(name)]);
        form.operands.get(at?)
    });
    let of_interest = |word: &str| word.starts_with("shared") || word == "nc";
    Effects {
        guarded: form.guard.is_some(),
        control: semantics.control,
        reads_destination: semantics.reads_destination && scale != Some(&Operand::Integer(0)),
        overwrites: scale == Some(&Operand::Integer(0)),
        overwrites_when: match scale {
            Some(Operand::Register { .. }) => Some(false),
            Some(Operand::Not(_)) => Some(true),
            _ => None,
        },
        constant: constant(db, id),
        copies: semantics.copy,
        together: matches!(semantics.together, Together::Warp | Together::Warpgroup),
        eventful: isa::tables().has_events(opcode) || words().any(of_interest),
        answers: semantics.events.iter().any(|it| {
            matches!(
                it.kind,
                EventKind::Elect | EventKind::PhaseWait | EventKind::PhaseWaitRelaxed
            )
        }),
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
        passed: semantics.passed,
    }
}

/// The predicate that an instruction computes if all that it reads are integers.
fn constant<'db>(db: &'db dyn Database, form: Form<'db>) -> Option<bool> {
    let (result, sources) = form.data(db).operands.split_first()?;
    let is_predicate = |class: &Class| class.family() == Family::Predicate;
    if !matches!(result, Operand::Register { class, lanes: 1 } if is_predicate(class))
        || !sources.iter().all(|it| matches!(it, Operand::Integer(_)))
    {
        return None;
    }
    let bits = form_program(db, form)
        .as_ref()?
        .constant(&form.data(db).operands)?;
    Some(bits != 0)
}
