//! Recorded verdicts of ptxas on the programs of fixed seeds, so that it judges new programs only.
//!
//! Programs are recorded in groups: a row has the hash of the programs of a group with their architectures, and a letter
//! for the verdict on each. A table that changes makes other programs in the groups of its instructions, and others stay.

use std::{
    collections::BTreeMap,
    hash::Hasher as _,
    io,
    path::{Path, PathBuf},
};

use fastrand::Rng;
use rustc_hash::{FxHashMap, FxHasher};

use super::{
    ptxas::{Judged, Verdict},
    recorded::{self, Header},
};

/// Programs of a group at most: a change in one of them asks about all.
pub const GROUP: usize = 50;
/// One of this many recorded groups is judged again.
const SAMPLE: u32 = 50;

/// The recorded verdicts of one kind of work, and how often they were used.
#[derive(Debug)]
pub struct Verdicts {
    header: Header,
    known: FxHashMap<String, String>,
    /// Groups of this run.
    used: BTreeMap<String, String>,
    sample: Rng,
    /// Programs whose verdict is recorded.
    pub recorded: usize,
    /// The recorded programs that were judged again.
    pub again: usize,
    /// Programs without a recorded verdict.
    pub fresh: usize,
}

/// The recorded verdicts on a group.
#[derive(Debug)]
pub struct Group {
    hash: String,
    /// A verdict for each program, without messages; none if the group is not recorded.
    pub recorded: Option<Vec<Verdict>>,
    /// Whether ptxas judges it.
    pub is_asked: bool,
}

/// The file of the project with the verdicts for a kind of work: `statements`, `mutants` or `walks`.
pub fn file(kind: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance/recorded");
    folder.join(format!("verdicts-{kind}.jsonl.gz"))
}

impl Verdicts {
    /// No recorded verdicts.
    pub fn none(release: &str, seed: u64) -> Verdicts {
        Verdicts {
            header: Header {
                ptxas: release.to_owned(),
                seed,
            },
            known: FxHashMap::default(),
            used: BTreeMap::new(),
            sample: Rng::with_seed(0),
            recorded: 0,
            again: 0,
            fresh: 0,
        }
    }

    /// Reads a file; verdicts of another release of ptxas are not used. `sample` is the seed of the groups that are
    /// asked about again.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(path: &Path, release: &str, seed: u64, sample: u64) -> io::Result<Verdicts> {
        let mut verdicts = Verdicts::none(release, seed);
        verdicts.sample = Rng::with_seed(sample);
        let (header, rows) = recorded::read::<(String, String)>(path)?;
        if header.ptxas == release {
            verdicts.known = rows.into_iter().collect();
        }
        Ok(verdicts)
    }

    /// Writes the groups of this run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let rows: Vec<_> = self.used.iter().collect();
        recorded::write(path, &self.header, &rows)
    }

    /// Looks a group up.
    pub fn group(&mut self, programs: &[impl Judged]) -> Group {
        let mut hasher = FxHasher::default();
        for program in programs {
            for part in [program.architecture(), program.text("")] {
                hasher.write(part.as_bytes());
                hasher.write_usize(part.len());
            }
        }
        let hash = format!("{:016x}", hasher.finish());
        let letters = self.known.get(&hash);
        let recorded = letters.filter(|it| it.len() == programs.len());
        let recorded = recorded.map(|it| it.chars().map(verdict).collect());
        let is_again = recorded.is_some() && self.sample.u32(..SAMPLE) == 0;
        match recorded {
            Some(_) => self.recorded += programs.len(),
            None => self.fresh += programs.len(),
        }
        if is_again {
            self.again += programs.len();
        }
        Group {
            hash,
            is_asked: is_again || recorded.is_none(),
            recorded,
        }
    }

    /// Notes the verdicts on a group.
    pub fn note(&mut self, group: Group, verdicts: &[Verdict]) {
        let letters = verdicts.iter().map(letter).collect();
        self.used.insert(group.hash, letters);
    }
}

fn letter(verdict: &Verdict) -> char {
    match verdict {
        Verdict::Accepted => 'a',
        Verdict::Rejected(_) => 'r',
        Verdict::Crashed => 'c',
    }
}

fn verdict(letter: char) -> Verdict {
    match letter {
        'a' => Verdict::Accepted,
        'r' => Verdict::Rejected(String::new()),
        _ => Verdict::Crashed,
    }
}

/// Whether two verdicts are the same but for their messages.
pub fn is_same(one: &Verdict, other: &Verdict) -> bool {
    letter(one) == letter(other)
}

/// A generator for the part of some work that is about a thing: it does not change with other things.
pub fn rng_of(seed: u64, thing: &str) -> Rng {
    let mut hasher = FxHasher::default();
    hasher.write_u64(seed);
    hasher.write(thing.as_bytes());
    Rng::with_seed(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Program(&'static str);

    impl Judged for Program {
        fn architecture(&self) -> String {
            "compute_90".to_owned()
        }

        fn options(&self) -> String {
            String::new()
        }

        fn is_expanded(&self) -> bool {
            false
        }

        fn text(&self, suffix: &str) -> String {
            format!("{}{suffix}", self.0)
        }
    }

    #[test]
    fn verdicts_are_those_of_the_same_programs_and_release() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("verdicts.gz");
        let programs = [Program("x"), Program("y"), Program("z")];
        let said = [
            Verdict::Accepted,
            Verdict::Rejected("no".to_owned()),
            Verdict::Crashed,
        ];
        let mut first = Verdicts::none("1.2", 7);
        let group = first.group(&programs);
        assert!(group.recorded.is_none() && group.is_asked);
        first.note(group, &said);
        first.write(&path).expect("a file");

        let read = |release| Verdicts::read(&path, release, 7, 1).expect("a file");
        let mut same = read("1.2");
        let group = same.group(&programs);
        let recorded = group.recorded.expect("it is recorded");
        assert!(
            recorded
                .iter()
                .zip(&said)
                .all(|(it, said)| is_same(it, said))
        );
        assert!(
            same.group(&[Program("x"), Program("yz")])
                .recorded
                .is_none()
        );
        assert_eq!((same.recorded, same.fresh), (3, 2));
        assert!(read("1.3").group(&programs).recorded.is_none());
    }

    #[test]
    fn some_groups_are_asked_about_again() {
        let mut verdicts = Verdicts::none("1.2", 7);
        let group = verdicts.group(&[Program("x")]);
        verdicts.known.insert(group.hash, "a".to_owned());
        let asked = (0..1000)
            .filter(|_| verdicts.group(&[Program("x")]).is_asked)
            .count();
        assert!((5..50).contains(&asked), "{asked}");
        assert_eq!((verdicts.again, verdicts.recorded), (asked, 1000));
    }
}
