//! Quick fixes.

use analysis::{FilePosition, FileRange};
use serde_json::json;

use super::{Handler, Priority, Reads, Run, embedded, rename::workspace_edit, trial};
use crate::{
    lsp::{
        ext::RENAME_FAMILY,
        lsp_types::{
            CodeAction, CodeActionContext, CodeActionKind, CodeActionOrCommand, CodeActionParams,
            CodeActionResponse, CodeActionTriggerKind, Command, Diagnostic,
        },
        to_proto,
    },
    snapshot::{Answer, Document, Snapshot},
};

pub(crate) const CODE_ACTION: Handler<CodeActionParams, Option<CodeActionResponse>> = Handler {
    method: "textDocument/codeAction",
    priority: Priority::Latency,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::about(|snapshot, document, params| {
        // A client without literals wants commands, of which there are none.
        if !snapshot.diagnostics || !snapshot.shared.client.code_action_literals {
            return Ok(None);
        }
        let at = FileRange {
            file: document.file,
            range: document.text_range(params.range),
        };
        let mut actions = Vec::new();
        let found = match &document.host {
            Some(host) => embedded::code_actions(snapshot, document, host, at.range)?,
            None => snapshot.analysis.code_actions(at)?,
        };
        for action in found {
            let kind = to_proto::code_action_kind(action.kind);
            if wants(&params.context, &kind) {
                let action = code_action(snapshot, document, params, action, kind)?;
                actions.push(CodeActionOrCommand::CodeAction(action));
            }
        }
        if wants(&params.context, &to_proto::RENAME) {
            actions.extend(rename_family(snapshot, document, params)?);
        }
        if let Some(host) = &document.host {
            let found = embedded::rewrites(snapshot, document, host, at.range)?;
            let wanted = found.into_iter().filter(|it| {
                it.kind
                    .as_ref()
                    .is_some_and(|it| wants(&params.context, it))
            });
            actions.extend(wanted.map(CodeActionOrCommand::CodeAction));
        }
        if wants(&params.context, &CodeActionKind::EMPTY) {
            let uri = &params.text_document.uri;
            let found = trial::action(snapshot, document, uri, params.range)?;
            actions.extend(found.map(CodeActionOrCommand::CodeAction));
        }
        Ok(Some(actions))
    }),
};

/// The action that renames all registers of the numbered declaration of the register at a position; none unless
/// the user requested actions, since almost every operand has it.
fn rename_family(
    snapshot: &Snapshot,
    document: &Document,
    params: &CodeActionParams,
) -> Answer<Option<CodeActionOrCommand>> {
    let automatic = params.context.trigger_kind == Some(CodeActionTriggerKind::AUTOMATIC);
    if automatic || document.host.is_some() || !snapshot.shared.client.renames_families {
        return Ok(None);
    }
    let at = FilePosition {
        file: document.file,
        offset: document.text_range(params.range).start(),
    };
    let Some(family) = snapshot.analysis.register_family(at)? else {
        return Ok(None);
    };
    let title = format!("Rename all registers of `{}`…", family.placeholder);
    let place = document.range(family.range).start;
    let command = Command {
        title: title.clone(),
        command: RENAME_FAMILY.to_owned(),
        arguments: Some(vec![json!(params.text_document.uri), json!(place)]),
    };
    Ok(Some(CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(to_proto::RENAME),
        command: Some(command),
        ..CodeAction::default()
    })))
}

/// Whether the client asks for this kind: it may name it or a more general one.
fn wants(context: &CodeActionContext, kind: &CodeActionKind) -> bool {
    let Some(only) = &context.only else {
        return true;
    };
    only.iter().any(|it| {
        let rest = kind.as_str().strip_prefix(it.as_str());
        it.as_str().is_empty() || rest.is_some_and(|it| it.is_empty() || it.starts_with('.'))
    })
}

fn code_action(
    snapshot: &Snapshot,
    document: &Document,
    params: &CodeActionParams,
    action: analysis::CodeAction,
    kind: CodeActionKind,
) -> Answer<CodeAction> {
    // The client gets back what it sent, so that it knows them again.
    let solved: Vec<Diagnostic> = params
        .context
        .diagnostics
        .iter()
        .filter(|shown| {
            action.diagnostics.iter().any(|(range, code)| {
                shown.range == document.range(*range) && shown.code == Some(to_proto::code(code))
            })
        })
        .cloned()
        .collect();
    let preferred = snapshot.shared.client.preferred_code_actions && action.preferred;
    Ok(CodeAction {
        title: action.title,
        kind: Some(kind),
        diagnostics: (!solved.is_empty()).then_some(solved),
        edit: Some(workspace_edit(snapshot, action.edits)?),
        is_preferred: preferred.then_some(true),
        ..CodeAction::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_hierarchical() {
        let check = |only: Option<&[&'static str]>, quick: bool, all: bool| {
            let only = only.map(|it| it.iter().map(|it| CodeActionKind::new(it)).collect());
            let context = CodeActionContext {
                only,
                ..CodeActionContext::default()
            };
            assert_eq!(wants(&context, &CodeActionKind::QUICKFIX), quick);
            assert_eq!(wants(&context, &CodeActionKind::SOURCE_FIX_ALL), all);
        };
        check(None, true, true);
        check(Some(&[]), false, false);
        check(Some(&[""]), true, true);
        check(Some(&["source"]), false, true);
        check(Some(&["source.fixAll", "refactor"]), false, true);
        check(Some(&["source.fix", "quick"]), false, false);
        check(Some(&["quickfix"]), true, false);
    }
}
