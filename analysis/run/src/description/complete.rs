//! Words that continue a comment that describes a run, and what its keys mean.

use std::ops::Range;

use analysis::{
    EntryPlace,
    code::{Code, Formal, Function},
};

use super::{
    check::comments_above,
    comment::Comment,
    element::Element,
    new::key,
    read::PACKED,
    texture::{ADDRESSING, COMPARISONS, FILTERS},
    texture_keys::{Described, ENDPOINT, SAMPLER, TEXTURE},
};
use crate::outcome::FindingCode;

/// A word that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub label: String,
    /// The text that is written.
    pub insert: String,
    /// A sentence about it, if it is a key.
    pub detail: Option<&'static str>,
}

/// The words that may be written at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposals {
    /// The bytes of the file that the word takes the place of.
    pub replace: Range<usize>,
    /// The words.
    pub words: Vec<Word>,
}

/// The keys of a description.
const TOP: &[Described] = &[
    (
        "grid",
        "grid = ",
        "The blocks along x, y and z: a number, a list of up to three, or an expression over scalar arguments in quotes.",
    ),
    (
        "block",
        "block = ",
        "The threads of a block along x, y and z. Optional with `.reqntid`.",
    ),
    (
        "cluster",
        "cluster = ",
        "The blocks of a cluster along x, y and z. Optional with `.reqnctapercluster`.",
    ),
    (
        "shared",
        "shared = ",
        "Dynamic shared memory of a block, in bytes.",
    ),
    (
        "args",
        "args.",
        "The argument of a parameter, by its name or position: a number, or a table that describes an array.",
    ),
    (
        "expect",
        "expect.",
        "The contents that an array is to have after the run.",
    ),
    (
        "finds",
        "finds = [\"",
        "The codes of the findings that are expected; others, and the lack of these, fail a test.",
    ),
    ("name", "name = \"", "The name of the run in messages."),
    (
        "entry",
        "entry = \"",
        "The entry, where it is not the one that follows.",
    ),
];

/// The keys of an argument.
const ARGUMENT: &[Described] = &[
    (
        "zeros",
        "zeros = [",
        "An array of zeros with this shape, the outermost dimension first.",
    ),
    (
        "ramp",
        "ramp = [",
        "An array with the elements 0, 1, 2, … in this shape.",
    ),
    (
        "random",
        "random = { shape = [",
        "An array of random numbers: `shape`, and `seed`, `low` and `high`.",
    ),
    (
        "undefined",
        "undefined = [",
        "An array to which nothing was written yet; a read of it is a finding.",
    ),
    (
        "file",
        "file = \"",
        "The path of an array in a `.npy` file, relative to this file.",
    ),
    (
        "value",
        "value = ",
        "A number, or a list of the elements of an array.",
    ),
    (
        "tensormap",
        "tensormap = { of = \"",
        "A tensor map of an array, by value or by its address.",
    ),
    (
        "texture",
        "texture = { of = \"",
        "A texture or surface of an array, by its handle.",
    ),
    (
        "sampler",
        "sampler = { filter = \"",
        "A sampler of its own, by its handle.",
    ),
    (
        "endpoint",
        "endpoint = { of = \"",
        "A logical endpoint of a fabric whose resource is an array, by its identifier.",
    ),
    (
        "bytes",
        "bytes = \"",
        "The bytes of a parameter that is passed by value, in hexadecimal.",
    ),
    (
        "type",
        "type = \"",
        "The type of an element, as PTX names it without the period.",
    ),
];

/// The keys of random numbers.
const RANDOM: &[Described] = &[
    ("shape", "shape = [", "The elements along each dimension."),
    (
        "seed",
        "seed = ",
        "Another seed gives other numbers; 0 by default.",
    ),
    ("low", "low = ", "The least number; 0 by default."),
    (
        "high",
        "high = ",
        "The largest integer, or the bound below which numbers are; 1 by default.",
    ),
];

