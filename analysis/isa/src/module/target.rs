//! PTX ISA versions and targets, and what a feature requires of them.

use std::fmt;

/// A PTX ISA version such as 8.5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// The number before the period.
    pub major: u8,
    /// The number after it.
    pub minor: u8,
}

impl Version {
    /// The version `major.minor`.
    #[must_use]
    pub const fn new(major: u8, minor: u8) -> Version {
        Version { major, minor }
    }

    /// Reads `8.5`. ptxas 13.5 compares `10 * major + minor`, so `6.10` is 7.0 for it and for us.
    #[must_use]
    pub fn parse(text: &str) -> Option<Version> {
        let (major, minor) = text.split_once('.')?;
        let number = major
            .parse::<u16>()
            .ok()?
            .checked_mul(10)?
            .checked_add(minor.parse::<u16>().ok()?)?;
        Some(Version {
            major: u8::try_from(number / 10).ok()?,
            minor: (number % 10) as u8,
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// Which features beyond the plain ones a target has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Suffix {
    /// None: `sm_90`.
    Plain,
    /// Those of its family: `sm_100f`.
    Family,
    /// All of its architecture: `sm_90a`.
    Architecture,
}

/// A target architecture such as `sm_90a`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Target {
    /// The number: 90 of `sm_90a`.
    pub number: u16,
    /// The letter.
    pub suffix: Suffix,
}

impl Target {
    /// Reads `sm_90a` or `compute_90a`. As in ptxas 13.5, what is before these words, between them and
    /// the number, and between the number and the last letter is ignored.
    #[must_use]
    pub fn parse(text: &str) -> Option<Target> {
        let (_, rest) = text
            .split_once("sm_")
            .or_else(|| text.split_once("compute_"))?;
        let rest = rest.trim_start_matches(|it: char| !it.is_ascii_digit());
        let end = rest
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(rest.len());
        let (number, letters) = rest.split_at(end);
        let suffix = match letters.bytes().last() {
            Some(b'f') => Suffix::Family,
            Some(b'a') => Suffix::Architecture,
            _ => Suffix::Plain,
        };
        Some(Target {
            number: number.parse().ok()?,
            suffix,
        })
    }

    /// The number that PTX ISA 9.0 gave the architecture: `sm_101` became `sm_110`.
    fn current_number(self) -> u16 {
        if self.number == 101 { 110 } else { self.number }
    }

    /// Whether PTX ISA 9.0 gave the architecture another number, so that nobody begins with this one.
    #[must_use]
    pub fn is_renamed(self) -> bool {
        self.current_number() != self.number
    }

    /// First number of the family, PTX ISA table 61: 100 for 100, 103 and 107, 110, 120 for 120 and 121.
    fn family(self) -> u16 {
        self.current_number() / 10 * 10
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let suffix = match self.suffix {
            Suffix::Plain => "",
            Suffix::Family => "f",
            Suffix::Architecture => "a",
        };
        write!(f, "sm_{}{suffix}", self.number)
    }
}

/// The requirements of a feature: a range of versions and any one of some targets.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Gate {
    /// The least version; none for 1.0.
    pub since: Option<Version>,
    /// The last version that accepts the feature; none if the current one does.
    pub until: Option<Version>,
    /// One of these is needed: a plain target stands for itself and every later one, an `f` target for
    /// the `f` and `a` targets of its family from its number on, an `a` target for itself. Empty: all.
    pub targets: Vec<Target>,
    /// The target must be below these numbers, for features that were taken away.
    pub below: Option<u16>,
}

impl Gate {
    /// Whether nothing is required.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self == Gate::default()
    }

    /// Whether the version is accepted.
    #[must_use]
    pub fn admits_version(&self, version: Version) -> bool {
        self.since.is_none_or(|it| version >= it) && self.until.is_none_or(|it| version <= it)
    }

