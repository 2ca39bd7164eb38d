//! Operands for which results are open, arguments that are missing, and the order of atomic operations.

use analysis::code::{Instruction, Source, Symbol};
use isa::compute::Program;

use crate::outcome::{Ended, FindingCode};

use super::{
    Machine,
    findings::{OPEN_RESULT, Refusal, lanes_of},
    running::Running,
};

impl Machine<'_> {
    /// Reports operands for which the manual leaves the result open. A value of a lane that does not take part matters
    /// only if something depends on it: that is not reported, and the lanes are returned in which it is read. Values of
    /// other lanes then count as undefined for [`Machine::run_lanes`].
    pub(super) fn unspecified(&mut self, running: &Running, program: &Program) -> u32 {
        let Some(node) = program.unspecified else {
            return 0;
        };
        let value = self.evaluator.value(node);
        let open = lanes_of(running.active).filter(|it| value[usize::from(*it)] & 1 == 1);
        let open = open.fold(0_u32, |all, it| all | 1 << it);
        if open == 0 {
            return 0;
        }
        if self
            .world
            .findings
            .knows(FindingCode::InvalidMask, &running.at, 0)
        {
            // The result is open because of that.
            return 0;
        }
        if program.crosses_lanes {
            self.flip_others(running.active);
            self.world.findings.open.insert(running.at.range);
            return open;
        }
        let (code, message) = match program.divides() {
            true => (
                FindingCode::DivisionByZero,
                "the divisor is 0, and PTX does not say what the result is",
            ),
            false => (FindingCode::UnspecifiedOperand, OPEN_RESULT),
        };
        let at = &running.at;
        self.world
            .findings
            .push(code, at, open, message.to_owned(), Vec::new());
        0
    }

    /// Takes the inputs of lanes that do not run for undefined.
    fn flip_others(&mut self, active: u32) {
        if self.flipped.is_empty() {
            self.flipped.clone_from(&self.inputs);
        }
        for input in &mut self.flipped {
            for lane in lanes_of(!active) {
                let value = &mut input[usize::from(lane)];
                *value = !*value;
            }
        }
    }

    pub(super) fn missing_argument(&mut self, instruction: &Instruction) {
        let entry = &self.code.functions[self.launch.entry as usize];
        let mut names = Vec::new();
        for source in &instruction.sources {
            if let Source::Address(Symbol::Variable(id), _)
            | Source::GenericAddress(Symbol::Variable(id), _) = source
            {
                names.push(format!("`{}`", self.code.variables[*id as usize].name));
            }
        }
        let what = match &names[..] {
            [] => "a parameter".to_owned(),
            [first, ..] => first.clone(),
        };
        self.wrong_launch = Some(format!(
            "{what} of `{}` has no argument, and an instruction reads it",
            entry.name
        ));
        self.ended = Some(Ended::Stopped);
    }

    /// Ends the run if an operation was not done: what waits for it would wait for ever.
    pub(super) fn end_if_refused(&mut self) {
        match self.world.findings.refused.take() {
            Some(Refusal::NotRun(what)) => {
                self.not_run.push(what);
                self.ended = Some(Ended::Stopped);
            }
            Some(Refusal::Operand) => self.ended = Some(Ended::Trap),
            None => {}
        }
    }

    /// Puts lanes into the order in which atomic operations reach memory.
    pub(super) fn shuffle(&mut self, lanes: &mut [usize]) {
        match self.launch.schedule {
            crate::launch::Schedule::Lowest => {}
            crate::launch::Schedule::Reverse => lanes.reverse(),
            crate::launch::Schedule::Random(_) => {
                for index in (1..lanes.len()).rev() {
                    let other = self.order.draw(index + 1);
                    lanes.swap(index, other);
                }
            }
        }
    }
}