/// The keys of a tensor map.
const TENSOR_MAP: &[Described] = &[
    ("of", "of = \"", "The array that the map describes."),
    ("type", "type = \"", "The type of an element."),
    (
        "shape",
        "shape = [",
        "The elements along each dimension, the innermost first.",
    ),
    (
        "strides",
        "strides = [",
        "The bytes from one element to the next along each dimension but the innermost.",
    ),
    (
        "box",
        "box = [",
        "The elements of a copied box along each dimension.",
    ),
    (
        "element_strides",
        "element_strides = [",
        "The steps between copied elements along each dimension.",
    ),
    (
        "swizzle",
        "swizzle = ",
        "The bytes of the swizzling pattern: 0, 32, 64 or 128.",
    ),
    (
        "interleave",
        "interleave = ",
        "The bytes of interleaved channels: 0, 16 or 32.",
    ),
    (
        "fill",
        "fill = \"",
        "The elements outside the array: `zeros` or `nan`.",
    ),
    (
        "lower_corner",
        "lower_corner = [",
        "The first place of the bounding box of images (im2col), from the start of an image, the width first.",
    ),
    (
        "upper_corner",
        "upper_corner = [",
        "The last place of the bounding box of images, from the last pixel of an image, the width first.",
    ),
    (
        "channels",
        "channels = ",
        "The elements of a pixel that are copied, of a map of images.",
    ),
    (
        "pixels",
        "pixels = ",
        "The pixels of a copy; instead of `box` it makes the map one of images (im2col).",
    ),
];

/// The keys of an expectation.
const EXPECTED: &[Described] = &[
    (
        "value",
        "value = ",
        "The number that all elements are to have, or a list of them.",
    ),
    (
        "file",
        "file = \"",
        "The path of the array in a `.npy` file, relative to this file.",
    ),
    (
        "same",
        "same = \"",
        "The array that it is to be equal to; its own name if it is to stay as it was.",
    ),
    (
        "rtol",
        "rtol = ",
        "By how much an element may differ, times the magnitude of the expected one.",
    ),
    (
        "atol",
        "atol = ",
        "By how much an element may differ in addition.",
    ),
];

/// Returns the words that may be written at an offset of the file, in a comment above an entry that describes a run;
/// `None` elsewhere.
#[must_use]
pub fn complete(entry: &EntryPlace, code: &Code, offset: usize) -> Option<Proposals> {
    let place = Place::of(entry, offset)?;
    let functions = code.functions.iter();
    let mut functions = functions.filter(|it| it.name_range == entry.name_range);
    let names = functions.next().map(|it| parameters(code, it));
    Some(Proposals {
        replace: place.word.clone(),
        words: words(&place, &names.unwrap_or_default()),
    })
}

/// Returns a sentence about the key at an offset of the file and the place of the key, in a comment above an entry that
/// describes a run; `None` elsewhere.
#[must_use]
pub fn explain(entry: &EntryPlace, offset: usize) -> Option<(Range<usize>, &'static str)> {
    let start = usize::from(entry.start) - entry.above.len();
    let at = offset.checked_sub(start)?;
    let rest = entry.above.get(at..)?;
    let is_word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let end = offset + rest.find(|it| !is_word(it)).unwrap_or(rest.len());
    let place = Place::of(entry, end)?;
    if place.is_value {
        return None;
    }
    let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
    let word = entry
        .above
        .get(place.word.start - start..place.word.end - start)?;
    let found = keys(&path).iter().find(|it| it.0 == word)?;
    Some((place.word, found.2))
}

/// The names of the parameters of a function.
fn parameters<'a>(code: &'a Code, function: &Function) -> Vec<&'a str> {
    let name = |it: &Formal| match it {
        Formal::Variable(id) => code.variables.get(*id as usize).map(|it| &*it.name),
        Formal::Register(_) => None,
    };
    function.parameters.iter().filter_map(name).collect()
}

/// The keys of the table at a path.
fn keys(path: &[&str]) -> &'static [Described] {
    match path {
        [] => TOP,
        ["args", _] => ARGUMENT,
        ["args", _, "random"] => RANDOM,
        ["args", _, "tensormap"] => TENSOR_MAP,
        ["args", _, "texture"] => TEXTURE,
        ["args", _, "sampler"] => SAMPLER,
        ["args", _, "endpoint"] => ENDPOINT,
        ["expect", _] => EXPECTED,
        _ => &[],
    }
}

