//! Which operands are of a kind.

use super::vector::{self, Elements};
use crate::{
    operands::{
        operand::{FloatForm, Operand, Space, Symbol},
        types::{Class, Classes, Family, Type},
    },
    tables::{
        condition::Choices,
        kind::{AddressWidth, Integers, Kind, SpaceRef, TypeRef},
    },
};

/// How the elements of a vector are judged.
pub(crate) const ELEMENTS: Elements = Elements { accepts, fits };

/// Whether the operand is of one of the kinds.
#[must_use]
pub fn fits(kinds: &[Kind], operand: &Operand, choices: &Choices<'_>) -> bool {
    // Where the table says which variables or functions may appear here, `src` takes no others.
    let names = |it: &Kind| matches!(it, Kind::VariableName(Some(_)));
    let functions = |it: &Kind| match it {
        Kind::When(inner, _) => matches!(**inner, Kind::FunctionName),
        it => matches!(it, Kind::FunctionName),
    };
    let base = match operand {
        Operand::Offset(base, _) => base,
        _ => operand,
    };
    let (named, function) = match base {
        Operand::Symbol(Symbol::Variable(..)) if matches!(operand, Operand::Offset(..)) => {
            (kinds.iter().any(names), false)
        }
        Operand::Symbol(Symbol::Function | Symbol::Entry) => {
            (kinds.iter().any(names), kinds.iter().any(functions))
        }
        _ => (false, false),
    };
    kinds
        .iter()
        .filter(|it| !named || matches!(it, Kind::VariableName(_)))
        .filter(|it| !function || functions(it))
        .any(|it| accepts(it, operand, choices))
}

/// Whether the operand may stand for an address of one of the kinds without brackets.
#[must_use]
pub(crate) fn fits_bare(kinds: &[Kind], operand: &Operand, choices: &Choices<'_>) -> bool {
    kinds.iter().any(|it| match it {
        Kind::Bare(inner) => {
            // Any register does, and any plus a constant.
            let base = match operand {
                Operand::Offset(base, _)
                    if inner.iter().any(|it| matches!(it, Kind::AnyRegister)) =>
                {
                    base
                }
                _ => operand,
            };
            fits(inner, base, choices) || fits(inner, operand, choices)
        }
        Kind::When(inner, condition) => {
            condition.holds(choices) && fits_bare(std::slice::from_ref(&**inner), operand, choices)
        }
        _ => false,
    })
}

/// Whether the operand is of the kind.
#[must_use]
pub fn accepts(kind: &Kind, operand: &Operand, choices: &Choices<'_>) -> bool {
    if matches!(operand, Operand::Unknown) {
        return true;
    }
    match kind {
        Kind::Any => !matches!(operand, Operand::Invalid),
        Kind::Register(ty) => ty.resolve(choices).is_some_and(|it| {
            register(operand, it.registers) || packed_in_braces(operand, ty, choices, it.registers)
        }),
        Kind::Source(ty) => ty.resolve(choices).is_some_and(|it| {
            register(operand, it.registers)
                || constant(operand, &it)
                || offset(operand, ty, &it, choices)
                || packed_in_braces(operand, ty, choices, it.registers)
        }),
        Kind::Constant(ty) => ty.resolve(choices).is_some_and(|it| constant(operand, &it)),
        Kind::Loose(ty) => ty.resolve(choices).is_some_and(|it| {
            let word = ty.word(choices).unwrap_or_default();
            loose(operand, &word, &it)
                || matches!(operand, Operand::Offset(..)) && offset(operand, ty, &it, choices)
        }),
        Kind::Classes(classes) => register(operand, *classes),
        Kind::ClassesOffset(classes) => {
            register(operand, *classes)
                || matches!(operand, Operand::Offset(base, _) if exact_offset(base, *classes))
        }
        Kind::Integer(set) => {
            matches!(operand, Operand::Integer(value) if integer(set, *value, choices))
        }
        Kind::Float => matches!(operand, Operand::Float(..)),
        Kind::Predicate { negatable } => match operand {
            Operand::Not(inner) => *negatable && predicate(inner),
            _ => predicate(operand),
        },
        Kind::Fraction => {
            matches!(operand, Operand::Float(_, it) if *it as f32 > 0.0 && *it as f32 <= 1.0)
        }
        Kind::Hex32 => matches!(operand, Operand::Float(FloatForm::Hex32, _)),
        Kind::Vector(it) => vector::accepts(it, operand, choices, ELEMENTS),
        Kind::Tuple(elements) => vector::accepts_each(elements, operand, choices, ELEMENTS),
        Kind::When(inner, condition) => {
            condition.holds(choices) && accepts(inner, operand, choices)
        }
        Kind::Address(space, width) => address(operand, space, *width, choices),
        Kind::Special(ty) => match operand {
            Operand::Special {
                class,
                lanes: 1,
                narrow,
                ..
            } => ty
                .resolve(choices)
                .is_some_and(|it| it.bits == class.bits() || (*narrow && it.bits == 16)),
            _ => false,
        },
        Kind::LooseSpecial(ty) => match operand {
            Operand::Special {
                class, lanes: 1, ..
            } => ty
                .resolve(choices)
                .is_some_and(|it| class.bits() >= it.bits),
            _ => false,
        },
        Kind::VariableName(space) => {
            let base = match operand {
                Operand::Offset(base, _) | Operand::Element(base, _) => base,
                _ => operand,
            };
            match (base, space) {
                (Operand::Symbol(Symbol::Variable(it, _)), Some(space)) => {
                    symbol_fits(*it, space.word(choices))
                }
                (Operand::Symbol(Symbol::Variable(..)), None) => true,
                _ => false,
            }
        }
        Kind::FunctionName => {
            let base = match operand {
                Operand::Offset(base, _) => base,
                _ => operand,
            };
            matches!(base, Operand::Symbol(Symbol::Function | Symbol::Entry))
        }
        Kind::Name(symbol) => matches!(operand, Operand::Symbol(it) if it == symbol),
        Kind::Sink => matches!(operand, Operand::Sink),
        Kind::Minus(inner) => matches!(operand, Operand::Minus(it) if accepts(inner, it, choices)),
        Kind::Selected(inner, selectors) => matches!(
            operand,
            Operand::Selected(it, selector)
                // The lexer of ptxas takes that one for a type.
                if &**selector != "b1024"
                    && selectors.iter().any(|it| selects(it, selector))
                    && accepts(inner, it, choices)
        ),
        Kind::Except(inner, others) => {
            accepts(inner, operand, choices)
                && !others.iter().any(|it| accepts(it, operand, choices))
        }
        Kind::Bare(_) | Kind::Element => false,
        Kind::AnyRegister => matches!(
            operand,
            Operand::Register { .. }
                | Operand::Symbol(
                    Symbol::TextureReference | Symbol::SamplerReference | Symbol::SurfaceReference
                )
        ),
    }
}

