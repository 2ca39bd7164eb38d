//! The registers that are live at the lines of an entry, as a chart.

use std::fmt::Write as _;

use analysis::{EntryRegisters, ExactEntry, LiveIn, LiveRegisters, short_name};

use super::{
    legend::rows,
    svg::{Svg, Theme, round, shortened},
};

const LEFT: f64 = 44.0;
const BOTTOM: f64 = 44.0;
/// The gap at the right of a drawing.
const EDGE: f64 = 8.0;
/// The least height of the part with the curves.
const PLOT: f64 = 100.0;
/// The width of a character of the widest usual font, for text of 12 pixels.
const CHARACTER: f64 = 7.3;
/// The height of a line of text.
const LINE: f64 = 18.0;
/// Below this width, in pixels, the labels of the curves are short.
const NARROW: f64 = 520.0;
/// Columns at most; lines that share a column show the one with the most registers.
const COLUMNS: u32 = 1_200;
/// Characters of a name at most.
const MAX_NAME: usize = 96;

/// The size of a chart, in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    width: f64,
    height: f64,
}

impl Size {
    /// A size of which a part may be left open. What is too small for the words is enlarged.
    #[must_use]
    pub fn from_request(width: Option<u32>, height: Option<u32>) -> Size {
        let standard = Size::default();
        Size {
            width: width.map_or(standard.width, |it| it.clamp(280, 4_096).into()),
            height: height.map_or(standard.height, |it| it.clamp(220, 4_096).into()),
        }
    }
}

impl Default for Size {
    /// Half a window.
    fn default() -> Size {
        Size {
            width: 640.0,
            height: 336.0,
        }
    }
}

/// Where lines and registers are in the drawing.
struct Scale {
    /// The part with the curves.
    left: f64,
    right: f64,
    above: f64,
    below: f64,
    first: u32,
    /// How many lines share a column.
    step: u32,
    columns: u32,
    top: u32,
}

impl Scale {
    fn x(&self, column: u32) -> f64 {
        let part = f64::from(column) / f64::from(self.columns.max(1));
        self.left + part * (self.right - self.left)
    }

    fn y(&self, registers: u32) -> f64 {
        let part = f64::from(registers) / f64::from(self.top.max(1));
        self.below - part * (self.below - self.above)
    }

    fn column(&self, line: u32) -> u32 {
        line.saturating_sub(self.first) / self.step
    }

    /// For each column the line with the most registers, and how many those are.
    fn columns(&self, lines: &[(u32, u32)]) -> Vec<Option<(u32, u32)>> {
        let mut columns = vec![None; self.columns as usize];
        for (line, registers) in lines.iter().filter(|it| it.0 >= self.first) {
            if let Some(most) = columns.get_mut(self.column(*line) as usize)
                && most.is_none_or(|(_, it)| it < *registers)
            {
                *most = Some((*line, *registers));
            }
        }
        columns
    }

    /// A path with steps through the columns.
    fn path(&self, columns: &[Option<(u32, u32)>]) -> String {
        let mut path = String::new();
        let mut y = self.y(0);
        for (column, most) in (0..).zip(columns) {
            // A line without instruction is as the one before it.
            if let Some((_, registers)) = most {
                y = self.y(*registers);
            }
            let start = if column == 0 { 'M' } else { 'L' };
            let (x, y, next) = (round(self.x(column)), round(y), round(self.x(column + 1)));
            let _ = write!(path, "{start}{x} {y}H{next}");
        }
        path
    }
}

/// The position of the base line of a text, and its anchor in SVG.
#[derive(Clone, Copy)]
struct LabelPosition {
    x: f64,
    y: f64,
    anchor: &'static str,
}

/// The labels among the curves: none is drawn over another one or outside the part with the curves.
struct Labels {
    /// Left, top, right and bottom of each.
    taken: Vec<[f64; 4]>,
}

