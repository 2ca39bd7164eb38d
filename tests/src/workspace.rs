//! The repository that the tests belong to.

use std::{collections::BTreeSet, path::Path, process::Command};

use serde_json::Value;

/// Folder with the `Cargo.toml` of the workspace.
pub fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the crate lies in the repository")
}

/// The workspace, as Cargo describes it.
pub fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .current_dir(top())
        .output()
        .expect("Cargo runs");
    serde_json::from_slice(&output.stdout).expect("Cargo writes JSON")
}

/// The packages of the workspace, as Cargo describes them.
pub fn packages() -> Vec<Value> {
    metadata()["packages"]
        .as_array()
        .expect("a list of packages")
        .clone()
}

/// Everything that a package of the workspace needs to run, by name, itself among it.
pub fn dependencies(package: &str) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--prefix", "none", "--edges", "normal"])
        .args(["--package", package])
        .current_dir(top())
        .output()
        .expect("Cargo runs");
    let text = String::from_utf8(output.stdout).expect("names are text");
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    text.lines().map(name).collect()
}
