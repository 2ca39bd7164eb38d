//! The names of a module.
//!
//! Variables and functions share one scope. What is inside function bodies does not matter here,
//! except for prototypes, which declare functions of the module.

use isa::target::Target;
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange, TextSize};

use crate::{SymbolKind, db::SourceFile, hir::linkage::Linkage};

use super::{
    body::{DefinitionId, declarations},
    declaration::{Declaration as Declared, Shape},
    header::FunctionHeader,
    items::{Function, ModuleItems, items},
    lower::count,
    number::split_name,
    tree::{self, target_of, trimmed},
};

/// The signature of a function, which other functions can see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    /// Whether it is an `.entry`.
    pub(crate) entry: bool,
    /// Its linking directive.
    pub(crate) linkage: Option<Linkage>,
    /// Whether it has a body.
    pub(crate) defined: bool,
    /// The target that its body leaves in force, if it changes it.
    pub(crate) target: Option<Target>,
    /// Its results and parameters.
    pub(crate) header: FunctionHeader,
    /// Prototypes inside its body.
    pub(crate) prototypes: Vec<Prototype>,
}

/// A prototype inside the body of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prototype {
    /// Its definition in that body.
    pub(crate) definition: DefinitionId,
    /// The function that it declares.
    name: Box<str>,
    /// Its linking directive.
    linkage: Option<Linkage>,
    /// Its results and parameters.
    pub(crate) header: FunctionHeader,
}

/// The parts of a body that concern the module; hardly any body has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outward {
    /// The targets that `.target` directives set, each with the end of its directive.
    pub(crate) targets: Vec<(TextSize, Target)>,
    /// Whether there are prototypes.
    has_prototypes: bool,
}

/// The parts of a body that concern the module.
#[salsa::tracked(returns(ref))]
pub(crate) fn outward<'db>(db: &'db dyn Database, function: Function<'db>) -> Outward {
    let mut outward = Outward::default();
    tree::for_each_declaration(&function.green(db).cursor(), &mut |it| match it.kind() {
        SyntaxKind::TARGET_DIRECTIVE => {
            let end = trimmed(it).end();
            outward.targets.extend(target_of(it).map(|it| (end, it)));
        }
        SyntaxKind::FUNCTION => outward.has_prototypes = true,
        _ => {}
    });
    outward
}

/// The signature of a function, which other functions can see.
#[salsa::tracked(returns(ref))]
pub(crate) fn signature<'db>(db: &'db dyn Database, function: Function<'db>) -> Signature {
    let cursor = function.green(db).cursor();
    let errors = function.errors(db);
    let outward = outward(db, function);
    // Names are not looked for in the many bodies without any.
    let body = outward.has_prototypes.then(|| declarations(db, function));
    let definition = |id: DefinitionId| body.as_deref().map(|it| it.definition(id));
    let header = |id: DefinitionId| {
        let start = definition(id).map(|it| it.name_range.start());
        let block = cursor.node(SyntaxKind::BLOCK);
        let node = block.and_then(|it| tree::node_at(&it, SyntaxKind::FUNCTION, start?));
        node.map_or_else(FunctionHeader::default, |it| {
            FunctionHeader::of(&it, errors)
        })
    };
    Signature {
        entry: tree::has_word(&cursor, ".entry"),
        linkage: tree::linkage(&cursor),
        defined: cursor.node(SyntaxKind::BLOCK).is_some(),
        target: outward.targets.last().map(|it| it.1),
        header: FunctionHeader::of(&cursor, errors),
        prototypes: body
            .as_deref()
            .map_or(&[][..], |it| &it.prototypes)
            .iter()
            .map(|(id, linkage)| Prototype {
                definition: *id,
                name: definition(*id).map_or_else(Box::default, |it| it.name.clone()),
                linkage: *linkage,
                header: header(*id),
            })
            .collect(),
    }
}

