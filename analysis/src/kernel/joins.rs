//! Products of matrices, joined by address with the copies that fill the shared memory that they read.

use isa::compute::{Binary, Node, Op};

use crate::{
    flow::ids::{Step, Value, VariableName},
    hir::{bound::Bound, layout::layouts},
    kernel::{
        events::{Address, Kernel, Start, is_product},
        rings::{Copy, Placed},
    },
};

/// The bits of an address in a matrix descriptor, which has it without its lowest ones.
const ADDRESS_BITS: u32 = 18;
const LEFT_OUT: u32 = 4;
const ADDRESS_MASK: u64 = (1 << (ADDRESS_BITS - LEFT_OUT)) - 1;

/// The bytes that one copy or several fill in turn.
pub(super) struct Region {
    pub(super) start: Start,
    offset: i64,
    /// The bytes of a stage, and the bytes from one stage to the next.
    bytes: i64,
    stride: i64,
    stages: i64,
    /// The bytes from one part with its stages to the next one, and the number of parts.
    parts: (i64, i64),
    ring: usize,
}

impl Region {
    /// Its stages, as offsets with the bytes of each.
    pub(super) fn stages(&self) -> impl Iterator<Item = (i64, i64)> {
        let (by, parts) = self.parts;
        let starts = (0..parts).flat_map(move |part| {
            (0..self.stages).map(move |stage| self.offset + by * part + self.stride * stage)
        });
        starts.map(|it| (it, self.bytes))
    }

    /// Whether a copy fills a stage.
    pub(super) fn is_filled_by(&self, copy: &Copy) -> bool {
        let to = copy.destination.as_ref();
        copy.copy.ring == Some(self.ring) && to.is_some_and(|it| self.contains(it))
    }

    /// Whether an address is inside a stage, as far as it does not vary.
    fn contains(&self, address: &Address) -> bool {
        let distance = address.offset.saturating_sub(self.offset);
        let (by, parts) = self.parts;
        if self.start != address.start || !(0..by.saturating_mul(parts)).contains(&distance) {
            return false;
        }
        let distance = distance % by;
        distance < self.stride.saturating_mul(self.stages) && distance % self.stride < self.bytes
    }
}

impl Kernel<'_, '_> {
    /// Notes for each copy the products that read what it writes by a descriptor, and returns the bytes of the stages.
    pub(super) fn join_products(&mut self, copies: &mut [Copy], rings: &[Placed]) -> Vec<Region> {
        let regions: Vec<Region> = copies
            .iter()
            .filter_map(|it| region(it, copies, rings, &|start| self.size(start)))
            .collect();
        for step in self.steps(is_product) {
            let range = self.range(step);
            for read in self.descriptors(step) {
                let region = regions.iter().find(|it| it.contains(&read));
                for it in copies.iter_mut() {
                    let Some(to) = &it.destination else { continue };
                    let begins = to.start == read.start && to.offset == read.offset;
                    let known = it.copy.products.contains(&range);
                    if (begins || region.is_some_and(|region| region.is_filled_by(it))) && !known {
                        it.copy.products.push(range);
                    }
                }
            }
        }
        regions
    }

    /// The bytes of a variable, if the function declares it with a size.
    fn size(&self, start: Start) -> Option<i64> {
        let Start::Symbol(VariableName::Own(id)) = start else {
            return None;
        };
        let layouts = layouts(self.subject.db, self.subject.function);
        let size = layouts.get(id as usize).copied().flatten()?.size?;
        i64::try_from(size).ok()
    }

    /// The addresses in the matrix descriptors of a product.
    pub(super) fn descriptors(&mut self, step: Step) -> Vec<Address> {
        let wide = self.wide_registers(step);
        wide.into_iter()
            .filter_map(|it| self.descriptor(it, step))
            .collect()
    }

    /// The registers of 64 bits among the operands of an instruction.
    pub(super) fn wide_registers(&self, step: Step) -> Vec<Value> {
        let Some(instruction) = self.subject.get(step) else {
            return Vec::new();
        };
        let names = instruction.operands().filter_map(|it| match it.bound() {
            Bound::Name(name, None) => self.subject.flow.facts.value(name),
            _ => None,
        });
        names.filter(|it| self.values.bits(*it) == 64).collect()
    }

    /// The address in a matrix descriptor: the sum of an address without its lowest bits and numbers, whose lowest bits
    /// count for the address.
    fn descriptor(&mut self, value: Value, step: Step) -> Option<Address> {
        let node = self.values.before(value, step);
        let (node, constant) = self.without_upper_bits(node);
        let sum = self.values.sum(node, u64::BITS);
        let mut found = None;
        let mut others = Vec::new();
        for (term, factor) in sum.terms.iter().copied() {
            let address = match factor {
                1 => self.without_shift(term),
                _ => None,
            };
            match address {
                Some(it) if found.is_none() => found = Some(it),
                Some(_) => return None,
                None => others.push((term, factor << LEFT_OUT)),
            }
        }
        let inner = self.values.sum(found?, 32);
        let constant = sum.constant.wrapping_add(constant) & ADDRESS_MASK.cast_signed();
        let mut address = self.in_variable(&inner, constant << LEFT_OUT)?;
        address.terms.extend(others);
        Some(address)
    }

