//! Plain data that crosses the boundary between the analysis and its users.

mod accesses;
mod annotations;
mod compiler;
mod completion;
mod costs;
mod flow;
mod missing;

use std::{collections::BTreeMap, sync::Arc};

use syntax::{TextRange, TextSize};

pub use accesses::*;
pub use annotations::*;
pub use compiler::*;
pub use completion::*;
pub use costs::*;
pub use flow::*;
pub use missing::*;

/// A file known to the analysis; the user of the crate maps it to a path or URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FilePosition {
    /// The file.
    pub file: FileId,
    /// UTF-8 byte offset from the start of the file.
    pub offset: TextSize,
}

/// A range in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileRange {
    /// The file.
    pub file: FileId,
    /// UTF-8 byte offsets from the start of the file.
    pub range: TextRange,
}

/// An answer together with the range of the text that it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RangeInfo<T> {
    /// The range that the question was about.
    pub range: TextRange,
    /// The answer.
    pub info: T,
}

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// `ptxas` rejects the module.
    Error,
    /// `ptxas` accepts the module, but it is probably wrong.
    Warning,
    /// Worth knowing.
    Information,
    /// A suggestion.
    Hint,
}

/// The severity that the diagnostics of one code shall have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// They are not shown.
    Off,
    /// [`Severity::Hint`]
    Hint,
    /// [`Severity::Information`]
    Information,
    /// [`Severity::Warning`]
    Warning,
    /// [`Severity::Error`]
    Error,
}

impl Level {
    /// Names of all levels, as settings have them.
    pub const NAMES: [(&str, Level); 5] = [
        ("off", Level::Off),
        ("hint", Level::Hint),
        ("information", Level::Information),
        ("warning", Level::Warning),
        ("error", Level::Error),
    ];

    /// The level with a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Level> {
        Level::NAMES.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// The severity; none if the diagnostics are not shown.
    #[must_use]
    pub fn severity(self) -> Option<Severity> {
        match self {
            Level::Off => None,
            Level::Hint => Some(Severity::Hint),
            Level::Information => Some(Severity::Information),
            Level::Warning => Some(Severity::Warning),
            Level::Error => Some(Severity::Error),
        }
    }
}

/// A property of a diagnostic that an editor may show by style.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DiagnosticTag {
    /// The code has no effect and may be removed.
    Unnecessary,
    /// The code uses something deprecated.
    Deprecated,
}

/// A second place that explains a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedInformation {
    /// Where.
    pub location: FileRange,
    /// A description, as a sentence fragment without a final period.
    pub message: String,
}

/// One problem in one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where, exactly: the token or tokens that are wrong.
    pub range: TextRange,
    /// The severity.
    pub severity: Severity,
    /// Stable code such as `undefined-name`; the name of its documentation page.
    pub code: &'static str,
    /// The problem and what is allowed there.
    pub message: String,
    /// A line of advice, shown as `help:` on the command line.
    pub help: Option<String>,
    /// Places that explain the problem.
    pub related: Vec<RelatedInformation>,
    /// Style hints for editors.
    pub tags: Vec<DiagnosticTag>,
    /// Ways to repair it, the likeliest first.
    pub fixes: Vec<Fix>,
}

/// The kind of a fix; fixes of one kind can be applied together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FixKind {
    /// Replaces a misspelt opcode, modifier or directive.
    Respell,
    /// Replaces a name that is not declared by a similar one.
    RespellName,
    /// Inserts a modifier that is missing.
    InsertModifier,
    /// Removes a modifier that is not allowed.
    RemoveModifier,
    /// Replaces a modifier by one that is allowed.
    ReplaceModifier,
    /// Changes the `.version` or the `.target` of the module.
    ChangeHeader,
    /// Inserts a statement that is missing.
    InsertStatement,
    /// Inserts a directive that is missing.
    InsertDirective,
    /// Removes a directive that is not allowed.
    RemoveDirective,
    /// Moves a directive or changes its value.
    ChangeDirective,
    /// Inserts a comma, a semicolon or a bracket.
    InsertPunctuation,
    /// Declares a register.
    DeclareRegister,
    /// Removes a word, an operand, a bracket or a line that is too much.
    RemoveSurplus,
    /// Makes an operand one that the instruction takes.
    CorrectOperand,
    /// Makes a parameterised register such as `%r<4>` longer.
    WidenRegisters,
    /// Changes words or numbers of a declaration.
    CorrectDeclaration,
    /// Changes an initial value.
    CorrectInitializer,
    /// Declares a function or the prototype of a call.
    DeclarePrototype,
    /// Writes modifiers in the order of the manual.
    ReorderModifiers,
    /// Replaces something deprecated.
    Modernize,
    /// Corrects a placeholder or constraint of a statement of assembly.
    CorrectAssembly,
}

