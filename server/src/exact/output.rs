//! Reads what `ptxas --verbose` writes.
//!
//! ```text
//! ptxas input.ptx, line 7; error   : Unknown symbol 'x'
//! ptxas warning : Stack size for entry function 'k' cannot be statically determined
//! ptxas info    : Compiling entry function 'k' for 'sm_90'
//! ptxas info    : Function properties for k
//!     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
//! ptxas info    : Used 24 registers, used 1 barriers, 1024 bytes smem, 352 bytes cmem[0]
//! ```

use analysis::{ExactEntry, ExactRegisters, Severity};

/// More messages about one file are of no use.
const MAX_MESSAGES: usize = 1000;

/// The output of `ptxas`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Output {
    /// Errors, warnings and remarks, without repetitions of the fact that there were errors.
    pub(super) messages: Vec<RawMessage>,
    /// The entries that code was made for.
    pub(super) entries: Vec<ExactEntry>,
}

/// A message as `ptxas` puts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RawMessage {
    /// The file and the line in it, from 1.
    pub(super) place: Option<(String, u32)>,
    pub(super) severity: Severity,
    pub(super) text: String,
}

/// Reads all lines.
pub(super) fn parse(text: &str) -> Output {
    let mut output = Output::default();
    let mut current: Option<String> = None;
    for line in text.lines() {
        let Some(message) = message(line) else {
            if let Some(entry) = entry(&mut output.entries, current.as_deref()) {
                stack(line, &mut entry.registers);
            }
            continue;
        };
        if message.severity == Severity::Information && message.place.is_none() {
            if let Some((name, target)) = compiling(&message.text) {
                current = Some(name.to_owned());
                output.entries.push(ExactEntry {
                    name: name.to_owned(),
                    target: target.to_owned(),
                    registers: ExactRegisters::default(),
                    lines: Vec::new(),
                    instructions: None,
                });
                continue;
            }
            if let Some(name) = message.text.strip_prefix("Function properties for ") {
                current = Some(name.trim().to_owned());
                continue;
            }
            if let Some(rest) = message.text.strip_prefix("Used ") {
                if let Some(entry) = entry(&mut output.entries, current.as_deref()) {
                    used(rest, &mut entry.registers);
                }
                continue;
            }
            if is_chatter(&message.text) {
                continue;
            }
        }
        // Says only that there was an error before.
        let news = message.text != "Ptx assembly aborted due to errors";
        if news && output.messages.len() < MAX_MESSAGES {
            output.messages.push(message);
        }
    }
    output
}

/// Reads `ptxas input.ptx, line 7; error   : text` and `ptxas fatal   : text`.
fn message(line: &str) -> Option<RawMessage> {
    let rest = line.strip_prefix("ptxas ")?;
    let (place, rest) = match rest.split_once(", line ") {
        Some((file, after)) if !after.is_empty() => match after.split_once(';') {
            Some((number, after)) if number.bytes().all(|it| it.is_ascii_digit()) => {
                (Some((file.to_owned(), number.parse().ok()?)), after)
            }
            _ => (None, rest),
        },
        _ => (None, rest),
    };
    let (severity, text) = rest.split_once(':')?;
    let place = place.or_else(|| {
        let (_, after) = text.split_once(" on line ")?;
        let digits = after.trim_start_matches('\'');
        let end = digits.find(|it: char| !it.is_ascii_digit());
        let number = digits[..end.unwrap_or(digits.len())].parse().ok()?;
        // The message names no file: it is about the only one.
        Some((String::new(), number))
    });
    let severity = match severity.trim() {
        "fatal" | "error" => Severity::Error,
        "warning" => Severity::Warning,
        "info" => Severity::Information,
        _ => return None,
    };
    Some(RawMessage {
        place,
        severity,
        text: text.trim().to_owned(),
    })
}

/// The name and the target of `Compiling entry function 'k' for 'sm_90'`.
fn compiling(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("Compiling entry function '")?;
    let (name, rest) = rest.split_once("' for '")?;
    Some((name, rest.strip_suffix('\'')?))
}

fn entry<'a>(entries: &'a mut [ExactEntry], name: Option<&str>) -> Option<&'a mut ExactEntry> {
    let name = name?;
    entries.iter_mut().rfind(|it| it.name == name)
}

