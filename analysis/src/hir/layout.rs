//! Size and alignment of what is declared in memory.

use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, TextSize};

use isa::{
    variable::{StateSpace, VariableType},
    word_class::type_bits,
};

use super::{
    body::declarations,
    declaration::Declaration,
    items::{Function, ModuleItems},
    module::module_body,
    tree::{for_each_variable, has_word},
};

/// Size and alignment of a variable or parameter in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Bytes; none for an array of open size.
    pub(crate) size: Option<u64>,
    /// Bytes, a power of two.
    pub(crate) alignment: u64,
    /// Whether it is not an array.
    pub(crate) scalar: bool,
}

/// The layout of each definition of a function that lies in memory; parallel to those of its body.
#[salsa::tracked(returns(deref))]
pub(crate) fn layouts<'db>(db: &'db dyn Database, function: Function<'db>) -> Vec<Option<Layout>> {
    let mut found = FxHashMap::default();
    for_each_variable(&function.green(db).cursor(), &mut |it| {
        declaration(it, &mut found);
    });
    let body = declarations(db, function);
    let definitions = body.definitions.iter();
    definitions
        .map(|it| found.get(&it.name_range.start()).copied())
        .collect()
}

/// The layout of each variable of the module; parallel to those of the module body.
#[salsa::tracked(returns(deref))]
pub(crate) fn module_layouts<'db>(
    db: &'db dyn Database,
    module: ModuleItems<'db>,
) -> Vec<Option<Layout>> {
    let mut last = (u32::MAX, FxHashMap::default());
    let items = module.items(db);
    let variables = module_body(db, module).variables.iter();
    variables
        .map(|variable| {
            if last.0 != variable.item {
                last = (variable.item, FxHashMap::default());
                if let Some(item) = items.get(variable.item as usize) {
                    declaration(&item.green.cursor(), &mut last.1);
                }
            }
            last.1.get(&variable.name_range.start()).copied()
        })
        .collect()
}

type Found = FxHashMap<TextSize, Layout>;

fn declaration(node: &Cursor<'_>, found: &mut Found) {
    // Most are: it need not be taken apart.
    if has_word(node, ".reg") {
        return;
    }
    let declaration = Declaration::of(node);
    let in_memory = matches!(
        declaration.space(),
        Some((space, _)) if !matches!(space, StateSpace::Register | StateSpace::Texture)
    );
    let bits = match declaration.ty() {
        Some((VariableType::Basic(class), _)) => class.bits(),
        Some((VariableType::Packed { word, .. }, _)) => type_bits(word).unwrap_or(0),
        _ => 0,
    };
    if !in_memory || bits < 8 {
        return;
    }
    for declarator in &declaration.declarators {
        let Some(name) = declarator.name else {
            continue;
        };
        let shape = declaration.shape(declarator);
        let element = u64::from(bits / 8) * u64::from(shape.lanes);
        let open = shape.dimensions.first() == Some(&0);
        // `a[] = {…}` has the size of its initializer.
        let size = shape
            .dimensions
            .iter()
            .try_fold(element, |size, it| size.checked_mul(*it))
            .filter(|_| !open);
        let alignment = shape
            .alignment
            .filter(|it| it.is_power_of_two())
            .unwrap_or(0);
        found.insert(
            name.range().start(),
            Layout {
                size,
                // The natural alignment is the least one.
                alignment: alignment.max(element.next_power_of_two().min(16)),
                scalar: shape.dimensions.is_empty(),
            },
        );
    }
}
