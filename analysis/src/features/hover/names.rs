//! Names: what they are, with their declarations.

#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use isa::system_call::{self, is_optix};
use salsa::Database;
use syntax::{Cursor, NodeOrToken, SyntaxKind, TextRange};

use crate::{
    Access, ExactEntry, FilePosition, Hover, RangeInfo, SymbolKind,
    db::SourceFile,
    demangle::demangled,
    hir::{
        body::{declarations as declarations_of, is_longer},
        declared::address_bytes,
        items::items,
        module::{DeclarationSource, module_body},
        symbol::{
            Symbol, declaration_symbol_kind, declarations, linked_files, name_at, occurrences,
            word_at,
        },
    },
};

use super::{registers, storage::storage, value::value};
use crate::features::navigation::{
    target::{declaration_text, path_to},
    values,
};

/// Longer declarations are shown with a line for each parameter.
const MAX_LINE: usize = 80;
/// A longer list of parameters is reduced to so many of the first, and the last.
const MAX_PARAMETERS: usize = 8;
const SHOWN_PARAMETERS: usize = 3;

/// Bytes of a function from which on uses are not counted while somebody waits.
const COUNTED: u32 = 1 << 20;

/// The meaning of the name at a position.
pub(super) fn hover(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
    exact: &[ExactEntry],
) -> Option<RangeInfo<Hover>> {
    let Some(name) = name_at(db, file, at.offset) else {
        return undeclared(db, file, at);
    };
    let mut markdown = match &name.symbol {
        Symbol::Local {
            function,
            definition,
            member,
        } => {
            let body = declarations_of(db, *function);
            let found = body.definition(*definition);
            describe(
                &function.green(db).cursor(),
                (found.name_range, found.full_range),
                found.kind,
                found.count.map(|count| (&*found.name, count, *member)),
                Some(function.name(db)),
            )
        }
        Symbol::Module { file, name, member } => module_name(db, *file, name, *member)?,
        Symbol::SectionLabel { name, .. } => {
            format!("```ptx\n{name}:\n```\nLabel in a debug section")
        }
        Symbol::Special(index, number) => special(*index, *number)?,
        Symbol::WarpSize => {
            "```ptx\nWARP_SZ\n```\nNumber of threads in a warp, a constant of the target: 32"
                .to_owned()
        }
    };
    let too_long = match name.symbol {
        Symbol::Local { function, .. } => is_longer(db, function, COUNTED),
        _ => false,
    };
    if let Symbol::Local { .. } | Symbol::Module { .. } = name.symbol
        && let Some(found) = word_at(db, file, at.offset).and_then(|it| demangled(it.text()))
    {
        let _ = match found.parameter {
            Some(number) => write!(
                markdown,
                "\n\nParameter {number}, counted from 0, of\n```cpp\n{}\n```",
                found.name
            ),
            None => write!(markdown, "\n\n```cpp\n{}\n```", found.name),
        };
    }
    if too_long {
        // The rest takes a look at all of the function.
        markdown.push_str("\n\nUses are not counted while hovering in a function of this length");
        return Some(RangeInfo {
            range: name.range,
            info: Hover {
                markdown,
                figure: None,
            },
        });
    }
    if let Some(value) = value(db, file, at) {
        let _ = write!(markdown, "\n\n{value}");
    }
    if let Some(value) = values::describe(db, file, at) {
        let _ = write!(markdown, "\n\n{value}");
    }
    let mut first = None;
    let uses = occurrences(db, &name.symbol, file)
        .iter()
        .filter(|it| it.access != Access::Declaration)
        .count();
    let plural = if uses == 1 { "" } else { "s" };
    let _ = write!(markdown, "\n\n{uses} use{plural} in this file");
    let more = match &name.symbol {
        Symbol::Local { .. } => registers::life(db, file, at),
        Symbol::Module { file, name, .. } => {
            first = registers::of_name(db, *file, name, exact);
            None
        }
        _ => None,
    };
    // The first lines are those that are read.
    if let Some(first) = first {
        markdown = format!("{first}\n\n{markdown}");
    }
    if let Some(more) = more {
        let _ = write!(markdown, "\n\n{more}");
    }
    Some(RangeInfo {
        range: name.range,
        info: Hover {
            markdown,
            figure: None,
        },
    })
}

