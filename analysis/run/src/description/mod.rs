//! Descriptions of launches: launch files in TOML, and `// run:` comments with the same keys.
//!
//! A text becomes a [`Value`] (by [`Value::parse`] or [`comments`]), that a [`Description`] (by [`Description::read`]),
//! and with the code of a file a [`Prepared`] launch (by [`Description::prepare`]), which judges outcomes afterwards.
//! Files are read by whoever asks. Editors ask [`mistakes`], [`complete()`], [`explain`] and [`new_comment`].

mod check;
mod comment;
mod complete;
mod contents;
mod element;
mod expect;
mod judge;
mod new;
pub mod npy;
mod prepare;
mod problem;
mod random;
mod read;
mod size;
mod table;
#[cfg(test)]
mod tests;
mod texture;
mod texture_keys;
mod value;

pub use check::{comments_above, entry_below, mistakes, with_mistakes};
pub use comment::{Comment, comments};
pub use complete::{Proposals, Word, complete, explain};
pub use contents::{Contents, bits_at, count};
pub use element::{Element, Shown};
pub use expect::{Expectation, Goal};
pub use judge::{Difference, Judgement};
pub use new::new_comment;
pub use prepare::{Layout, Prepared, ReadFile};
pub use problem::Problem;
pub use read::Description;
pub use value::{Data, Key, Value};
