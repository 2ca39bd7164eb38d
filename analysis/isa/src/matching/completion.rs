//! Statements that are being written: which words can still lead to a legal instruction.
//!
//! Only the words are looked at. A word is offered if some choice of the words that are still to be
//! written meets every rule and gate of a variant, whatever the operands will be.

use crate::{
    condition::{Atom, Choices, Condition, Expression},
    table::{Consequence, Instruction, Tables, Variant, WordSet},
    target::{Gate, Module},
};

/// The words of a statement around the place where the next one is to be written.
#[derive(Debug, Clone, Copy)]
pub struct Partial<'a> {
    /// The first word.
    pub opcode: &'a str,
    /// The words before the place, without their periods.
    pub before: &'a [&'a str],
    /// The words after the place, without their periods.
    pub after: &'a [&'a str],
    /// The version and target for which the statement is checked.
    pub module: Module,
}

/// A word that can appear in the place.
#[derive(Debug, Clone, Copy)]
pub struct Continuation<'t> {
    /// The word, without its period.
    pub word: &'t str,
    /// The first instruction that takes it there.
    pub instruction: &'t Instruction,
    /// The slot of the first variant that takes it; none for a fixed word of the instruction.
    pub slot: Option<(&'t Variant, usize)>,
    /// Whether the manual writes it before a word that already appears.
    pub out_of_order: bool,
}

/// Steps of one search; beyond them a word counts as possible.
const MAX_STEPS: u32 = 4_000;

/// The words that can appear in the place, each once, in the order in which the manual writes them; those that
/// it writes before a word that already appears come last.
#[must_use]
pub fn continuations<'t>(tables: &'t Tables, partial: &Partial<'_>) -> Vec<Continuation<'t>> {
    let mut found: Vec<(usize, Continuation<'t>)> = Vec::new();
    let mut add = |rank: usize, it: Continuation<'t>| match found
        .iter_mut()
        .find(|(_, old)| old.word == it.word)
    {
        Some((old, _)) => *old = rank.min(*old),
        None => found.push((rank, it)),
    };
    for instruction in tables.with_opcode(partial.opcode) {
        if !meets(&instruction.gate, partial.module) {
            continue;
        }
        let common = instruction.fixed.len().min(partial.before.len());
        if instruction.fixed[..common] != partial.before[..common] {
            continue;
        }
        if let Some(word) = instruction.fixed.get(partial.before.len()) {
            let rest = &instruction.fixed[partial.before.len() + 1..];
            let after = partial.after.iter().zip(rest).all(|(a, b)| a == b);
            if after && is_available(instruction, partial.module) {
                add(
                    0,
                    Continuation {
                        word,
                        instruction,
                        slot: None,
                        out_of_order: false,
                    },
                );
            }
            continue;
        }
        for variant in &instruction.variants {
            if !meets(&variant.gate, partial.module) {
                continue;
            }
            let mut solver = Solver::new(instruction, variant, partial.module);
            let before = &partial.before[common..];
            solver.placements(before, partial.after, &mut |solver, split| {
                let last = solver.last_before(split);
                for slot in 0..variant.slots.len() {
                    let out_of_order = last.is_some_and(|last| slot < last);
                    for id in variant.slots[slot].values.iter() {
                        let word = instruction.words[usize::from(id)];
                        if solver.can_follow(slot, id, split) {
                            let slot = Some((variant, slot));
                            let rank = slot.map_or(0, |it| it.1 + 1);
                            add(
                                rank,
                                Continuation {
                                    word,
                                    instruction,
                                    slot,
                                    out_of_order,
                                },
                            );
                        }
                    }
                }
                false
            });
        }
    }
    found.sort_by_key(|it| (it.1.out_of_order, it.0));
    found.into_iter().map(|it| it.1).collect()
}

/// Whether the module has some form of the instruction.
#[must_use]
pub fn is_available(instruction: &Instruction, module: Module) -> bool {
    meets(&instruction.gate, module)
        && instruction.variants.iter().any(|variant| {
            meets(&variant.gate, module) && Solver::new(instruction, variant, module).solvable()
        })
}

/// A variant as the words of a statement read it.
#[derive(Debug)]
pub struct Reading<'t> {
    /// The instruction.
    pub instruction: &'t Instruction,
    /// The variant.
    pub variant: &'t Variant,
    /// The words in its slots.
    pub choices: Choices<'t>,
}

