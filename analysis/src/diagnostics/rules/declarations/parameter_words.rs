//! The order of the words of a parameter: `.param .align 8 .v2 .b32`, in entries with `.ptr` after the type.

use syntax::TextRange;

use crate::{
    diagnostics::suggestion::most_similar,
    hir::{
        declaration::{Declaration, Word, WordKind},
        linkage::Linkage,
    },
};

/// Whose parameters they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::diagnostics) enum ParameterOwner {
    Entry,
    Function,
    CallPrototype,
}

/// Where a word, what is wrong with it, and what would be right.
type Misplaced = (TextRange, String, Option<String>);

/// The words that may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// State space, alignment, attributes, then the type.
    Any,
    /// The type after `.v2`.
    Type,
    /// `.ptr` or the alignment of what an entry's parameter points to.
    Attribute,
    /// The name.
    Name,
}

/// The first word that ptxas does not read where it appears, or the name if the type before it is missing.
pub(in crate::diagnostics) fn misplaced(
    declaration: &Declaration<'_>,
    name: &str,
    range: TextRange,
    owner: ParameterOwner,
) -> Option<Misplaced> {
    let mut next = Next::Any;
    for word in &declaration.words {
        let text = word.token.text();
        next = match (next, &word.kind) {
            (_, WordKind::Linkage(linkage)) => return Some(linked(word, *linkage)),
            (Next::Any, WordKind::Space(_) | WordKind::Alignment(_) | WordKind::Attribute(_)) => {
                Next::Any
            }
            // Reported with the state space.
            (Next::Any, WordKind::Bank(_)) => Next::Any,
            (Next::Any, WordKind::Vector(_)) => Next::Type,
            (Next::Any | Next::Type, WordKind::Type(_)) => Next::Attribute,
            (Next::Attribute, WordKind::Alignment(_)) => {
                if owner == ParameterOwner::Function {
                    return Some((
                        word.range,
                        format!(
                            "`{text}` must precede the type: after it, it describes what the parameter of an entry points to"
                        ),
                        None,
                    ));
                }
                Next::Name
            }
            (_, WordKind::Unknown) => return Some(unknown(word)),
            (Next::Type, _) => {
                return Some((
                    word.range,
                    format!("a type is missing before `{text}`"),
                    None,
                ));
            }
            _ => {
                return Some((
                    word.range,
                    format!("`{text}` cannot appear after the type"),
                    Some("the order is state space, alignment, vector, type".to_owned()),
                ));
            }
        };
    }
    if let Some(pointer) = &declaration.pointer {
        let token = &pointer.token;
        if next != Next::Attribute {
            return Some((
                token.range(),
                "`.ptr` must directly follow the type".to_owned(),
                None,
            ));
        }
        if owner == ParameterOwner::Function {
            return Some((
                token.range(),
                "only parameters of entries have `.ptr`".to_owned(),
                None,
            ));
        }
        return pointed(&pointer.words);
    }
    match next {
        Next::Any | Next::Type => Some((range, format!("`{name}` has no type"), None)),
        Next::Attribute | Next::Name => None,
    }
}

/// `.global .align 8` after `.ptr`
fn pointed(words: &[Word<'_>]) -> Option<Misplaced> {
    use isa::variable::StateSpace::{Const, Global, Local, Shared};
    let mut rest = words;
    if let [first, tail @ ..] = rest
        && matches!(first.kind, WordKind::Space(Const | Global | Local | Shared))
    {
        rest = tail;
    }
    if let [first, tail @ ..] = rest
        && matches!(first.kind, WordKind::Alignment(_))
    {
        rest = tail;
    }
    let word = rest.first()?;
    Some((
        word.range,
        format!("`{}` cannot appear here after `.ptr`", word.token.text()),
        Some(
            "`.ptr` is followed by at most one of `.const`, `.global`, `.local` and `.shared`, and then by `.align`"
                .to_owned(),
        ),
    ))
}

fn linked(word: &Word<'_>, linkage: Linkage) -> Misplaced {
    (
        word.range,
        format!("a parameter is not `{}`", linkage.as_str()),
        None,
    )
}

fn unknown(word: &Word<'_>) -> Misplaced {
    let text = word.token.text();
    let known = [
        ".param",
        ".reg",
        ".align",
        ".v2",
        ".v4",
        ".b8",
        ".b16",
        ".b32",
        ".b64",
        ".b128",
        ".u8",
        ".u16",
        ".u32",
        ".u64",
        ".s8",
        ".s16",
        ".s32",
        ".s64",
        ".f16",
        ".f16x2",
        ".f32",
        ".f64",
        ".pred",
        ".texref",
        ".samplerref",
        ".surfref",
        ".ptr",
    ];
    let similar = most_similar(text, known.into_iter());
    (
        word.range,
        format!("`{text}` is not a word of parameters"),
        similar.map(|it| format!("did you mean `{it}`?")),
    )
}
