//! `ptx-analyzer extract`: the PTX of binaries.

mod asm;

use std::{
    fs,
    io::{self, Cursor, Seek as _},
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use machine::{cubin, fatbin::Kind};
use serde::Serialize;

use super::{FAILED, Io};
use crate::{
    binaries::{self, Content, What},
    cli::report::STDIN,
    files::open,
};

#[derive(Debug, clap::Args)]
pub(super) struct ExtractArgs {
    /// Executables, libraries, archives, objects, fat binaries, cubins or wheels; or - for standard input. With --asm, files of
    /// CUDA C++, C++, Python, Rust and LLVM IR, and folders that are searched for them.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// List the images, as without --output-dir.
    #[arg(long)]
    list: bool,
    /// Write each PTX text to FILE.NUMBER.TARGET.ptx in this folder, which is created if necessary.
    #[arg(short, long, value_name = "DIR")]
    output_dir: Option<PathBuf>,
    /// Also write the cubins.
    #[arg(long, requires = "output_dir")]
    cubins: bool,
    /// Print the PTX in the strings of files in other languages, each statement as a module.
    #[arg(long, conflicts_with_all = ["list", "cubins"])]
    asm: bool,
    /// The target of the modules, for example sm_90a. Without it, that of the file or of compile_commands.json.
    #[arg(long, value_name = "TARGET", requires = "asm", value_parser = super::check::target)]
    target: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table.
    #[default]
    Text,
    /// One JSON object per image and line.
    Json,
}

/// An image as JSON.
#[derive(Serialize)]
struct Record<'a> {
    file: &'a str,
    /// The file in a wheel or another zip archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    member: Option<&'a str>,
    /// From 1.
    number: usize,
    kind: String,
    target: &'a str,
    /// The version of PTX, or of the format of a cubin.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    compression: String,
    ident: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    options: Option<&'a str>,
    /// In bytes, if it was unpacked.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
    /// The range of the entry in the file, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    /// Whether it comes from the debug information of a cubin, without comments.
    recovered: bool,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

pub(super) fn run(args: &ExtractArgs, io: &mut Io<'_>) -> io::Result<u8> {
    if let Some(folder) = &args.output_dir
        && let Err(error) = fs::create_dir_all(folder)
    {
        writeln!(io.stderr, "error: {}: {error}", folder.display())?;
        return Ok(FAILED);
    }
    if args.asm {
        return asm::run(args, io);
    }
    let mut job = Job {
        args,
        list: args.list || args.output_dir.is_none(),
        names: Vec::new(),
        failed: false,
    };
    for path in &args.files {
        let result = job.file(path, io);
        // Whoever closed the pipe wants no more.
        if let Err(error) = result {
            if error.kind() == io::ErrorKind::BrokenPipe {
                return Err(error);
            }
            writeln!(io.stderr, "error: {}: {error}", path.display())?;
            job.failed = true;
        }
    }
    Ok(if job.failed { FAILED } else { 0 })
}

struct Job<'a> {
    args: &'a ExtractArgs,
    list: bool,
    /// The names that files of the output begin with; those of several inputs may be equal.
    names: Vec<String>,
    failed: bool,
}

