//! The notation and the matcher, on small tables and on the real ones.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::{
    matcher::{Outcome, Reason, Statement},
    matching::match_statement,
    operand::Operand,
    table::{FILES, Tables, Variant, tables},
    target::{Module, Target, Version},
    types::Class,
};

#[test]
fn the_tables_are_well_formed() {
    let tables = Tables::read(FILES).unwrap_or_else(|errors| {
        panic!(
            "{}",
            errors
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
                .join("\n")
        )
    });
    for instruction in tables.instructions() {
        // The manual at hand ends at 9.3; newer instructions have no section yet.
        let newer = instruction.gate.since > Some(Version::new(9, 3));
        assert!(
            newer || !instruction.section.is_empty(),
            "{} names no section of the manual",
            instruction.name
        );
        assert!(
            !instruction.variants.is_empty(),
            "{} has no variant",
            instruction.name
        );
    }
}

/// The mistakes of a table.
/// Whether all that `other` accepts is accepted by `variant`, as far as their lines tell.
fn covers(variant: &Variant, other: &Variant) -> bool {
    let shape = |it: &Variant| format!("{:?} {:?}", it.slots, it.operands);
    let earliest = |it: &Variant| it.gate.since.unwrap_or(Version::new(1, 0));
    shape(variant) == shape(other)
        && variant
            .rules
            .iter()
            .all(|rule| other.rules.iter().any(|it| it.text == rule.text))
        && earliest(variant) <= earliest(other)
        && variant.gate.until.is_none()
        && variant.gate.below.is_none()
        && (variant.gate.targets.is_empty() || variant.gate.targets == other.gate.targets)
}

#[track_caller]
fn check_covered(tables: &Tables, expect: Expect) {
    let mut found = String::new();
    for instruction in tables.instructions() {
        for (at, variant) in instruction.variants.iter().enumerate() {
            for (by, _) in instruction
                .variants
                .iter()
                .enumerate()
                .filter(|(by, it)| *by != at && covers(it, variant))
            {
                let _ = writeln!(
                    found,
                    "{}: variant {by} covers variant {at}, `{}`",
                    instruction.name, variant.syntax
                );
            }
        }
    }
    expect.assert_eq(&found);
}

