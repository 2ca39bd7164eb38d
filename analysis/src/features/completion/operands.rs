//! Operands: what the matcher takes at a place, the likeliest first.

use isa::{
    operand::{Operand, Space, Symbol},
    performance::CTA_MEMORY_REGISTERS,
    semantics::Wide,
    table::tables,
    types::{Class, Family},
    usage::rank_of_special,
};
use rustc_hash::FxHashSet;
use syntax::{Cursor, SyntaxKind};

use crate::{
    CompletionItem, CompletionKind, DocumentationKey, SymbolKind,
    diagnostics::lacks_cta_memory,
    hir::{
        body::{Body, body_around},
        declared::{address_bytes, module_declared},
        instruction::Parts,
        items::items,
        layout::{Layout, layouts, module_layouts},
        module::{DeclarationKind, DeclarationSource, function_order, module_scope},
        operand::{operand as operand_of, special},
        resolve::resolve,
        tree::{node_at, trimmed},
    },
};

use super::{
    Site,
    context::{Head, OperandPlace},
    descriptors::descriptors,
    directives::FAMILY,
    names::{innermost, names_of, near, visible},
    numbers,
    shapes::{Known, Shapes},
    uses::Uses,
    whole::{Whole, is_indexed, named},
};

/// Components of vectors in registers.
const COMPONENTS: [&str; 4] = [".x", ".y", ".z", ".w"];
/// Selectors of parts of a register, which a few instructions take.
const PARTS: [&str; 6] = [".b0", ".b1", ".b2", ".b3", ".h0", ".h1"];

/// The names that can appear as an operand, or addresses of them where it can only be an address.
pub(super) fn operands(
    site: &Site<'_>,
    head: &Head,
    place: &OperandPlace,
    items: &mut Vec<CompletionItem>,
) {
    let body = &*body_around(site.db, site.function, near(site.offset));
    names(site, head, place, body, Whole::of(site, body, false), items);
    let address = Operand::Address(vec![Operand::Unknown], None);
    let admits = || Whole::of(site, body, false).is_none_or(|it| it.admits(&address));
    let inside = OperandPlace {
        nesting: vec![(SyntaxKind::L_BRACKET, 0)],
        ..place.clone()
    };
    let has_form = || {
        let known = known_operands(site, body, &inside);
        let shapes = Shapes::find(head, &inside, known, site);
        !shapes.all.is_empty()
    };
    if items.is_empty() && place.nesting.is_empty() && has_form() && admits() {
        names(site, head, &inside, body, None, items);
        for item in items {
            item.label = format!("[{}]", item.label);
        }
    }
}

