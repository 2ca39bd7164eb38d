//! Tensor maps as a host makes them: the arguments of `cuTensorMapEncodeTiled` and their limits, from the
//! documentation of the CUDA driver API.

use super::{
    swizzle::{MODES, Swizzle},
    tensor_map::{MOST_DIMENSIONS, TensorMap, type_number},
};

/// A type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostType {
    /// The type in PTX.
    pub word: &'static str,
    /// The end of the name of the enumerator, after `CU_TENSOR_MAP_DATA_TYPE_`.
    pub name: &'static str,
    /// Bytes of an element.
    pub bytes: u8,
}

const fn ty(word: &'static str, name: &'static str, bytes: u8) -> HostType {
    HostType { word, name, bytes }
}

/// The types whose elements are whole bytes. Narrower ones come in groups of 16 with rules of their own; 8-bit
/// floating-point types are copied as `u8`.
pub const HOST_TYPES: [HostType; 11] = [
    ty("u8", "UINT8", 1),
    ty("u16", "UINT16", 2),
    ty("u32", "UINT32", 4),
    ty("s32", "INT32", 4),
    ty("u64", "UINT64", 8),
    ty("s64", "INT64", 8),
    ty("f16", "FLOAT16", 2),
    ty("bf16", "BFLOAT16", 2),
    ty("f32", "FLOAT32", 4),
    ty("f64", "FLOAT64", 8),
    ty("tf32", "TFLOAT32", 4),
];

/// The arguments of `cuTensorMapEncodeTiled` without interleaving; lists begin with the innermost dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiled {
    /// The type of an element.
    pub ty: HostType,
    /// Elements along each dimension.
    pub shape: Vec<u64>,
    /// Bytes from one element to the next, along each dimension after the first.
    pub strides: Vec<u64>,
    /// Elements of a box along each dimension.
    pub block: Vec<u64>,
    /// The distance of the elements that a box takes along each dimension, in elements.
    pub steps: Vec<u64>,
    /// The swizzle, one of [`MODES`].
    pub swizzle: Swizzle,
}

impl Tiled {
    /// Strides of a tensor whose elements are next to each other, in bytes.
    #[must_use]
    pub fn dense_strides(ty: HostType, shape: &[u64]) -> Vec<u64> {
        let mut bytes = u64::from(ty.bytes);
        let outer = shape.len().saturating_sub(1);
        let next = |it: &u64| {
            bytes = bytes.saturating_mul(*it);
            bytes
        };
        shape.iter().take(outer).map(next).collect()
    }

    /// Bytes of the innermost dimension of a box, which is a row of it in shared memory.
    #[must_use]
    pub fn row_bytes(&self) -> u64 {
        let elements = self.block.first().copied().unwrap_or(1);
        elements.saturating_mul(self.ty.bytes.into())
    }

    /// The longest row of a box that the swizzle permits, in bytes.
    #[must_use]
    pub fn span(&self) -> Option<u64> {
        (self.swizzle.mask > 0).then(|| 16 * u64::from(self.swizzle.period()))
    }

    /// The map, if its numbers of dimensions agree and its sizes fit.
    #[must_use]
    pub fn map(&self) -> Option<TensorMap> {
        let rank = u8::try_from(self.shape.len()).ok()?;
        if rank == 0 || usize::from(rank) > MOST_DIMENSIONS {
            return None;
        }
        let small = |all: &[u64]| -> Option<[u32; MOST_DIMENSIONS]> {
            let mut found = [1; MOST_DIMENSIONS];
            for (place, it) in found.iter_mut().zip(all) {
                *place = u32::try_from(*it).ok()?;
            }
            Some(found)
        };
        let mut element_strides = small(&self.steps)?;
        // The driver ignores the first one without interleaving.
        element_strides[0] = 1;
        let at = |all: &[u64], index: usize, or| all.get(index).copied().unwrap_or(or);
        let swizzle = MODES.iter().position(|it| *it == self.swizzle)?;
        Some(TensorMap {
            address: 0,
            rank,
            element: self.ty.bytes,
            ty: type_number(self.ty.word, 8 * u32::from(self.ty.bytes))?,
            fill: 0,
            shape: std::array::from_fn(|it| at(&self.shape, it, 1)),
            strides: std::array::from_fn(|it| at(&self.strides, it, 0)),
            block: small(&self.block)?,
            element_strides,
            swizzle: u8::try_from(swizzle).ok()?,
            images: None,
        })
    }

