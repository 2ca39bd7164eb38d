//! Names that are not declared where they are used.
//!
//! ptxas reads a module once: what a name means is decided where it appears. Only labels may be
//! declared after their use.

use std::cell::OnceCell;

use isa::{
    system_call::{self, is_optix},
    table::tables,
};
use rustc_hash::FxHashMap;
use salsa::Database;
use syntax::{NodeOrToken, SyntaxErrorCode, SyntaxKind, TextRange};

use crate::{
    FixKind, Severity, SymbolKind,
    db::SourceFile,
    diagnostics::{
        finding::{self, Finding, LINE},
        fix::{Repair, rename},
        place::{ItemIndex, Place},
        registry::{OPTIX_CALL, UNDEFINED_FUNCTION, UNDEFINED_LABEL, UNDEFINED_NAME},
        rules::{calls::prototype_fixes, names::register_fixes},
        subject::Subject,
        suggestion::{most_similar, similar},
    },
    hir::{
        body::{Body, Definition, DefinitionId, Place as WordPlace, Reference, Target},
        declared::address_bytes,
        items::items,
        module::{
            DeclarationKind, DeclarationSource, ModulePlace, function_order, module_body,
            module_item_order, module_scope,
        },
        number::split_name,
        outer::{outer_name, shadowed_names},
        tree::{is_nameless, trimmed},
    },
};

/// How many unknown names of a function are compared with the known ones.
const MAX_SUGGESTIONS: usize = 16;
/// For how many unknown names of a function a declaration is offered; a function with more is not written by hand.
const MAX_DECLARED: usize = 1024;
/// With how many known names each of them is compared.
const MAX_CANDIDATES: usize = 4096;
/// How many similar names are tried in the place of each of them.
const MAX_TRIED: usize = 8;
/// How many uses of one unknown name are reported in a function; the first ones say it all.
const MAX_USES: usize = 100;
/// How often a long body looks for a cancellation, in references.
const CHECK_INTERVAL: usize = 1 << 16;

/// The message about a name that the function does not declare.
#[derive(Clone)]
enum Verdict {
    Fine,
    Later(DeclarationSource),
    Unknown {
        help: Option<String>,
        /// The same name in a place from where it is not visible.
        elsewhere: Option<Place>,
        /// The name that was probably meant.
        similar: Option<String>,
        /// The declaration that makes the name known.
        repairs: Vec<Repair>,
    },
}

/// Unknown names in a function.
pub(in crate::diagnostics) fn in_function(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Subject { db, body, .. } = *subject;
    let mut judge = UndeclaredNames {
        subject,
        unknown: 0,
        declared: None,
        missing: OnceCell::new(),
    };
    let mut verdicts: Vec<Option<(Verdict, usize)>> = vec![None; body.free.len()];
    let mut nameless = Nameless::new(body);
    let outer = OuterNames::new(subject);
    for (index, reference) in body.references.iter().enumerate() {
        if index % CHECK_INTERVAL == 0 {
            db.unwind_if_revision_cancelled();
        }
        if reference.uncertain {
            continue;
        }
        match reference.target {
            Target::Definition(id) => {
                let definition = body.definition(id);
                if definition.name_range.start() <= reference.range.start() {
                    continue;
                }
                if definition.may_follow_use() {
                    findings.extend(outer.hides(id, definition, reference));
                } else {
                    let name = &definition.name;
                    findings.push(later(
                        name,
                        reference.range,
                        Place::Own(definition.name_range),
                    ));
                }
            }
            Target::Free(free) => {
                let name = &body.free[free as usize];
                let (verdict, uses) = verdicts[free as usize]
                    .get_or_insert_with(|| (judge.judge(reference, name), 0));
                *uses += 1;
                if matches!(verdict, Verdict::Unknown { .. })
                    && nameless.explains(free, name, reference, findings)
                {
                    continue;
                }
                if *uses <= MAX_USES {
                    let finding = finding(name, reference, verdict);
                    findings
                        .extend(finding.map(|it| {
                            unfinished_statement(subject, name, reference).unwrap_or(it)
                        }));
                }
            }
            Target::Special(_) | Target::WarpSize | Target::Section(_) => {}
        }
    }
}

