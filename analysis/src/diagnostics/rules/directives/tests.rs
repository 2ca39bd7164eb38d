//! Verdicts of ptxas 13.5 on directives, as fixtures.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::fixture::Fixture;

/// Lists code, place and message of each diagnostic of a module, which brings its own header.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let fixture = Fixture::new(text);
    let mut out = String::new();
    for it in fixture.diagnostics() {
        let _ = write!(out, "{} {:?}: {}", it.code, &text[it.range], it.message);
        let _ = it.help.map(|help| write!(out, " | {help}"));
        out.push('\n');
    }
    expect.assert_eq(&out);
}

#[test]
fn the_start_of_a_module() {
    check("", expect![""]);
    check(
        "// nothing yet\n",
        expect![[r#"
        missing-directive "": a module starts with `.version` and `.target`, as in `.version 8.5` and `.target sm_90`
    "#]],
    );
    check(".version 8.5 .target sm_90 .entry k { ret; }", expect![""]);
    check(
        ".entry k { ret; }",
        expect![[r#"
        missing-directive ".entry": a module starts with `.version` and `.target`, as in `.version 8.5` and `.target sm_90`
    "#]],
    );
    check(
        ".target sm_90\n.entry k { ret; }",
        expect![[r#"
        missing-directive ".target": a module starts with `.version` and `.target`, as in `.version 8.5` and `.target sm_90`
    "#]],
    );
    check(
        ".version 8.5\n.address_size 64\n.entry k { ret; }",
        expect![[r#"
            missing-directive ".address_size": `.target` must follow `.version`, as in `.target sm_90`
        "#]],
    );
    check(
        ".version 9.6\n.target sm_90\n",
        expect![[r#"
        unknown-version "9.6": there is no PTX ISA version 9.6 | the newest is 9.5
    "#]],
    );
    check(
        ".version 7.7\n.target sm_90\n",
        expect![[r#"
        unsupported-by-version "sm_90": `sm_90` needs PTX ISA 7.8; this module is 7.7
    "#]],
    );
    check(
        ".version 8.5\n.target sm_9O, debug, texmode_unifed\n",
        expect![[r#"
            unknown-target "sm_9O": unknown target `sm_9O` | did you mean `sm_90`?
            missing-directive "debug": `debug` needs debug sections, but the module has no `.section`
            unknown-target "texmode_unifed": unknown target `texmode_unifed` | did you mean `texmode_unified`?
        "#]],
    );
}

#[test]
fn directives_of_functions() {
    check(
        ".version 8.5\n.target sm_80\n.entry k .maxntid 32 .maxnregs 8 .noreturn .reqnctapercluster 2 { ret; }\n.func f .maxntid 3 { ret; }\n",
        expect![[r#"
            unknown-directive ".maxnregs": there is no directive `.maxnregs` in the header of an `.entry` | did you mean `.maxnreg`?
            unknown-directive ".noreturn": `.noreturn` is not allowed in the header of an `.entry`
            unsupported-by-target ".reqnctapercluster": `.reqnctapercluster` needs target `sm_90` or later; this module is for `sm_80`
            unknown-directive ".maxntid": `.maxntid` is not allowed in the header of a `.func`
        "#]],
    );
    check(
        ".version 6.2\n.target sm_20\n.func f .noreturn;\n.func g { ret; }\n.alias f, g;\n.weak .global .b32 x;\n.entry k { ts: .branchtargets L; L: ret; }\n",
        expect![[r#"
            unsupported-by-target ".noreturn": `.noreturn` needs target `sm_30` or later; this module is for `sm_20`
            unsupported-by-target ".alias": `.alias` needs target `sm_30` or later; this module is for `sm_20`
            invalid-alias "f": `f` cannot be an alias of `g`: one of them is `.noreturn`
            unsupported-by-target ".branchtargets": `.branchtargets` needs target `sm_30` or later; this module is for `sm_20`
        "#]],
    );
}

#[test]
fn the_target_in_force() {
    // The last of several counts, and a body changes it for all that follows.
    check(
        ".version 9.5\n.target sm_90\n.target sm_90, sm_20\n.func f .noreturn { exit; }\n",
        expect![[r#"
            unsupported-by-target ".noreturn": `.noreturn` needs target `sm_30` or later; this module is for `sm_20`
        "#]],
    );
    check(
        ".version 9.5\n.target sm_20\n.func f .noreturn { exit; }\n.entry k {\n.reg .b32 %r; .reg .pred %p;\nelect.sync %r|%p, -1;\n.target sm_90\nelect.sync %r|%p, -1;\n}\n.weak .global .b32 x;\n.func g .noreturn { { .target sm_20 } exit; }\n.alias g, f;\n",
        expect![[r#"
            unsupported-by-target ".noreturn": `.noreturn` needs target `sm_30` or later; this module is for `sm_20`
            unsupported-by-target "elect": `elect.sync` needs target `sm_90` or later; this module is for `sm_20`
            unsupported-by-target ".alias": `.alias` needs target `sm_30` or later; this module is for `sm_20`
            invalid-alias "g": `g` has a body, so it cannot become an alias
        "#]],
    );
}

#[test]
fn placement_of_the_header() {
    check(
        ".version 9.5\n.target sm_90\n.address_size 64\n.address_size 64\n.version 9.5\n.entry k { ret; }\n.target sm_90\n",
        expect![[r#"
            unknown-directive ".address_size": `.address_size` must directly follow `.target`, once
            unknown-directive ".version": a module has one `.version`, at its start
            unknown-directive ".target": `.target` must directly follow `.version`, or be in a body
        "#]],
    );
    check(
        ".version\n9.5\n.target sm_90\n",
        expect![[r#"
        missing-directive "9.5": the number of `.version` must be on the same line, after a blank
    "#]],
    );
    check(
        ".version 9.5\n.pragma \"nounroll\";\n.target sm_90\n",
        expect![[r#"
            missing-directive ".pragma": `.target` must follow `.version`, as in `.target sm_90`
        "#]],
    );
    check(
        ".version 9.5",
        expect![[r#"
        missing-directive ".version 9.5": `.target` must follow `.version`, as in `.target sm_90`
    "#]],
    );
    check(
        ".version 8.15\n.target sm_90b\n.target xsm_090\n.target compute_x80, compute_90\n.address_size 0x40\n",
        expect![[r#"
            ignored-directive "sm_90b": ptxas treats `sm_90b` as `sm_90`
            ignored-directive "xsm_090": ptxas treats `xsm_090` as `sm_90`
            ignored-directive "compute_x80": ptxas treats `compute_x80` as `sm_80`
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.address_size 32\n",
        expect![[r#"
            address-size-32 "32": ptxas no longer generates code with 32-bit addresses | the last tools that did were those of CUDA 11, for targets before `sm_90`
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.address_size 16\n",
        expect![[r#"
            invalid-directive "16": an address has 32 or 64 bits, not 16
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.address_size 64.0\n",
        expect![[r#"
            invalid-directive "64.0": `.address_size` takes an integer, not `64.0`
        "#]],
    );
}

#[test]
fn options_of_targets() {
    check(
        ".version 2.3\n.target sm_20, texmode_independent, texmode_unified, debug, map_f64_to_f32\n",
        expect![[r#"
            conflicting-directives "texmode_unified": the texture mode is `texmode_independent` already
            unsupported-by-version "debug": `debug` needs PTX ISA 3.0; this module is 2.3
            unsupported-by-target "map_f64_to_f32": `map_f64_to_f32` is for targets below `sm_13`; this module is for `sm_20`
        "#]],
    );
    check(
        ".version 1.4\n.target sm_10, map_f64_to_f32, texmode_independent\n",
        expect![[r#"
            unsupported-by-version "texmode_independent": `texmode_independent` needs PTX ISA 1.5; this module is 1.4
        "#]],
    );
    check(
        ".version 9.5\n.target debug, sm_90\n",
        expect![[r#"
        unknown-target "debug": the first `.target` starts with an architecture such as `sm_90`
    "#]],
    );
    check(
        ".version 9.5\n.target sm_90, sm_, debug\n",
        expect![[r#"
        ignored-directive "sm_": unknown target `sm_` (ptxas ignores it)
        missing-directive "debug": `debug` needs debug sections, but the module has no `.section`
    "#]],
    );
    check(
        ".version 9.5\n.target sm_90, debug\n.section .debug_info { }\n",
        expect![""],
    );
    check(
        ".version 9.5\n.target sm_90\n.target texmode_independent\n.entry k { .target sm_80, texmode_unified ret; .target sm_91 }\n",
        expect![[r#"
            conflicting-directives "texmode_unified": the texture mode is `texmode_independent` already
            unknown-target "sm_91": unknown target `sm_91`
        "#]],
    );
}

#[test]
fn values_of_tuning_directives() {
    check(
        ".version 9.5\n.target sm_90\n.entry a .maxntid 0 .maxnreg 3, 4 .reqnctapercluster 0 { ret; }\n.entry b .maxntid 1, 2, 3, 4 .minnctapersm .explicitcluster 1 { ret; }\n.entry c .maxntid 4294967296 .maxnreg 1.5 { ret; }\n.entry d .maxntid \"x\" .maxclusterrank 18446744073709551617 { ret; }\n",
        expect![[r#"
            invalid-directive "0": `.maxntid` takes numbers from 1 on
            invalid-directive "4": `.maxnreg` takes one integer
            invalid-directive "4": `.maxntid` takes 1 to 3 integers
            invalid-directive ".minnctapersm": `.minnctapersm` takes one integer
            invalid-directive "1": `.explicitcluster` takes no value
            invalid-directive "4294967296": `4294967296` does not fit into 32 bits
            invalid-directive "1.5": `.maxnreg` takes an integer, not `1.5`
            invalid-directive "\"x\"": `.maxntid` takes 1 to 3 integers
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.func f .abi_preserve_control 12 { ret; }\n.func g .abi_preserve 4294967295 .abi_preserve_control 11;\n.entry k .language \"PTX\", 3, \"cuda\", 11 .language { ret; }\n",
        expect![[r#"
            invalid-directive "12": `.abi_preserve_control` takes numbers up to 11
            missing-definition "g": `g` is declared and never defined | declare it `.extern` if another module defines it
            invalid-directive "\"cuda\"": `.language` knows no language "cuda" | expected one of unknown, ptx, nvvm, cuda c++, cuda c++ tile, tile ir, python-cutile, fortran, optix
            invalid-directive "11": the numbers of languages are 0 to 10
            invalid-directive ".language": `.language` takes names such as "ptx" or numbers of languages
        "#]],
    );
}

#[test]
fn tuning_directives_together() {
    check(
        ".version 9.5\n.target sm_90\n.entry a .maxntid 1 .reqntid 2 .reqnctapercluster 2 .maxclusterrank 3 { ret; }\n.entry b .blocksareclusters .reqnctapercluster 0 { ret; }\n.entry c .blocksareclusters .reqnctapercluster 2 .reqntid 3 .minnctapersm 3 { ret; }\n.entry d .minnctapersm 3 { ret; }\n",
        expect![[r#"
            conflicting-directives ".reqntid": `.maxntid` and `.reqntid` exclude each other
            conflicting-directives ".maxclusterrank": `.reqnctapercluster` and `.maxclusterrank` exclude each other
            missing-directive ".blocksareclusters": `.blocksareclusters` needs `.reqntid` and `.reqnctapercluster`, too
            ignored-directive ".minnctapersm": ptxas ignores `.minnctapersm` without `.maxntid` or `.reqntid`
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.func a .abi_preserve 3 .noreturn { exit; }\n.func b .noreturn .abi_preserve_control 3 .abi_preserve 3 .local_maxnreg 3 .language 3 { exit; }\n.func c .noreturn .noreturn .abi_preserve 3 .abi_preserve 3 { exit; }\n.func d .language 1 .local_maxnreg 3 { exit; }\n",
        expect![[r#"
            unknown-directive ".noreturn": `.noreturn` must precede `.abi_preserve`
            conflicting-directives ".noreturn": duplicate `.noreturn` in the function header
            conflicting-directives ".abi_preserve": duplicate `.abi_preserve` in the function header
            unknown-directive ".local_maxnreg": `.local_maxnreg` must precede `.language`
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.entry a .maxntid 3 .maxnreg 3;\n.entry b .pragma \"nounroll\";;\n.func c .local_maxnreg 3;\n.entry d { .func e .language 3; ret; }\n",
        expect![[r#"
            missing-definition "a": `a` is declared and never defined | declare it `.extern` if another module defines it
            unknown-directive ".maxntid": `.maxntid` is not allowed in the header of an `.entry` without a body
            missing-definition "b": `b` is declared and never defined | declare it `.extern` if another module defines it
            unknown-directive ".pragma": `.pragma` is not allowed in the header of an `.entry` without a body
            missing-definition "c": `c` is declared and never defined | declare it `.extern` if another module defines it
            unknown-directive ".local_maxnreg": `.local_maxnreg` is not allowed in the header of a prototype
            missing-definition "e": `e` is declared and never defined | declare it `.extern` if another module defines it
            unknown-directive ".language": `.language` is not allowed in the header of a prototype
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.entry a { .reg .b32 %r; mov.u32 %r, %perctamemorysize; ret; }\n.entry b .minperctamemory 64 { .reg .b32 %r; mov.u32 %r, %perctamemorysize; ret; }\n.func c { .reg .b32 %r; mov.u32 %r, %perctamemorysize; ret; }\n",
        expect![[r#"
            missing-directive "%perctamemorysize": `%perctamemorysize` needs `.minperctamemory` in the header of the `.entry`
        "#]],
    );
}

#[test]
fn pragmas() {
    check(
        ".version 9.2\n.target sm_90\n.pragma \"nounroll\", \"\", \"frequency 3\";\n.entry a .pragma \"used_bytes_mask 3\"; { .pragma \"used_bytes_mask\", \"mma_throughput\"; ret; }\n.entry b { .pragma \"frequency 0x10\", \"frequency  +3\", \"frequency 0\"; .pragma \"frequency\"; .pragma \"frequency 3 4\"; .pragma \"nounrol\", \"knob 3\"; ret; }\n",
        expect![[r#"
            unknown-directive "\"frequency 3\"": the pragma `frequency` is allowed only inside a body
            unknown-directive "\"used_bytes_mask 3\"": the pragma `used_bytes_mask` is allowed only inside a body
            unsupported-by-version "\"mma_throughput\"": the pragma `mma_throughput` needs PTX ISA 9.3; this module is 9.2
            invalid-directive "\"frequency 0\"": the pragma `frequency` takes an integer from 1 on, as in `frequency 8`
            invalid-directive "\"frequency\"": the pragma `frequency` takes an integer from 1 on, as in `frequency 8`
            invalid-directive "\"frequency 3 4\"": the pragma `frequency` takes an integer from 1 on, as in `frequency 8`
            unknown-pragma "\"nounrol\"": unknown pragma `nounrol` (ptxas ignores it) | did you mean `nounroll`?
            unknown-pragma "\"knob 3\"": unknown pragma `knob` (ptxas ignores it)
        "#]],
    );
}

#[test]
fn source_files_and_locations() {
    check(
        ".version 3.1\n.target sm_20\n.file 1 \"a\"\n.file 0x1 \"b\", 1, 2\n.file 2.0 \"c\"\n.file 4294967297 \"d\"\n.file 3 \"e\", 18446744073709551616, 0\n",
        expect![[r#"
            duplicate-definition "0x1": the file index 0x1 is defined twice; first in line 3
            unsupported-by-version "1": a time stamp in `.file` needs PTX ISA 3.2; this module is 3.1
            invalid-directive "2.0": `.file` takes an integer, not `2.0`
            duplicate-definition "4294967297": the file index 4294967297 is defined twice; first in line 3
            invalid-directive "4294967297": `4294967297` does not fit into 32 bits
            unsupported-by-version "18446744073709551616": a time stamp in `.file` needs PTX ISA 3.2; this module is 3.1
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.entry a { .loc 1 9 9 { .loc 1 2 3, function_name f, inlined_at 1 9 9 } .loc 1 4 4, function_name .debug_str+3, inlined_at 1 2 0x3 ret; }\n.entry b { .loc 1 4294967296 1 .loc 1 1 1, function_name f, inlined_at 1 9 9 .loc 1 1 1, function_name f, inlined_at 1 9 8 .loc_intermediate 1 5 5 .loc 1 1 1, function_name f, inlined_at 1 5 5 ret; }\n",
        expect![[r#"
            undefined-section-label "f": no section has the label `f`
            undefined-section-label ".debug_str": no section has the label `.debug_str`
            invalid-directive "4294967296": `4294967296` does not fit into 32 bits
            undefined-section-label "f": no section has the label `f`
            undefined-section-label "f": no section has the label `f`
            undefined-location "1 9 8": no `.loc` before this is at `1 9 8`
            undefined-section-label "f": no section has the label `f`
            undefined-location "1 5 5": no `.loc` before this is at `1 5 5`
        "#]],
    );
    // Some versions do not look at the place, some do not have it.
    check(
        ".version 3.2\n.target sm_20\n.entry a { .loc 1 1 1, function_name f, inlined_at 1 9 9 ret; }\n",
        expect![""],
    );
    check(
        ".version 6.5\n.target sm_30\n.entry a { .loc 1 1 1, function_name f, inlined_at 1 9 9 ret; }\n",
        expect![[r#"
            undefined-section-label "f": no section has the label `f`
            unsupported-by-version "1 9 9": `inlined_at` needs PTX ISA 7.0; this module is 6.5
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.nv_intermediate_source_section {\n.code_block {\n.ir_name: \"x\"\n.sourceFileName: 1\n.source_begin\nz\n.source_end\n}\n}\n.file 1 \"a\"\n",
        expect![[r#"
            undefined-location "1": no `.file` before this defines the index 1
        "#]],
    );
}

#[test]
fn sections() {
    check(
        ".version 9.5\n.target sm_90\n.section .debug_info { l: .b8 -128, 255, 0x100000001 .b16 -32769 .byte 256 .b32 99999999999, -2147483649 .b64 18446744073709551616 .b64 -9223372036854775808 }\n",
        expect![[r#"
            invalid-directive "-32769": `-32769` does not fit into 2 bytes of `.b16`
            invalid-directive "256": `256` does not fit into a byte of `.byte`
            invalid-directive "-2147483649": `-2147483649` does not fit into 4 bytes of `.b32`
            invalid-directive "-9223372036854775808": `-9223372036854775808` does not fit into 8 bytes of `.b64`
        "#]],
    );
    check(
        ".version 9.5\n.target sm_90\n.section .debug_info { .b32 a-b .quad .debug_str+4 .4byte a .b16 a .b32 a-4 .b32 a+b .b32 .x-a .b32 1, a .b32 a, 1 .u8 1 .pred a .b8 1.0 .b8 WARP_SZ }\n",
        expect![[r#"
            invalid-directive "a": a label does not fit into `.b16`: it needs `.b32` or `.b64`
            invalid-directive "4": only a label can be subtracted from a label
            invalid-directive "b": only a number can be added to a label
            invalid-directive ".x": only labels can be subtracted from each other
            invalid-directive "a": a label is the only value of its line
            invalid-directive "1": a label is the only value of its line
            unknown-directive ".u8": `.u8` is not valid in a section | allowed here: .b8, .b16, .b32, .b64
            unknown-directive ".pred": `.pred` is not valid in a section | allowed here: .b8, .b16, .b32, .b64
            invalid-directive "1.0": `.b8` takes an integer, not `1.0`
            invalid-directive "WARP_SZ": `.b8` takes numbers and labels, no named constants
        "#]],
    );
    check(
        ".version 3.1\n.target sm_20\n.section .debug_info { l: .b8 -1 .b32 a+4 .b32 a-b }\n",
        expect![[r#"
            unsupported-by-version "l": a label in a section needs PTX ISA 7.0; this module is 3.1
            unsupported-by-version "-1": a negative number in a section needs PTX ISA 7.5; this module is 3.1
            unsupported-by-version "a+4": a label plus a number in a section needs PTX ISA 3.2; this module is 3.1
            unsupported-by-version "a-b": the difference of two labels in a section needs PTX ISA 7.5; this module is 3.1
        "#]],
    );
    check(
        ".version 1.4\n.target sm_10\n@@DWARF .section .debug_info, \"\", @progbits\n@@DWARF .byte 0x2b, 256\n@@DWARF .4byte .debug_info\n@@DWARF .4byte 1, 2\n@@DWARF .quad lab\n@@DWARF .byte lab\n@@DWARF .b32 -1\n@@DWARF .byte 1,\n@@DWARF lab:\n@@DWARF\n@@DWARF .section .debug_info\n@@DWARF .word 1\n@@dwarf .byte 1\n",
        expect![[r#"
            invalid-directive "256": `256` does not fit into a byte of `.byte`
            invalid-directive "lab": a label does not fit into `.byte`
            invalid-directive "-": `.b32` takes numbers or one label
            invalid-directive ",": a number must follow `,`
            invalid-directive "lab": expected a section or data after `@@DWARF`, as in `@@DWARF .byte 0x2b`
            invalid-directive "@@DWARF": expected a section or data after `@@DWARF`, as in `@@DWARF .byte 0x2b`
            invalid-directive ".section": expected a section as in `@@DWARF .section .debug_info, "", @progbits`
            unknown-directive ".word": `.word` is not valid in a section | allowed here: .b8, .b16, .b32, .b64
            syntax-error "dwarf": expected `DWARF`, found `dwarf`
        "#]],
    );
    check(
        ".version 2.0\n.target sm_20\n@@DWARF .byte 1\n",
        expect![[r#"
            unsupported-by-version "@@DWARF": `@@DWARF` was removed in PTX ISA 2.0; this module is 2.0
        "#]],
    );
}

#[test]
fn aliases() {
    check(
        ".version 9.5\n.target sm_90\n.global .b32 v;\n.func f { ret; }\n.func g;\n.alias g, f;\n.func h;\n.alias h, g;\n.alias h, f;\n.alias f, g;\n.func i;\n.alias i, i;\n.alias i, v;\n.alias v, f;\n.entry k { .reg .b32 f; .alias i, f; .func j; .alias j, g; .alias i, k; ret; }\n.alias k, f;\n.weak .func w;\n.extern .func x;\n.alias i, w;\n.func o;\n.alias o, x;\n.func g { ret; }\n",
        expect![[r#"
            duplicate-definition "h": `h` is an alias already; it became one in line 8
            invalid-alias "f": `f` has a body, so it cannot become an alias
            invalid-alias "i": `i` cannot be an alias of itself
            invalid-alias "v": `v` is a variable; `.alias` is for functions
            invalid-alias "v": `v` is a variable; `.alias` is for functions
            invalid-alias "f": `f` is not a function
            missing-definition "j": `j` is declared and never defined | declare it `.extern` if another module defines it
            invalid-alias "k": `k` is an entry; `.alias` is for functions
            invalid-alias "k": `k` is an entry; `.alias` is for functions
            missing-definition "w": `w` is declared and never defined | declare it `.extern` if another module defines it
            invalid-alias "w": `w` is `.weak`, so it cannot have an alias
            invalid-alias "x": `x` is `.extern`, so it cannot have an alias
        "#]],
    );
}

#[test]
fn attributes_of_functions() {
    check(
        ".version 9.5\n.target sm_90\n.func .attribute(.unified(1, 2)) a;\n.func .attribute(.managed) b;\n.func .attribute(.unified(1)) c;\n.func .attribute(.unified(1.5, 2)) d;\n.func .attribute(.unified(1, 2), .unified(1, 2)) e;\n.func .attribute(.unified(1, 2)) .attribute(.unified(1, 2)) f;\n.entry .attribute(.unified(1, 2)) g { ret; }\n.global .attribute(.managed) .b32 v;\n.func .attribute(.unified(1, 2, 3)) h;\n",
        expect![[r#"
            compile-only ".unified": ptxas accepts a `.unified` function only with `--compile-only` | such modules are linked before they run
            missing-definition "a": `a` is declared and never defined | declare it `.extern` if another module defines it
            unknown-directive ".managed": `.managed` is not an attribute of a function | functions have the attribute `.unified(a, b)`
            missing-definition "b": `b` is declared and never defined | declare it `.extern` if another module defines it
            invalid-directive ".unified": `.unified` takes 2 integers
            missing-definition "c": `c` is declared and never defined | declare it `.extern` if another module defines it
            invalid-directive "1.5": `.unified` takes an integer, not `1.5`
            missing-definition "d": `d` is declared and never defined | declare it `.extern` if another module defines it
            unknown-directive ".unified": a function has one attribute
            missing-definition "e": `e` is declared and never defined | declare it `.extern` if another module defines it
            compile-only ".unified": ptxas accepts a `.unified` function only with `--compile-only` | such modules are linked before they run
            unknown-directive ".attribute": a `.func` takes one `.attribute`
            missing-definition "f": `f` is declared and never defined | declare it `.extern` if another module defines it
            unknown-directive ".attribute": an `.entry` takes no `.attribute`
            invalid-directive "3": `.unified` takes 2 integers
            missing-definition "h": `h` is declared and never defined | declare it `.extern` if another module defines it
        "#]],
    );
    check(
        ".version 7.8\n.target sm_80\n.func .attribute(.unified(1, 2)) a;\n",
        expect![[r#"
            unsupported-by-target ".unified": `.unified` needs target `sm_90` or later; this module is for `sm_80`
            missing-definition "a": `a` is declared and never defined | declare it `.extern` if another module defines it
        "#]],
    );
}

#[test]
fn aliases_of_other_functions() {
    check(
        ".version 9.5\n.target sm_90\n.func (.param .b32 r) f (.param .b32 a, .param .align 8 .b8 b[8]) { ret; }\n.func (.param .b32 x) a (.param .b32 y, .param .align 8 .b8 z[8]) .abi_preserve 3;\n.alias a, f;\n.func b;\n.alias b, f;\n.func (.param .b32 r) c;\n.alias c, f;\n.func (.param .u32 r) d (.param .b32 a, .param .align 8 .b8 b[8]);\n.alias d, f;\n.func (.param .b32 r) e (.param .b32 a, .param .b8 b[8]);\n.alias e, f;\n.func g { ret; }\n.func h .noreturn;\n.alias h, g;\n",
        expect![[r#"
            invalid-alias "b": `b` cannot be an alias of `f`: the numbers of their results differ
            invalid-alias "c": `c` cannot be an alias of `f`: the numbers of their parameters differ
            invalid-alias "d": `d` cannot be an alias of `f`: their results differ
            invalid-alias "e": `e` cannot be an alias of `f`: parameter 2 differs
            invalid-alias "h": `h` cannot be an alias of `g`: one of them is `.noreturn`
        "#]],
    );
}

#[test]
fn names_of_sections() {
    check(
        ".version 8.5\n.target sm_90\n.section .kind { .b8 1 }\n.section .global { .b8 1 }\n.section .b32 { }\n.section .debug_info { .b32 .entry\n.b32 .func+4\n.b32 .debug_str }\n",
        expect![[r#"
            invalid-directive ".global": `.global` means something else in PTX, so it cannot name a section | a section has a name such as `.debug_info`
            invalid-directive ".b32": `.b32` means something else in PTX, so it cannot name a section | a section has a name such as `.debug_info`
            invalid-directive ".entry": `.entry` means something else in PTX, so it cannot name a section | a section has a name such as `.debug_info`
        "#]],
    );
}
