//! Incremental parsing.
//!
//! An edit is answered by parsing the smallest window of whole statements, or of whole items, that can
//! be parsed alone, and by replacing the old nodes by the result. The result must equal a
//! fresh parse, errors included; what may be parsed alone follows from the grammar:
//!
//! - Runs of statements and top-level items are parsed one after another, and the parser looks beyond
//!   the end of one only when it does not end by its own last token (`;`, `}`, the `:` of a label). So a
//!   window has to start after a complete statement and to end with one.
//! - After a `}` the parser looks at one more token, which decides whether it closes a body. So a window that
//!   ends with one needs to know the token after it.
//! - Trivia after a statement on its line belongs to it. So a window that starts with changed trivia, or
//!   with a changed first token, has to include the statement before it.
//! - Tokens must not reach across the ends of a window. After a complete statement only a line comment
//!   could, and an unterminated string or comment could from anywhere.
//! - A run ends where the text of its last statement says so. So the last run of a window must end that
//!   way, unless it is the last run of its block.
//!
//! Where a window cannot be accepted it grows; in the end the whole file is parsed, and unchanged items
//! keep their old nodes so that nothing computed from them is computed again.

use std::sync::Arc;

use rowan::{GreenNode, GreenNodeData, NodeOrToken, TextRange, TextSize};

use crate::{
    Green, ItemErrors, Parse, SyntaxError,
    SyntaxKind::{self, *},
    grammar,
    lexer::{Tokens, tokenize},
    parse,
    parser::{END, errors_by_child, parse_part},
    text::Edit,
};

/// How much of a file an edit made the parser read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ReparseLevel {
    /// Some runs of statements in one block.
    Statements,
    /// Some top-level items.
    Items,
    /// The whole file.
    File,
}

/// Windows that are tried at one level before the next larger level is.
const ATTEMPTS: usize = 4;

/// Bytes after a window in which the token after it is looked for.
const NEAR: usize = 1_024;

/// Parses again what `edit` may have changed; `text` is the text after it.
pub(crate) fn reparse(old: &Parse, text: &str, edit: &Edit) -> (Parse, ReparseLevel) {
    let change = Change {
        text,
        start: edit.range.start().into(),
        end: edit.range.end().into(),
        delta: edit.insert.len() as i64 - i64::from(u32::from(edit.range.len())),
    };
    if !old.unterminated {
        if let Some(parse) = change.in_statements(old) {
            return (parse, ReparseLevel::Statements);
        }
        if let Some(parse) = change.in_items(old) {
            return (parse, ReparseLevel::Items);
        }
    }
    (change.keep_old_items(old, parse(text)), ReparseLevel::File)
}

struct Change<'a> {
    /// The text after the edit.
    text: &'a str,
    /// The replaced range, in offsets of the text before the edit.
    start: usize,
    end: usize,
    /// How much longer the text has become.
    delta: i64,
}

/// The replacement of some children of a node.
struct Splice {
    /// Indices of the children.
    children: std::ops::Range<usize>,
    /// Their range in the text before the edit, absolute.
    range: std::ops::Range<usize>,
    new: GreenNode,
    /// Errors of the new children, relative to the start of the range.
    errors: Vec<SyntaxError>,
}

type Child<'a> = NodeOrToken<&'a GreenNodeData, &'a rowan::GreenTokenData>;

fn kind(child: Child<'_>) -> SyntaxKind {
    SyntaxKind::from_raw(match child {
        NodeOrToken::Node(it) => it.kind().0,
        NodeOrToken::Token(it) => it.kind().0,
    })
}

fn len(child: Child<'_>) -> usize {
    u32::from(match child {
        NodeOrToken::Node(it) => it.text_len(),
        NodeOrToken::Token(it) => it.text_len(),
    }) as usize
}

