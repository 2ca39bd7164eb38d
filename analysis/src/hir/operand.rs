//! Operands of an instruction with their names resolved, as the instruction tables want them.

use isa::{
    operand::{FloatForm, Operand, Symbol},
    types::Class,
};
use syntax::{Cursor, SyntaxKind, TextRange};

use super::{number, special_registers};

/// What a name in use means; [`Operand::Unknown`] where that is reported elsewhere.
pub(crate) type Resolve<'a> = &'a dyn Fn(TextRange, &str) -> Operand;

/// The names of the four components of a vector.
const COMPONENTS: [&str; 8] = ["x", "y", "z", "w", "r", "g", "b", "a"];

/// The operand of a node.
pub(crate) fn operand(node: &Cursor<'_>, resolve: Resolve<'_>) -> Operand {
    let mut children = node.nodes();
    let mut child = || {
        children
            .next()
            .map_or(Operand::Unknown, |it| operand(&it, resolve))
    };
    match node.kind() {
        SyntaxKind::LITERAL => literal(node),
        SyntaxKind::NAME_REFERENCE => match node.tokens().next() {
            Some(name) if name.text() == "WARP_SZ" => Operand::Integer(32),
            Some(name) => resolve(name.range(), name.text()),
            None => Operand::Unknown,
        },
        SyntaxKind::SINK => Operand::Sink,
        SyntaxKind::PARENTHESIZED_EXPRESSION => match child() {
            constant @ (Operand::Integer(_) | Operand::Float(..) | Operand::Unknown) => constant,
            _ => Operand::Invalid,
        },
        SyntaxKind::CAST_EXPRESSION => child(),
        SyntaxKind::PREFIX_EXPRESSION => prefix(operator(node), child()),
        SyntaxKind::BINARY_EXPRESSION => {
            let left = child();
            binary(left, operator(node), child())
        }
        SyntaxKind::CONDITIONAL_EXPRESSION => conditional(child(), child(), child()),
        SyntaxKind::MEMBER_EXPRESSION => {
            let selector = node
                .token(SyntaxKind::DOTTED)
                .map_or("", |it| it.text())
                .trim_start_matches('.');
            member(child(), selector)
        }
        SyntaxKind::INDEX_EXPRESSION => match (child(), child()) {
            (Operand::Unknown, _) | (_, Operand::Unknown) => Operand::Unknown,
            (base @ Operand::Symbol(_), Operand::Integer(it)) => {
                Operand::Offset(Box::new(base), it)
            }
            (base @ Operand::Symbol(_), Operand::Register { .. } | Operand::Offset(..)) => {
                Operand::Offset(Box::new(base), 0)
            }
            _ => Operand::Invalid,
        },
        SyntaxKind::ADDRESS => Operand::Address(all(node, resolve), None),
        SyntaxKind::VECTOR => Operand::Vector(all(node, resolve)),
        SyntaxKind::ARGUMENT_LIST => Operand::Arguments(all(node, resolve)),
        SyntaxKind::PAIR => {
            let first = child();
            Operand::Pair(Box::new(first), Box::new(child()))
        }
        _ => Operand::Unknown,
    }
}

fn all(node: &Cursor<'_>, resolve: Resolve<'_>) -> Vec<Operand> {
    node.nodes().map(|it| operand(&it, resolve)).collect()
}

fn operator(node: &Cursor<'_>) -> SyntaxKind {
    node.tokens()
        .next()
        .map_or(SyntaxKind::UNKNOWN, |it| it.kind())
}

fn literal(node: &Cursor<'_>) -> Operand {
    let Some(token) = node.tokens().next() else {
        return Operand::Unknown;
    };
    let text = token.text();
    match token.kind() {
        SyntaxKind::BAD_NUMBER => Operand::Unknown,
        SyntaxKind::FLOAT => match text.as_bytes() {
            [b'0', b'f' | b'F', ..] => {
                let bits = u32::from_str_radix(&text[2..], 16).unwrap_or_default();
                Operand::Float(FloatForm::Hex32, f64::from(f32::from_bits(bits)))
            }
            [b'0', b'd' | b'D', ..] => {
                let bits = u64::from_str_radix(&text[2..], 16).unwrap_or_default();
                Operand::Float(FloatForm::Hex64, f64::from_bits(bits))
            }
            _ => Operand::Float(FloatForm::Decimal, text.parse().unwrap_or_default()),
        },
        // A constant that is too large is another matter; 2^64 itself is read as 0.
        _ => Operand::Integer(number::integer(text).map_or(0, i128::from)),
    }
}

