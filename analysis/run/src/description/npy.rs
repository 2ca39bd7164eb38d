//! Arrays of numpy in files: format 1, 2 and 3 of `.npy`.
//!
//! A file begins with a magic word, a version and a header, which is a dictionary of Python with the type, the order
//! and the shape; then come the elements.

use isa::compute::float::Format;

use super::{
    contents::{Contents, count, is_of_numpy},
    element::Element,
};

const MAGIC: &[u8] = b"\x93NUMPY";
/// The elements begin at a multiple of it.
const ALIGNMENT: usize = 64;

/// Reads a file of an array; the elements are in the order of C afterwards.
///
/// # Errors
/// The file is damaged, or has a type that is not known here; a sentence.
pub fn read(file: &[u8]) -> Result<Contents, String> {
    let rest = file.strip_prefix(MAGIC).ok_or("not a file of numpy")?;
    let (version, rest) = rest.split_at_checked(2).ok_or("the header is truncated")?;
    let (length, rest) = match version[0] {
        1 => {
            let (length, rest) = rest.split_first_chunk().ok_or("the header is truncated")?;
            (usize::from(u16::from_le_bytes(*length)), rest)
        }
        2 | 3 => {
            let (length, rest) = rest.split_first_chunk().ok_or("the header is truncated")?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
        other => return Err(format!("version {other} of the format is not known")),
    };
    let (header, data) = rest
        .split_at_checked(length)
        .ok_or("the header is truncated")?;
    let header = std::str::from_utf8(header).map_err(|_| "the header is not text")?;
    let element = element(&quoted(after(header, "descr")?)?)?;
    let is_fortran = after(header, "fortran_order")?.starts_with("True");
    let shape = shape(after(header, "shape")?)?;
    let wanted = count(&shape).and_then(|it| element.bytes(it));
    let wanted = wanted.and_then(|it| usize::try_from(it).ok());
    let wanted = wanted.ok_or("the shape is too large")?;
    let data = data.get(..wanted).ok_or("the elements are truncated")?;
    let bytes = match is_fortran && shape.len() > 1 {
        true => transposed(data, &shape, element.bits() as usize / 8),
        false => data.to_vec(),
    };
    Ok(Contents {
        element,
        shape,
        bytes,
    })
}

/// The text after a key of the dictionary and its colon.
fn after<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    let found = [format!("'{key}'"), format!("\"{key}\"")]
        .iter()
        .find_map(|it| header.split_once(it.as_str()))
        .and_then(|it| it.1.trim_start().strip_prefix(':'));
    found
        .map(str::trim_start)
        .ok_or_else(|| format!("the header has no {key}"))
}

/// The string at the start of a text.
fn quoted(text: &str) -> Result<String, String> {
    let quote = text.chars().next().filter(|it| matches!(it, '\'' | '"'));
    let quote = quote.ok_or("arrays of records are not read")?;
    let end = text[1..].find(quote).ok_or("the header is damaged")?;
    Ok(text[1..=end].to_owned())
}

fn element(descr: &str) -> Result<Element, String> {
    let unknown = || format!("elements of type '{descr}' are not read");
    let (order, name) = descr.split_at_checked(1).ok_or_else(unknown)?;
    let name = match order {
        "<" | "|" | "=" => name,
        ">" => return Err(format!("elements of type '{descr}' are big-endian")),
        _ => descr,
    };
    let (kind, size) = name.split_at_checked(1).ok_or_else(unknown)?;
    let bits = match size {
        "1" => 8,
        "2" => 16,
        "4" => 32,
        "8" => 64,
        _ => return Err(unknown()),
    };
    match (kind, bits) {
        ("f", 16) => Ok(Element::Float(Format::F16)),
        ("f", 32) => Ok(Element::Float(Format::F32)),
        ("f", 64) => Ok(Element::Float(Format::F64)),
        ("i", _) => Ok(Element::Signed(bits)),
        ("u", _) | ("b", 8) => Ok(Element::Unsigned(bits)),
        ("V", _) => Ok(Element::Bits(bits)),
        _ => Err(unknown()),
    }
}

fn shape(text: &str) -> Result<Vec<u64>, String> {
    let damaged = || "the shape in the header is damaged".to_owned();
    let inside = text.strip_prefix('(').and_then(|it| it.split_once(')'));
    let (inside, _) = inside.ok_or_else(damaged)?;
    let numbers = inside.split(',').map(str::trim).filter(|it| !it.is_empty());
    numbers
        .map(|it| it.parse().map_err(|_| damaged()))
        .collect()
}

/// Elements whose first dimension is innermost, in the order of C.
fn transposed(data: &[u8], shape: &[u64], size: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(data.len());
    let mut index = vec![0; shape.len()];
    for _ in 0..data.len() / size {
        let (mut at, mut stride) = (0, 1);
        for (i, n) in index.iter().zip(shape) {
            at += *i as usize * stride;
            stride *= *n as usize;
        }
        bytes.extend_from_slice(&data[at * size..(at + 1) * size]);
        for (i, n) in index.iter_mut().zip(shape).rev() {
            *i += 1;
            if *i < *n {
                break;
            }
            *i = 0;
        }
    }
    bytes
}

/// Writes a file of an array. Types that numpy does not have are written as integers without a sign.
#[must_use]
pub fn write(element: Element, shape: &[u64], bytes: &[u8]) -> Vec<u8> {
    let (kind, size) = match element {
        Element::Float(format) if is_of_numpy(format) => ('f', format.bits() / 8),
        Element::Signed(bits) => ('i', bits / 8),
        _ => ('u', element.bits().div_ceil(8)),
    };
    let mut shape = shape.to_vec();
    if element.bits() == 4 {
        // Two elements are in a byte.
        match shape.last_mut() {
            Some(last) if *last % 2 == 0 => *last /= 2,
            _ => shape = vec![bytes.len() as u64],
        }
    }
    let order = if size == 1 { '|' } else { '<' };
    let numbers: Vec<String> = shape.iter().map(u64::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let mut header = format!(
        "{{'descr': '{order}{kind}{size}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        numbers.join(", ")
    );
    let start = MAGIC.len() + 4;
    let end = (start + header.len() + 1).next_multiple_of(ALIGNMENT);
    header.extend(std::iter::repeat_n(' ', end - start - header.len() - 1));
    header.push('\n');
    let mut file = MAGIC.to_vec();
    file.extend([1, 0]);
    // A shape has few dimensions.
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX);
    file.extend(length.to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(bytes);
    file
}
