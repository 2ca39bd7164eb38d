//! `ptx-analyzer diff`: what differs between two builds, apart from names.

mod inputs;
mod show;

use std::{io, path::PathBuf};

use analysis::{AnalysisHost, ChangeKind, Comparable, Comparison, FileId, FunctionChange, compare};
use clap::ValueEnum;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use syntax::Document;

use super::{
    FAILED, Io,
    registers::exact::{Exact, ExactArgs, Ptxas},
    report,
};
use crate::binaries::Text;

const FILE: FileId = FileId(0);

#[derive(Debug, clap::Args)]
pub(super) struct DiffArgs {
    /// A file, a folder that is searched for *.ptx, or a binary that carries PTX.
    #[arg(value_name = "OLD")]
    old: PathBuf,
    /// The same for the other build.
    #[arg(value_name = "NEW")]
    new: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: DiffFormat,
    /// End with status 1 only if something changed, which is the default, or only if a function that both
    /// sides have needs more registers: by an estimate, or as ptxas says with --exact.
    #[arg(long, value_enum, default_value_t)]
    fail_on: FailOn,
    #[command(flatten)]
    exact: ExactArgs,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum DiffFormat {
    /// Text.
    #[default]
    Text,
    /// One JSON object per function and line.
    Json,
    /// One SARIF 2.1.0 document, with a result for each function that changed.
    Sarif,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Something differs.
    #[default]
    Changed,
    /// A function needs more registers.
    Registers,
}

/// A text and what is known of it.
struct Side {
    name: String,
    document: Document,
    comparable: Comparable,
    figures: FxHashMap<String, Figures>,
    /// The remark about it.
    remarks: Vec<Result<String, String>>,
}

/// The needs of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Figures {
    registers: u32,
    /// Figures of `ptxas`, not estimates.
    exact: Option<Exact>,
}

/// Two texts that belong together, and what differs.
struct Pair {
    old: Side,
    new: Side,
    comparison: Comparison,
}

impl Pair {
    fn new(old: Side, new: Side) -> Pair {
        let comparison = compare(&old.comparable, &new.comparable);
        Pair {
            old,
            new,
            comparison,
        }
    }

    /// The needs of an entry before and after.
    fn figures(&self, change: &FunctionChange) -> (Option<Figures>, Option<Figures>) {
        let old = change
            .old
            .as_ref()
            .and_then(|it| self.old.figures.get(&*it.name));
        let new = change
            .new
            .as_ref()
            .and_then(|it| self.new.figures.get(&*it.name));
        (old.copied(), new.copied())
    }

    /// Whether an entry needs more registers than before.
    fn has_grown(&self, change: &FunctionChange) -> bool {
        match self.figures(change) {
            (Some(old), Some(new)) => old.registers < new.registers,
            _ => false,
        }
    }
}

