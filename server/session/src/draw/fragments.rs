//! Figures of fragments: which lane holds which elements of the matrices of an instruction, in which register.

use std::fmt::Write as _;

use analysis::matrix_layout::Fragment;

use super::svg::{Svg, Theme, round};

/// The least width and height of a box with the number of a lane and a register.
const BOX: (f64, f64) = (42.0, 15.0);
/// Between matrices, and around them.
const GAP: f64 = 28.0;
/// Room for the name of a matrix.
const HEADING: f64 = 20.0;

/// Neighbouring elements of one register of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    lane: u32,
    register: u32,
    row: u32,
    column: u32,
    /// Rows and columns that it covers.
    size: (u32, u32),
}

/// The most rows, and boxes in a row, of a matrix whose beginning is drawn.
const BEGINNING: (u32, u32) = (16, 8);

/// A matrix with its place in the drawing.
struct Panel<'a> {
    fragment: &'a Fragment,
    runs: Vec<Run>,
    /// Rows and columns that are drawn.
    shown: (u32, u32),
    /// Width and height of an element.
    unit: (f64, f64),
    at: (f64, f64),
}

impl<'a> Panel<'a> {
    fn new(fragment: &'a Fragment, whole: bool) -> Panel<'a> {
        let mut runs = runs(fragment);
        let mut shown = (fragment.rows, fragment.columns);
        if !whole {
            let narrowest = runs.iter().map(|it| it.size.1).min().unwrap_or(1);
            shown.0 = shown.0.min(BEGINNING.0);
            shown.1 = shown.1.min(BEGINNING.1 * narrowest);
            let is_shown =
                |it: &Run| it.row + it.size.0 <= shown.0 && it.column + it.size.1 <= shown.1;
            runs.retain(is_shown);
        }
        let widest = runs.iter().map(|it| it.size.1).min().unwrap_or(1);
        let highest = runs.iter().map(|it| it.size.0).min().unwrap_or(1);
        Panel {
            fragment,
            runs,
            shown,
            unit: (BOX.0 / f64::from(widest), BOX.1 / f64::from(highest)),
            at: (0.0, 0.0),
        }
    }

    fn size(&self) -> (f64, f64) {
        (
            f64::from(self.shown.1) * self.unit.0,
            f64::from(self.shown.0) * self.unit.1 + HEADING,
        )
    }

    fn draw(&self, svg: &mut Svg, theme: &Theme) {
        let (x, y) = self.at;
        svg.text(
            (x, y + 12.0),
            "start",
            "font-weight=\"bold\"",
            &self.caption(),
        );
        let y = y + HEADING;
        let name = self.fragment.operand;
        for run in &self.runs {
            let left = round(x + f64::from(run.column) * self.unit.0);
            let top = round(y + f64::from(run.row) * self.unit.1);
            let width = round(f64::from(run.size.1) * self.unit.0);
            let height = round(f64::from(run.size.0) * self.unit.1);
            let fill = theme.heat[run.register as usize % theme.heat.len()];
            let mut element = String::new();
            let _ = write!(
                element,
                "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>\
                 <text x=\"{}\" y=\"{}\">T{} {name}{}</text>",
                round(left + width / 2.0),
                round(top + height / 2.0 + 3.0),
                run.lane,
                run.register,
            );
            svg.push(&element);
        }
    }

    fn caption(&self) -> String {
        let Fragment {
            matrix,
            rows,
            columns,
            ..
        } = self.fragment;
        let mut text = format!("{matrix}: {rows} × {columns}");
        if let Some((kept, of)) = self.fragment.kept {
            let _ = write!(text, " kept ({kept} of {of})");
        }
        if self.fragment.parts.1 > 1 {
            let _ = write!(
                text,
                ", {} 0 of {}",
                self.fragment.parts.0, self.fragment.parts.1
            );
        }
        if self.shown.0 < *rows {
            let _ = write!(text, ", rows 0–{}", self.shown.0 - 1);
        }
        if self.shown.1 < *columns {
            let _ = write!(text, ", columns 0–{}", self.shown.1 - 1);
        }
        text
    }
}

/// The boxes of the first part of a fragment.
fn runs(fragment: &Fragment) -> Vec<Run> {
    let mut all = Vec::new();
    for lane in 0..fragment.lanes {
        for register in 0..fragment.registers {
            let mut cells: Vec<(u32, u32)> = (0..fragment.elements)
                .map(|it| fragment.position(lane, register, it))
                .filter(|it| it.part == 0)
                .map(|it| (it.row, it.column))
                .collect();
            cells.sort_unstable();
            let first = all.len();
            for (row, column) in cells {
                // Boxes grow to the right or down, not both.
                let grown = all[first..].iter_mut().find(|it: &&mut Run| {
                    let right = it.size.0 == 1 && it.row == row && it.column + it.size.1 == column;
                    let down = it.size.1 == 1 && it.column == column && it.row + it.size.0 == row;
                    right || down
                });
                match grown {
                    Some(run) if run.row == row => run.size.1 += 1,
                    Some(run) => run.size.0 += 1,
                    None => all.push(Run {
                        lane,
                        register,
                        row,
                        column,
                        size: (1, 1),
                    }),
                }
            }
        }
    }
    all
}

/// Draws the fragments of an instruction: B above D and right of A where it has them, as in a product on paper.
///
/// C is drawn only if it is spread otherwise than D.
#[must_use]
pub fn fragments(title: &str, all: &[Fragment], theme: &Theme) -> String {
    drawing(title, all, theme, true)
}

/// Draws the first rows and columns of fragments, where they have many: the others repeat them.
#[must_use]
pub fn beginning(title: &str, all: &[Fragment], theme: &Theme) -> String {
    drawing(title, all, theme, false)
}

fn drawing(title: &str, all: &[Fragment], theme: &Theme, whole: bool) -> String {
    let of = |name| all.iter().find(|it: &&Fragment| it.operand == name);
    let is_product = of("a").is_some() && of("d").is_some() && of("d") != of("a");
    let panel = |fragment| Panel::new(fragment, whole);
    let mut panels: Vec<Panel<'_>> = Vec::new();
    let (mut width, mut height) = (0.0_f64, 0.0_f64);
    if is_product && all.len() > 1 && of("d").is_some_and(|it| it.matrix == "D") {
        let mut a = of("a").map(panel);
        let mut b = of("b").map(panel);
        let mut d = of("d").map(panel);
        let left = a.as_ref().map_or(0.0, |it| it.size().0 + GAP);
        let top = b.as_ref().map_or(0.0, |it| it.size().1 + GAP);
        let mut place = |panel: &mut Option<Panel<'_>>, at: (f64, f64)| {
            if let Some(panel) = panel {
                panel.at = (GAP + at.0, GAP + at.1);
                width = width.max(panel.at.0 + panel.size().0 + GAP);
                height = height.max(panel.at.1 + panel.size().1 + GAP);
            }
        };
        place(&mut a, (0.0, top));
        place(&mut b, (left, 0.0));
        place(&mut d, (left, top));
        // If C has another layout than D, it is drawn next to D.
        let differs = |c: &&Fragment| of("d").is_none_or(|d| d.terms != c.terms);
        let mut c = of("c").filter(differs).map(panel);
        let beside = left + d.as_ref().map_or(0.0, |it| it.size().0 + GAP);
        place(&mut c, (beside, top));
        panels.extend([a, b, d, c].into_iter().flatten());
    } else {
        let mut x = GAP;
        for fragment in all {
            let mut one = panel(fragment);
            one.at = (x, GAP);
            x += one.size().0 + GAP;
            width = x;
            height = height.max(one.size().1 + 2.0 * GAP);
            panels.push(one);
        }
    }
    let mut svg = Svg::new(width.max(260.0), height + 16.0, title, theme);
    svg.push(&format!(
        "<g font-size=\"9\" text-anchor=\"middle\" stroke=\"none\">\
         <style>rect{{stroke:{};stroke-width:.5}}</style>",
        theme.grid
    ));
    for panel in &panels {
        panel.draw(&mut svg, theme);
    }
    svg.push("</g>");
    let style = format!("font-size=\"10\" fill=\"{}\"", theme.faint);
    let note = "T5 a1: register 1 of operand a in lane 5";
    svg.text((GAP, height + 6.0), "start", &style, note);
    svg.finish()
}

