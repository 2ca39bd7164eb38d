//! From lines to tables.

use std::{borrow::Cow, sync::Arc};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    conditions::{condition, split_gate},
    heading::Heading,
    kinds::kinds,
    raw::{Block, Definition, DefinitionKind, Head, Line, Result, head},
    scanner::{collect, find, split_colon, split_outside},
    scope::{Known, Scope, Sets, expand},
};
use crate::{
    condition::Condition,
    kind::Kind,
    tables::{
        instruction::{
            Consequence, Form, Instruction, OperandPattern, Presence, Rule, Slot, Variant,
        },
        word_set::WordSet,
    },
    target::Gate,
    types::type_of,
};

/// The definitions of an instruction.
#[derive(Default)]
struct MemoryNames {
    /// Numbers of the lines that were used.
    used: FxHashSet<usize>,
    values: FxHashMap<usize, Values>,
    kinds: Known<Arc<[Kind]>>,
    presences: Known<Condition>,
    rules: Known<Rule>,
    /// The words that are types, and layouts.
    types: WordSet,
    layouts: WordSet,
}

/// The values of a slot and the gates of some of them.
type Values = (WordSet, Arc<[(WordSet, Gate)]>);

/// Reads what a block says of one of its instructions.
pub(super) fn instruction(block: &Block, heading: &Heading, sets: &Sets) -> Result<Instruction> {
    let name = heading.name;
    let (opcode, fixed) = heading.words();
    let mut out = Instruction {
        name,
        section: heading.section,
        block: heading.block,
        opcode,
        fixed: fixed.collect(),
        gate: heading.gate.clone(),
        spare: Vec::new(),
        words: Vec::new(),
        word_ids: FxHashMap::default(),
        variants: Vec::new(),
    };
    let heads: Vec<(Head, &Vec<Definition>)> = block
        .variants
        .iter()
        .filter(|(line, _)| line.text.starts_with('$') || starts_with_name(line.text, name))
        .map(|(line, definitions)| Ok((head(*line, name)?, definitions)))
        .collect::<Result<_>>()?;
    let mut memory = MemoryNames::default();
    let is_fact = |it: &&Definition| matches!(it.kind, DefinitionKind::Facts { .. });
    if let Some(it) = heads.iter().flat_map(|it| it.1.iter()).find(is_fact) {
        let message = "facts belong under `instr`, not deeper than the variants; `when .word: does …` says for which";
        return Err((it.line.number, message.to_owned()));
    }
    let facts = block.shared.iter().filter(is_fact);
    memory.used.extend(facts.map(|it| it.line.number));
    for definition in heads.iter().flat_map(|it| it.1.iter()).chain(&block.shared) {
        if let DefinitionKind::Spare { words } = definition.kind {
            memory.used.insert(definition.line.number);
            for word in words.split_whitespace() {
                match sets.get(word) {
                    Some(set) => out.spare.extend(set),
                    None => out.spare.push(word),
                }
            }
        }
    }
    // Slots of all variants first: conditions may name any word of the instruction.
    let mut names: FxHashSet<&'static str> = FxHashSet::default();
    let mut all_slots = Vec::with_capacity(heads.len());
    for (head, definitions) in &heads {
        let mut slots = Vec::with_capacity(head.words.len());
        for (word, required) in &head.words {
            slots.push(slot(
                &mut out,
                word,
                *required,
                definitions,
                &block.shared,
                sets,
                &mut memory,
                head.line,
            )?);
        }
        group(&mut slots, &memory);
        let mut sets_of_free = 0;
        for definition in definitions.iter().chain(&block.shared) {
            match definition.kind {
                DefinitionKind::Order { slots: names } => {
                    memory.used.insert(definition.line.number);
                    keep_order(&mut slots, names);
                }
                DefinitionKind::Free { slots: names } => {
                    memory.used.insert(definition.line.number);
                    let names: Vec<&str> = names.split_whitespace().collect();
                    for slot in slots.iter_mut().filter(|it| names.contains(&it.name)) {
                        slot.free |= 1u8.checked_shl(sets_of_free).unwrap_or_default();
                    }
                    sets_of_free += 1;
                }
                _ => {}
            }
        }
        names.extend(slots.iter().map(|it| it.name));
        all_slots.push(slots);
    }
    for ((head, definitions), slots) in heads.iter().zip(all_slots) {
        let scope = Scope::new(&slots, &names, &out.word_ids, sets);
        let mut operands = operand_list(
            head.operands,
            head.line,
            definitions,
            &block.shared,
            &scope,
            &mut memory,
        )?;
        for (index, operand) in operands.iter_mut().enumerate() {
            let all = definitions.iter().chain(&block.shared);
            let mut said = all.filter_map(|it| match it.kind {
                DefinitionKind::Operand { names, written, .. } => {
                    let is = names.split_ascii_whitespace().any(|it| it == operand.name);
                    is.then_some(written)
                }
                _ => None,
            });
            let register = !matches!(operand.form, Form::Bracket(..));
            let said = said.next().flatten();
            operand.written = register && said.unwrap_or(index == 0);
            if let Form::Pair(_, second) = &mut operand.form {
                second.written = operand.written;
            }
        }
        let mut rules = Vec::new();
        for (list, shared) in [(&definitions[..], false), (&block.shared[..], true)] {
            for definition in list {
                let DefinitionKind::Rule { text } = definition.kind else {
                    continue;
                };
                let number = definition.line.number;
                memory.used.insert(number);
                let read = || rule(text, &scope).map_err(|it| (number, it));
                rules.reserve_exact(1);
                rules.push(if shared {
                    memory.rules.read(number, &scope, read)?
                } else {
                    read()?
                });
            }
        }
        out.variants.push(Variant {
            syntax: head.syntax,
            words: slots.iter().fold(WordSet::default(), |mut all, it| {
                all.extend(&it.values);
                all
            }),
            slots,
            operands,
            gate: head.gate.clone(),
            rules,
        });
    }
    for definition in heads.iter().flat_map(|it| it.1.iter()).chain(&block.shared) {
        if !memory.used.contains(&definition.line.number) {
            return Err((
                definition.line.number,
                format!("`{}` is not used", definition.line.text),
            ));
        }
    }
    Ok(out)
}

