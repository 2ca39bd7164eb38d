//! Instructions that no variant of the tables fits.
//!
//! The tables say what is wrong and what is allowed in its place; this file finds the token and the
//! words. Names, syntax and what depends on the callee of a call are judged elsewhere.

use crate::{
    diagnostics::{
        error_map::ErrorMap,
        finding::Finding,
        lints::addresses::Layouts,
        rules::{
            gates::{change_header, gate_finding},
            instructions::{
                context::Context,
                statement::{self, Verdict, verdict},
            },
            names::address_register::AddressRegister,
        },
        subject::Subject,
    },
    hir::{
        body::{Body, Target},
        declared::header,
        fit::fit,
        in_force::{InForce, in_force},
        instruction::{Parts, find_reference, references},
        resolve::meaning,
    },
};

use isa::{operand::Operand, target::Module};

/// How often a long body looks for a cancellation, in instructions.
const CHECK_INTERVAL: usize = 1024;

/// Instructions of a function that the tables do not know in this form.
pub(in crate::diagnostics) fn in_function(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Subject {
        db, function, body, ..
    } = *subject;
    let Some(in_force) = in_force(db, function) else {
        return;
    };
    let types = subject.types();
    let layouts = Layouts::new(subject);
    // A target that a body sets is not a matter of the header.
    let header = header(db, function.file(db));
    let fixed = |module: Module| header.forced || header.target != Some(module.target);
    special_registers(body, &in_force, &fixed, findings);
    let errors_at = ErrorMap::new(function.errors(db));
    let forms = subject.forms();
    let verdicts: Vec<Verdict> = forms
        .all
        .iter()
        .map(|it| verdict(db, *it).verdict)
        .collect();
    let mut parts = Parts::default();
    let mut count = 0;
    subject.for_each_instruction(&mut |instruction, node| {
        let form = forms.index(count);
        count += 1;
        if count % CHECK_INTERVAL == 0 {
            db.unwind_if_revision_cancelled();
        }
        let Some(form) = form else {
            return;
        };
        let (verdict, form) = (verdicts[form], forms.all[form]);
        // What a syntax error has torn apart says nothing about the instruction.
        if verdict == Verdict::Silent || errors_at.meets(instruction.range) {
            return;
        }
        let references = references(body, instruction);
        let module = in_force.at(instruction.range.start());
        let context = Context {
            module,
            fixed: fixed(module),
            resolve: &|range, name| match find_reference(references, range) {
                Some(it) => meaning(db, function, types, it, name),
                None => Operand::Unknown,
            },
            form: form.data(db),
            fit: fit(db, form),
            node,
            new_address: &|| AddressRegister::of(subject),
            named: &|range| {
                let reference = find_reference(references, range)?;
                match reference.target {
                    // Most addresses are in registers.
                    Target::Definition(id) if types[id as usize].is_register() => None,
                    _ => layouts.named(reference),
                }
            },
        };
        parts.read(node);
        statement::check(&parts, verdict, &context, findings);
    });
}

/// Special registers that the module does not have.
fn special_registers(
    body: &Body,
    in_force: &InForce<'_>,
    fixed: &dyn Fn(Module) -> bool,
    findings: &mut Vec<Finding>,
) {
    for reference in &body.references {
        let Target::Special(index) = reference.target else {
            continue;
        };
        let Some(register) = isa::special::get(index) else {
            continue;
        };
        let name = register.written(reference.member);
        let demanded = register.gate();
        let module = in_force.at(reference.range.start());
        if !demanded.admits_target(module.target) || !demanded.admits_version(module.version) {
            let subject = format!("`{name}`");
            let mut finding = gate_finding(reference.range, &subject, module, &demanded);
            finding.fixes = change_header(module, fixed(module), &[&demanded], |new| {
                demanded.admits_target(new.target) && demanded.admits_version(new.version)
            });
            findings.push(finding);
        }
    }
}
