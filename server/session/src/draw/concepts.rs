//! Figures of concepts, from the tables of their pages and from the formulas of the instruction set.

use analysis::{
    DocumentationKey, documentation,
    swizzle::{CHUNKS, LINES, MODES},
};

use super::svg::{Svg, Theme, round, shortened};

const MARGIN: f64 = 16.0;
const LINE: f64 = 18.0;

/// A figure of a concept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConceptFigure {
    /// The concept, by the first name of its page.
    pub concept: &'static str,
    /// Heading of the figure, for the book.
    pub title: &'static str,
    /// An `<svg>` element.
    pub svg: String,
}

/// A concept that has a figure, with its title and what draws it.
struct Subject {
    concept: &'static str,
    title: &'static str,
    draw: fn(&str, &Theme) -> Option<String>,
}

/// Every concept that has a figure.
const SUBJECTS: &[Subject] = &[
    Subject {
        concept: "swizzle",
        title: "Swizzling",
        draw: |_, theme| Some(swizzles(theme)),
    },
    Subject {
        concept: "tensor map",
        title: "Boxes of a tensor",
        draw: |_, theme| Some(boxes(theme)),
    },
    Subject {
        concept: "mbarrier",
        title: "Phases of an mbarrier",
        draw: |_, theme| Some(phases(theme)),
    },
    Subject {
        concept: "thread hierarchy",
        title: "Threads and the memory they share",
        draw: |title, theme| Some(nested(&table_of("thread hierarchy")?, title, theme)),
    },
    Subject {
        concept: "state spaces",
        title: "State spaces",
        draw: |title, theme| Some(spaces(&table_of("state spaces")?, title, theme)),
    },
    Subject {
        concept: "proxy",
        title: "Proxies and the fences between them",
        draw: |title, theme| Some(bridges(&table_of("proxy")?, title, theme)),
    },
    Subject {
        concept: "scope",
        title: "Scopes",
        draw: |title, theme| Some(nested(&scopes()?, title, theme)),
    },
];

/// The figures of all concepts that have one.
#[must_use]
pub fn concepts(theme: &Theme) -> Vec<ConceptFigure> {
    let drawn = SUBJECTS.iter().map(|it| drawn(it, theme));
    drawn.flatten().collect()
}

/// The figure of a concept, by the first name of its page.
#[must_use]
pub fn concept(name: &str, theme: &Theme) -> Option<ConceptFigure> {
    drawn(SUBJECTS.iter().find(|it| it.concept == name)?, theme)
}

fn drawn(subject: &Subject, theme: &Theme) -> Option<ConceptFigure> {
    Some(ConceptFigure {
        concept: subject.concept,
        title: subject.title,
        svg: (subject.draw)(subject.title, theme)?,
    })
}

/// The scopes, each with its threads, from the smallest.
fn scopes() -> Option<Vec<Vec<String>>> {
    let row = |word: &str| {
        let text = documentation(&DocumentationKey::Modifier {
            // The meaning on every instruction.
            instruction: String::new(),
            word: word.trim_start_matches('.').to_owned(),
        })?;
        let text = text.lines().next()?.trim_start_matches("Scope: ");
        Some(vec![word.to_owned(), text.trim_end_matches('.').to_owned()])
    };
    [".cta", ".cluster", ".gpu", ".sys"]
        .map(row)
        .into_iter()
        .collect()
}

/// The rows of the first table of a concept's page, without its heading.
fn table_of(concept: &str) -> Option<Vec<Vec<String>>> {
    let text = documentation(&DocumentationKey::Concept(concept.to_owned()))?;
    let rows = text.lines().skip_while(|it| !it.starts_with('|'));
    let rows = rows.take_while(|it| it.starts_with('|')).skip(2);
    let rows = rows.map(|row| {
        let cells = row.trim_matches('|').split('|');
        cells.map(|it| it.trim().replace('`', "")).collect()
    });
    let rows: Vec<Vec<String>> = rows.collect();
    (!rows.is_empty()).then_some(rows)
}

fn rect(svg: &mut Svg, at: (f64, f64), size: (f64, f64), fill: &str, stroke: &str) {
    svg.push(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{fill}\" stroke=\"{stroke}\"/>",
        round(at.0),
        round(at.1),
        round(size.0),
        round(size.1),
    ));
}

