//! Values that the command line puts in the place of those of a description: `n=8`, `n=1,7,64`, `n=1..300`.

use run::description::{Data, Description, Value};

/// The most combinations of values.
const MAX_COMBINATIONS: usize = 100_000;

/// The values of a name, as an argument of the command line.
#[derive(Clone, Debug)]
pub(in crate::cli) struct SetArg {
    name: String,
    values: Vec<Value>,
}

/// A value that replaces one of a description.
#[derive(Clone, Debug)]
pub(in crate::cli) struct Setting {
    name: String,
    value: Value,
    /// Whether there are runs with other values.
    varies: bool,
}

/// Reads `n=8`, several values with commas between them, or a range of integers with both ends.
pub(in crate::cli) fn set_arg(text: &str) -> Result<SetArg, String> {
    let (name, text) = text.split_once('=').ok_or("this has the form NAME=VALUE")?;
    let (name, text) = (name.trim().to_owned(), text.trim());
    let integer = |text: &str| match Value::parse_word(text).data {
        Data::Integer(value, _) => Some(value),
        _ => None,
    };
    if let Some((first, last)) = text.split_once("..")
        && let (Some(first), Some(last)) = (integer(first), integer(last))
    {
        if last < first || last - first >= MAX_COMBINATIONS as i128 {
            return Err(format!("a range has from 1 to {MAX_COMBINATIONS} values"));
        }
        let values = (first..=last).map(|it| Value::from(Data::Integer(it, true)));
        return Ok(SetArg {
            name,
            values: values.collect(),
        });
    }
    let value = Value::parse_word(text);
    let values = match value.data {
        Data::Text(ref word) if word == text && text.contains(',') => text
            .split(',')
            .map(|it| Value::parse_word(it.trim()))
            .collect(),
        _ => vec![value],
    };
    Ok(SetArg { name, values })
}

/// All combinations of the values; the values of the last name change first.
///
/// # Errors
/// There are too many.
pub(in crate::cli) fn combinations(args: &[SetArg]) -> Result<Vec<Vec<Setting>>, String> {
    let count = args
        .iter()
        .try_fold(1_usize, |count, it| count.checked_mul(it.values.len()));
    if count.is_none_or(|it| it > MAX_COMBINATIONS) {
        return Err(format!(
            "there are more than {MAX_COMBINATIONS} combinations of values"
        ));
    }
    let mut all = vec![Vec::new()];
    for arg in args {
        let with = move |settings: Vec<Setting>| {
            arg.values.iter().map(move |value| {
                let mut settings = settings.clone();
                settings.push(Setting {
                    name: arg.name.clone(),
                    value: value.clone(),
                    varies: arg.values.len() > 1,
                });
                settings
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    Ok(all)
}

/// Replaces values of a description; returns the first name that it does not have.
pub(super) fn set<'a>(value: &mut Value, settings: &'a [Setting]) -> Option<&'a str> {
    let mut unknown = None;
    for it in settings {
        if !Description::assign(value, &it.name, &it.value) {
            unknown = unknown.or(Some(&*it.name));
        }
    }
    unknown
}

/// The values that tell a run from others, for its name: ` (n=7)`.
pub(super) fn suffix(settings: &[Setting]) -> String {
    let varying = settings.iter().filter(|it| it.varies);
    let parts: Vec<String> = varying
        .map(|it| format!("{}={}", it.name, shown(&it.value)))
        .collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(" ({})", parts.join(", ")),
    }
}

fn shown(value: &Value) -> String {
    match &value.data {
        Data::Integer(it, _) => it.to_string(),
        Data::Float(it) => it.to_string(),
        Data::Text(it) => it.clone(),
        Data::Bool(it) => it.to_string(),
        Data::FloatBits(_, bits) => format!("{bits:#x}"),
        Data::List(list) => {
            let parts: Vec<String> = list.iter().map(shown).collect();
            format!("[{}]", parts.join(", "))
        }
        Data::Table(_) => "{…}".to_owned(),
    }
}
