//! Generates syntax kinds and typed tree nodes from `syntax/ptx.ungram`.

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
        "A word that starts with a full stop, with its `::` parts.",
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

/// The generated sources.
pub(crate) struct Generated {
    /// `kind.rs`.
    pub(crate) kinds: String,
    /// `ast/generated.rs`.
    pub(crate) nodes: String,
}

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

fn snake(name: &str) -> String {
    screaming(name).to_ascii_lowercase()
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

pub(crate) fn generate(grammar: &Grammar) -> Generated {
    Generated {
        kinds: kinds(grammar),
        nodes: nodes(grammar),
    }
}

fn kinds(grammar: &Grammar) -> String {
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
            "/// Node: [`crate::ast::{name}`].\n{},",
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

    /// Blanks, comments and line markers, which may stand between any two tokens.
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

enum Field {
    Node {
        name: String,
        ty: String,
        many: bool,
    },
    Token {
        name: String,
        kind: &'static str,
    },
}

fn fields(grammar: &Grammar, rule: &Rule, label: Option<&str>, many: bool, out: &mut Vec<Field>) {
    match rule {
        Rule::Labeled { label, rule } => fields(grammar, rule, Some(label), many, out),
        Rule::Node(node) => {
            let ty = grammar[*node].name.clone();
            let name = label.map_or_else(|| snake(&ty), str::to_owned);
            if let Some(Field::Node { many: seen, .. }) =
                out.iter_mut().find(|it| matches!(it, Field::Node { ty: other, name: n, .. } if *other == ty && *n == name))
            {
                *seen = true;
            } else {
                out.push(Field::Node { name, ty, many });
            }
        }
        Rule::Token(token) => {
            // Tokens without a label carry no information that their kind does not give.
            if let Some(label) = label {
                out.push(Field::Token {
                    name: label.to_owned(),
                    kind: token_kind(&grammar[*token].name),
                });
            } else {
                token_kind(&grammar[*token].name);
            }
        }
        Rule::Seq(rules) | Rule::Alt(rules) => {
            for rule in rules {
                fields(grammar, rule, None, many, out);
            }
        }
        Rule::Opt(rule) => fields(grammar, rule, label, many, out),
        Rule::Rep(rule) => fields(grammar, rule, label, true, out),
    }
}

fn nodes(grammar: &Grammar) -> String {
    let mut out = format!(
        "{HEADER}use super::{{AstNode, support}};\nuse crate::{{SyntaxKind, SyntaxNode, SyntaxToken}};\n\n"
    );
    for node in grammar.iter() {
        let name = &grammar[node].name;
        if let Some(names) = alternatives(grammar, node) {
            enum_node(name, &names, grammar, &mut out);
        } else {
            struct_node(grammar, node, &mut out);
        }
    }
    out
}

fn struct_node(grammar: &Grammar, node: Node, out: &mut String) {
    let name = &grammar[node].name;
    let kind = screaming(name);
    let mut list = Vec::new();
    fields(grammar, &grammar[node].rule, None, false, &mut list);
    let mut methods = String::new();
    // Fields of one type take the first, second, … child of that type.
    let mut seen: Vec<String> = Vec::new();
    for field in &list {
        match field {
            Field::Node {
                name,
                ty,
                many: true,
            } => {
                let plural = if name.ends_with('s') {
                    name.clone()
                } else {
                    format!("{name}s")
                };
                writeln!(
                    methods,
                    "/// The [`{ty}`] children.\npub fn {plural}(&self) -> impl Iterator<Item = {ty}> + use<> {{ support::children(&self.syntax) }}"
                )
                .unwrap();
            }
            Field::Node {
                name,
                ty,
                many: false,
            } => {
                let index = seen.iter().filter(|it| *it == ty).count();
                seen.push(ty.clone());
                let body = if index == 0 {
                    "support::child(&self.syntax)".to_owned()
                } else {
                    format!("support::children(&self.syntax).nth({index})")
                };
                writeln!(
                    methods,
                    "/// The `{name}`: a [`{ty}`].\n#[must_use]\npub fn {name}(&self) -> Option<{ty}> {{ {body} }}"
                )
                .unwrap();
            }
            Field::Token { name, kind } => {
                writeln!(
                    methods,
                    "/// The `{name}` token.\n#[must_use]\npub fn {name}_token(&self) -> Option<SyntaxToken> {{ support::token(&self.syntax, SyntaxKind::{kind}) }}"
                )
                .unwrap();
            }
        }
    }
    writeln!(
        out,
        "/// Typed view of a `{kind}` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct {name} {{ syntax: SyntaxNode }}

impl {name} {{ {methods} }}

impl AstNode for {name} {{
    fn can_cast(kind: SyntaxKind) -> bool {{ kind == SyntaxKind::{kind} }}
    fn cast(syntax: SyntaxNode) -> Option<Self> {{ Self::can_cast(syntax.kind()).then_some(Self {{ syntax }}) }}
    fn syntax(&self) -> &SyntaxNode {{ &self.syntax }}
}}
"
    )
    .unwrap();
}

fn enum_node(name: &str, names: &[String], grammar: &Grammar, out: &mut String) {
    let is_enum = |name: &str| {
        grammar
            .iter()
            .any(|it| grammar[it].name == name && alternatives(grammar, it).is_some())
    };
    let mut variants = String::new();
    let mut can_cast = Vec::new();
    let mut cast = String::new();
    let mut syntax = String::new();
    for it in names {
        writeln!(variants, "/// See [`{it}`].\n{it}({it}),").unwrap();
        can_cast.push(format!("{it}::can_cast(kind)"));
        if is_enum(it) {
            writeln!(
                cast,
                "if {it}::can_cast(syntax.kind()) {{ return {it}::cast(syntax).map(Self::{it}); }}"
            )
            .unwrap();
        } else {
            writeln!(
                cast,
                "if {it}::can_cast(syntax.kind()) {{ return Some(Self::{it}({it} {{ syntax }})); }}"
            )
            .unwrap();
        }
        writeln!(syntax, "Self::{it}(it) => it.syntax(),").unwrap();
    }
    writeln!(
        out,
        "/// One of several kinds of node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum {name} {{ {variants} }}

impl AstNode for {name} {{
    fn can_cast(kind: SyntaxKind) -> bool {{ {} }}
    fn cast(syntax: SyntaxNode) -> Option<Self> {{ {cast} None }}
    fn syntax(&self) -> &SyntaxNode {{ match self {{ {syntax} }} }}
}}
",
        can_cast.join(" || ")
    )
    .unwrap();
}