/// The names that fit at a place of an operand; `whole` is the finished statement around it, if they must fit it, too.
fn names(
    site: &Site<'_>,
    head: &Head,
    place: &OperandPlace,
    body: &Body,
    whole: Option<Whole<'_>>,
    items: &mut Vec<CompletionItem>,
) {
    let known = known_operands(site, body, place);
    let mut fitting = Fitting::new(Shapes::find(head, place, known, site), whole);
    let words = || head.before.iter().map(String::as_str);
    let role = tables().role(&head.opcode, words);
    let address = place
        .nesting
        .first()
        .is_some_and(|it| it.0 == SyntaxKind::L_BRACKET);
    let written = !address && role.writes(place.index as u32);
    let base = place
        .nesting
        .last()
        .is_some_and(|it| *it == (SyntaxKind::L_BRACKET, 0));
    let wide = base && is_wide_address(site, head, place);
    let uses = Uses::around(body, site.statement, site.offset);
    let memory = head.before.iter().any(|it| it.starts_with("param"));
    let semantics = tables().semantics(&head.opcode, words());
    let stores = address && semantics.reads.is_empty() && !semantics.writes.is_empty();
    let loads = address && semantics.writes.is_empty();
    let mut admits = |operand: &Operand| {
        let unfit = match operand {
            Operand::Register { class, .. } => wide && class.bits() < 64,
            // What a function receives can only be read, and what it returns only be written.
            Operand::Symbol(Symbol::Variable(Space::EntryParameter | Space::InputParameter, _)) => {
                stores
            }
            Operand::Symbol(Symbol::Variable(Space::ReturnParameter, _)) => loads,
            // The parameters of a call are memory without an address.
            Operand::Symbol(Symbol::Variable(Space::LocalParameter, _)) => !address,
            _ => false,
        };
        !unfit && fitting.admits(operand)
    };
    let wanted = wanted(head, place);
    let mut found = Vec::new();
    // Registers that are read before anything writes them.
    let mut unwritten = Vec::new();
    // Only arrays have elements.
    let indexed = is_indexed(site);
    let is_scalar = |layout: Option<&Option<Layout>>| {
        indexed && layout.is_some_and(|it| it.is_some_and(|it| it.scalar))
    };
    for (id, definition) in visible(body, site.offset) {
        let operand = &body.operands[id as usize].0;
        if definition.kind == SymbolKind::Function || !admits(operand) {
            continue;
        }
        if indexed && is_scalar(layouts(site.db, site.function).get(id as usize)) {
            continue;
        }
        names_of(
            &uses,
            id,
            definition,
            operand,
            written,
            &mut |member, rank, item| {
                let rank = match item.kind {
                    // Jumps mostly go to a label nearby.
                    CompletionKind::Label => {
                        let (a, b) = (definition.name_range.start(), site.offset);
                        (0, usize::from(a.max(b)) - usize::from(a.min(b)))
                    }
                    // Each parameter is loaded once, in order, and where it is asked for it is wanted.
                    CompletionKind::Parameter if memory && uses.age((id, member)).is_none() => {
                        (0, 0)
                    }
                    _ => rank,
                };
                let distance = match item.kind {
                    CompletionKind::Parameter if memory && address => 0,
                    // The address of a parameter is rarely wanted.
                    CompletionKind::Parameter if !address => 2,
                    _ if address => 1,
                    _ => distance(operand, wanted),
                };
                let rank = (distance, rank.0, rank.1, id);
                let read = member.is_some() && !written && uses.age((id, member)).is_none();
                let list = if read { &mut unwritten } else { &mut found };
                list.push((rank, item));
            },
        );
    }
    items.extend(innermost(found));
    let narrow = semantics.wide == Wide::Name
        && address_bytes(site.db, site.function.file(site.db)) == 8
        && wanted.is_some_and(|it| it.bits() < 64);
    module_names(site, &mut fitting, narrow, &is_scalar, items);
    // In brackets they are legal, but nobody wants their values as addresses.
    if place.nesting.is_empty() && !written {
        special_registers(site, &mut fitting, items);
        numbers::numbers(&mut |it| fitting.admits(it), head, place.index, items);
        descriptors(site, head, place.index, &mut |it| fitting.admits(it), items);
    }
    items.extend(innermost(unwritten));
    // What a name of the body hides.
    let mut seen = FxHashSet::default();
    items.retain(|it| seen.insert(it.label.clone()));
}

/// The type that the modifiers give an operand: the first of several is that of the destination.
fn wanted(head: &Head, place: &OperandPlace) -> Option<Class> {
    let mut types = head.before.iter().filter_map(|it| Class::from_word(it));
    match place.index {
        0 => types.next(),
        _ => types.next_back(),
    }
}

/// How far the type of a register is from the wanted one: not at all, of the same width, or further.
fn distance(operand: &Operand, wanted: Option<Class>) -> u8 {
    match (operand, wanted) {
        (Operand::Register { class, .. }, Some(wanted)) if *class == wanted => 0,
        (Operand::Register { class, .. }, Some(wanted)) if class.bits() == wanted.bits() => 1,
        (Operand::Register { .. }, Some(_)) => 2,
        _ => 0,
    }
}

/// The parts of the statement that are written.
fn known_operands(site: &Site<'_>, body: &Body, place: &OperandPlace) -> Known {
    let function = site.function.green(site.db).cursor();
    let instruction = node_at(&function, SyntaxKind::INSTRUCTION, site.statement);
    let parts = instruction.map(|it| Parts::of(&it)).unwrap_or_default();
    let read = |node: &Cursor<'_>| {
        operand_of(node, &|range, name| {
            resolve(site.db, site.function, body, &body.operands, range, name)
        })
    };
    let whole = parts.operands.iter().take(place.index);
    let whole = whole.take_while(|it| trimmed(it).end() <= site.offset);
    let mut known = Known {
        before: whole.map(read).collect(),
        siblings: Vec::new(),
    };
    let mut around = parts.operands.get(place.index).copied();
    for (depth, (kind, commas)) in place.nesting.iter().enumerate() {
        let Some(node) = around else {
            break;
        };
        if *kind == SyntaxKind::L_BRACE && depth + 1 == place.nesting.len() {
            for element in node.nodes().map(|it| read(&it)) {
                if element != Operand::Unknown && !known.siblings.contains(&element) {
                    known.siblings.push(element);
                }
            }
        }
        around = node.nodes().nth(*commas);
    }
    known
}

