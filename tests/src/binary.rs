//! The program itself, as users run it.

use std::{path::PathBuf, process::Command};

use serde_json::Value;

/// Builds the program with the dev or the release profile and returns its path.
///
/// Cargo builds no programs of other packages for tests, so this builds them; nothing is done
/// when the program is up to date. `PTX_ANALYZER_SERVER` names one that is built with the dev profile.
pub fn build(profile: &str) -> PathBuf {
    if profile == "dev"
        && let Some(program) = std::env::var_os("PTX_ANALYZER_SERVER").filter(|it| !it.is_empty())
    {
        return program.into();
    }
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--package",
            "ptx-analyzer",
            "--bin",
            "ptx-analyzer",
        ])
        .args(["--profile", profile, "--message-format", "json"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("Cargo runs");
    assert!(
        output.status.success(),
        "Cargo cannot build the server:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let messages = String::from_utf8(output.stdout).expect("Cargo writes UTF-8");
    let executable = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find_map(|message| message["executable"].as_str().map(PathBuf::from));
    executable.expect("Cargo names the program it has built")
}