fn starts_with_name(text: &str, name: &str) -> bool {
    text.strip_prefix(name)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '{', ' ', '@']))
}

/// Slots that share values keep their order, so they form a group; types keep theirs, and layouts.
fn group(slots: &mut [Slot], memory: &MemoryNames) {
    let related = |a: usize, b: usize, slots: &[Slot]| {
        let both = |of: &WordSet| [a, b].iter().all(|it| slots[*it].values.intersects(of));
        both(&memory.types) || both(&memory.layouts) || slots[a].values.intersects(&slots[b].values)
    };
    for i in 0..slots.len() {
        slots[i].group = i as u8;
        for j in 0..i {
            if related(i, j, slots) {
                let (from, to) = (slots[i].group, slots[j].group);
                for slot in slots[..=i].iter_mut() {
                    if slot.group == from {
                        slot.group = to;
                    }
                }
            }
        }
    }
}

fn is_type(word: &str) -> bool {
    type_of(word).is_some() || matches!(word, "b8x16" | "b6x16_p32" | "b4x16_p64" | "b2")
}

fn is_layout(word: &str) -> bool {
    matches!(word, "row" | "col")
}

/// Puts the named slots into one group.
fn keep_order(slots: &mut [Slot], names: &str) {
    let mut group = None;
    for name in names.split_whitespace() {
        let Some(found) = slots.iter().find(|it| it.name == name).map(|it| it.group) else {
            continue;
        };
        let first = *group.get_or_insert(found);
        for slot in slots.iter_mut().filter(|it| it.group == found) {
            slot.group = first;
        }
    }
}

