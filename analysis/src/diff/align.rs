//! The differences between two functions that are not the same.
//!
//! One more instruction renumbers all registers after it, so names are not compared. Statements that compute
//! the same value, as far as the definitions of their operands three steps back tell, are anchors; between
//! them statements of the same shape belong together. Then the names of those that belong together are paired,
//! and what contradicts that is another value.

use rustc_hash::FxHashMap;

use crate::alignment::align;

use super::{
    ChangeKind, FunctionChange, Rewired,
    canonical::{Partners, same_declarations, swapped},
    read::{Code, Hole, LocalName, Row, Words, hash_of},
};

/// How many definitions back a value is followed.
const DEPTH: usize = 3;

/// The differences between two functions.
pub(super) fn changes(old: &Code, new: &Code, words: &Words) -> FunctionChange {
    let shapes = [
        old.rows
            .iter()
            .map(|it| u64::from(it.shape))
            .collect::<Vec<_>>(),
        new.rows
            .iter()
            .map(|it| u64::from(words.of_new(it.shape)))
            .collect(),
    ];
    let values = [
        values(old, &shapes[0], &|it| it),
        values(new, &shapes[1], &|it| words.of_new(it)),
    ];
    let pairs = pairs(&values, &shapes);
    let mut change = FunctionChange {
        kind: ChangeKind::Changed,
        old: Some(old.side()),
        new: Some(new.side()),
        added: Vec::new(),
        removed: Vec::new(),
        moved: Vec::new(),
        rewired: rewired(old, new, words, &pairs),
        declarations: false,
    };
    let alone = |count: usize, paired: &mut dyn Iterator<Item = usize>| {
        let mut alone = vec![true; count];
        paired.for_each(|it| alone[it] = false);
        (0..count).filter(|it| alone[*it]).collect::<Vec<_>>()
    };
    let gone = alone(old.rows.len(), &mut pairs.iter().map(|it| it.0));
    let come = alone(new.rows.len(), &mut pairs.iter().map(|it| it.1));
    let mut waiting: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for index in come.iter().rev() {
        waiting.entry(values[1][*index]).or_default().push(*index);
    }
    let mut arrived = vec![false; new.rows.len()];
    for index in gone {
        let row = &old.rows[index];
        let partner = waiting.get_mut(&values[0][index]).and_then(Vec::pop);
        change.declarations |= !row.instruction;
        match partner {
            Some(partner) => {
                arrived[partner] = true;
                if row.instruction {
                    change.moved.push((row.range, new.rows[partner].range));
                }
            }
            None if row.instruction => change.removed.push(row.range),
            None => {}
        }
    }
    for index in come {
        let row = &new.rows[index];
        change.declarations |= !row.instruction;
        if row.instruction && !arrived[index] {
            change.added.push(row.range);
        }
    }
    change.declarations |=
        old.header != words.of_new(new.header) || !same_declarations(old, new, words);
    change
}

/// For each row a number of what it computes.
fn values(code: &Code, shapes: &[u64], word: &dyn Fn(u32) -> u32) -> Vec<u64> {
    let mut current = shapes.to_vec();
    let mut last = vec![0; code.symbols.len()];
    let mut parts: Vec<u64> = Vec::new();
    for _ in 0..DEPTH {
        last.fill(0);
        let mut next = Vec::with_capacity(shapes.len());
        for (index, row) in code.rows.iter().enumerate() {
            parts.clear();
            parts.push(shapes[index]);
            for hole in &row.holes {
                let symbol = hole.symbol as usize;
                parts.push(match &code.symbols[symbol] {
                    LocalName::Register(_) if hole.write => 0,
                    LocalName::Register(_) => last[symbol],
                    LocalName::Parameter(_, place) => u64::from(*place),
                    LocalName::Variable(_, declaration) => u64::from(word(*declaration)),
                    LocalName::Label(..) => 0,
                });
            }
            if let Some((a, b, 1)) = row.swap {
                let (a, b) = (1 + a as usize, 1 + b as usize);
                if parts[a] > parts[b] {
                    parts.swap(a, b);
                }
            }
            next.push(hash_of(&parts));
            for hole in row.holes.iter().filter(|it| it.write) {
                last[hole.symbol as usize] = current[index];
            }
        }
        current = next;
    }
    current
}

/// The rows that belong together, in order.
fn pairs(values: &[Vec<u64>; 2], shapes: &[Vec<u64>; 2]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    let ends = [(values[0].len(), values[1].len())];
    for (x, y) in align(&values[0], &values[1]).into_iter().chain(ends) {
        if i < x && j < y {
            let gap = align(&shapes[0][i..x], &shapes[1][j..y]);
            pairs.extend(gap.into_iter().map(|(p, q)| (i + p, j + q)));
        }
        if x < values[0].len() {
            pairs.push((x, y));
        }
        (i, j) = (x + 1, y + 1);
    }
    pairs
}

/// The operands of rows that belong together that are other values, each pair of names once.
fn rewired(old: &Code, new: &Code, words: &Words, pairs: &[(usize, usize)]) -> Vec<Rewired> {
    let mut partner = vec![None; old.rows.len()];
    for (i, j) in pairs {
        partner[*i] = Some(*j);
    }
    // A label is the same if the first rows after it that have a partner belong together.
    let mut behind = vec![None; old.rows.len() + 1];
    for index in (0..old.rows.len()).rev() {
        behind[index] = partner[index].or(behind[index + 1]);
    }
    let mut ahead = vec![None; new.rows.len() + 1];
    for (_, index) in pairs {
        ahead[*index] = Some(*index);
    }
    for index in (0..new.rows.len()).rev() {
        ahead[index] = ahead[index].or(ahead[index + 1]);
    }
    let label = |a: u32, b: u32| behind.get(a as usize) == ahead.get(b as usize);
    let mut partners = Partners::new(old, new, words);
    let mut found: Vec<Rewired> = Vec::new();
    let mut known: FxHashMap<(u32, u32), usize> = FxHashMap::default();
    for (i, j) in pairs {
        let (a, b) = (&old.rows[*i], &new.rows[*j]);
        let fits = |partners: &Partners<'_>, holes: &[Hole]| {
            let both = a.holes.iter().zip(holes);
            both.filter(|it| !it.0.write)
                .all(|(x, y)| partners.fit(*x, *y, &label))
        };
        let other = swapped(b).filter(|it| !fits(&partners, &b.holes) && fits(&partners, it));
        let holes = other.as_deref().unwrap_or(&b.holes);
        for (x, y) in a.holes.iter().zip(holes) {
            if x.write || partners.fit(*x, *y, &label) {
                partners.pair(*x, *y);
            } else {
                note(&mut found, &mut known, (old, a, *x), (new, b, *y));
            }
        }
    }
    found
}

/// Counts one use of another value.
fn note(
    found: &mut Vec<Rewired>,
    known: &mut FxHashMap<(u32, u32), usize>,
    (old, a, x): (&Code, &Row, Hole),
    (new, b, y): (&Code, &Row, Hole),
) {
    let place = *known.entry((x.symbol, y.symbol)).or_insert(found.len());
    if let Some(rewired) = found.get_mut(place) {
        rewired.uses += 1;
        return;
    }
    found.push(Rewired {
        old: old.symbols[x.symbol as usize].name().into(),
        new: new.symbols[y.symbol as usize].name().into(),
        uses: 1,
        first: (a.range, b.range),
    });
}
