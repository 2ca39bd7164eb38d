//! Values as expressions for people: `p + 4*(ctaid.x*ntid.x + tid.x)`.
//!
//! Extensions of small numbers to wider registers are left out, and sums are collected, as in a book: the text says what
//! is meant, not each wrap. Questions about equality ask [`Graph::distance`].

use super::{
    float::{Format, Operation as FloatOperation},
    graph::Graph,
    linear::Linear,
    node::Node,
    program::{Binary, FloatUnary, Op, Relation, Unary, Width},
    value_type::ElementType,
};

const MAXIMUM: &str = "max";
const MINIMUM: &str = "min";
/// The functions in texts that take any number of operands: `max(max(a, b), c)` is `max(a, b, c)`.
pub const CHAINED_FUNCTIONS: [&str; 2] = [MAXIMUM, MINIMUM];

/// Longer expressions are not for people, in bytes.
const MAX_LENGTH: usize = 200;

/// How many extensions of small numbers one expression looks through: each may double the work.
const EXTENSIONS: u32 = 4;
/// How deep operations may be nested in a text.
const MAX_DEPTH: u32 = 64;

/// How tight an expression holds together, from loose to tight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Choice,
    Relation,
    Or,
    Xor,
    And,
    Shift,
    Sum,
    Product,
    Prefix,
    Atom,
}

/// The level of what is to the left of an operator: in relations, bits are in brackets.
fn left(own: Level) -> Level {
    match own {
        Level::Relation => Level::Sum,
        other => other,
    }
}

impl Graph {
    /// A node as an expression, `leaf` being the name of a leaf by its number; `None` if it is too long or has an
    /// operation that has no notation.
    pub fn text(&mut self, node: Node, leaf: &dyn Fn(u32) -> Option<String>) -> Option<String> {
        let mut writer = Writer {
            graph: self,
            leaf,
            bits: 64,
            format: None,
            depth: 0,
            out: String::new(),
        };
        writer.node(node, Level::Choice)?;
        Some(writer.out)
    }
}

struct Writer<'a> {
    graph: &'a mut Graph,
    leaf: &'a dyn Fn(u32) -> Option<String>,
    /// The width of the type in which the expression is, in bits.
    bits: u32,
    /// The format of the next node, if a float is read there: constants are numbers.
    format: Option<Format>,
    depth: u32,
    out: String,
}

