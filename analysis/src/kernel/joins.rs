//! Products of matrices, joined by address with the copies that fill the shared memory that they read.

use isa::compute::{Binary, Node, Op};

use crate::{
    flow::ids::{Step, Value},
    hir::bound::Bound,
    kernel::{
        events::{Address, Kernel, Start, is_product},
        map::AsyncCopy,
        rings::Placed,
    },
};

/// The bits of an address in a matrix descriptor, which has it without its lowest ones.
const ADDRESS_BITS: u32 = 18;
const LEFT_OUT: u32 = 4;

/// The bytes that one copy or several fill in turn.
struct Region {
    start: Start,
    offset: i64,
    end: i64,
    ring: usize,
}

impl Kernel<'_, '_> {
    /// Notes for each copy the products that read what it writes.
    pub(super) fn join_products(
        &mut self,
        copies: &mut [(AsyncCopy, Option<Address>)],
        rings: &[Placed],
    ) {
        let regions: Vec<Region> = copies
            .iter()
            .filter_map(|(copy, to)| {
                let (ring, to) = (copy.ring?, to.as_ref()?);
                let same = |it: &Address| it.start == to.start && it.offset == to.offset;
                let mut others = copies.iter().filter(|it| it.0.ring == Some(ring));
                let alone = others.all(|it| it.1.as_ref().is_some_and(same));
                region(ring, to, alone, rings)
            })
            .collect();
        for step in self.steps(is_product) {
            let range = self.range(step);
            for read in self.descriptors(step) {
                let inside = |it: &&Region| {
                    it.start == read.start && (it.offset..it.end).contains(&read.offset)
                };
                let region = regions.iter().find(inside);
                for (copy, to) in copies.iter_mut() {
                    let Some(to) = to else { continue };
                    let fills = |it: &Region| {
                        copy.ring == Some(it.ring)
                            && it.start == to.start
                            && (it.offset..it.end).contains(&to.offset)
                    };
                    let begins = to.start == read.start && to.offset == read.offset;
                    if (begins || region.is_some_and(fills)) && !copy.products.contains(&range) {
                        copy.products.push(range);
                    }
                }
            }
        }
    }

    /// The addresses in the matrix descriptors of a product.
    fn descriptors(&mut self, step: Step) -> Vec<Address> {
        let Some(instruction) = self.subject.get(step) else {
            return Vec::new();
        };
        let names = instruction.operands().filter_map(|it| match it.bound() {
            Bound::Name(name, None) => self.subject.flow.facts.value(name),
            _ => None,
        });
        let values: Vec<Value> = names.collect();
        let wide = values.into_iter().filter(|it| self.values.bits(*it) == 64);
        let wide: Vec<Value> = wide.collect();
        wide.into_iter()
            .filter_map(|it| self.descriptor(it, step))
            .collect()
    }

    /// The address in a matrix descriptor: the sum of an address without its lowest bits and a constant, whose lowest
    /// bits count for the address.
    fn descriptor(&mut self, value: Value, step: Step) -> Option<Address> {
        let sum = self.values.sum_before(value, step);
        let [(term, 1)] = *sum.terms else {
            return None;
        };
        let address = self.without_shift(term)?;
        let inner = self.values.sum(address, 32);
        let mask = (1 << (ADDRESS_BITS - LEFT_OUT)) - 1;
        self.in_variable(&inner, (sum.constant & mask) << LEFT_OUT)
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

/// The bytes that a copy fills in the stages of its ring. With several stages that is a stage as often as there are
/// stages, the largest step of the address being a stage; with one it is what the mbarrier expects, if it is `alone`: no
/// copy to other addresses completes there.
fn region(ring: usize, to: &Address, alone: bool, rings: &[Placed]) -> Option<Region> {
    let placed = &rings.get(ring)?.ring;
    let known: Vec<i64> = placed.bytes.iter().copied().flatten().collect();
    let (bytes, others) = known.split_first()?;
    if others.iter().any(|it| it != bytes) {
        return None;
    }
    let step = to.factors.iter().map(|it| it.abs()).max();
    let size = match (placed.stages, step) {
        (0 | 1, _) if alone => *bytes,
        (2.., Some(step)) if step <= *bytes => step * placed.stages as i64,
        _ => return None,
    };
    Some(Region {
        start: to.start,
        offset: to.offset,
        end: to.offset + size,
        ring,
    })
}
