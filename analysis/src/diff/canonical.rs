//! Comparison of two functions apart from their names.

use super::read::{Code, Hole, LocalName, Row, Words, hash_of};

/// No partner yet.
const NONE: u32 = u32::MAX;

/// Which name of one function is which one of another.
pub(super) struct Partners<'a> {
    old: &'a Code,
    new: &'a Code,
    words: &'a Words,
    to_new: Vec<u32>,
    to_old: Vec<u32>,
}

impl<'a> Partners<'a> {
    pub(super) fn new(old: &'a Code, new: &'a Code, words: &'a Words) -> Partners<'a> {
        Partners {
            old,
            new,
            words,
            to_new: vec![NONE; old.symbols.len()],
            to_old: vec![NONE; new.symbols.len()],
        }
    }

    /// Whether two names can be the same; those without a partner so far can, if their declarations agree.
    /// `label` says whether two labels are, by the rows after them.
    pub(super) fn fit(&self, old: Hole, new: Hole, label: &dyn Fn(u32, u32) -> bool) -> bool {
        let (a, b) = (old.symbol as usize, new.symbol as usize);
        match (&self.old.symbols[a], &self.new.symbols[b]) {
            (LocalName::Label(_, a), LocalName::Label(_, b)) => label(*a, *b),
            (LocalName::Parameter(_, a), LocalName::Parameter(_, b)) => a == b,
            (LocalName::Register(_), LocalName::Register(_)) => self.are_free_or_paired(old, new),
            (LocalName::Variable(_, x), LocalName::Variable(_, y)) => {
                *x == self.words.of_new(*y) && self.are_free_or_paired(old, new)
            }
            _ => false,
        }
    }

    fn are_free_or_paired(&self, old: Hole, new: Hole) -> bool {
        let to_new = self.to_new[old.symbol as usize];
        let to_old = self.to_old[new.symbol as usize];
        (to_new == NONE && to_old == NONE) || (to_new == new.symbol && to_old == old.symbol)
    }

    /// Makes two names the same, and others that were the same as one of them not.
    pub(super) fn pair(&mut self, old: Hole, new: Hole) {
        let before = std::mem::replace(&mut self.to_new[old.symbol as usize], new.symbol);
        if before != NONE && before != new.symbol {
            self.to_old[before as usize] = NONE;
        }
        let before = std::mem::replace(&mut self.to_old[new.symbol as usize], old.symbol);
        if before != NONE && before != old.symbol {
            self.to_new[before as usize] = NONE;
        }
    }
}

/// The holes of a row with the two lists that may change places exchanged.
pub(super) fn swapped(row: &Row) -> Option<Vec<Hole>> {
    let (a, b, length) = row
        .swap
        .map(|(a, b, it)| (a as usize, b as usize, it as usize))?;
    let mut holes = row.holes.to_vec();
    let (first, second) = holes.split_at_mut_checked(b)?;
    first
        .get_mut(a..a + length)?
        .swap_with_slice(second.get_mut(..length)?);
    Some(holes)
}

/// Whether two functions of modules with these words are the same but for names.
pub(super) fn equal(old: &Code, new: &Code, words: &Words) -> bool {
    if old.header != words.of_new(new.header) || old.rows.len() != new.rows.len() {
        return false;
    }
    if !same_declarations(old, new, words) {
        return false;
    }
    let mut partners = Partners::new(old, new, words);
    let label = |a: u32, b: u32| a == b;
    old.rows.iter().zip(&new.rows).all(|(a, b)| {
        if a.shape != words.of_new(b.shape) || a.holes.len() != b.holes.len() {
            return false;
        }
        let mut pair_all = |holes: &[Hole]| {
            let fit = a.holes.iter().zip(holes);
            if !fit.clone().all(|(x, y)| partners.fit(*x, *y, &label)) {
                return false;
            }
            // A name may appear twice in a row.
            for (x, y) in fit {
                if !partners.fit(*x, *y, &label) {
                    return false;
                }
                partners.pair(*x, *y);
            }
            true
        };
        pair_all(&b.holes) || swapped(b).is_some_and(|holes| pair_all(&holes))
    })
}

/// Whether the variables of two functions are the same but for names and order.
pub(super) fn same_declarations(old: &Code, new: &Code, words: &Words) -> bool {
    let mut a = old.declarations.clone();
    let mut b: Vec<u32> = new
        .declarations
        .iter()
        .map(|it| words.of_new(*it))
        .collect();
    a.sort_unstable();
    b.sort_unstable();
    a == b
}

/// A number that functions share if they differ in names only; operands that change places may change it.
pub(super) fn fingerprint(code: &Code, word: &dyn Fn(u32) -> u32) -> u64 {
    let mut numbers = vec![NONE; code.symbols.len()];
    let mut next = 0;
    let mut hash = hash_of(&[u64::from(word(code.header))]);
    for row in &code.rows {
        hash = hash_of(&[hash, u64::from(word(row.shape))]);
        for hole in &row.holes {
            let number = match &code.symbols[hole.symbol as usize] {
                LocalName::Label(_, place) | LocalName::Parameter(_, place) => *place,
                LocalName::Register(_) | LocalName::Variable(..) => {
                    let number = &mut numbers[hole.symbol as usize];
                    if *number == NONE {
                        *number = next;
                        next += 1;
                    }
                    *number
                }
            };
            hash = hash_of(&[hash, u64::from(number)]);
        }
    }
    hash
}
