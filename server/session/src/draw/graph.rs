//! Control-flow graphs as drawings.

use std::{fmt::Write as _, ops::Range};

use analysis::{FlowBlock, FlowEdge, FlowGraph, LiveIn, short_name};
use syntax::text::LineTable;

use super::{
    flight::Lanes,
    layout::{Route, layout},
    legend::{Legend, Look, colour, heads},
    svg::{Svg, Theme, escape, round, shortened},
};

const MARGIN: f64 = 24.0;
/// The height of the name, without the legend below it.
const HEADING: f64 = 44.0;
/// The height of a line of text.
const LINE: f64 = 15.0;
/// The width of a character of code, with 11 pixels.
const CHARACTER: f64 = 6.7;
/// The width of a character of headings, with 12 pixels.
const WIDE_CHARACTER: f64 = 7.0;
const PADDING: f64 = 9.0;
/// Longer lines are truncated.
const MOST_CHARACTERS: usize = 56;
/// In larger graphs no instructions are shown.
const MOST_BLOCKS: usize = 120;
/// Larger graphs are not drawn: they are unreadable, and a block takes some 2 KB.
const MOST_DRAWN: usize = 2_000;
/// How many of the first and of the last instructions of a block are shown.
const FIRST: usize = 4;
const LAST: usize = 3;

/// Two lines about a block: what it is called, and how much there is in it.
pub fn heading(block: &FlowBlock, counted: LiveIn, lines: &LineTable) -> [String; 2] {
    if let (Some(label), []) = (&block.label, &block.instructions[..]) {
        return [label.clone(), "of branches by an index".to_owned()];
    }
    if block.instructions.is_empty() {
        return ["any label".to_owned(), "of an unknown branch".to_owned()];
    }
    let line = |offset| lines.line_of(offset) + 1;
    let (first, last) = (line(block.range.start()), line(block.range.end()));
    let place = match first == last {
        true => format!("line {first}"),
        false => format!("lines {first} to {last}"),
    };
    let title = match &block.label {
        Some(label) => format!("{label}: {place}"),
        None => place,
    };
    let count = block.instructions.len();
    let plural = if count == 1 { "" } else { "s" };
    let mut text = format!("{count} instruction{plural}");
    if let Some(live) = block.live {
        let _ = write!(text, ", {live} {}", counted.words());
    }
    if block.loop_head {
        text.push_str(", loop");
    }
    if !block.reachable {
        text.push_str(", never reached");
    }
    [title, text]
}

/// The text in a box.
struct Content {
    heading: [String; 2],
    /// The rows below the heading.
    code: Vec<Row>,
}

/// A row of code in a box.
enum Row {
    /// An instruction, by its index, with its line.
    Code(usize, u32, String),
    /// The number of instructions that are omitted.
    LeftOut(Range<usize>),
}

impl Row {
    /// The instructions of the row.
    fn instructions(&self) -> Range<usize> {
        match self {
            Row::Code(index, ..) => *index..index + 1,
            Row::LeftOut(range) => range.clone(),
        }
    }
}

impl Content {
    fn from_block(block: &FlowBlock, counted: LiveIn, lines: &LineTable, code: bool) -> Content {
        let mut content = Content {
            heading: heading(block, counted, lines),
            code: Vec::new(),
        };
        let count = block.instructions.len();
        let left_out = match count {
            _ if !code => return content,
            count if count <= FIRST + LAST + 1 => count..count,
            count => FIRST..count - LAST,
        };
        for (index, it) in block.instructions.iter().enumerate() {
            if index == left_out.start && !left_out.is_empty() {
                content.code.push(Row::LeftOut(left_out.clone()));
            }
            if !left_out.contains(&index) {
                let text = shortened(&it.text, MOST_CHARACTERS);
                let line = lines.line_of(it.range.start());
                content.code.push(Row::Code(index, line, text));
            }
        }
        content
    }