/// Which chunk of the source is where, for each mode.
fn swizzles(theme: &Theme) -> String {
    const CELL: f64 = 20.0;
    let side = f64::from(CHUNKS) * CELL;
    let count = MODES.len() as f64;
    let (width, height) = (
        MARGIN + count * (side + MARGIN),
        2.0 * MARGIN + LINE + f64::from(LINES) * CELL + LINE,
    );
    let mut svg = Svg::new(width, height, "Swizzling", theme);
    for (index, mode) in MODES.iter().enumerate() {
        let left = MARGIN + index as f64 * (side + MARGIN);
        svg.text(
            (left, MARGIN + 8.0),
            "start",
            "font-weight=\"bold\"",
            mode.name,
        );
        for line in 0..LINES {
            for place in 0..CHUNKS {
                let chunk = mode.chunk(line, place);
                let at = (
                    left + f64::from(place) * CELL,
                    MARGIN + LINE + f64::from(line) * CELL,
                );
                let fill = theme.heat[chunk as usize / 2 % theme.heat.len()];
                rect(&mut svg, at, (CELL, CELL), fill, theme.grid);
                let middle = (at.0 + CELL / 2.0, at.1 + 14.0);
                svg.text(middle, "middle", "font-size=\"11\"", &chunk.to_string());
            }
        }
    }
    let style = format!("font-size=\"11\" fill=\"{}\"", theme.faint);
    let note = "Rows are lines of 128 bytes of shared memory; numbers are chunks of 16 bytes of the source.";
    svg.text((MARGIN, height - 10.0), "start", &style, note);
    svg.finish()
}

/// A tensor, and a box that leaves it.
fn boxes(theme: &Theme) -> String {
    const CELL: f64 = 16.0;
    // Elements of the tensor and of the box, and where the box begins: x first, as coordinates are.
    let (tensor, size, at) = ((12_i32, 8_i32), (6_i32, 4_i32), (8_i32, 5_i32));
    let (width, height) = (660.0, 236.0);
    let mut svg = Svg::new(width, height, "Boxes of a tensor", theme);
    let origin = (MARGIN, MARGIN + LINE);
    svg.text(
        (MARGIN, MARGIN + 8.0),
        "start",
        "font-weight=\"bold\"",
        "global memory",
    );
    let cell = |svg: &mut Svg, origin: (f64, f64), x: i32, y: i32, fill: &str| {
        let at = (
            origin.0 + f64::from(x) * CELL,
            origin.1 + f64::from(y) * CELL,
        );
        rect(svg, at, (CELL, CELL), fill, theme.grid);
    };
    let in_box =
        |x: i32, y: i32| (at.0..at.0 + size.0).contains(&x) && (at.1..at.1 + size.1).contains(&y);
    for y in 0..tensor.1 {
        for x in 0..tensor.0 {
            let fill = theme.heat[if in_box(x, y) { 3 } else { 0 }];
            cell(&mut svg, origin, x, y, fill);
        }
    }
    let corner = (
        origin.0 + f64::from(at.0) * CELL,
        origin.1 + f64::from(at.1) * CELL,
    );
    svg.push(&format!(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" \
         stroke-dasharray=\"5 3\"/>",
        corner.0,
        corner.1,
        f64::from(size.0) * CELL,
        f64::from(size.1) * CELL,
        theme.curve
    ));
    let second = (360.0, MARGIN + LINE);
    svg.text(
        (second.0, MARGIN + 8.0),
        "start",
        "font-weight=\"bold\"",
        "shared memory",
    );
    for y in 0..size.1 {
        for x in 0..size.0 {
            let is_inside = at.0 + x < tensor.0 && at.1 + y < tensor.1;
            cell(
                &mut svg,
                second,
                x,
                y,
                if is_inside {
                    theme.heat[3]
                } else {
                    theme.background
                },
            );
            if !is_inside {
                let middle = (
                    second.0 + (f64::from(x) + 0.5) * CELL,
                    second.1 + f64::from(y) * CELL + 12.0,
                );
                svg.text(middle, "middle", "font-size=\"10\"", "0");
            }
        }
    }
    let style = format!("font-size=\"11\" fill=\"{}\"", theme.faint);
    let notes = [
        format!(
            "Coordinates {{{}, {}}}, box {} × {}, tensor {} × {}.",
            at.0, at.1, size.0, size.1, tensor.0, tensor.1
        ),
        "Loads fill what is outside the tensor;".to_owned(),
        "stores do not write it.".to_owned(),
        "The mbarrier counts the bytes of the whole box.".to_owned(),
    ];
    for (index, note) in notes.iter().enumerate() {
        let y = second.1 + f64::from(size.1) * CELL + 22.0 + 15.0 * index as f64;
        svg.text((second.0, y), "start", &style, note);
    }
    svg.finish()
}

/// An operation on an mbarrier.
#[derive(Clone, Copy)]
enum Event {
    Init(i64),
    ArriveExpect(i64),
    Arrive,
    Complete(i64),
}

