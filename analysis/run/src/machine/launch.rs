//! The start of a launch: memory for arrays, variables and parameters, and the blocks.

use std::{collections::VecDeque, sync::Arc};

use analysis::code::{Code, Content, Formal, Function, Symbol, Variable};
use isa::{
    compute::{AddressSpace, Machine as Evaluator, texture::OpaqueKind, window},
    matrix::tensor_map::SIZE,
    variable::StateSpace,
};
use rustc_hash::FxHashSet;

use crate::launch::{self, Argument, Launch};

use super::{
    Machine,
    asynchronous::Asynchronous,
    block::SHARED_START,
    clusters::Clusters,
    memory::{Bytes, Global, LOCAL_SIZE, Owner},
    schedule::Order,
    spin::Spins,
    tensors,
    texture::{self, Described, Texture},
    world::World,
};

/// Why a launch cannot start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchError(pub String);

impl std::fmt::Display for LaunchError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LaunchError {}

/// Bytes between variables in shared memory that no access may touch.
const SHARED_RED_ZONE: u64 = 64;
/// Alignment in bytes of static and of dynamic shared memory as a whole: compilers swizzle by bits of addresses.
const SHARED_ALIGNMENT: u64 = 1024;
/// The end of the addresses of shared memory: the bits above name a block of the cluster.
const SHARED_END: u64 = 1 << isa::compute::memory::CTA_SHIFT;
/// The most bytes of variables in `.param` space, of an entry or of a frame; ptxas 13.5 takes fewer for both.
const MOST_PARAMETERS: u64 = 1 << 16;
/// The bytes between two parameters of an entry, so that an access that goes beyond one is not inside the next.
const PARAMETER_GAP: usize = 256;
/// Bytes at least between two local variables of a function.
const LOCAL_GAP: u64 = 16;
/// The most blocks of a cluster on any device.
const MOST_BLOCKS: u64 = 16;
/// The addresses of functions: there is no memory at them.
pub(super) const FUNCTIONS: u64 = 0x4000_0000_0000;
/// The distance of the addresses of functions.
const FUNCTION_STEP: u64 = 256;

/// Where variables are.
#[derive(Clone, Debug, Default)]
pub(super) struct Layouts {
    /// The address of each variable in its state space: of local and `.param` ones the offset in the frame.
    pub(super) addresses: Vec<u64>,
    /// Bytes of shared memory of a block.
    pub(super) shared: u64,
    /// The parts of it between variables, see [`super::block::Block`].
    pub(super) holes: Arc<[(u64, u64)]>,
    /// For each function the bytes of its variables in local memory and in `.param` space.
    pub(super) frames: Vec<(u64, u64)>,
    /// The bytes between the local variables of each function.
    pub(super) local_holes: Vec<Arc<[(u64, u64)]>>,
}

impl Layouts {
    /// The address of a function.
    pub(super) fn function(index: u32) -> u64 {
        FUNCTIONS + u64::from(index) * FUNCTION_STEP
    }

    /// The function at an address.
    pub(super) fn function_at(address: u64) -> Option<usize> {
        let offset = address.checked_sub(FUNCTIONS)?;
        (offset % FUNCTION_STEP == 0).then_some((offset / FUNCTION_STEP) as usize)
    }
}

/// The state space of addresses of variables in one.
pub(super) fn space_of(variable: &Variable) -> AddressSpace {
    match variable.space {
        StateSpace::Const => AddressSpace::Constant,
        StateSpace::Local => AddressSpace::Local,
        StateSpace::Shared => AddressSpace::Shared,
        StateSpace::Parameter => AddressSpace::Parameter,
        _ => AddressSpace::Global,
    }
}

