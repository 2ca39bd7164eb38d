//! Answers about PTX inside other languages. Outside it nothing is said, at once.

use analysis::{
    Access, CodeAction, CodeActionKind, FileEdits, FilePosition, FileRange, FragmentOperand, Hover,
    NavigationTarget, RangeInfo, Reference, RenamePreparation, SemanticToken, SignatureHelp,
    SourceChange, SymbolKind,
};
use syntax::{TextRange, TextSize};

use crate::{
    embedded::{FragmentPosition, HostDocument},
    snapshot::{Answer, Document, RequestError, Snapshot},
};

mod completion;
mod rewrites;

pub(super) use completion::{FragmentCompletion, completion};
pub(super) use rewrites::rewrites;

/// The place in a fragment of an offset of a document; none if nothing is to be said there.
pub(super) fn place<'a>(
    snapshot: &Snapshot,
    document: &Document,
    host: &'a HostDocument,
    offset: TextSize,
) -> Answer<Option<FragmentPosition<'a>>> {
    match snapshot.embedded {
        true => host.place(snapshot, document.file, offset),
        false => Ok(None),
    }
}

/// Runs a query on the module at a position.
pub(super) fn ask<T>(
    snapshot: &Snapshot,
    place: &FragmentPosition<'_>,
    question: impl FnOnce(&analysis::Analysis, FilePosition) -> analysis::Cancellable<T>,
) -> Answer<T> {
    let fragments = &snapshot.shared.fragments;
    let offset = place.offset;
    fragments.query(&snapshot.settings, &place.view.module, |analysis, file| {
        question(analysis, FilePosition { file, offset })
    })
}

/// The hover of the name at a position, with its range in the document.
pub(super) fn hover(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    offset: TextSize,
) -> Answer<Option<RangeInfo<Hover>>> {
    let Some(place) = place(snapshot, document, host, offset)? else {
        return Ok(None);
    };
    if let Some((operand, range)) = place.view.operand_at(offset) {
        return Ok(Some(RangeInfo {
            range,
            info: Hover {
                markdown: about(&operand),
                figure: None,
            },
        }));
    }
    let found = ask(snapshot, &place, |analysis, at| analysis.hover(at))?;
    Ok(found.and_then(|found| {
        Some(RangeInfo {
            range: place.view.to_host(found.range)?,
            info: Hover {
                markdown: place.view.words(found.info.markdown),
                figure: found.info.figure,
            },
        })
    }))
}

/// The class of an operand.
fn about(operand: &FragmentOperand) -> String {
    let what = match (operand.register, operand.constant) {
        (Some(word), _) => format!(".reg {word} {}", operand.placeholder),
        (None, true) => format!("{} // a constant", operand.placeholder),
        (None, false) => operand.placeholder.clone(),
    };
    let mut text = format!("```ptx\n{what}\n```\n\nOperand {}", operand.index);
    if let Some((expression, _)) = &operand.expression {
        text.push_str(": ");
        text.push_str(&code(expression));
    }
    if !operand.constraint.is_empty() {
        text.push_str(", constraint ");
        text.push_str(&code(&operand.constraint));
    }
    let use_of_it = match (operand.written, operand.read) {
        (true, true) => "read and written",
        (true, false) => "written",
        (false, _) => "read",
    };
    text.push_str(", ");
    text.push_str(use_of_it);
    text
}

/// A text of the host as a piece of code on one line.
pub(super) fn code(text: &str) -> String {
    let text = one_line(text, 80);
    let ticks = match text.contains('`') {
        true => "``",
        false => "`",
    };
    format!("{ticks}{text}{ticks}")
}

