//! The accesses of one instruction as sentences for people.

use salsa::Database;

use super::pattern::accesses_at;
use crate::{api::AccessPattern, flow::ids::Step, hir::items::Function};

/// Lanes that a sentence names.
const MAX_LANES: usize = 6;

/// The figures of the accesses of an instruction as sentences; `None` if none is known.
pub(crate) fn sentences(db: &dyn Database, function: Function<'_>, step: Step) -> Option<String> {
    let all = accesses_at(db, function, step);
    let known: Vec<String> = all.iter().filter_map(sentence).collect();
    (!known.is_empty()).then(|| known.join(" "))
}

/// The figures of an access; `None` if none is known.
pub(crate) fn sentence(it: &AccessPattern) -> Option<String> {
    let bytes = it.bytes?;
    let lanes = it.lanes?;
    let verb = match (it.kind, it.writes) {
        ("atomic", _) => "update",
        (_, true) => "write",
        _ => "read",
    };
    let who = match lanes {
        1 => format!("1 lane {verb}s"),
        _ => format!("{lanes} lanes {verb}"),
    };
    let total = u64::from(lanes) * bytes;
    let figure = match (it.sectors, it.ideal_sectors, it.ways) {
        (Some(sectors), Some(ideal), _) => {
            let unit = if sectors == 1 { "sector" } else { "sectors" };
            let ideal = match ideal >= sectors {
                true => ", the ideal".to_owned(),
                false => format!("; {ideal} would do"),
            };
            format!("{who} {total} bytes in {sectors} {unit}{ideal}.")
        }
        (_, _, Some(1)) => {
            format!("{who} {total} bytes of shared memory without a bank conflict.")
        }
        (_, _, Some(ways)) => {
            let where_ = it
                .conflict
                .as_ref()
                .map_or_else(String::new, |(bank, lanes)| {
                    let shown = lanes.iter().take(MAX_LANES);
                    let mut names: Vec<String> = shown.map(ToString::to_string).collect();
                    if lanes.len() > MAX_LANES {
                        names.push("…".to_owned());
                    }
                    let bank =
                        bank.map_or_else(|| "one bank".to_owned(), |it| format!("bank {it}"));
                    format!(": lanes {} on {bank}", names.join(", "))
                });
            let padding = it.padding.map_or_else(String::new, |(row, longer)| {
                format!(" Rows of {longer} bytes instead of {row} would have none.")
            });
            format!("{ways}-way bank conflict{where_}.{padding}")
        }
        _ => return None,
    };
    let mut text = figure;
    if it.aligned == Some(false) {
        text.push_str(&format!(" Addresses are not multiples of {bytes} bytes."));
    }
    let assumed: Vec<&str> = it.assumptions.iter().map(String::as_str).collect();
    if !assumed.is_empty() {
        text.push_str(&format!(" Assumed: {}.", assumed.join(", ")));
    }
    Some(text)
}
