//! Pages as they are in memory.

use super::Example;

/// The documentation of one word, or of several that differ in a number only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The words as written in PTX; `*` matches any letters and digits.
    pub words: Vec<&'static str>,
    /// Markdown. The first sentence stands for the whole where there is little room.
    pub text: &'static str,
    /// Examples in the text.
    pub examples: Vec<Example<'static>>,
}

impl Entry {
    /// The first sentence.
    #[must_use]
    pub fn summary(&self) -> &'static str {
        first_sentence(self.text)
    }
}

/// The documentation of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstructionPage {
    /// Its name in the tables.
    pub name: &'static str,
    /// A summary in one sentence.
    pub summary: &'static str,
    /// The text after the summary, Markdown; may be empty.
    pub description: &'static str,
    /// The operation as pseudo-code; may be empty.
    pub code: &'static str,
    /// The operands, by their names in the tables without period.
    pub operands: Vec<Entry>,
    /// The modifiers, by their words with period.
    pub modifiers: Vec<Entry>,
    /// Notes: a Markdown list with tags in comments; may be empty.
    notes: &'static str,
    /// Examples.
    pub examples: Vec<Example<'static>>,
    /// Names of instructions that have to do with this one.
    pub related: Vec<&'static str>,
}

/// A note of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Modifiers, with their period, and targets: the note is about statements that have one of them. About all if
    /// there are none.
    pub tags: Vec<&'static str>,
    /// Its Markdown, without the dash.
    pub text: &'static str,
}

impl InstructionPage {
    /// The title of a page, without a look at the rest of it.
    pub(super) fn name(text: &'static str) -> Option<&'static str> {
        let (title, _) = text.strip_prefix("# ")?.split_once('\n')?;
        Some(title.trim())
    }

    /// Reads a page; none if it has no title.
    pub(super) fn read(text: &'static str) -> Option<InstructionPage> {
        let (title, rest) = text.strip_prefix("# ")?.split_once('\n')?;
        let mut sections = Sections::new(rest, "\n## ");
        let intro = sections.next().map_or("", |it| it.1).trim();
        let (summary, description) = intro.split_once("\n\n").unwrap_or((intro, ""));
        let mut page = InstructionPage {
            name: title.trim(),
            summary: summary.trim(),
            description: description.trim(),
            code: "",
            operands: Vec::new(),
            modifiers: Vec::new(),
            notes: "",
            examples: Vec::new(),
            related: Vec::new(),
        };
        for (heading, body) in sections {
            match heading {
                "Pseudo-code" => page.code = fenced(body).next().map_or("", |it| it.1),
                "Operands" => page.operands = list(body),
                "Modifiers" => page.modifiers = list(body),
                "Notes" => page.notes = body.trim(),
                "Example" => page.examples = examples(body),
                "See also" => page.related = quoted(body),
                _ => {}
            }
        }
        Some(page)
    }

    /// The notes without their tags.
    #[must_use]
    pub fn all_notes(&self) -> String {
        let notes = self.tagged_notes().map(|it| it.text);
        notes.map(|it| format!("- {it}\n")).collect()
    }

    /// The notes, each with what it is about.
    pub fn tagged_notes(&self) -> impl Iterator<Item = Note> {
        let all = self.notes.strip_prefix("- ").unwrap_or(self.notes);
        let all = all.split("\n- ").filter(|it| !it.is_empty());
        all.map(|note| {
            let tagged = note
                .strip_prefix("<!-- ")
                .and_then(|it| it.split_once(" -->"));
            match tagged {
                Some((tags, text)) => Note {
                    tags: tags.split(' ').collect(),
                    text: text.trim(),
                },
                None => Note {
                    tags: Vec::new(),
                    text: note.trim_end(),
                },
            }
        })
    }

    /// The documentation of an operand, given by its name in the tables.
    #[must_use]
    pub fn operand(&self, name: &str) -> Option<&Entry> {
        find(&self.operands, name)
    }
}

/// The entries of a page with a heading for each.
pub(super) fn entries(text: &'static str) -> Vec<Entry> {
    Sections::new(text, "\n## ")
        .skip(1)
        .map(|(heading, body)| entry(quoted(heading), body))
        .collect()
}

/// The entry for a word: the one that names it, else one with a pattern for it.
pub(super) fn find<'a>(entries: &'a [Entry], word: &str) -> Option<&'a Entry> {
    let exact = entries.iter().find(|it| it.words.contains(&word));
    exact.or_else(|| {
        entries
            .iter()
            .find(|it| it.words.iter().any(|pattern| matches(pattern, word)))
    })
}

