//! The `ptx-analyzer` program.

use std::io::{self, IsTerminal};

use server::cli::{self, Io};

/// The threads of a server take turns in making and freeing what the others have made. The usual allocators give each
/// thread a region of its own, and the holes in these add up to several times what is in use.
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    let color = io::stdout().is_terminal()
        && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty())
        && std::env::var_os("TERM").is_none_or(|it| it != "dumb");
    let status = cli::run(
        std::env::args_os(),
        &mut Io {
            stdin: &mut io::stdin(),
            stdout: &mut io::stdout(),
            stderr: &mut io::stderr(),
            color,
            is_typed: io::stdin().is_terminal(),
        },
    );
    // Ends threads that still read standard input.
    std::process::exit(i32::from(status));
}
