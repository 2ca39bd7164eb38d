//! Calls: what they name, and what they pass, compared with the header of the callee.
//!
//! The callee is known by its header alone, never by its body, so typing in a body checks no caller
//! again.

use crate::{
    Severity,
    diagnostics::{
        error_map::ErrorMap,
        finding::{Finding, finding},
        place::Place,
        registry::INVALID_CALL_TARGET,
        rules::calls::{
            abi, arguments,
            context::{CallContext, CallParts, Callee, text},
            parameter_access, prototype_fixes,
        },
        subject::Subject,
    },
    hir::{
        body::{Place as WordPlace, Reference, Target},
        declaration::Declaration,
        header::FunctionHeader,
        items::module_items,
        module::{DeclarationSource, header_of, module_body, signature},
        operand::describe,
        outer::outer_name,
        resolve::resolve,
        tree::{self, node_at, trimmed},
    },
};

use std::{borrow::Cow, cell::OnceCell};

use isa::{
    operand::{Operand, Symbol},
    types::{Class, Family},
};
use syntax::{Cursor, SyntaxKind, TextRange};

/// How often a long body looks for a cancellation, in instructions.
const CHECK_INTERVAL: usize = 4096;

/// The calls of a function, its lists of targets, and what its instructions do with parameters.
pub(in crate::diagnostics) fn in_function(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Subject {
        db, function, body, ..
    } = *subject;
    let types = subject.types();
    let cursor = subject.cursor();
    let context = CallContext {
        db,
        function,
        body,
        types,
        cursor,
        shapes: OnceCell::new(),
    };
    let mut in_instructions = vec![false; body.references.len()];
    let interesting: Vec<bool> = body
        .instructions
        .iter()
        .map(|it| {
            let range = it.references.start as usize..it.references.end as usize;
            let mut found = it.call;
            for index in range {
                let Some(reference) = body.references.get(index) else {
                    continue;
                };
                in_instructions[index] = true;
                found |= parameter_access::is_parameter(types, reference);
            }
            found
        })
        .collect();
    context.tables(&in_instructions, findings);
    for range in &body.unlabeled {
        let word = tree::text_of_range(&cursor, *range);
        findings.push(finding(
            *range,
            INVALID_CALL_TARGET,
            format!("`{word}` needs a label directly before it"),
            Some(format!("as in `targets: {word} …`")),
        ));
    }
    if !interesting.contains(&true) {
        return;
    }
    let errors_at = ErrorMap::new(function.errors(db));
    // Where something is wrong already, in the order of the text.
    let mut wrong: Vec<TextRange> = findings
        .iter()
        .filter(|it| it.severity == Severity::Error)
        .map(|it| it.range)
        .collect();
    wrong.sort_unstable_by_key(|it| it.start());
    let mut index = 0;
    subject.for_each_instruction(&mut |lowered, instruction| {
        if index % CHECK_INTERVAL == 0 {
            db.unwind_if_revision_cancelled();
        }
        let concerned = interesting.get(index) == Some(&true);
        index += 1;
        if !concerned {
            return;
        }
        let range = lowered.range;
        if errors_at.meets(range) {
            return;
        }
        if lowered.call {
            context.call(instruction, index, findings);
            return;
        }
        let inside = wrong.partition_point(|it| it.start() < range.start());
        let mut inside = wrong[inside..]
            .iter()
            .take_while(|it| it.start() <= range.end());
        if !inside.any(|it| range.contains_range(*it)) {
            parameter_access::check(&context, instruction, findings);
        }
    });
}

impl<'a> CallContext<'a> {
    // ---- Calls ---------------------------------------------------------------------------------