impl Change<'_> {
    /// An offset at or after the end of the edit, in the text after it.
    fn after(&self, offset: usize) -> usize {
        (offset as i64 + self.delta) as usize
    }

    // ---- Statements ----------------------------------------------------------------------------

    fn in_statements(&self, old: &Parse) -> Option<Parse> {
        let root = old.tree.node();
        let mut start = 0;
        for (index, child) in root.children().enumerate() {
            let end = start + len(child);
            if self.start < end {
                let NodeOrToken::Node(function) = child else {
                    return None;
                };
                if kind(child) != FUNCTION || self.end > end {
                    return None;
                }
                let mut errors = None;
                let new = self.in_node(function, start, 1, &mut |splice| {
                    errors = self.merge_errors(&old.errors[index], start, splice);
                    errors.is_some()
                })?;
                let tree = Green::new(root.replace_child(index, new.into()));
                let mut all = old.errors.clone();
                all[index] = errors?.into();
                return Some(Parse {
                    tree,
                    errors: all,
                    unterminated: false,
                });
            }
            start = end;
        }
        None
    }

    /// Replaces statements inside the innermost block of `node` that contains the edit.
    fn in_node(
        &self,
        node: &GreenNodeData,
        start: usize,
        depth: u32,
        accept: &mut dyn FnMut(&Splice) -> bool,
    ) -> Option<GreenNode> {
        let mut offset = start;
        for (index, child) in node.children().enumerate() {
            let end = offset + len(child);
            if self.start < end {
                let NodeOrToken::Node(inner) = child else {
                    return None;
                };
                if self.end > end {
                    return None;
                }
                let new = match kind(child) {
                    BLOCK => self.in_block(inner, offset, depth, accept),
                    FUNCTION => self.in_node(inner, offset, depth, accept),
                    _ => None,
                };
                return Some(node.replace_child(index, new?.into()));
            }
            offset = end;
        }
        None
    }

    fn in_block(
        &self,
        block: &GreenNodeData,
        start: usize,
        depth: u32,
        accept: &mut dyn FnMut(&Splice) -> bool,
    ) -> Option<GreenNode> {
        let children: Vec<Child<'_>> = block.children().collect();
        let open = children.iter().position(|it| kind(*it) == L_BRACE)?;
        let close = children.iter().rposition(|it| kind(*it) == R_BRACE)?;
        let mut starts = Vec::with_capacity(children.len() + 1);
        let mut offset = start;
        for child in &children {
            starts.push(offset);
            offset += len(*child);
        }
        starts.push(offset);
        if self.start < starts[open + 1] || self.end > starts[close] {
            return None;
        }
        // A block inside: nested blocks end their run whatever their text, so the runs stay as they are.
        if let Some(index) = (open + 1..close).find(|it| self.start < starts[it + 1])
            && self.end <= starts[index + 1]
            && let NodeOrToken::Node(run) = children[index]
            && let Some(new) = self.in_node(run, starts[index], depth + 1, accept)
        {
            return Some(block.replace_child(index, new.into()));
        }
        let runs = open + 1
            ..children[..close]
                .iter()
                .rposition(|it| kind(*it) == STATEMENT_RUN)
                .map_or(open + 1, |it| it + 1);
        let tail = Tail {
            end: starts[close + 1],
            child: close + 1,
            rule: grammar::block_tail,
            closed: true,
        };
        let splice = self.window(
            &children,
            &starts,
            runs,
            &tail,
            depth,
            grammar::statement_runs_only,
            &last_statement_is_complete,
        )?;
        if !accept(&splice) {
            return None;
        }
        Some(replace(block, &splice))
    }

    // ---- Items ---------------------------------------------------------------------------------

    fn in_items(&self, old: &Parse) -> Option<Parse> {
        let root = old.tree.node();
        let children: Vec<Child<'_>> = root.children().collect();
        let mut starts = Vec::with_capacity(children.len() + 1);
        let mut offset = 0;
        for child in &children {
            starts.push(offset);
            offset += len(*child);
        }
        starts.push(offset);
        let items = 0..children
            .iter()
            .rposition(|it| matches!(it, NodeOrToken::Node(_)))
            .map_or(0, |it| it + 1);
        let tail = Tail {
            end: offset,
            child: children.len(),
            rule: grammar::source_file,
            closed: false,
        };
        let splice = self.window(
            &children,
            &starts,
            items,
            &tail,
            0,
            grammar::items_only,
            &item_is_complete,
        )?;
        let new_errors = errors_by_child(&splice.new, splice.errors.clone());
        let tree = Green::new(replace(root, &splice));
        let mut errors: ItemErrors = Vec::with_capacity(old.errors.len() + new_errors.len());
        errors.extend_from_slice(&old.errors[..splice.children.start]);
        errors.extend(new_errors);
        errors.extend_from_slice(&old.errors[splice.children.end..]);
        Some(Parse {
            tree,
            errors,
            unterminated: false,
        })
    }

    /// The smallest window of siblings that can be parsed alone.
    ///
    /// `units` are the indices of the siblings, `starts` the start of every child.
    #[allow(
        clippy::too_many_arguments,
        reason = "one algorithm for two kinds of sibling"
    )]
    fn window(
        &self,
        children: &[Child<'_>],
        starts: &[usize],
        units: std::ops::Range<usize>,
        tail: &Tail,
        depth: u32,
        rule: fn(&mut crate::parser::Parser<'_>),
        is_complete: &dyn Fn(Child<'_>) -> bool,
    ) -> Option<Splice> {
        // From the unit that ends at the edit or after it, to the one that starts at its end or before.
        let mut first = units
            .clone()
            .find(|it| starts[it + 1] >= self.start)
            .unwrap_or(units.end.saturating_sub(1).max(units.start));
        let mut last = units
            .clone()
            .rfind(|it| starts[*it] <= self.end)
            .unwrap_or(first)
            .max(first);
        // An error about one without an end of its own may appear on the first token after it.
        while last + 1 < units.end && !is_complete(children[last]) {
            last += 1;
        }
        while first > units.start
            && (!is_complete(children[first - 1])
                || self.start <= starts[first] + first_token_end(children[first]))
        {
            first -= 1;
        }
        let from = starts[first];
        for attempt in 0..ATTEMPTS {
            let at_tail = last + 1 >= units.end;
            let (until, rule) = if at_tail {
                (tail.end, tail.rule)
            } else {
                (starts[last + 1], rule)
            };
            let until_after = self.after(until);
            let part = parse_part(self.text.get(from..until_after)?, depth, rule);
            if part.unterminated {
                return None;
            }
            let alone = !ends_with_brace(&part.tokens) || self.brace_ends(until_after);
            if at_tail {
                if !part.consumed || (tail.closed && !(part.complete && alone)) {
                    return None;
                }
                let children = first..tail.child;
                return Some(Splice {
                    children,
                    range: from..until,
                    new: part.tree,
                    errors: part.errors,
                });
            }
            if part.consumed
                && part.complete
                && alone
                && !part.run_open
                && !self.comment_reaches_on(&part.tokens, until_after)
            {
                return Some(Splice {
                    children: first..last + 1,
                    range: from..until,
                    new: part.tree,
                    errors: part.errors,
                });
            }
            last = (last + (1 << attempt)).min(units.end - 1);
        }
        None
    }

    /// Whether the `}` before `end` ends what it would end at the end of the text: the parser looks at the
    /// token after it.
    fn brace_ends(&self, end: usize) -> bool {
        let rest = &self.text[end..];
        let near = &rest[..rest.floor_char_boundary(NEAR)];
        let tokens = tokenize(near);
        let next = (0..tokens.len()).find(|it| !tokens.kind(*it).is_trivia());
        match next {
            // A token at the end of what was looked at may continue.
            Some(index) => {
                (near.len() == rest.len() || index + 1 < tokens.len())
                    && !grammar::goes_on_after_brace(tokens.kind(index))
                    && tokens.kind(index) != IDENT
                    && !grammar::body_goes_on(tokens.kind(index), tokens.text(near, index), END)
            }
            None => near.len() == rest.len(),
        }
    }

    /// Whether the window ends with a line comment that continues after it.
    fn comment_reaches_on(&self, tokens: &Tokens, end: usize) -> bool {
        let rest = &self.text[end..];
        !tokens.is_empty()
            && tokens.kind(tokens.len() - 1) == LINE_COMMENT
            && !(rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n"))
    }

    /// The errors of an item after some of its statements were replaced; `None` where it is not clear to
    /// which statement an error belongs.
    fn merge_errors(
        &self,
        old: &Arc<[SyntaxError]>,
        item: usize,
        splice: &Splice,
    ) -> Option<Vec<SyntaxError>> {
        let from = TextSize::from((splice.range.start - item) as u32);
        let until = TextSize::from((splice.range.end - item) as u32);
        let shift = |range: TextRange| {
            if range.start() >= until {
                let moved =
                    |it: TextSize| TextSize::from((i64::from(u32::from(it)) + self.delta) as u32);
                TextRange::new(moved(range.start()), moved(range.end()))
            } else {
                range
            }
        };
        let outside = |range: TextRange| range.end() < from || range.start() > until;
        let mut out = Vec::with_capacity(old.len() + splice.errors.len());
        for error in old.iter() {
            let range = error.range;
            let inside = range.start() >= from
                && range.end() <= until
                && !(range.is_empty() && range.start() == from);
            if inside {
                continue;
            }
            // An error that spans an end of the window, or whose explanation lies within.
            if !(range.end() <= from || range.start() >= until)
                || error.related.as_ref().is_some_and(|it| !outside(it.0))
            {
                return None;
            }
            out.push(SyntaxError {
                range: shift(range),
                related: error
                    .related
                    .as_ref()
                    .map(|(range, message)| (shift(*range), message.clone())),
                ..error.clone()
            });
        }
        out.extend(splice.errors.iter().map(|it| it.shifted(from)));
        out.sort_by_key(|it| (it.range.start(), it.range.end()));
        Some(out)
    }

    // ---- Files ---------------------------------------------------------------------------------

    /// Replaces new items by old ones with the same text, so that whatever was computed from
    /// them stays valid. Items before and after the edit are those.
    fn keep_old_items(&self, old: &Parse, new: Parse) -> Parse {
        let offsets = |root: &GreenNode| {
            let mut start = 0;
            root.children()
                .map(|it| {
                    let at = start;
                    start += len(it);
                    at
                })
                .collect::<Vec<_>>()
        };
        let (old_starts, new_starts) = (offsets(old.tree.node()), offsets(new.tree.node()));
        let old_children: Vec<Child<'_>> = old.tree.node().children().collect();
        let edit_end_after = self.after(self.end);
        let mut changed = false;
        let merged: Vec<_> = new
            .tree
            .node()
            .children()
            .zip(&new_starts)
            .map(|(child, start)| {
                let end = start + len(child);
                let old_start = if end <= self.start {
                    Some(*start)
                } else if *start >= edit_end_after {
                    Some((*start as i64 - self.delta) as usize)
                } else {
                    None
                };
                let found = old_start
                    .and_then(|it| old_starts.binary_search(&it).ok())
                    .map(|it| old_children[it]);
                match (child, found) {
                    (NodeOrToken::Node(new), Some(NodeOrToken::Node(old)))
                        if old.kind() == new.kind()
                            && old.text_len() == new.text_len()
                            && item_is_complete(NodeOrToken::Node(old))
                            && item_is_complete(child) =>
                    {
                        changed = true;
                        NodeOrToken::Node(old.to_owned())
                    }
                    (NodeOrToken::Node(new), _) => NodeOrToken::Node(new.to_owned()),
                    (NodeOrToken::Token(new), _) => NodeOrToken::Token(new.to_owned()),
                }
            })
            .collect();
        if !changed {
            return new;
        }
        Parse {
            tree: Green::new(GreenNode::new(SOURCE_FILE.into(), merged)),
            ..new
        }
    }
}

/// Whether the last token but trivia is a `}`.
fn ends_with_brace(tokens: &Tokens) -> bool {
    (0..tokens.len())
        .rev()
        .map(|it| tokens.kind(it))
        .find(|it| !it.is_trivia())
        == Some(R_BRACE)
}

/// The end of the last sibling together with the rest of the same parent.
struct Tail {
    /// Offset of the end in the text before the edit.
    end: usize,
    /// Index of the child after it.
    child: usize,
    rule: fn(&mut crate::parser::Parser<'_>),
    /// Whether the tail ends with a closing brace; otherwise with the text.
    closed: bool,
}

fn replace(node: &GreenNodeData, splice: &Splice) -> GreenNode {
    let new = splice.new.children().map(NodeOrToken::to_owned_element);
    node.splice_children(splice.children.clone(), new)
}

/// Turns a borrowed child into an owned one.
trait ToOwnedElement {
    fn to_owned_element(self) -> NodeOrToken<GreenNode, rowan::GreenToken>;
}

impl ToOwnedElement for Child<'_> {
    fn to_owned_element(self) -> NodeOrToken<GreenNode, rowan::GreenToken> {
        match self {
            NodeOrToken::Node(it) => NodeOrToken::Node(it.to_owned()),
            NodeOrToken::Token(it) => NodeOrToken::Token(it.to_owned()),
        }
    }
}

/// Length of the trivia at the start of a node together with the first token after it.
fn first_token_end(child: Child<'_>) -> usize {
    fn go(node: &GreenNodeData, end: &mut usize) -> bool {
        for child in node.children() {
            match child {
                NodeOrToken::Token(token) => {
                    *end += len(child);
                    let kind = SyntaxKind::from_raw(token.kind().0);
                    if !kind.is_trivia() {
                        return true;
                    }
                }
                NodeOrToken::Node(node) => {
                    if go(node, end) {
                        return true;
                    }
                }
            }
        }
        false
    }
    let mut end = 0;
    if let NodeOrToken::Node(node) = child {
        go(node, &mut end);
    }
    end
}

/// Whether a run of statements ends by its own last token.
fn last_statement_is_complete(run: Child<'_>) -> bool {
    let NodeOrToken::Node(run) = run else {
        return false;
    };
    let Some(NodeOrToken::Node(last)) = run.children().next_back() else {
        return false;
    };
    match SyntaxKind::from_raw(last.kind().0) {
        LABEL => last_token_is(last, COLON),
        LOC_DIRECTIVE | TARGET_DIRECTIVE | ERROR => false,
        BLOCK => last_token_is(last, R_BRACE),
        FUNCTION => function_is_complete(last),
        _ => last_token_is(last, SEMICOLON),
    }
}

/// Whether a top-level item ends by its own last token.
fn item_is_complete(item: Child<'_>) -> bool {
    let NodeOrToken::Node(node) = item else {
        return false;
    };
    match kind(item) {
        FUNCTION => function_is_complete(node),
        SECTION | INTERMEDIATE_SECTION => last_token_is(node, R_BRACE),
        VARIABLE_DECLARATION | PRAGMA | ALIAS => last_token_is(node, SEMICOLON),
        _ => false,
    }
}

fn function_is_complete(function: &GreenNodeData) -> bool {
    match last_significant(function) {
        Some(NodeOrToken::Node(it)) => {
            SyntaxKind::from_raw(it.kind().0) == BLOCK && last_token_is(it, R_BRACE)
        }
        Some(it) => kind(it) == SEMICOLON,
        None => false,
    }
}

/// Whether the last direct child that is not trivia is this token.
fn last_token_is(node: &GreenNodeData, token: SyntaxKind) -> bool {
    last_significant(node)
        .is_some_and(|it| matches!(it, NodeOrToken::Token(_)) && kind(it) == token)
}

fn last_significant(node: &GreenNodeData) -> Option<Child<'_>> {
    node.children().rev().find(|it| !kind(*it).is_trivia())
}
