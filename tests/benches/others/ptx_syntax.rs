//! Parses the files that the command line names with `ptx-syntax`; fails when it rejects one of them.

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut good = true;
    // The first argument is the name of this program.
    for path in std::env::args_os().skip(1) {
        let text = std::fs::read_to_string(path).expect("a file in UTF-8");
        if let Err(error) = ptx_syntax::parse_ptx(&text) {
            eprintln!("{error}");
            good = false;
        }
    }
    match good {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}
