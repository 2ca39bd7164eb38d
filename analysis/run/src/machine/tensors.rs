//! Tensor copies: boxes of tensors in global memory, and their bytes in shared memory.

#[cfg(test)]
mod tests;

use isa::{
    compute::{AddressSpace, Combination, ElementType, Place, TensorBox, ValueType},
    matrix::tensor_map::{
        BoxMode, Images, MOST_DIMENSIONS, MapField, SIZE, TensorMap, type_number,
    },
};

use crate::{
    launch,
    outcome::{FindingCode, NotRun},
};

use super::{access::Access, findings::Refusal};

/// The map that a launch describes, of a tensor at an address.
///
/// # Errors
/// What is wrong with the description, as a sentence.
pub(super) fn from_launch(map: &launch::TensorMap, address: u64) -> Result<TensorMap, String> {
    let rank = map.shape.len();
    if rank == 0 || rank > MOST_DIMENSIONS {
        return Err(format!(
            "a tensor map has 1 to {MOST_DIMENSIONS} dimensions, not {rank}"
        ));
    }
    if map.interleave != 0 {
        return Err("interleaved tensor maps are not run yet".to_owned());
    }
    // Coordinates count the parts of packed elements.
    let single = ValueType::from_word(&map.ty).filter(|it| it.count == 1);
    let bits = single.map_or(0, ValueType::bits);
    if bits < 8 {
        return Err(format!("tensors of `{}` are not run yet", map.ty));
    }
    let swizzle = match map.swizzle {
        0 => 0,
        32 => 1,
        64 => 2,
        128 => 3,
        it => return Err(format!("a swizzle has 0, 32, 64 or 128 bytes, not {it}")),
    };
    let Some(ty) = type_number(&map.ty, bits) else {
        return Err(format!("tensors of `{}` are not run yet", map.ty));
    };
    let ones = |it: &[u32]| -> [u32; MOST_DIMENSIONS] {
        std::array::from_fn(|index| it.get(index).copied().unwrap_or(1))
    };
    let mut strides = [0; MOST_DIMENSIONS - 1];
    for (place, stride) in strides.iter_mut().zip(&map.strides) {
        *place = *stride;
    }
    Ok(TensorMap {
        address,
        rank: rank as u8,
        element: (bits / 8) as u8,
        ty,
        fill: match map.fill_nan {
            true => (1 << (bits - 1)) - 1,
            false => 0,
        },
        shape: std::array::from_fn(|it| map.shape.get(it).copied().unwrap_or(1)),
        strides,
        block: ones(&map.block),
        // Without an interleave all elements of the innermost dimension are taken.
        element_strides: {
            let mut strides = ones(&map.element_strides);
            strides[0] = 1;
            strides
        },
        swizzle,
        images: map.images.as_ref().map(|it| {
            let corner = |of: &[i16]| std::array::from_fn(|at| of.get(at).copied().unwrap_or(0));
            Images {
                lower: corner(&it.lower),
                upper: corner(&it.upper),
                channels: it.channels,
                pixels: it.pixels,
            }
        }),
    })
}

