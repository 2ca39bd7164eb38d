//! Repairs of errors that no rule proposes: what is surplus is removed, and words that a blank or a foreign character
//! divides are put together. None of them is known to be right; each has to be tried.

use isa::{directive::RESERVED, table::tables};
use syntax::{
    SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize, text::Edit, token_at, trimmed_range,
};

use crate::{Diagnostic, Fix, FixKind, diagnostics::suggestion::most_similar};

/// Tokens before and after an error that may be too much.
const NEAR: (usize, usize) = (3, 2);
/// The longest text of a title, in characters.
const MAX_TITLE: usize = 40;
/// Candidates for one error.
const MAX_CANDIDATES: usize = 12;
/// The longest text that is removed, in bytes.
const MAX_LENGTH: TextSize = TextSize::new(200);
/// How far the partner of a bracket is looked for, in tokens.
const MAX_GROUP: usize = 8;

/// Candidates for the repair of an error, the likeliest first; preferred are those that remove one of two equal
/// neighbours.
pub(super) fn candidates(root: &SyntaxNode, error: &Diagnostic) -> Vec<Fix> {
    let mut candidates = Candidates::default();
    let Some(near) = Near::new(root, error.range) else {
        return Vec::new();
    };
    near.words(&mut candidates);
    for pair in near.all().windows(2) {
        if pair[0].text() == pair[1].text() {
            candidates.remove(with_blank(&pair[1]), pair[1].text(), true);
        }
    }
    near.surplus(root, error, &mut candidates);
    candidates.list.truncate(MAX_CANDIDATES);
    for fix in &error.fixes {
        instead(root, fix, &mut candidates);
    }
    line(root, error.range, &mut candidates);
    for related in &error.related {
        line(root, related.location.range, &mut candidates);
    }
    candidates.list
}

/// Candidates, each once.
#[derive(Default)]
struct Candidates {
    list: Vec<Fix>,
}

impl Candidates {
    fn add(&mut self, kind: FixKind, title: String, range: TextRange, text: &str, preferred: bool) {
        let edits = vec![Edit::new(range, text)];
        if self.list.iter().all(|it| it.edits != edits) {
            self.list.push(Fix {
                title,
                edits,
                preferred,
                kind,
            });
        }
    }

    fn remove(&mut self, range: TextRange, text: &str, preferred: bool) {
        if range.len() > MAX_LENGTH {
            return;
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut text = words.join(" ");
        if let Some((end, _)) = text.char_indices().nth(MAX_TITLE) {
            text.truncate(end);
            text.push('…');
        }
        let title = format!("Remove `{text}`");
        self.add(FixKind::RemoveSurplus, title, range, "", preferred);
    }
}

/// The tokens at an error, without trivia.
struct Near {
    /// Those before it in its statement, the nearest first.
    before: Vec<SyntaxToken>,
    /// The one where it starts.
    at: Option<SyntaxToken>,
    /// Those after it.
    after: Vec<SyntaxToken>,
}

impl Near {
    fn new(root: &SyntaxNode, range: TextRange) -> Option<Near> {
        let first = token_at(root, range.start())?;
        let is_at = !range.is_empty() && !first.kind().is_trivia();
        let at = is_at.then(|| first.clone());
        // Something that is missing is missing after the token that ends there.
        let ends_before = first.text_range().start() == range.start();
        let mut before = Vec::new();
        let mut token = match is_at || ends_before {
            true => first.prev_token(),
            false => Some(first.clone()),
        };
        while let Some(it) = token.filter(|it| !ends_statement(it) && before.len() < NEAR.0) {
            token = it.prev_token();
            if !it.kind().is_trivia() {
                before.push(it);
            }
        }
        let mut after = Vec::new();
        // Each token is on one side only, also where something is missing inside one.
        let mut token = match is_at || !ends_before {
            true => first.next_token(),
            false => Some(first),
        };
        while let Some(it) = token.filter(|_| after.len() < NEAR.1) {
            token = it.next_token().filter(|_| !ends_statement(&it));
            if !it.kind().is_trivia() {
                after.push(it);
            }
        }
        Some(Near { before, at, after })
    }

