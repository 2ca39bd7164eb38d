//! Diagnostics: one file per family of rules.
//!
//! Rules find problems in one function, or in the items around the functions, with places relative to
//! them; salsa keeps these findings. Offsets in the file and line numbers are put in at the end, when
//! the diagnostics of a file are joined.

mod arguments;
mod attributes;
#[cfg(test)]
mod call_tests;
mod calls;
mod codes;
mod compiler;
mod constants;
mod directives;
mod duplicates;
mod fix;
mod initializers;
mod instruction_fixes;
#[cfg(test)]
mod instruction_tests;
mod instructions;
mod levels;
mod lints;
mod names;
mod operand_fixes;
#[cfg(test)]
mod pages;
mod parameter_access;
mod parameter_words;
mod parameters;
mod portability;
mod prototype_fixes;
mod prototypes;
mod redeclarations;
mod register_fixes;
mod storage;
mod suggestion;
mod syntax_errors;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod texture_tests;
mod torn;
#[cfg(test)]
mod variable_tests;
mod variables;

use std::cell::OnceCell;

use salsa::Database;
use syntax::{TextRange, TextSize, text::Edit};

use crate::{
    Diagnostic, DiagnosticTag, FileRange, Fix, RelatedInformation, Severity,
    db::SourceFile,
    hir::{
        body::body,
        items::{Function, ItemOffsets, Items, item_offsets, items},
        module::{Declaration, DeclarationSource, ModuleBody, module_body},
    },
};

pub(crate) use calls::Call;
pub use codes::{DIAGNOSTIC_CODES, DiagnosticCode, PTXAS as PTXAS_CODE};
pub(crate) use compiler::with_messages;
pub(crate) use directives::locations_of;
use fix::{HeaderPlaces, Repair};
pub(crate) use instructions::{operand_nodes, resolve};
#[cfg(test)]
pub(crate) use lints::{is_flow_lint, is_lint};
pub(crate) use syntax_errors::syntax_diagnostics;

/// A problem, with places that do not depend on where its item stands in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Finding {
    /// Where, relative to the item.
    range: TextRange,
    severity: Severity,
    code: &'static str,
    /// What is wrong; [`LINE`] stands for the line of the first related place.
    message: String,
    help: Option<String>,
    related: Vec<(Place, &'static str)>,
    fixes: Vec<Repair>,
}

/// Stands in a message for a line number, which is known at the end only. No PTX name contains it.
const LINE: &str = "{line}";

/// A place in a file, independent of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the same item.
    Own(TextRange),
    /// In an item that is no function.
    Item(u32, TextRange),
    /// The name that a declaration of the module declares.
    Declaration(DeclarationSource),
    /// The number of the `.version` directive.
    Version,
    /// The first name of the `.target` directive.
    Target,
}

impl Place {
    fn of(declaration: &Declaration) -> Place {
        Place::Declaration(declaration.source)
    }
}

/// The findings of one function.
#[salsa::tracked(returns(deref))]
fn function_findings<'db>(db: &'db dyn Database, function: Function<'db>) -> Vec<Finding> {
    let mut findings = Vec::new();
    names::in_function(db, function, &mut findings);
    duplicates::in_function(db, function, &mut findings);
    constants::in_function(db, function, &mut findings);
    variables::in_function(db, function, &mut findings);
    instructions::in_function(db, function, &mut findings);
    parameters::in_function(db, function, &mut findings);
    calls::in_function(db, function, &mut findings);
    directives::in_function(db, function, &mut findings);
    portability::in_function(db, function, &mut findings);
    lints::in_function(db, function, &mut findings);
    findings
}

/// Findings about the items of a file: for each the item, as an index of a function or another item.
#[salsa::tracked(returns(deref))]
fn module_findings(db: &dyn Database, file: SourceFile) -> Vec<(ItemIndex, Finding)> {
    let mut findings = Vec::new();
    names::in_module(db, file, &mut findings);
    duplicates::in_module(db, file, &mut findings);
    redeclarations::in_module(db, file, &mut findings);
    constants::in_module(db, file, &mut findings);
    variables::in_module(db, file, &mut findings);
    directives::in_module(db, file, &mut findings);
    portability::in_module(db, file, &mut findings);
    lints::in_module(db, file, &mut findings);
    findings
}

/// Index of a top-level item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ItemIndex {
    Function(u32),
    Other(u32),
}

/// A diagnostic before its texts are put together, which costs more than all else about it.
#[derive(Clone, Copy)]
struct Pending<'db> {
    range: TextRange,
    severity: Severity,
    code: &'static str,
    tags: &'static [DiagnosticTag],
    source: Source<'db>,
}

/// What a [`Pending`] is made of.
#[derive(Clone, Copy)]
enum Source<'db> {
    /// Index of a syntax error.
    Syntax(usize),
    /// A finding whose item starts there.
    Finding(&'db Finding, TextSize),
}