/// The life of an mbarrier through two phases, played by the rule of its page.
fn phases(theme: &Theme) -> String {
    let events = [
        ("init 2", Event::Init(2)),
        ("arrive.expect_tx 4096", Event::ArriveExpect(4096)),
        ("arrive", Event::Arrive),
        ("copy: complete_tx 4096", Event::Complete(4096)),
        ("arrive", Event::Arrive),
        ("arrive", Event::Arrive),
    ];
    let headings = [
        "event",
        "phase",
        "pending",
        "tx-count",
        "try_wait.parity 0",
        "try_wait.parity 1",
    ];
    let columns = [MARGIN, 200.0, 260.0, 330.0, 410.0, 540.0];
    let height = 2.0 * MARGIN + LINE * (events.len() as f64 + 1.0);
    let mut svg = Svg::new(670.0, height, "Phases of an mbarrier", theme);
    for (heading, x) in headings.iter().zip(columns) {
        svg.text((x, MARGIN + 8.0), "start", "font-weight=\"bold\"", heading);
    }
    let (mut expected, mut pending, mut bytes, mut phase) = (0, 0, 0, 0);
    for (index, (name, event)) in events.into_iter().enumerate() {
        match event {
            Event::Init(count) => (expected, pending) = (count, count),
            Event::ArriveExpect(count) => {
                bytes += count;
                pending -= 1;
            }
            Event::Arrive => pending -= 1,
            Event::Complete(count) => bytes -= count,
        }
        let is_complete = pending == 0 && bytes == 0;
        if is_complete {
            phase += 1;
            pending = expected;
        }
        // The phase before the current one is complete.
        let is_true = |parity: i64| (phase + 1) % 2 == parity;
        let y = MARGIN + 8.0 + LINE * (index as f64 + 1.0);
        if is_complete {
            let at = (MARGIN - 6.0, y - 13.0);
            rect(&mut svg, at, (644.0, LINE), theme.heat[1], "none");
        }
        let cells = [
            name.to_owned(),
            phase.to_string(),
            pending.to_string(),
            bytes.to_string(),
            is_true(0).to_string(),
            is_true(1).to_string(),
        ];
        for (text, x) in cells.iter().zip(columns) {
            svg.text((x, y), "start", "", text);
        }
    }
    svg.finish()
}

/// Boxes in boxes: the first row is the innermost.
fn nested(rows: &[Vec<String>], title: &str, theme: &Theme) -> String {
    const STEP: f64 = 46.0;
    let count = rows.len() as f64;
    let (width, height) = (640.0, 2.0 * MARGIN + STEP * count + 8.0);
    let mut svg = Svg::new(width, height, title, theme);
    for (index, row) in rows.iter().rev().enumerate() {
        let inset = MARGIN + 12.0 * index as f64;
        let top = MARGIN + STEP * index as f64;
        let bottom = height - MARGIN - 4.0 * index as f64;
        let fill = theme.heat[index % theme.heat.len()];
        let size = (width - 2.0 * inset, bottom - top);
        rect(&mut svg, (inset, top), size, fill, theme.faint);
        let name = row.first().map_or("", String::as_str);
        svg.text(
            (inset + 10.0, top + 17.0),
            "start",
            "font-weight=\"bold\"",
            name,
        );
        let rest: Vec<&str> = row[1..]
            .iter()
            .map(String::as_str)
            .filter(|it| !it.is_empty())
            .collect();
        let style = "font-size=\"11\"";
        let text = shortened(&rest.join(" · "), 90);
        svg.text((inset + 10.0, top + 33.0), "start", style, &text);
    }
    svg.finish()
}

