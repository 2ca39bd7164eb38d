mod compiled;
mod judged;

use std::fmt::Write as _;

use expect_test::{Expect, expect};
use syntax::{TextRange, TextSize, host::Language};

use super::*;
use crate::{AnalysisConfig, AnalysisHost, Change, Diagnostic, FileContents, FileId};

/// The diagnostics of a module, as any user of this crate finds them.
fn of_module(module: &str) -> Vec<Diagnostic> {
    let mut host = AnalysisHost::new();
    host.apply_change(Change {
        files: vec![(FileId(0), Some(FileContents::new(module).into()))],
        config: None,
    });
    host.analysis()
        .diagnostics(FileId(0))
        .expect("nothing is written")
}

/// The problems in a file of another language.
pub(crate) fn diagnostics(text: &str, language: Language, targets: &[&str]) -> Vec<Diagnostic> {
    let file = HostFile::new(text, language);
    let settings = HostSettings {
        targets: targets.iter().map(|it| (*it).to_owned()).collect(),
    };
    let config = AnalysisConfig::default();
    let mut check = of_module;
    (0..file.fragments().len())
        .flat_map(|it| file.diagnostics(it, text, &settings, &config, &mut check))
        .collect()
}

fn show(text: &str, found: &[Diagnostic]) -> String {
    let mut out = String::new();
    for it in found {
        let line = text[..usize::from(it.range.start())].matches('\n').count() + 1;
        let place = &text[it.range];
        let _ = writeln!(
            out,
            "{line}: `{place}` {:?} {}: {}",
            it.severity, it.code, it.message
        );
        for fix in &it.fixes {
            let edits: Vec<_> = fix
                .edits
                .iter()
                .map(|it| (&text[it.range], &it.insert))
                .collect();
            let _ = writeln!(out, "  {}: {edits:?}", fix.title);
        }
    }
    out
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the convention of expect-test"
)]
fn check(language: Language, targets: &[&str], text: &str, expect: Expect) {
    expect.assert_eq(&show(text, &diagnostics(text, language, targets)));
}

/// A function of CUDA around statements.
fn cuda(statements: &str) -> String {
    format!(
        "__device__ void f(unsigned x, unsigned y, float g, unsigned *p) {{\n{statements}\n}}\n"
    )
}

