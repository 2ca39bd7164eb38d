//! Names: what they are, with their declarations.

use std::fmt::Write as _;

use isa::system_call::{self, is_optix};
use salsa::Database;
use syntax::{Cursor, NodeOrToken, SyntaxKind, TextRange};

use crate::{
    Access, ExactEntry, FilePosition, Hover, RangeInfo, SymbolKind,
    db::SourceFile,
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

use super::{registers, storage::storage};
use crate::features::{
    demangle::demangled,
    navigation::{declaration_text, path_to},
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

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::{FileRange, fixture::Fixture};

    fn check(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        let shown = match analysis.hover(position).unwrap() {
            Some(hover) => format!(
                "{}\n{}\n",
                fixture.text(FileRange {
                    file: position.file,
                    range: hover.range
                }),
                hover.info.markdown
            ),
            None => "nothing\n".to_owned(),
        };
        expect.assert_eq(&shown);
    }

    #[test]
    fn comments_are_shown_as_they_are() {
        let shown = super::escaped("1. [a](http://b) ![c](d) <img> `e` # f");
        assert_eq!(
            shown,
            "1\\. \\[a\\](http\\://b) \\!\\[c\\](d) \\<img\\> \\`e\\` # f"
        );
        assert_eq!(super::escaped("# a"), "\\# a");
        assert_eq!(super::escaped("Adds n to each."), "Adds n to each.");
    }

    #[test]
    fn mangled_names() {
        check(
            ".func _Z4axpyfPKf(.param .b32 _Z4axpyfPKf_param_0) { }\n.entry k { call _Z4a$0xpyfPKf, (1); }",
            expect![[r#"
                _Z4axpyfPKf
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                .func _Z4axpyfPKf(.param .b32 _Z4axpyfPKf_param_0)
                ```
                Device function

                ```cpp
                axpy(float, float const*)
                ```

                1 use in this file
            "#]],
        );
        check(
            ".func _Z4axpyfPKf(.param .b64 _Z4axpyfPKf_param_1) { .reg .b64 a; ld.param.b64 a, [$0_Z4axpyfPKf_param_1]; }",
            expect![[r#"
                _Z4axpyfPKf_param_1
                `a` of `ld`: the address: a register or a variable, plus an optional integer constant. It is a multiple of the whole access (`.v4.f32`: 16 bytes). Write `.unified` after it, `[a].unified`, if the variable is declared with `.attribute(.unified)`.

                ```ptx
                .param .b64 _Z4axpyfPKf_param_1
                ```
                Parameter in `.param` space, type `.b64`, 64 bits (8 bytes) in `_Z4axpyfPKf`

                Parameter 1, counted from 0, of
                ```cpp
                axpy(float, float const*)
                ```

                1 use in this file
            "#]],
        );
    }

    #[test]
    fn system_calls() {
        let vprintf = ".extern .func (.param .b32 s) vprintf(.param .b64 f, .param .b64 a);";
        check(
            &format!(
                ".address_size 64\n{vprintf}\n.entry k {{ .reg .b64 a; call (_), vpri$0ntf, (a, a); }}"
            ),
            expect![[r#"
                vprintf
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                .extern .func (.param .b32 s) vprintf(.param .b64 f, .param .b64 a)
                ```
                Device function, declared only

                System call

                Prints: `format` and `valist` are generic addresses of the format string and of the arguments, each at its natural alignment

                1 use in this file
            "#]],
        );
        check(
            ".address_size 64\n.entry k { .reg .b64 a; call (a), mal$0loc, (a); }",
            expect![[r#"
                malloc
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                .extern .func (.param .b64 ptr) malloc (.param .b64 size)
                ```
                System call, not declared in this file

                Allocates `size` bytes of the device heap; returns a generic address, 0 if there is not room
            "#]],
        );
        check(
            ".entry k { .reg .b64 a; call (a), _optix_get_sbt_data_ptr$0_64, (); }",
            expect![[r#"
                _optix_get_sbt_data_ptr_64
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                _optix_get_sbt_data_ptr_64
                ```
                Function of OptiX

                OptiX replaces calls of `_optix_…` and `_rt_…` when it compiles the module; they need no declaration. `ptxas` alone rejects them
            "#]],
        );
    }

    #[test]
    fn registers() {
        check(
            ".entry k { \n// Loop counters.\n.reg .b32 %r<10>; mov.b32 %r1$0, %r1; mov.b32 %r2, 1; }",
            expect![[r#"
                %r1
                `d` of `mov`: a register; in braces several, filled from the lowest bits upwards, `_` for parts that are not wanted.

                ```ptx
                .reg .b32 %r<10>
                ```
                Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r1`

                Loop counters.

                Never used

                2 uses in this file

                Probably takes no register of a thread (a constant, a parameter, the same in all threads, or a part of what uses it), live at line 3
            "#]],
        );
        check(
            ".entry k { .reg .b32 $0%r<10>; mov.b32 %r1, %r2; }",
            expect![[r#"
                %r
                ```ptx
                .reg .b32 %r<10>
                ```
                Register, type `.b32`, 32 bits (4 bytes) in `k`: `%r0` to `%r9`

                2 uses in this file
            "#]],
        );
        check(
            ".entry k { .reg .pred p; @p$0 ret; }",
            expect![[r#"
                p
                ```ptx
                .reg .pred p
                ```
                Register, type `.pred` in `k`

                Used before it is written

                1 use in this file

                Takes a predicate, live at line 1
            "#]],
        );
    }

    #[test]
    fn variables() {
        check(
            "// Not about g.\n\n// A table.\n/* Of things. */\n.visible .global .align 16 .v2 .f32 g$0[4][2] = {{1.0}};",
            expect![[r#"
                g
                ```ptx
                .visible .global .align 16 .v2 .f32 g[4][2]
                ```
                Variable in `.global` space, type `.v2 .f32`, 64 bits (8 bytes) × 8 elements = 64 bytes

                A table.  
                Of things.

                0 uses in this file
            "#]],
        );
        check(
            "//- /a.ptx\n.extern .shared .align 16 .b8 buffer$0[];\n",
            expect![[r#"
                buffer
                ```ptx
                .extern .shared .align 16 .b8 buffer[]
                ```
                Variable in `.shared` space, type `.b8`, 8 bits (1 byte) × an unknown number of elements, declared only

                0 uses in this file
            "#]],
        );
    }

    #[test]
    fn functions() {
        check(
            "// .globl k\n// Adds.\n.visible .entry k$0(\n  .param .u64 p // the sum\n) .maxntid 32 { ret; }",
            expect![[r#"
                k
                ```ptx
                .visible .entry k(.param .u64 p) .maxntid 32
                ```
                Kernel

                Adds.

                0 uses in this file
            "#]],
        );
        check(
            "//- /a.ptx\n.extern .func f;\n.entry k { call f$0; }\n//- /b.ptx\n.visible .func f { }",
            expect![[r#"
                f
                `callee` of `call`: the name of a `.func`, or a 32- or 64-bit register with the address of one.

                ```ptx
                .extern .func f
                ```
                Device function, defined in another file

                1 use in this file
            "#]],
        );
        check(
            ".entry k(.param .align 8 .b8 $0p[16]) { ret; }",
            expect![[r#"
                p
                ```ptx
                .param .align 8 .b8 p[16]
                ```
                Parameter in `.param` space, type `.b8`, 8 bits (1 byte) × 16 elements = 16 bytes in `k`

                0 uses in this file
            "#]],
        );
    }

    #[test]
    fn many_parameters_are_folded() {
        let parameters: Vec<String> = (0..27).map(|it| format!(".param .u64 p{it}")).collect();
        check(
            &format!(
                ".visible .entry k$0({}) .maxntid 32 {{ ret; }}",
                parameters.join(", ")
            ),
            expect![[r#"
                k
                ```ptx
                .visible .entry k(
                    .param .u64 p0,
                    .param .u64 p1,
                    .param .u64 p2,
                    // 23 more parameters
                    .param .u64 p26) .maxntid 32
                ```
                Kernel

                0 uses in this file
            "#]],
        );
    }

    #[test]
    fn labels() {
        check(
            ".entry k { L: bra L$0; }",
            expect![[r#"
                L
                `target` of `bra`: a label of the same function, before or after this statement.

                ```ptx
                L:
                ```
                Label in `k`

                1 use in this file
            "#]],
        );
        check(
            ".entry k { $0p: .callprototype _ (.param .b32 _); }",
            expect![[r#"
                p
                ```ptx
                p: .callprototype _ (.param .b32 _);
                ```
                Prototype of an indirect call in `k`

                0 uses in this file
            "#]],
        );
        check(
            ".section .debug_str { $0a: .b8 1 }",
            expect![[r#"
            a
            ```ptx
            a:
            ```
            Label in a debug section

            0 uses in this file
        "#]],
        );
    }

    #[test]
    fn predefined_names() {
        check(
            ".entry k { .reg .b32 r; mov.u32 r, %ntid$0.x; }",
            expect![[r#"
                %ntid
                `a` of `mov`: a register, a constant, a special register, a variable with an optional offset, or a function; in braces the parts, the lowest first.

                ```ptx
                .sreg .v4 .u32 %ntid
                ```
                Special register, read-only

                Shape of the CTA in threads.

                Components: `%ntid.x`, `%ntid.y`, `%ntid.z`

                1 use in this file
            "#]],
        );
        check(
            ".entry k { .reg .b32 r; mov.u32 r, %pm3$0; }",
            expect![[r#"
                %pm3
                `a` of `mov`: a register, a constant, a special register, a variable with an optional offset, or a function; in braces the parts, the lowest first.

                ```ptx
                .sreg .u32 %pm3
                ```
                Special register, read-only

                Lower 32 bits of a performance monitor counter.

                1 use in this file
            "#]],
        );
        check(
            ".entry k { .reg .b32 r; mov.u32 r, WARP_SZ$0; }",
            expect![[r#"
                WARP_SZ
                `a` of `mov`: a register, a constant, a special register, a variable with an optional offset, or a function; in braces the parts, the lowest first.

                ```ptx
                WARP_SZ
                ```
                Number of threads in a warp, a constant of the target: 32

                1 use in this file
            "#]],
        );
        check(
            ".entry k { r$0et; }",
            expect![[r#"
                ret
                ```ptx
                ret
                ret;
                ```

                Returns from a function; in a kernel it ends the thread.

                - Results are not operands: store them in the return parameters first.
                - Threads of a warp that return at different places wait for each other before the caller continues, unless `.uni` is given.
                - In an entry function it is the same as `exit`. To end the thread from a function, use `exit`.
                - A `ret` in a function declared `.noreturn` is undefined behaviour.


                See also `call`, `exit`

                [PTX ISA 9.7.13.6](https://docs.nvidia.com/cuda/parallel-thread-execution/#control-flow-instructions-ret)
            "#]],
        );
    }
}
