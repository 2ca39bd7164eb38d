//! The cost of the rules of protocols in the checks of the files of a folder.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use anyhow::{Context as _, ensure};
use isa::table::tables;
use ptx_tests::properties::answers::{self, FILE};
use syntax::FileContents;
use walkdir::WalkDir;

/// The option with which this program checks the sample of a folder, to be counted.
pub(crate) const SAMPLE: &str = "--sample";
/// About how many bytes the sample has: callgrind takes a minute for them.
const SAMPLE_LEN: usize = 1_500_000;
/// The seed of the sample.
const SEED: u64 = 21;
/// The function that all rules are called from.
const ALL: &str = "lints::protocols::check";
/// The path of the rules in the names of functions.
const RULES: &str = "protocols::rules::";

/// The checks of the sample.
pub(crate) fn work(folder: &Path) -> anyhow::Result<Box<dyn FnMut()>> {
    let mut texts = Vec::new();
    for path in sample(folder)? {
        let text = std::fs::read(&path).with_context(|| path.display().to_string())?;
        texts.push(String::from_utf8_lossy(&text).into_owned());
    }
    tables().instructions().count();
    Ok(Box::new(move || {
        for text in &texts {
            let host = answers::host(Arc::new(FileContents::new(text)));
            let all = host.analysis().diagnostics(FILE);
            drop(all.expect("nothing changes"));
        }
    }))
}

/// Some of the PTX files below a folder, the same ones each time.
fn sample(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let path = entry?.into_path();
        if path.extension().is_some_and(|it| it == "ptx") {
            files.push(path);
        }
    }
    fastrand::Rng::with_seed(SEED).shuffle(&mut files);
    let mut len = 0;
    let mut taken = Vec::new();
    for path in files {
        let own = usize::try_from(path.metadata()?.len())?;
        if len + own <= SAMPLE_LEN {
            len += own;
            taken.push(path);
        }
    }
    ensure!(
        !taken.is_empty(),
        "no PTX files of less than {SAMPLE_LEN} bytes"
    );
    Ok(taken)
}

/// Counts the checks of the sample, and prints a table of the shares.
pub(crate) fn print(folder: &Path) -> anyhow::Result<()> {
    let out = tempfile::NamedTempFile::new()?;
    let status = Command::new("valgrind")
        .args(["-q", "--tool=callgrind", "--collect-atstart=no"])
        .arg("--toggle-collect=*counted_work*")
        .arg(format!("--callgrind-out-file={}", out.path().display()))
        .arg(std::env::current_exe()?)
        .arg(SAMPLE)
        .arg(folder)
        .status()
        .context("valgrind runs; it is in the package valgrind of most systems")?;
    ensure!(status.success(), "the checks fail");
    let output = Command::new("callgrind_annotate")
        .args(["--inclusive=yes", "--threshold=100"])
        .arg(out.path())
        .output()
        .context("callgrind_annotate runs; it comes with valgrind")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let (total, costs) = read(&text)?;
    let all = costs.get(ALL).copied().context("the rules are not found")?;
    let share = |count: u64| count as f64 * 100.0 / (total - all) as f64;
    println!("{:<28} {:>14}", "checks without the rules", total - all);
    println!(
        "{:<28} {all:>14} {:6.2} %",
        "rules of protocols",
        share(all)
    );
    for (name, count) in costs.iter().filter(|it| *it.0 != ALL) {
        println!("    {name:<24} {count:>14} {:6.2} %", share(*count));
    }
    Ok(())
}

/// The instructions of all, and those inside the functions of the rules, from the lines
/// `1,234 (5.6%)  FILE:FUNCTION [OBJECT]`.
fn read(text: &str) -> anyhow::Result<(u64, BTreeMap<String, u64>)> {
    let mut total = None;
    let mut costs: BTreeMap<String, u64> = BTreeMap::new();
    for line in text.lines() {
        let digits = line.trim_start().split(' ').next().unwrap_or_default();
        let Ok(count) = digits.replace(',', "").parse::<u64>() else {
            continue;
        };
        if line.contains("PROGRAM TOTALS") {
            total = Some(count);
        }
        let function = line.split_once(':').map_or("", |it| it.1);
        let function = function.split(" [").next().unwrap_or_default();
        // A hash may follow, and closures are inside already.
        let function = match function.rsplit_once("::h") {
            Some((name, hash)) if hash.len() == 16 => name,
            _ => function,
        };
        let name = match function.split_once(RULES) {
            Some((_, rule)) => match rule.strip_suffix("::run") {
                Some(it) => it,
                None if rule == "polling::weak_poll" => "polling",
                None => continue,
            },
            None if function.ends_with(ALL) => ALL,
            None => continue,
        };
        let known = costs.entry(name.to_owned()).or_default();
        *known = count.max(*known);
    }
    Ok((total.context("callgrind_annotate prints the total")?, costs))
}