/// Reads `8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads`.
fn stack(line: &str, registers: &mut ExactRegisters) {
    for (number, what) in numbers(line) {
        match what {
            "bytes stack frame" => registers.stack = registers.stack.max(number),
            "bytes spill stores" => registers.spill_stores = number,
            "bytes spill loads" => registers.spill_loads = number,
            _ => {}
        }
    }
}

/// Reads `24 registers, used 1 barriers, 8 bytes cumulative stack size, 1024 bytes smem, 352 bytes cmem[0]`.
fn used(text: &str, registers: &mut ExactRegisters) {
    for (number, what) in numbers(text) {
        match what {
            "registers" => registers.registers = number,
            "bytes cumulative stack size" => registers.stack = registers.stack.max(number),
            "bytes smem" => registers.shared = number,
            _ => {}
        }
    }
}

/// The parts of a list, each a number and what it counts.
fn numbers(text: &str) -> impl Iterator<Item = (u32, &str)> {
    text.split(',').filter_map(|part| {
        let (number, what) = part.trim().split_once(' ')?;
        Some((number.parse().ok()?, what.trim()))
    })
}

/// Whether a line reports progress, and not a remark about the program.
fn is_chatter(text: &str) -> bool {
    text.starts_with("Compile time = ")
        || text.starts_with("Compiling ")
        || text.starts_with("Overriding ")
        || text.starts_with("Merging elf ")
        || numbers(text).any(|it| matches!(it.1, "bytes gmem" | "bytes cmem[3]" | "bytes cmem[4]"))
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    #[expect(
        clippy::needless_pass_by_value,
        reason = "the convention of expect-test"
    )]
    fn check(text: &str, expect: Expect) {
        let output = parse(text);
        let mut shown = String::new();
        for it in &output.messages {
            shown += &format!("{:?} {:?}: {}\n", it.place, it.severity, it.text);
        }
        for it in &output.entries {
            shown += &format!("{} for {}: {:?}\n", it.name, it.target, it.registers);
        }
        expect.assert_eq(&shown);
    }

    #[test]
    fn figures_of_entries() {
        check(
            "\
ptxas info    : 7 bytes gmem, 16 bytes cmem[3]
ptxas info    : Compiling entry function 'a' for 'sm_90a'
ptxas info    : Function properties for a
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 0 barriers, 352 bytes cmem[0]
ptxas info    : Compile time = 6.779 ms
ptxas info    : Function properties for helper
    64 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Compiling entry function 'b' for 'sm_90a'
ptxas info    : Function properties for b
    16 bytes stack frame, 20 bytes spill stores, 24 bytes spill loads
ptxas info    : Used 32 registers, used 1 barriers, 80 bytes cumulative stack size, 1024 bytes smem
",
            expect![[r#"
                a for sm_90a: ExactRegisters { registers: 24, spill_stores: 0, spill_loads: 0, stack: 0, shared: 0 }
                b for sm_90a: ExactRegisters { registers: 32, spill_stores: 20, spill_loads: 24, stack: 80, shared: 1024 }
            "#]],
        );
    }

    #[test]
    fn messages() {
        check(
            "\
ptxas input.ptx, line 7; error   : Unknown symbol 'x'
ptxas input.ptx, line 9; info    : Potential out of bound access: there
ptxas kernel, line 3.cu, line 12; warning : Odd name
ptxas warning : Program uses 32-bit address on line '11' which is conflicting with .address_size 64
ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored
ptxas fatal   : Ptx assembly aborted due to errors
",
            expect![[r#"
                Some(("input.ptx", 7)) Error: Unknown symbol 'x'
                Some(("input.ptx", 9)) Information: Potential out of bound access: there
                Some(("", 11)) Warning: Program uses 32-bit address on line '11' which is conflicting with .address_size 64
                None Information: (C7508) Potential Performance Loss: 'setmaxnreg' ignored
            "#]],
        );
    }

    #[test]
    fn odd_output_is_no_trouble() {
        for text in [
            "ptxas",
            "ptxas ",
            "ptxas x, line ",
            "ptxas x, line 99999999999999; error : y",
            "ptxas info : Used x registers, 99999999999999 bytes smem",
            "ptxas info : Compiling entry function '",
            "   4 bytes stack frame",
            "\u{fffd}, line 3; error : é",
        ] {
            assert_eq!(parse(text), Output::default(), "{text}");
        }
    }

    #[test]
    fn messages_are_bounded() {
        let many = "ptxas a, line 1; error : x\n".repeat(3 * MAX_MESSAGES);
        assert_eq!(parse(&many).messages.len(), MAX_MESSAGES);
    }
}
