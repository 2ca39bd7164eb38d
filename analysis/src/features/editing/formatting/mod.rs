//! Formatting: only whitespace and line breaks change, never a token, and comments stay where they are.
//!
//! A statement has a line of its own and is indented by the blocks around it; labels stand out by one level.
//! The operands of all instructions of a function start in one column, or in the one of the options. So do the
//! comments after neighbouring ones; those after labels and source locations, which compilers align, keep their column.
//! Line breaks inside statements are the author's, and so are tables that are aligned by hand; only the elements of a
//! long vector on one line are put into columns.

mod aligned;
mod pieces;
mod spacing;
#[cfg(test)]
mod tests;
mod vectors;

use salsa::Database;
use syntax::{SyntaxKind, SyntaxNode, TextRange, TextSize, text::Edit};

use crate::{FormattingOptions, db::SourceFile};

use pieces::{Line, Piece, Role};

/// Heads that are wider than this do not move the operands of other instructions.
const MAX_HEAD: usize = 28;
/// Statements that are wider than this do not move the comments of their neighbours.
const MAX_CODE: usize = 80;
/// The fewest blanks before a comment at the end of a line.
const COMMENT: usize = 2;
/// Lines of a paragraph that are aligned together; longer ones are aligned in parts.
const MAX_PARAGRAPH: usize = 2_000;

/// With more edits than this, neighbours become one: an editor takes longer for a hundred thousand small ones than
/// for the whole text, and their JSON is ten times as long.
const MAX_EDITS: usize = 4_000;

/// The edits that format a file, or the lines of it that a range touches; in the order of the text.
pub(crate) fn formatting(
    db: &dyn Database,
    file: SourceFile,
    range: Option<TextRange>,
    options: FormattingOptions,
) -> Vec<Edit> {
    let contents = file.contents(db);
    let mut edits = Vec::new();
    let mut previous_end = TextSize::from(0);
    for item in contents.tree.cursor().nodes() {
        let start = previous_end;
        previous_end = item.range().end();
        let touched = |range: TextRange| {
            range.start() <= item.range().end() && item.range().start() <= range.end()
        };
        if !range.is_none_or(touched) {
            continue;
        }
        db.unwind_if_revision_cancelled();
        let mut lines = pieces::lines(&item);
        let newline = pieces::newline(&lines);
        layout(&mut lines, newline, options);
        if start == TextSize::from(0)
            && let Some(first) = lines.first_mut().and_then(|it| it.pieces.first_mut())
        {
            first.wanted.clear();
        }
        for piece in lines.iter().flat_map(|it| &it.pieces) {
            if piece.wanted != piece.blank {
                edits.push(Edit::new(piece.blank_range, piece.wanted.as_str()));
            }
        }
    }
    if let Some(range) = range {
        edits.retain(|it| {
            let edit = it.range;
            edit.start() <= range.end() && range.start() <= edit.end()
        });
    }
    if range.is_none() {
        edits.extend(end_of_file(&contents.tree.syntax(), options));
    }
    if edits.len() > MAX_EDITS {
        edits = join(&edits, &contents.tree.syntax().to_string());
    }
    edits
}

/// The edit that makes the end of a file one line break, as far as the options say so.
fn end_of_file(root: &SyntaxNode, options: FormattingOptions) -> Option<Edit> {
    let last = root.last_token()?;
    let tail = match last.kind() {
        SyntaxKind::WHITESPACE => last.text(),
        _ => "",
    };
    let newline = match tail.contains("\r\n") || tail.is_empty() && last.text().ends_with('\r') {
        true => "\r\n",
        false => "\n",
    };
    let wanted = match tail.contains('\n') {
        true if options.trim_final_newlines => newline,
        false if options.insert_final_newline => newline,
        _ => return None,
    };
    let range = TextRange::new(
        root.text_range().end() - TextSize::of(tail),
        root.text_range().end(),
    );
    (tail != wanted).then(|| Edit::new(range, wanted))
}

/// Larger edits with the same result: each stands for so many that few are left.
fn join(edits: &[Edit], text: &str) -> Vec<Edit> {
    let joined = edits.chunks(edits.len().div_ceil(MAX_EDITS).max(1));
    joined
        .filter_map(|edits| {
            let (first, last) = (edits.first()?.range, edits.last()?.range);
            let mut insert = String::with_capacity(usize::from(first.cover(last).len()));
            let mut copied = first.start();
            for edit in edits {
                insert.push_str(&text[TextRange::new(copied, edit.range.start())]);
                insert.push_str(&edit.insert);
                copied = edit.range.end();
            }
            Some(Edit::new(first.cover(last), insert))
        })
        .collect()
}

