//! A reader that lets only well-formed messages through to tower-lsp.
//!
//! tower-lsp 0.20 reads with `tokio_util::codec::FramedRead`, which ends its stream at the first
//! error of the decoder: one malformed message would end the server. This reader is in front,
//! does the framing itself, and replaces what tower-lsp could not decode by a small request with a
//! private method name, which [`Guard`](super::Guard) answers with the fitting JSON-RPC error.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncRead, ReadBuf};
use tower_lsp::jsonrpc::{Request, Response};
use tracing::warn;

/// Stands for bytes that are not JSON, or no message at all.
pub(super) const PARSE_ERROR: &str = "$/ptx/parseError";
/// Stands for JSON that is not a JSON-RPC message.
pub(super) const INVALID_REQUEST: &str = "$/ptx/invalidRequest";

/// A header section longer than this is garbage.
const MAX_HEADER: usize = 16 << 10;
/// A body longer than this is refused; no editor opens such a file.
const MAX_BODY: usize = 1 << 30;
/// Room that a header gets for its body before any of that has come.
const MAX_RESERVED: usize = 64 << 20;
/// How much is read from the inner reader at a time.
const CHUNK: usize = 64 << 10;

const CONTENT_LENGTH: &[u8] = b"content-length";

/// See the module documentation.
pub(super) struct MessageFilter<R> {
    inner: R,
    chunk: Box<[u8]>,
    /// Bytes that were read and not yet understood.
    input: Vec<u8>,
    /// Length of the body that follows, once its header was understood.
    body: Option<usize>,
    /// Well-formed messages on their way to tower-lsp, from `written` on.
    output: Vec<u8>,
    written: usize,
    ended: bool,
}

impl<R> MessageFilter<R> {
    pub(super) fn new(inner: R) -> Self {
        MessageFilter {
            inner,
            chunk: vec![0; CHUNK].into_boxed_slice(),
            input: Vec::new(),
            body: None,
            output: Vec::new(),
            written: 0,
            ended: false,
        }
    }

    /// Moves one message from the input to the output; `false` when more input is needed.
    fn advance(&mut self) -> bool {
        match self.body {
            None => self.read_header(),
            Some(length) if self.input.len() >= length => {
                self.body = None;
                let rest = self.input.split_off(length);
                let body = std::mem::replace(&mut self.input, rest);
                self.read_body(body);
                true
            }
            Some(_) => false,
        }
    }

    fn read_header(&mut self) -> bool {
        let Some(end) = header_end(&self.input) else {
            if self.input.len() > MAX_HEADER {
                warn!(
                    bytes = self.input.len(),
                    "no message header found, skipping"
                );
                self.resynchronize(self.input.len());
                return true;
            }
            return false;
        };
        match content_length(&self.input[..end]) {
            Some(length) if length <= MAX_BODY => {
                self.input.drain(..end);
                self.body = Some(length);
                // At once, and not in steps that each copy what is there. The length may be a lie.
                let missing = length.min(MAX_RESERVED).saturating_sub(self.input.len());
                self.input.reserve_exact(missing);
            }
            other => {
                warn!(length = ?other, "unusable message header, skipping");
                self.resynchronize(end);
            }
        }
        true
    }

    /// Drops input up to the next thing that looks like a header, at most `limit` bytes, or more
    /// when that much was looked at in vain.
    fn resynchronize(&mut self, limit: usize) {
        let skip = find_header(&self.input[..limit]).unwrap_or(limit);
        self.input.drain(..skip);
        self.notice(PARSE_ERROR, serde_json::Value::Null);
    }

    fn read_body(&mut self, mut body: Vec<u8>) {
        replace_lone_surrogates(&mut body);
        match serde_json::from_slice::<DecodedMessage>(&body) {
            Ok(DecodedMessage::Response(_) | DecodedMessage::Request(_)) => self.emit(&body),
            Err(error) if error.is_data() => {
                warn!(%error, "not a JSON-RPC message");
                self.notice(INVALID_REQUEST, recover_id(&body));
            }
            Err(error) => {
                warn!(%error, "malformed JSON in a message");
                // A body shorter than announced swallowed the start of the next message.
                if let Some(start) = find_header(&body) {
                    body.drain(..start);
                    body.append(&mut self.input);
                    self.input = body;
                }
                self.notice(PARSE_ERROR, serde_json::Value::Null);
            }
        }
    }

    fn notice(&mut self, method: &str, id: serde_json::Value) {
        self.emit(
            json!({ "jsonrpc": "2.0", "id": id, "method": method })
                .to_string()
                .as_bytes(),
        );
    }