    fn size(&self) -> (f64, f64) {
        let long = |text: &String| text.chars().count().min(MOST_CHARACTERS) as f64;
        let heading = self.heading.iter().map(|it| long(it) * WIDE_CHARACTER);
        let code = self.code.iter().map(|it| match it {
            Row::Code(_, _, text) => long(text) * CHARACTER,
            Row::LeftOut(_) => 0.0,
        });
        let width = heading.chain(code).fold(0.0, f64::max);
        let rows = 2 + self.code.len();
        (width + 2.0 * PADDING, rows as f64 * LINE + 2.0 * PADDING)
    }
}

/// Draws the graph of a function.
pub fn flow_graph(graph: &FlowGraph, lines: &LineTable, theme: &Theme) -> String {
    if graph.blocks.len() > MOST_DRAWN {
        return too_large(graph, theme);
    }
    let code = graph.blocks.len() <= MOST_BLOCKS;
    let contents: Vec<Content> = graph
        .blocks
        .iter()
        .map(|it| Content::from_block(it, graph.counted, lines, code))
        .collect();
    let lanes = Lanes::from_graph(graph);
    let size = |it: &Content| {
        let (width, height) = it.size();
        (width + lanes.width(), height)
    };
    let sizes: Vec<(f64, f64)> = contents.iter().map(size).collect();
    let edges: Vec<(usize, usize)> = graph
        .edges
        .iter()
        .map(|it| (it.from as usize, it.to as usize))
        .collect();
    let layout = layout(&sizes, &edges);
    let legend = Legend::for_graph(graph, &lanes, layout.width, theme);
    let named = name(graph).chars().count() as f64 * 9.0;
    let inner = layout.width.max(legend.width()).max(named);
    let (width, top) = (inner + 2.0 * MARGIN, HEADING + legend.height());
    let title = format!("Control flow of {}", short_name(&graph.function));
    let mut svg = Svg::new(width, layout.height + top + MARGIN, &title, theme);
    heading_of(&mut svg, graph, &legend, theme);
    let left = (width - layout.width) / 2.0;
    svg.push(&format!(
        "<g data-part=\"graph\" transform=\"translate({} {})\">",
        round(left),
        round(top)
    ));
    for (edge, route) in graph.edges.iter().zip(&layout.routes) {
        svg.push(&line(edge, route, theme));
    }
    let most = graph.blocks.iter().filter_map(|it| it.live).max();
    for (index, block) in graph.blocks.iter().enumerate() {
        if let (Some(place), Some(size), Some(content)) = (
            layout.boxes.get(index),
            sizes.get(index),
            contents.get(index),
        ) {
            draw(
                &mut svg,
                block,
                content,
                (*place, *size),
                (lines, &lanes, most.unwrap_or(0)),
                theme,
            );
        }
    }
    svg.push("</g>");
    svg.finish()
}

/// The drawing for a graph that is too large.
fn too_large(graph: &FlowGraph, theme: &Theme) -> String {
    let (count, named) = (graph.blocks.len(), name(graph));
    let text = format!("{count} blocks: at most {MOST_DRAWN} are drawn");
    let width = named.chars().count().max(text.len()) as f64 * 9.0;
    let title = format!("Control flow of {}", short_name(&graph.function));
    let mut svg = Svg::new(width + 2.0 * MARGIN, HEADING + LINE + MARGIN, &title, theme);
    let bold = "data-part=\"name\" font-size=\"14\" font-weight=\"600\"";
    svg.text((MARGIN, 24.0), "start", bold, &named);
    svg.text((MARGIN, 24.0 + 2.0 * LINE), "start", "", &text);
    svg.finish()
}

fn name(graph: &FlowGraph) -> String {
    shortened(&short_name(&graph.function), 64)
}

/// The name and the legend, above the boxes.
fn heading_of(svg: &mut Svg, graph: &FlowGraph, legend: &Legend, theme: &Theme) {
    svg.push(&heads(theme));
    svg.push("<g data-part=\"legend\">");
    let bold = "data-part=\"name\" font-size=\"14\" font-weight=\"600\"";
    svg.text((MARGIN, 24.0), "start", bold, &name(graph));
    legend.draw(svg, (MARGIN, 24.0), theme);
    svg.push("</g>");
}

