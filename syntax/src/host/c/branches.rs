//! Conditions of C++ itself: `if constexpr`, `if` over the architecture, and the macros of `nv/target`.

use super::{
    super::{
        Condition, Test,
        scan::{is_name, range},
    },
    CLexer,
};

/// More blocks around a statement than these are not looked at.
const MAX_AROUND: usize = 8;
/// More blanks than these are not looked over.
const MAX_BLANKS: usize = 256;
/// A condition is at most so long.
const MAX_CONDITION: usize = 512;
/// More arguments of a macro than these are not told apart.
const MAX_ARGUMENTS: usize = 64;
/// More macros in each other than these are not followed.
const MAX_NESTED: usize = 16;

/// Code that is compiled only under conditions.
pub(super) struct Guarded {
    start: usize,
    end: usize,
    conditions: Vec<Condition>,
}

impl CLexer<'_> {
    /// Reads the name here. If it is a macro that chooses by target, its arguments are remembered; they are read as
    /// any other code afterwards.
    pub(super) fn target_macro(&mut self) {
        let start = self.scan.pos;
        if start > 0 && is_name(self.scan.bytes[start - 1]) {
            return self.scan.bump(1);
        }
        let name = self.scan.name();
        let pairs = match name {
            "NV_IF_TARGET" | "NV_IF_ELSE_TARGET" => false,
            "NV_DISPATCH_TARGET" => true,
            _ => return,
        };
        let after = self.scan.pos;
        self.trivia();
        if self.scan.peek() == b'(' && !self.unclosed_macro {
            self.guarded.retain(|it| after < it.end);
            let arguments = match self.guarded.len() < MAX_NESTED * MAX_ARGUMENTS {
                true => self.arguments(),
                false => Some(Vec::new()),
            };
            match arguments {
                Some(arguments) => self.guard(&arguments, pairs),
                None => self.unclosed_macro = true,
            }
        }
        self.scan.pos = after;
    }

    /// The arguments in the parentheses here; none without the closing one.
    fn arguments(&mut self) -> Option<Vec<(usize, usize)>> {
        let mut arguments = Vec::new();
        let mut depth = 0u32;
        let mut start = self.scan.pos + 1;
        while !self.scan.is_end() {
            let pos = self.scan.pos;
            match self.scan.peek() {
                b'"' => {
                    self.string(pos);
                    continue;
                }
                b'\'' => {
                    self.character();
                    continue;
                }
                b'/' => {
                    self.comment();
                    continue;
                }
                b'(' | b'[' | b'{' => depth += 1,
                byte @ (b')' | b']' | b'}') => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        arguments.push((start, pos));
                        return (byte == b')').then_some(arguments);
                    }
                }
                b',' if depth == 1 && arguments.len() < MAX_ARGUMENTS => {
                    arguments.push((start, pos));
                    start = pos + 1;
                }
                _ => {}
            }
            self.scan.bump(1);
        }
        None
    }

    /// Remembers under which conditions the arguments of a macro are compiled: pairs of a condition and code, or one
    /// condition, its code and the code of its opposite.
    fn guard(&mut self, arguments: &[(usize, usize)], pairs: bool) {
        let condition = |(start, end): (usize, usize), expected| Condition {
            test: Test::Value,
            range: range(start, end),
            expected,
        };
        let mut before = Vec::new();
        if pairs {
            for pair in arguments.chunks_exact(2) {
                let mut conditions = before.clone();
                conditions.push(condition(pair[0], true));
                before.push(condition(pair[0], false));
                self.guarded.push(Guarded {
                    start: pair[1].0,
                    end: pair[1].1,
                    conditions,
                });
            }
        } else if let [first, code @ ..] = arguments {
            self.guarded
                .extend(code.iter().enumerate().map(|(index, code)| Guarded {
                    start: code.0,
                    end: code.1,
                    conditions: vec![condition(*first, index == 0)],
                }));
        }
    }

    /// Whether this is in a function that is compiled for devices.
    pub(super) fn in_device(&self) -> bool {
        let around = self.blocks.iter().take(MAX_AROUND);
        !self.in_define
            && around
                .copied()
                .any(|it| is_device(&self.scan.bytes[..it as usize]))
    }

    /// The conditions of C++ under which the code at an offset is compiled, outermost first.
    pub(super) fn branches(&mut self, at: usize) -> Vec<Condition> {
        self.guarded.retain(|it| at < it.end);
        let guarded = self.guarded.iter().filter(|it| it.start <= at);
        let mut all: Vec<_> = guarded.flat_map(|it| it.conditions.clone()).collect();
        let around = self.blocks.iter().rev().take(MAX_AROUND).rev();
        let mut places: Vec<_> = around.map(|it| *it as usize).collect();
        places.push(at);
        for place in places {
            self.branch(place, &mut all);
        }
        all
    }

    /// The conditions of `if` and `else` directly before an offset.
    fn branch(&self, at: usize, all: &mut Vec<Condition>) {
        let mut expected = true;
        let mut at = at;
        for _ in 0..MAX_AROUND {
            let mut before = trimmed(&self.scan.text[..at]);
            if let Some(rest) = word_before(before, "else") {
                // The block of the condition that does not hold.
                let close = trimmed(rest).len().checked_sub(1);
                let pair = close.and_then(|it| {
                    let index = self
                        .closed
                        .binary_search_by_key(&(it as u32), |pair| pair.0);
                    index.ok()
                });
                let Some(pair) = pair else {
                    return;
                };
                at = self.closed[pair].1 as usize;
                before = trimmed(&self.scan.text[..at]);
                expected = false;
            }
            let Some((head, condition)) = parentheses(before) else {
                return;
            };
            let head = trimmed(head);
            let constant = word_before(head, "constexpr");
            let head = trimmed(constant.unwrap_or(head));
            let Some(rest) = word_before(head, "if") else {
                return;
            };
            let text = &self.scan.text[condition.0..condition.1];
            if constant.is_some() || text.contains("__CUDA_ARCH") {
                all.push(Condition {
                    test: Test::Value,
                    range: range(condition.0, condition.1),
                    expected,
                });
            }
            // `else if`: the conditions before did not hold.
            if word_before(trimmed(rest), "else").is_none() {
                return;
            }
            at = rest.len();
        }
    }
}

/// Whether the declaration that ends a text is a function for devices.
fn is_device(before: &[u8]) -> bool {
    let part = &before[before.len().saturating_sub(MAX_CONDITION)..];
    let start = memchr::memrchr3(b';', b'{', b'}', part).map_or(0, |it| it + 1);
    [&b"__device__"[..], b"__global__"]
        .iter()
        .any(|it| memchr::memmem::find(&part[start..], it).is_some())
}

/// A text without the blanks at its end, of which there may be some.
fn trimmed(text: &str) -> &str {
    let blanks = text.bytes().rev().take(MAX_BLANKS);
    let blanks = blanks.take_while(u8::is_ascii_whitespace).count();
    &text[..text.len() - blanks]
}

/// The text before a word that ends it.
fn word_before<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let rest = text.strip_suffix(word)?;
    (!rest.bytes().next_back().is_some_and(is_name)).then_some(rest)
}

/// The text before the parentheses that end a text, and where between them something is.
fn parentheses(text: &str) -> Option<(&str, (usize, usize))> {
    let bytes = text.as_bytes();
    let mut depth = 0u32;
    for (index, byte) in bytes.iter().enumerate().rev().take(MAX_CONDITION) {
        match byte {
            b')' => depth += 1,
            b'(' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((&text[..index], (index + 1, text.len() - 1)));
                }
            }
            b';' | b'{' | b'}' => return None,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}
