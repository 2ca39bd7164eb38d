//! The legend of a control-flow graph: its kinds of lines, and what the fills and frames of boxes mean.

use std::fmt::Write as _;

use analysis::{FlowEdgeKind, FlowGraph, LiveIn};

use super::{
    flight::Lanes,
    svg::{Svg, Theme, round},
};

/// The height of a row, in pixels.
const ROW: f64 = 20.0;
/// The height of the text above its base line.
const ABOVE: f64 = 4.0;
/// The width of a sample of a line or a box.
const SAMPLE: f64 = 22.0;
/// The gap between a sample and its words.
const GAP: f64 = 6.0;
/// The gap after an item.
const AFTER: f64 = 16.0;
/// The width of a character, with 11 pixels.
const CHARACTER: f64 = 6.0;
/// The width that a pane on a telephone has, in pixels.
const NARROW: f64 = 340.0;

/// The colour of an edge, and a name for it.
pub(super) fn colour(kind: FlowEdgeKind, theme: &Theme) -> (&'static str, &'static str) {
    match kind {
        FlowEdgeKind::Fallthrough => (theme.faint, "f"),
        FlowEdgeKind::Branch => (theme.text, "b"),
        FlowEdgeKind::Taken => (theme.curve, "t"),
        FlowEdgeKind::Table => (theme.exact, "i"),
    }
}

const KINDS: [(FlowEdgeKind, &str); 4] = [
    (FlowEdgeKind::Fallthrough, "falls through"),
    (FlowEdgeKind::Branch, "branches"),
    (FlowEdgeKind::Taken, "branches if the guard holds"),
    (FlowEdgeKind::Table, "branches by a table"),
];

/// A sentence about the edges that a graph omits, if there are any.
pub fn left_out(graph: &FlowGraph) -> Option<String> {
    let plural = if graph.left_out == 1 { "" } else { "s" };
    (graph.left_out > 0).then(|| {
        format!(
            "{} more way{plural} through tables not shown",
            graph.left_out
        )
    })
}

/// The style of a box: its fill and the attributes of its frame.
pub(super) struct Look {
    /// Colour inside, as SVG has it.
    pub(super) fill: &'static str,
    /// The attributes of the line around it.
    pub(super) frame: String,
}

impl Look {
    /// The style of a block with `live` registers, of at most `most` in the function, in a loop of this depth.
    pub(super) fn for_block(
        live: u32,
        most: u32,
        reachable: bool,
        loop_depth: u32,
        theme: &Theme,
    ) -> Look {
        let heat = (live as usize * (theme.heat.len() - 1)).div_ceil(most.max(1) as usize);
        let (stroke, dash) = match (reachable, loop_depth) {
            (false, _) => (theme.warning, " stroke-dasharray=\"4 3\""),
            (true, 0) => (theme.grid, ""),
            (true, _) => (theme.curve, ""),
        };
        let width = 1.0 + f64::from(loop_depth.min(4)) * 0.7;
        Look {
            fill: theme.heat.get(heat).copied().unwrap_or(theme.heat[0]),
            frame: format!("stroke=\"{stroke}\" stroke-width=\"{width}\"{dash}"),
        }
    }
}

/// One sample with its words.
struct LegendItem {
    /// The sample, from (0, 0), with the base line of its words at 0.
    sample: String,
    width: f64,
    words: String,
}

impl LegendItem {
    fn width(&self) -> f64 {
        self.width + GAP + self.words.chars().count() as f64 * CHARACTER + AFTER
    }
}

/// The rows of a legend.
pub(super) struct Legend {
    rows: Vec<Vec<LegendItem>>,
}

impl Legend {
    /// The legend of the things that are in a graph, in rows of a width in pixels, or of [`NARROW`] if that is more.
    pub(super) fn for_graph(graph: &FlowGraph, lanes: &Lanes, width: f64, theme: &Theme) -> Legend {
        let has = |kind| graph.edges.iter().any(|it| it.kind == kind);
        let kinds = KINDS.into_iter().filter(|it| has(it.0));
        let mut lines: Vec<LegendItem> = kinds
            .map(|(kind, words)| edge(colour(kind, theme), 1.5, words))
            .collect();
        if graph.edges.iter().any(|it| it.back) {
            lines.push(edge((theme.text, "b"), 2.6, "thick: back to a loop"));
        }
        let most = graph.blocks.iter().filter_map(|it| it.live).max();
        let most = most.unwrap_or(0);
        let mut boxes = Vec::new();
        if most > 0 {
            boxes.push(heat(most, graph.counted, theme));
        }
        if graph.blocks.iter().any(|it| it.loop_depth > 0) {
            boxes.push(frame(
                &Look::for_block(0, most, true, 1, theme),
                "in a loop",
            ));
        }
        if graph.blocks.iter().any(|it| !it.reachable) {
            boxes.push(frame(
                &Look::for_block(0, most, false, 0, theme),
                "never reached",
            ));
        }
        boxes.extend(left_out(graph).map(|words| LegendItem {
            sample: String::new(),
            width: 0.0,
            words,
        }));
        let flights = lanes.entries(theme).map(|(name, colour)| LegendItem {
            sample: format!("<rect y=\"-11\" width=\"3\" height=\"14\" fill=\"{colour}\"/>"),
            width: 3.0,
            words: format!("in flight: {name}"),
        });
        let rows = [lines, boxes, flights.collect()];
        let width = width.max(NARROW);
        Legend {
            rows: (rows
                .into_iter()
                .flat_map(|it| self::rows(it, LegendItem::width, width)))
            .collect(),
        }
    }

