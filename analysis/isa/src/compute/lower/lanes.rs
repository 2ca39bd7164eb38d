//! Sets: the elements of a pack, the lanes of a mask, and how their values are combined.

use super::{Expression, LANES, Lowering, Obstacle, Result, Value, mistake, truth_as_int};
use crate::{
    computation::{Binder, Set},
    compute::{
        exact::{Int, Range, Ring},
        node::Node,
        program::{Binary, Op, Relation, Unary, Width},
    },
};

impl Lowering<'_> {
    /// The values of a body over a set, combined.
    pub(super) fn over(
        &mut self,
        binder: &Binder,
        variable: &'static str,
        set: &Set,
        body: &Expression,
    ) -> Result<Value> {
        let (members, mask) = match set {
            Set::Range(first, last) => {
                let (first, last) = (self.constant(first)?, self.constant(last)?);
                (first..last + 1, None)
            }
            Set::Lanes(mask) => {
                self.crosses_lanes = true;
                let mask = self.int(mask)?;
                if let Expression::At(inner, lane) = body
                    && **lane == Expression::Name(variable)
                    && matches!(
                        binder,
                        Binder::All | Binder::Any | Binder::Count | Binder::Mask
                    )
                {
                    return self.ballot(binder, mask, inner);
                }
                (0..LANES as i128, Some(mask))
            }
            Set::Named("participants") => return self.over_participants(binder, body),
            Set::Named("copies") if matches!(binder, Binder::Reduce(_) | Binder::Sum) => {
                let before = self.memory.copy.replace(variable);
                let value = self.expression(body);
                self.memory.copy = before;
                return value;
            }
            // CTAs are other memories.
            Set::Named(_) => return Err(Obstacle::Memory),
        };
        let before = self.variables.remove(variable);
        let mut all = Vec::new();
        let mut failed = None;
        for member in members {
            let value = Value::Int(Int::constant(member));
            self.variables.insert(variable, value);
            match self.expression(body) {
                Ok(value) => all.push((member, value)),
                Err(it) => {
                    failed = Some(it);
                    break;
                }
            }
        }
        self.variables.remove(variable);
        self.restore(variable, before);
        match failed {
            Some(it) => Err(it),
            None => self.fold(binder, all, mask),
        }
    }

    /// A truth of each lane of a mask, combined: one step and not one for each lane.
    fn ballot(&mut self, binder: &Binder, mask: Int, truth: &Expression) -> Result<Value> {
        let mut truth = self.truth(truth)?;
        if matches!(binder, Binder::All) {
            truth = self.not(truth);
        }
        let ballot = self.builder.push(Op::Ballot(truth));
        let ballot = Int::node(ballot, Range::of_bits(LANES as u32, false));
        let found = Int::ring(Ring::And, ballot, mask).low_bits(LANES as u32);
        let zero = Int::constant(0);
        Ok(match binder {
            Binder::All => {
                let none = self.builder.compare(Relation::Equal, &found, &zero);
                Value::Truth(none)
            }
            Binder::Any => {
                let some = self.builder.compare(Relation::NotEqual, &found, &zero);
                Value::Truth(some)
            }
            Binder::Mask => Value::Int(found),
            _ => {
                let found = self.low_bits(&found, LANES as u32);
                let count = Op::Unary(Unary::PopulationCount, Width::Narrow, found);
                let count = self.builder.push(count);
                Value::Int(Int::node(count, Range::new(0, LANES as i128)))
            }
        })
    }

    /// A truth of each thread of a barrier, combined.
    fn over_participants(&mut self, binder: &Binder, body: &Expression) -> Result<Value> {
        let Expression::At(inner, _) = body else {
            return mistake("a barrier combines an operand of each thread");
        };
        self.memory.participants = Some(self.truth(inner)?);
        let some = self.builder.push(Op::Participants { all: false });
        let (with, relation) = match binder {
            Binder::Count => {
                let count = Int::node(some, Range::of_bits(32, false));
                return Ok(Value::Int(count));
            }
            Binder::All => (
                self.builder.push(Op::Participants { all: true }),
                Binary::Equal,
            ),
            Binder::Any => (self.builder.push(Op::Constant(0)), Binary::NotEqual),
            _ => return mistake("a barrier counts, or combines truths"),
        };
        let truth = Op::Binary(relation, Width::Narrow, some, with);
        Ok(Value::Truth(self.builder.push(truth)))
    }

    /// The truth that a lane is in a mask.
    fn in_mask(&mut self, mask: Option<&Int>, member: i128) -> Option<Node> {
        let bit = mask?.clone().shift_right(Int::constant(member)).low_bits(1);
        Some(self.low_bits(&bit, 1))
    }

    fn fold(
        &mut self,
        binder: &Binder,
        all: Vec<(i128, Value)>,
        mask: Option<Int>,
    ) -> Result<Value> {
        if let Binder::Pack(width) = binder {
            let width = self.constant(width)?;
            let bits = u32::try_from(width).unwrap_or(0);
            let count = all.len() as u32;
            let mut packed = Int::constant(0);
            for (member, value) in all {
                let value = self.number(value)?.plain().low_bits(bits);
                let value = value.plain().shift_left(Int::constant(width * member));
                packed = Int::ring(Ring::Or, packed, value);
            }
            return Ok(Value::Int(packed.low_bits(bits * count)));
        }
        let mut folded: Option<Value> = None;
        // Whether the fold has a value, where the set may be empty up to here.
        let mut has: Option<Node> = None;
        for (member, value) in all {
            let inside = self.in_mask(mask.as_ref(), member);
            folded = Some(match binder {
                Binder::All | Binder::Any => {
                    let mut truth = self.as_truth(value)?;
                    if let Some(inside) = inside {
                        truth = match binder {
                            Binder::Any => self.both(truth, inside),
                            _ => {
                                let outside = self.not(inside);
                                self.either(truth, outside)
                            }
                        };
                    }
                    match (folded, binder) {
                        (Some(Value::Truth(it)), Binder::Any) => {
                            Value::Truth(self.either(it, truth))
                        }
                        (Some(Value::Truth(it)), _) => Value::Truth(self.both(it, truth)),
                        _ => Value::Truth(truth),
                    }
                }
                Binder::Count | Binder::Mask | Binder::Sum => {
                    let number = match binder {
                        Binder::Sum => value,
                        _ => Value::Truth(self.as_truth(value)?),
                    };
                    let mut number = self.number(number)?.plain();
                    if let Some(inside) = inside {
                        number = Int::select(inside, number, Int::constant(0));
                    }
                    if matches!(binder, Binder::Mask) {
                        number = number.shift_left(Int::constant(member));
                    }
                    let sum = match folded {
                        Some(Value::Int(it)) => Int::ring(Ring::Add, it, number),
                        _ => number,
                    };
                    Value::Int(sum)
                }
                Binder::Lowest => {
                    let mut truth = self.as_truth(value)?;
                    if let Some(inside) = inside {
                        truth = self.both(truth, inside);
                    }
                    let before = match folded {
                        Some(Value::Int(it)) => it,
                        _ => Int::constant(LANES as i128),
                    };
                    let lower = Int::minimum(before.clone(), Int::constant(member));
                    let node = self.builder.low(&Int::select(truth, lower, before), 64);
                    Value::Int(Int::node(node, Range::new(0, LANES as i128)))
                }
                Binder::Reduce(operation) => {
                    let operation = self.statement.slot(operation).unwrap_or(operation);
                    let operation = operation.to_owned();
                    match (folded, inside, has) {
                        (None, None, _) => value,
                        (None, Some(inside), _) => {
                            has = Some(inside);
                            value
                        }
                        (Some(before), inside, before_has) => {
                            let both = self.apply(&operation, before.clone(), value.clone())?;
                            let with = match before_has {
                                Some(it) => self.select(it, both, value)?,
                                None => both,
                            };
                            has = match (before_has, inside) {
                                (Some(a), Some(b)) => Some(self.either(a, b)),
                                _ => None,
                            };
                            let reduced = match inside {
                                Some(it) => self.select(it, with, before)?,
                                None => with,
                            };
                            // A step reads the one before several times; as a node it is made once.
                            match reduced {
                                Value::Int(it) => {
                                    let range = it.range;
                                    match self.builder.exact(&it) {
                                        (node, Width::Narrow) => Value::Int(Int::node(node, range)),
                                        _ => Value::Int(it),
                                    }
                                }
                                other => other,
                            }
                        }
                    }
                }
                Binder::Chain(_) => return Err(Obstacle::Matrix),
                Binder::Pack(_) => return mistake("unreachable: packs are made above"),
            });
        }
        Ok(match (folded, binder) {
            (Some(Value::Int(it)), Binder::Mask) => Value::Int(it.low_bits(LANES as u32)),
            (Some(it), _) => it,
            (None, Binder::All) => Value::Truth(self.builder.push(Op::Constant(1))),
            (None, Binder::Any) => Value::Truth(self.builder.push(Op::Constant(0))),
            (None, _) => Value::Int(truth_as_int(self.builder.push(Op::Constant(0)))),
        })
    }
}
