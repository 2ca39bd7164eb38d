//! Shell completions and manual pages, made from the definition of the command line.

use std::io;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Args, FAILED, Io};

/// The name of the program that is completed.
const NAME: &str = "ptx-analyzer";

#[derive(Debug, clap::Args)]
pub(super) struct CompletionsArgs {
    /// The shell that is to read it.
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// The page of this subcommand instead of the program's.
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(super) fn completions(args: &CompletionsArgs, io: &mut Io<'_>) -> io::Result<u8> {
    // The generator takes a failure to write for a bug, so it gets memory.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), NAME, &mut text);
    io.stdout.write_all(&text)?;
    Ok(0)
}

pub(super) fn man(args: &ManArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let mut program = Args::command();
    // Gives the subcommands their full names.
    program.build();
    let page = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            Some(command) => command.clone().version(env!("CARGO_PKG_VERSION")),
            None => {
                writeln!(io.stderr, "error: there is no command {name}")?;
                return Ok(FAILED);
            }
        },
    };
    clap_mangen::Man::new(page).render(&mut io.stdout)?;
    Ok(0)
}
