//! Operands: registers of the right class first, then other names that fit.

use isa::{
    matcher::{Statement, fit},
    operand::{Operand, Symbol},
    table::tables,
    target::{Module, Suffix, Target as IsaTarget, Version},
};
use rustc_hash::{FxHashMap, FxHashSet};
use salsa::Database;
use syntax::{SyntaxKind, TextRange, TextSize};

use crate::{
    CompletionItem, CompletionKind, DocumentationKey, SymbolKind,
    hir::{
        body::{Body, DefinitionId, Target, body_around},
        declared::module_declared,
        instruction::{is_call, is_move},
        items::{Function, items},
        module::{DeclarationKind, DeclarationSource, module_scope},
        operand::special,
    },
};

use super::context::{Head, OperandPlace};

/// Uses of names that decide what comes first and which members of `%r<100>` are offered.
const RECENT: usize = 50_000;
/// In a long function only instructions with text so many bytes before or behind are looked at.
const NEAR: u32 = 32 << 10;
/// By how many uses a value that was read last is older than one that still waits for a reader.
const READ: usize = 50;
/// Numbers of operands that are tried.
const MAX_OPERANDS: usize = 12;
/// Lengths of vectors that are tried.
const VECTORS: [usize; 9] = [1, 2, 3, 4, 8, 16, 32, 64, 128];

/// The names that can stand as an operand.
pub(super) fn operands(
    db: &dyn Database,
    function: Function<'_>,
    offset: TextSize,
    head: &Head,
    place: &OperandPlace,
    module: Module,
    items: &mut Vec<CompletionItem>,
) {
    let shapes = Shapes::find(head, place, module);
    let body = &*body_around(
        db,
        function,
        TextRange::new(
            offset.checked_sub(NEAR.into()).unwrap_or_default(),
            offset.checked_add(NEAR.into()).unwrap_or(offset),
        ),
    );
    let types = &body.operands;
    let scopes = visible_scopes(body, offset);
    let mut fitting = Fitting {
        shapes: &shapes,
        known: Vec::new(),
    };
    let callee = is_call(&head.opcode);
    let recent = recent(body, offset);
    let mut members: FxHashMap<DefinitionId, Vec<(Option<u32>, usize)>> = FxHashMap::default();
    for ((id, member), age) in &recent {
        members.entry(*id).or_default().push((*member, *age));
    }
    let memory = head.before.iter().any(|it| it.starts_with("param"));
    let mut names: Vec<(Rank, CompletionItem)> = Vec::new();
    for (id, definition) in (0u32..).zip(&body.definitions) {
        let label = definition.may_follow_use();
        if !scopes.contains(&definition.scope) || (!label && definition.name_range.start() > offset)
        {
            continue;
        }
        let operand = &types[id as usize].0;
        // A label is good for jumps and nothing else.
        if label && !fitting.admits(operand) || definition.kind == SymbolKind::Function {
            continue;
        }
        let fits = callee || fitting.admits(operand);
        let kind = match definition.kind {
            SymbolKind::Register => CompletionKind::Register,
            SymbolKind::Parameter => CompletionKind::Parameter,
            SymbolKind::Label | SymbolKind::TargetList | SymbolKind::Prototype => {
                CompletionKind::Label
            }
            _ => CompletionKind::Variable,
        };
        let detail = crate::hir::operand::describe(operand);
        let mut add = |member: Option<u32>, used: Option<usize>| {
            let name = match member {
                Some(member) => format!("{}{member}", definition.name),
                None => definition.name.to_string(),
            };
            let item = CompletionItem {
                detail: Some(detail.clone()),
                ..CompletionItem::new(name, kind)
            };
            let rank = match kind {
                // Jumps mostly go to a label nearby.
                CompletionKind::Label => {
                    usize::from(definition.name_range.start().max(offset))
                        - usize::from(definition.name_range.start().min(offset))
                }
                // Each parameter is loaded once, in order, and where it is asked for it is wanted.
                CompletionKind::Parameter if memory && used.is_none() => 0,
                _ => used.unwrap_or(usize::MAX),
            };
            names.push(((!fits, rank, id), item));
        };
        match definition.count {
            None => add(None, recent.get(&(id, None)).copied()),
            Some(count) => {
                let mut highest = None;
                for (member, age) in members.get(&id).into_iter().flatten() {
                    add(*member, Some(*age));
                    highest = highest.max(*member);
                }
                // The next one is free as a destination.
                let next = highest.map_or(0, |it| it.saturating_add(1));
                if next < count {
                    add(Some(next), None);
                }
            }
        }
    }
    // Of equal names the innermost is meant, which comes last.
    let mut latest: FxHashMap<String, DefinitionId> = FxHashMap::default();
    for (rank, item) in &names {
        let id = latest.entry(item.label.clone()).or_default();
        *id = rank.2.max(*id);
    }
    names.retain(|(rank, item)| latest.get(&item.label) == Some(&rank.2));
    names.sort_by_key(|it| it.0);
    // What does not fit may still be wanted while the opcode is being changed, but comes last.
    let (right, wrong): (Vec<_>, Vec<_>) = names.into_iter().partition(|it| !it.0.0);
    items.extend(right.into_iter().map(|it| it.1));
    module_names(db, function, callee, &mut fitting, items);
    // In brackets they are legal, but nobody wants their values as addresses.
    if place.nesting.is_empty() {
        special_registers(&mut fitting, module, items);
    }
    let registers = |it: &CompletionItem| it.kind == CompletionKind::Register;
    items.extend(wrong.into_iter().map(|it| it.1).filter(registers));
    // What a name of the body hides.
    let mut seen = FxHashSet::default();
    items.retain(|it| seen.insert(it.label.clone()));
}

