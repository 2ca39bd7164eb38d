//! The grammar of PTX as recursive descent, one production per function.
//!
//! Each function is called with the parser at the first token of its production and leaves it after
//! the last; it never fails, and every item and statement consumes at least one token. Recovery leans
//! on what PTX is: a statement ends with `;` and starts on a line of its own, so that a missing `;`
//! damages one statement only.
//!
//! The information that decides whether a piece of text may be parsed alone (see `reparse.rs`) is written to
//! `Parser::complete`: whether the last item or statement ended by its own last token, so that no
//! text after it can change it.

mod declaration;
mod directive;
mod expression;
mod function;
mod item;
mod statement;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use item::{items_only, source_file};
pub(crate) use statement::{block_tail, statement_runs_only};
pub(crate) use words::{body_goes_on, goes_on_after_brace};