#[allow(clippy::too_many_arguments, reason = "the state of one loop")]
fn slot(
    out: &mut Instruction,
    word: &'static str,
    required: bool,
    own: &[Definition],
    shared: &[Definition],
    sets: &Sets,
    memory: &mut MemoryNames,
    line: Line,
) -> Result<Slot> {
    let found = own.iter().chain(shared).find_map(|it| match it.kind {
        DefinitionKind::Slot {
            name,
            positional,
            values,
        } if name == word => Some((it.line, positional, values)),
        _ => None,
    });
    let (positional, (values, gates)) = match found {
        Some((line, positional, text)) => {
            memory.used.insert(line.number);
            let values = match memory.values.get(&line.number) {
                Some(known) => known.clone(),
                None => {
                    let fresh = values(out, text, sets, memory);
                    let fresh = fresh.map_err(|it| (line.number, it))?;
                    memory.values.insert(line.number, fresh.clone());
                    fresh
                }
            };
            (positional, values)
        }
        None => {
            let itself = values(out, word, sets, memory).map_err(|it| (line.number, it))?;
            (false, itself)
        }
    };
    Ok(Slot {
        name: word,
        required,
        positional,
        values,
        gates,
        group: 0,
        free: 0,
    })
}

/// Reads `f16 f32 | f64 @1.0 sm_13`.
fn values(
    out: &mut Instruction,
    text: &'static str,
    sets: &Sets,
    memory: &mut MemoryNames,
) -> std::result::Result<Values, String> {
    let mut all = WordSet::default();
    let mut gates = Vec::new();
    for part in split_outside(text, b'|') {
        let (words, gate) = split_gate(part)?;
        let mut set = WordSet::default();
        expand(words, sets, |word| {
            let id = word_id(out, word, memory).ok_or("too many words in one instruction")?;
            set.insert(id);
            Ok(())
        })?;
        all.extend(&set);
        if !gate.is_open() {
            gates.push((set, gate));
        }
    }
    Ok((all, gates.into()))
}

fn word_id(
    out: &mut Instruction,
    word: Cow<'static, str>,
    memory: &mut MemoryNames,
) -> Option<u16> {
    if let Some(id) = out.word_ids.get(&*word) {
        return Some(*id);
    }
    let id = u16::try_from(out.words.len())
        .ok()
        .filter(|it| *it < WordSet::CAPACITY)?;
    let word: &'static str = match word {
        Cow::Borrowed(it) => it,
        Cow::Owned(it) => Box::leak(it.into_boxed_str()),
    };
    if is_type(word) {
        memory.types.insert(id);
    } else if is_layout(word) {
        memory.layouts.insert(id);
    }
    out.words.push(word);
    out.word_ids.insert(word, id);
    Some(id)
}

fn operand_list(
    text: &'static str,
    line: Line,
    own: &[Definition],
    shared: &[Definition],
    scope: &Scope<'_>,
    memory: &mut MemoryNames,
) -> Result<Vec<OperandPattern>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    collect(split_outside(text, b',').map(|it| operand(it, line, own, shared, scope, memory)))
}

fn operand(
    text: &'static str,
    line: Line,
    own: &[Definition],
    shared: &[Definition],
    scope: &Scope<'_>,
    memory: &mut MemoryNames,
) -> Result<OperandPattern> {
    let (body, optional) = match text.strip_suffix('?') {
        Some(body) => (body.trim(), true),
        None => (text, false),
    };
    if let Some(rest) = body.strip_prefix('[') {
        let (inner, suffix) = rest
            .split_once(']')
            .ok_or((line.number, "expected `]`".to_owned()))?;
        let suffix = suffix.trim().trim_matches(['{', '}']).strip_prefix('.');
        let inner = operand_list(inner.trim(), line, own, shared, scope, memory)?;
        let name = inner.first().map_or("", |it| it.name);
        let presence = presence(name, own, shared, scope, optional, memory)?;
        return Ok(OperandPattern {
            name,
            form: Form::Bracket(inner, suffix),
            presence,
            written: false,
        });
    }
    let (name, second) = match body.split_once('|') {
        Some((first, second)) => (first.trim(), Some(second.trim())),
        None => (body, None),
    };
    let list = operand_kinds(name, line, own, shared, scope, memory)?;
    let form = match second {
        // `d|p?`: the question mark belongs to the second.
        Some(second) => {
            let kinds = operand_kinds(second, line, own, shared, scope, memory)?;
            let inner_presence = presence(second, own, shared, scope, optional, memory)?;
            let inner = OperandPattern {
                name: second,
                form: Form::Plain(kinds),
                presence: inner_presence,
                written: false,
            };
            return Ok(OperandPattern {
                name,
                form: Form::Pair(list, Box::new(inner)),
                presence: presence(name, own, shared, scope, false, memory)?,
                written: false,
            });
        }
        None => Form::Plain(list),
    };
    Ok(OperandPattern {
        name,
        form,
        presence: presence(name, own, shared, scope, optional, memory)?,
        written: false,
    })
}