/// The results and parameters of a declaration of the module, if it is a function.
pub(crate) fn header_of(
    db: &dyn Database,
    file: SourceFile,
    source: DeclarationSource,
) -> Option<&FunctionHeader> {
    let functions = &items(db, file).functions;
    match source {
        DeclarationSource::Variable(_) => None,
        DeclarationSource::Function(index) => {
            Some(&signature(db, *functions.get(index as usize)?).header)
        }
        DeclarationSource::Prototype(index, definition) => {
            let signature = signature(db, *functions.get(index as usize)?);
            let mut all = signature.prototypes.iter();
            Some(&all.find(|it| it.definition == definition)?.header)
        }
    }
}

/// The items of a file that are not functions, lowered; offsets are relative to each item.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct ModuleBody {
    /// Declared variables, in the order of the text.
    pub(crate) variables: Vec<ModuleVariable>,
    /// Labels in sections, in the order of the text.
    pub(crate) section_labels: Vec<SectionLabel>,
    /// Used names, in the order of the text.
    pub(crate) references: Vec<ModuleReference>,
    /// Aliases, as indices into the references; the function that they stand for comes next.
    pub(crate) aliases: Vec<u32>,
    /// Whether a syntax error may have hidden a declaration.
    uncertain: bool,
}

/// A variable of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModuleVariable {
    /// Index of its declaration among the items.
    pub(crate) item: u32,
    /// The name, or the prefix of a parameterised one.
    pub(crate) name: Box<str>,
    /// Its kind.
    pub(crate) kind: SymbolKind,
    /// The number in angle brackets of a parameterised name.
    pub(crate) count: Option<u32>,
    /// Its linking directive.
    pub(crate) linkage: Option<Linkage>,
    /// The properties with which its other declarations must agree.
    pub(crate) shape: Shape,
    /// The name in the text.
    pub(crate) name_range: TextRange,
    /// The declaration in the text.
    pub(crate) full_range: TextRange,
}

/// A label in a `.section`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SectionLabel {
    /// Index of the section among the items.
    pub(crate) item: u32,
    /// The name.
    pub(crate) name: Box<str>,
    /// The name in the text.
    pub(crate) name_range: TextRange,
}

/// A name in an initializer, an alias or a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModuleReference {
    /// Index of the item.
    pub(crate) item: u32,
    /// The name.
    pub(crate) name: Box<str>,
    /// The word in the text.
    pub(crate) range: TextRange,
    /// Where it appears.
    pub(crate) place: ModulePlace,
    /// Whether a syntax error nearby may be the reason that the name is unknown.
    pub(crate) uncertain: bool,
}

/// Where a name of the module is used outside functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModulePlace {
    /// In an initializer.
    Initializer,
    /// In an `.alias`.
    Alias,
    /// In a `.section`, where names may be undefined.
    Section,
}

/// The items of a file that are not functions, lowered.
#[salsa::tracked(returns(ref))]
pub(crate) fn module_body<'db>(db: &'db dyn Database, items: ModuleItems<'db>) -> ModuleBody {
    let mut body = ModuleBody::default();
    for (index, item) in (0u32..).zip(items.items(db)) {
        if index % 1024 == 0 {
            db.unwind_if_revision_cancelled();
        }
        let cursor = item.green.cursor();
        let broken = !item.errors.is_empty();
        match cursor.kind() {
            SyntaxKind::VARIABLE_DECLARATION => {
                body.uncertain |= broken || tree::is_nameless(&cursor);
                variables(&mut body, index, &cursor, broken);
            }
            SyntaxKind::ERROR => body.uncertain |= broken,
            SyntaxKind::ALIAS => {
                body.aliases.push(body.references.len() as u32);
                references(&mut body, index, &cursor, ModulePlace::Alias, broken);
            }
            SyntaxKind::SECTION => {
                for part in cursor.nodes() {
                    if part.kind() == SyntaxKind::LABEL {
                        body.section_labels
                            .extend(tree::name(&part).map(|name| SectionLabel {
                                item: index,
                                name: name.text().into(),
                                name_range: name.range(),
                            }));
                    }
                    references(&mut body, index, &part, ModulePlace::Section, broken);
                }
            }
            _ => {}
        }
    }
    body
}

