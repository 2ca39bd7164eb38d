//! Textures and surfaces, by the formulas of the CUDA programming guide.

#[cfg(test)]
mod tests;

use isa::compute::{
    AddressSpace, ElementType, Place, Program, TextureQuery, TextureRequest, texture::Outside,
};

use crate::outcome::FindingCode;

use super::{
    access::Access,
    texture::{self, Texture},
};

/// The parts into which interpolation divides the distance of two texels.
const PARTS: f64 = 256.0;

impl Access<'_> {
    fn texture_at(&mut self, handle: u64, lane: usize) -> Option<Texture> {
        let index = texture::index(handle);
        let found = index.and_then(|it| self.global.textures.get(it)).cloned();
        if found.is_none() {
            self.refuse(
                lane,
                format!("there is no texture or surface at {handle:#x}"),
            );
        }
        found
    }

    /// Reports an operand of a lane whose effect is not specified.
    pub(super) fn refuse(&mut self, lane: usize, message: String) {
        if !self.quiet {
            let code = FindingCode::UnspecifiedOperand;
            self.findings
                .push(code, &self.at, 1 << lane, message, Vec::new());
        }
    }

    /// An element of what a request asks, in a lane.
    pub(super) fn read_texture(
        &mut self,
        request: &TextureRequest,
        element: u8,
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> u64 {
        let Some(texture) = self.texture_at(value(request.handle), lane) else {
            return 0;
        };
        match request.query {
            TextureQuery::Property(property) => {
                if request.coordinates.iter().any(|it| value(*it) as u32 != 0) {
                    let message = "the texture has one level of detail, and the instruction asks about another";
                    self.refuse(lane, message.to_owned());
                    return 0;
                }
                match texture.property(property) {
                    Some(it) => it,
                    None => {
                        let message = "the manual does not number such a property";
                        self.refuse(lane, message.to_owned());
                        0
                    }
                }
            }
            // It is only written.
            TextureQuery::Sample { .. } => 0,
            TextureQuery::Bytes { .. } => {
                match self.surface_place(&texture, request, lane, value) {
                    Some((address, bytes)) => {
                        let address = address + u64::from(element) * bytes;
                        self.texel_bits(address, bytes, lane)
                    }
                    None => 0,
                }
            }
            TextureQuery::Texel { .. } | TextureQuery::Gather { .. } => {
                if !self.fits(&texture, request, lane) {
                    return 0;
                }
                let as_float = matches!(request.to, ElementType::Float(_));
                if as_float && !texture.has_floats() {
                    let message = "the texture has integers, and the instruction asks for floats";
                    self.refuse(lane, message.to_owned());
                    return 0;
                }
                let channel = match request.query {
                    TextureQuery::Gather { channel } => channel,
                    _ => element,
                };
                if channel >= texture.described.channels {
                    // Nothing says what missing channels are.
                    return self.unknown(lane);
                }
                let Some(at) = self.texel_place(&texture, request, lane, value) else {
                    return 0;
                };
                match request.query {
                    TextureQuery::Gather { .. } => {
                        self.gathered(&texture, &at, request.to, (channel, element), lane)
                    }
                    _ => self.texel(&texture, &at, request.to, channel, lane),
                }
            }
        }
    }

    /// A result that nothing specifies.
    fn unknown(&mut self, lane: usize) -> u64 {
        self.undefined |= 1 << lane;
        if self.inverts { u64::from(u32::MAX) } else { 0 }
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
        let (mut layer, at) = split(texture, request, value);
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
        if floats && texture.described.normalized {
            for (dimension, number) in numbers.iter_mut().enumerate() {
                *number *= texture.size(dimension) as f64;
            }
        }
        Some(TexelPlace {
            layer,
            numbers,
            offsets,
            floats,
            known,
        })
    }

    /// Whether a texture has the dimensions that a statement names.
    fn fits(&mut self, texture: &Texture, request: &TextureRequest, lane: usize) -> bool {
        let geometry = request.geometry;
        let layered = texture.described.layers.is_some();
        // Faces of cubes are layers for surfaces.
        let is_surface = matches!(
            request.query,
            TextureQuery::Bytes { .. } | TextureQuery::Sample { .. }
        );
        let cube = texture.described.cube;
        let fits = usize::from(geometry.dimensions) == texture.dimensions()
            && match is_surface {
                true => geometry.layered == (layered || cube),
                false => geometry.layered == layered && geometry.cube == cube,
            };
        if !fits {
            let message = "the texture or surface has other dimensions than the instruction";
            self.refuse(lane, message.to_owned());
        }
        fits
    }

    /// The bits of some bytes of global memory.
    fn texel_bits(&mut self, address: u64, bytes: u64, lane: usize) -> u64 {
        let Some(read) = self.read_many(&GLOBAL, address, bytes as usize, lane) else {
            return 0;
        };
        let mut all = 0;
        for (at, (byte, undefined)) in read.iter().enumerate() {
            all |= u64::from(*byte ^ if *undefined && self.inverts { 0xFF } else { 0 }) << (8 * at);
            self.undefined |= u32::from(*undefined) << lane;
        }
        all
    }

    /// The bits of a channel of a texel; `None` is one outside, which is zero.
    fn channel_bits(
        &mut self,
        texture: &Texture,
        layer: u64,
        (place, channel): (Option<[u64; 3]>, u8),
        lane: usize,
    ) -> u64 {
        let Some(place) = place else {
            return 0;
        };
        let texel = place[0] * u64::from(texture.described.channels);
        let offset = (texel + u64::from(channel)) * texture.bytes;
        let address = texture.row(layer, place) + offset;
        self.texel_bits(address, texture.bytes, lane)
    }

    /// A channel of one of the four texels that interpolation would take. Their order is counter-clockwise from the
    /// lower left, where the second coordinate grows downwards.
    fn gathered(
        &mut self,
        texture: &Texture,
        at: &TexelPlace,
        to: ElementType,
        (channel, element): (u8, u8),
        lane: usize,
    ) -> u64 {
        let next = [[0, 1], [1, 1], [1, 0], [0, 0]][usize::from(element & 3)];
        let mut place = Some([0; 3]);
        for (dimension, next) in next.into_iter().enumerate() {
            // The fraction has 8 bits before the texel is chosen.
            let first = ((at.numbers[dimension] - 0.5) * PARTS).round() / PARTS;
            let found = first.floor() as i64 + at.offsets[dimension] + next;
            place = advanced(place, dimension, texture.inside(found, dimension));
        }
        let bits = self.channel_bits(texture, at.layer, (place, channel), lane);
        texture.shown(bits, to)
    }

    /// A channel of a texel, or of the mean of several.
    fn texel(
        &mut self,
        texture: &Texture,
        at: &TexelPlace,
        to: ElementType,
        channel: u8,
        lane: usize,
    ) -> u64 {
        let dimensions = texture.dimensions();
        let as_float = matches!(to, ElementType::Float(_));
        let interpolates = at.floats && texture.described.linear && texture.has_floats();
        if interpolates && !as_float {
            return self.unknown(lane);
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
                (first as i64 + at.offsets[it], share)
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
                let at = first + i64::from(next);
                is_inside &= (0..texture.size(dimension) as i64).contains(&at);
                place = advanced(place, dimension, texture.inside(at, dimension));
            }
            if share == 0.0 {
                continue;
            }
            // Nothing says which texels are mixed across the edge of a cube.
            known &= is_inside || !texture.described.cube || !interpolates;
            let bits = self.channel_bits(texture, at.layer, (place, channel), lane);
            if !as_float || corners == 1 {
                if !known {
                    return self.unknown(lane);
                }
                return texture.shown(bits, to);
            }
            sum += share * texture.number(bits);
        }
        match known {
            true => u64::from((sum as f32).to_bits()),
            false => self.unknown(lane),
        }
    }

    /// The address of the first byte that a request for a surface means, and the bytes of an element.
    fn surface_place(
        &mut self,
        texture: &Texture,
        request: &TextureRequest,
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> Option<(u64, u64)> {
        let of_texel = u64::from(texture.described.channels) * texture.bytes;
        // Bytes of an element, of an access, of a step along the first coordinate.
        let (bytes, size, step, outside) = match request.query {
            TextureQuery::Bytes {
                bytes,
                count,
                outside,
            } => {
                let bytes = u64::from(bytes);
                (bytes, bytes * u64::from(count), 1, outside)
            }
            TextureQuery::Sample { outside } => (texture.bytes, of_texel, of_texel, outside),
            _ => return None,
        };
        if !self.fits(texture, request, lane) {
            return None;
        }
        let (layer, at) = split(texture, request, value);
        let width = texture.size(0) * of_texel;
        let mut place = [0; 3];
        for (dimension, at) in at.iter().enumerate() {
            let at = i64::from(at.cast_signed());
            let last = match dimension {
                0 => (width as i64 - size as i64).div_euclid(step as i64),
                _ => texture.size(dimension) as i64 - 1,
            };
            let nearest = at.clamp(0, last.max(0));
            if at != nearest || last < 0 {
                match outside {
                    Outside::Nearest if last >= 0 => {}
                    Outside::Trap => {
                        let code = FindingCode::OutOfBounds;
                        let message = format!(
                            "coordinate {dimension} of the surface is {at}, and the last one is {last}"
                        );
                        if !self.quiet {
                            self.findings
                                .push(code, &self.at, 1 << lane, message, Vec::new());
                        }
                        return None;
                    }
                    _ => return None,
                }
            }
            place[dimension] = nearest as u64;
        }
        let first = place[0] * step;
        if !first.is_multiple_of(size) {
            self.misaligned(first, size, 1 << lane);
            return None;
        }
        Some((texture.row(layer, place) + first, bytes))
    }

    /// Writes what a program writes to surfaces in a lane.
    pub(super) fn write_texels(
        &mut self,
        program: &Program,
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) {
        for store in &program.texels {
            let request = &program.textures[usize::from(store.request)];
            let Some(texture) = self.texture_at(value(request.handle), lane) else {
                continue;
            };
            let place = self.surface_place(&texture, request, lane, value);
            let Some((address, bytes)) = place else {
                continue;
            };
            let is_sample = matches!(request.query, TextureQuery::Sample { .. });
            if is_sample && store.element >= texture.described.channels {
                continue;
            }
            let mut new = value(store.value);
            if is_sample && store.combined.is_none() {
                if store.element == 0 {
                    // Channels that get no element are unpredictable.
                    let all = u64::from(texture.described.channels) * bytes;
                    let unknown = vec![(0, true); all as usize];
                    self.write_many(&GLOBAL, address, &unknown, lane);
                }
                let Some(formatted) = texture.formatted(new as u32) else {
                    let message = format!(
                        "the manual does not say how {:#x} is converted to the format of the surface",
                        new as u32
                    );
                    self.refuse(lane, message);
                    continue;
                };
                new = formatted;
            }
            let address = address + u64::from(store.element) * bytes;
            if let Some(combination) = store.combined {
                let ty = if is_sample { texture.ty } else { request.to };
                let old = self.texel_bits(address, bytes, lane);
                // A sample is a single element here.
                let is_one = !is_sample || texture.described.channels == 1;
                let made = is_one.then(|| combination.apply(ty, old, new)).flatten();
                let Some(made) = made else {
                    let message = "the format of the surface has no such reduction";
                    self.refuse(lane, message.to_owned());
                    continue;
                };
                new = made;
            }
            let all = new.to_le_bytes();
            let all: Vec<(u8, bool)> = all.iter().map(|it| (*it, false)).collect();
            self.write_many(&GLOBAL, address, &all[..bytes as usize], lane);
        }
    }
}

/// The place of a texel, or between texels.
struct TexelPlace {
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

/// The layer and the other coordinates of a request.
fn split(
    texture: &Texture,
    request: &TextureRequest,
    value: &impl Fn(u32) -> u64,
) -> (u64, Vec<u32>) {
    let all = request.coordinates.iter().map(|it| value(*it) as u32);
    let mut all: Vec<u32> = all.collect();
    if !request.geometry.layered {
        return (0, all);
    }
    let layer = u64::from(all.remove(0));
    let last = match request.geometry.cube {
        true => texture.described.layers.unwrap_or(1),
        false => texture.layers(),
    };
    let last = last.saturating_sub(1);
    (layer.min(last), all)
}

/// Bytes in global memory.
const GLOBAL: Place = Place {
    space: AddressSpace::Global,
    bytes: 1,
    count: 1,
    field: None,
};
