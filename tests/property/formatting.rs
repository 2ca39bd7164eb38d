//! Formatting changes blanks only, and a formatted file stays as it is.

#![expect(
    clippy::print_stdout,
    reason = "the number of files says what was tested"
)]

use ptx_tests::{fixtures, properties::formatting};

#[test]
fn formatting_changes_blanks_only_and_is_stable() {
    let mut files = fixtures::ptx();
    files.extend(fixtures::corpus());
    for fixture in &files {
        formatting::check(&fixture.name, &fixture.text);
    }
    println!("{} files", files.len());
}
