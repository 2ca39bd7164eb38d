//! From a text to statements that can run: the module around them, and their operands.

use analysis::{
    AnalysisHost, Diagnostic, FileId, MissingRegister, Severity, candidate_targets,
    code::{Code, Function, Instruction, Slot, Source},
};
use isa::{
    semantics::{Control, Together},
    target::{Target, versions},
    types::{Class, Family},
};
use syntax::Document;

use crate::debug::register_slots;

use super::{Form, Operand, Problem, Statements};

const FILE: FileId = FileId(0);
/// The entry around the statements.
const ENTRY: &str = "statements";
/// The longest text, in bytes.
const MOST_TEXT: usize = 1 << 16;

impl Statements {
    /// Reads statements: those of PTX, or the text of an asm statement with `%0`, `$0` and `%%` in it. `declared` has
    /// the types of registers that are known; without a target the first one that admits the statements is taken.
    ///
    /// # Errors
    /// They are wrong, or need what is not there: memory, functions, several warps.
    pub fn new(
        text: &str,
        declared: &[(String, Class)],
        target: Option<&str>,
    ) -> Result<Statements, Problem> {
        let text = clean(text);
        let fail = |message: &str| Problem {
            message: message.to_owned(),
            range: None,
            text: text.clone(),
        };
        if text.trim_matches([';', ' ', '\n']).is_empty() {
            return Err(fail("there is no statement"));
        }
        if text.len() > MOST_TEXT {
            return Err(fail("the text is too long"));
        }
        let targets: Vec<Target> = match target {
            Some(name) => match Target::parse(name) {
                Some(it) => vec![it],
                None => return Err(fail(&format!("unknown target `{name}`"))),
            },
            None => candidate_targets().collect(),
        };
        let mut first = None;
        for target in targets {
            match Module::new(&text, declared, target) {
                Ok(module) => return module.statements(&text, target),
                Err(problem) => {
                    first.get_or_insert(problem);
                }
            }
        }
        Err(first.unwrap_or_else(|| fail("there is no target")))
    }

    /// The operands for which values are needed, in the order in which they are given.
    pub fn inputs(&self) -> impl Iterator<Item = &Operand> {
        self.operands.iter().filter(|it| it.read)
    }
}

/// A text without what strings of a host language add, with a semicolon at its end.
fn clean(text: &str) -> String {
    let text = text.replace("\\n", "\n").replace("\\t", " ");
    let text = text.replace("%%", "%").replace('\t', " ");
    let lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
    let mut text = lines.collect::<Vec<_>>().join("\n");
    if !text.is_empty() && !text.ends_with([';', '}', ':']) {
        text.push(';');
    }
    text
}

/// A module around statements.
struct Module {
    code: Code,
    start: usize,
    /// The registers that the text does not declare.
    operands: Vec<MissingRegister>,
    declared: Vec<(String, Class)>,
}

impl Module {
    fn new(text: &str, declared: &[(String, Class)], target: Target) -> Result<Module, Problem> {
        let header = |registers: &[(String, Class)]| {
            let version = versions().last().map(|it| it.to_string());
            let mut header = format!(
                ".version {}\n.target {target}\n.address_size 64\n.entry {ENTRY}()\n{{\n",
                version.unwrap_or_default()
            );
            for (name, class) in registers {
                header += &format!(".reg .{} {name};\n", class.word());
            }
            header
        };
        let host = |header: &str| {
            let document = Document::new(format!("{header}{text}\n}}\n"));
            AnalysisHost::with_file(FILE, document.contents(), None)
        };
        // Nothing cancels the questions of these hosts.
        let missing = |declared: &[(String, Class)]| {
            let known = host(&header(declared));
            known.analysis().missing_registers(FILE).unwrap_or_default()
        };
        let mut registers = declared.to_vec();
        let inferred = missing(declared);
        for it in &inferred {
            registers.extend(it.class.map(|class| (it.name.clone(), class)));
        }
        let header = header(&registers);
        let host = host(&header);
        let analysis = host.analysis();
        let start = header.len();
        let found = analysis.diagnostics(FILE).unwrap_or_default();
        let error = found.iter().find(|it| it.severity == Severity::Error);
        if let Some(error) = error {
            return Err(problem(error, start, text));
        }
        Ok(Module {
            code: analysis.code(FILE).unwrap_or_default(),
            start,
            // An address needs memory whether or not the type of its register is known.
            operands: match declared {
                [] => inferred,
                _ => missing(&[]),
            },
            declared: registers,
        })
    }

