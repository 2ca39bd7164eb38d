//! `ptx/testPanic`, a request that panics: the tests show that it harms no other one.
//!
//! Debug builds only.

use serde::{Deserialize, Serialize};

use super::{Handler, Priority, Reads, Run};

/// Name of the request.
pub const METHOD: &str = "ptx/testPanic";

/// Parameters of `ptx/testPanic`.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct TestPanicParams {
    /// Panic in the asynchronous method and not on a worker.
    pub early: bool,
}

/// `ptx/testPanic`: panics in a worker, for tests of the server.
pub const TEST_PANIC: Handler<TestPanicParams, ()> = Handler {
    method: METHOD,
    priority: Priority::Latency,
    document: |_| None,
    reads: Reads::Document,
    run: Run::Snapshot(|_, _| panic!("a test asked for this")),
};
