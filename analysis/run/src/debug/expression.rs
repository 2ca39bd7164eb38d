//! Expressions of a debugger: `%tid.x == 3 && %r4 > 10`, `f32(%r3)`, `shared.tile[3]`.
//!
//! Operators are those of C with their precedence. `%` before a name begins a register where a value is expected, and
//! means the remainder after one.

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// An integer.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
    /// A register or special register, with its component: `%tid.x`.
    Register(String),
    /// A variable, parameter or array, with its state space if it is named.
    Variable(Option<String>, String),
    /// An element of an array, or a lane of a register.
    Index(Box<Expression>, Box<Expression>),
    /// The bits of a value as those of another type.
    As(String, Box<Expression>),
    /// An operator before a value.
    Unary(&'static str, Box<Expression>),
    /// An operator between two values.
    Binary(&'static str, Box<Expression>, Box<Expression>),
}

/// The operators between values, those that bind least first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// The deepest nesting of an expression.
const MOST_DEPTH: usize = 64;

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// It is not an expression, as a sentence.
    pub fn parse(text: &str) -> Result<Expression, String> {
        let mut parser = Parser {
            rest: text,
            depth: 0,
        };
        let found = parser.level(0)?;
        match parser.peek() {
            "" => Ok(found),
            rest => Err(format!("expected an operator, found `{}`", shortened(rest))),
        }
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(20).collect()
}

impl<'a> Parser<'a> {
    fn peek(&mut self) -> &'a str {
        self.rest = self.rest.trim_start();
        self.rest
    }

    fn eat(&mut self, word: &str) -> bool {
        match self.peek().strip_prefix(word) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn operator(&mut self, level: usize) -> Option<&'static str> {
        let rest = self.peek();
        let found = LEVELS[level].iter().find(|it| rest.starts_with(**it))?;
        // `<` is not the first half of `<<`, nor `&` of `&&`.
        let longer = LEVELS.iter().flat_map(|it| it.iter());
        let longer = longer.filter(|it| it.len() > found.len() && it.starts_with(*found));
        if longer.into_iter().any(|it| rest.starts_with(*it)) {
            return None;
        }
        self.rest = &rest[found.len()..];
        Some(found)
    }

    fn level(&mut self, level: usize) -> Result<Expression, String> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.level(level + 1)?;
        while let Some(operator) = self.operator(level) {
            let right = self.level(level + 1)?;
            left = Expression::Binary(operator, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expression, String> {
        self.depth += 1;
        if self.depth > MOST_DEPTH {
            return Err("the expression is nested too deeply".to_owned());
        }
        let operators = ["!", "~", "-", "+"];
        let found = operators.into_iter().find(|it| self.eat(it));
        let value = match found {
            Some(operator) => Expression::Unary(operator, Box::new(self.unary()?)),
            None => self.postfix()?,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn postfix(&mut self) -> Result<Expression, String> {
        let mut value = self.primary()?;
        while self.eat("[") {
            let index = self.level(0)?;
            if !self.eat("]") {
                return Err("expected `]`".to_owned());
            }
            value = Expression::Index(Box::new(value), Box::new(index));
        }
        Ok(value)
    }

    fn word(&mut self, is_part: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|it| !is_part(it));
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    fn primary(&mut self) -> Result<Expression, String> {
        let is_word = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$');
        if self.eat("(") {
            let value = self.level(0)?;
            return match self.eat(")") {
                true => Ok(value),
                false => Err("expected `)`".to_owned()),
            };
        }
        let rest = self.peek();
        match rest.chars().next() {
            Some('%') => {
                self.rest = &rest[1..];
                let name = self.word(|it| is_word(it) || it == '.');
                match name {
                    "" => Err("expected the name of a register after `%`".to_owned()),
                    _ => Ok(Expression::Register(format!("%{name}"))),
                }
            }
            Some(it) if it.is_ascii_digit() || it == '.' && is_number(&rest[1..]) => self.number(),
            Some(it) if is_word(it) || it == '.' => self.name(is_word),
            Some(_) => Err(format!("expected a value, found `{}`", shortened(rest))),
            None => Err("expected a value".to_owned()),
        }
    }

    fn name(&mut self, is_word: impl Fn(char) -> bool) -> Result<Expression, String> {
        self.eat(".");
        let first = self.word(&is_word).to_owned();
        if self.eat("(") {
            let value = self.level(0)?;
            return match self.eat(")") {
                true => Ok(Expression::As(first, Box::new(value))),
                false => Err("expected `)`".to_owned()),
            };
        }
        if self.eat(".") {
            let second = self.word(&is_word).to_owned();
            return match &*second {
                "" => Err(format!("expected a name after `{first}.`")),
                _ => Ok(Expression::Variable(Some(first), second)),
            };
        }
        let spaced = self.peek();
        if spaced.starts_with(|it: char| it.is_ascii_alphabetic() || matches!(it, '_' | '$')) {
            let second = self.word(&is_word).to_owned();
            return Ok(Expression::Variable(Some(first), second));
        }
        match &*first {
            "" => Err("expected a value".to_owned()),
            "true" => Ok(Expression::Integer(1)),
            "false" => Ok(Expression::Integer(0)),
            // Registers need not begin with `%`.
            _ => Ok(Expression::Variable(None, first)),
        }
    }

    fn number(&mut self) -> Result<Expression, String> {
        let wrong = |word: &str| format!("`{word}` is not a number");
        let start = self.rest;
        let word = self.word(|it| it.is_ascii_alphanumeric() || it == '.' || it == '_');
        if let Some(hex) = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
            let value = i128::from_str_radix(hex, 16);
            return value.map(Expression::Integer).map_err(|_| wrong(word));
        }
        if let Some(bits) = word.strip_prefix("0b").or_else(|| word.strip_prefix("0B")) {
            let value = i128::from_str_radix(bits, 2);
            return value.map(Expression::Integer).map_err(|_| wrong(word));
        }
        if let Some(bits) = word.strip_prefix("0f").or_else(|| word.strip_prefix("0F")) {
            let bits = u32::from_str_radix(bits, 16).map_err(|_| wrong(word))?;
            return Ok(Expression::Float(f32::from_bits(bits).into()));
        }
        if let Some(bits) = word.strip_prefix("0d").or_else(|| word.strip_prefix("0D")) {
            let bits = u64::from_str_radix(bits, 16).map_err(|_| wrong(word))?;
            return Ok(Expression::Float(f64::from_bits(bits)));
        }
        if let Ok(value) = word.trim_end_matches(['u', 'U']).parse() {
            return Ok(Expression::Integer(value));
        }
        // `1e-5` has a sign inside.
        let signed = word.ends_with(['e', 'E']) && self.rest.starts_with(['-', '+']);
        let mut end = word.len();
        if signed {
            self.rest = &self.rest[1..];
            end += 1 + self.word(|it| it.is_ascii_digit()).len();
        }
        let word = &start[..end];
        let value = word.parse().map_err(|_| wrong(word))?;
        Ok(Expression::Float(value))
    }
}

fn is_number(rest: &str) -> bool {
    rest.starts_with(|it: char| it.is_ascii_digit())
}
