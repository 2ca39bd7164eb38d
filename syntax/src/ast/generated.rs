//! Generated from `ptx.ungram` by the `sourcegen` test. Do not edit.

use super::{AstNode, support};
use crate::{SyntaxKind, SyntaxNode, SyntaxToken};

/// Typed view of a `SOURCE_FILE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourceFile {
    syntax: SyntaxNode,
}

impl SourceFile {
    /// The [`Item`] children.
    pub fn items(&self) -> impl Iterator<Item = Item> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for SourceFile {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::SOURCE_FILE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// One of several kinds of node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// See [`VersionDirective`].
    VersionDirective(VersionDirective),
    /// See [`TargetDirective`].
    TargetDirective(TargetDirective),
    /// See [`AddressSizeDirective`].
    AddressSizeDirective(AddressSizeDirective),
    /// See [`FileDirective`].
    FileDirective(FileDirective),
    /// See [`Section`].
    Section(Section),
    /// See [`DwarfLine`].
    DwarfLine(DwarfLine),
    /// See [`IntermediateSection`].
    IntermediateSection(IntermediateSection),
    /// See [`Pragma`].
    Pragma(Pragma),
    /// See [`Alias`].
    Alias(Alias),
    /// See [`VariableDeclaration`].
    VariableDeclaration(VariableDeclaration),
    /// See [`Function`].
    Function(Function),
    /// See [`Error`].
    Error(Error),
}

impl AstNode for Item {
    fn can_cast(kind: SyntaxKind) -> bool {
        VersionDirective::can_cast(kind)
            || TargetDirective::can_cast(kind)
            || AddressSizeDirective::can_cast(kind)
            || FileDirective::can_cast(kind)
            || Section::can_cast(kind)
            || DwarfLine::can_cast(kind)
            || IntermediateSection::can_cast(kind)
            || Pragma::can_cast(kind)
            || Alias::can_cast(kind)
            || VariableDeclaration::can_cast(kind)
            || Function::can_cast(kind)
            || Error::can_cast(kind)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        if VersionDirective::can_cast(syntax.kind()) {
            return Some(Self::VersionDirective(VersionDirective { syntax }));
        }
        if TargetDirective::can_cast(syntax.kind()) {
            return Some(Self::TargetDirective(TargetDirective { syntax }));
        }
        if AddressSizeDirective::can_cast(syntax.kind()) {
            return Some(Self::AddressSizeDirective(AddressSizeDirective { syntax }));
        }
        if FileDirective::can_cast(syntax.kind()) {
            return Some(Self::FileDirective(FileDirective { syntax }));
        }
        if Section::can_cast(syntax.kind()) {
            return Some(Self::Section(Section { syntax }));
        }
        if DwarfLine::can_cast(syntax.kind()) {
            return Some(Self::DwarfLine(DwarfLine { syntax }));
        }
        if IntermediateSection::can_cast(syntax.kind()) {
            return Some(Self::IntermediateSection(IntermediateSection { syntax }));
        }
        if Pragma::can_cast(syntax.kind()) {
            return Some(Self::Pragma(Pragma { syntax }));
        }
        if Alias::can_cast(syntax.kind()) {
            return Some(Self::Alias(Alias { syntax }));
        }
        if VariableDeclaration::can_cast(syntax.kind()) {
            return Some(Self::VariableDeclaration(VariableDeclaration { syntax }));
        }
        if Function::can_cast(syntax.kind()) {
            return Some(Self::Function(Function { syntax }));
        }
        if Error::can_cast(syntax.kind()) {
            return Some(Self::Error(Error { syntax }));
        }
        None
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::VersionDirective(it) => it.syntax(),
            Self::TargetDirective(it) => it.syntax(),
            Self::AddressSizeDirective(it) => it.syntax(),
            Self::FileDirective(it) => it.syntax(),
            Self::Section(it) => it.syntax(),
            Self::DwarfLine(it) => it.syntax(),
            Self::IntermediateSection(it) => it.syntax(),
            Self::Pragma(it) => it.syntax(),
            Self::Alias(it) => it.syntax(),
            Self::VariableDeclaration(it) => it.syntax(),
            Self::Function(it) => it.syntax(),
            Self::Error(it) => it.syntax(),
        }
    }
}

/// Typed view of a `VERSION_DIRECTIVE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VersionDirective {
    syntax: SyntaxNode,
}

