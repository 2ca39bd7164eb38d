//! The changes from one PTX module to another one, as far as they mean something.
//!
//! Names of registers, labels and parameters, `.loc`, `.file`, sections, comments, the order of functions and
//! hashes in mangled names mean nothing. [`read`] makes rows of a function, [`canonical`] decides whether two
//! functions are the same, [`matching`] which functions belong together, and [`align`] says what differs.

mod align;
mod canonical;
mod matching;
mod names;
pub(crate) mod read;
#[cfg(test)]
mod tests;

use syntax::TextRange;

use self::read::Module;

pub use self::names::plain as stable_name;

/// A module as it is compared; see [`crate::Analysis::comparable`].
#[derive(Clone, Debug, Default)]
pub struct Comparable(pub(crate) Module);

/// The fate of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is only in the new module.
    Added,
    /// It is only in the old module.
    Removed,
    /// It is not the same.
    Changed,
    /// It has another name and is the same.
    Renamed,
    /// It is the same, apart from names.
    Same,
}

impl ChangeKind {
    /// Its word, as in the JSON of the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Changed => "changed",
            ChangeKind::Renamed => "renamed",
            ChangeKind::Same => "same",
        }
    }
}

/// A function in one of the modules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Its name.
    pub name: Box<str>,
    /// Whether it is an entry.
    pub entry: bool,
    /// Its name in the text, as offsets in the file.
    pub range: TextRange,
}

/// The differences of a function, or that there are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionChange {
    /// Its fate.
    pub kind: ChangeKind,
    /// The function in the old module.
    pub old: Option<Side>,
    /// The function in the new module.
    pub new: Option<Side>,
    /// Instructions that are only in the new one, in the order of its text.
    pub added: Vec<TextRange>,
    /// Instructions that are only in the old one, in the order of its text.
    pub removed: Vec<TextRange>,
    /// Instructions that are at another place, in the old and in the new text.
    pub moved: Vec<(TextRange, TextRange)>,
    /// Operands that are other values than before, each pair of names once.
    pub rewired: Vec<Rewired>,
    /// Whether the header, a declaration or a directive differs.
    pub declarations: bool,
}

impl FunctionChange {
    /// The name to show: the new one, if there is a new one.
    #[must_use]
    pub fn name(&self) -> &str {
        let side = self.new.as_ref().or(self.old.as_ref());
        side.map_or("", |it| &it.name)
    }
}

/// An operand that is another value than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewired {
    /// Its name in the old text.
    pub old: Box<str>,
    /// Its name in the new text.
    pub new: Box<str>,
    /// How many instructions use the other value.
    pub uses: usize,
    /// The first of them in the old and in the new text.
    pub first: (TextRange, TextRange),
}

/// A variable of the module that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariableChange {
    /// Its fate: added, removed or changed.
    pub kind: ChangeKind,
    /// Its name.
    pub name: Box<str>,
    /// Its declaration in the old text.
    pub old: Option<TextRange>,
    /// Its declaration in the new text.
    pub new: Option<TextRange>,
}

/// The differences between one module and another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Each function of both modules once: those of the new one in its order, then those that are gone.
    pub functions: Vec<FunctionChange>,
    /// Variables outside functions that differ, by name.
    pub variables: Vec<VariableChange>,
    /// Directives of the module whose values differ, such as `.target`: the word, the old and the new value.
    pub directives: Vec<(Box<str>, Box<str>, Box<str>)>,
}

impl Comparison {
    /// Whether the modules mean the same; what `.version` and `.target` say does not count.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.variables.is_empty() && self.functions.iter().all(|it| it.kind == ChangeKind::Same)
    }
}

/// Compares two modules.
#[must_use]
pub fn compare(old: &Comparable, new: &Comparable) -> Comparison {
    let (old, new) = (&old.0, &new.0);
    let words = read::Words::join(&old.words, &new.words);
    let mut functions = Vec::new();
    let pairs = matching::pairs(old, new, &words);
    let mut left = vec![true; old.functions.len()];
    for (function, partner) in new.functions.iter().zip(&pairs) {
        let Some(partner) = *partner else {
            functions.push(alone(function, ChangeKind::Added));
            continue;
        };
        left[partner] = false;
        let before = &old.functions[partner];
        functions.push(match canonical::equal(before, function, &words) {
            true => FunctionChange {
                old: Some(before.side()),
                ..alone(
                    function,
                    match names::plain(&before.name) == names::plain(&function.name) {
                        true => ChangeKind::Same,
                        false => ChangeKind::Renamed,
                    },
                )
            },
            false => align::changes(before, function, &words),
        });
    }
    let gone = old.functions.iter().zip(left).filter(|it| it.1);
    functions.extend(gone.map(|it| alone(it.0, ChangeKind::Removed)));
    Comparison {
        functions,
        variables: matching::variables(old, new),
        directives: matching::directives(old, new),
    }
}

/// A function without a partner.
fn alone(function: &read::Code, kind: ChangeKind) -> FunctionChange {
    let rows = || {
        let rows = function.rows.iter().filter(|it| it.instruction);
        rows.map(|it| it.range).collect()
    };
    let mut change = FunctionChange {
        kind,
        old: None,
        new: None,
        added: Vec::new(),
        removed: Vec::new(),
        moved: Vec::new(),
        rewired: Vec::new(),
        declarations: false,
    };
    match kind {
        ChangeKind::Removed => {
            change.old = Some(function.side());
            change.removed = rows();
        }
        ChangeKind::Added => {
            change.new = Some(function.side());
            change.added = rows();
        }
        _ => change.new = Some(function.side()),
    }
    change
}