    fn call(&self, instruction: &Cursor<'a>, number: usize, findings: &mut Vec<Finding>) {
        let call = match CallParts::of(instruction) {
            Ok(call) => call,
            Err(Some(surplus)) => {
                findings.push(finding(
                    trimmed(&surplus),
                    INVALID_CALL_TARGET,
                    "a call is written `call (results), callee, (arguments), targets`".to_owned(),
                    Some("everything but the callee may be left out".to_owned()),
                ));
                return;
            }
            Err(None) => return,
        };
        let range = trimmed(&call.callee);
        let callee = self.operand(&call.callee);
        let callee = match callee {
            Operand::Unknown => None,
            Operand::Symbol(Symbol::Function) => match &call.table {
                Some(table) if self.is_later(table) => return,
                Some(table) => {
                    findings.push(finding(
                        trimmed(table),
                        INVALID_CALL_TARGET,
                        format!(
                            "`{}` is a function: only a call through a register names a prototype or targets",
                            text(&call.callee)
                        ),
                        None,
                    ));
                    return;
                }
                None => self.function_named(&call.callee),
            },
            Operand::Register { class, lanes: 1 }
                if matches!(class.family(), Family::Integer | Family::Bits)
                    && matches!(class.bits(), 32 | 64)
                    && class != Class::F16x2 =>
            {
                match &call.table {
                    Some(table) => self.table(table, findings),
                    None => {
                        let mut found = finding(
                            range,
                            INVALID_CALL_TARGET,
                            format!(
                                "the call through register `{}` does not say what it calls",
                                text(&call.callee)
                            ),
                            Some("name a `.callprototype` or `.calltargets` at the end".to_owned()),
                        );
                        found.fixes.extend(prototype_fixes::declare(
                            self,
                            instruction,
                            &call,
                            number,
                        ));
                        findings.push(found);
                        return;
                    }
                }
            }
            other => {
                let what = match other {
                    Operand::Symbol(Symbol::Entry) => format!(
                        "`{}` is an entry: only a `.func` can be called",
                        text(&call.callee)
                    ),
                    Operand::Register { .. } => format!(
                        "the address of a function is in an integer register of 32 or 64 bits; this is {}",
                        describe(&other)
                    ),
                    _ => format!(
                        "a call names a function or a register that holds its address; this is {}",
                        describe(&other)
                    ),
                };
                findings.push(finding(range, INVALID_CALL_TARGET, what, None));
                return;
            }
        };
        let Some(callee) = callee.filter(|it| !it.header.broken) else {
            return;
        };
        arguments::compare(self, &call, &callee, findings);
        abi::check(self, &call, &callee, findings);
    }

    /// Whether a name is declared after its use, which is reported as such.
    fn is_later(&self, node: &Cursor<'_>) -> bool {
        self.reference(node).is_some_and(|it| match it.target {
            Target::Definition(id) => {
                self.body.definition(id).name_range.start() > it.range.start()
            }
            _ => false,
        })
    }

