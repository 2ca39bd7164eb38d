//! Maps of kernels as drawings: shared memory, the roles of warps with their loops, mbarriers, copies and barriers.

use std::fmt::Write as _;

use analysis::{KernelLoop, KernelMap, WarpRole};
use syntax::{TextRange, text::LineTable};

use super::{
    cost::cost,
    rows::{self, Row, counted},
    svg::{Svg, Theme, escape, round, shortened},
};

const MARGIN: f64 = 20.0;
/// The width of the column of a role, and the gap between two of them.
const COLUMN: f64 = 330.0;
const GAP: f64 = 14.0;
/// Columns side by side at most.
const MOST_COLUMNS: usize = 3;
/// The height of a line of text.
const LINE: f64 = 17.0;
const PADDING: f64 = 8.0;
/// The width of a character, with 12 pixels.
const CHARACTER: f64 = 6.3;
/// The height of the bar of shared memory.
const BAR: f64 = 38.0;
/// The least width of a variable in it.
const NARROW: f64 = 90.0;
/// The radius of a stage of a ring, and how many are drawn.
const STAGE: f64 = 6.0;
const MOST_STAGES: usize = 12;
/// Loops and rows of a part that are drawn at most.
const MOST: usize = 200;
/// Nested boxes that are drawn.
const MOST_LEVELS: u32 = 8;

/// A drawing of a map; an `<svg>` element.
#[must_use]
pub fn kernel_map(map: &KernelMap, lines: &LineTable, theme: &Theme) -> String {
    let columns = map.roles.len().clamp(2, MOST_COLUMNS);
    let width = columns as f64 * (COLUMN + GAP) - GAP;
    let mut drawing = Drawing {
        map,
        lines,
        theme,
        svg: String::new(),
        y: MARGIN,
        width,
    };
    drawing.y += LINE;
    let title = rows::title(map);
    drawing.text(
        MARGIN,
        drawing.y,
        "font-size=\"15\" font-weight=\"600\"",
        &title,
        width,
    );
    drawing.y += PADDING;
    drawing.shared_memory();
    drawing.roles();
    for section in rows::sections(map, lines) {
        if !matches!(section.title, "shared memory" | "roles of warps" | "loops") {
            drawing.section(section.title, &section.rows);
        }
    }
    let (width, height) = (width + 2.0 * MARGIN, drawing.y + MARGIN);
    let mut svg = Svg::new(width, height, &title, theme);
    svg.push(drawing.svg.trim_end());
    svg.finish()
}

/// A drawing that grows downwards.
struct Drawing<'a> {
    map: &'a KernelMap,
    lines: &'a LineTable,
    theme: &'a Theme,
    svg: String,
    /// Where the next part begins.
    y: f64,
    /// The width without margins.
    width: f64,
}

