//! A statement of assembly: its template, operands and clobbers.

use rowan::TextRange;

use super::{
    super::{
        Condition, Dialect, Direction, Operand, Part, Statement,
        scan::{is_name, range},
    },
    CLexer, is_prefix,
};

/// The words between the keyword and the parenthesis.
const QUALIFIERS: [&str; 6] = [
    "volatile",
    "__volatile__",
    "__volatile",
    "inline",
    "__inline__",
    "goto",
];

/// The most conditions of a statement that are kept.
const MAX_CONDITIONS: usize = 128;

/// The work of the preprocessor between two words.
#[derive(Default)]
struct Branches {
    /// `#if` that are open inside the statement.
    open: u32,
    /// Whether there was any.
    any: bool,
}

impl CLexer<'_> {
    /// Reads a statement from after its keyword, which is at a range of bytes. What is none has no effect.
    pub(super) fn statement(&mut self, from: usize, to: usize) {
        self.scan.pos = to;
        let mut branches = Branches::default();
        let mut volatile = false;
        loop {
            self.between(&mut branches);
            let start = self.scan.pos;
            let word = self.scan.name();
            if word.is_empty() {
                break;
            }
            if !QUALIFIERS.contains(&word) {
                self.scan.pos = start;
                return;
            }
            volatile |= word.contains("volatile") || word == "goto";
        }
        if self.scan.peek() != b'(' {
            return;
        }
        self.scan.bump(1);
        let mut conditions = self.conditions();
        conditions.extend(self.branches(from));
        let mut statement = Statement {
            range: range(from, from),
            keyword: range(from, to),
            layer: None,
            dialect: Dialect::Cuda,
            volatile,
            template: Vec::new(),
            colons: 0,
            operands: Vec::new(),
            constraints: Vec::new(),
            arguments: Vec::new(),
            clobbers: Vec::new(),
            conditions,
            in_define: self.in_define,
            conditional_operands: false,
            complete: false,
            block: self.blocks.last().copied().unwrap_or(0),
            in_device: self.in_device(),
        };
        self.template(&mut statement, &mut branches);
        branches.any = false;
        self.sections(&mut statement, &mut branches);
        statement.conditional_operands |= branches.any;
        statement.complete = self.scan.peek() == b')';
        if statement.complete {
            self.scan.bump(1);
        }
        statement.range = range(from, self.scan.pos);
        self.host.statements.push(statement);
    }

    /// The conditions here; of very many the innermost.
    fn conditions(&self) -> Vec<Condition> {
        let innermost = self.levels.iter().rev();
        let mut conditions: Vec<_> = innermost
            .flat_map(|it| it.conditions.iter().rev().copied())
            .take(MAX_CONDITIONS)
            .collect();
        conditions.reverse();
        conditions
    }

    /// Goes over blanks, comments and directives; of branches only the first is read. Returns the range of those
    /// that were not.
    fn between(&mut self, branches: &mut Branches) -> Option<TextRange> {
        let mut skipped = None;
        loop {
            self.trivia();
            if self.scan.peek() != b'#' || self.in_define || !self.is_line_start() {
                return skipped;
            }
            let start = self.scan.pos;
            match self.directive_word() {
                "if" | "ifdef" | "ifndef" => {
                    branches.open += 1;
                    branches.any = true;
                }
                "else" | "elif" | "elifdef" | "elifndef" if branches.open > 0 => {
                    self.skip_branches();
                    branches.open -= 1;
                    let range = range(start, self.scan.pos);
                    skipped = Some(skipped.map_or(range, |it: TextRange| it.cover(range)));
                }
                "endif" => branches.open = branches.open.saturating_sub(1),
                _ => {}
            }
        }
    }

    /// Reads a directive and goes to the end of its line; its word.
    fn directive_word(&mut self) -> &str {
        self.scan.bump(1);
        self.blanks();
        let start = self.scan.pos;
        let len = self.scan.name().len();
        self.skip_logical_line();
        &self.scan.text[start..start + len]
    }

    /// Moves past the `#endif` of the branch here.
    fn skip_branches(&mut self) {
        let mut depth = 1u32;
        while depth > 0 && !self.scan.is_end() {
            self.trivia();
            if self.scan.peek() == b'#' && self.is_line_start() {
                match self.directive_word() {
                    "if" | "ifdef" | "ifndef" => depth += 1,
                    "endif" => depth -= 1,
                    _ => {}
                }
            } else if self.scan.peek() == b'"' {
                self.string(self.scan.pos);
            } else {
                self.scan.bump(1);
            }
        }
    }

    /// Reads what is assembled, up to a colon or the closing parenthesis.
    fn template(&mut self, statement: &mut Statement, branches: &mut Branches) {
        loop {
            if let Some(skipped) = self.between(branches) {
                statement.template.push(Part::Unknown(skipped));
            }
            if matches!(self.scan.peek(), b':' | b')' | b';' | b'{' | b'}') || self.scan.is_end() {
                return;
            }
            let part = self.part();
            push(&mut statement.template, part, branches);
        }
    }

    /// Reads a literal, a name, or what is neither.
    fn part(&mut self) -> Part {
        let start = self.scan.pos;
        match self.scan.peek() {
            b'"' => return self.literal(start),
            b'(' => {
                self.balanced();
            }
            // Of the argument of a macro.
            b'#' => {
                self.scan.bump(1);
                self.scan.name();
            }
            byte if is_name(byte) => {
                let word = self.scan.name();
                if self.scan.peek() == b'"' && is_prefix(word) {
                    return self.literal(start);
                }
                let end = self.scan.pos;
                self.trivia();
                if self.scan.peek() == b'(' {
                    self.balanced();
                } else {
                    self.scan.pos = end;
                    return Part::Name(range(start, end));
                }
            }
            _ => self.scan.bump(1),
        }
        Part::Unknown(range(start, self.scan.pos))
    }

    /// Reads the literal whose quote is here; it starts at an offset.
    fn literal(&mut self, start: usize) -> Part {
        match self.string(self.scan.pos) {
            Some(literal) => Part::Literal(literal),
            None => Part::Unknown(range(start, self.scan.pos)),
        }
    }

    /// Moves past the parenthesis, bracket or brace that belongs to the one here. False if there is none before a
    /// semicolon that belongs to no braces, or the end.
    fn balanced(&mut self) -> bool {
        let (mut depth, mut braces) = (0u32, 0u32);
        while !self.scan.is_end() {
            match self.scan.peek() {
                b'(' | b'[' => {
                    depth += 1;
                    self.scan.bump(1);
                }
                b'{' => {
                    braces += 1;
                    depth += 1;
                    self.scan.bump(1);
                }
                byte @ (b')' | b']' | b'}') => {
                    if byte == b'}' {
                        if braces == 0 {
                            return false;
                        }
                        braces -= 1;
                    }
                    depth -= 1;
                    self.scan.bump(1);
                    if depth == 0 {
                        return true;
                    }
                }
                b';' if braces == 0 => return false,
                b'"' => {
                    self.string(self.scan.pos);
                }
                b'\'' => self.character(),
                b'/' => self.comment(),
                _ => self.scan.bump(1),
            }
        }
        false
    }

    /// Reads the sections after the template, up to the closing parenthesis.
    fn sections(&mut self, statement: &mut Statement, branches: &mut Branches) {
        // Whether a comma, or a colon, is before a string: others belong to the one before.
        let mut separate = true;
        loop {
            self.between(branches);
            match self.scan.peek() {
                b':' => {
                    statement.colons = statement.colons.saturating_add(1);
                    self.scan.bump(1);
                    separate = true;
                }
                b')' | b';' | b'}' => return,
                _ if self.scan.is_end() => return,
                b',' => {
                    self.scan.bump(1);
                    separate = true;
                }
                _ => match statement.colons {
                    1 => self.operand(Direction::Output, statement, branches),
                    2 => self.operand(Direction::Input, statement, branches),
                    3 => {
                        let part = self.part();
                        match statement.clobbers.last_mut() {
                            Some(last) if !separate => last.push(part),
                            _ => statement.clobbers.push(vec![part]),
                        }
                        separate = false;
                    }
                    _ => {
                        self.part();
                    }
                },
            }
        }
    }

    /// Reads an operand: a name in brackets, a constraint, and an expression in parentheses.
    fn operand(
        &mut self,
        direction: Direction,
        statement: &mut Statement,
        branches: &mut Branches,
    ) {
        let mut name = None;
        if self.scan.peek() == b'[' {
            let start = self.scan.pos + 1;
            if !self.balanced() {
                statement.conditional_operands = true;
                return;
            }
            name = Some(range(start, (self.scan.pos - 1).max(start)));
        }
        let mut constraint = Vec::new();
        loop {
            self.between(branches);
            let start = self.scan.pos;
            match self.scan.peek() {
                b'(' => break,
                b'"' => {
                    let part = self.literal(start);
                    push(&mut constraint, part, branches);
                }
                byte if is_name(byte) => {
                    let word = self.scan.name();
                    if self.scan.peek() == b'"' && is_prefix(word) {
                        let part = self.literal(start);
                        push(&mut constraint, part, branches);
                        continue;
                    }
                    constraint.push(Part::Name(range(start, self.scan.pos)));
                    self.between(branches);
                    if self.scan.peek() != b'(' {
                        continue;
                    }
                    // The parenthesis may belong to a macro with arguments, before the one of the operand.
                    let parenthesis = self.scan.pos;
                    let closed = self.balanced();
                    let end = self.scan.pos;
                    self.between(branches);
                    if closed && self.scan.peek() == b'(' {
                        constraint.pop();
                        constraint.push(Part::Unknown(range(start, end)));
                    } else {
                        self.scan.pos = parenthesis;
                        break;
                    }
                }
                _ => {
                    // A macro that stands for operands, or an operand that is not finished.
                    statement.conditional_operands = true;
                    if start == self.scan.pos
                        && !matches!(self.scan.peek(), b',' | b':' | b')' | b';' | b'}')
                    {
                        self.part();
                    }
                    return;
                }
            }
        }
        let start = self.scan.pos + 1;
        let closed = self.balanced();
        let end = self.scan.pos - usize::from(closed);
        statement.conditional_operands |= !closed;
        statement.operands.push(Operand {
            direction,
            constraint,
            expression: range(start.min(end), end),
            name,
        });
    }
}

/// Adds a part; one that is read in a branch of the preprocessor may be absent.
fn push(parts: &mut Vec<Part>, mut part: Part, branches: &Branches) {
    if let Part::Literal(literal) = &mut part {
        literal.conditional = branches.open > 0;
    }
    parts.push(part);
}
