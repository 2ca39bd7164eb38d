//! Lines with `does`, `assume` and `cost`: what an instruction does.

use super::{
    conditions::split_gate,
    raw::{Block, Definition, DefinitionKind, Head, Line, Result, head},
    scanner::{find, split_outside},
    scope::{Sets, expand},
};
use crate::tables::{
    event::Event,
    instruction::{Form, Instruction, OperandPattern},
    semantics::{
        Access, Assumption, Control, Fact, Facts, Keep, Location, Needs, Order, Proxy, Same,
        Together, Undefined, When, Wide,
    },
};

/// The first words of facts.
const FACTS: &str = "read, write, no, keep, order, control, carry, old, copy, commutes, undefined, passes, \
                     together, fresh, uniform, differs, event, replaced, wide";
/// The words that may appear after `no`.
const KINDS: &str = "read, write, memory, keep, order, carry, old, copy, together, fresh, event";
/// Memory that is not named by the words of a statement.
const SPACES: [&str; 13] = [
    "global",
    "shared",
    "local",
    "const",
    "param",
    "tmem",
    "texture",
    "surface",
    "map",
    "multimem",
    "stack",
    "descriptor",
    "fabric",
];
/// Conditions of one name look at so many words at most.
const MAX_WORDS: usize = 64;

/// Reads what the blocks of one name say. With the instructions that were made of them, words and names are
/// looked up in those, too.
pub(super) fn facts(
    name: &'static str,
    blocks: &[(&'static str, &Block)],
    sets: &Sets,
    check: Option<&[&Instruction]>,
) -> std::result::Result<Facts, (&'static str, (usize, String))> {
    let mut reader = Reader {
        name,
        blocks,
        sets,
        check,
        out: Facts::default(),
    };
    for (file, block) in blocks {
        for definition in &block.shared {
            let DefinitionKind::Facts { text } = definition.kind else {
                continue;
            };
            let line = definition.line.number;
            reader.line(text).map_err(|it| (*file, (line, it)))?;
        }
    }
    if let Some(instructions) = check
        && let Some((file, block)) = blocks.first()
        && let Some(missing) = missing(instructions, &reader.out)
    {
        let line = block.header.map_or(1, |it| it.number);
        return Err((*file, (line, format!("`{name}` {missing}"))));
    }
    let mut out = reader.out;
    out.plain = out.evaluate(0);
    Ok(out)
}

/// The facts that an instruction must have and lacks.
fn missing(instructions: &[&Instruction], facts: &Facts) -> Option<&'static str> {
    let says = |is: fn(&Fact) -> bool| facts.lines.iter().flat_map(|it| &it.1).any(is);
    let variants = || instructions.iter().flat_map(|it| &it.variants);
    let address = |it: &OperandPattern| matches!(it.form, Form::Bracket(..));
    let memory = says(|it| matches!(it, Fact::Reads(_) | Fact::Writes(_) | Fact::NoMemory));
    if !memory && variants().any(|it| it.operands.iter().any(address)) {
        return Some(
            "has an address: `does read …`, `does write …` or `does no memory` must say what becomes of it",
        );
    }
    let effect = says(|it| matches!(it, Fact::Writes(_) | Fact::Keep(_) | Fact::Control(_)));
    let writes_nothing = |it: &[OperandPattern]| !it.iter().any(|it| it.written);
    if !effect && variants().any(|it| writes_nothing(&it.operands)) {
        return Some(
            "has a form without a result: `does write …`, `does keep` or `does control …` must say what it is for",
        );
    }
    let word = |word: &str| instructions.iter().any(|it| it.word_ids.contains_key(word));
    if word("aligned") && !says(|it| matches!(it, Fact::Together(_))) {
        return Some("has `.aligned`: `does together …` must say who runs it together");
    }
    let orders = word("acquire") || word("release") || word("acq_rel");
    if orders && !says(|it| matches!(it, Fact::Order(_))) {
        return Some("has `.acquire` or `.release`: `does order …` must say what it orders");
    }
    None
}

struct Reader<'r> {
    name: &'static str,
    blocks: &'r [(&'static str, &'r Block)],
    sets: &'r Sets,
    check: Option<&'r [&'r Instruction]>,
    out: Facts,
}

