//! Headers of instructions.

use crate::module::target::Gate;

/// An instruction in the header of its block.
#[derive(Debug)]
pub(crate) struct Heading {
    /// The opcode with its fixed words.
    pub(crate) name: &'static str,
    /// Section of the manual.
    pub(super) section: &'static str,
    /// The requirements of every variant.
    pub(super) gate: Gate,
    /// Which block it is in.
    pub(crate) block: usize,
}

impl Heading {
    /// The opcode, and the words that must directly follow it.
    pub(crate) fn words(&self) -> (&'static str, impl Iterator<Item = &'static str> + use<>) {
        let mut words = self.name.split('.');
        (words.next().unwrap_or(self.name), words)
    }
}
