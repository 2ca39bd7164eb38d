//! The version and target in the text of a whole program.

use syntax::lexer::{Tokens, tokenize};

use super::ptxas;

/// The names in the first `.target`, and whether ptxas expands an instruction from its own text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// The first target.
    pub target: String,
    /// The words after it.
    pub options: String,
    /// Whether some word may be an instruction that ptxas expands.
    pub expanded: bool,
}

impl Setting {
    /// Finds them in a program.
    pub fn from_text(text: &str) -> Setting {
        let tokens = tokenize(text);
        let words: Vec<usize> = words(&tokens).collect();
        let mut setting = Setting::default();
        let directive = words
            .iter()
            .position(|it| tokens.text(text, *it) == ".target");
        // The list of targets: words with commas between them.
        let mut list = words
            .iter()
            .skip(directive.map_or(words.len(), |it| it + 1));
        let mut names = Vec::new();
        while let Some(word) = list.next() {
            names.push(tokens.text(text, *word));
            if list.next().is_none_or(|it| tokens.text(text, *it) != ",") {
                break;
            }
        }
        if let Some((first, rest)) = names.split_first() {
            setting.target = (*first).to_owned();
            setting.options = rest.join(",");
        }
        setting.expanded = words
            .iter()
            .any(|it| ptxas::is_expanded(tokens.text(text, *it)));
        setting
    }

    /// The value of `-arch`.
    pub fn architecture(&self) -> String {
        ptxas::architecture(&self.target)
    }
}

/// The tokens that are neither blanks nor comments.
pub fn words(tokens: &Tokens) -> impl Iterator<Item = usize> {
    (0..tokens.len()).filter(|it| !tokens.kind(*it).is_trivia())
}
