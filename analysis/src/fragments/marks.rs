//! Comments of the host that are for us: `ptx-analyzer: target sm_90a` and `ptx-analyzer: allow(code)`.

use syntax::{MARK, TextRange, TextSize};

use crate::{Level, is_target};

/// The comments of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks {
    pub(super) targets: Vec<String>,
    controls: Vec<Control>,
}

/// A comment about its own line and the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Control {
    lines: TextRange,
    level: Level,
    codes: Vec<String>,
}

impl Marks {
    pub(super) fn new(text: &str) -> Marks {
        let mut marks = Marks::default();
        for found in memchr::memmem::find_iter(text.as_bytes(), MARK) {
            let rest = text[found + MARK.len()..]
                .lines()
                .next()
                .unwrap_or_default();
            let rest = rest.trim();
            if let Some(names) = rest.strip_prefix("target") {
                let words = names.split(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
                let names = words.filter(|it| is_target(it)).map(str::to_owned);
                marks.targets.extend(names);
                continue;
            }
            let Some((verb, list)) = rest.split_once('(') else {
                continue;
            };
            let verb = verb.trim();
            let level = if verb == "allow" {
                Some(Level::Off)
            } else {
                Level::parse(verb)
            };
            let Some(level) = level else {
                continue;
            };
            let codes = list.split(')').next().unwrap_or_default();
            let start = text[..found].rfind('\n').map_or(0, |it| it + 1);
            let mut ends = memchr::memchr_iter(b'\n', &text.as_bytes()[found..]);
            let end = ends.nth(1).map_or(text.len(), |it| found + it);
            marks.controls.push(Control {
                lines: TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32)),
                level,
                codes: codes.split(',').map(|it| it.trim().to_owned()).collect(),
            });
        }
        marks
    }

    /// The level that a comment gives a code at an offset of the file.
    pub(super) fn level(&self, code: &str, offset: TextSize) -> Option<Level> {
        let mut about = self
            .controls
            .iter()
            .filter(|it| it.lines.contains(offset) && it.codes.iter().any(|it| it == code));
        about.next_back().map(|it| it.level)
    }
}
