//! Repetitions: lines that differ only by numbers, as unrolled loops have them, in one line or in the lines of one turn.
//! Such lines are the statements of each turn, one turn after the other.

use crate::flow::ids::Step;

use super::{
    line::{Condition, Line, Row},
    series::{Number, Shape, merged, regular},
};

/// Lines of one turn at most, and turns at least and at most.
const MAX_LINES: usize = 12;
pub(super) const MIN_TURNS: usize = 3;
/// Lines of one turn from which on two turns are enough.
const LONG_TURN: usize = 4;
const MAX_TURNS: usize = 1024;
/// Turns without order that are one line.
const IRREGULAR_TURNS: std::ops::RangeInclusive<usize> = 4..=8;
/// Rows inside a row at most, in all lists.
const MAX_INSIDE: usize = 32;
/// The longest line with lists, in bytes.
const MAX_TEXT: usize = 260;

/// A row with those inside it, as words and numbers.
#[derive(Default)]
struct RowPattern {
    words: String,
    numbers: Vec<Number>,
    rows: usize,
}

impl RowPattern {
    fn of(row: &Row, lists: &[Vec<Row>]) -> Option<RowPattern> {
        let mut form = RowPattern::default();
        form.add(row, lists)?;
        Some(form)
    }

    fn add(&mut self, row: &Row, lists: &[Vec<Row>]) -> Option<()> {
        self.rows += 1;
        if self.rows > MAX_INSIDE {
            return None;
        }
        match row {
            Row::Line(line) => {
                self.words.push(if line.meets { 'm' } else { 'l' });
                self.text(&line.text);
            }
            Row::If(condition, list, _) => {
                self.words.push('i');
                self.text(&condition.text);
                self.list(*list, lists)?;
            }
            Row::Nest(head, list, tail) => {
                self.words.push('n');
                self.text(&head.text);
                self.list(*list, lists)?;
                if let Some(tail) = tail {
                    self.text(&tail.text);
                }
            }
            Row::Leave(_) | Row::Break | Row::Else(_) | Row::Only(..) => return None,
        }
        self.words.push('\n');
        Some(())
    }

    fn list(&mut self, list: usize, lists: &[Vec<Row>]) -> Option<()> {
        for row in &lists[list] {
            self.add(row, lists)?;
        }
        Some(())
    }

    fn text(&mut self, text: &str) {
        let shape = Shape::new(text);
        self.words.push_str(&shape.words.join("#"));
        self.words.push('\n');
        self.numbers.extend(shape.numbers);
    }
}

/// Rows with repetitions of at least `least` turns shortened; new lists are added.
pub(super) fn fold(rows: Vec<Row>, lists: &mut Vec<Vec<Row>>, least: usize) -> Vec<Row> {
    let forms: Vec<Option<RowPattern>> = rows.iter().map(|it| RowPattern::of(it, lists)).collect();
    // The lengths of the lists that begin at each row, as far as they are known.
    let mut runs: Vec<Option<usize>> = vec![None; forms.len()];
    let mut run = |row: usize| match runs[row] {
        Some(it) => it,
        None => *runs[row].insert(turns(&forms[row..], 1, least).last().copied().unwrap_or(1)),
    };
    let mut out = Vec::with_capacity(rows.len());
    let mut at = 0;
    while at < rows.len() {
        let saved = |it: &(usize, usize)| it.0 * it.1 - if it.0 == 1 { 1 } else { it.0 + 1 };
        let mut found: Vec<(usize, usize)> = (1..=MAX_LINES)
            .flat_map(|lines| {
                let turns = turns(&forms[at..], lines, least);
                turns.into_iter().map(move |turns| (lines, turns))
            })
            .collect();
        found.sort_by_key(|it| (std::cmp::Reverse(saved(it)), it.0));
        let merged = found.into_iter().find_map(|(lines, turns)| {
            // A list of single lines that begins inside may save more.
            let most = saved(&(lines, turns)).max(lines);
            if lines > 1 && (at + 1..at + lines * turns).any(|row| run(row) > most) {
                return None;
            }
            let rows = &rows[at..at + lines * turns];
            let row = one(rows, lines, lists).or_else(|| ends(rows, lines, lists))?;
            Some((row, lines * turns))
        });
        match merged {
            Some((row, count)) => {
                out.push(row);
                at += count;
            }
            None => {
                out.push(rows[at].clone());
                at += 1;
            }
        }
    }
    out
}

