//! The types of our own requests in the VS Code extension and the playground agree with the server's.
//!
//! The extension may omit what it does not use; what it names must be there, under the same name and with the
//! same type.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use ptx_tests::workspace::top;

/// Types of the extension whose names differ from the server's.
const RENAMED: [(&str, &str); 4] = [
    ("DidReadFiles", "DidReadFilesParams"),
    ("Chart", "RegisterChart"),
    ("Block", "FlowBlock"),
    ("PtxasRun", "RunPtxas"),
];
/// Types of LSP; the server has them from a package.
const FOREIGN: [&str; 6] = [
    "Diagnostic",
    "Location",
    "Position",
    "PositionParams",
    "Range",
    "TextDocument",
];

/// A type, as both sides say it.
#[derive(Clone, Debug, PartialEq)]
enum Type {
    Text,
    Number,
    Truth,
    /// The type of that name.
    Named(String),
    /// Or nothing.
    Optional(Box<Type>),
    List(Box<Type>),
    Tuple(Vec<Type>),
    /// Text to that type.
    Map(Box<Type>),
    Fields(BTreeMap<String, Type>),
    /// With the fields of all.
    All(Vec<Type>),
}

/// Reads types of TypeScript.
struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip(&mut self) {
        loop {
            self.rest = self.rest.trim_start();
            let Some(comment) = self.rest.strip_prefix("/*") else {
                return;
            };
            self.rest = comment.split_once("*/").expect("a comment ends").1;
        }
    }

    fn eat(&mut self, word: &str) -> bool {
        self.skip();
        let rest = self.rest.strip_prefix(word);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn expect(&mut self, word: &str) {
        let near: String = self.rest.chars().take(60).collect();
        assert!(self.eat(word), "expected `{word}` before {near}");
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let end = self.rest.find(|it: char| !it.is_alphanumeric());
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        word
    }

    /// The fields between braces.
    fn fields(&mut self) -> BTreeMap<String, Type> {
        let mut fields = BTreeMap::new();
        self.expect("{");
        while !self.eat("}") {
            let name = self.word().to_owned();
            self.expect(":");
            fields.insert(name, self.ty());
            self.eat(";");
        }
        fields
    }

    fn ty(&mut self) -> Type {
        let mut all = vec![self.part()];
        while self.eat("&") {
            all.push(self.part());
        }
        let ty = match all.len() {
            1 => all.remove(0),
            _ => Type::All(all),
        };
        match self.eat("|") {
            true => {
                self.expect("null");
                Type::Optional(Box::new(ty))
            }
            false => ty,
        }
    }

    fn part(&mut self) -> Type {
        self.skip();
        let mut ty = match self.rest.chars().next() {
            Some('{') => Type::Fields(self.fields()),
            Some('(') => {
                self.expect("(");
                let ty = self.ty();
                self.expect(")");
                ty
            }
            // The server checks which texts there are.
            Some('\'') => {
                while self.eat("'") {
                    self.word();
                    self.expect("'");
                    let rest = self.rest;
                    if !(self.eat("|") && self.rest.trim_start().starts_with('\'')) {
                        self.rest = rest;
                    }
                }
                Type::Text
            }
            Some('[') => {
                self.expect("[");
                let mut items = vec![self.ty()];
                while self.eat(",") {
                    items.push(self.ty());
                }
                self.expect("]");
                Type::Tuple(items)
            }
            _ => match self.word() {
                "string" => Type::Text,
                "number" => Type::Number,
                "boolean" => Type::Truth,
                "Record" => {
                    self.expect("<");
                    self.expect("string");
                    self.expect(",");
                    let ty = self.ty();
                    self.expect(">");
                    Type::Map(Box::new(ty))
                }
                name => Type::Named(name.to_owned()),
            },
        };
        while self.eat("[]") {
            ty = Type::List(Box::new(ty));
        }
        ty
    }
}