/// One way to repair a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// The title, as an imperative phrase without a final period.
    pub title: String,
    /// Replacements in the file of the problem, sorted by offset, not overlapping.
    pub edits: Vec<syntax::text::Edit>,
    /// Whether it is most likely what the author wants.
    pub preferred: bool,
    /// The kind, for applying fixes of one kind together.
    pub kind: FixKind,
}

/// Where an editor offers a code action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CodeActionKind {
    /// At a problem.
    QuickFix,
    /// For the whole file, also when it is saved.
    FixAll,
}

/// A change that an editor offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeAction {
    /// The title, as an imperative phrase without a final period.
    pub title: String,
    /// Where it is offered.
    pub kind: CodeActionKind,
    /// The change.
    pub edits: SourceChange,
    /// Range and code of each diagnostic that it is for.
    pub diagnostics: Vec<(TextRange, &'static str)>,
    /// Whether it is most likely what the author wants.
    pub preferred: bool,
}

/// Kind of a named thing; drives symbol icons and semantic tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// `.entry`: a kernel.
    Entry,
    /// `.func`: a device function, defined or declared.
    Function,
    /// `.callprototype` label.
    Prototype,
    /// `.alias` name.
    Alias,
    /// A variable in `.global`, `.const`, `.shared`, `.local` or `.tex` space.
    Variable,
    /// A `.param` variable: a formal parameter or a call argument buffer.
    Parameter,
    /// A `.reg` variable, plain or parameterised (`%r<100>`).
    Register,
    /// A predefined special register such as `%tid`.
    SpecialRegister,
    /// A branch label.
    Label,
    /// A `.branchtargets` or `.calltargets` label.
    TargetList,
    /// A `.section` of debug information.
    Section,
    /// A label inside a `.section`.
    SectionLabel,
    /// A `.file` directive.
    SourceFile,
    /// A module directive such as `.version` or `.target`.
    Directive,
    /// A part of a kernel that some of its warps execute.
    WarpRole,
}

/// A place to navigate to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NavigationTarget {
    /// The file of the declaration.
    pub file: FileId,
    /// The whole declaration, without surrounding whitespace and comments.
    pub full_range: TextRange,
    /// The name inside the declaration.
    pub focus_range: TextRange,
    /// The name.
    pub name: String,
    /// Its kind.
    pub kind: SymbolKind,
    /// The entry or function that contains it.
    pub container: Option<String>,
    /// Short description such as `.reg .b32 %r<100>`.
    pub detail: Option<String>,
}

/// How a reference uses a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// The declaration itself.
    Declaration,
    /// The value is read, or the name is mentioned.
    Read,
    /// The value is written.
    Write,
}

/// One occurrence of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reference {
    /// Where.
    pub location: FileRange,
    /// How the name is used there.
    pub access: Access,
    /// Whether this is about another value in the same register than the one that was asked about.
    pub other_value: bool,
}

/// Content of a hover, as Markdown; the server strips it for clients that want plain text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// Markdown text.
    pub markdown: String,
    /// A drawing for clients that show pictures.
    pub figure: Option<Figure>,
}

/// The subject of a drawing. Nothing of it is from the text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Figure {
    /// A concept, by the first name of its page.
    Concept(&'static str),
    /// The elements of matrices in the registers of lanes.
    Fragments {
        /// The instruction, by its name in the tables.
        instruction: &'static str,
        /// Its operands that are held in registers, or one of them.
        fragments: Vec<isa::layout::Fragment>,
    },
}

/// A node of the outline of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentSymbol {
    /// The name.
    pub name: String,
    /// Short description such as `.reg .b32`.
    pub detail: Option<String>,
    /// Its kind.
    pub kind: SymbolKind,
    /// The whole declaration, without surrounding whitespace and comments.
    pub full_range: TextRange,
    /// The name.
    pub focus_range: TextRange,
    /// Its contents.
    pub children: Vec<DocumentSymbol>,
}

/// Kind of a foldable region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FoldKind {
    /// A body or an initializer.
    Region,
    /// A run of comments.
    Comment,
    /// A run of `.file`, `.loc` or `.section` directives, or the module header.
    Imports,
}

