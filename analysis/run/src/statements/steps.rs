//! Runs statements, and keeps what each instruction writes.

use analysis::code::{Function, Slot};

use super::{
    Form, MOST_INSTRUCTIONS, MOST_STEPS, Operand, Statements, Step, Tried, prepare::name_of,
    value::Given,
};
use crate::{
    debug::{Row, Scope, Type, WARP},
    description::Element,
    launch::{Launch, Limits, Schedule},
    machine::{
        Machine,
        inspect::{View, WarpId},
    },
    outcome::Ended,
};

/// The only warp, and its outermost frame.
const WARP_ID: WarpId = WarpId { block: 0, warp: 0 };
const FRAME: usize = 0;
const VIEW: View = View {
    warp: WARP_ID,
    frame: FRAME,
    lane: 0,
};

impl Statements {
    /// Runs them on values: one for each of [`Statements::inputs`] in that order, or `NAME=VALUE`.
    ///
    /// # Errors
    /// A value is missing, is one too many, or does not fit its operand, as a sentence.
    pub fn run(&self, values: &[String]) -> Result<Tried, String> {
        let given = self.given(values)?;
        let by_lane = given.iter().any(|it| !matches!(it.1, Given::Same(_)));
        let lanes = if by_lane || self.is_warp { WARP } else { 1 };
        let launch = Launch {
            entry: 0,
            grid: [1; 3],
            block: [lanes as u32, 1, 1],
            cluster: [1; 3],
            shared: 0,
            arrays: Vec::new(),
            arguments: Vec::new(),
            bound: Vec::new(),
            schedule: Schedule::Lowest,
            late: false,
            limits: Limits {
                steps: MOST_INSTRUCTIONS,
                ..Limits::default()
            },
        };
        let mut machine = Machine::new(&self.code, launch).map_err(|it| it.0)?;
        let function = &self.code.functions[0];
        machine.next_instruction();
        let mut before = Vec::new();
        for (index, value) in &given {
            let operand = &self.operands[*index];
            let scope = Scope {
                machine: &machine,
                arrays: &[],
                view: VIEW,
            };
            before.push((*index, value.bits(operand, &scope, lanes)?));
        }
        for (index, bits) in &before {
            for (lane, bits) in bits.iter().enumerate() {
                let slot = self.operands[*index].slot;
                machine.write_register(WARP_ID, FRAME, slot, 1 << lane, *bits);
            }
        }
        let row = |(index, bits): (usize, [u64; WARP])| {
            let ty = type_of(self.operands[index].form);
            (
                index,
                Row {
                    ty,
                    bits,
                    undefined: 0,
                },
            )
        };
        let mut tried = Tried {
            given: before.into_iter().map(row).collect(),
            results: Vec::new(),
            steps: Vec::new(),
            more: 0,
            lanes,
            findings: Vec::new(),
            not_run: Vec::new(),
            is_limited: false,
            approximated: Vec::new(),
        };
        self.steps(&mut machine, function, &mut tried);
        let outcome = machine.outcome();
        tried.findings = outcome.findings;
        tried.not_run = outcome.not_run.into_iter().map(|it| it.what).collect();
        tried.is_limited = outcome.ended == Ended::Limit && machine.ended().is_some();
        tried.approximated = outcome.approximated;
        Ok(tried)
    }

