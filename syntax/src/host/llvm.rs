//! The lexer of LLVM IR: strings, comments, and `asm` in calls.

use super::{
    Dialect, Escapes, Host, Literal, Part, Statement,
    scan::{Scan, range},
};

/// The words between `asm` and its string.
const QUALIFIERS: [&str; 4] = ["sideeffect", "alignstack", "inteldialect", "unwind"];

pub(super) fn lex(text: &str) -> Host {
    let mut host = Host::default();
    let mut scan = Scan::new(text);
    while let Some(found) = memchr::memchr2(b'"', b';', &scan.bytes[scan.pos..]) {
        scan.pos += found;
        if scan.peek() == b';' {
            scan.skip_line();
            continue;
        }
        let quote = scan.pos;
        let Some(template) = string(&mut scan) else {
            continue;
        };
        if let Some((keyword, volatile)) = keyword(text, quote) {
            host.statements
                .push(statement(&mut scan, keyword, volatile, template));
        }
    }
    host
}

/// Moves past the string whose quote is here; none if it is not closed. A quote inside is an escape.
fn string(scan: &mut Scan<'_>) -> Option<Literal> {
    let start = scan.pos;
    scan.bump(1);
    let found = memchr::memchr(b'"', &scan.bytes[scan.pos..scan.end])?;
    let content = range(scan.pos, scan.pos + found);
    scan.bump(found + 1);
    Some(Literal {
        range: range(start, scan.pos),
        content,
        escapes: Escapes::Llvm,
        conditional: false,
    })
}

/// The word `asm` before a string, and whether the assembly has effects.
fn keyword(text: &str, quote: usize) -> Option<(rowan::TextRange, bool)> {
    let mut volatile = false;
    let mut end = quote;
    // Each word can appear once.
    for _ in 0..=QUALIFIERS.len() {
        let before = text[..end].trim_ascii_end();
        let word = before
            .bytes()
            .rev()
            .take(16)
            .take_while(u8::is_ascii_lowercase)
            .count();
        let from = before.len() - word;
        match &before[from..] {
            "asm" => {
                let module = before[..from].trim_ascii_end().ends_with("module");
                return (!module).then(|| (range(from, from + 3), volatile));
            }
            "sideeffect" => volatile = true,
            word if QUALIFIERS.contains(&word) => {}
            _ => return None,
        }
        end = from;
    }
    None
}

/// Reads the constraints and the arguments after a template.
fn statement(
    scan: &mut Scan<'_>,
    keyword: rowan::TextRange,
    volatile: bool,
    template: Literal,
) -> Statement {
    let blanks = |scan: &mut Scan<'_>| {
        while matches!(scan.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            scan.bump(1);
        }
    };
    blanks(scan);
    let mut constraints = Vec::new();
    let mut arguments = Vec::new();
    let mut complete = false;
    if scan.peek() == b',' {
        scan.bump(1);
        blanks(scan);
        if scan.peek() == b'"' {
            constraints.extend(string(scan).map(Part::Literal));
            blanks(scan);
        }
        if scan.peek() == b'(' {
            complete = passed(scan, &mut arguments);
        }
    }
    Statement {
        range: range(usize::from(keyword.start()), scan.pos),
        keyword,
        layer: None,
        dialect: Dialect::Llvm,
        volatile,
        template: vec![Part::Literal(template)],
        colons: 0,
        operands: Vec::new(),
        conditional_operands: constraints.is_empty(),
        constraints,
        arguments,
        clobbers: Vec::new(),
        conditions: Vec::new(),
        in_define: false,
        complete,
        block: 0,
        in_device: false,
    }
}

/// Reads what is passed, from its parenthesis on; false if it is not closed on its line.
fn passed(scan: &mut Scan<'_>, arguments: &mut Vec<rowan::TextRange>) -> bool {
    let mut depth = 0u32;
    let mut start = scan.pos + 1;
    while !scan.is_end() {
        let pos = scan.pos;
        match scan.peek() {
            b'(' | b'<' | b'{' | b'[' => depth += 1,
            byte @ (b',' | b')' | b'>' | b'}' | b']') => {
                if byte != b',' {
                    depth = depth.saturating_sub(1);
                }
                if depth == 0 || byte == b',' && depth == 1 {
                    let part = &scan.text[start..pos];
                    let from = start + part.len() - part.trim_ascii_start().len();
                    if !part.trim_ascii().is_empty() {
                        arguments.push(range(from, from + part.trim_ascii().len()));
                    }
                    start = pos + 1;
                }
                if depth == 0 {
                    scan.bump(1);
                    return true;
                }
            }
            b'\n' => return false,
            _ => {}
        }
        scan.bump(1);
    }
    false
}