    fn emit(&mut self, body: &[u8]) {
        self.output
            .extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        self.output.extend_from_slice(body);
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for MessageFilter<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        out: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if this.written < this.output.len() {
                let pending = &this.output[this.written..];
                let count = pending.len().min(out.remaining());
                out.put_slice(&pending[..count]);
                this.written += count;
                if this.written == this.output.len() {
                    // A large message must not pin its memory for the rest of the session.
                    this.output = Vec::new();
                    this.written = 0;
                }
                return Poll::Ready(Ok(()));
            }
            if this.advance() {
                continue;
            }
            if this.ended {
                return Poll::Ready(Ok(()));
            }
            let mut chunk = ReadBuf::new(&mut this.chunk);
            let result = ready!(Pin::new(&mut this.inner).poll_read(cx, &mut chunk));
            if let Err(error) = &result {
                warn!(%error, "reading from the client failed");
            }
            this.ended = result.is_err() || chunk.filled().is_empty();
            if this.ended && !this.input.is_empty() {
                warn!(
                    bytes = this.input.len(),
                    "input ended in the middle of a message"
                );
            }
            this.input.extend_from_slice(chunk.filled());
        }
    }
}

/// The parameters that tower-lsp decodes, in the same order and from the same types.
#[derive(Deserialize)]
#[serde(untagged)]
enum DecodedMessage {
    Response(#[expect(dead_code, reason = "only its shape matters")] Response),
    Request(#[expect(dead_code, reason = "only its shape matters")] Request),
}

/// Offset just after the blank line that ends a header section.
fn header_end(input: &[u8]) -> Option<usize> {
    let input = &input[..input.len().min(MAX_HEADER)];
    (0..input.len()).find_map(|at| {
        let rest = &input[at..];
        if rest.starts_with(b"\r\n\r\n") {
            Some(at + 4)
        } else if rest.starts_with(b"\n\n") {
            Some(at + 2)
        } else {
            None
        }
    })
}

fn content_length(header: &[u8]) -> Option<usize> {
    let header = std::str::from_utf8(header).ok()?;
    header.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim()
            .as_bytes()
            .eq_ignore_ascii_case(CONTENT_LENGTH)
            .then(|| value.trim().parse().ok())?
    })
}

/// Offset of the next `Content-Length`, not counting one at the very start.
fn find_header(input: &[u8]) -> Option<usize> {
    input
        .windows(CONTENT_LENGTH.len())
        .skip(1)
        .position(|window| window.eq_ignore_ascii_case(CONTENT_LENGTH))
        .map(|at| at + 1)
}

/// The id of something that is not a message, so that its sender learns what failed.
fn recover_id(body: &[u8]) -> serde_json::Value {
    let Ok(mut value) = serde_json::from_slice::<serde_json::Value>(body) else {
        return serde_json::Value::Null;
    };
    match value.get_mut("id") {
        Some(id) if id.is_i64() || id.is_string() => id.take(),
        _ => serde_json::Value::Null,
    }
}

/// Replaces `\u` escapes of half a surrogate pair by the replacement character.
///
/// Editors written in JavaScript send them when a change splits a pair; they are not valid Unicode,
/// so the decoder would refuse the whole message. The replacement has the same length in bytes
/// and, like the surrogate, one UTF-16 code unit.
fn replace_lone_surrogates(body: &mut [u8]) {
    let mut at = 0;
    while at + 6 <= body.len() {
        if body[at] != b'\\' {
            at += 1;
            continue;
        }
        match escape(&body[at..]) {
            Some(0xd800..=0xdbff) => {
                let low = body.get(at + 6..).and_then(escape);
                if matches!(low, Some(0xdc00..=0xdfff)) {
                    at += 12;
                } else {
                    body[at..at + 6].copy_from_slice(b"\\ufffd");
                    at += 6;
                }
            }
            Some(0xdc00..=0xdfff) => {
                body[at..at + 6].copy_from_slice(b"\\ufffd");
                at += 6;
            }
            // Any other escape: skip the escaped character too, which may be a backslash.
            _ => at += 2,
        }
    }
}

