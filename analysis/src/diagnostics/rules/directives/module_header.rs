//! The start of a module: `.version`, `.target` and `.address_size`.

use isa::{
    directive::TEXMODE_INDEPENDENT,
    target::{Suffix, Target, Version, least_version, targets, versions},
};
use salsa::Database;
use syntax::{Cursor, CursorToken, NodeOrToken, SyntaxKind, TextRange};

use crate::{
    FixKind,
    db::SourceFile,
    diagnostics::{
        finding::{Finding, finding},
        fix::Repair,
        place::{ItemIndex, Place},
        registry::{
            ADDRESS_SIZE_32, INVALID_DIRECTIVE, MISSING_DIRECTIVE, UNKNOWN_DIRECTIVE,
            UNKNOWN_VERSION,
        },
        rules::directives::{
            context::{Judge, removal},
            numbers::{integer, token},
            target_words::Options,
        },
    },
    hir::{
        declared::header,
        items::{Function, Items, items},
        tree::{self, trimmed},
    },
};

/// The message about a module without a header.
pub(in crate::diagnostics) const NO_HEADER: &str =
    "a module starts with `.version` and `.target`, as in `.version 8.5` and `.target sm_90`";

/// The version of a header that is inserted, if the target is not younger.
const USUAL_VERSION: Version = Version::new(8, 5);
/// The target of a header that is inserted, if the version is not older.
const USUAL_TARGET: Target = Target {
    number: 90,
    suffix: Suffix::Plain,
};

/// The header of a module, and directives of headers in other places.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let items = items(db, file);
    let module = items.module.items(db);
    // How many items of the header are before the first function.
    let before_functions = items.before.first().map_or(module.len(), |it| *it as usize);
    let kind = |index: usize| {
        let item = module.get(index).filter(|_| index < before_functions)?;
        Some(item.green.cursor().kind())
    };
    if kind(0) != Some(SyntaxKind::VERSION_DIRECTIVE) {
        findings.extend(first_item(db, items).map(|(index, start)| {
            let mut finding = missing(start, NO_HEADER);
            finding.fixes.push(insert_header(items, db, index, start));
            (index, finding)
        }));
        return;
    }
    let of = |index: usize, finding: Finding| (ItemIndex::Other(index as u32), finding);
    if kind(1) != Some(SyntaxKind::TARGET_DIRECTIVE) {
        let cursor = module[0].green.cursor();
        findings.extend(version(&cursor).map(|it| of(0, it)));
        if module[0].errors.is_empty() {
            findings.push(no_target(db, items, header(db, file).version));
        }
        return;
    }
    let number = header(db, file).version;
    let mut options = Options {
        header_only: items.functions.is_empty()
            && module.iter().all(|it| is_header(it.green.cursor().kind())),
        ..Options::default()
    };
    let mut place = Next::Version;
    for (index, item) in module.iter().enumerate() {
        let cursor = item.green.cursor();
        if index >= before_functions {
            place = Next::Rest;
        }
        let mut found = Vec::new();
        match (cursor.kind(), place) {
            (SyntaxKind::VERSION_DIRECTIVE, Next::Version) => {
                found.extend(version(&cursor));
                place = Next::FirstTarget;
            }
            (SyntaxKind::TARGET_DIRECTIVE, Next::FirstTarget | Next::Target) => {
                let first = place == Next::FirstTarget;
                options.target(&cursor, first, number, &mut found);
                place = Next::Target;
            }
            (SyntaxKind::ADDRESS_SIZE_DIRECTIVE, Next::Target) => {
                found.extend(address_size(&cursor));
                place = Next::Rest;
            }
            (SyntaxKind::VERSION_DIRECTIVE, _) => {
                found.extend(misplaced(
                    &cursor,
                    "a module has one `.version`, at its start",
                ));
            }
            (SyntaxKind::TARGET_DIRECTIVE, _) => found.extend(misplaced(
                &cursor,
                "`.target` must directly follow `.version`, or be in a body",
            )),
            (SyntaxKind::ADDRESS_SIZE_DIRECTIVE, _) => found.extend(misplaced(
                &cursor,
                "`.address_size` must directly follow `.target`, once",
            )),
            // It may be the directive that belongs here.
            (SyntaxKind::ERROR, _) => {}
            _ => place = Next::Rest,
        }
        findings.extend(found.into_iter().map(|it| of(index, it)));
        if let Some(word) = options.debug.take()
            && !has_section(db, items)
        {
            findings.push(of(index, no_section(word)));
        }
    }
}

/// Whether an item is a directive of the header.
fn is_header(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::VERSION_DIRECTIVE
            | SyntaxKind::TARGET_DIRECTIVE
            | SyntaxKind::ADDRESS_SIZE_DIRECTIVE
    )
}