    /// The targets of which one is needed, without those that another one stands for.
    pub fn alternatives(&self) -> impl Iterator<Item = Target> {
        let spare = |(index, it): (usize, &Target)| {
            let mut others = self.targets.iter().enumerate();
            others.any(|(at, other)| {
                at != index
                    && covers(*other, *it)
                    && (!covers(*it, *other)
                        || it.is_renamed()
                        || (at < index && !other.is_renamed()))
            })
        };
        let all = self.targets.iter().enumerate();
        all.filter(move |it| !spare(*it)).map(|it| *it.1)
    }

    /// Whether the target is accepted.
    #[must_use]
    pub fn admits_target(&self, target: Target) -> bool {
        self.below.is_none_or(|it| target.number < it)
            && (self.targets.is_empty() || self.targets.iter().any(|it| covers(*it, target)))
    }
}

/// Whether `target` meets the requirement `demand`.
fn covers(demand: Target, target: Target) -> bool {
    let (wanted, number) = (demand.current_number(), target.current_number());
    match demand.suffix {
        Suffix::Plain => number >= wanted,
        Suffix::Family => {
            target.suffix != Suffix::Plain && demand.family() == target.family() && number >= wanted
        }
        Suffix::Architecture => target.suffix == Suffix::Architecture && number == wanted,
    }
}

/// The target to make code for, of those that an assembler offers: the wanted one if a module for `module`
/// can become code for it, else none; without a wish that of the module, or the first later one.
#[must_use]
pub fn code_target(module: Target, wanted: Option<Target>, offered: &[Target]) -> Option<Target> {
    let same =
        |a: Target, b: Target| a.suffix == b.suffix && a.current_number() == b.current_number();
    let mut able = offered.iter().copied().filter(|it| covers(module, *it));
    match wanted {
        Some(wanted) => able.find(|it| same(*it, wanted)),
        None => able.min_by_key(|it| (!same(*it, module), it.current_number(), it.suffix)),
    }
}

/// How a module names its textures and samplers, PTX ISA 5.3.1 and the options of `.target`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureMode {
    /// `texmode_unified`, the default: one handle is a texture with its sampler.
    #[default]
    Unified,
    /// `texmode_independent`: textures and samplers are apart, an instruction names both.
    Independent,
}

/// The version and target for which the statement is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Module {
    /// The `.version`.
    pub version: Version,
    /// The `.target`.
    pub target: Target,
    /// The option of `.target`.
    pub texture_mode: TextureMode,
}

impl Module {
    /// A module without options of `.target`.
    #[must_use]
    pub const fn new(version: Version, target: Target) -> Module {
        Module {
            version,
            target,
            texture_mode: TextureMode::Unified,
        }
    }
}

/// The minor versions of PTX ISA that ptxas 13.5 knows, by major version from 1 on: `5` is `.0` to `.5`.
const LAST_MINOR: [u8; 9] = [5, 3, 2, 3, 1, 5, 8, 8, 5];

/// Every version of PTX ISA, ascending.
pub fn versions() -> impl Iterator<Item = Version> {
    (1..)
        .zip(LAST_MINOR)
        .flat_map(|(major, last)| (0..=last).map(move |minor| Version::new(major, minor)))
}

/// Number, suffix and least version of each target, ascending.
#[rustfmt::skip]
const TARGETS: &[(u16, Suffix, u8, u8)] = {
    use Suffix::{Architecture, Family, Plain};
    &[
        (10, Plain, 1, 0), (11, Plain, 1, 0), (12, Plain, 1, 2), (13, Plain, 1, 2), (20, Plain, 2, 0), (21, Plain, 2, 0),
        (30, Plain, 3, 0), (32, Plain, 4, 0), (35, Plain, 3, 1), (37, Plain, 4, 1), (50, Plain, 4, 0), (52, Plain, 4, 1),
        (53, Plain, 4, 2), (60, Plain, 5, 0), (61, Plain, 5, 0), (62, Plain, 5, 0), (70, Plain, 5, 1), (72, Plain, 6, 1),
        (75, Plain, 6, 3), (80, Plain, 7, 0), (82, Plain, 6, 2), (86, Plain, 7, 1), (87, Plain, 7, 4), (88, Plain, 9, 0),
        (89, Plain, 7, 8), (90, Plain, 7, 8), (90, Architecture, 8, 0), (100, Plain, 8, 6), (100, Family, 8, 8),
        (100, Architecture, 8, 6), (101, Plain, 8, 6), (101, Family, 8, 8), (101, Architecture, 8, 6), (103, Plain, 8, 8),
        (103, Family, 8, 8), (103, Architecture, 8, 8), (107, Plain, 9, 4), (107, Family, 9, 4),
        (107, Architecture, 9, 4), (110, Plain, 9, 0), (110, Family, 9, 0), (110, Architecture, 9, 0), (120, Plain, 8, 7),
        (120, Family, 8, 8), (120, Architecture, 8, 7), (121, Plain, 8, 8), (121, Family, 8, 8),
        (121, Architecture, 8, 8),
    ]
};

