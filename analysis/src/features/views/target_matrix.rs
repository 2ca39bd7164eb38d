//! The errors of a file for each of several targets, as a table in which equal columns and rows are one.

use std::collections::BTreeMap;

use syntax::{TextRange, TextSize};

use crate::{Diagnostic, diagnostics::cause};

/// A file judged for a target.
#[derive(Clone, Debug)]
pub struct TargetVerdict {
    /// The target.
    pub target: String,
    /// The least `.version` that a module for it has, such as `8.7`.
    pub version: String,
    /// The errors that the file would have if its `.target` said this.
    pub errors: Vec<Diagnostic>,
}

/// A table: a column for targets with the same errors, a group of rows for causes with the same targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetMatrix {
    /// The columns, in the order of their first targets but for the one that is wanted first.
    pub columns: Vec<TargetColumn>,
    /// The rows, those of most targets first.
    pub groups: Vec<TargetGroup>,
}

/// Targets for which the same is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetColumn {
    /// The targets in few words: three or more that follow each other are a range, such as `sm_80–sm_89`.
    pub title: String,
    /// Each target with the least `.version` of a module for it.
    pub targets: Vec<(String, String)>,
    /// How many errors the file has for each of them.
    pub errors: usize,
}

/// Causes that make errors for the same targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetGroup {
    /// For each column whether these are errors there.
    pub wrong: Vec<bool>,
    /// The causes, in the order of their first places.
    pub causes: Vec<TargetCause>,
}

/// Errors that say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetCause {
    /// The code of the diagnostic.
    pub code: &'static str,
    /// The message, without the target that the file was judged for.
    pub message: String,
    /// Where it is said, in the order of the text.
    pub ranges: Vec<TextRange>,
}

/// An error apart from the target: code, message and place.
type Error<'a> = (&'static str, &'a str, TextSize, TextSize);

/// Makes the table. The column that has the target `first` comes first, if there is one.
#[must_use]
pub fn target_matrix(verdicts: &[TargetVerdict], first: Option<&str>) -> TargetMatrix {
    // The verdicts, by index, that have an error.
    let mut having: BTreeMap<Error<'_>, Vec<usize>> = BTreeMap::new();
    for (index, verdict) in verdicts.iter().enumerate() {
        for it in &verdict.errors {
            let (start, end) = (it.range.start(), it.range.end());
            let error = (it.code, cause(&it.message), start, end);
            let indices = having.entry(error).or_default();
            if indices.last() != Some(&index) {
                indices.push(index);
            }
        }
    }
    // The errors, by their number, of each verdict; those with the same errors are one column.
    let mut errors_of = vec![Vec::new(); verdicts.len()];
    for (number, indices) in having.values().enumerate() {
        for &index in indices {
            errors_of[index].push(number);
        }
    }
    let mut members: Vec<Vec<usize>> = Vec::new();
    for index in 0..verdicts.len() {
        match members
            .iter_mut()
            .find(|it| errors_of[it[0]] == errors_of[index])
        {
            Some(same) => same.push(index),
            None => members.push(vec![index]),
        }
    }
    if let Some(first) = first {
        // The sort is stable: the others stay in their order.
        members.sort_by_key(|it| !it.iter().any(|index| verdicts[*index].target == first));
    }
    let columns = members
        .iter()
        .map(|indices| TargetColumn {
            title: title(indices, verdicts),
            targets: indices
                .iter()
                .map(|&it| (verdicts[it].target.clone(), verdicts[it].version.clone()))
                .collect(),
            errors: errors_of[indices[0]].len(),
        })
        .collect();
    let mut groups: BTreeMap<Vec<bool>, Vec<TargetCause>> = BTreeMap::new();
    for ((code, message, start, end), indices) in having {
        let range = TextRange::new(start, end);
        let wrong = members.iter().map(|it| indices.contains(&it[0])).collect();
        let causes = groups.entry(wrong).or_default();
        // The errors are sorted, so those that say the same or nearly so follow each other.
        let joined = causes.last().filter(|it| it.code == code);
        match joined.and_then(|it| joint(&it.message, message)) {
            Some(joint) => {
                let last = causes.last_mut().expect("there is one to join with");
                last.message = joint;
                last.ranges.push(range);
            }
            None => causes.push(TargetCause {
                code,
                message: message.to_owned(),
                ranges: vec![range],
            }),
        }
    }
    let place = |cause: &TargetCause| cause.ranges.first().map(|it| it.start());
    let mut groups: Vec<TargetGroup> = groups
        .into_iter()
        .map(|(wrong, mut causes)| {
            for it in &mut causes {
                it.ranges.sort_by_key(|it| it.start());
            }
            causes.sort_by_key(place);
            TargetGroup { wrong, causes }
        })
        .collect();
    groups.sort_by_key(|it| {
        let right = it.wrong.iter().filter(|it| !**it).count();
        (right, it.causes.first().and_then(place))
    });
    TargetMatrix { columns, groups }
}