/// Names of the module that labels have, too: before its label a branch means the function or variable.
struct OuterNames<'a> {
    subject: &'a Subject<'a>,
    /// The labels with such a name, by their index; found when one is asked for.
    labels: OnceCell<Vec<(DefinitionId, DeclarationSource)>>,
}

impl<'a> OuterNames<'a> {
    fn new(subject: &'a Subject<'a>) -> OuterNames<'a> {
        OuterNames {
            subject,
            labels: OnceCell::new(),
        }
    }

    /// The problem of a branch to a label after it, if the name means something else there.
    fn hides(
        &self,
        id: DefinitionId,
        definition: &Definition,
        reference: &Reference,
    ) -> Option<Finding> {
        let labels = self.labels.get_or_init(|| self.find());
        let (_, source) = labels.iter().find(|it| it.0 == id)?;
        let name = &definition.name;
        let mut found = finding::finding(
            reference.range,
            UNDEFINED_LABEL,
            format!(
                "`{name}` is not a label here: it names a declaration of the module until its label"
            ),
            Some("rename the label, or branch to it only after it".to_owned()),
        );
        found.related = vec![
            (Place::Declaration(*source), "declared here"),
            (Place::Own(definition.name_range), "the label"),
        ];
        Some(found)
    }

    fn find(&self) -> Vec<(DefinitionId, DeclarationSource)> {
        let Subject {
            db, function, body, ..
        } = *self.subject;
        let shadowed = shadowed_names(db, function).iter();
        let labels = shadowed.filter_map(|(index, _)| {
            let definition = body.definitions.get(*index)?;
            let first = outer_name(db, function, &definition.name)
                .before()
                .first()?;
            (definition.kind == SymbolKind::Label).then_some((*index as DefinitionId, first.source))
        });
        labels.collect()
    }
}

/// Declarations that ptxas accepts although they have no name. Where names are missing as well, those were theirs: that
/// is reported there, once.
struct Nameless<'a> {
    declarations: &'a [TextRange],
    /// The unknown names that are explained, by index in the free names of the body.
    explained: Vec<u32>,
}

impl<'a> Nameless<'a> {
    fn new(body: &'a Body) -> Nameless<'a> {
        Nameless {
            declarations: &body.nameless,
            explained: Vec::new(),
        }
    }

    /// Whether an unknown name is that of such a declaration before it.
    fn explains(
        &mut self,
        free: u32,
        name: &str,
        reference: &Reference,
        findings: &mut Vec<Finding>,
    ) -> bool {
        if self.explained.contains(&free) {
            return true;
        }
        let Some(range) = self.declarations.get(self.explained.len()) else {
            return false;
        };
        if reference.place != WordPlace::Operand || reference.range.start() < range.start() {
            return false;
        }
        self.explained.push(free);
        findings.push(Finding {
            range: *range,
            severity: Severity::Error,
            code: UNDEFINED_NAME.name,
            message: format!("this declaration has no name, and `{name}` is not declared"),
            help: None,
            related: vec![(Place::Own(reference.range), "used here")],
            fixes: Vec::new(),
        });
        true
    }
}

/// An unknown name that is an opcode, alone on the next line: the statement before it is not finished.
/// Only that it is unknown tells this, because opcodes may be names of registers.
fn unfinished_statement(
    subject: &Subject<'_>,
    name: &str,
    reference: &Reference,
) -> Option<Finding> {
    tables().with_opcode(name).next()?;
    let nodes = subject.cursor().nodes_at(reference.range.start());
    let statement = nodes
        .iter()
        .find(|it| it.kind() == SyntaxKind::INSTRUCTION)?;
    let mut end = statement.range().start();
    let mut comma = false;
    let mut line_ends = false;
    for child in statement.children() {
        let (kind, range) = match &child {
            NodeOrToken::Node(it) => (it.kind(), it.range()),
            NodeOrToken::Token(it) => (it.kind(), it.range()),
        };
        if range == reference.range {
            break;
        }
        match child {
            NodeOrToken::Token(it) if it.kind().is_trivia() => {
                line_ends |= it.text().contains('\n');
            }
            _ => {
                (end, comma, line_ends) = (range.end(), kind == SyntaxKind::COMMA, false);
            }
        }
    }
    if !line_ends || statement.tokens().last()?.kind() != SyntaxKind::SEMICOLON {
        return None;
    }
    let place = TextRange::empty(end);
    let mut finding = Finding {
        range: place,
        severity: Severity::Error,
        code: SyntaxErrorCode::Syntax.as_str(),
        message: format!("expected an operand after `,`, found `{name}` on the next line"),
        help: None,
        related: Vec::new(),
        fixes: Vec::new(),
    };
    if !comma {
        finding.message = format!("expected an operand or `;`, found `{name}` on the next line");
        let insert = Repair::new(
            FixKind::InsertPunctuation,
            "Insert `;`".to_owned(),
            place,
            ";",
        );
        finding.fixes.push(insert.preferred(true));
    }
    Some(finding)
}

/// The names that a function uses and does not declare.
struct UndeclaredNames<'a> {
    subject: &'a Subject<'a>,
    /// How many names are unknown so far.
    unknown: usize,
    /// The first definition of each name anywhere in the function, once it is needed.
    declared: Option<FxHashMap<&'a str, &'a Definition>>,
    /// The numbered registers that are not declared, once they are needed.
    missing: OnceCell<register_fixes::Missing<'a>>,
}

