//! The result of expanding a template: its placeholders and percent signs.

use syntax::{
    TextRange, TextSize,
    host::{Dialect, Mapped, RunKind, Statement},
    text::Edit,
};

use crate::diagnostics::registry::{ASM_OPERAND_INDEX, ASM_PLACEHOLDER, ASM_UNESCAPED_PERCENT};

use super::{
    operands::{Class, Operands},
    report::Report,
    source::{HOLE, Source},
};

/// The text that stands for an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placeholder {
    /// Where, in the text of the fragment.
    pub(super) range: TextRange,
    /// The index of the operand; none if there is none with that index or name.
    pub(super) operand: Option<u32>,
}

/// The text that is assembled.
#[derive(Clone, Debug, Default)]
pub(super) struct Template {
    pub(super) text: Mapped,
    pub(super) placeholders: Vec<Placeholder>,
    /// Whether a hole is a part of it.
    pub(super) has_holes: bool,
}

/// The name that operands have in fragments.
pub(super) fn name(dialect: Dialect, index: u32) -> String {
    match dialect {
        Dialect::Cuda => format!("%{index}"),
        Dialect::Llvm | Dialect::Rust => format!("${index}"),
    }
}

struct TemplateReader<'a> {
    source: Source<'a>,
    statement: &'a Statement,
    operands: &'a Operands,
    raw: &'a Mapped,
    report: &'a mut Report,
    out: Template,
    /// How many `{}` of Rust there were.
    counted: u32,
}

pub(super) fn template(
    source: Source<'_>,
    statement: &Statement,
    operands: &Operands,
    report: &mut Report,
) -> Template {
    let raw = source.join(&statement.template);
    let mut reader = TemplateReader {
        source,
        statement,
        operands,
        raw: &raw,
        report,
        out: Template::default(),
        counted: 0,
    };
    let mark: &[u8] = match statement.dialect {
        Dialect::Cuda => b"%",
        Dialect::Llvm => b"$",
        Dialect::Rust => b"{}",
    };
    let (mut copied, mut pos) = (0, 0);
    while let Some(found) = raw.text.as_bytes()[pos..]
        .iter()
        .position(|it| mark.contains(it))
    {
        pos += found;
        // What a macro stands for has its own rules only where it is used.
        if let Some(to) = reader.piece(copied, pos) {
            copied = to;
            pos = to;
        } else {
            pos += 1;
        }
    }
    reader.copy(copied, raw.text.len());
    let mut out = reader.out;
    out.has_holes = out
        .text
        .map
        .runs()
        .iter()
        .any(|it| it.kind == RunKind::Hole);
    out
}

fn range(from: usize, to: usize) -> TextRange {
    TextRange::new(TextSize::new(from as u32), TextSize::new(to as u32))
}

/// Whether a byte can be a part of a name of PTX.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

