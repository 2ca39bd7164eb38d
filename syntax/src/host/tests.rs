use std::fmt::Write as _;

use expect_test::{Expect, expect};
use rowan::TextSize;

use super::*;

/// The contents of a text, one line for each piece.
fn show(text: &str, language: Language) -> String {
    let host = lex(text, language);
    let mut out = String::new();
    for statement in &host.statements {
        let text = statement
            .layer
            .map_or(text, |it| &host.layers[it as usize].text.text);
        let parts = |parts: &[Part]| {
            let parts = parts.iter().map(|part| match part {
                Part::Literal(it) => {
                    let mut mapped = Mapped::default();
                    decode(
                        &text[it.content],
                        it.content.start(),
                        it.escapes,
                        "HOLE",
                        &mut mapped,
                    );
                    format!("{:?}{}", mapped.text, if it.conditional { "?" } else { "" })
                }
                Part::Unknown(range) => format!("unknown {:?}", &text[*range]),
                Part::Name(range) => text[*range].to_owned(),
                Part::Break => "|".to_owned(),
            });
            parts.collect::<Vec<_>>().join(" ")
        };
        let _ = write!(out, "{:?}", statement.dialect);
        for (set, word) in [
            (statement.volatile, "volatile"),
            (statement.in_define, "define"),
            (statement.conditional_operands, "conditional"),
            (!statement.complete, "incomplete"),
            (statement.layer.is_some(), "inner"),
        ] {
            if set {
                let _ = write!(out, " {word}");
            }
        }
        let _ = writeln!(out, ": {}", parts(&statement.template));
        for operand in &statement.operands {
            let name = operand
                .name
                .map_or(String::new(), |it| format!("{} = ", &text[it]));
            let _ = writeln!(
                out,
                "  {:?} {name}{} {}",
                operand.direction,
                parts(&operand.constraint),
                &text[operand.expression]
            );
        }
        for clobber in &statement.clobbers {
            let _ = writeln!(out, "  clobbers {}", parts(clobber));
        }
        if !statement.constraints.is_empty() {
            let arguments: Vec<_> = statement.arguments.iter().map(|it| &text[*it]).collect();
            let _ = writeln!(out, "  {} {arguments:?}", parts(&statement.constraints));
        }
        for condition in &statement.conditions {
            let _ = writeln!(
                out,
                "  if {:?} {} is {}",
                condition.test, &text[condition.range], condition.expected
            );
        }
    }
    out
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the convention of expect-test"
)]
fn check(language: Language, text: &str, expect: Expect) {
    expect.assert_eq(&show(text, language));
}