impl<'a> UndeclaredNames<'a> {
    fn judge(&mut self, reference: &Reference, name: &str) -> Verdict {
        let Subject { db, function, .. } = *self.subject;
        let outer = outer_name(db, function, name);
        if !outer.before().is_empty() {
            return Verdict::Fine;
        }
        if let Some(first) = outer.all().first() {
            return Verdict::Later(first.source);
        }
        if module_scope(db, function.file(db)).uncertain {
            return Verdict::Fine;
        }
        let body = self.subject.body;
        let declared = self.declared.get_or_insert_with(|| {
            let all = body.definitions.iter().rev();
            all.map(|it| (&*it.name, it)).collect()
        });
        if let Some(definition) = declared.get(name).filter(|it| it.count.is_none()) {
            // The missing brace may be the one that ends that block.
            let green = function.green(db);
            let function = green.cursor();
            let block = function.node(SyntaxKind::BLOCK);
            if block.is_some_and(|it| it.token(SyntaxKind::R_BRACE).is_none()) {
                return Verdict::Fine;
            }
            return Verdict::Unknown {
                help: Some(format!(
                    "`{name}` on line {LINE} is visible inside its own block only"
                )),
                elsewhere: Some(Place::Own(definition.name_range)),
                similar: None,
                repairs: Vec::new(),
            };
        }
        self.unknown += 1;
        let mut verdict = Verdict::Unknown {
            help: None,
            elsewhere: None,
            similar: None,
            repairs: Vec::new(),
        };
        if self.unknown <= MAX_DECLARED {
            self.suggest(reference, name, &mut verdict);
        }
        verdict
    }

    /// The names that may have been meant by an unknown name, and the declarations that make it known.
    fn suggest(&self, reference: &Reference, name: &str, verdict: &mut Verdict) {
        let Verdict::Unknown {
            help,
            similar,
            repairs,
            ..
        } = verdict
        else {
            return;
        };
        let compared = self.unknown <= MAX_SUGGESTIONS;
        if let Some((family, count)) = family(self.subject.body, name) {
            *help = Some(family_help(&family.name, count));
            let missing = self.missing();
            repairs.extend(register_fixes::widen(
                self.subject,
                missing,
                reference,
                name,
                family,
            ));
            return;
        }
        if reference.place == WordPlace::Callee
            && let Some(call) = system_call::find(name)
        {
            let Subject { db, function, .. } = *self.subject;
            let prototype = call.prototype(address_bytes(db, function.file(db)));
            *help = Some(format!("the driver provides it: declare `{prototype}`"));
            repairs.push(prototype_fixes::system_call(db, function, name, &prototype));
            return;
        }
        if reference.place == WordPlace::Operand {
            // A stem such as `%r` is not finished.
            let stem = |it: &&Definition| it.count.is_some() && *it.name == *name;
            if let Some(family) = self.subject.body.definitions.iter().find(stem) {
                *help = family.count.map(|count| family_help(name, count));
                return;
            }
            if compared {
                *similar = self.slip(reference, name);
            }
        }
        if similar.is_none() && compared {
            let candidates = similar_names(self.subject, reference.place, name);
            // A register or variable of another class or width was not meant, and of short names several may be.
            let fits = |it: &&str| register_fixes::would_fit(self.subject, reference, name, it);
            let mut fitting = candidates.into_iter().take(MAX_TRIED).filter(fits);
            let found = fitting
                .next()
                .filter(|_| name.len() > 2 || fitting.next().is_none());
            *similar = found.map(str::to_owned);
        }
        *help = similar.as_ref().map(|it| format!("did you mean `{it}`?"));
        if reference.place == WordPlace::Operand {
            let declared = register_fixes::declare(self.subject, self.missing(), reference, name);
            // What was not compared may be misspelt, but for numbered registers.
            let sure = similar.is_none() && (compared || split_name(name).is_some());
            repairs.extend(declared.map(|it| it.preferred(sure)));
        }
    }

