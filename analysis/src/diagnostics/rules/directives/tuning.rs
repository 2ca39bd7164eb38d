//! Directives between the header of a function and its body.

use isa::{
    directive::{LANGUAGES, LAST_LANGUAGE},
    performance::{
        CONFLICTS, CTA_MEMORY_REGISTERS, Owner, RANK_OF_ABI, REQUIREMENTS, TUNING, Tuning, Values,
        tuning,
    },
};
use salsa::Database;
use syntax::{Cursor, CursorToken, SyntaxKind};

use crate::{
    FixKind,
    diagnostics::{
        finding::{Finding, finding},
        fix::Repair,
        place::Place,
        registry::{
            CONFLICTING_DIRECTIVES, IGNORED_DIRECTIVE, INVALID_DIRECTIVE, MISSING_DIRECTIVE,
            UNKNOWN_DIRECTIVE,
        },
        rules::directives::{
            context::removal,
            numbers::{integer32, invalid, token, value},
        },
        suggestion::most_similar,
    },
    hir::{
        body::{Target, body},
        items::Function,
        tree::{has_word, trimmed},
    },
};

/// A directive with its word.
struct WordedDirective<'a> {
    node: Cursor<'a>,
    word: CursorToken<'a>,
    row: &'static Tuning,
}

/// Checks the directives of a function or a prototype.
pub(super) fn in_header(function: &Cursor<'_>, findings: &mut Vec<Finding>) {
    let owner = owner(function);
    let mut directives = Vec::new();
    for node in function
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::TUNING_DIRECTIVE)
    {
        let Some(word) = node.token(SyntaxKind::DOTTED) else {
            continue;
        };
        match tuning(word.text()) {
            Some(row) if row.fits(owner) => directives.push(WordedDirective { node, word, row }),
            row => {
                let mut finding = misplaced(&word, row.is_some(), owner);
                finding.fixes.push(removal(word.text(), trimmed(&node)));
                findings.push(finding);
                // One word is enough to say that a declaration takes none.
                if owner == Owner::EntryPrototype {
                    return;
                }
            }
        }
    }
    if owner == Owner::EntryPrototype
        && let Some(pragma) = function.node(SyntaxKind::PRAGMA)
        && let Some(word) = pragma.token(SyntaxKind::DOTTED)
    {
        findings.push(misplaced(&word, true, owner));
    }
    if matches!(owner, Owner::Function | Owner::Prototype) {
        order(&directives, findings);
    }
    for directive in &directives {
        values(directive, findings);
    }
    if owner == Owner::Entry {
        together(&directives, findings);
    }
}

fn owner(function: &Cursor<'_>) -> Owner {
    // Without either, the end of the header is not written yet.
    let declared = function.node(SyntaxKind::BLOCK).is_none()
        && function.token(SyntaxKind::SEMICOLON).is_some();
    match (has_word(function, ".entry"), declared) {
        (true, true) => Owner::EntryPrototype,
        (true, false) => Owner::Entry,
        (false, true) => Owner::Prototype,
        (false, false) => Owner::Function,
    }
}

fn describe(owner: Owner) -> &'static str {
    match owner {
        Owner::Entry => "an `.entry`",
        Owner::EntryPrototype => "an `.entry` without a body",
        Owner::Function => "a `.func`",
        Owner::Prototype => "a prototype",
    }
}

fn misplaced(word: &CursorToken<'_>, known: bool, owner: Owner) -> Finding {
    let text = word.text();
    let place = describe(owner);
    let message = if known {
        format!("`{text}` is not allowed in the header of {place}")
    } else {
        format!("there is no directive `{text}` in the header of {place}")
    };
    let allowed = TUNING.iter().filter(|it| it.fits(owner)).map(|it| it.word);
    let similar = most_similar(text, allowed);
    let mut finding = finding(
        word.range(),
        UNKNOWN_DIRECTIVE,
        message,
        similar.map(|it| format!("did you mean `{it}`?")),
    );
    let respell = similar.map(|it| Repair::respell(word.range(), text, it.to_owned()));
    finding.fixes.extend(respell);
    finding
}

