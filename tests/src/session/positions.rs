//! Answers name places that the document has. Some clients clip others, some fail on them.

use serde_json::Value;
use syntax::text::{Encoding, LineTable};

/// Places in an answer that are not in the document: a line or a column too far, a range that ends
/// before it begins.
pub(super) fn misplaced(answer: &Value, uri: &str, lines: &LineTable) -> Option<String> {
    match answer {
        Value::Array(entries) => entries.iter().find_map(|it| misplaced(it, uri, lines)),
        Value::Object(fields) => {
            let elsewhere = |name: &str| fields.get(name).is_some_and(|it| it != uri);
            if elsewhere("uri") || elsewhere("targetUri") {
                return None;
            }
            if let Some(at) = place(answer)
                && column_limit(lines, at.0).is_none_or(|most| most < at.1)
            {
                return Some(format!("{answer} is beyond the text"));
            }
            let ends = ["start", "end"].map(|it| fields.get(it).and_then(place));
            if let [Some(start), Some(end)] = ends
                && end < start
            {
                return Some(format!("{answer} ends before it begins"));
            }
            let mut inner = fields.iter();
            inner.find_map(|(name, value)| {
                // Edits of other documents are after their names.
                let of_another = name.contains(':') && name != uri;
                let found = (!of_another).then(|| misplaced(value, uri, lines))??;
                Some(format!("{name}: {found}"))
            })
        }
        _ => None,
    }
}

/// Encoded semantic tokens that are not inside a line, or that are before the token before it.
pub(super) fn misplaced_token(data: &Value, lines: &LineTable) -> Option<String> {
    let numbers: Vec<u64> = data.as_array()?.iter().filter_map(Value::as_u64).collect();
    let (mut line, mut character, mut end) = (0, 0, 0);
    for token in numbers.chunks_exact(5) {
        if token[0] > 0 {
            (line, character, end) = (line + token[0], 0, 0);
        }
        character += token[1];
        let most = column_limit(lines, line);
        if character < end || most.is_none_or(|it| it < character + token[2]) {
            return Some(format!("a token at {line}:{character}, {} long", token[2]));
        }
        end = character + token[2];
    }
    (!numbers.len().is_multiple_of(5)).then(|| "half a token".to_owned())
}

fn place(value: &Value) -> Option<(u64, u64)> {
    Some((
        value.get("line")?.as_u64()?,
        value.get("character")?.as_u64()?,
    ))
}

/// The number of columns of a line; `None` after the last one.
fn column_limit(lines: &LineTable, line: u64) -> Option<u64> {
    let line = u32::try_from(line)
        .ok()
        .filter(|it| *it < lines.line_count())?;
    let end = lines.position(lines.line_end(line), Encoding::Utf16);
    Some(end.character.into())
}