/// The code unit of a `\uXXXX` escape at the start of `text`.
fn escape(text: &[u8]) -> Option<u16> {
    let digits = text.get(..6)?.strip_prefix(b"\\u")?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use tokio::io::AsyncReadExt;

    use super::*;

    fn frame(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    /// Gives one byte at a time.
    struct Bytewise<'a>(&'a [u8]);

    impl AsyncRead for Bytewise<'_> {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            out: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            if let Some((first, rest)) = self.0.split_first() {
                out.put_slice(&[*first]);
                self.0 = rest;
            }
            Poll::Ready(Ok(()))
        }
    }

    fn filtered(reader: impl AsyncRead + Unpin) -> String {
        let mut out = String::new();
        tokio::runtime::Builder::new_current_thread()
            .build()
            .expect("a runtime without drivers")
            .block_on(MessageFilter::new(reader).read_to_string(&mut out))
            .expect("reading from memory");
        out
    }

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the convention of expect-test"
    )]
    fn check(input: &[u8], expect: Expect) {
        let whole = filtered(input);
        assert_eq!(whole, filtered(Bytewise(input)));
        let readable = whole
            .replace("\r\n\r\n", " ")
            .replace("Content-Length", "\n");
        expect.assert_eq(&readable);
    }

    const GOOD: &str = r#"{"jsonrpc":"2.0","method":"a"}"#;

    #[test]
    fn passes_good_messages() {
        check(
            format!(
                "{}{}",
                frame(GOOD),
                frame(r#"{"jsonrpc":"2.0","id":1,"result":null}"#)
            )
            .as_bytes(),
            expect![[r#"

                : 30 {"jsonrpc":"2.0","method":"a"}
                : 38 {"jsonrpc":"2.0","id":1,"result":null}"#]],
        );
    }

    #[test]
    fn tolerates_other_headers() {
        check(
            format!("Content-Type: text/x\r\ncontent-LENGTH:  30 \r\n\r\n{GOOD}").as_bytes(),
            expect![[r#"

                : 30 {"jsonrpc":"2.0","method":"a"}"#]],
        );
    }

    #[test]
    fn survives_malformed_json() {
        check(
            format!("{}{}", frame("{\"jsonrpc\": [}"), frame(GOOD)).as_bytes(),
            expect![[r#"

                : 55 {"id":null,"jsonrpc":"2.0","method":"$/ptx/parseError"}
                : 30 {"jsonrpc":"2.0","method":"a"}"#]],
        );
    }

    #[test]
    fn survives_json_that_is_no_message() {
        check(
            format!("{}{}{}", frame("[1]"), frame(r#"{"id":7}"#), frame(GOOD)).as_bytes(),
            expect![[r#"

                : 59 {"id":null,"jsonrpc":"2.0","method":"$/ptx/invalidRequest"}
                : 56 {"id":7,"jsonrpc":"2.0","method":"$/ptx/invalidRequest"}
                : 30 {"jsonrpc":"2.0","method":"a"}"#]],
        );
    }

    #[test]
    fn survives_wrong_lengths() {
        let long = format!("Content-Length: 25\r\n\r\n{GOOD}{}", frame(GOOD));
        check(
            long.as_bytes(),
            expect![[r#"

                : 55 {"id":null,"jsonrpc":"2.0","method":"$/ptx/parseError"}
                : 55 {"id":null,"jsonrpc":"2.0","method":"$/ptx/parseError"}
                : 30 {"jsonrpc":"2.0","method":"a"}"#]],
        );
        let short = format!("Content-Length: 50\r\n\r\n{GOOD}{}", frame(GOOD));
        check(
            short.as_bytes(),
            expect![[r#"

                : 55 {"id":null,"jsonrpc":"2.0","method":"$/ptx/parseError"}
                : 30 {"jsonrpc":"2.0","method":"a"}"#]],
        );
    }

    #[test]
    fn survives_gigantic_headers_and_bodies() {
        let length = "Content-Length: 99999999999999999999\r\n\r\n";
        check(
            format!("{length}{length}{}", frame(GOOD)).as_bytes(),
            expect![[r#"

                : 55 {"id":null,"jsonrpc":"2.0","method":"$/ptx/parseError"}
                : 55 {"id":null,"jsonrpc":"2.0","method":"$/ptx/parseError"}
                : 30 {"jsonrpc":"2.0","method":"a"}"#]],
        );
        let header = format!("X: {}\r\n\r\n{}", "y".repeat(100_000), frame(GOOD));
        let out = filtered(header.as_bytes());
        assert!(out.ends_with(&frame(GOOD)), "{out}");
    }

    #[test]
    fn survives_invalid_utf8_and_half_messages() {
        let mut input = b"Content-Length: 3\r\n\r\n\"\xff\"".to_vec();
        input.extend_from_slice(frame(GOOD).as_bytes());
        input.extend_from_slice(b"Content-Length: 30\r\n\r\n{\"json");
        check(
            &input,
            expect![[r#"

                : 55 {"id":null,"jsonrpc":"2.0","method":"$/ptx/parseError"}
                : 30 {"jsonrpc":"2.0","method":"a"}"#]],
        );
    }

    #[test]
    fn repairs_lone_surrogates() {
        check(
            frame(r#"{"jsonrpc":"2.0","method":"\ud83d\ude00 \ud83d \ude00 \\ud83d \ud83d"}"#)
                .as_bytes(),
            expect![[r#"

                : 70 {"jsonrpc":"2.0","method":"\ud83d\ude00 \ufffd \ufffd \\ud83d \ufffd"}"#]],
        );
    }
}
