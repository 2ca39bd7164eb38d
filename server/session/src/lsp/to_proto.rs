//! From the analysis to LSP.

use std::sync::LazyLock;

use analysis::{
    Access, CodeActionKind, DIAGNOSTIC_CODES, DiagnosticTag, DocumentSymbol, Fold, FoldKind,
    Reference, Severity, SymbolKind,
};
use rustc_hash::FxHashMap;
use syntax::{
    TextRange,
    text::{Edit, Encoding, LineTable},
};

use super::lsp_types::{
    self, DiagnosticSeverity, DocumentHighlightKind, FoldingRange, FoldingRangeKind,
    NumberOrString, Position, Range, SelectionRange, SymbolInformation, TextEdit, Url,
};

/// A range in the client's columns.
pub fn range(range: TextRange, lines: &LineTable, encoding: Encoding) -> Range {
    let position = |offset| {
        let position = lines.position(offset, encoding);
        Position::new(position.line, position.character)
    };
    Range::new(position(range.start()), position(range.end()))
}

/// The severity of a diagnostic.
pub fn severity(severity: Severity) -> DiagnosticSeverity {
    match severity {
        Severity::Error => DiagnosticSeverity::ERROR,
        Severity::Warning => DiagnosticSeverity::WARNING,
        Severity::Information => DiagnosticSeverity::INFORMATION,
        Severity::Hint => DiagnosticSeverity::HINT,
    }
}

/// How a diagnostic may be shown.
pub fn diagnostic_tag(tag: DiagnosticTag) -> lsp_types::DiagnosticTag {
    match tag {
        DiagnosticTag::Unnecessary => lsp_types::DiagnosticTag::UNNECESSARY,
        DiagnosticTag::Deprecated => lsp_types::DiagnosticTag::DEPRECATED,
    }
}

/// Who reports the diagnostics of a code.
pub fn source(code: &str) -> &'static str {
    match code {
        analysis::PTXAS_CODE => "ptxas",
        _ => "ptx-analyzer",
    }
}

/// The code of a diagnostic.
pub fn code(code: &str) -> NumberOrString {
    NumberOrString::String(code.to_owned())
}

/// The kind of code actions that rename.
pub const RENAME: lsp_types::CodeActionKind = lsp_types::CodeActionKind::new("refactor.rename");

/// The kind of a code action.
pub fn code_action_kind(kind: CodeActionKind) -> lsp_types::CodeActionKind {
    match kind {
        CodeActionKind::QuickFix => lsp_types::CodeActionKind::QUICKFIX,
        CodeActionKind::FixAll => lsp_types::CodeActionKind::SOURCE_FIX_ALL,
    }
}

/// The documentation page of a diagnostic code.
pub fn code_description(code: &str) -> Option<lsp_types::CodeDescription> {
    // A file may have a thousand diagnostics, and reading an address takes longer than writing it.
    static PAGES: LazyLock<FxHashMap<&'static str, Url>> = LazyLock::new(|| {
        let page = |code: &str| {
            let repository = env!("CARGO_PKG_REPOSITORY");
            Url::parse(&format!(
                "{repository}/blob/main/analysis/docs/diagnostics/{code}.md"
            ))
        };
        let codes = DIAGNOSTIC_CODES.iter().map(|it| it.name);
        codes.filter_map(|it| Some((it, page(it).ok()?))).collect()
    });
    let href = PAGES.get(code)?.clone();
    Some(lsp_types::CodeDescription { href })
}

/// Only kinds of the first version of LSP, which every client has an icon for.
pub fn symbol_kind(kind: SymbolKind) -> lsp_types::SymbolKind {
    match kind {
        SymbolKind::Entry | SymbolKind::Function | SymbolKind::Alias => {
            lsp_types::SymbolKind::FUNCTION
        }
        SymbolKind::Prototype => lsp_types::SymbolKind::INTERFACE,
        SymbolKind::Variable | SymbolKind::Register => lsp_types::SymbolKind::VARIABLE,
        SymbolKind::Parameter => lsp_types::SymbolKind::PROPERTY,
        SymbolKind::SpecialRegister => lsp_types::SymbolKind::CONSTANT,
        SymbolKind::Label | SymbolKind::SectionLabel => lsp_types::SymbolKind::FIELD,
        SymbolKind::TargetList => lsp_types::SymbolKind::ARRAY,
        SymbolKind::Section | SymbolKind::WarpRole => lsp_types::SymbolKind::NAMESPACE,
        SymbolKind::SourceFile => lsp_types::SymbolKind::FILE,
        SymbolKind::Directive => lsp_types::SymbolKind::MODULE,
    }
}

