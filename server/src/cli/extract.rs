//! `ptx-analyzer extract`: the PTX of binaries.

mod asm;

use std::{
    fs::{self, File},
    io::{self, Cursor, Seek as _, Write as _},
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use machine::{cubin, fatbin::Kind};
use serde::Serialize;
use syntax::host::Language;

use super::{FAILED, Io};
use crate::{
    binaries::{self, Content, ContentKind},
    cli::report::STDIN,
    files::{decode, is_ptx, open},
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
    /// Replace files of the folder that have these names.
    #[arg(long, requires = "output_dir")]
    force: bool,
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
    format: ExtractFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ExtractFormat {
    /// A table.
    #[default]
    Text,
    /// One JSON object per image and line.
    Json,
}

/// An image as JSON.
#[derive(Serialize)]
struct ImageRecord<'a> {
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
        io.error(format_args!("{}: {error}", folder.display()))?;
        return Ok(FAILED);
    }
    if args.asm {
        return asm::run(args, io);
    }
    let mut job = Extraction {
        args,
        list: args.list || args.output_dir.is_none(),
        names: Vec::new(),
        found: 0,
        failed: false,
    };
    for path in &args.files {
        let result = job.file(path, io);
        // Whoever closed the pipe wants no more.
        if let Err(error) = result {
            if error.kind() == io::ErrorKind::BrokenPipe {
                return Err(error);
            }
            io.error(format_args!("{}: {error}", path.display()))?;
            job.failed = true;
        }
    }
    Ok(match (job.failed, job.found) {
        (true, _) => FAILED,
        (false, 0) => 1,
        (false, _) => 0,
    })
}

/// Writes a new file; one that exists is replaced only if that is asked for, and a link is never followed.
fn write_new(path: &Path, bytes: &[u8], force: bool) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {error}", path.display());
    let exists = path.symlink_metadata().is_ok();
    if exists && !force {
        return Err(format!(
            "{}: the file exists; --force replaces it",
            path.display()
        ));
    }
    if exists {
        fs::remove_file(path).map_err(failed)?;
    }
    let mut file = File::create_new(path).map_err(failed)?;
    file.write_all(bytes).map_err(failed)
}

struct Extraction<'a> {
    args: &'a ExtractArgs,
    list: bool,
    /// The names that files of the output begin with; those of several inputs may be equal.
    names: Vec<String>,
    /// How many images and texts there were.
    found: usize,
    failed: bool,
}

impl Extraction<'_> {
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
        let before = (self.found, self.failed);
        let beginning = if path == Path::new("-") {
            let mut bytes = Vec::new();
            io.stdin.read_to_end(&mut bytes)?;
            let visit = |content: Content| self.image(&name, &stem, content, io);
            binaries::visit(Cursor::new(&bytes), wanted, visit)?;
            bytes
        } else {
            let mut file = open(path)?;
            let beginning = binaries::beginning(&mut file)?;
            file.rewind()?;
            let visit = |content: Content| self.image(&name, &stem, content, io);
            binaries::visit(file, wanted, visit)?;
            beginning
        };
        if before == (self.found, self.failed) {
            return nothing(&name, path, beginning, io);
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
        io: &mut Io<'_>,
    ) -> io::Result<()> {
        let Content {
            number,
            member,
            what,
        } = content;
        let (target, compression) = (what.target(), what.compression());
        let mut record = ImageRecord {
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
        let mut is_plain = false;
        let bytes = match &what {
            ContentKind::Image(image, bytes) => {
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
            ContentKind::Recovered(text) => {
                record.recovered = true;
                Some(text.as_bytes())
            }
            ContentKind::Plain(offset, text) => {
                record.version = text.strip_prefix(".version").and_then(version);
                record.offset = Some(*offset);
                is_plain = true;
                Some(text.as_bytes())
            }
            ContentKind::Torn(torn) => {
                record.kind = "torn".to_owned();
                record.offset = Some(torn.offset);
                record.error = Some(torn.to_string());
                None
            }
            ContentKind::Packed(error) => {
                record.kind = "packed".to_owned();
                record.error = Some(error.clone());
                None
            }
            ContentKind::More(count) => {
                self.failed = true;
                return io.error(format_args!("{file}: {}", binaries::more(*count)));
            }
        };
        self.found += 1;
        record.size = bytes.map(<[u8]>::len);
        if let (Some(folder), Some(bytes)) = (&self.args.output_dir, bytes) {
            let extension = if record.kind == "cubin" {
                "cubin"
            } else {
                "ptx"
            };
            let name = binaries::file_name(number, &target, extension);
            let path = folder.join(format!("{stem}.{name}"));
            match write_new(&path, bytes, self.args.force) {
                Ok(()) => record.path = Some(path.to_string_lossy().into_owned()),
                Err(error) => record.error = Some(error),
            }
        }
        if let Some(error) = &record.error {
            let place = place(&record);
            io.error(format_args!(
                "{place}: image {number} ({}): {error}",
                described(&record)
            ))?;
            self.failed = true;
        }
        match self.args.format {
            _ if !self.list => Ok(()),
            ExtractFormat::Json => {
                // A record of strings and numbers always has a JSON form.
                let line = serde_json::to_string(&record).unwrap_or_default();
                writeln!(io.stdout, "{line}")
            }
            ExtractFormat::Text => io.line(row(&record, is_plain)),
        }
    }
}

/// Says why there is nothing in a file.
fn nothing(name: &str, path: &Path, beginning: Vec<u8>, io: &mut Io<'_>) -> io::Result<()> {
    if let Some(format) = binaries::packed(&beginning) {
        let message = format!("it is packed with {format}: unpack it first");
        return Err(io::Error::other(message));
    }
    if cubin::is_cubin(&beginning) {
        return io.warning(format_args!(
            "{name}: a cubin without PTX; `ptx-analyzer sass` shows its machine code"
        ));
    }
    let is_text = !binaries::is_binary(&beginning);
    let text = decode(beginning).0;
    if is_text && (is_ptx(path) || text.contains(".version")) {
        return io.warning(format_args!("{name}: it is PTX text already"));
    }
    if is_text && Language::of_path(path).is_some() {
        return io.warning(format_args!(
            "{name}: it is source code; --asm extracts the PTX in its strings"
        ));
    }
    io.warning(format_args!("{name}: no PTX and no machine code inside"))
}

/// The number that a `.version` directive begins with.
fn version(text: &str) -> Option<String> {
    let number = text.split_whitespace().next()?;
    let is_number = number.bytes().all(|it| it.is_ascii_digit() || it == b'.');
    is_number.then(|| number.to_owned())
}

/// The file of an image, and its member if that is an archive.
fn place(record: &ImageRecord<'_>) -> String {
    match record.member {
        Some(member) => format!("{}/{member}", record.file),
        None => record.file.to_owned(),
    }
}

fn described(record: &ImageRecord<'_>) -> String {
    let words = [&*record.kind, record.target, record.ident];
    let words: Vec<_> = words.into_iter().filter(|it| !it.is_empty()).collect();
    words.join(", ")
}

/// An image as a row of a table.
fn row(record: &ImageRecord<'_>, is_plain: bool) -> String {
    let size = match record.size {
        Some(size) => format!("{size} bytes"),
        None => String::new(),
    };
    let note = match (&record.error, record.recovered) {
        (Some(_), _) => "damaged",
        (None, true) => "recovered from debug information, without comments",
        (None, false) if is_plain => "kept as plain text",
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
        note,
    );
    row.trim_end().to_owned()
}
