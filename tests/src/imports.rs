//! The imports between files: of a crate, as `use` declarations and paths tell, and of TypeScript.
//!
//! A path leads to the file that defines its item, through re-exports. A file that declares a module, or only
//! re-exports its items, does not import from it. A module is a part of those around it, so it does not import from them.
//! Calls of methods name no file, so they do not count; neither does code that only tests compile.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use regex_lite::Regex;

/// Longest chain of re-exports that a path is followed through.
const MAX_REEXPORTS: usize = 16;

/// Files and their imports.
#[derive(Debug, Default)]
pub struct Imports {
    /// For each file those that it imports from, each with one of the paths in its text that say so.
    pub files: BTreeMap<PathBuf, BTreeMap<PathBuf, String>>,
}

impl Imports {
    /// Reads the files of the crate with this root: `lib.rs`, `main.rs` or the file of a test program.
    ///
    /// # Errors
    /// A file cannot be read, or is not Rust.
    pub fn from_crate(root: &Path) -> io::Result<Imports> {
        let mut reader = Reader::default();
        reader.file(root, root.parent().unwrap_or(root), None)?;
        Ok(reader.imports())
    }

    /// Reads the TypeScript files of a folder: imports of types count too, those of packages do not.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn from_typescript(folder: &Path) -> io::Result<Imports> {
        let import =
            Regex::new(r"(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']*)'").expect("a regular expression");
        let mut imports = Imports::default();
        for entry in walkdir::WalkDir::new(folder) {
            let path = entry?.into_path();
            if path.extension().is_none_or(|it| it != "ts") {
                continue;
            }
            let text = fs::read_to_string(&path)?;
            let files = imports.files.entry(path.clone()).or_default();
            for found in import.captures_iter(&text) {
                let named = &found[1];
                let mut other = path.parent().unwrap_or(folder).to_owned();
                for part in named.trim_end_matches(".js").split('/') {
                    match part {
                        "." => {}
                        ".." => drop(other.pop()),
                        part => other.push(part),
                    }
                }
                let other = PathBuf::from(format!("{}.ts", other.display()));
                if other.exists() {
                    files.insert(other, named.to_owned());
                }
            }
        }
        Ok(imports)
    }

    /// Groups of files of which each imports all others of its group, directly or through others.
    pub fn circles(&self) -> Vec<BTreeSet<&Path>> {
        let reached: BTreeMap<&Path, BTreeSet<&Path>> = self
            .files
            .keys()
            .map(|it| (it.as_path(), self.reached(it)))
            .collect();
        let mut circles: Vec<BTreeSet<&Path>> = Vec::new();
        for (&file, others) in &reached {
            if !others.contains(file) || circles.iter().any(|it| it.contains(file)) {
                continue;
            }
            // A file of another folder has no row: nothing that it imports leads back.
            let leads_back = |it: &&&Path| reached.get(**it).is_some_and(|it| it.contains(file));
            let back = others.iter().filter(leads_back);
            circles.push(back.copied().collect());
        }
        circles
    }

    /// The files that this one imports, and those that these import, and so on.
    fn reached(&self, file: &Path) -> BTreeSet<&Path> {
        let mut seen = BTreeSet::new();
        let mut open = vec![file];
        while let Some(file) = open.pop() {
            for (other, _) in self.files.get(file).into_iter().flatten() {
                if seen.insert(other.as_path()) {
                    open.push(other);
                }
            }
        }
        seen
    }
}

/// A `use` of one name.
#[derive(Debug)]
struct Use {
    path: Vec<String>,
    /// Has `pub` in some form: it can be no more than a re-export.
    is_public: bool,
}

/// A module, in a file of its own or inside another's.
#[derive(Debug, Default)]
struct Module {
    file: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// Names of the items that it defines.
    items: BTreeSet<String>,
    /// Names that `use` declarations bring in.
    uses: BTreeMap<String, Use>,
    /// Paths of `use` declarations without a name: with `*` and `as _`.
    globs: Vec<Vec<String>>,
    traits: Vec<Vec<String>>,
    /// Paths in code.
    paths: BTreeSet<Vec<String>>,
    /// Words of the code outside `use` declarations.
    words: BTreeSet<String>,
}

