//! `ptx-analyzer targets`: which targets a file fits, and what is wrong for the others.

use std::{io, path::PathBuf};

use analysis::{AnalysisHost, FileId};
use clap::ValueEnum;
use serde_json::json;
use session::{draw::matrix, targets};
use syntax::Document;

use super::{FAILED, Io, text_or_error};

const FILE: FileId = FileId(0);

#[derive(Debug, clap::Args)]
pub(super) struct TargetsArgs {
    /// A file, or - for standard input.
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Compare these targets, such as sm_80,sm_90a, instead of that of the file and those of hardware of today.
    #[arg(long, value_name = "TARGETS", value_delimiter = ',', value_parser = super::check::target)]
    target: Vec<String>,
    /// Output format.
    #[arg(long, value_enum, default_value_t)]
    format: TargetsFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, ValueEnum)]
enum TargetsFormat {
    /// A table.
    #[default]
    Text,
    /// The table as JSON, with lines and columns counted from 1.
    Json,
}

pub(super) fn run(args: &TargetsArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let Some(text) = text_or_error(&args.path, io)? else {
        return Ok(FAILED);
    };
    let contents = Document::new(text).contents();
    let lines = contents.lines.clone();
    let judge = |target: Option<&str>| {
        AnalysisHost::with_file(FILE, contents.clone(), target.map(targets::settings))
    };
    // Nobody cancels the questions of these hosts.
    let own = judge(None).analysis().target(FILE).unwrap_or_default();
    let compared = targets::compare(&args.target, own.as_deref(), |target| {
        let found = judge(Some(target)).analysis().diagnostics(FILE);
        Ok::<_, String>(found.unwrap_or_default())
    });
    let compared = match compared {
        Ok(compared) => compared,
        Err(error) => {
            io.error(&error)?;
            return Ok(FAILED);
        }
    };
    match args.format {
        TargetsFormat::Text => {
            for line in matrix::text(&compared, &lines).lines() {
                io.line(line)?;
            }
        }
        TargetsFormat::Json => {
            let columns = compared.columns.iter().map(|it| {
                let targets = it.targets.iter();
                let targets =
                    targets.map(|(name, version)| json!({ "target": name, "version": version }));
                json!({ "title": it.title, "targets": targets.collect::<Vec<_>>(), "errors": it.errors })
            });
            let groups = compared.groups.iter().map(|group| {
                let causes = group.causes.iter().map(|it| {
                    let places = it.ranges.iter().map(|it| {
                        let at = lines.position(it.start(), syntax::text::Encoding::Utf32);
                        json!({ "line": at.line + 1, "column": at.character + 1 })
                    });
                    let places: Vec<_> = places.collect();
                    json!({ "code": it.code, "message": it.message, "places": places })
                });
                json!({ "wrong": group.wrong, "causes": causes.collect::<Vec<_>>() })
            });
            let all = json!({ "columns": columns.collect::<Vec<_>>(), "groups": groups.collect::<Vec<_>>() });
            writeln!(io.stdout, "{all}")?;
        }
    }
    Ok(0)
}
