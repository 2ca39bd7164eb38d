//! The parameters in the headers of functions and prototypes.
//!
//! ptxas looks at most of them when a body follows; a prototype may declare what no function has.

use std::fmt::Display;

use isa::{
    parameter::{self, Unfit, unfit},
    target::{Gate, Module, TextureMode},
    types::Class,
    variable::{MAX_PARAMETER_ALIGNMENT, MAX_VECTOR_BITS, Opaque, StateSpace, VariableType, gate},
};
use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextRange};

use crate::{
    FixKind, Severity, SymbolKind,
    diagnostics::{
        error_map::ErrorMap,
        finding::{Finding, finding},
        fix::Repair,
        registry::INVALID_PARAMETER,
        rules::{
            declarations::parameter_words::{ParameterOwner, misplaced},
            gates::gate_finding,
        },
    },
    hir::{
        body::body,
        declaration::{Declaration, Literal, Word, WordKind},
        declared::header,
        in_force::in_force,
        items::Function,
        tree::{self, node_at, trimmed},
    },
};

/// The parameters of a function, of the prototypes in its body, and what the header says about them.
pub(in crate::diagnostics) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    findings: &mut Vec<Finding>,
) {
    let cursor = function.green(db).cursor();
    let errors_at = ErrorMap::new(function.errors(db));
    let in_force = in_force(db, function);
    let mut check = Check {
        errors_at: &errors_at,
        module: in_force.map(|it| it.start),
        independent: header(db, function.file(db)).texture_mode == TextureMode::Independent,
        owner: ParameterOwner::Function,
        defined: false,
        name: function.name(db).to_owned(),
        findings,
    };
    check.owner = if tree::has_word(&cursor, ".entry") {
        ParameterOwner::Entry
    } else {
        ParameterOwner::Function
    };
    check.defined = cursor.node(SyntaxKind::BLOCK).is_some();
    check.header(&cursor);
    let body = body(db, function);
    let Some(block) = cursor.node(SyntaxKind::BLOCK) else {
        return;
    };
    check.defined = false;
    for definition in &body.definitions {
        let last = definition.full_range.end().checked_sub(1.into());
        let (owner, kind) = match definition.kind {
            SymbolKind::Function => (ParameterOwner::Function, SyntaxKind::FUNCTION),
            SymbolKind::Prototype => (ParameterOwner::CallPrototype, SyntaxKind::CALL_PROTOTYPE),
            _ => continue,
        };
        if let Some(node) = last.and_then(|it| node_at(&block, kind, it)) {
            check.owner = owner;
            check.name = definition.name.to_string();
            check.module = in_force.map(|it| it.at(definition.name_range.start()));
            check.header(&node);
        }
    }
}

struct Check<'a> {
    errors_at: &'a ErrorMap,
    module: Option<Module>,
    /// Whether textures and samplers are declared apart.
    independent: bool,
    owner: ParameterOwner,
    /// Whether a body follows.
    defined: bool,
    /// The name of the function.
    name: String,
    findings: &'a mut Vec<Finding>,
}

/// The place of a parameter in its header.
#[derive(Clone, Copy)]
struct Position {
    result: bool,
    last: bool,
}

