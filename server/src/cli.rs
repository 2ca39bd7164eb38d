//! The command line.

mod accesses;
mod check;
mod costs;
mod dap;
mod diff;
mod embedded;
mod explain;
mod extract;
mod flow;
mod format;
mod generate;
mod hosted;
mod inspect;
mod kernel;
mod lsp;
mod manual;
mod mcp;
mod protocols;
mod read;
mod registers;
mod render;
mod report;
mod run;
mod sass;
mod site;
mod targets;
mod terminal;
mod test;

use std::{
    ffi::OsString,
    fmt,
    io::{self, Read, Write},
    path::Path,
};

use clap::{CommandFactory as _, Parser, Subcommand};
use syntax::text::{escape_controls, is_binary};

use crate::{
    binaries::NOT_TEXT,
    files::{decode, read},
};

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
    /// Whether a person types what `stdin` has.
    pub is_typed: bool,
}

/// Lines for people. Names, words and messages in them may be those of strangers, so nothing in a line acts on a
/// terminal or begins another one, where a log may take it for a command.
impl Io<'_> {
    /// Writes a line of the result.
    fn line(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.stdout, "{}", plain(&text.to_string()))
    }

    /// Writes an error.
    fn error(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.stderr, "error: {}", plain(&text.to_string()))
    }

    /// Writes a warning.
    fn warning(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.stderr, "warning: {}", plain(&text.to_string()))
    }

    /// Writes a remark.
    fn note(&mut self, text: impl fmt::Display) -> io::Result<()> {
        writeln!(self.stderr, "note: {}", plain(&text.to_string()))
    }
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
    /// Run kernels without a GPU, and find races, stale reads, overruns and deadlocks.
    Run(run::RunArgs),
    /// Run the launches of files and folders under several schedules, and tell which fail.
    Test(test::TestArgs),
    /// Serve a debugger over the Debug Adapter Protocol on standard input and output: step through kernels without a GPU.
    Dap(dap::DapArgs),
    /// Estimate the registers of entry functions.
    Registers(registers::RegistersArgs),
    /// Show the control-flow graphs of functions as text, SVG or Mermaid.
    Flow(flow::FlowArgs),
    /// List accesses of memory: sectors, bank conflicts and alignment of a warp.
    Accesses(accesses::AccessesArgs),
    /// Show the iterations, bytes and arithmetic of loops.
    Costs(accesses::AccessesArgs),
    /// Compare targets: which of them a file fits, and what is wrong for the others.
    Targets(targets::TargetsArgs),
    /// List protocols: asynchronous groups, barriers, allocations and their partners.
    Protocols(protocols::ProtocolsArgs),
    /// Show the map of a kernel: roles of warps, shared memory, loops, mbarriers and copies.
    Kernel(kernel::KernelArgs),
    /// Show kernels as pseudocode for reading.
    Read(read::ReadArgs),
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
/// Returns the exit status: 0 when all is well, 1 when `check` found errors, `format --check` files that are not formatted,
/// `registers` estimates above the baseline, `diff` a difference, `extract` nothing, `run` a finding, `test` a test that fails,
/// or a language client ended without `shutdown`, 3 when `run` was stopped, 2 for wrong usage and for input or output that failed.
pub fn run<A>(args: impl IntoIterator<Item = A>, io: &mut Io<'_>) -> u8
where
    A: Into<OsString> + Clone,
{
    let result = match Args::try_parse_from(args) {
        // Whoever types the name of the program alone does not speak the protocol.
        Ok(args) if args.command.is_none() && io.is_typed && !args.lsp.is_asked() => help(io),
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
            Command::Run(args) => run::run(&args, io),
            Command::Test(args) => test::run(&args, io),
            Command::Dap(args) => dap::run(&args, io),
            Command::Registers(args) => registers::run(&args, io),
            Command::Flow(args) => flow::run(&args, io),
            Command::Accesses(args) => accesses::run(&args, io),
            Command::Costs(args) => costs::run(&args, io),
            Command::Targets(args) => targets::run(&args, io),
            Command::Protocols(args) => protocols::run(&args, io),
            Command::Kernel(args) => kernel::run(&args, io),
            Command::Read(args) => read::run(&args, io),
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
            let _ = io.error(error);
        }
        FAILED
    })
}

/// Prints the help.
fn help(io: &mut Io<'_>) -> io::Result<u8> {
    write!(io.stdout, "{}", Args::command().render_help())?;
    Ok(0)
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
    let text = decode(read_bytes(path, io)?).0;
    match is_binary(&text) {
        true => Err(format!("{}: {NOT_TEXT}", path.display())),
        false => Ok(text),
    }
}

/// The text of a file, or of standard input for `-`; an error is told, and there is none.
fn text_or_error(path: &Path, io: &mut Io<'_>) -> io::Result<Option<String>> {
    match read_text(path, io) {
        Ok(text) => Ok(Some(text)),
        Err(error) => {
            io.error(error)?;
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

/// Text of strangers for a terminal or a log: on one line, with tabs as blanks and what acts on a terminal escaped.
fn plain(text: &str) -> String {
    escape_controls(&text.replace('\t', " ")).into_owned()
}

/// A number of things.
fn counted(count: usize, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests;