impl Labels {
    /// Writes a text at the first of the positions where it covers no other.
    fn write(
        &mut self,
        svg: &mut Svg,
        scale: &Scale,
        places: &[LabelPosition],
        style: &str,
        text: &str,
        theme: &Theme,
    ) {
        let width = text.chars().count() as f64 * CHARACTER;
        let area = |it: &LabelPosition| {
            let left = match it.anchor {
                "end" => it.x - width,
                "middle" => it.x - width / 2.0,
                _ => it.x,
            };
            [left, it.y - 11.0, left + width, it.y + 3.0]
        };
        let is_free = |it: &[f64; 4]| {
            let is_inside = it[0] >= scale.left - 1.0
                && it[2] <= scale.right + 1.0
                && it[1] >= scale.above - LINE
                && it[3] <= scale.below;
            let overlaps = |other: &[f64; 4]| {
                it[0] < other[2] && other[0] < it[2] && it[1] < other[3] && other[1] < it[3]
            };
            is_inside && !self.taken.iter().any(overlaps)
        };
        let Some(place) = places.iter().find(|it| is_free(&area(it))) else {
            return;
        };
        self.taken.push(area(place));
        // The letters cover the curves.
        let halo = format!(
            "paint-order=\"stroke\" stroke=\"{}\" stroke-width=\"3\"",
            theme.background
        );
        let style = format!("{style} {halo}");
        svg.text((place.x, place.y), place.anchor, &style, text);
    }
}

/// An item of the legend: a sample, from (0, 0) with the base line of its words at 0, and its words.
struct LegendEntry {
    sample: String,
    words: String,
}

/// Draws the chart of an entry; with what ptxas says, if that is known.
pub fn register_chart(
    entry: &EntryRegisters,
    exact: Option<&ExactEntry>,
    size: Size,
    theme: &Theme,
) -> String {
    let live = entry.live(exact);
    let written = &entry.alive;
    let first = written.first().map_or(0, |it| it.0);
    let last = written.last().map_or(first, |it| it.0);
    let count = (last - first).saturating_add(1);
    let most = (written.iter().chain(&live.lines).map(|it| it.1))
        .chain([entry.high, 16])
        .chain(exact.iter().map(|it| it.registers.registers))
        .max()
        .unwrap_or(16);
    let top = most.saturating_add(most / 10).next_multiple_of(8);
    let steps: Vec<(u32, String)> = entry
        .steps
        .iter()
        .filter(|it| it.0 <= top)
        .map(|(registers, warps)| match size.width < NARROW {
            true => (*registers, format!("{warps} warps")),
            false => (*registers, format!("{warps} warps up to {registers}")),
        })
        .collect();
    let widest = steps.iter().map(|it| it.1.len()).max().unwrap_or(0);
    let room = size.width - LEFT - EDGE;
    let (name, facts) = heading(entry, exact, room);
    let legend = rows(legend(entry, exact, &live, theme), LegendEntry::width, room);
    let above = 26.0 + LINE * (facts.len() + legend.len()) as f64 + LINE;
    let height = size.height.max(above + PLOT + BOTTOM);
    // Small type, and the gap before it.
    let labels = widest as f64 * CHARACTER * 0.92 + 6.0;
    let width = (size.width - LEFT - labels - EDGE).max(40.0);
    let step = count.div_ceil(COLUMNS.min(width as u32).max(1));
    let scale = Scale {
        left: LEFT,
        right: LEFT + width,
        above,
        below: height - BOTTOM,
        first,
        step,
        columns: count.div_ceil(step),
        top,
    };
    let title = format!("Registers of {}", short_name(&entry.name));
    let mut svg = Svg::new(size.width, height, &title, theme);
    let bold = "font-size=\"14\" font-weight=\"600\"";
    svg.text((LEFT, 22.0), "start", bold, &name);
    let mut y = 22.0;
    for row in &facts {
        y += LINE;
        svg.text(
            (LEFT, y),
            "start",
            &format!("fill=\"{}\"", theme.faint),
            row,
        );
    }
    for row in &legend {
        y += LINE;
        let mut x = LEFT;
        for it in row {
            svg.push(&format!(
                "<g transform=\"translate({} {})\">{}</g>",
                round(x),
                round(y),
                it.sample
            ));
            svg.text((x + SAMPLE, y), "start", "", &it.words);
            x += it.width();
        }
    }
    axes(&mut svg, &scale, last, theme);
    limits(&mut svg, &scale, &steps, theme);
    range(&mut svg, &scale, entry, theme);
    let columns = scale.columns(&live.lines);
    let path = scale.path(&columns);
    let (left, bottom) = (round(scale.left), round(scale.below));
    let colour = colour_of(live.counted, theme);
    svg.push(&format!(
        "<path d=\"{path}V{bottom}H{left}Z\" fill=\"{colour}\" fill-opacity=\"0.15\"/>"
    ));
    if live.counted == LiveIn::MachineCode {
        let path = scale.path(&scale.columns(written));
        svg.push(&format!(
            "<path d=\"{path}\" fill=\"none\" {}/>",
            stroke_of(LiveIn::Text, live.counted, theme)
        ));
    }
    svg.push(&format!(
        "<path d=\"{path}\" fill=\"none\" {}/>",
        stroke_of(live.counted, live.counted, theme)
    ));
    if let Some(exact) = exact {
        let (y, right) = (
            round(scale.y(exact.registers.registers)),
            round(scale.right),
        );
        svg.push(&format!(
            "<path d=\"M{left} {y}H{right}\" stroke=\"{}\" stroke-width=\"1.5\"/>",
            theme.exact
        ));
    }
    let mut labels = Labels { taken: Vec::new() };
    peak(&mut svg, &scale, &live, &mut labels, theme);
    cap(&mut svg, &scale, entry, &mut labels, theme);
    for (column, most) in (0_u32..).zip(&columns) {
        let Some((line, registers)) = most else {
            continue;
        };
        let (x, next) = (scale.x(column), scale.x(column + 1));
        svg.push(&format!(
            "<rect data-line=\"{line}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" \
             fill-opacity=\"0\"><title>line {}: {registers} {}</title></rect>",
            round(x),
            round(scale.above),
            round(next - x),
            round(scale.below - scale.above),
            line.saturating_add(1),
            live.counted.words(),
        ));
    }
    svg.finish()
}

