//! Growing selections.

use salsa::Database;
use syntax::{SyntaxKind, SyntaxNode, TextRange, TextSize, token_at, tokens_around, trimmed_range};

use crate::db::SourceFile;

/// The ranges that a growing selection goes through: token, operand, operands, statement, block,
/// function, file. Innermost first, each contained in the next.
pub(crate) fn selection_ranges(
    db: &dyn Database,
    file: SourceFile,
    offset: TextSize,
) -> Vec<TextRange> {
    let root = file.contents(db).tree.syntax();
    let mut ranges = Vec::new();
    let mut add = |range: TextRange| {
        let grows = ranges
            .last()
            .is_none_or(|last: &TextRange| range.contains_range(*last) && range != *last);
        if range.contains_inclusive(offset) && !range.is_empty() && grows {
            ranges.push(range);
        }
    };
    let (left, right) = tokens_around(&root, offset);
    // A cursor after a word selects the word, not the blank after it.
    let token = match (left, right) {
        (Some(left), Some(right)) if is_word(right.kind()) || !is_word(left.kind()) => Some(right),
        (Some(left), _) => Some(left),
        (None, right) => right,
    }
    .or_else(|| token_at(&root, offset));
    if let Some(token) = &token {
        if !matches!(token.kind(), SyntaxKind::WHITESPACE) {
            add(token.text_range());
        }
        for node in token.parent_ancestors() {
            match node.kind() {
                // It has no meaning in the language.
                SyntaxKind::STATEMENT_RUN => continue,
                SyntaxKind::INSTRUCTION => add(operands(&node)),
                SyntaxKind::BLOCK => add(inner(&node)),
                _ => {}
            }
            if node.kind() != SyntaxKind::SOURCE_FILE {
                add(trimmed_range(&node));
            }
        }
    }
    add(root.text_range());
    ranges
}

fn is_word(kind: SyntaxKind) -> bool {
    matches!(
        kind,
        SyntaxKind::IDENT
            | SyntaxKind::DOTTED
            | SyntaxKind::INTEGER
            | SyntaxKind::FLOAT
            | SyntaxKind::STRING
    )
}

/// From the first operand of an instruction to the last one.
fn operands(instruction: &SyntaxNode) -> TextRange {
    let mut operands = instruction
        .children()
        .filter(|it| it.kind() != SyntaxKind::GUARD)
        .map(|it| trimmed_range(&it));
    let first = operands.next().unwrap_or_default();
    operands.fold(first, TextRange::cover)
}

/// The statements of a block without its braces.
fn inner(block: &SyntaxNode) -> TextRange {
    let mut runs = block
        .children()
        .filter(|it| it.kind() == SyntaxKind::STATEMENT_RUN)
        .map(|it| trimmed_range(&it));
    let first = runs.next().unwrap_or_default();
    runs.fold(first, TextRange::cover)
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::Fixture;

    fn check(text: &str, expect: Expect) {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        let ranges = analysis.selection_ranges(position).unwrap();
        assert!(
            ranges
                .windows(2)
                .all(|it| it[1].contains_range(it[0]) && it[0] != it[1])
        );
        let shown: String = ranges
            .iter()
            .map(|it| format!("{}\n", &fixture.files[0].1[*it]))
            .collect();
        expect.assert_eq(&shown);
    }

    #[test]
    fn from_a_token_to_the_file() {
        check(
            ".entry k { // c\n @p ld.b32 {a, b}, [c+4$0]; { ret; } }\n// end\n",
            expect![[r#"
                4
                c+4
                [c+4]
                {a, b}, [c+4]
                @p ld.b32 {a, b}, [c+4];
                @p ld.b32 {a, b}, [c+4]; { ret; }
                { // c
                 @p ld.b32 {a, b}, [c+4]; { ret; } }
                .entry k { // c
                 @p ld.b32 {a, b}, [c+4]; { ret; } }
                .entry k { // c
                 @p ld.b32 {a, b}, [c+4]; { ret; } }
                // end

            "#]],
        );
        check(
            ".entry k($0.param .b32 a) { }",
            expect![[r#"
            .param
            .param .b32 a
            (.param .b32 a)
            .entry k(.param .b32 a) { }
        "#]],
        );
    }

    #[test]
    fn between_tokens() {
        check(
            ".global .b32 a; $0 .global .b32 b;",
            expect![[r#"
            .global .b32 a;  .global .b32 b;
        "#]],
        );
        check("$0", expect![[r#""#]]);
    }
}
