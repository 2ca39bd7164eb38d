//! The words of `.target`: architectures and options.

use isa::{
    directive::{DEBUG, FIRST_WITH_F64, MAP_F64, TARGET_OPTIONS, gate},
    target::{Target, Version, least_version, targets},
};
use syntax::{Cursor, CursorToken, SyntaxKind, TextRange};

use crate::{
    FixKind, Severity,
    diagnostics::{
        finding::{Finding, finding},
        fix::Repair,
        place::Place,
        registry::{
            CONFLICTING_DIRECTIVES, IGNORED_DIRECTIVE, UNKNOWN_TARGET, UNSUPPORTED_BY_TARGET,
            UNSUPPORTED_BY_VERSION,
        },
        rules::gates::MODULE_IS_FOR,
        suggestion::most_similar,
    },
};

/// The options of `.target` directives, in the order of the text.
#[derive(Default)]
pub(super) struct Options {
    /// The last architecture.
    pub(super) target: Option<Target>,
    /// The texture mode; `None` as long as none is named.
    pub(super) texture_mode: Option<String>,
    /// The word `debug`, until it is looked at.
    pub(super) debug: Option<TextRange>,
    /// Whether nothing follows the header: then ptxas does not compare target and version.
    pub(super) header_only: bool,
}

impl Options {
    /// Checks the words of a `.target`.
    pub(super) fn target(
        &mut self,
        directive: &Cursor<'_>,
        first_directive: bool,
        version: Option<Version>,
        findings: &mut Vec<Finding>,
    ) {
        let words = directive
            .nodes()
            .filter_map(|it| it.token(SyntaxKind::IDENT));
        for (index, word) in words.enumerate() {
            let text = word.text();
            if !TARGET_OPTIONS.contains(&text) {
                self.architecture(&word, index == 0, version, findings);
            } else if index == 0 && first_directive {
                let message = "the first `.target` starts with an architecture such as `sm_90`";
                let message = message.to_owned();
                findings.push(finding(word.range(), UNKNOWN_TARGET, message, None));
            } else {
                self.option(&word, version, findings);
            }
        }
    }

    fn architecture(
        &mut self,
        word: &CursorToken<'_>,
        first: bool,
        version: Option<Version>,
        findings: &mut Vec<Finding>,
    ) {
        let text = word.text();
        let target = Target::parse(text);
        let least = target.and_then(least_version);
        self.target = target.or(self.target);
        match (target, least, version) {
            (Some(target), Some(least), Some(version)) if version < least => {
                let message = format!("`{target}` needs PTX ISA {least}; this module is {version}");
                let mut finding = finding(word.range(), UNSUPPORTED_BY_VERSION, message, None);
                if self.header_only {
                    finding.severity = Severity::Warning;
                }
                finding.fixes.push(raise(least));
                findings.push(finding);
            }
            (Some(target), Some(_), _) => {
                let name = target.to_string();
                if text != name && text != name.replacen("sm", "compute", 1) {
                    let message = format!("ptxas treats `{text}` as `{target}`");
                    let mut ignored = finding(word.range(), IGNORED_DIRECTIVE, message, None);
                    ignored
                        .fixes
                        .push(Repair::respell(word.range(), text, name));
                    findings.push(ignored);
                }
            }
            // Nothing that ptxas reads as a number.
            (None, ..) if !first && (text.starts_with("sm_") || text.starts_with("compute_")) => {
                let message = format!("unknown target `{text}` (ptxas ignores it)");
                let ignored = finding(word.range(), IGNORED_DIRECTIVE, message, None);
                findings.push(ignored);
            }
            _ => {
                let names: Vec<String> = targets().map(|it| it.0.to_string()).collect();
                let names = names.iter().map(String::as_str);
                let similar = most_similar(text, names.chain(TARGET_OPTIONS.iter().copied()));
                let mut finding = finding(
                    word.range(),
                    UNKNOWN_TARGET,
                    format!("unknown target `{text}`"),
                    similar.map(|it| format!("did you mean `{it}`?")),
                );
                let fix = similar.map(|it| Repair::respell(word.range(), text, it.to_owned()));
                finding.fixes.extend(fix);
                findings.push(finding);
            }
        }
    }

    fn option(
        &mut self,
        word: &CursorToken<'_>,
        version: Option<Version>,
        findings: &mut Vec<Finding>,
    ) {
        let text = word.text();
        let since = gate(text)
            .since
            .filter(|it| version.is_some_and(|now| now < *it));
        if let (Some(since), Some(version)) = (since, version) {
            let message = format!("`{text}` needs PTX ISA {since}; this module is {version}");
            let mut finding = finding(word.range(), UNSUPPORTED_BY_VERSION, message, None);
            finding.fixes.push(raise(since));
            findings.push(finding);
        } else if text == DEBUG {
            self.debug = Some(word.range());
        }
        if text == MAP_F64 {
            if let Some(target) = self.target.filter(|it| it.number >= FIRST_WITH_F64) {
                let message = format!(
                    "`{MAP_F64}` is for targets below `sm_{FIRST_WITH_F64}`{MODULE_IS_FOR}`{target}`"
                );
                findings.push(finding(word.range(), UNSUPPORTED_BY_TARGET, message, None));
            }
            return;
        }
        if text == DEBUG {
            return;
        }
        match &self.texture_mode {
            Some(mode) if mode != text => findings.push(finding(
                word.range(),
                CONFLICTING_DIRECTIVES,
                format!("the texture mode is `{mode}` already"),
                None,
            )),
            _ => self.texture_mode = Some(text.to_owned()),
        }
    }
}

/// The fix that makes the module young enough.
fn raise(version: Version) -> Repair {
    Repair {
        title: format!("Raise `.version` to {version}"),
        edits: vec![(Place::Version, version.to_string())],
        preferred: true,
        kind: FixKind::ChangeHeader,
    }
}
