//! The settings of features that show additions to the text.

use analysis::{CodeLensKinds, InlayHintKinds};

/// When hovers have figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HoverFigures {
    /// For clients that say that they show pictures, in the colours that they ask for.
    #[default]
    Auto,
    /// Always, for a light background.
    Light,
    /// Always, for a dark background.
    Dark,
    /// Never.
    Off,
}

/// Which features that show additions to the text are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    /// Inlay hints.
    pub hints: InlayHintKinds,
    /// Code lenses.
    pub lenses: CodeLensKinds,
    /// Whether the number of machine instructions is shown after each statement.
    pub machine_instructions: bool,
    /// Inlay hints with the expressions of operands, in other languages.
    pub operands: bool,
    /// Figures in hovers.
    pub figures: HoverFigures,
    /// The column of the first operand in formatted instructions, from the start of the statement; `None` for one that
    /// fits the function.
    pub operand_column: Option<u32>,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            hints: InlayHintKinds::default(),
            lenses: CodeLensKinds::default(),
            machine_instructions: false,
            operands: true,
            figures: HoverFigures::default(),
            operand_column: None,
        }
    }
}
