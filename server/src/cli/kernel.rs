//! `ptx-analyzer kernel`: the map of a kernel.

use std::{io, path::PathBuf};

use analysis::{AnalysisHost, FileId, KernelMap};
use clap::ValueEnum;
use serde::Serialize;
use syntax::{Document, TextRange, text::LineTable};

use super::{FAILED, Io, text_or_error};

const FILE: FileId = FileId(0);
/// Lines that a list of the text has.
const SHOWN: usize = 8;

#[derive(Debug, clap::Args)]
pub(super) struct KernelArgs {
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Show only this entry.
    #[arg(long, value_name = "NAME")]
    entry: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: KernelFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum KernelFormat {
    /// A list.
    #[default]
    Text,
    /// One JSON object per entry and line.
    Json,
}

/// A kernel as JSON; lines count from 1.
#[derive(Serialize)]
pub(super) struct KernelRecord {
    entry: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    threads: Option<Threads>,
    shared: Vec<Variable>,
    roles: Vec<Role>,
    loops: Vec<Loop>,
    rings: Vec<Ring>,
    /// Lines of operations on mbarriers whose address is not known.
    unknown_mbarriers: Vec<u32>,
    copies: Vec<Copy>,
    barriers: Vec<Barrier>,
}

#[derive(Serialize)]
struct Threads {
    count: u32,
    exact: bool,
}

#[derive(Serialize)]
struct Variable {
    name: String,
    bytes: Option<u64>,
    writes: Vec<u32>,
    reads: Vec<u32>,
}

#[derive(Serialize)]
struct Role {
    name: &'static str,
    lines: [u32; 2],
    registers: Vec<i64>,
    copies: Vec<u32>,
    products: Vec<u32>,
    stores: Vec<u32>,
}

#[derive(Serialize)]
struct Loop {
    lines: [u32; 2],
    depth: u32,
    copies: usize,
    products: usize,
    waits: usize,
    barriers: usize,
}

#[derive(Serialize)]
struct Ring {
    place: String,
    stages: usize,
    stride: Option<i64>,
    arrivals: Option<i64>,
    initialized: Vec<u32>,
    arrived: Vec<u32>,
    /// The bytes that are expected at the lines of `arrived`.
    bytes: Vec<Option<i64>>,
    completed: Vec<u32>,
    waited: Vec<u32>,
}

#[derive(Serialize)]
struct Copy {
    line: u32,
    destination: Option<String>,
    /// The index of the ring of its mbarrier.
    ring: Option<usize>,
}

#[derive(Serialize)]
struct Barrier {
    number: Option<i64>,
    threads: Option<i64>,
    lines: Vec<u32>,
    /// The indices of the roles that have these lines.
    roles: Vec<usize>,
}

pub(super) fn run(args: &KernelArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let Some(text) = text_or_error(&args.path, io)? else {
        return Ok(FAILED);
    };
    let found = records(text, args.entry.as_deref());
    if let Some(name) = &args.entry
        && found.is_empty()
    {
        io.error(format_args!("there is no entry `{name}`"))?;
        return Ok(FAILED);
    }
    for (index, record) in found.iter().enumerate() {
        if args.format == KernelFormat::Json {
            serde_json::to_writer(&mut *io.stdout, record)?;
            writeln!(io.stdout)?;
            continue;
        }
        if index > 0 {
            io.line("")?;
        }
        for line in record.shown() {
            io.line(line)?;
        }
    }
    Ok(0)
}

/// The maps of the entries of a text, or of that with a name.
pub(super) fn records(text: String, entry: Option<&str>) -> Vec<KernelRecord> {
    let contents = Document::new(text).contents();
    let lines = contents.lines.clone();
    let host = AnalysisHost::with_file(FILE, contents, None);
    // Nobody cancels the questions of this host.
    let found = host.analysis().kernel_maps(FILE, entry);
    let found = found.unwrap_or_default();
    found.iter().map(|it| record(it, &lines)).collect()
}

/// Line numbers as a list, of which some are left out if there are many.
fn listed(lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(SHOWN).map(u32::to_string).collect();
    match lines.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// Numbers of things, those of which there are none left out.
fn counted(counts: &[(usize, &str)]) -> String {
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
    match shown.is_empty() {
        true => String::new(),
        false => format!(": {}", shown.join(", ")),
    }
}

/// The action that happens at some lines, if there are any.
fn part(what: &str, lines: &[u32]) -> Option<String> {
    (!lines.is_empty()).then(|| format!("{what} {}", listed(lines)))
}

fn joined(parts: impl IntoIterator<Item = Option<String>>) -> String {
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("; ")
}

impl KernelRecord {
    fn shown(&self) -> Vec<String> {
        let threads = self
            .threads
            .as_ref()
            .map_or_else(String::new, |it| match it.exact {
                true => format!(", {} threads", it.count),
                false => format!(", at most {} threads", it.count),
            });
        let mut out = vec![format!("{}{threads}", analysis::short_name(&self.entry))];
        let mut section = |title: &str, lines: Vec<String>| {
            if !lines.is_empty() {
                out.push(format!("  {title}"));
                out.extend(lines.into_iter().map(|it| format!("    {it}")));
            }
        };
        section(
            "shared memory",
            self.shared.iter().map(Variable::shown).collect(),
        );
        section(
            "roles of warps",
            self.roles.iter().map(Role::shown).collect(),
        );
        section("loops", self.loops.iter().map(Loop::shown).collect());
        let mut rings: Vec<String> = self.rings.iter().map(Ring::shown).collect();
        rings.extend(part("address not known: lines", &self.unknown_mbarriers));
        section("mbarriers", rings);
        let copies = self.copies.iter().map(|it| {
            let to = it.destination.as_ref();
            let to = to.map_or_else(String::new, |it| format!(" to `{it}`"));
            let ring = it.ring.and_then(|it| self.rings.get(it));
            let ring = ring.map_or_else(String::new, |it| format!(", completes on `{}`", it.place));
            format!("line {}{to}{ring}", it.line)
        });
        section("asynchronous copies", copies.collect());
        let barriers = self.barriers.iter().map(|it| {
            let number = match it.number {
                Some(it) => format!("barrier {it}"),
                None => "a barrier with a number in a register".to_owned(),
            };
            let threads = it.threads;
            let threads = threads.map_or_else(String::new, |it| format!(" of {it} threads"));
            let roles: Vec<String> = (it.roles.iter())
                .filter_map(|index| Some(format!("{} {}", self.roles.get(*index)?.name, index + 1)))
                .collect();
            let roles = match &roles[..] {
                [] => String::new(),
                roles => format!(" ({})", roles.join(", ")),
            };
            format!("{number}{threads}: lines {}{roles}", listed(&it.lines))
        });
        section("barriers of the block", barriers.collect());
        out
    }
}

impl Variable {
    fn shown(&self) -> String {
        let size = match self.bytes {
            Some(it) => format!("{it} bytes"),
            None => "size not in the text".to_owned(),
        };
        joined([
            Some(format!("`{}`: {size}", self.name)),
            part("written at", &self.writes),
            part("read at", &self.reads),
        ])
    }
}

impl Role {
    fn shown(&self) -> String {
        let registers: Vec<String> = self.registers.iter().map(i64::to_string).collect();
        let registers = (!registers.is_empty())
            .then(|| format!("registers per thread {}", registers.join(", then ")));
        let [first, last] = self.lines;
        joined([
            Some(format!("{}, lines {first}-{last}", self.name)),
            registers,
            part("copies at", &self.copies),
            part("products at", &self.products),
            part("stores to global memory at", &self.stores),
        ])
    }
}

impl Loop {
    fn shown(&self) -> String {
        let [first, last] = self.lines;
        let indent = "  ".repeat((self.depth as usize).saturating_sub(1).min(16));
        let counts = counted(&[
            (self.copies, "copy"),
            (self.products, "product"),
            (self.waits, "wait"),
            (self.barriers, "barrier"),
        ]);
        format!("{indent}lines {first}-{last}{counts}")
    }
}

impl Ring {
    fn shown(&self) -> String {
        let head = match (self.stages, self.stride) {
            (1, _) | (_, None) => format!("mbarrier at `{}`", self.place),
            (stages, Some(stride)) => {
                format!("ring of {stages} at `{}`, stride {stride}", self.place)
            }
        };
        let arrivals = match self.arrivals {
            Some(1) => Some("1 arrival a phase".to_owned()),
            Some(it) => Some(format!("{it} arrivals a phase")),
            None => None,
        };
        let expected: Vec<String> = (self.arrived.iter().zip(&self.bytes))
            .filter_map(|(line, bytes)| Some(format!("{} bytes at {line}", (*bytes)?)))
            .collect();
        let expected = (!expected.is_empty()).then(|| format!("expects {}", expected.join(", ")));
        let rest = joined([
            arrivals,
            part("initialized at", &self.initialized),
            part("arrivals at", &self.arrived),
            expected,
            part("filled at", &self.completed),
            part("waited for at", &self.waited),
        ]);
        format!("{head}: {rest}")
    }
}

fn record(map: &KernelMap, table: &LineTable) -> KernelRecord {
    let line = |it: &TextRange| table.line_of(it.start()) + 1;
    let lines = |all: &[TextRange]| -> Vec<u32> {
        let mut found: Vec<u32> = all.iter().map(line).collect();
        found.dedup();
        found
    };
    let each = |all: &[TextRange]| -> Vec<u32> { all.iter().map(line).collect() };
    let both = |it: &TextRange| [line(it), table.line_of(it.end()) + 1];
    KernelRecord {
        entry: map.function.clone(),
        threads: map.threads.map(|(count, exact)| Threads { count, exact }),
        shared: (map.variables.iter())
            .map(|it| Variable {
                name: it.name.clone(),
                bytes: it.bytes,
                writes: lines(&it.writes),
                reads: lines(&it.reads),
            })
            .collect(),
        roles: (map.roles.iter())
            .map(|it| Role {
                name: it.name,
                lines: both(&it.range),
                registers: it.registers.clone(),
                copies: lines(&it.copies),
                products: lines(&it.products),
                stores: lines(&it.stores),
            })
            .collect(),
        loops: (map.loops.iter())
            .map(|it| Loop {
                lines: both(&it.range),
                depth: it.depth,
                copies: it.copies,
                products: it.products,
                waits: it.waits,
                barriers: it.barriers,
            })
            .collect(),
        rings: (map.rings.iter())
            .map(|it| Ring {
                place: it.place.clone(),
                stages: it.stages,
                stride: it.stride,
                arrivals: it.arrivals,
                initialized: lines(&it.initialized),
                arrived: each(&it.arrived),
                bytes: it.bytes.clone(),
                completed: lines(&it.completed),
                waited: lines(&it.waited),
            })
            .collect(),
        unknown_mbarriers: lines(&map.unknown),
        copies: (map.copies.iter())
            .map(|it| Copy {
                line: line(&it.range),
                destination: it.destination.clone(),
                ring: it.ring,
            })
            .collect(),
        barriers: (map.barriers.iter())
            .map(|it| Barrier {
                number: it.number,
                threads: it.threads,
                lines: lines(&it.places),
                roles: it.roles.clone(),
            })
            .collect(),
    }
}
