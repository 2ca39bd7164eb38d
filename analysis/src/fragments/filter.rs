//! The diagnostics of a module that hold for the statement that it was made from.

use std::cmp::Ordering;

use isa::target::Target;
use syntax::{
    TextRange, TextSize,
    host::{Dialect, Language, RunKind},
};

use crate::{
    Diagnostic, DiagnosticCode, FileId, FileRange, Fix, RelatedInformation, Severity,
    diagnostics::registry,
};

use super::{Fragment, HostFile, names, operands::Class, template};

/// The codes of what a target or version lacks.
pub(super) const GATES: [&str; 2] = [
    registry::UNSUPPORTED_BY_TARGET.name,
    registry::UNSUPPORTED_BY_VERSION.name,
];

/// Diagnostics about entries, files, or the control around a statement, which the module does not have.
const ELSEWHERE: [&str; 18] = [
    registry::MISSING_RETURN.name,
    registry::UNREACHABLE_CODE.name,
    registry::UNUSED_PARAMETER.name,
    registry::UNUSED_LABEL.name,
    registry::DIVERGENT_BARRIER.name,
    registry::INFINITE_LOOP.name,
    registry::TOO_MANY_REGISTERS.name,
    registry::TOO_MANY_THREADS.name,
    registry::LIKELY_SPILL.name,
    registry::IGNORED_SETMAXNREG.name,
    registry::MISSING_DIRECTIVE.name,
    registry::UNKNOWN_VERSION.name,
    registry::UNKNOWN_TARGET.name,
    registry::ADDRESS_SIZE_32.name,
    registry::COMPILE_ONLY.name,
    registry::MISSING_DEFINITION.name,
    registry::NOT_PORTABLE.name,
    registry::LOCAL_MEMORY.name,
];

/// The rules of protocols that one statement can decide: the other half of most protocols is in another one.
const ALONE: [&str; 4] = [
    registry::BARRIER_THREAD_COUNT.name,
    registry::IGNORED_WAIT_RESULT.name,
    registry::TCGEN05_COLUMN_COUNT.name,
    registry::WEAK_POLL.name,
];

/// The codes that names declared elsewhere would change.
const NAMES: [&str; 7] = [
    registry::UNDEFINED_NAME.name,
    registry::UNDEFINED_LABEL.name,
    registry::UNDEFINED_FUNCTION.name,
    registry::UNUSED_REGISTER.name,
    registry::UNUSED_VALUE.name,
    registry::UNUSED_VARIABLE.name,
    registry::UNINITIALIZED_REGISTER.name,
];

/// The codes about a register that depend on what comes before or after it.
const FLOW: [&str; 4] = [
    registry::UNUSED_REGISTER.name,
    registry::UNUSED_VALUE.name,
    registry::UNUSED_VARIABLE.name,
    registry::UNINITIALIZED_REGISTER.name,
];

/// The diagnostics that hold, at their places in the file.
pub(super) fn keep(
    file: &HostFile,
    fragment: &Fragment,
    target: Target,
    host: &str,
    diagnostics: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let prologue = TextSize::of(&*fragment.prologue(target));
    let filter = Filter {
        file,
        host,
        fragment,
        prologue,
        holes: fragment.holes(),
        statements: fragment.open_holes(),
    };
    diagnostics
        .into_iter()
        .filter_map(|it| filter.one(it))
        .collect()
}

impl Fragment {
    /// The holes, each with the statement that it is a part of.
    fn holes(&self) -> Vec<(TextRange, TextRange)> {
        if !self.template.has_holes {
            return Vec::new();
        }
        let text = &self.template.text;
        let whole = TextRange::up_to(text.len());
        text.map
            .runs_in(whole)
            .filter(|it| it.1.kind == RunKind::Hole)
            .map(|it| (it.0, self.shape.around(it.0)))
            .collect()
    }

    /// A text in which operands are named as the host names them.
    pub(super) fn words(&self, mut text: String) -> String {
        if self.dialect != Dialect::Rust || !text.contains('$') {
            return text;
        }
        for placeholder in &self.template.placeholders {
            let Some(index) = placeholder.operand else {
                continue;
            };
            let name = template::name(self.dialect, index);
            text = text.replace(&format!("`{name}`"), &format!("`{{{index}}}`"));
        }
        text
    }

    /// Whether a hole may be whole statements.
    fn open_holes(&self) -> bool {
        let text = &self.template.text;
        self.template.has_holes
            && text
                .map
                .runs_in(TextRange::up_to(text.len()))
                .any(|it| it.1.kind == RunKind::Hole && self.shape.begins(it.0.start()))
    }
}

/// Whether the assembler sees this very constant.
fn is_known(class: &Class) -> bool {
    matches!(class, Class::Immediate(Some(_)))
}

