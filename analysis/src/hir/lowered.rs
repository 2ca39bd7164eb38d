//! A function lowered once to compact lists; all offsets are relative to the start of the function.

use syntax::TextRange;

use crate::{SymbolKind, hir::linkage::Linkage};

use super::declaration::Declared;

/// Index of a [`Definition`] in its body.
pub(crate) type DefinitionId = u32;
/// Index of a [`Scope`] in its body.
pub(crate) type ScopeId = u32;

/// The scope of the parameters and the outermost block, which share one.
pub(crate) const OUTERMOST: ScopeId = 0;

/// The names that the text of one function declares and uses.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Body {
    /// The name of the function, where it is declared.
    pub(crate) name: Option<TextRange>,
    /// The braces of the body, and the blocks inside, in the order of the text.
    pub(crate) scopes: Vec<Scope>,
    /// Declared names, in the order of the text.
    pub(crate) definitions: Vec<Definition>,
    /// The class of each of them as an operand.
    pub(crate) operands: Vec<Declared>,
    /// Used names, in the order of the text.
    pub(crate) references: Vec<Reference>,
    /// Instructions, in the order of the text.
    pub(crate) instructions: Vec<Instruction>,
    /// Names that are declared nowhere in the function, each once.
    pub(crate) free: Vec<Box<str>>,
    /// Functions that prototypes inside the body declare; their names belong to the module.
    pub(crate) prototypes: Vec<(DefinitionId, Option<Linkage>)>,
    /// Definitions that collide with an earlier one of the same scope.
    pub(crate) duplicates: Vec<Duplicate>,
    /// The first words of lists of targets and prototypes without a label before them.
    pub(crate) unlabeled: Vec<TextRange>,
    /// Declarations of variables without any name, which ptxas accepts.
    pub(crate) nameless: Vec<TextRange>,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    /// The block around it.
    pub(crate) parent: Option<ScopeId>,
    /// From `{` to `}`.
    pub(crate) range: TextRange,
}

/// A declared name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Definition {
    /// The name; the prefix of a parameterised one such as `%r<100>`.
    pub(crate) name: Box<str>,
    /// The thing that it names.
    pub(crate) kind: SymbolKind,
    /// The number in angle brackets of a parameterised name.
    pub(crate) count: Option<u32>,
    /// Where it is declared.
    pub(crate) scope: ScopeId,
    /// The name in the text.
    pub(crate) name_range: TextRange,
    /// The declaration in the text.
    pub(crate) full_range: TextRange,
}

impl Definition {
    /// Whether jumps may name it before it is declared.
    pub(crate) fn may_follow_use(&self) -> bool {
        self.kind == SymbolKind::Label
    }
}

/// A used name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reference {
    /// The word.
    pub(crate) range: TextRange,
    /// Its meaning.
    pub(crate) target: Target,
    /// The number of the register, if the target is parameterised or numbered.
    pub(crate) member: Option<u32>,
    /// Whether it is written there.
    pub(crate) write: bool,
    /// The place of the word in its statement.
    pub(crate) place: Place,
    /// Whether a syntax error nearby may be the reason that the name is unknown.
    pub(crate) uncertain: bool,
}

/// The meaning of a used name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// Something declared in this function.
    Definition(DefinitionId),
    /// A special register: index into the table.
    Special(u16),
    /// The constant `WARP_SZ`.
    WarpSize,
    /// A name of the module, or an unknown one: index into [`Body::free`].
    Free(u32),
    /// A label of a debug section, which may be undefined: index into [`Body::free`].
    Section(u32),
}

/// The place of a name in its statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// An operand that is neither of the others.
    Operand,
    /// The target of a branch, or an element of a list of them.
    Branch,
    /// The function that a call names, or an element of a list of them.
    Callee,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instruction {
    /// The whole statement, without whitespace and comments around it.
    pub(crate) range: TextRange,
    /// The opcode.
    pub(crate) opcode: TextRange,
    /// Its names: a range of [`Body::references`].
    pub(crate) references: std::ops::Range<u32>,
    /// Whether it is a `call`.
    pub(crate) call: bool,
}

/// Two declarations that cannot both appear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Duplicate {
    /// The later one.
    pub(crate) definition: DefinitionId,
    /// The earlier one.
    pub(crate) first: DefinitionId,
}

impl Body {
    /// A definition of this body.
    pub(crate) fn definition(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id as usize]
    }

    /// The definition whose name is at an offset: the offset may be the end of the name.
    pub(crate) fn definition_at(&self, range: TextRange) -> Option<DefinitionId> {
        let index = self
            .definitions
            .binary_search_by_key(&range.start(), |it| it.name_range.start())
            .ok()?;
        Some(index as DefinitionId)
    }

    /// The reference that is exactly this word.
    pub(crate) fn reference_at(&self, range: TextRange) -> Option<&Reference> {
        let index = self
            .references
            .binary_search_by_key(&range.start(), |it| it.range.start())
            .ok()?;
        self.references.get(index)
    }

    /// The references to a definition, or to one member of a parameterised one.
    pub(crate) fn references_to(
        &self,
        definition: DefinitionId,
        member: Option<u32>,
    ) -> impl Iterator<Item = &Reference> {
        self.references.iter().filter(move |it| {
            it.target == Target::Definition(definition) && (member.is_none() || it.member == member)
        })
    }
}
