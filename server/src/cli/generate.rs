//! Shell completions and manual pages, made from the definition of the command line.

use std::io;

use clap::CommandFactory;
use clap_complete::Shell;
use clap_mangen::{
    Man,
    roff::{Roff, bold, roman},
};

use super::{
    Args, FAILED, Io,
    manual::{FAILURE, PAGES, PROGRAM, Page, SUCCESS},
};

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
    let (command, page) = match &args.command {
        None => (program, Some(&PROGRAM)),
        Some(name) => match program.find_subcommand(name) {
            Some(command) => (
                command.clone().version(env!("CARGO_PKG_VERSION")),
                PAGES.iter().find(|it| it.command == name),
            ),
            None => {
                io.error(format_args!("there is no command {name}"))?;
                return Ok(FAILED);
            }
        },
    };
    // In the order of man-pages(7).
    let source = concat!("ptx-analyzer ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(source);
    man.render_title(&mut io.stdout)?;
    man.render_name_section(&mut io.stdout)?;
    man.render_synopsis_section(&mut io.stdout)?;
    man.render_description_section(&mut io.stdout)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(&mut io.stdout)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut io.stdout)?;
    }
    if let Some(page) = page {
        own_sections(page).to_writer(&mut io.stdout)?;
    }
    man.render_version_section(&mut io.stdout)?;
    Ok(0)
}

/// The sections about exit statuses, and with examples.
fn own_sections(page: &Page) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    let mut statuses = vec![SUCCESS];
    statuses.extend(page.statuses);
    statuses.push(FAILURE);
    for (status, meaning) in statuses {
        roff.control("TP", []);
        roff.text([bold(status.to_string())]);
        roff.text([roman(meaning)]);
    }
    roff.control("SH", ["EXAMPLES"]);
    for (line, meaning) in page.examples {
        roff.control("TP", []);
        roff.text([bold(*line)]);
        roff.text([roman(*meaning)]);
    }
    roff
}
