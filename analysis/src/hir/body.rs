//! A function lowered once to compact lists; all offsets are relative to the start of the function.

use std::borrow::Cow;

use salsa::Database;
use syntax::{Cursor, SyntaxError, TextRange};

use crate::{SymbolKind, hir::linkage::Linkage};

use super::{declared::Declared, items::Function, lower};

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

/// The lowered body of a function, or of a prototype.
#[salsa::tracked(returns(ref))]
pub(crate) fn body<'db>(db: &'db dyn Database, function: Function<'db>) -> Body {
    within(db, function, None)
}

/// Lowers the instructions in a part of a function only, if one is given, and everything else.
fn within(db: &dyn Database, function: Function<'_>, part: Option<TextRange>) -> Body {
    let cursor = function.green(db).cursor();
    lower::lower(&cursor, function.errors(db), part, &|| {
        db.unwind_if_revision_cancelled();
    })
}

/// Bytes of a function from which on lowering it takes milliseconds, too long for an answer about one
/// statement while somebody types.
const LONG: u32 = 256 << 10;

/// Whether the text of a function has more than so many bytes.
pub(crate) fn is_longer(db: &dyn Database, function: Function<'_>, bytes: u32) -> bool {
    u32::from(function.green(db).text_len()) > bytes
}

/// The body of a function, perhaps without its instructions and their references. All else, indices too, is
/// as in [`body`].
pub(crate) fn declarations<'db>(db: &'db dyn Database, function: Function<'db>) -> Cow<'db, Body> {
    body_around(db, function, TextRange::default())
}

/// The body of a function, perhaps without instructions that do not meet a part of it. All else, indices
/// of definitions and scopes too, is as in [`body`].
pub(crate) fn body_around<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    part: TextRange,
) -> Cow<'db, Body> {
    match is_longer(db, function, LONG) {
        true => Cow::Owned(partial_body(db, function, part)),
        false => Cow::Borrowed(body(db, function)),
    }
}

/// The body of a function with those instructions only that meet a part of it.
pub(crate) fn partial_body(db: &dyn Database, function: Function<'_>, part: TextRange) -> Body {
    within(db, function, Some(part))
}

impl Body {
    /// The body of a function that is not part of the database.
    pub(crate) fn of(function: &Cursor<'_>, errors: &[SyntaxError]) -> Body {
        lower::lower(function, errors, None, &|| {})
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FileContents;

    /// Everything that makes a body, over and over.
    fn text() -> String {
        let mut text =
            String::from(".entry k(.param .u64 p) {\n.reg .b32 %r<9>, x; .reg .pred q;\n");
        for number in 0..40 {
            text += &format!(
                "L{number}: add.u32 %r1, x, unknown{};\n@q bra M{number};\n{{ .reg .u32 x{number}; \
                 mov.u32 x{number}, %tid.x; .func (.param .u32 o) f{number}(.param .u32 i); .reg .u32 x; \
                 mov.u32 x, WARP_SZ; }}\nM{number}: mov.u32 x, L{number};\nT{number}: .branchtargets L0, M{number};\n\
                 C{number}: .callprototype _ (.param .b32 a);\n.reg .u32 x{};\n.loc 1 2 3;\n",
                number % 3,
                number % 7,
            );
        }
        text + ".target sm_90;\nret;\n}\n"
    }

    #[test]
    fn a_part_is_as_the_whole() {
        let contents = FileContents::new(&text());
        let root = contents.tree.cursor();
        let function = root.nodes().next().expect("it is a function");
        let errors = &contents.errors[0];
        let whole = Body::of(&function, errors);
        assert!(whole.instructions.len() > 200 && whole.free.len() >= 3);
        let end = function.range().end();
        let mut read = 0;
        for start in (0..u32::from(end)).step_by(97).chain([u32::from(end)]) {
            for length in [0, 300] {
                let part = TextRange::at(start.into(), length.into());
                let found = lower::lower(&function, errors, Some(part), &|| {});
                let unlike = |body: &Body| Body {
                    references: Vec::new(),
                    instructions: Vec::new(),
                    free: Vec::new(),
                    ..body.clone()
                };
                assert_eq!(unlike(&found), unlike(&whole));
                let of = |body: &Body| -> Vec<(Reference, Option<Box<str>>)> {
                    let mut inside = body.instructions.iter();
                    let inside = inside
                        .by_ref()
                        .filter(|it| part.contains(it.opcode.start()));
                    let references = inside.flat_map(|it| {
                        let range = it.references.start as usize..it.references.end as usize;
                        &body.references[range]
                    });
                    references
                        .map(|it| match it.target {
                            Target::Free(name) => {
                                let mut it = it.clone();
                                it.target = Target::Free(0);
                                (it, Some(body.free[name as usize].clone()))
                            }
                            _ => (it.clone(), None),
                        })
                        .collect()
                };
                assert_eq!(of(&found), of(&whole));
                read += of(&whole).len();
            }
        }
        assert!(read > whole.references.len());
    }

    #[test]
    fn an_instruction_parts_a_label_from_a_table_wherever_runs_end() {
        for number in 0..400 {
            let text = format!(".entry k() {{ ret; L: mov.u32 %r1, {number}; .branchtargets L; }}");
            let contents = FileContents::new(&text);
            let function = contents.tree.cursor().nodes().next();
            let function = function.expect("it is a function");
            let part = Some(TextRange::default());
            let found = lower::lower(&function, &contents.errors[0], part, &|| {});
            let whole = Body::of(&function, &contents.errors[0]);
            assert_eq!(found.definitions, whole.definitions, "{text}");
            assert_eq!(found.unlabeled, whole.unlabeled, "{text}");
        }
    }
}
