//! Long vectors, whose elements are put into columns when they are on one line.

use syntax::SyntaxKind;

use super::pieces::{Line, Piece, Role};

/// A vector with more elements is long.
const LONG: usize = 16;
/// Elements of a row: the first number if such rows are not too wide.
const PER_ROW: [usize; 2] = [16, 8];
/// The widest row of the larger number of elements.
const MAX_WIDTH: usize = 100;

/// Wraps the long vectors of a line of the layout that have no line break.
pub(super) fn wrap(line: &mut Line<'_>) {
    let mut start = 0;
    while let Some(open) =
        (start..line.pieces.len()).find(|it| is(&line.pieces[*it], SyntaxKind::L_BRACE))
    {
        let rest = open + 1..line.pieces.len();
        let Some(close) = rest
            .clone()
            .find(|it| is(&line.pieces[*it], SyntaxKind::R_BRACE))
        else {
            return;
        };
        start = close + 1;
        let inner = &line.pieces[open + 1..=close];
        let simple = |it: &Piece<'_>| it.breaks == 0 && it.role != Role::Comment;
        if inner.iter().all(simple) {
            wrap_one(&mut line.pieces, open, close);
        }
    }
}

/// Whether a piece is a token of a vector itself.
fn is(piece: &Piece<'_>, kind: SyntaxKind) -> bool {
    piece.kind == kind && piece.parent == SyntaxKind::VECTOR
}

fn wrap_one(pieces: &mut [Piece<'_>], open: usize, close: usize) {
    let mut elements = vec![open + 1];
    let commas = open + 1..close;
    elements.extend(
        commas
            .filter(|it| is(&pieces[*it], SyntaxKind::COMMA))
            .map(|it| it + 1),
    );
    if elements.len() <= LONG {
        return;
    }
    let ends = elements.iter().skip(1).copied().chain([close]);
    let width = |(start, end): (&usize, usize)| -> usize {
        pieces[*start..end]
            .iter()
            .enumerate()
            .map(|(index, it)| it.width() + usize::from(index > 0 && it.space))
            .sum()
    };
    // Each with the comma after it.
    let widths: Vec<usize> = elements.iter().zip(ends).map(width).collect();
    let columns = |per_row: usize| -> Vec<usize> {
        let column = |it| widths.iter().skip(it).step_by(per_row).copied();
        (0..per_row)
            .map(|it| column(it).max().unwrap_or(0))
            .collect()
    };
    let [wide, narrow] = PER_ROW;
    let mut per_row = wide;
    let mut widest = columns(wide);
    if widest.iter().sum::<usize>() + wide > MAX_WIDTH {
        per_row = narrow;
        widest = columns(narrow);
    }
    for (index, element) in elements.iter().enumerate() {
        let piece = &mut pieces[*element];
        match index % per_row {
            0 => piece.breaks = 1,
            column => piece.pad = Some(widest[column - 1] + 1 - widths[index - 1]),
        }
    }
    pieces[close].breaks = 1;
}
