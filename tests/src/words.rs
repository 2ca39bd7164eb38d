//! Words to avoid: prose in comments, messages and pages, held against `tests/tidy/vocabulary.tsv`.
//!
//! The list is our own and not one of [Vale](https://vale.sh): Vale is a program that every contributor would have
//! to install, it sees no strings of Rust, and a list of twenty patterns needs no more than regular expressions.

use std::{ops::Range, sync::OnceLock};

use regex_lite::Regex;

/// A row of the vocabulary.
pub struct Rule {
    place: Place,
    pattern: Regex,
    unless: Option<Regex>,
    /// A text that breaks the rule.
    pub example: String,
    /// A text that says the same in the words that we use.
    pub instead: String,
}

/// Where a rule applies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In every prose.
    Text,
    /// In pages and messages, which users read.
    Told,
    /// In Markdown.
    Page,
    /// At the start of doc comments.
    Doc,
    /// In names of items.
    Name,
    /// In Markdown and comments, where the text is plain already.
    Plain,
}

/// A piece of prose on one line of a file.
#[derive(Debug, PartialEq, Eq)]
pub struct Prose {
    /// Its line, from 1.
    pub line: usize,
    /// The words, without the marks of a comment.
    pub text: String,
    /// Where it is.
    pub kind: Kind,
}

/// The kind of a piece of prose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A line of Markdown.
    Page,
    /// A comment.
    Comment {
        /// Whether it is the first line of a doc comment.
        starts_doc: bool,
    },
    /// A string, or a line of a file that is neither Rust nor Markdown.
    Text,
    /// The name of an item of Rust, with blanks between its words.
    Name,
}

/// Whether some pattern of the vocabulary is in a text. One automaton for all of them: most lines have none, and a
/// rule at a time takes a minute.
fn may_break(text: &str) -> bool {
    static ANY: OnceLock<Regex> = OnceLock::new();
    let any = ANY.get_or_init(|| {
        let patterns = vocabulary().iter();
        let patterns: Vec<String> = patterns.map(|it| format!("(?:{})", it.pattern)).collect();
        Regex::new(&patterns.join("|")).expect("a regular expression")
    });
    any.is_match(text)
}

/// The rules of `tests/tidy/vocabulary.tsv`.
pub fn vocabulary() -> &'static [Rule] {
    static RULES: OnceLock<Vec<Rule>> = OnceLock::new();
    RULES.get_or_init(|| {
        let rows = include_str!("../tidy/vocabulary.tsv").lines().skip(1);
        rows.map(rule).collect()
    })
}

fn rule(row: &str) -> Rule {
    let cells: Vec<&str> = row.split('\t').collect();
    let [place, pattern, unless, example, instead] = cells[..] else {
        panic!("five columns: {row}");
    };
    let regex = |it| Regex::new(it).unwrap_or_else(|error| panic!("{it}: {error}"));
    Rule {
        place: match place {
            "text" => Place::Text,
            "told" => Place::Told,
            "page" => Place::Page,
            "doc" => Place::Doc,
            "name" => Place::Name,
            "plain" => Place::Plain,
            other => panic!("{other}: one of text, told, page, doc, name, plain"),
        },
        pattern: regex(pattern),
        unless: (!unless.is_empty()).then(|| regex(unless)),
        example: example.to_owned(),
        instead: instead.to_owned(),
    }
}

impl Rule {
    /// Whether it is a rule of plain words, which does not hold everywhere yet.
    pub fn is_plain(&self) -> bool {
        self.place == Place::Plain
    }

    /// The part of a piece of prose that breaks the rule; `is_told` if users read the strings of its file.
    fn find<'a>(&self, prose: &'a Prose, is_told: bool) -> Option<&'a str> {
        let applies = match (self.place, prose.kind) {
            (Place::Name, Kind::Name) => true,
            (_, Kind::Name) => false,
            (Place::Text, _) | (Place::Told | Place::Page | Place::Plain, Kind::Page) => true,
            (Place::Plain, Kind::Comment { .. }) => true,
            (Place::Told, Kind::Text) => is_told,
            (Place::Doc, Kind::Comment { starts_doc }) => starts_doc,
            _ => false,
        };
        if !applies {
            return None;
        }
        let words = without_code(&prose.text);
        let allowed: Vec<Range<usize>> = match &self.unless {
            Some(unless) => unless.find_iter(&words).map(|it| it.range()).collect(),
            None => Vec::new(),
        };
        let found = self.pattern.find_iter(&words).map(|it| it.range());
        let mut wrong = found.filter(|it| {
            let overlaps = |other: &Range<usize>| it.start < other.end && other.start < it.end;
            !allowed.iter().any(overlaps)
        });
        wrong.next().map(|it| &prose.text[it])
    }
}

