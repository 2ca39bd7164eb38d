//! From lines to tables.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    NotationError,
    conditions::{condition, split_gate},
    kinds::kinds,
    raw::{Block, Definition, DefinitionKind, Head, Line, Result, head, header, split},
    scanner::{split_colon, split_outside},
};
use crate::{
    table::{
        Consequence, Form, Instruction, OperandPattern, Presence, Rule, Slot, Variant, WordSet,
    },
    target::Gate,
    types::type_of,
};

/// What a name means while a line of a variant is read.
pub(super) struct Scope<'a> {
    slots: &'a FxHashMap<&'static str, u8>,
    /// Slots of other variants of the instruction: always empty in this one.
    foreign: &'a FxHashSet<&'static str>,
    word_ids: &'a FxHashMap<&'static str, u16>,
    sets: &'a FxHashMap<&'static str, Vec<&'static str>>,
}

/// Index of a slot that no variant has.
const NO_SLOT: u8 = u8::MAX;

impl Scope<'_> {
    pub(super) fn slot(&self, name: &str) -> Option<u8> {
        self.slots
            .get(name)
            .copied()
            .or_else(|| self.foreign.contains(name).then_some(NO_SLOT))
    }

    pub(super) fn word(&self, word: &str) -> Option<u16> {
        self.word_ids.get(word).copied()
    }

    /// The words of a list, with sets and ranges written out.
    pub(super) fn expand(
        &self,
        text: &'static str,
    ) -> std::result::Result<Vec<Cow<'static, str>>, String> {
        expand(text, self.sets)
    }
}

fn expand(
    text: &'static str,
    sets: &FxHashMap<&'static str, Vec<&'static str>>,
) -> std::result::Result<Vec<Cow<'static, str>>, String> {
    let mut out = Vec::new();
    for word in text.split_whitespace() {
        if let Some(set) = sets.get(word) {
            out.extend(set.iter().map(|it| Cow::Borrowed(*it)));
        } else if let Some((before, rest)) = word.split_once('{') {
            let (range, after) = rest
                .split_once('}')
                .ok_or_else(|| format!("`{word}`: expected `}}`"))?;
            let (range, step) = range.split_once('/').unwrap_or((range, "1"));
            let (from, to) = range
                .split_once("..")
                .ok_or_else(|| format!("`{word}`: expected `from..to`"))?;
            let number = |it: &str| {
                it.parse::<usize>()
                    .map_err(|_| format!("`{word}`: `{it}` is no number"))
            };
            for value in (number(from)?..=number(to)?).step_by(number(step)?.max(1)) {
                out.push(Cow::Owned(format!("{before}{value}{after}")));
            }
        } else {
            out.push(Cow::Borrowed(word));
        }
    }
    Ok(out)
}

/// Reads table files.
pub(crate) fn read(
    files: &[(&'static str, &'static str)],
) -> std::result::Result<Vec<Instruction>, Vec<NotationError>> {
    let mut errors = Vec::new();
    let mut sets = FxHashMap::default();
    let mut blocks = Vec::new();
    for (file, text) in files {
        match split(text, &mut sets) {
            Ok(list) => blocks.extend(list.into_iter().map(|it| (*file, it))),
            Err((line, message)) => errors.push(NotationError {
                file,
                line,
                message,
            }),
        }
    }
    let mut out: Vec<Instruction> = Vec::new();
    for (file, block) in blocks {
        match build(&block, &sets) {
            Ok(list) => out.extend(list),
            Err((line, message)) => errors.push(NotationError {
                file,
                line,
                message,
            }),
        }
    }
    if errors.is_empty() {
        Ok(out)
    } else {
        Err(errors)
    }
}

