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
/// A word that starts with a full stop, with its `::` parts.
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
/// Node: [`crate::ast::SourceFile`].
SOURCE_FILE,
/// Node: [`crate::ast::VersionDirective`].
VERSION_DIRECTIVE,
/// Node: [`crate::ast::TargetDirective`].
TARGET_DIRECTIVE,
/// Node: [`crate::ast::AddressSizeDirective`].
ADDRESS_SIZE_DIRECTIVE,
/// Node: [`crate::ast::FileDirective`].
FILE_DIRECTIVE,
/// Node: [`crate::ast::Section`].
SECTION,
/// Node: [`crate::ast::DwarfLine`].
DWARF_LINE,
/// Node: [`crate::ast::IntermediateSection`].
INTERMEDIATE_SECTION,
/// Node: [`crate::ast::Pragma`].
PRAGMA,
/// Node: [`crate::ast::Alias`].
ALIAS,
/// Node: [`crate::ast::VariableDeclaration`].
VARIABLE_DECLARATION,
/// Node: [`crate::ast::Function`].
FUNCTION,
/// Node: [`crate::ast::Error`].
ERROR,
/// Node: [`crate::ast::TargetWord`].
TARGET_WORD,
/// Node: [`crate::ast::Literal`].
LITERAL,
/// Node: [`crate::ast::Label`].
LABEL,
/// Node: [`crate::ast::DataLine`].
DATA_LINE,
/// Node: [`crate::ast::CodeBlock`].
CODE_BLOCK,
/// Node: [`crate::ast::NameReference`].
NAME_REFERENCE,
/// Node: [`crate::ast::Align`].
ALIGN,
/// Node: [`crate::ast::Attribute`].
ATTRIBUTE,
/// Node: [`crate::ast::Bank`].
BANK,
/// Node: [`crate::ast::Declarator`].
DECLARATOR,
/// Node: [`crate::ast::Name`].
NAME,
/// Node: [`crate::ast::CountSuffix`].
COUNT_SUFFIX,
/// Node: [`crate::ast::ArrayDimension`].
ARRAY_DIMENSION,
/// Node: [`crate::ast::InitializerList`].
INITIALIZER_LIST,
/// Node: [`crate::ast::FieldInitializer`].
FIELD_INITIALIZER,
/// Node: [`crate::ast::ReturnList`].
RETURN_LIST,
/// Node: [`crate::ast::ParameterList`].
PARAMETER_LIST,
/// Node: [`crate::ast::Block`].
BLOCK,
/// Node: [`crate::ast::Parameter`].
PARAMETER,
/// Node: [`crate::ast::Sink`].
SINK,
/// Node: [`crate::ast::TuningDirective`].
TUNING_DIRECTIVE,
/// Node: [`crate::ast::StatementRun`].
STATEMENT_RUN,
/// Node: [`crate::ast::Instruction`].
INSTRUCTION,
/// Node: [`crate::ast::LocDirective`].
LOC_DIRECTIVE,
/// Node: [`crate::ast::BranchTargets`].
BRANCH_TARGETS,
/// Node: [`crate::ast::CallTargets`].
CALL_TARGETS,
/// Node: [`crate::ast::CallPrototype`].
CALL_PROTOTYPE,
/// Node: [`crate::ast::Guard`].
GUARD,
/// Node: [`crate::ast::TargetName`].
TARGET_NAME,
/// Node: [`crate::ast::ArgumentList`].
ARGUMENT_LIST,
/// Node: [`crate::ast::MemberExpression`].
MEMBER_EXPRESSION,
/// Node: [`crate::ast::IndexExpression`].
INDEX_EXPRESSION,
/// Node: [`crate::ast::PrefixExpression`].
PREFIX_EXPRESSION,
/// Node: [`crate::ast::BinaryExpression`].
BINARY_EXPRESSION,
/// Node: [`crate::ast::ConditionalExpression`].
CONDITIONAL_EXPRESSION,
/// Node: [`crate::ast::ParenthesizedExpression`].
PARENTHESIZED_EXPRESSION,
/// Node: [`crate::ast::CastExpression`].
CAST_EXPRESSION,
/// Node: [`crate::ast::ApplyExpression`].
APPLY_EXPRESSION,
/// Node: [`crate::ast::Address`].
ADDRESS,
/// Node: [`crate::ast::Vector`].
VECTOR,
/// Node: [`crate::ast::Pair`].
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

    /// Blanks, comments and line markers, which may stand between any two tokens.
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
