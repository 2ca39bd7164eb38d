//! Where in a statement the cursor is, from the tokens before it: the text after it may be anything.

use syntax::{MARK, SyntaxKind, SyntaxNode, SyntaxToken, TextRange, TextSize, tokens_around};

use crate::diagnostics::control_verbs;

/// Tokens that are looked at; longer statements have no completion at their ends.
const MAX_TOKENS: usize = 2_000;

/// The tokens that may be between the start of an operand and its name.
const PREFIXES: [SyntaxKind; 3] = [SyntaxKind::PIPE, SyntaxKind::BANG, SyntaxKind::MINUS];

/// The context of the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::features) struct Context {
    /// The part of a word before the cursor.
    pub(in crate::features) prefix: String,
    /// The word that a completion replaces: from the start of the prefix to the cursor.
    pub(in crate::features) replace: TextRange,
    /// Where the statement starts, or the cursor if nothing of it is written.
    pub(in crate::features) start: TextSize,
    /// Where it appears.
    pub(in crate::features) place: CursorPlace,
}

/// A place where something can be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::features) enum CursorPlace {
    /// The first word of an item of the module.
    Item,
    /// The first word of a statement.
    Statement,
    /// The predicate of a guard.
    Guard,
    /// A modifier of an instruction.
    Modifier(Head),
    /// An operand of an instruction.
    Operand(Head, OperandPlace),
    /// A component of the name of an operand, such as `.x`.
    Component(Head, OperandPlace, String),
    /// A word in a directive or declaration, after these tokens.
    Directive(Vec<String>),
    /// In the string of a `.pragma`.
    Pragma,
    /// A code in a control comment such as `// ptx-analyzer: allow(unused-register)`, after these.
    Code(Vec<String>),
    /// The word after `.pragma`.
    PragmaString,
    /// A control comment of which less is written.
    Control,
}

/// The opcode and the modifiers of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::features) struct Head {
    /// The first word.
    pub(in crate::features) opcode: String,
    /// The words between it and the cursor, or all of them when the cursor is in the operands.
    pub(in crate::features) before: Vec<String>,
    /// The words after the cursor.
    pub(in crate::features) after: Vec<String>,
}

/// Where an operand appears.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(in crate::features) struct OperandPlace {
    /// The operand, by the commas before it.
    pub(in crate::features) index: usize,
    /// The operands before it, without their blanks.
    pub(in crate::features) before: Vec<String>,
    /// The brackets around the cursor from the outside in, with the commas before it in each. `|` means the second
    /// part of a pair, `!` and `-` for themselves.
    pub(in crate::features) nesting: Vec<(SyntaxKind, usize)>,
    /// Whether the operand starts at the word being written.
    pub(in crate::features) first: bool,
}

/// One token before the cursor.
struct Word {
    kind: SyntaxKind,
    text: String,
    start: TextSize,
    /// Whether nothing is between it and the next token, or the cursor.
    glued: bool,
}

/// The context of the cursor at an offset; none in comments, numbers and strings.
pub(in crate::features) fn context(root: &SyntaxNode, offset: TextSize) -> Option<Context> {
    let (left, right) = tokens_around(root, offset);
    if let Some(token) = &left
        && token.kind() == SyntaxKind::STRING
        && token.text_range().end() > offset
    {
        let start = token.text_range().start() + TextSize::of('"');
        let typed = usize::from(offset - token.text_range().start());
        let pragma = token
            .parent()
            .is_some_and(|it| it.kind() == SyntaxKind::PRAGMA);
        return pragma.then(|| Context {
            prefix: token.text().get(1..typed).unwrap_or_default().to_owned(),
            replace: TextRange::new(start, offset),
            start,
            place: CursorPlace::Pragma,
        });
    }
    if let Some(comment) = left.as_ref().and_then(|it| in_comment(it, offset)) {
        return comment;
    }
    let in_body = left.as_ref().is_some_and(is_in_body);
    let mut words = before(left.as_ref(), offset)?;
    let prefix = match words.last() {
        Some(last) if last.glued && is_word(last, &words) => words.pop(),
        _ => None,
    };
    let start = prefix.as_ref().map_or(offset, |it| it.start);
    let text = prefix.as_ref().map_or("", |it| it.text.as_str());
    if text.starts_with(|it: char| it.is_ascii_digit()) {
        return None;
    }
    let place = place(&words, prefix.as_ref(), in_body, || {
        after(right.as_ref(), offset)
    })?;
    Some(Context {
        prefix: text.to_owned(),
        replace: TextRange::new(start, offset),
        start: words.first().map_or(start, |it| it.start),
        place,
    })
}