    /// The tokens in the order of the text.
    fn all(&self) -> Vec<SyntaxToken> {
        let before = self.before.iter().rev();
        before.chain(&self.at).chain(&self.after).cloned().collect()
    }

    /// Words that are divided.
    fn words(&self, candidates: &mut Candidates) {
        let around = || {
            self.before
                .first()
                .into_iter()
                .chain(&self.at)
                .chain(self.after.first())
        };
        if let Some(foreign) = around().find(|it| it.kind() == SyntaxKind::UNKNOWN) {
            let range = foreign.text_range();
            candidates.remove(range, foreign.text(), false);
            let part = |it: Option<SyntaxToken>| it.filter(is_word);
            let (start, end) = (part(foreign.prev_token()), part(foreign.next_token()));
            let text = |it: &Option<SyntaxToken>| it.as_ref().map_or("", |it| it.text()).to_owned();
            let rest = text(&start) + &text(&end);
            if let Some(new) = self.known_word(&rest) {
                let old = text(&start) + foreign.text() + &text(&end);
                let parts = start.iter().chain(&end).map(SyntaxToken::text_range);
                let whole = parts.fold(range, TextRange::cover);
                let title = format!("Replace `{old}` by `{new}`");
                candidates.add(FixKind::Respell, title, whole, &new, false);
            }
            return;
        }
        let around: Vec<_> = around().collect();
        for pair in around.windows(2) {
            let (first, second) = (pair[0], pair[1]);
            let between = TextRange::new(first.text_range().end(), second.text_range().start());
            if is_word(first)
                && is_word(second)
                && !between.is_empty()
                && first
                    .next_token()
                    .is_some_and(|it| it.text_range() == between && !it.text().contains('\n'))
            {
                let (first, second) = (first.text(), second.text());
                let title = format!("Replace `{first} {second}` by `{first}{second}`");
                candidates.add(FixKind::Respell, title, between, "", false);
            }
        }
    }

    /// The opcode, modifier or directive that is most like a word.
    fn known_word(&self, word: &str) -> Option<String> {
        let Some(modifier) = word.strip_prefix('.') else {
            let is_opcode = tables().with_opcode(word).next().is_some();
            return (!is_opcode)
                .then(|| most_similar(word, tables().opcodes()))?
                .map(str::to_owned);
        };
        if RESERVED.contains(&word) {
            return None;
        }
        if let Some(directive) = most_similar(word, RESERVED.iter().copied()) {
            return Some(directive.to_owned());
        }
        let statement = self.before.first()?.parent()?;
        let opcode = statement
            .children_with_tokens()
            .filter_map(|it| it.into_token())
            .find(|it| it.kind() == SyntaxKind::IDENT)?;
        let instructions = tables().with_opcode(opcode.text());
        let words: Vec<&str> = instructions
            .flat_map(|it| it.fixed.iter().chain(&it.words).copied())
            .collect();
        let similar = most_similar(modifier, words.iter().copied());
        let similar = similar.filter(|_| !words.contains(&modifier));
        similar.map(|it| format!(".{it}"))
    }

