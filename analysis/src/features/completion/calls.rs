//! The operands of calls: functions, results and arguments, prototypes and lists of targets.

use isa::{
    operand::{Operand, Space, Symbol},
    types::Family,
};
use rustc_hash::FxHashMap;
use syntax::{SyntaxKind, TextSize};

use crate::{
    CompletionItem, CompletionKind, SymbolKind,
    diagnostics::admits_argument,
    hir::{
        body::{Body, Definition, DefinitionId, body_around},
        declaration::{Declaration, Shape},
        declared::address_bytes,
        header::{Formal, FunctionHeader},
        module::{DeclarationKind, function_order, header_of, module_scope},
        operand::describe,
        tree,
    },
};

use super::{
    Site,
    context::OperandPlace,
    names::{innermost, names_of, near, visible},
    uses::Uses,
    whole::{definition, finished, instruction},
};

/// The part of a call in which the cursor is: `(results), callee, (arguments), table`.
enum CallPart<'a> {
    Results(usize),
    Callee,
    Arguments(&'a str, usize),
    Table(&'a str),
}

/// The part, if something can be there.
fn part(place: &OperandPlace) -> Option<CallPart<'_>> {
    let results = usize::from(place.before.first().is_some_and(|it| it.starts_with('(')));
    let callee = place.before.get(results).map(String::as_str);
    match (callee, &place.nesting[..]) {
        (None, []) => Some(CallPart::Callee),
        (None, [(SyntaxKind::L_PAREN, commas)]) if results == 0 => Some(CallPart::Results(*commas)),
        (Some(callee), [(SyntaxKind::L_PAREN, commas)]) if place.index == results + 1 => {
            Some(CallPart::Arguments(callee, *commas))
        }
        (Some(callee), []) if place.index <= results + 2 => Some(CallPart::Table(callee)),
        _ => None,
    }
}

/// The names that can appear in a part of a call.
pub(super) fn operands(site: &Site<'_>, place: &OperandPlace, items: &mut Vec<CompletionItem>) {
    let body = &*body_around(site.db, site.function, near(site.offset));
    match part(place) {
        Some(CallPart::Callee) => {
            let passed = Passed::of(site);
            let decided =
                |it: &Passed| (it.arguments.is_some() || it.indirect).then_some(it.indirect);
            let indirect = passed.as_ref().and_then(decided);
            if indirect != Some(true) {
                functions(site, items, |name| {
                    let passed = passed.as_ref();
                    let header = header(site, name);
                    passed
                        .zip(header)
                        .is_none_or(|(it, header)| it.fits(site, body, header))
                });
            }
            // A register says nothing of what it calls.
            if indirect.unwrap_or_else(|| body.operands.iter().any(|it| is_table(&it.0))) {
                let bits = 8 * address_bytes(site.db, site.function.file(site.db)) as u32;
                names(site, body, items, false, |_, operand| {
                    matches!(operand, Operand::Register { class, lanes: 1 }
                        if class.bits() == bits && !class.word().starts_with('f'))
                });
            }
        }
        Some(CallPart::Table(callee)) if header(site, callee).is_none() => {
            names(site, body, items, false, |_, operand| is_table(operand));
        }
        Some(CallPart::Results(index)) => {
            let prototype = prototype_below(site, body);
            let header = callee_below(site).and_then(|it| header(site, it));
            let header = header.or(prototype.as_ref());
            let formals = header.map(|it| &it.results[..]);
            passed(site, body, formals, index, true, items);
        }
        Some(CallPart::Arguments(callee, index)) => {
            let prototype = prototype_below(site, body);
            let header = header(site, callee).or(prototype.as_ref());
            let formals = header.map(|it| &it.parameters[..]);
            passed(site, body, formals, index, false, items);
        }
        Some(CallPart::Table(_)) | None => {}
    }
}

/// The elements of a list of branch targets or of functions to call.
pub(super) fn tables(site: &Site<'_>, tokens: &[String], items: &mut Vec<CompletionItem>) {
    if tokens.first().is_some_and(|it| it == ".calltargets") {
        functions(site, items, |_| true);
        return;
    }
    let body = &*body_around(site.db, site.function, near(site.offset));
    names(site, body, items, false, |definition, _| {
        definition.kind == SymbolKind::Label
    });
}

/// The results and arguments of a finished call.
struct Passed {
    results: Vec<String>,
    /// None if nothing comes after the callee: they may still be written.
    arguments: Option<Vec<String>>,
    /// Whether a list of what is called, or a prototype, is among the operands.
    indirect: bool,
}

impl Passed {
    /// The lists of the call at a site, whose callee is being written; none if it is not finished.
    fn of(site: &Site<'_>) -> Option<Passed> {
        let contents = finished(site, false)?;
        let mut passed = Passed {
            results: Vec::new(),
            arguments: None,
            indirect: false,
        };
        let mut callee = false;
        for operand in tree::operand_nodes(&instruction(&contents)?) {
            if operand.kind() == SyntaxKind::ARGUMENT_LIST {
                let list = operand.nodes().map(|it| tree::OneLine::of(&it));
                match callee {
                    true => passed.arguments = Some(list.collect()),
                    false => passed.results = list.collect(),
                }
            } else {
                passed.indirect |= callee;
                callee = true;
            }
        }
        Some(passed)
    }