/// A text on one line, shortened to `max` characters.
pub(super) fn one_line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Where the name at a position is declared: for an operand its expression.
pub(super) fn definition(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    offset: TextSize,
) -> Answer<Option<RangeInfo<Vec<NavigationTarget>>>> {
    let Some(place) = place(snapshot, document, host, offset)? else {
        return Ok(None);
    };
    let target = |range: TextRange, name: String, kind: SymbolKind| NavigationTarget {
        file: document.file,
        full_range: range,
        focus_range: range,
        name,
        kind,
        container: None,
        detail: None,
    };
    if let Some((operand, range)) = place.view.operand_at(offset) {
        let targets = operand
            .expression
            .map(|(text, at)| target(at, one_line(&text, 80), SymbolKind::Variable));
        return Ok(Some(RangeInfo {
            range,
            info: targets.into_iter().collect(),
        }));
    }
    let found = ask(snapshot, &place, |analysis, at| {
        analysis.goto_definition(at)
    })?;
    Ok(found.and_then(|found| {
        let targets = found.info.into_iter().filter_map(|it| {
            let range = place.view.to_host(it.focus_range)?;
            Some(target(range, it.name, it.kind))
        });
        Some(RangeInfo {
            range: place.view.to_host(found.range)?,
            info: targets.collect(),
        })
    }))
}

/// The occurrences of the name at a position within its statement; of an operand its expression is one.
pub(super) fn occurrences(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    offset: TextSize,
) -> Answer<Option<Vec<Reference>>> {
    let Some(place) = place(snapshot, document, host, offset)? else {
        return Ok(None);
    };
    let reference = |range: TextRange, access: Access| Reference {
        location: FileRange {
            file: document.file,
            range,
        },
        access,
        other_value: false,
    };
    let operand = place.view.operand_at(offset).map(|it| it.0);
    // Constants have no register, so the module does not declare them.
    let constant = operand.as_ref().filter(|it| it.register.is_none());
    let mut found: Vec<_> = match constant {
        Some(operand) => place
            .view
            .placeholders(operand.index)
            .map(|it| reference(it, Access::Read))
            .collect(),
        None => {
            let found = ask(snapshot, &place, |analysis, at| analysis.highlight(at))?;
            found
                .into_iter()
                .filter_map(|it| {
                    let range = place.view.to_host(it.location.range)?;
                    Some(Reference {
                        other_value: it.other_value,
                        ..reference(range, it.access)
                    })
                })
                .collect()
        }
    };
    found.extend(operand.and_then(|it| {
        let (_, range) = it.expression?;
        Some(reference(range, Access::Declaration))
    }));
    found.sort_by_key(|it| it.location.range.start());
    Ok(Some(found))
}

/// The signature help of the instruction at a position.
pub(super) fn signature_help(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    offset: TextSize,
) -> Answer<Option<SignatureHelp>> {
    let Some(place) = place(snapshot, document, host, offset)? else {
        return Ok(None);
    };
    ask(snapshot, &place, |analysis, at| analysis.signature_help(at))
}

/// The range that a rename at a position would replace: a name that the statement declares for itself.
pub(super) fn prepare_rename(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    offset: TextSize,
) -> Answer<Option<RenamePreparation>> {
    let Some(place) = place(snapshot, document, host, offset)? else {
        return Ok(None);
    };
    if place.view.operand_at(offset).is_some() {
        return Ok(None);
    }
    let prepared = ask(snapshot, &place, |analysis, at| analysis.prepare_rename(at))?;
    let Ok(prepared) = prepared else {
        return Ok(None);
    };
    let shared = place.view.is_shared(&place.view.module[prepared.range]);
    let range = place.view.in_one_piece(prepared.range).filter(|_| !shared);
    Ok(range.map(|range| RenamePreparation { range, ..prepared }))
}

/// The edits that rename the name at a position.
pub(super) fn rename(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    offset: TextSize,
    new_name: &str,
) -> Answer<Option<SourceChange>> {
    let Some(place) = place(snapshot, document, host, offset)? else {
        return Ok(None);
    };
    if prepare_rename(snapshot, document, host, offset)?.is_none() {
        let text = "Only names that this statement alone declares are renamed.";
        return Err(RequestError::Refused(text.to_owned()));
    }
    let change = ask(snapshot, &place, |analysis, at| {
        analysis.rename(at, new_name)
    })?;
    let change = change.map_err(|error| RequestError::Refused(error.0))?;
    let edits = change.files.iter().flat_map(|it| &it.edits);
    let edits: Option<Vec<_>> = edits.map(|it| place.view.edit(it)).collect();
    let Some(edits) = edits else {
        let text = "A part of this name is in a macro or between two strings.";
        return Err(RequestError::Refused(text.to_owned()));
    };
    Ok(Some(of_file(document, edits)))
}

