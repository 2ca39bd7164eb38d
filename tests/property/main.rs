//! Properties of every text and every edit, tried on fixtures, on generated texts and on garbage.

mod analysis;
mod completion;
mod doubling;
mod everywhere;
mod fixes;
mod formatting;
mod garbage;
mod hover;
mod incremental;
mod regressions;
mod slips;
mod text;
mod words;
mod writing;