    /// Whether a function can be called in this way.
    fn fits(&self, site: &Site<'_>, body: &Body, header: &FunctionHeader) -> bool {
        let shapes = shapes(site);
        let admits = |(formal, name): (&Formal, &String)| {
            definition(site, body, name).is_none_or(|id| {
                let shape = shapes.get(&body.definition(id).name_range.start());
                shape.is_none_or(|it| admits_argument(formal, &body.operands[id as usize].0, it))
            })
        };
        let agree = |formals: &[Formal], names: &[String]| {
            formals.len() == names.len() && formals.iter().zip(names).all(admits)
        };
        let arguments = self.arguments.as_ref();
        header.broken
            || agree(&header.results, &self.results)
                && arguments.is_none_or(|it| agree(&header.parameters, it))
    }
}

/// Whether it says what an indirect call may call.
fn is_table(operand: &Operand) -> bool {
    matches!(
        operand,
        Operand::Symbol(Symbol::CallPrototype | Symbol::CallTargets)
    )
}

/// The name after the results that are being written, if there is one.
fn callee_below<'db>(site: &Site<'db>) -> Option<&'db str> {
    let function = site.function.green(site.db).cursor();
    let call = tree::node_at(&function, SyntaxKind::INSTRUCTION, site.statement)?;
    let mut operands = tree::operand_nodes(&call);
    let callee = operands.find(|it| it.kind() == SyntaxKind::NAME_REFERENCE)?;
    Some(callee.token(SyntaxKind::IDENT)?.text())
}

/// The header of the prototype that the call at a site ends with, if it does.
fn prototype_below(site: &Site<'_>, body: &Body) -> Option<FunctionHeader> {
    let function = site.function.green(site.db).cursor();
    let call = tree::node_at(&function, SyntaxKind::INSTRUCTION, site.statement)?;
    let last = tree::operand_nodes(&call).last()?;
    let name = last.token(SyntaxKind::IDENT)?.text();
    let found = body.definition(definition(site, body, name)?);
    let end = found.full_range.end().checked_sub(1.into())?;
    let node = tree::node_at(&function, SyntaxKind::CALL_PROTOTYPE, end)?;
    Some(FunctionHeader::of(&node, site.function.errors(site.db)))
}

/// The header of a function of the module.
fn header<'db>(site: &Site<'db>, name: &str) -> Option<&'db FunctionHeader> {
    let file = site.function.file(site.db);
    let declarations = module_scope(site.db, file).find(name);
    declarations
        .iter()
        .find_map(|it| header_of(site.db, file, it.source))
}

/// The functions that can be called.
fn functions(site: &Site<'_>, items: &mut Vec<CompletionItem>, admits: impl Fn(&str) -> bool) {
    let scope = module_scope(site.db, site.function.file(site.db));
    let order = function_order(site.db, site.function.file(site.db));
    let order = order.get(&site.function).copied().unwrap_or(u32::MAX);
    let mut names: Vec<&str> = scope
        .names()
        // A function whose name is still missing is known by an empty one.
        .filter(|it| !it.0.is_empty())
        .filter(|it| {
            it.1.first()
                .is_some_and(|it| it.kind == DeclarationKind::Function && it.order <= order)
        })
        .map(|it| it.0)
        .filter(|it| admits(it))
        .collect();
    names.sort_unstable();
    items.extend(names.into_iter().map(|name| CompletionItem {
        detail: Some(describe(&Operand::Symbol(Symbol::Function))),
        ..CompletionItem::new(name, CompletionKind::Function)
    }));
}

/// The registers and variables that can be passed, or take a result.
fn passed(
    site: &Site<'_>,
    body: &Body,
    formals: Option<&[Formal]>,
    index: usize,
    result: bool,
    items: &mut Vec<CompletionItem>,
) {
    let shapes = shapes(site);
    let formal = formals.and_then(|it| it.get(index));
    if formals.is_some() && formal.is_none() {
        return;
    }
    names(site, body, items, result, |definition, operand| {
        let passes = match operand {
            Operand::Register { class, .. } => class.family() != Family::Predicate,
            Operand::Symbol(symbol) => matches!(symbol, Symbol::Variable(Space::LocalParameter, _)),
            _ => false,
        };
        let shape = shapes.get(&definition.name_range.start());
        passes
            && match (formal, shape) {
                (Some(formal), Some(shape)) => admits_argument(formal, operand, shape),
                _ => true,
            }
    });
}

/// The types of what the function declares, by the starts of the names.
fn shapes(site: &Site<'_>) -> FxHashMap<TextSize, Shape> {
    let mut shapes = FxHashMap::default();
    tree::for_each_variable(&site.function.green(site.db).cursor(), &mut |it| {
        let declaration = Declaration::of(it);
        for declarator in &declaration.declarators {
            if let Some(name) = declarator.name {
                shapes.insert(name.range().start(), declaration.shape(declarator));
            }
        }
    });
    shapes
}

/// The names of the function that meet a condition; variables for parameters before registers.
fn names(
    site: &Site<'_>,
    body: &Body,
    items: &mut Vec<CompletionItem>,
    written: bool,
    admits: impl Fn(&Definition, &Operand) -> bool,
) {
    let uses = Uses::around(body, site.statement, site.offset);
    let mut found = Vec::new();
    for (id, definition) in visible(body, site.offset) {
        let operand = &body.operands[id as usize].0;
        if !admits(definition, operand) {
            continue;
        }
        let register = u8::from(definition.kind == SymbolKind::Register);
        names_of(
            &uses,
            id,
            definition,
            operand,
            written,
            &mut |_, rank, item| {
                let rank: (u8, u8, usize, DefinitionId) = (register, rank.0, rank.1, id);
                found.push((rank, item));
            },
        );
    }
    items.extend(innermost(found));
}
