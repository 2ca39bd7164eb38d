//! Finds the inline assembly of programs in other languages: C++, Python, Rust and LLVM IR.
//!
//! This is about strings, comments, parentheses and the few words that introduce a statement of assembly;
//! nothing here knows PTX. Any text is taken: what cannot be read becomes a part of unknown content, and what
//! is not closed ends with its line or its file. One pass over the text, in time linear in its length.

mod c;
mod call;
mod filled;
mod literal;
mod llvm;
mod map;
mod preprocessor;
mod python;
mod rust;
mod scan;
#[cfg(test)]
mod tests;

use std::path::Path;

use rowan::TextRange;

pub use self::{
    literal::{Escapes, decode},
    map::{Map, Mapped, Run, RunKind},
    preprocessor::{Condition, Context, Define, Macros, Test},
};

/// A family of languages that hold assembly in strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Language {
    /// CUDA C++, whose strings of assembly are PTX unless something speaks against it.
    Cuda,
    /// C and C++, which may be for any machine.
    C,
    /// Python, also with CUDA C++ in its strings.
    Python,
    /// Rust.
    Rust,
    /// LLVM IR as text.
    Llvm,
}

impl Language {
    /// The language of a file by its extension; none if files of that name hold no assembly.
    #[must_use]
    pub fn of_path(path: &Path) -> Option<Language> {
        let extension = path.extension()?.to_str()?;
        Language::of_extension(&extension.to_ascii_lowercase())
    }

    /// The language of an extension in small letters, without its dot.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Language> {
        Some(match extension {
            "cu" | "cuh" => Language::Cuda,
            "h" | "hpp" | "hh" | "hxx" | "cpp" | "cc" | "cxx" | "c" | "inl" | "ipp" | "cuinc" => {
                Language::C
            }
            "py" | "pyi" => Language::Python,
            "rs" => Language::Rust,
            "ll" => Language::Llvm,
            _ => return None,
        })
    }

    /// The language with an identifier of LSP.
    #[must_use]
    pub fn of_identifier(identifier: &str) -> Option<Language> {
        Some(match identifier {
            "cuda" | "cuda-cpp" => Language::Cuda,
            "c" | "cpp" => Language::C,
            "python" => Language::Python,
            "rust" => Language::Rust,
            "llvm" => Language::Llvm,
            _ => return None,
        })
    }
}

/// How placeholders are written in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// `%0`, as in C++; operands are in sections between colons.
    Cuda,
    /// `$0` and `${0}`, as in LLVM IR and the Python libraries that make it; one string of constraints.
    Llvm,
    /// `{}`, `{0}` and `{name}`, as in `asm!` of Rust.
    Rust,
}

/// The contents of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// The statements, in the order of the text.
    pub statements: Vec<Statement>,
    /// Texts inside strings in which statements are: CUDA C++ in Python.
    pub layers: Vec<Layer>,
    /// Macros, and variables of Python that are assigned strings.
    pub macros: Macros,
}

/// A program inside a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Its text, and where each piece of it is in the file.
    pub text: Mapped,
    /// How the string is written.
    pub escapes: Escapes,
    /// Macros that the text defines, and their conditions.
    pub macros: Macros,
}

/// One statement of assembly. Its ranges count in its layer, or in the text if it is in none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// From the word that introduces it to the closing parenthesis.
    pub range: TextRange,
    /// The word that introduces it.
    pub keyword: TextRange,
    /// The index of the text that it is in; none for the file itself.
    pub layer: Option<u32>,
    /// How placeholders are written.
    pub dialect: Dialect,
    /// Whether the compiler must keep it although nothing uses its results.
    pub volatile: bool,
    /// The text that is assembled, in pieces.
    pub template: Vec<Part>,
    /// How many colons of C++ there are at the outermost level: without any the text is verbatim.
    pub colons: u8,
    /// The operands in their order, for all dialects but LLVM.
    pub operands: Vec<Operand>,
    /// The string of constraints of LLVM.
    pub constraints: Vec<Part>,
    /// The arguments for the operands of LLVM, in the order in which they are written.
    pub arguments: Vec<TextRange>,
    /// The clobbers of C++.
    pub clobbers: Vec<Vec<Part>>,
    /// The conditions of the preprocessor around it, outermost first.
    pub conditions: Vec<Condition>,
    /// Whether it is a part of the definition of a macro.
    pub in_define: bool,
    /// Whether the preprocessor chooses among its operands.
    pub conditional_operands: bool,
    /// Whether it has an end.
    pub complete: bool,
    /// Where the innermost brace around it opens; zero if there is none.
    pub block: u32,
    /// Whether it is in a function that C++ compiles for devices.
    pub in_device: bool,
}

/// A piece of a string that is put together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A string literal.
    Literal(Literal),
    /// Only the compiler of the host knows the text there.
    Unknown(TextRange),
    /// The name of a macro without parameters.
    Name(TextRange),
    /// The compiler puts a line break here.
    Break,
}

/// A string literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Literal {
    /// With its quotes.
    pub range: TextRange,
    /// Between its quotes.
    pub content: TextRange,
    /// How it is to be read.
    pub escapes: Escapes,
    /// Whether the preprocessor may leave it out.
    pub conditional: bool,
}

/// The kind of an operand, by where or how it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// In the first section of C++, `out` of Rust.
    Output,
    /// In the second section of C++, `in` of Rust.
    Input,
    /// `inout` of Rust.
    Both,
    /// `const` of Rust.
    Constant,
    /// `sym` of Rust.
    Symbol,
}

/// An operand of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand {
    /// Where it appears or is described.
    pub direction: Direction,
    /// The constraint; of Rust the class of registers.
    pub constraint: Vec<Part>,
    /// The expression of the host.
    pub expression: TextRange,
    /// Its name, in brackets in C++ and before `=` in Rust.
    pub name: Option<TextRange>,
}

/// Reads a text.
#[must_use]
pub fn lex(text: &str, language: Language) -> Host {
    let mut host = match language {
        Language::Cuda | Language::C => c::lex(text),
        Language::Python => python::lex(text),
        Language::Rust => rust::lex(text),
        Language::Llvm => llvm::lex(text),
    };
    host.macros.sort(text);
    host
}