/// Decides what is before each piece.
fn layout(lines: &mut [Line<'_>], newline: &str, options: FormattingOptions) {
    for line in lines.iter_mut() {
        line.indent = options.indent(line.depth);
        line.step = options.indent(1);
        vectors::wrap(line);
    }
    aligned::keep(lines);
    let heads = lines.iter().filter_map(Line::head_width);
    let narrow = heads.filter(|(width, operands)| *operands && *width <= MAX_HEAD);
    let column = match options.operand_column {
        Some(column) => column as usize,
        None => narrow.map(|it| it.0 + 1).max().unwrap_or_default(),
    };
    let mut start = 0;
    while start < lines.len() {
        let mut end = start + 1;
        while end < lines.len()
            && end - start < MAX_PARAGRAPH
            && lines[end].breaks < 2
            && lines[end].same_block(&lines[start])
        {
            end += 1;
        }
        paragraph(&mut lines[start..end], column, newline);
        start = end;
    }
}

/// Lays out the lines of a paragraph: lines without an empty one between them, in one block. The operands start in the
/// given column from the start of the statement.
fn paragraph(lines: &mut [Line<'_>], column: usize, newline: &str) {
    for line in lines.iter_mut() {
        let blanks = match line.head_width() {
            Some((width, true)) => Some(column.saturating_sub(width).max(1)),
            _ => None,
        };
        line.space(blanks, newline);
    }
    let code: Vec<usize> = lines.iter().map(Line::code_width).collect();
    let commented = lines.iter().zip(&code).filter(|(line, width)| {
        line.trailing_comment().is_some() && line.comment_column.is_none() && **width <= MAX_CODE
    });
    let widest = commented.map(|it| *it.1).max().unwrap_or_default();
    for (line, width) in lines.iter_mut().zip(code) {
        let until = match line.comment_column {
            Some(column) => column.saturating_sub(COMMENT),
            None => widest,
        };
        let blanks = until.max(width) + COMMENT - width;
        if let Some(comment) = line.trailing_comment()
            && !line.pieces[comment].kept
        {
            line.pieces[comment].wanted = " ".repeat(blanks);
        }
    }
}

impl<'a> Line<'a> {
    /// Whether both lines are aligned together when they are neighbours.
    fn same_block(&self, other: &Line<'a>) -> bool {
        self.depth == other.depth && self.instruction == other.instruction
    }

    /// Width of guard, opcode and modifiers without the indentation, and whether operands follow.
    fn head_width(&self) -> Option<(usize, bool)> {
        if !self.instruction {
            return None;
        }
        let mut width = 0;
        for piece in &self.pieces {
            match piece.role {
                Role::Operands => return Some((width, true)),
                Role::Comment => break,
                _ => {}
            }
            if width > 0 && piece.space {
                width += 1;
            }
            width += piece.width();
        }
        Some((width, false))
    }

    /// The comment at the end of the line, if something is before it.
    fn trailing_comment(&self) -> Option<usize> {
        let last = self.pieces.len().checked_sub(1)?;
        (last > 0 && self.pieces[last].role == Role::Comment && !self.pieces[last].own_line)
            .then_some(last)
    }

    /// Width of the last line of text before a comment at the end, the indentation included.
    fn code_width(&self) -> usize {
        let until = self.trailing_comment().unwrap_or(self.pieces.len());
        self.pieces[..until].iter().fold(0, |column, piece| {
            pieces::after(pieces::after(column, &piece.wanted), piece.text)
        })
    }

    /// Gives each piece its blanks, so many before the operands.
    fn space(&mut self, operands: Option<usize>, newline: &str) {
        let breaks = self.breaks.min(2);
        let continuation = format!("{}{}", self.indent, self.step);
        for (index, piece) in self.pieces.iter_mut().enumerate() {
            piece.wanted = if piece.kept {
                piece.blank.clone()
            } else if index == 0 {
                format!("{}{}", newline.repeat(breaks), self.indent)
            } else if piece.breaks > 0 {
                let indent = match piece.hanging {
                    Some(blanks) => &format!("{}{}", self.indent, " ".repeat(blanks)),
                    None if piece.outdent => &self.indent,
                    None => &continuation,
                };
                format!("{}{indent}", newline.repeat(piece.breaks.min(2)))
            } else if let Some(blanks) = piece.pad {
                " ".repeat(blanks)
            } else {
                match (piece.role, operands) {
                    (Role::Operands, Some(blanks)) => " ".repeat(blanks),
                    _ => " ".repeat(usize::from(piece.space)),
                }
            };
        }
    }
}

impl Piece<'_> {
    /// Columns that the text takes; of a text of several lines those of the last one.
    fn width(&self) -> usize {
        let last = self.text.rsplit('\n').next().unwrap_or(self.text);
        last.chars().count()
    }
}
