//! The keys of a description.

use std::ops::Range;

use super::{
    contents::{Contents, count},
    element::Element,
    problem::{Problem, not_allowed},
    size::{Scalar, shape, size},
    table::Table,
    texture,
    value::{Data, Value},
};
use crate::{
    launch::{Images, Sampler},
    outcome::FindingCode,
};

/// The keys of a description.
pub(super) const KEYS: &[&str] = &[
    "name", "entry", "grid", "block", "cluster", "shared", "args", "expect", "finds",
];
/// The keys of an argument.
const ARGUMENT: &[&str] = &[
    "file",
    "zeros",
    "undefined",
    "ramp",
    "random",
    "value",
    "tensormap",
    "texture",
    "sampler",
    "endpoint",
    "bytes",
    "type",
];
/// Those of them that make its contents: all but the type.
const MAKERS: &[&str] = match ARGUMENT {
    [makers @ .., _] => makers,
    [] => ARGUMENT,
};
/// The keys of a tensor map.
const TENSOR_MAP: &[&str] = &[
    "of",
    "type",
    "shape",
    "strides",
    "box",
    "element_strides",
    "swizzle",
    "interleave",
    "fill",
    "lower_corner",
    "upper_corner",
    "channels",
    "pixels",
];
/// The types of packed elements that only tensor maps have.
pub(super) const PACKED: &[&str] = &["b4x16", "b4x16_p64", "b6x16_p32", "b6p2x16"];

/// A launch as it is described, before it is known what it launches.
#[derive(Clone, Debug)]
pub struct Description {
    /// The name of the run.
    pub name: Option<String>,
    /// The name of the entry, and its place.
    pub entry: Option<(String, Range<usize>)>,
    /// Blocks along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block along x, y and z.
    pub block: Option<[u32; 3]>,
    /// Blocks of a cluster along x, y and z.
    pub cluster: Option<[u32; 3]>,
    /// Dynamic shared memory of a block, in bytes.
    pub shared: u64,
    /// The codes of the findings that are expected; other findings and a lack of these are failures of a test.
    pub finds: Vec<FindingCode>,
    /// The places of `grid`, `block`, `cluster` and `shared`, and of all.
    pub(super) places: Places,
    pub(super) arguments: Vec<Argument>,
    pub(super) expectations: Vec<Expected>,
}

/// Places of keys that are checked against the code.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub(super) all: Range<usize>,
    pub(super) grid: Range<usize>,
    pub(super) block: Range<usize>,
    pub(super) cluster: Range<usize>,
    pub(super) shared: Range<usize>,
}

/// An argument as it is described.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// The name or the position.
    pub(super) name: String,
    /// The place of the name.
    pub(super) name_span: Range<usize>,
    /// The place of what it is.
    pub(super) span: Range<usize>,
    /// The type of an element.
    pub(super) element: Option<Element>,
    pub(super) source: Source,
}

/// The kind of an argument.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// An array in a file.
    File(String),
    /// An array that is made.
    Made(Vec<u64>, Maker),
    /// An array whose elements are listed.
    Listed(Contents),
    /// A scalar.
    Scalar(Value),
    TensorMap(TensorMap),
    Texture(texture::DescribedTexture),
    Sampler(Sampler),
    Endpoint(Endpoint),
    Bytes(Vec<u8>),
}

/// A logical endpoint as it is described.
#[derive(Clone, Debug)]
pub(super) struct Endpoint {
    pub(super) of: String,
    pub(super) of_span: Range<usize>,
    pub(super) multicast: bool,
}

/// How the elements of an array are made.
#[derive(Clone, Debug)]
pub(super) enum Maker {
    Zeros,
    Undefined,
    /// 0, 1, 2, …
    Ramp,
    Random {
        seed: u64,
        low: Value,
        high: Value,
    },
}

/// A tensor map as it is described.
#[derive(Clone, Debug)]
pub(super) struct TensorMap {
    pub(super) of: String,
    pub(super) of_span: Range<usize>,
    pub(super) ty: String,
    pub(super) shape: Vec<u64>,
    pub(super) strides: Vec<u64>,
    pub(super) block: Vec<u32>,
    pub(super) element_strides: Vec<u32>,
    pub(super) swizzle: u32,
    pub(super) interleave: u32,
    pub(super) fill_nan: bool,
    pub(super) images: Option<Images>,
}