/// The operand of a special register.
pub(crate) fn special(index: u16) -> Operand {
    let Some(register) = special_registers::get(index) else {
        return Operand::Unknown;
    };
    // 32 bits before PTX ISA 3.0 and 64 since, and either is still read as the other.
    if register.name == "%gridid" {
        return Operand::Unknown;
    }
    let Some(class) = Class::from_word(register.ty.trim_start_matches('.')) else {
        return Operand::Unknown;
    };
    let lanes = if register.components.is_empty() { 1 } else { 4 };
    Operand::Special {
        class,
        lanes,
        component: false,
    }
}

fn prefix(operator: SyntaxKind, inner: Operand) -> Operand {
    match (operator, inner) {
        (_, Operand::Unknown) => Operand::Unknown,
        (SyntaxKind::PLUS, constant @ (Operand::Integer(_) | Operand::Float(..))) => constant,
        (SyntaxKind::MINUS, Operand::Integer(it)) => Operand::Integer(it.wrapping_neg()),
        (SyntaxKind::MINUS, Operand::Float(FloatForm::Hex32, _)) => Operand::Invalid,
        (SyntaxKind::MINUS, Operand::Float(form, it)) => Operand::Float(form, -it),
        (SyntaxKind::MINUS, inner) => Operand::Minus(Box::new(inner)),
        (SyntaxKind::TILDE, Operand::Integer(it)) => Operand::Integer(!it),
        (SyntaxKind::BANG, Operand::Integer(it)) => Operand::Integer(i128::from(it == 0)),
        (SyntaxKind::BANG, inner) => Operand::Not(Box::new(inner)),
        _ => Operand::Invalid,
    }
}

fn binary(left: Operand, operator: SyntaxKind, right: Operand) -> Operand {
    use SyntaxKind::{MINUS, PLUS, STAR};
    match (left, operator, right) {
        (Operand::Unknown, ..) | (_, _, Operand::Unknown) => Operand::Unknown,
        (Operand::Integer(a), operator, Operand::Integer(b)) => {
            Operand::Integer(fold(a, operator, b))
        }
        (Operand::Float(form, a), operator, Operand::Float(_, b)) => match operator {
            PLUS => Operand::Float(form, a + b),
            MINUS => Operand::Float(form, a - b),
            STAR => Operand::Float(form, a * b),
            SyntaxKind::SLASH => Operand::Float(form, a / b),
            SyntaxKind::LT => Operand::Integer(i128::from(a < b)),
            SyntaxKind::GT => Operand::Integer(i128::from(a > b)),
            SyntaxKind::LT_EQ => Operand::Integer(i128::from(a <= b)),
            SyntaxKind::GT_EQ => Operand::Integer(i128::from(a >= b)),
            SyntaxKind::EQ_EQ => Operand::Integer(i128::from(a == b)),
            SyntaxKind::NOT_EQ => Operand::Integer(i128::from(a != b)),
            _ => Operand::Invalid,
        },
        (
            base @ (Operand::Register { .. }
            | Operand::Symbol(_)
            | Operand::Special {
                component: false, ..
            }),
            PLUS,
            Operand::Integer(it),
        ) => Operand::Offset(Box::new(base), it),
        // What follows the first `+` is one constant expression: `[r+1<<4]` is `[r+16]`.
        (Operand::Offset(base, a), operator, Operand::Integer(b)) => {
            Operand::Offset(base, fold(a, operator, b))
        }
        _ => Operand::Invalid,
    }
}