/// What does not fit comes last, then by age of use or distance, then by place of the declaration.
type Rank = (bool, usize, DefinitionId);

/// The registers for a guard.
pub(super) fn predicates(
    db: &dyn Database,
    function: Function<'_>,
    offset: TextSize,
    items: &mut Vec<CompletionItem>,
) {
    // The operand of an instruction that takes predicates and nothing else.
    let head = Head {
        opcode: "not".to_owned(),
        before: vec!["pred".to_owned()],
        after: Vec::new(),
    };
    let target = IsaTarget {
        number: 90,
        suffix: Suffix::Plain,
    };
    let module = Module::new(Version::new(9, 0), target);
    let place = OperandPlace::default();
    operands(db, function, offset, &head, &place, module, items);
    items.retain(|it| it.kind == CompletionKind::Register);
}

/// The scopes around an offset.
fn visible_scopes(body: &Body, offset: TextSize) -> Vec<u32> {
    (0u32..)
        .zip(&body.scopes)
        .filter(|(id, it)| {
            *id == crate::hir::body::OUTERMOST || it.range.contains_inclusive(offset)
        })
        .map(|it| it.0)
        .collect()
}

/// How long ago each name was used before the offset; values that wait for a use count as newer.
fn recent(body: &Body, offset: TextSize) -> FxHashMap<(DefinitionId, Option<u32>), usize> {
    let end = body
        .references
        .partition_point(|it| it.range.start() < offset);
    let mut ages: FxHashMap<_, usize> = FxHashMap::default();
    for (age, reference) in body.references[..end]
        .iter()
        .rev()
        .filter(|it| it.range.end() < offset)
        .take(RECENT)
        .enumerate()
    {
        if let Target::Definition(id) = reference.target {
            let age = if reference.write { age } else { age + READ };
            ages.entry((id, reference.member)).or_insert(age);
        }
    }
    ages
}

/// Forms of the whole statement in which the operand can stand.
struct Shapes<'a> {
    head: &'a Head,
    module: Module,
    /// Number of operands, and the lengths of the brackets around the cursor.
    all: Vec<(usize, Vec<usize>)>,
    place: &'a OperandPlace,
}

