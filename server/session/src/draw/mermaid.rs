//! Control-flow graphs as flowcharts of Mermaid.

use std::fmt::Write as _;

use analysis::{FlowEdgeKind, FlowGraph};
use syntax::text::LineTable;

use super::{graph::heading, legend::left_out};

/// The graph of a function as a flowchart.
pub fn flowchart(graph: &FlowGraph, lines: &LineTable) -> String {
    let mut out = "flowchart TD\n".to_owned();
    for (id, block) in graph.blocks.iter().enumerate() {
        let [first, second] = heading(block, graph.counted, lines);
        let _ = writeln!(
            out,
            "    b{id}[\"{}<br>{}\"]",
            quoted(&first),
            quoted(&second)
        );
    }
    for edge in &graph.edges {
        let arrow = match edge.kind {
            FlowEdgeKind::Fallthrough | FlowEdgeKind::Branch => "-->",
            FlowEdgeKind::Taken => "-->|taken|",
            FlowEdgeKind::Table => "-->|table|",
        };
        let _ = writeln!(out, "    b{} {arrow} b{}", edge.from, edge.to);
    }
    if let Some(text) = left_out(graph) {
        let _ = writeln!(out, "    %% {text}");
    }
    let unreachable: Vec<String> = (0..)
        .zip(&graph.blocks)
        .filter(|(_, it)| !it.reachable)
        .map(|(id, _): (usize, _)| format!("b{id}"))
        .collect();
    if !unreachable.is_empty() {
        let _ = writeln!(
            out,
            "    classDef unreachable stroke-dasharray: 4 4\n    class {} unreachable",
            unreachable.join(",")
        );
    }
    out
}

/// A text between quotation marks: everything that Mermaid might read as its own is an entity.
fn quoted(text: &str) -> String {
    let mut out = String::new();
    for it in text.chars() {
        if it.is_alphanumeric() || " .,:_-".contains(it) {
            out.push(it);
        } else {
            let _ = write!(out, "#{};", u32::from(it));
        }
    }
    out
}
