//! Tensor maps: which bytes of global memory a box of a tensor has, and where they are in shared memory, PTX ISA 5.5.
//!
//! The bits of a `CUtensorMap` are not documented. [`TensorMap::encode`] has an encoding of its own, which only
//! [`TensorMap::decode`] reads.

use super::swizzle::{MODES, Swizzle};

/// The most dimensions of a tensor.
pub const MOST_DIMENSIONS: usize = 5;
/// Bytes of a tensor map.
pub const SIZE: usize = 128;
/// The last bytes of an encoded map, by which others are told from it.
const MARK: u32 = 0x5054_584D;

/// A tensor map; all lists begin with the innermost dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorMap {
    /// The address of the tensor in global memory.
    pub address: u64,
    /// The number of dimensions, 1 to 5.
    pub rank: u8,
    /// Bytes of an element.
    pub element: u8,
    /// The type of an element, by its number in PTX ISA 9.7.9.27.
    pub ty: u8,
    /// The bits of an element out of bounds.
    pub fill: u64,
    /// Elements along each dimension.
    pub shape: [u64; MOST_DIMENSIONS],
    /// Bytes from one element to the next along the dimensions after the first.
    pub strides: [u64; MOST_DIMENSIONS - 1],
    /// Elements of a box along each dimension.
    pub block: [u32; MOST_DIMENSIONS],
    /// The distance of the elements that are taken, in elements.
    pub element_strides: [u32; MOST_DIMENSIONS],
    /// The swizzle, by its index in [`MODES`].
    pub swizzle: u8,
    /// The columns of images, instead of boxes.
    pub images: Option<Images>,
}

/// How a map of a batch of images chooses pixels (im2col), PTX ISA 5.5.4. The dimensions are channels, width, height,
/// depth and images; lists begin with the width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Images {
    /// The first place of the bounding box, from the start of the image.
    pub lower: [i16; 3],
    /// The last place of it, from the last pixel of the image.
    pub upper: [i16; 3],
    /// Elements of a pixel.
    pub channels: u16,
    /// Pixels of a column.
    pub pixels: u16,
}

impl Images {
    /// The pixels that a copy has.
    fn pixels_of(&self, mode: BoxMode) -> u16 {
        match mode {
            BoxMode::ImageRows { fixed: true } => ROW_PIXELS,
            _ => self.pixels,
        }
    }
}

/// The way in which the coordinates of a copy choose elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoxMode {
    /// A box.
    Tile,
    /// Four rows, each with a coordinate of its own (`.tile::gather4`, `.tile::scatter4`).
    Rows,
    /// Pixels of images one after the other, row by row in a bounding box (`.im2col`). Offsets follow the coordinates.
    Images,
    /// The same along the width alone (`.im2col::w`): after a row follows the row of the next image. The pixels of the
    /// halo and the offset along the width follow the coordinates.
    ImageRows {
        /// Whether there are always 128 pixels, and not as many as the map states (`.im2col::w::128`).
        fixed: bool,
    },
}

/// The pixels of `.im2col::w::128`.
const ROW_PIXELS: u16 = 128;

/// A field of a tensor map that an instruction replaces, PTX ISA 9.7.9.27.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MapField {
    /// The address of the tensor.
    Address,
    /// The number of dimensions less one.
    Rank,
    /// Elements of a box along a dimension.
    Box,
    /// Elements along a dimension.
    Shape,
    /// Bytes from one element to the next along a dimension after the first.
    Stride,
    /// The distance of the elements that are taken.
    ElementStride,
    /// The type of the elements, by its number.
    Type,
    /// The swizzle, by its number.
    Swizzle,
    /// 1 if elements out of bounds are NaN.
    Fill,
    /// The interleave, by its number.
    Interleave,
    /// The chunks that a swizzle keeps together, by their number.
    Atomicity,
}

impl MapField {
    /// The field of a word of a statement.
    #[must_use]
    pub fn from_word(word: &str) -> Option<MapField> {
        Some(match word {
            "global_address" => MapField::Address,
            "rank" => MapField::Rank,
            "box_dim" => MapField::Box,
            "global_dim" => MapField::Shape,
            "global_stride" => MapField::Stride,
            "element_stride" => MapField::ElementStride,
            "elemtype" => MapField::Type,
            "swizzle_mode" => MapField::Swizzle,
            "fill_mode" => MapField::Fill,
            "interleave_layout" => MapField::Interleave,
            "swizzle_atomicity" => MapField::Atomicity,
            _ => return None,
        })
    }
}

