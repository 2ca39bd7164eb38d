//! Places to navigate to, with what editors show about them.

use isa::word_class::{WordClass, classify};
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange, TextSize};

use crate::{
    NavigationTarget, SymbolKind,
    db::SourceFile,
    hir::{
        body::{Definition, DefinitionId, body},
        items::{Function, item_offsets, items},
        module::{Declaration, DeclarationSource, module_body},
        symbol::{declaration_symbol_kind, function_start},
        tree::{self, OneLine, node_at, trimmed},
    },
};

/// The target of a definition in a function.
pub(crate) fn local_target(
    db: &dyn Database,
    function: Function<'_>,
    id: DefinitionId,
) -> NavigationTarget {
    let definition = body(db, function).definition(id);
    let start = function_start(db, function);
    NavigationTarget {
        file: function.file(db).id(db),
        full_range: definition.full_range + start,
        focus_range: definition.name_range + start,
        name: definition.name.to_string(),
        kind: definition.kind,
        container: Some(function.name(db).to_owned()),
        detail: Some(declaration_text(
            &function.green(db).cursor(),
            definition.name_range,
            definition.full_range,
        )),
    }
}

/// The target of a declaration of a module.
pub(crate) fn module_target(
    db: &dyn Database,
    file: SourceFile,
    declaration: &Declaration,
) -> NavigationTarget {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let kind = declaration_symbol_kind(db, file, declaration);
    match declaration.source {
        DeclarationSource::Variable(index) => {
            let variable = &module_body(db, items.module).variables[index as usize];
            let item = &items.module.items(db)[variable.item as usize];
            let start = offsets.module[variable.item as usize];
            NavigationTarget {
                file: file.id(db),
                full_range: variable.full_range + start,
                focus_range: variable.name_range + start,
                name: variable.name.to_string(),
                kind,
                container: None,
                detail: Some(declaration_text(
                    &item.green.cursor(),
                    variable.name_range,
                    variable.full_range,
                )),
            }
        }
        DeclarationSource::Function(index) => {
            let function = items.functions[index as usize];
            let cursor = function.green(db).cursor();
            let start = offsets.functions[index as usize];
            let name = body(db, function)
                .name
                .unwrap_or(TextRange::empty(trimmed(&cursor).start()));
            NavigationTarget {
                file: file.id(db),
                full_range: trimmed(&cursor) + start,
                focus_range: name + start,
                name: function.name(db).to_owned(),
                kind,
                container: None,
                detail: Some(tree::header_text(&cursor)),
            }
        }
        DeclarationSource::Prototype(index, definition) => {
            local_target(db, items.functions[index as usize], definition)
        }
    }
}

/// The target of a label of a section.
pub(crate) fn section_label_targets(
    db: &dyn Database,
    file: SourceFile,
    name: &str,
) -> Vec<NavigationTarget> {
    let offsets = item_offsets(db, file);
    module_body(db, items(db, file).module)
        .section_labels
        .iter()
        .filter(|it| *it.name == *name)
        .map(|it| {
            let range = it.name_range + offsets.module[it.item as usize];
            NavigationTarget {
                file: file.id(db),
                full_range: range,
                focus_range: range,
                name: it.name.to_string(),
                kind: SymbolKind::SectionLabel,
                container: None,
                detail: None,
            }
        })
        .collect()
}

/// The declaration of a name, given by the ranges of both, as one line: `.reg .b32 %r<100>`.
pub(crate) fn declaration_text(item: &Cursor<'_>, name: TextRange, full: TextRange) -> String {
    let path = path_to(item, name.start());
    for (depth, node) in path.iter().enumerate().rev() {
        match node.kind() {
            SyntaxKind::DECLARATOR if depth > 0 => {
                return tree::variable_text(&path[depth - 1], node);
            }
            SyntaxKind::PARAMETER => {
                let mut line = OneLine::default();
                line.push_node(node);
                return line.finish();
            }
            SyntaxKind::FUNCTION => return tree::header_text(node),
            // The table after a label belongs to it, even in another run of statements.
            SyntaxKind::LABEL => return tree::text_of_range(item, full),
            _ => {}
        }
    }
    String::new()
}

/// The words of the type that a register or parameter is declared with, such as `.v2` and `.f32`.
pub(in crate::features) fn declared_type<'a>(
    function: &Cursor<'a>,
    definition: &Definition,
) -> Option<Vec<&'a str>> {
    let start = definition.name_range.start();
    let declaration = node_at(function, SyntaxKind::VARIABLE_DECLARATION, start)
        .or_else(|| node_at(function, SyntaxKind::PARAMETER, start))?;
    let words = declaration
        .tokens()
        .filter(|it| it.kind() == SyntaxKind::DOTTED && classify(it.text()) == WordClass::Type);
    Some(words.map(|it| it.text()).collect())
}

/// The nodes around an offset, from the outermost one inwards.
pub(crate) fn path_to<'a>(root: &Cursor<'a>, offset: TextSize) -> Vec<Cursor<'a>> {
    let mut path = vec![*root];
    let mut node = *root;
    while let Some(child) = node.nodes().find(|it| it.range().contains(offset)) {
        path.push(child);
        node = child;
    }
    path
}
