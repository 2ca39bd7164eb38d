//! Accessors that the shape of the tree alone does not give.

use super::{
    AstNode, BinaryExpression, Block, ConditionalExpression, Expression, Function, Instruction,
    Literal, Name, NameReference, Operand, Pair, Parameter, PrefixExpression, Statement,
    VariableDeclaration, support,
};
use crate::{NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken};

/// Linking directive of a symbol, PTX ISA 11.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// `.extern`: defined in another module.
    Extern,
    /// `.visible`: other modules see it.
    Visible,
    /// `.weak`: other modules see it unless they have a `.visible` one.
    Weak,
    /// `.common`: several modules may declare it; the largest wins.
    Common,
}

impl Linkage {
    /// The linking directive with this spelling.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Linkage> {
        Some(match word {
            ".extern" => Linkage::Extern,
            ".visible" => Linkage::Visible,
            ".weak" => Linkage::Weak,
            ".common" => Linkage::Common,
            _ => return None,
        })
    }

    /// The spelling.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Linkage::Extern => ".extern",
            Linkage::Visible => ".visible",
            Linkage::Weak => ".weak",
            Linkage::Common => ".common",
        }
    }
}

/// The dotted words that are direct children of a node.
fn dotted(node: &SyntaxNode) -> impl Iterator<Item = SyntaxToken> + use<> {
    node.children_with_tokens()
        .filter_map(NodeOrToken::into_token)
        .filter(|it| it.kind() == SyntaxKind::DOTTED)
}

fn linkage(node: &SyntaxNode) -> Option<Linkage> {
    dotted(node).find_map(|it| Linkage::from_word(it.text()))
}

impl Function {
    /// The linking directive.
    #[must_use]
    pub fn linkage(&self) -> Option<Linkage> {
        linkage(self.syntax())
    }

    /// Whether this is an `.entry`.
    #[must_use]
    pub fn is_entry(&self) -> bool {
        dotted(self.syntax()).any(|it| it.text() == ".entry")
    }
}

impl VariableDeclaration {
    /// The linking directive.
    #[must_use]
    pub fn linkage(&self) -> Option<Linkage> {
        linkage(self.syntax())
    }

    /// The dotted words: linkage, state space, vector and type, in the order of the text.
    pub fn words(&self) -> impl Iterator<Item = SyntaxToken> + use<> {
        dotted(self.syntax())
    }
}

impl Parameter {
    /// The dotted words: state space, type, `.ptr` and what belongs to it, in the order of the text.
    pub fn words(&self) -> impl Iterator<Item = SyntaxToken> + use<> {
        dotted(self.syntax())
    }
}

impl Block {
    /// The statements of all runs, in order.
    pub fn statements(&self) -> impl Iterator<Item = Statement> + use<> {
        self.statement_runs().flat_map(|it| it.statements())
    }
}

impl Instruction {
    /// The words after the opcode: modifiers, types and state spaces, in the order of the text.
    pub fn modifiers(&self) -> impl Iterator<Item = SyntaxToken> + use<> {
        dotted(self.syntax())
    }
}

impl Name {
    /// The word.
    #[must_use]
    pub fn ident_token(&self) -> Option<SyntaxToken> {
        support::token(self.syntax(), SyntaxKind::IDENT)
    }
}

impl NameReference {
    /// The word; a dotted one where a section is named.
    #[must_use]
    pub fn ident_token(&self) -> Option<SyntaxToken> {
        self.syntax()
            .first_token()
            .filter(|it| matches!(it.kind(), SyntaxKind::IDENT | SyntaxKind::DOTTED))
    }
}

impl Literal {
    /// The number, or the word `WARP_SZ`.
    #[must_use]
    pub fn token(&self) -> Option<SyntaxToken> {
        self.syntax().first_token()
    }
}

/// The first token of a node that is neither trivia nor inside a child node.
fn operator(node: &SyntaxNode) -> Option<SyntaxToken> {
    node.children_with_tokens()
        .filter_map(NodeOrToken::into_token)
        .find(|it| !it.kind().is_trivia())
}

impl PrefixExpression {
    /// The operator: `-`, `+`, `!` or `~`.
    #[must_use]
    pub fn operator_token(&self) -> Option<SyntaxToken> {
        operator(self.syntax())
    }
}

impl BinaryExpression {
    /// The operator.
    #[must_use]
    pub fn operator_token(&self) -> Option<SyntaxToken> {
        operator(self.syntax())
    }

    /// The left side.
    #[must_use]
    pub fn left(&self) -> Option<Expression> {
        support::children(self.syntax()).next()
    }

    /// The right side.
    #[must_use]
    pub fn right(&self) -> Option<Expression> {
        support::children(self.syntax()).nth(1)
    }
}

impl ConditionalExpression {
    /// Condition, value if it is not zero, value if it is zero.
    pub fn parts(&self) -> impl Iterator<Item = Expression> + use<> {
        support::children(self.syntax())
    }
}

impl Pair {
    /// The side before `|`.
    #[must_use]
    pub fn left(&self) -> Option<Operand> {
        support::children(self.syntax()).next()
    }

    /// The side after `|`.
    #[must_use]
    pub fn right(&self) -> Option<Operand> {
        support::children(self.syntax()).nth(1)
    }
}
