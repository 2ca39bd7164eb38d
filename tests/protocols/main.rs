//! Kernels that are right or wrong in their protocols: the rules tell of the wrong ones, at the marked lines, and of
//! nothing else.
//!
//! `fixtures/protocols` has a file for each protocol. A kernel is a title after `==`, perhaps settings, and lines of
//! PTX; those that a rule tells of end with `// CODE`. The lines between `>>` and `<<` are tried in each of the shapes
//! that the setting `shapes` names; `let NAME = TEXT` makes `$NAME` stand for a text.

#![expect(clippy::print_stdout, reason = "the shares are what one wants to know")]

mod mutations;
mod programs;

use std::{path::PathBuf, process::Command};

use programs::{Program, programs};

/// Names the environment variable with the path of ptxas.
const PTXAS: &str = "PTXAS";

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