/// The directives that may come next in a module.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The `.version`.
    Version,
    /// The first `.target`.
    FirstTarget,
    /// Another `.target`, the `.address_size` or anything else.
    Target,
    /// Anything else.
    Rest,
}

/// The first token of the first item, if there is one.
fn first_item(db: &dyn Database, items: &Items<'_>) -> Option<(ItemIndex, TextRange)> {
    let other = items.module.items(db).first();
    match (other, items.functions.first()) {
        // That is said of the text.
        (None, None) => None,
        (Some(item), _) if items.before.first().is_none_or(|it| *it > 0) => {
            Some((ItemIndex::Other(0), start(&item.green.cursor())))
        }
        (_, Some(function)) => Some((ItemIndex::Function(0), start(&function.green(db).cursor()))),
        (Some(item), None) => Some((ItemIndex::Other(0), start(&item.green.cursor()))),
    }
}

/// The first token of an item.
fn start(item: &Cursor<'_>) -> TextRange {
    let range = trimmed(item);
    let mut first = None;
    tree::for_each_token(item, &mut |token: CursorToken<'_>| {
        if first.is_none() && token.range().start() == range.start() {
            first = Some(token.range());
        }
    });
    first.unwrap_or(range)
}

fn missing(range: TextRange, message: &str) -> Finding {
    finding(range, MISSING_DIRECTIVE, message.to_owned(), None)
}

/// The fix that puts a `.version` before the `.target` that it follows.
fn exchange_header(items: &Items<'_>, db: &dyn Database) -> Option<Repair> {
    let [target, version, ..] = items.module.items(db) else {
        return None;
    };
    let (target, version) = (target.green.cursor(), version.green.cursor());
    if (target.kind(), version.kind())
        != (SyntaxKind::TARGET_DIRECTIVE, SyntaxKind::VERSION_DIRECTIVE)
        || items.before.first() == Some(&1)
    {
        return None;
    }
    let (first, second) = (trimmed(&target), trimmed(&version));
    Some(Repair {
        title: "Move `.version` before `.target`".to_owned(),
        edits: vec![
            (Place::Item(0, first), tree::text_of_range(&version, second)),
            (Place::Item(1, second), tree::text_of_range(&target, first)),
        ],
        preferred: true,
        kind: FixKind::ChangeDirective,
    })
}

/// The fix that inserts what a module starts with; an existing `.target` is kept.
fn insert_header(
    items: &Items<'_>,
    db: &dyn Database,
    index: ItemIndex,
    start: TextRange,
) -> Repair {
    if let Some(exchange) = exchange_header(items, db) {
        return exchange;
    }
    let target = match index {
        ItemIndex::Other(_) => items
            .module
            .items(db)
            .first()
            .map(|it| it.green.cursor())
            .filter(|it| it.kind() == SyntaxKind::TARGET_DIRECTIVE),
        ItemIndex::Function(_) => None,
    };
    let least = target
        .and_then(|it| it.nodes().find_map(|it| it.token(SyntaxKind::IDENT)))
        .and_then(|it| least_version(Target::parse(it.text())?));
    let version = least.unwrap_or(USUAL_VERSION).max(USUAL_VERSION);
    let (title, text) = if target.is_some() {
        (
            format!("Insert `.version {version}`"),
            format!(".version {version}\n"),
        )
    } else {
        (
            "Insert `.version`, `.target` and `.address_size`".to_owned(),
            format!(".version {version}\n.target {USUAL_TARGET}\n.address_size 64\n\n"),
        )
    };
    let at = TextRange::empty(start.start());
    Repair::new(FixKind::InsertDirective, title, at, text).preferred(true)
}

/// That no `.target` follows the `.version`, at what follows instead.
fn no_target(
    db: &dyn Database,
    items: &Items<'_>,
    version: Option<Version>,
) -> (ItemIndex, Finding) {
    let module = items.module.items(db);
    let message = "`.target` must follow `.version`, as in `.target sm_90`";
    let second = match (module.get(1), items.functions.first()) {
        (Some(item), _) if items.before.first().is_none_or(|it| *it > 1) => {
            Some((ItemIndex::Other(1), start(&item.green.cursor())))
        }
        (_, Some(function)) => Some((ItemIndex::Function(0), start(&function.green(db).cursor()))),
        _ => None,
    };
    let (index, range) = second.unwrap_or_else(|| {
        let first = module.first().map(|it| trimmed(&it.green.cursor()));
        (ItemIndex::Other(0), first.unwrap_or_default())
    });
    let mut finding = missing(range, message);
    let usable = |(target, least): &(Target, Version)| {
        // The first of its generation is what most people mean.
        target.suffix == Suffix::Plain
            && target.number % 10 == 0
            && *target <= USUAL_TARGET
            && version.is_none_or(|it| *least <= it)
    };
    if let Some((target, _)) = targets().filter(usable).last() {
        let (at, text) = match second {
            Some(_) => (range.start(), format!(".target {target}\n")),
            None => (range.end(), format!("\n.target {target}")),
        };
        let title = format!("Insert `.target {target}`");
        let at = TextRange::empty(at);
        finding
            .fixes
            .push(Repair::new(FixKind::InsertDirective, title, at, text).preferred(true));
    }
    (index, finding)
}

