//! Call hierarchy.

use analysis::{Call, Cancellable, FileId, FilePosition, NavigationTarget};
use syntax::TextRange;

use super::{Handler, Priority, Reads, Run};
use crate::{
    lsp::{
        lsp_types::{
            CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
            CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams,
            CallHierarchyPrepareParams, Range,
        },
        to_proto,
    },
    snapshot::{Answer, Snapshot},
};

pub(crate) const PREPARE: Handler<CallHierarchyPrepareParams, Option<Vec<CallHierarchyItem>>> =
    Handler {
        method: "textDocument/prepareCallHierarchy",
        priority: Priority::Latency,
        document: |params| Some(&params.text_document_position_params.text_document),
        reads: Reads::Document,
        run: Run::about(|snapshot, document, params| {
            let position = document.at(params.text_document_position_params.position);

            let mut items = Vec::new();
            for target in snapshot.analysis.call_hierarchy(position)? {
                items.extend(item(snapshot, target)?);
            }
            Ok((!items.is_empty()).then_some(items))
        }),
    };

pub(crate) const INCOMING: Handler<
    CallHierarchyIncomingCallsParams,
    Option<Vec<CallHierarchyIncomingCall>>,
> = Handler {
    method: "callHierarchy/incomingCalls",
    priority: Priority::Background,
    document: |_| None,
    reads: Reads::Workspace,
    run: Run::Snapshot(|snapshot, params| {
        let mut calls = Vec::new();
        let (_, found) = calls_of(snapshot, &params.item, |position| {
            snapshot.analysis.incoming_calls(position)
        })?;
        for call in found {
            // The calls are in the text of the caller.
            let from_ranges = ranges(snapshot, call.target.file, &call.ranges)?;
            calls.extend(
                item(snapshot, call.target)?
                    .map(|from| CallHierarchyIncomingCall { from, from_ranges }),
            );
        }
        Ok(Some(calls))
    }),
};

pub(crate) const OUTGOING: Handler<
    CallHierarchyOutgoingCallsParams,
    Option<Vec<CallHierarchyOutgoingCall>>,
> = Handler {
    method: "callHierarchy/outgoingCalls",
    priority: Priority::Background,
    document: |_| None,
    reads: Reads::Known,
    run: Run::Snapshot(|snapshot, params| {
        let mut calls = Vec::new();
        let (file, found) = calls_of(snapshot, &params.item, |position| {
            snapshot.analysis.outgoing_calls(position)
        })?;
        for call in found {
            let from_ranges = match file {
                Some(file) => ranges(snapshot, file, &call.ranges)?,
                None => Vec::new(),
            };
            calls.extend(
                item(snapshot, call.target)?
                    .map(|to| CallHierarchyOutgoingCall { to, from_ranges }),
            );
        }
        Ok(Some(calls))
    }),
};

/// Asks about the function of an item, whose name appears where its selection starts.
fn calls_of(
    snapshot: &Snapshot,
    item: &CallHierarchyItem,
    ask: impl FnOnce(FilePosition) -> Cancellable<Vec<Call>>,
) -> Answer<(Option<FileId>, Vec<Call>)> {
    let Some(document) = snapshot.document(&item.uri)? else {
        return Ok((None, Vec::new()));
    };
    let calls = ask(document.at(item.selection_range.start))?;
    Ok((Some(document.file), calls))
}

fn ranges(snapshot: &Snapshot, file: FileId, ranges: &[TextRange]) -> Answer<Vec<Range>> {
    let document = snapshot.document_of(file)?;
    Ok(document
        .map(|document| ranges.iter().map(|it| document.range(*it)).collect())
        .unwrap_or_default())
}

fn item(snapshot: &Snapshot, target: NavigationTarget) -> Answer<Option<CallHierarchyItem>> {
    let (Some(document), Some(uri)) = (
        snapshot.document_of(target.file)?,
        snapshot.uri(target.file),
    ) else {
        return Ok(None);
    };
    Ok(Some(CallHierarchyItem {
        name: to_proto::symbol_name(target.name),
        kind: to_proto::symbol_kind(target.kind),
        tags: None,
        detail: target.detail,
        uri,
        range: document.range(target.full_range.cover(target.focus_range)),
        selection_range: document.range(target.focus_range),
        data: None,
    }))
}
