//! The map of a kernel as rows of text.

use analysis::{
    AsyncCopy, BlockBarrier, CopiedTile, KernelLoop, KernelMap, Ring, SharedVariable, WarpRole,
    short_name,
};
use syntax::{TextRange, text::LineTable};

use super::cost::cost;

/// Lines that a list has.
const SHOWN: usize = 8;

/// The heading of the part of [`KernelMap::tiles`].
pub(super) const TILES: &str = "tiles of copies";

/// A part of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Heading of the part, in lower case.
    pub title: &'static str,
    /// Lines of the part, in the order of the text.
    pub rows: Vec<Row>,
}

/// A row of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The text; lines in it count from 1.
    pub text: String,
    /// How many rows of the section are around it.
    pub depth: u32,
    /// The statements that it is about.
    pub ranges: Vec<TextRange>,
}

/// The name of a kernel for people, with the threads of a block.
#[must_use]
pub fn title(map: &KernelMap) -> String {
    let threads = map
        .threads
        .map_or_else(String::new, |(count, exact)| match exact {
            true => format!(", {count} threads"),
            false => format!(", at most {count} threads"),
        });
    format!("{}{threads}", short_name(&map.function))
}

/// The parts of a map that have something to show.
#[must_use]
pub fn sections(map: &KernelMap, lines: &LineTable) -> Vec<Section> {
    let text = Text { map, lines };
    let mut rings: Vec<Row> = map.rings.iter().map(|it| text.ring(it)).collect();
    if let Some(unknown) = text.part("address not known: lines", &map.unknown) {
        rings.push(row(unknown, 0, map.unknown.iter()));
    }
    let found = [
        (
            "shared memory",
            map.variables.iter().map(|it| text.variable(it)).collect(),
        ),
        (
            "roles of warps",
            map.roles.iter().map(|it| text.role(it)).collect(),
        ),
        (
            "loops",
            map.loops.iter().map(|it| text.a_loop(it)).collect(),
        ),
        ("mbarriers", rings),
        (
            "asynchronous copies",
            map.copies.iter().map(|it| text.copy(it)).collect(),
        ),
        (TILES, map.tiles.iter().map(|it| text.tile(it)).collect()),
        (
            "barriers of the block",
            map.barriers.iter().map(|it| text.barrier(it)).collect(),
        ),
    ];
    found
        .into_iter()
        .map(|(title, rows)| Section { title, rows })
        .filter(|it| !it.rows.is_empty())
        .collect()
}

fn row<'a>(text: String, depth: u32, ranges: impl IntoIterator<Item = &'a TextRange>) -> Row {
    Row {
        text,
        depth,
        ranges: ranges.into_iter().copied().collect(),
    }
}

/// The writer of rows.
struct Text<'a> {
    map: &'a KernelMap,
    lines: &'a LineTable,
}

