//! `ptx-analyzer sass`: the machine code that `ptxas` makes of a file, or that a binary carries.

mod show;

use std::{
    io::{self, Cursor},
    path::PathBuf,
};

use analysis::{AnalysisHost, ExactEntry, FileId};
use clap::ValueEnum;
use machine::{cubin, fatbin::Kind, listing::Listing};
use session::machine_code::MachineCode;
use syntax::{
    Document,
    text::{MAX_LEN, is_binary as is_data},
};

use super::{FAILED, Io, check::target, registers::exact::Ptxas};
use crate::{
    binaries::{self, Content, ContentKind, NOT_TEXT},
    cli::report::STDIN,
    files::{decode, is_ptx, open, read},
};

const FILE: FileId = FileId(0);

#[derive(Debug, clap::Args)]
pub(super) struct SassArgs {
    /// A PTX file, a cubin, or a binary that carries cubins; or - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: SassFormat,
    /// Compile for this target instead of the file's own, such as sm_90a; of a binary, show only the cubins for
    /// this target.
    #[arg(long, value_name = "TARGET", value_parser = target)]
    target: Option<String>,
    /// Show only this entry function.
    #[arg(long, value_name = "ENTRY")]
    entry: Option<String>,
    /// Path of ptxas; by default the one on the PATH. nvdisasm is searched for next to it.
    #[arg(long, value_name = "FILE")]
    ptxas: Option<PathBuf>,
    /// Seconds after which ptxas is stopped, and nvdisasm for each cubin.
    #[arg(long, value_name = "SECONDS", default_value_t = 300,
        value_parser = clap::value_parser!(u32).range(1..=86_400))]
    timeout: u32,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum SassFormat {
    /// Text.
    #[default]
    Text,
    /// One JSON object per entry and line.
    Json,
}

/// Machine code that was made of one text.
struct Code {
    /// The number of its cubin in the binary, from 1.
    image: Option<usize>,
    target: String,
    machine: MachineCode,
    /// The figures of `ptxas`; none for a cubin.
    entries: Vec<ExactEntry>,
    /// The PTX, as far as it is known.
    text: String,
}

impl Code {
    fn figures(&self, listing: &Listing) -> Option<&ExactEntry> {
        self.entries.iter().find(|it| it.name == listing.name)
    }
}

/// Shows machine code as soon as it is there, and counts what is shown.
struct SassWriter<'a> {
    args: &'a SassArgs,
    /// The name of the file.
    name: String,
    ptxas: Result<Ptxas, String>,
    shown: usize,
    /// How many cubins there were.
    cubins: usize,
    failed: bool,
}

pub(super) fn run(args: &SassArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let named = args.ptxas.as_ref().map(std::path::absolute).transpose()?;
    let ptxas = Ptxas::find(named.as_deref(), args.timeout);
    let is_stdin = args.file == std::path::Path::new("-");
    let mut job = SassWriter {
        args,
        name: if is_stdin {
            STDIN.to_owned()
        } else {
            args.file.to_string_lossy().into_owned()
        },
        ptxas,
        shown: 0,
        cubins: 0,
        failed: false,
    };
    let mut bytes = Vec::new();
    let begun = match is_stdin {
        true => io.stdin.read_to_end(&mut bytes).map(|_| ()),
        false => open(&args.file)
            .and_then(|mut it| binaries::beginning(&mut it))
            .map(|it| bytes = it),
    };
    if let Err(error) = begun {
        io.error(format_args!("{}: {error}", job.name))?;
        return Ok(FAILED);
    }
    let result = if !is_ptx(&args.file) && binaries::is_binary(&bytes) {
        match is_stdin {
            true => job.binary(Cursor::new(bytes), io),
            false => job.binary(open(&args.file)?, io),
        }
    } else if is_stdin {
        job.text(bytes, io)
    } else {
        read(&args.file, MAX_LEN as u64).and_then(|it| job.text(it, io))
    };
    if let Err(error) = result {
        // Whoever closed the pipe wants no more.
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Err(error);
        }
        io.error(format_args!("{}: {error}", job.name))?;
        return Ok(FAILED);
    }
    if job.shown == 0 && !job.failed {
        io.error(format_args!("{}: {}", job.name, job.nothing()))?;
        job.failed = true;
    }
    Ok(if job.failed { FAILED } else { 0 })
}

