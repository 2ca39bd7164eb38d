//! The registers of a function as slots, and its variables.

use isa::{operand::Operand, types::Class};
use rustc_hash::FxHashMap;

use crate::{
    SymbolKind,
    hir::body::{Body, DefinitionId, Reference, Target},
};

use super::{Register, Slot, Symbol, VariableId, names::Names};

/// The slots and variables of a function.
pub(super) struct Places<'a> {
    pub(super) body: &'a Body,
    pub(super) names: &'a Names,
    pub(super) variables: FxHashMap<DefinitionId, VariableId>,
    pub(super) registers: FxHashMap<(DefinitionId, Option<u32>), usize>,
    pub(super) types: &'a [crate::hir::declared::Declared],
    /// The registers met so far.
    pub(super) found: Vec<Register>,
    /// The number of slots.
    pub(super) slots: Slot,
}

impl Places<'_> {
    /// Whether a definition is that of a register; parameters may be.
    pub(super) fn is_register(&self, definition: DefinitionId) -> bool {
        match self.body.definition(definition).kind {
            SymbolKind::Register => true,
            SymbolKind::Parameter => matches!(
                self.types.get(definition as usize).map(|it| &it.0),
                Some(Operand::Register { .. })
            ),
            _ => false,
        }
    }

    /// The first slot of a register, and its type and elements.
    pub(super) fn register(
        &mut self,
        definition: DefinitionId,
        member: Option<u32>,
    ) -> (Slot, Class, u8) {
        let known = self.registers.get(&(definition, member)).copied();
        let index = known.unwrap_or_else(|| {
            let (class, lanes) = match self.types.get(definition as usize).map(|it| &it.0) {
                Some(Operand::Register { class, lanes }) => (*class, *lanes),
                _ => (Class::B64, 1),
            };
            let name = &self.body.definition(definition).name;
            let name = match member {
                Some(number) => format!("{name}{number}"),
                None => name.to_string(),
            };
            self.found.push(Register {
                name,
                slot: self.slots,
                class,
                lanes,
            });
            self.slots += u32::from(lanes.max(1)) * class.bits().div_ceil(64);
            self.registers
                .insert((definition, member), self.found.len() - 1);
            self.found.len() - 1
        });
        let it = &self.found[index];
        (it.slot, it.class, it.lanes)
    }

    /// All slots of the register that a definition is: one for each element of a vector, two for 128 bits.
    pub(super) fn all_slots(
        &mut self,
        definition: DefinitionId,
        member: Option<u32>,
    ) -> std::ops::Range<Slot> {
        let (slot, class, lanes) = self.register(definition, member);
        slot..slot + u32::from(lanes.max(1)) * class.bits().div_ceil(64)
    }

    /// The slot that a reference names, with the component of a vector.
    pub(super) fn slot(&mut self, reference: &Reference, component: Option<char>) -> Option<Slot> {
        let Target::Definition(definition) = reference.target else {
            return None;
        };
        if !self.is_register(definition) {
            return None;
        }
        let (slot, class, lanes) = self.register(definition, reference.member);
        let index = match component {
            Some(letter) => component_index(letter)?,
            None if lanes > 1 => return None,
            None => 0,
        };
        Some(slot + u32::from(index) * class.bits().div_ceil(64))
    }

    /// The variable or function that a reference names.
    pub(super) fn symbol(&self, reference: &Reference) -> Option<Symbol> {
        match reference.target {
            Target::Definition(id) => match self.variables.get(&id) {
                Some(it) => Some(Symbol::Variable(*it)),
                None => self.names.get(&self.body.definition(id).name),
            },
            Target::Free(name) => self.names.get(self.body.free.get(name as usize)?),
            _ => None,
        }
    }
}

/// The component of a vector with an index.
pub(super) fn component_letter(index: u8) -> Option<char> {
    ['x', 'y', 'z', 'w'].get(usize::from(index)).copied()
}

/// The index of a component of a vector.
pub(super) fn component_index(letter: char) -> Option<u8> {
    Some(match letter {
        'x' | 'r' => 0,
        'y' | 'g' => 1,
        'z' | 'b' => 2,
        'w' | 'a' => 3,
        _ => return None,
    })
}
