//! From a description and the code that it launches to a launch.

use std::ops::Range;

use analysis::code::{Code, Formal, Function, FunctionId, Variable};
use isa::variable::StateSpace;

use super::{
    contents::{Contents, count},
    element::Element,
    expect::{Expectation, Goal},
    npy,
    problem::{Problem, not_allowed},
    random,
    read::{self, Argument as Described, Description, Expected, Maker, Source, Wanted, listed},
    value::Data,
};
use crate::launch::{
    Argument, Array, Endpoint, Launch, Limits, Opaque, Schedule, TensorMap, Texture,
};

/// The most threads of a block, and along each dimension.
const MOST_THREADS: u64 = 1024;
const MOST_ALONG: [u32; 3] = [1024, 1024, 64];
/// The most blocks along each dimension.
const MOST_BLOCKS: [u32; 3] = [(1 << 31) - 1, 65535, 65535];
/// The most blocks of a cluster, where a device allows more than the portable 8.
const MOST_OF_CLUSTER: u64 = 16;
/// The most shared memory of a block of any device, in bytes.
const MOST_SHARED: u64 = 227 << 10;

/// A launch with what is known about its arrays.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The launch.
    pub launch: Launch,
    /// The types and shapes of the arrays, parallel to those of the launch.
    pub arrays: Vec<Layout>,
    /// The expectations.
    pub expectations: Vec<Expectation>,
}

/// The type and the shape of an array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The type of an element.
    pub element: Element,
    /// The elements along each dimension, outermost first.
    pub shape: Vec<u64>,
}

/// The contents of a file by its name, or the reason for which there are none.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, String>;

impl Description {
    /// The entry that it names, or the only one of the code.
    ///
    /// # Errors
    /// There is no such entry, or none is named and there are several.
    pub fn entry_of(&self, code: &Code) -> Result<FunctionId, Problem> {
        let entries = (0..).zip(&code.functions);
        let entries = entries.filter(|(_, it)| it.entry && it.defined);
        let entries: Vec<(FunctionId, &Function)> = entries.collect();
        let names: Vec<&str> = entries.iter().map(|it| &*it.1.name).collect();
        let Some((name, span)) = &self.entry else {
            return match &*entries {
                [one] => Ok(one.0),
                [] => Err(Problem::new(
                    self.places.all.clone(),
                    "entry",
                    "the file has no entry",
                )),
                _ => Err(Problem::new(
                    self.places.all.clone(),
                    "entry",
                    format!(
                        "the file has several entries (allowed: {})",
                        names.join(", ")
                    ),
                )),
            };
        };
        let found = entries.iter().find(|it| it.1.name == *name);
        found
            .map(|it| it.0)
            .ok_or_else(|| Problem::new(span.clone(), "entry", not_allowed("entry", name, &names)))
    }

    /// Makes the launch of an entry. Files are read by their names.
    ///
    /// # Errors
    /// The first thing that does not fit the code, or a file that cannot be read.
    pub fn prepare(
        &self,
        code: &Code,
        entry: FunctionId,
        limits: Limits,
        read: ReadFile<'_>,
    ) -> Result<Prepared, Problem> {
        let Some(function) = code.functions.get(entry as usize) else {
            return Err(Problem::new(
                self.places.all.clone(),
                "entry",
                "the file has no entry",
            ));
        };
        let block = self.block(function)?;
        let cluster = self.cluster(function)?;
        self.check_grid(cluster)?;
        if self.shared > MOST_SHARED {
            return Err(Problem::new(
                self.places.shared.clone(),
                "shared",
                format!(
                    "{} bytes are more than the {MOST_SHARED} of a block",
                    self.shared
                ),
            ));
        }
        let mut arguments = Arguments {
            code,
            function,
            limits,
            used: 0,
            arrays: Vec::new(),
            layouts: Vec::new(),
            found: vec![Argument::Missing; function.parameters.len()],
            bound: Vec::new(),
        };
        arguments.add_all(&self.arguments, read)?;
        let expectations = self
            .expectations
            .iter()
            .map(|it| arguments.expectation(it, read));
        let expectations = expectations.collect::<Result<_, _>>()?;
        Ok(Prepared {
            launch: Launch {
                entry,
                grid: self.grid,
                block,
                cluster,
                shared: self.shared,
                arrays: arguments.arrays,
                arguments: arguments.found,
                bound: arguments.bound,
                schedule: Schedule::default(),
                late: false,
                limits,
            },
            arrays: arguments.layouts,
            expectations,
        })
    }