    /// Tokens, operands and brackets that may be too much.
    fn surplus(&self, root: &SyntaxNode, error: &Diagnostic, candidates: &mut Candidates) {
        let of_one = self
            .at
            .as_ref()
            .is_some_and(|it| it.text_range() == error.range);
        let is_short = error.range.len() <= MAX_LENGTH;
        if let Some(at) = self.at.as_ref().filter(|_| !of_one && is_short) {
            let text = root.text().slice(error.range).to_string();
            if !text.contains(['\n', ';']) {
                candidates.remove(with_comma(root, error.range), &text, false);
            }
            group(at, candidates);
        }
        let related = error
            .related
            .iter()
            .filter_map(|it| token_at(root, it.location.range.start()));
        let nearest = [
            self.before.first(),
            self.after.first(),
            self.before.get(1),
            self.after.get(1),
            self.before.get(2),
        ];
        let tokens: Vec<SyntaxToken> = self
            .at
            .iter()
            .chain(nearest.into_iter().flatten())
            .cloned()
            .chain(related)
            .collect();
        for token in &tokens {
            group(token, candidates);
            let separated = separators(root, token.text_range());
            if token.kind() != SyntaxKind::COMMA && separated != (true, true) {
                candidates.remove(with_blank(token), token.text(), false);
            }
            let node = token
                .parent_ancestors()
                .find(|it| it.parent().is_some_and(|it| is_list(it.kind())));
            if let Some(node) = node.filter(|it| {
                !matches!(
                    it.kind(),
                    SyntaxKind::GUARD | SyntaxKind::NAME | SyntaxKind::BLOCK
                )
            }) {
                let range = trimmed_range(&node);
                let whole = with_comma(root, range);
                if whole != range && range.len() <= MAX_LENGTH {
                    candidates.remove(whole, &root.text().slice(range).to_string(), false);
                }
            }
        }
    }
}

/// The punctuation that is missing, in the place of the token before it.
fn instead(root: &SyntaxNode, fix: &Fix, candidates: &mut Candidates) {
    let [edit] = &fix.edits[..] else { return };
    if fix.kind != FixKind::InsertPunctuation {
        return;
    }
    let before = edit.range.start().checked_sub(TextSize::new(1));
    if let Some(token) = before.and_then(|it| token_at(root, it))
        && token.text_range().end() == edit.range.start()
    {
        let title = format!("Replace `{}` by `{}`", token.text(), edit.insert);
        let range = token.text_range();
        candidates.add(FixKind::Respell, title, range, &edit.insert, false);
    }
}

/// The whole line of an error, if a directive is first on it and no body.
fn line(root: &SyntaxNode, range: TextRange, candidates: &mut Candidates) {
    let Some(at) = token_at(root, range.start()) else {
        return;
    };
    let mut text = String::new();
    let mut token = Some(at.clone());
    let mut start = at.text_range().start();
    while let Some(it) = token {
        if let Some(line) = it.text().rfind('\n') {
            let line = line + 1;
            start = it.text_range().start() + TextSize::of(&it.text()[..line]);
            text.insert_str(0, &it.text()[line..]);
            break;
        }
        start = it.text_range().start();
        text.insert_str(0, it.text());
        token = it
            .prev_token()
            .filter(|_| TextSize::of(&text) <= MAX_LENGTH);
    }
    token = at.next_token();
    while let Some(it) = token.filter(|_| TextSize::of(&text) <= MAX_LENGTH) {
        if let Some(line) = it.text().find('\n') {
            text.push_str(&it.text()[..=line]);
            break;
        }
        text.push_str(it.text());
        token = it.next_token();
    }
    if text.trim_start().starts_with('.') && !text.contains(['{', '}']) {
        let whole = TextRange::at(start, TextSize::of(&text));
        candidates.remove(whole, &text, false);
    }
}

/// A bracket and its contents, if they are short.
fn group(open: &SyntaxToken, candidates: &mut Candidates) {
    let close = match open.kind() {
        SyntaxKind::L_PAREN => SyntaxKind::R_PAREN,
        SyntaxKind::L_BRACKET => SyntaxKind::R_BRACKET,
        SyntaxKind::L_BRACE => SyntaxKind::R_BRACE,
        _ => return,
    };
    let mut text = String::new();
    let mut token = Some(open.clone());
    for _ in 0..MAX_GROUP {
        let Some(it) = token else { return };
        text.push_str(it.text());
        if it.kind() == close {
            let range = open.text_range().cover(it.text_range());
            candidates.remove(range, &text, false);
            return;
        }
        token = it.next_token();
    }
}

/// Whether a blank or a foreign character may divide such a token.
fn is_word(token: &SyntaxToken) -> bool {
    use SyntaxKind::{DOTTED, FLOAT, IDENT, INTEGER};
    matches!(token.kind(), DOTTED | FLOAT | IDENT | INTEGER)
}

/// Whether a token ends a statement or is before the first one of a block.
fn ends_statement(token: &SyntaxToken) -> bool {
    match token.kind() {
        SyntaxKind::SEMICOLON => true,
        SyntaxKind::L_BRACE | SyntaxKind::R_BRACE => token
            .parent()
            .is_some_and(|it| it.kind() == SyntaxKind::BLOCK),
        _ => false,
    }
}

/// Whether the children of a node are between commas.
fn is_list(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::INSTRUCTION
            | SyntaxKind::ARGUMENT_LIST
            | SyntaxKind::PARAMETER_LIST
            | SyntaxKind::RETURN_LIST
            | SyntaxKind::ADDRESS
            | SyntaxKind::VECTOR
            | SyntaxKind::VARIABLE_DECLARATION
            | SyntaxKind::TARGET_DIRECTIVE
            | SyntaxKind::INITIALIZER_LIST
    )
}