/// Reads modules from files.
#[derive(Debug, Default)]
struct Reader {
    modules: Vec<Module>,
    /// Declarations `mod NAME;` that are still to be read: module and name.
    declared: Vec<(usize, String)>,
}

impl Reader {
    /// Reads a file and the files of its modules, which are in `folder`.
    fn file(&mut self, path: &Path, folder: &Path, parent: Option<usize>) -> io::Result<usize> {
        let text = fs::read_to_string(path)?;
        let tokens: TokenStream = text
            .parse()
            .map_err(|it| io::Error::other(format!("{}: {it}", path.display())))?;
        let index = self.module(path, parent);
        let before = self.declared.len();
        self.items(index, tokens, true);
        for (module, name) in self.declared.split_off(before) {
            // Modules inside a file have a folder of their own.
            let mut inside = Vec::new();
            let mut at = module;
            while at != index {
                let up = self.modules[at].parent.expect("a module inside the file");
                let children = &self.modules[up].children;
                inside.extend(
                    children
                        .iter()
                        .find(|it| *it.1 == at)
                        .map(|it| it.0.clone()),
                );
                at = up;
            }
            let mut folder = folder.to_owned();
            folder.extend(inside.iter().rev());
            let flat = folder.join(format!("{name}.rs"));
            let nested = folder.join(&name).join("mod.rs");
            let file = if flat.exists() { flat } else { nested };
            let child = self.file(&file, &folder.join(&name), Some(module))?;
            self.modules[module].children.insert(name, child);
        }
        Ok(index)
    }

    fn module(&mut self, file: &Path, parent: Option<usize>) -> usize {
        self.modules.push(Module {
            file: file.to_owned(),
            parent,
            ..Module::default()
        });
        self.modules.len() - 1
    }

