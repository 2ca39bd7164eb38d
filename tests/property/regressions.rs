//! Inputs of fuzz targets: what failed once, and what they begin with.

use std::time::{Duration, Instant};

use fastrand::Rng;
use ptx_tests::{fuzz::fuzz, mutate, properties::inputs::TARGETS, workspace};

/// Far more than any input takes in an unoptimized build on a busy machine; one took minutes.
const PATIENCE: Duration = Duration::from_secs(30);

/// Each file in a folder named like a target is an input of it.
#[test]
fn findings_of_fuzzers_stay_fixed() {
    let folder = workspace::top().join("tests/fuzz/regressions");
    for entry in walkdir::WalkDir::new(&folder)
        .min_depth(2)
        .sort_by_file_name()
    {
        let entry = entry.expect("a folder that can be read");
        let parent = entry.path().parent().and_then(|it| it.file_name());
        let target = TARGETS
            .iter()
            .find(|it| parent.is_some_and(|name| name == it.name));
        let target = target.unwrap_or_else(|| panic!("{entry:?} is of no target"));
        let start = Instant::now();
        (target.run)(&std::fs::read(entry.path()).expect("a file that can be read"));
        assert!(
            start.elapsed() < PATIENCE,
            "{entry:?} took {:?}",
            start.elapsed()
        );
    }
}

/// A seed that fails would end a fuzzer before it begins.
#[test]
fn seeds_hold() {
    for target in TARGETS {
        let seeds = (target.seeds)();
        assert!(3 < seeds.len(), "{}", target.name);
        // All of them take long in an unoptimized build; an odd step meets all kinds.
        let step = (seeds.len() / 9).max(1) | 1;
        for seed in seeds.iter().step_by(step) {
            (target.run)(seed);
        }
    }
}

/// Less than a fuzzer does, which knows what its inputs reach, but on every machine.
#[test]
fn inputs_near_the_seeds_hold() {
    for target in TARGETS {
        let seeds = (target.seeds)();
        // A server for each input takes its time.
        let count = if target.name == "streams" { 10 } else { 40 };
        fuzz(target.name, count, |rng| {
            let mut input = rng.choice(&seeds).expect("a seed").clone();
            for _ in 0..rng.usize(1..8) {
                vary(rng, &mut input, &seeds);
            }
            (target.run)(&input);
        });
    }
}

/// Changes bytes, or brings in what is elsewhere.
fn vary(rng: &mut Rng, input: &mut Vec<u8>, seeds: &[Vec<u8>]) {
    let start = rng.usize(..=input.len());
    let end = (start + rng.usize(..30)).min(input.len());
    match rng.u8(..6) {
        0 => drop(input.drain(start..end)),
        1 => drop(input.splice(start..start, [rng.u8(..)])),
        2 => input[start..end]
            .iter_mut()
            .take(1)
            .for_each(|it| *it = rng.u8(..)),
        3 => {
            let piece = *rng.choice(mutate::pieces()).expect("a piece");
            drop(input.splice(start..end, piece.bytes()));
        }
        4 => {
            let piece = input[start..end].to_vec();
            drop(input.splice(start..start, piece));
        }
        _ => {
            let other = rng.choice(seeds).expect("a seed");
            let from = rng.usize(..=other.len());
            let until = (from + rng.usize(..200)).min(other.len());
            drop(input.splice(start..end, other[from..until].iter().copied()));
        }
    }
}

/// Each target has its program, and each program its target.
#[test]
fn every_target_has_a_program() {
    let folder = workspace::top().join("tests/fuzz/targets");
    let mut programs: Vec<String> = std::fs::read_dir(folder)
        .expect("a folder that can be read")
        .map(|it| it.expect("an entry").path())
        .filter_map(|it| Some(it.file_stem()?.to_string_lossy().into_owned()))
        .collect();
    programs.sort_unstable();
    let targets: Vec<&str> = TARGETS.iter().map(|it| it.name).collect();
    assert_eq!(programs, targets);
    let manifest = workspace::top().join("tests/fuzz/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).expect("the manifest");
    for name in targets {
        assert!(
            manifest.contains(&format!("path = \"targets/{name}.rs\"")),
            "{name}"
        );
    }
}
