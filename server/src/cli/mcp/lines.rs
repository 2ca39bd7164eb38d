//! The lines between a client and the SDK, which drops what it cannot read: here such a line gets an answer.

use std::io;

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _},
    sync::mpsc::{Receiver, Sender},
};

use super::MAX_MESSAGE;

/// The codes of JSON-RPC.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;

/// Hands the lines of a client on to the server, and refuses those that no server can answer.
///
/// # Errors
/// If a stream fails.
pub(super) async fn hand_on(
    mut client: impl AsyncBufRead + Unpin,
    mut server: impl AsyncWrite + Unpin,
    refusals: Sender<Value>,
) -> io::Result<()> {
    let mut line = Vec::new();
    while let Some(is_whole) = read_line(&mut client, &mut line).await? {
        let refusal = match is_whole {
            true => refusal(&line),
            false => Some(error(
                &Value::Null,
                INVALID_REQUEST,
                format!("a message has at most {} MiB", MAX_MESSAGE >> 20),
            )),
        };
        match refusal {
            // Nobody hears it when the server has ended.
            Some(refusal) => drop(refusals.send(refusal).await),
            None => server.write_all(&line).await?,
        }
    }
    Ok(())
}

/// Writes the lines of the server and the refusals, each of them whole.
///
/// # Errors
/// If a stream fails.
pub(super) async fn merge(
    mut server: impl AsyncBufRead + Unpin,
    mut refusals: Receiver<Value>,
    mut client: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        tokio::select! {
            // ContentKind has been read of a line stays there when the other branch is first.
            read = server.read_until(b'\n', &mut line) => {
                if read? == 0 {
                    break;
                }
                client.write_all(&line).await?;
                line.clear();
            }
            Some(refusal) = refusals.recv() => {
                client.write_all(format!("{refusal}\n").as_bytes()).await?;
            }
        }
        client.flush().await?;
    }
    while let Ok(refusal) = refusals.try_recv() {
        client.write_all(format!("{refusal}\n").as_bytes()).await?;
    }
    client.flush().await
}

/// Reads a line with its end; whether all of it is kept, or nothing at the end of the input.
async fn read_line(
    input: &mut (impl AsyncBufRead + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<Option<bool>> {
    line.clear();
    let mut length = 0;
    loop {
        let bytes = input.fill_buf().await?;
        if bytes.is_empty() {
            return Ok((length > 0).then_some(length <= MAX_MESSAGE));
        }
        let end = bytes.iter().position(|it| *it == b'\n').map(|it| it + 1);
        let count = end.unwrap_or(bytes.len());
        length += count;
        if length <= MAX_MESSAGE {
            line.extend_from_slice(&bytes[..count]);
        }
        input.consume(count);
        if end.is_some() {
            return Ok(Some(length <= MAX_MESSAGE));
        }
    }
}

/// The answer to a line that the server would drop or misunderstand.
fn refusal(line: &[u8]) -> Option<Value> {
    if line.trim_ascii().is_empty() {
        return None;
    }
    let message: Value = match serde_json::from_slice(line) {
        Ok(message) => message,
        Err(problem) => return Some(error(&Value::Null, PARSE_ERROR, problem.to_string())),
    };
    let Some(fields) = message.as_object() else {
        let said = "a message is an object".to_owned();
        return Some(error(&Value::Null, INVALID_REQUEST, said));
    };
    let id = fields.get("id")?;
    if fields.get("method")? != "tools/call" {
        return None;
    }
    let params = fields.get("params").unwrap_or(&Value::Null);
    let said = match (params.get("name"), params.get("arguments")) {
        (Some(Value::String(_)), None | Some(Value::Null | Value::Object(_))) => return None,
        (Some(Value::String(_)), _) => "the arguments of a tool are an object",
        _ => "a call has the name of a tool",
    };
    Some(error(id, INVALID_PARAMS, said.to_owned()))
}

fn error(id: &Value, code: i32, message: String) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals() {
        let code = |line: &str| {
            let refusal = refusal(line.as_bytes())?;
            Some((refusal["id"].clone(), refusal["error"]["code"].clone()))
        };
        let refused = |id: Value, code: i32| Some((id, code.into()));
        assert_eq!(code("\r\n"), None);
        assert_eq!(code("{"), refused(Value::Null, PARSE_ERROR));
        let surrogate =
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\ud800"}}"#;
        assert_eq!(code(surrogate), refused(Value::Null, PARSE_ERROR));
        assert_eq!(
            refusal(b"\xff").expect("a refusal")["error"]["code"],
            PARSE_ERROR
        );
        assert_eq!(code("[]"), refused(Value::Null, INVALID_REQUEST));
        let call = |params: &str| code(&format!(r#"{{"id":"a","method":"tools/call"{params}}}"#));
        let id = Value::from("a");
        assert_eq!(call(""), refused(id.clone(), INVALID_PARAMS));
        assert_eq!(call(r#","params":[]"#), refused(id.clone(), INVALID_PARAMS));
        let arguments = r#","params":{"name":"check","arguments":[]}"#;
        assert_eq!(call(arguments), refused(id, INVALID_PARAMS));
        assert_eq!(call(r#","params":{"name":"check","arguments":{}}"#), None);
        assert_eq!(call(r#","params":{"name":"check"}"#), None);
        assert_eq!(code(r#"{"method":"tools/call","params":[]}"#), None);
        assert_eq!(code(r#"{"id":1,"method":"ping"}"#), None);
        assert_eq!(code(r#"{"id":1,"result":{}}"#), None);
    }

    #[tokio::test]
    async fn long_lines_are_refused_and_passed_over() {
        let mut input = vec![b' '; MAX_MESSAGE];
        input.extend(b"x\n{\"id\":1,\"method\":\"ping\"}\nno");
        let (refusals, mut told) = tokio::sync::mpsc::channel(4);
        let mut server = Vec::new();
        hand_on(&*input, &mut server, refusals)
            .await
            .expect("no failure");
        assert_eq!(server, b"{\"id\":1,\"method\":\"ping\"}\n");
        let codes = [told.recv().await, told.recv().await]
            .map(|it| it.expect("one")["error"]["code"].clone());
        assert_eq!(codes, [INVALID_REQUEST, PARSE_ERROR]);
    }
}