fn variables(body: &mut ModuleBody, item: u32, node: &Cursor<'_>, broken: bool) {
    let kind = tree::variable_kind(node);
    let linkage = tree::linkage(node);
    let declaration = Declared::of(node);
    let only = declaration.declarators.len() == 1;
    for declarator in &declaration.declarators {
        if let Some(name) = declarator.name {
            body.variables.push(ModuleVariable {
                item,
                name: name.text().into(),
                kind,
                count: count(&declarator.node),
                linkage,
                shape: declaration.shape(declarator),
                name_range: name.range(),
                full_range: trimmed(if only { node } else { &declarator.node }),
            });
        }
        initializers(body, item, &declarator.node, broken);
    }
}

/// The names of initializers; the words of `filter_mode = nearest` and `generic` are none.
fn initializers(body: &mut ModuleBody, item: u32, node: &Cursor<'_>, broken: bool) {
    let skip = usize::from(node.kind() == SyntaxKind::APPLY_EXPRESSION);
    for child in node.nodes().skip(skip) {
        match child.kind() {
            SyntaxKind::FIELD_INITIALIZER | SyntaxKind::LITERAL => {}
            SyntaxKind::NAME_REFERENCE => {
                reference(body, item, &child, ModulePlace::Initializer, broken);
            }
            _ => initializers(body, item, &child, broken),
        }
    }
}

fn references(
    body: &mut ModuleBody,
    item: u32,
    node: &Cursor<'_>,
    place: ModulePlace,
    broken: bool,
) {
    tree::for_each_node(node, &mut |it| {
        if it.kind() == SyntaxKind::NAME_REFERENCE {
            reference(body, item, it, place, broken);
        }
    });
}

fn reference(
    body: &mut ModuleBody,
    item: u32,
    node: &Cursor<'_>,
    place: ModulePlace,
    uncertain: bool,
) {
    let Some(token) = node.tokens().next() else {
        return;
    };
    if token.text() != "WARP_SZ" {
        body.references.push(ModuleReference {
            item,
            name: token.text().into(),
            range: token.range(),
            place,
            uncertain,
        });
    }
}

/// The names of a module and what declares them.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct ModuleScope {
    names: FxHashMap<Box<str>, Vec<Declaration>>,
    /// Parameterised variables by their prefixes.
    families: FxHashMap<Box<str>, Vec<Declaration>>,
    /// The targets that bodies leave in force, by the order of their functions.
    pub(crate) targets: Vec<(u32, Target)>,
    /// Whether a syntax error may have hidden a declaration.
    pub(crate) uncertain: bool,
}

/// One declaration of a name of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Declaration {
    /// Its place in the order of the top-level items.
    pub(crate) order: u32,
    /// Where it is.
    pub(crate) source: DeclarationSource,
    /// Its declarations.
    pub(crate) kind: DeclarationKind,
    /// Its linking directive.
    pub(crate) linkage: Option<Linkage>,
    /// Whether it is the definition: a body, or a variable that is not `.extern`.
    pub(crate) defined: bool,
    /// The number in angle brackets of a parameterised name.
    pub(crate) count: Option<u32>,
}

/// Where a name of the module is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclarationSource {
    /// Index of a function of the file.
    Function(u32),
    /// A prototype inside the body of a function.
    Prototype(u32, DefinitionId),
    /// Index into [`ModuleBody::variables`].
    Variable(u32),
}

/// The names that a declaration of the module declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DeclarationKind {
    /// `.entry`
    Entry,
    /// `.func`
    Function,
    /// A variable.
    Variable,
}