impl Job<'_> {
    fn file(&mut self, path: &Path, io: &mut Io<'_>) -> io::Result<()> {
        let (name, stem) = if path == Path::new("-") {
            (STDIN.into(), "stdin".into())
        } else {
            let stem = path.file_stem().unwrap_or_default();
            (path.to_string_lossy(), stem.to_string_lossy())
        };
        let stem = self.unique(&stem);
        let cubins = self.args.cubins;
        let wanted = |kind| kind == Kind::Ptx || (cubins && kind == Kind::Cubin);
        let mut count = 0;
        let (stdout, stderr) = (&mut *io.stdout, &mut *io.stderr);
        let visit = |content: Content| {
            count += 1;
            self.image(&name, &stem, content, stdout, stderr)
        };
        let (packed, is_cubin) = if path == Path::new("-") {
            let mut bytes = Vec::new();
            io.stdin.read_to_end(&mut bytes)?;
            let told = told(&bytes);
            binaries::visit(Cursor::new(bytes), wanted, visit)?;
            told
        } else {
            let mut file = open(path)?;
            let told = told(&binaries::beginning(&mut file)?);
            file.rewind()?;
            binaries::visit(file, wanted, visit)?;
            told
        };
        if count == 0
            && let Some(format) = packed
        {
            let message = format!("it is packed with {format}: unpack it first");
            return Err(io::Error::other(message));
        }
        if count == 0 {
            let what = match is_cubin {
                true => "a cubin without PTX; `ptx-analyzer sass` shows its machine code",
                false => "no PTX and no machine code inside",
            };
            writeln!(io.stderr, "{name}: {what}")?;
        }
        Ok(())
    }

    /// A beginning of names that no other input has.
    fn unique(&mut self, stem: &str) -> String {
        let mut name = stem.to_owned();
        let mut number = 1;
        while self.names.contains(&name) {
            number += 1;
            name = format!("{stem}-{number}");
        }
        self.names.push(name.clone());
        name
    }

    /// Lists and writes one image.
    fn image(
        &mut self,
        file: &str,
        stem: &str,
        content: Content,
        stdout: &mut dyn io::Write,
        stderr: &mut dyn io::Write,
    ) -> io::Result<()> {
        let Content {
            number,
            member,
            what,
        } = content;
        let (target, compression) = (what.target(), what.compression());
        let mut record = Record {
            file,
            member: member.as_deref(),
            number,
            kind: Kind::Ptx.to_string(),
            target: &target,
            version: None,
            compression: compression.to_string(),
            ident: "",
            options: None,
            size: None,
            offset: None,
            recovered: false,
            path: None,
            error: None,
        };
        let bytes = match &what {
            What::Image(image, bytes) => {
                record.kind = image.kind.to_string();
                record.version = Some(format!("{}.{}", image.version.0, image.version.1));
                record.ident = &image.identifier;
                record.options = Some(&*image.options).filter(|it| !it.is_empty());
                record.offset = Some(image.offset);
                match bytes {
                    Some(Ok(bytes)) => Some(&**bytes),
                    Some(Err(defect)) => {
                        record.error = Some(defect.to_string());
                        None
                    }
                    None => None,
                }
            }
            What::Recovered(text) => {
                record.recovered = true;
                Some(text.as_bytes())
            }
            What::Torn(torn) => {
                record.kind = "torn".to_owned();
                record.offset = Some(torn.offset);
                record.error = Some(torn.to_string());
                None
            }
            What::Packed(error) => {
                record.kind = "packed".to_owned();
                record.error = Some(error.clone());
                None
            }
        };
        record.size = bytes.map(<[u8]>::len);
        if let (Some(folder), Some(bytes)) = (&self.args.output_dir, bytes) {
            let extension = if record.kind == "cubin" {
                "cubin"
            } else {
                "ptx"
            };
            let name = binaries::file_name(number, &target, extension);
            let path = folder.join(format!("{stem}.{name}"));
            match fs::write(&path, bytes) {
                Ok(()) => record.path = Some(path.to_string_lossy().into_owned()),
                Err(error) => record.error = Some(format!("{}: {error}", path.display())),
            }
        }
        if let Some(error) = &record.error {
            writeln!(
                stderr,
                "error: {}: image {number} ({}): {error}",
                place(&record),
                described(&record)
            )?;
            self.failed = true;
        }
        match self.args.format {
            _ if !self.list => Ok(()),
            Format::Json => {
                // A record of strings and numbers always has a JSON form.
                let line = serde_json::to_string(&record).unwrap_or_default();
                writeln!(stdout, "{line}")
            }
            Format::Text => writeln!(stdout, "{}", row(&record)),
        }
    }
}

/// The first bytes of a file tell how it is packed, and whether it is machine code itself.
fn told(beginning: &[u8]) -> (Option<&'static str>, bool) {
    (binaries::packed(beginning), cubin::is_cubin(beginning))
}

/// The file of an image, and its member if that is an archive.
fn place(record: &Record<'_>) -> String {
    match record.member {
        Some(member) => format!("{}/{member}", record.file),
        None => record.file.to_owned(),
    }
}

fn described(record: &Record<'_>) -> String {
    let words = [&*record.kind, record.target, record.ident];
    let words: Vec<_> = words.into_iter().filter(|it| !it.is_empty()).collect();
    super::plain(&words.join(", "))
}

/// An image as a row of a table.
fn row(record: &Record<'_>) -> String {
    let size = match record.size {
        Some(size) => format!("{size} bytes"),
        None => String::new(),
    };
    let note = match (&record.error, record.recovered) {
        (Some(_), _) => "damaged",
        (None, true) => "recovered from debug information, without comments",
        (None, false) => record.ident,
    };
    let row = format!(
        "{}: {:>3}  {:<5}  {:<8}  {:>4}  {:<4}  {size:>15}  {}",
        place(record),
        record.number,
        record.kind,
        record.target,
        record.version.as_deref().unwrap_or_default(),
        record.compression,
        super::plain(note),
    );
    row.trim_end().to_owned()
}