    /// How wide it is, in pixels.
    pub(super) fn width(&self) -> f64 {
        let width = |row: &Vec<LegendItem>| row.iter().map(LegendItem::width).sum();
        self.rows.iter().map(width).fold(0.0, f64::max)
    }

    /// How high it is, in pixels.
    pub(super) fn height(&self) -> f64 {
        self.rows.len() as f64 * ROW
    }

    /// Draws it below and to the right of a point.
    pub(super) fn draw(&self, svg: &mut Svg, (left, top): (f64, f64), theme: &Theme) {
        let mut y = top;
        for row in &self.rows {
            y += ROW;
            let mut x = left;
            for item in row {
                // Editors put the items into rows of their own.
                svg.push(&format!(
                    "<g data-part=\"item\"><g transform=\"translate({} {})\">{}</g>",
                    round(x),
                    round(y),
                    item.sample
                ));
                let style = format!("fill=\"{}\" font-size=\"11\"", theme.faint);
                svg.text((x + item.width + GAP, y), "start", &style, &item.words);
                svg.push("</g>");
                x += item.width();
            }
        }
    }
}

/// Items in rows of at most a width in pixels; one that is wider has a row of its own.
pub(super) fn rows<T>(items: Vec<T>, width_of: impl Fn(&T) -> f64, width: f64) -> Vec<Vec<T>> {
    let mut rows: Vec<Vec<T>> = Vec::new();
    let mut left = 0.0;
    for item in items {
        let needs = width_of(&item);
        match rows.last_mut().filter(|_| needs <= left) {
            Some(row) => row.push(item),
            None => {
                rows.push(vec![item]);
                left = width;
            }
        }
        left -= needs;
    }
    rows
}

/// The heads of the lines, which the lines name.
pub(super) fn heads(theme: &Theme) -> String {
    let mut heads = String::from("<defs>");
    for (kind, _) in KINDS {
        let (colour, name) = colour(kind, theme);
        let _ = write!(
            heads,
            "<marker id=\"arrow-{name}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"10\" \
             markerHeight=\"10\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
             <path d=\"M0 0L8 4L0 8Z\" fill=\"{colour}\"/></marker>"
        );
    }
    heads + "</defs>"
}

fn edge((colour, name): (&str, &str), width: f64, words: &str) -> LegendItem {
    LegendItem {
        sample: format!(
            "<path d=\"M0 {}h{SAMPLE}\" stroke=\"{colour}\" stroke-width=\"{width}\" \
             marker-end=\"url(#arrow-{name})\"/>",
            -ABOVE
        ),
        width: SAMPLE,
        words: words.to_owned(),
    }
}

fn frame(look: &Look, words: &str) -> LegendItem {
    LegendItem {
        sample: format!(
            "<rect y=\"-10\" width=\"{SAMPLE}\" height=\"12\" rx=\"2\" fill=\"none\" {}/>",
            look.frame
        ),
        width: SAMPLE,
        words: words.to_owned(),
    }
}

/// The scale of fills.
fn heat(most: u32, counted: LiveIn, theme: &Theme) -> LegendItem {
    let mut sample = String::new();
    let step = 14.0;
    for (index, fill) in (0_u32..).zip(theme.heat) {
        let _ = write!(
            sample,
            "<rect x=\"{}\" y=\"-10\" width=\"{step}\" height=\"12\" fill=\"{fill}\" stroke=\"{}\"/>",
            f64::from(index) * step,
            theme.grid
        );
    }
    LegendItem {
        sample,
        width: theme.heat.len() as f64 * step,
        words: format!("0 to {most} registers {}", counted.words()),
    }
}