fn words(place: &Place, names: &[&str]) -> Vec<Word> {
    let path: Vec<&str> = place.path.iter().map(String::as_str).collect();
    if !place.is_value {
        let described = |it: &Described| Word {
            label: it.0.to_owned(),
            insert: it.1.to_owned(),
            detail: Some(it.2),
        };
        let name = |it: &&str| Word {
            label: (*it).to_owned(),
            insert: format!("{} = ", key(it)),
            detail: None,
        };
        return match &*path {
            ["args" | "expect"] => names.iter().map(name).collect(),
            path => keys(path).iter().map(described).collect(),
        };
    }
    let own = |all: &[&str]| -> Vec<String> { all.iter().map(|it| (*it).to_owned()).collect() };
    let (values, is_text) = match &*path {
        ["args", _, "tensormap", "type"] => {
            let mut all = Element::words();
            all.extend(own(PACKED));
            (all, true)
        }
        ["args", _, "type"] => (Element::words(), true),
        ["args", _, "tensormap" | "texture" | "endpoint", "of"] | ["expect", _, "same"] => {
            (own(names), true)
        }
        ["args", _, "texture", "type"] => (Element::words(), true),
        ["args", _, "texture" | "sampler", "filter" | "level_filter"] => (own(&FILTERS), true),
        ["args", _, "texture" | "sampler", "address"] => (own(&ADDRESSING), true),
        ["args", _, "texture" | "sampler", "compare"] => (own(&COMPARISONS), true),
        ["args", _, "tensormap", "swizzle"] => (own(&["0", "32", "64", "128"]), false),
        ["args", _, "tensormap", "interleave"] => (own(&["0", "16", "32"]), false),
        ["args", _, "tensormap", "fill"] => (own(&["zeros", "nan"]), true),
        ["finds"] => {
            let all = FindingCode::ALL.iter().map(|it| it.word().to_owned());
            (all.collect(), true)
        }
        _ => return Vec::new(),
    };
    let word = |it: String| Word {
        insert: match is_text && !place.is_quoted {
            true => format!("\"{it}\""),
            false => it.clone(),
        },
        label: it,
        detail: None,
    };
    values.into_iter().map(word).collect()
}

/// A position in an unfinished description.
#[derive(Debug)]
struct Place {
    /// The keys that lead there.
    path: Vec<String>,
    /// Whether a value is written, and not a key.
    is_value: bool,
    /// Whether it is in a string.
    is_quoted: bool,
    /// The bytes of the file that the word before the place takes.
    word: Range<usize>,
}

impl Place {
    /// The place at an offset of the file, if it is in a comment that describes a run.
    fn of(entry: &EntryPlace, offset: usize) -> Option<Place> {
        let start = usize::from(entry.start) - entry.above.len();
        let inside = |it: &Comment| it.start < offset && offset <= it.end;
        let comment = comments_above(entry).into_iter().find(inside)?;
        let text = entry.above.get(comment.start - start..offset - start)?;
        let begin = text.find("run:")? + "run:".len();
        let mut reader = Reader::default();
        let mut is_margin = false;
        for (at, it) in text.char_indices().filter(|it| it.0 >= begin) {
            match it {
                '\n' => is_margin = true,
                // The slashes that begin a line.
                '/' | ' ' | '\t' | '\r' if is_margin => {}
                _ => is_margin = false,
            }
            let it = if is_margin { ' ' } else { it };
            reader.read(comment.start + at, it);
        }
        Some(reader.place(offset))
    }
}

/// Reads a description up to a place, whether it is right or not.
#[derive(Default)]
struct Reader {
    /// The tables and lists that are open: how long the path is around each, and whether it is a list.
    open: Vec<(usize, bool)>,
    path: Vec<String>,
    /// Whether a value is written.
    is_value: bool,
    quote: Option<char>,
    word: String,
    /// Where the word begins.
    start: Option<usize>,
}

impl Reader {
    fn read(&mut self, at: usize, it: char) {
        match (self.quote, it) {
            (Some(open), _) if open == it => self.quote = None,
            (None, '"' | '\'') => {
                self.quote = Some(it);
                self.take();
            }
            (None, '.') if !self.is_value => self.key(),
            (None, '=') => {
                if !self.word.is_empty() {
                    self.key();
                }
                self.is_value = true;
            }
            (None, '{' | '[') => {
                self.take();
                self.open.push((self.path.len(), it == '['));
                if it == '{' {
                    self.is_value = false;
                }
            }
            (None, '}' | ']') => {
                self.take();
                self.open.pop();
                let is_in_list = self.open.last().is_some_and(|it| it.1);
                if is_in_list {
                    self.is_value = true;
                } else {
                    self.end();
                }
            }
            (None, ',') => {
                self.take();
                match self.open.last() {
                    Some((_, true)) => {}
                    _ => self.end(),
                }
            }
            (None, ' ' | '\t' | '\r') => {
                // Outside brackets a blank ends a value.
                if self.open.is_empty() && self.is_value && !self.word.is_empty() {
                    self.end();
                }
                if self.is_value {
                    self.take();
                }
            }
            _ => {
                self.start.get_or_insert(at);
                self.word.push(it);
            }
        }
    }

    /// The length of the path around the keys that are being written.
    fn around(&self) -> usize {
        self.open.last().map_or(0, |it| it.0)
    }

    fn take(&mut self) -> String {
        self.start = None;
        std::mem::take(&mut self.word)
    }

    fn key(&mut self) {
        let word = self.take();
        self.path.push(word);
    }

