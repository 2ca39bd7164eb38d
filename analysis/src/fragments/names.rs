//! Names that stay declared after the statement that declares them.

use rustc_hash::FxHashMap;
use syntax::{
    TextRange,
    host::{Direction, Host, RunKind, Statement},
};

use crate::{
    Severity,
    diagnostics::registry::{ASM_DUPLICATE_NAME, ASM_HIDDEN_REGISTER, ASM_LEAKED_NAME},
};

use super::{Fragment, operands::Class, shape::Leaked};

/// The registers of compilers: a type and the first letters of its registers.
const REGISTERS: [(&str, &str); 7] = [
    (".b16", "%rs"),
    (".b32", "%r"),
    (".b64", "%rd"),
    (".b128", "%rq"),
    (".f32", "%f"),
    (".f64", "%fd"),
    (".pred", "%p"),
];

/// Whether compilers give registers such a name.
pub(super) fn is_of_compiler(name: &str) -> bool {
    let letters = name.trim_end_matches(|it: char| it.is_ascii_digit());
    letters != name && REGISTERS.iter().any(|it| it.1 == letters)
}

/// Tells of names that are declared outside braces: of those that an earlier statement of the same block declares,
/// too, and of those that nobody needs outside; and of registers that hide those of the compiler.
pub(super) fn find(text: &str, host: &Host, fragments: &mut [Fragment]) {
    in_blocks(text, host, fragments);
    leaked(fragments);
    for fragment in fragments {
        hidden(fragment);
    }
}

/// The names that a fragment leaves declared, if it is known to do so.
fn outside(fragment: &Fragment) -> impl Iterator<Item = &Leaked> {
    let shape = &fragment.shape;
    let known = !fragment.template.has_holes && shape.opens == 0 && shape.closes == 0;
    let unique = |leaked: &Leaked| {
        // A number that is another one in each copy is a part of it.
        let mut runs = fragment.template.text.map.runs_in(leaked.range);
        runs.any(|it| {
            it.1.kind == RunKind::Placeholder && &fragment.template.text.text[it.0] == "0"
        })
    };
    let leaked = shape.leaked.iter().map(|it| &it.1);
    leaked.filter(move |it| known && !unique(it))
}

/// Whether the compiler keeps a statement wherever it keeps the statements before it in its block: nothing drops it,
/// and it is not the only statement of an `if` or a `case`.
fn is_always_there(text: &str, statement: &Statement) -> bool {
    let before = text[..usize::from(statement.range.start())].trim_end();
    let outputs = statement
        .operands
        .iter()
        .any(|it| it.direction == Direction::Output);
    (statement.volatile || !outputs) && before.ends_with([';', '{', '}'])
}

/// Words after which control may be elsewhere than at the next statement.
const LEAVING: [&str; 7] = [
    "return", "break", "continue", "goto", "throw", "__trap", "assert",
];

/// Whether control comes from one statement of a block to another one of it.
fn is_straight(text: &str, first: &Statement, second: &Statement) -> bool {
    let between = text.get(first.range.end().into()..second.range.start().into());
    between.is_some_and(|it| !LEAVING.iter().any(|word| it.contains(word)))
}

/// The compiler puts all statements of a block into one function. Those between which the preprocessor may choose are
/// left alone.
fn in_blocks(text: &str, host: &Host, fragments: &mut [Fragment]) {
    let mut seen: FxHashMap<_, (usize, TextRange)> = FxHashMap::default();
    let mut found = Vec::new();
    for (index, fragment) in fragments.iter().enumerate() {
        let statement = &host.statements[fragment.statement as usize];
        if statement.in_define || statement.block == 0 {
            continue;
        }
        for leaked in outside(fragment) {
            let key = (
                statement.layer,
                statement.block,
                statement.conditions.clone(),
                leaked.name.clone(),
            );
            match seen.get(&key) {
                Some(&(first, place)) => {
                    let earlier = &host.statements[fragments[first].statement as usize];
                    let layer = statement.layer.and_then(|it| host.layers.get(it as usize));
                    let text = layer.map_or(text, |it| &it.text.text);
                    let both = is_always_there(text, earlier) && is_always_there(text, statement);
                    let severity = match both && is_straight(text, earlier, statement) {
                        true => Severity::Error,
                        false => ASM_DUPLICATE_NAME.severity(),
                    };
                    found.push((first, place, leaked.clone(), "a later", severity));
                    found.push((index, leaked.range, leaked.clone(), "an earlier", severity));
                }
                None => {
                    seen.insert(key, (index, leaked.range));
                }
            }
        }
    }
    for (index, range, leaked, other, severity) in found {
        let kind = if leaked.label { "label" } else { "name" };
        let message = format!(
            "{other} statement of this block declares the {kind} `{}`, too: put each into braces",
            leaked.name
        );
        let fragment = &mut fragments[index];
        let place = fragment.template.text.map.to_host(range);
        fragment.report.add(place, ASM_DUPLICATE_NAME, message);
        if let (Some(_), Some(last)) = (place, fragment.report.diagnostics.last_mut()) {
            last.severity = severity;
        }
    }
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|it: char| !(it.is_ascii_alphanumeric() || matches!(it, '_' | '$' | '%')))
}

fn leaked(fragments: &mut [Fragment]) {
    if fragments.iter().all(|it| outside(it).next().is_none()) {
        return;
    }
    // The fragments that have a word: one, or several.
    let mut users: FxHashMap<&str, (usize, bool)> = FxHashMap::default();
    for (index, fragment) in fragments.iter().enumerate() {
        for word in words(&fragment.template.text.text) {
            let user = users.entry(word).or_insert((index, false));
            user.1 |= user.0 != index;
        }
    }
    let mut found = Vec::new();
    for (index, fragment) in fragments.iter().enumerate() {
        for leaked in outside(fragment) {
            if users.get(&*leaked.name).is_none_or(|it| !it.1) {
                found.push((index, leaked.clone()));
            }
        }
    }
    for (index, leaked) in found {
        let message = format!(
            "`{}` stays declared after this statement: where the compiler repeats the statement, as it does when it inlines or unrolls, `ptxas` rejects the second one",
            leaked.name
        );
        let fragment = &mut fragments[index];
        let place = fragment.template.text.map.to_host(leaked.range);
        fragment.report.add(place, ASM_LEAKED_NAME, message);
    }
}

fn hidden(fragment: &mut Fragment) {
    let mut found = Vec::new();
    for (name, range) in &fragment.shape.registers {
        let letters = name.trim_end_matches(|it: char| it.is_ascii_digit());
        let Some((word, _)) = REGISTERS
            .iter()
            .find(|it| it.1 == letters && name != letters)
        else {
            continue;
        };
        let of_compiler = fragment.operands.list.iter().any(|it| match it.class {
            Class::Register(it) => it == *word,
            Class::Float(before, from) => before == *word || from == *word,
            _ => false,
        });
        if of_compiler {
            found.push((name.clone(), *range));
        }
    }
    for (name, range) in found {
        let message = format!(
            "`{name}` may be the register that the compiler gives an operand, which this declaration hides: choose another name"
        );
        let place = fragment.template.text.map.to_host(range);
        fragment.report.add(place, ASM_HIDDEN_REGISTER, message);
    }
}
