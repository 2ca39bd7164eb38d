//! From the arguments of `launch` to a launch of the machine.

use run::{
    Limits, Schedule,
    description::{Data, Description, Key, Prepared, Problem, Value, comments, entry_below},
};
use syntax::text::{Encoding, LineTable};

use super::{
    program::{Files, Program, folder_of},
    protocol::LaunchArguments,
};

/// The launch that the arguments describe.
pub(super) fn prepare(
    files: &dyn Files,
    program: &Program,
    arguments: &LaunchArguments,
) -> Result<Prepared, String> {
    let schedule = schedule(arguments.schedule.as_deref().unwrap_or("lowest"))?;
    let entry = arguments.entry.as_deref();
    if let Some(name) = entry
        && !entries(program).any(|it| it.1 == name)
    {
        let names: Vec<&str> = entries(program).map(|it| it.1).collect();
        return Err(match &*names {
            [] => format!("{}: there is no entry `{name}`", program.path),
            names => format!(
                "{}: there is no entry `{name}` (entries: {})",
                program.path,
                names.join(", ")
            ),
        });
    }
    let mut prepared = match &arguments.launch {
        None | Some(serde_json::Value::Null) => of_comment(files, program, entry)?,
        Some(serde_json::Value::String(path)) => of_file(files, program, path, entry)?,
        Some(object @ serde_json::Value::Object(_)) => {
            let mut value = value_of(object);
            let wrong = |it: Problem| format!("launch: {it}");
            assign_entry(&mut value, entry);
            let description = Description::read(&value).map_err(wrong)?;
            let folder = program.folder();
            make(files, program, &description, folder, None).map_err(wrong)?
        }
        Some(_) => return Err("`launch` is the path of a launch file, or an object".to_owned()),
    };
    prepared.launch.schedule = schedule;
    prepared.launch.late = arguments.late;
    Ok(prepared)
}

/// Reads `lowest`, `reverse` or `random:SEED`.
fn schedule(word: &str) -> Result<Schedule, String> {
    match word {
        "lowest" => Ok(Schedule::Lowest),
        "reverse" => Ok(Schedule::Reverse),
        _ => {
            let seed = word.strip_prefix("random:").and_then(|it| it.parse().ok());
            let message = format!(
                "`schedule` is lowest, reverse or random:SEED, where SEED is a number, not \"{word}\""
            );
            seed.map(Schedule::Random).ok_or(message)
        }
    }
}

/// The entries that can be launched, with their names.
fn entries(program: &Program) -> impl Iterator<Item = (u32, &str)> {
    let all = (0..).zip(&program.code.functions);
    all.filter(|it| it.1.entry && it.1.defined)
        .map(|it| (it.0, &*it.1.name))
}

fn assign_entry(value: &mut Value, entry: Option<&str>) {
    if let Some(name) = entry {
        Description::assign(value, "entry", &Data::Text(name.to_owned()).into());
    }
}

fn make(
    files: &dyn Files,
    program: &Program,
    description: &Description,
    folder: &str,
    entry: Option<u32>,
) -> Result<Prepared, Problem> {
    let entry = match (entry, &description.entry) {
        (Some(it), None) => it,
        _ => description.entry_of(&program.code)?,
    };
    let read = |name: &str| files.read_below(folder, name);
    description.prepare(&program.code, entry, Limits::default(), &read)
}

fn of_file(
    files: &dyn Files,
    program: &Program,
    path: &str,
    entry: Option<&str>,
) -> Result<Prepared, String> {
    let bytes = files.read(path).map_err(|it| format!("{path}: {it}"))?;
    let text = String::from_utf8(bytes).map_err(|_| format!("{path}: not a text in UTF-8"))?;
    let lines = LineTable::new(&text);
    let wrong = |it| problem(path, &lines, &it);
    let mut value = Value::parse(&text).map_err(wrong)?;
    assign_entry(&mut value, entry);
    let description = Description::read(&value).map_err(wrong)?;
    make(files, program, &description, folder_of(path), None).map_err(wrong)
}

/// The launch of the first `// run:` comment, of those above an entry if one is named.
fn of_comment(
    files: &dyn Files,
    program: &Program,
    entry: Option<&str>,
) -> Result<Prepared, String> {
    let wrong = |it| problem(&program.path, program.document.lines(), &it);
    for comment in comments(program.document.text()) {
        let value = comment.value.clone().map_err(wrong)?;
        let description = Description::read(&value).map_err(wrong)?;
        let above = entry_below(&comment, &program.entries, &program.code);
        let id = match (&description.entry, above) {
            (Some(_), _) => Some(description.entry_of(&program.code).map_err(wrong)?),
            (None, above) => above,
        };
        let name = id.map(|it| &*program.code.functions[it as usize].name);
        if id.is_none() || entry.is_some_and(|it| name != Some(it)) {
            continue;
        }
        return make(files, program, &description, program.folder(), id).map_err(wrong);
    }
    Err(format!(
        "{}: there is no launch: give `launch`, or write a `// run:` comment above the entry",
        program.path
    ))
}

/// A mistake in a description with its place.
fn problem(file: &str, lines: &LineTable, problem: &Problem) -> String {
    let offset = u32::try_from(problem.span.start).unwrap_or(u32::MAX).into();
    let place = lines.position(offset, Encoding::Utf8);
    format!(
        "{file}:{}:{}: {problem}",
        place.line + 1,
        place.character + 1
    )
}

/// A value of JSON as one of a description.
fn value_of(json: &serde_json::Value) -> Value {
    let data = match json {
        serde_json::Value::Null => Data::Text(String::new()),
        serde_json::Value::Bool(it) => Data::Bool(*it),
        serde_json::Value::Number(it) => {
            let integer = it.as_i64().map(i128::from).or(it.as_u64().map(i128::from));
            match integer {
                Some(it) => Data::Integer(it, true),
                None => Data::Float(it.as_f64().unwrap_or(f64::NAN)),
            }
        }
        serde_json::Value::String(it) => Data::Text(it.clone()),
        serde_json::Value::Array(it) => Data::List(it.iter().map(value_of).collect()),
        serde_json::Value::Object(it) => {
            let entries = it.iter().map(|(name, value)| {
                let key = Key {
                    name: name.clone(),
                    span: 0..0,
                };
                (key, value_of(value))
            });
            Data::Table(entries.collect())
        }
    };
    data.into()
}