/// Whether an address takes 64 bits: where the module has such addresses, unless it is one of a window of 32 bits.
fn is_wide_address(site: &Site<'_>, head: &Head, place: &OperandPlace) -> bool {
    const WINDOWS: [&str; 4] = ["shared", "local", "const", "param"];
    let spaces: Vec<bool> = head
        .before
        .iter()
        .map(|it| it.split("::").next().unwrap_or_default())
        .filter(|it| *it == "global" || WINDOWS.contains(it))
        .map(|it| it == "global")
        .collect();
    let earlier = place.before.iter().filter(|it| it.starts_with('[')).count();
    let wide = spaces.get(earlier.min(spaces.len().saturating_sub(1)));
    address_bytes(site.db, site.function.file(site.db)) == 8 && wide.copied().unwrap_or(true)
}

/// Takes out the names of numbered registers that are declared already.
pub(super) fn without_declared(site: &Site<'_>, items: &mut Vec<CompletionItem>) {
    let body = &*body_around(site.db, site.function, near(site.offset));
    let declared: FxHashSet<&str> = visible(body, site.offset)
        .filter(|it| it.1.count.is_some())
        .map(|it| &*it.1.name)
        .collect();
    items.retain(|it| {
        let family = it.label.strip_suffix(FAMILY);
        family.is_none_or(|it| !declared.contains(it))
    });
}

/// The registers for a guard.
pub(super) fn predicates(site: &Site<'_>, items: &mut Vec<CompletionItem>) {
    let body = &*body_around(site.db, site.function, near(site.offset));
    let uses = Uses::around(body, site.statement, site.offset);
    let mut found = Vec::new();
    for (id, definition) in visible(body, site.offset) {
        let operand = &body.operands[id as usize].0;
        let is_predicate = matches!(operand, Operand::Register { class, lanes: 1 }
            if class.family() == Family::Predicate);
        if is_predicate {
            names_of(
                &uses,
                id,
                definition,
                operand,
                false,
                &mut |_, rank, item| {
                    found.push(((0, rank.0, rank.1, id), item));
                },
            );
        }
    }
    items.extend(innermost(found));
}

/// The components of a name that can appear as an operand.
pub(super) fn components(
    site: &Site<'_>,
    head: &Head,
    place: &OperandPlace,
    name: &str,
    items: &mut Vec<CompletionItem>,
) {
    let body = &*body_around(site.db, site.function, near(site.offset));
    let known = known_operands(site, body, place);
    let whole = Whole::of(site, body, true);
    let mut fitting = Fitting::new(Shapes::find(head, place, known, site), whole);
    let base = named(site, body, name);
    let of_special = match isa::special::find(name).and_then(|it| isa::special::get(it.0)) {
        Some(register) => register.components,
        None => &COMPONENTS,
    };
    let lanes = match base {
        Operand::Register { lanes, .. } => usize::from(lanes),
        _ => of_special.len(),
    };
    let vector = of_special.iter().take(if lanes > 1 { lanes } else { 0 });
    for word in vector.chain(&PARTS) {
        let part = crate::hir::operand::member(base.clone(), word.trim_start_matches('.'));
        if fitting.admits(&part) {
            items.push(CompletionItem {
                detail: Some(crate::hir::operand::describe(&part)),
                ..CompletionItem::new(*word, CompletionKind::Modifier)
            });
        }
    }
}

/// Answers, remembered, whether an operand fits.
struct Fitting<'a> {
    shapes: Shapes<'a>,
    /// The statement, if it is finished.
    whole: Option<Whole<'a>>,
    known: Vec<(Operand, bool)>,
}

impl<'a> Fitting<'a> {
    fn new(shapes: Shapes<'a>, whole: Option<Whole<'a>>) -> Fitting<'a> {
        Fitting {
            shapes,
            whole,
            known: Vec::new(),
        }
    }

    /// Whether the matcher takes an operand; without a form that the words can be, every register counts.
    fn admits(&mut self, operand: &Operand) -> bool {
        if self.shapes.all.is_empty() {
            let whole = self.whole.as_ref();
            return matches!(operand, Operand::Register { .. })
                && whole.is_none_or(|it| it.admits(operand));
        }
        if let Some((_, known)) = self.known.iter().find(|it| it.0 == *operand) {
            return *known;
        }
        let shapes = &self.shapes;
        let fits = *operand != Operand::Unknown
            && shapes.all.iter().any(|it| shapes.fits(it, operand))
            && self.whole.as_ref().is_none_or(|it| it.admits(operand));
        self.known.push((operand.clone(), fits));
        fits
    }
}

