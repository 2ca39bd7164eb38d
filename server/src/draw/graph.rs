//! Control-flow graphs as drawings.

use analysis::{FlowBlock, FlowGraph};
use syntax::text::LineTable;

use super::svg::{Svg, Theme, shortened};

const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 40.0;
const GAP: f64 = 16.0;
const MARGIN: f64 = 24.0;

/// Two lines about a block: what it is called, and how much there is in it.
pub(super) fn heading(block: &FlowBlock, lines: &LineTable) -> [String; 2] {
    let label = block.label.as_deref();
    if block.instructions.is_empty() {
        return ["any label".to_owned(), "of an unknown branch".to_owned()];
    }
    let line = |offset| lines.line_of(offset) + 1;
    let (first, last) = (line(block.range.start()), line(block.range.end()));
    let place = match first == last {
        true => format!("line {first}"),
        false => format!("lines {first} to {last}"),
    };
    let title = match label {
        Some(label) => format!("{label}: {place}"),
        None => place,
    };
    let count = block.instructions.len();
    let plural = if count == 1 { "" } else { "s" };
    let mut text = format!("{count} instruction{plural}, {} alive", block.live);
    if !block.reachable {
        text.push_str(", never reached");
    }
    [title, text]
}

/// Draws the graph of a function.
pub(crate) fn flow_graph(graph: &FlowGraph, lines: &LineTable, theme: &Theme) -> String {
    let count = graph.blocks.len() as f64;
    let mut svg = Svg::new(
        WIDTH + 2.0 * MARGIN,
        count * (HEIGHT + GAP) + 2.0 * MARGIN,
        &format!("Control flow of {}", graph.function),
        theme,
    );
    for (index, block) in graph.blocks.iter().enumerate() {
        let y = MARGIN + index as f64 * (HEIGHT + GAP);
        let [first, second] = heading(block, lines);
        svg.push(&format!(
            "<rect data-line=\"{}\" x=\"{MARGIN}\" y=\"{y}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" rx=\"4\" fill=\"{}\" stroke=\"{}\"/>",
            lines.line_of(block.range.start()),
            theme.heat[0],
            theme.grid,
        ));
        let middle = MARGIN + WIDTH / 2.0;
        let bold = "font-weight=\"600\" pointer-events=\"none\"";
        svg.text((middle, y + 16.0), "middle", bold, &shortened(&first, 36));
        let quiet = format!("fill=\"{}\" pointer-events=\"none\"", theme.faint);
        svg.text((middle, y + 32.0), "middle", &quiet, &second);
    }
    svg.finish()
}