/// Numbers of turns at the start that may make a list, the larger the better: of all that differ by numbers only, and of
/// the first whose numbers grow by the same.
fn turns(forms: &[Option<RowPattern>], lines: usize, least: usize) -> Vec<usize> {
    let turn = |index: usize| forms.get(index * lines..(index + 1) * lines);
    let Some(first) = turn(0).filter(|it| it.iter().all(Option::is_some)) else {
        return Vec::new();
    };
    let words = |it: &Option<RowPattern>| it.as_ref().map(|it| it.words.clone());
    let first: Vec<Option<String>> = first.iter().map(words).collect();
    let is_same = |it: &[Option<RowPattern>]| {
        let words = it.iter().map(|it| it.as_ref().map(|it| &*it.words));
        words.eq(first.iter().map(Option::as_deref))
    };
    let count = (1..MAX_TURNS)
        .take_while(|it| turn(*it).is_some_and(is_same))
        .count()
        + 1;
    let least = match lines >= LONG_TURN {
        true => 2,
        false => least,
    };
    if count < least {
        return Vec::new();
    }
    let mut length = count;
    for line in 0..lines {
        let all: Vec<&RowPattern> = (0..count)
            .filter_map(|it| forms[it * lines + line].as_ref())
            .collect();
        for index in 0..all[0].numbers.len() {
            let numbers: Vec<&Number> = all[..length].iter().map(|it| &it.numbers[index]).collect();
            length = regular(&numbers).0;
        }
    }
    let irregular = IRREGULAR_TURNS.contains(&count) && length < count;
    let regular = (length >= least).then_some(length);
    irregular
        .then_some(count)
        .into_iter()
        .chain(regular)
        .collect()
}

/// The first and the last turn of `lines` lines, if that is shorter.
fn ends(rows: &[Row], lines: usize, lists: &mut Vec<Vec<Row>>) -> Option<Row> {
    if rows.len() <= 2 * lines + 2 {
        return None;
    }
    let mut inner = rows[..lines].to_vec();
    // The lines between are among those that the dots show.
    let mut steps = Vec::new();
    let between = rows[lines..rows.len() - lines].iter();
    between.for_each(|it| add_steps(it, lists, &mut steps));
    steps.sort_unstable();
    steps.dedup();
    // Each stage has a number.
    if rows.iter().any(|it| meets(it, lists)) {
        return None;
    }
    inner.push(Row::Line(Line {
        text: "…".to_owned(),
        steps,
        ..Line::default()
    }));
    inner.extend_from_slice(&rows[rows.len() - lines..]);
    let head = Line {
        text: format!("× {}, the first and the last:", rows.len() / lines),
        ..Line::default()
    };
    lists.push(inner);
    Some(Row::Nest(head, lists.len() - 1, None))
}

/// Whether threads of the block meet in a row.
fn meets(row: &Row, lists: &[Vec<Row>]) -> bool {
    match row {
        Row::Line(line) | Row::Leave(line) => line.meets,
        Row::If(_, list, _) | Row::Else(list) | Row::Nest(_, list, _) | Row::Only(_, list) => {
            lists[*list].iter().any(|it| meets(it, lists))
        }
        Row::Break => false,
    }
}

/// Adds the instructions that a row shows.
fn add_steps(row: &Row, lists: &[Vec<Row>], steps: &mut Vec<Step>) {
    let list = match row {
        Row::Line(line) | Row::Leave(line) => {
            steps.extend(&line.steps);
            return;
        }
        Row::If(condition, list, _) => {
            steps.extend(&condition.steps);
            list
        }
        Row::Nest(head, list, tail) => {
            let tail = tail.iter().flat_map(|it| &it.steps);
            steps.extend(head.steps.iter().chain(tail));
            list
        }
        Row::Else(list) | Row::Only(_, list) => list,
        Row::Break => return,
    };
    lists[*list]
        .iter()
        .for_each(|it| add_steps(it, lists, steps));
}