/// The order in the header of a `.func`.
fn order(directives: &[WordedDirective<'_>], findings: &mut Vec<Finding>) {
    let mut before: Vec<&WordedDirective<'_>> = Vec::new();
    for directive in directives {
        let (word, rank) = (directive.word.text(), directive.row.rank);
        let later = before.iter().find(|it| it.row.rank > rank);
        let same = before
            .iter()
            .find(|it| it.word.text() == word || (it.row.rank == rank && rank != RANK_OF_ABI));
        if let Some(same) = same {
            let mut finding = finding(
                directive.word.range(),
                CONFLICTING_DIRECTIVES,
                format!("duplicate `{word}` in the function header"),
                None,
            );
            finding
                .related
                .push((Place::Own(same.word.range()), "the first one"));
            finding
                .fixes
                .push(removal(word, trimmed(&directive.node)).preferred(true));
            findings.push(finding);
        } else if let Some(later) = later {
            let mut finding = finding(
                directive.word.range(),
                UNKNOWN_DIRECTIVE,
                format!("`{word}` must precede `{}`", later.word.text()),
                None,
            );
            finding.fixes.push(Repair {
                title: format!("Move `{word}` before `{}`", later.word.text()),
                edits: vec![
                    (
                        Place::Own(syntax::TextRange::empty(later.word.range().start())),
                        format!("{} ", text(&directive.node)),
                    ),
                    (Place::Own(trimmed(&directive.node)), String::new()),
                ],
                preferred: true,
                kind: FixKind::ChangeDirective,
            });
            findings.push(finding);
        }
        before.push(directive);
    }
}

/// The text of a directive on one line.
fn text(node: &Cursor<'_>) -> String {
    let mut line = crate::hir::tree::OneLine::default();
    line.push_node(node);
    line.finish()
}

fn values(directive: &WordedDirective<'_>, findings: &mut Vec<Finding>) {
    let (node, word) = (&directive.node, &directive.word);
    let what = format!("`{}`", word.text());
    let literals: Vec<_> = node
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::LITERAL)
        .collect();
    let most = match directive.row.values {
        Values::Languages => {
            languages(node, word, findings);
            return;
        }
        Values::None => 0,
        Values::Numbers(most) | Values::Positive(most) => usize::from(most),
        Values::UpTo(_) => 1,
    };
    let takes = match most {
        0 => format!("{what} takes no value"),
        1 => format!("{what} takes one integer"),
        _ => format!("{what} takes 1 to {most} integers"),
    };
    if let Some(string) = node.token(SyntaxKind::STRING) {
        findings.push(invalid(&string, takes));
        return;
    }
    if let Some(surplus) = literals.get(most).and_then(token) {
        findings.push(invalid(&surplus, takes));
        return;
    }
    if most > 0 && literals.is_empty() {
        findings.push(finding(word.range(), INVALID_DIRECTIVE, takes, None));
    }
    for literal in &literals {
        let Some(number) = integer32(literal, &what, findings) else {
            continue;
        };
        let wrong = match directive.row.values {
            Values::Positive(_) if number == 0 => format!("{what} takes numbers from 1 on"),
            Values::UpTo(limit) if u64::from(number) > limit => {
                format!("{what} takes numbers up to {limit}")
            }
            _ => continue,
        };
        findings.extend(token(literal).map(|it| invalid(&it, wrong)));
    }
}