    /// A descriptor without bits above the address that are put into it, and without numbers that are added, whose sum
    /// is the second result.
    fn without_upper_bits(&self, node: Node) -> (Node, i64) {
        let graph = &self.values.graph;
        let (mut at, mut added) = (node, 0_i64);
        loop {
            let Op::Binary(operation @ (Binary::Add | Binary::Or), _, a, b) = graph.op(at) else {
                return (at, added);
            };
            let (inner, number) = match (graph.as_constant(a), graph.as_constant(b)) {
                (_, Some(number)) => (a, number),
                (Some(number), _) => (b, number),
                _ => return (at, added),
            };
            match operation {
                Binary::Or if number & ADDRESS_MASK != 0 => return (at, added),
                Binary::Or => {}
                _ => added = added.wrapping_add(number.cast_signed()),
            }
            at = inner;
        }
    }

    /// The number of which a node has the bits of an address in a descriptor.
    fn without_shift(&self, node: Node) -> Option<Node> {
        let graph = &self.values.graph;
        let constant = |it: Node| graph.as_constant(it);
        let mut at = node;
        let mut shifted = false;
        loop {
            at = match graph.op(at) {
                Op::ZeroExtend(inner, bits) if u32::from(bits) >= ADDRESS_BITS - LEFT_OUT => inner,
                Op::Field(_, inner, low, _)
                    if !shifted && constant(low) == Some(LEFT_OUT.into()) =>
                {
                    shifted = true;
                    inner
                }
                Op::Binary(Binary::ShiftRight, _, inner, by)
                    if !shifted && constant(by) == Some(LEFT_OUT.into()) =>
                {
                    shifted = true;
                    inner
                }
                Op::Binary(Binary::And, _, inner, mask) if constant(mask).is_some() => inner,
                _ => return shifted.then_some(at),
            };
        }
    }
}

/// The bytes that a copy fills in the stages of its ring. The number of the stage is what the address of the mbarrier
/// varies by, and a stage begins as many bytes after another one as the address of the copy has of that number. It ends
/// where another copy begins, or after the bytes that the mbarrier expects.
fn region(
    one: &Copy,
    copies: &[Copy],
    rings: &[Placed],
    size: &dyn Fn(Start) -> Option<i64>,
) -> Option<Region> {
    let (index, to) = (one.copy.ring?, one.destination.as_ref()?);
    let ring = &rings.get(index)?.ring;
    let known: Vec<i64> = ring.bytes.iter().copied().flatten().collect();
    let (expected, others) = known.split_first()?;
    if others.iter().any(|it| it != expected) || *expected <= 0 {
        return None;
    }
    let mates = || copies.iter().filter(|it| it.copy.ring == Some(index));
    let addresses: Option<Vec<&Address>> = mates().map(|it| it.destination.as_ref()).collect();
    // A copy to an unknown place may fill a part of the bytes.
    let addresses = addresses?;
    let next = addresses.iter().filter(|it| it.start == to.start);
    let next = next
        .map(|it| it.offset.saturating_sub(to.offset))
        .filter(|it| *it > 0);
    let bytes = next.min().unwrap_or(*expected).min(*expected);
    if ring.stages < 2 {
        let (own, others): (Vec<&Address>, Vec<&Address>) =
            addresses.iter().partition(|it| it.start == to.start);
        // Others fill a part of the bytes, and this one no more than its variable.
        let bytes = match others.is_empty() {
            true => bytes,
            false => bytes.min(size(to.start)? - to.offset),
        };
        let alone = bytes > 0 && own.iter().all(|it| it.offset == to.offset);
        return alone.then_some(Region {
            start: to.start,
            offset: to.offset,
            bytes,
            stride: bytes,
            stages: 1,
            parts: (bytes, 1),
            ring: index,
        });
    }
    let barrier = one.barrier.as_ref()?;
    let stage = barrier.terms.iter().find(|it| Some(it.1) == ring.stride)?;
    let stride = to.factor(stage.0).filter(|it| *it > 0)?;
    let (bytes, stages) = (bytes.min(stride), ring.stages as i64);
    // Parts that several warps fill may have stages of their own.
    let factors = to.terms.iter().map(|it| it.1);
    let outer: Vec<i64> = factors.filter(|it| *it > stride).collect();
    let whole = stride.saturating_mul(stages);
    let parts = match outer[..] {
        [] => (whole, 1),
        [by] if by >= whole => (by, (expected / bytes).max(1)),
        _ => return None,
    };
    Some(Region {
        start: to.start,
        offset: to.offset,
        bytes,
        stride,
        stages,
        parts,
        ring: index,
    })
}
