//! A comment for an entry that has none.

use std::fmt::Write as _;

use analysis::code::{Code, Formal, Function, FunctionId, Variable};

use super::element::Element;

/// The threads of a block where the entry does not say.
const THREADS: u64 = 128;
/// The size and the alignment of a tensor map that is passed by value, in bytes.
const TENSOR_MAP: (u64, u64) = (128, 64);

/// Returns the lines of a comment that describes a run of an entry, each without its end: a grid of one block (or
/// cluster), arrays with an element for each thread for parameters of 64 bits, and numbers for the others.
/// Empty if the function does not exist.
#[must_use]
pub fn new_comment(code: &Code, entry: FunctionId) -> Vec<String> {
    let Some(function) = code.functions.get(entry as usize) else {
        return Vec::new();
    };
    let most = function.bounds.most_threads.unwrap_or(THREADS);
    let block = function.bounds.block;
    let threads = match block {
        Some(block) => block.iter().map(|it| u64::from(*it)).product(),
        None => THREADS.min(most),
    };
    let mut first = format!(
        "// run: grid = {}",
        shape(function.bounds.cluster.unwrap_or([1; 3]))
    );
    // The directive says it, and may be changed.
    if block.is_none() {
        let _ = write!(first, " block = {threads}");
    }
    let mut lines = vec![first];
    for variable in variables(code, function) {
        let key = key(&variable.name);
        let made = argument(variable, threads);
        lines.push(format!("//   args.{key} = {made}"));
        if is_tensor_map(variable) {
            let data = quoted(&data_of(variable));
            lines.push(format!(
                "//   args.{data} = {{ zeros = [64, 64], type = \"f16\" }}"
            ));
        }
    }
    lines
}

fn variables<'a>(code: &'a Code, function: &'a Function) -> impl Iterator<Item = &'a Variable> {
    function.parameters.iter().filter_map(|it| match it {
        Formal::Variable(id) => code.variables.get(*id as usize),
        Formal::Register(_) => None,
    })
}

fn is_tensor_map(variable: &Variable) -> bool {
    (variable.size, variable.alignment) == TENSOR_MAP
}

/// The name of the array that a tensor map describes.
fn data_of(variable: &Variable) -> String {
    format!("{} data", variable.name)
}

fn argument(variable: &Variable, threads: u64) -> String {
    if is_tensor_map(variable) {
        let data = data_of(variable);
        return format!(
            "{{ tensormap = {{ of = \"{data}\", type = \"f16\", shape = [64, 64], box = [64, 64] }} }}"
        );
    }
    if !variable.dimensions.is_empty() {
        return format!("{{ zeros = [{}], type = \"b8\" }}", variable.size);
    }
    if variable.lanes > 1 || Element::from_word(&variable.ty).is_none() {
        let bytes = "00".repeat(usize::try_from(variable.size).unwrap_or(0));
        return format!("{{ bytes = \"{bytes}\" }}");
    }
    let is_float = variable.ty.starts_with('f') || variable.ty.starts_with("bf");
    match (is_float, variable.size) {
        (true, _) => "1.0".to_owned(),
        (false, 8) => format!("{{ zeros = [{threads}], type = \"f32\" }}"),
        // A number of elements, as a rule; it fits into a signed byte.
        (false, 1) => "1".to_owned(),
        (false, _) => threads.to_string(),
    }
}

fn shape(dimensions: [u32; 3]) -> String {
    match dimensions {
        [x, 1, 1] => x.to_string(),
        [x, y, 1] => format!("[{x}, {y}]"),
        [x, y, z] => format!("[{x}, {y}, {z}]"),
    }
}

/// A name as a key of TOML.
pub(super) fn key(name: &str) -> String {
    let is_bare = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    match !name.is_empty() && name.chars().all(is_bare) {
        true => name.to_owned(),
        false => quoted(name),
    }
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

#[cfg(test)]
mod tests {
    use analysis::{AnalysisHost, FileId};
    use expect_test::{Expect, expect};
    use syntax::Document;

    use super::*;
    use crate::description::check::with_mistakes;

    /// Shows the comment for an entry; it has no mistakes.
    #[track_caller]
    fn check(entry: &str, expect: Expect) {
        let file = FileId(0);
        let module = |comment: &str| {
            let text = format!(
                ".version 8.0\n.target sm_90\n.address_size 64\n{comment}.entry {entry} {{ ret; }}\n"
            );
            AnalysisHost::with_file(file, Document::new(text).contents(), None)
        };
        let code = module("").analysis().code_headers(file);
        let comment = new_comment(&code.expect("nothing changes"), 0).join("\n") + "\n";
        expect.assert_eq(&comment);
        let host = module(&comment);
        let found = with_mistakes(&host.analysis(), file, Vec::new());
        assert_eq!(found.expect("nothing changes"), []);
    }

    #[test]
    fn arguments() {
        check(
            "k(.param .u64 .ptr .global .align 4 out, .param .b64 in, .param .u32 n, .param .f32 alpha, .param .s8 c)",
            expect![[r#"
                // run: grid = 1 block = 128
                //   args.out = { zeros = [128], type = "f32" }
                //   args.in = { zeros = [128], type = "f32" }
                //   args.n = 128
                //   args.alpha = 1.0
                //   args.c = 1
            "#]],
        );
        check(
            "$k(.param .u64 $out, .param .f16x2 h, .param .align 4 .b8 raw[12])",
            expect![[r#"
                // run: grid = 1 block = 128
                //   args."$out" = { zeros = [128], type = "f32" }
                //   args.h = { bytes = "00000000" }
                //   args.raw = { zeros = [12], type = "b8" }
            "#]],
        );
    }

    #[test]
    fn shapes() {
        check(
            "k() .reqntid 32, 2 .reqnctapercluster 2",
            expect![[r#"
                // run: grid = 2
            "#]],
        );
        check(
            "k(.param .align 64 .b8 map[128], .param .u64 out) .maxntid 64",
            expect![[r#"
                // run: grid = 1 block = 64
                //   args.map = { tensormap = { of = "map data", type = "f16", shape = [64, 64], box = [64, 64] } }
                //   args."map data" = { zeros = [64, 64], type = "f16" }
                //   args.out = { zeros = [64], type = "f32" }
            "#]],
        );
    }
}