/// The text with names of code blanked out, byte for byte: one word in backticks, `{holes}` of formats, paths.
fn without_code(text: &str) -> String {
    static CODE: OnceLock<Regex> = OnceLock::new();
    let code = CODE.get_or_init(|| {
        let names = r"`[^`\s]*`|\{[^{}\s]*\}|\w+(::\w+)+|\w+\(\)|https?://\S+|\w+(/[\w.]+)+";
        Regex::new(names).expect("a regular expression")
    });
    let mut words = text.to_owned();
    for name in code.find_iter(text) {
        words.replace_range(name.range(), &"`".repeat(name.len()));
    }
    words
}

/// The pieces of prose of a file that may break a rule, and the rules that they break, with the words that do;
/// `is_told` if users read the strings of the file.
pub fn broken(prose: &[Prose], is_told: bool) -> Vec<(&Prose, &'static Rule, &str)> {
    let suspects = prose.iter().filter(|it| may_break(&it.text));
    let broken = suspects.flat_map(|it| {
        let rules = vocabulary().iter();
        rules.filter_map(move |rule| Some((it, rule, rule.find(it, is_told)?)))
    });
    broken.collect()
}

/// The names of the types that a text of Rust declares, associated types aside.
pub fn type_names(text: &str) -> Vec<String> {
    static TYPE: OnceLock<Regex> = OnceLock::new();
    let declaration = TYPE.get_or_init(|| {
        let public = r"(?:pub(?:\([^)]*\))? )?";
        let nested = format!(r"\s*{public}(?:struct|enum|union|trait) (\w+)");
        Regex::new(&format!(r"(?m)^(?:{nested}|{public}type (\w+))")).expect("a regular expression")
    });
    let names = declaration.captures_iter(text);
    let name =
        |it: regex_lite::Captures<'_>| it.get(1).or(it.get(2)).map(|it| it.as_str().to_owned());
    names.filter_map(name).collect()
}

/// The names of the items that a text of Rust declares, with blanks between their words.
pub fn names_of_items(text: &str) -> Vec<Prose> {
    static ITEM: OnceLock<Regex> = OnceLock::new();
    let item = ITEM.get_or_init(|| {
        let keywords = "fn|struct|enum|union|trait|type|mod|const|static";
        Regex::new(&format!(r"^[^/\x22]*\b(?:{keywords}) (\w+)")).expect("a regular expression")
    });
    let lines = text.lines().enumerate();
    let names = lines.filter_map(|(line, text)| Some((line, item.captures(text)?.get(1)?)));
    let names = names.map(|(line, name)| Prose {
        line: line + 1,
        text: spaced(name.as_str()),
        kind: Kind::Name,
    });
    names.collect()
}

/// The words of `snake_case` and `CamelCase`, in lower case.
fn spaced(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for char in name.chars() {
        if was_lower && char.is_uppercase() || char == '_' {
            words.push(' ');
        }
        was_lower = char.is_lowercase();
        words.extend(char.to_lowercase().filter(|it| *it != '_'));
    }
    words
}

/// The prose of a file, by the extension in its path.
pub fn prose(path: &str, text: &str) -> Vec<Prose> {
    if path.ends_with(".rs") {
        return rust(text);
    }
    let kind = if path.ends_with(".md") {
        Kind::Page
    } else {
        Kind::Text
    };
    let lines = text.lines().enumerate();
    let lines = lines.map(|(line, text)| Prose {
        line: line + 1,
        text: text.to_owned(),
        kind,
    });
    lines.collect()
}

