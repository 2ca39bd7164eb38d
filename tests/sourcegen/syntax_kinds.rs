//! Generates syntax kinds from `syntax/ptx.ungram`.

use std::fmt::Write as _;

use ungrammar::{Grammar, Node, Rule};

const HEADER: &str = "//! Generated from `ptx.ungram` by the `sourcegen` test. Do not edit.\n\n";

/// Punctuation: spelling, kind, description.
const PUNCTUATION: &[(&str, &str)] = &[
    ("(", "L_PAREN"),
    (")", "R_PAREN"),
    ("{", "L_BRACE"),
    ("}", "R_BRACE"),
    ("[", "L_BRACKET"),
    ("]", "R_BRACKET"),
    (",", "COMMA"),
    (";", "SEMICOLON"),
    (":", "COLON"),
    ("?", "QUESTION"),
    ("=", "EQ"),
    ("==", "EQ_EQ"),
    ("!=", "NOT_EQ"),
    ("!", "BANG"),
    ("<", "LT"),
    (">", "GT"),
    ("<=", "LT_EQ"),
    (">=", "GT_EQ"),
    ("<<", "SHL"),
    (">>", "SHR"),
    ("+", "PLUS"),
    ("-", "MINUS"),
    ("*", "STAR"),
    ("/", "SLASH"),
    ("%", "PERCENT"),
    ("~", "TILDE"),
    ("&", "AMP"),
    ("&&", "AMP_AMP"),
    ("|", "PIPE"),
    ("||", "PIPE_PIPE"),
    ("^", "CARET"),
    ("@", "AT"),
    ("@@", "AT_AT"),
    ("_", "UNDERSCORE"),
    ("\\", "BACKSLASH"),
];

/// Classes of tokens with a text of their own: name in the grammar, kind, description.
const CLASSES: &[(&str, &str, &str)] = &[
    ("ident", "IDENT", "A word: opcode, name or register."),
    (
        "dotted",
        "DOTTED",
        "A word that starts with a period, with its `::` parts.",
    ),
    (
        "integer",
        "INTEGER",
        "An integer literal in decimal, hexadecimal, octal or binary notation.",
    ),
    (
        "float",
        "FLOAT",
        "A floating-point literal, decimal or in `0f`/`0d` notation.",
    ),
    ("string", "STRING", "A string literal with its quotes."),
    (
        "raw_text",
        "RAW_TEXT",
        "The lines between `.source_begin` and `.source_end`.",
    ),
];

/// Kinds that the grammar does not mention.
const EXTRA: &[(&str, &str)] = &[
    ("WHITESPACE", "Blanks and line ends."),
    ("LINE_COMMENT", "A `//` comment without its line end."),
    ("BLOCK_COMMENT", "A `/* */` comment."),
    (
        "LINE_MARKER",
        "A preprocessor-style line marker such as `# 12 \"file.cu\"`.",
    ),
    (
        "BAD_NUMBER",
        "A word that starts like a number but is none.",
    ),
    (
        "UNTERMINATED",
        "A string or comment that the file does not close.",
    ),
    ("UNKNOWN", "Characters that belong to no token."),
];

fn screaming(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

fn token_kind(name: &str) -> &'static str {
    let punctuation = PUNCTUATION.iter().find(|it| it.0 == name).map(|it| it.1);
    let class = || CLASSES.iter().find(|it| it.0 == name).map(|it| it.1);
    punctuation
        .or_else(class)
        .unwrap_or_else(|| panic!("unknown token class {name:?} in the grammar"))
}

/// The alternatives of a rule that only chooses between nodes.
fn alternatives(grammar: &Grammar, node: Node) -> Option<Vec<String>> {
    let Rule::Alt(rules) = &grammar[node].rule else {
        return None;
    };
    rules
        .iter()
        .map(|rule| match rule {
            Rule::Node(it) => Some(grammar[*it].name.clone()),
            _ => None,
        })
        .collect()
}

/// The source of `kind.rs`.
pub(crate) fn generate(grammar: &Grammar) -> String {
    for token in grammar.tokens() {
        token_kind(&grammar[token].name);
    }
    let mut variants = String::new();
    for (kind, doc) in EXTRA {
        writeln!(variants, "/// {doc}\n{kind},").unwrap();
    }
    for (_, kind, doc) in CLASSES {
        writeln!(variants, "/// {doc}\n{kind},").unwrap();
    }
    for (text, kind) in PUNCTUATION {
        writeln!(variants, "/// `{text}`\n{kind},").unwrap();
    }
    let mut last = "";
    let mut names = Vec::new();
    for node in grammar.iter() {
        if alternatives(grammar, node).is_none() {
            names.push(grammar[node].name.clone());
        }
    }
    for name in &names {
        writeln!(
            variants,
            "/// Node: `{name}` of the grammar.\n{},",
            screaming(name)
        )
        .unwrap();
        last = name;
    }
    let last = screaming(last);
    let mut all = String::new();
    for kind in EXTRA
        .iter()
        .map(|it| it.0)
        .chain(CLASSES.iter().map(|it| it.1))
        .chain(PUNCTUATION.iter().map(|it| it.1))
    {
        write!(all, "{kind},").unwrap();
    }
    for name in &names {
        write!(all, "{},", screaming(name)).unwrap();
    }
    let mut texts = String::new();
    for (text, kind) in PUNCTUATION {
        writeln!(texts, "SyntaxKind::{kind} => {text:?},").unwrap();
    }
    format!(
        "{HEADER}
/// Kind of a token or node of a PTX syntax tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u16)]
#[allow(non_camel_case_types, reason = \"the customary spelling of syntax kinds\")]
#[rustfmt::skip]
pub enum SyntaxKind {{ {variants} }}

use SyntaxKind::*;

/// Every kind, indexed by its number.
#[rustfmt::skip]
const ALL: [SyntaxKind; {last} as usize + 1] = [{all}];

impl SyntaxKind {{
    /// The kind with this number; `UNKNOWN` for numbers that belong to no kind.
    #[must_use]
    pub fn from_raw(raw: u16) -> SyntaxKind {{
        ALL.get(usize::from(raw)).copied().unwrap_or(UNKNOWN)
    }}

    /// Blanks, comments and line markers, which may appear between any two tokens.
    #[must_use]
    pub fn is_trivia(self) -> bool {{
        matches!(self, WHITESPACE | LINE_COMMENT | BLOCK_COMMENT | LINE_MARKER)
    }}

    /// The one spelling of a punctuation token.
    #[must_use]
    pub fn punctuation(self) -> Option<&'static str> {{
        Some(match self {{ {texts} _ => return None }})
    }}
}}
"
    )
}
