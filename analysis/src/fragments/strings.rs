//! Statements of C++ whose template is not a string.

use syntax::host::{Dialect, Part, Statement};

use crate::diagnostics::registry::ASM_STRING;

use super::{report::Report, source::Source};

/// The rule of nvcc.
const LITERAL: &str = "the assembly of a statement is a string literal";
/// So many names of a file are looked up: each look takes as long as the file.
pub(super) const LOOKS: u32 = 64;

/// Reports what is in the place of a string; whether something is. `looks` names may still be looked up.
pub(super) fn find(
    source: &Source<'_>,
    statement: &Statement,
    looks: &mut u32,
    report: &mut Report,
) -> bool {
    if statement.dialect != Dialect::Cuda || statement.in_define || !statement.complete {
        return false;
    }
    let before = report.diagnostics.len();
    for (index, part) in statement.template.iter().enumerate() {
        match part {
            Part::Unknown(range) if index > 0 && matches!(source.text(*range), "+" | ",") => {
                let message =
                    "adjacent strings are joined: nothing is allowed between them".to_owned();
                report.add(source.in_file(*range), ASM_STRING, message);
            }
            Part::Unknown(range) if source.text(*range).ends_with('"') => {
                let text = source.text(*range);
                let prefix = text.split('"').next().unwrap_or_default();
                if matches!(prefix.trim_end_matches('R'), "L" | "u" | "U") {
                    let message = format!(
                        "a string with the prefix `{prefix}` is not assembled: write it without one"
                    );
                    report.add(source.in_file(*range), ASM_STRING, message);
                }
            }
            Part::Unknown(range) if index == 0 && source.text(*range) == "'" => {
                let whole = statement.template.iter().filter_map(|it| match it {
                    Part::Unknown(it) | Part::Name(it) => Some(*it),
                    _ => None,
                });
                let whole = whole.reduce(|a, b| a.cover(b)).unwrap_or(*range);
                report.add(source.in_file(whole), ASM_STRING, LITERAL.to_owned());
            }
            Part::Name(range)
                if source
                    .text(*range)
                    .starts_with(|it: char| it.is_ascii_digit()) =>
            {
                report.add(source.in_file(*range), ASM_STRING, LITERAL.to_owned());
            }
            Part::Name(range) if statement.template.len() == 1 && *looks > 0 => {
                let name = source.text(*range);
                *looks -= 1;
                if source.macros().named(source.all(), name).is_empty()
                    && declares(source.all(), name)
                {
                    let message = format!(
                        "the assembly of a statement is a string literal, and `{name}` is a variable: a macro can stand for one"
                    );
                    report.add(source.in_file(*range), ASM_STRING, message);
                }
            }
            _ => {}
        }
    }
    report.diagnostics.len() > before
}

/// Whether a program declares a variable: its name follows a type, and an initializer or a bracket follows it.
fn declares(text: &str, name: &str) -> bool {
    let bytes = text.as_bytes();
    let part = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    memchr::memmem::find_iter(bytes, name).any(|at| {
        let (before, after) = (&bytes[..at], &bytes[at + name.len()..]);
        let between = before.len() - before.trim_ascii_end().len();
        let typed = before
            .trim_ascii_end()
            .last()
            .is_some_and(|it| matches!(it, b'*' | b'&' | b'>') || between > 0 && part(*it));
        let line = before.rsplit(|it| *it == b'\n').next().unwrap_or_default();
        let after = after.trim_ascii_start();
        let initialized = after.starts_with(b"[")
            || after.starts_with(b"{")
            || after.starts_with(b"=") && !after.starts_with(b"==");
        typed && initialized && !line.trim_ascii_start().starts_with(b"#")
    })
}
