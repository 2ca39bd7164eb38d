//! Features that a module's version or target does not have, and the headers that would have them.

use isa::{
    messages::either,
    target::{Gate, Module, Suffix, Target, least_version, targets, versions},
};
use syntax::TextRange;

use crate::{
    FixKind,
    diagnostics::{
        finding::{Finding, finding},
        fix::{Repair, prefer_single},
        place::Place,
        registry::{UNSUPPORTED_BY_TARGET, UNSUPPORTED_BY_VERSION},
    },
};

/// Headers that one finding offers at most.
const MAX_CHOICES: usize = 12;

/// The words between what is wrong and the target of the module.
pub(in crate::diagnostics) const MODULE_IS_FOR: &str = "; this module is for ";

/// A message without the target that the module was judged for.
pub(crate) fn cause(message: &str) -> &str {
    message.split(MODULE_IS_FOR).next().unwrap_or(message)
}

/// The targets that a gate requires, if it requires one. A feature of a family names the architecture that begins it,
/// too: it has the feature longer, and it is the one that people compile for.
pub(in crate::diagnostics) fn needed(gate: &Gate) -> Option<String> {
    let all: Vec<String> = gate
        .alternatives()
        .flat_map(|it| match it.suffix {
            Suffix::Plain => vec![format!("`{it}` or later")],
            Suffix::Family => {
                let suffix = Suffix::Architecture;
                vec![format!("`{}`", Target { suffix, ..it }), format!("`{it}`")]
            }
            Suffix::Architecture => vec![format!("`{it}`")],
        })
        .collect();
    (!all.is_empty()).then(|| either(&all))
}

/// That the module does not meet a gate.
pub(in crate::diagnostics) fn gate_finding(
    range: TextRange,
    subject: &str,
    module: Module,
    gate: &Gate,
) -> Finding {
    let Module {
        version, target, ..
    } = module;
    if !gate.admits_target(target) {
        let message = match gate.below {
            Some(below) if target.number >= below => {
                format!("{subject} was removed in `sm_{below}`{MODULE_IS_FOR}`{target}`")
            }
            _ => format!(
                "{subject} needs target {}{MODULE_IS_FOR}`{target}`",
                needed(gate).unwrap_or_default()
            ),
        };
        return finding(range, UNSUPPORTED_BY_TARGET, message, None);
    }
    let message = match (gate.since, gate.until) {
        (_, Some(until)) if version > until => {
            let gone = versions().find(|it| *it > until).unwrap_or(until);
            format!("{subject} was removed in PTX ISA {gone}; this module is {version}")
        }
        (Some(since), _) => format!("{subject} needs PTX ISA {since}; this module is {version}"),
        _ => format!("{subject} is not in PTX ISA {version}"),
    };
    finding(range, UNSUPPORTED_BY_VERSION, message, None)
}

/// Changes the version or the target of the module to the least that suffices for these gates; `fits`
/// judges each new pair. With `forced` the target is that of the settings and stays.
pub(in crate::diagnostics) fn change_header(
    module: Module,
    forced: bool,
    gates: &[&Gate],
    fits: impl Fn(Module) -> bool,
) -> Vec<Repair> {
    let Module {
        version, target, ..
    } = module;
    let since = gates.iter().filter_map(|it| it.since).max();
    let mut repairs: Vec<Repair> = Vec::new();
    for new in sufficient_targets(gates, target) {
        if forced && new != target {
            continue;
        }
        let least = least_version(new).filter(|_| new != target);
        let new = Module {
            version: version
                .max(since.unwrap_or(version))
                .max(least.unwrap_or(version)),
            target: new,
            ..module
        };
        if fits(new) {
            repairs.extend(header_repair(module, new));
        }
    }
    repairs.truncate(MAX_CHOICES);
    prefer_single(repairs)
}

/// For each alternative that the gates offer the least target that meets all of them, those that are
/// not below the present one first.
fn sufficient_targets(gates: &[&Gate], present: Target) -> Vec<Target> {
    if gates.iter().all(|it| it.admits_target(present)) {
        return vec![present];
    }
    let mut found: Vec<Target> = Vec::new();
    for demand in gates.iter().flat_map(|it| &it.targets) {
        let demand = Gate {
            targets: vec![*demand],
            ..Gate::default()
        };
        let usable = |it: &Target| !it.is_renamed() || it.number == present.number;
        let suffices = |it: &Target| {
            usable(it)
                && demand.admits_target(*it)
                && gates.iter().all(|gate| gate.admits_target(*it))
        };
        let mut all: Vec<Target> = targets().map(|it| it.0).filter(suffices).collect();
        // Who builds for `sm_90a` builds for `sm_100a`, not for its family. Other architectures are the ones that
        // people compile for, and of one's own the family runs on more devices.
        let other = |it: &Target| {
            let own = it.number == present.number;
            let architecture = it.suffix == Suffix::Architecture;
            (it.suffix != present.suffix, own == architecture)
        };
        all.sort_by_key(|it| (it.number < present.number, it.number, other(it), *it));
        found.extend(all.first());
    }
    found.sort_by_key(|it| (it.number < present.number, *it));
    found.dedup();
    // Who builds for an architecture rarely wants another one.
    if found.first().is_some_and(|it| it.number == present.number) {
        found.truncate(1);
    }
    found
}

fn header_repair(old: Module, new: Module) -> Option<Repair> {
    let mut edits = Vec::new();
    let mut parts = Vec::new();
    if new.target != old.target {
        parts.push(format!("change `.target` to `{}`", new.target));
        edits.push((Place::Target, new.target.to_string()));
    }
    if new.version != old.version {
        parts.push(format!("raise `.version` to {}", new.version));
        edits.push((Place::Version, new.version.to_string()));
    }
    let mut title = parts.join(" and ");
    title.get_mut(..1)?.make_ascii_uppercase();
    Some(Repair {
        title,
        edits,
        preferred: false,
        kind: FixKind::ChangeHeader,
    })
}