#[test]
fn no_variant_is_superfluous() {
    let table = "\
instr add                                                     9.7.1.1
  computes d = 1
  add.type d
  add.type d @2.0 sm_20
  type = s32
  d: reg(type)
";
    let small = Tables::read(&[("t.isa", table)]).expect("a table");
    check_covered(
        &small,
        expect![[r#"
        add: variant 0 covers variant 1, `add.type d`
    "#]],
    );
    check_covered(tables(), expect![[""]]);
}

#[track_caller]
fn check_mistakes(table: &'static str, expect: Expect) {
    let files: &'static [_] = Box::leak(Box::new([("t.isa", table)]));
    let errors = Tables::read(files).err().unwrap_or_default();
    expect.assert_eq(
        &errors
            .iter()
            .map(|it| format!("{it}\n"))
            .collect::<String>(),
    );
}

#[test]
fn mistakes_have_a_line() {
    check_mistakes(
        "instr add 1.1\n  add.type d\n    type = u32\n",
        expect![[r#"
            t.isa:2: operand `d` is not defined
        "#]],
    );
    check_mistakes(
        "instr add 1.1\n  add.type d\n    type = u32\n    d: reg(typ)\n",
        expect![[r#"
            t.isa:4: `typ` is neither a slot nor a type
        "#]],
    );
    check_mistakes(
        "instr add 1.1\n  add d\n    type = u32\n    d: b32\n",
        expect![[r#"
            t.isa:3: `type = u32` is not used
        "#]],
    );
    check_mistakes(
        "instr add 1.1\n  add.type d @8.x\n    type = u32\n    d: b32\n",
        expect![[r#"
            t.isa:2: `8.x` is not a version
        "#]],
    );
    check_mistakes(
        "instr add 1.1\n  add.type d\n    type = u32\n    d: b32\n    when .sat: type\n",
        expect![[r#"
            t.isa:5: no variant has the word `.sat`
        "#]],
    );
}

/// Matches words against a small table with 32-bit registers for all operands.
#[track_caller]
fn check(table: &'static str, words: &[&str], operands: usize, expect: Expect) {
    let files: &'static [_] = Box::leak(Box::new([("t.isa", table)]));
    let tables = Tables::read(files).expect("the table is well formed");
    let register = Operand::Register {
        class: Class::B32,
        lanes: 1,
    };
    let module = Module::new(
        Version::new(8, 0),
        Target::parse("sm_90").expect("a target"),
    );
    let statement = Statement {
        opcode: "op",
        words,
        operands: &vec![register; operands],
        module,
    };
    let text = match match_statement(&tables, &statement) {
        Outcome::Fit(fit) => format!("fits {}", fit.variant.syntax),
        Outcome::Mismatch(problems) => problems
            .iter()
            .map(|it| match &it.reason {
                Reason::Word { allowed, .. } => {
                    format!("{:?}: allowed {}", it.place, allowed.join(" "))
                }
                Reason::Missing { words, .. } => {
                    format!("{:?}: missing {}", it.place, words.join(" "))
                }
                Reason::Rule(text) => format!("{:?}: {text}", it.place),
                other => format!("{:?}: {other:?}", it.place),
            })
            .collect::<Vec<_>>()
            .join("; "),
    };
    expect.assert_eq(&text);
}

const SMALL: &str = "set opaque = pred texref
instr op 1.1
  computes d = 1
  ignores a b to sat part
  op{.sat}.to.from d, a
    to = u32 s32
    from = u32 s32 b32
    when .sat: to = s32
  op.part.b32 d, a, b? @8.0 sm_80
    part! = lo hi
  op.b32.async d @8.1
  d a b: b32
  spare opaque
";

#[test]
fn words_go_to_slots() {
    check(
        SMALL,
        &["u32", "s32"],
        2,
        expect!["fits op{.sat}.to.from d, a"],
    );
    check(
        SMALL,
        &["s32", "u32", "sat"],
        2,
        expect!["fits op{.sat}.to.from d, a"],
    );
    // ptxas ignores it.
    check(
        SMALL,
        &["u32", "texref", "s32"],
        2,
        expect!["fits op{.sat}.to.from d, a"],
    );
    // Types keep their order: the second may be .b32, the first not.
    check(
        SMALL,
        &["b32", "s32"],
        2,
        expect!["Word(1): allowed u32 s32"],
    );
    check(
        SMALL,
        &["u32", "sat", "u32"],
        2,
        expect!["Word(1): `.sat` needs `.s32`"],
    );
    check(
        SMALL,
        &["lo", "b32"],
        3,
        expect!["fits op.part.b32 d, a, b?"],
    );
    check(
        SMALL,
        &["b32", "lo"],
        3,
        expect!["Word(1): Misplaced { before: 0 }"],
    );
    check(SMALL, &["lo", "b32"], 1, expect!["Statement: Count(2, 3)"]);
    check(
        SMALL,
        &["b32", "async"],
        1,
        expect![
            "Opcode: Gate(Gate { since: Some(Version { major: 8, minor: 1 }), until: None, targets: [], below: None })"
        ],
    );
    check(
        SMALL,
        &["u32"],
        2,
        expect!["Statement: missing u32 s32 b32"],
    );
}

#[test]
fn vectors() {
    const TABLE: &str = "instr op 1.1
  computes d = 1
  op.whole d
    d: vec(2; u32 | b32)
  op.each d
    d: vec(2; b32; each)
  op.tuple d
    d: {b32, f32 | int(0..3)}
  op.when d
    d: (u32 | vec(2; u32)) when target < sm_90 | f32 when target >= sm_90
";
    let tables = Tables::read(Box::leak(Box::new([("t.isa", TABLE)]))).expect("well formed");
    let register = |class| Operand::Register { class, lanes: 1 };
    let (b32, u32, f32) = (
        register(Class::B32),
        register(Class::U32),
        register(Class::F32),
    );
    let pair = |a: &Operand, b: &Operand| Operand::Vector(vec![a.clone(), b.clone()]);
    let fits = |word: &str, operand: Operand| {
        let statement = Statement {
            opcode: "op",
            words: &[word],
            operands: &[operand],
            module: Module::new(
                Version::new(8, 0),
                Target::parse("sm_90").expect("a target"),
            ),
        };
        matches!(match_statement(&tables, &statement), Outcome::Fit(_))
    };
    // Together the two are untyped bits.
    assert!(fits("whole", pair(&f32, &b32)));
    assert!(!fits("whole", pair(&f32, &f32)));
    assert!(!fits("whole", pair(&f32, &u32)));
    // A sink is not a neighbour.
    let around = Operand::Vector(vec![u32.clone(), Operand::Sink, f32.clone()]);
    assert!(!fits("whole", around));
    assert!(!fits("each", pair(&f32, &b32)));
    assert!(fits("each", pair(&b32, &b32)));
    assert!(fits("tuple", pair(&b32, &Operand::Integer(3))));
    assert!(!fits("tuple", pair(&b32, &Operand::Integer(4))));
    assert!(!fits("tuple", pair(&Operand::Integer(3), &b32)));
    assert!(fits("when", f32));
    assert!(!fits("when", u32));
}
