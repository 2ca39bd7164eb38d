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

    /// For each number below `count`, the indices of the lists that contain it, ascending; a number that a list
    /// has twice names it twice.
    pub(crate) fn transposed(&self, count: usize) -> Lists {
        let mut ends = vec![0_u32; count];
        for item in &self.items {
            if let Some(end) = ends.get_mut(*item as usize) {
                *end += 1;
            }
        }
        let mut sum = 0;
        // Each starts where the one before it ends, and is moved on to its own end as it is filled.
        for end in &mut ends {
            sum += std::mem::replace(end, sum);
        }
        let mut items = vec![0; sum as usize];
        for list in 0..self.ends.len() {
            for item in self.get(list) {
                if let Some(next) = ends.get_mut(*item as usize) {
                    items[*next as usize] = list as u32;
                    *next += 1;
                }
            }
        }
        Lists { ends, items }
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
        let found = lists.transposed(4);
        let all: Vec<&[u32]> = (0..5).map(|it| found.get(it)).collect();
        assert_eq!(all, [&[0][..], &[], &[0, 2, 2], &[], &[]]);
    }
}