/// The expectation about an array.
#[derive(Clone, Debug)]
pub(super) struct Expected {
    pub(super) name: String,
    pub(super) name_span: Range<usize>,
    pub(super) span: Range<usize>,
    pub(super) wanted: Wanted,
    pub(super) rtol: f64,
    pub(super) atol: f64,
}

/// The contents that an array is to have.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    File(String),
    /// One number, or a list of them.
    Value(Value),
    /// Those of another array.
    Same(String),
}

impl Description {
    /// Reads the keys of a description.
    ///
    /// # Errors
    /// The first mistake.
    pub fn read(value: &Value) -> Result<Description, Problem> {
        let table = Table::new(value, "")?;
        table.only(KEYS)?;
        let args = table.table("args")?;
        let scalars = scalars(&args);
        let place = |key: &str| {
            table
                .get(key)
                .map_or(value.span.clone(), |it| it.span.clone())
        };
        let entry = table
            .text("entry")?
            .map(|it| (it.to_owned(), place("entry")));
        let arguments = args.entries().iter().map(|(key, value)| {
            let span = key.span.clone();
            argument(&args, &key.name, span, value, &scalars)
        });
        let expect = table.table("expect")?;
        let expectations = expect.entries().iter().map(|(key, value)| {
            let span = key.span.clone();
            expected(&expect, &key.name, span, value)
        });
        let shared = match table.get("shared") {
            Some(value) => size(value, &scalars).map_err(|it| table.problem("shared", it))?,
            None => 0,
        };
        Ok(Description {
            name: table.text("name")?.map(str::to_owned),
            entry,
            grid: dimensions(&table, "grid", &scalars)?.unwrap_or([1; 3]),
            block: dimensions(&table, "block", &scalars)?,
            cluster: dimensions(&table, "cluster", &scalars)?,
            shared,
            finds: finds(&table)?,
            places: Places {
                all: value.span.clone(),
                grid: place("grid"),
                block: place("block"),
                cluster: place("cluster"),
                shared: place("shared"),
            },
            arguments: arguments.collect::<Result<_, _>>()?,
            expectations: expectations.collect::<Result<_, _>>()?,
        })
    }

    /// Replaces a value by a name: an argument that is a scalar, or a key with those around it; returns whether the
    /// description has such an argument or key.
    pub fn assign(description: &mut Value, name: &str, value: &Value) -> bool {
        let path: Vec<&str> = name.split('.').collect();
        if path.first().is_some_and(|it| KEYS.contains(it)) {
            description.set(&path, value.clone());
            return true;
        }
        let argument = description.get("args").and_then(|it| it.get(name));
        let path: &[&str] = match argument.map(|it| &it.data) {
            Some(Data::Table(_)) => &["args", name, "value"],
            Some(_) => &["args", name],
            None => return false,
        };
        description.set(path, value.clone());
        true
    }

    /// Returns the names of the scalar arguments that have an integer, which sizes may name.
    #[must_use]
    pub fn scalars(value: &Value) -> Vec<String> {
        let args = value.get("args");
        let table = args.and_then(|it| Table::new(it, "args").ok());
        let scalars = table.map(|it| scalars(&it)).unwrap_or_default();
        scalars.into_iter().map(|it| it.0).collect()
    }
}

/// The scalar arguments that have an integer.
fn scalars(args: &Table<'_>) -> Vec<Scalar> {
    let entries = args.entries().iter();
    let number = |value: &Value| match (&value.data, value.get("value").map(|it| &it.data)) {
        (Data::Integer(it, _), _) | (_, Some(Data::Integer(it, _))) => Some(*it),
        _ => None,
    };
    entries
        .filter_map(|(key, value)| Some((key.name.clone(), number(value)?)))
        .collect()
}

/// The codes that are expected.
fn finds(table: &Table<'_>) -> Result<Vec<FindingCode>, Problem> {
    let words: Vec<&str> = FindingCode::ALL.iter().map(|it| it.word()).collect();
    let mut found = Vec::new();
    for value in table.list("finds").unwrap_or_default() {
        let Data::Text(word) = &value.data else {
            let message = format!("expected a code of a finding, found {}", value.kind());
            return Err(Problem::new(value.span.clone(), "finds", message));
        };
        match FindingCode::ALL.iter().find(|it| it.word() == word) {
            Some(code) => found.push(*code),
            None => {
                let message = not_allowed("finding", word, &words);
                return Err(Problem::new(value.span.clone(), "finds", message));
            }
        }
    }
    Ok(found)
}

