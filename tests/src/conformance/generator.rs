//! Random statements of the forms that the tables accept, and the programs around them.

use fastrand::Rng;
use isa::{
    condition::{Atom, Choices, Condition, Expression},
    table::{Consequence, Instruction, Presence, Rule, Variant, WordSet},
    target::{Gate, Module, Target, TextureMode, Version},
    types::CLASSES,
};

use super::{
    operands::{Item, REGISTERS, of_pattern},
    program::{Case, Prelude},
};

/// A statement under construction.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Instruction of the tables.
    pub instruction: &'static Instruction,
    /// Variant of the instruction.
    pub variant: &'static Variant,
    /// The word of each slot.
    pub choices: Choices<'static>,
    /// The words after the opcode.
    pub words: Vec<String>,
    /// Operands as they are written.
    pub operands: Vec<Item>,
}

/// Every `.target` that ptxas knows, with the least `.version` that has it, in tenths.
const TARGETS: [(&str, u16); 48] = [
    ("sm_10", 10),
    ("sm_11", 10),
    ("sm_12", 12),
    ("sm_13", 12),
    ("sm_20", 20),
    ("sm_21", 20),
    ("sm_30", 30),
    ("sm_32", 40),
    ("sm_35", 31),
    ("sm_37", 41),
    ("sm_50", 40),
    ("sm_52", 41),
    ("sm_53", 42),
    ("sm_60", 50),
    ("sm_61", 50),
    ("sm_62", 50),
    ("sm_70", 51),
    ("sm_72", 61),
    ("sm_75", 63),
    ("sm_80", 70),
    ("sm_86", 71),
    ("sm_87", 74),
    ("sm_88", 90),
    ("sm_89", 78),
    ("sm_90", 78),
    ("sm_90a", 80),
    ("sm_100", 86),
    ("sm_100a", 86),
    ("sm_100f", 88),
    ("sm_101", 86),
    ("sm_101a", 86),
    ("sm_101f", 88),
    ("sm_103", 88),
    ("sm_103a", 88),
    ("sm_103f", 88),
    ("sm_107", 94),
    ("sm_107a", 94),
    ("sm_107f", 94),
    ("sm_110", 90),
    ("sm_110a", 90),
    ("sm_110f", 90),
    ("sm_120", 87),
    ("sm_120a", 87),
    ("sm_120f", 88),
    ("sm_121", 88),
    ("sm_121a", 88),
    ("sm_121f", 88),
    ("sm_82", 62),
];

/// The versions in tenths.
const VERSIONS: [u16; 49] = [
    10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43, 50, 51, 60, 61, 62, 63, 64,
    65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94,
    95,
];

/// Whether ptxas knows the word as a `.target`.
pub fn is_target(word: &str) -> bool {
    TARGETS.iter().any(|it| it.0 == word)
}

/// Some `.target`.
pub fn any_target(rng: &mut Rng) -> &'static str {
    TARGETS[rng.usize(..TARGETS.len())].0
}

/// Some `.version`.
pub fn any_version(rng: &mut Rng) -> String {
    let number = VERSIONS[rng.usize(..VERSIONS.len())];
    format!("{}.{}", number / 10, number % 10)
}

/// Every module that ptxas accepts: a version, a target and a texture mode.
pub fn modules() -> Vec<Module> {
    [TextureMode::Unified, TextureMode::Independent]
        .into_iter()
        .flat_map(modules_of)
        .collect()
}

/// Modules with a texture mode, target by target, versions ascending.
fn modules_of(texture_mode: TextureMode) -> impl Iterator<Item = Module> {
    // Options of `.target` came with 1.5.
    let first = match texture_mode {
        TextureMode::Unified => 10,
        TextureMode::Independent => 15,
    };
    TARGETS.iter().flat_map(move |(target, least)| {
        let target = Target::parse(target).expect("a target");
        VERSIONS
            .iter()
            .filter(move |it| **it >= first.max(*least))
            .map(move |it| Module {
                version: Version::new((it / 10) as u8, (it % 10) as u8),
                target,
                texture_mode,
            })
    })
}