/// The names of a module. Depends on the headers of functions only, not on their bodies.
#[salsa::tracked(returns(ref))]
pub(crate) fn module_scope(db: &dyn Database, file: SourceFile) -> ModuleScope {
    let items = items(db, file);
    let module = module_body(db, items.module);
    let mut scope = ModuleScope {
        uncertain: module.uncertain,
        ..ModuleScope::default()
    };
    let mut variables = (0u32..).zip(&module.variables).peekable();
    for (index, (function, before)) in (0u32..).zip(items.functions.iter().zip(&items.before)) {
        while let Some((id, variable)) = variables.next_if(|(_, it)| it.item < *before) {
            scope.add_variable(variable.item + index, id, variable);
        }
        scope.add_function(
            index + before,
            index,
            function.name(db),
            signature(db, *function),
        );
    }
    let functions = items.functions.len() as u32;
    for (id, variable) in variables {
        scope.add_variable(variable.item + functions, id, variable);
    }
    scope
}

impl ModuleScope {
    /// The target that the functions before an item leave in force, if one changes it.
    pub(crate) fn target_before(&self, order: u32) -> Option<Target> {
        let before = self.targets.partition_point(|it| it.0 < order);
        Some(self.targets.get(before.checked_sub(1)?)?.1)
    }

    fn add_variable(&mut self, order: u32, id: u32, variable: &ModuleVariable) {
        let map = if variable.count.is_some() {
            &mut self.families
        } else {
            &mut self.names
        };
        map.entry(variable.name.clone())
            .or_default()
            .push(Declaration {
                order,
                source: DeclarationSource::Variable(id),
                kind: DeclarationKind::Variable,
                linkage: variable.linkage,
                defined: variable.linkage != Some(Linkage::Extern),
                count: variable.count,
            });
    }

    fn add_function(&mut self, order: u32, index: u32, name: &str, signature: &Signature) {
        self.uncertain |= name.is_empty();
        self.targets.extend(signature.target.map(|it| (order, it)));
        self.names
            .entry(name.into())
            .or_default()
            .push(Declaration {
                order,
                source: DeclarationSource::Function(index),
                kind: if signature.entry {
                    DeclarationKind::Entry
                } else {
                    DeclarationKind::Function
                },
                linkage: signature.linkage,
                defined: signature.defined,
                count: None,
            });
        for prototype in &signature.prototypes {
            self.names
                .entry(prototype.name.clone())
                .or_default()
                .push(Declaration {
                    order,
                    source: DeclarationSource::Prototype(index, prototype.definition),
                    kind: DeclarationKind::Function,
                    linkage: prototype.linkage,
                    defined: false,
                    count: None,
                });
        }
    }

    /// The declarations of a name, in the order of the text; those of the parameterised name that
    /// covers it if it has none itself.
    pub(crate) fn find(&self, name: &str) -> &[Declaration] {
        if let Some(found) = self.names.get(name) {
            return found;
        }
        let family = split_name(name)
            .and_then(|(prefix, number)| Some((self.families.get(prefix)?, number)))
            .filter(|(family, number)| family.iter().any(|it| it.count > Some(*number)));
        family.map_or(&[], |(family, _)| family)
    }

    /// The declarations of a parameterised name, given by its prefix.
    pub(crate) fn family(&self, prefix: &str) -> &[Declaration] {
        self.families.get(prefix).map_or(&[], |it| it)
    }

    /// All names with their declarations, in no order.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, &[Declaration])> {
        self.names.iter().map(|(name, all)| (&**name, &**all))
    }

    /// All parameterised names with their declarations, in no order.
    pub(crate) fn families(&self) -> impl Iterator<Item = (&str, &[Declaration])> {
        self.families.iter().map(|(name, all)| (&**name, &**all))
    }
}

/// The place of each function in the order of the top-level items.
#[salsa::tracked(returns(ref))]
pub(crate) fn function_order<'db>(
    db: &'db dyn Database,
    file: SourceFile,
) -> FxHashMap<Function<'db>, u32> {
    let items = items(db, file);
    (0u32..)
        .zip(items.functions.iter().zip(&items.before))
        .map(|(index, (function, before))| (*function, index + before))
        .collect()
}

/// Where the items before which as many functions are start counting: the order of a module item.
pub(crate) fn module_item_order(before: &[u32], item: u32) -> u32 {
    item + before.partition_point(|it| *it <= item) as u32
}
