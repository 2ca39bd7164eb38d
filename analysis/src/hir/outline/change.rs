//! Where the trees of a function before and after an edit are not the same, and what that means for what it declares.

use syntax::{Cursor, NodeOrToken, SyntaxError, SyntaxKind, TextRange, TextSize};

use crate::hir::{
    body::{Body, Definition, OUTERMOST},
    lower,
    tree::{may_declare, trimmed},
};

/// Most children of a block that may have changed: more are not typed.
const MAX_CHANGED: usize = 256;

/// What matters of a syntax error: where it starts, and whether its range is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark(TextSize, bool);

impl Mark {
    pub(super) fn of(error: &SyntaxError) -> Mark {
        Mark(error.range.start(), error.range.is_empty())
    }

    /// Whether it belongs to what stands in a part of the text, or misses something at its ends.
    fn is_in(self, part: TextRange) -> bool {
        let Mark(start, empty) = self;
        part.start() <= start && (start < part.end() || empty && start == part.end())
    }
}

/// Where two trees of a function are not the same in memory, and yet declare the same.
pub(super) struct Change<'a> {
    old: TextRange,
    new: TextRange,
    /// What declares something there: where it stood, and what stands there now.
    statements: Vec<(TextRange, Cursor<'a>)>,
    /// The blocks there.
    blocks: Vec<TextRange>,
    /// The last statement before.
    before: Option<Cursor<'a>>,
    /// The body of the function.
    outermost: TextRange,
}

/// What a part of a body declares.
enum Declared<'a> {
    Statement(Cursor<'a>),
    /// The start of a block, and its end.
    Open(Cursor<'a>),
    Close,
}

impl<'a> Change<'a> {
    pub(super) fn between(old: &Cursor<'a>, new: &Cursor<'a>) -> Option<Change<'a>> {
        let count = |it: &Cursor<'_>| it.green().children().len();
        let (head, tail) = old.shared_children(new);
        if count(old) != count(new) || head + tail + 1 != count(old) {
            return None;
        }
        let block = |it: &Cursor<'a>| {
            let child = it.children().nth(head)?.into_node()?;
            (child.kind() == SyntaxKind::BLOCK).then_some(child)
        };
        let (old, new) = (block(old)?, block(new)?);
        let (head, tail) = old.shared_children(&new);
        let changed = |it: &Cursor<'_>| count(it) - head - tail;
        // At least the braces are as they were.
        if head == 0 || tail == 0 || changed(&old) + changed(&new) > MAX_CHANGED {
            return None;
        }
        let before = new.children().nth(head - 1)?;
        let start = match &before {
            NodeOrToken::Node(it) => it.range().end(),
            NodeOrToken::Token(it) => it.range().end(),
        };
        let declared = |block: &Cursor<'a>| {
            let mut all = Vec::new();
            let mut end = start;
            for child in block.children().skip(head).take(changed(block)) {
                let child = child.into_node()?;
                end = child.range().end();
                declared(&child, &mut all);
            }
            Some((TextRange::new(start, end), all))
        };
        let ((old_range, old_all), (new_range, new_all)) = (declared(&old)?, declared(&new)?);
        // A table gives a meaning to the label before it, if nothing stands between them.
        let behind = new.children().nth(head + changed(&new))?.into_node();
        if behind.is_some_and(|it| is_table(&last_statement(it))) || old_all.len() != new_all.len()
        {
            return None;
        }
        let mut change = Change {
            old: old_range,
            new: new_range,
            statements: Vec::new(),
            blocks: Vec::new(),
            before: before.into_node().map(last_statement),
            outermost: trimmed(&new),
        };
        for pair in old_all.into_iter().zip(new_all) {
            match pair {
                (Declared::Statement(old), Declared::Statement(new))
                    if old.is_same_tree(&new) && !is_table(&new) =>
                {
                    change.statements.push((old.range(), new));
                }
                (Declared::Open(_), Declared::Open(new)) => change.blocks.push(trimmed(&new)),
                (Declared::Close, Declared::Close) => {}
                _ => return None,
            }
        }
        Some(change)
    }

    /// Whether no syntax error may have hidden a declaration that none had hidden before.
    pub(super) fn hides_nothing(&self, old: &[Mark], new: &[SyntaxError]) -> bool {
        let moved = |it: &Mark| match it.0 {
            start if start < self.old.start() => *it,
            start => Mark(start - self.old.end() + self.new.end(), it.1),
        };
        let outside = old.iter().filter(|it| !it.is_in(self.old)).map(moved);
        let marks = || new.iter().map(Mark::of);
        if !outside.eq(marks().filter(|it| !it.is_in(self.new))) {
            return false;
        }
        let statements = self.statements.iter().map(|it| &it.1);
        let mut touched = statements.chain(&self.before).filter(|it| may_declare(it));
        !marks().any(|it| it.is_in(self.new)) || !touched.any(|it| lower::is_broken(new, it))
    }

    /// Moves what is declared to its new places.
    pub(super) fn apply(&self, body: &mut Body) {
        let is_before = |it: &Definition| it.name_range.start() < self.old.start();
        let from = body.definitions.partition_point(is_before);
        for definition in &mut body.definitions[from..] {
            definition.name_range = self.moved(definition.name_range);
            definition.full_range = self.moved(definition.full_range);
        }
        for reference in &mut body.references {
            reference.range = self.moved(reference.range);
        }
        for range in &mut body.unlabeled {
            *range = self.moved(*range);
        }
        let mut blocks = self.blocks.iter();
        for scope in &mut body.scopes {
            let range = &mut scope.range;
            *range = match self.old.contains(range.start()) {
                true => blocks.next().copied().unwrap_or(*range),
                false => self.moved(*range),
            };
        }
        if let Some(outermost) = body.scopes.get_mut(OUTERMOST as usize) {
            outermost.range = self.outermost;
        }
    }

    fn moved(&self, range: TextRange) -> TextRange {
        if range.start() < self.old.start() {
            range
        } else if range.start() >= self.old.end() {
            range - self.old.end() + self.new.end()
        } else {
            let is_before = |(old, _): &(TextRange, Cursor<'_>)| old.end() <= range.start();
            let around = self.statements.partition_point(is_before);
            let around = self.statements.get(around);
            around.map_or(range, |(old, new)| {
                range - old.start() + new.range().start()
            })
        }
    }
}

/// The last statement of a run, and any other node itself.
fn last_statement(node: Cursor<'_>) -> Cursor<'_> {
    match node.kind() {
        SyntaxKind::STATEMENT_RUN => node.last_node().unwrap_or(node),
        _ => node,
    }
}

fn is_table(statement: &Cursor<'_>) -> bool {
    matches!(
        statement.kind(),
        SyntaxKind::BRANCH_TARGETS | SyntaxKind::CALL_TARGETS | SyntaxKind::CALL_PROTOTYPE
    )
}

/// Collects what a child of a block declares.
fn declared<'a>(node: &Cursor<'a>, all: &mut Vec<Declared<'a>>) {
    let statement = last_statement(*node);
    if statement.kind() == SyntaxKind::BLOCK {
        all.push(Declared::Open(statement));
        statement.nodes().for_each(|it| declared(&it, all));
        all.push(Declared::Close);
    } else if may_declare(&statement) && statement.kind() != SyntaxKind::STATEMENT_RUN {
        all.push(Declared::Statement(statement));
    }
}
