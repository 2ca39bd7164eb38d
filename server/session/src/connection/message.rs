//! Messages of a client, read as far as the queue must know them.

use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::lsp::lsp_types::{DidChangeTextDocumentParams, Url};

/// A message of the client. An id is the JSON text of it.
#[derive(Debug)]
pub(super) enum Message {
    Request {
        id: String,
        method: String,
        params: Box<RawValue>,
    },
    /// `textDocument/didChange`.
    Change(DidChangeTextDocumentParams),
    /// Any other notification.
    Notification {
        method: String,
        params: Box<RawValue>,
    },
    /// The answer to a request of the session, `null` for an error.
    Answer { id: String, result: Value },
    /// `$/cancelRequest`.
    Cancel(String),
}

/// The kind of a text.
#[derive(Debug)]
pub(super) enum Parsed {
    Message(Message),
    /// JSON, but not a message; its id.
    Invalid(String),
    /// Not JSON; the error of the parser.
    NoJson(String),
}

#[derive(Deserialize)]
struct Raw {
    id: Option<Box<RawValue>>,
    method: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Value>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct CancelParams {
    id: Box<RawValue>,
}

impl Message {
    /// Reads a message.
    pub(super) fn parse(text: &str) -> Parsed {
        let raw: Raw = match serde_json::from_str(text) {
            Ok(raw) => raw,
            Err(error) if error.is_data() => return Parsed::Invalid("null".to_owned()),
            Err(error) => return Parsed::NoJson(error.to_string()),
        };
        let id = raw.id.map(|it| it.get().to_owned());
        let params = raw.params.unwrap_or_else(|| RawValue::NULL.to_owned());
        let message = match (id, raw.method) {
            (Some(id), Some(method)) => Message::Request { id, method, params },
            (None, Some(method)) => match notification(method, params) {
                Some(message) => message,
                None => return Parsed::Invalid("null".to_owned()),
            },
            (Some(id), None) if raw.result.is_some() || raw.error.is_some() => Message::Answer {
                id,
                result: raw.result.unwrap_or_default(),
            },
            // The answer `null` reads as no answer.
            (Some(id), None) if text.contains("\"result\"") => Message::Answer {
                id,
                result: Value::Null,
            },
            (id, None) => return Parsed::Invalid(id.unwrap_or_else(|| "null".to_owned())),
        };
        Parsed::Message(message)
    }
}

/// `None` for parameters that do not fit the method.
fn notification(method: String, params: Box<RawValue>) -> Option<Message> {
    match method.as_str() {
        "$/cancelRequest" => {
            let params: CancelParams = serde_json::from_str(params.get()).ok()?;
            Some(Message::Cancel(params.id.get().to_owned()))
        }
        "textDocument/didChange" => serde_json::from_str(params.get()).ok().map(Message::Change),
        _ => Some(Message::Notification { method, params }),
    }
}

/// The document that the parameters of a request name.
pub(super) fn document_of(params: &RawValue) -> Option<Url> {
    #[derive(Deserialize)]
    struct Params {
        #[serde(rename = "textDocument")]
        text_document: Identifier,
    }
    #[derive(Deserialize)]
    struct Identifier {
        uri: Url,
    }
    let params: Params = serde_json::from_str(params.get()).ok()?;
    Some(params.text_document.uri)
}
