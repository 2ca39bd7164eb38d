//! The rooms of the house: the table in `ARCHITECTURE.md`, held against crates, folders and imports.
//!
//! A room is a crate, or a folder of its sources together with the file of that name. A crate may use the crates that
//! its row names; a folder may use the files and folders of its crate that its row names. The files next to the folders
//! have no row: they may use every room, and [circles](crate::imports::Imports::circles) are forbidden anyway.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use regex_lite::Regex;
use serde_json::Value;

use crate::{imports::Imports, workspace::top};

/// The folders whose folders are rooms, each with the sources of its crate.
pub const SOURCES: [(&str, &str); 6] = [
    ("syntax/src", "syntax/src"),
    ("analysis/isa/src", "analysis/isa/src"),
    ("analysis/src", "analysis/src"),
    ("analysis/src", "analysis/src/features"),
    ("server/session/src", "server/session/src"),
    ("server/src", "server/src"),
];

/// The table: the path of each room, and the names in its last column.
pub type Table = BTreeMap<String, BTreeSet<String>>;

/// Reads the table, which begins with the row `room | what it is | may use`.
///
/// # Panics
/// The text has no such table, or a row has not three cells.
pub fn table(text: &str) -> Table {
    let name = Regex::new("`([^`]+)`").expect("a regular expression");
    let mut rows = text
        .lines()
        .skip_while(|it| !it.starts_with("| room | what it is | may use |"));
    rows.next().expect("a table of rooms");
    let rows = rows.skip(1).take_while(|it| it.starts_with('|'));
    let read = |row: &str| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').collect();
        let [room, _, used] = cells[..] else {
            panic!("three cells: {row}");
        };
        let names = |cell: &str| {
            let found = name.captures_iter(cell);
            found.map(|it| it[1].to_owned()).collect::<Vec<_>>()
        };
        let mut room = names(room);
        assert!(room.len() == 1, "one room: {row}");
        (room.remove(0), names(used).into_iter().collect())
    };
    rows.map(read).collect()
}

/// The disagreements of the table with the packages of the workspace and with the imports of their files.
///
/// # Panics
/// A file cannot be read.
pub fn disagreements(table: &Table, packages: &[Value]) -> Vec<String> {
    let mut found = Vec::new();
    let mut rooms = crates(table, packages, &mut found);
    for (sources, folder) in SOURCES {
        let imports = Imports::from_crate(&top().join(sources).join("lib.rs"));
        let imports = imports.expect("files that can be read");
        rooms.extend(folders(table, folder, &imports, &mut found));
    }
    let unknown = table.keys().filter(|it| !rooms.contains(*it));
    found.extend(unknown.map(|it| format!("`{it}` has a row and is not a room")));
    found
}

/// Checks the dependencies between crates, and returns the folders of these.
fn crates(table: &Table, packages: &[Value], found: &mut Vec<String>) -> BTreeSet<String> {
    let folder = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let folder = manifest.parent().and_then(|it| it.strip_prefix(top()).ok());
        let folder = folder.expect("a package in the repository");
        folder.to_string_lossy().replace('\\', "/")
    };
    let by_name: BTreeMap<&str, String> = packages
        .iter()
        .map(|it| (it["name"].as_str().expect("a name"), folder(it)))
        .collect();
    for package in packages {
        let room = folder(package);
        let Some(allowed) = table.get(&room) else {
            found.push(format!("the crate `{room}` has no row"));
            continue;
        };
        for dependency in package["dependencies"].as_array().expect("a list") {
            let other = by_name.get(dependency["name"].as_str().expect("a name"));
            // Dependencies of tests do not count.
            if let Some(other) = other.filter(|_| dependency["kind"] != "dev")
                && !allowed.contains(other)
            {
                found.push(format!("`{room}` uses `{other}`"));
            }
        }
    }
    by_name.into_values().collect()
}

/// Checks the imports of the folders in a folder, from each other, and returns these.
fn folders(
    table: &Table,
    sources: &str,
    imports: &Imports,
    found: &mut Vec<String>,
) -> BTreeSet<String> {
    let sources_path = top().join(sources);
    // The first part of a path in the folder, and whether it is a folder.
    let place = |file: &Path| {
        let inside = file.strip_prefix(&sources_path).ok()?;
        let mut parts = inside.components();
        let first = parts.next()?.as_os_str().to_string_lossy();
        let name = first.strip_suffix(".rs").unwrap_or(&first).to_owned();
        Some((name, parts.next().is_some()))
    };
    let rooms: BTreeSet<String> = imports
        .files
        .keys()
        .filter_map(|it| place(it))
        .filter_map(|(name, is_folder)| is_folder.then_some(name))
        .collect();
    let paths = rooms.iter().map(|it| format!("{sources}/{it}"));
    for room in paths.clone().filter(|it| !table.contains_key(it)) {
        found.push(format!("the folder `{room}` has no row"));
    }
    for (file, others) in &imports.files {
        let Some((room, _)) = place(file) else {
            continue;
        };
        let Some(allowed) = table.get(&format!("{sources}/{room}")) else {
            continue;
        };
        for (other, path) in others {
            let Some((name, _)) = place(other) else {
                continue;
            };
            if name != room && !allowed.contains(&name) {
                let file = file.strip_prefix(top()).unwrap_or(file).display();
                found.push(format!("{file} uses `{name}`: {path}"));
            }
        }
    }
    paths.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read() {
        let text = "# A\n\n| room | what it is | may use |\n|---|---|---|\n| `a` | of `x` | |\n| `a/src/b` | B | `c`, `d` |\n\n| `e` | | |\n";
        let set = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect();
        let expected = [("a", set(&[])), ("a/src/b", set(&["c", "d"]))];
        let expected = expected.map(|(room, used)| (room.to_owned(), used));
        assert_eq!(table(text), BTreeMap::from(expected));
    }

    #[test]
    fn a_forbidden_import_and_a_missing_row_are_found() {
        let sources = top().join("syntax/src");
        let (a, b) = (sources.join("a/x.rs"), sources.join("b/y.rs"));
        let mut imports = Imports::default();
        imports
            .files
            .insert(a, BTreeMap::from([(b.clone(), "crate::b::Y".to_owned())]));
        imports.files.insert(b, BTreeMap::new());
        let table = Table::from([("syntax/src/a".to_owned(), BTreeSet::new())]);
        let mut found = Vec::new();
        let rooms = folders(&table, "syntax/src", &imports, &mut found);
        assert_eq!(rooms.len(), 2);
        let expected = [
            "the folder `syntax/src/b` has no row",
            "syntax/src/a/x.rs uses `b`: crate::b::Y",
        ];
        assert_eq!(found, expected);
    }
}