    /// The numbered registers that are not declared.
    fn missing(&self) -> &register_fixes::Missing<'a> {
        self.missing
            .get_or_init(|| register_fixes::Missing::new(self.subject))
    }

    /// The register that was meant by a name without its `%`, in another case, or without the dot of a component.
    fn slip(&self, reference: &Reference, name: &str) -> Option<String> {
        let bare = name.trim_start_matches('%');
        let lower = bare.to_ascii_lowercase();
        if let Some((index, component)) = lower.char_indices().last()
            && let whole = format!("%{}", &lower[..index])
            && let Some((register, _)) = isa::special::find(&whole)
            && let component = format!(".{component}")
            && isa::special::SPECIAL_REGISTERS[usize::from(register)]
                .components
                .contains(&&*component)
        {
            return Some(whole + &component);
        }
        let spellings = [format!("%{bare}"), format!("%{lower}"), lower];
        spellings.into_iter().find(|it| {
            it != name
                && (register_fixes::find(self.subject, it).is_some()
                    || isa::special::find(it).is_some())
                && register_fixes::would_fit(self.subject, reference, name, it)
        })
    }
}

/// The parameterised register that a name looks like: `%r<100>` for `%r100`.
fn family<'a>(body: &'a Body, name: &str) -> Option<(&'a Definition, u32)> {
    let (prefix, _) = split_name(name)?;
    let mut all = body.definitions.iter();
    let family = all.find(|it| it.count.is_some() && *it.name == *prefix)?;
    Some((family, family.count?))
}

fn family_help(prefix: &str, count: u32) -> String {
    match count.checked_sub(1) {
        Some(last) => format!("`{prefix}<{count}>` declares `{prefix}0` to `{prefix}{last}`"),
        None => format!("`{prefix}<0>` declares no name"),
    }
}

fn similar_names<'a>(subject: &Subject<'a>, place: WordPlace, name: &str) -> Vec<&'a str> {
    let Subject {
        db, function, body, ..
    } = *subject;
    let file = function.file(db);
    let order = function_order(db, file).get(&function).copied();
    // Where a numbered register is missing, another one was not meant.
    let numbered =
        place == WordPlace::Operand && name.starts_with('%') && split_name(name).is_some();
    let local = body
        .definitions
        .iter()
        // The stem of `%r<4>` is not a name.
        .filter(|it| it.count.is_none())
        .filter(|it| !numbered || split_name(&it.name).is_none())
        .filter(|it| (it.kind == SymbolKind::Label) == (place == WordPlace::Branch))
        .map(|it| &*it.name);
    let module = module_scope(db, file)
        .names()
        .filter(|(_, all)| {
            place != WordPlace::Branch
                && all.iter().any(|it| {
                    Some(it.order) <= order
                        && (place == WordPlace::Callee) == (it.kind == DeclarationKind::Function)
                })
        })
        .map(|(name, _)| name);
    let special = isa::special::SPECIAL_REGISTERS
        .iter()
        .map(|it| it.name)
        .filter(|_| place == WordPlace::Operand && name.starts_with('%'));
    let candidates = special.chain(local).chain(module);
    similar(name, candidates.take(MAX_CANDIDATES))
}

