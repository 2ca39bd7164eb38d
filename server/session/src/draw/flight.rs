//! Bars in the boxes of a control-flow graph: where asynchronous operations may be in flight.

use std::ops::Range;

use analysis::{FlowBlock, FlowGraph};

use super::svg::{Theme, escape, round};

/// The width of a bar with the gap after it, in pixels.
const STEP: f64 = 5.0;
/// The width of a bar.
const WIDTH: f64 = 3.0;
/// The gap between the bars and the text, besides that after the last bar.
const GAP: f64 = 4.0;

/// The kinds of operations that may be in flight in a graph, a lane for each.
pub(super) struct Lanes {
    names: Vec<&'static str>,
}

impl Lanes {
    pub(super) fn from_graph(graph: &FlowGraph) -> Lanes {
        let mut names = Vec::new();
        for it in graph.blocks.iter().flat_map(|it| &it.in_flight) {
            if !names.contains(&it.operations) {
                names.push(it.operations);
            }
        }
        Lanes { names }
    }

    /// The names of the operations with their colours.
    pub(super) fn entries(
        &self,
        theme: &Theme,
    ) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.names.iter().copied().zip(theme.flight)
    }

    /// The room that a box needs for them, in pixels.
    pub(super) fn width(&self) -> f64 {
        match self.names.len() {
            0 => 0.0,
            count => count as f64 * STEP + GAP,
        }
    }

    /// The bars of a block: `(x, y)` is where the first row of code is, and `rows` has the instructions of the rows.
    /// The bar is as long as the box without rows.
    pub(super) fn bars(
        &self,
        block: &FlowBlock,
        rows: &[Range<usize>],
        (x, y): (f64, f64),
        row: f64,
        theme: &Theme,
    ) -> String {
        let mut out = String::new();
        for it in &block.in_flight {
            let lane = self.names.iter().position(|name| *name == it.operations);
            let Some((lane, colour)) = lane.and_then(|lane| Some((lane, theme.flight.get(lane)?)))
            else {
                continue;
            };
            let meets = |rows: &Range<usize>| {
                rows.start < it.instructions.end && it.instructions.start < rows.end
            };
            let first = rows.iter().position(meets);
            let last = rows.iter().rposition(meets);
            let (from, to) = match first.zip(last) {
                Some((first, last)) => (first as f64, last as f64 + 1.0),
                None => (-2.0, 0.0),
            };
            out.push_str(&format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{WIDTH}\" height=\"{}\" fill=\"{colour}\"><title>{}</title></rect>",
                round(x + lane as f64 * STEP),
                round(y + from * row),
                round((to - from) * row),
                escape(&format!("in flight: {}", it.operations)),
            ));
        }
        out
    }
}