impl VersionDirective {
    /// The `number` token.
    #[must_use]
    pub fn number_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::FLOAT)
    }
}

impl AstNode for VersionDirective {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::VERSION_DIRECTIVE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `TARGET_DIRECTIVE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetDirective {
    syntax: SyntaxNode,
}

impl TargetDirective {
    /// The [`TargetWord`] children.
    pub fn target_words(&self) -> impl Iterator<Item = TargetWord> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for TargetDirective {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::TARGET_DIRECTIVE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `ADDRESS_SIZE_DIRECTIVE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AddressSizeDirective {
    syntax: SyntaxNode,
}

impl AddressSizeDirective {
    /// The `literal`: a [`Literal`].
    #[must_use]
    pub fn literal(&self) -> Option<Literal> {
        support::child(&self.syntax)
    }
}

impl AstNode for AddressSizeDirective {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::ADDRESS_SIZE_DIRECTIVE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `FILE_DIRECTIVE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileDirective {
    syntax: SyntaxNode,
}

impl FileDirective {
    /// The `index`: a [`Literal`].
    #[must_use]
    pub fn index(&self) -> Option<Literal> {
        support::child(&self.syntax)
    }
    /// The `path` token.
    #[must_use]
    pub fn path_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::STRING)
    }
    /// The [`Literal`] children.
    pub fn literals(&self) -> impl Iterator<Item = Literal> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for FileDirective {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::FILE_DIRECTIVE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `SECTION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Section {
    syntax: SyntaxNode,
}

impl Section {
    /// The `name` token.
    #[must_use]
    pub fn name_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::DOTTED)
    }
    /// The [`SectionPart`] children.
    pub fn section_parts(&self) -> impl Iterator<Item = SectionPart> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for Section {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::SECTION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `DWARF_LINE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DwarfLine {
    syntax: SyntaxNode,
}

impl DwarfLine {}

impl AstNode for DwarfLine {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DWARF_LINE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `INTERMEDIATE_SECTION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IntermediateSection {
    syntax: SyntaxNode,
}

impl IntermediateSection {
    /// The [`CodeBlock`] children.
    pub fn code_blocks(&self) -> impl Iterator<Item = CodeBlock> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for IntermediateSection {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::INTERMEDIATE_SECTION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `PRAGMA` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pragma {
    syntax: SyntaxNode,
}

impl Pragma {
    /// The `string` token.
    #[must_use]
    pub fn string_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::STRING)
    }
}

impl AstNode for Pragma {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::PRAGMA
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `ALIAS` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Alias {
    syntax: SyntaxNode,
}

impl Alias {
    /// The `alias`: a [`NameReference`].
    #[must_use]
    pub fn alias(&self) -> Option<NameReference> {
        support::child(&self.syntax)
    }
    /// The `aliasee`: a [`NameReference`].
    #[must_use]
    pub fn aliasee(&self) -> Option<NameReference> {
        support::children(&self.syntax).nth(1)
    }
}

impl AstNode for Alias {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::ALIAS
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `VARIABLE_DECLARATION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VariableDeclaration {
    syntax: SyntaxNode,
}

impl VariableDeclaration {
    /// The [`Align`] children.
    pub fn aligns(&self) -> impl Iterator<Item = Align> + use<> {
        support::children(&self.syntax)
    }
    /// The [`Attribute`] children.
    pub fn attributes(&self) -> impl Iterator<Item = Attribute> + use<> {
        support::children(&self.syntax)
    }
    /// The `bank`: a [`Bank`].
    #[must_use]
    pub fn bank(&self) -> Option<Bank> {
        support::child(&self.syntax)
    }
    /// The [`Declarator`] children.
    pub fn declarators(&self) -> impl Iterator<Item = Declarator> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for VariableDeclaration {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::VARIABLE_DECLARATION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `FUNCTION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Function {
    syntax: SyntaxNode,
}

impl Function {
    /// The [`Attribute`] children.
    pub fn attributes(&self) -> impl Iterator<Item = Attribute> + use<> {
        support::children(&self.syntax)
    }
    /// The `return_list`: a [`ReturnList`].
    #[must_use]
    pub fn return_list(&self) -> Option<ReturnList> {
        support::child(&self.syntax)
    }
    /// The `name`: a [`Name`].
    #[must_use]
    pub fn name(&self) -> Option<Name> {
        support::child(&self.syntax)
    }
    /// The `parameter_list`: a [`ParameterList`].
    #[must_use]
    pub fn parameter_list(&self) -> Option<ParameterList> {
        support::child(&self.syntax)
    }
    /// The [`FunctionDirective`] children.
    pub fn function_directives(&self) -> impl Iterator<Item = FunctionDirective> + use<> {
        support::children(&self.syntax)
    }
    /// The `body`: a [`Block`].
    #[must_use]
    pub fn body(&self) -> Option<Block> {
        support::child(&self.syntax)
    }
}

impl AstNode for Function {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::FUNCTION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `ERROR` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Error {
    syntax: SyntaxNode,
}

impl Error {}

impl AstNode for Error {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::ERROR
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `TARGET_WORD` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetWord {
    syntax: SyntaxNode,
}

impl TargetWord {
    /// The `word` token.
    #[must_use]
    pub fn word_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::IDENT)
    }
}

impl AstNode for TargetWord {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::TARGET_WORD
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `LITERAL` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    syntax: SyntaxNode,
}

impl Literal {}

impl AstNode for Literal {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::LITERAL
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// One of several kinds of node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SectionPart {
    /// See [`Label`].
    Label(Label),
    /// See [`DataLine`].
    DataLine(DataLine),
}

impl AstNode for SectionPart {
    fn can_cast(kind: SyntaxKind) -> bool {
        Label::can_cast(kind) || DataLine::can_cast(kind)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        if Label::can_cast(syntax.kind()) {
            return Some(Self::Label(Label { syntax }));
        }
        if DataLine::can_cast(syntax.kind()) {
            return Some(Self::DataLine(DataLine { syntax }));
        }
        None
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::Label(it) => it.syntax(),
            Self::DataLine(it) => it.syntax(),
        }
    }
}

/// Typed view of a `LABEL` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    syntax: SyntaxNode,
}

impl Label {
    /// The `name`: a [`Name`].
    #[must_use]
    pub fn name(&self) -> Option<Name> {
        support::child(&self.syntax)
    }
}

impl AstNode for Label {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::LABEL
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `DATA_LINE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DataLine {
    syntax: SyntaxNode,
}

impl DataLine {
    /// The [`Expression`] children.
    pub fn expressions(&self) -> impl Iterator<Item = Expression> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for DataLine {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DATA_LINE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// One of several kinds of node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Expression {
    /// See [`NameReference`].
    NameReference(NameReference),
    /// See [`Literal`].
    Literal(Literal),
    /// See [`Sink`].
    Sink(Sink),
    /// See [`MemberExpression`].
    MemberExpression(MemberExpression),
    /// See [`IndexExpression`].
    IndexExpression(IndexExpression),
    /// See [`PrefixExpression`].
    PrefixExpression(PrefixExpression),
    /// See [`BinaryExpression`].
    BinaryExpression(BinaryExpression),
    /// See [`ConditionalExpression`].
    ConditionalExpression(ConditionalExpression),
    /// See [`ParenthesizedExpression`].
    ParenthesizedExpression(ParenthesizedExpression),
    /// See [`CastExpression`].
    CastExpression(CastExpression),
    /// See [`ApplyExpression`].
    ApplyExpression(ApplyExpression),
    /// See [`Address`].
    Address(Address),
    /// See [`Vector`].
    Vector(Vector),
    /// See [`Pair`].
    Pair(Pair),
}

impl AstNode for Expression {
    fn can_cast(kind: SyntaxKind) -> bool {
        NameReference::can_cast(kind)
            || Literal::can_cast(kind)
            || Sink::can_cast(kind)
            || MemberExpression::can_cast(kind)
            || IndexExpression::can_cast(kind)
            || PrefixExpression::can_cast(kind)
            || BinaryExpression::can_cast(kind)
            || ConditionalExpression::can_cast(kind)
            || ParenthesizedExpression::can_cast(kind)
            || CastExpression::can_cast(kind)
            || ApplyExpression::can_cast(kind)
            || Address::can_cast(kind)
            || Vector::can_cast(kind)
            || Pair::can_cast(kind)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        if NameReference::can_cast(syntax.kind()) {
            return Some(Self::NameReference(NameReference { syntax }));
        }
        if Literal::can_cast(syntax.kind()) {
            return Some(Self::Literal(Literal { syntax }));
        }
        if Sink::can_cast(syntax.kind()) {
            return Some(Self::Sink(Sink { syntax }));
        }
        if MemberExpression::can_cast(syntax.kind()) {
            return Some(Self::MemberExpression(MemberExpression { syntax }));
        }
        if IndexExpression::can_cast(syntax.kind()) {
            return Some(Self::IndexExpression(IndexExpression { syntax }));
        }
        if PrefixExpression::can_cast(syntax.kind()) {
            return Some(Self::PrefixExpression(PrefixExpression { syntax }));
        }
        if BinaryExpression::can_cast(syntax.kind()) {
            return Some(Self::BinaryExpression(BinaryExpression { syntax }));
        }
        if ConditionalExpression::can_cast(syntax.kind()) {
            return Some(Self::ConditionalExpression(ConditionalExpression {
                syntax,
            }));
        }
        if ParenthesizedExpression::can_cast(syntax.kind()) {
            return Some(Self::ParenthesizedExpression(ParenthesizedExpression {
                syntax,
            }));
        }
        if CastExpression::can_cast(syntax.kind()) {
            return Some(Self::CastExpression(CastExpression { syntax }));
        }
        if ApplyExpression::can_cast(syntax.kind()) {
            return Some(Self::ApplyExpression(ApplyExpression { syntax }));
        }
        if Address::can_cast(syntax.kind()) {
            return Some(Self::Address(Address { syntax }));
        }
        if Vector::can_cast(syntax.kind()) {
            return Some(Self::Vector(Vector { syntax }));
        }
        if Pair::can_cast(syntax.kind()) {
            return Some(Self::Pair(Pair { syntax }));
        }
        None
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::NameReference(it) => it.syntax(),
            Self::Literal(it) => it.syntax(),
            Self::Sink(it) => it.syntax(),
            Self::MemberExpression(it) => it.syntax(),
            Self::IndexExpression(it) => it.syntax(),
            Self::PrefixExpression(it) => it.syntax(),
            Self::BinaryExpression(it) => it.syntax(),
            Self::ConditionalExpression(it) => it.syntax(),
            Self::ParenthesizedExpression(it) => it.syntax(),
            Self::CastExpression(it) => it.syntax(),
            Self::ApplyExpression(it) => it.syntax(),
            Self::Address(it) => it.syntax(),
            Self::Vector(it) => it.syntax(),
            Self::Pair(it) => it.syntax(),
        }
    }
}

/// Typed view of a `CODE_BLOCK` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodeBlock {
    syntax: SyntaxNode,
}

impl CodeBlock {
    /// The `text` token.
    #[must_use]
    pub fn text_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::RAW_TEXT)
    }
}

impl AstNode for CodeBlock {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CODE_BLOCK
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `NAME_REFERENCE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NameReference {
    syntax: SyntaxNode,
}

impl NameReference {}

impl AstNode for NameReference {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::NAME_REFERENCE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `ALIGN` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Align {
    syntax: SyntaxNode,
}

impl Align {
    /// The `literal`: a [`Literal`].
    #[must_use]
    pub fn literal(&self) -> Option<Literal> {
        support::child(&self.syntax)
    }
}

impl AstNode for Align {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::ALIGN
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `ATTRIBUTE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attribute {
    syntax: SyntaxNode,
}

impl Attribute {}

impl AstNode for Attribute {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::ATTRIBUTE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `BANK` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bank {
    syntax: SyntaxNode,
}

impl Bank {
    /// The `literal`: a [`Literal`].
    #[must_use]
    pub fn literal(&self) -> Option<Literal> {
        support::child(&self.syntax)
    }
}

impl AstNode for Bank {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::BANK
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `DECLARATOR` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Declarator {
    syntax: SyntaxNode,
}

impl Declarator {
    /// The `name`: a [`Name`].
    #[must_use]
    pub fn name(&self) -> Option<Name> {
        support::child(&self.syntax)
    }
    /// The `count_suffix`: a [`CountSuffix`].
    #[must_use]
    pub fn count_suffix(&self) -> Option<CountSuffix> {
        support::child(&self.syntax)
    }
    /// The [`ArrayDimension`] children.
    pub fn array_dimensions(&self) -> impl Iterator<Item = ArrayDimension> + use<> {
        support::children(&self.syntax)
    }
    /// The `initializer`: a [`Initializer`].
    #[must_use]
    pub fn initializer(&self) -> Option<Initializer> {
        support::child(&self.syntax)
    }
}

impl AstNode for Declarator {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::DECLARATOR
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `NAME` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name {
    syntax: SyntaxNode,
}

impl Name {}

impl AstNode for Name {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::NAME
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `COUNT_SUFFIX` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CountSuffix {
    syntax: SyntaxNode,
}

impl CountSuffix {
    /// The `count`: a [`Literal`].
    #[must_use]
    pub fn count(&self) -> Option<Literal> {
        support::child(&self.syntax)
    }
}

impl AstNode for CountSuffix {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::COUNT_SUFFIX
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `ARRAY_DIMENSION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArrayDimension {
    syntax: SyntaxNode,
}

impl ArrayDimension {
    /// The `size`: a [`Literal`].
    #[must_use]
    pub fn size(&self) -> Option<Literal> {
        support::child(&self.syntax)
    }
}

impl AstNode for ArrayDimension {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::ARRAY_DIMENSION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// One of several kinds of node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Initializer {
    /// See [`Expression`].
    Expression(Expression),
    /// See [`InitializerList`].
    InitializerList(InitializerList),
}

impl AstNode for Initializer {
    fn can_cast(kind: SyntaxKind) -> bool {
        Expression::can_cast(kind) || InitializerList::can_cast(kind)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        if Expression::can_cast(syntax.kind()) {
            return Expression::cast(syntax).map(Self::Expression);
        }
        if InitializerList::can_cast(syntax.kind()) {
            return Some(Self::InitializerList(InitializerList { syntax }));
        }
        None
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::Expression(it) => it.syntax(),
            Self::InitializerList(it) => it.syntax(),
        }
    }
}

/// Typed view of a `INITIALIZER_LIST` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InitializerList {
    syntax: SyntaxNode,
}

impl InitializerList {
    /// The [`InitializerElement`] children.
    pub fn initializer_elements(&self) -> impl Iterator<Item = InitializerElement> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for InitializerList {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::INITIALIZER_LIST
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// One of several kinds of node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InitializerElement {
    /// See [`Initializer`].
    Initializer(Initializer),
    /// See [`FieldInitializer`].
    FieldInitializer(FieldInitializer),
}

impl AstNode for InitializerElement {
    fn can_cast(kind: SyntaxKind) -> bool {
        Initializer::can_cast(kind) || FieldInitializer::can_cast(kind)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        if Initializer::can_cast(syntax.kind()) {
            return Initializer::cast(syntax).map(Self::Initializer);
        }
        if FieldInitializer::can_cast(syntax.kind()) {
            return Some(Self::FieldInitializer(FieldInitializer { syntax }));
        }
        None
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::Initializer(it) => it.syntax(),
            Self::FieldInitializer(it) => it.syntax(),
        }
    }
}

/// Typed view of a `FIELD_INITIALIZER` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldInitializer {
    syntax: SyntaxNode,
}

impl FieldInitializer {
    /// The `field` token.
    #[must_use]
    pub fn field_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::IDENT)
    }
    /// The `value`: a [`Expression`].
    #[must_use]
    pub fn value(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for FieldInitializer {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::FIELD_INITIALIZER
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `RETURN_LIST` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReturnList {
    syntax: SyntaxNode,
}

impl ReturnList {
    /// The [`Parameter`] children.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for ReturnList {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::RETURN_LIST
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `PARAMETER_LIST` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ParameterList {
    syntax: SyntaxNode,
}

impl ParameterList {
    /// The [`Parameter`] children.
    pub fn parameters(&self) -> impl Iterator<Item = Parameter> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for ParameterList {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::PARAMETER_LIST
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// One of several kinds of node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FunctionDirective {
    /// See [`TuningDirective`].
    TuningDirective(TuningDirective),
    /// See [`Pragma`].
    Pragma(Pragma),
}

impl AstNode for FunctionDirective {
    fn can_cast(kind: SyntaxKind) -> bool {
        TuningDirective::can_cast(kind) || Pragma::can_cast(kind)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        if TuningDirective::can_cast(syntax.kind()) {
            return Some(Self::TuningDirective(TuningDirective { syntax }));
        }
        if Pragma::can_cast(syntax.kind()) {
            return Some(Self::Pragma(Pragma { syntax }));
        }
        None
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::TuningDirective(it) => it.syntax(),
            Self::Pragma(it) => it.syntax(),
        }
    }
}

/// Typed view of a `BLOCK` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    syntax: SyntaxNode,
}

impl Block {
    /// The [`StatementRun`] children.
    pub fn statement_runs(&self) -> impl Iterator<Item = StatementRun> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for Block {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::BLOCK
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `PARAMETER` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parameter {
    syntax: SyntaxNode,
}

impl Parameter {
    /// The [`Align`] children.
    pub fn aligns(&self) -> impl Iterator<Item = Align> + use<> {
        support::children(&self.syntax)
    }
    /// The [`Attribute`] children.
    pub fn attributes(&self) -> impl Iterator<Item = Attribute> + use<> {
        support::children(&self.syntax)
    }
    /// The `name`: a [`Name`].
    #[must_use]
    pub fn name(&self) -> Option<Name> {
        support::child(&self.syntax)
    }
    /// The [`ArrayDimension`] children.
    pub fn array_dimensions(&self) -> impl Iterator<Item = ArrayDimension> + use<> {
        support::children(&self.syntax)
    }
    /// The `sink`: a [`Sink`].
    #[must_use]
    pub fn sink(&self) -> Option<Sink> {
        support::child(&self.syntax)
    }
}

impl AstNode for Parameter {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::PARAMETER
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `SINK` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sink {
    syntax: SyntaxNode,
}

impl Sink {}

impl AstNode for Sink {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::SINK
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `TUNING_DIRECTIVE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TuningDirective {
    syntax: SyntaxNode,
}

impl TuningDirective {
    /// The [`Literal`] children.
    pub fn literals(&self) -> impl Iterator<Item = Literal> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for TuningDirective {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::TUNING_DIRECTIVE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `STATEMENT_RUN` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StatementRun {
    syntax: SyntaxNode,
}

impl StatementRun {
    /// The [`Statement`] children.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for StatementRun {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::STATEMENT_RUN
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// One of several kinds of node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// See [`Label`].
    Label(Label),
    /// See [`Instruction`].
    Instruction(Instruction),
    /// See [`VariableDeclaration`].
    VariableDeclaration(VariableDeclaration),
    /// See [`Block`].
    Block(Block),
    /// See [`LocDirective`].
    LocDirective(LocDirective),
    /// See [`Pragma`].
    Pragma(Pragma),
    /// See [`BranchTargets`].
    BranchTargets(BranchTargets),
    /// See [`CallTargets`].
    CallTargets(CallTargets),
    /// See [`CallPrototype`].
    CallPrototype(CallPrototype),
    /// See [`Alias`].
    Alias(Alias),
    /// See [`Function`].
    Function(Function),
    /// See [`TargetDirective`].
    TargetDirective(TargetDirective),
    /// See [`Error`].
    Error(Error),
}

impl AstNode for Statement {
    fn can_cast(kind: SyntaxKind) -> bool {
        Label::can_cast(kind)
            || Instruction::can_cast(kind)
            || VariableDeclaration::can_cast(kind)
            || Block::can_cast(kind)
            || LocDirective::can_cast(kind)
            || Pragma::can_cast(kind)
            || BranchTargets::can_cast(kind)
            || CallTargets::can_cast(kind)
            || CallPrototype::can_cast(kind)
            || Alias::can_cast(kind)
            || Function::can_cast(kind)
            || TargetDirective::can_cast(kind)
            || Error::can_cast(kind)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        if Label::can_cast(syntax.kind()) {
            return Some(Self::Label(Label { syntax }));
        }
        if Instruction::can_cast(syntax.kind()) {
            return Some(Self::Instruction(Instruction { syntax }));
        }
        if VariableDeclaration::can_cast(syntax.kind()) {
            return Some(Self::VariableDeclaration(VariableDeclaration { syntax }));
        }
        if Block::can_cast(syntax.kind()) {
            return Some(Self::Block(Block { syntax }));
        }
        if LocDirective::can_cast(syntax.kind()) {
            return Some(Self::LocDirective(LocDirective { syntax }));
        }
        if Pragma::can_cast(syntax.kind()) {
            return Some(Self::Pragma(Pragma { syntax }));
        }
        if BranchTargets::can_cast(syntax.kind()) {
            return Some(Self::BranchTargets(BranchTargets { syntax }));
        }
        if CallTargets::can_cast(syntax.kind()) {
            return Some(Self::CallTargets(CallTargets { syntax }));
        }
        if CallPrototype::can_cast(syntax.kind()) {
            return Some(Self::CallPrototype(CallPrototype { syntax }));
        }
        if Alias::can_cast(syntax.kind()) {
            return Some(Self::Alias(Alias { syntax }));
        }
        if Function::can_cast(syntax.kind()) {
            return Some(Self::Function(Function { syntax }));
        }
        if TargetDirective::can_cast(syntax.kind()) {
            return Some(Self::TargetDirective(TargetDirective { syntax }));
        }
        if Error::can_cast(syntax.kind()) {
            return Some(Self::Error(Error { syntax }));
        }
        None
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::Label(it) => it.syntax(),
            Self::Instruction(it) => it.syntax(),
            Self::VariableDeclaration(it) => it.syntax(),
            Self::Block(it) => it.syntax(),
            Self::LocDirective(it) => it.syntax(),
            Self::Pragma(it) => it.syntax(),
            Self::BranchTargets(it) => it.syntax(),
            Self::CallTargets(it) => it.syntax(),
            Self::CallPrototype(it) => it.syntax(),
            Self::Alias(it) => it.syntax(),
            Self::Function(it) => it.syntax(),
            Self::TargetDirective(it) => it.syntax(),
            Self::Error(it) => it.syntax(),
        }
    }
}

/// Typed view of a `INSTRUCTION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    syntax: SyntaxNode,
}

impl Instruction {
    /// The `guard`: a [`Guard`].
    #[must_use]
    pub fn guard(&self) -> Option<Guard> {
        support::child(&self.syntax)
    }
    /// The `opcode` token.
    #[must_use]
    pub fn opcode_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::IDENT)
    }
    /// The [`Operand`] children.
    pub fn operands(&self) -> impl Iterator<Item = Operand> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for Instruction {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::INSTRUCTION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `LOC_DIRECTIVE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LocDirective {
    syntax: SyntaxNode,
}

impl LocDirective {
    /// The [`Literal`] children.
    pub fn literals(&self) -> impl Iterator<Item = Literal> + use<> {
        support::children(&self.syntax)
    }
    /// The `name_reference`: a [`NameReference`].
    #[must_use]
    pub fn name_reference(&self) -> Option<NameReference> {
        support::child(&self.syntax)
    }
    /// The `expression`: a [`Expression`].
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for LocDirective {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::LOC_DIRECTIVE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `BRANCH_TARGETS` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BranchTargets {
    syntax: SyntaxNode,
}

impl BranchTargets {
    /// The [`TargetName`] children.
    pub fn target_names(&self) -> impl Iterator<Item = TargetName> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for BranchTargets {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::BRANCH_TARGETS
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `CALL_TARGETS` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallTargets {
    syntax: SyntaxNode,
}

impl CallTargets {
    /// The [`NameReference`] children.
    pub fn name_references(&self) -> impl Iterator<Item = NameReference> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for CallTargets {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CALL_TARGETS
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `CALL_PROTOTYPE` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallPrototype {
    syntax: SyntaxNode,
}

impl CallPrototype {
    /// The `return_list`: a [`ReturnList`].
    #[must_use]
    pub fn return_list(&self) -> Option<ReturnList> {
        support::child(&self.syntax)
    }
    /// The `parameter_list`: a [`ParameterList`].
    #[must_use]
    pub fn parameter_list(&self) -> Option<ParameterList> {
        support::child(&self.syntax)
    }
    /// The [`FunctionDirective`] children.
    pub fn function_directives(&self) -> impl Iterator<Item = FunctionDirective> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for CallPrototype {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CALL_PROTOTYPE
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `GUARD` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    syntax: SyntaxNode,
}

impl Guard {
    /// The `name_reference`: a [`NameReference`].
    #[must_use]
    pub fn name_reference(&self) -> Option<NameReference> {
        support::child(&self.syntax)
    }
}

impl AstNode for Guard {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::GUARD
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// One of several kinds of node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// See [`Expression`].
    Expression(Expression),
    /// See [`ArgumentList`].
    ArgumentList(ArgumentList),
}

impl AstNode for Operand {
    fn can_cast(kind: SyntaxKind) -> bool {
        Expression::can_cast(kind) || ArgumentList::can_cast(kind)
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        if Expression::can_cast(syntax.kind()) {
            return Expression::cast(syntax).map(Self::Expression);
        }
        if ArgumentList::can_cast(syntax.kind()) {
            return Some(Self::ArgumentList(ArgumentList { syntax }));
        }
        None
    }
    fn syntax(&self) -> &SyntaxNode {
        match self {
            Self::Expression(it) => it.syntax(),
            Self::ArgumentList(it) => it.syntax(),
        }
    }
}

/// Typed view of a `TARGET_NAME` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TargetName {
    syntax: SyntaxNode,
}

impl TargetName {
    /// The `name_reference`: a [`NameReference`].
    #[must_use]
    pub fn name_reference(&self) -> Option<NameReference> {
        support::child(&self.syntax)
    }
    /// The `count_suffix`: a [`CountSuffix`].
    #[must_use]
    pub fn count_suffix(&self) -> Option<CountSuffix> {
        support::child(&self.syntax)
    }
}

impl AstNode for TargetName {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::TARGET_NAME
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `ARGUMENT_LIST` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArgumentList {
    syntax: SyntaxNode,
}

impl ArgumentList {
    /// The [`Expression`] children.
    pub fn expressions(&self) -> impl Iterator<Item = Expression> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for ArgumentList {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::ARGUMENT_LIST
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `MEMBER_EXPRESSION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemberExpression {
    syntax: SyntaxNode,
}

impl MemberExpression {
    /// The `expression`: a [`Expression`].
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
    /// The `selector` token.
    #[must_use]
    pub fn selector_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::DOTTED)
    }
}

impl AstNode for MemberExpression {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::MEMBER_EXPRESSION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `INDEX_EXPRESSION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IndexExpression {
    syntax: SyntaxNode,
}

impl IndexExpression {
    /// The `name_reference`: a [`NameReference`].
    #[must_use]
    pub fn name_reference(&self) -> Option<NameReference> {
        support::child(&self.syntax)
    }
    /// The `index`: a [`Expression`].
    #[must_use]
    pub fn index(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for IndexExpression {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::INDEX_EXPRESSION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `PREFIX_EXPRESSION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PrefixExpression {
    syntax: SyntaxNode,
}

impl PrefixExpression {
    /// The `expression`: a [`Expression`].
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for PrefixExpression {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::PREFIX_EXPRESSION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `BINARY_EXPRESSION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BinaryExpression {
    syntax: SyntaxNode,
}

impl BinaryExpression {
    /// The `expression`: a [`Expression`].
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for BinaryExpression {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::BINARY_EXPRESSION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `CONDITIONAL_EXPRESSION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConditionalExpression {
    syntax: SyntaxNode,
}

impl ConditionalExpression {
    /// The `expression`: a [`Expression`].
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for ConditionalExpression {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CONDITIONAL_EXPRESSION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `PARENTHESIZED_EXPRESSION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ParenthesizedExpression {
    syntax: SyntaxNode,
}

impl ParenthesizedExpression {
    /// The `expression`: a [`Expression`].
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for ParenthesizedExpression {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::PARENTHESIZED_EXPRESSION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `CAST_EXPRESSION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CastExpression {
    syntax: SyntaxNode,
}

impl CastExpression {
    /// The `type` token.
    #[must_use]
    pub fn type_token(&self) -> Option<SyntaxToken> {
        support::token(&self.syntax, SyntaxKind::DOTTED)
    }
    /// The `expression`: a [`Expression`].
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for CastExpression {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::CAST_EXPRESSION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `APPLY_EXPRESSION` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApplyExpression {
    syntax: SyntaxNode,
}

impl ApplyExpression {
    /// The `expression`: a [`Expression`].
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for ApplyExpression {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::APPLY_EXPRESSION
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `ADDRESS` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    syntax: SyntaxNode,
}

impl Address {
    /// The [`Expression`] children.
    pub fn expressions(&self) -> impl Iterator<Item = Expression> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for Address {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::ADDRESS
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `VECTOR` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Vector {
    syntax: SyntaxNode,
}

impl Vector {
    /// The [`Expression`] children.
    pub fn expressions(&self) -> impl Iterator<Item = Expression> + use<> {
        support::children(&self.syntax)
    }
}

impl AstNode for Vector {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::VECTOR
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}

/// Typed view of a `PAIR` node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    syntax: SyntaxNode,
}

impl Pair {
    /// The `expression`: a [`Expression`].
    #[must_use]
    pub fn expression(&self) -> Option<Expression> {
        support::child(&self.syntax)
    }
}

impl AstNode for Pair {
    fn can_cast(kind: SyntaxKind) -> bool {
        kind == SyntaxKind::PAIR
    }
    fn cast(syntax: SyntaxNode) -> Option<Self> {
        Self::can_cast(syntax.kind()).then_some(Self { syntax })
    }
    fn syntax(&self) -> &SyntaxNode {
        &self.syntax
    }
}
