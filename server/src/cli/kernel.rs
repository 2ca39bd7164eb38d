//! `ptx-analyzer kernel`: the map of a kernel.

use std::{io, path::PathBuf};

use analysis::{AnalysisHost, FileId, KernelMap};
use clap::ValueEnum;
use serde::Serialize;
use session::draw::{Theme, kernel, rows};
use syntax::{Document, TextRange, text::LineTable};

use super::{FAILED, Io, text_or_error};

const FILE: FileId = FileId(0);

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
    /// Use the dark theme for drawings.
    #[arg(long)]
    dark: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum KernelFormat {
    /// A list.
    #[default]
    Text,
    /// One JSON object per entry and line.
    Json,
    /// An SVG drawing of one entry.
    Svg,
}

/// A kernel as JSON; lines count from 1.
#[derive(Serialize)]
struct KernelRecord {
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tiles: Vec<Tile>,
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
    /// The loads that read what it copies for products.
    reads: Vec<u32>,
    /// The products that use what it copies.
    products: Vec<u32>,
}

/// A part of shared memory that copies of threads fill.
#[derive(Serialize)]
struct Tile {
    /// Null for copies to unknown places.
    place: Option<String>,
    source: Option<String>,
    copies: Vec<u32>,
    /// The bytes of a stage.
    bytes: Option<u64>,
    stages: Option<usize>,
    reads: Vec<u32>,
    products: Vec<u32>,
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
    let contents = Document::new(text).contents();
    let lines = contents.lines.clone();
    let host = AnalysisHost::with_file(FILE, contents, None);
    // Nobody cancels the questions of this host.
    let found = host.analysis().kernel_maps(FILE, args.entry.as_deref());
    let found = found.unwrap_or_default();
    if let (Some(name), []) = (&args.entry, &found[..]) {
        io.error(format_args!("there is no entry `{name}`"))?;
        return Ok(FAILED);
    }
    if args.format == KernelFormat::Svg && found.len() != 1 {
        let file = args.path.display();
        let names: Vec<&str> = found.iter().map(|it| &*it.function).collect();
        match &names[..] {
            [] => io.error(format_args!("{file}: no entry has a body"))?,
            names => io.error(format_args!(
                "{file}: choose one with --entry: {}",
                names.join(", ")
            ))?,
        }
        return Ok(FAILED);
    }
    for (index, map) in found.iter().enumerate() {
        match args.format {
            KernelFormat::Json => {
                serde_json::to_writer(&mut *io.stdout, &record(map, &lines))?;
                writeln!(io.stdout)?;
            }
            KernelFormat::Svg => {
                let theme = Theme::for_background(args.dark);
                for line in kernel::kernel_map(map, &lines, &theme).lines() {
                    io.line(line)?;
                }
            }
            KernelFormat::Text => {
                if index > 0 {
                    io.line("")?;
                }
                io.line(rows::title(map))?;
                for section in rows::sections(map, &lines) {
                    io.line(format_args!("  {}", section.title))?;
                    for row in section.rows {
                        let indent = "  ".repeat(row.depth.min(16) as usize + 2);
                        io.line(format_args!("{indent}{}", row.text))?;
                    }
                }
            }
        }
    }
    Ok(0)
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
                reads: lines(&it.reads),
                products: lines(&it.products),
            })
            .collect(),
        tiles: (map.tiles.iter())
            .map(|it| Tile {
                place: it.place.clone(),
                source: it.source.clone(),
                copies: lines(&it.copies),
                bytes: it.bytes,
                stages: it.stages,
                reads: lines(&it.reads),
                products: lines(&it.products),
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