fn of_file(document: &Document, edits: Vec<syntax::text::Edit>) -> SourceChange {
    SourceChange {
        files: vec![FileEdits {
            file: document.file,
            edits,
        }],
    }
}

/// The fixes of the diagnostics at a range.
pub(super) fn code_actions(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    range: TextRange,
) -> Answer<Vec<CodeAction>> {
    if !snapshot.embedded {
        return Ok(Vec::new());
    }
    let fragments = host.fragments_in(range);
    let found = host.diagnostics(snapshot, document.file, fragments)?;
    let mut actions = Vec::new();
    for diagnostic in found {
        if diagnostic.range.intersect(range).is_none() {
            continue;
        }
        let at = (diagnostic.range, diagnostic.code);
        actions.extend(diagnostic.fixes.into_iter().map(|fix| CodeAction {
            title: fix.title,
            kind: CodeActionKind::QuickFix,
            edits: of_file(document, fix.edits),
            diagnostics: vec![at],
            preferred: fix.preferred,
        }));
    }
    Ok(actions)
}

/// Statements with more operands have no hints: they would hide the text.
const MAX_HINTED_OPERANDS: usize = 8;
/// The most characters of a hint.
const HINT_LENGTH: usize = 24;

/// The expressions of operands, each with where it is shown: after its placeholder.
pub(super) fn operand_hints(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    range: TextRange,
) -> Answer<Vec<(TextSize, FragmentOperand)>> {
    let mut hints = Vec::new();
    if !snapshot.embedded || !snapshot.features.operands {
        return Ok(hints);
    }
    for index in host.fragments_in(range) {
        let view = host.view(snapshot, document.file, index)?;
        let operands: Vec<_> = view.operands().collect();
        if operands.len() > MAX_HINTED_OPERANDS {
            continue;
        }
        for operand in operands.into_iter().filter(|it| it.expression.is_some()) {
            let places = view.placeholders(operand.index).map(TextRange::end);
            let inside = places.filter(|it| range.contains_inclusive(*it));
            hints.extend(inside.map(|it| (it, operand.clone())));
        }
    }
    hints.sort_by_key(|it| it.0);
    Ok(hints)
}

/// The label and the tooltip of the expression of an operand.
pub(super) fn hint_of(operand: &FragmentOperand) -> (String, String) {
    let expression = operand.expression.as_ref().map_or("", |it| &it.0);
    (one_line(expression, HINT_LENGTH), about(operand))
}

/// The tokens of fragments, of all or of those in a range; tokens that are split between literals are omitted.
pub(super) fn semantic_tokens(
    snapshot: &Snapshot,
    document: &Document,
    host: &HostDocument,
    range: Option<TextRange>,
) -> Answer<Vec<SemanticToken>> {
    let mut tokens = Vec::new();
    if !snapshot.embedded {
        return Ok(tokens);
    }
    let whole = TextRange::up_to(TextSize::of(host.text()));
    for index in host.fragments_in(range.unwrap_or(whole)) {
        if host.is_superseded() {
            return Err(RequestError::ContentModified);
        }
        let view = host.view(snapshot, document.file, index)?;
        let fragments = &snapshot.shared.fragments;
        for token in &*fragments.tokens(&snapshot.settings, &view.module)? {
            if let Some(range) = view.in_one_piece(token.range) {
                tokens.push(SemanticToken { range, ..*token });
            }
        }
    }
    // Macros bring their text to several places.
    tokens.sort_by_key(|it| (it.range.start(), it.range.end()));
    tokens.dedup_by(|later, earlier| later.range.start() < earlier.range.end());
    Ok(tokens)
}
