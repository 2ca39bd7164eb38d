//! Statements and structure together, as lines.

use isa::{event::EventKind, semantics::Control};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::flow::ids::{BlockId, Step};

use super::{
    both::{AS_ABOVE, Both},
    chain,
    compact::compact,
    line::{Condition, Line, Row},
    polynomial, reduction, repetition,
    statement::Writer,
    structure::{Item, Jump, List, Structure},
    twins::Twins,
};

/// The rows of a function.
pub(super) struct Rows<'a, 'db> {
    writer: Writer<'a, 'db>,
    structure: &'a Structure,
    /// The lists of the structure, and further ones.
    lists: Vec<Vec<Row>>,
    /// The instructions that the line of an instruction shows as well.
    shown: FxHashMap<Step, Vec<Step>>,
}

impl<'a, 'db> Rows<'a, 'db> {
    pub(super) fn new(writer: Writer<'a, 'db>, structure: &'a Structure) -> Rows<'a, 'db> {
        let mut rows = Rows {
            writer,
            structure,
            lists: vec![Vec::new(); structure.lists.len()],
            shown: FxHashMap::default(),
        };
        // Those inside others come after them.
        for list in (0..structure.lists.len()).rev() {
            let mut found = Vec::new();
            for item in &structure.lists[list] {
                rows.push(item, &mut found);
            }
            rows.lists[list] = found;
        }
        if let Some(Row::Leave(line)) = rows.lists.first().and_then(|it| it.last())
            && line.text == RETURN
        {
            rows.lists[0].pop();
        }
        rows
    }

    /// The branches that do nearly the same.
    pub(super) fn twins(&self) -> Twins {
        let (subject, plan) = (self.writer.subject, self.writer.plan);
        Twins::new(subject, self.structure, plan, &self.lists)
    }

    /// Puts branches with the same names together; false if any are too different, and then the rows are of no use.
    pub(super) fn merge(&mut self, twins: &Twins) -> bool {
        let mut both = Both::new(&mut self.lists);
        if !twins.groups.iter().all(|it| both.merge(it)) {
            return false;
        }
        let alone: FxHashSet<Step> = both.alone.iter().copied().collect();
        for (first, second) in &both.pairs {
            let readers = self.writer.plan.readers[*second as usize].iter();
            let more: Vec<Step> = readers.filter(|it| alone.contains(it)).copied().collect();
            if !more.is_empty() {
                self.writer.more_readers.insert(*first, more);
            }
        }
        self.shown = both.shown;
        true
    }

    /// The lists of the function, each after the one that it is in.
    fn reached(&self) -> Vec<List> {
        let mut order: Vec<List> = vec![0];
        let mut next = 0;
        while let Some(list) = order.get(next) {
            order.extend(self.lists[*list].iter().filter_map(Row::list));
            next += 1;
        }
        order
    }

    /// Shortens what is regular.
    fn fold(&mut self) {
        // Those inside others first.
        for list in self.reached().into_iter().rev() {
            let found = std::mem::take(&mut self.lists[list]);
            let found = reduction::fold(found, &self.writer);
            let found = chain::fold(found, &self.writer);
            let found = polynomial::fold(found, &self.writer);
            let found = repetition::fold(found, &mut self.lists, repetition::MIN_TURNS);
            // Turns of turns; in a long list also pairs.
            let least = match found.len() > LONG_LIST {
                true => 2,
                false => repetition::MIN_TURNS,
            };
            let found = repetition::fold(found, &mut self.lists, least);
            self.lists[list] = joined(found, is_simple);
        }
        let reached = self.reached();
        let rows: usize = reached.iter().map(|it| self.lists[*it].len()).sum();
        if rows > LONG_FUNCTION {
            for list in reached {
                let found = std::mem::take(&mut self.lists[list]);
                self.lists[list] = joined(found, is_computed);
            }
        }
    }

    fn push(&mut self, item: &Item, rows: &mut Vec<Row>) {
        match *item {
            Item::Steps(block) => self.push_steps(block, rows),
            Item::Label(block) => {
                if self.structure.labeled[block as usize] {
                    rows.push(Row::Line(self.label(block)));
                }
            }
            Item::Jump(Jump::Break) => rows.push(Row::Break),
            Item::Jump(Jump::Continue) => rows.push(leave("continue".to_owned(), Vec::new())),
            Item::Jump(Jump::To(block)) => {
                let name = self.name(block);
                rows.push(leave(format!("goto {name}"), Vec::new()));
            }
            Item::Leave(step) => rows.push(self.end(step)),
            Item::Loop(head, list) => self.push_loop(head, list, rows),
            Item::Table(step, ref cases) => {
                let index = self.writer.index(step).unwrap_or_default();
                let mut inner = Vec::new();
                for (number, case) in cases.iter().enumerate() {
                    let head = Line {
                        text: format!("case {number}:"),
                        ..Line::default()
                    };
                    inner.push(Row::Nest(head, *case, None));
                }
                let list = self.add(inner);
                let head = self.line(step, format!("switch {index}:"));
                rows.push(Row::Nest(head, list, None));
            }
            Item::If(step, then, otherwise) => self.push_branch(step, then, otherwise, rows),
        }
    }

