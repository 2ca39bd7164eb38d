//! The meaning of names while a function is read: declarations, references and scopes.

use std::borrow::Cow;

use isa::operand::Operand;
use rustc_hash::FxHashMap;
use syntax::{CursorToken, TextRange};

use crate::{
    SymbolKind,
    hir::{
        declaration::Declared,
        lowered::{
            Body, Definition, DefinitionId, Duplicate, Place, Reference, Scope, ScopeId, Target,
        },
        number::{is_canonical, split_name},
    },
};

/// A block that is being read.
pub(super) struct OpenScope<'a> {
    id: ScopeId,
    /// Its declarations, for the end of the block.
    declared: Vec<(&'a str, DefinitionId)>,
    /// Single names that could be members of a later range of the same prefix.
    numbered: FxHashMap<&'a str, Vec<(u32, DefinitionId)>>,
    /// References to names that are not declared yet.
    waiting: Vec<(u32, Cow<'a, str>)>,
    /// Whether a syntax error may have hidden a declaration.
    pub(super) uncertain: bool,
}

/// A bit for the first byte of a name; names of one first byte have one bit.
fn initial(name: &str) -> u128 {
    1 << (name.bytes().next().unwrap_or_default() & 127)
}

/// The names of a function while it is read, and the body that is made of it.
#[derive(Default)]
pub(super) struct Names<'a> {
    pub(super) body: Body,
    /// The innermost definition of each single name.
    names: FxHashMap<&'a str, DefinitionId>,
    /// The first bytes of single names, a bit for each byte.
    initials: u128,
    /// The innermost definition of each parameterised name, by its prefix.
    families: FxHashMap<&'a str, DefinitionId>,
    /// Functions declared by prototypes inside the body; they belong to the module.
    pub(super) prototypes: FxHashMap<&'a str, DefinitionId>,
    free: FxHashMap<Cow<'a, str>, u32>,
    /// For definitions that hide one of the same name in a block around, that one.
    shadowed: FxHashMap<DefinitionId, DefinitionId>,
    open: Vec<OpenScope<'a>>,
}

impl<'a> Names<'a> {
    // ---- Declarations --------------------------------------------------------------------------

    pub(super) fn definition(
        &mut self,
        name: CursorToken<'a>,
        kind: SymbolKind,
        full_range: TextRange,
    ) -> Definition {
        Definition {
            name: name.text().into(),
            kind,
            count: None,
            scope: self.scope().id,
            name_range: name.range(),
            full_range,
        }
    }

    pub(super) fn push(&mut self, definition: Definition, operand: Operand) -> DefinitionId {
        let id = self.body.definitions.len() as DefinitionId;
        self.body.definitions.push(definition);
        self.body.operands.push(Declared(operand));
        id
    }

    /// Adds a definition, unless its name is taken in this block; then that is a duplicate.
    pub(super) fn declare(
        &mut self,
        name: &'a str,
        definition: Definition,
        operand: Operand,
    ) -> DefinitionId {
        match self.collision(name, &definition) {
            Some(first) => {
                let definition = self.push(definition, operand);
                self.body.duplicates.push(Duplicate { definition, first });
                definition
            }
            None => self.add(name, definition, operand),
        }
    }

    /// Adds a definition to the innermost block.
    pub(super) fn add(
        &mut self,
        name: &'a str,
        definition: Definition,
        operand: Operand,
    ) -> DefinitionId {
        let family = definition.count.is_some();
        let numbered = !family && definition.kind != SymbolKind::Label;
        let id = self.push(definition, operand);
        self.enter(name, id, family);
        if numbered
            && is_canonical(name)
            && let Some((prefix, number)) = split_name(name)
        {
            let numbered = &mut self.scope().numbered;
            numbered.entry(prefix).or_default().push((number, id));
        }
        id
    }

    /// From here to the end of the innermost block a name means this definition.
    fn enter(&mut self, name: &'a str, id: DefinitionId, family: bool) {
        let map = if family {
            &mut self.families
        } else {
            self.initials |= initial(name);
            &mut self.names
        };
        if let Some(outer) = map.insert(name, id) {
            self.shadowed.insert(id, outer);
        }
        self.scope().declared.push((name, id));
    }

    fn declared(&self, id: DefinitionId) -> &Definition {
        &self.body.definitions[id as usize]
    }

    /// The definition of the innermost block that takes the name.
    pub(super) fn collision(&self, name: &str, new: &Definition) -> Option<DefinitionId> {
        if let Some(count) = new.count {
            let singles = self.open.last()?.numbered.get(name);
            return self.here(self.families.get(name)).or_else(|| {
                // ptxas looks no further where the first of the names is taken.
                let singles = singles.filter(|it| it.iter().all(|(number, _)| *number != 0))?;
                let inside = singles.iter().find(|(number, _)| *number < count)?;
                Some(inside.1)
            });
        }
        // A label may have the name of a parameterised register.
        let family = if new.kind == SymbolKind::Label {
            None
        } else {
            self.family(name).map(|(id, _)| id)
        };
        self.here(self.names.get(name))
            .or(self.here(family.as_ref()))
    }

