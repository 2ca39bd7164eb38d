//! Maps of kernels on the command line.

use expect_test::expect;

use super::check;

const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.entry k() .reqntid 128
{
    .reg .pred %p;
    .reg .b32 %r<3>;
    .shared .align 8 .b64 full;
    .shared .align 16 .b8 tile[256];
    mov.u32 %r1, %tid.x;
    mbarrier.init.shared.b64 [full], 1;
    bar.sync 0;
    mbarrier.arrive.expect_tx.shared.b64 _, [full], 256;
again:
    mbarrier.try_wait.parity.shared.b64 %p, [full], 0;
    @!%p bra again;
    ld.shared.u32 %r2, [tile];
    ret;
}
";

#[test]
fn a_map_as_text() {
    check(
        &["kernel", "-"],
        KERNEL,
        expect![[r#"
        k, 128 threads
          shared memory
            `full`: 8 bytes; written at 11, 13; read at 15
            `tile`: 256 bytes; read at 17
          loops
            lines 15-16: 1 wait
          mbarriers
            mbarrier at `full`: 1 arrival a phase; initialized at 11; arrivals at 13; expects 256 bytes at 13; waited for at 15
          barriers of the block
            barrier 0: lines 12
        status 0
    "#]],
    );
}

#[test]
fn a_map_as_json() {
    check(
        &["kernel", "--format", "json", "-"],
        KERNEL,
        expect![[r#"
        {"entry":"k","threads":{"count":128,"exact":true},"shared":[{"name":"full","bytes":8,"writes":[11,13],"reads":[15]},{"name":"tile","bytes":256,"writes":[],"reads":[17]}],"roles":[],"loops":[{"lines":[15,16],"depth":1,"copies":0,"products":0,"waits":1,"barriers":0}],"rings":[{"place":"full","stages":1,"stride":null,"arrivals":1,"initialized":[11],"arrived":[13],"bytes":[256],"completed":[],"waited":[15]}],"unknown_mbarriers":[],"copies":[],"barriers":[{"number":0,"threads":null,"lines":[12],"roles":[]}]}
        status 0
    "#]],
    );
}

#[test]
fn a_map_as_a_drawing_is_of_one_entry() {
    let two = format!("{KERNEL}.entry other()\n{{\n    ret;\n}}\n");
    check(
        &["kernel", "--format", "svg", "-"],
        &two,
        expect![[r#"
            error: -: choose one with --entry: k, other
            status 2
        "#]],
    );
    check(
        &["kernel", "--format", "svg", "--entry", "other", "-"],
        &two,
        expect![[r##"
            <svg xmlns="http://www.w3.org/2000/svg" width="714" height="65" viewBox="0 0 714 65" role="img" font-family="ui-sans-serif, system-ui, sans-serif" font-size="12" fill="#1f2328">
            <title>other</title>
            <rect width="714" height="65" fill="#ffffff"/>
            <text x="20" y="37" font-size="15" font-weight="600">other</text>
            </svg>
            status 0
        "##]],
    );
}

#[test]
fn an_unknown_entry() {
    check(
        &["kernel", "--entry", "m", "-"],
        KERNEL,
        expect![[r#"
        error: there is no entry `m`
        status 2
    "#]],
    );
}