    fn push_branch(&mut self, step: Step, then: List, otherwise: List, rows: &mut Vec<Row>) {
        let condition = self.condition(step);
        let ends = |it: &Vec<Row>| matches!(it.last(), Some(Row::Leave(_) | Row::Break));
        let (a, b) = (&self.lists[then], &self.lists[otherwise]);
        match (a.is_empty(), b.is_empty()) {
            (true, true) => {}
            (true, false) => rows.push(Row::If(condition.reversed(), otherwise, None)),
            (false, true) => rows.push(Row::If(condition, then, None)),
            (false, false) if ends(b) && (!ends(a) || b.len() < a.len()) => {
                rows.push(Row::If(condition.reversed(), otherwise, None));
                rows.append(&mut self.lists[then]);
            }
            (false, false) if ends(a) => {
                rows.push(Row::If(condition, then, None));
                rows.append(&mut self.lists[otherwise]);
            }
            (false, false) => {
                rows.push(Row::If(condition, then, None));
                rows.push(Row::Else(otherwise));
            }
        }
    }

    fn push_loop(&mut self, head: BlockId, list: List, rows: &mut Vec<Row>) {
        if self.structure.labeled[head as usize] {
            rows.push(Row::Line(self.label(head)));
        }
        let breaks = |rows: &Self, row: Option<&Row>| match row {
            Some(Row::If(condition, list, _)) if rows.lists[*list] == [Row::Break] => {
                Some(condition.clone())
            }
            _ => None,
        };
        let line = |text: String, steps: Vec<Step>| Line {
            text,
            steps,
            ..Line::default()
        };
        // A loop that only asks again is a wait.
        if let [Row::Line(line), last] = &self.lists[list][..]
            && line.waits
            && let Some(it) = breaks(self, Some(last))
            && let Some((result, call)) = line.text.split_once(" = ")
            && it.text == result
        {
            let mut steps = line.steps.clone();
            steps.extend(&it.steps);
            let text = format!("wait until {call}");
            rows.push(Row::Line(Line {
                text,
                steps,
                ..Line::default()
            }));
            return;
        }
        if let Some(it) = breaks(self, self.lists[list].last()) {
            self.lists[list].pop();
            let tail = line(format!("while {}", it.opposite), it.steps);
            let head = line("do:".to_owned(), Vec::new());
            rows.push(Row::Nest(head, list, Some(tail)));
        } else if let Some(it) = breaks(self, self.lists[list].first()) {
            self.lists[list].remove(0);
            let head = line(format!("while {}:", it.opposite), it.steps);
            rows.push(Row::Nest(head, list, None));
        } else {
            let head = line("loop:".to_owned(), Vec::new());
            rows.push(Row::Nest(head, list, None));
        }
    }

    fn push_steps(&mut self, block: BlockId, rows: &mut Vec<Row>) {
        let subject = self.writer.subject;
        let facts = &subject.flow.facts;
        for step in subject.flow.graph.blocks[block as usize].clone() {
            if facts.control[step as usize].leaves() {
                continue;
            }
            let Some(text) = self.writer.statement(step) else {
                continue;
            };
            let row = Row::Line(self.line(step, text));
            if !facts.guarded[step as usize] {
                rows.push(row);
                continue;
            }
            let guard = subject.get(step).and_then(|it| it.guard());
            let guard = guard.and_then(|it| facts.value(it));
            let condition = self.condition(step);
            let written = facts.writes.get(step as usize).iter();
            let stays = written.into_iter().all(|it| Some(*it) != guard);
            if let Some(Row::If(known, list, by)) = rows.last_mut()
                && by.is_some()
                && *by == guard
                && known.text == condition.text
            {
                self.lists[*list].push(row);
                *by = by.filter(|_| stays);
                continue;
            }
            let list = self.add(vec![row]);
            rows.push(Row::If(condition, list, guard.filter(|_| stays)));
        }
    }

    fn condition(&mut self, step: Step) -> Condition {
        let (text, opposite) = self.writer.guard(step).unwrap_or_default();
        let leaves = self.writer.subject.flow.facts.control[step as usize].leaves();
        Condition {
            text,
            opposite,
            steps: match leaves {
                true => self.steps(step),
                false => Vec::new(),
            },
        }
    }