type Read<T> = std::result::Result<T, String>;

fn leak<T>(items: Vec<T>) -> &'static [T] {
    // The tables live as long as the program.
    Vec::leak(items)
}

impl Reader<'_> {
    fn line(&mut self, text: &'static str) -> Read<()> {
        if let Some(rest) = text.strip_prefix("when ") {
            let at = find(rest, ": does ").ok_or("expected `when CONDITION: does …`")?;
            let Some(when) = self.when(&rest[..at])? else {
                return Ok(());
            };
            return self.does(when, &rest[at + ": does ".len()..]);
        }
        if let Some(rest) = text.strip_prefix("does ") {
            return self.does(When::new(), rest);
        }
        let (body, when) = match find(text, " when ") {
            Some(at) => (&text[..at], self.when(&text[at + " when ".len()..])?),
            None => (text, Some(When::new())),
        };
        let Some(when) = when else {
            return Ok(());
        };
        if let Some(rest) = body.strip_prefix("assume ") {
            let mut words = Vec::new();
            for word in split_outside(rest, b',') {
                let word = word
                    .strip_prefix('.')
                    .ok_or_else(|| format!("expected `.word`, found `{word}`"))?;
                self.known(word)?;
                words.push(word);
            }
            self.out.assumptions.push(Assumption { when, words });
            return Ok(());
        }
        let rest = body.strip_prefix("cost ").unwrap_or(body);
        let mut facts = Vec::new();
        for fact in split_outside(rest, b',') {
            let number = |it: &str| {
                it.trim()
                    .parse()
                    .map_err(|_| format!("`{it}` is not a number"))
            };
            facts.push(match fact.split_once(' ') {
                Some(("latency", it)) => Fact::Latency(number(it)?),
                Some(("scratch", it)) => Fact::Scratch(number(it)?),
                Some(("no", "uniform")) => Fact::Uniform(false),
                Some(("no", "cheap")) => Fact::Cheap(false),
                None if fact == "subroutine" => Fact::Subroutine(true),
                None if fact == "uniform" => Fact::Uniform(true),
                None if fact == "cheap" => Fact::Cheap(true),
                _ => {
                    return Err(format!(
                        "`{fact}` is not a cost: one of latency N, scratch N, subroutine, uniform, cheap, no uniform, no cheap"
                    ));
                }
            });
        }
        self.out.lines.push((when, facts));
        Ok(())
    }

    /// Reads a condition; `None` if it is about other opcodes of the block.
    fn when(&mut self, text: &'static str) -> Read<Option<When>> {
        let mut found = Vec::new();
        let mut rest = Some(text);
        while let Some(text) = rest {
            let (one, more) = match find(text, " or ") {
                Some(at) => (&text[..at], Some(&text[at + " or ".len()..])),
                None => (text, None),
            };
            rest = more;
            let mut needs = Needs::default();
            let mut applies = true;
            for atom in split_outside(one, b',') {
                applies &= self.atom(atom, &mut needs)?;
            }
            if applies {
                found.push(needs);
            }
        }
        Ok((!found.is_empty()).then_some(found))
    }

    /// Whether the condition can hold for the name.
    fn atom(&mut self, text: &'static str, needs: &mut Needs) -> Read<bool> {
        if let Some(word) = text.strip_prefix("!.") {
            needs.none |= self.word(word)?;
        } else if let Some(word) = text.strip_prefix('.') {
            needs.any.push(self.word(word)?);
        } else if let Some((slot, words)) = text.split_once("!=") {
            needs.none |= self.bits(slot.trim(), words)?;
        } else if let Some((slot, words)) = text.split_once('=') {
            if slot.trim() == "$" {
                return Ok(words.split_ascii_whitespace().any(|it| it == self.name));
            }
            needs.any.push(self.bits(slot.trim(), words)?);
        } else {
            return Err(format!(
                "`{text}` is not a condition of a fact: one of `.word`, `!.word`, `slot = words`, `slot != words`, `$ = names`"
            ));
        }
        Ok(true)
    }

    /// A word, or any of the words of a set, which may hold those of other instructions.
    fn word(&mut self, word: &'static str) -> Read<u64> {
        let Some(set) = self.sets.get(word) else {
            return self.bit(word);
        };
        let mut bits = 0;
        for word in set {
            if self.known(word).is_ok() {
                bits |= self.bit(word)?;
            }
        }
        Ok(bits)
    }

    fn bit(&mut self, word: &'static str) -> Read<u64> {
        self.known(word)?;
        let words = &mut self.out.words;
        let index = words.iter().position(|it| *it == word).unwrap_or_else(|| {
            words.push(word);
            words.len() - 1
        });
        match index < MAX_WORDS {
            true => Ok(1 << index),
            false => Err(format!(
                "conditions of one instruction look at {MAX_WORDS} words at most"
            )),
        }
    }

    fn bits(&mut self, slot: &'static str, words: &'static str) -> Read<u64> {
        let of_slot = self.slot(slot)?;
        let mut list = Vec::new();
        let own: Vec<&str> = words.split_ascii_whitespace().collect();
        expand(words, self.sets, |word| {
            // A set may hold words of other instructions, a written word may not.
            match of_slot.iter().find(|it| **it == word) {
                Some(word) => list.push(*word),
                None if own.contains(&&*word) => {
                    return Err(format!("`{slot}` has no word `.{word}`"));
                }
                None => {}
            }
            Ok(())
        })?;
        let mut bits = 0;
        for word in list {
            bits |= self.bit(word)?;
        }
        Ok(bits)
    }

    /// Checks that some form has the word.
    fn known(&self, word: &str) -> Read<()> {
        let instructions = self.check.unwrap_or_default();
        let found =
            instructions.is_empty() || instructions.iter().any(|it| it.word_ids.contains_key(word));
        found
            .then_some(())
            .ok_or_else(|| format!("no form of `{}` has the word `.{word}`", self.name))
    }

    /// The words of a slot in all forms.
    fn slot(&self, name: &str) -> Read<Vec<&'static str>> {
        let blocks = self.blocks.iter();
        let lists =
            blocks.flat_map(|it| it.1.variants.iter().map(|it| &it.1).chain([&it.1.shared]));
        let mut out: Vec<&'static str> = Vec::new();
        let mut defined = false;
        for Definition { kind, .. } in lists.flatten() {
            let DefinitionKind::Slot {
                name: slot, values, ..
            } = kind
            else {
                continue;
            };
            if *slot != name {
                continue;
            }
            defined = true;
            for part in split_outside(values, b'|') {
                expand(split_gate(part)?.0, self.sets, |word| {
                    if !out.contains(&&*word) {
                        out.push(match word {
                            std::borrow::Cow::Borrowed(it) => it,
                            std::borrow::Cow::Owned(it) => Box::leak(it.into_boxed_str()),
                        });
                    }
                    Ok(())
                })?;
            }
        }
        match defined {
            true => Ok(out),
            false => Err(format!("`{name}` is not a slot of `{}`", self.name)),
        }
    }

    /// The heads of all forms.
    fn heads(&self) -> impl Iterator<Item = Head> + '_ {
        let lines = self.blocks.iter().flat_map(|it| &it.1.variants);
        lines.filter_map(|(line, _)| heading(*line, self.name).ok())
    }

    /// The index of an operand in the heads that have it.
    fn operand(&self, name: &str) -> Read<usize> {
        let index = |head: Head| {
            let mut operands = split_outside(head.operands, b',');
            operands.position(|it| names(it).any(|it| it == name))
        };
        let found = self.heads().find_map(index);
        found.ok_or_else(|| format!("no form of `{}` has an operand `{name}`", self.name))
    }

    /// Operands as bits by their index in the heads that have them.
    fn bits_of(&self, names: &str) -> Read<u8> {
        let mut bits = 0;
        for name in names.split_ascii_whitespace() {
            bits |= 1u8.checked_shl(self.operand(name)? as u32).unwrap_or(0);
        }
        Ok(bits)
    }

    fn does(&mut self, when: When, text: &'static str) -> Read<()> {
        let mut facts = Vec::new();
        let (mut reads, mut writes, mut events) = (Vec::new(), Vec::new(), Vec::new());
        for text in split_outside(text, b',') {
            let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
            let rest = rest.trim();
            match kind {
                "read" => reads.push(self.access(rest)?),
                "write" => writes.push(self.access(rest)?),
                "event" => events.push(self.event(rest)?),
                _ => facts.push(self.fact(kind, rest)?),
            }
        }
        if !reads.is_empty() {
            facts.push(Fact::Reads(leak(reads)));
        }
        if !writes.is_empty() {
            facts.push(Fact::Writes(leak(writes)));
        }
        if !events.is_empty() {
            facts.push(Fact::Events(leak(events)));
        }
        self.out.lines.push((when, facts));
        Ok(())
    }

    fn fact(&self, kind: &str, rest: &'static str) -> Read<Fact> {
        let one_of =
            |allowed: &str| format!("`{kind} {rest}`: expected one of {allowed} after `{kind}`");
        Ok(match (kind, rest) {
            ("no", "read") => Fact::Reads(&[]),
            ("no", "write") => Fact::Writes(&[]),
            ("no", "memory") => Fact::NoMemory,
            ("keep", "") => Fact::Keep(Keep::Always),
            ("keep", "order") => Fact::Keep(Keep::Order),
            ("keep", "group") => Fact::Keep(Keep::Group),
            ("keep", _) => return Err(one_of("order, group, or nothing")),
            ("no", "keep") => Fact::Keep(Keep::No),
            ("order", "acquire") => Fact::Order(Order::Acquire),
            ("order", "release") => Fact::Order(Order::Release),
            ("order", "acq_rel") => Fact::Order(Order::AcquireRelease),
            ("order", "all") => Fact::Order(Order::All),
            ("order", "volatile") => Fact::Order(Order::Volatile),
            ("order", "proxy") => Fact::Order(Order::Proxy),
            ("order", "copies") => Fact::Order(Order::Copies),
            ("order", _) => {
                return Err(one_of(
                    "acquire, release, acq_rel, all, volatile, proxy, copies",
                ));
            }
            ("no", "order") => Fact::Order(Order::None),
            ("control", "branch") => Fact::Control(Control::Branch),
            ("control", "table") => Fact::Control(Control::Table),
            ("control", "call") => Fact::Control(Control::Call),
            ("control", "return") => Fact::Control(Control::Return),
            ("control", "end") => Fact::Control(Control::End),
            ("control", "trap") => Fact::Control(Control::Trap),
            ("control", _) => return Err(one_of("branch, table, call, return, end")),
            ("carry", "in") => Fact::Carry(true, false),
            ("carry", "out") => Fact::Carry(false, true),
            ("carry", "in out") => Fact::Carry(true, true),
            ("carry", _) => return Err(one_of("in, out, in out")),
            ("no", "carry") => Fact::Carry(false, false),
            ("old", _) => {
                let (name, unless) = match rest.split_once(" unless ") {
                    Some((name, unless)) => (name, Some(unless)),
                    None => (rest, None),
                };
                self.operand(name)?;
                unless.map(|it| self.operand(it)).transpose()?;
                Fact::ReadsDestination(true, unless)
            }
            ("no", "old") => Fact::ReadsDestination(false, None),
            ("copy", "") => Fact::Copy(true),
            ("no", "copy") => Fact::Copy(false),
            ("commutes", "") => Fact::Commutes,
            ("undefined", "elements") => Fact::Undefined(Undefined::Elements),
            ("undefined", _) => Fact::Undefined(Undefined::Operands(self.bits_of(rest)?)),
            ("passes", _) => Fact::Passed(self.bits_of(rest)?),
            ("together", "lanes") => Fact::Together(Together::Lanes),
            ("together", "warp") => Fact::Together(Together::Warp),
            ("together", "warpgroup") => Fact::Together(Together::Warpgroup),
            ("together", _) => return Err(one_of("lanes, warp, warpgroup")),
            ("no", "together") => Fact::Together(Together::Nobody),
            ("fresh", "") => Fact::Fresh(true),
            ("no", "fresh") => Fact::Fresh(false),
            ("uniform", "warp") => Fact::Same(Same::Warp),
            ("uniform", "cta") => Fact::Same(Same::Block),
            ("uniform", _) => return Err(one_of("warp, cta")),
            ("differs", "") => Fact::Same(Same::Never),
            ("no", "event") => Fact::Events(&[]),
            ("no", _) => return Err(one_of(KINDS)),
            ("wide", "address") => Fact::Wide(Wide::Address),
            ("wide", "name") => Fact::Wide(Wide::Name),
            ("wide", "") => Fact::Wide(Wide::Statement),
            ("wide", _) => return Err(one_of("address, name, or nothing")),
            ("replaced", _) => {
                let word = rest
                    .strip_prefix("by .")
                    .ok_or("expected `replaced by .word`")?;
                self.known(word)?;
                Fact::Replaced(word)
            }
            _ => return Err(format!("`{kind}` is not a fact: one of {FACTS}")),
        })
    }

    /// `[a]`, `[a] block` or a space, and a proxy.
    fn access(&self, text: &'static str) -> Read<Access> {
        let mut words = text.split_ascii_whitespace();
        let first = words.next().unwrap_or_default();
        let mut next = words.next();
        let location = match first.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            Some(name) => {
                self.operand(name)?;
                match next.filter(|it| *it == "block") {
                    Some(_) => {
                        next = words.next();
                        Location::Block(name)
                    }
                    None => Location::Address(name),
                }
            }
            None if SPACES.contains(&first) => Location::Space(first),
            None => {
                return Err(format!(
                    "`{first}` is not memory: one of `[operand]`, {}",
                    SPACES.join(", ")
                ));
            }
        };
        let proxy = match (next, location) {
            (None, Location::Space("texture" | "surface" | "descriptor")) => Proxy::Texture,
            (None, Location::Space("tmem")) => Proxy::TensorMemory,
            (None, Location::Space("map")) => Proxy::TensorMap,
            (None, _) => Proxy::Generic,
            (Some("async"), _) => Proxy::Async,
            (Some("readonly"), _) => Proxy::Readonly,
            (Some("tensormap"), _) => Proxy::TensorMap,
            (Some(it), _) => {
                return Err(format!(
                    "`{it}` is not a proxy: one of async, readonly, tensormap"
                ));
            }
        };
        match words.next() {
            Some(it) => Err(format!("unexpected `{it}`")),
            None => Ok(Access { location, proxy }),
        }
    }

    fn event(&self, text: &'static str) -> Read<Event> {
        let event = Event::parse(text)?;
        for name in event.operands.iter().flatten() {
            self.operand(name)?;
        }
        Ok(event)
    }
}

/// The head of a line, whether it is for one opcode or for several.
fn heading(line: Line, name: &'static str) -> Result<Head> {
    match line.text.starts_with('$') || line.text.starts_with(name) {
        true => head(line, name),
        false => Err((line.number, String::new())),
    }
}

/// The names in an operand of a head: `d|p?`, `[a, b]`.
fn names(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.split([',', '|', '[', ']', '?', '{', '}', ' '])
        .filter(|it| !it.is_empty())
}
