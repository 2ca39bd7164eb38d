//! Many short lists in two allocations.

/// Lists of numbers, by their index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// Appends a list.
    pub(crate) fn push(&mut self, items: impl IntoIterator<Item = u32>) {
        self.items.extend(items);
        self.ends.push(self.items.len() as u32);
    }

    /// The list with an index; empty if there is none.
    pub(crate) fn get(&self, index: usize) -> &[u32] {
        let Some(end) = self.ends.get(index) else {
            return &[];
        };
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1],
        };
        &self.items[start as usize..*end as usize]
    }
}
