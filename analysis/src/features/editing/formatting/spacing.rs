//! Blanks between two tokens of one line.

use syntax::SyntaxKind;

/// Whether a blank is between two tokens, given as their kinds and those of their nodes. Where no rule
/// says otherwise the author decides: many blanks become one, none stay none.
pub(super) fn space_between(
    (left, left_node): (SyntaxKind, SyntaxKind),
    (right, right_node): (SyntaxKind, SyntaxKind),
    was: bool,
) -> bool {
    use SyntaxKind::*;
    // A comment or line marker never touches what follows.
    if left.is_trivia() {
        return true;
    }
    let vector = |node: SyntaxKind| matches!(node, VECTOR | INITIALIZER_LIST);
    match (left, right) {
        (_, COMMA | SEMICOLON | R_PAREN | R_BRACKET) => false,
        (COMMA, _) => true,
        (L_PAREN | L_BRACKET, _) => false,
        (L_BRACE, _) if vector(left_node) => false,
        (_, R_BRACE) if vector(right_node) => false,
        (AT | TILDE, _) => false,
        (BANG, _) if left_node == GUARD || left_node == PREFIX_EXPRESSION => false,
        (_, COLON) if right_node == LABEL => false,
        // The words of an opcode are one word to a reader.
        (IDENT | DOTTED, DOTTED) if right_node == INSTRUCTION && left_node == INSTRUCTION => false,
        (_, LT) if right_node == COUNT_SUFFIX => false,
        (LT, _) | (_, GT) if left_node == COUNT_SUFFIX || right_node == COUNT_SUFFIX => false,
        (_, EQ) | (EQ, _) => true,
        (_, PIPE) if right_node == PAIR => false,
        (PIPE, _) if left_node == PAIR => false,
        (IDENT, L_PAREN) if right_node == PARAMETER_LIST => false,
        (_, L_PAREN) if right_node == ARGUMENT_LIST => true,
        (_, DOTTED) if right_node == MEMBER_EXPRESSION => false,
        _ => was,
    }
}