/// The kind of access that a use is.
pub fn highlight_kind(reference: &Reference) -> DocumentHighlightKind {
    match reference.access {
        _ if reference.other_value => DocumentHighlightKind::TEXT,
        // A declaration of PTX gives no value, yet editors show "write" for where a name begins.
        Access::Declaration | Access::Write => DocumentHighlightKind::WRITE,
        Access::Read => DocumentHighlightKind::READ,
    }
}

/// The word for how a name is used.
pub fn access(access: Access) -> &'static str {
    match access {
        Access::Declaration => "declaration",
        Access::Read => "read",
        Access::Write => "write",
    }
}

/// The outline as a tree.
pub fn document_symbols(
    symbols: Vec<DocumentSymbol>,
    lines: &LineTable,
    encoding: Encoding,
) -> Vec<lsp_types::DocumentSymbol> {
    let convert = |symbol: DocumentSymbol| {
        let children = document_symbols(symbol.children, lines, encoding);
        // Clients refuse a whole answer in which a name is outside its declaration.
        let full = symbol.full_range.cover(symbol.focus_range);
        #[expect(deprecated, reason = "the field has to be given")]
        lsp_types::DocumentSymbol {
            name: symbol_name(symbol.name),
            detail: symbol.detail,
            kind: symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            range: range(full, lines, encoding),
            selection_range: range(symbol.focus_range, lines, encoding),
            children: (!children.is_empty()).then_some(children),
        }
    };
    symbols.into_iter().map(convert).collect()
}

/// The outline as a list, for clients that know no tree.
pub fn flat_symbols(
    symbols: Vec<DocumentSymbol>,
    container: Option<&str>,
    uri: &Url,
    lines: &LineTable,
    encoding: Encoding,
    out: &mut Vec<SymbolInformation>,
) {
    for symbol in symbols {
        let name = symbol_name(symbol.name);
        let location = lsp_types::Location {
            uri: uri.clone(),
            range: range(symbol.full_range, lines, encoding),
        };
        #[expect(deprecated, reason = "the field has to be given")]
        out.push(SymbolInformation {
            name: name.clone(),
            kind: symbol_kind(symbol.kind),
            tags: None,
            deprecated: None,
            location,
            container_name: container.map(str::to_owned),
        });
        flat_symbols(symbol.children, Some(&name), uri, lines, encoding, out);
    }
}

/// Clients refuse symbols without a name, which broken code can have.
pub fn symbol_name(name: String) -> String {
    if name.is_empty() {
        "<unnamed>".to_owned()
    } else {
        name
    }
}

/// A folding range, or `None` when there is nothing to hide.
pub fn folding_range(
    fold: Fold,
    lines: &LineTable,
    encoding: Encoding,
    whole_lines: bool,
) -> Option<FoldingRange> {
    let range = range(fold.range, lines, encoding);
    if range.start.line >= range.end.line {
        return None;
    }
    Some(FoldingRange {
        start_line: range.start.line,
        start_character: (!whole_lines).then_some(range.start.character),
        end_line: range.end.line,
        end_character: (!whole_lines).then_some(range.end.character),
        kind: match fold.kind {
            FoldKind::Region => None,
            FoldKind::Comment => Some(FoldingRangeKind::Comment),
            FoldKind::Imports => Some(FoldingRangeKind::Imports),
        },
        collapsed_text: None,
    })
}

/// Most ranges of one selection: each is nested in the one before, and readers of JSON refuse a message that is
/// nested more than some hundred times (`serde_json`, which the clients in Rust use, more than 127 times).
const SELECTIONS: usize = 100;

/// Ranges from the innermost to the outermost, each linked to the next.
///
/// Where there are more, the innermost ones and the outermost one are kept.
pub fn selection_range(
    ranges: &[TextRange],
    at: Position,
    lines: &LineTable,
    encoding: Encoding,
) -> SelectionRange {
    let inner = ranges.len().saturating_sub(1).min(SELECTIONS - 1);
    let kept = ranges.iter().take(inner).chain(ranges.last());
    let outermost = kept.rev().fold(None, |parent, &it| {
        Some(SelectionRange {
            range: range(it, lines, encoding),
            parent: parent.map(Box::new),
        })
    });
    // LSP wants one answer per position, even where there is nothing to select.
    outermost.unwrap_or(SelectionRange {
        range: Range::new(at, at),
        parent: None,
    })
}