/// The types of elements by their numbers, PTX ISA 9.7.9.27; those after them have parts of bytes.
const TYPES: [&str; 13] = [
    "u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32", "f64", "bf16", "tf32", "tf32",
];

/// Bytes of these.
const TYPE_BYTES: [u8; 13] = [1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4];

/// The number by which a tensor map names an element type. A type without a number has the number of the unsigned
/// integer of `bits` bits; `None` if there is no such integer either.
#[must_use]
pub fn type_number(word: &str, bits: u32) -> Option<u8> {
    let own = TYPES.iter().position(|it| *it == word);
    let found = own.or_else(|| [8, 16, 32, 0, 64].iter().position(|it| *it == bits));
    found.map(|it| it as u8)
}

/// A piece of a box: neighbouring elements in both memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The first byte in the box, before swizzling.
    pub offset: u64,
    /// The address in global memory; `None` if the piece is out of the bounds of the tensor.
    pub address: Option<u64>,
    /// Bytes.
    pub size: u64,
}

impl TensorMap {
    /// The swizzle of the box in shared memory.
    #[must_use]
    pub fn swizzle(&self) -> Swizzle {
        MODES[usize::from(self.swizzle).min(MODES.len() - 1)]
    }

    /// The type of an element, as a word.
    #[must_use]
    pub fn type_word(&self) -> Option<&'static str> {
        TYPES.get(usize::from(self.ty)).copied()
    }

    /// How many elements of a dimension a box has.
    fn count(&self, dimension: usize) -> u64 {
        let stride = self.element_strides[dimension].max(1);
        self.block[dimension].div_ceil(stride).into()
    }

    /// Bytes of a box in shared memory, those out of bounds too.
    #[must_use]
    pub fn box_bytes(&self, mode: BoxMode) -> u64 {
        let dimensions = 0..usize::from(self.rank).min(MOST_DIMENSIONS);
        let elements = match mode {
            BoxMode::Tile => dimensions
                .map(|it| self.count(it))
                .fold(1, u64::saturating_mul),
            BoxMode::Rows => self.count(0) * 4,
            BoxMode::Images | BoxMode::ImageRows { .. } => self.images.map_or(0, |it| {
                u64::from(it.channels) * u64::from(it.pixels_of(mode))
            }),
        };
        elements.saturating_mul(self.element.into())
    }

    /// The elements of a box at these coordinates, innermost first, one piece for each.
    #[must_use]
    pub fn pieces(&self, mode: BoxMode, coordinates: &[i64]) -> Vec<Piece> {
        let rank = usize::from(self.rank).min(MOST_DIMENSIONS);
        let at = |it: usize| coordinates.get(it).copied().unwrap_or(0);
        let counts: Vec<u64> = match mode {
            BoxMode::Tile => (0..rank).map(|it| self.count(it)).collect(),
            BoxMode::Rows => vec![self.count(0), 4],
            BoxMode::Images | BoxMode::ImageRows { .. } => {
                return self.pixels(mode, coordinates);
            }
        };
        let total: u64 = counts.iter().product();
        let mut pieces = Vec::with_capacity(total as usize);
        for index in 0..total {
            let mut rest = index;
            let mut place = [0_i64; MOST_DIMENSIONS];
            for (dimension, count) in counts.iter().enumerate() {
                let inside = (rest % count) as i64;
                rest /= count;
                place[dimension] = match (mode, dimension) {
                    (BoxMode::Rows, 1) => at(1 + inside as usize),
                    _ => {
                        let stride = i64::from(self.element_strides[dimension].max(1));
                        at(dimension) + inside * stride
                    }
                };
            }
            pieces.push(self.piece(index, &place[..rank]));
        }
        pieces
    }

    /// The element with these coordinates in the tensor, and with this index in the box.
    fn piece(&self, index: u64, place: &[i64]) -> Piece {
        let mut inside = true;
        let mut address = self.address;
        for (dimension, place) in place.iter().enumerate() {
            inside &= *place >= 0 && (*place as u64) < self.shape[dimension];
            let step = match dimension {
                0 => self.element.into(),
                _ => self.strides[dimension - 1],
            };
            address = address.wrapping_add((*place as u64).wrapping_mul(step));
        }
        Piece {
            offset: index * u64::from(self.element),
            address: inside.then_some(address),
            size: self.element.into(),
        }
    }

    /// The number of dimensions of an image: 1 for the width alone, up to 3.
    fn image_dimensions(&self) -> usize {
        usize::from(self.rank).clamp(2, MOST_DIMENSIONS) - 2
    }

    /// Whether the filter base that some coordinates mean is in the bounding box, or before it along the width where
    /// a row of pixels may begin there.
    #[must_use]
    pub fn is_in_bounding_box(&self, mode: BoxMode, coordinates: &[i64]) -> bool {
        let Some(images) = self.images else {
            return false;
        };
        if mode != BoxMode::Images {
            let end = self.shape[1] as i64 + i64::from(images.upper[0]);
            return coordinates.get(1).is_some_and(|it| *it < end);
        }
        (0..self.image_dimensions()).all(|it| {
            let at = coordinates.get(1 + it).copied().unwrap_or(0);
            let end = self.shape[1 + it] as i64 + i64::from(images.upper[it]);
            (i64::from(images.lower[it])..end).contains(&at)
        })
    }

    /// The elements of a column of pixels. The filter base moves through the bounding box, and from its end to the next
    /// image; the offsets after the coordinates move each pixel.
    fn pixels(&self, mode: BoxMode, coordinates: &[i64]) -> Vec<Piece> {
        let Some(images) = self.images else {
            return Vec::new();
        };
        let rank = usize::from(self.rank);
        let at = |it: usize| coordinates.get(it).copied().unwrap_or(0);
        // Along how many dimensions the base moves, and the first of the offsets. Without others all are 0.
        let (dimensions, offsets) = match mode {
            BoxMode::Images => (self.image_dimensions(), rank),
            _ => (1, rank + 1),
        };
        let mut base = [0; MOST_DIMENSIONS];
        for (dimension, place) in base.iter_mut().enumerate().take(rank) {
            *place = at(dimension);
        }
        let mut pieces = Vec::new();
        for _ in 0..images.pixels_of(mode) {
            let mut place = base;
            for it in 0..dimensions {
                place[1 + it] += at(offsets + it);
            }
            for _ in 0..images.channels {
                pieces.push(self.piece(pieces.len() as u64, &place[..rank]));
                place[0] += 1;
            }
            let moved = (0..dimensions).any(|it| {
                base[1 + it] += i64::from(self.element_strides[1 + it].max(1));
                let end = self.shape[1 + it] as i64 + i64::from(images.upper[it]);
                let inside = base[1 + it] < end;
                if !inside {
                    base[1 + it] = images.lower[it].into();
                }
                inside
            });
            if !moved {
                base[rank - 1] += 1;
            }
        }
        pieces
    }

    /// A map whose fields have yet to be replaced.
    fn empty() -> TensorMap {
        TensorMap {
            address: 0,
            rank: 0,
            element: 0,
            ty: 0,
            fill: 0,
            shape: [1; MOST_DIMENSIONS],
            strides: [0; MOST_DIMENSIONS - 1],
            block: [1; MOST_DIMENSIONS],
            element_strides: [1; MOST_DIMENSIONS],
            swizzle: 0,
            images: None,
        }
    }

    /// The bytes of a map with another value of a field, along the dimension with this index. Zeros are an empty map;
    /// `None` for bytes of anything else, and for values that are not known here.
    #[must_use]
    pub fn replaced(bytes: &[u8], field: MapField, index: u64, value: u64) -> Option<[u8; SIZE]> {
        let zeros = bytes.len() == SIZE && bytes.iter().all(|it| *it == 0);
        let mut map = match zeros {
            true => TensorMap::empty(),
            false => TensorMap::read(bytes)?,
        };
        let index = index as usize;
        match field {
            MapField::Address => map.address = value,
            MapField::Rank => map.rank = u8::try_from(value).ok()?.checked_add(1)?,
            MapField::Box => *map.block.get_mut(index)? = value as u32,
            MapField::Shape => *map.shape.get_mut(index)? = value,
            MapField::Stride => *map.strides.get_mut(index)? = value,
            MapField::ElementStride => *map.element_strides.get_mut(index)? = value as u32,
            MapField::Type => {
                map.element = *TYPE_BYTES.get(value as usize)?;
                map.ty = value as u8;
            }
            MapField::Swizzle => {
                map.swizzle = u8::try_from(value)
                    .ok()
                    .filter(|it| usize::from(*it) < MODES.len())?;
            }
            MapField::Fill => map.fill = value,
            MapField::Interleave | MapField::Atomicity => {
                if value != 0 {
                    return None;
                }
            }
        }
        // The bits of the NaN are those of the type.
        if map.fill != 0 && map.element != 0 {
            map.fill = (1 << (8 * u32::from(map.element) - 1)) - 1;
        }
        Some(map.encode())
    }

    /// The map as the bytes that a kernel gets.
    #[must_use]
    pub fn encode(&self) -> [u8; SIZE] {
        let mut bytes = Vec::with_capacity(SIZE);
        bytes.extend(self.address.to_le_bytes());
        for it in self.shape {
            bytes.extend(&it.to_le_bytes()[..5]);
        }
        for it in self.strides {
            bytes.extend(&it.to_le_bytes()[..6]);
        }
        for it in self.block {
            bytes.extend(&it.to_le_bytes()[..2]);
        }
        for it in self.element_strides {
            bytes.push(it as u8);
        }
        bytes.extend([self.rank, self.element, self.swizzle, self.ty]);
        bytes.extend(self.fill.to_le_bytes());
        if let Some(images) = self.images {
            for it in images.lower.iter().chain(&images.upper) {
                bytes.extend(it.to_le_bytes());
            }
            bytes.extend(images.channels.to_le_bytes());
            bytes.extend(images.pixels.to_le_bytes());
        }
        bytes.resize(SIZE - 4, 0);
        bytes.extend(MARK.to_le_bytes());
        let mut out = [0; SIZE];
        out.copy_from_slice(&bytes);
        out
    }

    /// Reads what [`TensorMap::encode`] wrote; `None` for other bytes.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<TensorMap> {
        // A kernel may have written the bytes.
        TensorMap::read(bytes).filter(|map| {
            (1..=MOST_DIMENSIONS).contains(&map.rank.into())
                && matches!(map.element, 1 | 2 | 4 | 8)
                && usize::from(map.swizzle) < MODES.len()
        })
    }

    /// The same, perhaps without a rank or a type.
    fn read(bytes: &[u8]) -> Option<TensorMap> {
        let mut rest = bytes.get(..SIZE)?;
        if rest[SIZE - 4..] != MARK.to_le_bytes() {
            return None;
        }
        let mut number = |count: usize| {
            let (first, after) = rest.split_at(count.min(rest.len()));
            rest = after;
            let mut number = [0; 8];
            number[..first.len()].copy_from_slice(first);
            u64::from_le_bytes(number)
        };
        let address = number(8);
        let shape = std::array::from_fn(|_| number(5));
        let strides = std::array::from_fn(|_| number(6));
        let block = std::array::from_fn(|_| number(2) as u32);
        let element_strides = std::array::from_fn(|_| number(1) as u32);
        Some(TensorMap {
            address,
            shape,
            strides,
            block,
            element_strides,
            rank: number(1) as u8,
            element: number(1) as u8,
            swizzle: number(1) as u8,
            ty: number(1) as u8,
            fill: number(8),
            images: {
                let images = Images {
                    lower: std::array::from_fn(|_| (number(2) as u16).cast_signed()),
                    upper: std::array::from_fn(|_| (number(2) as u16).cast_signed()),
                    channels: number(2) as u16,
                    pixels: number(2) as u16,
                };
                (images.pixels > 0).then_some(images)
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map() -> TensorMap {
        TensorMap {
            address: 0x7f00_0000_1000,
            rank: 2,
            element: 2,
            ty: 6,
            fill: 0x7FFF,
            shape: [5, 3, 0, 0, 0],
            strides: [16, 0, 0, 0],
            block: [4, 2, 0, 0, 0],
            element_strides: [1, 1, 0, 0, 0],
            swizzle: 3,
            images: None,
        }
    }

    /// Two images of 4 pixels of 2 channels; the filter base is from -1 to 2.
    fn images() -> TensorMap {
        TensorMap {
            rank: 3,
            shape: [2, 4, 2, 1, 1],
            strides: [4, 16, 0, 0],
            element_strides: [1; MOST_DIMENSIONS],
            images: Some(Images {
                lower: [-1, 0, 0],
                upper: [-1, 0, 0],
                channels: 1,
                pixels: 5,
            }),
            ..map()
        }
    }

    #[test]
    fn columns_of_images() {
        let map = images();
        assert_eq!(TensorMap::decode(&map.encode()), Some(map.clone()));
        assert_eq!(map.box_bytes(BoxMode::Images), 10);
        let offsets = |map: &TensorMap, coordinates: &[i64]| -> Vec<Option<u64>> {
            let pieces = map.pieces(BoxMode::Images, coordinates);
            pieces
                .iter()
                .map(|it| it.address.map(|it| it - map.address))
                .collect()
        };
        // Bases 1 and 2 of the first image, -1, 0 and 1 of the second; with the offset each is one further.
        let found = offsets(&map, &[1, 1, 0, 1]);
        assert_eq!(found, [Some(10), Some(14), Some(18), Some(22), Some(26)]);
        // The base -1 is out of bounds, and so is the image after the second.
        let found = offsets(&map, &[0, 2, 0, 0]);
        assert_eq!(found, [Some(8), None, Some(16), Some(20), Some(24)]);
        let found = offsets(&map, &[0, 1, 1, 1]);
        assert_eq!(found, [Some(24), Some(28), None, None, None]);
        // Every second base: 0 and 2, then -1 and 1 of the next image, and its end.
        let strided = TensorMap {
            element_strides: [1, 2, 1, 1, 1],
            ..images()
        };
        let found = offsets(&strided, &[0, 0, 0, 0]);
        assert_eq!(found, [Some(0), Some(8), None, Some(20), None]);
        assert!(map.is_in_bounding_box(BoxMode::Images, &[0, -1, 0]));
        assert!(!map.is_in_bounding_box(BoxMode::Images, &[0, 3, 0]));
    }

    #[test]
    fn bytes_and_back() {
        assert_eq!(TensorMap::decode(&map().encode()), Some(map()));
        assert_eq!(TensorMap::decode(&[0; SIZE]), None);
        assert_eq!(TensorMap::decode(&[]), None);
    }

    /// Fields that are replaced one after the other make the same map.
    #[test]
    fn fields_are_replaced() {
        let mut bytes = [0; SIZE];
        let fields = [
            (MapField::Fill, 0, 1),
            (MapField::Address, 0, 0x7f00_0000_1000),
            (MapField::Rank, 0, 1),
            (MapField::Shape, 0, 5),
            (MapField::Shape, 1, 3),
            (MapField::Stride, 0, 16),
            (MapField::Box, 0, 4),
            (MapField::Box, 1, 2),
            (MapField::Type, 0, 6),
            (MapField::Swizzle, 0, 3),
            (MapField::Interleave, 0, 0),
        ];
        for (field, index, value) in fields {
            bytes = TensorMap::replaced(&bytes, field, index, value).expect("a map");
        }
        let found = TensorMap::decode(&bytes).expect("a whole map");
        let expected = TensorMap {
            shape: [5, 3, 1, 1, 1],
            block: [4, 2, 1, 1, 1],
            element_strides: [1; MOST_DIMENSIONS],
            ..map()
        };
        assert_eq!(found, expected);
        assert_eq!(TensorMap::replaced(&[7; SIZE], MapField::Rank, 0, 1), None);
    }

    #[test]
    fn boxes_reach_over_the_edge() {
        let map = map();
        assert_eq!(map.box_bytes(BoxMode::Tile), 16);
        let inside: Vec<Option<u64>> = map
            .pieces(BoxMode::Tile, &[3, 2])
            .iter()
            .map(|it| it.address.map(|it| it - map.address))
            .collect();
        let none = None;
        assert_eq!(
            inside,
            [Some(38), Some(40), none, none, none, none, none, none]
        );
        assert_eq!(map.box_bytes(BoxMode::Rows), 32);
        let rows = map.pieces(BoxMode::Rows, &[1, 2, 0, 1, -1]);
        assert_eq!(rows[0].address, Some(map.address + 34));
        assert_eq!(rows[4].address, Some(map.address + 2));
        assert_eq!(rows[12].address, None);
    }
}
