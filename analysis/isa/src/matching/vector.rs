//! Operands in braces.
//!
//! ptxas looks at a vector as a whole (measured with 13.5): neighbours must go together, and then it
//! compares one type with what the instruction wants, that of the elements if they are all of one type,
//! else the untyped bits of their width. So `{%u32, %b32}` is fine where `{%u32, %u32}` is not.
//! Special registers count as untyped bits, and their components do not appear beside constants.
//! A register as the first element fixes the width; after a constant every element may have its own.
//! An integer constant in front of others decides for the whole vector, and so does a float constant where
//! the type is a float: then no width is compared at all.

use crate::{
    operands::{
        operand::{FloatForm, Operand},
        types::{Class, Constants, Family},
    },
    tables::{
        condition::{Choices, Expression},
        kind::{Kind, VectorKind},
    },
};

/// How single operands are judged: a vector consists of what a kind may be, and is a kind itself.
#[derive(Clone, Copy)]
pub(crate) struct Elements {
    /// Whether an operand is of the kind.
    pub(crate) accepts: fn(&Kind, &Operand, &Choices<'_>) -> bool,
    /// Whether an operand is of one of the kinds.
    pub(crate) fits: fn(&[Kind], &Operand, &Choices<'_>) -> bool,
}

/// Whether the operand is such a vector.
#[must_use]
pub(crate) fn accepts(
    vector: &VectorKind,
    operand: &Operand,
    choices: &Choices<'_>,
    of: Elements,
) -> bool {
    let one = |it: &Operand| {
        let mut kinds = vector.element.iter();
        kinds.any(|kind| (of.accepts)(kind, it, choices))
    };
    // An optional `.vec` that is not there: one element, plain or in braces.
    if matches!(&vector.count, Expression::Slot(slot) if choices.word(*slot).is_none()) {
        return one(match operand {
            Operand::Vector(elements) if elements.len() == 1 => &elements[0],
            _ => operand,
        });
    }
    let count = vector.count.value(choices);
    let Some(count) = count.and_then(|it| usize::try_from(it).ok()) else {
        return false;
    };
    match operand {
        Operand::Vector(elements) => {
            let parts = vector.parts.as_ref();
            let part = parts.and_then(|it| usize::try_from(it.value(choices)?).ok());
            elements.len() == count
                && fits(vector, elements, choices, of)
                && part
                    .filter(|it| *it > 0)
                    .is_none_or(|it| elements.chunks(it).all(|it| fits(vector, it, choices, of)))
        }
        Operand::Special {
            class,
            lanes,
            narrow,
            ..
        } if *lanes > 1 => {
            let component = Operand::Special {
                class: *class,
                lanes: 1,
                component: true,
                narrow: *narrow,
            };
            usize::from(*lanes) == count && one(&component)
        }
        Operand::Register { class, lanes } if *lanes > 1 => {
            usize::from(*lanes) == count && one(&scalar(*class))
        }
        _ => false,
    }
}

/// Whether the operand is a vector of these elements.
#[must_use]
pub(crate) fn accepts_each(
    kinds: &[Vec<Kind>],
    operand: &Operand,
    choices: &Choices<'_>,
    of: Elements,
) -> bool {
    let Operand::Vector(elements) = operand else {
        return false;
    };
    let mut pairs = elements.iter().zip(kinds);
    elements.len() == kinds.len()
        && alike(elements)
        && pairs.all(|(it, kinds)| (of.fits)(kinds, it, choices))
}

fn fits(vector: &VectorKind, elements: &[Operand], choices: &Choices<'_>, of: Elements) -> bool {
    let sinks = elements
        .iter()
        .filter(|it| matches!(it, Operand::Sink))
        .count();
    if sinks == elements.len() || (sinks > 0 && !vector.sink) {
        return false;
    }
    // A sum in braces is a syntax error.
    if elements.iter().any(|it| matches!(it, Operand::Offset(..))) {
        return false;
    }
    let one = |it: &Operand| {
        let mut kinds = vector.element.iter();
        kinds.any(|kind| (of.accepts)(kind, it, choices) || loose_element(kind, it, choices))
    };
    // What has no constants of its type takes them after a register only.
    let constantless = |kind: &Kind| match kind {
        Kind::Constant(ty) => ty.resolve(choices).is_some_and(|it| {
            let of = it.constants;
            !(of.integer || of.decimal || of.hex32 || of.hex64)
        }),
        _ => false,
    };
    if elements.first().is_some_and(is_constant) && vector.element.iter().any(constantless) {
        return false;
    }
    // After a float constant, the elements of an untyped vector have exactly the width.
    let widened = |whole: &Operand| {
        vector.element.iter().any(|kind| match (kind, whole) {
            (Kind::Loose(ty), Operand::Register { class, .. }) => {
                ty.word(choices).is_some_and(|it| it.starts_with('b'))
                    && ty
                        .resolve(choices)
                        .is_some_and(|it| it.bits != width(*class))
            }
            _ => false,
        })
    };
    let index = vector.index.as_ref();
    let index = index.and_then(|it| usize::try_from(it.value(choices)?).ok()?.checked_sub(1));
    let indexed = index.and_then(|it| elements.get(it));
    if indexed.is_some_and(|it| !is_index(it)) || !together(elements, index) {
        return false;
    }
    if !vector.also.is_empty()
        && !elements
            .iter()
            .all(|it| (of.fits)(&vector.also, it, choices))
    {
        return false;
    }
    let constants = elements.iter().filter(|it| is_constant(it)).count();
    let special = |it: &(usize, &Operand)| matches!(it.1, Operand::Special { .. });
    let whole = common(elements);
    let decides = decides(vector, elements, whole.is_some(), choices);
    let component = |it: &Operand| {
        matches!(
            it,
            Operand::Special {
                component: true,
                ..
            }
        )
    };
    if (constants > 0 && elements.iter().any(component))
        || !elements
            .iter()
            .enumerate()
            .filter(special)
            .all(|(at, it)| decides || index == Some(at) || vector.specials || one(it))
    {
        return false;
    }
    let takes_constants = || vector.element.iter().any(|it| takes_constants(it, choices));
    if let Some(whole) = whole.filter(|_| !vector.each) {
        let source = constants == 0 || vector.constants || takes_constants();
        // Integers in the place of a register are still to be in its range.
        let ranges = vector.element.iter().any(takes_integers);
        let integers = elements
            .iter()
            .filter(|it| matches!(it, Operand::Integer(_)))
            .all(|it| !ranges || one(it));
        let led = matches!(elements.first(), Some(Operand::Float(..)));
        let fits = source && integers && (decides || one(&whole) && !(led && widened(&whole)));
        if fits || constants < elements.len() || vector.whole {
            return fits;
        }
    } else if constants == elements.len()
        && !vector.each
        && !vector.constants
        && takes_constants()
        && !vector.element.iter().any(takes_integers)
        && one(&scalar(Class::S64))
    {
        // Integer constants only have 64 bits.
        return true;
    }
    let register = |it: &Operand| matches!(it, Operand::Register { .. });
    let integers = vector.constants && elements.iter().any(register);
    elements.iter().all(|it| match it {
        Operand::Sink => true,
        Operand::Integer(_) if integers => true,
        _ => one(it),
    })
}

/// The only element that makes braces of the right size wrong.
pub(crate) fn wrong_element(
    vector: &VectorKind,
    elements: &[Operand],
    choices: &Choices<'_>,
    of: Elements,
) -> Option<usize> {
    let count = usize::try_from(vector.count.value(choices)?).ok()?;
    let right = |it: &Operand| match it {
        Operand::Sink => vector.sink,
        it if is_constant(it) && vector.constants => true,
        it => {
            let mut kinds = vector.element.iter();
            kinds.any(|kind| (of.accepts)(kind, it, choices) || loose_element(kind, it, choices))
        }
    };
    let mut wrong = (0..elements.len()).filter(|it| !right(&elements[*it]));
    let first = wrong.next()?;
    (count == elements.len() && wrong.next().is_none()).then_some(first)
}

/// Whether a constant in front stands for the type of all, so that no other element is compared; `whole` if the
/// elements have a type together.
fn decides(vector: &VectorKind, elements: &[Operand], whole: bool, choices: &Choices<'_>) -> bool {
    let mut kinds = vector.element.iter();
    let others = whole && !vector.constants && !vector.strict;
    match elements.first() {
        Some(Operand::Integer(_)) => {
            vector.first || others && kinds.any(|it| takes_constants(it, choices))
        }
        Some(Operand::Float(..)) => others && kinds.any(|it| takes_floats(it, choices)),
        _ => false,
    }
}

/// The type of a vector whose elements go together, as a register; none if it does not consist of registers
/// and constants, or of integer constants only.
fn common(elements: &[Operand]) -> Option<Operand> {
    let mut all: Option<Class> = None;
    let mut several = false;
    let mut bits = None;
    for element in elements {
        let class = match element {
            Operand::Register { class, lanes: 1 } => *class,
            Operand::Special {
                class, lanes: 1, ..
            } => match class.bits() {
                32 => Class::B32,
                _ => Class::B64,
            },
            Operand::Float(FloatForm::Hex32, _) => Class::F32,
            Operand::Float(..) => Class::F64,
            Operand::Integer(_) => Class::S64,
            Operand::Sink => continue,
            _ => return None,
        };
        several |= all.is_some_and(|it| it != class);
        let constant = is_constant(element);
        match all {
            None => bits = Some((width(class), constant)),
            // Only after a constant the later elements count, if they differ from it.
            Some(first) if bits.is_some_and(|it| it.1) && width(class) != width(first) => {
                bits = Some((width(class), true));
            }
            Some(_) => {}
        }
        all = all.or(Some(class));
    }
    let (class, (bits, _)) = (all?, bits?);
    if elements.iter().all(|it| matches!(it, Operand::Integer(_))) {
        return None;
    }
    let untyped = match (several, bits) {
        (false, _) => class,
        (_, 8) => Class::B8,
        (_, 16) => Class::B16,
        (_, 32) => Class::B32,
        (_, 64) => Class::B64,
        _ => Class::B128,
    };
    Some(scalar(untyped))
}

/// In bits; predicates are as wide as the 32-bit registers beside them.
fn width(class: Class) -> u32 {
    match class {
        Class::Pred => 32,
        _ => class.bits(),
    }
}

fn scalar(class: Class) -> Operand {
    Operand::Register { class, lanes: 1 }
}

fn is_constant(operand: &Operand) -> bool {
    matches!(operand, Operand::Integer(_) | Operand::Float(..))
}

fn takes_constants(kind: &Kind, choices: &Choices<'_>) -> bool {
    match kind {
        Kind::When(inner, condition) => condition.holds(choices) && takes_constants(inner, choices),
        Kind::Constant(ty) | Kind::Source(ty) => ty
            .resolve(choices)
            .is_some_and(|it| it.constants != Constants::default()),
        Kind::Integer(_) | Kind::Float | Kind::Hex32 => true,
        _ => false,
    }
}

/// Whether any float constant may appear there, whatever its notation.
fn takes_floats(kind: &Kind, choices: &Choices<'_>) -> bool {
    match kind {
        Kind::When(inner, condition) => condition.holds(choices) && takes_floats(inner, choices),
        Kind::Constant(ty) | Kind::Source(ty) => ty.resolve(choices).is_some_and(|it| {
            let of = it.constants;
            of.decimal && of.hex32 && of.hex64
        }),
        Kind::Float => true,
        _ => false,
    }
}

fn takes_integers(kind: &Kind) -> bool {
    match kind {
        Kind::When(inner, _) => takes_integers(inner),
        Kind::Integer(_) => true,
        _ => false,
    }
}

/// In braces ptxas takes an integer register of exactly the width for a float element.
fn loose_element(kind: &Kind, operand: &Operand, choices: &Choices<'_>) -> bool {
    let (Kind::Loose(ty) | Kind::Register(ty)) = kind else {
        return false;
    };
    let Operand::Register { class, lanes: 1 } = operand else {
        return false;
    };
    class.family() == Family::Integer
        && ty
            .word(choices)
            .is_some_and(|it| matches!(&*it, "f16" | "f32" | "f64"))
        && ty
            .resolve(choices)
            .is_some_and(|it| it.bits == class.bits())
}

/// Whether the element can be the index of an array of textures.
fn is_index(element: &Operand) -> bool {
    match element {
        Operand::Register { class, lanes: 1 } => {
            matches!(class, Class::B32 | Class::U32 | Class::S32)
        }
        Operand::Special { .. } | Operand::Integer(_) | Operand::Unknown => true,
        _ => false,
    }
}

/// Whether ptxas takes these elements together: no neighbours are of two kinds unless one of them is
/// untyped, and all registers are of one width if the first element is one.
#[must_use]
pub fn alike(elements: &[Operand]) -> bool {
    together(elements, None)
}

/// The same, where the element at `index` is the index of an array and may be of another kind.
fn together(elements: &[Operand], index: Option<usize>) -> bool {
    let bits = |it: &Operand| match it {
        Operand::Register { class, lanes: 1 }
        | Operand::Special {
            class, lanes: 1, ..
        } => Some(width(*class)),
        _ => None,
    };
    let mut widths = elements.iter().filter_map(bits);
    let first = widths.next();
    let free = elements.first().is_some_and(is_constant);
    if !free && !widths.all(|it| Some(it) == first) {
        return false;
    }
    let mut before = None;
    elements.iter().enumerate().all(|(at, it)| {
        if matches!(it, Operand::Sink) {
            return true;
        }
        let apart = index.is_some_and(|index| index == at || index + 1 == at);
        before
            .replace(it)
            .is_none_or(|before| apart || neighbours(before, it))
    })
}

fn neighbours(left: &Operand, right: &Operand) -> bool {
    // `.f16x2` is a kind of its own.
    let kind = |it: &Operand| match it {
        Operand::Register { class, lanes: 1 } => Some((class.family(), *class == Class::F16x2)),
        Operand::Integer(_) => Some((Family::Integer, false)),
        Operand::Float(..) => Some((Family::Float, false)),
        _ => None,
    };
    let untyped = (Family::Bits, false);
    match (kind(left), kind(right)) {
        (Some(left), Some(right)) => left == right || left == untyped || right == untyped,
        _ => true,
    }
}
