//! The text that a statement is in, and the way from there to the file.

use syntax::{
    TextRange, TextSize,
    host::{Define, Host, Layer, Macros, Map, Mapped, Part, RunKind, Statement, decode},
};

/// Stands for what is unknown.
pub(super) const HOLE: &str = "__";

/// The text of a statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source<'a> {
    /// The text that its ranges are about.
    text: &'a str,
    /// The way from there to the file, if it is in a string.
    layer: Option<&'a Layer>,
    macros: &'a Macros,
}

impl<'a> Source<'a> {
    pub(super) fn new(text: &'a str, host: &'a Host, statement: &Statement) -> Source<'a> {
        let layer = statement.layer.and_then(|it| host.layers.get(it as usize));
        Source {
            text: layer.map_or(text, |it| &it.text.text),
            layer,
            macros: layer.map_or(&host.macros, |it| &it.macros),
        }
    }

    pub(super) fn text(&self, range: TextRange) -> &'a str {
        self.text
            .get(std::ops::Range::<usize>::from(range))
            .unwrap_or_default()
    }

    /// The place in the file of a range of the text.
    pub(super) fn in_file(&self, range: TextRange) -> Option<TextRange> {
        match self.layer {
            Some(layer) => layer.text.map.to_host(range),
            None => Some(range),
        }
    }

    /// All of the text.
    pub(super) fn all(&self) -> &'a str {
        self.text
    }

    /// The macros of the text.
    pub(super) fn macros(&self) -> &'a Macros {
        self.macros
    }

    /// The literals that a name stands for, if it has one definition.
    fn definition(&self, name: &str) -> Option<&'a Define> {
        match self.macros.named(self.text, name) {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The concatenation of strings, with their places in the file; none if a part is unknown.
    pub(super) fn literals(&self, parts: &[Part]) -> Option<Mapped> {
        let together = self.join(parts);
        let unknown = |map: &Map| map.runs().iter().any(|it| it.kind == RunKind::Hole);
        (!unknown(&together.map)).then_some(together)
    }

    /// The concatenation of strings, with holes for what is unknown.
    pub(super) fn join(&self, parts: &[Part]) -> Mapped {
        let mut joined = Mapped::default();
        // A name alone stands for its strings, and what is wrong in them is told there.
        let definition = match parts {
            [Part::Name(range)] => self.definition(self.text(*range)),
            _ => None,
        };
        if let Some(literals) = definition.and_then(|it| it.literals.as_ref()) {
            for literal in literals {
                let content = self.text(literal.content);
                decode(
                    content,
                    literal.content.start(),
                    literal.escapes,
                    HOLE,
                    &mut joined,
                );
            }
            return joined;
        }
        for part in parts {
            match part {
                Part::Break => joined.insert("\n"),
                Part::Unknown(range) => joined.put(HOLE, *range, RunKind::Hole),
                Part::Name(range) => match self.expansion(*range) {
                    Some(text) => joined.put(&text, *range, RunKind::Placeholder),
                    None => joined.put(HOLE, *range, RunKind::Hole),
                },
                Part::Literal(literal) => {
                    let content = self.text(literal.content);
                    let at = literal.content.start();
                    if literal.conditional {
                        let mut text = Mapped::default();
                        decode(content, at, literal.escapes, HOLE, &mut text);
                        joined.put(&text.text, literal.content, RunKind::Hole);
                    } else {
                        decode(content, at, literal.escapes, HOLE, &mut joined);
                        if content.is_empty() {
                            joined.put("", TextRange::empty(at), RunKind::Escape);
                        }
                    }
                }
            }
        }
        match self.layer {
            Some(layer) => joined.through(&layer.text),
            None => joined,
        }
    }

    /// The text that a macro stands for.
    fn expansion(&self, name: TextRange) -> Option<String> {
        let literals = self.definition(self.text(name))?.literals.as_ref()?;
        let mut text = Mapped::default();
        for literal in literals {
            let content = self.text(literal.content);
            decode(content, TextSize::new(0), literal.escapes, HOLE, &mut text);
        }
        let known = text.map.runs().iter().all(|it| it.kind != RunKind::Hole);
        known.then_some(text.text)
    }
}
