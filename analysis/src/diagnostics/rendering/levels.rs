//! The severity of the findings of each code: by the table of lints, the settings, and comments in the file.
//!
//! A comment `// ptx-analyzer: allow(unused-register)` is after a statement, before a statement,
//! declaration or function, or at the head of the file; the nearest one decides.

use salsa::Database;
use syntax::{
    Cursor, CursorToken, MARK, NodeOrToken, SyntaxKind, TextRange, TextSize, text::LineTable,
};

use crate::{
    Diagnostic, DiagnosticTag, Level, Severity,
    db::{SourceFile, Workspace},
    diagnostics::{
        finding::Finding,
        fix::Repair,
        place::ItemIndex,
        registry::{self, CONTROL_COMMENT, DIAGNOSTIC_CODES},
        suggestion::most_similar,
    },
    hir::items::{Function, ModuleItems, item_offsets, items},
};

/// The verbs of comments.
const VERBS: [(&str, Level); 6] = [
    ("allow", Level::Off),
    ("off", Level::Off),
    ("hint", Level::Hint),
    ("information", Level::Information),
    ("warning", Level::Warning),
    ("error", Level::Error),
];

/// The words that a control comment may begin with.
pub(crate) fn control_verbs() -> impl Iterator<Item = &'static str> {
    VERBS.iter().map(|it| it.0)
}

/// A comment that sets levels; places are relative to its item.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Control {
    /// The comment.
    range: TextRange,
    level: Level,
    /// Indices into [`DIAGNOSTIC_CODES`].
    codes: Vec<u16>,
    scope: CommentScope,
}

/// Which findings a comment is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommentScope {
    /// Those inside the statement, declaration or function that it is before.
    Node(TextRange),
    /// Those on its line.
    Line,
    /// Those on its line and the next one.
    NextLine,
}

/// The comments of an item, and what is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::diagnostics) struct Controls {
    controls: Vec<Control>,
    pub(in crate::diagnostics) findings: Vec<Finding>,
}

/// Whether there may be comments for us in a file.
#[salsa::tracked(returns(copy))]
pub(in crate::diagnostics) fn is_marked(db: &dyn Database, file: SourceFile) -> bool {
    file.contents(db).marked
}

/// The comments in a function.
#[salsa::tracked(returns(ref))]
pub(in crate::diagnostics) fn function_controls<'db>(
    db: &'db dyn Database,
    function: Function<'db>,
) -> Controls {
    let mut controls = Controls::default();
    if is_marked(db, function.file(db)) {
        read(&function.green(db).cursor(), &mut controls, &|| {
            db.unwind_if_revision_cancelled();
        });
    }
    controls
}

/// The comments in the items that are not functions, by item; items without any are left out.
#[salsa::tracked(returns(deref))]
pub(in crate::diagnostics) fn module_controls<'db>(
    db: &'db dyn Database,
    module: ModuleItems<'db>,
) -> Vec<(u32, Controls)> {
    let mut all = Vec::new();
    for (index, item) in (0u32..).zip(module.items(db)) {
        let mut controls = Controls::default();
        read(&item.green.cursor(), &mut controls, &|| {});
        if controls != Controls::default() {
            all.push((index, controls));
        }
    }
    all
}

/// The problems with the comments in the items that are not functions.
pub(in crate::diagnostics) fn control_findings(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    if !is_marked(db, file) {
        return;
    }
    for (index, controls) in module_controls(db, items(db, file).module) {
        let item = ItemIndex::Other(*index);
        findings.extend(controls.findings.iter().map(|it| (item, it.clone())));
    }
}

/// Collects the comments of a node and of all nodes in it. `check` may interrupt that in long functions.
fn read(node: &Cursor<'_>, out: &mut Controls, check: &dyn Fn()) {
    if node.kind() == SyntaxKind::STATEMENT_RUN {
        check();
    }
    let (mut leading, mut own_line) = (true, true);
    for child in node.children() {
        match child {
            NodeOrToken::Node(it) => {
                // Most operands are one token.
                let alone = matches!(it.kind(), SyntaxKind::NAME_REFERENCE | SyntaxKind::LITERAL);
                if !alone || it.green().children().len() > 1 {
                    read(&it, out, check);
                }
                (leading, own_line) = (false, false);
            }
            NodeOrToken::Token(token) => match token.kind() {
                SyntaxKind::LINE_COMMENT | SyntaxKind::BLOCK_COMMENT => {
                    let scope = match (leading, own_line) {
                        (true, _) => CommentScope::Node(node.range()),
                        (false, true) => CommentScope::NextLine,
                        (false, false) => CommentScope::Line,
                    };
                    comment(&token, scope, out);
                }
                SyntaxKind::WHITESPACE => own_line |= token.text().contains('\n'),
                _ => (leading, own_line) = (false, false),
            },
        }
    }
}