/// The comments and strings of Rust, a line each.
fn rust(text: &str) -> Vec<Prose> {
    static TOKENS: OnceLock<Regex> = OnceLock::new();
    // Characters are matched so that a quote in one begins no string, and raw strings by their number of marks.
    let tokens = TOKENS.get_or_init(|| {
        let raw = (0..4).rev().map(|it| "#".repeat(it));
        let raw = raw.map(|it| format!(r#"r{it}"(?s:.*?)"{it}"#));
        let raw: Vec<String> = raw.collect();
        let others = r#"//[^\n]*|"(?s:\\.|[^"\\])*"|'(\\[^\n]{1,8}?|[^\\'])'"#;
        Regex::new(&format!("{}|{others}", raw.join("|"))).expect("a regular expression")
    });
    let mut found = Vec::new();
    let (mut line, mut counted) = (1, 0);
    let mut last_doc = None;
    for token in tokens.find_iter(text) {
        line += text[counted..token.start()].matches('\n').count();
        counted = token.start();
        let token = token.as_str();
        if token.starts_with('\'') {
            continue;
        }
        let comment = token.strip_prefix("//");
        for (offset, part) in token.lines().enumerate() {
            let line = line + offset;
            let doc = comment.and_then(|it| it.strip_prefix(['/', '!']));
            let kind = match comment {
                None => Kind::Text,
                Some(_) => Kind::Comment {
                    starts_doc: doc.is_some() && last_doc != Some(line - 1),
                },
            };
            // An empty line ends the paragraph, so the next one starts anew.
            last_doc = doc.filter(|it| !it.trim().is_empty()).map(|_| line);
            found.push(Prose {
                line,
                text: doc.or(comment).unwrap_or(part).trim().to_owned(),
                kind,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_of_rust_is_its_comments_and_strings() {
        let text = "//! One.\n//! Two.\nlet inner_name = '\"'; // Three `a`.\nlet a = r#\"Four\n\"five\"\"#;\n/// Six.\nfn f() -> &str { \"a \\\" b\" }\n";
        let found: Vec<String> = prose("a.rs", text)
            .into_iter()
            .map(|it| format!("{} {:?} {}", it.line, it.kind, it.text))
            .collect();
        let expected = [
            "1 Comment { starts_doc: true } One.",
            "2 Comment { starts_doc: false } Two.",
            "3 Comment { starts_doc: false } Three `a`.",
            "4 Text r#\"Four",
            "5 Text \"five\"\"#",
            "6 Comment { starts_doc: true } Six.",
            "7 Text \"a \\\" b\"",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn each_example_breaks_its_rule_and_the_better_text_breaks_none() {
        for rule in vocabulary() {
            let kind = match rule.place {
                Place::Page | Place::Told | Place::Plain => Kind::Page,
                Place::Name => Kind::Name,
                Place::Doc => Kind::Comment { starts_doc: true },
                Place::Text => Kind::Text,
            };
            let of = |text: &str| Prose {
                line: 1,
                text: text.to_owned(),
                kind,
            };
            assert!(
                rule.find(&of(&rule.example), true).is_some(),
                "{}",
                rule.example
            );
            let better = of(&rule.instead);
            assert!(
                vocabulary()
                    .iter()
                    .all(|it| it.find(&better, true).is_none()),
                "{}",
                rule.instead
            );
        }
    }

    #[test]
    fn names_are_those_of_items_and_types() {
        let text = "pub(crate) fn tell_all() {}\n// fn no()\nimpl A for B { type C = D; }\nstruct MyKey<'a>(&'a str);\n    enum Inner { A }\ntype Alias = u8;\n";
        assert_eq!(type_names(text), ["MyKey", "Inner", "Alias"]);
        let names: Vec<String> = names_of_items(text)
            .into_iter()
            .map(|it| format!("{} {}", it.line, it.text))
            .collect();
        assert_eq!(
            names,
            ["1 tell all", "3 c", "4 my key", "5 inner", "6 alias"]
        );
    }

    #[test]
    fn names_of_code_and_idioms_are_no_prose() {
        let text = Prose {
            line: 1,
            text: "there is no `behind`, {behind} stands for it, no longer on demand: a::behind()"
                .to_owned(),
            kind: Kind::Text,
        };
        assert!(vocabulary().iter().all(|it| it.find(&text, true).is_none()));
    }
}