/// The variants of which the words before and after the place are a legal choice, without another word.
#[must_use]
pub fn complete<'t>(tables: &'t Tables, partial: &Partial<'_>) -> Vec<Reading<'t>> {
    readings(tables, partial, true)
}

/// The variants that the words before and after the place can become, with or without more words.
#[must_use]
pub fn reachable<'t>(tables: &'t Tables, partial: &Partial<'_>) -> Vec<Reading<'t>> {
    readings(tables, partial, false)
}

fn readings<'t>(tables: &'t Tables, partial: &Partial<'_>, closed: bool) -> Vec<Reading<'t>> {
    let Partial {
        opcode,
        before,
        after,
        module,
    } = *partial;
    let mut found = Vec::new();
    for instruction in tables.with_opcode(opcode) {
        let fixed = instruction.fixed.len();
        if !meets(&instruction.gate, module)
            || before.len() < fixed
            || before[..fixed] != instruction.fixed[..]
        {
            continue;
        }
        for variant in &instruction.variants {
            if !meets(&variant.gate, module) {
                continue;
            }
            let mut solver = Solver::new(instruction, variant, module);
            solver.placements(&before[fixed..], after, &mut |solver, split| {
                let mut state = solver.clone();
                for slot in 0..variant.slots.len() {
                    if state.slots[slot] == State::Open && (closed || !state.in_order(slot, split))
                    {
                        state.slots[slot] = State::Empty;
                    }
                }
                let fits = state.solvable();
                if fits {
                    found.push(Reading {
                        instruction,
                        variant,
                        choices: solver.choices(),
                    });
                }
                fits
            });
        }
    }
    found
}

fn meets(gate: &Gate, module: Module) -> bool {
    gate.admits_version(module.version) && gate.admits_target(module.target)
}

/// The known properties of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing yet.
    Open,
    /// It stays empty.
    Empty,
    /// Its word, and the place of it in the text.
    Word(u16, usize),
}

/// A variant with some of its slots decided.
#[derive(Clone)]
struct Solver<'t> {
    instruction: &'t Instruction,
    variant: &'t Variant,
    module: Module,
    slots: Vec<State>,
}

