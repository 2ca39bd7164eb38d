//! Elements of matrices in memory as numbers.

use super::super::{
    float::{Format, Number},
    matrix::half,
    value_type::ElementType,
};

/// How elements lie in a chunk of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Packing {
    /// The bits of an element.
    pub(super) bits: u32,
    /// The elements of a chunk, which begins with them.
    pub(super) count: usize,
}

impl Packing {
    /// That of a type in shared memory. Floats of fewer than 8 bits leave a part of each chunk empty unless they are
    /// `packed`.
    pub(super) fn of_type(ty: ElementType, packed: bool) -> Packing {
        let bits = match ty {
            ElementType::Float(Format::Tf32) => 32,
            _ => ty.bits(),
        };
        let slot = match ty {
            ElementType::Float(_) if bits < 8 && !packed => 8,
            _ => bits,
        };
        Packing {
            bits,
            count: (128 / slot) as usize,
        }
    }

    /// The code of an element of a chunk.
    pub(super) fn code(self, bits: u128, index: usize) -> u32 {
        let code = (bits >> (self.bits as usize * index)) as u32;
        code & (u32::MAX >> (32 - self.bits.clamp(1, 32)))
    }
}

/// The values of the codes of a float type.
pub(super) enum Floats {
    Half,
    /// The upper bits of a binary32: so many low ones are missing, and these do not count.
    Single {
        shift: u32,
        mask: u32,
    },
    Table(Box<[f64; 256]>),
}

impl Floats {
    pub(super) fn of_format(format: Format) -> Floats {
        match format {
            Format::F16 => Floats::Half,
            Format::Bf16 => Floats::Single {
                shift: 16,
                mask: u32::MAX,
            },
            Format::Tf32 => Floats::Single {
                shift: 0,
                mask: !0x1FFF,
            },
            Format::F32 => Floats::Single {
                shift: 0,
                mask: u32::MAX,
            },
            _ => {
                let mask = (1_u64 << format.bits().min(8)) - 1;
                let value = |code: usize| Number::decode(format, code as u64 & mask).to_f64();
                Floats::Table(Box::new(std::array::from_fn(value)))
            }
        }
    }

    pub(super) fn value(&self, code: u32) -> f64 {
        match self {
            Floats::Half => half(code as u16),
            Floats::Single { shift, mask } => f32::from_bits(code << shift & mask).into(),
            Floats::Table(table) => table[(code & 0xFF) as usize],
        }
    }
}

/// The value of the code of an integer type.
pub(super) fn integer(ty: ElementType, code: u32) -> i32 {
    let rest = 32 - ty.bits().clamp(1, 32);
    match ty {
        ElementType::Integer { signed: true, .. } => ((code << rest) as i32) >> rest,
        _ => code as i32,
    }
}
