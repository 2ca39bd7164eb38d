//! Fixes with places that do not depend on where their items are in the file.

use isa::target::Target;
use syntax::{Cursor, NodeOrToken, SyntaxKind, TextRange, TextSize};

use crate::{
    FixKind,
    diagnostics::place::Place,
    hir::{items::ModuleItem, tree::trimmed},
};

/// One way to repair a finding; becomes a [`crate::Fix`] when the diagnostics of a file are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::diagnostics) struct Repair {
    /// The title, as an imperative phrase.
    pub(in crate::diagnostics) title: String,
    /// The edits.
    pub(in crate::diagnostics) edits: Vec<(Place, String)>,
    /// Whether it is most likely what the author wants.
    pub(in crate::diagnostics) preferred: bool,
    /// Its effect.
    pub(in crate::diagnostics) kind: FixKind,
}

impl Repair {
    /// The repair that replaces one range of the item by a text.
    pub(in crate::diagnostics) fn new(
        kind: FixKind,
        title: String,
        range: TextRange,
        text: impl Into<String>,
    ) -> Repair {
        Repair {
            title,
            edits: vec![(Place::Own(range), text.into())],
            preferred: false,
            kind,
        }
    }

    /// The same repair, preferred or not.
    pub(in crate::diagnostics) fn preferred(mut self, preferred: bool) -> Repair {
        self.preferred = preferred;
        self
    }

    /// The repair that replaces a misspelt word.
    pub(in crate::diagnostics) fn respell(range: TextRange, wrong: &str, right: String) -> Repair {
        Repair::new(
            FixKind::Respell,
            format!("Replace `{wrong}` by `{right}`"),
            range,
            right,
        )
        .preferred(true)
    }
}

/// The repair that replaces a name that is not declared by one that is.
pub(in crate::diagnostics) fn rename(range: TextRange, wrong: &str, right: String) -> Repair {
    Repair {
        kind: FixKind::RespellName,
        ..Repair::respell(range, wrong, right)
    }
}

/// The one preferred fix is the only one.
pub(in crate::diagnostics) fn prefer_single(mut repairs: Vec<Repair>) -> Vec<Repair> {
    if let [only] = &mut repairs[..] {
        only.preferred = true;
    }
    repairs
}

/// Where the directives at the start of a module name its version and target.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::diagnostics) struct HeaderPlaces {
    /// The number of the first `.version`.
    pub(in crate::diagnostics) version: Option<TextRange>,
    /// The last architecture of the `.target` directives that follow the `.version`: it is in force.
    pub(in crate::diagnostics) target: Option<TextRange>,
}

impl HeaderPlaces {
    /// Finds them among the items, which start at `offsets`.
    pub(in crate::diagnostics) fn find(items: &[ModuleItem], offsets: &[TextSize]) -> HeaderPlaces {
        let mut places = HeaderPlaces::default();
        for (item, start) in items.iter().zip(offsets) {
            let cursor = item.green.cursor();
            match cursor.kind() {
                SyntaxKind::VERSION_DIRECTIVE => {
                    let number = cursor.token(SyntaxKind::FLOAT);
                    places.version = places.version.or(number.map(|it| it.range() + *start));
                }
                SyntaxKind::TARGET_DIRECTIVE => {
                    let named = cursor
                        .nodes()
                        .filter_map(|it| it.token(SyntaxKind::IDENT))
                        .filter(|it| Target::parse(it.text()).is_some())
                        .last();
                    places.target = named.map(|it| it.range() + *start).or(places.target);
                }
                _ if places.version.is_some() && places.target.is_some() => break,
                _ => {}
            }
        }
        places
    }
}

/// The line break and indentation before a statement, or a blank.
pub(in crate::diagnostics) fn blank_before(statement: &Cursor<'_>) -> String {
    let start = trimmed(statement).start();
    let blank = statement.children().find_map(|it| match it {
        NodeOrToken::Token(it) if it.range().end() == start => Some(it.text()),
        _ => None,
    });
    match blank.and_then(|it| Some(&it[it.rfind('\n')? + 1..])) {
        Some(indentation) => format!("\n{indentation}"),
        None => " ".to_owned(),
    }
}