/// The names and numbers of `.language`.
fn languages(node: &Cursor<'_>, word: &CursorToken<'_>, findings: &mut Vec<Finding>) {
    let strings: Vec<_> = node
        .tokens()
        .filter(|it| it.kind() == SyntaxKind::STRING)
        .collect();
    let literals: Vec<_> = node
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::LITERAL)
        .collect();
    if strings.is_empty() && literals.is_empty() {
        findings.push(finding(
            word.range(),
            INVALID_DIRECTIVE,
            "`.language` takes names such as \"ptx\" or numbers of languages".to_owned(),
            None,
        ));
    }
    for string in strings {
        let name = string.text().trim_matches('"');
        if LANGUAGES.iter().any(|it| it.eq_ignore_ascii_case(name)) {
            continue;
        }
        let message = format!("`.language` knows no language {}", string.text());
        let mut finding = invalid(&string, message);
        let similar = most_similar(&name.to_ascii_lowercase(), LANGUAGES.iter().copied());
        let fix = similar.map(|it| Repair::respell(string.range(), name, format!("\"{it}\"")));
        finding.fixes.extend(fix);
        finding.help = Some(format!("expected one of {}", LANGUAGES.join(", ")));
        findings.push(finding);
    }
    for literal in literals {
        let number = integer32(&literal, "`.language`", findings);
        if number.is_some_and(|it| u64::from(it) > LAST_LANGUAGE) {
            let message = format!("the numbers of languages are 0 to {LAST_LANGUAGE}");
            findings.extend(token(&literal).map(|it| invalid(&it, message)));
        }
    }
}

/// Conflicts between the directives of an entry, which ptxas looks at when the body ends.
fn together(directives: &[WordedDirective<'_>], findings: &mut Vec<Finding>) {
    let find = |word: &str| directives.iter().rfind(|it| it.word.text() == word);
    // Zero clusters are none.
    let counts = |word: &str| find(word).is_some_and(|it| first_value(&it.node) != Some(0));
    for (a, b) in CONFLICTS {
        let (Some(a), Some(b)) = (find(a), find(b)) else {
            continue;
        };
        let (first, second) = if a.word.range().start() < b.word.range().start() {
            (a, b)
        } else {
            (b, a)
        };
        let mut finding = finding(
            second.word.range(),
            CONFLICTING_DIRECTIVES,
            format!(
                "`{}` and `{}` exclude each other",
                first.word.text(),
                second.word.text()
            ),
            None,
        );
        finding
            .related
            .push((Place::Own(first.word.range()), "the other one"));
        for it in [second, first] {
            finding
                .fixes
                .push(removal(it.word.text(), trimmed(&it.node)));
        }
        findings.push(finding);
    }
    for (word, needed) in REQUIREMENTS {
        let Some(directive) = find(word) else {
            continue;
        };
        let missing: Vec<String> = needed
            .iter()
            .filter(|it| !counts(it))
            .map(|it| format!("`{it}`"))
            .collect();
        if !missing.is_empty() {
            findings.push(finding(
                directive.word.range(),
                MISSING_DIRECTIVE,
                format!("`{word}` needs {}, too", missing.join(" and ")),
                None,
            ));
        }
    }
    for word in [".minnctapersm", ".maxnctapersm"] {
        if let Some(directive) = find(word)
            && find(".maxntid").is_none()
            && find(".reqntid").is_none()
        {
            findings.push(finding(
                directive.word.range(),
                IGNORED_DIRECTIVE,
                format!("ptxas ignores `{word}` without `.maxntid` or `.reqntid`"),
                None,
            ));
        }
    }
}

fn first_value(node: &Cursor<'_>) -> Option<u64> {
    value(&token(&node.node(SyntaxKind::LITERAL)?)?)
}

/// Whether a function is an entry whose header does not say how much memory a CTA wants.
pub(crate) fn lacks_cta_memory(function: &Cursor<'_>) -> bool {
    let has_memory = |it: &Cursor<'_>| {
        has_word(it, ".minperctamemory") && first_value(it).is_none_or(|it| it > 0)
    };
    has_word(function, ".entry") && !function.nodes().any(|it| has_memory(&it))
}

/// Special registers that an entry may read only when its header says how much memory it wants.
pub(super) fn special_registers(
    db: &dyn Database,
    function: Function<'_>,
    cursor: &Cursor<'_>,
    findings: &mut Vec<Finding>,
) {
    if !lacks_cta_memory(cursor) {
        return;
    }
    for reference in &body(db, function).references {
        let Target::Special(index) = reference.target else {
            continue;
        };
        let name = isa::special::get(index).map_or("", |it| it.name);
        if CTA_MEMORY_REGISTERS.contains(&name) {
            findings.push(finding(
                reference.range,
                MISSING_DIRECTIVE,
                format!("`{name}` needs `.minperctamemory` in the header of the `.entry`"),
                None,
            ));
        }
    }
}
