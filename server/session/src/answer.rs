//! Answers to questions of a client, and why there is none.

use analysis::Cancelled;

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The file changed while the answer was worked out.
    ContentModified,
    /// As above, for a question that the client should ask again.
    ServerCancelled,
    /// The client took the question back.
    Cancelled,
    /// The request cannot be fulfilled; the text is for the user.
    Refused(String),
    /// The parameters do not fit the method.
    InvalidParams(String),
    /// A bug of the server.
    Internal(String),
}

impl RequestError {
    /// The code that LSP or JSON-RPC has for it.
    #[must_use]
    pub fn code(&self) -> i64 {
        match self {
            RequestError::ContentModified => -32801,
            RequestError::ServerCancelled => -32802,
            RequestError::Cancelled => -32800,
            RequestError::Refused(_) => -32803,
            RequestError::InvalidParams(_) => -32602,
            RequestError::Internal(_) => -32603,
        }
    }

    /// Message for the log of the client or for the user.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            RequestError::ContentModified | RequestError::ServerCancelled => {
                "the content of the document was modified"
            }
            RequestError::Cancelled => "the request was cancelled",
            RequestError::Refused(reason)
            | RequestError::InvalidParams(reason)
            | RequestError::Internal(reason) => reason,
        }
    }
}

impl From<Cancelled> for RequestError {
    fn from(cancelled: Cancelled) -> Self {
        match cancelled {
            Cancelled::PendingWrite => RequestError::ContentModified,
            Cancelled::Requested => RequestError::Cancelled,
        }
    }
}

impl From<String> for RequestError {
    fn from(reason: String) -> Self {
        RequestError::Refused(reason)
    }
}

/// Result of a handler.
pub type Answer<T> = Result<T, RequestError>;