/// The control comment that is being written, if the cursor is in one. `None` outside comments.
fn in_comment(token: &SyntaxToken, offset: TextSize) -> Option<Option<Context>> {
    let line = token.kind() == SyntaxKind::LINE_COMMENT;
    let end = token.text_range().end();
    if !line && (token.kind() != SyntaxKind::BLOCK_COMMENT || end <= offset) {
        return None;
    }
    let text = token
        .text()
        .get(2..usize::from(offset - token.text_range().start()));
    let context = |prefix: &str, place| Context {
        prefix: prefix.to_owned(),
        replace: TextRange::new(offset - TextSize::of(prefix), offset),
        start: offset,
        place,
    };
    let find = || {
        let text = text?.trim_start();
        let command = text.strip_prefix(MARK);
        let Some((verb, list)) = command.and_then(|it| it.split_once('(')) else {
            // The mark, once it has begun, and the word after it.
            let begun = !text.is_empty() && MARK.starts_with(text) || command.is_some();
            return begun.then(|| context(text, CursorPlace::Control));
        };
        let known = control_verbs().any(|it| it == verb.trim());
        let mut codes: Vec<String> = list.split(',').map(|it| it.trim().to_owned()).collect();
        codes.pop();
        let code = list.rsplit(',').next()?.trim_start();
        (known && !list.contains(')')).then(|| context(code, CursorPlace::Code(codes)))
    };
    Some(find())
}

/// Whether the token is in braces that are a body.
fn is_in_body(token: &SyntaxToken) -> bool {
    let mut ancestors = token.parent_ancestors();
    let Some(block) = ancestors.find(|it| it.kind() == SyntaxKind::BLOCK) else {
        return false;
    };
    let closing = token.kind() == SyntaxKind::R_BRACE && token.parent().as_ref() == Some(&block);
    !closing
        || block
            .ancestors()
            .skip(1)
            .any(|it| it.kind() == SyntaxKind::BLOCK)
}

/// The tokens of the statement before the cursor, in the order of the text; none inside a comment.
fn before(left: Option<&SyntaxToken>, offset: TextSize) -> Option<Vec<Word>> {
    let mut words: Vec<Word> = Vec::new();
    let mut next = left.cloned();
    let mut glued = true;
    // The statement of the token that was met last, and whether a line ended since.
    let mut statement: Option<SyntaxNode> = None;
    let mut broken = false;
    while let Some(token) = next {
        if words.len() > MAX_TOKENS {
            return None;
        }
        next = token.prev_token();
        let kind = token.kind();
        if kind.is_trivia() {
            if kind != SyntaxKind::WHITESPACE && token.text_range().end() >= offset {
                // Only the end of a line or of the bracket ends a comment.
                let line = token.text().starts_with("//");
                if line || token.text_range().end() > offset {
                    return None;
                }
            }
            let until =
                usize::from(offset.min(token.text_range().end()) - token.text_range().start());
            broken |= token
                .text()
                .get(..until)
                .is_some_and(|it| it.contains('\n'));
            glued = false;
            continue;
        }
        let of = statement_of(&token);
        // A period alone at the end of a line belongs to what is before it.
        if broken && !words.is_empty() && (of != statement || kind == SyntaxKind::UNKNOWN) {
            break;
        }
        if is_boundary(&token) {
            break;
        }
        // On an empty line after a whole statement something new begins.
        if broken && words.is_empty() && !continues(&token) {
            break;
        }
        broken = false;
        let range = token.text_range();
        let end = offset.min(range.end());
        let text = token
            .text()
            .get(..usize::from(end - range.start()))
            .unwrap_or_default();
        words.push(Word {
            kind,
            text: text.to_owned(),
            start: range.start(),
            glued,
        });
        glued = true;
        statement = of;
    }
    words.reverse();
    Some(words)
}

/// Whether a statement continues in the next line after this token.
fn continues(token: &SyntaxToken) -> bool {
    matches!(
        token.kind(),
        SyntaxKind::COMMA | SyntaxKind::L_PAREN | SyntaxKind::L_BRACKET | SyntaxKind::L_BRACE
    )
}

fn statement_of(token: &SyntaxToken) -> Option<SyntaxNode> {
    token.parent_ancestors().find(|it| {
        it.parent().is_some_and(|it| {
            matches!(
                it.kind(),
                SyntaxKind::STATEMENT_RUN | SyntaxKind::SOURCE_FILE
            )
        })
    })
}

/// Whether a statement ends with, or a body begins after, this token.
fn is_boundary(token: &SyntaxToken) -> bool {
    let parent = token.parent().map(|it| it.kind());
    match token.kind() {
        SyntaxKind::SEMICOLON => true,
        SyntaxKind::COLON => parent == Some(SyntaxKind::LABEL),
        SyntaxKind::L_BRACE | SyntaxKind::R_BRACE => parent == Some(SyntaxKind::BLOCK),
        _ => false,
    }
}

/// Whether the last token is a word that is being written.
fn is_word(last: &Word, words: &[Word]) -> bool {
    match last.kind {
        SyntaxKind::IDENT | SyntaxKind::DOTTED | SyntaxKind::INTEGER | SyntaxKind::FLOAT => true,
        // A period alone is not a token of the language, nor is a per cent sign before a name.
        SyntaxKind::UNKNOWN => last.text == ".",
        SyntaxKind::PERCENT => {
            let before = words.len().checked_sub(2).map(|it| words[it].kind);
            !matches!(
                before,
                Some(SyntaxKind::IDENT | SyntaxKind::INTEGER | SyntaxKind::R_PAREN)
            ) || words.len() == 2
        }
        _ => false,
    }
}

