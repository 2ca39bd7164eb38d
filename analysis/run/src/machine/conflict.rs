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
}

/// Facts about a pair of accesses that their entries lack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Circumstances {
    /// The location is in tensor memory.
    pub(super) is_tensor: bool,
    /// The thread that issued the old access, an asynchronous one, has waited for it.
    pub(super) waited: bool,
    /// Both are strong, and the scope of one does not reach the other.
    pub(super) is_narrow: bool,
}

pub(super) fn describe(old: &Entry, new: &Entry, with: Circumstances) -> Conflict {
    let Circumstances {
        is_tensor,
        waited,
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
                true => format!(
                    "nothing orders this read and the {what} that writes the location again: the {what} has not been waited for, or begins before this read is over"
                ),
                false => format!("the {what} that writes this location has not been waited for"),
            },
            other: old.range,
            related: format!("the {what}"),
            reversed: new.asynchronous && new.writes,
            reads: None,
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
                true => "the scope of one of them does not include the other thread",
                false => "nothing orders them",
            }
        ),
        other: old.range,
        related: format!("{} the location", verb(old)),
        reversed: false,
        reads: None,
    }
}