    /// The values of operands, by their indices.
    fn given(&self, values: &[String]) -> Result<Vec<(usize, Given)>, String> {
        let mut given: Vec<(usize, Given)> = Vec::new();
        let mut plain = Vec::new();
        for text in values {
            let named = text.split_once('=').and_then(|(name, value)| {
                let is_it = |it: &Operand| it.name == name.trim();
                Some((self.operands.iter().position(is_it)?, value))
            });
            match named {
                Some((index, value)) => {
                    if given.iter().any(|it| it.0 == index) {
                        return Err(format!("`{}` has two values", self.operands[index].name));
                    }
                    given.push((index, Given::parse(value, &self.operands[index])?));
                }
                None => plain.push(text),
            }
        }
        let all = self.operands.iter().enumerate();
        let wanted: Vec<(usize, &Operand)> = all
            .filter(|it| it.1.read && given.iter().all(|known| known.0 != it.0))
            .collect();
        if wanted.len() != plain.len() {
            let names = wanted
                .iter()
                .map(|it| format!("`{}` (.{})", it.1.name, it.1.form.word()));
            let names = names.collect::<Vec<_>>().join(", ");
            let found = plain.len();
            return Err(match wanted.len() {
                0 => format!("expected no values, found {found}"),
                1 => format!("expected 1 value, for {names}; found {found}"),
                count => format!("expected {count} values, for {names}; found {found}"),
            });
        }
        for ((index, operand), text) in wanted.into_iter().zip(plain) {
            given.push((index, Given::parse(text, operand)?));
        }
        given.sort_by_key(|it| it.0);
        Ok(given)
    }

    fn steps(&self, machine: &mut Machine<'_>, function: &Function, tried: &mut Tried) {
        let all = u32::MAX >> (WARP - tried.lanes);
        let end = function.instructions.len() as u32;
        // What is read after all lanes have ended is what was there before.
        while let Some(next) = machine.next_instruction() {
            if next.pc >= end && next.lanes == all {
                break;
            }
            let instruction = function.instructions.get(next.pc as usize);
            let guard = instruction.and_then(|it| it.guard);
            let lanes = match guard {
                None => next.lanes,
                Some(guard) => {
                    let values = machine.register(WARP_ID, FRAME, guard.slot);
                    let holds = |lane: &usize| {
                        next.lanes >> lane & 1 == 1
                            && values.is_some_and(|it| (it.0[*lane] & 1 == 1) != guard.negated)
                    };
                    let lanes = (0..WARP).filter(holds);
                    lanes.fold(0, |mask, it| mask | 1 << it)
                }
            };
            if machine.run_next().is_none() {
                break;
            }
            self.keep_results(machine, tried);
            let Some(instruction) = instruction else {
                continue;
            };
            if tried.steps.len() == MOST_STEPS {
                tried.more += 1;
                continue;
            }
            let mut slots: Vec<Slot> = Vec::new();
            let later = &instruction.later_destinations;
            for slot in instruction.destinations.iter().chain(later).flatten() {
                if !slots.contains(slot) {
                    slots.push(*slot);
                }
            }
            let written = slots.into_iter().filter_map(|slot| {
                let (name, form) = name_of(function, instruction, slot)?;
                let row = row(machine, slot, form)?;
                Some((name, form, row))
            });
            let range = instruction.range;
            let text = usize::from(range.start()).checked_sub(self.start);
            let text = text.and_then(|it| self.text.get(it..it + usize::from(range.len())));
            tried.steps.push(Step {
                text: text.unwrap_or_default().to_owned(),
                lanes,
                written: written.collect(),
            });
        }
    }

    /// Keeps the values of written operands, as long as there are any.
    fn keep_results(&self, machine: &Machine<'_>, tried: &mut Tried) {
        let written = self.operands.iter().enumerate().filter(|it| it.1.written);
        let rows = written.filter_map(|(index, it)| Some((index, row(machine, it.slot, it.form)?)));
        let rows: Vec<(usize, Row)> = rows.collect();
        if !rows.is_empty() {
            tried.results = rows;
        }
    }
}

fn row(machine: &Machine<'_>, slot: Slot, form: Form) -> Option<Row> {
    let (bits, undefined) = machine.register(WARP_ID, FRAME, slot)?;
    Some(Row {
        ty: type_of(form),
        // A register is narrower than its slot.
        bits: bits.map(|it| it & (u64::MAX >> (64 - form.bits().clamp(1, 64)))),
        undefined,
    })
}

/// The type of the bits of a form as one value.
fn type_of(form: Form) -> Type {
    match form {
        Form::Predicate => Type::Predicate,
        Form::Numbers(element, 1) => Type::Number(element),
        Form::Numbers(..) => Type::Number(Element::Bits(form.bits())),
    }
}
