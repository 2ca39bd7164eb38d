//! How messages about settings show what a setting holds.

use serde_json::Value;

/// A value for a message, shortened.
pub(super) fn shown(value: &Value) -> String {
    shortened(value.to_string())
}

/// A name for a message, on one line and shortened.
pub(super) fn name(name: &str) -> String {
    shortened(name.escape_debug().collect())
}

/// A reason for a message; it may quote what a setting holds.
pub(super) fn on_one_line(text: &str) -> String {
    let escaped = |it: char| match it.is_control() {
        true => it.escape_default().collect(),
        false => it.to_string(),
    };
    text.chars().map(escaped).collect()
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