/// A line that goes straight within the pairs of points of a route and bends between them.
fn line(edge: &FlowEdge, route: &Route, theme: &Theme) -> String {
    let mut path = String::new();
    let mut last: Option<(f64, f64)> = None;
    for pair in route.points.chunks(2) {
        let (Some(first), Some(second)) = (pair.first(), pair.last()) else {
            continue;
        };
        match last {
            None => {
                let _ = write!(path, "M{} {}", round(first.0), round(first.1));
            }
            Some(last) if (last.0 - first.0).abs() < 0.5 => {
                let _ = write!(path, "L{} {}", round(first.0), round(first.1));
            }
            Some(last) => bend(&mut path, last, *first),
        }
        let _ = write!(path, "L{} {}", round(second.0), round(second.1));
        last = Some(*second);
    }
    let (colour, name) = colour(edge.kind, theme);
    let width = if edge.back { 2.2 } else { 1.3 };
    format!(
        "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
         marker-end=\"url(#arrow-{name})\"/>"
    )
}

/// A bend that leaves and arrives vertically; between points of the same height it turns around, below them
/// when the line came from above.
fn bend(path: &mut String, from: (f64, f64), to: (f64, f64)) {
    let distance = to.1 - from.1;
    let (first, second) = if distance.abs() < 4.0 {
        // The way out of a box turns up below it, and the way into one down above it.
        let upwards = path.matches('L').count() > 1;
        let turn = if upwards { -22.0 } else { 22.0 };
        (from.1 + turn, to.1 + turn)
    } else {
        (from.1 + distance / 2.0, to.1 - distance / 2.0)
    };
    let _ = write!(
        path,
        "C{} {} {} {} {} {}",
        round(from.0),
        round(first),
        round(to.0),
        round(second),
        round(to.0),
        round(to.1)
    );
}

fn draw(
    svg: &mut Svg,
    block: &FlowBlock,
    content: &Content,
    (place, size): ((f64, f64), (f64, f64)),
    (lines, lanes, most): (&LineTable, &Lanes, u32),
    theme: &Theme,
) {
    let look = Look::for_block(
        block.live.unwrap_or(0),
        most,
        block.reachable,
        block.loop_depth,
        theme,
    );
    let line = lines.line_of(block.range.start());
    svg.push(&format!(
        "<g data-line=\"{line}\"><title>{}</title>\n\
         <rect data-line=\"{line}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" \
         fill=\"{}\" {}/>",
        content.heading.each_ref().map(|it| escape(it)).join("\n"),
        round(place.0),
        round(place.1),
        round(size.0),
        round(size.1),
        look.fill,
        look.frame,
    ));
    let left = place.0 + PADDING;
    let rows: Vec<Range<usize>> = content.code.iter().map(Row::instructions).collect();
    let top = place.1 + PADDING + 2.0 * LINE;
    svg.push(&lanes.bars(block, &rows, (left, top), LINE, theme));
    let x = left + lanes.width();
    let mut y = place.1 + PADDING + 11.0;
    let here = format!("data-line=\"{line}\"");
    let bold = format!("{here} font-weight=\"600\"");
    let [first, second] = &content.heading;
    svg.text((x, y), "start", &bold, &shortened(first, MOST_CHARACTERS));
    y += LINE;
    let quiet = format!("{here} fill=\"{}\"", theme.faint);
    svg.text((x, y), "start", &quiet, second);
    for code in &content.code {
        y += LINE;
        match code {
            Row::Code(_, line, text) => {
                let style = format!(
                    "data-line=\"{line}\" font-family=\"ui-monospace, monospace\" font-size=\"11\""
                );
                svg.text((x, y), "start", &style, text);
            }
            Row::LeftOut(range) => {
                let text = format!("… {} more …", range.len());
                svg.text((x, y), "start", &quiet, &text);
            }
        }
    }
    svg.push("</g>");
}
