//! Hover: what a word means here, as Markdown.

pub(crate) mod calculators;
mod chapters;
pub(crate) mod documentation;
pub(crate) mod explain;
mod figure;
mod instruction;
mod known_bits;
pub(in crate::features) mod literal;
mod matched;
mod matrix;
mod names;
pub(in crate::features) mod outcome;
mod page;
mod registers;
pub(crate) mod site;
mod storage;
mod value;
mod words;

use std::fmt::Write as _;

use salsa::Database;
use syntax::{Cursor, SyntaxKind, TextSize, tokens_around};

use crate::{
    ExactEntry, FilePosition, Hover, RangeInfo,
    db::SourceFile,
    hir::{
        items::{Function, items},
        number::integer,
        symbol::{ItemAt, item_at},
    },
};

use crate::features::navigation::target::path_to;

use literal::Role;

/// The documentation of the word at a position.
pub(crate) fn hover(
    db: &dyn Database,
    file: SourceFile,
    at: FilePosition,
    exact: &[ExactEntry],
) -> Option<RangeInfo<Hover>> {
    if let Some(mut found) = names::hover(db, file, at, exact) {
        let start = found.range.start();
        let context = WordContext::at(db, file, start);
        if let Some(role) = context.as_ref().and_then(|it| it.role(start)) {
            found.info.markdown.insert_str(0, &format!("{role}\n\n"));
        }
        found.info.figure = context.as_ref().and_then(|it| it.of_operand(start));
        let more = context.and_then(|it| it.element(start).or_else(|| it.known_descriptor(start)));
        if let Some(more) = more {
            let _ = write!(found.info.markdown, "\n\n{more}");
        }
        found.info.markdown = within(found.info.markdown);
        return Some(found);
    }
    let root = file.contents(db).tree.syntax();
    let (left, right) = tokens_around(&root, at.offset);
    let is_word = |kind: SyntaxKind| {
        matches!(
            kind,
            SyntaxKind::IDENT
                | SyntaxKind::DOTTED
                | SyntaxKind::INTEGER
                | SyntaxKind::FLOAT
                | SyntaxKind::STRING
                | SyntaxKind::UNDERSCORE
        )
    };
    // On a sign, the hover is that of its number.
    let right = match right {
        Some(it) if it.kind() == SyntaxKind::MINUS => it.next_token().filter(|it| {
            let start = it.text_range().start();
            WordContext::at(db, file, start).is_some_and(|it| it.is_negated())
        }),
        it => it,
    };
    let token = right
        .filter(|it| is_word(it.kind()))
        .or(left.filter(|it| is_word(it.kind())))?;
    let range = token.text_range();
    let context = WordContext::at(db, file, range.start())?;
    let markdown = context.word(token.kind(), token.text(), range.start())?;
    let figure = context.figure(token.kind(), token.text(), range.start());
    let sign = token.prev_token().filter(|_| context.is_negated());
    Some(RangeInfo {
        range: sign.map_or(range, |it| range.cover(it.text_range())),
        info: Hover {
            markdown: within(markdown),
            figure,
        },
    })
}

/// Characters of a line that are kept when a hover is too long.
const MAX_LINE: usize = 200;

/// A hover without what exceeds [`page::MAX_CHARACTERS`]: long lines are shortened, then the end is left out.
fn within(markdown: String) -> String {
    const REST: &str = "\n\n… the rest is left out";
    if markdown.chars().count() <= page::MAX_CHARACTERS {
        return markdown;
    }
    let room = page::MAX_CHARACTERS - REST.chars().count() - "\n```".len();
    let (mut out, mut length, mut in_code) = (String::new(), 0, false);
    for line in markdown.lines() {
        let is_fence = line.starts_with("```");
        let mut kept: String = line.chars().take(MAX_LINE).collect();
        if kept.len() < line.len() {
            kept.push('…');
            // A code span ends in its line.
            if !in_code && kept.matches('`').count() % 2 == 1 {
                kept.push('`');
            }
        }
        length += kept.chars().count() + 1;
        if length > room {
            break;
        }
        in_code ^= is_fence;
        out.push_str(&kept);
        out.push('\n');
    }
    let mut out = out.trim_end().to_owned();
    if in_code {
        out.push_str("\n```");
    }
    out.push_str(REST);
    out
}

