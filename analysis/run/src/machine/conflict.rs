//! Two accesses that nothing orders, as findings describe them.

use syntax::TextRange;

use crate::outcome::FindingCode;

use super::{findings::lanes_of, shadow::Entry};

/// Two accesses that nothing orders.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    pub(super) code: FindingCode,
    pub(super) message: String,
    /// The other access.
    pub(super) other: TextRange,
    pub(super) related: String,
    /// Whether the finding is about the other access.
    pub(super) reversed: bool,
    /// The lanes of a warp that have read the word of an atomic operation without one. It counts unless the next that
    /// they do there is an atomic operation, which sees what has become of the value.
    pub(super) reads: Option<(u64, usize, u32)>,
    /// Both accesses write with the same statement: the index of the word, counted from the first one of the access. The
    /// conflict counts only if the new value of that word differs from the value in memory.
    pub(super) unless_same: Option<u64>,
    /// The conflict to report if this one does not count.
    pub(super) otherwise: Option<Box<Conflict>>,
}

/// Facts about a pair of accesses that their entries lack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    /// The location is in tensor memory.
    pub(super) is_tensor: bool,
    /// The thread that issued the old access, an asynchronous one, has waited for it.
    pub(super) waited: bool,
    /// The thread of the new access has seen that the old one is over, by a relaxed wait after which it has no fence.
    pub(super) is_seen: bool,
    /// Both are strong, and the scope of one does not reach the other.
    pub(super) is_narrow: bool,
}

impl Default for Conflict {
    fn default() -> Conflict {
        Conflict {
            code: FindingCode::Race,
            message: String::new(),
            other: TextRange::default(),
            related: String::new(),
            reversed: false,
            reads: None,
            unless_same: None,
            otherwise: None,
        }
    }
}

impl Conflict {
    /// Adds the conflict of a later word of the access. It is reported if no earlier conflict counts.
    pub(super) fn or_else(&mut self, other: Conflict) {
        match &mut self.otherwise {
            Some(it) => it.or_else(other),
            None if self.unless_same.is_some() => self.otherwise = Some(Box::new(other)),
            None => {}
        }
    }

    /// Returns the first conflict that counts. `is_same` returns whether the access leaves a word unchanged, by the index
    /// of the word.
    pub(super) fn counting(self, is_same: impl Fn(u64) -> bool) -> Option<Conflict> {
        let mut conflict = self;
        while conflict.unless_same.is_some_and(&is_same) {
            conflict = *conflict.otherwise?;
        }
        Some(conflict)
    }
}

/// Adds a conflict of a word. The first certain one is reported; until there is one, a doubtful one may be replaced.
pub(super) fn add(first: &mut Option<Conflict>, new: impl FnOnce() -> Conflict) {
    match first {
        Some(it) if it.unless_same.is_some() => {
            let is_open = |it: &Conflict| it.reads.is_some();
            if it.otherwise.as_deref().is_none_or(is_open) {
                let new = new();
                // Conflicts of this kind all depend on the same value in memory, so one is enough.
                if new.unless_same.is_none() {
                    it.otherwise = Some(Box::new(new));
                }
            }
        }
        Some(it) if it.reads.is_none() => {}
        doubtful => {
            let mut new = new();
            if new.unless_same.is_some() {
                new.otherwise = doubtful.take().map(Box::new);
            }
            *doubtful = Some(new);
        }
    }
}

pub(super) fn describe(old: &Entry, new: &Entry, with: Circumstances) -> Conflict {
    let Circumstances {
        is_tensor,
        waited,
        is_seen,
        is_narrow,
    } = with;
    let verb = |it: &Entry| if it.writes { "writes" } else { "reads" };
    let (what, one) = match is_tensor {
        true => ("operation", "an operation"),
        false => ("copy", "a copy"),
    };
    if (old.asynchronous && !new.writes && !waited)
        || (new.asynchronous && new.writes && !old.writes && (!old.asynchronous || waited))
    {
        return Conflict {
            code: FindingCode::StaleRead,
            message: match (old.repeats && old.writes) || (new.repeats && new.writes) {
                _ if is_seen => format!(
                    "the wait for the {what} that writes this location is relaxed, and no fence after it orders this read"
                ),
                true => format!(
                    "nothing orders this read and the {what} that writes the location again: the {what} has not been waited for, or begins before this read is over"
                ),
                false => format!("the {what} that writes this location has not been waited for"),
            },
            other: old.range,
            related: format!("the {what}"),
            reversed: new.asynchronous && new.writes,
            ..Conflict::default()
        };
    }
    let who = match (
        old.view == new.view,
        lanes_of(old.lanes & !new.lanes).next(),
    ) {
        (true, Some(lane)) => format!("lane {lane} of the same warp"),
        // A lane races only with what it has started.
        (true, None) => format!("{one} of the same lane"),
        (false, _) => "another warp".to_owned(),
    };
    Conflict {
        code: FindingCode::Race,
        message: format!(
            "{who} {} this location, which this instruction {}, and {}",
            verb(old),
            verb(new),
            match is_narrow {
                _ if is_seen => "the wait between them is relaxed, and no fence follows it",
                true => "the scope of one of them does not include the other thread",
                false => "nothing orders them",
            }
        ),
        other: old.range,
        related: format!("{} the location", verb(old)),
        ..Conflict::default()
    }
}
