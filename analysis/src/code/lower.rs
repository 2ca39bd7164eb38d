//! The code of a file: its names, its variables, and its functions.

use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{SyntaxKind, TextSize};

use crate::{
    db::SourceFile,
    hir::{
        declaration::Declaration,
        in_force::address_size,
        items::{item_offsets, items},
        layout::module_layouts,
        linkage::Linkage,
        module::{ModulePlace, module_body, signature},
    },
};

use super::{
    Code, Function, Symbol, Variable, contents,
    function::{self, Unit},
    names::{Names, from_shape},
};

/// The code of a file.
pub(crate) fn code(db: &dyn Database, file: SourceFile) -> Code {
    lowered(db, file, true)
}

/// The code of a file without the instructions of its functions: what a launch is compared with.
pub(crate) fn headers(db: &dyn Database, file: SourceFile) -> Code {
    lowered(db, file, false)
}

fn lowered(db: &dyn Database, file: SourceFile, with_instructions: bool) -> Code {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let mut code = Code {
        narrow_addresses: address_size(db, file) == 32,
        ..Code::default()
    };
    let mut names = Names::default();
    // A definition counts for more than a declaration, and a later declaration for as much as an earlier one.
    let mut defined = |name: &str, symbol: Symbol, is_defined: bool| {
        let known = names.all.contains_key(name);
        if is_defined || !known {
            names.all.insert(name.into(), symbol);
        }
    };
    let module = module_body(db, items.module);
    let layouts = module_layouts(db, items.module);
    for (index, variable) in module.variables.iter().enumerate() {
        let external = variable.linkage == Some(Linkage::Extern);
        let start = offsets.module.get(variable.item as usize).copied();
        let start = start.unwrap_or_default();
        let layout = layouts.get(index).copied().flatten();
        let symbol = Symbol::Variable(code.variables.len() as u32);
        defined(&variable.name, symbol, !external);
        code.variables.push(Variable {
            external,
            name_range: variable.name_range + start,
            ..from_shape(&variable.name, &variable.shape, layout)
        });
    }
    let count = code.variables.len();
    for (index, (function, start)) in (0..).zip(items.functions.iter().zip(&offsets.functions)) {
        let signature = signature(db, *function);
        let name = function.name(db);
        defined(name, Symbol::Function(index), signature.defined);
        let name_range = function::name_range(db, *function).map(|it| it + *start);
        code.functions.push(Function {
            name: name.to_owned(),
            entry: signature.entry,
            defined: signature.defined,
            name_range: name_range.unwrap_or_default(),
            ..Function::default()
        });
    }
    for (index, reference) in module.references.iter().enumerate() {
        // An alias is a name, and the function that it stands for comes next.
        let is_alias = module.aliases.contains(&(index as u32));
        let target = module.references.get(index + 1);
        if let (true, ModulePlace::Alias, Some(target)) = (is_alias, reference.place, target)
            && let Some(symbol) = names.all.get(&target.name).copied()
        {
            names.all.insert(reference.name.clone(), symbol);
        }
    }
    // Initial values name variables and functions, so they come after these.
    for (item, tree) in items.module.items(db).iter().enumerate() {
        let cursor = tree.green.cursor();
        if cursor.kind() != SyntaxKind::VARIABLE_DECLARATION {
            continue;
        }
        let of_item = module.variables.iter().take(count).enumerate();
        let of_item = of_item.filter(|it| it.1.item as usize == item);
        let by_start: FxHashMap<TextSize, usize> =
            of_item.map(|it| (it.1.name_range.start(), it.0)).collect();
        let declaration = Declaration::of(&cursor);
        for declarator in &declaration.declarators {
            let Some(name) = declarator.name else {
                continue;
            };
            if let Some(index) = by_start.get(&name.range().start()) {
                let found = contents::contents(&declaration, declarator, &names);
                code.variables[*index].contents = found;
            }
        }
    }
    for (index, function) in items.functions.iter().enumerate() {
        let start = offsets.functions.get(index).copied().unwrap_or_default();
        let unit = Unit {
            db,
            function: *function,
            start,
            names: &names,
            with_instructions,
        };
        unit.lower(&mut code, index);
    }
    code
}
