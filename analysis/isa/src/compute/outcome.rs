//! Outcomes: what a statement leaves in its registers, as far as its constants tell.

use super::{
    bit_map::BitMap,
    bit_text::Source,
    graph::Graph,
    lower::register_bits,
    node::Node,
    program::{Destination, Exactness, Program},
    statement::constant_bits,
    value_type::ValueType,
};
use crate::{matching::binding::Binding, operand::Operand};

/// An operand of a statement, or an element of one in braces, by the index of its binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResultPlace {
    /// The binding.
    pub binding: u8,
    /// The element, of one in braces.
    pub element: Option<u8>,
}

/// The new contents of a register.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The register.
    pub place: ResultPlace,
    /// Its bits.
    pub bits: BitMap,
    /// The type that the table gives it, or the bits of the register.
    pub ty: ValueType,
}

/// The results of a statement.
#[derive(Clone, Debug)]
pub struct Outcomes {
    /// The registers that it writes.
    pub results: Vec<Outcome>,
    /// The registers that the leaves of the bit maps hold.
    pub sources: Vec<Source>,
    /// Whether some operands are constants.
    pub has_constants: bool,
    /// Whether the manual leaves the results open: `Some(true)` if it does for these constants, `None` if that depends
    /// on registers.
    pub is_open: Option<bool>,
    /// How sure the results are.
    pub exactness: Exactness,
}

/// The operand at a place.
fn operand_at<'a>(
    bindings: &'a [Binding],
    operands: &'a [Operand],
    place: ResultPlace,
) -> Option<(&'a Operand, &'a Binding)> {
    let binding = bindings.get(usize::from(place.binding))?;
    let operand = binding.path.get(operands)?;
    let operand = match (operand, place.element) {
        (Operand::Vector(items), Some(it)) => items.get(usize::from(it))?,
        _ => operand,
    };
    Some((operand, binding))
}

impl Outcomes {
    /// Those of a program; `name` gives the text of the register at a place. Operands with one text hold the same.
    pub fn of(
        program: &Program,
        bindings: &[Binding],
        operands: &[Operand],
        name: &dyn Fn(ResultPlace) -> Option<String>,
    ) -> Option<Outcomes> {
        if program.crosses_lanes {
            return None;
        }
        let mut graph = Graph::default();
        let mut sources: Vec<Source> = Vec::new();
        let mut leaves: Vec<Node> = Vec::new();
        let mut has_constants = false;
        let mut inputs = Vec::with_capacity(program.inputs.len());
        for input in &program.inputs {
            let place = ResultPlace {
                binding: input.operand,
                element: input.element,
            };
            let (operand, binding) = operand_at(bindings, operands, place)?;
            if let Some(constant) = constant_bits(operand, binding.ty.as_deref()) {
                has_constants = true;
                let half = constant >> (64 * u32::from(input.half));
                inputs.push(graph.constant(half as u64));
                continue;
            }
            let source = Source {
                name: name(place)?,
                bits: register_bits(
                    operand,
                    binding.ty.as_deref().and_then(ValueType::from_word),
                ),
                start: 64 * u32::from(input.half),
            };
            let known = sources.iter().position(|it| *it == source);
            inputs.push(match known {
                Some(it) => leaves[it],
                None => {
                    let (node, _) = graph.leaf(input.bits);
                    sources.push(source);
                    leaves.push(node);
                    node
                }
            });
        }
        let open = program.unspecified;
        // The results are shown with what is open about them, so they are asked for all the same.
        let closed = Program {
            unspecified: None,
            outputs: {
                let open = open.map(|it| (Destination::Carry, it));
                program.outputs.iter().copied().chain(open).collect()
            },
            ..program.clone()
        };
        let mut written = graph.apply(&closed, &inputs, false);
        let open = open.and_then(|_| written.pop());
        let is_open = match open {
            Some((_, node)) => graph.bit_map(node, 1).as_constant().map(|it| it != 0),
            None => Some(false),
        };
        let mut results: Vec<Outcome> = Vec::new();
        for (destination, node) in written {
            let Destination::Operand {
                operand,
                element,
                half,
            } = destination
            else {
                continue;
            };
            let place = ResultPlace {
                binding: operand,
                element,
            };
            let (operand, binding) = operand_at(bindings, operands, place)?;
            let ty = binding.ty.as_deref().and_then(ValueType::from_word);
            let width = register_bits(operand, ty);
            let left = width.saturating_sub(64 * u32::from(half)).min(64);
            let bits = graph.bit_map(node, left);
            match results.last_mut().filter(|it| it.place == place) {
                Some(low) => {
                    let below = std::mem::take(&mut low.bits);
                    low.bits = below.followed_by(bits);
                }
                None => results.push(Outcome {
                    place,
                    bits,
                    ty: ty.unwrap_or_else(|| match width {
                        1 => ValueType::PREDICATE,
                        _ => ValueType::untyped(width),
                    }),
                }),
            }
        }
        Some(Outcomes {
            results,
            sources,
            has_constants,
            is_open,
            exactness: program.exactness,
        })
    }
}