impl<'t> Solver<'t> {
    fn new(instruction: &'t Instruction, variant: &'t Variant, module: Module) -> Solver<'t> {
        Solver {
            instruction,
            variant,
            module,
            slots: vec![State::Open; variant.slots.len()],
        }
    }

    /// Calls `act` for each way to give the words slots, with the number of words before the place,
    /// until it returns true; returns whether it did.
    fn placements(
        &mut self,
        before: &[&str],
        after: &[&str],
        act: &mut dyn FnMut(&Solver<'t>, usize) -> bool,
    ) -> bool {
        let words: Vec<&str> = before.iter().chain(after).copied().collect();
        self.place(&words, 0, before.len(), act)
    }

    fn place(
        &mut self,
        words: &[&str],
        next: usize,
        split: usize,
        act: &mut dyn FnMut(&Solver<'t>, usize) -> bool,
    ) -> bool {
        let Some(word) = words.get(next) else {
            return act(self, split);
        };
        let Some(id) = self.instruction.word_ids.get(word).copied() else {
            return false;
        };
        for slot in 0..self.slots.len() {
            let pattern = &self.variant.slots[slot];
            if self.slots[slot] != State::Open
                || !pattern.values.contains(id)
                || !self.admits(slot, id)
                || !self.in_order(slot, next)
            {
                continue;
            }
            self.slots[slot] = State::Word(id, next);
            let done = self.place(words, next + 1, split, act);
            self.slots[slot] = State::Open;
            if done {
                return true;
            }
        }
        false
    }

    /// Whether the module has this word in this slot.
    fn admits(&self, slot: usize, id: u16) -> bool {
        self.variant.slots[slot]
            .gates
            .iter()
            .all(|(set, gate)| !set.contains(id) || meets(gate, self.module))
    }

    /// Whether a word of the slot may appear after the first `at` words of the text, given the words that have
    /// slots.
    fn in_order(&self, slot: usize, at: usize) -> bool {
        let pattern = &self.variant.slots[slot];
        self.variant
            .slots
            .iter()
            .zip(&self.slots)
            .enumerate()
            .all(|(index, (other, state))| {
                let State::Word(_, place) = *state else {
                    return true;
                };
                if pattern.positional != other.positional {
                    // Positional words come first.
                    return (place < at) == other.positional;
                }
                let ordered = pattern.positional || pattern.group == other.group;
                !ordered || (index < slot) == (place < at)
            })
    }

    /// The last slot that has one of the first `split` words.
    fn last_before(&self, split: usize) -> Option<usize> {
        self.slots
            .iter()
            .rposition(|it| matches!(it, State::Word(_, place) if *place < split))
    }

    /// Whether the word can be written next, after `split` words, and the statement be completed then.
    fn can_follow(&self, slot: usize, id: u16, split: usize) -> bool {
        if self.slots[slot] != State::Open || !self.admits(slot, id) || !self.in_order(slot, split)
        {
            return false;
        }
        let mut next = self.clone();
        for state in &mut next.slots {
            if let State::Word(_, place) = state {
                *place += usize::from(*place >= split);
            }
        }
        next.slots[slot] = State::Word(id, split);
        for other in 0..next.slots.len() {
            if next.slots[other] == State::Open && !next.in_order(other, split + 1) {
                next.slots[other] = State::Empty;
            }
        }
        next.solvable()
    }

    /// Whether the open slots can be filled so that every rule is met.
    fn solvable(&self) -> bool {
        let missing =
            |(state, slot): (&State, &crate::table::Slot)| *state == State::Empty && slot.required;
        if self.slots.iter().zip(&self.variant.slots).any(missing) {
            return false;
        }
        let mut steps = 0;
        self.clone().solve(&mut steps)
    }

    fn solve(&mut self, steps: &mut u32) -> bool {
        *steps += 1;
        if *steps > MAX_STEPS {
            return true;
        }
        if self.is_broken() {
            return false;
        }
        let open = |it: &usize| self.slots[*it] == State::Open;
        let required = |it: &usize| self.variant.slots[*it].required;
        let all = 0..self.slots.len();
        let Some(slot) = all
            .clone()
            .filter(open)
            .find(required)
            .or_else(|| all.clone().find(open))
        else {
            return true;
        };
        if !required(&slot) {
            self.slots[slot] = State::Empty;
            if self.solve(steps) {
                return true;
            }
        }
        for id in self.variant.slots[slot].values.iter() {
            if self.admits(slot, id) {
                self.slots[slot] = State::Word(id, usize::MAX);
                if self.solve(steps) {
                    return true;
                }
            }
        }
        self.slots[slot] = State::Open;
        false
    }

    /// Whether a rule is broken, whatever the open slots and the operands will be.
    fn is_broken(&self) -> bool {
        self.variant.rules.iter().any(|rule| {
            let when = self.condition(&rule.when);
            when == Some(true)
                && match &rule.then {
                    Consequence::Never => true,
                    Consequence::Gate(gate) => !meets(gate, self.module),
                    Consequence::Require(then) => self.condition(then) == Some(false),
                }
        })
    }

    /// Whether a condition holds; none if that depends on what is not known.
    fn condition(&self, condition: &Condition) -> Option<bool> {
        any(condition
            .0
            .iter()
            .map(|all| any(all.iter().map(|it| self.atom(it).map(|it| !it))).map(|it| !it)))
    }

    fn atom(&self, atom: &Atom) -> Option<bool> {
        let state = |slot: &u8| {
            self.slots
                .get(usize::from(*slot))
                .copied()
                .unwrap_or(State::Empty)
        };
        // Whether the word of a slot is in a set.
        let within = |slot: &u8, set: &WordSet| match state(slot) {
            State::Word(id, _) => Some(set.contains(id)),
            State::Empty => Some(false),
            State::Open => match self.variant.slots.get(usize::from(*slot)) {
                Some(it) if it.values.intersects(set) => None,
                _ => Some(false),
            },
        };
        match atom {
            Atom::Word(id) => self.has(*id),
            Atom::NoWord(id) => self.has(*id).map(|it| !it),
            Atom::Slot(slot) => self.filled(state(slot), *slot),
            Atom::NoSlot(slot) => self.filled(state(slot), *slot).map(|it| !it),
            Atom::In(slot, set) => within(slot, set),
            Atom::NotIn(slot, set) => within(slot, set).map(|it| !it),
            Atom::Same(a, b) => same(state(a), state(b)),
            Atom::Different(a, b) => same(state(a), state(b)).map(|it| !it),
            Atom::Operand(_) | Atom::NoOperand(_) => None,
            Atom::Compare(a, _, b) | Atom::AtMost(a, b) => {
                (self.is_known(a) && self.is_known(b)).then(|| atom.holds(&self.choices()))
            }
            // The rest is about the module.
            _ => Some(atom.holds(&self.choices())),
        }
    }

    fn filled(&self, state: State, slot: u8) -> Option<bool> {
        match state {
            State::Word(..) => Some(true),
            State::Empty => Some(false),
            State::Open => self
                .variant
                .slots
                .get(usize::from(slot))
                .is_some_and(|it| it.required)
                .then_some(true),
        }
    }

    /// Whether some slot has the word.
    fn has(&self, id: u16) -> Option<bool> {
        any(self
            .slots
            .iter()
            .zip(&self.variant.slots)
            .map(|(state, slot)| match state {
                State::Word(it, _) => Some(*it == id),
                State::Empty => Some(false),
                State::Open if slot.values.contains(id) => None,
                State::Open => Some(false),
            }))
    }

    /// Whether every slot of a number is decided.
    fn is_known(&self, expression: &Expression) -> bool {
        match expression {
            Expression::Number(_) => true,
            Expression::Value(_) | Expression::Low32(_) => false,
            Expression::Slot(slot) | Expression::Dimension(slot, _) | Expression::Bits(slot) => {
                self.slots.get(usize::from(*slot)) != Some(&State::Open)
            }
            Expression::Binary(a, _, b) => self.is_known(a) && self.is_known(b),
            Expression::If(condition, a, b) => {
                self.condition(condition).is_some() && self.is_known(a) && self.is_known(b)
            }
        }
    }

    fn choices(&self) -> Choices<'t> {
        let mut present = WordSet::default();
        let slots = self
            .slots
            .iter()
            .map(|it| match it {
                State::Word(id, _) => {
                    present.insert(*id);
                    Some(*id)
                }
                _ => None,
            })
            .collect();
        Choices {
            opcode: self.instruction.opcode,
            words: &self.instruction.words,
            slots,
            present,
            operands: Vec::new(),
            integers: Vec::new(),
            module: self.module,
        }
    }
}

