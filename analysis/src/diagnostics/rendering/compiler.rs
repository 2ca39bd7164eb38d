//! The messages of a compiler as diagnostics: placed on the words that they name, and without those
//! was known already.
//!
//! `ptxas` names lines and no columns, and for a statement often the line of the token after the opcode.
//! So a message is about the statement that its line is a part of.

use std::collections::BTreeMap;

use salsa::Database;
use syntax::{
    FileContents, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize, text::escape_controls,
    token_at, trimmed_range,
};

use crate::{
    CompilerMessage, Diagnostic, Severity,
    db::SourceFile,
    diagnostics::{
        place::{ItemIndex, declaration_place},
        registry::PTXAS,
        rendering::{advice, levels},
    },
    hir::{items::item_offsets, module::module_scope},
};

/// In longer statements (tables of initial values, as a rule) words are not searched.
const MAX_SEARCHED: usize = 1 << 16;

/// The diagnostics of a file, and the messages that are news.
pub(crate) fn with_messages(
    db: &dyn Database,
    file: SourceFile,
    mut diagnostics: Vec<Diagnostic>,
    messages: &[CompilerMessage],
) -> Vec<Diagnostic> {
    let contents = file.contents(db);
    let root = contents.tree.syntax();
    let known = WorstByLine::new(&contents, &diagnostics);
    let mut found: Vec<Diagnostic> = Vec::new();
    for message in messages {
        let place = match &message.line {
            Some((line, text)) => place_on_line(&contents, &root, *line, text, &message.text),
            None => Some(place_of_name(db, file, &root, &message.text)),
        };
        let Some(place) = place else { continue };
        if message.line.is_none()
            && let Some(within) = advice_range(&root, place.range, &message.text)
            && advice::join(db, file, &contents, within, &message.text, &mut diagnostics)
        {
            continue;
        }
        if !known.covers(&place, message.severity) {
            found.push(Diagnostic {
                range: place.range,
                severity: message.severity,
                code: PTXAS.name,
                message: escape_controls(&message.text).into_owned(),
                help: None,
                related: Vec::new(),
                tags: Vec::new(),
                fixes: Vec::new(),
            });
        }
    }
    found.sort_by(|a, b| {
        let key = |it: &Diagnostic| (it.range.start(), it.range.end());
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    found.dedup_by(|a, b| a.range == b.range && a.message == b.message);
    levels::apply(db, file, &mut found);
    if !found.is_empty() {
        diagnostics.append(&mut found);
        diagnostics.sort_by_key(|it| (it.range.start(), it.range.end()));
    }
    diagnostics
}

/// Where a message belongs.
struct Location {
    /// The underlined range.
    range: TextRange,
    /// The first and the last line of what it is about.
    lines: (u32, u32),
}

/// The worst diagnostic of our own on each line.
struct WorstByLine(BTreeMap<u32, Severity>);

impl WorstByLine {
    fn new(contents: &FileContents, diagnostics: &[Diagnostic]) -> WorstByLine {
        let mut worst = BTreeMap::new();
        for diagnostic in diagnostics {
            let range = diagnostic.range;
            for at in [range.start(), range.end()] {
                let severity = worst
                    .entry(contents.lines.line_of(at))
                    .or_insert(diagnostic.severity);
                *severity = diagnostic.severity.min(*severity);
            }
        }
        WorstByLine(worst)
    }

    /// Whether something as bad is known about these lines.
    fn covers(&self, place: &Location, severity: Severity) -> bool {
        let (first, last) = place.lines;
        let mut known = self.0.range(first..=last.max(first));
        known.any(|(_, it)| *it <= severity)
    }
}

/// The place of a message that names a line; `None` if the line is another one by now.
fn place_on_line(
    contents: &FileContents,
    root: &SyntaxNode,
    line: u32,
    text: &str,
    message: &str,
) -> Option<Location> {
    let lines = &contents.lines;
    if line >= lines.line_count() {
        return None;
    }
    let whole = TextRange::new(lines.line_start(line), lines.line_end(line));
    let now = root.text().slice(whole).to_string();
    if now.trim() != text {
        return None;
    }
    let indent = now.len() - now.trim_start().len();
    let start = whole.start() + TextSize::try_from(indent).ok()?;
    let first = code_from(token_at(root, start), whole.end());
    let Some(first) = first else {
        // A line without code: an unclosed body, say, ends after it.
        return Some(Location {
            range: TextRange::new(start, whole.end().max(start)),
            lines: (line, line),
        });
    };
    let statement = statement_of(&first);
    let mut about = (
        lines.line_of(statement.start()).min(line),
        lines.line_of(statement.end()).max(line),
    );
    if message.starts_with("Parsing error") {
        // What is missing is missing after the token before the one that ptxas stumbled on.
        if let Some(before) = code_before(&first) {
            about.0 = about.0.min(lines.line_of(before.text_range().end()));
        }
    }
    let on_line = TextRange::new(first.text_range().start(), code_end(&first, whole.end()));
    let range = named_words(message).find_map(|word| {
        find_word(root, on_line, word).or_else(|| find_word(root, statement, word))
    });
    Some(Location {
        range: range.unwrap_or(on_line),
        lines: about,
    })
}

/// The place of a message without a line: the declaration that it names, else the start of the file.
fn place_of_name(
    db: &dyn Database,
    file: SourceFile,
    root: &SyntaxNode,
    message: &str,
) -> Location {
    let contents = file.contents(db);
    let lines = &contents.lines;
    let scope = module_scope(db, file);
    let declared = named_words(message).find_map(|word| {
        let source = scope.find(word).first()?.source;
        let (item, range) = declaration_place(db, file, source);
        let offsets = item_offsets(db, file);
        let start = match item {
            ItemIndex::Function(index) => offsets.functions.get(index as usize)?,
            ItemIndex::Other(index) => offsets.module.get(index as usize)?,
        };
        Some(range + *start)
    });
    let range = declared.unwrap_or_else(|| {
        let first = code_from(root.first_token(), root.text_range().end());
        first.map_or_else(TextRange::default, |it| it.text_range())
    });
    let line = lines.line_of(range.start());
    Location {
        range,
        lines: (line, line),
    }
}

/// The range that a message without a line is about: the function that it names, or the file if it names none. `None`
/// if the file does not have that function.
fn advice_range(root: &SyntaxNode, place: TextRange, message: &str) -> Option<TextRange> {
    if !message.contains("function '") {
        return Some(root.text_range());
    }
    let token = token_at(root, place.start())?;
    let function = token
        .parent_ancestors()
        .find(|it| it.kind() == SyntaxKind::FUNCTION)?;
    Some(function.text_range())
}

/// The first token from this one on that is neither a blank nor a comment, if it starts before `end`.
fn code_from(token: Option<SyntaxToken>, end: TextSize) -> Option<SyntaxToken> {
    let mut next = token;
    while let Some(token) = next {
        if token.text_range().start() >= end {
            return None;
        }
        if !token.kind().is_trivia() {
            return Some(token);
        }
        next = token.next_token();
    }
    None
}

/// The token with a meaning before this one.
fn code_before(token: &SyntaxToken) -> Option<SyntaxToken> {
    let mut before = token.prev_token();
    while let Some(it) = before.as_ref().filter(|it| it.kind().is_trivia()) {
        before = it.prev_token();
    }
    before
}

/// Where the last token with a meaning ends that starts before `end`, from `first` on.
fn code_end(first: &SyntaxToken, end: TextSize) -> TextSize {
    let mut last = first.clone();
    let mut next = first.next_token();
    while let Some(token) = code_from(next, end) {
        next = token.next_token();
        last = token;
    }
    last.text_range().end().min(end)
}

/// The statement, the directive or the head of the function that a token is a part of.
fn statement_of(token: &SyntaxToken) -> TextRange {
    let is_list = |kind| {
        matches!(
            kind,
            SyntaxKind::SOURCE_FILE
                | SyntaxKind::FUNCTION
                | SyntaxKind::BLOCK
                | SyntaxKind::STATEMENT_RUN
        )
    };
    let statement = token
        .parent_ancestors()
        .take_while(|it| !is_list(it.kind()))
        .last();
    statement.map_or_else(|| token.text_range(), |it| trimmed_range(&it))
}

/// The words in quotes of a message.
fn named_words(message: &str) -> impl Iterator<Item = &str> {
    let quoted = message.split('\'').skip(1).step_by(2);
    // Messages about limits of entries name them without quotes.
    let entry = message
        .split_once("entry ")
        .and_then(|it| it.1.split([' ', ',']).next());
    quoted
        .chain(entry)
        .map(str::trim)
        .filter(|it| !it.is_empty())
}

/// The first place in a range where a word appears that is not part of a longer one.
fn find_word(root: &SyntaxNode, range: TextRange, word: &str) -> Option<TextRange> {
    if usize::from(range.len()) > MAX_SEARCHED {
        return None;
    }
    let text = root.text().slice(range).to_string();
    let joins = |it: Option<char>| it.is_some_and(|it| it.is_alphanumeric() || "_$%".contains(it));
    let inner = joins(word.chars().next());
    let at = text.match_indices(word).map(|it| it.0).find(|at| {
        let (before, after) = (&text[..*at], &text[at + word.len()..]);
        !(inner && joins(before.chars().next_back()) || joins(after.chars().next()))
    })?;
    let start = range.start() + TextSize::try_from(at).ok()?;
    Some(TextRange::at(start, TextSize::of(word)))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{AnalysisConfig, Change, FileId, Level, fixture::Fixture};

    /// The diagnostics after joining messages `LINE SEVERITY: TEXT` (line from 1, `-` for none) with ours.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the convention of expect-test"
    )]
    fn check(text: &str, messages: &[&str], expect: Expect) {
        let fixture = Fixture::new(text);
        check_fixture(&fixture, &messages_of(text, messages), &expect);
    }

    fn messages_of(text: &str, messages: &[&str]) -> Vec<CompilerMessage> {
        let parse = |message: &&str| {
            let (head, words) = message.split_once(": ").unwrap();
            let (line, severity) = head.split_once(' ').unwrap();
            CompilerMessage {
                line: line.parse::<u32>().ok().map(|it| {
                    let line = text.lines().nth(it as usize - 1).unwrap_or_default();
                    (it - 1, line.trim().to_owned())
                }),
                severity: match severity {
                    "error" => Severity::Error,
                    "warning" => Severity::Warning,
                    _ => Severity::Information,
                },
                text: words.to_owned(),
            }
        };
        messages.iter().map(parse).collect()
    }

    fn check_fixture(fixture: &Fixture, messages: &[CompilerMessage], expect: &Expect) {
        let analysis = fixture.host.analysis();
        let own = fixture.diagnostics();
        let joined = analysis
            .with_compiler_messages(FileId(0), own, messages)
            .unwrap();
        let shown: String = joined
            .into_iter()
            .map(|it| {
                let place = fixture.show(crate::FileRange {
                    file: FileId(0),
                    range: it.range,
                });
                format!("{place} | {:?} {}: {}\n", it.severity, it.code, it.message)
            })
            .collect();
        expect.assert_eq(&shown);
    }

    const KERNEL: &str = "\
.version 8.5
.target sm_90
.address_size 64
.shared .align 4 .b8 tile[4096];
.entry scale() {
    .reg .b32 %r<4>;
    mov.u32 %r1, tile; // a comment
    add.s32 %r2,
        %r1, 1;
}
";

    #[test]
    fn messages_stand_on_the_words_they_name() {
        check(
            KERNEL,
            &[
                "7 error: Arguments mismatch for instruction 'mov'",
                "9 warning: Something about instruction 'add'",
                "9 error: Nothing with a name",
                "10 info: The end",
                "- error: Entry function 'scale' uses too much shared data (0x10000 bytes, 0xc000 max)",
                "- warning: Value of minnctapersm for entry scale is out of range.",
                "- error: Of nothing in particular",
            ],
            expect![[r#"
                1:1 .version | Error ptxas: Of nothing in particular
                5:8 scale | Error ptxas: Entry function 'scale' uses too much shared data (0x10000 bytes, 0xc000 max)
                5:8 scale | Warning ptxas: Value of minnctapersm for entry scale is out of range.
                7:5 mov | Error ptxas: Arguments mismatch for instruction 'mov'
                8:5 add | Warning ptxas: Something about instruction 'add'
                9:9 %r1, 1; | Error ptxas: Nothing with a name
                10:1 } | Information ptxas: The end
            "#]],
        );
    }

    #[test]
    fn what_is_known_is_not_repeated() {
        let text = KERNEL.replace("%r1, 1;", "%r9, 1;");
        check(
            &text,
            &[
                // The same mistake, on another line of the statement.
                "8 error: Unknown symbol '%r9'",
                "8 info: Another matter",
                // The same message twice.
                "7 warning: Twice",
                "7 warning: Twice",
            ],
            expect![[r#"
                7:5 mov.u32 %r1, tile; | Warning ptxas: Twice
                9:9 %r9 | Error undefined-name: `%r9` is not declared
            "#]],
        );
        // ptxas stumbles on the statement after the one that lacks its end.
        let text = KERNEL.replace("tile; // a comment", "tile // a comment\n\n");
        check(
            &text,
            &["10 error: Parsing error near 'add': syntax error"],
            expect![[r#"
                7:22  | Error syntax-error: expected `,` or `;`
            "#]],
        );
    }

    #[test]
    fn a_line_that_was_changed_has_no_message() {
        let messages = ["7 error: The message", "40 error: Beyond the end"];
        let messages = messages_of(KERNEL, &messages);
        for (text, shown) in [
            (KERNEL.replace("%r1, tile", "%r3, tile"), ""),
            // The blanks at its ends do not matter.
            (
                KERNEL.replace("    mov", "\tmov"),
                "7:2 mov.u32 %r1, tile; | Error ptxas: The message\n",
            ),
        ] {
            let fixture = Fixture::new(&text);
            let joined =
                fixture
                    .host
                    .analysis()
                    .with_compiler_messages(FileId(0), Vec::new(), &messages);
            let joined: String = joined
                .unwrap()
                .into_iter()
                .map(|it| {
                    let place = fixture.show(crate::FileRange {
                        file: FileId(0),
                        range: it.range,
                    });
                    format!("{place} | {:?} {}: {}\n", it.severity, it.code, it.message)
                })
                .collect();
            assert_eq!(joined, shown);
        }
    }

    #[test]
    fn comments_and_settings_decide_about_them() {
        let text = KERNEL.replace("a comment", "ptx-analyzer: allow(ptxas)");
        check(
            &text,
            &["7 warning: Not wanted here", "8 warning: Wanted"],
            expect![[r#"
                8:5 add.s32 %r2, | Warning ptxas: Wanted
            "#]],
        );
        let mut fixture = Fixture::new(KERNEL);
        let severity = [("ptxas".into(), Level::Hint)];
        fixture.host.apply_change(Change {
            files: Vec::new(),
            config: Some(AnalysisConfig {
                severity: severity.into_iter().collect(),
                ..AnalysisConfig::default()
            }),
        });
        check_fixture(
            &fixture,
            &messages_of(KERNEL, &["8 error: Toned down"]),
            &expect![[r#"
                8:5 add.s32 %r2, | Hint ptxas: Toned down
            "#]],
        );
    }

    #[test]
    fn odd_texts_are_no_trouble() {
        for text in ["", "\n", "// only this", "'", "add", "\u{feff}é'é'\r\r\n"] {
            let messages = messages_of(
                text,
                &[
                    "1 error: Parsing error near 'é'",
                    "2 error: ''",
                    "- info: 'é",
                    "- error: entry ",
                ],
            );
            let fixture = Fixture::new(text);
            let analysis = fixture.host.analysis();
            let joined = analysis.with_compiler_messages(FileId(0), Vec::new(), &messages);
            for diagnostic in joined.unwrap() {
                assert!(usize::from(diagnostic.range.end()) <= text.len());
            }
        }
    }
}
