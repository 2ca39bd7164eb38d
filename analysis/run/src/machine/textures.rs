//! Textures and surfaces, by the formulas of the CUDA programming guide.

#[cfg(test)]
mod tests;

use isa::compute::{
    AddressSpace, ElementType, Place, Program, TextureQuery, TextureRequest,
    float::Format,
    texture::{Outside, TextureProperty},
};

use crate::outcome::FindingCode;

use super::{
    access::Access,
    findings::lanes_of,
    texture::{self, Texture},
    warp::{LANES, Lanes},
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

    fn refuse(&mut self, lane: usize, message: String) {
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
            TextureQuery::Property(property) => match property {
                TextureProperty::Width => texture.size(0),
                TextureProperty::Height => texture.size(1),
                TextureProperty::Depth => texture.size(2),
                TextureProperty::Layers => texture.described.layers.unwrap_or(1),
            },
            TextureQuery::Bytes { .. } => {
                match self.surface_place(&texture, request, lane, value) {
                    Some((address, bytes)) => {
                        let address = address + u64::from(element) * bytes;
                        self.texel_bits(address, bytes, lane)
                    }
                    None => 0,
                }
            }
            TextureQuery::Texel { floats } => {
                if !self.fits(&texture, request, lane) {
                    return 0;
                }
                if element >= texture.described.channels {
                    // Nothing says what missing channels are.
                    self.undefined |= 1 << lane;
                    return if self.inverts { u64::from(u32::MAX) } else { 0 };
                }
                let (layer, at) = split(&texture, request, value);
                self.texel(&texture, (layer, &at, floats), request.to, element, lane)
            }
        }
    }

    /// Whether a texture has the dimensions that a statement names.
    fn fits(&mut self, texture: &Texture, request: &TextureRequest, lane: usize) -> bool {
        let geometry = request.geometry;
        let layered = texture.described.layers.is_some();
        let fits =
            usize::from(geometry.dimensions) == texture.dimensions() && geometry.layered == layered;
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

    /// A channel of a texel, or of the mean of several.
    fn texel(
        &mut self,
        texture: &Texture,
        (layer, at, floats): (u64, &[u32], bool),
        to: ElementType,
        channel: u8,
        lane: usize,
    ) -> u64 {
        let dimensions = texture.dimensions();
        let scaled = |dimension: usize| {
            let number = f64::from(f32::from_bits(at[dimension]));
            match texture.described.normalized {
                true => number * texture.size(dimension) as f64,
                false => number,
            }
        };
        let as_float = matches!(to, ElementType::Float(_));
        if as_float && !texture.has_floats() {
            let message = "the texture has integers, and the instruction asks for floats";
            self.refuse(lane, message.to_owned());
            return 0;
        }
        let interpolates = floats && texture.described.linear && texture.has_floats();
        // For each dimension the lower texel and the share of the next one.
        let lower: Vec<(i64, f64)> = (0..dimensions)
            .map(|it| match (floats, interpolates) {
                (false, _) => (i64::from(at[it].cast_signed()), 0.0),
                (true, false) => (scaled(it).floor() as i64, 0.0),
                (true, true) => {
                    let number = scaled(it) - 0.5;
                    let first = number.floor();
                    (first as i64, ((number - first) * PARTS).round() / PARTS)
                }
            })
            .collect();
        let mut sum = 0.0;
        let corners = if interpolates { 1_u32 << dimensions } else { 1 };
        for corner in 0..corners {
            let mut share = 1.0;
            let mut place = Some([0; 3]);
            for (dimension, (first, part)) in lower.iter().enumerate() {
                let next = corner >> dimension & 1;
                share *= if next == 1 { *part } else { 1.0 - part };
                let found = texture.inside(first + i64::from(next), dimension);
                place = place.zip(found).map(|(mut place, found)| {
                    place[dimension] = found;
                    place
                });
            }
            let bits = match place {
                Some(place) if share != 0.0 => {
                    let texel = place[0] * u64::from(texture.described.channels);
                    let offset = (texel + u64::from(channel)) * texture.bytes;
                    let address = texture.row(layer, place) + offset;
                    self.texel_bits(address, texture.bytes, lane)
                }
                _ => 0,
            };
            if !as_float {
                return match texture.ty {
                    ElementType::Integer {
                        bits: width,
                        signed: true,
                    } => {
                        let rest = 32 - width;
                        u64::from(
                            ((bits as u32) << rest)
                                .cast_signed()
                                .wrapping_shr(rest)
                                .cast_unsigned(),
                        )
                    }
                    _ => bits,
                };
            }
            if corners == 1 && texture.ty == ElementType::Float(Format::F32) {
                return bits;
            }
            if share != 0.0 {
                sum += share * texture.number(bits);
            }
        }
        u64::from((sum as f32).to_bits())
    }

    /// The address of the first byte that a request for a surface means, and the bytes of an element.
    fn surface_place(
        &mut self,
        texture: &Texture,
        request: &TextureRequest,
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> Option<(u64, u64)> {
        let TextureQuery::Bytes {
            bytes,
            count,
            outside,
        } = request.query
        else {
            return None;
        };
        if !self.fits(texture, request, lane) {
            return None;
        }
        let (bytes, count) = (u64::from(bytes), u64::from(count));
        let (layer, at) = split(texture, request, value);
        let width = texture.size(0) * u64::from(texture.described.channels) * texture.bytes;
        let mut place = [0; 3];
        for (dimension, at) in at.iter().enumerate() {
            let at = i64::from(at.cast_signed());
            let last = match dimension {
                0 => width as i64 - (bytes * count) as i64,
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
        if !place[0].is_multiple_of(bytes * count) {
            self.misaligned(place[0], bytes * count, 1 << lane);
            return None;
        }
        Some((texture.row(layer, place) + place[0], bytes))
    }

    /// Writes what a program writes to surfaces.
    pub(super) fn write_texels(&mut self, program: &Program, values: &[Lanes]) {
        for lane in lanes_of(self.active)
            .map(usize::from)
            .filter(|it| *it < LANES)
        {
            let value = |node: u32| values[node as usize][lane];
            for store in &program.texels {
                let request = &program.textures[usize::from(store.request)];
                let Some(texture) = self.texture_at(value(request.handle), lane) else {
                    continue;
                };
                let place = self.surface_place(&texture, request, lane, &value);
                let Some((address, bytes)) = place else {
                    continue;
                };
                let all = value(store.value).to_le_bytes();
                let all: Vec<(u8, bool)> = all.iter().map(|it| (*it, false)).collect();
                let address = address + u64::from(store.element) * bytes;
                self.write_many(&GLOBAL, address, &all[..bytes as usize], lane);
            }
        }
    }
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
    let last = texture.described.layers.unwrap_or(1).saturating_sub(1);
    (layer.min(last), all)
}

/// Bytes in global memory.
const GLOBAL: Place = Place {
    space: AddressSpace::Global,
    bytes: 1,
    count: 1,
    field: None,
};
