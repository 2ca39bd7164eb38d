//! The strength of an access: whether it may meet another one without a race, and among which threads.
//!
//! The words are those of PTX ISA 8.3 (memory consistency model), and of the older `membar`.

/// The threads among which an access or a fence orders, PTX ISA 8.5.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Those of the CTA.
    Cta,
    /// Those of the cluster.
    Cluster,
    /// Those of the device.
    #[default]
    Gpu,
    /// All.
    System,
}

/// How an access counts among threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Strength {
    /// Whether words say that other threads may access the location at the same time: `.relaxed`, `.acquire`,
    /// `.release`, `.volatile`, `.mmio`. Atomic operations are strong without a word.
    pub strong: bool,
    /// Among which threads.
    pub scope: Scope,
    /// Whether a word says among which.
    pub scoped: bool,
}

impl Strength {
    /// That of a statement with these words, without their periods.
    #[must_use]
    pub fn from_words<'w>(words: impl Iterator<Item = &'w str>) -> Strength {
        let mut found = Strength::default();
        for word in words {
            found.scoped |= matches!(word, "cta" | "cluster" | "gpu" | "gl" | "sys");
            match word {
                "relaxed" | "acquire" | "release" | "acq_rel" => found.strong = true,
                "volatile" | "mmio" => {
                    found.strong = true;
                    found.scope = Scope::System;
                }
                "cta" => found.scope = Scope::Cta,
                "cluster" => found.scope = Scope::Cluster,
                "gpu" | "gl" => found.scope = Scope::Gpu,
                "sys" => found.scope = Scope::System,
                _ => {}
            }
        }
        found
    }
}