    /// The instructions that a statement tells.
    fn steps(&self, step: Step) -> Vec<Step> {
        let mut steps = self.writer.plan.inside[step as usize].clone();
        steps.push(step);
        steps
    }

    fn line(&self, step: Step, text: String) -> Line {
        let is_meeting =
            |it: EventKind| matches!(it, EventKind::BlockSync | EventKind::ClusterWait);
        let is_wait =
            |it: EventKind| matches!(it, EventKind::PhaseWait | EventKind::PhaseWaitRelaxed);
        Line {
            text,
            steps: self.steps(step),
            meets: self.writer.subject.has_event(step, is_meeting),
            waits: self.writer.subject.has_event(step, is_wait),
            ..Line::default()
        }
    }

    fn end(&mut self, step: Option<Step>) -> Row {
        let control = step.map(|it| self.writer.subject.flow.facts.control[it as usize]);
        let text = match (control, step) {
            (Some(Control::Trap), Some(step)) => self.writer.statement(step),
            _ => None,
        };
        let steps = step.map(|it| self.steps(it)).unwrap_or_default();
        leave(text.unwrap_or_else(|| RETURN.to_owned()), steps)
    }

    fn name(&self, block: BlockId) -> String {
        self.writer.subject.label(block)
    }

    fn label(&self, block: BlockId) -> Line {
        Line {
            text: format!("{}:", self.name(block)),
            ..Line::default()
        }
    }

    fn add(&mut self, rows: Vec<Row>) -> List {
        self.lists.push(rows);
        self.lists.len() - 1
    }

    /// The instructions whose statement has no text.
    pub(super) fn failed(&self) -> &[Step] {
        &self.writer.failed
    }

    /// The lines.
    pub(super) fn finish(mut self) -> Vec<Line> {
        self.fold();
        let mut lines = Vec::new();
        let mut stage = 1;
        // Lists with the next of their rows, and lines that come after a list.
        let mut open: Vec<(List, usize, u32, Option<Line>)> = vec![(0, 0, 0, None)];
        while let Some((list, next, indent, _)) = open.last_mut() {
            let (list, indent) = (*list, *indent);
            let Some(row) = self.lists[list].get(*next).cloned() else {
                if let Some((_, _, _, Some(mut tail))) = open.pop() {
                    tail.indent = indent.saturating_sub(1);
                    lines.push(tail);
                }
                continue;
            };
            *next += 1;
            match row {
                Row::Line(mut line) | Row::Leave(mut line) => {
                    line.indent = indent;
                    if line.meets {
                        let first = stage + 1;
                        stage = first + line.more;
                        let stages = match line.more {
                            0 => first.to_string(),
                            _ => format!("{first}..{stage}"),
                        };
                        line.text = format!("──── {} ──── stage {stages}", line.text);
                    }
                    lines.push(line);
                }
                Row::Break => lines.push(Line {
                    indent,
                    text: "break".to_owned(),
                    ..Line::default()
                }),
                Row::If(condition, then, _) => {
                    let short = match &self.lists[then][..] {
                        [Row::Break] => Some(("break".to_owned(), Vec::new())),
                        [Row::Line(it)] if it.meets => None,
                        [Row::Line(it) | Row::Leave(it)] => {
                            Some((it.text.clone(), it.steps.clone()))
                        }
                        _ => None,
                    };
                    let mut steps = condition.steps;
                    let text = match short {
                        Some((text, more)) => {
                            steps.extend(more);
                            steps.sort_unstable();
                            steps.dedup();
                            format!("if {}: {text}", condition.text)
                        }
                        None => {
                            open.push((then, 0, indent + 1, None));
                            format!("if {}:", condition.text)
                        }
                    };
                    lines.push(Line {
                        indent,
                        text,
                        steps,
                        ..Line::default()
                    });
                }
                Row::Else(list) => {
                    let mut text = "else:".to_owned();
                    let mut steps = Vec::new();
                    match &self.lists[list][..] {
                        [Row::If(condition, then, _)]
                        | [Row::If(condition, then, _), Row::Else(_)] => {
                            text = format!("else if {}:", condition.text);
                            steps.clone_from(&condition.steps);
                            open.push((list, 1, indent, None));
                            match &self.lists[*then][..] {
                                [Row::Line(it)] if it.text.starts_with(AS_ABOVE) => {
                                    text = format!("{text} {}", it.text);
                                    steps.extend(&it.steps);
                                }
                                _ => open.push((*then, 0, indent + 1, None)),
                            }
                        }
                        _ => open.push((list, 0, indent + 1, None)),
                    }
                    lines.push(Line {
                        indent,
                        text,
                        steps,
                        ..Line::default()
                    });
                }
                Row::Only(word, list) => {
                    let (text, steps) = one_line(&self.lists[list]).unwrap_or_else(|| {
                        open.push((list, 0, indent + 1, None));
                        Default::default()
                    });
                    lines.push(Line {
                        indent,
                        text: format!("{word}:{text}"),
                        steps,
                        alone: true,
                        ..Line::default()
                    });
                }
                Row::Nest(mut head, list, tail) => {
                    head.indent = indent;
                    lines.push(head);
                    open.push((list, 0, indent + 1, tail));
                }
            }
        }
        for line in &mut lines {
            let more = line.steps.iter().filter_map(|it| self.shown.get(it));
            let more: Vec<Step> = more.flatten().copied().collect();
            if !more.is_empty() {
                line.steps.extend(more);
                line.steps.sort_unstable();
                line.steps.dedup();
            }
        }
        if lines.len() > LONG_FUNCTION {
            lines = compact(lines);
        }
        find_leads(&mut lines);
        lines
    }
}

