//! Operands of an instruction with their names resolved, as the instruction tables want them.

use isa::{
    operand::{FloatForm, Operand, Symbol},
    types::{Class, Family},
};
use syntax::{Cursor, SyntaxKind, TextRange};

use crate::constant::{Constant, Value, evaluate};

/// The meaning of a name in use; [`Operand::Unknown`] where that is reported elsewhere.
pub(crate) type Resolve<'a> = &'a dyn Fn(TextRange, &str) -> Operand;

/// The names of the four components of a vector.
const COMPONENTS: [&str; 8] = ["x", "y", "z", "w", "r", "g", "b", "a"];

/// The operand of a node. What is wrong with constant expressions is reported elsewhere.
pub(crate) fn operand(node: &Cursor<'_>, resolve: Resolve<'_>) -> Operand {
    let mut children = node.nodes();
    let mut child = || {
        children
            .next()
            .map_or(Operand::Unknown, |it| operand(&it, resolve))
    };
    match node.kind() {
        SyntaxKind::LITERAL
        | SyntaxKind::PARENTHESIZED_EXPRESSION
        | SyntaxKind::CAST_EXPRESSION
        | SyntaxKind::PREFIX_EXPRESSION
        | SyntaxKind::BINARY_EXPRESSION
        | SyntaxKind::CONDITIONAL_EXPRESSION => expression(node, resolve),
        SyntaxKind::NAME_REFERENCE => match node.tokens().next() {
            Some(name) if name.text() == "WARP_SZ" => Operand::Integer(32),
            Some(name) => resolve(name.range(), name.text()),
            None => Operand::Unknown,
        },
        SyntaxKind::SINK => Operand::Sink,
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
                Operand::Element(Box::new(base), it)
            }
            (base @ Operand::Symbol(_), index) if is_index(&index) => {
                Operand::Element(Box::new(base), 0)
            }
            _ => Operand::Invalid,
        },
        SyntaxKind::ADDRESS => Operand::Address(all(node, resolve), None),
        SyntaxKind::VECTOR => Operand::Vector(all(node, resolve).into_iter().map(value).collect()),
        SyntaxKind::ARGUMENT_LIST => Operand::Arguments(all(node, resolve)),
        SyntaxKind::PAIR => {
            let first = child();
            Operand::Pair(Box::new(first), Box::new(child()))
        }
        _ => Operand::Unknown,
    }
}

/// An element of a vector: ptxas takes the name of a scalar variable for a value of its type there.
fn value(element: Operand) -> Operand {
    match element {
        Operand::Symbol(Symbol::Variable(_, Some(class))) => Operand::Register { class, lanes: 1 },
        other => other,
    }
}

/// Whether an operand can be the index of an array: an integer register of up to 64 bits, or a variable,
/// which stands for its address; also with a constant added.
fn is_index(operand: &Operand) -> bool {
    match operand {
        Operand::Register { class, lanes: 1 } => {
            matches!(class.family(), Family::Integer | Family::Bits)
                && *class != Class::F16x2
                && class.bits() <= 64
        }
        Operand::Symbol(Symbol::Variable(..)) => true,
        Operand::Offset(base, _) => is_index(base),
        _ => false,
    }
}

fn all(node: &Cursor<'_>, resolve: Resolve<'_>) -> Vec<Operand> {
    node.nodes().map(|it| operand(&it, resolve)).collect()
}

/// A constant expression, with or without a name in it.
fn expression(node: &Cursor<'_>, resolve: Resolve<'_>) -> Operand {
    match evaluate(node, &mut Vec::new()) {
        Value::Wrong => Operand::Unknown,
        Value::Constant(it) => constant(it),
        Value::Offset(base, it) => match operand(&base, resolve) {
            base @ (Operand::Register { .. }
            | Operand::Symbol(_)
            | Operand::Special {
                component: false, ..
            }) => Operand::Offset(Box::new(base), it),
            Operand::Unknown => Operand::Unknown,
            _ => Operand::Invalid,
        },
        Value::Other(node) => {
            let mut operands = all(&node, resolve);
            if operands.contains(&Operand::Unknown) {
                return Operand::Unknown;
            }
            let inner = operands.pop().map(Box::new);
            match (node.kind(), node.tokens().next().map(|it| it.kind()), inner) {
                (SyntaxKind::PREFIX_EXPRESSION, Some(SyntaxKind::MINUS), Some(inner)) => {
                    Operand::Minus(inner)
                }
                (SyntaxKind::PREFIX_EXPRESSION, Some(SyntaxKind::BANG), Some(inner)) => {
                    Operand::Not(inner)
                }
                _ => Operand::Invalid,
            }
        }
    }
}