#[cfg(test)]
mod tests {
    use analysis::matrix_layout::{CATALOG, Layout};

    use super::*;

    fn drawn(instruction: &str, words: &str) -> String {
        let example = CATALOG
            .iter()
            .find(|it| (it.instruction, it.words) == (instruction, words))
            .expect("an example");
        let Some(Layout::Fragments(all)) = example.layout() else {
            panic!("{example:?}");
        };
        fragments(example.title, &all, &Theme::for_background(false))
    }

    #[test]
    fn every_element_is_in_one_box() {
        for example in CATALOG {
            let Some(Layout::Fragments(all)) = example.layout() else {
                panic!("{example:?}");
            };
            for fragment in all {
                let area: u32 = runs(&fragment).iter().map(|it| it.size.0 * it.size.1).sum();
                assert_eq!(area, fragment.rows * fragment.columns, "{example:?}");
            }
        }
    }

    #[test]
    fn boxes_name_lane_and_register() {
        let svg = drawn("mma", "m16n8k16.row.col.f32.bf16.bf16.f32");
        // 128 boxes of A, 64 of B and 128 of D.
        assert_eq!(svg.matches("<rect x=").count(), 128 + 64 + 128);
        assert!(svg.contains(">T0 a0<") && svg.contains(">T31 b1<") && svg.contains(">T31 d3<"));
        assert!(svg.contains("A: 16 × 16") && svg.contains("B: 16 × 8"));
        let svg = drawn("mma", "sp.m16n8k32.row.col.f32.f16.f16.f32");
        assert!(svg.contains("A: 16 × 16 kept (2 of 4)"));
        let svg = drawn("ldmatrix", "m8n8.x1.b16");
        assert_eq!(svg.matches("<rect x=").count(), 32);
    }
}
