//! The program that is debugged: its text, its code, and where instructions are in the text.

use std::cell::OnceCell;

use analysis::{AnalysisHost, EntryPlace, FileId, Severity, SourceLocation, code::Code};
use rustc_hash::FxHashMap;
use syntax::{
    Document, TextRange, TextSize,
    text::{Encoding, Position},
};

/// The files of the machine.
pub trait Files {
    /// The contents of a file.
    ///
    /// # Errors
    /// It cannot be read, as a sentence.
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    /// The contents of a file that a launch names: nothing outside the folder is read.
    ///
    /// # Errors
    /// It cannot be read, or is outside the folder, as a sentence.
    fn read_below(&self, folder: &str, name: &str) -> Result<Vec<u8>, String>;
}

const FILE: FileId = FileId(0);

/// A file of PTX.
pub(super) struct Program {
    pub(super) path: String,
    pub(super) document: Document,
    pub(super) code: Code,
    /// The entries with the comments above them.
    pub(super) entries: Vec<EntryPlace>,
    /// The first error with its line, from 1; what has one is not run.
    pub(super) error: Option<(u32, String)>,
    /// The `.loc` directives with the places of source that they name, in the order of the text.
    located: Vec<(TextSize, [Option<SourceLocation>; 2])>,
    /// The instructions by their first and last lines, from 0: function and index.
    lines: Vec<(u32, u32, usize, u32)>,
}

/// Where an instruction is: a function by its index in the code, and its own index there.
pub(super) type Place = (usize, u32);

impl Program {
    fn new(path: String, text: String) -> Program {
        let document = Document::new(text);
        let host = AnalysisHost::with_file(FILE, document.contents(), None);
        let analysis = host.analysis();
        // The questions of this host are never cancelled.
        let diagnostics = analysis.diagnostics(FILE).unwrap_or_default();
        let error = diagnostics
            .into_iter()
            .find(|it| it.severity == Severity::Error)
            .map(|it| (document.lines().line_of(it.range.start()) + 1, it.message));
        let code = analysis.code(FILE).unwrap_or_default();
        let entries = analysis.entries(FILE).unwrap_or_default();
        let located = analysis.located(FILE).unwrap_or_default();
        let mut lines = Vec::new();
        for (function, it) in code.functions.iter().enumerate() {
            for (pc, instruction) in (0..).zip(&it.instructions) {
                let start = document.lines().line_of(instruction.range.start());
                let end = document.lines().line_of(instruction.range.end());
                lines.push((start, end, function, pc));
            }
        }
        lines.sort_unstable();
        Program {
            path,
            document,
            code,
            entries,
            error,
            located,
            lines,
        }
    }

    /// The places of source from which an instruction was made: its own, and the one into which that was inlined.
    pub(super) fn sources(&self, function: usize, pc: u32) -> &[Option<SourceLocation>; 2] {
        let at = self.range(function, pc).start();
        let after = self.located.partition_point(|it| it.0 <= at);
        let found = after.checked_sub(1).and_then(|it| self.located.get(it));
        found.map_or(&[None, None], |it| &it.1)
    }

    /// A number for the source line of each instruction, by function; 0 where there is none.
    pub(super) fn source_lines(&self) -> Vec<Vec<u32>> {
        let mut numbers: FxHashMap<(&str, u32), u32> = FxHashMap::default();
        let mut number = |function: usize, pc: u32| {
            let Some(it) = &self.sources(function, pc)[0] else {
                return 0;
            };
            let next = numbers.len() as u32 + 1;
            *numbers.entry((&it.path, it.line)).or_insert(next)
        };
        let functions = self.code.functions.iter().enumerate();
        let lines = functions.map(|(function, it)| {
            let count = it.instructions.len() as u32;
            (0..count).map(|pc| number(function, pc)).collect()
        });
        lines.collect()
    }

    /// Reads a file.
    pub(super) fn read(files: &dyn Files, path: &str) -> Result<Program, String> {
        let bytes = files.read(path).map_err(|it| format!("{path}: {it}"))?;
        let text = String::from_utf8(bytes)
            .map_err(|_| format!("{path}: the file is not a text in UTF-8"))?;
        Ok(Program::new(path.to_owned(), text))
    }

    /// The name of its file.
    pub(super) fn name(&self) -> &str {
        file_name(&self.path)
    }

