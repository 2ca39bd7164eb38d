//! Statements that run on values of their operands.

use serde::{Deserialize, Serialize};

use crate::lsp::lsp_types::{Range, TextDocumentIdentifier};

/// Method of [`TryStatementsParams`].
pub const TRY_STATEMENTS: &str = "ptx/tryStatements";
/// Command of the client that asks for values and shows the result of [`TRY_STATEMENTS`].
pub const TRY: &str = "ptx-analyzer.tryStatements";

/// Parameters of `ptx/tryStatements`.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TryStatementsParams {
    /// A document that the client has open.
    pub text_document: TextDocumentIdentifier,
    /// A place in an asm statement, or in PTX the statements; an empty range in PTX is one statement.
    pub range: Range,
    /// Values of the first operands in [`Trial::inputs`], which are checked.
    #[serde(default)]
    pub values: Vec<String>,
    /// Whether the statements run, for which every operand needs its value.
    #[serde(default)]
    pub run: bool,
}

/// Result of `ptx/tryStatements`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Trial {
    /// The statements as they run.
    pub statements: String,
    /// The name of the target for which they are read.
    pub target: String,
    /// The operands that need values, in the order in which they are given.
    pub inputs: Vec<TrialInput>,
    /// The reason for which the statements or one of the values cannot run.
    pub problem: Option<String>,
    /// After a run the statements, the given values, each step, the results, and what the run found, as lines of text.
    pub shown: Option<String>,
}

/// An operand that needs a value.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TrialInput {
    /// The name as the document has it: `%0`, `{x}`, `%r1`.
    pub name: String,
    /// The type of its values, without a period: `f32`, `f16x2`, `pred`.
    #[serde(rename = "type")]
    pub ty: String,
    /// The expression of the host language.
    pub expression: Option<String>,
    /// A value that fits it: the expression if that is a number.
    pub sample: String,
    /// The reason for which its value in [`TryStatementsParams::values`] does not fit.
    pub problem: Option<String>,
}
