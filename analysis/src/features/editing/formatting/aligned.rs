//! Tables that an author has aligned by hand: rows of the text whose operands or statements start in the same columns.
//!
//! Their blanks are kept. They still count for the columns of their neighbours, so a text that is formatted stays as it
//! is even where formatting has made rows look aligned.

use syntax::SyntaxKind;

use super::pieces::{Line, Piece, Role};

/// A line of the text.
struct TextRow {
    /// Its first piece: the line of the layout, and the piece in it.
    first: (usize, usize),
    /// The first piece of the next row.
    end: (usize, usize),
    /// Where pieces after the first start, in columns from its start, and the blanks before them. Only pieces after a
    /// comma or a semicolon, as others are not put into columns by hand.
    starts: Vec<(usize, usize)>,
    /// Where statements after the first start.
    statements: Vec<usize>,
    /// Where its first piece is, in blanks after those of its statement. None where tabs or other characters differ.
    column: Option<usize>,
    /// Whether it holds instructions and declarations only, with blanks between their parts.
    plain: bool,
    /// Columns where an operand, or an element in brackets starts.
    elements: Vec<usize>,
}

/// Marks the pieces whose blanks are kept.
pub(super) fn keep(lines: &mut [Line<'_>]) {
    let rows = rows(lines);
    let mut start = 0;
    while start < rows.len() {
        let mut end = start + 1;
        let mut deliberate = false;
        while end < rows.len()
            && let Some(meant) = aligned(lines, &rows[end - 1], &rows[end])
        {
            deliberate |= meant;
            end += 1;
        }
        if deliberate {
            for row in &rows[start..end] {
                keep_row(lines, row);
            }
        }
        start = end;
    }
    hanging(lines, &rows);
}

/// Statements whose later rows start under an element of an earlier one, which are moved as a whole.
fn hanging(lines: &mut [Line<'_>], rows: &[TextRow]) {
    let mut start = 0;
    while start < rows.len() {
        let line = rows[start].first.0;
        let mut end = start + 1;
        while end < rows.len() && rows[end].first.0 == line && rows[end].first.1 > 0 {
            end += 1;
        }
        let statement = &rows[start..end];
        let under = |index: usize| {
            let (row, above) = (&statement[index], &statement[index - 1]);
            let shift = above.column.unwrap_or_default();
            row.column
                .is_some_and(|it| it > shift && above.elements.contains(&(it - shift)))
        };
        if rows[start].first.1 == 0
            && statement
                .iter()
                .all(|it| it.plain && it.end <= (line + 1, 0))
            && (1..statement.len()).any(under)
        {
            for row in statement {
                keep_row(lines, row);
                if row.first.1 > 0
                    && let Some(column) = row.column
                {
                    lines[line].pieces[row.first.1].hanging = Some(column);
                }
            }
        }
        start = end;
    }
}

/// Whether two rows are aligned, and if so whether someone has meant it: that is when the blanks before a column differ.
fn aligned(lines: &[Line<'_>], above: &TextRow, below: &TextRow) -> Option<bool> {
    let (first, second) = (&lines[above.first.0], &lines[below.first.0]);
    let continued = below.first.1 > 0;
    let comparable = above.plain
        && below.plain
        && first.depth == second.depth
        && continued == (above.first.1 > 0)
        && (!continued || above.first.0 == below.first.0)
        && (continued || second.breaks < 2);
    if !comparable {
        return None;
    }
    if !above.statements.is_empty() && above.statements == below.statements {
        return Some(true);
    }
    let mut shared = None;
    let mut others = below.starts.iter().peekable();
    for (column, blanks) in &above.starts {
        while others.next_if(|it| it.0 < *column).is_some() {}
        if let Some((_, other)) = others.next_if(|it| it.0 == *column)
            && (*blanks > 1 || *other > 1)
        {
            shared = Some(shared == Some(true) || blanks != other);
        }
    }
    shared
}

fn keep_row(lines: &mut [Line<'_>], row: &TextRow) {
    let (mut line, mut piece) = row.first;
    piece += 1;
    loop {
        if line < lines.len() && piece >= lines[line].pieces.len() {
            (line, piece) = (line + 1, 0);
        }
        if (line, piece) >= row.end || line >= lines.len() {
            return;
        }
        lines[line].pieces[piece].kept = true;
        piece += 1;
    }
}

/// The rows of the text.
fn rows(lines: &[Line<'_>]) -> Vec<TextRow> {
    let mut rows: Vec<TextRow> = Vec::new();
    // The column after the last piece, and the blanks before the statement.
    let (mut column, mut lead) = (0, "");
    let mut previous: Option<&Piece<'_>> = None;
    for (number, line) in lines.iter().enumerate() {
        for (index, piece) in line.pieces.iter().enumerate() {
            let broken = piece.blank.rfind('\n');
            let one_line = !piece.text.contains(['\n', '\t']);
            let plain = line.statement && one_line;
            let row = match rows.last_mut() {
                Some(row) if broken.is_none() => row,
                _ => {
                    if let Some(row) = rows.last_mut() {
                        row.end = (number, index);
                    }
                    let own = &piece.blank[broken.map_or(0, |it| it + 1)..];
                    if index == 0 {
                        lead = own;
                    }
                    let rest = own.strip_prefix(lead);
                    let spaces = rest.filter(|it| it.bytes().all(|it| it == b' '));
                    rows.push(TextRow {
                        first: (number, index),
                        end: (lines.len(), 0),
                        starts: Vec::new(),
                        statements: Vec::new(),
                        column: spaces.map(str::len),
                        plain,
                        elements: Vec::new(),
                    });
                    column = piece.width();
                    previous = Some(piece);
                    continue;
                }
            };
            row.plain &= plain && piece.blank.bytes().all(|it| it == b' ');
            column += piece.blank.len();
            let after = previous.map_or(SyntaxKind::UNKNOWN, |it| it.kind);
            if piece.role != Role::Comment {
                if index == 0 {
                    row.statements.push(column);
                }
                if matches!(after, SyntaxKind::COMMA | SyntaxKind::SEMICOLON) {
                    row.starts.push((column, piece.blank.len()));
                }
                let opened = matches!(
                    after,
                    SyntaxKind::COMMA
                        | SyntaxKind::L_BRACE
                        | SyntaxKind::L_PAREN
                        | SyntaxKind::L_BRACKET
                );
                if opened || piece.role == Role::Operands {
                    row.elements.push(column);
                }
            }
            column += piece.width();
            previous = Some(piece);
        }
    }
    rows
}
