//! The lexer of C and C++: comments, literals, the preprocessor, braces, and the word `asm`.

mod branches;
mod statement;

use branches::Guarded;

use super::{
    Condition, Define, Escapes, Host, Literal, Test,
    preprocessor::Level,
    scan::{Scan, is_name, range},
};

/// Bytes at which something may begin that matters.
const STOPS: [bool; 256] = {
    let mut stops = [false; 256];
    let bytes = b"\"'/#{}mN";
    let mut index = 0;
    while index < bytes.len() {
        stops[bytes[index] as usize] = true;
        index += 1;
    }
    stops
};

/// More open braces than these are not told apart.
const MAX_BLOCKS: usize = 256;
/// More open conditions than these are not followed.
const MAX_LEVELS: usize = 256;

struct CLexer<'a> {
    scan: Scan<'a>,
    host: Host,
    levels: Vec<Level>,
    /// Conditions that are open beyond [`MAX_LEVELS`].
    deeper: u32,
    /// Where the braces open that are open here.
    blocks: Vec<u32>,
    /// The braces that close before an `else`, each with the one that it closes.
    closed: Vec<(u32, u32)>,
    /// Arguments of macros that are compiled for some targets only.
    guarded: Vec<Guarded>,
    /// Whether the parenthesis of such a macro is not closed.
    unclosed_macro: bool,
    in_define: bool,
}

pub(super) fn lex(text: &str) -> Host {
    let mut lexer = CLexer {
        scan: Scan::new(text),
        host: Host::default(),
        levels: Vec::new(),
        deeper: 0,
        blocks: Vec::new(),
        closed: Vec::new(),
        guarded: Vec::new(),
        unclosed_macro: false,
        in_define: false,
    };
    lexer.run();
    lexer.host
}

/// Whether a word before a quote belongs to the string.
fn is_prefix(word: &str) -> bool {
    matches!(
        word.strip_suffix('R').unwrap_or(word),
        "" | "u8" | "L" | "u" | "U"
    ) && !word.is_empty()
}