/// A foldable region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// From the end of the line that stays visible to the end of the region.
    pub range: TextRange,
    /// Its kind.
    pub kind: FoldKind,
}

/// Type of a semantic token. The order is the order of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenType {
    /// Opcode of an instruction.
    Opcode,
    /// Instruction modifier other than a type or a state space.
    Modifier,
    /// Type such as `.f32`.
    Type,
    /// State space such as `.global`.
    StateSpace,
    /// Directive such as `.version` or `.maxntid`.
    Directive,
    /// Register.
    Register,
    /// Special register.
    SpecialRegister,
    /// Parameter.
    Parameter,
    /// Variable in memory.
    Variable,
    /// Branch label or target list.
    Label,
    /// Function, entry, prototype or alias.
    Function,
    /// Name of a `.target`, or a named constant.
    Constant,
    /// Number.
    Number,
    /// String.
    String,
    /// Comment.
    Comment,
    /// Operator or sink.
    Operator,
    /// Preprocessor-style line.
    Macro,
}

/// Modifiers of a semantic token, as a bit set; bit order is the order of the legend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct TokenModifiers(pub u32);

impl TokenModifiers {
    /// The token declares the name.
    pub const DECLARATION: TokenModifiers = TokenModifiers(1);
    /// The token defines the name with a body.
    pub const DEFINITION: TokenModifiers = TokenModifiers(2);
    /// The name cannot be written.
    pub const READONLY: TokenModifiers = TokenModifiers(4);
    /// The name or word is deprecated.
    pub const DEPRECATED: TokenModifiers = TokenModifiers(8);
    /// The occurrence writes the name.
    pub const MODIFICATION: TokenModifiers = TokenModifiers(16);

    /// Both sets together.
    #[must_use]
    pub fn with(self, other: TokenModifiers) -> TokenModifiers {
        TokenModifiers(self.0 | other.0)
    }
}

/// One semantic token; tokens of an answer are sorted and do not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SemanticToken {
    /// Where.
    pub range: TextRange,
    /// Its kind.
    pub token_type: TokenType,
    /// More about it.
    pub modifiers: TokenModifiers,
}

/// The range that a rename would replace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenamePreparation {
    /// The name under the cursor, or the part of it that can be renamed (`%r` of `%r<12>`).
    pub range: TextRange,
    /// The text to start from.
    pub placeholder: String,
}

/// Why a rename is refused, as a sentence for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenameError(pub String);

/// Replacements in one file, sorted by offset, not overlapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdits {
    /// The file.
    pub file: FileId,
    /// The replacements.
    pub edits: Vec<syntax::text::Edit>,
}

/// Replacements in several files.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SourceChange {
    /// Replacements, one entry per file, sorted by file.
    pub files: Vec<FileEdits>,
}

/// Settings that change answers of the analysis.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct AnalysisConfig {
    /// Judge every file as if its `.target` directive said this.
    pub target_override: Option<Arc<str>>,
    /// Targets such as `sm_80`: what one of them lacks is warned of. Names of no target are ignored.
    pub portability_targets: Vec<Arc<str>>,
    /// Levels of diagnostics by their codes, where they differ from the usual ones.
    pub severity: BTreeMap<Box<str>, Level>,
    /// The assumptions about launches.
    pub launch: LaunchAssumptions,
}

/// The assumptions about the launch of kernels whose text does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchAssumptions {
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory that a block gets besides what the text declares.
    pub dynamic_shared: u32,
}

impl Default for LaunchAssumptions {
    fn default() -> LaunchAssumptions {
        LaunchAssumptions {
            threads: DEFAULT_THREADS,
            dynamic_shared: 0,
        }
    }
}

/// How large blocks are assumed to be when neither the text nor the user says.
pub const DEFAULT_THREADS: u32 = 256;

/// How much of everything a file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FileStats {
    /// Length of the text in bytes.
    pub bytes: u32,
    /// Number of lines.
    pub lines: u32,
    /// Kernels, defined or declared.
    pub entries: usize,
    /// Device functions, defined or declared.
    pub functions: usize,
    /// Instructions.
    pub instructions: usize,
    /// Declared names other than those of functions; `%r<100>` counts once.
    pub definitions: usize,
    /// Used names.
    pub references: usize,
    /// Basic blocks of all functions.
    pub blocks: usize,
    /// Natural loops of all functions.
    pub loops: usize,
}