fn constant(value: Constant) -> Operand {
    match value {
        Constant::Signed(it) => Operand::Integer(it.into()),
        Constant::Unsigned(it) => Operand::Integer(it.into()),
        Constant::Single(it) => Operand::Float(FloatForm::Hex32, f32::from_bits(it).into()),
        Constant::Double(form, it) => Operand::Float(form, it),
    }
}

/// How many sums of a name and a constant an operand contains.
pub(super) fn sums(operand: &Operand) -> usize {
    match operand {
        Operand::Offset(..) => 1,
        Operand::Address(items, _) | Operand::Vector(items) | Operand::Arguments(items) => {
            items.iter().map(sums).sum()
        }
        Operand::Pair(first, second) => sums(first) + sums(second),
        Operand::Selected(inner, _) => sums(inner),
        _ => 0,
    }
}

/// How many names an operand has, if it is right.
pub(super) fn names_of(operand: &Operand) -> usize {
    match operand {
        Operand::Register { .. }
        | Operand::Special { .. }
        | Operand::Symbol(_)
        // A name that is declared nowhere, most likely.
        | Operand::Unknown => 1,
        Operand::Offset(inner, _)
        | Operand::Element(inner, _)
        | Operand::Not(inner)
        | Operand::Minus(inner)
        | Operand::Selected(inner, _) => names_of(inner),
        Operand::Address(items, _) | Operand::Vector(items) | Operand::Arguments(items) => {
            items.iter().map(names_of).sum()
        }
        Operand::Pair(first, second) => names_of(first) + names_of(second),
        Operand::Integer(_) | Operand::Float(..) | Operand::Sink | Operand::Invalid => 0,
    }
}

/// The operand of a special register.
pub(crate) fn special(index: u16) -> Operand {
    let Some(register) = isa::special::get(index) else {
        return Operand::Unknown;
    };
    let Some(class) = register.class() else {
        return Operand::Unknown;
    };
    let lanes = if register.components.is_empty() { 1 } else { 4 };
    Operand::Special {
        class,
        lanes,
        component: false,
        narrow: register.is_narrow(),
    }
}

/// The component that a selector names.
pub(super) fn component(selector: &str) -> Option<char> {
    let known = COMPONENTS.contains(&selector);
    selector.chars().next().filter(|_| known)
}

/// A component or another part of an operand, by its name without the period.
pub(crate) fn member(base: Operand, selector: &str) -> Operand {
    let component = component(selector).is_some();
    match base {
        Operand::Unknown => Operand::Unknown,
        Operand::Register { class, lanes } if lanes > 1 && component => {
            Operand::Register { class, lanes: 1 }
        }
        Operand::Special {
            class,
            lanes: 4,
            narrow,
            ..
        } if component => Operand::Special {
            class,
            lanes: 1,
            component: true,
            narrow,
        },
        Operand::Address(items, None) => Operand::Address(items, Some(selector.into())),
        base => Operand::Selected(Box::new(base), selector.into()),
    }
}

/// The name of an operand in a message.
pub(crate) fn describe(operand: &Operand) -> String {
    match operand {
        Operand::Register { class, lanes: 1 } => format!("a .{} register", class.word()),
        Operand::Register { class, lanes } => format!("a .v{lanes} .{} register", class.word()),
        Operand::Special {
            lanes: 2..,
            component: false,
            ..
        } => "a special register without a component such as `.x`".to_owned(),
        Operand::Special { class, .. } => format!("a special register of type .{}", class.word()),
        Operand::Integer(it) => format!("the constant {it}"),
        Operand::Float(..) => "a floating-point constant".to_owned(),
        Operand::Symbol(symbol) => match symbol {
            Symbol::Variable(..) => "the name of a variable",
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
        Operand::Element(..) => "an element of an array".to_owned(),
        Operand::Address(..) => "an address in brackets".to_owned(),
        Operand::Vector(elements) => format!("a vector of {}", elements.len()),
        Operand::Pair(..) => "a pair".to_owned(),
        Operand::Sink => "the sink `_`".to_owned(),
        Operand::Not(inner) => format!("the negation of {}", describe(inner)),
        Operand::Minus(inner) => format!("minus {}", describe(inner)),
        Operand::Selected(inner, selector) if matches!(**inner, Operand::Special { .. }) => {
            format!("`.{selector}` of a special register")
        }
        Operand::Selected(inner, selector) => format!("`.{selector}` of {}", describe(inner)),
        Operand::Arguments(_) => "a list of arguments".to_owned(),
        Operand::Unknown | Operand::Invalid => "this expression".to_owned(),
    }
}
