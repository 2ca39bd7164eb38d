//! Texels by the formulas of the CUDA programming guide: levels of detail, places, means and comparisons.

#[cfg(test)]
mod tests;

use isa::compute::{
    ElementType, TextureQuery, TextureRequest,
    float::Format,
    texture::{Detail, Geometry},
};

use crate::launch::Comparison;

use super::{
    access::Access,
    texture::{self, Texture},
};

/// The parts into which interpolation divides the distance of two texels.
const PARTS: f64 = 256.0;

/// The result that is wanted of texels.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    channel: u8,
    to: ElementType,
    /// The comparison that replaces each texel, and the number on its left.
    reference: Option<(Comparison, f64)>,
}

/// The levels of detail that are read.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Levels {
    One(u64),
    /// A level, and the share of the next one.
    Two(u64, f64),
    /// Nothing specifies them.
    Open,
}

/// The value of a texel or of several.
#[derive(Clone, Copy, Debug)]
enum Texel {
    /// The bits of one.
    Bits(u64),
    /// A number, which is a mean or a comparison.
    Number(f64),
    /// Nothing specifies it.
    Open,
}

impl Access<'_> {
    /// An element of the texels that a request for a texture means; `None` if an operand is refused.
    pub(super) fn sampled(
        &mut self,
        texture: &Texture,
        request: &TextureRequest,
        (channel, element): (u8, u8),
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> Option<u64> {
        let levels = self.levels(texture, request, lane, value)?;
        let reference = match request.reference {
            Some(node) => Some(self.comparison(texture, value(node) as u32, lane)?),
            None => None,
        };
        // The bits of a register do not depend on the type that the instruction names: ptxas makes the same of all.
        let to = match request.to {
            ElementType::Integer { .. } if texture.has_floats() => ElementType::Float(Format::F32),
            to => to,
        };
        let wanted = Wanted {
            channel,
            to,
            reference,
        };
        let at_level = |access: &mut Self, level: u64| {
            let view = match level {
                0 => texture,
                _ => &texture.level(level),
            };
            let at = access.texel_place(view, request, lane, value)?;
            Some(match request.query {
                TextureQuery::Gather { .. } => access.gathered(view, &at, &wanted, element, lane),
                _ => access.texel(view, &at, &wanted, lane),
            })
        };
        let found = match levels {
            Levels::One(level) => at_level(self, level)?,
            Levels::Two(level, share) => {
                let both = [at_level(self, level)?, at_level(self, level + 1)?];
                match both.map(|it| it.number(texture)) {
                    [Some(near), Some(far)] if matches!(wanted.to, ElementType::Float(_)) => {
                        Texel::Number(near * (1.0 - share) + far * share)
                    }
                    _ => Texel::Open,
                }
            }
            Levels::Open => Texel::Open,
        };
        Some(match (found, wanted.to) {
            (Texel::Bits(bits), to) => texture.shown(bits, to),
            (Texel::Number(number), ElementType::Float(format)) => texture::rounded(number, format),
            _ => self.unknown(lane),
        })
    }

    /// The comparison of a texture with an operand.
    fn comparison(
        &mut self,
        texture: &Texture,
        bits: u32,
        lane: usize,
    ) -> Option<(Comparison, f64)> {
        let Some(comparison) = texture.described.sampler.comparison else {
            let message = "the instruction compares, and the sampler has no comparison";
            self.refuse(lane, message.to_owned());
            return None;
        };
        if !texture.has_floats() {
            let message = "the instruction compares, and the texture has integers";
            self.refuse(lane, message.to_owned());
            return None;
        }
        let number = f64::from(f32::from_bits(bits));
        if texture.described.scaled && !(0.0..=1.0).contains(&number) {
            let message = format!("{number} is compared with texels from 0 to 1");
            self.refuse(lane, message);
            return None;
        }
        Some((comparison, number))
    }

    /// The levels of detail that a request means.
    fn levels(
        &mut self,
        texture: &Texture,
        request: &TextureRequest,
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> Option<Levels> {
        let described = &texture.described;
        // The binary logarithms between which the level is.
        let [least, most] = match &request.detail {
            Detail::Base => return Some(Levels::One(0)),
            Detail::Level { at, floats: false } => {
                [f64::from((value(*at) as u32).cast_signed()); 2]
            }
            Detail::Level { at, floats: true } => [f64::from(f32::from_bits(value(*at) as u32)); 2],
            Detail::Gradients(axes) => {
                let of = |node: &u32| f64::from(f32::from_bits(value(*node) as u32));
                let axes = axes.each_ref().map(|axis| {
                    let axis: Vec<f64> = axis.iter().map(of).collect();
                    axis
                });
                let bounds = spread(texture, request.geometry, &axes);
                if bounds.is_none() {
                    let message = "nothing specifies the level of detail of a cube by gradients";
                    self.refuse(lane, message.to_owned());
                }
                bounds?
            }
        };
        if least.is_nan() || most.is_nan() {
            self.refuse(lane, "the level of detail is not a number".to_owned());
            return None;
        }
        let last = described.levels.map_or(u64::MAX, |it| it - 1) as f64;
        let linear = described.sampler.linear_levels;
        let found = chosen(least.clamp(0.0, last), linear);
        let found = match found == chosen(most.clamp(0.0, last), linear) {
            true => found,
            false => Levels::Open,
        };
        if described.levels.is_none() && found != Levels::One(0) {
            let message = "the texture has one level of detail, and the instruction reads another";
            self.refuse(lane, message.to_owned());
            return None;
        }
        if !described.normalized && found != Levels::One(0) {
            let message = "levels of detail take normalized coordinates";
            self.refuse(lane, message.to_owned());
            return None;
        }
        Some(found)
    }

    /// The place that the coordinates and offsets of a request mean.
    fn texel_place(
        &mut self,
        texture: &Texture,
        request: &TextureRequest,
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> Option<TexelPlace> {
        let floats = request.query != TextureQuery::Texel { floats: false };
        let (sample, mut layer, at) = split(texture, request, value);
        let mut numbers: Vec<f64> = match floats {
            true => at.iter().map(|it| f64::from(f32::from_bits(*it))).collect(),
            false => at.iter().map(|it| f64::from(it.cast_signed())).collect(),
        };
        let mut known = true;
        if let [x, y, z] = numbers[..]
            && request.geometry.cube
        {
            let (face, of_face) = texture::face([x, y, z]);
            layer = layer * texture::FACES + face.unwrap_or(0);
            known = face.is_some();
            numbers = of_face.to_vec();
        }
        let mut offsets = vec![0; numbers.len()];
        for (to, offset) in offsets.iter_mut().zip(&request.offsets) {
            let offset = (value(*offset) as u32).cast_signed();
            if !(-8..=7).contains(&offset) {
                self.refuse(lane, format!("the offset {offset} is not from -8 to 7"));
                return None;
            }
            *to = i64::from(offset);
        }
        let samples = texture.described.samples.unwrap_or(1);
        if sample >= samples {
            self.refuse(
                lane,
                format!("the instruction asks for sample {sample}, and texels have {samples}"),
            );
            return None;
        }
        if floats && (texture.described.normalized || request.geometry.cube) {
            for (dimension, number) in numbers.iter_mut().enumerate() {
                *number *= texture.size(dimension) as f64;
            }
        }
        Some(TexelPlace {
            sample,
            layer,
            numbers,
            offsets,
            floats,
            known,
        })
    }

    /// The bits of a channel of a texel; `None` is one outside, which is zero.
    fn channel_bits(
        &mut self,
        texture: &Texture,
        at: &TexelPlace,
        (place, channel): (Option<[u64; 3]>, u8),
        lane: usize,
    ) -> u64 {
        let Some(place) = place else {
            return 0;
        };
        let of_sample = u64::from(texture.described.channels) * at.sample;
        let offset = (of_sample + u64::from(channel)) * texture.bytes;
        let address = texture.row(at.layer, place) + place[0] * texture.texel_bytes() + offset;
        self.texel_bits(address, texture.bytes, lane)
    }

    /// A channel of one of the four texels that interpolation would take. Their order is counter-clockwise from the
    /// lower left, where the second coordinate grows downwards.
    fn gathered(
        &mut self,
        texture: &Texture,
        at: &TexelPlace,
        wanted: &Wanted,
        element: u8,
        lane: usize,
    ) -> Texel {
        let next = [[0, 1], [1, 1], [1, 0], [0, 0]][usize::from(element & 3)];
        let mut place = Some([0; 3]);
        let mut is_inside = true;
        for (dimension, next) in next.into_iter().enumerate() {
            // The fraction has 8 bits before the texel is chosen.
            let first = ((at.numbers[dimension] - 0.5) * PARTS).round() / PARTS;
            let found = (first.floor() as i64).saturating_add(at.offsets[dimension] + next);
            is_inside &= (0..texture.size(dimension) as i64).contains(&found);
            place = advanced(place, dimension, texture.inside(found, dimension));
        }
        // Nothing says which texels are across the edge of a cube.
        if !at.known || texture.described.cube && !is_inside {
            return Texel::Open;
        }
        let bits = self.channel_bits(texture, at, (place, wanted.channel), lane);
        wanted.texel(texture, bits)
    }

    /// A channel of a texel, or of the mean of several.
    fn texel(&mut self, texture: &Texture, at: &TexelPlace, wanted: &Wanted, lane: usize) -> Texel {
        let dimensions = texture.dimensions();
        let as_float = matches!(wanted.to, ElementType::Float(_));
        let interpolates = at.floats && texture.described.sampler.linear && texture.has_floats();
        if interpolates && !as_float {
            return Texel::Open;
        }
        // For each dimension the lower texel and the share of the next one.
        let lower: Vec<(i64, f64)> = (0..dimensions)
            .map(|it| {
                let number = at.numbers[it] - if interpolates { 0.5 } else { 0.0 };
                let first = number.floor();
                let share = match interpolates {
                    true => ((number - first) * PARTS).round() / PARTS,
                    false => 0.0,
                };
                // Coordinates may be beyond all integers.
                ((first as i64).saturating_add(at.offsets[it]), share)
            })
            .collect();
        let mut known = at.known;
        let mut sum = 0.0;
        let corners = if interpolates { 1_u32 << dimensions } else { 1 };
        for corner in 0..corners {
            let mut share = 1.0;
            let mut place = Some([0; 3]);
            let mut is_inside = true;
            for (dimension, (first, part)) in lower.iter().enumerate() {
                let next = corner >> dimension & 1;
                share *= if next == 1 { *part } else { 1.0 - part };
                let at = first.saturating_add(next.into());
                is_inside &= (0..texture.size(dimension) as i64).contains(&at);
                place = advanced(place, dimension, texture.inside(at, dimension));
            }
            if share == 0.0 {
                continue;
            }
            // Nothing says which texels are mixed across the edge of a cube.
            known &= is_inside || !texture.described.cube || !interpolates;
            let bits = self.channel_bits(texture, at, (place, wanted.channel), lane);
            let texel = wanted.texel(texture, bits);
            if corners == 1 {
                return if known { texel } else { Texel::Open };
            }
            sum += share * texel.number(texture).unwrap_or(0.0);
        }
        match known {
            true => Texel::Number(sum),
            false => Texel::Open,
        }
    }
}

impl Wanted {
    /// A texel with its bits, or its comparison.
    fn texel(&self, texture: &Texture, bits: u64) -> Texel {
        match self.reference {
            None => Texel::Bits(bits),
            Some((comparison, left)) => {
                let holds = texture::compares(comparison, left, texture.number(bits));
                Texel::Number(if holds { 1.0 } else { 0.0 })
            }
        }
    }
}

impl Texel {
    /// The number that it is.
    fn number(self, texture: &Texture) -> Option<f64> {
        match self {
            Texel::Bits(bits) => Some(texture.number(bits)),
            Texel::Number(number) => Some(number),
            Texel::Open => None,
        }
    }
}

/// The levels of detail that a logarithm inside the range chooses.
fn chosen(level: f64, linear: bool) -> Levels {
    let first = level.floor();
    let share = level - first;
    match linear {
        _ if share == 0.0 => Levels::One(first as u64),
        true => Levels::Two(first as u64, share),
        false if share == 0.5 => Levels::Open,
        false => Levels::One(level.round() as u64),
    }
}

/// The least and the largest binary logarithm of the texels from one pixel to the next, which implementations may
/// estimate by the largest coordinate or by the sum of all of them; `None` for directions from the centre of a cube that
/// change.
fn spread(texture: &Texture, geometry: Geometry, axes: &[Vec<f64>; 2]) -> Option<[f64; 2]> {
    let is_still = axes.iter().flatten().all(|it| *it == 0.0);
    if geometry.cube && !is_still {
        return None;
    }
    let sizes = (0..texture.dimensions()).map(|it| match texture.described.normalized {
        true => texture.size(it) as f64,
        false => 1.0,
    });
    let sizes: Vec<f64> = sizes.collect();
    if axes.iter().flatten().any(|it| it.is_nan()) {
        return Some([f64::NAN; 2]);
    }
    let mut bounds = [0.0_f64; 2];
    for axis in axes {
        let texels = axis.iter().zip(&sizes).map(|(it, size)| (it * size).abs());
        let texels: Vec<f64> = texels.collect();
        let largest = texels.iter().copied().fold(0.0, f64::max);
        bounds = [
            largest.max(bounds[0]),
            texels.iter().sum::<f64>().max(bounds[1]),
        ];
    }
    Some(bounds.map(f64::log2))
}

/// The place of a texel, or between texels.
struct TexelPlace {
    sample: u64,
    layer: u64,
    /// The coordinates in texels.
    numbers: Vec<f64>,
    /// The texels that are added.
    offsets: Vec<i64>,
    floats: bool,
    /// Whether the manual specifies it.
    known: bool,
}

/// A place with its texel along a dimension; `None` if one of them is outside.
fn advanced(place: Option<[u64; 3]>, dimension: usize, found: Option<u64>) -> Option<[u64; 3]> {
    let (mut place, found) = place.zip(found)?;
    place[dimension] = found;
    Some(place)
}

/// The sample, the layer and the other coordinates of a request.
pub(super) fn split(
    texture: &Texture,
    request: &TextureRequest,
    value: &impl Fn(u32) -> u64,
) -> (u64, u64, Vec<u32>) {
    let all = request.coordinates.iter().map(|it| value(*it) as u32);
    let mut all: Vec<u32> = all.collect();
    let sample = match request.geometry.samples {
        true => all.remove(0).into(),
        false => 0,
    };
    if !request.geometry.layered {
        return (sample, 0, all);
    }
    let layer = u64::from(all.remove(0));
    let last = match request.geometry.cube {
        true => texture.described.layers.unwrap_or(1),
        false => texture.layers(),
    };
    let last = last.saturating_sub(1);
    (sample, layer.min(last), all)
}
