//! The directives between the header of a function and its body, as measured with ptxas 13.5.

/// The kind of declaration whose header a directive is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An `.entry` with a body.
    Entry,
    /// An `.entry` without one: it takes no directives.
    EntryPrototype,
    /// A `.func` with a body.
    Function,
    /// A `.func` without one, or a `.callprototype`.
    Prototype,
}

/// The values of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// There are none.
    None,
    /// From 1 to this many 32-bit numbers.
    Numbers(u8),
    /// From 1 to this many 32-bit numbers that are not 0.
    Positive(u8),
    /// One number up to this one.
    UpTo(u64),
    /// One or more names or numbers of source languages.
    Languages,
}

/// A directive between the header of a function and its body, PTX ISA 11.4, 11.7 and 11.8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// The word with its period.
    pub word: &'static str,
    /// The declarations in whose header it may appear.
    pub owners: &'static [Owner],
    /// The values that follow it.
    pub values: Values,
    /// Its place in the header of a `.func`: ranks ascend. Entries know no order.
    pub rank: u8,
    /// Values that programs often have there, the usual ones first.
    pub usual: &'static [u64],
}

impl Tuning {
    /// Whether the directive may appear in the header of this.
    #[must_use]
    pub fn fits(&self, owner: Owner) -> bool {
        self.owners.contains(&owner)
    }
}

/// The rank of `.abi_preserve` and `.abi_preserve_control`, which have no order among themselves.
pub const RANK_OF_ABI: u8 = 1;

const THREADS: &[u64] = &[128, 256, 512, 1024, 384, 64, 32];
const FEW: &[u64] = &[1, 2, 4, 3];

const ENTRY: &[Owner] = &[Owner::Entry];
const FUNCTIONS: &[Owner] = &[Owner::Function, Owner::Prototype];
const BODIES: &[Owner] = &[Owner::Entry, Owner::Function];

const fn row(
    word: &'static str,
    owners: &'static [Owner],
    values: Values,
    rank: u8,
    usual: &'static [u64],
) -> Tuning {
    Tuning {
        word,
        owners,
        values,
        rank,
        usual,
    }
}

/// The directives, by their ranks.
#[rustfmt::skip]
pub const TUNING: &[Tuning] = &[
    row(".maxnreg", ENTRY, Values::Positive(1), 0, &[128, 64, 168, 255, 32]),
    row(".maxntid", ENTRY, Values::Positive(3), 0, THREADS),
    row(".reqntid", ENTRY, Values::Positive(3), 0, THREADS),
    row(".minnctapersm", ENTRY, Values::Positive(1), 0, FEW),
    row(".maxnctapersm", ENTRY, Values::Positive(1), 0, FEW),
    row(".reqnctapercluster", ENTRY, Values::Numbers(3), 0, FEW),
    row(".maxclusterrank", ENTRY, Values::Numbers(1), 0, &[8, 16, 4, 2]),
    row(".explicitcluster", ENTRY, Values::None, 0, &[]),
    row(".blocksareclusters", ENTRY, Values::None, 0, &[]),
    row(".minperctamemory", ENTRY, Values::Numbers(1), 0, &[]),
    row(".noreturn", FUNCTIONS, Values::None, 0, &[]),
    row(".abi_preserve", FUNCTIONS, Values::Numbers(1), RANK_OF_ABI, &[]),
    row(".abi_preserve_control", FUNCTIONS, Values::UpTo(11), RANK_OF_ABI, &[]),
    // Undocumented.
    row(".local_maxnreg", BODIES, Values::Positive(1), 2, &[128, 64, 168, 255, 32]),
    row(".language", BODIES, Values::Languages, 3, &[]),
];

/// The directive of this name.
#[must_use]
pub fn tuning(word: &str) -> Option<&'static Tuning> {
    TUNING.iter().find(|it| it.word == word)
}

/// Two directives that cannot both appear in one header.
pub const CONFLICTS: &[(&str, &str)] = &[
    (".maxntid", ".reqntid"),
    (".reqnctapercluster", ".maxclusterrank"),
];

/// A directive and those that its header must have, too.
pub const REQUIREMENTS: &[(&str, &[&str])] =
    &[(".blocksareclusters", &[".reqntid", ".reqnctapercluster"])];

/// The special registers that only entries with `.minperctamemory` and functions may read.
pub const CTA_MEMORY_REGISTERS: &[&str] = &["%perctamemoryoffset", "%perctamemorysize"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_rules_are_directives() {
        let pairs = CONFLICTS.iter().flat_map(|it| [it.0, it.1]);
        let needs = REQUIREMENTS.iter().flat_map(|it| it.1.iter().copied());
        for word in pairs.chain(needs) {
            assert!(tuning(word).is_some(), "{word}");
        }
        assert!(TUNING.is_sorted_by_key(|it| it.rank));
    }
}
