//! Values as a debugger shows them.

use isa::{
    compute::float::Format,
    types::{Class, Family},
};

use crate::{description::Element, machine::inspect::WARP};

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A truth value.
    Predicate,
    /// A number.
    Number(Element),
}

impl Type {
    /// The type of a register.
    #[must_use]
    pub fn of_register(class: Class) -> Type {
        match class.family() {
            Family::Predicate => Type::Predicate,
            _ => match Element::from_word(class.word()) {
                Some(it) => Type::Number(it),
                // Two halves, or the elements of a wide one.
                None => Type::Number(Element::Bits(class.bits().min(64))),
            },
        }
    }

    /// Its word, without a period.
    #[must_use]
    pub fn word(self) -> String {
        match self {
            Type::Predicate => Class::Pred.word().to_owned(),
            Type::Number(it) => it.word(),
        }
    }

    /// The value of bits as a text.
    #[must_use]
    pub fn show(self, bits: u64, hex: bool) -> String {
        match self {
            Type::Predicate => (bits & 1 == 1).to_string(),
            Type::Number(Element::Float(format)) if hex => {
                format!(
                    "{:#0width$x}",
                    bits,
                    width = 2 + format.bits().div_ceil(4) as usize
                )
            }
            Type::Number(it) if hex => {
                let bits = bits & mask(it.bits());
                format!("{bits:#x}")
            }
            Type::Number(it) => it.shown(bits & mask(it.bits())).to_string(),
        }
    }

    /// The bits of a number of this type.
    ///
    /// # Errors
    /// It does not fit, as a sentence.
    pub fn encode(self, number: Number) -> Result<u64, String> {
        match (self, number) {
            (Type::Predicate, it) => Ok(it.is_true().into()),
            (Type::Number(element), Number::Integer(it)) => match element {
                // Bits may be written with or without a sign.
                Element::Bits(bits) | Element::Unsigned(bits) if it < 0 => {
                    let least = -(1_i128 << (bits - 1));
                    match it >= least {
                        true => Ok(it as u64 & mask(bits)),
                        false => Err(format!("{it} does not fit into `.{}`", element.word())),
                    }
                }
                _ => element.from_integer(it),
            },
            (Type::Number(element), Number::Float(it)) => {
                use isa::compute::float::Number as Exact;
                let format = match element {
                    Element::Float(format) => format,
                    Element::Bits(32) => Format::F32,
                    Element::Bits(64) => Format::F64,
                    Element::Bits(16) => Format::F16,
                    _ => return Err(format!("a `.{}` is an integer", element.word())),
                };
                Ok(Element::round(format, Exact::from_f64(it)))
            }
        }
    }

    /// The number that bits are.
    #[must_use]
    pub fn number(self, bits: u64) -> Number {
        match self {
            Type::Predicate => Number::Integer(i128::from(bits & 1)),
            Type::Number(element @ Element::Float(_)) => {
                Number::Float(element.number(bits).to_f64())
            }
            Type::Number(Element::Signed(width)) => {
                let unused = 64 - width;
                Number::Integer((((bits << unused) as i64) >> unused).into())
            }
            Type::Number(element) => Number::Integer((bits & mask(element.bits())).into()),
        }
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

/// A number without a type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
}

impl Number {
    /// Whether it counts as true.
    #[must_use]
    pub fn is_true(self) -> bool {
        match self {
            Number::Integer(it) => it != 0,
            Number::Float(it) => it != 0.0,
        }
    }

    /// It as a floating-point number.
    #[must_use]
    pub fn float(self) -> f64 {
        match self {
            Number::Integer(it) => it as f64,
            Number::Float(it) => it,
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Integer(it) => write!(f, "{it}"),
            Number::Float(it) => {
                let element = Element::Float(Format::F64);
                write!(f, "{}", element.shown(it.to_bits()))
            }
        }
    }
}

/// A value in the lanes of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The type.
    pub ty: Type,
    /// The bits in each lane.
    pub bits: [u64; WARP],
    /// The lanes in which it is undefined, as a mask.
    pub undefined: u32,
}

impl Row {
    /// The value in a lane as a text.
    #[must_use]
    pub fn show(&self, lane: usize, hex: bool) -> String {
        match self.undefined >> (lane % WARP) & 1 {
            1 => "undefined".to_owned(),
            _ => self.ty.show(self.bits[lane % WARP], hex),
        }
    }

    /// The value in a lane, with what is the same or regular in some lanes: `7 in all lanes`, `12 (4*lane)`, and of a
    /// predicate its mask.
    #[must_use]
    pub fn summary(&self, lane: usize, lanes: u32, hex: bool) -> String {
        let own = self.show(lane, hex);
        let all: Vec<usize> = (0..WARP).filter(|it| lanes >> it & 1 == 1).collect();
        let undefined = self.undefined & lanes;
        if all.len() < 2 || (undefined != 0 && undefined != lanes) {
            return own;
        }
        let same = all.iter().all(|it| self.show(*it, hex) == own);
        if same {
            return format!("{own} in all lanes");
        }
        if self.ty == Type::Predicate {
            let set = all.iter().filter(|it| self.bits[**it] & 1 == 1);
            let set = set.fold(0_u32, |mask, it| mask | 1 << it);
            return format!("{own} (mask {set:#010x})");
        }
        let Type::Number(element @ (Element::Bits(_) | Element::Signed(_) | Element::Unsigned(_))) =
            self.ty
        else {
            return own;
        };
        let number = |lane: usize| match self.ty.number(self.bits[lane]) {
            Number::Integer(it) => it,
            Number::Float(_) => 0,
        };
        let (first, second) = (all[0], all[1]);
        let rise = number(second) - number(first);
        if rise % (second - first) as i128 != 0 {
            return own;
        }
        let step = rise / (second - first) as i128;
        let base = number(first) - step * first as i128;
        if all
            .iter()
            .any(|it| number(*it) != base + step * *it as i128)
        {
            return own;
        }
        let times = |step: i128| match step {
            1 => "lane".to_owned(),
            _ => format!("{step}*lane"),
        };
        let shown = match hex && base > 0 {
            true => Type::Number(element).show(base as u64, true),
            false => base.to_string(),
        };
        match (base, step) {
            (0, _) => format!("{own} ({})", times(step)),
            (_, ..0) => format!("{own} ({shown} - {})", times(-step)),
            _ => format!("{own} ({shown} + {})", times(step)),
        }
    }
}