impl Writer<'_> {
    fn node(&mut self, node: Node, outer: Level) -> Option<()> {
        if self.out.len() > MAX_LENGTH || self.depth == MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let format = self.format.take();
        let written = self.operation(node, outer, format);
        self.depth -= 1;
        written
    }

    fn operation(&mut self, node: Node, outer: Level, format: Option<Format>) -> Option<()> {
        if let Some((inner, bits)) = self.half(node, format) {
            let outside = std::mem::replace(&mut self.bits, 32);
            self.format = format;
            self.node(inner, if bits.is_empty() { outer } else { Level::Atom })?;
            self.bits = outside;
            self.out.push_str(bits);
            return Some(());
        }
        match self.graph.op(node) {
            Op::Input(index) => {
                let name = (self.leaf)(index)?;
                self.out.push_str(&name);
            }
            Op::Constant(it) => match format {
                Some(format) => self.float(it, format),
                None => self.number(it),
            },
            Op::Lane => self.out.push_str("laneid"),
            Op::ZeroExtend(a, bits) if self.is_mask(a, bits) => {
                self.infix(outer, Level::And, "&", a, |it| {
                    it.number(u64::MAX >> (64 - u32::from(bits)));
                    Some(())
                })?;
            }
            Op::ZeroExtend(a, bits) | Op::SignExtend(a, bits) => {
                let outside = std::mem::replace(&mut self.bits, bits.into());
                self.format = format;
                let written = self.node(a, outer);
                self.bits = outside;
                written?;
            }
            Op::Binary(
                Binary::Add | Binary::Subtract | Binary::Multiply | Binary::ShiftLeft,
                Width::Narrow,
                ..,
            )
            | Op::Unary(Unary::Negate, Width::Narrow, _) => self.sum(node, outer)?,
            // The opposite of a truth.
            Op::Binary(Binary::Xor, Width::Narrow, a, b)
                if self.graph.as_constant(b) == Some(1) && self.graph.builder.bits(a) == 1 =>
            {
                self.out.push('!');
                self.node(a, Level::Prefix)?;
            }
            Op::Binary(Binary::Or | Binary::Xor, Width::Narrow, a, b) => {
                let sum = Linear::through(self.graph, node, self.bits, EXTENSIONS);
                if !sum.terms.contains_key(&node) {
                    return self.sum(node, outer);
                }
                let (level, sign) = match self.graph.op(node) {
                    Op::Binary(Binary::Or, ..) => (Level::Or, "|"),
                    _ => (Level::Xor, "^"),
                };
                self.infix(outer, level, sign, a, |it| it.node(b, level))?;
            }
            Op::Binary(binary, _, a, b) => self.binary(binary, outer, a, b)?,
            Op::Unary(unary, _, a) => {
                let name = match unary {
                    Unary::Negate | Unary::Complement => {
                        let sign = if unary == Unary::Negate { "-" } else { "~" };
                        self.out.push_str(sign);
                        return self.node(a, Level::Prefix);
                    }
                    Unary::PopulationCount => "popcount",
                    Unary::Highest => "highest_bit",
                    Unary::Reverse(_) => "reverse",
                    Unary::Ones => "ones",
                };
                self.function(name, &[a])?;
            }
            Op::Select(_, condition, a, b) => self.wrapped(outer, Level::Choice, |it| {
                it.node(condition, Level::Relation)?;
                it.out.push_str(" ? ");
                it.format = format;
                it.node(a, Level::Relation)?;
                it.out.push_str(" : ");
                it.format = format;
                it.node(b, Level::Choice)
            })?,
            Op::Field(_, a, low, count) => {
                let low = self.graph.as_constant(low)?;
                let count = self.graph.as_constant(count).filter(|it| *it > 0)?;
                self.node(a, Level::Atom)?;
                let high = low + count - 1;
                self.out.push_str(&format!("[{high}:{low}]"));
            }
            Op::Float(step) => {
                let [a, b, c] = step.operands;
                let formats = step.formats.map(Some);
                let [first, second, third] = formats;
                let two = |it: &mut Self, outer: Level, own: Level, sign: &str| {
                    it.pair_of([first, second], outer, own, sign, a, b)
                };
                match step.operation {
                    FloatOperation::Convert
                        if step.to.bits() < step.formats[0].bits() || step.to == Format::Tf32 =>
                    {
                        self.function_of(first, step.to.word(), &[a])?;
                    }
                    FloatOperation::Convert => {
                        self.format = first;
                        self.node(a, outer)?;
                    }
                    FloatOperation::Add => two(self, outer, Level::Sum, "+")?,
                    FloatOperation::Subtract => two(self, outer, Level::Sum, "-")?,
                    FloatOperation::Multiply => two(self, outer, Level::Product, "*")?,
                    FloatOperation::Divide => two(self, outer, Level::Product, "/")?,
                    FloatOperation::SquareRoot => self.function_of(first, "sqrt", &[a])?,
                    FloatOperation::MultiplyAdd => self.wrapped(outer, Level::Sum, |it| {
                        two(it, Level::Sum, Level::Product, "*")?;
                        it.out.push_str(" + ");
                        it.format = third;
                        it.node(c, Level::Sum)
                    })?,
                }
            }
            Op::FromInteger { from, .. } if !self.is_wide(from) => self.node(from, outer)?,
            Op::ToInteger { from, format, .. } => {
                self.function_of(Some(format), "int", &[from])?;
            }
            Op::Integral(format, _, a) => self.function_of(Some(format), "round", &[a])?,
            Op::FloatUnary(function, own, a) => {
                let name = match function {
                    FloatUnary::Flush | FloatUnary::Finite | FloatUnary::PositiveZero => {
                        self.format = Some(own);
                        return self.node(a, outer);
                    }
                    FloatUnary::Saturate => "sat",
                    FloatUnary::Relu => "relu",
                    FloatUnary::Exp2 => "exp2",
                    FloatUnary::Log2 => "log2",
                    FloatUnary::Sine => "sin",
                    FloatUnary::Cosine => "cos",
                    FloatUnary::HyperbolicTangent => "tanh",
                    FloatUnary::ReciprocalSquareRoot => "rsqrt",
                };
                self.function_of(Some(own), name, &[a])?;
            }
            Op::Extreme(larger, own, a, b) => {
                let name = if larger { MAXIMUM } else { MINIMUM };
                self.function_of(Some(own), name, &[a, b])?;
            }
            Op::FloatCompare(relation, _, first, second, a, b) => {
                let sign = match relation {
                    Relation::Equal => "==",
                    Relation::NotEqual => "!=",
                    Relation::Less => "<",
                    Relation::LessEqual => "<=",
                    Relation::Greater => ">",
                    Relation::GreaterEqual => ">=",
                };
                let formats = [Some(first), Some(second)];
                self.pair_of(formats, outer, Level::Relation, sign, a, b)?;
            }
            _ => return None,
        }
        (self.out.len() <= MAX_LENGTH).then_some(())
    }

    fn is_wide(&self, node: Node) -> bool {
        self.graph.op(node).is_wide()
    }

    /// Whether a statement drops the bits above, and not only a narrow register.
    fn is_mask(&mut self, node: Node, bits: u8) -> bool {
        !matches!(bits, 16 | 32 | 64) && self.graph.builder.bits(node) > bits
    }

    fn number(&mut self, value: u64) {
        let text = match value as i64 {
            it @ -4096..=9_999_999 => it.to_string(),
            _ if u64::from(value as u32) == value
                && value as u32 as i32 >= -4096
                && (value as u32 as i32) < 0 =>
            {
                (value as u32 as i32).to_string()
            }
            _ => format!("{value:#x}"),
        };
        self.out.push_str(&text);
    }

    /// A constant that is read as a float.
    fn float(&mut self, bits: u64, format: Format) {
        let number = ElementType::Float(format).number(bits.into());
        self.out.push_str(&number);
    }

    fn wrapped(
        &mut self,
        outer: Level,
        own: Level,
        write: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        // Sums of numbers are in brackets among bits, whose operators are not as tight in all languages.
        let among_bits = matches!(outer, Level::Or | Level::Xor | Level::And | Level::Shift);
        let brackets = own < outer || own == Level::Sum && among_bits;
        if brackets {
            self.out.push('(');
        }
        write(self)?;
        if brackets {
            self.out.push(')');
        }
        Some(())
    }

    fn infix(
        &mut self,
        outer: Level,
        own: Level,
        sign: &str,
        a: Node,
        right: impl FnOnce(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.wrapped(outer, own, |it| {
            it.node(a, left(own))?;
            match own {
                Level::Product => it.out.push_str(sign),
                _ => it.out.push_str(&format!(" {sign} ")),
            }
            right(it)
        })
    }

    fn pair(&mut self, outer: Level, own: Level, sign: &str, a: Node, b: Node) -> Option<()> {
        self.pair_of([None, None], outer, own, sign, a, b)
    }

    /// A pair of operands of these formats.
    fn pair_of(
        &mut self,
        [first, second]: [Option<Format>; 2],
        outer: Level,
        own: Level,
        sign: &str,
        a: Node,
        b: Node,
    ) -> Option<()> {
        // What is subtracted or divided by is in brackets when it is of the same level.
        let right = match own {
            Level::Sum | Level::Shift => Level::Product,
            Level::Product => Level::Prefix,
            other => left(other),
        };
        self.wrapped(outer, own, |it| {
            it.format = first;
            it.node(a, left(own))?;
            match own {
                Level::Product => it.out.push_str(sign),
                _ => it.out.push_str(&format!(" {sign} ")),
            }
            it.format = second;
            it.node(b, right)
        })
    }

    fn function(&mut self, name: &str, arguments: &[Node]) -> Option<()> {
        self.function_of(None, name, arguments)
    }

    /// A function of arguments of a format.
    fn function_of(
        &mut self,
        format: Option<Format>,
        name: &str,
        arguments: &[Node],
    ) -> Option<()> {
        self.out.push_str(name);
        self.out.push('(');
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.format = format;
            self.node(*argument, Level::Choice)?;
        }
        self.out.push(')');
        Some(())
    }

    fn binary(&mut self, binary: Binary, outer: Level, a: Node, b: Node) -> Option<()> {
        if binary == Binary::ShiftRightSigned
            && let Some(quotient) = self.graph.quotient_of_shift(a, b)
        {
            return self.node(quotient, outer);
        }
        let (level, sign) = match binary {
            Binary::And => (Level::And, "&"),
            Binary::ShiftRight | Binary::ShiftRightSigned => (Level::Shift, ">>"),
            Binary::Equal => (Level::Relation, "=="),
            Binary::NotEqual => (Level::Relation, "!="),
            Binary::Less | Binary::LessSigned => (Level::Relation, "<"),
            Binary::LessEqual | Binary::LessEqualSigned => (Level::Relation, "<="),
            Binary::Quotient | Binary::QuotientSigned => (Level::Product, "/"),
            Binary::Remainder | Binary::RemainderSigned => (Level::Product, "%"),
            Binary::Minimum | Binary::MinimumSigned => return self.function(MINIMUM, &[a, b]),
            Binary::Maximum | Binary::MaximumSigned => return self.function(MAXIMUM, &[a, b]),
            _ => return None,
        };
        // A product with a quotient has brackets around that.
        let outer = match (level, outer) {
            (Level::Product, Level::Product) => Level::Prefix,
            _ => outer,
        };
        // As people write it: what is compared first, then the constant.
        let is_constant = |it: Node| self.graph.as_constant(it).is_some();
        let (sign, a, b) = match sign {
            "<" if is_constant(a) => (">", b, a),
            "<=" if is_constant(a) => (">=", b, a),
            _ => (sign, a, b),
        };
        self.pair(outer, level, sign, a, b)
    }

    /// The half of 64 bits that a node is: a number that was put there, or bits of another one that are read as a float.
    fn half(&mut self, node: Node, format: Option<Format>) -> Option<(Node, &'static str)> {
        let is_leaf = |it: &Self, node: Node| matches!(it.graph.op(node), Op::Input(_));
        match self.graph.op(node) {
            Op::Binary(Binary::ShiftRight, Width::Narrow, a, by)
                if self.graph.as_constant(by) == Some(32) =>
            {
                if let Some((_, high)) = self.graph.halves(a, 64) {
                    return Some((high, ""));
                }
                (format.is_some() && is_leaf(self, a)).then_some((a, "[63:32]"))
            }
            Op::ZeroExtend(a, 32) if format.is_some() && is_leaf(self, a) => {
                (self.graph.builder.bits(a) > 32).then_some((a, "[31:0]"))
            }
            _ => None,
        }
    }

    /// Whether a node is a float of 16 bits, or a register of 16 bits.
    fn is_half_float(&self, mut node: Node) -> bool {
        while let Op::ZeroExtend(inner, _) = self.graph.op(node) {
            node = inner;
        }
        match self.graph.op(node) {
            Op::Float(_) | Op::FloatUnary(..) | Op::Extreme(..) => true,
            Op::Input(index) => self.graph.leaf_bits(index) == 16,
            _ => false,
        }
    }

    /// A sum, with terms of one factor collected.
    fn sum(&mut self, node: Node, outer: Level) -> Option<()> {
        let bits = self.bits.min(self.graph.builder.bits(node).into());
        let halves = [32, 64].into_iter();
        let halves = halves.filter(|it| (bits..=self.bits).contains(it));
        for bits in halves.collect::<Vec<u32>>() {
            let Some((low, high)) = self.graph.halves(node, bits) else {
                continue;
            };
            // Halves of 16 bits may as well be a sum.
            if bits == 32 && !(self.is_half_float(low) && self.is_half_float(high)) {
                continue;
            }
            let outside = std::mem::replace(&mut self.bits, bits / 2);
            self.out.push('{');
            self.node(low, Level::Choice)?;
            self.out.push_str(", ");
            self.node(high, Level::Choice)?;
            self.out.push('}');
            self.bits = outside;
            return Some(());
        }
        let mut sum = Linear::through(self.graph, node, self.bits, EXTENSIONS);
        self.graph.collect_remainders(&mut sum, EXTENSIONS);
        // A product of two values is a term of its own.
        if sum.terms.len() == 1 && sum.constant == 0 && sum.terms.get(&node) == Some(&1) {
            return match self.graph.op(node) {
                Op::Binary(Binary::Multiply, _, a, b) => {
                    self.pair(outer, Level::Product, "*", a, b)
                }
                Op::Binary(Binary::ShiftLeft, _, a, b) => {
                    self.pair(outer, Level::Shift, "<<", a, b)
                }
                _ => None,
            };
        }
        // By the size of the factor: `p + 4*i - j + 8`.
        let mut groups: Vec<(u64, Vec<Node>)> = Vec::new();
        for (term, factor) in &sum.terms {
            match groups.iter_mut().find(|it| it.0 == *factor) {
                Some(group) => group.1.push(*term),
                None => groups.push((*factor, vec![*term])),
            }
        }
        let negative = |it: u64| sum.signed(it) < 0;
        let is_product = |it: &Node| matches!(self.graph.op(*it), Op::Binary(Binary::Multiply, ..));
        for (_, terms) in &mut groups {
            terms.sort_by_key(|it| !is_product(it));
        }
        groups.sort_by_key(|it| (negative(it.0), it.0 != 1, std::cmp::Reverse(it.0)));
        let one = groups.len() == 1 && sum.constant == 0 && !negative(groups[0].0);
        let own = match &groups[..] {
            [(1, terms)] if one && terms.len() == 1 => return self.node(terms[0], outer),
            [(factor, _)] if one && *factor != 1 => Level::Product,
            [] => Level::Atom,
            _ => Level::Sum,
        };
        let constant = sum.signed(sum.constant);
        let signed = |it: u64| sum.signed(it);
        self.wrapped(outer, own, |it| {
            let mut first = true;
            for (factor, terms) in groups {
                let minus = negative(factor);
                it.out.push_str(match (first, minus) {
                    (true, true) => "-",
                    (true, false) => "",
                    (false, true) => " - ",
                    (false, false) => " + ",
                });
                first = false;
                let size = signed(factor).unsigned_abs();
                if size != 1 {
                    it.number(size);
                    it.out.push('*');
                }
                let inner = if size == 1 && !minus {
                    Level::Sum
                } else {
                    Level::Product
                };
                let many = terms.len() > 1;
                let brackets = many && inner > Level::Sum;
                if brackets {
                    it.out.push('(');
                }
                for (index, term) in terms.iter().enumerate() {
                    if index > 0 {
                        it.out.push_str(" + ");
                    }
                    it.node(*term, if many { Level::Sum } else { inner })?;
                }
                if brackets {
                    it.out.push(')');
                }
            }
            if constant != 0 || first {
                it.out.push_str(match (first, constant < 0) {
                    (true, _) => "",
                    (false, true) => " - ",
                    (false, false) => " + ",
                });
                let shown = if first {
                    constant as u64
                } else {
                    constant.unsigned_abs()
                };
                it.number(shown);
            }
            Some(())
        })
    }
}
