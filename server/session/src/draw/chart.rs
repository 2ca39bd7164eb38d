//! The registers that are live at the lines of an entry, as a chart.

use std::fmt::Write as _;

use analysis::{EntryRegisters, short_name};

use super::svg::{Svg, Theme, round, shortened};

// Half a window wide: panels show the words at nearly their size.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 336.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = 116.0;
const TOP: f64 = 74.0;
const BOTTOM: f64 = 44.0;
/// The base line of the legend.
const LEGEND: f64 = 60.0;
/// Columns at most; lines that share a column show the one with the most registers.
const COLUMNS: u32 = 480;
/// Characters of a name at most.
const MAX_NAME: usize = 48;

/// The figures of ptxas for an entry.
#[derive(Clone, Copy, Debug)]
pub struct Exact<'a> {
    /// Registers of a thread.
    pub registers: u32,
    /// How many are live at each line, in the order of the text; lines count from 0.
    pub lines: &'a [(u32, u32)],
}

/// Where lines and registers are in the drawing.
struct Scale {
    first: u32,
    /// How many lines share a column.
    step: u32,
    columns: u32,
    top: u32,
}

impl Scale {
    fn x(&self, column: u32) -> f64 {
        let part = f64::from(column) / f64::from(self.columns.max(1));
        LEFT + part * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, registers: u32) -> f64 {
        let part = f64::from(registers) / f64::from(self.top.max(1));
        HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)
    }

    /// For each column the line with the most registers, and how many those are.
    fn columns(&self, lines: &[(u32, u32)]) -> Vec<Option<(u32, u32)>> {
        let mut columns = vec![None; self.columns as usize];
        for (line, registers) in lines {
            let column = line.saturating_sub(self.first) / self.step;
            if let Some(most) = columns.get_mut(column as usize)
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

/// Draws the chart of an entry; beside the estimate what ptxas says, if that is known.
pub fn register_chart(entry: &EntryRegisters, exact: Option<Exact<'_>>, theme: &Theme) -> String {
    let lines = &entry.alive;
    let first = lines.first().map_or(0, |it| it.0);
    let last = lines.last().map_or(first, |it| it.0);
    let count = (last - first).saturating_add(1);
    let step = count.div_ceil(COLUMNS);
    let most = (lines.iter().chain(&entry.alive_reordered).map(|it| it.1))
        .chain([entry.high, 16])
        .chain(exact.iter().map(|it| it.registers))
        .max()
        .unwrap_or(16);
    let scale = Scale {
        first,
        step,
        columns: count.div_ceil(step),
        top: most.saturating_add(most / 12).next_multiple_of(8),
    };
    let title = format!("Registers of {}", short_name(&entry.name));
    let mut svg = Svg::new(WIDTH, HEIGHT, &title, theme);
    heading(&mut svg, entry, exact, theme);
    axes(&mut svg, &scale, last, theme);
    steps(&mut svg, &scale, entry, theme);
    range(&mut svg, &scale, entry, theme);
    let columns = scale.columns(lines);
    let reordered = scale.columns(&entry.alive_reordered);
    let (left, right, bottom) = (
        round(scale.x(0)),
        round(scale.x(scale.columns)),
        round(scale.y(0)),
    );
    let path = scale.path(&reordered);
    svg.push(&format!(
        "<path d=\"{path}V{bottom}H{left}Z\" fill=\"{}\" fill-opacity=\"0.15\"/>",
        theme.curve
    ));
    let mut curves = vec![
        (
            "as written",
            columns.clone(),
            theme.written,
            " stroke-dasharray=\"4 2\"",
        ),
        ("reordered", reordered.clone(), theme.curve, ""),
    ];
    if let Some(exact) = exact {
        let y = round(scale.y(exact.registers));
        svg.push(&format!(
            "<path d=\"M{left} {y}H{right}\" stroke=\"{}\" stroke-width=\"1.5\"/>",
            theme.exact
        ));
        curves.push(("by ptxas", scale.columns(exact.lines), theme.exact, ""));
    }
    let mut x = LEFT;
    for (name, columns, colour, dashes) in &curves {
        let path = scale.path(columns);
        let stroke = format!("stroke=\"{colour}\" stroke-width=\"1.5\"{dashes}");
        svg.push(&format!("<path d=\"{path}\" fill=\"none\" {stroke}/>"));
        // The legend.
        svg.push(&format!("<path d=\"M{x} {}h22\" {stroke}/>", LEGEND - 4.0));
        svg.text((x + 28.0, LEGEND), "start", "", name);
        x += 110.0;
    }
    peak(&mut svg, &scale, entry, theme);
    for (column, most) in (0_u32..).zip(&columns) {
        let Some((line, registers)) = most else {
            continue;
        };
        let (x, next) = (scale.x(column), scale.x(column + 1));
        let other = reordered.get(column as usize).copied().flatten();
        let other = other.map_or(0, |it| it.1);
        svg.push(&format!(
            "<rect data-line=\"{line}\" x=\"{}\" y=\"{TOP}\" width=\"{}\" height=\"{}\" \
             fill-opacity=\"0\"><title>line {}: {registers} live, {other} reordered</title></rect>",
            round(x),
            round(next - x),
            HEIGHT - TOP - BOTTOM,
            line.saturating_add(1),
        ));
    }
    svg.finish()
}

/// Several charts below each other, as one drawing.
pub fn column(charts: &[String]) -> String {
    let height = HEIGHT * charts.len() as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\">\n"
    );
    for (index, chart) in charts.iter().enumerate() {
        let y = HEIGHT * index as f64;
        out.push_str(&chart.replacen("<svg ", &format!("<svg y=\"{y}\" "), 1));
    }
    out.push_str("</svg>\n");
    out
}

fn heading(svg: &mut Svg, entry: &EntryRegisters, exact: Option<Exact<'_>>, theme: &Theme) {
    let bold = "font-size=\"14\" font-weight=\"600\"";
    let mut name = shortened(&short_name(&entry.name), MAX_NAME);
    if let Some(exact) = exact {
        name.push_str(&format!(": {} registers by ptxas", exact.registers));
    }
    svg.text((LEFT, 22.0), "start", bold, &name);
    let text = format!(
        "about {} registers ({} to {}) on {}, {} of {} warps with {}{} threads per block",
        entry.estimate,
        entry.low,
        entry.high,
        entry.target,
        entry.warps,
        entry.of,
        entry.threads,
        if entry.threads_assumed {
            " assumed"
        } else {
            ""
        },
    );
    svg.text(
        (LEFT, 40.0),
        "start",
        &format!("fill=\"{}\"", theme.faint),
        &text,
    );
}

/// The axes with numbers.
fn axes(svg: &mut Svg, scale: &Scale, last: u32, theme: &Theme) {
    let faint = format!("fill=\"{}\"", theme.faint);
    let grid = theme.grid;
    let (left, right) = (LEFT, WIDTH - RIGHT);
    let unit = nice(scale.top / 5);
    for registers in (0..=scale.top).step_by(unit as usize) {
        let y = round(scale.y(registers));
        svg.push(&format!(
            "<path d=\"M{left} {y}H{right}\" stroke=\"{grid}\"/>"
        ));
        svg.text((left - 8.0, y + 4.0), "end", &faint, &registers.to_string());
    }
    let unit = nice((last - scale.first) / 6);
    let mut line = (scale.first + 1).next_multiple_of(unit);
    while line <= last.saturating_add(1) {
        let column = (line - 1).saturating_sub(scale.first) / scale.step;
        let x = round(scale.x(column));
        let bottom = HEIGHT - BOTTOM;
        svg.push(&format!(
            "<path d=\"M{x} {bottom}V{}\" stroke=\"{grid}\"/>",
            bottom + 4.0
        ));
        svg.text((x, bottom + 17.0), "middle", &faint, &line.to_string());
        line = line.saturating_add(unit);
    }
    let middle = LEFT + (WIDTH - LEFT - RIGHT) / 2.0;
    svg.text((middle, HEIGHT - 8.0), "middle", &faint, "line");
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

/// A line at each number of registers above which fewer warps fit.
fn steps(svg: &mut Svg, scale: &Scale, entry: &EntryRegisters, theme: &Theme) {
    let faint = format!("fill=\"{}\" font-size=\"11\"", theme.faint);
    let (left, right) = (LEFT, WIDTH - RIGHT);
    let mut lowest = f64::MAX;
    for (registers, warps) in entry.steps.iter().filter(|it| it.0 <= scale.top) {
        let y = round(scale.y(*registers));
        svg.push(&format!(
            "<path d=\"M{left} {y}H{right}\" stroke=\"{}\" stroke-dasharray=\"2 4\"/>",
            theme.faint
        ));
        // Labels that would lie on each other are left out.
        if lowest - y >= 12.0 {
            let text = format!("{warps} warps up to {registers}");
            svg.text((right + 6.0, y + 3.0), "start", &faint, &text);
            lowest = y;
        }
    }
    if let Some((cap, directive)) = entry.cap {
        let y = round(scale.y(cap.min(scale.top)));
        let red = theme.warning;
        svg.push(&format!(
            "<path d=\"M{left} {y}H{right}\" stroke=\"{red}\" stroke-dasharray=\"6 3\"/>"
        ));
        let style = format!("fill=\"{red}\" font-size=\"11\"");
        let text = format!("{cap} allowed by {directive}");
        svg.text((right - 4.0, y - 4.0), "end", &style, &text);
    }
}

/// The estimate, as a band.
fn range(svg: &mut Svg, scale: &Scale, entry: &EntryRegisters, theme: &Theme) {
    let (left, width) = (LEFT, WIDTH - LEFT - RIGHT);
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

/// Where most registers are probably live.
fn peak(svg: &mut Svg, scale: &Scale, entry: &EntryRegisters, theme: &Theme) {
    let Some(line) = entry.peak_line else { return };
    let most = entry.most_live;
    let column = line.saturating_sub(scale.first) / scale.step;
    let x = round((scale.x(column) + scale.x(column + 1)) / 2.0);
    let y = round(scale.y(most));
    svg.push(&format!(
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"{}\"/>",
        theme.curve
    ));
    let text = format!("{most} at line {}", line.saturating_add(1));
    let anchor = if x > (WIDTH - RIGHT) / 2.0 {
        "end"
    } else {
        "start"
    };
    let style = format!("fill=\"{}\" font-weight=\"600\"", theme.curve);
    let x = if anchor == "end" { x - 7.0 } else { x + 7.0 };
    svg.text((x, y - 6.0), anchor, &style, &text);
}