/// Whether a pattern, in which `*` stands for any letters and digits but at least one, matches a word.
pub(super) fn matches(pattern: &str, word: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == word;
    };
    let Some(tail) = word.strip_prefix(start) else {
        return false;
    };
    let run = tail
        .find(|it: char| !it.is_ascii_alphanumeric())
        .unwrap_or(tail.len());
    (1..=run).any(|end| tail.is_char_boundary(end) && matches(rest, &tail[end..]))
}

/// Whether a message is like a pattern, in which `*` stands for any text. Case does not matter.
pub(super) fn is_like(pattern: &str, message: &str) -> bool {
    let (pattern, message) = (pattern.to_lowercase(), message.to_lowercase());
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|it| message.strip_prefix(it)) else {
        return false;
    };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.is_empty() || pattern.ends_with('*') || rest.starts_with([' ', '.', ';', '\n'])
}

/// The entries of a list: "- `.rn`, `.rz`: text", perhaps over several lines.
fn list(body: &'static str) -> Vec<Entry> {
    let mut sections = Sections::new(body, "\n- ");
    sections.next();
    sections
        .rest()
        .filter_map(|item| {
            let (words, text) = item.split_once(": ")?;
            Some(entry(quoted(words), text))
        })
        .collect()
}

fn entry(words: Vec<&'static str>, body: &'static str) -> Entry {
    Entry {
        words,
        text: body.trim(),
        examples: examples(body),
    }
}

/// The words in backticks.
fn quoted(text: &'static str) -> Vec<&'static str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The fenced blocks of a text: what is after the fence, and the block.
fn fenced(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let blocks = text.split("```").skip(1).step_by(2);
    blocks.filter_map(|it| it.split_once('\n'))
}

fn examples(body: &'static str) -> Vec<Example<'static>> {
    fenced(body)
        .filter_map(|(words, text)| Example::read(words, text))
        .collect()
}

/// The first sentence of a text, which stands for the whole where there is little room.
#[must_use]
pub fn first_sentence(text: &str) -> &str {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let end = paragraph
        .match_indices(". ")
        .map(|it| it.0 + 1)
        .chain(paragraph.match_indices(".\n").map(|it| it.0 + 1))
        // `e.g. ` and `.rn. ` end no sentence, a capital letter or backtick begins one.
        .find(|end| {
            let next = paragraph[*end..].trim_start().chars().next();
            next.is_some_and(|it| it.is_uppercase() || it == '`')
        })
        .unwrap_or(paragraph.len());
    paragraph[..end].trim()
}

/// The parts of a text between marks at the beginnings of lines: the rest of the line of the mark, and what
/// follows. The first part, before any mark, has an empty heading.
struct Sections {
    rest: Option<&'static str>,
    mark: &'static str,
    first: bool,
}

impl Sections {
    fn new(text: &'static str, mark: &'static str) -> Sections {
        Sections {
            rest: Some(text),
            mark,
            first: true,
        }
    }

    /// The parts that are left, whole.
    fn rest(self) -> impl Iterator<Item = &'static str> {
        let mark = self.mark;
        self.rest.into_iter().flat_map(move |it| it.split(mark))
    }
}

impl Iterator for Sections {
    type Item = (&'static str, &'static str);

    fn next(&mut self) -> Option<(&'static str, &'static str)> {
        let text = self.rest?;
        let (part, rest) = match text.split_once(self.mark) {
            Some((part, rest)) => (part, Some(rest)),
            None => (text, None),
        };
        self.rest = rest;
        if std::mem::take(&mut self.first) {
            return Some(("", part));
        }
        let (heading, body) = part.split_once('\n').unwrap_or((part, ""));
        Some((heading.trim(), body))
    }
}
