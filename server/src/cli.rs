//! The command line.

mod check;
mod inspect;
mod lsp;
mod render;

use std::{
    ffi::OsString,
    fs,
    io::{self, Read, Write},
    path::Path,
};

use clap::{Parser, Subcommand};

use crate::files::decode;

/// The streams of the process, or stand-ins for them.
pub struct Io<'a> {
    /// Where `-` reads from.
    pub stdin: &'a mut dyn Read,
    /// Results.
    pub stdout: &'a mut dyn Write,
    /// What went wrong.
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
    /// Report the problems of files.
    Check(check::CheckArgs),
    /// Print the syntax tree of a file.
    Parse(inspect::ParseArgs),
    /// Print sizes and times of a file, one METRIC line each.
    Stats(inspect::StatsArgs),
}

/// The status for wrong usage and for files that cannot be read.
const FAILED: u8 = 2;

/// Runs the program with the given arguments, the first of which is its name.
///
/// Returns the exit status: 0 when all is well, 1 when `check` found errors or a language client
/// ended without `shutdown`, 2 for wrong usage and for input or output that failed.
pub fn run<A>(args: impl IntoIterator<Item = A>, io: &mut Io<'_>) -> u8
where
    A: Into<OsString> + Clone,
{
    let result = match Args::try_parse_from(args) {
        Ok(args) => match args.command.unwrap_or(Command::Lsp(args.lsp)) {
            Command::Lsp(args) => lsp::run(&args, io),
            Command::Check(args) => check::run(&args, io),
            Command::Parse(args) => inspect::parse(&args, io),
            Command::Stats(args) => inspect::stats(&args, io),
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
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io.stdin.read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    match bytes {
        Ok(bytes) if bytes.len() <= syntax::text::MAX_LEN => Ok(decode(bytes).0),
        Ok(_) => Err(format!("{}: the file is too long", path.display())),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the convention of expect-test"
    )]
    fn check(args: &[&str], stdin: &str, expect: Expect) {
        let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
        let status = run(
            ["ptx-analyzer"].iter().chain(args),
            &mut Io {
                stdin: &mut stdin.as_bytes(),
                stdout: &mut stdout,
                stderr: &mut stderr,
                color: false,
            },
        );
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        expect.assert_eq(&format!(
            "{}{}status {status}\n",
            text(stdout),
            text(stderr)
        ));
    }

    #[test]
    fn mistakes_have_status_2() {
        check(
            &["check"],
            "",
            expect![[r#"
                error: the following required arguments were not provided:
                  <PATH>...

                Usage: ptx-analyzer check <PATH>...

                For more information, try '--help'.
                status 2
            "#]],
        );
        #[cfg(unix)]
        check(
            &["check", "does/not/exist.ptx"],
            "",
            expect![[r#"
                checked 0 files: no problems
                error: does/not/exist.ptx: No such file or directory (os error 2)
                status 2
            "#]],
        );
    }

    #[test]
    fn output_that_nobody_reads_ends_quietly() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut stderr = Vec::new();
        let status = run(
            ["ptx-analyzer", "--version"],
            &mut Io {
                stdin: &mut io::empty(),
                stdout: &mut Closed,
                stderr: &mut stderr,
                color: false,
            },
        );
        assert_eq!((status, stderr), (FAILED, Vec::new()));
    }
}