/// Several charts below each other, as one drawing.
pub fn column(charts: &[String]) -> String {
    let heights: Vec<f64> = charts.iter().map(|it| height_of(it)).collect();
    let Size { width, .. } = Size::default();
    let height: f64 = heights.iter().sum();
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\">\n"
    );
    let mut y = 0.0;
    for (chart, height) in charts.iter().zip(heights) {
        out.push_str(&chart.replacen("<svg ", &format!("<svg y=\"{y}\" "), 1));
        y += height;
    }
    out.push_str("</svg>\n");
    out
}

/// The height of a drawing, which [`Svg::new`] has written.
fn height_of(svg: &str) -> f64 {
    let after = svg.split_once(" height=\"");
    let number = after.and_then(|it| it.1.split('"').next());
    number.and_then(|it| it.parse().ok()).unwrap_or(0.0)
}

/// The name of an entry and rows with its figures, for a width in pixels.
fn heading(
    entry: &EntryRegisters,
    exact: Option<&ExactEntry>,
    width: f64,
) -> (String, Vec<String>) {
    // Bold type of 14 pixels.
    let fits = (width / (CHARACTER * 1.35)) as usize;
    let name = shortened(&short_name(&entry.name), fits.min(MAX_NAME));
    let exact = exact.map(|it| it.registers.registers);
    let registers = exact.unwrap_or(entry.estimate);
    let warps = entry.steps.iter().find(|it| it.0 >= registers);
    let warps = warps.map_or(entry.warps, |it| it.1);
    let assumed = match entry.threads_assumed {
        true => " assumed",
        false => "",
    };
    let estimate = format!("{} ({} to {})", entry.estimate, entry.low, entry.high);
    let mut facts = match exact {
        Some(exact) => vec![
            format!("{exact} registers by ptxas"),
            format!("estimated {estimate}"),
        ],
        None => match entry.may_need() {
            Some(most) => vec![
                format!("about {estimate} registers"),
                format!("perhaps {most}"),
            ],
            None => vec![format!("about {estimate} registers")],
        },
    };
    facts.push(format!("{warps} of {} warps on {}", entry.of, entry.target));
    facts.push(format!("{} threads per block{assumed}", entry.threads));
    let mut rows: Vec<String> = Vec::new();
    for fact in facts {
        match rows.last_mut() {
            Some(row)
                if (row.chars().count() + fact.chars().count() + 2) as f64 * CHARACTER <= width =>
            {
                row.push_str(", ");
                row.push_str(&fact);
            }
            _ => rows.push(fact),
        }
    }
    (name, rows)
}

