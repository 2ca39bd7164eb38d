//! Rules of protocols, in loops, branches and roles. The plainest case of each is on its page.

use std::{fs, path::Path};

use crate::{
    AnalysisHost, DiagnosticCode, FileId, Level, diagnostics::registry::DIAGNOSTIC_CODES,
    fixture::Fixture,
};

fn rules() -> impl Iterator<Item = &'static DiagnosticCode> {
    let all = DIAGNOSTIC_CODES.iter().copied();
    all.filter(|it| it.is_of_protocols())
}

/// The findings of the rules in a text: line and code.
fn found(text: &str) -> Vec<(usize, &'static str)> {
    let fixture = Fixture::new(text);
    let host: &AnalysisHost = &fixture.host;
    let all = host
        .analysis()
        .diagnostics(FileId(0))
        .expect("nothing is written");
    let is_rule = |name: &str| rules().any(|it| it.name == name);
    let own = all.into_iter().filter(|it| is_rule(it.code));
    own.map(|it| {
        let line = text[..usize::from(it.range.start())].matches('\n').count() + 1;
        (line, it.code)
    })
    .collect()
}

/// Checks a kernel: lines that end in `// CODE` are told of, and no others.
#[track_caller]
fn check(body: &str) {
    let header = "\
.version 8.7
.target sm_90a
.address_size 64
.extern .func other();
.entry k(.param .u64 out, .param .u64 in, .param .u32 n) .reqntid 256
{
    .reg .pred %p<8>;
    .reg .b32 %r<16>;
    .reg .b64 %rd<8>;
    .reg .f32 %f<8>;
    .shared .align 128 .b8 tile[4096];
    .shared .align 8 .b64 full;
    ld.param.u64 %rd0, [out];
    ld.param.u64 %rd1, [in];
    ld.param.u32 %r0, [n];
    mov.u32 %r1, %tid.x;
    setp.eq.u32 %p0, %r1, 0;
    shr.u32 %r2, %r1, 5;
    setp.gt.u32 %p7, %r0, 4;
";
    let text = format!("{header}{body}    ret;\n}}\n");
    let expected: Vec<(usize, &str)> = (1..)
        .zip(text.lines())
        .filter_map(|(number, line)| Some((number, line.split_once("// ")?.1.trim())))
        .collect();
    assert_eq!(found(&text), expected, "{text}");
}

#[test]
fn right_texts_of_the_pages_are_silent() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics");
    for code in rules().map(|it| it.name) {
        let page = fs::read_to_string(folder.join(format!("{code}.md"))).expect("there is a page");
        let (_, right) = page.split_once("## Right").expect("there is a right text");
        let text = right.split("```").nth(1).expect("it is fenced");
        let text = text.strip_prefix("ptx\n").expect("it is PTX");
        assert_eq!(found(text), [], "{code}");
    }
    let hints = [
        "griddepcontrol-missing-wait",
        "read-only-load-of-written-memory",
    ];
    for code in DIAGNOSTIC_CODES
        .iter()
        .filter(|it| hints.contains(&it.name))
    {
        assert_eq!(code.severity(), Level::Hint.severity().unwrap());
    }
}

#[test]
fn products_in_loops() {
    // The first turn waits for the product of the turn before.
    check(
        "    mov.u32 %r3, 0;
    mov.f32 %f0, 0f00000000;
    mov.f32 %f1, 0f00000000;
    mov.f32 %f2, 0f00000000;
    mov.f32 %f3, 0f00000000;
LOOP:
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd1, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 1;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, %r0;
    @%p1 bra LOOP;
    wgmma.wait_group.sync.aligned 0;
    st.global.f32 [%rd0], %f0;
",
    );
    check(
        "    mov.u32 %r3, 0;
    mov.f32 %f0, 0f00000000;
    mov.f32 %f1, 0f00000000;
    mov.f32 %f2, 0f00000000;
    mov.f32 %f3, 0f00000000;
    wgmma.fence.sync.aligned;
LOOP:
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %rd1, %rd1, 1, 1, 1, 0, 0; // wgmma-missing-fence
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    mul.f32 %f0, %f0, 0f40000000;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, %r0;
    @%p1 bra LOOP;
    st.global.f32 [%rd0], %f0;
",
    );
}

#[test]
fn a_fence_in_one_branch_is_enough_to_be_silent() {
    check(
        "    mov.u32 %r4, tile;
    add.u32 %r4, %r4, %r1;
    st.shared.u32 [%r4], %r1;
    @%p7 bra OTHER;
    fence.proxy.async.shared::cta;
OTHER:
    bar.sync 0;
    @%p0 cp.async.bulk.global.shared::cta.bulk_group [%rd0], [tile], 1024;
    @%p0 cp.async.bulk.commit_group;
    @%p0 cp.async.bulk.wait_group 0;
",
    );
}

#[test]
fn roles_of_warps() {
    // The producer and the consumer go through the phases in step.
    check(
        "    @%p0 mbarrier.init.shared::cta.b64 [full], 1;
    bar.sync 0;
    mov.u32 %r5, 0;
    mov.u32 %r6, 0;
    setp.lt.u32 %p1, %r2, 4;
    @%p1 bra CONSUMER;
    setp.ne.u32 %p2, %r1, 128;
    @%p2 bra DONE;
PRODUCER:
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [full], 1024;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 1024, [full];
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r5, %r0;
    @%p3 bra PRODUCER;
    bra.uni DONE;
CONSUMER:
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], %r6;
    @!%p4 bra WAIT;
    xor.b32 %r6, %r6, 1;
    add.u32 %r5, %r5, 1;
    setp.lt.u32 %p3, %r5, %r0;
    @%p3 bra CONSUMER;
DONE:
",
    );
    // Warps of another role use what nobody has published.
    check(
        "    setp.lt.u32 %p1, %r2, 4;
    @%p0 mbarrier.init.shared::cta.b64 [full], 128;
    @%p1 bra CONSUMER;
    mbarrier.arrive.shared::cta.b64 _, [full]; // unpublished-initialization
    bra.uni DONE;
CONSUMER:
WAIT:
    mbarrier.try_wait.parity.shared::cta.b64 %p4, [full], 0;
    @!%p4 bra WAIT;
DONE:
",
    );
}

#[test]
fn what_is_not_known_is_silent() {
    // The callee may wait, and the address may be that of any barrier.
    check(
        "    cp.async.bulk.global.shared::cta.bulk_group [%rd0], [tile], 1024;
    cp.async.bulk.commit_group;
    call other;
",
    );
}

#[test]
fn a_function_without_threads_exercises_instructions() {
    let text = ".version 8.7\n.target sm_90a\n.address_size 64\n.shared .align 8 .b64 full;\n\
        .entry k() {\n.reg .pred %p;\nmbarrier.init.shared::cta.b64 [full], 1;\nret;\n}\n";
    assert_eq!(found(text), []);
}

/// The constant that a copy adds to the name of a variable counts.
#[test]
fn a_name_plus_a_constant_is_copied() {
    check(
        "
    mov.u32 %r3, tile+16;
    @%p0 mbarrier.init.shared.b64 [%r3], 256;
    bar.sync 0;
    mbarrier.arrive.shared.b64 _, [tile+16];
    mbarrier.arrive.shared.b64 _, [tile+24]; // mbarrier-never-initialized
    mbarrier.arrive.shared.b64 _, [%r3+16]; // mbarrier-never-initialized
",
    );
}