impl Access<'_> {
    /// The tensor map at a generic address; what is none is reported.
    pub(super) fn map_at(&mut self, address: u64, lane: usize) -> Option<TensorMap> {
        let found = self.resolve(AddressSpace::Generic, address, SIZE as u64);
        let map = found.and_then(|(region, offset)| {
            self.check_map(region, offset, lane);
            let bytes: Vec<u8> = (0..SIZE)
                .map(|it| self.read(region, offset + it, 1, lane).0 as u8)
                .collect();
            TensorMap::decode(&bytes)
        });
        let fits = |it: &TensorMap| {
            let rows = BoxMode::ImageRows { fixed: true };
            let modes = [BoxMode::Tile, BoxMode::Rows, BoxMode::Images, rows];
            modes.iter().all(|mode| it.box_bytes(*mode) <= MOST_BYTES)
        };
        let map = map.filter(fits);
        if map.is_none() && !self.quiet {
            let message = format!("there is no tensor map at {address:#x}");
            let code = FindingCode::UnspecifiedOperand;
            self.findings
                .push(code, &self.at, 1 << lane, message, Vec::new());
        }
        map
    }

    /// Replaces a field of the map at an address, of a dimension, by a value.
    pub(super) fn replace_field(
        &mut self,
        place: &Place,
        address: u64,
        (field, (index, value)): (MapField, (u64, u64)),
        lane: usize,
    ) {
        // Compilers let all lanes of a warp replace fields one after the other.
        self.kind.strong = true;
        let Some(bytes) = self.read_many(place, address, SIZE, lane) else {
            return;
        };
        let plain: Vec<u8> = bytes.iter().map(|it| it.0).collect();
        match TensorMap::replaced(&plain, field, index, value) {
            Some(map) => {
                let map: Vec<(u8, bool)> = map.iter().map(|it| (*it, false)).collect();
                self.write_many(place, address, &map, lane);
            }
            None => {
                let message = format!(
                    "there is no tensor map at {address:#x}, or it cannot have the value {value}"
                );
                let code = FindingCode::UnspecifiedOperand;
                self.findings
                    .push(code, &self.at, 1 << lane, message, Vec::new());
            }
        }
    }

    /// The bytes of a box of the tensor whose map is at an address.
    pub(super) fn box_bytes_at(&mut self, mode: BoxMode, address: u64, lane: usize) -> u64 {
        self.map_at(address, lane)
            .map_or(0, |it| it.box_bytes(mode))
    }

    /// The map of a box, which the statement may give another tensor; the run ends where there is none.
    fn map_of(
        &mut self,
        map: u64,
        of: &TensorBox,
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> Option<TensorMap> {
        let Some(mut map) = self.map_at(map, lane) else {
            self.findings.refused.get_or_insert(Refusal::Operand);
            return None;
        };
        if let Some(start) = of.start {
            map.address = self.start_of(value(start), of.fabric, lane)?;
        }
        if !of.sizes.is_empty() && !self.replace_sizes(&mut map, of, lane, value) {
            self.findings.refused.get_or_insert(Refusal::Operand);
            return None;
        }
        if has_halo(&map, of, value) {
            let what =
                "the pixels of a halo, whose place the manual shows in figures only".to_owned();
            let range = self.at.range;
            let refusal = Refusal::NotRun(NotRun { range, what });
            self.findings.refused.get_or_insert(refusal);
            return None;
        }
        if let Some(message) = self.wrong_box(&map, of, value) {
            self.refuse(lane, message);
            self.findings.refused.get_or_insert(Refusal::Operand);
            return None;
        }
        Some(map)
    }

    /// The address in global memory of a tensor that a statement names; of a fabric operation at a logical endpoint.
    fn start_of(&mut self, start: u64, space: Option<AddressSpace>, lane: usize) -> Option<u64> {
        let Some(space) = space else {
            return Some(start);
        };
        if let Ok(found) = self.global.at_endpoint(space, start) {
            return Some(found.address);
        }
        self.out_of_bounds(space, start, 1, 1 << lane, false);
        self.findings.refused.get_or_insert(Refusal::Operand);
        None
    }

    /// Gives a map the sizes and strides of a statement; returns whether PTX specifies the box.
    fn replace_sizes(
        &mut self,
        map: &mut TensorMap,
        of: &TensorBox,
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> bool {
        if of.sizes.len() != usize::from(map.rank) {
            let message = format!(
                "the statement gives {} sizes, and the tensor map has {} dimensions",
                of.sizes.len(),
                map.rank
            );
            self.refuse(lane, message);
            return false;
        }
        for (size, node) in map.shape.iter_mut().zip(&of.sizes) {
            *size = value(*node);
        }
        for (stride, node) in map.strides.iter_mut().zip(&of.strides) {
            *stride = value(*node);
        }
        let moved = of.coordinates.iter().any(|it| value(*it) != 0);
        let empty = map.shape[..usize::from(map.rank)].contains(&0);
        if moved || empty {
            let message = match moved {
                true => "the coordinates of a tensor whose sizes a statement gives are 0",
                false => "a tensor has at least one element along each dimension",
            };
            self.refuse(lane, message.to_owned());
            return false;
        }
        true
    }

    /// Why a map has no such box.
    fn wrong_box(
        &self,
        map: &TensorMap,
        of: &TensorBox,
        value: &impl Fn(u32) -> u64,
    ) -> Option<String> {
        let is_image = matches!(of.mode, BoxMode::Images | BoxMode::ImageRows { .. });
        if is_image != map.images.is_some() {
            return Some("the tensor map is one of the other modes, tiled or im2col".to_owned());
        }
        if !is_image {
            return None;
        }
        let all: Vec<i64> = of.coordinates.iter().map(|it| value(*it) as i64).collect();
        let (coordinates, offsets) = all.split_at(all.len().min(map.rank.into()));
        if coordinates.len() < usize::from(map.rank) {
            return Some(format!("the tensor map has {} dimensions", map.rank));
        }
        if !map.is_in_bounding_box(of.mode, coordinates) {
            return Some(format!(
                "the coordinates {coordinates:?} are out of the bounding box of the images"
            ));
        }
        if of.mode != BoxMode::Images {
            return wrong_row(map, offsets);
        }
        // The offsets of all dimensions take 16 bits together.
        let bits = match map.rank {
            3 => 16,
            4 => 8,
            _ => 5,
        };
        let most = (1 << bits) - 1;
        let large = offsets.iter().find(|it| **it > most)?;
        Some(format!("the offset {large} is not from 0 to {most}"))
    }

    /// Reads a box, in the order of shared memory before swizzling.
    pub(super) fn read_box(
        &mut self,
        map: u64,
        of: &TensorBox,
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> Option<(Vec<(u8, bool)>, TensorMap)> {
        let map = self.map_of(map, of, lane, value)?;
        let coordinates: Vec<i64> = of.coordinates.iter().map(|it| value(*it) as i64).collect();
        let mut bytes = Vec::with_capacity(map.box_bytes(of.mode) as usize);
        for piece in map.pieces(of.mode, &coordinates) {
            let size = piece.size as usize;
            match piece.address {
                Some(address) => {
                    let read = self.read_many(&GLOBAL, address, size, lane);
                    bytes.extend(read.unwrap_or_else(|| vec![(0, true); size]));
                }
                None => bytes.extend(map.fill.to_le_bytes()[..size].iter().map(|it| (*it, false))),
            }
        }
        Some((bytes, map))
    }

    /// Writes a box of the tensor whose map is at an address from bytes of shared memory, perhaps combined with
    /// what is there; returns whether the map has the box.
    pub(super) fn write_box(
        &mut self,
        map: u64,
        (of, combined): (&TensorBox, Option<Combination>),
        (from, source, stated): (&Place, u64, usize),
        lane: usize,
        value: &impl Fn(u32) -> u64,
    ) -> bool {
        let Some(map) = self.map_of(map, of, lane, value) else {
            return false;
        };
        let coordinates: Vec<i64> = of.coordinates.iter().map(|it| value(*it) as i64).collect();
        let size = map.box_bytes(of.mode) as usize;
        if stated != size {
            let message = format!("the box has {size} bytes, and the statement copies {stated}");
            self.refuse(lane, message);
            self.findings.refused.get_or_insert(Refusal::Operand);
            return false;
        }
        let Some(bytes) = self.read_many(from, source, size, lane) else {
            return true;
        };
        let start = source as u32;
        for piece in map.pieces(of.mode, &coordinates) {
            let Some(address) = piece.address else {
                continue;
            };
            let mut element = Vec::with_capacity(piece.size as usize);
            for it in 0..piece.size {
                let at = map
                    .swizzle()
                    .address(start.wrapping_add((piece.offset + it) as u32));
                element.push(bytes[at.wrapping_sub(start) as usize % bytes.len()]);
            }
            if let Some(combination) = combined {
                let Some(old) = self.read_many(&GLOBAL, address, element.len(), lane) else {
                    return true;
                };
                let ty = map.type_word().and_then(ElementType::from_word);
                let number = |all: &[(u8, bool)]| {
                    let bytes = all.iter().rev();
                    bytes.fold(0, |number, it| number << 8 | u64::from(it.0))
                };
                let made = ty.and_then(|ty| combination.apply(ty, number(&old), number(&element)));
                let Some(made) = made else {
                    let message = "the type of the elements of the tensor has no such reduction";
                    let code = FindingCode::UnspecifiedOperand;
                    let message = message.to_owned();
                    self.findings
                        .push(code, &self.at, 1 << lane, message, Vec::new());
                    return true;
                };
                let undefined = old.iter().chain(&element).any(|it| it.1);
                let made = made.to_le_bytes();
                element = made[..old.len()]
                    .iter()
                    .map(|it| (*it, undefined))
                    .collect();
            }
            self.write_many(&GLOBAL, address, &element, lane);
        }
        true
    }

    /// Writes the bytes of a box to shared memory, swizzled.
    pub(super) fn write_swizzled(
        &mut self,
        place: &Place,
        address: u64,
        (bytes, map): (&[(u8, bool)], &TensorMap),
        lane: usize,
    ) {
        let start = address as u32;
        let mut swizzled = vec![(0, true); bytes.len()];
        for (offset, byte) in (0_u32..).zip(bytes) {
            let at = map.swizzle().address(start.wrapping_add(offset));
            let at = at.wrapping_sub(start) as usize;
            if let Some(place) = swizzled.get_mut(at) {
                *place = *byte;
            }
        }
        self.write_many(place, address, &swizzled, lane);
    }
}

/// Whether a box is a row of pixels with a halo.
fn has_halo(map: &TensorMap, of: &TensorBox, value: &impl Fn(u32) -> u64) -> bool {
    let halo = of.coordinates.get(usize::from(map.rank));
    matches!(of.mode, BoxMode::ImageRows { .. })
        && map.images.is_some()
        && halo.is_some_and(|it| value(*it) != 0)
}

/// Why a map has no such row of pixels, with its offset along the width, which follows the halo.
fn wrong_row(map: &TensorMap, halo_and_offset: &[i64]) -> Option<String> {
    if map.swizzle == 0 {
        return Some("rows of pixels take a swizzle".to_owned());
    }
    let offset = halo_and_offset.get(1).copied().unwrap_or(0);
    (offset > 31).then(|| format!("the offset {offset} is not from 0 to 31"))
}

/// The most bytes of a box: more than a block has of shared memory.
const MOST_BYTES: u64 = 1 << 24;

/// Bytes in global memory.
const GLOBAL: Place = Place {
    space: AddressSpace::Global,
    bytes: 1,
    count: 1,
    field: None,
};
