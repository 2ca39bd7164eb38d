//! Trees of correct and of broken text.

use expect_test::{Expect, expect};

use crate::{
    Document, FileContents, ReparseLevel, SyntaxNode, TextRange, TextSize, debug_tree, text::Edit,
};

/// Lists the syntax errors of a text, each with its place as `line:column`, both from 1, and its range.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let contents = FileContents::new(text);
    assert_eq!(contents.tree.syntax().text().to_string(), text);
    let place = |range: TextRange| {
        let start = usize::from(range.start());
        let line = text[..start].matches('\n').count() + 1;
        let column = start - text[..start].rfind('\n').map_or(0, |it| it + 1) + 1;
        format!("{line}:{column} {:?}", &text[range])
    };
    let mut out = String::new();
    for error in contents.all_errors() {
        out.push_str(&format!(
            "{} {}: {}\n",
            place(error.range),
            error.code.as_str(),
            error.message
        ));
        if let Some((range, message)) = &error.related {
            out.push_str(&format!("    {}: {message}\n", place(*range)));
        }
    }
    expect.assert_eq(&out);
}

/// Errors of statements in the body of an entry.
#[track_caller]
fn check_body(body: &str, expect: Expect) {
    check(&format!(".entry k {{\n{body}\n}}\n"), expect);
}

#[track_caller]
fn check_clean(text: &str) {
    check(text, expect![""]);
}

#[track_caller]
fn check_tree(text: &str, expect: Expect) {
    let tree: SyntaxNode = FileContents::new(text).tree.syntax();
    let trivia = |line: &&str| !line.trim_start().starts_with("WHITESPACE");
    let lines: Vec<String> = debug_tree(&tree)
        .lines()
        .filter(trivia)
        .map(str::to_owned)
        .collect();
    expect.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn module_of_every_item() {
    check_clean(
        r#"
# 1 "a.cu"
.version 8.5
.target sm_90a, debug
.address_size 64
.file 1 "a.cu", 1339013327, 64118
.pragma "nounroll", "x";
.extern .shared .align 16 .b8 smem[];
.visible .global .align 4 .v4 .f32 v = {1.0, 0f3F800000, -1.0, .5};
.const .b64 table[2][2] = {{a, generic(a)+4}, {0xFF(a), ~0U}};
.global .texref t = {addr_mode_0 = wrap, filter_mode = nearest};
.global .attribute(.managed, .unified(1, 2)) .b32 m, n<3>, o;
.func (.reg .b32 r) f (.reg .b32 a, .param .align 8 .b8 b[12]) .noreturn;
.func g
.alias g, f;
.visible .entry k (.param .u64 .ptr .global .align 16 p, .param .b32 q)
.maxntid 32, 4, 1 .language "ptx", 3 .pragma "nounroll";
{
    ret;
}
.section .debug_info {
    .b8 1, -2
l:  .b32 .debug_str+4
    .b64 a-b
}
.nv_intermediate_source_section {
.code_block { .ir_name: "s" .sourceFileName: 1 .source_begin
whatever { "
.source_end }
}
@@DWARF .section .debug_info, "", @progbits
"#,
    );
}

#[test]
fn body_of_every_statement() {
    check_clean(
        r#".entry k {
    .reg .b32 %r<10>, x; .reg .b32;
    .target sm_80
    .loc 1 2 3
    .loc 1 2 3, function_name $L__info+4, inlined_at 1 20 5
    .loc_intermediate 1 2 3
    .pragma "nounroll";
    .func h;
a: b:
    @!%p1 ld.global.L2::cache_hint.v4.f32 {%f1, _, %f3, %f4}, [%rd1+-16], %rd2;
    @ ! p mov .u32 x, %tid .x;
    setp.lt.and.s32 %p1|%p2, x, -1, !%p3;
    shfl.sync.idx.b32 _|p, x, y, 31, (.s64) 1 ? 0x1F : ~0b1;
    tex.2d.v4.f32.f32 {a, b, c, d}, [t, s, {e, f}], g;
    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
        [%r1], [%rd1, {%r2, %r3}], [%r4];
    mov.u32 x, arr[4]; ld.u8 x, arr[%r1+8]; ld.global.b32 x, [%rd1+8].unified, %rd2;
    mov.b32 x, 1+2*3<<4 == 7 % 4 && 1.0 < .5;
    call (_), f, (x, 4, q), proto;
    call f, ();
    call g;
ts: .branchtargets L1, N<5>;
ct: .calltargets f, g;
proto: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b8 _[12]) .noreturn .abi_preserve 8;
    { .reg .b32 y; { } }
    fence.proxy.alias; st.async.weak.b64 [a], b, [c];
    mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue8m0
        {%f1}, {%r1}, {%r2}, {%f2}, %r3, {0, 1}, %r4, {0, 1};
end:
}
"#,
    );
}

