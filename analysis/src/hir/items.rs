//! The top-level items of a file.
//!
//! Everything here is free of file offsets, except for [`item_offsets`]: typing inside one function
//! changes the offsets of the items after it, but neither their identity nor their trees.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, Green, NodeOrToken, SyntaxError, SyntaxKind, TextSize};

use crate::db::SourceFile;

/// One top-level `.entry` or `.func`, with or without a body.
///
/// Its identity is its name and how many functions of this name are before it, so a new function
/// leaves all others as they are.
#[salsa::tracked(debug)]
pub(crate) struct Function<'db> {
    /// The file.
    #[returns(copy)]
    pub(crate) file: SourceFile,
    /// The name; empty if it is missing.
    #[returns(deref)]
    pub(crate) name: Box<str>,
    /// How many functions of this name are before it.
    #[returns(copy)]
    pub(crate) occurrence: u32,
    /// Its tree; offsets start at 0.
    #[tracked]
    #[returns(ref)]
    pub(crate) green: Green,
    /// Its syntax errors, relative to its start.
    #[tracked]
    #[returns(deref)]
    pub(crate) errors: Arc<[SyntaxError]>,
}

/// All items of a file that are not functions, in one piece: there may be tens of thousands, and few
/// of them are ever edited.
#[salsa::tracked(debug)]
pub(crate) struct ModuleItems<'db> {
    /// The file.
    #[returns(copy)]
    pub(crate) file: SourceFile,
    /// The items in the order of the text.
    #[tracked]
    #[returns(deref)]
    pub(crate) items: Vec<ModuleItem>,
}

/// A top-level item that is not a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModuleItem {
    /// Its tree; offsets start at 0.
    pub(crate) green: Green,
    /// Its syntax errors, relative to its start.
    pub(crate) errors: Arc<[SyntaxError]>,
}

/// The items of a file and their order.
#[derive(Clone, Debug, PartialEq, Eq, salsa::SalsaValue)]
pub(crate) struct Items<'db> {
    /// The functions in the order of the text.
    pub(crate) functions: Vec<Function<'db>>,
    /// For each function, how many of the other items are before it.
    pub(crate) before: Vec<u32>,
    /// The other items.
    pub(crate) module: ModuleItems<'db>,
}

/// Where the items of a file start.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct ItemOffsets {
    /// Parallel to [`Items::functions`].
    pub(crate) functions: Vec<TextSize>,
    /// Parallel to [`ModuleItems::items`].
    pub(crate) module: Vec<TextSize>,
}

/// The items of a file.
#[salsa::tracked(returns(ref))]
pub(crate) fn items<'db>(db: &'db dyn Database, file: SourceFile) -> Items<'db> {
    let contents = file.contents(db);
    let mut functions = Vec::new();
    let mut before = Vec::new();
    let mut others = Vec::new();
    let mut occurrences: FxHashMap<&str, u32> = FxHashMap::default();
    let root = contents.tree.cursor();
    for (child, errors) in root.children().zip(contents.errors.iter()) {
        // Trivia at the end of the file is not an item.
        let NodeOrToken::Node(child) = child else {
            continue;
        };
        let green = Green::new(child.green().to_owned());
        if child.kind() == SyntaxKind::FUNCTION {
            let name = function_name(&child).unwrap_or_default();
            let occurrence = occurrences.entry(name).or_default();
            functions.push(Function::new(
                db,
                file,
                Box::from(name),
                *occurrence,
                green,
                errors.clone(),
            ));
            before.push(others.len() as u32);
            *occurrence += 1;
        } else {
            others.push(ModuleItem {
                green,
                errors: errors.clone(),
            });
        }
    }
    Items {
        functions,
        before,
        module: ModuleItems::new(db, file, others),
    }
}

/// The items of a file that are not functions: who asks only for them does not see that functions come and go.
#[salsa::tracked(returns(copy))]
pub(crate) fn module_items<'db>(db: &'db dyn Database, file: SourceFile) -> ModuleItems<'db> {
    items(db, file).module
}

/// Where the items of a file start.
#[salsa::tracked(returns(ref))]
pub(crate) fn item_offsets(db: &dyn Database, file: SourceFile) -> ItemOffsets {
    let contents = file.contents(db);
    let mut offsets = ItemOffsets::default();
    for child in contents.tree.cursor().nodes() {
        let start = child.range().start();
        if child.kind() == SyntaxKind::FUNCTION {
            offsets.functions.push(start);
        } else {
            offsets.module.push(start);
        }
    }
    offsets
}

/// The name of a function node.
pub(crate) fn function_name<'a>(function: &Cursor<'a>) -> Option<&'a str> {
    let name = function.node(SyntaxKind::NAME)?;
    Some(name.token(SyntaxKind::IDENT)?.text())
}
