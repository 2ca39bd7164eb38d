//! Completions as plain data.

use syntax::TextRange;

use super::DocumentationKey;

/// The items that can be completed at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completions {
    /// The part of the word before the cursor, which the chosen item replaces; UTF-8 byte offsets.
    pub replace: TextRange,
    /// The items, the likeliest first.
    pub items: Vec<CompletionItem>,
    /// Whether there are more, so that it has to be asked again when more is typed.
    pub is_incomplete: bool,
}

/// One thing that can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompletionItem {
    /// The label, and the text by which the list is filtered.
    pub label: String,
    /// Its kind.
    pub kind: CompletionKind,
    /// A short text beside it.
    pub detail: Option<String>,
    /// The text that is inserted instead of the label.
    pub insert: Option<Insertion>,
    /// Whether its plain text ends where a list of values follows, which clients that can should open.
    pub continues: bool,
    /// Under which key its documentation is found.
    pub documentation: Option<DocumentationKey>,
}

impl CompletionItem {
    /// An item that inserts its label.
    #[must_use]
    pub fn new(label: impl Into<String>, kind: CompletionKind) -> CompletionItem {
        CompletionItem {
            label: label.into(),
            kind,
            detail: None,
            insert: None,
            continues: false,
            documentation: None,
        }
    }
}

/// A text with places for the cursor in the notation of LSP snippets, and the same without.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Insertion {
    /// With places such as `${1:name}`.
    pub snippet: String,
    /// Plain, for editors without snippets.
    pub plain: String,
}

/// The kind of a completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompletionKind {
    /// An opcode.
    Instruction,
    /// A modifier of an instruction.
    Modifier,
    /// A type.
    Type,
    /// A state space.
    StateSpace,
    /// A register.
    Register,
    /// A special register.
    SpecialRegister,
    /// A variable in memory.
    Variable,
    /// A parameter.
    Parameter,
    /// A function or an entry.
    Function,
    /// A label.
    Label,
    /// A directive.
    Directive,
    /// A target, a version, a pragma: a value of a directive.
    Value,
    /// Several lines.
    Snippet,
}
