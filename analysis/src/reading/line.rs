//! Lines and what they are in.

use crate::flow::ids::{Step, Value};

use super::structure::List;

/// A line; its indentation is known at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) indent: u32,
    pub(super) text: String,
    /// The instructions that it shows, ascending.
    pub(super) steps: Vec<Step>,
    /// The one of these by which it has its place among the lines.
    pub(super) lead: Option<Step>,
    /// Whether only some of the branches have it that are shown together.
    pub(super) alone: bool,
    /// Whether the threads of the block meet there.
    pub(super) meets: bool,
    /// How often they meet there again, one time after the other.
    pub(super) more: u32,
    /// Whether it asks whether a phase of an mbarrier is over.
    pub(super) waits: bool,
}

/// The condition of a branch or guard, and its opposite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) text: String,
    pub(super) opposite: String,
    pub(super) steps: Vec<Step>,
}

impl Condition {
    /// The opposite one.
    pub(super) fn reversed(self) -> Condition {
        Condition {
            text: self.opposite,
            opposite: self.text,
            steps: self.steps,
        }
    }
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    Line(Line),
    /// A jump or the end, after which nothing follows.
    Leave(Line),
    Break,
    /// Something that is done if a condition holds, and by guards of what register.
    If(Condition, List, Option<Value>),
    Else(List),
    /// A head, a list, and what comes after it.
    Nest(Line, List, Option<Line>),
    /// A head, and the rows that not all of the merged branches have.
    Only(String, List),
}

impl Row {
    /// The list inside it.
    pub(super) fn list(&self) -> Option<List> {
        match self {
            Row::If(_, list, _) | Row::Else(list) | Row::Nest(_, list, _) | Row::Only(_, list) => {
                Some(*list)
            }
            Row::Line(_) | Row::Leave(_) | Row::Break => None,
        }
    }

    /// Adds the instructions that it shows, without those in its list.
    pub(super) fn own_steps(&self, steps: &mut Vec<Step>) {
        match self {
            Row::Line(line) | Row::Leave(line) => steps.extend(&line.steps),
            Row::If(condition, ..) => steps.extend(&condition.steps),
            Row::Nest(head, _, tail) => {
                steps.extend(&head.steps);
                steps.extend(tail.iter().flat_map(|it| &it.steps));
            }
            Row::Else(_) | Row::Break | Row::Only(..) => {}
        }
    }
}
