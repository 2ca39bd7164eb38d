use expect_test::expect;

use crate::machine::tests::run;

/// A thread polls a flag that is never set: the finding is at the load, wherever in the loop the thread is.
#[test]
fn a_flag_that_nobody_sets() {
    let body = "\
.reg .b64 %p;
.reg .b32 %r<3>;
.reg .pred %q;
ld.param.u64 %p, [p0];
mov.u32 %r2, 1;
again:
nanosleep.u32 20;
mov.u32 %r2, %r2;
mov.u32 %r2, %r2;
mov.u32 %r2, %r2;
mov.u32 %r2, %r2;
mov.u32 %r2, %r2;
ld.acquire.gpu.u32 %r1, [%p];
setp.ne.u32 %q, %r1, 1;
@%q bra again;
ret;";
    expect![[r#"
        Deadlock
        deadlock 18 `ld.acquire.gpu.u32 %r1, [%p];` lanes [0]: the warp repeats a loop forever: what it waits for changes no more
        p0 = [0]
    "#]].assert_eq(&run(body, 1, &[&[0]], &[]));
}