/// The definition of an operand: its line, what it says, and whether variants share it.
fn find_operand<'a>(
    name: &str,
    own: &'a [Definition],
    shared: &'a [Definition],
) -> Option<(Line, &'static str, bool)> {
    let find = |list: &'a [Definition], shared: bool| {
        list.iter().find_map(|it| match it.kind {
            DefinitionKind::Operand { names, kinds, .. }
                if names.split_ascii_whitespace().any(|it| it == name) =>
            {
                Some((it.line, kinds, shared))
            }
            _ => None,
        })
    };
    find(own, false).or_else(|| find(shared, true))
}

fn operand_kinds(
    name: &'static str,
    line: Line,
    own: &[Definition],
    shared: &[Definition],
    scope: &Scope<'_>,
    memory: &mut MemoryNames,
) -> Result<Arc<[Kind]>> {
    let (line, text, shared) = find_operand(name, own, shared)
        .ok_or((line.number, format!("operand `{name}` is not defined")))?;
    memory.used.insert(line.number);
    let read = || {
        let kinds = kinds(split_if(text).0, scope).map_err(|it| (line.number, it))?;
        Ok(kinds.into())
    };
    if shared {
        memory.kinds.read(line.number, scope, read)
    } else {
        read()
    }
}

fn presence(
    name: &str,
    own: &[Definition],
    shared: &[Definition],
    scope: &Scope<'_>,
    optional: bool,
    memory: &mut MemoryNames,
) -> Result<Presence> {
    let when = find_operand(name, own, shared).and_then(|it| Some((it.0, split_if(it.1).1?, it.2)));
    match when {
        Some((line, text, shared)) => {
            let read = || condition(text, scope).map_err(|it| (line.number, it));
            Ok(Presence::If(if shared {
                memory.presences.read(line.number, scope, read)?
            } else {
                read()?
            }))
        }
        None if optional => Ok(Presence::Optional),
        None => Ok(Presence::Required),
    }
}

/// `kinds if condition`
fn split_if(text: &'static str) -> (&'static str, Option<&'static str>) {
    match find(text, " if ") {
        Some(at) => (text[..at].trim(), Some(text[at + 4..].trim())),
        None => (text, None),
    }
}

fn rule(text: &'static str, scope: &Scope<'_>) -> std::result::Result<Rule, String> {
    let body = text.strip_prefix("when ").unwrap_or(text);
    let (body, gate) = split_gate(body)?;
    if let Some((when, then)) = split_colon(body) {
        let when = condition(when, scope)?;
        let then = match then {
            "never" => Consequence::Never,
            _ => Consequence::Require(condition(then, scope)?),
        };
        if !gate.is_open() {
            return Err("a rule has either a condition or a gate".to_owned());
        }
        return Ok(Rule { when, then, text });
    }
    if gate.is_open() {
        return Err("expected `: condition`, `: never` or `@gate`".to_owned());
    }
    Ok(Rule {
        when: condition(body, scope)?,
        then: Consequence::Gate(gate),
        text,
    })
}
