//! The text of instructions as statements.

use isa::{
    compute::{AddressSpace, Node},
    event::EventKind,
    operand::Operand,
    semantics::{Keep, Order},
    word_class::{type_bits, vector_length},
};
use rustc_hash::FxHashMap;

use crate::{
    flow::{
        computation::BoundName,
        ids::{Base, Step, Value},
    },
    hir::bound::{Bound, BoundInstruction, BoundOperand, Elements},
    values::{Leaf, Values},
};

use super::{
    plan::Plan,
    series::{shortened, vector},
    subject::Subject,
};

/// The operands, of which a copy has at most one, that name the CTAs of the cluster to which it goes.
const TARGETS: [Option<&str>; 2] = [Some("mask"), Some("wide_mask")];

/// Writes statements.
pub(super) struct Writer<'a, 'db> {
    pub(super) subject: &'a Subject<'db>,
    pub(super) values: Values<'db>,
    pub(super) plan: &'a Plan,
    /// The texts of loads inside statements.
    loads: FxHashMap<Step, String>,
    /// The instructions whose statement has no text because something inside it has none.
    pub(super) failed: Vec<Step>,
    /// Readers of results that have the same name as that of an instruction, in a branch that is told with its own.
    pub(super) more_readers: FxHashMap<Step, Vec<Step>>,
}

impl<'a, 'db> Writer<'a, 'db> {
    pub(super) fn new(
        subject: &'a Subject<'db>,
        values: Values<'db>,
        plan: &'a Plan,
    ) -> Writer<'a, 'db> {
        Writer {
            subject,
            values,
            plan,
            loads: FxHashMap::default(),
            failed: Vec::new(),
            more_readers: FxHashMap::default(),
        }
    }