    /// The limits that the arguments violate, one sentence each.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let rank = self.shape.len();
        if !(1..=MOST_DIMENSIONS).contains(&rank) {
            return vec![format!(
                "a tensor has 1 to {MOST_DIMENSIONS} dimensions, not {rank}"
            )];
        }
        let mut found = Vec::new();
        let counts = [
            ("strides", self.strides.len(), rank - 1),
            ("box", self.block.len(), rank),
            ("steps", self.steps.len(), rank),
        ];
        for (name, count, expected) in counts {
            if count != expected {
                found.push(format!(
                    "`{name}` has the length {count}, expected {expected}"
                ));
            }
        }
        let ranges = [
            ("shape", &self.shape, 1 << 32),
            ("box", &self.block, 256),
            ("steps", &self.steps, 8),
        ];
        for (name, all, most) in ranges {
            for it in all.iter().filter(|it| !(1..=most).contains(*it)) {
                found.push(format!("`{name}`: {it} is not from 1 to {most}"));
            }
        }
        for it in &self.strides {
            if !it.is_multiple_of(16) {
                found.push(format!("`strides`: {it} bytes are not a multiple of 16"));
            }
            if *it == 0 || *it >= 1 << 40 {
                found.push(format!(
                    "`strides`: {it} bytes are not from 16 to 2^40 - 16"
                ));
            }
        }
        let row = self.row_bytes();
        if !row.is_multiple_of(16) {
            found.push(format!(
                "a row of the box has {row} bytes, which are not a multiple of 16"
            ));
        }
        if let Some(span) = self.span().filter(|it| row > *it) {
            found.push(format!(
                "a row of the box has {row} bytes, more than the {span} that the swizzle permits"
            ));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tensor_map::BoxMode, *};

    fn tiled() -> Tiled {
        let ty = HOST_TYPES[6];
        Tiled {
            ty,
            shape: vec![64, 1024],
            strides: Tiled::dense_strides(ty, &[64, 1024]),
            block: vec![64, 32],
            steps: vec![1, 1],
            swizzle: MODES[3],
        }
    }

    #[test]
    fn a_box_has_its_bytes() {
        let map = tiled().map().expect("a map");
        assert_eq!(map.box_bytes(BoxMode::Tile), 64 * 32 * 2);
        assert_eq!(tiled().problems(), [""; 0]);
        let every_second = Tiled {
            steps: vec![2, 2],
            ..tiled()
        };
        let map = every_second.map().expect("a map");
        assert_eq!(map.box_bytes(BoxMode::Tile), 64 * 16 * 2);
    }

    #[track_caller]
    fn check(tiled: &Tiled, expected: &str) {
        assert_eq!(tiled.problems(), [expected]);
    }

    #[test]
    fn limits() {
        let ty = HOST_TYPES[0];
        check(
            &Tiled {
                strides: vec![72],
                ..tiled()
            },
            "`strides`: 72 bytes are not a multiple of 16",
        );
        check(
            &Tiled {
                strides: vec![1 << 40],
                ..tiled()
            },
            "`strides`: 1099511627776 bytes are not from 16 to 2^40 - 16",
        );
        check(
            &Tiled {
                block: vec![64, 257],
                ..tiled()
            },
            "`box`: 257 is not from 1 to 256",
        );
        check(
            &Tiled {
                block: vec![64],
                ..tiled()
            },
            "`box` has the length 1, expected 2",
        );
        check(
            &Tiled {
                steps: vec![1, 9],
                ..tiled()
            },
            "`steps`: 9 is not from 1 to 8",
        );
        check(
            &Tiled {
                shape: vec![64, 0],
                ..tiled()
            },
            "`shape`: 0 is not from 1 to 4294967296",
        );
        check(
            &Tiled {
                block: vec![40, 8],
                ty,
                ..tiled()
            },
            "a row of the box has 40 bytes, which are not a multiple of 16",
        );
        check(
            &Tiled {
                block: vec![128, 8],
                ..tiled()
            },
            "a row of the box has 256 bytes, more than the 128 that the swizzle permits",
        );
        check(
            &Tiled {
                shape: vec![1; 6],
                ..tiled()
            },
            "a tensor has 1 to 5 dimensions, not 6",
        );
        let wide = Tiled {
            block: vec![128, 8],
            swizzle: MODES[0],
            ..tiled()
        };
        assert_eq!(wide.problems(), [""; 0]);
    }

    /// The spans of the swizzles are in their names.
    #[test]
    fn spans() {
        for mode in &MODES[1..] {
            let span = Tiled {
                swizzle: *mode,
                ..tiled()
            }
            .span();
            assert_eq!(
                span.map(|it| format!("{it} bytes")).as_deref(),
                Some(mode.name)
            );
        }
    }
}