    /// The folder of its file.
    pub(super) fn folder(&self) -> &str {
        folder_of(&self.path)
    }

    /// A path that the file names: a relative one begins in its folder.
    pub(super) fn beside(&self, path: &str) -> String {
        let is_absolute = path.starts_with(['/', '\\']) || path.get(1..2) == Some(":");
        match is_absolute {
            true => path.to_owned(),
            false => format!("{}/{path}", self.folder()),
        }
    }

    /// Whether a path names its file.
    pub(super) fn is_at(&self, path: &str) -> bool {
        let plain = |it: &str| it.replace('\\', "/");
        let (own, other) = (plain(&self.path), plain(path));
        let (long, short) = match own.len() >= other.len() {
            true => (&own, &other),
            false => (&other, &own),
        };
        // One of them may be relative.
        long.strip_suffix(short.trim_start_matches("./"))
            .is_some_and(|it| it.is_empty() || it.ends_with('/'))
    }

    /// The instructions of a line, from 0, or of the next line of the same function that has one; with that line.
    pub(super) fn at_line(&self, line: u32, column: Option<u32>) -> Option<(u32, Vec<Place>)> {
        let inside = self.lines.iter().filter(|it| it.0 <= line && line <= it.1);
        let starts = self.lines.iter().filter(|it| it.0 == line);
        let first = starts.chain(inside).next().map(|it| it.0);
        let line = first.or_else(|| {
            let after = self.lines.iter().find(|it| it.0 > line)?;
            let function = &self.code.functions[after.2];
            let start = self.document.lines().line_of(function.name_range.start());
            (start <= line).then_some(after.0)
        })?;
        let mut found: Vec<Place> = Vec::new();
        for (_, _, function, pc) in self.lines.iter().filter(|it| it.0 == line) {
            let is_meant =
                column.is_some_and(|it| self.position(self.range(*function, *pc)).character <= it);
            match found.iter_mut().find(|it| it.0 == *function) {
                Some(it) if is_meant => it.1 = *pc,
                Some(_) => {}
                None => found.push((*function, *pc)),
            }
        }
        Some((line, found))
    }

    /// The lines with instructions in a range of lines, from 0.
    pub(super) fn lines_in(&self, first: u32, last: u32) -> Vec<u32> {
        let lines = self.lines.iter().map(|it| it.0);
        let mut lines: Vec<u32> = lines.filter(|it| (first..=last).contains(it)).collect();
        lines.dedup();
        lines
    }

    /// The place of an instruction in the text; of the end of a body, the place of its last one.
    pub(super) fn range(&self, function: usize, pc: u32) -> TextRange {
        let function = &self.code.functions[function];
        let found = function.instructions.get(pc as usize);
        found
            .or(function.instructions.last())
            .map_or(function.name_range, |it| it.range)
    }

    /// Where a range begins, from 0.
    pub(super) fn position(&self, range: TextRange) -> Position {
        self.document
            .lines()
            .position(range.start(), Encoding::Utf16)
    }

    /// Where a range ends, from 0.
    pub(super) fn end(&self, range: TextRange) -> Position {
        self.document.lines().position(range.end(), Encoding::Utf16)
    }

    /// The line of a range, from 1, with the name of the file.
    pub(super) fn shown(&self, range: TextRange) -> String {
        format!("{}:{}", self.name(), self.position(range).line + 1)
    }
}

/// The name of a file without its folders.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The folder of a file.
pub(super) fn folder_of(path: &str) -> &str {
    match path.rfind(['/', '\\']) {
        Some(0) => &path[..1],
        Some(end) => &path[..end],
        None => ".",
    }
}

/// The programs that a session has read: a machine refers to the code that it runs, so none is dropped before the session.
#[derive(Default)]
pub struct Programs {
    first: OnceCell<Box<Node>>,
}

struct Node {
    program: Program,
    next: OnceCell<Box<Node>>,
}

impl Programs {
    /// Keeps a program; one with the same path and text is the same.
    pub(super) fn keep(&self, program: Program) -> &Program {
        let mut place = &self.first;
        while let Some(node) = place.get() {
            let known = &node.program;
            if known.path == program.path && known.document.text() == program.document.text() {
                return known;
            }
            place = &node.next;
        }
        let node = Node {
            program,
            next: OnceCell::new(),
        };
        &place.get_or_init(|| Box::new(node)).program
    }
}
