//! The classes of declared names, for the instruction checks: register classes and state spaces; and what the directives
//! at the start of a module say.

use isa::{
    operand::Operand,
    target::{Module, Target as IsaTarget, TextureMode, Version},
};
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextSize};

use crate::db::{SourceFile, Workspace};

pub(crate) use super::declaration::Declared;
use super::{
    body::body,
    declaration::{Owner, declarator_of, variable},
    items::{Function, ModuleItems, items},
    module::module_body,
    number::integer,
    tree::{self, target_of},
};

/// The class of each definition of a function, as an operand; parallel to the definitions of its body.
pub(crate) fn declared<'db>(db: &'db dyn Database, function: Function<'db>) -> &'db [Declared] {
    &body(db, function).operands
}

/// The class of each variable of the module; parallel to the variables of the module body.
#[salsa::tracked(returns(ref))]
pub(crate) fn module_declared<'db>(
    db: &'db dyn Database,
    module: ModuleItems<'db>,
) -> Vec<Declared> {
    let mut last = (u32::MAX, FxHashMap::default());
    let items = module.items(db);
    module_body(db, module)
        .variables
        .iter()
        .map(|variable| {
            if last.0 != variable.item {
                last = (variable.item, FxHashMap::default());
                collect_variables(
                    &items[variable.item as usize].green.cursor(),
                    Owner::Module,
                    &mut last.1,
                );
            }
            last.1
                .get(&variable.name_range.start())
                .cloned()
                .unwrap_or(Declared(Operand::Unknown))
        })
        .collect()
}

type Found = FxHashMap<TextSize, Declared>;

fn collect_variables(declaration: &Cursor<'_>, owner: Owner, found: &mut Found) {
    let declared = variable(declaration, owner);
    for declarator in declaration
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::DECLARATOR)
    {
        if let Some(name) = tree::name(&declarator) {
            found.insert(
                name.range().start(),
                Declared(declarator_of(&declared, &declarator)),
            );
        }
    }
}

/// The directives at the start of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The `.version`.
    pub(crate) version: Option<Version>,
    /// The last target of the `.target` directives before the first item, or the one that the settings
    /// require. Bodies may change it, see [`super::in_force`].
    pub(crate) target: Option<IsaTarget>,
    /// Whether the settings require the target, whatever the file says.
    pub(crate) forced: bool,
    /// The bits of an address, as the last `.address_size` says.
    pub(crate) address_size: Option<u32>,
    /// The texture mode, an option of any `.target`.
    pub(crate) texture_mode: TextureMode,
}

impl Header {
    /// The version and target for which the module is checked; `None` if it lacks its version or its target.
    pub(crate) fn module(&self) -> Option<Module> {
        Some(Module {
            version: self.version?,
            target: self.target?,
            texture_mode: self.texture_mode,
        })
    }
}

/// The version and the target of a file.
#[salsa::tracked(returns(copy))]
pub(crate) fn header(db: &dyn Database, file: SourceFile) -> Header {
    let mut header = Header {
        version: None,
        target: None,
        forced: false,
        address_size: None,
        texture_mode: TextureMode::Unified,
    };
    // Of several in a row the last counts; elsewhere they are errors.
    let mut placed = true;
    for item in items(db, file).module.items(db) {
        let cursor = item.green.cursor();
        match cursor.kind() {
            SyntaxKind::VERSION_DIRECTIVE => {
                let number = cursor.token(SyntaxKind::FLOAT);
                header.version = header
                    .version
                    .or(number.and_then(|it| Version::parse(it.text())));
            }
            SyntaxKind::TARGET_DIRECTIVE => {
                let mut options = cursor.nodes().filter_map(|it| it.token(SyntaxKind::IDENT));
                if options.any(|it| it.text() == "texmode_independent") {
                    header.texture_mode = TextureMode::Independent;
                }
                let named = target_of(&cursor);
                header.target = if placed {
                    named.or(header.target)
                } else {
                    header.target.or(named)
                };
            }
            kind => {
                placed = false;
                if kind == SyntaxKind::ADDRESS_SIZE_DIRECTIVE {
                    let literal = cursor.node(SyntaxKind::LITERAL);
                    let token = literal.and_then(|it| it.tokens().next());
                    let size = token.and_then(|it| it.text().parse().ok());
                    header.address_size = size.or(header.address_size);
                }
            }
        }
    }
    let forced = Workspace::get(db)
        .config(db)
        .target_override
        .as_deref()
        .and_then(IsaTarget::parse);
    if forced.is_some() {
        header.target = forced;
        header.forced = true;
    }
    header
}

/// The size of an address in bytes, as `.address_size` says.
pub(crate) fn address_bytes(db: &dyn Database, file: SourceFile) -> u64 {
    let bits = items(db, file).module.items(db).iter().find_map(|item| {
        let cursor = item.green.cursor();
        (cursor.kind() == SyntaxKind::ADDRESS_SIZE_DIRECTIVE)
            .then(|| cursor.node(SyntaxKind::LITERAL))
            .flatten()
            .and_then(|it| integer(it.tokens().next()?.text()))
    });
    if bits == Some(64) { 8 } else { 4 }
}
