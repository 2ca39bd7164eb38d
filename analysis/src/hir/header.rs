//! The header of a function or of a prototype as data, without places: what callers and other
//! declarations of the name must agree with.

use syntax::{Cursor, SyntaxError, SyntaxKind, TextRange};

use super::{
    declaration::{Declaration, Shape},
    tree::{self, trimmed},
};

/// The results and parameters of a function, an entry or a `.callprototype`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct FunctionHeader {
    /// The results, in the order of the text.
    pub(crate) results: Vec<Formal>,
    /// The parameters, in the order of the text.
    pub(crate) parameters: Vec<Formal>,
    /// Whether it is `.noreturn`.
    pub(crate) noreturn: bool,
    /// The numbers of `.attribute(.unified(…))` as they are written.
    pub(crate) unified: Option<Box<str>>,
    /// Whether a syntax error makes all of this doubtful.
    pub(crate) broken: bool,
}

/// One parameter or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Formal {
    /// Its name; `_` if it has none.
    pub(crate) name: Box<str>,
    /// Its type and place.
    pub(crate) shape: Shape,
}

impl FunctionHeader {
    /// The header of a `FUNCTION` or a `CALL_PROTOTYPE`; `errors` are in the offsets of the cursor.
    pub(crate) fn of(node: &Cursor<'_>, errors: &[SyntaxError]) -> FunctionHeader {
        let start = trimmed(node).start();
        let end = node
            .node(SyntaxKind::BLOCK)
            .map_or(node.range().end(), |it| it.range().start());
        let range = TextRange::new(start, end.max(start));
        let formals = |kind: SyntaxKind| {
            let list = node.node(kind);
            let parameters = list.iter().flat_map(Cursor::nodes);
            parameters
                .filter(|it| it.kind() == SyntaxKind::PARAMETER)
                .filter_map(|it| formal(&it))
                .collect()
        };
        let mut tuning = node
            .nodes()
            .filter(|it| it.kind() == SyntaxKind::TUNING_DIRECTIVE);
        let unified = node
            .nodes()
            .filter(|it| it.kind() == SyntaxKind::ATTRIBUTE && tree::has_word(it, ".unified"))
            .map(|it| tree::text_of_range(&it, it.range()).replace(' ', ""));
        FunctionHeader {
            results: formals(SyntaxKind::RETURN_LIST),
            parameters: formals(SyntaxKind::PARAMETER_LIST),
            noreturn: tuning.any(|it| tree::has_word(&it, ".noreturn")),
            unified: unified.last().map(String::into_boxed_str),
            broken: errors.iter().any(|it| it.range.intersect(range).is_some()),
        }
    }

    /// The results and the parameters, in the order of the text.
    pub(crate) fn formals(&self) -> impl Iterator<Item = &Formal> {
        self.results.iter().chain(&self.parameters)
    }
}

fn formal(parameter: &Cursor<'_>) -> Option<Formal> {
    let declaration = Declaration::of(parameter);
    let declarator = declaration.declarators.first()?;
    Some(Formal {
        name: declarator.name.map_or("_", |it| it.text()).into(),
        shape: declaration.shape(declarator),
    })
}