/// Reads one comment.
fn comment(token: &CursorToken<'_>, scope: CommentScope, out: &mut Controls) {
    let Some(text) = token.text().get(2..) else {
        return;
    };
    let text = text.strip_suffix("*/").unwrap_or(text).trim();
    let Some(command) = text.strip_prefix(MARK) else {
        return;
    };
    let command = command.trim();
    let parts = command
        .split_once('(')
        .and_then(|(verb, rest)| Some((verb.trim(), rest.trim_end().strip_suffix(')')?)));
    let Some((verb, list)) = parts else {
        out.wrong(
            token.range(),
            "a control comment has the form `allow(code, …)`".to_owned(),
        );
        return;
    };
    let Some((_, level)) = VERBS.iter().find(|it| it.0 == verb) else {
        let verbs: Vec<_> = VERBS.iter().map(|it| format!("`{}`", it.0)).collect();
        out.wrong(
            token.range(),
            format!("`{verb}` is none of {}", verbs.join(", ")),
        );
        return;
    };
    let mut codes = Vec::new();
    // Every name of the list is a part of the text of the token.
    for name in list.split(',') {
        let name = name.trim();
        if let Some(index) = DIAGNOSTIC_CODES.iter().position(|it| it.name == name) {
            codes.push(index as u16);
            continue;
        }
        let start = name.as_ptr() as usize - token.text().as_ptr() as usize;
        let range = TextRange::at(
            token.range().start() + TextSize::new(start as u32),
            TextSize::of(name),
        );
        out.wrong(range, format!("unknown diagnostic code `{name}`"));
        let similar = most_similar(name, DIAGNOSTIC_CODES.iter().map(|it| it.name));
        if let (Some(similar), Some(finding)) = (similar, out.findings.last_mut()) {
            finding.help = Some(format!("did you mean `{similar}`?"));
            finding
                .fixes
                .push(Repair::respell(range, name, similar.to_owned()));
        }
    }
    out.controls.push(Control {
        range: token.range(),
        level: *level,
        codes,
        scope,
    });
}

impl Controls {
    fn wrong(&mut self, range: TextRange, message: String) {
        self.findings.push(Finding {
            range,
            severity: CONTROL_COMMENT.severity(),
            code: CONTROL_COMMENT.name,
            message,
            help: None,
            related: Vec::new(),
            fixes: Vec::new(),
        });
    }
}

/// A comment in its file.
struct Placed {
    /// Findings that start here are meant.
    range: TextRange,
    level: Level,
    codes: Vec<u16>,
}