/// The row of turns of `lines` lines; nothing if that is too long.
fn one(rows: &[Row], lines: usize, lists: &mut Vec<Vec<Row>>) -> Option<Row> {
    let turns = rows.len() / lines;
    let known = lists.len();
    let mut counted = false;
    let mut inner: Vec<Row> = Vec::new();
    for line in 0..lines {
        let same: Vec<Row> = rows.iter().skip(line).step_by(lines).cloned().collect();
        match merge(&same, lists, &mut counted) {
            Some(row) => inner.push(row),
            None => {
                lists.truncate(known);
                return None;
            }
        }
    }
    if let [row] = &mut inner[..] {
        match row {
            _ if counted => return inner.pop(),
            Row::Line(line) if !line.meets => {
                line.text = format!("× {turns}: {}", line.text);
                return inner.pop();
            }
            _ => {}
        }
    }
    let head = Line {
        text: format!("× {turns}:"),
        ..Line::default()
    };
    lists.push(inner);
    Some(Row::Nest(head, lists.len() - 1, None))
}

/// Rows that differ by numbers as one; `counted` becomes true if it shows how many these are.
fn merge(rows: &[Row], lists: &mut Vec<Vec<Row>>, counted: &mut bool) -> Option<Row> {
    let inside = |it: &Row| match it {
        Row::If(_, list, _) | Row::Nest(_, list, _) => Some(*list),
        _ => None,
    };
    let list = match inside(rows.first()?) {
        Some(first) => {
            let mut found = Vec::new();
            for index in 0..lists[first].len() {
                let same: Option<Vec<Row>> = (rows.iter())
                    .map(|it| lists[inside(it)?].get(index).cloned())
                    .collect();
                found.push(merge(&same?, lists, counted)?);
            }
            lists.push(found);
            lists.len() - 1
        }
        None => 0,
    };
    let mut line = |all: &[&Line]| -> Option<Line> {
        let mut steps: Vec<_> = all.iter().flat_map(|it| &it.steps).copied().collect();
        steps.sort_unstable();
        steps.dedup();
        let texts = all.iter().map(|it| &*it.text);
        Some(Line {
            text: text(texts, counted)?,
            steps,
            meets: all[0].meets,
            more: all.iter().map(|it| it.more + 1).sum::<u32>() - 1,
            waits: all[0].waits,
            ..Line::default()
        })
    };
    match &rows[0] {
        Row::Line(_) => {
            let all = rows.iter().map(|it| match it {
                Row::Line(line) => Some(line),
                _ => None,
            });
            Some(Row::Line(line(&all.collect::<Option<Vec<&Line>>>()?)?))
        }
        Row::If(_, _, by) => {
            let all = rows.iter().map(|it| match it {
                Row::If(condition, ..) => Some(condition),
                _ => None,
            });
            let all: Vec<&Condition> = all.collect::<Option<_>>()?;
            let mut steps: Vec<_> = all.iter().flat_map(|it| &it.steps).copied().collect();
            steps.sort_unstable();
            steps.dedup();
            let condition = Condition {
                text: text(all.iter().map(|it| &*it.text), counted)?,
                opposite: text(all.iter().map(|it| &*it.opposite), counted)?,
                steps,
            };
            Some(Row::If(condition, list, *by))
        }
        Row::Nest(..) => {
            let all = rows.iter().map(|it| match it {
                Row::Nest(head, _, tail) => Some((head, tail.as_ref())),
                _ => None,
            });
            let all: Vec<(&Line, Option<&Line>)> = all.collect::<Option<_>>()?;
            let heads: Vec<&Line> = all.iter().map(|it| it.0).collect();
            let tails: Vec<&Line> = all.iter().filter_map(|it| it.1).collect();
            let tail = match tails.is_empty() {
                true => None,
                false => Some(line(&tails)?),
            };
            Some(Row::Nest(line(&heads)?, list, tail))
        }
        Row::Leave(_) | Row::Break | Row::Else(_) | Row::Only(..) => None,
    }
}

/// Texts that differ by numbers as one that is not long.
fn text<'a>(texts: impl Iterator<Item = &'a str>, counted: &mut bool) -> Option<String> {
    let shapes: Vec<Shape> = texts.map(Shape::new).collect();
    let (text, known) = merged(&shapes.iter().collect::<Vec<_>>())?;
    *counted |= known;
    (text.len() <= MAX_TEXT).then_some(text)
}
