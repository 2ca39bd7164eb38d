//! The lexer of Python: strings, comments, and the calls that take assembly.
//!
//! A string may itself be a program in CUDA C++, which is then read as one.

use super::{
    Define, Dialect, Escapes, Host, Layer, Literal, Part, Statement, c,
    call::Argument,
    decode,
    map::Mapped,
    scan::{Scan, is_name, range},
};

/// A function that takes assembly of LLVM: its name, and where its template and its constraints stand.
struct Function {
    name: &'static str,
    template: (usize, &'static str),
    constraints: (usize, &'static str),
    /// Where what is passed for the operands stands.
    arguments: (usize, &'static str),
    /// Which argument says that it must be kept, or that it need not.
    effects: &'static str,
}

const FUNCTIONS: [Function; 4] = [
    Function {
        name: "inline_asm",
        template: (2, "asm_string"),
        constraints: (3, "constraints"),
        arguments: (1, "operands_"),
        effects: "has_side_effects",
    },
    Function {
        name: "inline_asm_elementwise",
        template: (0, "asm"),
        constraints: (1, "constraints"),
        arguments: (2, "args"),
        effects: "is_pure",
    },
    Function {
        name: "InlineAsm",
        template: (1, "asm"),
        constraints: (2, "constraint"),
        arguments: (usize::MAX, "arguments"),
        effects: "side_effect",
    },
    Function {
        name: "asm",
        template: (1, "asm"),
        constraints: (2, "constraint"),
        arguments: (3, "args"),
        effects: "side_effect",
    },
];

struct Lexer<'a> {
    scan: Scan<'a>,
    host: Host,
}

pub(super) fn lex(text: &str) -> Host {
    let mut lexer = Lexer {
        scan: Scan::new(text),
        host: Host::default(),
    };
    lexer.run();
    lexer.host
}

impl Lexer<'_> {
    fn run(&mut self) {
        loop {
            let rest = &self.scan.bytes[self.scan.pos..self.scan.end];
            let stop = |it: &u8| matches!(it, b'"' | b'\'' | b'#' | b'(');
            let Some(found) = rest.iter().position(stop) else {
                return;
            };
            self.scan.pos += found;
            match self.scan.peek() {
                b'#' => self.scan.skip_line(),
                b'(' => {
                    let function = self.function();
                    self.scan.bump(1);
                    if let Some((function, start)) = function {
                        self.call(function, start);
                    }
                }
                _ => {
                    let quote = self.scan.pos;
                    if let Some(literal) = self.string() {
                        self.constant(quote, literal);
                        self.program(&literal);
                    }
                }
            }
        }
    }

    /// The function that is called by the parenthesis here, and where its name starts.
    fn function(&self) -> Option<(&'static Function, usize)> {
        let before = &self.scan.bytes[..self.scan.pos];
        let blanks = before
            .iter()
            .rev()
            .take_while(|it| matches!(it, b' ' | b'\t'));
        let to = before.len() - blanks.take(64).count();
        let from = to
            - before[..to]
                .iter()
                .rev()
                .take(32)
                .take_while(|it| is_name(**it))
                .count();
        let name = self.scan.text.get(from..to)?;
        let method = from > 0 && before[from - 1] == b'.';
        let function = FUNCTIONS.iter().find(|it| it.name == name)?;
        (name != "asm" || method).then_some((function, from))
    }

    /// Goes behind the string whose quote stands here; none if it is not closed, or made of bytes.
    fn string(&mut self) -> Option<Literal> {
        let quote = self.scan.pos;
        let bytes = self.scan.bytes;
        let prefix = bytes[..quote].iter().rev().take(3);
        let prefix = prefix.take_while(|it| it.is_ascii_alphabetic()).count();
        let mut from = quote - prefix;
        if from > 0 && is_name(bytes[from - 1]) {
            from = quote;
        }
        let has = |letter: u8| {
            bytes[from..quote]
                .iter()
                .any(|it| it.eq_ignore_ascii_case(&letter))
        };
        let mark = bytes[quote];
        let triple = bytes[quote..].starts_with(&[mark; 3]);
        self.scan.bump(if triple { 3 } else { 1 });
        let content = self.scan.pos;
        let (mut end, mut closed) = self.scan.quoted(mark, triple);
        while triple && closed && !bytes[end..].starts_with(&[mark; 3]) {
            (end, closed) = self.scan.quoted(mark, true);
        }
        if triple && closed {
            self.scan.bump(2);
        }
        let escapes = match (has(b'r'), has(b'f') || has(b't')) {
            (false, false) => Escapes::Python,
            (true, false) => Escapes::Raw,
            (false, true) => Escapes::PythonFormat,
            (true, true) => Escapes::PythonRawFormat,
        };
        (closed && !has(b'b')).then(|| Literal {
            range: range(from, self.scan.pos),
            content: range(content, end),
            escapes,
            conditional: false,
        })
    }

    /// Remembers the string as the value of a name, if a line is nothing else.
    fn constant(&mut self, quote: usize, literal: Literal) {
        let bytes = self.scan.bytes;
        let from = usize::from(literal.range.start());
        let line = bytes[..quote]
            .iter()
            .rev()
            .take(80)
            .take_while(|it| **it != b'\n')
            .count();
        let head = &self.scan.text.as_bytes()[quote - line..from.max(quote - line)];
        let name = head.iter().take_while(|it| is_name(**it)).count();
        let rest = &head[name..];
        let at_start = quote == line || bytes[quote - line - 1] == b'\n';
        let assigned = rest.trim_ascii() == b"=";
        let after = bytes[self.scan.pos..]
            .iter()
            .find(|it| !matches!(it, b' ' | b'\t' | b'\r'));
        if name > 0 && at_start && assigned && after.is_none_or(|it| matches!(it, b'\n' | b'#')) {
            self.host.defines.push(Define {
                name: range(quote - line, quote - line + name),
                literals: Some(vec![literal]),
            });
        }
    }

    /// Reads the content of a string as a program in C++.
    fn program(&mut self, literal: &Literal) {
        let content = &self.scan.text[literal.content];
        if memchr::memmem::find(content.as_bytes(), b"asm").is_none() {
            return;
        }
        let mut layer = Mapped::default();
        decode(
            content,
            literal.content.start(),
            literal.escapes,
            "_",
            &mut layer,
        );
        let inner = c::lex(&layer.text);
        if inner.statements.is_empty() {
            return;
        }
        let index = self.host.layers.len() as u32;
        let statements = inner.statements.into_iter().map(|it| Statement {
            layer: Some(index),
            ..it
        });
        self.host.statements.extend(statements);
        self.host.layers.push(Layer {
            text: layer,
            escapes: literal.escapes,
        });
    }

    /// Reads a call from behind its parenthesis; its name starts at an offset.
    fn call(&mut self, function: &Function, start: usize) {
        let keyword = range(start, start + function.name.len());
        let mut arguments = Vec::new();
        let closed = loop {
            let mut argument = Argument::default();
            let end = self.argument(&mut argument);
            if !argument.range.is_empty() {
                arguments.push(argument);
            }
            match end {
                b',' => {}
                end => break end == b')',
            }
        };
        let text = self.scan.text;
        let find = |(index, name): (usize, &str)| {
            let named = |it: &&Argument| it.name.is_some_and(|it| &text[it] == name);
            let positional = || arguments.get(index).filter(|it| it.name.is_none());
            arguments.iter().find(named).or_else(positional)
        };
        let Some(template) = find(function.template)
            .filter(|it| it.has_literal() || matches!(it.parts[..], [Part::Name(_)]))
        else {
            return;
        };
        let constraints = find(function.constraints).map(|it| it.parts.clone());
        let effects = find((usize::MAX, function.effects)).map(|it| &text[it.range] == "True");
        let statement = Statement {
            range: range(start, self.scan.pos),
            keyword,
            layer: None,
            dialect: Dialect::Llvm,
            volatile: match function.effects {
                "is_pure" => effects == Some(false),
                _ => effects.unwrap_or(true),
            },
            template: template.parts.clone(),
            colons: 0,
            operands: Vec::new(),
            conditional_operands: constraints.is_none(),
            constraints: constraints.unwrap_or_default(),
            arguments: find(function.arguments)
                .map(|it| self.elements(it))
                .unwrap_or_default(),
            clobbers: Vec::new(),
            conditions: Vec::new(),
            in_define: false,
            complete: closed,
            block: 0,
        };
        self.host.statements.push(statement);
    }

    /// The elements of a list in brackets.
    fn elements(&self, list: &Argument) -> Vec<rowan::TextRange> {
        let (from, to) = (
            usize::from(list.range.start()),
            usize::from(list.range.end()),
        );
        if self.scan.bytes.get(from) != Some(&b'[') || to < from + 2 {
            return Vec::new();
        }
        let mut inner = Lexer {
            scan: Scan {
                pos: from + 1,
                end: to - 1,
                ..self.scan.clone()
            },
            host: Host::default(),
        };
        let mut elements = Vec::new();
        loop {
            let mut argument = Argument::default();
            let end = inner.argument(&mut argument);
            if !argument.range.is_empty() {
                elements.push(argument.range);
            }
            if end != b',' {
                return elements;
            }
        }
    }

    /// Reads an argument and the comma or bracket that ends it, which is returned; 0 if there is none.
    fn argument(&mut self, argument: &mut Argument) -> u8 {
        let (mut start, mut end) = (None, self.scan.pos);
        let mut groups = 0u32;
        // Whether an operator other than `+` makes something else of the strings.
        let mut computed = false;
        let mut previous = 0;
        let closing = loop {
            let pos = self.scan.pos;
            let byte = self.scan.peek();
            if self.scan.is_end() {
                break 0;
            }
            if matches!(byte, b' ' | b'\t' | b'\r' | b'\\') {
                self.scan.bump(1);
                continue;
            }
            if byte == b'\n' {
                self.scan.bump(1);
                // A statement at the first column: the call is not finished.
                if ["def ", "class ", "@", "import ", "from "]
                    .iter()
                    .any(|it| self.scan.starts_with(it))
                {
                    break 0;
                }
                continue;
            }
            if byte == b'#' {
                self.scan.skip_line();
                continue;
            }
            if groups == 0 && matches!(byte, b',' | b')' | b']') {
                self.scan.bump(1);
                break byte;
            }
            let first = *start.get_or_insert(pos);
            match byte {
                b'"' | b'\'' => match self.string() {
                    Some(literal) => argument.parts.push(Part::Literal(literal)),
                    None => argument.unknown(pos, self.scan.pos),
                },
                b'(' if !matches!(previous, b')' | b']' | b'a') => {
                    groups += 1;
                    self.scan.bump(1);
                }
                b')' if groups > 0 => {
                    groups -= 1;
                    self.scan.bump(1);
                }
                b'(' | b'[' | b'{' => {
                    self.balanced();
                    argument.unknown(pos, self.scan.pos);
                }
                b'+' => self.scan.bump(1),
                b'=' if first < pos
                    && argument.name.is_none()
                    && self.scan.at(1) != b'='
                    && previous == b'a' =>
                {
                    argument.name = Some(range(first, end));
                    argument.parts.clear();
                    computed = false;
                    start = None;
                    self.scan.bump(1);
                }
                _ if is_name(byte) => {
                    self.scan.name();
                    // The letters before a string are a part of it.
                    if !matches!(self.scan.peek(), b'"' | b'\'') || self.scan.pos - pos > 3 {
                        argument.parts.push(Part::Name(range(pos, self.scan.pos)));
                    } else {
                        continue;
                    }
                }
                _ => {
                    computed = true;
                    self.scan.bump(1);
                }
            }
            previous = if is_name(byte) { b'a' } else { byte };
            end = self.scan.pos;
        };
        let start = start.unwrap_or(end);
        argument.range = range(start, end.max(start));
        if computed {
            argument.parts = vec![Part::Unknown(argument.range)];
        }
        closing
    }

    /// Goes behind the bracket that belongs to the one here, or to where the call cannot go on.
    fn balanced(&mut self) {
        let mut depth = 0u32;
        while !self.scan.is_end() {
            match self.scan.peek() {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth -= 1;
                    if depth == 0 {
                        return self.scan.bump(1);
                    }
                }
                b'"' | b'\'' => {
                    self.string();
                    continue;
                }
                b'#' => {
                    self.scan.skip_line();
                    continue;
                }
                b'\n' if self.scan.bytes[self.scan.pos + 1..self.scan.end].starts_with(b"def ") => {
                    return;
                }
                _ => {}
            }
            self.scan.bump(1);
        }
    }
}
