//! Short lines of long functions, several in one.

use super::line::Line;

/// The longest line of several with its indentation, and the characters of a level.
const MAX_WIDTH: usize = 148;
const LEVEL: usize = 4;
/// The longest line that others may follow, in characters.
const MAX_SHORT: usize = 124;
/// The beginnings of lines that stay alone.
const ALONE: [&str; 8] = [
    "while ", "else", "break", "return", "goto ", "continue", "case ", "as ",
];
/// The beginning of a loop that only asks again, after which a line ends.
const WAIT: &str = "wait ";

/// Puts short lines of the same depth into one. A meeting of threads begins a line; others may meet right after it.
pub(super) fn compact(lines: Vec<Line>) -> Vec<Line> {
    let mut out: Vec<Line> = Vec::with_capacity(lines.len());
    // Whether something may follow in the last line.
    let mut open = false;
    for line in lines {
        let width = |it: &Line| it.text.chars().count();
        let short = may_share(&line);
        let last = out.last_mut().filter(|_| open && short);
        let last = last.filter(|it| it.indent == line.indent && (it.meets || !line.meets));
        if let Some(last) = last
            && LEVEL * line.indent as usize + width(last) + width(&line) < MAX_WIDTH
        {
            let between = match (last.meets, line.meets) {
                (true, true) => " ",
                (true, false) => " ──── ",
                _ => "; ",
            };
            last.text = format!("{}{between}{}", last.text, line.text);
            last.steps.extend(&line.steps);
            last.steps.sort_unstable();
            last.steps.dedup();
            // One meeting ends the list of those that follow each other.
            last.meets &= line.meets;
        } else {
            out.push(line.clone());
        }
        open = short && width(&line) <= MAX_SHORT && !ends(&line);
    }
    out
}

fn may_share(line: &Line) -> bool {
    let alone = ALONE.iter().any(|it| line.text.starts_with(it));
    !alone && !line.waits && !line.text.ends_with(':') && line.text != "…"
}

/// Whether nothing may follow in the line, as it would seem to depend on a condition or on a branch.
fn ends(line: &Line) -> bool {
    line.alone || line.text.starts_with("if ") || line.text.starts_with(WAIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_share_a_line() {
        let line = |text: &str| Line {
            text: text.to_owned(),
            meets: text.starts_with('─'),
            ..Line::default()
        };
        let lines = [
            "do:",
            "a = 1",
            "b = 2",
            "──── bar.sync(0) ──── stage 2",
            "──── bar.sync(1) ──── stage 3",
            "if p: c = 3",
            "d = 4",
            "while d < 5",
            "e = 5",
        ];
        let found = compact(lines.iter().map(|it| line(it)).collect());
        let found: Vec<&str> = found.iter().map(|it| it.text.as_str()).collect();
        assert_eq!(
            found,
            [
                "do:",
                "a = 1; b = 2",
                "──── bar.sync(0) ──── stage 2 ──── bar.sync(1) ──── stage 3 ──── if p: c = 3",
                "d = 4",
                "while d < 5",
                "e = 5",
            ]
        );
    }
}