    /// The function that a name means where it appears.
    fn function_named(&self, node: &Cursor<'_>) -> Option<Callee<'a>> {
        let reference = self.reference(node)?;
        let (db, file) = (self.db, self.file());
        let name = text(node);
        match reference.target {
            Target::Definition(id) => {
                let definition = self.body.definition(id);
                if self.is_later(node) {
                    return None;
                }
                let prototypes = &signature(db, self.function).prototypes;
                // They are in the order of their definitions.
                let found = prototypes.binary_search_by_key(&id, |it| it.definition);
                Some(Callee {
                    name,
                    header: Cow::Borrowed(&prototypes.get(found.ok()?)?.header),
                    place: Some(Place::Own(definition.name_range)),
                })
            }
            Target::Free(free) => {
                let name_in_text = self.body.free.get(free as usize)?;
                let first = outer_name(db, self.function, name_in_text)
                    .before()
                    .first()?;
                Some(Callee {
                    name,
                    header: Cow::Borrowed(header_of(db, file, first.source)?),
                    place: Some(Place::Declaration(first.source)),
                })
            }
            _ => None,
        }
    }

    /// The prototype that the last operand of an indirect call names.
    fn table(&self, node: &Cursor<'_>, findings: &mut Vec<Finding>) -> Option<Callee<'a>> {
        let found = self.operand(node);
        let reference = self.reference(node);
        match (&found, reference) {
            (Operand::Unknown, _) => None,
            (Operand::Symbol(Symbol::CallPrototype | Symbol::CallTargets), Some(reference)) => {
                let Target::Definition(id) = reference.target else {
                    return None;
                };
                if self.is_later(node) {
                    return None;
                }
                let definition = self.body.definition(id);
                let last = definition.full_range.end().checked_sub(1.into())?;
                if found == Operand::Symbol(Symbol::CallTargets) {
                    let targets = node_at(&self.cursor, SyntaxKind::CALL_TARGETS, last)?;
                    // ptxas does not compare the targets with each other.
                    return self.function_named(&targets.nodes().next()?);
                }
                let prototype = node_at(&self.cursor, SyntaxKind::CALL_PROTOTYPE, last)?;
                let header = FunctionHeader::of(&prototype, self.function.errors(self.db));
                Some(Callee {
                    name: definition.name.to_string(),
                    header: Cow::Owned(header),
                    place: Some(Place::Own(definition.name_range)),
                })
            }
            (Operand::Symbol(Symbol::Variable(..)), Some(reference)) => {
                self.addresses(node, reference, findings)
            }
            _ => {
                findings.push(finding(
                    trimmed(node),
                    INVALID_CALL_TARGET,
                    format!(
                        "the last operand of a call through a register is the label of a `.callprototype` or `.calltargets`; this is {}",
                        describe(&found)
                    ),
                    None,
                ));
                None
            }
        }
    }

    /// The first function in an array of addresses, which stands for all of them.
    fn addresses(
        &self,
        node: &Cursor<'_>,
        reference: &Reference,
        findings: &mut Vec<Finding>,
    ) -> Option<Callee<'a>> {
        let Target::Free(free) = reference.target else {
            return None;
        };
        let (db, file) = (self.db, self.file());
        let name = self.body.free.get(free as usize)?;
        let first = outer_name(db, self.function, name).all().first()?;
        let DeclarationSource::Variable(index) = first.source else {
            return None;
        };
        let items = module_items(db, file);
        let variable = module_body(db, items).variables.get(index as usize)?;
        let item = items.items(db).get(variable.item as usize)?;
        let cursor = item.green.cursor();
        let declaration = Declaration::of(&cursor);
        let declarator = declaration
            .declarators
            .iter()
            .find(|it| it.name.is_some_and(|it| it.range() == variable.name_range))?;
        let addresses = matches!(
            declaration.class(),
            Some(Class::U8 | Class::U32 | Class::U64)
        ) && !declarator.dimensions.is_empty();
        let Some(values) = declarator.initializer.filter(|_| addresses) else {
            let mut found = finding(
                trimmed(node),
                INVALID_CALL_TARGET,
                format!(
                    "`{}` lists no targets: that takes an array of `.u64` with an initializer that names functions",
                    text(node)
                ),
                None,
            );
            found.related = vec![(Place::Declaration(first.source), "declared here")];
            findings.push(found);
            return None;
        };
        let mut name = None;
        tree::for_each_node(&values, &mut |it| {
            if it.kind() == SyntaxKind::NAME_REFERENCE {
                name = name.or(it.token(SyntaxKind::IDENT));
            }
        });
        let name = name?.text();
        let first = outer_name(db, self.function, name).all().first()?;
        Some(Callee {
            name: name.to_owned(),
            header: Cow::Borrowed(header_of(db, file, first.source)?),
            place: Some(Place::Declaration(first.source)),
        })
    }

    // ---- Lists of targets ----------------------------------------------------------------------

    /// The names in `.calltargets` and `.branchtargets`.
    fn tables(&self, in_instructions: &[bool], findings: &mut Vec<Finding>) {
        for (reference, inside) in self.body.references.iter().zip(in_instructions) {
            if *inside || reference.place == WordPlace::Operand || reference.uncertain {
                continue;
            }
            let start = reference.range.start();
            let list = |kind| node_at(&self.cursor, kind, start).is_some();
            let found = match reference.target {
                // The label of the list itself is not a list yet.
                Target::Definition(id)
                    if reference.place == WordPlace::Branch
                        && self
                            .body
                            .definition(id)
                            .full_range
                            .contains_range(reference.range) =>
                {
                    continue;
                }
                Target::Definition(id) => match self.types.get(id as usize) {
                    Some(it) => it.0.clone(),
                    None => continue,
                },
                _ => {
                    let name = tree::text_of_range(&self.cursor, reference.range);
                    self.named(reference.range, &name)
                }
            };
            let problem = match (reference.place, found) {
                (_, Operand::Unknown) => continue,
                (WordPlace::Callee, Operand::Symbol(Symbol::Function | Symbol::Entry))
                | (WordPlace::Branch, Operand::Symbol(Symbol::Label)) => continue,
                (WordPlace::Callee, other) if list(SyntaxKind::CALL_TARGETS) => {
                    format!(
                        "`.calltargets` lists functions; this is {}",
                        describe(&other)
                    )
                }
                (WordPlace::Branch, other) if list(SyntaxKind::BRANCH_TARGETS) => {
                    format!(
                        "`.branchtargets` lists labels; this is {}",
                        describe(&other)
                    )
                }
                _ => continue,
            };
            // The names that `L<4>` stands for share one place.
            let again = |it: &Finding| it.range == reference.range && it.message == problem;
            if !findings.last().is_some_and(again) {
                findings.push(finding(reference.range, INVALID_CALL_TARGET, problem, None));
            }
        }
    }

    fn named(&self, range: TextRange, name: &str) -> Operand {
        resolve(self.db, self.function, self.body, self.types, range, name)
    }
}
