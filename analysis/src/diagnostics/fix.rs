//! Fixes with places that do not depend on where their items stand in the file.

use isa::target::Target;
use syntax::{SyntaxKind, TextRange, TextSize};

use crate::{FixKind, hir::items::ModuleItem};

pub(super) use crate::hir::tree::node_at;

use super::Place;

/// One way to repair a finding; becomes a [`crate::Fix`] when the diagnostics of a file are joined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Repair {
    /// What it does, as an imperative phrase.
    pub(super) title: String,
    /// What is replaced by what.
    pub(super) edits: Vec<(Place, String)>,
    /// Whether it is most likely what the author wants.
    pub(super) preferred: bool,
    /// What it does.
    pub(super) kind: FixKind,
}

impl Repair {
    /// The repair that replaces one range of the item by a text.
    pub(super) fn new(
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
    pub(super) fn preferred(mut self, preferred: bool) -> Repair {
        self.preferred = preferred;
        self
    }

    /// The repair that replaces a misspelt word.
    pub(super) fn respell(range: TextRange, wrong: &str, right: String) -> Repair {
        Repair::new(
            FixKind::Respell,
            format!("Replace `{wrong}` by `{right}`"),
            range,
            right,
        )
        .preferred(true)
    }
}

/// Where the directives at the start of a module name its version and target.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HeaderPlaces {
    /// The number of the first `.version`.
    pub(super) version: Option<TextRange>,
    /// The last architecture of the `.target` directives that follow the `.version`: it is in force.
    pub(super) target: Option<TextRange>,
}

impl HeaderPlaces {
    /// Finds them among the items, which start at `offsets`.
    pub(super) fn find(items: &[ModuleItem], offsets: &[TextSize]) -> HeaderPlaces {
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