    fn statements(self, text: &str, target: Target) -> Result<Statements, Problem> {
        let fail = |message: String| Problem {
            message,
            range: None,
            text: text.to_owned(),
        };
        let function = self.code.functions.iter().find(|it| it.name == ENTRY);
        let function = function.ok_or_else(|| fail("there is no statement".to_owned()))?;
        let at = |it: &Instruction, message: String| Problem {
            message,
            range: Some(within(it.range, self.start, text.len())),
            text: text.to_owned(),
        };
        if let Some(it) = self.operands.iter().find(|it| it.in_address) {
            return Err(fail(format!(
                "there is no memory for the address `{}`: only variables that the statements declare can be accessed, such as `.shared .align 16 .b8 s[64];`; run a kernel instead",
                it.name
            )));
        }
        for it in &function.instructions {
            if it.call.is_some() || it.control == Control::Call {
                return Err(at(
                    it,
                    format!("`{}` needs functions; run a kernel instead", it.name),
                ));
            }
            if it.together == Together::Warpgroup {
                return Err(at(
                    it,
                    format!("`{}` needs four warps; run a kernel instead", it.name),
                ));
            }
        }
        let mut operands = Vec::new();
        for (name, class) in &self.declared {
            let found = function.registers.iter().find(|it| it.name == *name);
            let Some(register) = found else {
                continue;
            };
            let used = uses(function, register.slot);
            if !used.read && !used.written {
                continue;
            }
            if class.bits() > 64 {
                return Err(fail(format!(
                    "`{name}` has {} bits, for which no value can be given or shown",
                    class.bits()
                )));
            }
            operands.push(Operand {
                name: name.clone(),
                class: *class,
                form: form(*class, used.word.as_deref()),
                read: used.read,
                written: used.written,
                slot: register.slot,
            });
        }
        let number = |it: &Operand| it.name.trim_start_matches(['%', '$']).parse::<u32>();
        if operands.iter().all(|it| number(it).is_ok()) {
            operands.sort_by_key(|it| number(it).unwrap_or_default());
        }
        let is_warp = |it: &Instruction| it.together != Together::Nobody;
        Ok(Statements {
            text: text.to_owned(),
            target: target.to_string(),
            operands,
            start: self.start,
            is_warp: function.instructions.iter().any(is_warp),
            code: self.code,
        })
    }
}

/// A mistake with its place in the statements.
fn problem(error: &Diagnostic, start: usize, text: &str) -> Problem {
    let mut message = error.message.clone();
    if let Some(help) = &error.help {
        message += "; ";
        message += help;
    }
    Problem {
        message,
        range: Some(within(error.range, start, text.len())),
        text: text.to_owned(),
    }
}

/// A range of the module in the statements.
fn within(range: syntax::TextRange, start: usize, len: usize) -> std::ops::Range<usize> {
    let place = |it: syntax::TextSize| usize::from(it).saturating_sub(start).min(len);
    place(range.start())..place(range.end())
}

/// The way in which a function uses a register.
struct Uses {
    /// Whether an instruction reads it that comes before all that write it for certain.
    read: bool,
    written: bool,
    /// The type of the last instruction that writes it, else of the first one that reads it.
    word: Option<String>,
}

fn uses(function: &Function, slot: Slot) -> Uses {
    let mut uses = Uses {
        read: false,
        written: false,
        word: None,
    };
    let mut is_certain = false;
    for it in &function.instructions {
        let all = [&it.sources, &it.later_sources];
        let reads =
            |source: &Source| matches!(source, Source::Register(other, _) if *other == slot);
        let is_guard = it.guard.is_some_and(|it| it.slot == slot);
        let is_read = is_guard || all.iter().any(|it| it.iter().any(reads));
        uses.read |= is_read && !is_certain;
        let types = &it.types;
        if is_read && uses.word.is_none() {
            let at = it.sources.iter().position(reads);
            let word = at.and_then(|it| types.sources.get(it)?.clone());
            uses.word = word.map(std::borrow::Cow::into_owned);
        }
        let writes = |other: &Option<Slot>| *other == Some(slot);
        let at = it.destinations.iter().position(writes);
        if at.is_some() || it.later_destinations.iter().any(writes) {
            uses.written = true;
            is_certain |= it.guard.is_none();
            let word = at.and_then(|it| types.destinations.get(it)?.clone());
            uses.word = word.map(std::borrow::Cow::into_owned).or(uses.word);
        }
    }
    uses
}

/// The type under which an operand is shown: that of the instruction if it fills the register.
pub(super) fn form(class: Class, word: Option<&str>) -> Form {
    let declared = Form::of_class(class);
    let Some(used) = word.and_then(Form::from_word) else {
        return declared;
    };
    match class.family() == Family::Predicate || used.bits() == class.bits() {
        true => used,
        false => declared,
    }
}

/// The name of a slot, with the type of its register and the type under which an instruction writes it.
pub(super) fn name_of(
    function: &Function,
    instruction: &Instruction,
    slot: Slot,
) -> Option<(String, Form)> {
    let register = function.registers.iter().find(|it| {
        let last = it.slot + u32::from(it.lanes.max(1)) * it.class.bits().div_ceil(64);
        (it.slot..last).contains(&slot)
    })?;
    let (name, ..) = register_slots(register).find(|it| it.1 == slot)?;
    let at = instruction
        .destinations
        .iter()
        .position(|it| *it == Some(slot));
    let word = at.and_then(|it| instruction.types.destinations.get(it)?.as_deref());
    Some((name, form(register.class, word)))
}