/// The interfaces of the extension.
fn interfaces(text: &str) -> BTreeMap<String, Type> {
    let mut found = BTreeMap::new();
    for part in text.split("export interface ").skip(1) {
        let mut reader = Reader { rest: part };
        let name = reader.word().to_owned();
        let mut all = Vec::new();
        if reader.eat("extends") {
            all.push(Type::Named(reader.word().to_owned()));
        }
        all.push(Type::Fields(reader.fields()));
        found.insert(name, Type::All(all));
    }
    found
}

/// The type of a field of the server.
fn type_of(text: &str) -> Type {
    let inner = |start: &str| text.strip_prefix(start)?.strip_suffix('>');
    if let Some(inner) = inner("Option<") {
        return Type::Optional(Box::new(type_of(inner)));
    }
    if let Some(inner) = inner("Vec<") {
        return Type::List(Box::new(type_of(inner)));
    }
    if let Some(inner) = inner("BTreeMap<String, ") {
        return Type::Map(Box::new(type_of(inner)));
    }
    if let Some(items) = text.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        return Type::Tuple(items.split(", ").map(type_of).collect());
    }
    match text {
        "String" | "Url" => Type::Text,
        "bool" => Type::Truth,
        "u8" | "u32" | "u64" | "usize" | "f64" => Type::Number,
        name => Type::Named(name.to_owned()),
    }
}

/// As serde writes a name.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut out = words.next().unwrap_or_default().to_owned();
    for word in words {
        out += &word[..1].to_uppercase();
        out += &word[1..];
    }
    out
}

/// The structs of the server.
fn structs(text: &str) -> BTreeMap<String, Type> {
    let mut found = BTreeMap::new();
    for part in text.split("\npub struct ").skip(1) {
        let (name, rest) = part.split_once(" {\n").expect("a struct has fields");
        let (body, _) = rest.split_once("\n}").expect("a struct ends");
        let (mut fields, mut all) = (BTreeMap::new(), Vec::new());
        let (mut renamed, mut flat) = (None, false);
        for line in body.lines().map(str::trim) {
            if let Some(rest) = line.strip_prefix("#[serde(rename = \"") {
                renamed = rest.strip_suffix("\")]").map(str::to_owned);
            }
            flat |= line == "#[serde(flatten)]";
            let Some((name, ty)) = line
                .strip_prefix("pub ")
                .and_then(|it| it.strip_suffix(',')?.split_once(": "))
            else {
                continue;
            };
            if std::mem::take(&mut flat) {
                all.push(type_of(ty));
            } else {
                let name = renamed.take().unwrap_or_else(|| camel_case(name));
                fields.insert(name, type_of(ty));
            }
        }
        all.push(Type::Fields(fields));
        found.insert(name.to_owned(), Type::All(all));
    }
    found
}

struct Sides {
    extension: BTreeMap<String, Type>,
    server: BTreeMap<String, Type>,
}

impl Sides {
    /// The fields of a type, if it has some.
    fn fields(&self, side: &BTreeMap<String, Type>, ty: &Type) -> Option<BTreeMap<String, Type>> {
        match ty {
            Type::Named(name) => self.fields(side, side.get(name)?),
            Type::Fields(fields) => Some(fields.clone()),
            Type::All(all) => {
                let parts = all.iter().map(|it| self.fields(side, it));
                let parts: Option<Vec<_>> = parts.collect();
                Some(parts?.into_iter().flatten().collect())
            }
            _ => None,
        }
    }

    /// Adds to `wrong` where a type of the extension differs from the server's.
    fn compare(&self, at: &str, extension: &Type, server: &Type, wrong: &mut Vec<String>) {
        match (extension, server) {
            (Type::Optional(one), Type::Optional(other))
            | (Type::List(one), Type::List(other))
            | (Type::Map(one), Type::Map(other)) => {
                self.compare(at, one, other, wrong);
            }
            (Type::Tuple(one), Type::Tuple(other)) if one.len() == other.len() => {
                for (one, other) in one.iter().zip(other) {
                    self.compare(at, one, other, wrong);
                }
            }
            _ => match (
                self.fields(&self.extension, extension),
                self.fields(&self.server, server),
            ) {
                (Some(one), Some(other)) => {
                    for (name, ty) in one {
                        let at = format!("{at}.{name}");
                        match other.get(&name) {
                            Some(of_server) => self.compare(&at, &ty, of_server, wrong),
                            None => wrong.push(format!("{at}: the server has no such field")),
                        }
                    }
                }
                // What neither side declares is LSP's.
                (None, None) if extension == server => {}
                _ => wrong.push(format!(
                    "{at}: {extension:?} there, {server:?} in the server"
                )),
            },
        }
    }
}