/// The width of a sample of the legend, with the gap after it.
const SAMPLE: f64 = 28.0;

impl LegendEntry {
    fn width(&self) -> f64 {
        SAMPLE + self.words.chars().count() as f64 * CHARACTER + 16.0
    }
}

fn colour_of(counted: LiveIn, theme: &Theme) -> &'static str {
    match counted {
        LiveIn::Text => theme.curve,
        LiveIn::MachineCode => theme.exact,
    }
}

/// The look of a curve; that which is not the count of the chart is dashed.
fn stroke_of(curve: LiveIn, counted: LiveIn, theme: &Theme) -> String {
    let (colour, dashes) = match curve == counted {
        true => (colour_of(curve, theme), ""),
        false => (theme.written, " stroke-dasharray=\"4 2\""),
    };
    format!("stroke=\"{colour}\" stroke-width=\"1.5\"{dashes}")
}

fn legend(
    entry: &EntryRegisters,
    exact: Option<&ExactEntry>,
    live: &LiveRegisters,
    theme: &Theme,
) -> Vec<LegendEntry> {
    let curve = |curve: LiveIn| LegendEntry {
        sample: format!(
            "<path d=\"M0 -4h22\" {}/>",
            stroke_of(curve, live.counted, theme)
        ),
        words: curve.words().to_owned(),
    };
    let mut items = match live.counted {
        LiveIn::Text => vec![curve(LiveIn::Text)],
        LiveIn::MachineCode => vec![curve(LiveIn::MachineCode), curve(LiveIn::Text)],
    };
    if exact.is_none() || entry.low < entry.high {
        items.push(LegendEntry {
            sample: format!(
                "<rect y=\"-9\" width=\"22\" height=\"10\" fill=\"{0}\" fill-opacity=\"0.2\"/>\
                 <path d=\"M0 -4h22\" stroke=\"{0}\" stroke-dasharray=\"8 4\"/>",
                theme.faint
            ),
            words: "estimate".to_owned(),
        });
    }
    items
}

/// The axes with numbers.
fn axes(svg: &mut Svg, scale: &Scale, last: u32, theme: &Theme) {
    let faint = format!("fill=\"{}\"", theme.faint);
    let grid = theme.grid;
    let (left, right) = (round(scale.left), round(scale.right));
    // A number at least this many pixels after the last.
    let number_of = |pixels: f64, each: f64| ((pixels / each) as u32).max(1);
    let unit = nice(scale.top / number_of(scale.below - scale.above, 40.0));
    for registers in (0..=scale.top).step_by(unit as usize) {
        let y = round(scale.y(registers));
        svg.push(&format!(
            "<path d=\"M{left} {y}H{right}\" stroke=\"{grid}\"/>"
        ));
        svg.text((left - 8.0, y + 4.0), "end", &faint, &registers.to_string());
    }
    let unit = nice((last - scale.first) / number_of(scale.right - scale.left, 80.0));
    let mut line = (scale.first + 1).next_multiple_of(unit);
    let bottom = round(scale.below);
    while line <= last.saturating_add(1) {
        let x = round(scale.x(scale.column(line - 1)));
        svg.push(&format!(
            "<path d=\"M{x} {bottom}V{}\" stroke=\"{grid}\"/>",
            bottom + 4.0
        ));
        svg.text((x, bottom + 17.0), "middle", &faint, &line.to_string());
        line = line.saturating_add(unit);
    }
    let middle = (scale.left + scale.right) / 2.0;
    svg.text((middle, bottom + 36.0), "middle", &faint, "line");
}