pub(super) fn run(args: &DiffArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let ptxas = match Ptxas::for_arguments(&args.exact) {
        Ok(ptxas) => ptxas,
        Err(error) => {
            io.error(&error)?;
            return Ok(FAILED);
        }
    };
    let inputs::Inputs {
        pairs,
        alone,
        mut failures,
    } = inputs::inputs(&args.old, &args.new, io)?;
    let (mut differ, mut grown) = (!alone.is_empty(), false);
    let mut results = Vec::new();
    for (is_new, text) in &alone {
        match args.format {
            DiffFormat::Text => show::alone(*is_new, text, io)?,
            DiffFormat::Json => {
                let change = if *is_new { "added" } else { "removed" };
                writeln!(
                    io.stdout,
                    "{}",
                    json!({ "file": text.name, "change": change })
                )?;
            }
            DiffFormat::Sarif => {}
        }
    }
    for (old, new) in pairs {
        let with_registers = args.fail_on == FailOn::Registers;
        let read = |text: Text| side(text, with_registers, ptxas.as_ref());
        let (old, new) = rayon::join(|| read(old), || read(new));
        let (old, new) = match (old, new) {
            (Ok(old), Ok(new)) => (old, new),
            (old, new) => {
                failures.extend(old.err());
                failures.extend(new.err());
                continue;
            }
        };
        let pair = Pair::new(old, new);
        for remark in pair.old.remarks.iter().chain(&pair.new.remarks) {
            match remark {
                Ok(remark) => io.note(remark)?,
                Err(failure) => failures.push(failure.clone()),
            }
        }
        let functions = &pair.comparison.functions;
        differ |= !pair.comparison.is_same();
        grown |= functions.iter().any(|it| pair.has_grown(it));
        match args.format {
            DiffFormat::Text => io.stdout.write_all(show::text(&pair).as_bytes())?,
            DiffFormat::Json => {
                for change in functions {
                    writeln!(io.stdout, "{}", show::json(&pair, change))?;
                }
                for change in &pair.comparison.variables {
                    let record = json!({ "variable": change.name, "change": change.kind.word() });
                    writeln!(io.stdout, "{record}")?;
                }
            }
            DiffFormat::Sarif => results.extend(show::sarif(&pair)),
        }
    }
    if matches!(args.format, DiffFormat::Sarif) {
        let document = report::sarif_document(&show::rules(), &results, &failures);
        io.stdout.write_all(document.as_bytes())?;
    }
    for failure in &failures {
        io.error(failure)?;
    }
    let fails = match args.fail_on {
        FailOn::Changed => differ,
        FailOn::Registers => grown,
    };
    Ok(match (failures.is_empty(), fails) {
        (false, _) => FAILED,
        (true, fails) => u8::from(fails),
    })
}

/// The differences between two texts: whether they are the same, the text for people with estimates of registers, and
/// an object for each function that is not the same.
///
/// # Errors
/// A text is too long.
pub(super) fn differences(old: Text, new: Text) -> Result<(bool, String, Vec<Value>), String> {
    let pair = Pair::new(side(old, true, None)?, side(new, true, None)?);
    let functions = pair.comparison.functions.iter();
    let told = functions.filter(|it| is_reported(it.kind));
    Ok((
        pair.comparison.is_same(),
        show::text(&pair),
        told.map(|it| show::json(&pair, it)).collect(),
    ))
}

/// Reads a text, and asks what its entries need if that is wanted.
fn side(text: Text, with_registers: bool, ptxas: Option<&Ptxas>) -> Result<Side, String> {
    let Text { name, text, .. } = text;
    if text.len() > syntax::text::MAX_LEN {
        return Err(format!("{name}: the file is too long"));
    }
    let document = Document::new(text);
    let host = AnalysisHost::with_file(FILE, document.contents(), None);
    let analysis = host.analysis();
    // Nobody cancels the questions of this host.
    let comparable = analysis.comparable(FILE).unwrap_or_default();
    let (mut figures, mut remarks) = (FxHashMap::default(), Vec::new());
    if let Some(ptxas) = ptxas {
        let own = analysis.target(FILE).ok().flatten().unwrap_or_default();
        match ptxas.ask(&name, document.text(), &own, None) {
            Ok((entries, remark)) => {
                remarks.extend(remark.map(Ok));
                for entry in entries {
                    let exact = Exact::from(&entry);
                    let registers = exact.registers;
                    figures.insert(
                        entry.name,
                        Figures {
                            registers,
                            exact: Some(exact),
                        },
                    );
                }
            }
            Err(failure) => remarks.push(Err(failure)),
        }
    } else if with_registers {
        for entry in analysis.registers(FILE, None).unwrap_or_default() {
            let registers = entry.estimate;
            figures.insert(
                entry.name,
                Figures {
                    registers,
                    exact: None,
                },
            );
        }
    }
    Ok(Side {
        name,
        document,
        comparable,
        figures,
        remarks,
    })
}

/// Whether a change is worth a line.
fn is_reported(kind: ChangeKind) -> bool {
    kind != ChangeKind::Same
}
