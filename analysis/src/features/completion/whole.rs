//! A finished statement with something else in the place of the cursor.
//!
//! While a statement is being written, the operands after the cursor are open. One that ends with a semicolon says all
//! of them, so only what fits together with them is offered.

use isa::{
    matcher::{Statement, fit},
    operand::Operand,
    table::tables,
    target::Module,
};
use syntax::{Cursor, FileContents, SyntaxKind, TextSize};

use crate::hir::{
    body::{Body, DefinitionId},
    instruction::Parts,
    number::split_name,
    operand::{operand, special},
    resolve::module_name,
    tree::{for_each_token, node_at},
};

use super::{Site, names::visible};

/// The word in the place of the cursor, which no program has as a name.
const CURSOR: &str = "$ptx_analyzer_cursor$";
/// The text before the statement when it is read.
const BEFORE: &str = ".func f() { ";
/// Longest statement that is read again, in bytes.
const LONGEST: usize = 16 << 10;

/// A finished statement around the cursor.
pub(super) struct Whole<'a> {
    site: &'a Site<'a>,
    body: &'a Body,
    module: Module,
    contents: FileContents,
}

impl<'a> Whole<'a> {
    /// The statement at a site, if it is finished and right but for the operand at the cursor. The word at the cursor is
    /// replaced, with the name before it if that is a component.
    pub(super) fn of(site: &'a Site<'a>, body: &'a Body, component: bool) -> Option<Whole<'a>> {
        let whole = Whole {
            site,
            body,
            module: site.module,
            contents: finished(site, component)?,
        };
        let right = whole.contents.errors.iter().all(|it| it.is_empty());
        (right && whole.admits(&Operand::Unknown)).then_some(whole)
    }

    /// Whether the matcher takes an operand at the cursor.
    pub(super) fn admits(&self, candidate: &Operand) -> bool {
        let Some(parts) = instruction(&self.contents).map(|it| Parts::of(&it)) else {
            return true;
        };
        let Some(opcode) = parts.opcode else {
            return true;
        };
        let resolve = |name: &str| match name {
            CURSOR => candidate.clone(),
            _ => named(self.site, self.body, name),
        };
        let read = |it| operand(it, &|_, name| resolve(name));
        let operands: Vec<Operand> = parts.operands.iter().map(read).collect();
        let statement = Statement {
            opcode: opcode.text(),
            words: &parts.words,
            operands: &operands,
            module: self.module,
        };
        fit(tables(), &statement).is_some()
    }
}

/// The statement at a site with [`CURSOR`] in the place of the word at the cursor, and of the name before it if that is a
/// component; if the statement ends with a semicolon.
pub(super) fn finished(site: &Site<'_>, component: bool) -> Option<FileContents> {
    let function = site.function.green(site.db).cursor();
    let node = node_at(&function, SyntaxKind::INSTRUCTION, site.statement)?;
    let mut tokens = Vec::new();
    for_each_token(&node, &mut |it| tokens.push(it));
    let text: String = tokens.iter().map(|it| it.text()).collect();
    let last = tokens.iter().rfind(|it| !it.kind().is_trivia())?;
    let offset = usize::from(site.offset.checked_sub(node.range().start())?);
    if last.kind() != SyntaxKind::SEMICOLON || text.len() > LONGEST {
        return None;
    }
    let (before, after) = (text.get(..offset)?, text.get(offset..)?);
    let before = before.trim_end_matches(|it| is_word(it) || component && it == '.');
    let after = after.trim_start_matches(is_word);
    let contents = FileContents::new(&format!("{BEFORE}{before}{CURSOR}{after} }}"));
    // With a name there the next line may begin another statement.
    let mut last = None;
    for_each_token(&instruction(&contents)?, &mut |it| {
        if !it.kind().is_trivia() {
            last = Some(it.kind());
        }
    });
    (last == Some(SyntaxKind::SEMICOLON)).then_some(contents)
}

fn is_word(it: char) -> bool {
    it.is_ascii_alphanumeric() || "_$%".contains(it)
}

/// Whether an index in brackets follows the word at the cursor, as in `table[4]`.
pub(super) fn is_indexed(site: &Site<'_>) -> bool {
    let function = site.function.green(site.db).cursor();
    let node = node_at(&function, SyntaxKind::INSTRUCTION, site.statement);
    let mut after = String::new();
    if let Some(node) = node {
        for_each_token(&node, &mut |it| {
            let hidden = site
                .offset
                .checked_sub(it.range().start())
                .unwrap_or_default();
            after.push_str(it.text().get(usize::from(hidden)..).unwrap_or_default());
        });
    }
    after.trim_start_matches(is_word).starts_with('[')
}

/// The instruction of a finished statement.
pub(super) fn instruction(contents: &FileContents) -> Option<Cursor<'_>> {
    let function = contents.tree.cursor().nodes().next()?;
    node_at(&function, SyntaxKind::INSTRUCTION, TextSize::of(BEFORE))
}

/// The definition in the function that a name means at a site.
pub(super) fn definition(site: &Site<'_>, body: &Body, name: &str) -> Option<DefinitionId> {
    let split = split_name(name);
    let own = visible(body, site.offset).filter(|(_, it)| match it.count {
        Some(count) => split.is_some_and(|(prefix, number)| prefix == &*it.name && number < count),
        None => *it.name == *name,
    });
    // The innermost block counts, whose number is the highest; in one block a family is before a single name.
    let inner = own.max_by_key(|(id, it)| (it.scope, it.count, *id));
    inner.map(|it| it.0)
}

/// The kind of a name at a site.
pub(super) fn named(site: &Site<'_>, body: &Body, name: &str) -> Operand {
    if let Some(id) = definition(site, body, name) {
        return body.operands[id as usize].0.clone();
    }
    match isa::special::find(name) {
        Some((index, _)) => special(index),
        None => module_name(site.db, site.function.file(site.db), name),
    }
}