/// Every target that ptxas 13.5 knows with the least version of a module for it, ascending.
pub fn targets() -> impl Iterator<Item = (Target, Version)> {
    TARGETS.iter().map(|&(number, suffix, major, minor)| {
        (Target { number, suffix }, Version::new(major, minor))
    })
}

/// The least version of a module for a target; `None` if there is no such target.
#[must_use]
pub fn least_version(target: Target) -> Option<Version> {
    targets().find(|it| it.0 == target).map(|it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_made_for_the_nearest_target() {
        let parse = |it: &str| Target::parse(it).unwrap();
        let offered = [
            "sm_75", "sm_80", "sm_90a", "sm_90", "sm_100f", "sm_110", "sm_110a",
        ];
        let offered = offered.map(parse);
        let of = |module: &str, wanted: Option<&str>| {
            let found = code_target(parse(module), wanted.map(parse), &offered);
            found.map_or_else(String::new, |it| it.to_string())
        };
        assert_eq!(of("sm_35", None), "sm_75");
        assert_eq!(of("sm_80", None), "sm_80");
        assert_eq!(of("sm_86", None), "sm_90");
        assert_eq!(of("sm_90a", None), "sm_90a");
        assert_eq!(of("sm_101a", None), "sm_110a");
        assert_eq!(of("sm_103a", None), "");
        assert_eq!(of("sm_120", None), "");
        assert_eq!(of("sm_80", Some("sm_90a")), "sm_90a");
        assert_eq!(of("sm_80", Some("sm_86")), "");
        assert_eq!(of("sm_90a", Some("sm_90")), "");
    }

    #[track_caller]
    fn check(demand: &str, target: &str, expected: bool) {
        let gate = Gate {
            targets: vec![Target::parse(demand).unwrap()],
            ..Gate::default()
        };
        assert_eq!(
            gate.admits_target(Target::parse(target).unwrap()),
            expected,
            "{demand} {target}"
        );
    }

    #[test]
    fn demands() {
        check("sm_90", "sm_90", true);
        check("sm_90", "sm_90a", true);
        check("sm_90", "sm_89", false);
        check("sm_90", "sm_120", true);
        check("sm_90a", "sm_90", false);
        check("sm_90a", "sm_100a", false);
        check("sm_100f", "sm_100", false);
        check("sm_100f", "sm_103f", true);
        check("sm_100f", "sm_107a", true);
        check("sm_103f", "sm_100a", false);
        check("sm_100f", "sm_110f", false);
        check("sm_110a", "sm_101a", true);
    }

    #[test]
    fn versions_are_numbers() {
        assert_eq!(Version::parse("6.10"), Some(Version::new(7, 0)));
        assert_eq!(Version::parse("9.05"), Some(Version::new(9, 5)));
        assert_eq!(Version::parse("x.1"), None);
        assert!(versions().is_sorted());
        assert_eq!(versions().last(), Some(Version::new(9, 5)));
    }

    #[test]
    fn every_target_has_a_version() {
        assert!(targets().map(|it| it.0).is_sorted());
        assert!(targets().all(|it| versions().any(|version| version == it.1)));
        assert_eq!(
            least_version(Target::parse("sm_90a").unwrap()),
            Some(Version::new(8, 0))
        );
        assert_eq!(least_version(Target::parse("sm_91").unwrap()), None);
    }
}
