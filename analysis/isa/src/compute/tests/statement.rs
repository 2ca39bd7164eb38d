//! Statements of tests, with registers named `$a`: matched, lowered and run as those of a program are.

use std::collections::BTreeMap;

use crate::{
    compute::{
        Destination, Machine, Obstacle, Operation, Outcomes, Program, ResultPlace, Surroundings,
        constant_bits, statement::program,
    },
    matching::{
        binding::Binding,
        matcher::{Statement, fit},
    },
    operand::{FloatForm, Operand},
    tables,
    tables::instruction::Instruction,
    target::{Module, Target, Version},
    types::Class,
};

/// The contents of registers, by name: 128 bits of which a type takes the low ones.
pub(super) type Registers<const N: usize> = BTreeMap<String, [u128; N]>;

/// A statement with its program.
pub(super) struct Compiled {
    /// The instruction of the tables.
    pub(super) instruction: &'static Instruction,
    /// The words after the opcode.
    pub(super) words: Vec<String>,
    pub(super) program: Program,
    bindings: Vec<Binding>,
    operands: Vec<Operand>,
    /// The text of each operand, as [`Operand`]s are nested.
    texts: Vec<Text>,
}

/// The text of an operand.
#[derive(Clone, Debug)]
enum Text {
    One(String),
    List(Vec<Text>),
    Pair(Box<Text>, Box<Text>),
}

/// The classes that a register may have, the likely ones first.
const CLASSES: [Class; 6] = [
    Class::B32,
    Class::B64,
    Class::B16,
    Class::Pred,
    Class::B8,
    Class::B128,
];

fn split(text: &str, at: char) -> Vec<&str> {
    let mut depth = 0;
    let parts = text.split(move |it| {
        match it {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        it == at && depth == 0
    });
    parts.map(str::trim).filter(|it| !it.is_empty()).collect()
}

fn operand(text: &str, classes: &BTreeMap<&str, Class>) -> (Operand, Text) {
    let list = |text: &str| -> (Vec<Operand>, Vec<Text>) {
        split(text, ',')
            .into_iter()
            .map(|it| operand(it, classes))
            .unzip()
    };
    let one = |operand: Operand| (operand, Text::One(text.to_owned()));
    if let [first, second] = split(text, '|')[..] {
        let ((a, x), (b, y)) = (operand(first, classes), operand(second, classes));
        let pair = Text::Pair(x.into(), y.into());
        return (Operand::Pair(a.into(), b.into()), pair);
    }
    if let Some(inner) = text.strip_prefix('{') {
        let (operands, texts) = list(inner.trim_end_matches('}'));
        return (Operand::Vector(operands), Text::List(texts));
    }
    if let Some(inner) = text.strip_prefix('!') {
        let (inner, text) = operand(inner.trim(), classes);
        return (Operand::Not(inner.into()), text);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return one(Operand::Integer(i128::from_str_radix(hex, 16).unwrap()));
    }
    if let Some(hex) = text.strip_prefix("0f") {
        let value = f32::from_bits(u32::from_str_radix(hex, 16).unwrap());
        return one(Operand::Float(FloatForm::Hex32, value.into()));
    }
    if let Some(hex) = text.strip_prefix("0d") {
        let value = f64::from_bits(u64::from_str_radix(hex, 16).unwrap());
        return one(Operand::Float(FloatForm::Hex64, value));
    }
    if let Ok(value) = text.parse() {
        return one(Operand::Integer(value));
    }
    if let Ok(value) = text.parse() {
        return one(Operand::Float(FloatForm::Decimal, value));
    }
    if let Some(inner) = text.strip_prefix('-') {
        let (inner, text) = operand(inner.trim(), classes);
        return (Operand::Minus(inner.into()), text);
    }
    if text == "_" {
        return one(Operand::Sink);
    }
    let (name, selector) = match text.split_once('.') {
        Some((name, selector)) => (name, Some(selector)),
        None => (text, None),
    };
    let class = classes[name];
    let register = Operand::Register { class, lanes: 1 };
    let operand = match selector {
        Some(it) => Operand::Selected(register.into(), it.into()),
        None => register,
    };
    (operand, Text::One(name.to_owned()))
}

/// The registers that a text names.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split([',', '|', '{', '}', '[', ']', '!', '-', ' ']);
    let parts = parts.map(|it| it.split_once('.').map_or(it, |it| it.0));
    parts.filter(|it| it.starts_with('$') || *it == "t" || *it == "t8")
}