/// A round number of at least this size.
fn nice(least: u32) -> u32 {
    let mut power = 1_u32;
    loop {
        for digit in [1, 2, 5] {
            let unit = power.saturating_mul(digit);
            if unit >= least {
                return unit;
            }
        }
        power = power.saturating_mul(10);
    }
}

/// A line at each number of registers above which fewer warps fit, with its label at the curves.
fn limits(svg: &mut Svg, scale: &Scale, steps: &[(u32, String)], theme: &Theme) {
    let faint = format!("fill=\"{}\" font-size=\"11\"", theme.faint);
    let (left, right) = (round(scale.left), round(scale.right));
    let mut lowest = f64::MAX;
    for (registers, text) in steps {
        let y = round(scale.y(*registers));
        svg.push(&format!(
            "<path d=\"M{left} {y}H{right}\" stroke=\"{}\" stroke-dasharray=\"2 4\"/>",
            theme.faint
        ));
        // Labels that would overlap are omitted.
        if lowest - y >= 14.0 {
            svg.text((right + 6.0, y + 3.0), "start", &faint, text);
            lowest = y;
        }
    }
}

/// The most registers that launch bounds allow.
fn cap(svg: &mut Svg, scale: &Scale, entry: &EntryRegisters, labels: &mut Labels, theme: &Theme) {
    let Some((cap, directive)) = entry.cap else {
        return;
    };
    let y = round(scale.y(cap.min(scale.top)));
    let (left, right) = (round(scale.left), round(scale.right));
    let red = theme.warning;
    svg.push(&format!(
        "<path d=\"M{left} {y}H{right}\" stroke=\"{red}\" stroke-dasharray=\"6 3\"/>"
    ));
    let style = format!("fill=\"{red}\" font-size=\"11\"");
    let text = format!("{cap} allowed by {directive}");
    let place = |x: f64, y: f64, anchor: &'static str| LabelPosition { x, y, anchor };
    let places = [
        place(right - 4.0, y - 5.0, "end"),
        place(left + 4.0, y - 5.0, "start"),
        place(right - 4.0, y + 13.0, "end"),
        place(left + 4.0, y + 13.0, "start"),
    ];
    labels.write(svg, scale, &places, &style, &text, theme);
}

/// The estimate, as a band.
fn range(svg: &mut Svg, scale: &Scale, entry: &EntryRegisters, theme: &Theme) {
    let (left, width) = (round(scale.left), round(scale.right - scale.left));
    let (high, low) = (scale.y(entry.high), scale.y(entry.low));
    let y = round(scale.y(entry.estimate));
    svg.push(&format!(
        "<rect x=\"{left}\" y=\"{}\" width=\"{width}\" height=\"{}\" fill=\"{2}\" \
         fill-opacity=\"0.12\"><title>the estimate: {3} to {4}</title></rect>\n\
         <path d=\"M{left} {y}h{width}\" stroke=\"{2}\" stroke-dasharray=\"8 4\"/>",
        round(high),
        round(low - high),
        theme.faint,
        entry.low,
        entry.high,
    ));
}

/// Where most registers are live.
fn peak(svg: &mut Svg, scale: &Scale, live: &LiveRegisters, labels: &mut Labels, theme: &Theme) {
    let Some((line, most)) = live.peak() else {
        return;
    };
    let column = scale.column(line);
    let x = round((scale.x(column) + scale.x(column + 1)) / 2.0);
    let y = round(scale.y(most));
    let colour = colour_of(live.counted, theme);
    svg.push(&format!(
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"{colour}\"/>"
    ));
    let text = format!("{most} at line {}", line.saturating_add(1));
    let style = format!("fill=\"{colour}\" font-weight=\"600\"");
    let place = |x: f64, y: f64, anchor: &'static str| LabelPosition { x, y, anchor };
    let middle = (scale.left + scale.right) / 2.0;
    let places = [
        place(x + 7.0, y - 6.0, "start"),
        place(x - 7.0, y - 6.0, "end"),
        place(middle, y - 6.0, "middle"),
        place(x + 7.0, y + 14.0, "start"),
        place(x - 7.0, y + 14.0, "end"),
    ];
    labels.write(svg, scale, &places, &style, &text, theme);
}