/// The modifiers directly after the cursor.
fn after(right: Option<&SyntaxToken>, offset: TextSize) -> Vec<String> {
    let mut words = Vec::new();
    let mut next = right.cloned();
    while let Some(token) = next {
        let range = token.text_range();
        next = token.next_token();
        let rest = match range.start() >= offset {
            true => token.text(),
            // The rest of the word under the cursor is replaced or kept by the editor.
            false => continue,
        };
        match token.kind() {
            SyntaxKind::DOTTED => words.push(rest.trim_start_matches('.').to_owned()),
            _ => break,
        }
    }
    words
}

fn place(
    words: &[Word],
    prefix: Option<&Word>,
    in_body: bool,
    after: impl FnOnce() -> Vec<String>,
) -> Option<CursorPlace> {
    let mut rest = words;
    if let [at, tail @ ..] = rest
        && at.kind == SyntaxKind::AT
    {
        let tail = match tail {
            [bang, tail @ ..] if bang.kind == SyntaxKind::BANG => tail,
            _ => tail,
        };
        match tail {
            [] => return Some(CursorPlace::Guard),
            [predicate, tail @ ..] if predicate.kind == SyntaxKind::IDENT => rest = tail,
            _ => return None,
        }
    }
    let Some(first) = rest.first() else {
        let started = words.len() != rest.len();
        return Some(match in_body {
            true => CursorPlace::Statement,
            false if started => return None,
            false => CursorPlace::Item,
        });
    };
    if rest.len() == 1 && first.text == ".pragma" {
        return Some(CursorPlace::PragmaString);
    }
    if first.kind != SyntaxKind::IDENT || !in_body {
        let tokens = rest.iter().map(|it| it.text.clone()).collect();
        return Some(CursorPlace::Directive(tokens));
    }
    let modifiers = rest[1..]
        .iter()
        .take_while(|it| it.kind == SyntaxKind::DOTTED || it.text == ".")
        .count();
    let before: Vec<String> = rest[1..=modifiers]
        .iter()
        .map(|it| it.text.trim_start_matches('.').to_owned())
        .filter(|it| !it.is_empty())
        .collect();
    let operands = &rest[modifiers + 1..];
    let is_modifier = prefix.is_some_and(|it| it.text.starts_with('.'));
    let head = || Head {
        opcode: first.text.clone(),
        before: before.clone(),
        after: Vec::new(),
    };
    if operands.is_empty() && is_modifier {
        return Some(CursorPlace::Modifier(Head {
            opcode: first.text.clone(),
            before,
            after: after(),
        }));
    }
    if is_modifier {
        let [earlier @ .., name] = operands else {
            return None;
        };
        let glued = name.kind == SyntaxKind::IDENT && name.glued;
        return glued
            .then(|| CursorPlace::Component(head(), operand_place(earlier), name.text.clone()));
    }
    Some(CursorPlace::Operand(head(), operand_place(operands)))
}

fn operand_place(words: &[Word]) -> OperandPlace {
    let mut place = OperandPlace {
        first: true,
        ..OperandPlace::default()
    };
    let mut text = String::new();
    for word in words {
        // What is before a single operand ends with it.
        let bracket = |it: &(SyntaxKind, usize)| !PREFIXES.contains(&it.0);
        if matches!(
            word.kind,
            SyntaxKind::COMMA | SyntaxKind::R_BRACKET | SyntaxKind::R_BRACE | SyntaxKind::R_PAREN
        ) {
            let inside = place.nesting.iter().rposition(bracket);
            place.nesting.truncate(inside.map_or(0, |it| it + 1));
        }
        let opens = matches!(
            word.kind,
            SyntaxKind::L_BRACKET | SyntaxKind::L_BRACE | SyntaxKind::L_PAREN | SyntaxKind::COMMA
        );
        match word.kind {
            SyntaxKind::L_BRACKET | SyntaxKind::L_BRACE | SyntaxKind::L_PAREN => {
                place.nesting.push((word.kind, 0));
            }
            SyntaxKind::R_BRACKET | SyntaxKind::R_BRACE | SyntaxKind::R_PAREN => {
                place.nesting.pop();
            }
            SyntaxKind::COMMA => match place.nesting.last_mut() {
                Some((_, commas)) => *commas += 1,
                None => {
                    place.index += 1;
                    place.before.push(std::mem::take(&mut text));
                    place.first = true;
                    continue;
                }
            },
            SyntaxKind::PIPE => place.nesting.push((SyntaxKind::PIPE, 1)),
            SyntaxKind::BANG | SyntaxKind::MINUS if place.first => {
                place.nesting.push((word.kind, 0));
            }
            _ => {}
        }
        text.push_str(&word.text);
        let prefix = place.nesting.last().is_some_and(|it| it.0 == word.kind);
        place.first = opens || prefix && PREFIXES.contains(&word.kind);
    }
    place
}