    /// The instructions that read the name of the result of one, ascending; none if that is not known.
    pub(super) fn readers(&self, step: Step) -> Vec<Step> {
        let mut found = self.plan.readers[step as usize].clone();
        if let Some(more) = self.more_readers.get(&step) {
            found.extend(more);
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// The statement of an instruction without its guard; `None` of one that is told inside others.
    pub(super) fn statement(&mut self, step: Step) -> Option<String> {
        if !self.plan.named[step as usize] {
            if self.subject.is_movable_load(step) && self.subject.parameter(step).is_none() {
                match self.loaded(step) {
                    Some(text) => {
                        self.loads.insert(step, text);
                    }
                    None => self.failed.push(step),
                }
            }
            return None;
        }
        let semantics = self.subject.semantics(step);
        let plain = || -> Option<()> {
            let instruction = self.subject.get(step)?;
            (instruction.operands().count() == 2).then_some(())
        };
        let found = match () {
            () if semantics.is_load() && plain().is_some() => self.load(step),
            () if semantics.is_store() && plain().is_some() => self.store(step),
            () => self.computed(step),
        };
        Some(match found {
            Some(text) => text,
            None => match self.call(step) {
                Some(text) => text,
                None => {
                    self.failed.push(step);
                    String::new()
                }
            },
        })
    }

    /// The guard of an instruction as a condition, and the opposite.
    pub(super) fn guard(&mut self, step: Step) -> Option<(String, String)> {
        let instruction = self.subject.get(step)?;
        let value = self.subject.flow.facts.value(instruction.guard()?)?;
        let mut truth = self.values.before(value, step);
        let mut opposite = self.values.graph.negation(truth);
        if instruction.is_negated() {
            std::mem::swap(&mut truth, &mut opposite);
        }
        match (self.text(truth), self.text(opposite)) {
            (Some(truth), Some(opposite)) => Some((truth, opposite)),
            _ => {
                self.failed.push(step);
                None
            }
        }
    }

    fn text(&mut self, node: Node) -> Option<String> {
        let (subject, loads) = (self.subject, &self.loads);
        let name = |leaf: Leaf<'db>| leaf_text(subject, loads, leaf);
        self.values.text(node, &name)
    }

    /// The value of a register before an instruction.
    fn register(&mut self, value: Value, step: Step) -> Option<String> {
        let node = self.values.before(value, step);
        let bits = self.subject.float_bits(value);
        if let (Some(bits), Some(constant)) = (bits, self.values.graph.as_constant(node)) {
            return Some(float(constant, bits));
        }
        self.text(node)
    }

    /// An address as an element, or as a number in brackets.
    fn place(
        &mut self,
        base: Base,
        offset: i64,
        step: Step,
        bytes: u32,
        count: u32,
    ) -> Option<String> {
        let slice = match count {
            0 | 1 => String::new(),
            _ => format!(":+{count}"),
        };
        let size = i64::from(bytes.max(1));
        let value = match base {
            Base::Symbol(symbol) => {
                let name = self.subject.symbol(symbol);
                return Some(match offset {
                    0 if count <= 1 && self.subject.is_parameter(symbol) => name,
                    _ if offset % size == 0 => format!("{name}[{}{slice}]", offset / size),
                    _ => format!("{name}@{offset}{slice}"),
                });
            }
            Base::Value(value) => value,
        };
        if let Some(element) = self.values.element(value, step, offset, bytes) {
            let base = self.text(element.base)?;
            let index = self.text(element.index)?;
            return Some(format!("{base}[{index}{slice}]"));
        }
        let node = self.values.before(value, step);
        let bits = self.values.bits(value);
        let node = match offset {
            0 => node,
            _ => self.values.graph.add(node, offset.cast_unsigned(), bits),
        };
        let words = self.subject.get(step)?.form.words.iter();
        let space = words
            .filter(|it| AddressSpace::from_word(it).is_some())
            .find_map(|it| it.split("::").next());
        let text = self.text(node)?;
        Some(format!("{}@({text}){slice}", space.unwrap_or("memory")))
    }

    /// The element that an instruction loads or stores.
    fn accessed(&mut self, step: Step) -> Option<String> {
        let instruction = self.subject.get(step)?;
        let words = || instruction.form.words.iter().map(|it| format!(".{it}"));
        let bytes = words().rev().find_map(|it| type_bits(&it))? / 8;
        let count = words().find_map(|it| vector_length(&it)).unwrap_or(1);
        let (base, offset) = self.subject.address(step)?;
        self.place(base, offset, step, bytes, count)
    }

    fn loaded(&mut self, step: Step) -> Option<String> {
        let text = self.accessed(step)?;
        Some(text + &self.order(step))
    }

    /// The words of an access that is not an ordinary one, in parentheses.
    fn order(&self, step: Step) -> String {
        let semantics = self.subject.semantics(step);
        let strong = !matches!(semantics.keep, Keep::No) || semantics.order != Order::None;
        let Some(instruction) = self.subject.get(step).filter(|_| strong) else {
            return String::new();
        };
        let words: Vec<&str> = (instruction.form.words.iter().map(|it| &**it))
            .filter(|it| AddressSpace::from_word(it).is_none() && !is_type(it))
            .collect();
        match &words[..] {
            [] => String::new(),
            words => format!(" ({})", words.join(" ")),
        }
    }

    fn load(&mut self, step: Step) -> Option<String> {
        let to = self.destinations(step);
        Some(format!("{to} = {}", self.loaded(step)?))
    }

    fn store(&mut self, step: Step) -> Option<String> {
        let to = self.accessed(step)?;
        let value = self.subject.get(step)?.operand(1)?;
        let value = self.operand(value, step)?;
        Some(format!("{to} = {value}{}", self.order(step)))
    }

    fn computed(&mut self, step: Step) -> Option<String> {
        let results = self.values.computed(step);
        if results.is_empty() {
            return None;
        }
        let mut names = Vec::new();
        let mut texts = Vec::new();
        for (value, node) in results {
            names.push(self.subject.register(value));
            let constant = self.values.graph.as_constant(node);
            texts.push(match (self.subject.float_bits(value), constant) {
                (Some(bits), Some(constant)) => float(constant, bits),
                _ => self.text(node)?,
            });
        }
        Some(format!("{} = {}", names.join(", "), texts.join(", ")))
    }

    /// An instruction as a call of what it is named.
    fn call(&mut self, step: Step) -> Option<String> {
        let instruction = self.subject.get(step)?;
        let mut name = instruction.form.opcode.to_string();
        for word in instruction.form.words.iter().filter(|it| !is_type(it)) {
            name.push('.');
            name.push_str(word);
        }
        if let Some(text) = self.copy(step) {
            return Some(text);
        }
        let to = self.destinations(step);
        let mask = self.lane_mask(step);
        let mut arguments = Vec::new();
        for (index, operand) in instruction.operands().enumerate() {
            if !self.is_destination(&operand) {
                let text = self.operand(operand, step)?;
                arguments.push(match text.parse::<i64>() {
                    Ok(it) if mask == Some(index) => lanes(it),
                    _ => text,
                });
            }
        }
        let call = match &arguments[..] {
            [] => name,
            all => format!("{name}({})", all.join(", ")),
        };
        Some(match to.is_empty() {
            true => call,
            false if self.adds(step) => format!("{to} += {call}"),
            false => format!("{to} = {call}"),
        })
    }

    /// The index of the operand that is a mask of lanes.
    fn lane_mask(&self, step: Step) -> Option<usize> {
        let is_masked = |it: EventKind| {
            matches!(
                it,
                EventKind::WarpSync | EventKind::WarpExchange | EventKind::Elect
            )
        };
        let semantics = self.subject.semantics(step);
        let event = semantics.events.iter().find(|it| is_masked(it.kind))?;
        self.subject.event_operands(step, event)[0]
    }

    /// A copy that completes on an mbarrier: where to, where from, and the barrier.
    fn copy(&mut self, step: Step) -> Option<String> {
        let completes = |it: EventKind| it == EventKind::Complete;
        if !self.subject.has_event(step, completes) {
            return None;
        }
        let instruction = self.subject.get(step)?;
        let mut operands = instruction.operands();
        let (to, from) = (operands.next()?, operands.next()?);
        if !to.is_address() || !from.is_address() {
            return None;
        }
        let (to, from) = (self.operand(to, step)?, self.operand(from, step)?);
        let semantics = self.subject.semantics(step);
        let event = semantics.events.iter().find(|it| completes(it.kind))?;
        let [barrier, size] = self.subject.event_operands(step, event);
        let masks = self.subject.operand_indices(step, TARGETS);
        let mut text = format!("{to} = copy of ");
        let mut last = String::new();
        for (index, operand) in (2..).zip(operands) {
            let operand = self.operand(operand, step)?;
            if Some(index) == size {
                text.push_str(&format!("{operand} bytes of "));
            } else if Some(index) == barrier {
                last.push_str(&format!(", completes with {operand}"));
            } else if masks.contains(&Some(index)) {
                last.push_str(&format!(", in each CTA of mask {operand}"));
            } else {
                last.push_str(&format!(", {operand}"));
            }
        }
        Some(format!("{text}{from}{last}"))
    }

    /// Whether an instruction adds to what it writes.
    fn adds(&self, step: Step) -> bool {
        let Some(instruction) = self.subject.get(step) else {
            return false;
        };
        let start = instruction.instruction.references.start;
        self.subject.semantics(step).reads_destination
            && self
                .subject
                .has_event(step, |it| matches!(it, EventKind::Issue(_)))
            && !self.subject.flow.facts.overwrites.contains(&start)
    }

    fn is_destination(&self, operand: &BoundOperand<'_>) -> bool {
        !operand.is_address()
            && operand
                .references
                .iter()
                .any(|it| self.subject.is_written(it))
    }

    /// The registers that an instruction writes.
    fn destinations(&mut self, step: Step) -> String {
        let Some(instruction) = self.subject.get(step) else {
            return String::new();
        };
        let mut names = Vec::new();
        for operand in instruction.operands().filter(|it| self.is_destination(it)) {
            let references = operand.references.iter();
            let values = references.filter_map(|it| self.subject.flow.facts.value(it));
            names.extend(values.map(|it| self.subject.register(it)));
        }
        shortened(&names).join(", ")
    }

    fn operand(&mut self, operand: BoundOperand<'db>, step: Step) -> Option<String> {
        Some(match operand.bound() {
            Bound::Name(name, component) => match self.subject.flow.facts.value(name) {
                Some(value) if component.is_none() => self.register(value, step)?,
                _ => self.subject.name(BoundName(name, component)),
            },
            Bound::Integer(it) => it.to_string(),
            Bound::Float => match operand.operand() {
                Operand::Float(_, it) => format!("{it:?}"),
                _ => return None,
            },
            Bound::Sum(name, offset) => {
                let name = match self.subject.flow.facts.value(name) {
                    Some(value) => self.register(value, step)?,
                    None => self.subject.name(BoundName(name, None)),
                };
                format!("{name} + {offset}")
            }
            Bound::Element(name, index) => {
                format!("{}[{index}]", self.subject.name(BoundName(name, None)))
            }
            Bound::Address(elements) => self.bracket(operand, elements, step)?,
            Bound::Vector(elements) => {
                let all: Option<Vec<String>> = elements.map(|it| self.operand(it, step)).collect();
                match operand.is_vector() {
                    true if all.as_ref().is_some_and(|it| it.len() == 1) => {
                        shortened(&all?).join(", ")
                    }
                    true => format!("{{{}}}", vector(&all?)),
                    false => format!("({})", shortened(&all?).join(", ")),
                }
            }
            Bound::Pair(first, second) => {
                format!(
                    "{}|{}",
                    self.operand(first, step)?,
                    self.operand(second, step)?
                )
            }
            Bound::Sink => "_".to_owned(),
            Bound::Not(inner) => format!("!{}", self.atom(inner, step)?),
            Bound::Minus(inner) => format!("-{}", self.atom(inner, step)?),
            Bound::Selected(inner) => match operand.operand() {
                Operand::Selected(_, word) => format!("{}.{word}", self.atom(inner, step)?),
                _ => return None,
            },
            Bound::Other => return None,
        })
    }

    /// An operand, in parentheses if it is more than a word.
    fn atom(&mut self, operand: BoundOperand<'db>, step: Step) -> Option<String> {
        let text = self.operand(operand, step)?;
        Some(match text.contains(' ') {
            true => format!("({text})"),
            false => text,
        })
    }

    fn bracket(
        &mut self,
        operand: BoundOperand<'db>,
        mut elements: Elements<'db>,
        step: Step,
    ) -> Option<String> {
        if let Some((name, offset)) = operand.address(true)
            && let Some(value) = self.subject.flow.facts.value(name)
        {
            let node = self.values.before(value, step);
            let bits = self.values.bits(value);
            let node = match offset {
                0 => node,
                _ => self.values.graph.add(node, offset.cast_unsigned(), bits),
            };
            return Some(format!("[{}]", self.text(node)?));
        }
        let first = elements.next()?;
        let mut text = self.operand(first, step)?;
        let mut rest = Vec::new();
        for element in elements {
            let inner = self.operand(element, step)?;
            let inner = inner.trim_start_matches('{').trim_end_matches('}');
            rest.push(inner.to_owned());
        }
        if rest.is_empty() {
            return Some(format!("[{text}]"));
        }
        if text.contains(' ') {
            text = format!("({text})");
        }
        Some(format!("{text}[{}]", rest.join(", ")))
    }

    /// The number or register by which a table of branches is indexed.
    pub(super) fn index(&mut self, step: Step) -> Option<String> {
        let instruction: BoundInstruction<'db> = self.subject.get(step)?;
        let operand = instruction.operand(0)?;
        self.operand(operand, step)
    }
}

fn leaf_text(
    subject: &Subject<'_>,
    loads: &FxHashMap<Step, String>,
    leaf: Leaf<'_>,
) -> Option<String> {
    match leaf {
        Leaf::Input(it) | Leaf::Merge(it) | Leaf::Phi(it, _) => Some(subject.register(it)),
        Leaf::Name(name) => Some(subject.name(name)),
        Leaf::Result(step, value) => {
            if let Some((name, offset)) = subject.parameter(step) {
                return Some(match offset {
                    0 => name,
                    _ => format!("{name}@{offset}"),
                });
            }
            let load = loads.get(&step).cloned();
            load.or_else(|| Some(subject.register(value)))
        }
        Leaf::Unknown => None,
    }
}

/// Whether a modifier is a type.
fn is_type(word: &str) -> bool {
    type_bits(&format!(".{word}")).is_some()
}

/// A mask of lanes, of which only the lower 32 bits count.
fn lanes(mask: i64) -> String {
    match mask as u32 {
        u32::MAX => "all lanes".to_owned(),
        it => format!("{it:#x}"),
    }
}

fn float(bits: u64, width: u32) -> String {
    let number = match width {
        64 => f64::from_bits(bits),
        _ => f32::from_bits(bits as u32).into(),
    };
    match width {
        64 => format!("{number:?}"),
        _ => format!("{:?}", number as f32),
    }
}