fn build(
    block: &Block,
    sets: &FxHashMap<&'static str, Vec<&'static str>>,
) -> Result<Vec<Instruction>> {
    let Some(line) = block.header else {
        return Ok(Vec::new());
    };
    let (names, sections, gate) = header(line)?;
    // One section for all opcodes, or one for each.
    let section = |index: usize| {
        sections
            .get(index)
            .or(sections.first())
            .copied()
            .unwrap_or("")
    };
    names
        .iter()
        .enumerate()
        .map(|(index, name)| instruction(block, name, section(index), &gate, sets))
        .collect()
}

fn instruction(
    block: &Block,
    name: &'static str,
    section: &'static str,
    gate: &Gate,
    sets: &FxHashMap<&'static str, Vec<&'static str>>,
) -> Result<Instruction> {
    let mut parts = name.split('.');
    let opcode = parts.next().unwrap_or(name);
    let mut out = Instruction {
        name,
        section,
        opcode,
        fixed: parts.collect(),
        gate: gate.clone(),
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
    let mut used: FxHashSet<usize> = FxHashSet::default();
    for definition in heads.iter().flat_map(|it| it.1.iter()).chain(&block.shared) {
        if let DefinitionKind::Spare { words } = definition.kind {
            used.insert(definition.line.number);
            for word in words.split_whitespace() {
                match sets.get(word) {
                    Some(set) => out.spare.extend(set),
                    None => out.spare.push(word),
                }
            }
        }
    }
    // Slots of all variants first: conditions may name any word of the instruction.
    let mut foreign: FxHashSet<&'static str> = FxHashSet::default();
    let mut all_slots = Vec::new();
    for (head, definitions) in &heads {
        let mut slots = Vec::new();
        for (word, required) in &head.words {
            slots.push(slot(
                &mut out,
                word,
                *required,
                definitions,
                &block.shared,
                sets,
                &mut used,
                head.line,
            )?);
        }
        group(&mut slots, &out.words);
        for definition in definitions.iter().chain(&block.shared) {
            if let DefinitionKind::Order { slots: names } = definition.kind {
                used.insert(definition.line.number);
                keep_order(&mut slots, names);
            }
        }
        foreign.extend(slots.iter().map(|it| it.name));
        all_slots.push(slots);
    }
    for ((head, definitions), slots) in heads.iter().zip(all_slots) {
        let mut index: FxHashMap<&'static str, u8> = FxHashMap::default();
        for (i, slot) in slots.iter().enumerate() {
            index.entry(slot.name).or_insert(i as u8);
        }
        let scope = Scope {
            slots: &index,
            foreign: &foreign,
            word_ids: &out.word_ids,
            sets,
        };
        let operands = operand_list(
            head.operands,
            head.line,
            definitions,
            &block.shared,
            &scope,
            &mut used,
        )?;
        let mut rules = Vec::new();
        for definition in definitions.iter().chain(&block.shared) {
            if let DefinitionKind::Rule { text } = definition.kind {
                used.insert(definition.line.number);
                rules.push(rule(text, &scope).map_err(|it| (definition.line.number, it))?);
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
        if !used.contains(&definition.line.number) {
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
fn group(slots: &mut [Slot], words: &[&'static str]) {
    let has =
        |slot: &Slot, of: fn(&str) -> bool| slot.values.iter().any(|it| of(words[usize::from(it)]));
    let traits: Vec<(bool, bool)> = slots
        .iter()
        .map(|it| (has(it, is_type), has(it, is_layout)))
        .collect();
    let related = |a: usize, b: usize, slots: &[Slot]| {
        (traits[a].0 && traits[b].0)
            || (traits[a].1 && traits[b].1)
            || slots[a].values.intersects(&slots[b].values)
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
    sets: &FxHashMap<&'static str, Vec<&'static str>>,
    used: &mut FxHashSet<usize>,
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
    let (line, positional, values) = match found {
        Some(it) => {
            used.insert(it.0.number);
            it
        }
        None => (line, false, word),
    };
    let mut slot = Slot {
        name: word,
        required,
        positional,
        values: WordSet::default(),
        gates: Vec::new(),
        group: 0,
    };
    for part in split_outside(values, '|') {
        let (words, gate) = split_gate(part).map_err(|it| (line.number, it))?;
        let mut set = WordSet::default();
        for word in expand(words, sets).map_err(|it| (line.number, it))? {
            set.insert(
                word_id(out, word)
                    .ok_or((line.number, "too many words in one instruction".to_owned()))?,
            );
        }
        slot.values.extend(&set);
        if !gate.is_open() {
            slot.gates.push((set, gate));
        }
    }
    Ok(slot)
}

fn word_id(out: &mut Instruction, word: Cow<'static, str>) -> Option<u16> {
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
    used: &mut FxHashSet<usize>,
) -> Result<Vec<OperandPattern>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    split_outside(text, ',')
        .into_iter()
        .map(|it| operand(it, line, own, shared, scope, used))
        .collect()
}

fn operand(
    text: &'static str,
    line: Line,
    own: &[Definition],
    shared: &[Definition],
    scope: &Scope<'_>,
    used: &mut FxHashSet<usize>,
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
        let inner = operand_list(inner.trim(), line, own, shared, scope, used)?;
        let name = inner.first().map_or("", |it| it.name);
        let presence = presence(name, own, shared, scope, optional)?;
        return Ok(OperandPattern {
            name,
            form: Form::Bracket(inner, suffix),
            presence,
        });
    }
    let (name, second) = match body.split_once('|') {
        Some((first, second)) => (first.trim(), Some(second.trim())),
        None => (body, None),
    };
    let list = operand_kinds(name, line, own, shared, scope, used)?;
    let form = match second {
        // `d|p?`: the question mark belongs to the second.
        Some(second) => {
            let kinds = operand_kinds(second, line, own, shared, scope, used)?;
            let inner_presence = presence(second, own, shared, scope, optional)?;
            let inner = OperandPattern {
                name: second,
                form: Form::Plain(kinds),
                presence: inner_presence,
            };
            return Ok(OperandPattern {
                name,
                form: Form::Pair(list, Box::new(inner)),
                presence: presence(name, own, shared, scope, false)?,
            });
        }
        None => Form::Plain(list),
    };
    Ok(OperandPattern {
        name,
        form,
        presence: presence(name, own, shared, scope, optional)?,
    })
}

fn find_operand<'a>(
    name: &str,
    own: &'a [Definition],
    shared: &'a [Definition],
) -> Option<(Line, &'static str)> {
    own.iter().chain(shared).find_map(|it| match it.kind {
        DefinitionKind::Operand { names, kinds }
            if names.split_whitespace().any(|it| it == name) =>
        {
            Some((it.line, kinds))
        }
        _ => None,
    })
}

fn operand_kinds(
    name: &'static str,
    line: Line,
    own: &[Definition],
    shared: &[Definition],
    scope: &Scope<'_>,
    used: &mut FxHashSet<usize>,
) -> Result<Vec<crate::kind::Kind>> {
    let (line, text) = find_operand(name, own, shared)
        .ok_or((line.number, format!("operand `{name}` is not defined")))?;
    used.insert(line.number);
    kinds(split_if(text).0, scope).map_err(|it| (line.number, it))
}

fn presence(
    name: &str,
    own: &[Definition],
    shared: &[Definition],
    scope: &Scope<'_>,
    optional: bool,
) -> Result<Presence> {
    let when =
        find_operand(name, own, shared).and_then(|(line, text)| Some((line, split_if(text).1?)));
    match when {
        Some((line, text)) => Ok(Presence::If(
            condition(text, scope).map_err(|it| (line.number, it))?,
        )),
        None if optional => Ok(Presence::Optional),
        None => Ok(Presence::Required),
    }
}

/// `kinds if condition`
fn split_if(text: &'static str) -> (&'static str, Option<&'static str>) {
    match text.find(" if ") {
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
