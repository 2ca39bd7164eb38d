//! The functions for which ptxas generates code when it assembles a whole program.
//!
//! It begins at the entries and follows the names that instructions use, executed or not, also through variables whose
//! initializers name functions, and through aliases. It does not follow lists of call targets, and drops every other
//! function, also a `.visible` one (ptxas 13.5).

use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;

use crate::db::SourceFile;

use super::{
    body::{Place, Target, body},
    instruction::references,
    items::{Function, items},
    module::{DeclarationSource, ModulePlace, module_body, module_scope, signature},
};

/// Whether an entry reaches a function, so that ptxas generates code for it without `--compile-only`, too.
#[salsa::tracked(returns(copy))]
pub(crate) fn is_reached<'db>(db: &'db dyn Database, function: Function<'db>) -> bool {
    signature(db, function).entry || reached(db, function.file(db)).contains_key(&function)
}

/// Whether a call that an entry reaches names a function; a call through a register names none.
#[salsa::tracked(returns(copy))]
pub(crate) fn is_called<'db>(db: &'db dyn Database, function: Function<'db>) -> bool {
    reached(db, function.file(db)).get(&function) == Some(&true)
}

/// The functions and variables of the module that the instructions of a function name, each with whether a call names
/// it; sorted.
#[salsa::tracked(returns(deref))]
fn named<'db>(db: &'db dyn Database, function: Function<'db>) -> Vec<(Box<str>, bool)> {
    let body = body(db, function);
    let scope = module_scope(db, function.file(db));
    let mut used = vec![None; body.free.len()];
    for instruction in &body.instructions {
        for reference in references(body, instruction) {
            if let Target::Free(name) = reference.target
                && let Some(used) = used.get_mut(name as usize)
            {
                *used = Some(*used == Some(true) || reference.place == Place::Callee);
            }
        }
    }
    let names = body.free.iter().zip(used);
    let mut names: Vec<(Box<str>, bool)> = names
        .filter_map(|(name, called)| Some((name, called?)))
        .filter(|(name, _)| !scope.find(name).is_empty())
        .map(|(name, called)| (name.clone(), called))
        .collect();
    names.sort_unstable();
    names
}

/// The functions of a file that an entry reaches, and the entries, each with whether a call names it.
#[salsa::tracked(returns(ref))]
fn reached<'db>(db: &'db dyn Database, file: SourceFile) -> FxHashMap<Function<'db>, bool> {
    let entries = items(db, file).functions.iter().copied();
    let entries: Vec<Function<'db>> = entries.filter(|it| signature(db, *it).entry).collect();
    let mut walk = Walk::new(db, file);
    walk.follow(entries);
    walk.functions
}

/// The names of the module that a function reaches.
pub(crate) fn names_reached<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
) -> FxHashSet<&'db str> {
    let mut walk = Walk::new(db, function.file(db));
    walk.follow(vec![function]);
    walk.names.into_iter().map(|it| it.0).collect()
}

/// A walk from function to function.
struct Walk<'db> {
    db: &'db dyn Database,
    file: SourceFile,
    others: FxHashMap<&'db str, Vec<&'db str>>,
    /// Each with whether a call names it.
    functions: FxHashMap<Function<'db>, bool>,
    names: FxHashSet<(&'db str, bool)>,
}

impl<'db> Walk<'db> {
    fn new(db: &'db dyn Database, file: SourceFile) -> Walk<'db> {
        Walk {
            db,
            file,
            others: others(db, file),
            functions: FxHashMap::default(),
            names: FxHashSet::default(),
        }
    }

    /// Follows the names that some functions use.
    fn follow(&mut self, mut open: Vec<Function<'db>>) {
        let functions = &items(self.db, self.file).functions;
        let scope = module_scope(self.db, self.file);
        self.functions.extend(open.iter().map(|it| (*it, false)));
        while let Some(function) = open.pop() {
            let names = named(self.db, function).iter();
            let mut next: Vec<(&str, bool)> = names.map(|it| (&*it.0, it.1)).collect();
            while let Some((name, called)) = next.pop() {
                if !self.names.insert((name, called)) {
                    continue;
                }
                let through = self.others.get(name).into_iter().flatten();
                next.extend(through.map(|it| (*it, called)));
                for declaration in scope.find(name) {
                    let DeclarationSource::Function(index) = declaration.source else {
                        continue;
                    };
                    let Some(function) = functions.get(index as usize) else {
                        continue;
                    };
                    let known = self.functions.entry(*function).or_insert_with(|| {
                        open.push(*function);
                        false
                    });
                    *known |= called;
                }
            }
        }
    }
}

/// The names to which names outside functions lead: a variable to the names in its initializer, an alias to its function.
fn others(db: &dyn Database, file: SourceFile) -> FxHashMap<&str, Vec<&str>> {
    let module = module_body(db, items(db, file).module);
    let mut found: FxHashMap<&str, Vec<&str>> = FxHashMap::default();
    for index in &module.aliases {
        let at = *index as usize;
        if let [alias, function, ..] = module.references.get(at..).unwrap_or_default()
            && alias.item == function.item
        {
            found.entry(&alias.name).or_default().push(&function.name);
        }
    }
    for reference in &module.references {
        if reference.place != ModulePlace::Initializer {
            continue;
        }
        // The variables of an item are in the order of the text, the one with the initializer before it.
        let end = module.variables.partition_point(|it| {
            (it.item, it.name_range.start()) < (reference.item, reference.range.start())
        });
        if let Some(variable) = module.variables[..end]
            .last()
            .filter(|it| it.item == reference.item)
        {
            found
                .entry(&variable.name)
                .or_default()
                .push(&reference.name);
        }
    }
    found
}