impl Text<'_> {
    fn line(&self, range: TextRange) -> u32 {
        self.lines.line_of(range.start()) + 1
    }

    /// Line numbers as a list, which ends with a count if there are many.
    fn listed(&self, ranges: &[TextRange]) -> String {
        let mut lines: Vec<u32> = ranges.iter().map(|it| self.line(*it)).collect();
        lines.dedup();
        let shown: Vec<String> = lines.iter().take(SHOWN).map(u32::to_string).collect();
        match lines.len().saturating_sub(SHOWN) {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }

    /// Something that happens at some lines, if there are any.
    fn part(&self, action: &str, ranges: &[TextRange]) -> Option<String> {
        (!ranges.is_empty()).then(|| format!("{action} {}", self.listed(ranges)))
    }

    /// The lines from the first to the last one.
    fn span(&self, range: TextRange) -> String {
        let last = self.lines.line_of(range.end()) + 1;
        format!("lines {}-{last}", self.line(range))
    }

    fn variable(&self, it: &SharedVariable) -> Row {
        let size = match it.bytes {
            Some(it) => format!("{it} bytes"),
            None => "size not in the text".to_owned(),
        };
        let text = joined([
            Some(format!("`{}`: {size}", it.name)),
            self.part("written at", &it.writes),
            self.part("read at", &it.reads),
        ]);
        row(text, 0, it.writes.iter().chain(&it.reads))
    }

    fn role(&self, it: &WarpRole) -> Row {
        let registers: Vec<String> = it.registers.iter().map(i64::to_string).collect();
        let registers = (!registers.is_empty())
            .then(|| format!("registers per thread {}", registers.join(", then ")));
        let text = joined([
            Some(format!("{}, {}", it.name, self.span(it.range))),
            registers,
            self.part("copies at", &it.copies),
            self.part("products at", &it.products),
            self.part("stores to global memory at", &it.stores),
        ]);
        row(text, 0, [&it.range])
    }

    fn a_loop(&self, it: &KernelLoop) -> Row {
        let counts = counted(&[
            (it.copies, "copy"),
            (it.products, "product"),
            (it.waits, "wait"),
            (it.barriers, "barrier"),
        ]);
        let figures = it.cost.as_ref().map(cost).unwrap_or_default();
        let rest: Vec<String> = [figures, counts]
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect();
        let mut text = self.span(it.range);
        if !rest.is_empty() {
            text.push_str(": ");
            text.push_str(&rest.join("; "));
        }
        row(text, it.depth.saturating_sub(1), [&it.range])
    }

    fn ring(&self, it: &Ring) -> Row {
        let head = match (it.stages, it.stride) {
            (1, _) | (_, None) => format!("mbarrier at `{}`", it.place),
            (stages, Some(stride)) => {
                format!("ring of {stages} at `{}`, stride {stride}", it.place)
            }
        };
        let arrivals = match it.arrivals {
            Some(1) => Some("1 arrival a phase".to_owned()),
            Some(it) => Some(format!("{it} arrivals a phase")),
            None => None,
        };
        let mut expected: Vec<(i64, Vec<TextRange>)> = Vec::new();
        for (place, bytes) in it.arrived.iter().zip(&it.bytes) {
            let Some(bytes) = *bytes else { continue };
            match expected.iter_mut().find(|it| it.0 == bytes) {
                Some((_, places)) => places.push(*place),
                None => expected.push((bytes, vec![*place])),
            }
        }
        let expected: Vec<String> = (expected.iter())
            .map(|(bytes, places)| format!("{bytes} bytes at {}", self.listed(places)))
            .collect();
        let expected = (!expected.is_empty()).then(|| format!("expects {}", expected.join(", ")));
        let rest = joined([
            arrivals,
            self.part("initialized at", &it.initialized),
            self.part("arrivals at", &it.arrived),
            expected,
            self.part("filled at", &it.completed),
            self.part("waited for at", &it.waited),
        ]);
        let places = [&it.initialized, &it.arrived, &it.completed, &it.waited];
        row(format!("{head}: {rest}"), 0, places.into_iter().flatten())
    }

    fn copy(&self, it: &AsyncCopy) -> Row {
        let to = it.destination.as_ref();
        let to = to.map_or_else(String::new, |it| format!(" to `{it}`"));
        let ring = it.ring.and_then(|it| self.map.rings.get(it));
        let ring = ring.map_or_else(String::new, |it| {
            let stages = match it.stages {
                0 | 1 => String::new(),
                count => format!(" ({count} stages)"),
            };
            format!(", completes on `{}`{stages}", it.place)
        });
        let loads = self.part(", loaded at", &it.reads).unwrap_or_default();
        let use_of = match it.reads.is_empty() {
            true => ", read by products at",
            false => ", used by products at",
        };
        let products = self.part(use_of, &it.products).unwrap_or_default();
        let text = format!("line {}{to}{ring}{loads}{products}", self.line(it.range));
        row(text, 0, [&it.range])
    }

    fn tile(&self, it: &CopiedTile) -> Row {
        let copies = self.listed(&it.copies);
        let Some(place) = &it.place else {
            let text = format!("address not known: filled at {copies}");
            return row(text, 0, &it.copies);
        };
        let stages = match it.stages {
            Some(1) => "1 stage".to_owned(),
            Some(count) => format!("{count} stages"),
            None => "stages not known".to_owned(),
        };
        // Only the largest block is known, for which the bytes are computed.
        let block = self.map.threads.filter(|it| !it.1);
        let block = block.map_or_else(String::new, |it| format!(" in blocks of {} threads", it.0));
        let rest = joined([
            Some(match it.bytes {
                Some(bytes) => format!("{stages} of {bytes} bytes{block}"),
                None => stages,
            }),
            Some(match &it.source {
                Some(name) => format!("filled from `{name}` at {copies}"),
                None => format!("filled at {copies}"),
            }),
            self.part("loaded at", &it.reads),
            self.part("used by products at", &it.products),
        ]);
        let places = [&it.copies, &it.reads, &it.products];
        row(
            format!("`{place}`: {rest}"),
            0,
            places.into_iter().flatten(),
        )
    }

    fn barrier(&self, it: &BlockBarrier) -> Row {
        let number = match it.number {
            Some(it) => format!("barrier {it}"),
            None => "a barrier with a number in a register".to_owned(),
        };
        let threads = it.threads;
        let threads = threads.map_or_else(String::new, |it| format!(" of {it} threads"));
        let roles: Vec<String> = (it.roles.iter())
            .filter_map(|index| {
                Some(format!(
                    "{} {}",
                    self.map.roles.get(*index)?.name,
                    index + 1
                ))
            })
            .collect();
        let roles = match &roles[..] {
            [] => String::new(),
            roles => format!(" ({})", roles.join(", ")),
        };
        let text = format!(
            "{number}{threads}: lines {}{roles}",
            self.listed(&it.places)
        );
        row(text, 0, &it.places)
    }
}

/// Numbers of things, without zeros.
pub(super) fn counted(counts: &[(usize, &str)]) -> String {
    let present = counts.iter().filter(|it| it.0 > 0);
    let shown: Vec<String> = present
        .map(|(count, name)| match (*count, *name) {
            (1, name) => format!("1 {name}"),
            (count, name) => match name.strip_suffix('y') {
                Some(stem) => format!("{count} {stem}ies"),
                None => format!("{count} {name}s"),
            },
        })
        .collect();
    shown.join(", ")
}

fn joined(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ")
}