/// One to three sizes; missing ones are 1.
fn dimensions(
    table: &Table<'_>,
    key: &str,
    scalars: &[Scalar],
) -> Result<Option<[u32; 3]>, Problem> {
    let Some(list) = table.list(key) else {
        return Ok(None);
    };
    if list.is_empty() || list.len() > 3 {
        let message = format!("expected 1 to 3 numbers, found {}", list.len());
        return Err(table.problem(key, message));
    }
    let mut found = [1; 3];
    for (to, value) in found.iter_mut().zip(list) {
        let number = size(value, scalars);
        let number = number.and_then(|it| match u32::try_from(it) {
            Ok(it) if it > 0 => Ok(it),
            _ => Err(format!("{it} is not from 1 to {}", u32::MAX)),
        });
        *to = number.map_err(|it| Problem::new(value.span.clone(), table.path(key), it))?;
    }
    Ok(Some(found))
}

fn argument(
    args: &Table<'_>,
    name: &str,
    name_span: Range<usize>,
    value: &Value,
    scalars: &[Scalar],
) -> Result<Argument, Problem> {
    let made = |element, source| Argument {
        name: name.to_owned(),
        name_span: name_span.clone(),
        span: value.span.clone(),
        element,
        source,
    };
    // A number may stand for itself.
    if matches!(
        value.data,
        Data::Integer(..) | Data::Float(_) | Data::FloatBits(..) | Data::Bool(_)
    ) {
        return Ok(made(None, Source::Scalar(value.clone())));
    }
    let table = Table::new(value, &args.path(name))?;
    table.only(ARGUMENT)?;
    let maker = table.one_of(MAKERS)?;
    let element = match table.text("type")? {
        Some(word) => Some(Element::parse(word).map_err(|it| table.problem("type", it))?),
        None => None,
    };
    let source = match maker {
        "file" => Source::File(table.text("file")?.unwrap_or_default().to_owned()),
        "zeros" => Source::Made(shape(&table, maker, scalars)?, Maker::Zeros),
        "undefined" => Source::Made(shape(&table, maker, scalars)?, Maker::Undefined),
        "ramp" => Source::Made(shape(&table, maker, scalars)?, Maker::Ramp),
        "random" => {
            let random = table.table("random")?;
            random.only(&["shape", "seed", "low", "high"])?;
            if random.get("shape").is_none() {
                return Err(random.itself("`shape` is missing"));
            }
            let bound = |key: &str, or: i128| {
                random
                    .get(key)
                    .cloned()
                    .unwrap_or(Data::Integer(or, true).into())
            };
            let seed = match random.get("seed") {
                Some(value) => size(value, scalars).map_err(|it| random.problem("seed", it))?,
                None => 0,
            };
            let maker = Maker::Random {
                seed,
                low: bound("low", 0),
                high: bound("high", 1),
            };
            Source::Made(shape(&random, "shape", scalars)?, maker)
        }
        "value" => match table.get("value") {
            Some(value) if matches!(value.data, Data::List(_)) => {
                let element = element.ok_or_else(|| needs_type(&table))?;
                let listed = listed(value, element);
                Source::Listed(listed.map_err(|it| it.within(&table.path("value")))?)
            }
            value => Source::Scalar(value.cloned().unwrap_or(Data::Integer(0, true).into())),
        },
        "tensormap" => Source::TensorMap(tensor_map(&table.table("tensormap")?, scalars)?),
        "texture" => Source::Texture(texture::texture(&table.table("texture")?, scalars)?),
        "sampler" => Source::Sampler(texture::sampler(&table.table("sampler")?)?),
        "endpoint" => Source::Endpoint(endpoint(&table.table("endpoint")?)?),
        _ => {
            let text = table.text("bytes")?.unwrap_or_default();
            Source::Bytes(hexadecimal(text).map_err(|it| table.problem("bytes", it))?)
        }
    };
    if matches!(source, Source::Made(..)) && element.is_none() {
        return Err(needs_type(&table));
    }
    let untyped = matches!(
        source,
        Source::TensorMap(_)
            | Source::Texture(_)
            | Source::Sampler(_)
            | Source::Endpoint(_)
            | Source::Bytes(_)
    );
    if untyped && element.is_some() {
        return Err(table.problem("type", format!("`{maker}` has no type")));
    }
    if let Source::Made(shape, _) = &source
        && count(shape).is_none()
    {
        return Err(table.problem(maker, "the array is too large"));
    }
    Ok(made(element, source))
}

fn needs_type(table: &Table<'_>) -> Problem {
    let words = Element::words().join(", ");
    table.itself(format!(
        "`type` is missing: the type of an element (allowed: {words})"
    ))
}

