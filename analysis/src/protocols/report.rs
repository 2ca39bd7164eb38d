//! A finding of a rule.

use std::borrow::Cow;

use isa::{event::EventKind, table::tables};

use crate::flow::facts::Step;

/// The findings of a rule in a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Report {
    /// The code of the rule.
    pub(crate) code: &'static str,
    /// The instruction at which it is said.
    pub(crate) step: Step,
    /// The problem.
    pub(crate) message: String,
    /// The advice.
    pub(crate) help: Cow<'static, str>,
    /// Other instructions, and what they have to do with it.
    pub(crate) related: Vec<(Step, &'static str)>,
    /// The repair, if it is certain.
    pub(crate) fix: Option<Insertion>,
    /// Whether it is a hint only, because the function seems to exercise instructions.
    pub(crate) hint: bool,
}

/// A statement to be inserted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Insertion {
    /// The instruction beside which it belongs,
    pub(crate) beside: Step,
    /// and whether after it.
    pub(crate) behind: bool,
    /// Its text; the guard of the other one is put before it if `guarded`.
    pub(crate) text: &'static str,
    pub(crate) guarded: bool,
}

impl Insertion {
    pub(super) fn before(step: Step, kind: EventKind) -> Option<Insertion> {
        Some(Insertion {
            beside: step,
            behind: false,
            text: tables().spelling(kind)?.statement?,
            guarded: false,
        })
    }

    pub(super) fn behind(step: Step, kind: EventKind, guarded: bool) -> Option<Insertion> {
        Some(Insertion {
            beside: step,
            behind: true,
            text: tables().spelling(kind)?.statement?,
            guarded,
        })
    }
}

/// A report without related places.
pub(super) fn report(
    code: &'static str,
    step: Step,
    message: String,
    help: impl Into<Cow<'static, str>>,
) -> Report {
    Report {
        code,
        step,
        message,
        help: help.into(),
        related: Vec::new(),
        fix: None,
        hint: false,
    }
}

impl Report {
    pub(super) fn related(mut self, step: Step, words: &'static str) -> Report {
        self.related.push((step, words));
        self
    }

    pub(super) fn fixed(mut self, fix: Option<Insertion>) -> Report {
        self.fix = fix;
        self
    }

    pub(super) fn hint(mut self, hint: bool) -> Report {
        self.hint |= hint;
        self
    }
}
