//! Textures, surfaces and samplers of a launch: where texels are, and the numbers that they hold.

use isa::compute::{
    ElementType, ValueType,
    float::{Format, Number, Rounding},
    texture::{OpaqueKind, TextureProperty},
};

use crate::launch::{self, Addressing, Comparison, Sampler};

/// The handle of the first texture: there is no memory at handles.
const HANDLES: u64 = 0x5000_0000_0000;
/// The distance of handles.
const STEP: u64 = 256;
/// The handle of a texture or sampler, by its index.
pub(super) fn handle(index: usize) -> u64 {
    HANDLES + index as u64 * STEP
}

/// A texture or sampler with the type of its variable.
#[derive(Clone, Debug)]
pub(super) struct Described {
    /// The type of its variable; `None` for a handle that is passed as a number.
    pub(super) kind: Option<OpaqueKind>,
    pub(super) content: Content,
}

/// A texture or a sampler.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Texture(Texture),
    Sampler(Sampler),
}

/// A texture or surface, or a level of detail of one.
#[derive(Clone, Debug)]
pub(super) struct Texture {
    /// The address of the texels of its level of detail.
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
        let made = Texture {
            address,
            ty: ty.element,
            bytes: u64::from(bits / 8),
            described: described.clone(),
        };
        let levels = 0..described.levels.unwrap_or(1);
        let needed = levels.fold(0_u64, |all, it| {
            all.saturating_add(made.level_bytes(&made.level_shape(it), it))
        });
        if needed > size {
            return Err(format!(
                "the texture takes {needed} bytes, and its array has {size}"
            ));
        }
        Ok(made)
    }

    /// The texels along each dimension of a level of detail.
    fn level_shape(&self, level: u64) -> Vec<u64> {
        let shape = self.described.shape.iter();
        shape.map(|it| (it >> level).max(1)).collect()
    }

    /// Bytes from one row to the next in a level of detail of a shape.
    fn level_pitch(&self, shape: &[u64], level: u64) -> u64 {
        match level {
            0 => self.described.pitch,
            _ => shape[0].saturating_mul(self.texel_bytes()),
        }
    }

    /// The bytes of all layers of a level of detail.
    fn level_bytes(&self, shape: &[u64], level: u64) -> u64 {
        let rows = shape.iter().skip(1);
        let rows = rows.fold(self.layers(), |all, it| all.saturating_mul(*it));
        rows.saturating_mul(self.level_pitch(shape, level))
    }

    /// A level of detail as a texture of its own.
    pub(super) fn level(&self, level: u64) -> Texture {
        let before = (0..level).map(|it| self.level_bytes(&self.level_shape(it), it));
        let shape = self.level_shape(level);
        Texture {
            address: self.address + before.sum::<u64>(),
            described: launch::Texture {
                pitch: self.level_pitch(&shape, level),
                shape,
                ..self.described.clone()
            },
            ..*self
        }
    }

    /// Bytes of a texel with all its samples.
    pub(super) fn texel_bytes(&self) -> u64 {
        let samples = self.described.samples.unwrap_or(1);
        u64::from(self.described.channels) * self.bytes * samples
    }

    /// Layers in memory: six for each cube.
    pub(super) fn layers(&self) -> u64 {
        let faces = if self.described.cube { FACES } else { 1 };
        self.described.layers.unwrap_or(1).saturating_mul(faces)
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
            TextureProperty::Filter | TextureProperty::Addressing => {
                return sampler_property(&described.sampler, property);
            }
            TextureProperty::Levels => described.levels.unwrap_or(0),
            TextureProperty::Samples => described.samples.unwrap_or(0),
            TextureProperty::Unnormalized => return None,
        })
    }

    /// The result for the bits of a channel, as a float or as a type of 32 bits.
    pub(super) fn shown(&self, bits: u64, to: ElementType) -> u64 {
        match (to, self.ty) {
            (ElementType::Float(_), own) if own == to => bits,
            (ElementType::Float(format), _) => rounded(self.number(bits), format),
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
        let addressing = match self.described.sampler.addressing {
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

/// A number as bits of a float.
pub(super) fn rounded(number: f64, format: Format) -> u64 {
    let single = u64::from((number as f32).to_bits());
    match format {
        Format::F32 => single,
        _ => Number::decode(Format::F32, single).round(format, Rounding::NearestEven),
    }
}

/// Whether a number compares so with another.
pub(super) fn compares(comparison: Comparison, left: f64, right: f64) -> bool {
    match comparison {
        Comparison::Less => left < right,
        Comparison::LessOrEqual => left <= right,
        Comparison::Greater => left > right,
        Comparison::GreaterOrEqual => left >= right,
        Comparison::Equal => left == right,
        Comparison::NotEqual => left != right,
    }
}

/// The number of a property of a sampler; `None` where the manual has none for it.
pub(super) fn sampler_property(sampler: &Sampler, property: TextureProperty) -> Option<u64> {
    Some(match property {
        TextureProperty::Filter => sampler.linear.into(),
        TextureProperty::Unnormalized => sampler.unnormalized.into(),
        TextureProperty::Addressing => match sampler.addressing {
            Addressing::Wrap => 0,
            Addressing::Mirror => 1,
            Addressing::Clamp => 3,
            Addressing::Border => 4,
        },
        _ => return None,
    })
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

/// The index of the texture or sampler with a handle.
pub(super) fn index(handle: u64) -> Option<usize> {
    let offset = handle.checked_sub(HANDLES)?;
    offset
        .is_multiple_of(STEP)
        .then_some((offset / STEP) as usize)
}
