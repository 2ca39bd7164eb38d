//! Block sizes that no GPU has.

use salsa::Database;
use syntax::SyntaxKind;

use crate::{
    diagnostics::{
        finding::{Finding, finding},
        registry::TOO_MANY_THREADS,
    },
    hir::{items::Function, tree::trimmed},
    pressure::product,
};

/// Threads of a block; PTX ISA leaves it to the CUDA programming guide.
const MAX_THREADS: u64 = isa::limits::THREADS_PER_CTA as u64;

pub(super) fn check(db: &dyn Database, function: Function<'_>, findings: &mut Vec<Finding>) {
    let cursor = function.green(db).cursor();
    for directive in cursor.nodes() {
        if directive.kind() != SyntaxKind::TUNING_DIRECTIVE {
            continue;
        }
        let Some(word) = directive.token(SyntaxKind::DOTTED) else {
            continue;
        };
        if !matches!(word.text(), ".maxntid" | ".reqntid") {
            continue;
        }
        let threads = product(&directive);
        if threads > MAX_THREADS {
            findings.push(finding(
                trimmed(&directive),
                TOO_MANY_THREADS,
                format!("a block of {threads} threads cannot be launched"),
                Some(format!(
                    "no GPU has blocks of more than {MAX_THREADS} threads"
                )),
            ));
        }
    }
}
