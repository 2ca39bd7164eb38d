//! The descriptions of textures, surfaces and samplers.

use std::ops::Range;

use super::{
    element::Element,
    problem::{Problem, not_allowed},
    size::{Scalar, shape},
    table::Table,
    value::Data,
};
use crate::launch::{self, Addressing, Comparison, Sampler};

/// The keys.
const KEYS: &[&str] = &[
    "of",
    "type",
    "channels",
    "shape",
    "layers",
    "cube",
    "pitch",
    "levels",
    "samples",
    "filter",
    "level_filter",
    "address",
    "compare",
    "normalized",
    "scaled",
];
/// The keys of a sampler.
const SAMPLER: &[&str] = &[
    "filter",
    "level_filter",
    "address",
    "compare",
    "unnormalized",
];
/// The words of filters, of what is read outside and of comparisons.
pub(super) const FILTERS: [&str; 2] = ["point", "linear"];
pub(super) const ADDRESSING: [&str; 4] = ["clamp", "border", "wrap", "mirror"];
pub(super) const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

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
    let layers = match table.get("layers") {
        None => None,
        Some(_) => Some(number("layers", 1)?.max(1)),
    };
    let cube = truth(table, "cube")?;
    if cube && !matches!(shape[..], [width, height] if width == height) {
        return Err(table.problem("shape", "a face of a cube has two equal sizes"));
    }
    let normalized = truth(table, "normalized")?;
    if cube && !normalized {
        return Err(table.itself("a cube takes `normalized = true`"));
    }
    let optional = |key: &str| match table.get(key) {
        None => Ok(None),
        Some(_) => number(key, 1).map(Some),
    };
    let levels = optional("levels")?;
    if let Some(levels) = levels {
        let most = shape.iter().max().map_or(1, |it| u64::from(it.ilog2()) + 1);
        if !(1..=most).contains(&levels) {
            let message = format!("a texture of this shape has 1 to {most} levels");
            return Err(table.problem("levels", message));
        }
        if !normalized {
            return Err(table.itself("levels of detail take `normalized = true`"));
        }
    }
    let samples = optional("samples")?;
    if let Some(count) = samples {
        if !matches!(count, 1 | 2 | 4 | 8 | 16) {
            let message = format!("a texel has 1, 2, 4, 8 or 16 samples, not {count}");
            return Err(table.problem("samples", message));
        }
        if shape.len() != 2 || cube || levels.is_some() {
            let message = "only 2-dimensional textures without levels have `samples`";
            return Err(table.problem("samples", message));
        }
    }
    let row = row.saturating_mul(samples.unwrap_or(1));
    let pitch = number("pitch", row)?;
    if row == 0 || pitch < row {
        return Err(table.problem("pitch", format!("a row has {row} bytes")));
    }
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
            levels,
            samples,
            pitch,
            normalized,
            scaled: truth(table, "scaled")?,
            sampler: settings(table)?,
        },
    })
}

/// Reads a sampler of its own.
pub(super) fn sampler(table: &Table<'_>) -> Result<Sampler, Problem> {
    table.only(SAMPLER)?;
    Ok(Sampler {
        unnormalized: truth(table, "unnormalized")?,
        ..settings(table)?
    })
}

/// The keys that textures and samplers share.
fn settings(table: &Table<'_>) -> Result<Sampler, Problem> {
    let addressing = [
        Addressing::Clamp,
        Addressing::Border,
        Addressing::Wrap,
        Addressing::Mirror,
    ];
    let comparisons = [
        Comparison::Less,
        Comparison::LessOrEqual,
        Comparison::Greater,
        Comparison::GreaterOrEqual,
        Comparison::Equal,
        Comparison::NotEqual,
    ];
    let is_linear = |key: &str| Ok(choice(table, key, &FILTERS)? == Some(1));
    Ok(Sampler {
        linear: is_linear("filter")?,
        linear_levels: is_linear("level_filter")?,
        addressing: addressing[choice(table, "address", &ADDRESSING)?.unwrap_or(0)],
        unnormalized: false,
        comparison: choice(table, "compare", &COMPARISONS)?.map(|it| comparisons[it]),
    })
}

/// The index of a word; `None` if there is none.
fn choice(table: &Table<'_>, key: &str, allowed: &[&str]) -> Result<Option<usize>, Problem> {
    let Some(word) = table.text(key)? else {
        return Ok(None);
    };
    let found = allowed.iter().position(|it| *it == word);
    let wrong = || table.problem(key, not_allowed("value", word, allowed));
    found.map(Some).ok_or_else(wrong)
}

pub(super) fn truth(table: &Table<'_>, key: &str) -> Result<bool, Problem> {
    match table.get(key).map(|it| &it.data) {
        None => Ok(false),
        Some(Data::Bool(it)) => Ok(*it),
        Some(_) => Err(table.problem(key, "expected `true` or `false`")),
    }
}
