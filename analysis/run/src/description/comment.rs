//! Descriptions in comments: `// run:` and the lines that continue it.
//!
//! A comment has the keys of a launch file with a blank between one value and the next key. Lines that begin with `//`
//! and at least two blanks continue it. The text is made TOML without moving a byte, so that places stay right.

use analysis::EntryPlace;

use super::{problem::Problem, value::Value};

const WORD: &str = EntryPlace::RUN_WORD;

/// A description in a comment.
#[derive(Clone, Debug)]
pub struct Comment {
    /// Where the comment begins in the text, in bytes.
    pub start: usize,
    /// Where its last line ends.
    pub end: usize,
    /// The keys, with places in the text; or the mistake.
    pub value: Result<Value, Problem>,
}

/// Finds the descriptions in the comments of a text.
#[must_use]
pub fn comments(text: &str) -> Vec<Comment> {
    let mut found = Vec::new();
    let mut lines = lines(text).peekable();
    while let Some((start, line)) = lines.next() {
        let Some(inside) = after_slashes(line).and_then(|at| {
            let rest = &line[at..];
            let word = rest.trim_start();
            word.starts_with(WORD)
                .then(|| at + rest.len() - word.len() + WORD.len())
        }) else {
            continue;
        };
        #[expect(clippy::single_range_in_vec_init, reason = "more lines follow")]
        let mut parts = vec![start + inside..start + line.len()];
        while let Some((next, line)) = lines.peek() {
            let Some(at) = after_slashes(line).filter(|at| continues(&line[*at..])) else {
                break;
            };
            parts.push(next + at..next + line.len());
            lines.next();
        }
        let end = parts.last().map_or(start, |it| it.end);
        found.push(Comment {
            start,
            end,
            value: Value::parse(&document(text, start, &parts))
                .map(|it| shifted(it, start))
                .map_err(|it| Problem {
                    span: it.span.start + start..it.span.end + start,
                    ..it
                }),
        });
    }
    found
}

/// The lines of a text without their ends, and where they begin.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end_matches(['\n', '\r']))
    })
}

/// Where the text of a line begins that is nothing but a comment.
fn after_slashes(line: &str) -> Option<usize> {
    let rest = line.trim_start().strip_prefix("//")?;
    Some(line.len() - rest.len())
}

/// Whether the text after the slashes of a line continues a description.
fn continues(rest: &str) -> bool {
    rest.starts_with("  ") || rest.starts_with('\t')
}

/// The document of a comment: as long as the comment, with a line for each key.
fn document(text: &str, start: usize, parts: &[std::ops::Range<usize>]) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        // A blank for each byte between the parts; whatever splits keys is put there, too.
        bytes.resize(part.start - start, b' ');
        bytes.extend_from_slice(&text.as_bytes()[part.clone()]);
    }
    split(&mut bytes);
    // Bytes of whole lines, and blanks.
    String::from_utf8(bytes).unwrap_or_default()
}

/// Ends the line after each value.
fn split(bytes: &mut [u8]) {
    let (mut depth, mut quote) = (0_u32, None);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match (quote, byte) {
            (Some(b'"'), b'\\') => at += 1,
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'[' | b'{') => depth += 1,
            (None, b']' | b'}') => depth = depth.saturating_sub(1),
            (None, b' ' | b'\t') if depth == 0 => {
                let end = bytes[at..].iter().position(|it| !is_blank(*it));
                let end = end.map_or(bytes.len(), |it| at + it);
                let is_equals = |at: Option<usize>| at.and_then(|it| bytes.get(it)) == Some(&b'=');
                if !is_equals(Some(end)) && !is_equals(at.checked_sub(1)) && at > 0 {
                    bytes[at] = b'\n';
                }
                at = end - 1;
            }
            _ => {}
        }
        at += 1;
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// The value with its places moved by so many bytes.
fn shifted(mut value: Value, by: usize) -> Value {
    value.shift(by);
    value
}