/// A function that is not declared but known: a system call, or one of OptiX.
fn undeclared(db: &dyn Database, file: SourceFile, at: FilePosition) -> Option<RangeInfo<Hover>> {
    let word = word_at(db, file, at.offset)?;
    let name = word.text();
    let markdown = if let Some(call) = system_call::find(name) {
        format!(
            "```ptx\n{}\n```\nSystem call, not declared in this file\n\n{}",
            broken_up(call.prototype(address_bytes(db, file))),
            call.description
        )
    } else if is_optix(name) {
        format!(
            "```ptx\n{name}\n```\nFunction of OptiX\n\nOptiX replaces calls of `_optix_…` and `_rt_…` \
             when it compiles the module; they need no declaration. `ptxas` alone rejects them"
        )
    } else {
        return None;
    };
    Some(RangeInfo {
        range: word.text_range(),
        info: Hover {
            markdown,
            figure: None,
        },
    })
}

/// A long declaration with a line for each parameter; of many only the first and the last.
fn broken_up(text: String) -> String {
    if text.len() <= MAX_LINE {
        return text;
    }
    let text = text.replace("(.", "(\n    .").replace(", .", ",\n    .");
    let lines: Vec<&str> = text.lines().collect();
    let parameters = lines.len().saturating_sub(1);
    if parameters <= MAX_PARAMETERS {
        return text;
    }
    let hidden = parameters - SHOWN_PARAMETERS - 1;
    let (first, last) = (&lines[..=SHOWN_PARAMETERS], &lines[parameters..]);
    format!(
        "{}\n    // {hidden} more parameters\n{}",
        first.join("\n"),
        last.join("\n")
    )
}

/// A name of a module: the definition, or the first declaration.
fn module_name(
    db: &dyn Database,
    file: SourceFile,
    name: &str,
    member: Option<u32>,
) -> Option<String> {
    let all = declarations(db, file, name, member);
    let shown = all.iter().find(|it| it.defined).or(all.first())?;
    let items = items(db, file);
    let mut markdown = match shown.source {
        DeclarationSource::Variable(index) => {
            let variable = &module_body(db, items.module).variables[index as usize];
            let item = &items.module.items(db)[variable.item as usize];
            describe(
                &item.green.cursor(),
                (variable.name_range, variable.full_range),
                variable.kind,
                variable.count.map(|count| (name, count, member)),
                None,
            )
        }
        DeclarationSource::Function(index) => {
            let function = items.functions[index as usize];
            let range = declarations_of(db, function).name?;
            let kind = declaration_symbol_kind(db, file, shown);
            let cursor = function.green(db).cursor();
            describe(&cursor, (range, cursor.range()), kind, None, None)
        }
        DeclarationSource::Prototype(index, definition) => {
            let function = items.functions[index as usize];
            let body = declarations_of(db, function);
            let found = body.definition(definition);
            let cursor = function.green(db).cursor();
            let ranges = (found.name_range, found.full_range);
            describe(&cursor, ranges, found.kind, None, None)
        }
    };
    if !shown.defined {
        let elsewhere = linked_files(db, file, name).into_iter().any(|it| {
            declarations(db, it, name, member)
                .iter()
                .any(|it| it.defined)
        });
        markdown.push_str(if elsewhere {
            ", defined in another file"
        } else {
            ", declared only"
        });
        if let Some(call) = system_call::find(name).filter(|_| !elsewhere) {
            let _ = write!(markdown, "\n\nSystem call\n\n{}", call.description);
        }
    }
    Some(markdown)
}