/// Ends a message about several forms of an instruction, such as `` `mma.sync.…` ``.
const FORMS: &str = ".…";

/// A message that says what two messages say, if they say the same of forms of one instruction.
fn joint(first: &str, second: &str) -> Option<String> {
    if first == second {
        return Some(first.to_owned());
    }
    let parts = |message: &'_ str| -> Option<(Vec<String>, String)> {
        let (form, rest) = message.strip_prefix('`')?.split_once('`')?;
        let form = form.strip_suffix(FORMS).unwrap_or(form);
        Some((
            form.split('.').map(str::to_owned).collect(),
            rest.to_owned(),
        ))
    };
    let ((one, rest), (other, same)) = (parts(first)?, parts(second)?);
    let common = one.iter().zip(&other).take_while(|it| it.0 == it.1);
    let words: Vec<&str> = common.map(|it| it.0.as_str()).collect();
    let is_named = words.first().is_some_and(|it| !it.is_empty());
    (rest == same && is_named).then(|| format!("`{}{FORMS}`{rest}", words.join(".")))
}

/// The targets of a column, given by their indices.
fn title(indices: &[usize], verdicts: &[TargetVerdict]) -> String {
    let name = |index: usize| verdicts[index].target.as_str();
    let runs = indices.chunk_by(|first, second| first + 1 == *second);
    let texts: Vec<String> = runs
        .map(|run| match run {
            [first, _, .., last] => format!("{}–{}", name(*first), name(*last)),
            _ => run
                .iter()
                .map(|&it| name(it))
                .collect::<Vec<_>>()
                .join(", "),
        })
        .collect();
    texts.join(", ")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;
    use crate::Severity;

    fn verdict(target: &str, errors: &[(u32, &str)]) -> TargetVerdict {
        let errors = errors.iter().map(|&(at, message)| Diagnostic {
            range: TextRange::empty(at.into()),
            severity: Severity::Error,
            code: "code",
            message: message.to_owned(),
            help: None,
            related: Vec::new(),
            tags: Vec::new(),
            fixes: Vec::new(),
        });
        TargetVerdict {
            target: target.to_owned(),
            version: "1.0".to_owned(),
            errors: errors.collect(),
        }
    }

    #[test]
    fn equal_columns_and_rows_are_one() {
        let old = |target: &str| {
            let form = |words: &str| {
                format!("`st{words}` needs target `sm_3`; this module is for `{target}`")
            };
            let (small, large) = (form(".a.x1"), form(".a.x2.b32"));
            let new = format!("`new` needs target `sm_3`; this module is for `{target}`");
            let all = [
                (1, "wrong"),
                (5, &*new),
                (9, &*new),
                (7, "other"),
                (8, &*small),
                (6, &*large),
            ];
            verdict(target, &all)
        };
        let verdicts = [
            old("sm_1"),
            old("sm_2"),
            old("sm_2a"),
            verdict("sm_3", &[(1, "wrong")]),
            old("sm_4"),
        ];
        let matrix = target_matrix(&verdicts, None);
        let own_first = target_matrix(&verdicts, Some("sm_3"));
        assert_eq!(own_first.columns[0], matrix.columns[1]);
        assert_eq!(own_first.groups[1].wrong, [false, true]);
        let mut shown = String::new();
        for it in &matrix.columns {
            shown += &format!("{}: {} errors\n", it.title, it.errors);
        }
        for group in &matrix.groups {
            for it in &group.causes {
                let places: Vec<u32> = it.ranges.iter().map(|it| it.start().into()).collect();
                shown += &format!("{:?} {} {places:?}\n", group.wrong, it.message);
            }
        }
        expect![[r#"
            sm_1–sm_2a, sm_4: 6 errors
            sm_3: 1 errors
            [true, true] wrong [1]
            [true, false] `new` needs target `sm_3` [5, 9]
            [true, false] `st.a.…` needs target `sm_3` [6, 8]
            [true, false] other [7]
        "#]]
        .assert_eq(&shown);
    }
}
