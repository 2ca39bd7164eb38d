//! Expressions of computations.
//!
//! Operators bind, from loose to tight: `x if c else y` and `x else y`; `or`; `and`; `not`; comparisons; `|`; `^`; `&`;
//! `<<` and `>>`; `+` and `-`; `*` and `/`; `-x` and `~x`; `x as t`; `x[h:l]`, `x{i}`, `x@l`, `x(i)`.

use super::scanner::Checked;
use crate::tables::computation::{
    Binder, Completion, Definition, Effect, Expression, Infix, Memory, MemoryKind, Prefix,
    Primitive, Set, Target,
};

/// Words that are never names.
const KEYWORDS: [&str; 9] = ["if", "else", "or", "and", "not", "as", "in", "for", "until"];
/// Combinations over a set.
const BINDERS: [&str; 9] = [
    "sum", "all", "any", "count", "mask", "lowest", "reduce", "chain", "pack",
];
/// Levels of the operators between `|` and `*`, from loose to tight.
const LEVELS: [&[(&str, Infix)]; 6] = [
    &[("|", Infix::Or)],
    &[("^", Infix::Xor)],
    &[("&", Infix::And)],
    &[("<<", Infix::ShiftLeft), (">>", Infix::ShiftRight)],
    &[("+", Infix::Add), ("-", Infix::Subtract)],
    &[("*", Infix::Multiply), ("/", Infix::Divide)],
];
const COMPARISONS: [(&str, Infix); 6] = [
    ("==", Infix::Equal),
    ("!=", Infix::NotEqual),
    ("<=", Infix::LessEqual),
    (">=", Infix::GreaterEqual),
    ("<", Infix::Less),
    (">", Infix::Greater),
];

/// Reads `x = …, f(i) = …`.
pub(super) fn definitions(text: &'static str) -> Checked<Vec<Definition>> {
    whole(text, |it| it.separated(Parser::definition))
}

/// Reads the effects of a `computes` line.
pub(super) fn effects(text: &'static str) -> Checked<Vec<Effect>> {
    whole(text, |it| it.separated(Parser::effect))
}

/// Reads an expression.
pub(super) fn expression(text: &'static str) -> Checked<Expression> {
    whole(text, Parser::expression)
}

fn whole<T>(text: &'static str, read: impl FnOnce(&mut Parser) -> Checked<T>) -> Checked<T> {
    let mut parser = Parser { rest: text.trim() };
    let out = read(&mut parser)?;
    match parser.rest {
        "" => Ok(out),
        rest => Err(format!("unexpected `{rest}`")),
    }
}

/// A cursor over the rest of a line.
struct Parser {
    rest: &'static str,
}

impl Parser {
    fn at(&self, text: &str) -> bool {
        self.rest.starts_with(text)
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, text: &str) -> Checked<()> {
        match self.eat(text) {
            true => Ok(()),
            false => Err(self.expected(&format!("`{text}`"))),
        }
    }

    fn expected(&self, what: &str) -> String {
        match self.rest {
            "" => format!("expected {what} at the end of the line"),
            rest => format!("expected {what}, found `{rest}`"),
        }
    }

