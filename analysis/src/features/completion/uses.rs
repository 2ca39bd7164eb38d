//! Which names are likely at a place: what was used before it and waits below it.

use rustc_hash::{FxHashMap, FxHashSet};
use syntax::TextSize;

use crate::hir::body::{Body, DefinitionId, Target};

/// Uses of names that decide what comes first and which members of `%r<100>` are offered.
const RECENT: usize = 50_000;
/// By how many uses a value that was read last is older than one that still waits for a reader.
const READ: usize = 50;
/// By how many uses a name that only comes below is older than any before.
const BELOW: usize = 1 << 20;

/// A name of a function: the number of a register in its family, if it has one.
pub(super) type Name = (DefinitionId, Option<u32>);

/// The uses of names around a place.
pub(super) struct Uses {
    /// How long ago each name was used before the statement; what waits for a use counts as newer, and what is used
    /// below only as older.
    ages: FxHashMap<Name, usize>,
    /// Names that are read below and written nowhere, by the number of uses until then.
    awaited: FxHashMap<Name, usize>,
    /// Names that this statement writes before the place.
    own: FxHashSet<Name>,
    /// The members of families that are used before the statement, and everywhere.
    before: FxHashMap<DefinitionId, u32>,
    everywhere: FxHashMap<DefinitionId, FxHashSet<u32>>,
}

impl Uses {
    /// The uses around an offset in a statement.
    pub(super) fn around(body: &Body, statement: TextSize, offset: TextSize) -> Uses {
        let all = &body.references;
        let first = all.partition_point(|it| it.range.start() < statement);
        let next = all.partition_point(|it| it.range.start() <= offset);
        let mut uses = Uses {
            ages: FxHashMap::default(),
            awaited: FxHashMap::default(),
            own: FxHashSet::default(),
            before: FxHashMap::default(),
            everywhere: FxHashMap::default(),
        };
        let mut written: FxHashSet<Name> = FxHashSet::default();
        for (age, reference) in all[..first].iter().rev().take(RECENT).enumerate() {
            let Target::Definition(id) = reference.target else {
                continue;
            };
            let name = (id, reference.member);
            if reference.write {
                written.insert(name);
            }
            let age = if reference.write { age } else { age + READ };
            uses.ages.entry(name).or_insert(age);
            if let Some(member) = reference.member {
                let highest = uses.before.entry(id).or_default();
                *highest = member.max(*highest);
            }
        }
        for reference in &all[first..next] {
            let ends = reference.range.end() < offset;
            if let Target::Definition(id) = reference.target
                && ends
            {
                let name = (id, reference.member);
                if reference.write {
                    uses.own.insert(name);
                    written.insert(name);
                }
            }
        }
        let below = all[next..].iter().take(RECENT);
        for reference in below.clone().filter(|it| it.write) {
            if let Target::Definition(id) = reference.target {
                written.insert((id, reference.member));
            }
        }
        for (distance, reference) in below.enumerate() {
            let Target::Definition(id) = reference.target else {
                continue;
            };
            let name = (id, reference.member);
            uses.ages.entry(name).or_insert(BELOW + distance);
            if !reference.write && !written.contains(&name) {
                uses.awaited.entry(name).or_insert(distance);
            }
        }
        for (id, member) in uses.ages.keys().chain(&uses.own) {
            if let Some(member) = member {
                uses.everywhere.entry(*id).or_default().insert(*member);
            }
        }
        uses
    }

    /// The members of a family that are likely, among so many: as a destination also the next one that is free, and
    /// one at least in any case.
    pub(super) fn members(&self, id: DefinitionId, count: u32, written: bool) -> Vec<u32> {
        let used = self.everywhere.get(&id);
        let mut members: Vec<u32> = used.into_iter().flatten().copied().collect();
        members.retain(|it| *it < count && self.rank((id, Some(*it)), written).is_some());
        members.sort_unstable();
        if written || members.is_empty() {
            members.extend(self.free(id, count));
        }
        members
    }

    /// The next member of a family that nothing uses: after the highest before the statement, or else the first.
    fn free(&self, id: DefinitionId, count: u32) -> Option<u32> {
        let used = self.everywhere.get(&id);
        let is_free = |it: &u32| used.is_none_or(|used| !used.contains(it));
        let next = self.before.get(&id).map_or(0, |it| it.saturating_add(1));
        // Below the number of used members there is a free one if any is.
        (next..count)
            .find(is_free)
            .or_else(|| (0..count).find(is_free))
    }

    /// How far down the list a name comes, if it is likely at all: a value that only this statement has written is no
    /// source of it.
    pub(super) fn rank(&self, name: Name, written: bool) -> Option<(u8, usize)> {
        let age = self.ages.get(&name).copied();
        match (written, self.awaited.get(&name), age) {
            (true, Some(distance), _) => Some((0, *distance)),
            (true, None, None) => Some((1, 0)),
            (true, None, Some(age)) => Some((2, age)),
            (false, _, Some(age)) => Some((0, age)),
            // A register with a declaration of its own may have its value from elsewhere, as operands of asm do.
            (false, _, None) if self.own.contains(&name) => name.1.is_none().then_some((2, 0)),
            (false, _, None) => Some((1, 0)),
        }
    }

    /// How long ago a name was used, if it was.
    pub(super) fn age(&self, name: Name) -> Option<usize> {
        self.ages.get(&name).copied()
    }
}
