//! The rows of branches that do nearly the same as the rows of the first one, with the numbers of all of them.

use std::hash::BuildHasher;

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::{alignment::align, flow::ids::Step};

use super::{
    line::{Condition, Line, Row},
    series::{Shape, both, varied, version},
    structure::List,
};

/// Lists inside each other at most.
const MAX_DEPTH: usize = 64;
/// The beginning of the line of a branch that is shown with an earlier one.
pub(super) const AS_ABOVE: &str = "as above in ";
/// The heads of rows that only one of two branches has.
const HERE: &str = "only here";
const THERE: &str = "only there";

/// Puts branches together.
pub(super) struct Both<'a> {
    lists: &'a mut Vec<Vec<Row>>,
    /// The instructions of later branches that the line of an instruction shows as well.
    pub(super) shown: FxHashMap<Step, Vec<Step>>,
    /// The last instructions of lines that belong together.
    pub(super) pairs: Vec<(Step, Step)>,
    /// The instructions of rows that the first branch does not have.
    pub(super) alone: Vec<Step>,
    /// The numbers of rows that both branches have, and one.
    shared: usize,
    single: usize,
    /// The branches whose rows the first one already has, itself among them, and all that are put together.
    merged: usize,
    all: usize,
}

/// A row, and the list of its `else`.
#[derive(Clone)]
struct RowUnit {
    row: Row,
    otherwise: Option<List>,
}