#[test]
fn misspelt_words_are_found_at_their_place() {
    check(
        Language::Cuda,
        &[],
        &cuda(
            "asm volatile(\"add.u32 %0, %0, 1;\\n\\t\" // one\n  \"sub.z32 %0, %0, 2;\" : \"+r\"(x));\nasm(R\"(mov.u32 %0, %%lanied;)\" : \"=r\"(x));",
        ),
        expect![[r#"
            3: `.z32` Error modifier-not-allowed: `.z32` is not allowed in `sub.z32`
              Replace `.z32` by `.s32`: [("z32", "s32")]
            4: `%%lanied` Error undefined-name: `%lanied` is not declared
              Replace `%lanied` by `%laneid`: [("ied", "eid")]
        "#]],
    );
}

#[test]
fn what_the_compiler_rejects() {
    check(
        Language::Cuda,
        &[],
        &cuda(
            r#"asm("add.u32 %0, %1, %3;" : "=r"(x) : "r"(x), "r"(y));
asm("mov.u32 %0, %1;" : "r"(x) : "=r"(y));
asm("add.u32 %0, %1, 1;" : "=r"(x) : "i"(y));
asm("add.u32 %0, %1, 1;" : "=r"(x) : "0"(y));
asm("{ .reg .pred %p1; setp.eq.u32 %%p1, %0, 0; }" :: "r"(x));
asm volatile("{ .reg .u32 a; mov.u32 a, %%laneid; }");
asm("mov.u32 %0, %[x];" : [x] "=r"(x));
asm("mov.u32 %0, 1; %" : "=r"(x));"#,
        ),
        expect![[r#"
            2: `%3` Error asm-operand-index: `%3` names no operand: there are 3, from 0 to 2
            3: `r` Error asm-constraint: an output needs `=`, or `+` if it is also read: `"=r"`
              Insert `=`: [("", "=")]
            3: `=r` Error asm-constraint: an input has neither `=` nor `+`: `"r"`
            4: `i` Error asm-constraint: `i` is not a constraint of device code: they are `h`, `r`, `l`, `q`, `f`, `d`, `b`, `n` and `C`
            5: `0` Error asm-constraint: nvcc has no constraint that names another operand: make that one `"+…"`
            6: `%p1` Error asm-placeholder: `%p1` is read as an operand with a modifier: write `%%p1`
              Write `%%`: [("", "%")]
            6: `setp.eq.u32 %%p1, %0, 0;` Hint unused-value: the result is never used
            7: `mov.u32 a, %%laneid;` Hint unused-value: the result is never used
            7: `%%laneid` Error asm-placeholder: without operands the text is taken as it is: write `%laneid`
              Write `%`: [("%", "")]
            8: `%[x]` Error asm-placeholder: nvcc has no names of operands: write the number, as in `%0`
            9: `%` Error asm-placeholder: a percent sign at the end stands for nothing: write `%%`
        "#]],
    );
}

#[test]
fn what_compilers_accept_is_silent() {
    check(
        Language::Cuda,
        &[],
        &cuda(
            r#"asm volatile("" : "+r"(x) :: "memory");
asm("mov.b32 %0, %1;" : "=r"(x) : "f"(g));
asm("add.u32 %0, %0, %1;" : "+r"(x) : "n"(sizeof(int) * 4));
asm("cp.async.wait_group %0;" :: "n"(N));
asm("ld%1.u32 %0, [%2];" : "=r"(x) : "C"(Space::text), "l"(p));
asm("add\x2eu32\t%0,\040%0, \x31;\n" "\\\n" "// \"quoted\" \?" : "+r"(x));
asm("add.u" XSTR(W) " %0, %0, 1;" : "+r"(x));
asm volatile(".reg .u32 tmp; mov.u32 tmp, %0;" :: "r"(x));
asm volatile("add.u32 %0, tmp, 1;" : "=r"(y));
asm volatile("{ .reg .u32 %%lo, %%hi; add.u32 %%lo, %0, 1;" :: "r"(x));
asm volatile("mov.u32 %0, %%lo;" : "=r"(y));
asm volatile("}");
asm("cpuid" : "=a"(x));
asm volatile("pause" ::: "memory");
asm("mov.u64 %0, counter;" : "=l"(p));"#,
        ),
        expect![[r#"
            16: `counter` Error undefined-name: `counter` is not declared
        "#]],
    );
}

#[test]
fn what_is_not_closed() {
    check(
        Language::Cuda,
        &[],
        &cuda(
            "asm(\"{ add.u32 %0, %0, 1;\" : \"+r\"(x));\nasm volatile(\"trap\");\nasm volatile(\"exit; }\" );",
        ),
        expect![[r#"
            3: `trap` Error syntax-error: `;` is missing at the end of this statement
        "#]],
    );
    check(
        Language::Cuda,
        &[],
        &cuda("asm volatile(\"exit; }\" );\nasm volatile(\"trap\");"),
        expect![[r#"
            2: `}` Error unclosed-delimiter: this `}` closes no block
            3: `trap` Error syntax-error: `;` is missing at the end of this statement
        "#]],
    );
}

#[test]
fn targets_and_guards() {
    let text = cuda(
        "#if __CUDA_ARCH__ >= 900\nasm volatile(\"tcgen05.wait::ld.sync.aligned;\");\n#elif UNKNOWN\nasm volatile(\"fence.proxy.async;\");\n#else\nasm volatile(\"fence.proxy.async;\");\n#endif\n#ifndef __CUDA_ARCH__\nasm volatile(\"bogus.u32;\");\n#endif\nasm(\"add.u32 %0, %0, 1;\" : \"+f\"(g));",
    );
    check(
        Language::Cuda,
        &["sm_90"],
        &text,
        expect![[r#"
            3: `tcgen05.wait::ld` Error unsupported-by-target: `tcgen05.wait::ld.sync.aligned` needs target `sm_100a`, `sm_100f`, `sm_110a`, or `sm_110f`; this code is compiled for `sm_90`
            12: `%0` Error invalid-operand: a .f32 register is not valid here in `add.u32`
            12: `%0` Error invalid-operand: a .f32 register is not valid here in `add.u32`
        "#]],
    );
    check(
        Language::Cuda,
        &["sm_80", "sm_100a"],
        &text,
        expect![[r#"
            12: `%0` Error invalid-operand: a .f32 register is not valid here in `add.u32`
            12: `%0` Error invalid-operand: a .f32 register is not valid here in `add.u32`
        "#]],
    );
    check(
        Language::Cuda,
        &[],
        &text,
        expect![[r#"
            3: `tcgen05.wait::ld` Information unsupported-by-target: `tcgen05.wait::ld.sync.aligned` needs target `sm_100a`, `sm_100f`, `sm_110a`, or `sm_110f`; this code is compiled for `sm_90a`
        "#]],
    );
    let marked = format!("// ptx-analyzer: target sm_80\n{text}");
    check(
        Language::Cuda,
        &[],
        &marked,
        expect![[r#"
        13: `%0` Error invalid-operand: a .f32 register is not valid here in `add.u32`
        13: `%0` Error invalid-operand: a .f32 register is not valid here in `add.u32`
    "#]],
    );
}

#[test]
fn comments_set_levels() {
    check(
        Language::Cuda,
        &[],
        &cuda(
            "// ptx-analyzer: allow(modifier-not-allowed)\nasm(\"add.z32 %0, %0, 1;\" : \"+r\"(x));\nasm(\"add.z32 %0, %0, 1;\" : \"+r\"(x)); // ptx-analyzer: hint(modifier-not-allowed)",
        ),
        expect![[r#"
            4: `.z32` Hint modifier-not-allowed: `.z32` is not allowed in `add.z32`
              Replace `.z32` by `.s32`: [("z32", "s32")]
        "#]],
    );
}

#[test]
fn names_that_are_declared_twice_or_hide_others() {
    check(
        Language::Cuda,
        &[],
        &cuda(
            r#"asm volatile("A: { .reg .pred c; setp.eq.u32 c, %0, 0; @c bra A; }" :: "r"(x));
asm volatile("A: { .reg .pred c; setp.eq.u32 c, %0, 0; @c bra A; }" :: "r"(x));
asm volatile("B%=: { .reg .pred c; setp.eq.u32 c, %0, 0; @c bra B%=; }" :: "r"(x));
asm volatile(".reg .u32 kept; mov.u32 kept, %0;" :: "r"(x));
asm("{ .reg .b32 %%r1; add.u32 %%r1, %1, %1; mov.b32 %0, %%r1; }" : "=r"(x) : "r"(y));"#,
        ),
        expect![[r#"
            2: `A` Error asm-duplicate-name: a later statement of this block declares the label `A`, too: put each into braces
            3: `A` Error asm-duplicate-name: an earlier statement of this block declares the label `A`, too: put each into braces
            5: `kept` Hint asm-leaked-name: `kept` stays declared after this statement: where the compiler repeats the statement, as it does when it inlines or unrolls, `ptxas` rejects the second one
            6: `%%r1` Warning asm-hidden-register: `%r1` may be the register that the compiler gives an operand, which this declaration hides: choose another name
        "#]],
    );
}

#[test]
fn other_languages() {
    check(
        Language::Python,
        &[],
        "x = llvm.inline_asm(T.i32(), [a, b], f\"\"\"{{\n .reg .pred p{S};\n setp.gr.u32 p{S}, $1, 0;\n add.u32 $0, $1, $3;\n}}\"\"\", \"=r,r,r\")\ny = tl.inline_asm_elementwise(\"add.u3 $0, $1, 7;\", \"=r,r\", [x])\nz = RawKernel('asm(\"sub.z32 %0, %0, 2;\\\\n\" : \"+r\"(x));')\n",
        expect![[r#"
            3: `.gr` Error modifier-not-allowed: `.gr` is not allowed in `setp.gr.u32`
              Replace `.gr` by `.eq`: [("gr", "eq")]
              Replace `.gr` by `.ne`: [("gr", "ne")]
              Replace `.gr` by `.lt`: [("gr", "lt")]
              Replace `.gr` by `.le`: [("gr", "le")]
              Replace `.gr` by `.gt`: [("r", "t")]
              Replace `.gr` by `.ge`: [("r", "e")]
              Replace `.gr` by `.lo`: [("gr", "lo")]
              Replace `.gr` by `.ls`: [("gr", "ls")]
              Replace `.gr` by `.hi`: [("gr", "hi")]
              Replace `.gr` by `.hs`: [("gr", "hs")]
            4: `$3` Error asm-operand-index: `$3` names no operand: there are 3, from 0 to 2
            6: `.u3` Error modifier-not-allowed: `.u3` is not allowed in `add.u3`
              Replace `.u3` by `.u32`: [("", "2")]
              Replace `.u3` by `.s32`: [("u3", "s32")]
            7: `.z32` Error modifier-not-allowed: `.z32` is not allowed in `sub.z32`
              Replace `.z32` by `.s32`: [("z32", "s32")]
        "#]],
    );
    check(
        Language::Rust,
        &[],
        "asm!(\"{{\", \".reg .pred p;\", \"setp.eqq.u32 p, {x}, 0;\", \"@q mov.u32 {x}, {2};\", \"}}\", x = inout(reg32) x); asm!(\"{ exit; }\"); asm!(\"nop\", out(\"eax\") _);",
        expect![[r#"
            1: `.eqq` Error modifier-not-allowed: `.eqq` is not allowed in `setp.eqq.u32`
              Replace `.eqq` by `.eq`: [("q", "")]
            1: `q` Error undefined-name: `q` is not declared
            1: `{2}` Error asm-operand-index: `{2}` names no operand: there is one, number 0
            1: `{` Error asm-placeholder: a brace of PTX is written twice in `asm!`: `{{`
            1: `}` Error asm-placeholder: a brace of PTX is written twice in `asm!`: `}}`
        "#]],
    );
    check(
        Language::Llvm,
        &[],
        "target triple = \"nvptx64\"\n%r = call i32 asm \"add.u31 $0, $1, ${2:x};\\0Aadd.u32 $0, %0, $x;\", \"=r,r\"(i32 %a)\n",
        expect![[r#"
            2: `${2:x}` Error asm-placeholder: a placeholder is `$0` or `${0}`: PTX has no modifiers of operands
            2: `$x` Error asm-placeholder: `$x` is not a placeholder: operands are `$0`, `$1`, and a dollar sign is `$$`
        "#]],
    );
    check(
        Language::C,
        &[],
        "void f() { asm volatile(\"mov.b32 %0, %1\" : \"=r\"(a) : \"r\"(b)); asm(\"mfence\" ::: \"memory\"); asm(\"add %0, %1\" : \"+r\"(a) : \"r\"(b)); asm(\"fmov s0, s1;\"); asm(\"add.u31 %0, %0, 1;\" : \"+r\"(a)); }",
        expect![[r#"
            1: `%1` Error syntax-error: `;` is missing at the end of this statement
            1: `.u31` Error modifier-not-allowed: `.u31` is not allowed in `add.u31`
              Replace `.u31` by `.u32`: [("1", "2")]
              Replace `.u31` by `.s32`: [("u31", "s32")]
        "#]],
    );
}

#[test]
fn fixes_are_escaped_for_the_literal() {
    check(
        Language::Cuda,
        &[],
        &cuda(
            "asm(\"mov.u32 %0, %%lanied;\\n\" : \"=r\"(x));\nasm(\"{ .reg .pred p; setp.eq.u32 p, %0, 0; @q exit; }\" :: \"r\"(x));",
        ),
        expect![[r#"
            2: `%%lanied` Error undefined-name: `%lanied` is not declared
              Replace `%lanied` by `%laneid`: [("ied", "eid")]
            3: `setp.eq.u32 p, %0, 0;` Hint unused-value: the result is never used
            3: `q` Error undefined-name: `q` is not declared
        "#]],
    );
}

/// Every byte of a fragment that the host has finds its way there and back, and what is told is in the strings.
#[test]
fn maps_lead_back_and_diagnostics_stand_in_strings() {
    let mut random = fastrand::Rng::with_seed(21);
    let pieces = [
        "add.u32 ",
        "%0",
        "%1",
        "%%",
        "%=",
        "%p",
        "$0",
        "${1}",
        "{",
        "}",
        "{{",
        "{0}",
        ", ",
        ";",
        "\\n",
        "\\\"",
        "\\x41",
        "\" \"",
        "\" M \"",
        ".reg .b32 a;",
        "a",
        "L: ",
        "@p ",
        "[",
        "]",
        "/*",
        "*/",
        "//",
        "ä",
        "__",
        "%[x]",
    ];
    for _ in 0..300 {
        let template: String = (0..random.usize(1..14))
            .map(|_| pieces[random.usize(..pieces.len())])
            .collect();
        for (language, text) in [
            (
                Language::Cuda,
                cuda(&format!(
                    "asm volatile(\"{template}\" : \"=r\"(x) : \"r\"(y), \"n\"(N));"
                )),
            ),
            (
                Language::Python,
                format!("llvm.inline_asm(T, [a], f\"{template}\", \"=r,r\")\n"),
            ),
            (
                Language::Rust,
                format!("asm!(\"{template}\", out(reg32) x, in(reg32) y);"),
            ),
        ] {
            let file = HostFile::new(&text, language);
            for fragment in file.fragments() {
                let mapped = &fragment.template.text;
                let range = fragment.range().expect("there is a text");
                for (offset, _) in mapped.text.char_indices() {
                    let at = TextRange::empty(TextSize::new(offset as u32));
                    if let Some(host) = mapped.map.to_host(at) {
                        assert!(range.contains_range(host), "{text}");
                        if mapped.map.editable(at).is_some() {
                            let back = mapped.map.to_text(host.start()).expect("it leads back");
                            assert_eq!(
                                mapped.map.to_host(TextRange::empty(back)),
                                Some(host),
                                "{text}"
                            );
                        }
                    }
                }
            }
            let statements = &file.host.statements;
            for found in diagnostics(&text, language, &[]) {
                let inside = statements
                    .iter()
                    .any(|it| it.range.contains_range(found.range));
                assert!(inside, "{text} {found:?}");
            }
        }
    }
}

#[test]
fn statements_of_a_file_explain_each_other() {
    // A lone brace ends the block of another statement, and `.reg` stays declared.
    check(
        Language::Cuda,
        &[],
        &cuda(
            "asm(\"{ .reg .pred %top; setp.ne.u32 %top, %0, 0;\" :: \"r\"(x));\nasm(\"@%top mov.b32 %0, %1;\" : \"+r\"(x) : \"r\"(y));\nasm(\"}\");",
        ),
        expect![[r#"
            2: `%top` Hint asm-unescaped-percent: clang rejects `%top`: `%%top` is right for every compiler
              Write `%%`: [("", "%")]
            2: `%top` Hint asm-unescaped-percent: clang rejects `%top`: `%%top` is right for every compiler
              Write `%%`: [("", "%")]
            3: `%top` Hint asm-unescaped-percent: clang rejects `%top`: `%%top` is right for every compiler
              Write `%%`: [("", "%")]
        "#]],
    );
    check(
        Language::Rust,
        &[],
        "fn f(p: u64) { let x: u32; asm!(\".reg .pred p;\"); asm!(\"isspacep.global p, {};\", in(reg64) p); asm!(\"selp.u32 {}, 1, 0, p;\", out(reg32) x); }",
        expect![[""]],
    );
}

#[test]
fn device_code_explains_what_is_not_clear() {
    let text = "fn f() { asm!(\"membar.gll;\"); }";
    check(Language::Rust, &[], text, expect![[""]]);
    check(
        Language::Rust,
        &[],
        &format!("#![feature(abi_ptx)] extern \"ptx-kernel\" {text}"),
        expect![[r#"
            1: `.gll` Error modifier-not-allowed: `.gll` is not allowed in `membar.gll`
              Replace `.gll` by `.gl`: [("l", "")]
        "#]],
    );
    let text = "asm(\"mvo.u32 %0, 1;\" : \"=r\"(x)); asm(\"mov eax, ebx\" : \"=r\"(x)); asm volatile(\"pause\");";
    check(Language::C, &[], text, expect![[""]]);
    check(
        Language::C,
        &[],
        &format!("__device__ void f(int x) {{ {text} }}"),
        expect![[r#"
            1: `mvo` Error unknown-instruction: unknown instruction `mvo`
              Replace `mvo` by `mov`: [("vo", "ov")]
        "#]],
    );
}

#[test]
fn holes_of_python() {
    // What follows a percent sign or a digit is not known.
    check(
        Language::Python,
        &[],
        "s = f'asm volatile(\"mov.u32 %0, %{reg}; mov.u32 %0, %1{n};\" : \"=r\"(x));'",
        expect![[""]],
    );
    // What is not known may write the register.
    check(
        Language::Cuda,
        &[],
        &cuda(
            "asm(\"{ .reg .pred q; setp\" HOW \".u32 q, %0, 0; selp.b32 %0, 1, 0, q; }\" : \"+r\"(x));",
        ),
        expect![[""]],
    );
    // A string by its name is judged where it appears.
    check(
        Language::Python,
        &[],
        "ASM = \"mov.u33 $0, $1;\"\nCONS = \"=r,r\"\nllvm.inline_asm(i32, [x], ASM, CONS)\n",
        expect![[r#"
            1: `.u33` Error modifier-not-allowed: `.u33` is not allowed in `mov.u33`
        "#]],
    );
}

#[test]
fn operands_of_llvm_that_are_read() {
    // The output is the third operand, too.
    check(
        Language::Python,
        &[],
        "llvm.inline_asm(t, [a, b], \"add.u32 $0, $0, $1;\", \"=r,r,0\")",
        expect![[""]],
    );
    check(
        Language::Python,
        &[],
        "llvm.inline_asm(t, [a], \"add.u32 $0, $0, $1;\", \"=r,r\")",
        expect![[r#"
            1: `$0` Warning uninitialized-register: `$0` is used before it is written
        "#]],
    );
    // The compiler may have declared it.
    check(
        Language::Python,
        &[],
        "llvm.inline_asm(t, [a], \"setp.eq.u32 %p1, $1, 0; @%p1 mov.u32 $0, 0;\", \"=r,r\")",
        expect![[r#"
            1: `%p1` Warning undefined-name: `%p1` is not declared
            1: `%p1` Warning undefined-name: `%p1` is not declared
        "#]],
    );
}

#[test]
fn names_that_only_the_host_may_have() {
    // Of another file, or of this one.
    for text in [
        "#include \"a.h\"\n__device__ void f(int x) { asm(\"ld.global.u32 %0, [counter];\" : \"=r\"(x)); }",
        "__device__ int counter;\nvoid f(int x) { asm(\"ld.global.u32 %0, [counter];\" : \"=r\"(x)); }",
        "__device__ void f(int x) { asm(\"ld.global.u32 %0, [_ZN1a1bE];\" : \"=r\"(x)); }",
    ] {
        let found = diagnostics(text, Language::Cuda, &[]);
        assert!(
            found.iter().all(|it| it.severity == crate::Severity::Hint),
            "{found:?}"
        );
    }
    check(
        Language::Cuda,
        &[],
        "#include \"a.h\"\n__device__ void f(int x) { asm(\"{ .reg .b64 addr; cvt.u64.u32 addr, %0; ld.global.u32 %0, [adr]; }\" : \"+r\"(x)); }\n__device__ void g(long x) { asm(\"mov.b64 %0, {one, two};\" : \"=l\"(x)); }",
        expect![[r#"
            2: `ld.global.u32` Hint asm-missing-volatile: the compiler may drop or move this `ld.global.u32`, which reads memory that may change: the statement needs `volatile`
              Insert `volatile`: [("", " volatile")]
            2: `adr` Error undefined-name: `adr` is not declared
              Replace `adr` by `addr`: [("r", "dr")]
            3: `one` Error undefined-name: `one` is not declared
            3: `two` Error undefined-name: `two` is not declared
        "#]],
    );
    check(
        Language::Cuda,
        &[],
        "__device__ void f(int x) { asm(\"ld.global.u32 %0, [counter];\" : \"=r\"(x)); }",
        expect![[r#"
            1: `ld.global.u32` Hint asm-missing-volatile: the compiler may drop or move this `ld.global.u32`, which reads memory that may change: the statement needs `volatile`
              Insert `volatile`: [("", " volatile")]
            1: `counter` Error undefined-name: `counter` is not declared
        "#]],
    );
}

#[test]
fn one_statement_decides_some_rules_of_protocols() {
    check(
        Language::Cuda,
        &["sm_90a"],
        r#"
__global__ void k(unsigned full) {
    asm volatile("{ .reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0; }" :: "r"(full));
    asm volatile("cp.async.commit_group;\n"
                 "cp.async.wait_group 1;" ::: "memory");
}
"#,
        expect![[r#"
            4: `mbarrier.try_wait` Hint ignored-wait-result: the result of `mbarrier.try_wait` is never used
        "#]],
    );
}