fn misplaced(directive: &Cursor<'_>, message: &str) -> Option<Finding> {
    let word = directive.token(SyntaxKind::DOTTED)?;
    let mut finding = finding(word.range(), UNKNOWN_DIRECTIVE, message.to_owned(), None);
    finding.fixes.push(removal(word.text(), trimmed(directive)));
    Some(finding)
}

fn version(directive: &Cursor<'_>) -> Option<Finding> {
    let number = directive.token(SyntaxKind::FLOAT)?;
    // Word and number are one token for ptxas.
    let mut between = directive
        .children()
        .filter_map(NodeOrToken::into_token)
        .skip_while(|it| it.kind() != SyntaxKind::DOTTED)
        .skip(1)
        .take_while(|it| it.kind().is_trivia());
    if between.any(|it| it.kind() != SyntaxKind::WHITESPACE || it.text().contains('\n')) {
        let message = "the number of `.version` must be on the same line, after a blank";
        return Some(missing(number.range(), message));
    }
    let known = Version::parse(number.text()).is_some_and(|it| versions().any(|known| known == it));
    if known {
        return None;
    }
    let last = versions().last().map(|it| format!("the newest is {it}"));
    Some(finding(
        number.range(),
        UNKNOWN_VERSION,
        format!("there is no PTX ISA version {}", number.text()),
        last,
    ))
}

fn address_size(directive: &Cursor<'_>) -> Option<Finding> {
    let literal = directive.node(SyntaxKind::LITERAL)?;
    let token = token(&literal)?;
    let mut findings = Vec::new();
    let size = integer(&literal, "`.address_size`", &mut findings);
    if let Some(finding) = findings.pop() {
        return Some(finding);
    }
    let mut finding = match size? {
        64 => return None,
        32 => finding(
            token.range(),
            ADDRESS_SIZE_32,
            "ptxas no longer generates code with 32-bit addresses".to_owned(),
            Some(
                "the last tools that did were those of CUDA 11, for targets before `sm_90`"
                    .to_owned(),
            ),
        ),
        _ => finding(
            token.range(),
            INVALID_DIRECTIVE,
            format!("an address has 32 or 64 bits, not {}", token.text()),
            None,
        ),
    };
    finding.fixes.push(Repair::new(
        FixKind::ChangeDirective,
        format!("Replace `{}` by `64`", token.text()),
        token.range(),
        "64",
    ));
    Some(finding)
}

/// Checks a `.target` in a body.
pub(super) fn in_body(
    db: &dyn Database,
    function: Function<'_>,
    directive: &Cursor<'_>,
    judge: &Judge,
    findings: &mut Vec<Finding>,
) {
    let items = items(db, function.file(db));
    let independent = items
        .module
        .items(db)
        .iter()
        .map(|it| it.green.cursor())
        .filter(|it| it.kind() == SyntaxKind::TARGET_DIRECTIVE)
        .any(|it| {
            it.nodes()
                .filter_map(|it| it.token(SyntaxKind::IDENT))
                .any(|it| it.text() == TEXMODE_INDEPENDENT)
        });
    // The mode of the header is from its end on, also if it names none.
    let mode = if independent {
        TEXMODE_INDEPENDENT
    } else {
        "texmode_unified"
    };
    let mut options = Options {
        target: judge.module.map(|it| it.target),
        texture_mode: Some(mode.to_owned()),
        debug: None,
        header_only: false,
    };
    options.target(
        directive,
        false,
        judge.module.map(|it| it.version),
        findings,
    );
    if let Some(word) = options.debug
        && !has_section(db, items)
    {
        findings.push(no_section(word));
    }
}

fn has_section(db: &dyn Database, items: &Items<'_>) -> bool {
    let mut all = items.module.items(db).iter();
    all.any(|it| it.green.cursor().kind() == SyntaxKind::SECTION)
}

fn no_section(word: TextRange) -> Finding {
    missing(
        word,
        "`debug` needs debug sections, but the module has no `.section`",
    )
}
