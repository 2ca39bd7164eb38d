//! The holes of a Python string that the program fills before the string is compiled.

use memchr::memmem::find_iter;
use rowan::{TextRange, TextSize};

use super::{
    Escapes, decode,
    map::{Mapped, RunKind},
    scan::is_name,
};

/// The most different texts of a file that are searched in its strings.
const MAX_REPLACED: usize = 64;
/// Texts of more bytes are not looked for.
const MAX_LENGTH: usize = 80;

/// The syntax of the holes of a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Marks {
    /// There are none, but for what is replaced.
    #[default]
    None,
    /// `{name}`, as in `str.format`.
    Format,
    /// `%s`, as in the operator `%`.
    Percent,
    /// `$name`, as in `string.Template`.
    Template,
}

impl Marks {
    /// The marks by what is around an expression that is a string.
    pub(super) fn around(before: &str, after: &str) -> Marks {
        let after = after.trim_start();
        if after.starts_with(".format(") || after.starts_with(".format_map(") {
            Marks::Format
        } else if after.starts_with('%') && !after.starts_with("%=") {
            Marks::Percent
        } else if before.trim_end().ends_with("Template(") {
            Marks::Template
        } else {
            Marks::None
        }
    }

    /// The marks in the string that a name stands for, by the uses of the name.
    pub(super) fn for_name(text: &str, name: &str) -> Marks {
        let bytes = text.as_bytes();
        let uses = find_iter(bytes, name).filter(|at| {
            let end = at + name.len();
            !(*at > 0 && is_name(bytes[at - 1])) && bytes.get(end).is_none_or(|it| !is_name(*it))
        });
        let mut marks = uses.map(|at| Marks::around(&text[..at], &text[at + name.len()..]));
        marks.find(|it| *it != Marks::None).unwrap_or_default()
    }

    /// The rules by which such a literal is read.
    pub(super) fn escapes(self, escapes: Escapes) -> Escapes {
        match (self, escapes) {
            (Marks::Format, Escapes::Python) => Escapes::PythonFormat,
            (Marks::Format, Escapes::Raw) => Escapes::PythonRawFormat,
            _ => escapes,
        }
    }

    /// The mark at an offset: where it ends, and the text that it is if that is known.
    fn at(self, text: &str, at: usize) -> Option<(usize, Option<&'static str>)> {
        let bytes = text.as_bytes();
        let rest = &bytes[at..];
        let count = |from: usize, like: &dyn Fn(u8) -> bool| {
            let rest = rest.get(from..).unwrap_or_default();
            from + rest.iter().take_while(|it| like(**it)).count()
        };
        let second = rest.get(1).copied()?;
        match self {
            Marks::Percent if second == b'%' => Some((at + 2, Some("%"))),
            Marks::Percent => {
                let mut end = 1;
                if second == b'(' {
                    end = count(2, &|it| !matches!(it, b')' | b'\n')) + 1;
                }
                let end = count(end, &|it| b"#- +.*".contains(&it) || it.is_ascii_digit());
                let conversion = rest.get(end)?;
                b"diouxXeEfFgGcrsa"
                    .contains(conversion)
                    .then_some((at + end + 1, None))
            }
            Marks::Template if second == b'$' => Some((at + 2, Some("$"))),
            Marks::Template if second == b'{' => {
                let end = count(2, &is_name);
                (rest.get(end) == Some(&b'}')).then_some((at + end + 1, None))
            }
            Marks::Template => {
                let end = count(1, &is_name);
                (end > 1 && !second.is_ascii_digit()).then_some((at + end, None))
            }
            Marks::None | Marks::Format => None,
        }
    }

    /// A text with holes where its marks are, and where texts are that are replaced.
    pub(super) fn fill(self, text: &Mapped, replaced: &[String], hole: &str) -> Mapped {
        let sign = match self {
            Marks::Percent => Some("%"),
            Marks::Template => Some("$"),
            Marks::None | Marks::Format => None,
        };
        let mut found: Vec<(usize, usize, Option<&str>)> = Vec::new();
        for needle in replaced {
            let needles = find_iter(text.text.as_bytes(), needle);
            found.extend(needles.map(|at| (at, at + needle.len(), None)));
        }
        if let Some(sign) = sign {
            let mut pos = 0;
            while let Some(next) = text.text[pos..].find(sign) {
                let at = pos + next;
                pos = at + 1;
                if let Some((end, known)) = self.at(&text.text, at) {
                    found.push((at, end, known));
                    pos = end;
                }
            }
        }
        found.sort_unstable();
        let range = |from: usize, to: usize| {
            TextRange::new(TextSize::new(from as u32), TextSize::new(to as u32))
        };
        let mut filled = Mapped::default();
        let mut copied = 0;
        for (from, to, known) in found {
            if from < copied {
                continue;
            }
            let Some(host) = text.map.to_host(range(from, to)) else {
                continue;
            };
            filled.append(text, range(copied, from));
            match known {
                Some(known) => filled.put(known, host, RunKind::Escape),
                None => filled.put(hole, host, RunKind::Hole),
            }
            copied = to;
        }
        filled.append(text, range(copied, text.text.len()));
        filled
    }
}

/// The texts that a program replaces in strings: the first arguments of `replace`, if they are literals and look like
/// words.
pub(super) fn replaced(text: &str) -> Vec<String> {
    const CALL: &str = ".replace(";
    let mut found: Vec<String> = Vec::new();
    for at in find_iter(text.as_bytes(), CALL) {
        let rest = text[at + CALL.len()..].trim_start();
        let Some(quote) = rest.chars().next().filter(|it| matches!(it, '"' | '\'')) else {
            continue;
        };
        let content = &rest[1..];
        let Some(end) = content.find([quote, '\\', '\n']) else {
            continue;
        };
        let content = &content[..end];
        let is_word = content.len() > 1
            && content.len() <= MAX_LENGTH
            && content.contains(|it: char| it.is_ascii_alphanumeric());
        if is_word && !found.iter().any(|it| it == content) {
            found.push(content.to_owned());
            if found.len() == MAX_REPLACED {
                break;
            }
        }
    }
    found
}

/// The text of a literal with its holes.
pub(super) fn read(
    content: &str,
    at: TextSize,
    escapes: Escapes,
    marks: Marks,
    replaced: &[String],
) -> Mapped {
    const HOLE: &str = "_";
    let mut text = Mapped::default();
    decode(content, at, marks.escapes(escapes), HOLE, &mut text);
    let filled = matches!(marks, Marks::Percent | Marks::Template) || !replaced.is_empty();
    match filled {
        true => marks.fill(&text, replaced, HOLE),
        false => text,
    }
}
