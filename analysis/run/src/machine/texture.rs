//! A texture or surface of a launch: where its texels are, and the numbers that they hold.

use isa::compute::{ElementType, ValueType, float::Number};

use crate::launch::{self, Addressing};

/// The handle of the first texture: there is no memory at handles.
const HANDLES: u64 = 0x5000_0000_0000;
/// The distance of handles.
const STEP: u64 = 256;
/// The handle of a texture, by its index.
pub(super) fn handle(index: usize) -> u64 {
    HANDLES + index as u64 * STEP
}

/// A texture or surface.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    pub(super) address: u64,
    /// The type of a channel.
    pub(super) ty: ElementType,
    /// Bytes of a channel.
    pub(super) bytes: u64,
    pub(super) described: launch::Texture,
}

impl Texture {
    /// A texture of an array at an address.
    ///
    /// # Errors
    /// The array is too small, or the type is not one of a texture.
    pub(super) fn new(
        described: &launch::Texture,
        address: u64,
        size: u64,
    ) -> Result<Texture, String> {
        let ty = ValueType::from_word(&described.ty).filter(|it| it.count == 1);
        let bits = ty.map_or(0, ValueType::bits);
        let Some(ty) = ty.filter(|_| matches!(bits, 8 | 16 | 32)) else {
            return Err(format!("a texture has no channels of `{}`", described.ty));
        };
        let layers = described.layers.unwrap_or(1);
        let rows = described.shape.iter().skip(1);
        let rows = rows.fold(layers, |all, it| all.saturating_mul(*it));
        let needed = rows.saturating_mul(described.pitch);
        if needed > size {
            return Err(format!(
                "the texture takes {needed} bytes, and its array has {size}"
            ));
        }
        Ok(Texture {
            address,
            ty: ty.element,
            bytes: u64::from(bits / 8),
            described: described.clone(),
        })
    }

    /// Texels along a dimension.
    pub(super) fn size(&self, dimension: usize) -> u64 {
        self.described.shape.get(dimension).copied().unwrap_or(1)
    }

    pub(super) fn dimensions(&self) -> usize {
        self.described.shape.len()
    }

    /// The address of a row of a layer.
    pub(super) fn row(&self, layer: u64, [_, y, z]: [u64; 3]) -> u64 {
        let row = (layer * self.size(2) + z) * self.size(1) + y;
        self.address + row * self.described.pitch
    }

    /// The texel that an integer means along a dimension; `None` if it is outside, where everything is zero.
    pub(super) fn inside(&self, at: i64, dimension: usize) -> Option<u64> {
        let size = self.size(dimension) as i64;
        let addressing = match self.described.addressing {
            Addressing::Wrap | Addressing::Mirror if !self.described.normalized => {
                Addressing::Clamp
            }
            it => it,
        };
        let found = match addressing {
            Addressing::Clamp => at.clamp(0, size - 1),
            Addressing::Border => return (0..size).contains(&at).then_some(at as u64),
            Addressing::Wrap => at.rem_euclid(size),
            Addressing::Mirror => match at.rem_euclid(2 * size) {
                it if it < size => it,
                it => 2 * size - 1 - it,
            },
        };
        Some(found as u64)
    }

    /// The number that the bits of a channel are, where floats are asked for.
    pub(super) fn number(&self, bits: u64) -> f64 {
        match self.ty {
            ElementType::Float(format) => Number::decode(format, bits).to_f64(),
            ElementType::Integer {
                bits: width,
                signed,
            } => {
                let rest = 64 - width;
                let most = (1_u64 << (width - u32::from(signed))) - 1;
                let number = match signed {
                    true => ((bits << rest).cast_signed() >> rest) as f64,
                    false => bits as f64,
                };
                (number / most as f64).max(-1.0)
            }
            ElementType::Predicate => 0.0,
        }
    }

    /// Whether channels are read as floats.
    pub(super) fn has_floats(&self) -> bool {
        matches!(self.ty, ElementType::Float(_)) || self.described.scaled
    }
}

/// The index of the texture with a handle.
pub(super) fn index(handle: u64) -> Option<usize> {
    let offset = handle.checked_sub(HANDLES)?;
    offset
        .is_multiple_of(STEP)
        .then_some((offset / STEP) as usize)
}