impl CLexer<'_> {
    fn run(&mut self) {
        while self.next_stop() {
            let pos = self.scan.pos;
            match self.scan.bytes[pos] {
                b'"' => {
                    self.string(pos);
                }
                b'\'' => self.character(),
                b'/' => self.comment(),
                b'#' if self.is_line_start() => self.directive(),
                b'{' => {
                    if self.blocks.len() < MAX_BLOCKS {
                        self.blocks.push(pos as u32);
                    }
                    self.scan.bump(1);
                }
                b'}' => {
                    self.scan.bump(1);
                    let open = self.blocks.pop();
                    let rest = &self.scan.bytes[self.scan.pos..self.scan.end];
                    if let Some(open) = open
                        && rest.trim_ascii_start().starts_with(b"else")
                    {
                        self.closed.push((pos as u32, open));
                    }
                }
                b'N' => self.target_macro(),
                b'm' => match self.keyword() {
                    Some((from, to)) => self.statement(from, to),
                    None => self.scan.bump(1),
                },
                _ => self.scan.bump(1),
            }
        }
    }

    /// Goes to the next byte that matters.
    fn next_stop(&mut self) -> bool {
        let (bytes, end) = (self.scan.bytes, self.scan.end);
        let rest = &bytes[self.scan.pos.min(end)..end];
        match rest.iter().position(|it| STOPS[usize::from(*it)]) {
            Some(found) => {
                self.scan.pos += found;
                true
            }
            None => {
                self.scan.pos = end;
                false
            }
        }
    }

    /// The word that ends in the `m` here, if it introduces a statement of assembly.
    fn keyword(&self) -> Option<(usize, usize)> {
        let (bytes, pos) = (self.scan.bytes, self.scan.pos);
        let mut from = pos.checked_sub(2)?;
        if &bytes[from..pos] != b"as" {
            return None;
        }
        let mut to = pos + 1;
        if from >= 2 && &bytes[from - 2..from] == b"__" {
            from -= 2;
            if bytes[to..self.scan.end].starts_with(b"__") {
                to += 2;
            }
        }
        let inside = |at: Option<&u8>| at.is_some_and(|it| is_name(*it));
        let before = from.checked_sub(1).and_then(|it| bytes.get(it));
        (!inside(before) && !inside(bytes[..self.scan.end].get(to))).then_some((from, to))
    }

    /// Moves past the string whose quote is here. Its prefix, if any, is before it.
    fn string(&mut self, quote: usize) -> Option<Literal> {
        let bytes = self.scan.bytes;
        let mut from = quote;
        // `u8R` is the longest one.
        while from > 0 && quote - from < 4 && is_name(bytes[from - 1]) {
            from -= 1;
        }
        let prefix = &bytes[from..quote];
        self.scan.pos = quote + 1;
        let prefix = str::from_utf8(prefix)
            .ok()
            .filter(|it| is_prefix(it))
            .unwrap_or_default();
        let start = quote - prefix.len();
        let raw = prefix.ends_with('R');
        let wide = !matches!(prefix, "" | "R" | "u8" | "u8R");
        let (content, closed) = if raw {
            self.raw_string()
        } else {
            let content = self.scan.pos;
            let (end, closed) = self.scan.quoted(b'"', false);
            (range(content, end), closed)
        };
        // One that is being written is closed later.
        ((closed || !raw) && !wide).then(|| Literal {
            range: range(start, self.scan.pos),
            content,
            escapes: if raw { Escapes::Raw } else { Escapes::C },
            conditional: false,
        })
    }

    /// Moves past a raw string from after its first quote. One without its parenthesis ends with its line.
    fn raw_string(&mut self) -> (rowan::TextRange, bool) {
        let start = self.scan.pos;
        let delimiter = loop {
            match self.scan.peek() {
                b'(' => break self.scan.pos - start,
                _ if self.scan.is_end() || self.scan.pos - start > 16 => break 17,
                b' ' | b'\t' | b'\n' | b')' | b'\\' => break 17,
                _ => self.scan.bump(1),
            }
        };
        if delimiter > 16 {
            return (range(start, self.scan.pos), false);
        }
        self.scan.bump(1);
        let content = self.scan.pos;
        let closing = &self.scan.bytes[start..start + delimiter];
        loop {
            self.scan.skip_past(b')');
            if self.scan.is_end() {
                return (range(content, self.scan.pos), false);
            }
            let rest = &self.scan.bytes[self.scan.pos..self.scan.end];
            if rest.starts_with(closing) && rest.get(closing.len()) == Some(&b'"') {
                let end = self.scan.pos - 1;
                self.scan.bump(closing.len() + 1);
                return (range(content, end), true);
            }
        }
    }

    /// Moves past a character in quotes, or over a quote inside a number.
    fn character(&mut self) {
        let bytes = self.scan.bytes;
        let mut from = self.scan.pos;
        let least = from.saturating_sub(64);
        while from > least && (is_name(bytes[from - 1]) || bytes[from - 1] == b'\'') {
            from -= 1;
        }
        let number = from < self.scan.pos && bytes[from].is_ascii_digit();
        self.scan.bump(1);
        if !number {
            self.scan.quoted(b'\'', false);
        }
    }

    /// Goes over a comment, or over a slash.
    fn comment(&mut self) {
        match self.scan.at(1) {
            b'*' => {
                self.scan.bump(2);
                self.scan.skip_block_comment();
            }
            b'/' => self.skip_logical_line(),
            _ => self.scan.bump(1),
        }
    }

    /// Goes to the line break that ends a line, over those with a backslash before them.
    fn skip_logical_line(&mut self) {
        loop {
            self.scan.skip_line();
            let line = &self.scan.bytes[..self.scan.pos];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if self.scan.is_end() || line.last() != Some(&b'\\') {
                return;
            }
            self.scan.bump(1);
        }
    }

    /// Whether only blanks are before this place on its line.
    fn is_line_start(&self) -> bool {
        let before = &self.scan.bytes[..self.scan.pos];
        let blank = before.iter().rposition(|it| !matches!(it, b' ' | b'\t'));
        blank.is_none_or(|it| before[it] == b'\n')
    }

    /// Reads a directive of the preprocessor, up to the end of its line.
    fn directive(&mut self) {
        if self.in_define {
            // An operator inside a macro.
            self.scan.bump(1);
            return;
        }
        self.scan.bump(1);
        self.blanks();
        let word = self.scan.name();
        self.blanks();
        let start = self.scan.pos;
        match word {
            "define" => return self.define(),
            "undef" => return self.undefine(),
            "if" | "elif" | "ifdef" | "ifndef" | "else" | "endif" | "elifdef" | "elifndef" => {}
            _ => return self.skip_logical_line(),
        }
        self.skip_logical_line();
        let condition = self.condition(word, start);
        match word {
            "if" | "ifdef" | "ifndef" if self.levels.len() >= MAX_LEVELS => self.deeper += 1,
            "if" | "ifdef" | "ifndef" => {
                let (blocks, context) = (self.blocks.clone(), self.context());
                let level = Level::new(condition, blocks, context, &mut self.host.macros);
                self.levels.push(level);
            }
            "endif" if self.deeper > 0 => self.deeper -= 1,
            "endif" => {
                self.levels.pop();
            }
            _ if self.deeper > 0 => {}
            _ => {
                if let Some(level) = self.levels.last_mut() {
                    level.next_branch(condition, &mut self.host.macros);
                    self.blocks.clone_from(&level.blocks);
                }
            }
        }
    }

    /// The index of the innermost condition here, for definitions.
    fn context(&self) -> Option<u32> {
        self.levels.last().and_then(|it| it.context)
    }

    /// Reads the name of a macro that ends.
    fn undefine(&mut self) {
        let from = self.scan.pos;
        let name = range(from, from + self.scan.name().len());
        self.skip_logical_line();
        self.add(Define {
            name,
            literals: None,
            value: None,
            defined: false,
            context: self.context(),
        });
    }

    /// Remembers a definition, if its conditions are known.
    fn add(&mut self, define: Define) {
        if self.deeper == 0 && !define.name.is_empty() {
            self.host.macros.defines.push(define);
        }
    }

    /// The question of a directive; its line has just been read, and the question starts at an offset.
    fn condition(&self, word: &str, start: usize) -> Option<Condition> {
        let (test, expected) = match word {
            "if" | "elif" => (Test::Value, true),
            "ifdef" | "elifdef" => (Test::Defined, true),
            "ifndef" | "elifndef" => (Test::Defined, false),
            _ => return None,
        };
        Some(Condition {
            test,
            range: range(start, self.scan.pos),
            expected,
        })
    }

    /// Goes over blanks within a line.
    fn blanks(&mut self) {
        while matches!(self.scan.peek(), b' ' | b'\t') {
            self.scan.bump(1);
        }
    }

    /// Reads the definition of a macro, from its name on, and what its text has of assembly.
    fn define(&mut self) {
        let from = self.scan.pos;
        let name = self.scan.name();
        let name_range = range(from, from + name.len());
        let parameters = self.scan.peek() == b'(';
        let body = self.scan.pos;
        self.skip_logical_line();
        let line_end = self.scan.pos;
        let file_end = std::mem::replace(&mut self.scan.end, line_end);
        self.scan.pos = body;
        let literals = if parameters {
            None
        } else {
            self.literals_only()
        };
        self.add(Define {
            name: name_range,
            literals,
            value: (!parameters).then(|| range(body, line_end)),
            defined: true,
            context: self.context(),
        });
        self.scan.pos = body;
        self.in_define = true;
        let blocks = self.blocks.clone();
        self.run();
        self.blocks = blocks;
        self.in_define = false;
        self.scan.end = file_end;
        self.scan.pos = line_end;
    }

    /// The literals up to the end, if there is nothing else.
    fn literals_only(&mut self) -> Option<Vec<Literal>> {
        let mut literals = Vec::new();
        loop {
            self.trivia();
            if self.scan.is_end() {
                return (!literals.is_empty()).then_some(literals);
            }
            let prefix = self.scan.name();
            if self.scan.peek() != b'"' || !prefix.is_empty() && !is_prefix(prefix) {
                return None;
            }
            literals.push(self.string(self.scan.pos)?);
        }
    }

    /// Goes over blanks, line breaks and comments.
    fn trivia(&mut self) {
        loop {
            match self.scan.peek() {
                b' ' | b'\t' | b'\n' | b'\r' | b'\x0b' | b'\x0c' => self.scan.bump(1),
                b'\\' if matches!(self.scan.at(1), b'\n' | b'\r') => self.scan.bump(2),
                b'/' if matches!(self.scan.at(1), b'/' | b'*') => self.comment(),
                _ => return,
            }
            if self.scan.is_end() {
                return;
            }
        }
    }
}
