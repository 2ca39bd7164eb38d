//! `ptx-analyzer flow`: how control flows in the functions of a file.

use std::{borrow::Cow, io, path::PathBuf};

use analysis::{AnalysisHost, FileId, FlowGraph, short_name};
use clap::ValueEnum;
use session::draw::{Theme, graph, legend, mermaid};
use syntax::{Document, text::LineTable};

use super::{FAILED, Io, text_or_error};

const FILE: FileId = FileId(0);

#[derive(Debug, clap::Args)]
pub(super) struct FlowArgs {
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Show only this function, named as in the text or in C++, such as `saxpy` for `_Z5saxpyifPfS_`.
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: FlowFormat,
    /// Use the dark theme for drawings.
    #[arg(long)]
    dark: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum FlowFormat {
    /// The blocks and their successors, as text.
    #[default]
    Text,
    /// A Mermaid flowchart of one function.
    Mermaid,
    /// An SVG drawing of one function.
    Svg,
}

pub(super) fn run(args: &FlowArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let Some(text) = text_or_error(&args.path, io)? else {
        return Ok(FAILED);
    };
    let contents = Document::new(text).contents();
    let lines = contents.lines.clone();
    let host = AnalysisHost::with_file(FILE, contents, None);
    let analysis = host.analysis();
    // Nobody cancels the questions of this host.
    let find = |name| analysis.flow_graphs(FILE, name).unwrap_or_default();
    let mut graphs = find(args.function.as_deref());
    if let (Some(name), []) = (&args.function, &graphs[..]) {
        graphs = find(None);
        graphs.retain(|it| is_called(&it.function, name));
    }
    let names = |graphs: &[FlowGraph]| {
        let mut shorts: Vec<_> = graphs.iter().map(|it| short_name(&it.function)).collect();
        shorts.sort_unstable();
        let distinct = shorts.windows(2).all(|it| it[0] != it[1]);
        let names: Vec<_> = graphs
            .iter()
            .map(|it| match distinct {
                true => short_name(&it.function),
                false => Cow::Borrowed(&*it.function),
            })
            .collect();
        names.join(", ")
    };
    let file = args.path.display();
    if graphs.is_empty() {
        match (&args.function, &find(None)[..]) {
            (Some(name), all @ [_, ..]) => io.error(format_args!(
                "{file}: no function {name} has a body; there are: {}",
                names(all)
            ))?,
            _ => io.error(format_args!("{file}: no function has a body"))?,
        }
        return Ok(FAILED);
    }
    if let (FlowFormat::Mermaid | FlowFormat::Svg, [_, _, ..]) = (args.format, &graphs[..]) {
        io.error(format_args!(
            "{file}: choose one with --function: {}",
            names(&graphs)
        ))?;
        return Ok(FAILED);
    }
    for graph in &graphs {
        let shown = match args.format {
            FlowFormat::Text => text_of(graph, &lines),
            FlowFormat::Mermaid => mermaid::flowchart(graph, &lines),
            FlowFormat::Svg => graph::flow_graph(graph, &lines, &Theme::for_background(args.dark)),
        };
        for line in shown.lines() {
            io.line(line)?;
        }
    }
    Ok(0)
}

/// Whether a function has this C++ name, perhaps without its namespaces and template arguments.
fn is_called(function: &str, name: &str) -> bool {
    let short = short_name(function);
    let plain = short.split('<').next().unwrap_or_default();
    *short == *name || plain == name || plain.rsplit("::").next() == Some(name)
}

/// A block per line, with the ways out of it.
fn text_of(graph: &FlowGraph, lines: &LineTable) -> String {
    let mut out = format!("{}\n", short_name(&graph.function));
    for (id, block) in (0..).zip(&graph.blocks) {
        let [title, mut about] = graph::heading(block, graph.counted, lines);
        for operations in block.operations_in_flight() {
            about.push_str(&format!(", in flight: {operations}"));
        }
        let mut ways: Vec<String> = graph
            .edges
            .iter()
            .filter(|it| it.from == id)
            .map(|it| {
                let back = if it.back { " back" } else { "" };
                format!("{}{back} to {}", it.kind.name(), it.to)
            })
            .collect();
        if block.leaves {
            ways.push("leaves".to_owned());
        }
        let depth = "  ".repeat(block.loop_depth.min(20) as usize + 1);
        out.push_str(&format!(
            "{depth}{id} {title}, {about}: {}\n",
            ways.join(", ")
        ));
    }
    if let Some(text) = legend::left_out(graph) {
        out.push_str(&format!("  {text}\n"));
    }
    out
}