/// An edit of a document.
pub fn text_edit(edit: Edit, lines: &LineTable, encoding: Encoding) -> TextEdit {
    TextEdit {
        range: range(edit.range, lines, encoding),
        new_text: edit.insert,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn text_range(start: u32, end: u32) -> TextRange {
        TextRange::new(start.into(), end.into())
    }

    fn symbol(name: &str, full: TextRange, focus: TextRange) -> DocumentSymbol {
        DocumentSymbol {
            name: name.to_owned(),
            detail: None,
            kind: SymbolKind::Entry,
            full_range: full,
            focus_range: focus,
            children: Vec::new(),
        }
    }

    #[test]
    fn columns_are_those_of_the_client() {
        let lines = LineTable::new("// 😀 ä\r\nadd");
        let columns = |encoding| {
            let range = range(text_range(8, 14), &lines, encoding);
            (range.start.character, range.end.line, range.end.character)
        };
        assert_eq!(columns(Encoding::Utf8), (8, 1, 2));
        assert_eq!(columns(Encoding::Utf16), (6, 1, 2));
        assert_eq!(columns(Encoding::Utf32), (5, 1, 2));
    }

    #[test]
    fn symbols_as_tree_and_as_list() {
        let lines = LineTable::new("abc\ndef\nghi");
        let mut outer = symbol("outer", text_range(0, 7), text_range(4, 11));
        outer
            .children
            .push(symbol("", text_range(4, 7), text_range(4, 5)));
        let tree = document_symbols(vec![outer.clone()], &lines, Encoding::Utf16);
        let tree = &tree[0];
        assert!(tree.range.end >= tree.selection_range.end);
        let children = tree.children.as_deref().expect("a child");
        assert_eq!(
            (&*children[0].name, &children[0].children),
            ("<unnamed>", &None)
        );

        let mut flat = Vec::new();
        let uri = Url::parse("file:///a.ptx").expect("a URI");
        flat_symbols(vec![outer], None, &uri, &lines, Encoding::Utf16, &mut flat);
        let flat: Vec<_> = flat
            .iter()
            .map(|it| (&*it.name, it.container_name.as_deref()))
            .collect();
        assert_eq!(flat, [("outer", None), ("<unnamed>", Some("outer"))]);
    }

    #[test]
    fn folds_hide_at_least_one_line() {
        let lines = LineTable::new("{\n\n}");
        let fold = |end, whole_lines| {
            let fold = Fold {
                range: text_range(1, end),
                kind: FoldKind::Comment,
            };
            let range = folding_range(fold, &lines, Encoding::Utf16, whole_lines)?;
            Some((range.start_line, range.start_character, range.end_line))
        };
        assert_eq!(fold(1, true), None);
        assert_eq!(fold(4, true), Some((0, None, 2)));
        assert_eq!(fold(4, false), Some((0, Some(1), 2)));
    }

    #[test]
    fn selections_grow_outwards() {
        let lines = LineTable::new("add a, b;");
        let at = Position::new(0, 4);
        let columns = |innermost: SelectionRange| {
            let mut next = Some(Box::new(innermost));
            let mut columns = Vec::new();
            while let Some(it) = next {
                columns.push((it.range.start.character, it.range.end.character));
                next = it.parent;
            }
            columns
        };
        let select =
            |ranges: &[TextRange]| columns(selection_range(ranges, at, &lines, Encoding::Utf8));
        assert_eq!(
            select(&[text_range(4, 5), text_range(4, 8), text_range(0, 9)]),
            [(4, 5), (4, 8), (0, 9)]
        );
        assert_eq!(select(&[]), [(4, 4)]);

        let many: Vec<_> = (1..=300).map(|end| text_range(0, end)).collect();
        let lines = LineTable::new(&"x".repeat(300));
        let kept = columns(selection_range(&many, at, &lines, Encoding::Utf8));
        assert_eq!(kept.len(), SELECTIONS);
        assert_eq!((kept[0], kept[98], kept[99]), ((0, 1), (0, 99), (0, 300)));
    }

    #[test]
    fn codes_lead_to_their_page() {
        let description = code_description("syntax-error").expect("a URI");
        expect!["/blob/main/analysis/docs/diagnostics/syntax-error.md"].assert_eq(
            description
                .href
                .as_str()
                .trim_start_matches(env!("CARGO_PKG_REPOSITORY")),
        );
    }
}