/// Whether a selector is of a pattern such as `h[0-3][0-3]`.
fn selects(pattern: &str, selector: &str) -> bool {
    let (mut pattern, mut rest) = (pattern.bytes(), selector.bytes());
    while let Some(expected) = pattern.next() {
        let Some(found) = rest.next() else {
            return false;
        };
        if expected == b'[' {
            let (low, high) = (
                pattern.next().unwrap_or(b'0'),
                pattern.nth(1).unwrap_or(b'9'),
            );
            pattern.next();
            if !(low..=high).contains(&found) {
                return false;
            }
        } else if expected != found {
            return false;
        }
    }
    rest.next().is_none()
}

fn register(operand: &Operand, classes: Classes) -> bool {
    matches!(operand, Operand::Register { class, lanes: 1 } if classes.contains(*class))
}

/// ptxas never checks the size of a vector that stands for four narrow floating-point types.
fn packed_in_braces(
    operand: &Operand,
    ty: &TypeRef,
    choices: &Choices<'_>,
    classes: Classes,
) -> bool {
    let Operand::Vector(elements) = operand else {
        return false;
    };
    matches!(elements.len(), 1 | 2 | 4)
        && elements.iter().all(|it| register(it, classes))
        && ty
            .word(choices)
            .is_some_and(|it| it.ends_with("x4") && (it.starts_with('e') || it.starts_with("ue")))
}

fn predicate(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::Register {
            class: Class::Pred,
            lanes: 1
        }
    )
}

fn constant(operand: &Operand, ty: &Type) -> bool {
    match operand {
        Operand::Integer(_) => ty.constants.integer,
        Operand::Float(FloatForm::Decimal, _) => ty.constants.decimal,
        Operand::Float(FloatForm::Hex32, _) => ty.constants.hex32,
        Operand::Float(FloatForm::Hex64, _) => ty.constants.hex64,
        _ => false,
    }
}

/// The kinds of a register or variable plus a constant where ptxas looks at its width, too: a special register
/// counts as untyped bits, and a variable as an integer of 32 bits, whatever its address has.
fn exact_offset(base: &Operand, classes: Classes) -> bool {
    match base {
        Operand::Special {
            class,
            lanes: 1,
            component: false,
            ..
        } => classes.contains(match class.bits() {
            64 => Class::B64,
            _ => Class::B32,
        }),
        Operand::Symbol(Symbol::Variable(..)) => classes.contains(Class::S32),
        _ => register(base, classes),
    }
}

