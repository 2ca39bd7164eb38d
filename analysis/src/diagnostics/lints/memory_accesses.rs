//! Accesses through registers, judged over all lanes: outside a variable, misaligned, at an address that wraps, with
//! bank conflicts, uncoalesced.

use salsa::Database;

use crate::{
    accesses::{MANY_SECTORS, remarkable},
    api::AccessPattern,
    diagnostics::{
        finding::{Finding, finding},
        lints::statements::Statements,
        registry::{
            ADDRESS_OVERFLOW, BANK_CONFLICT, MISALIGNED_ACCESS, OUT_OF_BOUNDS, UNCOALESCED_ACCESS,
        },
    },
    hir::items::Function,
};

/// Lanes that a message names.
const MAX_LANES: usize = 4;

pub(super) fn check(
    db: &dyn Database,
    function: Function<'_>,
    statements: &Statements<'_>,
    findings: &mut Vec<Finding>,
) {
    let graph = &statements.flow().graph;
    for (step, access) in remarkable(db, function, statements.flow()) {
        let block = graph.block_of[step as usize];
        if !graph.reachable[block as usize] || statements.is_wrong(access.range) {
            continue;
        }
        let range = statements.name(step).unwrap_or(access.range);
        let repeated = graph.loop_of[block as usize].is_some();
        let found = outside(&access)
            .map(|it| (OUT_OF_BOUNDS, it))
            .or_else(|| Some((MISALIGNED_ACCESS, misaligned(&access)?)))
            .or_else(|| Some((ADDRESS_OVERFLOW, overflow(&access)?)))
            .or_else(|| Some((BANK_CONFLICT, conflict(&access).filter(|_| repeated)?)))
            .or_else(|| {
                Some((
                    UNCOALESCED_ACCESS,
                    uncoalesced(&access).filter(|_| repeated)?,
                ))
            });
        if let Some((code, (message, help))) = found {
            findings.push(finding(range, code, message, help));
        }
    }
}

/// A message and its help.
type Text = (String, Option<String>);

fn outside(access: &AccessPattern) -> Option<Text> {
    let (Some(false), Some((name, size, low, high))) = (access.in_range, &access.extent) else {
        return None;
    };
    let where_ = if *low < 0 {
        format!("from offset {low}")
    } else {
        format!("up to offset {high}")
    };
    let message =
        format!("the threads of a block access `{name}` {where_}, but it has {size} bytes");
    Some((message, assumed(access)))
}

fn misaligned(access: &AccessPattern) -> Option<Text> {
    // What alignment a parameter has is up to the caller.
    if access.aligned != Some(false) || !access.assumptions.is_empty() {
        return None;
    }
    let bytes = access.bytes?;
    let message = format!(
        "an access to {bytes} bytes needs an address that is a multiple of {bytes}; `{}` is not",
        access.address
    );
    Some((message, None))
}

fn overflow(access: &AccessPattern) -> Option<Text> {
    let (text, found) = access.overflow.as_ref()?;
    let [x, y, z] = found.thread;
    let thread = match (y, z) {
        (0, 0) => x.to_string(),
        _ => format!("({x}, {y}, {z})"),
    };
    let message = format!(
        "`{text}` in the address has 32 bits: thread {thread} gets {} instead of {}",
        found.wrapped, found.exact
    );
    let help = "extend the operands to 64 bits before they are multiplied or added".to_owned();
    Some((message, Some(help)))
}

fn conflict(access: &AccessPattern) -> Option<Text> {
    let ways = access
        .ways
        .filter(|it| *it > 1 && access.kind != "atomic")?;
    let (_, lanes) = access.conflict.as_ref()?;
    let mut names: Vec<String> = lanes
        .iter()
        .take(MAX_LANES)
        .map(ToString::to_string)
        .collect();
    if lanes.len() > MAX_LANES {
        names.push("…".to_owned());
    }
    let message = format!(
        "{ways}-way bank conflict: lanes {} access different words of one bank",
        names.join(", ")
    );
    let padding = access.padding.map(|(row, longer)| {
        format!("rows of {longer} bytes instead of {row} have no conflict here")
    });
    Some((message, padding.or_else(|| assumed(access))))
}

fn uncoalesced(access: &AccessPattern) -> Option<Text> {
    let (sectors, ideal) = (access.sectors?, access.ideal_sectors?);
    let counts = access.kind != "atomic" && access.fixed_distances;
    if !counts || sectors == 0 || sectors < MANY_SECTORS * ideal {
        return None;
    }
    let lanes = access.lanes?;
    let message = format!(
        "uncoalesced access: {lanes} lanes access {sectors} sectors of 32 bytes, {ideal} would do"
    );
    Some((message, assumed(access)))
}

fn assumed(access: &AccessPattern) -> Option<String> {
    let all = &access.assumptions;
    (!all.is_empty()).then(|| format!("assumed: {}", all.join(", ")))
}
