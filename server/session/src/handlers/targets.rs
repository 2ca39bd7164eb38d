//! A file as it would be for other targets.

use std::sync::Arc;

use analysis::{AnalysisHost, Change, FileContents, FileId};

use super::{Handler, Priority, Reads, Run};
use crate::{
    lsp::ext::{
        self, CompareTargetsParams, TargetCause, TargetColumn, TargetGroup, TargetMatrix,
        TargetVersion,
    },
    snapshot::{Answer, Document, Snapshot},
    targets,
};

pub(crate) const COMPARE_TARGETS: Handler<CompareTargetsParams, TargetMatrix> = Handler {
    method: ext::COMPARE_TARGETS,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: Run::Snapshot(|snapshot, params| {
        let Some(document) = snapshot.document(&params.text_document.uri)? else {
            return Ok(TargetMatrix::default());
        };
        let Some(contents) = snapshot.analysis.contents(document.file)? else {
            return Ok(TargetMatrix::default());
        };
        let own = snapshot.analysis.target(document.file)?;
        let found = targets::compare(&params.targets, own.as_deref(), |target| {
            judge(snapshot, document.file, &contents, target)
        })?;
        Ok(matrix(&document, found, own.as_deref()))
    }),
};

fn matrix(document: &Document, found: analysis::TargetMatrix, own: Option<&str>) -> TargetMatrix {
    let column = |it: analysis::TargetColumn| TargetColumn {
        title: it.title,
        own: own
            .filter(|own| it.targets.iter().any(|target| target.0 == **own))
            .map(str::to_owned),
        targets: (it.targets.into_iter())
            .map(|(target, version)| TargetVersion { target, version })
            .collect(),
        errors: it.errors,
    };
    let cause = |it: analysis::TargetCause| TargetCause {
        code: it.code.to_owned(),
        message: it.message,
        ranges: it.ranges.into_iter().map(|it| document.range(it)).collect(),
    };
    let group = |it: analysis::TargetGroup| TargetGroup {
        wrong: it.wrong,
        causes: it.causes.into_iter().map(cause).collect(),
    };
    TargetMatrix {
        columns: found.columns.into_iter().map(column).collect(),
        groups: found.groups.into_iter().map(group).collect(),
    }
}

/// The diagnostics of a file if its `.target` said this.
///
/// Settings are inputs of the analysis, so this takes one of its own. It is cancelled with the snapshot.
fn judge(
    snapshot: &Snapshot,
    file: FileId,
    contents: &Arc<FileContents>,
    target: &str,
) -> Answer<Vec<analysis::Diagnostic>> {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(file, Some(contents.clone()))],
        config: Some(targets::settings(target)),
    });
    let inner = host.analysis();
    let token = inner.cancellation_token();
    let (mut inner, mut found) = (Some(inner), None);
    snapshot.shared.host.attend(
        &mut || found = inner.take().map(|it| it.diagnostics(file)),
        &mut || {
            let is_wanted = snapshot.analysis.check_cancelled().is_ok();
            if !is_wanted {
                token.cancel();
            }
            is_wanted
        },
    );
    snapshot.analysis.check_cancelled()?;
    Ok(found.transpose()?.unwrap_or_default())
}
