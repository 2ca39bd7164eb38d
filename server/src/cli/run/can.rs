//! `ptx-analyzer run --can`: the instructions of a file that cannot be run yet.

use std::io;

use analysis::code::{Callee, Code, FunctionId};
use serde_json::json;
use syntax::TextRange;

use super::subject::Subject;
use crate::cli::{Io, counted};

/// Lists them; the status is 3 if there are any.
pub(super) fn list(
    subject: &Subject,
    entry: Option<&str>,
    is_json: bool,
    io: &mut Io<'_>,
) -> io::Result<u8> {
    let from = entry.and_then(|it| subject.entry(it));
    let found = not_run(&subject.code, from);
    if is_json {
        let not_run = found.iter().map(|it| {
            let function = &subject.code.functions[it.function as usize].name;
            let line = subject.line(it.range.start().into());
            json!({ "line": line, "what": it.what, "function": function })
        });
        let not_run: Vec<_> = not_run.collect();
        writeln!(
            io.stdout,
            "{}",
            json!({ "file": subject.name, "not_run": not_run })
        )?;
    } else {
        for it in &found {
            let line = subject.line(it.range.start().into());
            let statement = &subject.document.text()[it.range];
            let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
            io.line(format_args!(
                "{}:{line}: {statement} ({})",
                subject.name, it.what
            ))?;
        }
        let what = match found.len() {
            0 => "everything can be run".to_owned(),
            count => format!("{} cannot be run yet", counted(count, "instruction")),
        };
        io.line(format_args!("{}: {what}", subject.name))?;
    }
    Ok(if found.is_empty() { 0 } else { 3 })
}

/// An instruction that cannot be run.
pub(in crate::cli) struct Cannot<'a> {
    function: FunctionId,
    range: TextRange,
    what: &'a str,
}

/// The instructions that cannot be run, of all functions or of those that one calls.
pub(in crate::cli) fn not_run(code: &Code, from: Option<FunctionId>) -> Vec<Cannot<'_>> {
    let mut found = Vec::new();
    for function in reached(code, from) {
        for it in &code.functions[function as usize].instructions {
            if !it.is_runnable {
                found.push(Cannot {
                    function,
                    range: it.range,
                    what: &it.name,
                });
            }
        }
    }
    found
}

/// The functions that a function may call, itself included, in the order of the text; all without one.
pub(in crate::cli) fn reached(code: &Code, from: Option<FunctionId>) -> Vec<FunctionId> {
    let mut is_reached = vec![from.is_none(); code.functions.len()];
    let mut open: Vec<FunctionId> = from.into_iter().collect();
    while let Some(function) = open.pop() {
        if std::mem::replace(&mut is_reached[function as usize], true) {
            continue;
        }
        for it in &code.functions[function as usize].instructions {
            match it.call.as_ref().map(|it| &it.callee) {
                Some(Callee::Function(callee)) => open.push(*callee),
                // Whatever has an address.
                Some(Callee::Indirect(_)) => open.extend((0..).take(code.functions.len())),
                _ => {}
            }
        }
    }
    let all = (0..).zip(is_reached);
    all.filter(|it| it.1).map(|it| it.0).collect()
}