/// The question was overtaken by a change or cancelled by its asker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancelled {
    /// A writer is waiting, so the answer would describe an old text, or the question waited for
    /// another one that was interrupted. It may be asked again.
    PendingWrite,
    /// The asker cancelled the question.
    Requested,
}

/// An answer, unless the question was cancelled.
pub type Cancellable<T> = Result<T, Cancelled>;

/// The answer to a word, statement or message that a user typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanations {
    /// The pages for it, the best first; empty if nothing is called so.
    pub found: Vec<Explanation>,
    /// Names that are close to it, if nothing was found.
    pub similar: Vec<String>,
}

/// A page of documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The subject: `mbarrier.init`, `%tid.x`.
    pub name: String,
    /// Its kind: "instruction", "special register".
    pub kind: &'static str,
    /// Markdown.
    pub text: String,
}

impl Explanation {
    /// The first sentence, which stands for the page in lists.
    #[must_use]
    pub fn summary(&self) -> &str {
        isa::documentation::first_sentence(&self.text)
    }
}

/// The subject of a piece of documentation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum DocumentationKey {
    /// An instruction, by its name in the tables.
    Instruction(String),
    /// A modifier of an instruction.
    Modifier {
        /// The name of the instruction in the tables.
        instruction: String,
        /// The word without its period.
        word: String,
    },
    /// A special register, by its name with the per cent sign.
    SpecialRegister(String),
    /// A directive, with its period.
    Directive(String),
    /// A type, with its period.
    Type(String),
    /// A state space, with its period.
    StateSpace(String),
    /// A target.
    Target(String),
    /// A version of the PTX ISA.
    Version(String),
    /// The text of a pragma.
    Pragma(String),
    /// A concept.
    Concept(String),
    /// An error of CUDA, by its message or a name: `cudaErrorIllegalAddress`.
    CudaError(String),
    /// A message of ptxas, or its pattern.
    PtxasMessage(String),
    /// A complete kernel for a task, such as `warp reduction`.
    Idiom(String),
    /// The opcode of a machine instruction (SASS), such as `LDG`; modifiers and a guard are ignored.
    MachineInstruction(String),
    /// The code of a diagnostic.
    Diagnostic(String),
    /// A chapter of the course or a guide, by its title.
    Chapter(String),
}

/// The form of the instruction at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureHelp {
    /// The form as text.
    pub label: String,
    /// Its operands.
    pub parameters: Vec<SignatureParameter>,
    /// Index of the operand that is being written.
    pub active_parameter: usize,
}

/// One operand of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureParameter {
    /// Where its text starts in the label, in UTF-8 bytes.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
    /// Its documentation and the operands that may appear there, Markdown.
    pub documentation: String,
}

/// How a file is to be formatted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormattingOptions {
    /// Columns of one level of indentation.
    pub indent_width: u32,
    /// Whether a level is a tab.
    pub tabs: bool,
    /// Whether the file gets a line break at its end if it has none.
    pub insert_final_newline: bool,
    /// Whether empty lines at the end of the file go.
    pub trim_final_newlines: bool,
    /// Column of the first operand of instructions, counted from the start of the statement. `None`: after the widest
    /// opcode of the function that is not too wide.
    pub operand_column: Option<u32>,
}

impl Default for FormattingOptions {
    fn default() -> FormattingOptions {
        FormattingOptions {
            indent_width: 4,
            tabs: false,
            insert_final_newline: false,
            trim_final_newlines: false,
            operand_column: None,
        }
    }
}

impl FormattingOptions {
    /// The blanks before a line inside so many blocks. Nobody nests deeper than the limit; without one,
    /// a text of nothing but braces grows without measure.
    #[must_use]
    pub fn indent(self, depth: usize) -> String {
        let depth = depth.min(64);
        if self.tabs {
            "\t".repeat(depth)
        } else {
            " ".repeat(depth * self.indent_width.min(16) as usize)
        }
    }
}

/// Whether there is a target of this name, such as `sm_90a`.
#[must_use]
pub fn is_target(name: &str) -> bool {
    isa::target::targets().any(|it| it.0.to_string() == name)
}

/// The names of all targets, ascending, each with the least `.version` that a module for it has.
#[must_use]
pub fn targets() -> Vec<(String, String)> {
    isa::target::targets()
        .map(|it| (it.0.to_string(), it.1.to_string()))
        .collect()
}
