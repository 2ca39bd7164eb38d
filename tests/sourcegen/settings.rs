//! The settings of the server, where editors have to state them again.

use std::fmt::Write as _;

use analysis::DIAGNOSTIC_CODES;
use server::config::{SETTINGS, SettingType};

/// Columns of the help of Vim.
const HELP_WIDTH: usize = 78;

/// Puts `fresh` between the lines with these texts, which stay.
///
/// # Panics
/// When one of them is missing.
fn between(text: &str, first: &str, last: &str, fresh: &str) -> String {
    let missing = |line: &str| panic!("there is no line with {line}");
    let start = text.find(first).unwrap_or_else(|| missing(first));
    let start = start + text[start..].find('\n').map_or(0, |it| it + 1);
    let end = text[start..].find(last).unwrap_or_else(|| missing(last));
    let end = text[..start + end].rfind('\n').map_or(0, |it| it + 1);
    format!("{}{fresh}{}", &text[..start], &text[end..])
}

/// The help of the Neovim plugin with the settings and their defaults.
pub(crate) fn vim_help(text: &str) -> String {
    let mut fresh = String::new();
    for setting in SETTINGS {
        // The empty object of JSON is a list in Lua.
        let default = match setting.default().to_string().replace('"', "'").as_str() {
            "null" => "vim.NIL".to_owned(),
            "[]" => "{}".to_owned(),
            other => other.to_owned(),
        };
        let name = format!("`{}`", setting.name);
        let width = HELP_WIDTH - name.len();
        let _ = writeln!(fresh, "{name}{:>width$}", format!("(default `{default}`)"));
        let mut words = setting.description.to_owned();
        if setting.ty != SettingType::Bool {
            let _ = write!(words, " It must be {}.", setting.ty.describe());
        }
        let mut line = " ".repeat(7);
        for word in words.split(' ') {
            if line.chars().count() + 1 + word.chars().count() > HELP_WIDTH {
                let _ = writeln!(fresh, "{line}");
                line = " ".repeat(7);
            }
            line.push(' ');
            line.push_str(word);
        }
        let _ = writeln!(fresh, "{line}");
    }
    between(
        text,
        "The settings, with their defaults: ~",
        "*ptx_analyzer.setup()*",
        &fresh,
    )
}

/// The manifest of the VS Code extension with the codes of problems, which its editor of settings offers.
pub(crate) fn manifest(text: &str) -> String {
    let codes: Vec<_> = DIAGNOSTIC_CODES
        .iter()
        .map(|it| format!("              \"{}\"", it.name))
        .collect();
    between(
        text,
        "\"propertyNames\": {",
        "\"additionalProperties\": {\n            \"type\": \"string\"",
        &format!(
            "            \"enum\": [\n{}\n            ]\n          }},\n",
            codes.join(",\n")
        ),
    )
}
