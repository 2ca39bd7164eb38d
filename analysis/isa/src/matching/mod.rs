//! Which variant of an instruction fits a statement, why the others do not, and what may follow its words.

pub mod binding;
pub mod completion;
mod explain;
mod fit;
mod kinds;
pub mod matcher;
pub mod messages;
pub mod operand_path;
mod positions;
pub mod quirks;
pub mod recipes;
mod vector;

use crate::tables::table::Tables;
use matcher::{Outcome, Statement, fit};

pub use kinds::{accepts, fits};
pub use positions::positions;
pub use vector::alike;

/// Matches a statement.
#[must_use]
pub fn match_statement<'t>(tables: &'t Tables, statement: &Statement<'_>) -> Outcome<'t> {
    if let Some(fit) = fit(tables, statement) {
        return Outcome::Fit(fit);
    }
    // Only now the reasons are worth their price.
    Outcome::Mismatch(explain::explain(tables, statement))
}