/// Text, kind and size of a declaration, and the comment above it.
fn describe(
    item: &Cursor<'_>,
    (name, full): (TextRange, TextRange),
    kind: SymbolKind,
    family: Option<(&str, u32, Option<u32>)>,
    container: Option<&str>,
) -> String {
    let text = broken_up(declaration_text(item, name, full));
    let mut out = format!("```ptx\n{text}\n```\n");
    let path = path_to(item, name.start());
    let declaration = path.iter().rev().find(|it| {
        matches!(
            it.kind(),
            SyntaxKind::VARIABLE_DECLARATION
                | SyntaxKind::PARAMETER
                | SyntaxKind::LABEL
                | SyntaxKind::FUNCTION
        )
    });
    let declarator = path
        .iter()
        .rev()
        .find(|it| matches!(it.kind(), SyntaxKind::DECLARATOR | SyntaxKind::PARAMETER));
    out.push_str(match kind {
        SymbolKind::Entry => "Kernel",
        SymbolKind::Function => "Device function",
        SymbolKind::Prototype => "Prototype of an indirect call",
        SymbolKind::Parameter => "Parameter",
        SymbolKind::Register => "Register",
        SymbolKind::Label => "Label",
        SymbolKind::TargetList => "List of targets",
        _ => "Variable",
    });
    if let (Some(declaration), Some(declarator)) = (declaration, declarator)
        && declaration.kind() != SyntaxKind::FUNCTION
        && kind != SymbolKind::Label
    {
        storage(&mut out, declaration, declarator, kind);
    }
    if let Some(container) = container {
        let _ = write!(out, " in `{container}`");
    }
    match family {
        Some((prefix, _, Some(member))) => {
            let _ = write!(out, ": `{prefix}{member}`");
        }
        Some((prefix, count, None)) if count > 0 => {
            let _ = write!(out, ": `{prefix}0` to `{prefix}{}`", count - 1);
        }
        _ => {}
    }
    if let Some(comment) = declaration.and_then(comment_above) {
        let _ = write!(out, "\n\n{comment}");
    }
    out
}

/// The comments directly above a declaration, without their delimiters.
fn comment_above(node: &Cursor<'_>) -> Option<String> {
    let mut lines: Vec<&str> = Vec::new();
    // A comment on the line of the token before belongs to that token.
    let mut own_line = node.range().start() == 0.into();
    for child in node.children() {
        let NodeOrToken::Token(token) = child else {
            break;
        };
        match token.kind() {
            SyntaxKind::WHITESPACE => {
                let breaks = token.text().matches('\n').count();
                own_line |= breaks > 0;
                if breaks > 1 {
                    lines.clear();
                }
            }
            SyntaxKind::LINE_COMMENT | SyntaxKind::BLOCK_COMMENT if own_line => {
                let text = token.text();
                let text = text
                    .strip_prefix("/*")
                    .map_or(text, |it| it.strip_suffix("*/").unwrap_or(it));
                lines.extend(
                    text.lines()
                        .map(|line| line.trim().trim_start_matches(['/', '*']).trim()),
                );
            }
            SyntaxKind::LINE_COMMENT | SyntaxKind::BLOCK_COMMENT | SyntaxKind::LINE_MARKER => {}
            _ => break,
        }
    }
    // Compilers leave notes for assemblers and for their own tests.
    lines.retain(|it| !it.is_empty() && !it.starts_with(".globl") && !it.starts_with("-- "));
    let lines: Vec<String> = lines.into_iter().map(escaped).collect();
    (!lines.is_empty()).then(|| lines.join("  \n"))
}

/// A text so that Markdown shows it as it is: no links, no images, no HTML, no code.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, it) in text.char_indices() {
        let special = matches!(
            it,
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '!'
        );
        // Headings, lists and quotes begin at the start of a line, and so do numbered lists.
        let starts = index == 0 && matches!(it, '#' | '+' | '-' | '=');
        let numbers = matches!(it, '.' | ')')
            && index > 0
            && text[..index].bytes().all(|it| it.is_ascii_digit());
        // A bare address becomes a link.
        let address = it == ':' && text[index..].starts_with("://");
        if special || starts || numbers || address {
            out.push('\\');
        }
        out.push(it);
    }
    out
}

fn special(index: u16, number: Option<u32>) -> Option<String> {
    let register = isa::special::get(index)?;
    let name = register.written(number);
    let vector = if register.components.is_empty() {
        ""
    } else {
        ".v4 "
    };
    let mut out = format!(
        "```ptx\n.sreg {vector}{} {name}\n```\nSpecial register, read-only\n\n{}",
        register.ty, register.description
    );
    if !register.components.is_empty() {
        let names: Vec<String> = register
            .components
            .iter()
            .map(|it| format!("`{name}{it}`"))
            .collect();
        let _ = write!(out, "\n\nComponents: {}", names.join(", "));
    }
    Some(out)
}
