//! Registers that nobody wrote.

use std::{cell::OnceCell, cmp::Reverse, collections::hash_map::Entry};

use crate::{
    Severity,
    diagnostics::{
        finding::{Finding, finding},
        lints::statements::Statements,
        registry::UNINITIALIZED_REGISTER,
    },
    flow::{
        chains::Chains,
        facts::{Register, Step},
    },
    hir::{
        body::{Body, Reference, Target, body},
        instruction::references,
        items::Function,
    },
};

use isa::semantics::Undefined;
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange};

/// Instructions that a value is followed through before it counts as used.
const MOST_MOVES: usize = 256;

/// The first use of each register that no way to it writes.
pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let (body, flow) = (body(db, function), statements.flow());
    let uses = RegisterUses {
        body,
        statements,
        chains: OnceCell::new(),
    };
    let mut reported: FxHashMap<u32, usize> = FxHashMap::default();
    // For each value the last block that has written it.
    let mut written = vec![u32::MAX; flow.facts.values.len()];
    for (block, steps) in (0..).zip(&flow.graph.blocks) {
        if !flow.graph.reachable[block as usize] || !flow.liveness.any_undefined_in(block) {
            continue;
        }
        for step in steps.clone() {
            let at = step as usize;
            let Some(instruction) = body.instructions.get(at) else {
                break;
            };
            for value in flow.facts.reads.get(at) {
                let is_unwritten = written[*value as usize] != block
                    && flow.liveness.is_undefined_in(block, *value);
                // What is wrong already may mean another register.
                if !is_unwritten || flow.facts.copies[at] || statements.is_wrong(instruction.range)
                {
                    continue;
                }
                let register = flow.facts.values[*value as usize];
                // The accumulators of an asynchronous multiplication need no first value.
                let reads = uses.reads(step, register);
                let uses_of = reads.map(|it| (uses.use_of(step, it.range), it));
                let worst = uses_of.max_by_key(|it| (it.0, Reverse(it.1.range.start())));
                let (range, moved) = match worst {
                    Some((Use::Read, it)) => (it.range, false),
                    Some((Use::Passed, it)) => (it.range, uses.is_only_moved(step)),
                    _ => continue,
                };
                let found = found(body, register, range, moved);
                match reported.entry(*value) {
                    Entry::Vacant(entry) => {
                        entry.insert(findings.len());
                        findings.push(found);
                    }
                    // What was only moved there is used here.
                    Entry::Occupied(entry) => {
                        let earlier = &mut findings[*entry.get()];
                        if !moved && earlier.severity == Severity::Hint {
                            *earlier = found;
                        }
                    }
                }
            }
            for value in flow.facts.writes.get(at) {
                written[*value as usize] = block;
            }
        }
    }
}

/// The finding about a register that is read at a place, where it may be moved only.
fn found(body: &Body, register: Register, range: TextRange, moved: bool) -> Finding {
    let definition = body.definition(register.definition);
    let name = match register.member {
        Some(member) => format!("{}{member}", definition.name),
        None => definition.name.to_string(),
    };
    let mut found = finding(
        range,
        UNINITIALIZED_REGISTER,
        format!("`{name}` is used before it is written"),
        None,
    );
    if moved {
        found.severity = Severity::Hint;
        found.help = Some("its value is only moved, never used".to_owned());
    }
    found
}

/// How an instruction uses an operand; what matters more is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Use {
    /// It does not matter what the operand holds, as in what compilers write for values of which they know a part.
    Undefined,
    /// The operand is handed on.
    Passed,
    /// Anything else.
    Read,
}

/// The uses of the registers of a function.
struct RegisterUses<'a, 'd> {
    body: &'a Body,
    statements: &'a Statements<'d>,
    /// Made at the first question.
    chains: OnceCell<Chains<'a>>,
}

impl<'a> RegisterUses<'a, '_> {
    /// Where an instruction reads a register by its name.
    fn reads(&self, step: Step, register: Register) -> impl Iterator<Item = &'a Reference> {
        let instruction = self.body.instructions.get(step as usize);
        let all = instruction.map_or(&[][..], |it| references(self.body, it));
        all.iter().filter(move |it| {
            let target = Target::Definition(register.definition);
            !it.write && it.target == target && it.member == register.member
        })
    }

    /// How an instruction uses the register at a place.
    fn use_of(&self, step: Step, range: TextRange) -> Use {
        let node = self.statements.instruction(step);
        let (Some(node), Some(effects)) = (node, self.statements.effects(step)) else {
            return Use::Read;
        };
        let of_operands =
            |it: &Cursor<'_>| !matches!(it.kind(), SyntaxKind::GUARD | SyntaxKind::ERROR);
        let mut operands = node.nodes().filter(of_operands).enumerate();
        let found = operands.find(|it| it.1.range().contains_range(range));
        let Some((index, operand)) = found else {
            return Use::Read;
        };
        let is_in = |bits: u8| bits.checked_shr(index as u32).is_some_and(|it| it & 1 == 1);
        let may_be_undefined = match effects.undefined {
            Undefined::None => false,
            Undefined::Operands(bits) => is_in(bits),
            Undefined::Elements => operand.kind() == SyntaxKind::VECTOR,
        };
        match may_be_undefined {
            true => Use::Undefined,
            false if effects.copies || is_in(effects.passed) => Use::Passed,
            false => Use::Read,
        }
    }

    /// Whether the value that an instruction hands on ends in instructions that hand it on, too.
    fn is_only_moved(&self, step: Step) -> bool {
        let flow = self.statements.flow();
        let chains = self.chains.get_or_init(|| Chains::of(flow));
        let mut seen = FxHashSet::from_iter([step]);
        let mut work = vec![step];
        while let Some(step) = work.pop() {
            for value in flow.facts.writes.get(step as usize) {
                let register = flow.facts.values[*value as usize];
                // A second, predicate destination does not depend on the value.
                if register.weight == 0 {
                    continue;
                }
                for reader in chains.reached_reads(*value, &[step]) {
                    let mut reads = self.reads(reader, register).peekable();
                    let is_used = reads.peek().is_none()
                        || reads.any(|it| self.use_of(reader, it.range) == Use::Read);
                    if is_used || MOST_MOVES <= seen.len() {
                        return false;
                    }
                    if seen.insert(reader) {
                        work.push(reader);
                    }
                }
            }
        }
        true
    }
}
