//! The lexer of Rust: strings, characters, comments, and the macro `asm!`.

use super::{
    Dialect, Direction, Escapes, Host, Literal, Operand, Part, Statement,
    scan::{Scan, is_name, range},
};

struct RustLexer<'a> {
    scan: Scan<'a>,
    host: Host,
}

pub(super) fn lex(text: &str) -> Host {
    let mut lexer = RustLexer {
        scan: Scan::new(text),
        host: Host::default(),
    };
    lexer.run();
    lexer.host
}

impl RustLexer<'_> {
    fn run(&mut self) {
        loop {
            let rest = &self.scan.bytes[self.scan.pos..self.scan.end];
            let stop = |it: &u8| matches!(it, b'"' | b'\'' | b'/' | b'!');
            let Some(found) = rest.iter().position(stop) else {
                return;
            };
            self.scan.pos += found;
            if self.scan.peek() == b'!' {
                self.statement();
            } else {
                self.skip();
            }
        }
    }

    /// Goes over a string, a character, a comment, or a byte that is none of them.
    fn skip(&mut self) {
        match self.scan.peek() {
            b'"' => {
                self.string();
            }
            b'\'' => self.character(),
            b'/' if self.scan.at(1) == b'/' => self.scan.skip_line(),
            b'/' if self.scan.at(1) == b'*' => self.comment(),
            _ => self.scan.bump(1),
        }
    }

    /// Moves past a comment, in which others may appear.
    fn comment(&mut self) {
        let mut depth = 0u32;
        while let Some(found) =
            memchr::memchr2(b'/', b'*', &self.scan.bytes[self.scan.pos..self.scan.end])
        {
            self.scan.pos += found;
            let pair = (self.scan.peek(), self.scan.at(1));
            self.scan.bump(1);
            match pair {
                (b'/', b'*') => depth += 1,
                (b'*', b'/') => depth -= 1,
                _ => continue,
            }
            self.scan.bump(1);
            if depth == 0 {
                return;
            }
        }
        self.scan.pos = self.scan.end;
    }

    /// Moves past a character, or over the quote of a lifetime.
    fn character(&mut self) {
        let rest = &self.scan.text[self.scan.pos + 1..];
        let len = rest.chars().next().map_or(0, char::len_utf8);
        let closed = self.scan.at(1 + len) == b'\'';
        self.scan.bump(1);
        if self.scan.peek() == b'\\' {
            self.scan.quoted(b'\'', false);
        } else if closed {
            self.scan.bump(len + 1);
        }
    }

    /// Moves past the string whose quote is here; none if it is not closed.
    fn string(&mut self) -> Option<Literal> {
        let bytes = self.scan.bytes;
        let quote = self.scan.pos;
        let hashes = bytes[..quote]
            .iter()
            .rev()
            .take(255)
            .take_while(|it| **it == b'#')
            .count();
        let mut from = quote - hashes;
        let letters = bytes[..from]
            .iter()
            .rev()
            .take(3)
            .take_while(|it| it.is_ascii_alphabetic());
        let letters = letters.count();
        let raw = match &bytes[from - letters..from] {
            b"r" | b"br" | b"cr" => {
                from -= letters;
                true
            }
            b"b" | b"c" => {
                from -= letters;
                false
            }
            _ => false,
        };
        let hashes = if raw { hashes } else { 0 };
        self.scan.bump(1);
        let content = self.scan.pos;
        let (end, closed) = if raw {
            loop {
                self.scan.skip_past(b'"');
                let rest = &bytes[self.scan.pos..self.scan.end];
                let after = rest
                    .iter()
                    .take(hashes)
                    .take_while(|it| **it == b'#')
                    .count();
                if after == hashes && bytes[self.scan.pos - 1] == b'"' && self.scan.pos > content {
                    let end = self.scan.pos - 1;
                    self.scan.bump(hashes);
                    break (end, true);
                }
                if self.scan.is_end() {
                    break (self.scan.end, false);
                }
            }
        } else {
            self.scan.quoted(b'"', true)
        };
        closed.then(|| Literal {
            range: range(from.min(quote), self.scan.pos),
            content: range(content, end),
            escapes: if raw { Escapes::Raw } else { Escapes::Rust },
            conditional: false,
        })
    }

    fn trivia(&mut self) {
        loop {
            match self.scan.peek() {
                b' ' | b'\t' | b'\r' | b'\n' => self.scan.bump(1),
                b'/' if self.scan.at(1) == b'/' => self.scan.skip_line(),
                b'/' if self.scan.at(1) == b'*' => self.comment(),
                _ => return,
            }
        }
    }

    /// Reads a call of `asm!` whose exclamation mark is here.
    fn statement(&mut self) {
        let bang = self.scan.pos;
        self.scan.bump(1);
        let before = &self.scan.text[..bang];
        let from = bang - 3.min(bang);
        let word = before.get(from..) == Some("asm");
        let inside = from > 0 && is_name(self.scan.bytes[from - 1]);
        if !word || inside {
            return;
        }
        self.trivia();
        if !matches!(self.scan.peek(), b'(' | b'[' | b'{') {
            return;
        }
        self.scan.bump(1);
        let mut statement = Statement {
            range: range(from, from),
            keyword: range(from, bang + 1),
            layer: None,
            dialect: Dialect::Rust,
            volatile: true,
            template: Vec::new(),
            colons: 0,
            operands: Vec::new(),
            constraints: Vec::new(),
            arguments: Vec::new(),
            clobbers: Vec::new(),
            conditions: Vec::new(),
            in_define: false,
            conditional_operands: false,
            complete: false,
            block: 0,
            in_device: false,
        };
        loop {
            self.trivia();
            match self.scan.peek() {
                b')' | b']' | b'}' => {
                    self.scan.bump(1);
                    statement.complete = true;
                    break;
                }
                b',' => self.scan.bump(1),
                b';' => break,
                _ if self.scan.is_end() => break,
                _ => self.argument(&mut statement),
            }
        }
        statement.range = range(from, self.scan.pos);
        self.host.statements.push(statement);
    }

    /// Reads a part of the template or an operand.
    fn argument(&mut self, statement: &mut Statement) {
        let start = self.scan.pos;
        if self.prefixed_string() {
            let part = match self.string() {
                Some(literal) => Part::Literal(literal),
                None => Part::Unknown(range(start, self.scan.pos)),
            };
            next_line(statement);
            statement.template.push(part);
            return;
        }
        let mut word = self.scan.name();
        let mut name = None;
        if word == "concat" && self.scan.peek() == b'!' {
            self.scan.bump(1);
            self.concatenation(statement);
            return;
        }
        let end = self.scan.pos;
        self.trivia();
        if self.scan.peek() == b'=' && self.scan.at(1) != b'=' && !word.is_empty() {
            name = Some(range(start, end));
            self.scan.bump(1);
            self.trivia();
            word = self.scan.name();
            self.trivia();
        }
        let direction = match word {
            "in" => Direction::Input,
            "out" | "lateout" => Direction::Output,
            "inout" | "inlateout" => Direction::Both,
            "const" => Direction::Constant,
            "sym" => Direction::Symbol,
            "options" => {
                let from = self.scan.pos;
                self.balanced();
                statement.volatile &= !self.scan.text[from..self.scan.pos].contains("pure");
                return;
            }
            "clobber_abi" => {
                self.balanced();
                return;
            }
            _ => {
                // Something that a macro made.
                self.expression();
                if statement.operands.is_empty() {
                    next_line(statement);
                    statement
                        .template
                        .push(Part::Unknown(range(start, self.scan.pos.max(start))));
                } else {
                    statement.conditional_operands = true;
                }
                if self.scan.pos == start {
                    self.scan.bump(1);
                }
                return;
            }
        };
        let mut constraint = Vec::new();
        if !matches!(direction, Direction::Constant | Direction::Symbol) && self.scan.peek() == b'('
        {
            let from = self.scan.pos + 1;
            let closed = self.balanced();
            let to = self.scan.pos - usize::from(closed);
            constraint.push(Part::Name(range(from.min(to), to)));
        }
        self.trivia();
        let from = self.scan.pos;
        self.expression();
        let expression = &self.scan.text[from..self.scan.pos];
        let to = from + expression.trim_ascii_end().len();
        statement.operands.push(Operand {
            direction,
            constraint,
            expression: range(from, to),
            name,
        });
    }

    /// Whether a string is here; then goes to its quote.
    fn prefixed_string(&mut self) -> bool {
        let rest = &self.scan.bytes[self.scan.pos..self.scan.end];
        let letters = rest
            .iter()
            .take(2)
            .take_while(|it| matches!(it, b'r' | b'b' | b'c'))
            .count();
        let hashes = rest[letters..].iter().take_while(|it| **it == b'#').count();
        if rest.get(letters + hashes) != Some(&b'"') || letters == 0 && hashes > 0 {
            return false;
        }
        self.scan.bump(letters + hashes);
        true
    }

    /// Reads the arguments of `concat!`.
    fn concatenation(&mut self, statement: &mut Statement) {
        self.trivia();
        next_line(statement);
        if !matches!(self.scan.peek(), b'(' | b'[' | b'{') {
            return;
        }
        self.scan.bump(1);
        loop {
            self.trivia();
            let start = self.scan.pos;
            if self.scan.is_end() || self.scan.peek() == b';' {
                return;
            }
            if matches!(self.scan.peek(), b')' | b']' | b'}') {
                return self.scan.bump(1);
            }
            if self.scan.peek() == b',' {
                self.scan.bump(1);
            } else if self.prefixed_string() {
                statement.template.push(match self.string() {
                    Some(literal) => Part::Literal(literal),
                    None => Part::Unknown(range(start, self.scan.pos)),
                });
            } else {
                self.expression();
                if self.scan.pos == start {
                    self.scan.bump(1);
                }
                statement
                    .template
                    .push(Part::Unknown(range(start, self.scan.pos)));
            }
        }
    }

    /// Goes to the comma or bracket that ends an expression.
    fn expression(&mut self) {
        while !self.scan.is_end() {
            match self.scan.peek() {
                b',' | b')' | b']' | b'}' | b';' => return,
                b'(' | b'[' | b'{' => {
                    self.balanced();
                }
                b'"' | b'\'' | b'/' => self.skip(),
                _ => self.scan.bump(1),
            }
        }
    }

    /// Moves past the bracket that belongs to the one here; false if there is none.
    fn balanced(&mut self) -> bool {
        let mut depth = 0u32;
        while !self.scan.is_end() {
            match self.scan.peek() {
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    self.scan.bump(1);
                }
                b')' | b']' | b'}' => {
                    depth = depth.saturating_sub(1);
                    self.scan.bump(1);
                    if depth == 0 {
                        return true;
                    }
                }
                b'"' | b'\'' | b'/' => self.skip(),
                _ if depth == 0 => return false,
                _ => self.scan.bump(1),
            }
        }
        false
    }
}

/// The pieces of a template are lines.
fn next_line(statement: &mut Statement) {
    if !statement.template.is_empty() {
        statement.template.push(Part::Break);
    }
}
