//! `ptx-analyzer explain`: documentation in a terminal.

use std::io;

use analysis::{DocumentationKey, documentation, documented};

use super::{FAILED, Io};
use crate::{
    dictionary::{called, kind},
    lsp::markdown::to_plain_text,
};

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
    if args.list {
        for (name, key) in &documented() {
            writeln!(io.stdout, "{name}\t{}", kind(key))?;
        }
        return Ok(0);
    }
    let mut status = 0;
    for (index, name) in args.names.iter().enumerate() {
        if index > 0 {
            writeln!(io.stdout)?;
        }
        let found = called(name);
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
            let similar = similar(name, &documented());
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
