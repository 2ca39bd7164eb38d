//! Which other modules see a symbol.

/// Linking directive of a symbol, PTX ISA 11.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Linkage {
    /// `.extern`: defined in another module.
    Extern,
    /// `.visible`: other modules see it.
    Visible,
    /// `.weak`: other modules see it unless they have a `.visible` one.
    Weak,
    /// `.common`: several modules may declare it; the largest wins.
    Common,
}

impl Linkage {
    /// The linking directive with this spelling.
    pub(crate) fn from_word(word: &str) -> Option<Linkage> {
        Some(match word {
            ".extern" => Linkage::Extern,
            ".visible" => Linkage::Visible,
            ".weak" => Linkage::Weak,
            ".common" => Linkage::Common,
            _ => return None,
        })
    }

    /// The spelling.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Linkage::Extern => ".extern",
            Linkage::Visible => ".visible",
            Linkage::Weak => ".weak",
            Linkage::Common => ".common",
        }
    }
}
