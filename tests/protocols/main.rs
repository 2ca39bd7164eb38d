//! Correct and faulty kernels: the rules report the faulty ones, at the marked lines, and
//! nothing else.
//!
//! `fixtures/protocols` has a file for each protocol. A kernel is a title after `==`, perhaps settings, and lines of
//! PTX; those that a rule reports end with `// CODE`. The lines between `>>` and `<<` are tried in each of the shapes
//! that the setting `shapes` names; `let NAME = TEXT` makes `$NAME` stand for a text.

#![expect(clippy::print_stdout, reason = "the shares are what one wants to know")]

mod folder;
mod mutations;
mod programs;

use std::{path::PathBuf, process::Command};

use programs::{Program, programs};

/// Names the environment variable with the path of ptxas.
const PTXAS: &str = "PTXAS";
/// Names the environment variable with a folder of PTX files.
const FOLDER: &str = "PTX_PROTOCOL_CASES";

#[test]
fn kernels_are_judged_right() {
    let mut differ = Vec::new();
    let all = programs();
    for it in &all {
        let found = it.found();
        if found != it.expected() {
            let missed = it.expected().into_iter().filter(|it| !found.contains(it));
            let missed: Vec<_> = missed.collect();
            let more: Vec<_> = found
                .iter()
                .filter(|one| !it.expected().contains(one))
                .collect();
            differ.push(format!(
                "{}: missed {missed:?}, too many {more:?}\n{}",
                it.title, it.text
            ));
        }
    }
    println!("{} kernels", all.len());
    assert!(
        differ.is_empty(),
        "{} of {}:\n{}",
        differ.len(),
        all.len(),
        differ.join("\n")
    );
}

/// With a folder in [`FOLDER`]: prints the firings in its files by rule. If it has a file `expected.jsonl`, every right
/// program is silent, and 95 of 100 wrong ones are reported at an accepted line.
#[test]
fn kernels_of_a_folder() {
    let Some(path) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let (score, text) = folder::report(&path);
    println!("{text}");
    let Some(score) = score else {
        return;
    };
    let folder::Score {
        told,
        wrong,
        silent,
        right,
    } = score;
    println!(
        "{told} of {wrong} wrong programs are told of, {silent} of {right} right ones are silent"
    );
    assert_eq!(silent, right, "a right program is told of");
    assert!(
        told * 100 >= wrong * 95,
        "too few wrong programs are told of"
    );
}

/// With ptxas at hand: it accepts all kernels, as what they do wrong is legal.
#[test]
fn kernels_are_legal() {
    let Some(ptxas) = std::env::var_os(PTXAS).map(PathBuf::from) else {
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    for (index, it) in programs().iter().enumerate() {
        let path = folder.path().join(format!("{index}.ptx"));
        std::fs::write(&path, &it.text).expect("it is written");
        let output = Command::new(&ptxas)
            .args(["-arch", &it.target, "-o"])
            .arg(folder.path().join("out"))
            .arg(&path)
            .output()
            .expect("ptxas runs");
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}\n{text}\n{}", it.title, it.text);
    }
}

/// Counts how many of the instructions of right kernels are missed when one is taken away, by kind.
#[test]
fn instructions_are_missed() {
    let right: Vec<Program> = programs()
        .into_iter()
        .filter(|it| it.is_plain() && it.expected().is_empty())
        .collect();
    let (told, all) = mutations::run(&right);
    println!("{told} of {all}");
    assert!(
        told * 100 >= all * mutations::LEAST,
        "{told} of {all} are told"
    );
}