/// State spaces in boxes of the threads that share them, the fewest threads innermost.
fn spaces(rows: &[Vec<String>], title: &str, theme: &Theme) -> String {
    const BAND: f64 = 58.0;
    const CHIP: (f64, f64) = (26.0, 12.0);
    /// Width of a letter of a chip, which no font exceeds.
    const LETTER: f64 = 6.6;
    let cell = |row: &'_ [String], at: usize| row.get(at).cloned().unwrap_or_default();
    let mut levels: Vec<String> = rows.iter().map(|it| cell(it, 1)).collect();
    levels.dedup();
    let (width, height) = (640.0, 2.0 * MARGIN + BAND * levels.len() as f64 + 40.0);
    let mut svg = Svg::new(width, height, title, theme);
    for (index, level) in levels.iter().rev().enumerate() {
        let inset = MARGIN + 10.0 * index as f64;
        let top = MARGIN + BAND * index as f64;
        let bottom = height - MARGIN - 30.0 - 4.0 * index as f64;
        let size = (width - 2.0 * inset, bottom - top);
        rect(&mut svg, (inset, top), size, theme.heat[0], theme.faint);
        let at = (inset + 10.0, top + 17.0);
        svg.text(at, "start", "font-weight=\"bold\"", level);
        let mut x = inset + 10.0;
        for row in rows.iter().filter(|it| cell(it, 1) == *level) {
            let (name, access, generic) = (cell(row, 0), cell(row, 2), cell(row, 4));
            let chip = (name.chars().count() as f64 * LETTER + CHIP.1, CHIP.0);
            let fill = match generic.as_str() {
                "no" => theme.background,
                _ => theme.heat[1],
            };
            let dashes = match access.contains("write") {
                true => "",
                false => " stroke-dasharray=\"4 3\"",
            };
            svg.push(&format!(
                "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"{fill}\" stroke=\"{}\"{dashes}/>",
                round(x),
                round(top + 24.0),
                round(chip.0),
                round(chip.1),
                theme.curve,
            ));
            let middle = (x + chip.0 / 2.0, top + 41.0);
            svg.text(middle, "middle", "font-size=\"11\"", &name);
            x += chip.0 + CHIP.1;
        }
    }
    let style = format!("font-size=\"11\" fill=\"{}\"", theme.faint);
    let note = "Filled: within reach of generic addresses. Dashed: read-only.";
    svg.text((MARGIN, height - 18.0), "start", &style, note);
    svg.finish()
}

/// The first row in the middle of the others, with a line to each that names what is between.
fn bridges(rows: &[Vec<String>], title: &str, theme: &Theme) -> String {
    const HIGH: f64 = 44.0;
    let others = &rows[1..];
    let (width, height) = (860.0, 2.0 * MARGIN + HIGH * others.len() as f64);
    let mut svg = Svg::new(width, height, title, theme);
    let cell = |row: &[String], at: usize| row.get(at).cloned().unwrap_or_default();
    let middle = height / 2.0;
    let left = (MARGIN, middle - 24.0);
    rect(&mut svg, left, (170.0, 48.0), theme.heat[1], theme.faint);
    svg.text(
        (left.0 + 10.0, middle - 4.0),
        "start",
        "font-weight=\"bold\"",
        &cell(&rows[0], 0),
    );
    svg.text(
        (left.0 + 10.0, middle + 12.0),
        "start",
        "font-size=\"10\"",
        &cell(&rows[0], 1),
    );
    for (index, row) in others.iter().enumerate() {
        let top = MARGIN + HIGH * index as f64;
        let y = top + 18.0;
        let path = format!("M186 {middle}C250 {middle} 240 {y} 300 {y}");
        svg.push(&format!(
            "<path d=\"{path}H520\" fill=\"none\" stroke=\"{}\"/>",
            theme.curve
        ));
        let style = format!("font-size=\"10\" fill=\"{}\"", theme.faint);
        svg.text(
            (305.0, y - 4.0),
            "start",
            &style,
            &shortened(&cell(row, 2), 42),
        );
        rect(
            &mut svg,
            (520.0, top),
            (324.0, 36.0),
            theme.heat[0],
            theme.faint,
        );
        svg.text(
            (530.0, top + 15.0),
            "start",
            "font-weight=\"bold\"",
            &cell(row, 0),
        );
        svg.text(
            (530.0, top + 29.0),
            "start",
            "font-size=\"10\"",
            &shortened(&cell(row, 1), 50),
        );
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_is_drawn() {
        let all = concepts(&Theme::for_background(false));
        let names: Vec<_> = all.iter().map(|it| it.concept).collect();
        assert_eq!(
            names,
            [
                "swizzle",
                "tensor map",
                "mbarrier",
                "thread hierarchy",
                "state spaces",
                "proxy",
                "scope"
            ]
        );
        for figure in &all {
            assert!(figure.svg.starts_with("<svg ") && figure.svg.len() > 1_000);
        }
        let of = |name: &str| &all.iter().find(|it| it.concept == name).expect("it").svg;
        assert!(of("proxy").contains("fence.proxy.async"));
        assert!(
            of("scope").contains(">.cluster<") && of("scope").contains("threads of the cluster")
        );
        assert!(of("thread hierarchy").contains(".shared::cta"));
        // Those with generic addresses are filled, those that are only read are dashed.
        let spaces = of("state spaces");
        assert_eq!(spaces.matches("stroke-dasharray").count(), 3);
        assert_eq!(
            spaces
                .matches(&format!(
                    "fill=\"{}\"",
                    Theme::for_background(false).heat[1]
                ))
                .count(),
            7
        );
    }

    /// The second phase is complete after two more arrivals, as no copy is expected in it.
    #[test]
    fn phases_complete() {
        let svg = phases(&Theme::for_background(false));
        let shaded = svg.matches("height=\"18\"").count();
        assert_eq!(shaded, 2, "{svg}");
    }
}
