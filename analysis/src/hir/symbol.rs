//! From a place in the text to what its name means, and back to all its occurrences.

use salsa::Database;
use syntax::{SyntaxKind, SyntaxToken, TextRange, TextSize, tokens_around};

use crate::{
    Access, FileRange, Reference as Occurrence, SymbolKind,
    db::{SourceFile, Workspace},
};

use super::{
    body::{Body, DefinitionId, Reference, Target, body, body_around},
    items::{Function, item_offsets, items},
    module::{Declaration, DeclarationKind, DeclarationSource, module_body, module_scope},
    number::split_name,
};

/// The meaning of a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Symbol<'db> {
    /// Something declared in a function; `member` is the number of one of the registers of `%r<100>`.
    Local {
        function: Function<'db>,
        definition: DefinitionId,
        member: Option<u32>,
    },
    /// A name of a module: the prefix of a parameterised one, with the number of the member.
    Module {
        file: SourceFile,
        name: Box<str>,
        member: Option<u32>,
    },
    /// A label of a debug section.
    SectionLabel { file: SourceFile, name: Box<str> },
    /// A special register: index into the table, and the number of a numbered one.
    Special(u16, Option<u32>),
    /// The constant `WARP_SZ`.
    WarpSize,
}

/// A name in the text and its meaning.
#[derive(Clone, Debug)]
pub(crate) struct NameAt<'db> {
    /// The word.
    pub(crate) range: TextRange,
    /// Its meaning.
    pub(crate) symbol: Symbol<'db>,
}

/// The top-level item that starts last at or before an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemAt<'db> {
    /// A function and its start.
    Function(Function<'db>, TextSize),
    /// Index of another item and its start.
    Other(u32, TextSize),
}

/// The top-level item at an offset.
pub(crate) fn item_at(db: &dyn Database, file: SourceFile, offset: TextSize) -> Option<ItemAt<'_>> {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let last = |starts: &[TextSize]| {
        let index = starts.partition_point(|it| *it <= offset).checked_sub(1)?;
        Some((index, starts[index]))
    };
    match (last(&offsets.functions), last(&offsets.module)) {
        (Some((_, function)), Some((index, start))) if start > function => {
            Some(ItemAt::Other(index as u32, start))
        }
        (Some((index, start)), _) => Some(ItemAt::Function(items.functions[index], start)),
        (None, Some((index, start))) => Some(ItemAt::Other(index as u32, start)),
        (None, None) => None,
    }
}

/// The word at an offset, or the one that ends there.
pub(crate) fn word_at(
    db: &dyn Database,
    file: SourceFile,
    offset: TextSize,
) -> Option<SyntaxToken> {
    let root = file.contents(db).tree.syntax();
    let (left, right) = tokens_around(&root, offset);
    let is_word = |it: &SyntaxToken| {
        it.kind() == SyntaxKind::IDENT
            || it.kind() == SyntaxKind::DOTTED
                && it
                    .parent()
                    .is_some_and(|it| it.kind() == SyntaxKind::NAME_REFERENCE)
    };
    right.filter(is_word).or(left.filter(is_word))
}

/// The name at an offset and its meaning.
pub(crate) fn name_at(db: &dyn Database, file: SourceFile, offset: TextSize) -> Option<NameAt<'_>> {
    let range = word_at(db, file, offset)?.text_range();
    let symbol = match item_at(db, file, range.start())? {
        ItemAt::Function(function, start) => in_function(db, function, range - start)?,
        ItemAt::Other(item, start) => in_item(db, file, item, range - start)?,
    };
    Some(NameAt { range, symbol })
}

fn in_function<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    range: TextRange,
) -> Option<Symbol<'db>> {
    let file = function.file(db);
    let body = &*body_around(db, function, range);
    if body.name == Some(range) {
        return Some(Symbol::Module {
            file,
            name: function.name(db).into(),
            member: None,
        });
    }
    if let Some(definition) = body.definition_at(range) {
        return Some(local(db, function, body, definition, None));
    }
    reference_symbol(db, function, body, body.reference_at(range)?)
}

/// The meaning of a reference in a function.
pub(crate) fn reference_symbol<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    body: &Body,
    reference: &Reference,
) -> Option<Symbol<'db>> {
    let file = function.file(db);
    match reference.target {
        Target::Definition(id) => Some(local(db, function, body, id, reference.member)),
        Target::Special(index) => Some(Symbol::Special(index, reference.member)),
        Target::WarpSize => Some(Symbol::WarpSize),
        Target::Free(free) => module_symbol(db, file, &body.free[free as usize]),
        Target::Section(free) => section_symbol(db, file, &body.free[free as usize]),
    }
}

/// A definition of a function; a prototype in its body declares a name of the module.
fn local<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
    body: &Body,
    definition: DefinitionId,
    member: Option<u32>,
) -> Symbol<'db> {
    let found = body.definition(definition);
    if found.kind == SymbolKind::Function {
        return Symbol::Module {
            file: function.file(db),
            name: found.name.clone(),
            member: None,
        };
    }
    Symbol::Local {
        function,
        definition,
        member,
    }
}