    /// A definition, if it belongs to the innermost block.
    fn here(&self, id: Option<&DefinitionId>) -> Option<DefinitionId> {
        let scope = self.open.last()?.id;
        id.copied().filter(|it| self.declared(*it).scope == scope)
    }

    /// The innermost parameterised definition that declares a name, and its number.
    fn family(&self, name: &str) -> Option<(DefinitionId, u32)> {
        let (prefix, number) = split_name(name)?;
        let mut family = self.families.get(prefix).copied();
        while let Some(id) = family {
            if self.declared(id).count? > number {
                return Some((id, number));
            }
            family = self.shadowed.get(&id).copied();
        }
        None
    }

    // ---- References ----------------------------------------------------------------------------

    pub(super) fn reference(
        &mut self,
        token: CursorToken<'a>,
        place: Place,
        write: bool,
        broken: bool,
    ) {
        self.reference_to(
            Cow::Borrowed(token.text()),
            token.range(),
            place,
            write,
            broken,
        );
    }

    pub(super) fn reference_to(
        &mut self,
        name: Cow<'a, str>,
        range: TextRange,
        place: Place,
        write: bool,
        uncertain: bool,
    ) {
        let (target, member) = match self.resolve(&name) {
            Some(found) => found,
            None => {
                let reference = self.body.references.len() as u32;
                self.scope().waiting.push((reference, name));
                (Target::Free(0), None)
            }
        };
        self.body.references.push(Reference {
            range,
            target,
            member,
            write,
            place,
            uncertain,
        });
    }

    /// The current meaning of a name.
    fn resolve(&self, name: &str) -> Option<(Target, Option<u32>)> {
        if let Some((id, member)) = self.resolve_local(name) {
            return Some((Target::Definition(id), member));
        }
        if let Some(id) = self.prototypes.get(name) {
            return Some((Target::Definition(*id), None));
        }
        if name == "WARP_SZ" {
            return Some((Target::WarpSize, None));
        }
        let (special, number) = isa::special::find(name)?;
        Some((Target::Special(special), number))
    }

    fn resolve_local(&self, name: &str) -> Option<(DefinitionId, Option<u32>)> {
        let scope = |id: DefinitionId| self.declared(id).scope;
        // Compilers declare families of registers, and nothing else whose name starts as theirs do.
        let single = match self.initials & initial(name) {
            0 => None,
            _ => self.names.get(name).copied(),
        };
        match (single, self.family(name)) {
            // The innermost block counts; a block's number is higher than that of the block around.
            (Some(single), Some((family, _))) if scope(single) > scope(family) => {
                Some((single, None))
            }
            (_, Some((family, number))) => Some((family, Some(number))),
            (Some(single), None) => Some((single, None)),
            (None, None) => None,
        }
    }

    /// Index of a name that the function does not declare.
    pub(super) fn free(&mut self, name: &str) -> u32 {
        if let Some(index) = self.free.get(name) {
            return *index;
        }
        let index = self.body.free.len() as u32;
        self.body.free.push(name.into());
        self.free.insert(Cow::Owned(name.to_owned()), index);
        index
    }

    // ---- Scopes --------------------------------------------------------------------------------

    pub(super) fn scope(&mut self) -> &mut OpenScope<'a> {
        // The outermost scope is open as long as the walk lasts.
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    pub(super) fn open_scope(&mut self, range: TextRange) {
        let id = self.body.scopes.len() as ScopeId;
        self.body.scopes.push(Scope {
            parent: self.open.last().map(|it| it.id),
            range,
        });
        self.open.push(OpenScope {
            id,
            declared: Vec::new(),
            numbered: FxHashMap::default(),
            waiting: Vec::new(),
            uncertain: false,
        });
    }

    pub(super) fn close_scope(&mut self) {
        let last = self.open.len() == 1;
        let waiting = std::mem::take(&mut self.scope().waiting);
        let uncertain = self.scope().uncertain;
        let mut still_waiting = Vec::new();
        for (index, name) in waiting {
            let found = match self.resolve_local(&name) {
                // Only this block can have declared it since; labels and mistakes alike.
                Some((id, member)) => Some((Target::Definition(id), member)),
                None if last => self
                    .prototypes
                    .get(&*name)
                    .map(|it| (Target::Definition(*it), None)),
                None => None,
            };
            let free = match found {
                None if last => Some(self.free(&name)),
                _ => None,
            };
            let reference = &mut self.body.references[index as usize];
            reference.uncertain |= uncertain;
            if let Some((target, member)) = found {
                reference.target = target;
                reference.member = member;
            } else if let Some(free) = free {
                reference.target = Target::Free(free);
            } else {
                still_waiting.push((index, name));
            }
        }
        let Some(closed) = self.open.pop() else {
            return;
        };
        for (name, id) in closed.declared.into_iter().rev() {
            let map = if self.declared(id).count.is_some() {
                &mut self.families
            } else {
                &mut self.names
            };
            match self.shadowed.get(&id) {
                Some(outer) => map.insert(name, *outer),
                None => map.remove(name),
            };
        }
        if let Some(outer) = self.open.last_mut() {
            outer.waiting.append(&mut still_waiting);
        }
    }
}