/// How often a form is tried before another is taken.
const TRIES: usize = 400;

/// A random statement of the variant that its rules allow in a recent module; none if none was found.
pub fn draft(
    instruction: &'static Instruction,
    variant: &'static Variant,
    modules: &[Module],
    rng: &mut Rng,
) -> Option<Draft> {
    let mut choices = Choices {
        opcode: instruction.opcode,
        words: &instruction.words,
        slots: vec![None; variant.slots.len()],
        present: WordSet::default(),
        operands: Vec::new(),
        integers: Vec::new(),
        module: *rng.choice(modules)?,
    };
    let optional = if rng.bool() { 2 } else { 6 };
    for slot in 0..variant.slots.len() {
        choose(variant, &mut choices, slot, optional, rng);
    }
    for attempt in 0..TRIES {
        let operands = operands(variant, &mut choices, rng);
        let broken = variant.rules.iter().find(|it| is_broken(it, &choices));
        match (operands, broken) {
            (Some(operands), None) if admits(instruction, variant, &choices) => {
                let words = spell(instruction, &choices);
                return Some(Draft {
                    instruction,
                    variant,
                    choices,
                    words,
                    operands,
                });
            }
            // Change something that the rule is about, or anything, so as not to run in circles.
            (_, Some(rule)) if attempt % 4 != 3 => {
                let slots = slots_of(rule, variant);
                match rng.choice(&slots) {
                    Some(slot) => choose(variant, &mut choices, *slot, 2, rng),
                    None => choices.module = *rng.choice(modules)?,
                }
            }
            (Some(_), None) => {
                // Few modules have the newest features, so look at all of them.
                let mut in_module = choices.clone();
                let fitting: Vec<Module> = modules
                    .iter()
                    .copied()
                    .filter(|it| {
                        in_module.module = *it;
                        admits(instruction, variant, &in_module)
                    })
                    .collect();
                match rng.choice(&fitting) {
                    Some(module) => choices.module = *module,
                    None if variant.slots.is_empty() => return None,
                    None => choose(
                        variant,
                        &mut choices,
                        rng.usize(..variant.slots.len()),
                        optional,
                        rng,
                    ),
                }
            }
            _ => {
                if !variant.slots.is_empty() {
                    choose(
                        variant,
                        &mut choices,
                        rng.usize(..variant.slots.len()),
                        optional,
                        rng,
                    );
                }
            }
        }
    }
    None
}

/// Gives the slot a word, or none with the chance `1 - 1 / optional`.
fn choose(variant: &Variant, choices: &mut Choices<'_>, slot: usize, optional: u8, rng: &mut Rng) {
    let pattern = &variant.slots[slot];
    let values: Vec<u16> = pattern.values.iter().collect();
    choices.slots[slot] = match rng.choice(&values) {
        Some(id) if pattern.required || rng.u8(..optional) == 0 => Some(*id),
        _ => None,
    };
    choices.present = WordSet::default();
    for id in choices.slots.iter().flatten() {
        choices.present.insert(*id);
    }
}

/// Random operands for the choices; fills in which of the optional ones are there.
pub fn operands(
    variant: &Variant,
    choices: &mut Choices<'static>,
    rng: &mut Rng,
) -> Option<Vec<Item>> {
    choices.operands.clear();
    choices.integers.clear();
    let optional = variant
        .operands
        .iter()
        .filter(|it| matches!(it.presence, Presence::Optional))
        .count();
    let mut optional = rng.usize(0..=optional);
    let mut items = Vec::new();
    for pattern in &variant.operands {
        let take = match &pattern.presence {
            Presence::Required => true,
            // They are filled from the left.
            Presence::Optional if optional > 0 => {
                optional -= 1;
                true
            }
            Presence::Optional => false,
            Presence::If(condition) => condition.holds(choices),
        };
        if take {
            choices.operands.push(pattern.name);
            let item = of_pattern(pattern, choices, rng)?;
            if let Some(value) = item.integer() {
                choices.integers.push((pattern.name, value));
            }
            items.push(item);
        }
    }
    Some(items)
}

