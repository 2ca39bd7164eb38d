//! The contents of arrays: elements of one type in a shape, as bytes in the order of memory.

use isa::compute::float::Format;

use super::element::Element;

/// The contents of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The type of an element.
    pub element: Element,
    /// The elements along each dimension, outermost first; none for a single element.
    pub shape: Vec<u64>,
    /// The elements, the innermost dimension first.
    pub bytes: Vec<u8>,
}

/// How many elements a shape has, unless there are too many.
#[must_use]
pub fn count(shape: &[u64]) -> Option<u64> {
    shape
        .iter()
        .try_fold(1_u64, |product, it| product.checked_mul(*it))
}

/// The bits of an element.
///
/// Nothing that ends beyond the bytes has any.
#[must_use]
pub fn bits_at(element: Element, bytes: &[u8], index: usize) -> Option<u64> {
    if element.bits() == 4 {
        let byte = *bytes.get(index / 2)?;
        return Some(u64::from(byte >> (4 * (index % 2)) & 15));
    }
    let size = element.bits() as usize / 8;
    let part = bytes.get(index * size..(index + 1) * size)?;
    let mut found = [0; 8];
    found[..size].copy_from_slice(part);
    Some(u64::from_le_bytes(found))
}

impl Contents {
    /// The elements of these bits.
    pub(super) fn new(
        element: Element,
        shape: Vec<u64>,
        elements: impl Iterator<Item = u64>,
    ) -> Contents {
        let mut bytes = Vec::new();
        if element.bits() == 4 {
            for (index, bits) in elements.enumerate() {
                match (index % 2, bytes.last_mut()) {
                    (1, Some(last)) => *last |= (bits as u8) << 4,
                    _ => bytes.push(bits as u8),
                }
            }
        } else {
            let size = element.bits() as usize / 8;
            for bits in elements {
                bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
            }
        }
        Contents {
            element,
            shape,
            bytes,
        }
    }

    /// Returns how many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() * 8 / self.element.bits() as usize
    }

    /// Returns whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the bits of all elements.
    pub fn elements(&self) -> impl Iterator<Item = u64> {
        (0..self.len()).map_while(|it| bits_at(self.element, &self.bytes, it))
    }

    /// Returns the same numbers in another type.
    ///
    /// Raw bits stay as they are, as do integers for a type that numpy does not have; floating-point numbers are
    /// rounded.
    ///
    /// # Errors
    /// The types do not go together, or a number does not fit, as a sentence.
    pub fn converted(self, to: Element) -> Result<Contents, String> {
        let from = self.element;
        if from == to {
            return Ok(self);
        }
        let is_raw = match (from, to) {
            (Element::Bits(bits), _) => bits == to.bits(),
            (_, Element::Bits(bits)) => bits == from.bits(),
            (Element::Unsigned(bits), Element::Float(format)) => {
                bits == format.bits() && !is_of_numpy(format)
            }
            (Element::Signed(a), Element::Unsigned(b))
            | (Element::Unsigned(a), Element::Signed(b)) => a == b,
            _ => false,
        };
        if is_raw {
            return Ok(Contents {
                element: to,
                ..self
            });
        }
        if to.bits() == 4 && matches!(from, Element::Bits(8) | Element::Unsigned(8)) {
            let mut shape = self.shape;
            match shape.last_mut() {
                Some(last) => *last *= 2,
                None => shape.push(2),
            }
            return Ok(Contents {
                element: to,
                shape,
                bytes: self.bytes,
            });
        }
        let convert = |bits| match (from, to) {
            (Element::Float(_), Element::Float(format)) => {
                Ok(Element::round(format, from.number(bits)))
            }
            (Element::Float(_), _) | (Element::Bits(_), _) => Err(format!(
                "elements of type `{}` cannot become `{}`",
                from.word(),
                to.word()
            )),
            _ => to.from_integer(from.integer(bits)),
        };
        let elements: Vec<u64> = self.elements().map(convert).collect::<Result<_, _>>()?;
        let shape = self.shape;
        Ok(Contents::new(to, shape, elements.into_iter()))
    }
}

/// Whether numpy has the format.
pub(super) fn is_of_numpy(format: Format) -> bool {
    matches!(format, Format::F16 | Format::F32 | Format::F64)
}
