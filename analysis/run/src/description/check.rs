//! Comments that describe runs, compared with the entry below them while they are written: no file is read for that, and
//! no array is made.

use analysis::{
    Analysis, Cancellable, Diagnostic, EntryPlace, FileId,
    code::{Code, Formal, Function, FunctionId, Variable},
};
use syntax::TextRange;

use super::{
    comment::{Comment, comments},
    contents::count,
    element::Element,
    problem::Problem,
    read::{Description, Maker, Source, Wanted},
    value::Data,
};
use crate::launch::Limits;

/// Arrays of more bytes are not made.
const SMALL: u64 = 1 << 12;

/// The descriptions in the comments above an entry; places are those in the file.
#[must_use]
pub fn comments_above(entry: &EntryPlace) -> Vec<Comment> {
    let start = usize::from(entry.start) - entry.above.len();
    let mut found = comments(&entry.above);
    for it in &mut found {
        it.start += start;
        it.end += start;
        match &mut it.value {
            Ok(value) => value.shift(start),
            Err(problem) => {
                problem.span = problem.span.start + start..problem.span.end + start;
            }
        }
    }
    found
}

/// Returns the entry of which a comment describes a run: only declarations and other comments are between them.
#[must_use]
pub fn entry_below(comment: &Comment, entries: &[EntryPlace], code: &Code) -> Option<FunctionId> {
    let entry = entries.iter().find(|it| {
        let end = usize::from(it.start);
        (end - it.above.len()..end).contains(&comment.start)
    })?;
    below(entry, code)
}

/// The index of an entry in the code.
fn below(entry: &EntryPlace, code: &Code) -> Option<FunctionId> {
    let functions = (0..).zip(&code.functions);
    let mut found = functions.filter(|it| it.1.name_range == entry.name_range);
    Some(found.next()?.0)
}

/// Adds the mistakes of all comments of a file to its other diagnostics; both are sorted by range.
///
/// # Errors
/// The file changes meanwhile.
pub fn with_mistakes(
    analysis: &Analysis,
    file: FileId,
    diagnostics: Vec<Diagnostic>,
) -> Cancellable<Vec<Diagnostic>> {
    let mut entries = analysis.entries(file)?;
    entries.retain(|it| !comments_above(it).is_empty());
    if entries.is_empty() {
        return Ok(diagnostics);
    }
    let code = analysis.code_headers(file)?;
    let found = entries.iter().flat_map(|it| mistakes(it, &code));
    let offset = |it: usize| u32::try_from(it).unwrap_or(u32::MAX).into();
    let found = found.map(|it| {
        let range = TextRange::new(offset(it.span.start), offset(it.span.end));
        (range, it.to_string())
    });
    analysis.with_run_comments(file, diagnostics, found.collect())
}

/// Returns the first mistake of each comment above an entry, by places in the file. Files that comments name are not
/// looked at.
#[must_use]
pub fn mistakes(entry: &EntryPlace, code: &Code) -> Vec<Problem> {
    let found = comments_above(entry).into_iter();
    let found = found.filter_map(|it| {
        let all = it.start..it.end;
        let mut problem = mistake(it, entry, code)?;
        if problem.span.is_empty() {
            problem.span = all;
        }
        Some(problem)
    });
    found.collect()
}

fn mistake(comment: Comment, entry: &EntryPlace, code: &Code) -> Option<Problem> {
    let all = comment.start..comment.end;
    let checked = comment.value.and_then(|it| Description::read(&it));
    let description = match checked {
        Ok(it) => it,
        Err(problem) => return Some(problem),
    };
    let function = match &description.entry {
        Some(_) => description.entry_of(code),
        None => {
            below(entry, code).ok_or_else(|| Problem::new(all, "", "a run belongs above an entry"))
        }
    };
    let prepared = function.and_then(|function| {
        let outline = description.outline(code, function);
        let read = |_: &str| Err(String::new());
        outline.prepare(code, function, Limits::default(), &read)
    });
    prepared.err()
}

/// The parameter that an argument is for, by its name or position.
fn parameter<'a>(code: &'a Code, function: &Function, name: &str) -> Option<&'a Variable> {
    let variable = |it: &Formal| match it {
        Formal::Variable(id) => code.variables.get(*id as usize),
        Formal::Register(_) => None,
    };
    let all = || function.parameters.iter().map(variable);
    let named = all().flatten().find(|it| it.name == name);
    named.or_else(|| all().nth(name.parse().ok()?).flatten())
}

