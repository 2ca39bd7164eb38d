//! Tables of targets as text.

use std::fmt::Write as _;

use analysis::TargetMatrix;
use syntax::text::LineTable;

/// Lines that are named for a cause; the rest are counted.
const MOST_LINES: usize = 8;

/// The columns with their targets, and then the causes with a mark for each column whose targets have them.
#[must_use]
pub fn text(matrix: &TargetMatrix, lines: &LineTable) -> String {
    let mut out = String::new();
    let width = matrix.columns.iter().map(|it| it.title.chars().count());
    let width = width.max().unwrap_or(0);
    for (letter, column) in letters().zip(&matrix.columns) {
        let verdict = match column.errors {
            0 => "no errors".to_owned(),
            1 => "1 error".to_owned(),
            count => format!("{count} errors"),
        };
        let _ = writeln!(out, "{letter:>2}  {:width$}  {verdict}", column.title);
    }
    if matrix.groups.is_empty() {
        return out;
    }
    out.push('\n');
    for (letter, _) in letters().zip(&matrix.columns) {
        let _ = write!(out, "{letter:>2}");
    }
    out.push('\n');
    for group in &matrix.groups {
        for cause in &group.causes {
            for wrong in &group.wrong {
                out.push_str(if *wrong { " ✗" } else { " ·" });
            }
            let mut at: Vec<u32> = cause
                .ranges
                .iter()
                .map(|it| lines.line_of(it.start()) + 1)
                .collect();
            at.dedup();
            let named: Vec<String> = at.iter().take(MOST_LINES).map(u32::to_string).collect();
            let plural = if at.len() == 1 { "" } else { "s" };
            let _ = write!(
                out,
                "  {}: line{plural} {}",
                cause.message.lines().next().unwrap_or_default(),
                named.join(", ")
            );
            if at.len() > MOST_LINES {
                let _ = write!(out, " and {} more", at.len() - MOST_LINES);
            }
            out.push('\n');
        }
    }
    out
}

/// `A` to `Z`, and then `AA` to `ZZ`.
fn letters() -> impl Iterator<Item = String> {
    let single = 'A'..='Z';
    let pairs = single.clone().flat_map(move |first| {
        single
            .clone()
            .map(move |second| String::from_iter([first, second]))
    });
    ('A'..='Z').map(String::from).chain(pairs)
}