/// The tokens before and after a range that are not trivia.
fn neighbours(root: &SyntaxNode, range: TextRange) -> (Option<SyntaxToken>, Option<SyntaxToken>) {
    let mut before = token_at(root, range.start()).and_then(|it| it.prev_token());
    while let Some(it) = before.as_ref().filter(|it| it.kind().is_trivia()) {
        before = it.prev_token();
    }
    let mut after = token_at(root, range.end());
    while let Some(it) = after.as_ref().filter(|it| it.kind().is_trivia()) {
        after = it.next_token();
    }
    (before, after)
}

/// Whether a range is after a comma, and whether it is before one or the end of a list.
fn separators(root: &SyntaxNode, range: TextRange) -> (bool, bool) {
    let (before, after) = neighbours(root, range);
    let ends = |it: &SyntaxToken| {
        matches!(
            it.kind(),
            SyntaxKind::COMMA
                | SyntaxKind::SEMICOLON
                | SyntaxKind::R_PAREN
                | SyntaxKind::R_BRACKET
                | SyntaxKind::R_BRACE
        )
    };
    (
        before.is_some_and(|it| it.kind() == SyntaxKind::COMMA),
        after.is_some_and(|it| ends(&it)),
    )
}

/// The range with the comma before it, or else the one after it and the blank between.
fn with_comma(root: &SyntaxNode, range: TextRange) -> TextRange {
    let (before, after) = neighbours(root, range);
    if let Some(comma) = before.filter(|it| it.kind() == SyntaxKind::COMMA) {
        return comma.text_range().cover(range);
    }
    match after.filter(|it| it.kind() == SyntaxKind::COMMA) {
        Some(comma) => {
            let blank = comma
                .next_token()
                .filter(|it| it.kind() == SyntaxKind::WHITESPACE);
            let end = blank.map_or(comma.text_range(), |it| it.text_range());
            range.cover(end)
        }
        None => range,
    }
}

/// The range of a token with the blank before it, where another blank or the end of an operand follows.
fn with_blank(token: &SyntaxToken) -> TextRange {
    let blank = |it: Option<SyntaxToken>| {
        it.filter(|it| it.kind() == SyntaxKind::WHITESPACE && !it.text().contains('\n'))
    };
    let ends = token.next_token().is_none_or(|it| {
        it.kind().is_trivia()
            || matches!(
                it.kind(),
                SyntaxKind::DOTTED
                    | SyntaxKind::COMMA
                    | SyntaxKind::SEMICOLON
                    | SyntaxKind::R_BRACKET
                    | SyntaxKind::R_BRACE
                    | SyntaxKind::R_PAREN
            )
    });
    match blank(token.prev_token()).filter(|_| ends) {
        Some(it) => it.text_range().cover(token.text_range()),
        None => token.text_range(),
    }
}