    fn block(&self, function: &Function) -> Result<[u32; 3], Problem> {
        let problem =
            |message: String| Err(Problem::new(self.places.block.clone(), "block", message));
        let block = match (self.block, function.bounds.block) {
            (None, Some(required)) => required,
            (None, None) => {
                return problem(format!(
                    "`block` is missing: the threads of a block, as `{}` has no `.reqntid`",
                    function.name
                ));
            }
            (Some(block), Some(required)) if block != required => {
                return problem(format!(
                    "{block:?} differs from `.reqntid`, which requires {required:?}"
                ));
            }
            (Some(block), _) => block,
        };
        let threads: u64 = block.iter().map(|it| u64::from(*it)).product();
        let most = function
            .bounds
            .most_threads
            .unwrap_or(MOST_THREADS)
            .min(MOST_THREADS);
        if threads > most {
            return problem(format!(
                "{threads} threads are more than the {most} of a block"
            ));
        }
        if block.iter().zip(MOST_ALONG).any(|(it, most)| *it > most) {
            return problem(format!(
                "a block has at most {MOST_ALONG:?} threads along x, y and z"
            ));
        }
        Ok(block)
    }

    fn cluster(&self, function: &Function) -> Result<[u32; 3], Problem> {
        let problem = |message: String| {
            Err(Problem::new(
                self.places.cluster.clone(),
                "cluster",
                message,
            ))
        };
        let cluster = match (self.cluster, function.bounds.cluster) {
            (None, required) => required.unwrap_or([1; 3]),
            (Some(cluster), Some(required)) if cluster != required => {
                return problem(format!(
                    "{cluster:?} differs from `.reqnctapercluster`, which requires {required:?}"
                ));
            }
            (Some(cluster), _) => cluster,
        };
        let blocks: u64 = cluster.iter().map(|it| u64::from(*it)).product();
        match blocks > MOST_OF_CLUSTER {
            true => problem(format!(
                "{blocks} blocks are more than the {MOST_OF_CLUSTER} of a cluster"
            )),
            false => Ok(cluster),
        }
    }

    fn check_grid(&self, cluster: [u32; 3]) -> Result<(), Problem> {
        let problem =
            |message: String| Err(Problem::new(self.places.grid.clone(), "grid", message));
        if self
            .grid
            .iter()
            .zip(MOST_BLOCKS)
            .any(|(it, most)| *it > most)
        {
            return problem(format!(
                "a grid has at most {MOST_BLOCKS:?} blocks along x, y and z"
            ));
        }
        if self
            .grid
            .iter()
            .zip(cluster)
            .any(|(it, of)| it % of.max(1) != 0)
        {
            return problem(format!(
                "{:?} is not a multiple of the cluster, {cluster:?}",
                self.grid
            ));
        }
        Ok(())
    }
}

/// The arguments of a launch while they are made.
struct Arguments<'a> {
    code: &'a Code,
    function: &'a Function,
    limits: Limits,
    /// The bytes of all arrays.
    used: u64,
    arrays: Vec<Array>,
    layouts: Vec<Layout>,
    found: Vec<Argument>,
    /// Textures, samplers and surfaces of variables.
    bound: Vec<(u32, Opaque)>,
}