/// A list of numbers, or of lists of the same shape.
pub(super) fn listed(value: &Value, element: Element) -> Result<Contents, Problem> {
    let mut shape = Vec::new();
    let mut first = value;
    while let Data::List(list) = &first.data {
        shape.push(list.len() as u64);
        match list.first() {
            Some(it) => first = it,
            None => break,
        }
    }
    let mut elements = Vec::new();
    collect(value, &shape, element, &mut elements)?;
    Ok(Contents::new(element, shape, elements.into_iter()))
}

fn collect(
    value: &Value,
    shape: &[u64],
    element: Element,
    into: &mut Vec<u64>,
) -> Result<(), Problem> {
    match (&value.data, shape.split_first()) {
        (Data::List(list), Some((length, rest))) if list.len() as u64 == *length => list
            .iter()
            .try_for_each(|it| collect(it, rest, element, into)),
        (Data::List(_), _) | (_, Some(_)) => Err(Problem::new(
            value.span.clone(),
            "",
            "the lists have different lengths",
        )),
        (_, None) => {
            let bits = element.encode(value);
            into.push(bits.map_err(|it| Problem::new(value.span.clone(), "", it))?);
            Ok(())
        }
    }
}

fn endpoint(table: &Table<'_>) -> Result<Endpoint, Problem> {
    table.only(&["of", "multicast"])?;
    let Some(of) = table.text("of")? else {
        return Err(table.itself("`of` is missing"));
    };
    Ok(Endpoint {
        of: of.to_owned(),
        of_span: table.get("of").map_or(0..0, |it| it.span.clone()),
        multicast: texture::truth(table, "multicast")?,
    })
}

fn tensor_map(table: &Table<'_>, scalars: &[Scalar]) -> Result<TensorMap, Problem> {
    table.only(TENSOR_MAP)?;
    let is_image = table.get("pixels").is_some();
    let sizes: &[&str] = if is_image { &["channels"] } else { &["box"] };
    for key in ["of", "type", "shape"].iter().chain(sizes) {
        if table.get(key).is_none() {
            return Err(table.itself(format!("`{key}` is missing")));
        }
    }
    let ty = table.text("type")?.unwrap_or_default();
    let element = match PACKED.contains(&ty) {
        true => None,
        false => Some(Element::parse(ty).map_err(|it| table.problem("type", it))?),
    };
    let shape = shape(table, "shape", scalars)?;
    let rank = shape.len();
    if !(1..=5).contains(&rank) {
        return Err(table.problem("shape", format!("expected 1 to 5 dimensions, found {rank}")));
    }
    let small = |key: &str, most: u32, or: Vec<u32>| {
        if table.get(key).is_none() {
            return Ok(or);
        }
        let sizes = self::shape(table, key, scalars)?;
        if sizes.len() != rank {
            let message = format!(
                "expected {rank} numbers as in `shape`, found {}",
                sizes.len()
            );
            return Err(table.problem(key, message));
        }
        let size = |it: u64| match u32::try_from(it) {
            Ok(it) if (1..=most).contains(&it) => Ok(it),
            _ => Err(table.problem(key, format!("{it} is not from 1 to {most}"))),
        };
        sizes.into_iter().map(size).collect()
    };
    let images = match is_image {
        true => Some(images(table, rank, scalars)?),
        false => None,
    };
    for key in ["lower_corner", "upper_corner", "channels"] {
        if !is_image && table.get(key).is_some() {
            return Err(table.problem(key, "`pixels` is missing"));
        }
    }
    if is_image && table.get("box").is_some() {
        return Err(table.problem("box", "`box` and `pixels` exclude each other"));
    }
    let block = small("box", 256, vec![1; rank])?;
    let element_strides = small("element_strides", 8, vec![1; rank])?;
    let strides = match (table.get("strides"), element) {
        (Some(_), _) => self::shape(table, "strides", scalars)?,
        // Without strides, the elements are next to each other.
        (None, Some(element)) => {
            let mut bytes = element.bytes(1).unwrap_or(1);
            let strides = shape.iter().take(rank - 1).map(|it| {
                bytes = bytes.saturating_mul(*it);
                bytes
            });
            strides.collect()
        }
        (None, None) if rank == 1 => Vec::new(),
        (None, None) => return Err(table.itself("`strides` is missing")),
    };
    if strides.len() != rank - 1 {
        let message = format!(
            "expected {} numbers, one for each dimension but the innermost, found {}",
            rank - 1,
            strides.len()
        );
        return Err(table.problem("strides", message));
    }
    let choice = |key: &str, allowed: &[&str]| {
        let word = match table.get(key).map(|it| &it.data) {
            None => return Ok(None),
            Some(Data::Integer(it, _)) => it.to_string(),
            Some(Data::Text(it)) => it.clone(),
            Some(_) => String::new(),
        };
        match allowed.iter().position(|it| *it == word) {
            Some(index) => Ok(Some(index)),
            None => Err(table.problem(key, not_allowed("value", &word, allowed))),
        }
    };
    let swizzle = choice("swizzle", &["0", "32", "64", "128"])?;
    let interleave = choice("interleave", &["0", "16", "32"])?;
    let fill = choice("fill", &["zeros", "nan"])?;
    Ok(TensorMap {
        of: table.text("of")?.unwrap_or_default().to_owned(),
        of_span: table.get("of").map_or(0..0, |it| it.span.clone()),
        ty: ty.to_owned(),
        shape,
        strides,
        block,
        element_strides,
        swizzle: [0, 32, 64, 128][swizzle.unwrap_or(0)],
        interleave: [0, 16, 32][interleave.unwrap_or(0)],
        fill_nan: fill == Some(1),
        images,
    })
}

