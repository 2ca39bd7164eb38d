//! Errors of the parser.

use salsa::Database;
use syntax::{NodeOrToken, SyntaxError, SyntaxNode, TextRange, TextSize, text::Edit, token_at};

use crate::{
    Diagnostic, FileRange, Fix, FixKind, RelatedInformation, Severity,
    db::SourceFile,
    diagnostics::{registry::MISSING_DIRECTIVE, rules::directives::NO_HEADER},
};

/// The syntax errors of a file, sorted by range.
pub(crate) fn syntax_diagnostics(db: &dyn Database, file: SourceFile) -> Vec<Diagnostic> {
    let id = file.id(db);
    let contents = file.contents(db);
    let root = contents.tree.syntax();
    let mut all: Vec<_> = contents
        .all_errors()
        .map(|error| Diagnostic {
            range: error.range,
            severity: Severity::Error,
            code: error.code.as_str(),
            fixes: fix(&root, &error).into_iter().collect(),
            message: error.message,
            help: error.help.map(str::to_owned),
            related: error
                .related
                .into_iter()
                .map(|(range, message)| RelatedInformation {
                    location: FileRange { file: id, range },
                    message,
                })
                .collect(),
            tags: Vec::new(),
        })
        .collect();
    all.sort_by_key(|it| (it.range.start(), it.range.end()));
    all
}

/// The problem of a text that has nothing but blanks and comments: it is not a module.
pub(crate) fn without_items(db: &dyn Database, file: SourceFile) -> Option<Diagnostic> {
    let tree = &file.contents(db).tree;
    let mut children = tree.cursor().children();
    if children.any(|it| matches!(it, NodeOrToken::Node(_))) {
        return None;
    }
    Some(Diagnostic {
        range: TextRange::empty(TextSize::new(0)),
        severity: MISSING_DIRECTIVE.severity(),
        code: MISSING_DIRECTIVE.name,
        message: NO_HEADER.to_owned(),
        help: None,
        related: Vec::new(),
        tags: Vec::new(),
        fixes: Vec::new(),
    })
}

/// The fix that inserts the punctuation that is missing.
fn fix(root: &SyntaxNode, error: &SyntaxError) -> Option<Fix> {
    let missing = error.missing?;
    let place = error.related.as_ref().map_or(error.range, |it| it.0);
    let at = end_before(root, place.start())?;
    Some(Fix {
        title: format!("Insert `{missing}`"),
        edits: vec![Edit::new(TextRange::empty(at), missing)],
        preferred: true,
        kind: FixKind::InsertPunctuation,
    })
}

/// The end of the last token before an offset that is not trivia.
fn end_before(root: &SyntaxNode, offset: TextSize) -> Option<TextSize> {
    let mut token = token_at(root, offset.checked_sub(1.into())?)?;
    while token.kind().is_trivia() {
        token = token.prev_token()?;
    }
    Some(token.text_range().end())
}
