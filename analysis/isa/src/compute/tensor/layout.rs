//! Where rows and columns of a product are in tensor memory, PTX ISA 9.7.17.10.5.

/// The lanes of tensor memory of a CTA.
pub(super) const LANES: u32 = 128;
/// The lanes that a warp reaches.
const QUARTER: u32 = 32;

/// The organization of the rows of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TensorLayout {
    /// Rows of the result in all CTAs.
    pub(super) rows: u32,
    /// Columns of the result.
    pub(super) columns: u32,
    /// CTAs that have parts of it.
    pub(super) peers: u32,
    /// Whether rows that do not fill the lanes have parts of their columns side by side.
    pub(super) folded: bool,
}

impl TensorLayout {
    /// The parts of the columns that lie in lanes of their own: 1, 2 or 4.
    pub(super) fn parts(self) -> u32 {
        match self.folded {
            true => LANES / (self.rows / self.peers).clamp(QUARTER, LANES),
            false => 1,
        }
    }

    /// The CTA, the lane and the column of an element, counted from the address.
    pub(super) fn place(self, row: u32, column: u32) -> (usize, u32, u32) {
        let rows = self.rows / self.peers;
        let (cta, row) = (row / rows, row % rows);
        if self.folded {
            let wide = self.columns / self.parts();
            let lane = column / wide * rows + row;
            return (cta as usize, lane, column % wide);
        }
        // Rows that do not fill the lanes are in one half of each quarter.
        let lane = match rows {
            64 => row / 16 * QUARTER + row % 16,
            _ => row,
        };
        (cta as usize, lane, column)
    }

    /// The columns that a result has in tensor memory.
    pub(super) fn width(self) -> u32 {
        self.columns / self.parts()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(rows: u32, peers: u32, folded: bool) -> TensorLayout {
        TensorLayout {
            rows,
            columns: 64,
            peers,
            folded,
        }
    }

    /// The table of the section: M, CTAs, and how many data paths are used.
    #[test]
    fn places_by_the_number_of_rows() {
        // A: 256 rows in two CTAs. D: 128 rows in one.
        assert_eq!(layout(256, 2, false).place(200, 5), (1, 72, 5));
        assert_eq!(layout(128, 1, false).place(100, 63), (0, 100, 63));
        // F: 64 rows in the first half of each quarter.
        assert_eq!(layout(64, 1, false).place(17, 3), (0, 33, 3));
        // B: 128 rows in two CTAs, halves of the columns in halves of the lanes.
        assert_eq!(layout(128, 2, true).place(70, 40), (1, 70, 8));
        // E and G: the same in one, with 64 and 32 rows.
        assert_eq!(layout(64, 1, true).place(63, 31), (0, 63, 31));
        assert_eq!(layout(32, 1, true).place(31, 63), (0, 127, 15));
        assert_eq!(layout(32, 1, true).width(), 16);
    }
}
