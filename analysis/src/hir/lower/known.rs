//! Lowering of some instructions of a function whose declarations are known.
//!
//! The walk is the same. But where it would read declarations, it takes those that are known, and of these only the
//! names that the instructions use: a long function has thousands of labels, and each is in another place of the
//! memory.

use std::hash::Hasher as _;

use rustc_hash::{FxHashSet, FxHasher};
use syntax::{Cursor, SyntaxError, SyntaxKind, TextRange, TextSize};

use crate::{
    SymbolKind,
    hir::{
        body::{Body, DefinitionId, ScopeId},
        number::split_name,
        tree,
    },
};

use super::Lowering;

/// The declarations of a function.
#[derive(Clone, Copy)]
pub(in crate::hir) struct Known<'a> {
    /// With all scopes and definitions. Its ranges are those of the tree that is read.
    pub(in crate::hir) body: &'a Body,
    /// The [`hash`] of the name of each definition.
    pub(in crate::hir) hashes: &'a [u32],
}

/// A number that differs for nearly all names.
pub(in crate::hir) fn hash(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    hasher.finish() as u32
}

/// Lowers the instructions that `part` meets, of a function of which all else is known. In what is returned
/// are these instructions and their references, and those free names that the known body does not have; their
/// indices come behind its own.
pub(in crate::hir) fn lower_instructions<'a>(
    function: &Cursor<'a>,
    errors: &'a [SyntaxError],
    part: TextRange,
    known: Known<'a>,
) -> Body {
    let mut lowering = Lowering::new(errors, Some(part), &|| {});
    let free = (0..).zip(&known.body.free);
    lowering.free = free.map(|(id, it)| ((&**it).into(), id)).collect();
    lowering.known = Some(Replay {
        known,
        wanted: used_names(function, part),
        next: 0,
        next_scope: 0,
    });
    lowering.function(function);
    lowering.body
}

/// The hashes of all names that instructions in a part may name.
fn used_names(function: &Cursor<'_>, part: TextRange) -> FxHashSet<u32> {
    let mut names = FxHashSet::default();
    tree::for_each_instruction_in(function, Some(part), &mut |instruction| {
        tree::for_each_token(instruction, &mut |token| {
            if token.kind() == SyntaxKind::IDENT {
                names.insert(hash(token.text()));
                // It may be a member of a parameterised name.
                names.extend(split_name(token.text()).map(|it| hash(it.0)));
            }
        });
    });
    names
}

/// Known declarations, and how far the walk has come.
pub(super) struct Replay<'a> {
    known: Known<'a>,
    wanted: FxHashSet<u32>,
    /// The first definition that the walk has not come to.
    next: usize,
    /// The first block that the walk has not come to.
    next_scope: usize,
}

impl<'a> Replay<'a> {
    pub(super) fn body(&self) -> &'a Body {
        self.known.body
    }

    pub(super) fn next_scope(&mut self) -> ScopeId {
        self.next_scope += 1;
        self.next_scope as ScopeId - 1
    }
}

impl<'a> Lowering<'a> {
    /// Whether what a node declares is known, and nothing else is wanted of it.
    pub(super) fn is_known(&self, node: &Cursor<'a>) -> bool {
        let contains_others = matches!(node.kind(), SyntaxKind::BLOCK | SyntaxKind::STATEMENT_RUN);
        self.known.is_some()
            && (!tree::lies_in(node, self.part) || !contains_others && tree::may_declare(node))
    }

    /// Passes what lies before an offset in the innermost block: it is declared from here on.
    pub(super) fn pass(&mut self, end: TextSize) {
        let here = self.scope().id();
        let Some(replay) = &mut self.known else {
            return;
        };
        let Known { body, hashes } = replay.known;
        let first = replay.next;
        let definitions = &body.definitions[first..];
        let count = definitions
            .iter()
            .take_while(|it| it.name_range.start() < end)
            .count();
        replay.next += count;
        let scopes = &body.scopes[replay.next_scope..];
        replay.next_scope += scopes
            .iter()
            .take_while(|it| it.range.start() < end)
            .count();
        let wanted = |it: &usize| replay.wanted.contains(&hashes[*it]);
        let wanted: Vec<usize> = (first..first + count).filter(wanted).collect();
        for index in wanted {
            let (definition, id) = (&body.definitions[index], index as DefinitionId);
            let is_taken = || {
                let duplicates = &body.duplicates;
                duplicates
                    .binary_search_by_key(&id, |it| it.definition)
                    .is_ok()
            };
            if definition.kind == SymbolKind::Function {
                self.prototypes.entry(&definition.name).or_insert(id);
            } else if definition.scope == here && !is_taken() {
                // What blocks declare that end before the offset means nothing behind them.
                self.enter(&definition.name, id, definition.count.is_some());
            }
        }
    }
}