impl<'a> Arguments<'a> {
    fn add_all(&mut self, described: &[Described], read: ReadFile<'_>) -> Result<(), Problem> {
        // Maps refer to arrays, wherever these are.
        let (maps, others): (Vec<_>, Vec<_>) = described.iter().partition(|it| {
            use Source::*;
            matches!(
                it.source,
                TensorMap(_) | Texture(_) | Sampler(_) | Endpoint(_)
            )
        });
        let is_described = |name: &str| {
            maps.iter().any(|it| match &it.source {
                Source::TensorMap(map) => map.of == name,
                Source::Texture(texture) => texture.of == name,
                Source::Endpoint(endpoint) => endpoint.of == name,
                _ => false,
            })
        };
        for it in others {
            let parameter = match self.parameter(it) {
                Ok(index) => Some(index),
                // An array that only a map describes.
                Err(_) if is_described(&it.name) => None,
                Err(problem) => return Err(problem),
            };
            self.add(it, parameter, read)?;
        }
        for it in maps {
            if let Some((word, opaque)) = self.described(it)? {
                let index = match (self.parameter(it), self.opaque(&it.name)) {
                    (Err(_), Some(variable)) => {
                        self.bound.push((variable, opaque));
                        continue;
                    }
                    (index, _) => index?,
                };
                let size = self.variable(index).map_or(0, |it| it.size);
                if size != 8 {
                    let reason = format!("a handle has 8 bytes; the parameter has {size}");
                    return Err(problem(it, word, reason));
                }
                self.found[index] = Argument::Opaque(opaque);
                continue;
            }
            let index = self.parameter(it)?;
            if let Source::Endpoint(endpoint) = &it.source {
                let of = self.array_of(it, "endpoint", (&endpoint.of, &endpoint.of_span))?;
                let size = self.variable(index).map_or(0, |it| it.size);
                if size != 4 {
                    let reason = format!(
                        "the identifier of an endpoint has 4 bytes; the parameter has {size}"
                    );
                    return Err(problem(it, "endpoint", reason));
                }
                let multicast = endpoint.multicast;
                self.found[index] = Argument::Endpoint(Endpoint { of, multicast });
                continue;
            }
            let Source::TensorMap(map) = &it.source else {
                continue;
            };
            let map = self.tensor_map(it, map)?;
            let variable = self.variable(index);
            self.found[index] = match variable.map(|it| it.size) {
                Some(128) => Argument::TensorMap(map),
                Some(8) => Argument::TensorMapAddress(map),
                size => {
                    return Err(problem(
                        it,
                        "tensormap",
                        format!(
                            "a tensor map is passed by value in 128 bytes or by its address in 8; the parameter has {}",
                            size.unwrap_or(0)
                        ),
                    ));
                }
            };
        }
        Ok(())
    }

    /// The texture or sampler of an argument, with its key; `None` for other arguments.
    fn described(&self, it: &Described) -> Result<Option<(&'static str, Opaque)>, Problem> {
        Ok(Some(match &it.source {
            Source::Texture(texture) => {
                let of = self.array_of(it, "texture", (&texture.of, &texture.of_span))?;
                let rest = texture.rest.clone();
                ("texture", Opaque::Texture(Texture { of, ..rest }))
            }
            Source::Sampler(sampler) => ("sampler", Opaque::Sampler(*sampler)),
            _ => return Ok(None),
        }))
    }

    /// The parameter of an argument, by its index.
    fn parameter(&self, argument: &Described) -> Result<usize, Problem> {
        let name = &*argument.name;
        let names: Vec<&str> = (0..self.found.len())
            .map(|it| self.variable(it).map_or("", |it| &*it.name))
            .collect();
        let position = name.parse().ok().filter(|it| *it < names.len());
        let index = names.iter().position(|it| *it == name).or(position);
        let key = format!("args.{name}");
        let span = argument.name_span.clone();
        match index {
            Some(index) if self.found[index] == Argument::Missing => Ok(index),
            Some(_) => Err(Problem::new(
                span,
                key,
                "the parameter has an argument already",
            )),
            None => Err(Problem::new(
                span,
                key,
                not_allowed("parameter", name, &names),
            )),
        }
    }

    /// The variable of an opaque type with a name that has no texture yet.
    fn opaque(&self, name: &str) -> Option<u32> {
        let variables = (0..).zip(&self.code.variables);
        let mut global = variables.filter(|(_, it)| it.space == StateSpace::Global);
        let found = global
            .find(|(_, it)| Element::from_word(&it.ty).is_none() && it.name == name)?
            .0;
        let is_bound = self.bound.iter().any(|it| it.0 == found);
        (!is_bound).then_some(found)
    }

