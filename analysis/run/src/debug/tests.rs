use expect_test::{Expect, expect};

use super::{Expression, Hits, Number, Piece, Row, Type};
use crate::description::Element;

#[track_caller]
fn check(text: &str, expect: Expect) {
    let out = match Expression::parse(text) {
        Ok(it) => format!("{it:?}"),
        Err(problem) => problem,
    };
    expect.assert_eq(&out);
}

#[test]
fn expressions() {
    check(
        "%tid.x == 3 && %r4 > 10",
        expect![[
            r#"Binary("&&", Binary("==", Register("%tid.x"), Integer(3)), Binary(">", Register("%r4"), Integer(10)))"#
        ]],
    );
    check(
        "7 %r4",
        expect![[r#"Binary("%", Integer(7), Variable(None, "r4"))"#]],
    );
    check(
        "7 % %r4",
        expect![[r#"Binary("%", Integer(7), Register("%r4"))"#]],
    );
    check("f32(%r3)", expect![[r#"As("f32", Register("%r3"))"#]]);
    check(
        "shared.tile[3][%r1 + 1]",
        expect![[
            r#"Index(Index(Variable(Some("shared"), "tile"), Integer(3)), Binary("+", Register("%r1"), Integer(1)))"#
        ]],
    );
    check(
        "shared tile[3]",
        expect![[r#"Index(Variable(Some("shared"), "tile"), Integer(3))"#]],
    );
    check(
        "-1e-3 * 0x10",
        expect![[r#"Binary("*", Unary("-", Float(0.001)), Integer(16))"#]],
    );
    check("0f3F800000", expect!["Float(1.0)"]);
    check("a <", expect!["expected a value"]);
    check("(1", expect!["expected `)`"]);
    check("", expect!["expected a value"]);
    check("%", expect!["expected the name of a register after `%`"]);
    check("1 2", expect!["expected an operator, found `2`"]);
    check(
        &"(".repeat(1000),
        expect!["the expression is nested too deeply"],
    );
}

#[test]
fn counts_of_hits() {
    assert_eq!(Hits::parse("5"), Ok(Hits::At(5)));
    assert_eq!(Hits::parse(">= 5"), Ok(Hits::From(5)));
    assert_eq!(Hits::parse("> 5"), Ok(Hits::From(6)));
    assert_eq!(Hits::parse("==5"), Ok(Hits::At(5)));
    assert_eq!(Hits::parse("% 3"), Ok(Hits::Every(3)));
    for wrong in ["", "x", "% 0", "5 5", "~ 5"] {
        assert!(Hits::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn messages_have_expressions_in_braces() {
    let pieces = Piece::parse("a {%r} b").unwrap();
    assert_eq!(pieces.len(), 3);
    assert!(Piece::parse("{1 +}").is_err());
    assert_eq!(Piece::parse("{").unwrap(), [Piece::Text("{".to_owned())]);
}

#[track_caller]
fn check_row(ty: Type, bits: impl Fn(u64) -> u64, undefined: u32, expect: Expect) {
    let row = Row {
        ty,
        bits: std::array::from_fn(|it| bits(it as u64)),
        undefined,
    };
    let out = format!(
        "{} | {}",
        row.summary(3, u32::MAX, false),
        row.summary(3, u32::MAX, true)
    );
    expect.assert_eq(&out);
}

#[test]
fn rows_are_summed_up() {
    let unsigned = Type::Number(Element::Unsigned(32));
    let signed = Type::Number(Element::Signed(32));
    let float = Type::of_register(isa::types::Class::F32);
    check_row(
        unsigned,
        |_| 7,
        0,
        expect!["7 in all lanes | 0x7 in all lanes"],
    );
    check_row(
        unsigned,
        |it| 4 + 4 * it,
        0,
        expect!["16 (4 + 4*lane) | 0x10 (0x4 + 4*lane)"],
    );
    check_row(unsigned, |it| it, 0, expect!["3 (lane) | 0x3 (lane)"]);
    check_row(unsigned, |it| it * it, 0, expect!["9 | 0x9"]);
    check_row(
        signed,
        |it| u64::from((-(it as i32)) as u32),
        0,
        expect!["-3 (-1*lane) | 0xfffffffd (-1*lane)"],
    );
    check_row(
        unsigned,
        |_| 7,
        u32::MAX,
        expect!["undefined in all lanes | undefined in all lanes"],
    );
    check_row(unsigned, |_| 7, 1, expect!["7 | 0x7"]);
    check_row(
        Type::Predicate,
        |it| u64::from(it < 16),
        0,
        expect!["true (mask 0x0000ffff) | true (mask 0x0000ffff)"],
    );
    check_row(
        float,
        |_| u64::from(1.5_f32.to_bits()),
        0,
        expect!["1.5 in all lanes | 0x3fc00000 in all lanes"],
    );
}

#[test]
fn numbers_become_bits() {
    let bits = |word: &str, number| {
        let element = Element::from_word(word).unwrap();
        Type::Number(element).encode(number)
    };
    assert_eq!(bits("b32", Number::Integer(-1)), Ok(0xFFFF_FFFF));
    assert_eq!(bits("s8", Number::Integer(-1)), Ok(0xFF));
    assert_eq!(bits("f32", Number::Integer(1)), Ok(0x3F80_0000));
    assert_eq!(bits("b32", Number::Float(1.0)), Ok(0x3F80_0000));
    assert!(bits("u8", Number::Integer(256)).is_err());
    assert!(bits("u8", Number::Float(1.0)).is_err());
    assert!(bits("u8", Number::Integer(-129)).is_err());
}