fn module_symbol<'db>(db: &'db dyn Database, file: SourceFile, name: &str) -> Option<Symbol<'db>> {
    let first = module_scope(db, file).find(name).first()?;
    let (name, member) = match split_name(name) {
        Some((prefix, number)) if first.count.is_some() => (prefix, Some(number)),
        _ => (name, None),
    };
    Some(Symbol::Module {
        file,
        name: name.into(),
        member,
    })
}

/// A name in debug information: a label of a section, a name of the module or a label in a function.
fn section_symbol<'db>(db: &'db dyn Database, file: SourceFile, name: &str) -> Option<Symbol<'db>> {
    let items = items(db, file);
    let labels = &module_body(db, items.module).section_labels;
    if labels.iter().any(|it| *it.name == *name) {
        return Some(Symbol::SectionLabel {
            file,
            name: name.into(),
        });
    }
    module_symbol(db, file, name).or_else(|| {
        items.functions.iter().find_map(|function| {
            let body = body(db, *function);
            let definition = (0..)
                .zip(&body.definitions)
                .find(|(_, it)| it.kind == SymbolKind::Label && *it.name == *name)?
                .0;
            Some(Symbol::Local {
                function: *function,
                definition,
                member: None,
            })
        })
    })
}

fn in_item<'db>(
    db: &'db dyn Database,
    file: SourceFile,
    item: u32,
    range: TextRange,
) -> Option<Symbol<'db>> {
    let module = module_body(db, items(db, file).module);
    let key = (item, range.start());
    if let Ok(index) = module
        .variables
        .binary_search_by_key(&key, |it| (it.item, it.name_range.start()))
    {
        return Some(Symbol::Module {
            file,
            name: module.variables[index].name.clone(),
            member: None,
        });
    }
    if let Ok(index) = module
        .section_labels
        .binary_search_by_key(&key, |it| (it.item, it.name_range.start()))
    {
        return Some(Symbol::SectionLabel {
            file,
            name: module.section_labels[index].name.clone(),
        });
    }
    let index = module
        .references
        .binary_search_by_key(&key, |it| (it.item, it.range.start()))
        .ok()?;
    let name = &module.references[index].name;
    module_symbol(db, file, name).or_else(|| section_symbol(db, file, name))
}

/// The declarations of a name of a module, in the order of the text.
pub(crate) fn declarations<'db>(
    db: &'db dyn Database,
    file: SourceFile,
    name: &str,
    member: Option<u32>,
) -> &'db [Declaration] {
    let scope = module_scope(db, file);
    match member {
        Some(_) => scope.family(name),
        None => match scope.find(name) {
            [] => scope.family(name),
            found => found,
        },
    }
}

/// Where the name of a declaration of the module appears.
pub(crate) fn declaration_range(
    db: &dyn Database,
    file: SourceFile,
    source: DeclarationSource,
) -> TextRange {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    match source {
        DeclarationSource::Variable(index) => {
            let variable = &module_body(db, items.module).variables[index as usize];
            variable.name_range + offsets.module[variable.item as usize]
        }
        DeclarationSource::Function(index) => {
            let body = body(db, items.functions[index as usize]);
            body.name.unwrap_or_default() + offsets.functions[index as usize]
        }
        DeclarationSource::Prototype(index, definition) => {
            let body = body(db, items.functions[index as usize]);
            body.definition(definition).name_range + offsets.functions[index as usize]
        }
    }
}

/// Where a function starts in its file.
pub(crate) fn function_start(db: &dyn Database, function: Function<'_>) -> TextSize {
    let file = function.file(db);
    let index = items(db, file)
        .functions
        .iter()
        .position(|it| *it == function);
    index.map_or_else(TextSize::default, |it| item_offsets(db, file).functions[it])
}

/// The other files of the workspace that link to a name of a module.
pub(crate) fn linked_files(db: &dyn Database, file: SourceFile, name: &str) -> Vec<SourceFile> {
    let visible = |file: SourceFile| {
        let declarations = module_scope(db, file).find(name);
        declarations.iter().any(|it| it.linkage.is_some())
    };
    if !visible(file) {
        return Vec::new();
    }
    let files = Workspace::get(db).files(db).iter().copied();
    files
        .filter(|it| *it != file)
        .filter(|it| {
            db.unwind_if_revision_cancelled();
            visible(*it)
        })
        .collect()
}

