//! Generated from `ptx.ungram` by the `sourcegen` test. Do not edit.

/// Kind of a token or node of a PTX syntax tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u16)]
#[allow(non_camel_case_types, reason = "the customary spelling of syntax kinds")]
#[rustfmt::skip]
pub enum SyntaxKind { /// Blanks and line ends.
WHITESPACE,
/// A `//` comment without its line end.
LINE_COMMENT,
/// A `/* */` comment.
BLOCK_COMMENT,
/// A preprocessor-style line marker such as `# 12 "file.cu"`.
LINE_MARKER,
/// A word that starts like a number but is none.
BAD_NUMBER,
/// A string or comment that the file does not close.
UNTERMINATED,
/// Characters that belong to no token.
UNKNOWN,
/// A word: opcode, name or register.
IDENT,
/// A word that starts with a period, with its `::` parts.
DOTTED,
/// An integer literal in decimal, hexadecimal, octal or binary notation.
INTEGER,
/// A floating-point literal, decimal or in `0f`/`0d` notation.
FLOAT,
/// A string literal with its quotes.
STRING,
/// The lines between `.source_begin` and `.source_end`.
RAW_TEXT,
/// `(`
L_PAREN,
/// `)`
R_PAREN,
/// `{`
L_BRACE,
/// `}`
R_BRACE,
/// `[`
L_BRACKET,
/// `]`
R_BRACKET,
/// `,`
COMMA,
/// `;`
SEMICOLON,
/// `:`
COLON,
/// `?`
QUESTION,
/// `=`
EQ,
/// `==`
EQ_EQ,
/// `!=`
NOT_EQ,
/// `!`
BANG,
/// `<`
LT,
/// `>`
GT,
/// `<=`
LT_EQ,
/// `>=`
GT_EQ,
/// `<<`
SHL,
/// `>>`
SHR,
/// `+`
PLUS,
/// `-`
MINUS,
/// `*`
STAR,
/// `/`
SLASH,
/// `%`
PERCENT,
/// `~`
TILDE,
/// `&`
AMP,
/// `&&`
AMP_AMP,
/// `|`
PIPE,
/// `||`
PIPE_PIPE,
/// `^`
CARET,
/// `@`
AT,
/// `@@`
AT_AT,
/// `_`
UNDERSCORE,
/// `\`
BACKSLASH,
/// Node: `SourceFile` of the grammar.
SOURCE_FILE,
/// Node: `VersionDirective` of the grammar.
VERSION_DIRECTIVE,
/// Node: `TargetDirective` of the grammar.
TARGET_DIRECTIVE,
/// Node: `AddressSizeDirective` of the grammar.
ADDRESS_SIZE_DIRECTIVE,
/// Node: `FileDirective` of the grammar.
FILE_DIRECTIVE,
/// Node: `Section` of the grammar.
SECTION,
/// Node: `DwarfLine` of the grammar.
DWARF_LINE,
/// Node: `IntermediateSection` of the grammar.
INTERMEDIATE_SECTION,
/// Node: `Pragma` of the grammar.
PRAGMA,
/// Node: `Alias` of the grammar.
ALIAS,
/// Node: `VariableDeclaration` of the grammar.
VARIABLE_DECLARATION,
/// Node: `Function` of the grammar.
FUNCTION,
/// Node: `Error` of the grammar.
ERROR,
/// Node: `TargetWord` of the grammar.
TARGET_WORD,
/// Node: `Literal` of the grammar.
LITERAL,
/// Node: `Label` of the grammar.
LABEL,
/// Node: `DataLine` of the grammar.
DATA_LINE,
/// Node: `CodeBlock` of the grammar.
CODE_BLOCK,
/// Node: `NameReference` of the grammar.
NAME_REFERENCE,
/// Node: `Align` of the grammar.
ALIGN,
/// Node: `Attribute` of the grammar.
ATTRIBUTE,
/// Node: `Bank` of the grammar.
BANK,
/// Node: `Declarator` of the grammar.
DECLARATOR,
/// Node: `Name` of the grammar.
NAME,
/// Node: `CountSuffix` of the grammar.
COUNT_SUFFIX,
/// Node: `ArrayDimension` of the grammar.
ARRAY_DIMENSION,
/// Node: `InitializerList` of the grammar.
INITIALIZER_LIST,
/// Node: `FieldInitializer` of the grammar.
FIELD_INITIALIZER,
/// Node: `ReturnList` of the grammar.
RETURN_LIST,
/// Node: `ParameterList` of the grammar.
PARAMETER_LIST,
/// Node: `Block` of the grammar.
BLOCK,
/// Node: `Parameter` of the grammar.
PARAMETER,
/// Node: `Sink` of the grammar.
SINK,
/// Node: `TuningDirective` of the grammar.
TUNING_DIRECTIVE,
/// Node: `StatementRun` of the grammar.
STATEMENT_RUN,
/// Node: `Instruction` of the grammar.
INSTRUCTION,
/// Node: `LocDirective` of the grammar.
LOC_DIRECTIVE,
/// Node: `BranchTargets` of the grammar.
BRANCH_TARGETS,
/// Node: `CallTargets` of the grammar.
CALL_TARGETS,
/// Node: `CallPrototype` of the grammar.
CALL_PROTOTYPE,
/// Node: `Guard` of the grammar.
GUARD,
/// Node: `TargetName` of the grammar.
TARGET_NAME,
/// Node: `ArgumentList` of the grammar.
ARGUMENT_LIST,
/// Node: `MemberExpression` of the grammar.
MEMBER_EXPRESSION,
/// Node: `IndexExpression` of the grammar.
INDEX_EXPRESSION,
/// Node: `PrefixExpression` of the grammar.
PREFIX_EXPRESSION,
/// Node: `BinaryExpression` of the grammar.
BINARY_EXPRESSION,
/// Node: `ConditionalExpression` of the grammar.
CONDITIONAL_EXPRESSION,
/// Node: `ParenthesizedExpression` of the grammar.
PARENTHESIZED_EXPRESSION,
/// Node: `CastExpression` of the grammar.
CAST_EXPRESSION,
/// Node: `ApplyExpression` of the grammar.
APPLY_EXPRESSION,
/// Node: `Address` of the grammar.
ADDRESS,
/// Node: `Vector` of the grammar.
VECTOR,
/// Node: `Pair` of the grammar.
PAIR,
 }

