//! Textures and surfaces, by the formulas of the CUDA programming guide.

#[cfg(test)]
mod tests;

use isa::compute::{
    AddressSpace, ElementType, Place, Program, TextureQuery, TextureRequest, texture::Outside,
};

use crate::{launch::Sampler, outcome::FindingCode};

use super::{
    access::Access,
    sampling::split,
    texture::{self, Content, Described, Texture},
};

impl Access<'_> {
    fn described_at(&self, handle: u64) -> Option<&Described> {
        let index = texture::index(handle)?;
        self.global.textures.get(index)
    }

    fn texture_at(&mut self, handle: u64, lane: usize) -> Option<Texture> {
        let found = match self.described_at(handle).map(|it| &it.content) {
            Some(Content::Texture(texture)) => Some(texture.clone()),
            _ => None,
        };
        if found.is_none() {
            self.refuse(
                lane,
                format!("there is no texture or surface at {handle:#x}"),
            );
        }
        found
    }

    fn sampler_at(&mut self, handle: u64, lane: usize) -> Option<Sampler> {
        let found = match self.described_at(handle).map(|it| &it.content) {
            Some(Content::Sampler(sampler)) => Some(*sampler),
            _ => None,
        };
        if found.is_none() {
            self.refuse(lane, format!("there is no sampler at {handle:#x}"));
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
        let handle = value(request.handle);
        match request.query {
            TextureQuery::Kind(kind) => {
                return match self.described_at(handle).map(|it| it.kind) {
                    None => 0,
                    Some(Some(found)) => (found == kind).into(),
                    // A number may be the handle of a texture or of a surface.
                    Some(None) => self.unknown(lane) & 1,
                };
            }
            TextureQuery::Property(property) => {
                if let Some(Content::Sampler(sampler)) =
                    self.described_at(handle).map(|it| &it.content)
                {
                    let found = texture::sampler_property(sampler, property);
                    return self.numbered(found, lane);
                }
            }
            _ => {}
        }
        let Some(mut texture) = self.texture_at(handle, lane) else {
            return 0;
        };
        if let Some(sampler) = request.sampler {
            let Some(sampler) = self.sampler_at(value(sampler), lane) else {
                return 0;
            };
            texture.described.normalized &= !sampler.unnormalized;
            texture.described.sampler = sampler;
        }
        match request.query {
            TextureQuery::Kind(_) => 0,
            TextureQuery::Property(property) => {
                if let Some(level) = request.coordinates.first() {
                    let level = value(*level) as u32;
                    let levels = texture.described.levels.unwrap_or(1);
                    if u64::from(level) >= levels {
                        let message = format!(
                            "the instruction asks about level {}, and the texture has {levels}",
                            level.cast_signed()
                        );
                        self.refuse(lane, message);
                        return 0;
                    }
                    texture = texture.level(level.into());
                }
                self.numbered(texture.property(property), lane)
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
                let sampled = self.sampled(&texture, request, (channel, element), lane, value);
                sampled.unwrap_or(0)
            }
        }
    }

    /// The number of a property, if there is one.
    fn numbered(&mut self, found: Option<u64>, lane: usize) -> u64 {
        if found.is_none() {
            let message = "the manual does not number such a property";
            self.refuse(lane, message.to_owned());
        }
        found.unwrap_or(0)
    }

    /// A result that nothing specifies.
    pub(super) fn unknown(&mut self, lane: usize) -> u64 {
        self.undefined |= 1 << lane;
        if self.inverts { u64::from(u32::MAX) } else { 0 }
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
            && geometry.samples == texture.described.samples.is_some()
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
    pub(super) fn texel_bits(&mut self, address: u64, bytes: u64, lane: usize) -> u64 {
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
        let (_, layer, at) = split(texture, request, value);
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

/// Bytes in global memory.
const GLOBAL: Place = Place {
    space: AddressSpace::Global,
    bytes: 1,
    count: 1,
    field: None,
};
