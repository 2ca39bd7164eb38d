//! `ptx/testPanic`, a request that panics: the tests show that it harms no other one.
//!
//! Debug builds only.

use serde::{Deserialize, Serialize};

use super::{Handler, Priority, Reads};

/// Name of the request.
pub const METHOD: &str = "ptx/testPanic";

/// Parameters of `ptx/testPanic`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct TestPanicParams {
    /// Panic in the asynchronous method and not on a worker.
    pub early: bool,
}

/// The request.
pub const TEST_PANIC: Handler<TestPanicParams, ()> = Handler {
    method: METHOD,
    priority: Priority::Latency,
    document: |_| None,
    reads: Reads::Document,
    run: |_, _| panic!("a test asked for this"),
};