fn spell(instruction: &Instruction, choices: &Choices<'_>) -> Vec<String> {
    let fixed = instruction.fixed.iter().copied();
    let chosen = choices
        .slots
        .iter()
        .flatten()
        .map(|it| instruction.words[usize::from(*it)]);
    fixed.chain(chosen).map(str::to_owned).collect()
}

fn is_broken(rule: &Rule, choices: &Choices<'_>) -> bool {
    match &rule.then {
        Consequence::Gate(_) => false,
        Consequence::Never => rule.when.holds(choices),
        Consequence::Require(then) => rule.when.holds(choices) && !then.holds(choices),
    }
}

fn meets(gate: &Gate, module: Module) -> bool {
    gate.admits_version(module.version) && gate.admits_target(module.target)
}

/// Whether the module of the choices meets every gate and rule.
pub fn admits(instruction: &Instruction, variant: &Variant, choices: &Choices<'_>) -> bool {
    let module = choices.module;
    meets(&instruction.gate, module)
        && meets(&variant.gate, module)
        && variant.slots.iter().zip(&choices.slots).all(|(slot, id)| {
            id.is_none_or(|id| {
                slot.gates
                    .iter()
                    .all(|(set, gate)| !set.contains(id) || meets(gate, module))
            })
        })
        && variant.rules.iter().all(|rule| match &rule.then {
            Consequence::Gate(gate) => !rule.when.holds(choices) || meets(gate, module),
            _ => !is_broken(rule, choices),
        })
}

/// Slots that a rule is about.
fn slots_of(rule: &Rule, variant: &Variant) -> Vec<usize> {
    let mut slots = Vec::new();
    condition_slots(&rule.when, variant, &mut slots);
    if let Consequence::Require(then) = &rule.then {
        condition_slots(then, variant, &mut slots);
    }
    slots.retain(|it| *it < variant.slots.len());
    slots
}

fn condition_slots(condition: &Condition, variant: &Variant, slots: &mut Vec<usize>) {
    for atom in condition.0.iter().flatten() {
        match atom {
            Atom::Word(id) | Atom::NoWord(id) => {
                let with_word = variant
                    .slots
                    .iter()
                    .enumerate()
                    .filter(|it| it.1.values.contains(*id));
                slots.extend(with_word.map(|it| it.0));
            }
            Atom::Slot(it) | Atom::NoSlot(it) | Atom::In(it, _) | Atom::NotIn(it, _) => {
                slots.push(usize::from(*it))
            }
            Atom::Same(a, b) | Atom::Different(a, b) => {
                slots.extend([usize::from(*a), usize::from(*b)])
            }
            Atom::Compare(a, _, b) | Atom::AtMost(a, b) => {
                expression_slots(a, slots);
                expression_slots(b, slots);
            }
            _ => {}
        }
    }
}

fn expression_slots(expression: &Expression, slots: &mut Vec<usize>) {
    match expression {
        Expression::Slot(it) | Expression::Dimension(it, _) | Expression::Bits(it) => {
            slots.push(usize::from(*it))
        }
        Expression::Binary(a, _, b) | Expression::If(_, a, b) => {
            expression_slots(a, slots);
            expression_slots(b, slots);
        }
        Expression::Number(_) | Expression::Value(_) | Expression::Low32(_) => {}
    }
}