impl TemplateReader<'_> {
    fn byte(&self, at: usize) -> u8 {
        self.raw.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Where bytes like that end.
    fn end(&self, from: usize, like: impl Fn(u8) -> bool) -> usize {
        let bytes = &self.raw.text.as_bytes()[from.min(self.raw.text.len())..];
        from + bytes.iter().take_while(|it| like(**it)).count()
    }

    /// Whether what is at an offset is unknown.
    fn is_hole(&self, at: usize) -> bool {
        let mut runs = self.raw.map.runs_in(range(at, at + 1));
        at < self.raw.text.len() && runs.any(|it| it.1.kind == RunKind::Hole)
    }

    fn copy(&mut self, from: usize, to: usize) {
        self.out.text.append(self.raw, range(from, to));
    }

    fn host(&self, from: usize, to: usize) -> Option<TextRange> {
        self.raw.map.to_host(range(from, to))
    }

    /// Puts a text for a range.
    fn put(&mut self, from: usize, to: usize, text: &str, kind: RunKind) {
        if let Some(host) = self.host(from, to) {
            self.out.text.put(text, host, kind);
        }
    }

    /// Reads what is at a mark; the text from `copied` on has not been added yet. Returns where it ends, or none
    /// if the mark means itself.
    fn piece(&mut self, copied: usize, pos: usize) -> Option<usize> {
        match self.statement.dialect {
            Dialect::Cuda => self.cuda(copied, pos),
            Dialect::Llvm => self.llvm(copied, pos),
            Dialect::Rust => self.rust(copied, pos),
        }
    }

    fn cuda(&mut self, copied: usize, pos: usize) -> Option<usize> {
        let next = self.byte(pos + 1);
        if self.is_hole(pos + 1) {
            self.copy(copied, pos);
            self.put(pos, pos + 1, HOLE, RunKind::Hole);
            return Some(pos + 1);
        }
        let operands = !self.operands.list.is_empty();
        if !operands && self.operands.open {
            // Whether there are operands is not known.
            if next != b'%' {
                return None;
            }
        } else if !operands {
            if next != b'%' && next != b'=' {
                return None;
            }
            let end = self.end(pos + 2, is_word);
            let word = &self.raw.text[pos + 2..end];
            let message = if next == b'%' {
                format!("without operands the text is taken as it is: write `%{word}`")
            } else {
                "without operands the text is taken as it is: `%=` is not a number".to_owned()
            };
            let sign = self.raw.map.editable(range(pos, pos + 1));
            let edit = sign.filter(|_| next == b'%').map(|it| Edit::new(it, ""));
            let place = self.host(pos, end);
            self.report
                .repaired(place, ASM_PLACEHOLDER, message, "Write `%`", edit);
        }
        match next {
            b'%' => {
                self.copy(copied, pos);
                self.put(pos, pos + 2, "%", RunKind::Placeholder);
                Some(pos + 2)
            }
            b'=' => {
                self.copy(copied, pos);
                self.put(pos, pos + 2, "0", RunKind::Placeholder);
                Some(pos + 2)
            }
            b'0'..=b'9' => {
                let end = self.end(pos + 1, |it| it.is_ascii_digit());
                let index = self.raw.text[pos + 1..end].parse().ok();
                self.copy(copied, pos);
                self.operand(pos, end, index, end);
                Some(end)
            }
            b'[' => {
                let end = self.end(pos + 2, |it| it != b']' && it != b'\n') + 1;
                let end = end.min(self.raw.text.len());
                self.report.add(
                    self.host(pos, end),
                    ASM_PLACEHOLDER,
                    "nvcc has no names of operands: write the number, as in `%0`".to_owned(),
                );
                self.copy(copied, pos);
                self.put(pos, end, HOLE, RunKind::Hole);
                Some(end)
            }
            b'a'..=b'z' | b'A'..=b'Z' => {
                let end = self.end(pos + 1, is_word);
                let word = &self.raw.text[pos..end];
                let (code, message) = match self.byte(pos + 2).is_ascii_digit() {
                    true => (
                        ASM_PLACEHOLDER,
                        format!("`{word}` is read as an operand with a modifier: write `%{word}`"),
                    ),
                    false => (
                        ASM_UNESCAPED_PERCENT,
                        format!("clang rejects `{word}`: `%{word}` is right for every compiler"),
                    ),
                };
                let sign = self.raw.map.editable(range(pos, pos + 1));
                let edit = sign.map(|it| Edit::new(TextRange::empty(it.start()), "%"));
                let place = self.host(pos, end);
                self.report
                    .repaired(place, code, message, "Write `%%`", edit);
                None
            }
            _ => {
                let message = match next {
                    0 => "a percent sign at the end stands for nothing: write `%%`".to_owned(),
                    _ => "a percent sign and what follows it vanish here: write `%%`".to_owned(),
                };
                self.report
                    .add(self.host(pos, pos + 1), ASM_PLACEHOLDER, message);
                self.copy(copied, pos);
                self.put(pos, pos + 1, HOLE, RunKind::Hole);
                Some(pos + 1)
            }
        }
    }

    fn llvm(&mut self, copied: usize, pos: usize) -> Option<usize> {
        let next = self.byte(pos + 1);
        match next {
            b'$' => {
                self.copy(copied, pos);
                self.put(pos, pos + 2, "$", RunKind::Placeholder);
                Some(pos + 2)
            }
            b'0'..=b'9' => {
                let end = self.end(pos + 1, |it| it.is_ascii_digit());
                let index = self.raw.text[pos + 1..end].parse().ok();
                self.copy(copied, pos);
                self.operand(pos, end, index, end);
                Some(end)
            }
            b'{' => {
                let close = self.end(pos + 2, |it| it != b'}' && it != b'\n');
                let end = (close + 1).min(self.raw.text.len());
                let inner = &self.raw.text[pos + 2..close];
                self.copy(copied, pos);
                if inner == ":uid" {
                    self.put(pos, end, "0", RunKind::Placeholder);
                    return Some(end);
                }
                let (index, modifier) = inner.split_once(':').unwrap_or((inner, ""));
                if !modifier.is_empty() || index.parse::<u32>().is_err() {
                    let unknown = inner.contains(HOLE);
                    if !unknown {
                        self.report.add(
                            self.host(pos, end),
                            ASM_PLACEHOLDER,
                            "a placeholder is `$0` or `${0}`: PTX has no modifiers of operands"
                                .to_owned(),
                        );
                    }
                    self.put(pos, end, HOLE, RunKind::Hole);
                    return Some(end);
                }
                self.operand(pos, end, index.parse().ok(), end);
                Some(end)
            }
            // One of several texts, of which PTX has the first.
            b'(' => {
                let rest = &self.raw.text[pos + 2..];
                let first = rest.find("$|").or_else(|| rest.find("$)"))?;
                let len = rest.find("$)")? + 2;
                self.copy(copied, pos);
                self.copy(pos + 2, pos + 2 + first);
                Some(pos + 2 + len)
            }
            _ if self.is_hole(pos + 1) => {
                self.copy(copied, pos);
                self.put(pos, pos + 1, HOLE, RunKind::Hole);
                Some(pos + 1)
            }
            _ => {
                let end = self.end(pos + 1, is_word);
                let word = &self.raw.text[pos..end];
                self.report.add(
                    self.host(pos, end),
                    ASM_PLACEHOLDER,
                    format!("`{word}` is not a placeholder: operands are `$0`, `$1`, and a dollar sign is `$$`"),
                );
                self.copy(copied, pos);
                self.put(pos, end, HOLE, RunKind::Hole);
                Some(end)
            }
        }
    }

    fn rust(&mut self, copied: usize, pos: usize) -> Option<usize> {
        let byte = self.byte(pos);
        self.copy(copied, pos);
        if self.byte(pos + 1) == byte {
            let brace = if byte == b'{' { "{" } else { "}" };
            self.put(pos, pos + 2, brace, RunKind::Placeholder);
            return Some(pos + 2);
        }
        let close = self.end(pos + 1, |it| !matches!(it, b'{' | b'}' | b'\n'));
        let inner = self.raw.text[pos + 1..close].trim();
        let is_name = inner.split(':').all(|it| {
            it.bytes()
                .all(|it| it == b'_' || it.is_ascii_alphanumeric())
        });
        if byte == b'}' || self.byte(close) != b'}' || !is_name {
            let brace = char::from(byte);
            self.report.add(
                self.host(pos, pos + 1),
                ASM_PLACEHOLDER,
                format!("a brace of PTX is written twice in `asm!`: `{brace}{brace}`"),
            );
            let brace = if byte == b'{' { "{" } else { "}" };
            self.put(pos, pos + 1, brace, RunKind::Placeholder);
            return Some(pos + 1);
        }
        let end = close + 1;
        let (inner, modifier) = inner.split_once(':').unwrap_or((inner, ""));
        if !modifier.is_empty() {
            self.report.add(
                self.host(pos, end),
                ASM_PLACEHOLDER,
                "PTX has no modifiers of operands".to_owned(),
            );
        }
        let index = match inner.parse::<u32>() {
            Ok(index) => Some(index),
            Err(_) if inner.is_empty() => {
                self.counted += 1;
                Some(self.counted - 1)
            }
            Err(_) => {
                let named = |it: &super::operands::Operand| {
                    it.name
                        .is_some_and(|it| self.source.text(it).trim() == inner)
                };
                self.operands
                    .list
                    .iter()
                    .position(named)
                    .map(|it| it as u32)
            }
        };
        self.operand(pos, end, index, end);
        Some(end)
    }

    /// Adds the operand that is at a range.
    fn operand(&mut self, from: usize, to: usize, index: Option<u32>, after: usize) {
        let operand = index.and_then(|it| self.operands.list.get(it as usize));
        if operand.is_none() && !self.operands.open && !self.is_hole(after) {
            let count = self.operands.list.len();
            let written = &self.raw.text[from..to];
            let message = match count {
                0 => format!("`{written}` names no operand: there are none"),
                1 => format!("`{written}` names no operand: there is one, number 0"),
                _ => format!(
                    "`{written}` names no operand: there are {count}, from 0 to {}",
                    count - 1
                ),
            };
            self.report
                .add(self.host(from, to), ASM_OPERAND_INDEX, message);
        }
        let before = self.out.text.text.bytes().last().unwrap_or(0);
        let glued = is_word(before)
            || matches!(before, b'%' | b'.' | b':')
            || is_word(self.byte(after))
            || self.byte(after) == b':' && self.byte(after + 1) == b':';
        let start = self.out.text.len();
        match operand.map(|it| &it.class) {
            Some(Class::Text) => self.put(from, to, HOLE, RunKind::Hole),
            Some(Class::Immediate(Some(value))) => self.put(from, to, value, RunKind::Placeholder),
            Some(Class::Immediate(None) | Class::Unknown) | None if glued => {
                self.put(from, to, HOLE, RunKind::Hole);
            }
            Some(Class::Register(_) | Class::Float(..)) if glued => {
                self.put(from, to, HOLE, RunKind::Hole);
            }
            _ => {
                let name = name(self.statement.dialect, index.unwrap_or(u32::MAX));
                if name == self.raw.text[from..to] {
                    self.copy(from, to);
                } else {
                    self.put(from, to, &name, RunKind::Placeholder);
                }
            }
        }
        self.out.placeholders.push(Placeholder {
            range: TextRange::new(start, self.out.text.len()),
            operand: operand.and(index),
        });
    }
}
