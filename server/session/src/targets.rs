//! A file judged for several targets.

use analysis::{AnalysisConfig, Diagnostic, Severity, TargetMatrix, TargetVerdict, target_matrix};

/// Older targets than this are compared only when they are named.
const OLDEST: u32 = 75;
/// The code of errors that a target with a letter may not have.
const GATED: &str = "unsupported-by-target";

/// The settings that make the analysis judge a file for a target.
#[must_use]
pub fn settings(target: &str) -> AnalysisConfig {
    AnalysisConfig {
        target_override: Some(target.into()),
        ..AnalysisConfig::default()
    }
}

/// Compares the named targets; without names, `own`, the target of the file, and the targets of current GPUs: those
/// without a letter, and where the file does not fit one of these, also those with a letter.
///
/// `judge` finds the diagnostics of the file for a target.
///
/// # Errors
/// A name that no target has, and what `judge` says.
pub fn compare<E: From<String>>(
    names: &[String],
    own: Option<&str>,
    mut judge: impl FnMut(&str) -> Result<Vec<Diagnostic>, E>,
) -> Result<TargetMatrix, E> {
    let targets = analysis::targets();
    if let Some(name) = names.iter().find(|it| !analysis::is_target(it)) {
        return Err(format!("there is no target {name}").into());
    }
    let mut verdicts = Vec::new();
    // The number of the last target without a letter that the file does not fit.
    let mut gated = None;
    let order: Vec<&(String, String)> = match names {
        [] => targets.iter().collect(),
        names => names
            .iter()
            .filter_map(|name| targets.iter().find(|it| it.0 == *name))
            .collect(),
    };
    for (target, version) in order {
        if names.is_empty() && own != Some(target) {
            let digits = target.trim_start_matches(|it: char| !it.is_ascii_digit());
            let plain = digits.trim_end_matches(|it: char| it.is_ascii_alphabetic());
            let is_recent = plain.parse().is_ok_and(|it: u32| it >= OLDEST);
            if !is_recent || (plain != digits && gated != Some(plain.to_owned())) {
                continue;
            }
        }
        let mut errors = judge(target)?;
        errors.retain(|it| it.severity == Severity::Error);
        if errors.iter().any(|it| it.code == GATED) {
            gated = target.strip_prefix("sm_").map(str::to_owned);
        }
        verdicts.push(TargetVerdict {
            target: target.clone(),
            version: version.clone(),
            errors,
        });
    }
    // Whoever names targets has put them in order.
    Ok(target_matrix(&verdicts, own.filter(|_| names.is_empty())))
}
