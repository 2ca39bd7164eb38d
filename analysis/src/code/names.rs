//! The names of a module, and variables as they are declared.

use rustc_hash::FxHashMap;

use crate::hir::{declaration::Shape, layout::Layout};

use super::{Symbol, Variable};

/// The names of a module with what they mean.
#[derive(Default)]
pub(super) struct Names {
    pub(super) all: FxHashMap<Box<str>, Symbol>,
}

impl Names {
    /// The meaning of a name.
    pub(super) fn get(&self, name: &str) -> Option<Symbol> {
        self.all.get(name).copied()
    }
}

/// A variable as its declaration describes it; the range is empty.
pub(super) fn from_shape(name: &str, shape: &Shape, layout: Option<Layout>) -> Variable {
    Variable {
        name: name.to_owned(),
        space: shape.space.unwrap_or(isa::variable::StateSpace::Parameter),
        ty: shape
            .ty
            .map_or("", |it| it.word())
            .trim_start_matches('.')
            .to_owned(),
        lanes: shape.lanes,
        dimensions: shape.dimensions.clone(),
        size: layout.and_then(|it| it.size).unwrap_or(0),
        alignment: layout.map_or(1, |it| it.alignment.max(1)),
        external: false,
        contents: Vec::new(),
        name_range: syntax::TextRange::default(),
    }
}
