//! The lexer of Python: strings, comments, and the calls that take assembly.
//!
//! A string may itself be a program in CUDA C++, which is then read as one.

use rustc_hash::FxHashSet;

use super::{
    Define, Dialect, Escapes, Host, Layer, Literal, Part, Statement, c,
    call::Argument,
    filled::{self, Marks},
    scan::{Scan, is_name, range},
};

/// A function that takes assembly of LLVM: its name, and where its template and its constraints are.
struct Function {
    name: &'static str,
    template: (usize, &'static str),
    constraints: (usize, &'static str),
    /// Where what is passed for the operands appears.
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

/// Words of expressions that choose among strings.
const KEYWORDS: [&str; 9] = [
    "if", "else", "or", "and", "not", "for", "in", "is", "lambda",
];

/// The type of values that a kernel is compiled for.
const CONSTANT: &[u8] = b"constexpr";

/// Parentheses in an argument are nested at most so deep.
const MAX_GROUPS: usize = 256;

/// The text between two `+`.
#[derive(Clone, Copy, Debug, Default)]
struct Term {
    /// The index of its first part.
    first: usize,
    /// Where it starts.
    start: Option<usize>,
    /// Whether an unknown operation is applied to its parts.
    unknown: bool,
}

impl Term {
    fn new(first: usize) -> Term {
        Term {
            first,
            ..Term::default()
        }
    }

    /// Puts what is unknown in place of its parts, if it is not known up to an offset.
    fn close(&self, argument: &mut Argument, end: usize) {
        if let Some(start) = self.start.filter(|_| self.unknown) {
            argument.parts.truncate(self.first);
            argument.unknown(start, end.max(start));
        }
    }
}

/// Names of more bytes are not looked at.
const MAX_NAME: usize = 80;
/// The most names whose uses are searched: each search reads the whole file.
const MAX_LOOKS: u32 = 64;

struct PythonLexer<'a> {
    scan: Scan<'a>,
    host: Host,
    /// The texts that are replaced in strings.
    replaced: Vec<String>,
    /// The uses of how many names may still be looked at.
    looks: u32,
}

pub(super) fn lex(text: &str) -> Host {
    let mut lexer = PythonLexer {
        scan: Scan::new(text),
        host: Host::default(),
        replaced: filled::replaced(text),
        looks: MAX_LOOKS,
    };
    lexer.run();
    let mut host = lexer.host;
    // Only names that stand for strings somewhere are searched.
    let names: FxHashSet<&str> = host
        .macros
        .defines
        .iter()
        .filter(|it| it.literals.is_some())
        .map(|it| &text[it.name])
        .collect();
    host.macros
        .defines
        .retain(|it| names.contains(&text[it.name]));
    host
}

impl PythonLexer<'_> {
    fn run(&mut self) {
        loop {
            let rest = &self.scan.bytes[self.scan.pos..self.scan.end];
            let stop = |it: &u8| matches!(it, b'"' | b'\'' | b'#' | b'(' | b'=');
            let Some(found) = rest.iter().position(stop) else {
                return;
            };
            self.scan.pos += found;
            match self.scan.peek() {
                b'#' => self.scan.skip_line(),
                b'=' => self.assignment(),
                b'(' => {
                    let function = self.function();
                    self.scan.bump(1);
                    if let Some((function, start)) = function {
                        self.call(function, start);
                    }
                }
                _ => {
                    if let Some(literal) = self.string() {
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

    /// Moves past the string whose quote is here; none if it is not closed, or made of bytes.
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

    /// Remembers what a name is assigned by the sign here, if a line begins with it: strings, or something else.
    fn assignment(&mut self) {
        let (bytes, sign) = (self.scan.bytes, self.scan.pos);
        self.scan.bump(1);
        if self.scan.peek() == b'=' {
            return self.scan.bump(1);
        }
        let line = bytes[..sign]
            .iter()
            .rev()
            .take(80)
            .take_while(|it| **it != b'\n')
            .count();
        let start = sign - line;
        if start > 0 && bytes[start - 1] != b'\n' {
            return;
        }
        let head = bytes[start..sign].trim_ascii_start();
        let name = head.iter().take_while(|it| is_name(**it)).count();
        let rest = head[name..].trim_ascii();
        // `NAME =`, `NAME: TYPE =`, `NAME +=`
        let changed = matches!(rest, b"+" | b"%" | b"*");
        let constant = rest.ends_with(CONSTANT);
        if name == 0 || !(rest.is_empty() || rest.starts_with(b":") || changed) {
            return;
        }
        let from = sign - head.len();
        let value = self.scan.pos;
        let literals = if changed { None } else { self.value(constant) };
        self.host.macros.defines.push(Define {
            name: range(from, from + name),
            literals,
            value: None,
            defined: true,
            context: None,
        });
        self.scan.pos = value;
    }

    /// The literals up to the end of the line, or in parentheses, if there is nothing else. The literals of a parameter end
    /// where the parameter does.
    fn value(&mut self, parameter: bool) -> Option<Vec<Literal>> {
        let mut literals = Vec::new();
        let mut open = self.constant();
        loop {
            match self.scan.peek() {
                b',' | b')' if parameter && !open => {
                    return (!literals.is_empty()).then_some(literals);
                }
                b' ' | b'\t' | b'\r' => self.scan.bump(1),
                b'\n' if open => self.scan.bump(1),
                b'#' if open => self.scan.skip_line(),
                b'+' if !literals.is_empty() => self.scan.bump(1),
                b'(' if literals.is_empty() && !open => {
                    open = true;
                    self.scan.bump(1);
                }
                b')' if open => {
                    open = false;
                    self.scan.bump(1);
                }
                b'\n' | b'#' | 0 => return (!open && !literals.is_empty()).then_some(literals),
                _ => {
                    let prefix = self.scan.name().len();
                    if prefix > 2 || !matches!(self.scan.peek(), b'"' | b'\'') {
                        return None;
                    }
                    literals.push(self.string()?);
                }
            }
        }
    }

    /// Moves past `tl.constexpr(`, if it is here.
    fn constant(&mut self) -> bool {
        let start = self.scan.pos;
        while matches!(self.scan.peek(), b' ' | b'\t') {
            self.scan.bump(1);
        }
        let path = self.scan.pos;
        while is_name(self.scan.peek()) || self.scan.peek() == b'.' {
            self.scan.bump(1);
        }
        let is_constant = self.scan.bytes[path..self.scan.pos].ends_with(CONSTANT);
        if is_constant && self.scan.peek() == b'(' {
            self.scan.bump(1);
            return true;
        }
        self.scan.pos = start;
        false
    }

    /// Reads the content of a string as a program in C++.
    fn program(&mut self, literal: &Literal) {
        let content = &self.scan.text[literal.content];
        if memchr::memmem::find(content.as_bytes(), b"asm").is_none() {
            return;
        }
        let marks = self.marks(literal);
        let at = literal.content.start();
        let layer = filled::read(content, at, literal.escapes, marks, &self.replaced);
        let mut inner = c::lex(&layer.text);
        if inner.statements.is_empty() {
            return;
        }
        let index = self.host.layers.len() as u32;
        let statements = inner.statements.into_iter().map(|it| Statement {
            layer: Some(index),
            ..it
        });
        self.host.statements.extend(statements);
        inner.macros.sort(&layer.text);
        self.host.layers.push(Layer {
            text: layer,
            escapes: marks.escapes(literal.escapes),
            macros: inner.macros,
        });
    }

    /// How the places of a literal are written that are filled before it is compiled.
    fn marks(&mut self, literal: &Literal) -> Marks {
        let text = self.scan.text;
        let before = &text[..usize::from(literal.range.start())];
        let after = &text[usize::from(literal.range.end())..];
        let marks = Marks::around(before, after);
        let assigned = before.trim_end().strip_suffix('=').map(str::trim_end);
        let Some(assigned) = assigned.filter(|_| marks == Marks::None && self.looks > 0) else {
            return marks;
        };
        let name = assigned.bytes().rev().take(MAX_NAME);
        let name = name.take_while(|it| is_name(*it)).count();
        match assigned.get(assigned.len() - name..) {
            Some(name) if !name.is_empty() => {
                self.looks -= 1;
                Marks::for_name(text, name)
            }
            _ => marks,
        }
    }

    /// Reads a call from after its parenthesis; its name starts at an offset.
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
            in_device: false,
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
        let mut inner = PythonLexer {
            scan: Scan {
                pos: from + 1,
                end: to - 1,
                ..self.scan.clone()
            },
            host: Host::default(),
            replaced: Vec::new(),
            looks: 0,
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
        // The parentheses that are open, each with where the term around it begins.
        let mut groups: Vec<Term> = Vec::new();
        let mut term = Term::default();
        // Whether an operator makes something else of all strings.
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
            if groups.is_empty() && matches!(byte, b',' | b')' | b']') {
                self.scan.bump(1);
                break byte;
            }
            let first = *start.get_or_insert(pos);
            term.start.get_or_insert(pos);
            match byte {
                b'"' | b'\'' => match self.string() {
                    Some(literal) => argument.parts.push(Part::Literal(literal)),
                    None => argument.unknown(pos, self.scan.pos),
                },
                b'(' if !matches!(previous, b')' | b']' | b'a') => {
                    groups.push(term);
                    if groups.len() > MAX_GROUPS {
                        break 0;
                    }
                    term = Term::new(argument.parts.len());
                    self.scan.bump(1);
                }
                b')' if !groups.is_empty() => {
                    term.close(argument, end);
                    term = groups.pop().unwrap_or_default();
                    self.scan.bump(1);
                }
                b'(' | b'[' | b'{' => {
                    self.balanced();
                    term.unknown = true;
                    argument.unknown(pos, self.scan.pos);
                }
                b'+' => {
                    term.close(argument, end);
                    self.scan.bump(1);
                    term = Term::new(argument.parts.len());
                }
                b'.' if self.method(argument, &term) => {}
                b'.' | b'%' | b'*' => {
                    term.unknown = true;
                    self.scan.bump(1);
                }
                b'=' if first < pos
                    && argument.name.is_none()
                    && self.scan.at(1) != b'='
                    && previous == b'a' =>
                {
                    argument.name = Some(range(first, end));
                    argument.parts.clear();
                    computed = false;
                    start = None;
                    term = Term::default();
                    self.scan.bump(1);
                }
                _ if is_name(byte) => {
                    let word = self.scan.name();
                    // The letters before a string are a part of it.
                    if matches!(self.scan.peek(), b'"' | b'\'') && self.scan.pos - pos <= 3 {
                        continue;
                    }
                    if matches!(word, "dedent" | "cleandoc") && self.scan.peek() == b'(' {
                        // These change blanks only: the parenthesis is one around a string.
                        argument.parts.truncate(term.first);
                        term.unknown = false;
                        previous = b',';
                        continue;
                    }
                    computed |= KEYWORDS.contains(&word);
                    argument.parts.push(Part::Name(range(pos, self.scan.pos)));
                }
                _ => {
                    computed = true;
                    self.scan.bump(1);
                }
            }
            previous = if is_name(byte) { b'a' } else { byte };
            end = self.scan.pos;
            if term.unknown && groups.is_empty() {
                term.close(argument, end);
            }
        };
        let start = start.unwrap_or(end);
        argument.range = range(start, end.max(start));
        if computed {
            argument.parts = vec![Part::Unknown(argument.range)];
        }
        closing
    }

    /// Reads the method whose dot is here, if it is known what it makes of the literals of a term.
    fn method(&mut self, argument: &mut Argument, term: &Term) -> bool {
        let dot = self.scan.pos;
        let literals = argument.parts.get_mut(term.first..).unwrap_or_default();
        let plain = literals.iter().all(|it| match it {
            Part::Literal(it) => matches!(it.escapes, Escapes::Python | Escapes::Raw),
            _ => false,
        });
        self.scan.bump(1);
        let name = self.scan.name();
        let blanks = matches!(name, "strip" | "lstrip" | "rstrip");
        if term.unknown
            || literals.is_empty()
            || self.scan.peek() != b'('
            || !(blanks || plain && name == "format")
        {
            self.scan.pos = dot;
            return false;
        }
        if !blanks {
            for part in literals {
                if let Part::Literal(literal) = part {
                    literal.escapes = match literal.escapes {
                        Escapes::Raw => Escapes::PythonRawFormat,
                        _ => Escapes::PythonFormat,
                    };
                }
            }
        }
        self.balanced();
        true
    }

    /// Moves past the bracket that belongs to the one here, or to where the call cannot continue.
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
