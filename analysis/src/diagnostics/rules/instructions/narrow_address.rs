//! Addresses of 32 bits where ptxas wants as many as `.address_size` says.

use salsa::Database;
use syntax::TextRange;

use crate::{
    Severity,
    diagnostics::{
        finding::{Finding, finding},
        place::Place,
        registry::NARROW_ADDRESS,
        rules::instructions::{
            address_width::{REFUSED, narrow},
            statement::verdict,
        },
    },
    flow::facts::Nodes,
    hir::{
        body::body, fit::fit, form::Form, forms::forms, in_force::has_size_32, instruction::Parts,
        items::Function,
    },
};

/// How many of the statements of a function are named.
const MAX_NAMED: usize = 10;

/// Addresses that are narrower than those of the module, once for a function. With one of 32 bits ptxas takes the program
/// for one of 32-bit addresses, for which it generates no code, wherever that statement is; of 8 and 16 bits it warns.
pub(in crate::diagnostics) fn in_function(
    db: &dyn Database,
    function: Function<'_>,
    findings: &mut Vec<Finding>,
) {
    let forms = forms(db, function);
    let narrow = forms.all.iter().map(|it| verdict(db, *it).narrow);
    let narrow: Vec<Option<u32>> = narrow.collect();
    if narrow.iter().all(Option::is_none) || has_size_32(db, function.file(db)) {
        return;
    }
    let instructions = &body(db, function).instructions;
    let nodes = Nodes::new(db, function);
    let bits_of = |step: usize| narrow[forms.index(step)?];
    for refused in [true, false] {
        let mut steps = (0..instructions.len())
            .filter(|it| bits_of(*it).is_some_and(|bits| (bits == REFUSED) == refused));
        let place = |step: usize| {
            let form = forms.all[forms.index(step)?];
            range(db, form, &Parts::of(&nodes.get(step as u32)?))
        };
        let Some((first, range)) = steps.next().and_then(|it| Some((it, place(it)?))) else {
            continue;
        };
        let bits = bits_of(first).unwrap_or(REFUSED);
        let others: Vec<usize> = steps.collect();
        let message = match others.len() {
            0 => format!("this address has {bits} bits; ptxas needs 64 bits here"),
            1 => format!(
                "this address and 1 more in the function have {bits} bits; ptxas needs 64 bits here"
            ),
            more => format!(
                "this address and {more} more in the function have {bits} bits; ptxas needs 64 bits here"
            ),
        };
        let help = match refused {
            true => {
                "ptxas since CUDA 12 generates no code with 32-bit addresses in generic and global memory"
            }
            false => "ptxas warns of it and extends the address",
        };
        let mut found = finding(range, NARROW_ADDRESS, message, Some(help.to_owned()));
        if !refused {
            found.severity = Severity::Warning;
        }
        let named = others.iter().take(MAX_NAMED).filter_map(|it| place(*it));
        found.related = named.map(|it| (Place::Own(it), "and here")).collect();
        findings.push(found);
    }
}

/// Where the narrow address of a statement is.
fn range(db: &dyn Database, form: Form<'_>, parts: &Parts<'_>) -> Option<TextRange> {
    let index = form
        .data(db)
        .with_statement(|statement| narrow(statement, fit(db, form)?).map(|it| it.0));
    let ranges = parts.ranges();
    index??.map_or(Some(ranges.name), |it| Some(ranges.operand(it)))
}