    fn variable(&self, index: usize) -> Option<&'a Variable> {
        match self.function.parameters.get(index)? {
            Formal::Variable(id) => self.code.variables.get(*id as usize),
            Formal::Register(_) => None,
        }
    }

    fn add(
        &mut self,
        it: &Described,
        parameter: Option<usize>,
        read: ReadFile<'_>,
    ) -> Result<(), Problem> {
        let variable = parameter.and_then(|it| self.variable(it));
        let mut undefined = false;
        let contents = match &it.source {
            Source::File(name) => {
                let file = read(name)
                    .map_err(|reason| problem(it, "file", format!("{name}: {reason}")))?;
                let contents = npy::read(&file).and_then(|contents| match it.element {
                    Some(element) => contents.converted(element),
                    None => Ok(contents),
                });
                contents.map_err(|reason| problem(it, "file", format!("{name}: {reason}")))?
            }
            Source::Made(shape, maker) => {
                undefined = matches!(maker, Maker::Undefined);
                self.made(it, shape, maker)?
            }
            Source::Listed(contents) => contents.clone(),
            Source::Scalar(value) => {
                let bytes = scalar(variable, it.element, value)
                    .map_err(|reason| problem(it, "value", reason))?;
                return self.put(it, parameter, Argument::Bytes(bytes));
            }
            Source::Bytes(bytes) => {
                let size = variable.map_or(0, |it| it.size);
                if bytes.len() as u64 != size {
                    return Err(problem(
                        it,
                        "bytes",
                        format!("the parameter has {size} bytes, these are {}", bytes.len()),
                    ));
                }
                return self.put(it, parameter, Argument::Bytes(bytes.clone()));
            }
            Source::TensorMap(_)
            | Source::Texture(_)
            | Source::Sampler(_)
            | Source::Endpoint(_) => return Ok(()),
        };
        match variable {
            // What is passed by value has its elements in the parameter.
            Some(variable) if !variable.dimensions.is_empty() => {
                if contents.bytes.len() as u64 != variable.size {
                    return Err(problem(
                        it,
                        "",
                        format!(
                            "the parameter has {} bytes, these elements have {}",
                            variable.size,
                            contents.bytes.len()
                        ),
                    ));
                }
                return self.put(it, parameter, Argument::Bytes(contents.bytes));
            }
            Some(variable) if variable.size != 8 || variable.ty.starts_with('f') => {
                return Err(problem(
                    it,
                    "",
                    format!(
                        "the address of an array takes a 64-bit integer; the parameter is a `.{}`",
                        variable.ty
                    ),
                ));
            }
            _ => {}
        }
        self.used = self.used.saturating_add(contents.bytes.len() as u64);
        if self.used > self.limits.memory {
            return Err(problem(it, "", self.too_large()));
        }
        let index = self.arrays.len();
        self.arrays.push(Array {
            name: it.name.clone(),
            bytes: contents.bytes,
            undefined,
        });
        self.layouts.push(Layout {
            element: contents.element,
            shape: contents.shape,
        });
        match parameter {
            Some(_) => self.put(it, parameter, Argument::Array(index)),
            None => Ok(()),
        }
    }

    fn too_large(&self) -> String {
        format!(
            "the arrays take more than the limit of {} bytes",
            self.limits.memory
        )
    }

    fn put(
        &mut self,
        it: &Described,
        parameter: Option<usize>,
        argument: Argument,
    ) -> Result<(), Problem> {
        match parameter {
            Some(index) => {
                self.found[index] = argument;
                Ok(())
            }
            None => Err(problem(it, "", "a tensor map describes an array")),
        }
    }

    fn made(&self, it: &Described, shape: &[u64], maker: &Maker) -> Result<Contents, Problem> {
        let element = it.element.unwrap_or(Element::Bits(8));
        let elements = count(shape).unwrap_or(u64::MAX);
        let Some(bytes) = element.bytes(elements) else {
            return Err(problem(it, "", "the elements do not fill bytes"));
        };
        if bytes > self.limits.memory {
            return Err(problem(it, "", self.too_large()));
        }
        let elements = match maker {
            Maker::Zeros | Maker::Undefined => {
                return Ok(Contents {
                    element,
                    shape: shape.to_vec(),
                    // It is at most the limit.
                    bytes: vec![0; usize::try_from(bytes).unwrap_or(0)],
                });
            }
            Maker::Ramp => (0..elements).map(|it| ramp(element, it)).collect(),
            Maker::Random { seed, low, high } => {
                random::elements(element, *seed, low, high, elements)
                    .map_err(|(key, reason)| problem(it, &format!("random.{key}"), reason))?
            }
        };
        Ok(Contents::new(element, shape.to_vec(), elements.into_iter()))
    }

    fn tensor_map(&self, it: &Described, map: &read::TensorMap) -> Result<TensorMap, Problem> {
        let of = self.array_of(it, "tensormap", (&map.of, &map.of_span))?;
        Ok(TensorMap {
            of,
            ty: map.ty.clone(),
            shape: map.shape.clone(),
            strides: map.strides.clone(),
            block: map.block.clone(),
            element_strides: map.element_strides.clone(),
            swizzle: map.swizzle,
            interleave: map.interleave,
            fill_nan: map.fill_nan,
            images: map.images.clone(),
        })
    }

    /// The array that a map or a texture names.
    fn array_of(
        &self,
        it: &Described,
        key: &str,
        (of, span): (&str, &Range<usize>),
    ) -> Result<usize, Problem> {
        let names: Vec<&str> = self.arrays.iter().map(|it| &*it.name).collect();
        self.array(of).ok_or_else(|| {
            Problem::new(
                span.clone(),
                format!("args.{}.{key}.of", it.name),
                not_allowed("array", of, &names),
            )
        })
    }

    /// The array of a name.
    fn array(&self, name: &str) -> Option<usize> {
        self.arrays.iter().position(|it| it.name == name)
    }

    fn expectation(&self, it: &Expected, read: ReadFile<'_>) -> Result<Expectation, Problem> {
        let names: Vec<&str> = self.arrays.iter().map(|it| &*it.name).collect();
        let unknown = |span: &Range<usize>, key: &str, name: &str| {
            let key = format!("expect.{}{key}", it.name);
            Problem::new(span.clone(), key, not_allowed("array", name, &names))
        };
        let wrong = |key: &str, reason: String| {
            Problem::new(it.span.clone(), format!("expect.{}.{key}", it.name), reason)
        };
        let array = self
            .array(&it.name)
            .ok_or_else(|| unknown(&it.name_span, "", &it.name))?;
        let layout = &self.layouts[array];
        let elements = count(&layout.shape);
        let same_count =
            |key: &str, contents: Contents| match elements == Some(contents.len() as u64) {
                true => Ok(contents),
                false => Err(wrong(
                    key,
                    format!(
                        "the array has the shape {:?}, this has {:?}",
                        layout.shape, contents.shape
                    ),
                )),
            };
        let goal = match &it.wanted {
            Wanted::File(name) => {
                let in_file = |reason: String| wrong("file", format!("{name}: {reason}"));
                let file = read(name).map_err(in_file)?;
                let contents = npy::read(&file).and_then(|it| it.converted(layout.element));
                Goal::Contents(same_count("file", contents.map_err(in_file)?)?)
            }
            Wanted::Value(value) if matches!(value.data, Data::List(_)) => {
                let contents = listed(value, layout.element);
                let contents = contents
                    .map_err(|problem| problem.within(&format!("expect.{}.value", it.name)))?;
                Goal::Contents(same_count("value", contents)?)
            }
            Wanted::Value(value) => {
                let bits = layout.element.encode(value);
                Goal::Bits(bits.map_err(|reason| wrong("value", reason))?)
            }
            Wanted::Same(name) if *name == it.name => Goal::Unchanged,
            Wanted::Same(name) => {
                let other = self
                    .array(name)
                    .ok_or_else(|| unknown(&it.span, ".same", name))?;
                let of = &self.layouts[other];
                if of.element != layout.element || count(&of.shape) != elements {
                    return Err(wrong(
                        "same",
                        format!(
                            "`{}` is {}{:?}, `{name}` is {}{:?}",
                            it.name,
                            layout.element.word(),
                            layout.shape,
                            of.element.word(),
                            of.shape
                        ),
                    ));
                }
                Goal::Array(other)
            }
        };
        Ok(Expectation {
            name: it.name.clone(),
            array,
            goal,
            rtol: it.rtol,
            atol: it.atol,
        })
    }
}

