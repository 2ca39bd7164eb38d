//! What an instruction means where a modifier is left out, if the modifier can also be written.
//!
//! Only what changes nothing when it is written stands here. The `.rn` of `add` and `mul` does not: it
//! also forbids to fuse the operation with its neighbour.

/// Modifiers that say how strong a load or store is.
const STRENGTHS: &[&str] = &[
    ".weak",
    ".relaxed",
    ".acquire",
    ".release",
    ".volatile",
    ".mmio",
];
/// What has no strength: reads past the coherent caches, and memory that no other thread sees.
const WITHOUT_STRENGTH: &[&str] = &[
    ".nc",
    ".proxy::readonly",
    ".const",
    ".local",
    ".param",
    ".param::entry",
    ".param::func",
];
/// Modifiers that say what an operation orders.
const ORDERS: &[&str] = &[".relaxed", ".acquire", ".release", ".acq_rel", ".sc"];
/// Modifiers that say for which threads it does.
const SCOPES: &[&str] = &[".cta", ".cluster", ".gpu", ".sys"];

/// Words that say which operation it is, and stand before the order and the scope.
const OPERATIONS: &[&str] = &[
    ".arrive",
    ".arrive_drop",
    ".expect_tx",
    ".noComplete",
    ".test_wait",
    ".try_wait",
    ".parity",
    ".wait",
    ".red",
    ".ld_reduce",
    ".st",
];

/// Modifiers that are assumed.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Implied {
    /// The modifiers, each with its full stop; empty if nothing is assumed.
    pub modifiers: Vec<&'static str>,
    /// After how many of the modifiers of the instruction they would stand.
    pub after: usize,
}

/// The modifiers that the manual says are assumed where an instruction has none of their kind, each with
/// its full stop; `modifiers` are those that it has, as they are written.
///
/// PTX ISA 9.7.9.8, 9.7.9.11, 9.7.9.15, 9.7.14.3 to 9.7.14.6, 9.7.14.16.16 to 9.7.14.16.19.
#[must_use]
pub fn implied(opcode: &str, modifiers: &[&str]) -> Implied {
    let has = |list: &[&str]| modifiers.iter().any(|it| list.contains(it));
    let first = modifiers.first().copied().unwrap_or_default();
    // The `.cluster` of these is no scope.
    let named = usize::from(opcode == "barrier" && first == ".cluster");
    let operations = modifiers.iter().skip(named);
    let mut after = named + operations.take_while(|it| OPERATIONS.contains(it)).count();
    let weak = |after| Implied {
        modifiers: vec![".weak"],
        after,
    };
    let (order, scope) = match (opcode, first) {
        ("ld" | "st", _)
            if !has(STRENGTHS) && !has(WITHOUT_STRENGTH) && !has(&[".async", ".bulk"]) =>
        {
            return weak(after);
        }
        ("multimem", ".ld_reduce" | ".st") if !has(STRENGTHS) && !has(&[".async"]) => {
            return weak(after);
        }
        ("atom", _) => (".relaxed", ".gpu"),
        ("red", _) if first != ".async" => (".relaxed", ".gpu"),
        ("multimem", ".red") if !has(&[".async"]) => (".relaxed", ".sys"),
        // The others are no thread fences.
        ("fence", _) if SCOPES.contains(&first) => (".acq_rel", first),
        ("barrier", ".cluster") if has(&[".arrive"]) => (".release", first),
        ("barrier", ".cluster") if has(&[".wait"]) => (".acquire", first),
        ("mbarrier", ".arrive" | ".arrive_drop") => (".release", ".cta"),
        ("mbarrier", ".test_wait" | ".try_wait") => (".acquire", ".cta"),
        _ => return Implied::default(),
    };
    let mut found = Vec::new();
    if has(ORDERS) {
        after += 1;
    } else {
        found.push(order);
    }
    if !has(SCOPES) {
        found.extend(SCOPES.iter().find(|it| **it == scope));
    }
    Implied {
        modifiers: found,
        after,
    }
}

#[cfg(test)]
mod tests {
    use super::implied;

    #[test]
    fn what_is_left_out() {
        let check = |statement: &str, expected: &str| {
            let (opcode, rest) = statement.split_once('.').unwrap();
            let modifiers: Vec<String> = rest.split('.').map(|it| format!(".{it}")).collect();
            let modifiers: Vec<&str> = modifiers.iter().map(String::as_str).collect();
            let found = implied(opcode, &modifiers);
            assert_eq!(found.modifiers.concat(), expected, "{statement}");
            assert!(found.after <= modifiers.len(), "{statement}");
        };
        check("ld.global.f32", ".weak");
        check("st.shared.v2.b32", ".weak");
        check("ld.relaxed.gpu.global.f32", "");
        check("ld.volatile.global.f32", "");
        check("ld.global.nc.f32", "");
        check("ld.param.u64", "");
        check(
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32",
            "",
        );
        check("multimem.ld_reduce.global.add.f32", ".weak");
        check("multimem.red.global.add.f32", ".relaxed.sys");
        check("atom.global.add.u32", ".relaxed.gpu");
        check("atom.acquire.global.cas.b32", ".gpu");
        check("red.cta.global.add.u32", ".relaxed");
        check(
            "red.async.relaxed.cluster.mbarrier::complete_tx::bytes.inc.u32",
            "",
        );
        check("fence.gpu", ".acq_rel");
        check("fence.sc.cta", "");
        check("fence.proxy.async", "");
        check("fence.mbarrier_init.release.cluster", "");
        check("barrier.cluster.arrive.aligned", ".release");
        check("barrier.cluster.arrive.relaxed", "");
        check("barrier.cluster.wait", ".acquire");
        check("barrier.cta.sync", "");
        check("mbarrier.arrive.shared.b64", ".release.cta");
        check("mbarrier.try_wait.parity.acquire.cta.shared.b64", "");
        check("mbarrier.init.shared.b64", "");
        check("add.f32", "");
    }
}