/// Matches a statement; registers without a class get one that fits.
pub(super) fn compile(
    text: &str,
    classes: &mut BTreeMap<String, Class>,
) -> Result<Compiled, Obstacle> {
    let text = text.trim().trim_end_matches(';');
    let (head, rest) = text.split_once(' ').unwrap_or((text, ""));
    let mut words = head.split('.');
    let opcode = words.next().unwrap_or_default();
    let words: Vec<&str> = words.collect();
    let mut unknown: Vec<&str> = names(rest)
        .filter(|it| !classes.contains_key(*it))
        .collect();
    unknown.sort_unstable();
    unknown.dedup();
    for choice in 0..CLASSES.len().pow(unknown.len() as u32) {
        let mut known: BTreeMap<&str, Class> =
            classes.iter().map(|it| (it.0.as_str(), *it.1)).collect();
        let mut rest_of_choice = choice;
        for name in &unknown {
            known.insert(name, CLASSES[rest_of_choice % CLASSES.len()]);
            rest_of_choice /= CLASSES.len();
        }
        let (operands, texts): (Vec<Operand>, Vec<Text>) = split(rest, ',')
            .into_iter()
            .map(|it| operand(it, &known))
            .unzip();
        // The old shuffles and votes are of targets below sm_70.
        let modules = [
            ("sm_100a", 9),
            ("sm_120a", 9),
            ("sm_90a", 9),
            ("sm_107a", 9),
            ("sm_60", 6),
        ];
        let found = modules.into_iter().find_map(|(target, version)| {
            let statement = Statement {
                opcode,
                words: &words,
                operands: &operands,
                module: Module::new(
                    Version::new(version, if version == 9 { 5 } else { 0 }),
                    Target::parse(target)?,
                ),
            };
            let fit = fit(tables(), &statement)?;
            let bindings = fit.bind(&statement);
            let program = program(&fit, &statement, &bindings);
            Some((fit.instruction, program, bindings))
        });
        let Some((instruction, program, bindings)) = found else {
            continue;
        };
        let chosen: Vec<(String, Class)> = known
            .into_iter()
            .map(|it| (it.0.to_owned(), it.1))
            .collect();
        classes.extend(chosen);
        return Ok(Compiled {
            instruction,
            words: words.iter().map(|it| (*it).to_owned()).collect(),
            program: program?,
            bindings,
            operands,
            texts,
        });
    }
    Err(Obstacle::Mistake("does not fit".to_owned()))
}

impl Compiled {
    /// The one operation that it is.
    pub(super) fn operation(&self) -> Option<Operation> {
        self.program.operation(&self.bindings)
    }

    /// Its results, as far as its constants tell.
    pub(super) fn outcomes(&self) -> Option<Outcomes> {
        let name = |it: ResultPlace| match self.text(it.binding.into(), it.element).0 {
            Text::One(name) => Some(name.trim_start_matches('$').to_owned()),
            _ => None,
        };
        Outcomes::of(&self.program, &self.bindings, &self.operands, &name)
    }

    fn text(&self, binding: usize, element: Option<u8>) -> (&Text, &Operand) {
        let path = self.bindings[binding].path;
        let mut text = &self.texts[usize::from(path.operand)];
        let mut operand = path.get(&self.operands).unwrap();
        if let Text::Pair(first, second) = text {
            use crate::matching::binding::PairPart;
            text = match path.part {
                Some(PairPart::Second) => second,
                _ => first,
            };
        }
        if let (Some(element), Text::List(texts), Operand::Vector(operands)) =
            (element, text, operand)
        {
            (text, operand) = (
                &texts[usize::from(element)],
                &operands[usize::from(element)],
            );
        }
        (text, operand)
    }

    /// The register that an input reads, or the constant that it is.
    pub(super) fn input_name(&self, input: usize) -> Result<&str, u64> {
        let input = self.program.inputs[input];
        let (text, operand) = self.text(input.operand.into(), input.element);
        let ty = self.bindings[usize::from(input.operand)].ty.as_deref();
        match (text, constant_bits(operand, ty)) {
            (_, Some(constant)) => Err(constant as u64),
            (Text::One(name), None) => Ok(name),
            _ => Err(0),
        }
    }

    /// The register that an output writes.
    pub(super) fn output_name(&self, output: usize) -> Option<&str> {
        let Destination::Operand {
            operand, element, ..
        } = self.program.outputs[output].0
        else {
            return None;
        };
        match self.text(operand.into(), element).0 {
            Text::One(name) => Some(name),
            _ => None,
        }
    }

    /// Runs the statement; returns in which lanes the manual leaves the result open.
    pub(super) fn run<const N: usize>(
        &self,
        registers: &mut Registers<N>,
        carry: &mut [u64; N],
        active: u32,
    ) -> [bool; N] {
        let read = |input: &super::super::program::Input| -> [u64; N] {
            let (text, operand) = self.text(input.operand.into(), input.element);
            let ty = self.bindings[usize::from(input.operand)].ty.as_deref();
            let value = match (text, constant_bits(operand, ty)) {
                (_, Some(constant)) => [constant; N],
                (Text::One(name), None) => registers.get(name).copied().unwrap_or([0; N]),
                _ => [0; N],
            };
            value.map(|it| (it >> (64 * u32::from(input.half))) as u64)
        };
        let inputs: Vec<[u64; N]> = self.program.inputs.iter().map(read).collect();
        let mut machine = Machine::<N>::default();
        let stack = registers
            .get("$stack")
            .map_or([0; N], |it| it.map(|it| it as u64));
        let surroundings = Surroundings {
            active,
            carry,
            stack: &stack,
            ..Surroundings::alone(&[0; N])
        };
        machine.run(&self.program, &inputs, &surroundings);
        let mut written = Vec::new();
        for (destination, node) in &self.program.outputs {
            let value = *machine.value(*node);
            match *destination {
                Destination::Operand {
                    operand,
                    element,
                    half,
                } => {
                    let (text, _) = self.text(operand.into(), element);
                    if let Text::One(name) = text {
                        written.push((name.clone(), half, value));
                    }
                }
                Destination::Carry => *carry = value,
                Destination::Stack => written.push(("$stack".to_owned(), 0, value)),
            }
        }
        for (name, half, value) in written {
            let old = registers.entry(name).or_insert([0; N]);
            for (old, value) in old.iter_mut().zip(value) {
                *old = match half {
                    0 => value.into(),
                    _ => *old & u128::from(u64::MAX) | u128::from(value) << 64,
                };
            }
        }
        let open = self.program.unspecified.map(|it| *machine.value(it));
        open.map_or([false; N], |it| it.map(|it| it != 0))
    }
}
