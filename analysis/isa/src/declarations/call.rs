//! The arguments that a call may pass for a parameter, as measured with ptxas 13.5.

use crate::types::{Class, Family};

/// How many elements a parameter or an argument has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// It is not an array.
    One,
    /// `a[4]`
    Array(u64),
    /// `a[]`, which takes an array of any size.
    Unsized,
    /// `a[2][2]`, which fits no parameter.
    Nested,
}

/// The type of a parameter, or of a register or variable that is passed for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The declared type.
    pub class: Class,
    /// Components of a vector, 1 for anything else.
    pub lanes: u8,
    /// How many elements it has, if it is an array.
    pub elements: Elements,
    /// Alignment in bytes: the declared one, or the natural one if that is greater.
    pub alignment: u64,
}

impl Shape {
    /// A scalar or vector with its natural alignment.
    #[must_use]
    pub fn register(class: Class, lanes: u8) -> Shape {
        Shape {
            class,
            lanes,
            elements: Elements::One,
            alignment: natural_alignment(class, lanes),
        }
    }

    /// Width in bits of one element, all components of a vector together.
    #[must_use]
    pub fn bits(&self) -> u64 {
        u64::from(self.class.bits()) * u64::from(self.lanes)
    }

    /// The meaning of the bits: a vector is untyped bits.
    fn family(&self) -> Family {
        if self.lanes > 1 {
            Family::Bits
        } else {
            self.class.family()
        }
    }
}

/// The alignment in bytes of a scalar or vector that declares none.
#[must_use]
pub fn natural_alignment(class: Class, lanes: u8) -> u64 {
    (u64::from(class.bits()) * u64::from(lanes) / 8).max(1)
}

/// An argument or result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A register.
    Register(Shape),
    /// A `.param` variable of the body.
    Variable(Shape),
    /// An integer constant.
    Integer,
    /// A float constant in any notation.
    Float,
}

/// Why an argument does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// An array is passed in a `.param` variable only.
    Space,
    /// The type or the size differs.
    Type,
    /// The alignment differs.
    Alignment,
}

/// Checks that an argument may be passed for a parameter, or a result be put into it.
pub fn fits(parameter: &Shape, argument: &Argument) -> Result<(), Misfit> {
    let of_type = |fits: bool| if fits { Ok(()) } else { Err(Misfit::Type) };
    let shape = match argument {
        Argument::Integer | Argument::Float if parameter.elements != Elements::One => {
            return Err(Misfit::Type);
        }
        _ if parameter.class == Class::F16x2
            && matches!(argument, Argument::Integer | Argument::Float) =>
        {
            return Err(Misfit::Type);
        }
        Argument::Integer => {
            let family = parameter.family();
            return of_type(matches!(family, Family::Bits | Family::Integer));
        }
        Argument::Float => {
            let family = parameter.family();
            return of_type(matches!(family, Family::Bits | Family::Float));
        }
        Argument::Register(shape) | Argument::Variable(shape) => shape,
    };
    let array = parameter.elements != Elements::One;
    if array && matches!(argument, Argument::Register(_)) {
        return Err(Misfit::Space);
    }
    let same = match (parameter.elements, shape.elements) {
        (Elements::One, Elements::One) => same_type(parameter, shape),
        (Elements::Array(wanted), Elements::Array(found)) => {
            // The type of the elements does not matter, unless it is a packed one.
            let packed = |it: &Shape| it.class == Class::F16x2;
            packed(parameter) == packed(shape)
                && wanted.checked_mul(parameter.bits()) == found.checked_mul(shape.bits())
        }
        (Elements::Unsized, Elements::Array(_)) => true,
        _ => false,
    };
    if !same {
        return Err(Misfit::Type);
    }
    let predicate = |it: &Shape| it.class == Class::Pred;
    if parameter.alignment == shape.alignment || predicate(parameter) || predicate(shape) {
        Ok(())
    } else {
        Err(Misfit::Alignment)
    }
}

/// Whether two scalars or vectors agree: `.f16x2` passes for any 32 bits, and by accident for `.pred`.
fn same_type(parameter: &Shape, argument: &Shape) -> bool {
    let packed = |it: &Shape| it.class == Class::F16x2 && it.lanes == 1;
    if packed(parameter) && argument.family() == Family::Predicate
        || packed(argument) && parameter.family() == Family::Predicate
    {
        return true;
    }
    if parameter.bits() != argument.bits() {
        return false;
    }
    match (parameter.family(), argument.family()) {
        (Family::Predicate, Family::Predicate) => true,
        (Family::Predicate, _) | (_, Family::Predicate) => false,
        (Family::Bits, _) | (_, Family::Bits) => true,
        (parameter, argument) => parameter == argument,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(word: &str) -> Argument {
        Argument::Register(scalar(word))
    }

    fn scalar(word: &str) -> Shape {
        Shape::register(Class::from_word(word).expect("a type"), 1)
    }

    fn array(word: &str, count: u64, alignment: u64) -> Shape {
        Shape {
            elements: Elements::Array(count),
            alignment,
            ..scalar(word)
        }
    }

    #[test]
    fn registers() {
        for (parameter, argument, expected) in [
            ("b32", "f32", Ok(())),
            ("f32", "b32", Ok(())),
            ("u32", "s32", Ok(())),
            ("u32", "f32", Err(Misfit::Type)),
            ("f32", "s32", Err(Misfit::Type)),
            ("b32", "b64", Err(Misfit::Type)),
            ("u32", "f16x2", Ok(())),
            ("f32", "f16x2", Ok(())),
            ("pred", "pred", Ok(())),
            ("pred", "b8", Err(Misfit::Type)),
        ] {
            assert_eq!(
                fits(&scalar(parameter), &register(argument)),
                expected,
                "{parameter} {argument}"
            );
        }
        let vector = Shape::register(Class::B32, 2);
        assert_eq!(fits(&scalar("f64"), &Argument::Register(vector)), Ok(()));
        assert_eq!(fits(&vector, &Argument::Float), Ok(()));
    }

    #[test]
    fn constants() {
        for (parameter, integer, float) in [
            ("u32", true, false),
            ("b8", true, true),
            ("f64", false, true),
            ("pred", false, false),
            ("f16x2", false, false),
        ] {
            let shape = scalar(parameter);
            assert_eq!(
                fits(&shape, &Argument::Integer).is_ok(),
                integer,
                "{parameter}"
            );
            assert_eq!(fits(&shape, &Argument::Float).is_ok(), float, "{parameter}");
        }
    }

    #[test]
    fn arrays() {
        let parameter = array("b8", 8, 8);
        let passed = |it: Shape| fits(&parameter, &Argument::Variable(it));
        assert_eq!(passed(array("b32", 2, 8)), Ok(()));
        assert_eq!(passed(array("b8", 8, 16)), Err(Misfit::Alignment));
        assert_eq!(passed(array("b8", 16, 8)), Err(Misfit::Type));
        assert_eq!(passed(scalar("b64")), Err(Misfit::Type));
        assert_eq!(fits(&parameter, &register("b64")), Err(Misfit::Space));
        let any = Shape {
            elements: Elements::Unsized,
            ..parameter
        };
        assert_eq!(fits(&any, &Argument::Variable(array("b8", 3, 8))), Ok(()));
    }
}
