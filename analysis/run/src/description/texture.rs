//! The description of a texture or surface.

use std::ops::Range;

use super::{
    element::Element,
    problem::{Problem, not_allowed},
    size::{Scalar, shape},
    table::Table,
    value::Data,
};
use crate::launch::{self, Addressing};

/// The keys.
const KEYS: &[&str] = &[
    "of",
    "type",
    "channels",
    "shape",
    "layers",
    "cube",
    "pitch",
    "filter",
    "address",
    "normalized",
    "scaled",
];
/// The words of filters and of what is read outside.
pub(super) const FILTERS: [&str; 2] = ["point", "linear"];
pub(super) const ADDRESSING: [&str; 4] = ["clamp", "border", "wrap", "mirror"];

/// A texture as it is described: the name of its array, and the rest.
#[derive(Clone, Debug)]
pub(super) struct DescribedTexture {
    pub(super) of: String,
    pub(super) of_span: Range<usize>,
    pub(super) rest: launch::Texture,
}

pub(super) fn texture(table: &Table<'_>, scalars: &[Scalar]) -> Result<DescribedTexture, Problem> {
    table.only(KEYS)?;
    for key in ["of", "type", "shape"] {
        if table.get(key).is_none() {
            return Err(table.itself(format!("`{key}` is missing")));
        }
    }
    let ty = table.text("type")?.unwrap_or_default();
    let element = Element::parse(ty).map_err(|it| table.problem("type", it))?;
    let number = |key: &str, or: u64| match table.get(key) {
        None => Ok(or),
        Some(_) => match shape(table, key, scalars)?[..] {
            [it] => Ok(it),
            _ => Err(table.problem(key, "expected one number")),
        },
    };
    let shape = shape(table, "shape", scalars)?;
    if !(1..=3).contains(&shape.len()) || shape.contains(&0) {
        return Err(table.problem("shape", "expected 1 to 3 sizes of at least 1"));
    }
    let channels = number("channels", 1)?;
    if !matches!(channels, 1 | 2 | 4) {
        return Err(table.problem("channels", format!("a texel has 1, 2 or 4, not {channels}")));
    }
    let row = element
        .bytes(channels.saturating_mul(shape[0]))
        .unwrap_or(0);
    let pitch = number("pitch", row)?;
    if row == 0 || pitch < row {
        return Err(table.problem("pitch", format!("a row has {row} bytes")));
    }
    let layers = match table.get("layers") {
        None => None,
        Some(_) => Some(number("layers", 1)?.max(1)),
    };
    let choice = |key: &str, allowed: &[&str]| match table.text(key)? {
        None => Ok(0),
        Some(word) => {
            let found = allowed.iter().position(|it| *it == word);
            found.ok_or_else(|| table.problem(key, not_allowed("value", word, allowed)))
        }
    };
    let truth = |key: &str| match table.get(key).map(|it| &it.data) {
        None => Ok(false),
        Some(Data::Bool(it)) => Ok(*it),
        Some(_) => Err(table.problem(key, "expected `true` or `false`")),
    };
    let cube = truth("cube")?;
    if cube && !matches!(shape[..], [width, height] if width == height) {
        return Err(table.problem("shape", "a face of a cube has two equal sizes"));
    }
    let normalized = truth("normalized")?;
    if cube && !normalized {
        return Err(table.itself("a cube takes `normalized = true`"));
    }
    let addressing = [
        Addressing::Clamp,
        Addressing::Border,
        Addressing::Wrap,
        Addressing::Mirror,
    ];
    Ok(DescribedTexture {
        of: table.text("of")?.unwrap_or_default().to_owned(),
        of_span: table.get("of").map_or(0..0, |it| it.span.clone()),
        rest: launch::Texture {
            of: 0,
            ty: ty.to_owned(),
            channels: channels as u8,
            shape,
            layers,
            cube,
            pitch,
            linear: choice("filter", &FILTERS)? == 1,
            addressing: addressing[choice("address", &ADDRESSING)?],
            normalized,
            scaled: truth("scaled")?,
        },
    })
}