/// Finds the lead of each line: the first instruction that is not before the line above, or else the last one. A line of
/// only some branches does not move the place at which the other lines continue.
fn find_leads(lines: &mut [Line]) {
    let mut last = None;
    for line in lines {
        let next = line.steps.iter().position(|it| Some(*it) >= last);
        let at = next.unwrap_or(line.steps.len().saturating_sub(1));
        line.lead = line.steps.get(at).copied();
        if let Some(lead) = line.lead.filter(|_| !line.alone) {
            let row = (lead..).zip(&line.steps[at..]);
            last = row.take_while(|it| it.0 == *it.1).last().map(|it| it.0);
        }
    }
}

/// Rows in which statements that are short follow each other in one line.
fn joined(rows: Vec<Row>, is_short: fn(&Line) -> bool) -> Vec<Row> {
    let mut out: Vec<Row> = Vec::with_capacity(rows.len());
    // Whether the last row is such a line.
    let mut open = false;
    for row in rows {
        let short = matches!(&row, Row::Line(it) if is_short(it));
        if open
            && short
            && let (Some(Row::Line(last)), Row::Line(next)) = (out.last_mut(), &row)
            && last.text.len() + next.text.len() <= MAX_JOINED
        {
            last.text = format!("{}; {}", last.text, next.text);
            last.steps.extend(&next.steps);
            last.steps.sort_unstable();
            last.steps.dedup();
            continue;
        }
        open = short;
        out.push(row);
    }
    out
}

/// Short lines as the end of one, with their instructions.
fn one_line(rows: &[Row]) -> Option<(String, Vec<Step>)> {
    let lines = rows.iter().map(|it| match it {
        Row::Line(it) if !it.meets && !it.waits => Some(it),
        _ => None,
    });
    let lines: Vec<&Line> = lines.collect::<Option<_>>()?;
    let texts: Vec<&str> = lines.iter().map(|it| &*it.text).collect();
    let text = texts.join("; ");
    let mut steps: Vec<Step> = lines.iter().flat_map(|it| &it.steps).copied().collect();
    steps.sort_unstable();
    steps.dedup();
    let head = texts.iter().any(|it| it.ends_with(':'));
    let fits = lines.len() == 1 || !head && text.len() <= MAX_JOINED;
    fits.then(|| (format!(" {text}"), steps))
}

/// Whether a statement has no result, or only sets a register.
fn is_simple(line: &Line) -> bool {
    let value = line.text.split_once(" = ");
    let simple = match value {
        Some((to, value)) => !to.contains(' ') && !value.contains([' ', '(', '[', '@']),
        None => !line.text.ends_with(':') && !line.text.contains(['…', '⟨']),
    };
    simple && is_short(line)
}

/// Whether a statement computes registers from registers, or is a call.
fn is_computed(line: &Line) -> bool {
    let computed = match line.text.split_once(" = ") {
        Some((to, value)) => !to.contains(['[', '@']) && !value.contains(['[', '@', ':']),
        None => !line.text.ends_with(':'),
    };
    computed && !line.text.contains('⟨') && is_short(line)
}

fn is_short(line: &Line) -> bool {
    let adds = line.text.contains(" += ") || line.text.contains('×');
    !adds && !line.meets && !line.waits && line.text.len() <= MAX_SHORT
}

/// Rows of a function from which on statements that compute share a line.
const LONG_FUNCTION: usize = 120;
/// Rows from which on pairs of lines that differ by numbers are one.
const LONG_LIST: usize = 40;
/// The longest statement that others may follow in its line, and the longest line of several, in bytes.
const MAX_SHORT: usize = 56;
const MAX_JOINED: usize = 108;

const RETURN: &str = "return";

fn leave(text: String, steps: Vec<Step>) -> Row {
    Row::Leave(Line {
        text,
        steps,
        ..Line::default()
    })
}