    /// Reads tokens of a module; those at its top level define its items.
    fn items(&mut self, module: usize, tokens: TokenStream, is_top: bool) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut is_public = false;
        let mut at = 0;
        while at < tokens.len() {
            let word = word(&tokens[at]);
            let next = tokens.get(at + 1).and_then(self::word);
            match (&tokens[at], word.as_deref()) {
                (TokenTree::Punct(punct), _) if punct.as_char() == '#' => {
                    let attribute = tokens.get(at + 1).and_then(group);
                    at += 2;
                    if attribute.is_some_and(is_for_tests) {
                        at = after_item(&tokens, at);
                    }
                    continue;
                }
                (_, Some("pub")) => {
                    is_public = true;
                    let place = tokens.get(at + 1).and_then(group);
                    if place.is_some_and(|it| it.delimiter() == Delimiter::Parenthesis) {
                        at += 1;
                    }
                    at += 1;
                    continue;
                }
                (_, Some("use")) => {
                    let end = tokens[at..].iter().position(|it| is_punct(it, ';'));
                    let end = end.map_or(tokens.len(), |it| at + it);
                    self.tree(module, &tokens[at + 1..end], &mut Vec::new(), is_public);
                    at = end;
                }
                (_, Some("mod")) if is_top && next.is_some() => {
                    let name = next.expect("checked");
                    match tokens.get(at + 2).and_then(group) {
                        Some(body) => {
                            let file = self.modules[module].file.clone();
                            let child = self.module(&file, Some(module));
                            self.modules[module].children.insert(name, child);
                            self.items(child, body.stream(), true);
                        }
                        None => self.declared.push((module, name)),
                    }
                    at += 2;
                }
                (TokenTree::Group(group), _) => self.items(module, group.stream(), false),
                (_, Some(first)) => {
                    let of_value = at > 0 && is_punct(&tokens[at - 1], '.');
                    if is_top && is_definition(first) {
                        self.modules[module].items.extend(next);
                    }
                    if is_top && first == "macro_rules" {
                        let name = tokens.get(at + 2).and_then(self::word);
                        self.modules[module].items.extend(name);
                    }
                    let (path, end) = path(&tokens, at);
                    let is_continued =
                        at > 1 && is_punct(&tokens[at - 1], ':') && is_punct(&tokens[at - 2], ':');
                    self.modules[module].words.insert(first.to_owned());
                    if path.len() > 1 && !of_value && !is_continued {
                        self.modules[module].paths.insert(path);
                    }
                    at = end - 1;
                }
                _ => {}
            }
            is_public = false;
            at += 1;
        }
    }

    /// Reads the tree of a `use` declaration.
    fn tree(
        &mut self,
        module: usize,
        tokens: &[TokenTree],
        prefix: &mut Vec<String>,
        is_public: bool,
    ) {
        let before = prefix.len();
        let mut at = 0;
        let mut name = None;
        while at < tokens.len() {
            match &tokens[at] {
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    for branch in inside.split(|it| is_punct(it, ',')) {
                        if !branch.is_empty() {
                            self.tree(module, branch, prefix, is_public);
                        }
                    }
                    prefix.truncate(before);
                    return;
                }
                TokenTree::Punct(punct) if punct.as_char() == '*' => {
                    self.modules[module].globs.push(prefix.clone());
                    prefix.truncate(before);
                    return;
                }
                TokenTree::Ident(ident) if ident == "as" => {
                    name = tokens.get(at + 1).and_then(word);
                    break;
                }
                TokenTree::Ident(ident) if ident == "self" && !prefix.is_empty() => {}
                TokenTree::Ident(ident) => prefix.push(ident.to_string()),
                _ => {}
            }
            at += 1;
        }
        let path = prefix.clone();
        prefix.truncate(before);
        let module = &mut self.modules[module];
        match name.or_else(|| path.last().cloned()) {
            Some(name) if name == "_" => module.traits.push(path),
            Some(name) => {
                module.uses.insert(name, Use { path, is_public });
            }
            None => {}
        }
    }

    fn imports(&self) -> Imports {
        let mut imports = Imports::default();
        for index in 0..self.modules.len() {
            let module = &self.modules[index];
            let around: BTreeSet<&PathBuf> = self.around(index).collect();
            let files = imports.files.entry(module.file.clone()).or_default();
            let mut add = |path: &[String]| {
                for target in self.resolve(index, path, 0) {
                    if !around.contains(target) {
                        let named = || path.join("::");
                        files.entry(target.clone()).or_insert_with(named);
                    }
                }
            };
            for (name, used) in &module.uses {
                if !used.is_public || module.words.contains(name) {
                    add(&used.path);
                }
            }
            module.traits.iter().for_each(|it| add(it));
            module.paths.iter().for_each(|it| add(it));
            for glob in &module.globs {
                for word in &module.words {
                    let mut path = glob.clone();
                    path.push(word.clone());
                    if self.is_defined(index, &path) {
                        add(&path);
                    }
                }
            }
        }
        imports
    }

    /// The files of a module and of those around it.
    fn around(&self, module: usize) -> impl Iterator<Item = &PathBuf> {
        std::iter::successors(Some(module), |it| self.modules[*it].parent)
            .map(|it| &self.modules[it].file)
    }

    /// The files that define what a path of a module names: none for modules and for other crates.
    fn resolve(&self, module: usize, path: &[String], depth: usize) -> Vec<&PathBuf> {
        let Some((at, rest)) = self.start(module, path, depth) else {
            return Vec::new();
        };
        self.descend(at, rest, depth)
    }

    /// The module that a path begins in, and what remains of the path.
    fn start<'a>(
        &self,
        module: usize,
        path: &'a [String],
        depth: usize,
    ) -> Option<(usize, &'a [String])> {
        let mut at = module;
        let mut rest = path;
        loop {
            match rest.first()?.as_str() {
                "crate" => {
                    while let Some(parent) = self.modules[at].parent {
                        at = parent;
                    }
                }
                "super" => at = self.modules[at].parent?,
                "self" => {}
                first => {
                    let here = &self.modules[at];
                    let is_relative = rest.len() < path.len()
                        || here.children.contains_key(first)
                        || here.uses.contains_key(first)
                            && depth < MAX_REEXPORTS
                            && here.uses[first].path != path;
                    return is_relative.then_some((at, rest));
                }
            }
            rest = &rest[1..];
            if rest.is_empty() {
                return Some((at, rest));
            }
        }
    }

    fn descend(&self, module: usize, path: &[String], depth: usize) -> Vec<&PathBuf> {
        let here = &self.modules[module];
        let Some((first, rest)) = path.split_first() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let child = here.children.get(first);
        if let Some(&child) = child {
            found.extend(self.descend(child, rest, depth));
        }
        // A function may have the name of a module.
        if child.is_some() && !rest.is_empty() {
            return found;
        }
        if let Some(used) = here.uses.get(first).filter(|_| depth < MAX_REEXPORTS) {
            let mut path = used.path.clone();
            path.extend_from_slice(rest);
            found.extend(self.resolve(module, &path, depth + 1));
        } else if here.items.contains(first) {
            found.push(&here.file);
        } else if child.is_none() {
            let globs = here.globs.iter().filter(|_| depth < MAX_REEXPORTS);
            for glob in globs {
                let mut path = glob.clone();
                path.extend_from_slice(std::slice::from_ref(first));
                if self.is_defined(module, &path) {
                    found.extend(self.resolve(module, &path, depth + 1));
                }
            }
        }
        found
    }

    /// Whether a path of a module names an item of this crate.
    fn is_defined(&self, module: usize, path: &[String]) -> bool {
        !self.resolve(module, path, 1).is_empty()
    }
}

