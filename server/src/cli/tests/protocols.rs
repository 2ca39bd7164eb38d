//! Protocols on the command line.

use expect_test::expect;

use super::check;

const KERNEL: &str = "\
.version 8.0
.target sm_90
.address_size 64
.shared .align 8 .b64 full;
.entry k()
{
    .reg .pred %p;
    mbarrier.init.shared.b64 [full], 1;
    bar.sync 0;
    mbarrier.arrive.shared.b64 _, [full];
again:
    mbarrier.try_wait.parity.shared.b64 %p, [full], 0;
    @!%p bra again;
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group 0;
    ret;
}
";

#[test]
fn protocols_as_text() {
    check(
        &["protocols", "-"],
        KERNEL,
        expect![[r#"
            k
              bulk copies in groups
                line 14: commits
                line 15: waits until no group is pending
              mbarrier `full`
                line 8: initializes for arrivals: 1
                line 10: arrives
                line 12: waits for parity 0
              barrier 0 of the block
                line 9: waits
            status 0
        "#]],
    );
}

#[test]
fn protocols_as_json() {
    check(
        &["protocols", "--function", "k", "--format", "json", "-"],
        KERNEL,
        expect![[r#"
            {"function":"k","protocol":"bulk copies in groups","parts":[{"line":14,"role":"commits","partners":[]},{"line":15,"role":"waits until no group is pending","partners":[]}]}
            {"function":"k","protocol":"mbarrier `full`","parts":[{"line":8,"role":"initializes for arrivals: 1","partners":[]},{"line":10,"role":"arrives","partners":[]},{"line":12,"role":"waits for parity 0","partners":[]}]}
            {"function":"k","protocol":"barrier 0 of the block","parts":[{"line":9,"role":"waits","partners":[]}]}
            status 0
        "#]],
    );
}