/// How often a text has a word.
fn count(text: &str, word: &str) -> usize {
    let part = |it: Option<&u8>| it.is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_');
    let bytes = text.as_bytes();
    memchr::memmem::find_iter(bytes, word)
        .filter(|at| {
            let before = at.checked_sub(1).and_then(|it| bytes.get(it));
            !part(before) && !part(bytes.get(at + word.len()))
        })
        .count()
}

/// Whether one character more, less or other makes one word of another.
fn is_near(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let same = one.iter().zip(other).take_while(|it| it.0 == it.1).count();
    let (one, other) = (&one[same..], &other[same..]);
    match one.len().cmp(&other.len()) {
        Ordering::Equal => one.get(1..) == other.get(1..),
        Ordering::Less => other.get(1..) == Some(one),
        Ordering::Greater => one.get(1..) == Some(other),
    }
}

struct Filter<'a> {
    file: &'a HostFile,
    /// The text that the statement is a part of.
    host: &'a str,
    fragment: &'a Fragment,
    /// The length of what is before the template in the module.
    prologue: TextSize,
    /// Holes, and the statements that they are a part of.
    holes: Vec<(TextRange, TextRange)>,
    /// Whether whole statements are not known.
    statements: bool,
}

impl Filter<'_> {
    fn one(&self, diagnostic: Diagnostic) -> Option<Diagnostic> {
        let code = diagnostic.code;
        let of_protocols = registry::code(code).is_some_and(DiagnosticCode::is_of_protocols);
        if ELSEWHERE.contains(&code) || of_protocols && !ALONE.contains(&code) {
            return None;
        }
        let range = self.own(diagnostic.range)?;
        if self.touches_hole(range) {
            return None;
        }
        let names = NAMES.contains(&code);
        let shape = &self.fragment.shape;
        if names && self.statements {
            return None;
        }
        if code == registry::UNCLOSED_DELIMITER.name
            && (self.statements || shape.opens + shape.closes > 0)
        {
            return None;
        }
        if code == registry::SYNTAX_ERROR.name
            && shape.finishes == Some(range)
            && self.file.neighbours.explain_begin(shape)
        {
            return None;
        }
        // What is unknown may read or write any register.
        let partial = shape.opens > 0 || shape.closes > 0 || self.fragment.template.has_holes;
        if partial && FLOW.contains(&code) {
            return None;
        }
        let text = &self.fragment.template.text;
        let word = &text.text[range];
        if names && self.file.neighbours.declare(word) {
            return None;
        }
        let mut severity = diagnostic.severity;
        let placeholder = self
            .fragment
            .template
            .placeholders
            .iter()
            .find(|it| it.range.contains_range(range));
        if let Some(placeholder) = placeholder {
            let operand = placeholder
                .operand
                .and_then(|it| self.fragment.operands.list.get(it as usize));
            match operand {
                None => return None,
                Some(it) if is_known(&it.class) && severity == Severity::Error => {}
                Some(it) => {
                    let register = matches!(it.class, Class::Register(_) | Class::Float(..));
                    // Constants are there when the code is compiled; what reads an output is the host.
                    let elsewhere = match code == registry::UNINITIALIZED_REGISTER.name {
                        true => it.read,
                        false => FLOW.contains(&code),
                    };
                    if !register || elsewhere {
                        return None;
                    }
                }
            }
        } else if FLOW.contains(&code) && self.is_used_elsewhere(code, range) {
            return None;
        }
        if severity == Severity::Error && self.may_be_host_name(code, range) {
            severity = Severity::Hint;
        }
        if severity == Severity::Error && self.may_be_compilers(code, range) {
            severity = Severity::Warning;
        }
        let mut help = diagnostic.help;
        // Whether an entry reaches the statement is for the compiler to know.
        if code == registry::MISSING_CALL.name {
            if partial {
                return None;
            }
            (severity, help) = (Severity::Error, None);
        }
        let host = text.map.to_host(range)?;
        Some(Diagnostic {
            range: host,
            severity,
            code,
            message: self.words(diagnostic.message),
            help: help.map(|it| self.words(it)),
            related: diagnostic
                .related
                .into_iter()
                .filter_map(|it| self.related(it))
                .collect(),
            tags: diagnostic.tags,
            fixes: diagnostic
                .fixes
                .into_iter()
                .filter_map(|it| self.fix(it))
                .collect(),
        })
    }

    /// Whether what is unknown may change what is said about a range: it is in the same statement, unless it is
    /// a part of the name of an operand, and something is said about the words before the operands.
    fn touches_hole(&self, range: TextRange) -> bool {
        let text = &self.fragment.template.text.text;
        let is_word =
            |it: Option<u8>| it.is_some_and(|it| it.is_ascii_alphanumeric() || it == b'_');
        let bytes = text.as_bytes();
        let mut touching = self
            .holes
            .iter()
            .filter(|it| it.1.intersect(range).is_some());
        touching.any(|(hole, statement)| {
            let (start, end) = (usize::from(hole.start()), usize::from(hole.end()));
            let before = start.checked_sub(1).and_then(|it| bytes.get(it)).copied();
            let part_of_name = is_word(before) || is_word(bytes.get(end).copied());
            let name = text[..start].rfind(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
            let operand =
                name.is_some_and(|it| matches!(bytes[it], b' ' | b'\t' | b',' | b'{' | b'['));
            let words = &text[usize::from(statement.start())..usize::from(range.end())];
            let opcode = !words
                .trim_start()
                .contains(|it: char| it.is_ascii_whitespace());
            !(part_of_name && operand && opcode && range.end() < hole.start())
        })
    }

    /// The range in the template of one in the module; what is said about the end is said about its last character.
    fn own(&self, range: TextRange) -> Option<TextRange> {
        let len = self.fragment.template.text.len();
        if range.start() < self.prologue {
            return None;
        }
        let start = range.start() - self.prologue;
        if start >= len {
            if self.fragment.shape.unfinished.is_some() {
                return None;
            }
            let text = self.fragment.template.text.text.trim_end();
            let end = TextSize::of(text);
            let last = text.chars().next_back().map_or(0, char::len_utf8);
            return Some(TextRange::new(end - TextSize::new(last as u32), end));
        }
        Some(TextRange::new(
            start,
            (range.end() - self.prologue).min(len),
        ))
    }

    /// Whether a finding about the use of a register, which may appear at a whole statement, is about one that the
    /// host or another fragment uses.
    fn is_used_elsewhere(&self, code: &str, range: TextRange) -> bool {
        let fragment = self.fragment;
        let outputs = fragment.template.placeholders.iter().any(|it| {
            let operand = it
                .operand
                .and_then(|it| fragment.operands.list.get(it as usize));
            range.contains_range(it.range) && operand.is_some_and(|it| it.written)
        });
        code == registry::UNUSED_VALUE.name && (outputs || !fragment.shape.leaked.is_empty())
    }

    /// Whether a register that is not declared may be one of those that LLVM declares.
    fn may_be_compilers(&self, code: &str, range: TextRange) -> bool {
        code == registry::UNDEFINED_NAME.name
            && self.fragment.dialect == Dialect::Llvm
            && names::is_of_compiler(&self.fragment.template.text.text[range])
    }

    /// Whether a name that is not declared may be one of the module that the host is compiled to: a variable, whose
    /// address is taken, or a function.
    fn may_be_host_name(&self, code: &str, range: TextRange) -> bool {
        if code == registry::UNDEFINED_FUNCTION.name {
            return true;
        }
        let text = &self.fragment.template.text.text;
        let word = &text[range];
        if code != registry::UNDEFINED_NAME.name
            || !word.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        {
            return false;
        }
        let start = usize::from(self.fragment.shape.around(range).start());
        let before = text[start..usize::from(range.start())].trim();
        let is_address = before.ends_with('[');
        // An operand that is read: the first one is written. A vector has registers and constants only.
        let mut opcodes = before
            .split(|it: char| !(it.is_ascii_alphanumeric() || "._:".contains(it)))
            .filter_map(|it| it.split_once('.'));
        let is_value = opcodes.any(|it| isa::tables().reads_names(it.0))
            && before.contains(',')
            && word.len() > 1
            && before.matches('{').count() <= before.matches('}').count();
        (is_address || is_value) && !self.is_misspelt(word) && self.may_be_declared(word)
    }

    /// Whether the fragment declares a register with nearly this name.
    fn is_misspelt(&self, word: &str) -> bool {
        let registers = &self.fragment.shape.registers;
        2 < word.len() && registers.iter().any(|it| is_near(&it.0, word))
    }

    /// Whether the module that the host is compiled to may declare a name: what the host does not write, and does not
    /// include, is not in it.
    fn may_be_declared(&self, word: &str) -> bool {
        let is_whole = match self.fragment.dialect {
            Dialect::Cuda => memchr::memmem::find(self.host.as_bytes(), b"include").is_none(),
            Dialect::Llvm => self.file.language == Language::Llvm,
            Dialect::Rust => false,
        };
        !is_whole
            || word.starts_with("_Z")
            || count(&self.fragment.template.text.text, word) < count(self.host, word)
    }

    /// A message in which operands are named as the host names them.
    fn words(&self, message: String) -> String {
        let message = message.replace("this module is for", "this code is compiled for");
        self.fragment.words(message)
    }

    fn related(&self, related: RelatedInformation) -> Option<RelatedInformation> {
        let range = self.own(related.location.range)?;
        let host = self.fragment.template.text.map.to_host(range)?;
        Some(RelatedInformation {
            location: FileRange {
                file: FileId(0),
                range: host,
            },
            message: self.words(related.message),
        })
    }

    fn fix(&self, fix: Fix) -> Option<Fix> {
        let edits = fix
            .edits
            .iter()
            .map(|edit| {
                let range = self.own(edit.range)?;
                self.file.host_edit(self.fragment, range, &edit.insert)
            })
            .collect::<Option<Vec<_>>>()?;
        Some(Fix { edits, ..fix })
    }
}
