//! Names of a function: which are visible at the cursor, and their order.

use isa::operand::Operand;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::{TextRange, TextSize};

use crate::{
    CompletionItem, CompletionKind, SymbolKind,
    hir::body::{Body, Definition, DefinitionId, OUTERMOST},
    hir::operand::describe,
};

use super::uses::Uses;

/// In a long function only instructions with text so many bytes before or after are looked at.
const NEAR: u32 = 32 << 10;

/// A name of the function, and its rank: how far its type is from the wanted one, its age, and itself.
pub(super) type RankedName = ((u8, u8, usize, DefinitionId), CompletionItem);

/// The part of a function in which uses of names count.
pub(super) fn near(offset: TextSize) -> TextRange {
    TextRange::new(
        offset.checked_sub(NEAR.into()).unwrap_or_default(),
        offset.checked_add(NEAR.into()).unwrap_or(offset),
    )
}

/// The names that are declared around an offset, and labels.
pub(super) fn visible(
    body: &Body,
    offset: TextSize,
) -> impl Iterator<Item = (DefinitionId, &Definition)> {
    let scopes: FxHashSet<u32> = (0u32..)
        .zip(&body.scopes)
        .filter(|(id, it)| *id == OUTERMOST || it.range.contains_inclusive(offset))
        .map(|it| it.0)
        .collect();
    (0u32..).zip(&body.definitions).filter(move |(_, it)| {
        scopes.contains(&it.scope) && (it.may_follow_use() || it.name_range.start() <= offset)
    })
}

/// Hands over the likely names of a definition: itself, or some members of a family, each with the number of the
/// member and its rank.
pub(super) fn names_of(
    uses: &Uses,
    id: DefinitionId,
    definition: &Definition,
    operand: &Operand,
    written: bool,
    add: &mut dyn FnMut(Option<u32>, (u8, usize), CompletionItem),
) {
    let kind = match definition.kind {
        SymbolKind::Register => CompletionKind::Register,
        SymbolKind::Parameter => CompletionKind::Parameter,
        SymbolKind::Label | SymbolKind::TargetList | SymbolKind::Prototype => CompletionKind::Label,
        _ => CompletionKind::Variable,
    };
    let members = match definition.count {
        None => vec![None],
        Some(count) => uses
            .members(id, count, written)
            .into_iter()
            .map(Some)
            .collect(),
    };
    for member in members {
        let name = match member {
            Some(member) => format!("{}{member}", definition.name),
            None => definition.name.to_string(),
        };
        // Only values are not read before they are written.
        let rank = uses.rank((id, member), written);
        let rank = match kind {
            CompletionKind::Register => rank,
            _ => Some(rank.unwrap_or((1, 0))),
        };
        if let Some(rank) = rank {
            let item = CompletionItem {
                detail: Some(describe(operand)),
                ..CompletionItem::new(name, kind)
            };
            add(member, rank, item);
        }
    }
}

/// The items by rank; of equal names the innermost is meant, which comes last in the body.
pub(super) fn innermost(mut found: Vec<RankedName>) -> impl Iterator<Item = CompletionItem> {
    let mut latest: FxHashMap<String, DefinitionId> = FxHashMap::default();
    for (rank, item) in &found {
        let id = latest.entry(item.label.clone()).or_default();
        *id = rank.3.max(*id);
    }
    found.retain(|(rank, item)| latest.get(&item.label) == Some(&rank.3));
    found.sort_by_key(|it| it.0);
    found.into_iter().map(|it| it.1)
}