    /// Ends a value: the next key is one of the table around it.
    fn end(&mut self) {
        self.take();
        self.is_value = false;
        self.path.truncate(self.around());
    }

    fn place(self, offset: usize) -> Place {
        Place {
            word: self.start.unwrap_or(offset)..offset,
            is_value: self.is_value,
            is_quoted: self.quote.is_some(),
            path: self.path,
        }
    }
}

#[cfg(test)]
mod tests {
    use analysis::{AnalysisHost, FileId};
    use expect_test::{Expect, expect};
    use syntax::Document;

    use super::*;

    /// Shows the words at `$0` in a comment above an entry with the parameters `out` and `n`, and the text that they
    /// take the place of; or the sentence about the key there.
    #[track_caller]
    fn check(comment: &str, is_hover: bool, expect: Expect) {
        let offset = comment.find("$0").expect("a cursor");
        let text = comment.replace("$0", "");
        let module = format!(
            "{text}\n.version 8.0\n.target sm_90\n.address_size 64\n{text}\n.entry k(.param .u64 out, .param .u32 n)\n{{\n ret;\n}}\n"
        );
        let file = FileId(0);
        let host = AnalysisHost::with_file(file, Document::new(module.clone()).contents(), None);
        let analysis = host.analysis();
        let entries = analysis.entries(file).expect("nothing changes");
        let code = analysis.code_headers(file).expect("nothing changes");
        let offset = module.rfind(&text).expect("the comment") + offset;
        let said = match is_hover {
            true => explain(&entries[0], offset)
                .map(|(range, text)| format!("{}: {text}", &module[range])),
            false => complete(&entries[0], &code, offset).map(|it| {
                let words: Vec<&str> = it.words.iter().map(|it| &*it.insert).collect();
                format!("`{}`: {}", &module[it.replace], words.join(" | "))
            }),
        };
        expect.assert_eq(&said.unwrap_or_default());
    }

    #[test]
    fn keys() {
        check(
            "// run: gr$0",
            false,
            expect![[
                r#"`gr`: grid =  | block =  | cluster =  | shared =  | args. | expect. | finds = [" | name = " | entry = ""#
            ]],
        );
        check(
            "// run: grid = [4, 1] block = \"n\" args.$0",
            false,
            expect!["``: out =  | n = "],
        );
        check(
            "// run: grid = 1\n//   args.out = { zeros = [1, 2], t$0",
            false,
            expect![[
                r#"`t`: zeros = [ | ramp = [ | random = { shape = [ | undefined = [ | file = " | value =  | tensormap = { of = " | texture = { of = " | sampler = { filter = " | endpoint = { of = " | bytes = " | type = ""#
            ]],
        );
        check(
            "// run: args.out = { random = { shape = [4], $0",
            false,
            expect!["``: shape = [ | seed =  | low =  | high = "],
        );
        check(
            "// run: args = { out = { zeros = [4] }, n = 3 } expect.out = { $0",
            false,
            expect![[r#"``: value =  | file = " | same = " | rtol =  | atol = "#]],
        );
    }

    #[test]
    fn values() {
        check(
            "// run: expect.out = { same = \"$0",
            false,
            expect!["``: out | n"],
        );
        check(
            "// run: args.n = { tensormap = { swizzle = 1$0",
            false,
            expect!["`1`: 0 | 32 | 64 | 128"],
        );
        check(
            "// run: args.out = { zeros = [4], type = $0",
            false,
            expect![[
                r#"``: "f16" | "bf16" | "tf32" | "f32" | "f64" | "e4m3" | "e5m2" | "e2m3" | "e3m2" | "e2m1" | "ue8m0" | "ue4m3" | "ue5m3" | "s2f6" | "s8" | "s16" | "s32" | "s64" | "u8" | "u16" | "u32" | "u64" | "b8" | "b16" | "b32" | "b64""#
            ]],
        );
        check("// run: grid = $0", false, expect!["``: "]);
        check("// run$0: grid = 1", false, expect![""]);
        check("// grid = $0", false, expect![""]);
    }

    #[test]
    fn explanations() {
        check(
            "// run: gr$0id = 1",
            true,
            expect![
                "grid: The blocks along x, y and z: a number, a list of up to three, or an expression over scalar arguments in quotes."
            ],
        );
        check(
            "// run: grid = 1\n//   args.out = { $0zeros = [4] }",
            true,
            expect!["zeros: An array of zeros with this shape, the outermost dimension first."],
        );
        check("// run: args.o$0ut = 1", true, expect![""]);
        check("// run: name = \"gr$0id\"", true, expect![""]);
    }
}