impl<'a> Shapes<'a> {
    fn find(head: &'a Head, place: &'a OperandPlace, module: Module) -> Shapes<'a> {
        let mut shapes = Shapes {
            head,
            module,
            all: Vec::new(),
            place,
        };
        let mut lengths: Vec<Vec<usize>> = vec![Vec::new()];
        for (kind, commas) in place.nesting.iter().take(3) {
            let possible: Vec<usize> = match kind {
                SyntaxKind::L_BRACE => {
                    let longer = VECTORS.into_iter().filter(|it| it > commas);
                    longer.collect()
                }
                _ => (commas + 1..commas + 5).collect(),
            };
            lengths = lengths
                .iter()
                .flat_map(|outer| {
                    possible.iter().map(|it| {
                        let mut all = outer.clone();
                        all.push(*it);
                        all
                    })
                })
                .collect();
        }
        for count in place.index + 1..=(place.index + 1).max(MAX_OPERANDS) {
            for lengths in &lengths {
                let shape = (count, lengths.clone());
                if shapes.fits(&shape, &Operand::Unknown) {
                    shapes.all.push(shape);
                }
            }
        }
        shapes
    }

    fn fits(&self, (count, lengths): &(usize, Vec<usize>), operand: &Operand) -> bool {
        let mut inner = operand.clone();
        for ((kind, commas), length) in self.place.nesting.iter().zip(lengths).rev() {
            let mut elements = vec![Operand::Unknown; *length];
            elements[*commas] = inner;
            inner = match kind {
                SyntaxKind::L_BRACE => Operand::Vector(elements),
                SyntaxKind::L_BRACKET => Operand::Address(elements, None),
                _ => return true,
            };
        }
        let mut operands = vec![Operand::Unknown; *count];
        operands[self.place.index] = inner;
        let words: Vec<&str> = self.head.before.iter().map(String::as_str).collect();
        let statement = Statement {
            opcode: &self.head.opcode,
            words: &words,
            operands: &operands,
            module: self.module,
        };
        fit(tables(), &statement).is_some()
    }
}

/// Answers, remembered, whether an operand fits.
struct Fitting<'a> {
    shapes: &'a Shapes<'a>,
    known: Vec<(Operand, bool)>,
}

impl Fitting<'_> {
    fn admits(&mut self, operand: &Operand) -> bool {
        if let Some((_, known)) = self.known.iter().find(|it| it.0 == *operand) {
            return *known;
        }
        let shapes = self.shapes;
        let fits =
            *operand != Operand::Unknown && shapes.all.iter().any(|it| shapes.fits(it, operand));
        self.known.push((operand.clone(), fits));
        fits
    }
}

/// Variables and functions of the module.
fn module_names(
    db: &dyn Database,
    function: Function<'_>,
    callee: bool,
    fitting: &mut Fitting<'_>,
    found: &mut Vec<CompletionItem>,
) {
    let file = function.file(db);
    let variables = module_declared(db, items(db, file).module);
    let mut names: Vec<_> = module_scope(db, file).names().collect();
    names.sort_unstable_by_key(|it| it.0);
    for (name, declarations) in names {
        // A function whose name is still missing is known by an empty one.
        let Some(declaration) = declarations.first().filter(|_| !name.is_empty()) else {
            continue;
        };
        let (operand, kind) = match (declaration.kind, declaration.source) {
            (DeclarationKind::Variable, DeclarationSource::Variable(index)) => {
                let Some(declared) = variables.get(index as usize) else {
                    continue;
                };
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
        let wanted = callee && declaration.kind == DeclarationKind::Function;
        // ptxas takes functions as operands of more instructions than anybody means.
        let mut fits =
            || (!function || is_move(&fitting.shapes.head.opcode)) && fitting.admits(&operand);
        if wanted || fits() {
            found.push(CompletionItem {
                detail: Some(crate::hir::operand::describe(&operand)),
                ..CompletionItem::new(name, kind)
            });
        }
    }
}

/// Special registers that the module has.
fn special_registers(fitting: &mut Fitting<'_>, module: Module, found: &mut Vec<CompletionItem>) {
    for (index, register) in (0u16..).zip(isa::special::SPECIAL_REGISTERS) {
        // Names with a number are for those who know which.
        if register.name.contains('#') {
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
}
