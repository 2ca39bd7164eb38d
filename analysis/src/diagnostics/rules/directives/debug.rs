//! Source files and source locations.

use isa::directive::{FILE_TIME, INLINED_AT, INLINED_AT_CHECKED_SINCE};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;
use syntax::{Cursor, SyntaxKind};

use crate::{
    db::SourceFile,
    diagnostics::{
        finding::{Finding, LINE, finding},
        place::{ItemIndex, Place},
        registry::{DUPLICATE_DEFINITION, UNDEFINED_LOCATION, UNDEFINED_SECTION_LABEL},
        rules::directives::{
            context::{Judge, statements},
            numbers::{integer, integer32, token, value},
        },
    },
    hir::{
        items::{Function, items},
        module::module_body,
        tree::{has_word, trimmed},
    },
};

/// File index, line and column.
pub(crate) type Location = [u32; 3];

/// File indices that are defined twice, and those of intermediate sources, which must be defined before.
pub(super) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let mut defined = FxHashMap::default();
    for (index, item) in (0u32..).zip(items(db, file).module.items(db)) {
        let cursor = item.green.cursor();
        match cursor.kind() {
            SyntaxKind::FILE_DIRECTIVE => {
                let Some(token) = cursor.node(SyntaxKind::LITERAL).and_then(|it| token(&it)) else {
                    continue;
                };
                let Some(number) = value(&token) else {
                    continue;
                };
                let place = Place::Item(index, token.range());
                // ptxas cuts off what exceeds 32 bits.
                if let Some(first) = defined.get(&(number as u32)) {
                    let message = format!(
                        "the file index {} is defined twice; first in line {LINE}",
                        token.text()
                    );
                    let mut finding = finding(token.range(), DUPLICATE_DEFINITION, message, None);
                    finding.related.push((*first, "first defined here"));
                    findings.push((ItemIndex::Other(index), finding));
                } else {
                    defined.insert(number as u32, place);
                }
            }
            SyntaxKind::INTERMEDIATE_SECTION => {
                for block in cursor
                    .nodes()
                    .filter(|it| it.kind() == SyntaxKind::CODE_BLOCK)
                {
                    let Some(token) = block.token(SyntaxKind::INTEGER) else {
                        continue;
                    };
                    let number = value(&token);
                    if number.is_some_and(|it| !defined.contains_key(&(it as u32))) {
                        let message =
                            format!("no `.file` before this defines the index {}", token.text());
                        let finding = finding(token.range(), UNDEFINED_LOCATION, message, None);
                        findings.push((ItemIndex::Other(index), finding));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Checks the numbers of a `.file`.
pub(super) fn file(directive: &Cursor<'_>, judge: &Judge, findings: &mut Vec<Finding>) {
    let mut numbers = directive
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::LITERAL);
    if let Some(index) = numbers.next() {
        integer32(&index, "`.file`", findings);
    }
    let mut first = true;
    for number in numbers {
        integer(&number, "`.file`", findings);
        if first {
            judge.demand(trimmed(&number), FILE_TIME, FILE_TIME, findings);
        }
        first = false;
    }
}

/// The source locations of a function.
pub(super) struct Locations<'db> {
    db: &'db dyn Database,
    function: Function<'db>,
    seen: FxHashSet<Location>,
}

impl<'db> Locations<'db> {
    pub(super) fn new(db: &'db dyn Database, function: Function<'db>) -> Locations<'db> {
        Locations {
            db,
            function,
            seen: FxHashSet::default(),
        }
    }

    /// Checks the next `.loc` or `.loc_intermediate` of the function.
    pub(super) fn check(
        &mut self,
        directive: &Cursor<'_>,
        judge: &Judge,
        findings: &mut Vec<Finding>,
    ) {
        let before = findings.len();
        let numbers: Vec<_> = literals(directive).collect();
        let what = directive
            .token(SyntaxKind::DOTTED)
            .map_or("", |it| it.text());
        for number in &numbers {
            integer32(number, format_args!("`{what}`"), findings);
        }
        if findings.len() > before || what == ".loc_intermediate" {
            return;
        }
        let (own, inlined) = locations(&numbers);
        if let (Some(inlined), Some(first), Some(last)) = (inlined, numbers.get(3), numbers.last())
            // Older versions ignored all of it.
            && judge.module.is_none_or(|it| it.version >= INLINED_AT_CHECKED_SINCE)
        {
            let range = trimmed(first).cover(trimmed(last));
            // Of other functions ptxas drops what no entry reaches.
            if has_word(&self.function.green(self.db).cursor(), ".entry") {
                findings.extend(self.unknown_label(directive));
            }
            if judge.demand(range, INLINED_AT, INLINED_AT, findings)
                && !self.seen.contains(&inlined)
                && !self.is_in_earlier_function(inlined)
            {
                let [file, line, column] = inlined;
                findings.push(finding(
                    range,
                    UNDEFINED_LOCATION,
                    format!("no `.loc` before this is at `{file} {line} {column}`"),
                    None,
                ));
            }
        }
        self.seen.extend(own);
    }

    /// The label of a function name that no section has.
    fn unknown_label(&self, directive: &Cursor<'_>) -> Option<Finding> {
        let node = match directive.node(SyntaxKind::BINARY_EXPRESSION) {
            Some(it) => it.node(SyntaxKind::NAME_REFERENCE),
            None => directive.node(SyntaxKind::NAME_REFERENCE),
        };
        let token = node?.tokens().next()?;
        let name = token.text();
        let module = items(self.db, self.function.file(self.db)).module;
        let is_section = |item: &Cursor<'_>| {
            item.kind() == SyntaxKind::SECTION && item.tokens().any(|it| it.text() == name)
        };
        let found = match name.starts_with('.') {
            true => {
                let mut items = module.items(self.db).iter();
                items.any(|it| is_section(&it.green.cursor()))
            }
            false => {
                let labels = &module_body(self.db, module).section_labels;
                labels.iter().any(|it| *it.name == *name)
            }
        };
        (!found).then(|| {
            finding(
                token.range(),
                UNDEFINED_SECTION_LABEL,
                format!("no section has the label `{name}`"),
                None,
            )
        })
    }

    fn is_in_earlier_function(&self, location: Location) -> bool {
        let functions = &items(self.db, self.function.file(self.db)).functions;
        functions
            .iter()
            .take_while(|it| **it != self.function)
            .any(|it| own_locations(self.db, *it).contains(&location))
    }
}

/// The locations that the `.loc` directives of a function name, sorted. Only asked for where a location
/// is looked for in other functions.
#[salsa::tracked(returns(ref))]
fn own_locations<'db>(db: &'db dyn Database, function: Function<'db>) -> FxHashSet<Location> {
    let mut found = FxHashSet::default();
    statements(&function.green(db).cursor(), &mut |statement| {
        if statement.kind() == SyntaxKind::LOC_DIRECTIVE {
            found.extend(locations_of(statement).0);
        }
    });
    found
}

/// The numbers of a `.loc`: what is added to a label is none.
fn literals<'a>(directive: &Cursor<'a>) -> impl Iterator<Item = Cursor<'a>> {
    directive
        .nodes()
        .filter(|it| it.kind() == SyntaxKind::LITERAL)
}

/// The location of a `.loc` and the one that it is inlined at; none for another directive.
pub(crate) fn locations_of(directive: &Cursor<'_>) -> (Option<Location>, Option<Location>) {
    let is_loc = directive
        .token(SyntaxKind::DOTTED)
        .is_some_and(|it| it.text() == ".loc");
    if !is_loc {
        return (None, None);
    }
    let numbers: Vec<_> = literals(directive).collect();
    locations(&numbers)
}

fn locations(numbers: &[Cursor<'_>]) -> (Option<Location>, Option<Location>) {
    let number = |it: usize| {
        let value = value(&token(numbers.get(it)?)?)?;
        Some(value as u32)
    };
    let three = |it: usize| Some([number(it)?, number(it + 1)?, number(it + 2)?]);
    (three(0), three(3))
}
