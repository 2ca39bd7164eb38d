//! The PTX in the strings of other languages, as modules.

use std::{io, path::Path};

use analysis::FragmentView;
use serde::Serialize;
use syntax::text::{Encoding, LineTable};

use super::{ExtractArgs, ExtractFormat, write_new};
use crate::{
    cli::{FAILED, Io, check::inputs, format, hosted::Hosted, plain, report::Place},
    compile_commands::CompileCommands,
};

/// A fragment as JSON. Lines and columns are those of the file, from 1; columns count bytes.
#[derive(Serialize)]
struct FragmentRecord<'a> {
    file: &'a str,
    #[serde(flatten)]
    place: &'a Place,
    target: &'a str,
    operands: Vec<Operand>,
    /// The module.
    ptx: &'a str,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
}

/// An operand as JSON.
#[derive(Serialize)]
struct Operand {
    placeholder: String,
    constraint: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    register: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<String>,
}

/// Prints or writes the fragments of files.
pub(super) fn run(args: &ExtractArgs, io: &mut Io<'_>) -> io::Result<u8> {
    let (paths, failures) = inputs(&args.files, true, io)?;
    let mut status = 0;
    for failure in failures {
        io.error(&failure)?;
        status = FAILED;
    }
    let commands = CompileCommands::default();
    let mut is_empty = true;
    for path in paths {
        let hosted = match Hosted::read(&path, args.target.as_deref(), &commands, io) {
            Ok(hosted) => hosted,
            Err(error) => {
                io.error(&error)?;
                status = FAILED;
                continue;
            }
        };
        let lines = LineTable::new(&hosted.text);
        for view in hosted.views() {
            is_empty = false;
            if let Err(error) = one(args, &path, &lines, &view, io)? {
                io.error(&error)?;
                status = FAILED;
            }
        }
    }
    if is_empty && status == 0 {
        io.warning("no PTX found in strings")?;
        status = 1;
    }
    Ok(status)
}

fn one(
    args: &ExtractArgs,
    path: &Path,
    lines: &LineTable,
    view: &FragmentView<'_>,
    io: &mut Io<'_>,
) -> io::Result<Result<(), String>> {
    let Some(range) = view.to_host(view.template()) else {
        return Ok(Ok(()));
    };
    let place = Place::new(range, lines, Encoding::Utf8);
    let target = view.target();
    let module = format::of_text(&view.module);
    let written = match &args.output_dir {
        Some(folder) => {
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            // Two statements on a line have different columns.
            let name = format!("{stem}.{}.{}.{target}.ptx", place.line, place.column);
            let to = folder.join(name);
            if let Err(error) = write_new(&to, module.as_bytes(), args.force) {
                return Ok(Err(error));
            }
            Some(to.display().to_string())
        }
        None => None,
    };
    let name = path.to_string_lossy();
    if args.format == ExtractFormat::Json {
        let operands = view.operands().map(|it| Operand {
            placeholder: it.placeholder,
            constraint: it.constraint,
            register: it.register,
            expression: it.expression.map(|it| it.0),
        });
        let record = FragmentRecord {
            file: &name,
            place: &place,
            target: &target,
            operands: operands.collect(),
            ptx: &module,
            path: written,
        };
        let record = serde_json::to_string(&record).map_err(io::Error::other)?;
        writeln!(io.stdout, "{record}")?;
        return Ok(Ok(()));
    }
    let name = plain(&name);
    match written {
        Some(to) => io.line(to)?,
        None => {
            writeln!(io.stdout, "// {name}:{}:{}", place.line, place.column)?;
            for operand in view.operands() {
                let expression = operand.expression.map_or_else(String::new, |it| it.0);
                writeln!(
                    io.stdout,
                    "// {} \"{}\" {}",
                    operand.placeholder,
                    plain(&operand.constraint),
                    plain(&expression)
                )?;
            }
            for line in module.split('\n') {
                io.line(line)?;
            }
        }
    }
    Ok(Ok(()))
}
