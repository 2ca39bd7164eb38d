//! `ptx-analyzer explain`: documentation in a terminal.

use std::io;

use analysis::{DocumentationKey, documentation, documented};

use super::{FAILED, Io};
use crate::lsp::markdown::to_plain_text;

/// Names that are proposed for an unknown one.
const MAX_PROPOSED: usize = 8;

#[derive(Debug, clap::Args)]
pub(super) struct ExplainArgs {
    /// Opcodes, modifiers, special registers, directives, types, targets, versions or codes of problems.
    #[arg(value_name = "NAME", required_unless_present = "list")]
    names: Vec<String>,
    /// Print every name that has documentation.
    #[arg(long)]
    list: bool,
    /// Print the Markdown as it is.
    #[arg(long)]
    markdown: bool,
}

pub(super) fn run(args: &ExplainArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let known = documented();
    if args.list {
        for (name, key) in &known {
            writeln!(io.stdout, "{name}\t{}", kind(key))?;
        }
        return Ok(0);
    }
    let mut status = 0;
    for (index, name) in args.names.iter().enumerate() {
        if index > 0 {
            writeln!(io.stdout)?;
        }
        let found: Vec<_> = known.iter().filter(|it| is_called(&it.0, name)).collect();
        for (number, (shown, key)) in found.iter().enumerate() {
            let text = documentation(key).unwrap_or_default();
            let text = if args.markdown {
                text
            } else {
                to_plain_text(&text)
            };
            if number > 0 {
                writeln!(io.stdout)?;
            }
            writeln!(io.stdout, "{shown} ({})\n\n{}", kind(key), text.trim_end())?;
        }
        if found.is_empty() {
            status = FAILED;
            write!(io.stderr, "error: nothing is called `{name}`")?;
            let similar = similar(name, &known);
            if similar.is_empty() {
                writeln!(
                    io.stderr,
                    "; `ptx-analyzer explain --list` prints all names"
                )?;
            } else {
                writeln!(io.stderr, "; did you mean {}?", similar.join(", "))?;
            }
        }
    }
    Ok(status)
}

/// Whether a name is meant, with or without its full stop or per cent sign.
fn is_called(name: &str, asked: &str) -> bool {
    let plain = |it: &str| it.trim_start_matches(['.', '%']).to_ascii_lowercase();
    name == asked || plain(name) == plain(asked)
}

/// Names that contain the letters of the asked one in their order, the shortest first.
fn similar(asked: &str, known: &[(String, DocumentationKey)]) -> Vec<String> {
    let mut found: Vec<&str> = known
        .iter()
        .map(|it| it.0.as_str())
        .filter(|name| {
            let mut letters = name.chars();
            asked
                .chars()
                .all(|wanted| letters.any(|it| it.eq_ignore_ascii_case(&wanted)))
        })
        .collect();
    found.sort_by_key(|it| (it.len(), *it));
    found.dedup();
    found.truncate(MAX_PROPOSED);
    found.into_iter().map(str::to_owned).collect()
}

fn kind(key: &DocumentationKey) -> &'static str {
    match key {
        DocumentationKey::Instruction(_) => "instruction",
        DocumentationKey::Modifier { .. } => "modifier",
        DocumentationKey::SpecialRegister(_) => "special register",
        DocumentationKey::Directive(_) => "directive",
        DocumentationKey::Type(_) => "type",
        DocumentationKey::StateSpace(_) => "state space",
        DocumentationKey::Target(_) => "target",
        DocumentationKey::Version(_) => "version",
        DocumentationKey::Pragma(_) => "pragma",
        DocumentationKey::Concept(_) => "concept",
        DocumentationKey::Diagnostic(_) => "problem",
    }
}
