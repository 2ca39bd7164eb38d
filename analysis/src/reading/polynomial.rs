//! Polynomials: products with one number to which constants are added, one after the other, as one statement.

use rustc_hash::FxHashMap;

use crate::flow::ids::Step;

use super::{chain::may_move, line::Row, statement::Writer};

/// Coefficients of one statement at least.
const MIN_COEFFICIENTS: usize = 4;

/// A statement as a result and a polynomial, the coefficient of the highest power first.
struct Polynomial {
    result: String,
    variable: String,
    /// As text; the first may be any number.
    coefficients: Vec<String>,
    /// The rows that it replaces, its own first.
    rows: Vec<usize>,
    steps: Vec<Step>,
}

impl Polynomial {
    /// Both readings of a product of two registers.
    fn of(text: &str, row: usize, steps: &[Step]) -> Vec<Polynomial> {
        let parts = || -> Option<(&str, &str, &str, &str)> {
            let (result, value) = text.split_once(" = ")?;
            let (product, constant) = value.split_once(" + ")?;
            let (one, other) = product.split_once('*')?;
            let names = [result, one, other].iter().all(|it| is_word(it));
            (names && is_number(constant)).then_some((result, one, other, constant))
        };
        let Some((result, one, other, constant)) = parts() else {
            return Vec::new();
        };
        let pairs = [(one, other), (other, one)].into_iter();
        let pairs = pairs.filter(|it| !is_number(it.1));
        let found = pairs.map(|(first, variable)| Polynomial {
            result: result.to_owned(),
            variable: variable.to_owned(),
            coefficients: vec![first.to_owned(), constant.to_owned()],
            rows: vec![row],
            steps: steps.to_vec(),
        });
        found.collect()
    }
}

fn is_word(text: &str) -> bool {
    let is_part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '.' | '-');
    !text.is_empty() && text.chars().all(is_part)
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok() && text.contains('.')
}

/// Rows in which each polynomial is one line.
pub(super) fn fold(mut rows: Vec<Row>, writer: &Writer<'_, '_>) -> Vec<Row> {
    let mut found: Vec<Option<Polynomial>> = Vec::new();
    let mut by_result: FxHashMap<String, usize> = FxHashMap::default();
    for (index, row) in rows.iter().enumerate() {
        let readings = match row {
            Row::Line(it) if !it.meets && !it.waits => Polynomial::of(&it.text, index, &it.steps),
            // Another branch may write there what an earlier statement reads.
            Row::Only(..) => {
                by_result.clear();
                Vec::new()
            }
            _ => Vec::new(),
        };
        let mut readings = readings.into_iter();
        let mut own = None;
        for mut it in readings.by_ref() {
            if let Some(before) = by_result.get(&it.coefficients[0]).copied()
                && let Some(first) = &found[before]
                && first.variable == it.variable
                && may_move(writer, &first.steps, &it.steps)
                && let Some(first) = found[before].take()
            {
                it.coefficients.splice(..1, first.coefficients);
                it.rows.extend(first.rows);
                it.steps.extend(first.steps);
                it.steps.sort_unstable();
                it.steps.dedup();
                own = Some(it);
                break;
            }
            own.get_or_insert(it);
        }
        if let Some(it) = &own {
            by_result.insert(it.result.clone(), index);
        }
        found.push(own);
    }
    let mut gone = vec![false; rows.len()];
    for it in found.into_iter().flatten() {
        if it.coefficients.len() < MIN_COEFFICIENTS {
            continue;
        }
        for row in &it.rows[1..] {
            gone[*row] = true;
        }
        if let Row::Line(line) = &mut rows[it.rows[0]] {
            let (result, variable) = (it.result, it.variable);
            let coefficients = it.coefficients.join(", ");
            line.text = format!("{result} = polynomial({variable}: {coefficients})");
            line.steps = it.steps;
        }
    }
    let mut index = 0;
    rows.retain(|_| {
        index += 1;
        !gone[index - 1]
    });
    rows
}
