//! What ptxas 13.5 rejects about directives, as fixtures.

use std::fmt::Write as _;

use expect_test::{Expect, expect};

use crate::{FileId, fixture::Fixture};

/// Lists code, place and message of each diagnostic of a module, which brings its own header.
#[track_caller]
fn check(text: &str, expect: Expect) {
    let fixture = Fixture::new(text);
    let mut out = String::new();
    for it in fixture
        .host
        .analysis()
        .diagnostics(FileId(0))
        .expect("nothing is written")
    {
        let _ = write!(out, "{} {:?}: {}", it.code, &text[it.range], it.message);
        let _ = it.help.map(|help| write!(out, " | {help}"));
        out.push('\n');
    }
    expect.assert_eq(&out);
}

#[test]
fn the_start_of_a_module() {
    check("", expect![""]);
    check("// nothing yet\n", expect![""]);
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
        missing-directive ".version 8.5": `.target` must follow `.version`, as in `.target sm_90`
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
        unknown-target "sm_9O": there is no target `sm_9O` | did you mean `sm_90`?
        unknown-target "texmode_unifed": there is no target `texmode_unifed` | did you mean `texmode_unified`?
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
            unknown-directive ".maxntid": `.maxntid` is not allowed in the header of an `.func`
        "#]],
    );
    check(
        ".version 6.2\n.target sm_20\n.func f .noreturn;\n.func g { ret; }\n.alias f, g;\n.weak .global .b32 x;\n.entry k { ts: .branchtargets L; L: ret; }\n",
        expect![[r#"
            unsupported-by-target ".noreturn": `.noreturn` needs target `sm_30` or later; this module is for `sm_20`
            unsupported-by-target ".alias": `.alias` needs target `sm_30` or later; this module is for `sm_20`
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
        "#]],
    );
}
