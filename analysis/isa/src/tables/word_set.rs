//! Sets of the words of one instruction.

/// A set of words of one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WordSet([u64; 5]);

impl WordSet {
    /// Number of words that one instruction may have.
    pub const CAPACITY: u16 = 320;

    /// Adds a word by its index.
    pub fn insert(&mut self, id: u16) {
        self.0[usize::from(id) / 64] |= 1 << (id % 64);
    }

    /// Whether the word is in the set.
    #[must_use]
    pub fn contains(&self, id: u16) -> bool {
        self.0
            .get(usize::from(id) / 64)
            .is_some_and(|it| it & (1 << (id % 64)) != 0)
    }

    /// Whether the sets share a word.
    #[must_use]
    pub fn intersects(&self, other: &WordSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether all words of the other set are in this one.
    #[must_use]
    pub fn covers(&self, other: &WordSet) -> bool {
        self.0.iter().zip(other.0).all(|(a, b)| b & !a == 0)
    }

    /// Adds all words of another set.
    pub fn extend(&mut self, other: &WordSet) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a |= b;
        }
    }

    /// The words as indices, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        (0u16..).zip(self.0).flat_map(|(index, mut bits)| {
            std::iter::from_fn(move || {
                let bit = bits.trailing_zeros() as u16;
                bits &= bits.checked_sub(1)?;
                Some(index * 64 + bit)
            })
        })
    }
}