/// Whether one of them is true; none if that depends on an unknown one.
fn any(all: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    for it in all {
        match it {
            Some(true) => return Some(true),
            Some(false) => {}
            None => known = false,
        }
    }
    known.then_some(false)
}

fn same(a: State, b: State) -> Option<bool> {
    match (a, b) {
        (State::Open, _) | (_, State::Open) => None,
        (State::Word(a, _), State::Word(b, _)) => Some(a == b),
        (a, b) => Some(a == b),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;
    use crate::{
        table::tables,
        target::{Target, Version},
    };

    /// The words offered at `|`, in order; `legal` if nothing more is needed.
    fn check(head: &str, version: (u8, u8), target: &str, expected: Expect) {
        let (before, after) = head.split_once('|').expect("a place");
        let mut before = before.split('.');
        let opcode = before.next().expect("an opcode");
        let before: Vec<&str> = before.filter(|it| !it.is_empty()).collect();
        let after: Vec<&str> = after.split('.').filter(|it| !it.is_empty()).collect();
        let partial = Partial {
            opcode,
            before: &before,
            after: &after,
            module: Module::new(
                Version::new(version.0, version.1),
                Target::parse(target).expect("a target"),
            ),
        };
        let words: Vec<&str> = continuations(tables(), &partial)
            .iter()
            .map(|it| it.word)
            .collect();
        let legal = if !complete(tables(), &partial).is_empty() {
            "legal; "
        } else {
            ""
        };
        expected.assert_eq(&format!("{legal}{}", words.join(" ")));
    }

    #[test]
    fn fixed_words() {
        check("cp.|", (8, 0), "sm_90", expect!["reduce async"]);
        check(
            "cp.async.|",
            (8, 0),
            "sm_90",
            expect![
                "bulk mbarrier commit_group wait_group wait_all ca cg shared shared::cta L2::cache_hint L2::64B L2::128B L2::256B"
            ],
        );
        check(
            "cp.async.|",
            (7, 0),
            "sm_80",
            expect!["mbarrier commit_group wait_group wait_all ca cg shared shared::cta"],
        );
    }

    #[test]
    fn required_words() {
        check(
            "add.|",
            (8, 0),
            "sm_90",
            expect![
                "rn rz rm rp sat cc ftz f64 bf16 bf16x2 u16 s16 u32 s32 u64 s64 u16x2 s16x2 f32 f16 f16x2"
            ],
        );
        check(
            "add.rn.|",
            (8, 0),
            "sm_90",
            expect!["ftz f64 bf16 bf16x2 sat f32 f16 f16x2"],
        );
        check(
            "div.|",
            (8, 0),
            "sm_90",
            expect!["approx full rn rz rm rp u16 s16 u32 s32 u64 s64 ftz f64 f32"],
        );
        check(
            "div.|.f32",
            (8, 0),
            "sm_90",
            expect!["approx full rn rz rm rp ftz"],
        );
        check(
            "cvt.|",
            (8, 0),
            "sm_90",
            expect![
                "pack sat rni rzi rmi rpi ftz rn rz rm rp rna u8 u16 u32 u64 s8 s16 s32 s64 bf16 relu satfinite f16 f32 f64 f16x2 tf32 e2m1p4x4 bf16x2 e4m3x2 e5m2x2"
            ],
        );
        check(
            "cvt.rn.|",
            (8, 0),
            "sm_90",
            expect![
                "ftz bf16 relu satfinite sat f16 f32 f64 f16x2 e2m1p4x4 bf16x2 tf32 e4m3x2 e5m2x2"
            ],
        );
        check(
            "cvt.f32.|",
            (8, 0),
            "sm_90",
            expect![
                "f16 bf16 f32 u8 u16 u32 u64 s8 s16 s32 s64 f64 rni rzi rmi rpi ftz rn rz rm rp sat"
            ],
        );
        check(
            "mma.sync.aligned.|",
            (8, 0),
            "sm_90",
            expect![
                "m8n8k4 m16n8k8 m16n8k16 m16n8k4 m16n8k32 m8n8k16 m16n8k64 m8n8k32 m8n8k128 m16n8k128 m16n8k256 row col f16 f32 rn rz rm rp satfinite s32 f64 xor and sp"
            ],
        );
        check(
            "mma.sync.aligned.m16n8k16.row.col.f32.|",
            (8, 0),
            "sm_90",
            expect!["f16 bf16 tf32 sp"],
        );
        check(
            "wgmma.mma_async.sync.aligned.m64n64k16.f32.|",
            (8, 0),
            "sm_90a",
            expect!["f16 bf16"],
        );
        check(
            "tcgen05.mma.cta_group::1.|",
            (8, 7),
            "sm_100a",
            expect![
                "kind::f16 kind::tf32 kind::f8f6f4 kind::i8 kind::mxf8f6f4 kind::mxf4 kind::mxf4nvf4 collector::a::fill collector::a::use collector::a::lastuse collector::a::discard ashift block_scale scale_vec::1X scale_vec::2X scale_vec::4X sp"
            ],
        );
        check(
            "ld.global.|",
            (8, 8),
            "sm_100",
            expect![
                "ca cg cs nc lu cv L2::evict_normal L2::evict_first L2::evict_last L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::64B L2::128B L2::256B L2::cache_hint v2 v4 v8 b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128 weak volatile relaxed acquire mmio cta gpu sys cluster"
            ],
        );
        check(
            "ld.acquire.|",
            (8, 8),
            "sm_90",
            expect![
                "cta gpu sys cluster global shared shared::cta shared::cluster L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last L1::no_allocate L2::cache_hint L2::64B L2::128B L2::256B v2 v4 v8 b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64 b128"
            ],
        );
        check("mov.u32|", (8, 8), "sm_90", expect!["legal; v2 v4"]);
    }
}