    /// The word here: letters, digits and `_`, and `::` between them.
    fn word(&self) -> Option<&'static str> {
        let bytes = self.rest.as_bytes();
        let letter = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
        let mut end = 0;
        while end < bytes.len() {
            if letter(bytes[end]) {
                end += 1;
            } else if 0 < end
                && bytes[end..].starts_with(b"::")
                && bytes.get(end + 2).is_some_and(|it| letter(*it))
            {
                end += 2;
            } else {
                break;
            }
        }
        (0 < end && !bytes[0].is_ascii_digit()).then(|| &self.rest[..end])
    }

    fn eat_word(&mut self, word: &str) -> bool {
        self.word() == Some(word) && self.eat(word)
    }

    /// A word that is not a keyword.
    fn name(&mut self) -> Checked<&'static str> {
        let word = self.word().filter(|it| !KEYWORDS.contains(it));
        let word = word.ok_or_else(|| self.expected("a name"))?;
        self.eat(word);
        Ok(word)
    }

    /// One or more of something, with commas between.
    fn separated<T>(&mut self, read: impl Fn(&mut Parser) -> Checked<T>) -> Checked<Vec<T>> {
        let mut out = vec![read(self)?];
        while self.eat(",") {
            out.push(read(self)?);
        }
        Ok(out)
    }

    /// Arguments after `(`, to the `)`.
    fn arguments<T>(&mut self, read: impl Fn(&mut Parser) -> Checked<T>) -> Checked<Vec<T>> {
        if self.eat(")") {
            return Ok(Vec::new());
        }
        let out = self.separated(read)?;
        self.expect(")")?;
        Ok(out)
    }

    fn definition(&mut self) -> Checked<Definition> {
        let name = self.name()?;
        if Primitive::from_name(name).is_some() || BINDERS.contains(&name) {
            return Err(format!(
                "`{name}` is a primitive: a `let` needs another name"
            ));
        }
        let parameters = match self.eat("(") {
            true => self.arguments(Parser::name)?,
            false => Vec::new(),
        };
        self.expect("=")?;
        let value = self.expression()?;
        Ok(Definition {
            name,
            parameters,
            value,
        })
    }

    fn effect(&mut self) -> Checked<Effect> {
        let (mut each, mut atomic, mut later, mut matrix) = (false, false, false, false);
        loop {
            let flag = match self.word() {
                Some("each") => &mut each,
                Some("atomic") => &mut atomic,
                Some("later") => &mut later,
                Some("matrix") => &mut matrix,
                _ => break,
            };
            *flag = true;
            self.rest = self.rest[self.word().map_or(0, str::len)..].trim_start();
        }
        let target = self.target()?;
        let ty = match self.eat_word("as") {
            true => Some(self.name()?),
            false => None,
        };
        self.expect("=")?;
        let value = self.expression()?;
        let repeated = match self.eat_word("for") {
            true => Some(self.variable()?),
            false => None,
        };
        let until = match self.eat_word("until") {
            true => Some(self.completion()?),
            false => None,
        };
        if until.is_some() && !later {
            return Err("`until` belongs to an effect that is `later`".to_owned());
        }
        Ok(Effect {
            each,
            atomic,
            later,
            matrix,
            target,
            ty,
            value,
            repeated,
            until,
        })
    }

    fn target(&mut self) -> Checked<Target> {
        Ok(match self.postfix()? {
            Expression::Name("cc") => Target::Carry,
            Expression::Name("stack") => Target::Stack,
            Expression::Name(name) => Target::Operand(name),
            Expression::Apply(name, indices) => Target::Element(name, indices),
            Expression::Memory(memory) => Target::Memory(memory),
            Expression::Call(primitive, arguments) => {
                Target::Chapter(primitive, arguments, Vec::new())
            }
            Expression::Index(place, indices) => match *place {
                Expression::Call(primitive, arguments) => {
                    Target::Chapter(primitive, arguments, indices)
                }
                _ => return Err(TARGETS.to_owned()),
            },
            _ => return Err(TARGETS.to_owned()),
        })
    }

    /// `r in set`
    fn variable(&mut self) -> Checked<(&'static str, Set)> {
        let name = self.name()?;
        match self.eat_word("in") {
            true => Ok((name, self.set()?)),
            false => Err(self.expected("`in`")),
        }
    }

    fn set(&mut self) -> Checked<Set> {
        if self.word() == Some("lanes") {
            self.eat("lanes");
            self.expect("(")?;
            let mask = self.expression()?;
            self.expect(")")?;
            return Ok(Set::Lanes(Box::new(mask)));
        }
        let first = self.level(4)?;
        if self.eat("..") {
            let last = self.level(4)?;
            return Ok(Set::Range(Box::new(first), Box::new(last)));
        }
        match first {
            Expression::Name(name) => Ok(Set::Named(name)),
            _ => Err(self.expected("`..`")),
        }
    }

    fn completion(&mut self) -> Checked<Completion> {
        if self.eat_word("copies") {
            return Ok(Completion::Copies);
        }
        if self.eat_word("group") {
            let is_end = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
            let end = self.rest.find(is_end).unwrap_or(self.rest.len());
            let (kind, rest) = self.rest.split_at(end);
            self.rest = rest.trim_start();
            return match kind {
                "" => Err(self.expected("the kind of a group")),
                kind => Ok(Completion::Group(kind)),
            };
        }
        if !self.at("[") {
            return Err(self.expected("one of `group KIND`, `[mbarrier] bytes`, `copies`"));
        }
        let barrier = self.memory(MemoryKind::Operand)?;
        Ok(Completion::Barrier(barrier, self.expression()?))
    }

    fn expression(&mut self) -> Checked<Expression> {
        let value = self.either()?;
        if self.eat_word("if") {
            let condition = self.either()?;
            if !self.eat_word("else") {
                return Err(self.expected("`else`"));
            }
            let otherwise = self.expression()?;
            return Ok(Expression::If(
                Box::new(condition),
                Box::new(value),
                Box::new(otherwise),
            ));
        }
        if self.eat_word("else") {
            let otherwise = self.expression()?;
            return Ok(Expression::Else(Box::new(value), Box::new(otherwise)));
        }
        Ok(value)
    }

    fn either(&mut self) -> Checked<Expression> {
        let mut left = self.both()?;
        while self.eat_word("or") {
            left = infix(Infix::Either, left, self.both()?);
        }
        Ok(left)
    }

    fn both(&mut self) -> Checked<Expression> {
        let mut left = self.negation()?;
        while self.eat_word("and") {
            left = infix(Infix::Both, left, self.negation()?);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Checked<Expression> {
        match self.eat_word("not") {
            true => Ok(prefix(Prefix::Not, self.negation()?)),
            false => self.comparison(),
        }
    }

    fn comparison(&mut self) -> Checked<Expression> {
        let left = self.level(0)?;
        match COMPARISONS.iter().find(|it| self.eat(it.0)) {
            Some((_, operator)) => Ok(infix(*operator, left, self.level(0)?)),
            None => Ok(left),
        }
    }

    fn level(&mut self, level: usize) -> Checked<Expression> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.level(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|it| self.eat(it.0)) {
            left = infix(*operator, left, self.level(level + 1)?);
        }
        Ok(left)
    }

    fn unary(&mut self) -> Checked<Expression> {
        if self.eat("-") {
            return Ok(prefix(Prefix::Negate, self.unary()?));
        }
        if self.eat("~") {
            return Ok(prefix(Prefix::Complement, self.unary()?));
        }
        let mut value = self.postfix()?;
        while self.eat_word("as") {
            value = Expression::As(Box::new(value), self.name()?);
        }
        Ok(value)
    }

    fn postfix(&mut self) -> Checked<Expression> {
        let mut value = self.primary()?;
        loop {
            let named = matches!(value, Expression::Name(_));
            if named && self.eat("[") {
                let high = self.expression()?;
                self.expect(":")?;
                let low = self.expression()?;
                self.expect("]")?;
                value = Expression::Slice(Box::new(value), Box::new(high), Box::new(low));
            } else if self.eat("{") {
                let index = self.expression()?;
                self.expect("}")?;
                value = Expression::Element(Box::new(value), Box::new(index));
            } else if self.eat("@") {
                let lane = self.primary()?;
                value = Expression::At(Box::new(value), Box::new(lane));
            } else if self.eat("(") {
                let indices = self.arguments(Parser::expression)?;
                value = Expression::Index(Box::new(value), indices);
            } else {
                return Ok(value);
            }
        }
    }

    fn primary(&mut self) -> Checked<Expression> {
        if self.eat("$") {
            return Ok(Expression::Opcode);
        }
        if self.eat("(") {
            let inner = self.expression()?;
            self.expect(")")?;
            return Ok(inner);
        }
        if self.at("[") {
            return Ok(Expression::Memory(self.memory(MemoryKind::Operand)?));
        }
        if self.rest.starts_with(|c: char| c.is_ascii_digit()) {
            let is_end = |c: char| !c.is_ascii_digit();
            let end = self.rest.find(is_end).unwrap_or(self.rest.len());
            let (digits, rest) = self.rest.split_at(end);
            self.rest = rest.trim_start();
            let value = digits.parse();
            return value
                .map(Expression::Integer)
                .map_err(|_| format!("`{digits}` is too large"));
        }
        let named = self.word().filter(|it| !KEYWORDS.contains(it));
        let name = named.ok_or_else(|| self.expected("an operand, a number or a primitive"))?;
        self.eat(name);
        if name == "fabric" && self.at("[") {
            return Ok(Expression::Memory(self.memory(MemoryKind::Fabric)?));
        }
        if !self.eat("(") {
            return Ok(Expression::Name(name));
        }
        if BINDERS.contains(&name) {
            return self.combination(name);
        }
        match name {
            "approx" => {
                let value = self.expression()?;
                self.expect(";")?;
                let end = self.rest.find(')').unwrap_or(self.rest.len());
                let (bound, rest) = self.rest.split_at(end);
                self.rest = rest;
                self.expect(")")?;
                is_bound(bound)?;
                let words = bound.split_ascii_whitespace().collect();
                return Ok(Expression::Approximate(Box::new(value), words));
            }
            "unordered" => {
                let mut ahead = Parser { rest: self.rest };
                let named = ahead.name().is_ok() && ahead.at(";");
                let value = match named {
                    true => self.combination("reduce")?,
                    false => {
                        let value = self.expression()?;
                        self.expect(")")?;
                        value
                    }
                };
                return Ok(Expression::Unordered(Box::new(value)));
            }
            _ => {}
        }
        let arguments = self.arguments(Parser::expression)?;
        let Some(primitive) = Primitive::from_name(name) else {
            return Ok(Expression::Apply(name, arguments));
        };
        let (_, _, least, most) = Primitive::ALL[primitive as usize];
        if (least..=most).contains(&arguments.len()) {
            return Ok(Expression::Call(primitive, arguments));
        }
        let takes = match least == most {
            true => format!("{least}"),
            false => format!("{least} to {most}"),
        };
        Err(arguments_of(name, &takes, arguments.len()))
    }

    /// The rest of `sum(r in set: x)` and its like after the `(`.
    fn combination(&mut self, binder: &str) -> Checked<Expression> {
        let operation = match binder {
            "reduce" => {
                let operation = self.name()?;
                self.expect(";")?;
                operation
            }
            _ => "",
        };
        let (variable, set) = self.variable()?;
        let mut parameter = || {
            self.expect(";")?;
            Ok::<_, String>(Box::new(self.expression()?))
        };
        let binder = match binder {
            "sum" => Binder::Sum,
            "all" => Binder::All,
            "any" => Binder::Any,
            "count" => Binder::Count,
            "mask" => Binder::Mask,
            "lowest" => Binder::Lowest,
            "chain" => Binder::Chain(parameter()?),
            "pack" => Binder::Pack(parameter()?),
            _ => Binder::Reduce(operation),
        };
        self.expect(":")?;
        let body = self.expression()?;
        self.expect(")")?;
        Ok(Expression::Over(binder, variable, set, Box::new(body)))
    }

    /// Memory from its `[` on.
    fn memory(&mut self, kind: MemoryKind) -> Checked<Memory> {
        self.expect("[")?;
        let mut kind = kind;
        if self.word() == Some("copies") {
            self.eat("copies");
            kind = MemoryKind::Copies;
        }
        let address = self.separated(Parser::expression)?;
        let within = match self.eat_word("in") {
            true => Some(self.name()?),
            false => None,
        };
        let size = match self.eat(";") {
            true => Some(Box::new(self.expression()?)),
            false => None,
        };
        self.expect("]")?;
        let mut field = None;
        if self.at(".") && !self.at("..") {
            self.eat(".");
            let name = self.name()?;
            let index = match self.eat("(") {
                true => {
                    let index = self.expression()?;
                    self.expect(")")?;
                    Some(Box::new(index))
                }
                false => None,
            };
            field = Some((name, index));
        }
        Ok(Memory {
            kind,
            address,
            within,
            size,
            field,
        })
    }
}

