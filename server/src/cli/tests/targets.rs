//! `ptx-analyzer targets`.

use expect_test::expect;

use super::check;

const NEW: &str = "\
.version 8.0
.target sm_90
.address_size 64
.entry k()
{
    .reg .b32 %r<3>;
    mov.u32 %r1, %clusterid.x;
    redux.sync.add.s32 %r2, %r1, -1;
    redux.sync.min.s32 %r2, %r2, -1;
    add.u32 %r2, %r2, %nope;
    ret;
}
";

#[test]
fn a_table_of_targets() {
    check(
        &["targets", "--target", "sm_75,sm_80,sm_86,sm_89,sm_90", "-"],
        NEW,
        expect![[r#"
             A  sm_75        4 errors
             B  sm_80–sm_89  2 errors
             C  sm_90        1 error

             A B C
             ✗ ✗ ✗  `%nope` is not declared: line 10
             ✗ ✗ ·  `%clusterid` needs target `sm_90` or later: line 7
             ✗ · ·  `redux.sync.…` needs target `sm_80` or later: lines 8, 9
            status 0
        "#]],
    );
    check(
        &[
            "targets",
            "--target",
            "sm_75,sm_90",
            "--format",
            "json",
            "-",
        ],
        NEW,
        expect![[r#"
            {"columns":[{"errors":4,"targets":[{"target":"sm_75","version":"6.3"}],"title":"sm_75"},{"errors":1,"targets":[{"target":"sm_90","version":"7.8"}],"title":"sm_90"}],"groups":[{"causes":[{"code":"undefined-name","message":"`%nope` is not declared","places":[{"column":23,"line":10}]}],"wrong":[true,true]},{"causes":[{"code":"unsupported-by-target","message":"`%clusterid` needs target `sm_90` or later","places":[{"column":18,"line":7}]},{"code":"unsupported-by-target","message":"`redux.sync.…` needs target `sm_80` or later","places":[{"column":5,"line":8},{"column":5,"line":9}]}],"wrong":[true,false]}]}
            status 0
        "#]],
    );
}

#[test]
fn targets_of_today() {
    let fine = ".version 8.0\n.target sm_80\n.address_size 64\n";
    check(
        &["targets", "-"],
        fine,
        expect![[r#"
         A  sm_75–sm_121  no errors
        status 0
    "#]],
    );
}

#[test]
fn questions_without_an_answer() {
    check(
        &["targets", "no such file"],
        "",
        expect![[r#"
        error: no such file: No such file or directory (os error 2)
        status 2
    "#]],
    );
    check(
        &["targets", "--target", "sm_91", "-"],
        "",
        expect![[r#"
        error: invalid value 'sm_91' for '--target <TARGETS>': there is no such target; did you mean `sm_90`?

        For more information, try '--help'.
        status 2
    "#]],
    );
}