/// The subject of a level.
pub(in crate::diagnostics) trait HasLevel {
    /// Its range and its code.
    fn place(&self) -> (TextRange, &'static str);
    /// Its severity.
    fn severity(&mut self) -> &mut Severity;
    /// Sets its tags.
    fn tag(&mut self, tags: &'static [DiagnosticTag]);
}

impl HasLevel for Diagnostic {
    fn place(&self) -> (TextRange, &'static str) {
        (self.range, self.code)
    }

    fn severity(&mut self) -> &mut Severity {
        &mut self.severity
    }

    fn tag(&mut self, tags: &'static [DiagnosticTag]) {
        self.tags = tags.to_vec();
    }
}

/// Gives each diagnostic of a file its severity and tags, and takes out those that nobody wants. The
/// diagnostics are sorted by where they start.
pub(in crate::diagnostics) fn apply<T: HasLevel>(
    db: &dyn Database,
    file: SourceFile,
    diagnostics: &mut Vec<T>,
) {
    let settings = &Workspace::get(db).config(db).severity;
    let mut placed = placed(db, file);
    placed.sort_by_key(|it| it.range.start());
    let mut placed = placed.into_iter().peekable();
    // The comments around the diagnostic: both are met in the order of the text, so that a file with many
    // of both takes no time for their pairs.
    let mut around: Vec<Placed> = Vec::new();
    diagnostics.retain_mut(|diagnostic| {
        let (range, code) = diagnostic.place();
        let start = range.start();
        around.retain(|it| start <= it.range.end());
        while let Some(next) = placed.next_if(|it| it.range.start() <= start) {
            if start <= next.range.end() {
                around.push(next);
            }
        }
        let commented = around
            .iter()
            .filter(|it| {
                it.codes
                    .iter()
                    .any(|it| DIAGNOSTIC_CODES[usize::from(*it)].name == code)
            })
            .min_by_key(|it| it.range.len());
        let level = match commented {
            Some(it) => Some(it.level),
            None => settings.get(code).copied(),
        };
        set(diagnostic, level)
    });
}

/// As [`apply`], in a file without comments that set levels.
pub(in crate::diagnostics) fn apply_settings<T: HasLevel>(
    db: &dyn Database,
    diagnostics: &mut Vec<T>,
) {
    let settings = &Workspace::get(db).config(db).severity;
    diagnostics.retain_mut(|diagnostic| {
        let level = settings.get(diagnostic.place().1).copied();
        set(diagnostic, level)
    });
}

/// Gives a diagnostic its severity and tags; `false` when nobody wants it.
fn set(diagnostic: &mut impl HasLevel, level: Option<Level>) -> bool {
    let code = diagnostic.place().1;
    diagnostic.tag(tags(code));
    let own = *diagnostic.severity();
    let severity = severity(code, own, level);
    *diagnostic.severity() = severity.unwrap_or(own);
    severity.is_some()
}

/// The severity of a finding that is `own` by its rule, when a setting or a comment says `level`;
/// `None` when nobody wants it.
pub(in crate::diagnostics) fn severity(
    code: &str,
    own: Severity,
    level: Option<Level>,
) -> Option<Severity> {
    match level {
        Some(level) => level.severity(),
        None => registry::code(code)
            .is_none_or(|it| !it.is_off())
            .then_some(own),
    }
}

/// The tags of all findings of a code.
pub(in crate::diagnostics) fn tags(code: &str) -> &'static [DiagnosticTag] {
    registry::code(code).map_or(&[], |it| it.tags)
}

/// Whether a file has comments that set levels.
pub(super) fn has_controls(db: &dyn Database, file: SourceFile) -> bool {
    if !is_marked(db, file) {
        return false;
    }
    let items = items(db, file);
    let of_items = module_controls(db, items.module);
    let mut of_functions = items.functions.iter();
    of_items.iter().any(|it| !it.1.controls.is_empty())
        || of_functions.any(|it| !function_controls(db, *it).controls.is_empty())
}

/// The comments of a file with their places in it.
fn placed(db: &dyn Database, file: SourceFile) -> Vec<Placed> {
    let items = items(db, file);
    let offsets = item_offsets(db, file);
    let contents = file.contents(db);
    let lines = &contents.lines;
    let first = offsets
        .functions
        .first()
        .into_iter()
        .chain(offsets.module.first())
        .min()
        .copied();
    let mut placed = Vec::new();
    let mut add = |controls: &Controls, start: TextSize| {
        for control in &controls.controls {
            let line = lines.line_of(control.range.start() + start);
            let whole = |last: u32| TextRange::new(lines.line_start(line), line_end(lines, last));
            let range = match control.scope {
                // What is before the first item is about the file.
                CommentScope::Node(_) if Some(start) == first && control.scope.starts_at_zero() => {
                    TextRange::up_to(TextSize::new(u32::MAX))
                }
                CommentScope::Node(range) => range + start,
                CommentScope::Line => whole(line),
                CommentScope::NextLine => whole(line + 1),
            };
            placed.push(Placed {
                range,
                level: control.level,
                codes: control.codes.clone(),
            });
        }
    };
    for (index, controls) in module_controls(db, items.module) {
        add(controls, offsets.module[*index as usize]);
    }
    for (function, start) in items.functions.iter().zip(&offsets.functions) {
        add(function_controls(db, *function), *start);
    }
    placed
}

/// Where a line ends.
fn line_end(lines: &LineTable, line: u32) -> TextSize {
    lines.line_start(line + 1)
}

impl CommentScope {
    /// Whether it is an item from its start.
    fn starts_at_zero(self) -> bool {
        matches!(self, CommentScope::Node(range) if range.start() == TextSize::new(0))
    }
}
