//! A texture or surface of a launch: where its texels are, and the numbers that they hold.

use isa::compute::{
    ElementType, ValueType,
    float::{Format, Number, Rounding},
    texture::TextureProperty,
};

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
        let layers = layers.saturating_mul(if described.cube { FACES } else { 1 });
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

    /// Layers in memory: six for each cube.
    pub(super) fn layers(&self) -> u64 {
        let faces = if self.described.cube { FACES } else { 1 };
        self.described.layers.unwrap_or(1) * faces
    }

    /// The number of a property; `None` where the manual has none for it.
    pub(super) fn property(&self, property: TextureProperty) -> Option<u64> {
        let described = &self.described;
        Some(match property {
            TextureProperty::Width => self.size(0),
            TextureProperty::Height => self.size(1),
            TextureProperty::Depth => self.size(2),
            // A cube of an array may be one or six.
            TextureProperty::Layers if described.cube => return None,
            TextureProperty::Layers => described.layers.unwrap_or(0),
            TextureProperty::ChannelType => {
                let integer = match self.ty {
                    ElementType::Integer { bits, signed } => Some((bits, signed)),
                    _ => None,
                };
                match (integer, described.scaled) {
                    (Some((8, true)), true) => 0x10D0,
                    (Some((16, true)), true) => 0x10D1,
                    (Some((8, false)), true) => 0x10D2,
                    (Some((16, false)), true) => 0x10D3,
                    (Some((8, true)), false) => 0x10D7,
                    (Some((16, true)), false) => 0x10D8,
                    (Some((32, true)), false) => 0x10D9,
                    (Some((8, false)), false) => 0x10DA,
                    (Some((16, false)), false) => 0x10DB,
                    (Some((32, false)), false) => 0x10DC,
                    _ if self.ty == ElementType::Float(Format::F16) => 0x10DD,
                    _ if self.ty == ElementType::Float(Format::F32) => 0x10DE,
                    _ => return None,
                }
            }
            TextureProperty::ChannelOrder => match described.channels {
                1 => 0x10B0,
                2 => 0x10B2,
                _ => 0x10B5,
            },
            TextureProperty::Normalized => described.normalized.into(),
            TextureProperty::Filter => described.linear.into(),
            TextureProperty::Addressing => match described.addressing {
                Addressing::Wrap => 0,
                Addressing::Mirror => 1,
                Addressing::Clamp => 3,
                Addressing::Border => 4,
            },
            TextureProperty::Levels | TextureProperty::Samples => 0,
        })
    }

    /// The result for the bits of a channel, as a type of 32 bits.
    pub(super) fn shown(&self, bits: u64, to: ElementType) -> u64 {
        match (to, self.ty) {
            (ElementType::Float(_), ElementType::Float(Format::F32)) => bits,
            (ElementType::Float(_), _) => u64::from((self.number(bits) as f32).to_bits()),
            (
                _,
                ElementType::Integer {
                    bits: width,
                    signed: true,
                },
            ) => {
                let rest = 32 - width;
                let extended = ((bits as u32) << rest).cast_signed() >> rest;
                u64::from(extended.cast_unsigned())
            }
            _ => bits,
        }
    }

    /// The bits of a channel that gets a word: a float, or an integer as the channel is signed or not. `None` where the
    /// channel does not hold the same number.
    pub(super) fn formatted(&self, word: u32) -> Option<u64> {
        match self.ty {
            ElementType::Float(Format::F32) => Some(word.into()),
            ElementType::Float(format) => {
                let number = Number::decode(Format::F32, word.into());
                let value = number.to_f64();
                let bits = number.round(format, Rounding::NearestEven);
                (Number::decode(format, bits).to_f64() == value).then_some(bits)
            }
            ElementType::Integer { .. } if self.described.scaled => None,
            ElementType::Integer { bits, signed } => {
                let rest = 32 - bits;
                let kept = match signed {
                    true => ((word << rest).cast_signed() >> rest).cast_unsigned(),
                    false => word << rest >> rest,
                };
                let mask = u64::from(u32::MAX >> rest);
                (kept == word).then_some(u64::from(word) & mask)
            }
            ElementType::Predicate => None,
        }
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

/// The faces of a cube.
pub(super) const FACES: u64 = 6;

/// The face of a cube that a direction meets, and the place on it from 0 to 1, by the table of the CUDA programming
/// guide; no face for a direction along an edge, which the table leaves open.
pub(super) fn face([x, y, z]: [f64; 3]) -> (Option<u64>, [f64; 2]) {
    let [ax, ay, az] = [x, y, z].map(f64::abs);
    let (face, most, s, t) = if ax > ay && ax > az {
        let at = if x >= 0.0 { (0, -z) } else { (1, z) };
        (at.0, ax, at.1, -y)
    } else if ay > ax && ay > az {
        let at = if y >= 0.0 { (2, z) } else { (3, -z) };
        (at.0, ay, x, at.1)
    } else if az > ax && az > ay {
        let at = if z >= 0.0 { (4, x) } else { (5, -x) };
        (at.0, az, at.1, -y)
    } else {
        return (None, [0.5; 2]);
    };
    (Some(face), [s, t].map(|it| (it / most + 1.0) / 2.0))
}

/// The index of the texture with a handle.
pub(super) fn index(handle: u64) -> Option<usize> {
    let offset = handle.checked_sub(HANDLES)?;
    offset
        .is_multiple_of(STEP)
        .then_some((offset / STEP) as usize)
}
