//! Repetitions: lines that differ by numbers that grow by the same step each time, as unrolled loops have them.

use super::line::{Line, Row};

/// Lines of one turn at most, and turns at least.
const MAX_LINES: usize = 12;
const MIN_TURNS: usize = 4;

/// A line as its words and its numbers.
#[derive(PartialEq, Eq)]
struct Shape {
    words: String,
    numbers: Vec<i64>,
}

impl Shape {
    fn new(line: &Line) -> Shape {
        let mut shape = Shape {
            words: String::new(),
            numbers: Vec::new(),
        };
        let mut rest = &*line.text;
        while let Some(at) = rest.find(|it: char| it.is_ascii_digit()) {
            let (before, digits) = rest.split_at(at);
            let end = digits.bytes().take_while(u8::is_ascii_digit).count();
            shape.words.push_str(before);
            // A number that is too long is a word.
            match digits[..end].parse::<i64>() {
                Ok(number) if end < 16 => {
                    shape.words.push('#');
                    shape.numbers.push(number);
                }
                _ => shape.words.push_str(&digits[..end]),
            }
            rest = &digits[end..];
        }
        shape.words.push_str(rest);
        shape
    }
}

/// Rows with repetitions shortened: the first and the last turn stay, in lists of their own.
pub(super) fn fold(rows: Vec<Row>, lists: &mut Vec<Vec<Row>>) -> Vec<Row> {
    let shape = |it: &Row| match it {
        Row::Line(line) if !line.meets => Some(Shape::new(line)),
        _ => None,
    };
    let shapes: Vec<Option<Shape>> = rows.iter().map(shape).collect();
    let mut out = Vec::with_capacity(rows.len());
    let mut at = 0;
    while at < rows.len() {
        let best = (1..=MAX_LINES)
            .map(|lines| (lines, turns(&shapes[at..], lines)))
            .filter(|it| it.1 >= MIN_TURNS)
            .max_by_key(|it| (it.0 * it.1, std::cmp::Reverse(it.0)));
        let Some((lines, turns)) = best else {
            out.push(rows[at].clone());
            at += 1;
            continue;
        };
        let end = at + lines * turns;
        let mut inner = rows[at..at + lines].to_vec();
        // The lines between are among those that the dots stand for.
        let mut steps = Vec::new();
        for row in &rows[at + lines..end - lines] {
            if let Row::Line(line) = row {
                steps.extend(&line.steps);
            }
        }
        steps.sort_unstable();
        steps.dedup();
        inner.push(Row::Line(Line {
            text: "…".to_owned(),
            steps,
            ..Line::default()
        }));
        inner.extend_from_slice(&rows[end - lines..end]);
        let head = Line {
            text: format!("× {turns}, the first and the last:"),
            ..Line::default()
        };
        lists.push(inner);
        out.push(Row::Nest(head, lists.len() - 1, None));
        at = end;
    }
    out
}

/// How many turns of so many lines there are at the start.
fn turns(shapes: &[Option<Shape>], lines: usize) -> usize {
    let turn = |index: usize| shapes.get(index * lines..(index + 1) * lines);
    let Some(first) = turn(0).filter(|it| it.iter().all(Option::is_some)) else {
        return 0;
    };
    let Some(second) = turn(1) else {
        return 1;
    };
    let differences = |a: &[Option<Shape>], b: &[Option<Shape>]| -> Option<Vec<i64>> {
        let mut found = Vec::new();
        for (a, b) in a.iter().zip(b) {
            let (a, b) = (a.as_ref()?, b.as_ref()?);
            if a.words != b.words {
                return None;
            }
            found.extend(a.numbers.iter().zip(&b.numbers).map(|(a, b)| b - a));
        }
        Some(found)
    };
    let Some(by) = differences(first, second) else {
        return 1;
    };
    let mut count = 2;
    while let Some(next) = turn(count)
        && let Some(before) = turn(count - 1)
        && differences(before, next).as_ref() == Some(&by)
    {
        count += 1;
    }
    count
}