fn compare(extension: &str, server: &str) -> Vec<String> {
    let mut extension = interfaces(extension);
    extension.retain(|name, _| !FOREIGN.contains(&&**name));
    let sides = Sides {
        extension,
        server: structs(server),
    };
    let mut wrong = Vec::new();
    for (name, ty) in &sides.extension {
        let renamed = RENAMED.iter().find(|it| it.0 == name);
        let of_server = renamed.map_or(&**name, |it| it.1);
        match sides.server.get(of_server) {
            Some(other) => sides.compare(name, ty, other, &mut wrong),
            None => wrong.push(format!("{name}: the server has no {of_server}")),
        }
    }
    wrong
}

fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).expect("the file exists")
}

#[test]
fn types_are_the_servers() {
    let extension = read("editors/vscode/src/protocol.ts");
    let server = [
        "ext.rs",
        "ext/kernels.rs",
        "ext/machine.rs",
        "ext/modules.rs",
        "ext/trial.rs",
    ]
    .map(|it| read(&format!("server/session/src/lsp/{it}")))
    .concat();
    assert!(interfaces(&extension).len() > 15 && structs(&server).len() > 25);
    assert_eq!(compare(&extension, &server), [""; 0]);
}

#[test]
fn differences_are_found() {
    let server = "\n#[serde(rename_all = \"camelCase\")]\npub struct Word {\n    pub long_name: String,\n    \
                  pub lines: Option<(u32, u32)>,\n}\n\npub struct More {\n    #[serde(flatten)]\n    pub word: Word,\n    \
                  #[serde(rename = \"type\")]\n    pub ty: Vec<Range>,\n}\n";
    let check = |extension: &str, wrong: &[&str]| assert_eq!(compare(extension, server), wrong);
    check(
        "export interface Word { /** It. */ longName: string; lines: [number, number] | null; }\n\
         export interface More extends Word { type: Range[]; }",
        &[],
    );
    check(
        "export interface Word { longname: string; lines: [number, number]; }",
        &[
            "Word.lines: Tuple([Number, Number]) there, Optional(Tuple([Number, Number])) in the server",
            "Word.longname: the server has no such field",
        ],
    );
    check(
        "export interface More { longName: number; type: Position[]; }\nexport interface Other { a: string }",
        &[
            "More.longName: Number there, Text in the server",
            "More.type: Named(\"Position\") there, Named(\"Range\") in the server",
            "Other: the server has no Other",
        ],
    );
}

#[test]
fn requests_are_the_servers() {
    // A debug session has requests of its own.
    let server = read("server/session/src/lsp/ext.rs")
        + &read("server/session/src/lsp/ext/trial.rs")
        + &read("server/session/src/debug/session.rs");
    let mut asked = BTreeSet::new();
    let folders = ["editors/vscode/src", "editors/playground/src"];
    let walks = folders.map(|it| walkdir::WalkDir::new(top().join(it)));
    for entry in walks.into_iter().flatten() {
        let entry = entry.expect("the folder can be read");
        if entry.path().extension().is_some_and(|it| it == "ts") {
            let text = fs::read_to_string(entry.path()).expect("it is text");
            let methods = text.split('\'').filter(|it| it.starts_with("ptx/"));
            asked.extend(methods.map(str::to_owned));
        }
    }
    assert!(asked.len() > 10, "{asked:?}");
    let unknown = asked
        .iter()
        .filter(|it| !server.contains(&format!("\"{it}\"")));
    assert_eq!(unknown.collect::<Vec<_>>(), [""; 0]);
}