impl Drawing<'_> {
    /// The attributes that lead to the lines of a range, counted from 0.
    fn place(&self, range: TextRange) -> String {
        let first = self.lines.line_of(range.start());
        let last = self.lines.line_of(range.end());
        format!("data-line=\"{first}\" data-end=\"{last}\"")
    }

    fn text(&mut self, x: f64, y: f64, style: &str, text: &str, width: f64) {
        let most = (width / CHARACTER) as usize;
        let _ = writeln!(
            self.svg,
            "<text x=\"{}\" y=\"{}\" {style}>{}</text>",
            round(x),
            round(y),
            escape(&shortened(text, most))
        );
    }

    fn heading(&mut self, title: &str) {
        self.y += LINE + PADDING;
        let style = format!("font-weight=\"600\" fill=\"{}\"", self.theme.faint);
        self.text(MARGIN, self.y, &style, title, self.width);
        self.y += PADDING;
    }

    fn frame(&mut self, at: (f64, f64), size: (f64, f64), fill: &str, stroke: &str, more: &str) {
        let _ = writeln!(
            self.svg,
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\" fill=\"{fill}\" \
             stroke=\"{stroke}\" {more}/>",
            round(at.0),
            round(at.1),
            round(size.0),
            round(size.1)
        );
    }

    /// The variables side by side, wider if they have more bytes.
    fn shared_memory(&mut self) {
        let variables = &self.map.variables[..self.map.variables.len().min(MOST)];
        if variables.is_empty() {
            return;
        }
        self.heading("shared memory");
        let per_row = (self.width / NARROW) as usize;
        for row in variables.chunks(per_row.max(1)) {
            let free = self.width - NARROW * row.len() as f64;
            let sum: u64 = row.iter().filter_map(|it| it.bytes).sum();
            let mut x = MARGIN;
            for it in row {
                // Without a size in the text, it takes what is there.
                let share = match (it.bytes, sum) {
                    (Some(bytes), 1..) => bytes as f64 / sum as f64,
                    _ => 1.0 / row.len() as f64,
                };
                let width = NARROW + free * share.min(1.0);
                let width = width.min(MARGIN + self.width - x);
                let (fill, dash) = match it.bytes {
                    Some(_) => (self.theme.heat[1], ""),
                    None => (self.theme.heat[0], "stroke-dasharray=\"4 3\""),
                };
                let first = it
                    .writes
                    .iter()
                    .chain(&it.reads)
                    .min_by_key(|it| it.start());
                let place = first.map_or_else(String::new, |it| {
                    format!("data-line=\"{}\"", self.lines.line_of(it.start()))
                });
                let size = match it.bytes {
                    Some(bytes) => format!("{bytes} bytes"),
                    None => "dynamic".to_owned(),
                };
                let _ = writeln!(self.svg, "<g {place}>");
                self.frame((x, self.y), (width, BAR), fill, self.theme.grid, dash);
                let inside = width - 2.0 * PADDING;
                self.text(x + PADDING, self.y + 15.0, "", &it.name, inside);
                let faint = format!("fill=\"{}\" font-size=\"11\"", self.theme.faint);
                self.text(x + PADDING, self.y + 30.0, &faint, &size, inside);
                self.svg.push_str("</g>\n");
                x += width;
            }
            self.y += BAR + 4.0;
        }
    }

    /// The roles as columns with their loops; loops of no role come first.
    fn roles(&mut self) {
        let (map, full) = (self.map, self.width);
        let within = |it: &KernelLoop, role: &WarpRole| role.range.contains_range(it.range);
        let all = &map.loops[..map.loops.len().min(MOST)];
        let common: Vec<&KernelLoop> = (all.iter())
            .filter(|it| !map.roles.iter().any(|role| within(it, role)))
            .collect();
        if !common.is_empty() {
            self.heading(match map.roles.is_empty() {
                true => "loops",
                false => "loops of several roles",
            });
            self.y = self.loops((MARGIN, self.y), full, &common);
        }
        if map.roles.is_empty() {
            return;
        }
        self.heading("roles of warps");
        for row in map.roles.chunks(MOST_COLUMNS) {
            let top = self.y;
            let mut bottom = top;
            for (index, role) in row.iter().enumerate() {
                let x = MARGIN + index as f64 * (COLUMN + GAP);
                let own: Vec<&KernelLoop> = all.iter().filter(|it| within(it, role)).collect();
                bottom = bottom.max(self.role((x, top), role, &own));
            }
            self.y = bottom + GAP;
        }
    }

    /// Draws a role; the place below it.
    fn role(&mut self, at: (f64, f64), role: &WarpRole, loops: &[&KernelLoop]) -> f64 {
        let place = self.place(role.range);
        let counts = counted(&[
            (role.copies.len(), "copy"),
            (role.products.len(), "product"),
            (role.stores.len(), "store"),
        ]);
        let registers: Vec<String> = role.registers.iter().map(i64::to_string).collect();
        let registers = match registers.is_empty() {
            true => String::new(),
            false => format!("registers per thread: {}", registers.join(", then ")),
        };
        let first = self.lines.line_of(role.range.start()) + 1;
        let last = self.lines.line_of(role.range.end()) + 1;
        let heading = format!("{}, lines {first}-{last}", role.name);
        // The frame is as high as what is in it, which is drawn first.
        let before = std::mem::take(&mut self.svg);
        let inside = COLUMN - 2.0 * PADDING;
        let mut y = at.1 + LINE;
        let _ = writeln!(self.svg, "<g {place}>");
        self.text(at.0 + PADDING, y, "font-weight=\"600\"", &heading, inside);
        let faint = format!("fill=\"{}\"", self.theme.faint);
        for text in [registers, counts] {
            if !text.is_empty() {
                y += LINE;
                self.text(at.0 + PADDING, y, &faint, &text, inside);
            }
        }
        self.svg.push_str("</g>\n");
        y = self.loops((at.0 + PADDING, y + PADDING), inside, loops) + PADDING;
        let content = std::mem::replace(&mut self.svg, before);
        let fill = match role.name {
            "producer" => self.theme.heat[1],
            "consumer" => self.theme.heat[2],
            _ => self.theme.heat[0],
        };
        let size = (COLUMN, y - at.1);
        self.frame(at, size, fill, self.theme.grid, &place);
        self.svg.push_str(&content);
        y
    }

    /// Draws loops, those inside others in the boxes of these; the place below them.
    fn loops(&mut self, at: (f64, f64), width: f64, loops: &[&KernelLoop]) -> f64 {
        let mut y = at.1;
        let mut next = 0;
        while let Some(it) = loops.get(next) {
            let rest = &loops[next + 1..];
            let inner = rest
                .iter()
                .take_while(|inner| inner.depth > it.depth)
                .count();
            y = self.a_loop((at.0, y), width, it, &rest[..inner]) + 4.0;
            next += inner + 1;
        }
        y
    }

    fn a_loop(
        &mut self,
        at: (f64, f64),
        width: f64,
        it: &KernelLoop,
        inner: &[&KernelLoop],
    ) -> f64 {
        let place = self.place(it.range);
        let first = self.lines.line_of(it.range.start()) + 1;
        let last = self.lines.line_of(it.range.end()) + 1;
        let counts = counted(&[
            (it.copies, "copy"),
            (it.products, "product"),
            (it.waits, "wait"),
            (it.barriers, "barrier"),
        ]);
        let title = format!("loop, lines {first}-{last}");
        let figures = it.cost.as_ref().map(cost).unwrap_or_default();
        let before = std::mem::take(&mut self.svg);
        let inside = width - 2.0 * PADDING;
        let mut y = at.1 + LINE - 3.0;
        let _ = writeln!(self.svg, "<g {place}>");
        self.text(at.0 + PADDING, y, "", &title, inside);
        let faint = format!("fill=\"{}\" font-size=\"11\"", self.theme.faint);
        for text in [figures, counts] {
            if !text.is_empty() {
                y += LINE - 2.0;
                self.text(at.0 + PADDING, y, &faint, &text, inside * 1.08);
            }
        }
        self.svg.push_str("</g>\n");
        y += PADDING - 1.0;
        if !inner.is_empty() {
            let step = if it.depth < MOST_LEVELS { PADDING } else { 0.0 };
            y = self.loops((at.0 + step, y), width - 2.0 * step, inner) + 2.0;
        }
        let content = std::mem::replace(&mut self.svg, before);
        let frame = format!("{place} fill-opacity=\"0.6\"");
        let (fill, stroke) = (self.theme.background, self.theme.curve);
        self.frame(at, (width, y - at.1), fill, stroke, &frame);
        self.svg.push_str(&content);
        y
    }

    /// Draws rows of text, mbarriers and tiles with their stages.
    fn section(&mut self, title: &str, all: &[Row]) {
        self.heading(title);
        for (index, it) in all.iter().take(MOST).enumerate() {
            let first = it.ranges.iter().min_by_key(|it| it.start());
            let place = first.map_or_else(String::new, |it| {
                format!("data-line=\"{}\"", self.lines.line_of(it.start()))
            });
            let _ = writeln!(self.svg, "<g {place}>");
            let mut x = MARGIN;
            let ring = self.map.rings.get(index).filter(|_| title == "mbarriers");
            if let Some(ring) = ring {
                for _ in 0..ring.stages.min(MOST_STAGES) {
                    let _ = writeln!(
                        self.svg,
                        "<circle cx=\"{}\" cy=\"{}\" r=\"{STAGE}\" fill=\"{}\" stroke=\"{}\"/>",
                        round(x + STAGE),
                        round(self.y + LINE - 4.0),
                        self.theme.heat[3],
                        self.theme.grid
                    );
                    x += 2.0 * STAGE + 2.0;
                }
                x += 4.0;
            }
            // The stages of a tile side by side; one whose stages are not known is a box with a dashed line.
            let tile = self.map.tiles.get(index);
            let tile = tile.filter(|it| title == rows::TILES && it.place.is_some());
            if let Some(tile) = tile {
                let dash = match tile.stages {
                    Some(_) => "",
                    None => "stroke-dasharray=\"3 2\"",
                };
                let (fill, stroke) = (self.theme.heat[1], self.theme.grid);
                for _ in 0..tile.stages.unwrap_or(1).min(MOST_STAGES) {
                    let at = (x, self.y + LINE - 4.0 - STAGE);
                    self.frame(at, (2.0 * STAGE, 2.0 * STAGE), fill, stroke, dash);
                    x += 2.0 * STAGE + 2.0;
                }
                x += 4.0;
            }
            for (line, text) in wrapped(&it.text, ((MARGIN + self.width - x) / CHARACTER) as usize)
                .iter()
                .enumerate()
            {
                self.y += LINE;
                let style = match line {
                    0 => String::new(),
                    _ => format!("fill=\"{}\"", self.theme.faint),
                };
                self.text(x, self.y, &style, text, self.width);
            }
            self.svg.push_str("</g>\n");
            self.y += 2.0;
        }
        if all.len() > MOST {
            self.y += LINE;
            let text = format!("and {} more", all.len() - MOST);
            self.text(MARGIN, self.y, "", &text, self.width);
        }
    }
}

/// A text in lines of at most this number of characters, unless a word is longer.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