/// A word with the nodes around it, from the outside in.
struct WordContext<'db> {
    db: &'db dyn Database,
    file: SourceFile,
    /// The function in which it appears.
    function: Option<Function<'db>>,
    path: Vec<Cursor<'db>>,
    /// Where the item starts.
    start: TextSize,
}

impl<'db> WordContext<'db> {
    /// The word that starts at an offset.
    fn at(db: &'db dyn Database, file: SourceFile, offset: TextSize) -> Option<WordContext<'db>> {
        Some(match item_at(db, file, offset)? {
            ItemAt::Function(function, start) => WordContext {
                db,
                file,
                function: Some(function),
                path: path_to(&function.green(db).cursor(), offset - start),
                start,
            },
            ItemAt::Other(index, start) => {
                let item = items(db, file).module.items(db).get(index as usize)?;
                WordContext {
                    db,
                    file,
                    function: None,
                    path: path_to(&item.green.cursor(), offset - start),
                    start,
                }
            }
        })
    }

    /// Whether the word is a number after a sign, or one that an address subtracts from a name.
    fn is_negated(&self) -> bool {
        let [.., around, sum, word] = &self.path[..] else {
            return false;
        };
        let minus = sum.token(SyntaxKind::MINUS);
        let Some(minus) = minus.filter(|it| it.range().end() == word.range().start()) else {
            return false;
        };
        match sum.kind() {
            SyntaxKind::PREFIX_EXPRESSION => true,
            SyntaxKind::BINARY_EXPRESSION => {
                around.kind() == SyntaxKind::ADDRESS
                    && minus.range().start() > sum.range().start()
                    && sum.node(SyntaxKind::NAME_REFERENCE).is_some()
            }
            _ => false,
        }
    }

    fn word(&self, kind: SyntaxKind, text: &str, offset: TextSize) -> Option<String> {
        let inner = self.path.last()?;
        let instruction = self
            .path
            .iter()
            .rev()
            .find(|it| it.kind() == SyntaxKind::INSTRUCTION);
        match (kind, inner.kind()) {
            (SyntaxKind::INTEGER | SyntaxKind::FLOAT, _) => {
                if inner.kind() == SyntaxKind::VERSION_DIRECTIVE {
                    return words::version(text);
                }
                let format = self.descriptor(offset);
                let meaning = match &format {
                    Some(_) => None,
                    None => instruction.and_then(|it| self.meaning_of(it, offset)),
                };
                let is_table = meaning.as_ref().is_some_and(|it| it.is_table);
                let role = match &format {
                    Some(_) => Role::Descriptor,
                    None if is_table => Role::LookUpTable,
                    None => Role::Value,
                };
                let mut markdown = match self.is_negated() {
                    true => literal::describe_negated(text)?,
                    false => literal::describe(text, Some(role))?,
                };
                if let (Some(format), Some(bits)) = (format, integer(text)) {
                    let _ = write!(markdown, "\n\n{}", matrix::decoded(&format, bits, u64::MAX));
                }
                if let Some(outcome) = meaning.and_then(|it| it.outcome) {
                    let _ = write!(markdown, "\n\n{outcome}");
                }
                if let Some(role) = self.role(offset) {
                    markdown.insert_str(0, &format!("{role}\n\n"));
                }
                Some(markdown)
            }
            (SyntaxKind::STRING, SyntaxKind::PRAGMA) => words::pragma(text.trim_matches('"')),
            (SyntaxKind::IDENT, SyntaxKind::TARGET_WORD) => words::target(text),
            (SyntaxKind::IDENT, SyntaxKind::INSTRUCTION) => self.opcode(inner, text),
            (SyntaxKind::DOTTED, SyntaxKind::INSTRUCTION) => {
                self.modifier(inner, text, offset - self.start)
            }
            (SyntaxKind::DOTTED, SyntaxKind::MEMBER_EXPRESSION) => words::selector(text),
            (SyntaxKind::DOTTED, _) => words::of_directive(text, inner.kind()),
            (SyntaxKind::UNDERSCORE, _) => Some(words::sink()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::fixture::{Fixture, HEADER};

    #[track_caller]
    pub(super) fn check(text: &str, expected: Expect) {
        let fixture = Fixture::new(text);
        let (analysis, position) = fixture.cursor();
        let shown = match analysis.hover(position).unwrap() {
            Some(hover) => hover.info.markdown,
            None => "nothing".to_owned(),
        };
        expected.assert_eq(&shown);
    }

    #[track_caller]
    fn check_body(statement: &str, expected: Expect) {
        check(
            &format!(
                "{HEADER}.entry k() {{\n.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n{statement}\nret;\n}}\n"
            ),
            expected,
        );
    }

    #[test]
    fn long_hovers_are_shortened() {
        let text = format!("```ptx\n{}\n```\n\n", "a".repeat(9_000));
        let found = super::within(text + &"word\n".repeat(900));
        assert!(found.chars().count() <= super::page::MAX_CHARACTERS);
        assert!(found.starts_with("```ptx\naaa") && found.ends_with("… the rest is left out"));
        assert_eq!(found.matches("```").count() % 2, 0);
        let code = super::within(format!("```ptx\n{}", "word\n".repeat(900)));
        assert_eq!(code.matches("```").count(), 2);
        assert_eq!(super::within("short".to_owned()), "short");
    }

    #[test]
    fn opcodes() {
        check_body(
            "ad$0d.s32 %r1, %r2, 7;",
            expect![[r#"
                ```ptx
                add.s32 %r1, %r2, 7;
                ```

                Adds two numbers.

                Integers wrap around unless `.sat` is given; floating-point sums are rounded once.
                The packed types add each of their elements on its own.

                - `%r1` = `d`, a .b32 register: the sum.
                - `%r2` = `a`, a .b32 register; `7` = `b`, the constant 7: the addends.

                ```c
                d = a + b;
                d = convert(a) + c;                 // forms with several types
                ```

                - Integer sums wrap around unless `.sat` is given. `.sat` is for `.s32` and, from PTX ISA 9.2 on the `sm_120f` and `sm_107f` families, for `.u32` and the packed types.


                See also `sub`, `addc`, `mad`, `fma`

                [PTX ISA 9.7.1.1](https://docs.nvidia.com/cuda/parallel-thread-execution/#integer-arithmetic-instructions-add)"#]],
        );
        check_body(
            "ad$0d.f17 %r1, %r2, 7;",
            expect![[r#"
                ```ptx
                add.f32 d, a, b
                add.f17 %r1, %r2, 7;
                ```
                `.f17` does not fit here. Missing: one of `.cc`, `.f64`, `.bf16`, `.bf16x2`, `.u16`, `.s16`, ….

                Adds two numbers.

                Integers wrap around unless `.sat` is given; floating-point sums are rounded once.
                The packed types add each of their elements on its own.

                - `%r1` = `d`, a .b32 register: the sum.
                - `%r2` = `a`, a .b32 register; `7` = `b`, the constant 7: the addends.

                ```c
                d = a + b;
                d = convert(a) + c;                 // forms with several types
                ```

                ```ptx
                    add.s32 %r0, %r1, %r2;
                    add.sat.s32 %r3, %r0, 1;
                ```


                See also `sub`, `addc`, `mad`, `fma`

                [PTX ISA 9.7.3.3](https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-add)"#]],
        );
        check_body("nonse$0nse %r1;", expect!["nothing"]);
    }

    #[test]
    fn modifiers() {
        check_body(
            "add.s$0at.s32 %r1, %r2, 7;",
            expect![[r#"
                ```ptx
                add….sat
                ```
                Saturates.

                Here: clamps the sum: integers to the range of the type, floating-point numbers to 0.0 to 1.0, with NaN becoming +0.0. Not for `.f64`, `.bf16`, `.f32x2`."#]],
        );
        check_body(
            "mul.wi$0de.s32 %rd1, %r2, 7;",
            expect![[r#"
                ```ptx
                mul….wide
                ```
                The result is twice as wide as the operands, so nothing is lost.

                Here: all of the product, in a register twice as wide. For 16 and 32 bits."#]],
        );
    }

    #[test]
    fn negative_constants_have_their_sign() {
        let shown = |text: &str| {
            let mut fixture = crate::fixture::Fixture::new(&format!(
                "{}.entry k {{ .reg .b32 r; .reg .f32 f; {text} }}",
                crate::fixture::HEADER
            ));
            let (analysis, at) = fixture.cursor();
            let _ = &mut fixture;
            let found = analysis.hover(at).expect("no cancellation");
            found.expect("a hover").info.markdown
        };
        assert!(
            shown("mov.b32 r, -$08;")
                .contains("\n-8 = 0xfffffffffffffff8 in 64 bits, 0xfffffff8 in 32 bits")
        );
        assert!(shown("mov.f32 f, -1$0.5;").contains("-1.5"));
        assert!(shown("mov.b32 r, $0-8;").contains("\n-8 ="));
        assert!(shown("ld.shared.b32 r, [r-$08];").contains("\n-8 ="));
        assert!(shown("mov.b32 r, 3-$08;").contains("\n8 ="));
        assert!(shown("mov.b32 r, 3$0-8;").contains("\n3 ="));
    }

    #[test]
    fn constants() {
        check_body(
            "mov.b32 %r1, 0x3F80$00000;",
            expect![[r#"
                `a` of `mov`: a register, a constant, a special register, a variable with an optional offset, or a function; in braces the parts, the lowest first.

                ```ptx
                0x3F800000
                ```
                1065353216 = 0x3f800000 = 0b11_1111_1000_0000_0000_0000_0000_0000

                as bits of `.f32`: 1.0"#]],
        );
        check_body(
            "mov.f32 %f1, 0f3F80$00000;",
            expect![[r#"
                `a` of `mov`: a register, a constant, a special register, a variable with an optional offset, or a function; in braces the parts, the lowest first.

                ```ptx
                0f3F800000
                ```
                `.f32` 1.0

                sign 0, exponent 0, fraction 0x000000"#]],
        );
        check_body(
            "lop3.b32 %r1, %r2, %r3, %r4, 0x$096;",
            expect![[r#"
                `immLut` of `lop3`: the truth table, a constant of 0 to 255.

                ```ptx
                0x96
                ```
                150 = 0x96 = 0b1001_0110

                Truth table, the bit at `a*4 + b*2 + c`:

                | a | b | c | result |
                |---|---|---|---|
                | 0 | 0 | 0 | 0 |
                | 0 | 0 | 1 | 1 |
                | 0 | 1 | 0 | 1 |
                | 0 | 1 | 1 | 0 |
                | 1 | 0 | 0 | 1 |
                | 1 | 0 | 1 | 0 |
                | 1 | 1 | 0 | 0 |
                | 1 | 1 | 1 | 1 |

                `a ^ b ^ c`

                `%r1` = `%r2 ^ %r3 ^ %r4`"#]],
        );
        check_body(
            "prmt.b32 %r1, %r2, %r3, 0x54$010;",
            expect![[r#"
                `c` of `prmt`: the selectors: four nibbles, the lowest for the lowest byte of `d`; with a mode the lowest 2 bits, for instance those of an address.

                ```ptx
                0x5410
                ```
                21520 = 0x5410 = 0b101_0100_0001_0000

                `%r1`:
                - bytes 3 to 2: bytes 1 to 0 of `%r3`
                - bytes 1 to 0: bytes 1 to 0 of `%r2`"#]],
        );
    }
}