fn word(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    }
}

fn group(token: &TokenTree) -> Option<&Group> {
    match token {
        TokenTree::Group(group) => Some(group),
        _ => None,
    }
}

fn is_punct(token: &TokenTree, char: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == char)
}

/// Whether an attribute keeps an item for tests: `cfg(test)`, `cfg(all(test, …))`.
fn is_for_tests(attribute: &Group) -> bool {
    let text = attribute.stream().to_string().replace(' ', "");
    text.starts_with("cfg(test") || text.starts_with("cfg(all(test")
}

/// Whether a name follows this keyword that it defines.
fn is_definition(keyword: &str) -> bool {
    let keywords = [
        "fn", "struct", "enum", "union", "trait", "type", "const", "static",
    ];
    keywords.contains(&keyword)
}

/// The end of the item that begins here, further attributes among it.
fn after_item(tokens: &[TokenTree], start: usize) -> usize {
    let is_use = |it: &TokenTree| word(it).is_some_and(|it| it == "use");
    let head = &tokens[start..tokens.len().min(start + 3)];
    let has_braces = !head.iter().any(is_use);
    let end = tokens[start..].iter().position(|it| {
        let is_body = group(it).is_some_and(|it| it.delimiter() == Delimiter::Brace);
        is_punct(it, ';') || has_braces && is_body
    });
    end.map_or(tokens.len(), |it| start + it + 1)
}