impl Check<'_> {
    fn error(&mut self, range: TextRange, message: String, help: Option<&str>) {
        let help = help.map(str::to_owned);
        self.findings
            .push(finding(range, INVALID_PARAMETER, message, help));
    }

    /// Reports what the module lacks. Returns whether it lacks anything.
    fn gate(&mut self, range: TextRange, subject: impl Display, gate: &Gate) -> bool {
        let Some(module) = self.module else {
            return false;
        };
        let lacks = !gate.admits_version(module.version) || !gate.admits_target(module.target);
        if lacks {
            self.findings
                .push(gate_finding(range, &subject.to_string(), module, gate));
        }
        lacks
    }

    fn broken(&self, range: TextRange) -> bool {
        self.errors_at.meets(range)
    }

    /// The header of a function or prototype.
    fn header(&mut self, node: &Cursor<'_>) {
        let list = |kind: SyntaxKind| -> Vec<Cursor<'_>> {
            let list = node.node(kind);
            let all = list.iter().flat_map(Cursor::nodes);
            all.filter(|it| it.kind() == SyntaxKind::PARAMETER)
                .collect()
        };
        let results = list(SyntaxKind::RETURN_LIST);
        let parameters = list(SyntaxKind::PARAMETER_LIST);
        let name = tree::name(node).map_or_else(|| trimmed(node), |it| it.range());
        if self.owner == ParameterOwner::Entry {
            if !self.defined {
                self.gate(
                    name,
                    "the prototype of an entry",
                    &parameter::entry_prototype(),
                );
            }
            if let Some(first) = parameters.first()
                && self.gate(
                    trimmed(first),
                    "a parameter of an entry",
                    &parameter::of_entry(),
                )
            {
                return;
            }
        }
        if self.owner == ParameterOwner::CallPrototype {
            self.directives(node);
        }
        if tree::name(node).is_some_and(|it| it.text() == "WARP_SZ") {
            self.error(name, "`WARP_SZ` is a constant, not a name".to_owned(), None);
        }
        let before = self.findings.len();
        let mut bytes = Some(0u64);
        for (nodes, result) in [(&results, true), (&parameters, false)] {
            for (index, node) in nodes.iter().enumerate() {
                let last = !result && index + 1 == nodes.len();
                let declaration = Declaration::of(node);
                if !self.broken(trimmed(node)) {
                    self.parameter(&declaration, Position { result, last });
                }
                bytes = bytes.and_then(|it| end(it, &declaration));
            }
        }
        if self.findings.len() > before {
            return;
        }
        self.results(&results, name);
        if self.owner == ParameterOwner::Entry && self.defined && !self.broken(name) {
            self.space(name, bytes);
        }
        let noreturn = node
            .nodes()
            .filter(|it| it.kind() == SyntaxKind::TUNING_DIRECTIVE)
            .find(|it| tree::has_word(it, ".noreturn"));
        if let Some(noreturn) = noreturn.filter(|_| !results.is_empty()) {
            self.error(
                trimmed(&noreturn),
                format!(
                    "`{}` returns a value, so it cannot be `.noreturn`",
                    self.name
                ),
                None,
            );
        }
    }

    /// The directives of a `.callprototype`: `.noreturn` first, each once.
    fn directives(&mut self, node: &Cursor<'_>) {
        let mut before: Vec<&str> = Vec::new();
        for directive in node.nodes() {
            let allowed = directive.kind() == SyntaxKind::TUNING_DIRECTIVE;
            if !allowed && directive.kind() != SyntaxKind::PRAGMA {
                continue;
            }
            let Some(word) = directive.token(SyntaxKind::DOTTED) else {
                continue;
            };
            let problem = match word.text() {
                text @ (".noreturn" | ".abi_preserve" | ".abi_preserve_control") => {
                    if before.contains(&text) {
                        Some(format!("`{text}` is here twice"))
                    } else if text == ".noreturn" && !before.is_empty() {
                        Some("`.noreturn` is before the other directives".to_owned())
                    } else if text != ".noreturn" && directive.node(SyntaxKind::LITERAL).is_none() {
                        Some(format!("`{text}` needs a number"))
                    } else {
                        None
                    }
                }
                text => Some(format!("`{text}` cannot appear in a `.callprototype`")),
            };
            if let Some(problem) = problem {
                self.error(word.range(), problem, None);
            }
            before.push(word.text());
        }
    }

    /// Several results must be registers, and then there is no calling convention.
    fn results(&mut self, results: &[Cursor<'_>], name: TextRange) {
        let [_, second, ..] = results else {
            return;
        };
        let memory = results.iter().find(|it| !tree::has_word(it, ".reg"));
        if let Some(memory) = memory {
            let range = if tree::has_word(second, ".reg") {
                memory
            } else {
                second
            };
            self.error(
                trimmed(range),
                format!(
                    "`{}` has several results: all of them must be in `.reg`",
                    self.name
                ),
                Some("return one `.param` array with all of them"),
            );
        } else if self.owner != ParameterOwner::CallPrototype {
            self.findings.push(Finding {
                severity: Severity::Warning,
                ..finding(
                    name,
                    INVALID_PARAMETER,
                    format!(
                        "`{}` has several results: ptxas gives up the calling convention for it",
                        self.name
                    ),
                    None,
                )
            });
        }
    }

    /// The space that the parameters of an entry take together.
    fn space(&mut self, name: TextRange, bytes: Option<u64>) {
        let Some(module) = self.module else {
            return;
        };
        let most = parameter::space(module);
        if bytes.is_some_and(|it| it <= most) {
            return;
        }
        let used = bytes.map_or("too many".to_owned(), |it| it.to_string());
        self.error(
            name,
            format!(
                "the parameters of `{}` take {used} bytes; {most} are allowed",
                self.name
            ),
            (most < 32764).then_some("PTX ISA 8.1 allows 32764 bytes for `sm_70` and later"),
        );
    }

    // ---- One parameter -------------------------------------------------------------------------

    fn parameter(&mut self, declaration: &Declaration<'_>, position: Position) {
        let Some(declarator) = declaration.declarators.first() else {
            return;
        };
        let whole = trimmed(&declaration.node);
        let (name, range) = match declarator.name {
            Some(name) => (name.text().to_owned(), name.range()),
            None => ("_".to_owned(), TextRange::new(whole.end(), whole.end())),
        };
        if let Some((range, message, help)) = misplaced(declaration, &name, range, self.owner) {
            self.error(range, message, help.as_deref());
            return;
        }
        if name == "WARP_SZ" {
            self.error(
                range,
                "`WARP_SZ` is a constant, not a name".to_owned(),
                None,
            );
            return;
        }
        if self.owner == ParameterOwner::Function && declarator.name.is_none() {
            let sink = declaration.node.node(SyntaxKind::SINK);
            let range = sink.map_or(whole, |it| trimmed(&it));
            self.error(
                range,
                "a parameter of a function needs a name".to_owned(),
                None,
            );
            return;
        }
        if !self.whole(declaration)
            || !self.alignments(declaration)
            || !self.state_space(declaration, &name, range)
        {
            return;
        }
        let Some((space, _)) = declaration.space() else {
            return;
        };
        let register = space == StateSpace::Register;
        let dimensions = &declarator.dimensions;
        if let [_, surplus, ..] = dimensions.as_slice() {
            self.error(
                surplus.range,
                "an array parameter has one dimension".to_owned(),
                None,
            );
            return;
        }
        if let Some(dimension) = dimensions.first()
            && !self.dimension(dimension.range, dimension.elements(), space, position)
        {
            return;
        }
        self.ty(declaration, register, !dimensions.is_empty(), &name);
    }

    /// Whether all numbers are integers.
    fn whole(&mut self, declaration: &Declaration<'_>) -> bool {
        let pointed = declaration.pointer.iter().flat_map(|it| &it.words);
        let alignments = declaration
            .words
            .iter()
            .chain(pointed)
            .filter_map(|it| match it.kind {
                WordKind::Alignment(literal) => Some(literal),
                _ => None,
            });
        let declarators = declaration.declarators.iter();
        let sizes = declarators.flat_map(|it| it.dimensions.iter().filter_map(|it| it.size));
        let Some(float) = alignments.chain(sizes).find(|it| it.float) else {
            return true;
        };
        let message = "this number must be an integer".to_owned();
        self.error(float.range, message, None);
        false
    }

    /// Whether all alignments are ones.
    fn alignments(&mut self, declaration: &Declaration<'_>) -> bool {
        let pointed = declaration.pointer.iter().flat_map(|it| &it.words);
        for word in declaration.words.iter().chain(pointed) {
            let WordKind::Alignment(literal) = word.kind else {
                continue;
            };
            if !self.power_of_two(literal) {
                return false;
            }
        }
        let greatest = declaration
            .alignment()
            .and_then(|(it, _)| Some((it.value?, it.range)));
        if let Some((value, range)) = greatest
            && value > MAX_PARAMETER_ALIGNMENT
            && self.owner == ParameterOwner::Function
            && self.defined
            && declaration
                .space()
                .is_some_and(|it| it.0 == StateSpace::Parameter)
        {
            self.error(
                range,
                format!("a parameter of a function is aligned to at most 128 bytes, not {value}"),
                None,
            );
            return false;
        }
        true
    }

    fn power_of_two(&mut self, literal: Literal) -> bool {
        let Some(value) = literal.value else {
            return true;
        };
        if value.is_power_of_two() && u32::try_from(value).is_ok() {
            return true;
        }
        let mut found = finding(
            literal.range,
            INVALID_PARAMETER,
            format!("an alignment is a power of two, not {value}"),
            None,
        );
        let rounded = value.max(1).checked_next_power_of_two();
        found.fixes.extend(
            rounded
                .filter(|it| u32::try_from(*it).is_ok())
                .map(|it| Repair::respell(literal.range, &value.to_string(), it.to_string())),
        );
        self.findings.push(found);
        false
    }

    /// Whether the state space is one of the owner's.
    fn state_space(&mut self, declaration: &Declaration<'_>, name: &str, range: TextRange) -> bool {
        let (wanted, allowed): (&str, &[StateSpace]) = match self.owner {
            ParameterOwner::Entry => ("`.param`", &[StateSpace::Parameter]),
            ParameterOwner::Function | ParameterOwner::CallPrototype => (
                "`.param` or `.reg`",
                &[StateSpace::Parameter, StateSpace::Register],
            ),
        };
        let owner = match self.owner {
            ParameterOwner::Entry => "an entry",
            ParameterOwner::Function => "a function",
            ParameterOwner::CallPrototype => "a prototype",
        };
        let mut spaces = declaration.words.iter().filter_map(|it| match it.kind {
            WordKind::Space(space) => Some((space, it.range)),
            _ => None,
        });
        let (space, word) = match (spaces.next(), spaces.next()) {
            (Some(_), Some((_, second))) => {
                self.error(second, format!("`{name}` has two state spaces"), None);
                return false;
            }
            (Some(it), None) => it,
            (None, _) => {
                let mut found = finding(
                    range,
                    INVALID_PARAMETER,
                    format!("`{name}` has no state space: a parameter of {owner} is in {wanted}"),
                    None,
                );
                let start = trimmed(&declaration.node).start();
                found.fixes.push(
                    Repair::new(
                        FixKind::InsertModifier,
                        "Insert `.param`".to_owned(),
                        TextRange::empty(start),
                        ".param ",
                    )
                    .preferred(true),
                );
                self.findings.push(found);
                return false;
            }
        };
        if !allowed.contains(&space) {
            let mut found = finding(
                word,
                INVALID_PARAMETER,
                format!(
                    "a parameter of {owner} is in {wanted}, not in `{}`",
                    space.word()
                ),
                None,
            );
            found.fixes.push(
                Repair::new(
                    FixKind::ReplaceModifier,
                    "Replace by `.param`".to_owned(),
                    word,
                    ".param",
                )
                .preferred(true),
            );
            self.findings.push(found);
            return false;
        }
        let in_memory = self.owner != ParameterOwner::Entry && space == StateSpace::Parameter;
        !(in_memory
            && self.gate(
                word,
                "a `.param` parameter of a function",
                &parameter::of_function(),
            ))
    }

    /// Whether an array of this size may appear here; 0 is the open one.
    fn dimension(
        &mut self,
        range: TextRange,
        elements: Option<u64>,
        space: StateSpace,
        position: Position,
    ) -> bool {
        let problem = match elements {
            None => return false,
            Some(0)
                if self.gate(
                    range,
                    "an array parameter of any size",
                    &parameter::unsized_array(),
                ) =>
            {
                return false;
            }
            Some(0) if space != StateSpace::Parameter => {
                "an array of any size is passed in `.param`, not in registers"
            }
            Some(0) if self.owner == ParameterOwner::Entry => {
                "an array parameter of an entry needs a size"
            }
            Some(0) if position.result => "an array that is returned needs a size",
            Some(0) if !position.last => "only the last parameter may be an array of any size",
            Some(count) if u32::try_from(count).is_err() => "the size of an array has 32 bits",
            Some(count) if count > 0 && space == StateSpace::Register && self.defined => {
                "registers have no arrays: an array parameter is in `.param`"
            }
            Some(_) => return true,
        };
        self.error(range, problem.to_owned(), None);
        false
    }

    fn ty(&mut self, declaration: &Declaration<'_>, register: bool, array: bool, name: &str) {
        let Some((ty, word)) = declaration.ty() else {
            return;
        };
        let vector = declaration.vector();
        let spelled = ty.word();
        let gate = gate(ty, vector.is_some(), array || !self.defined);
        if self.gate(word.range, format_args!("`{spelled}`"), &gate) {
            return;
        }
        let basic = declaration.class();
        if basic == Some(Class::Pred) && (array || vector.is_some()) {
            let message = "`.pred` has no arrays and no vectors".to_owned();
            self.error(word.range, message, None);
            return;
        }
        if let Some((lanes, vector)) = vector {
            let problem = match basic {
                None => Some(format!("`{spelled}` has no vectors")),
                Some(class) if u32::from(lanes) * class.bits() > MAX_VECTOR_BITS => Some(format!(
                    "a vector has at most 128 bits; `{} {spelled}` has {}",
                    vector.token.text(),
                    u32::from(lanes) * class.bits()
                )),
                Some(_) if self.defined && !register && !array => Some(format!(
                    "`{name}` is a vector: it can be passed in `.reg` only"
                )),
                Some(_) => None,
            };
            if let Some(problem) = problem {
                self.error(vector.range, problem, None);
            }
            return;
        }
        if array || !self.defined {
            return;
        }
        let entry = self.owner == ParameterOwner::Entry;
        match unfit(ty, register, entry) {
            Some(Unfit::OnlyRegisters) => self.error(
                word.range,
                format!("a parameter of type `{spelled}` must be a register"),
                (!entry).then_some("declare it in `.reg`"),
            ),
            Some(Unfit::OnlyEntries) => self.error(
                word.range,
                format!("only an entry has parameters of type `{spelled}`"),
                None,
            ),
            Some(Unfit::OnlyInstructions) => self.error(
                word.range,
                format!("`{spelled}` is a type of instructions, not of parameters"),
                Some("use the untyped bits of its size"),
            ),
            None if ty == VariableType::Opaque(Opaque::Sampler) && !self.independent => self.error(
                word.range,
                "`.samplerref` needs the target option `texmode_independent`".to_owned(),
                None,
            ),
            None => self.attributes(&declaration.words),
        }
    }

    fn attributes(&mut self, words: &[Word<'_>]) {
        let attribute = words
            .iter()
            .find(|it| matches!(it.kind, WordKind::Attribute(_)));
        if let Some(word) = attribute {
            self.error(word.range, "a parameter has no attributes".to_owned(), None);
        }
    }
}

/// Where the parameters of an entry end after one more; `None` for sizes beyond all limits.
fn end(start: u64, declaration: &Declaration<'_>) -> Option<u64> {
    let declarator = declaration.declarators.first()?;
    let Some(class) = declaration.class() else {
        // Textures take no space.
        return Some(start);
    };
    let lanes = declaration.vector().map_or(1, |it| it.0);
    let natural = isa::call::natural_alignment(class, lanes);
    let declared = declaration
        .alignment()
        .and_then(|it| it.0.value)
        .unwrap_or(1);
    let alignment = natural.max(declared);
    let mut bytes = natural;
    for dimension in &declarator.dimensions {
        // What is not an integer is reported by itself.
        let float = dimension.size.is_some_and(|it| it.float);
        let elements = if float { Some(1) } else { dimension.elements() };
        bytes = bytes.checked_mul(elements?)?;
    }
    start
        .checked_next_multiple_of(alignment)?
        .checked_add(bytes)
}