/// The bits of the element of a ramp; integers wrap around.
fn ramp(element: Element, index: u64) -> u64 {
    match element {
        Element::Float(_) => element.from_integer(index.into()).unwrap_or(0),
        _ => index,
    }
}

/// The bytes of a scalar parameter.
fn scalar(
    variable: Option<&Variable>,
    element: Option<Element>,
    value: &super::value::Value,
) -> Result<Vec<u8>, String> {
    let Some(variable) = variable else {
        return Err("a tensor map describes an array".to_owned());
    };
    if !variable.dimensions.is_empty() {
        return Err(format!(
            "the parameter is an array of {} bytes; it takes `bytes`, or a list with a `type`",
            variable.size
        ));
    }
    let own = Element::from_word(&variable.ty);
    let element = element
        .or(own)
        .ok_or_else(|| format!("a parameter of type `.{}` takes `bytes`", variable.ty))?;
    if element.bytes(1) != Some(variable.size) {
        return Err(format!(
            "a `{}` does not have the size of the parameter, a `.{}`",
            element.word(),
            variable.ty
        ));
    }
    let bits = element.encode(value)?;
    let size = usize::try_from(variable.size).unwrap_or(0);
    Ok(bits.to_le_bytes()[..size].to_vec())
}

fn problem(it: &Described, key: &str, message: impl Into<String>) -> Problem {
    let mut path = format!("args.{}", it.name);
    if !key.is_empty() {
        path += ".";
        path += key;
    }
    Problem::new(it.span.clone(), path, message)
}