/// An operator on integers; what is undefined gives 0 and is reported elsewhere.
fn fold(a: i128, operator: SyntaxKind, b: i128) -> i128 {
    match operator {
        SyntaxKind::PLUS => a.wrapping_add(b),
        SyntaxKind::MINUS => a.wrapping_sub(b),
        SyntaxKind::STAR => a.wrapping_mul(b),
        SyntaxKind::SLASH => a.checked_div(b).unwrap_or_default(),
        SyntaxKind::PERCENT => a.checked_rem(b).unwrap_or_default(),
        SyntaxKind::SHL => a.wrapping_shl((b & 63) as u32),
        SyntaxKind::SHR => a.wrapping_shr((b & 63) as u32),
        SyntaxKind::AMP => a & b,
        SyntaxKind::PIPE => a | b,
        SyntaxKind::CARET => a ^ b,
        SyntaxKind::LT => i128::from(a < b),
        SyntaxKind::GT => i128::from(a > b),
        SyntaxKind::LT_EQ => i128::from(a <= b),
        SyntaxKind::GT_EQ => i128::from(a >= b),
        SyntaxKind::EQ_EQ => i128::from(a == b),
        SyntaxKind::NOT_EQ => i128::from(a != b),
        SyntaxKind::AMP_AMP => i128::from(a != 0 && b != 0),
        SyntaxKind::PIPE_PIPE => i128::from(a != 0 || b != 0),
        _ => 0,
    }
}

fn conditional(condition: Operand, then: Operand, otherwise: Operand) -> Operand {
    match condition {
        Operand::Integer(0) => otherwise,
        Operand::Integer(_) => then,
        // `[r+1 ? 4 : 8]`: the condition starts after the `+`.
        Operand::Offset(base, condition) => match if condition == 0 { otherwise } else { then } {
            Operand::Integer(it) => Operand::Offset(base, it),
            _ => Operand::Invalid,
        },
        Operand::Unknown => Operand::Unknown,
        _ => Operand::Invalid,
    }
}

fn member(base: Operand, selector: &str) -> Operand {
    let component = COMPONENTS.contains(&selector);
    match base {
        Operand::Unknown => Operand::Unknown,
        Operand::Register { class, lanes } if lanes > 1 && component => {
            Operand::Register { class, lanes: 1 }
        }
        Operand::Special {
            class, lanes: 4, ..
        } if component => Operand::Special {
            class,
            lanes: 1,
            component: true,
        },
        Operand::Address(items, None) => Operand::Address(items, Some(selector.into())),
        base => Operand::Selected(Box::new(base), selector.into()),
    }
}

/// What a message calls an operand.
pub(crate) fn describe(operand: &Operand) -> String {
    match operand {
        Operand::Register { class, lanes: 1 } => format!("a .{} register", class.word()),
        Operand::Register { class, lanes } => format!("a .v{lanes} .{} register", class.word()),
        Operand::Special { class, .. } => format!("a special register of type .{}", class.word()),
        Operand::Integer(it) => format!("the constant {it}"),
        Operand::Float(..) => "a floating-point constant".to_owned(),
        Operand::Symbol(symbol) => match symbol {
            Symbol::Variable(_) => "the name of a variable",
            Symbol::Function => "the name of a function",
            Symbol::Entry => "the name of an entry",
            Symbol::TextureReference => "the name of a texture",
            Symbol::SamplerReference => "the name of a sampler",
            Symbol::SurfaceReference => "the name of a surface",
            Symbol::Label => "a label",
            Symbol::BranchTargets | Symbol::CallTargets => "a list of targets",
            Symbol::CallPrototype => "a prototype",
        }
        .to_owned(),
        Operand::Offset(base, _) => format!("{} plus a constant", describe(base)),
        Operand::Address(..) => "an address in brackets".to_owned(),
        Operand::Vector(elements) => format!("a vector of {}", elements.len()),
        Operand::Pair(..) => "a pair".to_owned(),
        Operand::Sink => "the sink `_`".to_owned(),
        Operand::Not(inner) => format!("the negation of {}", describe(inner)),
        Operand::Minus(inner) => format!("minus {}", describe(inner)),
        Operand::Selected(inner, selector) => format!("`.{selector}` of {}", describe(inner)),
        Operand::Arguments(_) => "a list of arguments".to_owned(),
        Operand::Unknown | Operand::Invalid => "this expression".to_owned(),
    }
}