impl SassWriter<'_> {
    /// The reason why nothing is shown.
    fn nothing(&self) -> String {
        let SassArgs { entry, target, .. } = self.args;
        match (entry, target) {
            (Some(entry), _) => format!("there is no machine code of {entry}"),
            (None, Some(target)) if self.cubins > 0 => {
                format!("no cubin in it is for {target}")
            }
            (None, _) if self.cubins > 0 => "its cubins have no machine code".to_owned(),
            (None, _) => "there is no machine code".to_owned(),
        }
    }

    fn fail(&mut self, error: &str, io: &mut Io<'_>) -> io::Result<()> {
        self.failed = true;
        io.error(error)
    }

    /// Compiles a text.
    fn text(&mut self, bytes: Vec<u8>, io: &mut Io<'_>) -> io::Result<()> {
        if bytes.len() > syntax::text::MAX_LEN {
            return Err(io::Error::other("the file is too long"));
        }
        let text = decode(bytes).0;
        if is_data(&text) {
            return Err(io::Error::other(NOT_TEXT));
        }
        let document = Document::new(text);
        let host = AnalysisHost::with_file(FILE, document.contents(), None);
        // Nobody cancels the questions of this host.
        let own = host.analysis().target(FILE).ok().flatten();
        let Some(own) = own else {
            return Err(io::Error::other("the file has no .target"));
        };
        let text = document.text().to_owned();
        let wanted = self.args.target.as_deref();
        let findings = match &self.ptxas {
            Ok(ptxas) => ptxas.findings(&self.name, &text, &own, wanted),
            Err(error) => Err(error.clone()),
        };
        match findings {
            Err(error) => self.fail(&error, io),
            Ok(findings) => self.show(
                &Code {
                    image: None,
                    target: findings.target,
                    machine: findings.code.as_ref().clone(),
                    entries: findings.entries,
                    text,
                },
                io,
            ),
        }
    }

    /// Reads the cubins of a binary, or a cubin.
    fn binary(&mut self, mut input: impl binaries::Input, io: &mut Io<'_>) -> io::Result<()> {
        let mut has_ptx = false;
        if let Some(bytes) = binaries::whole_cubin(&mut input)? {
            let target = cubin::target(&bytes).unwrap_or_default();
            self.cubin(None, target, &bytes, io)?;
        } else {
            binaries::visit(
                input,
                |kind| kind == Kind::Cubin,
                |Content {
                     number,
                     member,
                     what,
                 }| match what {
                    ContentKind::Image(image, Some(Ok(bytes))) => {
                        self.cubin(Some(number), image.target, &bytes, io)
                    }
                    ContentKind::Image(image, Some(Err(defect))) => {
                        let (name, target) = (&self.name, &image.target);
                        let error = format!("{name}: image {number} (cubin, {target}): {defect}");
                        self.fail(&error, io)
                    }
                    ContentKind::Torn(torn) => {
                        let error = format!("{}: image {number}: {torn}", self.name);
                        self.fail(&error, io)
                    }
                    ContentKind::Packed(error) => {
                        let member = member.unwrap_or_default();
                        let error = format!("{}: {member}: {error}", self.name);
                        self.fail(&error, io)
                    }
                    ContentKind::Image(image, None) => {
                        has_ptx |= image.kind == Kind::Ptx;
                        Ok(())
                    }
                    ContentKind::Plain(..) => {
                        has_ptx = true;
                        Ok(())
                    }
                    ContentKind::More(count) => {
                        let error = format!("{}: {}", self.name, binaries::more(count));
                        self.fail(&error, io)
                    }
                    ContentKind::Recovered(_) => Ok(()),
                },
            )?;
        }
        if self.cubins == 0 && !self.failed {
            return Err(io::Error::other(match has_ptx {
                true => {
                    "a binary with PTX but without machine code; `ptx-analyzer extract` takes the PTX out"
                }
                false => "a binary without machine code for GPUs",
            }));
        }
        Ok(())
    }

    fn cubin(
        &mut self,
        image: Option<usize>,
        target: String,
        bytes: &[u8],
        io: &mut Io<'_>,
    ) -> io::Result<()> {
        self.cubins += 1;
        let SassArgs {
            target: wanted,
            entry,
            ..
        } = self.args;
        // The header of a cubin does not tell `sm_90a` from `sm_90`.
        let plain = |it: &str| it.trim_end_matches(['a', 'f']).to_owned();
        let is_wanted = |wanted: &String| match image {
            Some(_) => *wanted == target,
            None => plain(wanted) == plain(&target),
        };
        if !wanted.as_ref().is_none_or(is_wanted) {
            return Ok(());
        }
        let name = match image {
            Some(number) => format!("{}: image {number} (cubin, {target})", self.name),
            None => self.name.clone(),
        };
        let sections = match cubin::read(bytes) {
            Ok(cubin) => cubin.sections,
            Err(error) => return self.fail(&format!("{name}: {error}"), io),
        };
        // A run takes a moment, and there may be hundreds of cubins.
        if let Some(entry) = entry
            && !sections.iter().any(|it| it.name == *entry)
        {
            return Ok(());
        }
        let disassembly = match &self.ptxas {
            Ok(ptxas) => ptxas.disassemble(bytes, &target),
            Err(_) => Ok(None),
        };
        let disassembly = match disassembly {
            Ok(text) => text,
            Err(error) => return self.fail(&format!("{name}: {error}"), io),
        };
        if disassembly.is_none() {
            io.note(format_args!(
                "{name}: there is no nvdisasm that reads it, so the instructions have no text"
            ))?;
        }
        let text = cubin::ptx_text(bytes).unwrap_or_default();
        let machine = MachineCode::read(bytes, disassembly.as_deref(), &target, &text);
        self.show(
            &Code {
                image,
                target,
                machine,
                entries: Vec::new(),
                text,
            },
            io,
        )
    }

    fn show(&mut self, code: &Code, io: &mut Io<'_>) -> io::Result<()> {
        let wanted = |it: &&Listing| {
            let entry = self.args.entry.as_ref();
            entry.is_none_or(|entry| *entry == it.name)
        };
        for listing in code.machine.listings.iter().filter(wanted) {
            match self.args.format {
                SassFormat::Json => writeln!(io.stdout, "{}", show::record(code, listing))?,
                SassFormat::Text => {
                    if let Some(image) = code.image {
                        io.line(format_args!("image {image}:"))?;
                    }
                    io.stdout.write_all(show::table(code, listing).as_bytes())?;
                }
            }
            self.shown += 1;
        }
        Ok(())
    }
}