impl Description {
    /// The same without files and large arrays, which have an empty array in their place.
    fn outline(&self, code: &Code, function: FunctionId) -> Description {
        let mut outline = self.clone();
        let function = code.functions.get(function as usize);
        // The arrays whose elements are not known, and those whose type is not known either.
        let (mut open, mut untyped) = (Vec::new(), Vec::new());
        outline.arguments.retain_mut(|it| {
            let is_open = match &it.source {
                Source::File(_) => true,
                Source::Made(shape, _) => {
                    let bytes = count(shape).zip(it.element);
                    let bytes = bytes.and_then(|(count, element)| element.bytes(count));
                    bytes.is_none_or(|it| it > SMALL)
                }
                _ => false,
            };
            if !is_open {
                return true;
            }
            open.push(it.name.clone());
            if it.element.is_none() {
                untyped.push(it.name.clone());
            }
            it.element.get_or_insert(Element::Bits(8));
            it.source = Source::Made(vec![0], Maker::Undefined);
            // The elements of what is passed by value are the parameter.
            let variable = function.and_then(|function| parameter(code, function, &it.name));
            variable.is_none_or(|it| it.dimensions.is_empty())
        });
        let any = || Wanted::Value(Data::Integer(0, true).into());
        for it in &mut outline.expectations {
            let is_open = |name: &String| open.contains(name);
            let is_unknown = match &it.wanted {
                Wanted::File(_) => true,
                Wanted::Same(other) => is_open(other) || is_open(&it.name) && *other != it.name,
                Wanted::Value(value) => match value.data {
                    Data::List(_) => is_open(&it.name),
                    _ => untyped.contains(&it.name),
                },
            };
            if is_unknown {
                it.wanted = any();
            }
        }
        outline
    }
}

#[cfg(test)]
mod tests {
    use analysis::{AnalysisHost, FileId, Severity};
    use expect_test::{Expect, expect};
    use syntax::Document;

    use super::*;

    /// Shows the mistakes in a comment above an entry, with what they mark.
    #[track_caller]
    fn check(comment: &str, expect: Expect) {
        let module = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n{comment}\n.entry k(.param .u64 out, .param .u32 n, .param .align 4 .b8 raw[8]) .maxntid 64\n{{\n ret;\n}}\n"
        );
        let file = FileId(0);
        let host = AnalysisHost::with_file(file, Document::new(module.clone()).contents(), None);
        let found = with_mistakes(&host.analysis(), file, Vec::new()).expect("nothing changes");
        let shown = found.iter().map(|it| {
            assert_eq!((it.code, it.severity), ("run-comment", Severity::Warning));
            format!("`{}`: {}\n", &module[it.range], it.message)
        });
        expect.assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn what_is_right() {
        for comment in [
            "",
            "// no run",
            "// run: block = 64",
            "// run: block = 64 args.out = { file = \"no such file.npy\" }",
            "// run: block = 64 args.out = { file = \"x.npy\" } expect.out = { file = \"y.npy\" }",
            "// run: block = 64 args.out = { file = \"x.npy\" } expect.out = { value = 1.5 }",
            "// run: block = 64 args.out = { zeros = [1000000000], type = \"f32\" } expect.out = { value = [1, 2] }",
            "// run: block = 64 args.out = { ramp = [64, 64], type = \"u8\" } args.n = 3 expect.out = { same = \"out\" }",
            "// run: block = 64 args.raw = { file = \"raw.npy\" }",
            "// run: block = 64 args.raw = { bytes = \"0011223344556677\" } shared = \"4 * 8\"",
            "// ptx-analyzer: allow(run-comment)\n// run: block = 65",
            "// run: block = 64\n.global .u32 t[1] = { 1 };",
        ] {
            check(comment, expect![""]);
        }
    }

    #[test]
    fn what_is_wrong() {
        check(
            "// run: block = 65",
            expect![[r#"
                `65`: block: 65 threads are more than the 64 of a block
            "#]],
        );
        check(
            "// run: gird = 1 block = 1",
            expect![[r#"
                `gird`: gird: unknown key `gird`; did you mean `grid`? (allowed: name, entry, grid, block, cluster, shared, args, expect, finds)
            "#]],
        );
        check(
            "// run: block = 1 args.n = 1.5\n  // run: block = 1\n  //   args.m = 1",
            expect![[r#"
                `1.5`: args.n.value: a `.u32` is an integer
                `m`: args.m: unknown parameter `m` (allowed: out, n, raw)
            "#]],
        );
        check(
            "// run: block = 1 args.out = { file = \"x.npy\" } expect.oud = { file = \"x.npy\" }",
            expect![[r#"
                `oud`: expect.oud: unknown array `oud`; did you mean `out`? (allowed: out)
            "#]],
        );
        check(
            "// run: block = 65\n.global .u32 t[1] = { 1 };",
            expect![[r#"
                `65`: block: 65 threads are more than the 64 of a block
            "#]],
        );
        check(
            "// run: block = 1 entry = \"j\"",
            expect![[r#"
                `"j"`: entry: unknown entry `j` (allowed: k)
            "#]],
        );
    }
}
