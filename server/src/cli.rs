//! The command line.

mod check;
mod diff;
mod embedded;
mod explain;
mod extract;
mod flow;
mod format;
mod generate;
mod hosted;
mod inspect;
mod lsp;
mod mcp;
mod protocols;
mod registers;
mod render;
mod report;
mod sass;
mod site;
mod targets;
mod terminal;

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    path::Path,
};

use clap::{Parser, Subcommand};

use crate::files::{decode, read};

/// The streams of the process, or stand-ins for them.
pub struct Io<'a> {
    /// Where `-` reads from.
    pub stdin: &'a mut dyn Read,
    /// Results.
    pub stdout: &'a mut dyn Write,
    /// The error.
    pub stderr: &'a mut dyn Write,
    /// Whether results may be coloured unless the command line says otherwise.
    pub color: bool,
}

/// Language server and checker for NVIDIA PTX.
#[derive(Debug, Parser)]
#[command(name = "ptx-analyzer", version, args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    lsp: lsp::LspArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Serve an editor over standard input and output (the default).
    Lsp(lsp::LspArgs),
    /// Serve programs that write PTX, over the Model Context Protocol on standard input and output.
    Mcp(mcp::McpArgs),
    /// Check files and report diagnostics.
    Check(check::CheckArgs),
    /// Format files; only whitespace and line breaks change.
    Format(format::FormatArgs),
    /// Explain a word, statement, constant or message.
    Explain(explain::ExplainArgs),
    /// Compare two files, folders or binaries by meaning, ignoring names.
    Diff(diff::DiffArgs),
    /// Show the machine code of a file beside its PTX; runs ptxas.
    Sass(sass::SassArgs),
    /// Extract PTX from executables, libraries, archives, objects, fat binaries and cubins, or from strings.
    Extract(extract::ExtractArgs),
    /// Write the documentation as a book for mdBook.
    #[command(hide = true)]
    Site(site::SiteArgs),
    /// Estimate the registers of entry functions.
    Registers(registers::RegistersArgs),
    /// Show the control-flow graphs of functions as text, SVG or Mermaid.
    Flow(flow::FlowArgs),
    /// Compare targets: which of them a file fits, and what is wrong for the others.
    Targets(targets::TargetsArgs),
    /// List protocols: asynchronous groups, barriers, allocations and their partners.
    Protocols(protocols::ProtocolsArgs),
    /// Print the syntax tree of a file.
    Parse(inspect::ParseArgs),
    /// Print sizes and timings of a file, one METRIC line each.
    Stats(inspect::StatsArgs),
    /// Print what completes the words of this program in a shell.
    Completions(generate::CompletionsArgs),
    /// Print the manual page, for man(1).
    Man(generate::ManArgs),
}

/// The status for wrong usage and for files that cannot be read.
const FAILED: u8 = 2;

/// Runs the program with the given arguments, the first of which is its name.
///
/// Returns the exit status: 0 when all is well, 1 when `check` found errors, `format --check`
/// files that are not formatted, `registers` estimates above the baseline, `diff` a difference, or a language client
/// ended without `shutdown`, 2 for wrong usage and for input or output that failed.
pub fn run<A>(args: impl IntoIterator<Item = A>, io: &mut Io<'_>) -> u8
where
    A: Into<OsString> + Clone,
{
    let result = match Args::try_parse_from(args) {
        Ok(args) => match args.command.unwrap_or(Command::Lsp(args.lsp)) {
            Command::Lsp(args) => lsp::run(&args, io),
            Command::Mcp(args) => mcp::run(&args, io),
            Command::Check(args) => check::run(&args, io),
            Command::Format(args) => format::run(&args, io),
            Command::Explain(args) => explain::run(&args, io),
            Command::Diff(args) => diff::run(&args, io),
            Command::Sass(args) => sass::run(&args, io),
            Command::Extract(args) => extract::run(&args, io),
            Command::Site(args) => site::run(&args, io),
            Command::Registers(args) => registers::run(&args, io),
            Command::Flow(args) => flow::run(&args, io),
            Command::Targets(args) => targets::run(&args, io),
            Command::Protocols(args) => protocols::run(&args, io),
            Command::Parse(args) => inspect::parse(&args, io),
            Command::Stats(args) => inspect::stats(&args, io),
            Command::Completions(args) => generate::completions(&args, io),
            Command::Man(args) => generate::man(&args, io),
        },
        Err(error) => usage(&error, io),
    };
    let result = result.and_then(|status| io.stdout.flush().map(|()| status));
    result.unwrap_or_else(|error| {
        // Whoever closed the pipe, as `head` does, wants no more output and no complaint.
        if error.kind() != io::ErrorKind::BrokenPipe {
            let _ = writeln!(io.stderr, "error: {error}");
        }
        FAILED
    })
}

/// Prints what clap has to say: help, the version or a mistake.
fn usage(error: &clap::Error, io: &mut Io<'_>) -> io::Result<u8> {
    let text = error.render();
    if error.use_stderr() {
        write!(io.stderr, "{text}")?;
        Ok(FAILED)
    } else {
        write!(io.stdout, "{text}")?;
        Ok(0)
    }
}

/// The text of a file, or of standard input for `-`.
fn read_text(path: &Path, io: &mut Io<'_>) -> Result<String, String> {
    read_bytes(path, io).map(|it| decode(it).0)
}

/// The text of a file, or of standard input for `-`; an error is told, and there is none.
fn text_or_error(path: &Path, io: &mut Io<'_>) -> io::Result<Option<String>> {
    match read_text(path, io) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            writeln!(io.stderr, "error: {error}")?;
            Ok(None)
        }
    }
}

/// The content of a file, or of standard input for `-`.
fn read_bytes(path: &Path, io: &mut Io<'_>) -> Result<Vec<u8>, String> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io.stdin.read_to_end(&mut bytes).map(|_| bytes)
    } else {
        read(path, syntax::text::MAX_LEN as u64)
    };
    match bytes {
        Ok(bytes) if bytes.len() <= syntax::text::MAX_LEN => Ok(bytes),
        Ok(_) => Err(format!("{}: the file is too long", path.display())),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Text of strangers for a terminal: on one line, without what terminals act on.
fn plain(text: &str) -> String {
    let safe = |it: char| if it.is_control() { '\u{fffd}' } else { it };
    text.chars().map(safe).collect()
}

#[cfg(test)]
mod tests;