#[test]
fn missing_semicolon() {
    check_body(
        "    add.u32 %r1, %r2, %r3\n    ret;\n    mov.b32 %r1, 2;",
        expect![[r#"
            2:26 "" syntax-error: expected `,` or `;`
        "#]],
    );
    check_body(
        "    mov.u32 %r1, %tid.x\nagain:\n    mov.u32 %r1, %tid.x\n    ret;",
        expect![[r#"
            2:24 "" syntax-error: expected `,` or `;`
            4:24 "" syntax-error: expected `,` or `;`
        "#]],
    );
    check_body(
        "    ret",
        expect![[r#"
        2:8 "" syntax-error: expected an operand or `;`
    "#]],
    );
    check_body(
        "    mov.b32 a, 1 add.s32 a, a, 2;",
        expect![[r#"
        2:18 "add" syntax-error: expected `,` or `;`, found `add`
    "#]],
    );
    check_body(
        "    .reg .b32 a\n    .reg .b32 b;",
        expect![[r#"
        2:16 "" syntax-error: expected `,` or `;`
    "#]],
    );
    check_body(
        "    ld.global\n    add.s32 a, b, c;",
        expect![[r#"
        2:14 "" syntax-error: expected an operand or `;`
    "#]],
    );
}

#[test]
fn missing_comma_and_operand() {
    check_body(
        "    mov.b32 a b;",
        expect![[r#"
        2:15 "b" syntax-error: expected `,` or `;`, found `b`
    "#]],
    );
    check_body(
        "    add.s32 a, , c;\n    add.s32 a, b,;\n    add.s32 a,\n    ret;",
        expect![[r#"
            2:16 "," syntax-error: expected an operand, found `,`
            3:18 ";" syntax-error: expected an operand after `,`, found `;`
        "#]],
    );
}

#[test]
fn unclosed_brackets() {
    check_body(
        "    ld.u32 a, [b+4;\n    mov.v2 {a, b, c;\n    ld.v2.u32 {a, b, [c];\n    mma {a, b}, {c, d, {e, f};\n    ret;",
        expect![[r#"
            2:15 "[" unclosed-delimiter: unclosed `[`
                2:19 "": expected `]` here
            3:12 "{" unclosed-delimiter: unclosed `{`
                3:20 "": expected `}` here
            4:15 "{" unclosed-delimiter: unclosed `{`
                4:20 "": expected `}` here
            5:17 "{" unclosed-delimiter: unclosed `{`
                5:22 "": expected `}` here
        "#]],
    );
}

#[test]
fn unclosed_body_points_at_its_brace() {
    check(
        ".entry a {\n    ret;\n.visible .entry b {\n    ret;\n}\n",
        expect![[r#"
        1:10 "{" unclosed-delimiter: unclosed `{`
            2:9 "": expected `}` here
    "#]],
    );
    check(
        ".entry a {\n    ret;\n    {\n    ret;\n}\n",
        expect![[r#"
            3:5 "{" unclosed-delimiter: unclosed `{`
                5:2 "": expected `}` here
        "#]],
    );
}

#[test]
fn a_slip_stays_in_its_statement() {
    // A line that begins like a statement ends the one before it.
    check_body(
        "    mul.lo.s32 %r3, %r1,\n    bar.sync 0;\n    ld.global.u32 %r1, [\n    bra L;\n    ad\n    @\n    mov.u32 %r1, %tid.x;\n    mov.b32 %r2,\n    membar.gl;\n    fence.sc\n    call f;",
        expect![[r#"
            2:25 "" syntax-error: expected an operand after `,`
            4:24 "[" unclosed-delimiter: unclosed `[`
                4:25 "": expected `]` here
            6:7 "" syntax-error: expected an operand or `;`
            7:6 "" syntax-error: expected a predicate register
            9:17 "" syntax-error: expected an operand after `,`
            11:13 "" syntax-error: expected an operand or `;`
        "#]],
    );
    // Operands on further lines, with and without their commas and braces.
    check_body(
        "    mma {a, b\n     c},\n        {d} {e},\n        %r1;\n    st.v2.u32 [p], a, b};\n    mov.b64 x, a, b}, {c, d};\n    ret;",
        expect![[r#"
            2:14 "" syntax-error: expected `,`
            4:13 "{" syntax-error: expected `,` or `;`, found `{`
            6:24 "}" syntax-error: unmatched `}`
            7:20 "}" syntax-error: unmatched `}`
        "#]],
    );
    check_body(
        "    mov.b32 {%r1,\n        a.x,\n        b.x}, x;\n    bra\n    L;\n    add.s32 a, b,\n    c;",
        expect![""],
    );
    check_body(
        "$L1\n    ret;\n    .reg .b32 a,\n    mov.b32 a, 1;\n    .reg .b32\n    b;",
        expect![[r#"
            2:4 "" syntax-error: expected `:` after the label
            4:17 "" syntax-error: expected the name of a variable
        "#]],
    );
}

#[test]
fn a_header_is_damaged_alone() {
    for (text, expected) in [
        (
            ".visible .entry k(\n.param .u32 a\n)\n.maxntid 32\n    .reg .b32 r;\n    mov.b32 r, 1;\n    ret;\n}\n",
            expect![[r#"
                4:12 "" syntax-error: expected `{`
            "#]],
        ),
        (
            ".visible .entry k\n.param .u32 a,\n.param .u32 b\n)\n{\n    ret;\n}\n",
            expect![[r#"
                1:18 "" syntax-error: expected `(`
            "#]],
        ),
        (
            ".visible .entry k(\n.param .u32 a\n.maxntid 32\n{\n    ret;\n}\n",
            expect![[r#"
                1:18 "(" unclosed-delimiter: unclosed `(`
                    2:14 "": expected `)` here
            "#]],
        ),
        (
            ".visible .entry (\n.param .u32 a\n)\n{\n    ret;\n}\n",
            expect![[r#"
                1:17 "(" syntax-error: expected the name of the entry, found `(`
            "#]],
        ),
        (
            ".visible .func (.param .u32 r) (.param .u32 a) { ret; }\n",
            expect![[r#"
                1:32 "(" syntax-error: expected the name of the function, found `(`
            "#]],
        ),
        (
            ".visible .func (.param .u32 r f(.param .u32 a) { ret; }\n",
            expect![[r#"
                1:16 "(" unclosed-delimiter: unclosed `(`
                    1:31 "f": expected `)` here
            "#]],
        ),
        (
            ".func .param .u32 r) f (.param .u32 a) { ret; }\n",
            expect![[r#"
                1:7 ".param" syntax-error: expected `(`, found `.param`
            "#]],
        ),
        (
            ".visible k(.param .u32 a) { ret; }\n",
            expect![[r#"
            1:10 "k" syntax-error: expected `.entry` or `.func`, found `k`
        "#]],
        ),
    ] {
        check(&format!("{text}.entry last {{ ret; }}\n"), expected);
    }
}

#[test]
fn a_brace_without_its_partner() {
    // The first body continues, because no item follows the `}`.
    check(
        ".entry a {\n    mov.b32 x, 1;\n    }\n    mov.b32 x, 2;\n    ret;\n}\n.entry b { ret; }\n",
        expect![[r#"
            3:5 "}" syntax-error: unmatched `}`
        "#]],
    );
    check(
        ".entry a {\n    {\n        ret;\n    ret;\n}\n.visible .entry b {\n    ret;\n}\n",
        expect![[r#"
            2:5 "{" unclosed-delimiter: unclosed `{`
                5:2 "": expected `}` here
        "#]],
    );
}

#[test]
fn stray_text_gives_one_error() {
    check(
        ".entry a {\n    ret;\n}\n}\n",
        expect![[r#"
        4:1 "}" syntax-error: unmatched `}`: no block is open here
    "#]],
    );
    check(
        "mov.b32 a, b;\nadd.s32 a, b, c;\n.entry a { ret; }\n;",
        expect![[r#"
        1:1 "mov" syntax-error: `mov` is outside a function: instructions and labels belong in the body of an `.entry` or `.func`
        4:1 ";" syntax-error: unexpected `;` at module scope: the item before it takes none
    "#]],
    );
}

#[test]
fn odd_statements() {
    check_body(
        "    ;\n    .foo;\n    @p L: ret;\n    @ ret;\n    5;",
        expect![[r#"
        2:5 ";" syntax-error: unexpected `;`: PTX has no empty statement
        3:5 ".foo" syntax-error: `.foo` cannot start a statement: expected an instruction, a declaration, a label or `}`
        4:9 ":" syntax-error: a label cannot follow a guard: write the label first
        5:10 ";" syntax-error: expected an instruction after the guard, found `;`
        6:5 "5" syntax-error: expected an instruction, a declaration, a label or `}`, found `5`
    "#]],
    );
}

#[test]
fn bad_tokens() {
    check_body(
        "    mov.f32 a, 0f3f80;\n    mov.b32 é, 1u;\n    mov.b32 a, 08;\n    # define X",
        expect![[r##"
            2:16 "0f3f80" malformed-number: malformed number `0f3f80`: `0f` needs exactly 8 hexadecimal digits
            3:13 "é" invalid-character: `é` is not ASCII; outside comments and strings PTX is ASCII only
            3:17 "1u" malformed-number: malformed number `1u`: the suffix of an unsigned integer is a capital `U`
            4:16 "08" malformed-number: malformed number `08`: a number that starts with 0 is octal and has no digits 8 and 9
            5:5 "# define X" invalid-character: PTX has no preprocessor; only line markers such as `# 12 "file.cu"` may start with `#`
        "##]],
    );
    check(
        "\u{feff}.version 8.5\n",
        expect![[r#"
        1:1 "\u{feff}" invalid-character: ptxas rejects a byte order mark; save the file as UTF-8 without one
    "#]],
    );
    check(
        ".file 1 \"a.cu\n/* x",
        expect![[r#"
        1:9 "\"a.cu" unterminated-token: this string is not closed by a second `"`
        2:1 "/*" unterminated-token: this comment is not closed by `*/`
    "#]],
    );
}

#[test]
fn headers() {
    check(
        ".version\n.target 90\n.address_size;\n.entry (.param .b32 a) { ret; }\n.entry b(.param .b32) { ret; }\n.entry c(.param .b32 a .param .b32 b) { ret; }\n.entry d(.param .b32 a { ret; }\n.entry e",
        expect![[r#"
            1:9 "" syntax-error: expected a version such as `8.5`
            2:9 "90" syntax-error: expected a target such as `sm_90`, found `90`
            3:14 ";" syntax-error: expected `32` or `64`, found `;`
            4:8 "(" syntax-error: expected the name of the entry, found `(`
            5:21 ")" syntax-error: expected the name of the parameter, found `)`
            6:24 ".param" syntax-error: expected `,` or `)`, found `.param`
            7:9 "(" unclosed-delimiter: unclosed `(`
                7:24 "{": expected `)` here
            8:9 "" syntax-error: expected `{` or `;`
        "#]],
    );
}

#[test]
fn what_is_missing_is_told_where_its_line_ends() {
    // Whether a semicolon ends it or nothing does, and nothing is said twice.
    check(
        ".version 8.5\n.target\n.address_size 64\n.file 1\n.entry k {\n.loc 1 1\nret;\n}\n.section .debug_info {\n.b8 1,\n}\n.section .debug_str\n.func\n.entry\n.entry e { ret; }",
        expect![[r#"
            2:8 "" syntax-error: expected a target such as `sm_90`
            4:8 "" syntax-error: expected a file name in quotes
            6:9 "" syntax-error: expected a column number
            10:7 "" syntax-error: expected a number or a label
            12:20 "" syntax-error: expected `{`
            13:6 "" syntax-error: expected the name of the function
            14:7 "" syntax-error: expected the name of the entry
        "#]],
    );
    // What ends with a semicolon lacks it where the line ends.
    check(
        ".func f .alias a, b;\n.func f .align 4 .global .b32 g;\n.func f .b32;\n.alias\n.pragma\n.entry e {\n.pragma \"nounroll\"\n.func f\n.reg .b32 r;\n}\n.func f",
        expect![[r#"
            4:7 "" syntax-error: expected the name of a function
            5:8 "" syntax-error: expected a string
            7:19 "" syntax-error: expected `,` or `;`
            8:8 "" syntax-error: expected `{` or `;`
        "#]],
    );
}

#[test]
fn nesting_is_bounded() {
    let text = format!(
        ".entry k {{ mov.b32 a, {}1{}; }}",
        "(".repeat(100_000),
        ")".repeat(100_000)
    );
    let errors: Vec<_> = FileContents::new(&text).all_errors().collect();
    assert_eq!(errors[0].code.as_str(), "nesting-too-deep");
    // Operators make a tree as high as brackets do.
    for chain in [
        "1+".repeat(200_000),
        "(1+".repeat(500) + &"1+".repeat(200_000),
        "1?2:".repeat(200_000),
        "-".repeat(200_000),
    ] {
        let text = format!(".entry k {{ mov.b32 a, {chain}1; }}");
        let errors: Vec<_> = FileContents::new(&text).all_errors().collect();
        assert!(
            errors
                .iter()
                .any(|it| it.code.as_str() == "nesting-too-deep"),
            "{errors:?}"
        );
    }
    let text = format!(".entry k {}", "{".repeat(100_000));
    assert!(FileContents::new(&text).all_errors().count() > 0);
}

#[test]
fn shape_of_an_instruction() {
    check_tree(
        ".entry k {\n@!p ld.v2.f32 {a, _}, [b+4]; // c\n}",
        expect![[r#"
            SOURCE_FILE@0..46
              FUNCTION@0..46
                DOTTED@0..6 ".entry"
                NAME@7..8
                  IDENT@7..8 "k"
                BLOCK@9..46
                  L_BRACE@9..10 "{"
                  STATEMENT_RUN@10..44
                    INSTRUCTION@10..44
                      GUARD@11..14
                        AT@11..12 "@"
                        BANG@12..13 "!"
                        NAME_REFERENCE@13..14
                          IDENT@13..14 "p"
                      IDENT@15..17 "ld"
                      DOTTED@17..20 ".v2"
                      DOTTED@20..24 ".f32"
                      VECTOR@25..31
                        L_BRACE@25..26 "{"
                        NAME_REFERENCE@26..27
                          IDENT@26..27 "a"
                        COMMA@27..28 ","
                        SINK@29..30
                          UNDERSCORE@29..30 "_"
                        R_BRACE@30..31 "}"
                      COMMA@31..32 ","
                      ADDRESS@33..38
                        L_BRACKET@33..34 "["
                        BINARY_EXPRESSION@34..37
                          NAME_REFERENCE@34..35
                            IDENT@34..35 "b"
                          PLUS@35..36 "+"
                          LITERAL@36..37
                            INTEGER@36..37 "4"
                        R_BRACKET@37..38 "]"
                      SEMICOLON@38..39 ";"
                      LINE_COMMENT@40..44 "// c"
                  R_BRACE@45..46 "}"
        "#]],
    );
}

/// Replaces the text between two `|` marks and returns how much was parsed again.
#[track_caller]
fn check_level(marked: &str, insert: &str, level: ReparseLevel) {
    let mut parts = marked.split('¦');
    let (before, old, after) = (
        parts.next().unwrap(),
        parts.next().unwrap(),
        parts.next().unwrap(),
    );
    let mut document = Document::new(format!("{before}{old}{after}"));
    let range = TextRange::at(TextSize::of(before), TextSize::of(old));
    let taken = document.apply(&Edit::new(range, insert)).unwrap();
    assert_eq!(document.text(), format!("{before}{insert}{after}"));
    assert_eq!(*document.contents(), FileContents::new(document.text()));
    assert_eq!(taken, level);
}

#[test]
fn levels_of_reparsing() {
    use ReparseLevel::{File, Items, Statements};
    let module = |body: &str| {
        format!(
            ".version 8.5\n.target sm_90\n.global .b32 g;\n.entry a {{\n{body}\n}}\n.entry b {{\n    ret;\n}}\n"
        )
    };
    // Inside a statement, between statements, at both ends of a body, in a nested block.
    check_level(&module("    mov.b32 %r1, ¦1¦;\n    ret;"), "2", Statements);
    check_level(
        &module("    mov.b32 %r1, 1;\n¦¦    ret;"),
        "    add.s32 %r1, %r1, 1;\n",
        Statements,
    );
    // The error about an item without an end is on the item after it.
    check_level(
        ".version 8.5\n.target sm_90\n¦.file 1¦ // of\n.entry a { ret; }\n.entry b { ret; }\n",
        ".pragma \"nounroll\";",
        Items,
    );
    check_level(&module("¦¦    ret;"), "x", Statements);
    check_level(&module("    ret;¦¦"), " // done", Statements);
    check_level(&module("    ret¦;¦"), "", Statements);
    check_level(
        &module("    { mov.b32 %r1, ¦1¦; }\n    ret;"),
        "2",
        Statements,
    );
    // A brace, or a comment that opens, reaches further.
    check_level(&module("    ret;¦¦\n"), "{", Items);
    check_level(&module("    ¦¦ret;\n"), "{ }", Statements);
    check_level(&module("    ret;¦¦\n"), "/*", File);
    check_level(&module("    ret;¦¦\n"), "\"", File);
    // A header or a module variable is an item.
    check_level(
        ".global .b32 g;\n.global .b32 ¦h¦;\n.global .b32 i;\n",
        "x",
        Items,
    );
    check_level(
        ".global .b32 g;\n.entry ¦a¦ { ret; }\n.global .b32 i;\n",
        "x",
        Items,
    );
    // However the last run of a body ends, and however many items follow.
    let items = ".entry k { mov.b32 r, 1; }\n".repeat(40);
    check_level(
        &format!("{items}.entry ¦a¦ {{ ret; }}\n{items}"),
        "b",
        Items,
    );
    check_level(
        &format!("{items}¦¦{items}"),
        ".entry a {\nmov.b32 r, 1;\n.entry b {\n",
        Items,
    );
    check_level(
        ".version ¦8.5¦\n.target sm_90\n.entry a { ret; }\n.entry b { ret; }\n",
        "8.6",
        Items,
    );
}