/// ptxas takes a register or variable plus a constant as data, and looks at the kind of the register
/// only, not at its width; a lint says so.
fn offset(operand: &Operand, of: &TypeRef, ty: &Type, choices: &Choices<'_>) -> bool {
    let base = match operand {
        // The name of a function stands for its address, whatever the type.
        Operand::Symbol(Symbol::Function | Symbol::Entry) => return true,
        Operand::Offset(base, _) => base,
        _ => return false,
    };
    let predicate = ty.registers.contains(Class::Pred);
    let family = |family: Family| ty.registers.iter().any(|it| it.family() == family);
    // Untyped bits may be of any kind, even where no register of that kind has the width.
    let word = of.word(choices).unwrap_or_default();
    let digits = word.strip_prefix('b').unwrap_or_default();
    let untyped = !digits.is_empty() && digits.bytes().all(|it| it.is_ascii_digit());
    match &**base {
        Operand::Symbol(Symbol::Function | Symbol::Entry) => true,
        // No float, but as good as an integer or a predicate.
        Operand::Register {
            class: Class::F16x2,
            lanes: 1,
        } => !matches!(&*word, "f16" | "bf16" | "bf16x2" | "f32" | "f64"),
        Operand::Register { class, lanes: 1 } => match class.family() {
            Family::Predicate => predicate,
            Family::Bits => !predicate,
            it => untyped || family(it),
        },
        Operand::Special {
            lanes: 1,
            component: false,
            ..
        } => !predicate,
        Operand::Symbol(Symbol::Variable(..)) => untyped || family(Family::Integer),
        _ => false,
    }
}

fn loose(operand: &Operand, word: &str, ty: &Type) -> bool {
    let Operand::Register { class, lanes: 1 } = operand else {
        return false;
    };
    if class.bits() < ty.bits || *class == Class::Pred {
        return false;
    }
    match word.as_bytes().first() {
        Some(b'u' | b's') => class.family() != Family::Float,
        Some(b'f') => {
            (class.family() == Family::Bits && *class != Class::F16x2) || class.word() == word
        }
        _ => true,
    }
}

fn integer(set: &Integers, value: i128, choices: &Choices<'_>) -> bool {
    match set {
        Integers::Any => true,
        Integers::List(list) => list.iter().any(|it| i128::from(*it) == value),
        Integers::Low32(from, to, step) => {
            let range = Integers::Range(from.clone(), to.clone(), *step);
            integer(&range, value & 0xffff_ffff, choices)
        }
        Integers::Range(from, to, step) => match (from.value(choices), to.value(choices)) {
            (Some(from), Some(to)) => {
                let (from, to, step) = (i128::from(from), i128::from(to), i128::from(*step));
                (from..=to).contains(&value) && (value - from) % step == 0
            }
            _ => false,
        },
    }
}

fn address(
    operand: &Operand,
    space: &SpaceRef,
    width: AddressWidth,
    choices: &Choices<'_>,
) -> bool {
    let space = space.word(choices);
    let base = match operand {
        Operand::Offset(base, _) => base,
        _ => operand,
    };
    match base {
        Operand::Register { class, lanes: 1 }
        | Operand::Special {
            class,
            lanes: 1,
            component: false,
            ..
        } => {
            let bits = class.bits();
            matches!(class.family(), Family::Integer | Family::Bits)
                && *class != Class::F16x2
                && match width {
                    AddressWidth::Any => bits <= 64,
                    AddressWidth::From16 => (16..=64).contains(&bits),
                    AddressWidth::From32 => bits == 32 || bits == 64,
                    AddressWidth::Only64 => bits == 64,
                    AddressWidth::Only32 => bits == 32,
                    AddressWidth::Only8 => bits == 8,
                }
                && space != "param::func"
        }
        Operand::Symbol(Symbol::Variable(it, _)) => symbol_fits(*it, space),
        Operand::Integer(_) => space == "local",
        _ => false,
    }
}

/// Whether a variable in `symbol` may be addressed by an instruction that names `space`.
fn symbol_fits(symbol: Space, space: &str) -> bool {
    let parameter = matches!(
        symbol,
        Space::EntryParameter
            | Space::InputParameter
            | Space::ReturnParameter
            | Space::LocalParameter
    );
    match space {
        "" => matches!(
            symbol,
            Space::Global | Space::Unified | Space::Shared | Space::Local
        ),
        "const" => symbol == Space::Const,
        "global" => matches!(symbol, Space::Global | Space::Unified),
        "local" => symbol == Space::Local,
        "param" => parameter,
        "param::entry" => symbol == Space::EntryParameter,
        "param::func" => parameter && symbol != Space::EntryParameter,
        _ => space.starts_with("shared") && symbol == Space::Shared,
    }
}
