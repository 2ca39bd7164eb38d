//! From LSP to the analysis.

use syntax::{
    TextRange, TextSize,
    text::{Encoding, LineTable},
};

use super::lsp_types;

/// An offset; positions outside the text mean the nearest place inside.
pub fn offset(position: lsp_types::Position, lines: &LineTable, encoding: Encoding) -> TextSize {
    lines.offset(self::position(position), encoding)
}

/// A range; an inverted one is turned around.
pub fn range(range: lsp_types::Range, lines: &LineTable, encoding: Encoding) -> TextRange {
    lines.range(position(range.start), position(range.end), encoding)
}

/// Whether a range is one that the text has: in order, and inside.
pub fn fits(range: lsp_types::Range, lines: &LineTable, encoding: Encoding) -> bool {
    let inside = |it: lsp_types::Position| {
        let position = position(it);
        lines.position(lines.offset(position, encoding), encoding) == position
    };
    range.start <= range.end && inside(range.start) && inside(range.end)
}

fn position(position: lsp_types::Position) -> syntax::text::Position {
    syntax::text::Position {
        line: position.line,
        character: position.character,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lsp::lsp_types::{Position, Range};

    #[test]
    fn odd_ranges_are_noticed_and_clamped() {
        let lines = LineTable::new("ab\ncd");
        let check = |start: (u32, u32), end: (u32, u32), odd: bool, expected: (u32, u32)| {
            let input = Range::new(Position::new(start.0, start.1), Position::new(end.0, end.1));
            assert_eq!(fits(input, &lines, Encoding::Utf16), !odd);
            assert_eq!(
                range(input, &lines, Encoding::Utf16),
                TextRange::new(expected.0.into(), expected.1.into())
            );
        };
        check((0, 1), (1, 1), false, (1, 4));
        check((1, 1), (0, 1), true, (1, 4));
        check((0, 1), (9, 0), true, (1, 5));
        check((0, 9), (1, 9), true, (2, 5));
        check((1, 2), (1, 2), false, (5, 5));
    }
}