/// A name that a statement may use: what it is part of in the text, its declaration, and the least
/// version (in tenths) and target number that have it.
struct Declaration {
    name: &'static str,
    place: DeclarationPlace,
    text: &'static str,
    version: u16,
    target: u16,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationPlace {
    Module,
    Body,
}

const fn declaration(
    name: &'static str,
    place: DeclarationPlace,
    text: &'static str,
    version: u16,
    target: u16,
) -> Declaration {
    Declaration {
        name,
        place,
        text,
        version,
        target,
    }
}

const DECLARATIONS: [Declaration; 12] = {
    use DeclarationPlace::{Body, Module};
    [
        declaration(
            "gbuf`",
            Module,
            ".global .align 16 .b8 gbuf`[1024];",
            10,
            10,
        ),
        declaration(
            "sbuf`",
            Module,
            ".shared .align 16 .b8 sbuf`[1024];",
            10,
            10,
        ),
        declaration("cbuf`", Module, ".const .align 16 .b8 cbuf`[256];", 10, 10),
        declaration("tex`", Module, ".global .texref tex`;", 15, 10),
        declaration("smp`", Module, ".global .samplerref smp`;", 15, 10),
        declaration("srf`", Module, ".global .surfref srf`;", 15, 20),
        declaration("fn`", Module, ".func fn` { ret; }", 20, 20),
        declaration("prm", Body, "", 14, 10),
        declaration("lbuf", Body, ".local .align 16 .b8 lbuf[64];", 10, 10),
        declaration("lprm", Body, ".param .align 16 .b8 lprm[64];", 20, 20),
        declaration("L0", Body, "L0:", 10, 10),
        declaration("BT", Body, "L1: BT: .branchtargets L1;", 51, 30),
    ]
};

/// Registers of these classes came later than the rest.
const LATER_CLASSES: [(&str, u16, u16); 3] = [("f16", 42, 53), ("f16x2", 42, 53), ("b128", 83, 70)];

/// Whether a name occurs in a statement, not as a part of another one.
fn names(statement: &str, name: &str) -> bool {
    let is_part =
        |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '%' | '`' | '.');
    statement
        .match_indices(name)
        .any(|(at, _)| !statement[..at].ends_with(is_part))
}

/// Whether a register of the class occurs.
fn uses(statement: &str, class: &str) -> bool {
    names(statement, &format!("{class}_"))
}

/// The statement as a program for the module; none if the module lacks what the operands need.
pub fn case(
    instruction: &'static Instruction,
    words: &[String],
    operands: &[Item],
    module: Module,
) -> Option<Case> {
    let mut statement = instruction.opcode.to_owned();
    for word in words {
        statement.push('.');
        statement.push_str(word);
    }
    for (index, operand) in operands.iter().enumerate() {
        statement.push_str(if index == 0 { " " } else { ", " });
        statement.push_str(&operand.to_string());
    }
    statement.push(';');
    program_of(statement, instruction.name, module)
}

/// A program around a statement whose registers and names are those that the generator uses; none if the
/// module lacks what they need.
pub fn program_of(statement: String, instruction: &str, module: Module) -> Option<Case> {
    let version = u16::from(module.version.major) * 10 + u16::from(module.version.minor);
    let number = module.target.number;
    let later = LATER_CLASSES.iter().filter(|it| uses(&statement, it.0));
    let late = later.into_iter().any(|it| version < it.1 || number < it.2);
    // Special registers have gates of their own.
    if late || (statement.contains('%') && (version < 23 || number < 20)) {
        return None;
    }
    let (mut outer, mut body) = (String::new(), String::new());
    for (class, _) in CLASSES.iter().filter(|it| uses(&statement, it.0)) {
        body.push_str(&format!(".reg .{class} {class}_<{REGISTERS}>; "));
    }
    for it in DECLARATIONS.iter().filter(|it| names(&statement, it.name)) {
        if version < it.version || number < it.target {
            return None;
        }
        let part = if it.place == DeclarationPlace::Module {
            &mut outer
        } else {
            &mut body
        };
        part.push_str(it.text);
        part.push(' ');
    }
    let mut target = module.target.to_string();
    let independent = module.texture_mode == TextureMode::Independent;
    // Samplers of their own exist only in this mode.
    if names(&statement, "smp`") && !independent {
        return None;
    }
    if independent {
        target.push_str(", texmode_independent");
    }
    Some(Case {
        statement,
        version: module.version.to_string(),
        target,
        instruction: instruction.to_owned(),
        family: String::new(),
        prelude: Prelude::None,
        module: Some(outer),
        params: Some(".param .u64 prm".to_owned()),
        body: Some(body),
    })
}
