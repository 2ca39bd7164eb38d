//! `ptx/testPanic`, a request that panics: the tests show that it harms no other one.
//!
//! Debug builds only.

use serde::{Deserialize, Serialize};

use super::Handler;
use crate::pool::Priority;

/// Name of the request.
pub(crate) const METHOD: &str = "ptx/testPanic";

/// Parameters of `ptx/testPanic`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub(crate) struct TestPanicParams {
    /// Panic in the asynchronous method and not on a worker.
    pub(crate) early: bool,
}

pub(crate) const TEST_PANIC: Handler<TestPanicParams, ()> = Handler {
    method: METHOD,
    priority: Priority::Latency,
    document: |_| None,
    run: |_, _| panic!("a test asked for this"),
};
