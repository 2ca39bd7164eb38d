//! A file as it would be for other targets.

use std::sync::Arc;

use analysis::{AnalysisConfig, AnalysisHost, Change, FileContents, FileId, Severity};

use super::{Handler, Priority, Reads};
use crate::{
    diagnostics::file_diagnostics,
    lsp::ext::{self, CompareTargetsParams, TargetVerdict},
    snapshot::{Answer, RequestError, Snapshot},
};

/// Targets that nobody builds for any more are compared only when they are named.
const OLDEST: u32 = 75;

pub(crate) const COMPARE_TARGETS: Handler<CompareTargetsParams, Vec<TargetVerdict>> = Handler {
    method: ext::COMPARE_TARGETS,
    priority: Priority::Background,
    document: |params| Some(&params.text_document),
    reads: Reads::Document,
    run: |snapshot, params| {
        let Some(document) = snapshot.document(&params.text_document.uri)? else {
            return Ok(Vec::new());
        };
        let Some(contents) = snapshot.analysis.contents(document.file)? else {
            return Ok(Vec::new());
        };
        let mut verdicts = Vec::new();
        for (target, version) in chosen(&params.targets).map_err(RequestError::Refused)? {
            let mut found = judge(snapshot, document.file, &contents, &target)?;
            found.retain(|it| it.severity == Severity::Error);
            verdicts.push(TargetVerdict {
                target,
                version,
                errors: file_diagnostics(snapshot, &document, found)?,
            });
        }
        Ok(verdicts)
    },
};

/// The named targets, or those without a letter that hardware of today has; each with its least version.
fn chosen(names: &[String]) -> Result<Vec<(String, String)>, String> {
    let mut targets = analysis::targets();
    if names.is_empty() {
        targets.retain(|(name, _)| {
            let number = name.strip_prefix("sm_").and_then(|it| it.parse().ok());
            number.is_some_and(|it: u32| it >= OLDEST)
        });
        return Ok(targets);
    }
    let find = |name: &String| {
        let found = targets.iter().find(|it| it.0 == *name);
        found.cloned().ok_or(format!("there is no target {name}"))
    };
    names.iter().map(find).collect()
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
        config: Some(AnalysisConfig {
            target_override: Some(Arc::from(target)),
            ..AnalysisConfig::default()
        }),
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
