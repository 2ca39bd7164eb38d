//! Questions of the client, given to the workers.

use session::{lsp::lsp_types::Url, snapshot::RequestError};
use tracing::debug;

use super::{Request, State, work::Work};

/// How often a question is begun whose document did not change meanwhile.
///
/// Other files do change meanwhile, above all while the workspace is indexed.
const MAX_ATTEMPTS: u32 = 8;

impl State {
    pub(super) fn revision_of(&self, document: Option<&Url>) -> Option<u64> {
        let file = self.shared.files(|files| files.get(document?))?;
        self.files.get(&file).map(|it| it.revision)
    }

    /// Asks a worker, unless the answer would be about another text than the client meant.
    pub(super) fn ask(&mut self, request: Request) {
        let unchanged = request.revision == Some(self.revision_of(request.document()));
        if unchanged && request.attempts < MAX_ATTEMPTS {
            self.dispatch(request);
        } else {
            debug!(method = request.method, "the content was modified");
            request.interrupt();
        }
    }

    fn dispatch(&mut self, mut request: Request) {
        request.attempts += 1;
        let snapshot = self.snapshot();
        if !request.cancel.arm(&snapshot) {
            request.cancel.disarm();
            request.responder.reject(RequestError::Cancelled);
            return;
        }
        self.pool
            .push(request.priority, Work::Request(request, snapshot));
    }

    /// Gives back to the workers what a write took from them before they began.
    pub(super) fn resume(&mut self, mut request: Request) {
        request.cancel.disarm();
        request.attempts -= 1;
        self.ask(request);
    }
}
