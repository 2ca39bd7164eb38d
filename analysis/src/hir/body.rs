//! The lowered bodies of functions, whole or in part.

use std::borrow::Cow;

use salsa::Database;
use syntax::{Cursor, SyntaxError, TextRange};

pub(crate) use super::lowered::{
    Body, Definition, DefinitionId, Duplicate, Instruction, OUTERMOST, Place, Reference, Target,
};
use super::{items::Function, lower};

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
        true => Cow::Owned(within(db, function, Some(part))),
        false => Cow::Borrowed(body(db, function)),
    }
}

/// As [`body_around`], without the other instructions however short the function is.
pub(super) fn body_within(db: &dyn Database, function: Function<'_>, part: TextRange) -> Body {
    within(db, function, Some(part))
}

impl Body {
    /// The body of a function that is not part of the database.
    pub(crate) fn of(function: &Cursor<'_>, errors: &[SyntaxError]) -> Body {
        lower::lower(function, errors, None, &|| {})
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
