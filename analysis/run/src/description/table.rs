//! Tables whose keys are known.

use std::ops::Range;

use super::{
    problem::{Problem, not_allowed},
    value::{Data, Key, Value},
};

/// A table of a description with the keys that lead to it.
pub(super) struct Table<'a> {
    /// The keys around it with a period after each, such as `args.x.`.
    path: String,
    entries: &'a [(Key, Value)],
    pub(super) span: Range<usize>,
}

impl<'a> Table<'a> {
    /// The table that a value is.
    pub(super) fn new(value: &'a Value, path: &str) -> Result<Table<'a>, Problem> {
        match &value.data {
            Data::Table(entries) => Ok(Table {
                path: match path {
                    "" => String::new(),
                    _ => format!("{path}."),
                },
                entries,
                span: value.span.clone(),
            }),
            _ => Err(Problem::new(
                value.span.clone(),
                path,
                format!("expected a table, found {}", value.kind()),
            )),
        }
    }

    /// The table of a key; an empty one if there is none.
    pub(super) fn table(&self, key: &str) -> Result<Table<'a>, Problem> {
        match self.get(key) {
            Some(value) => Table::new(value, &self.path(key)),
            None => Ok(Table {
                path: format!("{}{key}.", self.path),
                entries: &[],
                span: self.span.clone(),
            }),
        }
    }

    pub(super) fn entries(&self) -> &'a [(Key, Value)] {
        self.entries
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        let found = self.entries.iter().find(|it| it.0.name == key);
        found.map(|it| &it.1)
    }

    /// A key with those around it.
    pub(super) fn path(&self, key: &str) -> String {
        format!("{}{key}", self.path)
    }

    /// A mistake in the value of a key, or in the table if it lacks the key.
    pub(super) fn problem(&self, key: &str, message: impl Into<String>) -> Problem {
        let span = self.get(key).map_or(&self.span, |it| &it.span);
        Problem::new(span.clone(), self.path(key), message)
    }

    /// A mistake in the table itself.
    pub(super) fn itself(&self, message: impl Into<String>) -> Problem {
        let path = self.path.trim_end_matches('.');
        Problem::new(self.span.clone(), path, message)
    }

    /// Nothing, if all keys are among these.
    pub(super) fn only(&self, allowed: &[&str]) -> Result<(), Problem> {
        for (key, _) in self.entries {
            if !allowed.contains(&&*key.name) {
                let message = not_allowed("key", &key.name, allowed);
                return Err(Problem::new(
                    key.span.clone(),
                    self.path(&key.name),
                    message,
                ));
            }
        }
        Ok(())
    }

    /// The key of these that is there.
    pub(super) fn one_of(&self, keys: &[&'static str]) -> Result<&'static str, Problem> {
        let mut found = keys.iter().filter(|it| self.get(it).is_some());
        match (found.next(), found.next()) {
            (Some(one), None) => Ok(one),
            (Some(one), Some(other)) => {
                Err(self.problem(other, format!("`{other}` and `{one}` exclude each other")))
            }
            (None, _) => Err(self.itself(format!("expected one of {}", keys.join(", ")))),
        }
    }

    /// The string of a key.
    pub(super) fn text(&self, key: &str) -> Result<Option<&'a str>, Problem> {
        match self.get(key).map(|it| (&it.data, it)) {
            None => Ok(None),
            Some((Data::Text(text), _)) => Ok(Some(text)),
            Some((_, it)) => {
                Err(self.problem(key, format!("expected a string, found {}", it.kind())))
            }
        }
    }

    /// The number of a key.
    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, Problem> {
        match self.get(key).map(|it| (&it.data, it)) {
            None => Ok(None),
            Some((Data::Float(it), _)) => Ok(Some(*it)),
            Some((Data::Integer(it, _), _)) => Ok(Some(*it as f64)),
            Some((_, it)) => {
                Err(self.problem(key, format!("expected a number, found {}", it.kind())))
            }
        }
    }

    /// The list of a key; a single value is a list of itself.
    pub(super) fn list(&self, key: &str) -> Option<&'a [Value]> {
        let value = self.get(key)?;
        Some(match &value.data {
            Data::List(list) => list,
            _ => std::slice::from_ref(value),
        })
    }
}
