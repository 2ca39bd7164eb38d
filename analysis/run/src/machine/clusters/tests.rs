use expect_test::{Expect, expect};

use crate::machine::tests::run_described;

/// A kernel whose blocks take over others: each adds to an element for its work and to one for its blocks.
#[track_caller]
fn check(wait: &str, grid: &str, expect: Expect) {
    let text = format!(
        ".version 8.6
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{{
.reg .pred %first, %done, %more;
.reg .b32 %t, %x, %y, %n, %phase;
.reg .b64 %p, %a;
.reg .b128 %response;
.shared .align 16 .b8 answer[16];
.shared .align 8 .b64 bar;
ld.param.u64 %p, [out];
mov.u32 %t, %tid.x;
setp.eq.u32 %first, %t, 0;
@%first mbarrier.init.shared.b64 [bar], 1;
bar.sync 0;
mov.u32 %x, %ctaid.x;
mov.u32 %y, %ctaid.y;
mov.u32 %phase, 0;
next:
@%first mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
@%first clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [answer], [bar];
mov.u32 %n, %nctaid.x;
mad.lo.u32 %n, %y, %n, %x;
mad.wide.u32 %a, %n, 4, %p;
@%first st.global.u32 [%a], %n;
again:
mbarrier.try_wait.parity.shared.b64 %done, [bar], %phase;
@!%done bra again;
xor.b32 %phase, %phase, 1;
ld.shared.b128 %response, [answer];
{wait}
clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %more, %response;
@!%more bra end;
clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {{%x, %y, _, _}}, %response;
clusterlaunchcontrol.query_cancel.get_first_ctaid::y.b32.b128 %y, %response;
bra next;
end:
ret;
}}
"
    );
    let launch =
        format!("grid = {grid}\nblock = 64\nargs.out = {{ undefined = [6], type = 'u32' }}");
    expect.assert_eq(&run_described(&text, &launch));
}

#[test]
fn blocks_take_over_others() {
    let wait = "fence.proxy.async.shared::cta;\nbar.sync 0;";
    check(
        wait,
        "[3, 2]",
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5]
    "#]],
    );
    check(
        wait,
        "6",
        expect![[r#"
        Finished
        p0 = [0, 1, 2, 3, 4, 5]
    "#]],
    );
}

#[test]
fn a_response_is_overwritten_while_others_read_it() {
    check(
        "",
        "6",
        expect![[r#"
        Deadlock
        stale-read 31 `ld.shared.b128 %response, [answer];` lanes [0]: nothing orders this read and the copy that writes the location again: the copy has not been waited for, or begins before this read is over
        deadlock 28 `mbarrier.try_wait.parity.shared.b64 %done, [bar], %phase;` lanes [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31]: the warp waits for a phase of an mbarrier that nothing completes any more
        p0 = [0, 1, 2, 3, 4, 5]
    "#]],
    );
}
