//! Edits of the PTX as edits of the literals that it is in.

use syntax::{
    TextRange, TextSize,
    host::{Dialect, Escapes, Literal, Part, RunKind},
    text::Edit,
};

use super::{Fragment, HostFile};

impl HostFile {
    /// The edit of the file that has the effect of one of the template: within one literal, but for what both texts
    /// begin with, and without a part of an escape or an operand. The inserted text is escaped for that literal.
    pub(super) fn host_edit(
        &self,
        fragment: &Fragment,
        range: TextRange,
        insert: &str,
    ) -> Option<Edit> {
        let old = &fragment.template.text.text[range];
        let same = old
            .bytes()
            .zip(insert.bytes())
            .take_while(|it| it.0 == it.1)
            .count();
        let same = old.floor_char_boundary(same);
        let insert = &insert[same..];
        let range = TextRange::new(range.start() + TextSize::new(same as u32), range.end());
        let map = &fragment.template.text.map;
        let host = map.editable(range).or_else(|| fragment.whole(range))?;
        Some(Edit::new(host, self.escaped(fragment, host, insert)?))
    }

    /// How a text of PTX is written at a range of the file.
    pub(super) fn escaped(
        &self,
        fragment: &Fragment,
        host: TextRange,
        insert: &str,
    ) -> Option<String> {
        let statement = self.statement(fragment);
        let escapes = self.escapes_at(fragment, host)?;
        let mut text = match statement.dialect {
            // Operands keep their percent sign; other names have two of them.
            Dialect::Cuda if !fragment.operands.list.is_empty() => percent(insert),
            Dialect::Rust => insert.replace('{', "{{").replace('}', "}}"),
            _ => insert.to_owned(),
        };
        for escapes in escapes {
            text = escapes.escape(&text)?;
        }
        Some(text)
    }

    /// The rules of the literals around a range of the file, innermost first.
    fn escapes_at(&self, fragment: &Fragment, host: TextRange) -> Option<Vec<Escapes>> {
        let statement = self.statement(fragment);
        let layer = statement
            .layer
            .and_then(|it| self.host.layers.get(it as usize));
        let inner = match layer {
            None => host,
            Some(layer) => {
                let start = layer.text.map.to_text(host.start())?;
                TextRange::at(start, host.len())
            }
        };
        let inside = |it: &&Literal| it.content.contains_range(inner);
        let literals = statement.template.iter().filter_map(|part| match part {
            Part::Literal(literal) => Some(literal),
            _ => None,
        });
        let literal = literals.into_iter().find(inside)?;
        let mut escapes = vec![literal.escapes];
        escapes.extend(layer.map(|it| it.escapes));
        Some(escapes)
    }
}

impl Fragment {
    /// The range of the file that all of a range of the template comes from, if that is copied text and signs that
    /// are written twice, one after the other.
    pub(super) fn whole(&self, range: TextRange) -> Option<TextRange> {
        let text = &self.template.text;
        let mut all: Option<TextRange> = None;
        for (own, run) in text.map.runs_in(range) {
            let part = match run.kind {
                RunKind::Copied => {
                    let part = own.intersect(range)?;
                    part - own.start() + run.host.start()
                }
                RunKind::Placeholder
                    if range.contains_range(own)
                        && matches!(&text.text[own], "%" | "$" | "{" | "}") =>
                {
                    run.host
                }
                _ => return None,
            };
            all = Some(match all {
                Some(before) if before.end() != part.start() => return None,
                Some(before) => before.cover(part),
                None => part,
            });
        }
        all
    }
}

/// Doubles the percent signs that are not those of operands.
fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        out.push(char);
        if char == '%' && !chars.peek().is_some_and(char::is_ascii_digit) {
            out.push('%');
        }
    }
    out
}