/// Variables and functions of the module; `narrow`: only those whose address has 32 bits.
fn module_names(
    site: &Site<'_>,
    fitting: &mut Fitting<'_>,
    narrow: bool,
    is_scalar: &dyn Fn(Option<&Option<Layout>>) -> bool,
    found: &mut Vec<CompletionItem>,
) {
    let db = site.db;
    let file = site.function.file(db);
    let variables = module_declared(db, items(db, file).module);
    let order = function_order(db, file).get(&site.function).copied();
    let order = order.unwrap_or(u32::MAX);
    let mut names: Vec<_> = module_scope(db, file).names().collect();
    names.sort_unstable_by_key(|it| it.0);
    let shapes = &fitting.shapes;
    let family = wanted(shapes.head, shapes.place).map(Class::family);
    // ptxas takes functions as operands of more instructions than anybody means, and makes no code for some.
    let takes_functions = isa::tables().reads_names(&shapes.head.opcode)
        && !matches!(family, Some(Family::Float | Family::Predicate));
    for (name, declarations) in names {
        // A function whose name is still missing is known by an empty one.
        let Some(declaration) = declarations.first().filter(|_| !name.is_empty()) else {
            continue;
        };
        if !declarations.iter().any(|it| it.order <= order) {
            continue;
        }
        let (operand, kind) = match (declaration.kind, declaration.source) {
            (DeclarationKind::Variable, DeclarationSource::Variable(index)) => {
                let Some(declared) = variables.get(index as usize) else {
                    continue;
                };
                let module = items(db, file).module;
                if is_scalar(module_layouts(db, module).get(index as usize)) {
                    continue;
                }
                (declared.0.clone(), CompletionKind::Variable)
            }
            (DeclarationKind::Function, _) => {
                (Operand::Symbol(Symbol::Function), CompletionKind::Function)
            }
            (DeclarationKind::Entry, _) => {
                (Operand::Symbol(Symbol::Entry), CompletionKind::Function)
            }
            _ => continue,
        };
        let function = declaration.kind != DeclarationKind::Variable;
        if narrow
            && matches!(
                operand,
                Operand::Symbol(Symbol::Variable(Space::Global | Space::Unified, _))
            )
        {
            continue;
        }
        if (!function || takes_functions) && fitting.admits(&operand) {
            found.push(CompletionItem {
                detail: Some(crate::hir::operand::describe(&operand)),
                ..CompletionItem::new(name, kind)
            });
        }
    }
}

/// Special registers that the module has.
fn special_registers(site: &Site<'_>, fitting: &mut Fitting<'_>, items: &mut Vec<CompletionItem>) {
    let module = site.module;
    let function = site.function.green(site.db).cursor();
    let lacks_memory = lacks_cta_memory(&function);
    let mut found = Vec::new();
    for (index, register) in (0u16..).zip(isa::special::SPECIAL_REGISTERS) {
        // Names with a number are for those who know which.
        if register.name.contains('#')
            || lacks_memory && CTA_MEMORY_REGISTERS.contains(&register.name)
        {
            continue;
        }
        let gate = register.gate();
        if !gate.admits_version(module.version) || !gate.admits_target(module.target) {
            continue;
        }
        let whole = special(index);
        let component = match &whole {
            Operand::Special {
                class,
                lanes: 4,
                narrow,
                ..
            } => Operand::Special {
                class: *class,
                lanes: 1,
                component: true,
                narrow: *narrow,
            },
            other => other.clone(),
        };
        if !fitting.admits(&component) {
            continue;
        }
        let components: &[&str] = match register.components {
            [] => &[""],
            all => all,
        };
        for component in components {
            found.push(CompletionItem {
                detail: Some(register.description.to_owned()),
                documentation: Some(DocumentationKey::SpecialRegister(register.name.to_owned())),
                ..CompletionItem::new(
                    format!("{}{component}", register.name),
                    CompletionKind::SpecialRegister,
                )
            });
        }
    }
    found.sort_by_key(|it: &CompletionItem| rank_of_special(&it.label));
    items.extend(found);
}