const TARGETS: &str = "a target is one of an operand, `cc`, `stack`, `d(i, j)`, `[address]`, or a place such as \
                       `tmem(address)`";

/// Checks the bound of an approximation: `ulp 2`, `absolute 2^-22 in 0.5..2, relative 2^-22`, `gross`, `none`.
fn is_bound(text: &str) -> Checked<()> {
    let mut parts = text
        .split(',')
        .map(|it| it.split_ascii_whitespace().collect());
    let unknown = parts.find(|it: &Vec<&str>| {
        !matches!(
            it[..],
            ["gross" | "none"]
                | ["ulp" | "relative" | "absolute", _]
                | ["ulp" | "relative" | "absolute", _, "in", _]
        )
    });
    match unknown {
        None => Ok(()),
        Some(words) => Err(format!(
            "`{}` is not a bound: one of ulp N, relative E, absolute E, gross, none, the first three perhaps with `in A..B`",
            words.join(" ")
        )),
    }
}

/// The mistake of another number of arguments.
pub(super) fn arguments_of(name: &str, takes: &str, found: usize) -> String {
    let noun = match takes {
        "1" => "argument",
        _ => "arguments",
    };
    format!("`{name}` takes {takes} {noun}, found {found}")
}

fn prefix(operator: Prefix, value: Expression) -> Expression {
    Expression::Prefix(operator, Box::new(value))
}

fn infix(operator: Infix, left: Expression, right: Expression) -> Expression {
    Expression::Infix(operator, Box::new(left), Box::new(right))
}