impl<'a> Both<'a> {
    pub(super) fn new(lists: &'a mut Vec<Vec<Row>>) -> Both<'a> {
        Both {
            lists,
            shown: FxHashMap::default(),
            pairs: Vec::new(),
            alone: Vec::new(),
            shared: 0,
            single: 0,
            merged: 1,
            all: 2,
        }
    }

    /// Puts the rows of lists into the first one, and a reference into each other one; false if the lists are too
    /// different, or are not the branches of conditions.
    pub(super) fn merge(&mut self, group: &[List]) -> bool {
        let names: Option<Vec<String>> = group.iter().map(|it| self.name(*it)).collect();
        let (Some(names), Some((first, others))) = (names, group.split_first()) else {
            return false;
        };
        self.all = group.len();
        let mut places = Vec::new();
        for (merged, other) in (1..).zip(others) {
            (self.shared, self.single, self.merged) = (0, 0, merged);
            let rows = self.rows(*first, *other, 0);
            if self.single > self.shared {
                return false;
            }
            self.lists[*first] = rows;
            // The lines that refer to each other lead to the other branch.
            let mut steps = Vec::new();
            for row in &self.lists[*other] {
                row.own_steps(&mut steps);
                if !steps.is_empty() {
                    break;
                }
            }
            steps.drain(..steps.len().saturating_sub(1));
            places.push(steps);
        }
        let note = |text: String, steps: Vec<Step>| {
            Row::Line(Line {
                text,
                steps,
                ..Line::default()
            })
        };
        let text = match &names[1..] {
            [other] => format!("as below in {other}; ⟨here, there⟩:"),
            others => {
                let numbered = (2..).zip(others).map(|(at, it)| format!("{it} ({at})"));
                let numbers: Vec<String> = (1..=self.all).map(|it| it.to_string()).collect();
                let numbered: Vec<String> = numbered.collect();
                let (others, numbers) = (numbered.join(", "), numbers.join(", "));
                format!("as below in {others}; ⟨{numbers}⟩:")
            }
        };
        let mut steps = places.concat();
        steps.sort_unstable();
        self.lists[*first].insert(0, note(text, steps));
        for (number, (other, steps)) in (2..).zip(others.iter().zip(places)) {
            let place = match self.all {
                2 => "the second".to_owned(),
                _ => format!("number {number}"),
            };
            let text = format!("{AS_ABOVE}{}, {place} of ⟨…⟩", names[0]);
            self.lists[*other] = vec![note(text, steps)];
        }
        true
    }

    /// The name of a branch.
    fn name(&self, list: List) -> Option<String> {
        for rows in self.lists.iter() {
            for (index, row) in rows.iter().enumerate() {
                match row {
                    Row::If(condition, own, _) if *own == list => {
                        return Some(format!("`if {}`", condition.text));
                    }
                    Row::Else(own) if *own == list => {
                        // Only its condition distinguishes it from others.
                        let before = index.checked_sub(1).and_then(|it| rows.get(it));
                        return Some(match before {
                            Some(Row::If(condition, ..)) => {
                                format!("`else` of `if {}`", condition.text)
                            }
                            _ => "`else`".to_owned(),
                        });
                    }
                    _ => {}
                }
            }
        }
        None
    }

    fn rows(&mut self, first: List, second: List, depth: usize) -> Vec<Row> {
        let units = [first, second].map(|it| self.units(it));
        let exact = [&units[0], &units[1]].map(|it| it.iter().map(|it| self.key(it, true)));
        let [a, b] = exact.map(Iterator::collect::<Vec<_>>);
        let alike = [&units[0], &units[1]].map(|it| it.iter().map(|it| self.key(it, false)));
        let [c, d] = alike.map(Iterator::collect::<Vec<_>>);
        let mut rows = Vec::new();
        let (mut i, mut j) = (0, 0);
        let ends = (a.len(), b.len());
        for (x, y) in align(&a, &b).into_iter().chain([ends]) {
            // Between rows that are the same, those that differ by numbers.
            let gap = align(&c[i..x], &d[j..y]).into_iter();
            let gap = gap.map(|it| (i + it.0, j + it.1));
            let (mut p, mut q) = (i, j);
            for (x, y) in gap.chain([(x, y)]) {
                let merged = match (units[0].get(x), units[1].get(y)) {
                    (Some(one), Some(other)) => self.unit(one, other, depth),
                    _ => None,
                };
                let apart = usize::from(merged.is_none() && (x, y) != ends);
                let (one, other) = (&units[0][p..x + apart], &units[1][q..y + apart]);
                match self.varied(one, other) {
                    Some(line) => rows.push(Row::Line(line)),
                    None => {
                        self.push_single(one, false, &mut rows);
                        self.push_single(other, true, &mut rows);
                    }
                }
                rows.extend(merged.into_iter().flatten());
                (p, q) = (x + 1, y + 1);
            }
            (i, j) = (x + 1, y + 1);
        }
        rows
    }

    fn units(&self, list: List) -> Vec<RowUnit> {
        let mut units: Vec<RowUnit> = Vec::new();
        for row in &self.lists[list] {
            match (row, units.last_mut()) {
                (Row::Else(own), Some(unit)) => unit.otherwise = Some(*own),
                _ => units.push(RowUnit {
                    row: row.clone(),
                    otherwise: None,
                }),
            }
        }
        units
    }

    /// A number that is the same for rows of the same kind and text, or with the same words.
    fn key(&self, unit: &RowUnit, exact: bool) -> u64 {
        let (kind, text, tail) = match &unit.row {
            Row::Line(line) => (u8::from(line.meets), &*line.text, None),
            Row::Leave(line) => (2, &*line.text, None),
            Row::Break => (3, "", None),
            Row::If(condition, ..) => (4, &*condition.text, None),
            Row::Nest(head, _, tail) => (5, &*head.text, tail.as_ref().map(|it| &*it.text)),
            Row::Else(_) => (6, "", None),
            Row::Only(word, _) => (7, &**word, None),
        };
        let head = (kind, unit.otherwise.is_some());
        match exact {
            true => FxBuildHasher.hash_one((head, text, tail)),
            false => {
                let words = |it: &str| Shape::new(&version(it, 0)).words;
                FxBuildHasher.hash_one((head, words(text), tail.map(words)))
            }
        }
    }

    /// Adds rows that only one side has: the branch which is added, or the branches before it.
    fn push_single(&mut self, units: &[RowUnit], added: bool, rows: &mut Vec<Row>) {
        let is_only = |it: &RowUnit| matches!(it.row, Row::Only(..));
        for units in units.chunk_by(|a, b| is_only(a) == is_only(b)) {
            if is_only(&units[0]) {
                rows.extend(units.iter().map(|it| it.row.clone()));
                continue;
            }
            let mut found = Vec::new();
            for unit in units {
                found.push(unit.row.clone());
                found.extend(unit.otherwise.map(Row::Else));
            }
            let mut steps = Vec::new();
            let mut open = found.clone();
            while let Some(row) = open.pop() {
                self.single += 1;
                row.own_steps(&mut steps);
                open.extend(row.list().into_iter().flat_map(|it| self.lists[it].clone()));
            }
            if added {
                self.alone.extend(steps);
            }
            self.lists.push(found);
            rows.push(Row::Only(self.owners(added), self.lists.len() - 1));
        }
    }

    /// The head of rows that one side has. A row of two of three branches may be there twice, so that it is not only in
    /// one of them.
    fn owners(&self, added: bool) -> String {
        match (self.all, added) {
            (2, false) => HERE.to_owned(),
            (2, true) => THERE.to_owned(),
            (_, true) => format!("in {}", self.merged + 1),
            (_, false) => {
                let numbers: Vec<String> = (1..=self.merged).map(|it| it.to_string()).collect();
                format!("in {}", numbers.join(", "))
            }
        }
    }

    /// A row of both branches, and its `else`.
    fn unit(&mut self, one: &RowUnit, other: &RowUnit, depth: usize) -> Option<Vec<Row>> {
        let row = match (&one.row, &other.row) {
            (Row::Line(a), Row::Line(b)) => Row::Line(self.line(a, b)?),
            (Row::Leave(a), Row::Leave(b)) => Row::Leave(self.line(a, b)?),
            (Row::Break, Row::Break) => Row::Break,
            (Row::If(a, list, by), Row::If(b, second, _)) if depth < MAX_DEPTH => {
                let condition = Condition {
                    text: both(&a.text, &b.text, self.merged)?,
                    opposite: both(&a.opposite, &b.opposite, self.merged)?,
                    steps: a.steps.clone(),
                };
                self.show(&a.steps, &b.steps)?;
                self.lists[*list] = self.rows(*list, *second, depth + 1);
                Row::If(condition, *list, *by)
            }
            (Row::Nest(a, list, tail), Row::Nest(b, second, other)) if depth < MAX_DEPTH => {
                let mut texts = tail.iter().zip(other);
                let differ = |a: &Line, b: &Line| both(&a.text, &b.text, self.merged).is_none();
                if tail.is_some() != other.is_some()
                    || differ(a, b)
                    || texts.any(|it| differ(it.0, it.1))
                {
                    return None;
                }
                let head = self.line(a, b)?;
                let tail = match (tail, other) {
                    (Some(a), Some(b)) => Some(self.line(a, b)?),
                    _ => None,
                };
                self.lists[*list] = self.rows(*list, *second, depth + 1);
                Row::Nest(head, *list, tail)
            }
            _ => return None,
        };
        self.shared += 1;
        let mut rows = vec![row];
        if let (Some(list), Some(second)) = (one.otherwise, other.otherwise) {
            self.lists[list] = self.rows(list, second, depth + 1);
            rows.push(Row::Else(list));
        }
        Some(rows)
    }

    /// The line of two lines that differ in one part.
    fn varied(&mut self, one: &[RowUnit], other: &[RowUnit]) -> Option<Line> {
        let ([a], [b], 2) = (one, other, self.all) else {
            return None;
        };
        let (Row::Line(a), Row::Line(b)) = (&a.row, &b.row) else {
            return None;
        };
        let text = varied(&a.text, &b.text).filter(|_| !a.meets && !b.meets)?;
        self.show(&a.steps, &b.steps)?;
        self.shared += 1;
        Some(Line { text, ..a.clone() })
    }

    fn line(&mut self, one: &Line, other: &Line) -> Option<Line> {
        let text = both(&one.text, &other.text, self.merged)?;
        self.show(&one.steps, &other.steps)?;
        Some(Line {
            text,
            ..one.clone()
        })
    }

    /// Notes that what shows instructions shows others as well.
    fn show(&mut self, one: &[Step], other: &[Step]) -> Option<()> {
        match (one.last(), other.last()) {
            (Some(a), Some(b)) => {
                self.shown.entry(*a).or_default().extend(other);
                self.pairs.push((*a, *b));
                Some(())
            }
            (None, None) => Some(()),
            _ => None,
        }
    }
}