use SyntaxKind::*;

/// Every kind, indexed by its number.
#[rustfmt::skip]
const ALL: [SyntaxKind; PAIR as usize + 1] = [WHITESPACE,LINE_COMMENT,BLOCK_COMMENT,LINE_MARKER,BAD_NUMBER,UNTERMINATED,UNKNOWN,IDENT,DOTTED,INTEGER,FLOAT,STRING,RAW_TEXT,L_PAREN,R_PAREN,L_BRACE,R_BRACE,L_BRACKET,R_BRACKET,COMMA,SEMICOLON,COLON,QUESTION,EQ,EQ_EQ,NOT_EQ,BANG,LT,GT,LT_EQ,GT_EQ,SHL,SHR,PLUS,MINUS,STAR,SLASH,PERCENT,TILDE,AMP,AMP_AMP,PIPE,PIPE_PIPE,CARET,AT,AT_AT,UNDERSCORE,BACKSLASH,SOURCE_FILE,VERSION_DIRECTIVE,TARGET_DIRECTIVE,ADDRESS_SIZE_DIRECTIVE,FILE_DIRECTIVE,SECTION,DWARF_LINE,INTERMEDIATE_SECTION,PRAGMA,ALIAS,VARIABLE_DECLARATION,FUNCTION,ERROR,TARGET_WORD,LITERAL,LABEL,DATA_LINE,CODE_BLOCK,NAME_REFERENCE,ALIGN,ATTRIBUTE,BANK,DECLARATOR,NAME,COUNT_SUFFIX,ARRAY_DIMENSION,INITIALIZER_LIST,FIELD_INITIALIZER,RETURN_LIST,PARAMETER_LIST,BLOCK,PARAMETER,SINK,TUNING_DIRECTIVE,STATEMENT_RUN,INSTRUCTION,LOC_DIRECTIVE,BRANCH_TARGETS,CALL_TARGETS,CALL_PROTOTYPE,GUARD,TARGET_NAME,ARGUMENT_LIST,MEMBER_EXPRESSION,INDEX_EXPRESSION,PREFIX_EXPRESSION,BINARY_EXPRESSION,CONDITIONAL_EXPRESSION,PARENTHESIZED_EXPRESSION,CAST_EXPRESSION,APPLY_EXPRESSION,ADDRESS,VECTOR,PAIR,];

impl SyntaxKind {
    /// The kind with this number; `UNKNOWN` for numbers that belong to no kind.
    #[must_use]
    pub fn from_raw(raw: u16) -> SyntaxKind {
        ALL.get(usize::from(raw)).copied().unwrap_or(UNKNOWN)
    }

    /// Blanks, comments and line markers, which may appear between any two tokens.
    #[must_use]
    pub fn is_trivia(self) -> bool {
        matches!(
            self,
            WHITESPACE | LINE_COMMENT | BLOCK_COMMENT | LINE_MARKER
        )
    }

    /// The one spelling of a punctuation token.
    #[must_use]
    pub fn punctuation(self) -> Option<&'static str> {
        Some(match self {
            SyntaxKind::L_PAREN => "(",
            SyntaxKind::R_PAREN => ")",
            SyntaxKind::L_BRACE => "{",
            SyntaxKind::R_BRACE => "}",
            SyntaxKind::L_BRACKET => "[",
            SyntaxKind::R_BRACKET => "]",
            SyntaxKind::COMMA => ",",
            SyntaxKind::SEMICOLON => ";",
            SyntaxKind::COLON => ":",
            SyntaxKind::QUESTION => "?",
            SyntaxKind::EQ => "=",
            SyntaxKind::EQ_EQ => "==",
            SyntaxKind::NOT_EQ => "!=",
            SyntaxKind::BANG => "!",
            SyntaxKind::LT => "<",
            SyntaxKind::GT => ">",
            SyntaxKind::LT_EQ => "<=",
            SyntaxKind::GT_EQ => ">=",
            SyntaxKind::SHL => "<<",
            SyntaxKind::SHR => ">>",
            SyntaxKind::PLUS => "+",
            SyntaxKind::MINUS => "-",
            SyntaxKind::STAR => "*",
            SyntaxKind::SLASH => "/",
            SyntaxKind::PERCENT => "%",
            SyntaxKind::TILDE => "~",
            SyntaxKind::AMP => "&",
            SyntaxKind::AMP_AMP => "&&",
            SyntaxKind::PIPE => "|",
            SyntaxKind::PIPE_PIPE => "||",
            SyntaxKind::CARET => "^",
            SyntaxKind::AT => "@",
            SyntaxKind::AT_AT => "@@",
            SyntaxKind::UNDERSCORE => "_",
            SyntaxKind::BACKSLASH => "\\",
            _ => return None,
        })
    }
}