/// The path that begins at a word, and the token after it.
fn path(tokens: &[TokenTree], start: usize) -> (Vec<String>, usize) {
    let mut path = Vec::new();
    let mut at = start;
    while let Some(word) = tokens.get(at).and_then(word) {
        path.push(word);
        at += 1;
        let colons = tokens.get(at..at + 2);
        let next = tokens.get(at + 2).and_then(self::word);
        if next.is_none() || !colons.is_some_and(|it| it.iter().all(|it| is_punct(it, ':'))) {
            break;
        }
        at += 2;
    }
    (path, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The imports between these files, as `a -> b`, and the circles.
    fn imports(files: &[(&str, &str)]) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        let imports = match files[0].0.ends_with(".rs") {
            true => Imports::from_crate(&folder.path().join("lib.rs")),
            false => Imports::from_typescript(folder.path()),
        };
        let imports = imports.expect("files that can be read");
        let name = |it: &Path| {
            let it = it
                .strip_prefix(folder.path())
                .expect("a path of the folder");
            let it = it.with_extension("").display().to_string();
            it.replace('\\', "/")
        };
        let mut all = Vec::new();
        for (file, others) in &imports.files {
            all.extend(
                others
                    .keys()
                    .map(|it| format!("{} -> {}", name(file), name(it))),
            );
        }
        all.sort();
        let circles = imports.circles().into_iter().map(|it| {
            let names: Vec<String> = it.into_iter().map(name).collect();
            names.join(" ")
        });
        (all, circles.collect())
    }

    #[test]
    fn paths_lead_to_the_file_that_defines_the_item() {
        let (all, circles) = imports(&[
            (
                "lib.rs",
                "mod a; mod b; mod c; pub use b::inner::{B, b as named}; pub use c::*;",
            ),
            (
                "a.rs",
                "fn f(_: crate::B) { super::named(); b::<u8>::g(); let x = X; } use crate::*;",
            ),
            (
                "b/mod.rs",
                "pub mod inner; pub(crate) use inner::B; use crate::c; type Y = c::Y;",
            ),
            ("b/inner.rs", "pub struct B; pub fn b() { crate::c::d() }"),
            (
                "c.rs",
                "mod d; pub use self::d::d; pub struct X; pub struct Y; mod e { use super::super::a::f; }",
            ),
            ("c/d.rs", "pub fn d() { super::X }"),
        ]);
        let expected = [
            "a -> b/inner",
            "a -> c",
            "b/inner -> c/d",
            "b/mod -> c",
            "c -> a",
        ];
        assert_eq!(all, expected);
        assert_eq!(circles, ["a c"]);
    }

    #[test]
    fn modules_are_parts_of_those_around_them() {
        let (all, circles) = imports(&[
            ("lib.rs", "mod a; pub const N: u8 = 0;"),
            ("a.rs", "mod b; mod c; use b::B; pub struct A;"),
            (
                "a/b.rs",
                "use super::{A, c::C}; pub struct B(A, C, [u8; crate::N]);",
            ),
            ("a/c.rs", "pub struct C; fn f() { let _: super::b::B; }"),
        ]);
        assert_eq!(all, ["a -> a/b", "a/b -> a/c", "a/c -> a/b"]);
        assert_eq!(circles, ["a/b a/c"]);
    }

    #[test]
    fn tests_comments_and_strings_do_not_import() {
        let (all, circles) = imports(&[
            ("lib.rs", "mod a; mod b; #[cfg(test)] mod missing;"),
            (
                "a.rs",
                "//! [`crate::b::f`]\n#[cfg(test)] use crate::b::{f}; pub fn g() { \"crate::b::f\"; }\n#[cfg(test)] mod tests { use crate::b::f; }",
            ),
            ("b.rs", "use crate::a::g; pub fn f() {}"),
        ]);
        assert_eq!(all, ["b -> a"]);
        assert!(circles.is_empty(), "{circles:?}");
    }

    #[test]
    fn typescript() {
        let (all, circles) = imports(&[
            (
                "a.ts",
                "import {\n  b,\n} from './d/b';\nimport x from 'x';\n",
            ),
            ("d/b.ts", "import type { C } from '../c.js';\n"),
            ("c.ts", "void import('./a.js');\nimport './e.js';\n"),
            ("e.ts", ""),
        ]);
        assert_eq!(all, ["a -> d/b", "c -> a", "c -> e", "d/b -> c"]);
        assert_eq!(circles, ["a c d/b"]);
    }
}