/// All occurrences of a symbol in one file, sorted.
pub(crate) fn occurrences(
    db: &dyn Database,
    symbol: &Symbol<'_>,
    file: SourceFile,
) -> Vec<Occurrence> {
    let mut all = Vec::new();
    let mut add = |range: TextRange, access: Access| {
        all.push(Occurrence {
            location: FileRange {
                file: file.id(db),
                range,
            },
            access,
            other_value: false,
        });
    };
    match symbol {
        Symbol::Local {
            function,
            definition,
            member,
        } => {
            if function.file(db) != file {
                return all;
            }
            let body = body(db, *function);
            let start = function_start(db, *function);
            let found = body.definition(*definition);
            add(found.name_range + start, Access::Declaration);
            for reference in body.references_to(*definition, *member) {
                add(reference.range + start, access(reference));
            }
            if found.kind == SymbolKind::Label {
                debug_uses(db, file, &found.name, &mut add);
            }
        }
        Symbol::Module { name, member, .. } => {
            for declaration in declarations(db, file, name, *member) {
                add(
                    declaration_range(db, file, declaration.source),
                    Access::Declaration,
                );
            }
            let family = member.is_some()
                || declarations(db, file, name, *member)
                    .iter()
                    .any(|it| it.count.is_some());
            let is_it = |other: &str| match split_name(other) {
                Some((prefix, number)) if family => {
                    *prefix == **name && (member.is_none() || *member == Some(number))
                }
                _ => !family && *other == **name,
            };
            module_uses(db, file, is_it, &mut add);
        }
        Symbol::SectionLabel { name, .. } => {
            let items = items(db, file);
            let offsets = item_offsets(db, file);
            for label in &module_body(db, items.module).section_labels {
                if label.name == *name {
                    add(
                        label.name_range + offsets.module[label.item as usize],
                        Access::Declaration,
                    );
                }
            }
            debug_uses(db, file, name, &mut add);
        }
        Symbol::Special(index, number) => {
            for_each_function(db, file, |body, start| {
                for reference in &body.references {
                    if reference.target == Target::Special(*index) && reference.member == *number {
                        add(reference.range + start, Access::Read);
                    }
                }
            });
        }
        Symbol::WarpSize => for_each_function(db, file, |body, start| {
            for reference in &body.references {
                if reference.target == Target::WarpSize {
                    add(reference.range + start, Access::Read);
                }
            }
        }),
    }
    all.sort_by_key(|it| it.location.range.start());
    all.dedup();
    all
}

fn access(reference: &Reference) -> Access {
    if reference.write {
        Access::Write
    } else {
        Access::Read
    }
}

fn for_each_function(db: &dyn Database, file: SourceFile, mut visit: impl FnMut(&Body, TextSize)) {
    let offsets = item_offsets(db, file);
    for (function, start) in items(db, file).functions.iter().zip(&offsets.functions) {
        db.unwind_if_revision_cancelled();
        visit(body(db, *function), *start);
    }
}

/// Uses of names of the module.
fn module_uses(
    db: &dyn Database,
    file: SourceFile,
    is_it: impl Fn(&str) -> bool,
    add: &mut impl FnMut(TextRange, Access),
) {
    for_each_function(db, file, |body, start| {
        let free: Vec<u32> = (0..)
            .zip(&body.free)
            .filter(|(_, it)| is_it(it))
            .map(|(index, _)| index)
            .collect();
        let prototypes: Vec<DefinitionId> = body
            .prototypes
            .iter()
            .map(|(id, _)| *id)
            .filter(|it| is_it(&body.definition(*it).name))
            .collect();
        if free.is_empty() && prototypes.is_empty() {
            return;
        }
        for reference in &body.references {
            let found = match reference.target {
                Target::Free(index) | Target::Section(index) => free.contains(&index),
                Target::Definition(id) => prototypes.contains(&id),
                Target::Special(_) | Target::WarpSize => false,
            };
            if found {
                add(reference.range + start, access(reference));
            }
        }
    });
    let offsets = item_offsets(db, file);
    for reference in &module_body(db, items(db, file).module).references {
        if is_it(&reference.name) {
            add(
                reference.range + offsets.module[reference.item as usize],
                Access::Read,
            );
        }
    }
}

/// Uses of a label in debug information.
fn debug_uses(
    db: &dyn Database,
    file: SourceFile,
    name: &str,
    add: &mut impl FnMut(TextRange, Access),
) {
    for_each_function(db, file, |body, start| {
        for reference in &body.references {
            if let Target::Section(free) = reference.target
                && *body.free[free as usize] == *name
            {
                add(reference.range + start, Access::Read);
            }
        }
    });
    let offsets = item_offsets(db, file);
    for reference in &module_body(db, items(db, file).module).references {
        if *reference.name == *name {
            add(
                reference.range + offsets.module[reference.item as usize],
                Access::Read,
            );
        }
    }
}

/// The kind of a name of a module.
pub(crate) fn declaration_symbol_kind(
    db: &dyn Database,
    file: SourceFile,
    declaration: &Declaration,
) -> SymbolKind {
    match (declaration.kind, declaration.source) {
        (DeclarationKind::Entry, _) => SymbolKind::Entry,
        (DeclarationKind::Variable, DeclarationSource::Variable(index)) => {
            module_body(db, items(db, file).module).variables[index as usize].kind
        }
        _ => SymbolKind::Function,
    }
}