fn finding(name: &str, reference: &Reference, verdict: &Verdict) -> Option<Finding> {
    match verdict {
        Verdict::Fine => None,
        Verdict::Later(source) => Some(later(name, reference.range, Place::Declaration(*source))),
        Verdict::Unknown { .. } if reference.place == WordPlace::Callee && is_optix(name) => {
            Some(finding::finding(
                reference.range,
                OPTIX_CALL,
                format!("OptiX provides `{name}`; ptxas alone rejects the call"),
                Some("compile the module with `optixModuleCreate`".to_owned()),
            ))
        }
        Verdict::Unknown {
            help,
            elsewhere,
            similar,
            repairs,
        } => {
            let (code, message) = match reference.place {
                WordPlace::Operand => (UNDEFINED_NAME, format!("`{name}` is not declared")),
                WordPlace::Branch => (
                    UNDEFINED_LABEL,
                    format!("label `{name}` is not declared in this block or an enclosing one"),
                ),
                WordPlace::Callee => (
                    UNDEFINED_FUNCTION,
                    format!(
                        "function `{name}` is not declared: a call needs a `.func` declaration before it"
                    ),
                ),
            };
            Some(Finding {
                range: reference.range,
                severity: Severity::Error,
                code: code.name,
                message,
                help: help.clone(),
                related: elsewhere
                    .iter()
                    .map(|it| (*it, "declared in another block"))
                    .collect(),
                fixes: similar
                    .iter()
                    .map(|it| rename(reference.range, name, it.clone()))
                    .chain(repairs.iter().cloned())
                    .collect(),
            })
        }
    }
}

fn later(name: &str, range: TextRange, place: Place) -> Finding {
    Finding {
        range,
        severity: Severity::Error,
        code: UNDEFINED_NAME.name,
        message: format!(
            "`{name}` is declared later, on line {LINE}; PTX requires a declaration before the first use"
        ),
        help: None,
        related: vec![(place, "declared here")],
        fixes: Vec::new(),
    }
}

/// Unknown names in initializers and aliases.
pub(in crate::diagnostics) fn in_module(
    db: &dyn Database,
    file: SourceFile,
    findings: &mut Vec<(ItemIndex, Finding)>,
) {
    let items = items(db, file);
    let scope = module_scope(db, file);
    // Names may be missing because of it, and it is unknown which.
    for (index, item) in (0u32..).zip(items.module.items(db)) {
        let cursor = item.green.cursor();
        if cursor.kind() == SyntaxKind::VARIABLE_DECLARATION
            && item.errors.is_empty()
            && is_nameless(&cursor)
        {
            let range = trimmed(&cursor);
            let message = "this declaration has no name".to_owned();
            let mut found = finding::finding(range, UNDEFINED_NAME, message, None);
            found.severity = Severity::Warning;
            findings.push((ItemIndex::Other(index), found));
        }
    }
    let mut suggestions = 0;
    for reference in &module_body(db, items.module).references {
        if reference.place == ModulePlace::Section || reference.uncertain {
            continue;
        }
        let name = &reference.name;
        let order = module_item_order(&items.before, reference.item);
        let declarations = scope.find(name);
        if declarations.iter().any(|it| it.order <= order) {
            continue;
        }
        let index = ItemIndex::Other(reference.item);
        if let Some(first) = declarations.first() {
            findings.push((index, later(name, reference.range, Place::of(first))));
        } else if !scope.uncertain {
            let functions_only = reference.place == ModulePlace::Alias;
            let candidates = scope
                .names()
                .filter(|(_, all)| {
                    all.iter().any(|it| {
                        it.order <= order
                            && (!functions_only || it.kind == DeclarationKind::Function)
                    })
                })
                .map(|(name, _)| name);
            suggestions += 1;
            let similar = most_similar(name, candidates.take(MAX_CANDIDATES))
                .filter(|_| suggestions <= MAX_SUGGESTIONS);
            let help = similar.map(|it| format!("did you mean `{it}`?"));
            let (code, message) = if functions_only {
                (
                    UNDEFINED_FUNCTION,
                    format!("function `{name}` is not declared"),
                )
            } else {
                (UNDEFINED_NAME, format!("`{name}` is not declared"))
            };
            let finding = Finding {
                range: reference.range,
                severity: Severity::Error,
                code: code.name,
                message,
                help,
                related: Vec::new(),
                fixes: similar
                    .iter()
                    .map(|it| rename(reference.range, name, (*it).to_owned()))
                    .collect(),
            };
            findings.push((index, finding));
        }
    }
}