#[test]
fn statements_of_cpp() {
    check(
        Language::Cuda,
        r#"asm volatile("add.u32 %0, %1, %2;\n\t" /* why */ "exit;" : "=r"(x) : "r"(f(a, b)) "l"(p[0]) : "memory");
           __asm__("trap;"); __asm ("a" ::: "memory"); asm("b" :: "n"([&]{ return 1; }()));
           asm(R"x(mov "%0")x" : [name] "=" "r"(y));"#,
        expect![[r#"
            Cuda volatile: "add.u32 %0, %1, %2;\n\t" "exit;"
              Output "=r" x
              Input "r" f(a, b)
              Input "l" p[0]
              clobbers "memory"
            Cuda: "trap;"
            Cuda: "a"
              clobbers "memory"
            Cuda: "b"
              Input "n" [&]{ return 1; }()
            Cuda: "mov \"%0\""
              Output name = "=" "r" y
        "#]],
    );
}

#[test]
fn what_is_no_statement() {
    check(
        Language::Cuda,
        "// asm(\"a\");\n/* asm(\"b\"); */ const char *t = \"asm(\\\"c\\\");\"; int my_asm, asm_count; char q = '\"'; int n = 1'000; asm volatile(\"d\");\nint k __asm (\"e\");",
        expect![[r#"
            Cuda volatile: "d"
            Cuda: "e"
        "#]],
    );
}

#[test]
fn macros_and_conditions() {
    check(
        Language::Cuda,
        "#define OP \"add\"\n#define LOAD(cop, x) \\\n  asm(\"ld.\" #cop \".u32 %0;\" : \"=r\"(x))\n#if A > 1 \\\n  && B\nasm(OP \".u32\" STR(32) \" %0;\" : R(x), \"r\" (y));\n#elif C\n#ifndef D\nasm(\"1;\");\n#endif\n#else\nasm(\n#if E\n\"2;\"\n#else\n\"3;\"\n#endif\n:: \"r\"(x)\n#ifdef F\n, \"r\"(z)\n#endif\n);\n#endif\n",
        expect![[r##"
            Cuda define: "ld." unknown "#cop" ".u32 %0;"
              Output "=r" x
            Cuda: OP ".u32" unknown "STR(32)" " %0;"
              Output R x
              Output "r" y
              if Value A > 1 \
              && B is true
            Cuda: "1;"
              if Value A > 1 \
              && B is false
              if Value C is true
              if Defined D is false
            Cuda conditional: "2;"? unknown "#else\n\"3;\"\n#endif"
              Input "r" x
              Input "r"? z
              if Value A > 1 \
              && B is false
              if Value C is false
        "##]],
    );
}

#[test]
fn unfinished_statements() {
    check(
        Language::Cuda,
        "void f() { asm volatile(\"add.u32 %0, \n }\nvoid g() { asm(\"x;\" : \"=r\"(; asm(\"y;\" :: \"r\"(a)); } asm(\"z;\"",
        expect![[r#"
            Cuda volatile incomplete: "add.u32 %0, "
            Cuda conditional incomplete: "x;"
              Output "=r" 
            Cuda: "y;"
              Input "r" a
            Cuda incomplete: "z;"
        "#]],
    );
}

#[test]
fn python_calls() {
    check(
        Language::Python,
        r#"
ASM = "exit;"
y = llvm.inline_asm(T.i32(), [a, f(b, 1)], "mov.b32 $0, $1;\n"  # why
    "exit;", "=r,r,r", has_side_effects=False, loc=loc)
z = tl.inline_asm_elementwise(asm=("""
  add $0, $1;
""" + X), constraints=("=r,"
   "r"), args=[x], dtype=tl.int32, is_pure=True, pack=4)
w = llvm.inline_asm(None, [], f"{{ mov.{t} r, {x[0]}; }}", "=r")
v = llvm.inline_asm(None, [], "mov.%s" % t, "=r")
u = llvm.inline_asm(None, [], ASM, "")
open = llvm.inline_asm(None, [
def f():
    return llvm.inline_asm(None, [], 'a', "")
"#,
        expect![[r#"
            Llvm: "mov.b32 $0, $1;\n" "exit;"
              "=r,r,r" ["a", "f(b, 1)"]
            Llvm: "\n  add $0, $1;\n" X
              "=r," "r" ["x"]
            Llvm volatile: "{ mov.HOLE r, HOLE; }"
              "=r" []
            Llvm volatile: ASM
              "" []
            Llvm volatile: "a"
              "" []
        "#]],
    );
}

#[test]
fn programs_in_python() {
    check(
        Language::Python,
        "a = '''\n asm(\"x;\\\\n\" : \"=r\"(x));\n'''\nb = r'''asm volatile(\"y;\\n\" :: );'''\nc = f'asm(\"z.{t};\")'\n",
        expect![[r#"
            Cuda inner: "x;\n"
              Output "=r" x
            Cuda volatile inner: "y;\n"
            Cuda inner: "z._;"
        "#]],
    );
}

#[test]
fn macros_of_rust() {
    check(
        Language::Rust,
        r##"asm!("add.u32 {0}, {x};", r#"b "c""#, concat!("d", stringify!(e), "f"), inout(reg32) a => b, x = in(reg64) p as u64,
             const 1 + N, y = sym func::<u8>, out("eax") _, options(pure, nomem)); // asm!("no")
           let c = '"'; fn f<'a>() { core::arch::asm!("exit;") } /* /* */ asm!("no") */ my_asm!("no")"##,
        expect![[r#"
            Rust: "add.u32 {0}, {x};" | "b \"c\"" | "d" unknown "stringify!(e)" "f"
              Both reg32 a => b
              Input x = reg64 p as u64
              Constant  1 + N
              Symbol y =  func::<u8>
              Output "eax" _
            Rust volatile: "exit;"
        "#]],
    );
}

#[test]
fn calls_of_llvm() {
    check(
        Language::Llvm,
        "; asm \"no\"\nmodule asm \"no\"\n%r = call { i32, i32 } asm sideeffect \"a\\0A\\22;\", \"=r,=r,r,~{memory}\"(i32 %a, ptr nonnull %b)\ncall void asm \"b\", \"\"()\n",
        expect![[r#"
            Llvm volatile: "a\n\";"
              "=r,=r,r,~{memory}" ["i32 %a", "ptr nonnull %b"]
            Llvm: "b"
              "" []
        "#]],
    );
}

/// Pieces that texts are made from.
const PIECES: [&str; 44] = [
    "asm",
    " volatile",
    "(",
    ")",
    "\"",
    "'",
    "R\"(",
    ")\"",
    ":",
    "::",
    ",",
    ";",
    "{",
    "}",
    "\n",
    "\\\n",
    "\r\n",
    "#if A",
    "#else",
    "#endif",
    "#define X ",
    "/*",
    "*/",
    "//",
    "\\",
    "%0",
    "$0",
    "{0}",
    "ä",
    "数",
    "\"=r\"(x)",
    "asm!",
    "inline_asm(",
    "\"\"\"",
    "f\"",
    "r\"",
    "r#\"",
    "[",
    "]",
    "concat!(",
    "call void asm ",
    "=",
    "+",
    "def ",
];

#[test]
fn any_text_is_read_and_every_byte_finds_its_way_back() {
    let mut random = fastrand::Rng::with_seed(20);
    for _ in 0..20_000 {
        let text: String = (0..random.usize(1..40))
            .map(|_| PIECES[random.usize(..PIECES.len())])
            .collect();
        for language in [
            Language::Cuda,
            Language::Python,
            Language::Rust,
            Language::Llvm,
        ] {
            // All ranges count in the text.
            show(&text, language);
            let host = lex(&text, language);
            for (index, statement) in host.statements.iter().enumerate() {
                if let Some(next) = host.statements.get(index + 1)
                    && next.layer == statement.layer
                {
                    assert!(statement.range.end() <= next.range.start(), "{text:?}");
                }
                for part in &statement.template {
                    let Part::Literal(literal) = part else {
                        continue;
                    };
                    let text = statement
                        .layer
                        .map_or(&*text, |it| &host.layers[it as usize].text.text);
                    round_trip(text, literal);
                }
            }
        }
    }
}

/// Every byte of what a literal stands for comes from an offset in it, which maps back to that byte.
fn round_trip(text: &str, literal: &Literal) {
    let mut mapped = Mapped::default();
    decode(
        &text[literal.content],
        literal.content.start(),
        literal.escapes,
        "HOLE",
        &mut mapped,
    );
    for (offset, _) in mapped.text.char_indices() {
        let range = TextRange::at(TextSize::new(offset as u32), TextSize::new(1));
        let (own, run) = mapped
            .map
            .runs_in(range)
            .next()
            .expect("every byte is in a run");
        let host = mapped
            .map
            .to_host(TextRange::empty(range.start()))
            .expect("it comes from there");
        assert!(literal.content.contains_range(host), "{text:?}");
        match run.kind {
            RunKind::Copied => {
                assert_eq!(
                    mapped.map.to_text(host.start()),
                    Some(range.start()),
                    "{text:?} {mapped:?}"
                );
                assert_eq!(
                    text[usize::from(host.start())..].chars().next(),
                    mapped.text[offset..].chars().next()
                );
            }
            _ if range.start() == own.start() => {
                let back = mapped.map.to_text(host.start()).expect("it leads back");
                assert!(back <= range.start(), "{text:?} {mapped:?}");
            }
            _ => {}
        }
    }
    if !mapped.is_empty() {
        let all = TextRange::up_to(mapped.len());
        assert!(
            literal
                .content
                .contains_range(mapped.map.to_host(all).expect("it comes from there"))
        );
    }
}

#[test]
fn unclosed_things_take_linear_time() {
    for piece in [
        "asm(",
        "asm(\"",
        "asm(\"\" : \"=r\"(",
        "#if A\n",
        "R\"(",
        "/*",
        "inline_asm(",
        "asm!(",
        "'",
        "{",
        "asm \"",
        "a = (\n",
        "NV_IF_TARGET(",
        "NV_IF_TARGET(a, b) {",
        "if constexpr (a) {} else ",
        "if (a) { asm(\"\");",
        "\"\"\"",
        "#define A asm(",
        "1'",
    ] {
        let text = piece.repeat(100_000);
        for language in [
            Language::Cuda,
            Language::Python,
            Language::Rust,
            Language::Llvm,
        ] {
            std::hint::black_box(lex(&text, language));
        }
    }
}

#[test]
fn strings_of_python_that_are_put_together() {
    check(
        Language::Python,
        r#"
ASM = ("mov.u32 $0, %tid.x;"
       "exit;")
KIND: str = "u32"
llvm.inline_asm(None, [], ("a;" "b{}").format(x) + "c;" + "".join(f(y)) + f"d{z};", "=r,r")
llvm.inline_asm(None, [], textwrap.dedent("""a;""").strip() + "b" % c + "d", CONSTRAINTS)
llvm.inline_asm(None, [], ("a;" + "b" * 4 + "c"), ASM)
llvm.inline_asm(None, [], "a" if b else "c", KIND)
llvm.inline_asm(None, [], R"a\n{{0}}".format(1), "r")
"#,
        expect![[r#"
            Llvm volatile: "a;" "bHOLE" "c;" unknown "\"\".join(f(y))" "dHOLE;"
              "=r,r" []
            Llvm volatile: "a;" unknown "\"b\" % c" "d"
              CONSTRAINTS []
            Llvm volatile: "a;" unknown "\"b\" * 4" "c"
              ASM []
            Llvm volatile: "a\\n{0}"
              "r" []
        "#]],
    );
    let host = lex(
        "def f():\n    ASM = (\"a\"\n        'b') # c\n    B = 'x' + y\n    D = 'x'\n    D += 'y'\n",
        Language::Python,
    );
    let names = host
        .macros
        .defines
        .iter()
        .map(|it| it.literals.as_ref().map_or(0, Vec::len));
    assert_eq!(names.collect::<Vec<_>>(), [2, 1, 0]);
}

#[test]
fn conditions_of_cpp() {
    check(
        Language::Cuda,
        r#"void f() {
NV_IF_TARGET(NV_PROVIDES_SM_90, (asm("a;");), (asm("b;");))
NV_DISPATCH_TARGET(NV_IS_HOST, (g(",)");), NV_PROVIDES_SM_80, (asm("c;");), NV_ANY_TARGET, ({ asm("d;"); }))
asm("e;");
if constexpr (A >= (90)) { asm("f;"); if (tid == 0) { asm("g;"); } } else if (__CUDA_ARCH__ < 80) { asm("h;"); }
else { asm("i;"); }
if constexpr(B) asm("j;");
if (tid) asm("k;");
NV_IF_TARGET(NV_IS_HOST, (asm("l;");
}"#,
        expect![[r#"
            Cuda: "a;"
              if Value NV_PROVIDES_SM_90 is true
            Cuda: "b;"
              if Value NV_PROVIDES_SM_90 is false
            Cuda: "c;"
              if Value NV_IS_HOST is false
              if Value  NV_PROVIDES_SM_80 is true
            Cuda: "d;"
              if Value NV_IS_HOST is false
              if Value  NV_PROVIDES_SM_80 is false
              if Value  NV_ANY_TARGET is true
            Cuda: "e;"
            Cuda: "f;"
              if Value A >= (90) is true
            Cuda: "g;"
              if Value A >= (90) is true
            Cuda: "h;"
              if Value __CUDA_ARCH__ < 80 is true
              if Value A >= (90) is false
            Cuda: "i;"
              if Value __CUDA_ARCH__ < 80 is false
              if Value A >= (90) is false
            Cuda: "j;"
              if Value B is true
            Cuda: "k;"
            Cuda: "l;"
        "#]],
    );
}
