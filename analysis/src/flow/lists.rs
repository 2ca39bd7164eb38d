//! Many short lists in two allocations.

/// Lists of numbers, by their index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lists {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    /// No lists, with room for so many that have so many items together.
    pub(crate) fn with_capacity(lists: usize, items: usize) -> Lists {
        Lists {
            ends: Vec::with_capacity(lists),
            items: Vec::with_capacity(items),
        }
    }

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

    /// For each number below `count`, the indices of the wanted lists that contain it, ascending and each once.
    pub(crate) fn transposed(&self, count: usize, wanted: impl Fn(usize) -> bool) -> Lists {
        let mut ends = vec![0_u32; count];
        self.for_each(&wanted, |_, item| {
            if let Some(end) = ends.get_mut(item) {
                *end += 1;
            }
        });
        let mut sum = 0;
        // Each starts where the one before it ends, and is moved on to its own end as it is filled.
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut items = vec![0; sum as usize];
        self.for_each(&wanted, |list, item| {
            if let Some(next) = ends.get_mut(item) {
                items[*next as usize] = list as u32;
                *next += 1;
            }
        });
        Lists { ends, items }
    }

    /// Calls `act` with each wanted list and each number in it, once.
    #[inline]
    fn for_each(&self, wanted: &impl Fn(usize) -> bool, mut act: impl FnMut(usize, usize)) {
        let mut start = 0;
        for (list, end) in self.ends.iter().enumerate() {
            let items = &self.items[start..*end as usize];
            start = *end as usize;
            if items.is_empty() || !wanted(list) {
                continue;
            }
            for (index, item) in items.iter().enumerate() {
                if !items[..index].contains(item) {
                    act(list, *item as usize);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed_lists_name_the_lists_that_have_a_number() {
        let mut lists = Lists::default();
        lists.push([2, 0]);
        lists.push([]);
        lists.push([2, 2, 9]);
        let found = lists.transposed(4, |_| true);
        let all: Vec<&[u32]> = (0..5).map(|it| found.get(it)).collect();
        assert_eq!(all, [&[0][..], &[], &[0, 2], &[], &[]]);
        assert_eq!(lists.transposed(4, |it| it > 0).get(2), [2]);
    }
}