/// The columns of pixels of a tensor map of images, with the bounds of `cuTensorMapEncodeIm2col`.
fn images(table: &Table<'_>, rank: usize, scalars: &[Scalar]) -> Result<Images, Problem> {
    let bits = match rank {
        3 => 16,
        4 => 8,
        5 => 5,
        _ => {
            let message = format!("images have 3 to 5 dimensions, not {rank}");
            return Err(table.problem("shape", message));
        }
    };
    let corner = |key: &str| {
        let values = table.list(key).unwrap_or_default();
        if values.len() != rank - 2 {
            let message = format!("expected {} numbers, found {}", rank - 2, values.len());
            return Err(table.problem(key, message));
        }
        let bound = 1_i128 << (bits - 1);
        let number = |value: &Value| match value.data {
            Data::Integer(it, _) if (-bound..bound).contains(&it) => Ok(it as i16),
            _ => {
                let message = format!("expected integers from {} to {}", -bound, bound - 1);
                Err(table.problem(key, message))
            }
        };
        values.iter().map(number).collect()
    };
    let count = |key: &str, most: u64| match shape(table, key, scalars)?[..] {
        [it] if (1..=most).contains(&it) => Ok(it as u16),
        _ => Err(table.problem(key, format!("expected a number from 1 to {most}"))),
    };
    Ok(Images {
        lower: corner("lower_corner")?,
        upper: corner("upper_corner")?,
        channels: count("channels", 256)?,
        pixels: count("pixels", 1024)?,
    })
}

/// Bytes as hexadecimal digits, two for each; blanks and underscores are skipped.
fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let digits = text.chars().filter(|it| !it.is_whitespace() && *it != '_');
    let digits: Option<Vec<u8>> = digits
        .map(|it| it.to_digit(16).map(|it| it as u8))
        .collect();
    let digits = digits.ok_or("expected hexadecimal digits")?;
    match digits.len() % 2 {
        0 => Ok(digits.chunks(2).map(|it| it[0] << 4 | it[1]).collect()),
        _ => Err("expected two digits for each byte, found an odd number of digits".to_owned()),
    }
}

fn expected(
    expect: &Table<'_>,
    name: &str,
    name_span: Range<usize>,
    value: &Value,
) -> Result<Expected, Problem> {
    let table = Table::new(value, &expect.path(name))?;
    table.only(&["file", "value", "same", "rtol", "atol"])?;
    let wanted = match table.one_of(&["file", "value", "same"])? {
        "file" => Wanted::File(table.text("file")?.unwrap_or_default().to_owned()),
        "same" => Wanted::Same(table.text("same")?.unwrap_or_default().to_owned()),
        _ => Wanted::Value(
            table
                .get("value")
                .cloned()
                .unwrap_or(Data::Bool(false).into()),
        ),
    };
    let tolerance = |key: &str| match table.number(key)? {
        Some(it) if it >= 0.0 => Ok(it),
        Some(it) => Err(table.problem(key, format!("{it} is not a tolerance"))),
        None => Ok(0.0),
    };
    Ok(Expected {
        name: name.to_owned(),
        name_span,
        span: value.span.clone(),
        wanted,
        rtol: tolerance("rtol")?,
        atol: tolerance("atol")?,
    })
}
