//! The accesses of one instruction as sentences for people.

use isa::{
    compute::LANES,
    hardware::memory::{BANK_BYTES, BANKS, SECTOR_BYTES},
};
use salsa::Database;

use super::pattern::accesses_at;
use crate::{api::AccessPattern, flow::ids::Step, hir::items::Function};

/// Lanes in a line: those of one phase, where each accesses 16 bytes.
const LANES_IN_A_LINE: usize = 8;
/// Lanes that a sentence names.
const MAX_LANES: usize = 6;

/// The figures of the accesses of an instruction as sentences; `None` if none is known.
pub(crate) fn sentences(db: &dyn Database, function: Function<'_>, step: Step) -> Option<String> {
    let all = accesses_at(db, function, step);
    let known: Vec<String> = all.iter().filter_map(sentence).collect();
    let mut text = known.join(" ");
    for grid in all.iter().filter_map(grid) {
        text.push_str("\n\n");
        text.push_str(&grid);
    }
    (!known.is_empty()).then_some(text)
}

/// The bank or the sector that each lane accesses first, as lines of eight lanes; `None` where a sentence says enough:
/// single words without a conflict, and sectors of which none is superfluous.
fn grid(it: &AccessPattern) -> Option<String> {
    let (bytes, places) = (it.bytes?, it.places.as_ref()?);
    let shared = match (it.ways, it.sectors, it.ideal_sectors) {
        (Some(ways), ..) if ways > 1 || bytes > BANK_BYTES => true,
        (_, Some(sectors), Some(ideal)) if sectors > ideal => false,
        _ => return None,
    };
    let [_, _, ..] = places.lanes[..] else {
        return None;
    };
    let first = places.lanes[0].0;
    let (unit, word) = match shared {
        true => (BANK_BYTES, "bank"),
        false => (SECTOR_BYTES, "sector"),
    };
    let (start, origin) = match (shared, places.start) {
        (true, Some(start)) => (start, String::new()),
        (true, None) => (0, format!(", counted from that of lane {first}")),
        (false, start) => (start?, format!(", counted from that of lane {first}")),
    };
    let number = |offset: i64| {
        let at = (offset + start.cast_signed()).div_euclid(unit.cast_signed());
        if shared {
            at.rem_euclid(i64::from(BANKS))
        } else {
            at
        }
    };
    let size = unit.max(bytes).div_ceil(unit).cast_signed();
    let cell = |lane: u32| {
        let place = places.lanes.iter().find(|it| it.0 == lane);
        place.map_or_else(
            || "-".to_owned(),
            |(_, offset)| match (shared, size) {
                (true, 2..) => format!("{}–{}", number(*offset), number(*offset) + size - 1),
                _ => number(*offset).to_string(),
            },
        )
    };
    let cells: Vec<String> = (0..LANES as u32).map(cell).collect();
    let width = cells.iter().map(|it| it.chars().count()).max()?;
    let mut text = format!("```text\nlane   {word} of each{origin}\n");
    for (line, cells) in (0..).zip(cells.chunks(LANES_IN_A_LINE)) {
        let from = line * LANES_IN_A_LINE;
        let cells: Vec<String> = cells.iter().map(|it| format!("{it:>width$}")).collect();
        let to = from + LANES_IN_A_LINE - 1;
        text.push_str(&format!("{from:>2}–{to:<2}  {}\n", cells.join("  ")));
    }
    text.push_str("```");
    Some(text)
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