impl<'a> Machine<'a> {
    /// Prepares a launch.
    ///
    /// # Errors
    /// The reason for which it cannot start, as a sentence.
    pub fn new(code: &'a Code, launch: Launch) -> Result<Machine<'a>, LaunchError> {
        let error = |text: String| Err(LaunchError(text));
        let Some(entry) = code.functions.get(launch.entry as usize) else {
            return error("there is no such entry".to_owned());
        };
        if !entry.entry || !entry.defined {
            return error(format!("`{}` is not an entry with a body", entry.name));
        }
        if code.narrow_addresses {
            return error(
                "modules with 32-bit addresses are not run: state `.address_size 64`".to_owned(),
            );
        }
        check_shapes(entry, &launch)?;
        let mut global = Global::default();
        let arrays = launch.arrays.iter().map(|it| it.bytes.len() as u64);
        let variables = code.variables.iter();
        let variables =
            variables.filter(|it| matches!(it.space, StateSpace::Global | StateSpace::Const));
        let memory = arrays.chain(variables.map(|it| it.size));
        let memory = memory.fold(0, u64::saturating_add);
        if memory > launch.limits.memory {
            return error(format!(
                "the arrays and variables take {memory} bytes, and a run may take {}",
                launch.limits.memory
            ));
        }
        let mut constants = vec![0; code.variables.len()];
        for (index, variable) in code.variables.iter().enumerate() {
            if variable.space == StateSpace::Const {
                let data = Bytes::defined(vec![0; variable.size as usize]);
                let (owner, name) = (Owner::Variable(index as u32), variable.name.clone());
                constants[index] = global.add_constant(data, variable.alignment, owner, name);
            }
        }
        for (index, array) in launch.arrays.iter().enumerate() {
            let data = match array.undefined {
                true => Bytes::undefined(array.bytes.len()),
                false => Bytes::defined(array.bytes.clone()),
            };
            global.add(data, Owner::Array(index), array.name.clone(), true);
        }
        let mut machine = Machine {
            code,
            layouts: Layouts {
                addresses: constants,
                ..Layouts::default()
            },
            world: World::new(global, Clusters::new(&launch)),
            order: Order::new(launch.schedule),
            spins: Spins::default(),
            asynchronous: Asynchronous::default(),
            ended: None,
            steps: 0,
            lane_instructions: 0,
            not_run: Vec::new(),
            wrong_launch: None,
            approximated: FxHashSet::default(),
            printed: String::new(),
            evaluator: Evaluator::default(),
            single: Evaluator::default(),
            inputs: Vec::new(),
            allocated: 0,
            flipped: Vec::new(),
            allocations: 0,
            queue: VecDeque::new(),
            cursor: None,
            launch,
        };
        machine.lay_out()?;
        machine.fill_parameters()?;
        Ok(machine)
    }

    /// Gives every variable its address, and those in global memory their contents.
    fn lay_out(&mut self) -> Result<(), LaunchError> {
        let code = self.code;
        let mut layouts = std::mem::take(&mut self.layouts);
        // Of a name that is declared more than once, one declaration is meant.
        let mut shared = SHARED_START;
        let (mut dynamic, mut holes) = (Vec::new(), Vec::new());
        for (index, variable) in code.variables.iter().enumerate() {
            match variable.space {
                StateSpace::Global => {
                    let data = Bytes::defined(vec![0; variable.size as usize]);
                    let owner = Owner::Variable(index as u32);
                    let name = variable.name.clone();
                    layouts.addresses[index] = self.world.global.add(data, owner, name, true);
                }
                StateSpace::Shared if variable.size == 0 => dynamic.push(index),
                StateSpace::Shared => {
                    let before = shared;
                    if shared > SHARED_START {
                        shared += SHARED_RED_ZONE;
                    }
                    shared = shared.next_multiple_of(variable.alignment.max(1));
                    holes.push((before, shared));
                    layouts.addresses[index] = shared;
                    shared = shared.saturating_add(variable.size).min(SHARED_END);
                }
                _ => {}
            }
        }
        let mut end = shared;
        if self.launch.shared > 0 || !dynamic.is_empty() {
            let start = match shared {
                SHARED_START => SHARED_START,
                _ => (shared + SHARED_RED_ZONE).next_multiple_of(SHARED_ALIGNMENT),
            };
            for index in dynamic {
                layouts.addresses[index] = start;
            }
            holes.push((shared, start));
            end = start.saturating_add(self.launch.shared);
        }
        layouts.shared = end - SHARED_START;
        let holes = holes.into_iter().filter(|it| it.0 < it.1);
        let offsets = holes.map(|it| (it.0 - SHARED_START, it.1 - SHARED_START));
        layouts.holes = offsets.collect();
        if end >= SHARED_END {
            return Err(LaunchError(format!(
                "a block takes more shared memory than {} bytes",
                SHARED_END - SHARED_START
            )));
        }
        for function in &code.functions {
            let mut holes = Vec::new();
            let (local, parameters) = frame(function, code, &mut layouts.addresses, &mut holes);
            layouts.local_holes.push(holes.into());
            if local > LOCAL_SIZE / 2 || parameters > MOST_PARAMETERS {
                return Err(LaunchError(format!(
                    "`{}` declares more variables than fit: {} bytes of local memory and {MOST_PARAMETERS} in `.param` space",
                    function.name,
                    LOCAL_SIZE / 2
                )));
            }
            layouts.frames.push((local, parameters));
        }
        self.layouts = layouts;
        for (variable, opaque) in self.launch.bound.clone() {
            let ty = code.variables.get(variable as usize).map(|it| &*it.ty);
            let handle = self.opaque(&opaque, ty.unwrap_or_default())?;
            if let Some(address) = self.layouts.addresses.get_mut(variable as usize) {
                *address = handle;
            }
        }
        self.fill_variables();
        Ok(())
    }

    /// The handle of a texture or sampler, which is made, for a variable of a type.
    fn opaque(&mut self, opaque: &launch::Opaque, ty: &str) -> Result<u64, LaunchError> {
        let content = match opaque {
            launch::Opaque::Texture(texture) => {
                let owner = Owner::Array(texture.of);
                let array = self.world.global.all.iter().find(|it| it.owner == owner);
                let made = array.map(|it| Texture::new(texture, it.base, it.data.len() as u64));
                let made = made.unwrap_or_else(|| Err("there is no such array".to_owned()));
                texture::Content::Texture(made.map_err(LaunchError)?)
            }
            launch::Opaque::Sampler(sampler) => texture::Content::Sampler(*sampler),
        };
        let kind = OpaqueKind::from_word(ty);
        self.world.global.textures.push(Described { kind, content });
        let count = self.world.global.textures.len();
        Ok(texture::handle(count - 1))
    }

    fn fill_variables(&mut self) {
        for index in 0..self.world.global.all.len() {
            let Owner::Variable(id) = self.world.global.all[index].owner else {
                continue;
            };
            for content in &self.code.variables[id as usize].contents {
                let data = &mut self.world.global.all[index].data;
                match content {
                    Content::Bytes(at, bytes) => {
                        let at = *at as usize;
                        if let Some(place) = data.bytes.get_mut(at..at + bytes.len()) {
                            place.copy_from_slice(bytes);
                        }
                    }
                    Content::Address {
                        at,
                        size,
                        of,
                        plus,
                        generic,
                        shift,
                    } => {
                        let address = self.layouts.symbol(self.code, *of, *generic);
                        let address = address.wrapping_add_signed(*plus) >> shift;
                        let (at, size) = (*at as usize, usize::from(*size).min(8));
                        if at + size <= data.len() {
                            data.write(at, size, address, 0);
                        }
                    }
                }
            }
        }
    }

    /// The bytes of a tensor map.
    fn map(&self, map: &crate::launch::TensorMap) -> Result<[u8; SIZE], LaunchError> {
        let owner = Owner::Array(map.of);
        let array = self.world.global.all.iter().find(|it| it.owner == owner);
        let address = array.map_or(0, |it| it.base);
        let map = tensors::from_launch(map, address).map_err(LaunchError)?;
        Ok(map.encode())
    }

    fn fill_parameters(&mut self) -> Result<(), LaunchError> {
        let entry = &self.code.functions[self.launch.entry as usize];
        let mut all = Bytes::default();
        let mut taken = 0_u64;
        for (index, formal) in entry.parameters.iter().enumerate() {
            let Formal::Variable(id) = formal else {
                continue;
            };
            let variable = &self.code.variables[*id as usize];
            taken = taken.saturating_add(variable.size);
            if taken > MOST_PARAMETERS || variable.alignment > MOST_PARAMETERS {
                return Err(LaunchError(format!(
                    "the parameters of `{}` take more than {MOST_PARAMETERS} bytes",
                    entry.name
                )));
            }
            let size = variable.size as usize;
            // PTX leaves open where parameters are, so no access may go from one to the next.
            let gap = if all.len() == 0 { 0 } else { PARAMETER_GAP };
            let start = (all.len() + gap).next_multiple_of(variable.alignment.max(1) as usize);
            all.bytes.resize(start + size, 0);
            let place = (start as u64, (start + size) as u64);
            self.world.parameters.push(place);
            self.layouts.addresses[*id as usize] = start as u64;
            let argument = self.launch.arguments.get(index);
            let bytes = match argument {
                Some(Argument::Array(array)) => {
                    let owner = Owner::Array(*array);
                    let found = self.world.global.all.iter().find(|it| it.owner == owner);
                    match found {
                        Some(it) => it.base.to_le_bytes().to_vec(),
                        None => {
                            return Err(LaunchError(format!(
                                "the argument of `{}` is an array that the launch lacks",
                                variable.name
                            )));
                        }
                    }
                }
                Some(Argument::Bytes(bytes)) => bytes.clone(),
                Some(Argument::TensorMap(map)) => self.map(map)?.to_vec(),
                Some(Argument::TensorMapAddress(map)) => {
                    let bytes = self.map(map)?.to_vec();
                    let name = format!("the tensor map `{}`", variable.name);
                    let owner = Owner::Map;
                    let address = self
                        .world
                        .global
                        .add(Bytes::defined(bytes), owner, name, true);
                    address.to_le_bytes().to_vec()
                }
                Some(Argument::Opaque(opaque)) => {
                    let opaque = opaque.clone();
                    self.opaque(&opaque, &variable.ty)?.to_le_bytes().to_vec()
                }
                Some(Argument::Endpoint(it)) => {
                    let (of, multicast) = (it.of, it.multicast);
                    let id = self.world.global.add_endpoint(of, multicast);
                    id.to_le_bytes().to_vec()
                }
                Some(Argument::Missing) | None => {
                    all.mark(start, size, true);
                    continue;
                }
            };
            if bytes.len() != size {
                return Err(LaunchError(format!(
                    "the argument of `{}` has {} bytes, and the parameter has {size}",
                    variable.name,
                    bytes.len()
                )));
            }
            all.bytes[start..start + size].copy_from_slice(&bytes);
        }
        self.world.entry = all;
        Ok(())
    }
}

impl Layouts {
    /// The address of a variable or function, in its state space or as a generic one.
    pub(super) fn symbol(&self, code: &Code, symbol: Symbol, generic: bool) -> u64 {
        match symbol {
            Symbol::Function(id) => Layouts::function(id),
            Symbol::Variable(id) => {
                let address = self.addresses.get(id as usize).copied().unwrap_or(0);
                let variable = code.variables.get(id as usize);
                match (generic, variable) {
                    (true, Some(it)) => address + window(space_of(it)),
                    _ => address,
                }
            }
        }
    }
}

/// Gives the local variables and those in `.param` space of a function their offsets in a frame; returns its sizes.
/// Between local variables is a gap that no access reaches: PTX leaves open where they are.
fn frame(
    function: &Function,
    code: &Code,
    addresses: &mut [u64],
    holes: &mut Vec<(u64, u64)>,
) -> (u64, u64) {
    let formals = function.parameters.iter().chain(&function.results);
    let formals = formals.filter_map(|it| match it {
        Formal::Variable(id) if !function.entry => Some(*id),
        _ => None,
    });
    let (mut local, mut parameters) = (0_u64, 0_u64);
    for id in formals.chain(function.variables.iter().copied()) {
        let variable = &code.variables[id as usize];
        let size = match variable.space {
            StateSpace::Local => &mut local,
            StateSpace::Parameter => &mut parameters,
            _ => continue,
        };
        let before = *size;
        let is_local = variable.space == StateSpace::Local;
        let gap = if is_local && before > 0 { LOCAL_GAP } else { 0 };
        // More than fits anywhere stays more than that.
        *size = before
            .saturating_add(gap)
            .min(1 << 40)
            .next_multiple_of(variable.alignment.clamp(1, 1 << 20));
        addresses[id as usize] = *size;
        if is_local && before < *size {
            holes.push((before, *size));
        }
        if variable.space == StateSpace::Parameter {
            addresses[id as usize] += super::access::FRAME_PARAMETERS;
        }
        *size = size.saturating_add(variable.size).min(1 << 40);
    }
    (local, parameters.next_multiple_of(16))
}

fn check_shapes(entry: &Function, launch: &Launch) -> Result<(), LaunchError> {
    let error = |text: String| Err(LaunchError(text));
    let product = |shape: [u32; 3]| {
        let all = shape.iter().map(|it| u64::from(*it));
        all.fold(1, u64::saturating_mul)
    };
    let threads = product(launch.block);
    if threads == 0 || product(launch.grid) == 0 || product(launch.cluster) == 0 {
        return error("a grid, a block and a cluster have at least one element".to_owned());
    }
    if threads > u64::from(isa::limits::THREADS_PER_CTA) {
        return error(format!(
            "a block of {threads} threads is larger than {}",
            isa::limits::THREADS_PER_CTA
        ));
    }
    if product(launch.cluster) > MOST_BLOCKS {
        return error(format!(
            "a cluster of {} blocks is larger than {MOST_BLOCKS}",
            product(launch.cluster)
        ));
    }
    if product(launch.grid) > u64::from(u32::MAX) << 16 {
        return error(format!(
            "a grid of {} blocks is too large",
            product(launch.grid)
        ));
    }
    if let Some(required) = entry.bounds.block
        && required != launch.block
    {
        return error(format!(
            "`{}` requires blocks of {required:?} threads, by `.reqntid`",
            entry.name
        ));
    }
    if let Some(most) = entry.bounds.most_threads
        && threads > most
    {
        return error(format!(
            "`{}` takes blocks of at most {most} threads, by `.maxntid`",
            entry.name
        ));
    }
    for (dimension, (grid, cluster)) in "xyz".chars().zip(launch.grid.iter().zip(&launch.cluster)) {
        if grid % cluster != 0 {
            return error(format!(
                "the grid has {grid} blocks along {dimension}, which is not a multiple of the cluster's {cluster}"
            ));
        }
    }
    Ok(())
}