/// The diagnostics of a file, sorted by range; of more than `limit` only the worst, and of equally bad ones
/// the first in the text.
pub(crate) fn diagnostics(db: &dyn Database, file: SourceFile, limit: usize) -> Vec<Diagnostic> {
    let syntax = syntax_diagnostics(db, file);
    let join = Join {
        db,
        file,
        items: items(db, file),
        offsets: item_offsets(db, file),
        module: module_body(db, items(db, file).module),
        header: OnceCell::new(),
    };
    let mut all: Vec<_> = syntax
        .iter()
        .enumerate()
        .map(|(index, it)| Pending {
            range: it.range,
            severity: it.severity,
            code: it.code,
            tags: &[],
            source: Source::Syntax(index),
        })
        .collect();
    for (index, finding) in module_findings(db, file) {
        let start = match index {
            ItemIndex::Function(index) => join.offsets.functions[*index as usize],
            ItemIndex::Other(index) => join.offsets.module[*index as usize],
        };
        all.push(Pending::of(finding, start));
    }
    for (function, start) in join.items.functions.iter().zip(&join.offsets.functions) {
        let findings = function_findings(db, *function).iter();
        all.extend(findings.map(|it| Pending::of(it, *start)));
    }
    all.sort_by_key(|it| (it.range.start(), it.range.end()));
    levels::apply(db, file, &mut all);
    if limit < all.len() {
        let mut worst: Vec<_> = (0..all.len()).collect();
        worst.sort_by_key(|it| all[*it].severity);
        worst.truncate(limit);
        worst.sort_unstable();
        all = worst.into_iter().map(|it| all[it]).collect();
    }
    all.into_iter()
        .map(|it| {
            let diagnostic = match it.source {
                Source::Syntax(index) => syntax[index].clone(),
                Source::Finding(finding, start) => join.diagnostic(finding, start),
            };
            Diagnostic {
                severity: it.severity,
                tags: it.tags.to_vec(),
                ..diagnostic
            }
        })
        .collect()
}

impl<'db> Pending<'db> {
    fn of(finding: &'db Finding, start: TextSize) -> Pending<'db> {
        Pending {
            range: finding.range + start,
            severity: finding.severity,
            code: finding.code,
            tags: &[],
            source: Source::Finding(finding, start),
        }
    }
}

/// What turns findings into diagnostics.
struct Join<'db> {
    db: &'db dyn Database,
    file: SourceFile,
    items: &'db Items<'db>,
    offsets: &'db ItemOffsets,
    module: &'db ModuleBody,
    header: OnceCell<HeaderPlaces>,
}

impl Join<'_> {
    /// The diagnostic of a finding whose item starts at `start`.
    fn diagnostic(&self, finding: &Finding, start: TextSize) -> Diagnostic {
        let related: Vec<_> = finding
            .related
            .iter()
            .map(|(place, message)| RelatedInformation {
                location: FileRange {
                    file: self.file.id(self.db),
                    range: self.range(*place, start),
                },
                message: (*message).to_owned(),
            })
            .collect();
        let line = |text: &String| match related.first() {
            Some(first) if text.contains(LINE) => {
                let lines = self.file.contents(self.db).lines.clone();
                let line = lines.line_of(first.location.range.start()) + 1;
                text.replace(LINE, &line.to_string())
            }
            _ => text.clone(),
        };
        Diagnostic {
            range: finding.range + start,
            severity: finding.severity,
            code: finding.code,
            message: line(&finding.message),
            help: finding.help.as_ref().map(line),
            related,
            tags: Vec::new(),
            fixes: finding
                .fixes
                .iter()
                .filter_map(|it| self.fix(it, start))
                .collect(),
        }
    }

    /// The fix of a finding whose item starts at `start`.
    fn fix(&self, repair: &Repair, start: TextSize) -> Option<Fix> {
        let mut edits = Vec::with_capacity(repair.edits.len());
        for (place, text) in &repair.edits {
            let range = match place {
                Place::Version => self.header().version?,
                Place::Target => self.header().target?,
                _ => self.range(*place, start),
            };
            edits.push(Edit::new(range, text.as_str()));
        }
        edits.sort_by_key(|it| it.range.start());
        Some(Fix {
            title: repair.title.clone(),
            edits,
            preferred: repair.preferred,
            kind: repair.kind,
        })
    }

    fn header(&self) -> &HeaderPlaces {
        self.header.get_or_init(|| {
            HeaderPlaces::find(self.items.module.items(self.db), &self.offsets.module)
        })
    }

    fn range(&self, place: Place, start: TextSize) -> TextRange {
        match place {
            Place::Version => self.header().version.unwrap_or_default(),
            Place::Target => self.header().target.unwrap_or_default(),
            Place::Own(range) => range + start,
            Place::Item(item, range) => range + self.offsets.module[item as usize],
            Place::Declaration(DeclarationSource::Variable(index)) => {
                let variable = &self.module.variables[index as usize];
                variable.name_range + self.offsets.module[variable.item as usize]
            }
            Place::Declaration(DeclarationSource::Function(index)) => {
                let body = body(self.db, self.items.functions[index as usize]);
                body.name.unwrap_or_default() + self.offsets.functions[index as usize]
            }
            Place::Declaration(DeclarationSource::Prototype(index, definition)) => {
                let body = body(self.db, self.items.functions[index as usize]);
                body.definition(definition).name_range + self.offsets.functions[index as usize]
            }
        }
    }
}

/// Where the name of a declaration of the module stands: its item and the range in it.
fn declaration_place(
    db: &dyn Database,
    file: SourceFile,
    source: DeclarationSource,
) -> (ItemIndex, TextRange) {
    let items = items(db, file);
    match source {
        DeclarationSource::Variable(index) => {
            let variable = &module_body(db, items.module).variables[index as usize];
            (ItemIndex::Other(variable.item), variable.name_range)
        }
        DeclarationSource::Function(index) => {
            let body = body(db, items.functions[index as usize]);
            (ItemIndex::Function(index), body.name.unwrap_or_default())
        }
        DeclarationSource::Prototype(index, definition) => {
            let body = body(db, items.functions[index as usize]);
            (
                ItemIndex::Function(index),
                body.definition(definition).name_range,
            )
        }
    }
}
